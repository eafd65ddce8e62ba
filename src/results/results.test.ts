import { strict as assert } from 'node:assert'
import { eventually } from '../../test/checks/eventually.ts'
import { readPdfTexts } from '../../test/checks/pdf-text.ts'
import { openLink, untilClicked } from '../../test/messages/links.ts'
import { age, end, take } from '../../test/messages/old-messages.ts'
import { mobiles, readRecipients, send } from '../../test/messages/sending.ts'
import { startService, type TestAccount, type TestService, test } from '../../test/service/service.ts'
import { recordReply } from '../replies/record-reply.ts'
import { createRemoveMessages } from '../retention/remove-messages.ts'
import { foldFigures } from '../stats/fold-figures.ts'
import { claimUncounted } from '../stats/groups.store.ts'
import { countGroups } from './count-groups.ts'
import { certainRate } from './rates.ts'

const LINK = 'https://boutique.example/soldes'
const BELGIAN = '+32470000001'

/** A message that left, and arrived, an hour and a half after it was due: three hours ago. */
async function sendLinked(service: TestService, account: TestAccount, recipients: string[], mode = 'unique') {
  const id = await send(account, {
    recipients,
    content: 'Voir #SHORTURL#',
    shorturl: { mode, url: LINK },
    sender: '36111'
  })
  await take(service.pool, id)
  await end(service.pool, id)
  await service.pool`update messages set scheduled_at = now() - interval '3 hours' where id = ${id}`
  await service.pool`
    update recipients
    set sent_at = now() - interval '90 minutes', delivered_at = now() - interval '90 minutes'
    where message_id = ${id}
  `
  return id
}

/** The paths of the links that recipients got, in their order. */
async function linksOf(account: TestAccount, id: number): Promise<string[]> {
  const recipients = (await readRecipients(account, id)) as unknown as { content: string }[]
  return recipients.map(({ content }) => /\/s\/[0-9A-Za-z]{10}/.exec(content)?.[0] ?? '')
}

const reply = ({ pool }: TestService, from: string, text: string) =>
  recordReply(pool, { carrier: 'main', from, to: '36111', text })

async function readReport({ url }: TestService, { apiKey }: TestAccount, path: string): Promise<string[]> {
  const response = await fetch(url + path, { headers: { 'x-api-key': apiKey, accept: 'application/pdf' } })
  assert.deepEqual([response.status, response.headers.get('content-type')], [200, 'application/pdf'])
  return readPdfTexts(Buffer.from(await response.arrayBuffer()))
}

const get = async (account: TestAccount, path: string) => (await account.expect(200).get(path)).body

async function fold({ pool }: TestService) {
  while ((await foldFigures(pool)).isMoreDue);
}

test('the results of a message: its rates, and its hours, countries, carriers and errors', async (t) => {
  const service = await startService(t)
  const { pool } = service
  const [account, stranger] = [await service.newAccount({ credits: 100 }), await service.newAccount({ credits: 100 })]
  const phones = [...mobiles(4), BELGIAN]
  const id = await sendLinked(service, account, phones)
  await pool`
    update recipients set state = 3, delivered_at = null, error_code = '001' where message_id = ${id} and position = 2
  `
  await pool`
    update messages set delivered_count = delivered_count - 1, failed_count = failed_count + 1 where id = ${id}
  `
  for (const link of (await linksOf(account, id)).slice(3)) await openLink(service.url, link)
  await untilClicked(account, id, 2)
  await reply(service, phones[0] ?? '', 'Merci')
  await reply(service, phones[0] ?? '', 'Encore merci')
  await reply(service, phones[2] ?? '', 'STOP')
  await reply(service, phones[2] ?? '', 'STOP')

  const seen = await get(account, `/messages/${id}/results`)
  const { hours, countries, carriers, errors, counted_at, ...totals } = seen
  assert.ok(Date.parse(counted_at) <= Date.now())
  const { due_at, content, name, sender, channel, ...counts } = totals
  assert.deepEqual(
    [name, sender, channel, Date.parse(due_at) < Date.now(), content],
    [null, '36111', 'sms', true, 'Voir #SHORTURL#']
  )
  assert.deepEqual(counts, {
    message_id: id,
    link: LINK,
    recipients: 5,
    sent: 5,
    delivered: 4,
    clicked: 2,
    replied: 2,
    opted_out: 1,
    delivery_rate: 0.8,
    click_rate: 0.5,
    reply_rate: 0.5,
    opt_out_rate: 0.25
  })
  const nothing = { delivered: 0, clicked: 0, replied: 0, opted_out: 0 }
  assert.deepEqual(hours, [
    { ...nothing, hour: 1, delivered: 4 },
    { ...nothing, hour: 3, clicked: 2, replied: 2, opted_out: 1 }
  ])
  const french = { recipients: 4, sent: 4, delivered: 3, failed: 1, clicked: 1 }
  const belgian = { recipients: 1, sent: 1, delivered: 1, failed: 0, clicked: 1 }
  assert.deepEqual(countries, [
    { country: 'FR', ...french },
    { country: 'BE', ...belgian }
  ])
  assert.deepEqual(carriers, [{ carrier: 'main', recipients: 5, sent: 5, delivered: 4, failed: 1, clicked: 2 }])
  assert.deepEqual(errors, [{ error: '001', recipients: 1, sent: 1, delivered: 0, failed: 1, clicked: 0 }])

  const { text } = await account.expect(200).get(`/messages/${id}/results/extract`, { accept: 'text/csv' })
  assert.deepEqual(text.split('\r\n'), [
    'by,value,recipients,sent,delivered,failed,clicked,replied,opted_out',
    'all,,5,5,4,,2,2,1',
    'hour,1,,,4,,0,0,0',
    'hour,3,,,0,,2,2,1',
    'country,FR,4,4,3,1,1,,',
    'country,BE,1,1,1,0,1,,',
    'carrier,main,5,5,4,1,2,,',
    'error,001,1,1,0,1,0,,',
    ''
  ])

  const report = await readReport(service, account, `/messages/${id}/results/extract?language=fr`)
  const rates = ['Taux de délivrance', '80 %', '4 sur 5', 'Taux de clic', '50 %', 'Clics : 2']
  const begin = ['Voir #SHORTURL#', 'SMS de 36111 · 5 destinataires', `Lien suivi : ${LINK}`, ...rates]
  for (const text of [...begin, 'Messages délivrés par heure depuis l’envoi', '+1 h', 'Belgique', 'main', '001'])
    assert.ok(report.includes(text), `${text}: ${report}`)
  assert.deepEqual(report.slice(report.indexOf('France')).slice(0, 6), ['France', '4', '4', '3', '1', '1'])
  const english = await readReport(service, account, `/messages/${id}/results/extract`)
  for (const text of ['Delivery rate', '4 of 5', '80%', 'Belgium']) assert.ok(english.includes(text), text)
  await account.expect(400).get(`/messages/${id}/results/extract?language=de`)

  // One link for all: who opened it is not known, and when is.
  const shared = await sendLinked(service, account, mobiles(3), 'common')
  const [link = ''] = await linksOf(account, shared)
  await openLink(service.url, link)
  await untilClicked(account, shared, 1)
  const ofShared = await get(account, `/messages/${shared}/results`)
  assert.deepEqual([ofShared.clicked, ofShared.countries[0].clicked, ofShared.hours.at(-1).clicked], [1, 0, 1])
  // Without a link nobody can click, and before anything has left there are no rates.
  const plain = await get(account, `/messages/${await send(account, { recipients: mobiles(2) })}/results`)
  assert.deepEqual([plain.click_rate, plain.delivery_rate, plain.link, plain.hours], [null, null, null, []])

  for (const path of [`/messages/${id}/results`, `/messages/${id}/results/extract`, `/stats/compare?messages=${id}`])
    await stranger.expect(404).get(path)
  await stranger.expect(404).get(`/messages/${id}/results/extract`, { accept: 'application/pdf' })
  const compared = await get(account, `/stats/compare?messages=${shared},${id}`)
  assert.deepEqual(compared, [toRow(ofShared), totals])
  const many = Array.from({ length: 11 }, (_, index) => index + 1).join()
  for (const messages of ['', 'x', `${id},`, `${id};${shared}`, '-1', '1.5', '99999999999999999', many])
    await account.expect(400).get(`/stats/compare?messages=${messages}`)
  await account.expect(400).get('/stats/compare')
})

function toRow({
  counted_at: _countedAt,
  hours: _hours,
  countries: _countries,
  carriers: _carriers,
  errors: _errors,
  ...row
}: Record<string, unknown>) {
  return row
}

test('the results of a period are the same before messages are folded and after, and its totals outlive them', async (t) => {
  const service = await startService(t)
  const { pool } = service
  const [account, stranger] = [await service.newAccount({ credits: 1_000 }), await service.newAccount({ credits: 100 })]
  const phones = mobiles(10)
  const best = await sendLinked(service, account, phones.slice(0, 4))
  const plain = await send(account, { recipients: phones, sender: 'CHAPPE' })
  const single = await send(account, { recipients: phones.slice(9) })
  for (const id of [plain, single]) {
    await take(pool, id)
    await end(pool, id)
  }
  const worst = await sendLinked(service, account, phones)
  await send(account, { recipients: phones, scheduleAt: new Date(Date.now() + 86_400_000).toISOString() })
  await pool`update messages set clicked_count = 2 where id = ${best}`
  await pool`update messages set clicked_count = 1 where id = ${worst}`
  // Yesterday, so that no test runs over midnight.
  const moments = { [best]: 'T09:10Z', [plain]: 'T10:10Z', [single]: 'T09:20Z', [worst]: 'T10:20Z' }
  const yesterday = Temporal.Now.plainDateISO('UTC').subtract({ days: 1 })
  for (const [id, time] of Object.entries(moments))
    await pool`update messages set scheduled_at = ${`${yesterday}${time}`}::text::timestamptz where id = ${id}`

  const list = async (query = '') => {
    const { items, meta } = await get(account, `/stats/messages?${query}`)
    return [...items.map(({ message_id }: { message_id: number }) => message_id), meta.totalItems]
  }
  const lists = async () => {
    assert.deepEqual(await list(), [worst, plain, best, 3])
    assert.deepEqual(await list('sort=click_rate'), [best, worst, plain, 3])
    assert.deepEqual(await list('sort=click_rate&direction=asc'), [worst, best, plain, 3])
    assert.deepEqual(await list('sort=recipients&limit=1&page=3'), [best, 3])
    assert.deepEqual(await list('sort=due&page=2'), [3])
    assert.deepEqual(await list('channel=rcs'), [0])
    assert.deepEqual(await list('from=2020-01-01&to=2020-02-01'), [0])
    const rows = await get(account, '/stats/messages/extract')
    assert.deepEqual(rows, (await get(account, '/stats/messages')).items)
    assert.deepEqual(rows.at(-1), toRow(await get(account, `/messages/${best}/results`)))
    assert.deepEqual(await get(stranger, '/stats/messages/extract'), [])
  }
  const period = async () => get(account, '/stats/period')
  await account.expect(200).put('/users/me', { settings: { time_zone: 'UTC' } })
  const checkPeriod = async ({ optedOut = 0, delivered = 25 } = {}) => {
    const { totals, hours } = await period()
    const { sent, clicked, opted_out, click_rate, opt_out_rate } = totals
    assert.deepEqual([sent, totals.delivered, clicked, opted_out], [25, delivered, 3, optedOut])
    // Of those who got a link.
    assert.deepEqual([click_rate, opt_out_rate], [3 / 14, optedOut / delivered])
    const seen = hours.map(({ weekday, hour, click_rate }: Record<string, number>) => [weekday, hour, click_rate])
    assert.deepEqual(seen, [
      [yesterday.dayOfWeek, 9, 0.5],
      [yesterday.dayOfWeek, 10, 0.1]
    ])
  }
  await lists()
  await checkPeriod()

  // People opt out while the figures are folded, and after.
  const optOut = (from: number, to: number) => phones.slice(from, to).map((phone) => reply(service, phone, 'STOP'))
  await Promise.all([...optOut(0, 5), foldFigures(pool), foldFigures(pool)])
  await fold(service)
  await Promise.all(optOut(4, 8))
  await lists()
  assert.equal((await pool`select from message_figures`).length, 3)
  await checkPeriod({ optedOut: 8 })
  const byOptOuts = await get(account, '/stats/messages?sort=opt_out_rate&limit=1')
  assert.deepEqual([byOptOuts.items[0].message_id, byOptOuts.items[0].opted_out], [worst, 8])
  const days: { day: string; [figure: string]: unknown }[] = await get(account, '/stats/daily')
  const daily = days.find(({ day }) => day === yesterday.toString())
  assert.deepEqual([daily?.opted_out, daily?.delivered_with_link], [8, 14])

  const report = await readReport(service, account, `/stats/messages/extract?from=${yesterday}&channel=sms`)
  const facts = [
    'Results',
    'SMS only',
    'Sent: 25',
    'Delivered: 25',
    'Opt-out rate',
    '32%',
    '8 of 25',
    'Deliveries by day'
  ]
  for (const text of [...facts, 'Best hours by past clicks', 'Latest messages'])
    assert.ok(report.includes(text), `${text}: ${report}`)
  const latest = report.slice(report.indexOf('Latest messages') + 6)
  assert.deepEqual(
    [latest[0]?.endsWith('10:20 Voir #SHORTURL#'), ...latest.slice(1, 6)],
    [true, '10', '100%', '10%', '80%', '80%']
  )
  assert.ok((await readReport(service, stranger, '/stats/messages/extract')).includes('Sent: 0'))

  await age(pool, [best, plain, single, worst], { days: 3 })
  // The service may be about to count them, too.
  const before = await eventually(async () => {
    await countGroups(pool)
    const results = await period()
    assert.equal(results.carriers[0]?.recipients, 24)
    return results
  })
  const { hideOld } = createRemoveMessages(pool, { days: 2, graceSeconds: 0 })
  await hideOld()
  assert.deepEqual(await list(), [0])
  assert.equal((await pool`select from message_figures`).length, 0)
  assert.deepEqual(await period(), before)
  for (const query of ['sort=name', 'direction=up', 'channel=fax', 'from=2026-02-30', 'from=2020-01-01'])
    await account.expect(400).get(`/stats/messages?${query}`)
  for (const query of ['channel=fax', 'from=2026-02-30', 'from=2020-01-01'])
    for (const path of ['period', 'messages/extract']) await account.expect(400).get(`/stats/${path}?${query}`)
})

test('recipients of a period by country, carrier, error and link: counted once, again after changes, and kept', async (t) => {
  const service = await startService(t)
  const { pool } = service
  const [account, stranger] = [await service.newAccount({ credits: 100 }), await service.newAccount({ credits: 100 })]
  await account.expect(200).put('/users/me', { settings: { time_zone: 'UTC' } })
  const id = await sendLinked(service, account, [...mobiles(4), BELGIAN])
  await pool`
    update recipients set state = 3, delivered_at = null, error_code = '001' where message_id = ${id} and position = 2
  `
  await pool`
    update messages set delivered_count = delivered_count - 1, failed_count = failed_count + 1 where id = ${id}
  `
  // In the last half hour of a day of UTC, which is the next day in Paris.
  const day = Temporal.Now.plainDateISO('UTC').subtract({ days: 2 })
  await pool`update messages set scheduled_at = ${`${day}T23:30Z`}::text::timestamptz where id = ${id}`
  const days = (of: Temporal.PlainDate) => `?from=${of}&to=${of}`
  const groups = async (query = '', of = account) => {
    const { countries, carriers, errors, links } = await get(of, `/stats/period${query}`)
    return { countries, carriers, errors, links }
  }
  const none = { countries: [], carriers: [], errors: [], links: [] }
  const expected = ({ french = 0, belgian = 0 } = {}) => ({
    countries: [
      { country: 'FR', recipients: 4, sent: 4, delivered: 3, failed: 1, clicked: french },
      { country: 'BE', recipients: 1, sent: 1, delivered: 1, failed: 0, clicked: belgian }
    ],
    carriers: [{ carrier: 'main', recipients: 5, sent: 5, delivered: 4, failed: 1, clicked: french + belgian }],
    errors: [{ error: '001', recipients: 1, sent: 1, delivered: 0, failed: 1, clicked: 0 }],
    links: [{ link: LINK, recipients: 5, sent: 5, delivered: 4, failed: 1, clicked: french + belgian }]
  })
  const results = () => get(account, `/messages/${id}/results`)
  const live = await results()
  await fold(service)
  assert.deepEqual(await groups(), none, 'not counted yet')
  // As of a process that died after it had taken the message.
  assert.equal((await claimUncounted(pool, { limit: 10, leaseSeconds: 0 })).length, 1)
  await Promise.all([countGroups(pool), countGroups(pool)])
  assert.deepEqual(await groups(), expected())
  assert.deepEqual(await groups(days(day)), expected())
  assert.deepEqual(await groups(days(day.add({ days: 1 }))), none)
  assert.deepEqual(await groups('?channel=sms'), expected())
  assert.deepEqual(await groups('?channel=rcs'), none)
  assert.deepEqual(await groups('', stranger), none)
  await account.expect(200).put('/users/me', { settings: { time_zone: 'Europe/Paris' } })
  assert.deepEqual(await groups(days(day)), none)
  assert.deepEqual(await groups(days(day.add({ days: 1 }))), expected())
  const counted = await results()
  assert.deepEqual({ ...counted, counted_at: '' }, { ...live, counted_at: '' })
  assert.equal((await results()).counted_at, counted.counted_at, 'read from its groups')

  // Clicks while two processes count: no click is lost, and none counts twice.
  const click = (position: number) =>
    pool.begin(async (database) => {
      await database`update recipients set clicked_at = now() where message_id = ${id} and position = ${position}`
      await database`update messages set clicked_count = clicked_count + 1 where id = ${id}`
    })
  const count = async () => {
    await pool`update message_figures set count_at = now()`
    await countGroups(pool)
  }
  await click(1)
  assert.deepEqual([(await groups()).countries[0].clicked, (await results()).countries[0].clicked], [0, 1])
  assert.deepEqual(await countGroups(pool), { isMoreDue: false })
  assert.equal((await groups()).countries[0].clicked, 0, 'counted again after a quarter of its age')
  await Promise.all([click(3), count(), click(4), count(), click(5), count()])
  await count()
  assert.deepEqual(await groups(), expected({ french: 3, belgian: 1 }))
  assert.deepEqual((await pool`select from message_figures where count_at is not null`).length, 0)

  await age(pool, [id], { days: 3 })
  await createRemoveMessages(pool, { days: 2, graceSeconds: 0 }).hideOld()
  await account.expect(404).get(`/messages/${id}/results`)
  assert.equal((await pool`select from message_groups`).length, 0)
  assert.deepEqual(await groups(), expected({ french: 3, belgian: 1 }))
})

test('an hour with many clicks is better than one with a single lucky one', () => {
  const cases: [clicked: number, delivered: number, worth: number][] = [
    [0, 0, 0],
    [0, 100, 0],
    [1, 1, 0.207],
    [50, 100, 0.404],
    [500, 1_000, 0.469],
    [3, 2, 0.342]
  ]
  for (const [clicked, delivered, worth] of cases)
    assert.equal(Math.round(certainRate(clicked, delivered) * 1_000) / 1_000, worth, `${clicked} of ${delivered}`)
})

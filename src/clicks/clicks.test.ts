import { strict as assert } from 'node:assert'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { pino } from 'pino'
import { Registry } from 'prom-client'
import { eventually } from '../../test/checks/eventually.ts'
import { holdTable } from '../../test/database/hold-table.ts'
import {
  openLink,
  PHONE,
  readMetric,
  sendLinked,
  TARGET,
  untilClicked,
  untilSettled
} from '../../test/messages/links.ts'
import { readMessage, readRecipients, readTimeline } from '../../test/messages/sending.ts'
import { startProxy } from '../../test/peers/proxy.ts'
import { newDataFolder, startProcess } from '../../test/processes/process.ts'
import { atEnd } from '../../test/service/cleanup.ts'
import { OPERATOR, startService, type TestAccount, test } from '../../test/service/service.ts'
import { readDatabaseClock } from '../database/clock.ts'
import { connect, SOCKET_PORT, type Sql } from '../database/database.ts'
import { listLinksOfAnyAccount } from '../short-links/short-links.store.ts'
import { Clicks } from './clicks.ts'
import { createLinkMetrics } from './metrics.ts'
import { createOpenings } from './openings.ts'

const ROBOT = { headers: { ...PHONE, 'user-agent': 'WhatsApp/2.23.20.0 A' } }

test('a person’s first click is counted, told and kept with its time; the next ones change nothing', async (t) => {
  const service = await startService(t)
  const { operator, url } = service
  await operator.expect(200).get('/events')
  const { id, codes, phones } = await sendLinked(service, operator, { count: 3 })
  const before = Date.now()
  await openLink(url, `/s/${codes[1]}`)
  await untilClicked(operator, id, 1)
  const timeline = await readTimeline(operator, id, 1)
  const step = timeline.find(({ step }) => step === 'clicked')
  assert.ok(step && Date.parse(step.at) >= before && Date.parse(step.at) <= Date.now())

  for (let index = 0; index < 5; index++) await openLink(url, `/s/${codes[1]}`)
  await openLink(url, `/s/${codes[2]}`)
  await untilClicked(operator, id, 2)
  await untilSettled(service)
  assert.equal((await readMessage(operator, id)).clicked, 2)
  assert.deepEqual(
    (await readTimeline(operator, id, 1)).find(({ step }) => step === 'clicked'),
    step
  )
  const events = await toldClicks(operator, 2)
  assert.deepEqual(events[0], {
    message_id: id,
    recipient: phones[1],
    url: TARGET,
    timestamp: step.at,
    sequence: events[0]?.sequence
  })
  assert.deepEqual(
    events.map(({ recipient }) => recipient),
    [phones[1], phones[2]]
  )
  assert.equal(await readMetric(url, 'chappe_clicks_total{by="person"}'), 2)
  assert.equal(await readMetric(url, 'chappe_clicks_total{by="again"}'), 5)
})

interface ToldClick {
  message_id: number
  recipient: string
  url: string
  timestamp: string
  sequence: number
}

/** All that were told, once there are so many: the feed waits for transactions that others have under way. */
async function toldClicks(account: TestAccount, count: number): Promise<ToldClick[]> {
  return eventually(async () => {
    const { body } = await account.expect(200).get('/events?types=clicks&limit=1000')
    assert.equal(body.items.length, count)
    return body.items.map(({ data }: { data: ToldClick }) => data)
  })
}

test('what a send promises, a phone finds: links of one each, and one for all', async (t) => {
  const service = await startService(t)
  const { operator, url } = service
  for (const mode of ['unique', 'common']) {
    const { body } = await operator.expect(200).post('/messages/sms', {
      recipients: ['+33612000001', '+33612000002'],
      content: 'Voir #SHORTURL# vite',
      shorturl: { mode, url: 'https://boutique.example/été' }
    })
    await service.pool`update recipients set sent_at = now() - interval '1 minute'`
    const { items } = (await operator.expect(200).get(`/messages/${body.message_id}/recipients/sms`)).body
    const links: string[] = items.map(
      ({ content }: { content: string }) => /^Voir (\S+) vite$/.exec(content)?.[1] ?? ''
    )
    assert.match(links[0] ?? '', new RegExp(`^${url}/s/[0-9A-Za-z]{10}$`))
    assert.equal(new Set(links).size, mode === 'unique' ? 2 : 1)
    for (const link of links) {
      const { status, location } = await openLink('', link)
      assert.deepEqual([status, location], [302, 'https://boutique.example/%C3%A9t%C3%A9'])
    }
    // The same phone opened both.
    await untilClicked(operator, body.message_id, mode === 'unique' ? 2 : 1)
  }
})

test('the same link a hundred times at once, through two processes: one click, one event', async (t) => {
  const service = await startService(t)
  const peer = await service.startPeer(t)
  const { operator } = service
  await operator.expect(200).get('/events')
  const { id, codes } = await sendLinked(service, operator, { count: 5 })
  await Promise.all(
    Array.from({ length: 100 }, (_, index) =>
      openLink((index % 2 === 0 ? service : peer).url, `/s/${codes[index % 5]}`)
    )
  )
  await untilClicked(operator, id, 5)
  await Promise.all([untilSettled(service), untilSettled(peer)])
  assert.equal((await readMessage(operator, id)).clicked, 5)
  await toldClicks(operator, 5)
})

test('clicks on many messages of several accounts, while their recipients move, are all counted', async (t) => {
  const service = await startService(t)
  const accounts = await Promise.all(Array.from({ length: 4 }, () => service.newAccount({ credits: 1_000 })))
  const messages: { account: TestAccount; id: number; codes: string[] }[] = []
  for (const account of accounts) {
    for (let index = 0; index < 3; index++) {
      messages.push({ account, ...(await sendLinked(service, account, { count: 40 })) })
    }
  }
  let isOver = false
  const moving = (async () => {
    // As settling does: recipients first, then their messages, in order.
    while (!isOver) {
      await service.pool.begin(async (database) => {
        await database`
          select from recipients where message_id % 2 = 0 order by account_id, message_id, position for no key update
        `
        await database`update recipients set state = state where message_id % 2 = 0`
        await database`select id from messages order by account_id, id for no key update`
        await database`update messages set sent_count = sent_count`
      })
      await sleep(5)
    }
  })()
  await Promise.all(messages.flatMap(({ codes }) => codes.map((code) => openLink(service.url, `/s/${code}`))))
  for (const { account, id } of messages) await untilClicked(account, id, 40, 20_000)
  isOver = true
  await moving
  const [row] = await service.pool<[{ count: number }]>`select count(*) from recipients where clicked_at is not null`
  assert.equal(row.count, 12 * 40)
})

test('a click belongs to the account of its link, and another account sees nothing of it', async (t) => {
  const service = await startService(t)
  const [ours, theirs] = [await service.newAccount({ credits: 10 }), await service.newAccount({ credits: 10 })]
  for (const account of [ours, theirs]) await account.expect(200).get('/events')
  const [mine, other] = [await sendLinked(service, ours), await sendLinked(service, theirs)]
  await openLink(service.url, `/s/${mine.codes[0]}`)
  await untilClicked(ours, mine.id, 1)
  await untilSettled(service)
  assert.equal((await readMessage(theirs, other.id)).clicked, 0)
  await toldClicks(ours, 1)
  await toldClicks(theirs, 0)
  await theirs.expect(404).get(`/messages/${mine.id}`)
})

test('nobody who did not ask for events gets any written for them', async (t) => {
  const service = await startService(t)
  const { id, codes } = await sendLinked(service, service.operator)
  await openLink(service.url, `/s/${codes[0]}`)
  await untilClicked(service.operator, id, 1)
  assert.equal((await service.pool`select from events`).length, 0)
})

test('robots and previews are led to the same place and not counted; the person after them is', async (t) => {
  const service = await startService(t)
  const { operator, url } = service
  const { id, codes } = await sendLinked(service, operator)
  const path = `/s/${codes[0]}`
  const { 'user-agent': _agent, ...nameless } = PHONE
  for (const robot of [
    { method: 'HEAD' },
    ROBOT,
    { headers: nameless },
    { headers: { ...PHONE, 'sec-purpose': 'prefetch;prerender' } },
    { headers: { ...PHONE, 'x-purpose': 'preview' } }
  ]) {
    const answer = await openLink(url, path, robot)
    assert.deepEqual([answer.status, answer.location], [302, TARGET])
  }
  await untilSettled(service)
  assert.equal((await readMessage(operator, id)).clicked, 0)
  assert.equal(await readMetric(url, 'chappe_clicks_total{by="robot"}'), 5)
  await openLink(url, path)
  await untilClicked(operator, id, 1)
})

test('an odd browser that sends no language counts; a scanner that goes through a list does not', async (t) => {
  const service = await startService(t, { settings: { CHAPPE_TRUSTED_PROXIES: '127.0.0.1' } })
  const { operator } = service
  const { id, codes } = await sendLinked(service, operator, { count: 40 })
  const { 'accept-language': _language, ...wordless } = PHONE
  const as = (headers: Record<string, string>, address: string) => ({
    headers: { ...headers, 'x-forwarded-for': address }
  })
  await openLink(service.url, `/s/${codes[0]}`, as(wordless, '81.2.69.1'))
  await untilClicked(operator, id, 1)
  // Its first nine can't be told from people.
  for (const code of codes.slice(1)) await openLink(service.url, `/s/${code}`, as(wordless, '81.2.69.2'))
  await untilSettled(service)
  const clicked = (await readMessage(operator, id)).clicked
  assert.ok(clicked <= 10, `${clicked} were counted`)
  await openLink(service.url, `/s/${codes[39]}`, as(PHONE, '81.2.69.3'))
  await untilClicked(operator, id, clicked + 1)
})

test('a scanner is recognized on a host whose clock is minutes off', async (t) => {
  const service = await startService(t, { settings: { CHAPPE_TRUSTED_PROXIES: '127.0.0.1' } })
  const { operator } = service
  const { id, codes } = await sendLinked(service, operator, { count: 40 })
  const { 'accept-language': _language, ...wordless } = PHONE
  const scanner = { headers: { ...wordless, 'x-forwarded-for': '81.2.69.2' } }
  const behind = () => Promise.resolve([{ ms: Date.now() - 300_000 }])
  // Again and again: the service reads the right time now and then.
  const timer = setInterval(() => readDatabaseClock(behind as unknown as Sql), 1)
  await sleep(50)
  try {
    for (const code of codes) await openLink(service.url, `/s/${code}`, scanner)
    await untilSettled(service)
  } finally {
    clearInterval(timer)
    await readDatabaseClock(service.pool)
  }
  const { clicked } = await readMessage(operator, id)
  assert.ok(clicked <= 10, `${clicked} were counted`)
})

test('many phones behind one address of their carrier are all counted', async (t) => {
  const service = await startService(t, { settings: { CHAPPE_TRUSTED_PROXIES: '127.0.0.1' } })
  const { id, codes } = await sendLinked(service, service.operator, { count: 50 })
  const headers = { ...PHONE, 'x-forwarded-for': '81.2.69.142' }
  await Promise.all(codes.map((code) => openLink(service.url, `/s/${code}`, { headers })))
  await untilClicked(service.operator, id, 50)
})

test('what opens every link of a message in the moment it leaves is no person, from the first one on', async (t) => {
  const service = await startService(t, { settings: { CHAPPE_TRUSTED_PROXIES: '127.0.0.1' } })
  const { operator, url } = service
  const { id, codes } = await sendLinked(service, operator, { count: 20, sentAt: new Date(Date.now() + 1_000) })
  const from = (address: string) => ({ headers: { ...PHONE, 'x-forwarded-for': address } })
  for (const code of codes) await openLink(url, `/s/${code}`, from('81.2.69.142'))
  // Somebody is quick, and alone: that is put off too, and then counted.
  const quick = await sendLinked(service, operator, { count: 1, sentAt: new Date(Date.now() - 1_000) })
  await openLink(url, `/s/${quick.codes[0]}`, from('81.2.69.143'))
  await eventually(async () => assert.ok((await readMetric(url, 'chappe_clicks_waiting')) > 0))
  await untilClicked(operator, quick.id, 1, 20_000)
  await untilSettled(service)
  assert.equal((await readMessage(operator, id)).clicked, 0)
  assert.equal(await readMetric(url, 'chappe_clicks_total{by="robot"}'), 20)

  await service.pool`update recipients set sent_at = now() - interval '1 minute'`
  await openLink(url, `/s/${codes[7]}`, from('81.2.69.144'))
  await untilClicked(operator, id, 1)
})

test('a link that all share counts each visitor once, tells no number, and never more than there are recipients', async (t) => {
  const service = await startService(t, { settings: { CHAPPE_TRUSTED_PROXIES: '127.0.0.1' } })
  const { operator, url } = service
  await operator.expect(200).get('/events')
  const { id, codes } = await sendLinked(service, operator, { count: 3, mode: 'common' })
  const visit = (address: string, agent = PHONE['user-agent']) =>
    openLink(url, `/s/${codes[0]}`, { headers: { ...PHONE, 'user-agent': agent, 'x-forwarded-for': address } })

  assert.equal((await visit('81.2.69.1')).location, TARGET)
  for (let index = 0; index < 5; index++) await visit('81.2.69.1')
  await untilClicked(operator, id, 1)
  // Somebody else's phone behind the same address.
  await visit('81.2.69.1', 'Mozilla/5.0 (Android 14; Mobile; rv:127.0) Gecko/127.0 Firefox/127.0')
  await untilClicked(operator, id, 2)
  await openLink(url, `/s/${codes[0]}`, ROBOT)
  await Promise.all(Array.from({ length: 20 }, (_, index) => visit(`81.2.70.${index}`)))
  await untilClicked(operator, id, 3)
  await untilSettled(service)
  assert.equal((await readMessage(operator, id)).clicked, 3)
  const events = await toldClicks(operator, 3)
  assert.deepEqual(
    events.map(({ message_id, recipient, url }) => ({ message_id, recipient, url })),
    Array.from({ length: 3 }, () => ({ message_id: id, recipient: '', url: TARGET }))
  )
  // Nothing of an address is left, and nobody knows who of the recipients it was.
  const visitors = await service.pool<{ visitor: Buffer }[]>`select visitor from link_visitors`
  assert.ok(visitors.length >= 3 && visitors.every(({ visitor }) => visitor.length === 16))
  assert.ok((await readRecipients(operator, id)).length === 3)
  const [row] = await service.pool<[{ count: number }]>`select count(*) from recipients where clicked_at is not null`
  assert.equal(row.count, 0)
})

test('while the database can’t be written, links are opened and clicks wait', async (t) => {
  const service = await startService(t)
  const { operator, url } = service
  const { id, codes } = await sendLinked(service, operator, { count: 30 })
  const held = await holdTable(service.pool, 'recipients')
  for (const code of codes) assert.equal((await openLink(url, `/s/${code}`)).status, 302)
  assert.equal(await readMetric(url, 'chappe_clicks_waiting'), 30)
  await held.release()
  await untilClicked(operator, id, 30)
  assert.equal(await readMetric(url, 'chappe_clicks_lost_total'), 0)
})

test('a statement that is broken off is tried again', async (t) => {
  const service = await startService(t)
  const { operator, url, pool } = service
  const { id, codes } = await sendLinked(service, operator, { count: 5 })
  const held = await holdTable(pool, 'recipients')
  for (const code of codes) await openLink(url, `/s/${code}`)
  await eventually(async () => {
    const broken = await pool`
      select pg_terminate_backend(pid) from pg_stat_activity
      where application_name like '%links' and wait_event_type = 'Lock' and datname = current_database()
    `
    assert.equal(broken.length, 1)
  })
  await held.release()
  await untilClicked(operator, id, 5)
})

test('a stop counts what is still to be counted', async (t) => {
  const service = await startService(t)
  const peer = await service.startPeer(t)
  const { id, codes } = await sendLinked(service, service.operator, { count: 50 })
  const soon = await sendLinked(service, service.operator, { sentAt: null })
  await Promise.all([...codes, ...soon.codes].map((code) => openLink(peer.url, `/s/${code}`)))
  await peer.stop()
  assert.equal((await readMessage(service.operator, id)).clicked, 50)
  // One that was put off is decided with what is known.
  assert.equal((await readMessage(service.operator, soon.id)).clicked, 1)
})

test('a click on the link of a number that was erased is counted and tells no number', async (t) => {
  const service = await startService(t)
  const { operator } = service
  await operator.expect(200).get('/events')
  const { id, codes } = await sendLinked(service, operator)
  await service.pool`update recipients set phone = ''`
  await openLink(service.url, `/s/${codes[0]}`)
  await untilClicked(operator, id, 1)
  assert.equal((await toldClicks(operator, 1))[0]?.recipient, '')
})

test('links and what is known of visitors go when their time is over, a little at a time', async (t) => {
  const service = await startService(t, { settings: { CHAPPE_RETENTION_DAYS: '30' } })
  const { operator, pool } = service
  const { codes } = await sendLinked(service, operator, { count: 2 })
  const shared = await sendLinked(service, operator, { mode: 'common' })
  await openLink(service.url, `/s/${shared.codes[0]}`)
  await untilClicked(operator, shared.id, 1)
  await pool`update short_links set created_at = now() - interval '31 days' where code <> ${codes[1] ?? ''}`
  await pool`update link_visitors set created_at = now() - interval '31 days'`
  assert.equal((await openLink(service.url, `/s/${codes[0]}`)).status, 404)
  assert.equal((await openLink(service.url, `/s/${codes[1]}`)).status, 302)
  // It cleans when it starts.
  await service.startPeer(t, { settings: { CHAPPE_RETENTION_DAYS: '30' } })
  await eventually(async () => {
    const left = await pool<{ code: string }[]>`select code from short_links`
    assert.deepEqual(
      left.map(({ code }) => code),
      [codes[1]]
    )
    assert.equal((await pool`select from link_visitors`).length, 0)
  })
})

test('of more clicks than can wait, the first ones are kept; a stop does not wait for ever', async (t) => {
  const service = await startService(t)
  const { id, codes } = await sendLinked(service, service.operator, { count: 1 })
  const pool = connect({ url: service.databaseUrl, applicationName: 'clicks', connectionsMax: 1 })
  atEnd(t, () => pool.close(0))
  const metrics = createLinkMetrics(new Registry())
  let lost = 0
  metrics.onLost = (count) => {
    lost += count
  }
  const said: string[] = []
  const log = pino({ level: 'error' }, { write: (line) => void said.push(line) })
  const clicks = new Clicks({ pool, openings: createOpenings(), log, metrics })
  const held = await holdTable(service.pool, 'recipients')
  const [link] = await listLinksOfAnyAccount(service.pool, { codes, days: 1 })
  assert.ok(link)
  const click = { link, at: Date.now(), hasLanguage: true, network: undefined, visitor: '', isLate: false }
  clicks.add(click)
  await eventually(async () => {
    const [row] = await service.pool<[{ count: number }]>`
      select count(*) from pg_stat_activity where application_name = 'clicks' and wait_event_type = 'Lock'
    `
    assert.equal(row.count, 1)
  })
  for (let index = 0; index < 100_500; index++) clicks.add(click)
  assert.equal(lost, 500)
  const startedAt = Date.now()
  await clicks.stop()
  assert.ok(Date.now() - startedAt < 8_000)
  assert.match(said.join(''), /"clicks":100001.*clicks could not be counted before the stop/)
  await held.release()
  await untilClicked(service.operator, id, 1)
})

// A process of its own, on a database that outlives it.
test('killed with -9, a process loses at most the clicks of a moment, and no count is wrong', async (t) => {
  const service = await startService(t)
  const { operator, pool, databaseUrl } = service
  await operator.expect(200).get('/events')
  const { id, codes } = await sendLinked(service, operator, { count: 400 })
  const port = await startProxy(t, join(databaseUrl.socketFolder, `.s.PGSQL.${SOCKET_PORT}`))
  const child = startProcess(t, {
    DATABASE_URL: `postgres://${databaseUrl.user}@127.0.0.1:${port}/${databaseUrl.database}`,
    CHAPPE_DATA: await newDataFolder(t),
    CHAPPE_ROLES: 'api',
    CHAPPE_ADMIN_EMAIL: OPERATOR.email,
    CHAPPE_ADMIN_PASSWORD: OPERATOR.password
  })
  const url = await child.url
  const open = (list: string[]) => Promise.all(list.map((code) => openLink(url, `/s/${code}`)))
  await open(codes.slice(0, 200))
  await untilClicked(operator, id, 200)
  const answers = await open(codes.slice(200))
  child.child.kill('SIGKILL')
  await child.exit
  assert.ok(answers.every(({ status }) => status === 302))

  const [row] = await pool<[{ count: number }]>`select count(*) from recipients where clicked_at is not null`
  assert.ok(row.count >= 200 && row.count <= 400)
  assert.equal((await readMessage(operator, id)).clicked, row.count)
  await toldClicks(operator, row.count)
  t.diagnostic(`${400 - row.count} of 200 were lost`)
  await Promise.all(codes.map((code) => openLink(service.url, `/s/${code}`)))
  await untilClicked(operator, id, 400)
  await toldClicks(operator, 400)
})

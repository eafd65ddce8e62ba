import { strict as assert } from 'node:assert'
import { eventually } from '../../test/checks/eventually.ts'
import { assertLedgerHolds } from '../../test/checks/ledger.ts'
import { overtake } from '../../test/database/overtake.ts'
import { untilWaiting } from '../../test/database/waiting.ts'
import { openLink, TARGET, untilClicked, untilSettled } from '../../test/messages/links.ts'
import { mobiles, readRecipients, send, untilSummary } from '../../test/messages/sending.ts'
import { startService, type TestAccount, type TestService, test } from '../../test/service/service.ts'
import { deleteOldTrials } from './trials.store.ts'

const BY_HAND = { name: 'Soldes', decide_by: 'hand' }
const BY_REPLIES = { name: 'Soldes', decide_by: 'replies', decide_after_minutes: 60 }
const AB = [{ sms: { content: 'A #prenom#' } }, { sms: { content: 'B #prenom#' } }]
const LATER = new Date(Date.now() + 3_600_000).toISOString()

async function newList(account: TestAccount, phones: readonly string[]): Promise<number> {
  const { id } = (await account.expect(200).post('/contactlists', { name: 'Clients' })).body
  const contacts = phones.map((tel) => ({ tel, champ_prenom: `P${tel.slice(-2)}` }))
  if (contacts.length > 0) await account.expect(200).post('/contacts', { contactlist_id: id, contacts })
  return id
}

const newTrial = async (account: TestAccount, fields: object) =>
  (await account.expect(200).post('/trials', { variants: AB, ...fields })).body
const readTrial = async (account: TestAccount, id: number) => (await account.expect(200).get(`/trials/${id}`)).body
const credits = async (account: TestAccount) => (await account.expect(200).get('/users/credits')).body[0].credits
const isDue = ({ pool }: TestService) =>
  pool`update trials set due_at = now() - interval '1 second' where due_at is not null`
/** As if carriers had taken all of it: this process has none. */
const leave = ({ pool }: TestService) => pool`update messages set sent_count = recipients_count, waiting_count = 0`
const untilState = (account: TestAccount, id: number, state: string) =>
  eventually(async () => {
    const trial = await readTrial(account, id)
    assert.equal(trial.state, state)
    return trial
  })

interface Written {
  messageId: number
  phone: string
  content: string
}
const written = ({ pool }: TestService): Promise<Written[]> =>
  pool<Written[]>`select message_id, phone, content from recipients order by phone`

async function assertNothingStored({ pool }: TestService): Promise<void> {
  const [row] = await pool`
    select (select count(*) from trials) + (select count(*) from trial_people) + (select count(*) from messages) as rows`
  assert.equal(row?.rows, 0)
}

test('variants are sent to their share, the rest waits for the choice by hand, and everybody gets one message', async (t) => {
  const service = await startService(t)
  const account = await service.newAccount({ credits: 30 })
  const phones = mobiles(20)
  const list = await newList(account, [...phones, '0612', phones[3] ?? ''])
  const input = { ...BY_HAND, share: 40, contactlist: [list] }
  const trial = await newTrial(account, input)
  assert.deepEqual(
    [trial.state, trial.decides_at, trial.labels, trial.rest.recipients],
    ['testing', null, ['A', 'B'], 12]
  )
  assert.deepEqual(
    trial.variants.map(({ recipients, rate, chance }: Record<string, unknown>) => [recipients, rate, chance]),
    [
      [4, null, null],
      [4, null, null]
    ]
  )
  assert.equal(await credits(account), 22)
  const [a, b] = trial.variants.map(({ message_id }: { message_id: number }) => message_id)
  assert.equal((await account.expect(200).get(`/messages/${a}`)).body.name, 'Soldes – A')
  const tested = (await written(service)).map(({ phone }) => phone)
  const waiting = phones.filter((phone) => !tested.includes(phone))
  // One of the rest opts out, and one is erased.
  const [stopped = '', erased = ''] = waiting
  await account.expect(200).post('/stops', { recipient: stopped })
  await account.expect(200).delete(`/contacts/by-number/${encodeURIComponent(erased)}`)

  await account.expect(400).put(`/trials/${trial.id}/choose`, {})
  await account.expect(400).put(`/trials/${trial.id}/choose`, { variant: 'C' })
  const { body: chosen } = await account.expect(200).put(`/trials/${trial.id}/choose`, { variant: 'B' })
  assert.deepEqual([chosen.state, chosen.winner, chosen.choice.by_hand], ['chosen', 'B', true])
  assert.deepEqual([chosen.choice.certainty, chosen.choice.summary], [null, 'B was chosen by hand.'])
  const all = await written(service)
  assert.equal(new Set(all.map(({ phone }) => phone)).size, all.length)
  assert.deepEqual(
    all.map(({ phone }) => phone),
    phones.filter((phone) => phone !== stopped && phone !== erased)
  )
  for (const { messageId, phone, content } of all) {
    assert.equal(content, `${messageId === a ? 'A' : 'B'} P${phone.slice(-2)}`)
    assert.ok([a, b, chosen.rest.message_id].includes(messageId))
  }
  assert.equal((await account.expect(200).get(`/messages/${chosen.rest.message_id}`)).body.name, 'Soldes')
  assert.equal(await credits(account), 12)
  await account.expect(409).put(`/trials/${trial.id}/choose`, { variant: 'A' })
  await account.expect(409).put(`/trials/${trial.id}/cancel`)
  assert.equal((await service.pool`select from trial_people`).length, 0)
  assert.equal((await account.expect(200).get('/trials')).body.items[0].winner, 'B')
  assert.equal((await service.pool`select from audit_entries where object_kind = 'trial'`).length, 2)
  await assertLedgerHolds(service.pool)
})

test('a dry run tells the price of all of it, and stores nothing', async (t) => {
  const service = await startService(t)
  const account = await service.newAccount({ credits: 5 })
  const list = await newList(account, mobiles(10))
  const variants = [{ sms: { content: 'Court' } }, { label: 'Long', sms: { content: 'x'.repeat(200) } }]
  const input = { ...BY_HAND, share: 20, contactlist: [list], variants }
  const { body } = await account.expect(200).post('/trials?resumeBefore=true', input)
  assert.deepEqual(
    [body.credits_required, body.credits_remaining, body.credits_missing, body.recipients_count, body.doublons],
    [19, 5, 14, 10, 0]
  )
  assert.deepEqual(
    body.variants.map(({ label, credits_required, rest_credits }: Record<string, unknown>) => [
      label,
      credits_required,
      rest_credits
    ]),
    [
      ['A', 1, 8],
      ['Long', 2, 16]
    ]
  )
  assert.deepEqual(body.rest, { recipients_count: 8, credits_min: 8, credits_max: 16 })
  const { body: refused } = await account.expect(402).post('/trials', input)
  assert.equal(refused.code, 'insufficient_credits')
  await account.expect(402).post('/trials', { ...input, scheduleAt: LATER })
  await assertNothingStored(service)
})

test('bad input, and what belongs to another account, is refused with its path and changes nothing', async (t) => {
  const service = await startService(t)
  const [account, other] = [await service.newAccount({ credits: 50 }), await service.newAccount({ credits: 50 })]
  const list = await newList(account, mobiles(5))
  const good = { ...BY_REPLIES, contactlist: [list], variants: AB }
  const sms = { content: 'Bonjour' }
  const link = { mode: 'unique', url: 'https://shop.example' }
  const cases: [body: object, path: string][] = [
    [{ ...good, contactlist: undefined }, 'segments'],
    [{ ...good, decide_after_minutes: undefined }, 'decide_after_minutes'],
    [{ ...good, decide_by: 'hand' }, 'decide_after_minutes'],
    [{ ...good, decide_after_minutes: 1 }, 'decide_after_minutes'],
    [{ ...good, decide_by: 'luck' }, 'decide_by'],
    [{ ...good, share: 101 }, 'share'],
    [{ ...good, name: '' }, 'name'],
    [{ ...good, scheduleAt: 'soon' }, 'scheduleAt'],
    [{ ...good, variants: [{ sms }] }, 'variants'],
    [{ ...good, variants: [{ sms }, {}] }, 'variants[1].sms'],
    [{ ...good, variants: [{ sms }, { sms: {} }] }, 'variants[1].sms.content'],
    [{ ...good, variants: [{ sms }, { sms, rcs: { type: 'text' } }] }, 'variants[1].rcs'],
    [{ ...good, variants: [{ sms }, { rcs: { type: 'text', data: { text: 'Hi' } } }] }, 'variants[1].rcs'],
    [{ ...good, variants: [{ sms }, { sms: { ...sms, category: 'marketing' } }] }, 'variants[1].sms.category'],
    [{ ...good, variants: [{ sms }, { sms: { content: '#pointure#' } }] }, 'variants[1].sms.content'],
    [{ ...good, variants: [{ sms }, { sms: { ...sms, sender: '!!!' } }] }, 'variants[1].sms.sender'],
    [{ ...good, variants: [{ sms }, { sms: { ...sms, spread: {} } }] }, 'variants[1].sms.spread'],
    [{ ...good, variants: [{ label: 'B', sms }, { sms }] }, 'variants[1].label'],
    [
      { ...good, decide_by: 'clicks', variants: [{ sms: { ...sms, shorturl: link } }, { sms }] },
      'variants[1].sms.shorturl'
    ],
    [{ ...good, contactlist: [await newList(account, mobiles(1))] }, 'contactlist'],
    [{ ...good, contactlist: [await newList(account, ['12'])] }, 'contactlist']
  ]
  for (const [body, path] of cases) {
    const { body: refused } = await account.expect(400).post('/trials', body)
    const paths = refused.details.map((detail: { path: string }) => detail.path)
    assert.ok(paths.includes(path), `${JSON.stringify(refused)} has no ${path}`)
  }
  await account.expect(404).post('/trials', { ...good, contactlist: [999_999] })
  await account.expect(404).post('/trials', { ...good, segments: [999_999] })
  await account.expect(404).post('/trials', { ...good, variants: [{ sms }, { sms: { model_id: 999_999 } }] })
  await other.expect(404).post('/trials', good)
  await assertNothingStored(service)
  const { id } = await newTrial(account, good)
  await other.expect(404).get(`/trials/${id}`)
  await other.expect(404).put(`/trials/${id}/choose`, { variant: 'A' })
  await other.expect(404).put(`/trials/${id}/cancel`)
  assert.equal((await other.expect(200).get('/trials')).body.items.length, 0)
  assert.equal((await readTrial(account, id)).state, 'testing')
})

test('after its time the service sends the variant with more replies to the rest, and says how sure that is', async (t) => {
  const service = await startService(t, { settings: { CHAPPE_ROLES: 'api,delivery' } })
  const account = await service.newAccount({ credits: 40 })
  const list = await newList(account, mobiles(10))
  const trial = await newTrial(account, { ...BY_REPLIES, share: 60, contactlist: [list] })
  assert.ok(Date.parse(trial.decides_at) > Date.now() + 50 * 60_000)
  const [a, b] = trial.variants.map(({ message_id }: { message_id: number }) => message_id)
  for (const id of [a, b]) await untilSummary(account, id, { delivered: 3 }, { withinMs: 60_000 })
  const ofB = (await written(service)).filter(({ messageId }) => messageId === b)
  for (const { phone } of ofB.slice(1)) {
    await account.expect(200).post(`/sandbox/phones/${encodeURIComponent(phone)}/replies`, { content: 'Oui' })
  }
  await eventually(async () => assert.equal((await readTrial(account, trial.id)).variants[1].replied, 2))
  await isDue(service)
  const chosen = await untilState(account, trial.id, 'chosen')
  assert.deepEqual([chosen.winner, chosen.choice.by_hand, chosen.choice.certainty], ['B', false, 'too_few'])
  assert.match(chosen.choice.summary, /A 0 of 3, B 2 of 3\. .* 9\d %\. The figures are too small to tell\./)
  const [first, second] = chosen.choice.figures
  assert.deepEqual([first.rate, second.rate.toFixed(2), second.delivered], [0, '0.67', 3])
  await untilSummary(account, chosen.rest.message_id, { delivered: 4 }, { withinMs: 60_000 })
  const all = await written(service)
  assert.equal(new Set(all.map(({ phone }) => phone)).size, 10)
  for (const { messageId, content } of all) assert.equal(content[0], messageId === a ? 'A' : 'B')
  assert.equal(await credits(account), 30)
  await assertLedgerHolds(service.pool)
})

test('people who open the tracked link decide a trial, and robots do not', async (t) => {
  const service = await startService(t)
  const account = await service.newAccount({ credits: 40 })
  const list = await newList(account, mobiles(12))
  const shorturl = { mode: 'unique', url: TARGET }
  const variants = ['A', 'B'].map((content) => ({ sms: { content: `${content} #SHORTURL#`, shorturl } }))
  const decision = { decide_by: 'clicks', decide_after_minutes: 60 }
  const trial = await newTrial(account, { name: 'Soldes', ...decision, share: 50, contactlist: [list], variants })
  const [a, b] = trial.variants.map(({ message_id }: { message_id: number }) => message_id)
  await leave(service)
  await service.pool`update recipients set sent_at = now() - interval '1 hour'`
  const textsOf = async (id: number) =>
    ((await readRecipients(account, id)) as unknown as { content: string }[]).map(({ content }) => content)
  const pathsOf = async (id: number) =>
    (await textsOf(id)).map((text) => /\/s\/[0-9A-Za-z]{10}/.exec(text)?.[0] ?? assert.fail(text))
  for (const path of await pathsOf(a)) await openLink(service.url, path, { method: 'HEAD' })
  for (const path of (await pathsOf(b)).slice(1)) {
    assert.equal((await openLink(service.url, path)).location, TARGET)
  }
  await untilClicked(account, b, 2)
  await untilSettled(service)
  await isDue(service)
  const chosen = await untilState(account, trial.id, 'chosen')
  assert.deepEqual([chosen.winner, chosen.choice.by_hand], ['B', false])
  assert.match(chosen.choice.summary, /^B was chosen by clicks\. People who clicked: A 0 of 3, B 2 of 3\./)
  const rest = await textsOf(chosen.rest.message_id)
  assert.equal(rest.length, 6)
  assert.ok(rest.every((text) => text.startsWith('B http')))
  assert.equal(await credits(account), 28)
  await assertLedgerHolds(service.pool)
})

test('two processes and people who choose or cancel at once decide a trial once', async (t) => {
  const service = await startService(t, { settings: { CHAPPE_ROLES: 'api,delivery' } })
  await service.startPeer(t)
  const account = await service.newAccount({ credits: 200 })
  const list = await newList(account, mobiles(6))
  const trials = []
  for (let count = 0; count < 6; count++)
    trials.push(await newTrial(account, { ...BY_REPLIES, share: 40, contactlist: [list] }))
  assert.equal(await credits(account), 200 - 6 * 2)
  await eventually(
    async () => assert.equal((await service.pool`select from messages where waiting_count > 0`).length, 0),
    {
      withinMs: 60_000
    }
  )
  await isDue(service)
  // The workers decide the first three alone, and people run against them and each other on the others.
  const answers = await Promise.all(
    trials
      .slice(3)
      .flatMap(({ id }) => [
        account.put(`/trials/${id}/choose`, { variant: 'A' }),
        account.put(`/trials/${id}/choose`, {}),
        account.put(`/trials/${id}/cancel`)
      ])
  )
  for (const { status } of answers) assert.ok(status === 200 || status === 409, `${status}`)
  let sent = 0
  for (const [index, { id }] of trials.entries()) {
    const trial = await eventually(async () => {
      const trial = await readTrial(account, id)
      assert.notEqual(trial.state, 'testing')
      return trial
    })
    const isChosen = trial.state === 'chosen'
    assert.ok(isChosen || index >= 3)
    assert.equal(trial.rest.message_id !== null, isChosen)
    sent += isChosen ? 1 : 0
    const accepted = answers.slice((index - 3) * 3, (index - 3) * 3 + 3).filter(({ status }) => status === 200).length
    assert.ok(index < 3 || accepted <= 1)
  }
  const [row] = await service.pool`select count(*) as messages from messages where name = 'Soldes'`
  assert.equal(row?.messages, sent)
  assert.equal((await service.pool`select from trial_people`).length, 0)
  await assertLedgerHolds(service.pool)
  assert.equal(await credits(account), 200 - 6 * 2 - sent * 4)
})

test('a choice that is refused says why, waits for a person, and can be made again; a paused variant holds it', async (t) => {
  const service = await startService(t)
  const account = await service.newAccount({ credits: 10 })
  const list = await newList(account, mobiles(10))
  const { id, variants } = await newTrial(account, { ...BY_REPLIES, contactlist: [list] })
  await isDue(service)
  await eventually(async () => assert.ok(Date.parse((await readTrial(account, id)).decides_at) > Date.now()))
  await leave(service)
  await send(account, { recipients: mobiles(3, '+336121') })
  await isDue(service)
  const refused = await eventually(async () => {
    const trial = await readTrial(account, id)
    assert.match(trial.problem ?? '', /8 SMS credits; the balance is 5/)
    return trial
  })
  assert.deepEqual([refused.state, refused.decides_at, refused.choice], ['testing', null, null])
  await account.expect(402).put(`/trials/${id}/choose`, {})
  await service.operator.expect(200).put(`/accounts/${account.id}/credits`, { credits: 3, msgType: 1 })
  const { body: chosen } = await account.expect(200).put(`/trials/${id}/choose`, {})
  assert.deepEqual([chosen.state, chosen.problem, chosen.winner], ['chosen', null, 'A'])
  assert.match(chosen.choice.summary, /The best are equal, and the first of them was taken\./)
  assert.equal(chosen.variants[0].message_id, variants[0].message_id)
  assert.equal(await credits(account), 0)
  await assertLedgerHolds(service.pool)
})

test('old trials are removed after their people, and those that begin later stay', async (t) => {
  const service = await startService(t)
  const account = await service.newAccount({ credits: 20 })
  const list = await newList(account, mobiles(6))
  await newTrial(account, { ...BY_HAND, share: 50, contactlist: [list] })
  await newTrial(account, { ...BY_HAND, contactlist: [list], scheduleAt: LATER })
  const remove = () => deleteOldTrials(service.pool, { days: 0, limit: 2 })
  assert.deepEqual([await remove(), await remove(), await remove(), await remove()], [2, 1, 1, 0])
  assert.equal((await account.expect(200).get('/trials')).body.items[0].state, 'scheduled')
})

test('a trial is kept from its beginning on, and until its time to choose has come', async (t) => {
  const service = await startService(t)
  const { pool } = service
  const account = await service.newAccount({ credits: 20 })
  const list = await newList(account, mobiles(6))
  // Made long ago, to begin today.
  const { id } = await newTrial(account, { ...BY_HAND, share: 50, contactlist: [list] })
  await pool`update trials set created_at = now() - interval '60 days'`
  const remove = () => deleteOldTrials(pool, { days: 30, limit: 100 })
  assert.equal(await remove(), 0)
  assert.equal((await readTrial(account, id)).state, 'testing')
  // Its choice comes after the time for which results are kept.
  await pool`update trials set begun_at = now() - interval '31 days', due_at = now() + interval '1 day'`
  assert.equal(await remove(), 0)
  assert.equal((await pool`select from trial_people`).length, 3, 'the rest waits')
  await pool`update trials set due_at = null`
  assert.deepEqual([await remove(), await remove(), await remove()], [3, 1, 0])
})

test('a cancel of a trial waits for all of its variants before it gives credits back', async (t) => {
  const service = await startService(t, { settings: { CHAPPE_ROLES: 'api' } })
  const { pool } = service
  const account = await service.newAccount({ credits: 20 })
  const list = await newList(account, mobiles(10))
  const { id, variants } = await newTrial(account, { ...BY_HAND, share: 100, contactlist: [list] })
  const last = variants[1].message_id
  const { promise: answered, resolve: answer } = Promise.withResolvers<unknown>()
  // As delivery settles an outcome: the message, then the balance.
  await pool.begin(async (database) => {
    await database`select from messages where id = ${last} for no key update`
    answer(account.expect(200).put(`/trials/${id}/cancel`))
    await untilWaiting(pool, 1)
    await database`select from credit_balances where account_id = ${account.id} for update nowait`
  })
  await answered
  assert.equal(await credits(account), 20)
  await assertLedgerHolds(pool)
})

test('a beginning that fails does not bring forward the choice of a trial that another process has begun meanwhile', async (t) => {
  const service = await startService(t)
  const account = await service.newAccount({ credits: 20 })
  const list = await newList(account, mobiles(4))
  const { id } = await newTrial(account, { ...BY_REPLIES, scheduleAt: LATER, contactlist: [list] })
  await overtake(service, {
    begin: () => isDue(service),
    statement: () => service.pool`update trials set state = 'testing', due_at = ${LATER}::timestamptz`.execute()
  })
  assert.equal((await readTrial(account, id)).decides_at, LATER)
})

test('a scheduled trial finds its people when it begins, a cancelled one sends nothing more, and one that cannot begin says why', async (t) => {
  const service = await startService(t)
  const account = await service.newAccount({ credits: 20 })
  const list = await newList(account, [])
  const input = { ...BY_HAND, scheduleAt: LATER, contactlist: [list], share: 100 }
  const rcs = (text: string) => ({ rcs: { type: 'text', data: { text } } })
  const first = await newTrial(account, { ...input, variants: [rcs('Un'), rcs('Deux'), rcs('Trois')] })
  assert.deepEqual([first.state, first.channel, first.begins_at], ['scheduled', 'rcs', LATER])
  const second = await newTrial(account, input)
  const third = await newTrial(account, input)
  await account.expect(409).put(`/trials/${first.id}/choose`, { variant: 'A' })
  assert.equal((await account.expect(200).put(`/trials/${third.id}/cancel`)).body.state, 'cancelled')
  const contacts = mobiles(7).map((tel) => ({ tel }))
  await account.expect(200).post('/contacts', { contactlist_id: list, contacts })
  await service.pool`update trials set due_at = now() where id = ${first.id}`
  const begun = await untilState(account, first.id, 'testing')
  assert.deepEqual(
    begun.variants.map(({ recipients }: { recipients: number }) => recipients),
    [3, 2, 2]
  )
  const { body: cancelled } = await account.expect(200).put(`/trials/${first.id}/cancel`)
  assert.deepEqual([cancelled.state, cancelled.variants[0].counted], ['cancelled', 0])
  await eventually(async () => {
    const { body } = await account.expect(200).get('/users/credits')
    assert.deepEqual([body[0].credits, body[1].credits], [20, 20])
  })
  await account.expect(200).delete(`/contactlists/${list}`)
  await isDue(service)
  assert.match((await untilState(account, second.id, 'failed')).problem, /list/)
  assert.equal((await readTrial(account, third.id)).state, 'cancelled')
  await assertLedgerHolds(service.pool)
})

test('a trial whose whole rest opted out is decided all the same, by its time or by hand, and writes to nobody', async (t) => {
  const service = await startService(t)
  const account = await service.newAccount({ credits: 20 })
  const phones = mobiles(4)
  const list = await newList(account, phones)
  const byTime = await newTrial(account, { ...BY_REPLIES, share: 50, contactlist: [list] })
  const byHand = await newTrial(account, { ...BY_HAND, share: 50, contactlist: [list] })
  const stored = await written(service)
  for (const recipient of phones) await account.expect(200).post('/stops', { recipient })
  await leave(service)
  await isDue(service)
  const { body } = await account.expect(200).put(`/trials/${byHand.id}/choose`, { variant: 'B' })
  for (const trial of [body, await untilState(account, byTime.id, 'chosen')]) {
    assert.deepEqual([trial.state, trial.problem, trial.rest], ['chosen', null, { recipients: 2, message_id: null }])
  }
  assert.equal((await written(service)).length, stored.length)
  assert.equal((await service.pool`select from trial_people`).length, 0)
  await assertLedgerHolds(service.pool)
})

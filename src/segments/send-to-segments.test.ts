import { strict as assert } from 'node:assert'
import type { Pool } from '../../src/database/database.ts'
import { eventually } from '../../test/checks/eventually.ts'
import { assertLedgerHolds } from '../../test/checks/ledger.ts'
import { end, take } from '../../test/messages/old-messages.ts'
import { startService, type TestAccount, test } from '../../test/service/service.ts'
import { countGroups } from '../results/count-groups.ts'
import { foldFigures } from '../stats/fold-figures.ts'

const LATER = new Date(Date.now() + 30 * 86_400_000).toISOString()
const [ANNA, BEN, CLEO, DIDI] = ['+33639980001', '+33639980002', '+33639980003', '+33639980004'] as const

async function newList(account: TestAccount, contacts: Record<string, string>[]): Promise<number> {
  const { id } = (await account.expect(200).post('/contactlists', { name: 'Clients' })).body
  if (contacts.length > 0) await account.expect(200).post('/contacts', { contactlist_id: id, contacts })
  return id
}

async function newSegment(account: TestAccount, rules: Record<string, unknown>[], match = 'all'): Promise<number> {
  return (await account.expect(200).post('/segments', { name: 'Segment', match, rules })).body.id
}

const inList = (list_id: number, op = 'in') => ({ type: 'list', op, list_id })

const textsOf = async (pool: Pool, messageId: number) =>
  (
    await pool<{ phone: string; content: string | null }[]>`
      select phone, content from recipients where message_id = ${messageId} order by phone
    `
  ).map(({ phone, content }) => [phone, content])

const creditsOf = async (account: TestAccount): Promise<number> =>
  (await account.expect(200).get('/users/credits')).body[0].credits

const isDue = (pool: Pool) => pool`update departures set due_at = now()`

test('a send to a segment goes to each person once, with the fields of the list that the segment asks for', async (t) => {
  const { newAccount, pool } = await startService(t)
  const [account, stranger] = [await newAccount({ credits: 100 }), await newAccount({ credits: 100 })]
  const other = await newList(account, [
    { tel: ANNA, champ_prenom: 'Old' },
    { tel: CLEO, champ_prenom: 'Cleo' }
  ])
  const a = await newList(account, [
    { tel: ANNA, champ_prenom: 'Anna' },
    { tel: BEN, champ_prenom: 'Ben' },
    { tel: CLEO, champ_prenom: 'C' }
  ])
  const b = await newList(account, [{ tel: BEN }, { tel: DIDI, champ_prenom: 'Didi' }])
  const segment = await newSegment(account, [inList(a), inList(b, 'not_in')])
  const send = { segments: [segment], content: 'Bonjour #prenom#' }

  const path = '/messages/sms/contactlist'
  const { body: dry } = await account.expect(200).post(`${path}?resumeBefore=true`, send)
  assert.deepEqual([dry.recipients_count, dry.credits_required, dry.doublons], [2, 2, 0])
  const { body: sent } = await account.expect(200).post(path, send)
  assert.deepEqual([sent.recipients_count, sent.credits_used], [2, 2])
  assert.deepEqual(await textsOf(pool, sent.message_id), [
    [ANNA, 'Bonjour Anna'],
    [CLEO, 'Bonjour C']
  ])
  // Beside lists, and another segment: whoever comes again is dropped.
  const everybody = await newSegment(account, [inList(b), inList(other)], 'any')
  const both = { ...send, contactlist: [a], segments: [segment, everybody, segment] }
  const { body: more } = await account.expect(200).post(path, both, { 'idempotency-key': 'once' })
  assert.deepEqual([more.recipients_count, more.doublons], [4, 5])
  assert.deepEqual((await account.expect(200).post(path, both, { 'idempotency-key': 'once' })).body, more)

  const rcs = { type: 'text', data: { text: 'Bonjour #prenom#' }, segments: [segment] }
  const shown = {
    ...rcs,
    contacts: [
      { recipient: DIDI, prenom: 'D' },
      { recipient: ANNA, prenom: 'A' }
    ]
  }
  const { body: card } = await account.expect(200).post('/messages/rcs?resumeBefore=true', shown)
  assert.deepEqual([card.recipients_count, card.doublons], [3, 1])
  await account.expect(400).post('/messages/rcs', { ...shown, scheduleAt: LATER })

  await account.expect(400).post(path, { content: 'Bonjour' })
  await account.expect(404).post(path, { ...send, segments: [segment, 999_999] })
  await stranger.expect(404).post(path, send)
  await stranger.expect(404).post('/messages/rcs', rcs)
  const nobody = await newSegment(account, [{ type: 'field', field: 'champ_ville', op: 'is', value: 'Lyon' }])
  const { body: empty } = await account.expect(400).post(path, { ...send, segments: [nobody] })
  assert.match(empty.error, /nobody fits the segment|no recipient defines/)
  await account.expect(200).delete(`/contactlists/${b}`)
  const { body: gone } = await account.expect(409).post(path, send)
  assert.match(gone.error, /rules\[1\]\.list_id names contact list/)
  assert.equal(await creditsOf(account), 100 - 2 - 4)
  await assertLedgerHolds(pool)
})

test('a scheduled send to a segment finds its people and takes its credits when it departs', async (t) => {
  const { newAccount, pool } = await startService(t)
  const account = await newAccount({ credits: 10 })
  const list = await newList(account, [
    { tel: ANNA, champ_prenom: 'Anna' },
    { tel: BEN, champ_prenom: 'Ben' }
  ])
  const segment = await newSegment(account, [inList(list), { type: 'field', field: 'champ_ville', op: 'empty' }])
  const template = (
    await account.expect(200).post('/models', { name: 'T', content: 'Bonjour #prenom#', sender: 'CHAPPE' })
  ).body
  const send = { segments: [segment], model_id: template.id, scheduleAt: LATER, external_id: 'one' }
  const { body: sent } = await account.expect(200).post('/messages/sms/contactlist', send)
  assert.deepEqual([sent.recipients_count, sent.credits_used, sent.credits_remaining], [2, 0, 10])
  assert.match(sent.message, /Its people are found when it departs/)
  await account.expect(409).post('/messages/sms/contactlist', send)
  const id = sent.message_id
  const { body: waiting } = await account.expect(200).get(`/messages/${id}`)
  assert.deepEqual([waiting.state, waiting.recipients_count], ['scheduled', 0])
  assert.deepEqual((await account.expect(200).get(`/messages/${id}/departure`)).body, {
    due_at: LATER,
    segments: [segment],
    problem: null
  })
  const { body: inUse } = await account.expect(409).delete(`/segments/${segment}`)
  assert.match(inUse.error, new RegExp(`Message ${id} is scheduled to this segment`))

  // What changes until then counts, except the template.
  await account.expect(200).put(`/models/${template.id}`, { content: 'Adieu' })
  await account.expect(200).post('/contacts', {
    contactlist_id: list,
    contacts: [
      { tel: BEN, champ_ville: 'Lyon' },
      { tel: CLEO, champ_prenom: 'Cleo' },
      { tel: DIDI, champ_prenom: 'Didi' }
    ]
  })
  await isDue(pool)
  await eventually(async () => {
    const { body } = await account.expect(200).get(`/messages/${id}`)
    assert.deepEqual([body.state, body.recipients_count], ['sending', 3])
  })
  assert.deepEqual(await textsOf(pool, id), [
    [ANNA, 'Bonjour Anna'],
    [CLEO, 'Bonjour Cleo'],
    [DIDI, 'Bonjour Didi']
  ])
  assert.equal(await creditsOf(account), 7)
  await account.expect(404).get(`/messages/${id}/departure`)
  // Frozen: nobody comes or goes any more.
  await account.expect(200).delete(`/contactlists/${list}`)
  await account.expect(200).delete(`/segments/${segment}`)
  assert.equal((await textsOf(pool, id)).length, 3)
  await account.expect(200).put(`/messages/${id}/cancel`)
  assert.equal(await creditsOf(account), 10)
  await assertLedgerHolds(pool)
})

test('a departure that is refused makes the message failed and says why; a cancelled one never departs', async (t) => {
  const { newAccount, pool } = await startService(t)
  const account = await newAccount({ credits: 2 })
  const list = await newList(account, [{ tel: ANNA }, { tel: BEN }])
  const [poor, broken, cancelled] = [
    await newSegment(account, [inList(list)]),
    await newSegment(account, [inList(await newList(account, [{ tel: CLEO }]))]),
    await newSegment(account, [inList(list)])
  ]
  // Nobody fits it yet.
  const empty = await newSegment(account, [{ type: 'field', field: 'champ_ville', op: 'is', value: 'Lyon' }])
  const ids: number[] = []
  for (const segment of [poor, broken, cancelled, empty]) {
    const send = { segments: [segment], content: 'Bonjour', scheduleAt: LATER }
    ids.push((await account.expect(200).post('/messages/sms/contactlist', send)).body.message_id)
  }
  await account.expect(200).post('/contacts', { contactlist_id: list, contacts: [{ tel: DIDI }] })
  const { body: segmentRead } = await account.expect(200).get(`/segments/${broken}`)
  await account.expect(200).delete(`/contactlists/${segmentRead.rules[0].list_id}`)
  const { body: gone } = await account.expect(200).put(`/messages/${ids[2]}/cancel`)
  assert.equal(gone.state, 'cancelled')
  await account.expect(409).put(`/messages/${ids[2]}/cancel`)
  await account.expect(200).delete(`/segments/${cancelled}`)
  await isDue(pool)
  const reasons = [
    /This takes 3 SMS credits; the balance is 2/,
    /names contact list/,
    undefined,
    /nobody fits the segment/
  ]
  for (const [index, reason] of reasons.entries()) {
    if (!reason) continue
    await eventually(async () => {
      assert.equal((await account.expect(200).get(`/messages/${ids[index]}`)).body.state, 'failed')
    })
    assert.match((await account.expect(200).get(`/messages/${ids[index]}/departure`)).body.problem, reason)
  }
  assert.equal((await account.expect(200).get(`/messages/${ids[2]}`)).body.state, 'cancelled')
  assert.equal((await pool`select from recipients`).length, 0)
  assert.equal(await creditsOf(account), 2)
  await assertLedgerHolds(pool)
})

test('the proof of a message to segments has the consents of its departure', async (t) => {
  const { newAccount, pool } = await startService(t)
  const account = await newAccount({ credits: 10 })
  const consent = (recipient: string) => account.expect(200).post('/consents', { consents: [{ recipient }] })
  await account.expect(200).put('/users/me', { settings: { consent: 'enforce' } })
  const list = await newList(account, [{ tel: ANNA }, { tel: BEN }, { tel: CLEO }])
  const send = { segments: [await newSegment(account, [inList(list)])], content: 'Soldes', category: 'marketing' }
  await consent(ANNA)
  const { body: sent } = await account.expect(200).post('/messages/sms/contactlist', { ...send, scheduleAt: LATER })
  assert.deepEqual([sent.recipients_count, sent.no_consent], [1, 2])

  await consent(BEN)
  await isDue(pool)
  const proofs = async () => (await account.expect(200).get(`/messages/${sent.message_id}/consents`)).body
  await eventually(async () => assert.equal((await proofs()).length, 2))
  await consent(CLEO)
  assert.deepEqual(
    (await proofs()).map((proof: Record<string, unknown>) => [proof.recipient, typeof proof.consent_id]),
    [
      [ANNA, 'number'],
      [BEN, 'number']
    ]
  )
})

test('two processes depart each message once, and a cancel beside a departure refunds all of it', async (t) => {
  const service = await startService(t)
  await service.startPeer(t)
  const { newAccount, pool } = service
  const account = await newAccount({ credits: 1_000 })
  const contacts = Array.from({ length: 60 }, (_, index) => ({ tel: `+336399801${String(index).padStart(2, '0')}` }))
  const segment = await newSegment(account, [inList(await newList(account, contacts))])
  const send = { segments: [segment], content: 'Bonjour', scheduleAt: LATER }
  const ids = await Promise.all(
    Array.from(
      { length: 6 },
      async () => (await account.expect(200).post('/messages/sms/contactlist', send)).body.message_id
    )
  )
  await isDue(pool)
  // Half of them are cancelled before, while or after they depart.
  await Promise.all(ids.slice(0, 3).map((id) => account.expect(200).put(`/messages/${id}/cancel`)))
  await eventually(async () => assert.equal((await pool`select from departures`).length, 0))
  const states = await Promise.all(ids.map(async (id) => (await account.expect(200).get(`/messages/${id}`)).body.state))
  assert.deepEqual(states, ['cancelled', 'cancelled', 'cancelled', 'sending', 'sending', 'sending'])
  assert.equal(await creditsOf(account), 1_000 - 3 * 60)
  for (const id of ids.slice(3)) assert.equal((await textsOf(pool, id)).length, 60)
  await assertLedgerHolds(pool)
})

test('a paused message does not depart, departs after a resume, and can be cancelled or changed meanwhile', async (t) => {
  const { newAccount, pool } = await startService(t)
  const account = await newAccount({ credits: 20 })
  const segment = await newSegment(account, [inList(await newList(account, [{ tel: ANNA }, { tel: BEN }]))])
  const send = { segments: [segment], content: 'Bonjour', scheduleAt: LATER }
  const post = async (changes = {}): Promise<number> =>
    (await account.expect(200).post('/messages/sms/contactlist', { ...send, ...changes })).body.message_id
  const put = async (id: number, act: 'pause' | 'resume' | 'cancel') =>
    (await account.expect(200).put(`/messages/${id}/${act}`)).body
  const read = async (id: number) => (await account.expect(200).get(`/messages/${id}`)).body
  const [held, early, cancelled, changed] = [await post(), await post(), await post(), await post()]
  for (const id of [held, early, cancelled, changed]) {
    const { state, paused_at: pausedAt, waiting, expiries } = await put(id, 'pause')
    assert.deepEqual([state, typeof pausedAt, waiting, expiries], ['scheduled', 'string', 0, []])
    await account.expect(409).put(`/messages/${id}/pause`)
  }
  // Resumed before its time, it waits for that.
  assert.equal((await put(early, 'resume')).paused_at, undefined)
  await account.expect(409).put(`/messages/${early}/resume`)
  const { state, paused_at: pausedAt } = await put(cancelled, 'cancel')
  assert.deepEqual([state, pausedAt], ['cancelled', undefined])
  await account.expect(409).put(`/messages/${cancelled}/resume`)
  const instead = await post({ replaces: changed, content: 'Bonsoir' })
  assert.deepEqual([(await read(changed)).state, (await read(instead)).paused_at], ['cancelled', undefined])
  await put(instead, 'cancel')

  await pool`update departures set due_at = now() where message_id = ${held}`
  const other = await post()
  await pool`update departures set due_at = now() where message_id = ${other}`
  // The paused one has been due for longer.
  await eventually(async () => assert.equal((await read(other)).state, 'sending'))
  assert.deepEqual([(await read(held)).state, (await read(held)).recipients_count], ['scheduled', 0])
  assert.equal(await creditsOf(account), 18)
  await put(held, 'resume')
  await eventually(async () => assert.equal((await read(held)).state, 'sending'))
  assert.deepEqual([(await read(early)).state, (await textsOf(pool, held)).length], ['scheduled', 2])
  assert.equal(await creditsOf(account), 16)
  await assertLedgerHolds(pool)
})

test('a message that departs long after its time has its results, once', async (t) => {
  const { newAccount, pool } = await startService(t)
  const account = await newAccount({ credits: 20 })
  const segment = await newSegment(account, [inList(await newList(account, [{ tel: ANNA }, { tel: BEN }]))])
  const send = { segments: [segment], content: 'Bonjour', scheduleAt: LATER }
  const { message_id: id } = (await account.expect(200).post('/messages/sms/contactlist', send)).body
  await account.expect(200).put(`/messages/${id}/pause`)
  await pool`update messages set scheduled_at = now() - interval '8 hours' where id = ${id}`
  await isDue(pool)
  const fold = async (hours: number) => {
    while ((await foldFigures(pool, { hours })).isMoreDue);
    await pool`update message_figures set count_at = now()`
    while ((await countGroups(pool)).isMoreDue);
  }
  await fold(6)
  await account.expect(200).put(`/messages/${id}/resume`)
  await eventually(async () => assert.equal((await textsOf(pool, id)).length, 2))
  await take(pool, id)
  await end(pool, id)
  for (const [hours, counted] of [
    [6, []],
    [0, [['FR', 2, 2, 2]]]
  ] as const) {
    await fold(hours)
    const { body: messages } = await account.expect(200).get('/stats/messages')
    assert.deepEqual(
      messages.items.map((row: Record<string, unknown>) => [row.message_id, row.recipients, row.sent, row.delivered]),
      [[id, 2, 2, 2]]
    )
    const { totals, countries } = (await account.expect(200).get('/stats/period')).body
    assert.deepEqual([totals.sent, totals.delivered, totals.credits], [2, 2, 2])
    assert.deepEqual(
      countries.map((row: Record<string, unknown>) => [row.country, row.recipients, row.sent, row.delivered]),
      counted
    )
  }
})

test('pauses beside departures of two processes: each message departs once, and nothing of a paused one is queued', async (t) => {
  const service = await startService(t)
  await service.startPeer(t)
  const { newAccount, pool } = service
  const account = await newAccount({ credits: 100 })
  const segment = await newSegment(account, [inList(await newList(account, [{ tel: ANNA }, { tel: BEN }]))])
  const send = { segments: [segment], content: 'Bonjour', scheduleAt: LATER }
  const ids = await Promise.all(
    Array.from(
      { length: 8 },
      async () => (await account.expect(200).post('/messages/sms/contactlist', send)).body.message_id
    )
  )
  await isDue(pool)
  await Promise.all(ids.map((id) => account.expect(200).put(`/messages/${id}/pause`)))
  // Each was paused before it departed, or after.
  const held = await pool`select message_id from departures where is_paused`
  const departed = await pool`select distinct message_id from recipients`
  assert.equal(held.length + departed.length, 8)
  assert.equal(await creditsOf(account), 100 - 2 * departed.length)
  await Promise.all(ids.map((id) => account.expect(200).put(`/messages/${id}/resume`)))
  await eventually(async () => assert.equal((await pool`select from departures`).length, 0))
  for (const id of ids) {
    const { body } = await account.expect(200).get(`/messages/${id}`)
    assert.deepEqual([body.state, body.paused_at, body.recipients_count], ['sending', undefined, 2])
  }
  assert.equal(await creditsOf(account), 100 - 16)
  await assertLedgerHolds(pool)
})

import { strict as assert } from 'node:assert'
import { eventually } from '../../test/checks/eventually.ts'
import { assertLedgerHolds } from '../../test/checks/ledger.ts'
import { age, end, take } from '../../test/messages/old-messages.ts'
import { mobiles, send } from '../../test/messages/sending.ts'
import { startService, type TestService, test } from '../../test/service/service.ts'
import { lockMessage } from '../messages/messages.store.ts'
import { IdForms } from '../receipts/id-forms.ts'
import { applyReceipts } from '../receipts/record-receipts.ts'
import { insertSteps, type Step } from '../recipients/timeline.store.ts'
import { recordReply } from '../replies/record-reply.ts'
import { createDropRanges } from './drop-ranges.ts'
import { createRemoveMessages } from './remove-messages.ts'

/** The service itself finds nothing that is old enough. */
const start = (t: Parameters<typeof startService>[0]) =>
  startService(t, { settings: { CHAPPE_RETENTION_DAYS: '3650' } })

/** The service looks for removals once after its start, then for an hour no more: this one is ended by that look. */
async function untilCleaned({ pool, operator }: TestService): Promise<void> {
  const removal = { account_id: operator.id, message_id: -1, recipients_count: 0, due_at: new Date(0) }
  await pool`insert into removals ${pool(removal)}`
  await eventually(async () => assert.equal((await pool`select from removals`).length, 0))
}

const DAYS = 400

/** Each is a process of its own: nothing is remembered from one to the next. */
const remover = ({ pool }: TestService) => createRemoveMessages(pool, { days: DAYS, graceSeconds: 0 })

async function removeAll(service: TestService): Promise<void> {
  const { hideOld, removeSlice } = remover(service)
  while ((await hideOld()).isMoreDue);
  while ((await removeSlice()).isMoreDue);
}

const idsLeft = async ({ pool }: TestService) =>
  (await pool<{ id: number }[]>`select id from messages order by id`).map(({ id }) => id)

const countOf = async ({ pool }: TestService, table: string) => (await pool`select from ${pool(table)}`).length

test('a message that has had its time is gone at once, and its recipients slice by slice, whatever dies in between', async (t) => {
  const service = await start(t)
  const { pool } = service
  const account = await service.newAccount({ credits: 10_000 })
  await untilCleaned(service)
  const old = await send(account, { recipients: mobiles(4_500), external_id: 'order 1' })
  const young = await send(account, { recipients: mobiles(2) })
  for (const id of [old, young]) {
    await take(pool, id)
    await end(pool, id)
  }
  const recipient = (await account.expect(200).get(`/messages/${old}/recipients/sms?limit=1`)).body.items[0].id
  await insertSteps(
    pool,
    [1, 4_500].map((position) => ({
      accountId: account.id,
      messageId: old,
      position,
      step: 'receipt',
      detail: 'ENROUTE',
      carrier: 'main'
    }))
  )
  const credits = (await account.expect(200).get('/users/credits')).body
  await age(pool, [old])

  await remover(service).hideOld()
  assert.equal(await countOf(service, 'recipients'), 4_502, 'all are still there')
  for (const path of ['', '/recipients/sms', '/recipients/sms/extract', `/recipients/${recipient}/timeline`]) {
    await account.expect(404).get(`/messages/${old}${path}`)
  }
  await account.expect(404).put(`/messages/${old}/cancel`)
  await account.expect(404).post(`/messages/${old}/resend`)
  const { body: history } = await account.expect(200).get('/messages')
  assert.deepEqual([history.meta.totalItems, history.items.map(({ id }: { id: number }) => id)], [1, [young]])

  const rows: number[] = []
  while ((await remover(service).removeSlice()).isMoreDue) rows.push(await countOf(service, 'recipients'))
  assert.deepEqual(rows, [2_502, 502, 2])
  for (const table of ['timeline_steps', 'removals']) assert.equal(await countOf(service, table), 0, table)
  assert.equal((await account.expect(200).get(`/messages/${young}/recipients/sms`)).body.meta.totalItems, 2)

  const again = { recipients: mobiles(1), content: 'Bonjour', external_id: 'order 1' }
  await account.expect(409).post('/messages/sms', again)
  assert.deepEqual((await account.expect(200).get('/users/credits')).body, credits)
  await assertLedgerHolds(pool)
})

test('the service removes messages and replies by itself, and keeps recipients a while for whoever is reading them', async (t) => {
  const service = await start(t)
  const account = await service.newAccount({ credits: 10 })
  const id = await send(account, { recipients: mobiles(3) })
  await take(service.pool, id)
  await end(service.pool, id)
  await recordReply(service.pool, { carrier: 'main', from: '33612000000', to: 'CHAPPE', text: 'Merci' })
  await service.pool`update replies set created_at = created_at - interval '31 days'`
  await age(service.pool, [id], { days: 31 })
  // It cleans when it starts.
  await service.startPeer(t, { settings: { CHAPPE_RETENTION_DAYS: '30' } })
  await eventually(() => account.expect(404).get(`/messages/${id}`))
  await eventually(async () => assert.equal(await countOf(service, 'replies'), 0))
  const { removeSlice } = createRemoveMessages(service.pool, { days: 30 })
  await removeSlice()
  assert.equal(await countOf(service, 'recipients'), 3)
  await service.pool`update removals set due_at = now()`
  await removeSlice()
  assert.equal(await countOf(service, 'recipients'), 0)
  assert.equal(await countOf(service, 'removals'), 1, 'there is a last look, for what was noted meanwhile')
  const late: Step = { step: 'late_receipt', detail: '', carrier: null }
  await insertSteps(service.pool, [{ accountId: account.id, messageId: id, position: 1, ...late }])
  await service.pool`update removals set due_at = now()`
  await removeSlice()
  for (const table of ['timeline_steps', 'removals']) assert.equal(await countOf(service, table), 0, table)
})

test('what is not over stays, however old it is, and goes when it is over', async (t) => {
  const service = await start(t)
  const { pool } = service
  const account = await service.newAccount({ credits: 100 })
  const newMessage = () => send(account, { recipients: mobiles(2) })
  const waiting = await newMessage()
  const awaited = await newMessage()
  await take(pool, awaited)
  const inQueue: number[] = []
  const tables = ['batches', 'doubts', 'rcs_waits', 'scheduled_messages']
  for (const _ of tables) {
    const id = await newMessage()
    await take(pool, id)
    await end(pool, id)
    inQueue.push(id)
  }
  const [batch = 0, doubt = 0, wait = 0, scheduled = 0] = inQueue
  const key = { account_id: account.id, position: 1, carrier: 'main' }
  const at = new Date()
  await pool`insert into batches ${pool({ account_id: account.id, message_id: batch, id: 1, lane: 0, due_at: at, positions: [1], route: '', expires_at: at })}`
  await pool`insert into doubts ${pool({ ...key, message_id: doubt, route: '', lane: 0, expires_at: at, submitted_at: at, due_at: at })}`
  await pool`insert into rcs_waits ${pool({ ...key, message_id: wait, step: 'report', due_at: at, expires_at: at, grace_seconds: 1 })}`
  await pool`insert into scheduled_messages ${pool({ account_id: account.id, message_id: scheduled, due_at: new Date(Date.now() + 1e9) })}`
  const unfolded = await newMessage()
  await take(pool, unfolded)
  await end(pool, unfolded)
  await age(pool, [waiting, awaited, ...inQueue])
  await pool`update messages set scheduled_at = now() - interval '401 days' where id = ${unfolded}`
  // Accepted long ago, and due a year later.
  const ahead = await newMessage()
  await take(pool, ahead)
  await end(pool, ahead)
  await pool`update messages set created_at = now() - interval '500 days', scheduled_at = now() - interval '150 days', is_folded = true where id = ${ahead}`

  const all = [waiting, awaited, ...inQueue, unfolded, ahead]
  await removeAll(service)
  assert.deepEqual(await idsLeft(service), all)

  await pool`update messages set is_folded = true where id = ${unfolded}`
  for (const table of tables) await pool`delete from ${pool(table)} where message_id = any(${inQueue})`
  await take(pool, waiting)
  for (const id of [waiting, awaited]) await end(pool, id)
  await removeAll(service)
  assert.deepEqual(await idsLeft(service), [ahead])
  assert.equal(await countOf(service, 'recipients'), 2)
  await assertLedgerHolds(pool)
})

test('links of a message that leaves later are kept from then on', async (t) => {
  const service = await start(t)
  const account = await service.newAccount({ credits: 10 })
  const scheduleAt = new Date(Date.now() + 300 * 86_400_000)
  for (const mode of ['unique', 'common']) {
    const shorturl = { mode, url: 'https://shop.example/' }
    await send(account, { recipients: mobiles(1), content: 'Voir', shorturl, scheduleAt: scheduleAt.toISOString() })
  }
  const links = await service.pool<{ createdAt: Date }[]>`select created_at from short_links`
  assert.deepEqual(
    links.map(({ createdAt }) => createdAt),
    [scheduleAt, scheduleAt]
  )
})

test('some that never end do not keep those behind them, nor other accounts, from going', async (t) => {
  const service = await start(t)
  const { pool } = service
  const accounts = [await service.newAccount(), await service.newAccount()]
  for (const { id } of accounts) {
    await pool`
      insert into messages (
        account_id, id, channel, category, state, content, sender, scheduled_at, recipients_count, segments_count,
        credits_required, waiting_count, delivered_count, is_folded
      )
      select ${id}, nextval('message_ids'), 'sms', 'transactional', case when n > 700 then 'sent' else 'sending' end, '', '',
        now() - interval '500 days' + n * interval '1 second', 1, 1, 1, (n <= 700)::integer, (n > 700)::integer, true
      from generate_series(1, 1300) as n
    `
    await pool`insert into message_counts values (${id}, 1300)`
  }
  await removeAll(service)
  for (const account of accounts) {
    assert.equal((await account.expect(200).get('/messages')).body.meta.totalItems, 700)
  }
  const left = await pool`select state, count(*)::integer as count from messages group by state`
  assert.deepEqual([...left], [{ state: 'sending', count: 1_400 }])
})

test('an extract that is overtaken by a removal breaks off; it never looks whole', async (t) => {
  const service = await start(t)
  const account = await service.newAccount({ credits: 1_000 })
  const id = await send(account, { recipients: mobiles(1_000) })
  const headers = { 'x-api-key': account.apiKey }
  const extract = async () =>
    (await (await fetch(`${service.url}/messages/${id}/recipients/sms/extract`, { headers })).json()) as unknown[]
  assert.equal((await extract()).length, 1_000)
  await service.pool`delete from recipients where message_id = ${id} and position > 700`
  await assert.rejects(extract)
  await account.expect(200).get('/users/me')
})

test('a message that somebody works on is left alone until later', async (t) => {
  const service = await start(t)
  const account = await service.newAccount({ credits: 10 })
  const id = await send(account, { recipients: mobiles(2) })
  await take(service.pool, id)
  await end(service.pool, id)
  await age(service.pool, [id])
  await service.pool.begin(async (database) => {
    await lockMessage(database, { accountId: account.id, id })
    await removeAll(service)
  })
  assert.deepEqual(await idsLeft(service), [id])
  await removeAll(service)
  assert.deepEqual(await idsLeft(service), [])
})

test('cancels and removals at once: every message ends one way, and the ledger holds', async (t) => {
  const service = await start(t)
  const { pool } = service
  const account = await service.newAccount({ credits: 100 })
  const ids: number[] = []
  for (let count = 0; count < 20; count++) {
    const scheduleAt = new Date(Date.now() + 86_400_000).toISOString()
    ids.push(await send(account, { recipients: mobiles(2), scheduleAt }))
  }
  await age(pool, ids)
  let isDone = false
  const removing = [0, 1].map(async () => {
    while (!isDone) await removeAll(service)
  })
  const answers = await Promise.all(ids.map((id) => account.put(`/messages/${id}/cancel`)))
  isDone = true
  await Promise.all(removing)
  assert.deepEqual(
    answers.map(({ status }) => status),
    ids.map(() => 200)
  )
  await removeAll(service)
  assert.deepEqual(await idsLeft(service), [])
  assert.equal((await account.expect(200).get('/messages')).body.meta.totalItems, 0)
  assert.equal((await account.expect(200).get('/users/credits')).body[0].credits, 100)
  assert.ok(!service.logLines.some((line) => line.includes('40P01')))
  await assertLedgerHolds(pool)
})

test('a receipt for a message that is gone matches nothing, also while its recipients are being removed', async (t) => {
  const service = await start(t)
  const { pool } = service
  const account = await service.newAccount({ credits: 10 })
  const id = await send(account, { recipients: mobiles(2) })
  await take(pool, id)
  await end(pool, id)
  await age(pool, [id])
  const receipt = (position: number) => ({
    carrier: 'main',
    carrierMessageId: `${id}-${position}`,
    state: 'failed' as const,
    word: 'UNDELIV',
    errorCode: '001',
    source: '',
    destination: 'CHAPPE',
    at: new Date()
  })
  const apply = () =>
    pool.begin((database) => applyReceipts(database, [receipt(1), receipt(2)], new IdForms(() => 'auto')))
  await remover(service).hideOld()
  await apply()
  await removeAll(service)
  assert.equal((await apply()).unmatched.length, 2)
  await removeAll(service)
  for (const table of ['recipients', 'timeline_steps', 'removals'])
    assert.equal(await countOf(service, table), 0, table)
})

/** As if the ids had left the first range of messages so many days ago. */
async function closeRange({ pool }: TestService, { days = 401 } = {}): Promise<void> {
  await pool`select setval('message_ids', 20_000)`
  await pool`
    update id_ranges
    set opened_at = now() - make_interval(days => ${days + 8}), closed_at = now() - make_interval(days => ${days})
    where kind = 'messages'
      and first_id = 0
  `
}

/** Whether the first range of messages is still there. The service itself opens the ranges to come. */
const isFirstRangeLeft = async ({ pool }: TestService) =>
  (await pool`select from id_ranges where kind = 'messages' and first_id = 0`).length === 1

test('a range is dropped with its removed messages, and messages that are not over are carried over whole', async (t) => {
  const service = await start(t)
  const { pool } = service
  const account = await service.newAccount({ credits: 100 })
  const newMessage = () => send(account, { recipients: mobiles(3) })
  const [over, waiting, erased] = [await newMessage(), await newMessage(), await newMessage()]
  for (const id of [over, erased]) {
    await take(pool, id)
    await end(pool, id)
  }
  const note: Step = { step: 'receipt', detail: 'ENROUTE', carrier: 'main' }
  await insertSteps(
    pool,
    [over, waiting].map((messageId) => ({ ...note, accountId: account.id, position: 2, messageId }))
  )
  await age(pool, [over, waiting, erased])
  await closeRange(service)
  const dropper = () => createDropRanges(pool, { days: DAYS, graceSeconds: 0 })
  await remover(service).hideOld()
  assert.deepEqual(await idsLeft(service), [waiting])
  assert.equal(await countOf(service, 'removals'), 0, 'their rows go with the range')
  assert.equal((await remover(service).removeSlice()).isMoreDue, false)
  assert.equal(await countOf(service, 'recipients'), 9)
  // A number is erased also where a removed message waits for the drop.
  await account.expect(200).delete(`/contacts/by-number/${mobiles(3)[0]}`)
  assert.equal((await pool`select from recipients where phone = '' and message_id <> ${waiting}`).length, 2)

  await dropper().dropOldest()
  assert.equal(await countOf(service, 'recipients'), 9, 'a first look only notes what is left')
  const patient = createDropRanges(pool, { days: DAYS })
  await patient.dropOldest()
  assert.equal(await countOf(service, 'recipients'), 9, 'readers have time to finish')
  await Promise.all([dropper().dropOldest(), dropper().dropOldest()])
  assert.equal(await isFirstRangeLeft(service), false)
  const left = await pool`select distinct tableoid::regclass::text as name, message_id from recipients`
  assert.deepEqual([...left], [{ name: 'recipients_default', messageId: waiting }])
  assert.equal(await countOf(service, 'recipients'), 3)
  assert.equal(await countOf(service, 'timeline_steps'), 1)
  assert.equal((await account.expect(200).get(`/messages/${waiting}/recipients/sms`)).body.meta.totalItems, 3)

  await take(pool, waiting)
  await end(pool, waiting)
  await age(pool, [waiting], { days: 1 })
  await removeAll(service)
  for (const table of ['recipients', 'timeline_steps', 'removals', 'messages']) {
    assert.equal(await countOf(service, table), 0, table)
  }
  await assertLedgerHolds(pool)
})

test('a range with too many messages that are not over stays, and the others leave it one by one', async (t) => {
  const service = await start(t)
  const { pool } = service
  const account = await service.newAccount({ credits: 100 })
  const [over, large] = [
    await send(account, { recipients: mobiles(3) }),
    await send(account, { recipients: mobiles(2) })
  ]
  await take(pool, over)
  await end(pool, over)
  await age(pool, [over, large])
  await pool`update messages set recipients_count = 30000, waiting_count = 30000 where id = ${large}`
  await closeRange(service)
  await remover(service).hideOld()
  const dropper = createDropRanges(pool, { days: DAYS, graceSeconds: 0 })
  while ((await dropper.dropOldest()).isMoreDue);
  assert.equal(await countOf(service, 'removals'), 1)
  await removeAll(service)
  assert.equal(await countOf(service, 'recipients'), 2)
  assert.equal(await isFirstRangeLeft(service), true)
  await pool`update messages set recipients_count = 2, waiting_count = 2 where id = ${large}`
  for (let look = 0; look < 2; look++) await dropper.dropOldest()
  assert.equal(await isFirstRangeLeft(service), false)
  assert.deepEqual([await idsLeft(service), await countOf(service, 'recipients')], [[large], 2])
})

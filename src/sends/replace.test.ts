import { strict as assert } from 'node:assert'
import { randomInt, randomUUID } from 'node:crypto'
import { assertLedgerHolds } from '../../test/checks/ledger.ts'
import { untilWaiting } from '../../test/database/waiting.ts'
import { mobiles, readMessage, send } from '../../test/messages/sending.ts'
import { startService, type TestAccount, test } from '../../test/service/service.ts'
import { claimBatches } from '../queue/claims.store.ts'
import { markSubmitting } from '../queue/marks.store.ts'
import { lockToSubmit } from '../queue/submit-locks.store.ts'
import { stopRecipients } from '../recipients/stop-recipients.ts'

const LATER = new Date(Date.now() + 3_600_000).toISOString()
const credits = async (account: TestAccount) => (await account.expect(200).get('/users/credits')).body[0].credits

test('a scheduled message is replaced at a new price: the difference is taken or given back, also with nothing left over', async (t) => {
  const { newAccount, pool } = await startService(t)
  const account = await newAccount({ credits: 60 })
  const first = await send(account, { recipients: mobiles(60), scheduleAt: LATER, external_id: 'sale' })
  assert.equal(await credits(account), 0)

  const cheaper = { recipients: mobiles(20), content: 'Moins', scheduleAt: LATER, replaces: first, external_id: 'sale' }
  const preview = (await account.expect(200).post('/messages/sms?resumeBefore=true', cheaper)).body
  assert.deepEqual([preview.credits_required, preview.credits_remaining, preview.credits_missing], [20, 60, 0])
  const { body } = await account.expect(200).post('/messages/sms', cheaper)
  const second = body.message_id
  assert.deepEqual([body.credits_used, body.credits_remaining, await credits(account)], [20, 40, 40])
  const [before, after] = [await readMessage(account, first), await readMessage(account, second)]
  assert.deepEqual([before.state, before.replaced_by, before.credits_refunded], ['cancelled', second, 60])
  assert.deepEqual([after.state, after.replaces, after.external_id], ['scheduled', first, 'sale'])
  const again = { recipients: mobiles(1), content: 'Hi', external_id: 'sale' }
  for (const repeat of [again, cheaper]) {
    assert.equal((await account.expect(409).post('/messages/sms', repeat)).body.code, 'external_id_already_processed')
  }
  const { external_id: _, ...unnamed } = cheaper
  assert.equal((await account.expect(409).post('/messages/sms', unnamed)).body.code, 'state_conflict')

  const dearer = { recipients: mobiles(61), content: 'Plus', scheduleAt: LATER, replaces: second }
  const refused = (await account.expect(402).post('/messages/sms', dearer)).body
  assert.equal(refused.code, 'insufficient_credits')
  assert.equal((await readMessage(account, second)).state, 'scheduled')
  const { body: last } = await account.expect(200).post('/messages/sms', { ...dearer, recipients: mobiles(60) })
  assert.equal(await credits(account), 0)

  await account.expect(409).post('/messages/sms', { ...dearer, recipients: mobiles(2) })
  await account.expect(404).post('/messages/sms', { ...dearer, replaces: 999 })
  const stranger = await newAccount({ credits: 10 })
  const theirs = { recipients: mobiles(1), content: 'Hi', replaces: last.message_id }
  await stranger.expect(404).post('/messages/sms', theirs)
  await stranger.expect(404).post('/messages/sms?resumeBefore=true', theirs)
  assert.equal((await readMessage(account, last.message_id)).state, 'scheduled')
  await assertLedgerHolds(pool)
})

test('credits that come back to another account pay for nothing', async (t) => {
  const { newAccount, pool } = await startService(t)
  const parent = await newAccount({ credits: 13 })
  const account = await parent.newSubAccount({ credits: 10 })
  const first = await send(account, { recipients: mobiles(10), scheduleAt: LATER })
  await parent.expect(200).put(`/subaccount/${account.id}/credits/mode`, { credits_mode: 'parent' })
  const second = { recipients: mobiles(5), content: 'Bonjour', scheduleAt: LATER, replaces: first }
  const preview = (await account.expect(200).post('/messages/sms?resumeBefore=true', second)).body
  assert.deepEqual([preview.credits_required, preview.credits_remaining, preview.credits_missing], [5, 3, 2])
  const { body: refused } = await account.expect(402).post('/messages/sms', second)
  assert.deepEqual(refused.details, [{ required: 5, remaining: 3, missing: 2 }])
  const { body: list } = await account.expect(200).post('/contactlists', { name: 'Clients' })
  await account.expect(200).post('/contacts', { contactlist_id: list.id, contacts: mobiles(5).map((tel) => ({ tel })) })
  const rules = [{ type: 'list', op: 'in', list_id: list.id }]
  const { body: segment } = await account.expect(200).post('/segments', { name: 'Clients', match: 'all', rules })
  const later = { segments: [segment.id], content: 'Bonjour', scheduleAt: LATER, replaces: first }
  await account.expect(402).post('/messages/sms/contactlist', later)
  assert.equal((await readMessage(account, first)).state, 'scheduled')
  await account.expect(200).post('/messages/sms', { ...second, recipients: mobiles(3) })
  assert.equal((await parent.expect(200).get(`/subaccount/${account.id}/credits`)).body[0].credits, 10)
  assert.equal(await credits(account), 0)
  await assertLedgerHolds(pool)
})

test('a change of the audience to a list, and of the channel to RCS, leaves nothing of the message before', async (t) => {
  const { newAccount, pool } = await startService(t)
  const account = await newAccount({ credits: 100 })
  const { body: list } = await account.expect(200).post('/contactlists', { name: 'Clients' })
  const contacts = mobiles(3).map((tel) => ({ tel, champ_prenom: 'Léa' }))
  await account.expect(200).post('/contacts', { contactlist_id: list.id, contacts })
  const first = await send(account, { recipients: mobiles(5), scheduleAt: LATER })
  const named = { content: 'Bonjour #prenom#', name: 'Fête', scheduleAt: LATER, replaces: first }
  const { body } = await account.expect(200).post('/messages/sms/contactlist', { contactlist: [list.id], ...named })
  const form = (await account.expect(200).get(`/messages/${body.message_id}/form`)).body
  assert.deepEqual(form, {
    kind: 'lists',
    fields: { content: 'Bonjour #prenom#', name: 'Fête', scheduleAt: LATER, contactlist: [list.id] },
    numbers: [],
    has_all_numbers: false
  })
  const rcs = { type: 'text', data: { text: 'Salut' }, scheduleAt: LATER, replaces: body.message_id }
  const people = mobiles(2).map((recipient) => ({ recipient }))
  const { body: last } = await account.expect(200).post('/messages/rcs', { contacts: people, ...rcs })
  const balances = (await account.expect(200).get('/users/credits')).body
  assert.deepEqual(
    balances.map(({ credits }: { credits: number }) => credits),
    [100, 98]
  )
  const rows = await pool<{ messageId: number }[]>`
    select distinct message_id from batches
    union
    select message_id from scheduled_messages
  `
  assert.deepEqual(
    rows.map(({ messageId }) => messageId),
    [last.message_id]
  )
  const rcsForm = (await account.expect(200).get(`/messages/${last.message_id}/form`)).body
  assert.deepEqual([rcsForm.kind, rcsForm.fields.data, rcsForm.numbers], ['rcs', { text: 'Salut' }, mobiles(2)])
  const single = await send(account, { recipients: mobiles(1) })
  assert.equal((await account.expect(200).get(`/messages/${single}/form`)).body.kind, null)
  await assertLedgerHolds(pool)
})

test('a change that waits for a batch that is leaving is refused, and changes nothing', async (t) => {
  const { newAccount, pool } = await startService(t)
  const account = await newAccount({ credits: 100 })
  const id = await send(account, { recipients: mobiles(20), scheduleAt: LATER })
  await pool`update batches set due_at = now(), is_ready = true`
  const claim = { token: randomUUID(), route: '', lane: 0, leaseSeconds: 30, afterAccountId: 0, exceptAccountIds: [] }
  const [batch] = await claimBatches(pool, claim)
  assert.ok(batch)
  const changed = { recipients: mobiles(2), content: 'Hi', scheduleAt: LATER, replaces: id }
  let answered: Promise<{ status: number }> | undefined
  await pool.begin(async (database) => {
    await lockToSubmit(database, [id])
    answered = account.post('/messages/sms', changed)
    await untilWaiting(pool, 1)
    const marks = [{ batch, positions: batch.positions }]
    await markSubmitting(database, { carrier: 'peer', leaseSeconds: 30, marks })
  })
  assert.equal((await answered)?.status, 409)
  const { state, summary } = await readMessage(account, id)
  assert.deepEqual([state, summary.waiting, await credits(account)], ['scheduled', 20, 80])
  await assertLedgerHolds(pool)
})

test('after any sequence of changes, pauses, resumes, cancels and STOPs, at the same instant too, the ledger is exact', async (t) => {
  const { newAccount, pool } = await startService(t)
  const account = await newAccount({ credits: 300 })
  let open = await Promise.all([1, 2, 3].map(() => send(account, { recipients: mobiles(20), scheduleAt: LATER })))
  for (let turn = 0; turn < 12; turn++) {
    const id = open[randomInt(open.length)] as number
    const change = (count: number) =>
      account.post('/messages/sms', { recipients: mobiles(count), content: 'Hi', scheduleAt: LATER, replaces: id })
    const acts = [
      () => change(randomInt(1, 120)),
      () => change(randomInt(1, 60)),
      () => account.put(`/messages/${id}/pause`),
      () => account.put(`/messages/${id}/resume`),
      () => account.post('/stops', { recipient: mobiles(60)[randomInt(60)] }),
      ...(turn === 11 ? [() => account.put(`/messages/${id}/cancel`)] : [])
    ]
    const two = [acts[randomInt(acts.length)], acts[randomInt(acts.length)]]
    const answers = await Promise.all(two.map((act) => act?.()))
    for (const answer of answers) assert.ok(answer && answer.status < 500, JSON.stringify(answer?.body))
    const rows = await pool<{ id: number }[]>`select id from messages where state = 'scheduled'`
    if (rows.length === 0) break
    open = rows.map(({ id }) => id)
  }
  const [held] = await pool<{ held: number }[]>`
    select coalesce(sum(credits_required - credits_refunded), 0)::bigint as held
    from messages
  `
  assert.equal(await credits(account), 300 - (held?.held ?? 0))
  await assertLedgerHolds(pool)
})

test('under a cap, the message that is replaced does not count, also after a STOP and in the dry run', async (t) => {
  const { newAccount, pool } = await startService(t)
  const account = await newAccount({ credits: 100 })
  await account.expect(200).put('/users/me', { settings: { marketing_cap: 1, marketing_cap_days: 7 } })
  const recipients = ['+33639982501', '+33639982502']
  const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString()
  const campaign = { recipients, content: 'Soldes', category: 'marketing', scheduleAt: inDays(20) }
  const { body: first } = await account.expect(200).post('/messages/sms', campaign)
  await pool.begin((database) =>
    stopRecipients(database, {
      phone: '+33639982501',
      conversations: [{ accountId: account.id, messageId: null }],
      way: 'reply'
    })
  )
  assert.equal((await account.expect(200).get(`/messages/${first.message_id}`)).body.summary.stopped, 1)
  const instead = { ...campaign, recipients: ['+33639982502'], scheduleAt: inDays(21), replaces: first.message_id }
  const { body: dry } = await account.expect(200).post('/messages/sms?resumeBefore=true', instead)
  assert.deepEqual([dry.recipients_count, dry.capped], [1, 0])
  const { body: second } = await account.expect(200).post('/messages/sms', instead)
  assert.deepEqual([second.recipients_count, second.capped], [1, 0])
  // The new one counts, until it is cancelled.
  await account.expect(400).post('/messages/sms', { ...campaign, recipients: ['+33639982502'] })
  await account.expect(200).put(`/messages/${second.message_id}/cancel`)
  await account.expect(200).post('/messages/sms', campaign)
})

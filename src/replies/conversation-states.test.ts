import { strict as assert } from 'node:assert'
import { untilWaiting } from '../../test/database/waiting.ts'
import { startService, type TestAccount, type TestService, test } from '../../test/service/service.ts'
import { deleteOldConversations } from './conversation-states.store.ts'
import { insertReply } from './replies.store.ts'

const [LEA, MAX] = ['+33639980001', '+33639980002'] as const

const write = (pool: TestService['pool'], accountId: number, phone: string, content = 'Bonjour') =>
  insertReply(pool, {
    accountId,
    messageId: null,
    phone,
    writtenTo: '36111',
    channel: 'sms',
    content,
    isStop: false
  })

const change = async (account: TestAccount, phone: string, body: object) =>
  (await account.expect(200).put(`/conversations/${encodeURIComponent(phone)}`, body)).body

const list = async (account: TestAccount, query = ''): Promise<string[]> =>
  (await account.expect(200).get(`/conversations?${query}`)).body.items.map(
    (item: { recipient: string }) => item.recipient
  )

test('a conversation is read, assigned and closed, and the next reply makes it unread and open again', async (t) => {
  const { newAccount, pool } = await startService(t)
  const account = await newAccount()
  await write(pool, account.id, MAX, 'Une question sur les HORAIRES')
  await write(pool, account.id, LEA)
  await write(pool, account.id, LEA, 'Encore moi')
  const [person] = (await account.expect(200).get('/people')).body
  assert.deepEqual(await list(account, 'unread=true'), [LEA, MAX])
  const changed = await change(account, LEA, { read: true, closed: true, assigned_to: person.id })
  assert.deepEqual(
    [changed.unread_count, changed.replies_count, changed.closed, changed.assigned_to],
    [0, 2, true, person.id]
  )
  assert.deepEqual(await list(account, 'unread=true'), [MAX])
  assert.deepEqual(await list(account, 'unread=false'), [LEA])
  assert.deepEqual(await list(account, 'closed=false'), [MAX])
  assert.deepEqual(await list(account, `closed=true&assigned_to=${person.id}`), [LEA])
  assert.deepEqual(await list(account, 'assigned_to=0'), [MAX])
  assert.deepEqual(await list(account, 'search=horaires'), [MAX])
  assert.deepEqual(await list(account, 'search=encore'), [LEA])
  assert.deepEqual(await list(account, 'search=06%2039%2098%2000%2002'), [MAX])
  assert.deepEqual(await list(account, 'search=nothing'), [])
  assert.deepEqual(await list(account, 'recipient=0639980002'), [MAX])
  assert.deepEqual(await list(account, 'recipient=%2B33639980001&closed=false'), [])
  assert.deepEqual(await list(account, 'recipient=nobody'), [])

  assert.equal((await change(account, LEA, { read: false })).unread_count, 1, 'the last one is unread again')
  assert.equal((await change(account, LEA, { read: true })).unread_count, 0)
  await write(pool, account.id, LEA, 'Et encore')
  const { body } = await account.expect(200).get('/conversations?limit=1')
  const [{ unread_count: unread, closed, assigned_to: assignedTo }] = body.items
  assert.deepEqual([unread, closed, assignedTo], [1, false, person.id], 'it stays with whom it was given to')
  assert.equal((await change(account, LEA, { assigned_to: null })).assigned_to, null)
  const acts = (await account.expect(200).get('/audit?operation=updateConversation')).body.items
  assert.equal(acts.length, 2, 'to have read is no act')
  assert.ok(!JSON.stringify(acts).includes('63998'), 'the trail does not hold the number')
})

test('what is wrong is said and changes nothing; another account has conversations of its own', async (t) => {
  const { newAccount, pool } = await startService(t)
  const [account, other] = [await newAccount(), await newAccount()]
  await write(pool, account.id, LEA)
  const [stranger] = (await other.expect(200).get('/people')).body
  await account.expect(404).put(`/conversations/${MAX}`, { closed: true })
  await other.expect(404).put(`/conversations/${LEA}`, { closed: true })
  await account.expect(400).put('/conversations/nobody', { closed: true })
  await account.expect(404).put(`/conversations/${LEA}`, { assigned_to: stranger.id })
  for (const wrong of [{ assigned_to: 'Léa' }, { read: 'perhaps' }, { closed: 3 }]) {
    await account.expect(400).put(`/conversations/${LEA}`, wrong)
  }
  await account.expect(400).get('/conversations?closed=perhaps')
  assert.deepEqual([...(await pool`select from conversation_states`)], [])
  await write(pool, other.id, LEA)
  await change(account, LEA, { closed: true })
  assert.deepEqual(await list(other, 'closed=true'), [])
})

test('an erasure takes the state of a conversation along, also one that is just being changed', async (t) => {
  const { newAccount, pool } = await startService(t)
  const account = await newAccount()
  const { id } = await write(pool, account.id, LEA)
  let erased: Promise<unknown> = Promise.resolve()
  // As a change does that has seen the reply and not written yet.
  await pool.begin(async (database) => {
    await database`select from replies where account_id = ${account.id} and id = ${id} for update`
    erased = account.expect(200).delete(`/contacts/by-number/${encodeURIComponent(LEA)}`)
    await untilWaiting(pool, 1)
    await database`insert into conversation_states (account_id, phone) values (${account.id}, ${LEA})`
  })
  await erased
  assert.deepEqual([...(await pool`select from conversation_states`)], [])
})

test('a person who left has no conversations; states go when the last reply has gone', async (t) => {
  const { newAccount, pool } = await startService(t)
  const account = await newAccount()
  await write(pool, account.id, LEA)
  const [person] = (await account.expect(200).get('/people')).body
  await change(account, LEA, { assigned_to: person.id })
  await pool`delete from memberships where account_id = ${account.id}`
  assert.deepEqual(await list(account, 'assigned_to=0'), [LEA])
  assert.equal(await deleteOldConversations(pool, { days: 0, limit: 10 }), 0)
  await pool`delete from replies`
  assert.equal(await deleteOldConversations(pool, { days: 0, limit: 10 }), 1)
})

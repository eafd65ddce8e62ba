import { strict as assert } from 'node:assert'
import { setTimeout as sleep } from 'node:timers/promises'
import { eventually } from '../../test/checks/eventually.ts'
import { assertLedgerHolds } from '../../test/checks/ledger.ts'
import { untilWaiting } from '../../test/database/waiting.ts'
import { startService, type TestAccount, test } from '../../test/service/service.ts'
import { MESSAGE_TYPES } from '../credits/credit.ts'
import { issueCredits } from '../credits/ledger.ts'
import type { Pool } from '../database/database.ts'
import { type SharedKey, takeKeys } from '../http/idempotency.ts'
import { insertAnswer } from '../http/idempotent-answers.store.ts'

/* Small sends with an Idempotency-Key share transactions with others, and keep every promise of a key. */

const phone = (index: number) => `+3363998${String(index).padStart(4, '0')}`
const toSend = (index: number) => ({ recipients: [phone(index)], content: 'Code 1234' })
const keyOf = (name: string) => ({ 'idempotency-key': name })
const post = (account: TestAccount, index: number, key = `key ${index}`) =>
  account.post('/messages/sms', toSend(index), keyOf(key))
const credits = async (account: TestAccount) => (await account.expect(200).get('/users/credits')).body[0].credits
const countMessages = async (pool: Pool) =>
  (await pool<[{ count: number }]>`select count(*) as count from messages`)[0].count
const indexes = (count: number) => Array.from({ length: count }, (_, index) => index)

test('small sends with keys share transactions, and each repeat gets its first answer byte for byte', async (t) => {
  const service = await startService(t)
  const peer = await service.startPeer(t)
  const account = await service.newAccount({ credits: 100 })
  const onPeer = peer.anonymous.as({ 'x-api-key': account.apiKey })
  // Two processes spend one balance: what an answer tells is known only when the balance is written.
  const firsts = await Promise.all(
    indexes(60).map((index) =>
      (index % 2 === 0 ? account : onPeer).expect(200).post('/messages/sms', toSend(index), keyOf(`key ${index}`))
    )
  )
  assert.deepEqual(
    firsts.map(({ body }) => body.credits_remaining).toSorted((a, b) => a - b),
    indexes(60).map((index) => 40 + index)
  )
  const [{ transactions }] = await service.pool<[{ transactions: number }]>`
    select count(distinct created_at) as transactions from idempotent_answers
  `
  assert.ok(transactions < 60, `${transactions} transactions`)
  for (const [index, first] of firsts.entries()) {
    const again = await onPeer.expect(200).post('/messages/sms', toSend(index), keyOf(`key ${index}`))
    assert.deepEqual([again.text, again.headers.get('idempotent-replayed')], [first.text, 'true'])
    assert.equal(again.headers.get('content-type'), first.headers.get('content-type'))
  }
  assert.equal(await countMessages(service.pool), 60)
  assert.equal(await credits(account), 40)
  await assertLedgerHolds(service.pool)
})

test('a send with a key wakes those that deliver after its commit, and not before', async (t) => {
  const { newAccount, pool } = await startService(t)
  const account = await newAccount({ credits: 2_000 })
  let signals = 0
  await pool.listen('chappe_queue', () => signals++)
  const campaign = { recipients: indexes(1_500).map(phone), content: 'Bonjour' }
  for (const [key, send] of Object.entries({ few: toSend(1), many: campaign })) {
    signals = 0
    let sending: ReturnType<typeof post> | undefined
    await pool.begin(async (database) => {
      await database`lock table idempotent_answers in share mode`
      sending = account.expect(200).post('/messages/sms', send, keyOf(key))
      await untilWaiting(pool, 1)
      // Signals leave up to 20 ms after their cause, and come in their order.
      await sleep(100)
      await pool.signal('chappe_queue')
      await eventually(() => assert.equal(signals, 1, `${key}: ours alone`))
    })
    await sending
    await eventually(() => assert.equal(signals, 2, key))
  }
})

test('a balance that changes right before the commit: the answer tells what is left, and so does its repeat', async (t) => {
  const { newAccount, pool } = await startService(t)
  const account = await newAccount({ credits: 10 })
  let sending: ReturnType<typeof post> | undefined
  await pool.begin(async (database) => {
    await database`select from credit_balances where account_id = ${account.id} for update`
    sending = post(account, 1)
    await untilWaiting(pool, 1)
    await issueCredits(database, { accountId: account.id, messageType: MESSAGE_TYPES.sms, amount: 5, reason: 'issue' })
  })
  const first = await sending
  assert.equal(first?.body.credits_remaining, 14)
  assert.equal((await post(account, 1)).text, first?.text)
  await assertLedgerHolds(pool)
})

test('with and without keys, SMS, dynamic SMS and RCS: the repeat of each is the same answer', async (t) => {
  const { newAccount, pool } = await startService(t)
  const account = await newAccount({ credits: 100 })
  const requests = [
    { path: '/messages/sms', body: toSend(1) },
    { path: '/messages', body: { ...toSend(2), message_type: 1 } },
    { path: '/messages/sms/dynamic', body: { recipients: [{ recipient: phone(3), name: 'Léa' }], content: '#name#' } },
    {
      path: '/messages/rcs',
      body: { contacts: [{ recipient: phone(4) }], type: 'text', data: { text: 'Bonjour' } }
    },
    { path: '/messages/sms?resumeBefore=true', body: toSend(5) }
  ]
  const ask = () =>
    Promise.all(requests.map(({ path, body }, index) => account.expect(200).post(path, body, keyOf(`any ${index}`))))
  const firsts = await ask()
  await Promise.all(indexes(5).map((index) => account.expect(200).post('/messages/sms', toSend(10 + index))))
  assert.deepEqual(
    (await ask()).map(({ text }) => text),
    firsts.map(({ text }) => text)
  )
  assert.equal(await countMessages(pool), 4 + 5)
})

test('in one group: a used key with another body, the same key of another account and a send without credits are judged alone', async (t) => {
  const { newAccount, operator, pool } = await startService(t)
  const [account, other, poor] = [
    await newAccount({ credits: 50 }),
    await newAccount({ credits: 50 }),
    await newAccount()
  ]
  const used = await account.expect(200).post('/messages/sms', toSend(0), keyOf('used'))
  // The first send of a group leaves at once; the others wait for it and leave together.
  const [fresh, foreign, changed, repeated, short, bad] = await Promise.all([
    Promise.all(indexes(10).map((index) => post(account, 10 + index))),
    post(other, 30, 'used'),
    post(account, 40, 'used'),
    post(account, 0, 'used'),
    post(poor, 50, 'poor'),
    account.post('/messages/sms', { recipients: ['12'], content: 'Code' }, keyOf('bad'))
  ])
  assert.deepEqual(new Set(fresh.map(({ status }) => status)), new Set([200]))
  assert.equal(foreign.status, 200)
  assert.notEqual(foreign.body.message_id, used.body.message_id)
  // Two requests with the key `used` come at once: the second may find the first one running.
  assert.deepEqual([changed.status, changed.body.code], [409, 'state_conflict'])
  assert.ok(repeated.status === 409 || repeated.text === used.text)
  assert.deepEqual([short.status, short.body.code], [402, 'insufficient_credits'])
  assert.equal(bad.status, 400)
  assert.equal(await countMessages(pool), 1 + 10 + 1)

  // What was refused is not kept.
  await operator.expect(200).put(`/accounts/${poor.id}/credits`, { credits: 5 })
  assert.equal((await post(poor, 50, 'poor')).status, 200)
  assert.equal((await post(account, 60, 'bad')).status, 200)
  const conflict = await post(account, 40, 'used')
  assert.deepEqual([conflict.status, conflict.body.code], [409, 'state_conflict'])
  assert.equal((await post(account, 0, 'used')).text, used.text)
  assert.deepEqual([await credits(account), await credits(other), await credits(poor)], [38, 49, 4])
  await assertLedgerHolds(pool)
})

test('two at once with one key send once: in one process, and in two', async (t) => {
  const service = await startService(t)
  const peer = await service.startPeer(t)
  const account = await service.newAccount({ credits: 100 })
  const onPeer = peer.anonymous.as({ 'x-api-key': account.apiKey })
  for (let round = 0; round < 10; round++) {
    const answers = await Promise.all(
      indexes(12).map((index) =>
        (index % 3 === 0 ? onPeer : account).post('/messages/sms', toSend(round), keyOf(`round ${round}`))
      )
    )
    const done = answers.filter(({ status }) => status === 200)
    assert.equal(done.filter(({ headers }) => headers.get('idempotent-replayed') === null).length, 1)
    assert.equal(new Set(done.map(({ text }) => text)).size, 1)
    for (const { status, body } of answers) {
      if (status !== 200) assert.deepEqual([status, body.code], [409, 'state_conflict'])
    }
  }
  assert.equal(await countMessages(service.pool), 10)
  assert.equal(await credits(account), 90)
  await assertLedgerHolds(service.pool)
})

test('of one key twice in one transaction, in two transactions, and with a stored answer, one is free', async (t) => {
  const { pool, operator } = await startService(t)
  const toKey = (name: string): SharedKey => {
    const id = { accountId: operator.id, keyHash: Buffer.from(name.padEnd(32)) }
    return { ...id, isFree: false, seal: () => ({ ...id, fingerprint: Buffer.alloc(32), answer: Buffer.alloc(1) }) }
  }
  const [first, second, other, elsewhere] = [toKey('same'), toKey('same'), toKey('other'), toKey('same')]
  await pool.begin(async (database) => {
    await takeKeys(database, [first, second, other])
    assert.deepEqual([first.isFree, second.isFree, other.isFree], [true, false, true])
    await pool.begin((database) => takeKeys(database, [elsewhere]))
    assert.equal(elsewhere.isFree, false)
    await insertAnswer(database, first.seal({}))
  })
  await pool.begin((database) => takeKeys(database, [first, other]))
  assert.deepEqual([first.isFree, other.isFree], [false, true])
})

test('credits that run out between two processes: as many keyed sends are accepted as can be paid, and a repeat tells the same', async (t) => {
  const service = await startService(t)
  const peer = await service.startPeer(t)
  const account = await service.newAccount({ credits: 7 })
  const onPeer = peer.anonymous.as({ 'x-api-key': account.apiKey })
  const ask = (index: number) =>
    (index % 2 === 0 ? account : onPeer).post('/messages/sms', toSend(index), keyOf(`key ${index}`))
  const answers = await Promise.all(indexes(50).map(ask))
  const paid = answers.flatMap(({ status, body, text }, index) => (status === 200 ? [{ index, body, text }] : []))
  assert.deepEqual(
    paid.map(({ body }) => body.credits_remaining).toSorted((a, b) => a - b),
    indexes(7)
  )
  for (const { status } of answers) assert.ok(status === 200 || status === 402, `${status}`)
  for (const { index, text } of paid) assert.equal((await ask(index)).text, text)
  assert.equal(await credits(account), 0)
  await assertLedgerHolds(service.pool)
})

test('a repeat is answered although the request would be refused by now', async (t) => {
  const { newAccount } = await startService(t)
  const account = await newAccount({ credits: 1 })
  const { body: template } = await account
    .expect(200)
    .post('/models', { name: 'code', content: 'Code 1234', sender: 'CHAPPE' })
  const body = { recipients: [phone(1)], model_id: template.id ?? template.model_id }
  const first = await account.expect(200).post('/messages/sms', body, keyOf('template'))
  await account.expect(200).delete(`/models/${body.model_id}`)
  await account.expect(200).post('/stops', { recipient: phone(1) })
  const again = await account.expect(200).post('/messages/sms', body, keyOf('template'))
  assert.equal(again.text, first.text)
  await account.expect(404).post('/messages/sms', body, keyOf('new'))
})

test('a transaction that is cut before its commit leaves nothing of any of its sends; their repeats send once', async (t) => {
  const { newAccount, pool } = await startService(t)
  const account = await newAccount({ credits: 20 })
  const held = Promise.withResolvers<void>()
  const holding = pool.begin(async (database) => {
    await database`select from credit_balances where account_id = ${account.id} for update`
    await held.promise
  })
  // Two groups run at once; both wait for the balance, in the same write as their commits.
  const cut = [post(account, 0)]
  await untilWaiting(pool, 1)
  cut.push(...indexes(7).map((index) => post(account, 1 + index)))
  await untilWaiting(pool, 2)
  await pool`
    select pg_terminate_backend(pid)
    from pg_stat_activity
    where wait_event_type = 'Lock' and datname = current_database()
  `
  held.resolve()
  await holding
  const answers = await Promise.all(cut)
  assert.ok(answers.some(({ status }) => status === 503))
  const stored = answers.filter(({ status }) => status === 200).length
  assert.equal(await countMessages(pool), stored)
  assert.equal((await pool`select from idempotent_answers`).length, stored)
  for (const [index, answer] of answers.entries()) {
    const again = await post(account, index)
    assert.equal(again.status, 200)
    if (answer.status === 200) assert.equal(again.text, answer.text)
  }
  assert.equal(await countMessages(pool), 8)
  assert.equal(await credits(account), 12)
  await assertLedgerHolds(pool)
})

test('a key of a small send lasts 24 hours', async (t) => {
  const { newAccount, pool } = await startService(t)
  const account = await newAccount({ credits: 5 })
  await account.expect(200).post('/messages/sms', toSend(1), keyOf('day'))
  await pool`update idempotent_answers set created_at = created_at - interval '24 hours 1 second'`
  const { headers } = await account.expect(200).post('/messages/sms', toSend(2), keyOf('day'))
  assert.equal(headers.get('idempotent-replayed'), null)
  const again = await account.expect(200).post('/messages/sms', toSend(2), keyOf('day'))
  assert.equal(again.headers.get('idempotent-replayed'), 'true')
  assert.equal(await countMessages(pool), 2)
})

import { strict as assert } from 'node:assert'
import { eventually } from '../../test/checks/eventually.ts'
import { assertLedgerHolds } from '../../test/checks/ledger.ts'
import { startService, type TestAccount, test } from '../../test/service/service.ts'
import { finishClosings } from '../closing/finish-closings.ts'
import type { Pool } from '../database/database.ts'
import { writeMail } from '../mail/kinds.ts'
import { deleteOldRequests } from './credit-requests.store.ts'

const MAIL = { CHAPPE_SMTP_URL: 'smtp://127.0.0.1:9', CHAPPE_MAIL_FROM: 'chappe@test.example' }

async function ask(account: TestAccount, body: object = { credits: 40 }): Promise<number> {
  return (await account.expect(200).post('/credit-requests', body)).body.id
}

const balanceOf = async (account: TestAccount) => (await account.expect(200).get('/users/credits')).body[0].credits

async function eventsOf(account: TestAccount): Promise<Record<string, unknown>[]> {
  const { body } = await account.expect(200).get('/events?types=credit_requests')
  return body.items.map(({ data }: { data: Record<string, unknown> }) => data)
}

const stateOf = async (pool: Pool, id: number) =>
  (await pool<[{ state: string }]>`select state from credit_requests where id = ${id}`)[0].state

test('a sub-account asks, its parent is told and gives or declines with a note, and the sub-account is told', async (t) => {
  const { newAccount, pool } = await startService(t, { settings: MAIL })
  const parent = await newAccount({ credits: 100 })
  const child = await parent.newSubAccount()
  for (const account of [parent, child]) await account.expect(200).get('/events')
  const { body: asked } = await child.expect(200).post('/credit-requests', { credits: 40, note: ' Winter sale ' })
  assert.deepEqual(
    [asked.state, asked.credits, asked.msgType, asked.note, asked.answered_at],
    ['waiting', 40, 1, 'Winter sale', null]
  )
  const declined = await ask(child, { credits: 7, msgType: 2 })
  const { body: received } = await parent.expect(200).get('/credit-requests/received?state=waiting')
  assert.equal(received.meta.totalItems, 2)
  assert.deepEqual(received.items[1].account.id, child.id)
  assert.equal(await balanceOf(child), 0, 'nothing moves before the answer')

  const path = '/credit-requests/received'
  const { body: given } = await parent.expect(200).put(`${path}/${asked.id}`, { state: 'given', note: 'For November' })
  assert.deepEqual([given.state, given.answer, given.account.credits], ['given', 'For November', 40])
  await parent.expect(200).put(`${path}/${declined}`, { state: 'declined', note: 'Not RCS' })
  assert.deepEqual([await balanceOf(parent), await balanceOf(child)], [60, 40])
  const { body: own } = await child.expect(200).get('/credit-requests?limit=1&page=2')
  assert.deepEqual([own.meta.totalItems, own.items[0].state, own.items[0].answer], [2, 'given', 'For November'])
  const { body: history } = await child.expect(200).get('/users/credits/history')
  assert.deepEqual([history.items[0].reason, history.items[0].note], ['transfer', 'For November'])
  await assertLedgerHolds(pool)

  await eventually(async () => {
    const states = (events: Record<string, unknown>[]) => events.map(({ state, account_id }) => [state, account_id])
    assert.deepEqual(states(await eventsOf(parent)), [
      ['waiting', child.id],
      ['waiting', child.id]
    ])
    assert.deepEqual(states(await eventsOf(child)), [
      ['given', child.id],
      ['declined', child.id]
    ])
  })
  const mails = await pool<{ recipient: string; kind: string; facts: { note: string } }[]>`
    select recipient, kind, facts from mails order by kind, facts ->> 'amount'
  `
  assert.deepEqual(
    mails.map(({ recipient, kind, facts }) => [recipient, kind, facts.note]),
    [
      [child.email, 'credits-answered', 'For November'],
      [child.email, 'credits-answered', 'Not RCS'],
      [parent.email, 'credits-asked', 'Winter sale'],
      [parent.email, 'credits-asked', '']
    ]
  )
})

test('a request is answered once, whoever is faster: two answers, a withdrawal, a parent with too few credits', async (t) => {
  const { newAccount, pool } = await startService(t)
  const parent = await newAccount({ credits: 100 })
  const child = await parent.newSubAccount()
  const statuses = async (answers: Promise<{ status: number }>[]) =>
    (await Promise.all(answers)).map(({ status }) => status).toSorted()
  const give = (id: number, client = parent) => client.put(`/credit-requests/received/${id}`, { state: 'given' })

  const twice = await ask(child)
  assert.deepEqual(await statuses([give(twice), give(twice), give(twice)]), [200, 409, 409])
  assert.equal(await balanceOf(child), 40)
  const keyed = await ask(child, { credits: 10 })
  const repeat = parent.as({ 'idempotency-key': 'answer 1', 'x-api-key': parent.apiKey })
  const [first, second] = [await give(keyed, repeat as TestAccount), await give(keyed, repeat as TestAccount)]
  assert.deepEqual([first.status, second.status, first.text], [200, 200, second.text])
  assert.equal(await balanceOf(child), 50)

  const raced = await ask(child, { credits: 1 })
  const [withdrawal, answer] = await Promise.all([child.delete(`/credit-requests/${raced}`), give(raced)])
  assert.deepEqual([withdrawal.status, answer.status].toSorted(), [200, 409])
  assert.equal(await balanceOf(child), answer.status === 200 ? 51 : 50)
  await child.expect(409).delete(`/credit-requests/${raced}`)

  const large = await ask(child, { credits: 1_000 })
  const { body } = await parent.expect(402).put(`/credit-requests/received/${large}`, { state: 'given' })
  assert.equal(body.details[0].required, 1_000)
  assert.equal(await stateOf(pool, large), 'waiting')
  await child.expect(200).delete(`/credit-requests/${large}`)
  assert.equal(await stateOf(pool, large), 'withdrawn')
  await assertLedgerHolds(pool)
})

test('an account of its own asks the operator, who gives from outside; another account reaches no request', async (t) => {
  const { newAccount, operator, pool } = await startService(t)
  const [parent, stranger] = [await newAccount({ credits: 10 }), await newAccount()]
  const child = await parent.newSubAccount()
  const [own, below] = [await ask(parent), await ask(child)]
  const before = await balanceOf(operator)
  await operator.expect(403).post('/credit-requests', { credits: 1 })
  for (const client of [stranger, child, operator]) {
    await client.expect(404).put(`/credit-requests/received/${below}`, { state: 'given' })
  }
  await parent.expect(404).put(`/credit-requests/received/${own}`, { state: 'given' })
  await stranger.expect(404).delete(`/credit-requests/${own}`)
  assert.equal((await stranger.expect(200).get('/credit-requests/received')).body.meta.totalItems, 0)
  await operator.expect(200).put(`/credit-requests/received/${own}`, { state: 'given', note: 'Invoice 7' })
  assert.deepEqual([await balanceOf(parent), await balanceOf(operator)], [50, before])
  await assertLedgerHolds(pool)
  for (const body of [{}, { credits: 0 }, { credits: 1.5 }, { credits: 1, msgType: 3 }, { credits: 1, note: 7 }]) {
    await child.expect(400).post('/credit-requests', body)
  }
  await parent.expect(400).put(`/credit-requests/received/${below}`, { state: 'withdrawn' })
  assert.equal((await child.expect(200).get('/credit-requests')).body.meta.totalItems, 1)
})

test('an account has a limited number of requests, those of a closed one are withdrawn, and answered ones go after the retention', async (t) => {
  const { newAccount, pool } = await startService(t)
  const parent = await newAccount({ credits: 100 })
  await parent.expect(200).get('/events')
  const child = await parent.newSubAccount()
  const shared = await parent.newSubAccount({ mode: 'parent' })
  const { body: none } = await shared.expect(409).post('/credit-requests', { credits: 1 })
  assert.match(none.error, /parent account/)
  const asked = await Promise.all(Array.from({ length: 12 }, () => child.post('/credit-requests', { credits: 1 })))
  assert.deepEqual(asked.filter(({ status }) => status === 409).length, 2)
  const [{ id } = { id: 0 }] = await pool<{ id: number }[]>`select id from credit_requests order by id limit 1`
  await child.expect(200).delete(`/credit-requests/${id}`)
  await pool`
    insert into credit_requests (account_id, id, asked_id, message_type, amount, note, state, answered_at)
    select ${child.id}, nextval('credit_request_ids'), ${parent.id}, 1, 1, '', 'declined', now()
    from generate_series(1, 40)
  `
  const { headers } = await child.expect(429).post('/credit-requests', { credits: 1 })
  assert.ok(Number(headers.get('retry-after')) > 0)

  await parent
    .expect(200)
    .put(`/subaccount/${child.id}/standing`, { standing: 'suspended', reason: 'The invoice is unpaid.' })
  const [suspended = 0, open = 0] = (
    await pool<{ id: number }[]>`select id from credit_requests where state = 'waiting' order by id limit 2`
  ).map((row) => row.id)
  await parent.expect(200).put(`/credit-requests/received/${suspended}`, { state: 'given' })
  await parent.expect(200).put(`/subaccount/${child.id}/standing`, { standing: 'closed', reason: 'It has ended.' })
  await parent.expect(409).put(`/credit-requests/received/${open}`, { state: 'given' })
  await finishClosings(pool)
  assert.equal(await stateOf(pool, open), 'withdrawn')
  // One by hand, eight by the closing.
  await eventually(async () => {
    const events = (await eventsOf(parent)).filter(({ state }) => state === 'withdrawn')
    assert.deepEqual([events.length, new Set(events.map((event) => event.request_id)).size], [9, 9])
  })
  assert.equal((await parent.expect(200).get('/credit-requests/received?state=waiting')).body.meta.totalItems, 0)
  assert.equal(await deleteOldRequests(pool, { days: 30, limit: 100 }), 0)
  await pool`update credit_requests set answered_at = now() - interval '31 days'`
  assert.equal(await deleteOldRequests(pool, { days: 30, limit: 100 }), 50)
  await assertLedgerHolds(pool)
})

test('the mails of requests name the accounts, the credits and the note, in both languages', () => {
  const asked = { company: 'Maison', asker: 'Boutique', amount: '40', credits: 'SMS', note: 'Soldes' }
  assert.match(writeMail('credits-asked', 'en', asked)?.subject ?? '', /Boutique asks for 40 SMS credits/)
  assert.match(writeMail('credits-asked', 'fr', asked)?.text ?? '', /« Boutique » demande 40 crédits SMS[\s\S]*Soldes/)
  const answered = { company: 'Boutique', amount: '40', credits: 'SMS', state: 'declined', note: '' }
  assert.match(writeMail('credits-answered', 'en', answered)?.text ?? '', /40 SMS credits was declined\.$/)
  assert.match(writeMail('credits-answered', 'fr', answered)?.subject ?? '', /refusée/)
})

import { strict as assert } from 'node:assert'
import { eventually } from '../../test/checks/eventually.ts'
import { assertLedgerHolds } from '../../test/checks/ledger.ts'
import { fileForm } from '../../test/service/file-form.ts'
import { startService, test } from '../../test/service/service.ts'
import { erasePeople } from './erase-people.ts'
import { finishClosings } from './finish-closings.ts'

const CLOSED = { standing: 'closed', reason: 'The contract has ended.' }

test('closing ends keys and sessions, cancels and refunds what has not left, and returns the credits to the account above', async (t) => {
  const { operator, anonymous, newAccount, pool } = await startService(t, {
    settings: { CHAPPE_WEBHOOK_ALLOW_PRIVATE: 'true' }
  })
  const parent = await newAccount({ credits: 1_000 })
  const below = await parent.newSubAccount({ credits: 300 })
  const { token } = (await anonymous.expect(200).post('/auth/login', below)).body
  await below.expect(200).put('/webhooks', { webhooks: [{ type: 'stops', url: 'http://127.0.0.1:9/' }] })
  const scheduleAt = new Date(Date.now() + 86_400_000).toISOString()
  const send = { recipients: ['0639980001', '0639980002'], content: 'Bonjour' }
  const { body: scheduled } = await below.expect(200).post('/messages/sms', { ...send, scheduleAt })
  const { body: queued } = await below.expect(200).post('/messages/sms', send)
  const { body: list } = await below.expect(200).post('/contactlists', { name: 'Clients' })
  const contacts = Array.from({ length: 10 }, (_, index) => ({ tel: `06399801${10 + index}` }))
  await below.expect(200).post('/contacts', { contactlist_id: list.id, contacts })
  const audience = { contactlist: [list.id] }
  const variants = [{ sms: { content: 'Bonjour' } }, { sms: { content: 'Salut' } }]
  await below
    .expect(200)
    .post('/trials', { ...audience, name: 'Essai', share: 20, decide_by: 'hand', variants, scheduleAt })
  const testing = { ...audience, name: 'En cours', share: 20, decide_by: 'hand', variants }
  assert.equal((await below.expect(200).post('/trials', testing)).body.rest.recipients, 8)
  const daily = { ...audience, name: 'Chaque jour', schedule: '0 10 * * *', sms: { content: 'Bonjour' } }
  await below.expect(200).post('/automations', daily)

  const { body } = await parent.expect(200).put(`/subaccount/${below.id}/standing`, CLOSED)
  assert.deepEqual([body.standing, body.reason], ['closed', CLOSED.reason])
  await below.expect(401).get('/users/me')
  await anonymous
    .as({ authorization: `Bearer ${token}` })
    .expect(401)
    .get('/users/me')
  const { body: refused } = await anonymous.expect(403).post('/auth/login', below)
  assert.equal(refused.error, 'The account is closed: The contract has ended.')
  await eventually(async () => {
    const { body: credits } = await parent.expect(200).get('/users/credits')
    assert.equal(credits[0].credits, 1_000)
  })
  const states = await pool`select state from messages where id = any(${[scheduled.message_id, queued.message_id]})`
  assert.deepEqual([...states], [{ state: 'cancelled' }, { state: 'cancelled' }])
  assert.equal((await pool`select from webhooks where account_id = ${below.id}`).length, 0)
  const over = { state: 'cancelled', dueAt: null }
  assert.deepEqual([...(await pool`select state, due_at from trials`)], [over, over])
  assert.equal((await pool`select from trial_people`).length, 0, 'nobody waits for a choice that will not come')
  assert.deepEqual([...(await pool`select next_at from automations`)], [{ nextAt: null }])
  assert.equal((await pool`select from batches where account_id = ${below.id}`).length, 0)
  const { body: history } = await parent.expect(200).get('/users/credits/history')
  assert.equal(history.items[0].note, 'The sub-account was closed.')
  await assertLedgerHolds(pool)

  await parent.expect(409).put(`/subaccount/${below.id}/standing`, { standing: 'open' })
  await operator.expect(409).put(`/accounts/${below.id}/standing`, { standing: 'open' })
  await operator.expect(409).post(`/accounts/${below.id}/key`)
  await parent.expect(409).put(`/subaccount/${below.id}/credits/add`, { credits: 1 })
  await operator.expect(409).put(`/accounts/${below.id}/credits`, { credits: 1 })
})

test('an account is closed with its sub-accounts; people without another account are forgotten after the retention', async (t) => {
  const { operator, anonymous, newAccount, pool } = await startService(t)
  const parent = await newAccount({ credits: 10 })
  const below = await parent.newSubAccount({ credits: 4 })
  await below.expect(200).post('/contactlists', { name: 'Clients' })
  await below.expect(200).post('/models', { name: 'Soldes', content: 'Bonjour', sender: 'CHAPPE' })
  await below.expect(200).post('/auto-replies', { name: 'Horaires', keywords: ['HORAIRES'], content: 'De 9 h à 19 h' })
  await below.expect(200).post('/canned-replies', { name: 'Horaires', content: 'De 9 h à 19 h' })
  await below.expect(200).post('/stops', { recipient: '0639980001' })
  await pool`
    insert into identities (issuer, subject, person_id)
    select 'https://login.example', 'lea', holder_id from accounts where id = ${below.id}
  `
  const other = await newAccount()
  await operator.expect(200).put('/number-grants', { number: '36111', accounts: [below.id, other.id] })
  await operator.expect(200).put('/number-grants', { number: '38111', accounts: [below.id] })
  await below.expect(200).post('/consents/keywords', { number: '36111', keyword: 'JOIN', question: 'Oui ?' })
  await below.expect(200).post('/consents', { consents: [{ recipient: '0639980002', wording: 'J’accepte' }] })
  const { body: sender } = await below.expect(200).post('/senders', { name: 'CLOSINGSHOP' })
  await below.expect(200).post(`/senders/${sender.id}/proof`, fileForm('%PDF-1.4'))
  await operator.expect(200).put(`/accounts/${below.id}/senders/${sender.id}`, { state: 'approved' })
  await pool`insert into agents (agent_id, is_restricted) values ('agent-of-below', true)`
  await pool`insert into agent_grants (agent_id, account_id) values ('agent-of-below', ${below.id})`
  await operator.expect(409).put(`/accounts/${operator.id}/standing`, CLOSED)
  await operator.expect(200).put(`/accounts/${parent.id}/standing`, CLOSED)
  for (const account of [parent, below]) {
    await account.expect(401).get('/users/me')
    await anonymous.expect(403).post('/auth/login', account)
  }
  await eventually(async () => {
    const [row] = await pool`select available from credit_balances where account_id = ${parent.id} and message_type = 1`
    assert.deepEqual(row, { available: 10 })
  })
  await assertLedgerHolds(pool)
  await eventually(async () => {
    const [row] = await pool`select state, reason from senders where account_id = ${below.id}`
    assert.deepEqual(row, { state: 'disabled', reason: 'The account is closed.' })
  })
  // The last grant stays: without it the number would be free to all.
  const grants = await pool`select number, account_id from number_grants order by number`
  assert.deepEqual(
    [...grants],
    [
      { number: '36111', accountId: other.id },
      { number: '38111', accountId: below.id }
    ]
  )
  assert.equal((await pool`select from agent_grants where account_id = ${below.id}`).length, 0)
  await other.expect(200).post('/consents/keywords', { number: '36111', keyword: 'JOIN', question: 'Oui ?' })
  assert.equal(await erasePeople(pool, { days: 30, limit: 10 }), 0)
  assert.equal((await pool`select from sender_proofs`).length, 1)
  await pool`update accounts set standing_since = now() - interval '31 days' where standing = 'closed'`
  assert.equal(await erasePeople(pool, { days: 30, limit: 10 }), 2)
  assert.equal((await pool`select from people where email = any(${[parent.email, below.email]})`).length, 0)
  assert.equal((await pool`select from contact_lists where account_id = ${below.id} and deleted_at is null`).length, 0)
  assert.equal((await pool`select from templates where account_id = ${below.id}`).length, 0)
  assert.equal((await pool`select from canned_replies`).length, 0)
  assert.equal((await pool`select from auto_replies`).length, 0)
  assert.equal((await pool`select from stops where account_id = ${below.id}`).length, 1, 'an opt-out stays')
  assert.equal((await pool`select from identities`).length, 0)
  assert.equal((await pool`select from senders where account_id = ${below.id}`).length, 0)
  assert.equal((await pool`select from sender_proofs`).length, 0)
  const [consent] = await pool`select phone, wording, withdrawn_at from consents where account_id = ${below.id}`
  assert.deepEqual(consent, { phone: '+33639980002', wording: 'J’accepte', withdrawnAt: null }, 'a consent stays')
  await anonymous.expect(401).post('/auth/login', parent)
})

test('an account whose closing fails holds up no other', async (t) => {
  const { newAccount, pool } = await startService(t)
  const parent = await newAccount({ credits: 100 })
  const [broken, other] = [await parent.newSubAccount({ credits: 10 }), await parent.newSubAccount({ credits: 10 })]
  const scheduleAt = new Date(Date.now() + 86_400_000).toISOString()
  for (const account of [broken, other]) {
    await account.expect(200).post('/messages/sms', { recipients: ['0639980001'], content: 'Bonjour', scheduleAt })
  }
  await pool`create function stumble() returns trigger language plpgsql as 'begin raise exception ''stumbled''; end'`
  await pool.unsafe(`create trigger stumble before update on messages for each row
    when (new.account_id = ${broken.id}) execute function stumble()`)
  for (const { id } of [broken, other]) await parent.expect(200).put(`/subaccount/${id}/standing`, CLOSED)
  await assert.rejects(finishClosings(pool), /stumbled/)
  const messages = await pool`select account_id, state from messages order by account_id`
  assert.deepEqual(
    messages.map(({ state }) => state),
    ['scheduled', 'cancelled']
  )
  // What the account of the first message had besides comes back as well.
  assert.equal((await parent.expect(200).get('/users/credits')).body[0].credits, 99)
})

test('a manager may suspend a sub-account, and only an owner close it', async (t) => {
  const { anonymous, newAccount } = await startService(t)
  const parent = await newAccount()
  const below = await parent.newSubAccount()
  const { body } = await parent.expect(200).post('/keys', { name: 'Manager', scopes: ['read', 'account'] })
  const manager = anonymous.as({ 'x-api-key': body.apikey })
  await manager.expect(403).put(`/subaccount/${below.id}/standing`, CLOSED)
  await manager.expect(200).put(`/subaccount/${below.id}/standing`, { standing: 'suspended', reason: 'Unpaid.' })
  await manager.expect(200).put(`/subaccount/${below.id}/standing`, { standing: 'open' })
})

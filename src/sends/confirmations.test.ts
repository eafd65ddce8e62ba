import { strict as assert } from 'node:assert'
import { assertLedgerHolds } from '../../test/checks/ledger.ts'
import { makePriceList } from '../../test/service/price-lists.ts'
import { startService, test } from '../../test/service/service.ts'
import { deleteOldConfirmations } from './confirmations.store.ts'

const [ANNA, BEN] = ['+33639980021', '+33639980022'] as const

test('a key for confirmed sends sends what a dry run of the same send has shown: once, within minutes', async (t) => {
  const { newAccount, operator, pool, anonymous } = await startService(t)
  const account = await newAccount({ credits: 1_000 })
  const keyOf = async (scopes: string[], more: object = {}) => {
    const { body } = await account.expect(200).post('/keys', { name: 'Assistant', scopes, ...more })
    return { ...anonymous.as({ 'x-api-key': body.apikey }), id: body.id as number, secret: body.apikey as string }
  }
  const assistant = await keyOf(['read', 'contacts', 'send_confirmed'], { credits_per_day: 5 })
  const sms = { recipients: [ANNA, BEN], content: 'Bonjour' }
  const dryRunOf = async (path: string, body: object): Promise<string> => {
    const { body: shown } = await assistant.expect(200).post(`${path}?resumeBefore=true`, body)
    assert.match(shown.confirmation.token, /^cnf_/)
    return shown.confirmation.token
  }
  const sent = async () => (await account.expect(200).get('/messages')).body.meta.totalItems

  // Neither without a confirmation, nor with one of another send, text, path or key.
  const { body: bare } = await assistant.expect(403).post('/messages/sms', sms)
  assert.match(bare.error, /resumeBefore=true/)
  const token = await dryRunOf('/messages/sms', sms)
  const others = [
    { ...sms, content: 'Bonsoir' },
    { ...sms, recipients: [ANNA] },
    { ...sms, category: 'marketing' }
  ]
  for (const other of others) {
    const { body } = await assistant.expect(409).post(`/messages/sms?confirmation=${token}`, other)
    assert.match(body.error, /another send than the one of the dry run/)
  }
  const dynamic = { ...sms, recipients: sms.recipients.map((recipient) => ({ recipient })) }
  await assistant.expect(409).post(`/messages/sms/dynamic?confirmation=${token}`, dynamic)
  const twin = await keyOf(['read', 'send_confirmed'])
  await twin.expect(409).post(`/messages/sms?confirmation=${token}`, sms)
  await twin.expect(409).post('/messages/sms?confirmation=cnf_made-up', sms)
  // Other ways to send stay closed, and so does removing what others scheduled or drafted.
  for (const path of ['/messages', '/messages/1/resend', '/automations', '/trials', '/models']) {
    const { body } = await assistant.expect(403).post(path, {})
    assert.match(body.error, /needs the permission send:/)
  }
  for (const removed of [{ replaces: 1 }, { draft: 1 }]) {
    await assistant.expect(403).post('/messages/sms?resumeBefore=true', { ...sms, ...removed })
  }
  assert.equal(await sent(), 0)

  // Once, whoever asks at the same time; a repeat with the same Idempotency-Key gets the first answer.
  const key = { 'idempotency-key': 'one' }
  const both = await Promise.all(
    [key, {}].map((headers) => assistant.post(`/messages/sms?confirmation=${token}`, sms, headers))
  )
  assert.deepEqual(both.map(({ status }) => status).toSorted(), [200, 409])
  await assistant.expect(409).post(`/messages/sms?confirmation=${token}`, sms)
  assert.equal(await sent(), 1)
  const keyed = await dryRunOf('/messages/sms', { ...sms, external_id: 'a' })
  const ask = () =>
    assistant.expect(200).post(`/messages/sms?confirmation=${keyed}`, { ...sms, external_id: 'a' }, key2)
  const key2 = { 'idempotency-key': 'two' }
  assert.equal((await ask()).body.message_id, (await ask()).body.message_id)
  assert.equal(await sent(), 2)

  // 4 of 5 credits are spent. What is too much stays unsent, also when two ask at once and when the key is rotated.
  const { body: full } = await assistant
    .expect(429)
    .post(`/messages/sms?confirmation=${await dryRunOf('/messages/sms', sms)}`, sms)
  assert.deepEqual(
    [full.code, /may spend 5 credits within 24 hours; 4 are spent/.test(full.error)],
    ['limit_reached', true]
  )
  const one = { ...sms, recipients: [ANNA] }
  const tokens = [await dryRunOf('/messages/sms', one), await dryRunOf('/messages/sms', one)]
  const { body: rotated } = await account.expect(200).post(`/keys/${assistant.id}/rotate`, { overlap_seconds: 600 })
  const rotatedKey = anonymous.as({ 'x-api-key': rotated.apikey })
  const raced = await Promise.all(
    [assistant, rotatedKey].map((asker, at) => asker.post(`/messages/sms?confirmation=${tokens[at]}`, one))
  )
  assert.deepEqual(raced.map(({ status }) => status).toSorted(), [200, 429])
  assert.equal(await sent(), 3)
  await pool`update confirmations set used_at = used_at - interval '1 day' where used_at is not null`

  // A list or a template that others change between the two is another send; a refused send leaves the token.
  const { body: list } = await account.expect(200).post('/contactlists', { name: 'Clients' })
  await account.expect(200).post('/contacts', { contactlist_id: list.id, contacts: [{ tel: ANNA }] })
  const toList = { contactlist: [list.id], content: 'Bonjour' }
  const early = await dryRunOf('/messages/sms/contactlist', toList)
  await assistant.expect(200).post('/contacts', { contactlist_id: list.id, contacts: [{ tel: BEN }] })
  const { body: grown } = await assistant.expect(409).post(`/messages/sms/contactlist?confirmation=${early}`, toList)
  assert.match(grown.error, /recipients, the text or the price have changed/)
  const late = await dryRunOf('/messages/sms/contactlist', toList)
  await assistant.expect(200).post(`/messages/sms/contactlist?confirmation=${late}`, toList)
  assert.equal(await sent(), 4)

  // RCS alike; a confirmation that is too old is none.
  const rcs = { contacts: [{ recipient: ANNA }], type: 'text', data: { text: 'Bonjour' } }
  await assistant.expect(200).post(`/messages/rcs?confirmation=${await dryRunOf('/messages/rcs', rcs)}`, rcs)
  const old = await dryRunOf('/messages/sms', one)
  await pool`update confirmations set expires_at = now() where used_at is null`
  const { body: expired } = await assistant.expect(409).post(`/messages/sms?confirmation=${old}`, one)
  assert.match(expired.error, /too old/)
  assert.equal(await sent(), 5)
  await deleteOldConfirmations(pool)
  assert.deepEqual((await pool`select from confirmations where used_at is null`).length, 0)

  // Another price is another send.
  const list2 = await makePriceList(operator, 'Dear', 'sms,*,3')
  const cheap = await dryRunOf('/messages/sms', one)
  await operator.expect(200).put(`/accounts/${account.id}/price-list`, { price_list: list2 })
  const { body: dear } = await assistant.expect(409).post(`/messages/sms?confirmation=${cheap}`, one)
  assert.match(dear.error, /price have changed/)
  await operator.expect(200).put(`/accounts/${account.id}/price-list`, { price_list: null })

  // It can't give itself, or another key, a larger limit or a second one; nor open an account with a key of its own.
  const manager = await keyOf(['read', 'send_confirmed', 'people', 'account'], { credits_per_day: 5 })
  for (const more of [{ credits_per_day: 1_000 }, { credits_per_day: 5 }, {}]) {
    await manager.expect(403).post('/keys', { name: 'more', scopes: ['send_confirmed'], ...more })
  }
  await manager.expect(403).put(`/keys/${manager.id}`, { credits_per_day: 6 })
  await manager.expect(403).put(`/keys/${assistant.id}`, { name: 'mine' })
  await manager.expect(200).put(`/keys/${manager.id}`, { credits_per_day: 4 })
  await manager.expect(403).post('/subaccount', { email: 'a@test.example', password: 'long enough one' })

  // A key with the whole permission needs nothing of this, and a limit that nothing obeys is refused.
  const whole = await keyOf(['send'])
  await whole.expect(200).post('/messages/sms', one)
  assert.equal((await whole.expect(200).post('/messages/sms?resumeBefore=1', one)).body.confirmation, undefined)
  const idle = { name: 'x', scopes: ['send', 'send_confirmed'], credits_per_day: 5 }
  await account.expect(400).post('/keys', idle)
  await account.expect(200).put(`/keys/${assistant.id}`, { credits_per_day: null })
  await account.expect(400).put(`/keys/${twin.id}`, { scopes: ['read'], credits_per_day: 7 })
  await assertLedgerHolds(pool)
})

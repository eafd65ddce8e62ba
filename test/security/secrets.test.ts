import { strict as assert } from 'node:assert'
import { pino } from 'pino'
import { readConfig } from '../../src/config.ts'
import { startService as start } from '../../src/service.ts'
import { eventually } from '../checks/eventually.ts'
import { startRcs } from '../messages/rcs.ts'
import { untilSummary } from '../messages/sending.ts'
import { startReceiver } from '../peers/receiver.ts'
import { fileForm } from '../service/file-form.ts'
import { OPERATOR, startService, test } from '../service/service.ts'

test('at the level trace, from log-in to webhook, no secret and no word of a message stands in the log', async (t) => {
  const smppPassword = 'smppPwd1'
  const rcs = await startRcs(t, {
    smpp: { password: smppPassword },
    settings: { CHAPPE_LOG: 'trace', CHAPPE_WEBHOOK_ALLOW_PRIVATE: 'true' }
  })
  const { anonymous, operator, newAccount, logLines, url, rbm } = rcs
  const receiver = await startReceiver(t)
  const account = await newAccount({ credits: 100 })
  const text = 'Votre code est 731946'
  const reply = 'Rappelez moi au calme'
  const idempotencyKey = 'idempotency-key-of-mine'
  const [phone, second] = ['+33639980013', '+33639980014']

  const { email, password } = account
  const { token } = (await anonymous.expect(200).post('/auth/login', { email, password })).body
  await anonymous.expect(401).post('/auth/login', { email, password: 'a wrong password' })
  const configured = await account
    .expect(200)
    .put('/webhooks', { webhooks: [{ type: 'replies', url: `${receiver.url}?token=of-the-receiver` }] })
  const rotated = await account.expect(200).post('/webhooks/secret/rotate')
  const send = { recipients: [phone], content: text, sender: 'CHAPPE' }
  const headers = { 'idempotency-key': idempotencyKey }
  const sms = (await account.expect(200).post('/messages/sms', send, headers)).body.message_id
  await untilSummary(account, sms, { delivered: 1 })
  const card = { contacts: [{ recipient: second }], type: 'text', data: { text } }
  const rcsMessage = (await account.expect(200).post('/messages/rcs', card)).body.message_id
  await untilSummary(account, rcsMessage, { delivered: 1 })
  rcs.phones.reply({ from: phone, to: 'CHAPPE', content: reply })
  await eventually(() => assert.ok(receiver.records().some(({ content }) => content === reply)), { withinMs: 20_000 })
  const list = (await account.expect(200).post('/contactlists', { name: 'Secret list' })).body.id
  await account
    .expect(200)
    .post('/contacts/file', fileForm(`tel;nom\n${second};Dupont-Secret\n`, { contactlist_id: String(list) }))
  await account.expect(200).get(`/contacts/by-number/${encodeURIComponent(phone)}?search=of-the-query`)
  await account
    .expect(404)
    .get('/contacts/by-number/of-the-path/nothing')
    .catch(() => undefined)
  const key = (await account.expect(200).post('/users/apikey/rotate')).body.apikey
  const mine = anonymous.as({ 'x-api-key': key })
  const changes = { password: 'the next password', current_password: password }
  await mine.expect(200).put('/users/me', changes)
  const sub = (
    await mine.expect(200).post('/subaccount', { email: 'sub@test.example', password: 'password of the sub' })
  ).body
  // What the database refuses, it quotes: the row, message and all. That is our bug, and its words stay out of the log.
  await rcs.pool.unsafe(`alter table messages add constraint refused check (content <> 'Refusez 731946') not valid`)
  await mine.expect(500).post('/messages/sms', { ...send, content: 'Refusez 731946' })
  await rcs.pool.unsafe(`alter table contact_lists add constraint refused check (name <> 'Refusée 731946') not valid`)
  await mine.expect(500).post('/contactlists', { name: 'Refusée 731946' })
  await eventually(() => assert.equal(logLines.filter((line) => line.includes('request failed')).length, 2))

  const { private_key: privateKey } = rbm.serviceAccount as { private_key: string }
  const secrets = {
    'the password of the operator': OPERATOR.password,
    'the key of the operator': OPERATOR.apiKey,
    'a password': password,
    'a wrong password': 'a wrong password',
    'a new password': changes.password,
    'the password of a sub-account': 'password of the sub',
    'a key': account.apiKey,
    'a rotated key': key,
    'the key of a sub-account': sub.apikey,
    'a token': token,
    'a signature of a token': token.split('.')[2],
    'the first secret of webhooks': configured.body.secret,
    'the next secret of webhooks': rotated.body.secret,
    'the password of a carrier': smppPassword,
    'the token of RCS events': rbm.webhookToken,
    'the key of the service account': privateKey.split('\n')[1],
    'an Idempotency-Key': idempotencyKey,
    'a text': text,
    'a code': '731946',
    'a reply': reply,
    'a name': 'Dupont-Secret',
    'a query': 'of-the-query',
    'a receiver’s own token': 'of-the-receiver',
    'an email': email,
    'a phone': phone.slice(1)
  }
  const log = logLines.join('')
  assert.ok(logLines.length > 20)
  for (const [name, secret] of Object.entries(secrets)) {
    assert.equal(typeof secret, 'string', name)
    const line = logLines.find((line) => line.includes(secret))
    assert.ok(!log.includes(secret), `${name} stands in the log: ${line?.slice(0, 600)}`)
  }

  const trail = (await operator.expect(200).get('/audit?all=true&limit=1000')).body.items
  assert.ok(trail.length > 5)
  const rows = await rcs.pool<{ text: string }[]>`select audit_entries::text as text from audit_entries`
  const kept = rows.map(({ text }) => text).join('\n')
  for (const [name, secret] of Object.entries(secrets)) assert.ok(!kept.includes(secret), `${name} in the audit trail`)

  // What the operator sees of carriers, and what everybody sees of metrics, health and errors.
  const shown = [
    (await operator.expect(200).get('/carriers')).text,
    (await operator.expect(200).get('/carriers/unmatched')).text,
    await (await fetch(`${url}/metrics`)).text(),
    await (await fetch(`${url}/health/ready`)).text(),
    (await mine.expect(200).get('/webhooks')).text,
    (await mine.expect(400).post('/subaccount', { email: 'x', password: 'short' })).text,
    (await mine.expect(400).put('/users/me', { password: 'another password', current_password: 'not this one' })).text
  ]
  const { 'a receiver’s own token': _own, ...hidden } = secrets
  for (const [name, secret] of Object.entries(hidden)) {
    for (const answer of shown) assert.ok(!answer.includes(secret), `${name} in ${answer.slice(0, 300)}`)
  }
  for (const answer of shown) assert.doesNotMatch(answer, /not this one|another password|"short"/)
})

test('an answer about a failure of ours tells nothing of its insides', async (t) => {
  const { newAccount, pool } = await startService(t)
  const account = await newAccount()
  await pool.unsafe('alter table contact_lists rename to contact_lists_gone')
  const { text, body } = await account.expect(500).get('/contactlists')
  assert.deepEqual(Object.keys(body).toSorted(), ['code', 'error', 'request_id', 'status'])
  assert.doesNotMatch(text, /relation|contact_lists|select|postgres|\.ts|stack|node_modules/i)
  await pool.unsafe('alter table contact_lists_gone rename to contact_lists')
})

test('a database that can’t be reached is told without its password', async () => {
  const lines: string[] = []
  const log = pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) })
  const databaseUrl = 'postgres://chappe:pass-of-the-database@127.0.0.1:1/chappe'
  const config = readConfig({ PORT: '0', DATABASE_URL: databaseUrl, CHAPPE_DATA: '/nonexistent/never-made' })
  await assert.rejects(start({ config, databaseUrl, log }), (error: Error) => {
    assert.doesNotMatch(`${error.message} ${error.stack}`, /pass-of-the-database/)
    return /can't be used/.test(error.message)
  })
  assert.doesNotMatch(lines.join(''), /pass-of-the-database/)
})

import { strict as assert } from 'node:assert'
import { test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { newSecret, type Signing, sign, signedHeaders } from './signature.ts'

const BODY = JSON.stringify({ id: 'evt_1', type: 'replies', data: [{ content: 'déjà reçu 👍' }] })

function signing(change: Partial<Signing> = {}): Signing {
  return { id: 'evt_1', timestamp: new Date(), body: BODY, secrets: [newSecret()], ...change }
}

function verify(secret: string, headers: Record<string, string>, body = BODY): unknown {
  return new Webhook(secret).verify(body, headers)
}

test('the signature is the one that the library’s own tests publish', () => {
  const signature = sign({
    id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    timestamp: new Date('2021-02-25T15:02:10Z'),
    body: '{"test": 2432232314}',
    secrets: ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw']
  })
  assert.equal(signature, 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=')
})

test('a secret is whsec_ and 32 random bytes', () => {
  const secrets = Array.from({ length: 100 }, newSecret)
  for (const secret of secrets) {
    assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/)
    assert.equal(Buffer.from(secret.slice(6), 'base64').length, 32)
  }
  assert.equal(new Set(secrets).size, 100)
})

test('a receiver with the library verifies what we sign', () => {
  const secret = newSecret()
  assert.deepEqual(verify(secret, signedHeaders(signing({ secrets: [secret] }))), JSON.parse(BODY))
})

test('text and its bytes have the same signature', () => {
  const given = signing()
  assert.equal(sign(given), sign({ ...given, body: Buffer.from(BODY) }))
})

test('during a rotation the receiver may hold any of the secrets', () => {
  const secrets = [newSecret(), newSecret(), newSecret()]
  const headers = signedHeaders(signing({ secrets }))
  assert.match(headers['webhook-signature'] ?? '', /^v1,\S{44} v1,\S{44} v1,\S{44}$/)
  for (const secret of secrets) assert.deepEqual(verify(secret, headers), JSON.parse(BODY))
})

test('a receiver with the library refuses another secret, an altered body, id or timestamp, and an old attempt', () => {
  const secret = newSecret()
  const headers = signedHeaders(signing({ secrets: [secret] }))
  const timestamp = String(Number(headers['webhook-timestamp']) - 1)
  const refused: [string, () => unknown][] = [
    ['No matching signature', () => verify(newSecret(), headers)],
    ['No matching signature', () => verify(secret, headers, BODY.replace('replies', 'stops'))],
    ['No matching signature', () => verify(secret, { ...headers, 'webhook-id': 'evt_2' })],
    ['No matching signature', () => verify(secret, { ...headers, 'webhook-timestamp': timestamp })],
    ['too old', () => verify(secret, signedHeaders(signing({ secrets: [secret], timestamp: minutesFromNow(-6) })))],
    ['too new', () => verify(secret, signedHeaders(signing({ secrets: [secret], timestamp: minutesFromNow(6) })))]
  ]
  for (const [reason, attempt] of refused) assert.throws(attempt, new RegExp(reason))
})

test('nothing is sent unsigned', () => {
  assert.throws(() => sign(signing({ secrets: [] })), /at least one secret/)
  assert.throws(() => sign(signing({ secrets: ['MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'] })), /starts with whsec_/)
})

function minutesFromNow(minutes: number): Date {
  return new Date(Date.now() + minutes * 60_000)
}

import { strict as assert } from 'node:assert'
import { eventually } from '../../test/checks/eventually.ts'
import type { ApiClient } from '../../test/service/api-client.ts'
import { codeAt, codeOf, wrongCodes } from '../../test/service/authenticator.ts'
import { startService, type TestAccount, type TestService, test } from '../../test/service/service.ts'
import { findStep, toTotpCode } from './totp.ts'

/** Logs in with the password alone. */
async function sessionOf({ anonymous }: TestService, { email, password }: TestAccount): Promise<ApiClient> {
  const { body } = await anonymous.expect(200).post('/auth/login', { email, password })
  return anonymous.as({ authorization: `Bearer ${body.token}` })
}

/** Sets up an app, whose next code is good again: the test need not wait for half a minute. */
async function setUpApp(service: TestService, account: TestAccount) {
  const session = await sessionOf(service, account)
  const begun = await session.expect(200).post('/users/me/second-factor/totp', { current_password: account.password })
  const { secret } = begun.body as { secret: string }
  const confirmed = await session.expect(200).post('/users/me/second-factor/totp/confirm', { code: codeOf(secret) })
  await forgetCode(service)
  return { session, secret, codes: confirmed.body.recovery_codes as string[] }
}

const forgetCode = ({ pool }: TestService) => pool`update totp_secrets set last_step = 0`
const forgetFailures = ({ pool }: TestService) => pool`delete from attempts`

test('codes are those of RFC 6238', () => {
  // Appendix B, the last six of its eight digits.
  const secret = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'
  const vectors: [seconds: number, code: string][] = [
    [59, '287082'],
    [1111111109, '081804'],
    [1111111111, '050471'],
    [1234567890, '005924'],
    [2000000000, '279037'],
    [20000000000, '353130']
  ]
  for (const [seconds, code] of vectors) {
    assert.equal(codeAt(secret, seconds), code)
    const step = Math.floor(seconds / 30)
    for (const near of [-30, 0, 30]) assert.equal(findStep(code, { secret, nowMs: (seconds + near) * 1000 }), step)
    for (const far of [-90, 90]) assert.equal(findStep(code, { secret, nowMs: (seconds + far) * 1000 }), undefined)
  }
  assert.equal(toTotpCode(' 287 082 '), '287082')
  for (const text of ['28708', '2870822', '28708a', '', '３87082']) assert.equal(toTotpCode(text), undefined, text)
})

test('a repeat under its Idempotency-Key gets the key that its code has made, and the code makes no other', async (t) => {
  const service = await startService(t)
  const { session, secret } = await setUpApp(service, await service.newAccount())
  const body = { name: 'Shop', scopes: ['read'], code: codeOf(secret) }
  const key = { 'idempotency-key': 'shop' }
  const first = await session.expect(200).post('/keys', body, key)
  const again = await session.expect(200).post('/keys', body, key)
  assert.deepEqual([again.text, again.headers.get('idempotent-replayed')], [first.text, 'true'])
  await session.expect(400).post('/keys', body, { 'idempotency-key': 'another' })
})

test('a log-in of a person with an app needs a code, once; nobody else notices', async (t) => {
  const service = await startService(t)
  const { anonymous, newAccount } = service
  const [account, other] = [await newAccount(), await newAccount()]
  const { email, password } = account
  const { secret, session } = await setUpApp(service, account)

  const required = await anonymous.expect(401).post('/auth/login', { email, password })
  assert.equal(required.body.code, 'second_factor_required')
  assert.deepEqual(required.body.details, [{ factor: 'totp' }, { factor: 'recovery' }])
  const [wrong] = wrongCodes(secret, 1)
  const refused = await anonymous.expect(401).post('/auth/login', { email, password, code: wrong })
  assert.equal(refused.body.code, 'second_factor_required')
  // With a wrong password, a code changes nothing: neither a right nor a wrong one is looked at.
  for (const code of [codeOf(secret), wrong]) {
    const { body } = await anonymous.expect(401).post('/auth/login', { email, password: 'wrong', code })
    assert.equal(body.error, 'The email or the password is wrong.')
  }
  const code = codeOf(secret)
  const spaced = `${code.slice(0, 3)} ${code.slice(3)}`
  const { token } = (await anonymous.expect(200).post('/auth/login', { email, password, code: spaced })).body
  await anonymous
    .as({ authorization: `Bearer ${token}` })
    .expect(200)
    .get('/users/me')
  await anonymous.expect(401).post('/auth/login', { email, password, code })

  await session.expect(200).get('/users/me')
  await account.expect(200).get('/users/me')
  await anonymous.expect(200).post('/auth/login', { email: other.email, password: other.password })
  await anonymous.expect(200).post('/auth/login', { email: other.email, password: other.password, code: '000000' })
})

test('the secret is shown once, recovery codes are stored as hashes, and no log line has either', async (t) => {
  const service = await startService(t, { settings: { CHAPPE_LOG: 'trace' } })
  const account = await service.newAccount()
  const { secret, session, codes } = await setUpApp(service, account)
  assert.equal(codes.length, 10)
  assert.equal(new Set(codes).size, 10)
  for (const code of codes) assert.match(code, /^([0-9a-hjkmnp-tv-z]{4}-){3}[0-9a-hjkmnp-tv-z]{4}$/)
  const { email, password } = account
  await service.anonymous.expect(200).post('/auth/login', { email, password, code: codes[0] })
  const shown = await session.expect(200).get('/users/me/second-factor')
  assert.deepEqual(shown.body, {
    totp: { is_on: true, since: shown.body.totp.since },
    passkeys: [],
    recovery_codes_left: 9,
    is_required: false,
    may_require: true
  })
  await session.expect(409).post('/users/me/second-factor/totp', { current_password: password })
  await session.expect(409).post('/users/me/second-factor/totp/confirm', { code: codeOf(secret) })
  const [{ stored }] = await service.pool<[{ stored: string }]>`
    select string_agg(recovery_codes::text, ' ') as stored
    from recovery_codes
  `
  const log = service.logLines.join('')
  assert.ok(!log.includes(secret) && !shown.text.includes(secret))
  for (const code of codes) {
    for (const form of [code, code.replaceAll('-', '')]) assert.ok(!log.includes(form) && !stored.includes(form))
  }
})

test('a recovery code counts once, however it is typed, and new ones end the old', async (t) => {
  const service = await startService(t)
  const peer = await service.startPeer(t)
  const account = await service.newAccount()
  const { email, password } = account
  const { session, codes } = await setUpApp(service, account)
  const [first = '', second = '', third = '', fourth = ''] = codes
  const typed = first.toUpperCase().replaceAll('-', ' ').replaceAll('0', 'O')
  await service.anonymous.expect(200).post('/auth/login', { email, password, code: typed })
  await service.anonymous.expect(401).post('/auth/login', { email, password, code: first })
  // At the same instant, in two processes, several times.
  const attempts = [service, peer, service, peer].map(({ anonymous }) =>
    anonymous.post('/auth/login', { email, password, code: second })
  )
  const statuses = (await Promise.all(attempts)).map(({ status }) => status)
  assert.deepEqual(statuses.toSorted(), [200, 401, 401, 401])
  await forgetFailures(service)

  await session.expect(400).post('/users/me/second-factor/recovery-codes', {})
  const renewed = await session.expect(200).post('/users/me/second-factor/recovery-codes', { code: third })
  await service.anonymous.expect(401).post('/auth/login', { email, password, code: fourth })
  const [fresh] = renewed.body.recovery_codes
  await service.anonymous.expect(200).post('/auth/login', { email, password, code: fresh })
  // Another person’s code is none.
  const other = await service.newAccount()
  const { codes: theirs } = await setUpApp(service, other)
  await service.anonymous.expect(401).post('/auth/login', { email, password, code: theirs[0] })
})

test('a code that is used in two processes at the same instant lets one in', async (t) => {
  const service = await startService(t)
  const peer = await service.startPeer(t)
  const account = await service.newAccount()
  const { email, password } = account
  const { secret } = await setUpApp(service, account)
  const code = codeOf(secret)
  const attempts = Array.from({ length: 8 }, (_, index) =>
    (index % 2 === 0 ? service : peer).anonymous.post('/auth/login', { email, password, code })
  )
  const statuses = (await Promise.all(attempts)).map(({ status }) => status)
  assert.equal(statuses.filter((status) => status === 200).length, 1, statuses.join(' '))
})

test('guesses on many connections at once learn no more than ten guesses an hour', async (t) => {
  const service = await startService(t)
  const peer = await service.startPeer(t)
  const account = await service.newAccount()
  const { email, password } = account
  const { secret, codes } = await setUpApp(service, account)
  const guesses = wrongCodes(secret, 40)
  const answers = await Promise.all(
    guesses.map((code, index) =>
      (index % 2 === 0 ? service : peer).anonymous.post('/auth/login', { email, password, code })
    )
  )
  for (const { status } of answers) assert.ok(status === 401 || status === 429, String(status))
  const [{ failures }] = await service.pool<[{ failures: number }]>`select failures from totp_secrets`
  assert.ok(failures <= 10, `${failures} codes were looked at`)
  // Minutes later, a few more guesses close the way for the rest of the hour, for a right code too.
  for (let round = 0; round < 12; round++) {
    await forgetFailures(service)
    await service.anonymous.post('/auth/login', { email, password, code: guesses[round] })
  }
  await forgetFailures(service)
  const closed = await service.anonymous.expect(429).post('/auth/login', { email, password, code: codeOf(secret) })
  const retryAfter = Number(closed.headers.get('retry-after'))
  assert.ok(retryAfter > 60 && retryAfter <= 3600, String(retryAfter))
  await service.anonymous.expect(200).post('/auth/login', { email, password, code: codes[0] })
  // An hour later it is open again.
  await service.pool`update totp_secrets set failures_since = now() - interval '61 minutes'`
  await service.anonymous.expect(200).post('/auth/login', { email, password, code: codeOf(secret) })
})

test('a factor is set up, renewed and removed only with the password or a code', async (t) => {
  const service = await startService(t)
  const account = await service.newAccount()
  const { email, password } = account
  const thief = await sessionOf(service, account)
  for (const path of ['totp', 'totp/remove', 'recovery-codes', 'passkeys/begin', 'passkeys/1/remove']) {
    const missing = await thief.expect(400).post(`/users/me/second-factor/${path}`, {})
    assert.deepEqual(missing.body.details, [{ path: 'current_password', message: 'is missing' }])
  }
  await thief.expect(400).post('/users/me/second-factor/totp', { current_password: 'wrong' })
  await thief.expect(400).post('/users/me/second-factor/totp', { code: '123456' })
  await thief.expect(409).post('/users/me/second-factor/totp/confirm', { code: '123456' })
  // A secret that no code has confirmed changes nothing.
  await thief.expect(200).post('/users/me/second-factor/totp', { current_password: password })
  await thief.expect(400).post('/users/me/second-factor/totp/confirm', { code: 'abc' })
  await service.anonymous.expect(200).post('/auth/login', { email, password })

  const { session, secret, codes } = await setUpApp(service, account)
  await session.expect(400).post('/users/me/second-factor/totp/remove', { code: wrongCodes(secret, 1)[0] })
  await service.anonymous.expect(401).post('/auth/login', { email, password })
  await session.expect(200).post('/users/me/second-factor/totp/remove', { code: codeOf(secret) })
  await service.anonymous.expect(200).post('/auth/login', { email, password })
  // Recovery codes end with the last factor: they don’t come back with the next.
  await setUpApp(service, account)
  await service.anonymous.expect(401).post('/auth/login', { email, password, code: codes[0] })
})

test('a key has no second factor', async (t) => {
  const { operator } = await startService(t)
  await operator.expect(403).get('/users/me/second-factor')
  await operator.expect(403).post('/users/me/second-factor/totp', { current_password: operator.password })
  await operator.expect(403).post('/users/me/second-factor/totp/confirm', { code: '123456' })
})

test('where a factor is required, a person without one can only set one up, in every process', async (t) => {
  const service = await startService(t)
  const peer = await service.startPeer(t)
  const account = await service.newAccount()
  const session = await sessionOf(service, account)
  const onPeer = peer.anonymous.as(await headersOf(service, account))
  await onPeer.expect(200).get('/users/me')
  await session.expect(200).put('/users/me/second-factor/requirement', { is_required: true })
  for (const [method, path] of [
    ['get', '/users/me'],
    ['get', '/messages'],
    ['put', '/users/me'],
    ['put', '/users/me/second-factor/requirement'],
    ['post', '/users/apikey/rotate']
  ] as const) {
    const { body } = await session.expect(403)[method](path)
    assert.equal(body.code, 'second_factor_required')
  }
  await eventually(() => onPeer.expect(403).get('/users/me'))
  // Keys go on, and so does a log-in that is only good for the set-up.
  await account.expect(200).get('/users/me')
  await account.expect(200).get('/messages')
  const { body } = await onPeer.expect(200).get('/users/me/second-factor')
  assert.equal(body.is_required, true)
  const { secret } = await setUpApp(service, account)
  await session.expect(200).get('/users/me')
  await eventually(() => onPeer.expect(200).get('/users/me'))
  // Without it, the way is closed again.
  await session.expect(200).post('/users/me/second-factor/totp/remove', { code: codeOf(secret) })
  await session.expect(403).get('/users/me')
  await eventually(() => onPeer.expect(403).get('/users/me'))
  await account.expect(200).put('/users/me/second-factor/requirement', { is_required: false })
  await session.expect(200).get('/users/me')
})

async function headersOf({ anonymous }: TestService, { email, password }: TestAccount) {
  const { body } = await anonymous.expect(200).post('/auth/login', { email, password })
  return { authorization: `Bearer ${body.token}` }
}

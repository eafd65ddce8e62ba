import { strict as assert } from 'node:assert'
import { createHmac, createPublicKey, generateKeyPairSync, sign } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { subjectOf } from '../../src/people/attempts.ts'
import { startService, type TestService, test } from '../service/service.ts'

// What wrong keys and simple forgeries get, and the limits of log-ins, is tested in src/accounts/accounts.test.ts.

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
const decode = (text = '') => JSON.parse(Buffer.from(text, 'base64url').toString())

async function readKey({ dataFolder }: TestService): Promise<{ id: string; privateKey: string; publicKey: string }> {
  return JSON.parse(await readFile(join(dataFolder, 'token-key.json'), 'utf8'))
}

test('a token is good only as it was issued: no other algorithm, key, time, owner or version', async (t) => {
  const service = await startService(t)
  const { anonymous, operator, newAccount } = service
  const other = await newAccount()
  const { email, password } = operator
  const { token } = (await anonymous.expect(200).post('/auth/login', { email, password })).body
  const [head, payload, signature] = (token as string).split('.')
  const [header, claims] = [decode(head), decode(payload)]
  assert.equal(header.alg, 'EdDSA')
  assert.ok(claims.exp - claims.iat === 3600)

  const ours = await readKey(service)
  const theirs = generateKeyPairSync('ed25519').privateKey
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey
  const signed = (header: object, claims: object, key: Parameters<typeof sign>[2] = ours.privateKey) => {
    const input = `${encode(header)}.${encode(claims)}`
    return `${input}.${sign(null, Buffer.from(input), key).toString('base64url')}`
  }
  const hmac = (header: object, secret: string | Buffer, algorithm = 'sha256') => {
    const input = `${encode(header)}.${encode(claims)}`
    return `${input}.${createHmac(algorithm, secret).update(input).digest('base64url')}`
  }
  const rs256 = `${encode({ ...header, alg: 'RS256' })}.${payload}`
  const rawPublic = createPublicKey(ours.publicKey).export({ type: 'spki', format: 'der' }).subarray(-32)
  const now = Math.floor(Date.now() / 1000)

  // The means are right: signed by our key as it should be, it is taken.
  await ask(signed(header, claims), 200)
  const forged: [why: string, token: string][] = [
    ['alg none', `${encode({ ...header, alg: 'none' })}.${payload}.`],
    ['alg None', `${encode({ ...header, alg: 'None' })}.${payload}.${signature}`],
    ['no alg', `${encode({ ...header, alg: undefined })}.${payload}.${signature}`],
    ['HMAC under the public key', hmac({ ...header, alg: 'HS256' }, ours.publicKey)],
    ['HMAC under its bytes', hmac({ ...header, alg: 'HS256' }, rawPublic)],
    ['HMAC-512 under the public key', hmac({ ...header, alg: 'HS512' }, ours.publicKey, 'sha512')],
    ['HMAC that says EdDSA', hmac(header, ours.publicKey)],
    ['HMAC under nothing', hmac({ ...header, alg: 'HS256' }, '')],
    ['RSA', `${rs256}.${sign('sha256', Buffer.from(rs256), rsa).toString('base64url')}`],
    ['our signature under another name', signed({ ...header, alg: 'ES256' }, claims)],
    ['another key', signed(header, claims, theirs)],
    ['a key in the header', signed({ ...header, kid: undefined, jwk: { kty: 'OKP' } }, claims, theirs)],
    ['expired', signed(header, { ...claims, exp: now - 1 })],
    ['expired long ago', signed(header, { ...claims, iat: 1, exp: 2 })],
    ['not yet', signed(header, { ...claims, nbf: now + 600 })],
    ['nobody', signed(header, { ...claims, sub: '999999' })],
    ['no owner', signed(header, { ...claims, sub: undefined })],
    ['an owner that is no number', signed(header, { ...claims, sub: "1' or '1'='1" })],
    ['an older version', signed(header, { ...claims, ver: claims.ver - 1 })],
    ['no version', signed(header, { ...claims, ver: undefined })],
    ['another owner', `${head}.${encode({ ...claims, sub: String(other.id) })}.${signature}`],
    ['a longer life', `${head}.${encode({ ...claims, exp: now + 1e6 })}.${signature}`],
    ['a signature cut off', `${head}.${payload}.${signature?.slice(0, -4)}`],
    ['no signature', `${head}.${payload}`],
    ['two signatures', `${token}.${signature}`],
    [
      'another token’s signature',
      `${signed(header, { ...claims, iat: 1 })
        .split('.', 2)
        .join('.')}.${signature}`
    ],
    ['a header that is no JSON', `e30x.${payload}.${signature}`],
    ['a huge one', `${head}.${payload}${'A'.repeat(8_000)}.${signature}`]
  ]
  const names = ['unknown', '', '../../token-key.json', '/dev/null', "' or '1'='1", 'x; drop table token_keys', '\0']
  for (const kid of [...names, 'k'.repeat(5_000), 0, null, {}, ['a'], true]) {
    forged.push([`the key named ${JSON.stringify(kid).slice(0, 40)}`, signed({ ...header, kid }, claims, theirs)])
  }
  for (const [why, token] of forged) await ask(token, 401, why)
  assert.equal((await service.pool`select from token_keys`).length, 1)

  for (const scheme of ['Bearer', 'Bearer ', 'Basic', 'Token', 'Bearer Bearer']) {
    const { status } = await anonymous.as({ authorization: `${scheme} ${token}x` }).get('/users/me')
    assert.equal(status, 401, scheme)
  }
  await anonymous
    .as({ authorization: `Token ${token}` })
    .expect(401)
    .get('/users/me')
  await anonymous
    .as({ authorization: `${token} ${token}` })
    .expect(401)
    .get('/users/me')
  // It is still good after all that: what was wrong about the others was not taken for a fault of this one.
  await ask(token, 200)

  async function ask(token: string, status: number, why = ''): Promise<void> {
    const answer = await anonymous.as({ authorization: `Bearer ${token}` }).get('/users/me')
    assert.equal(answer.status, status, why)
    if (status === 401) assert.equal(answer.body.error, 'The credentials are missing or wrong.', why)
  }
})

test('a new password ends the tokens of that account alone; a new key ends the old key and no token', async (t) => {
  const { anonymous, newAccount } = await startService(t)
  const [mine, other] = [await newAccount(), await newAccount()]
  const tokenOf = async ({ email, password }: { email: string; password: string }) => {
    const { token } = (await anonymous.expect(200).post('/auth/login', { email, password })).body
    return anonymous.as({ authorization: `Bearer ${token}` })
  }
  const [myToken, otherToken] = [await tokenOf(mine), await tokenOf(other)]
  await mine.expect(200).post('/users/apikey/rotate')
  await mine.expect(401).get('/users/me')
  await myToken.expect(200).get('/users/me')
  await myToken.expect(200).put('/users/me', { password: 'a new long password', current_password: mine.password })
  await myToken.expect(401).get('/users/me')
  await otherToken.expect(200).get('/users/me')
})

test('keys are tried in vain: near misses are as wrong as any, learn nothing, and are counted for who watches', async (t) => {
  const { anonymous, newAccount, url } = await startService(t)
  const account = await newAccount()
  const key = account.apiKey
  assert.match(key, /^key_[\w-]{43}$/, '256 bits that nobody chose')
  const flip = (at: number) => `${key.slice(0, at)}${key[at] === 'A' ? 'B' : 'A'}${key.slice(at + 1)}`
  const guesses = [
    ...Array.from({ length: key.length }, (_, at) => flip(at)),
    key.toUpperCase(),
    key.slice(0, -1),
    `${key}A`,
    key.slice(4),
    '*',
    '%',
    `${key}' or '1'='1`,
    'k'.repeat(8_000)
  ]
  const answers = await Promise.all(
    guesses.map((guess) => anonymous.as({ 'x-api-key': guess, 'x-app-id': account.appId }).get('/users/me'))
  )
  for (const { status, body } of answers) {
    assert.equal(status, 401)
    assert.equal(body.error, 'The credentials are missing or wrong.')
  }
  await account.expect(200).get('/users/me')
  const metrics = await (await fetch(`${url}/metrics`)).text()
  const counted = /chappe_http_request_seconds_count\{operation="readMe",status="401"\} (\d+)/.exec(metrics)?.[1]
  assert.ok(Number(counted) >= guesses.length, `${counted} of ${guesses.length} are counted`)
})

test('log-ins are counted by network: neither an address of the same /64 nor a made-up hop gives more guesses', async (t) => {
  const { anonymous, pool } = await startService(t, { settings: { CHAPPE_TRUSTED_PROXIES: '127.0.0.1' } })
  const failuresOf = async (network: string) => {
    const subject = subjectOf('log-in from', network)
    return (await pool`select count from attempts where subject = ${subject}`)[0]?.count
  }
  let people = 0
  const guess = (from: string) => {
    people++
    const body = { email: `nobody${people}@test.example`, password: 'Summer2026!' }
    return anonymous.post('/auth/login', body, { 'x-forwarded-for': from })
  }
  // One person with IPv6, who tries one password on many emails.
  for (let host = 0; host < 10; host++) assert.equal((await guess(`2001:db8:1:2:${host}::${host}`)).status, 401)
  assert.equal(await failuresOf('2001:db8:1:2::/64'), 10, 'the next waits for its turn')
  assert.equal((await guess('2001:db8:1:3::1')).status, 401, 'the network beside it goes on')
  // One person who writes hops of their own before the one that our proxy adds.
  for (let hop = 0; hop < 10; hop++) assert.equal((await guess(`10.9.8.${hop}, 203.0.113.7`)).status, 401)
  assert.equal(await failuresOf('203.0.113.7'), 10)
  assert.equal((await guess('203.0.113.8')).status, 401)
})

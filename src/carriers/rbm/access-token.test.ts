import { strict as assert } from 'node:assert'
import { createPublicKey, verify } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { eventually } from '../../../test/checks/eventually.ts'
import { AccessToken, TokenFailure } from './access-token.ts'
import { answer, type RawPlatform, startRawPlatform, TIMINGS, testKey } from './rbm.samples.ts'

interface Started {
  platform: RawPlatform
  token: AccessToken
  /** Lets time pass for the token. By the real clock, a token of one second could end between two lines. */
  pass(ms: number): void
}

async function start(t: TestContext): Promise<Started> {
  let nowMs = 0
  const pass = (ms: number) => {
    nowMs += ms
  }
  const platform = await startRawPlatform(t)
  const token = new AccessToken(testKey(platform.url), TIMINGS, { nowMs: () => nowMs })
  t.after(() => token.close())
  return { platform, token, pass }
}

test('a token is had for a statement that is signed with the key, where the key says', async (t) => {
  const { platform, token } = await start(t)
  assert.equal(await token.get(), 't1')
  const form = new URLSearchParams(platform.tokenRequests[0])
  assert.equal(form.get('grant_type'), 'urn:ietf:params:oauth:grant-type:jwt-bearer')
  const [header = '', claims = '', signature = ''] = (form.get('assertion') ?? '').split('.')
  const key = testKey(platform.url)
  const isSigned = verify(
    'RSA-SHA256',
    Buffer.from(`${header}.${claims}`),
    createPublicKey(key.privateKey),
    Buffer.from(signature, 'base64url')
  )
  assert.equal(isSigned, true)
  assert.deepEqual(JSON.parse(Buffer.from(header, 'base64url').toString()), { alg: 'RS256', typ: 'JWT' })
  const { iat, exp, ...others } = JSON.parse(Buffer.from(claims, 'base64url').toString())
  assert.deepEqual(others, {
    iss: 'agent@project.iam.gserviceaccount.com',
    scope: 'https://www.googleapis.com/auth/rcsbusinessmessaging',
    aud: `${platform.url}/token`
  })
  assert.equal(exp - iat, 3_600)
  assert.ok(iat <= Date.now() / 1000 && exp > Date.now() / 1000)
})

test('all who need one wait for the same request', async (t) => {
  const { platform, token } = await start(t)
  const tokens = await Promise.all(Array.from({ length: 100 }, () => token.get()))
  assert.deepEqual(new Set(tokens), new Set(['t1']))
  assert.equal(await token.get(), 't1')
  assert.equal(platform.tokens, 1)
})

test('it is renewed before it ends, by one request, while the old one serves', async (t) => {
  const { platform, token, pass } = await start(t)
  platform.onToken = (response) => {
    const life = platform.tokens === 1 ? 1 : 3_600
    answer(response, 200, { access_token: `t${platform.tokens}`, expires_in: life })
  }
  assert.equal(await token.get(), 't1')
  pass(820)
  const tokens = await Promise.all(Array.from({ length: 10 }, () => token.get()))
  assert.deepEqual(new Set(tokens), new Set(['t1']))
  await eventually(async () => assert.equal(await token.get(), 't2'))
  assert.equal(platform.tokens, 2)
})

test('one that can’t be renewed serves until it ends, and is not asked for anew by each call', async (t) => {
  const { platform, token, pass } = await start(t)
  platform.onToken = (response) => {
    const isFirst = platform.tokens === 1
    answer(response, isFirst ? 200 : 500, isFirst ? { access_token: 't1', expires_in: 1_000 } : {})
  }
  assert.equal(await token.get(), 't1')
  pass(820_000)
  assert.equal(await token.get(), 't1')
  await eventually(() => assert.ok(token.waitMs > 0))
  for (let call = 0; call < 10; call++) assert.equal(await token.get(), 't1')
  // A request of ours comes after any of theirs.
  await fetch(`${platform.url}/token`, { method: 'POST' })
  assert.equal(platform.tokens, 3)
  pass(token.waitMs)
  assert.equal(await token.get(), 't1')
  await eventually(() => assert.equal(platform.tokens, 4))
})

test('one that can’t be renewed serves to its end', async (t) => {
  const { platform, token, pass } = await start(t)
  platform.onToken = (response) => answer(response, 200, { access_token: 'short', expires_in: 1 })
  await token.get()
  platform.onToken = (response) => answer(response, 503, 'busy')
  pass(820)
  assert.equal(await token.get(), 'short')
  pass(200)
  await assert.rejects(token.get(), TokenFailure)
})

test('what the platform refuses is renewed once, however many say so', async (t) => {
  const { platform, token } = await start(t)
  const first = await token.get()
  token.accept(first)
  for (let call = 0; call < 100; call++) token.refuse(first)
  const tokens = await Promise.all(Array.from({ length: 100 }, () => token.get()))
  for (const late of tokens.slice(50)) assert.equal(late, 't2')
  token.refuse(first)
  assert.equal(await token.get(), 't2')
  assert.equal(platform.tokens, 2)
})

test('tokens that the platform never takes are not asked for again and again', async (t) => {
  const { platform, token, pass } = await start(t)
  for (let ms = 0; ms < 500; ms++) {
    const value = await token.get().catch(() => undefined)
    if (value !== undefined) token.refuse(value)
    pass(1)
  }
  // The first two at once, then after 20 to 80 ms each.
  assert.ok(platform.tokens > 2 && platform.tokens < 25, `${platform.tokens} tokens`)
})

test('who can’t have one is told why at once, and the server is asked ever more rarely', async (t) => {
  const { platform, token, pass } = await start(t)
  platform.onToken = (response) => answer(response, 503, '<html>')
  const reasons = new Set<string>()
  const refused = 500
  for (let ms = 0; ms < refused; ms++) {
    await token.get().catch((error) => reasons.add(error.message))
    pass(1)
  }
  assert.deepEqual(reasons, new Set(['The server of tokens answered 503.']))
  assert.ok(refused > 3 * platform.tokens, `${refused} refused by ${platform.tokens} requests`)
  platform.onToken = (response) => answer(response, 200, { access_token: 'good' })
  pass(token.waitMs)
  assert.equal(await token.get(), 'good')
})

test('a key that is refused is not insisted upon, and why is told', async (t) => {
  const { platform, token } = await start(t)
  platform.onToken = (response) =>
    answer(response, 400, { error: 'invalid_grant', error_description: 'Invalid JWT Signature.', secret: 'x' })
  const failure = { message: 'The server of tokens answered 400 (invalid_grant: Invalid JWT Signature.).' }
  await assert.rejects(token.get(), failure)
  assert.ok(token.waitMs > 250)
  await assert.rejects(token.get(), failure)
  assert.equal(platform.tokens, 1)
})

test('an answer that holds no token that could be sent is none', async (t) => {
  const bodies = [
    '',
    '<html>',
    '[]',
    'null',
    '{}',
    '{"access_token": 1}',
    '{"access_token": "a\\r\\nb"}',
    '{"access_token": ""}'
  ]
  for (const body of bodies) {
    const { platform, token } = await start(t)
    platform.onToken = (response) => answer(response, 200, body)
    await assert.rejects(token.get(), { message: 'The server of tokens answered without a token.' }, body)
  }
})

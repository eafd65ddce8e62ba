import { strict as assert } from 'node:assert'
import { generateKeyPairSync } from 'node:crypto'
import type { TestContext } from 'node:test'
import { freePort } from '../../bench/free-port.ts'
import { eventually } from '../../test/checks/eventually.ts'
import { CLIENT, type OpenIdProvider, startOpenIdProvider, Visitor } from '../../test/peers/openid-provider.ts'
import { codeOf } from '../../test/service/authenticator.ts'
import { startService, type TestAccount, type TestService, test } from '../../test/service/service.ts'
import { groupsIn, rolesOf } from './groups.ts'

interface SignOn {
  service: TestService
  provider: OpenIdProvider
  account: TestAccount
  other: TestAccount
}

/** Two accounts; the groups of the provider give roles on both. The ids follow from the order in which accounts are made. */
async function startSignOn(t: TestContext): Promise<SignOn> {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const provider = await startOpenIdProvider(t, { redirectUris: [`${url}/auth/oidc/callback`] })
  const groups = 'groups; sales=2:sender; owners=2:owner; cn=All Staff,dc=example=3:reader; gone=999:reader'
  const service = await startService(t, {
    settings: {
      PORT: String(port),
      CHAPPE_LOG: 'trace',
      CHAPPE_OIDC_ISSUER: provider.issuer,
      CHAPPE_OIDC_CLIENT_ID: CLIENT.id,
      CHAPPE_OIDC_CLIENT_SECRET: CLIENT.secret,
      CHAPPE_OIDC_GROUPS: groups,
      CHAPPE_OIDC_NAME: 'Example Corp',
      CHAPPE_OIDC_SESSION_HOURS: '2',
      CHAPPE_JWT_TTL: '86400'
    }
  })
  const [account, other] = [await service.newAccount(), await service.newAccount()]
  assert.deepEqual([account.id, other.id], [2, 3])
  return { service, provider, account, other }
}

const LEA = { email: 'lea@corp.example', email_verified: true, given_name: 'Léa', family_name: 'Martin' }

const startOf = ({ service }: SignOn) => `${service.url}/auth/oidc/start`

/** The ticket in the address of the console, or what went wrong. */
function readFragment(address: string): { ticket: string | null; problem: string | null } {
  const fragment = new URLSearchParams(new URL(address).hash.slice(1))
  return { ticket: fragment.get('sign_on'), problem: fragment.get('sign_on_problem') }
}

async function exchange({ service }: SignOn, visitor: Visitor, body: object) {
  const response = await visitor.ask(`${service.url}/auth/oidc/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body)
  })
  // biome-ignore lint/suspicious/noExplicitAny: the tests say what they expect of it
  return { status: response.status, body: (await response.json()) as any }
}

/** From the button to the token, in a browser of its own. */
async function signOn(parts: SignOn, subject: string, extra: object = {}) {
  const visitor = new Visitor()
  parts.provider.logIn(subject)
  const { ticket, problem } = readFragment(await visitor.follow(startOf(parts)))
  if (ticket === null) return { visitor, ticket: undefined, problem, status: 0, body: undefined }
  return { visitor, ticket, problem, ...(await exchange(parts, visitor, { ticket, ...extra })) }
}

const clientOf = ({ service }: SignOn, token: string) => service.anonymous.as({ authorization: `Bearer ${token}` })

test('the strongest role of several groups counts, and a claim that is no list of names has none', () => {
  const mapping = [
    { group: 'a', accountId: 1, role: 'reader' },
    { group: 'b', accountId: 1, role: 'manager' },
    { group: 'b', accountId: 2, role: 'sender' }
  ] as const
  assert.deepEqual(
    [...rolesOf(['a', 'b', 'c'], mapping)],
    [
      [1, 'manager'],
      [2, 'sender']
    ]
  )
  assert.deepEqual([...rolesOf([], mapping)], [])
  assert.deepEqual(groupsIn(['a', 1, null, 'b']), ['a', 'b'])
  assert.deepEqual(groupsIn('a'), ['a'])
  for (const claim of [undefined, null, 5, { a: true }]) assert.deepEqual(groupsIn(claim), [])
})

test('somebody with a group logs in by the provider, with PKCE, and no token is in any address or log line', async (t) => {
  const parts = await startSignOn(t)
  const { service, provider } = parts
  assert.deepEqual((await service.anonymous.expect(200).get('/auth/oidc')).body, { name: 'Example Corp' })
  provider.people.set('lea', { ...LEA, groups: ['sales', 'cn=All Staff,dc=example', 'gone', 'unknown'] })
  const { status, body, visitor, ticket } = await signOn(parts, 'lea')
  assert.equal(status, 200)
  const asked = new URL(visitor.visited.find((url) => url.startsWith(`${provider.issuer}/auth`)) ?? '')
  assert.equal(asked.searchParams.get('code_challenge_method'), 'S256')
  assert.ok(asked.searchParams.get('nonce') && asked.searchParams.get('state'))
  const lea = clientOf(parts, body.token)
  const me = (await lea.expect(200).get('/users/me')).body
  assert.deepEqual([me.id, me.email, me.first_name], [2, LEA.email, 'Léa'])
  await lea.expect(403).put('/users/me', { social_reason: 'Not a sender’s to change' })
  const roles = await service.pool`select account_id, role, is_from_groups from memberships
    join people on people.id = person_id where email = ${LEA.email} order by account_id`
  assert.deepEqual(
    roles.map((row) => ({ ...row })),
    [
      { accountId: 2, role: 'sender', isFromGroups: true },
      { accountId: 3, role: 'reader', isFromGroups: true }
    ]
  )
  const seen = [...visitor.visited, ...service.logLines].join('\n')
  for (const secret of [body.token, CLIENT.secret]) assert.ok(!seen.includes(secret))
  assert.ok(!service.logLines.join('').includes(ticket ?? ''))
  // The same person the next time: by the subject, whatever the email is then.
  provider.people.set('lea', { email: 'other@corp.example', groups: ['sales'] })
  const again = await signOn(parts, 'lea')
  const meAgain = (await clientOf(parts, again.body.token).expect(200).get('/users/me')).body
  assert.deepEqual([meAgain.email, again.status], [LEA.email, 200])
  // A password that nobody set logs nobody in.
  await service.anonymous.expect(401).post('/auth/login', { email: LEA.email, password: '' })
})

test('a ticket counts once, in the browser that began; so does an address that leads back', async (t) => {
  const parts = await startSignOn(t)
  const { provider, service } = parts
  provider.people.set('lea', { ...LEA, groups: ['sales'] })
  provider.logIn('lea')
  const visitor = new Visitor()
  const isBack = (url: string) => url.includes('/auth/oidc/callback')
  const callback = await visitor.follow(startOf(parts), { isStopped: isBack })
  const problemAt = async (by: Visitor, url: string) => readFragment(await by.follow(url)).problem
  // In another browser, without or with a log-in of its own.
  const thief = new Visitor()
  assert.equal(await problemAt(thief, callback), 'expired')
  await thief.follow(startOf(parts), { isStopped: isBack })
  assert.equal(await problemAt(thief, callback), 'expired')
  const { ticket } = readFragment(await visitor.follow(callback))
  assert.equal(await problemAt(visitor, callback), 'expired')
  assert.equal(await problemAt(visitor, `${service.url}/auth/oidc/callback?code=x&state=y`), 'expired')
  assert.equal(await problemAt(visitor, `${service.url}/auth/oidc/callback`), 'expired')

  for (const by of [thief, new Visitor()]) assert.equal((await exchange(parts, by, { ticket })).status, 401)
  assert.equal((await exchange(parts, visitor, { ticket: 'x'.repeat(43) })).status, 401)
  const answers = await Promise.all([1, 2, 3, 4].map(() => exchange(parts, visitor, { ticket })))
  assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 401, 401, 401])
  // A code of the provider that was used before, under a new state.
  const code = new URL(callback).searchParams.get('code') ?? ''
  const next = new URL(await visitor.follow(startOf(parts), { isStopped: isBack }))
  next.searchParams.set('code', code)
  assert.equal(await problemAt(visitor, next.href), 'failed')
  // Too late, at the provider and at the console.
  const late = await visitor.follow(startOf(parts), { isStopped: isBack })
  await service.pool`update sign_on_attempts set expires_at = now()`
  assert.equal(await problemAt(visitor, late), 'expired')
  const { ticket: old } = readFragment(await visitor.follow(startOf(parts)))
  await service.pool`update sign_on_tickets set expires_at = now()`
  assert.equal((await exchange(parts, visitor, { ticket: old })).status, 401)
})

test('ID tokens that are forged, expired, or for another are refused', async (t) => {
  const parts = await startSignOn(t)
  const { provider, service } = parts
  provider.people.set('lea', { ...LEA, groups: ['owners'] })
  const strange = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey
  const nowSeconds = Math.floor(Date.now() / 1000)
  const tampers: [why: string, tamper: NonNullable<OpenIdProvider['tamper']>][] = [
    ['another key', (claims, signed) => signed(claims, { key: strange })],
    [
      'no key',
      (claims, signed) =>
        `${signed(claims, { header: { alg: 'none' } })
          .split('.', 2)
          .join('.')}.`
    ],
    ['another algorithm', (claims, signed) => signed(claims, { header: { alg: 'HS256' } })],
    ['claims changed after signing', (claims, signed) => swapClaims(signed(claims), { ...claims, sub: 'root' })],
    ['expired', (claims, signed) => signed({ ...claims, iat: nowSeconds - 7200, exp: nowSeconds - 3600 })],
    ['never expiring', (claims, signed) => signed({ ...claims, exp: undefined })],
    ['for another client', (claims, signed) => signed({ ...claims, aud: 'another-client' })],
    ['of another issuer', (claims, signed) => signed({ ...claims, iss: 'https://elsewhere.example' })],
    ['another nonce', (claims, signed) => signed({ ...claims, nonce: 'another' })],
    ['no nonce', (claims, signed) => signed({ ...claims, nonce: undefined })],
    ['no subject', (claims, signed) => signed({ ...claims, sub: undefined })]
  ]
  for (const [why, tamper] of tampers) {
    provider.tamper = tamper
    const { problem, ticket } = await signOn(parts, 'lea')
    assert.deepEqual([problem, ticket], ['failed', undefined], why)
  }
  // The means are right: signed by the provider's key as it should be, it is taken.
  provider.tamper = (claims, signed) => signed(claims)
  assert.equal((await signOn(parts, 'lea')).status, 200)
  assert.equal((await service.pool`select from people where email = ${LEA.email}`).length, 1)
})

test('a group that is taken away ends the membership and its sessions; the last owner stays', async (t) => {
  const parts = await startSignOn(t)
  const { provider, service } = parts
  provider.people.set('lea', { ...LEA, groups: ['owners', 'cn=All Staff,dc=example'] })
  const { token, expiresIn } = (await signOn(parts, 'lea')).body
  assert.equal(expiresIn, 7_200, 'a group that is taken away counts for two hours at most')
  const owner = clientOf(parts, token)
  const switched = (await owner.expect(200).post('/auth/switch', { account_id: 3 })).body
  assert.ok(switched.expiresIn <= 7_200, 'a switch prolongs nothing')
  // Without a password, a recent log-in stands in for it; a switch is none.
  await owner.expect(200).post('/keys', { name: 'Shop', scopes: ['read'] })
  await service.pool`update sessions set signed_on_at = signed_on_at - interval '16 minutes'`
  await service.pool`select pg_notify('callers_changed', 'account 2')`
  await eventually(() => owner.expect(403).post('/keys', { name: 'Shop', scopes: ['read'] }))
  const { token: back } = (await owner.expect(200).post('/auth/switch', { account_id: 2 })).body
  await clientOf(parts, back)
    .expect(403)
    .post('/keys', { name: 'Shop', scopes: ['read'] })
  await owner.expect(200).put('/users/me', { social_reason: 'By an owner' })
  // Another role, which holds in the running session too.
  provider.people.set('lea', { ...LEA, groups: ['sales', 'cn=All Staff,dc=example'] })
  assert.equal((await signOn(parts, 'lea')).status, 200)
  await eventually(() => owner.expect(403).put('/users/me', { social_reason: 'By a sender' }))
  // One group less: the session on that account ends, and the log-in leads to the account that is left.
  provider.people.set('lea', { ...LEA, groups: ['cn=All Staff,dc=example'] })
  const left = await signOn(parts, 'lea')
  assert.equal((await clientOf(parts, left.body.token).expect(200).get('/users/me')).body.id, 3)
  await eventually(() => owner.expect(401).get('/users/me'))
  // None: nothing is left, and nobody is let in.
  provider.people.set('lea', { ...LEA, groups: [] })
  assert.equal((await signOn(parts, 'lea')).status, 403)
  await eventually(() => clientOf(parts, left.body.token).expect(401).get('/users/me'))
  assert.equal((await service.pool`select from memberships where is_from_groups`).length, 0)

  provider.people.set('lea', { ...LEA, groups: ['owners'] })
  await signOn(parts, 'lea')
  await service.pool`update memberships set role = 'reader' where account_id = 2 and not is_from_groups`
  provider.people.set('lea', { ...LEA, groups: [] })
  const kept = await signOn(parts, 'lea')
  assert.equal(kept.status, 200)
  await clientOf(parts, kept.body.token).expect(200).put('/users/me', { social_reason: 'Still an owner' })
})

test('an email connects nobody: the password of its person does, once, with the second factor', async (t) => {
  const parts = await startSignOn(t)
  const { provider, service, account } = parts
  const login = (
    await service.anonymous.expect(200).post('/auth/login', { email: account.email, password: account.password })
  ).body
  const session = clientOf(parts, login.token)
  const proof = { current_password: account.password }
  const { secret } = (await session.expect(200).post('/users/me/second-factor/totp', proof)).body
  await session.expect(200).post('/users/me/second-factor/totp/confirm', { code: codeOf(secret) })
  await service.pool`update totp_secrets set last_step = 0`

  // Somebody else's email, at a provider that lets people write any.
  provider.people.set('thief', { email: account.email.toUpperCase(), email_verified: false, groups: ['owners'] })
  assert.equal((await signOn(parts, 'thief')).status, 403)
  provider.people.set('thief', { email: account.email.toUpperCase(), email_verified: true, groups: ['owners'] })
  const missing = await signOn(parts, 'thief')
  assert.equal(missing.status, 400)
  assert.equal(missing.body.details[0].path, 'password')
  assert.equal((await signOn(parts, 'thief', { password: 'a guess' })).status, 400)
  assert.equal((await service.pool`select from identities`).length, 0)

  provider.people.set('holder', { email: account.email, email_verified: true, groups: ['sales'] })
  const { visitor, ticket, ...first } = await signOn(parts, 'holder', { password: account.password })
  assert.deepEqual([first.status, first.body.code], [401, 'second_factor_required'])
  const body = { ticket, password: account.password, code: codeOf(secret) }
  const connected = await exchange(parts, visitor, body)
  assert.equal(connected.status, 200)
  // The hand-given role stays: a group neither raises nor lowers it.
  const holder = clientOf(parts, connected.body.token)
  await holder.expect(200).put('/users/me', { social_reason: 'The owner’s' })
  // From now on without a password. A required second factor is the provider's matter.
  const later = await signOn(parts, 'holder')
  assert.equal(later.status, 200)
  await holder.expect(200).put('/users/me/second-factor/requirement', { is_required: true })
  provider.people.set('lea', { ...LEA, groups: ['sales'] })
  const lea = clientOf(parts, (await signOn(parts, 'lea')).body.token)
  await lea.expect(200).get('/users/me')
})

test('strangers without a group get nothing and leave nothing; a provider that is away is told', async (t) => {
  const parts = await startSignOn(t)
  const { provider, service } = parts
  provider.people.set('stranger', { ...LEA, groups: ['unknown'] })
  assert.equal((await signOn(parts, 'stranger')).status, 403)
  assert.equal((await service.pool`select from people where email = ${LEA.email}`).length, 0)
  const denied = new Visitor()
  const isAtProvider = (url: string) => url.startsWith(provider.issuer)
  const { searchParams } = new URL(await denied.follow(startOf(parts), { isStopped: isAtProvider }))
  const refused = `${service.url}/auth/oidc/callback?error=access_denied&state=${searchParams.get('state')}`
  assert.equal(readFragment(await denied.follow(refused)).problem, 'denied')

  const away = await startService(t, {
    settings: {
      CHAPPE_OIDC_ISSUER: 'http://127.0.0.1:1',
      CHAPPE_OIDC_CLIENT_ID: CLIENT.id,
      CHAPPE_OIDC_CLIENT_SECRET: CLIENT.secret
    }
  })
  assert.equal(readFragment(await new Visitor().follow(`${away.url}/auth/oidc/start`)).problem, 'failed')
  const none = await startService(t)
  assert.deepEqual((await none.anonymous.expect(200).get('/auth/oidc')).body, { name: null })
  assert.equal((await fetch(`${none.url}/auth/oidc/start`)).status, 404)
})

function swapClaims(token: string, claims: object): string {
  const [head, , signature] = token.split('.')
  return `${head}.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.${signature}`
}

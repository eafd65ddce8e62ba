import { strict as assert } from 'node:assert'
import type { TestContext } from 'node:test'
import type { Page } from 'playwright-core'
import { type ApiClient, createApiClient } from '../service/api-client.ts'
import type { TestAccount, TestService } from '../service/service.ts'
import { openConsole } from './console-page.ts'
import { startService, test } from './console-service.ts'
import { addAuthenticator } from './tabs.ts'

/* Passkeys by a real browser, whose authenticator is virtual. What it answers is then replayed, forged and exchanged. */

// biome-ignore lint/suspicious/noExplicitAny: what WebAuthn says, as JSON
type Json = any

/** Browsers have passkeys for names, not for addresses. */
const named = (url: string) => url.replace('127.0.0.1', 'localhost')

async function openBrowser(t: TestContext, { url }: TestService): Promise<Page> {
  const page = await openConsole(t, { url: named(url), path: '/login' })
  await addAuthenticator(page)
  return page
}

/** As text: these run in the browser. */
const create = (page: Page, options: Json): Promise<Json> =>
  page.evaluate(`(async () => {
    const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(${JSON.stringify(options)})
    return (await navigator.credentials.create({ publicKey })).toJSON()
  })()`)

const get = (page: Page, options: Json): Promise<Json> =>
  page.evaluate(`(async () => {
    const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(${JSON.stringify(options)})
    return (await navigator.credentials.get({ publicKey })).toJSON()
  })()`)

const PASSKEYS = '/users/me/second-factor/passkeys'

async function sessionOf(client: ApiClient, { email, password }: TestAccount): Promise<ApiClient> {
  const { token } = (await client.expect(200).post('/auth/login', { email, password })).body
  return client.as({ authorization: `Bearer ${token}` })
}

/** A person with a passkey in this browser. */
async function addPasskey(page: Page, client: ApiClient, account: TestAccount) {
  const session = await sessionOf(client, account)
  const { options } = (await session.expect(200).post(`${PASSKEYS}/begin`, { current_password: account.password })).body
  const passkey = await create(page, options)
  const { body } = await session.expect(200).post(PASSKEYS, { name: 'Laptop', passkey })
  return { session, passkey, body }
}

test('a passkey logs its person in, once for each challenge, and nothing forged does', async (t) => {
  const service = await startService(t)
  const client = await createApiClient(named(service.url), {})
  const account = await service.newAccount()
  const { email, password } = account
  const page = await openBrowser(t, service)
  const { session, passkey, body } = await addPasskey(page, client, account)
  assert.equal(body.passkey.name, 'Laptop')
  assert.equal(body.recovery_codes.length, 10)
  // The same answer once more: its challenge is used up.
  await session.expect(400).post(PASSKEYS, { name: 'Again', passkey })

  const required = await client.expect(401).post('/auth/login', { email, password })
  assert.deepEqual(required.body.details, [{ factor: 'passkey' }, { factor: 'recovery' }])
  await client.expect(401).post('/auth/login/passkey', { email, password: 'wrong' })
  const ask = async () => (await client.expect(200).post('/auth/login/passkey', { email, password })).body.options
  const logIn = (answer: Json, from = client) => from.post('/auth/login', { email, password, passkey: answer })

  const answer = await get(page, await ask())
  const { token } = (await logIn(answer)).body
  await client
    .as({ authorization: `Bearer ${token}` })
    .expect(200)
    .get('/users/me')
  const refusals: [why: string, answer: () => Promise<Json>, from?: ApiClient][] = [
    ['replayed', async () => answer],
    ['a signature changed', async () => forge(await get(page, await ask()), 'signature')],
    ['the data changed', async () => forge(await get(page, await ask()), 'authenticatorData')],
    ['asked by another site', async () => get(page, await ask()), service.anonymous],
    [
      'another challenge in place of its own',
      async () => {
        const { challenge } = await ask()
        const old = await get(page, { ...(await ask()), challenge: 'AAAA' })
        return withClientData(old, (data) => ({ ...data, challenge }))
      }
    ],
    ['a registration', async () => ({ ...passkey, response: { ...answer.response, ...passkey.response } })],
    [
      'too late',
      async () => {
        const late = await get(page, await ask())
        await service.pool`update passkey_challenges set expires_at = now()`
        return late
      }
    ],
    [
      'a copy whose counter lags behind',
      async () => {
        await service.pool`update passkeys set counter = 1000`
        return get(page, await ask())
      }
    ]
  ]
  for (const [why, make, from] of refusals) {
    await service.pool`delete from attempts`
    const refused = await logIn(await make(), from)
    assert.equal(refused.status, 401, `${why}: ${refused.text}`)
    assert.equal(refused.body.code, 'second_factor_required', why)
  }
  await service.pool`update passkeys set counter = 0`
  await service.pool`delete from attempts`
  // One answer on several connections at the same instant: one log-in.
  const once = await get(page, await ask())
  const statuses = (await Promise.all([1, 2, 3, 4].map(() => logIn(once)))).map(({ status }) => status)
  assert.deepEqual(statuses.toSorted(), [200, 401, 401, 401])
})

test('a passkey is its person’s: nobody else logs in with it, adds it or removes it', async (t) => {
  const service = await startService(t)
  const client = await createApiClient(named(service.url), {})
  const [mine, other] = [await service.newAccount(), await service.newAccount()]
  const [page, theirPage] = [await openBrowser(t, service), await openBrowser(t, service)]
  const { session, body } = await addPasskey(page, client, mine)
  const theirs = await addPasskey(theirPage, client, other)
  const optionsOf = async ({ email, password }: TestAccount) =>
    (await client.expect(200).post('/auth/login/passkey', { email, password })).body.options
  const logIn = ({ email, password }: TestAccount, passkey: Json) =>
    client.post('/auth/login', { email, password, passkey })

  // Their passkey, for their challenge and for mine, under my name.
  const { challenge } = await optionsOf(mine)
  const answers = [
    await get(theirPage, await optionsOf(other)),
    await get(theirPage, { ...(await optionsOf(other)), challenge })
  ]
  for (const answer of answers) assert.equal((await logIn(mine, answer)).status, 401)
  // My passkey, for a challenge that was asked of them.
  const stolen = await get(page, { ...(await optionsOf(mine)), challenge: (await optionsOf(other)).challenge })
  assert.equal((await logIn(mine, stolen)).status, 401)
  assert.equal((await logIn(other, stolen)).status, 401)

  const proof = { current_password: other.password }
  await theirs.session.expect(404).post(`${PASSKEYS}/${body.passkey.id}/remove`, proof)
  // A challenge of one session is none of another, of the same person or not.
  const { options } = (await theirs.session.expect(200).post(`${PASSKEYS}/begin`, proof)).body
  const made = await create(page, options)
  await session.expect(400).post(PASSKEYS, { name: 'Stolen', passkey: made })
  // Both are listed to their own person alone, and the last one ends what log-ins ask for.
  const listed = (await session.expect(200).get('/users/me/second-factor')).body.passkeys
  assert.deepEqual(
    listed.map(({ id }: { id: number }) => id),
    [body.passkey.id]
  )
  await session.expect(200).post(`${PASSKEYS}/${body.passkey.id}/remove`, { current_password: mine.password })
  await client.expect(200).post('/auth/login', { email: mine.email, password: mine.password })
})

/** With one bit of this part turned. */
function forge(answer: Json, part: string): Json {
  const bytes = Buffer.from(answer.response[part], 'base64url')
  bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1
  return { ...answer, response: { ...answer.response, [part]: bytes.toString('base64url') } }
}

function withClientData(answer: Json, change: (data: Json) => Json): Json {
  const data = JSON.parse(Buffer.from(answer.response.clientDataJSON, 'base64url').toString())
  const clientDataJSON = Buffer.from(JSON.stringify(change(data))).toString('base64url')
  return { ...answer, response: { ...answer.response, clientDataJSON } }
}

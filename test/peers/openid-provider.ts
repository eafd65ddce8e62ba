import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'
import Provider from 'oidc-provider'
import { atEnd } from '../service/cleanup.ts'

/*
 * A real OpenID provider, on this machine. Whoever comes is logged in as the person that the test names. It can be made to
 * answer with ID tokens that it would never issue.
 */

export const CLIENT = { id: 'chappe-test', secret: 'the secret of the client' }

/** What the provider tells of a person, beside the name that it never gives to another. */
export interface Claims {
  email?: string
  email_verified?: boolean
  given_name?: string
  family_name?: string
  groups?: string[]
}

export interface OpenIdProvider {
  issuer: string
  people: Map<string, Claims>
  /** Who logs in next. */
  logIn(subject: string): void
  /** Makes another ID token of the one that would be answered; undefined answers it as it is. */
  tamper: ((claims: Record<string, unknown>, signed: Signed) => string) | undefined
}

/** Signs an ID token: with the provider's key, or with another under the same name. */
export type Signed = (
  claims: Record<string, unknown>,
  options?: { key?: KeyObject; header?: Record<string, unknown> }
) => string

export async function startOpenIdProvider(
  t: TestContext,
  { redirectUris }: { redirectUris: string[] }
): Promise<OpenIdProvider> {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const jwk = { ...privateKey.export({ format: 'jwk' }), kid: 'test-key', alg: 'RS256', use: 'sig' }
  let handle: (request: IncomingMessage, response: ServerResponse) => void = () => undefined
  const server = createServer((request, response) => handle(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  atEnd(t, async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  let next = ''
  const people = new Map<string, Claims>()
  const state: OpenIdProvider = { issuer, people, logIn: (subject) => (next = subject), tamper: undefined }

  const provider = new Provider(issuer, {
    clients: [{ client_id: CLIENT.id, client_secret: CLIENT.secret, redirect_uris: redirectUris }],
    jwks: { keys: [jwk as never] },
    cookies: { keys: ['only for tests'] },
    pkce: { required: () => true },
    ttl: { Interaction: 600, Grant: 600, Session: 600, AccessToken: 600, AuthorizationCode: 60, IdToken: 600 },
    features: { devInteractions: { enabled: false } },
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['given_name', 'family_name', 'groups'] },
    findAccount: (_context, subject) => ({
      accountId: subject,
      claims: async () => ({ sub: subject, ...people.get(subject) })
    }),
    interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
    async loadExistingGrant({ oidc }) {
      const grant = new oidc.provider.Grant({
        clientId: oidc.client?.clientId ?? '',
        accountId: oidc.session?.accountId ?? ''
      })
      grant.addOIDCScope('openid email profile')
      await grant.save()
      return grant
    }
  })
  // It warns of everything that only a test would do.
  const answer = provider.callback()
  const signed: Signed = (claims, { key = privateKey, header = {} } = {}) => {
    const head = { alg: 'RS256', kid: 'test-key', typ: 'JWT', ...header }
    const input = [head, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.')
    return `${input}.${sign('sha256', Buffer.from(input), key).toString('base64url')}`
  }
  handle = (request, response) => {
    if (request.url?.startsWith('/interaction/')) {
      void provider.interactionFinished(request, response, { login: { accountId: next, remember: false } })
      return
    }
    if (request.url?.startsWith('/token') && state.tamper) changeIdToken(response, state.tamper, signed)
    void answer(request, response)
  }
  return state
}

function changeIdToken(response: ServerResponse, tamper: NonNullable<OpenIdProvider['tamper']>, signed: Signed): void {
  const end = response.end.bind(response)
  response.end = ((chunk: string | Buffer) => {
    const body = JSON.parse(String(chunk))
    if (body.id_token) {
      const claims = JSON.parse(Buffer.from(body.id_token.split('.')[1], 'base64url').toString())
      body.id_token = tamper(claims, signed)
    }
    const text = JSON.stringify(body)
    response.setHeader('content-length', Buffer.byteLength(text))
    return end(text)
  }) as never
}

/** A browser that follows redirects, with its cookies, until it comes to the console. */
export class Visitor {
  readonly #cookies = new Map<string, Map<string, string>>()
  /** Every address that it was sent to. */
  readonly visited: string[] = []

  /** Where it ends: an address of the console, or a page that is no redirect. */
  async follow(url: string, { isStopped = () => false }: { isStopped?(url: string): boolean } = {}): Promise<string> {
    let address = url
    for (let count = 0; count < 20; count++) {
      this.visited.push(address)
      if (new URL(address).pathname.startsWith('/app') || isStopped(address)) return address
      const response = await this.ask(address)
      const location = response.headers.get('location')
      if (location === null) throw new Error(`${address} answered ${response.status} ${await response.text()}`)
      await response.body?.cancel()
      address = new URL(location, address).href
    }
    throw new Error('The redirects don’t end.')
  }

  /** The cookies that it has of this address. */
  cookiesOf(url: string): { name: string; value: string }[] {
    return [...(this.#cookies.get(new URL(url).origin) ?? [])].map(([name, value]) => ({ name, value }))
  }

  async ask(url: string, init: RequestInit = {}): Promise<Response> {
    const { origin } = new URL(url)
    const own = this.#cookies.get(origin) ?? new Map<string, string>()
    this.#cookies.set(origin, own)
    const cookie = [...own].map(([name, value]) => `${name}=${value}`).join('; ')
    const headers = { ...(init.headers as object), ...(cookie && { cookie }) }
    const response = await fetch(url, { ...init, headers, redirect: 'manual' })
    for (const line of response.headers.getSetCookie()) {
      const [pair = ''] = line.split(';')
      const at = pair.indexOf('=')
      own.set(pair.slice(0, at), pair.slice(at + 1))
    }
    return response
  }
}

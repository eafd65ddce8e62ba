import { randomBytes } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { databaseNowMs } from '../database/clock.ts'
import type { Pool } from '../database/database.ts'
import type { Log } from '../http/log.ts'
import { networkOf } from '../http/networks.ts'
import { DATA_HEADERS } from '../http/protective-headers.ts'
import { requestFields } from '../http/trace-requests.ts'
import type { FindSite } from '../second-factors/site.ts'
import { browserCookie, hashOf, newBrowser, readBrowser } from './browser-cookie.ts'
import type { Provider } from './provider.ts'
import { deleteAttempt, insertAttempt, insertTicket } from './sign-on.store.ts'
import { createStartLimit } from './start-limit.ts'

/*
 * The way of a browser to the provider and back. Both ends are redirects, so no operation serves them. The browser comes
 * back to the console with a ticket in the fragment of the address, which no server and no log sees; the console
 * exchanges it for a session.
 */

const START = '/auth/oidc/start'
const CALLBACK = '/auth/oidc/callback'
const ATTEMPT_TTL_MS = 10 * 60_000
/** Long enough to type the password that connects an account. */
const TICKET_TTL_MS = 5 * 60_000
/** Each waits for the provider; a slow one must not take all connections. */
const AT_ONCE_MAX = 50

export interface SignOnParts {
  pool: Pool
  provider: Provider
  /** CHAPPE_PUBLIC_URL, if it is given. */
  publicUrl: string | undefined
  findSite: FindSite
  log: Log
}

/** What the console says when a log-in did not work. */
type Problem = 'busy' | 'denied' | 'expired' | 'failed'

export function registerSignOn(app: FastifyInstance, parts: SignOnParts): void {
  const { log } = parts
  const startLimit = createStartLimit()
  let atOnce = 0
  const serve = (work: (request: FastifyRequest, reply: FastifyReply) => Promise<string>) => {
    return async (request: FastifyRequest, reply: FastifyReply) => {
      reply.headers(DATA_HEADERS).header('referrer-policy', 'no-referrer').header('x-request-id', request.id)
      if (atOnce >= AT_ONCE_MAX) return reply.redirect(problemPage('busy'), 302)
      atOnce++
      try {
        return reply.redirect(await work(request, reply), 302)
      } catch (error) {
        // The message of the library names what is wrong, and holds no token.
        log.warn({ ...requestFields(request), reason: (error as Error).message }, 'single sign-on failed')
        return reply.redirect(problemPage('failed'), 302)
      } finally {
        atOnce--
      }
    }
  }
  app.get(
    START,
    serve(async (request, reply) => {
      if (!startLimit.admit(networkOf(request.ip))) return problemPage('busy')
      return start(parts, request, reply)
    })
  )
  app.get(
    CALLBACK,
    serve((request) => comeBack(parts, request))
  )
}

async function start(
  { pool, provider, publicUrl, findSite }: SignOnParts,
  request: FastifyRequest,
  reply: FastifyReply
): Promise<string> {
  // The provider is the operator's, and leads back to the operator's own host alone.
  if (findSite(originOf(request)).familyId !== undefined) return problemPage('denied')
  const base = publicUrl ?? originOf(request)
  const { url, attempt } = await provider.authorise(`${base}${CALLBACK}`)
  // The same for all tabs of a browser: a second log-in must not end the first.
  const browser = readBrowser(request.headers) ?? newBrowser()
  await insertAttempt(pool, {
    stateHash: hashOf(attempt.state),
    browserHash: hashOf(browser),
    nonce: attempt.nonce,
    codeVerifier: attempt.codeVerifier,
    expiresAt: new Date(databaseNowMs() + ATTEMPT_TTL_MS)
  })
  const maxAgeSeconds = (ATTEMPT_TTL_MS + TICKET_TTL_MS) / 1000
  reply.header('set-cookie', browserCookie(browser, { isSecure: base.startsWith('https:'), maxAgeSeconds }))
  return url
}

async function comeBack({ pool, provider, publicUrl }: SignOnParts, request: FastifyRequest): Promise<string> {
  const { state, error } = request.query as { state?: unknown; error?: unknown }
  const browser = readBrowser(request.headers)
  if (typeof state !== 'string' || browser === undefined) return problemPage('expired')
  const browserHash = hashOf(browser)
  const attempt = await deleteAttempt(pool, { stateHash: hashOf(state), browserHash })
  if (!attempt) return problemPage('expired')
  if (error === 'access_denied') return problemPage('denied')
  const [, query = ''] = request.url.split('?')
  const url = new URL(`${publicUrl ?? originOf(request)}${CALLBACK}?${query}`)
  const signedOn = await provider.receive(url, { state, ...attempt })
  const ticket = randomBytes(32).toString('base64url')
  const expiresAt = new Date(databaseNowMs() + TICKET_TTL_MS)
  await insertTicket(pool, { ...signedOn, ticketHash: hashOf(ticket), browserHash, expiresAt })
  return `/app/login#sign_on=${ticket}`
}

function problemPage(problem: Problem): string {
  return `/app/login#sign_on_problem=${problem}`
}

function originOf(request: FastifyRequest): string {
  return `${request.protocol}://${request.host}`
}

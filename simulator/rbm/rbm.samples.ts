import { strict as assert } from 'node:assert'
import { createHmac, createSign, randomUUID } from 'node:crypto'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'
import { eventually } from '../../test/checks/eventually.ts'
import { startRbm as start } from '../../test/peers/rbm.ts'
import { atEnd } from '../../test/service/cleanup.ts'
import type { Rbm, RbmOptions } from './rbm.ts'

/* A client of the RBM platform, written by hand from its reference. It uses no code of our own client. */

// biome-ignore lint/suspicious/noExplicitAny: whatever the platform answers.
type Json = any

export interface Answered {
  status: number
  body: Json
  headers: Headers
}

const GRANT_TYPE = 'urn:ietf:params:oauth:grant-type:jwt-bearer'

interface Claims {
  iss: string
  scope: string
  aud: string
  iat: number
  exp: number
}

/** Asks for a token. The given fields replace the right ones. */
export async function askForToken(
  { serviceAccount }: Pick<Rbm, 'serviceAccount'>,
  wrong: { claims?: Partial<Claims>; key?: string; algorithm?: string; form?: Record<string, string> } = {}
): Promise<Answered> {
  const iat = Math.floor(Date.now() / 1_000)
  const scope = 'https://www.googleapis.com/auth/rcsbusinessmessaging'
  const right = { iss: serviceAccount.client_email, scope, aud: serviceAccount.token_uri, iat, exp: iat + 3_600 }
  const head = [
    { alg: wrong.algorithm ?? 'RS256', typ: 'JWT' },
    { ...right, ...wrong.claims }
  ]
    .map(encode)
    .join('.')
  const key = wrong.key ?? serviceAccount.private_key
  const signature = createSign('RSA-SHA256').update(head).sign(key, 'base64url')
  const form = { grant_type: GRANT_TYPE, assertion: `${head}.${signature}`, ...wrong.form }
  return answered(await fetch(serviceAccount.token_uri, { method: 'POST', body: new URLSearchParams(form) }))
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}

async function answered(response: Response): Promise<Answered> {
  return { status: response.status, body: await response.json(), headers: response.headers }
}

export const TEXT = { contentMessage: { text: 'Bonjour' } }

type Platform = Pick<Rbm, 'url' | 'agentId' | 'serviceAccount'>

export class Caller {
  readonly #rbm: Platform
  token = ''

  constructor(rbm: Platform) {
    this.#rbm = rbm
  }

  async renew(): Promise<void> {
    this.token = (await askForToken(this.#rbm)).body.access_token
  }

  async call(method: string, path: string, body?: unknown, signal?: AbortSignal): Promise<Answered> {
    const response = await fetch(`${this.#rbm.url}${path}`, {
      method,
      headers: { authorization: `Bearer ${this.token}`, 'content-type': 'application/json' },
      ...(signal && { signal }),
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) })
    })
    return answered(response)
  }

  send(phone: string, body: unknown = TEXT, messageId: string = randomUUID()): Promise<Answered> {
    return this.call('POST', this.pathOf(phone, messageId), body)
  }

  pathOf(phone: string, messageId: string): string {
    return `/v1/phones/${phone}/agentMessages?messageId=${messageId}&agentId=${this.#agent}`
  }

  /** Sends messages one after the other, and returns their statuses. */
  async sendMany(phone: string, count: number): Promise<number[]> {
    const statuses: number[] = []
    for (let index = 0; index < count; index++) statuses.push((await this.send(phone)).status)
    return statuses
  }

  revoke(phone: string, messageId: string): Promise<Answered> {
    return this.call('DELETE', `/v1/phones/${phone}/agentMessages/${messageId}?agentId=${this.#agent}`)
  }

  check(phone: string, requestId: string = randomUUID()): Promise<Answered> {
    return this.call('GET', `/v1/phones/${phone}/capabilities?requestId=${requestId}&agentId=${this.#agent}`)
  }

  checkBatch(users: unknown): Promise<Answered> {
    return this.call('POST', '/v1/users:batchGet', { users, agentId: this.#rbm.agentId })
  }

  get #agent(): string {
    return encodeURIComponent(this.#rbm.agentId)
  }
}

export interface Hook {
  url: string
  /** The bodies as they came, without challenges. */
  pushes: { headers: IncomingHttpHeaders; body: Json; at: number }[]
  /** The decoded contents; an event with a wrong signature is `forged`. */
  events(): Json[]
  /** Waits for this many events. */
  waitFor(count: number): Promise<Json[]>
  /** The most concurrent posts. */
  mostAtOnce: number
}

/** A webhook that checks events as the platform's guide says, and gives the answers that a test sets. */
export async function startHook(
  t: TestContext,
  rbm: Rbm,
  answer: (event: Json) => number | Promise<number> = () => 200
): Promise<Hook> {
  let underWay = 0
  const server = createServer(async (request, response) => {
    let text = ''
    for await (const chunk of request) text += chunk
    const body = JSON.parse(text)
    if (body.secret !== undefined && body.clientToken === rbm.webhookToken) return response.end(body.secret)
    hook.mostAtOnce = Math.max(hook.mostAtOnce, ++underWay)
    hook.pushes.push({ headers: request.headers, body, at: Date.now() })
    response.statusCode = await answer(decode(body))
    underWay--
    return response.end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  atEnd(t, () => {
    server.closeAllConnections()
    server.close()
  })
  const events = () =>
    hook.pushes.map(({ headers, body }) => {
      const data = Buffer.from(body.message.data, 'base64')
      const signature = createHmac('sha512', rbm.webhookToken).update(data).digest('base64')
      return headers['x-goog-signature'] === signature ? decode(body) : 'forged'
    })
  const hook: Hook = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/events`,
    pushes: [],
    mostAtOnce: 0,
    events,
    waitFor: (count) =>
      eventually(() => {
        assert.ok(hook.pushes.length >= count, `${hook.pushes.length} of ${count} events came`)
        return events()
      })
  }
  return hook
}

function decode(push: Json): Json {
  return JSON.parse(Buffer.from(push.message.data, 'base64').toString())
}

export interface Started {
  rbm: Rbm
  caller: Caller
  hook: Hook
}

/** A platform, a client with a token, and a webhook that accepts every event. */
export async function startAll(t: TestContext, faults = '', options: Partial<RbmOptions> = {}): Promise<Started> {
  const rbm = await start(t, options)
  const caller = new Caller(rbm)
  await caller.renew()
  const hook = await startHook(t, rbm)
  assert.equal(await rbm.setWebhook(hook.url), true)
  rbm.apply(faults)
  return { rbm, caller, hook }
}

import { generateKeyPairSync } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'
import pino from 'pino'
import type { CapabilityCache, Carrier, CarrierLimits, OutboundMessage } from '../carrier.ts'
import { type RbmCarrierOptions, startRbmCarrier } from './rbm-carrier.ts'
import type { ServiceAccountKey } from './rbm-settings.ts'
import { RBM_TIMINGS, type RbmTimings } from './rbm-timings.ts'
import type { RbmCarrierSettings } from './read-rbm.ts'

/* A carrier to test, and a platform that answers whatever it is told to: the one of simulator/ answers as the real one does. */

export const SILENT_LOG = pino({ level: 'silent' })
export const WEBHOOK_TOKEN = 'SJENCPGJESMGUFPY'
export const PHONE = '+33612345678'

/** As in the service, with shorter waits. */
export const TIMINGS: RbmTimings = {
  ...RBM_TIMINGS,
  backoff: { minMs: 20, maxMs: 80 },
  refusedBackoff: { minMs: 300, maxMs: 600 },
  listWaitMs: 5_000
}

export interface RawCall {
  method: string
  /** Without its query. */
  path: string
  query: URLSearchParams
  bearer: string | undefined
  body: string
}

/** Gives tokens t1, t2 … and takes everything; each may be replaced by a test. */
export class RawPlatform {
  readonly calls: RawCall[] = []
  /** The bodies of the requests for a token. */
  readonly tokenRequests: string[] = []
  onToken: (response: ServerResponse) => void = (response) => {
    answer(response, 200, { access_token: `t${this.tokenRequests.length}`, expires_in: 3_600, token_type: 'Bearer' })
  }
  onCall: (call: RawCall, response: ServerResponse) => void = (_, response) => answer(response, 200, {})
  readonly #server: Server

  constructor() {
    this.#server = createServer((request, response) => this.#read(request, response))
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  get tokens(): number {
    return this.tokenRequests.length
  }

  /** Of those that are messages. */
  get sends(): RawCall[] {
    return this.calls.filter(({ method, path }) => method === 'POST' && path.endsWith('/agentMessages'))
  }

  async start(port = 0): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(port, '127.0.0.1', resolve))
    return this
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  #read(request: IncomingMessage, response: ServerResponse): void {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString()
      const [path = '', search = ''] = (request.url ?? '').split('?', 2)
      if (path === '/token') {
        this.tokenRequests.push(body)
        this.onToken(response)
        return
      }
      const bearer = request.headers.authorization?.replace('Bearer ', '')
      const call = { method: request.method ?? '', path, query: new URLSearchParams(search), bearer, body }
      this.calls.push(call)
      this.onCall(call, response)
    })
  }
}

export function answer(
  response: ServerResponse,
  status: number,
  body: object | string,
  headers: Record<string, string> = {}
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers })
  response.end(typeof body === 'string' ? body : JSON.stringify(body))
}

/** As the platform writes it: google.rpc.Status. */
export function refuse(response: ServerResponse, code: number, status: string, headers: Record<string, string> = {}) {
  answer(response, code, { error: { code, message: `That is ${code}.`, status } }, headers)
}

export class MemoryCache implements CapabilityCache {
  readonly known = new Map<string, boolean>()
  finds = 0
  stores = 0

  async find(_: string, phones: readonly string[]): Promise<Map<string, boolean>> {
    this.finds++
    return new Map(phones.flatMap((phone) => (this.known.has(phone) ? [[phone, this.known.get(phone) === true]] : [])))
  }

  async store(_: string, known: ReadonlyMap<string, boolean>): Promise<void> {
    this.stores++
    for (const [phone, isCapable] of known) this.known.set(phone, isCapable)
  }
}

/** Says yes to everybody until a test says otherwise. */
export class RecordedLimits implements Pick<CarrierLimits, 'takeThroughput'> {
  readonly asked: [carrier: string, perSecond: number, wanted: number][] = []
  grant: () => { granted: number; waitMs: number } = () => ({ granted: 1, waitMs: 0 })

  async takeThroughput(carrier: string, perSecond: number, wanted: number) {
    this.asked.push([carrier, perSecond, wanted])
    return this.grant()
  }
}

class RecordedChanges {
  changes = 0
  onChange(): void {
    this.changes++
  }
}

let pem: string | undefined

/** Made once: it takes a tenth of a second. */
export function testKey(url: string): ServiceAccountKey {
  pem ??= generateKeyPairSync('rsa', {
    modulusLength: 2048,
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' }
  }).privateKey
  return { clientEmail: 'agent@project.iam.gserviceaccount.com', privateKey: pem, tokenUri: `${url}/token` }
}

export interface TestCarrier {
  carrier: Required<Carrier>
  settings: RbmCarrierSettings
  cache: MemoryCache
  limits: RecordedLimits
  events: RecordedChanges
}

/** Stopped when the test ends. */
export function startTestCarrier(
  t: TestContext,
  platform: { url: string; key?: ServiceAccountKey; agentId?: string; webhookToken?: string },
  options: Partial<Omit<RbmCarrierOptions, 'settings' | 'cache'>> & { fallbackDelay?: number } = {}
): TestCarrier {
  const { url, key = testKey(url), agentId = 'brand@rbm.goog', webhookToken = WEBHOOK_TOKEN } = platform
  const { fallbackDelay, timings, ...others } = options
  const cache = new MemoryCache()
  const limits = new RecordedLimits()
  const events = new RecordedChanges()
  const settings: RbmCarrierSettings = {
    name: 'rcs',
    type: 'rbm',
    agentId,
    serviceAccount: 'key.json',
    baseUrl: url,
    webhookToken,
    key,
    ...(fallbackDelay !== undefined && { fallbackDelay })
  }
  const carrier = startRbmCarrier({
    fallbackSeconds: 300,
    messageIdKey: webhookToken,
    limits,
    events,
    log: SILENT_LOG,
    ...others,
    cache,
    timings: { ...TIMINGS, ...timings },
    settings
  })
  t.after(() => carrier.stop())
  return { carrier, settings, cache, limits, events }
}

export async function startRawPlatform(t: TestContext): Promise<RawPlatform> {
  const platform = await new RawPlatform().start()
  t.after(() => platform.stop())
  return platform
}

let reference = 1_000

/** Each has another reference, unless one is given. */
export function toMessage(fields: Partial<OutboundMessage> = {}): OutboundMessage {
  return {
    reference: reference++,
    from: 'brand@rbm.goog',
    to: PHONE,
    text: 'Bonjour',
    rcs: { type: 'text', data: { text: 'Bonjour' } },
    expiresAt: new Date(Date.now() + 3_600_000),
    ...fields
  }
}

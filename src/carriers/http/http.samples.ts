import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'
import { pino } from 'pino'
import type { Carrier, CarrierEvents } from '../carrier.ts'
import { parseCarriersFile } from '../carriers-file.ts'
import { CarriersFileMistakes } from '../mistakes.ts'
import { startHttpCarrier } from './http-carrier.ts'
import type { HttpTimings } from './http-timings.ts'
import type { HttpCarrierSettings } from './read-http.ts'

/* A provider of the tests: a real HTTP server that does with each request what the test says. */

export interface Got {
  method: string
  url: URL
  headers: IncomingMessage['headers']
  text: string
}

export type OnRequest = (got: Got, response: ServerResponse) => void

export interface Provider {
  url: string
  got: Got[]
  onRequest: OnRequest
  /** Closes all connections, and takes no more. */
  stop(): void
}

export async function startProvider(t: TestContext, onRequest: OnRequest): Promise<Provider> {
  const stop = () => {
    server.closeAllConnections()
    server.close()
  }
  const provider: Provider = { url: '', got: [], onRequest, stop }
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk) => chunks.push(chunk))
    request.on('end', () => {
      const url = new URL(request.url ?? '/', provider.url)
      const got = {
        method: request.method ?? '',
        url,
        headers: request.headers,
        text: Buffer.concat(chunks).toString()
      }
      provider.got.push(got)
      provider.onRequest(got, response)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  provider.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  t.after(stop)
  return provider
}

export function answerJson(response: ServerResponse, status: number, body: unknown, headers = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
}

export const PHONE = '+33639980001'

/** A carrier as the carriers file describes it. */
export function toCarrier(url: string, fields: object = {}): Record<string, unknown> {
  return {
    name: 'web',
    type: 'http',
    callbackUrl: 'https://sms.example.com',
    secrets: { key: 'k-1', hook: 'h-1' },
    request: {
      url: `${url}/send`,
      headers: { 'X-Key': '{{secret:key}}', 'Idempotency-Key': '{{idempotency_key}}' },
      json: { to: '{{to}}', from: '{{from}}', text: '{{text}}', hook: '{{callback:receipts}}' }
    },
    answer: { id: 'id', code: 'error.code', reason: 'error.message' },
    receipts: {
      proof: { by: 'hmac', header: 'X-Signature', secret: '{{secret:hook}}' },
      items: 'reports',
      id: 'id',
      state: 'state',
      phone: 'to',
      at: 'at',
      errorCode: 'error',
      states: { DELIVERED: 'delivered', FAILED: 'failed', QUEUED: 'pending' }
    },
    replies: {
      proof: { by: 'address', secret: '{{secret:hook}}' },
      id: 'id',
      from: 'from',
      to: 'to',
      text: 'text'
    },
    numbers: ['36111'],
    answerTimeout: 2,
    ...fields
  }
}

export function toFile(...carriers: object[]): string {
  const names = carriers.map((carrier) => (carrier as { name: string }).name)
  return JSON.stringify({ carriers, routes: [{ channel: 'sms', prefix: '', carriers: names }] })
}

export function readOne(carrier: object): HttpCarrierSettings {
  const { carriers } = parseCarriersFile(toFile(carrier), { path: 'carriers.json', folder: '.' })
  return carriers[0]?.settings as HttpCarrierSettings
}

/** The mistakes of a file with this carrier, without the file and the line. */
export function mistakesOf(carrier: object): string[] {
  try {
    readOne(carrier)
    return []
  } catch (error) {
    if (!(error instanceof CarriersFileMistakes)) throw error
    return error.mistakes.map((mistake) => mistake.replace(/^carriers\.json, line 1, carriers\[0\]\.?/, ''))
  }
}

export const SILENT_LOG = pino({ level: 'silent' })

const NO_EVENTS: Pick<CarrierEvents, 'onChange'> = { onChange: () => undefined }

const FAST: Partial<HttpTimings> = { repeatMs: 10, backoff: { minMs: 20, maxMs: 40 }, turnWaitMs: 500, stopMs: 1_000 }

/** A running carrier of this description, which is up. */
export async function startTestCarrier(
  t: TestContext,
  carrier: object,
  timings: Partial<HttpTimings> = {}
): Promise<{ carrier: Carrier; settings: HttpCarrierSettings }> {
  const settings = readOne(carrier)
  const count = () => undefined
  const running = startHttpCarrier({
    settings,
    idKey: 'the key of this test',
    events: NO_EVENTS,
    limits: { takeThroughput: async (_carrier, _perSecond, wanted) => ({ granted: wanted, waitMs: 0 }) },
    metrics: { submits: count, answers: count, silences: count, lateAnswers: count, receipts: count, replies: count },
    log: SILENT_LOG,
    timings: { ...FAST, ...timings }
  })
  t.after(() => running.stop())
  while (!running.status().isUp) await new Promise((resolve) => setImmediate(resolve))
  return { carrier: running, settings }
}

import { createHash, timingSafeEqual } from 'node:crypto'
import { once } from 'node:events'
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Client } from '@chappe/client'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import { createServer } from './tools.ts'

/*
 * The protocol over HTTP, without sessions: each request is answered by a server of its own, so nothing is kept between
 * them. A page in a browser must not reach it: the names of hosts and origins are checked, and every request has a token.
 */

const BODY_BYTES_MAX = 1024 * 1024
const REQUESTS_MAX = 20
const CONNECTIONS_MAX = 100
const RECEIVING_MS = 15_000
const PATH = '/mcp'

export interface HttpOptions {
  host: string
  /** 0 for any that is free. */
  port: number
  /** What a client sends as `Authorization: Bearer …`. */
  token: string
  /** Names of this server beside its own, such as that of a proxy before it. */
  hosts?: readonly string[]
  /** Pages that may ask, such as `https://assistant.example`. None by default. */
  origins?: readonly string[]
}

export interface RunningServer {
  url: string
  close(): Promise<void>
}

export async function serveHttp(client: Client, options: HttpOptions): Promise<RunningServer> {
  let running = 0
  const server = createHttpServer(
    { headersTimeout: RECEIVING_MS, requestTimeout: RECEIVING_MS },
    (request, response) => {
      const refusal = refusalOf(request, options) ?? (running >= REQUESTS_MAX ? BUSY : undefined)
      if (refusal) return refuse(response, refusal)
      running++
      response.once('close', () => {
        running--
      })
      answer(client, request, response).catch(() => response.destroy())
    }
  )
  server.maxConnections = CONNECTIONS_MAX
  server.listen(options.port, options.host)
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://${inAddress(options.host)}:${port}${PATH}`,
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    }
  }
}

/** As a client writes it: in small letters, an address of IPv6 in its short form. */
function toName(host: string): string {
  return URL.parse(`http://${host}`)?.hostname ?? host.toLowerCase()
}

/** As an address names this host. */
function inAddress(host: string): string {
  return host.includes(':') ? `[${host}]` : host
}

async function answer(client: Client, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const server = createServer(client)
  const transport = new StreamableHTTPServerTransport({ enableJsonResponse: true, maxRequestBodySize: BODY_BYTES_MAX })
  response.once('close', () => void server.close())
  // The SDK declares some callbacks as optional in a way that our compiler settings tell apart.
  await server.connect(transport as Parameters<typeof server.connect>[0])
  await transport.handleRequest(request, response)
}

interface Refused {
  status: number
  error: string
  headers?: Record<string, string>
}

const BUSY: Refused = {
  status: 503,
  error: 'Too many requests are in progress; ask again.',
  headers: { 'retry-after': '1' }
}

const LOOPBACK = ['127.0.0.1', 'localhost', '[::1]']

function refusalOf({ headers, method, url }: IncomingMessage, options: HttpOptions): Refused | undefined {
  const { host = '', origin, authorization = '' } = headers
  const name = host.replace(/:\d+$/, '').toLowerCase()
  const names = [...LOOPBACK, ...[inAddress(options.host), ...(options.hosts ?? [])].map(toName)]
  if (!names.includes(name)) return { status: 403, error: 'This server is asked by another name than its own.' }
  if (origin !== undefined && !options.origins?.includes(origin)) {
    return { status: 403, error: 'Pages of this origin may not ask this server.' }
  }
  if (!isToken(authorization, options.token)) {
    return { status: 401, error: 'The token is missing or wrong.', headers: { 'www-authenticate': 'Bearer' } }
  }
  // A path such as // is no address.
  if (URL.parse(url ?? '', 'http://host')?.pathname !== PATH) return { status: 404, error: `The path is ${PATH}.` }
  return method === 'POST' ? undefined : { status: 405, error: 'Only POST is answered.', headers: { allow: 'POST' } }
}

function isToken(authorization: string, token: string): boolean {
  const hash = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(hash(authorization), hash(`Bearer ${token}`))
}

function refuse(response: ServerResponse, { status, error, headers }: Refused): void {
  // What is on its way is not read.
  response.writeHead(status, { 'content-type': 'application/json', connection: 'close', ...headers })
  response.end(JSON.stringify({ jsonrpc: '2.0', error: { code: -32_000, message: error }, id: null }))
}

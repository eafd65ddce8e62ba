import { Agent, request } from 'node:http'
import type { TestContext } from 'node:test'
import type { ApiAnswer } from '../service/api-client.ts'
import { atEnd } from '../service/cleanup.ts'

/** How long a stream of events is listened to. */
const STREAM_MS = 60
const TIMEOUT_MS = 30_000

export interface RawRequest {
  method: string
  url: string
  headers: Record<string, string | string[]>
  body?: string | Buffer | undefined
}

export type Ask = (request: RawRequest) => Promise<ApiAnswer>

/** Asks without helping: whatever the headers and the path are, they go out as they are. */
export function createAsk(t: TestContext): Ask {
  const agent = new Agent({ keepAlive: true, maxSockets: 8 })
  atEnd(t, () => agent.destroy())
  return ({ method, url, headers, body }) => {
    const { promise, resolve, reject } = Promise.withResolvers<ApiAnswer>()
    const { hostname, port } = new URL(url)
    const path = url.slice(url.indexOf('/', 'http://'.length))
    const outgoing = request({ agent, hostname, port, path, method, headers, timeout: TIMEOUT_MS }, (response) => {
      const chunks: Buffer[] = []
      const done = () => {
        const text = Buffer.concat(chunks).toString()
        const isJson = response.headers['content-type']?.startsWith('application/json')
        const answer = { status: response.statusCode ?? 0, headers: toHeaders(response.headersDistinct), text }
        resolve({ ...answer, body: isJson ? JSON.parse(text) : undefined })
      }
      response.on('data', (chunk) => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () => {
        try {
          done()
        } catch (error) {
          reject(error)
        }
      })
      if (!response.headers['content-type']?.startsWith('text/event-stream')) return
      // It never ends by itself.
      response.removeAllListeners('error').on('error', () => undefined)
      setTimeout(() => {
        done()
        outgoing.destroy()
      }, STREAM_MS)
    })
    outgoing.on('error', reject)
    outgoing.on('timeout', () => outgoing.destroy(new Error(`${method} ${path.slice(0, 200)} was not answered`)))
    outgoing.end(body)
    return promise
  }
}

function toHeaders(distinct: NodeJS.Dict<string[]>): Headers {
  const headers = new Headers()
  for (const [name, values = []] of Object.entries(distinct)) for (const value of values) headers.append(name, value)
  return headers
}

import { once } from 'node:events'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'
import { atEnd } from '../service/cleanup.ts'

/**
 * What happens to a request on its way. `cut`: the service does its work, and the connection breaks before the answer.
 * `half`: it breaks after a part of the answer. `busy` and `limited`: a proxy answers 503 or 429 in its place. `silent`: no
 * answer at all.
 */
export type Fate = 'pass' | 'cut' | 'half' | 'busy' | 'limited' | 'silent'

export interface UnreliableProxy {
  url: string
  /** The Idempotency-Key of each request that came. */
  keys: (string | undefined)[]
  /** The next requests meet these; all others pass. */
  plan(...fates: Fate[]): void
}

/** A proxy before the service, which treats requests as the test says. */
export async function startUnreliableProxy(t: TestContext, serviceUrl: string): Promise<UnreliableProxy> {
  const planned: Fate[] = []
  const keys: (string | undefined)[] = []
  const server = createServer((incoming, answer) => {
    keys.push(incoming.headers['idempotency-key'] as string | undefined)
    const fate = planned.shift() ?? 'pass'
    if (fate === 'silent') return void incoming.resume()
    if (fate === 'busy' || fate === 'limited') {
      incoming.resume()
      answer.writeHead(fate === 'busy' ? 503 : 429, { 'retry-after': '0', 'content-type': 'text/html' })
      return void answer.end('<h1>Busy</h1>')
    }
    const outgoing = request(
      serviceUrl + incoming.url,
      { method: incoming.method, headers: incoming.headers },
      (response) => {
        if (fate === 'cut') {
          response.resume()
          response.once('end', () => incoming.socket.destroy())
        } else if (fate === 'half') {
          answer.writeHead(response.statusCode ?? 500, { 'content-type': 'application/json' })
          response.once('data', (chunk: Buffer) => {
            answer.write(chunk.subarray(0, -1), () => incoming.socket.destroy())
          })
        } else {
          answer.writeHead(response.statusCode ?? 500, response.headers)
          response.pipe(answer)
        }
      }
    )
    outgoing.once('error', () => incoming.socket.destroy())
    incoming.pipe(outgoing)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  atEnd(t, async () => {
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
  })
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, keys, plan: (...fates) => void planned.push(...fates) }
}

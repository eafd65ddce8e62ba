import { type AddressInfo, connect, createServer, type NetConnectOpts } from 'node:net'
import { Transform } from 'node:stream'
import type { TestContext } from 'node:test'
import { atEnd } from '../service/cleanup.ts'

/** Changes what comes back from the other end. */
export type Rewrite = (chunk: Buffer) => Buffer

/**
 * A TCP port that leads elsewhere: to a Unix socket, as if the embedded server were on another machine, or to a port, with
 * what comes back rewritten.
 */
export async function startProxy(
  t: TestContext,
  target: string | NetConnectOpts,
  rewrite: Rewrite = (chunk) => chunk
): Promise<number> {
  const sockets = new Set<{ destroy(): void }>()
  const server = createServer((client) => {
    const upstream = connect(typeof target === 'string' ? { path: target } : target)
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      // Either side may go at any time; then the other goes too.
      socket.on('error', () => socket.destroy())
      socket.on('close', () => {
        sockets.delete(socket)
        client.destroy()
        upstream.destroy()
      })
    }
    client.pipe(upstream)
    const back = new Transform({ transform: (chunk, _encoding, done) => done(null, rewrite(chunk)) })
    upstream.pipe(back).pipe(client)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  atEnd(t, async () => {
    for (const socket of sockets) socket.destroy()
    await new Promise((resolve) => server.close(resolve))
  })
  return (server.address() as AddressInfo).port
}

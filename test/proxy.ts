import { type AddressInfo, connect, createServer } from 'node:net'
import type { TestContext } from 'node:test'
import { atEnd } from './cleanup.ts'

/** A TCP port that leads to a Unix socket: the embedded server as if it were on another machine. */
export async function startProxy(t: TestContext, socketPath: string): Promise<number> {
  const sockets = new Set<{ destroy(): void }>()
  const server = createServer((client) => {
    const upstream = connect(socketPath)
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
    upstream.pipe(client)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  atEnd(t, async () => {
    for (const socket of sockets) socket.destroy()
    await new Promise((resolve) => server.close(resolve))
  })
  return (server.address() as AddressInfo).port
}

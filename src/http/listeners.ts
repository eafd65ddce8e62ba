import { once } from 'node:events'
import type { Server as HttpServer } from 'node:http'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'

/*
 * Node takes one new connection from a listening socket in each turn of its event loop. A turn in which a thousand requests are
 * refused takes 50 ms or more, so whoever had no connection yet would wait for many seconds, while those who flood us over
 * connections that they have are served. With several sockets on one address, the system spreads new connections over
 * them, and each turn takes as many.
 */

/** Where several sockets may share an address and the system spreads connections evenly. */
const CAN_SHARE = process.platform === 'linux'

/** Listens on this address, which nobody else may do. */
export async function listen(app: FastifyInstance, { port, host }: { port: number; host: string }): Promise<string> {
  // Two of us could share it as well, and each would get some of the other's requests.
  if (CAN_SHARE && port !== 0) await close(await open(createServer(), { port, host }))
  return app.listen({ port, host, ...(CAN_SHARE && { reusePort: true }) })
}

/** More sockets on the address of a server that listens, and may have so many connections in all. */
export function createListeners(
  server: HttpServer,
  { connectionsMax, listeners }: { connectionsMax: number; listeners: number }
) {
  const others: Server[] = []
  let closing: Promise<unknown> = Promise.resolve()
  let connections = 0
  // Not the server's own `maxConnections`, which knows nothing of the other sockets.
  server.prependListener('connection', (socket: Socket) => {
    if (connections >= connectionsMax) return void socket.destroy()
    connections++
    socket.once('close', () => connections--)
  })
  return {
    async open(): Promise<void> {
      const address = server.address() as AddressInfo
      while (CAN_SHARE && others.length < listeners - 1) {
        // As Node's own HTTP server makes its sockets.
        const other = createServer({ allowHalfOpen: true, noDelay: true }, (socket) =>
          server.emit('connection', socket)
        )
        others.push(await open(other, { port: address.port, host: address.address, reusePort: true }))
      }
    },
    /** No connection is taken any more. */
    stop(): void {
      closing = Promise.all(others.map(close))
    },
    /** All connections are gone. */
    untilClosed: () => closing
  }
}

async function open(server: Server, options: { port: number; host: string; reusePort?: boolean }): Promise<Server> {
  server.listen(options)
  await once(server, 'listening')
  return server
}

function close(server: Server): Promise<unknown> {
  return new Promise((closed) => server.close(closed))
}

import { once } from 'node:events'
import type { Server as HttpServer } from 'node:http'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'

/*
 * Node accepts one new connection per listening socket in each turn of its event loop. A turn in which a thousand
 * requests are refused takes 50 ms or more. So a new client would wait for many seconds, while clients that flood us
 * over existing connections are served. With several sockets on one address, the system spreads new connections over
 * them, and each turn accepts as many.
 */

/** The systems on which several sockets may share an address, with connections spread evenly. */
const CAN_SHARE = process.platform === 'linux'

/** Listens on this address alone. */
export async function listen(app: FastifyInstance, { port, host }: { port: number; host: string }): Promise<string> {
  // Two processes of Chappe could share an address as well, and each would get some of the other's requests.
  if (CAN_SHARE && port !== 0) await tryToListen({ port, host })
  return app.listen({ port, host, ...(CAN_SHARE && { reusePort: true }) })
}

/** Rejects, as `listen` would, if the address can't be listened on. */
export async function tryToListen({ port, host }: { port: number; host: string }): Promise<void> {
  await close(await open(createServer(), { port, host }))
}

/** Adds sockets to the address of a server that listens, and limits the connections of all sockets together. */
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
    /** Accepts no more connections. */
    stop(): void {
      closing = Promise.all(others.map(close))
    },
    /** Resolves when all connections are gone. */
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

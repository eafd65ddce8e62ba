import { type AddressInfo, connect, createServer, type NetConnectOpts, type Socket } from 'node:net'
import type { TestContext } from 'node:test'
import { atEnd } from '../service/cleanup.ts'

/** An address on this machine, and the way from there to a server, which a test may close, silence or lead elsewhere. */
export interface Address {
  port: number
  /** As if the packets of both directions vanished: nothing is closed, nothing arrives, connections are taken and lead nowhere. */
  silence(): void
  /** All that has vanished arrives after all, as TCP would repeat it. */
  hear(): void
  /** Ends all connections and refuses new ones, on the same port. */
  close(): Promise<void>
  open(): Promise<void>
  /** New connections lead elsewhere from now on; those that are there stay where they are. */
  moveTo(target: NetConnectOpts): void
  /** Ends the connections that are there. */
  cut(): void
  /** Ends them at the server's end only, and nobody at this end is told: its machine has vanished, and another has taken its place. */
  strand(): void
  /** How many are connected. */
  readonly connectionCount: number
}

export async function startAddress(t: TestContext, target: NetConnectOpts): Promise<Address> {
  const pairs = new Set<readonly [Socket, Socket]>()
  const stranded = new Set<Socket>()
  let isSilent = false
  let to = target
  const server = createServer({ pauseOnConnect: true }, (client) => {
    const upstream = connect(to)
    const pair = [client, upstream] as const
    pairs.add(pair)
    for (const [one, other] of [pair, pair.toReversed() as [Socket, Socket]]) {
      one.on('data', (chunk) => {
        if (!other.write(chunk)) one.pause()
      })
      one.on('drain', () => {
        if (!isSilent) other.resume()
      })
      one.on('error', () => one.destroy()) // Either side may go at any time; then the other goes too.
      one.on('close', () => {
        pairs.delete(pair)
        if (!stranded.has(other)) other.destroy()
      })
      if (isSilent) one.pause()
      else one.resume()
    }
  })
  const listen = (port: number) => new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  await listen(0)
  const { port } = server.address() as AddressInfo
  const address: Address = {
    port,
    silence() {
      isSilent = true
      for (const socket of [...pairs].flat()) socket.pause()
    },
    hear() {
      isSilent = false
      for (const socket of [...pairs].flat()) socket.resume()
    },
    async close() {
      const closed = new Promise((resolve) => server.close(resolve))
      address.cut()
      for (const socket of stranded) socket.destroy()
      await closed
    },
    open: () => listen(port),
    moveTo(target) {
      to = target
    },
    cut() {
      for (const socket of [...pairs].flat()) socket.destroy()
    },
    strand() {
      for (const [client, upstream] of pairs) {
        stranded.add(client.pause())
        upstream.destroy()
      }
    },
    get connectionCount() {
      return pairs.size
    }
  }
  atEnd(t, () => (server.listening ? address.close() : undefined))
  return address
}

import { connect, type Socket } from 'node:net'

/** The result of opening many links. */
export interface Opened {
  seconds: number
  /** The time of each, in milliseconds. */
  latencies: Float64Array
}

const HEAD_END = Buffer.from('\r\n\r\n')

/**
 * Opens links over several connections, one after the other on each; fails at the first answer that is no redirect. The bytes
 * are written by hand: the load must not take the cores of the measured service.
 */
export async function openLinks(
  url: string,
  { count, connections, requestOf }: { count: number; connections: number; requestOf(index: number): string }
): Promise<Opened> {
  const { hostname, port } = new URL(url)
  const latencies = new Float64Array(count)
  let next = 0
  const start = performance.now()
  await Promise.all(
    Array.from({ length: Math.min(connections, count) }, async () => {
      const socket = connect({ host: hostname, port: Number(port), noDelay: true })
      try {
        for (let index = next++; index < count; index = next++) {
          const startedAt = performance.now()
          socket.write(requestOf(index))
          await redirectFrom(socket)
          latencies[index] = performance.now() - startedAt
        }
      } finally {
        socket.destroy()
      }
    })
  )
  return { seconds: (performance.now() - start) / 1000, latencies }
}

/** A redirect has no body, so it ends with its head. */
function redirectFrom(socket: Socket): Promise<void> {
  return new Promise((resolve, reject) => {
    let head: Buffer = Buffer.alloc(0)
    const settle = (problem?: Error) => {
      socket.removeAllListeners()
      if (problem) reject(problem)
      else resolve()
    }
    socket.on('error', settle)
    socket.on('close', () => settle(new Error('a connection was closed')))
    socket.on('data', (chunk: Buffer) => {
      head = head.length === 0 ? chunk : Buffer.concat([head, chunk])
      if (!head.includes(HEAD_END)) return
      const text = head.toString('latin1')
      const isRedirect = text.startsWith('HTTP/1.1 302') && text.includes('shop.example')
      settle(isRedirect ? undefined : new Error(`no redirect:\n${text}`))
    })
  })
}

/** The sum of several turns. */
export class Measured {
  seconds = 0
  #latencies: number[] = []
  /** Of a core: its own, and those of its database. */
  #cpuSeconds: number[] = []

  async add(work: () => Promise<Opened>, used: () => Promise<number[]>): Promise<void> {
    const before = await used()
    const { seconds, latencies } = await work()
    const after = await used()
    this.seconds += seconds
    for (const latency of latencies) this.#latencies.push(latency)
    this.#cpuSeconds = after.map((now, index) => (this.#cpuSeconds[index] ?? 0) + now - (before[index] ?? 0))
  }

  describe(): string {
    const count = this.#latencies.length
    const sorted = this.#latencies.toSorted((a, b) => a - b)
    const percentile = (share: number) => (sorted[Math.floor(count * share)] ?? 0).toFixed(1)
    const [own, database] = this.#cpuSeconds.map((seconds) => `${((seconds / count) * 1e6).toFixed(0)} µs`)
    const cpu = database === undefined ? `CPU ${own} each` : `CPU ${own} each, and of PostgreSQL ${database}`
    return `${(count / this.seconds).toFixed(0)}/s (95 % within ${percentile(0.95)} ms, 99 % ${percentile(0.99)} ms; ${cpu})`
  }
}

import { connect, type Socket } from 'node:net'
import { REQUESTS_MAX, type Stream, textOf } from './requests.ts'

/*
 * A process that makes load. Requests leave by the clock, whether or not earlier ones were answered; a connection carries one
 * at a time, and more are opened as they are needed. Bare sockets, because a client that does more than this on a machine
 * that it shares with the service would measure itself.
 */

const GIVE_UP_MS = 10_000
const TICK_MS = 1
const SWEEP_MS = 100

/** What became of a request, beside a status of HTTP. */
export const OUTCOMES = { unsent: 1, refused: 2, reset: 3, late: 4, malformed: 5 } as const

export interface Order {
  host: string
  port: number
  streams: Stream[]
}

/** What became of a stream: an entry for each of its requests, by its number. */
export interface Outcome {
  stream: Stream
  /** How many requests were due by the clock. */
  due: number
  seconds: number
  /** A status of HTTP, or one of `OUTCOMES`. */
  statuses: Uint16Array
  /** From the moment it was due, so that waiting for a connection counts. */
  latenciesMs: Float32Array
  withoutRetryAfter: number
  connectionsOpened: number
}

// Whoever asked for the load has died.
process.once('disconnect', () => process.exit())
process.once('message', (order: Order) => {
  void Promise.all(order.streams.map((stream) => run(stream, order))).then((outcomes) => {
    process.send?.(outcomes, () => process.disconnect?.())
  })
})

interface Connection {
  socket: Socket
  /** The request that it carries; -1 for none. */
  number: number
  dueAt: number
  text: string
  isOpen: boolean
}

function run(stream: Stream, { host, port }: Order): Promise<Outcome> {
  const { perSecond, seconds, connectionsMax } = stream
  const isClosedLoop = perSecond === 0
  let statuses = new Uint16Array(isClosedLoop ? 100_000 : Math.ceil(perSecond * seconds) + 1)
  let latenciesMs = new Float32Array(statuses.length)
  const connections = new Set<Connection>()
  const idle: Connection[] = []
  /** Requests that are due and have no connection, in order. */
  let waiting: { number: number; dueAt: number }[] = []
  let due = 0
  let settled = 0
  let withoutRetryAfter = 0
  let connectionsOpened = 0
  const begin = performance.now()
  const end = begin + seconds * 1_000

  function settle(connection: Connection, status: number): void {
    if (connection.number === -1) return
    record(connection, status)
    connection.number = -1
  }

  function record({ number, dueAt }: { number: number; dueAt: number }, status: number): void {
    statuses[number] = status
    latenciesMs[number] = performance.now() - dueAt
    settled++
  }

  function open(): Connection {
    const socket = connect({ host, port, noDelay: true })
    const connection: Connection = { socket, number: -1, dueAt: 0, text: '', isOpen: false }
    connections.add(connection)
    connectionsOpened++
    socket.setEncoding('latin1')
    socket.once('connect', () => {
      connection.isOpen = true
    })
    socket.on('data', (chunk) => take(connection, chunk as unknown as string))
    socket.once('error', (error: NodeJS.ErrnoException) => {
      settle(connection, connection.isOpen && error.code !== 'ECONNREFUSED' ? OUTCOMES.reset : OUTCOMES.refused)
    })
    socket.once('close', () => {
      settle(connection, connection.isOpen ? OUTCOMES.reset : OUTCOMES.refused)
      connections.delete(connection)
    })
    return connection
  }

  function take(connection: Connection, chunk: string): void {
    connection.text = connection.text === '' ? chunk : connection.text + chunk
    const { text } = connection
    const headEnd = text.indexOf('\r\n\r\n')
    if (headEnd === -1) return
    const head = text.slice(0, headEnd).toLowerCase()
    const length = Number(/\r\ncontent-length: (\d+)/.exec(head)?.[1] ?? Number.NaN)
    const status = Number(head.slice(9, 12))
    if (!(length >= 0 && status >= 200)) {
      settle(connection, OUTCOMES.malformed)
      connection.socket.destroy()
      return
    }
    if (text.length < headEnd + 4 + length) return
    connection.text = ''
    if (status === 503 && !head.includes('\r\nretry-after: ')) withoutRetryAfter++
    settle(connection, status)
    if (head.includes('\r\nconnection: close')) {
      connection.socket.destroy()
      connections.delete(connection)
    } else if (isClosedLoop && performance.now() < end) {
      write(connection, { number: due++, dueAt: performance.now() })
    } else idle.push(connection)
  }

  function write(connection: Connection, { number, dueAt }: { number: number; dueAt: number }): void {
    if (number >= statuses.length) {
      statuses = grown(statuses, new Uint16Array(number * 2))
      latenciesMs = grown(latenciesMs, new Float32Array(number * 2))
    }
    connection.number = number
    connection.dueAt = dueAt
    connection.socket.write(textOf(stream, number, host))
  }

  function findConnection(): Connection | undefined {
    // The last one used first: those that are not needed any more stay idle, as in a pool of a client.
    for (let found = idle.pop(); found; found = idle.pop()) if (found.socket.writable) return found
    return connections.size < connectionsMax ? open() : undefined
  }

  function leave(): void {
    const now = performance.now()
    const dueBy = isClosedLoop ? 0 : Math.floor((Math.min(now, end) - begin) * (perSecond / 1_000))
    for (; due < dueBy && due < REQUESTS_MAX; due++) {
      waiting.push({ number: due, dueAt: begin + due / (perSecond / 1_000) })
    }
    let left = 0
    for (const request of waiting) {
      const connection = findConnection()
      if (!connection) break
      write(connection, request)
      left++
    }
    if (left > 0) waiting = waiting.slice(left)
  }

  function giveUp(): void {
    const before = performance.now() - GIVE_UP_MS
    for (const connection of connections) {
      if (connection.number === -1 || connection.dueAt > before) continue
      settle(connection, OUTCOMES.late)
      connection.socket.destroy()
      connections.delete(connection)
    }
    while (waiting[0] && waiting[0].dueAt < before)
      record(waiting.shift() as { number: number; dueAt: number }, OUTCOMES.unsent)
  }

  if (isClosedLoop) {
    for (let count = 0; count < connectionsMax; count++) write(open(), { number: due++, dueAt: performance.now() })
  }
  const { promise, resolve } = Promise.withResolvers<Outcome>()
  const ticking = setInterval(leave, TICK_MS)
  const sweeping = setInterval(() => {
    giveUp()
    if (performance.now() < end || settled < due) return
    clearInterval(ticking)
    clearInterval(sweeping)
    for (const { socket } of connections) socket.destroy()
    resolve({
      stream,
      due,
      seconds,
      statuses: statuses.slice(0, due),
      latenciesMs: latenciesMs.slice(0, due),
      withoutRetryAfter,
      connectionsOpened
    })
  }, SWEEP_MS)
  return promise
}

function grown<T extends Uint16Array | Float32Array>(from: T, to: T): T {
  to.set(from)
  return to
}

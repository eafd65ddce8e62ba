import { createConnection, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/*
 * A load generator that costs little CPU: autocannon needs as much for a request as a bare Fastify route, and on two cores
 * the service misses that CPU. It speaks just enough of HTTP/1.1: keep-alive, one request at a time on a connection,
 * answers with a content-length. An empty body makes a GET.
 */

export interface Load {
  url: string
  connections: number
  /** How many requests in all; without it, as many as are sent before `until` is true. */
  count?: number
  until?: () => boolean
  request(index: number): { path: string; headers: Readonly<Record<string, string>>; body: string }
  /** Called for an answer with the expected `status`. Any other status ends the run. */
  onAnswer?(answered: Answered): void | Promise<void>
  status?: number
}

export interface Answered {
  index: number
  body: string
  /** `performance.now()` */
  sentAt: number
  answeredAt: number
}

export interface Loaded {
  count: number
  seconds: number
  /** From request to answer, sorted. */
  tookMs: Float64Array
}

/** A server may close a connection: Kannel does so while it starts. Chappe may be overloaded on a busy machine. */
const TRIES_MAX = 5
const RETRY_MS = 200

/** Sends requests over several connections, each one after the other. */
export async function load({ url, connections, status = 200, ...options }: Load): Promise<Loaded> {
  const { count = Number.POSITIVE_INFINITY, until = () => false, request, onAnswer } = options
  const { hostname, port, host } = new URL(url)
  const tookMs: number[] = []
  let next = 0
  const start = performance.now()
  async function runConnection(): Promise<void> {
    let client = await openClient(hostname, Number(port))
    const ask = async (text: string): Promise<Answer> => {
      for (let tries = 1; ; tries++) {
        try {
          const answer = await client.ask(text)
          if (answer.status !== 503 || tries === TRIES_MAX) return answer
          await sleep(RETRY_MS)
        } catch (error) {
          if (tries === TRIES_MAX) throw error
          await sleep(RETRY_MS)
          client = await openClient(hostname, Number(port))
        }
      }
    }
    try {
      while (next < count && !until()) {
        const index = next++
        const { path, headers, body } = request(index)
        const sentAt = performance.now()
        const answer = await ask(toRequest(path, host, headers, body))
        const answeredAt = performance.now()
        tookMs.push(answeredAt - sentAt)
        if (answer.status !== status) throw new Error(`${path} answered ${answer.status}: ${answer.body}`)
        // A wait here is a pause of this connection.
        if (onAnswer) await onAnswer({ index, body: answer.body, sentAt, answeredAt })
      }
    } finally {
      client.close()
    }
  }
  await Promise.all(Array.from({ length: connections }, runConnection))
  const seconds = (performance.now() - start) / 1000
  return { count: tookMs.length, seconds, tookMs: Float64Array.from(tookMs).sort() }
}

export function percentile(sorted: ArrayLike<number>, share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
}

export function median(numbers: readonly number[]): number {
  return percentile(
    numbers.toSorted((a, b) => a - b),
    0.5
  )
}

function toRequest(path: string, host: string, headers: Readonly<Record<string, string>>, body: string): string {
  let head = `${body === '' ? 'GET' : 'POST'} ${path} HTTP/1.1\r\nhost: ${host}\r\n`
  for (const name of Object.keys(headers)) head += `${name}: ${headers[name]}\r\n`
  return `${head}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
}

interface Answer {
  status: number
  body: string
}

interface Client {
  ask(request: string): Promise<Answer>
  close(): void
}

async function openClient(host: string, port: number): Promise<Client> {
  const socket = createConnection({ host, port, noDelay: true })
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve)
    socket.once('error', reject)
  })
  return createClient(socket)
}

function createClient(socket: Socket): Client {
  let waiting: PromiseWithResolvers<Answer> | undefined
  let received = ''
  // One byte is one character, so that content-length counts characters; the body is decoded at the end.
  socket.setEncoding('latin1')
  socket.on('data', (chunk: string) => {
    received = received === '' ? chunk : received + chunk
    const answer = readAnswer(received)
    if (!answer) return
    received = ''
    waiting?.resolve(answer)
  })
  const fail = () => waiting?.reject(new Error('the server closed the connection'))
  socket.on('error', fail)
  socket.on('close', fail)
  return {
    ask(request) {
      waiting = Promise.withResolvers<Answer>()
      socket.write(request)
      return waiting.promise
    },
    close() {
      socket.destroy()
    }
  }
}

const LENGTH = /\r\ncontent-length: (\d+)/i

function readAnswer(received: string): Answer | undefined {
  const headEnd = received.indexOf('\r\n\r\n')
  if (headEnd < 0) return undefined
  const length = Number(LENGTH.exec(received)?.[1])
  if (!Number.isFinite(length)) throw new Error(`an answer without content-length: ${received.slice(0, headEnd)}`)
  if (received.length < headEnd + 4 + length) return undefined
  return { status: Number(received.slice(9, 12)), body: Buffer.from(received.slice(headEnd + 4), 'latin1').toString() }
}

import { createHmac, generateKeyPairSync, randomUUID } from 'node:crypto'
import type { AddressInfo, Socket } from 'node:net'
import { createConnection, createServer } from 'node:net'

/*
 * An RCS Business Messaging platform that costs a tenth of our simulator's CPU, which would otherwise be the limit of what is
 * measured. It issues tokens, answers capability checks, takes messages, and posts a signed DELIVERED for each as Google
 * Pub/Sub pushes it. It speaks just enough of HTTP/1.1: keep-alive, and bodies with a content-length.
 */

export const AGENT_ID = 'bench@rbm.goog'

export interface RbmPlatform {
  url: string
  /** Google's key file. */
  serviceAccount: object
  readonly messages: number
  readonly checks: number
  /** Events that were answered. */
  readonly acknowledged: number
  close(): Promise<void>
}

export interface RbmPlatformOptions {
  /** Where events go. */
  webhook: string
  /** The key that signs events. */
  token: string
  /** By phone, such as +33612345678. */
  hasRcs(phone: string): boolean
}

/** Posts at once, each over a connection of its own. */
const POSTS_MAX = 64
/** A refused event, or one without an answer, is posted again after this time. */
const REPEAT_MS = 100
const FEATURES = JSON.stringify({ features: ['RICHCARD_STANDALONE', 'RICHCARD_CAROUSEL', 'ACTION_OPEN_URL'] })
const NOT_FOUND = JSON.stringify({
  error: { code: 404, status: 'NOT_FOUND', message: 'Requested entity was not found.' }
})
const TOKEN = JSON.stringify({ access_token: 'ya29.bench', expires_in: 3_600, token_type: 'Bearer' })
const MESSAGE = /^POST \/v1\/phones\/(\+\d+)\/agentMessages\?messageId=([0-9a-f-]{36})&/
const CHECK = /^GET \/v1\/phones\/(\+\d+)\/capabilities\?/

export async function startRbmPlatform({ webhook, token, hasRcs }: RbmPlatformOptions): Promise<RbmPlatform> {
  const counts = { messages: 0, checks: 0, acknowledged: 0 }
  const posts = new Posts(webhook, token, () => counts.acknowledged++)
  const sockets = new Set<Socket>()
  const server = createServer({ noDelay: true }, (socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    socket.on('error', () => undefined)
    readHttp(socket, (head, body) => {
      const [, phone = '', id = ''] = MESSAGE.exec(head) ?? []
      if (phone !== '') {
        if (!hasRcs(phone)) return toAnswer(404, NOT_FOUND)
        counts.messages++
        setImmediate(() => posts.push(phone, id))
        const now = new Date().toISOString()
        return toAnswer(200, `{"name":"phones/${phone}/agentMessages/${id}","sendTime":"${now}",${body.slice(1)}`)
      }
      counts.checks++
      const [, checked] = CHECK.exec(head) ?? []
      if (checked !== undefined) return hasRcs(checked) ? toAnswer(200, FEATURES) : toAnswer(404, NOT_FOUND)
      if (head.startsWith('POST /v1/users:batchGet ')) return toAnswer(200, checkMany(body, hasRcs))
      if (head.startsWith('POST /token ')) return toAnswer(200, TOKEN)
      throw new Error(`the platform of the bench does not know ${head.slice(0, head.indexOf('\r\n'))}`)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url,
    serviceAccount: newServiceAccount(url),
    get messages() {
      return counts.messages
    },
    get checks() {
      return counts.checks
    },
    get acknowledged() {
      return counts.acknowledged
    },
    async close() {
      posts.close()
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    }
  }
}

function checkMany(body: string, hasRcs: (phone: string) => boolean): string {
  const { users } = JSON.parse(body) as { users: string[] }
  const reachableUsers = users.filter(hasRcs)
  const sample = { totalRandomSampleUserCount: users.length, reachableRandomSampleUserCount: reachableUsers.length }
  return JSON.stringify({ reachableUsers, ...sample })
}

function newServiceAccount(url: string): object {
  const { privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 2_048,
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' }
  })
  return {
    type: 'service_account',
    private_key: privateKey,
    client_email: 'bench@bench.iam.gserviceaccount.com',
    token_uri: `${url}/token`
  }
}

/** Posts events over a few connections, one at a time on each. */
class Posts {
  readonly #target: URL
  readonly #token: string
  readonly #onAcknowledged: () => void
  #waiting: string[] = []
  #next = 0
  #free: Socket[] = []
  readonly #all = new Set<Socket>()
  #isClosed = false

  constructor(webhook: string, token: string, onAcknowledged: () => void) {
    this.#target = new URL(webhook)
    this.#token = token
    this.#onAcknowledged = onAcknowledged
  }

  push(phone: string, messageId: string): void {
    this.#waiting.push(this.#toRequest(phone, messageId))
    this.#pump()
  }

  close(): void {
    this.#isClosed = true
    for (const socket of this.#all) socket.destroy()
  }

  #toRequest(phone: string, messageId: string): string {
    const now = new Date().toISOString()
    const id = randomUUID()
    const data =
      `{"senderPhoneNumber":"${phone}","eventType":"DELIVERED","eventId":"${id}","messageId":"${messageId}",` +
      `"sendTime":"${now}","agentId":"${AGENT_ID}"}`
    const signature = createHmac('sha512', this.#token).update(data).digest('base64')
    const attributes =
      `{"type":"event","event_type":"DELIVERED","business_id":"${AGENT_ID}","product":"RBM",` +
      '"project_number":"3338881441851"}'
    const message =
      `{"attributes":${attributes},"data":"${Buffer.from(data, 'latin1').toString('base64')}",` +
      `"messageId":"${id}","message_id":"${id}","publishTime":"${now}","publish_time":"${now}"}`
    const body = `{"message":${message},"subscription":"projects/bench/subscriptions/bench"}`
    const { pathname, host } = this.#target
    return (
      `POST ${pathname} HTTP/1.1\r\nhost: ${host}\r\ncontent-type: application/json\r\n` +
      `x-goog-signature: ${signature}\r\ncontent-length: ${body.length}\r\n\r\n${body}`
    )
  }

  #pump(): void {
    while (this.#next < this.#waiting.length && !this.#isClosed) {
      const socket = this.#free.pop() ?? (this.#all.size < POSTS_MAX ? this.#connect() : undefined)
      if (!socket) return
      this.#post(socket, this.#waiting[this.#next++] ?? '')
      if (this.#next === this.#waiting.length) {
        this.#waiting = []
        this.#next = 0
      }
    }
  }

  #post(socket: Socket, request: string): void {
    POSTED.set(socket, request)
    socket.write(request, 'latin1')
  }

  #connect(): Socket {
    const socket = createConnection({ host: this.#target.hostname, port: Number(this.#target.port), noDelay: true })
    this.#all.add(socket)
    socket.on('error', () => undefined)
    socket.on('close', () => {
      this.#all.delete(socket)
      this.#free = this.#free.filter((free) => free !== socket)
      this.#repeat(socket)
    })
    readHttp(socket, (head) => {
      if (head.startsWith('HTTP/1.1 200')) {
        POSTED.delete(socket)
        this.#onAcknowledged()
      } else this.#repeat(socket)
      this.#free.push(socket)
      this.#pump()
      return undefined
    })
    return socket
  }

  #repeat(socket: Socket): void {
    const request = POSTED.get(socket)
    POSTED.delete(socket)
    if (request === undefined || this.#isClosed) return
    setTimeout(() => {
      this.#waiting.push(request)
      this.#pump()
    }, REPEAT_MS)
  }
}

/** The event that each connection waits to have answered. */
const POSTED = new WeakMap<Socket, string>()

const LENGTH = /\r\ncontent-length: (\d+)/i

/** Calls `onMessage` for each request or answer that arrives, and writes what it returns. */
function readHttp(socket: Socket, onMessage: (head: string, body: string) => string | undefined): void {
  let received = ''
  // One byte is one character, so that content-length counts characters.
  socket.setEncoding('latin1')
  socket.on('data', (chunk: string) => {
    received = received === '' ? chunk : received + chunk
    for (;;) {
      const headEnd = received.indexOf('\r\n\r\n')
      if (headEnd < 0) return
      const head = received.slice(0, headEnd)
      const end = headEnd + 4 + Number(LENGTH.exec(head)?.[1] ?? 0)
      if (received.length < end) return
      const body = received.slice(headEnd + 4, end)
      received = received.slice(end)
      const answer = onMessage(head, body)
      if (answer !== undefined) socket.write(answer, 'latin1')
    }
  })
}

function toAnswer(status: number, body: string): string {
  const words = status === 200 ? 'OK' : 'Not Found'
  return `HTTP/1.1 ${status} ${words}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`
}

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Delays } from '../delays.ts'
import { type AgentMessage, checkAgentMessage, expirySeconds } from './agent-message.ts'
import { type Answer, type RbmAnswers, refusal } from './answers.ts'
import type { RbmChecks } from './checks.ts'
import type { RbmEvents } from './events.ts'
import type { RbmFaults } from './fault-state.ts'
import { E164, UUID } from './forms.ts'
import type { RbmMessages } from './messages.ts'
import type { RbmStats } from './stats.ts'
import type { RbmTokens } from './tokens.ts'

/** The limit of a request body. The limit of a message is lower. */
const BODY_BYTES_MAX = 1_000_000

/** The phone, query and body of a call, and its connection. */
interface Call {
  phone: string
  query: URLSearchParams
  body: string
  socket: Socket
}

interface ApiParts {
  faults: RbmFaults
  delays: Delays
  stats: RbmStats
  tokens: RbmTokens
  answers: RbmAnswers
  checks: RbmChecks
  messages: RbmMessages
  events: RbmEvents
  agentId: string
  waitingMax: number
}

/** The calls of the REST interface: authorization, validation, and answers as the faults allow. */
export class RbmApi {
  readonly #parts: ApiParts

  constructor(parts: ApiParts) {
    this.#parts = parts
  }

  handle(request: IncomingMessage, response: ServerResponse): void {
    const chunks: Buffer[] = []
    let bytes = 0
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes <= BODY_BYTES_MAX) chunks.push(chunk)
    })
    request.on('error', () => response.destroy()) // The client disconnected during the request.
    request.on('end', () => {
      const [only] = chunks
      const body = (chunks.length === 1 && only ? only : Buffer.concat(chunks)).toString()
      if (request.url === '/token') this.#answerToken(response, body)
      else this.#parts.answers.send(response, bytes > BODY_BYTES_MAX ? refusal(413) : this.#call(request, body))
    })
  }

  #answerToken(response: ServerResponse, form: string): void {
    const { faults, stats, tokens, answers } = this.#parts
    if (faults.picks('refusedTokens')) {
      stats.tokensRefused++
      const { http } = faults.conduct.refusedTokens
      answers.sendNow(response, {
        http,
        body: { error: 'internal_failure', error_description: 'The fault rules say so.' }
      })
      return
    }
    const issued = tokens.issue(form)
    const isRefused = 'error' in issued
    if (isRefused) stats.tokensRefused++
    else stats.tokens++
    answers.sendNow(response, { http: isRefused ? 400 : 200, body: issued })
  }

  #call(request: IncomingMessage, body: string): Answer {
    const { stats, tokens, checks } = this.#parts
    const { method, url = '' } = request
    const [path = '', search = ''] = url.split('?', 2)
    const [empty, version, collection, phone = '', resource, id, ...more] = path.split('/')
    if (empty !== '' || version !== 'v1' || more.length > 0) return refusal(404)
    if (!tokens.use(request.headers.authorization)) {
      stats.unauthorized++
      return refusal(401)
    }
    const query = new URLSearchParams(search)
    const call: Call = { phone: decode(phone), query, body, socket: request.socket }
    if (collection === 'users:batchGet' && method === 'POST' && phone === '') return this.#checkBatch(call)
    if (collection === 'brands' && resource === 'agents' && method === 'GET') return this.#describeAgent(call.phone, id)
    if (collection !== 'phones') return refusal(404)
    if (!E164.test(call.phone)) return refusal(400, `Invalid phone number: ${call.phone}`)
    const problem = this.#checkAgent(query.get('agentId'))
    if (problem) return problem
    if (resource === 'agentMessages' && method === 'POST' && id === undefined) return this.#takeMessage(call)
    if (resource === 'agentMessages' && method === 'DELETE' && id !== undefined) return this.#revoke(call, decode(id))
    if (resource === 'capabilities' && method === 'GET') return checks.checkOne(call.phone, query)
    if (resource === 'agentEvents' && method === 'POST') return this.#takeEvent(call)
    return refusal(404)
  }

  /** brands.agents.get of the management API, at the same address. */
  #describeAgent(brand: string, id = ''): Answer {
    const { agentId } = this.#parts
    if (decode(id) !== agentId.replace(/@rbm\.goog$/, '')) return refusal(404)
    const name = decode(id)
    return {
      http: 200,
      body: {
        name: `brands/${brand}/agents/${name}`,
        displayName: `${name[0]?.toUpperCase()}${name.slice(1)}`,
        brandName: brand,
        rcsBusinessMessagingAgent: {
          // The console of the sandbox loads nothing from elsewhere.
          ...(brand !== 'sandbox' && { logoUri: `https://${name}.example/logo.png` }),
          launchDetails: { '/v1/regions/fr-sandbox': { launchState: 'LAUNCH_STATE_LAUNCHED' } }
        }
      }
    }
  }

  #checkAgent(agentId: unknown): Answer | undefined {
    if (typeof agentId !== 'string' || agentId === '') return refusal(400, 'agentId is required.')
    return agentId === this.#parts.agentId ? undefined : refusal(403)
  }

  #takeMessage({ phone, query, body, socket }: Call): Answer {
    const { faults, delays, stats, messages, events, waitingMax } = this.#parts
    try {
      if (!faults.messages.take()) {
        stats.throttled++
        return refusal(429)
      }
      if (faults.picks('refusedMessages')) return this.#refuse(faults.conduct.refusedMessages.http)
      const messageId = query.get('messageId') ?? ''
      if (!UUID.test(messageId)) return this.#refuse(400, 'messageId must be a UUID, as defined in RFC 4122.')
      const message = parse(body)
      const problem = checkAgentMessage(message, Buffer.byteLength(body))
      if (problem) return this.#refuse(400, problem)
      const resource = toResource(phone, messageId, message as AgentMessage)
      if (messages.find(messageId)) {
        stats.repeats++
        messages.repeat(messageId)
        const { repeatHttp } = faults.conduct
        return repeatHttp === 200 ? { http: 200, body: resource } : refusal(repeatHttp)
      }
      if (!messages.hasRcs(phone)) return this.#refuse(404)
      if (events.waitingCount + delays.waitingCount >= waitingMax) return this.#refuse(503)
      stats.messages++
      messages.accept(messageId, phone, message as AgentMessage)
      const answer = { http: 200, body: resource, isCut: faults.picks('cutAnswers') }
      return faults.conduct.areEventsBeforeAnswers
        ? { ...answer, first: messages.dispatch(messageId) }
        : { ...answer, afterwards: () => void messages.dispatch(messageId) }
    } finally {
      faults.count(socket)
    }
  }

  #refuse(http: number, message?: string): Answer {
    this.#parts.stats.refused++
    return refusal(http, message)
  }

  #revoke({ phone }: Call, messageId: string): Answer {
    const { faults, stats, messages } = this.#parts
    stats.revokes++
    const { revokeHttp, areRevokesInVain } = faults.conduct
    const message = messages.find(messageId)
    const isThere = message?.phone === phone && message.state === 'waiting'
    const isDone = isThere && (revokeHttp === 0 || revokeHttp === 200)
    if (isDone && !areRevokesInVain) {
      messages.revoke(messageId)
      stats.revoked++
    }
    const http = revokeHttp || (isDone ? 200 : 404)
    return http === 200 ? { http, body: {} } : refusal(http)
  }

  #checkBatch({ query, body }: Call): Answer {
    const given = parse(body) as { users?: unknown; agentId?: unknown } | undefined
    return this.#checkAgent(given?.agentId ?? query.get('agentId')) ?? this.#parts.checks.checkMany(given?.users)
  }

  #takeEvent({ phone, query, body }: Call): Answer {
    const { stats, messages } = this.#parts
    const eventId = query.get('eventId') ?? ''
    if (!UUID.test(eventId)) return refusal(400, 'eventId must be a UUID, as defined in RFC 4122.')
    const event = parse(body) as { eventType?: unknown; messageId?: unknown } | undefined
    const isRead = event?.eventType === 'READ'
    if (!isRead && event?.eventType !== 'IS_TYPING') return refusal(400, 'eventType must be IS_TYPING or READ.')
    if (isRead && typeof event.messageId !== 'string') return refusal(400, 'messageId is required.')
    if (!messages.hasRcs(phone)) return refusal(404)
    stats.agentEvents++
    const sendTime = new Date().toISOString()
    return { http: 200, body: { name: `phones/${phone}/agentEvents/${eventId}`, sendTime, ...event } }
  }
}

function toResource(phone: string, messageId: string, message: AgentMessage): object {
  const { contentMessage, messageTrafficType } = message
  const seconds = expirySeconds(message)
  const now = Date.now()
  return {
    name: `phones/${phone}/agentMessages/${messageId}`,
    sendTime: new Date(now).toISOString(),
    contentMessage,
    ...(messageTrafficType && { messageTrafficType }),
    ...(seconds !== undefined && { expireTime: new Date(now + seconds * 1_000).toISOString() })
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined // All checks refuse this.
  }
}

/** Decodes one segment of a path. */
function decode(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part // It names no resource, and is refused later.
  }
}

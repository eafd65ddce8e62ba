import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { Delays } from '../delays.ts'
import type { Phones } from '../phones/phones.ts'
import { RbmAnswers } from './answers.ts'
import { RbmApi } from './api.ts'
import { RbmChecks } from './checks.ts'
import type { RbmConduct } from './conduct.ts'
import { RbmEvents } from './events.ts'
import { RbmFaults } from './fault-state.ts'
import type { RbmAction } from './faults.ts'
import { type AcceptedMessage, RbmMessages } from './messages.ts'
import { RbmNews, type ServerEventType, type UserContent, type UserEventType } from './news.ts'
import { newRbmStats, type RbmStats } from './stats.ts'
import { newServiceAccount, RbmTokens, type ServiceAccount } from './tokens.ts'

/*
 * A stand-in for Google RCS Business Messaging: the same REST interface over real HTTP, with virtual phones behind it. It
 * issues tokens for a service account's key, accepts messages, and posts events to a webhook until they are acknowledged. It
 * misbehaves as its fault rules say.
 */

export interface RbmOptions {
  /** 0, the default, is a free port. */
  port?: number
  host?: string
  phones: Phones
  agentId?: string
  /** The key that signs events; random by default. */
  webhookToken?: string
  /** The first fault rules: see faults.ts. */
  faults?: string
  /** Events that may wait for a webhook before messages are refused with 503. */
  waitingMax?: number
  /** Keeps the accepted messages of each phone, which costs memory for each message. */
  record?: boolean
  log?: (line: string) => void
}

export interface Rbm {
  /** The base URL, without a slash at its end. */
  readonly url: string
  readonly host: string
  readonly port: number
  readonly agentId: string
  /** Google's `clientToken`. */
  readonly webhookToken: string
  /** Google's key file. This server issues its tokens. */
  readonly serviceAccount: ServiceAccount
  readonly phones: Phones
  readonly stats: Readonly<RbmStats>
  /** Events that are held, or that no webhook has acknowledged. */
  readonly waitingCount: number
  /** The accepted messages by phone (E.164, with `+`), in order; empty unless `record`. */
  readonly received: ReadonlyMap<string, readonly AcceptedMessage[]>
  /** Finds an accepted message by its id. */
  find(messageId: string): AcceptedMessage | undefined
  /** Sets the URL for events. Returns whether it passed the challenge. Without a URL, events wait. */
  setWebhook(url: string | undefined): Promise<boolean>
  /** Sends any event of a phone or of the platform, true or not. Settles when it is acknowledged. */
  sendEvent(event: RbmEvent): Promise<void>
  /** Changes the faults. Throws on an error in the script, and changes nothing then. */
  apply(faults: string): void
  /** Cuts all connections, stops listening and drops waiting events. */
  stop(): Promise<void>
}

/** `phone` is E.164, with `+`. The id of an earlier event repeats that event. */
export type RbmEvent =
  | { phone: string; eventType: UserEventType; messageId?: string; eventId?: string }
  | { phone: string; eventType: ServerEventType; messageId: string; eventId?: string }
  /** A message from the phone, with its own id. */
  | ({ phone: string; messageId?: string } & UserContent)

export const SANDBOX_AGENT_ID = 'sandbox@rbm.goog'
/** Each takes about 1,000 bytes, so 200 MB. */
const WAITING_MAX = 200_000

export async function startRbm(options: RbmOptions): Promise<Rbm> {
  const { host = '127.0.0.1', port = 0, phones, agentId = SANDBOX_AGENT_ID, log = () => undefined } = options
  const { webhookToken = randomBytes(16).toString('hex'), waitingMax = WAITING_MAX } = options
  const stats = newRbmStats()
  const delays = new Delays()
  const sockets = new Set<Socket>()
  const faults: RbmFaults = new RbmFaults({ act, onChange })
  const events = new RbmEvents({ faults, delays, stats, agentId, webhookToken })
  const isRecorded = options.record ?? false
  const news = new RbmNews({ events, agentId })
  const messages = new RbmMessages({ faults, delays, stats, phones, events, news, agentId, isRecorded })
  const answers = new RbmAnswers({ faults, delays, stats })
  const checks = new RbmChecks({ faults, stats, messages })
  const server = createServer((request, response) => api.handle(request, response))
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  })
  server.listen(port, host)
  await once(server, 'listening')
  const address = server.address() as AddressInfo
  const url = `http://${host}:${address.port}`
  const client = await newServiceAccount(url)
  const tokens = new RbmTokens(client, () => faults.conduct)
  const api = new RbmApi({ faults, delays, stats, tokens, answers, checks, messages, events, agentId, waitingMax })

  function act(action: RbmAction, link: Socket | undefined): void {
    log(`fault: ${action}`)
    if (action === 'forget tokens') tokens.forget()
    else for (const socket of link ? [link] : sockets) socket.resetAndDestroy()
  }

  function onChange(change: Partial<RbmConduct>): void {
    if (change.areAnswersHeld === false) answers.release()
    if (change.areEventsHeld === false) events.release()
    if (change.phones) messages.deliverWaiting()
  }

  async function stop(): Promise<void> {
    faults.stop()
    delays.stop()
    messages.stop()
    events.stop()
    const closed = once(server, 'close')
    server.close()
    for (const socket of sockets) socket.destroy()
    await closed
  }

  try {
    faults.apply(options.faults ?? '')
  } catch (error) {
    await stop()
    throw error
  }

  return {
    url,
    host,
    port: address.port,
    agentId,
    webhookToken,
    serviceAccount: client.account,
    phones,
    stats,
    get waitingCount() {
      return events.waitingCount
    },
    received: messages.received,
    find: (messageId) => messages.find(messageId),
    setWebhook: (webhook) => events.setWebhook(webhook),
    sendEvent: (event) => tell(news, event),
    apply: (script) => faults.apply(script),
    stop
  }
}

function tell(news: RbmNews, event: RbmEvent): Promise<void> {
  if (!('eventType' in event)) {
    const { phone, messageId, ...content } = event
    return news.tellMessage(phone, content, messageId)
  }
  const { phone, eventType, messageId, eventId } = event
  return eventType === 'TTL_EXPIRATION_REVOKED' || eventType === 'TTL_EXPIRATION_REVOKE_FAILED'
    ? news.tellExpiry(phone, eventType, messageId ?? '', eventId)
    : news.tellEvent(phone, eventType, messageId, eventId)
}

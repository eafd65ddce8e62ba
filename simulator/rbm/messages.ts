import type { Delays } from '../delays.ts'
import type { Report } from '../faults/values.ts'
import { digitsOf, habitsOf, type PhoneHabits } from '../phones/magic-numbers.ts'
import type { PhoneReply, Phones, SendReply } from '../phones/phones.ts'
import { type AgentMessage, expirySeconds, type Suggestion, suggestionsOf } from './agent-message.ts'
import type { RbmEvents } from './events.ts'
import type { RbmFaults } from './fault-state.ts'
import type { RbmNews, UserContent } from './news.ts'
import type { RbmStats } from './stats.ts'

/** A person takes a moment to react. */
const HUMAN_DELAY_MS = 300
/** The number of remembered ids, to recognize repeated messages: about 150 MB. */
const KNOWN_MAX = 1_000_000

export type MessageState = 'waiting' | 'delivered' | 'revoked'

/** A message that the platform accepted. */
export interface AcceptedMessage {
  readonly messageId: string
  /** E.164, with `+`. */
  readonly phone: string
  readonly state: MessageState
  /** The number of submits of this message. */
  readonly count: number
  /** Undefined after delivery or revocation, unless `record`. */
  readonly body: AgentMessage | undefined
}

interface StoredMessage {
  messageId: string
  phone: string
  state: MessageState
  count: number
  body: AgentMessage | undefined
  expiry: NodeJS.Timeout | undefined
}

interface MessageParts {
  faults: RbmFaults
  delays: Delays
  stats: RbmStats
  phones: Phones
  events: RbmEvents
  news: RbmNews
  agentId: string
  isRecorded: boolean
}

/** The messages that the platform knows, and the phones they go to. */
export class RbmMessages {
  /** By phone; empty unless recorded. */
  readonly received = new Map<string, StoredMessage[]>()
  readonly #parts: MessageParts
  readonly #known = new Map<string, StoredMessage>()
  /** One iterator for ever: a new iterator would walk over all deleted entries. */
  readonly #oldest = this.#known.keys()
  /** Messages that wait for an offline phone, or for a late delivery. */
  readonly #waiting = new Set<StoredMessage>()

  constructor(parts: MessageParts) {
    this.#parts = parts
  }

  find(messageId: string): AcceptedMessage | undefined {
    return this.#known.get(messageId)
  }

  repeat(messageId: string): void {
    const message = this.#known.get(messageId)
    if (message) message.count++
  }

  hasRcs(phone: string): boolean {
    const { phones } = this.#parts.faults.conduct
    return phones.get(phone)?.hasRcs ?? !habitsOf(digitsOf(phone)).hasNoRcs
  }

  accept(messageId: string, phone: string, body: AgentMessage): AcceptedMessage {
    const message: StoredMessage = { messageId, phone, state: 'waiting', count: 1, body, expiry: undefined }
    this.#known.set(messageId, message)
    if (this.#known.size > KNOWN_MAX) this.#forgetOldest()
    if (this.#parts.isRecorded) {
      const others = this.received.get(phone)
      if (others) others.push(message)
      else this.received.set(phone, [message])
    }
    return message
  }

  /** Sends the message to the phone. Settles when its immediate event is acknowledged. */
  dispatch(messageId: string): Promise<void> {
    const message = this.#known.get(messageId)
    // The client may have revoked it while the answer was held.
    if (message?.state !== 'waiting') return Promise.resolve()
    const { reports } = this.#parts.faults.conduct
    if (reports.length > 0) return this.#report(message, reports)
    const habits = habitsOf(digitsOf(message.phone))
    if (this.#isOnline(message.phone) && !habits.arrivesAfterMs) return this.#deliver(message, habits)
    this.#waiting.add(message)
    const seconds = message.body && expirySeconds(message.body)
    if (seconds !== undefined) message.expiry = setTimeout(() => this.#expire(message), seconds * 1_000)
    if (habits.arrivesAfterMs) {
      this.#parts.delays.run(habits.arrivesAfterMs, () => {
        if (this.#isOnline(message.phone)) this.#deliverLate(message)
      })
    }
    return Promise.resolve()
  }

  revoke(messageId: string): void {
    const message = this.#known.get(messageId)
    if (message?.state === 'waiting') this.#end(message, 'revoked')
  }

  /** Phones may have come online. */
  deliverWaiting(): void {
    for (const message of this.#waiting) {
      const { arrivesAfterMs } = habitsOf(digitsOf(message.phone))
      if (!arrivesAfterMs && this.#isOnline(message.phone)) this.#deliverLate(message)
    }
  }

  /** Sends a reply of a phone. A bound function, since phones keep it. */
  readonly sendReply: SendReply = ({ from, content }: PhoneReply, answered) => {
    if (!this.#parts.events.hasWebhook) return false
    const phone = `+${from}`
    const choice = answered && suggestionsOf(answered).find(({ reply }) => reply?.text === content)
    void this.#parts.news.tellMessage(phone, choice ? toResponse(choice) : { text: content })
    return true
  }

  stop(): void {
    for (const { expiry } of this.#waiting) clearTimeout(expiry)
    this.#waiting.clear()
  }

  #isOnline(phone: string): boolean {
    const { phones } = this.#parts.faults.conduct
    return phones.get(phone)?.isOnline ?? !habitsOf(digitsOf(phone)).isOffline
  }

  #deliverLate(message: StoredMessage): void {
    if (message.state === 'waiting') void this.#deliver(message, habitsOf(digitsOf(message.phone)))
  }

  #deliver(message: StoredMessage, habits: PhoneHabits): Promise<void> {
    const { messageId, phone, body } = message
    this.#end(message, 'delivered')
    this.#parts.stats.delivered++
    if (!body) return Promise.resolve()
    this.#parts.phones.receiveRcs({ from: this.#parts.agentId, to: phone, messageId, body, answer: this.sendReply })
    if (habits.hasNoReceipt) return Promise.resolve()
    const acknowledged = this.#parts.news.tellEvent(phone, 'DELIVERED', messageId)
    this.#react(phone, messageId, body, habits)
    return acknowledged
  }

  #react(phone: string, messageId: string, body: AgentMessage, { reply, tapsFirstChoice }: PhoneHabits): void {
    const { delays } = this.#parts
    if (reply !== undefined) delays.run(HUMAN_DELAY_MS, () => void this.#parts.news.tellMessage(phone, { text: reply }))
    if (!tapsFirstChoice) return
    delays.run(HUMAN_DELAY_MS, () => {
      void this.#parts.news.tellEvent(phone, 'READ', messageId)
      // The button to opt out is the last thing that a curious person taps.
      const first = suggestionsOf(body).find(({ reply }) => reply?.text !== 'STOP')
      if (first) delays.run(HUMAN_DELAY_MS, () => void this.#parts.news.tellMessage(phone, toResponse(first)))
    })
  }

  /** Sends the reports of a fault rule, one after the other. */
  async #report(message: StoredMessage, reports: readonly Report[]): Promise<void> {
    const { messageId, phone, body } = message
    const { stats, phones, agentId } = this.#parts
    const isDelivered = reports.includes('DELIVERED')
    this.#end(message, isDelivered ? 'delivered' : 'revoked')
    if (isDelivered && body) {
      stats.delivered++
      phones.receiveRcs({ from: agentId, to: phone, messageId, body, answer: this.sendReply })
    }
    for (const report of reports) {
      if (report === 'DELIVERED' || report === 'READ') await this.#parts.news.tellEvent(phone, report, messageId)
      else await this.#parts.news.tellExpiry(phone, report, messageId)
    }
  }

  #expire(message: StoredMessage): void {
    const { faults, stats } = this.#parts
    const { messageId, phone } = message
    stats.expired++
    if (faults.conduct.expiry === 'failed') {
      void this.#parts.news.tellExpiry(phone, 'TTL_EXPIRATION_REVOKE_FAILED', messageId)
      return
    }
    this.#end(message, 'revoked')
    if (faults.conduct.expiry === 'revoked')
      void this.#parts.news.tellExpiry(phone, 'TTL_EXPIRATION_REVOKED', messageId)
  }

  #end(message: StoredMessage, state: MessageState): void {
    message.state = state
    clearTimeout(message.expiry)
    message.expiry = undefined
    this.#waiting.delete(message)
    if (!this.#parts.isRecorded) message.body = undefined
  }

  #forgetOldest(): void {
    const { value } = this.#oldest.next()
    if (value !== undefined) this.#known.delete(value)
  }
}

/** The response to a tap: the text of a reply, or the fact that an action was tapped. */
function toResponse({ reply, action }: Suggestion): UserContent {
  const { text = '', postbackData = '' } = reply ?? action ?? {}
  return { suggestionResponse: { postbackData, text, type: reply ? 'REPLY' : 'ACTION' } }
}

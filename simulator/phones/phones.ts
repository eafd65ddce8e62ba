import type { RcsCard, RcsCarousel, RcsChoice } from '../../src/rcs/rcs-content.ts'
import { decodeText, type TextEncoding } from '../../src/smpp/alphabets.ts'
import type { AgentMessage } from '../rbm/agent-message.ts'
import type { Segment } from '../smpp/long-messages.ts'
import { digitsOf } from './magic-numbers.ts'
import { readAgentMessage } from './read-agent-message.ts'

/** A message as the phone shows it. */
export interface InboxMessage {
  channel: 'sms' | 'rcs'
  from: string
  /** For an RCS: its content as plain text. */
  content: string
  /** The card or carousel of an RCS. */
  card?: RcsCard
  carousel?: RcsCarousel
  /** The buttons below a text. */
  choices?: RcsChoice[]
  /** The number of segments. */
  parts: number
  /** The ids in the carrier's answers, one for each segment, in order. */
  carrierMessageIds: string[]
  receivedAt: Date
}

export interface PhoneReply {
  from: string
  to: string
  content: string
}

/** A segment as the carrier hands it over. The bytes may be a view: they are copied. */
export interface ArrivingSegment {
  from: string
  to: string
  bytes: Buffer
  dataCoding: number
  defaultEncoding: TextEncoding
  segment: Segment | undefined
  carrierMessageId: string
  /** Sends a reply to the sender. */
  answer: SendReply
}

/** An RCS as the carrier hands it over. */
export interface ArrivingRcs {
  from: string
  to: string
  messageId: string
  body: AgentMessage
  answer: SendReply
}

/** False when no client can take the reply. `answered` is the RCS that it answers, if any. */
export type SendReply = (reply: PhoneReply, answered?: AgentMessage) => boolean

type StoredPart = Pick<ArrivingSegment, 'bytes' | 'dataCoding' | 'defaultEncoding' | 'carrierMessageId'>

type StoredMessage = {
  from: string
  receivedAt: number
  answer: SendReply
} & ({ parts: StoredPart[] } | { messageId: string; body: AgentMessage })

interface Phone {
  inbox: StoredMessage[]
  /** Segments of incomplete messages, by sender, reference and total. Few phones have any. */
  incomplete: Map<string, Map<number, StoredPart>> | undefined
}

/** Together at most 200,000 messages: about 100 MB. */
const MESSAGES_MAX = 100
const PHONES_MAX = 2_000
const INCOMPLETE_MAX = 20

/** The phones behind the sandbox carriers. The first message to a number makes its phone. The longest unused are dropped. */
export class Phones {
  readonly #phones = new Map<string, Phone>()
  /** One iterator for ever: used phones move to the end, and a new iterator would walk over all deleted entries. */
  readonly #oldest = this.#phones.keys()
  readonly #carriers = new Set<SendReply>()
  readonly #listeners = new Set<(number: string, message: InboxMessage) => void>()

  /** The messages that the phone received, newest first. */
  inboxOf(number: string): InboxMessage[] {
    const inbox = this.#phones.get(digitsOf(number))?.inbox ?? []
    return inbox.toReversed().map(readMessage)
  }

  /** Sends a reply to the client that wrote to the phone, or otherwise to any bound client. */
  reply(reply: PhoneReply): void {
    const from = digitsOf(reply.from)
    const received = this.#phones.get(from)?.inbox.findLast((message) => message.from === reply.to)
    const body = received && 'body' in received ? received.body : undefined
    // A reply goes back through the carrier of its message. Only a reply to an SMS may take another.
    const ways = [...(received ? [received.answer] : []), ...(body ? [] : this.#carriers)]
    for (const send of ways) if (send({ ...reply, from }, body)) return
    throw new Error('No client is bound to take the reply.')
  }

  /** Calls the listener for each complete message, with the phone's number as digits. Returns a function that removes it. */
  onMessage(listener: (number: string, message: InboxMessage) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Adds a carrier for replies to addresses that never wrote to the phone. Returns a function that removes it. */
  connect(send: SendReply): () => void {
    this.#carriers.add(send)
    return () => this.#carriers.delete(send)
  }

  /** Returns whether the segment completes a message. */
  receive(arriving: ArrivingSegment): boolean {
    const number = digitsOf(arriving.to)
    const phone = this.#touchPhone(number)
    const { bytes, dataCoding, defaultEncoding, carrierMessageId } = arriving
    const part = { bytes: Buffer.from(bytes), dataCoding, defaultEncoding, carrierMessageId }
    const parts = arriving.segment ? join(phone, arriving.from, arriving.segment, part) : [part]
    if (!parts) return false
    this.#keep(number, phone, { from: arriving.from, parts, receivedAt: Date.now(), answer: arriving.answer })
    return true
  }

  receiveRcs({ from, to, messageId, body, answer }: ArrivingRcs): void {
    const number = digitsOf(to)
    this.#keep(number, this.#touchPhone(number), { from, messageId, body, receivedAt: Date.now(), answer })
  }

  #keep(number: string, { inbox }: Phone, message: StoredMessage): void {
    inbox.push(message)
    if (inbox.length > MESSAGES_MAX) inbox.shift()
    if (this.#listeners.size > 0) this.#announce(number, message)
  }

  #announce(number: string, stored: StoredMessage): void {
    const message = readMessage(stored)
    for (const listener of this.#listeners) listener(number, message)
  }

  #touchPhone(number: string): Phone {
    const known = this.#phones.get(number)
    if (known) this.#phones.delete(number)
    else if (this.#phones.size >= PHONES_MAX) this.#forgetOldest()
    const phone = known ?? { inbox: [], incomplete: undefined }
    this.#phones.set(number, phone)
    return phone
  }

  #forgetOldest(): void {
    const { value } = this.#oldest.next()
    if (value !== undefined) this.#phones.delete(value)
  }
}

/** All segments in order, once the message is complete. */
function join(phone: Phone, from: string, segment: Segment, part: StoredPart): StoredPart[] | undefined {
  const key = `${segment.reference}/${segment.total} ${from}`
  phone.incomplete ??= new Map()
  const known = phone.incomplete.get(key)
  const parts = known ?? new Map<number, StoredPart>()
  parts.set(segment.position, part)
  if (parts.size === segment.total) {
    phone.incomplete.delete(key)
    return [...parts].sort(([one], [other]) => one - other).map(([, stored]) => stored)
  }
  if (!known) {
    if (phone.incomplete.size >= INCOMPLETE_MAX) phone.incomplete.delete(phone.incomplete.keys().next().value ?? '')
    phone.incomplete.set(key, parts)
  }
  return undefined
}

/** Decodes only on request: most messages are never read, and decoding takes longer than storing. */
function readMessage(message: StoredMessage): InboxMessage {
  const { from } = message
  const receivedAt = new Date(message.receivedAt)
  if ('body' in message) {
    const { messageId, body } = message
    return { channel: 'rcs', from, ...readAgentMessage(body), parts: 1, carrierMessageIds: [messageId], receivedAt }
  }
  const { parts } = message
  return {
    channel: 'sms',
    from,
    content: readText(parts),
    parts: parts.length,
    carrierMessageIds: parts.map(({ carrierMessageId }) => carrierMessageId),
    receivedAt
  }
}

/** Joins the bytes before it decodes them: a client may split an escape or a surrogate pair between segments. */
function readText(parts: StoredPart[]): string {
  const [first] = parts
  if (!first) return ''
  const isOneEncoding = parts.every(({ dataCoding }) => dataCoding === first.dataCoding)
  if (isOneEncoding) return decodeText(Buffer.concat(parts.map(({ bytes }) => bytes)), first.dataCoding, first)
  return parts.map((part) => decodeText(part.bytes, part.dataCoding, part)).join('')
}

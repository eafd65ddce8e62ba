import { decodeText, type TextEncoding } from '../../src/carriers/smpp/alphabets.ts'
import type { RcsCard, RcsCarousel, RcsChoice } from '../../src/rcs/rcs-content.ts'
import type { AgentMessage } from '../rbm/agent-message.ts'
import type { Segment } from '../smpp/long-messages.ts'
import { digitsOf } from './magic-numbers.ts'
import { readAgentMessage } from './read-agent-message.ts'

/** What a phone shows of a message. */
export interface InboxMessage {
  channel: 'sms' | 'rcs'
  from: string
  /** Of an RCS, what it says in plain words. */
  content: string
  /** What an RCS shows, if it is more than a text. */
  card?: RcsCard
  carousel?: RcsCarousel
  /** What can be tapped below a text. */
  choices?: RcsChoice[]
  /** How many segments it came in. */
  parts: number
  /** As the carrier answered them, one for each segment, in their order. */
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
  /** How to answer whoever sent it. */
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

/** False when nobody is there to take it. `answered` is what it answers, when that was an RCS. */
export type SendReply = (reply: PhoneReply, answered?: AgentMessage) => boolean

type StoredPart = Pick<ArrivingSegment, 'bytes' | 'dataCoding' | 'defaultEncoding' | 'carrierMessageId'>

type StoredMessage = {
  from: string
  receivedAt: number
  answer: SendReply
} & ({ parts: StoredPart[] } | { messageId: string; body: AgentMessage })

interface Phone {
  inbox: StoredMessage[]
  /** By sender, reference and total: what came of messages that are not whole. Few phones have any. */
  incomplete: Map<string, Map<number, StoredPart>> | undefined
}

/** Together at most 200,000 messages: about 100 MB. */
const MESSAGES_MAX = 100
const PHONES_MAX = 2_000
const INCOMPLETE_MAX = 20

/** The phones behind the sandbox carriers. A number is a phone from its first message on; the longest unused are forgotten. */
export class Phones {
  readonly #phones = new Map<string, Phone>()
  /** Goes on for ever, since used phones move to the end; a new one each time would walk over all that were deleted. */
  readonly #oldest = this.#phones.keys()
  readonly #carriers = new Set<SendReply>()
  readonly #listeners = new Set<(number: string, message: InboxMessage) => void>()

  /** What the phone received, newest first. */
  inboxOf(number: string): InboxMessage[] {
    const inbox = this.#phones.get(digitsOf(number))?.inbox ?? []
    return inbox.toReversed().map(readMessage)
  }

  /** Sends from the phone to where messages to it came from, or else to any client that is bound. */
  reply(reply: PhoneReply): void {
    const from = digitsOf(reply.from)
    const received = this.#phones.get(from)?.inbox.findLast((message) => message.from === reply.to)
    const body = received && 'body' in received ? received.body : undefined
    // An answer goes back the way its message came; only an SMS may find another.
    const ways = [...(received ? [received.answer] : []), ...(body ? [] : this.#carriers)]
    for (const send of ways) if (send({ ...reply, from }, body)) return
    throw new Error('No client is bound to take the reply.')
  }

  /** Called with the phone's number, as digits, for each message that is whole. Returns how to end it. */
  onMessage(listener: (number: string, message: InboxMessage) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** A way for replies to addresses that nobody has written from. Returns how to end it. */
  connect(send: SendReply): () => void {
    this.#carriers.add(send)
    return () => this.#carriers.delete(send)
  }

  /** Whether it completes a message. */
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

/** All parts in order, once the last of them is there. */
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

/** Read when somebody looks: nobody looks at most of them, and reading takes longer than keeping. */
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

/** Bytes are joined before they are read: whoever cut an escape or a pair in two still meant one character. */
function readText(parts: StoredPart[]): string {
  const [first] = parts
  if (!first) return ''
  const isOneEncoding = parts.every(({ dataCoding }) => dataCoding === first.dataCoding)
  if (isOneEncoding) return decodeText(Buffer.concat(parts.map(({ bytes }) => bytes)), first.dataCoding, first)
  return parts.map((part) => decodeText(part.bytes, part.dataCoding, part)).join('')
}

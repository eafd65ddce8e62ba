import { decodeText, type TextEncoding } from '../src/carriers/smpp/alphabets.ts'
import type { Segment } from './long-messages.ts'
import { digitsOf } from './magic-numbers.ts'

/** What a phone shows of a message. */
export interface InboxMessage {
  from: string
  content: string
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

/** False when nobody is there to take it. */
export type SendReply = (reply: PhoneReply) => boolean

type StoredPart = Pick<ArrivingSegment, 'bytes' | 'dataCoding' | 'defaultEncoding' | 'carrierMessageId'>

interface StoredMessage {
  from: string
  parts: StoredPart[]
  receivedAt: number
  answer: SendReply
}

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
    const ways = received ? [received.answer, ...this.#carriers] : this.#carriers
    for (const send of ways) if (send({ ...reply, from })) return
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
    const phone = this.#usePhone(number)
    const { bytes, dataCoding, defaultEncoding, carrierMessageId } = arriving
    const part = { bytes: Buffer.from(bytes), dataCoding, defaultEncoding, carrierMessageId }
    const parts = arriving.segment ? join(phone, arriving.from, arriving.segment, part) : [part]
    if (!parts) return false
    const message = { from: arriving.from, parts, receivedAt: Date.now(), answer: arriving.answer }
    phone.inbox.push(message)
    if (phone.inbox.length > MESSAGES_MAX) phone.inbox.shift()
    if (this.#listeners.size > 0) this.#announce(number, message)
    return true
  }

  #announce(number: string, stored: StoredMessage): void {
    const message = readMessage(stored)
    for (const listener of this.#listeners) listener(number, message)
  }

  #usePhone(number: string): Phone {
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
function readMessage({ from, parts, receivedAt }: StoredMessage): InboxMessage {
  return {
    from,
    content: readText(parts),
    parts: parts.length,
    carrierMessageIds: parts.map(({ carrierMessageId }) => carrierMessageId),
    receivedAt: new Date(receivedAt)
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

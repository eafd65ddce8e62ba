import { createHash } from 'node:crypto'
import type { PostedEvent } from '../posted-event.ts'
import { reportedTime } from '../reported-time.ts'
import { ACTION_POSTBACK } from './to-agent-message.ts'

/*
 * Reads the decoded `message.data` of a push: a UserEvent (a phone received or displayed a message), a ServerEvent (a
 * message was not delivered in time), or a UserMessage (a person wrote or tapped). Everything is read as something: an
 * event that we don't understand is `other`.
 */

/** By the platform's own words (UserEvent.EventType, ServerEvent.EventType). */
const MESSAGE_EVENTS = {
  DELIVERED: 'delivered',
  READ: 'read',
  TTL_EXPIRATION_REVOKED: 'expired',
  TTL_EXPIRATION_REVOKE_FAILED: 'expired-not-revoked'
} as const
const PERSON_EVENTS = { UNSUBSCRIBE: 'unsubscribe', SUBSCRIBE: 'subscribe' } as const

/** `receivedAt` stands in for a time that is missing or impossible. */
export function readRbmEvent(body: unknown, receivedAt = new Date()): PostedEvent {
  const fields = toFields(body)
  const happening = readHappening(fields, body, receivedAt)
  const type = toText(fields.eventType)
  const messageId = toText(fields.messageId)
  if (isKeyOf(MESSAGE_EVENTS, type) && messageId !== '') {
    return { ...happening, kind: MESSAGE_EVENTS[type], messageId }
  }
  // An event without a number concerns nobody that we know.
  if (happening.phone === '') return { ...happening, kind: 'other' }
  if (isKeyOf(PERSON_EVENTS, type)) return { ...happening, kind: PERSON_EVENTS[type] }
  const text = type === '' ? readReply(fields) : ''
  if (text === '') return { ...happening, kind: 'other' }
  const isTap = toText(fields.text) === '' && isFields(fields.suggestionResponse)
  return { ...happening, kind: 'reply', text, ...(isTap && { isTap }) }
}

function readHappening(
  fields: Fields,
  body: unknown,
  receivedAt: Date
): Pick<PostedEvent, 'eventId' | 'phone' | 'agentId' | 'at'> {
  // A message of a person has no event id; its own id is as good. A ServerEvent calls the phone differently.
  const id = toText(fields.eventId) || (toText(fields.eventType) === '' ? toText(fields.messageId) : '')
  return {
    eventId: id !== '' && id.length <= ID_LENGTH_MAX ? id : hashOf(body),
    phone: readPhone(toText(fields.senderPhoneNumber) || toText(fields.phoneNumber)),
    agentId: toText(fields.agentId),
    at: reportedTime(Date.parse(toText(fields.sendTime)), receivedAt)
  }
}

const ID_LENGTH_MAX = 255

/** For an event without an id: a repeat has the same hash. */
function hashOf(body: unknown): string {
  return createHash('sha256').update(stringify(body)).digest('hex')
}

function stringify(body: unknown): string {
  try {
    return JSON.stringify(body) ?? ''
  } catch {
    return '' // It is nested so deeply that only reading it is possible; all such are one.
  }
}

const PHONE = /^\+?([1-9][0-9]{4,14})$/

function readPhone(text: string): string {
  const [, digits] = PHONE.exec(text.trim()) ?? []
  return digits === undefined ? '' : `+${digits}`
}

/** The reply in words; empty when it says nothing. */
function readReply(fields: Fields): string {
  if (toText(fields.text) !== '') return toText(fields.text)
  if (isFields(fields.suggestionResponse)) return readTap(fields.suggestionResponse)
  if (isFields(fields.location)) return readPlace(fields.location)
  return isFields(fields.userFile) ? readFile(fields.userFile) : ''
}

/** The text of a suggested reply. Opening an address or a map, or calling, is no reply. */
function readTap({ text, postbackData, type }: Fields): string {
  if (type === 'ACTION' || toText(postbackData).startsWith(ACTION_POSTBACK)) return ''
  return toText(text) || toText(postbackData)
}

/** Zero is left out of the JSON of a LatLng, as everywhere in protocol buffers. */
function readPlace({ latitude = 0, longitude = 0 }: Fields): string {
  return typeof latitude === 'number' && typeof longitude === 'number' ? `${latitude},${longitude}` : ''
}

function readFile({ payload }: Fields): string {
  const { fileName, fileUri } = toFields(payload)
  return [toText(fileName), toText(fileUri)].filter((part) => part !== '').join(' ')
}

type Fields = Record<string, unknown>

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null
}

function toFields(value: unknown): Fields {
  return isFields(value) ? value : {}
}

/** Without NUL, which PostgreSQL can't store in a text. */
function toText(value: unknown): string {
  return typeof value === 'string' ? value.replaceAll('\u0000', '') : ''
}

function isKeyOf<T extends object>(table: T, key: string): key is Extract<keyof T, string> {
  return Object.hasOwn(table, key)
}

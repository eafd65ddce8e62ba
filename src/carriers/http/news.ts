import { createHash } from 'node:crypto'
import type { CarrierInbound, InboundMessage, Receipt } from '../carrier.ts'
import { reportedTime } from '../reported-time.ts'
import type { HttpReceipts, HttpReplies, NewsKind } from './http-settings.ts'
import type { HttpCarrierSettings } from './read-http.ts'
import { parsePath, shorten, textAtPath, toText, valuesAt } from './value-paths.ts'

/*
 * Receipts and replies, as the provider posts them or answers a poll. What differs between the two stands in one table:
 * how an item is read, and where it goes.
 */

/** What became of the items of a post or an answer. */
export interface NewsCounts {
  taken: number
  /** Receipts of a state that another will follow. */
  pending: number
  /** Items that name no message, no state or no number. They would be no better the next time. */
  unreadable: number
}

interface Origin {
  carrier: string
  receivedAt: Date
}

interface NewsTable<Settings, Item> {
  read(item: unknown, settings: Settings, origin: Origin): Item | 'pending' | undefined
  handIn(inbound: Inbound, item: Item): Promise<void>
}

export type Inbound = Pick<CarrierInbound, 'onReport' | 'onReply'>

const RECEIPTS: NewsTable<HttpReceipts, Receipt> = {
  read: readReceipt,
  handIn: (inbound, receipt) => inbound.onReport(receipt)
}

const REPLIES: NewsTable<HttpReplies, InboundMessage> = {
  read: readReply,
  handIn: (inbound, reply) => inbound.onReply(reply)
}

/** Reads a body and hands its items in. Settles once all of them are stored. */
export async function handInNews(
  news: NewsKind,
  settings: HttpCarrierSettings,
  body: unknown,
  inbound: Inbound
): Promise<NewsCounts> {
  const { receipts, replies } = settings
  if (news === 'receipts') return receipts ? handIn(RECEIPTS, receipts, { settings, body, inbound }) : NO_NEWS
  return replies ? handIn(REPLIES, replies, { settings, body, inbound }) : NO_NEWS
}

const NO_NEWS: NewsCounts = { taken: 0, pending: 0, unreadable: 0 }

async function handIn<Settings extends { items?: string }, Item extends object>(
  table: NewsTable<Settings, Item>,
  settings: Settings,
  { settings: carrier, body, inbound }: { settings: HttpCarrierSettings; body: unknown; inbound: Inbound }
): Promise<NewsCounts> {
  const origin = { carrier: carrier.name, receivedAt: new Date() }
  const read = itemsOf(body, settings.items).map((item) => table.read(item, settings, origin))
  const items = read.filter((item) => item !== 'pending' && item !== undefined)
  // Together: those that come in one post share transactions.
  await Promise.all(items.map((item) => table.handIn(inbound, item)))
  const pending = read.filter((item) => item === 'pending').length
  return { taken: items.length, pending, unreadable: read.length - items.length - pending }
}

/** The list at a path, or what stands there alone; without a path, the body itself. */
export function itemsOf(body: unknown, path: string | undefined): unknown[] {
  const steps = path === undefined ? undefined : parsePath(path)
  return (steps ? valuesAt(body, steps) : [body]).flat()
}

const ID_LENGTH_MAX = 255
const WORD_LENGTH_MAX = 64
const TEXT_LENGTH_MAX = 10_000

function readReceipt(
  item: unknown,
  settings: HttpReceipts,
  { carrier, receivedAt }: Origin
): Receipt | 'pending' | undefined {
  const { states } = settings
  const carrierMessageId = shorten(read(item, settings.id), ID_LENGTH_MAX)
  const word = shorten(read(item, settings.state), WORD_LENGTH_MAX)
  if (carrierMessageId === '' || word === '') return undefined
  // A state that the file does not name is kept as unknown: a person sees it, and completes the file.
  const state = Object.hasOwn(states, word) ? (states[word] ?? 'unknown') : 'unknown'
  if (state === 'pending') return 'pending'
  return {
    carrier,
    carrierMessageId,
    state,
    word,
    errorCode: shorten(read(item, settings.errorCode), WORD_LENGTH_MAX),
    source: shorten(read(item, settings.phone), WORD_LENGTH_MAX),
    destination: '',
    at: reportedTime(readMs(read(item, settings.at)), receivedAt)
  }
}

function readReply(item: unknown, settings: HttpReplies, { carrier }: Origin): InboundMessage | undefined {
  const from = shorten(read(item, settings.from), WORD_LENGTH_MAX)
  const to = shorten(read(item, settings.to), WORD_LENGTH_MAX)
  if (from === '' || to === '') return undefined
  const id = read(item, settings.id)
  const segment = readSegment(item, settings.segment)
  const text = shorten(read(item, settings.text), TEXT_LENGTH_MAX)
  return { carrier, from, to, text, ...(id !== '' && { id }), ...(segment && { segment }) }
}

const SEGMENTS_MAX = 255

/** Undefined for a reply that is whole. */
function readSegment(item: unknown, paths: HttpReplies['segment']): InboundMessage['segment'] {
  if (!paths) return undefined
  const total = Number(read(item, paths.total))
  const position = Number(read(item, paths.position))
  const written = read(item, paths.reference)
  const isSegment = Number.isInteger(total) && Number.isInteger(position) && total > 1 && total <= SEGMENTS_MAX
  if (!isSegment || position < 1 || position > total || written === '') return undefined
  // Segments are joined under a number of 16 bits, as phones number them.
  const reference = /^\d{1,5}$/.test(written)
    ? Number(written) & 0xffff
    : createHash('sha256').update(written).digest().readUInt16BE()
  return { reference, position, total }
}

function read(item: unknown, path: string | undefined): string {
  return path === undefined ? '' : textAtPath(item, parsePath(path))
}

/** Below this, a number counts seconds since 1970; above, milliseconds. */
const SECONDS_MAX = 100_000_000_000
const WITHOUT_ZONE = /^\d{4}-\d\d-\d\d[ T]\d\d:\d\d(?::\d\d(?:\.\d+)?)?$/

/** ISO 8601, whose zone is UTC if it names none; or a number of seconds or milliseconds. */
function readMs(text: string): number {
  if (/^\d{9,16}(?:\.\d+)?$/.test(text)) return Number(text) < SECONDS_MAX ? Number(text) * 1000 : Number(text)
  return Date.parse(WITHOUT_ZONE.test(text) ? `${text.replace(' ', 'T')}Z` : text)
}

/** The cursor of an answer; undefined when it names none. */
export function cursorOf(body: unknown, path: string | undefined): string | undefined {
  const steps = path === undefined ? undefined : parsePath(path)
  const [value] = steps ? valuesAt(body, steps) : []
  const text = toText(value)
  return text === '' ? undefined : text
}

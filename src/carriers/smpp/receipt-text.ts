import { TLV_TAGS } from '../../smpp/commands.ts'
import { type DataPdu, type MessagePdu, messageBytes } from '../../smpp/pdu.ts'

/*
 * What a carrier says became of a message: as text by SMPP 3.4, appendix B, and properly by the TLVs of paragraph
 * 4.6.1. Carriers follow the appendix loosely, so keys are found in any order, any case and without spaces around. A
 * word that is not in the table is 'unknown' and never a failure: a failure is final, and the message may still arrive.
 */

export interface ParsedReceipt {
  /** As the carrier wrote it: hexadecimal or decimal, with its zeros. */
  carrierMessageId: string | undefined
  state: ReceiptState
  /** The carrier's own word, or appendix B's for a message_state TLV. Empty when there is none. */
  word: string
  /** As the carrier wrote it, or the decimal number of a network_error_code TLV. Empty when there is none. */
  errorCode: string
  /** Read as UTC: carriers do not say their zone. */
  doneAt: Date | undefined
}

export type ReceiptState = 'delivered' | 'failed' | 'expired' | 'rejected' | 'unknown'

/** Appendix B, then spellings in use. DELETED is final, by the carrier or by us: it will not arrive. */
const STATES: ReadonlyMap<string, ReceiptState> = new Map([
  ['DELIVRD', 'delivered'],
  ['EXPIRED', 'expired'],
  ['DELETED', 'failed'],
  ['UNDELIV', 'failed'],
  ['REJECTD', 'rejected'],
  ['ACCEPTD', 'unknown'],
  ['ENROUTE', 'unknown'],
  ['UNKNOWN', 'unknown'],
  ['DELIVERED', 'delivered'],
  ['UNDELIVERABLE', 'failed'],
  ['UNDELIVERED', 'failed'],
  ['FAILED', 'failed'],
  ['REJECTED', 'rejected']
])

/** The values of message_state, paragraph 5.2.28, as the words of appendix B. */
const MESSAGE_STATE_WORDS: ReadonlyMap<number, string> = new Map([
  [1, 'ENROUTE'],
  [2, 'DELIVRD'],
  [3, 'EXPIRED'],
  [4, 'DELETED'],
  [5, 'UNDELIV'],
  [6, 'ACCEPTD'],
  [7, 'UNKNOWN'],
  [8, 'REJECTD']
])

/** Paragraph 5.2.12: bit 2 is a receipt, bit 5 a notification on the way. Other bits are not looked at. */
const ESM_CLASS_RECEIPT_BITS = 0x24
const DATA_CODING_UCS2 = 0x08

/**
 * By the fields that the carrier sets, never by the text: any person with a phone could write a receipt. Some carriers
 * set no bit, and mark receipts by their TLVs alone.
 */
export function isReceipt({ esmClass, tlvs }: MessagePdu | DataPdu): boolean {
  if ((esmClass & ESM_CLASS_RECEIPT_BITS) !== 0 || tlvs.has(TLV_TAGS.message_state)) return true
  return readId(tlvs.get(TLV_TAGS.receipted_message_id)) !== undefined
}

/** TLVs win over the text; one that is empty or makes no sense does not. */
export function parseReceipt(pdu: MessagePdu | DataPdu): ParsedReceipt {
  const { tlvs } = pdu
  const receipt = parseReceiptText(readText(pdu))
  const carrierMessageId = readId(tlvs.get(TLV_TAGS.receipted_message_id)) ?? receipt.carrierMessageId
  const errorCode = readErrorCode(tlvs.get(TLV_TAGS.network_error_code)) ?? receipt.errorCode
  const word = MESSAGE_STATE_WORDS.get(tlvs.get(TLV_TAGS.message_state)?.[0] ?? 0) ?? receipt.word
  return { carrierMessageId, state: stateOf(word), word, errorCode, doneAt: receipt.doneAt }
}

export function parseReceiptText(text: string): ParsedReceipt {
  const { id, stat, err, doneDate } = findParts(text)
  const word = firstWord(stat)
  return {
    carrierMessageId: firstWord(id) || undefined,
    state: stateOf(word),
    word,
    errorCode: firstWord(err),
    doneAt: parseDate(doneDate)
  }
}

function stateOf(word: string): ReceiptState {
  return STATES.get(word.toUpperCase()) ?? 'unknown'
}

type Part = 'id' | 'sub' | 'dlvrd' | 'submitDate' | 'doneDate' | 'stat' | 'err' | 'text'

const KEYS: readonly [written: string, part: Part][] = [
  ['id', 'id'],
  ['sub', 'sub'],
  ['dlvrd', 'dlvrd'],
  ['submit date', 'submitDate'],
  ['submitdate', 'submitDate'],
  ['submit_date', 'submitDate'],
  ['done date', 'doneDate'],
  ['donedate', 'doneDate'],
  ['done_date', 'doneDate'],
  ['stat', 'stat'],
  ['status', 'stat'],
  ['err', 'err'],
  ['error', 'err'],
  ['text', 'text']
]

/** By their last character, so that one or two are compared and not all. */
const KEYS_BY_END = Map.groupBy(KEYS, ([written]) => written.charCodeAt(written.length - 1))

/**
 * The text after each key, up to the next key. For a repeated key, the first with a value counts. "text:" is the last
 * key: the customer's words follow it. The search is for colons and not for keys, because a regular expression that
 * finds keys took twice the time.
 */
function findParts(text: string): Record<Part, string> {
  const parts: Record<Part, string> = {
    id: '',
    sub: '',
    dlvrd: '',
    submitDate: '',
    doneDate: '',
    stat: '',
    err: '',
    text: ''
  }
  const lower = lowerCase(text)
  let part: Part | undefined
  let start = 0
  for (let colon = text.indexOf(':'); colon !== -1; colon = text.indexOf(':', colon + 1)) {
    const key = keyBefore(lower, colon)
    if (!key) continue
    if (part) parts[part] ||= text.slice(start, colon - key.length).trim()
    part = key.part
    if (part === 'text') return parts
    start = colon + 1
  }
  if (part) parts[part] ||= text.slice(start).trim()
  return parts
}

/** The key that ends at a colon, and how many characters it takes with the spaces in between. */
function keyBefore(lower: string, colon: number): { part: Part; length: number } | undefined {
  let end = colon
  while (lower[end - 1] === ' ') end--
  for (const [written, part] of KEYS_BY_END.get(lower.charCodeAt(end - 1)) ?? []) {
    if (lower.endsWith(written, end)) return { part, length: colon - end + written.length }
  }
  return undefined
}

/** Keeps every character in its place: only the Turkish İ grows in lower case, and no key has it. */
function lowerCase(text: string): string {
  const lower = text.toLowerCase()
  return lower.length === text.length ? lower : text.replaceAll('İ', '.').toLowerCase()
}

function firstWord(part = ''): string {
  return /[^\s,;\0]+/.exec(part)?.[0] ?? ''
}

/** Receipts are ASCII whatever their data_coding says, except in UCS-2. In GSM, the _ of an id would turn into §. */
function readText(pdu: MessagePdu | DataPdu): string {
  const bytes = messageBytes(pdu)
  if (pdu.dataCoding !== DATA_CODING_UCS2 || bytes.length % 2 === 1) return bytes.toString('latin1')
  return Buffer.from(bytes).swap16().toString('utf16le')
}

/** A string with its end, which some leave out. */
function readId(value: Buffer | undefined): string | undefined {
  return value && (firstWord(value.toString('latin1')) || undefined)
}

/** Paragraph 5.3.2.31: the kind of network, then two octets of its code. */
function readErrorCode(value: Buffer | undefined): string | undefined {
  return value?.length === 3 ? String(value.readUInt16BE(1)) : undefined
}

/**
 * YYMMDDhhmm by appendix B; in use also with seconds, with four digits of year, with separators, or as paragraph 7.1.1.
 */
function parseDate(part: string): Date | undefined {
  const written = part.trim()
  const [, moment, quarters, sign] = /^(\d{12})\d(\d\d)([+-])(?!\d)/.exec(written) ?? []
  if (moment && quarters) {
    const date = readDigits(moment, 2)
    const offsetMs = Number(quarters) * 15 * 60_000
    return date && new Date(date.getTime() - (sign === '-' ? -offsetMs : offsetMs))
  }
  const digits = /^\d*$/.test(written) ? written : written.replaceAll(/\D/g, '')
  // From 2013 on, a year of four digits can't be read as a year and a month of two.
  return readDigits(digits, 2) ?? readDigits(digits, 4)
}

function readDigits(digits: string, yearDigits: 2 | 4): Date | undefined {
  const hasSeconds = digits.length === yearDigits + 10
  if (!hasSeconds && digits.length !== yearDigits + 8) return undefined
  const pair = (at: number) => Number(digits.slice(yearDigits + at, yearDigits + at + 2))
  const [month, day, hour, minute, second] = [pair(0), pair(2), pair(4), pair(6), hasSeconds ? pair(8) : 0]
  const year = Number(digits.slice(0, yearDigits)) + (yearDigits === 2 ? 2000 : 0)
  const date = new Date(Date.UTC(year, month - 1, day, hour, minute, second))
  // JavaScript takes the 31st of February for a day of March.
  const isReal =
    date.getUTCMonth() === month - 1 && date.getUTCDate() === day && hour < 24 && minute < 60 && second < 60
  return isReal ? date : undefined
}

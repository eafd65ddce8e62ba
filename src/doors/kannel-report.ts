import { REPORTS } from '../callbacks/callback.ts'
import { RECIPIENT_STATES } from '../recipients/recipient.ts'
import { toUuid } from './message-uuid.ts'
import {
  beginningOf,
  carrierMessageIdOf,
  errorNumberOf,
  type FullReport,
  isDelivered,
  type ReportCall,
  receiptTime,
  USER_AGENT,
  wordOf
} from './report.ts'
import { digitsOf } from './send-through-door.ts'

/* Delivery reports as Kannel makes them: a GET of the `dlr-url`, with its escapes filled in. */

export function toKannelCall(full: FullReport): ReportCall {
  const { url, method } = full.report
  return { url: fillEscapes(url, full), post: { method, headers: { 'user-agent': USER_AGENT }, body: '' } }
}

/** Bit 32 beside the bit of a failure says that the validity was over. */
const EXPIRED = 32

/** Fills in the escapes of an address. Values are encoded, so none of them can change the rest of the address. */
function fillEscapes(url: string, full: FullReport): string {
  const text = textOf(full)
  const words = text.split(/\s+/).filter((word) => word !== '')
  let next = 1
  const values = valuesOf(full)
  return url.replaceAll(/%(#[^#]*#[^#]*#|.)/gsu, (whole, letter: string) => {
    if (letter === '%') return '%'
    if (letter.startsWith('#')) return ''
    if (letter === 's') return encode(words[next++] ?? '')
    // As Kannel, which does not encode this one; signs that would end the value are encoded all the same.
    if (letter === 'S') return encode((words[next++] ?? '').replaceAll('*', '~')).replaceAll('%3A', ':')
    if (letter === 'r') return words.slice(next).map(encode).join('+')
    return values[letter]?.(text, words) ?? whole
  })
}

type Value = (text: string, words: readonly string[]) => string

/** The values by their letter. Values that a delivery report of Kannel never has are empty, or -1. */
function valuesOf(full: FullReport): Record<string, Value> {
  const { report, recipient } = full
  const { fields, givenNumbers, reportedAt } = report
  const number = () => givenNumbers[recipient.phone] ?? digitsOf(recipient.phone)
  const none = () => ''
  const unset = () => '-1'
  const wholeText: Value = (text) => encode(text)
  return {
    a: (_text, words) => words.map(encode).join('+'),
    A: wholeText,
    b: wholeText,
    B: none,
    c: unset,
    C: () => 'UTF-8',
    d: () => String(typeOf(full)),
    D: none,
    e: (text) => Buffer.from(text).toString('hex').toUpperCase(),
    f: none,
    F: () => encode(carrierMessageIdOf(full)),
    i: () => encode(recipient.carrier ?? ''),
    I: () => toUuid(report),
    k: (_text, words) => encode(words[0] ?? ''),
    m: unset,
    M: unset,
    n: () => encode(fields.service ?? ''),
    o: () => encode(fields.account ?? ''),
    O: () => '00',
    p: () => encode(number()),
    P: () => encode(recipient.sender),
    q: () => encode(number().replace(/^00/, '+')),
    Q: () => encode(recipient.sender.replace(/^00/, '+')),
    R: () => encode(report.url),
    t: () => reportedAt.toISOString().slice(0, 19).replace('T', '+'),
    T: () => String(Math.floor(reportedAt.getTime() / 1000)),
    u: none,
    v: none,
    V: none
  }
}

/** The type of the report, `%d`. */
function typeOf({ report: { report, state } }: FullReport): number {
  return report === REPORTS.undelivered && state === RECIPIENT_STATES.expired ? report | EXPIRED : report
}

/** The text of the report: of the carrier's answer, or of its receipt. */
function textOf(full: FullReport): string {
  const { report, recipient } = full
  if (report.report === REPORTS.accepted) return 'ACK/'
  if (report.report === REPORTS.refused) return `NACK/${recipient.errorCode ?? ''}`
  const delivered = isDelivered(full) ? '001' : '000'
  const dates = `submit date:${receiptTime(recipient.sentAt)} done date:${receiptTime(report.reportedAt)}`
  const state = `stat:${wordOf(full)} err:${errorNumberOf(full)} text:${beginningOf(full)}`
  return `id:${carrierMessageIdOf(full)} sub:001 dlvrd:${delivered} ${dates} ${state}`
}

/** As Kannel encodes: letters, digits and a few signs stay, a space becomes +. */
function encode(text: string): string {
  return encodeURIComponent(text).replaceAll('%20', '+')
}

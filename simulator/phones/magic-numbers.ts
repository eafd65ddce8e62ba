import { STATUSES } from '../../src/carriers/smpp/commands.ts'

/** What becomes of a message to a phone, as far as it is not simply delivered. */
export interface PhoneHabits {
  /** For people. */
  description: string
  /** What the operator answers to the submit instead of taking it. */
  refusal?: number
  /** Each message is throttled the first time it is tried. */
  isThrottledAtFirst?: boolean
  /** Appendix B's word for the receipt, and the operator's error code, when the message does not arrive. */
  failure?: { word: string; errorCode: string }
  arrivesAfterMs?: number
  reply?: string
  isReceiptFirst?: boolean
  hasNoReceipt?: boolean
  /** These are about RCS only: an SMS is simply delivered. */
  hasNoRcs?: boolean
  isOffline?: boolean
  tapsFirstChoice?: boolean
}

/** By the last two digits of +33 6 39 98 xx xx, a range that ARCEP keeps free for fiction. */
export const MAGIC_NUMBERS: Readonly<Record<string, PhoneHabits>> = {
  '01': { description: 'undelivered', failure: { word: 'UNDELIV', errorCode: '001' } },
  '02': { description: 'rejected by the operator', refusal: STATUSES.ESME_RINVDSTADR },
  '03': { description: 'expired', failure: { word: 'EXPIRED', errorCode: '003' } },
  '04': { description: 'delivered after 30 s', arrivesAfterMs: 30_000 },
  '05': { description: 'answers "OK"', reply: 'OK' },
  '06': { description: 'answers "STOP"', reply: 'STOP' },
  '07': { description: 'has no RCS', hasNoRcs: true },
  '08': { description: 'has RCS but is offline', isOffline: true },
  '09': { description: 'throttled at first', isThrottledAtFirst: true },
  '10': { description: 'receipt before the response', isReceiptFirst: true },
  '11': { description: 'no receipt ever', hasNoReceipt: true },
  '12': { description: 'reads an RCS and taps its first choice', tapsFirstChoice: true }
}

const ORDINARY: PhoneHabits = { description: 'delivered' }
const RANGE = '3363998'
const DIGITS = RANGE.length + 4

/** Of a number as digits only. */
export function habitsOf(digits: string): PhoneHabits {
  if (digits.length !== DIGITS || !digits.startsWith(RANGE)) return ORDINARY
  return MAGIC_NUMBERS[digits.slice(-2)] ?? ORDINARY
}

/** A number however it is written, with `+`, `00` or spaces, as digits only. */
export function digitsOf(number: string): string {
  // Nearly all come as digits or E.164 already, and replacing takes longer than looking.
  if (E164.test(number)) return number.slice(1)
  const digits = DIGITS_ONLY.test(number) ? number : number.replaceAll(/\D/g, '')
  return digits.startsWith('00') ? digits.slice(2) : digits
}

const E164 = /^\+[1-9]\d*$/
const DIGITS_ONLY = /^\d*$/

import { STATUSES } from '../../src/smpp/commands.ts'

/** How a phone treats a message, where it differs from plain delivery. */
export interface PhoneHabits {
  /** For the printed list. */
  description: string
  /** The status with which the carrier refuses the submit. */
  refusal?: number
  /** Whether the first submit of each message is throttled. */
  isThrottledAtFirst?: boolean
  /** The state (SMPP 3.4, appendix B) and the error code in the receipt of a message that does not arrive. */
  failure?: { word: string; errorCode: string }
  arrivesAfterMs?: number
  reply?: string
  isReceiptFirst?: boolean
  hasNoReceipt?: boolean
  /** This and the following are about RCS only: an SMS is delivered. */
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

/** The number must be digits only. */
export function habitsOf(digits: string): PhoneHabits {
  if (digits.length !== DIGITS || !digits.startsWith(RANGE)) return ORDINARY
  return MAGIC_NUMBERS[digits.slice(-2)] ?? ORDINARY
}

/** Reduces a number with `+`, `00` or spaces to digits only. */
export function digitsOf(number: string): string {
  // Nearly all numbers are digits or E.164 already, and a test is faster than a replacement.
  if (E164.test(number)) return number.slice(1)
  const digits = DIGITS_ONLY.test(number) ? number : number.replaceAll(/\D/g, '')
  return digits.startsWith('00') ? digits.slice(2) : digits
}

const E164 = /^\+[1-9]\d*$/
const DIGITS_ONLY = /^\d*$/

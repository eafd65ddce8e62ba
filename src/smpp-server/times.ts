/*
 * Times of SMPP 3.4, paragraph 7.1.1: `YYMMDDhhmmsstnnp`. With `+` or `-` at the end the time is absolute, and `nn` is the
 * difference to UTC in quarters of an hour. With `R` it is relative to now.
 */

const FORM = /^(\d{2})(\d{2})(\d{2})(\d{2})(\d{2})(\d{2})(\d)(\d{2})([+\-R])$/
const QUARTER_MS = 15 * 60_000
const QUARTERS_MAX = 48

/** Undefined for a text that is no time. The caller takes an empty text for no time at all. */
export function readTime(text: string, now: Date): Date | undefined {
  const parts = FORM.exec(text)
  if (!parts) return undefined
  const [years = 0, months = 0, days = 0, hours = 0, minutes = 0, seconds = 0, tenths = 0, quarters = 0] = parts
    .slice(1, 9)
    .map(Number)
  const sign = parts[9]
  if (sign === 'R') return addRelative(now, { years, months, days, hours, minutes, seconds })
  if (quarters > QUARTERS_MAX) return undefined
  const local = new Date(Date.UTC(2000 + years, months - 1, days, hours, minutes, seconds, tenths * 100))
  // A date that does not exist, such as 31 February, is another one in UTC.
  const isReal =
    local.getUTCMonth() === months - 1 && local.getUTCDate() === days && hours < 24 && minutes < 60 && seconds < 60
  if (!isReal) return undefined
  return new Date(local.getTime() - (sign === '+' ? 1 : -1) * quarters * QUARTER_MS)
}

function addRelative(
  now: Date,
  lengths: { years: number; months: number; days: number; hours: number; minutes: number; seconds: number }
): Date {
  const start = Temporal.Instant.fromEpochMilliseconds(now.getTime()).toZonedDateTimeISO('UTC')
  return new Date(start.add(lengths).epochMilliseconds)
}

/** Absolute, in UTC. */
export function writeTime(time: Date): string {
  return `${digitsOf(time).slice(2, 14)}000+`
}

/** `YYMMDDhhmm`, as the text of a receipt writes its dates: SMPP 3.4, appendix B. */
export function writeReceiptTime(time: Date): string {
  return digitsOf(time).slice(2, 12)
}

function digitsOf(time: Date): string {
  return time.toISOString().replaceAll(/\D/g, '')
}

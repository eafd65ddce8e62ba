import { isOfOtherYear } from '../schemas/years.ts'

/** Clocks differ: a consent of this very moment must pass. */
const CLOCKS_APART_MS = 5 * 60_000

/** What is wrong with the time of a consent. The format of dates allows a leap second, which is no moment here. */
export function givenAtProblem(givenAt: Date, now: Date): string | undefined {
  if (Number.isNaN(givenAt.getTime())) return 'must be a moment that exists'
  return isInFuture(givenAt, now) ? 'must not be in the future' : undefined
}

export function isInFuture(givenAt: Date, now: Date): boolean {
  return givenAt.getTime() > now.getTime() + CLOCKS_APART_MS
}

const EUROPEAN = /^(\d{1,2})[./-](\d{1,2})[./-](\d{4})(?:[ T]+(\d{1,2}):(\d{2})(?::(\d{2}))?)?$/
const ISO = /^(\d{4})-(\d{2})-(\d{2})(?:[ T]+(\d{2}):(\d{2})(?::(\d{2})(?:\.\d+)?)?)?(Z|[+-]\d{2}:?\d{2})?$/

/** A date of a file: `2026-11-14`, `2026-11-14 10:02`, `14/11/2026 10:02`. Without a zone it is read as UTC. */
export function readGivenAt(text: string): Date | undefined {
  const given = text.trim()
  const iso = ISO.exec(given)
  const [, day = '', month = '', year = '', ...european] = EUROPEAN.exec(given) ?? []
  const [y, m, d, time, zone] = iso
    ? [iso[1] ?? '', iso[2] ?? '', iso[3] ?? '', iso.slice(4, 7), iso[7] ?? 'Z']
    : [year, month, day, european, 'Z']
  if (y === '') return undefined
  const [hours = '0', minutes = '0', seconds = '0'] = time.map((part) => part ?? '0')
  const two = (part: string) => part.padStart(2, '0')
  const date = new Date(`${y}-${two(m)}-${two(d)}T${two(hours)}:${two(minutes)}:${two(seconds)}${zone}`)
  // The 31st of February becomes a day of March: such a date is a mistake.
  const isReal = !Number.isNaN(date.getTime()) && (zone !== 'Z' || date.getUTCDate() === Number(d))
  return isReal && !isOfOtherYear(date) ? date : undefined
}

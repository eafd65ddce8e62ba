import { strict as assert } from 'node:assert'
import { type FrenchTerritory, frenchTerritoryOf } from './french-zones.ts'
import { isHoliday, type MetropolitanCalendar } from './holidays.ts'

/** The settings of an account on the hours of its marketing. */
export interface MarketingHours {
  /** The end of each day, as HH:MM or HH:MM:SS. */
  hoursEnd: string
  /** Whether Sundays and public holidays are days like others. */
  sundaysAndHolidays: boolean
}

/** The rules for marketing: the recipient's territory, and the settings of the account. */
export interface AllowedHours extends FrenchTerritory, Partial<MarketingHours> {}

/**
 * The first moment, from `at` on, at which marketing may leave to a number of this country: at once, unless it is in France.
 * `calendar` and the hours are the account's.
 */
export function nextMarketingMoment(
  at: Date,
  country: string,
  { calendar, hoursEnd, sundaysAndHolidays }: MarketingHours & { calendar: MetropolitanCalendar }
): Date {
  const territory = frenchTerritoryOf({ country }, { calendar })
  return territory ? nextAllowedMoment(at, { ...territory, hoursEnd, sundaysAndHolidays }) : at
}

const DEFAULT_HOURS_END = '20:00'

/** The problem of an end of the day (HH:MM), in words that follow the name of its field; undefined if there is none. */
export function checkHoursEnd(hoursEnd: string): string | undefined {
  const isGood = hoursEnd > HOURS_START_TEXT && hoursEnd <= HOURS_END_MAX_TEXT
  return isGood ? undefined : `must be after ${HOURS_START_TEXT} and at most ${HOURS_END_MAX_TEXT}, such as 20:00`
}

/** The same moment if marketing may leave then, else the first at which it may. */
export function nextAllowedMoment(
  at: Date,
  { timeZone, calendar, hoursEnd = DEFAULT_HOURS_END, sundaysAndHolidays = false }: AllowedHours
): Date {
  const isOpen = (date: Temporal.PlainDate) => sundaysAndHolidays || isWorkingDay(date, calendar)
  const local = Temporal.Instant.fromEpochMilliseconds(at.getTime()).toZonedDateTimeISO(timeZone)
  const time = local.toPlainTime()
  const hasEnded = !isBefore(time, parseHoursEnd(hoursEnd))
  let date = local.toPlainDate()
  if (isOpen(date) && !hasEnded && !isBefore(time, HOURS_START)) return at

  if (hasEnded) date = date.add({ days: 1 })
  // Ends within days: no calendar has a week without a working day.
  while (!isOpen(date)) date = date.add({ days: 1 })
  return new Date(date.toZonedDateTime({ timeZone, plainTime: HOURS_START }).epochMilliseconds)
}

/** Both by the clock on the wall, which daylight saving moves: a day is not always 24 hours after the one before. */
const HOURS_START_TEXT = '08:00'
/** The latest end that the charter of the French operators allows, since March 2026. */
const HOURS_END_MAX_TEXT = '21:30'
const HOURS_START = Temporal.PlainTime.from(HOURS_START_TEXT)
const HOURS_END_MAX = Temporal.PlainTime.from(HOURS_END_MAX_TEXT)

const SUNDAY = 7 // ISO 8601 counts from Monday.

function isWorkingDay(date: Temporal.PlainDate, calendar: FrenchTerritory['calendar']): boolean {
  return date.dayOfWeek !== SUNDAY && !isHoliday(date, calendar)
}

/** An account cannot store a later end; if one is stored all the same, messages must not leave at night. */
function parseHoursEnd(hoursEnd: string): Temporal.PlainTime {
  const end = Temporal.PlainTime.from(hoursEnd)
  assert(isBefore(HOURS_START, end) && !isBefore(HOURS_END_MAX, end), `marketing can't end at ${hoursEnd}`)
  return end
}

function isBefore(one: Temporal.PlainTime, other: Temporal.PlainTime): boolean {
  return Temporal.PlainTime.compare(one, other) < 0
}

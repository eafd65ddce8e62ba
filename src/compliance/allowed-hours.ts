import { strict as assert } from 'node:assert'
import { type FrenchTerritory, frenchTerritoryOf } from './french-zones.ts'
import { isHoliday, type MetropolitanCalendar } from './holidays.ts'

/** When marketing may leave: the recipient's territory, and the end of the day as HH:MM or HH:MM:SS of the account. */
export interface AllowedHours extends FrenchTerritory {
  hoursEnd?: string
}

/**
 * The first moment, from `at` on, at which marketing may leave to a number of this country: at once, unless it is in France.
 * `calendar` and `hoursEnd` are the account's.
 */
export function nextMarketingMoment(
  at: Date,
  country: string,
  { calendar, hoursEnd }: { calendar: MetropolitanCalendar; hoursEnd: string }
): Date {
  const territory = frenchTerritoryOf({ country }, { calendar })
  return territory ? nextAllowedMoment(at, { ...territory, hoursEnd }) : at
}

export const DEFAULT_HOURS_END = '20:00'

/** The same moment if marketing may leave then, else the first at which it may. */
export function nextAllowedMoment(at: Date, { timeZone, calendar, hoursEnd = DEFAULT_HOURS_END }: AllowedHours): Date {
  const local = Temporal.Instant.fromEpochMilliseconds(at.getTime()).toZonedDateTimeISO(timeZone)
  const time = local.toPlainTime()
  const hasEnded = !isBefore(time, parseHoursEnd(hoursEnd))
  let date = local.toPlainDate()
  if (isOpen(date, calendar) && !hasEnded && !isBefore(time, HOURS_START)) return at

  if (hasEnded) date = date.add({ days: 1 })
  // Ends within days: no calendar has a week without a working day.
  while (!isOpen(date, calendar)) date = date.add({ days: 1 })
  return new Date(date.toZonedDateTime({ timeZone, plainTime: HOURS_START }).epochMilliseconds)
}

/** Both by the clock on the wall, which daylight saving moves: a day is not always 24 hours after the one before. */
const HOURS_START = new Temporal.PlainTime(8)
const HOURS_END_MAX = new Temporal.PlainTime(22)

const SUNDAY = 7 // ISO 8601 counts from Monday.

function isOpen(date: Temporal.PlainDate, calendar: FrenchTerritory['calendar']): boolean {
  return date.dayOfWeek !== SUNDAY && !isHoliday(date, calendar)
}

/** An account can't store any other end; one that came through all the same must not let messages out at night. */
function parseHoursEnd(hoursEnd: string): Temporal.PlainTime {
  const end = Temporal.PlainTime.from(hoursEnd)
  assert(isBefore(HOURS_START, end) && !isBefore(HOURS_END_MAX, end), `marketing can't end at ${hoursEnd}`)
  return end
}

function isBefore(one: Temporal.PlainTime, other: Temporal.PlainTime): boolean {
  return Temporal.PlainTime.compare(one, other) < 0
}

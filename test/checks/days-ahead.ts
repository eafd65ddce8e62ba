import { type Calendar, isHoliday } from '../../src/compliance/holidays.ts'

/*
 * Days for tests that schedule. A test with a literal day fails once that day has passed: a time in the past means "now".
 */

/** The nearest day: no run lasts until then. */
const NEAREST_DAYS = 30
/** The farthest day: a send may be scheduled a year ahead. */
const FARTHEST_DAYS = 364

const TERRITORIES: Calendar[] = ['national', 'alsace-moselle', 'reunion', 'guadeloupe', 'martinique']
const SUNDAY = 7

/** The first day at least 30 days ahead that fits. */
export function dayAhead(fits: (day: Temporal.PlainDate) => boolean = () => true): Temporal.PlainDate {
  const today = Temporal.Now.plainDateISO('UTC')
  for (let days = NEAREST_DAYS; days <= FARTHEST_DAYS; days++) {
    const day = today.add({ days })
    if (fits(day)) return day
  }
  throw new Error('No day of the coming year fits.')
}

/** A Sunday before a Monday that is no holiday. */
export function sundayAhead(): Temporal.PlainDate {
  return dayAhead((day) => day.dayOfWeek === SUNDAY && isWorkingDay(day.add({ days: 1 })))
}

/** A working day before another one. */
export function workingDayAhead(): Temporal.PlainDate {
  return dayAhead((day) => isWorkingDay(day) && isWorkingDay(day.add({ days: 1 })))
}

export function workingDayAfter(day: Temporal.PlainDate): Temporal.PlainDate {
  const next = day.add({ days: 1 })
  return isWorkingDay(next) ? next : workingDayAfter(next)
}

/** True if marketing may be sent to the whole of France on this day. */
function isWorkingDay(day: Temporal.PlainDate): boolean {
  return day.dayOfWeek !== SUNDAY && !TERRITORIES.some((territory) => isHoliday(day, territory))
}

/** A time of a day in a time zone, as the API writes it. */
export function instantOf(day: Temporal.PlainDate, time: string, timeZone = 'UTC'): string {
  const { epochMilliseconds } = day.toZonedDateTime({ timeZone, plainTime: time })
  return new Date(epochMilliseconds).toISOString()
}

import { strict as assert } from 'node:assert'
import { COUNTRIES, FRANCE } from './countries.ts'
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
 * The first moment, from `at` on, at which marketing may leave to a place (`placeOf`): at once where no publication bounds
 * the hours. `calendar` and the hours are the account's, for France.
 */
export function nextMarketingMoment(
  at: Date,
  place: string,
  { calendar, hoursEnd, sundaysAndHolidays }: MarketingHours & { calendar: MetropolitanCalendar }
): Date {
  const territory = frenchTerritoryOf({ country: place }, { calendar })
  if (territory) return nextAllowedMoment(at, { ...territory, hoursEnd, sundaysAndHolidays })
  const found = ABROAD.get(place)
  return found ? nextMomentInZones(at, found) : at
}

/**
 * The place of a number, as far as the hours of marketing need it: its country or, in the United States, a state far away
 * from the others.
 */
export function placeOf(country: string, phone: string): string {
  return country === 'US' ? (FAR_STATES[phone.slice(0, '+1808'.length)] ?? country) : country
}

const FAR_STATES: Readonly<Record<string, string>> = { '+1907': 'US-AK', '+1808': 'US-HI' }

/** Hours in all zones of a place. */
interface HoursAbroad {
  start: Temporal.PlainTime
  end: Temporal.PlainTime
  zones: readonly string[]
}

const ABROAD = new Map<string, HoursAbroad>(
  COUNTRIES.flatMap(({ hours }) =>
    hours
      ? Object.entries(hours.zones).map(([place, zones]): [string, HoursAbroad] => {
          // There are no calendars of holidays for these places.
          assert(hours.sundays === 'allowed' && hours.holidays === 'allowed')
          return [
            place,
            { start: Temporal.PlainTime.from(hours.start), end: Temporal.PlainTime.from(hours.end), zones }
          ]
        })
      : []
  )
)

/** The same moment if every zone is within the hours, else the first at which every zone is. */
function nextMomentInZones(at: Date, { start, end, zones }: HoursAbroad): Date {
  let instant = Temporal.Instant.fromEpochMilliseconds(at.getTime())
  // A zone only moves the moment forward, to its own opening: after a turn of all zones without a move, all are open.
  for (let unmoved = 0; unmoved < zones.length; ) {
    for (const zone of zones) {
      const local = instant.toZonedDateTimeISO(zone)
      const time = local.toPlainTime()
      const hasEnded = !isBefore(time, end)
      if (!hasEnded && !isBefore(time, start)) {
        unmoved++
        continue
      }
      const date = hasEnded ? local.toPlainDate().add({ days: 1 }) : local.toPlainDate()
      instant = date.toZonedDateTime({ timeZone: zone, plainTime: start }).toInstant()
      unmoved = 0
    }
  }
  const moment = new Date(instant.epochMilliseconds)
  return moment.getTime() > at.getTime() ? moment : at
}

/** By the clock on the wall, which daylight saving moves: a day is not always 24 hours after the one before. */
const { start: HOURS_START_TEXT, end: DEFAULT_HOURS_END, endMax: HOURS_END_MAX_TEXT } = franceHours()

function franceHours() {
  const { hours } = FRANCE
  assert(hours)
  return hours
}

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

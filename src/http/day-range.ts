import Type from 'typebox'
import { invalidInput } from '../errors.ts'

const DAYS_MAX = 400
const DAYS_DEFAULT = 30

const Day = (description: string) => Type.Optional(Type.String({ maxLength: 10, description }))

/** `from` and `to` of figures by day. */
export const DayRangeQuery = {
  from: Day('The first day, YYYY-MM-DD. By default 29 days before `to`.'),
  to: Day('The last day, YYYY-MM-DD. By default today.')
}

/** Days of a time zone, from the first moment of one up to the last of another. */
export interface DayRange {
  first: Temporal.PlainDate
  /** How many days there are. */
  count: number
  from: Date
  before: Date
}

export function readDayRange(query: { from?: string; to?: string }, timeZone: string): DayRange {
  const to = readDay('to', query.to) ?? Temporal.Now.plainDateISO(timeZone)
  const first = readDay('from', query.from) ?? to.subtract({ days: DAYS_DEFAULT - 1 })
  const count = first.until(to).days + 1
  if (count < 1) throw invalidInput([{ path: 'from', message: 'must not be after `to`' }])
  if (count > DAYS_MAX) throw invalidInput([{ path: 'from', message: `must be within ${DAYS_MAX} days up to \`to\`` }])
  const begin = (day: Temporal.PlainDate) => new Date(day.toZonedDateTime(timeZone).epochMilliseconds)
  return { first, count, from: begin(first), before: begin(to.add({ days: 1 })) }
}

const DAY = /^[0-9]{4}-[0-9]{2}-[0-9]{2}$/
/** Outside of these years PostgreSQL and Temporal disagree. */
const YEARS = { first: 1970, last: 9998 }

function readDay(path: string, text: string | undefined): Temporal.PlainDate | undefined {
  if (text === undefined) return undefined
  const day = DAY.test(text) ? toDay(text) : undefined
  if (!day || day.year < YEARS.first || day.year > YEARS.last) {
    throw invalidInput([{ path, message: 'must be a day, such as 2026-12-24' }])
  }
  return day
}

function toDay(text: string): Temporal.PlainDate | undefined {
  try {
    return Temporal.PlainDate.from(text)
  } catch {
    return undefined
  }
}

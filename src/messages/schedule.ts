import { invalidInput } from '../errors.ts'

/**
 * When somebody wants a message to leave: ISO 8601, of the account's time zone if it names none. Absent or past is now;
 * undefined stands for that.
 */
export function readScheduleAt(
  text: string | undefined,
  { timeZone, now, path = 'scheduleAt' }: { timeZone: string; now: Date; path?: string }
): Date | undefined {
  if (text === undefined || text.trim() === '') return undefined
  const moment = readMoment(text, timeZone)
  if (!moment)
    throw invalidInput([{ path, message: 'must be a date and time in ISO 8601, such as 2026-12-24T10:00:00+01:00' }])
  if (moment.getTime() <= now.getTime()) return undefined
  const latest = Temporal.Instant.fromEpochMilliseconds(now.getTime())
    .toZonedDateTimeISO(timeZone)
    .add({ years: 1 }).epochMilliseconds
  if (moment.getTime() > latest) throw invalidInput([{ path, message: 'must be at most a year from now' }])
  return moment
}

/** When a send may leave. */
export interface ScheduleFields {
  scheduleAt?: string | undefined
  scheduledate?: string | undefined
  scheduletime?: string | undefined
}

/**
 * When a send may leave: at `scheduleAt`, or else at a date and a time of day in the account's time zone; a date alone means
 * its midnight. Undefined means now.
 */
export function readDeparture(
  { scheduleAt = '', scheduledate = '', scheduletime = '' }: ScheduleFields,
  { timeZone, now }: { timeZone: string; now: Date }
): Date | undefined {
  if (scheduleAt.trim() !== '') return readScheduleAt(scheduleAt, { timeZone, now })
  const [date, time] = [scheduledate.trim(), scheduletime.trim()]
  if (date === '' && time === '') return undefined
  if (date === '')
    throw invalidInput([
      { path: 'scheduledate', message: 'is missing: scheduletime needs a date beside it, such as 2026-12-24' }
    ])
  if (!readMoment(date, timeZone) || /[T ]/i.test(date)) {
    throw invalidInput([{ path: 'scheduledate', message: 'must be a date such as 2026-12-24' }])
  }
  const text = `${date}T${time || '00:00:00'}`
  if (!readMoment(text, timeZone)) {
    throw invalidInput([{ path: 'scheduletime', message: 'must be a time of day such as 10:30 or 10:30:00' }])
  }
  return readScheduleAt(text, { timeZone, now, path: 'scheduledate' })
}

const WITH_ZONE = /(?:Z|[+-]\d{2}(?::?\d{2})?)$/i

/** A moment in ISO 8601, of this time zone if it names none; undefined if it is none. */
export function readMoment(text: string, timeZone: string): Date | undefined {
  const iso = text.trim().replace(' ', 'T')
  try {
    // With the name of a zone, in the form of RFC 9557.
    if (iso.includes('[')) return new Date(Temporal.ZonedDateTime.from(iso).epochMilliseconds)
    // The date alone ends in -15 too, which is no offset.
    if (iso.includes('T') && WITH_ZONE.test(iso)) return new Date(Temporal.Instant.from(iso).epochMilliseconds)
    return new Date(Temporal.PlainDateTime.from(iso).toZonedDateTime(timeZone).epochMilliseconds)
  } catch {
    return undefined // That is how Temporal says that it can't read it.
  }
}

/** The date and the time of a moment, as a record shows them, in a time zone. */
export function toLocalDateAndTime(moment: Date, timeZone: string): { date: string; time: string } {
  const [date = '', time = ''] = formatterOf(timeZone).format(moment).split(', ')
  return { date, time }
}

/** A formatter takes 50 µs to make, and a list shows a thousand messages. */
const formatters = new Map<string, Intl.DateTimeFormat>()
/** The IANA list has about 600 names; a service has accounts in few of them. */
const FORMATTERS_MAX = 100

function formatterOf(timeZone: string): Intl.DateTimeFormat {
  let formatter = formatters.get(timeZone)
  if (!formatter) {
    formatter = new Intl.DateTimeFormat('en-CA', {
      timeZone,
      dateStyle: 'short',
      timeStyle: 'medium',
      hourCycle: 'h23'
    })
    const [oldest = timeZone] = formatters.size >= FORMATTERS_MAX ? formatters.keys() : []
    formatters.delete(oldest)
    formatters.set(timeZone, formatter)
  }
  return formatter
}

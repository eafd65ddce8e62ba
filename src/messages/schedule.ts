import { invalidInput } from '../errors.ts'

/**
 * The requested departure, in ISO 8601; the account's time zone applies if the text names none. Undefined means now:
 * the text is absent, or its time is past.
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

/** The fields of a request that say when it may leave. */
export interface ScheduleFields {
  scheduleAt?: string | undefined
  scheduledate?: string | undefined
  scheduletime?: string | undefined
}

/**
 * When a send may leave: at `scheduleAt`, or else at a date and time of day in the account's time zone. A date alone
 * means its midnight. Undefined means now.
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

/** Reads a moment in ISO 8601; `timeZone` applies if the text names none. Undefined if the text is not a moment. */
export function readMoment(text: string, timeZone: string): Date | undefined {
  const iso = text.trim().replace(' ', 'T')
  // A plain date and time is read last: it would be read from a text with an offset too, and leave the offset out.
  const moment = iso.includes('[') // It names a zone, in the form of RFC 9557.
    ? readTemporal(() => Temporal.ZonedDateTime.from(iso))
    : (readTemporal(() => Temporal.Instant.from(iso)) ??
      readTemporal(() => Temporal.PlainDateTime.from(iso).toZonedDateTime(timeZone)))
  return moment && new Date(moment.epochMilliseconds)
}

/** Undefined where Temporal can't read the text: it throws then. */
function readTemporal<Read>(read: () => Read): Read | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}

/** The date and time of a moment in a time zone, as a record shows them. */
export function toLocalDateAndTime(moment: Date, timeZone: string): { date: string; time: string } {
  const [date = '', time = ''] = formatterOf(timeZone).format(moment).split(', ')
  return { date, time }
}

/** Cached: making a formatter takes 50 µs, and a list shows a thousand messages. */
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

import { Cron } from 'croner'
import { withFirst } from '../../lib/french/typography.ts'
import { capitalised, defineWords, type Language, localeOf } from '../../lib/language.ts'
import { firstDayOf } from '../../lib/locale-dates.ts'

/* A schedule as people choose it, and the five fields of a crontab that the service knows it by. */

export interface Schedule {
  every: 'minutes' | 'day' | 'week' | 'month' | 'crontab'
  /** Between two times: a part of an hour, or the hour. */
  minutes: number
  /** "10:00" */
  time: string
  /** From 0, a Sunday, to 6. */
  weekdays: number[]
  /** From 1; `L` is the last day. */
  monthDay: string
  crontab: string
}

export const MINUTES = [5, 10, 15, 20, 30, 60]
/** 0 is Sunday. */
export const weekdaysFrom = (first: number): number[] => Array.from({ length: 7 }, (_, index) => (first + index) % 7)
export const LAST_DAY = 'L'

const words = defineWords(
  {
    minutes: (count: number) => (count === 60 ? 'Every hour' : `Every ${count} minutes`),
    day: (time: string) => `Every day at ${time}`,
    week: (days: string, time: string) => `${days} at ${time}`,
    month: (day: string, time: string) =>
      day === LAST_DAY ? `On the last day of the month at ${time}` : `On day ${day} of the month at ${time}`,
    year: (day: string, time: string) => `Every year on ${day} at ${time}`,
    custom: (crontab: string) => `Custom schedule: ${crontab}`
  },
  {
    minutes: (count: number) => (count === 60 ? 'Toutes les heures' : `Toutes les ${count} minutes`),
    day: (time: string) => `Tous les jours à ${time}`,
    week: (days: string, time: string) => `${days} à ${time}`,
    month: (day: string, time: string) =>
      day === LAST_DAY ? `Le dernier jour du mois à ${time}` : `Le ${day === '1' ? '1er' : day} du mois à ${time}`,
    year: (day: string, time: string) => `Tous les ans le ${day} à ${time}`,
    custom: (crontab: string) => `Planification personnalisée : ${crontab}`
  }
)

const FIRST: Schedule = {
  every: 'day',
  minutes: 15,
  time: '10:00',
  weekdays: [1],
  monthDay: '1',
  crontab: '0 10 * * *'
}

export function toCrontab({ every, minutes, time, weekdays, monthDay, crontab }: Schedule): string {
  const [hour = 0, minute = 0] = time.split(':').map(Number)
  const at = `${minute} ${hour}`
  if (every === 'minutes') return minutes === 60 ? '0 * * * *' : `*/${minutes} * * * *`
  if (every === 'day') return `${at} * * *`
  if (every === 'week') return `${at} * * ${weekdays.toSorted().join(',')}`
  return every === 'month' ? `${at} ${monthDay} * *` : crontab.trim().replaceAll(/\s+/g, ' ')
}

/** A crontab that is none of the plain ones stays a crontab. */
export function fromCrontab(crontab: string): Schedule {
  const given = { ...FIRST, crontab }
  const minutes = crontab === '0 * * * *' ? 60 : Number(/^\*\/(\d+) \* \* \* \*$/.exec(crontab)?.[1])
  if (MINUTES.includes(minutes)) return { ...given, every: 'minutes', minutes }
  const [, minute = '', hour = '', monthDay = '*', weekdays = '*'] =
    /^([0-5]?\d) ([01]?\d|2[0-3]) (\*|L|[12]?\d|3[01]) \* (\*|[0-6](?:,[0-6])*)$/.exec(crontab) ?? []
  if (minute === '' || (monthDay !== '*' && weekdays !== '*')) return { ...given, every: 'crontab' }
  const timed = { ...given, time: `${hour.padStart(2, '0')}:${minute.padStart(2, '0')}` }
  if (monthDay !== '*') return { ...timed, every: 'month', monthDay }
  return weekdays === '*'
    ? { ...timed, every: 'day' }
    : { ...timed, every: 'week', weekdays: weekdays.split(',').map(Number) }
}

export function weekdayName(weekday: number, language: Language): string {
  // The 1st of November 2026 is a Sunday.
  return new Intl.DateTimeFormat(language, { weekday: 'long', timeZone: 'UTC' }).format(Date.UTC(2026, 10, 1 + weekday))
}

/** A crontab of one day of the year, such as `0 10 1 1 *`. */
function describeYearly(crontab: string, language: Language): string | undefined {
  const [, minute = '', hour = '', day = '', month = ''] =
    /^([0-5]?\d) ([01]?\d|2[0-3]) ([12]?\d|3[01]) ([1-9]|1[0-2]) \*$/.exec(crontab) ?? []
  if (minute === '') return undefined
  // A leap year, which has every day that a crontab can name.
  const date = new Date(Date.UTC(2024, Number(month) - 1, Number(day)))
  if (date.getUTCMonth() + 1 !== Number(month)) return undefined
  const format = new Intl.DateTimeFormat(localeOf(language), { day: 'numeric', month: 'long', timeZone: 'UTC' })
  return words[language].year(
    withFirst(format.format(date), language),
    `${hour.padStart(2, '0')}:${minute.padStart(2, '0')}`
  )
}

/** In a few words; a crontab that is none of the plain ones as it is, behind a word that says so. */
export function describeSchedule(crontab: string, language: Language): string {
  const say = words[language]
  const { every, minutes, time, weekdays, monthDay } = fromCrontab(crontab)
  if (every === 'minutes') return say.minutes(minutes)
  if (every === 'day') return say.day(time)
  if (every === 'month') return say.month(monthDay, time)
  if (every === 'crontab') return describeYearly(crontab, language) ?? say.custom(crontab)
  const chosen = weekdaysFrom(firstDayOf(localeOf(language)))
    .filter((day) => weekdays.includes(day))
    .map((day) => weekdayName(day, language))
  const days = new Intl.ListFormat(language).format(chosen)
  return say.week(capitalised(days, language), time)
}

/** The next times, by the library that the service counts with; none for a crontab that can't be read. */
export function nextTimes(crontab: string, timeZone: string, count: number): Date[] {
  try {
    return new Cron(crontab, { timezone: timeZone, mode: '5-part', paused: true }).nextRuns(count)
  } catch {
    // The service says what is wrong with it.
    return []
  }
}

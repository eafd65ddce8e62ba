import { Cron } from 'croner'
import type { InputProblem } from '../errors.ts'

/* When an automation runs: five fields as in a crontab, in the time zone of the account. */

export const SCHEDULE_LENGTH_MAX = 100
const EVERY_MIN_MS = 5 * 60_000
/** How many times in a row are looked at for two that are too close. */
const LOOKED_AT = 100

/** Five fields of digits, names of days and months, and signs between them. Seconds and years are left out. */
const FORM = /^[^\s]+( [^\s]+){4}$/

/** The next time after a moment; undefined if there is none, such as for a 30th of February. */
export function nextTime(schedule: string, timeZone: string, after: Date): Date | undefined {
  return new Cron(schedule, { timezone: timeZone, mode: '5-part', paused: true }).nextRun(after) ?? undefined
}

/** The last time until a moment; undefined if there was none. */
export function lastTime(schedule: string, timeZone: string, until: Date): Date | undefined {
  const cron = new Cron(schedule, { timezone: timeZone, mode: '5-part', paused: true })
  // Croner leaves out the moment itself.
  return cron.previousRuns(1, new Date(until.getTime() + 1_000))[0]
}

export function scheduleProblems(schedule: string, timeZone: string, now: Date): InputProblem[] {
  const problem = problemOf(schedule, timeZone, now)
  return problem === undefined ? [] : [{ path: 'schedule', message: problem }]
}

function problemOf(schedule: string, timeZone: string, now: Date): string | undefined {
  if (!FORM.test(schedule)) return 'must have five fields: minute, hour, day of the month, month, day of the week'
  try {
    let time = nextTime(schedule, timeZone, now)
    if (time === undefined) return 'never comes'
    for (let count = 0; count < LOOKED_AT; count++) {
      const next = nextTime(schedule, timeZone, time)
      if (next === undefined) return undefined
      if (next.getTime() - time.getTime() < EVERY_MIN_MS) return 'must leave 5 minutes between two times'
      time = next
    }
    return undefined
  } catch (error) {
    return `can’t be read: ${(error as Error).message}`
  }
}

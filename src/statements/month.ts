import { invalidInput } from '../errors.ts'
import type { Days } from './figures.store.ts'

/* Months of statements are those of UTC: both sides of a transfer are in the same month, whatever the time zones of the accounts. */

const MONTH = /^[0-9]{4}-(0[1-9]|1[0-2])$/

/** A month as YYYY-MM. */
export function monthOf(moment: Date): string {
  return moment.toISOString().slice(0, 7)
}

export function nextMonth(month: string): string {
  return Temporal.PlainYearMonth.from(month).add({ months: 1 }).toString()
}

/** The first day of a month. */
export function firstDay(month: string): string {
  return `${month}-01`
}

export function daysOf(month: string): Days {
  return { from: firstDay(month), before: firstDay(nextMonth(month)) }
}

/** The moment at which the month after begins. */
export function endOf(month: string): Date {
  return new Date(`${firstDay(nextMonth(month))}T00:00:00Z`)
}

/** The month of a path. Outside of these years dates of PostgreSQL and of JavaScript disagree. */
export function readMonth(text: string): string {
  if (!MONTH.test(text) || text < '1970-01' || text > '9998-12') {
    throw invalidInput([{ path: 'month', message: 'must be a month, such as 2026-11' }])
  }
  return text
}

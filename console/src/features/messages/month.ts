/* Days are texts, "2026-11-15", and have no time zone. */

const DAY_MS = 86_400_000

const toText = (ms: number) => new Date(ms).toISOString().slice(0, 10)
const toMs = (day: string) => Date.parse(`${day}T00:00:00Z`)

/** Whether this is a day that there is. */
export function isDay(text: string): boolean {
  return /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(toMs(text)) && toText(toMs(text)) === text
}

/** "2026-11" of "2026-11-15". */
export const monthOf = (day: string): string => day.slice(0, 7)

/** The weeks of a month, with the days of other months that fill them. `firstDay` begins a week; 0 is Sunday. */
export function weeksOf(month: string, firstDay: number): string[][] {
  const first = toMs(`${month}-01`)
  const start = first - ((new Date(first).getUTCDay() - firstDay + 7) % 7) * DAY_MS
  const weeks: string[][] = []
  for (let at = start; at === start || monthOf(toText(at)) <= month; at += 7 * DAY_MS) {
    weeks.push(Array.from({ length: 7 }, (_, index) => toText(at + index * DAY_MS)))
  }
  return weeks
}

/** So many days or months later; the last day of a month that is too short. */
export function moved(day: string, { days = 0, months = 0 }: { days?: number; months?: number }): string {
  if (months === 0) return toText(toMs(day) + days * DAY_MS)
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number)
  const last = new Date(Date.UTC(year, month - 1 + months + 1, 0)).getUTCDate()
  return toText(Date.UTC(year, month - 1 + months, Math.min(date, last)))
}

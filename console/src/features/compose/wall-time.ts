/*
 * Moments as the clock of a time zone shows them, which is how a person chooses one: "2026-11-15 09:30:00" in Paris.
 */

export function toWallTime(iso: string, timeZone: string): string {
  const parts = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' })
  return parts.format(new Date(iso))
}

/** A time that the clock leaves out, in spring, is taken for the one after the gap; one that it shows twice, for the first. */
export function fromWallTime(wall: string, timeZone: string): string {
  const asUtc = (text: string) => Date.parse(`${text.replace(' ', 'T')}Z`)
  const shownAt = (time: number) => asUtc(toWallTime(new Date(time).toISOString(), timeZone))
  const guess = asUtc(wall)
  // By the clock of the day before, or by that of the day after where only it shows this time.
  const [before, after] = [guess - DAY_MS, guess + DAY_MS].map((day) => guess - (shownAt(day) - day)) as [
    number,
    number
  ]
  return new Date(shownAt(before) !== guess && shownAt(after) === guess ? after : before).toISOString()
}

const DAY_MS = 86_400_000

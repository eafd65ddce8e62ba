/*
 * Times as the clock of a time zone shows them, which is how people choose them: "2026-11-15 09:30:00" in Paris.
 */

export function toWallTime(iso: string, timeZone: string): string {
  const parts = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' })
  return parts.format(new Date(iso))
}

/** A time that the clock skips in spring becomes the one after the gap; a time that it shows twice, the first. */
export function fromWallTime(wall: string, timeZone: string): string {
  const asUtc = (text: string) => Date.parse(`${text.replace(' ', 'T')}Z`)
  const shownAt = (time: number) => asUtc(toWallTime(new Date(time).toISOString(), timeZone))
  const guess = asUtc(wall)
  // With the offset of the day before, or of the day after where only that one has this time.
  const [before, after] = [guess - DAY_MS, guess + DAY_MS].map((day) => guess - (shownAt(day) - day)) as [
    number,
    number
  ]
  return new Date(shownAt(before) !== guess && shownAt(after) === guess ? after : before).toISOString()
}

const DAY_MS = 86_400_000

/*
 * Moments as the clock of a time zone shows them, which is how a person chooses one: "2026-11-15 09:30:00" in Paris.
 */

export function toWallTime(iso: string, timeZone: string): string {
  const parts = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' })
  return parts.format(new Date(iso))
}

/** A time that the clock leaves out, in spring, is taken for the one after the gap; one that it shows twice, for the first. */
export function fromWallTime(wall: string, timeZone: string): string {
  const guess = Date.parse(`${wall.replace(' ', 'T')}Z`)
  // Away from changes of the clock one step is right; across one, the second.
  const offsetAt = (time: number) =>
    Date.parse(`${toWallTime(new Date(time).toISOString(), timeZone).replace(' ', 'T')}Z`) - time
  const first = guess - offsetAt(guess)
  return new Date(guess - offsetAt(first)).toISOString()
}

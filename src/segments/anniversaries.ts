/**
 * The days of the year, such as `12-24`, whose anniversary comes so many days after a moment. There are two on 28 February of
 * a year without a 29th, so that everybody has one anniversary a year.
 */
export function anniversariesOn({ now, timeZone }: { now: Date; timeZone: string }, daysBefore: number): string[] {
  const today = Temporal.Instant.fromEpochMilliseconds(now.getTime()).toZonedDateTimeISO(timeZone).toPlainDate()
  const day = today.add({ days: daysBefore })
  const name = day.toString().slice(-5)
  return name === '02-28' && !day.inLeapYear ? [name, '02-29'] : [name]
}

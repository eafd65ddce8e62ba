const REGIONS = /^(?:Africa|America|Antarctica|Arctic|Asia|Atlantic|Australia|Europe|Indian|Pacific|Etc)\//

/**
 * The canonical name of a time zone, undefined for an unknown name. A name of a region and a city is written as in the IANA
 * list. Any other name, such as US/Eastern or GB, becomes the zone that it stands for, because not every PostgreSQL knows it.
 */
export function canonicalTimeZone(name: string): string | undefined {
  // Offsets such as +02:00 know nothing of summer time.
  if (!/^[A-Z]/i.test(name)) return undefined
  try {
    // Temporal, and not Intl: Intl also accepts names that PostgreSQL does not know, such as SystemV/EST5.
    const { timeZoneId } = new Temporal.ZonedDateTime(0n, name)
    const { timeZone } = new Intl.DateTimeFormat('en', { timeZone: timeZoneId }).resolvedOptions()
    return REGIONS.test(timeZoneId) && timeZone !== 'UTC' ? timeZoneId : timeZone
  } catch {
    return undefined // Temporal and Intl throw for an unknown name.
  }
}

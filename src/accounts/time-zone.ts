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
    const zone = zoneOf(timeZoneId)
    return REGIONS.test(timeZoneId) && zone !== 'UTC' ? timeZoneId : zone
  } catch {
    return undefined // Temporal throws for an unknown name.
  }
}

/**
 * The name of the same zone that a PostgreSQL knows. Some systems keep old names, such as Asia/Calcutta, in a package of their own,
 * and these are the names that browsers offer. Undefined if it knows none.
 */
export function nameAmong(known: readonly string[], name: string): string | undefined {
  if (known.includes(name)) return name
  const zone = zoneOf(name)
  return known.find((other) => REGIONS.test(other) && zoneOf(other) === zone)
}

/** One name for all names of a zone. */
function zoneOf(name: string): string | undefined {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone
  } catch {
    return undefined // Intl throws for an unknown name.
  }
}

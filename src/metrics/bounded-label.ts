/** The value of a label for everything past its limit. */
export const OTHER = 'other'

/**
 * Keeps a label small whose values come from outside: each value makes a series, which a monitoring system keeps for months.
 * The first `max` values stay as they are, and all later ones become `other`.
 */
export function boundedLabel(max: number): (value: string) => string {
  const known = new Set<string>()
  return (value) => {
    if (known.has(value)) return value
    if (known.size >= max) return OTHER
    known.add(value)
    return value
  }
}

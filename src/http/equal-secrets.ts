import { timingSafeEqual } from 'node:crypto'

/** Compares a given secret with the right one, in a time that does not depend on where they differ. */
export function isEqualSecret(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)]
  return a.length === b.length && timingSafeEqual(a, b)
}

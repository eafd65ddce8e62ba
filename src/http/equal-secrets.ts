import { timingSafeEqual } from 'node:crypto'

/** Compares what was shown with what is right, in a time that tells nothing of where they differ. */
export function isEqualSecret(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)]
  return a.length === b.length && timingSafeEqual(a, b)
}

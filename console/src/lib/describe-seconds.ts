import type { Language } from './language.ts'

const UNITS = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1]
] as const

/** A duration in the largest unit that it is a whole number of: `3 days`, `90 seconds`. */
export function describeSeconds(seconds: number, language: Language): string {
  const [unit, size] = UNITS.find(([, size]) => seconds % size === 0) ?? UNITS[3]
  return new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay: 'long' }).format(seconds / size)
}

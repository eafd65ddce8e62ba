import { hash } from 'node:crypto'
import { Refusal } from '../errors.ts'
import type { Attempts } from './attempts.store.ts'

/** Hashed, because people type passwords into the wrong field. */
export function subjectOf(kind: string, value: string): string {
  return hash('sha256', `${kind} ${value}`, 'base64')
}

export function attemptsOf(counts: readonly Attempts[], subject: string): number {
  return counts.find((each) => each.subject === subject)?.count ?? 0
}

/** The refusal of an attempt too many; `what` begins its sentence. */
export function tooMany(what: string, secondsLeft: number): Refusal {
  const retryAfterSeconds = Math.max(1, secondsLeft)
  const minutes = Math.ceil(retryAfterSeconds / 60)
  const wait = retryAfterSeconds <= 60 ? `${retryAfterSeconds} s` : `${minutes} minutes`
  return new Refusal(429, 'rate_limited', `${what}; wait ${wait}.`, { retryAfterSeconds })
}

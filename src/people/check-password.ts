import { hash } from 'node:crypto'
import type { Pool } from '../database/database.ts'
import { Refusal } from '../errors.ts'
import { networkOf } from '../http/networks.ts'
import { findLoginFailures, insertLoginFailure, type LoginFailures } from './login-failures.store.ts'
import { verifyPassword } from './passwords.ts'
import { createSlowLanes } from './slow-lanes.ts'

const FAILURES_MAX = 10

/** Two passwords a second from one address; a log-in waits for 5 s at most. */
const lanes = createSlowLanes({ gapMs: 500, waitingMax: 10, waitingInAllMax: 50 })

/**
 * Checks a password and counts the failures of a minute, per email and per address (of IPv6, per network).
 *
 * After ten failures for one email the answer is 429 until the minute is over, for a right password too. After ten failures
 * from one address, with any emails, its log-ins are only slowed down: thousands of people may share one address, and one of
 * them must not lock the others out. The counts are read again after the hashing, so that guesses made all at once learn no
 * more than guesses made one by one.
 */
export async function checkPassword(
  pool: Pool,
  attempt: {
    person: { id: number; passwordHash: string | null } | undefined
    email: string
    address: string
    password: string
  }
): Promise<boolean> {
  const { person } = attempt
  // Counted by person where there is one: an email can be written in several ways.
  const who = person ? subjectOf('person', String(person.id)) : subjectOf('email', attempt.email.toLowerCase())
  const network = networkOf(attempt.address)
  const from = subjectOf('address', network)
  const subjects = [who, from]

  const before = await findLoginFailures(pool, subjects)
  refuseTooMany(before, who, FAILURES_MAX)
  const isSlowed = failuresOf(before, from) >= FAILURES_MAX
  if (isSlowed) await lanes.wait(network)

  const isRight = await verifyPassword(attempt.password, person?.passwordHash ?? undefined, network)
  const after = isRight ? await findLoginFailures(pool, subjects) : await insertLoginFailure(pool, subjects)
  const failuresMax = isRight ? FAILURES_MAX : FAILURES_MAX + 1
  refuseTooMany(after, who, failuresMax)
  if (!isSlowed && failuresOf(after, from) >= failuresMax) await lanes.wait(network)
  return isRight
}

/** Counts a wrong second factor as a wrong password is counted, and slows its address down as well. */
export async function countLoginFailure(
  pool: Pool,
  { personId, address }: { personId: number; address: string }
): Promise<void> {
  const network = networkOf(address)
  const [who, from] = [subjectOf('person', String(personId)), subjectOf('address', network)]
  const counts = await insertLoginFailure(pool, [who, from])
  refuseTooMany(counts, who, FAILURES_MAX + 1)
  if (failuresOf(counts, from) > FAILURES_MAX) await lanes.wait(network)
}

/** Hashed, because people type passwords into the wrong field. */
function subjectOf(kind: string, value: string): string {
  return hash('sha256', `${kind} ${value}`, 'base64')
}

function failuresOf(counts: readonly LoginFailures[], subject: string): number {
  return counts.find((count) => count.subject === subject)?.failures ?? 0
}

function refuseTooMany(counts: readonly LoginFailures[], subject: string, failuresMax: number): void {
  const count = counts.find((count) => count.subject === subject)
  if (!count || count.failures < failuresMax) return
  const retryAfterSeconds = Math.max(1, count.secondsLeft)
  const sentence = `Too many failed log-ins with this email; wait ${retryAfterSeconds} s.`
  throw new Refusal(429, 'rate_limited', sentence, { retryAfterSeconds })
}

import type { Pool } from '../database/database.ts'
import { networkOf } from '../http/networks.ts'
import { type Attempts, findAttempts, insertAttempt } from './attempts.store.ts'
import { attemptsOf, subjectOf, tooMany } from './attempts.ts'
import { verifyPassword } from './passwords.ts'
import { createSlowLanes } from './slow-lanes.ts'

const FAILURES_MAX = 10
const MINUTE = { windowSeconds: 60 }

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
  const who = person
    ? subjectOf('log-in of person', String(person.id))
    : subjectOf('log-in of email', attempt.email.toLowerCase())
  const network = networkOf(attempt.address)
  const from = subjectOf('log-in from', network)
  const subjects = [who, from]

  const before = await findAttempts(pool, subjects)
  refuseTooMany(before, who, FAILURES_MAX)
  const isSlowed = attemptsOf(before, from) >= FAILURES_MAX
  if (isSlowed) await lanes.wait(network)

  const isRight = await verifyPassword(attempt.password, person?.passwordHash ?? undefined, network)
  const after = isRight ? await findAttempts(pool, subjects) : await insertAttempt(pool, subjects, MINUTE)
  const failuresMax = isRight ? FAILURES_MAX : FAILURES_MAX + 1
  refuseTooMany(after, who, failuresMax)
  if (!isSlowed && attemptsOf(after, from) >= failuresMax) await lanes.wait(network)
  return isRight
}

/** Counts a wrong second factor as a wrong password is counted, and slows its address down as well. */
export async function countLoginFailure(
  pool: Pool,
  { personId, address }: { personId: number; address: string }
): Promise<void> {
  const network = networkOf(address)
  const [who, from] = [subjectOf('log-in of person', String(personId)), subjectOf('log-in from', network)]
  const counts = await insertAttempt(pool, [who, from], MINUTE)
  refuseTooMany(counts, who, FAILURES_MAX + 1)
  if (attemptsOf(counts, from) > FAILURES_MAX) await lanes.wait(network)
}

function refuseTooMany(counts: readonly Attempts[], subject: string, failuresMax: number): void {
  const found = counts.find((each) => each.subject === subject)
  if (found && found.count >= failuresMax) throw tooMany('Too many failed log-ins with this email', found.secondsLeft)
}

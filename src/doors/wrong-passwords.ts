import type { Pool } from '../database/database.ts'
import { Refusal } from '../errors.ts'
import { networkOf } from '../http/networks.ts'
import { type Attempts, findAttempts, insertAttempt } from '../people/attempts.store.ts'
import { subjectOf, tooMany } from '../people/attempts.ts'

/*
 * Wrong passwords within a minute, counted in the database for all processes. By user name and network together: a
 * stranger elsewhere can't lock a customer out. By network as well, for guesses with many user names.
 */

const BY_USER_MAX = 10
const BY_NETWORK_MAX = 100
const MINUTE = { windowSeconds: 60 }

/**
 * The result of `check`, which throws a 401 for a wrong password. After too many of them a right password is refused, too.
 *
 * The counts are read after the check. So guesses made all at once learn no more than guesses made one by one, and a right
 * password costs one read.
 */
export async function guardPassword<T>(
  pool: Pool,
  { username, address }: { username: string; address: string },
  check: () => T | Promise<T>
): Promise<T> {
  const network = networkOf(address)
  const limits = new Map([
    [subjectOf('door of', `${network} ${username}`), BY_USER_MAX],
    [subjectOf('door from', network), BY_NETWORK_MAX]
  ])
  const subjects = [...limits.keys()]
  let failure: Refusal | undefined
  let found: T | undefined
  try {
    found = await check()
  } catch (error) {
    if (!(error instanceof Refusal && error.status === 401)) throw error
    failure = error
  }
  refuseTooMany(await findAttempts(pool, subjects), limits)
  if (failure === undefined) return found as T
  // Counted before the answer. A refused guess is not counted, so a flood writes nothing.
  refuseTooMany(await insertAttempt(pool, subjects, MINUTE), limits, 1)
  throw failure
}

function refuseTooMany(counts: readonly Attempts[], limits: ReadonlyMap<string, number>, own = 0): void {
  for (const { subject, count, secondsLeft } of counts) {
    if (count - own >= (limits.get(subject) ?? 0)) throw tooMany('Too many wrong passwords', secondsLeft)
  }
}

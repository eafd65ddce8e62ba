import { hash } from 'node:crypto'
import type { Pool } from '../database/database.ts'
import { Refusal } from '../errors.ts'
import { networkOf } from '../http/networks.ts'
import { findLoginFailures, insertLoginFailure, type LoginFailures } from './login-failures.store.ts'
import { verifyPassword } from './passwords.ts'

const FAILURES_MAX = 10

/**
 * Checks a password and counts the failures, per email and per address, or per network where an owner has many (IPv6). After ten in a minute the answer is 429 until
 * the minute is over, for a right password too. The count is looked at again after the slow part, so that guesses made
 * all at once learn no more than guesses made one by one.
 */
export async function checkPassword(
  pool: Pool,
  attempt: {
    account: { id: number; passwordHash: string } | undefined
    email: string
    address: string
    password: string
  }
): Promise<boolean> {
  const { account } = attempt
  // By account where there is one: an email can be written in more ways than one.
  const who = account ? subjectOf('account', String(account.id)) : subjectOf('email', attempt.email.toLowerCase())
  const subjects = [who, subjectOf('address', networkOf(attempt.address))]
  refuseTooMany(await findLoginFailures(pool, subjects), FAILURES_MAX)
  if (await verifyPassword(attempt.password, account?.passwordHash)) {
    refuseTooMany(await findLoginFailures(pool, subjects), FAILURES_MAX)
    return true
  }
  refuseTooMany(await insertLoginFailure(pool, subjects), FAILURES_MAX + 1)
  return false
}

/** Hashed, because people type passwords into the wrong field. */
function subjectOf(kind: string, value: string): string {
  return hash('sha256', `${kind} ${value}`, 'base64')
}

function refuseTooMany(counts: LoginFailures[], failuresMax: number): void {
  const over = counts.filter(({ failures }) => failures >= failuresMax)
  if (over.length === 0) return
  const retryAfterSeconds = Math.max(1, ...over.map(({ secondsLeft }) => secondsLeft))
  throw new Refusal(429, 'rate_limited', 'Too many failed log-ins; wait a minute.', { retryAfterSeconds })
}

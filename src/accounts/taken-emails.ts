import type { Pool } from '../database/database.ts'
import { Refusal } from '../errors.ts'
import type { Caller } from '../http/caller.ts'
import { findTakenEmail } from './taken-emails.store.ts'

/** A customer mistypes or repeats some emails. More than this is a search for emails that have an account here. */
const ANSWERS_MAX = 20

export const TOO_MANY_TAKEN = `Of the emails that this account and its sub-accounts gave within an hour, ${ANSWERS_MAX} were taken.`

/**
 * Counts an email of a foreign account, before the write finds it taken. Past the limit of an hour every email is refused, a
 * free one too, since the difference would tell the same. The operator sees all accounts, and has no limit. A taken email is
 * not refused here: a repeat under an Idempotency-Key must get its first answer.
 */
export async function limitTakenEmails(pool: Pool, caller: Caller, email: string): Promise<void> {
  const { isOperator, accountId, topLevelId } = caller
  const { isTaken, isOwn, answers, secondsLeft } = await findTakenEmail(pool, { email, accountId, topLevelId })
  if (isOwn || isOperator) return
  if (isTaken ? answers > ANSWERS_MAX : answers >= ANSWERS_MAX) {
    const minutes = Math.ceil(secondsLeft / 60)
    const sentence = `Too many of the emails given within an hour were taken; wait ${minutes} ${minutes === 1 ? 'minute' : 'minutes'}.`
    throw new Refusal(429, 'rate_limited', sentence, { retryAfterSeconds: Math.max(1, secondsLeft) })
  }
}

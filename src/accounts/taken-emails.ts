import type { Pool } from '../database/database.ts'
import { Refusal } from '../errors.ts'
import type { Caller } from '../http/caller.ts'
import { findTakenEmail } from './taken-emails.store.ts'

/** A customer mistypes or repeats some; whoever asks for more tries out who has an account here. */
const ANSWERS_MAX = 20

export const TOO_MANY_TAKEN = `Of the emails that this account and its sub-accounts gave within an hour, ${ANSWERS_MAX} were taken.`

/**
 * Counts an email that a stranger has, before the write finds it taken. That it is taken is told so many times an hour; then every
 * email is refused alike, a free one too, since the difference would tell the same. The operator sees all accounts, and is told
 * each time. It does not refuse a taken one itself: a repeat under an Idempotency-Key is to get its first answer.
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

import type { Pool } from '../database/database.ts'
import type { Caller } from '../http/caller.ts'
import { findAttempts, insertAttempt } from '../people/attempts.store.ts'
import { attemptsOf, subjectOf, tooMany } from '../people/attempts.ts'
import { findTakenEmail } from './taken-emails.store.ts'

/** A customer mistypes or repeats some emails. More than this is a search for emails that have an account here. */
const ANSWERS_MAX = 20
const HOUR = { windowSeconds: 3_600 }

export const TOO_MANY_TAKEN = `Of the emails that this account and its sub-accounts gave within an hour, ${ANSWERS_MAX} were taken.`

/**
 * Counts an email of a foreign account, before the write finds it taken. Past the limit of an hour every email is refused, a
 * free one too, since the difference would tell the same. The operator sees all accounts, and has no limit. A taken email is
 * not refused here: a repeat under an Idempotency-Key must get its first answer.
 */
export async function limitTakenEmails(pool: Pool, caller: Caller, email: string): Promise<void> {
  const { isOperator, accountId, topLevelId } = caller
  if (isOperator) return
  const { isTaken, isOwn } = await findTakenEmail(pool, { email, accountId })
  if (isOwn) return
  const subject = subjectOf('taken email of', String(topLevelId))
  const counts = isTaken ? await insertAttempt(pool, [subject], HOUR) : await findAttempts(pool, [subject])
  const answers = attemptsOf(counts, subject)
  if (isTaken ? answers > ANSWERS_MAX : answers >= ANSWERS_MAX) {
    throw tooMany('Too many of the emails given within an hour were taken', counts[0]?.secondsLeft ?? 0)
  }
}

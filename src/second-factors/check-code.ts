import { databaseNowMs } from '../database/clock.ts'
import type { Pool } from '../database/database.ts'
import { Refusal } from '../errors.ts'
import { takeRecoveryCode } from './recovery-codes.ts'
import { lockTotpSecret, updateFailures, updateLastStep } from './totp.store.ts'
import { findStep, toTotpCode } from './totp.ts'

/**
 * With a code of six digits, ten wrong ones an hour find a right one within a day in 7 of 10,000 cases. The limit of
 * passwords, ten a minute, would make that 4 of 100.
 */
const FAILURES_MAX = 10

/**
 * Whether this is a code of the person's app or one of their recovery codes. A right code is used up. It must run on the
 * pool: the count of wrong codes stays, whatever becomes of the request.
 */
export async function checkCode(pool: Pool, personId: number, text: string): Promise<boolean> {
  const code = toTotpCode(text)
  // Recovery codes are too long to be guessed. They also let a person in whose app is closed by the guesses of another.
  if (code === undefined) return takeRecoveryCode(pool, personId, text)
  const outcome = await pool.begin(async (sql) => {
    const totp = await lockTotpSecret(sql, personId)
    if (!totp || totp.confirmedAt === null) return 'wrong'
    if (totp.failures >= FAILURES_MAX) return { retryAfterSeconds: Math.max(1, totp.secondsLeft) }
    const step = findStep(code, { secret: totp.secret, nowMs: databaseNowMs() })
    if (step === undefined || step <= totp.lastStep) {
      await updateFailures(sql, personId)
      return 'wrong'
    }
    await updateLastStep(sql, { personId, step })
    return 'right'
  })
  if (typeof outcome === 'object') throw tooMany(outcome.retryAfterSeconds)
  return outcome === 'right'
}

function tooMany(retryAfterSeconds: number): Refusal {
  const sentence = `Too many wrong codes; wait ${retryAfterSeconds} s, or use a passkey or a recovery code.`
  return new Refusal(429, 'rate_limited', sentence, { retryAfterSeconds })
}

import type { RevokeOutcome, SubmitOutcome } from '../carrier.ts'
import { errorOf, type RbmAnswer } from './rbm-client.ts'

/*
 * What an answer of the platform means for a message. Nothing is ever in doubt: a message has our id, and arrives once
 * however often it is sent.
 *
 * | answer                  | means                                                    |
 * | 200, 409 ALREADY_EXISTS | it has it                                                |
 * | 404                     | it can't reach this phone, or not for this agent         |
 * | 403                     | the same, as it said in former years                     |
 * | 400, other 4xx          | it can't show this there                                 |
 * | 401, 408, 429, 5xx      | not a word about the message: again                      |
 * | none                    | again                                                    |
 */

/** Statuses below 500 that say nothing about the message itself. */
const PASSING = new Set([401, 408, 425, 429])
/** Two calls that collided, and not one that came twice. */
const ABORTED = 'ABORTED'

const RETRY_SECONDS = { throttled: 2, failing: 5, unanswered: 2 }

export function toSubmitOutcome(answer: RbmAnswer, messageId: string): SubmitOutcome {
  if (answer.kind === 'failed' && answer.isTokenMissing && !answer.wasUnanswered) {
    return { ...toRetry(answer), isUntried: true }
  }
  if (answer.kind === 'failed' || isPassing(answer)) return { ...toRetry(answer), mayBeThere: mayBeThere(answer) }
  const isTaken = answer.status < 300 || answer.status === 409
  return isTaken
    ? { kind: 'accepted', carrierMessageIds: [messageId] }
    : { kind: 'unreachable', reason: reasonOf(answer) }
}

/** The platform may have had the message before it failed. */
function mayBeThere(answer: RbmAnswer): boolean {
  if (answer.kind === 'failed' || answer.wasUnanswered) return true
  return answer.status >= 500 || answer.status === 408
}

export function toRevokeOutcome(answer: RbmAnswer): RevokeOutcome {
  if (answer.kind === 'answered' && answer.status >= 200 && answer.status < 300) return { kind: 'revoked' }
  if (answer.kind === 'answered' && answer.status === 404) return { kind: 'too-late' }
  return toRetry(answer)
}

/**
 * The phone, and not only this message, is out of reach. A server that is not the platform's says 404 to everything.
 */
export function saysUnreachable(answer: RbmAnswer): boolean {
  return answer.kind === 'answered' && answer.status === 404 && errorOf(answer.body).status === 'NOT_FOUND'
}

/** The platform answers, and accepts our token. */
export function isWorking(answer: RbmAnswer): boolean {
  return answer.kind === 'answered' && answer.status >= 200 && answer.status < 500 && answer.status !== 401
}

function isPassing(answer: Extract<RbmAnswer, { kind: 'answered' }>): boolean {
  const { status } = answer
  // Redirects are not followed: they would take the token somewhere else.
  if (status < 200 || status >= 500 || (status >= 300 && status < 400)) return true
  return PASSING.has(status) || (status === 409 && errorOf(answer.body).status === ABORTED)
}

function toRetry(answer: RbmAnswer): { kind: 'retry'; reason: string; delaySeconds: number } {
  if (answer.kind === 'failed') {
    return { kind: 'retry', reason: answer.reason, delaySeconds: RETRY_SECONDS.unanswered }
  }
  const usual = answer.status === 429 ? RETRY_SECONDS.throttled : RETRY_SECONDS.failing
  return { kind: 'retry', reason: reasonOf(answer), delaySeconds: Math.max(1, answer.retryAfterSeconds ?? usual) }
}

const REASON_LENGTH_MAX = 300

/** In the platform's own words, where it has some. */
export function reasonOf(answer: RbmAnswer): string {
  if (answer.kind === 'failed') return answer.reason
  const { status, message } = errorOf(answer.body)
  const words = [status, message].filter((part) => part !== '').join(': ')
  return `${answer.status}${words === '' ? '' : ` ${words}`}`.slice(0, REASON_LENGTH_MAX)
}

import { STATUSES, type StatusName } from '../../smpp/commands.ts'

/*
 * What the status of an answer means for the message. Only the listed statuses may be tried again. All others are
 * refusals, also those that the specification reserves and the carriers' own from 0x400 to 0x4ff. The carrier did not
 * take the message: another try without knowing why would mostly be refused again, until the message is too old to be
 * of use, and the customer would learn of it only then. The reason is shown, so a missing status gets noticed.
 */

export type AnswerMeaning =
  | { kind: 'accepted' }
  /** The carrier is too busy: sending slows down, and the message is not to blame. */
  | { kind: 'throttled'; delaySeconds: number }
  | { kind: 'temporary'; delaySeconds: number }
  | { kind: 'refused' }

const MEANINGS: Readonly<Partial<Record<StatusName, AnswerMeaning>>> = {
  ESME_ROK: { kind: 'accepted' },
  ESME_RTHROTTLED: { kind: 'throttled', delaySeconds: 1 },
  ESME_RMSGQFUL: { kind: 'throttled', delaySeconds: 2 },
  // Overloaded SMSCs say it as often as broken ones: slower is right for both.
  ESME_RSYSERR: { kind: 'throttled', delaySeconds: 5 },
  ESME_RX_T_APPN: { kind: 'temporary', delaySeconds: 10 },
  // The carrier believes that we are not bound: the link is about to close, and the message is not to blame.
  ESME_RINVBNDSTS: { kind: 'temporary', delaySeconds: 5 }
}

const BY_STATUS: ReadonlyMap<number, AnswerMeaning> = new Map(
  (Object.keys(MEANINGS) as StatusName[]).map((name) => [STATUSES[name], MEANINGS[name] ?? { kind: 'refused' }])
)

const ACCEPTED: AnswerMeaning = { kind: 'accepted' }
const REFUSED: AnswerMeaning = { kind: 'refused' }

export function answerMeaning(status: number): AnswerMeaning {
  if (status === STATUSES.ESME_ROK) return ACCEPTED
  return BY_STATUS.get(status) ?? REFUSED
}

import { STATUSES, type StatusName } from './commands.ts'

/*
 * What the status of an answer means for the message. Only what is listed may be tried again: all else, also what the
 * specification reserves and the carriers' own from 0x400 to 0x4ff, is a refusal. The carrier said that it did not take
 * the message; sending it again without knowing why would mostly be refused again, until it is too old to be of use, and
 * the customer would learn of it only then. The reason is shown, so a status that is missing here gets noticed.
 */

export type AnswerMeaning =
  | { kind: 'accepted' }
  /** The carrier is too busy: it is the sending that slows down, and no message is to blame. */
  | { kind: 'throttled'; delaySeconds: number }
  | { kind: 'temporary'; delaySeconds: number }
  | { kind: 'refused' }

const MEANINGS: Readonly<Partial<Record<StatusName, AnswerMeaning>>> = {
  ESME_ROK: { kind: 'accepted' },
  ESME_RTHROTTLED: { kind: 'throttled', delaySeconds: 1 },
  ESME_RMSGQFUL: { kind: 'throttled', delaySeconds: 2 },
  // What an overloaded SMSC says as often as one that is broken: slower is right for both.
  ESME_RSYSERR: { kind: 'throttled', delaySeconds: 5 },
  ESME_RX_T_APPN: { kind: 'temporary', delaySeconds: 10 },
  // It took us for somebody who is not bound: the link is about to go, and the message has done nothing wrong.
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

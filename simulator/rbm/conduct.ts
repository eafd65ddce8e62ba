import { NONE, type Some } from '../faults/some.ts'
import type { Report } from '../faults/values.ts'

/** How the RBM platform behaves: everything that a fault rule can change. */
export interface RbmConduct {
  refusedTokens: Some & { http: number }
  /** A token is valid for this many calls and milliseconds. */
  tokenCalls: number
  tokenMs: number
  refusedMessages: Some & { http: number }
  /** 0 is no limit. */
  messagesPerSecondMax: number
  /** The retry-after header of 429 and 503, in seconds; 0 is no header. */
  retryAfterSeconds: number
  /** The answer to a message that the platform has already. */
  repeatHttp: number
  answerDelayMs: number
  areAnswersHeld: boolean
  /** The message is accepted, but the connection ends instead of the answer. */
  cutAnswers: Some
  refusedChecks: Some & { http: number }
  batchesPerSecondMax: number
  /** Whether a batch may only have numbers of this platform's region, Europe. */
  isOneRegionOnly: boolean
  /** Overrides the habits of phones. */
  phones: ReadonlyMap<string, PhoneFacts>
  /** The forced answer to a revocation; 0 for the true answer. */
  revokeHttp: number
  /** Revocations are answered, but revoke nothing. */
  areRevokesInVain: boolean
  expiry: 'revoked' | 'failed' | 'silent'
  /** The reports of each message, in this order; empty for the true report. */
  reports: readonly Report[]
  areEventsBeforeAnswers: boolean
  eventDelayMs: number
  areEventsHeld: boolean
  /** Events go out in groups of this many, the last first. */
  eventsReordered: number
  droppedEvents: Some
  eventCopies: number
  areEventsForged: boolean
}

export interface PhoneFacts {
  hasRcs?: boolean
  isOnline?: boolean
}

const HTTP_NONE = { ...NONE, http: 0 }
const HOUR_MS = 3_600_000

/** The conduct without faults: rules change it, and `behave` restores it. */
export const GOOD_RBM_CONDUCT: Readonly<RbmConduct> = {
  refusedTokens: HTTP_NONE,
  tokenCalls: Infinity,
  tokenMs: HOUR_MS,
  refusedMessages: HTTP_NONE,
  messagesPerSecondMax: 0,
  retryAfterSeconds: 0,
  repeatHttp: 200,
  answerDelayMs: 0,
  areAnswersHeld: false,
  cutAnswers: NONE,
  refusedChecks: HTTP_NONE,
  batchesPerSecondMax: 0,
  isOneRegionOnly: false,
  phones: new Map(),
  revokeHttp: 0,
  areRevokesInVain: false,
  expiry: 'revoked',
  reports: [],
  areEventsBeforeAnswers: false,
  eventDelayMs: 0,
  areEventsHeld: false,
  eventsReordered: 1,
  droppedEvents: NONE,
  eventCopies: 1,
  areEventsForged: false
}

import { NONE, type Some } from '../faults/some.ts'
import type { Report } from '../faults/values.ts'

/** How the RBM platform behaves: everything that a fault rule can change. */
export interface RbmConduct {
  refusedTokens: Some & { http: number }
  /** How many calls a token is good for, and how long, in milliseconds. */
  tokenCalls: number
  tokenMs: number
  refusedMessages: Some & { http: number }
  /** 0 is no limit. */
  messagesPerSecondMax: number
  /** What the header retry-after says beside 429 and 503, in seconds; 0 is no header. */
  retryAfterSeconds: number
  /** The answer to a message that is there already. */
  repeatHttp: number
  answerDelayMs: number
  areAnswersHeld: boolean
  /** The message is taken, and instead of the answer the connection ends. */
  cutAnswers: Some
  refusedChecks: Some & { http: number }
  batchesPerSecondMax: number
  /** A batch has to be of this platform's region, Europe, only. */
  isOneRegionOnly: boolean
  /** What is so of a phone other than by its number. */
  phones: ReadonlyMap<string, PhoneFacts>
  /** What a revocation is answered with, whatever is true; 0 for the truth. */
  revokeHttp: number
  /** It is answered, and nothing is revoked. */
  areRevokesInVain: boolean
  expiry: 'revoked' | 'failed' | 'silent'
  /** One for each, in this order; empty for what became of the message. */
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

/** Nothing is wrong: rules change this, and `behave` goes back to it. */
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

/** Counts since the start. */
export interface RbmStats {
  tokens: number
  tokensRefused: number
  /** Calls without a token, or with one that is no longer good. */
  unauthorized: number
  capabilityChecks: number
  batchChecks: number
  checksRefused: number
  /** Taken, whether or not the client learned of it; without those that came again. */
  messages: number
  repeats: number
  throttled: number
  /** Without those throttled. */
  refused: number
  delivered: number
  expired: number
  answersCut: number
  /** Asked for, and done. */
  revokes: number
  revoked: number
  agentEvents: number
  challenges: number
  challengesPassed: number
  /** Each time one is posted, again too. */
  eventsSent: number
  eventsAcknowledged: number
  /** Posted without a good answer; they are sent again. */
  eventsFailed: number
  eventsDropped: number
}

export function newRbmStats(): RbmStats {
  return {
    tokens: 0,
    tokensRefused: 0,
    unauthorized: 0,
    capabilityChecks: 0,
    batchChecks: 0,
    checksRefused: 0,
    messages: 0,
    repeats: 0,
    throttled: 0,
    refused: 0,
    delivered: 0,
    expired: 0,
    answersCut: 0,
    revokes: 0,
    revoked: 0,
    agentEvents: 0,
    challenges: 0,
    challengesPassed: 0,
    eventsSent: 0,
    eventsAcknowledged: 0,
    eventsFailed: 0,
    eventsDropped: 0
  }
}

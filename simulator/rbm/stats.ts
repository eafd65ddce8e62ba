/** Counts since the start. */
export interface RbmStats {
  tokens: number
  tokensRefused: number
  /** Calls without a valid token. */
  unauthorized: number
  capabilityChecks: number
  batchChecks: number
  checksRefused: number
  /** Messages accepted, whether or not the client got the answer. Repeats do not count. */
  messages: number
  repeats: number
  throttled: number
  /** Without throttled messages. */
  refused: number
  delivered: number
  expired: number
  answersCut: number
  /** Revocations requested, and revocations done. */
  revokes: number
  revoked: number
  agentEvents: number
  challenges: number
  challengesPassed: number
  /** Posts of events, with repeats. */
  eventsSent: number
  eventsAcknowledged: number
  /** Posts without a 2xx answer; the events are sent again. */
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

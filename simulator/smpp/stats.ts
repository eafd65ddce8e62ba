/** Counts since the start. */
export interface SmscStats {
  connections: number
  binds: number
  bindsRefused: number
  /** Answers to `enquire`. */
  linkAnswers: number
  submits: number
  /** Segments accepted, whether or not the client got the answer. */
  accepted: number
  throttled: number
  /** Without throttled submits. */
  refused: number
  answered: number
  answersDropped: number
  receiptsSent: number
  receiptsAcknowledged: number
  receiptsDropped: number
  repliesSent: number
  repliesAcknowledged: number
  /** Receipts and replies sent again because the link was lost, or the client asked for it. */
  resent: number
  /** Receipts and replies that the client refused for good. */
  givenUp: number
}

export function newStats(): SmscStats {
  return {
    connections: 0,
    binds: 0,
    bindsRefused: 0,
    linkAnswers: 0,
    submits: 0,
    accepted: 0,
    throttled: 0,
    refused: 0,
    answered: 0,
    answersDropped: 0,
    receiptsSent: 0,
    receiptsAcknowledged: 0,
    receiptsDropped: 0,
    repliesSent: 0,
    repliesAcknowledged: 0,
    resent: 0,
    givenUp: 0
  }
}

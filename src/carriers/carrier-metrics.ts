/** Figures for the operator, counted and passed on once a second: a call for each message would cost more than it. */
export interface CarrierMetrics {
  /** Requests to send that were handed to the peer: one for each segment. */
  submits(carrier: string, count: number): void
  /** By the protocol's name of their status. */
  answers(carrier: string, status: string, count: number): void
  /** Submits without an answer in time. */
  silences(carrier: string, count: number): void
  /** Answers that came after all. */
  lateAnswers(carrier: string, count: number): void
  receipts(carrier: string, count: number): void
  replies(carrier: string, count: number): void
}

/* The names under which the ledger holds the credits of a message. */

export function referenceOf(messageId: number): string {
  return `message ${messageId}`
}

/** The credits of an SMS that took the place of an RCS. */
export function fallbackReferenceOf({ messageId, position }: { messageId: number; position: number }): string {
  return `${referenceOf(messageId)} fallback ${position}`
}

/** The credits of an RCS that was delivered after its fallback, and is charged again. */
export function deliveredReferenceOf({ messageId, position }: { messageId: number; position: number }): string {
  return `${referenceOf(messageId)} delivered ${position}`
}

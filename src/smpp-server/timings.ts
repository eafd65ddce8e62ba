/** Waits of the SMPP server, and a bound. Tests shorten them. */
export interface ServerTimings {
  /** From the connection to the bind. */
  bindTimeoutMs: number
  /** After so long without a word from the client, we ask whether it is there; after twice as long, it is gone. */
  enquireLinkMs: number
  /** How long a client may take to answer a receipt or a reply. */
  answerTimeoutMs: number
  /** How long a client may leave our bytes unread. */
  unreadTimeoutMs: number
  /** For the answer to our unbind, and for submits that are under way at a stop. */
  unbindTimeoutMs: number
  /** A bind whose process is gone counts no more after this. */
  leaseSeconds: number
  extendEveryMs: number
  /** How often due receipts and replies are looked for, and changed credentials. */
  pollMs: number
  /** How long a part of a long message waits for the others. */
  partsWaitSeconds: number
  partsEveryMs: number
  /** Binds of a top-level account and its sub-accounts in one process: others find places too. */
  bindsOfOneMax: number
}

export const SERVER_TIMINGS: ServerTimings = {
  bindTimeoutMs: 10_000,
  enquireLinkMs: 30_000,
  answerTimeoutMs: 60_000,
  unreadTimeoutMs: 60_000,
  unbindTimeoutMs: 5_000,
  leaseSeconds: 15,
  extendEveryMs: 4_000,
  pollMs: 500,
  partsWaitSeconds: 300,
  partsEveryMs: 5_000,
  bindsOfOneMax: 500
}

/** How much an account may do; null for as much as it likes. */
export interface Limits {
  requestsPerSecond: number | null
  creditsPerDay: number | null
  /** To one number, within an hour of the clock. */
  messagesPerNumber: number | null
  /** ISO codes of the countries that may be written to. */
  countries: readonly string[] | null
  subAccounts: number | null
  people: number | null
  keys: number | null
  webhooks: number | null
}

export const NO_LIMITS: Limits = {
  requestsPerSecond: null,
  creditsPerDay: null,
  messagesPerNumber: null,
  countries: null,
  subAccounts: null,
  people: null,
  keys: null,
  webhooks: null
}

/** An account whose limits a request must keep to: that of the caller, or its parent, which counts for all of its own. */
export interface LimitedAccount extends Limits {
  accountId: number
  /** Whose midnight begins a day. */
  timeZone: string
}

/** Whether there is anything that a request or a send must be checked for. */
export function isLimiting({ requestsPerSecond, creditsPerDay, messagesPerNumber, countries }: Limits): boolean {
  return (requestsPerSecond ?? creditsPerDay ?? messagesPerNumber ?? countries) !== null
}

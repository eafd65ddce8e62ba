/**
 * When an event that came to nothing is looked at again, in seconds after each try: an hour in all. Most are a moment
 * too early: the answer to their message is being stored, here or by another process.
 */
export const RETRY_SECONDS = [0.3, 1, 3, 10, 30, 60, 120, 300, 900, 2_100] as const

/**
 * How often, and how long, a report is tried whose recipient is not sent yet, as far as we know. Once it is sent, the
 * time until its fallback runs, and the report must be applied first.
 */
export const EARLY_RETRY_SECONDS = 3
export const EARLY_SECONDS_MAX = 3_600

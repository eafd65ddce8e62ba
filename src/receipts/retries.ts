/**
 * When a receipt that matches nothing is tried again, in seconds after each try. Most are a moment too early: their answer
 * is being stored, here or by another process. After the last it is kept for the operator to see.
 */
export const RETRY_SECONDS = [0.3, 1, 3, 10, 30, 60, 120, 300, 900, 3600] as const

/**
 * The delays between tries to match a parked receipt, in seconds. Most receipts are a moment too early: this process or another
 * is still storing the answer. After the last try, the receipt stays for the operator to see.
 */
export const RETRY_SECONDS = [0.3, 1, 3, 10, 30, 60, 120, 300, 900, 3600] as const

/*
 * The platform has three regions, and each knows the numbers of its own (europe-, us- and
 * asia-rcsbusinessmessaging.googleapis.com). This one is Europe, with Africa and the Middle East.
 */

/** Prefixes of the other regions: 1 and 5 in the Americas, 6 and 8 in Asia and Oceania, and those of 9 that are in Asia. */
const ELSEWHERE = /^\+(?:1|5|6|8|9[1-5]|97[567]|99[236])/

export function isEuropean(e164: string): boolean {
  return !ELSEWHERE.test(e164)
}

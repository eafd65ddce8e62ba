/*
 * The platform is in three places, and each knows the numbers of its part of the world (europe-, us- and
 * asia-rcsbusinessmessaging.googleapis.com). Ours is in Europe, whose part has Africa and the Middle East too.
 */

/** How the numbers of the others begin: the Americas by 1 and 5, Asia and Oceania by 6 and 8, and those of 9 that are Asia's. */
const ELSEWHERE = /^\+(?:1|5|6|8|9[1-5]|97[567]|99[236])/

export function isEuropean(e164: string): boolean {
  return !ELSEWHERE.test(e164)
}

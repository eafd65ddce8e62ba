import { senderKey } from './sender-key.ts'

/* Names that people take for another one: by characters that look alike, or by one character more, less or other. */

/** Below so many characters, too many names differ by one. */
const NEAR_LENGTH_MIN = 5

/** Names with one skeleton look alike on a phone. */
export function skeletonOf(name: string): string {
  return senderKey(name)
    .replaceAll(/[ ._-]/g, '')
    .replaceAll(/[01345789i]/g, (character) => LOOKS[character] ?? character)
    .replaceAll('rn', 'm')
    .replaceAll('vv', 'w')
}

const LOOKS: Readonly<Record<string, string>> = {
  '0': 'o',
  '1': 'l',
  i: 'l',
  '3': 'e',
  '4': 'a',
  '5': 's',
  '7': 't',
  '8': 'b',
  '9': 'g'
}

/** Whether two names differ by one character that is added, missing or another, or look the same. */
export function isLookAlike(one: string, other: string): boolean {
  return areAlike(skeletonOf(one), skeletonOf(other))
}

/** The same for skeletons: of many names, each is made once. */
export function areAlike(a: string, b: string): boolean {
  if (a === b) return true
  return Math.min(a.length, b.length) >= NEAR_LENGTH_MIN && isOneApart(a, b)
}

/** Whether an edit distance is 1. */
function isOneApart(a: string, b: string): boolean {
  if (a.length > b.length) return isOneApart(b, a)
  if (b.length - a.length > 1) return false
  let start = 0
  while (start < a.length && a[start] === b[start]) start++
  const rest = a.length === b.length ? start + 1 : start
  return a.slice(rest) === b.slice(start + 1)
}

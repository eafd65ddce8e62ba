import fc from 'fast-check'

const FIRST_HALF = 0xd800
const HALVES = 0x800
const LAST = 0x10ffff

/**
 * Any character of Unicode, but no half of one, for `fc.string`. fast-check has the same as `unit: 'binary'`, for which it
 * keeps a table of all of them: that takes a second of CPU time and 100 MB of memory in each process.
 */
export const ANY_CHARACTER = fc.nat({ max: LAST - HALVES }).map(
  (place) => String.fromCodePoint(place < FIRST_HALF ? place : place + HALVES),
  (text) => {
    const [character, ...others] = typeof text === 'string' ? text : ''
    const code = character?.codePointAt(0)
    const isHalf = code !== undefined && code >= FIRST_HALF && code < FIRST_HALF + HALVES
    if (code === undefined || others.length > 0 || isHalf) throw new Error(`No character: ${text}`)
    return code < FIRST_HALF ? code : code - HALVES
  }
)

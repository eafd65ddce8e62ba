import type { RcsType } from '../rcs/rcs-content.ts'

/*
 * The price of an SMS segment in credits, by the prefix of the number; the longest matching prefix counts. France is
 * the unit; other prices follow the charges of our carriers, rounded up.
 */
const CREDITS_BY_PREFIX: Record<string, number> = {
  33: 1, // France
  1: 1, // United States, Canada
  // The French overseas departments and territories.
  262: 2,
  508: 2,
  590: 2,
  594: 2,
  596: 2,
  681: 2,
  687: 2,
  689: 2,
  // Countries of the European Union and its neighbours.
  30: 2,
  31: 2,
  32: 2,
  34: 2,
  36: 2,
  39: 2,
  40: 2,
  41: 2,
  43: 2,
  44: 2,
  45: 2,
  46: 2,
  47: 2,
  48: 2,
  49: 2,
  351: 2,
  352: 2,
  353: 2,
  354: 2,
  356: 2,
  357: 2,
  358: 2,
  359: 2,
  370: 2,
  371: 2,
  372: 2,
  376: 2,
  377: 2,
  385: 2,
  386: 2,
  420: 2,
  421: 2
}
const CREDITS_ELSEWHERE = 3
const PREFIX_LENGTH_MAX = 3

/** Credits for one SMS segment to this number. */
export function segmentPrice(e164: string): number {
  for (let length = PREFIX_LENGTH_MAX; length > 0; length--) {
    const credits = CREDITS_BY_PREFIX[e164.slice(1, 1 + length)]
    if (credits !== undefined) return credits
  }
  return CREDITS_ELSEWHERE
}

/** Credits for one RCS to any country: operators charge less for text than for pictures. */
export function rcsPrice(type: RcsType): number {
  return RCS_CREDITS[type]
}

const RCS_CREDITS: Record<RcsType, number> = { text: 1, card: 2, carousel: 2 }

import { strict as assert } from 'node:assert'
import { countSeptets, GSM_SEPTETS } from './gsm-alphabet.ts'

/*
 * A text is sent in GSM when every character is in that alphabet, else in UCS-2; a unit is a septet or a UTF-16 unit.
 * The 140 octets of an SMS hold 160 or 70 units. Several SMS make one text through a header in each (3GPP TS 23.040,
 * paragraph 9.2.3.24.1) of 6 octets, which leaves 153 or 67. Two units of one character never part, so a segment may
 * end one unit short.
 *
 * A surrogate without its half forces UCS-2 and counts as one unit: no phone can show it, and the encoder puts one other unit in its place.
 */

export type Encoding = 'gsm' | 'ucs2'

export interface SegmentCount {
  encoding: Encoding
  segments: number
  /** Septets or UTF-16 units of the text, without headers. */
  units: number
}

/** Units per segment of a text of several, by encoding. */
export type SegmentSizes = Readonly<Record<Encoding, number>>

const UNITS_ALONE: SegmentSizes = { gsm: 160, ucs2: 70 }

/** With an 8-bit reference in the header, as is usual. */
export const SEGMENT_SIZES: SegmentSizes = { gsm: 153, ucs2: 67 }

/** With a 16-bit reference (3GPP TS 23.040, paragraph 9.2.3.24.8): one octet more, so one unit less. */
export const SEGMENT_SIZES_LONG_REFERENCE: SegmentSizes = { gsm: 152, ucs2: 66 }

/** How many SMS the text takes; an empty one takes one. */
export function countSegments(text: string): SegmentCount {
  const septets = countSeptets(text)
  if (septets === undefined) return { encoding: 'ucs2', segments: countUcs2(text), units: text.length }
  return { encoding: 'gsm', segments: countGsm(text, septets), units: septets }
}

function countGsm(text: string, septets: number): number {
  if (septets <= UNITS_ALONE.gsm) return 1
  if (septets === text.length) return Math.ceil(septets / SEGMENT_SIZES.gsm) // No escape that could leave a gap.
  let segments = 0
  for (let start = 0; start < text.length; start = endInGsm(text, start, SEGMENT_SIZES.gsm)) segments++
  return segments
}

function countUcs2(text: string): number {
  if (text.length <= UNITS_ALONE.ucs2) return 1
  let segments = 0
  for (let start = 0; start < text.length; start = endInUcs2(text, start, SEGMENT_SIZES.ucs2)) segments++
  return segments
}

/** The text of each SMS; joined, they are the text. A text that fits one SMS is alone, whatever the sizes. */
export function splitSegments(text: string, sizes: SegmentSizes = SEGMENT_SIZES): string[] {
  assert(sizes.gsm >= 2 && sizes.ucs2 >= 2, 'a segment holds any character')
  const { encoding, units } = countSegments(text)
  if (units <= UNITS_ALONE[encoding]) return [text]
  const findEnd = encoding === 'gsm' ? endInGsm : endInUcs2
  const segments: string[] = []
  for (let start = 0; start < text.length; ) {
    const end = findEnd(text, start, sizes[encoding])
    segments.push(text.slice(start, end))
    start = end
  }
  return segments
}

/** Where the segment that begins at `start` ends. An escape stays with its character. */
function endInGsm(text: string, start: number, septetsMax: number): number {
  let septets = 0
  for (let index = start; index < text.length; index++) {
    septets += GSM_SEPTETS[text.charCodeAt(index)] ?? 0
    if (septets > septetsMax) return index
  }
  return text.length
}

/** Where the segment that begins at `start` ends. A surrogate stays with its half. */
function endInUcs2(text: string, start: number, unitsMax: number): number {
  const end = start + unitsMax
  if (end >= text.length) return text.length
  const isInsidePair = isHighSurrogate(text.charCodeAt(end - 1)) && isLowSurrogate(text.charCodeAt(end))
  return isInsidePair ? end - 1 : end
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff
}

/** The characters because of which the text can't be sent in GSM: each once, in order, the first `max`. */
export function forcingCharacters(text: string, max: number): string[] {
  const characters = new Set<string>()
  for (const character of text) {
    if (characters.size >= max) break
    if (!GSM_SEPTETS[character.charCodeAt(0)]) characters.add(character)
  }
  return [...characters]
}

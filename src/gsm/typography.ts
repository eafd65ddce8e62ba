import { countSeptets } from './gsm-alphabet.ts'
import { countSegments, type SegmentCount } from './segments.ts'

/*
 * One curly apostrophe can make a text three SMS instead of one, and people don't see the difference. Only characters that look
 * the same are replaced: a letter with an accent that GSM lacks (ç, ê, ô …) stays, and so do joiners and direction marks (U+200C
 * to U+200F), on which emoji and Arabic depend.
 */

const REPLACEMENTS: [replacement: string, characters: string][] = [
  ["'", '‘’‚‛′´\u02bc'],
  ['"', '“”„‟″«»'],
  ['<', '‹'],
  ['>', '›'],
  // Hyphen, non-breaking hyphen, figure dash, en dash, em dash, bar, minus, bullets.
  ['-', '\u2010\u2011\u2012\u2013\u2014\u2015\u2212•\u2043'],
  ['...', '…'],
  ['..', '‥'],
  // Tab, no-break, every width from en quad to hair space, narrow no-break, mathematical, ideographic.
  [' ', '\t\u00a0\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000'],
  ['\n', '\u2028\u2029'],
  // Soft hyphen, zero-width space, word joiner, byte order mark.
  ['', '\u00ad\u200b\u2060\ufeff'],
  ['oe', 'œ'],
  ['OE', 'Œ'],
  ['ff', 'ﬀ'],
  ['fi', 'ﬁ'],
  ['fl', 'ﬂ'],
  ['ffi', 'ﬃ'],
  ['ffl', 'ﬄ'],
  ['st', 'ﬅﬆ']
]

/** The replacement of each typographic character. */
export const GSM_EQUALS: ReadonlyMap<string, string> = new Map(
  REPLACEMENTS.flatMap(([replacement, characters]) =>
    [...characters].map((character) => [character, replacement] as const)
  )
)

const TYPOGRAPHIC = new RegExp(`[${[...GSM_EQUALS.keys()].join('')}]`, 'g')
const COMBINING_ACCENT = /[\u0300-\u036f]/

/** A text as it is sent, counted. */
export interface FittedText extends SegmentCount {
  text: string
  /** The text whose characters keep it from GSM: without those that could be replaced, if there are others. Empty in GSM. */
  forcing: string
}

/**
 * A text as an SMS sends it. With `typography`, typographic characters become their GSM equals where that brings the whole
 * text into GSM and takes no more segments. Otherwise the text stays as written: replacing some characters of a UCS-2 text
 * saves nothing, and … as three characters makes it longer.
 */
export function fitText(text: string, { typography }: { typography: boolean }): FittedText {
  const written = countSegments(text)
  if (written.encoding === 'gsm') return { text, ...written, forcing: '' }
  if (!typography) return { text, ...written, forcing: text }
  const plain = toGsmTypography(text)
  const counted = countSegments(plain)
  if (counted.encoding === 'ucs2') return { text, ...written, forcing: plain }
  if (counted.segments > written.segments) return { text, ...written, forcing: text }
  return { text: plain, ...counted, forcing: '' }
}

/** The text with its typographic characters as GSM writes them; a text in GSM comes back as it is. */
export function toGsmTypography(text: string): string {
  if (countSeptets(text) !== undefined) return text
  const replaced = text.replace(TYPOGRAPHIC, (character) => GSM_EQUALS.get(character) ?? character)
  if (!COMBINING_ACCENT.test(replaced)) return replaced
  // After the replacements, which may bring a letter and its accent together. The result may be typographic again:
  // the Greek oxia becomes an acute accent.
  const composed = replaced.normalize('NFC')
  return composed === replaced ? composed : toGsmTypography(composed)
}

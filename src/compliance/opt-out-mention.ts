/** The default text in place of `#STOP_XXX#`. */
export const DEFAULT_STOP_MENTION = 'STOP 36111'

/** Whether a content tells how to opt out: by `#STOP_XXX#`, `#STOP_URL#`, or the word STOP. */
export function hasOptOut(content: string): boolean {
  // A variable named stop is no mention: its value is known later, and for each recipient.
  return PLACEHOLDER.test(content) || STOP_WORD.test(content.replaceAll(VARIABLE, ' '))
}

const PLACEHOLDER = /#STOP_(XXX|URL)#/i
const VARIABLE = /#[a-z][a-z0-9_]*#/gi

/**
 * STOP by itself or before a number, as in STOP36111. Words made with it (stopper, non-stop, pit-stop) don't count: they
 * belong to the advertisement, and one mention too many does no harm.
 */
const STOP_WORD = /(?<![\p{L}\p{M}\p{N}_][-\u2010\u2011]?)(?<!\bnon\s)stop(?![-\u2010\u2011]?[\p{L}\p{M}_])/iu

/** A reply that begins with one of these words opts its writer out. */
const STOP_WORDS = new Set(['STOP', 'ARRET', 'UNSUBSCRIBE'])

const MARKS_AND_INVISIBLE = /[\p{M}\p{Cf}]/gu
const NO_LETTERS_OR_DIGITS = /[^\p{L}\p{N}]/gu
const FIRST_LETTERS = /^[^\p{L}\p{N}]*(\p{L}+)/u

/**
 * Whether a reply says STOP: its first word, whatever its case, accents and punctuation. "STOP36111" and "stop-sms" do;
 * "stoppez" and "non-stop" do not.
 */
export function isStopWord(text: string): boolean {
  // NFKD also turns wide and styled letters into plain ones.
  const plain = text.normalize('NFKD').replaceAll(MARKS_AND_INVISIBLE, '').toUpperCase().trim()
  const [firstWord = ''] = plain.split(/\s/, 1)
  const firstLetters = FIRST_LETTERS.exec(plain)?.[1] ?? ''
  return STOP_WORDS.has(firstLetters) || STOP_WORDS.has(firstWord.replaceAll(NO_LETTERS_OR_DIGITS, ''))
}

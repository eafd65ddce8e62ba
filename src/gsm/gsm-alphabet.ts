/*
 * The GSM 7-bit default alphabet and its extension table: 3GPP TS 23.038 (once GSM 03.38), paragraphs 6.2.1 and 6.2.1.1.
 * 0x09 is Ç, as in the standard: ç is not in GSM, whatever some older tables say. The Greek capitals that look like
 * Latin ones (Α, Β, Ε …) and U+00A0 are not either.
 */

/** The code after which the next one is read in the extension table. */
export const GSM_ESCAPE = 0x1b

/** The character of each code of the default alphabet, in order. At 0x1b is the escape itself, which is no character. */
export const GSM_CHARACTERS: readonly string[] = [
  ...'@£$¥èéùìòÇ\nØø\rÅå',
  ...'Δ_ΦΓΛΩΠΨΣΘΞ\u001bÆæßÉ',
  ...' !"#¤%&\'()*+,-./',
  ...'0123456789:;<=>?',
  ...'¡ABCDEFGHIJKLMNO',
  ...'PQRSTUVWXYZÄÖÑÜ§',
  ...'¿abcdefghijklmno',
  ...'pqrstuvwxyzäöñüà'
]

/** The character of each code that follows an escape. */
export const GSM_EXTENSION_CHARACTERS: ReadonlyMap<number, string> = new Map([
  [0x0a, '\f'],
  [0x14, '^'],
  [0x28, '{'],
  [0x29, '}'],
  [0x2f, '\\'],
  [0x3c, '['],
  [0x3d, '~'],
  [0x3e, ']'],
  [0x40, '|'],
  [0x65, '€']
])

/** The code of each character of the default alphabet. */
export const GSM_CODES: ReadonlyMap<string, number> = new Map(
  GSM_CHARACTERS.map((character, code) => [character, code] as const).filter(([, code]) => code !== GSM_ESCAPE)
)

/** The code of each character of the extension table, to be written after an escape. */
export const GSM_EXTENSION_CODES: ReadonlyMap<string, number> = new Map(
  [...GSM_EXTENSION_CHARACTERS].map(([code, character]) => [character, code])
)

/** Septets that a UTF-16 unit takes: 1, 2 with its escape, or 0 when it is not in GSM. An array, because maps are slower. */
export const GSM_SEPTETS: Readonly<Uint8Array> = readSeptets()

/** Septets that the text takes, or undefined when one of its characters is not in GSM. */
export function countSeptets(text: string): number | undefined {
  let septets = 0
  for (let index = 0; index < text.length; index++) {
    const size = GSM_SEPTETS[text.charCodeAt(index)]
    if (!size) return undefined
    septets += size
  }
  return septets
}

function readSeptets(): Uint8Array {
  const septets = new Uint8Array(0x10000)
  for (const character of GSM_CODES.keys()) septets[character.charCodeAt(0)] = 1
  for (const character of GSM_EXTENSION_CODES.keys()) septets[character.charCodeAt(0)] = 2
  return septets
}

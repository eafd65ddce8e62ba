/*
 * `#name#` in a text stands for a variable of the recipient. A lone # stays what it is. A text is parsed once into pieces,
 * and filled in for each recipient with the values of its variables, in their order.
 */

// With marks: some keyboards and files write é as e and an accent.
const PLACE = /#(\p{L}[\p{L}\p{M}\p{N}_]*)#/gu

/** The pieces of a text; a number is the variable of that index. */
export type Pieces = (string | number)[]

/** The key of a variable: `#Prénom#` and `#prenom#` are the same. */
export function variableKey(name: string): string {
  return ASCII_LOWER.test(name) ? name : name.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase()
}

const ASCII_LOWER = /^[a-z0-9_]*$/

/** Adds the names it finds to `variables`, each once. `reserved` are not variables: they stand for the number given. */
export function parsePieces(
  text: string,
  variables: string[],
  reserved: Readonly<Record<string, number>> = NO_NAMES
): Pieces {
  // Most texts have no variable, and a search for the sign costs a fraction of a search for the pattern.
  if (!text.includes('#')) return [text]
  const pieces: Pieces = []
  let end = 0
  for (const match of text.matchAll(PLACE)) {
    const key = variableKey(match[1] ?? '')
    if (match.index > end) pieces.push(text.slice(end, match.index))
    end = match.index + match[0].length
    if (Object.hasOwn(reserved, key)) pieces.push(reserved[key] as number)
    else {
      const known = variables.indexOf(key)
      pieces.push(known === -1 ? variables.push(key) - 1 : known)
    }
  }
  if (end < text.length) pieces.push(text.slice(end))
  return pieces
}

const NO_NAMES: Readonly<Record<string, number>> = {}

/** The name of a variable as the first of these texts writes it. */
export function writtenName(key: string, texts: readonly string[]): string {
  const names = texts.flatMap((text) => Array.from(text.matchAll(PLACE), ([, name = '']) => name))
  return names.find((name) => variableKey(name) === key) ?? key
}

/** Replaces some names, and leaves the others as they are written. */
export function replacePlaces(text: string, values: Readonly<Record<string, string>>): string {
  return text.replaceAll(PLACE, (place, name) => values[variableKey(name)] ?? place)
}

import { hasOptOut } from '../compliance/opt-out-mention.ts'
import { invalidInput } from '../errors.ts'
import { toGsmTypography } from './typography.ts'

/*
 * The text of a message before it is anybody's: `#name#` stands for a variable of the recipient, `#STOP_XXX#` for the
 * opt-out mention, `#SHORTURL#` for a tracked link. A lone # stays what it is.
 */

const PLACE = /#(\p{L}[\p{L}\p{N}_]*)#/gu
const STOP_MENTION = 'stop_xxx'
/** Where the opt-out mention goes. */
export const OPT_OUT_PLACE = '#STOP_XXX#'

export interface Content {
  /** As it is stored: its typography made plain, if the account wants that. */
  text: string
  /** The pieces of the text; a number is the variable of that index, -1 the opt-out mention. */
  pieces: (string | number)[]
  /** The names of its variables, each once, as `variableKey` writes them. */
  variables: string[]
  hasPlainTypography: boolean
}

const STOP_PIECE = -1
/** Nobody fills in more; each costs a look at each recipient. */
const VARIABLES_MAX = 50

/** What a variable is found by: `#Prénom#` and `#prenom#` are the same. */
export function variableKey(name: string): string {
  return ASCII_LOWER.test(name) ? name : name.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase()
}

const ASCII_LOWER = /^[a-z0-9_]*$/

export function parseContent(given: string, { typography }: { typography: boolean }): Content {
  const text = typography ? toGsmTypography(given) : given
  const pieces: (string | number)[] = []
  const variables: string[] = []
  // Most texts have no place to fill, and a look for the sign costs a fraction of a look for the pattern.
  if (!text.includes('#')) return { text, pieces: [text], variables, hasPlainTypography: typography }
  let end = 0
  for (const match of text.matchAll(PLACE)) {
    const key = variableKey(match[1] ?? '')
    if (match.index > end) pieces.push(text.slice(end, match.index))
    end = match.index + match[0].length
    if (key === STOP_MENTION) pieces.push(STOP_PIECE)
    else {
      const known = variables.indexOf(key)
      pieces.push(known === -1 ? variables.push(key) - 1 : known)
    }
  }
  if (variables.length > VARIABLES_MAX) {
    throw invalidInput([
      { path: 'content', message: `names ${variables.length} variables, and ${VARIABLES_MAX} is the most` }
    ])
  }
  if (end < text.length) pieces.push(text.slice(end))
  return { text, pieces, variables, hasPlainTypography: typography }
}

/** Whether it tells how to opt out: by the mention's place, or in words of its own. */
export function tellsOptOut({ pieces }: Content): boolean {
  return pieces.some((piece) => (typeof piece === 'string' ? hasOptOut(piece) : piece === STOP_PIECE))
}

/** Whether every recipient gets the same text, their opt-out mention aside. */
export function isSameForAll({ variables }: Content): boolean {
  return variables.length === 0
}

/** The text for one recipient. A variable that is not given is empty. */
export function render(
  { pieces, hasPlainTypography }: Content,
  values: readonly (string | undefined)[],
  stopMention: string
): string {
  let text = ''
  for (const piece of pieces) {
    if (typeof piece === 'string') text += piece
    else if (piece === STOP_PIECE) text += stopMention
    else {
      const value = values[piece] ?? ''
      text += hasPlainTypography ? toGsmTypography(value) : value
    }
  }
  return text
}

/** The stored text: the opt-out mention in its place, the variables still to be seen. */
export function withStopMention(text: string, stopMention: string): string {
  return text.replaceAll(PLACE, (place, name) => (variableKey(name) === STOP_MENTION ? stopMention : place))
}

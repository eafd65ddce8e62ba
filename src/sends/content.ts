import { hasOptOut } from '../compliance/opt-out-mention.ts'
import { invalidInput } from '../errors.ts'
import { fitText } from '../gsm/typography.ts'
import { type Pieces, parsePieces, replacePlaces } from '../variables/variables.ts'

/*
 * The text of a message before it is anybody's: `#name#` stands for a variable of the recipient, `#STOP_XXX#` for the
 * opt-out mention, `#SHORTURL#` for a tracked link. A lone # stays what it is.
 */

export const STOP_MENTION = 'stop_xxx'
export const SHORT_LINK = 'shorturl'
/** Where the opt-out mention goes. */
export const OPT_OUT_PLACE = '#STOP_XXX#'
/** Where the tracked link goes. */
export const SHORT_LINK_PLACE = '#SHORTURL#'

export interface Content {
  /** As it was written. */
  text: string
  /** A number is the variable of that index, or one of the places that we fill ourselves. */
  pieces: Pieces
  /** The names of its variables, each once, as `variableKey` writes them. */
  variables: string[]
  /** Whether typographic characters are replaced where that makes an SMS of it cheaper. */
  typography: boolean
}

const STOP_PIECE = -1
const SHORT_LINK_PIECE = -2
const RESERVED = { [STOP_MENTION]: STOP_PIECE, [SHORT_LINK]: SHORT_LINK_PIECE }
/** Nobody fills in more; each costs a look at each recipient. */
export const VARIABLES_MAX = 50

export function parseContent(text: string, { typography }: { typography: boolean }): Content {
  const variables: string[] = []
  const pieces = parsePieces(text, variables, RESERVED)
  return { text, pieces, variables, typography }
}

/** Whether there is nothing to read in it, for any recipient. */
export function isEmpty(content: Content): boolean {
  return fitText(content.text, content).text.trim() === ''
}

export function refuseTooManyVariables(variables: readonly string[], path: string): void {
  if (variables.length <= VARIABLES_MAX) return
  throw invalidInput([{ path, message: `names ${variables.length} variables, and ${VARIABLES_MAX} is the most` }])
}

/** Whether we fill it in ourselves, whatever a recipient has under that name. */
export function isOwnName(name: string): boolean {
  return name === STOP_MENTION || name === SHORT_LINK
}

/** Whether it tells how to opt out: by the mention's place, or in words of its own. */
export function tellsOptOut({ pieces }: Content): boolean {
  return pieces.some((piece) => (typeof piece === 'string' ? hasOptOut(piece) : piece === STOP_PIECE))
}

/** Whether it has a place for the tracked link. */
export function hasShortLink({ pieces }: Content): boolean {
  return pieces.includes(SHORT_LINK_PIECE)
}

/** Whether every recipient gets the same text, their opt-out mention and a link of their own aside. */
export function isSameForAll({ variables }: Content): boolean {
  return variables.length === 0
}

/** What we fill in ourselves. */
export interface OwnValues {
  stopMention: string
  shortLink: string
}

/** The text for one recipient, its typography as written. A variable that is not given is empty. */
export function render(
  { pieces }: Content,
  values: readonly (string | undefined)[],
  { stopMention, shortLink }: OwnValues
): string {
  let text = ''
  for (const piece of pieces) {
    if (typeof piece === 'string') text += piece
    else if (piece === STOP_PIECE) text += stopMention
    else if (piece === SHORT_LINK_PIECE) text += shortLink
    else text += values[piece] ?? ''
  }
  return text
}

/**
 * The text that is stored for the message: the opt-out mention and a link that all share in their places, the variables still
 * to be seen. Without variables it is the text that each recipient gets.
 */
export function withOwnValues(
  { text, typography }: Pick<Content, 'text' | 'typography'>,
  { stopMention, shortLink }: { stopMention: string; shortLink: string | undefined }
): string {
  const filled = replacePlaces(text, {
    [STOP_MENTION]: stopMention,
    ...(shortLink !== undefined && { [SHORT_LINK]: shortLink })
  })
  return fitText(filled, { typography }).text
}

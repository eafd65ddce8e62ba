import { hasOptOut } from '../compliance/opt-out-mention.ts'
import { invalidInput } from '../errors.ts'
import { fitText } from '../gsm/typography.ts'
import { type Pieces, parsePieces, replacePlaces } from '../variables/variables.ts'

/*
 * The text of a message before it is filled in. `#name#` stands for a variable of the recipient, `#STOP_XXX#` for the
 * opt-out mention, `#STOP_URL#` for the opt-out link, `#SHORTURL#` for a tracked link. A lone # stays as it is.
 */

export const STOP_MENTION = 'stop_xxx'
export const STOP_LINK = 'stop_url'
export const SHORT_LINK = 'shorturl'
/** The place of the opt-out mention. */
export const OPT_OUT_PLACE = '#STOP_XXX#'
/** The place of the tracked link. */
export const SHORT_LINK_PLACE = '#SHORTURL#'

export interface Content {
  /** The text as the customer wrote it. */
  text: string
  /** A number is the index of a variable, or one of the places that Chappe fills in (below 0). */
  pieces: Pieces
  /** The names of its variables, each once, as `variableKey` writes them. */
  variables: string[]
  /** Whether typographic characters are replaced where that makes the SMS cheaper. */
  typography: boolean
  /** Whether a `#name#` is text like any other, as it is to clients of Kannel and Jasmin. */
  isLiteral?: true
}

const STOP_PIECE = -1
const SHORT_LINK_PIECE = -2
const STOP_LINK_PIECE = -3
const RESERVED = { [STOP_MENTION]: STOP_PIECE, [SHORT_LINK]: SHORT_LINK_PIECE, [STOP_LINK]: STOP_LINK_PIECE }
/** No real text has more variables; each variable costs a lookup for each recipient. */
const VARIABLES_MAX = 50

export function parseContent(text: string, { typography }: { typography: boolean }): Content {
  const variables: string[] = []
  const pieces = parsePieces(text, variables, RESERVED)
  return { text, pieces, variables, typography }
}

/** A text without places: every recipient gets it as it is. */
export function literalContent(text: string, { typography }: { typography: boolean }): Content {
  return { text, pieces: [text], variables: [], typography, isLiteral: true }
}

/** The same for marketing: a text that does not say how to opt out is followed by the mention. */
export function literalMarketing(text: string, { typography }: { typography: boolean }): Content {
  if (hasOptOut(text)) return literalContent(text, { typography })
  return { text: `${text} ${OPT_OUT_PLACE}`, pieces: [0, ' ', STOP_PIECE], variables: ['text'], typography }
}

/** Whether the text is empty for every recipient. */
export function isEmpty(content: Content): boolean {
  return fitText(content.text, content).text.trim() === ''
}

export function refuseTooManyVariables(variables: readonly string[], path: string): void {
  if (variables.length <= VARIABLES_MAX) return
  throw invalidInput([{ path, message: `names ${variables.length} variables, and ${VARIABLES_MAX} is the most` }])
}

/** Whether Chappe fills in this name, whatever value a recipient has for it. */
export function isOwnName(name: string): boolean {
  return name === STOP_MENTION || name === SHORT_LINK || name === STOP_LINK
}

/** Whether the text says how to opt out: by the place of the mention or of the link, or in its own words. */
export function tellsOptOut({ pieces }: Content): boolean {
  return pieces.some((piece) =>
    typeof piece === 'string' ? hasOptOut(piece) : piece === STOP_PIECE || piece === STOP_LINK_PIECE
  )
}

/** Whether the text has a place for the opt-out link, which is another one for each recipient. */
export function hasStopLink({ pieces }: Content): boolean {
  return pieces.includes(STOP_LINK_PIECE)
}

/** Whether the text has a place for the tracked link. */
export function hasShortLink({ pieces }: Content): boolean {
  return pieces.includes(SHORT_LINK_PIECE)
}

/** Whether every recipient gets the same text, apart from the opt-out mention and a unique link. */
export function isSameForAll(content: Content): boolean {
  return content.variables.length === 0 && !hasStopLink(content)
}

/** The values that Chappe fills in. */
export interface OwnValues {
  stopMention: string
  shortLink: string
  stopLink: string
}

/** The text for one recipient, before typographic characters are replaced. A variable without a value is empty. */
export function render(
  { pieces }: Content,
  values: readonly (string | undefined)[],
  { stopMention, shortLink, stopLink }: OwnValues
): string {
  let text = ''
  for (const piece of pieces) {
    if (typeof piece === 'string') text += piece
    else if (piece === STOP_PIECE) text += stopMention
    else if (piece === SHORT_LINK_PIECE) text += shortLink
    else if (piece === STOP_LINK_PIECE) text += stopLink
    else text += values[piece] ?? ''
  }
  return text
}

/**
 * The text that is stored for the message: with the opt-out mention and a common link filled in, and the variables as
 * places. Without variables it is the text that each recipient gets.
 */
export function withOwnValues(
  { text, typography, isLiteral }: Pick<Content, 'text' | 'typography' | 'isLiteral'>,
  { stopMention, shortLink }: { stopMention: string; shortLink: string | undefined }
): string {
  if (isLiteral) return fitText(text, { typography }).text
  const filled = replacePlaces(text, {
    [STOP_MENTION]: stopMention,
    ...(shortLink !== undefined && { [SHORT_LINK]: shortLink })
  })
  return fitText(filled, { typography }).text
}

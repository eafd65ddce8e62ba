import { strict as assert } from 'node:assert'
import { type InputProblem, invalidInput, problemFor } from '../errors.ts'
import { createCodes } from '../short-links/codes.ts'
import { checkShortUrl, OPT_OUT_TARGET, type ShortUrl } from '../short-links/short-url.ts'
import { type Pieces, parsePieces } from '../variables/variables.ts'
import { readWebAddress } from '../web-addresses/web-address.ts'
import { isOwnName } from './content.ts'
import type { GivenRecipient } from './plan.ts'

/*
 * The tracked links of a message, `https://…/s/{code}`. All recipients share one, or each has its own. A link of a
 * recipient may lead to an address of its own.
 */

/** The field `shorturl`, parsed. */
export interface LinkForm extends ShortUrl {
  /** The address in pieces; a number is the index of a variable of the send. */
  pieces: Pieces
  /** The beginning of every tracked link. */
  linkUrl: string
}

/** A link that is to be stored. */
export interface NewLink {
  code: string
  url: string
}

interface MadeLink extends NewLink {
  /** The text of the link in the message. */
  text: string
}

/** Reads `shorturl`. The variables in its address are added to the variables of the send. */
export function readLinkForm(
  given: ShortUrl,
  { linkUrl, variables }: { linkUrl: string; variables: string[] }
): LinkForm {
  const problems = checkShortUrl(given)
  const pieces = parsePieces(given.url, variables)
  // Also those that the texts of an RCS have: there, the places that Chappe fills in are among the variables.
  const names = pieces.flatMap((piece) => (typeof piece === 'number' ? (variables[piece] ?? []) : []))
  problems.push(...problemsWithPlaces(given, names))
  if (problems.length > 0) throw invalidInput(problems)
  return { ...given, pieces, linkUrl }
}

function problemsWithPlaces({ mode }: ShortUrl, names: readonly string[]): InputProblem[] {
  const path = 'shorturl.url'
  if (names.length === 0) return []
  if (mode === 'common') {
    return [
      {
        path,
        message: 'must not name variables: a link that all share leads all to one address (unique: each to their own)'
      }
    ]
  }
  return names.some(isOwnName) ? [{ path, message: 'must not hold #SHORTURL#, #STOP_XXX# or #STOP_URL#' }] : []
}

function hasPlaces(pieces: Pieces): boolean {
  return pieces.some((piece) => typeof piece === 'number')
}

export type Links = ReturnType<typeof createLinks>

/** Makes the links of one message. */
export function createLinks({ mode, url, pieces, linkUrl }: LinkForm) {
  const isPersonal = hasPlaces(pieces)
  const sameUrl = isPersonal ? '' : addressOf(url)
  const toLink = (code: string, url: string): MadeLink => ({ code, url, text: `${linkUrl}/${code}` })
  const common = mode === 'common' ? toLink(createCode(), sameUrl) : undefined
  let codes: string[] = []
  return {
    /** The link that all recipients share, if there is one. */
    common,
    /** Prepares this many links: drawing codes together costs a fraction of drawing each alone. */
    expect(count: number): void {
      if (!common) codes = createCodes(count)
    },
    /** The link of the next recipient. */
    next(recipient: GivenRecipient): MadeLink {
      if (common) return common
      return toLink(codes.pop() ?? createCode(), isPersonal ? addressFor(recipient, pieces) : sameUrl)
    }
  }
}

/** The opt-out links of one message, one for each recipient. Nobody can guess a code, so it proves whose link it is. */
export function createStopLinks(linkUrl: string) {
  let codes: string[] = []
  return {
    /** Prepares this many links. */
    expect(count: number): void {
      codes = createCodes(count)
    },
    next(): MadeLink {
      const code = codes.pop() ?? createCode()
      return { code, url: OPT_OUT_TARGET, text: `${linkUrl}/${code}` }
    }
  }
}

export type StopLinks = ReturnType<typeof createStopLinks>

function createCode(): string {
  const [code] = createCodes(1)
  assert(code)
  return code
}

function addressOf(url: string): string {
  const read = readWebAddress(url)
  assert('address' in read)
  return read.address
}

/** A value fills one part of the address: it is encoded, so `&` and `/` in it do not change the target. */
function addressFor({ number, values }: GivenRecipient, pieces: Pieces): string {
  let url = ''
  for (const piece of pieces) url += typeof piece === 'string' ? piece : encodeURIComponent(values[piece] ?? '')
  const read = readWebAddress(url)
  if ('problem' in read) throw invalidInput([{ path: 'shorturl.url', message: problemFor(read.problem, number) }])
  return read.address
}

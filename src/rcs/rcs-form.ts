import { parsePhoneNumber } from '../phone-numbers/phone-number.ts'
import { type Pieces, parsePieces } from '../variables/variables.ts'
import { toWebAddress } from '../web-addresses/web-address.ts'
import { isBlank, type RcsCard, type RcsChoice, type RcsContent, type RcsText } from './rcs-content.ts'

/*
 * RCS content and its fallback with variables in texts, urls and numbers. They are parsed once, and filled in for each recipient.
 */

/** The values of one recipient, in the order of the variables. A missing value is empty. */
export type RcsValues = readonly (string | undefined)[]

export interface ParsedRcs {
  /** The names, each once, as `variableKey` writes them. */
  variables: string[]
  /** The content of one recipient: without empty fields, and with percent-encoded values in urls. */
  fill(values: RcsValues): RcsContent
  fillFallback(values: RcsValues): string | null
}

/**
 * The content should be checked. `known` are the names of an earlier parse, whose order the values have. With the
 * `country` of the account, a number to call that comes from a variable is filled in as E.164.
 */
export function parseRcs(
  { content, fallback, country }: { content: RcsContent; fallback: string | null; country?: string },
  known: readonly string[] = []
): ParsedRcs {
  const variables = [...known]
  const fillContent = parseContent(content, variables, country)
  const countOfContent = variables.length
  const fallbackPieces = fallback === null ? undefined : parsePieces(fallback, variables)
  return {
    variables,
    // Without variables, all recipients have the same content.
    fill: countOfContent === 0 ? () => content : fillContent,
    fillFallback: (values) => (fallbackPieces ? join(fallbackPieces, values) : fallback)
  }
}

type Fill<T> = (values: RcsValues) => T

function parseContent(content: RcsContent, variables: string[], country: string | undefined): Fill<RcsContent> {
  switch (content.type) {
    case 'text': {
      const fill = parseText(content.data, variables, country)
      return (values) => ({ type: 'text', data: fill(values) })
    }
    case 'card': {
      const fill = parseCard(content.data, variables, country)
      return (values) => ({ type: 'card', data: fill(values) })
    }
    case 'carousel': {
      const cards = content.data.cards.map((card) => parseCard(card, variables, country))
      return (values) => ({ type: 'carousel', data: { cards: cards.map((fill) => fill(values)) } })
    }
  }
}

/** Variables are collected field by field, and never in the order of keys, which the database does not keep. */
function parseText({ text, choices }: RcsText, variables: string[], country: string | undefined): Fill<RcsText> {
  const pieces = parsePieces(text, variables)
  const fillChoices = parseChoices(choices, variables, country)
  return (values) => {
    const filled: RcsText = { text: join(pieces, values) }
    if (fillChoices) filled.choices = fillChoices(values)
    return filled
  }
}

function parseCard(card: RcsCard, variables: string[], country: string | undefined): Fill<RcsCard> {
  const title = parsePieces(card.title ?? '', variables)
  const description = parsePieces(card.description ?? '', variables)
  const media = parsePieces(card.media_message_url ?? '', variables)
  const fillChoices = parseChoices(card.choices, variables, country)
  return (values) => {
    const filled: RcsCard = {}
    const titleText = join(title, values)
    if (!isBlank(titleText)) filled.title = titleText
    const descriptionText = join(description, values)
    if (!isBlank(descriptionText)) filled.description = descriptionText
    const mediaUrl = joinUrl(media, values)
    if (mediaUrl !== '') filled.media_message_url = mediaUrl
    if (fillChoices) filled.choices = fillChoices(values)
    return filled
  }
}

function parseChoices(
  choices: RcsChoice[] | undefined,
  variables: string[],
  country: string | undefined
): Fill<RcsChoice[]> | undefined {
  if (choices === undefined || choices.length === 0) return undefined
  const fills = choices.map((choice) => parseChoice(choice, variables, country))
  return (values) => fills.map((fill) => fill(values))
}

function parseChoice(choice: RcsChoice, variables: string[], country: string | undefined): Fill<RcsChoice> {
  if (choice.type === 'text') {
    const text = parsePieces(choice.text, variables)
    return (values) => ({ type: 'text', text: join(text, values) })
  }
  const title = parsePieces(choice.title, variables)
  switch (choice.type) {
    case 'url': {
      const url = parsePieces(choice.url, variables)
      return (values) => ({ type: 'url', title: join(title, values), url: joinUrl(url, values) })
    }
    case 'call': {
      const number = parsePieces(choice.phoneNumber, variables)
      return (values) => ({
        type: 'call',
        title: join(title, values),
        phoneNumber: joinNumber(number, values, country)
      })
    }
    case 'location': {
      const label = parsePieces(choice.label, variables)
      const { latitude, longitude } = choice
      return (values) => ({
        type: 'location',
        title: join(title, values),
        label: join(label, values),
        latitude,
        longitude
      })
    }
  }
}

function join(pieces: Pieces, values: RcsValues): string {
  let text = ''
  for (const piece of pieces) text += typeof piece === 'string' ? piece : (values[piece] ?? '')
  return text
}

/** A value is part of its address and encoded, unless the address begins with it: then the value is an address itself. */
function joinUrl(pieces: Pieces, values: RcsValues): string {
  const [first = ''] = pieces
  if (pieces.length <= 1 && typeof first === 'string') return first
  let url = ''
  for (const [index, piece] of pieces.entries()) {
    if (typeof piece === 'string') url += piece
    else {
      const value = values[piece] ?? ''
      url += index === 0 ? value : encodeURIComponent(value.toWellFormed())
    }
  }
  return toWebAddress(url)
}

function joinNumber(pieces: Pieces, values: RcsValues, country: string | undefined): string {
  const text = join(pieces, values)
  const isFixed = pieces.length <= 1 && typeof pieces[0] === 'string'
  if (isFixed || country === undefined) return text
  return parsePhoneNumber(text, country)?.e164 ?? text
}

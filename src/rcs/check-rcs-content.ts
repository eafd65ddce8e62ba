import type { Static } from 'typebox'
import type { InputProblem } from '../errors.ts'
import { NOT_A_NUMBER, parsePhoneNumber } from '../phone-numbers/phone-number.ts'
import { type Validator, validator } from '../schemas/validate.ts'
import { type Pieces, parsePieces } from '../variables/variables.ts'
import { problemOfForm, problemOfLength, toWebAddress } from '../web-addresses/web-address.ts'
import { CARD_CHOICES_MAX, TEXT_CHOICES_MAX } from './add-choice.ts'
import {
  type GivenRcsCard,
  type GivenRcsContent,
  isBlank,
  RcsCard,
  RcsCarousel,
  type RcsChoice,
  type RcsContent,
  RcsText,
  type RcsType
} from './rcs-content.ts'

/*
 * The limits of Google RCS Business Messaging, which every operator's platform follows. Its documents count characters without
 * defining them. Here they are UTF-16 units, as in its Java: an emoji is two, and a text that passes here is never too long there.
 */

const TEXT_MAX = 3_072
const TITLE_MAX = 200
const DESCRIPTION_MAX = 2_000
/** The text of a choice. */
const LABEL_MAX = 25
/** The label of a place on the map. */
const PLACE_MAX = 100
const CARDS_MIN = 2
const CARDS_MAX = 10
/** The whole message as JSON. */
const PAYLOAD_BYTES_MAX = 250_000
/** More problems than a person fixes at once. */
const PROBLEMS_MAX = 50

export interface CheckRcs {
  /** The country of numbers without a country code. */
  country: string
  /**
   * Whether the content is that of one recipient. If not, variables count as empty for limits on lengths, and problems that depend
   * on their values are let through: the content is checked again when they are filled in.
   */
  isFilled: boolean
  /** Its path in the request. */
  path?: string
}

/** The content without empty fields, with numbers to call as E.164; or all its problems. */
export function checkRcsContent(
  given: { type: RcsType; data: unknown },
  { country, isFilled, path = 'data' }: CheckRcs
): { content: RcsContent } | { problems: InputProblem[] } {
  const validation = VALIDATORS[given.type](given.data)
  if ('problems' in validation) {
    return { problems: validation.problems.map((problem) => ({ ...problem, path: joinPath(path, problem.path) })) }
  }
  const check = new Check(country, isFilled)
  const content = check.content({ type: given.type, data: validation.value } as GivenRcsContent, path)
  return check.problems.length > 0 ? { problems: check.problems.slice(0, PROBLEMS_MAX) } : { content }
}

const VALIDATORS: Record<RcsType, Validator<GivenRcsContent['data']>> = {
  text: validator(RcsText),
  card: validator(RcsCard),
  carousel: validator(RcsCarousel)
}

function joinPath(base: string, path: string): string {
  if (path === '' || base === '') return base + path
  return path.startsWith('[') ? base + path : `${base}.${path}`
}

/** One pass over the content. Paths are made only for problems: this runs for every recipient. */
class Check {
  readonly problems: InputProblem[] = []
  readonly #country: string
  readonly #isFilled: boolean
  /** The JSON around the texts, and the UTF-16 units of the texts. */
  #bytesAround = MESSAGE_BYTES
  #units = 0

  constructor(country: string, isFilled: boolean) {
    this.#country = country
    this.#isFilled = isFilled
  }

  content(content: GivenRcsContent, path: string): RcsContent {
    const checked = this.#checked(content, path)
    if (!this.#fits(checked)) this.#tell(path, `must have at most ${PAYLOAD_BYTES_MAX / 1000} KB as a whole`)
    return checked
  }

  #checked(content: GivenRcsContent, path: string): RcsContent {
    switch (content.type) {
      case 'text':
        return { type: 'text', data: this.#text(content.data, path) }
      case 'card':
        return { type: 'card', data: this.#card(content.data, path) }
      case 'carousel': {
        const { cards } = content.data
        if (cards.length < CARDS_MIN) this.#tell(`${path}.cards`, `must have at least ${CARDS_MIN} cards`)
        if (cards.length > CARDS_MAX) this.#tell(`${path}.cards`, `must have at most ${CARDS_MAX} cards`)
        return {
          type: 'carousel',
          data: { cards: cards.map((card, index) => this.#card(card, path, index)) }
        }
      }
    }
  }

  #text({ text, choices }: Static<typeof RcsText>, path: string): RcsText {
    this.#words(text, TEXT_MAX, () => `${path}.text`)
    const checked: RcsText = { text }
    if (choices && choices.length > 0) {
      checked.choices = this.#choices(choices, TEXT_CHOICES_MAX, () => path)
    }
    return checked
  }

  #card({ title, description, media_message_url, choices }: GivenRcsCard, path: string, index?: number): RcsCard {
    const at = index === undefined ? () => path : () => `${path}.cards[${index}]`
    const checked: RcsCard = {}
    this.#bytesAround += CARD_BYTES
    if (title && !isBlank(title)) {
      this.#words(title, TITLE_MAX, () => `${at()}.title`)
      checked.title = title
    }
    if (description && !isBlank(description)) {
      this.#words(description, DESCRIPTION_MAX, () => `${at()}.description`)
      checked.description = description
    }
    if (media_message_url && !isBlank(media_message_url)) {
      checked.media_message_url = this.#url(media_message_url, () => `${at()}.media_message_url`)
    }
    if (checked.title === undefined && checked.description === undefined && checked.media_message_url === undefined) {
      this.#tell(at(), 'must have at least one of title, description, media_message_url')
    }
    if (choices && choices.length > 0) checked.choices = this.#choices(choices, CARD_CHOICES_MAX, at)
    return checked
  }

  #choices(choices: RcsChoice[], countMax: number, at: () => string): RcsChoice[] {
    if (choices.length > countMax) this.#tell(`${at()}.choices`, `must have at most ${countMax} choices`)
    return choices.map((choice, index) => this.#choice(choice, () => `${at()}.choices[${index}]`))
  }

  #choice(choice: RcsChoice, at: () => string): RcsChoice {
    this.#bytesAround += CHOICE_BYTES
    if (choice.type === 'text') {
      const { type, text } = choice
      this.#words(text, LABEL_MAX, () => `${at()}.text`)
      return { type, text }
    }
    const { title } = choice
    this.#words(title, LABEL_MAX, () => `${at()}.title`)
    switch (choice.type) {
      case 'url':
        return { type: 'url', title, url: this.#url(choice.url, () => `${at()}.url`) }
      case 'call': {
        const phoneNumber = this.#number(choice.phoneNumber, () => `${at()}.phoneNumber`)
        return { type: 'call', title, phoneNumber }
      }
      case 'location': {
        const { label, latitude, longitude } = choice
        this.#words(label, PLACE_MAX, () => `${at()}.label`)
        return { type: 'location', title, label, latitude, longitude }
      }
    }
  }

  /** A required text. */
  #words(text: string, lengthMax: number, at: () => string): void {
    if (isBlank(text)) this.#tell(at(), 'must not be empty')
    const pieces = this.#pieces(text)
    const length = pieces ? lengthOf(pieces) : text.length
    if (length > lengthMax) this.#tell(at(), `must have at most ${lengthMax} characters`)
    this.#units += length
  }

  #url(text: string, at: () => string): string {
    const trimmed = text.trim()
    const pieces = this.#pieces(trimmed)
    const address = pieces ? trimmed : toWebAddress(trimmed)
    const problem = pieces ? problemWithPlaces(pieces) : (problemOfLength(address.length) ?? problemOfForm(address))
    if (problem !== undefined) this.#tell(at(), address === '' ? 'must not be empty' : problem)
    this.#units += address.length
    return address
  }

  #number(text: string, at: () => string): string {
    if (isBlank(text)) this.#tell(at(), 'must not be empty')
    else if (!this.#pieces(text)) {
      const number = parsePhoneNumber(text, this.#country)
      if (number) return number.e164
      this.#tell(at(), NOT_A_NUMBER)
    }
    return text
  }

  /** Undefined without variables. Filled-in content is not searched again: a value may have a # of its own. */
  #pieces(text: string): Pieces | undefined {
    if (this.#isFilled || !text.includes('#')) return undefined
    const pieces = parsePieces(text, [])
    return pieces.some((piece) => typeof piece === 'number') ? pieces : undefined
  }

  /** Almost no content comes near the limit, so the JSON is hardly ever made. */
  #fits({ data }: RcsContent): boolean {
    if (this.#bytesAround + this.#units * UNIT_BYTES_MAX <= PAYLOAD_BYTES_MAX) return true
    return this.#bytesAround + Buffer.byteLength(JSON.stringify(data)) <= PAYLOAD_BYTES_MAX
  }

  #tell(path: string, message: string): void {
    this.problems.push({ path, message })
  }
}

/** The size of the platform's own names around ours, with a margin. */
const MESSAGE_BYTES = 1_000
const CARD_BYTES = 300
const CHOICE_BYTES = 300
/** A control character is six in JSON. */
const UNIT_BYTES_MAX = 6

function lengthOf(pieces: Pieces): number {
  return pieces.reduce<number>((length, piece) => length + (typeof piece === 'string' ? piece.length : 0), 0)
}

/** An address that begins with a variable may be any; elsewhere a letter or a digit stands for the value. */
function problemWithPlaces(pieces: Pieces): string | undefined {
  const problem = problemOfLength(lengthOf(pieces))
  if (problem !== undefined || typeof pieces[0] === 'number') return problem
  // A letter cannot be a port, and a digit cannot end a name: one of the two must be valid.
  const [withLetter, withDigit] = ['x', '1'].map((stand) =>
    problemOfForm(pieces.map((piece) => (typeof piece === 'string' ? piece : stand)).join(''))
  )
  return withLetter !== undefined && withDigit !== undefined ? withLetter : undefined
}

import { nextMarketingMoment } from '../compliance/allowed-hours.ts'
import { checkSender } from '../compliance/sender.ts'
import { invalidInput, Refusal } from '../errors.ts'
import { forcingCharacters } from '../gsm/segments.ts'
import type { Channel } from '../messages/message.ts'
import { parsePhoneNumber } from '../phone-numbers/phone-number.ts'
import { type Batch, type Departure, expiryOf, gatherBatches } from '../queue/batch.ts'
import type { PositionedRecipient } from '../recipients/recipients.store.ts'
import { isOwnName } from './content.ts'
import { createLinks, type Links, type NewLink } from './links.ts'
import { NumberSet } from './number-set.ts'
import type { Routing } from './routing.ts'
import { problemIn, type Send } from './send.ts'
import { createPrice, createWords, type ToPrice, type ToWords } from './words.ts'

/*
 * Who a message goes to, in what words, when and for how much: the one path of every way to send, and of the dry run. It
 * is fed with recipients as they were given, some at a time, and keeps of them only what it must: their numbers, to drop
 * repeats, and their places in the batches.
 */

/** More recipients than this are for several messages: a recipient's id has room for so many. */
const RECIPIENTS_MAX = 1_000_000
const SEGMENTS_MAX = 10
const FORCING_CHARACTERS_MAX = 20

/** A recipient as it was given, with the values of the send's variables in their order. */
export interface GivenRecipient {
  number: string
  values: readonly (string | undefined)[]
}

/** One whose number is valid and new. */
export interface Candidate extends GivenRecipient {
  phone: string
  country: string
  route: string
}

export interface PlannedRecipient extends PositionedRecipient {
  /** The tracked link that was made for this one alone. */
  link: NewLink | undefined
}

export interface Totals {
  recipients: number
  segments: number
  credits: number
  /** Numbers that came before in the same send. */
  repeats: number
  stops: number
  invalid: number
  encoding: 'gsm' | 'ucs2'
  forcedBy: string[]
}

export class Plan {
  readonly totals: Totals = {
    recipients: 0,
    segments: 0,
    credits: 0,
    repeats: 0,
    stops: 0,
    invalid: 0,
    encoding: 'gsm',
    forcedBy: []
  }
  readonly #send: Send
  readonly #routing: Routing
  /** The field that the recipients come from. */
  readonly #path: string
  readonly #numbers = new NumberSet()
  /** By variable, whether some recipient has a value for it. */
  readonly #isDefined: boolean[]
  readonly #gathered = gatherBatches()
  readonly #departureTo: (country: string) => Departure
  readonly #refuseBadSender: (country: string) => void
  readonly #toWords: ToWords
  readonly #toPrice: ToPrice
  readonly #links: Links | undefined
  #firstPhone: string | undefined
  #refusal: Refusal | undefined
  #hasEmptyText = false

  constructor(send: Send, routing: Routing, path: string) {
    this.#send = send
    this.#routing = routing
    this.#path = path
    this.#isDefined = send.variables.map(isOwnName)
    this.#departureTo = createDepartures(send)
    this.#refuseBadSender = createSenderCheck(send, routing)
    this.#toWords = createWords(send, routing)
    this.#toPrice = createPrice(send)
    this.#links = send.link && createLinks(send.link)
  }

  /** Drops and counts what is no number to write to, and repeats. */
  sift(given: readonly GivenRecipient[]): Candidate[] {
    const candidates: Candidate[] = []
    for (const recipient of given) {
      const number = parsePhoneNumber(recipient.number, this.#send.country)
      const route = number?.canReceiveSms ? this.#routeOf(number.e164) : undefined
      if (!number || route === undefined) this.totals.invalid++
      else if (!this.#numbers.add(number.e164)) this.totals.repeats++
      else candidates.push({ ...recipient, phone: number.e164, country: number.country, route })
      for (let index = 0; index < this.#isDefined.length; index++) {
        if (recipient.values[index] !== undefined) this.#isDefined[index] = true
      }
    }
    return candidates
  }

  /** Drops opted-out candidates, and gives the others their words, position, price and batch. */
  take(candidates: readonly Candidate[], stopped: ReadonlySet<string>): PlannedRecipient[] {
    const planned: PlannedRecipient[] = []
    this.#links?.expect(candidates.length)
    for (const candidate of candidates) {
      if (stopped.has(candidate.phone)) this.totals.stops++
      else if (!this.#refusal) {
        const recipient = this.#planOrRefuse(candidate)
        if (recipient) planned.push(recipient)
      }
    }
    return planned
  }

  /** Without a recipient, or with a variable that no recipient has, there is no message. */
  refuseIfEmpty(): void {
    const send = this.#send
    const problems = send.variables.flatMap((name, index) =>
      this.#isDefined[index] ? [] : [problemIn(send, send.pathOf(name), `uses #${name}#, which no recipient defines`)]
    )
    if (problems.length > 0) throw invalidInput(problems)
    if (this.#refusal) throw this.#refusal
    if (this.totals.recipients > 0) return
    if (this.#hasEmptyText) throw invalidInput([problemIn(send, 'content', EMPTY_TEXT)])
    if (!this.#routing.routes.some(({ channel }) => channel === send.channel)) throw noRoute(this.#path, send)
    throw nobodyLeft(this.#path, this.totals)
  }

  /** The first recipient: its sender and opt-out mention are shown as those of the message. */
  get firstPhone(): string {
    return this.#firstPhone ?? ''
  }

  /** The link that all recipients share, if they do. */
  get commonLink() {
    return this.#links?.common
  }

  batches(): Batch[] {
    return this.#gathered.batches()
  }

  #routeOf(e164: string): string | undefined {
    const send = this.#send
    if (send.channel === 'sms' && send.route !== undefined) return send.route
    const route = this.#routing.routeOf(send.channel, e164)
    if (route !== undefined || send.channel === 'sms' || send.message.fallbackContent === null) return route
    return this.#routing.routeOf('sms', e164) === undefined ? undefined : this.#routing.unreachedRoute
  }

  /** While a variable is undefined for everyone, keep the error; refuseIfEmpty() decides. */
  #planOrRefuse(candidate: Candidate): PlannedRecipient | undefined {
    try {
      return this.#plan(candidate)
    } catch (error) {
      if (!(error instanceof Refusal) || !this.#isDefined.includes(false)) throw error
      this.#refusal = error
      return undefined
    }
  }

  /** Undefined for a recipient whose SMS would be empty once its variables are filled in: nobody pays for that. */
  #plan(candidate: Candidate): PlannedRecipient | undefined {
    const { phone, country } = candidate
    const { totals } = this
    this.#refuseBadSender(country)
    const link = this.#links?.next(candidate)
    const words = this.#toWords(candidate, link?.text ?? '')
    if (this.#send.channel === 'sms' && words.text.trim() === '') {
      totals.invalid++
      this.#hasEmptyText = true
      return undefined
    }
    this.#firstPhone ??= phone
    if (words.segments > SEGMENTS_MAX) throw tooLong(candidate, words.segments, this.#send)
    if (words.encoding === 'ucs2') {
      totals.encoding = 'ucs2'
      noteForcing(totals.forcedBy, words.forcing)
    }
    const position = ++totals.recipients
    if (position > RECIPIENTS_MAX) throw tooMany(this.#path)
    const { segments, credits } = this.#toPrice(words, phone)
    totals.segments += segments
    totals.credits += credits
    this.#gathered.add(position, candidate.route, this.#departureTo(country))
    const ownLink = this.#links?.common ? undefined : link
    return { position, phone, country, content: words.content, segments, credits, link: ownLink }
  }
}

const EMPTY_TEXT = 'is empty for every recipient once its variables are filled in'

/** No route leads to any number: only the operator of the service can mend that. */
function noRoute(path: string, { channel }: Send): Refusal {
  return invalidInput([{ path, message: `can’t be sent to: ${NO_ROUTE[channel]}` }])
}

const NO_ROUTE: Record<Channel, string> = {
  sms: 'this service has no carrier for SMS. The carriers file needs one, and a route to it',
  rcs: 'this service has no carrier for RCS. The carriers file needs one of type rbm, and a route of channel rcs to it'
}

function nobodyLeft(path: string, { invalid, stops }: Totals): Refusal {
  if (invalid + stops > 0) {
    const example = invalid > 0 ? '; a valid one is +33639980013' : ''
    return invalidInput([
      { path, message: `has no number to send to: ${invalid} invalid, ${stops} opted out${example}` }
    ])
  }
  if (path !== 'contactlist') return invalidInput([{ path, message: 'has no phone number, such as +33639980013' }])
  const details = [{ path, message: 'must have a contact: the contact lists are empty' }]
  return new Refusal(400, 'invalid_input', 'The contact lists are empty.', { details })
}

/** Refuses a sender that the operators of a recipient's country don't take. Each country is looked at once. */
function createSenderCheck({ sender }: Send, { ourNumbers }: Routing): (country: string) => void {
  const passed = new Set<string>()
  return (country) => {
    if (!sender || passed.has(country)) return
    const problem = checkSender(sender.name, { country, ourNumbers })
    if (problem !== undefined) throw invalidInput([{ path: sender.path, message: sender.problemPrefix + problem }])
    passed.add(country)
  }
}

/** When recipients of a country leave. Marketing waits for the hours that are allowed there. */
function createDepartures(send: Send): (country: string) => Departure {
  const departures = new Map<string, Departure>()
  const isMarketing = send.category === 'marketing'
  return (country) => {
    const name = isMarketing ? country : ''
    let departure = departures.get(name)
    if (!departure) {
      const dueAt = isMarketing ? nextMarketingMoment(send.departsAt, country, send) : send.departsAt
      departure = { dueAt, expiresAt: expiryOf(dueAt, send.category) }
      departures.set(name, departure)
    }
    return departure
  }
}

function noteForcing(noted: string[], text: string): void {
  if (noted.length >= FORCING_CHARACTERS_MAX) return
  for (const character of forcingCharacters(text, FORCING_CHARACTERS_MAX)) {
    if (noted.length < FORCING_CHARACTERS_MAX && !noted.includes(character)) noted.push(character)
  }
}

const TEXT_PATHS: Record<Channel, string> = { sms: 'content', rcs: 'fallback.content' }

function tooLong({ number }: Candidate, segments: number, send: Send) {
  const { channel, variables } = send
  const whose = variables.length === 0 ? '' : ` for ${number}`
  const message = `has ${segments} segments${whose}, and ${SEGMENTS_MAX} is the most`
  return invalidInput([problemIn(send, TEXT_PATHS[channel], message)])
}

function tooMany(path: string) {
  return invalidInput([{ path, message: `must be at most ${RECIPIENTS_MAX} for one message` }])
}

import { nextMarketingMoment, placeOf } from '../compliance/allowed-hours.ts'
import { isFrench } from '../compliance/french-zones.ts'
import { checkSender } from '../compliance/sender.ts'
import { judgeSender } from '../compliance/sender-register.ts'
import { invalidInput, Refusal } from '../errors.ts'
import { forcingCharacters } from '../gsm/segments.ts'
import type { Channel } from '../messages/message.ts'
import { expiryIn } from '../messages/options.ts'
import { parsePhoneNumber } from '../phone-numbers/phone-number.ts'
import type { PriceTable } from '../prices/price.ts'
import { type Batch, type Departure, expiryOf, gatherBatches } from '../queue/batch.ts'
import type { PositionedRecipient } from '../recipients/recipients.store.ts'
import { isOwnName } from './content.ts'
import { createLinks, createStopLinks, type Links, type NewLink, type StopLinks } from './links.ts'
import { NumberSet } from './number-set.ts'
import { createPrice, createRenderText, hasPrice, type RenderText, type ToPrice } from './rendered-text.ts'
import type { MessageRoutes, RoutedMessage, Routing } from './routing.ts'
import { problemIn, type Send } from './send.ts'
import { createSlots, type Spread } from './spread.ts'

/*
 * The plan of a send: its recipients, their texts, departures and prices. Every way to send, and the dry run, goes
 * through it. It gets the recipients of the request in chunks. It keeps only their numbers, to drop repeats, and their
 * positions in batches.
 */

/** The most recipients of one message: a recipient's id has room for so many. */
const RECIPIENTS_MAX = 1_000_000
const SEGMENTS_MAX = 10
const FORCING_CHARACTERS_MAX = 20

/** A recipient of the request, with the values of the send's variables in their order. */
export interface GivenRecipient {
  number: string
  values: readonly (string | undefined)[]
}

/** A recipient whose number is valid and new. */
export interface Candidate extends GivenRecipient {
  phone: string
  country: string
  route: string
}

export interface PlannedRecipient extends PositionedRecipient {
  /** The tracked link of this recipient alone. */
  link: NewLink | undefined
  /** Its link to opt out. */
  stopLink: NewLink | undefined
}

export interface Totals {
  recipients: number
  segments: number
  credits: number
  /** Numbers that occurred earlier in the same send. */
  repeats: number
  stops: number
  invalid: number
  /** Numbers of countries that the account may not write to. */
  barred: number
  /** Numbers without a price. */
  unpriced: number
  /** Numbers that have had as many messages within the hour as they may. */
  limited: number
  /** People without a consent; dropped where consent is enforced. */
  noConsent: number
  /** People who have had as much marketing as the account allows. */
  capped: number
  encoding: 'gsm' | 'ucs2'
  forcedBy: string[]
}

/** Which candidates are dropped, by reason. */
export interface Drops {
  stopped: ReadonlySet<string>
  /** Without a consent. Where consent is not enforced, they are only counted. */
  unconsented?: ReadonlySet<string>
  capped?: ReadonlySet<string>
  full: ReadonlySet<string>
}

export class Plan {
  readonly totals: Totals = {
    recipients: 0,
    segments: 0,
    credits: 0,
    repeats: 0,
    stops: 0,
    invalid: 0,
    barred: 0,
    unpriced: 0,
    limited: 0,
    noConsent: 0,
    capped: 0,
    encoding: 'gsm',
    forcedBy: []
  }
  /** The credits of its recipients, by country. */
  readonly creditsByCountry: Record<string, number> = {}
  readonly #send: Send
  readonly #routing: Routing
  readonly routes: MessageRoutes
  /** The field of the request that holds the recipients. */
  readonly #path: string
  readonly #numbers = new NumberSet()
  /** For each variable, whether some recipient has a value. */
  readonly #isDefined: boolean[]
  readonly #gathered = gatherBatches()
  readonly #departureTo: DepartureTo
  readonly #refuseBadSender: (country: string) => void
  readonly #renderText: RenderText
  readonly #toPrice: ToPrice
  /** The prices when the send was read: the message keeps them. */
  readonly prices: PriceTable
  /** The account whose credits they are for; undefined where that makes no difference. */
  readonly payerId: number | undefined
  readonly #links: Links | undefined
  readonly #stopLinks: StopLinks | undefined
  readonly #barredCountries = new Set<string>()
  readonly #unpricedCountries = new Set<string>()
  readonly #warnings = new Set<string>()
  #firstPhone: string | undefined
  /** The route of the last recipient, and the sender of the first one's carrier, where the message names no sender. */
  #lastRoute: string | undefined
  #firstSender: string | undefined
  #hasCarrierSenders = false
  #refusal: Refusal | undefined
  #hasEmptyText = false
  #isHeldAbroad = false
  /** Recipients whose validity ends before they may leave. */
  #expiringCount = 0
  /** Whether a number was dropped since the account may use no agent for it. */
  #lacksAgent = false

  constructor(send: Send, routing: Routing, path: string) {
    this.#send = send
    this.#routing = routing
    this.routes = routing.forMessage(toRouted(send))
    send.witness?.begin(send)
    this.#path = path
    this.#isDefined = send.variables.map(isOwnName)
    this.#departureTo = createDepartures(send, () => {
      this.#isHeldAbroad = true
    })
    this.#refuseBadSender = createSenderCheck(send, routing, this.#warnings)
    this.prices = routing.prices.forAccount(send, send.now)
    this.payerId = routing.prices.payerOf(send)
    this.#renderText = createRenderText(send, this.routes, this.prices)
    this.#toPrice = createPrice(send, this.prices)
    this.#links = send.link && createLinks(send.link)
    this.#stopLinks = send.stopLinkUrl === undefined ? undefined : createStopLinks(send.stopLinkUrl)
  }

  /** Drops and counts invalid numbers and repeats. */
  sift(given: readonly GivenRecipient[]): Candidate[] {
    const candidates: Candidate[] = []
    for (const recipient of given) {
      const number = parsePhoneNumber(recipient.number, this.#send.country)
      const route = number?.canReceiveSms ? this.#routeOf(number.e164) : undefined
      if (!number || route === undefined) this.totals.invalid++
      else if (!this.#isAllowed(number.country)) this.totals.barred++
      else if (!hasPrice(this.#send, this.prices, number.e164)) this.#addUnpriced(number.country)
      else if (!this.#numbers.add(number.e164)) this.totals.repeats++
      else candidates.push({ ...recipient, phone: number.e164, country: number.country, route })
      this.noteValues(recipient)
    }
    return candidates
  }

  /** Notes which variables a recipient has. */
  noteValues({ values }: GivenRecipient): void {
    for (let index = 0; index < this.#isDefined.length; index++) {
      if (values[index] !== undefined) this.#isDefined[index] = true
    }
  }

  /** The countries that the account may not write to, of those in the send. */
  get barredCountries(): string[] {
    return [...this.#barredCountries].sort()
  }

  /** The countries of the numbers without a price. */
  get unpricedCountries(): string[] {
    return [...this.#unpricedCountries].sort()
  }

  /** What the account should know about a send that leaves all the same. */
  get warnings(): string[] {
    const expiring = this.#expiringCount > 0 ? [expiringWarning(this.#expiringCount, this.#send)] : []
    return [...this.#warnings, ...expiring]
  }

  #isAllowed(country: string): boolean {
    if (this.#send.limits.every(({ countries }) => !countries || countries.includes(country))) return true
    this.#barredCountries.add(country)
    return false
  }

  #addUnpriced(country: string): void {
    this.totals.unpriced++
    this.#unpricedCountries.add(country)
  }

  /** Drops candidates for some reason, and gives each other candidate its text, position, price and batch. */
  take(candidates: readonly Candidate[], drops: Drops): PlannedRecipient[] {
    const planned: PlannedRecipient[] = []
    this.#links?.expect(candidates.length)
    this.#stopLinks?.expect(candidates.length)
    for (const candidate of this.keep(candidates, drops)) {
      const recipient = this.#refusal ? undefined : this.#planOrRefuse(candidate)
      if (recipient) planned.push(recipient)
    }
    return planned
  }

  /** Drops candidates for some reason, and counts them. */
  keep(candidates: readonly Candidate[], drops: Drops): Candidate[] {
    return candidates.filter(({ phone }) => !this.#isDropped(phone, drops))
  }

  /** Each person is counted for one reason. */
  #isDropped(phone: string, { stopped, unconsented, capped, full }: Drops): boolean {
    const { totals } = this
    if (stopped.has(phone)) totals.stops++
    else if (unconsented?.has(phone) && this.#send.consent === 'enforce') totals.noConsent++
    else if (capped?.has(phone)) totals.capped++
    else if (full.has(phone)) totals.limited++
    else {
      if (unconsented?.has(phone)) totals.noConsent++
      return false
    }
    return true
  }

  /** Refuses a send without recipients, or with a variable that no recipient has. */
  refuseIfEmpty(): void {
    const send = this.#send
    const problems = send.variables.flatMap((name, index) =>
      this.#isDefined[index]
        ? []
        : [problemIn(send, send.pathOf(name), `uses #${send.writtenAs(name)}#, which no recipient defines`)]
    )
    if (problems.length > 0) throw invalidInput(problems)
    if (this.#refusal) throw this.#refusal
    if (this.totals.recipients > 0) return
    throw this.refusalOfNobody()
  }

  /** Says why nobody is left to send to. */
  refusalOfNobody(): Refusal {
    const send = this.#send
    if (this.#hasEmptyText) return invalidInput([problemIn(send, 'content', EMPTY_TEXT)])
    if (!this.#routing.routes.some(({ channel }) => channel === send.channel)) return noRoute(this.#path, send)
    if (this.#lacksAgent) return invalidInput([{ path: this.#path, message: NO_AGENT }])
    return noRecipientLeft(this.#path, this, send.now)
  }

  /** The first recipient: the message is shown with its sender and its opt-out mention. */
  get firstPhone(): string {
    return this.#firstPhone ?? ''
  }

  /** Whether the message names no sender, and the carriers of its recipients have different ones. */
  get hasCarrierSenders(): boolean {
    return this.#hasCarrierSenders
  }

  /** The link that all recipients share, if there is one. */
  get commonLink() {
    return this.#links?.common
  }

  /** Whether recipients outside of France wait for the hours of marketing. */
  get isHeldAbroad(): boolean {
    return this.#isHeldAbroad
  }

  batches(): Batch[] {
    return this.#gathered.batches()
  }

  #noteCarrierSender({ route, phone }: Candidate): void {
    if (route === this.#lastRoute) return
    this.#lastRoute = route
    const sender = this.routes.defaultSender(phone)
    this.#firstSender ??= sender
    this.#hasCarrierSenders ||= sender !== this.#firstSender
  }

  #routeOf(e164: string): string | undefined {
    const send = this.#send
    if (send.channel === 'sms' && send.route !== undefined) return send.route
    const route = this.routes.routeOf(send.channel, e164)
    if (route !== undefined || send.channel === 'sms') return route
    if (send.message.fallbackContent === null) {
      this.#lacksAgent ||= this.routes.lacksAgent(e164)
      return undefined
    }
    return this.routes.routeOf('sms', e164) === undefined ? undefined : this.#routing.unreachedRoute
  }

  /** While a variable is undefined for every recipient, keep the error; refuseIfEmpty() decides. */
  #planOrRefuse(candidate: Candidate): PlannedRecipient | undefined {
    try {
      return this.#plan(candidate)
    } catch (error) {
      if (!(error instanceof Refusal) || !this.#isDefined.includes(false)) throw error
      this.#refusal = error
      return undefined
    }
  }

  /**
   * Undefined for a recipient whose SMS is empty once its variables are filled in: it is not sent and costs nothing.
   */
  #plan(candidate: Candidate): PlannedRecipient | undefined {
    const { phone, country } = candidate
    const { totals } = this
    this.#refuseBadSender(country)
    const link = this.#links?.next(candidate)
    const stopLink = this.#stopLinks?.next()
    const rendered = this.#renderText(candidate, { shortLink: link?.text ?? '', stopLink: stopLink?.text ?? '' })
    if (this.#send.channel === 'sms' && !this.#send.options?.binary && rendered.text.trim() === '') {
      totals.invalid++
      this.#hasEmptyText = true
      return undefined
    }
    this.#firstPhone ??= phone
    if (rendered.segments > SEGMENTS_MAX) throw tooLong(candidate, rendered.segments, this.#send)
    if (rendered.encoding === 'ucs2') {
      totals.encoding = 'ucs2'
      noteForcing(totals.forcedBy, rendered.forcing)
    }
    this.#send.witness?.add(candidate)
    if (this.#send.channel === 'sms' && !this.#send.sender) this.#noteCarrierSender(candidate)
    const position = ++totals.recipients
    if (position > RECIPIENTS_MAX) throw tooMany(this.#path)
    const { segments, credits } = this.#toPrice(rendered, phone)
    totals.segments += segments
    totals.credits += credits
    this.creditsByCountry[country] = (this.creditsByCountry[country] ?? 0) + credits
    const departure = this.#departureTo(country, phone)
    if (isTooLate(departure)) this.#expiringCount++
    this.#gathered.add(position, candidate.route, departure)
    const ownLink = this.#links?.common ? undefined : link
    return { position, phone, country, content: rendered.content, segments, credits, link: ownLink, stopLink }
  }
}

function toRouted(send: Send): RoutedMessage {
  const { accountId, parentId, category, sender } = send
  const agentId = send.channel === 'rcs' ? send.agentId : undefined
  return { accountId, parentId, category, sender: sender?.name, agentId }
}

const NO_AGENT =
  'can’t be sent to by RCS: this account may use no agent for these numbers. Give a fallback, or ask the operator for an agent'
const EMPTY_TEXT = 'is empty for every recipient once its variables are filled in'

/** No route leads to any number: only the operator can fix that. */
function noRoute(path: string, { channel }: Send): Refusal {
  return invalidInput([{ path, message: `can’t be sent to: ${NO_ROUTE[channel]}` }])
}

const NO_ROUTE: Record<Channel, string> = {
  sms: 'this service has no carrier for SMS. The carriers file needs one, and a route to it',
  rcs: 'this service has no carrier for RCS. The carriers file needs one of type rbm, and a route of channel rcs to it'
}

function noRecipientLeft(
  path: string,
  { totals, unpricedCountries }: Pick<Plan, 'totals' | 'unpricedCountries'>,
  now: Date
): Refusal {
  const { invalid, stops, barred, unpriced, limited, noConsent, capped } = totals
  const unasked = noConsent > 0 ? `, ${noConsent} without a consent` : ''
  const often = capped > 0 ? `, ${capped} that had as much marketing as the account allows` : ''
  const dropped = `${invalid} invalid, ${stops} opted out${unasked}${often}`
  const unwritable = unpriced > 0 ? `, ${unpriced} without a price (${unpricedCountries.join(', ')})` : ''
  const abroad = barred > 0 ? `, ${barred} in countries that this account may not write to` : ''
  if (limited > 0) {
    const sentence = `No number is left to send to: ${dropped}${abroad}${unwritable}, ${limited} that had enough messages within the hour.`
    const retryAfterSeconds = 3600 - (Math.floor(now.getTime() / 1000) % 3600)
    return new Refusal(429, 'limit_reached', sentence, { retryAfterSeconds })
  }
  if (unpriced > 0) {
    const sentence = `No number is left to send to: ${dropped}${abroad}${unwritable}. The price list of this account has no price for these countries.`
    return new Refusal(400, 'no_price', sentence, {
      details: [{ path, message: `has ${unpriced} numbers without a price` }]
    })
  }
  if (invalid + stops + barred + noConsent + capped > 0) {
    const example = invalid > 0 ? '; a valid one is +33639980013' : ''
    return invalidInput([{ path, message: `has no number to send to: ${dropped}${abroad}${example}` }])
  }
  if (path === 'segments') return invalidInput([{ path, message: 'must have a contact: nobody fits the segment' }])
  if (path !== 'contactlist') return invalidInput([{ path, message: 'has no phone number, such as +33639980013' }])
  const details = [{ path, message: 'must have a contact: the contact lists are empty' }]
  return new Refusal(400, 'invalid_input', 'The contact lists are empty.', { details })
}

/** Refuses a sender that the operators of a recipient's country reject. Each country is checked once. */
function createSenderCheck(
  { accountId, parentId, category, sender }: Send,
  { ourNumbers, senders }: Routing,
  warnings: Set<string>
): (country: string) => void {
  const passed = new Set<string>()
  return (country) => {
    if (!sender || passed.has(country)) return
    const problem = checkSender(sender.name, { country, ourNumbers })
    if (problem !== undefined) throw invalidInput([{ path: sender.path, message: sender.problemPrefix + problem }])
    const use = { accountId, parentId, name: sender.name, country, category }
    if (!senders.isOpen) for (const warning of judgeSender(senders, use)) warnings.add(warning)
    passed.add(country)
  }
}

type DepartureTo = (country: string, phone: string) => Departure

/** When recipients of a country leave. Marketing waits for the hours that the country allows. */
function createDepartures(send: Send, onHeldAbroad: () => void): DepartureTo {
  if (send.options?.spread) return createSpreadDepartures(send, send.options.spread)
  const departures = new Map<string, Departure>()
  const isMarketing = send.category === 'marketing'
  const validUntil = expiryIn(send.options)
  return (country, phone) => {
    const name = isMarketing ? placeOf(country, phone) : ''
    let departure = departures.get(name)
    if (!departure) {
      const dueAt = isMarketing ? nextMarketingMoment(send.departsAt, name, send) : send.departsAt
      const expiresAt = validUntil ?? expiryOf(dueAt, send.category)
      // Recipients that can't leave in time expire in time, and not only at the next allowed hour.
      departure = { dueAt: dueAt < expiresAt ? dueAt : expiresAt, expiresAt }
      departures.set(name, departure)
      if (dueAt > send.departsAt && !isFrench(country)) onHeldAbroad()
    }
    return departure
  }
}

/** The same for a send that leaves a little at a time. */
function createSpreadDepartures(send: Send, spread: Spread): DepartureTo {
  const toSlot = createSlots(send.departsAt, spread)
  const isMarketing = send.category === 'marketing'
  return (country, phone) => {
    const place = isMarketing ? placeOf(country, phone) : ''
    const dueAt = toSlot(place, (from) => (isMarketing ? nextMarketingMoment(from, place, send) : from))
    return { dueAt, expiresAt: expiryOf(dueAt, send.category) }
  }
}

/** Whether recipients may not leave before they expire. */
export function isTooLate({ dueAt, expiresAt }: Departure): boolean {
  return dueAt.getTime() >= expiresAt.getTime()
}

function expiringWarning(count: number, { options }: Send): string {
  return `${count} of the recipients will not get it: its validity ends at ${options?.expiresAt}, before the hours allowed for marketing.`
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
  const suffix = variables.length === 0 ? '' : ` for ${number}`
  const message = `has ${segments} segments${suffix}, and ${SEGMENTS_MAX} is the most`
  return invalidInput([problemIn(send, TEXT_PATHS[channel], message)])
}

function tooMany(path: string) {
  return invalidInput([{ path, message: `must be at most ${RECIPIENTS_MAX} for one message` }])
}

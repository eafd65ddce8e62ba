import { nextMarketingMoment } from '../compliance/allowed-hours.ts'
import { invalidInput } from '../errors.ts'
import { countSegments, forcingCharacters } from '../gsm/segments.ts'
import { parsePhoneNumber } from '../phone-numbers/phone-number.ts'
import { isSameForAll, render } from './content.ts'
import type { Category } from './message.ts'
import { NumberSet } from './number-set.ts'
import { segmentPrice } from './prices.ts'
import type { Routing } from './routing.ts'
import type { Send } from './send.ts'

/*
 * Who a message goes to, in what words, when and for how much: the one path of every way to send, and of the dry run. It
 * is fed with recipients as they were given, some at a time, and keeps of them only what it must: their numbers, to drop
 * repeats, and their places in the batches.
 */

/** More recipients than this are for several messages: a recipient's id has room for so many. */
const RECIPIENTS_MAX = 1_000_000
const SEGMENTS_MAX = 10
const FORCING_CHARACTERS_MAX = 20
/** A batch is the unit that is queued: as many as a worker takes at a time. */
const BATCH_SIZE_MAX = 500
/**
 * How long after its time a message may still leave: a code that comes a day late helps nobody. Marketing may be held over
 * a Sunday and a holiday.
 */
const VALIDITY_HOURS: Record<Category, number> = { transactional: 24, marketing: 72 }

/** A recipient as it was given, with the values of the content's variables in their order. */
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

export interface PlannedRecipient {
  position: number
  phone: string
  country: string
  /** Null if it is the message's own. */
  content: string | null
  segments: number
  credits: number
}

export interface Batch {
  /** The prefix of the route that all in it take. */
  route: string
  dueAt: Date
  /** From then on it must not leave any more. */
  expiresAt: Date
  positions: number[]
}

export interface Totals {
  recipients: number
  segments: number
  credits: number
  doublons: number
  stops: number
  invalid: number
  encoding: 'gsm' | 'ucs2'
  forcedBy: string[]
}

export type Plan = ReturnType<typeof createPlan>

export function createPlan(send: Send, routing: Routing) {
  const numbers = new NumberSet()
  const totals: Totals = {
    recipients: 0,
    segments: 0,
    credits: 0,
    doublons: 0,
    stops: 0,
    invalid: 0,
    encoding: 'gsm',
    forcedBy: []
  }
  const isDefined = send.content.variables.map(() => false)
  const queue = createQueue(send)
  const words = createWords(send, routing)
  let firstPhone: string | undefined

  return {
    totals,
    /** Drops and counts what is no number to write to, and repeats. */
    sift(given: readonly GivenRecipient[]): Candidate[] {
      const candidates: Candidate[] = []
      for (const recipient of given) {
        const number = parsePhoneNumber(recipient.number, send.country)
        const route = number?.canReceiveSms ? routing.routeOf(number.e164) : undefined
        if (!number || route === undefined) totals.invalid++
        else if (!numbers.add(number.e164)) totals.doublons++
        else candidates.push({ ...recipient, phone: number.e164, country: number.country, route })
        for (let index = 0; index < isDefined.length; index++) {
          if (recipient.values[index] !== undefined) isDefined[index] = true
        }
      }
      return candidates
    },

    /** Drops those that are opted out, and gives the others their words, place, price and time. */
    take(candidates: readonly Candidate[], stopped: ReadonlySet<string>): PlannedRecipient[] {
      const planned: PlannedRecipient[] = []
      for (const candidate of candidates) {
        const { phone, country } = candidate
        if (stopped.has(phone)) {
          totals.stops++
          continue
        }
        firstPhone ??= phone
        const { content, segments, encoding, text } = words(candidate)
        if (segments > SEGMENTS_MAX) throw tooLong(candidate, segments, isSameForAll(send.content))
        if (encoding === 'ucs2') {
          totals.encoding = 'ucs2'
          noteForcing(totals.forcedBy, text)
        }
        const position = ++totals.recipients
        if (position > RECIPIENTS_MAX) throw tooMany()
        const credits = segments * segmentPrice(phone)
        totals.segments += segments
        totals.credits += credits
        queue.add(position, candidate)
        planned.push({ position, phone, country, content, segments, credits })
      }
      return planned
    },

    /** Nobody left, or a variable that nobody has: then there is no message. */
    refuseIfEmpty(path: string): void {
      const missing = send.content.variables.filter((_, index) => !isDefined[index])
      if (missing.length > 0) {
        throw invalidInput(
          missing.map((name) => ({ path: 'content', message: `uses #${name}#, which no recipient defines` }))
        )
      }
      if (totals.recipients > 0) return
      const { invalid, stops } = totals
      throw invalidInput([{ path, message: `must name somebody to send to: ${invalid} invalid, ${stops} opted out` }])
    },

    /** The first who gets it: the message's own sender and mention are theirs. */
    get firstPhone(): string {
      return firstPhone ?? ''
    },

    batches: () => queue.batches()
  }
}

/** Gives each recipient its text and counts its segments; a text that is the same for all is counted once. */
function createWords({ content }: Send, routing: Routing) {
  const known = new Map<string, { content: string | null; text: string; segments: number; encoding: 'gsm' | 'ucs2' }>()
  const isSame = isSameForAll(content)
  let ownMention: string | undefined
  return ({ phone, values }: Candidate) => {
    const mention = routing.stopMention(phone)
    ownMention ??= mention
    const before = isSame ? known.get(mention) : undefined
    if (before) return before
    const text = render(content, values, mention)
    const words = { content: isSame && mention === ownMention ? null : text, text, ...countSegments(text) }
    if (isSame) known.set(mention, words)
    return words
  }
}

/** Puts positions into batches of those that may leave at the same time, the same way. */
function createQueue(send: Send) {
  const open = new Map<string, Batch>()
  const full: Batch[] = []
  const dueByCountry = new Map<string, number>()

  function dueFor(country: string): number {
    const departsAt = send.departsAt.getTime()
    if (send.category !== 'marketing') return departsAt
    const known = dueByCountry.get(country)
    if (known !== undefined) return known
    const due = nextMarketingMoment(send.departsAt, country, send).getTime()
    dueByCountry.set(country, due)
    return due
  }

  return {
    add(position: number, { country, route }: Candidate): void {
      const due = dueFor(country)
      const key = `${due} ${route}`
      let batch = open.get(key)
      if (!batch || batch.positions.length >= BATCH_SIZE_MAX) {
        if (batch) full.push(batch)
        const expiresAt = new Date(due + VALIDITY_HOURS[send.category] * 3_600_000)
        batch = { route, dueAt: new Date(due), expiresAt, positions: [] }
        open.set(key, batch)
      }
      batch.positions.push(position)
    },
    batches: (): Batch[] => [...full, ...open.values()]
  }
}

function noteForcing(noted: string[], text: string): void {
  if (noted.length >= FORCING_CHARACTERS_MAX) return
  for (const character of forcingCharacters(text, FORCING_CHARACTERS_MAX)) {
    if (noted.length < FORCING_CHARACTERS_MAX && !noted.includes(character)) noted.push(character)
  }
}

function tooLong({ number }: Candidate, segments: number, isSame: boolean) {
  const whose = isSame ? '' : ` for ${number}`
  return invalidInput([
    { path: 'content', message: `has ${segments} segments${whose}, and ${SEGMENTS_MAX} is the most` }
  ])
}

function tooMany() {
  return invalidInput([{ path: 'recipients', message: `must be at most ${RECIPIENTS_MAX} for one message` }])
}

import { groupCalls } from '../../database/group-calls.ts'
import type { Log } from '../../http/log.ts'
import type { CapabilityCache } from '../carrier.ts'
import { type Checks, type Known, MANY_MAX, MANY_MIN, type ManyKnown, zoneOf } from './checks.ts'

/*
 * Whether the phone of a message can do RCS. The cache is read first, for many phones at once. The platform is asked
 * about the others: together, if enough phones of one part of the world wait, else one by one. When it does not answer,
 * the message is sent without waiting: the answer to the send is as good.
 *
 * The phones of a campaign are foreseen: its next batches are known before their messages come.
 */

const SINGLES_MAX = 50
/** The first call leaves at once; calls that come meanwhile leave together. */
const FIND_LIMITS = { sizeMax: 1_000, runningMax: 2, spacingMs: 2 }
/** So many foreseen phones are worth a call for many, which takes 500 at least. */
const FILLED_MIN = 50
/** Foreseen phones whose messages have not come, and how long they are remembered. The cache knows them for longer. */
const FORESEEN_MAX = 20_000
const FORESEEN_MS = 60_000
const STORE_LIMITS = { sizeMax: 1_000, runningMax: 1, spacingMs: 100 }

interface CapabilitiesOptions {
  carrier: string
  checks: Checks
  cache: CapabilityCache
  /** The longest that a message waits for an answer about many phones. */
  waitMs: number
  log: Log
}

/** Phones that are found out about together. */
interface Foreseen {
  sinceMs: number
  /** A phone that is missing is still to be asked about. */
  found: Promise<ReadonlyMap<string, Known>>
}

interface Asking {
  phone: string
  resolve(known: Known): void
}

export class Capabilities {
  readonly #options: CapabilitiesOptions
  readonly #find: (phone: string) => Promise<Known>
  readonly #store: (known: [phone: string, isCapable: boolean]) => Promise<undefined>
  readonly #storing = new Set<Promise<unknown>>()
  /** By phone, the oldest first. */
  readonly #foreseen = new Map<string, Foreseen>()
  /** By zone, phones that were asked about together last. */
  readonly #lastAsked = new Map<string, readonly string[]>()
  /** The same phone is not asked about twice at once. */
  readonly #asked = new Map<string, Promise<Known>>()
  #waiting: Asking[] = []
  #singles = 0
  #isAsking = false

  constructor(options: CapabilitiesOptions) {
    this.#options = options
    const { carrier, cache } = options
    this.#find = groupCalls(async (phones: string[]) => {
      const known = await cache.find(carrier, [...new Set(phones)])
      return phones.map((phone) => known.get(phone))
    }, FIND_LIMITS)
    this.#store = groupCalls(async (known: [string, boolean][]) => {
      await cache.store(carrier, new Map(known))
      return NO_ANSWERS
    }, STORE_LIMITS)
  }

  /** Never rejects. */
  async isCapable(phone: string): Promise<Known> {
    const foreseen = this.#foreseen.get(phone)
    this.#foreseen.delete(phone)
    if (foreseen && isRecent(foreseen)) {
      const found = await foreseen.found
      if (found.has(phone)) return found.get(phone)
    }
    return (await this.#findKnown(phone)) ?? (await this.#ask(phone))
  }

  /** Begins to find out about these phones, if the platform can be asked about them together. */
  foresee(phones: readonly string[]): void {
    const unseen = new Set(phones.filter((phone) => !this.#foreseen.has(phone)))
    if (unseen.size < FILLED_MIN) return
    const found = this.#findMany([...unseen]).catch((error) => {
      this.#options.log.warn({ err: error }, 'RCS capabilities could not be foreseen')
      return NOTHING_KNOWN
    })
    const foreseen = { sinceMs: performance.now(), found }
    for (const phone of unseen) this.#foreseen.set(phone, foreseen)
    for (const [phone, oldest] of this.#foreseen) {
      if (this.#foreseen.size <= FORESEEN_MAX && isRecent(oldest)) break
      this.#foreseen.delete(phone)
    }
  }

  /** Stores what the outcome of a message says of its phone, without waiting for it. */
  learn(phone: string, isCapable: boolean): void {
    this.#foreseen.delete(phone)
    this.#follow(this.#store([phone, isCapable]))
  }

  /** Settles when everything that was learned is stored. */
  async settle(): Promise<void> {
    await Promise.all(this.#storing)
  }

  #learnMany(known: ReadonlyMap<string, boolean>): void {
    const { carrier, cache } = this.#options
    this.#follow(cache.store(carrier, known))
  }

  #follow(stored: Promise<unknown>): void {
    const storing: Promise<unknown> = stored
      .catch((error) => this.#options.log.warn({ err: error }, 'RCS capabilities could not be stored'))
      .finally(() => this.#storing.delete(storing))
    this.#storing.add(storing)
  }

  /** By the cache, or else by the platform, as far as it takes these phones together. */
  async #findMany(phones: readonly string[]): Promise<ReadonlyMap<string, Known>> {
    const { carrier, cache, checks } = this.#options
    const known = new Map<string, Known>(await cache.find(carrier, phones))
    const unknown = phones.filter((phone) => !known.has(phone))
    await Promise.all(
      [...Map.groupBy(unknown, zoneOf)].map(async ([zone, ofZone]) => {
        const asked = this.#filled(zone, ofZone.slice(0, MANY_MAX))
        if (asked.length < MANY_MIN || !checks.takesMany(zone) || checks.pausedMs > 0) return
        this.#lastAsked.set(zone, asked)
        const told = await this.#askPatiently(zone, asked)
        if (told.kind === 'refused') return
        for (const phone of ofZone) known.set(phone, told.kind === 'known' ? told.known.get(phone) : undefined)
      })
    )
    return known
  }

  /** If nearly enough, they are filled up with phones that were asked about before: one call for many costs less. */
  #filled(zone: string, phones: readonly string[]): string[] {
    const filled = new Set(phones)
    if (filled.size < FILLED_MIN) return [...filled]
    for (const phone of this.#lastAsked.get(zone) ?? []) {
      if (filled.size >= MANY_MIN) break
      filled.add(phone)
    }
    return [...filled]
  }

  /** A message is not kept waiting for long. The answer goes into the cache, however late it comes. */
  #askPatiently(zone: string, phones: readonly string[]): Promise<ManyKnown> {
    const { promise, resolve } = Promise.withResolvers<ManyKnown>()
    const timer = setTimeout(() => resolve({ kind: 'failed', reason: 'It took too long.' }), this.#options.waitMs)
    void this.#options.checks.many(zone, phones).then((told) => {
      clearTimeout(timer)
      if (told.kind === 'known') this.#learnMany(told.known)
      resolve(told)
    })
    return promise
  }

  async #findKnown(phone: string): Promise<Known> {
    try {
      return await this.#find(phone)
    } catch (error) {
      this.#options.log.warn({ err: error }, 'stored RCS capabilities could not be read; the platform is asked')
      return undefined
    }
  }

  #ask(phone: string): Promise<Known> {
    const asked = this.#asked.get(phone)
    if (asked) return asked
    const { promise, resolve } = Promise.withResolvers<Known>()
    const asking = promise.finally(() => this.#asked.delete(phone))
    this.#asked.set(phone, asking)
    this.#waiting.push({ phone, resolve })
    this.#askSoon()
    return asking
  }

  /**
   * At the end of this turn of the event loop: phones that one look-up did not find in the cache are asked together.
   */
  #askSoon(): void {
    if (this.#isAsking) return
    this.#isAsking = true
    setImmediate(() => {
      this.#isAsking = false
      this.#askWaiting()
    })
  }

  #askWaiting(): void {
    if (this.#options.checks.pausedMs > 0) {
      for (const { resolve } of this.#waiting.splice(0)) resolve(undefined)
      return
    }
    for (const [zone, askings] of this.#takeMany()) void this.#askMany(zone, askings)
    const free = Math.max(0, SINGLES_MAX - this.#singles)
    for (const asking of this.#waiting.splice(0, free)) void this.#askOne(asking)
  }

  /** By zone, the waiting phones that are enough to be asked together. */
  #takeMany(): Map<string, Asking[]> {
    const many = new Map<string, Asking[]>()
    if (this.#waiting.length < MANY_MIN) return many
    const { checks } = this.#options
    const others: Asking[] = []
    for (const [zone, askings] of Map.groupBy(this.#waiting, ({ phone }) => zoneOf(phone))) {
      const isEnough = askings.length >= MANY_MIN && checks.takesMany(zone)
      if (isEnough) many.set(zone, askings.slice(0, MANY_MAX))
      others.push(...(isEnough ? askings.slice(MANY_MAX) : askings))
    }
    this.#waiting = others
    return many
  }

  async #askOne({ phone, resolve }: Asking): Promise<void> {
    this.#singles++
    const { known } = await this.#options.checks.one(phone)
    this.#singles--
    if (known !== undefined) this.learn(phone, known)
    resolve(known)
    if (this.#waiting.length > 0) this.#askSoon()
  }

  async #askMany(zone: string, askings: readonly Asking[]): Promise<void> {
    const told = await this.#options.checks.many(
      zone,
      askings.map(({ phone }) => phone)
    )
    if (told.kind === 'refused') {
      this.#waiting.push(...askings)
      this.#askSoon()
      return
    }
    const known = told.kind === 'known' ? told.known : undefined
    if (known) this.#learnMany(known)
    for (const { phone, resolve } of askings) resolve(known?.get(phone))
  }
}

function isRecent({ sinceMs }: Foreseen): boolean {
  return performance.now() - sinceMs < FORESEEN_MS
}

const NO_ANSWERS: readonly undefined[] = []
const NOTHING_KNOWN: ReadonlyMap<string, Known> = new Map()

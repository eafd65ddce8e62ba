import { groupCalls } from '../../database/group-calls.ts'
import type { Log } from '../../http/log.ts'
import type { CapabilityCache } from '../carrier.ts'
import { type Checks, type Known, MANY_MAX, MANY_MIN, zoneOf } from './checks.ts'

/*
 * Whether the phone of a message can do RCS. The cache is read first, for many phones at once. The platform is asked
 * about the others: together, if enough phones of one part of the world wait, else one by one. When it does not answer,
 * the message is sent without waiting: the answer to the send is as good.
 */

const SINGLES_MAX = 50
/** The first call leaves at once; calls that come meanwhile leave together. */
const FIND_LIMITS = { sizeMax: 1_000, runningMax: 2, spacingMs: 2 }
const STORE_LIMITS = { sizeMax: 1_000, runningMax: 1, spacingMs: 100 }

interface CapabilitiesOptions {
  carrier: string
  checks: Checks
  cache: CapabilityCache
  log: Log
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
    return (await this.#findKnown(phone)) ?? (await this.#ask(phone))
  }

  /** Stores what the outcome of a message says of its phone, without waiting for it. */
  learn(phone: string, isCapable: boolean): void {
    const storing: Promise<unknown> = this.#store([phone, isCapable])
      .catch((error) => this.#options.log.warn({ err: error }, 'RCS capabilities could not be stored'))
      .finally(() => this.#storing.delete(storing))
    this.#storing.add(storing)
  }

  /** Settles when everything that was learned is stored. */
  async settle(): Promise<void> {
    await Promise.all(this.#storing)
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
    for (const [phone, isCapable] of known ?? []) this.learn(phone, isCapable)
    for (const { phone, resolve } of askings) resolve(known?.get(phone))
  }
}

const NO_ANSWERS: readonly undefined[] = []

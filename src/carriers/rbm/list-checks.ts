import { setTimeout as sleep } from 'node:timers/promises'
import type { CapabilityCache } from '../carrier.ts'
import { type Checks, isRefusal, MANY_MAX, MANY_MIN, zoneOf } from './checks.ts'
import { reasonOf } from './send-outcomes.ts'

/*
 * Which phones of a list can do RCS. Only a worker waits for it, so it takes the turns that messages leave. Each answer
 * of the platform is stored at once: when a later part fails, the next try of the list does not ask again.
 */

/** Beside the messages. */
const SINGLES_MAX = 20

interface ListChecksOptions {
  carrier: string
  checks: Checks
  cache: CapabilityCache
  /** The most that it waits for a turn. */
  waitMs: number
}

export class ListChecks {
  readonly #options: ListChecksOptions

  constructor(options: ListChecksOptions) {
    this.#options = options
  }

  /** Rejects when the platform does not say. */
  async findCapable(phones: readonly string[]): Promise<Set<string>> {
    const { carrier, cache } = this.#options
    const capable = new Set<string>()
    const unknown: string[] = []
    for (const chunk of evenChunks([...new Set(phones)])) {
      const known = await cache.find(carrier, chunk)
      for (const phone of chunk) {
        if (known.get(phone)) capable.add(phone)
        else if (!known.has(phone)) unknown.push(phone)
      }
    }
    for (const [zone, ofZone] of Map.groupBy(unknown, zoneOf)) {
      for (const chunk of evenChunks(ofZone)) {
        for (const [phone, isCapable] of await this.#ask(zone, chunk)) if (isCapable) capable.add(phone)
      }
    }
    return capable
  }

  async #ask(zone: string, phones: readonly string[]): Promise<ReadonlyMap<string, boolean>> {
    const { carrier, checks, cache, waitMs } = this.#options
    const untilMs = performance.now() + waitMs
    while (phones.length >= MANY_MIN && checks.takesMany(zone)) {
      const told = await checks.many(zone, phones)
      if (told.kind === 'known') {
        await cache.store(carrier, told.known)
        return told.known
      }
      if (told.kind === 'failed') throw new Error(`Phones could not be checked: ${told.reason}`)
      if (told.kind === 'not-now') await this.#wait(told.waitMs, untilMs)
    }
    return await this.#askSingly(phones)
  }

  async #askSingly(phones: readonly string[]): Promise<Map<string, boolean>> {
    const { carrier, checks, cache } = this.#options
    const known = new Map<string, boolean>()
    for (let at = 0; at < phones.length; at += SINGLES_MAX) {
      if (checks.pausedMs > 0) throw new Error('Phones could not be checked: the platform asked us to wait.')
      const told = await Promise.all(
        phones.slice(at, at + SINGLES_MAX).map(async (phone) => ({ phone, ...(await checks.one(phone)) }))
      )
      const news = new Map(told.flatMap(({ phone, known }) => (known === undefined ? [] : [[phone, known]])))
      await cache.store(carrier, news)
      for (const [phone, isCapable] of news) known.set(phone, isCapable)
      // A refusal says nothing that could be kept, but it is an answer; anything else is none.
      const silent = told.find(({ answer, known }) => known === undefined && !isRefusal(answer))
      if (silent) throw new Error(`Phones could not be checked: ${reasonOf(silent.answer)}`)
    }
    return known
  }

  async #wait(waitMs: number, untilMs: number): Promise<void> {
    if (performance.now() + waitMs > untilMs) throw new Error('Phones could not be checked: it was not their turn.')
    await sleep(waitMs)
  }
}

/** Of the same size, so that the last is not too small to be asked together. */
function* evenChunks<T>(items: readonly T[]): Generator<T[]> {
  const size = Math.ceil(items.length / Math.ceil(items.length / MANY_MAX))
  for (let at = 0; at < items.length; at += size) yield items.slice(at, at + size)
}

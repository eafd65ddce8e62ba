import type { Log } from '../../http/log.ts'
import type { CarrierLimits } from '../carrier.ts'
import type { RbmAnswer, RbmClient } from './rbm-client.ts'
import { reasonOf, saysUnreachable } from './send-outcomes.ts'

/*
 * Capability checks: of one phone, or of many phones of one part of the world by one call. Calls for many are counted
 * over the whole cluster. When the platform refuses one, that part of the world is checked phone by phone for a while.
 */

/**
 * A call for many takes 500 to 10,000 different numbers, 600 times a minute, all of the agent's region
 * (users.batchGet).
 */
export const MANY_MIN = 500
export const MANY_MAX = 10_000
const MANY_PER_SECOND = 10
/** After a refused call for many, phones of that part of the world are checked one by one for so long. */
const REFUSED_MS = 600_000
/** Where the platform, or the database, does not say how long to wait. */
const PAUSE_SECONDS = 2
const TURN_WAIT_MS = 1_000

/** Undefined: the platform did not say. */
export type Known = boolean | undefined

export type ManyKnown =
  | { kind: 'known'; known: ReadonlyMap<string, boolean> }
  /** These can't be asked together. */
  | { kind: 'refused' }
  | { kind: 'not-now'; waitMs: number }
  | { kind: 'failed'; reason: string }

interface ChecksOptions {
  carrier: string
  client: RbmClient
  limits: Pick<CarrierLimits, 'takeThroughput'>
  onAnswer(answer: RbmAnswer): void
  log: Log
}

export class Checks {
  readonly #options: ChecksOptions
  readonly #refusedUntilMs = new Map<string, number>()
  #pausedUntilMs = 0

  constructor(options: ChecksOptions) {
    this.#options = options
  }

  /** How long the platform wants not to be asked. It counts checks by themselves: messages go on leaving. */
  get pausedMs(): number {
    return Math.max(0, this.#pausedUntilMs - performance.now())
  }

  async one(phone: string): Promise<{ answer: RbmAnswer; known: Known }> {
    const answer = await this.#options.client.check(phone)
    this.#onAnswer(answer)
    return { answer, known: readOne(answer) }
  }

  takesMany(zone: string): boolean {
    return performance.now() >= (this.#refusedUntilMs.get(zone) ?? 0)
  }

  /** Different phones of one zone. */
  async many(zone: string, phones: readonly string[]): Promise<ManyKnown> {
    const waitMs = this.pausedMs || (await this.#turnWaitMs())
    if (waitMs > 0) return { kind: 'not-now', waitMs: Math.ceil(waitMs) }
    const answer = await this.#options.client.checkMany(phones)
    this.#onAnswer(answer)
    if (isRefusal(answer)) {
      this.#options.log.warn(
        { zone, reason: reasonOf(answer) },
        'phones can’t be checked together; they are checked one by one'
      )
      this.#refusedUntilMs.set(zone, performance.now() + REFUSED_MS)
      return { kind: 'refused' }
    }
    const known = readMany(phones, answer)
    return known ? { kind: 'known', known } : { kind: 'failed', reason: reasonOf(answer) }
  }

  /** 0: it is ours. */
  async #turnWaitMs(): Promise<number> {
    const { carrier, limits, log } = this.#options
    try {
      const { granted, waitMs } = await limits.takeThroughput(`${carrier} capabilities`, MANY_PER_SECOND, 1)
      return granted > 0 ? 0 : Math.max(1, waitMs)
    } catch (error) {
      log.warn({ err: error }, 'a turn to check phones could not be asked for')
      return TURN_WAIT_MS
    }
  }

  #onAnswer(answer: RbmAnswer): void {
    this.#options.onAnswer(answer)
    if (answer.kind !== 'answered' || answer.status !== 429) return
    this.#pausedUntilMs = performance.now() + (answer.retryAfterSeconds ?? PAUSE_SECONDS) * 1000
  }
}

/** The first digit is the part of the world (E.164), and so its phones are of one region, or nearly. */
export function zoneOf(phone: string): string {
  return phone.slice(0, 2)
}

/** It was understood, and not answered. */
export function isRefusal(answer: RbmAnswer): boolean {
  return answer.kind === 'answered' && [400, 403, 404].includes(answer.status)
}

function readOne(answer: RbmAnswer): Known {
  if (answer.kind === 'answered' && answer.status >= 200 && answer.status < 300) return true
  // A 403 may be about the agent as a whole: to keep it as the phone's would shut out everybody for a day.
  return saysUnreachable(answer) ? false : undefined
}

function readMany(phones: readonly string[], answer: RbmAnswer): Map<string, boolean> | undefined {
  if (answer.kind !== 'answered' || answer.status !== 200) return undefined
  const { reachableUsers = [], totalRandomSampleUserCount } = answer.body
  if (!Array.isArray(reachableUsers)) return undefined
  // The platform leaves out an empty list, but not the size of its sample. Without both, another server has answered.
  if (reachableUsers.length === 0 && !totalRandomSampleUserCount) return undefined
  const reachable = new Set<unknown>(reachableUsers)
  return new Map(phones.map((phone) => [phone, reachable.has(phone)]))
}

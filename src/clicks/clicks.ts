import { setTimeout as sleep } from 'node:timers/promises'
import { isDatabaseUnavailable, type Pool } from '../database/database.ts'
import type { Log } from '../http/log.ts'
import type { LinkMetrics } from './metrics.ts'
import { OPENINGS_WINDOW_MS, type Openings } from './openings.ts'
import { type Click, type Recorded, recordClicks } from './record-clicks.ts'

/*
 * Clicks on their way into the database. The redirect leaves before anything is written, so a click waits here: for a moment,
 * or for as long as the database is away. A killed process loses the waiting clicks, usually those of some milliseconds. A
 * process that stops writes them first.
 */

/** Clicks per transaction. */
const GROUP_MAX = 1_000
/** The pause after a transaction, in which clicks gather for the next. */
const SPACING_MS = 20
/**
 * Some tens of megabytes. Past it, further clicks are not counted: the waiting ones came first, before the trouble began.
 */
const WAITING_MAX = 100_000
/** Clicks that wait for more signs. Past it they are decided at once. */
const UNCLEAR_MAX = 10_000
const RETRY_MS_MIN = 100
const RETRY_MS_MAX = 2_000
/** A group that fails while the database is there would fail for ever. */
const TRIES_MAX = 3
const STOP_MAX_MS = 5_000

export interface ClicksParts {
  pool: Pool
  openings: Openings
  log: Log
  metrics: LinkMetrics
}

export class Clicks {
  readonly #parts: ClicksParts
  #waiting: Click[] = []
  #writingCount = 0
  readonly #unclear = new Set<PutOff>()
  #unclearCount = 0
  #running: Promise<void> | undefined
  /** Set by a stop: clicks that are not written by then are lost. */
  #deadlineMs = Number.POSITIVE_INFINITY

  constructor(parts: ClicksParts) {
    this.#parts = parts
    parts.metrics.watchWaiting(() => this.#waiting.length + this.#writingCount + this.#unclearCount)
  }

  add(click: Click): void {
    if (this.#waiting.length >= WAITING_MAX) this.#parts.metrics.onLost(1)
    else this.#waiting.push(click)
    if (!this.#running) this.#start()
  }

  /** Writes the waiting clicks, within seconds. The rest is lost, and logged. */
  async stop(): Promise<void> {
    this.#deadlineMs = Date.now() + STOP_MAX_MS
    for (const putOff of this.#unclear) this.#release(putOff)
    await Promise.race([this.#writeAll(), sleep(STOP_MAX_MS, undefined, { ref: false })])
    const left = this.#waiting.length + this.#writingCount
    if (left > 0) this.#parts.log.error({ clicks: left }, 'clicks could not be counted before the stop')
  }

  get #isStopping(): boolean {
    return this.#deadlineMs !== Number.POSITIVE_INFINITY
  }

  #start(): void {
    this.#running = this.#run().finally(() => {
      this.#running = undefined
      // Clicks may have come in the moment in which the run ended.
      if (this.#waiting.length > 0) this.#start()
    })
  }

  async #run(): Promise<void> {
    // The redirects of the same moment leave first.
    await sleep(0)
    while (this.#waiting.length > 0) {
      const group = this.#waiting.slice(0, GROUP_MAX)
      this.#waiting = this.#waiting.slice(GROUP_MAX)
      this.#writingCount = group.length
      await this.#write(group)
      this.#writingCount = 0
      if (this.#waiting.length < GROUP_MAX && !this.#isStopping) await sleep(SPACING_MS)
    }
  }

  /** During a stop, clicks that wait for more signs are decided at once, which may begin another run. */
  async #writeAll(): Promise<void> {
    while (this.#running) await this.#running
  }

  async #write(group: Click[]): Promise<void> {
    const { pool, openings, log, metrics } = this.#parts
    for (let tries = 1; ; tries++) {
      try {
        this.#settle(group, await pool.begin((database) => recordClicks(database, group, openings)))
        return
      } catch (error) {
        const isHopeless = !isDatabaseUnavailable(error) && tries >= TRIES_MAX
        if (isHopeless || Date.now() > this.#deadlineMs) {
          log.error({ err: error, clicks: group.length }, 'clicks could not be counted')
          metrics.onLost(group.length)
          return
        }
        await sleep(Math.min(RETRY_MS_MIN * 2 ** (tries - 1), RETRY_MS_MAX))
      }
    }
  }

  #settle(group: readonly Click[], { people, robots, unclear }: Recorded): void {
    this.#parts.metrics.onClicks({ people, robots, again: group.length - people - robots - unclear.length })
    if (unclear.length === 0) return
    const isFull = this.#unclearCount + unclear.length > UNCLEAR_MAX
    if (isFull || this.#isStopping) this.#decide(unclear)
    else this.#putOff(unclear)
  }

  #putOff(clicks: Click[]): void {
    this.#unclearCount += clicks.length
    const putOff = { clicks, timer: setTimeout(() => this.#release(putOff), OPENINGS_WINDOW_MS) }
    this.#unclear.add(putOff)
  }

  #release(putOff: PutOff): void {
    clearTimeout(putOff.timer)
    this.#unclear.delete(putOff)
    this.#unclearCount -= putOff.clicks.length
    this.#decide(putOff.clicks)
  }

  #decide(clicks: readonly Click[]): void {
    for (const click of clicks) this.add({ ...click, isLate: true })
  }
}

/** Clicks that a person or a robot may have made: they wait for more signs. */
interface PutOff {
  clicks: Click[]
  timer: NodeJS.Timeout
}

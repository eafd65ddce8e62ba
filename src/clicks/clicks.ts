import { setTimeout as sleep } from 'node:timers/promises'
import { isDatabaseUnavailable, type Pool } from '../database/database.ts'
import type { Log } from '../http/log.ts'
import type { LinkMetrics } from './metrics.ts'
import { OPENINGS_WINDOW_MS, type Openings } from './openings.ts'
import { type Click, type Recorded, recordClicks } from './record-clicks.ts'

/*
 * Clicks on their way into the database. The redirect leaves before anything is written, so a click waits here: for a moment, or
 * for as long as the database is away. A killed process loses the waiting clicks, usually those of some milliseconds. A process
 * that stops writes them first.
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

export interface Clicks {
  add(click: Click): void
  /** Writes the waiting clicks, within seconds. The rest is lost, and logged. */
  stop(): Promise<void>
}

export interface ClicksParts {
  pool: Pool
  openings: Openings
  log: Log
  metrics: LinkMetrics
}

export function startClicks({ pool, openings, log, metrics }: ClicksParts): Clicks {
  let waiting: Click[] = []
  const unclear = new Set<{ clicks: Click[]; timer: NodeJS.Timeout }>()
  let unclearCount = 0
  let running: Promise<void> | undefined
  let deadline = Number.POSITIVE_INFINITY
  let writingCount = 0
  metrics.watchWaiting(() => waiting.length + writingCount + unclearCount)

  function add(click: Click): void {
    if (waiting.length >= WAITING_MAX) metrics.onLost(1)
    else waiting.push(click)
    if (!running) start()
  }

  function start(): void {
    running = run().finally(() => {
      running = undefined
      // Clicks may have come in the moment in which the run ended.
      if (waiting.length > 0) start()
    })
  }

  async function run(): Promise<void> {
    // The redirects of the same moment leave first.
    await sleep(0)
    while (waiting.length > 0) {
      const group = waiting.slice(0, GROUP_MAX)
      waiting = waiting.slice(GROUP_MAX)
      writingCount = group.length
      await write(group)
      writingCount = 0
      if (waiting.length < GROUP_MAX && !isStopping()) await sleep(SPACING_MS)
    }
  }

  /** During a stop, clicks that wait for more signs are decided at once, which may begin another run. */
  async function writeAll(): Promise<void> {
    while (running) await running
  }

  async function write(group: Click[]): Promise<void> {
    for (let tries = 1; ; tries++) {
      try {
        return settle(group, await pool.begin((database) => recordClicks(database, group, openings)))
      } catch (error) {
        const isHopeless = !isDatabaseUnavailable(error) && tries >= TRIES_MAX
        if (isHopeless || Date.now() > deadline) {
          log.error({ err: error, clicks: group.length }, 'clicks could not be counted')
          metrics.onLost(group.length)
          return
        }
        await sleep(Math.min(RETRY_MS_MIN * 2 ** (tries - 1), RETRY_MS_MAX))
      }
    }
  }

  function settle(group: readonly Click[], { people, robots, unclear: putOff }: Recorded): void {
    metrics.onClicks({ people, robots, again: group.length - people - robots - putOff.length })
    if (putOff.length === 0) return
    const isLate = unclearCount + putOff.length > UNCLEAR_MAX || isStopping()
    if (isLate) decide(putOff)
    else putOffFor(putOff)
  }

  function putOffFor(clicks: Click[]): void {
    unclearCount += clicks.length
    const held = { clicks, timer: setTimeout(() => release(held), OPENINGS_WINDOW_MS) }
    unclear.add(held)
  }

  function release(held: { clicks: Click[]; timer: NodeJS.Timeout }): void {
    clearTimeout(held.timer)
    unclear.delete(held)
    unclearCount -= held.clicks.length
    decide(held.clicks)
  }

  function decide(clicks: readonly Click[]): void {
    for (const click of clicks) add({ ...click, isLate: true })
  }

  const isStopping = () => deadline !== Number.POSITIVE_INFINITY

  return {
    add,
    async stop() {
      deadline = Date.now() + STOP_MAX_MS
      for (const held of unclear) release(held)
      await Promise.race([writeAll(), sleep(STOP_MAX_MS, undefined, { ref: false })])
      const left = waiting.length + writingCount
      if (left > 0) log.error({ clicks: left }, 'clicks could not be counted before the stop')
    }
  }
}

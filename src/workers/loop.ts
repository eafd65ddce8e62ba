import type { Log } from '../http/log.ts'

export interface Worker {
  /** Names it in the log and when a stop waits for it. */
  name: string
  /** Does the due work, and returns whether more may be due at once. */
  work(): Promise<{ isMoreDue: boolean }>
  pauseMs: number
  /** A pause before the first work. */
  firstPauseMs?: number
  log: Log
  /** Work that takes longer is reported as stuck. The loop still waits for it: to do it twice at once could do harm. */
  stuckMs?: number
}

/** No statement takes longer than 30 s, and a turn of work has only a few. */
const STUCK_MS = 120_000
/** The time is counted in ticks, not by the clock: a process that was stopped has not worked meanwhile. */
const TICKS_PER_STUCK = 10

/** A failure that lasts, as while the database is away, is logged once a minute: a line each turn would fill a disk. */
const LOG_AGAIN_MS = 60_000

/** The names of the workers of this process that are stuck. */
export const stuckWorkers = new Set<string>()

export interface RunningWorker {
  name: string
  /** Ends the pause: work may be due. */
  wake(): void
  /** Finishes the current work and stops. */
  stop(): Promise<void>
}

/**
 * The first pause of work that may wait while a process starts. Without it, all workers would ask the database at once,
 * each over a new connection.
 */
export const UPKEEP_FIRST_PAUSE_MS = 1_000

/** One loop for all workers: work, pause, again; a failure costs one pause. It is logged when it is new. */
export function startWorker(worker: Worker): RunningWorker {
  const { name, work, pauseMs, firstPauseMs = 0, log, stuckMs = STUCK_MS } = worker
  let isStopping = false
  // A wake-up may come during the work: then more may be due than the work has seen, and there is no pause.
  let isWoken = false
  let endPause: () => void = () => undefined
  let lastFailure: { message: string; loggedAt: number } | undefined
  let workingTicks = firstPauseMs > 0 ? Number.NEGATIVE_INFINITY : 0
  const watch = setInterval(() => {
    if (++workingTicks !== TICKS_PER_STUCK) return
    stuckWorkers.add(name)
    log.error({ worker: name, seconds: stuckMs / 1000 }, 'worker has not come back; it is still waited for')
  }, stuckMs / TICKS_PER_STUCK).unref()

  async function loop(): Promise<void> {
    if (firstPauseMs > 0) await pause(firstPauseMs)
    while (!isStopping) {
      isWoken = false
      workingTicks = 0
      const isMoreDue = await work().then(
        (result) => {
          lastFailure = undefined
          return result.isMoreDue
        },
        (error) => {
          onFailed(error)
          return false
        }
      )
      comeBack()
      if (!isMoreDue && !isWoken && !isStopping) await pause(pauseMs)
    }
    clearInterval(watch)
  }

  function onFailed(error: Error): void {
    const now = performance.now()
    if (error.message === lastFailure?.message && now - lastFailure.loggedAt < LOG_AGAIN_MS) return
    lastFailure = { message: error.message, loggedAt: now }
    log.error({ worker: name, err: error }, 'worker failed; it goes on after a pause')
  }

  function comeBack(): void {
    workingTicks = Number.NEGATIVE_INFINITY
    if (stuckWorkers.delete(name)) log.warn({ worker: name }, 'worker has come back')
  }

  function pause(ms: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, ms)
    endPause = () => {
      clearTimeout(timer)
      resolve()
    }
    return promise
  }

  const running = loop()
  return {
    name,
    wake() {
      isWoken = true
      endPause()
    },
    async stop() {
      isStopping = true
      endPause()
      await running
    }
  }
}

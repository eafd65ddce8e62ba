import type { Log } from '../http/log.ts'

export interface Worker {
  /** Names it in the log and when a stop waits for it. */
  name: string
  /** Does what is due and tells whether there may be more at once. */
  work(): Promise<{ isMoreDue: boolean }>
  pauseMs: number
  log: Log
  /** Work that has not come back after this is told as stuck. It is waited for still: twice at once, it could do harm. */
  stuckMs?: number
}

/** No statement takes longer than 30 s, and no work that comes back is made of many. */
const STUCK_MS = 120_000
/** Counted by ticks, not by the clock: a process that was stopped has not worked for that long. */
const TICKS_PER_STUCK = 10

/** The workers of this process that have not come back for too long, by name. */
export const stuckWorkers = new Set<string>()

export interface RunningWorker {
  name: string
  /** Ends the pause: something may be due. */
  wake(): void
  /** Finishes what is being done and stops. */
  stop(): Promise<void>
}

/** One loop for all workers: work, pause, again; a failure is logged and costs one pause. */
export function startWorker({ name, work, pauseMs, log, stuckMs = STUCK_MS }: Worker): RunningWorker {
  let isStopping = false
  // Somebody may wake it while it works: then what it found was old, and it must not pause.
  let isWoken = false
  let endPause: () => void = () => undefined
  let workingTicks = 0
  const watch = setInterval(() => {
    if (++workingTicks !== TICKS_PER_STUCK) return
    stuckWorkers.add(name)
    log.error({ worker: name, seconds: stuckMs / 1000 }, 'worker has not come back; it is still waited for')
  }, stuckMs / TICKS_PER_STUCK).unref()

  async function loop(): Promise<void> {
    while (!isStopping) {
      isWoken = false
      workingTicks = 0
      const isMoreDue = await work().then(
        (result) => result.isMoreDue,
        (error) => {
          log.error({ worker: name, err: error }, 'worker failed; it goes on after a pause')
          return false
        }
      )
      comeBack()
      if (!isMoreDue && !isWoken && !isStopping) await pause()
    }
    clearInterval(watch)
  }

  function comeBack(): void {
    workingTicks = Number.NEGATIVE_INFINITY
    if (stuckWorkers.delete(name)) log.warn({ worker: name }, 'worker has come back')
  }

  function pause(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, pauseMs)
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

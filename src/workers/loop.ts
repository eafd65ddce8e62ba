import type { Log } from '../http/log.ts'

export interface Worker {
  /** Names it in the log and when a stop waits for it. */
  name: string
  /** Does what is due and tells whether there may be more at once. */
  work(): Promise<{ isMoreDue: boolean }>
  pauseMs: number
  log: Log
}

export interface RunningWorker {
  name: string
  /** Ends the pause: something may be due. */
  wake(): void
  /** Finishes what is being done and stops. */
  stop(): Promise<void>
}

/** One loop for all workers: work, pause, again; a failure is logged and costs one pause. */
export function startWorker({ name, work, pauseMs, log }: Worker): RunningWorker {
  let isStopping = false
  // Somebody may wake it while it works: then what it found was old, and it must not pause.
  let isWoken = false
  let endPause: () => void = () => undefined

  async function loop(): Promise<void> {
    while (!isStopping) {
      isWoken = false
      const isMoreDue = await work().then(
        (result) => result.isMoreDue,
        (error) => {
          log.error({ worker: name, err: error }, 'worker failed; it goes on after a pause')
          return false
        }
      )
      if (!isMoreDue && !isWoken && !isStopping) await pause()
    }
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

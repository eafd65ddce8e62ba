import { monitorEventLoopDelay } from 'node:perf_hooks'
import { Refusal } from '../errors.ts'

export interface LoadLimits {
  /** Requests that are being answered. Past it, waiting would only make all of them late. */
  requestsInProgressMax: number
  /** How late the event loop may run, over the last sample, before new requests are turned away. */
  loopDelayMaxMs: number
}

export const LOAD_LIMITS: LoadLimits = { requestsInProgressMax: 1_000, loopDelayMaxMs: 1_000 }

const SAMPLE_MS = 500
const RETRY_AFTER_SECONDS = 1

/** Turns requests away, quickly and with a time to come back, when there is more than can be done. */
export function startLoadShedding({ requestsInProgressMax, loopDelayMaxMs }: LoadLimits) {
  let inProgress = 0
  let isLoopLate = false
  let isClosing = false

  const delay = monitorEventLoopDelay({ resolution: 20 })
  delay.enable()
  const timer = setInterval(() => {
    // The histogram counts in nanoseconds. The mean, because one long garbage collection is no overload.
    isLoopLate = delay.mean / 1e6 > loopDelayMaxMs
    delay.reset()
  }, SAMPLE_MS).unref()

  return {
    get inProgress() {
      return inProgress
    },
    /** The refusal for a request that arrives now, if it can't be taken. Taken ones must be given back with `leave`. */
    enter(): Refusal | undefined {
      if (isClosing) return unavailable('This process is stopping; ask again.')
      if (isLoopLate || inProgress >= requestsInProgressMax) return unavailable('The service is overloaded; ask again.')
      inProgress++
      return undefined
    },
    leave() {
      inProgress--
    },
    /** From now on nothing new is taken: the process is about to stop. */
    close() {
      isClosing = true
    },
    stop() {
      clearInterval(timer)
      delay.disable()
    }
  }
}

export type LoadShedding = ReturnType<typeof startLoadShedding>

function unavailable(sentence: string): Refusal {
  return new Refusal(503, 'unavailable', sentence, { retryAfterSeconds: RETRY_AFTER_SECONDS })
}

import type { FastifyReply } from 'fastify'
import { Refusal } from '../errors.ts'

/** Requests that do not work but wait for something to happen, and for which nobody else may have to wait. */
export interface Waits {
  /** Lets one wait; the signal says that nobody waits any more: the client has gone, or this process is stopping. */
  begin(whose: number, reply: FastifyReply): AbortSignal
  /** Ends all of them. */
  close(): void
}

const RETRY_AFTER_SECONDS = 5

/** Lets so many wait at once, and of each asker so many; the others are refused. */
export function createWaits({ atOnceMax, eachMax }: { atOnceMax: number; eachMax: number }): Waits {
  const waiting = new Map<AbortController, number>()
  let isClosed = false

  return {
    begin(whose, reply) {
      if (waiting.size >= atOnceMax) throw tooMany(503, 'unavailable', 'Too many requests wait for events; ask again.')
      if ([...waiting.values()].filter((other) => other === whose).length >= eachMax) {
        throw tooMany(429, 'rate_limited', `At most ${eachMax} requests of an account may wait for events at a time.`)
      }
      const controller = new AbortController()
      waiting.set(controller, whose)
      if (reply.load) reply.load.isWaiting = true
      reply.raw.once('close', () => {
        waiting.delete(controller)
        controller.abort()
      })
      if (isClosed) controller.abort()
      return controller.signal
    },
    close() {
      isClosed = true
      for (const controller of waiting.keys()) controller.abort()
    }
  }
}

function tooMany(status: number, code: 'unavailable' | 'rate_limited', sentence: string): Refusal {
  return new Refusal(status, code, sentence, { retryAfterSeconds: RETRY_AFTER_SECONDS })
}

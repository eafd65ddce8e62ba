import type { FastifyReply } from 'fastify'
import { Refusal } from '../errors.ts'
import type { Asker } from './caller.ts'
import type { SharedLimits } from './turns.ts'

/** Requests that wait for events. No other request may have to wait for them. */
export interface Waits {
  /** Lets a request wait. The signal aborts when the client has gone, or the process is stopping. */
  begin(asker: Asker, reply: FastifyReply): AbortSignal
  /** Ends all waits. */
  close(): void
}

const RETRY_AFTER_SECONDS = 5

/** Limits the requests that wait at once, in all and of each account. Others are refused. */
export function createWaits({ atOnceMax, eachMax, topLevelMax }: SharedLimits): Waits {
  const waiting = new Map<AbortController, Asker>()
  let isClosed = false

  return {
    begin(asker, reply) {
      if (waiting.size >= atOnceMax) throw tooMany(503, 'unavailable', 'Too many requests wait for events; ask again.')
      const others = [...waiting.values()]
      if (others.filter(({ accountId }) => accountId === asker.accountId).length >= eachMax) {
        throw tooMany(429, 'rate_limited', `At most ${eachMax} requests of an account may wait for events at a time.`)
      }
      if (others.filter(({ topLevelId }) => topLevelId === asker.topLevelId).length >= topLevelMax) {
        const sentence = `At most ${topLevelMax} requests of an account and its sub-accounts may wait for events at a time.`
        throw tooMany(429, 'rate_limited', sentence)
      }
      const controller = new AbortController()
      waiting.set(controller, asker)
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

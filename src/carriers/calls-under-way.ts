import { databaseNow } from '../database/clock.ts'
import type { Log } from '../http/log.ts'
import type { CarrierStatus, OutboundMessage, SubmitOutcome } from './carrier.ts'
import type { PeerHealth } from './peer-health.ts'
import type { RecentRate } from './recent-rate.ts'
import type { Slots } from './slots.ts'
import type { Turns } from './turns.ts'

/* What carriers share that call their peer over HTTP and hold no binds. */

/** The calls of one carrier that have no outcome yet. */
export class CallsUnderWay {
  #count = 0
  #drained: () => void = () => undefined

  get count(): number {
    return this.#count
  }

  async run<T>(call: () => Promise<T>): Promise<T> {
    this.#count++
    try {
      return await call()
    } finally {
      this.#count--
      if (this.#count === 0) this.#drained()
    }
  }

  /** Settles when no call is left. Every call has its own deadline; `waitMs` bounds calls that follow each other. */
  async drain(waitMs: number): Promise<void> {
    if (this.#count === 0) return
    const { promise, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, waitMs)
    this.#drained = resolve
    await promise
    clearTimeout(timer)
  }
}

export function isExpired({ expiresAt }: Pick<OutboundMessage, 'expiresAt'>): boolean {
  return databaseNow() >= expiresAt
}

/** For a message that can't be sent now, and that waiting here would not help. */
const NOT_NOW_DELAY_SECONDS = 2

export function notNow(reason: string): Extract<SubmitOutcome, { kind: 'retry' }> {
  return { kind: 'retry', reason, delaySeconds: NOT_NOW_DELAY_SECONDS }
}

export const STOPPING = 'The carrier is being stopped.'
export const WAITED_TOO_LONG = 'It waited too long for its turn.'

/** Sends when a slot is free and the message's turn has come. A message that waits too long goes back to the caller. */
export function sendInTurn(
  {
    slots,
    turns,
    waitMs,
    refusal
  }: {
    slots: Slots
    turns: Turns
    waitMs: number
    /** Why nothing may be sent now; undefined when it may. */
    refusal(): string | undefined
  },
  send: () => Promise<SubmitOutcome>
): Promise<SubmitOutcome> {
  const untilMs = performance.now() + waitMs
  return slots.run(async () => {
    // A peer that went down meanwhile answers no message: those that wait here go back at once.
    const reason = performance.now() > untilMs ? WAITED_TOO_LONG : refusal()
    if (reason !== undefined) return { ...notNow(reason), isUntried: true }
    const turn = await turns.take()
    if (turn.kind === 'now') return send()
    return { kind: 'retry', reason: turn.reason, delaySeconds: turn.delaySeconds, isUntried: true }
  })
}

/** Calls a listener. A bug of the listener must not end the call that calls it. */
export function tell(listener: () => void, log: Log): void {
  try {
    listener()
  } catch (error) {
    log.error({ err: error }, 'carrier event listener threw')
  }
}

/**
 * How many messages may be under way; undefined when nothing but the connections limits them. With a pace, only as many
 * wait here as leave within a second: messages that wait with the caller can still be overtaken by more urgent ones.
 */
export function limitedCapacity({
  isStopping,
  health,
  turns,
  sending,
  sendsMax
}: {
  isStopping: boolean
  health: Pick<PeerHealth, 'state'>
  turns: Turns
  /** Sends that wait for their answer. */
  sending: number
  sendsMax: number
}): number | undefined {
  if (isStopping || health.state === 'down' || turns.isPaused) return 0
  if (health.state === 'trial') return 1
  return turns.perSecond === null ? undefined : Math.min(sendsMax, sending + Math.ceil(turns.perSecond))
}

/** A longer pause counts as down: another carrier of the route takes over. */
const LONG_PAUSE_MS = 30_000

export function statusWithoutBinds({
  isStopping,
  calls,
  capacity,
  rate,
  turns,
  health
}: {
  isStopping: boolean
  calls: CallsUnderWay
  capacity: number
  rate: RecentRate
  turns: Turns
  health: Pick<PeerHealth, 'state' | 'lastError'>
}): CarrierStatus {
  return {
    isUp: !isStopping && health.state !== 'down' && turns.pausedMs < LONG_PAUSE_MS,
    binds: [],
    traffic: {
      inFlight: calls.count,
      capacity,
      submitsPerSecond: rate.perSecond,
      pacePerSecond: turns.perSecond,
      lastError: health.lastError
    }
  }
}

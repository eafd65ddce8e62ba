import type { Log } from '../../http/log.ts'
import { backoffMs } from '../backoff.ts'
import type { BindLeases, BindStatus } from '../carrier.ts'
import { RecentRate } from '../recent-rate.ts'
import { HeldLease } from './held-lease.ts'
import type { InboundHandler } from './inbound-pending.ts'
import type { Peer } from './open-socket.ts'
import { PduCapture } from './pdu-capture.ts'
import { BindRefused, type SessionOptions, SmppSession } from './session.ts'
import type { SmppSettings } from './smpp-settings.ts'
import type { SmppTimings } from './timings.ts'
import { WindowStall } from './window-stall.ts'

/*
 * Keeps one bind of a carrier up: claims a slot, connects, binds, and again when it is lost. The slot is this process's
 * as long as its lease is; once that is over, the sockets go at once, and nothing is written under it any more. While
 * it waits after a bind that failed, the slot is offered to other processes: the way to the carrier may be open from
 * there. Binds are shared out evenly: a process that holds two more than another gives one up when it is asked for it.
 */

/** After a bind that failed, others are asked for none of theirs this long: the way to the carrier may be closed from here. */
const NO_SHARE_MS = 600_000

export interface BindOptions {
  settings: SmppSettings
  peer: Peer
  leases: BindLeases
  timings: SmppTimings
  onInbound: InboundHandler
  /** It went up or down. */
  onChange(): void
  /** There may be room for submits again. */
  onWritable(): void
  /** What the binds of this carrier know of each other. */
  sharing: Sharing
  /** What the status shows beside the bind's own. */
  pacePerSecond(): number | null
  firstSequence?: number | undefined
  log: Log
}

export interface Sharing {
  /** No process is asked for a bind before this, by the monotonic clock. */
  notBeforeMs: number
}

/**
 * Statuses that stay what they are until a person does something. ESME_RALYBND is not one: a ghost of ours goes away.
 */
const REFUSED_FOR_GOOD: ReadonlySet<string> = new Set(['ESME_RINVPASWD', 'ESME_RINVSYSID', 'ESME_RBINDFAIL'])

export class Bind {
  readonly rate = new RecentRate()
  readonly capture = new PduCapture()
  /** Messages that hold a slot of the window, from their first part to their last answer. */
  windowUsed = 0
  readonly #stall: WindowStall
  readonly #options: BindOptions
  readonly #log: Log
  readonly #running: Promise<void>
  #lease: HeldLease | undefined
  #sessions: SmppSession[] = []
  #state: BindStatus['state'] = 'waiting'
  #boundAt: Date | null = null
  #lastError: BindStatus['lastError'] = null
  #reported = ''
  #failures = 0
  #isOffered = false
  /** Another process has asked for the slot: it is given up when the messages that hold its window are answered. */
  #isGivenUp = false
  /** After a failure, and wherever the slot is then, no earlier attempt than this: by the monotonic clock. */
  #nextAttemptMs = 0
  #isStopping = false
  #endPause: () => void = () => undefined

  constructor(options: BindOptions) {
    this.#options = options
    this.#stall = new WindowStall({ stallMs: options.timings.windowStallMs })
    this.#log = options.log
    this.#running = this.#run()
  }

  get isBound(): boolean {
    return this.#state === 'bound' && this.#sessions.every(({ isBound }) => isBound)
  }

  /** Whether a message could leave now. */
  get hasRoom(): boolean {
    if (this.#state !== 'bound' || this.windowUsed >= this.#options.settings.window) return false
    return this.#sessions[0]?.canSubmit === true
  }

  /** The session that submits. */
  get session(): SmppSession | undefined {
    return this.#sessions[0]
  }

  /** Undefined while another process has the slot. */
  get slot(): number | undefined {
    return this.#lease?.slot
  }

  /** Undefined while another process has the slot. */
  status(): BindStatus | undefined {
    if (!this.#lease) return undefined
    const { bind, window } = this.#options.settings
    return {
      slot: this.#lease.slot,
      state: this.#state,
      mode: bind,
      window,
      windowUsed: this.windowUsed,
      submitsPerSecond: this.rate.perSecond,
      pacePerSecond: this.#options.pacePerSecond(),
      boundAt: this.#boundAt,
      stalledSince: this.#stall.since,
      lastError: this.#lastError,
      isOffered: this.#isOffered
    }
  }

  /** Once a second. */
  tick(): void {
    this.rate.tick()
    this.capture.tick()
    if (this.#isGivenUp && this.windowUsed === 0) for (const session of this.#sessions) void session.close()
    const { window } = this.#options.settings
    if (!this.#stall.tick({ used: this.windowUsed, window, nowMs: performance.now() })) return
    this.#log.warn({ slot: this.#lease?.slot, window }, 'the window is full, and the carrier does not answer')
    this.#lease?.tell()
  }

  /** The carrier answered a submit. */
  onAnswer(): void {
    if (!this.#stall.end()) return
    this.#log.warn({ slot: this.#lease?.slot }, 'the carrier answers again')
    this.#lease?.tell()
  }

  /** Unbinds and gives the slot back. */
  async stop(): Promise<void> {
    this.#isStopping = true
    this.#endPause()
    if (this.#state === 'bound') this.#moveTo('unbinding')
    await Promise.all(this.#sessions.map((session) => session.close()))
    await this.#running
  }

  async #run(): Promise<void> {
    while (!this.#isStopping) {
      const lease = await this.#claim()
      if (lease) await this.#hold(lease)
      else await this.#pause(this.#options.timings.claimEveryMs)
    }
  }

  async #claim(): Promise<HeldLease | undefined> {
    const { settings, leases, sharing } = this.#options
    const askedAtMs = performance.now()
    try {
      // What others could not bind, no sooner than what we could not.
      const isOfferedWanted = askedAtMs >= this.#nextAttemptMs
      const isShareWanted = askedAtMs >= sharing.notBeforeMs
      const lease = await leases.claim(settings.name, settings.sessions, { isOfferedWanted, isShareWanted })
      if (!lease) return undefined
      return new HeldLease({
        carrier: settings.name,
        leases,
        lease,
        askedAtMs,
        status: () => this.status() ?? unreachable(),
        onAskedFor: () => this.#giveUp(),
        onLost: (reason) => this.#onLeaseLost(reason),
        log: this.#log
      })
    } catch (error) {
      this.#log.warn({ err: error }, 'a bind could not be claimed')
      return undefined
    }
  }

  async #hold(lease: HeldLease): Promise<void> {
    this.#lease = lease
    while (lease.isHeld && !this.#isStopping && !this.#isGivenUp) {
      const delayMs = await this.#connect(lease)
      if (!lease.isHeld || this.#isStopping || this.#isGivenUp) break
      this.#moveTo('waiting')
      if (this.#isOffered) lease.tell()
      await this.#pause(delayMs)
      await this.#takeBack(lease)
    }
    this.#moveTo('waiting')
    this.#isOffered = false
    await lease.release()
    this.#isGivenUp = false
    this.#lease = undefined
  }

  /** No new message leaves by it. One that is not bound is free for everybody already. */
  #giveUp(): void {
    if (this.#state !== 'bound' || this.#isGivenUp) return
    this.#log.info({ slot: this.slot }, 'a bind goes to a process that has fewer')
    this.#isGivenUp = true
    this.#moveTo('unbinding')
  }

  /** Waits until the database no longer offers the slot: up to then another process may claim it and bind instead. */
  async #takeBack(lease: HeldLease): Promise<void> {
    while (this.#isOffered && lease.isHeld && !this.#isStopping) {
      this.#isOffered = false
      if (await lease.confirm()) return
      this.#isOffered = true
      await this.#pause(this.#options.timings.claimEveryMs)
    }
  }

  #onLeaseLost(reason: string): void {
    this.#noteError(reason)
    for (const session of this.#sessions) session.destroy(reason)
    this.#endPause()
  }

  /** Until the bind is over. Says how long to wait before the next. */
  async #connect(lease: HeldLease): Promise<number> {
    this.#moveTo('connecting')
    const modes = this.#options.settings.bind === 'transceiver' ? ONE : PAIR
    const sessions: SmppSession[] = []
    this.#sessions = sessions
    try {
      for (const mode of modes) sessions.push(new SmppSession(this.#sessionOptions(mode, lease)))
      await Promise.all(sessions.map((session) => session.opened))
    } catch (error) {
      // Of a pair, one may be bound: without an unbind it would be a ghost in the way of the next attempt.
      await Promise.all(sessions.map((session) => session.close()))
      this.#sessions = []
      return this.#isStopping ? 0 : this.#failed(error)
    }
    return await this.#stayBound(sessions)
  }

  async #stayBound(sessions: SmppSession[]): Promise<number> {
    const boundAtMs = performance.now()
    this.#boundAt = new Date()
    this.#reported = ''
    this.#log.info({ slot: this.#lease?.slot }, 'bound')
    this.#moveTo(this.#isStopping ? 'unbinding' : 'bound')
    const closed = Promise.race(sessions.map((session) => session.closed))
    if (this.#isStopping) for (const session of sessions) session.close()
    const reason = await closed
    if (this.#state === 'bound') this.#moveTo('unbinding')
    // Of a pair, the other can't do its part alone.
    await Promise.all(sessions.map((session) => session.close()))
    this.#sessions = []
    this.#boundAt = null
    this.#stall.end()
    if (performance.now() - boundAtMs >= this.#options.timings.stableMs) this.#failures = 0
    if (this.#isStopping || this.#isGivenUp) return 0
    this.#noteError(reason)
    this.#log.warn({ slot: this.#lease?.slot, reason }, 'a bind was lost')
    return backoffMs(++this.#failures, this.#options.timings.backoff)
  }

  #failed(error: unknown): number {
    const { backoff, refusedBackoff } = this.#options.timings
    const message = error instanceof Error ? error.message : String(error)
    const isRefused = error instanceof BindRefused && REFUSED_FOR_GOOD.has(error.status)
    this.#noteError(isRefused ? `${message} Check systemId, password and what the carrier allows.` : message)
    // Logged once for each reason, not for each attempt: it may take days until a person reads it.
    if (this.#reported !== message) this.#log[isRefused ? 'error' : 'warn']({ reason: message }, 'it did not bind')
    this.#reported = message
    this.#isOffered = true
    this.#options.sharing.notBeforeMs = performance.now() + NO_SHARE_MS
    const delayMs = backoffMs(++this.#failures, isRefused ? refusedBackoff : backoff)
    this.#nextAttemptMs = performance.now() + delayMs
    return delayMs
  }

  #sessionOptions(mode: SessionOptions['mode'], lease: HeldLease): SessionOptions {
    const { settings, peer, timings, onInbound, onWritable, firstSequence } = this.#options
    const { systemId, password, systemType, answerTimeout, enquireLink } = settings
    const { openTimeoutMs, unbindTimeoutMs, lateAnswersMs } = timings
    return {
      peer,
      mode,
      systemId,
      password,
      systemType,
      answerTimeoutMs: answerTimeout * 1000,
      enquireLinkMs: enquireLink * 1000,
      openTimeoutMs,
      unbindTimeoutMs,
      lateAnswersMs,
      mayWrite: () => lease.isHeld,
      onBinding: () => this.#moveTo('binding'),
      onInbound,
      onWritable,
      tap: this.capture,
      ...(firstSequence === undefined ? {} : { firstSequence }),
      log: this.#log
    }
  }

  #noteError(message: string): void {
    this.#lastError = { at: new Date(), message }
  }

  #moveTo(state: BindStatus['state']): void {
    const isChange = (this.#state === 'bound') !== (state === 'bound')
    this.#state = state
    if (!isChange) return
    this.#lease?.tell()
    this.#options.onChange()
  }

  async #pause(delayMs: number): Promise<void> {
    if (this.#isStopping) return
    const { promise, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, delayMs)
    this.#endPause = resolve
    await promise
    clearTimeout(timer)
  }
}

const ONE = ['transceiver'] as const
/** The transmitter first: it submits. */
const PAIR = ['transmitter', 'receiver'] as const

function unreachable(): never {
  throw new Error('A lease is renewed only while it is held.')
}

import { Fifo } from '../../src/carriers/fifo.ts'
import { STATUSES } from '../../src/smpp/commands.ts'
import type { MessagePdu } from '../../src/smpp/pdu.ts'
import type { Delays } from '../delays.ts'
import type { SendReply } from '../phones/phones.ts'
import type { FaultState } from './fault-state.ts'
import { writeReply } from './replies.ts'
import type { SmscSession } from './smsc-session.ts'
import type { SmscStats } from './stats.ts'

/** The most unanswered receipts and replies per bind. As with real carriers, the client gets no more until it answers. */
const WINDOW_MAX = 500
const RESEND_DELAY_MS = 1_000

/** A receipt or a reply on its way to a client. */
export interface Delivery {
  readonly kind: 'receipt' | 'reply'
  /** The bind that must not get this delivery. */
  readonly avoid: SmscSession | undefined
  toPdu(sequence: number): MessagePdu
}

/** One client by its system_id: its binds, and the receipts and replies that it has not answered. */
export class SystemAccount {
  readonly systemId: string
  readonly sessions = new Set<SmscSession>()
  /** A session that was cut still counts as bound until this time. */
  ghostUntil = 0
  readonly #queue = new Fifo<Delivery>()
  readonly #faults: FaultState
  readonly #delays: Delays
  readonly #stats: SmscStats
  #receivers: SmscSession[] = []
  #turn = 0

  constructor(systemId: string, { faults, delays, stats }: { faults: FaultState; delays: Delays; stats: SmscStats }) {
    this.systemId = systemId
    this.#faults = faults
    this.#delays = delays
    this.#stats = stats
  }

  get hasReceiver(): boolean {
    return this.#receivers.length > 0
  }

  get waitingCount(): number {
    return this.#queue.size
  }

  join(session: SmscSession): void {
    this.sessions.add(session)
    session.account = this
    if (!session.canReceive) return
    this.#receivers.push(session)
    this.#pump()
  }

  /** The unanswered deliveries of the session go to the other binds, or to the next bind, before all others. */
  leave(session: SmscSession): void {
    if (!this.sessions.delete(session)) return
    session.account = undefined
    session.canSubmit = false
    session.canReceive = false
    this.#receivers = this.#receivers.filter((other) => other !== session)
    this.#stats.resent += session.unanswered.size
    this.#queue.pushFront(session.unanswered.values())
    session.unanswered.clear()
    this.#pump()
  }

  deliver(delivery: Delivery): void {
    this.#queue.push(delivery)
    this.#pump()
  }

  /** A bound function, since phones keep it. The reply waits while no receiver is bound. */
  readonly sendReply: SendReply = (reply) => {
    for (const part of writeReply(reply, this.#faults.conduct)) this.deliver(part)
    return true
  }

  settle(delivery: Delivery, status: number): void {
    if (status === STATUSES.ESME_ROK) this.#count(delivery, 'Acknowledged')
    // SMPP 3.4, paragraph 5.1.3: the client refuses it for good.
    else if (status === STATUSES.ESME_RX_P_APPN || status === STATUSES.ESME_RX_R_APPN) this.#stats.givenUp++
    else this.#delays.run(RESEND_DELAY_MS, () => this.#resend(delivery))
    this.#pump()
  }

  #resend(delivery: Delivery): void {
    this.#stats.resent++
    this.deliver(delivery)
  }

  #pump(): void {
    for (let next = this.#queue.first; next; next = this.#queue.first) {
      const session = this.#findReceiver(next.avoid)
      if (!session) return
      this.#queue.shift()
      this.#count(next, 'Sent')
      session.deliver(next)
    }
  }

  /** Receivers take turns. */
  #findReceiver(avoid: SmscSession | undefined): SmscSession | undefined {
    const { length } = this.#receivers
    for (let tries = 0; tries < length; tries++) {
      this.#turn = (this.#turn + 1) % length
      const session = this.#receivers[this.#turn]
      if (session && session !== avoid && session.unanswered.size < WINDOW_MAX) return session
    }
    return undefined
  }

  #count({ kind }: Delivery, what: 'Sent' | 'Acknowledged'): void {
    if (kind === 'receipt') this.#stats[`receipts${what}`]++
    else this.#stats[`replies${what}`]++
  }
}

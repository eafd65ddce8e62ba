import { STATUSES } from '../../smpp/commands.ts'
import { type DataPdu, type MessageAnswerPdu, type MessagePdu, NO_TLVS } from '../../smpp/pdu.ts'

/** Stores what came in. The peer is answered once it settles. */
export type InboundHandler = (pdu: MessagePdu | DataPdu) => Promise<void>

/** Past this many unanswered, no more is read; about 1 MB of them. */
const UNANSWERED_MAX = 1_000
/** Reading goes on from here, so that it does not stop and start for each. */
const UNANSWERED_RESUME = 500
/** Carriers repeat a message that is unanswered for about a minute; before that, answer that storing failed. */
const HANDLER_TIMEOUT_MS = 30_000

/** Not the PDU itself: it would keep the whole chunk that it came in. */
interface Unanswered {
  command: 'deliver_sm_resp' | 'data_sm_resp'
  sequence: number
  untilMs: number
}

/** What the peer handed us and waits for the answer to. Answers leave in the order that the handler settles in. */
export class InboundPending {
  readonly #unanswered = new Set<Unanswered>()
  readonly #handle: InboundHandler
  readonly #answer: (answer: MessageAnswerPdu) => void
  readonly #onFailure: (error: unknown) => void

  constructor(options: {
    handle: InboundHandler
    answer: (answer: MessageAnswerPdu) => void
    onFailure: (error: unknown) => void
  }) {
    this.#handle = options.handle
    this.#answer = options.answer
    this.#onFailure = options.onFailure
  }

  get count(): number {
    return this.#unanswered.size
  }

  get isFull(): boolean {
    return this.#unanswered.size > UNANSWERED_MAX
  }

  get hasRoom(): boolean {
    return this.#unanswered.size <= UNANSWERED_RESUME
  }

  add(pdu: MessagePdu | DataPdu): void {
    const unanswered: Unanswered = {
      command: pdu.command === 'data_sm' ? 'data_sm_resp' : 'deliver_sm_resp',
      sequence: pdu.sequence,
      untilMs: performance.now() + HANDLER_TIMEOUT_MS
    }
    this.#unanswered.add(unanswered)
    let handled: Promise<void>
    try {
      handled = this.#handle(pdu)
    } catch (error) {
      handled = Promise.reject(error)
    }
    handled.then(
      () => this.#settle(unanswered, STATUSES.ESME_ROK),
      (error) => {
        this.#onFailure(error)
        // Temporary: the carrier keeps it and sends it again.
        this.#settle(unanswered, STATUSES.ESME_RX_T_APPN)
      }
    )
  }

  sweep(nowMs: number): void {
    for (const unanswered of this.#unanswered) {
      if (unanswered.untilMs > nowMs) break
      this.#onFailure(new Error('It was not stored in time.'))
      this.#settle(unanswered, STATUSES.ESME_RX_T_APPN)
    }
  }

  /** The session is over: what settles from now on is not answered. The carrier sends it again. */
  close(): void {
    this.#unanswered.clear()
  }

  #settle(unanswered: Unanswered, status: number): void {
    if (!this.#unanswered.delete(unanswered)) return
    const { command, sequence } = unanswered
    this.#answer({ command, status, sequence, messageId: '', tlvs: NO_TLVS })
  }
}

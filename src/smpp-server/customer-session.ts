import type { Socket } from 'node:net'
import type { Log } from '../http/log.ts'
import { COMMAND_IDS, isAnswer, STATUSES, TLV_TAGS } from '../smpp/commands.ts'
import { Link } from '../smpp/link.ts'
import { type BindPdu, type CancelPdu, type KnownPdu, NO_TLVS, type Pdu, type QueryPdu } from '../smpp/pdu.ts'
import { ProtocolError } from '../smpp/protocol-error.ts'
import { Sequence } from '../smpp/sequence.ts'
import type { BindMode } from '../smpp-outbox/binds.store.ts'
import type { BindCredential } from './credentials.store.ts'
import type { DeliveryPdu } from './delivery-pdus.ts'
import type { SubmitPdu } from './read-submit.ts'
import type { ServerTimings } from './timings.ts'

/*
 * One connection of a customer: open → binding → bound → closing → closed, and from each of them to closed at any time.
 * Closing is after an unbind of either side: nothing new is taken, answers that are due still leave.
 */

/** A bind that was granted. */
export interface GrantedBind {
  id: string
  mode: BindMode
  credential: BindCredential
  interfaceVersion: number
}

/** What the server does for its sessions. */
export interface SessionHost {
  /** The bind, or the status that refuses it. */
  bind(session: CustomerSession, pdu: BindPdu): Promise<GrantedBind | number>
  /** The answer to a submit. Never rejects. */
  submit(session: CustomerSession, bind: GrantedBind, pdu: SubmitPdu): Promise<KnownPdu>
  /** The same for query_sm and cancel_sm. */
  ask(session: CustomerSession, bind: GrantedBind, pdu: QueryPdu | CancelPdu): Promise<KnownPdu>
  /** A bind has room for another delivery. */
  onRoom(): void
  onClose(session: CustomerSession, reason: string): void
}

/** Called with the status of the answer, or without one when the session ended before. */
type OnAnswer = (status: number | undefined) => void

interface PendingDelivery {
  onAnswer: OnAnswer
  sentAtMs: number
}

const SYSTEM_ID = 'chappe'
const VERSION_5 = 0x50
const VERSION_3_4 = 0x34
/** Of 3.4 and older, which have no optional parameters in a bind's answer before 3.4. */
const VERSION_MIN_WITH_TLVS = 0x34

export class CustomerSession {
  readonly address: string
  readonly isEncrypted: boolean
  /** Undefined until it is bound. */
  bind: GrantedBind | undefined
  readonly #host: SessionHost
  readonly #timings: ServerTimings
  readonly #log: Log
  readonly #link: Link
  readonly #openedAtMs = performance.now()
  readonly #deliveries = new Map<number, PendingDelivery>()
  readonly #sequence = new Sequence(this.#deliveries)
  #state: 'open' | 'binding' | 'bound' | 'closing' | 'closed' = 'open'
  /** Requests of the client whose answers are due. */
  #due = 0
  /** PDUs since the last tick. */
  #heardCount = 0
  #fullSinceMs: number | undefined
  #enquiredAtMs: number | undefined
  #closeAtMs = Number.POSITIVE_INFINITY
  #closeReason = ''

  constructor({
    socket,
    address,
    isEncrypted,
    host,
    timings,
    log
  }: {
    socket: Socket
    address: string
    isEncrypted: boolean
    host: SessionHost
    timings: ServerTimings
    log: Log
  }) {
    this.address = address
    this.isEncrypted = isEncrypted
    this.#host = host
    this.#timings = timings
    this.#log = log
    this.#link = new Link({
      socket,
      mayWrite: () => true,
      onPdu: (pdu) => this.#onPdu(pdu),
      onWrite: () => undefined,
      onDrain: () => this.#onDrain(),
      onClose: (reason) => this.#onClose(reason)
    })
  }

  get isClosed(): boolean {
    return this.#state === 'closed'
  }

  /** Whether requests of the client still wait for their answers. */
  get isBusy(): boolean {
    return this.#due > 0
  }

  /** How many receipts and replies may be sent now. */
  get room(): number {
    if (this.#state !== 'bound' || !this.bind || this.bind.mode === 'transmitter' || this.#link.isFull) return 0
    return Math.max(0, this.bind.credential.windowMax - this.#deliveries.size)
  }

  deliver(pdu: DeliveryPdu, onAnswer: OnAnswer) {
    if (this.#state !== 'bound') return onAnswer(undefined)
    const sequence = this.#sequence.next()
    try {
      this.#link.send({ ...pdu, sequence })
    } catch (error) {
      // A bug of ours. It is tried again later, and must not hold up the deliveries behind it.
      this.#log.error({ err: error }, 'deliver_sm cannot be encoded')
      return onAnswer(STATUSES.ESME_RUNKNOWNERR)
    }
    this.#deliveries.set(sequence, { onAnswer, sentAtMs: performance.now() })
  }

  /** Asks the client to go, and closes when it has answered, or soon. */
  unbind(reason: string) {
    if (this.#state === 'closed' || this.#state === 'closing') return
    if (this.#state !== 'bound') return this.#link.close(reason)
    this.#state = 'closing'
    this.#closeReason = reason
    this.#closeAtMs = performance.now() + this.#timings.unbindTimeoutMs
    this.#link.send({ command: 'unbind', status: 0, sequence: this.#sequence.next() })
  }

  destroy(reason: string) {
    this.#link.close(reason)
  }

  /** Keeps the deadlines, and reads on; called four times a second. */
  tick() {
    this.#heardCount = 0
    this.#link.resume()
    const now = performance.now()
    const { bindTimeoutMs, enquireLinkMs, answerTimeoutMs, unreadTimeoutMs } = this.#timings
    if (now > this.#closeAtMs) return this.#link.close(this.#closeReason)
    if (this.#state === 'open' || this.#state === 'binding') {
      if (now - this.#openedAtMs > bindTimeoutMs) this.#link.close('no bind in time')
      return
    }
    this.#fullSinceMs = this.#link.isFull ? (this.#fullSinceMs ?? now) : undefined
    if (this.#fullSinceMs !== undefined && now - this.#fullSinceMs > unreadTimeoutMs) {
      return this.#link.close('the client does not read')
    }
    const [oldest] = this.#deliveries.values()
    if (oldest && now - oldest.sentAtMs > answerTimeoutMs) return this.#link.close('the client does not answer')
    const silentMs = now - this.#link.heardAtMs
    if (silentMs < enquireLinkMs || this.#link.isPaused) {
      this.#enquiredAtMs = undefined
      return
    }
    if (this.#enquiredAtMs === undefined) {
      this.#enquiredAtMs = now
      this.#link.send({ command: 'enquire_link', status: 0, sequence: this.#sequence.next() })
    } else if (now - this.#enquiredAtMs > enquireLinkMs) this.#link.close('the client is silent')
  }

  #onPdu(pdu: Pdu | ProtocolError) {
    if (++this.#heardCount > HEARD_MAX) this.#link.pause()
    if (pdu instanceof ProtocolError) return this.#onProtocolError(pdu)
    switch (pdu.command) {
      case 'bind_receiver':
      case 'bind_transmitter':
      case 'bind_transceiver':
        return void this.#onBind(pdu)
      case 'enquire_link':
        return this.#link.send({ command: 'enquire_link_resp', status: 0, sequence: pdu.sequence })
      case 'deliver_sm_resp':
      case 'data_sm_resp':
        return this.#onAnswer(pdu.sequence, pdu.status)
      case 'generic_nack':
        // A client that can't read our PDU will not read it the next time either; it is tried again later all the same.
        return this.#onAnswer(pdu.sequence, pdu.status === 0 ? STATUSES.ESME_RUNKNOWNERR : pdu.status)
      case 'unbind':
        return this.#onUnbind(pdu.sequence)
      case 'unbind_resp':
        if (this.#state === 'closing') this.#closeSoon()
        return
      case 'submit_sm':
      case 'submit_multi':
      case 'data_sm':
      case 'query_sm':
      case 'cancel_sm':
      case 'replace_sm':
        return this.#onRequest(pdu as SubmitPdu | QueryPdu | CancelPdu | { command: 'replace_sm'; sequence: number })
      case 'unknown':
        return this.#onUnknown(pdu.commandId, pdu.sequence)
      default:
        if (!isAnswer(COMMAND_IDS[pdu.command])) this.#nack(pdu.sequence, STATUSES.ESME_RINVCMDID)
    }
  }

  async #onBind(pdu: BindPdu) {
    if (this.#state !== 'open') {
      const status = this.#state === 'bound' ? STATUSES.ESME_RALYBND : STATUSES.ESME_RINVBNDSTS
      return this.#answerBind(pdu, status)
    }
    this.#state = 'binding'
    const granted = await this.#host.bind(this, pdu)
    // The link may be lost meanwhile; its bind is given back by the host.
    if (this.isClosed) return
    if (typeof granted === 'number') {
      this.#state = 'open'
      this.#answerBind(pdu, granted)
      this.#closeSoon()
      return
    }
    this.bind = granted
    this.#state = 'bound'
    this.#answerBind(pdu, STATUSES.ESME_ROK)
    this.#host.onRoom()
  }

  #answerBind({ command, sequence, interfaceVersion }: BindPdu, status: number) {
    const version = interfaceVersion >= VERSION_5 ? VERSION_5 : VERSION_3_4
    const isGranted = status === STATUSES.ESME_ROK
    const hasTlvs = isGranted && interfaceVersion >= VERSION_MIN_WITH_TLVS
    const tlvs = hasTlvs ? new Map([[TLV_TAGS.sc_interface_version as number, Buffer.of(version)]]) : NO_TLVS
    this.#link.send({ command: `${command}_resp`, status, sequence, systemId: isGranted ? SYSTEM_ID : '', tlvs })
  }

  #onRequest(pdu: SubmitPdu | QueryPdu | CancelPdu | { command: 'replace_sm'; sequence: number }) {
    const { bind } = this
    if (this.#state !== 'bound' || !bind || bind.mode === 'receiver') {
      return this.#link.send(refusalOf(pdu, STATUSES.ESME_RINVBNDSTS))
    }
    if (pdu.command === 'replace_sm') return this.#link.send(refusalOf(pdu, STATUSES.ESME_RREPLACEFAIL))
    // The window of the client: what it sends beyond is refused at once, and holds no memory.
    if (this.#due >= bind.credential.windowMax) return this.#link.send(refusalOf(pdu, STATUSES.ESME_RTHROTTLED))
    const answering =
      pdu.command === 'query_sm' || pdu.command === 'cancel_sm'
        ? this.#host.ask(this, bind, pdu)
        : this.#host.submit(this, bind, pdu)
    this.#due++
    void answering.then((answer) => {
      this.#due--
      if (!this.isClosed) this.#link.send(answer)
    })
  }

  #onAnswer(sequence: number, status: number) {
    const delivery = this.#deliveries.get(sequence)
    if (!delivery) return
    this.#deliveries.delete(sequence)
    delivery.onAnswer(status)
    this.#host.onRoom()
  }

  #onUnbind(sequence: number) {
    this.#link.send({ command: 'unbind_resp', status: 0, sequence })
    if (this.#state === 'closed') return
    this.#state = 'closing'
    this.#closeSoon()
  }

  #onUnknown(commandId: number, sequence: number) {
    if (!isAnswer(commandId)) this.#nack(sequence, STATUSES.ESME_RINVCMDID)
  }

  #onProtocolError({ answer, commandId, sequence, isFatal, message }: ProtocolError) {
    this.#log.debug({ address: this.address, reason: message }, 'PDU of an SMPP client cannot be read')
    if (answer) this.#link.send(answer)
    else if (!isAnswer(commandId)) this.#nack(sequence, STATUSES.ESME_RINVCMDLEN)
    else this.#onAnswer(sequence, STATUSES.ESME_RUNKNOWNERR)
    if (!isFatal) return
    this.#link.flush()
    this.#link.close(message)
  }

  #nack(sequence: number, status: number) {
    this.#link.send({ command: 'generic_nack', status, sequence })
  }

  /** After the answers that are due have left. */
  #closeSoon() {
    if (this.isClosed) return
    this.#closeReason ||= 'unbound'
    const limit = performance.now() + this.#timings.unbindTimeoutMs
    const look = () => {
      if (this.isClosed) return
      if (this.#due > 0 && performance.now() < limit) return void setTimeout(look, CLOSE_LOOK_MS).unref()
      this.#link.flush()
      // The bytes are with the system; the client reads them before it sees the end.
      setTimeout(() => this.#link.close(this.#closeReason), CLOSE_LOOK_MS).unref()
    }
    look()
  }

  #onDrain() {
    this.#link.resume()
    this.#host.onRoom()
  }

  #onClose(reason: string) {
    this.#state = 'closed'
    const unanswered = [...this.#deliveries.values()]
    this.#deliveries.clear()
    for (const { onAnswer } of unanswered) onAnswer(undefined)
    this.#host.onClose(this, reason)
  }
}

const CLOSE_LOOK_MS = 20
/** PDUs that are read between two ticks. A flood of them must not take the time of all other binds. */
const HEARD_MAX = 5_000

/** The answer that refuses a request. */
export function refusalOf(pdu: { command: string; sequence: number }, status: number): KnownPdu {
  const { command, sequence } = pdu
  switch (command) {
    case 'submit_multi':
      return { command: 'submit_multi_resp', status, sequence, messageId: '', unsuccessful: [] }
    case 'data_sm':
      return { command: 'data_sm_resp', status, sequence, messageId: '', tlvs: NO_TLVS }
    case 'query_sm':
      return { command: 'query_sm_resp', status, sequence, messageId: '', finalDate: '', messageState: 0, errorCode: 0 }
    case 'cancel_sm':
      return { command: 'cancel_sm_resp', status, sequence }
    case 'replace_sm':
      return { command: 'replace_sm_resp', status, sequence }
    default:
      return { command: 'submit_sm_resp', status, sequence, messageId: '', tlvs: NO_TLVS }
  }
}

import type { Log } from '../../http/log.ts'
import { COMMAND_IDS, isAnswer, STATUSES, statusName } from '../../smpp/commands.ts'
import { Link, type PduTap } from '../../smpp/link.ts'
import { type BarePdu, type BindAnswerPdu, type KnownPdu, type MessagePdu, NO_TLVS, type Pdu } from '../../smpp/pdu.ts'
import { ProtocolError } from '../../smpp/protocol-error.ts'
import { Sequence, type SequencesInUse } from '../../smpp/sequence.ts'
import { type ControlCommand, type ControlRequest, ControlRequests } from './control-requests.ts'
import { type InboundHandler, InboundPending } from './inbound-pending.ts'
import { openSocket, type Peer } from './open-socket.ts'
import { type SubmitAnswer, SubmitsPending, type SubmitWaiter } from './submits-pending.ts'

/*
 * One connection to a carrier: opening → bound → closing → closed, and from each of them to closed at any time. Closing
 * is after an unbind of either side: nothing new is sent, answers that are due still come. A closed session stays
 * closed: its bind opens a new one.
 *
 * PDUs are gathered during a turn of the event loop and leave in one write. Deadlines are kept by one timer for all: a
 * timer for each PDU would cost more than the PDU.
 */

export interface SessionOptions {
  peer: Peer
  mode: 'transceiver' | 'transmitter' | 'receiver'
  systemId: string
  password: string
  systemType: string
  answerTimeoutMs: number
  /** Of silence, after which the link is asked whether it is there. */
  enquireLinkMs: number
  /** To connect, and again to bind. */
  openTimeoutMs: number
  /** How long a late answer is still understood. */
  lateAnswersMs: number
  /** For the answers that are due before our unbind, for the answer to it, and for the peer to close after its own. */
  unbindTimeoutMs: number
  /** Asked right before each write. False ends the session without writing. */
  mayWrite(): boolean
  /** The socket is open; the bind is on its way. */
  onBinding(): void
  onInbound: InboundHandler
  /** Submits may be written again, after the socket was full. */
  onWritable(): void
  tap?: PduTap
  /** For tests that begin near the end of the numbers. */
  firstSequence?: number
  log: Log
}

/** The carrier would not bind us. */
export class BindRefused extends Error {
  readonly status: string

  constructor(status: string) {
    super(`The carrier refused the bind: ${status}.`)
    this.name = 'BindRefused'
    this.status = status
  }
}

/** As SMPP 3.4 is called in a bind. */
const INTERFACE_VERSION = 0x34
/** Of the shortest interval: deadlines are kept to a tenth. */
const TICKS_PER_INTERVAL = 20
const TICK_MS_MIN = 5
const TICK_MS_MAX = 500
/** A tick that comes this late found the process stopped, not just busy. */
const STALL_TICKS = 5
/** Of enquireLinkMs, to answer in: asked after one interval, a dead link is found before two are over. */
const ENQUIRE_ANSWER_SHARE = 0.75

export class SmppSession {
  readonly #options: SessionOptions
  readonly #log: Log
  readonly #submits: SubmitsPending
  readonly #inbound: InboundPending
  readonly #controls = new ControlRequests()
  readonly #sequence: Sequence
  readonly #link: Link
  readonly #tickMs: number
  readonly #ticks: NodeJS.Timeout
  readonly #opened = Promise.withResolvers<void>()
  readonly #closed = Promise.withResolvers<string>()
  #state: 'opening' | 'bound' | 'closing' | 'closed' = 'opening'
  #openUntilMs: number
  #drainUntilMs = Number.POSITIVE_INFINITY
  #closeUntilMs = Number.POSITIVE_INFINITY
  /** Logged together: with a database away, it is each message that comes in. */
  #unstored = { count: 0, error: undefined as unknown }
  #isUnbindSent = false
  /** The peer has sent unbind: only answers to our submits may still come. */
  #isPeerDone = false
  #tickedAtMs = performance.now()

  /** Connects at once. */
  constructor(options: SessionOptions) {
    this.#options = options
    this.#log = options.log
    this.#submits = new SubmitsPending(options)
    this.#inbound = new InboundPending({
      handle: options.onInbound,
      answer: (answer) => this.#answerInbound(answer),
      onFailure: (error) => {
        this.#unstored = { count: this.#unstored.count + 1, error }
      }
    })
    this.#sequence = new Sequence(this.#sequencesInUse(), options.firstSequence)
    this.#openUntilMs = performance.now() + options.openTimeoutMs
    // The session never opened: nothing may wait for it.
    this.#opened.promise.catch(() => undefined)
    this.#link = new Link({
      socket: openSocket(options.peer, () => this.#onOpen()),
      ...(options.tap && { tap: options.tap }),
      mayWrite: options.mayWrite,
      onPdu: (pdu) => this.#onPdu(pdu),
      onWrite: () => this.#submits.markWritten(),
      onDrain: () => this.#onDrain(),
      onClose: (reason) => this.#onClose(reason)
    })
    this.#tickMs = tickMs(options)
    this.#ticks = setInterval(() => this.#tick(), this.#tickMs)
  }

  /** Settles when bound; rejects, with a BindRefused when the carrier said no, when that did not work. */
  get opened(): Promise<void> {
    return this.#opened.promise
  }

  /** Settles with the reason when it is over. */
  get closed(): Promise<string> {
    return this.#closed.promise
  }

  get isBound(): boolean {
    return this.#state === 'bound'
  }

  /** Whether a submit would leave in this turn of the event loop. */
  get canSubmit(): boolean {
    return this.#state === 'bound' && !this.#link.isFull
  }

  /** Gives the PDU its number. Throws, and sends nothing, when it can't be encoded. */
  submit(pdu: MessagePdu, waiter: SubmitWaiter): void {
    if (!this.canSubmit) {
      waiter.onNoAnswer('unwritten')
      return
    }
    pdu.sequence = this.#sequence.next()
    this.#link.send(pdu)
    this.#submits.add(pdu.sequence, waiter)
  }

  /** Waits, but not long, for the answers that either side owes the other; then unbinds and closes. */
  async close(): Promise<void> {
    if (this.#state === 'opening') this.destroy('Closed while opening.')
    if (this.#state === 'bound') {
      this.#state = 'closing'
      this.#drainUntilMs = performance.now() + this.#options.unbindTimeoutMs
      this.#unbindOnceDrained()
    }
    await this.#closed.promise
  }

  /** Ends it at once: nothing is written any more, and all that waits is settled. */
  destroy(reason: string): void {
    this.#link.close(reason)
  }

  #onClose(reason: string): void {
    this.#state = 'closed'
    clearInterval(this.#ticks)
    this.#opened.reject(new Error(reason))
    this.#closed.resolve(reason)
    this.#controls.clear()
    this.#inbound.close()
    this.#submits.close()
    this.#logUnstored()
  }

  #sequencesInUse(): SequencesInUse {
    const [submits, controls] = [this.#submits, this.#controls]
    return {
      has: (sequence) => submits.has(sequence) || controls.has(sequence),
      get size() {
        return submits.size + controls.size
      }
    }
  }

  #onOpen(): void {
    try {
      this.#bind()
      this.#options.onBinding()
    } catch (error) {
      // The systemId or the password does not fit a PDU. The message names the field, not its value.
      this.destroy(error instanceof Error ? error.message : String(error))
    }
  }

  #bind(): void {
    const { mode, systemId, password, systemType, openTimeoutMs } = this.#options
    this.#request('bind', openTimeoutMs, (sequence) => ({
      command: `bind_${mode}`,
      status: 0,
      sequence,
      systemId,
      password,
      systemType,
      interfaceVersion: INTERFACE_VERSION,
      addrTon: 0,
      addrNpi: 0,
      addressRange: '',
      tlvs: NO_TLVS
    }))
    this.#openUntilMs = Number.POSITIVE_INFINITY
  }

  #unbindOnceDrained(): void {
    if (this.#inbound.count === 0 && this.#submits.count === 0) this.#unbind()
  }

  #unbind(): void {
    if (this.#isUnbindSent) return
    this.#isUnbindSent = true
    this.#request('unbind', this.#options.unbindTimeoutMs, (sequence) => ({ command: 'unbind', status: 0, sequence }))
  }

  #request(command: ControlCommand, timeoutMs: number, toPdu: (sequence: number) => KnownPdu): void {
    const sequence = this.#sequence.next()
    this.#link.send(toPdu(sequence))
    this.#controls.add(command, sequence, timeoutMs)
  }

  #onDrain(): void {
    if (this.#inbound.hasRoom) this.#link.resume()
    if (this.canSubmit) this.#options.onWritable()
  }

  #onPdu(pdu: Pdu | ProtocolError): void {
    if (pdu instanceof ProtocolError) {
      this.#onProtocolError(pdu)
      return
    }
    switch (pdu.command) {
      case 'submit_sm_resp':
        this.#onSubmitAnswer(pdu)
        return
      case 'deliver_sm':
      case 'data_sm':
        this.#inbound.add(pdu)
        if (this.#inbound.isFull && !this.#link.isPaused) this.#link.pause()
        return
      case 'enquire_link':
        this.#link.send({ command: 'enquire_link_resp', status: STATUSES.ESME_ROK, sequence: pdu.sequence })
        return
      case 'enquire_link_resp':
        this.#controls.settle(pdu.sequence)
        return
      case 'bind_receiver_resp':
      case 'bind_transmitter_resp':
      case 'bind_transceiver_resp':
        if (this.#controls.settle(pdu.sequence) === 'bind') this.#onBindAnswer(pdu)
        return
      case 'unbind_resp':
        if (this.#controls.settle(pdu.sequence) === 'unbind') this.destroy('Unbound.')
        return
      case 'unbind':
        this.#onUnbind(pdu.sequence)
        return
      case 'generic_nack':
        this.#onNack(pdu)
        return
      case 'unknown':
        this.#onUnknown(pdu.commandId, pdu.sequence)
        return
      case 'submit_multi':
      case 'query_sm':
      case 'cancel_sm':
      case 'replace_sm':
        this.#nack(pdu.sequence, STATUSES.ESME_RINVCMDID)
        return
      default:
        this.#log.debug({ command: pdu.command }, 'a PDU that is not expected in this state')
        if (!isAnswer(COMMAND_IDS[pdu.command])) this.#nack(pdu.sequence, STATUSES.ESME_RINVBNDSTS)
    }
  }

  #onSubmitAnswer(answer: SubmitAnswer): void {
    if (!this.#submits.answer(answer)) {
      this.#log.debug({ sequence: answer.sequence }, 'an answer without a request')
    }
    if (this.#state === 'closing') this.#unbindOnceDrained()
  }

  #onBindAnswer({ status }: BindAnswerPdu | BarePdu): void {
    if (status !== STATUSES.ESME_ROK) {
      this.#opened.reject(new BindRefused(statusName(status)))
      this.destroy(`The bind was refused: ${statusName(status)}.`)
      return
    }
    if (this.#state !== 'opening') return
    this.#state = 'bound'
    this.#opened.resolve()
  }

  /** Answers to our submits may still follow: the peer closes, or our patience ends. */
  #onUnbind(sequence: number): void {
    this.#link.send({ command: 'unbind_resp', status: STATUSES.ESME_ROK, sequence })
    this.#state = 'closing'
    this.#isUnbindSent = true // Theirs will do.
    this.#isPeerDone = true
    this.#closeUntilMs = performance.now() + this.#options.unbindTimeoutMs
  }

  #onNack(nack: BarePdu): void {
    const command = this.#controls.settle(nack.sequence)
    if (!command) this.#onSubmitAnswer(nack)
    if (command === 'bind') this.#onBindAnswer(nack)
    if (command === 'unbind') this.destroy('Unbound.')
    // An enquire_link that was refused was heard: the link is there.
  }

  #onUnknown(commandId: number, sequence: number): void {
    // Paragraphs 4.1.7 and 4.12.1: these two have no answer.
    if (commandId === COMMAND_IDS.alert_notification || commandId === COMMAND_IDS.outbind) return
    if (!isAnswer(commandId)) this.#nack(sequence, STATUSES.ESME_RINVCMDID)
  }

  #nack(sequence: number, status: number): void {
    this.#link.send({ command: 'generic_nack', status, sequence })
  }

  #onProtocolError(error: ProtocolError): void {
    this.#log.warn({ reason: error.message, commandId: error.commandId }, 'the carrier sent a PDU that cannot be read')
    if (error.answer) this.#link.send(error.answer)
    if (error.commandId === COMMAND_IDS.submit_sm_resp) this.#submits.giveUp(error.sequence)
    if (!error.isFatal) return
    this.#link.flush()
    this.destroy(error.message)
  }

  #answerInbound(answer: KnownPdu): void {
    this.#link.send(answer)
    if (this.#inbound.hasRoom) this.#link.resume()
    if (this.#state === 'closing') this.#unbindOnceDrained()
  }

  #tick(): void {
    const nowMs = performance.now()
    this.#forgiveDeafness(nowMs)
    this.#submits.sweep(nowMs)
    this.#inbound.sweep(nowMs)
    if (nowMs >= this.#openUntilMs) this.destroy('It did not connect in time.')
    if (nowMs >= this.#drainUntilMs) this.#unbind()
    const isOver = this.#isPeerDone && this.#submits.count === 0
    if (isOver || nowMs >= this.#closeUntilMs) this.destroy('It was unbound.')
    for (const request of this.#controls.overdue(nowMs)) this.#onSilence(request, nowMs)
    this.#enquire(nowMs)
    this.#logUnstored()
  }

  #logUnstored(): void {
    const { count, error } = this.#unstored
    if (count === 0) return
    this.#log.warn({ err: error, count }, 'inbound messages were not stored; the carrier keeps them')
    this.#unstored = { count: 0, error: undefined }
  }

  /** Time in which we did not read, or did not run at all, does not count against the peer: its bytes still wait. */
  #forgiveDeafness(nowMs: number): void {
    const elapsedMs = nowMs - this.#tickedAtMs
    this.#tickedAtMs = nowMs
    const isStalled = elapsedMs > STALL_TICKS * this.#tickMs
    if (!this.#link.isPaused && !isStalled) return
    this.#submits.postpone(elapsedMs)
    this.#link.heardAtMs += elapsedMs
    this.#controls.postpone(elapsedMs)
  }

  #onSilence({ command, sequence }: ControlRequest, nowMs: number): void {
    const isThere = command === 'enquire_link' && nowMs - this.#link.heardAtMs < this.#options.enquireLinkMs
    // Any PDU proves that the peer is there; some peers never answer enquire_link.
    if (isThere) this.#controls.settle(sequence)
    else this.destroy(`The carrier did not answer ${command}.`)
  }

  #enquire(nowMs: number): void {
    const { enquireLinkMs } = this.#options
    if (this.#state !== 'bound' || this.#controls.size > 0 || nowMs - this.#link.heardAtMs < enquireLinkMs) return
    this.#request('enquire_link', enquireLinkMs * ENQUIRE_ANSWER_SHARE, (sequence) => ({
      command: 'enquire_link',
      status: 0,
      sequence
    }))
  }
}

function tickMs({ answerTimeoutMs, enquireLinkMs }: SessionOptions): number {
  const shortestMs = Math.min(answerTimeoutMs, enquireLinkMs)
  return Math.min(TICK_MS_MAX, Math.max(TICK_MS_MIN, shortestMs / TICKS_PER_INTERVAL))
}

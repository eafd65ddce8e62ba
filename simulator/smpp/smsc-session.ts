import type { Socket } from 'node:net'
import { COMMAND_IDS, isAnswer, STATUSES } from '../../src/smpp/commands.ts'
import { PduReader } from '../../src/smpp/decode.ts'
import { PduWriter } from '../../src/smpp/encode.ts'
import { HEADER_BYTES } from '../../src/smpp/field-reader.ts'
import type { BindPdu, KnownPdu, MessageAnswerPdu, MessagePdu, Pdu } from '../../src/smpp/pdu.ts'
import { ProtocolError } from '../../src/smpp/protocol-error.ts'
import { Sequence } from '../../src/smpp/sequence.ts'
import type { Delivery, SystemAccount } from './system-account.ts'

/** A message_payload has up to 65,535 octets. */
const PDU_BYTES_MAX = 70_000

export interface SessionEvents {
  onBind(pdu: BindPdu): void
  onSubmit(pdu: MessagePdu): void
  onLinkAnswer(): void
  onDeliveryAnswer(delivery: Delivery, status: number): void
  onClose(): void
}

/** One connection of a client. It reads PDUs, and joins all PDUs of one turn of the event loop into one write. */
export class SmscSession {
  /** Undefined until bound, and again once unbound. */
  account: SystemAccount | undefined
  canSubmit = false
  canReceive = false
  isClosed = false
  /** Receipts and replies that the client has not answered, by sequence number. */
  readonly unanswered = new Map<number, Delivery>()
  readonly #socket: Socket
  readonly #events: SessionEvents
  readonly #reader = new PduReader({ pduBytesMax: PDU_BYTES_MAX })
  readonly #writer = new PduWriter()
  readonly #sequence = new Sequence(this.unanswered)
  #isSilent = false
  #isFlushDue = false
  #isClosing = false

  constructor(socket: Socket, events: SessionEvents) {
    this.#socket = socket
    this.#events = events
    socket.setNoDelay(true)
    socket.on('data', (chunk: Buffer) => this.#read(chunk))
    socket.on('drain', () => this.#isSilent || socket.resume())
    socket.on('error', () => socket.destroy()) // The client disconnected without an unbind; `close` follows.
    socket.on('close', () => {
      this.isClosed = true
      events.onClose()
    })
  }

  write(pdu: KnownPdu): void {
    if (this.isClosed) return
    this.#writer.write(pdu)
    if (this.#isFlushDue) return
    this.#isFlushDue = true
    setImmediate(() => this.#flush())
  }

  deliver(delivery: Delivery): void {
    const sequence = this.#sequence.next()
    this.unanswered.set(sequence, delivery)
    this.write(delivery.toPdu(sequence))
  }

  /** Half-open: the connection exists, but no data passes in either direction. */
  setSilent(isSilent: boolean): void {
    if (isSilent === this.#isSilent || this.isClosed) return
    this.#isSilent = isSilent
    if (isSilent) {
      this.#socket.pause()
      return
    }
    this.#socket.resume()
    this.#flush()
  }

  /** Resets the connection (RST): data under way in both directions is lost. */
  reset(): void {
    this.isClosed = true
    this.#socket.resetAndDestroy()
  }

  /** Closes the connection after all data is sent. */
  close(): void {
    this.#isClosing = true
    if (!this.#isFlushDue) this.#flush()
  }

  unbind(): void {
    this.write({ command: 'unbind', status: STATUSES.ESME_ROK, sequence: this.#sequence.next() })
  }

  enquire(): void {
    this.write({ command: 'enquire_link', status: STATUSES.ESME_ROK, sequence: this.#sequence.next() })
  }

  /** Sends bytes that are no PDU. */
  garble(): void {
    this.#flush()
    if (!this.isClosed && !this.#isSilent && !this.#isClosing) this.#socket.write(Buffer.alloc(HEADER_BYTES, 0xff))
  }

  destroy(): void {
    this.#socket.destroy()
  }

  #flush(): void {
    this.#isFlushDue = false
    if (this.isClosed || this.#isSilent || this.#socket.writableEnded) return
    // Stops reading from a client that does not read its answers, until it has taken the waiting ones.
    if (this.#writer.bytes > 0 && !this.#socket.write(this.#writer.take())) this.#socket.pause()
    if (this.#isClosing) this.#socket.end()
  }

  #read(chunk: Buffer): void {
    for (const pdu of this.#reader.push(chunk)) {
      // A fault or an unbind may end the link in the middle of the chunk. The rest of the chunk is ignored.
      if (this.isClosed || this.#isClosing) return
      if (pdu instanceof ProtocolError) this.#refuse(pdu)
      else this.#handle(pdu)
    }
  }

  #handle(pdu: Pdu): void {
    switch (pdu.command) {
      case 'submit_sm':
        this.#events.onSubmit(pdu)
        break
      case 'deliver_sm_resp':
        this.#settle(pdu)
        break
      case 'enquire_link':
        this.write({ command: 'enquire_link_resp', status: STATUSES.ESME_ROK, sequence: pdu.sequence })
        break
      case 'enquire_link_resp':
        this.#events.onLinkAnswer()
        break
      case 'bind_receiver':
      case 'bind_transmitter':
      case 'bind_transceiver':
        this.#events.onBind(pdu)
        break
      case 'unbind':
        this.write({ command: 'unbind_resp', status: STATUSES.ESME_ROK, sequence: pdu.sequence })
        this.#leave()
        break
      case 'unbind_resp':
        this.#leave()
        break
      default: {
        const commandId = pdu.command === 'unknown' ? pdu.commandId : COMMAND_IDS[pdu.command]
        if (!isAnswer(commandId)) this.#nack(pdu.sequence)
      }
    }
  }

  #settle({ sequence, status }: MessageAnswerPdu): void {
    const delivery = this.unanswered.get(sequence)
    if (!delivery) return
    this.unanswered.delete(sequence)
    this.#events.onDeliveryAnswer(delivery, status)
  }

  #leave(): void {
    this.account?.leave(this)
    this.close()
  }

  #refuse({ answer, isFatal }: ProtocolError): void {
    if (answer) this.write(answer)
    if (isFatal) this.close()
  }

  #nack(sequence: number): void {
    this.write({ command: 'generic_nack', status: STATUSES.ESME_RINVCMDID, sequence })
  }
}

import type { Socket } from 'node:net'
import { PduReader } from './decode.ts'
import { PduWriter } from './encode.ts'
import type { KnownPdu, Pdu } from './pdu.ts'
import type { ProtocolError } from './protocol-error.ts'

/** Looks at every PDU that passes, while it is on. */
export interface PduTap {
  readonly isOn: boolean
  see(direction: 'in' | 'out', pdu: Pdu | KnownPdu | ProtocolError): void
}

interface LinkOptions {
  socket: Socket
  tap?: PduTap
  /** Asked right before each write. False closes the link without writing. */
  mayWrite(): boolean
  onPdu(pdu: Pdu | ProtocolError): void
  /** All PDUs that were sent so far are about to be written. */
  onWrite(): void
  /** The socket was full, and takes more again. */
  onDrain(): void
  onClose(reason: string): void
}

/** The longest message_payload, with all that may be around it. */
const PDU_BYTES_MAX = 70_000
const NO_TAP: PduTap = { isOn: false, see: () => undefined }
/** Unwritten answers up to which more is read: a peer that does not read must not fill our memory. */
const UNWRITTEN_BYTES_MAX = 262_144

/**
 * PDUs over a socket. PDUs of one turn of the event loop leave in one write, and none leave while the socket is full.
 * Reading can be paused, and pauses itself while the peer sends without reading.
 */
export class Link {
  /** By the monotonic clock, when something came last. */
  heardAtMs = performance.now()
  readonly #options: LinkOptions
  readonly #socket: Socket
  readonly #tap: PduTap
  readonly #reader = new PduReader({ pduBytesMax: PDU_BYTES_MAX })
  readonly #writer = new PduWriter()
  #willFlush = false
  #isFull = false
  #isPaused = false
  #isClosed = false

  constructor(options: LinkOptions) {
    this.#options = options
    this.#socket = options.socket
    this.#tap = options.tap ?? NO_TAP
    this.#socket.on('data', (chunk) => this.#read(chunk as Buffer)) // A string only where an encoding was set.
    this.#socket.on('drain', () => this.#drain())
    this.#socket.on('error', (error) => this.close(error.message))
    this.#socket.on('end', () => this.close('The other side closed the connection.'))
    this.#socket.on('close', () => this.close('The connection closed.'))
  }

  /** The socket does not take more, because the peer does not read. */
  get isFull(): boolean {
    return this.#isFull
  }

  get isPaused(): boolean {
    return this.#isPaused
  }

  /** Throws, and sends nothing, when the PDU can't be encoded. */
  send(pdu: KnownPdu): void {
    this.#writer.write(pdu)
    if (this.#tap.isOn) this.#tap.see('out', pdu)
    if (this.#willFlush) return
    this.#willFlush = true
    // Not a microtask: PDUs that other sockets and promises of this turn add leave in the same write.
    setImmediate(() => {
      this.#willFlush = false
      this.flush()
    })
  }

  flush(): void {
    if (this.#isClosed || this.#isFull || this.#writer.bytes === 0) return
    if (!this.#options.mayWrite()) {
      this.close('The bind is not ours any more.')
      return
    }
    this.#options.onWrite()
    this.#isFull = !this.#socket.write(this.#writer.take())
  }

  pause(): void {
    this.#isPaused = true
    this.#socket.pause()
  }

  /** Reads on, unless the peer does not read our answers. */
  resume(): void {
    if (!this.#isPaused || this.#writer.bytes > UNWRITTEN_BYTES_MAX) return
    this.#isPaused = false
    this.heardAtMs = performance.now()
    this.#socket.resume()
  }

  /** At once: PDUs that are not written yet are dropped. */
  close(reason: string): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#socket.destroy()
    this.#options.onClose(reason)
  }

  #read(chunk: Buffer): void {
    this.heardAtMs = performance.now()
    for (const pdu of this.#reader.push(chunk)) {
      if (this.#isClosed) return
      if (this.#tap.isOn) this.#tap.see('in', pdu)
      this.#options.onPdu(pdu)
    }
    if (this.#writer.bytes > UNWRITTEN_BYTES_MAX) this.pause()
  }

  #drain(): void {
    this.#isFull = false
    this.flush()
    this.#options.onDrain()
  }
}

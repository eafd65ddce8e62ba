import { COMMAND_IDS, isAnswer, STATUSES } from './commands.ts'
import { type KnownPdu, NO_TLVS, type Tlvs } from './pdu.ts'
import { ProtocolError } from './protocol-error.ts'

/** command_length, command_id, command_status and sequence_number: SMPP 3.4, paragraph 3.2. */
export const HEADER_BYTES = 16
const TLV_HEADER_BYTES = 4
/** The longest string of the specification, a message_id, has 64 characters; carriers were seen to send 65. */
const STRING_CHARACTERS_MAX = 65

/** Reads the fields of one PDU in their order, within its bounds; throws a ProtocolError where they do not fit. */
export class FieldReader {
  commandId = 0
  status = 0
  sequence = 0
  #buffer: Buffer = Buffer.alloc(0)
  #at = 0
  #end = 0

  /** Goes to a PDU that is whole, and past its header. One object for all PDUs: this is read 10,000 times a second. */
  begin(buffer: Buffer, start: number, end: number): this {
    this.commandId = readUint32(buffer, start + 4)
    this.status = readUint32(buffer, start + 8)
    this.sequence = readUint32(buffer, start + 12)
    this.#buffer = buffer
    this.#at = start + HEADER_BYTES
    this.#end = end
    return this
  }

  uint8(): number {
    if (this.#at >= this.#end) throw this.wrong('The body is cut short.', STATUSES.ESME_RINVCMDLEN)
    return this.#buffer[this.#at++] ?? 0
  }

  string(field: string): string {
    const text = this.#findString()
    if (text === undefined) throw this.wrong(`${field} has no end.`, STATUSES.ESME_RINVCMDLEN)
    return text
  }

  /** The only string of an answer. Empty when there is no body, or when the answer is a failure with a broken one. */
  answerString(field: string): string {
    if (this.#at >= this.#end) return ''
    if (this.status === STATUSES.ESME_ROK) return this.string(field)
    const text = this.#findString()
    if (text === undefined) this.#at = this.#end
    return text ?? ''
  }

  #findString(): string | undefined {
    const buffer = this.#buffer
    const start = this.#at
    const last = Math.min(this.#end - 1, start + STRING_CHARACTERS_MAX)
    for (let at = start; at <= last; at++) {
      if (buffer[at] !== 0) continue
      this.#at = at + 1
      return at === start ? '' : buffer.toString('latin1', start, at)
    }
    return undefined
  }

  shortMessage(): Buffer {
    const length = this.uint8()
    const start = this.#at
    if (start + length > this.#end) throw this.wrong('sm_length is past the end.', STATUSES.ESME_RINVMSGLEN)
    this.#at = start + length
    return this.#buffer.subarray(start, this.#at)
  }

  /** Everything to the end. */
  tlvs(): Tlvs {
    if (this.#end - this.#at < TLV_HEADER_BYTES) return NO_TLVS
    const tlvs = new Map<number, Buffer>()
    let at = this.#at
    while (this.#end - at >= TLV_HEADER_BYTES) {
      const tag = readUint16(this.#buffer, at)
      const start = at + TLV_HEADER_BYTES
      at = start + readUint16(this.#buffer, at + 2)
      if (at > this.#end) {
        if (isAnswer(this.commandId)) break
        throw this.wrong(`TLV 0x${tag.toString(16)} is cut short.`, STATUSES.ESME_RINVOPTPARSTREAM)
      }
      tlvs.set(tag, this.#buffer.subarray(start, at))
    }
    return tlvs
  }

  wrong(reason: string, status: number): ProtocolError {
    const { commandId, sequence } = this
    return new ProtocolError(reason, {
      sequence,
      commandId,
      answer: refuse(commandId, sequence, status),
      isFatal: false
    })
  }
}

/** The answer to a request that can't be read. */
function refuse(commandId: number, sequence: number, status: number): KnownPdu | undefined {
  switch (commandId) {
    case COMMAND_IDS.deliver_sm:
      return { command: 'deliver_sm_resp', status, sequence, messageId: '', tlvs: NO_TLVS }
    case COMMAND_IDS.submit_sm:
      return { command: 'submit_sm_resp', status, sequence, messageId: '', tlvs: NO_TLVS }
    case COMMAND_IDS.data_sm:
      return { command: 'data_sm_resp', status, sequence, messageId: '', tlvs: NO_TLVS }
    case COMMAND_IDS.bind_receiver:
      return { command: 'bind_receiver_resp', status, sequence, systemId: '', tlvs: NO_TLVS }
    case COMMAND_IDS.bind_transmitter:
      return { command: 'bind_transmitter_resp', status, sequence, systemId: '', tlvs: NO_TLVS }
    case COMMAND_IDS.bind_transceiver:
      return { command: 'bind_transceiver_resp', status, sequence, systemId: '', tlvs: NO_TLVS }
    case COMMAND_IDS.submit_multi:
      return { command: 'submit_multi_resp', status, sequence, messageId: '', unsuccessful: [] }
    case COMMAND_IDS.query_sm:
      return { command: 'query_sm_resp', status, sequence, messageId: '', finalDate: '', messageState: 0, errorCode: 0 }
    case COMMAND_IDS.cancel_sm:
      return { command: 'cancel_sm_resp', status, sequence }
    default:
      return undefined
  }
}

function readUint16(buffer: Buffer, at: number): number {
  return ((buffer[at] ?? 0) << 8) | (buffer[at + 1] ?? 0)
}

export function readUint32(buffer: Buffer, at: number): number {
  return ((readUint16(buffer, at) << 16) | readUint16(buffer, at + 2)) >>> 0
}

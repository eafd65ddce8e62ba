import { strict as assert } from 'node:assert'
import { COMMAND_IDS, STATUSES } from './commands.ts'
import { FieldReader, HEADER_BYTES, readUint32 } from './field-reader.ts'
import type {
  BindAnswerPdu,
  BindPdu,
  CancelPdu,
  DataPdu,
  MessageAnswerPdu,
  MessagePdu,
  MultiDestination,
  MultiPdu,
  Pdu,
  QueryPdu
} from './pdu.ts'
import { ProtocolError } from './protocol-error.ts'

/*
 * Bytes to PDUs. A PDU that can't be read is a value in the list and not an exception: the PDUs before and after it in the
 * same chunk are good, and none of them may get lost.
 *
 * More is read than the specification allows, where carriers are known to differ and nothing can be misread:
 *  - an answer without a body, or an answer of failure with a broken body: status and sequence are in the header;
 *  - strings longer than their field allows, up to 65 characters; each must have its end;
 *  - one to three bytes after the last TLV, and in an answer also a TLV that is cut short: the message_id before it is whole;
 *  - short_message of 255 octets, any esm_class, any data_coding.
 */

const NO_BYTES: Buffer = Buffer.alloc(0)

/**
 * Cuts a stream into PDUs, wherever its chunks are cut. Of the stream it keeps at most one PDU that is not yet whole.
 */
export class PduReader {
  readonly #pduBytesMax: number
  readonly #fields = new FieldReader()
  /** Room for the header of a PDU that came in part, then for the whole PDU. */
  #kept: Buffer = NO_BYTES
  #keptBytes = 0
  #lost: ProtocolError | undefined

  constructor({ pduBytesMax }: { pduBytesMax: number }) {
    assert(pduBytesMax >= HEADER_BYTES, 'a PDU has room for its header')
    this.#pduBytesMax = pduBytesMax
  }

  /**
   * The PDUs that end in this chunk, in order. Their Buffers are views of the chunk: they hold until the chunk is
   * written to, and a Buffer that is kept keeps the whole chunk in memory. Copy everything that has to last.
   */
  push(chunk: Buffer): (Pdu | ProtocolError)[] {
    const pdus: (Pdu | ProtocolError)[] = []
    let at = this.#keptBytes > 0 ? this.#complete(chunk, pdus) : 0
    while (!this.#lost && chunk.length - at >= HEADER_BYTES) {
      const bytes = this.#pduBytes(chunk, at)
      if (bytes === undefined || bytes > chunk.length - at) break
      pdus.push(this.#decode(chunk, at, bytes))
      at += bytes
    }
    if (this.#lost) pdus.push(this.#lost)
    else if (at < chunk.length) this.#keep(chunk, at)
    return pdus
  }

  /** Adds the missing bytes to the PDU that came in part. Answers how much of the chunk that took. */
  #complete(chunk: Buffer, pdus: (Pdu | ProtocolError)[]): number {
    let at = 0
    for (;;) {
      const copied = chunk.copy(this.#kept, this.#keptBytes, at)
      this.#keptBytes += copied
      at += copied
      if (this.#keptBytes < this.#kept.length) return at
      const bytes = this.#pduBytes(this.#kept, 0)
      if (bytes === undefined) return at
      if (bytes === this.#kept.length) break
      this.#kept = enlarge(this.#kept, bytes)
    }
    pdus.push(this.#decode(this.#kept, 0, this.#kept.length))
    this.#kept = NO_BYTES
    this.#keptBytes = 0
    return at
  }

  #keep(chunk: Buffer, at: number): void {
    const left = chunk.length - at
    const bytes = left < HEADER_BYTES ? HEADER_BYTES : this.#pduBytes(chunk, at)
    assert(bytes !== undefined && bytes > left, 'only the beginning of a PDU is kept')
    this.#kept = Buffer.allocUnsafe(bytes)
    this.#keptBytes = chunk.copy(this.#kept, 0, at)
  }

  /**
   * The command_length of the PDU whose header is here, or undefined, and the stream is lost, when it can't be true.
   */
  #pduBytes(buffer: Buffer, at: number): number | undefined {
    const bytes = readUint32(buffer, at)
    if (bytes >= HEADER_BYTES && bytes <= this.#pduBytesMax) return bytes
    // Under 16, what stands where the sequence would be belongs to something else.
    const isHeader = bytes >= HEADER_BYTES
    const sequence = isHeader ? readUint32(buffer, at + 12) : 0
    this.#lost = new ProtocolError(`command_length is ${bytes}, and may be ${HEADER_BYTES} to ${this.#pduBytesMax}.`, {
      sequence,
      commandId: isHeader ? readUint32(buffer, at + 4) : 0,
      answer: { command: 'generic_nack', status: STATUSES.ESME_RINVCMDLEN, sequence },
      isFatal: true
    })
    this.#kept = NO_BYTES
    this.#keptBytes = 0
    return undefined
  }

  #decode(buffer: Buffer, at: number, bytes: number): Pdu | ProtocolError {
    try {
      return decodePdu(this.#fields.begin(buffer, at, at + bytes))
    } catch (error) {
      if (error instanceof ProtocolError) return error
      throw error
    }
  }
}

function enlarge(kept: Buffer, bytes: number): Buffer {
  const larger = Buffer.allocUnsafe(bytes)
  kept.copy(larger)
  return larger
}

function decodePdu(fields: FieldReader): Pdu {
  const { commandId, status, sequence } = fields
  switch (commandId) {
    case COMMAND_IDS.submit_sm_resp:
      return decodeMessageAnswer(fields, 'submit_sm_resp')
    case COMMAND_IDS.deliver_sm:
      return decodeMessage(fields, 'deliver_sm')
    case COMMAND_IDS.submit_sm:
      return decodeMessage(fields, 'submit_sm')
    case COMMAND_IDS.deliver_sm_resp:
      return decodeMessageAnswer(fields, 'deliver_sm_resp')
    case COMMAND_IDS.enquire_link:
      return { command: 'enquire_link', status, sequence }
    case COMMAND_IDS.enquire_link_resp:
      return { command: 'enquire_link_resp', status, sequence }
    case COMMAND_IDS.generic_nack:
      return { command: 'generic_nack', status, sequence }
    case COMMAND_IDS.unbind:
      return { command: 'unbind', status, sequence }
    case COMMAND_IDS.unbind_resp:
      return { command: 'unbind_resp', status, sequence }
    case COMMAND_IDS.data_sm:
      return decodeData(fields)
    case COMMAND_IDS.data_sm_resp:
      return decodeMessageAnswer(fields, 'data_sm_resp')
    case COMMAND_IDS.bind_receiver:
      return decodeBind(fields, 'bind_receiver')
    case COMMAND_IDS.bind_transmitter:
      return decodeBind(fields, 'bind_transmitter')
    case COMMAND_IDS.bind_transceiver:
      return decodeBind(fields, 'bind_transceiver')
    case COMMAND_IDS.bind_receiver_resp:
      return decodeBindAnswer(fields, 'bind_receiver_resp')
    case COMMAND_IDS.bind_transmitter_resp:
      return decodeBindAnswer(fields, 'bind_transmitter_resp')
    case COMMAND_IDS.bind_transceiver_resp:
      return decodeBindAnswer(fields, 'bind_transceiver_resp')
    case COMMAND_IDS.submit_multi:
      return decodeMulti(fields)
    case COMMAND_IDS.query_sm:
      return decodeQuery(fields)
    case COMMAND_IDS.cancel_sm:
      return decodeCancel(fields)
    case COMMAND_IDS.replace_sm:
      return { command: 'replace_sm', status, sequence }
    default:
      return { command: 'unknown', commandId, status, sequence }
  }
}

// The fields of an object literal are evaluated in the order they are written, which is their order on the wire.

function decodeBind(fields: FieldReader, command: BindPdu['command']): BindPdu {
  return {
    command,
    status: fields.status,
    sequence: fields.sequence,
    systemId: fields.string('system_id'),
    password: fields.string('password'),
    systemType: fields.string('system_type'),
    interfaceVersion: fields.uint8(),
    addrTon: fields.uint8(),
    addrNpi: fields.uint8(),
    addressRange: fields.string('address_range'),
    tlvs: fields.tlvs()
  }
}

function decodeMessage(fields: FieldReader, command: MessagePdu['command']): MessagePdu {
  return {
    command,
    status: fields.status,
    sequence: fields.sequence,
    serviceType: fields.string('service_type'),
    sourceAddrTon: fields.uint8(),
    sourceAddrNpi: fields.uint8(),
    sourceAddr: fields.string('source_addr'),
    destAddrTon: fields.uint8(),
    destAddrNpi: fields.uint8(),
    destinationAddr: fields.string('destination_addr'),
    esmClass: fields.uint8(),
    protocolId: fields.uint8(),
    priorityFlag: fields.uint8(),
    scheduleDeliveryTime: fields.string('schedule_delivery_time'),
    validityPeriod: fields.string('validity_period'),
    registeredDelivery: fields.uint8(),
    replaceIfPresentFlag: fields.uint8(),
    dataCoding: fields.uint8(),
    smDefaultMsgId: fields.uint8(),
    shortMessage: fields.shortMessage(),
    tlvs: fields.tlvs()
  }
}

function decodeMulti(fields: FieldReader): MultiPdu {
  return {
    command: 'submit_multi',
    status: fields.status,
    sequence: fields.sequence,
    serviceType: fields.string('service_type'),
    sourceAddrTon: fields.uint8(),
    sourceAddrNpi: fields.uint8(),
    sourceAddr: fields.string('source_addr'),
    destinations: decodeDestinations(fields),
    esmClass: fields.uint8(),
    protocolId: fields.uint8(),
    priorityFlag: fields.uint8(),
    scheduleDeliveryTime: fields.string('schedule_delivery_time'),
    validityPeriod: fields.string('validity_period'),
    registeredDelivery: fields.uint8(),
    replaceIfPresentFlag: fields.uint8(),
    dataCoding: fields.uint8(),
    smDefaultMsgId: fields.uint8(),
    shortMessage: fields.shortMessage(),
    tlvs: fields.tlvs()
  }
}

/** Paragraph 5.2.25: 1 is a number, 2 a distribution list. */
function decodeDestinations(fields: FieldReader): MultiDestination[] {
  return Array.from({ length: fields.uint8() }, () => {
    const flag = fields.uint8()
    if (flag === 2) return { list: fields.string('dl_name') }
    if (flag !== 1) throw fields.wrong('dest_flag is neither 1 nor 2.', STATUSES.ESME_RINVDESTFLAG)
    return { ton: fields.uint8(), npi: fields.uint8(), address: fields.string('destination_addr') }
  })
}

function decodeQuery(fields: FieldReader): QueryPdu {
  return {
    command: 'query_sm',
    status: fields.status,
    sequence: fields.sequence,
    messageId: fields.string('message_id'),
    sourceAddrTon: fields.uint8(),
    sourceAddrNpi: fields.uint8(),
    sourceAddr: fields.string('source_addr')
  }
}

function decodeCancel(fields: FieldReader): CancelPdu {
  return {
    command: 'cancel_sm',
    status: fields.status,
    sequence: fields.sequence,
    serviceType: fields.string('service_type'),
    messageId: fields.string('message_id'),
    sourceAddrTon: fields.uint8(),
    sourceAddrNpi: fields.uint8(),
    sourceAddr: fields.string('source_addr'),
    destAddrTon: fields.uint8(),
    destAddrNpi: fields.uint8(),
    destinationAddr: fields.string('destination_addr')
  }
}

function decodeData(fields: FieldReader): DataPdu {
  return {
    command: 'data_sm',
    status: fields.status,
    sequence: fields.sequence,
    serviceType: fields.string('service_type'),
    sourceAddrTon: fields.uint8(),
    sourceAddrNpi: fields.uint8(),
    sourceAddr: fields.string('source_addr'),
    destAddrTon: fields.uint8(),
    destAddrNpi: fields.uint8(),
    destinationAddr: fields.string('destination_addr'),
    esmClass: fields.uint8(),
    registeredDelivery: fields.uint8(),
    dataCoding: fields.uint8(),
    tlvs: fields.tlvs()
  }
}

function decodeBindAnswer(fields: FieldReader, command: BindAnswerPdu['command']): BindAnswerPdu {
  const { status, sequence } = fields
  return { command, status, sequence, systemId: fields.answerString('system_id'), tlvs: fields.tlvs() }
}

function decodeMessageAnswer(fields: FieldReader, command: MessageAnswerPdu['command']): MessageAnswerPdu {
  const { status, sequence } = fields
  return { command, status, sequence, messageId: fields.answerString('message_id'), tlvs: fields.tlvs() }
}

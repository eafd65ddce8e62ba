import { strict as assert } from 'node:assert'
import { COMMAND_IDS } from './commands.ts'
import { HEADER_BYTES } from './field-reader.ts'
import type {
  BindAnswerPdu,
  BindPdu,
  DataPdu,
  KnownPdu,
  MessageAnswerPdu,
  MessagePdu,
  MultiAnswerPdu,
  QueryAnswerPdu,
  Tlvs
} from './pdu.ts'

/*
 * PDUs to bytes. A field that does not fit is a bug of ours: it throws, naming the field but never quoting it, since
 * one of them is a password. Strings are written as Latin-1, of which the specification's ASCII is the lower half.
 */

/** Octets of each string with its end, and of short_message: SMPP 3.4, chapter 4. */
const BYTES_MAX = {
  system_id: 16,
  password: 65, // The specification says 9; carriers hand out longer ones, and read them.
  system_type: 13,
  address_range: 41,
  service_type: 6,
  address: 21,
  data_sm_address: 65,
  time: 17,
  message_id: 65,
  short_message: 254,
  tlv: 0xffff
} as const

/** More than any header and mandatory part: the longest, submit_sm with everything in it, takes 364. */
const FIXED_BYTES_MAX = 512
/** About 400 submits. A block is let go once the socket has written all that was taken from it. */
const BLOCK_BYTES = 65_536

export function encodePdu(pdu: KnownPdu): Buffer {
  const writer = new PduWriter({ blockBytes: FIXED_BYTES_MAX })
  writer.write(pdu)
  return writer.take()
}

/** Encodes PDUs one after the other, so that all that are ready go out in one write. */
export class PduWriter {
  readonly #blockBytes: number
  #block: Buffer
  /** Bytes that were written and not taken are between these two. */
  #start = 0
  #end = 0

  constructor({ blockBytes = BLOCK_BYTES }: { blockBytes?: number } = {}) {
    this.#blockBytes = blockBytes
    this.#block = Buffer.allocUnsafeSlow(blockBytes)
  }

  /** Bytes written and not yet taken. */
  get bytes(): number {
    return this.#end - this.#start
  }

  /** One that throws leaves nothing behind: the end moves only when the PDU is whole. */
  write(pdu: KnownPdu): void {
    this.#reserve(FIXED_BYTES_MAX + variableBytes(pdu))
    const end = putPdu(this.#block, this.#end, pdu)
    assert(end <= this.#block.length, 'room was made before writing') // Past its end, a Buffer drops bytes without an error.
    this.#end = end
  }

  /** Everything since the last time. It stays valid: its bytes are never written again. */
  take(): Buffer {
    const taken = this.#block.subarray(this.#start, this.#end)
    this.#start = this.#end
    return taken
  }

  #reserve(bytes: number): void {
    if (this.#end + bytes <= this.#block.length) return
    const waiting = this.#block.subarray(this.#start, this.#end)
    // Twice the waiting bytes: a writer that is not emptied would else copy them again for each PDU.
    this.#block = Buffer.allocUnsafeSlow(Math.max(this.#blockBytes, 2 * (waiting.length + bytes)))
    this.#end = waiting.copy(this.#block)
    this.#start = 0
  }
}

function putPdu(block: Buffer, start: number, pdu: KnownPdu): number {
  const end = putBody(block, start + HEADER_BYTES, pdu)
  let at = putUint32(block, start, end - start, 'command_length')
  at = putUint32(block, at, COMMAND_IDS[pdu.command], 'command_id')
  at = putUint32(block, at, pdu.status, 'command_status')
  putUint32(block, at, pdu.sequence, 'sequence_number')
  return end
}

function putBody(block: Buffer, at: number, pdu: KnownPdu): number {
  switch (pdu.command) {
    case 'submit_sm':
    case 'deliver_sm':
      return putMessage(block, at, pdu)
    case 'submit_sm_resp':
    case 'deliver_sm_resp':
    case 'data_sm_resp':
      return putMessageAnswer(block, at, pdu)
    case 'data_sm':
      return putData(block, at, pdu)
    case 'bind_receiver':
    case 'bind_transmitter':
    case 'bind_transceiver':
      return putBind(block, at, pdu)
    case 'bind_receiver_resp':
    case 'bind_transmitter_resp':
    case 'bind_transceiver_resp':
      return putBindAnswer(block, at, pdu)
    case 'unbind':
    case 'unbind_resp':
    case 'enquire_link':
    case 'enquire_link_resp':
    case 'generic_nack':
    case 'cancel_sm_resp':
    case 'replace_sm_resp':
      return at
    case 'submit_multi_resp':
      return putMultiAnswer(block, at, pdu)
    case 'query_sm_resp':
      return putQueryAnswer(block, at, pdu)
    default:
      pdu satisfies never
      throw new Error('This PDU has no encoding.')
  }
}

function putBind(block: Buffer, start: number, pdu: BindPdu): number {
  let at = putString(block, start, pdu.systemId, 'system_id', BYTES_MAX.system_id)
  at = putString(block, at, pdu.password, 'password', BYTES_MAX.password)
  at = putString(block, at, pdu.systemType, 'system_type', BYTES_MAX.system_type)
  at = putUint8(block, at, pdu.interfaceVersion, 'interface_version')
  at = putUint8(block, at, pdu.addrTon, 'addr_ton')
  at = putUint8(block, at, pdu.addrNpi, 'addr_npi')
  at = putString(block, at, pdu.addressRange, 'address_range', BYTES_MAX.address_range)
  return putTlvs(block, at, pdu.tlvs)
}

function putBindAnswer(block: Buffer, start: number, pdu: BindAnswerPdu): number {
  if (pdu.status !== 0 && pdu.systemId === '' && pdu.tlvs.size === 0) return start
  const at = putString(block, start, pdu.systemId, 'system_id', BYTES_MAX.system_id)
  return putTlvs(block, at, pdu.tlvs)
}

function putMessage(block: Buffer, start: number, pdu: MessagePdu): number {
  let at = putAddresses(block, start, pdu, BYTES_MAX.address)
  at = putUint8(block, at, pdu.esmClass, 'esm_class')
  at = putUint8(block, at, pdu.protocolId, 'protocol_id')
  at = putUint8(block, at, pdu.priorityFlag, 'priority_flag')
  at = putString(block, at, pdu.scheduleDeliveryTime, 'schedule_delivery_time', BYTES_MAX.time)
  at = putString(block, at, pdu.validityPeriod, 'validity_period', BYTES_MAX.time)
  at = putUint8(block, at, pdu.registeredDelivery, 'registered_delivery')
  at = putUint8(block, at, pdu.replaceIfPresentFlag, 'replace_if_present_flag')
  at = putUint8(block, at, pdu.dataCoding, 'data_coding')
  at = putUint8(block, at, pdu.smDefaultMsgId, 'sm_default_msg_id')
  const { length } = pdu.shortMessage
  if (length > BYTES_MAX.short_message) throw tooLong('short_message', BYTES_MAX.short_message, length)
  at = putUint8(block, at, length, 'sm_length')
  at = putBytes(block, at, pdu.shortMessage)
  return putTlvs(block, at, pdu.tlvs)
}

function putData(block: Buffer, start: number, pdu: DataPdu): number {
  let at = putAddresses(block, start, pdu, BYTES_MAX.data_sm_address)
  at = putUint8(block, at, pdu.esmClass, 'esm_class')
  at = putUint8(block, at, pdu.registeredDelivery, 'registered_delivery')
  at = putUint8(block, at, pdu.dataCoding, 'data_coding')
  return putTlvs(block, at, pdu.tlvs)
}

/** How each message PDU begins: service type, source and destination. */
function putAddresses(block: Buffer, start: number, pdu: MessagePdu | DataPdu, addressBytesMax: number): number {
  let at = putString(block, start, pdu.serviceType, 'service_type', BYTES_MAX.service_type)
  at = putUint8(block, at, pdu.sourceAddrTon, 'source_addr_ton')
  at = putUint8(block, at, pdu.sourceAddrNpi, 'source_addr_npi')
  at = putString(block, at, pdu.sourceAddr, 'source_addr', addressBytesMax)
  at = putUint8(block, at, pdu.destAddrTon, 'dest_addr_ton')
  at = putUint8(block, at, pdu.destAddrNpi, 'dest_addr_npi')
  return putString(block, at, pdu.destinationAddr, 'destination_addr', addressBytesMax)
}

function putMessageAnswer(block: Buffer, start: number, pdu: MessageAnswerPdu): number {
  // Paragraph 4.4.2: no body in an error. Paragraph 4.6.2 makes no such exception for deliver_sm_resp.
  const mayBeBare = pdu.status !== 0 && pdu.command !== 'deliver_sm_resp'
  if (mayBeBare && pdu.messageId === '' && pdu.tlvs.size === 0) return start
  const at = putString(block, start, pdu.messageId, 'message_id', BYTES_MAX.message_id)
  return putTlvs(block, at, pdu.tlvs)
}

function putMultiAnswer(block: Buffer, start: number, pdu: MultiAnswerPdu): number {
  if (pdu.status !== 0) return start
  let at = putString(block, start, pdu.messageId, 'message_id', BYTES_MAX.message_id)
  at = putUint8(block, at, pdu.unsuccessful.length, 'no_unsuccess')
  for (const { ton, npi, address, status } of pdu.unsuccessful) {
    at = putUint8(block, at, ton, 'dest_addr_ton')
    at = putUint8(block, at, npi, 'dest_addr_npi')
    at = putString(block, at, address, 'destination_addr', BYTES_MAX.address)
    at = putUint32(block, at, status, 'error_status_code')
  }
  return at
}

function putQueryAnswer(block: Buffer, start: number, pdu: QueryAnswerPdu): number {
  if (pdu.status !== 0) return start
  let at = putString(block, start, pdu.messageId, 'message_id', BYTES_MAX.message_id)
  at = putString(block, at, pdu.finalDate, 'final_date', BYTES_MAX.time)
  at = putUint8(block, at, pdu.messageState, 'message_state')
  return putUint8(block, at, pdu.errorCode, 'error_code')
}

function putTlvs(block: Buffer, start: number, tlvs: Tlvs): number {
  if (tlvs.size === 0) return start
  let at = start
  for (const [tag, value] of tlvs) {
    assert(tag >= 0 && tag <= 0xffff, 'a TLV tag has 16 bits')
    if (value.length > BYTES_MAX.tlv) throw tooLong(`TLV 0x${tag.toString(16)}`, BYTES_MAX.tlv, value.length)
    block[at++] = tag >>> 8
    block[at++] = tag
    block[at++] = value.length >>> 8
    block[at++] = value.length
    at = putBytes(block, at, value)
  }
  return at
}

/** What a PDU may take beyond its mandatory part. */
function variableBytes(pdu: KnownPdu): number {
  if ('tlvs' in pdu) return tlvBytes(pdu.tlvs)
  return pdu.command === 'submit_multi_resp' ? pdu.unsuccessful.length * UNSUCCESSFUL_BYTES_MAX : 0
}

/** A type, a plan, an address and a status. */
const UNSUCCESSFUL_BYTES_MAX = 2 + BYTES_MAX.address + 4

function tlvBytes(tlvs: Tlvs): number {
  if (tlvs.size === 0) return 0
  let bytes = 0
  for (const value of tlvs.values()) bytes += 4 + value.length
  return bytes
}

function putUint8(block: Buffer, at: number, value: number, field: string): number {
  if ((value & 0xff) !== value) throw new Error(`${field} takes 0 to 255, not ${value}.`)
  block[at] = value
  return at + 1
}

function putUint32(block: Buffer, at: number, value: number, field: string): number {
  if (value >>> 0 !== value) throw new Error(`${field} takes 32 bits, not ${value}.`)
  block[at] = value >>> 24
  block[at + 1] = value >>> 16
  block[at + 2] = value >>> 8
  block[at + 3] = value
  return at + 4
}

function putString(block: Buffer, at: number, text: string, field: string, bytesMax: number): number {
  const { length } = text
  if (length >= bytesMax) throw tooLong(field, bytesMax - 1, length)
  // By hand, because for the 20 characters of an address Buffer.write spends more on the call than on the copy.
  for (let index = 0; index < length; index++) {
    const code = text.charCodeAt(index)
    // A NUL would end the string early and shift every field after it.
    if (code === 0 || code > 0xff) throw new Error(`${field} has a character that no SMPP string can hold.`)
    block[at + index] = code
  }
  block[at + length] = 0
  return at + length + 1
}

function putBytes(block: Buffer, at: number, bytes: Buffer): number {
  block.set(bytes, at)
  return at + bytes.length
}

function tooLong(field: string, max: number, length: number): Error {
  return new Error(`${field} takes at most ${max} octets, not ${length}.`)
}

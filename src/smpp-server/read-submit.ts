import { type STATUSES, type StatusName, TLV_TAGS } from '../smpp/commands.ts'
import { type DataPdu, type MessagePdu, type MultiPdu, messageBytes, type Tlvs } from '../smpp/pdu.ts'
import { WANTS } from '../smpp-outbox/outbox.store.ts'
import { type Coding, readCoding } from './codings.ts'
import { readElements, sarHeader } from './headers.ts'
import { StatusRefusal } from './statuses.ts'
import { readTime } from './times.ts'

/* What a submit_sm, submit_multi or data_sm asks for. Pure: nothing is looked up. */

export type SubmitPdu = (MessagePdu & { command: 'submit_sm' }) | MultiPdu | DataPdu

/** Without its text: what parts of a long message keep until it is complete. */
export interface SubmitFields {
  sender: string | undefined
  /** Numbers as the API reads them. */
  to: string[]
  coding: Coding
  flash: boolean
  /** In ISO 8601; undefined: now. */
  departsAt: string | undefined
  /** In ISO 8601. */
  validUntil: string | undefined
  isUrgent: boolean
  /** Bits of `WANTS`. */
  wants: number
  /** user_message_reference, which receipts repeat. */
  reference: number | undefined
  externalId: string | undefined
}

/** A part of a long text. */
export interface TextPart {
  reference: number
  total: number
  position: number
}

export interface Submit extends SubmitFields {
  /** The text or the data, without a header. A copy: it outlives the chunk that it came in. */
  body: Buffer
  /** The header of binary data. */
  header: Buffer
  part: TextPart | undefined
}

/** The customer's own id, up to 128 characters, in the range for vendors: SMPP 3.4, paragraph 5.3.2. */
const EXTERNAL_ID_TAG = 0x1501
const EXTERNAL_ID_LENGTH_MAX = 128
/** Up to so many segments are one message; see docs/limits.md. */
const PARTS_MAX = 10
/** What a short_message holds; a segment holds fewer. */
const PART_BYTES_MAX = 254
const YEAR_MS = 366 * 86_400_000
const TON_MAX = 6
const NPI_MAX = 18
const ADDRESS_LENGTH_MAX = 20
/** esm_class, paragraph 5.2.12: the bits of the message type, which a submit leaves at 0, and of the header. */
const ESM_TYPE_BITS = 0x3c
const ESM_UDHI = 0x40
const PRIORITY_MAX = 4
const URGENT_FROM = 2
/** registered_delivery, paragraph 5.2.17: bits that mean nothing. */
const REGISTERED_UNKNOWN_BITS = 0xe0

export function readSubmit(pdu: SubmitPdu, now: Date): Submit {
  const flags = readFlags(pdu)
  const { coding, flash } = readCoding(pdu.dataCoding)
  const bytes = readBytes(pdu)
  const sar = readSar(pdu.tlvs)
  const { header, body } = splitHeader(bytes, (pdu.esmClass & ESM_UDHI) !== 0)
  const elements = readElements(header)
  const isBinary = coding === 'binary'
  if (!isBinary && elements.isMore) throw new StatusRefusal('ESME_RINVESMCLASS', 'a text has a header of another use')
  const part = isBinary ? undefined : toPart(elements.part ?? sar)
  if (part && body.length > PART_BYTES_MAX) refuse('ESME_RINVMSGLEN', `a part has at most ${PART_BYTES_MAX} octets`)
  return {
    sender: readSource(pdu),
    to: readDestinations(pdu),
    coding,
    flash: flash || pdu.tlvs.get(TLV_TAGS.dest_addr_subunit)?.[0] === 1,
    ...readTimes(pdu, now),
    ...flags,
    reference: readUint(pdu.tlvs, TLV_TAGS.user_message_reference, 2),
    externalId: readExternalId(pdu.tlvs),
    body: Buffer.from(body),
    header: isBinary ? Buffer.from(sar && header.length === 0 ? sarHeader(sar) : header) : NO_BYTES,
    part
  }
}

const NO_BYTES = Buffer.alloc(0)

function toPart(part: TextPart | undefined): TextPart | undefined {
  if (!part || (part.total === 1 && part.position === 1)) return undefined
  const { total, position } = part
  if (total === 0 || position === 0 || position > total)
    refuse('ESME_RINVESMCLASS', 'the part is not one of its message')
  if (total > PARTS_MAX) refuse('ESME_RINVMSGLEN', `a message has at most ${PARTS_MAX} parts`)
  return part
}

function readBytes(pdu: SubmitPdu): Buffer {
  const hasPayload = pdu.tlvs.has(TLV_TAGS.message_payload)
  if (hasPayload && pdu.command !== 'data_sm' && pdu.shortMessage.length > 0) {
    refuse('ESME_RINVMSGLEN', 'the text is in short_message and in message_payload')
  }
  const bytes = messageBytes(pdu)
  if (bytes.length === 0) refuse('ESME_RINVMSGLEN', 'there is no text')
  return bytes
}

function splitHeader(bytes: Buffer, hasHeader: boolean): { header: Buffer; body: Buffer } {
  if (!hasHeader) return { header: NO_BYTES, body: bytes }
  const length = 1 + (bytes[0] ?? 0)
  if (length > bytes.length) refuse('ESME_RINVESMCLASS', 'the header is longer than the text')
  return { header: bytes.subarray(0, length), body: bytes.subarray(length) }
}

/** Paragraphs 5.3.2.22 to 5.3.2.24: all three, or none. */
function readSar(tlvs: Tlvs): TextPart | undefined {
  const reference = readUint(tlvs, TLV_TAGS.sar_msg_ref_num, 2)
  const total = readUint(tlvs, TLV_TAGS.sar_total_segments, 1)
  const position = readUint(tlvs, TLV_TAGS.sar_segment_seqnum, 1)
  if (reference === undefined && total === undefined && position === undefined) return undefined
  if (reference === undefined || total === undefined || position === undefined) {
    throw new StatusRefusal('ESME_RMISSINGOPTPARAM', 'one of the three sar parameters is missing')
  }
  return { reference, total, position }
}

function readUint(tlvs: Tlvs, tag: number, bytes: number): number | undefined {
  const value = tlvs.get(tag)
  if (value === undefined) return undefined
  if (value.length !== bytes) refuse('ESME_RINVPARLEN', `the parameter 0x${tag.toString(16)} has ${bytes} octets`)
  return value.readUIntBE(0, bytes)
}

function readExternalId(tlvs: Tlvs): string | undefined {
  const value = tlvs.get(EXTERNAL_ID_TAG)
  if (value === undefined) return undefined
  const text = value.toString('utf8').replace(/\0+$/, '')
  if (text === '' || text.length > EXTERNAL_ID_LENGTH_MAX || /[\0\ufffd]/.test(text)) {
    refuse('ESME_RINVOPTPARAMVAL', `the external id has 1 to ${EXTERNAL_ID_LENGTH_MAX} characters of UTF-8`)
  }
  return text
}

function readFlags(pdu: SubmitPdu): Pick<SubmitFields, 'isUrgent' | 'wants'> {
  if ((pdu.esmClass & ESM_TYPE_BITS) !== 0) refuse('ESME_RINVESMCLASS', 'esm_class is not that of a submit')
  if (pdu.registeredDelivery & REGISTERED_UNKNOWN_BITS) refuse('ESME_RINVREGDLVFLG', 'registered_delivery is unknown')
  const wants =
    (FINAL_WANTS[pdu.registeredDelivery & 3] ?? 0) | (pdu.registeredDelivery & 0x10 ? WANTS.intermediate : 0)
  if (pdu.command === 'data_sm') return { isUrgent: false, wants }
  if (pdu.priorityFlag > PRIORITY_MAX) refuse('ESME_RINVPRTFLG', 'priority_flag is 0 to 4')
  if (pdu.replaceIfPresentFlag !== 0) refuse('ESME_RINVREPFLAG', 'messages are not replaced')
  if (pdu.smDefaultMsgId !== 0) refuse('ESME_RINVDFTMSGID', 'there are no default messages')
  return { isUrgent: pdu.priorityFlag >= URGENT_FROM, wants }
}

/** Bits 1 and 0: none, success and failure, failure, success (SMPP 5.0). */
const FINAL_WANTS = [0, WANTS.success | WANTS.failure, WANTS.failure, WANTS.success]

function readTimes(pdu: SubmitPdu, now: Date): Pick<SubmitFields, 'departsAt' | 'validUntil'> {
  if (pdu.command === 'data_sm') return { departsAt: undefined, validUntil: undefined }
  const { scheduleDeliveryTime, validityPeriod } = pdu
  const scheduled = scheduleDeliveryTime === '' ? undefined : readTime(scheduleDeliveryTime, now)
  if (scheduleDeliveryTime !== '' && (!scheduled || scheduled.getTime() > now.getTime() + YEAR_MS)) {
    refuse('ESME_RINVSCHED', 'schedule_delivery_time is no time within a year')
  }
  const departsAt = scheduled && scheduled > now ? scheduled : undefined
  const validUntil = validityPeriod === '' ? undefined : readTime(validityPeriod, now)
  if (validityPeriod !== '' && (!validUntil || validUntil <= (departsAt ?? now))) {
    refuse('ESME_RINVEXPIRY', 'validity_period is no time after the departure')
  }
  return { departsAt: departsAt?.toISOString(), validUntil: validUntil?.toISOString() }
}

function readSource({ sourceAddrTon: ton, sourceAddrNpi: npi, sourceAddr }: SubmitPdu): string | undefined {
  if (ton > TON_MAX) refuse('ESME_RINVSRCTON', 'source_addr_ton is 0 to 6')
  if (npi > NPI_MAX) refuse('ESME_RINVSRCNPI', 'source_addr_npi is 0 to 18')
  const sender = sourceAddr.trim()
  if (sender === '') return undefined
  if (!/^[\x20-\x7e]{1,20}$/.test(sender)) refuse('ESME_RINVSRCADR', 'source_addr is no sender')
  return sender
}

function readDestinations(pdu: SubmitPdu): string[] {
  if (pdu.command !== 'submit_multi') {
    return [readNumber({ ton: pdu.destAddrTon, npi: pdu.destAddrNpi, address: pdu.destinationAddr })]
  }
  if (pdu.destinations.length === 0) refuse('ESME_RINVNUMDESTS', 'there is no destination')
  return pdu.destinations.map((destination) => {
    if ('list' in destination) throw new StatusRefusal('ESME_RINVDLNAME', 'there are no distribution lists')
    return readNumber(destination)
  })
}

/** International with a `+`. A number of unknown type is international unless it begins with 0 or +. */
export function readNumber({ ton, npi, address }: { ton: number; npi: number; address: string }): string {
  if (ton > TON_MAX) refuse('ESME_RINVDSTTON', 'dest_addr_ton is 0 to 6')
  if (npi > NPI_MAX) refuse('ESME_RINVDSTNPI', 'dest_addr_npi is 0 to 18')
  if (address.length > ADDRESS_LENGTH_MAX || !/^\+?\d+$/.test(address)) {
    refuse('ESME_RINVDSTADR', 'destination_addr is no number, such as 33639980013')
  }
  if (address.startsWith('+')) return address
  const isInternational = ton === 1 || (ton === 0 && !address.startsWith('0'))
  return isInternational ? `+${address}` : address
}

function refuse(status: StatusName & keyof typeof STATUSES, reason: string): never {
  throw new StatusRefusal(status, reason)
}

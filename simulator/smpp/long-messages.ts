import { countSegments, SEGMENT_SIZES, SEGMENT_SIZES_LONG_REFERENCE, splitSegments } from '../../src/gsm/segments.ts'
import { encodeText, isEncodable } from '../../src/smpp/alphabets.ts'
import { TLV_TAGS } from '../../src/smpp/commands.ts'
import { type MessagePdu, messageBytes, NO_TLVS, type Tlvs } from '../../src/smpp/pdu.ts'
import type { Conduct, ReplySplit } from './conduct.ts'

export interface Segment {
  reference: number
  /** From 1. */
  position: number
  total: number
}

/** The text of a PDU, as bytes, without the header that may stand before it. */
export interface SegmentBytes {
  bytes: Buffer
  /** Undefined for a message of one PDU. */
  segment: Segment | undefined
}

/** SMPP 3.4, paragraph 5.2.12: a user data header stands before the text. */
const ESM_CLASS_UDH = 0x40
/** 3GPP TS 23.040, paragraphs 9.2.3.24.1 and 9.2.3.24.8. */
const UDH_REFERENCE_8_BIT = 0x00
const UDH_REFERENCE_16_BIT = 0x08
/** 3GPP TS 23.038, chapter 4: the GSM alphabet, whatever the carrier's default is. */
const DATA_CODING_GSM = 0xf1
const NO_BYTES: Buffer = Buffer.alloc(0)

/** Reads the text and the segment header, in any of the forms of SMPP. The bytes are views of the PDU, not copies. */
export function readSegment(pdu: MessagePdu): SegmentBytes {
  const bytes = messageBytes(pdu)
  if (pdu.esmClass & ESM_CLASS_UDH) return readHeader(bytes)
  return { bytes, segment: pdu.tlvs.size > 0 ? readSarTlvs(pdu.tlvs) : undefined }
}

function readHeader(bytes: Buffer): SegmentBytes {
  const headerEnd = Math.min(bytes.length, 1 + (bytes[0] ?? 0))
  const text = bytes.subarray(headerEnd)
  for (let at = 1; at + 2 <= headerEnd; at += 2 + (bytes[at + 1] ?? 0)) {
    const [id, length] = [bytes[at], bytes[at + 1]]
    const isShort = id === UDH_REFERENCE_8_BIT && length === 3
    const isLong = id === UDH_REFERENCE_16_BIT && length === 4
    if ((!isShort && !isLong) || at + 2 + length > headerEnd) continue
    const reference = isShort ? bytes.readUInt8(at + 2) : bytes.readUInt16BE(at + 2)
    const totalAt = isShort ? at + 3 : at + 4
    return { bytes: text, segment: asSegment(reference, bytes.readUInt8(totalAt + 1), bytes.readUInt8(totalAt)) }
  }
  return { bytes: text, segment: undefined }
}

/** Paragraphs 5.3.2.22 to 5.3.2.24. */
function readSarTlvs(tlvs: Tlvs): Segment | undefined {
  const reference = tlvs.get(TLV_TAGS.sar_msg_ref_num)
  const position = tlvs.get(TLV_TAGS.sar_segment_seqnum)?.[0]
  const total = tlvs.get(TLV_TAGS.sar_total_segments)?.[0]
  if (reference?.length !== 2 || position === undefined || total === undefined) return undefined
  return asSegment(reference.readUInt16BE(), position, total)
}

/** A segment 1 of 1, or with a position past the total, is a whole message. */
function asSegment(reference: number, position: number, total: number): Segment | undefined {
  return total > 1 && position >= 1 && position <= total ? { reference, position, total } : undefined
}

/** The fields that differ between the PDUs of a message. */
export type SegmentFields = Pick<MessagePdu, 'esmClass' | 'dataCoding' | 'shortMessage' | 'tlvs'>

/** Splits a text into PDUs, in the carrier's alphabet if that has all its characters. */
export function writeSegments(text: string, { split, alphabet, reference }: Writing): SegmentFields[] {
  const { encoding, segments: total } = countSegments(text)
  const encode = (part: string) => (encoding === 'ucs2' ? encodeText(part, 'ucs2') : encodeShort(part, text, alphabet))
  if (total === 1 || split === 'payload') return [writeWhole(encode(text), total > 1)]
  const texts = splitSegments(text, split === 'udh16' ? SEGMENT_SIZES_LONG_REFERENCE : SEGMENT_SIZES)
  return texts.map((part, index) => {
    const { dataCoding, bytes } = encode(part)
    const segment = { reference, position: index + 1, total: texts.length }
    if (split === 'sar') return { esmClass: 0, dataCoding, shortMessage: bytes, tlvs: writeSarTlvs(segment) }
    const shortMessage = Buffer.concat([writeHeader(segment, split), bytes])
    return { esmClass: ESM_CLASS_UDH, dataCoding, shortMessage, tlvs: NO_TLVS }
  })
}

interface Writing {
  split: ReplySplit
  alphabet: Conduct['alphabet']
  reference: number
}

/** Encodes one octet per character: in the alphabet of data_coding 0, or otherwise in GSM with its own data_coding. */
function encodeShort(
  part: string,
  whole: string,
  alphabet: Conduct['alphabet']
): { dataCoding: number; bytes: Buffer } {
  if (alphabet === 'gsm') return encodeText(part, 'gsm')
  if (isEncodable(whole, 'latin1')) return { dataCoding: 0, bytes: encodeText(part, 'latin1').bytes }
  return { dataCoding: DATA_CODING_GSM, bytes: encodeText(part, 'gsm').bytes }
}

function writeWhole({ dataCoding, bytes }: { dataCoding: number; bytes: Buffer }, isLong: boolean): SegmentFields {
  if (!isLong) return { esmClass: 0, dataCoding, shortMessage: bytes, tlvs: NO_TLVS }
  return { esmClass: 0, dataCoding, shortMessage: NO_BYTES, tlvs: new Map([[TLV_TAGS.message_payload, bytes]]) }
}

function writeHeader({ reference, position, total }: Segment, split: 'udh' | 'udh16'): Buffer {
  if (split === 'udh') return Buffer.from([5, UDH_REFERENCE_8_BIT, 3, reference & 0xff, total, position])
  const [high, low] = [(reference >> 8) & 0xff, reference & 0xff]
  return Buffer.from([6, UDH_REFERENCE_16_BIT, 4, high, low, total, position])
}

function writeSarTlvs({ reference, position, total }: Segment): Tlvs {
  return new Map([
    [TLV_TAGS.sar_msg_ref_num, Buffer.from([(reference >> 8) & 0xff, reference & 0xff])],
    [TLV_TAGS.sar_total_segments, Buffer.from([total])],
    [TLV_TAGS.sar_segment_seqnum, Buffer.from([position])]
  ])
}

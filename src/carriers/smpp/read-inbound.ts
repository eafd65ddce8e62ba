import { databaseNow } from '../../database/clock.ts'
import { decodeText } from '../../smpp/alphabets.ts'
import { TLV_TAGS } from '../../smpp/commands.ts'
import { type DataPdu, type MessagePdu, messageBytes } from '../../smpp/pdu.ts'
import type { InboundMessage, Receipt } from '../carrier.ts'
import { isReceipt, parseReceipt } from './receipt-text.ts'
import type { SmppSettings } from './smpp-settings.ts'

/*
 * What a deliver_sm or data_sm holds: a receipt, a reply or one part of it, or nothing. All of it is read at once,
 * because the bytes of a PDU hold only as long as the chunk that it came in.
 */

export type Inbound =
  | { kind: 'receipt'; receipt: Receipt }
  | { kind: 'reply'; reply: InboundMessage }
  | { kind: 'nothing' }

type Profile = Pick<SmppSettings, 'name' | 'encoding'>
type Segment = NonNullable<InboundMessage['segment']>

/** SMPP 3.4, paragraph 5.2.12: the text begins with a header. */
const ESM_CLASS_UDHI = 0x40
/** 3GPP TS 23.040, paragraph 9.2.3.24: concatenation with a reference of 8 and of 16 bits. */
const ELEMENT_CONCATENATION = 0x00
const ELEMENT_CONCATENATION_16 = 0x08

export function readInbound(pdu: MessagePdu | DataPdu, profile: Profile): Inbound {
  if (isReceipt(pdu)) return { kind: 'receipt', receipt: toReceipt(pdu, profile) }
  const { body, segment } = cutHeader(pdu)
  if (body.length === 0) return { kind: 'nothing' }
  const text = decodeText(body, pdu.dataCoding, { defaultEncoding: profile.encoding })
  const reply = { carrier: profile.name, from: pdu.sourceAddr, to: pdu.destinationAddr, text }
  return { kind: 'reply', reply: segment ? { ...reply, segment } : reply }
}

function toReceipt(pdu: MessagePdu | DataPdu, { name }: Profile): Receipt {
  const { carrierMessageId, state, word, errorCode, doneAt } = parseReceipt(pdu)
  return {
    carrier: name,
    carrierMessageId: carrierMessageId ?? '',
    state,
    word,
    errorCode,
    source: pdu.sourceAddr,
    destination: pdu.destinationAddr,
    at: doneAt ?? databaseNow()
  }
}

function cutHeader(pdu: MessagePdu | DataPdu): { body: Buffer; segment: Segment | undefined } {
  const bytes = messageBytes(pdu)
  const headerBytes = (pdu.esmClass & ESM_CLASS_UDHI) === 0 ? 0 : 1 + (bytes[0] ?? 0)
  // A header longer than the text is none: the bit was set by mistake.
  if (headerBytes === 0 || headerBytes > bytes.length) return { body: bytes, segment: readSar(pdu) }
  return { body: bytes.subarray(headerBytes), segment: readHeader(bytes.subarray(1, headerBytes)) ?? readSar(pdu) }
}

/** Elements are a name, a length, and as many octets. Others than concatenation, such as ports, are passed over. */
function readHeader(header: Buffer): Segment | undefined {
  for (let at = 0; at + 1 < header.length; at += 2 + (header[at + 1] ?? 0)) {
    const value = header.subarray(at + 2, at + 2 + (header[at + 1] ?? 0))
    if (header[at] === ELEMENT_CONCATENATION && value.length === 3) {
      return toSegment(value[0] ?? 0, value[1], value[2])
    }
    if (header[at] === ELEMENT_CONCATENATION_16 && value.length === 4) {
      return toSegment(value.readUInt16BE(0), value[2], value[3])
    }
  }
  return undefined
}

function readSar({ tlvs }: MessagePdu | DataPdu): Segment | undefined {
  const reference = tlvs.get(TLV_TAGS.sar_msg_ref_num)
  if (reference?.length !== 2) return undefined
  const [total, position] = [tlvs.get(TLV_TAGS.sar_total_segments), tlvs.get(TLV_TAGS.sar_segment_seqnum)]
  return toSegment(reference.readUInt16BE(0), total?.[0], position?.[0])
}

/**
 * Part 1 of 1 is a whole text, and so is an element without sense (3GPP TS 23.040: "shall ignore the whole element").
 */
function toSegment(reference: number, total = 0, position = 0): Segment | undefined {
  return total > 1 && position >= 1 && position <= total ? { reference, position, total } : undefined
}

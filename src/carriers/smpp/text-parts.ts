import { countSeptets } from '../../gsm/gsm-alphabet.ts'
import { SEGMENT_SIZES, SEGMENT_SIZES_LONG_REFERENCE, type SegmentSizes, splitSegments } from '../../gsm/segments.ts'
import { encodeText, isEncodable, type TextEncoding } from '../../smpp/alphabets.ts'
import { TLV_TAGS } from '../../smpp/commands.ts'
import { NO_TLVS, type Tlvs } from '../../smpp/pdu.ts'
import type { SmppSettings } from './smpp-settings.ts'

/*
 * A text as the bodies of the PDUs that carry it. The phone joins several parts by the means that the carrier asks for:
 * a header before the text (udh, and udh16 with a longer reference), TLVs beside it (sar), or nothing, when the carrier
 * itself splits a long text (payload).
 */

export interface TextParts {
  dataCoding: number
  /** The text of each, without a header. */
  bodies: readonly Buffer[]
  /** Whether headers are short, with a reference of 8 bits, although the carrier has `udh16`. */
  hasShortReference: boolean
  /** Whether the body begins with a header of its own. */
  hasOwnHeader?: true
}

/** The part of a submit_sm that holds the text. */
export interface PartFields {
  esmClass: number
  shortMessage: Buffer
  tlvs: Tlvs
}

/** Both headers, and sar_total_segments, count parts in an octet. */
export const PARTS_MAX = 255
/** SMPP 3.4, paragraph 5.2.12: the text begins with a header. */
const ESM_CLASS_UDHI = 0x40
const NO_BYTES = Buffer.alloc(0)
const DATA_CODING_UCS2 = 0x08
/** SMPP 3.4, paragraph 5.2.19: octets without a meaning. */
const DATA_CODING_BINARY = 0x04
/** 3GPP TS 23.038, chapter 4: the lowest two bits are a message class, and it is 0. */
const CLASS_0 = 0x10
/** What the 140 octets of an SMS hold without a header. */
const GSM_SEPTETS_ALONE = 160
const UCS2_UNITS_ALONE = 70

type Profile = Pick<SmppSettings, 'encoding' | 'longMessages'>

/** Every text has an encoding: it never throws. */
export function splitText(text: string, profile: Profile): TextParts {
  const septets = countSeptets(text)
  const encoding = chooseEncoding(text, septets, profile.encoding)
  const { texts, hasShortReference } = splitFor(text, septets, encoding, profile.longMessages)
  const parts = texts.map((part) => encodeText(part, encoding))
  return { dataCoding: parts[0]?.dataCoding ?? 0, bodies: parts.map(({ bytes }) => bytes), hasShortReference }
}

/**
 * A text that the phone shows at once. Its data coding is that of 3GPP TS 23.038, which carriers pass through: class 0, with
 * the alphabet beside it. So it is GSM or UCS-2, whatever the carrier's own alphabet is.
 */
export function splitFlash(text: string, { longMessages }: Profile): TextParts {
  const parts = splitText(text, { encoding: 'gsm', longMessages })
  return { ...parts, dataCoding: parts.dataCoding | CLASS_0 }
}

/** One part, with its header before it. */
export function toBinaryParts({ udh, data }: { udh: Buffer; data: Buffer }): TextParts {
  const parts = { dataCoding: DATA_CODING_BINARY, bodies: [Buffer.concat([udh, data])], hasShortReference: false }
  return udh.length === 0 ? parts : { ...parts, hasOwnHeader: true }
}

/**
 * A carrier that takes Latin-1 turns it into GSM for the phone, so only characters of both alphabets are safe: ç is in
 * Latin-1 and would arrive as another letter, € is in GSM and can't be written.
 */
function chooseEncoding(text: string, septets: number | undefined, encoding: Profile['encoding']): TextEncoding {
  if (septets === undefined) return 'ucs2'
  return encoding === 'gsm' || isEncodable(text, encoding) ? encoding : 'ucs2'
}

/**
 * A long reference takes the room of one character in each part. Prices count parts with the short reference. Where the
 * long one would need a part more, the short one is used: no recipient gets more parts than were paid for, and phones
 * join both.
 */
function splitFor(
  text: string,
  septets: number | undefined,
  encoding: TextEncoding,
  longMessages: Profile['longMessages']
): { texts: string[]; hasShortReference: boolean } {
  if (longMessages === 'payload') return { texts: [text], hasShortReference: false }
  const texts = splitBy(SEGMENT_SIZES, text, septets, encoding)
  if (longMessages !== 'udh16' || texts.length === 1) return { texts, hasShortReference: false }
  const withLong = splitBy(SEGMENT_SIZES_LONG_REFERENCE, text, septets, encoding)
  const hasShortReference = withLong.length > texts.length
  return { texts: hasShortReference ? texts : withLong, hasShortReference }
}

function splitBy(sizes: SegmentSizes, text: string, septets: number | undefined, encoding: TextEncoding): string[] {
  if (encoding === 'ucs2') return splitUcs2(text, sizes.ucs2)
  return septets !== undefined && septets <= GSM_SEPTETS_ALONE ? [text] : splitSegments(text, sizes)
}

/** Also a text that is in GSM, when the carrier's alphabet made it UCS-2: splitSegments would count its septets. */
function splitUcs2(text: string, unitsMax: number): string[] {
  if (text.length <= UCS2_UNITS_ALONE) return [text]
  const parts: string[] = []
  for (let start = 0; start < text.length; ) {
    const end = start + unitsMax
    // Two halves of a character stay together.
    const cut = end < text.length && (text.codePointAt(end - 1) ?? 0) > 0xffff ? end - 1 : end
    parts.push(text.slice(start, cut))
    start = cut
  }
  return parts
}

/** `position` counts from 0. */
export function toPartFields(
  { bodies, dataCoding, hasShortReference, hasOwnHeader }: TextParts,
  position: number,
  reference: number,
  { longMessages }: Profile
): PartFields {
  const body = bodies[position] ?? NO_BYTES
  if (hasOwnHeader) return { esmClass: ESM_CLASS_UDHI, shortMessage: body, tlvs: NO_TLVS }
  if (longMessages === 'payload') return toPayload(body, dataCoding)
  if (bodies.length === 1) return { esmClass: 0, shortMessage: body, tlvs: NO_TLVS }
  const [total, number] = [bodies.length, position + 1]
  switch (hasShortReference ? 'udh' : longMessages) {
    case 'udh':
      return withHeader([0x05, 0x00, 0x03, reference & 0xff, total, number], body)
    case 'udh16':
      return withHeader([0x06, 0x08, 0x04, reference >> 8, reference & 0xff, total, number], body)
    case 'sar':
      return { esmClass: 0, shortMessage: body, tlvs: toSar(reference, total, number) }
  }
}

/** 3GPP TS 23.040, paragraphs 9.2.3.24.1 and 9.2.3.24.8. */
function withHeader(header: readonly number[], body: Buffer): PartFields {
  const shortMessage = Buffer.allocUnsafe(header.length + body.length)
  shortMessage.set(header)
  shortMessage.set(body, header.length)
  return { esmClass: ESM_CLASS_UDHI, shortMessage, tlvs: NO_TLVS }
}

function toSar(reference: number, total: number, number: number): Tlvs {
  return new Map([
    [TLV_TAGS.sar_msg_ref_num, Buffer.of(reference >> 8, reference & 0xff)],
    [TLV_TAGS.sar_total_segments, Buffer.of(total)],
    [TLV_TAGS.sar_segment_seqnum, Buffer.of(number)]
  ])
}

/** What fits one SMS goes where every carrier looks for it. */
function toPayload(body: Buffer, dataCoding: number): PartFields {
  const aloneMax = (dataCoding & ~CLASS_0) === DATA_CODING_UCS2 ? 2 * UCS2_UNITS_ALONE : GSM_SEPTETS_ALONE
  if (body.length <= aloneMax) return { esmClass: 0, shortMessage: body, tlvs: NO_TLVS }
  return { esmClass: 0, shortMessage: NO_BYTES, tlvs: new Map([[TLV_TAGS.message_payload, body]]) }
}

import type { TextPart } from './read-submit.ts'
import { StatusRefusal } from './statuses.ts'

/* The user data header before a text: 3GPP TS 23.040, paragraph 9.2.3.24. */

const CONCATENATION_8 = 0x00
const CONCATENATION_16 = 0x08

/** The part that a header tells, and whether it has elements of another use. */
export function readElements(header: Buffer): { part: TextPart | undefined; isMore: boolean } {
  let part: TextPart | undefined
  let isMore = false
  for (let at = 1; at < header.length; ) {
    const [id, length = -1] = [header[at], header[at + 1]]
    const data = header.subarray(at + 2, at + 2 + length)
    if (length < 0 || data.length !== length) throw new StatusRefusal('ESME_RINVESMCLASS', 'the header is cut short')
    if (id === CONCATENATION_8 && length === 3) part = toPart(data.readUInt8(0), data.subarray(1))
    else if (id === CONCATENATION_16 && length === 4) part = toPart(data.readUInt16BE(0), data.subarray(2))
    else isMore = true
    at += 2 + length
  }
  return { part, isMore }
}

function toPart(reference: number, [total = 0, position = 0]: Buffer): TextPart {
  return { reference, total, position }
}

/** The header that says what the sar parameters say. */
export function sarHeader({ reference, total, position }: TextPart): Buffer {
  return Buffer.of(6, CONCATENATION_16, 4, reference >> 8, reference & 0xff, total, position)
}

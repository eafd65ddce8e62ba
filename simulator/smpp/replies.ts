import type { MessagePdu } from '../../src/smpp/pdu.ts'
import { digitsOf } from '../phones/magic-numbers.ts'
import type { PhoneReply } from '../phones/phones.ts'
import type { Conduct } from './conduct.ts'
import { type SegmentFields, writeSegments } from './long-messages.ts'
import { type Address, DELIVERY_FIELDS } from './receipts.ts'
import type { Delivery } from './system-account.ts'

/** SMPP 3.4, paragraphs 5.2.5 and 5.2.6: types of number and numbering plans. */
const INTERNATIONAL = { ton: 1, npi: 1 }
const SHORT_CODE = { ton: 3, npi: 0 }
const ALPHANUMERIC = { ton: 5, npi: 0 }
const SHORT_CODE_DIGITS_MAX = 8

let nextReference = 1

/** The segments of a reply, as the faults allow. */
export function writeReply({ from, to, content }: PhoneReply, conduct: Conduct): Delivery[] {
  const { replySplit: split, alphabet } = conduct
  const reference = nextReference
  nextReference = (nextReference + 1) & 0xffff
  const segments = writeSegments(content, { split, alphabet, reference })
  const left = segments.length > 1 ? segments.filter((_, index) => index + 1 !== conduct.droppedReplyPart) : segments
  const ordered = conduct.areReplyPartsReversed ? left.reverse() : left
  const deliveries = ordered.map((segment) =>
    replyDelivery(segment, { ...INTERNATIONAL, address: from }, addressOf(to))
  )
  return deliveries.flatMap((delivery) => Array<Delivery>(conduct.replyPartCopies).fill(delivery))
}

function replyDelivery(segment: SegmentFields, source: Address, destination: Address): Delivery {
  return {
    kind: 'reply',
    avoid: undefined,
    toPdu: (sequence): MessagePdu => ({
      ...DELIVERY_FIELDS,
      sequence,
      sourceAddrTon: source.ton,
      sourceAddrNpi: source.npi,
      sourceAddr: source.address,
      destAddrTon: destination.ton,
      destAddrNpi: destination.npi,
      destinationAddr: destination.address,
      ...segment
    })
  }
}

function addressOf(to: string): Address {
  if (/[^\d+ ]/.test(to)) return { ...ALPHANUMERIC, address: to }
  const address = digitsOf(to)
  return { ...(address.length <= SHORT_CODE_DIGITS_MAX ? SHORT_CODE : INTERNATIONAL), address }
}

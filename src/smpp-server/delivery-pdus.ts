import { RECIPIENT_STATES } from '../recipients/recipient.ts'
import { encodeText, isEncodable } from '../smpp/alphabets.ts'
import { TLV_TAGS } from '../smpp/commands.ts'
import type { MessagePdu } from '../smpp/pdu.ts'
import { writeReceiptTime } from './times.ts'

/* The deliver_sm of receipts and replies. */

export type DeliveryPdu = Omit<MessagePdu, 'sequence'>

/** What a receipt tells. */
export interface ReceiptFacts {
  smppId: number
  state: number
  phone: string
  sender: string
  errorCode: string | null
  text: string
  submittedAt: Date
  doneAt: Date
  reference: number | null
}

interface ReceiptState {
  /** SMPP 3.4, appendix B. */
  word: string
  /** SMPP 3.4, paragraph 5.2.28. */
  number: number
}

/** By state of the recipient. A recipient that opted out is refused by us. */
export const RECEIPT_STATES: Readonly<Record<number, ReceiptState>> = {
  [RECIPIENT_STATES.waiting]: { word: 'ENROUTE', number: 1 },
  [RECIPIENT_STATES.submitting]: { word: 'ENROUTE', number: 1 },
  [RECIPIENT_STATES.sent]: { word: 'ENROUTE', number: 1 },
  [RECIPIENT_STATES.delivered]: { word: 'DELIVRD', number: 2 },
  [RECIPIENT_STATES.expired]: { word: 'EXPIRED', number: 3 },
  [RECIPIENT_STATES.cancelled]: { word: 'DELETED', number: 4 },
  [RECIPIENT_STATES.failed]: { word: 'UNDELIV', number: 5 },
  [RECIPIENT_STATES.rejected]: { word: 'REJECTD', number: 8 },
  [RECIPIENT_STATES.stopped]: { word: 'REJECTD', number: 8 }
}

const UNKNOWN: ReceiptState = { word: 'UNKNOWN', number: 7 }

export function receiptStateOf(state: number): ReceiptState {
  return RECEIPT_STATES[state] ?? UNKNOWN
}

/** Paragraph 5.2.12. */
const ESM_RECEIPT = 0x04
const ESM_INTERMEDIATE = 0x20
const TEXT_LENGTH = 20
/** Paragraph 5.3.2.31: the error is of a GSM network. */
const NETWORK_GSM = 3
const SHORT_MESSAGE_MAX = 254
/** Paragraphs 5.2.5 and 5.2.6. */
const TON_UNKNOWN = 0
const TON_INTERNATIONAL = 1
const TON_NETWORK_SPECIFIC = 3
const TON_ALPHANUMERIC = 5
const NPI_UNKNOWN = 0
const NPI_ISDN = 1
const SHORT_CODE_DIGITS_MAX = 6
const ADDRESS_LENGTH_MAX = 20

const FIXED_FIELDS = {
  command: 'deliver_sm',
  status: 0,
  serviceType: '',
  protocolId: 0,
  priorityFlag: 0,
  scheduleDeliveryTime: '',
  validityPeriod: '',
  registeredDelivery: 0,
  replaceIfPresentFlag: 0,
  smDefaultMsgId: 0
} as const

export function toReceiptPdu(facts: ReceiptFacts): DeliveryPdu {
  const { smppId, state, phone, sender, errorCode, text, submittedAt, doneAt, reference } = facts
  const { word, number } = receiptStateOf(state)
  const isDelivered = state === RECIPIENT_STATES.delivered
  const error = toErrorNumber(errorCode)
  const dates = `submit date:${writeReceiptTime(submittedAt)} done date:${writeReceiptTime(doneAt)}`
  const shown = text.slice(0, TEXT_LENGTH).replaceAll(/[^\x20-\x7e]/g, '?')
  const counts = `sub:001 dlvrd:${isDelivered ? '001' : '000'}`
  const line = `id:${smppId} ${counts} ${dates} stat:${word} err:${String(error).padStart(3, '0')} text:${shown}`
  const tlvs = new Map<number, Buffer>([
    [TLV_TAGS.receipted_message_id, Buffer.from(`${smppId}\0`, 'latin1')],
    [TLV_TAGS.message_state, Buffer.of(number)],
    [TLV_TAGS.network_error_code, Buffer.of(NETWORK_GSM, error >> 8, error & 0xff)]
  ])
  if (reference !== null) tlvs.set(TLV_TAGS.user_message_reference, Buffer.of(reference >> 8, reference & 0xff))
  return {
    ...FIXED_FIELDS,
    ...fromPhone(phone),
    ...toSender(sender),
    esmClass: state === RECIPIENT_STATES.sent ? ESM_INTERMEDIATE : ESM_RECEIPT,
    dataCoding: 0,
    shortMessage: Buffer.from(line, 'latin1'),
    tlvs
  }
}

/** A text that does not fit short_message goes whole in message_payload. */
export function toReplyPdu({
  phone,
  writtenTo,
  content
}: {
  phone: string
  writtenTo: string
  content: string
}): DeliveryPdu {
  const { dataCoding, bytes } = encodeText(content, isEncodable(content, 'gsm') ? 'gsm' : 'ucs2')
  const isLong = bytes.length > SHORT_MESSAGE_MAX
  return {
    ...FIXED_FIELDS,
    ...fromPhone(phone),
    ...toSender(writtenTo),
    esmClass: 0,
    dataCoding,
    shortMessage: isLong ? NO_BYTES : bytes,
    tlvs: new Map(isLong ? [[TLV_TAGS.message_payload as number, bytes]] : [])
  }
}

const NO_BYTES = Buffer.alloc(0)

/** The number that an error code of a carrier has; 0 for a word. */
export function toErrorNumber(errorCode: string | null): number {
  const number = /^\d{1,5}$/.test(errorCode ?? '') ? Number(errorCode) : 0
  return number > 0xffff ? 0 : number
}

function fromPhone(phone: string) {
  const { ton: sourceAddrTon, npi: sourceAddrNpi, address: sourceAddr } = toAddress(phone)
  return { sourceAddrTon, sourceAddrNpi, sourceAddr }
}

function toSender(sender: string) {
  const { ton: destAddrTon, npi: destAddrNpi, address: destinationAddr } = toAddress(sender)
  return { destAddrTon, destAddrNpi, destinationAddr }
}

/** A number, or a name: the sender that the customer chose, or who wrote as an HTTP carrier names them. */
function toAddress(text: string) {
  const ton = tonOf(withoutPlus(text))
  return {
    ton,
    npi: ton === TON_INTERNATIONAL ? NPI_ISDN : NPI_UNKNOWN,
    address: withoutPlus(text)
      .replaceAll(/[^\x20-\x7e]/g, '?')
      .slice(0, ADDRESS_LENGTH_MAX)
  }
}

/** Programs put a + before an international number, and a short code is none. */
function tonOf(address: string): number {
  if (address === '') return TON_UNKNOWN
  if (!/^\d+$/.test(address)) return TON_ALPHANUMERIC
  return address.length <= SHORT_CODE_DIGITS_MAX ? TON_NETWORK_SPECIFIC : TON_INTERNATIONAL
}

function withoutPlus(number: string): string {
  return number.replace(/^\+/, '')
}

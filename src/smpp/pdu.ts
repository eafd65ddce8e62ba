import { TLV_TAGS } from './commands.ts'

/*
 * The PDUs that we send or receive, with the fields of SMPP 3.4, chapter 4, in their order on the wire and under their
 * names there in camelCase. Lengths (command_length, sm_length) are the codec's business and appear nowhere.
 */

interface Header {
  /** command_status; 0 in a request. */
  status: number
  /** sequence_number: an answer carries its request's. */
  sequence: number
}

/** Optional parameters by tag, also unknown ones. The last value of a repeated tag counts. */
export type Tlvs = ReadonlyMap<number, Buffer>

export const NO_TLVS: Tlvs = new Map()

/** Paragraphs 4.1.1, 4.1.3 and 4.1.5. */
export interface BindPdu extends Header {
  command: 'bind_receiver' | 'bind_transmitter' | 'bind_transceiver'
  systemId: string
  password: string
  systemType: string
  interfaceVersion: number
  addrTon: number
  addrNpi: number
  addressRange: string
  tlvs: Tlvs
}

/** Paragraphs 4.1.2, 4.1.4 and 4.1.6. */
export interface BindAnswerPdu extends Header {
  command: 'bind_receiver_resp' | 'bind_transmitter_resp' | 'bind_transceiver_resp'
  /** Empty when the answer came without a body. */
  systemId: string
  tlvs: Tlvs
}

/** A header is all there is: paragraphs 4.2, 4.3, 4.9.2, 4.10.2 and 4.11. */
export interface BarePdu extends Header {
  command:
    | 'unbind'
    | 'unbind_resp'
    | 'enquire_link'
    | 'enquire_link_resp'
    | 'generic_nack'
    | 'cancel_sm_resp'
    | 'replace_sm_resp'
}

/** Paragraphs 4.4.1 and 4.6.1: the two directions have the same fields. */
export interface MessagePdu extends Header {
  command: 'submit_sm' | 'deliver_sm'
  serviceType: string
  sourceAddrTon: number
  sourceAddrNpi: number
  sourceAddr: string
  destAddrTon: number
  destAddrNpi: number
  destinationAddr: string
  esmClass: number
  protocolId: number
  priorityFlag: number
  scheduleDeliveryTime: string
  validityPeriod: string
  registeredDelivery: number
  replaceIfPresentFlag: number
  dataCoding: number
  smDefaultMsgId: number
  shortMessage: Buffer
  tlvs: Tlvs
}

/** Paragraph 4.7.1. Its text is in the message_payload TLV. */
export interface DataPdu extends Header {
  command: 'data_sm'
  serviceType: string
  sourceAddrTon: number
  sourceAddrNpi: number
  sourceAddr: string
  destAddrTon: number
  destAddrNpi: number
  destinationAddr: string
  esmClass: number
  registeredDelivery: number
  dataCoding: number
  tlvs: Tlvs
}

/** Paragraphs 4.4.2, 4.6.2 and 4.7.2. */
export interface MessageAnswerPdu extends Header {
  command: 'submit_sm_resp' | 'deliver_sm_resp' | 'data_sm_resp'
  /** Empty when the answer came without one. Unused, and always empty, in what we answer to deliver_sm. */
  messageId: string
  tlvs: Tlvs
}

/** A phone number, or the name of a distribution list: paragraph 4.5.1.1. */
export type MultiDestination = { ton: number; npi: number; address: string } | { list: string }

/** Paragraph 4.5.1: the fields of submit_sm, to several destinations. */
export interface MultiPdu
  extends Omit<MessagePdu, 'command' | 'destAddrTon' | 'destAddrNpi' | 'destinationAddr' | 'sequence' | 'status'>,
    Header {
  command: 'submit_multi'
  destinations: MultiDestination[]
}

/** Paragraph 4.5.2. */
export interface MultiAnswerPdu extends Header {
  command: 'submit_multi_resp'
  messageId: string
  unsuccessful: readonly { ton: number; npi: number; address: string; status: number }[]
}

/** Paragraph 4.8.1. */
export interface QueryPdu extends Header {
  command: 'query_sm'
  messageId: string
  sourceAddrTon: number
  sourceAddrNpi: number
  sourceAddr: string
}

/** Paragraph 4.8.2. */
export interface QueryAnswerPdu extends Header {
  command: 'query_sm_resp'
  messageId: string
  finalDate: string
  messageState: number
  errorCode: number
}

/** Paragraph 4.9.1. */
export interface CancelPdu extends Header {
  command: 'cancel_sm'
  serviceType: string
  messageId: string
  sourceAddrTon: number
  sourceAddrNpi: number
  sourceAddr: string
  destAddrTon: number
  destAddrNpi: number
  destinationAddr: string
}

/** Paragraph 4.10.1. It is refused whatever it says, so its body is not read. */
export interface ReplacePdu extends Header {
  command: 'replace_sm'
}

/** A command we have no use for or never heard of: the session answers generic_nack with ESME_RINVCMDID. */
export interface UnknownPdu extends Header {
  command: 'unknown'
  commandId: number
}

/** What can be encoded. */
export type KnownPdu =
  | BindPdu
  | BindAnswerPdu
  | BarePdu
  | MessagePdu
  | DataPdu
  | MessageAnswerPdu
  | MultiAnswerPdu
  | QueryAnswerPdu

/** Requests that only a customer makes: we never send them. */
export type CustomerPdu = MultiPdu | QueryPdu | CancelPdu | ReplacePdu

/** What can be decoded. Answers that only a customer gets are not. */
export type Pdu = Exclude<KnownPdu, MultiAnswerPdu | QueryAnswerPdu> | CustomerPdu | UnknownPdu

const NO_BYTES = Buffer.alloc(0)

/**
 * The bytes of the text, wherever the sender put them. Both places at once are forbidden; then short_message counts.
 */
export function messageBytes(pdu: MessagePdu | MultiPdu | DataPdu): Buffer {
  if (pdu.command !== 'data_sm' && pdu.shortMessage.length > 0) return pdu.shortMessage
  return pdu.tlvs.get(TLV_TAGS.message_payload) ?? NO_BYTES
}

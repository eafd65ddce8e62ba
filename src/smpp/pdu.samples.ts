import fc from 'fast-check'
import { type KnownPdu, type MessagePdu, NO_TLVS, type Tlvs } from './pdu.ts'

/* PDUs for the tests of this folder. */

export const MESSAGE: Omit<MessagePdu, 'command'> = {
  status: 0,
  sequence: 1,
  serviceType: '',
  sourceAddrTon: 0,
  sourceAddrNpi: 0,
  sourceAddr: '',
  destAddrTon: 0,
  destAddrNpi: 0,
  destinationAddr: '',
  esmClass: 0,
  protocolId: 0,
  priorityFlag: 0,
  scheduleDeliveryTime: '',
  validityPeriod: '',
  registeredDelivery: 0,
  replaceIfPresentFlag: 0,
  dataCoding: 0,
  smDefaultMsgId: 0,
  shortMessage: Buffer.alloc(0),
  tlvs: NO_TLVS
}

const uint8 = fc.integer({ min: 0, max: 0xff })
const uint32 = fc.integer({ min: 0, max: 0xffffffff })
const bytes = (maxLength: number) =>
  fc.uint8Array({ maxLength, size: 'max' }).map((array) => Buffer.from(array.buffer, 0, array.length))
/** Any character but the one that ends a string. */
const latin1 = fc.integer({ min: 1, max: 0xff }).map((code) => String.fromCharCode(code))
const text = (maxLength: number) => fc.string({ unit: latin1, maxLength, size: 'max' })

const tlvs: fc.Arbitrary<Tlvs> = fc
  .array(fc.tuple(fc.integer({ min: 0, max: 0xffff }), bytes(300)), { maxLength: 4 })
  .map((entries) => new Map(entries))
const header = { status: uint32, sequence: uint32 }
const addresses = (maxLength: number) => ({
  sourceAddrTon: uint8,
  sourceAddrNpi: uint8,
  sourceAddr: text(maxLength),
  destAddrTon: uint8,
  destAddrNpi: uint8,
  destinationAddr: text(maxLength)
})

/** A plain object, as the decoder makes them. */
const record = <Fields>(fields: { [Key in keyof Fields]: fc.Arbitrary<Fields[Key]> }) =>
  fc.record(fields, { noNullPrototype: true })

/** One for each kind of PDU, with every field at any value it may have. */
export const ARBITRARY_PDUS = {
  bind: record({
    command: fc.constantFrom('bind_receiver', 'bind_transmitter', 'bind_transceiver'),
    ...header,
    systemId: text(15),
    password: text(8),
    systemType: text(12),
    interfaceVersion: uint8,
    addrTon: uint8,
    addrNpi: uint8,
    addressRange: text(40),
    tlvs
  }),
  bindAnswer: record({
    command: fc.constantFrom('bind_receiver_resp', 'bind_transmitter_resp', 'bind_transceiver_resp'),
    ...header,
    systemId: text(15),
    tlvs
  }),
  bare: record({
    command: fc.constantFrom('unbind', 'unbind_resp', 'enquire_link', 'enquire_link_resp', 'generic_nack'),
    ...header
  }),
  message: record({
    command: fc.constantFrom('submit_sm', 'deliver_sm'),
    ...header,
    serviceType: text(5),
    ...addresses(20),
    esmClass: uint8,
    protocolId: uint8,
    priorityFlag: uint8,
    scheduleDeliveryTime: text(16),
    validityPeriod: text(16),
    registeredDelivery: uint8,
    replaceIfPresentFlag: uint8,
    dataCoding: uint8,
    smDefaultMsgId: uint8,
    shortMessage: bytes(254),
    tlvs
  }),
  data: record({
    command: fc.constant('data_sm'),
    ...header,
    serviceType: text(5),
    ...addresses(64),
    esmClass: uint8,
    registeredDelivery: uint8,
    dataCoding: uint8,
    tlvs
  }),
  messageAnswer: record({
    command: fc.constantFrom('submit_sm_resp', 'deliver_sm_resp', 'data_sm_resp'),
    ...header,
    messageId: text(64),
    tlvs
  })
} satisfies Record<string, fc.Arbitrary<KnownPdu>>

export const anyPdu: fc.Arbitrary<KnownPdu> = fc.oneof(...Object.values(ARBITRARY_PDUS))

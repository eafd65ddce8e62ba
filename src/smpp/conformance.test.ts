import { strict as assert } from 'node:assert'
import { test } from 'node:test'
import fc from 'fast-check'
import smpp from 'smpp'
import { decodeText, encodeText } from './alphabets.ts'
import { COMMAND_IDS, STATUSES, TLV_TAGS } from './commands.ts'
import { PduReader } from './decode.ts'
import { encodePdu } from './encode.ts'
import { MESSAGE } from './pdu.samples.ts'
import type { KnownPdu, MessagePdu, Pdu } from './pdu.ts'
import { ProtocolError } from './protocol-error.ts'

/*
 * Our codec against the npm package `smpp`, in both directions: if we met only ourselves, one misreading of the
 * specification would agree with itself. Written against what version 0.5.1 does: it turns times into dates and texts into
 * strings, leaves out the body of every error, and knows some names by those of SMPP 5.0.
 */

function decode(bytes: Buffer): Pdu {
  const [pdu, ...others] = new PduReader({ pduBytesMax: 70_000 }).push(bytes)
  assert.ok(pdu && !(pdu instanceof ProtocolError))
  assert.deepEqual(others, [])
  return pdu
}

/** Their fields of our bytes; their PDU also has methods, which are left out. */
function decodeForeign(bytes: Buffer): Record<string, unknown> {
  const pdu = smpp.PDU.fromBuffer(bytes)
  assert.ok(pdu)
  return { ...pdu }
}

const SPELLED_OTHERWISE: Readonly<Record<string, string>> = {
  status: 'command_status',
  sequence: 'sequence_number'
}

/** systemId → system_id. */
function foreignName(field: string): string {
  return SPELLED_OTHERWISE[field] ?? field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

/** What they make of this PDU, and what they need to make it. TLVs are compared on their own. */
function foreignFields({ command, tlvs: _, ...fields }: KnownPdu & { tlvs?: unknown }): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).map(([field, value]) => [foreignName(field), value]))
}

function foreignDecoded(pdu: KnownPdu, bytes: Buffer): Record<string, unknown> {
  const fields = foreignFields(pdu)
  for (const field of ['schedule_delivery_time', 'validity_period']) {
    if (fields[field]) fields[field] = new Date(TIMES[String(fields[field])] ?? '')
  }
  if ('short_message' in fields) fields.short_message = { message: fields.short_message }
  const command_id = bytes.readUInt32BE(4)
  return { ...fields, command: pdu.command, command_id, command_length: bytes.length }
}

/** Absolute, since a relative time would be another date each time it is read. */
const TIMES: Readonly<Record<string, string>> = {
  '260728120159000+': '2026-07-28T12:01:59.000Z',
  '991231235959900+': '2099-12-31T23:59:59.900Z'
}

const uint8 = fc.integer({ min: 0, max: 0xff })
const sequence = fc.integer({ min: 1, max: 0x7fffffff })
const status = fc.constant(0)
const ascii = fc.integer({ min: 1, max: 0x7f }).map((code) => String.fromCharCode(code))
const text = (maxLength: number) => fc.string({ unit: ascii, maxLength, size: 'max' })
const time = fc.constantFrom('', ...Object.keys(TIMES))
const tlvs = fc.constant(new Map<number, Buffer>())
const bytes = fc.uint8Array({ maxLength: 254, size: 'max' }).map((array) => Buffer.from(array.buffer, 0, array.length))
const record = <Fields>(fields: { [Key in keyof Fields]: fc.Arbitrary<Fields[Key]> }) =>
  fc.record(fields, { noNullPrototype: true })
/** Without the bit that announces a header in the text, which they would cut off. */
const esmClass = uint8.map((value) => value & ~0x40)
/** "Octet unspecified": they leave the text as bytes. */
const dataCoding = fc.constant(4)
const addresses = (maxLength: number) => ({
  sourceAddrTon: uint8,
  sourceAddrNpi: uint8,
  sourceAddr: text(maxLength),
  destAddrTon: uint8,
  destAddrNpi: uint8,
  destinationAddr: text(maxLength)
})

const KINDS: Record<string, fc.Arbitrary<KnownPdu>> = {
  binds: record({
    command: fc.constantFrom('bind_receiver', 'bind_transmitter', 'bind_transceiver'),
    status,
    sequence,
    systemId: text(15),
    password: text(8),
    systemType: text(12),
    interfaceVersion: uint8,
    addrTon: uint8,
    addrNpi: uint8,
    addressRange: text(40),
    tlvs
  }),
  'answers to binds': record({
    command: fc.constantFrom('bind_receiver_resp', 'bind_transmitter_resp', 'bind_transceiver_resp'),
    status,
    sequence,
    systemId: text(15),
    tlvs
  }),
  'headers alone': record({
    command: fc.constantFrom('unbind', 'unbind_resp', 'enquire_link', 'enquire_link_resp', 'generic_nack'),
    status: fc.integer({ min: 0, max: 0xffffffff }),
    sequence
  }),
  'submit_sm and deliver_sm': record({
    command: fc.constantFrom('submit_sm', 'deliver_sm'),
    status,
    sequence,
    serviceType: text(5),
    ...addresses(20),
    esmClass,
    protocolId: uint8,
    priorityFlag: uint8,
    scheduleDeliveryTime: time,
    validityPeriod: time,
    registeredDelivery: uint8,
    replaceIfPresentFlag: uint8,
    dataCoding,
    smDefaultMsgId: uint8,
    shortMessage: bytes,
    tlvs
  }),
  data_sm: record({
    command: fc.constant('data_sm'),
    status,
    sequence,
    serviceType: text(5),
    ...addresses(64),
    esmClass,
    registeredDelivery: uint8,
    dataCoding,
    tlvs
  }),
  'answers to messages': record({
    command: fc.constantFrom('submit_sm_resp', 'deliver_sm_resp', 'data_sm_resp'),
    status,
    sequence,
    messageId: text(64),
    tlvs
  })
}

for (const [kind, pdus] of Object.entries(KINDS)) {
  test(`a foreign implementation reads and writes the same bytes: ${kind}`, () => {
    fc.assert(
      fc.property(pdus, (pdu) => {
        const ours = encodePdu(pdu)
        const theirs = new smpp.PDU(pdu.command, foreignFields(pdu)).toBuffer()
        assert.equal(theirs.toString('hex'), ours.toString('hex'))
        assert.deepEqual(decode(theirs), pdu)
        assert.deepEqual(decodeForeign(ours), foreignDecoded(pdu, ours))
      })
    )
  })
}

const sourceFields = { sourceAddrTon: uint8, sourceAddrNpi: uint8, sourceAddr: text(20) }

test('requests that only customers make are read as a foreign implementation writes them', () => {
  const multi = record({
    serviceType: text(5),
    ...sourceFields,
    destinations: fc.array(
      fc.oneof(
        record({ ton: uint8, npi: uint8, address: text(20) }),
        record({ list: text(20).filter((name) => name !== '') })
      ),
      { minLength: 1, maxLength: 5 }
    ),
    esmClass: fc.constantFrom(0, 3),
    dataCoding: fc.constant(4),
    registeredDelivery: uint8,
    shortMessage: bytes,
    messageId: text(64)
  })
  fc.assert(
    fc.property(multi, ({ destinations, messageId, serviceType, shortMessage, ...fields }) => {
      const header = { sequence_number: 9 }
      const foreign = Object.fromEntries(Object.entries(fields).map(([name, value]) => [foreignName(name), value]))
      const read = (command: string, given: Record<string, unknown>) =>
        decode(new smpp.PDU(command, { ...header, ...foreign, ...given }).toBuffer())
      const submit = read('submit_multi', {
        service_type: serviceType,
        short_message: shortMessage,
        dest_address: destinations.map((destination) =>
          'list' in destination
            ? { dl_name: destination.list }
            : {
                dest_addr_ton: destination.ton,
                dest_addr_npi: destination.npi,
                destination_addr: destination.address
              }
        )
      })
      assert.ok(submit.command === 'submit_multi')
      assert.deepEqual(submit.destinations, destinations)
      assert.deepEqual([submit.serviceType, submit.shortMessage], [serviceType, shortMessage])
      assert.equal(submit.registeredDelivery, fields.registeredDelivery)
      const { sourceAddrTon, sourceAddrNpi, sourceAddr } = fields
      const source = { sourceAddrTon, sourceAddrNpi, sourceAddr }
      const query = read('query_sm', { message_id: messageId })
      assert.deepEqual(query, { command: 'query_sm', status: 0, sequence: 9, messageId, ...source })
      const cancel = read('cancel_sm', { message_id: messageId, service_type: serviceType, destination_addr: '33' })
      assert.deepEqual(cancel, {
        command: 'cancel_sm',
        status: 0,
        sequence: 9,
        serviceType,
        messageId,
        ...source,
        destAddrTon: 0,
        destAddrNpi: 0,
        destinationAddr: '33'
      })
      assert.equal(read('replace_sm', { message_id: messageId }).command, 'replace_sm')
    }),
    { numRuns: 50 }
  )
})

test('answers that only customers get are read by a foreign implementation', () => {
  const header = { status: 0, sequence: 9, messageId: '12' }
  const unsuccessful = [{ ton: 1, npi: 1, address: '33999', status: 0x0b }]
  const multi = decodeForeign(encodePdu({ command: 'submit_multi_resp', ...header, unsuccessful }))
  assert.equal(multi.message_id, '12')
  assert.deepEqual(multi.unsuccess_sme, [
    { dest_addr_ton: 1, dest_addr_npi: 1, destination_addr: '33999', error_status_code: 0x0b }
  ])
  const finalDate = Object.keys(TIMES)[0] ?? ''
  const query = decodeForeign(
    encodePdu({ command: 'query_sm_resp', ...header, finalDate, messageState: 2, errorCode: 7 })
  )
  assert.deepEqual(
    [query.message_id, query.final_date, query.message_state, query.error_code],
    ['12', new Date(TIMES[finalDate] ?? ''), 2, 7]
  )
  for (const command of ['cancel_sm_resp', 'replace_sm_resp'] as const) {
    assert.equal(decodeForeign(encodePdu({ command, status: 0x11, sequence: 9 })).command_status, 0x11)
  }
})

test('answers of failure have no body on either side, but for the unused field of deliver_sm_resp', () => {
  const answers = ['bind_transceiver_resp', 'submit_sm_resp', 'data_sm_resp', 'deliver_sm_resp'] as const
  for (const command of answers) {
    const theirs = new smpp.PDU(command, { command_status: 0x58, sequence_number: 9 }).toBuffer()
    const pdu = decode(theirs)
    assert.deepEqual([pdu.command, pdu.status, pdu.sequence], [command, 0x58, 9])
    const ours = encodePdu(pdu as KnownPdu)
    if (command !== 'deliver_sm_resp') assert.deepEqual(ours, theirs)
    const read = decodeForeign(ours)
    assert.deepEqual([read.command, read.command_status, read.sequence_number], [command, 0x58, 9])
  }
})

// Values of paragraph 5.3.2 in their full size, each written in hexadecimal by hand.
const TLVS: [name: keyof typeof TLV_TAGS, theirs: unknown, ours: string][] = [
  ['dest_addr_subunit', 1, '01'],
  ['dest_network_type', 1, '01'],
  ['dest_bearer_type', 1, '01'],
  ['dest_telematics_id', 0x1234, '1234'],
  ['source_addr_subunit', 2, '02'],
  ['source_network_type', 1, '01'],
  ['source_bearer_type', 3, '03'],
  ['source_telematics_id', 0x0102, '0102'],
  ['qos_time_to_live', 0xfffefdfc, 'fffefdfc'],
  ['payload_type', 1, '01'],
  ['additional_status_info_text', 'why', '77687900'],
  ['receipted_message_id', '1a2b', '3161326200'],
  ['ms_msg_wait_facilities', 0x81, '81'],
  ['privacy_indicator', 3, '03'],
  ['source_subaddress', Buffer.from('80aa', 'hex'), '80aa'],
  ['dest_subaddress', Buffer.from('a0bb', 'hex'), 'a0bb'],
  ['user_message_reference', 0xfffe, 'fffe'],
  ['user_response_code', 255, 'ff'],
  ['source_port', 2948, '0b84'],
  ['destination_port', 9200, '23f0'],
  ['sar_msg_ref_num', 0x01cc, '01cc'],
  ['language_indicator', 3, '03'],
  ['sar_total_segments', 3, '03'],
  ['sar_segment_seqnum', 2, '02'],
  ['sc_interface_version', 0x34, '34'],
  ['number_of_messages', 99, '63'],
  ['dpf_result', 1, '01'],
  ['set_dpf', 1, '01'],
  ['ms_availability_status', 2, '02'],
  ['network_error_code', Buffer.from('030123', 'hex'), '030123'],
  ['message_payload', Buffer.alloc(60_000, 'a'), '61'.repeat(60_000)],
  ['delivery_failure_reason', 3, '03'],
  ['more_messages_to_send', 1, '01'],
  ['message_state', 2, '02'],
  ['ussd_service_op', 2, '02'],
  ['display_time', 1, '01'],
  ['sms_signal', 0x0102, '0102'],
  ['ms_validity', Buffer.from('03', 'hex'), '03'],
  ['its_reply_type', 8, '08'],
  ['its_session_info', Buffer.from('0102', 'hex'), '0102']
]
/** They read these in a form of their own; only their tags are compared. */
const TLVS_BY_TAG_ALONE = ['callback_num_pres_ind', 'callback_num_atag', 'callback_num', 'alert_on_message_delivery']

/** SMPP 5.0 renamed one. */
function foreignTlvName(name: string): string {
  return name === 'destination_port' ? 'dest_port' : name
}

test('every TLV is the same to both, alone and together', () => {
  assert.deepEqual([...TLVS.map(([name]) => name), ...TLVS_BY_TAG_ALONE].sort(), Object.keys(TLV_TAGS).sort())
  const small = TLVS.filter(([name]) => name !== 'message_payload')
  for (const entries of [...TLVS.map((entry) => [entry]), small]) {
    const pdu: KnownPdu = {
      ...MESSAGE,
      command: 'deliver_sm',
      dataCoding: 4,
      tlvs: new Map(entries.map(([name, , value]) => [TLV_TAGS[name], Buffer.from(value, 'hex')]))
    }
    const theirs = entries.map(([name, value]) => [foreignTlvName(name), value])
    const foreign = new smpp.PDU('deliver_sm', { ...foreignFields(pdu), ...Object.fromEntries(theirs) })
    assert.deepEqual(decode(foreign.toBuffer()), pdu)
    if (entries.some(([name]) => name === 'message_payload')) continue // Longer than what they accept.
    const read = decodeForeign(encodePdu(pdu))
    for (const [name, value] of theirs) assert.deepEqual(read[String(name)], value, String(name))
  }
})

test('a tag that neither knows passes through', () => {
  const pdu: KnownPdu = { ...MESSAGE, command: 'submit_sm', tlvs: new Map([[0x1501, Buffer.from('own')]]) }
  assert.deepEqual(decodeForeign(encodePdu(pdu))[String(0x1501)], Buffer.from('own'))
})

test('texts in every alphabet, and the header of a segment, arrive as they were sent', () => {
  const sent = 'é è à € [] Ω'
  for (const encoding of ['gsm', 'ucs2'] as const) {
    const { dataCoding: coding, bytes: encoded } = encodeText(sent, encoding)
    const header = Buffer.from('050003cc0201', 'hex')
    const submit: MessagePdu = { ...MESSAGE, command: 'submit_sm', dataCoding: coding, shortMessage: encoded }
    const segment = { ...submit, esmClass: 0x40, shortMessage: Buffer.concat([header, encoded]) }
    assert.deepEqual(decodeForeign(encodePdu(submit)).short_message, { message: sent })
    assert.deepEqual(decodeForeign(encodePdu(segment)).short_message, { udh: [header.subarray(1)], message: sent })
  }
  for (const coding of [0x00, 0x08]) {
    const pdu = decode(new smpp.PDU('deliver_sm', { data_coding: coding, short_message: sent }).toBuffer())
    assert.ok(pdu.command === 'deliver_sm')
    assert.equal(decodeText(pdu.shortMessage, pdu.dataCoding, { defaultEncoding: 'gsm' }), sent)
  }
})

test('commands, statuses and tags have the numbers that others know', () => {
  for (const [name, id] of Object.entries(COMMAND_IDS)) assert.equal(smpp.commands[name]?.id, id, name)
  for (const [name, id] of Object.entries(TLV_TAGS)) assert.equal(smpp.tlvs[foreignTlvName(name)]?.id, id, name)
  const renamed: Readonly<Record<string, string>> = {
    ESME_RINVOPTPARSTREAM: 'ESME_RINVTLVSTREAM',
    ESME_ROPTPARNOTALLWD: 'ESME_RTLVNOTALLWD',
    ESME_RINVPARLEN: 'ESME_RINVTLVLEN',
    ESME_RMISSINGOPTPARAM: 'ESME_RMISSINGTLV',
    ESME_RINVOPTPARAMVAL: 'ESME_RINVTLVVAL'
  }
  for (const [name, code] of Object.entries(STATUSES)) assert.equal(smpp.errors[renamed[name] ?? name], code, name)
  const isBefore5 = (code: number) => code < 0x100
  const before5 = Object.values(smpp.errors).filter(isBefore5)
  assert.deepEqual(Object.values(STATUSES).filter(isBefore5).sort(), before5.sort())
})

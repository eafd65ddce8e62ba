import { strict as assert } from 'node:assert'
import { test } from 'node:test'
import fc from 'fast-check'
import { TLV_TAGS } from '../../smpp/commands.ts'
import { MESSAGE } from '../../smpp/pdu.samples.ts'
import type { DataPdu, MessagePdu } from '../../smpp/pdu.ts'
import { readInbound } from './read-inbound.ts'

const PROFILE = { name: 'main', encoding: 'gsm' } as const

function deliver(fields: Partial<MessagePdu>): MessagePdu {
  return { ...MESSAGE, command: 'deliver_sm', ...fields }
}

function readReply(fields: Partial<MessagePdu>) {
  const inbound = readInbound(deliver(fields), PROFILE)
  return inbound.kind === 'reply' ? { text: inbound.reply.text, segment: inbound.reply.segment } : inbound.kind
}

test('a header is cut off, and of its elements only concatenation is read', () => {
  const cases: [header: string, segment: object | undefined][] = [
    ['050003cc0302', { reference: 0xcc, position: 2, total: 3 }],
    ['06080401cc0302', { reference: 0x1cc, position: 2, total: 3 }],
    // Ports before it, a language shift after it.
    ['0e0504158200000003cc0302250101', { reference: 0xcc, position: 2, total: 3 }],
    ['06050415820000', undefined],
    ['050003cc0101', undefined],
    ['050003cc0304', undefined],
    ['050003cc0300', undefined],
    ['03000312', undefined],
    ['00', undefined]
  ]
  for (const [header, segment] of cases) {
    const shortMessage = Buffer.concat([Buffer.from(header, 'hex'), Buffer.from('Oui')])
    assert.deepEqual(readReply({ esmClass: 0x40, shortMessage }), { text: 'Oui', segment }, header)
  }
})

test('a header longer than the text is no header, and a header alone is nothing', () => {
  assert.deepEqual(readReply({ esmClass: 0x40, shortMessage: Buffer.from('zz') }), { text: 'zz', segment: undefined })
  assert.equal(readReply({ esmClass: 0x40, shortMessage: Buffer.from('050003cc0302', 'hex') }), 'nothing')
  assert.equal(readReply({}), 'nothing')
})

test('the carrier’s default alphabet is the one that it was set up with', () => {
  const pdu = deliver({ shortMessage: Buffer.from([0x00, 0xe9]) })
  const text = (encoding: 'gsm' | 'latin1') => {
    const inbound = readInbound(pdu, { name: 'main', encoding })
    return inbound.kind === 'reply' && inbound.reply.text
  }
  assert.deepEqual([text('gsm'), text('latin1')], ['@é', '\0é'])
})

test('data_sm is read like deliver_sm', () => {
  const { sourceAddr, destinationAddr, esmClass, dataCoding, ...rest } = MESSAGE
  const data = (fields: Partial<DataPdu>): DataPdu => ({
    ...rest,
    command: 'data_sm',
    esmClass,
    dataCoding,
    sourceAddr: '33612345678',
    destinationAddr: '36111',
    ...fields
  })
  const tlvs = new Map([[TLV_TAGS.message_payload, Buffer.from('id:7 stat:DELIVRD')]])
  const receipt = readInbound(data({ esmClass: 4, tlvs }), PROFILE)
  assert.equal(receipt.kind === 'receipt' && receipt.receipt.carrierMessageId, '7')
  const reply = readInbound(data({ tlvs }), PROFILE)
  assert.equal(reply.kind === 'reply' && reply.reply.text, 'id:7 stat:DELIVRD')
  assert.deepEqual([sourceAddr, destinationAddr], ['', ''])
})

test('a receipt that names nothing is still one, of now', () => {
  const inbound = readInbound(deliver({ esmClass: 4 }), PROFILE)
  assert.ok(inbound.kind === 'receipt')
  const { at, ...receipt } = inbound.receipt
  assert.ok(Date.now() - at.getTime() < 1_000)
  assert.deepEqual(receipt, {
    carrier: 'main',
    carrierMessageId: '',
    state: 'unknown',
    word: '',
    errorCode: '',
    source: '',
    destination: ''
  })
})

test('no bytes whatever make it throw', () => {
  const uint8 = fc.integer({ min: 0, max: 255 })
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 254 }), uint8, uint8, (bytes, esmClass, dataCoding) => {
      readInbound(deliver({ shortMessage: Buffer.from(bytes), esmClass, dataCoding }), PROFILE)
    })
  )
})

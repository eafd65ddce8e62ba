import { strict as assert } from 'node:assert'
import { test } from 'node:test'
import fc from 'fast-check'
import { ANY_CHARACTER } from '../../../test/checks/any-character.ts'
import { MESSAGE } from '../../smpp/pdu.samples.ts'
import type { DataPdu, MessagePdu, Tlvs } from '../../smpp/pdu.ts'
import { NO_TLVS } from '../../smpp/pdu.ts'
import { isReceipt, parseReceipt, parseReceiptText, type ReceiptState } from './receipt-text.ts'

function deliver(text: string, tlvs: Tlvs = NO_TLVS): MessagePdu {
  return { ...MESSAGE, command: 'deliver_sm', esmClass: 0x04, shortMessage: Buffer.from(text, 'latin1'), tlvs }
}

const IDS = [
  '0',
  '1234567890',
  '0001234567',
  '18446744073709551615',
  '1a2b3c',
  'DEADBEEF',
  '0xABCDEF01',
  'c4a760a8-dbcf-4e14-9f39-645a8e933d74',
  'C4A760A8-DBCF-4E14-9F39-645A8E933D74',
  'smsc_1.eu:42',
  'a'.repeat(65)
]
const WORDS: [word: string, state: ReceiptState][] = [
  ['DELIVRD', 'delivered'],
  ['EXPIRED', 'expired'],
  ['DELETED', 'failed'],
  ['UNDELIV', 'failed'],
  ['ACCEPTD', 'unknown'],
  ['ENROUTE', 'unknown'],
  ['UNKNOWN', 'unknown'],
  ['REJECTD', 'rejected'],
  ['DELIVERED', 'delivered'],
  ['UNDELIVERABLE', 'failed'],
  ['REJECTED', 'rejected'],
  ['delivrd', 'delivered'],
  ['Undeliv', 'failed'],
  ['BUFFRED', 'unknown'],
  ['DELIVRD2', 'unknown'],
  ['5', 'unknown']
]
const FORMS: [name: string, write: (id: string, word: string) => string][] = [
  [
    'appendix B',
    (id, word) =>
      `id:${id} sub:001 dlvrd:001 submit date:2607281200 done date:2607281201 stat:${word} err:027 text:Bonjour`
  ],
  [
    'upper case',
    (id, word) => `ID:${id} SUB:001 DLVRD:001 SUBMIT DATE:2607281200 DONE DATE:2607281201 STAT:${word} ERR:027 TEXT:`
  ],
  [
    'spaces after the colons',
    (id, word) => `id: ${id} sub: 001 dlvrd: 001 submit date: 2607281200 done date: 2607281201 stat: ${word} err: 027`
  ],
  ['another order', (id, word) => `stat:${word} done date:260728120100 err:027 id:${id} Text:none`],
  ['lines', (id, word) => `id:${id}\r\ndone_date:20260728120100\r\nstatus:${word}\r\nerror:027\r\n`],
  ['commas', (id, word) => `id:${id}, donedate:202607281201, stat:${word}, err:027, text:hi`]
]

test('a receipt is read in every form, with every kind of id and every word', () => {
  for (const [name, write] of FORMS) {
    for (const id of IDS) {
      for (const [word, state] of WORDS) {
        const doneAt = new Date('2026-07-28T12:01:00Z')
        const expected = { carrierMessageId: id, state, word, errorCode: '027', doneAt }
        assert.deepEqual(parseReceiptText(write(id, word)), expected, `${name}: ${write(id, word)}`)
      }
    }
  }
})

test('a receipt without spaces between its parts is read', () => {
  const text = 'id:1a2bsub:001dlvrd:001submit date:2607281200done date:2607281201stat:DELIVRDerr:000text:id:9'
  assert.deepEqual(parseReceiptText(text), {
    carrierMessageId: '1a2b',
    state: 'delivered',
    word: 'DELIVRD',
    errorCode: '000',
    doneAt: new Date('2026-07-28T12:01:00Z')
  })
})

test('missing parts are missing, and nothing is ever taken for a failure', () => {
  const nothing = { carrierMessageId: undefined, state: 'unknown', word: '', errorCode: '', doneAt: undefined }
  assert.deepEqual(parseReceiptText(''), nothing)
  assert.deepEqual(parseReceiptText('Bonjour, à demain'), nothing)
  assert.deepEqual(parseReceiptText('id: sub: stat: err: done date: text:'), nothing)
  assert.deepEqual(parseReceiptText('id:12 stat'), { ...nothing, carrierMessageId: '12' })
  assert.deepEqual(parseReceiptText('stat:EXPIRED'), { ...nothing, state: 'expired', word: 'EXPIRED' })
  const repeated = { ...nothing, carrierMessageId: '7', state: 'delivered', word: 'DELIVRD' }
  assert.deepEqual(parseReceiptText('id: id:7 stat:DELIVRD id:8 stat:UNDELIV'), repeated, 'the first with a value')
})

test("the words of a customer are not taken for the carrier's", () => {
  const receipt = parseReceiptText('id:7 text:id:8 stat:DELIVRD err:000')
  assert.deepEqual([receipt.carrierMessageId, receipt.state, receipt.errorCode], ['7', 'unknown', ''])
})

test('dates are read in the forms in use, and one that does not exist is none', () => {
  const cases: [written: string, iso: string | undefined][] = [
    ['2607281201', '2026-07-28T12:01:00.000Z'],
    ['260728120159', '2026-07-28T12:01:59.000Z'],
    ['202607281201', '2026-07-28T12:01:00.000Z'],
    ['20260728120159', '2026-07-28T12:01:59.000Z'],
    ['2026-07-28 12:01:59', '2026-07-28T12:01:59.000Z'],
    ['260728120159008+', '2026-07-28T10:01:59.000Z'],
    ['260728120159004-', '2026-07-28T13:01:59.000Z'],
    ['2602291200', undefined],
    ['2613011200', undefined],
    ['2607282400', undefined],
    ['26072812', undefined],
    ['0', undefined],
    ['never', undefined]
  ]
  for (const [written, iso] of cases) {
    assert.equal(parseReceiptText(`id:1 done date:${written} stat:DELIVRD`).doneAt?.toISOString(), iso, written)
  }
})

const TEXT = 'id:text-id sub:001 dlvrd:000 done date:2607281201 stat:UNDELIV err:027 text:'

test('TLVs win over the text, unless they are empty or make no sense', () => {
  const tlvs = (id: string, state: string, error: string) =>
    new Map([
      [0x001e, Buffer.from(id, 'latin1')],
      [0x0427, Buffer.from(state, 'hex')],
      [0x0423, Buffer.from(error, 'hex')]
    ])
  const cases: [Tlvs, id: string, state: ReceiptState, word: string, errorCode: string][] = [
    [tlvs('tlv-id\0', '02', '030123'), 'tlv-id', 'delivered', 'DELIVRD', '291'],
    [tlvs('tlv-id', '01', '030000'), 'tlv-id', 'unknown', 'ENROUTE', '0'],
    [tlvs('\0', '', ''), 'text-id', 'failed', 'UNDELIV', '027'],
    [tlvs('', '63', '03'), 'text-id', 'failed', 'UNDELIV', '027'],
    [NO_TLVS, 'text-id', 'failed', 'UNDELIV', '027']
  ]
  for (const [map, carrierMessageId, state, word, errorCode] of cases) {
    const doneAt = new Date('2026-07-28T12:01:00Z')
    assert.deepEqual(parseReceipt(deliver(TEXT, map)), { carrierMessageId, state, word, errorCode, doneAt })
  }
})

test('each message_state has its word and its state', () => {
  const states = [1, 2, 3, 4, 5, 6, 7, 8].map((value) => {
    const { word, state } = parseReceipt(deliver('', new Map([[0x0427, Buffer.from([value])]])))
    return `${word} ${state}`
  })
  assert.deepEqual(states, [
    'ENROUTE unknown',
    'DELIVRD delivered',
    'EXPIRED expired',
    'DELETED failed',
    'UNDELIV failed',
    'ACCEPTD unknown',
    'UNKNOWN unknown',
    'REJECTD rejected'
  ])
})

test('a receipt is read from message_payload, from UCS-2, and from data_sm', () => {
  const text = 'id:a_b stat:DELIVRD'
  const payload = new Map([[0x0424, Buffer.from(text)]])
  const { shortMessage, protocolId, ...rest } = deliver('')
  const data: DataPdu = { ...rest, command: 'data_sm', tlvs: payload }
  const ucs2 = { ...deliver(''), dataCoding: 8, shortMessage: Buffer.from(text, 'utf16le').swap16() }
  for (const pdu of [deliver('', payload), data, ucs2, { ...deliver(text), dataCoding: 0xf0 }]) {
    const { carrierMessageId, state } = parseReceipt(pdu)
    assert.deepEqual([carrierMessageId, state], ['a_b', 'delivered'])
  }
})

test('a receipt is known by what the carrier sets, and never by its text', () => {
  const cases: [esmClass: number, tlvs: Tlvs, expected: boolean][] = [
    [0x04, NO_TLVS, true],
    [0x07, NO_TLVS, true],
    [0x44, NO_TLVS, true],
    [0xc4, NO_TLVS, true],
    [0x20, NO_TLVS, true],
    [0x00, new Map([[0x0427, Buffer.from([2])]]), true],
    [0x00, new Map([[0x001e, Buffer.from('4f2a\0')]]), true],
    [0x40, new Map([[0x001e, Buffer.from('4f2a')]]), true],
    [0x00, new Map([[0x001e, Buffer.from('\0')]]), false],
    [0x00, NO_TLVS, false],
    [0x03, NO_TLVS, false],
    [0x40, NO_TLVS, false],
    [0x80, NO_TLVS, false],
    [0x00, new Map([[0x0204, Buffer.from([0, 1])]]), false]
  ]
  for (const [esmClass, tlvs, expected] of cases) {
    assert.equal(isReceipt({ ...deliver(TEXT, tlvs), esmClass }), expected, esmClass.toString(16))
  }
})

test('no text and no TLV makes the reading of a receipt throw', () => {
  const words = [
    'id:',
    'stat:',
    'err:',
    'done date:',
    'submit date:',
    'text:',
    ' ',
    '\0',
    ':',
    '1',
    '99',
    'DELIVRD',
    '+',
    'é'
  ]
  const texts = fc.oneof(fc.string({ unit: fc.constantFrom(...words) }), fc.string({ unit: ANY_CHARACTER }))
  const tlvs = fc.array(fc.tuple(fc.constantFrom(0x1e, 0x427, 0x423, 0x424), fc.uint8Array({ maxLength: 9 })))
  fc.assert(
    fc.property(texts, tlvs, fc.constantFrom(0, 8), (text, entries, dataCoding) => {
      const map = new Map(entries.map(([tag, value]) => [tag, Buffer.from(value)]))
      const receipt = parseReceipt({ ...deliver(text, map), dataCoding })
      assert.ok(['delivered', 'failed', 'expired', 'rejected', 'unknown'].includes(receipt.state))
      assert.ok(receipt.doneAt === undefined || !Number.isNaN(receipt.doneAt.getTime()))
    }),
    { numRuns: 500 }
  )
})

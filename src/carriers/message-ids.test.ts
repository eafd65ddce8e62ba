import { strict as assert } from 'node:assert'
import { test } from 'node:test'
import fc from 'fast-check'
import { type CandidateId, candidateIds, canonicalId, type IdForm, isDecisive, isSamePhone } from './message-ids.ts'

const UUID = '0f8fad5b-d9cb-469f-a165-70867728950e'

test('an id has one canonical form', () => {
  const cases: [raw: string, canonical: string][] = [
    ['7', '7'],
    [' 0007 \r\n', '7'],
    ['00AbCdEf', 'abcdef'],
    ['000', '0'],
    ['0', '0'],
    ['', ''],
    ['   ', ''],
    ['0X00FF', '0xff'],
    ['0x', '0x'],
    ['00G1', '00g1'],
    [UUID.toUpperCase(), UUID],
    ['18446744073709551615', '18446744073709551615'],
    ['A'.repeat(100), 'a'.repeat(64)],
    [`${'0'.repeat(70)}12`, '12']
  ]
  for (const [raw, canonical] of cases) assert.equal(canonicalId(raw), canonical, raw)
})

test('a receipt is looked up under every form that its id may have', () => {
  const asIs = (id: string): CandidateId => ({ form: 'as-is', id })
  const hex = (id: string): CandidateId => ({ form: 'hex', id })
  const dec = (id: string): CandidateId => ({ form: 'dec', id })
  const cases: [receiptId: string, candidates: CandidateId[]][] = [
    ['10', [asIs('10'), hex('16'), dec('a')]],
    ['0000000010', [asIs('10'), hex('16'), dec('a')]],
    ['1F', [asIs('1f'), hex('31')]],
    ['0x1F', [asIs('0x1f'), hex('31')]],
    ['0x10', [asIs('0x10'), hex('16')]],
    ['7', [asIs('7')]],
    ['000', [asIs('0')]],
    ['3735928559', [asIs('3735928559'), hex('237121996121'), dec('deadbeef')]],
    ['DEADBEEF', [asIs('deadbeef'), hex('3735928559')]],
    // 64 bits: a number of JavaScript would round it.
    ['18446744073709551615', [asIs('18446744073709551615'), hex('114598615266301018707477'), dec('ffffffffffffffff')]],
    ['FFFFFFFFFFFFFFFF', [asIs('ffffffffffffffff'), hex('18446744073709551615')]],
    [UUID, [asIs(UUID)]],
    ['msg-1', [asIs('msg-1')]],
    ['12g', [asIs('12g')]],
    ['-12', [asIs('-12')]],
    ['1.5', [asIs('1.5')]],
    // Its decimal form has 78 digits, more than any answer can hold.
    ['f'.repeat(64), [asIs('f'.repeat(64))]],
    ['', []],
    ['\0', [asIs('\0')]],
    ['  ', []]
  ]
  for (const [receiptId, candidates] of cases) {
    assert.deepEqual(candidateIds(receiptId, 'auto'), candidates, receiptId)
  }
})

test('the form that was learned comes first, a fixed one alone', () => {
  const forms = (list: CandidateId[]) => list.map(({ form }) => form)
  assert.deepEqual(forms(candidateIds('10', 'auto', 'dec')), ['dec', 'as-is', 'hex'])
  assert.deepEqual(forms(candidateIds('10', 'auto', 'hex')), ['hex', 'as-is', 'dec'])
  assert.deepEqual(forms(candidateIds('1f', 'auto', 'dec')), ['as-is', 'hex'])
  assert.deepEqual(candidateIds('7', 'auto', 'dec'), [{ form: 'dec', id: '7' }])
  for (const [format, id] of [
    ['as-is', '10'],
    ['hex', '16'],
    ['dec', 'a']
  ] as [IdForm, string][]) {
    assert.deepEqual(candidateIds('10', format, 'as-is'), [{ form: format, id }])
  }
  assert.deepEqual(candidateIds(UUID, 'hex'), [])
  assert.deepEqual(candidateIds('1f', 'dec'), [])
  assert.deepEqual(candidateIds('', 'as-is'), [])
})

test('a match proves a form only if no other form gives the same id', () => {
  const cases: [receiptId: string, form: IdForm, decisive: boolean][] = [
    ['7', 'as-is', false],
    ['7', 'hex', false],
    ['7', 'dec', false],
    ['0009', 'as-is', false],
    ['0x7', 'hex', true],
    ['10', 'as-is', true],
    ['10', 'hex', true],
    ['10', 'dec', true],
    ['b', 'as-is', true],
    ['b', 'hex', true],
    ['b', 'dec', false],
    [UUID, 'as-is', true],
    [UUID, 'hex', false],
    ['', 'as-is', false]
  ]
  for (const [receiptId, form, decisive] of cases)
    assert.equal(isDecisive(receiptId, form), decisive, `${receiptId} ${form}`)
})

test('whatever a carrier does to a number between answer and receipt, its form finds it', () => {
  const number = fc.bigInt({ min: 0n, max: 2n ** 128n - 1n })
  const pad = fc.nat(8)
  fc.assert(
    fc.property(number, pad, pad, fc.boolean(), (number, padAnswer, padReceipt, isUpper) => {
      const written = (base: 10 | 16, zeros: number) => {
        const digits = number.toString(base).padStart(zeros, '0')
        return isUpper ? digits.toUpperCase() : digits
      }
      const pairs: [answer: 10 | 16, receipt: 10 | 16, form: IdForm][] = [
        [10, 10, 'as-is'],
        [16, 16, 'as-is'],
        [10, 16, 'hex'],
        [16, 10, 'dec']
      ]
      for (const [answerBase, receiptBase, form] of pairs) {
        const stored = canonicalId(written(answerBase, padAnswer))
        const receiptId = written(receiptBase, padReceipt)
        assert.deepEqual(candidateIds(receiptId, form), [{ form, id: stored }])
        assert.ok(candidateIds(receiptId, 'auto').some(({ id }) => id === stored))
      }
    }),
    { numRuns: 2000 }
  )
})

test('a phone is the same however a carrier writes it', () => {
  const same = [
    '+33612345678',
    '33612345678',
    '0033612345678',
    '+33 6 12 34 56 78',
    '0612345678',
    '612345678',
    '12345678'
  ]
  for (const written of [...same, '+33 (0)6 12 34 56 78', '330612345678']) {
    assert.equal(isSamePhone(written, '+33612345678'), true, written)
  }
  for (const written of ['', '+', '+33612345679', '2345678', '36111', 'CHAPPE', 'SMS12345678', '+3361234567']) {
    assert.equal(isSamePhone(written, '+33612345678'), false, written)
  }
  assert.equal(isSamePhone('89123456789', '+79123456789'), true, 'a Russian number as dialled at home')
  assert.equal(isSamePhone('6834002', '+6834002'), true, 'the shortest numbers there are')
  assert.equal(isSamePhone('4002', '+6834002'), false)
})

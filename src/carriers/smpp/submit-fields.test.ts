import { strict as assert } from 'node:assert'
import { test } from 'node:test'
import { toAddress, toValidityPeriod } from './submit-fields.ts'

test('the time left is a relative validity period, whole seconds, from one second to thirty days', () => {
  const cases: [secondsLeft: number, period: string][] = [
    [0.2, '000000000001000R'],
    [59.9, '000000000059000R'],
    [61, '000000000101000R'],
    [2 * 3600, '000000020000000R'],
    [48 * 3600, '000002000000000R'],
    [25 * 3600 + 61, '000001010101000R'],
    [400 * 86_400, '000030000000000R']
  ]
  for (const [secondsLeft, period] of cases) assert.equal(toValidityPeriod(secondsLeft), period)
})

test('senders are names, short codes or numbers', () => {
  assert.deepEqual(toAddress('CHAPPE'), { ton: 5, npi: 0, address: 'CHAPPE' })
  assert.deepEqual(toAddress('3 Suisses'), { ton: 5, npi: 0, address: '3 Suisses' })
  assert.deepEqual(toAddress('36111'), { ton: 3, npi: 0, address: '36111' })
  assert.deepEqual(toAddress('361110'), { ton: 3, npi: 0, address: '361110' })
  assert.deepEqual(toAddress('3611100'), { ton: 1, npi: 1, address: '3611100' })
  assert.deepEqual(toAddress('+33700000001'), { ton: 1, npi: 1, address: '33700000001' })
})

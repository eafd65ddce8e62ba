import { strict as assert } from 'node:assert'
import { test } from 'node:test'
import { encodePdu } from '../smpp/encode.ts'
import { toReplyPdu } from './delivery-pdus.ts'

test('a reply can be sent whatever an HTTP carrier names its writer and its number, and a short code is no international number', () => {
  const odd = `Ça va 😀 ${'x'.repeat(60)}`
  const named = toReplyPdu({ phone: odd, writtenTo: odd, content: 'Oui' })
  assert.ok(encodePdu({ ...named, sequence: 1 }).length > 0)
  assert.deepEqual([named.sourceAddrTon, named.sourceAddr], [5, '?a va ?? xxxxxxxxxxx'])
  assert.deepEqual([named.destAddrTon, named.destinationAddr], [5, '?a va ?? xxxxxxxxxxx'])
  const numbered = toReplyPdu({ phone: '+33639980013', writtenTo: '36111', content: 'Oui' })
  assert.deepEqual([numbered.sourceAddrTon, numbered.sourceAddr], [1, '33639980013'])
  assert.deepEqual([numbered.destAddrTon, numbered.destAddrNpi, numbered.destinationAddr], [3, 0, '36111'])
})

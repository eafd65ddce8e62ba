import { strict as assert } from 'node:assert'
import { test } from 'node:test'
import fc from 'fast-check'
import { answerChallenge, isSignedBy, readRbmPush } from './event-signature.ts'

/** RFC 4231, test case 2, in base64. */
const KEY = 'Jefe'
const DATA = Buffer.from('what do ya want for nothing?')
const SIGNATURE = Buffer.from(
  '164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea2505549758bf75c05a994a6d034f65f8f0e6fdcaeab1a34d4a6b4b636e070a38bce737',
  'hex'
).toString('base64')

test('what the holder of the token signed is told from what is forged', () => {
  assert.equal(isSignedBy(KEY, DATA, SIGNATURE), true)
  assert.equal(isSignedBy('Jeff', DATA, SIGNATURE), false)
  assert.equal(isSignedBy(KEY, Buffer.from('what do ya want for nothing!'), SIGNATURE), false)
  assert.equal(isSignedBy(KEY, Buffer.alloc(0), SIGNATURE), false)
  assert.equal(isSignedBy(KEY, DATA, undefined), false)
  for (const other of ['', 'x', SIGNATURE.slice(0, -1), `${SIGNATURE}=`, SIGNATURE.replace('F', 'f'), 'é'.repeat(44)]) {
    assert.equal(isSignedBy(KEY, DATA, other), false, other)
  }
})

test('the signature is over the bytes of the event, not over what they are wrapped in', () => {
  const body = { message: { data: DATA.toString('base64'), messageId: '1', attributes: {} }, subscription: 's' }
  const push = readRbmPush(body)
  assert.ok(push?.kind === 'event')
  assert.equal(isSignedBy(KEY, push.data, SIGNATURE), true)
})

test('the set-up challenge is answered with its secret, to whoever knows the token', () => {
  const push = readRbmPush({ clientToken: 'SJENCPGJESMGUFPY', secret: '1234567890' })
  assert.deepEqual(push, { kind: 'challenge', clientToken: 'SJENCPGJESMGUFPY', secret: '1234567890' })
  assert.equal(answerChallenge('SJENCPGJESMGUFPY', push), '1234567890')
  assert.equal(answerChallenge('another', push), undefined)
})

test('whatever else is posted is neither', () => {
  const others = [null, 1, 'x', [], {}, { message: null }, { message: {} }, { message: { data: 1 } }, { secret: '1' }]
  for (const other of others) assert.equal(readRbmPush(other), undefined)
  fc.assert(fc.property(fc.jsonValue(), (value) => void readRbmPush(value)))
})

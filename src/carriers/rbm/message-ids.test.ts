import { strict as assert } from 'node:assert'
import { test } from 'node:test'
import fc from 'fast-check'
import { fromRbmMessageId, messageIdKeysOf, toRbmMessageId } from './message-ids.ts'

const TOKEN = 'SJENCPGJESMGUFPY'
/** RFC 4122: the versions that it knows, and its variant. */
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[1-5][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
const references = fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER })

test('an id of ours is a UUID, the same at every attempt, and leads back to the recipient', () => {
  fc.assert(
    fc.property(references, fc.string({ minLength: 1 }), (reference, token) => {
      const id = toRbmMessageId(reference, token)
      assert.match(id, UUID)
      assert.equal(toRbmMessageId(reference, token), id)
      assert.equal(fromRbmMessageId(id, [token]), reference)
      assert.equal(fromRbmMessageId(id.toUpperCase(), [token]), reference)
    })
  )
})

/** Its mark as `openssl dgst -sha256 -hmac` computes it, with two bits set for the variant. */
test('the id of a recipient does not change from one release to the next', () => {
  assert.equal(toRbmMessageId(5_242_887, TOKEN), '00000000-5000-5070-9570-8f0c6838f65c')
})

test('an id of somebody else’s is none of ours', () => {
  const id = toRbmMessageId(5_242_887, TOKEN)
  assert.equal(fromRbmMessageId(id, ['another token']), undefined)
  const mixed = toRbmMessageId(5_242_888, TOKEN).slice(0, 19) + id.slice(19)
  assert.equal(fromRbmMessageId(mixed, [TOKEN]), undefined)
  for (const other of ['', 'MxJc8Y', '12345xyz', crypto.randomUUID(), `${id}0`, id.slice(1), id.replaceAll('-', '')]) {
    assert.equal(fromRbmMessageId(other, [TOKEN]), undefined, other)
  }
  fc.assert(fc.property(fc.uuid(), (uuid) => assert.equal(fromRbmMessageId(uuid, [TOKEN]), undefined)))
  fc.assert(fc.property(fc.string(), (text) => assert.equal(fromRbmMessageId(text, [TOKEN]), undefined)))
})

test('an id made with the key that is stored is ours, whatever the token is now', () => {
  const carriers = [{ name: 'rcs', webhookToken: 'another token' }]
  const id = toRbmMessageId(5_242_887, TOKEN)
  assert.equal(fromRbmMessageId(id, messageIdKeysOf(carriers, new Map([['rcs', TOKEN]]))), 5_242_887)
  assert.equal(fromRbmMessageId(id, messageIdKeysOf(carriers, new Map([['other', TOKEN]]))), undefined)
  assert.equal(fromRbmMessageId(toRbmMessageId(7, 'another token'), messageIdKeysOf(carriers, new Map())), 7)
})

import { strict as assert } from 'node:assert'
import { createHmac, hkdfSync, randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { createHmacWith, deriveFrom, rememberHmacs } from './hmac.ts'

test('the HMAC is that of Node, for keys and messages of any length', () => {
  for (const algorithm of ['sha256', 'sha512'] as const) {
    for (const keyBytes of [0, 1, 32, 63, 64, 65, 127, 128, 129, 300]) {
      const key = randomBytes(keyBytes)
      const hmac = createHmacWith(algorithm, key)
      for (const message of [Buffer.alloc(0), randomBytes(1), randomBytes(1_000), 'été', '']) {
        for (const encoding of ['hex', 'base64', 'latin1'] as const) {
          const expected = createHmac(algorithm, key).update(message).digest(encoding)
          assert.equal(hmac(message, encoding), expected, `${algorithm}, a key of ${keyBytes} bytes`)
        }
      }
    }
  }
})

test('a key in letters counts as its UTF-8', () => {
  const expected = createHmac('sha256', 'clé').update('a').digest('hex')
  assert.equal(createHmacWith('sha256', 'clé')('a', 'hex'), expected)
})

test('a remembered HMAC stays that of its key', () => {
  const hmacOf = rememberHmacs('sha512')
  for (const key of ['one', 'two', 'one']) {
    assert.equal(hmacOf(key)('a', 'base64'), createHmac('sha512', key).update('a').digest('base64'))
  }
})

test('derived keys are those of Node’s HKDF', () => {
  for (const secret of ['a key', 'clé', 'x'.repeat(255)]) {
    const derive = deriveFrom(secret)
    for (const use of ['answer', 'fingerprint']) {
      assert.deepEqual(derive(use), Buffer.from(hkdfSync('sha256', secret, '', use, 32)))
    }
  }
})

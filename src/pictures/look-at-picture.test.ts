import { strict as assert } from 'node:assert'
import { test } from 'node:test'
import fc from 'fast-check'
import { lookAtPicture } from './look-at-picture.ts'
import { gif, jpeg, png } from './pictures.samples.ts'

const SIZE = { width: 1_440, height: 720 }

test('a JPEG, a PNG and a GIF tell their type and size', () => {
  assert.deepEqual(lookAtPicture(jpeg(SIZE)), { mediaType: 'image/jpeg', ...SIZE })
  assert.deepEqual(lookAtPicture(png(SIZE)), { mediaType: 'image/png', ...SIZE })
  assert.deepEqual(lookAtPicture(gif(SIZE)), { mediaType: 'image/gif', ...SIZE })
  const after = Buffer.concat([jpeg(SIZE), Buffer.from('what a camera adds')])
  assert.deepEqual(lookAtPicture(after), { mediaType: 'image/jpeg', ...SIZE })
})

test('a picture that is cut off anywhere is none, and neither is anything else', () => {
  for (const whole of [jpeg(SIZE), png(SIZE), gif(SIZE)]) {
    for (let length = 0; length < whole.length; length++) {
      assert.equal(lookAtPicture(whole.subarray(0, length)), undefined, `${length} of ${whole.length}`)
    }
  }
  for (const other of ['', '<svg xmlns="http://www.w3.org/2000/svg"/>', 'RIFF\0\0\0\0WEBPVP8 ', '%PDF-1.4', 'BM']) {
    assert.equal(lookAtPicture(Buffer.from(other)), undefined, other)
  }
})

test('whatever comes after the first bytes, the look ends and tells either a size or nothing', () => {
  const starts = [jpeg(SIZE), png(SIZE), gif(SIZE)].flatMap((whole) => [whole, whole.subarray(0, 12)])
  fc.assert(
    fc.property(fc.constantFrom(...starts), fc.uint8Array({ maxLength: 400 }), fc.nat(400), (start, bytes, at) => {
      const content = Buffer.concat([start, bytes])
      content[at % content.length] = 0xff
      const looked = lookAtPicture(content)
      assert.ok(looked === undefined || (looked.width >= 0 && looked.height >= 0))
    })
  )
})

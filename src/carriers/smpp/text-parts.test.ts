import { strict as assert } from 'node:assert'
import { test } from 'node:test'
import fc from 'fast-check'
import { countSegments } from '../../gsm/segments.ts'
import { decodeText } from '../../smpp/alphabets.ts'
import { TLV_TAGS } from '../../smpp/commands.ts'
import { splitText, toPartFields } from './text-parts.ts'

const WAYS = ['udh', 'udh16', 'sar', 'payload'] as const
const ENCODINGS = ['gsm', 'latin1'] as const

test('headers, sizes and TLVs are those of the standards', () => {
  const gsm = 'a'.repeat(161)
  const ucs2 = 'ç'.repeat(71)
  const cases: [way: (typeof WAYS)[number], text: string, sizes: number[], first: string][] = [
    ['udh', gsm, [6 + 153, 6 + 8], '050003cd0201'],
    ['udh', ucs2, [6 + 134, 6 + 8], '050003cd0201'],
    ['udh16', gsm, [7 + 152, 7 + 9], '060804abcd0201'],
    ['udh16', ucs2, [7 + 132, 7 + 10], '060804abcd0201'],
    ['sar', gsm, [153, 8], ''],
    ['sar', ucs2, [134, 8], '']
  ]
  for (const [longMessages, text, sizes, first] of cases) {
    const profile = { encoding: 'gsm', longMessages } as const
    const parts = splitText(text, profile)
    const fields = parts.bodies.map((_, position) => toPartFields(parts, position, 0xabcd, profile))
    assert.deepEqual(
      fields.map(({ shortMessage }) => shortMessage.length),
      sizes
    )
    assert.equal(fields[0]?.shortMessage.subarray(0, first.length / 2).toString('hex'), first)
    assert.equal(fields[0]?.esmClass, longMessages === 'sar' ? 0 : 0x40)
    const tlvs = [TLV_TAGS.sar_msg_ref_num, TLV_TAGS.sar_total_segments, TLV_TAGS.sar_segment_seqnum]
    const values = tlvs.map((tag) => fields[1]?.tlvs.get(tag)?.toString('hex'))
    assert.deepEqual(values, longMessages === 'sar' ? ['abcd', '02', '02'] : [undefined, undefined, undefined])
  }
})

test('a text is sent in as many parts as its price counts, however long the reference in the headers is', () => {
  const profile = { encoding: 'gsm', longMessages: 'udh16' } as const
  const cases: [text: string, sizes: number[], header: string][] = [
    ['a'.repeat(304), [7 + 152, 7 + 152], '060804abcd0201'],
    ['a'.repeat(305), [6 + 153, 6 + 152], '050003cd0201'],
    ['a'.repeat(306), [6 + 153, 6 + 153], '050003cd0201'],
    ['ç'.repeat(132), [7 + 132, 7 + 132], '060804abcd0201'],
    ['ç'.repeat(133), [6 + 134, 6 + 132], '050003cd0201']
  ]
  for (const [text, sizes, header] of cases) {
    const parts = splitText(text, profile)
    const fields = parts.bodies.map((_, position) => toPartFields(parts, position, 0xabcd, profile))
    assert.deepEqual(
      fields.map(({ shortMessage }) => shortMessage.length),
      sizes
    )
    assert.equal(fields[0]?.shortMessage.subarray(0, header.length / 2).toString('hex'), header)
  }
  const texts = fc.string({ unit: fc.constantFrom(...'aaaé€[ç😀'), maxLength: 700, size: 'max' })
  fc.assert(
    fc.property(texts, fc.constantFrom('udh', 'udh16', 'sar'), (text, longMessages) => {
      const { bodies } = splitText(text, { encoding: 'gsm', longMessages } as const)
      assert.equal(bodies.length, countSegments(text).segments)
    })
  )
})

test('what fits one SMS has neither header nor TLV, in every way', () => {
  for (const longMessages of WAYS) {
    for (const text of ['a'.repeat(160), 'ç'.repeat(70), '😀'.repeat(35), '']) {
      const profile = { encoding: 'gsm', longMessages } as const
      const parts = splitText(text, profile)
      const { esmClass, tlvs } = toPartFields(parts, 0, 1, profile)
      assert.deepEqual([parts.bodies.length, esmClass, tlvs.size], [1, 0, 0])
    }
  }
})

test('a long payload is one PDU', () => {
  for (const text of ['a'.repeat(161), 'ç'.repeat(71)]) {
    const profile = { encoding: 'gsm', longMessages: 'payload' } as const
    const parts = splitText(text, profile)
    const { shortMessage, tlvs } = toPartFields(parts, 0, 1, profile)
    assert.deepEqual([parts.bodies.length, shortMessage.length], [1, 0])
    assert.equal(tlvs.get(TLV_TAGS.message_payload)?.length, text.startsWith('a') ? 161 : 142)
  }
})

test('the parts of any text hold it whole: no character is lost, changed, or cut in two', () => {
  const characters = fc.constantFrom(...'abcé€[]{}~^|\\çêŒ你😀👍')
  const texts = fc.oneof(
    fc.string({ unit: characters, maxLength: 500, size: 'max' }),
    fc.string({ unit: fc.constantFrom(...'ab€['), maxLength: 500, size: 'max' })
  )
  fc.assert(
    fc.property(texts, fc.constantFrom(...WAYS), fc.constantFrom(...ENCODINGS), (text, longMessages, encoding) => {
      const { bodies, dataCoding, hasShortReference } = splitText(text, { longMessages, encoding })
      const parts = bodies.map((body) => decodeText(body, dataCoding, { defaultEncoding: 'gsm' }))
      assert.equal(parts.join(''), text)
      for (const part of parts) assert.ok(part.isWellFormed())
      if (longMessages === 'payload') return
      const octetsMax = bodies.length === 1 ? 140 : longMessages === 'udh16' && !hasShortReference ? 133 : 134
      for (const [index, body] of bodies.entries()) {
        if (dataCoding === 8) assert.ok(body.length <= octetsMax)
        else assert.ok(septets(parts[index] ?? '') <= Math.floor((octetsMax * 8) / 7))
      }
    })
  )
})

/** Written out: what is in the extension table takes two. */
function septets(text: string): number {
  return [...text].reduce((sum, character) => sum + ('€[]{}~^|\\'.includes(character) ? 2 : 1), 0)
}

import { strict as assert } from 'node:assert'
import { test } from 'node:test'
import fc from 'fast-check'
import smpp from 'smpp'
import { ANY_CHARACTER } from '../../test/checks/any-character.ts'
import { decodeText, encodeText, isEncodable, type TextEncoding } from './alphabets.ts'

// Written out again, in the order of 3GPP TS 23.038, paragraph 6.2.1, without the escape at 0x1b.
const GSM_TABLE =
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?' +
  '¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà'
const EXTENSION = '\f^{}\\[~]|€'

const gsm = { defaultEncoding: 'gsm' } as const
const latin1 = { defaultEncoding: 'latin1' } as const

function hex(text: string): Buffer {
  return Buffer.from(text.replaceAll(' ', ''), 'hex')
}

test('a text has the bytes that the standards say', () => {
  const cases: [text: string, encoding: TextEncoding, dataCoding: number, bytes: string][] = [
    ['é è à €', 'gsm', 0, '05 20 04 20 7f 20 1b65'],
    ['@[]{}\\^~|', 'gsm', 0, '00 1b3c 1b3e 1b28 1b29 1b2f 1b14 1b3d 1b40'],
    ['é è à ç', 'latin1', 3, 'e9 20 e8 20 e0 20 e7'],
    ['é è à ç €', 'ucs2', 8, '00e9 0020 00e8 0020 00e0 0020 00e7 0020 20ac'],
    ['😀', 'ucs2', 8, 'd83d de00'],
    ['', 'gsm', 0, ''],
    ['', 'ucs2', 8, '']
  ]
  for (const [text, encoding, dataCoding, bytes] of cases) {
    const encoded = encodeText(text, encoding)
    assert.deepEqual([encoded.dataCoding, encoded.bytes.toString('hex')], [dataCoding, bytes.replaceAll(' ', '')])
    assert.equal(decodeText(encoded.bytes, dataCoding, gsm), text)
  }
})

test('every character of GSM goes and comes back, and is the code the standard gives it', () => {
  assert.equal(GSM_TABLE.length, 127)
  const codes = Array.from({ length: 128 }, (_, code) => code).filter((code) => code !== 0x1b)
  const { bytes } = encodeText(GSM_TABLE, 'gsm')
  assert.deepEqual([...bytes], codes)
  assert.equal(decodeText(bytes, 0, gsm), GSM_TABLE)
  const extended = encodeText(EXTENSION, 'gsm').bytes
  assert.deepEqual(
    [...extended].filter((_, at) => at % 2 === 0),
    new Array(10).fill(0x1b)
  )
  assert.equal(decodeText(extended, 0, gsm), EXTENSION)
})

test('our GSM and that of a foreign implementation are the same', () => {
  for (const character of GSM_TABLE + EXTENSION) {
    assert.deepEqual(encodeText(character, 'gsm').bytes, smpp.gsmCoder.encode(character, 0), character)
  }
})

test('what can be encoded comes back as it was', () => {
  const alphabets: [encoding: TextEncoding, text: fc.Arbitrary<string>][] = [
    ['gsm', fc.string({ unit: fc.constantFrom(...GSM_TABLE, ...EXTENSION) })],
    ['latin1', fc.string({ unit: fc.integer({ min: 0, max: 0xff }).map((code) => String.fromCharCode(code)) })],
    ['ucs2', fc.string({ unit: ANY_CHARACTER })]
  ]
  for (const [encoding, texts] of alphabets) {
    fc.assert(
      fc.property(texts, (text) => {
        assert.ok(isEncodable(text, encoding))
        const { bytes, dataCoding } = encodeText(text, encoding)
        assert.equal(decodeText(bytes, dataCoding, gsm), text)
      })
    )
  }
})

test('a text is encoded exactly when no character gets lost', () => {
  const texts = fc.string({
    unit: fc.constantFrom('a', '€', 'ç', 'Ω', '你', '😀', '\ud83d', '\u00a0', '\u001b', '\uffff')
  })
  fc.assert(
    fc.property(texts, fc.constantFrom('gsm' as const, 'latin1' as const), (text, encoding) => {
      if (isEncodable(text, encoding))
        assert.equal(decodeText(encodeText(text, encoding).bytes, encoding === 'gsm' ? 0 : 3, gsm), text)
      else assert.throws(() => encodeText(text, encoding), /^Error: U\+[0-9A-F]{4,5} is not in /)
    })
  )
  assert.throws(() => encodeText('ça', 'gsm'), { message: 'U+00E7 is not in GSM.' })
  assert.throws(() => encodeText('1 €', 'latin1'), { message: 'U+20AC is not in Latin-1.' })
})

test('a surrogate without its half is replaced by one unit', () => {
  assert.equal(encodeText('a\ud83d!', 'ucs2').bytes.toString('hex'), '0061fffd0021')
})

test('data_coding says how a text is read', () => {
  const cases: [dataCoding: number, bytes: string, options: { defaultEncoding: TextEncoding }, text: string][] = [
    [0x00, '05', gsm, 'é'],
    [0x00, 'e9', latin1, 'é'],
    [0x00, '00e9', { defaultEncoding: 'ucs2' }, 'é'],
    [0x01, '40 5f', gsm, '@_'],
    [0x03, 'e9', gsm, 'é'],
    [0x04, 'e9', gsm, 'é'],
    [0x08, '20ac', latin1, '€'],
    [0x08, '20ac 00', latin1, '€'],
    [0x10, '05', latin1, 'é'],
    [0x18, '00e9', gsm, 'é'],
    [0xc8, '05', latin1, 'é'],
    [0xe0, '00e9', gsm, 'é'],
    [0xf0, '05', latin1, 'é'],
    [0xf1, '1b65', latin1, '€'],
    [0xf5, 'e9', gsm, 'é'],
    [0x0e, '05', gsm, 'é'],
    // Not GSM as it should be: an eighth bit, an escape to nowhere, two escapes, an escape at the end.
    [0x00, 'e9 1b41 1b1b 61 1b', gsm, 'éA a']
  ]
  for (const [dataCoding, bytes, options, text] of cases) {
    assert.equal(decodeText(hex(bytes), dataCoding, options), text, `${dataCoding.toString(16)} ${bytes}`)
  }
})

test('no bytes and no data_coding make decoding throw, or change the bytes', () => {
  const encodings = fc.constantFrom<TextEncoding>('gsm', 'latin1', 'ucs2')
  fc.assert(
    fc.property(fc.uint8Array(), fc.integer({ min: 0, max: 255 }), encodings, (array, dataCoding, defaultEncoding) => {
      const bytes = Buffer.from(array)
      assert.equal(typeof decodeText(bytes, dataCoding, { defaultEncoding }), 'string')
      assert.deepEqual(bytes, Buffer.from(array))
    })
  )
})

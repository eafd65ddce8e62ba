import { strict as assert } from 'node:assert'
import { test } from 'node:test'
import fc from 'fast-check'
import { SegmentedMessage } from 'sms-segments-calculator'
import { ANY_CHARACTER } from '../../test/checks/any-character.ts'
import {
  countSeptets,
  GSM_CHARACTERS,
  GSM_CODES,
  GSM_ESCAPE,
  GSM_EXTENSION_CHARACTERS,
  GSM_EXTENSION_CODES
} from './gsm-alphabet.ts'
import { countSegments, forcingCharacters, SEGMENT_SIZES_LONG_REFERENCE, splitSegments } from './segments.ts'
import { fitText, GSM_EQUALS, toGsmTypography } from './typography.ts'

const ALONE = { gsm: 160, ucs2: 70 }
const GSM = [...GSM_CODES.keys()]
const EXTENSION = [...'\f^{}\\[~]|€']
const ACCENTS = [...'çêëâîïôûÊÀŒœŁłšžČ']
const CJK = [...'你好世界漢字かなカナ한국어']
const EMOJI = [...'😀🎉👍🚀🍾𝒜𠮷']
const LONE = ['\ud83d', '\ude00']

const of = (...characters: string[][]) =>
  fc.string({ unit: fc.constantFrom(...characters.flat()), maxLength: 700, size: 'max' })

/** Pieces about as long as an SMS, each with a pair at its end: where a gap of one unit makes one SMS more. */
const nearTheEdges = fc
  .tuple(
    fc.constantFrom({ size: 153, pair: '€' }, { size: 67, pair: '😀' }),
    fc.array(fc.integer({ min: -3, max: 0 }), { minLength: 1, maxLength: 5 })
  )
  .map(([{ size, pair }, gaps]) => gaps.map((gap) => 'a'.repeat(size + gap)).join(pair))

// Mostly one alphabet, because a rare character in a long text moves a boundary.
const wellFormed = fc.oneof(
  { weight: 7, arbitrary: nearTheEdges },
  of(GSM),
  of(GSM, EXTENSION),
  of(EXTENSION),
  of(GSM, EXTENSION, ACCENTS),
  of(CJK),
  of(EMOJI),
  of(GSM, EXTENSION, ACCENTS, CJK, EMOJI)
)
const anything = fc.oneof(
  wellFormed,
  of(EMOJI, LONE, ['a']),
  fc.string({ unit: ANY_CHARACTER, maxLength: 400, size: 'max' })
)

test('a text takes the SMS that the standard says', () => {
  const cases: [text: string, encoding: 'gsm' | 'ucs2', segments: number, units: number][] = [
    ['', 'gsm', 1, 0],
    ['a'.repeat(160), 'gsm', 1, 160],
    ['a'.repeat(161), 'gsm', 2, 161],
    ['a'.repeat(306), 'gsm', 2, 306],
    ['a'.repeat(307), 'gsm', 3, 307],
    ['a'.repeat(1530), 'gsm', 10, 1530],
    ['a'.repeat(1531), 'gsm', 11, 1531],
    ['你'.repeat(70), 'ucs2', 1, 70],
    ['你'.repeat(71), 'ucs2', 2, 71],
    ['你'.repeat(134), 'ucs2', 2, 134],
    ['你'.repeat(135), 'ucs2', 3, 135],
    ['é è à ù Ç É ñ ß', 'gsm', 1, 15],
    ['ç', 'ucs2', 1, 1],
    [`${'a'.repeat(158)}€`, 'gsm', 1, 160],
    [`${'a'.repeat(159)}€`, 'gsm', 2, 161],
    ['€[]{}\\^~|\f', 'gsm', 1, 20],
    ['€'.repeat(80), 'gsm', 1, 160],
    ['€'.repeat(81), 'gsm', 2, 162],
    // 76 escape pairs fill 152 of the 153 septets, so 153 pairs are only 306 septets and yet three SMS.
    ['€'.repeat(152), 'gsm', 2, 304],
    ['€'.repeat(153), 'gsm', 3, 306],
    [`${'a'.repeat(152)}€${'a'.repeat(151)}`, 'gsm', 2, 305],
    [`${'a'.repeat(152)}€${'a'.repeat(152)}`, 'gsm', 3, 306],
    [`${'a'.repeat(151)}€${'a'.repeat(153)}`, 'gsm', 2, 306],
    ['€ç', 'ucs2', 1, 2],
    ['😀'.repeat(35), 'ucs2', 1, 70],
    ['😀'.repeat(36), 'ucs2', 2, 72],
    ['😀'.repeat(66), 'ucs2', 2, 132],
    ['😀'.repeat(67), 'ucs2', 3, 134],
    [`${'a'.repeat(66)}😀${'a'.repeat(65)}`, 'ucs2', 2, 133],
    [`${'a'.repeat(66)}😀${'a'.repeat(66)}`, 'ucs2', 3, 134],
    [`${'a'.repeat(65)}😀${'a'.repeat(67)}`, 'ucs2', 2, 134]
  ]
  for (const [text, encoding, segments, units] of cases) {
    assert.deepEqual(countSegments(text), { encoding, segments, units }, text)
  }
})

test('an escape or a surrogate pair at the end of an SMS moves whole to the next', () => {
  const a = (count: number) => 'a'.repeat(count)
  assert.deepEqual(splitSegments(''), [''])
  assert.deepEqual(splitSegments(a(160)), [a(160)])
  assert.deepEqual(splitSegments(a(161)), [a(153), a(8)])
  assert.deepEqual(splitSegments(`${a(152)}€${a(10)}`), [a(152), `€${a(10)}`])
  assert.deepEqual(splitSegments(`${a(151)}€${a(10)}`), [`${a(151)}€`, a(10)])
  assert.deepEqual(splitSegments(`${a(66)}😀${a(10)}`), [a(66), `😀${a(10)}`])
  assert.deepEqual(splitSegments(`${a(65)}😀${a(10)}`), [`${a(65)}😀`, a(10)])
})

test('a 16-bit reference leaves one unit less in each SMS of several, and changes nothing to one alone', () => {
  const split = (text: string) => splitSegments(text, SEGMENT_SIZES_LONG_REFERENCE).map((segment) => segment.length)
  assert.deepEqual(split('a'.repeat(160)), [160])
  assert.deepEqual(split('a'.repeat(161)), [152, 9])
  assert.deepEqual(split(`${'a'.repeat(151)}€${'a'.repeat(20)}`), [151, 21])
  assert.deepEqual(split('你'.repeat(70)), [70])
  assert.deepEqual(split('你'.repeat(71)), [66, 5])
  assert.deepEqual(split(`${'a'.repeat(65)}😀aaaaa`), [65, 7])
})

test('the SMS of any text hold it whole, in order, each within its limit and none cut inside a character', () => {
  const sizes = fc.constantFrom({ gsm: 153, ucs2: 67 }, SEGMENT_SIZES_LONG_REFERENCE, { gsm: 2, ucs2: 2 })
  fc.assert(
    fc.property(anything, sizes, (text, sizes) => {
      const { encoding, units } = countSegments(text)
      const segments = splitSegments(text, sizes)
      assert.equal(segments.join(''), text)
      const limit = units <= ALONE[encoding] ? ALONE[encoding] : sizes[encoding]
      for (const segment of segments) {
        const size = encoding === 'gsm' ? countSeptets(segment) : segment.length
        assert(size !== undefined && size <= limit)
        assert(segment !== '' || text === '')
      }
      assert.deepEqual(
        segments.flatMap((segment) => [...segment]),
        [...text]
      )
    })
  )
})

test('the charged segments are the sent segments', () => {
  fc.assert(
    fc.property(anything, (text) => assert.equal(countSegments(text).segments, splitSegments(text).length)),
    { numRuns: 1000 }
  )
})

test('another implementation counts the same', () => {
  // Left out: characters of several code points (flags, skin tones, letter + accent). It never splits them, but only
  // surrogate pairs are one character to UCS-2, and the phone joins the text before showing it.
  fc.assert(
    fc.property(fc.oneof(wellFormed, of(EMOJI, LONE, ['a'])), (text) => {
      const other = new SegmentedMessage(text)
      const { encoding, segments } = countSegments(text)
      assert.equal(encoding, other.encodingName === 'GSM-7' ? 'gsm' : 'ucs2')
      assert.equal(segments, other.segments.length)
    })
  )
})

test('another implementation has the same alphabet', () => {
  for (let unit = 0; unit < 0x10000; unit++) {
    const character = String.fromCharCode(unit)
    const other = new SegmentedMessage(character)
    const code = GSM_CODES.get(character) ?? GSM_EXTENSION_CODES.get(character)
    const codes = GSM_EXTENSION_CODES.has(character) ? [GSM_ESCAPE, code] : [code]
    assert.equal(code !== undefined, other.encodingName === 'GSM-7', `U+${unit.toString(16)}`)
    if (code !== undefined) assert.deepEqual(codes, other.encodedChars[0]?.codeUnits, character)
    assert.equal(countSeptets(character), code === undefined ? undefined : codes.length)
  }
})

test('every code of the alphabet is one character, and back', () => {
  assert.equal(GSM_CHARACTERS.length, 128)
  assert.equal(GSM_CODES.size, 127)
  assert.equal(GSM_EXTENSION_CODES.size, 10)
  for (const [character, code] of GSM_CODES) assert.equal(GSM_CHARACTERS[code], character)
  for (const [character, code] of GSM_EXTENSION_CODES) assert.equal(GSM_EXTENSION_CHARACTERS.get(code), character)
  assert.equal(GSM_CODES.get('Ç'), 0x09)
  assert.equal(GSM_CODES.get('@'), 0x00)
  assert.equal(GSM_CODES.get('à'), 0x7f)
  assert.equal(GSM_EXTENSION_CODES.get('€'), 0x65)
  for (const character of ['ç', '\u001b', '\u0000', '\u00a0', '`', '\t']) assert.equal(GSM_CODES.has(character), false)
})

test('the characters that force UCS-2 are named once each, in order, as many as asked', () => {
  assert.deepEqual(forcingCharacters('Ça va, 10 € [été]', 5), [])
  assert.deepEqual(forcingCharacters('Reçu 😀 ô 😀 ç 你', 5), ['ç', '😀', 'ô', '你'])
  assert.deepEqual(forcingCharacters('Reçu 😀 ô 😀 ç 你', 2), ['ç', '😀'])
  assert.deepEqual(forcingCharacters('Reçu', 0), [])
  fc.assert(
    fc.property(anything, (text) => {
      assert.equal(forcingCharacters(text, 1).length, countSegments(text).encoding === 'ucs2' ? 1 : 0)
    })
  )
})

test('a surrogate without its half is counted and sent as a unit', () => {
  assert.deepEqual(countSegments('a\ud83d'), { encoding: 'ucs2', segments: 1, units: 2 })
  assert.deepEqual(countSegments('\ude00'.repeat(71)), { encoding: 'ucs2', segments: 2, units: 71 })
  assert.deepEqual(splitSegments('\ud83d'.repeat(71)), ['\ud83d'.repeat(67), '\ud83d'.repeat(4)])
  assert.deepEqual(forcingCharacters('a\ud83d', 5), ['\ud83d'])
  assert.equal(toGsmTypography('l’\ud83d'), "l'\ud83d")
})

test('typographic characters become their GSM equals', () => {
  const cases: [text: string, expected: string][] = [
    ['L’été, c‘est', "L'été, c'est"],
    ['“Bonjour” „Hallo‟', '"Bonjour" "Hallo"'],
    ['«\u00a0Oui\u202f»', '" Oui "'],
    ['‹Oui›', '<Oui>'],
    ['10–12 — 3‑4 −5 ‒ ―', '10-12 - 3-4 -5 - -'],
    ['Et puis…', 'Et puis...'],
    ['• un\u2003deux\u3000trois\u2009!', '- un deux trois !'],
    ['\ufeffanti\u00adcons\u200btitu\u2060tion', 'anticonstitution'],
    ['Œuf, cœur, ﬁn, ﬂeur', 'OEuf, coeur, fin, fleur'],
    ['un\tdeux\u2028trois', 'un deux\ntrois'],
    ['e\u0301te\u0301 a\u0300 C\u0327a', 'été à Ça'],
    ['e\u200b\u0301', 'é'],
    ['reçu, fête, 😀 👩\u200d💻', 'reçu, fête, 😀 👩\u200d💻'],
    ['\f^{}\\[~]|€ `', '\f^{}\\[~]|€ `'],
    ['', '']
  ]
  for (const [text, expected] of cases) assert.equal(toGsmTypography(text), expected)
  for (const [character, replacement] of GSM_EQUALS) {
    assert.equal(countSeptets(character), undefined, character)
    assert.notEqual(countSeptets(replacement), undefined, character)
  }
})

test('a text is made plain only if that brings all of it into GSM, in no more segments', () => {
  const fit = (text: string) => {
    const { text: sent, encoding, segments, forcing } = fitText(text, { typography: true })
    return [sent, encoding, segments, forcing]
  }
  assert.deepEqual(fit('L’été'), ["L'été", 'gsm', 1, ''])
  assert.deepEqual(fit('Et puis…'), ['Et puis...', 'gsm', 1, ''])
  assert.deepEqual(fit('Cœur ê’…'), ['Cœur ê’…', 'ucs2', 1, "Coeur ê'..."], 'it stays UCS-2, so it stays as written')
  const ellipses = '…'.repeat(60)
  assert.deepEqual(fit(ellipses), [ellipses, 'ucs2', 1, ellipses], '180 characters of GSM would be two segments')
  assert.deepEqual(fit(`${'a'.repeat(71)}…`), [`${'a'.repeat(71)}...`, 'gsm', 1, ''])
  const asWritten = fitText('L’été', { typography: false })
  assert.deepEqual([asWritten.text, asWritten.encoding, asWritten.forcing], ['L’été', 'ucs2', 'L’été'])
  const text = fc.oneof(anything, of([...GSM_EQUALS.keys()], GSM), fc.string({ unit: 'grapheme' }))
  fc.assert(
    fc.property(text, (text) => {
      const sent = fitText(text, { typography: true })
      assert.ok(sent.text === text || (sent.encoding === 'gsm' && sent.text === toGsmTypography(text)))
      assert.ok(sent.segments <= countSegments(text).segments)
      const { encoding, segments, units } = sent
      assert.deepEqual({ encoding, segments, units }, countSegments(sent.text))
      assert.equal(fitText(sent.text, { typography: true }).text, sent.text)
    }),
    { numRuns: 500 }
  )
})

test('replacing typographic characters twice changes nothing more', () => {
  const marks = ['\u0300', '\u0301', '\u0327', '\u0338', '\u212b', '\u2126', '\u1ffd', '\u1fef', '\u2000']
  const text = fc.oneof(anything, of([...GSM_EQUALS.keys()], marks, GSM, EMOJI), fc.string({ unit: 'grapheme' }))
  fc.assert(
    fc.property(text, (text) => {
      const once = toGsmTypography(text)
      assert.equal(toGsmTypography(once), once)
      for (const character of once) assert.equal(GSM_EQUALS.has(character), false)
      if (countSeptets(text) !== undefined) assert.equal(once, text)
    }),
    { numRuns: 500 }
  )
})

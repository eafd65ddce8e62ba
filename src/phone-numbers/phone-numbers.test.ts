import { strict as assert } from 'node:assert'
import { test } from 'node:test'
import fc from 'fast-check'
import { type CountryCode, getCountries, getCountryCallingCode, getExampleNumber } from 'libphonenumber-js/max'
import examples from 'libphonenumber-js/mobile/examples'
import { parsePhoneNumber, parseThoroughly } from './phone-number.ts'
import { plausibleCountries } from './plausible.ts'
import { parseQuickly } from './quick-path.ts'

const mobile = (e164: string, country: string) => ({ e164, country, canReceiveSms: true })
const fixed = (e164: string, country: string) => ({ e164, country, canReceiveSms: false })

test('a number is the same in any notation', () => {
  const notations = [
    '0612345678',
    '06 12 34 56 78',
    '06.12.34.56.78',
    '06-12-34-56-78',
    '+33612345678',
    '+33 6 12 34 56 78'
  ]
  notations.push('0033612345678', '+33 (0)6 12 34 56 78', '(06) 12 34 56 78', '33612345678', '06\u00a012\u202f34 56 78')
  // As the contacts of phones and computers copy them: between marks of direction.
  notations.push(
    '\u202a+33 6 12 34 56 78\u202c',
    '\u200e06 12 34 56 78',
    '\u2066+33612345678\u2069',
    '0612\u00ad345678'
  )
  for (const text of notations) assert.deepEqual(parsePhoneNumber(text, 'FR'), mobile('+33612345678', 'FR'), text)
})

test('the range for fiction is always a French mobile', () => {
  const notations = ['0639980001', '06 39 98 00 01', '+33639980001', '0033 6 39 98 00 01', '33639980001', '639980001']
  for (const text of [...notations, '+33 (0)6 39 98 00 01', '+330639980001', '0033 (0) 639980001']) {
    assert.deepEqual(parsePhoneNumber(text, 'FR'), mobile('+33639980001', 'FR'), text)
  }
  assert.deepEqual(parsePhoneNumber('+33639980001', 'DE'), mobile('+33639980001', 'FR'))
  assert.equal(parsePhoneNumber('0639980001', 'DE')?.country, parseThoroughly('0639980001', 'DE')?.country)
  assert.deepEqual(parsePhoneNumber('639980001', 'ES'), mobile('+34639980001', 'ES'))
  assert.equal(parsePhoneNumber('+3363998000', 'FR'), undefined)
})

test('overseas numbers are found in their national form too, and fixed lines differ from mobiles', () => {
  const cases: [text: string, expected: ReturnType<typeof mobile>][] = [
    ['0692123456', mobile('+262692123456', 'RE')],
    ['+262692123456', mobile('+262692123456', 'RE')],
    ['0639691234', mobile('+262639691234', 'YT')],
    ['0690221234', mobile('+590690221234', 'GP')],
    ['0696201234', mobile('+596696201234', 'MQ')],
    ['0694201234', mobile('+594694201234', 'GF')],
    ['0262161234', fixed('+262262161234', 'RE')],
    ['0142681234', fixed('+33142681234', 'FR')],
    ['0970123456', fixed('+33970123456', 'FR')],
    ['0712345678', { e164: '', country: '', canReceiveSms: false }],
    ['0745678901', mobile('+33745678901', 'FR')]
  ]
  for (const [text, expected] of cases) {
    assert.deepEqual(parsePhoneNumber(text, 'FR'), expected.e164 === '' ? undefined : expected, text)
  }
  assert.deepEqual(parsePhoneNumber('0612345678', 'RE'), mobile('+33612345678', 'FR'), 'metropolitan, from La Réunion')
})

test('a text that no phone can have is no number', () => {
  const nothing = ['', ' ', '+', '0', 'abc', '12', '06123456789', '+3361234567', '+999123456789', 'call 0612345678']
  nothing.push(
    '0612345678 ext 5',
    '+33612345678;ext=1',
    '0'.repeat(41),
    '🙂',
    '٠٦١٢٣٤٥٦٧٨x',
    '+33 6 12 34 56 78 / 06',
    '\0'
  )
  for (const text of nothing) assert.equal(parsePhoneNumber(text, 'FR'), undefined, JSON.stringify(text))
})

const countries = getCountries()

test('the quick path never disagrees with the library, on numbers near those of every country', () => {
  let quick = 0
  const country = fc.constantFrom(...countries)
  const change = fc.record({
    at: fc.nat(14),
    digit: fc.nat(9),
    length: fc.integer({ min: -2, max: 2 }),
    times: fc.nat(3)
  })
  const form = fc.constantFrom('+', '00', 'national', 'spaced')
  fc.assert(
    fc.property(country, change, form, fc.nat(1e9), (country, { at, digit, length, times }, form, tail) => {
      let national = String(getExampleNumber(country, examples)?.nationalNumber ?? '612345678')
      if (times > 0) national = national.slice(0, at) + digit + national.slice(at + 1)
      if (times > 1)
        national = (national.slice(0, 3) + String(tail).padStart(9, '0')).slice(0, national.length + length)
      const international = getCountryCallingCode(country) + national
      const text =
        form === 'national'
          ? `0${national}`
          : form === 'spaced'
            ? `+${international.replaceAll(/(..)/g, '$1 ')}`
            : form + international
      for (const home of ['FR', country]) {
        const found = parseQuickly(text, home)
        if (!found) continue
        quick++
        assert.deepEqual(found, parseThoroughly(text, home), `${text} from ${home}`)
      }
    }),
    { numRuns: 20_000 }
  )
  assert.ok(quick > 5_000, `only ${quick} took the quick path`)
})

test('texts that are not tried are refused by the library too, on digits near the numbers of every country and on any others', () => {
  let untried = 0
  const near = fc
    .record({
      country: fc.constantFrom(...countries),
      at: fc.nat(12),
      digit: fc.nat(9),
      cut: fc.integer({ min: 5, max: 12 })
    })
    .map(({ country, at, digit, cut }) => {
      const national = String(getExampleNumber(country, examples)?.nationalNumber ?? '612345678')
      return { country, digits: (national.slice(0, at) + digit + national.slice(at + 1)).slice(0, cut) }
    })
  const any = fc.record({
    country: fc.constantFrom(...countries),
    digits: fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: 1, maxLength: 14 })
  })
  const before = fc.constantFrom('', '0', '+', '00', '000', '0000', 'code', '+code', '+code 0', 'code0', '1', '8', '(0')
  const home = fc.constantFrom('FR', 'RE', 'PM', 'own')
  // A call abroad begins with a single 0 there.
  assert.deepEqual(parsePhoneNumber('0461600000', 'CV'), parseThoroughly('0461600000', 'CV'))
  assert.deepEqual(plausibleCountries('0000000131', ['FR', 'RE', 'CV']), [])
  fc.assert(
    fc.property(fc.oneof(near, any), before, home, ({ country, digits }, before, home) => {
      const text = before.replace('code', getCountryCallingCode(country)) + digits
      const from = home === 'own' ? country : home
      if (plausibleCountries(text, [from]).length === 0) untried++
      assert.deepEqual(parsePhoneNumber(text, from), parseThoroughly(text, from), `${text} from ${from}`)
    }),
    { numRuns: 5_000 }
  )
  assert.ok(untried > 1_000, `only ${untried} were not tried`)
})

test('the quick path takes the plain forms of the countries that have a calling code to themselves', () => {
  const quick = countries.filter((country) => {
    const example = getExampleNumber(country as CountryCode, examples)
    return example && parseQuickly(example.number, 'FR')
  })
  assert.ok(quick.length > 150, `${quick.length} countries`)
  for (const country of ['FR', 'BE', 'DE', 'ES', 'PT', 'PL', 'SN', 'CM'] as const)
    assert.ok(quick.includes(country), country)
})

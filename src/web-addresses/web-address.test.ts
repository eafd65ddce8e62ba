import { strict as assert } from 'node:assert'
import { test } from 'node:test'
import fc from 'fast-check'
import { ANY_CHARACTER } from '../../test/checks/any-character.ts'
import { readWebAddress } from './web-address.ts'

test('an http or https address is taken as it is written', () => {
  for (const address of [
    'https://shop.example',
    'http://shop.example/',
    'HTTPS://Shop.example/Winter?a=1&b=%C3%A9#top',
    'https://shop.example:8443/a/../b',
    'https://[2001:db8::1]/x',
    'https://192.0.2.1',
    `https://shop.example/${'a'.repeat(2_048 - 21)}`
  ]) {
    assert.deepEqual(readWebAddress(address), { address })
  }
})

test('what is not ASCII is encoded, as the wire wants it, and the space around it goes', () => {
  const cases: [given: string, address: string][] = [
    [' https://shop.example/a\n', 'https://shop.example/a'],
    ['https://shop.example/été', 'https://shop.example/%C3%A9t%C3%A9'],
    ['https://café.example/', 'https://xn--caf-dma.example/'],
    ['https://shop.example/a b', 'https://shop.example/a%20b'],
    ['https://shop.example/😀', 'https://shop.example/%F0%9F%98%80']
  ]
  for (const [given, address] of cases) assert.deepEqual(readWebAddress(given), { address })
})

test('everything else is refused with its reason', () => {
  const cases: [given: string, problem: RegExp][] = [
    ['', /must be a web address/],
    ['shop.example', /must be a web address/],
    ['https://', /must be a web address/],
    ['https://a b.example/', /must be a web address/],
    ['//shop.example', /must be a web address/],
    ['ftp://shop.example', /must start with https/],
    ['javascript:alert(1)', /must start with https/],
    ['mailto:a@shop.example', /must start with https/],
    ['data:text/html,hello', /must start with https/],
    ['file:///etc/passwd', /must start with https/],
    ['https:shop.example', /must start with https/],
    ['https:\\\\shop.example', /must start with https/],
    ['https://user@shop.example', /must not hold a user/],
    ['https://user:pass@shop.example', /must not hold a user/],
    ['https://:pass@shop.example', /must not hold a user/],
    [`https://shop.example/${'a'.repeat(2_048 - 20)}`, /at most 2048 characters/],
    // Encoded, each is six.
    [`https://shop.example/${'é'.repeat(400)}`, /at most 2048 characters/]
  ]
  for (const [given, problem] of cases) {
    const read = readWebAddress(given)
    assert.ok('problem' in read, given)
    assert.match(read.problem, problem, given)
  }
})

test('an address that was read is read again as the same', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.webUrl(),
        fc.string({ unit: ANY_CHARACTER }).map((text) => `https://a.example/${text}`)
      ),
      (text) => {
        const read = readWebAddress(text)
        if ('address' in read) assert.deepEqual(readWebAddress(read.address), read)
      }
    )
  )
})

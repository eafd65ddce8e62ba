import { strict as assert } from 'node:assert'
import { test } from 'node:test'
import fc from 'fast-check'
import { ANY_CHARACTER } from '../../test/checks/any-character.ts'
import { checkRcsContent } from './check-rcs-content.ts'
import { describeRcs } from './describe-rcs.ts'
import type { RcsCard, RcsChoice, RcsContent } from './rcs-content.ts'
import { parseRcs } from './rcs-form.ts'

const CARD: RcsCard = {
  title: 'Bonjour #Prénom#',
  description: '#VILLE# : -#remise# %',
  media_message_url: 'https://shop.example/#ville#.jpg',
  choices: [
    { type: 'text', text: 'Oui, #prenom#' },
    { type: 'url', title: 'Voir #ville#', url: 'https://shop.example/?c=#code#&v=#ville#' },
    { type: 'call', title: 'Appeler', phoneNumber: '#tel#' },
    { type: 'location', title: 'Y aller', label: 'Boutique de #ville#', latitude: 48.85, longitude: 2.35 }
  ]
}

test('every text of a card is filled in, each variable being named once', () => {
  const parsed = parseRcs({
    content: { type: 'card', data: CARD },
    fallback: '#prenom#, #SHORTURL# #STOP_XXX#',
    country: 'FR'
  })
  assert.deepEqual(parsed.variables, ['prenom', 'ville', 'remise', 'code', 'tel', 'shorturl', 'stop_xxx'])
  const values = ['Léa', 'Saint-Étienne', '20', 'a&b=c/ d', '01 99 00 12 34', 'https://s.example/x', 'STOP 36111']
  assert.deepEqual(parsed.fill(values), {
    type: 'card',
    data: {
      title: 'Bonjour Léa',
      description: 'Saint-Étienne : -20 %',
      media_message_url: 'https://shop.example/Saint-%C3%89tienne.jpg',
      choices: [
        { type: 'text', text: 'Oui, Léa' },
        {
          type: 'url',
          title: 'Voir Saint-Étienne',
          url: 'https://shop.example/?c=a%26b%3Dc%2F%20d&v=Saint-%C3%89tienne'
        },
        { type: 'call', title: 'Appeler', phoneNumber: '+33199001234' },
        { type: 'location', title: 'Y aller', label: 'Boutique de Saint-Étienne', latitude: 48.85, longitude: 2.35 }
      ]
    }
  })
  assert.equal(parsed.fillFallback(values), 'Léa, https://s.example/x STOP 36111')
})

test('a text and a carousel are filled in too', () => {
  const text = parseRcs({
    content: { type: 'text', data: { text: '#a# et #b#', choices: [{ type: 'text', text: '#b#' }] } },
    fallback: null
  })
  assert.deepEqual(text.fill(['1', '2']), {
    type: 'text',
    data: { text: '1 et 2', choices: [{ type: 'text', text: '2' }] }
  })
  assert.equal(text.fillFallback(['1', '2']), null)
  const carousel = parseRcs({
    content: { type: 'carousel', data: { cards: [{ title: '#a#' }, { title: '#b#', description: '#a#' }] } },
    fallback: 'none'
  })
  assert.deepEqual(carousel.fill(['1', '2']), {
    type: 'carousel',
    data: { cards: [{ title: '1' }, { title: '2', description: '1' }] }
  })
  assert.equal(carousel.fillFallback(['1', '2']), 'none')
})

test('a missing value is empty, and an empty field is absent', () => {
  const { fill, fillFallback } = parseRcs({ content: { type: 'card', data: CARD }, fallback: '#prenom#' })
  assert.deepEqual(fill([undefined, undefined, '10']).data, {
    title: 'Bonjour ',
    description: ' : -10 %',
    media_message_url: 'https://shop.example/.jpg',
    choices: [
      { type: 'text', text: 'Oui, ' },
      { type: 'url', title: 'Voir ', url: 'https://shop.example/?c=&v=' },
      { type: 'call', title: 'Appeler', phoneNumber: '' },
      { type: 'location', title: 'Y aller', label: 'Boutique de ', latitude: 48.85, longitude: 2.35 }
    ]
  })
  assert.equal(fillFallback([]), '')
  const bare = parseRcs({
    content: { type: 'card', data: { title: '#a#', description: '#b#', media_message_url: '#c#' } },
    fallback: null
  })
  assert.deepEqual(bare.fill(['a', ' ', '']).data, { title: 'a' })
})

test('an address that begins with a variable begins with its value as it is', () => {
  const fillUrl = (media_message_url: string, values: string[]) => {
    const { fill } = parseRcs({ content: { type: 'card', data: { media_message_url } }, fallback: null })
    return (fill(values).data as RcsCard).media_message_url
  }
  assert.equal(fillUrl('#a#', ['https://shop.example/a?b=c&d=é']), 'https://shop.example/a?b=c&d=%C3%A9')
  assert.equal(fillUrl('#a#/x/#b#', ['https://shop.example', 'é/?']), 'https://shop.example/x/%C3%A9%2F%3F')
  assert.equal(
    fillUrl('https://r.example/?to=#a#', ['https://shop.example']),
    'https://r.example/?to=https%3A%2F%2Fshop.example'
  )
  assert.equal(fillUrl('https://r.example/#a#', ['\ud800']), 'https://r.example/%EF%BF%BD')
  // A value leads nowhere else than the address says.
  assert.equal(
    fillUrl('https://shop.example/#a#', ['../../@evil.example']),
    'https://shop.example/..%2F..%2F%40evil.example'
  )
})

test('a place in a value is no place', () => {
  const { fill } = parseRcs({ content: { type: 'text', data: { text: '#a##b#' } }, fallback: null })
  assert.deepEqual(fill(['#b#', '$&']).data, { text: '#b#$&' })
})

test('without variables, all recipients get the same content', () => {
  const content: RcsContent = { type: 'text', data: { text: 'Bonjour à tous, #1 !' } }
  const { variables, fill } = parseRcs({ content, fallback: 'Bonjour' })
  assert.deepEqual(variables, [])
  assert.equal(fill([]), content)
})

test('the words of a content are its text, or titles and descriptions, or the address of a lone picture', () => {
  const picture = { media_message_url: 'https://shop.example/a.jpg' }
  assert.equal(describeRcs({ type: 'text', data: { text: 'Bonjour' } }), 'Bonjour')
  assert.equal(describeRcs({ type: 'card', data: { title: 'Un', description: 'Deux', ...picture } }), 'Un\nDeux')
  assert.equal(describeRcs({ type: 'card', data: { title: ' ', description: 'Deux' } }), 'Deux')
  assert.equal(describeRcs({ type: 'card', data: picture }), 'https://shop.example/a.jpg')
  assert.equal(
    describeRcs({ type: 'carousel', data: { cards: [{ title: 'Un', description: '1' }, picture, { title: 'Deux' }] } }),
    'Un\n1\n\nhttps://shop.example/a.jpg\n\nDeux'
  )
})

const NAMES = ['a', 'Ville', 'champ_prenom', 'STOP_XXX', 'é2']
const words = fc
  .array(fc.oneof(fc.string({ maxLength: 8 }), fc.constantFrom(...NAMES.map((name) => `#${name}#`), '#', '#1#')), {
    maxLength: 5
  })
  .map((pieces) => pieces.join(''))
const address = words.map((text) => `https://shop.example/${text}`)
const choice: fc.Arbitrary<RcsChoice> = fc.oneof(
  fc.record({ type: fc.constant('text' as const), text: words }),
  fc.record({ type: fc.constant('url' as const), title: words, url: fc.oneof(address, fc.constant('#a#')) }),
  fc.record({
    type: fc.constant('call' as const),
    title: words,
    phoneNumber: fc.constantFrom('01 99 00 12 34', '+33639980001', '#a#', '0#a#')
  }),
  fc.record({
    type: fc.constant('location' as const),
    title: words,
    label: words,
    latitude: fc.double({ min: -90, max: 90, noNaN: true }),
    longitude: fc.double({ min: -180, max: 180, noNaN: true })
  })
)
const card = fc.record(
  { title: words, description: words, media_message_url: address, choices: fc.array(choice, { maxLength: 4 }) },
  { requiredKeys: ['title'] }
)
const content: fc.Arbitrary<RcsContent> = fc.oneof(
  fc
    .record({ text: words, choices: fc.array(choice, { maxLength: 4 }) })
    .map((data) => ({ type: 'text' as const, data })),
  card.map((data) => ({ type: 'card' as const, data })),
  fc.array(card, { minLength: 2, maxLength: 4 }).map((cards) => ({ type: 'carousel' as const, data: { cards } }))
)
const form = fc
  .record({ content, fallback: fc.option(words), country: fc.constant('FR') })
  .map((given) => ({ ...given, checked: checkRcsContent(given.content, { country: 'FR', isFilled: false }) }))
const value = fc.oneof(
  fc.string(),
  fc.string({ unit: ANY_CHARACTER }),
  fc.constantFrom('0199001234', 'https://a.example', '#a#')
)

test('filled-in content passes the check unchanged, or is refused', () => {
  let fineCount = 0
  fc.assert(
    fc.property(form, fc.array(value, { minLength: 5, maxLength: 5 }), ({ checked, ...given }, values) => {
      if ('problems' in checked) return
      const filled = parseRcs({ ...given, content: checked.content }).fill(values)
      const again = checkRcsContent(filled, { country: 'FR', isFilled: true })
      if ('problems' in again) return
      fineCount++
      assert.deepEqual(again.content, filled)
    }),
    { numRuns: 1_000 }
  )
  assert.ok(fineCount > 50, `only ${fineCount} were fine`)
})

test('no place that has a value is left', () => {
  fc.assert(
    fc.property(form, ({ content, fallback }) => {
      const parsed = parseRcs({ content, fallback })
      const values = parsed.variables.map(() => 'x')
      const left = JSON.stringify([parsed.fill(values), parsed.fillFallback(values)])
      for (const name of NAMES) assert.ok(!left.includes(`#${name}#`), left)
    })
  )
})

test('values may stand in the order of a former parse, whatever became of the keys since', () => {
  fc.assert(
    fc.property(form, fc.array(value, { minLength: 5, maxLength: 5 }), ({ checked, ...given }, values) => {
      if ('problems' in checked) return
      const first = parseRcs({ ...given, content: checked.content })
      const content = reorder(checked.content)
      assert.deepEqual(parseRcs({ ...given, content }).variables, first.variables)
      const known = first.variables.toReversed()
      const again = parseRcs({ ...given, content }, known)
      assert.deepEqual(again.variables, known)
      const reversed = first.variables.map((_, index) => values[index]).reverse()
      assert.deepEqual(again.fill(reversed), first.fill(values))
      assert.equal(again.fillFallback(reversed), first.fillFallback(values))
    }),
    { numRuns: 1_000 }
  )
})

/** As jsonb gives it back: keys in another order. */
function reorder<T>(given: T): T {
  if (Array.isArray(given)) return given.map(reorder) as T
  if (typeof given !== 'object' || given === null) return given
  return Object.fromEntries(
    Object.entries(given)
      .reverse()
      .map(([name, item]) => [name, reorder(item)])
  ) as T
}

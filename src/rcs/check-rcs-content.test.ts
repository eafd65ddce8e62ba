import { strict as assert } from 'node:assert'
import { test } from 'node:test'
import fc from 'fast-check'
import { checkRcsContent } from './check-rcs-content.ts'
import type { RcsType } from './rcs-content.ts'

const FRENCH = { country: 'FR', isFilled: false }
const FILLED = { country: 'FR', isFilled: true }

const CARD = { title: 'Winter' }
const url = (length: number) => `https://shop.example/${'a'.repeat(length - 21)}`
const times = <T>(count: number, item: T): T[] => Array.from({ length: count }, () => item)
const reply = { type: 'text', text: 'Yes' }

function problemsOf(type: RcsType, data: unknown, options = FRENCH) {
  const checked = checkRcsContent({ type, data }, options)
  return 'problems' in checked ? checked.problems : []
}

function contentOf(type: RcsType, data: unknown, options = FRENCH) {
  const checked = checkRcsContent({ type, data }, options)
  assert.ok('content' in checked, JSON.stringify(checked))
  return checked.content.data
}

test('every limit of the platform holds to the character, and names its field', () => {
  const limits: [type: RcsType, path: string, max: number, unit: string, withCount: (count: number) => unknown][] = [
    ['text', 'data.text', 3_072, 'characters', (count) => ({ text: 'a'.repeat(count) })],
    ['text', 'data.choices', 11, 'choices', (count) => ({ text: 'a', choices: times(count, reply) })],
    ['card', 'data.title', 200, 'characters', (count) => ({ title: 'a'.repeat(count) })],
    ['card', 'data.description', 2_000, 'characters', (count) => ({ description: 'a'.repeat(count) })],
    ['card', 'data.media_message_url', 2_048, 'characters', (count) => ({ media_message_url: url(count) })],
    ['card', 'data.choices', 4, 'choices', (count) => ({ ...CARD, choices: times(count, reply) })],
    [
      'text',
      'data.choices[0].text',
      25,
      'characters',
      (count) => ({ text: 'a', choices: [{ type: 'text', text: 'a'.repeat(count) }] })
    ],
    [
      'card',
      'data.choices[1].title',
      25,
      'characters',
      (count) => ({
        ...CARD,
        choices: [reply, { type: 'url', title: 'a'.repeat(count), url: 'https://shop.example' }]
      })
    ],
    [
      'card',
      'data.choices[0].url',
      2_048,
      'characters',
      (count) => ({ ...CARD, choices: [{ type: 'url', title: 'Shop', url: url(count) }] })
    ],
    [
      'card',
      'data.choices[0].title',
      25,
      'characters',
      (count) => ({
        ...CARD,
        choices: [{ type: 'call', title: 'a'.repeat(count), phoneNumber: '0199001234' }]
      })
    ],
    [
      'card',
      'data.choices[0].title',
      25,
      'characters',
      (count) => ({
        ...CARD,
        choices: [{ type: 'location', title: 'a'.repeat(count), label: 'Here', latitude: 0, longitude: 0 }]
      })
    ],
    [
      'card',
      'data.choices[0].label',
      100,
      'characters',
      (count) => ({
        ...CARD,
        choices: [{ type: 'location', title: 'Go', label: 'a'.repeat(count), latitude: 90, longitude: -180 }]
      })
    ],
    ['carousel', 'data.cards', 10, 'cards', (count) => ({ cards: times(count, CARD) })],
    [
      'carousel',
      'data.cards[1].choices',
      4,
      'choices',
      (count) => ({ cards: [CARD, { ...CARD, choices: times(count, reply) }] })
    ],
    [
      'carousel',
      'data.cards[1].choices[0].title',
      25,
      'characters',
      (count) => ({
        cards: [CARD, { ...CARD, choices: [{ type: 'url', title: 'a'.repeat(count), url: 'https://shop.example' }] }]
      })
    ]
  ]
  for (const [type, path, max, unit, withCount] of limits) {
    for (const options of [FRENCH, FILLED]) {
      assert.deepEqual(problemsOf(type, withCount(max), options), [], `${path} of ${max}`)
      assert.deepEqual(problemsOf(type, withCount(max + 1), options), [
        { path, message: `must have at most ${max} ${unit}` }
      ])
    }
  }
  assert.deepEqual(problemsOf('carousel', { cards: [CARD] }), [
    { path: 'data.cards', message: 'must have at least 2 cards' }
  ])
  assert.deepEqual(problemsOf('carousel', { cards: times(2, CARD) }), [])
})

test('characters are UTF-16 units: an emoji is two', () => {
  assert.deepEqual(problemsOf('card', { title: '😀'.repeat(100) }), [])
  assert.deepEqual(problemsOf('card', { title: `${'😀'.repeat(100)}!` }), [
    { path: 'data.title', message: 'must have at most 200 characters' }
  ])
})

test('empty, blank and null fields are absent, and unknown fields are left out', () => {
  assert.deepEqual(
    contentOf('card', {
      title: 'Winter',
      description: '',
      media_message_url: ' ',
      choices: [],
      text: 'no part of a card',
      cards: []
    }),
    CARD
  )
  const nothing = { description: null, media_message_url: null, choices: null }
  assert.deepEqual(contentOf('card', { ...CARD, ...nothing }), CARD)
  assert.deepEqual(contentOf('carousel', { cards: [CARD, { ...CARD, ...nothing }] }), { cards: [CARD, CARD] })
  assert.deepEqual(contentOf('text', { text: ' a ', choices: [] }), { text: ' a ' })
  assert.deepEqual(contentOf('text', { text: 'a', choices: null }), { text: 'a' })
  assert.deepEqual(contentOf('text', { text: 'a', choices: [{ ...reply, url: 'x', id: 3 }] }), {
    text: 'a',
    choices: [reply]
  })
  for (const card of [
    {},
    { title: '' },
    { title: null, ...nothing },
    { title: ' \n', description: '\t', choices: [reply] }
  ]) {
    const message = 'must have at least one of title, description, media_message_url'
    assert.deepEqual(problemsOf('card', card), [{ path: 'data', message }])
    assert.deepEqual(problemsOf('carousel', { cards: [CARD, card] }), [{ path: 'data.cards[1]', message }])
  }
  for (const card of [{ title: 'a' }, { description: 'a' }, { media_message_url: 'https://shop.example/a.jpg' }]) {
    assert.deepEqual(contentOf('card', card), card)
  }
})

test('a missing field is named', () => {
  const empty = 'must not be empty'
  assert.deepEqual(problemsOf('text', { text: ' ' }), [{ path: 'data.text', message: empty }])
  const choices = [
    { type: 'text', text: '' },
    { type: 'url', title: ' ', url: '' },
    { type: 'call', title: '', phoneNumber: ' ' },
    { type: 'location', title: '', label: '', latitude: 1, longitude: 1 }
  ]
  assert.deepEqual(problemsOf('card', { ...CARD, choices }), [
    { path: 'data.choices[0].text', message: empty },
    { path: 'data.choices[1].title', message: empty },
    { path: 'data.choices[1].url', message: empty },
    { path: 'data.choices[2].title', message: empty },
    { path: 'data.choices[2].phoneNumber', message: empty },
    { path: 'data.choices[3].title', message: empty },
    { path: 'data.choices[3].label', message: empty }
  ])
})

test('content that does not fit its type is reported field by field', () => {
  const cases: [type: RcsType, data: unknown, problems: [path: string, message: string][]][] = [
    ['text', {}, [['data.text', 'is missing']]],
    ['text', { text: 5 }, [['data.text', 'must be a string']]],
    ['text', null, [['data', 'must be an object']]],
    ['card', [], [['data', 'must be an object']]],
    [
      'card',
      { title: 5, choices: {} },
      [
        ['data.title', 'must be a string or null'],
        ['data.choices', 'must be an array or null']
      ]
    ],
    ['carousel', { title: 'a' }, [['data.cards', 'is missing']]],
    ['carousel', { cards: [CARD, 'card'] }, [['data.cards[1]', 'must be an object']]],
    [
      'carousel',
      { cards: [CARD, { choices: [reply, { type: 'url', title: 'Shop' }, { type: 'fax' }, {}, 7] }] },
      [
        ['data.cards[1].choices[1].url', 'is missing'],
        ['data.cards[1].choices[2].type', 'must be one of "text", "url", "call", "location"'],
        ['data.cards[1].choices[3].type', 'is missing'],
        ['data.cards[1].choices[4]', 'must be an object']
      ]
    ],
    [
      'text',
      { text: 'a', choices: [{ type: 'location', title: 'a', label: 'b', latitude: 90.1, longitude: '2' }] },
      [
        ['data.choices[0].latitude', 'must be at most 90'],
        ['data.choices[0].longitude', 'must be a number']
      ]
    ]
  ]
  for (const [type, data, problems] of cases) {
    assert.deepEqual(
      problemsOf(type, data),
      problems.map(([path, message]) => ({ path, message })),
      JSON.stringify(data)
    )
  }
})

test('all problems are reported at once, up to fifty', () => {
  const cards = times(10, { title: 'a'.repeat(201), description: 'a'.repeat(2_001), media_message_url: 'ftp://a' })
  assert.equal(problemsOf('carousel', { cards }).length, 30)
  const more = cards.map((card) => ({ ...card, choices: times(5, { type: 'text', text: '' }) }))
  assert.equal(problemsOf('carousel', { cards: more }).length, 50)
  assert.equal(problemsOf('text', { text: 'a', choices: times(100, {}) }).length, 50)
})

test('the path is where the content stands in the request', () => {
  const options = { ...FRENCH, path: 'messages[3].data' }
  assert.deepEqual(problemsOf('text', { text: '' }, options), [
    { path: 'messages[3].data.text', message: 'must not be empty' }
  ])
  assert.deepEqual(problemsOf('text', {}, options), [{ path: 'messages[3].data.text', message: 'is missing' }])
})

test('addresses are http or https, without a user', () => {
  for (const wrong of ['shop.example', 'ftp://shop.example', 'javascript:alert(1)', 'https://a:b@shop.example']) {
    const [inMedia] = problemsOf('card', { media_message_url: wrong })
    assert.equal(inMedia?.path, 'data.media_message_url')
    const [inChoice] = problemsOf('text', { text: 'a', choices: [{ type: 'url', title: 'Shop', url: wrong }] })
    assert.equal(inChoice?.path, 'data.choices[0].url')
    assert.equal(inMedia?.message, inChoice?.message)
  }
  assert.deepEqual(contentOf('card', { media_message_url: ' https://shop.example/é.jpg ' }), {
    media_message_url: 'https://shop.example/%C3%A9.jpg'
  })
})

test('a number to call becomes E.164, read in the country of the account', () => {
  const call = (phoneNumber: string) => ({ text: 'a', choices: [{ type: 'call', title: 'Call', phoneNumber }] })
  const read = (phoneNumber: string, country: string) => {
    const checked = checkRcsContent({ type: 'text', data: call(phoneNumber) }, { country, isFilled: true })
    return 'content' in checked ? checked.content.data : checked.problems
  }
  assert.deepEqual(read('01 99 00 12 34', 'FR'), call('+33199001234'))
  assert.deepEqual(read('+33 (0)1.99.00.12.34', 'US'), call('+33199001234'))
  assert.deepEqual(read('02 555 12 12', 'BE'), call('+3225551212'))
  assert.deepEqual(read('06 39 98 00 01', 'FR'), call('+33639980001'))
  for (const wrong of ['12', 'call me', '+33 1', '0199001234 ext 5', '#12', '+999123456789']) {
    assert.deepEqual(read(wrong, 'FR'), [
      { path: 'data.choices[0].phoneNumber', message: 'must be a phone number, such as +33639980013' }
    ])
  }
})

test('before they are filled, places count as nothing', () => {
  assert.deepEqual(problemsOf('card', { title: `${'a'.repeat(200)}#champ_prenom##STOP_XXX#` }), [])
  assert.deepEqual(problemsOf('card', { title: `${'a'.repeat(201)}#champ_prenom#` }), [
    { path: 'data.title', message: 'must have at most 200 characters' }
  ])
  // A lone # is a character.
  assert.equal(problemsOf('card', { title: `${'a'.repeat(199)}#1` }).length, 1)
  const data = {
    text: '#a#',
    choices: [
      { type: 'text', text: '#a#' },
      { type: 'url', title: '#a#', url: '#a#' },
      { type: 'call', title: '#a#', phoneNumber: '#a#' },
      { type: 'call', title: '#a#', phoneNumber: '+33 6 #a#' },
      { type: 'location', title: '#a#', label: '#a#', latitude: 1, longitude: 1 }
    ]
  }
  assert.deepEqual(contentOf('text', data), data)
  for (const card of [{ title: '#a#' }, { description: '#a#' }, { media_message_url: '#a#' }]) {
    assert.deepEqual(contentOf('card', card), card)
  }
})

test('an address with places is checked as far as it is there', () => {
  for (const fine of [
    'https://shop.example/#code#',
    'https://shop.example/?a=#a#&b=#b##end',
    'https://#host#/x',
    'https://#host#',
    'https://shop.#tld#/',
    'https://shop.example:#port#/',
    '#base#/x',
    '#SHORTURL#',
    `https://shop.example/${'a'.repeat(2_048 - 21)}#code#`
  ]) {
    assert.deepEqual(contentOf('card', { media_message_url: fine }), { media_message_url: fine })
  }
  assert.deepEqual(contentOf('card', { media_message_url: ' #base#/x\n' }), { media_message_url: '#base#/x' })
  for (const wrong of [
    'ftp://shop.example/#code#',
    'shop.example/#code#',
    'https://user:#password#@shop.example',
    'https://#user#@shop.example',
    'javascript:#code#',
    `https://shop.example/${'a'.repeat(2_048 - 20)}#code#`,
    `#base#${'a'.repeat(2_049)}`
  ]) {
    assert.equal(problemsOf('card', { media_message_url: wrong })[0]?.path, 'data.media_message_url', wrong)
  }
})

test('once they are filled, everything counts, and a # is only a character', () => {
  assert.deepEqual(problemsOf('card', { title: `${'a'.repeat(190)}#nom#` }, FILLED), [])
  assert.equal(problemsOf('card', { title: `${'a'.repeat(198)}#nom#` }, FILLED).length, 1)
  assert.equal(problemsOf('card', { media_message_url: '#a#' }, FILLED).length, 1)
  assert.equal(
    problemsOf('text', { text: 'a', choices: [{ type: 'call', title: 'a', phoneNumber: '#a#' }] }, FILLED).length,
    1
  )
  assert.deepEqual(problemsOf('text', { text: '' }, FILLED), [{ path: 'data.text', message: 'must not be empty' }])
})

test('a message of more than 250 KB is refused as a whole', () => {
  const cardOf = (character: string) => ({
    title: character.repeat(200),
    description: character.repeat(2_000),
    media_message_url: url(2_048),
    choices: times(4, { type: 'url', title: character.repeat(25), url: url(2_048) })
  })
  for (const options of [FRENCH, FILLED]) {
    for (const character of ['a', '"', '€', '字']) {
      assert.deepEqual(problemsOf('carousel', { cards: times(10, cardOf(character)) }, options), [])
    }
    // It takes six bytes in JSON: the one way to get there within the other limits.
    assert.deepEqual(problemsOf('carousel', { cards: times(10, cardOf('\u0001')) }, options), [
      { path: 'data', message: 'must have at most 250 KB as a whole' }
    ])
    assert.deepEqual(problemsOf('carousel', { cards: times(9, cardOf('\u0001')) }, options), [])
  }
})

test('whatever is given, it is answered, and every problem has a path in it', () => {
  fc.assert(
    fc.property(
      fc.constantFrom<RcsType>('text', 'card', 'carousel'),
      fc.oneof(
        fc.jsonValue(),
        fc.record(
          {
            text: fc.jsonValue(),
            title: fc.string(),
            cards: fc.array(fc.jsonValue()),
            choices: fc.array(fc.record({ type: fc.constantFrom('text', 'url', 'call', 'x'), title: fc.jsonValue() }))
          },
          { requiredKeys: [] }
        )
      ),
      fc.boolean(),
      (type, data, isFilled) => {
        const checked = checkRcsContent({ type, data }, { country: 'FR', isFilled })
        if ('problems' in checked) {
          assert.ok(checked.problems.length > 0 && checked.problems.length <= 50)
          for (const { path } of checked.problems) assert.match(path, /^data([.[]|$)/)
        } else {
          // Checked content passes again, unchanged.
          assert.deepEqual(checkRcsContent(checked.content, { country: 'FR', isFilled }), checked)
        }
      }
    )
  )
})

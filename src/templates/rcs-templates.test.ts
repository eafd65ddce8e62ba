import { strict as assert } from 'node:assert'
import { startService, test } from '../../test/service/service.ts'
import { rcsTemplateExample } from './rcs-template.ts'
import { findRcsTemplate } from './templates.store.ts'

const FORM = { 'content-type': 'application/x-www-form-urlencoded' }

const CARD = {
  title: 'Bonjour #prenom#',
  description: 'La collection d’hiver 😀',
  media_message_url: 'https://shop.example/winter.jpg',
  choices: [
    { type: 'text', text: 'Plus tard' },
    { type: 'url', title: 'Voir', url: 'https://shop.example/#code#' },
    { type: 'call', title: 'Appeler', phoneNumber: '01 99 00 12 34' },
    { type: 'location', title: 'Y aller', label: 'Boutique', latitude: 48.8566, longitude: 2.3522 }
  ]
}
const TEXT = { name: 'Texte', type: 'text', data: { text: 'Bonjour #prenom#', choices: [CARD.choices[0]] } }

test('an RCS template of each kind is kept as it was given, and answered as the interface says', async (t) => {
  const { operator } = await startService(t)
  const carousel = { cards: [CARD, { title: 'Printemps', description: '' }] }
  const kinds: [given: object, view: object][] = [
    [
      TEXT,
      {
        name: 'Texte',
        rcs_type: 'text',
        text: 'Bonjour #prenom#',
        fallback_content: '',
        fallback_sender: '',
        card: null,
        carousel: null,
        shorturl: null,
        data: TEXT.data
      }
    ],
    [
      {
        name: 'Carte',
        type: 'card',
        data: CARD,
        fallback: { content: 'Bonjour #prenom# #SHORTURL#', sender: 'CHAPPE' },
        shorturl: { mode: 'unique', url: 'https://shop.example/winter' }
      },
      {
        name: 'Carte',
        rcs_type: 'card',
        text: 'Bonjour #prenom#\nLa collection d’hiver 😀',
        fallback_content: 'Bonjour #prenom# #SHORTURL#',
        fallback_sender: 'CHAPPE',
        card: CARD,
        carousel: null,
        shorturl: { mode: 'unique', url: 'https://shop.example/winter' },
        data: CARD
      }
    ],
    [
      {
        name: 'Carrousel',
        type: 'carousel',
        data: carousel,
        fallback: { content: 'Bonjour' },
        shorturl: { mode: 'common', url: 'http://shop.example' }
      },
      {
        name: 'Carrousel',
        rcs_type: 'carousel',
        text: 'Bonjour #prenom#\nLa collection d’hiver 😀\n\nPrintemps',
        fallback_content: 'Bonjour',
        fallback_sender: '',
        card: null,
        carousel,
        shorturl: { mode: 'common', url: 'http://shop.example' },
        data: carousel
      }
    ]
  ]
  const made: object[] = []
  for (const [given, view] of kinds) {
    const { body } = await operator.expect(200).post('/models/rcs', given)
    const { id } = body
    assert.ok(Number.isInteger(id))
    const withId = (part: unknown) => (part === null ? null : { id, ...(part as object) })
    const { card, carousel, shorturl, ...rest } = view as Record<string, unknown>
    assert.deepEqual(body, {
      id,
      ...rest,
      card: withId(card),
      carousel: withId(carousel),
      shorturl: withId(shorturl),
      isModel: true
    })
    assert.deepEqual((await operator.expect(200).get(`/models/rcs/${id}`)).body, body)
    made.unshift(body)
  }
  assert.deepEqual((await operator.expect(200).get('/models/rcs')).body, made)
  assert.deepEqual((await operator.expect(200).get('/models')).body, [])
})

test('the example of the reference works', async (t) => {
  const { operator } = await startService(t)
  const { body } = await operator.expect(200).post('/models/rcs', rcsTemplateExample.body)
  const { id } = body
  const { answer } = rcsTemplateExample
  assert.deepEqual(body, { ...answer, id, card: { ...answer.card, id }, shorturl: { ...answer.shorturl, id } })
})

test('unknown properties are not kept', async (t) => {
  const { operator } = await startService(t)
  const { body } = await operator.expect(200).post('/models/rcs', {
    ...TEXT,
    id: 999,
    isModel: false,
    data: { text: 'a', title: 'b', cards: [], choices: [{ type: 'text', text: 'Oui', url: 'c', id: 4 }] },
    fallback: { content: 'a', id: 3 },
    shorturl: { mode: 'common', url: 'https://shop.example', id: 5 }
  })
  assert.notEqual(body.id, 999)
  assert.deepEqual(body.data, { text: 'a', choices: [{ type: 'text', text: 'Oui' }] })
  assert.deepEqual(body.shorturl, { id: body.id, mode: 'common', url: 'https://shop.example' })
})

test('null counts as absent, and is not kept', async (t) => {
  const { operator } = await startService(t)
  const nothing = { title: null, description: null, media_message_url: null, choices: null }
  const kinds: [body: object, data: object][] = [
    [{ type: 'text', data: { text: 'a', choices: null } }, { text: 'a' }],
    [{ type: 'card', data: { ...nothing, title: 'a' } }, { title: 'a' }],
    [
      { type: 'carousel', data: { cards: [{ ...nothing, title: 'a' }, { title: 'b' }] } },
      { cards: [{ title: 'a' }, { title: 'b' }] }
    ]
  ]
  for (const [body, data] of kinds) {
    const made = await operator
      .expect(200)
      .post('/models/rcs', { name: 'a', ...body, fallback: { content: 'b', sender: null }, shorturl: null })
    assert.deepEqual(
      [made.body.data, made.body.fallback_content, made.body.fallback_sender, made.body.shorturl],
      [data, 'b', '', null]
    )
    const changed = await operator.expect(200).put(`/models/rcs/${made.body.id}`, { fallback: null })
    assert.deepEqual([changed.body.data, changed.body.fallback_content], [data, ''])
  }
  const { body } = await operator.expect(400).post('/models/rcs', { name: 'a', type: 'card', data: nothing })
  assert.equal(body.details[0].path, 'data')
})

test('a form with nested brackets makes the same template as JSON', async (t) => {
  const { operator } = await startService(t)
  const fields: [name: string, value: string][] = [
    ['name', 'Carrousel'],
    ['type', 'carousel'],
    ['data[cards][0][title]', 'Une'],
    ['data[cards][0][choices][0][type]', 'location'],
    ['data[cards][0][choices][0][title]', 'Y aller'],
    ['data[cards][0][choices][0][label]', '12'],
    ['data[cards][0][choices][0][latitude]', '48.8566'],
    ['data[cards][0][choices][0][longitude]', '-2'],
    ['data[cards][1][title]', '2'],
    ['fallback[content]', 'Bonjour'],
    ['shorturl[mode]', 'common'],
    ['shorturl[url]', 'https://shop.example']
  ]
  const { body } = await operator.expect(200).post('/models/rcs', new URLSearchParams(fields).toString(), FORM)
  assert.deepEqual(body.data, {
    cards: [
      {
        title: 'Une',
        choices: [{ type: 'location', title: 'Y aller', label: '12', latitude: 48.8566, longitude: -2 }]
      },
      { title: '2' }
    ]
  })
  assert.equal(body.fallback_content, 'Bonjour')

  const text = 'name=a&type=text&data[text]=b&data[choices][0][type]=text&data[choices][0][text]=c'
  const made = await operator.expect(200).post('/models/rcs', text, FORM)
  assert.deepEqual(made.body.data, { text: 'b', choices: [{ type: 'text', text: 'c' }] })
  const wrong = await operator
    .expect(400)
    .post('/models/rcs', `${text}&data[choices][1][type]=location&data[choices][1][latitude]=north`, FORM)
  assert.deepEqual(wrong.body.details, [
    { path: 'data.choices[1].title', message: 'is missing' },
    { path: 'data.choices[1].label', message: 'is missing' },
    { path: 'data.choices[1].longitude', message: 'is missing' },
    { path: 'data.choices[1].latitude', message: 'must be a number' }
  ])
})

test('a template that could not be sent is refused by the paths of its fields', async (t) => {
  const { operator } = await startService(t)
  const url = { mode: 'common', url: 'https://shop.example' }
  const wrong: [paths: string[], body: object][] = [
    [['name'], { type: 'text', data: { text: 'a' } }],
    [['name'], { ...TEXT, name: '' }],
    [['name'], { ...TEXT, name: ' \t' }],
    [['name'], { ...TEXT, name: 'n'.repeat(256) }],
    [['name'], { ...TEXT, name: 'a\u0007' }],
    [['type'], { name: 'a', data: {} }],
    [['type'], { ...TEXT, type: 'video' }],
    [['type'], { ...TEXT, type: 1 }],
    [['data'], { name: 'a', type: 'text' }],
    [['data'], { ...TEXT, data: 'text' }],
    [['data'], { ...TEXT, data: null }],
    [['data.text'], { ...TEXT, data: {} }],
    [['data.text'], { ...TEXT, data: CARD }],
    [['data.text'], { ...TEXT, data: { text: 5 } }],
    [['data.text'], { ...TEXT, data: { text: 'a'.repeat(3_073) } }],
    [['data.text'], { ...TEXT, data: { text: 'a'.repeat(100_000) } }],
    [['data'], { ...TEXT, type: 'card', data: {} }],
    [['data.cards'], { ...TEXT, type: 'carousel', data: CARD }],
    [['data.cards'], { ...TEXT, type: 'carousel', data: { cards: [CARD] } }],
    [['data.cards[1].choices[0].title'], { ...TEXT, type: 'carousel', data: { cards: [CARD, cardWithLongChoice()] } }],
    [['data.media_message_url'], { ...TEXT, type: 'card', data: { media_message_url: 'file:///etc/passwd' } }],
    [['data.choices[0].type'], { ...TEXT, data: { text: 'a', choices: [{ type: 'fax' }] } }],
    [['data.choices[0].phoneNumber'], { ...TEXT, data: { text: 'a', choices: [callTo('12')] } }],
    [['fallback'], { ...TEXT, fallback: 'Bonjour' }],
    [['fallback.content'], { ...TEXT, fallback: {} }],
    [['fallback.content'], { ...TEXT, fallback: { content: '' } }],
    [['fallback.content'], { ...TEXT, fallback: { content: ' \n' } }],
    [['fallback.content'], { ...TEXT, fallback: { content: 'é'.repeat(1_531) } }],
    [['fallback.content'], { ...TEXT, fallback: { content: 'ê'.repeat(671) } }],
    [['fallback.sender'], { ...TEXT, fallback: { content: 'a', sender: 's'.repeat(21) } }],
    [['fallback.sender'], { ...TEXT, fallback: { content: 'a', sender: 'a\u001bb' } }],
    [['shorturl'], { ...TEXT, shorturl: 'https://shop.example' }],
    [['shorturl.mode'], { ...TEXT, shorturl: { ...url, mode: 'each' } }],
    [['shorturl.url'], { ...TEXT, shorturl: { mode: 'unique' } }],
    [['shorturl.url'], { ...TEXT, shorturl: { ...url, url: 'ftp://shop.example' } }],
    [['shorturl.url'], { ...TEXT, shorturl: { ...url, url: 'https://a:b@shop.example' } }],
    [['shorturl.url'], { ...TEXT, shorturl: { ...url, url: `https://shop.example/${'a'.repeat(2_048)}` } }],
    [
      ['data.title', 'data.choices[0].url', 'fallback.content', 'shorturl.url'],
      {
        ...TEXT,
        type: 'card',
        data: { title: 'a'.repeat(201), choices: [{ type: 'url', title: 'a', url: 'b' }] },
        fallback: { content: ' ' },
        shorturl: { ...url, url: 'javascript:alert(1)' }
      }
    ]
  ]
  for (const [paths, body] of wrong) {
    const { body: refused } = await operator.expect(400).post('/models/rcs', body)
    assert.deepEqual(
      refused.details.map(({ path }: { path: string }) => path),
      paths
    )
  }
  assert.deepEqual((await operator.expect(200).get('/models/rcs')).body, [])
})

test('a fallback is measured as the SMS that it would be, its variables aside', async (t) => {
  const { operator } = await startService(t)
  const fits = [
    `${'é'.repeat(1_530)}#prenom##STOP_XXX#`,
    'ê'.repeat(670),
    // Plain in an SMS, so that it stays in GSM.
    '’'.repeat(1_530)
  ]
  for (const content of fits) {
    const { body } = await operator.expect(200).post('/models/rcs', { ...TEXT, fallback: { content } })
    assert.equal(body.fallback_content, content)
  }
  await operator.expect(200).put('/users/me', { settings: { typography: false } })
  const { body } = await operator.expect(400).post('/models/rcs', { ...TEXT, fallback: { content: '’'.repeat(1_530) } })
  assert.deepEqual(body.details, [{ path: 'fallback.content', message: 'has 23 segments, and 10 is the most' }])
})

test('an update changes the given fields, and the whole is checked again', async (t) => {
  const { operator } = await startService(t)
  const given = {
    ...TEXT,
    fallback: { content: 'Bonjour', sender: 'CHAPPE' },
    shorturl: { mode: 'unique', url: 'https://shop.example' }
  }
  const { body: made } = await operator.expect(200).post('/models/rcs', given)
  const path = `/models/rcs/${made.id}`
  const put = async (changes: object) => (await operator.expect(200).put(path, changes)).body
  assert.deepEqual(await put({}), made)
  assert.deepEqual(await put({ name: 'Autre', id: 999, rcs_type: 'card', isModel: false }), { ...made, name: 'Autre' })
  assert.deepEqual(await put({ name: 'Texte', data: { text: 'Bonsoir' } }), {
    ...made,
    text: 'Bonsoir',
    data: { text: 'Bonsoir' }
  })
  assert.deepEqual((await operator.expect(400).put(path, { data: CARD })).body.details, [
    { path: 'data.text', message: 'is missing' }
  ])
  assert.deepEqual((await operator.expect(400).put(path, { type: 'carousel' })).body.details, [
    { path: 'data.cards', message: 'is missing' }
  ])
  const card = await put({ type: 'card', data: CARD })
  assert.deepEqual([card.rcs_type, card.card, card.data], ['card', { id: made.id, ...CARD }, CARD])
  // A fallback is replaced as a whole: with a new text, the sender of the old one is gone.
  const { fallback_content, fallback_sender } = await put({ fallback: { content: 'Bonsoir' } })
  assert.deepEqual([fallback_content, fallback_sender], ['Bonsoir', ''])
  const bare = await put({ fallback: null, shorturl: null })
  assert.deepEqual([bare.fallback_content, bare.fallback_sender, bare.shorturl], ['', '', null])
  assert.deepEqual((await put({ shorturl: given.shorturl })).shorturl, { id: made.id, ...given.shorturl })
  for (const changes of [{ name: '' }, { fallback: {} }, { shorturl: [] }]) {
    await operator.expect(400).put(path, changes)
  }
  // Null is absent where it does not take something away.
  await operator.expect(200).put(path, { name: null, type: null, data: null })
  assert.deepEqual((await operator.expect(200).get(path)).body, {
    ...bare,
    shorturl: { id: made.id, ...given.shorturl }
  })
})

test('updates at the same time never leave content that does not fit its type', async (t) => {
  const { operator } = await startService(t)
  const { body: made } = await operator.expect(200).post('/models/rcs', TEXT)
  const path = `/models/rcs/${made.id}`
  for (let round = 0; round < 5; round++) {
    await operator.expect(200).put(path, { type: 'text', data: { text: 'a' } })
    const answers = await Promise.all([
      operator.put(path, { data: { text: `text ${round}` } }),
      operator.put(path, { type: 'card', data: { title: `card ${round}` } }),
      operator.put(path, { data: { text: `again ${round}` } }),
      operator.put(path, { data: { title: `title ${round}` } }),
      operator.put(path, { name: `name ${round}` })
    ])
    assert.ok(answers.every(({ status }) => status === 200 || status === 400))
    const { body } = await operator.expect(200).get(path)
    assert.equal(body.name, `name ${round}`)
    assert.equal(typeof (body.rcs_type === 'card' ? body.data.title : body.data.text), 'string')
  }
})

test('an SMS template is no RCS template, and either is deleted at the same place', async (t) => {
  const { operator } = await startService(t)
  const sms = (await operator.expect(200).post('/models', { name: 'a', content: 'b', sender: '' })).body.id
  const rcs = (await operator.expect(200).post('/models/rcs', TEXT)).body.id
  assert.notEqual(sms, rcs)
  await operator.expect(404).get(`/models/rcs/${sms}`)
  await operator.expect(404).put(`/models/rcs/${sms}`, { name: 'mine' })
  await operator.expect(404).get(`/models/${rcs}`)
  await operator.expect(404).put(`/models/${rcs}`, { name: 'mine' })
  await operator.expect(404).delete(`/models/rcs/${rcs}`)
  await operator.expect(200).delete(`/models/${rcs}`)
  await operator.expect(404).delete(`/models/${rcs}`)
  await operator.expect(404).get(`/models/rcs/${rcs}`)
  await operator.expect(404).put(`/models/rcs/${rcs}`, { name: 'again' })
  assert.deepEqual((await operator.expect(200).get('/models/rcs')).body, [])
  await operator.expect(200).get(`/models/${sms}`)
})

test('an RCS template belongs to one account', async (t) => {
  const { newAccount, pool } = await startService(t)
  const [owner, stranger] = [await newAccount(), await newAccount()]
  const child = await owner.newSubAccount()
  const { id } = (
    await owner.expect(200).post('/models/rcs', {
      ...TEXT,
      fallback: { content: 'Bonjour', sender: '' },
      shorturl: { mode: 'common', url: 'https://shop.example' }
    })
  ).body
  for (const other of [stranger, child]) {
    assert.deepEqual((await other.expect(200).get('/models/rcs')).body, [])
    await other.expect(404).get(`/models/rcs/${id}`)
    await other.expect(404).put(`/models/rcs/${id}`, { name: 'mine' })
    await other.expect(404).delete(`/models/${id}`)
    assert.equal(await findRcsTemplate(pool, { accountId: other.id, id }), undefined)
  }
  assert.deepEqual(await findRcsTemplate(pool, { accountId: owner.id, id }), {
    id,
    ...TEXT,
    fallbackContent: 'Bonjour',
    fallbackSender: null,
    shorturl: { mode: 'common', url: 'https://shop.example' }
  })
})

test('a repeated creation with the same key makes one template', async (t) => {
  const { operator } = await startService(t)
  const key = { 'idempotency-key': 'template-1' }
  const first = await operator.expect(200).post('/models/rcs', TEXT, key)
  const second = await operator.expect(200).post('/models/rcs', TEXT, key)
  assert.deepEqual(second.body, first.body)
  assert.equal((await operator.expect(200).get('/models/rcs')).body.length, 1)
  await operator.expect(200).put(`/models/rcs/${first.body.id}`, { name: 'b' }, { 'idempotency-key': 'template-2' })
})

function callTo(phoneNumber: string) {
  return { type: 'call', title: 'Appeler', phoneNumber }
}

function cardWithLongChoice() {
  return { title: 'a', choices: [{ type: 'url', title: 'a'.repeat(26), url: 'https://shop.example' }] }
}

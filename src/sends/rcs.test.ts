import { strict as assert } from 'node:assert'
import { instantOf, sundayAhead } from '../../test/checks/days-ahead.ts'
import { assertLedgerHolds } from '../../test/checks/ledger.ts'
import { carrierToRbm, startRbm } from '../../test/peers/rbm.ts'
import { carriersFile } from '../../test/peers/smsc.ts'
import { fileForm } from '../../test/service/file-form.ts'
import { startService, type TestAccount, test } from '../../test/service/service.ts'

const phone = (index: number) => `+3363998${String(index).padStart(4, '0')}`
const TEXT = { type: 'text', data: { text: 'Bonjour' } }

async function credits(account: TestAccount, msgType: 1 | 2 = 2): Promise<number> {
  return (await account.expect(200).get('/users/credits')).body[msgType - 1].credits
}

const read = async (account: TestAccount, id: number) => (await account.expect(200).get(`/messages/${id}`)).body

async function recipients(account: TestAccount, id: number) {
  return (await account.expect(200).get(`/messages/${id}/recipients/rcs?limit=1000`)).body.items
}

async function newList(account: TestAccount, contacts: object[]): Promise<number> {
  const { body } = await account.expect(200).post('/contactlists', { name: 'List' })
  await account.expect(200).post('/contacts', { contactlist_id: body.id, contacts })
  return body.id
}

/** The field that a refusal names first, and what it says. */
async function refusal(account: TestAccount, body: object): Promise<[path: string, message: string]> {
  const { body: refused } = await account.expect(400).post('/messages/rcs', body)
  return [refused.details[0].path, refused.details[0].message]
}

test('an RCS is accepted, charged by its kind and readable at once', async (t) => {
  const { newAccount, pool } = await startService(t)
  const account = await newAccount({ credits: 10 })
  const card = {
    title: 'Prêt',
    description: 'Venez l’essayer',
    choices: [{ type: 'call', title: 'Appeler', phoneNumber: '01 23 45 67 89' }]
  }
  const { body } = await account.expect(200).post('/messages/rcs', {
    type: 'card',
    data: card,
    contacts: ['06 39 98 00 01', '+33639980001', 'abc', '01 45 67 89 01', '+33639980002'].map((recipient) => ({
      recipient
    })),
    fallback: { content: 'C’est prêt', sender: 'Boutique' },
    external_id: 'order 7'
  })
  assert.deepEqual(body, {
    success: true,
    message: 'Accepted.',
    message_id: body.message_id,
    credits_used: 4,
    credits_remaining: 6,
    recipients_count: 2,
    rcs_count: 2,
    sms_count: 0,
    doublons: 1,
    stops: 0,
    invalid: 2,
    barred: 0,
    unpriced: 0,
    limited: 0,
    no_consent: 0,
    capped: 0
  })
  const message = await read(account, body.message_id)
  const { content, sender, state, message_type, channel, sms_count, credits_required, external_id, summary } = message
  assert.deepEqual(
    { content, state, message_type, channel, sms_count, credits_required, external_id, waiting: summary.waiting },
    {
      content: 'Prêt\nVenez l’essayer',
      state: 'sending',
      message_type: { id: 2, label: 'RCS' },
      channel: 'rcs',
      sms_count: 0,
      credits_required: 4,
      external_id: 'order 7',
      waiting: 2
    }
  )
  assert.match(sender, /@/, 'it is from the agent')
  const [first, second] = await recipients(account, body.message_id)
  assert.deepEqual(first, {
    id: body.message_id * 2 ** 20 + 1,
    recipient: phone(1),
    credits_required: 2,
    country_code: 'FR',
    deliver: 0,
    deliver_label: 'waiting',
    errorcode: '',
    content: 'Prêt\nVenez l’essayer',
    sent_at: null,
    delivered_at: null,
    channel: 'rcs',
    read_at: null
  })
  assert.equal(second.recipient, phone(2))
  assert.deepEqual([await credits(account), await credits(account, 1)], [6, 10])
  const [stored] = await pool`
    select type, data, fallback_content, fallback_sender, variables from rcs_messages where message_id = ${body.message_id}
  `
  assert.deepEqual(stored, {
    type: 'card',
    data: { ...card, choices: [{ type: 'call', title: 'Appeler', phoneNumber: '+33123456789' }] },
    fallbackContent: 'C’est prêt',
    fallbackSender: 'Boutique',
    variables: []
  })
  assert.deepEqual((await account.expect(200).get(`/messages/${body.message_id}/rcs`)).body, {
    type: 'card',
    data: stored?.data,
    fallback: { content: 'C’est prêt', sender: 'Boutique' }
  })
  const [queued] = await pool`select route, positions, lane from batches where message_id = ${body.message_id}`
  assert.deepEqual(queued, { route: 'rcs:', positions: [1, 2], lane: 0 })
  assert.deepEqual(
    [...(await pool`select distinct content, segments, credits from recipients`)],
    [{ content: null, segments: 0, credits: 2 }]
  )
  for (const path of ['sms', 'sms/extract'])
    await account.expect(404).get(`/messages/${body.message_id}/recipients/${path}`)
  const { body: extracted } = await account.expect(200).get(`/messages/${body.message_id}/recipients/rcs/extract`)
  const { body: page } = await account.expect(200).get(`/messages/${body.message_id}/recipients/rcs`)
  assert.equal(extracted.length, 2)
  assert.deepEqual(extracted, page.items)
  const path = `/messages/${body.message_id}/recipients/rcs/extract`
  const { text } = await account.expect(200).get(path, { accept: 'text/csv' })
  assert.deepEqual(text.trimEnd().split('\r\n').length, 3)
  await (await newAccount()).expect(404).get(path)
  const { body: refused } = await account.expect(409).post(`/messages/${body.message_id}/resend`)
  assert.equal(refused.code, 'state_conflict')
  assert.match(refused.error, /^Only SMS messages can be sent again/)
  await (await newAccount()).expect(404).post(`/messages/${body.message_id}/resend`)
  assert.equal((await account.expect(200).get('/messages?channel=rcs&search=essayer')).body.meta.totalItems, 1)
  const plain = { ...TEXT, contacts: [{ recipient: phone(1) }] }
  const { body: sent } = await account.expect(200).post('/messages/rcs', plain)
  const { body: shown } = await account.expect(200).get(`/messages/${sent.message_id}/rcs`)
  assert.deepEqual(shown, { ...TEXT, fallback: null })
  await assertLedgerHolds(pool)
})

test('variables are filled in everywhere, for contacts and for lists, and only their values are kept', async (t) => {
  const { newAccount, pool } = await startService(t)
  const account = await newAccount({ credits: 100 })
  const list = await newList(account, [{ tel: phone(3), champ_prenom: 'Zoé', champ_ville: 'Nice' }])
  const data = {
    cards: [
      { title: 'Bonjour #Prénom#', description: 'à #ville#', media_message_url: 'https://shop.example/#ville#.jpg' },
      {
        title: 'Fin',
        choices: [
          { type: 'text', text: 'Oui #prenom#' },
          { type: 'url', title: 'Voir', url: 'https://shop.example/?q=#ville#' },
          { type: 'location', title: 'Plan', label: '#ville#', latitude: 43.7, longitude: 7.2 }
        ]
      }
    ]
  }
  const { body } = await account.expect(200).post('/messages/rcs', {
    type: 'carousel',
    data,
    contacts: [
      { recipient: phone(1), prenom: 'Léa & Max', VILLE: 'Aix en P.' },
      { recipient: phone(2), ville: 7 }
    ],
    contactlist: [list],
    fallback: { content: '#prenom#, #STOP_XXX# « #ville# »' }
  })
  assert.deepEqual([body.recipients_count, body.credits_used], [3, 6])
  const contents = (await recipients(account, body.message_id)).map(({ content }: { content: string }) => content)
  assert.deepEqual(contents, [
    'Bonjour Léa & Max\nà Aix en P.\n\nFin',
    'Bonjour \nà 7\n\nFin',
    'Bonjour Zoé\nà Nice\n\nFin'
  ])
  const rows = await pool<{ content: string }[]>`select content from recipients order by position`
  assert.deepEqual(
    rows.map(({ content }) => JSON.parse(content)),
    [
      ['Léa & Max', 'Aix en P.', 'STOP 36111'],
      ['', '7', 'STOP 36111'],
      ['Zoé', 'Nice', 'STOP 36111']
    ]
  )
  const [stored] = await pool`select variables, fallback_content from rcs_messages`
  assert.deepEqual(stored, {
    variables: ['prenom', 'ville', 'stop_xxx'],
    fallbackContent: '#prenom#, #STOP_XXX# « #ville# »'
  })

  await pool`update recipients set channel = 'sms', state = 1, read_at = null where position = 1`
  await pool`update recipients set state = 8, read_at = '2026-11-15T09:30:00Z' where position = 2`
  const [fallenBack, seen] = await recipients(account, body.message_id)
  assert.deepEqual(
    [fallenBack.channel, fallenBack.content, fallenBack.deliver],
    ['sms', 'Léa & Max, STOP 36111 " Aix en P. "', 1]
  )
  assert.deepEqual([seen.channel, seen.deliver_label, seen.read_at], ['rcs', 'read', '2026-11-15T09:30:00.000Z'])
  const { body: filtered } = await account.expect(200).get(`/messages/${body.message_id}/recipients/rcs?deliver=8`)
  assert.deepEqual([filtered.meta.totalItems, filtered.items[0].recipient], [1, phone(2)])
})

test('a variable that nobody has is named where it stands; what only some have is empty for the others', async (t) => {
  const { newAccount } = await startService(t)
  const account = await newAccount({ credits: 100 })
  const contacts = [{ recipient: phone(1), prenom: 'Léa' }, { recipient: phone(2) }]
  const send = { type: 'text', data: { text: 'Salut #prenom#' }, contacts }
  assert.deepEqual(await refusal(account, { ...send, data: { text: '#nom#' } }), [
    'data',
    'uses #nom#, which no recipient defines'
  ])
  assert.deepEqual(await refusal(account, { ...send, fallback: { content: '#prenom# #nom#' } }), [
    'fallback.content',
    'uses #nom#, which no recipient defines'
  ])
  const { body } = await account.expect(200).post('/messages/rcs', send)
  const contents = (await recipients(account, body.message_id)).map(({ content }: { content: string }) => content)
  assert.deepEqual(contents, ['Salut Léa', 'Salut '])
  assert.equal(await credits(account), 98)
})

test('what breaks a limit of the platform, before or after it is filled in, is a 400 with field and number', async (t) => {
  const { newAccount, pool } = await startService(t)
  const account = await newAccount({ credits: 100 })
  const contacts = [
    { recipient: phone(1), nom: 'x' },
    { recipient: '06 39 98 00 02', nom: 'x'.repeat(200) }
  ]
  const card = { type: 'card', data: { title: '#nom#' }, contacts }
  await account.expect(200).post('/messages/rcs', card)
  const cases: [body: object, path: string, message: RegExp][] = [
    [{ data: { title: '#nom#.' } }, 'data.title', /at most 200 characters for 06 39 98 00 02/],
    [{ data: { title: 'x'.repeat(201) } }, 'data.title', /at most 200 characters$/],
    [
      { data: { title: 'x', choices: [{ type: 'text', text: '#nom#' }] } },
      'data.choices[0].text',
      /25 .* 06 39 98 00 02/
    ],
    [
      { data: { title: 'x', choices: [{ type: 'url', title: 'x', url: '#nom#' }] } },
      'data.choices[0].url',
      /web address/
    ],
    [
      { data: { title: 'x', choices: [{ type: 'call', title: 'x', phoneNumber: '#nom#' }] } },
      'data.choices[0].phoneNumber',
      /phone number for/
    ],
    [{ data: {} }, 'data', /at least one of/],
    [{ type: 'carousel' }, 'data.cards', /is missing/],
    [{ type: 'video' }, 'type', /one of/],
    [
      { fallback: { content: '#nom#'.repeat(8) } },
      'fallback.content',
      /has 11 segments for 06 39 98 00 02, and 10 is the most/
    ],
    [{ fallback: { content: ' ' } }, 'fallback.content', /must not be empty$/],
    [
      { contacts: [contacts[0], { recipient: '06 39 98 00 02', nom: ' ' }], fallback: { content: ' #nom#' } },
      'data',
      /at least one of .* for 06 39 98 00 02/
    ],
    [
      {
        data: { title: 'x' },
        contacts: [contacts[0], { recipient: '06 39 98 00 02' }],
        fallback: { content: ' #nom#' }
      },
      'fallback.content',
      /^must not be empty for 06 39 98 00 02$/
    ],
    [{ fallback: {} }, 'fallback.content', /is missing/],
    [{ fallback: { content: 'x', sender: '06 12 34 56 78' } }, 'fallback.sender', /French mobile/],
    [{ contacts: undefined }, 'contacts', /is missing: give contacts, contactlist or both/],
    [{ contacts: [] }, 'contacts', /must not be empty/],
    [{ contacts: [{ recipient: 'abc', nom: 'x' }] }, 'contacts', /1 invalid, 0 opted out;/],
    [{ type: undefined }, 'type', /is missing/],
    [{ data: undefined }, 'data', /is missing/],
    [{ model_id: 1 }, 'model_id', /together with type and data/],
    [{ scheduleAt: 'tomorrow' }, 'scheduleAt', /ISO 8601/],
    [
      { data: { title: Array.from({ length: 51 }, (_, index) => `#v${index}#`).join('') } },
      'data',
      /names 51 variables/
    ]
  ]
  for (const [change, path, message] of cases) {
    const [atPath, said] = await refusal(account, { ...card, ...change })
    assert.equal(atPath, path, JSON.stringify(change))
    assert.match(said, message)
  }
  assert.equal((await pool`select from messages`).length, 1)
  assert.equal(await credits(account), 96)
  await assertLedgerHolds(pool)
})

test('null counts as absent where a field may be absent', async (t) => {
  const { newAccount, pool } = await startService(t)
  const account = await newAccount({ credits: 100 })
  const nothing = { title: null, description: null, media_message_url: null, choices: null }
  const contacts = [{ recipient: phone(1) }]
  const sends: [body: object, data: object, fallback: string | null][] = [
    [{ type: 'text', data: { text: 'Bonjour', choices: null }, fallback: null }, { text: 'Bonjour' }, null],
    [{ type: 'card', data: { ...nothing, description: 'Un' } }, { description: 'Un' }, null],
    [
      {
        type: 'carousel',
        data: { cards: [{ ...nothing, title: 'Un' }, { title: 'Deux' }] },
        fallback: { content: 'SMS', sender: null }
      },
      { cards: [{ title: 'Un' }, { title: 'Deux' }] },
      'SMS'
    ]
  ]
  for (const [body, data, fallback] of sends) {
    const { body: sent } = await account.expect(200).post('/messages/rcs', { ...body, contacts, shorturl: null })
    const [stored] = await pool`select data, fallback_content from rcs_messages where message_id = ${sent.message_id}`
    assert.deepEqual(stored, { data, fallbackContent: fallback })
  }
  assert.deepEqual(await refusal(account, { type: 'card', data: nothing, contacts }), [
    'data',
    'must have at least one of title, description, media_message_url'
  ])
  await account.expect(200).post('/messages/sms', { recipients: [phone(1)], content: 'SMS', shorturl: null })
  assert.equal((await pool`select from short_links`).length, 0)
})

test('a template gives type, data, fallback and link; a fallback of the send comes first', async (t) => {
  const { newAccount, pool } = await startService(t)
  const account = await newAccount({ credits: 100 })
  const stranger = await newAccount({ credits: 100 })
  const { body: template } = await account.expect(200).post('/models/rcs', {
    name: 'Prêt',
    type: 'text',
    data: { text: 'Bonjour #prenom#', choices: [{ type: 'url', title: 'Voir', url: '#SHORTURL#' }] },
    fallback: { content: 'Bonjour #prenom# par SMS', sender: 'Modele' },
    shorturl: { mode: 'common', url: 'https://shop.example/' }
  })
  const send = { model_id: template.id, contacts: [{ recipient: phone(1), prenom: 'Léa' }] }
  const { body: first } = await account.expect(200).post('/messages/rcs', send)
  const message = await read(account, first.message_id)
  assert.deepEqual(
    [message.content, message.shorturl_mode, message.shorturl_url],
    ['Bonjour #prenom#', { id: 2, label: 'common' }, 'https://shop.example/']
  )
  await account.expect(200).post('/messages/rcs', {
    ...send,
    fallback: { content: 'Autre' },
    shorturl: { mode: 'unique', url: 'https://other.example/' }
  })
  await account.expect(200).post('/messages/rcs', { ...send, fallback: { content: 'Autre', sender: 'Moi' } })
  const stored = await pool`select fallback_content, fallback_sender from rcs_messages order by message_id`
  assert.deepEqual(
    [...stored],
    [
      { fallbackContent: 'Bonjour #prenom# par SMS #SHORTURL#', fallbackSender: 'Modele' },
      { fallbackContent: 'Autre #SHORTURL#', fallbackSender: 'Modele' },
      { fallbackContent: 'Autre #SHORTURL#', fallbackSender: 'Moi' }
    ]
  )
  assert.deepEqual(
    [...(await pool`select url, position from short_links order by message_id`)],
    [
      { url: 'https://shop.example/', position: null },
      { url: 'https://other.example/', position: 1 },
      { url: 'https://shop.example/', position: null }
    ]
  )
  await stranger.expect(404).post('/messages/rcs', send)
  await account.expect(404).post('/messages/rcs', { ...send, model_id: template.id + 1 })
  const { body: sms } = await account.expect(200).post('/models', { name: 'SMS', content: 'x', sender: 'Modele' })
  await account.expect(404).post('/messages/rcs', { ...send, model_id: sms.id })
})

test('repeats are dropped over contacts and lists, the opted-out too, and a dry run tells the same', async (t) => {
  const { newAccount, pool } = await startService(t)
  const account = await newAccount({ credits: 100 })
  await account.expect(200).post('/stops', { recipient: phone(2) })
  const first = await newList(account, [
    { tel: phone(1), champ_nom: 'List' },
    { tel: phone(2) },
    { tel: phone(3), champ_nom: 'Three' }
  ])
  const second = await newList(account, [{ tel: phone(3) }, { tel: phone(4), champ_nom: 'Four' }])
  const send = {
    type: 'card',
    data: { title: 'M. #nom#' },
    contacts: [
      { recipient: phone(1), nom: 'Contact' },
      { recipient: '01 45 67 89 01', nom: 'Fixed' },
      { recipient: phone(1), nom: 'Twice' }
    ],
    contactlist: [String(first), second],
    fallback: { content: 'Œuf 😀 #nom#' }
  }
  const {
    finishes_at: finishesAt,
    starts_at: startsAt,
    ...resume
  } = (await account.expect(200).post('/messages/rcs?resumeBefore=true', send)).body
  assert.ok(Date.parse(finishesAt) >= Date.parse(startsAt))
  assert.deepEqual(resume, {
    credits_required: 6,
    credits_remaining: 100,
    credits_missing: 0,
    recipients_count: 3,
    rcs_count: 3,
    sms_count: 0,
    doublons: 3,
    stops: 1,
    invalid: 1,
    barred: 0,
    unpriced: 0,
    limited: 0,
    no_consent: 0,
    capped: 0,
    encoding: 'ucs2',
    forced_by: ['😀'],
    barred_countries: [],
    unpriced_countries: [],
    held_count: 0,
    held_until: null
  })
  assert.equal((await pool`select from messages`).length, 0)
  const { body: status } = await account.expect(200).post('/messages/rcs', send)
  const { recipients_count, rcs_count, doublons, stops, invalid } = status
  assert.deepEqual(
    { recipients_count, rcs_count, doublons, stops, invalid },
    { recipients_count: 3, rcs_count: 3, doublons: 3, stops: 1, invalid: 1 }
  )
  const got = (await recipients(account, status.message_id)).map(({ recipient, content }: Record<string, string>) => [
    recipient,
    content
  ])
  assert.deepEqual(got, [
    [phone(1), 'M. Contact'],
    [phone(3), 'M. Three'],
    [phone(4), 'M. Four']
  ])
  await account.expect(404).post('/messages/rcs', { ...send, contactlist: [first, second + 1] })
  const { body: without } = await account
    .expect(200)
    .post('/messages/rcs?resumeBefore=true', { ...TEXT, contacts: [{ recipient: phone(1) }] })
  assert.deepEqual([without.encoding, without.forced_by, without.credits_required], ['gsm', [], 1])
})

test('without enough RCS credits nothing happens, whatever there is of SMS', async (t) => {
  const { newAccount, operator, pool } = await startService(t)
  const account = await newAccount({ credits: 3 })
  await operator.expect(200).put(`/accounts/${account.id}/credits`, { credits: 100, msgType: 1 })
  const contacts = (count: number) => Array.from({ length: count }, (_, index) => ({ recipient: phone(index) }))
  for (const count of [4, 60]) {
    const { body } = await account
      .expect(402)
      .post('/messages/rcs', { ...TEXT, contacts: contacts(count), external_id: 'x' })
    assert.deepEqual(body.details, [{ required: count, remaining: 3, missing: count - 3 }])
    const { body: resume } = await account
      .expect(200)
      .post('/messages/rcs?resumeBefore=true', { ...TEXT, contacts: contacts(count) })
    assert.deepEqual([resume.credits_required, resume.credits_remaining, resume.credits_missing], [count, 3, count - 3])
  }
  const { body } = await account.expect(200).post('/messages/rcs', { ...TEXT, contacts: contacts(3), external_id: 'x' })
  assert.equal(body.credits_remaining, 0)
  assert.deepEqual([await credits(account, 1), await credits(account, 2)], [103, 0])
  assert.equal((await pool`select from messages`).length, 1)
  await assertLedgerHolds(pool)
})

test('external_id and Idempotency-Key are kept as for SMS, also between the two', async (t) => {
  const { newAccount, pool } = await startService(t)
  const account = await newAccount({ credits: 1_000 })
  const contacts = (count: number) => Array.from({ length: count }, (_, index) => ({ recipient: phone(index) }))
  const send = { ...TEXT, contacts: contacts(2) }
  await account.expect(200).post('/messages/rcs', { ...send, external_id: 'a' })
  const { body: repeated } = await account.expect(409).post('/messages/rcs', { ...send, external_id: 'a' })
  assert.deepEqual([repeated.error, repeated.code], ['External ID already processed', 'external_id_already_processed'])
  await account.expect(409).post('/messages/sms', { recipients: [phone(1)], content: 'x', external_id: 'a' })
  await account.expect(409).post('/messages/rcs', { ...TEXT, contacts: contacts(60), external_id: 'a' })
  await account.expect(200).post('/messages/rcs?resumeBefore=true', { ...send, external_id: 'a' })
  for (const [index, count] of [2, 60].entries()) {
    const key = { 'idempotency-key': `key ${index}` }
    const body = { ...TEXT, contacts: contacts(count) }
    const once = await account.expect(200).post('/messages/rcs', body, key)
    const again = await account.expect(200).post('/messages/rcs', body, key)
    assert.deepEqual([again.body, again.headers.get('idempotent-replayed')], [once.body, 'true'])
    await account.expect(409).post('/messages/rcs', { ...body, category: 'marketing' }, key)
  }
  const both = await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      index % 2 === 0
        ? account.post('/messages/rcs', { ...send, external_id: 'same' })
        : account.post('/messages/sms', { recipients: [phone(1)], content: 'x', external_id: 'same' })
    )
  )
  assert.deepEqual(both.map(({ status }) => status).toSorted(), [200, ...Array.from({ length: 19 }, () => 409)])
  await assertLedgerHolds(pool)
})

test('SMS and RCS of accounts that share a balance, at once, few and many: each is charged once and none waits in a circle', async (t) => {
  const { newAccount, pool, logLines } = await startService(t)
  const parent = await newAccount({ credits: 10_000 })
  const subs = [await parent.newSubAccount({ mode: 'parent' }), await parent.newSubAccount({ mode: 'parent' })]
  const accounts = [parent, ...subs]
  const numbers = (count: number) => Array.from({ length: count }, (_, index) => phone(index))
  const asked = Array.from({ length: 120 }, (_, index) => {
    const account = accounts[index % 3] as TestAccount
    const count = index % 10 === 0 ? 60 : 1
    return index % 2 === 0
      ? account.expect(200).post('/messages/sms', { recipients: numbers(count), content: 'x', external_id: `${index}` })
      : account.expect(200).post('/messages/rcs', {
          type: 'card',
          data: { title: 'x' },
          contacts: numbers(index % 15 === 0 ? 60 : 1).map((recipient) => ({ recipient })),
          external_id: `${index}`
        })
  })
  const answers = await Promise.all(asked)
  const used = (isRcs: boolean) =>
    answers.filter(({ body }) => 'rcs_count' in body === isRcs).reduce((sum, { body }) => sum + body.credits_used, 0)
  assert.deepEqual([await credits(parent, 1), await credits(parent, 2)], [10_000 - used(false), 10_000 - used(true)])
  assert.equal((await subs[0]?.expect(200).get('/users/credits'))?.body[1].credits, 10_000 - used(true))
  assert.ok(!logLines.some((line) => line.includes('40P01')))
  await assertLedgerHolds(pool)
})

test('an RCS waits for its time, and marketing for the hours that the law allows; cancelling gives RCS credits back', async (t) => {
  const { newAccount, pool } = await startService(t)
  const account = await newAccount({ credits: 100 })
  const later = new Date(Date.now() + 3_600_000).toISOString()
  const { body: scheduled } = await account
    .expect(200)
    .post('/messages/rcs', { ...TEXT, contacts: [{ recipient: phone(1) }], scheduleAt: later })
  assert.deepEqual(
    [scheduled.message, (await read(account, scheduled.message_id)).state],
    [`Scheduled for ${later}.`, 'scheduled']
  )
  assert.equal(await credits(account), 99)
  await account.expect(200).put(`/messages/${scheduled.message_id}/cancel`)
  assert.equal(await credits(account), 100)
  await account
    .expect(400)
    .post('/messages/rcs', { ...TEXT, contacts: [{ recipient: phone(1) }], scheduleAt: '9999-01-01' })

  const sunday = sundayAhead()
  const openingAfter = (days: number) => instantOf(sunday.add({ days }), '08:00', 'Europe/Paris')
  const { body: marketing } = await account.expect(200).post('/messages/rcs', {
    ...TEXT,
    contacts: [{ recipient: phone(1) }],
    category: 'marketing',
    scheduleAt: instantOf(sunday, '10:00', 'Europe/Paris')
  })
  assert.ok(marketing.message.includes(`1 held until ${openingAfter(1)}`), marketing.message)
  const [queued] = await pool`select lane, due_at, expires_at from batches where message_id = ${marketing.message_id}`
  assert.deepEqual(queued, {
    lane: 1,
    dueAt: new Date(openingAfter(1)),
    expiresAt: new Date(Date.parse(openingAfter(1)) + 3 * 86_400_000)
  })
  await assertLedgerHolds(pool)
})

test('marketing gets its opt-out mention in the fallback, unless that has one, and a button in the RCS', async (t) => {
  const { newAccount, pool } = await startService(t)
  const account = await newAccount({ credits: 100 })
  const send = { ...TEXT, contacts: [{ recipient: phone(1), nom: 'A' }], category: 'marketing' }
  const fallbacks = ['Promo', 'Promo #STOP_XXX#', 'Promo, STOP au 36111', 'Promo pour #nom#']
  for (const content of fallbacks) await account.expect(200).post('/messages/rcs', { ...send, fallback: { content } })
  await account.expect(200).post('/messages/rcs', send)
  const stored = await pool<{ fallbackContent: string; data: object }[]>`
    select fallback_content, data from rcs_messages order by message_id
  `
  assert.deepEqual(
    stored.map(({ fallbackContent }) => fallbackContent),
    ['Promo #STOP_XXX#', 'Promo #STOP_XXX#', 'Promo, STOP au 36111', 'Promo pour #nom# #STOP_XXX#', null]
  )
  const choices = [{ type: 'text', text: 'STOP' }]
  for (const { data } of stored) assert.deepEqual(data, { text: 'Bonjour', choices })
  const values = await pool<{ content: string | null }[]>`select content from recipients order by message_id`
  assert.deepEqual(
    values.map(({ content }) => content),
    ['["STOP 36111"]', '["STOP 36111"]', null, '["A","STOP 36111"]', null]
  )
})

test('the settings of the account apply to the fallback: sender and typography', async (t) => {
  const { newAccount, pool } = await startService(t)
  const account = await newAccount({ credits: 100 })
  const send = {
    type: 'text',
    data: { text: 'L’#nom#' },
    contacts: [{ recipient: phone(1), nom: 'été…' }],
    fallback: { content: 'L’#nom#' }
  }
  const texts = async () => {
    const { body } = await account.expect(200).post('/messages/rcs', send)
    const [shown] = await recipients(account, body.message_id)
    await pool`update recipients set channel = 'sms' where message_id = ${body.message_id}`
    const [fallenBack] = await recipients(account, body.message_id)
    return [shown.content, fallenBack.content]
  }
  assert.deepEqual(await texts(), ['L’été…', "L'été..."])
  await account.expect(200).put('/users/me', { settings: { typography: false, sender: 'Compte' } })
  assert.deepEqual(await texts(), ['L’été…', 'L’été…'])
  const senders = await pool<{ fallbackSender: string }[]>`select fallback_sender from rcs_messages order by message_id`
  assert.deepEqual(
    senders.map(({ fallbackSender }) => fallbackSender),
    [null, 'Compte']
  )
})

test('a form with brackets is accepted', async (t) => {
  const { newAccount, pool } = await startService(t)
  const account = await newAccount({ credits: 100 })
  const form = new URLSearchParams([
    ['type', 'carousel'],
    ['data[cards][0][title]', 'Un #nom#'],
    ['data[cards][0][description]', ''],
    ['data[cards][1][title]', 'Deux'],
    ['data[cards][1][choices][0][type]', 'location'],
    ['data[cards][1][choices][0][title]', 'Plan'],
    ['data[cards][1][choices][0][label]', 'Ici'],
    ['data[cards][1][choices][0][latitude]', '48.85'],
    ['data[cards][1][choices][0][longitude]', '2.35'],
    ['contacts[0][recipient]', '0639980001'],
    ['contacts[0][nom]', '7'],
    ['fallback[content]', 'Bonjour #nom#'],
    ['shorturl[mode]', 'common'],
    ['shorturl[url]', 'https://shop.example/']
  ])
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  const { body } = await account.expect(200).post('/messages/rcs', form.toString(), headers)
  assert.match((await recipients(account, body.message_id))[0].content, /^Un 7\n\nDeux\nhttp.*\/s\/\w{10}$/)
  const [stored] = await pool`select data, fallback_content from rcs_messages`
  assert.deepEqual(stored, {
    data: {
      cards: [
        { title: 'Un #nom#' },
        {
          title: 'Deux',
          description: '#SHORTURL#',
          choices: [{ type: 'location', title: 'Plan', label: 'Ici', latitude: 48.85, longitude: 2.35 }]
        }
      ]
    },
    fallbackContent: 'Bonjour #nom# #SHORTURL#'
  })
})

test('without a carrier of RCS everybody is invalid, and the refusal says why', async (t) => {
  const sms = { name: 'main', type: 'smpp', host: '127.0.0.1', port: 1, systemId: 'x', password: 'x' } as const
  const { path } = await carriersFile(t, [sms])
  const { newAccount } = await startService(t, { settings: { CHAPPE_CARRIERS: path } })
  const account = await newAccount({ credits: 100 })
  const [field, message] = await refusal(account, { ...TEXT, contacts: [{ recipient: phone(1) }] })
  assert.equal(field, 'contacts')
  assert.match(message, /^can’t be sent to: this service has no carrier for RCS\. .*type rbm.*route/)

  const rbm = await startRbm(t)
  const some = await carriersFile(
    t,
    [sms, await carrierToRbm(t, rbm)],
    [
      { prefix: '', carriers: ['main'] },
      { channel: 'rcs', prefix: '33', carriers: ['rcs'] }
    ]
  )
  const service = await startService(t, { settings: { CHAPPE_CARRIERS: some.path } })
  const other = await service.newAccount({ credits: 100 })
  const contacts = [{ recipient: '+32470123456' }, { recipient: phone(1) }]
  const { body } = await other.expect(200).post('/messages/rcs', { ...TEXT, contacts })
  assert.deepEqual([body.recipients_count, body.invalid], [1, 1])
  assert.equal((await read(other, body.message_id)).sender, rbm.agentId)
  assert.equal((await service.pool`select route from batches`)[0]?.route, 'rcs:33')
})

test('100,000 contacts in one call are accepted, each with values and a link of their own', async (t) => {
  const { newAccount, pool } = await startService(t)
  const account = await newAccount({ credits: 1_000_000 })
  const contacts = Array.from({ length: 100_000 }, (_, index) => ({
    recipient: `+33612${String(index).padStart(6, '0')}`,
    nom: `N${index}`
  }))
  const before = process.memoryUsage.rss()
  const { body } = await account.expect(200).post('/messages/rcs', {
    type: 'card',
    data: { title: 'Bonjour #nom#', choices: [{ type: 'url', title: 'Voir', url: '#SHORTURL#' }] },
    contacts,
    fallback: { content: 'Bonjour #nom#' },
    shorturl: { mode: 'unique', url: 'https://shop.example/?n=#nom#' }
  })
  // The request itself takes 60 MB here: this process is also who asks.
  assert.ok(process.memoryUsage.rss() - before < 400 * 2 ** 20)
  assert.deepEqual([body.recipients_count, body.credits_used], [100_000, 200_000])
  const [count] = await pool`select count(*) as links, count(distinct position) as positions from short_links`
  assert.deepEqual(count, { links: 100_000, positions: 100_000 })
  const path = `/messages/${body.message_id}/recipients/rcs?limit=1&page=100000`
  assert.equal((await account.expect(200).get(path)).body.items[0].content, 'Bonjour N99999')
  assert.equal((await pool`select count(*) as count from batches`)[0]?.count, 200)
  await assertLedgerHolds(pool)
})

test('the rows of a file get an RCS with the values of their columns, and a refusal changes nothing', async (t) => {
  const service = await startService(t)
  const account = await service.newAccount({ credits: 10 })
  const file = 'tel;prenom\n0639980001;Léa\n+33639980002;Max\n0639980001;Twice\nabc;Nobody\n'
  const parts = {
    type: 'card',
    data: JSON.stringify({ title: 'Bonjour #prenom#' }),
    'fallback[content]': 'Bonjour #prenom# par SMS',
    name: 'Rentrée'
  }
  const { body: dry } = await account.expect(200).post('/messages/rcs/file?resumeBefore=true', fileForm(file, parts))
  const { body } = await account.expect(200).post('/messages/rcs/file', fileForm(file, parts))
  for (const answer of [dry, body]) assert.deepEqual([answer.recipients_count, answer.rcs_count], [2, 2])
  assert.equal(await credits(account), 6)
  const shown = (await recipients(account, body.message_id)).map(
    ({ recipient, content }: { recipient: string; content: unknown }) => [recipient, JSON.stringify(content)]
  )
  assert.match(Object.fromEntries(shown)[phone(1)], /Bonjour Léa/)
  assert.match(Object.fromEntries(shown)[phone(2)], /Bonjour Max/)
  for (const [wrong, path] of [
    [{ ...parts, data: '{"title": ' }, 'data'],
    [{ ...parts, data: JSON.stringify({ title: 'x'.repeat(300) }) }, 'data.title'],
    [{ ...parts, type: 'film' }, 'type'],
    [{ ...parts, flash: 'true' }, 'flash'],
    [{ type: 'card' }, 'data']
  ] as [Record<string, string>, string][]) {
    const { body: refused } = await account.expect(400).post('/messages/rcs/file', fileForm(file, wrong))
    assert.ok(refused.details[0].path.startsWith(path), JSON.stringify(refused.details))
  }
  assert.equal(await credits(account), 6)
  await assertLedgerHolds(service.pool)
})

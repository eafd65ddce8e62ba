import { strict as assert } from 'node:assert'
import { generateKeyPairSync, randomUUID } from 'node:crypto'
import { request } from 'node:http'
import { test } from 'node:test'
import { eventually } from '../../test/checks/eventually.ts'
import { startRbm } from '../../test/peers/rbm.ts'
import { Phones } from '../phones/phones.ts'
import { askForToken, Caller, startAll, startHook, TEXT } from './rbm.samples.ts'
import { startRbm as start } from './rbm.ts'

const PHONE = '+33612345678'
const NOBODY = '+33639980007'
const OFFLINE = '+33639980008'

test('a token is given for a claim that the key signed, and opens every call', async (t) => {
  const rbm = await startRbm(t)
  const { status, body } = await askForToken(rbm)
  assert.equal(status, 200)
  assert.deepEqual([body.expires_in, body.token_type], [3600, 'Bearer'])
  const caller = new Caller(rbm)
  for (const token of ['', 'ya29.guessed', body.access_token]) {
    caller.token = token
    const answer = await caller.check(PHONE)
    assert.equal(answer.status, token === body.access_token ? 200 : 401)
    if (answer.status === 401)
      assert.deepEqual([answer.body.error.code, answer.body.error.status], [401, 'UNAUTHENTICATED'])
  }
  assert.deepEqual([rbm.stats.tokens, rbm.stats.unauthorized, rbm.stats.capabilityChecks], [1, 2, 1])
})

const now = Math.floor(Date.now() / 1_000)
const { privateKey } = generateKeyPairSync('rsa', {
  modulusLength: 2_048,
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  publicKeyEncoding: { type: 'spki', format: 'pem' }
})

for (const [what, wrong, error] of [
  ['signed with another key', { key: privateKey }, 'invalid_grant'],
  ['of another algorithm', { algorithm: 'none' }, 'invalid_grant'],
  ['for another server', { claims: { aud: 'https://oauth2.googleapis.com/token' } }, 'invalid_grant'],
  ['of another account', { claims: { iss: 'else@x.iam.gserviceaccount.com' } }, 'invalid_grant'],
  ['that is over', { claims: { iat: now - 7_200, exp: now - 3_600 } }, 'invalid_grant'],
  ['for longer than an hour', { claims: { iat: now, exp: now + 7_200 } }, 'invalid_grant'],
  ['from the future', { claims: { iat: now + 600, exp: now + 1_200 } }, 'invalid_grant'],
  ['for another scope', { claims: { scope: 'https://www.googleapis.com/auth/drive' } }, 'invalid_scope'],
  ['that is none', { form: { assertion: 'a.b.c' } }, 'invalid_grant'],
  ['by another grant', { form: { grant_type: 'password' } }, 'unsupported_grant_type']
] as const) {
  test(`no token is given for a claim ${what}`, async (t) => {
    const rbm = await startRbm(t)
    const { status, body } = await askForToken(rbm, wrong)
    assert.deepEqual([status, body.error], [400, error])
    assert.equal(rbm.stats.tokensRefused, 1)
  })
}

test('a message is taken, shown by the phone, and its delivery is told in a signed push', async (t) => {
  const { rbm, caller, hook } = await startAll(t)
  const id = randomUUID()
  const { status, body } = await caller.send(PHONE, { ...TEXT, ttl: '300s', messageTrafficType: 'PROMOTION' }, id)
  assert.equal(status, 200)
  const { sendTime, expireTime, ...rest } = body
  assert.deepEqual(rest, {
    name: `phones/${PHONE}/agentMessages/${id}`,
    contentMessage: { text: 'Bonjour' },
    messageTrafficType: 'PROMOTION'
  })
  assert.equal(Date.parse(expireTime) - Date.parse(sendTime), 300_000)
  const [event] = await hook.waitFor(1)
  assert.match(event.eventId, /^[0-9a-f-]{36}$/)
  assert.ok(Math.abs(Date.parse(event.sendTime) - Date.now()) < 10_000)
  assert.deepEqual(event, {
    senderPhoneNumber: PHONE,
    eventType: 'DELIVERED',
    eventId: event.eventId,
    messageId: id,
    sendTime: event.sendTime,
    agentId: rbm.agentId
  })
  const [push] = hook.pushes
  const { message, subscription } = push?.body ?? {}
  assert.equal(push?.headers['content-type'], 'application/json')
  assert.equal(subscription, 'projects/rbm-sandbox/subscriptions/rbm-sandbox')
  assert.deepEqual(message.attributes, {
    type: 'event',
    event_type: 'DELIVERED',
    business_id: rbm.agentId,
    product: 'RBM',
    project_number: '3338881441851'
  })
  assert.deepEqual([message.messageId, message.publishTime], [message.message_id, message.publish_time])
  assert.deepEqual(
    rbm.received.get(PHONE)?.map(({ messageId, state, count }) => [messageId, state, count]),
    [[id, 'delivered', 1]]
  )
  assert.equal(rbm.phones.inboxOf(PHONE)[0]?.content, 'Bonjour')
  await eventually(() => assert.equal(rbm.stats.eventsAcknowledged, 1))
  const { messages, delivered, eventsSent, challenges, challengesPassed } = rbm.stats
  assert.deepEqual([messages, delivered, eventsSent, challenges, challengesPassed], [1, 1, 1, 1, 1])
})

test('a message that comes again is answered alike and delivered once, whatever it says', async (t) => {
  const { rbm, caller, hook } = await startAll(t)
  const id = randomUUID()
  for (const text of ['one', 'two', 'three']) {
    const { status, body } = await caller.send(PHONE, { contentMessage: { text } }, id)
    assert.deepEqual([status, body.name], [200, `phones/${PHONE}/agentMessages/${id}`])
  }
  await caller.send(PHONE)
  await hook.waitFor(2)
  assert.deepEqual(
    rbm.phones.inboxOf(PHONE).map(({ content }) => content),
    ['Bonjour', 'one']
  )
  assert.deepEqual([rbm.stats.messages, rbm.stats.repeats, rbm.find(id)?.count], [2, 2, 3])
})

test('a phone without RCS is not found, by a check or by a message; another has its features', async (t) => {
  const { rbm, caller } = await startAll(t)
  for (const answer of [await caller.check(NOBODY), await caller.send(NOBODY)]) {
    assert.equal(answer.status, 404)
    assert.deepEqual(answer.body, {
      error: { code: 404, message: 'Requested entity was not found.', status: 'NOT_FOUND' }
    })
  }
  const { status, body } = await caller.check(PHONE)
  assert.equal(status, 200)
  assert.ok(body.features.includes('RICHCARD_CAROUSEL'))
  assert.equal((await caller.check(PHONE, 'no uuid')).status, 400)
  assert.deepEqual([rbm.stats.messages, rbm.stats.refused, rbm.received.size], [0, 1, 0])
})

test('what names nothing that is there is refused', async (t) => {
  const { rbm, caller } = await startAll(t)
  const agent = encodeURIComponent(rbm.agentId)
  const path = `/v1/phones/${PHONE}/agentMessages`
  for (const [method, target, expected] of [
    ['POST', `${path}?messageId=${randomUUID()}&agentId=other`, 403],
    ['POST', `${path}?messageId=${randomUUID()}`, 400],
    ['POST', `${path}?messageId=7&agentId=${agent}`, 400],
    ['POST', `${path}?agentId=${agent}`, 400],
    ['POST', `/v1/phones/0612345678/agentMessages?messageId=${randomUUID()}&agentId=${agent}`, 400],
    ['POST', `/v1/phones/%/agentMessages?messageId=${randomUUID()}&agentId=${agent}`, 400],
    ['DELETE', `${path}/%?agentId=${agent}`, 404],
    ['PUT', `${path}?messageId=${randomUUID()}&agentId=${agent}`, 404],
    ['POST', `/v1/phones/${PHONE}/testers?agentId=${agent}`, 404],
    ['POST', '/v1/files', 404],
    ['POST', '/v2/phones', 404],
    ['DELETE', `${path}/${randomUUID()}?agentId=${agent}`, 404]
  ] as const) {
    const { status, body } = await caller.call(method, target, TEXT)
    assert.deepEqual([target, status, body.error.code], [target, expected, expected])
  }
  const { status } = await caller.call(
    'POST',
    `${path.replace('+', '%2B')}?messageId=${randomUUID()}&agentId=${agent}`,
    TEXT
  )
  assert.equal(status, 200)
})

const reply = { reply: { text: 'Oui', postbackData: 'Oui' } }
const link = { action: { text: 'Voir', postbackData: '2', openUrlAction: { url: 'https://example.fr' } } }
const media = { height: 'MEDIUM', contentInfo: { fileUrl: 'https://example.fr/a.png', forceRefresh: false } }
const text = (fields: object) => ({ contentMessage: { text: 'Bonjour', ...fields } })
const card = (cardContent: object, fields: object = {}) => ({
  contentMessage: { richCard: { standaloneCard: { cardOrientation: 'VERTICAL', cardContent, ...fields } } }
})
const carousel = (cardContents: object[], cardWidth = 'MEDIUM') => ({
  contentMessage: { richCard: { carouselCard: { cardWidth, cardContents } } }
})
const action = (fields: object) => text({ suggestions: [{ action: { text: 'Voir', ...fields } }] })
const place = { latLong: { latitude: 48.85, longitude: 2.35 }, label: 'Paris' }

test('what the platform takes is taken', async (t) => {
  const { caller } = await startAll(t)
  for (const body of [
    { contentMessage: { text: 'x'.repeat(3_072) } },
    { contentMessage: { text: '🚀'.repeat(3_072) } },
    text({ suggestions: Array(11).fill(reply) }),
    text({ suggestions: [{ reply: { text: 'x'.repeat(25), postbackData: 'x'.repeat(2_048) } }, link] }),
    action({ dialAction: { phoneNumber: '+33123456789' } }),
    action({ viewLocationAction: place }),
    card({ title: 'x'.repeat(200), description: 'x'.repeat(2_000), media, suggestions: Array(4).fill(link) }),
    card({ media }),
    card({ title: 'Soldes', media }, { cardOrientation: 'HORIZONTAL', thumbnailImageAlignment: 'LEFT' }),
    carousel([{ title: 'one' }, { description: 'two', media }]),
    carousel(Array(10).fill({ title: 'x', suggestions: [reply] })),
    { contentMessage: { contentInfo: { fileUrl: 'https://example.fr/a.pdf' } } },
    { ...TEXT, ttl: '1296000s' },
    { ...TEXT, ttl: '3.5s' },
    { ...TEXT, expireTime: new Date(Date.now() + 60_000).toISOString() }
  ]) {
    const answer = await caller.send(PHONE, body)
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
  }
})

test('what the platform does not take is refused with a sentence that names the place', async (t) => {
  const { rbm, caller } = await startAll(t)
  for (const [body, words] of [
    ['{', /agent_message/],
    [{}, /contentMessage' is required/],
    [{ contentMessage: {} }, /exactly one of text/],
    [{ contentMessage: { text: '' } }, /must not be empty/],
    [{ contentMessage: { text: 7 } }, /TYPE_STRING/],
    [{ contentMessage: { text: 'x'.repeat(3_073) } }, /longer than 3072/],
    [{ contentMessage: { text: '🚀'.repeat(3_073) } }, /longer than 3072/],
    [text({ richCard: {} }), /exactly one of standaloneCard/],
    [text({ contentInfo: { fileUrl: 'https://example.fr/a' } }), /exactly one of text/],
    [text({ choices: [] }), /Unknown name "choices" at 'agent_message.contentMessage'/],
    [text({ suggestions: Array(12).fill(reply) }), /0 to 11 items/],
    [text({ suggestions: [{ reply: { text: 'x'.repeat(26) } }] }), /longer than 25/],
    [text({ suggestions: [{ reply: { text: 'x', postbackData: 'x'.repeat(2_049) } }] }), /longer than 2048/],
    [text({ suggestions: [{}] }), /exactly one of reply, action/],
    [text({ suggestions: [{ ...reply, ...link }] }), /exactly one of reply, action/],
    [action({}), /exactly one of openUrlAction/],
    [action({ openUrlAction: { url: 'javascript:x' } }), /no URL/],
    [action({ openUrlAction: { url: `https://example.fr/${'x'.repeat(2_048)}` } }), /no URL/],
    [action({ dialAction: { phoneNumber: '0123456789' } }), /no number in E.164/],
    [action({ viewLocationAction: { latLong: { latitude: 91, longitude: 0 } } }), /TYPE_DOUBLE/],
    [action({ viewLocationAction: { label: 'Paris' } }), /one of latLong, query/],
    [card({}), /one of title, description, media/],
    [card({ title: 'x'.repeat(201) }), /longer than 200/],
    [card({ description: 'x'.repeat(2_001) }), /longer than 2000/],
    [card({ title: 'x', suggestions: Array(5).fill(reply) }), /0 to 4 items/],
    [card({ media: { contentInfo: { fileUrl: 'https://example.fr/a.png' } } }), /height' is required/],
    [card({ media: { height: 'HUGE', contentInfo: { fileUrl: 'https://example.fr/a.png' } } }), /TYPE_ENUM/],
    [card({ media: { height: 'TALL' } }), /exactly one of contentInfo/],
    [card({ media }, { cardOrientation: 'HORIZONTAL' }), /thumbnailImageAlignment' is required/],
    [card({ title: 'x' }, { cardOrientation: 'UPRIGHT' }), /TYPE_ENUM/],
    [carousel([{ title: 'one' }]), /2 to 10 items/],
    [carousel(Array(11).fill({ title: 'x' })), /2 to 10 items/],
    [carousel([{ title: 'one' }, {}]), /cardContents\[1\]' must have one of/],
    [carousel([{ title: 'one' }, { media: { ...media, height: 'TALL' } }], 'SMALL'), /can't be TALL/],
    [{ ...TEXT, ttl: '300' }, /no duration/],
    [{ ...TEXT, ttl: '1296001s' }, /15 days/],
    [{ ...TEXT, ttl: '10s', expireTime: new Date().toISOString() }, /only one of ttl/],
    [{ ...TEXT, expireTime: 'tomorrow' }, /no timestamp/],
    [{ ...TEXT, expireTime: new Date(Date.now() + 16 * 86_400_000).toISOString() }, /15 days/],
    [{ ...TEXT, messageTrafficType: 'SPAM' }, /TYPE_ENUM/],
    [
      carousel(
        Array(10).fill({
          title: '🚀'.repeat(200),
          suggestions: Array(4).fill({ reply: { text: 'x', postbackData: 'é'.repeat(2_048) } }),
          description: '🚀'.repeat(2_000)
        })
      ),
      /250000/
    ]
  ] as const) {
    const { status, body: answer } = await caller.send(PHONE, body)
    assert.deepEqual([status, answer.error.status], [400, 'INVALID_ARGUMENT'], JSON.stringify(body).slice(0, 200))
    assert.match(answer.error.message, words)
  }
  assert.deepEqual([rbm.stats.messages, rbm.received.size], [0, 0])
})

test('a message to a phone that is offline waits, and can be revoked once', async (t) => {
  const { rbm, caller, hook } = await startAll(t)
  const id = randomUUID()
  assert.equal((await caller.send(OFFLINE, { ...TEXT, ttl: '300s' }, id)).status, 200)
  assert.equal((await caller.check(OFFLINE)).status, 200)
  assert.equal(rbm.find(id)?.state, 'waiting')
  assert.equal((await caller.revoke(PHONE, id)).status, 404)
  const { status, body } = await caller.revoke(OFFLINE, id)
  assert.deepEqual([status, body], [200, {}])
  assert.equal(rbm.find(id)?.state, 'revoked')
  assert.equal((await caller.revoke(OFFLINE, id)).status, 404)
  rbm.apply(`phone ${OFFLINE} is online`)
  const later = randomUUID()
  await caller.send(OFFLINE, TEXT, later)
  assert.deepEqual(
    (await hook.waitFor(1)).map(({ messageId }) => messageId),
    [later]
  )
  assert.deepEqual([rbm.stats.revokes, rbm.stats.revoked, rbm.phones.inboxOf(OFFLINE).length], [3, 1, 1])
})

test('a message that is delivered is not there to revoke', async (t) => {
  const { rbm, caller } = await startAll(t)
  const id = randomUUID()
  await caller.send(PHONE, TEXT, id)
  assert.equal((await caller.revoke(PHONE, id)).status, 404)
  assert.equal(rbm.find(id)?.state, 'delivered')
})

for (const [by, expiry] of [
  ['ttl', () => ({ ttl: '0.2s' })],
  ['expireTime', () => ({ expireTime: new Date(Date.now() + 200).toISOString() })]
] as const) {
  test(`a message that is not delivered by its ${by} is revoked, and the platform says so`, async (t) => {
    const { rbm, caller, hook } = await startAll(t)
    const id = randomUUID()
    await caller.send(OFFLINE, { ...TEXT, ...expiry() }, id)
    await caller.send(PHONE, { ...TEXT, ...expiry() })
    const events = await hook.waitFor(2)
    const { eventId, sendTime, ...event } = events.find(({ messageId }) => messageId === id)
    assert.ok(eventId !== '' && Date.parse(sendTime) <= Date.now())
    assert.deepEqual(event, {
      phoneNumber: OFFLINE,
      messageId: id,
      agentId: rbm.agentId,
      eventType: 'TTL_EXPIRATION_REVOKED'
    })
    assert.deepEqual([rbm.find(id)?.state, rbm.stats.expired], ['revoked', 1])
    assert.equal((await caller.revoke(OFFLINE, id)).status, 404)
  })
}

test('a message to …04 arrives after 30 s, unless its time to live is over before', async (t) => {
  const { rbm, caller, hook } = await startAll(t)
  t.mock.timers.enable({ apis: ['setTimeout', 'Date'], now: Date.now() })
  const [late, short] = [randomUUID(), randomUUID()]
  await caller.send('+33639980004', { ...TEXT, ttl: '300s' }, late)
  await caller.send('+33639980004', { ...TEXT, ttl: '10s' }, short)
  t.mock.timers.tick(29_999)
  assert.deepEqual([rbm.find(late)?.state, rbm.find(short)?.state], ['waiting', 'revoked'])
  t.mock.timers.tick(1)
  assert.deepEqual([rbm.find(late)?.state, rbm.find(short)?.state], ['delivered', 'revoked'])
  t.mock.timers.reset()
  const told = (await hook.waitFor(2)).map(({ eventType, messageId }) => [eventType, messageId]).sort()
  assert.deepEqual(told, [
    ['DELIVERED', late],
    ['TTL_EXPIRATION_REVOKED', short]
  ])
})

for (const [number, word] of [
  ['+33639980005', 'OK'],
  ['+33639981206', 'STOP']
] as const) {
  test(`${number} answers "${word}"`, async (t) => {
    const { rbm, caller, hook } = await startAll(t)
    await caller.send(number)
    const [, { messageId, sendTime, ...message }] = await hook.waitFor(2)
    assert.ok(messageId !== '' && Date.parse(sendTime) <= Date.now())
    assert.deepEqual(message, { senderPhoneNumber: number, text: word, agentId: rbm.agentId })
    assert.equal(hook.pushes[1]?.body.message.attributes.type, 'message')
  })
}

test('of a message to …11 nothing is ever told, though it arrives', async (t) => {
  const { rbm, caller, hook } = await startAll(t)
  await caller.send('+33639980011')
  await caller.send(PHONE)
  assert.deepEqual(
    (await hook.waitFor(1)).map(({ senderPhoneNumber }) => senderPhoneNumber),
    [PHONE]
  )
  assert.equal(rbm.phones.inboxOf('+33639980011').length, 1)
})

const otherReply = { reply: { text: 'Non', postbackData: '2' } }

for (const [what, body, response] of [
  ['a text', text({ suggestions: [reply, link] }), { postbackData: 'Oui', text: 'Oui', type: 'REPLY' }],
  ['a card', card({ title: 'x', suggestions: [otherReply, reply] }), { postbackData: '2', text: 'Non', type: 'REPLY' }],
  ['a link', card({ title: 'x', suggestions: [link, reply] }), { postbackData: '2', text: 'Voir', type: 'ACTION' }],
  [
    'a carousel',
    carousel([{ title: 'one' }, { title: 'two', suggestions: [reply] }]),
    { postbackData: 'Oui', text: 'Oui', type: 'REPLY' }
  ]
] as const) {
  test(`…12 reads an RCS and taps its first choice: ${what}`, async (t) => {
    const { caller, hook } = await startAll(t)
    await caller.send('+33639980012', body)
    const [delivered, read, tap] = await hook.waitFor(3)
    assert.deepEqual([delivered.eventType, read.eventType], ['DELIVERED', 'READ'])
    assert.equal(read.messageId, delivered.messageId)
    assert.deepEqual(tap.suggestionResponse, response)
    assert.equal(hook.pushes[2]?.body.message.attributes.message_type, 'SUGGESTION_RESPONSE')
  })
}

test('…12 only reads an RCS that has nothing to tap', async (t) => {
  const { rbm, caller, hook } = await startAll(t)
  await caller.send('+33639980012')
  await hook.waitFor(2)
  await rbm.sendEvent({ phone: PHONE, text: 'later' })
  await caller.send('+33639980005') // Its answer comes after any tap would have.
  const events = await hook.waitFor(5)
  assert.deepEqual(
    events.map(({ eventType, text }) => eventType ?? text),
    ['DELIVERED', 'READ', 'later', 'DELIVERED', 'OK']
  )
})

test('500 to 10,000 phones are checked at once', async (t) => {
  const { rbm, caller } = await startAll(t)
  const users = Array.from({ length: 500 }, (_, index) => `+336399${80_000 + index}`)
  const { status, body } = await caller.checkBatch(users)
  assert.equal(status, 200)
  assert.deepEqual([body.totalRandomSampleUserCount, body.reachableRandomSampleUserCount], [375, 371])
  assert.equal(body.reachableUsers.length, 495)
  assert.ok(!body.reachableUsers.includes(NOBODY))
  for (const wrong of [
    users.slice(1),
    [...users.slice(1), users[1]],
    [...users, '0612345678'],
    [...users, 7],
    undefined
  ]) {
    assert.equal((await caller.checkBatch(wrong)).status, 400)
  }
  const many = Array.from({ length: 10_001 }, (_, index) => `+336${10_000_000 + index}`)
  assert.equal((await caller.checkBatch(many)).status, 400)
  assert.equal((await caller.checkBatch(many.slice(1))).body.reachableUsers.length, 10_000)
  assert.equal((await caller.call('POST', '/v1/users:batchGet', { users })).status, 400)
  assert.equal(rbm.stats.batchChecks, 8)
})

test('an agent can show that it types, or has read', async (t) => {
  const { rbm, caller } = await startAll(t)
  const path = (id: string) =>
    `/v1/phones/${PHONE}/agentEvents?eventId=${id}&agentId=${encodeURIComponent(rbm.agentId)}`
  const id = randomUUID()
  const { status, body } = await caller.call('POST', path(id), { eventType: 'IS_TYPING' })
  assert.deepEqual([status, body.name, body.eventType], [200, `phones/${PHONE}/agentEvents/${id}`, 'IS_TYPING'])
  assert.equal((await caller.call('POST', path(id), { eventType: 'READ', messageId: 'x' })).status, 200)
  for (const [event, wrongId] of [
    [{ eventType: 'READ' }, id],
    [{ eventType: 'SHOUTING' }, id],
    [{ eventType: 'IS_TYPING' }, '7']
  ] as const) {
    assert.equal((await caller.call('POST', path(wrongId), event)).status, 400)
  }
  assert.equal(rbm.stats.agentEvents, 2)
})

test('whatever happens on a phone can be told', async (t) => {
  const { rbm, hook } = await startAll(t)
  const messageId = randomUUID()
  const payload = { mimeType: 'image/gif', fileSizeBytes: 7, fileName: 'a.gif', fileUri: 'https://example.fr/a.gif' }
  for (const event of [
    { phone: PHONE, eventType: 'UNSUBSCRIBE' },
    { phone: PHONE, eventType: 'IS_TYPING' },
    { phone: PHONE, eventType: 'READ', messageId, eventId: 'the same' },
    { phone: PHONE, eventType: 'TTL_EXPIRATION_REVOKE_FAILED', messageId },
    { phone: PHONE, location: { latitude: 48.85, longitude: 2.35 } },
    { phone: PHONE, userFile: { payload } },
    { phone: PHONE, text: 'Oui', messageId: 'its own' }
  ] as const) {
    await rbm.sendEvent(event)
  }
  const shown = hook.events().map(({ sendTime: _, agentId, ...event }) => {
    assert.equal(agentId, rbm.agentId)
    return event
  })
  const ids = shown.map(({ eventId, messageId }) => eventId ?? messageId)
  assert.equal(new Set(ids).size, 7)
  assert.deepEqual(shown, [
    { senderPhoneNumber: PHONE, eventType: 'UNSUBSCRIBE', eventId: ids[0] },
    { senderPhoneNumber: PHONE, eventType: 'IS_TYPING', eventId: ids[1] },
    { senderPhoneNumber: PHONE, eventType: 'READ', messageId, eventId: 'the same' },
    { phoneNumber: PHONE, eventType: 'TTL_EXPIRATION_REVOKE_FAILED', messageId, eventId: ids[3] },
    { senderPhoneNumber: PHONE, messageId: ids[4], location: { latitude: 48.85, longitude: 2.35 } },
    { senderPhoneNumber: PHONE, messageId: ids[5], userFile: { payload } },
    { senderPhoneNumber: PHONE, messageId: 'its own', text: 'Oui' }
  ])
})

test('a webhook that does not answer the challenge with its secret gets nothing', async (t) => {
  const { rbm, caller, hook } = await startAll(t)
  for (const url of ['http://127.0.0.1:1/nobody', `${rbm.url}/v1/phones`])
    assert.equal(await rbm.setWebhook(url), false)
  await caller.send(PHONE)
  await hook.waitFor(1)
  assert.deepEqual([rbm.stats.challenges, rbm.stats.challengesPassed], [3, 1])
})

test('events wait for a webhook, and are posted again until it takes them', async (t) => {
  const rbm = await startRbm(t)
  const caller = new Caller(rbm)
  await caller.renew()
  assert.deepEqual(await caller.sendMany(PHONE, 3), [200, 200, 200])
  assert.equal(rbm.waitingCount, 3)
  const tries = new Map<string, number>()
  const hook = await startHook(t, rbm, ({ messageId }) => {
    const count = (tries.get(messageId) ?? 0) + 1
    tries.set(messageId, count)
    return count < 3 ? 500 : 204
  })
  assert.equal(await rbm.setWebhook(hook.url), true)
  const events = await hook.waitFor(9)
  assert.equal(new Set(events.map(({ eventId }) => eventId)).size, 3)
  await eventually(() => assert.equal(rbm.waitingCount, 0))
  const { eventsSent, eventsFailed, eventsAcknowledged } = rbm.stats
  assert.deepEqual([eventsSent, eventsFailed, eventsAcknowledged], [9, 6, 3])
  // Between the tries, it waits: 100 ms, and then twice as long.
  const times = hook.pushes.map(({ at }) => at)
  assert.ok((times[3] ?? 0) - (times[0] ?? 0) >= 90 && (times[6] ?? 0) - (times[3] ?? 0) >= 190, String(times))
  assert.equal(await rbm.setWebhook(undefined), true)
  await caller.send(PHONE)
  assert.equal(rbm.waitingCount, 1)
})

test('a webhook that is slow gets 32 at once, and no more', async (t) => {
  const { rbm, caller } = await startAll(t)
  const { promise: gate, resolve: open } = Promise.withResolvers<void>()
  const slow = await startHook(t, rbm, () => gate.then(() => 200))
  await rbm.setWebhook(slow.url)
  await Promise.all(Array.from({ length: 50 }, () => caller.send(PHONE)))
  await slow.waitFor(32)
  open()
  await slow.waitFor(50)
  assert.equal(slow.mostAtOnce, 32)
})

test('while too many events wait, messages are refused', async (t) => {
  const rbm = await startRbm(t, { waitingMax: 2 })
  const caller = new Caller(rbm)
  await caller.renew()
  assert.deepEqual(await caller.sendMany(PHONE, 4), [200, 200, 503, 503])
  await rbm.setWebhook((await startHook(t, rbm)).url)
  await eventually(() => assert.equal(rbm.waitingCount, 0))
  assert.equal((await caller.send(PHONE)).status, 200)
})

test('a body without an end in sight is not kept', async (t) => {
  const { caller } = await startAll(t)
  assert.equal((await caller.send(PHONE, 'x'.repeat(1_000_001))).status, 413)
})

test('a client that leaves in the middle does no harm', async (t) => {
  const { rbm, caller } = await startAll(t)
  const { host, port } = rbm
  const half = request({ host, port, method: 'POST', path: '/v1/phones', headers: { 'content-length': 100 } })
  half.on('error', () => undefined) // It is what we do to it.
  half.write('{')
  await new Promise((resolve) => half.once('socket', (socket) => socket.once('connect', resolve)))
  half.destroy()
  assert.equal((await caller.send(PHONE)).status, 200)
})

test('a port that is taken, or a rule that is none, is a reason not to start', async (t) => {
  const { port } = await startRbm(t)
  await assert.rejects(start({ phones: new Phones(), port }), { code: 'EADDRINUSE' })
  await assert.rejects(start({ phones: new Phones(), faults: 'be nice' }), /Line 1, word 1: "be" is not understood/)
})

test('it stops with messages and events on their way', async () => {
  const rbm = await start({ phones: new Phones(), faults: 'every 10s reset' })
  const caller = new Caller(rbm)
  await caller.renew()
  await caller.send(OFFLINE, { ...TEXT, ttl: '300s' })
  await caller.send('+33639980004')
  await caller.send(PHONE)
  assert.equal(rbm.received.size, 0) // Nothing is kept unless it is asked for.
  await rbm.stop()
})

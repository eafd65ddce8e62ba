import { strict as assert } from 'node:assert'
import { test } from 'node:test'
import fc from 'fast-check'
import { ANY_CHARACTER } from '../../../test/checks/any-character.ts'
import { readRbmEvent } from './read-event.ts'

const RECEIVED_AT = new Date('2026-11-15T09:30:00.000Z')
const HAPPENING = { eventId: 'EVENT_ID', phone: '+12223334444', agentId: 'AGENT_ID', at: RECEIVED_AT }
const USER_EVENT = { senderPhoneNumber: '+12223334444', eventId: 'EVENT_ID', agentId: 'AGENT_ID' }
const SERVER_EVENT = { phoneNumber: '+12223334444', eventId: 'EVENT_ID', agentId: 'AGENT_ID' }
const USER_MESSAGE = { senderPhoneNumber: '+12223334444', messageId: 'MESSAGE_ID', agentId: 'AGENT_ID' }

const read = (body: unknown) => readRbmEvent(body, RECEIVED_AT)

/** As in "Receive events" of the platform's guide. */
test('what happened to a message is read in the platform’s words', () => {
  const messageId = 'MESSAGE_ID'
  for (const [eventType, kind] of [
    ['DELIVERED', 'delivered'],
    ['READ', 'read']
  ]) {
    assert.deepEqual(read({ ...USER_EVENT, eventType, messageId }), { ...HAPPENING, kind, messageId })
  }
  for (const [eventType, kind] of [
    ['TTL_EXPIRATION_REVOKED', 'expired'],
    ['TTL_EXPIRATION_REVOKE_FAILED', 'expired-not-revoked']
  ]) {
    const event = read({ ...SERVER_EVENT, eventType, messageId, sendTime: '2026-11-15T09:29:58.045123456Z' })
    assert.deepEqual(event, { ...HAPPENING, kind, messageId, at: new Date('2026-11-15T09:29:58.045Z') })
  }
})

test('what a person did is read, and what we can do nothing about is let be', () => {
  const kinds = { UNSUBSCRIBE: 'unsubscribe', SUBSCRIBE: 'subscribe', IS_TYPING: 'other', TOMORROWS: 'other' }
  for (const [eventType, kind] of Object.entries(kinds)) {
    assert.deepEqual(read({ ...USER_EVENT, eventType }), { ...HAPPENING, kind })
  }
  assert.equal(read({ ...USER_EVENT, eventType: 'DELIVERED' }).kind, 'other')
  assert.equal(read({ eventId: 'EVENT_ID', eventType: 'UNSUBSCRIBE' }).kind, 'other')
  const launch = { eventId: 'bot/0a7e', agentId: 'bot@rbm.goog', oldLaunchState: 'PENDING', newLaunchState: 'LAUNCHED' }
  assert.equal(read(launch).kind, 'other')
})

/** UserMessage: text, userFile, location or suggestionResponse. */
test('what a person sent is a reply in words', () => {
  const replies: [content: object, text: string][] = [
    [{ text: 'Bonjour' }, 'Bonjour'],
    [{ suggestionResponse: { postbackData: 'Oui', text: 'Oui' } }, 'Oui'],
    [{ suggestionResponse: { postbackData: 'Oui', text: 'Oui', type: 'REPLY' } }, 'Oui'],
    [{ suggestionResponse: { postbackData: 'postback_1234' } }, 'postback_1234'],
    [{ location: { latitude: 48.8566, longitude: 2.3522 } }, '48.8566,2.3522'],
    [{ location: { latitude: 51.4778 } }, '51.4778,0'],
    [{ userFile: { payload: { fileUri: 'https://rcs.example/1', fileName: 'a.jpg' } } }, 'a.jpg https://rcs.example/1'],
    [{ userFile: { payload: { fileUri: 'https://rcs.example/1', mimeType: 'image/png' } } }, 'https://rcs.example/1']
  ]
  for (const [content, text] of replies) {
    const event = read({ ...USER_MESSAGE, ...content, sendTime: '2026-11-15T09:29:00Z' })
    const at = new Date('2026-11-15T09:29:00Z')
    const tap = 'suggestionResponse' in content ? { isTap: true } : {}
    assert.deepEqual(event, { ...HAPPENING, eventId: 'MESSAGE_ID', at, kind: 'reply', text, ...tap })
  }
})

test('who opens an address, a map or a call has not replied', () => {
  const taps = [
    { postbackData: 'chappe:action:url', text: 'Stop' },
    { postbackData: 'x', text: 'Stop', type: 'ACTION' }
  ]
  for (const suggestionResponse of taps) {
    assert.equal(read({ ...USER_MESSAGE, suggestionResponse }).kind, 'other')
  }
})

test('a reply without a number, or that says nothing, is none', () => {
  const empty = [
    {},
    { text: '' },
    { text: 1 },
    { location: 'here' },
    { location: { latitude: 'north' } },
    { userFile: {} }
  ]
  for (const content of empty) assert.equal(read({ ...USER_MESSAGE, ...content }).kind, 'other')
  assert.equal(read({ messageId: 'MESSAGE_ID', text: 'Bonjour' }).kind, 'other')
})

test('a number is E.164 with its plus, or none', () => {
  const phones = { '+33612345678': '+33612345678', ' 33612345678 ': '+33612345678', '06 12': '', abc: '', '+': '' }
  for (const [senderPhoneNumber, phone] of Object.entries(phones)) {
    assert.equal(read({ ...USER_EVENT, senderPhoneNumber }).phone, phone)
  }
})

test('a time that can’t be is when it came', () => {
  const impossible = [
    '',
    'yesterday',
    '0001-01-01T00:00:00Z',
    '2027-01-01T00:00:00Z',
    '+275760-09-13T00:00:00Z',
    1,
    null
  ]
  for (const sendTime of impossible) assert.equal(read({ ...USER_EVENT, sendTime }).at, RECEIVED_AT, String(sendTime))
})

test('the same event has the same id every time, also if it has none', () => {
  const nameless = { senderPhoneNumber: '+12223334444', eventType: 'DELIVERED', messageId: 'MESSAGE_ID' }
  const { eventId } = read(nameless)
  assert.match(eventId, /^[0-9a-f]{64}$/)
  assert.equal(read({ ...nameless }).eventId, eventId)
  // Two events of one message are two.
  assert.notEqual(read({ ...nameless, eventType: 'READ' }).eventId, eventId)
  assert.ok(read({ ...nameless, eventId: 'x'.repeat(100_000) }).eventId.length <= 255)
})

test('no JSON makes it throw, and nothing of it can’t be stored', () => {
  const word = fc.oneof(fc.string({ unit: ANY_CHARACTER }), fc.jsonValue(), fc.constant('\u0000+33612345678'))
  const names = ['eventType', 'eventId', 'messageId', 'senderPhoneNumber', 'phoneNumber', 'agentId', 'sendTime', 'text']
  const nested = fc.record(
    { postbackData: word, text: word, latitude: word, longitude: word, payload: word, type: word },
    { requiredKeys: [] }
  )
  const body = fc.record(
    {
      ...Object.fromEntries(names.map((name) => [name, word])),
      eventType: fc.oneof(word, fc.constantFrom('DELIVERED', 'READ', 'UNSUBSCRIBE', '__proto__', 'constructor')),
      suggestionResponse: fc.oneof(word, nested),
      location: fc.oneof(word, nested),
      userFile: fc.oneof(word, nested)
    },
    { requiredKeys: [] }
  )
  fc.assert(
    fc.property(fc.oneof(fc.jsonValue(), body), (value) => {
      const event = readRbmEvent(value)
      assert.ok(event.eventId !== '' && !Number.isNaN(event.at.getTime()))
      assert.match(event.phone, /^(?:|\+\d{5,15})$/)
      assert.ok(!JSON.stringify(event).includes('\\u0000'))
    }),
    { numRuns: 2_000 }
  )
  assert.equal(readRbmEvent(JSON.parse(`${'['.repeat(100_000)}${']'.repeat(100_000)}`)).kind, 'other')
  assert.equal(read({ ...USER_MESSAGE, location: { latitude: { toString: 1, valueOf: 1 } } }).kind, 'other')
})

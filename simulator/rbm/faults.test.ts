import { strict as assert } from 'node:assert'
import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { eventually } from '../../test/checks/eventually.ts'
import { parseRbmFaults, RBM_RULE_PATTERNS } from './faults.ts'
import { askForToken, startAll, startHook, TEXT } from './rbm.samples.ts'

const PHONE = '+33612345678'
const OFFLINE = '+33639980008'

/** What is said of events, in their order. */
// biome-ignore lint/suspicious/noExplicitAny: events as they came.
function words(events: any[]): string[] {
  return events.map(({ eventType, text }) => eventType ?? text)
}

test('refuse messages with 403: none is taken, until they are accepted', async (t) => {
  const { rbm, caller } = await startAll(t, 'refuse messages with 403')
  const { status, body } = await caller.send(PHONE)
  assert.deepEqual([status, body.error.status], [403, 'PERMISSION_DENIED'])
  rbm.apply('accept messages')
  assert.equal((await caller.send(PHONE)).status, 200)
  assert.deepEqual([rbm.stats.refused, rbm.stats.messages], [1, 1])
})

test('refuse every 3rd message with 500', async (t) => {
  const { caller } = await startAll(t, 'refuse every 3rd message with 500')
  assert.deepEqual(await caller.sendMany(PHONE, 6), [200, 200, 500, 200, 200, 500])
})

test('refuse next 2 messages with 503', async (t) => {
  const { caller } = await startAll(t, 'refuse next 2 messages with 503')
  assert.deepEqual(await caller.sendMany(PHONE, 3), [503, 503, 200])
})

test('limit messages 5/s: more are answered with 429, and retry after 3s says how long to wait', async (t) => {
  const { rbm, caller } = await startAll(t, 'limit messages 5/s\nretry after 3s')
  const answers = await Promise.all(Array.from({ length: 20 }, () => caller.send(PHONE)))
  const throttled = answers.filter(({ status }) => status === 429)
  assert.ok(throttled.length >= 10 && throttled.length <= 15, `${throttled.length} of 20 were throttled`)
  assert.deepEqual([rbm.stats.throttled, rbm.stats.refused], [throttled.length, 0])
  assert.equal(throttled[0]?.headers.get('retry-after'), '3')
  assert.equal(throttled[0]?.body.error.status, 'RESOURCE_EXHAUSTED')
  assert.equal(answers.find(({ status }) => status === 200)?.headers.get('retry-after'), null)
  rbm.apply('limit messages never\nrefuse next 1 messages with 429\nretry after nothing')
  assert.equal((await caller.send(PHONE)).headers.get('retry-after'), null)
  assert.deepEqual(await caller.sendMany(PHONE, 6), [200, 200, 200, 200, 200, 200])
})

test('repeats answer 409', async (t) => {
  const { rbm, caller, hook } = await startAll(t, 'repeats answer 409')
  const id = randomUUID()
  const statuses = [await caller.send(PHONE, TEXT, id), await caller.send(PHONE, TEXT, id)].map(({ status }) => status)
  assert.deepEqual(statuses, [200, 409])
  rbm.apply('repeats answer 200')
  assert.equal((await caller.send(PHONE, TEXT, id)).status, 200)
  await hook.waitFor(1)
  assert.deepEqual([rbm.stats.messages, rbm.stats.repeats, rbm.phones.inboxOf(PHONE).length], [1, 2, 1])
})

for (const [rule, lost] of [
  ['cut answers', [true, true, true, true]],
  ['cut every 2nd answer', [false, true, false, true]],
  ['cut next 1 answers', [true, false, false, false]]
] as const) {
  test(`${rule}: the message is taken and delivered, the answer is lost`, async (t) => {
    const { rbm, caller, hook } = await startAll(t, rule)
    const isLost: boolean[] = []
    for (let index = 0; index < 4; index++) {
      isLost.push(
        await caller.send(PHONE).then(
          () => false,
          () => true
        )
      )
    }
    assert.deepEqual(isLost, lost)
    await hook.waitFor(4)
    assert.deepEqual([rbm.stats.messages, rbm.stats.answersCut], [4, lost.filter(Boolean).length])
    rbm.apply('keep answers')
    assert.equal((await caller.send(PHONE)).status, 200)
  })
}

test('delay answers 150ms', async (t) => {
  const { rbm, caller } = await startAll(t, 'delay answers 150ms')
  const start = performance.now()
  await caller.send(PHONE)
  assert.ok(performance.now() - start >= 145)
  rbm.apply('behave')
  await caller.check(PHONE)
})

test('hold answers: nothing is answered until they are released', async (t) => {
  const { rbm, caller } = await startAll(t, 'hold answers')
  const answers = Promise.all([caller.send(PHONE), caller.check(PHONE), caller.revoke(PHONE, randomUUID())])
  await eventually(() => assert.deepEqual([rbm.stats.messages, rbm.stats.revokes], [1, 1]))
  const quiet = new Promise((resolve) => setTimeout(resolve, 100, 'quiet'))
  assert.equal(await Promise.race([answers, quiet]), 'quiet')
  rbm.apply('release answers')
  assert.deepEqual(
    (await answers).map(({ status }) => status),
    [200, 200, 404]
  )
})

test('hold answers: what is revoked meanwhile is not delivered, and a client that left does no harm', async (t) => {
  const { rbm, caller } = await startAll(t, 'hold answers')
  const [kept, revoked] = [randomUUID(), randomUUID()]
  const answer = caller.send(PHONE, TEXT, kept)
  const leaving = new AbortController()
  const left = caller.call('POST', caller.pathOf(PHONE, revoked), TEXT, leaving.signal).catch(() => 'left')
  await eventually(() => assert.equal(rbm.stats.messages, 2))
  leaving.abort()
  assert.equal(await left, 'left')
  const revocation = caller.revoke(PHONE, revoked)
  await eventually(() => assert.equal(rbm.stats.revoked, 1))
  rbm.apply('release answers')
  assert.deepEqual([(await answer).status, (await revocation).status], [200, 200])
  assert.deepEqual([rbm.find(kept)?.state, rbm.find(revoked)?.state], ['delivered', 'revoked'])
  assert.equal(rbm.phones.inboxOf(PHONE).length, 1)
})

test('tokens last 2 calls: the third needs a new one', async (t) => {
  const { rbm, caller } = await startAll(t)
  rbm.apply('tokens last 2 calls')
  await caller.renew()
  assert.deepEqual(await caller.sendMany(PHONE, 4), [200, 200, 401, 401])
  await caller.renew()
  assert.deepEqual(await caller.sendMany(PHONE, 1), [200])
  rbm.apply('tokens last')
  await caller.renew()
  assert.deepEqual(await caller.sendMany(PHONE, 3), [200, 200, 200])
  assert.deepEqual([rbm.stats.tokens, rbm.stats.unauthorized], [4, 2])
})

test('tokens last 100ms: they are over then, and say so', async (t) => {
  const { rbm, caller } = await startAll(t)
  rbm.apply('tokens last 100ms')
  await caller.renew()
  await eventually(async () => assert.equal((await caller.send(PHONE)).status, 401))
  rbm.apply('tokens last 90s')
  assert.equal((await askForToken(rbm)).body.expires_in, 90)
})

test('forget tokens: those given so far are good for nothing', async (t) => {
  const { rbm, caller } = await startAll(t)
  assert.equal((await caller.send(PHONE)).status, 200)
  rbm.apply('forget tokens')
  assert.equal((await caller.send(PHONE)).status, 401)
  await caller.renew()
  assert.equal((await caller.send(PHONE)).status, 200)
})

test('refuse tokens: with 503, or as it is told', async (t) => {
  const { rbm } = await startAll(t, 'refuse tokens')
  assert.equal((await askForToken(rbm)).status, 503)
  rbm.apply('refuse tokens with 401')
  assert.equal((await askForToken(rbm)).status, 401)
  rbm.apply('refuse next 1 tokens with 500')
  assert.deepEqual([(await askForToken(rbm)).status, (await askForToken(rbm)).status], [500, 200])
  rbm.apply('refuse tokens\naccept tokens')
  assert.equal((await askForToken(rbm)).status, 200)
  assert.equal(rbm.stats.tokensRefused, 3)
})

test('reset: the connections end, and new ones are taken', async (t) => {
  const { rbm, caller } = await startAll(t, 'hold answers')
  const answer = caller.send(PHONE).then(
    () => 'answered',
    () => 'lost'
  )
  await eventually(() => assert.equal(rbm.stats.messages, 1))
  rbm.apply('reset\nbehave')
  assert.equal(await answer, 'lost')
  assert.equal((await caller.send(PHONE)).status, 200)
})

test('after 2 messages, and every 2 messages: rules wait for their moment', async (t) => {
  const { rbm, caller } = await startAll(t, 'after 2 messages refuse next 1 messages with 500')
  assert.deepEqual(await caller.sendMany(PHONE, 5), [200, 200, 500, 200, 200])
  rbm.apply('every 2 messages refuse next 1 messages with 500')
  assert.deepEqual(await caller.sendMany(PHONE, 6), [200, 200, 500, 200, 500, 200])
  rbm.apply('behave\nafter 50ms refuse messages with 429')
  await eventually(async () => assert.equal((await caller.send(PHONE)).status, 429))
})

test('refuse checks: one by one, and in batches', async (t) => {
  const { rbm, caller } = await startAll(t, 'refuse checks with 500')
  const users = Array.from({ length: 500 }, (_, index) => `+336${10_000_000 + index}`)
  assert.deepEqual([(await caller.check(PHONE)).status, (await caller.checkBatch(users)).status], [500, 500])
  rbm.apply('refuse every 2nd check with 429')
  assert.deepEqual([(await caller.check(PHONE)).status, (await caller.checkBatch(users)).status], [200, 429])
  rbm.apply('refuse next 1 checks with 403')
  assert.deepEqual([(await caller.check(PHONE)).status, (await caller.check(PHONE)).status], [403, 200])
  rbm.apply('refuse checks with 500\naccept checks')
  assert.equal((await caller.check(PHONE)).status, 200)
  assert.equal(rbm.stats.checksRefused, 4)
})

test('limit batches 2/s: more are answered with 429', async (t) => {
  const { rbm, caller } = await startAll(t, 'limit batches 2/s')
  const users = Array.from({ length: 500 }, (_, index) => `+336${10_000_000 + index}`)
  const statuses = await Promise.all(Array.from({ length: 5 }, async () => (await caller.checkBatch(users)).status))
  assert.ok(statuses.filter((status) => status === 429).length >= 2, String(statuses))
  rbm.apply('limit batches never')
  assert.equal((await caller.checkBatch(users)).status, 200)
})

test('one region: a batch with numbers of another is refused', async (t) => {
  const { rbm, caller } = await startAll(t, 'one region')
  const european = Array.from({ length: 500 }, (_, index) => `+336${10_000_000 + index}`)
  assert.equal((await caller.checkBatch(european)).status, 200)
  for (const other of ['+12025550123', '+919876543210', '+5511987654321']) {
    assert.equal((await caller.checkBatch([...european, other])).status, 400)
  }
  assert.equal((await caller.checkBatch([...european, '+262692123456', '+212612345678', '+971501234567'])).status, 200)
  rbm.apply('all regions')
  assert.equal((await caller.checkBatch([...european, '+12025550123'])).status, 200)
})

test('phone … has no rcs, phone … has rcs: what was so is so no more', async (t) => {
  const { rbm, caller } = await startAll(t, `phone ${PHONE} has no rcs\nphone 33639980007 has rcs`)
  const statuses = async () => [
    (await caller.check(PHONE)).status,
    (await caller.send(PHONE)).status,
    (await caller.check('+33639980007')).status,
    (await caller.send('+33639980007')).status
  ]
  assert.deepEqual(await statuses(), [404, 404, 200, 200])
  rbm.apply('phones as numbered')
  assert.deepEqual(await statuses(), [200, 200, 404, 404])
})

test('phone … is offline: it gets what waited once it is online', async (t) => {
  const { rbm, caller, hook } = await startAll(t, `phone ${PHONE} is offline`)
  await caller.sendMany(PHONE, 2)
  await caller.send(OFFLINE)
  assert.equal(rbm.phones.inboxOf(PHONE).length, 0)
  rbm.apply(`phone ${PHONE} is online`)
  assert.deepEqual(words(await hook.waitFor(2)), ['DELIVERED', 'DELIVERED'])
  assert.deepEqual([rbm.phones.inboxOf(PHONE).length, rbm.phones.inboxOf(OFFLINE).length], [2, 0])
})

test('revokes answer 200: as it was of old, whether or not there was anything to revoke', async (t) => {
  const { rbm, caller } = await startAll(t, 'revokes answer 200')
  const [delivered, waiting] = [randomUUID(), randomUUID()]
  await caller.send(PHONE, TEXT, delivered)
  await caller.send(OFFLINE, TEXT, waiting)
  assert.equal((await caller.revoke(PHONE, delivered)).status, 200)
  assert.equal((await caller.revoke(OFFLINE, waiting)).status, 200)
  assert.deepEqual([rbm.find(delivered)?.state, rbm.find(waiting)?.state], ['delivered', 'revoked'])
})

test('revokes answer 404, or 503: nothing is revoked', async (t) => {
  const { rbm, caller } = await startAll(t)
  const id = randomUUID()
  await caller.send(OFFLINE, TEXT, id)
  for (const status of [404, 503]) {
    rbm.apply(`revokes answer ${status}`)
    assert.equal((await caller.revoke(OFFLINE, id)).status, status)
    assert.equal(rbm.find(id)?.state, 'waiting')
  }
  rbm.apply('revokes tell the truth')
  assert.equal((await caller.revoke(OFFLINE, id)).status, 200)
})

test('revokes in vain: answered as if, and delivered all the same', async (t) => {
  const { rbm, caller, hook } = await startAll(t, 'revokes in vain')
  const id = randomUUID()
  await caller.send(OFFLINE, TEXT, id)
  assert.equal((await caller.revoke(OFFLINE, id)).status, 200)
  rbm.apply(`phone ${OFFLINE} is online`)
  assert.deepEqual(words(await hook.waitFor(1)), ['DELIVERED'])
  assert.deepEqual([rbm.stats.revokes, rbm.stats.revoked], [1, 0])
})

test('expiries fail: the platform says so, and the message stays', async (t) => {
  const { rbm, caller, hook } = await startAll(t, 'expiries fail')
  const id = randomUUID()
  await caller.send(OFFLINE, { ...TEXT, ttl: '0.1s' }, id)
  assert.deepEqual(words(await hook.waitFor(1)), ['TTL_EXPIRATION_REVOKE_FAILED'])
  assert.equal(rbm.find(id)?.state, 'waiting')
  rbm.apply(`phone ${OFFLINE} is online`)
  assert.deepEqual(words(await hook.waitFor(2)), ['TTL_EXPIRATION_REVOKE_FAILED', 'DELIVERED'])
})

test('expiries say nothing: it is revoked without a word', async (t) => {
  const { rbm, caller, hook } = await startAll(t, 'expiries say nothing')
  const id = randomUUID()
  await caller.send(OFFLINE, { ...TEXT, ttl: '0.1s' }, id)
  await eventually(() => assert.equal(rbm.find(id)?.state, 'revoked'))
  rbm.apply('expiries revoke')
  await caller.send(OFFLINE, { ...TEXT, ttl: '0.1s' })
  assert.deepEqual(words(await hook.waitFor(1)), ['TTL_EXPIRATION_REVOKED'])
})

for (const [reports, isShown] of [
  ['DELIVERED DELIVERED', true],
  ['TTL_EXPIRATION_REVOKED DELIVERED', true],
  ['DELIVERED TTL_EXPIRATION_REVOKED', true],
  ['TTL_EXPIRATION_REVOKE_FAILED DELIVERED READ', true],
  ['READ DELIVERED', true],
  ['TTL_EXPIRATION_REVOKED', false]
] as const) {
  test(`reports say ${reports}`, async (t) => {
    const { rbm, caller, hook } = await startAll(t, `reports say ${reports.toLowerCase()}`)
    const id = randomUUID()
    await caller.send(PHONE, TEXT, id)
    const expected = reports.split(' ')
    const events = await hook.waitFor(expected.length)
    assert.deepEqual(words(events), expected)
    assert.ok(events.every(({ messageId }) => messageId === id))
    assert.equal(new Set(events.map(({ eventId }) => eventId)).size, expected.length)
    assert.equal(rbm.phones.inboxOf(PHONE).length, isShown ? 1 : 0)
    assert.equal(rbm.find(id)?.state, isShown ? 'delivered' : 'revoked')
    rbm.apply('reports tell the truth')
    await caller.send(PHONE)
    assert.equal(words(await hook.waitFor(expected.length + 1)).at(-1), 'DELIVERED')
  })
}

test('events before answers: a delivery is told before the answer to its message', async (t) => {
  const { rbm, caller, hook } = await startAll(t, 'events before answers')
  await caller.send(PHONE)
  assert.deepEqual(words(hook.events()), ['DELIVERED'])
  rbm.apply('events after answers')
  assert.equal((await caller.send(PHONE)).status, 200)
  await hook.waitFor(2)
})

test('delay events 150ms', async (t) => {
  const { caller, hook } = await startAll(t, 'delay events 150ms')
  const start = performance.now()
  await caller.send(PHONE)
  await hook.waitFor(1)
  assert.ok(performance.now() - start >= 145)
})

test('hold events: none is told until they are released', async (t) => {
  const { rbm, caller, hook } = await startAll(t, 'hold events')
  await caller.sendMany(PHONE, 3)
  assert.deepEqual([rbm.waitingCount, hook.pushes.length], [3, 0])
  rbm.apply('release events')
  await hook.waitFor(3)
})

test('reorder events 40: the last of each forty first, and an incomplete group after a while', async (t) => {
  const { rbm, hook } = await startAll(t, 'reorder events 40')
  const { promise: gate, resolve: open } = Promise.withResolvers<void>()
  const slow = await startHook(t, rbm, () => gate.then(() => 200))
  await rbm.setWebhook(slow.url)
  for (let index = 0; index < 40; index++) void rbm.sendEvent({ phone: PHONE, text: String(index) })
  // 32 are posted at once: those behind come first.
  const first = await slow.waitFor(32)
  assert.deepEqual(first.map(({ text }) => Number(text)).sort((one, other) => one - other)[0], 8)
  open()
  await slow.waitFor(40)
  await rbm.setWebhook(hook.url)
  await rbm.sendEvent({ phone: PHONE, text: 'alone' })
  assert.deepEqual(words(hook.events()), ['alone'])
})

for (const [rule, count] of [
  ['drop events', 0],
  ['drop every 2nd event', 2],
  ['drop next 1 events', 3]
] as const) {
  test(`${rule}: the rest are told`, async (t) => {
    const { rbm, hook } = await startAll(t, rule)
    for (const text of ['1', '2', '3', '4']) await rbm.sendEvent({ phone: PHONE, text })
    assert.deepEqual([hook.pushes.length, rbm.stats.eventsDropped], [count, 4 - count])
    rbm.apply('keep events')
    await rbm.sendEvent({ phone: PHONE, text: '5' })
    assert.equal(words(hook.events()).at(-1), '5')
  })
}

test('events twice: each comes a second time, with the same id', async (t) => {
  const { rbm, caller, hook } = await startAll(t, 'events twice')
  await caller.send(PHONE)
  const [first, second] = await hook.waitFor(2)
  assert.deepEqual(first, second)
  rbm.apply('events once')
  await rbm.sendEvent({ phone: PHONE, text: 'once' })
  await eventually(() => assert.equal(rbm.stats.eventsAcknowledged, 3))
  assert.equal(hook.pushes.length, 3)
})

test('forge events: they are signed with another token', async (t) => {
  const { rbm, hook } = await startAll(t, 'forge events')
  await rbm.sendEvent({ phone: PHONE, text: 'Oui' })
  rbm.apply('sign events')
  await rbm.sendEvent({ phone: PHONE, text: 'Non' })
  const [forged, signed] = hook.events()
  assert.deepEqual([forged, signed.text], ['forged', 'Non'])
})

test('behave ends every rule', async (t) => {
  const { rbm, caller } = await startAll(
    t,
    `refuse messages with 500\nrefuse checks with 500\nphone ${PHONE} has no rcs\nafter 1 messages refuse tokens`
  )
  rbm.apply('behave')
  assert.deepEqual([(await caller.send(PHONE)).status, (await caller.check(PHONE)).status], [200, 200])
  assert.equal((await askForToken(rbm)).status, 200)
})

test('a script with a mistake changes nothing, and says where it is', async (t) => {
  const { rbm, caller } = await startAll(t)
  for (const [script, sentence] of [
    [
      'refuse messages with 503\nrefuse messages with ESME_RSYSERR',
      'Line 2, word 4: "ESME_RSYSERR" is not understood; expected a status of HTTP, such as 503.'
    ],
    [
      'reports say ENROUTE',
      'Line 1, word 3: "ENROUTE" is not understood; expected DELIVERED, READ, TTL_EXPIRATION_REVOKED, TTL_EXPIRATION_REVOKE_FAILED.'
    ],
    [
      'phone 0612345678 has rcs',
      'Line 1, word 2: "0612345678" is not understood; expected a number with its country code, such as +33639980013.'
    ],
    ['after 3 submits reset', 'Line 1, word 3: "submits" is not understood; expected messages.']
  ] as const) {
    assert.throws(() => rbm.apply(script), { message: sentence })
  }
  assert.equal((await caller.send(PHONE)).status, 200)
})

test('every rule can be read, and stands in docs/faults-rcs.md', async () => {
  const samples: Record<string, string> = {
    '<count>': '3',
    '<nth>': '3rd',
    '<duration>': '5s',
    '<rate>': '5/s',
    '<http>': '503',
    '<phone>': PHONE,
    '<reports>': 'DELIVERED READ'
  }
  const docs = await readFile(join(import.meta.dirname, '../../docs/faults-rcs.md'), 'utf8')
  for (const pattern of RBM_RULE_PATTERNS) {
    assert.equal(parseRbmFaults(pattern.replaceAll(/<\w+>/g, (slot) => samples[slot] ?? slot)).length, 1)
    assert.ok(docs.includes(`\`${pattern}\``), `docs/faults-rcs.md has nothing about: ${pattern}`)
  }
})

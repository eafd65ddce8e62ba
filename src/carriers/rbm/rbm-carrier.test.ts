import { strict as assert } from 'node:assert'
import { type TestContext, test } from 'node:test'
import { eventually } from '../../../test/checks/eventually.ts'
import { type Rbm, startRbm } from '../../../test/peers/rbm.ts'
import type { SubmitOutcome } from '../carrier.ts'
import { fromRbmMessageId, toRbmMessageId } from './message-ids.ts'
import { PHONE, startTestCarrier, type TestCarrier, toMessage } from './rbm.samples.ts'

/* Against the stand-in of the platform, which answers as the real one does. */

async function startPair(
  t: TestContext,
  { faults = '', ...options }: Parameters<typeof startTestCarrier>[2] & { faults?: string } = {}
): Promise<TestCarrier & { rbm: Rbm }> {
  const rbm = await startRbm(t, { faults })
  const { client_email: clientEmail, private_key: privateKey, token_uri: tokenUri } = rbm.serviceAccount
  const started = startTestCarrier(t, { ...rbm, key: { clientEmail, privateKey, tokenUri } }, options)
  await eventually(() => assert.equal(started.carrier.status().isUp, true))
  return { ...started, rbm }
}

function acceptedId(outcome: SubmitOutcome): string {
  assert.ok(outcome.kind === 'accepted', JSON.stringify(outcome))
  assert.equal(outcome.carrierMessageIds.length, 1)
  return outcome.carrierMessageIds[0] ?? ''
}

test('it is up once it has a token, and a message comes under an id that leads back to it', async (t) => {
  const { carrier, rbm, events } = await startPair(t)
  assert.equal(carrier.capacity, 100)
  assert.equal(events.changes, 1)
  const id = acceptedId(await carrier.submit(toMessage({ reference: 77 })))
  assert.equal(fromRbmMessageId(id, [rbm.webhookToken]), 77)
  const [taken, ...others] = rbm.received.get(PHONE) ?? []
  assert.equal(others.length, 0)
  assert.deepEqual(taken?.body, {
    contentMessage: { text: 'Bonjour' },
    messageTrafficType: 'TRANSACTION',
    ttl: '300s'
  })
  assert.equal(taken?.messageId, id)
  assert.deepEqual([rbm.stats.tokens, rbm.stats.capabilityChecks], [1, 1])
})

test('a message whose answer is lost comes once, however the platform answers repeats', async (t) => {
  for (const repeats of ['200', '409']) {
    const { carrier, rbm } = await startPair(t, { faults: `cut next 5 answers\nrepeats answer ${repeats}` })
    const message = toMessage()
    let outcome = await carrier.submit(message)
    // Three times at once for the first of them, then the caller tries again.
    assert.equal(outcome.kind, 'accepted')
    outcome = await carrier.submit(message)
    assert.equal(acceptedId(outcome), toRbmMessageId(message.reference, rbm.webhookToken))
    assert.equal(rbm.received.get(PHONE)?.length, 1)
    assert.ok(rbm.stats.repeats > 0)
  }
})

test('a repeat that is told to come later does not say that the platform has no message', async (t) => {
  for (const repeats of ['429', '401']) {
    const { carrier, rbm } = await startPair(t, { faults: `cut next 1 answers\nrepeats answer ${repeats}` })
    const outcome = await carrier.submit(toMessage())
    assert.ok(outcome.kind === 'retry' && outcome.mayBeThere, JSON.stringify(outcome))
    assert.equal(rbm.received.get(PHONE)?.length, 1)
  }
})

test('a platform that does not answer in time is a retry, and the repeat comes once', async (t) => {
  const { carrier, rbm } = await startPair(t, { timings: { sendMs: 200, checkMs: 100 } })
  const message = toMessage()
  rbm.apply('hold answers')
  // The check is not answered either, and the message is sent without it.
  const outcome = await carrier.submit(message)
  assert.ok(outcome.kind === 'retry' && outcome.delaySeconds > 0)
  assert.equal(outcome.reason, 'The platform did not answer in time.')
  rbm.apply('release answers')
  acceptedId(await carrier.submit(message))
  assert.equal(rbm.received.get(PHONE)?.length, 1)
})

const TABLE: [http: number, kind: SubmitOutcome['kind'], isKept: boolean][] = [
  [404, 'unreachable', true],
  [403, 'unreachable', false],
  [400, 'unreachable', false],
  [413, 'unreachable', false],
  [409, 'accepted', false],
  [401, 'retry', false],
  [408, 'retry', false],
  [429, 'retry', false],
  [500, 'retry', false],
  [502, 'retry', false],
  [503, 'retry', false],
  [504, 'retry', false]
]

for (const [http, kind, isKept] of TABLE) {
  test(`${http} means ${kind}${isKept ? ', also for the next message to this phone' : ''}`, async (t) => {
    const { carrier, cache } = await startPair(t, { faults: `refuse messages with ${http}` })
    cache.known.set(PHONE, true)
    const outcome = await carrier.submit(toMessage())
    assert.equal(outcome.kind, kind)
    if (outcome.kind === 'unreachable') assert.match(outcome.reason, new RegExp(`^${http} .+: .+`))
    if (outcome.kind === 'retry') assert.ok(outcome.delaySeconds >= 1 && outcome.reason !== '')
    if (isKept) await eventually(() => assert.equal(cache.known.get(PHONE), false))
    else assert.equal(cache.known.get(PHONE), true)
  })
}

test('a phone that can’t do RCS is unreachable without a send, and is not asked about again', async (t) => {
  const { carrier, rbm, cache } = await startPair(t, { faults: `phone ${PHONE} has no rcs` })
  for (let message = 0; message < 2; message++) {
    const outcome = await carrier.submit(toMessage())
    assert.deepEqual(outcome, { kind: 'unreachable', reason: 'This phone can’t do RCS.' })
    await eventually(() => assert.equal(cache.known.get(PHONE), false))
  }
  assert.deepEqual([rbm.stats.capabilityChecks, rbm.stats.messages], [1, 0])
})

test('a phone that loses RCS in the middle of a campaign falls back, and is known from then on', async (t) => {
  const { carrier, rbm, cache } = await startPair(t)
  acceptedId(await carrier.submit(toMessage()))
  await eventually(() => assert.equal(cache.known.get(PHONE), true))
  rbm.apply(`phone ${PHONE} has no rcs`)
  const stale = await carrier.submit(toMessage())
  assert.ok(stale.kind === 'unreachable' && stale.reason.startsWith('404 NOT_FOUND: '))
  await eventually(() => assert.equal(cache.known.get(PHONE), false))
  assert.equal((await carrier.submit(toMessage())).kind, 'unreachable')
  assert.deepEqual([rbm.stats.capabilityChecks, rbm.stats.messages], [1, 1])
})

test('when checks fail, the message is sent without one, and its answer is kept', async (t) => {
  for (const http of [429, 500, 403]) {
    const { carrier, rbm, cache } = await startPair(t, { faults: `refuse checks with ${http}` })
    acceptedId(await carrier.submit(toMessage()))
    acceptedId(await carrier.submit(toMessage({ to: '+33612345679' })))
    // Once told to wait, it does not ask at all.
    assert.equal(rbm.stats.capabilityChecks, http === 429 ? 1 : 2)
    await eventually(() => assert.equal(cache.known.get(PHONE), true))
  }
})

test('its time to live is the fallback delay, the carrier’s own before the general one', async (t) => {
  for (const [fallbackDelay, ttl] of [
    [undefined, '300s'],
    [45, '45s'],
    [1_296_000, '1296000s'],
    [9_999_999, '1296000s']
  ] as const) {
    const expiresAt = new Date(Date.now() + 30 * 86_400_000)
    const { carrier, rbm } = await startPair(t, fallbackDelay === undefined ? {} : { fallbackDelay })
    acceptedId(await carrier.submit(toMessage({ expiresAt })))
    assert.equal(rbm.received.get(PHONE)?.[0]?.body?.ttl, ttl)
  }
})

test('it never lives longer than the message is worth sending, and then does not leave', async (t) => {
  const { carrier, rbm } = await startPair(t)
  acceptedId(await carrier.submit(toMessage({ expiresAt: new Date(Date.now() + 12_500) })))
  assert.equal(rbm.received.get(PHONE)?.[0]?.body?.ttl, '12s')
  for (const leftMs of [-1_000, 0, 500]) {
    const message = toMessage({ expiresAt: new Date(Date.now() + leftMs) })
    assert.deepEqual(await carrier.submit(message), { kind: 'expired' })
  }
  assert.equal(rbm.stats.messages, 1)
})

test('a message that expires while it waits for the platform’s checks does not leave', async (t) => {
  const { carrier, rbm } = await startPair(t, { faults: 'delay answers 1500ms' })
  const outcome = await carrier.submit(toMessage({ expiresAt: new Date(Date.now() + 2_000) }))
  assert.deepEqual(outcome, { kind: 'expired' })
  assert.equal(rbm.stats.messages, 0)
})

test('a message is revoked while it is not delivered; by both the answers that the platform has had', async (t) => {
  const { carrier, rbm } = await startPair(t, { faults: `phone ${PHONE} is offline` })
  const message = toMessage()
  acceptedId(await carrier.submit(message))
  assert.deepEqual(await carrier.revoke(message), { kind: 'revoked' })
  assert.equal(rbm.stats.revoked, 1)
  assert.deepEqual(await carrier.revoke(message), { kind: 'too-late' })
  // As it used to be: 200 whatever becomes of it.
  rbm.apply('revokes answer 200')
  assert.deepEqual(await carrier.revoke(message), { kind: 'revoked' })
  for (const http of [400, 401, 403, 429, 503]) {
    rbm.apply(`revokes answer ${http}`)
    const outcome = await carrier.revoke(message)
    assert.ok(outcome.kind === 'retry' && outcome.delaySeconds > 0, String(http))
  }
})

test('a token that ends every ten calls costs no message, and is renewed once each time', async (t) => {
  const { carrier, rbm } = await startPair(t, { faults: 'tokens last 10 calls' })
  const phones = Array.from({ length: 100 }, (_, index) => `+3361234${String(index).padStart(4, '0')}`)
  const outcomes = await Promise.all(phones.map((to) => carrier.submit(toMessage({ to }))))
  const left = phones.filter((_, index) => outcomes[index]?.kind !== 'accepted')
  for (const outcome of outcomes) assert.match(outcome.kind, /^(?:accepted|retry)$/)
  for (const to of left) {
    await eventually(async () => acceptedId(await carrier.submit(toMessage({ to }))))
  }
  const { tokens, capabilityChecks, messages } = rbm.stats
  assert.ok(tokens > 10 && tokens <= (capabilityChecks + messages) / 10 + 1, `${tokens} tokens`)
  assert.equal(rbm.stats.messages, 100)
})

test('a 429 with its time stops everything for so long, and then all goes on', async (t) => {
  const { carrier, rbm, events } = await startPair(t, { faults: 'retry after 1s\nrefuse next 1 messages with 429' })
  const changes = events.changes
  const outcome = await carrier.submit(toMessage())
  assert.ok(outcome.kind === 'retry')
  assert.equal(outcome.delaySeconds, 1)
  assert.deepEqual([carrier.capacity, carrier.status().isUp, events.changes], [0, true, changes + 1])
  const next = await carrier.submit(toMessage({ to: '+33612345679' }))
  assert.ok(next.kind === 'retry' && next.reason === 'The platform asked us to wait.')
  assert.equal(rbm.stats.messages, 0)
  await eventually(() => assert.equal(events.changes, changes + 2))
  assert.ok(carrier.capacity > 0)
  acceptedId(await carrier.submit(toMessage()))
})

test('under a limit of so many a second, it finds the pace, and nothing is lost', async (t) => {
  const { carrier, rbm, cache } = await startPair(t, { faults: 'limit messages 50/s' })
  let sent = 0
  const send = async (to: string) => {
    for (;;) {
      const outcome = await carrier.submit(toMessage({ to }))
      if (outcome.kind === 'accepted') break
      assert.equal(outcome.kind, 'retry')
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
    sent++
  }
  const phones = Array.from({ length: 200 }, (_, index) => `+3361234${String(index).padStart(4, '0')}`)
  for (const phone of phones) cache.known.set(phone, true)
  await Promise.all(phones.map(send))
  assert.equal(sent, 200)
  assert.equal(rbm.stats.messages, 200)
  const { traffic: rcs } = carrier.status()
  assert.ok(rcs?.pacePerSecond && rcs.pacePerSecond < 1_000)
  assert.ok(carrier.capacity <= 100)
  // Far fewer than by trying blindly.
  assert.ok(rbm.stats.throttled < 400, `${rbm.stats.throttled} throttled`)
})

test('a platform that fails is left alone, tried again, and used again when it is back', async (t) => {
  const { carrier, rbm, events } = await startPair(t, { faults: 'refuse messages with 503' })
  const phones = Array.from({ length: 30 }, (_, index) => `+3361234${String(index).padStart(4, '0')}`)
  const outcomes = await Promise.all(phones.map((to) => carrier.submit(toMessage({ to }))))
  for (const outcome of outcomes) assert.equal(outcome.kind, 'retry')
  assert.equal(carrier.status().isUp, false)
  assert.equal(carrier.capacity, 0)
  assert.match(carrier.status().traffic?.lastError?.message ?? '', /^503 UNAVAILABLE/)
  const down = await carrier.submit(toMessage())
  assert.ok(down.kind === 'retry' && down.reason === 'The RCS platform can’t be sent to.')
  // One message at a time, as long as it is not known to be back.
  await eventually(() => assert.equal(carrier.capacity, 1))
  const changes = events.changes
  assert.equal((await carrier.submit(toMessage())).kind, 'retry')
  assert.equal(carrier.status().isUp, false)
  assert.equal(events.changes, changes + 1)
  rbm.apply('accept messages')
  await eventually(() => assert.equal(carrier.capacity, 1))
  acceptedId(await carrier.submit(toMessage()))
  assert.equal(carrier.capacity, 100)
})

test('without a token it is down, and comes up when there is one', async (t) => {
  const rbm = await startRbm(t, { faults: 'refuse tokens with 500' })
  const { client_email: clientEmail, private_key: privateKey, token_uri: tokenUri } = rbm.serviceAccount
  const { carrier, events } = startTestCarrier(t, { ...rbm, key: { clientEmail, privateKey, tokenUri } })
  await eventually(() => assert.ok(rbm.stats.tokensRefused >= 2))
  assert.equal(carrier.status().isUp, false)
  assert.match(carrier.status().traffic?.lastError?.message ?? '', /^The server of tokens answered 500/)
  assert.equal((await carrier.submit(toMessage())).kind, 'retry')
  assert.equal(events.changes, 0)
  rbm.apply('accept tokens')
  await eventually(() => assert.equal(carrier.status().isUp, true))
  assert.equal(events.changes, 1)
  acceptedId(await carrier.submit(toMessage()))
  // One that ends and can't be had again takes it down.
  rbm.apply('refuse tokens with 500')
  rbm.apply('forget tokens')
  assert.equal((await carrier.submit(toMessage())).kind, 'retry')
  assert.deepEqual([carrier.status().isUp, carrier.capacity], [false, 0])
  rbm.apply('accept tokens')
  await eventually(() => assert.equal(carrier.status().isUp, true))
})

test('a platform that is not there is tried until it is', async (t) => {
  const rbm = await startRbm(t)
  const { client_email: clientEmail, private_key: privateKey, token_uri: tokenUri } = rbm.serviceAccount
  const { carrier } = startTestCarrier(t, {
    ...rbm,
    url: 'http://127.0.0.1:1',
    key: { clientEmail, privateKey, tokenUri }
  })
  await eventually(() => assert.equal(carrier.status().isUp, true))
  for (let message = 0; message < 10; message++) {
    const outcome = await carrier.submit(toMessage())
    assert.ok(outcome.kind === 'retry' && outcome.reason === 'The platform refused the connection.')
  }
  assert.equal(carrier.status().isUp, false)
  // It stays down: there is nobody to try with.
  for (let look = 0; look < 10; look++) {
    await new Promise((resolve) => setTimeout(resolve, 20))
    assert.equal(carrier.capacity, 0)
  }
})

test('a stop waits for the answers that are due, and takes nothing more', async (t) => {
  const { carrier, rbm } = await startPair(t, { faults: 'delay answers 300ms' })
  const message = toMessage()
  const outcome = carrier.submit(message)
  await eventually(() => assert.equal(rbm.stats.messages, 1))
  const stopped = Promise.all([carrier.stop(), carrier.stop()])
  assert.equal(carrier.capacity, 0)
  for (const refused of [await carrier.submit(toMessage()), await carrier.revoke(message)]) {
    assert.equal(refused.kind, 'retry')
  }
  await assert.rejects(carrier.findCapable([PHONE]))
  await stopped
  acceptedId(await outcome)
  assert.deepEqual([carrier.status().isUp, rbm.stats.messages], [false, 1])
})

test('what a carrier has no content for, it does not send', async (t) => {
  const { carrier, rbm } = await startPair(t)
  const { rcs: _, ...message } = toMessage()
  assert.equal((await carrier.submit(message)).kind, 'rejected')
  assert.equal(rbm.stats.messages, 0)
})

test('what is asked and answered is counted for the operator', async (t) => {
  const counts: Record<string, number> = {}
  const metrics = {
    answers(carrier: string, call: string, status: string, count: number) {
      const name = `${carrier} ${call} ${status}`
      counts[name] = (counts[name] ?? 0) + count
    }
  }
  const { carrier, rbm } = await startPair(t, { metrics })
  const message = toMessage()
  await carrier.submit(message)
  rbm.apply('refuse messages with 404')
  await carrier.submit(toMessage())
  await carrier.revoke(message)
  await carrier.stop()
  assert.deepEqual(counts, { 'rcs check 200': 1, 'rcs send 200': 1, 'rcs send 404': 1, 'rcs revoke 404': 1 })
})

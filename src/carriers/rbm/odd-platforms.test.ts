import { strict as assert } from 'node:assert'
import { test } from 'node:test'
import { eventually } from '../../../test/checks/eventually.ts'
import type { Carrier, SubmitOutcome } from '../carrier.ts'
import {
  answer,
  PHONE,
  type RawPlatform,
  refuse,
  startRawPlatform,
  startTestCarrier,
  testKey,
  toMessage
} from './rbm.samples.ts'

/* What the stand-in of the platform does not do: answers that nobody publishes, and that come all the same. */

async function waitUntilUp(carrier: Required<Carrier>): Promise<void> {
  await eventually(() => assert.equal(carrier.status().isUp, true))
}

/** Every phone can; what becomes of messages is the test's. */
function onSend(platform: RawPlatform, send: RawPlatform['onCall']): void {
  platform.onCall = (call, response) => {
    if (call.method === 'GET') answer(response, 200, { features: [] })
    else send(call, response)
  }
}

function phoneOf(index: number): string {
  return `+3361234${String(index).padStart(4, '0')}`
}

test('the address, the agent and the ids are written where the platform looks for them', async (t) => {
  const platform = await startRawPlatform(t)
  const url = `${platform.url}/some/where`
  const { carrier } = startTestCarrier(t, { url, key: testKey(platform.url), agentId: 'brand&co' })
  await waitUntilUp(carrier)
  const message = toMessage()
  const outcome = await carrier.submit(message)
  assert.ok(outcome.kind === 'accepted')
  const [messageId] = outcome.carrierMessageIds
  await carrier.revoke(message)
  const [check, send, revoke] = platform.calls
  assert.equal(`${check?.method} ${check?.path}`, `GET /some/where/v1/phones/${PHONE}/capabilities`)
  assert.equal(`${send?.method} ${send?.path}`, `POST /some/where/v1/phones/${PHONE}/agentMessages`)
  assert.deepEqual(Object.fromEntries(send?.query ?? []), { messageId, agentId: 'brand&co' })
  assert.equal(send?.bearer, 't1')
  assert.deepEqual(JSON.parse(send?.body ?? ''), {
    contentMessage: { text: 'Bonjour' },
    messageTrafficType: 'TRANSACTION',
    ttl: '300s'
  })
  assert.equal(`${revoke?.method} ${revoke?.path}`, `DELETE /some/where/v1/phones/${PHONE}/agentMessages/${messageId}`)
  assert.deepEqual(Object.fromEntries(revoke?.query ?? []), { agentId: 'brand&co' })
})

test('the status decides, whatever the body holds', async (t) => {
  const bodies = [
    '',
    '<html>',
    'null',
    '[]',
    '{"error": "x"}',
    '{"error": {"status": 1}}',
    '\u0000',
    `"${'x'.repeat(3e6)}"`
  ]
  const platform = await startRawPlatform(t)
  const { carrier } = startTestCarrier(t, platform)
  await waitUntilUp(carrier)
  const kinds: [number, SubmitOutcome['kind']][] = [
    [200, 'accepted'],
    [201, 'accepted'],
    [409, 'accepted'],
    [404, 'unreachable'],
    [302, 'retry'],
    [503, 'retry']
  ]
  for (const [status, kind] of kinds) {
    for (const body of bodies) {
      onSend(platform, (_, response) => answer(response, status, body))
      const outcome = await carrier.submit(toMessage())
      assert.equal(outcome.kind, kind, `${status} ${body.slice(0, 30)}`)
      if ('reason' in outcome) assert.ok(outcome.reason.length <= 300)
    }
  }
})

test('two calls that collided are not taken for one that came twice', async (t) => {
  const platform = await startRawPlatform(t)
  const { carrier } = startTestCarrier(t, platform)
  await waitUntilUp(carrier)
  onSend(platform, (_, response) => refuse(response, 409, 'ABORTED'))
  assert.equal((await carrier.submit(toMessage())).kind, 'retry')
  onSend(platform, (_, response) => refuse(response, 409, 'ALREADY_EXISTS'))
  assert.equal((await carrier.submit(toMessage())).kind, 'accepted')
})

test('how long to wait may be told by a date, and is then waited by everybody', async (t) => {
  const platform = await startRawPlatform(t)
  const { carrier } = startTestCarrier(t, platform)
  await waitUntilUp(carrier)
  const headers = { 'retry-after': new Date(Date.now() + 90_000).toUTCString() }
  onSend(platform, (_, response) => refuse(response, 503, 'UNAVAILABLE', headers))
  const outcome = await carrier.submit(toMessage())
  assert.ok(outcome.kind === 'retry' && outcome.delaySeconds > 80 && outcome.delaySeconds <= 91)
  assert.equal(carrier.capacity, 0)
  assert.equal(carrier.status().isUp, false, 'another carrier of the route takes over')
})

test('tokens that are always refused end in a pause, not in a storm', async (t) => {
  const platform = await startRawPlatform(t)
  // A pause that outlasts the hundred messages, also on a busy machine.
  const { carrier } = startTestCarrier(t, platform, { timings: { backoff: { minMs: 3_000, maxMs: 4_000 } } })
  await waitUntilUp(carrier)
  platform.onCall = (_, response) => refuse(response, 401, 'UNAUTHENTICATED')
  const outcomes = await Promise.all(
    Array.from({ length: 100 }, (_, index) => carrier.submit(toMessage({ to: phoneOf(index) })))
  )
  for (const outcome of outcomes) assert.equal(outcome.kind, 'retry')
  assert.ok(platform.tokens <= 6, `${platform.tokens} tokens for 100 messages`)
  assert.equal(carrier.capacity, 0)
  // A person has put the key right.
  platform.onCall = (_, response) => answer(response, 200, {})
  await eventually(async () => assert.equal((await carrier.submit(toMessage())).kind, 'accepted'))
})

test('calls in flight when a token ends share one new one', async (t) => {
  const platform = await startRawPlatform(t)
  const { carrier, cache } = startTestCarrier(t, platform)
  await waitUntilUp(carrier)
  for (let index = 0; index < 100; index++) cache.known.set(phoneOf(index), true)
  onSend(platform, ({ bearer }, response) => {
    if (bearer === 't1' && platform.sends.length > 1) refuse(response, 401, 'UNAUTHENTICATED')
    else answer(response, 200, {})
  })
  assert.equal((await carrier.submit(toMessage({ to: phoneOf(0) }))).kind, 'accepted')
  const outcomes = await Promise.all(
    Array.from({ length: 100 }, (_, index) => carrier.submit(toMessage({ to: phoneOf(index) })))
  )
  for (const outcome of outcomes) assert.equal(outcome.kind, 'accepted')
  assert.equal(platform.tokens, 2)
})

test('a connection that was closed while it was idle costs nothing', async (t) => {
  const platform = await startRawPlatform(t)
  const { carrier } = startTestCarrier(t, platform)
  await waitUntilUp(carrier)
  let isCut = true
  onSend(platform, (_, response) => {
    if (!isCut) return answer(response, 200, {})
    isCut = false
    response.socket?.resetAndDestroy()
  })
  assert.equal((await carrier.submit(toMessage())).kind, 'accepted')
  assert.equal(platform.sends.length, 2)
  assert.equal(platform.sends[0]?.query.get('messageId'), platform.sends[1]?.query.get('messageId'))
})

test('answers that come byte by byte, or never, do not keep a message, and are not waited for at a stop', async (t) => {
  const platform = await startRawPlatform(t)
  const { carrier } = startTestCarrier(t, platform, { timings: { sendMs: 300 } })
  await waitUntilUp(carrier)
  onSend(platform, (_, response) => {
    response.writeHead(200, { 'content-length': '1000' })
    const timer = setInterval(() => response.write(' '), 20)
    response.on('close', () => clearInterval(timer))
  })
  const startedAt = performance.now()
  const outcome = await carrier.submit(toMessage())
  assert.ok(outcome.kind === 'retry' && outcome.reason === 'The platform did not answer in time.')
  onSend(platform, () => undefined)
  const last = carrier.submit(toMessage())
  await eventually(() => assert.equal(platform.sends.length, 2))
  await carrier.stop()
  assert.equal((await last).kind, 'retry')
  assert.ok(performance.now() - startedAt < 3_000)
})

test('a thousand revocations leave room for messages', async (t) => {
  const platform = await startRawPlatform(t)
  const { carrier } = startTestCarrier(t, platform)
  await waitUntilUp(carrier)
  const held: (() => void)[] = []
  onSend(platform, ({ method }, response) => {
    if (method === 'DELETE') held.push(() => answer(response, 200, {}))
    else answer(response, 200, {})
  })
  const revocations = Array.from({ length: 1_000 }, () => carrier.revoke(toMessage()))
  await eventually(() => assert.equal(held.length, 25))
  assert.equal((await carrier.submit(toMessage())).kind, 'accepted')
  onSend(platform, (_, response) => answer(response, 200, {}))
  for (const release of held) release()
  for (const { kind } of await Promise.all(revocations)) assert.equal(kind, 'revoked')
})

test('a stop does not wait for a server of tokens that does not answer', async (t) => {
  const platform = await startRawPlatform(t)
  platform.onToken = () => undefined
  const { carrier } = startTestCarrier(t, platform)
  await eventually(() => assert.equal(platform.tokens, 1))
  const startedAt = performance.now()
  await carrier.stop()
  assert.ok(performance.now() - startedAt < 2_000)
})

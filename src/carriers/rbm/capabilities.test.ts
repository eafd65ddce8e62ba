import { strict as assert } from 'node:assert'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { eventually } from '../../../test/checks/eventually.ts'
import { createDatabase } from '../../../test/database/databases.ts'
import { type Rbm, startRbm } from '../../../test/peers/rbm.ts'
import { connect } from '../../database/database.ts'
import { createCapabilityCache } from '../capability-cache.ts'
import { createLimits } from '../limits.ts'
import { AccessToken } from './access-token.ts'
import { Capabilities } from './capabilities.ts'
import { Checks } from './checks.ts'
import {
  answer,
  MemoryCache,
  type RawPlatform,
  RecordedLimits,
  refuse,
  SILENT_LOG,
  startRawPlatform,
  startTestCarrier,
  TIMINGS,
  testKey
} from './rbm.samples.ts'
import { RbmClient } from './rbm-client.ts'
import { RbmCounts } from './rbm-metrics.ts'

/** French mobiles; the sandbox's own range is another. */
function phonesOf(count: number, prefix = '+336'): string[] {
  return Array.from({ length: count }, (_, index) => `${prefix}${String(10_000_000 + index)}`)
}

async function startWithRbm(t: TestContext, faults = '', options: Parameters<typeof startTestCarrier>[2] = {}) {
  const rbm = await startRbm(t, { faults })
  const { client_email: clientEmail, private_key: privateKey, token_uri: tokenUri } = rbm.serviceAccount
  return { rbm, ...startTestCarrier(t, { ...rbm, key: { clientEmail, privateKey, tokenUri } }, options) }
}

function checkCounts({ stats }: Rbm): { many: number; one: number } {
  return { many: stats.batchChecks, one: stats.capabilityChecks }
}

test('a list is checked by as few calls as there can be, and what is known is not asked again', async (t) => {
  const { carrier, cache, rbm } = await startWithRbm(t, 'phone +33610000003 has no rcs')
  const phones = phonesOf(20_100)
  const capable = await carrier.findCapable([...phones, ...phones.slice(0, 5)])
  assert.equal(capable.size, 20_099)
  assert.equal(capable.has('+33610000003'), false)
  // Three of 6,700, and not two of 10,000 and a hundred one by one.
  assert.deepEqual(checkCounts(rbm), { many: 3, one: 0 })
  assert.equal(cache.known.size, 20_100)
  assert.equal((await carrier.findCapable(phones)).size, 20_099)
  assert.deepEqual(checkCounts(rbm), { many: 3, one: 0 })
})

test('fewer than the platform takes together are asked one by one', async (t) => {
  const { carrier, rbm } = await startWithRbm(t, 'phone +33610000003 has no rcs')
  assert.equal((await carrier.findCapable(phonesOf(499))).size, 498)
  assert.deepEqual(checkCounts(rbm), { many: 0, one: 499 })
  assert.deepEqual(await carrier.findCapable([]), new Set())
})

test('a list of several parts of the world is checked for each by itself', async (t) => {
  const { carrier, rbm, limits } = await startWithRbm(t, 'one region')
  const european = [...phonesOf(600), ...phonesOf(500, '+447')]
  const american = phonesOf(520, '+120')
  assert.equal((await carrier.findCapable([...american, ...european])).size, 1_620)
  // Those that the endpoint does not take together are asked one by one, and the next ones too.
  assert.deepEqual(checkCounts(rbm), { many: 3, one: 520 })
  assert.equal((await carrier.findCapable(phonesOf(510, '+121'))).size, 510)
  assert.deepEqual(checkCounts(rbm), { many: 3, one: 1_030 })
  assert.deepEqual(new Set(limits.asked.map((asked) => asked.join(' '))), new Set(['rcs capabilities 10 1']))
})

test('no more calls for many are made than the platform allows, by the whole cluster', async (t) => {
  const database = await createDatabase()
  const pool = connect({ url: database.url, applicationName: 'test', connectionsMax: 4 })
  t.after(async () => {
    await pool.close(1)
    await database.drop()
  })
  const { carrier, rbm } = await startWithRbm(t, 'limit batches 10/s', { limits: createLimits(pool, { owner: 'one' }) })
  const startedAt = performance.now()
  const lists = Array.from({ length: 8 }, (_, index) => phonesOf(500, `+336${index}`))
  for (const found of await Promise.all(lists.map((list) => carrier.findCapable(list)))) assert.equal(found.size, 500)
  assert.equal(rbm.stats.batchChecks, 8)
  assert.equal(rbm.stats.checksRefused, 0)
  assert.ok(performance.now() - startedAt > 600)
})

test('a check that fails is told, and what was said before it is kept', async (t) => {
  for (const http of [500, 429]) {
    const { carrier, cache, rbm } = await startWithRbm(t, `refuse next 1 checks with ${http}`)
    await assert.rejects(
      carrier.findCapable(phonesOf(500)),
      new RegExp(`^Error: Phones could not be checked: .*${http}`)
    )
    assert.equal(cache.known.size, 0)
    rbm.apply('accept checks\nretry after 1s\nrefuse every 30th check with 503')
    if (http === 429) await assert.rejects(carrier.findCapable(phonesOf(100)), /the platform asked us to wait/)
    else await assert.rejects(carrier.findCapable(phonesOf(100)), /503/)
    if (http === 500) assert.ok(cache.known.size >= 20)
  }
})

test('who waits for a turn that does not come is told', async (t) => {
  const { carrier, limits, rbm } = await startWithRbm(t, '', { timings: { listWaitMs: 100 } })
  limits.grant = () => ({ granted: 0, waitMs: 40 })
  await assert.rejects(carrier.findCapable(phonesOf(500)), /it was not their turn/)
  assert.equal(rbm.stats.batchChecks, 0)
})

/** The parts that a carrier has, with as many messages at once as a test wants. */
async function startCapabilities(t: TestContext, platform: RawPlatform, { waitMs = 5_000 } = {}) {
  const cache = new MemoryCache()
  const limits = new RecordedLimits()
  const token = new AccessToken(testKey(platform.url), TIMINGS)
  const counts = new RbmCounts('rcs', undefined)
  const client = new RbmClient({ baseUrl: platform.url, agentId: 'brand', token, timings: TIMINGS, counts })
  t.after(async () => await Promise.all([client.close(), token.close()]))
  const checks = new Checks({ carrier: 'rcs', client, limits, onAnswer: () => undefined, log: SILENT_LOG })
  return {
    cache,
    limits,
    capabilities: new Capabilities({ carrier: 'rcs', checks, cache, waitMs, log: SILENT_LOG })
  }
}

/** Answers a call for many with every second phone. */
function answerHalf(platform: RawPlatform): void {
  platform.onCall = ({ path, body }, response) => {
    if (path !== '/v1/users:batchGet') return answer(response, 200, { features: [] })
    const { users, agentId } = JSON.parse(body) as { users: string[]; agentId: string }
    assert.equal(agentId, 'brand')
    answer(response, 200, {
      reachableUsers: users.filter((_, index) => index % 2 === 0),
      totalRandomSampleUserCount: 9
    })
  }
}

test('messages that come together share one look-up, and are asked about together if they are enough', async (t) => {
  const platform = await startRawPlatform(t)
  answerHalf(platform)
  const { cache, limits, capabilities } = await startCapabilities(t, platform)
  const phones = phonesOf(700)
  for (const phone of phones.slice(0, 100)) cache.known.set(phone, true)
  const known = await Promise.all([...phones, ...phones.slice(0, 10)].map((phone) => capabilities.isCapable(phone)))
  assert.ok(cache.finds <= 2)
  assert.equal(
    known.slice(0, 100).every((isCapable) => isCapable === true),
    true
  )
  assert.equal(known.filter((isCapable) => isCapable === false).length, 300)
  assert.deepEqual(
    platform.calls.map(({ method, path }) => `${method} ${path}`),
    ['POST /v1/users:batchGet']
  )
  assert.equal(limits.asked.length, 1)
  await capabilities.settle()
  assert.equal(cache.known.size, 700)
})

test('one phone is asked about once, however many messages wait for it', async (t) => {
  const platform = await startRawPlatform(t)
  const { capabilities } = await startCapabilities(t, platform)
  const known = await Promise.all(Array.from({ length: 20 }, () => capabilities.isCapable('+33612345678')))
  assert.equal(
    known.every((isCapable) => isCapable === true),
    true
  )
  const [call, ...others] = platform.calls
  assert.equal(others.length, 0)
  assert.equal(call?.path, '/v1/phones/+33612345678/capabilities')
  assert.equal(call?.query.get('agentId'), 'brand')
  assert.match(call?.query.get('requestId') ?? '', /^[0-9a-f]{8}-[0-9a-f]{4}-4/)
})

test('when it is not the turn of many, or the platform does not answer them, they are sent unasked', async (t) => {
  const cases: [string, (platform: RawPlatform, limits: RecordedLimits) => void][] = [
    ['no turn', (_, limits) => (limits.grant = () => ({ granted: 0, waitMs: 50 }))],
    ['500', (platform) => (platform.onCall = (_, response) => refuse(response, 500, 'INTERNAL'))],
    ['429', (platform) => (platform.onCall = (_, response) => refuse(response, 429, 'RESOURCE_EXHAUSTED'))],
    ['garbage', (platform) => (platform.onCall = (_, response) => answer(response, 200, '<html>'))],
    ['an empty answer', (platform) => (platform.onCall = (_, response) => answer(response, 200, {}))],
    ['another list', (platform) => (platform.onCall = (_, response) => answer(response, 200, { reachableUsers: 'x' }))]
  ]
  for (const [name, prepare] of cases) {
    const platform = await startRawPlatform(t)
    const { cache, limits, capabilities } = await startCapabilities(t, platform)
    prepare(platform, limits)
    const known = await Promise.all(phonesOf(500).map((phone) => capabilities.isCapable(phone)))
    assert.equal(
      known.every((isCapable) => isCapable === undefined),
      true,
      name
    )
    assert.equal(cache.known.size, 0, name)
    assert.equal(platform.calls.length, name === 'no turn' ? 0 : 1, name)
  }
})

test('many that are refused together are asked one by one', async (t) => {
  const platform = await startRawPlatform(t)
  const { capabilities } = await startCapabilities(t, platform)
  platform.onCall = ({ path }, response) => {
    if (path.endsWith('batchGet')) refuse(response, 400, 'INVALID_ARGUMENT')
    else answer(response, 200, {})
  }
  const known = await Promise.all(phonesOf(500).map((phone) => capabilities.isCapable(phone)))
  assert.equal(
    known.every((isCapable) => isCapable === true),
    true
  )
  assert.equal(platform.calls.length, 501)
})

test('phones that are foreseen are asked about together, and their messages ask no more', async (t) => {
  const platform = await startRawPlatform(t)
  answerHalf(platform)
  const { cache, capabilities } = await startCapabilities(t, platform)
  const [first, second] = [phonesOf(500), phonesOf(100, '+337')]
  for (const phones of [first, second]) {
    capabilities.foresee(phones)
    const known = await Promise.all(phones.map((phone) => capabilities.isCapable(phone)))
    assert.equal(known.filter((isCapable) => isCapable === false).length, phones.length / 2)
  }
  assert.equal(cache.finds, 2)
  // Too few for one call, so they are filled up with phones of the same part of the world.
  const asked = platform.calls.map(({ path, body }) => [path, JSON.parse(body).users.length])
  assert.deepEqual(asked, [
    ['/v1/users:batchGet', 500],
    ['/v1/users:batchGet', 500]
  ])
  await capabilities.settle()
  assert.equal(cache.known.size, 600)
})

test('phones that can’t be foreseen together are asked about when their messages come', async (t) => {
  const platform = await startRawPlatform(t)
  const { capabilities } = await startCapabilities(t, platform)
  platform.onCall = ({ path }, response) => {
    if (path.endsWith('batchGet')) refuse(response, 400, 'INVALID_ARGUMENT')
    else answer(response, 200, {})
  }
  capabilities.foresee(phonesOf(10))
  assert.equal(await capabilities.isCapable(phonesOf(1)[0] ?? ''), true)
  assert.equal(platform.calls.length, 1)
  capabilities.foresee(phonesOf(500, '+337'))
  assert.equal(await capabilities.isCapable(phonesOf(1, '+337')[0] ?? ''), true)
  assert.deepEqual(
    platform.calls.map(({ method }) => method),
    ['GET', 'POST', 'GET']
  )
})

test('a message is not kept waiting for a slow answer about many phones, which is kept when it comes', async (t) => {
  const platform = await startRawPlatform(t)
  const { cache, capabilities } = await startCapabilities(t, platform, { waitMs: 50 })
  const { promise: asked, resolve } = Promise.withResolvers<() => void>()
  platform.onCall = ({ body }, response) => {
    const { users } = JSON.parse(body) as { users: string[] }
    resolve(() => answer(response, 200, { reachableUsers: users, totalRandomSampleUserCount: 9 }))
  }
  const phones = phonesOf(500)
  capabilities.foresee(phones)
  assert.equal(await capabilities.isCapable(phones[0] ?? ''), undefined)
  const answerNow = await asked
  answerNow()
  await eventually(() => assert.equal(cache.known.size, 500))
})

test('a 404 of a server that is not the platform says nothing about a phone', async (t) => {
  const platform = await startRawPlatform(t)
  const { cache, capabilities } = await startCapabilities(t, platform)
  platform.onCall = (_, response) => answer(response, 404, '<html>nginx</html>')
  assert.equal(await capabilities.isCapable('+33612345678'), undefined)
  platform.onCall = (_, response) => refuse(response, 404, 'NOT_FOUND')
  assert.equal(await capabilities.isCapable('+33612345678'), false)
  await capabilities.settle()
  assert.deepEqual([...cache.known], [['+33612345678', false]])
})

test('without the cache the platform is asked, and a message is not kept waiting', async (t) => {
  const platform = await startRawPlatform(t)
  const { cache, capabilities } = await startCapabilities(t, platform)
  cache.find = cache.store = async () => {
    throw new Error('no database')
  }
  assert.equal(await capabilities.isCapable('+33612345678'), true)
  await capabilities.settle()
})

test('what is known of phones is kept for all processes, for as long as it is worth', async (t) => {
  const database = await createDatabase()
  const pool = connect({ url: database.url, applicationName: 'test', connectionsMax: 2 })
  t.after(async () => {
    await pool.close(1)
    await database.drop()
  })
  const cache = createCapabilityCache(pool)
  const phones = phonesOf(10_000)
  const known = new Map(phones.map((phone, index) => [phone, index % 3 > 0]))
  assert.deepEqual(await cache.find('rcs', phones), new Map())
  await cache.store('rcs', known)
  assert.deepEqual(await cache.find('rcs', phones), known)
  assert.deepEqual(await cache.find('another', phones), new Map())
  // Both ways at once, as two processes do: neither waits for the other for ever.
  const flipped = new Map([...known].reverse().map(([phone, isCapable]) => [phone, !isCapable]))
  await Promise.all([cache.store('rcs', known), cache.store('rcs', flipped)])
  await cache.store('rcs', flipped)
  assert.deepEqual(await cache.find('rcs', phones), new Map(flipped))
  await cache.store('rcs', new Map())
  await sleep(1_100)
  assert.equal((await createCapabilityCache(pool, { maxAgeSeconds: 1 }).find('rcs', phones)).size, 0)
  await eventually(async () => assert.equal((await cache.find('rcs', phones)).size, 10_000))
})

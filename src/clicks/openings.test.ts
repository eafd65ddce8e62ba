import { strict as assert } from 'node:assert'
import { test } from 'node:test'
import { networkOf } from '../http/networks.ts'
import { signsOf } from './judge-click.ts'
import { createMissLimit } from './miss-limit.ts'
import { isLocalAddress } from './networks.ts'
import { createOpenings } from './openings.ts'

/** A clock that stands still until it is moved. */
function createClock() {
  let time = 1_000_000
  return { now: () => time, pass: (ms: number) => (time += ms) }
}

test('ten links within ten seconds from one network are a burst, a hundred a flood; reloading one is neither', () => {
  const clock = createClock()
  const openings = createOpenings(clock.now)
  const [home, scanner, neighbour] = ['1.2.3.4', '81.2.69.142', '81.2.69.143']
  for (let index = 0; index < 500; index++) openings.add(home, 'same')
  assert.equal(openings.isBurst(home, clock.now()), false)

  const first = clock.now()
  for (let index = 1; index <= 9; index++) {
    openings.add(scanner, `link ${index}`)
    clock.pass(1_000)
  }
  assert.equal(openings.isBurst(scanner, first), false)
  openings.add(scanner, 'link 10')
  // The first one was one of them too, which is what it is put off for.
  assert.equal(openings.isBurst(scanner, first), true)
  assert.equal(openings.isBurst(scanner, clock.now()), true)
  for (let index = 11; index <= 99; index++) openings.add(scanner, `link ${index}`)
  assert.equal(openings.isFlood(scanner, clock.now()), false)
  openings.add(scanner, 'link 100')
  assert.equal(openings.isFlood(scanner, clock.now()), true)
  assert.equal(openings.isBurst(neighbour, clock.now()), false)
  assert.equal(openings.isBurst(scanner, first - 10_001), false)
  assert.equal(openings.isBurst(scanner, clock.now() + 10_001), false)
})

test('links that are opened one after the other, slowly, are no burst', () => {
  const clock = createClock()
  const openings = createOpenings(clock.now)
  for (let index = 0; index < 100; index++) {
    openings.add('81.2.69.142', `link ${index}`)
    assert.equal(openings.isBurst('81.2.69.142', clock.now()), false)
    clock.pass(1_500)
  }
})

test('a million addresses do not fill the memory, nor do a hundred thousand that all go through a list', () => {
  const openings = createOpenings()
  const before = process.memoryUsage().heapUsed
  for (let index = 0; index < 1_000_000; index++) openings.add(`network ${index}`, 'code')
  for (let index = 0; index < 100_000; index++) {
    for (let link = 0; link < 10; link++) openings.add(`scanner ${index}`, `link ${link}`)
  }
  assert.equal(openings.isBurst('scanner 99999', Date.now()), true)
  assert.ok(process.memoryUsage().heapUsed - before < 200e6)
})

test('one sign is not enough to take somebody for a robot, two are', () => {
  const clock = createClock()
  const openings = createOpenings(clock.now)
  const at = clock.now()
  openings.add('1.1.1.1', 'code')
  for (let index = 0; index < 10; index++) openings.add('2.2.2.2', `link ${index}`)
  for (let index = 0; index < 100; index++) openings.add('3.3.3.3', `link ${index}`)
  const signs = (hasLanguage: boolean, network: string | undefined) => signsOf({ at, hasLanguage, network }, openings)
  assert.deepEqual([signs(true, undefined), signs(false, undefined)], [0, 1])
  assert.deepEqual([signs(true, '1.1.1.1'), signs(false, '1.1.1.1')], [0, 1])
  assert.deepEqual([signs(true, '2.2.2.2'), signs(false, '2.2.2.2')], [1, 2])
  assert.deepEqual([signs(true, '3.3.3.3'), signs(false, '3.3.3.3')], [2, 2])
})

test('after sixty misses within a minute a network waits until the minute is over, and nobody else does', () => {
  const clock = createClock()
  const limit = createMissLimit(clock.now)
  for (let index = 0; index < 59; index++) limit.add('81.2.69.142')
  clock.pass(20_000)
  limit.add('81.2.69.142')
  assert.equal(limit.waitSecondsOf('81.2.69.142'), 40)
  assert.equal(limit.waitSecondsOf('81.2.69.143'), 0)
  clock.pass(39_500)
  assert.equal(limit.waitSecondsOf('81.2.69.142'), 1)
  clock.pass(500)
  assert.equal(limit.waitSecondsOf('81.2.69.142'), 0)
})

test('misses of a hundred thousand networks do not fill the memory, and those who miss now are still counted', () => {
  const limit = createMissLimit()
  for (let index = 0; index < 100_000; index++) limit.add(`network ${index}`)
  for (let index = 0; index < 60; index++) limit.add('81.2.69.142')
  assert.ok(limit.waitSecondsOf('81.2.69.142') > 0)
})

test('an IPv6 network is its first 64 bits, however it is written', () => {
  for (const [address, network] of [
    ['81.2.69.142', '81.2.69.142'],
    ['::ffff:81.2.69.142', '81.2.69.142'],
    ['2a01:e0a:1:2:3:4:5:6', '2a01:e0a:1:2::/64'],
    ['2a01:e0a:1:2::6', '2a01:e0a:1:2::/64'],
    ['2A01:E0A:1:2::', '2a01:e0a:1:2::/64'],
    ['2a01:e0a::6', '2a01:e0a:0:0::/64'],
    ['2a01::1:2:3:4:5:6', '2a01:0:1:2::/64'],
    ['::1', '0:0:0:0::/64']
  ] as const) {
    assert.equal(networkOf(address), network)
  }
})

test('local addresses are told from public ones', () => {
  for (const address of [
    '127.0.0.1',
    '10.1.2.3',
    '172.16.0.1',
    '172.31.255.1',
    '192.168.1.1',
    '169.254.1.1',
    '100.64.0.1',
    '100.127.0.1',
    '::1',
    'fd00::1',
    'fe80::1',
    '::ffff:10.0.0.1'
  ]) {
    assert.equal(isLocalAddress(address), true, address)
  }
  for (const address of [
    '81.2.69.142',
    '172.32.0.1',
    '172.15.0.1',
    '100.128.0.1',
    '100.63.0.1',
    '2a01:e0a::1',
    '::ffff:81.2.69.142'
  ]) {
    assert.equal(isLocalAddress(address), false, address)
  }
})

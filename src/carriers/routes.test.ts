import { strict as assert } from 'node:assert'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  type Channel,
  channelOfWay,
  createRoutes,
  parseWay,
  type Route,
  rerouted,
  type Way,
  wayName
} from './routes.ts'

const sms = (prefix: string): Route => ({ channel: 'sms', prefix, carriers: ['main'] })
const rcs = (prefix: string): Route => ({ channel: 'rcs', prefix, carriers: ['rcs'] })

/** Few digits, so that prefixes begin one another often. */
const digits = (constraints: { minLength: number; maxLength: number }) =>
  fc.string({ unit: fc.constantFrom('1', '2', '3'), ...constraints })
const channel = fc.constantFrom<Channel>('sms', 'rcs')
const someRoutes = fc.uniqueArray(
  fc.record({ channel, prefix: digits({ minLength: 0, maxLength: 6 }), carriers: fc.constant<string[]>(['main']) }),
  { selector: (route) => `${route.channel} ${route.prefix}`, maxLength: 30 }
)

test('the longest prefix of a number wins, and channels are apart', () => {
  const france = sms('33')
  const mobile = sms('3363998')
  const rest = sms('')
  const rich = rcs('33')
  const routeOf = createRoutes([rest, mobile, france, rich])
  assert.equal(routeOf('sms', '+33639980001'), mobile)
  assert.equal(routeOf('sms', '+33612345678'), france)
  assert.equal(routeOf('sms', '+441234567890'), rest)
  assert.equal(routeOf('rcs', '+33639980001'), rich)
  assert.equal(routeOf('rcs', '+441234567890'), undefined)
  assert.equal(createRoutes([])('sms', '+33612345678'), undefined)
})

test('a route is found as by looking at all of them', () => {
  fc.assert(
    fc.property(someRoutes, channel, digits({ minLength: 1, maxLength: 15 }), (routes, channel, number) => {
      const matching = routes.filter((route) => route.channel === channel && number.startsWith(route.prefix))
      const longest = matching.toSorted((one, other) => other.prefix.length - one.prefix.length)[0]
      assert.equal(createRoutes(routes)(channel, `+${number}`), longest)
    }),
    { numRuns: 5000 }
  )
})

test('the queue knows every way by a name of its own, and reads it back', () => {
  const ways: [string, Way, Channel][] = [
    ['', { kind: 'route', channel: 'sms', prefix: '' }, 'sms'],
    ['33', { kind: 'route', channel: 'sms', prefix: '33' }, 'sms'],
    ['rcs:', { kind: 'route', channel: 'rcs', prefix: '' }, 'rcs'],
    ['rcs:33', { kind: 'route', channel: 'rcs', prefix: '33' }, 'rcs'],
    ['rcs:none', { kind: 'no-rcs' }, 'rcs'],
    ['carrier:main', { kind: 'carrier', carrier: 'main' }, 'sms']
  ]
  for (const [name, way, channel] of ways) {
    assert.equal(wayName(way), name)
    assert.deepEqual(parseWay(name), way)
    assert.equal(channelOfWay(way), channel)
  }
})

test('what a lost route had goes to the longest that has the beginning of its prefix', () => {
  const routes = [sms(''), sms('33'), sms('336399'), rcs('3363')]
  assert.equal(rerouted({ channel: 'sms', prefix: '3363' }, routes)?.prefix, '33')
  assert.equal(rerouted({ channel: 'sms', prefix: '44' }, routes)?.prefix, '')
  assert.equal(rerouted({ channel: 'sms', prefix: '33' }, routes)?.prefix, '33')
  assert.equal(rerouted({ channel: 'rcs', prefix: '33' }, routes), undefined)
  fc.assert(
    fc.property(someRoutes, channel, digits({ minLength: 0, maxLength: 8 }), (routes, channel, prefix) => {
      assert.equal(rerouted({ channel, prefix }, routes), createRoutes(routes)(channel, `+${prefix}`))
    })
  )
})

test('a million numbers find their route in a moment', () => {
  const routes = Array.from({ length: 2000 }, (_, index) => sms(String(index + 30)))
  const routeOf = createRoutes(routes)
  const begin = performance.now()
  let found = 0
  for (let index = 0; index < 1_000_000; index++) if (routeOf('sms', '+33639980001')) found++
  assert.equal(found, 1_000_000)
  assert.ok(performance.now() - begin < 2000)
})

import { strict as assert } from 'node:assert'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  type Channel,
  channelOfWay,
  compareRoutes,
  createRoutes,
  describeRoute,
  mismatchOf,
  NO_MESSAGE,
  parseWay,
  type Route,
  type RoutedMessage,
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
const someMessage: fc.Arbitrary<RoutedMessage> = fc.record({
  accountId: fc.constantFrom(1, 2),
  parentId: fc.constantFrom(null, 3),
  category: fc.constantFrom('marketing', 'transactional'),
  sender: fc.constantFrom(undefined, 'ACME')
})
const someRoutes = fc.uniqueArray(
  fc.record({ channel, prefix: digits({ minLength: 0, maxLength: 6 }), carriers: fc.constant<string[]>(['main']) }),
  { selector: (route) => `${route.channel} ${route.prefix}`, maxLength: 30 }
)

test('the longest prefix of a number wins, and channels are apart', () => {
  const france = sms('33')
  const mobile = sms('3363998')
  const rest = sms('')
  const rich = rcs('33')
  const routeOf = createRoutes([rest, mobile, france, rich])(NO_MESSAGE)
  assert.equal(routeOf('sms', '+33639980001'), mobile)
  assert.equal(routeOf('sms', '+33612345678'), france)
  assert.equal(routeOf('sms', '+441234567890'), rest)
  assert.equal(routeOf('rcs', '+33639980001'), rich)
  assert.equal(routeOf('rcs', '+441234567890'), undefined)
  assert.equal(createRoutes([])(NO_MESSAGE)('sms', '+33612345678'), undefined)
})

test('a file that matches prefixes alone routes every message by its longest prefix', () => {
  fc.assert(
    fc.property(
      someRoutes,
      someMessage,
      channel,
      digits({ minLength: 1, maxLength: 15 }),
      (routes, message, channel, number) => {
        const matching = routes.filter((route) => route.channel === channel && number.startsWith(route.prefix))
        const longest = matching.toSorted((one, other) => other.prefix.length - one.prefix.length)[0]
        assert.equal(createRoutes(routes)(message)(channel, `+${number}`), longest)
      }
    ),
    { numRuns: 5000 }
  )
})

test('account counts most, then sender, then category, then the longest prefix', () => {
  const message: RoutedMessage = { accountId: 7, parentId: 3, sender: 'ACME', category: 'marketing' }
  const france = '+33639980001'
  const own = { account: 7 }
  const parent = { account: 3 }
  const sender = { sender: 'ACME' }
  const category = { category: 'marketing' as const }
  // Each route wins over all that follow it.
  const ranked: Partial<Route>[] = [
    { ...own, ...sender, ...category, prefix: '33' },
    { ...own, ...sender, ...category },
    { ...own, ...sender, prefix: '33' },
    { ...own, ...category, prefix: '336' },
    { ...own, ...category },
    { ...own, prefix: '33' },
    own,
    { ...parent, ...sender, ...category },
    { ...parent, ...sender },
    { ...parent, ...category },
    parent,
    { ...sender, ...category },
    { ...sender, prefix: '33' },
    sender,
    { ...category, prefix: '3363' },
    category,
    { prefix: '3363998' },
    { prefix: '33' },
    {}
  ]
  const routes = ranked.map((matched): Route => ({ channel: 'sms', prefix: '', carriers: ['main'], ...matched }))
  for (const [index, expected] of routes.entries()) {
    const left = routes.slice(index)
    assert.equal(createRoutes(left.toReversed())(message)('sms', france), expected, describeRoute(expected))
    assert.deepEqual(
      left.toReversed().sort((one, other) => compareRoutes(one, other, 7)),
      left
    )
    assert.equal(mismatchOf(expected, france, message), undefined)
  }
  const stranger = { ...message, accountId: 8, parentId: null, sender: undefined, category: 'transactional' as const }
  assert.equal(createRoutes(routes)(stranger)('sms', france)?.prefix, '3363998')
  const others = routes.filter((route) => mismatchOf(route, france, stranger) === undefined)
  assert.deepEqual(
    others.map(({ prefix }) => prefix),
    ['3363998', '33', '']
  )
})

test('a more specific route that does not lead to the number gives way to the next', () => {
  const routes: Route[] = [
    { ...sms('44'), account: 7 },
    { ...sms('33'), sender: '+33937123456' },
    { ...sms('33'), category: 'marketing' },
    sms('')
  ]
  const found = (message: Partial<RoutedMessage>) =>
    createRoutes(routes)({ ...NO_MESSAGE, accountId: 7, ...message })('sms', '+33639980001')
  assert.equal(found({}), routes[3])
  assert.equal(found({ category: 'marketing' }), routes[2])
  // A number is one sender, with and without +.
  assert.equal(found({ sender: '33937123456', category: 'marketing' }), routes[1])
  assert.equal(createRoutes(routes.slice(0, 3))(NO_MESSAGE)('sms', '+33639980001'), undefined)
  assert.equal(createRoutes(routes)({ ...NO_MESSAGE, accountId: 7 })('rcs', '+44'), undefined)
})

test('a route is found as by looking at all of them, whatever they match', () => {
  const someMatches = fc.uniqueArray(
    fc.record(
      {
        channel: fc.constant<Channel>('sms'),
        prefix: digits({ minLength: 0, maxLength: 3 }),
        account: fc.constantFrom(1, 2, 3),
        sender: fc.constantFrom('ACME', 'SHOP'),
        category: fc.constantFrom<'marketing' | 'transactional'>('marketing', 'transactional'),
        carriers: fc.constant<string[]>(['main'])
      },
      { requiredKeys: ['channel', 'prefix', 'carriers'] }
    ),
    { selector: (route) => wayName({ kind: 'route', ...route }), maxLength: 30 }
  )
  fc.assert(
    fc.property(someMatches, someMessage, digits({ minLength: 3, maxLength: 5 }), (routes, message, number) => {
      const [best] = (routes as Route[])
        .filter((route) => mismatchOf(route, `+${number}`, message) === undefined)
        .sort((one, other) => compareRoutes(one, other, message.accountId))
      assert.equal(createRoutes(routes as Route[])(message)('sms', `+${number}`), best)
    }),
    { numRuns: 3000 }
  )
})

test('the queue knows every way by a name of its own, and reads it back', () => {
  const ways: [string, Way, Channel][] = [
    ['', { kind: 'route', channel: 'sms', prefix: '' }, 'sms'],
    ['33', { kind: 'route', channel: 'sms', prefix: '33' }, 'sms'],
    ['rcs:', { kind: 'route', channel: 'rcs', prefix: '' }, 'rcs'],
    ['rcs:33', { kind: 'route', channel: 'rcs', prefix: '33' }, 'rcs'],
    ['rcs:none', { kind: 'no-rcs' }, 'rcs'],
    ['carrier:main', { kind: 'carrier', carrier: 'main' }, 'sms'],
    [
      'next:main,b-2:33;category=marketing',
      { kind: 'next', tried: ['main', 'b-2'], route: { channel: 'sms', prefix: '33', category: 'marketing' } },
      'sms'
    ],
    ['agent:brand@rbm.goog', { kind: 'agent', agentId: 'brand@rbm.goog' }, 'rcs'],
    [';account=7', { kind: 'route', channel: 'sms', prefix: '', account: 7 }, 'sms'],
    [
      '33;account=7;sender=MY SHOP;category=marketing',
      { kind: 'route', channel: 'sms', prefix: '33', account: 7, sender: 'MY SHOP', category: 'marketing' },
      'sms'
    ],
    ['rcs:33;category=transactional', { kind: 'route', channel: 'rcs', prefix: '33', category: 'transactional' }, 'rcs']
  ]
  for (const [name, way, channel] of ways) {
    assert.equal(wayName(way), name)
    assert.deepEqual(parseWay(name), way)
    assert.equal(channelOfWay(way), channel)
  }
})

test('what a lost route had goes to the longest that has the beginning of its prefix', () => {
  const routes = createRoutes([sms(''), sms('33'), sms('336399'), rcs('3363')])
  assert.equal(rerouted({ channel: 'sms', prefix: '3363' }, routes)?.prefix, '33')
  assert.equal(rerouted({ channel: 'sms', prefix: '44' }, routes)?.prefix, '')
  assert.equal(rerouted({ channel: 'sms', prefix: '33' }, routes)?.prefix, '33')
  assert.equal(rerouted({ channel: 'rcs', prefix: '33' }, routes), undefined)
  fc.assert(
    fc.property(someRoutes, channel, digits({ minLength: 0, maxLength: 8 }), (routes, channel, prefix) => {
      const routesOf = createRoutes(routes)
      assert.equal(rerouted({ channel, prefix }, routesOf), routesOf(NO_MESSAGE)(channel, `+${prefix}`))
    })
  )
})

test('a million numbers find their route in a moment', () => {
  const routes = Array.from({ length: 2000 }, (_, index) => sms(String(index + 30)))
  const routeOf = createRoutes(routes)(NO_MESSAGE)
  const begin = performance.now()
  let found = 0
  for (let index = 0; index < 1_000_000; index++) if (routeOf('sms', '+33639980001')) found++
  assert.equal(found, 1_000_000)
  assert.ok(performance.now() - begin < 2000)
})

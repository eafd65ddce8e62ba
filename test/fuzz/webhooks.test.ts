import { strict as assert } from 'node:assert'
import { BlockList, isIP } from 'node:net'
import fc from 'fast-check'
import { startService, test } from '../service/service.ts'
import { oddText, oddValue } from './odd-values.ts'
import { runOptions, tellSeed } from './runs.ts'

/*
 * Webhook configurations of all kinds: each is a 400 that changes nothing, or a 200 and a record that makes sense. What counts
 * as private is judged here once more, by other means than the service's.
 */

const TYPES = ['replies', 'stops', 'sms_status', 'rcs_status', 'clicks', 'message_state', 'limits', 'balances']

/** From the registries of special addresses, by the blocks that lead to oneself, to one's own network or to nobody. */
const PRIVATE = new BlockList()
for (const block of [
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12'],
  ...['192.168.0.0/16', '198.18.0.0/15', '224.0.0.0/4', '240.0.0.0/4', '192.0.0.0/24']
]) {
  const [network = '', bits] = block.split('/')
  PRIVATE.addSubnet(network, Number(bits), 'ipv4')
  // The same address within one of IPv6: NAT64, and 6to4, whose first bits it is.
  PRIVATE.addSubnet(`64:ff9b::${network}`, 96 + Number(bits), 'ipv6')
  const [a = 0, b = 0, c = 0, d = 0] = network.split('.').map(Number)
  const hex = (high: number, low: number) => ((high << 8) | low).toString(16)
  PRIVATE.addSubnet(`2002:${hex(a, b)}:${hex(c, d)}::`, 16 + Number(bits), 'ipv6')
}
for (const [network, bits] of [
  ['::', 127],
  ['fc00::', 7],
  ['fe80::', 10],
  ['fec0::', 10],
  ['ff00::', 8]
] as const) {
  PRIVATE.addSubnet(network, bits, 'ipv6')
}

function isPrivate(host: string): boolean {
  const bare = host.replace(/^\[|\]$/g, '').replace(/\.$/, '')
  if (isIP(bare) === 0) return /(^|\.)(localhost|local|internal)$/i.test(bare)
  return PRIVATE.check(bare, isIP(bare) === 4 ? 'ipv4' : 'ipv6')
}

const PRIVATE_IPS = [
  '127.0.0.1',
  '10.1.2.3',
  '192.168.0.1',
  '169.254.169.254',
  '172.31.255.255',
  '100.64.0.1',
  '0.0.0.0'
]
const PUBLIC_IPS = ['93.184.216.34', '8.8.8.8', '172.32.0.1', '192.169.0.1', '11.0.0.1']

/** The ways to write an IPv4 address. */
const WAYS: ((ip: string) => string)[] = [
  (ip) => ip,
  (ip) => String(toNumber(ip)),
  (ip) => `0x${toNumber(ip).toString(16)}`,
  (ip) => `0${toNumber(ip).toString(8)}`,
  (ip) =>
    ip
      .split('.')
      .map((byte) => `0${Number(byte).toString(8)}`)
      .join('.'),
  (ip) =>
    ip
      .split('.')
      .map((byte) => `0x${Number(byte).toString(16)}`)
      .join('.'),
  (ip) => `${ip.split('.').slice(0, 2).join('.')}.${toNumber(ip) % 65_536}`,
  (ip) => `${ip}.`,
  (ip) => ip.replaceAll('.', '。'),
  (ip) => ip.replaceAll(/\d/g, (digit) => String.fromCodePoint(0xff10 + Number(digit))),
  (ip) => ip.replaceAll(/\d/g, (digit) => `%3${digit}`),
  (ip) => `[::ffff:${ip}]`,
  (ip) => `[::FFFF:${toHex(ip)}]`,
  (ip) => `[0:0:0:0:0:ffff:${toHex(ip)}]`,
  (ip) => `[64:ff9b::${ip}]`
]

function toNumber(ip: string): number {
  return ip.split('.').reduce((number, byte) => number * 256 + Number(byte), 0)
}

function toHex(ip: string): string {
  return `${Math.floor(toNumber(ip) / 65_536).toString(16)}:${(toNumber(ip) % 65_536).toString(16)}`
}

const SCHEMES = [
  'http://',
  'HTTPS://',
  'https:',
  'https:\\\\',
  'ftp://',
  'javascript:',
  '//',
  '',
  ' https://',
  'h\nttps://'
]

const host = fc.oneof(
  {
    weight: 4,
    arbitrary: fc
      .tuple(fc.constantFrom(...PRIVATE_IPS), fc.constantFrom(...WAYS))
      .map(([ip, way]) => ({ host: way(ip), isBad: true }))
  },
  {
    weight: 4,
    arbitrary: fc
      .tuple(fc.constantFrom(...PUBLIC_IPS), fc.constantFrom(...WAYS))
      .map(([ip, way]) => ({ host: way(ip), isBad: false }))
  },
  { weight: 2, arbitrary: fc.ipV4().map((ip) => ({ host: ip, isBad: isPrivate(ip) })) },
  { weight: 2, arbitrary: fc.ipV6().map((ip) => ({ host: `[${ip}]`, isBad: false })) },
  {
    weight: 2,
    arbitrary: fc
      .constantFrom(
        'localhost',
        'LOCALHOST.',
        'a.localhost',
        'printer.local',
        'metadata.google.internal',
        '[::1]',
        '[::]',
        '[fe80::1%25eth0]',
        '[fe80::1]',
        '[fd00::1]',
        '[::127.0.0.1]',
        '[2002:7f00:1::]',
        '[::ffff:0:127.0.0.1]',
        'ⓛocalhost',
        'local\u00adhost'
      )
      .map((host) => ({ host, isBad: true }))
  },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom(
        '',
        '.',
        '..',
        '[',
        '[]',
        '[::1',
        'a b',
        '%00',
        '256.1.1.1',
        '1.2.3.4.5',
        'xn--a',
        '-',
        '_',
        '例え.invalid',
        'x'.repeat(300),
        '127.0.0.1@93.184.216.34',
        '93.184.216.34#@127.0.0.1',
        '93.184.216.34\\@127.0.0.1'
      )
      .map((host) => ({ host, isBad: false }))
  }
)

/** Mostly the usual, else too little of it would ever be accepted. */
function mostly<T>(usual: T, odd: fc.Arbitrary<T>): fc.Arbitrary<T> {
  return fc.oneof({ weight: 6, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: odd })
}

const target = fc
  .record({
    scheme: mostly('https://', fc.constantFrom(...SCHEMES)),
    user: mostly('', fc.constantFrom('user@', 'user:pass@', ':@', '@')),
    host,
    port: mostly('', fc.constantFrom(':443', ':8080', ':0', ':65536', ':-1', ':', ':22', ':a', ':00080')),
    path: mostly(
      '/a?b=c',
      fc.oneof(
        fc.constantFrom('', '/', '/%00', '/é', '/\r\nX-Injected: 1', '/\t', '/..//', ' ', `/${'a'.repeat(2_100)}`),
        oddText.map((text) => `/${text}`)
      )
    )
  })
  .map(({ scheme, user, host, port, path }) => ({
    url: `${scheme}${user}${host.host}${port}${path}`,
    isBad: host.isBad
  }))

const webhook = fc
  .record({
    type: fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...TYPES) }, { weight: 1, arbitrary: oddValue }),
    target,
    method: mostly<unknown>(undefined, fc.constantFrom('POST', 'GET', 'post', null, 7)),
    active: mostly<unknown>(undefined, fc.constantFrom(true, false, 'true', 1, null)),
    batch_size: mostly<unknown>(undefined, fc.constantFrom(1, 500, 0, -1, 501, 1.5, '5', null, 1e308))
  })
  .map(({ target, ...rest }) => ({ isBad: target.isBad, given: { ...rest, url: target.url } }))

test('a webhook configuration is refused, or stored as one that makes sense, and never leads to a private address', async (t) => {
  tellSeed(t)
  const service = await startService(t)
  const account = await service.newAccount()
  let accepted = 0
  const property = fc.asyncProperty(fc.array(webhook, { maxLength: 3 }), async (webhooks) => {
    const { body: before } = await account.expect(200).get('/webhooks')
    const body = JSON.stringify({ webhooks: webhooks.map(({ given }) => given) })
    const { status, body: answer, text } = await account.put('/webhooks', body)
    assert.ok(status === 200 || status === 400, `${body} answered ${text}`)
    const { body: after } = await account.expect(200).get('/webhooks')
    if (status === 400) return assert.deepEqual(after, before, 'a refusal changes nothing')
    assert.ok(!webhooks.some(({ isBad }) => isBad), `${body} leads to a private address`)
    const { secret: _secret, ...config } = answer
    assert.deepEqual(after, config)
    assert.equal(after.webhooks.length, webhooks.length)
    for (const { url, type, method, batch_size: batchSize } of after.webhooks) {
      assert.ok(TYPES.includes(type) && method === 'POST' && batchSize >= 1 && batchSize <= 500)
      assertSane(url)
    }
    if (webhooks.length > 0) accepted++
  })
  await fc.assert(property, runOptions(150))
  assert.ok(accepted > 5, `only ${accepted} were accepted`)
  assert.deepEqual(service.logLines.filter((line) => JSON.parse(line).level >= 50).slice(0, 3), [])
})

function assertSane(text: string): void {
  const url = new URL(text)
  assert.ok(text.length <= 2_048)
  assert.match(url.protocol, /^https?:$/)
  assert.deepEqual([url.username, url.password], ['', ''])
  assert.ok(url.hostname !== '' && !isPrivate(url.hostname), text)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be there.
  assert.doesNotMatch(text, /[\u0000-\u001f\u007f]/, 'a record does not hold control characters')
}

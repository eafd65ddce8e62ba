import { strict as assert } from 'node:assert'
import { test } from 'node:test'
import fc from 'fast-check'
import { isPublicAddress } from './private-addresses.ts'

const PUBLIC = [
  ...[
    '1.0.0.0',
    '8.8.8.8',
    '9.255.255.255',
    '11.0.0.0',
    '100.63.255.255',
    '100.128.0.0',
    '126.255.255.255',
    '128.0.0.0'
  ],
  ...['168.63.129.15', '168.63.129.17', '169.253.255.255', '169.255.0.0', '172.15.255.255', '172.32.0.0'],
  ...['192.0.1.0', '192.0.3.0', '192.167.255.255', '192.169.0.0', '198.17.255.255', '198.20.0.0', '223.255.255.255'],
  ...['2001:200::1', '2001:4860:4860::8888', '2606:4700::1111', '2a00:1450:4007::200e', '3ffe::1'],
  ...['::ffff:8.8.8.8', '::ffff:808:808', '64:ff9b::8.8.8.8', '64:ff9b::808:808']
]

const REFUSED = [
  // This host, private, carrier-grade NAT, loopback, Azure, link-local.
  ...['0.0.0.0', '0.255.255.255', '10.0.0.0', '10.255.255.255', '100.64.0.0', '100.100.100.200', '100.127.255.255'],
  ...['127.0.0.1', '127.255.255.255', '168.63.129.16', '169.254.0.0', '169.254.169.254', '169.254.255.255'],
  ...['172.16.0.0', '172.31.255.255', '192.168.0.0', '192.168.255.255'],
  // Assignments, documentation, relays, benchmarks, multicast, reserved, broadcast.
  ...['192.0.0.192', '192.0.2.1', '192.88.99.1', '198.18.0.0', '198.19.255.255', '198.51.100.1', '203.0.113.255'],
  ...['224.0.0.1', '239.255.255.255', '240.0.0.0', '255.255.255.255'],
  // IPv6 of its own.
  ...[
    '::',
    '::1',
    '0:0:0:0:0:0:0:1',
    '::2',
    'fc00::1',
    'fd00:ec2::254',
    'fdff:ffff::1',
    'fe80::1',
    'febf::1',
    'fec0::1'
  ],
  ...['ff02::1', 'ff0e::1', '100::1', '2001:db8::1', '3fff::1', '3fff:fff::1', '4000::1', '5f00::1', '1fff::1'],
  // IPv4 inside: mapped, compatible, translated, NAT64 (also its local prefix), 6to4, Teredo.
  ...['::ffff:127.0.0.1', '::ffff:7f00:1', '::FFFF:7F00:0001', '0:0:0:0:0:ffff:127.0.0.1', '::ffff:0:0'],
  ...['0000:0000:0000:0000:0000:ffff:a9fe:a9fe', '::ffff:10.1.2.3', '::ffff:255.255.255.255'],
  ...['::127.0.0.1', '::7f00:1', '::8.8.8.8', '::ffff:0:127.0.0.1', '::ffff:0:8.8.8.8'],
  ...['64:ff9b::127.0.0.1', '64:ff9b::7f00:1', '64:ff9b::a9fe:a9fe', '64:ff9b::10.0.0.1', '64:ff9b::192.168.1.1'],
  ...['64:ff9b:1::10.0.0.1', '64:ff9b:1::8.8.8.8', '64:ff9b::1:808:808'],
  ...['2002:7f00:1::1', '2002:a00:1::1', '2002:c0a8:101::', '2002:a9fe:a9fe::1', '2002:808:808::1'],
  ...['2001:0:4136:e378:8000:63bf:80ff:fffe', '2001::1', '2001:10::1', '2001:20::1'],
  // No address that could be read, or of one link only.
  ...['', 'localhost', 'example.com', '127.1', '2130706433', '0177.0.0.1', '0x7f000001', '8.8.8.8 ', '[::1]', '8.8.8'],
  ...['fe80::1%eth0', '2606:4700::1111%eth0', '8.8.8.8/32', '256.1.1.1', '08.8.8.8']
]

test('an address of the public internet may be connected to', () => {
  for (const address of PUBLIC) assert.equal(isPublicAddress(address), true, address)
})

test('an address that is private, special, or hides one, may not', () => {
  for (const address of REFUSED) assert.equal(isPublicAddress(address), false, address)
})

test('an IPv4 address is judged alike when it is written as mapped IPv6 or sent through NAT64', () => {
  fc.assert(
    fc.property(fc.ipV4(), (address) => {
      const [a = 0, b = 0, c = 0, d = 0] = address.split('.').map(Number)
      const hexadecimal = `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`
      const expected = isPublicAddress(address)
      for (const prefix of ['::ffff:', '0:0:0:0:0:FFFF:', '64:ff9b::', '64:ff9b:0:0:0:0:']) {
        assert.equal(isPublicAddress(`${prefix}${address}`), expected)
        assert.equal(isPublicAddress(`${prefix}${hexadecimal}`), expected)
      }
    })
  )
})

test('an IPv6 address is judged alike in every notation', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 16, maxLength: 16 }), (bytes) => {
      const groups = Array.from(
        { length: 8 },
        (_, index) => (bytes[2 * index] ?? 0) * 256 + (bytes[2 * index + 1] ?? 0)
      )
      const short = groups.map((group) => group.toString(16)).join(':')
      const long = groups.map((group) => group.toString(16).toUpperCase().padStart(4, '0')).join(':')
      assert.equal(isPublicAddress(short), isPublicAddress(long))
      // Outside of 2000::/3 a random address has no chance to be NAT64 or mapped.
      if (((bytes[0] ?? 0) & 0xe0) !== 0x20) assert.equal(isPublicAddress(short), false)
    })
  )
})

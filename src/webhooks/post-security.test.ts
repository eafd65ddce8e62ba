import { strict as assert } from 'node:assert'
import { once } from 'node:events'
import { createServer, type Server as HttpServer } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import { getCACertificates, setDefaultCACertificates, type TLSSocket } from 'node:tls'
import { promisify } from 'node:util'
import { atEnd } from '../../test/service/cleanup.ts'
import { TEST_CERTIFICATE, TEST_KEY } from '../carriers/smpp/certificate.samples.ts'
import { type Nameserver, startNameserver, type Zone } from './dns.samples.ts'
import { checkedLookup, createPoster, type PosterSettings, type PostResult } from './post.ts'
import { checkTarget, readTarget, type Target } from './target.ts'

const MESSAGE = { headers: { 'webhook-id': 'evt_1' }, body: '{}' }

/** A receiver on the loopback address that counts requests. */
async function startReceiver(t: TestContext, { host = '127.0.0.1', port = 0, server = createServer() } = {}) {
  const receiver = { port: 0, connections: 0, serverNames: [] as unknown[] }
  server.on('connection', () => receiver.connections++)
  server.on('request', (request, response) => {
    receiver.serverNames.push((request.socket as TLSSocket).servername)
    response.end('ok')
  })
  server.listen(port, host)
  await once(server, 'listening')
  atEnd(t, () => {
    server.closeAllConnections()
    server.close()
  })
  receiver.port = (server.address() as AddressInfo).port
  return receiver
}

function tlsServer(): HttpServer {
  return createHttpsServer({ cert: TEST_CERTIFICATE, key: TEST_KEY })
}

async function nameserverOf(t: TestContext, zone: Zone): Promise<Nameserver> {
  const nameserver = await startNameserver(zone)
  atEnd(t, () => nameserver.close())
  return nameserver
}

async function post(t: TestContext, url: string, settings: Partial<PosterSettings> = {}): Promise<PostResult> {
  const poster = createPoster({ allowPrivate: false, connectionsPerHost: 4, timeoutMs: 5_000, ...settings })
  atEnd(t, () => poster.close())
  return await poster.post(targetOf(url), MESSAGE)
}

/** As if the configuration had let it through. */
function targetOf(url: string): Target {
  const read = readTarget(url, { allowPrivate: true })
  return 'target' in read ? read.target : assert.fail(read.problem)
}

function assertPrivate(result: PostResult, url: string): void {
  assert.match(result.kind === 'failed' ? result.error : assert.fail(url), /has a private address/, url)
}

test('a private address is not connected to, in whatever way it is written', async (t) => {
  const receiver = await startReceiver(t)
  const receiver6 = await startReceiver(t, { host: '::1', port: receiver.port })
  const hosts = [
    '127.0.0.1',
    '2130706433',
    '0177.0.0.1',
    '0x7f000001',
    '127.1',
    '0',
    '[::1]',
    '[::]',
    '[::ffff:127.0.0.1]'
  ]
  const others = [
    '10.0.0.1',
    '169.254.169.254',
    '192.168.1.1',
    '[fe80::1]',
    '[64:ff9b::7f00:1]',
    'localhost',
    'x.internal'
  ]
  for (const host of [...hosts, ...others]) {
    const url = `http://${host}:${receiver.port}/`
    assertPrivate(await post(t, url), url)
  }
  assert.deepEqual([receiver.connections, receiver6.connections], [0, 0])
  // The same receiver answers where private addresses are allowed.
  assert.equal((await post(t, `http://2130706433:${receiver.port}/`, { allowPrivate: true })).kind, 'answered')
  assert.equal((await post(t, `http://[::1]:${receiver.port}/`, { allowPrivate: true })).kind, 'answered')
})

test('a name that leads to private addresses is not connected to', async (t) => {
  const receiver = await startReceiver(t)
  const names = {
    'loopback.example': ['127.0.0.1'],
    'loopback6.example': ['::1'],
    'mapped.example': ['::ffff:127.0.0.1'],
    'inside.example': ['10.0.0.1', '192.168.0.1', 'fd00::1'],
    'metadata.example': ['169.254.169.254']
  }
  const zone = Object.fromEntries(Object.entries(names).map(([name, addresses]) => [name, [addresses]]))
  const { lookup } = await nameserverOf(t, zone)
  for (const name of Object.keys(names)) {
    const url = `http://${name}:${receiver.port}/`
    assertPrivate(await post(t, url, { lookup }), url)
  }
  assert.equal(receiver.connections, 0)
})

test('a name that is public when it is configured and private when it is used is not connected to', async (t) => {
  const receiver = await startReceiver(t)
  const nameserver = await nameserverOf(t, { 'rebinding.example': [['93.184.216.34'], ['127.0.0.1']] })
  const url = `http://rebinding.example:${receiver.port}/`
  assert.ok('target' in (await checkTarget(url, { allowPrivate: false, lookup: nameserver.lookup })))
  assertPrivate(await post(t, url, { lookup: nameserver.lookup }), url)
  assert.equal(nameserver.asked('rebinding.example'), 2)
  assert.equal(receiver.connections, 0)
})

test('a name is asked for once per connection, and the connection goes to the address that was checked', async (t) => {
  const first = await startReceiver(t)
  const second = await startReceiver(t, { host: '127.0.0.2', port: first.port })
  const nameserver = await nameserverOf(t, { 'rebinding.example': [['127.0.0.1'], ['127.0.0.2']] })
  const poster = createPoster({ allowPrivate: true, lookup: nameserver.lookup, connectionsPerHost: 4 })
  atEnd(t, () => poster.close())
  const target = targetOf(`http://rebinding.example:${first.port}/`)
  for (let round = 0; round < 3; round++) assert.equal((await poster.post(target, MESSAGE)).kind, 'answered')
  assert.equal(nameserver.asked('rebinding.example'), 1)
  assert.deepEqual([first.connections, second.connections], [1, 0])
})

test('of a name with public and private addresses, node:net is given the public ones only', async (t) => {
  const { lookup } = await nameserverOf(t, {
    'mixed.example': [['127.0.0.1', '93.184.216.34', '10.0.0.1', '::1', '2606:4700::1111', '::ffff:10.0.0.1']]
  })
  const ask = promisify(checkedLookup({ allowPrivate: false, lookup }))
  assert.deepEqual(await ask('mixed.example', { all: true }), [
    { address: '93.184.216.34', family: 4 },
    { address: '2606:4700::1111', family: 6 }
  ])
})

test('a name that is not found, or whose servers are silent, has an error of its own', async (t) => {
  const { lookup } = await nameserverOf(t, {
    'empty.example': [[]],
    'silent.example': 'silent',
    'half.example': 'silent for IPv6'
  })
  const cases: [name: string, error: string][] = [
    ['missing.example', 'The receiver missing.example has a name that was not found.'],
    ['empty.example', 'The receiver empty.example has a name without an address.'],
    ['silent.example', 'The receiver silent.example has a name whose servers did not answer.'],
    ['half.example', 'The receiver half.example has a name whose servers did not answer.']
  ]
  for (const [name, error] of cases) {
    const result = await post(t, `https://${name}/`, { lookup })
    assert.equal(result.kind === 'failed' && result.error, error)
  }
})

test('silent nameservers are cut off by the time-out as well', async (t) => {
  const { lookup } = await nameserverOf(t, { 'silent.example': 'silent' })
  const result = await post(t, 'https://silent.example/', { lookup, timeoutMs: 100 })
  assert.equal(result.kind === 'failed' && result.error, 'The receiver could not be reached within 0.1 s.')
})

test('an untrusted certificate is refused', async (t) => {
  const receiver = await startReceiver(t, { server: tlsServer() })
  const { lookup } = await nameserverOf(t, { 'smsc.test': [['127.0.0.1']] })
  const result = await post(t, `https://smsc.test:${receiver.port}/`, { allowPrivate: true, lookup })
  const error = 'The receiver smsc.test has a TLS certificate that is not trusted (DEPTH_ZERO_SELF_SIGNED_CERT).'
  assert.equal(result.kind === 'failed' && result.error, error)
  assert.deepEqual(receiver.serverNames, [])
})

test('a trusted certificate is good for its own name, which the receiver gets by SNI, and for no other', async (t) => {
  const trusted = getCACertificates('default')
  setDefaultCACertificates([...trusted, TEST_CERTIFICATE])
  atEnd(t, () => setDefaultCACertificates(trusted))
  const receiver = await startReceiver(t, { server: tlsServer() })
  const { lookup } = await nameserverOf(t, { 'smsc.test': [['127.0.0.1']], 'other.test': [['127.0.0.1']] })
  const settings = { allowPrivate: true, lookup }
  assert.equal((await post(t, `https://smsc.test:${receiver.port}/`, settings)).kind, 'answered')
  assert.deepEqual(receiver.serverNames, ['smsc.test'])
  for (const host of ['other.test', '127.0.0.1']) {
    const result = await post(t, `https://${host}:${receiver.port}/`, settings)
    const error = `The receiver ${host} has a TLS certificate for another name.`
    assert.equal(result.kind === 'failed' && result.error, error)
  }
  assert.deepEqual(receiver.serverNames, ['smsc.test'])
})

test('a receiver without TLS behind https has an error of its own', async (t) => {
  const receiver = await startReceiver(t)
  const result = await post(t, `https://127.0.0.1:${receiver.port}/`, { allowPrivate: true })
  assert.match(result.kind === 'failed' ? result.error : '', /could not agree on TLS/)
})

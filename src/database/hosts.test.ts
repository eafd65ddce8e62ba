import { strict as assert } from 'node:assert'
import { type AddressInfo, connect as connectTo, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { TLSSocket } from 'node:tls'
import { pino } from 'pino'
import { eventually } from '../../test/checks/eventually.ts'
import { createDatabase } from '../../test/database/databases.ts'
import { startAddress } from '../../test/peers/address.ts'
import { atEnd } from '../../test/service/cleanup.ts'
import { TEST_CERTIFICATE, TEST_KEY } from '../carriers/smpp/certificate.samples.ts'
import { connect, isDatabaseUnavailable, SOCKET_PORT } from './database.ts'
import { hostsOf, urlsByHost } from './hosts.ts'
import { prepareDatabase } from './prepare-database.ts'

test('a URL names its hosts', () => {
  assert.deepEqual(hostsOf('postgres://user:p%40ss@one:5432,two:5433/db?sslmode=require'), ['one:5432', 'two:5433'])
  assert.deepEqual(hostsOf('postgresql://one/db'), ['one'])
  for (const url of ['postgres://', 'postgres://u@one:99999/db', 'postgres://one,,two/db', 'mysql://one/db']) {
    assert.equal(hostsOf(url), undefined, url)
  }
})

test('a URL of several hosts is a URL for each of them', () => {
  assert.deepEqual(urlsByHost('postgres://u:p@one:5432,two/db?sslmode=require'), [
    { name: 'one:5432', url: 'postgres://u:p@one:5432/db?sslmode=require' },
    { name: 'two', url: 'postgres://u:p@two/db?sslmode=require' }
  ])
  assert.equal(urlsByHost('postgres://one,,two/db'), undefined)
})

test('while no host can be used everybody is told so, without a storm of attempts; the first that can be is used', async (t) => {
  const database = await createDatabase()
  atEnd(t, () => database.drop())
  const { socketFolder, user, database: name } = database.url
  const address = await startAddress(t, { path: join(socketFolder, `.s.PGSQL.${SOCKET_PORT}`) })
  await address.close()
  // As a proxy does whose server is away.
  const closing = await startClosing(t)
  const url = `postgres://${user}@127.0.0.1:${closing.port},127.0.0.1:${address.port}/${name}`
  const pool = connect({ url, applicationName: 'hosts', connectionsMax: 3 })
  atEnd(t, () => pool.close(0))
  await pool
    .listen('anything', () => undefined)
    .then(
      () => assert.fail('nobody was there to listen to'),
      (error) => assert.ok(isDatabaseUnavailable(error), error.code)
    )
  const results = await Promise.allSettled(Array.from({ length: 50 }, () => pool`select 1`))
  for (const result of results) {
    assert.ok(result.status === 'rejected' && isDatabaseUnavailable(result.reason), result.status)
  }
  assert.ok(closing.connections < 50, `${closing.connections} attempts`)
  await address.open()
  await eventually(async () => assert.equal((await pool`select 1`).length, 1))
  const before = closing.connections
  await Promise.all(Array.from({ length: 3 }, () => pool`select pg_sleep(0.1)`))
  assert.equal(closing.connections, before, 'the one that could be used is where the next look first')
})

async function startClosing(t: TestContext) {
  let connections = 0
  const server = createServer((socket) => {
    connections++
    socket.on('error', () => undefined)
    socket.resume().end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  atEnd(t, () => new Promise((resolve) => server.close(resolve)))
  return {
    port: (server.address() as AddressInfo).port,
    get connections() {
      return connections
    }
  }
}

test('sslmode decides whether a connection is encrypted, and whether the server must prove who it is', async (t) => {
  const database = await createDatabase()
  atEnd(t, () => database.drop())
  const { socketFolder, user, database: name } = database.url
  const encrypting = await startFront(t, join(socketFolder, `.s.PGSQL.${SOCKET_PORT}`), { hasTls: true })
  const plain = await startFront(t, join(socketFolder, `.s.PGSQL.${SOCKET_PORT}`), { hasTls: false })
  const optionsOf = (port: number, mode: string) => ({
    url: `postgres://${user}@127.0.0.1:${port}/${name}?sslmode=${mode}&search_path=a,%20b`,
    applicationName: 'hosts',
    connectionsMax: 1
  })
  const open = (port: number, mode: string) => {
    const pool = connect(optionsOf(port, mode))
    atEnd(t, () => pool.close(0))
    return pool
  }
  for (const mode of ['require', 'prefer']) {
    const pool = open(encrypting.port, mode)
    const [row] = await pool`select current_setting('search_path') as path, ${'x'.repeat(100_000)} as text`
    assert.deepEqual([row?.path, row?.text.length], ['a, b', 100_000])
    const cut = assert.rejects(pool`select pg_sleep(60)`.execute(), isDatabaseUnavailable)
    await eventually(() => assert.equal(encrypting.connections.size, 1))
    encrypting.cut()
    await cut
    assert.equal((await pool`select 1`).length, 1)
    await pool.close(1)
  }
  assert.ok(encrypting.isEncrypted)
  await assert.rejects(async () => open(encrypting.port, 'verify-full')`select 1`, { code: /SELF_SIGNED/ })
  const started = prepareDatabase(optionsOf(encrypting.port, 'verify-full'), pino({ level: 'silent' }))
  await assert.rejects(started, /Name the file of its authority in NODE_EXTRA_CA_CERTS\.$/)
  await assert.rejects(async () => open(plain.port, 'require')`select 1`, /does not support SSL/)
  assert.equal((await open(plain.port, 'prefer')`select 1`).length, 1)
  assert.equal((await open(plain.port, 'disable')`select 1`).length, 1)
})

/** What stands before a server that knows TLS, or does not. */
async function startFront(t: TestContext, path: string, { hasTls }: { hasTls: boolean }) {
  const connections = new Set<Socket>()
  let isEncrypted = false
  const server = createServer((socket) => {
    connections.add(socket)
    socket.on('error', () => undefined)
    socket.on('close', () => connections.delete(socket))
    socket.once('data', (first: Buffer) => {
      const isTlsRequest = first.readInt32BE(4) === TLS_REQUEST
      if (isTlsRequest) socket.write(hasTls ? 'S' : 'N')
      const client = isTlsRequest && hasTls ? new TLSSocket(socket, { isServer: true, ...CERTIFICATE }) : socket
      isEncrypted ||= client !== socket
      const upstream = connectTo({ path })
      upstream.on('error', () => undefined)
      client.on('error', () => undefined)
      client.on('close', () => upstream.destroy())
      if (!isTlsRequest) upstream.write(first)
      client.pipe(upstream).pipe(client)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const cut = () => {
    for (const socket of connections) socket.destroy()
  }
  atEnd(t, () => {
    cut()
    return new Promise((resolve) => server.close(resolve))
  })
  return {
    port: (server.address() as AddressInfo).port,
    connections,
    cut,
    get isEncrypted() {
      return isEncrypted
    }
  }
}

/** The code of an SSLRequest, where other clients name the version of the protocol. */
const TLS_REQUEST = 80_877_103
const CERTIFICATE = { cert: TEST_CERTIFICATE, key: TEST_KEY }

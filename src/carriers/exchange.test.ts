import { strict as assert } from 'node:assert'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { Pool } from 'undici'
import { type Answer, type Exchange, exchange, readRetryAfter } from './exchange.ts'

const REQUEST: Exchange = { method: 'GET', path: '/', headers: {}, timeoutMs: 2_000, answerBytesMax: 1_000 }

/** Answers a request with whatever a test writes. */
async function startPeer(t: TestContext, onRequest: (socket: Socket, requests: number) => void) {
  const sockets = new Set<Socket>()
  let requests = 0
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => socket.destroy())
    socket.on('data', () => onRequest(socket, ++requests))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const pool = new Pool(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, { connections: 1 })
  t.after(async () => {
    await pool.destroy()
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return { pool, requests: () => requests }
}

async function ask(t: TestContext, text: string, request: Partial<Exchange> = {}): Promise<Answer> {
  const { pool } = await startPeer(t, (socket) => socket.write(text))
  return await exchange(pool, { ...REQUEST, ...request })
}

test('an answer is its status and its text', async (t) => {
  const answer = await ask(t, 'HTTP/1.1 404 Not Found\r\ncontent-length: 2\r\nretry-after: 7\r\n\r\n{}')
  assert.deepEqual(answer, { kind: 'answered', status: 404, retryAfterSeconds: 7, text: '{}' })
})

test('a body that is too large is not read, and its status still counts', async (t) => {
  const answer = await ask(t, `HTTP/1.1 200 OK\r\ncontent-length: 100000000\r\n\r\n${'x'.repeat(5_000)}`)
  assert.deepEqual(answer, { kind: 'answered', status: 200, retryAfterSeconds: undefined, text: '' })
})

test('a peer that says nothing, or its body byte by byte, is given up in time', async (t) => {
  const startedAt = performance.now()
  const silent = await ask(t, '', { timeoutMs: 100 })
  assert.deepEqual(silent, { kind: 'failed', reason: 'did not answer in time', isLost: false, isUnsent: false })
  const { pool } = await startPeer(t, (socket) => {
    socket.write('HTTP/1.1 200 OK\r\ncontent-length: 500\r\n\r\n')
    const timer = setInterval(() => socket.write('x'), 20)
    socket.on('close', () => clearInterval(timer))
  })
  assert.equal((await exchange(pool, { ...REQUEST, timeoutMs: 200 })).kind, 'failed')
  assert.ok(performance.now() - startedAt < 2_000)
})

test('a request that got no connection in time is not written afterwards', async (t) => {
  let finish: () => unknown = () => assert.fail('nothing was asked')
  const { pool, requests } = await startPeer(t, (socket) => {
    finish = () => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n')
  })
  const first = exchange(pool, REQUEST)
  while (requests() < 1) await new Promise((resolve) => setImmediate(resolve))
  const second = await exchange(pool, { ...REQUEST, timeoutMs: 50 })
  assert.deepEqual(second, { kind: 'failed', reason: 'had no connection free in time', isLost: false, isUnsent: true })
  finish()
  assert.equal((await first).kind, 'answered')
  const third = exchange(pool, REQUEST)
  while (requests() < 2) await new Promise((resolve) => setImmediate(resolve))
  finish()
  assert.equal((await third).kind, 'answered')
  assert.equal(requests(), 2)
})

test('a connection that is cut, before or in the middle of the answer, is lost', async (t) => {
  for (const text of ['', 'HTTP/1.1 200 OK\r\ncontent-length: 500\r\n\r\nhalf']) {
    const { pool } = await startPeer(t, (socket) => socket.end(text))
    const answer = await exchange(pool, REQUEST)
    const reason = 'closed the connection before it had answered'
    assert.deepEqual(answer, { kind: 'failed', reason, isLost: true, isUnsent: false })
  }
})

test('what is no HTTP, and what can’t be asked for, fails with a word', async (t) => {
  const garbage = await ask(t, 'SSH-2.0-OpenSSH_9.9\r\n')
  assert.deepEqual(garbage, {
    kind: 'failed',
    reason: 'answered something that is not HTTP',
    isLost: false,
    isUnsent: false
  })
  const closed = new Pool('http://127.0.0.1:1')
  t.after(() => closed.destroy())
  const refused = await exchange(closed, REQUEST)
  assert.deepEqual(refused, { kind: 'failed', reason: 'refused the connection', isLost: false, isUnsent: true })
  const impossible = await exchange(closed, { ...REQUEST, path: '/ \r\n' })
  assert.equal(impossible.kind, 'failed')
  await closed.destroy()
  assert.equal((await exchange(closed, REQUEST)).kind, 'failed')
})

test('how long to wait is told in seconds or by a date, and at most an hour', () => {
  const nowMs = Date.parse('2026-11-15T09:30:00Z')
  const headers: [string | string[] | undefined, number | undefined][] = [
    ['7', 7],
    [' 0 ', 0],
    [['3', '9'], 3],
    ['Sun, 15 Nov 2026 09:30:30 GMT', 30],
    ['Sun, 15 Nov 2026 09:29:30 GMT', 0],
    ['99999999', 3_600],
    ['soon', undefined],
    ['-1', undefined],
    ['', undefined],
    [undefined, undefined]
  ]
  for (const [header, seconds] of headers) assert.equal(readRetryAfter(header, nowMs), seconds, String(header))
})

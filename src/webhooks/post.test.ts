import { strict as assert } from 'node:assert'
import { once } from 'node:events'
import { createServer as createHttpServer, type IncomingMessage, type RequestListener } from 'node:http'
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { eventually } from '../../test/checks/eventually.ts'
import { atEnd } from '../../test/service/cleanup.ts'
import { createPoster, type Poster, type PosterSettings, type PostResult } from './post.ts'
import { readTarget, type Target } from './target.ts'

const MESSAGE = { headers: { 'content-type': 'application/json', 'webhook-id': 'evt_1' }, body: '{"id":"evt_1","é":1}' }

interface Receiver {
  url: string
  /** How many connections were made so far, and how many are open. */
  connections: Socket[]
  openCount(): number
}

async function listen(t: TestContext, server: Server, host = '127.0.0.1'): Promise<Receiver> {
  const connections: Socket[] = []
  server.on('connection', (socket) => {
    connections.push(socket)
    socket.on('error', () => socket.destroy())
  })
  server.listen(0, host)
  await once(server, 'listening')
  atEnd(t, () => {
    for (const socket of connections) socket.destroy()
    server.close()
  })
  const url = `http://${host}:${(server.address() as AddressInfo).port}/hook?a=1`
  return { url, connections, openCount: () => connections.filter((socket) => !socket.destroyed).length }
}

function startReceiver(t: TestContext, answer: RequestListener): Promise<Receiver> {
  return listen(t, createHttpServer(answer))
}

/** A receiver that writes these bytes for every request, and then does as the test says. */
function startRawReceiver(t: TestContext, bytes: string, then: (socket: Socket) => void = () => undefined) {
  const server = createTcpServer((socket) => {
    socket.once('data', () => socket.write(bytes, () => then(socket)))
  })
  return listen(t, server)
}

function startPoster(t: TestContext, settings: Partial<PosterSettings> = {}): Poster {
  const poster = createPoster({ allowPrivate: true, connectionsPerHost: 4, timeoutMs: 5_000, ...settings })
  atEnd(t, () => poster.close())
  return poster
}

function targetOf(url: string): Target {
  const read = readTarget(url, { allowPrivate: true })
  return 'target' in read ? read.target : assert.fail(read.problem)
}

async function postTo(t: TestContext, { url }: Receiver, settings: Partial<PosterSettings> = {}): Promise<PostResult> {
  return await startPoster(t, settings).post(targetOf(url), MESSAGE)
}

function answered(result: PostResult) {
  return result.kind === 'answered' ? result : assert.fail(result.error)
}

function errorOf(result: PostResult): string {
  return result.kind === 'failed' ? result.error : assert.fail(`answered ${result.status}`)
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}

test('the receiver gets the headers and the exact bytes, and its answer comes back', async (t) => {
  const got: unknown[] = []
  const receiver = await startReceiver(t, async (request, response) => {
    const { host, 'content-length': length, 'webhook-id': id, 'content-type': type } = request.headers
    got.push([request.method, request.url, host, length, id, type, await bodyOf(request)])
    response.writeHead(202).end('merci')
  })
  const { ms, ...result } = answered(await postTo(t, receiver))
  assert.deepEqual(result, { kind: 'answered', status: 202, body: 'merci' })
  assert.ok(ms >= 0 && ms < 5_000)
  const host = new URL(receiver.url).host
  assert.deepEqual(got, [['POST', '/hook?a=1', host, '21', 'evt_1', 'application/json', '{"id":"evt_1","é":1}']])
})

test('connections are used again, and no more of them are opened to a receiver than allowed', async (t) => {
  const receiver = await startReceiver(t, (request, response) => void bodyOf(request).then(() => response.end('ok')))
  const poster = startPoster(t, { connectionsPerHost: 2 })
  for (let round = 0; round < 5; round++)
    assert.equal(answered(await poster.post(targetOf(receiver.url), MESSAGE)).status, 200)
  assert.equal(receiver.connections.length, 1)
  await Promise.all(Array.from({ length: 20 }, () => poster.post(targetOf(receiver.url), MESSAGE)))
  assert.equal(receiver.connections.length, 2)
})

test('an idle connection that the receiver drops as we write to it costs no failure', async (t) => {
  let requests = 0
  const server = createTcpServer((socket) => {
    socket.once('data', () => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n')
      socket.once('data', () => socket.resetAndDestroy())
      requests++
    })
  })
  const receiver = await listen(t, server)
  const poster = startPoster(t)
  for (let round = 0; round < 3; round++)
    assert.equal(answered(await poster.post(targetOf(receiver.url), MESSAGE)).status, 200)
  assert.equal(requests, 3)
})

test('a redirect is an answer like others, and is not followed', async (t) => {
  const elsewhere = await startReceiver(t, (_, response) => response.end())
  const receiver = await startReceiver(t, (_, response) => {
    response.writeHead(301, { location: elsewhere.url }).end()
  })
  assert.equal(answered(await postTo(t, receiver)).status, 301)
  assert.equal(elsewhere.connections.length, 0)
})

test('410 is reported as it is, and 429 with the time to come back', async (t) => {
  const gone = await startReceiver(t, (_, response) => response.writeHead(410).end())
  assert.equal(answered(await postTo(t, gone)).status, 410)
  const busy = await startReceiver(t, (_, response) =>
    response.writeHead(429, { 'retry-after': '120' }).end('slow down')
  )
  const { ms: _, ...result } = answered(await postTo(t, busy))
  assert.deepEqual(result, { kind: 'answered', status: 429, retryAfterSeconds: 120, body: 'slow down' })
})

test('a receiver that does not answer fails at the time-out', async (t) => {
  const receiver = await startReceiver(t, () => undefined)
  const result = await postTo(t, receiver, { timeoutMs: 200 })
  assert.equal(errorOf(result), 'The receiver did not answer within 0.2 s.')
  assert.ok(result.ms >= 190 && result.ms < 2_000)
  await eventually(() => assert.equal(receiver.openCount(), 0))
})

test('a receiver that sends its head byte by byte fails at the time-out too', async (t) => {
  const receiver = await startRawReceiver(t, 'HTTP/1.1 200 OK\r\n', (socket) => {
    const timer = setInterval(() => socket.write('x-slow: 1\r\n'), 20)
    socket.once('close', () => clearInterval(timer))
  })
  const result = await postTo(t, receiver, { timeoutMs: 300 })
  assert.equal(errorOf(result), 'The receiver did not answer within 0.3 s.')
  await eventually(() => assert.equal(receiver.openCount(), 0))
})

test('a receiver that answers 102 for ever fails at the time-out too', async (t) => {
  const receiver = await startRawReceiver(t, 'HTTP/1.1 102 Processing\r\n\r\n', (socket) => {
    const timer = setInterval(() => socket.write('HTTP/1.1 102 Processing\r\n\r\n'), 20)
    socket.once('close', () => clearInterval(timer))
  })
  assert.equal(errorOf(await postTo(t, receiver, { timeoutMs: 300 })), 'The receiver did not answer within 0.3 s.')
})

test('a post that waits for a busy receiver fails at its time-out, and later ones get through', async (t) => {
  let requests = 0
  const receiver = await startReceiver(t, (_, response) => {
    response.write('ok')
    // The first keeps its connection with a body that does not end.
    if (requests++ > 0) response.end()
  })
  const poster = startPoster(t, { connectionsPerHost: 1, timeoutMs: 500 })
  const first = poster.post(targetOf(receiver.url), MESSAGE)
  const second = await poster.post(targetOf(receiver.url), MESSAGE)
  assert.equal(errorOf(second), 'No connection to the receiver became free within 0.5 s.')
  assert.ok(second.ms < 1_500)
  assert.equal(answered(await first).body, 'ok')
  assert.equal(answered(await poster.post(targetOf(receiver.url), MESSAGE)).body, 'ok')
  assert.equal(requests, 2)
})

test('a slow path of a host does not hold up the other paths, nor its own queue beyond its limit', async (t) => {
  const receiver = await startReceiver(t, (request, response) => {
    if (request.url === '/fast') response.end('ok')
  })
  const poster = startPoster(t, { connectionsPerHost: 2 })
  let slowOver = 0
  const slow = Array.from({ length: 10 }, async () => {
    await poster.post(targetOf(new URL('/slow', receiver.url).href), MESSAGE)
    slowOver++
  })
  await eventually(() => assert.equal(receiver.openCount(), 2))
  for (let round = 0; round < 3; round++) {
    assert.equal(answered(await poster.post(targetOf(new URL('/fast', receiver.url).href), MESSAGE)).body, 'ok')
  }
  assert.equal(slowOver, 0, 'none of them had to make room')
  assert.equal(receiver.connections.length, 3)
  poster.close()
  await Promise.all(slow)
})

test('a failure without an answer is a sentence', async (t) => {
  const cases: [name: string, receiver: Receiver, error: RegExp][] = [
    [
      'closes at once',
      await startRawReceiver(t, '', (socket) => socket.destroy()),
      /closed the connection before it had answered/
    ],
    [
      'closes mid-head',
      await startRawReceiver(t, 'HTTP/1.1 200 OK\r\nx-a', (socket) => socket.end()),
      /closed the connection before/
    ],
    [
      'resets',
      await startRawReceiver(t, '', (socket) => socket.resetAndDestroy()),
      /closed the connection before it had answered/
    ],
    [
      'speaks SMTP',
      await startRawReceiver(t, '220 mail.example ESMTP\r\n'),
      /answered something that is not HTTP \(HPE_/
    ],
    [
      'huge head',
      await startRawReceiver(t, `HTTP/1.1 200 OK\r\nx: ${'a'.repeat(100_000)}`),
      /headers that are too large/
    ],
    [
      'switches protocols',
      await startRawReceiver(t, 'HTTP/1.1 101 Switching\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n'),
      /closed the connection/
    ]
  ]
  for (const [name, receiver, error] of cases) assert.match(errorOf(await postTo(t, receiver)), error, name)
  const closed = await startReceiver(t, () => undefined)
  const url = closed.url.replace(/:\d+/, ':1')
  assert.match(errorOf(await postTo(t, { ...closed, url })), /^The receiver 127\.0\.0\.1 refused the connection\.$/)
})

test('with its head the receiver has answered, whatever becomes of the body', async (t) => {
  const head = 'HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n'
  const cut = await startRawReceiver(t, `${head}half`, (socket) => socket.end())
  const reset = await startRawReceiver(t, `${head}half`, (socket) => setTimeout(() => socket.resetAndDestroy(), 50))
  const slow = await startRawReceiver(t, `${head}half`)
  const broken = await startRawReceiver(
    t,
    'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n4\r\nhalf\r\nnonsense\r\n'
  )
  for (const receiver of [cut, reset, slow, broken]) {
    const { status, body, ms } = answered(await postTo(t, receiver))
    assert.deepEqual([status, body], [200, 'half'])
    assert.ok(ms < 4_000)
    await eventually(() => assert.equal(receiver.openCount(), 0))
  }
})

test('of a huge answer only 2 kB are read, and the connection is dropped', async (t) => {
  const receiver = await startReceiver(t, (_, response) => {
    const writeMore = () => {
      while (response.write('é'.repeat(8_192)));
    }
    response.on('drain', writeMore)
    writeMore()
  })
  const { status, body, ms } = answered(await postTo(t, receiver))
  assert.equal(status, 200)
  assert.equal(body, 'é'.repeat(1_024))
  // Sooner than a body that takes its time is given up.
  assert.ok(ms < 1_500)
  await eventually(() => assert.equal(receiver.openCount(), 0))
})

test('the text of an answer can be stored: no half character at its end, no NUL', async (t) => {
  const receiver = await startReceiver(t, (_, response) => response.end(`\0${'é'.repeat(1_100)}`))
  assert.equal(answered(await postTo(t, receiver)).body, `\ufffd${'é'.repeat(1_023)}`)
})

test('close ends running and waiting posts and idle connections', async (t) => {
  const receiver = await startReceiver(t, (request, response) => {
    if (request.headers['webhook-id'] === 'evt_1') response.end()
  })
  const poster = startPoster(t, { connectionsPerHost: 2 })
  const target = targetOf(receiver.url)
  assert.equal(answered(await poster.post(target, MESSAGE)).status, 200)
  const idle = await startReceiver(t, (_, response) => response.end())
  assert.equal(answered(await poster.post(targetOf(idle.url), MESSAGE)).status, 200)
  const posts = Array.from({ length: 6 }, () => poster.post(target, { headers: { 'webhook-id': 'evt_2' }, body: '{}' }))
  await eventually(() => assert.equal(receiver.openCount(), 2))
  poster.close()
  for (const result of await Promise.all(posts)) assert.equal(errorOf(result), 'Chappe is stopping.')
  assert.equal(errorOf(await poster.post(target, MESSAGE)), 'Chappe is stopping.')
  // Sooner than idle connections end by themselves.
  await eventually(() => assert.equal(receiver.openCount() + idle.openCount(), 0), { withinMs: 2_000 })
})

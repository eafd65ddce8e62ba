import { strict as assert } from 'node:assert'
import { Agent, request } from 'node:http'
import { connect as connectSocket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { eventually } from '../../test/checks/eventually.ts'
import { holdTable } from '../../test/database/hold-table.ts'
import { startService, test } from '../../test/service/service.ts'
import { keptLook } from '../database/kept-look.ts'
import { LOAD_LIMITS } from './overload.ts'

const FORM = 'application/x-www-form-urlencoded'

test('every failure has the one shape: unknown routes, other methods, malformed JSON, odd URLs', async (t) => {
  const { anonymous, operator } = await startService(t)
  // In a property that nobody declares: it was ignored, until something looked at the body as a whole.
  const deep = `{"email":"a@b.example","password":"12345678","x":${'['.repeat(100_000)}${']'.repeat(100_000)}}`
  const cases: [answer: Promise<{ status: number; body: { code: string } }>, status: number, code: string][] = [
    [anonymous.get('/nothing'), 404, 'not_found'],
    [anonymous.delete('/auth/login'), 404, 'not_found'],
    [operator.put('/subaccount', {}), 404, 'not_found'],
    [anonymous.get('/%'), 404, 'not_found'],
    [operator.get(`/subaccount/${'1'.repeat(200)}`), 404, 'not_found'],
    [anonymous.get('/app/nothing.js'), 404, 'not_found'],
    [anonymous.get('/app//'), 404, 'not_found'],
    [anonymous.get('/app/..%5c..%5cpackage.json'), 404, 'not_found'],
    [anonymous.get('/app/%2e%2e/package.json'), 404, 'not_found'],
    [anonymous.get('/app/%00'), 404, 'not_found'],
    [anonymous.get('/docs/nothing'), 404, 'not_found'],
    [anonymous.get('/users/credits'), 401, 'unauthorized'],
    [operator.post('/subaccount', '{"email":'), 400, 'invalid_input'],
    [operator.post('/subaccount', '"text"'), 400, 'invalid_input'],
    [operator.post('/subaccount', '{"__proto__": {"x": 1}, "email": "a@b.example"}'), 400, 'invalid_input'],
    [operator.post('/subaccount', 'x', { 'content-type': 'text/plain' }), 415, 'unsupported_media_type'],
    [operator.post('/subaccount', '{}', { 'content-type': 'application/xml' }), 415, 'unsupported_media_type'],
    [operator.post('/subaccount', gzipSync('{}'), { 'content-encoding': 'gzip' }), 415, 'unsupported_media_type'],
    [operator.post('/subaccount', '['.repeat(100_000)), 400, 'invalid_input'],
    [operator.post('/subaccount', deep, { 'idempotency-key': 'deep' }), 400, 'invalid_input'],
    [operator.post('/subaccount', `a${'[b]'.repeat(100_000)}=1`, { 'content-type': FORM }), 400, 'invalid_input'],
    [operator.post('/subaccount', `{"email": "${'a'.repeat(1024 * 1024)}"}`), 413, 'payload_too_large']
  ]
  for (const [answer, status, code] of cases) {
    const { status: actual, body } = await answer
    assert.deepEqual([actual, body.code], [status, code])
  }
})

test('a body that is no UTF-8 is refused, as JSON and as a form, and an empty one is none whatever it is called', async (t) => {
  const { operator } = await startService(t)
  const latin = Buffer.from('{"name": "Fête"}', 'latin1')
  const { body } = await operator.expect(400).post('/contactlists', latin, { 'content-type': 'application/json' })
  assert.deepEqual(body.details, [{ path: '', message: 'is not in UTF-8' }])
  for (const form of ['name=F%EAte', 'name=a&x=%C3', 'name=%C3a%AA', Buffer.from('name=Fête', 'latin1')]) {
    await operator.expect(400).post('/contactlists', form, { 'content-type': FORM })
  }
  for (const form of ['name=F%C3%AAte', 'name=F%c3%aate%20100%', 'name=Fête %EF%BF%BD']) {
    const { body } = await operator.expect(200).post('/contactlists', form, { 'content-type': FORM })
    assert.match(body.name, /^Fête/)
  }
  // A character of its own, which programs write for what they could not read.
  const { body: replaced } = await operator.expect(200).post('/contactlists', '{"name": "F\uFFFDte"}')
  assert.equal(replaced.name, 'F\uFFFDte')
  const empty = { 'content-type': 'text/plain;charset=UTF-8', 'content-length': '0' }
  assert.deepEqual((await operator.expect(400).post('/contactlists', '', empty)).body.details, [
    { path: 'name', message: 'is missing' }
  ])
})

test('invalid input names each field at fault, a missing one too, and changes nothing', async (t) => {
  const { operator, pool } = await startService(t)
  const { body } = await operator.expect(400).post('/subaccount', { email: 'nobody', firstName: 5 })
  assert.deepEqual(body.details, [
    { path: 'password', message: 'is missing' },
    { path: 'email', message: 'must be an email address, such as ana@example.com' },
    { path: 'firstName', message: 'must be a string, such as "Léa"' }
  ])
  assert.equal(body.error, 'The request is not valid: password is missing.')
  const [row] = await pool<[{ count: number }]>`select count(*) from accounts`
  assert.equal(row.count, 1)
})

test('a 401 names the credentials that are taken, and a compressed body is told from a wrong one', async (t) => {
  const { anonymous, operator } = await startService(t)
  const login = { email: 'nobody@test.example', password: 'wrong password' }
  for (const answer of [await anonymous.get('/users/me'), await anonymous.post('/auth/login', login)]) {
    assert.equal(answer.status, 401)
    assert.equal(
      answer.headers.get('www-authenticate'),
      'Bearer realm="chappe", ApiKey realm="chappe", header="X-API-KEY"'
    )
  }
  const body = gzipSync(JSON.stringify({ recipient: '0639980001' }))
  const { body: refused, headers } = await operator.expect(415).post('/stops', body, { 'content-encoding': 'gzip' })
  assert.match(refused.error, /compressed.*Content-Encoding/)
  assert.equal(headers.get('accept-encoding'), 'identity')
  await operator.expect(200).post('/stops', { recipient: '0639980001' }, { 'content-encoding': 'identity' })
})

test('a request id is made, or taken over from the caller, and stands in the log', async (t) => {
  const { anonymous, operator, logLines } = await startService(t)
  const own = await operator.get('/users/credits', { 'x-request-id': 'order-17' })
  assert.equal(own.headers.get('x-request-id'), 'order-17')
  const odd = await anonymous.get('/users/credits', { 'x-request-id': 'a b"c' })
  assert.match(odd.headers.get('x-request-id') ?? '', /^[0-9a-f-]{36}$/)
  await eventually(() => {
    const line = logLines.find((line) => line.includes('order-17'))
    assert.ok(line)
    const { status, operation, account_id: accountId } = JSON.parse(line)
    assert.deepEqual(
      { status, operation, accountId },
      { status: 200, operation: 'readCredits', accountId: operator.id }
    )
  })
})

test('no password, key or token stands in the log', async (t) => {
  const { anonymous, operator, logLines } = await startService(t)
  const { body } = await anonymous
    .expect(200)
    .post('/auth/login', { email: operator.email, password: operator.password })
  await anonymous
    .as({ authorization: `Bearer ${body.token}` })
    .expect(200)
    .get('/users/me')
  const { body: rotated } = await operator.expect(200).post('/users/apikey/rotate')
  await anonymous.post('/auth/login', `{"email": "x", "password": "in-broken-json"`)
  const log = logLines.join('')
  for (const secret of [operator.password, operator.apiKey, body.token, rotated.apikey, 'in-broken-json']) {
    assert.ok(!log.includes(secret))
  }
})

test('a form counts like JSON, its numbers turned into numbers; in JSON, text is no number', async (t) => {
  const { operator } = await startService(t)
  const form = { 'content-type': 'application/x-www-form-urlencoded' }
  const made = await operator
    .expect(200)
    .post('/subaccount', 'email=form%40test.example&password=long+enough&firstName=L%C3%A9a', form)
  assert.equal(made.body.first_name, 'Léa')
  const path = `/subaccount/${made.body.subaccount_id}/credits/add`
  const added = await operator.expect(200).put(path, 'credits=5&msgType=2', form)
  assert.equal(added.body[1].credits, 5)
  await operator.expect(400).put(path, 'credits=5.5', form)
  await operator.expect(400).put(path, 'credits=0x5', form)
  await operator.expect(400).put(path, { credits: '5' })
  await operator.expect(400).put(path, { credits: true })
  await operator.expect(200).put(path, '{"credits":1}', { 'content-type': 'application/json; charset=utf-8' })
})

test('JSON that calls itself a form is refused, and changes nothing without a word', async (t) => {
  const { operator } = await startService(t)
  const form = { 'content-type': 'application/x-www-form-urlencoded' }
  const { body } = await operator.expect(415).put('/users/me', ' {"first_name": "Léa"}\n', form)
  assert.equal(body.code, 'unsupported_media_type')
  assert.match(body.error, /^The body is JSON, but .* send `Content-Type: application\/json`\.$/)
  const { body: me } = await operator.expect(200).put('/users/me', 'first_name=%7BL%C3%A9a%7D', form)
  assert.equal(me.first_name, '{Léa}')
})

test('unknown properties are ignored and never stored', async (t) => {
  const { operator, pool } = await startService(t)
  const { body } = await operator.expect(200).post('/subaccount', {
    email: 'extra@test.example',
    password: 'long enough',
    is_operator: true,
    parent_id: 99,
    credits: 1_000_000,
    token_version: 7,
    subaccount_id: 5
  })
  const [row] = await pool`
    select is_operator, parent_id, token_version
    from accounts
    join people on people.id = holder_id
    where accounts.id = ${body.subaccount_id}
  `
  assert.deepEqual({ ...row }, { isOperator: false, parentId: operator.id, tokenVersion: 1 })
  assert.equal('is_operator' in body, false)
  const credits = await operator.expect(200).get(`/subaccount/${body.subaccount_id}/credits`)
  assert.equal(credits.body[0].credits, 0)
})

test('the character U+0000 is refused wherever it is sent', async (t) => {
  const { operator, anonymous } = await startService(t)
  const person = { email: 'nul@test.example', password: 'long enough' }
  const { body } = await operator.expect(400).post('/subaccount', { ...person, firstName: 'a\0b' })
  assert.deepEqual(body.details, [{ path: 'firstName', message: 'must not contain the character U+0000' }])
  const form = { 'content-type': 'application/x-www-form-urlencoded' }
  await operator.expect(400).post('/subaccount', 'email=nul%40test.example&password=long%00enough', form)
  await anonymous.expect(400).post('/auth/login', { email: 'a\0@b.example', password: 'x' })
  await operator.expect(200).post('/subaccount', { ...person, firstName: 'a \\u0000 b' })
})

test('a PUT or DELETE that announces JSON and has no body is read as empty', async (t) => {
  const { operator, url } = await startService(t)
  const headers = { 'x-api-key': operator.apiKey, 'content-type': 'application/json' }
  const put = await fetch(`${url}/users/me`, { method: 'PUT', headers })
  assert.equal(put.status, 200)
  const post = await fetch(`${url}/subaccount`, { method: 'POST', headers })
  assert.equal(post.status, 400)
  const { details } = (await post.json()) as { details: { path: string }[] }
  assert.deepEqual(
    details.map(({ path }) => path),
    ['email', 'password']
  )
})

test('an old HTTP/1.0 client gets its answer and the end of the connection', async (t) => {
  const { url, operator } = await startService(t)
  const socket = connectSocket(Number(new URL(url).port), '127.0.0.1')
  socket.write(`GET /users/credits HTTP/1.0\r\nX-API-KEY: ${operator.apiKey}\r\n\r\n`)
  const answer = (await socket.toArray()).join('')
  assert.match(answer, /^HTTP\/1\.1 200 OK\r\n/)
  assert.doesNotMatch(answer, /transfer-encoding: chunked/i)
  assert.match(answer, /"label":"SMS"/)
})

test('bytes that are no HTTP get the one shape too', async (t) => {
  const { url } = await startService(t)
  for (const [bytes, status] of [
    ['HELLO\r\n\r\n', 400],
    [`GET / HTTP/1.1\r\nhost: x\r\nx-large: ${'a'.repeat(40_000)}\r\n\r\n`, 431]
  ] as const) {
    const socket = connectSocket(Number(new URL(url).port), '127.0.0.1')
    socket.write(bytes)
    const answer = (await socket.toArray()).join('')
    const [head = '', body = ''] = answer.split('\r\n\r\n')
    assert.match(head, new RegExp(`^HTTP/1.1 ${status} `))
    const error = JSON.parse(body)
    assert.equal(error.status, status)
    assert.equal(error.code, 'invalid_input')
    assert.ok(head.includes(`x-request-id: ${error.request_id}`))
  }
})

test('answers carry the protective headers, and none that lets another site in unless it is set', async (t) => {
  const plain = await startService(t)
  const { headers } = await plain.operator.get('/users/credits', { origin: 'https://shop.example' })
  assert.equal(headers.get('x-content-type-options'), 'nosniff')
  assert.equal(headers.get('content-security-policy'), "default-src 'none';frame-ancestors 'none'")
  assert.equal(headers.get('cache-control'), 'no-store')
  const page = await plain.anonymous.get('/app/')
  assert.match(page.headers.get('content-security-policy') ?? '', /default-src 'self'.*frame-ancestors 'none'/)
  assert.equal(page.headers.get('x-frame-options'), 'SAMEORIGIN')
  assert.equal(headers.get('access-control-allow-origin'), null)
  assert.equal(headers.get('content-type'), 'application/json; charset=utf-8')

  const open = await startService(t, { settings: { CHAPPE_CORS_ORIGINS: 'https://shop.example' } })
  const allowed = await open.operator.get('/users/credits', { origin: 'https://shop.example' })
  assert.equal(allowed.headers.get('access-control-allow-origin'), 'https://shop.example')
  const other = await open.operator.get('/users/credits', { origin: 'https://evil.example' })
  assert.equal(other.headers.get('access-control-allow-origin'), null)
  const preflight = await fetch(`${open.url}/subaccount`, {
    method: 'OPTIONS',
    headers: {
      origin: 'https://shop.example',
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'x-api-key,content-type'
    }
  })
  assert.equal(preflight.headers.get('access-control-allow-origin'), 'https://shop.example')
  assert.match(preflight.headers.get('access-control-allow-headers') ?? '', /x-api-key/i)
})

test('HEAD answers as GET without a body on pages, probes and documents, and nowhere else', async (t) => {
  const { url } = await startService(t, { settings: { CHAPPE_METRICS: 'open' } })
  const paths = ['/', '/app', '/app/', '/app/messages', '/app/icon.svg', '/docs', '/docs/', '/openapi.json']
  for (const path of [...paths, '/health/live', '/health/ready', '/metrics']) {
    const ask = (method: string) => fetch(url + path, { method, redirect: 'manual', headers: { accept: 'text/html' } })
    const [get, head] = [await ask('GET'), await ask('HEAD')]
    assert.equal(head.status, get.status, path)
    for (const name of ['content-type', 'location', 'cache-control', 'content-security-policy']) {
      assert.equal(head.headers.get(name), get.headers.get(name), `${name} of ${path}`)
    }
    assert.equal(await head.text(), '')
  }
  for (const path of ['/app/nothing.js', '/users/credits', '/nothing']) {
    assert.equal((await fetch(url + path, { method: 'HEAD' })).status, 404, path)
  }
})

test('more requests than can be answered are turned away at once with a time to come back, and probes get through', async (t) => {
  const limits = { ...LOAD_LIMITS, requestsInProgressMax: 5 }
  const { operator, anonymous, pool, url } = await startService(t, { limits })
  await operator.expect(200).get('/users/credits')

  const held = await holdTable(pool, 'credit_balances')
  const waiting = Array.from({ length: 5 }, () => operator.get('/users/credits'))
  await eventually(async () => {
    const metrics = await (await fetch(`${url}/metrics`)).text()
    assert.match(metrics, /chappe_http_requests_in_progress 5/)
  })
  const refused = await Promise.all(Array.from({ length: 20 }, () => operator.get('/users/credits')))
  for (const { status, body, headers } of refused) {
    assert.deepEqual([status, body.code, headers.get('retry-after')], [503, 'unavailable', '1'])
  }
  assert.equal((await anonymous.get('/health/live')).status, 200)
  await held.release()
  for (const { status } of await Promise.all(waiting)) assert.equal(status, 200)
  await operator.expect(200).get('/users/credits')
})

test('clients that go away free their place, at the latest when their work takes too long', async (t) => {
  const limits = { ...LOAD_LIMITS, requestsInProgressMax: 5, workMaxMs: 8_000 }
  const { operator, pool, url } = await startService(t, { limits })
  await operator.expect(200).get('/users/credits')
  const held = await holdTable(pool, 'credit_balances')
  const controller = new AbortController()
  const headers = { 'x-api-key': operator.apiKey }
  const leaving = Array.from({ length: 5 }, () => fetch(`${url}/users/credits`, { headers, signal: controller.signal }))
  const inProgress = async () => /requests_in_progress (\d+)/.exec(await (await fetch(`${url}/metrics`)).text())?.[1]
  await eventually(async () => assert.equal(await inProgress(), '5'))
  controller.abort()
  await Promise.allSettled(leaving)
  await operator.expect(503).get('/users/credits')
  // Well before the statements end by their own limit, of 30 s.
  await eventually(async () => assert.equal(await inProgress(), '0'), { withinMs: 4_000 })
  await held.release()
  await operator.expect(200).get('/users/credits')
})

test('a request that takes too long is answered 503, and the connection of a write is cut', async (t) => {
  const { operator, pool } = await startService(t, { limits: { ...LOAD_LIMITS, workMaxMs: 1_000 } })
  await operator.expect(200).get('/users/credits')
  const held = await holdTable(pool, 'credit_balances')
  const [{ status, body }, write] = await Promise.all([
    operator.get('/users/credits'),
    operator.put(`/accounts/${operator.id}/credits`, { credits: 1 }).catch((error: Error) => error)
  ])
  assert.deepEqual([status, body.error], [503, 'This took too long; ask again.'])
  assert.ok(write instanceof Error, 'a write that may yet be done is not called refused')
  await held.release()
  await operator.expect(200).get('/users/credits')
})

test('requests that trickle in hold no place: a thousand half-sent log-ins shut nobody out', async (t) => {
  const { operator, url } = await startService(t, { limits: { ...LOAD_LIMITS, requestsInProgressMax: 10 } })
  const sockets = Array.from({ length: 100 }, () => {
    const socket = connectSocket(Number(new URL(url).port), '127.0.0.1')
    socket.on('error', () => socket.destroy())
    socket.write(
      'POST /auth/login HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{'
    )
    return socket
  })
  await sleep(200)
  for (let time = 0; time < 5; time++) await operator.expect(200).get('/users/credits')
  for (const socket of sockets) socket.destroy()
})

test('bodies that together are more than there is room for are turned away, and the room is given back', async (t) => {
  const limits = { ...LOAD_LIMITS, bodyBytesMax: 10_000 }
  const { operator, url } = await startService(t, { limits })
  const headers = `x-api-key: ${operator.apiKey}\r\ncontent-type: application/json\r\ncontent-length: 9900`
  const socket = connectSocket(Number(new URL(url).port), '127.0.0.1')
  socket.on('error', () => socket.destroy())
  socket.write(`POST /subaccount HTTP/1.1\r\nhost: x\r\n${headers}\r\n\r\n{`)
  const body = { email: 'x'.repeat(300), password: 'x' }
  await eventually(() => operator.expect(503).post('/subaccount', body))
  socket.destroy()
  await eventually(() => operator.expect(400).post('/subaccount', body))
})

test('bodies without credentials are counted by what has come, and by address', async (t) => {
  const limits = { ...LOAD_LIMITS, strangerBytesMax: 10_000 }
  const { anonymous, url } = await startService(t, { limits, settings: { CHAPPE_TRUSTED_PROXIES: '127.0.0.1' } })
  const login = (address: string) =>
    anonymous.post('/auth/login', { email: 'nobody@test.example', password: 'wrong' }, { 'x-forwarded-for': address })
  const begin = (bytes: number) => {
    const socket = connectSocket(Number(new URL(url).port), '127.0.0.1')
    socket.on('error', () => socket.destroy())
    const headers = 'host: x\r\nx-forwarded-for: 81.2.69.142\r\ncontent-type: application/json\r\ncontent-length: 9000'
    socket.write(`POST /auth/login HTTP/1.1\r\n${headers}\r\n\r\n${'{'.repeat(bytes)}`)
    return socket
  }
  const idle = Array.from({ length: 20 }, () => begin(0))
  assert.equal((await login('81.2.69.142')).status, 401)
  const half = begin(6_000)
  await eventually(async () => assert.equal((await login('81.2.69.142')).status, 503))
  assert.equal((await login('81.2.69.143')).status, 401)
  half.destroy()
  await eventually(async () => assert.notEqual((await login('81.2.69.142')).status, 503))
  for (const socket of idle) socket.destroy()
})

test('a stop lets running requests finish, turns new ones away, and then ends', async (t) => {
  const { operator, pool, url, stop } = await startService(t)
  const held = await holdTable(pool, 'credit_balances')
  const running = operator.get('/users/credits')
  await eventually(async () => {
    const waiting = await pool`
      select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
    `
    assert.equal(waiting.length, 1, 'the request runs')
  })
  const stopped = stop()
  await eventually(async () => {
    await assert.rejects(fetch(`${url}/health/live`), 'no new connection is taken')
  })
  await held.release()
  assert.equal((await running).status, 200)
  await stopped
})

test('a stop is not held up by clients that keep their connections or never finish a request', async (t) => {
  const { operator, url, stop } = await startService(t)
  const agent = new Agent({ keepAlive: true })
  t.after(() => agent.destroy())
  const ask = () =>
    new Promise<number | undefined>((resolve, reject) => {
      const asked = request(`${url}/users/me`, { agent, headers: { 'x-api-key': operator.apiKey } }, (answer) => {
        answer.resume()
        answer.once('end', () => resolve(answer.statusCode))
      })
      asked.once('error', reject)
      asked.end()
    })
  const asked = Array.from({ length: 10 }, ask)
  const stopped = stop()
  await Promise.allSettled(asked)
  const startedAt = Date.now()
  await stopped
  assert.ok(Date.now() - startedAt < 5_000, 'idle connections are closed, not waited for')
})

test('health tells whether it lives and whether the database answers', async (t) => {
  const { anonymous, pool } = await startService(t)
  assert.deepEqual((await anonymous.get('/health/live')).body, { status: 'live' })
  assert.deepEqual((await anonymous.get('/health/ready')).body, { status: 'ready', checks: { database: 'ok' } })
  await pool.close(0)
  const { status, body } = await anonymous.get('/health/ready')
  assert.deepEqual([status, body.code, body.details[0].path], [503, 'unavailable', 'database'])
  assert.equal((await anonymous.get('/health/live')).status, 200)
})

test('metrics count requests by operation and status', async (t) => {
  const { operator, anonymous, url } = await startService(t)
  await operator.get('/users/credits')
  await anonymous.get('/users/credits')
  await eventually(async () => {
    const text = await (await fetch(`${url}/metrics`)).text()
    assert.match(text, /chappe_http_request_seconds_count\{operation="readCredits",status="200"\} 1/)
    assert.match(text, /chappe_http_request_seconds_count\{operation="readCredits",status="401"\} 1/)
    assert.match(text, /process_resident_memory_bytes/)
  })
})

test('metrics can be closed to all but the operator and whoever has the token', async (t) => {
  const token = 'a-token-for-the-monitoring'
  const { operator, newAccount, anonymous, url } = await startService(t, { settings: { CHAPPE_METRICS: token } })
  const account = await newAccount()
  const { email, password } = operator
  const { body } = await anonymous.expect(200).post('/auth/login', { email, password })
  const read = async (headers: Record<string, string>) => (await fetch(`${url}/metrics`, { headers })).status
  assert.equal(await read({}), 401)
  assert.equal(await read({ authorization: 'Bearer another-token-altogether' }), 401)
  assert.equal(await read({ 'x-api-key': account.apiKey }), 403)
  assert.equal(await read({ authorization: `Bearer ${token}` }), 200)
  assert.equal(await read({ 'x-api-key': operator.apiKey }), 200)
  assert.equal(await read({ authorization: `Bearer ${body.token}` }), 200)
})

test('a look is shared by all who ask while it runs and for a while after, and a failure by nobody later', async () => {
  let looks = 0
  const look = keptLook(60_000, async () => ++looks)
  assert.deepEqual(await Promise.all([look(), look(), look()]), [1, 1, 1])
  assert.equal(await look(), 1)
  const failing = keptLook(60_000, async () => {
    looks++
    throw new Error('away')
  })
  await assert.rejects(failing)
  await assert.rejects(failing)
  assert.equal(looks, 3)
})

test('a process without the role api serves health and no operation', async (t) => {
  const { anonymous, operator } = await startService(t, { settings: { CHAPPE_ROLES: 'delivery' } })
  assert.equal((await anonymous.get('/health/ready')).status, 200)
  assert.equal((await operator.get('/users/credits')).status, 404)
})

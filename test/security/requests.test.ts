import { strict as assert } from 'node:assert'
import { connect } from 'node:net'
import { fileForm } from '../service/file-form.ts'
import { startService, test } from '../service/service.ts'
import { readOperations } from './document.ts'

/** What comes back for these bytes until the connection ends. */
async function exchange(url: string, bytes: string): Promise<string> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  socket.setTimeout(10_000, () => socket.destroy())
  socket.write(Buffer.from(bytes, 'latin1'))
  return (await socket.toArray()).join('')
}

test('a request that two servers could read differently is refused, and nothing after it is answered', async (t) => {
  const { url } = await startService(t)
  const hidden = 'GET /health/live HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'
  const post = 'POST /auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n'
  const cases: [why: string, bytes: string][] = [
    ['both lengths', `${post}Content-Length: 6\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${hidden}`],
    ['both lengths, the other way', `${post}Transfer-Encoding: chunked\r\nContent-Length: 6\r\n\r\n0\r\n\r\n${hidden}`],
    ['two lengths', `${post}Content-Length: 2\r\nContent-Length: 60\r\n\r\n{}${hidden}`],
    ['a list of lengths', `${post}Content-Length: 2, 60\r\n\r\n{}${hidden}`],
    ['a signed length', `${post}Content-Length: +2\r\n\r\n{}${hidden}`],
    ['a length with letters', `${post}Content-Length: 0x2\r\n\r\n{}${hidden}`],
    ['a coding that is none', `${post}Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n${hidden}`],
    ['chunked, and then something', `${post}Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n${hidden}`],
    ['a chunk size that is none', `${post}Transfer-Encoding: chunked\r\n\r\n-1\r\n{}\r\n0\r\n\r\n${hidden}`],
    ['a space before the colon', `${post}Content-Length : 2\r\n\r\n{}${hidden}`],
    ['a folded line', `${post}X-Folded: a\r\n b\r\nContent-Length: 2\r\n\r\n{}${hidden}`],
    ['a bare CR', `${post}X-Bare: a\rContent-Length: 60\r\n\r\n${hidden}`],
    ['a NUL', `${post}X-Nul: a\0b\r\nContent-Length: 2\r\n\r\n{}${hidden}`],
    ['two hosts', `GET /health/live HTTP/1.1\r\nHost: x\r\nHOST: y\r\n\r\n${hidden}`],
    ['no host', `GET /health/live HTTP/1.1\r\n\r\n${hidden}`],
    ['two requests in one line', `GET /health/live HTTP/1.1 GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n${hidden}`]
  ]
  for (const [why, bytes] of cases) {
    const answer = await exchange(url, bytes)
    assert.match(answer, /^HTTP\/1\.1 400 /, `${why}: ${answer}`)
    assert.equal(answer.match(/HTTP\/1\.1 \d/g)?.length, 1, `${why}: what was hidden behind it is answered: ${answer}`)
    assert.match(answer, /\r\n\r\n\{"status":400,"error":"[^"]+","code":"invalid_input".*"request_id":"[^"]+"\}$/, why)
  }
})

test('nothing that somebody sends becomes a header of ours', async (t) => {
  const { operator, newAccount, url } = await startService(t, { settings: { CHAPPE_WEBHOOK_ALLOW_PRIVATE: 'true' } })
  const account = await newAccount({ credits: 100 })
  const evil = 'a\r\nX-Injected: 1'
  for (const id of ['a b', 'é', '<script>', 'x'.repeat(65), '../..', '"', '%0d%0aX-Injected:1']) {
    const { headers } = await operator.get('/users/me', { 'x-request-id': Buffer.from(id).toString('latin1') })
    assert.match(headers.get('x-request-id') ?? '', /^[\da-f-]{36}$/, id)
  }
  const send = { recipients: ['0639980001'], content: 'Bonjour' }
  await account.expect(400).post('/messages/sms', { ...send, sender: evil })
  await account
    .expect(400)
    .post('/messages/sms', { ...send, shorturl: { mode: 'common', url: `https://a.example/${evil}` } })
  const hook = { type: 'stops', url: `http://127.0.0.1:9/${evil}` }
  await account.expect(400).put('/webhooks', { webhooks: [hook] })
  for (const name of [evil, '"; filename="/etc/passwd', '../../../etc/passwd', 'a\0b.csv', '=cmd.csv']) {
    const form = fileForm('recipient\n0639980001\n', { content: 'Bonjour' }, { name })
    const { status, headers, text } = await account.post('/messages/sms/file?resumeBefore=true', form)
    assert.ok(status === 200 || status === 400, text)
    assert.equal(headers.get('x-injected'), null)
    assert.equal(headers.get('content-disposition'), null)
    assert.doesNotMatch(text, /passwd/)
  }
  // A link whose address has encoded line ends keeps them encoded.
  const link = { mode: 'common', url: 'https://a.example/%0d%0aX-Injected:%201' }
  const { message_id: id } = (await account.expect(200).post('/messages/sms', { ...send, shorturl: link })).body
  const [, code = ''] = /\/s\/(\w{10})/.exec((await account.get(`/messages/${id}/recipients/sms`)).text) ?? []
  const opened = await fetch(`${url}/s/${code}`, { redirect: 'manual' })
  assert.equal(opened.headers.get('location'), link.url)
  assert.equal(opened.headers.get('x-injected'), null)
})

test('no address of ours is made of a Host that somebody made up', async (t) => {
  const { newAccount, url } = await startService(t)
  const account = await newAccount({ credits: 10 })
  const forged = 'X-Forwarded-Host: evil.example\r\nX-Forwarded-Proto: gopher\r\nForwarded: host=evil.example\r\n'
  const head = `Host: evil.example\r\n${forged}X-API-KEY: ${account.apiKey}\r\nConnection: close\r\n`
  for (const path of [
    '/',
    '/app',
    '/app/',
    '/docs',
    '/docs/',
    '/openapi.json',
    '/s/aaaaaaaaaa',
    '/nowhere',
    '//evil.example/'
  ]) {
    const answer = await exchange(url, `GET ${path} HTTP/1.1\r\n${head}\r\n`)
    const isEcho = /evil\.example/.test(answer)
    assert.ok(!isEcho, `${path}: ${answer.slice(0, 400)}`)
  }
  const body = JSON.stringify({
    recipients: ['0639980001'],
    content: 'Bonjour',
    shorturl: { mode: 'common', url: 'https://shop.example/' }
  })
  const sent = await exchange(
    url,
    `POST /messages/sms HTTP/1.1\r\n${head}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`
  )
  const id = /"message_id":(\d+)/.exec(sent)?.[1]
  const { text } = await account.expect(200).get(`/messages/${id}/recipients/sms`)
  assert.ok(text.includes(`${url}/s/`), text)
})

test('an address that looks like another site’s, or climbs out of its folder, leads nowhere', async (t) => {
  const { url } = await startService(t)
  const paths = [
    '//evil.example',
    '//evil.example/app',
    '/app//evil.example/%2e%2e',
    '/app/../package.json',
    '/\\evil.example'
  ]
  const climbing = [
    '/app/%2e%2e/package.json',
    '/app/..%2fpackage.json',
    '/app/%5c..%5cpackage.json',
    '/app/%00',
    '/docs/../../etc/passwd'
  ]
  for (const path of [...paths, ...climbing, '/docs//evil.example', '/docs/%2e%2e/%2e%2e/package.json', '/app/.env']) {
    const answer = await exchange(url, `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)
    assert.match(answer, /^HTTP\/1\.1 404 /, `${path}: ${answer.slice(0, 300)}`)
    assert.doesNotMatch(answer, /^location:/im, path)
    assert.doesNotMatch(answer, /"dependencies"/, path)
  }
})

test('pages run only our own script, nobody frames them, and no answer says what we run on', async (t) => {
  const { url, operator } = await startService(t)
  const policyOf = (response: Response) =>
    new Map(
      (response.headers.get('content-security-policy') ?? '').split(';').map((rule) => {
        const [name = '', ...sources] = rule.trim().split(/\s+/)
        return [name, sources.join(' ')] as const
      })
    )
  for (const path of [
    '/app/',
    '/docs/',
    '/openapi.json',
    '/health/live',
    '/metrics',
    '/users/me',
    '/nowhere',
    '/s/aaaaaaaaaa'
  ]) {
    const response = await fetch(url + path, {
      headers: { origin: 'https://evil.example', 'x-api-key': operator.apiKey }
    })
    const policy = policyOf(response)
    assert.equal(response.headers.get('x-content-type-options'), 'nosniff', path)
    assert.equal(policy.get('frame-ancestors'), "'none'", path)
    for (const name of [
      'server',
      'x-powered-by',
      'access-control-allow-origin',
      'access-control-allow-credentials',
      'set-cookie'
    ]) {
      assert.equal(response.headers.get(name), null, `${path}: ${name}`)
    }
    const scripts = policy.get('script-src') ?? policy.get('default-src') ?? ''
    assert.doesNotMatch(scripts, /unsafe|\*|https?:|data:/, path)
    if (path !== '/app/' && path !== '/docs/') assert.match(policy.get('default-src') ?? '', /'none'/, path)
    else assert.equal(policy.get('object-src'), "'none'")
    await response.arrayBuffer()
  }
})

test('with origins set, only these may read, and never with cookies', async (t) => {
  const { url, operator } = await startService(t, { settings: { CHAPPE_CORS_ORIGINS: 'https://shop.example' } })
  for (const origin of [
    'https://shop.example.evil.example',
    'http://shop.example',
    'null',
    'https://evil.example',
    'https://SHOP.example:444'
  ]) {
    const { headers } = await operator.get('/users/me', { origin })
    assert.notEqual(headers.get('access-control-allow-origin'), origin, origin)
    assert.notEqual(headers.get('access-control-allow-origin'), '*')
  }
  const preflight = await fetch(`${url}/users/me`, {
    method: 'OPTIONS',
    headers: { origin: 'https://shop.example', 'access-control-request-method': 'PUT' }
  })
  assert.equal(preflight.headers.get('access-control-allow-credentials'), null)
})

test('there is nothing but what the reference lists, two older addresses, and eleven without credentials', async (t) => {
  const { url, anonymous } = await startService(t)
  const operations = await readOperations(url)
  const open = operations.filter(({ isOpen }) => isOpen).map(({ id }) => id)
  assert.deepEqual(open.toSorted(), [
    'acceptInvitation',
    'beginPasskeyLogin',
    'forgotPassword',
    'login',
    'lookAtInvitation',
    'openSignOnSession',
    'readSignOn',
    'receiveHttpReceipts',
    'receiveHttpReplies',
    'receiveRbmEvent',
    'resetPassword'
  ])
  assert.deepEqual(
    operations.filter(({ id }) => id.endsWith('OldWay')).map(({ method, path }) => `${method} ${path}`),
    ['post /messages', 'post /messages/contactlist']
  )
  const usual = `/.env /.git/config /admin /api /api/users/me /actuator /console /debug /debug/pprof /graphql /phpinfo.php /robots.txt
    /server-status /status /swagger /swagger.json /swagger/index.html /v1/users/me /v2/messages /metrics/ /metrics/all /health /internal
    /test /__proto__ /constructor /accounts/1 /users /users/1 /carriers/main /token-key.json /uploads /data`
  for (const path of usual.split(/\s+/)) {
    const { status } = await anonymous.get(path)
    assert.ok(status === 404 || status === 401, `${path} answers ${status}`)
  }
  for (const { path } of operations) {
    const address = url + path.replaceAll(/\{\w+\}/g, '1')
    for (const method of ['TRACE', 'PATCH', 'OPTIONS', 'HEAD', 'PROPFIND']) {
      if (method === 'TRACE') continue // Not to be asked with fetch; it is below.
      const { status } = await fetch(address, { method })
      assert.equal(status, 404, `${method} ${path}`)
    }
  }
  const trace = await exchange(
    url,
    'TRACE /users/me HTTP/1.1\r\nHost: x\r\nX-API-KEY: shown\r\nConnection: close\r\n\r\n'
  )
  assert.match(trace, /^HTTP\/1\.1 404 /)
  assert.doesNotMatch(trace, /shown/)
})

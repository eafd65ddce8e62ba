import { strict as assert } from 'node:assert'
import { connect } from 'node:net'
import { eventually } from '../../test/checks/eventually.ts'
import { holdTable } from '../../test/database/hold-table.ts'
import { type LinkAnswer, openLink, PHONE, readMetric, sendLinked, TARGET } from '../../test/messages/links.ts'
import { startService, test } from '../../test/service/service.ts'
import { LOAD_LIMITS } from '../http/overload.ts'
import { copyShortLinks } from '../short-links/short-links.store.ts'

test('a link leads where it was made to lead, to be kept by nobody', async (t) => {
  const service = await startService(t)
  const { codes } = await sendLinked(service, service.operator)
  const answer = await openLink(service.url, `/s/${codes[0]}`)
  assert.equal(answer.status, 302)
  assert.equal(answer.location, TARGET)
  assert.equal(answer.headers['cache-control'], 'private, no-store')
  assert.equal(answer.headers['x-robots-tag'], 'noindex, nofollow')
  assert.equal(answer.headers['content-length'], '0')
  assert.equal(answer.text, '')
  assert.equal((await openLink(service.url, `/s/${codes[0]}?utm_source=sms`)).location, TARGET)

  const head = await openLink(service.url, `/s/${codes[0]}`, { method: 'HEAD' })
  assert.deepEqual([head.status, head.location], [302, TARGET])
})

test('an address in other letters goes over the wire as browsers write it', async (t) => {
  const service = await startService(t)
  const { operator, pool, url } = service
  const addresses: [given: string, sent: string][] = [
    [
      'https://boutique.example/été/sélection?q=crème brûlée&é=1#bas',
      'https://boutique.example/%C3%A9t%C3%A9/s%C3%A9lection?q=cr%C3%A8me%20br%C3%BBl%C3%A9e&%C3%A9=1#bas'
    ],
    ['https://café.example/', 'https://xn--caf-dma.example/'],
    ['https://shop.example/日本?x=🎁', 'https://shop.example/%E6%97%A5%E6%9C%AC?x=%F0%9F%8E%81'],
    ['https://shop.example/a%20b?c=%C3%A9', 'https://shop.example/a%20b?c=%C3%A9'],
    ['https://shop.example/x\r\nset-cookie: a=b', 'https://shop.example/xset-cookie:%20a=b']
  ]
  const { id } = await sendLinked(service, operator)
  const codes = addresses.map((_, index) => `UnicodeNo${index}`)
  await copyShortLinks(
    pool,
    addresses.map(([address], index) => ({
      code: codes[index] ?? '',
      accountId: operator.id,
      messageId: id,
      position: index === 0 ? null : 1,
      url: address,
      dueAt: new Date()
    }))
  )
  for (const [index, [, sent]] of addresses.entries()) {
    const answer = await openLink(url, `/s/${codes[index]}`)
    assert.deepEqual([answer.status, answer.location, answer.headers['set-cookie']], [302, sent, undefined])
  }
})

test('what is no address of the web leads nowhere, should it ever be stored', async (t) => {
  const service = await startService(t)
  const { codes } = await sendLinked(service, service.operator, { url: 'javascript:alert(1)' })
  const answer = await openLink(service.url, `/s/${codes[0]}`)
  assert.deepEqual([answer.status, answer.location], [404, undefined])
})

test('codes that are malformed, unknown or expired get the same answer, by the same way', async (t) => {
  const service = await startService(t)
  const { codes } = await sendLinked(service, service.operator)
  await service.pool`update short_links set created_at = now() - interval '401 days'`
  const paths = [
    `/s/${codes[0]}`,
    '/s/0000000000',
    '/s/short',
    '/s/',
    '/s/way-too-long-to-be-one',
    '/s/a%00bcdefgh',
    `/s/${'x'.repeat(5_000)}`,
    '/s/%F0%9F%8E%81',
    "/s/'%20or%201=1",
    '/s/../s/x'
  ]
  const answers = await Promise.all(paths.map((path) => openLink(service.url, path)))
  for (const [index, answer] of answers.entries()) {
    assert.equal(answer.status, 404, paths[index] ?? '')
    assert.equal(answer.text, answers[0]?.text)
    assert.deepEqual(withoutIdentity(answer.headers), withoutIdentity(answers[0]?.headers ?? {}))
  }
  assert.equal(await readMetric(service.url, 'chappe_redirects_total{result="missing"}'), paths.length)
})

function withoutIdentity({ date: _date, 'x-request-id': _id, ...headers }: LinkAnswer['headers']) {
  return headers
}

test('a person sees a page in their language, which loads nothing; a program gets the JSON of every error', async (t) => {
  const { url, anonymous } = await startService(t)
  const french = await openLink(url, '/s/0000000000')
  assert.equal(french.headers['content-type'], 'text/html; charset=utf-8')
  assert.match(french.text, /<html lang="fr">.*<h1>Ce lien ne mène nulle part<\/h1>/)
  const policy = String(french.headers['content-security-policy'])
  assert.match(policy, /^default-src 'none'; style-src 'sha256-[^']+'; /)
  assert.ok(!policy.includes('unsafe') && policy.includes("frame-ancestors 'none'"))
  assert.ok(!/<script|src=|href=/.test(french.text))
  assert.equal(french.headers['cache-control'], 'private, no-store')
  assert.equal(french.headers['x-content-type-options'], 'nosniff')

  const english = await openLink(url, '/s/0000000000', { headers: { ...PHONE, 'accept-language': 'de-DE,fr;q=0.5' } })
  assert.match(english.text, /<html lang="en">.*<h1>This link leads nowhere<\/h1>/)

  // The client of the tests checks the shape.
  const json = await anonymous.expect(404).get('/s/0000000000', { accept: 'application/json' })
  assert.equal(json.body.code, 'not_found')
  await anonymous.expect(404).get('/s/0000000000')
  const head = await openLink(url, '/s/0000000000', { method: 'HEAD' })
  assert.deepEqual([head.status, head.text], [404, ''])
  await anonymous.expect(404).post('/s/0000000000', {})
})

test('who tries codes is turned away after sixty, links that exist open from there too, and nobody else waits', async (t) => {
  const service = await startService(t, { settings: { CHAPPE_TRUSTED_PROXIES: '127.0.0.1' } })
  const { url, operator } = service
  const { codes } = await sendLinked(service, operator)
  const from = (address: string) => ({ headers: { ...PHONE, 'x-forwarded-for': address } })
  for (let index = 0; index < 60; index++) {
    const code = `guess${String(index).padStart(5, '0')}`
    assert.equal((await openLink(url, `/s/${code}`, from(`2a01:e0a:1:2::${index}`))).status, 404)
  }
  const answer = await openLink(url, '/s/guess00061', from('2a01:e0a:1:2::ffff'))
  assert.equal(answer.status, 429)
  assert.match(String(answer.headers['retry-after']), /^[1-5]?\d$|^60$/)
  assert.match(answer.text, /Réessayez dans une minute/)
  assert.equal(answer.location, undefined)
  // A mobile carrier has thousands of phones behind one address.
  const opened = await openLink(url, `/s/${codes[0]}`, from('2a01:e0a:1:2::ffff'))
  assert.deepEqual([opened.status, opened.location], [302, TARGET])
  assert.equal((await openLink(url, `/s/${codes[0]}`, from('2a01:e0a:1:3::1'))).status, 302)
  assert.equal((await openLink(url, '/s/guess00061', from('81.2.69.142'))).status, 404)
  assert.equal(await readMetric(url, 'chappe_redirects_total{result="limited"}'), 1)
})

test('a proxy that we were not told to trust does not make everybody wait for what one does', async (t) => {
  const service = await startService(t)
  const { codes } = await sendLinked(service, service.operator)
  const headers = { ...PHONE, 'x-forwarded-for': '81.2.69.142' }
  for (let index = 0; index < 70; index++) {
    assert.equal((await openLink(service.url, '/s/guess00000', { headers })).status, 404)
  }
  assert.equal((await openLink(service.url, `/s/${codes[0]}`, { headers })).status, 302)
})

test('what somebody says of their own address is not believed: they are turned away all the same', async (t) => {
  const service = await startService(t, { settings: { CHAPPE_TRUSTED_PROXIES: '127.0.0.1' } })
  const from = (address: string) => ({ headers: { ...PHONE, 'x-forwarded-for': address } })
  for (let index = 0; index < 60; index++) {
    await openLink(service.url, '/s/guess00000', from(`9.9.9.${index}, 81.2.69.142`))
  }
  assert.equal((await openLink(service.url, '/s/guess00000', from('81.2.69.142'))).status, 429)
})

test('links are opened while requests of customers are turned away', async (t) => {
  const service = await startService(t, { limits: { ...LOAD_LIMITS, requestsInProgressMax: 1 } })
  const { codes } = await sendLinked(service, service.operator)
  const held = await holdTable(service.pool, 'contact_lists')
  const waiting = service.operator.expect(200).get('/contactlists')
  await eventually(async () => assert.equal((await service.operator.get('/users/me')).status, 503))
  assert.equal((await openLink(service.url, `/s/${codes[0]}`)).status, 302)
  await held.release()
  await waiting
})

test('while links can’t be looked up, people are told to come back, and then get where they wanted', async (t) => {
  const service = await startService(t)
  const { codes } = await sendLinked(service, service.operator)
  const held = await holdTable(service.pool, 'short_links')
  const answer = await openLink(service.url, `/s/${codes[0]}`)
  assert.deepEqual([answer.status, answer.headers['retry-after']], [503, '1'])
  assert.match(answer.text, /Réessayez/)
  // What can't be a code is looked up like one: it takes as long, whatever the database does.
  assert.equal((await openLink(service.url, '/s/x')).status, 503)
  await held.release()
  await eventually(async () => assert.equal((await openLink(service.url, `/s/${codes[0]}`)).status, 302))
})

test('phones that are gone before their answer trouble nobody', async (t) => {
  const service = await startService(t)
  const { codes } = await sendLinked(service, service.operator)
  const held = await holdTable(service.pool, 'short_links')
  const { hostname, port } = new URL(service.url)
  const sockets = [codes[0], '0000000000', 'x'].map((code) => {
    const socket = connect(Number(port), hostname)
    socket.write(`GET /s/${code} HTTP/1.1\r\nhost: x\r\nuser-agent: ${PHONE['user-agent']}\r\n\r\n`)
    return socket
  })
  await eventually(async () => {
    const waiting = await service.pool`
      select from pg_stat_activity
      where application_name like '%links' and wait_event_type = 'Lock' and datname = current_database()
    `
    assert.ok(waiting.length > 0)
  })
  for (const socket of sockets) socket.resetAndDestroy()
  await held.release()
  await eventually(async () =>
    assert.equal(await readMetric(service.url, 'chappe_redirects_total{result="missing"}'), 2)
  )
  assert.equal((await openLink(service.url, `/s/${codes[0]}`)).status, 302)
  assert.ok(!service.logLines.some((line) => line.includes('"level":50')))
})

test('no code stands in the log', async (t) => {
  const service = await startService(t)
  const { codes } = await sendLinked(service, service.operator)
  await openLink(service.url, `/s/${codes[0]}`)
  await openLink(service.url, '/s/guess00000')
  await service.operator.expect(200).get('/users/me')
  await eventually(() => assert.ok(service.logLines.some((line) => line.includes('/users/me'))))
  const log = service.logLines.join('')
  assert.ok(!log.includes(codes[0] ?? '') && !log.includes('guess00000'))
})

test('links of an own domain are answered at its path, and at /s all the same', async (t) => {
  for (const [linkUrl, path] of [
    ['https://go.brand.example/l', '/l'],
    ['https://go.brand.example/a/b/', '/a/b'],
    ['https://go.brand.example', ''],
    ['https://go.brand.example/', '']
  ] as const) {
    const service = await startService(t, { settings: { CHAPPE_LINK_URL: linkUrl } })
    const { codes } = await sendLinked(service, service.operator)
    for (const prefix of [path, '/s']) {
      const answer = await openLink(service.url, `${prefix}/${codes[0]}`)
      assert.deepEqual([answer.status, answer.location], [302, TARGET], `${prefix} of ${linkUrl}`)
      assert.equal((await openLink(service.url, `${prefix}/0000000000`)).status, 404)
    }
    // Nothing else is in its way: it has as many letters as a code.
    await service.operator.expect(200).get('/subaccount')
    await service.anonymous.expect(401).get('/subaccount')
    await service.anonymous.expect(404).get('/nothing')
    await service.stop()
  }
})

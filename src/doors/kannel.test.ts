import { strict as assert } from 'node:assert'
import { randomBytes } from 'node:crypto'
import { eventually } from '../../test/checks/eventually.ts'
import { ask, startCallbackReceiver } from '../../test/peers/callback-receiver.ts'
import { startService, test } from '../../test/service/service.ts'

const ACCEPTED = [202, '0: Accepted for delivery'] as const
const NO_ENTRY = [403, 'Authorization failed for sendsms'] as const
const DENIED = 'Number(s) has/have been denied by white- and/or black-lists.'

/** Requests, and what smsbox 1.4.5 of Debian answered to each. `…` stands for the credentials. */
const ANSWERS: [query: string, answer: readonly [status: number, body: string]][] = [
  ['…&to=33639980013&text=hello', ACCEPTED],
  ['…&to=33639980013+33639980014&text=hello', ACCEPTED],
  ['…&to=33639980013+33639980013&text=hello', ACCEPTED],
  ['…&to=%2B33639980013&text=a', ACCEPTED],
  ['…&to=0033639980013&text=a', ACCEPTED],
  ['…&to=abc+33639980013&text=hello', ACCEPTED],
  ['…&to=33639980013&text=a&text=b', ACCEPTED],
  [`…&to=33639980013&text=${'x'.repeat(400)}`, ACCEPTED],
  ['…&to=33639980013&text=%00a&coding=2', ACCEPTED],
  ['…&to=33639980013&text=a&coding=2&charset=utf-8', ACCEPTED],
  ['…&to=33639980013&text=a&coding=x', ACCEPTED],
  ['…&to=33639980013&text=%E9&charset=iso-8859-1', ACCEPTED],
  ['…&to=33639980013&text=%E9&charset=utf-8', ACCEPTED],
  ['…&to=33639980013&text=%E9', ACCEPTED],
  ['…&to=33639980013&text=a&mclass=0', ACCEPTED],
  ['…&to=33639980013&text=a&validity=10', ACCEPTED],
  ['…&to=33639980013&text=a&deferred=1', ACCEPTED],
  ['…&to=33639980013&text=a&priority=3', ACCEPTED],
  ['…&to=33639980013&text=a&dlr-mask=31', ACCEPTED],
  ['…&to=33639980013&text=a&account=shop', ACCEPTED],
  ['…&to=33639980013&text=a&smsc=nowhere', ACCEPTED],
  ['…&to=33639980013&text=%01%02&coding=1', ACCEPTED],
  ['…&to=33639980013&text=a&udh=%05%00%03%01%01%01', ACCEPTED],
  ['username=nobody&password=x&to=33639980013&text=hello', NO_ENTRY],
  ['username=nobody&to=33639980013&text=hello', NO_ENTRY],
  ['to=33639980013&text=hello', NO_ENTRY],
  ['…&text=hello', [400, 'Missing receiver number, rejected']],
  ['…&to=&text=hello', [400, 'Empty receiver number not allowed, rejected']],
  ['…&to=abc&text=hello', [400, DENIED]],
  ['…&to=33639980013&text=a&coding=3', [400, 'Coding field misformed, rejected']],
  ['…&to=33639980013&text=a&mclass=9', [400, 'MClass field misformed, rejected']],
  ['…&to=33639980013&text=a&udh=%05%00', [400, 'UDH field misformed, rejected']],
  ['…&to=33639980013&text=a&validity=-5', [400, 'Validity field misformed, rejected']],
  ['…&to=33639980013&text=a&deferred=-5', [400, 'Deferred field misformed, rejected']],
  ['…&to=33639980013&text=a&priority=9', [400, 'Priority field misformed, rejected']],
  ['…&to=33639980013&text=a&dlr-mask=99', [400, 'DLR-Mask field misformed, rejected']],
  ['…&to=33639980013&text=a&dlr-mask=-2', [400, 'DLR-Mask field misformed, rejected']],
  ['…&to=33639980013&text=a&dlr-mask=1&dlr-url=ftp://x.example/', [400, 'DLR-URL field misformed, rejected']],
  ['…&to=33639980013&text=a&dlr-mask=1&dlr-url=x', [400, 'DLR-URL field misformed, rejected']],
  ['…&to=33639980013&text=%E9&charset=nonsense', [400, 'Charset or body misformed, rejected']],
  [`…&to=33639980013&text=a&account=${'x'.repeat(100)}`, [400, 'Account field misformed or too long, rejected']],
  ['…&to=33639980013&text=a&pid=300', [400, 'PID field misformed, rejected']],
  ['…&to=33639980013&text=a&mwi=9', [400, 'MWI field misformed, rejected']],
  ['…&to=33639980013&text=a&compress=5', [400, 'Compress field misformed, rejected']],
  ['…&to=33639980013&text=a&alt-dcs=5', [400, 'Alt-DCS field misformed, rejected']],
  ['…&to=33639980013&text=a&rpi=9', [400, 'RPI field misformed, rejected']]
]

test('sendsms answers what Kannel answers, and sends what it was given', async (t) => {
  const service = await startService(t, { settings: { CHAPPE_DOORS: 'kannel' } })
  const account = await service.newAccount({ credits: 1_000 })
  const door = `${service.url}/cgi-bin/sendsms`
  const credentials = `username=${account.appId}&password=${account.apiKey}`
  const { body: key } = await account.expect(200).post('/keys', { name: 'door', scopes: ['read', 'send', 'binary'] })
  const withBinary = `user=${account.appId}&pass=${key.apikey}`
  for (const [query, answer] of ANSWERS) {
    const given = /udh=%05%00%03|coding=1/.test(query) ? withBinary : credentials
    assert.deepEqual(await ask(`${door}?${query.replace('…', given)}`), [...answer], query)
  }

  const last = async () => (await account.expect(200).get('/messages?limit=1')).body.items[0]
  const sent = async (query: string) => {
    assert.deepEqual(await ask(`${door}?${credentials}&to=33639980013&${query}`), [...ACCEPTED], query)
    return last()
  }
  assert.equal((await sent('text=%E9t%E9&charset=iso-8859-1')).content, 'été')
  assert.equal((await sent('text=%E9t%E9')).content, 'été', 'no UTF-8 and no character set: Latin-1')
  assert.equal((await sent('text=%D0%B6&coding=2&charset=utf-8')).content, 'ж')
  assert.equal((await sent('text=%04%36&coding=2')).content, 'ж')
  assert.equal((await sent('text=%23name%23+%23STOP_XXX%23+100%25')).content, '#name# #STOP_XXX# 100%', 'no variables')
  assert.equal((await sent('text=a&text=b')).content, 'a', 'the first of a repeated argument')
  assert.equal((await sent('text=a&from=BOUTIQUE')).sender, 'BOUTIQUE')
  const { state, id } = await sent('text=a&deferred=90')
  assert.equal(state, 'scheduled')
  const [departure] = await service.pool`
    select abs(extract(epoch from scheduled_at - now()) - 5400) < 120 as is_right from messages where id = ${id}
  `
  assert.deepEqual(departure, { isRight: true })
  const carried = await sent('text=a&mclass=0&validity=10&priority=3')
  assert.deepEqual([carried.flash, carried.validity, carried.priority], [true, 600, 'high'])
  assert.deepEqual(await ask(`${door}?${withBinary}&to=33639980013&text=%01%FF&udh=%06%05%04%15%81%15%81`), [
    ...ACCEPTED
  ])
  assert.deepEqual((await last()).binary, { data: '01ff', udh: '06050415811581' })
  const [status] = await ask(`${door}?${credentials}&to=33639980013&text=a&udh=%05%00%03%01%01%01&coding=0`)
  assert.equal(status, 400, 'a header beside a text')

  const text = { method: 'POST', body: 'Bonjour é', headers: { 'content-type': 'text/plain; charset=utf-8' } }
  const named = { 'x-kannel-username': account.appId, 'x-kannel-password': account.apiKey }
  const withText = (headers: Record<string, string>) => ({
    ...text,
    headers: { ...text.headers, ...named, ...headers }
  })
  assert.deepEqual(await ask(door, withText({ 'x-kannel-to': '33639980013' })), [...ACCEPTED])
  assert.equal((await last()).content, 'Bonjour é')
  assert.deepEqual(await ask(door, withText({})), [400, 'Missing receiver(s) number(s), rejected'])
  const form = { method: 'POST', body: new URLSearchParams(`${credentials}&to=33639980013&text=Form`) }
  assert.deepEqual(await ask(door, form), [...ACCEPTED], 'Kannel takes no forms; many clients send them')
  assert.equal((await last()).content, 'Form')
  const asOctets = (octets: Buffer) => ({
    method: 'POST',
    body: Buffer.concat([Buffer.from(`${credentials}&to=33639980013&text=`), octets]),
    headers: { 'content-type': 'application/x-www-form-urlencoded' }
  })
  for (const octets of [Buffer.from('été'), Buffer.from('été', 'latin1')]) {
    assert.deepEqual(await ask(door, asOctets(octets)), [...ACCEPTED], 'curl -d escapes nothing')
    assert.equal((await last()).content, 'été')
  }
  const json = { method: 'POST', body: '{}', headers: { 'content-type': 'application/json' } }
  assert.deepEqual(await ask(door, json), [400, 'Invalid content-type'])
})

test('keys, permissions, addresses and limits hold at the doors', async (t) => {
  const service = await startService(t, { settings: { CHAPPE_DOORS: 'kannel, jasmin' } })
  const account = await service.newAccount({ credits: 1 })
  const sendsms = (username: string, password: string, more = '') =>
    ask(`${service.url}/cgi-bin/sendsms?username=${username}&password=${password}&to=33639980013&text=a${more}`)
  const balance = (username: string, password: string) =>
    ask(`${service.url}/balance?username=${username}&password=${password}`)
  const newKey = async (fields: object) => (await account.expect(200).post('/keys', fields)).body.apikey
  const reader = await newKey({ name: 'reader', scopes: ['read'] })
  const sender = await newKey({ name: 'sender', scopes: ['send'] })
  const elsewhere = await newKey({ name: 'elsewhere', scopes: ['send'], addresses: ['192.0.2.0/24'] })
  assert.deepEqual(await sendsms(account.appId, reader), [...NO_ENTRY])
  assert.deepEqual(await sendsms(account.appId, elsewhere), [...NO_ENTRY])
  assert.equal((await balance(account.appId, reader))[0], 200)
  assert.equal((await balance(account.appId, sender))[0], 400, 'this key may not read')
  assert.deepEqual(await sendsms('', account.apiKey), [...NO_ENTRY], 'a key alone is not enough')
  assert.deepEqual(await sendsms(service.operator.appId, account.apiKey), [...NO_ENTRY], 'another account’s user name')

  assert.deepEqual(await sendsms(account.appId, sender), [...ACCEPTED])
  const [status, sentence] = await sendsms(account.appId, sender)
  assert.deepEqual([status, /credit/.test(sentence)], [403, true], sentence)
  const { body: history } = await account.expect(200).get('/messages')
  assert.equal(history.items.length, 1)
  const { body: trail } = await account.expect(200).get('/audit')
  assert.ok(trail.items.some((entry: { operation: string }) => entry.operation === 'kannelSendsms'))

  assert.ok(!service.logLines.join('').includes(account.apiKey), 'no password in the log')
})

test('wrong passwords are counted over all processes, and guesses made all at once learn no more', async (t) => {
  const settings = { CHAPPE_DOORS: 'kannel,jasmin' }
  const first = await startService(t, { settings })
  const second = await first.startPeer(t, { settings })
  const account = await first.newAccount({ credits: 10 })
  const sendsms = ({ url }: { url: string }, username: string, password: string) =>
    ask(`${url}/cgi-bin/sendsms?username=${username}&password=${password}&to=33639980013&text=a`)
  const LOCKED_OUT = [503, 'Temporal failure, try again later.']
  const endMinute = () => first.pool`update attempts set ends_at = now()`

  const guesses = await Promise.all(
    Array.from({ length: 30 }, (_, index) => sendsms(index % 2 ? first : second, account.appId, `guess${index}`))
  )
  assert.equal(guesses.filter(([status]) => status === 403).length, 10, 'ten are told that they are wrong')
  for (const service of [first, second]) {
    assert.deepEqual(await sendsms(service, account.appId, account.apiKey), LOCKED_OUT, 'a right password, too')
  }
  const [, balance] = await ask(`${first.url}/balance?username=${account.appId}&password=${account.apiKey}`)
  assert.match(balance, /throughput exceeded/)
  assert.deepEqual(await sendsms(first, first.operator.appId, 'wrong'), [...NO_ENTRY], 'others are not locked out')
  const [kept] = await first.pool`select count(*)::int as rows, max(count) <= 41 as is_bounded from attempts`
  assert.deepEqual(kept, { rows: 3, isBounded: true })
  await endMinute()
  assert.deepEqual(await sendsms(second, account.appId, account.apiKey), [...ACCEPTED])

  const many = await Promise.all(Array.from({ length: 110 }, (_, index) => sendsms(first, `user${index}`, 'guess')))
  assert.equal(many.filter(([status]) => status === 403).length, 100, 'a hundred from one network, with any user names')
  assert.deepEqual(await sendsms(second, account.appId, account.apiKey), LOCKED_OUT)
  await endMinute()
  assert.deepEqual(await sendsms(second, account.appId, account.apiKey), [...ACCEPTED])
})

test('no door is there unless it is asked for, and callbacks lead to no private address', async (t) => {
  const closed = await startService(t)
  for (const path of ['/cgi-bin/sendsms', '/send', '/rate', '/balance', '/ping']) {
    assert.equal((await ask(closed.url + path))[0], 404)
  }
  const open = await closed.startPeer(t, { settings: { CHAPPE_DOORS: 'kannel,jasmin' } })
  const account = await open.newAccount({ credits: 10 })
  const user = `username=${account.appId}&password=${account.apiKey}`
  for (const url of ['http://127.0.0.1:9/', 'http://169.254.169.254/a', 'http://[::1]/', 'http://localhost/%d']) {
    const query = `${user}&to=33639980013&dlr-url=${encodeURIComponent(url)}`
    const sendsms = await ask(`${open.url}/cgi-bin/sendsms?${query}&text=a&dlr-mask=31`)
    assert.deepEqual(sendsms, [400, 'DLR-URL field misformed, rejected'], url)
    const [status, body] = await ask(`${open.url}/send?${query}&content=a&dlr-level=3`)
    assert.deepEqual([status, /private/.test(body)], [400, true], body)
  }
  assert.equal((await account.expect(200).get('/messages')).body.items.length, 0)
})

test('hostile requests get a clear answer of the door and change nothing', async (t) => {
  const service = await startService(t, { settings: { CHAPPE_DOORS: 'kannel,jasmin' } })
  const account = await service.newAccount({ credits: 10_000 })
  const user = `username=${account.appId}&password=${account.apiKey}`
  const names = ['to', 'from', 'text', 'charset', 'coding', 'udh', 'validity', 'deferred', 'dlr-url', 'account']
  const jasminNames = ['to', 'from', 'content', 'hex-content', 'coding', 'sdt', 'validity-period', 'dlr-url']
  const values = ['%00', '%zz', '%ff%fe', "'--", '9'.repeat(40), '-1e9', ' ', '%F0%9F', 'x'.repeat(9_000), '%ED%A0%80']
  const cases = [
    ...names.map((name) => ({ path: '/cgi-bin/sendsms', name, text: 'text' })),
    ...jasminNames.flatMap((name) => ['/send', '/rate'].map((path) => ({ path, name, text: 'content' })))
  ]
  for (const { path, name, text } of cases) {
    const answers = values.map(async (value) => {
      const others = Object.entries({ to: '33639980013', [text]: 'a' }).filter(([other]) => other !== name)
      const query = [...others.map((pair) => pair.join('=')), `${name}=${value}`].join('&')
      const [status, body] = await ask(`${service.url}${path}?${user}&${query}`)
      assert.ok([200, 202, 400, 403, 412].includes(status), `${path} ${name}=${value.slice(0, 40)}: ${status} ${body}`)
      assert.ok(body.length < 1_000 && !body.includes('    at '), body)
    })
    await Promise.all(answers)
  }
  for (let run = 0; run < 5; run++) {
    const body = randomBytes(1 + run * 10)
    for (const type of ['application/x-www-form-urlencoded', 'text/plain', 'application/json', 'text/xml']) {
      for (const path of ['/cgi-bin/sendsms', '/send', '/rate', '/balance']) {
        const [status] = await ask(service.url + path, { method: 'POST', body, headers: { 'content-type': type } })
        assert.ok(status === 400 || status === 403, `${path} ${type} ${body.toString('hex')}: ${status}`)
      }
    }
  }
  const large = { method: 'POST', body: 'x'.repeat(70_000), headers: { 'content-type': 'text/plain' } }
  assert.equal((await ask(`${service.url}/cgi-bin/sendsms`, large))[0], 400)
  const many = `${user}&text=a&to=${'33639980013+'.repeat(900)}`
  assert.deepEqual(await ask(`${service.url}/cgi-bin/sendsms?${many}`), [...ACCEPTED], 'one number, many times')
  assert.ok(!service.logLines.some((line) => line.includes('"level":50')), 'no bug was logged')
})

test('dlr-url is called as Kannel calls it', async (t) => {
  const receiver = await startCallbackReceiver(t)
  const service = await startService(t, {
    settings: { CHAPPE_DOORS: 'kannel', CHAPPE_ROLES: 'all', CHAPPE_WEBHOOK_ALLOW_PRIVATE: 'true' }
  })
  const account = await service.newAccount({ credits: 100 })
  const send = (to: string, { mask = 31, path = '' } = {}) => {
    const escapes =
      'd=%d&p=%p&P=%P&t=%t&T=%T&i=%i&I=%I&A=%A&F=%F&n=%n&o=%o&k=%k&c=%c&C=%C&e=%e&q=%q&pc=%%41&z=%z&m=%#a#b#&S=%S'
    const query = new URLSearchParams({
      username: account.appId,
      password: account.apiKey,
      to,
      text: 'Bonjour le monde',
      from: 'CHAPPE',
      account: 'shop 1',
      'dlr-mask': String(mask),
      'dlr-url': `${receiver.url}/${path}?${escapes}&n2=${path}`
    })
    return ask(`${service.url}/cgi-bin/sendsms?${query}`)
  }
  const at = (path: string) => receiver.calls.filter((call) => call.path === `/${path}`).map(({ query }) => query)
  for (const [to, path] of [
    ['33639980013', 'delivered'],
    ['0639980001', 'undelivered'],
    ['33639980002', 'refused'],
    ['+33639980003', 'expired']
  ] as const) {
    assert.deepEqual(await send(to, { path }), [...ACCEPTED])
  }
  assert.deepEqual(await send('33639980014', { path: 'final', mask: 3 }), [...ACCEPTED])
  assert.deepEqual(await send('33639980015 33639980016', { path: 'two', mask: 1 }), [...ACCEPTED])
  await eventually(() => {
    const types = (path: string) => at(path).map(({ d }) => d)
    assert.deepEqual(
      [types('delivered'), types('undelivered'), types('refused'), types('expired'), types('final')],
      [['8', '1'], ['8', '2'], ['16'], ['8', '34'], ['1']]
    )
    assert.deepEqual(new Set(at('two').map(({ p }) => p)), new Set(['33639980015', '33639980016']))
  })
  const [accepted, delivered] = at('delivered') as [Record<string, string>, Record<string, string>]
  assert.deepEqual([accepted.p, accepted.P, accepted.A, accepted.k], ['33639980013', 'CHAPPE', 'ACK/', 'ACK/'])
  assert.match(
    delivered.A ?? '',
    /^id:\S+ sub:001 dlvrd:001 submit date:\d{10} done date:\d{10} stat:DELIVRD err:000 text:Bonjour le monde$/
  )
  assert.equal(delivered.A?.split(' ')[0], `id:${delivered.F}`)
  assert.match(delivered.t ?? '', /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/)
  assert.ok(Math.abs(Number(delivered.T) * 1000 - Date.now()) < 600_000)
  assert.match(delivered.I ?? '', /^[0-9a-f]{8}-0000-8000-8[0-9a-f]{3}-[0-9a-f]{12}$/)
  assert.equal(delivered.I, accepted.I)
  assert.deepEqual([delivered.n, delivered.o, delivered.c, delivered.C], [account.appId, 'shop 1', '-1', 'UTF-8'])
  assert.deepEqual(
    [delivered.pc, delivered.z, delivered.m, delivered.S, delivered.n2],
    ['A', '%z', '', 'sub:001', 'delivered']
  )
  assert.equal(Buffer.from(delivered.e ?? '', 'hex').toString(), delivered.A)
  assert.equal(at('undelivered')[0]?.p, '0639980001', 'as the client wrote it')

  const text = '#STOP_XXX# #name# #STOP_URL#'
  const fields = { username: account.appId, password: account.apiKey, to: '33639980002', text }
  assert.deepEqual(await ask(`${service.url}/cgi-bin/sendsms?${new URLSearchParams(fields)}`), [...ACCEPTED])
  const latest = async () => (await account.expect(200).get('/messages?limit=1')).body.items[0]
  const { id } = await latest()
  await eventually(async () => assert.equal((await account.expect(200).get(`/messages/${id}`)).body.summary.failed, 1))
  const { body: again } = await account.expect(200).post(`/messages/${id}/resend`)
  const resent = await latest()
  assert.deepEqual([resent.id, resent.content], [again.message_id, text], 'a resend takes no word for a place either')
  assert.equal(at('expired')[0]?.p, '+33639980003')
  assert.match(at('undelivered')[1]?.A ?? '', / dlvrd:000 .* stat:UNDELIV err:001 /)
  assert.match(at('refused')[0]?.A ?? '', /^NACK\//)
  await eventually(async () => assert.equal((await service.pool`select from callback_queue`).length, 0))
})

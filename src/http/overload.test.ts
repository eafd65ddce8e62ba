import { strict as assert } from 'node:assert'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { eventually } from '../../test/checks/eventually.ts'
import { holdTable } from '../../test/database/hold-table.ts'
import { startService, type TestAccount, test } from '../../test/service/service.ts'
import { LOAD_LIMITS } from './overload.ts'
import { Room } from './room.ts'

const PATIENT = { ...LOAD_LIMITS, loopDelayMaxMs: 10_000, ageMaxMs: 10_000 }

async function gauge(url: string, name: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text()
  return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1])
}

const inProgress = (url: string) => gauge(url, 'chappe_http_requests_in_progress')

async function askTimes(account: TestAccount, times: number): Promise<number[]> {
  const answers = await Promise.all(Array.from({ length: times }, () => account.get('/users/credits')))
  for (const { status, headers } of answers) if (status === 503) assert.equal(headers.get('retry-after'), '1')
  return answers.map(({ status }) => status).sort()
}

/** Asks over so many connections, tries again where the answer is a 503, and reads no further. */
async function leaveUnread(
  url: string,
  request: string,
  connections: number,
  { tries = 10 }: { tries?: number } = {}
): Promise<{ close(): void }> {
  const open = new Set<Socket>()
  async function ask(triesLeft: number): Promise<void> {
    const socket = connect(Number(new URL(url).port), '127.0.0.1')
    socket.on('error', () => undefined)
    socket.write(request)
    const [head] = (await once(socket, 'data')) as [Buffer]
    socket.pause()
    open.add(socket)
    if (!head.toString().startsWith('HTTP/1.1 503') || triesLeft === 0) return
    socket.destroy()
    await sleep(100)
    await ask(triesLeft - 1)
  }
  await Promise.all(Array.from({ length: connections }, () => ask(tries)))
  return {
    close() {
      for (const socket of open) socket.destroy()
    }
  }
}

test('an account that floods gets half of the places, and those who ask for little are served', async (t) => {
  const limits = { ...PATIENT, requestsInProgressMax: 20 }
  const { operator, newAccount, pool, url } = await startService(t, { limits })
  const [flooder, other] = [await newAccount(), await newAccount()]
  const held = await holdTable(pool, 'credit_balances')
  const flood = askTimes(flooder, 30)
  await eventually(async () => assert.equal(await inProgress(url), 10))
  const little = askTimes(other, 5)
  await eventually(async () => assert.equal(await inProgress(url), 15))
  await operator.expect(200).get('/users/me')
  await flooder.expect(503).get('/users/me')
  await flooder.expect(503).post('/contactlists', { name: 'A list' })
  await held.release()
  assert.deepEqual(await flood, [...Array(10).fill(200), ...Array(20).fill(503)])
  assert.deepEqual(await little, Array(5).fill(200))
  await flooder.expect(200).get('/users/me')
})

test('20 sub-accounts share the places of their top-level account, for work and for waiting', async (t) => {
  const limits = { ...PATIENT, requestsInProgressMax: 100 }
  const { newAccount, pool, url } = await startService(t, { limits })
  const [parent, other] = [await newAccount(), await newAccount()]
  const children = await Promise.all(Array.from({ length: 20 }, () => parent.newSubAccount()))

  const held = await holdTable(pool, 'credit_balances')
  const flood = children.map((child) => askTimes(child, 6))
  // Half of the places, but for the last one or two, which only a sub-account without a place could have.
  await eventually(async () => assert.ok((await inProgress(url)) >= 48))
  const little = askTimes(other, 5)
  await eventually(async () => assert.ok((await inProgress(url)) >= 53))
  await held.release()
  const served = (await Promise.all(flood)).flat().filter((status) => status === 200).length
  assert.ok(served >= 48 && served <= 50, `${served} of the sub-accounts' requests were served`)
  assert.deepEqual(await little, Array(5).fill(200))

  // A request that waits gives its place among those that work back, once it has been there for so long.
  limits.ageMaxMs = 10
  const controller = new AbortController()
  let refused = 0
  async function wait({ apiKey }: TestAccount): Promise<void> {
    const request = { headers: { 'x-api-key': apiKey }, signal: controller.signal }
    const { status } = await fetch(`${url}/events?wait=20`, request)
    if (status === 429) refused++
    if (status === 503) await wait({ apiKey } as TestAccount)
  }
  const waiting = Promise.allSettled([...children, ...children, ...children].map(wait))
  await eventually(() => assert.equal(refused, 10))
  await eventually(() => other.expect(200).get('/events?wait=1'))
  controller.abort()
  await waiting
})

test('long work that waits, and answers that are not read, of one account leave places for others', async (t) => {
  const limits = { ...PATIENT, requestsInProgressMax: 40, ageMaxMs: 50 }
  const { newAccount, pool, url } = await startService(t, { limits })
  const [flooder, other] = [await newAccount(), await newAccount()]
  const list = await flooder.expect(200).post('/contactlists', { name: 'All' })
  const rules = { match: 'all', rules: [{ type: 'list', op: 'in', list_id: list.body.id }] }

  const held = await holdTable(pool, 'contact_lists')
  const waiting = Array.from({ length: 50 }, () => flooder.post('/segments/count', rules))
  await eventually(async () => assert.equal(await inProgress(url), 20))
  // Requests that came before the places were full are refused by now.
  await other.expect(200).get('/users/me')
  await flooder.expect(503).get('/users/me')
  await held.release()
  const served = (await Promise.all(waiting)).filter(({ status }) => status === 200).length
  assert.ok(served >= 20, `${served} were served`)
  await flooder.expect(200).get('/users/me')

  await pool`
    insert into contacts (account_id, id, list_id, phone, last_name)
    select ${flooder.id}, nextval('contact_ids'), ${list.body.id}, '+336' || lpad(n::text, 8, '0'), repeat('x', 255)
    from generate_series(1, 40_000) as n
  `
  const path = `/contactlists/${list.body.id}/contacts-extract`
  const unread = await leaveUnread(url, `GET ${path} HTTP/1.1\r\nhost: x\r\nx-api-key: ${flooder.apiKey}\r\n\r\n`, 40)
  await eventually(async () => assert.equal(await inProgress(url), 20))
  await other.expect(200).get('/users/me')
  await flooder.expect(503).get('/users/me')
  unread.close()
  await eventually(() => flooder.expect(200).get('/users/me'))
})

test('large answers that one account does not read leave room for those of others', async (t) => {
  const limits = { ...PATIENT, answerCharactersMax: 64 * 1024 * 1024 }
  const { newAccount, pool, url } = await startService(t, { limits })
  const [flooder, other] = [await newAccount(), await newAccount()]
  async function newPath({ id, expect }: TestAccount): Promise<string> {
    const list = (await expect(200).post('/contactlists', { name: 'All' })).body.id
    await pool`
      insert into contacts (account_id, id, list_id, phone, last_name, first_name, email, address, city, custom1, custom2, custom3)
      select ${id}, nextval('contact_ids'), ${list}, '+336' || lpad(n::text, 8, '0'), long, long, long, long, long, long, long, long
      from generate_series(1, 2_000) as n
      cross join repeat('x', 1000) as long
    `
    await pool`update contact_lists set contacts_count = 2_000 where id = ${list}`
    return `/contactlists/${list}`
  }
  const [path, others] = [await newPath(flooder), await newPath(other)]
  for (const answer of ['/contacts?limit=1000', '/contacts-extract']) {
    const request = `GET ${path}${answer} HTTP/1.1\r\nhost: x\r\nx-api-key: ${flooder.apiKey}\r\n\r\n`
    const unread = await leaveUnread(url, request, 8, { tries: 0 })
    await flooder.expect(503).get(`${path}${answer}`)
    await flooder.expect(200).get('/users/me')
    assert.equal((await other.expect(200).get(`${others}/contacts?limit=1000`)).body.items.length, 1_000)
    assert.equal((await other.expect(200).get(`${others}/contacts-extract`)).body.length, 2_000)
    unread.close()
    await eventually(() => flooder.expect(200).get(`${path}${answer}`))
  }
})

test('answers that a stranger does not read leave places for accounts and for other strangers', async (t) => {
  const limits = { ...PATIENT, requestsInProgressMax: 40, ageMaxMs: 50 }
  const { operator, url } = await startService(t, { limits, settings: { CHAPPE_TRUSTED_PROXIES: '127.0.0.1' } })
  const forwarded = { 'x-forwarded-for': '203.0.113.7' }
  const unread = await leaveUnread(url, 'GET /openapi.json HTTP/1.1\r\nhost: x\r\n\r\n'.repeat(3), 45)
  // Half of the places belong to strangers, and half of these to one network.
  const unreadCount = await inProgress(url)
  assert.ok(unreadCount <= 10, `${unreadCount} answers are not read`)
  await operator.expect(200).get('/users/me')
  const elsewhere = await fetch(`${url}/openapi.json`, { headers: forwarded })
  assert.equal(elsewhere.status, 200)
  await elsewhere.text()
  unread.close()
})

test('a sub-account that floods leaves room for its siblings, and all of them together leave half for others', () => {
  const room = new Room(1_000)
  const [child, sibling, stranger] = [
    { accountId: 11, topLevelId: 1 },
    { accountId: 12, topLevelId: 1 },
    { accountId: 2, topLevelId: 2 }
  ]
  const takeAll = (asker: { accountId: number; topLevelId: number }) => {
    let taken = 0
    for (; room.hasRoom(asker, 1); taken++) room.take(asker, 1)
    return taken
  }
  assert.equal(takeAll(child), 250)
  assert.equal(takeAll(sibling), 125)
  assert.equal(takeAll({ accountId: 1, topLevelId: 1 }), 125)
  assert.equal(takeAll(stranger), 250)
  room.giveBack(child, 250)
  assert.ok(room.hasRoom(child, 1))
})

test('while requests take long fewer are let in, others of another account still are, and then it is as before', async (t) => {
  const limits = { ...PATIENT, ageMaxMs: 50 }
  const { operator, newAccount, pool, url } = await startService(t, { limits })
  const flooder = await newAccount()
  const held = await holdTable(pool, 'credit_balances')
  // More than an eighth of the thousand places: only then do they become fewer, and of 200 one account has less than that.
  const flood = askTimes(flooder, 150)
  const placesMax = () => gauge(url, 'chappe_http_requests_in_progress_max')
  await eventually(async () => assert.equal(await placesMax(), 200), { withinMs: 20_000 })
  assert.deepEqual(await askTimes(flooder, 3), [503, 503, 503])
  await operator.expect(200).get('/users/me')
  await held.release()
  const served = (await flood).filter((status) => status === 200).length
  assert.ok(served > 125, `${served} were let in before`)
  await eventually(async () => assert.equal(await placesMax(), 1_000), { withinMs: 20_000 })
  await flooder.expect(200).get('/users/me')
})

test('while the event loop is late, only those are let in whose key is known and who ask for little', async (t) => {
  const limits = { ...PATIENT }
  const { anonymous, operator, newAccount, pool, url } = await startService(t, { limits })
  const [known, unknown] = [await newAccount(), await newAccount()]
  const { email, password } = operator
  // A key is not remembered when news of an account comes while it is looked up.
  await eventually(async () => {
    limits.loopDelayMaxMs = PATIENT.loopDelayMaxMs
    await eventually(() => known.expect(200).get('/users/me'))
    limits.loopDelayMaxMs = 0
    await eventually(async () => assert.equal((await anonymous.post('/auth/login', { email, password })).status, 503))
    await known.expect(200).get('/users/me')
  })
  await known.expect(200).post('/contactlists', { name: 'A list' })
  await unknown.expect(503).get('/users/me')
  const held = await holdTable(pool, 'credit_balances')
  const few = askTimes(known, 5)
  await eventually(async () => assert.equal(await inProgress(url), 5))
  assert.deepEqual(await askTimes(known, 3), [503, 503, 503])
  await held.release()
  assert.deepEqual(await few, Array(5).fill(200))
  limits.loopDelayMaxMs = PATIENT.loopDelayMaxMs
  await eventually(async () => assert.equal((await unknown.get('/users/me')).status, 200))
})

test('requests that wait for events do not count as slow ones', async (t) => {
  const limits = { ...PATIENT, requestsInProgressMax: 8, ageMaxMs: 50 }
  const { newAccount, url } = await startService(t, { limits })
  const account = await newAccount()
  await account.expect(200).get('/events')
  const controller = new AbortController()
  const headers = { 'x-api-key': account.apiKey }
  const waiting = Array.from({ length: 5 }, () =>
    fetch(`${url}/events?wait=20`, { headers, signal: controller.signal }).catch(() => undefined)
  )
  await eventually(async () => assert.equal(await inProgress(url), 5))
  // Five of its own are all it could have if they worked.
  await eventually(() => account.expect(200).get('/users/me'))
  controller.abort()
  await Promise.all(waiting)
})

test('an answer that takes longer to read than work may take goes on, and so does the service', async (t) => {
  const { newAccount, url, logLines } = await startService(t, { limits: { ...PATIENT, workMaxMs: 100 } })
  const account = await newAccount()
  const controller = new AbortController()
  const headers = { 'x-api-key': account.apiKey }
  const stream = await fetch(`${url}/events/stream`, { headers, signal: controller.signal })
  const reader = stream.body?.pipeThrough(new TextDecoderStream()).getReader()
  assert.match(String((await reader?.read())?.value), /^retry/)
  // Two looks at what is overdue.
  await sleep(1_200)
  await account.expect(200).post('/stops', { recipient: '+33639980001' })
  assert.match(String((await reader?.read())?.value), /^id: .+\nevent: stops/)
  assert.deepEqual(
    logLines.filter((line) => line.includes('request took too long')),
    []
  )
  controller.abort()
})

test('work that goes on after its client has gone keeps its place until it is over', async (t) => {
  const { newAccount, pool, url, logLines } = await startService(t)
  const account = await newAccount()
  const held = await holdTable(pool, 'credit_balances')
  const controller = new AbortController()
  const headers = { 'x-api-key': account.apiKey }
  const leaving = Array.from({ length: 7 }, () => fetch(`${url}/users/credits`, { headers, signal: controller.signal }))
  await eventually(async () => assert.equal(await inProgress(url), 7))
  controller.abort()
  await Promise.allSettled(leaving)
  const aborted = () => logLines.filter((line) => line.includes('request aborted by the client')).length
  await eventually(() => assert.equal(aborted(), 7))
  assert.equal(await inProgress(url), 7)
  await held.release()
  await eventually(async () => assert.equal(await inProgress(url), 0))
})

test('slow bodies of one account leave room for those of others', async (t) => {
  const limits = { ...PATIENT, bodyBytesMax: 10_000 }
  const { operator, newAccount, url } = await startService(t, { limits })
  const account = await newAccount()
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  socket.on('error', () => socket.destroy())
  const headers = `x-api-key: ${account.apiKey}\r\ncontent-type: application/json\r\ncontent-length: 5000`
  socket.write(`POST /contactlists HTTP/1.1\r\nhost: x\r\n${headers}\r\n\r\n{`)
  await eventually(() => account.expect(503).post('/contactlists', { name: 'A list' }))
  await operator.expect(200).post('/contactlists', { name: 'x'.repeat(200) })
  socket.destroy()
})

test('connections past the limit are closed, and those that are there are served', async (t) => {
  const limits = { ...PATIENT, connectionsMax: 20 }
  const { url } = await startService(t, { limits })
  let closed = 0
  const sockets = Array.from({ length: 40 }, () => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1')
    socket.on('error', () => undefined).once('close', () => closed++)
    return socket.resume()
  })
  t.after(() => sockets.map((socket) => socket.destroy()))
  // What these tests themselves have asked before may hold some connections too.
  await eventually(() => assert.ok(closed >= 20 && closed < 40, `${closed} were closed`))
  const [open] = sockets.filter(({ closed }) => !closed)
  assert.ok(open)
  open.write('GET /health/live HTTP/1.1\r\nhost: x\r\n\r\n')
  const [answer] = await once(open, 'data')
  assert.match(String(answer), /^HTTP\/1.1 200 /)
  for (const socket of sockets) socket.destroy()
  await eventually(async () => assert.equal((await fetch(`${url}/health/live`)).status, 200))
})

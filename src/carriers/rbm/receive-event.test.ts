import { strict as assert } from 'node:assert'
import { connect } from 'node:net'
import { eventually } from '../../../test/checks/eventually.ts'
import { holdTable } from '../../../test/database/hold-table.ts'
import {
  AGENT,
  messageOf,
  PHONE,
  personEventOf,
  postEvent,
  reportOf,
  signatureOf,
  startEventService,
  TOKEN,
  toPush
} from '../../../test/messages/rbm-events.ts'
import { PATIENT, type TestService, test } from '../../../test/service/service.ts'

const PATH = '/carriers/rbm/rcs/events'
const stored = async ({ pool }: TestService) =>
  pool<{ carrier: string; eventId: string; isReport: boolean; isDue: boolean; body: string }[]>`
    select carrier, event_id, is_report, next_try_at is not null as is_due, body from rbm_events order by received_at
  `

test('an event is stored as it was written, before it is answered, and once however often it comes', async (t) => {
  const service = await startEventService(t)
  const event = reportOf('DELIVERED', { messageId: 7 }, { eventId: 'e1' })
  const text = JSON.stringify(event)
  const push = toPush(text)
  for (let times = 0; times < 3; times++) {
    const headers = { 'x-goog-signature': signatureOf(text), 'idempotency-key': 'k' }
    const answer = await service.anonymous.expect(200).post(PATH, push, headers)
    assert.deepEqual(answer.body, { success: true })
    assert.equal(answer.headers.get('idempotent-replayed'), null)
  }
  const row = { carrier: 'rcs', eventId: 'e1', isReport: true, isDue: true, body: text }
  assert.deepEqual([...(await stored(service))], [row])
})

test('without the right signature over its very bytes nothing is stored', async (t) => {
  const service = await startEventService(t)
  const text = JSON.stringify(reportOf('DELIVERED', { messageId: 7 }))
  const right = signatureOf(text)
  const forged: [string, string, Record<string, string>][] = [
    ['none', text, {}],
    ['empty', text, { 'x-goog-signature': '' }],
    ['no base64', text, { 'x-goog-signature': '***' }],
    ['another token', text, { 'x-goog-signature': signatureOf(text, 'another') }],
    ['cut', text, { 'x-goog-signature': right.slice(0, -4) }],
    ['another body', `${text} `, { 'x-goog-signature': right }],
    ['of the wrapping', text, { 'x-goog-signature': signatureOf(JSON.stringify(toPush(text))) }]
  ]
  for (const [name, body, headers] of forged) {
    const { status, body: answer } = await service.anonymous.post(PATH, toPush(body), headers)
    assert.deepEqual([status, answer.code], [401, 'unauthorized'], name)
  }
  // Credentials of ours are no signature.
  await service.operator.expect(401).post(PATH, toPush(text))
  assert.equal((await stored(service)).length, 0)
  await service.anonymous.expect(404).post('/carriers/rbm/other/events', toPush(text), { 'x-goog-signature': right })
})

test('the challenge is answered with the bare secret, to who knows the token', async (t) => {
  const { anonymous } = await startEventService(t)
  const answer = await anonymous.expect(200).post(PATH, { clientToken: TOKEN, secret: '1234567890' })
  assert.equal(answer.text, '1234567890')
  assert.equal(answer.headers.get('content-type'), 'text/plain; charset=utf-8')
  assert.equal(answer.headers.get('x-content-type-options'), 'nosniff')
  for (const clientToken of ['', 'wrong', `${TOKEN}x`]) {
    await anonymous.expect(401).post(PATH, { clientToken, secret: '1234567890' })
  }
  await anonymous.expect(404).post('/carriers/rbm/other/events', { clientToken: TOKEN, secret: '1' })
})

test('what is no event is refused; what is signed and not understood is taken, or it would come for a week', async (t) => {
  const service = await startEventService(t)
  const { anonymous } = service
  for (const body of [
    {},
    { message: {} },
    { message: { data: 7 } },
    { clientToken: TOKEN },
    { secret: 'x' },
    '{"a"',
    'x'
  ]) {
    await anonymous.expect(400).post(PATH, body)
  }
  const signed = (text: string) =>
    anonymous.expect(200).post(PATH, toPush(text), { 'x-goog-signature': signatureOf(text) })
  for (const text of ['', 'no json', '{"cut":', `${'['.repeat(100_000)}`]) await signed(text)
  assert.equal((await stored(service)).length, 0)
  assert.equal(service.logLines.filter((line) => line.includes('is no JSON')).length, 4)

  const odd = [
    '7',
    'null',
    '[]',
    '{}',
    JSON.stringify({ eventType: 'IS_TYPING', senderPhoneNumber: PHONE, eventId: 'typing', agentId: AGENT }),
    JSON.stringify({ eventType: 'DELIVERED', eventId: 'x'.repeat(10_000) })
  ]
  for (const text of odd) await signed(text)
  const rows = await stored(service)
  assert.equal(rows.length, odd.length)
  assert.deepEqual(new Set(rows.map(({ isDue }) => isDue)), new Set([false]))
})

test('whatever a person writes is stored with what others write at the same moment', async (t) => {
  const service = await startEventService(t)
  const texts = ['OK', 'a\u0000b', '\ud83d', '😀', 'x'.repeat(3_072), '\\u0000', '"', '\u2028']
  const statuses = await Promise.all(texts.map((text) => service.post(messageOf(text))))
  assert.deepEqual(new Set(statuses), new Set([200]))
  await service.process()
  const rows = await service.pool<{ content: string }[]>`select content from replies`
  assert.deepEqual(
    rows.map(({ content }) => content).sort(),
    ['OK', 'ab', '\ufffd', '😀', 'x'.repeat(3_072), '\\u0000', '"', '\u2028'].sort()
  )
})

test('what there is nothing to do about is kept as done: who subscribes again stays opted out', async (t) => {
  const service = await startEventService(t)
  await service.operator.expect(200).post('/stops', { recipient: PHONE })
  assert.equal(await service.post(personEventOf('SUBSCRIBE')), 200)
  await service.process()
  assert.deepEqual(
    (await stored(service)).map(({ isDue }) => isDue),
    [false]
  )
  assert.equal((await service.operator.expect(200).get('/stops/all')).body.meta.totalItems, 1)
  assert.ok(service.logLines.some((line) => line.includes('an earlier STOP stays')))
})

test('bodies that are announced and never come keep no event out, and their sockets end', async (t) => {
  const service = await startEventService(t, { limits: { ...PATIENT, strangerBodyMaxMs: 3_000 } })
  const { port } = new URL(service.url)
  /** As many sockets, each with the headers of a request of 1 MiB; and what each is answered when it ends. */
  function announce(name: string, header = ''): Promise<string>[] {
    const headers = `host: x\r\ncontent-type: application/json\r\ncontent-length: ${1024 * 1024}\r\n${header}`
    return Array.from({ length: 300 }, async () => {
      const socket = connect(Number(port), '127.0.0.1')
      socket.write(`POST /carriers/rbm/${name}/events HTTP/1.1\r\n${headers}\r\n`)
      return (await socket.toArray()).join('')
    })
  }
  const idle = announce('rcs', `x-goog-signature: ${signatureOf('a guess')}\r\n`)
  const unknown = announce('nobody')
  const unsigned = announce('rcs')
  for (const answer of await Promise.all(unknown)) assert.match(answer, /^HTTP\/1\.1 404 /)
  for (const answer of await Promise.all(unsigned)) assert.match(answer, /^HTTP\/1\.1 401 /)
  await eventually(async () => assert.equal(await service.post(messageOf('OK')), 200))
  for (const answer of await Promise.all(idle)) {
    assert.match(answer, /^HTTP\/1\.1 408 .*"code":"invalid_input"/s)
  }
  assert.equal((await stored(service)).length, 1)
})

test('hundreds of events at once are all stored, each answered after that', async (t) => {
  const service = await startEventService(t)
  const held = await holdTable(service.pool, 'rbm_events')
  const events = Array.from({ length: 400 }, (_, index) => messageOf(`text ${index}`, { messageId: `m${index}` }))
  let answered = 0
  const posts = events.map(async (event) => {
    assert.equal(await postEvent(service.url, event), 200)
    answered++
  })
  // A look at something else, which a crowd of events does not hold up.
  await service.operator.expect(200).get('/users/me')
  assert.equal(answered, 0)
  await held.release()
  await Promise.all(posts)
  assert.equal((await stored(service)).length, 400)
})

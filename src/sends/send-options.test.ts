import { strict as assert } from 'node:assert'
import { randomUUID } from 'node:crypto'
import type { TestContext } from 'node:test'
import { instantOf, sundayAhead } from '../../test/checks/days-ahead.ts'
import { eventually } from '../../test/checks/eventually.ts'
import { assertLedgerHolds } from '../../test/checks/ledger.ts'
import { accepted, creditsOf, refused, startAnswering } from '../../test/messages/answering.ts'
import { readRecipients, readTimeline } from '../../test/messages/sending.ts'
import { fileForm } from '../../test/service/file-form.ts'
import { type TestAccount, test } from '../../test/service/service.ts'
import type { OutboundMessage, SubmitOutcome } from '../carriers/carrier.ts'

/** A service with one carrier, which begins without room. */
async function startSending(t: TestContext) {
  const service = await startAnswering(t, { peer: { capacity: 0 } })
  return { ...service, peer: service.peer('peer'), open: (capacity: number) => service.setRoom('peer', capacity) }
}

const NUMBER = '+33639980013'
const HEADER = '0605040b8423f0'

const post = async (account: TestAccount, fields: Record<string, unknown>, path = '/messages/sms') =>
  (await account.expect(200).post(path, { recipients: [NUMBER], ...fields })).body
const read = async (account: TestAccount, id: number) => (await account.expect(200).get(`/messages/${id}`)).body
const carried = ({ priority, flash, binary }: OutboundMessage) => ({
  priority,
  flash,
  data: binary?.data.toString('hex'),
  udh: binary?.udh.toString('hex')
})

test('what a message carries reaches the carrier and is shown, by seat and by queue; a plain message has nothing of it', async (t) => {
  const { account, peer, open, pool } = await startSending(t)
  const flash = { content: 'Code 1', flash: true, priority: 'high', validity: 600, scheduleAt: '' }
  const binary = { binary: { data: 'SGVsbG8=', encoding: 'base64', udh: HEADER.toUpperCase() } }
  const ids: number[] = []
  const send = async (fields: Record<string, unknown>) => {
    const { message_id, credits_used } = await post(account, fields)
    ids.push(message_id)
    return credits_used
  }
  const until = (count: number) => eventually(() => assert.equal(peer.submitted.length, count))
  assert.equal(await send({ content: 'Plain', validity: null, priority: 'normal', flash: false }), 1)
  assert.equal(await send(flash), 1)
  assert.equal(await send(binary), 1)
  const [queued] = await pool`select count(*)::integer as count from batches where submitting = '{}'`
  assert.deepEqual(queued, { count: 3 }, 'without room, all of them queue')
  open(100)
  await until(3)
  await eventually(async () => assert.equal((await pool`select from batches`).length, 0))
  await send({ content: 'Plain' })
  await send(flash)
  await send(binary)
  await until(6)
  const none = { priority: undefined, flash: undefined, data: undefined, udh: undefined }
  const expected = [none, { ...none, flash: true, priority: 'high' }, { ...none, data: '48656c6c6f', udh: HEADER }]
  for (const half of [peer.submitted.slice(0, 3), peer.submitted.slice(3)]) {
    // The one of a high priority was the first to leave the queue.
    const byText = half.toSorted((a, b) => 'PC'.indexOf(a.text[0] ?? '?') - 'PC'.indexOf(b.text[0] ?? '?'))
    assert.deepEqual(
      new Set(byText.map((message) => JSON.stringify(carried(message)))),
      new Set(expected.map((one) => JSON.stringify(one)))
    )
  }
  const plain = peer.submitted.find(({ text }) => text === 'Plain') as OutboundMessage
  assert.deepEqual(Object.keys(plain).sort(), ['expiresAt', 'from', 'reference', 'text', 'to'])
  const [plainView, flashView, binaryView] = await Promise.all(ids.slice(0, 3).map((id) => read(account, id)))
  for (const name of ['validity', 'expires_at', 'priority', 'flash', 'binary']) assert.ok(!(name in plainView), name)
  const dueAt = Date.parse(flashView.scheduletimestamp)
  assert.deepEqual(
    [flashView.validity, flashView.priority, flashView.flash, Date.parse(flashView.expires_at) - dueAt],
    [600, 'high', true, 600_000]
  )
  const sent = peer.submitted.find(({ flash }) => flash) as OutboundMessage
  assert.equal(sent.expiresAt.toISOString(), flashView.expires_at)
  assert.deepEqual([binaryView.content, binaryView.binary], ['', { data: '48656c6c6f', udh: HEADER }])
  await assertLedgerHolds(pool)
})

test('a validity that ends while no carrier is up expires the message: state, event, timeline, and every credit back', async (t) => {
  const { account, pool } = await startSending(t)
  const { next } = (await account.expect(200).get('/events')).body
  const recipients = ['+33639980013', '+33639980014', '+33639980015']
  const { message_id: id } = await post(account, { recipients, content: 'Code', validity: 1, external_id: 'order 7' })
  const { message_id: later } = await post(account, { content: 'Later', external_id: 'order 8' })
  assert.equal(await creditsOf(account), 96)
  await eventually(async () => assert.equal((await read(account, id)).summary.failed, 3))
  assert.equal(await creditsOf(account), 99)
  const message = await read(account, id)
  assert.deepEqual([message.state, message.credits_refunded, message.summary.waiting], ['failed', 3, 0])
  assert.deepEqual(
    (await readRecipients(account, id)).map(({ deliver, errorcode }) => [deliver, errorcode]),
    Array.from({ length: 3 }, () => [4, 'expired'])
  )
  const [step] = (await readTimeline(account, id)).filter(({ step }) => step === 'expired')
  assert.equal(step?.detail, 'It could not leave in time.')
  // The feed waits for the transactions that began before.
  await eventually(async () => {
    const { items } = (await account.expect(200).get(`/events?types=sms_status&after=${next}`)).body
    assert.deepEqual(
      items.map(({ data }: { data: Record<string, unknown> }) => [data.message_id, data.deliver, data.external_id]),
      Array.from({ length: 3 }, () => [id, 4, 'order 7'])
    )
  })
  await eventually(async () => assert.equal((await pool`select from expiries`).length, 0), { withinMs: 20_000 })
  assert.deepEqual((await read(account, later)).summary.waiting, 1, 'without a validity it waits')
  assert.deepEqual([...(await pool`select message_id::integer as id from batches`)], [{ id: later }])
  await assertLedgerHolds(pool)
})

test('a recipient that waits behind a slow answer expires in time too', async (t) => {
  const { account, peer, pool, open } = await startSending(t)
  const slow = Promise.withResolvers<SubmitOutcome>()
  peer.answer = () => slow.promise
  const { message_id: first } = await post(account, { content: 'First' })
  const { message_id: second } = await post(account, { content: 'Second', validity: 2 })
  open(1)
  await eventually(() => assert.equal(peer.submitted.length, 1))
  const held = await pool`select from batches where leased_by is not null`
  assert.equal(held.length, 2, 'its lease is kept, so that nobody else looks at it')
  await eventually(async () => assert.equal((await read(account, second)).summary.failed, 1))
  assert.deepEqual([(await read(account, first)).summary.waiting, await creditsOf(account)], [1, 99])
  slow.resolve({ kind: 'accepted', carrierMessageIds: ['1'] })
  await eventually(async () => assert.equal((await read(account, first)).state, 'sent'))
  assert.equal(peer.submitted.length, 1)
})

test('a high priority leaves before what waits, a low one after it, and nothing waits for more than an hour of others', async (t) => {
  const { account, peer, open, pool } = await startSending(t)
  await post(account, { content: 'old' })
  await pool`update batches set due_at = due_at - interval '61 minutes'`
  for (const content of ['low', 'normal 1', 'normal 2', 'high']) {
    await post(account, { content, ...(!content.startsWith('normal') && { priority: content }) })
  }
  open(1)
  await eventually(() => assert.equal(peer.submitted.length, 5))
  assert.deepEqual(
    peer.submitted.map(({ text }) => text),
    ['old', 'high', 'normal 1', 'normal 2', 'low']
  )
})

test('a priority does not make a batch look overdue, and is kept by a retry', async (t) => {
  const { account, peer, open, pool } = await startSending(t)
  peer.answer = () => ({ kind: 'retry', reason: 'busy', delaySeconds: 30 })
  open(100)
  await post(account, { content: 'high', priority: 'high' })
  const place = () => pool<{ isReady: boolean; aheadSeconds: number }[]>`
    select is_ready, round(extract(epoch from now() - due_at))::integer as ahead_seconds
    from batches
    where leased_by is null
  `
  await eventually(async () => assert.equal((await place())[0]?.isReady, false))
  peer.capacity = 0
  await pool`update batches set due_at = now()`
  await eventually(async () => assert.equal((await place())[0]?.isReady, true))
  const [batch] = await place()
  // An hour for its priority, and a day since it is small.
  assert.ok(Math.abs((batch?.aheadSeconds ?? 0) - 90_000) < 20, String(batch?.aheadSeconds))
})

test('a validity counts from the due time, and a dry run tells who would get nothing', async (t) => {
  const { account, pool } = await startSending(t)
  const sunday = sundayAhead()
  const scheduleAt = instantOf(sunday, '08:00')
  const end = instantOf(sunday, '10:00')
  const { message_id } = await post(account, { content: 'Code', validity: 60, scheduleAt })
  assert.equal((await read(account, message_id)).expires_at, instantOf(sunday, '08:01'))
  const recipients = [NUMBER, '+32470123456']
  const marketing = { recipients, content: 'Sale', category: 'marketing', scheduleAt, validity: 7_200 }
  const warning = `1 of the recipients will not get it: its validity ends at ${end}, before the hours allowed for marketing.`
  const dryRun = await post(account, marketing, '/messages/sms?resumeBefore=true')
  assert.deepEqual([dryRun.recipients_count, dryRun.warnings], [2, [warning]])
  const stored = await post(account, marketing)
  assert.deepEqual([stored.warnings, stored.message], [[warning], `Scheduled for ${scheduleAt}.`])
  const batches = await pool<{ dueAt: Date; expiresAt: Date }[]>`
    select due_at, expires_at from batches where message_id = ${stored.message_id} order by due_at
  `
  assert.deepEqual(
    batches.map(({ dueAt, expiresAt }) => [dueAt.toISOString(), expiresAt.toISOString()]),
    [
      [scheduleAt, end],
      [end, end]
    ]
  )
  const enough = await post(account, { ...marketing, validity: 86_400 }, '/messages/sms?resumeBefore=true')
  assert.ok(!('warnings' in enough))
})

test('a file, a form and a resend carry them too, and an erased number takes its octets with it', async (t) => {
  const { account, peer, open } = await startSending(t)
  peer.answer = refused('no')
  const parts = { content: 'From a file', validity: '60', flash: 'true', priority: 'low' }
  const { body } = await account
    .expect(200)
    .post('/messages/sms/file', fileForm(NUMBER, parts, { name: 'numbers.txt' }))
  const fromFile = await read(account, body.message_id)
  assert.deepEqual([fromFile.validity, fromFile.flash, fromFile.priority], [60, true, 'low'])
  const form = `recipients[0]=${encodeURIComponent(NUMBER)}&binary[data]=beef&binary[udh]=${HEADER}`
  const asForm = { 'content-type': 'application/x-www-form-urlencoded' }
  const fromForm = (await account.expect(200).post('/messages/sms', form, asForm)).body.message_id
  open(100)
  await eventually(async () => assert.equal((await read(account, fromForm)).summary.failed, 1))
  peer.answer = accepted
  const again = (await account.expect(200).post(`/messages/${fromForm}/resend`)).body.message_id
  await eventually(() => assert.equal(peer.submitted.length, 3))
  assert.deepEqual(carried(peer.submitted[2] as OutboundMessage), {
    priority: undefined,
    flash: undefined,
    data: 'beef',
    udh: HEADER
  })
  await eventually(async () => assert.equal((await read(account, again)).state, 'sent'))
  await account.expect(200).delete(`/contacts/by-number/${encodeURIComponent(NUMBER)}`)
  assert.deepEqual((await read(account, fromForm)).binary, { data: '', udh: '' })
  assert.equal((await read(account, again)).binary.data, 'beef', 'its receipt is awaited, and it is erased after that')
})

test('values that make no sense, and octets without the permission, are refused and change nothing', async (t) => {
  const { account, anonymous, pool } = await startSending(t)
  const wrong: [fields: Record<string, unknown>, path: string][] = [
    [{ content: 'a', validity: 0 }, 'validity'],
    [{ content: 'a', validity: 604_801 }, 'validity'],
    [{ content: 'a', validity: 1.5 }, 'validity'],
    [{ content: 'a', validity: '60' }, 'validity'],
    [{ content: 'a', priority: 'urgent' }, 'priority'],
    [{ content: 'a', priority: 'high', category: 'marketing' }, 'priority'],
    [{ content: 'a', flash: 'yes' }, 'flash'],
    [{ content: 'a', binary: { data: '00' } }, 'content'],
    [{ model_id: 1, binary: { data: '00' } }, 'model_id'],
    [{ binary: { data: '00' }, flash: true }, 'flash'],
    [{ binary: { data: '00' }, shorturl: { mode: 'common', url: 'https://shop.example' } }, 'shorturl'],
    [{ binary: { data: '00' }, category: 'marketing' }, 'binary'],
    [{ binary: {} }, 'binary.data'],
    [{ binary: { data: '0' } }, 'binary.data'],
    [{ binary: { data: 'zz' } }, 'binary.data'],
    [{ binary: { data: 'a!==', encoding: 'base64' } }, 'binary.data'],
    [{ binary: { data: '00'.repeat(134), udh: HEADER } }, 'binary.data'],
    [{ binary: { data: '00', udh: '0' } }, 'binary.udh'],
    [{ binary: { data: '00', udh: '05' } }, 'binary.udh'],
    [{ binary: { data: '00', udh: '0205' } }, 'binary.udh'],
    [{ binary: { data: '00', udh: '020504' } }, 'binary.udh'],
    [{ validity: 60 }, 'content']
  ]
  for (const [fields, path] of wrong) {
    const { body } = await account.expect(400).post('/messages/sms', { recipients: [NUMBER], ...fields })
    assert.deepEqual([body.code, body.details[0].path], ['invalid_input', path], JSON.stringify(fields))
  }
  const rcs = { contacts: [{ recipient: NUMBER }], type: 'text', data: { text: 'a' } }
  for (const only of [{ flash: true }, { binary: { data: '00' } }]) {
    const { body } = await account.expect(400).post('/messages/rcs', { ...rcs, ...only })
    assert.deepEqual(body.details, [
      { path: Object.keys(only)[0], message: 'must not be given for RCS: only an SMS can have it' }
    ])
  }
  const key = (await account.expect(200).post('/keys', { name: 'Shop', scopes: ['read', 'send'] })).body
  const shop = anonymous.as({ 'x-api-key': key.apikey })
  const asked = await shop.expect(403).post('/messages/sms', { recipients: [NUMBER], binary: { data: '00' } })
  assert.match(asked.body.error, /needs the permission binary/)
  assert.equal((await pool`select from messages`).length, 0)
  assert.equal(await creditsOf(account), 100)
  const once = { 'idempotency-key': randomUUID() }
  const keyed = { recipients: [NUMBER], content: 'Once', validity: 60 }
  await account.expect(200).post('/messages/sms', keyed, once)
  await account.expect(200).post('/messages/sms', keyed, once)
  await account.expect(409).post('/messages/sms', { ...keyed, validity: 61 }, once)
  const largest = await post(account, { binary: { data: '00'.repeat(133), udh: HEADER } })
  assert.deepEqual([largest.credits_used, largest.sms_count], [1, 1])
})

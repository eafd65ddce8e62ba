import { strict as assert } from 'node:assert'
import type { TestContext } from 'node:test'
import { eventually } from '../../test/checks/eventually.ts'
import { assertLedgerHolds } from '../../test/checks/ledger.ts'
import {
  channelsOf,
  giveUp,
  magic,
  type RcsWorld,
  readSteps,
  sendRcs,
  startRcsWorld,
  tellEvents,
  untilRcsSummary
} from '../../test/messages/rcs.ts'
import { mobiles, readMessage, send, untilReady, untilSummary } from '../../test/messages/sending.ts'
import { ask, startCallbackReceiver } from '../../test/peers/callback-receiver.ts'
import { startMailbox } from '../../test/peers/mailbox.ts'
import { tcpUrlOf } from '../../test/processes/children.ts'
import { runScript } from '../../test/processes/scripts.ts'
import { startService, type TestAccount, type TestService, test } from '../../test/service/service.ts'
import { newCredentials } from '../../test/service/smpp-customer.ts'
import { connect, type Pool } from '../database/database.ts'
import { queueMail } from '../mail/mails.store.ts'
import { recordReply } from '../replies/record-reply.ts'
import { insertPart } from '../smpp-server/parts.store.ts'
import { holdRestored } from './backup.ts'
import type { Held } from './hold-back.ts'

const LATER = new Date(Date.now() + 86_400_000).toISOString()
const NOT_ALL = { isHoldingScheduled: false }
const NOTHING: Held = {
  messages: 0,
  departures: 0,
  automations: 0,
  automationsOff: 0,
  trialsFailed: 0,
  trialsToChoose: 0,
  answers: 0,
  questions: 0,
  mails: 0,
  callbacks: 0,
  deliveries: 0,
  parts: 0
}
const RULE = { name: 'Horaires', keywords: ['HOURS'], content: 'De 9 à 19 h.' }
const KEYWORD = { number: '36111', keyword: 'JOIN', question: 'Répondez OUI.', confirmation: 'Merci !' }
const VARIANTS = [{ sms: { content: 'A' } }, { sms: { content: 'B' } }]

async function newList(account: TestAccount, phones: readonly string[]): Promise<number> {
  const { id } = (await account.expect(200).post('/contactlists', { name: 'Clients' })).body
  const contacts = phones.map((tel) => ({ tel }))
  await account.expect(200).post('/contacts', { contactlist_id: id, contacts })
  return id
}

const post = async (account: TestAccount, path: string, body: object) =>
  (await account.expect(200).post(path, body)).body

async function sendThroughDoor({ url }: TestService, { appId, apiKey }: TestAccount, fields: Record<string, string>) {
  const all = { username: appId, password: apiKey, text: 'Bonjour', 'dlr-mask': '1', ...fields }
  assert.equal((await ask(`${url}/cgi-bin/sendsms?${new URLSearchParams(all)}`))[0], 202)
}

/** All that can wait to leave, of one account. */
async function makeAll(account: TestAccount, service: TestService, callbackUrl: string) {
  const list = await newList(account, mobiles(4, '+336170'))
  const rules = [{ type: 'list', op: 'in', list_id: list }]
  const segment = (await post(account, '/segments', { name: 'All', match: 'all', rules })).id
  const automation = { name: 'Daily', schedule: '0 10 * * *', contactlist: [list], sms: { content: 'Bonjour' } }
  const trial = { name: 'Trial', contactlist: [list], variants: VARIANTS }
  const made = {
    scheduled: await send(account, { recipients: mobiles(1, '+336171'), scheduleAt: LATER }),
    departing: (
      await post(account, '/messages/sms/contactlist', { content: 'Bonjour', segments: [segment], scheduleAt: LATER })
    ).message_id as number,
    daily: (await post(account, '/automations', automation)).id as number,
    once: (await post(account, '/automations', { ...automation, once: true })).id as number,
    unbegun: (await post(account, '/trials', { ...trial, decide_by: 'hand', scheduleAt: LATER })).id as number,
    rule: (await post(account, '/auto-replies', RULE)).id as number
  }
  await post(account, '/consents/keywords', KEYWORD)
  await newCredentials(account)
  await sendThroughDoor(service, account, { to: '33639980013', 'dlr-url': `${callbackUrl}/held` })
  return { ...made, list }
}

const mailTo = (to: string) => ({
  to,
  kind: 'password-changed' as const,
  language: 'en' as const,
  facts: { at: LATER },
  accountId: null,
  expiresAt: new Date(LATER)
})

/** What a moment of a busy service leaves in the database. */
async function stopInTheMiddle(pool: Pool, { id: accountId }: TestAccount): Promise<void> {
  await queueMail(pool, mailTo('held@test.example'))
  const reply = (text: string) => recordReply(pool, { carrier: 'main', from: '33639980013', to: '36111', text })
  await reply('Hours')
  await reply('Join')
  const set = { accountId, credentialId: 1, source: '', destination: '+33639980013', reference: 7 }
  const fields = { wants: 1 } as Parameters<typeof insertPart>[2]['fields']
  await insertPart(pool, set, {
    smppId: 1,
    reference: 7,
    total: 2,
    position: 1,
    body: Buffer.from('half'),
    fields,
    state: 'waiting'
  })
}

/** As if the database were that of a backup of a day and an hour ago. */
async function age(pool: Pool): Promise<void> {
  const before = pool`now() - interval '1 hour'`
  await pool`update trials set due_at = ${before} where state = 'scheduled'`
  await pool`update departures set due_at = ${before}`
  await pool`update automations set next_at = ${before}`
  await pool`update scheduled_messages set due_at = ${before}`
  await pool`update batches set due_at = ${before} where due_at > now()`
  await pool`update messages set scheduled_at = ${before} where state = 'scheduled'`
}

const SETTINGS = { CHAPPE_DOORS: 'kannel', CHAPPE_WEBHOOK_ALLOW_PRIVATE: 'true' }

async function startIn(t: TestContext, { file }: RcsWorld, settings: Record<string, string>, before?: TestService) {
  const options = { settings: { ...SETTINGS, CHAPPE_CARRIERS: file.path, ...settings } }
  const service = before ? await before.startPeer(t, options) : await startService(t, options)
  await untilReady(service)
  return service
}

async function whileStopped<T>({ databaseUrl: url }: TestService, work: (pool: Pool) => Promise<T>): Promise<T> {
  const pool = connect({ url, applicationName: 'test', connectionsMax: 2 })
  try {
    return await work(pool)
  } finally {
    await pool.close(1)
  }
}

test('after another tool restored the database, nothing leaves that may have left, and what is new leaves', async (t) => {
  const world = await startRcsWorld(t, { smpp: { numbers: ['36111'] } })
  const [receiver, mailbox] = [await startCallbackReceiver(t), await startMailbox(t)]
  // Nobody makes its callbacks and sends its mails: they wait.
  const before = await startIn(t, world, { CHAPPE_ROLES: 'api,delivery' })
  await tellEvents(world.rbm, before)
  const account = await before.newAccount({ credits: 100 })
  // From then on it has events.
  await account.expect(200).get('/events')
  const made = await makeAll(account, before, receiver.url)
  const trial = { name: 'Trial', contactlist: [made.list], variants: VARIANTS, share: 50 }
  const testing = await post(account, '/trials', { ...trial, decide_by: 'replies', decide_after_minutes: 60 })
  for (const { message_id } of testing.variants) await untilSummary(account, message_id, { delivered: 1 })
  const [offline = ''] = magic('08')
  const rcs = await sendRcs(account, [offline])
  await untilRcsSummary(account, rcs, { sent: 1 })
  const [unreachable = ''] = mobiles(1, '+336172')
  world.smsc.apply('refuse submits with ESME_RMSGQFUL')
  const waiting = await send(account, { recipients: [unreachable] })
  await eventually(async () => assert.equal((await before.pool`select from callback_queue`).length, 1))
  await assert.rejects(holdRestored(before, NOT_ALL), /A process of Chappe runs on this database/)
  await before.stop()
  world.smsc.apply('behave')
  const [lastMessage, lastEvent] = await whileStopped(before, async (pool) => {
    await stopInTheMiddle(pool, account)
    await age(pool)
    return Promise.all(
      ['message_ids', 'event_ids'].map(async (name) => (await pool`select last_value from ${pool(name)}`)[0]?.lastValue)
    )
  })

  const held = await holdRestored(before, NOT_ALL)
  assert.deepEqual(held, {
    messages: 3,
    departures: 1,
    automations: 1,
    automationsOff: 1,
    trialsFailed: 1,
    trialsToChoose: 1,
    answers: 1,
    questions: 1,
    mails: 1,
    callbacks: 1,
    deliveries: 2,
    parts: 1
  })
  assert.deepEqual(await holdRestored(before, NOT_ALL), NOTHING, 'all of it is held')

  const sentBefore = new Set(world.smsc.accepted.keys())
  const after = await startIn(t, world, { CHAPPE_ROLES: 'all', ...mailbox.settings }, before)
  await tellEvents(world.rbm, after)
  const restored = { ...account, ...after.anonymous.as({ 'x-api-key': account.apiKey }) }
  for (const id of [made.scheduled, rcs, waiting]) assert.ok((await readMessage(restored, id)).paused_at, `${id}`)
  const read = async (path: string) => (await restored.expect(200).get(path)).body
  assert.equal((await readMessage(restored, made.departing)).state, 'failed')
  assert.match((await read(`/messages/${made.departing}/departure`)).problem, /restored.*may have left since/)
  const [daily, once] = [await read(`/automations/${made.daily}`), await read(`/automations/${made.once}`)]
  assert.ok(Date.parse(daily.next_at) > Date.now())
  assert.deepEqual([daily.last_run_at, once.is_on], [null, false])
  const [unbegun, undecided] = [await read(`/trials/${made.unbegun}`), await read(`/trials/${testing.id}`)]
  assert.equal(unbegun.state, 'failed')
  assert.match(unbegun.problem, /restored.*may have begun since/)
  assert.deepEqual([undecided.state, undecided.decides_at], ['testing', null])
  assert.match(undecided.problem, /restored.*Choose one if not/)

  // What is new is worked on after everything that would be due: the oldest goes first.
  const [fresh = ''] = mobiles(1, '+336173')
  const phone = fresh.slice(1)
  await sendThroughDoor(after, restored, { to: phone, 'dlr-url': `${receiver.url}/fresh` })
  await eventually(() => {
    assert.deepEqual(
      receiver.calls.map(({ path }) => path),
      ['/fresh']
    )
  })
  for (const text of ['Hours', 'Join']) {
    await recordReply(after.pool, { carrier: 'main', from: phone, to: '36111', text })
  }
  await queueMail(after.pool, mailTo('fresh@test.example'))
  await eventually(() => {
    assert.deepEqual(
      mailbox.mails.flatMap(({ to }) => to),
      ['fresh@test.example']
    )
    assert.equal(world.smsc.accepted.get(phone)?.count, 3, 'a text, an answer and a question')
  })
  const [answer] = (await read(`/auto-replies/${made.rule}/answers`)).items.slice(-1)
  assert.match(answer.problem, /restored.*may have been sent since/)
  const newRcs = await sendRcs(restored, magic('13'))
  await untilRcsSummary(restored, newRcs, { delivered: 1 })
  await giveUp(after)
  await eventually(async () => assert.deepEqual((await readSteps(restored, rcs)).slice(-1), ['fallback']))
  const beside = [...world.smsc.accepted.keys()].filter((number) => !sentBefore.has(number))
  assert.deepEqual(beside, [phone], 'nobody else got an SMS')
  assert.deepEqual(world.smsc.repeated(), [])

  // Ids that may have been given since are not given again: carriers and webhooks know by them what they have.
  const freshId = await send(restored, { recipients: [fresh] })
  assert.ok(freshId >= Number(lastMessage) + 1_000_000)
  const [events] = await after.pool<
    [{ first: number }]
  >`select min(id) as first from events where id > ${lastEvent as number}`
  assert.ok(events.first >= Number(lastEvent) + 1_000_000)
  const [stray] = await after.pool<[{ count: number }]>`select count(*) as count from recipients_default`
  assert.equal(stray.count, 0, 'there is a range of ids for it')

  // A person decides on what is held.
  await restored.expect(200).put(`/messages/${waiting}/resume`)
  await untilSummary(restored, waiting, { delivered: 1 })
  await restored.expect(200).put(`/messages/${rcs}/resume`)
  await eventually(() => assert.deepEqual(channelsOf(world, offline), ['sms']))
  const { body: chosen } = await restored.expect(200).put(`/trials/${testing.id}/choose`, {})
  await untilSummary(restored, chosen.rest.message_id, { delivered: 2 })
  await assertLedgerHolds(after.pool)
})

async function runHold(settings: Record<string, string>, ...args: string[]) {
  const { code, output } = await runScript('hold.ts', settings, ...args)
  return [code, output]
}

test('npm run hold holds back what leaves later too, if it is told to, and refuses a database in use', async (t) => {
  const service = await startService(t)
  const account = await service.newAccount({ credits: 100 })
  const list = await newList(account, mobiles(2))
  const rules = [{ type: 'list', op: 'in', list_id: list }]
  const { id: segment } = await post(account, '/segments', { name: 'All', match: 'all', rules })
  const later = { content: 'Bonjour', scheduleAt: LATER }
  const { message_id: scheduled } = await post(account, '/messages/sms', { ...later, recipients: mobiles(1) })
  const { message_id: departing } = await post(account, '/messages/sms/contactlist', { ...later, segments: [segment] })
  const trial = { name: 'Trial', contactlist: [list], variants: VARIANTS, decide_by: 'hand', scheduleAt: LATER }
  const { id: unbegun } = await post(account, '/trials', trial)
  const settings = { DATABASE_URL: await tcpUrlOf(t, service) }
  assert.deepEqual(await runHold(settings), [1, 'A process of Chappe runs on this database: stop all of them first.\n'])
  const [code, output] = await runHold({ DATABASE_URL: 'postgres://nobody:hush@127.0.0.1:1/none' })
  assert.deepEqual(
    [code, /The database can't be used: .*ECONNREFUSED/.test(`${output}`), /hush/.test(`${output}`)],
    [1, true, false]
  )
  const other = new URL(settings.DATABASE_URL)
  other.pathname = '/postgres'
  assert.deepEqual(await runHold({ DATABASE_URL: other.href }), [
    1,
    'This is no database of Chappe. DATABASE_URL must name the one that was restored.\n'
  ])
  assert.deepEqual(await runHold(settings, '--all'), [2, 'There is no option --all; there is --hold-scheduled.\n'])
  await service.stop()
  assert.deepEqual(await runHold(settings), [0, 'Nothing had to be held back.\n'])
  const [ended, told] = await runHold(settings, '--hold-scheduled')
  assert.equal(ended, 0, `${told}`)
  assert.match(`${told}`, /2 messages are paused\n {2}1 trials have failed\nSee "After a restore"/)

  const after = await service.startPeer(t)
  const restored = { ...account, ...after.anonymous.as({ 'x-api-key': account.apiKey }) }
  assert.equal((await restored.expect(200).get(`/trials/${unbegun}`)).body.state, 'failed')
  for (const id of [scheduled, departing]) assert.ok((await readMessage(restored, id)).paused_at)
  await after.pool`update departures set due_at = now() - interval '1 second'`
  await restored.expect(200).put(`/messages/${departing}/resume`)
  await eventually(async () => assert.equal((await readMessage(restored, departing)).recipients_count, 2))
  assert.equal((await readMessage(restored, scheduled)).state, 'scheduled')
})

import { strict as assert } from 'node:assert'
import type { ServerResponse } from 'node:http'
import { answerJson, type Got, startProvider, toCarrier } from '../../src/carriers/http/http.samples.ts'
import { eventually } from '../checks/eventually.ts'
import { assertLedgerHolds } from '../checks/ledger.ts'
import { creditsOf } from '../messages/answering.ts'
import {
  countDoubts,
  decideDoubts,
  mobiles,
  readTimeline,
  send,
  untilReady,
  untilSummary
} from '../messages/sending.ts'
import { type CarrierEntry, carriersFile, carrierTo, startSmsc } from '../peers/smsc.ts'
import { endLeases, startChild } from '../processes/children.ts'
import { startService, type TestAccount, test } from '../service/service.ts'

/** A prefix for each route, and one phone behind it. */
const PHONES = { plain: '336121', safe: '336122', next: '336123', smpp: '336124', held: '336125' }
const phoneOf = (route: keyof typeof PHONES) => mobiles(1, `+${PHONES[route]}`)[0] ?? ''
const toOf = ({ text }: Got): string => JSON.parse(text).to
const refuse = (response: ServerResponse) => answerJson(response, 400, { error: { code: 'closed' } })

test('killed with -9 without an answer, and between a refusal and the next try: each is sent and charged once', async (t) => {
  let isAlive = true
  const accept = (response: ServerResponse) => answerJson(response, 200, { id: crypto.randomUUID() })
  // Until the first process is dead, these two don’t answer, and the next carriers take nothing.
  const silent = (_: Got, response: ServerResponse) => (isAlive ? undefined : accept(response))
  const [plain, safe] = [await startProvider(t, silent), await startProvider(t, silent)]
  const busy = (response: ServerResponse) => answerJson(response, 429, {}, { 'retry-after': '3600' })
  const next = await startProvider(t, (_, response) => (isAlive ? busy(response) : accept(response)))
  let hold: (() => Promise<void>) | undefined
  const refusing = await startProvider(t, async (got, response) => {
    if (toOf(got) === phoneOf('held')) await hold?.()
    refuse(response)
  })
  const first = await startSmsc(t, { faults: 'refuse submits with 0x0b' })
  const second = await startSmsc(t, { faults: 'refuse binds with ESME_RBINDFAIL' })
  const http = (name: string, url: string, fields = {}) =>
    toCarrier(url, { name, answerTimeout: 120, ...fields }) as CarrierEntry
  const carriers = [
    http('plain', plain.url),
    http('safe', safe.url, { idempotent: true }),
    http('refusing', refusing.url),
    http('next', next.url),
    carrierTo(first, { name: 'first' }),
    carrierTo(second, { name: 'second' })
  ]
  const byOutcome = { carriers: ['refusing', 'next'], tryNextOn: ['closed'] }
  const file = await carriersFile(t, carriers, [
    { prefix: PHONES.plain, carriers: ['plain'] },
    { prefix: PHONES.safe, carriers: ['safe'] },
    { prefix: PHONES.next, ...byOutcome },
    { prefix: PHONES.held, ...byOutcome },
    { prefix: PHONES.smpp, carriers: ['first', 'second'], tryNextOn: ['ESME_RINVDSTADR'] }
  ])
  const service = await startService(t, { settings: { CHAPPE_CARRIERS: file.path } })
  const { pool } = service
  const account = await service.newAccount({ credits: 10 })
  const cautious = await service.newAccount({ credits: 10 })
  await cautious.expect(200).put('/users/me', { settings: { in_doubt: 'fail' } })
  const child = await startChild(t, service, file.path)
  await untilReady(child)
  const sendTo = (route: keyof typeof PHONES, from: TestAccount = account) =>
    send(from, { recipients: [phoneOf(route)] })
  const sent = {
    plain: await sendTo('plain', cautious),
    safe: await sendTo('safe'),
    next: await sendTo('next'),
    smpp: await sendTo('smpp')
  }
  const stepsOf = async (id: number) => (await readTimeline(account, id)).map(({ step, carrier }) => [step, carrier])
  await eventually(async () => {
    assert.deepEqual([plain.got.length, safe.got.length, next.got.length], [1, 1, 1])
    assert.deepEqual((await stepsOf(sent.smpp)).at(-1), ['refused', 'first'])
    const later = await pool`select from batches where due_at > now() + interval '30 minutes' and leased_by is null`
    assert.equal(later.length, 1, 'the busy answer of the next carrier is stored')
  })
  // The refusal of the last one is answered, and can’t be stored.
  const locked = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  hold = () => {
    void pool.begin(async (database) => {
      await database`
        select from batches
        where message_id in (select message_id from recipients where phone = ${phoneOf('held')})
        for update
      `
      locked.resolve()
      await released.promise
    })
    return locked.promise
  }
  const held = await sendTo('held')
  await eventually(async () => {
    const [row] = await pool`
      select count(*)::integer as waiting from pg_stat_activity
      where wait_event_type = 'Lock' and datname = current_database()
    `
    assert.ok(Number(row?.waiting) > 0)
  })
  await child.kill()
  isAlive = false
  hold = undefined
  released.resolve()
  second.apply('behave')
  await endLeases(service)
  await pool`update batches set due_at = now()`

  const other = await service.startPeer(t, { settings: { CHAPPE_ROLES: 'all', CHAPPE_CARRIERS: file.path } })
  await untilReady(other)
  await eventually(async () => assert.equal(await countDoubts(service), 3), { withinMs: 30_000 })
  await untilSummary(account, sent.next, { sent: 1 }, { withinMs: 30_000 })
  await untilSummary(account, sent.smpp, { delivered: 1 }, { withinMs: 30_000 })
  assert.deepEqual([plain.got.length, safe.got.length], [1, 1], 'what may have been sent is in doubt first')
  await decideDoubts(service)
  await untilSummary(cautious, sent.plain, { failed: 1 })
  await untilSummary(account, sent.safe, { sent: 1 })
  await untilSummary(account, held, { failed: 1 })
  assert.equal(plain.got.length, 1, 'without a safe repeat, the account decides')
  const keys = safe.got.map(({ headers }) => headers['idempotency-key'])
  assert.deepEqual([keys.length, new Set(keys).size], [2, 1], 'again under the same key')
  const askedFor = (route: keyof typeof PHONES) => refusing.got.filter((got) => toOf(got) === phoneOf(route)).length
  assert.equal(askedFor('next'), 1, 'a stored refusal is not asked for again')
  assert.equal(
    askedFor('held'),
    2,
    'a refusal that was not stored is; the first carrier may have it, so nobody else is'
  )
  assert.deepEqual([first.stats.submits, second.stats.accepted], [1, 1])
  const steps = await stepsOf(sent.next)
  assert.deepEqual(
    [steps[1], steps.at(-1)],
    [
      ['refused', 'refusing'],
      ['sent', 'next']
    ]
  )
  assert.equal(await creditsOf(account), 7, 'the one that was refused is paid back')
  await assertLedgerHolds(pool)
})

test('two processes together keep to the throughput of an HTTP carrier', async (t) => {
  const PER_SECOND = 20
  const COUNT = 60
  /** What may leave in one go after a pause, and what each process may have been granted: limits.ts, throughput.ts. */
  const BURST = Math.floor(PER_SECOND * 0.05) + 2 * Math.floor(PER_SECOND / 5)
  let lastMs = 0
  const provider = await startProvider(t, (_, response) => {
    lastMs = performance.now()
    answerJson(response, 200, { id: crypto.randomUUID() })
  })
  // Each process has a file of its own, which names it.
  const settingsOf = async (node: string) => {
    const carrier = toCarrier(provider.url, {
      answerTimeout: 60,
      throughput: PER_SECOND,
      secrets: { key: node, hook: 'h-1' }
    })
    const { path } = await carriersFile(t, [carrier as CarrierEntry])
    return { settings: { CHAPPE_ROLES: 'all', CHAPPE_CARRIERS: path } }
  }
  const one = await startService(t, await settingsOf('one'))
  const two = await one.startPeer(t, await settingsOf('two'))
  for (const service of [one, two]) await untilReady(service)
  const account = await one.newAccount({ credits: COUNT })
  const throughTwo = two.anonymous.as({ 'x-api-key': account.apiKey }).expect(200)
  const startedMs = performance.now()
  // Small sends leave through the process that accepts them, while it has room.
  await Promise.all(
    mobiles(COUNT).map((phone, index) =>
      (index % 2 ? throughTwo : account.expect(200)).post('/messages/sms', { content: 'a', recipients: [phone] })
    )
  )
  await eventually(() => assert.equal(provider.got.length, COUNT), { withinMs: 30_000 })
  const seconds = (lastMs - startedMs) / 1000
  const byNode = (node: string) => provider.got.filter(({ headers }) => headers['x-key'] === node).length
  t.diagnostic(`${COUNT} in ${seconds.toFixed(1)} s, ${byNode('one')} and ${byNode('two')}`)
  assert.ok(seconds >= (COUNT - BURST) / PER_SECOND, `${seconds} s`)
  assert.ok(byNode('one') > 0 && byNode('two') > 0, 'both took part')
})

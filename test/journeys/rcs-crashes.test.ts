import { strict as assert } from 'node:assert'
import { eventually } from '../checks/eventually.ts'
import { assertInvariants } from '../checks/invariants.ts'
import {
  channelsOf,
  giveUp,
  magic,
  readBalances,
  readRcsRecipients,
  readSteps,
  sendRcs,
  startRcs,
  startRcsWorld,
  tellEvents,
  untilEventsDone,
  untilRcsSummary
} from '../messages/rcs.ts'
import { decideDoubts, mobiles, readMessage, untilReady } from '../messages/sending.ts'
import { endLeases, randomFrom, startChild } from '../processes/children.ts'
import { startService, test } from '../service/service.ts'

test('killed with -9 at any moment of an RCS campaign of which a third falls back: each phone gets one message, paid once', async (t) => {
  const seed = Number(process.env.CHAPPE_TEST_SEED ?? Date.now() % 2 ** 31)
  t.diagnostic(`seed ${seed}: CHAPPE_TEST_SEED=${seed} npm test -- rcs-crashes`)
  const random = randomFrom(seed)
  const world = await startRcsWorld(t, {
    faults: 'delay answers 10ms',
    smscFaults: 'delay answers 10ms',
    rbm: { fallbackDelay: 3 },
    smpp: { window: 20 }
  })
  const { rbm, smsc } = world
  // It accepts, and hears what the platform tells: what is sent is sent by those that are killed.
  const service = await startService(t, { settings: { CHAPPE_CARRIERS: world.file.path } })
  await tellEvents(rbm, service)
  const account = await service.newAccount({ credits: 1_000 })
  const ids: number[] = []
  const [reached, fallen] = [[] as string[], [] as string[]]
  const steps = () => rbm.stats.messages + rbm.stats.eventsAcknowledged + smsc.stats.submits + smsc.stats.receiptsSent
  for (let round = 0; round < 3; round++) {
    const child = await startChild(t, service, world.file.path)
    await untilReady(child)
    const online = mobiles(70, `+3361200${round}`)
    const others = ['07', '08'].flatMap((digits) => magic(digits, 15, { from: 15 * round }))
    ids.push(
      await sendRcs(
        account,
        [...online, ...others].toSorted((one, other) => hash(one) - hash(other))
      )
    )
    reached.push(...online)
    fallen.push(...others)
    const [before, more] = [steps(), Math.floor(random() * 190)]
    await eventually(() => assert.ok(steps() >= before + more), { everyMs: 1 })
    await child.kill()
    t.diagnostic(
      `round ${round}: killed after ${more} steps, with ${rbm.stats.messages} RCS and ${smsc.stats.accepted} SMS`
    )
    await endLeases(service)
  }
  await service.startPeer(t, { settings: { CHAPPE_ROLES: 'delivery', CHAPPE_CARRIERS: world.file.path } })
  await eventually(
    async () => {
      await decideDoubts(service)
      const open = await service.pool`select from recipients where state in (0, 2, 9)`
      assert.equal(open.length, 0)
    },
    { withinMs: 30_000 }
  )
  for (const id of ids) await untilRcsSummary(account, id, { delivered: 100 })
  t.diagnostic(`${rbm.stats.repeats} RCS came again, ${smsc.repeated().length} SMS came twice`)
  const wrong = [
    ...reached.map((phone) => ({ phone, expected: 'rcs' })),
    ...fallen.map((phone) => ({ phone, expected: 'sms' }))
  ].filter(({ phone, expected }) => channelsOf(world, phone).join() !== expected)
  assert.deepEqual(
    wrong.map(({ phone }) => [phone, channelsOf(world, phone)]),
    [],
    'each phone gets one RCS, or one SMS'
  )
  assert.deepEqual(await readBalances(account), { sms: 1_000 - fallen.length, rcs: 1_000 - reached.length })
  await assertInvariants(service, { smscs: [smsc], accounts: [account] })
})

/** Any order that mixes them, but always the same. */
function hash(phone: string): number {
  return Math.imul(Number(phone.slice(-7)), 2_654_435_761) >>> 0
}

test('killed after the platform took a message and before that was stored: it is sent again, and the phone sees it once', async (t) => {
  const world = await startRcsWorld(t)
  const { rbm } = world
  const service = await startService(t, { settings: { CHAPPE_CARRIERS: world.file.path } })
  await tellEvents(rbm, service)
  const account = await service.newAccount({ credits: 20 })
  const child = await startChild(t, service, world.file.path)
  await untilReady(child)
  const before = await sendRcs(account, mobiles(5))
  await untilRcsSummary(account, before, { delivered: 5 })
  rbm.apply('hold answers')
  const id = await sendRcs(account, mobiles(5))
  await eventually(() => assert.equal(rbm.stats.messages, 10))
  await child.kill()
  rbm.apply('release answers')
  await endLeases(service)
  await service.startPeer(t, { settings: { CHAPPE_ROLES: 'delivery', CHAPPE_CARRIERS: world.file.path } })
  await untilRcsSummary(account, id, { delivered: 5 })
  assert.deepEqual([rbm.stats.messages, rbm.stats.repeats], [10, 5])
  for (const phone of mobiles(5)) assert.deepEqual(channelsOf(world, phone), ['rcs', 'rcs'])
  assert.deepEqual(await readBalances(account), { sms: 20, rcs: 10 })
  await assertInvariants(service, { smscs: [world.smsc], accounts: [account] })
})

test('killed while it settles what a cancel met at that moment: it is revoked, and its credits come back', async (t) => {
  const world = await startRcsWorld(t, { faults: 'hold answers' })
  const { rbm } = world
  const service = await startService(t, { settings: { CHAPPE_CARRIERS: world.file.path } })
  const account = await service.newAccount({ credits: 20 })
  const child = await startChild(t, service, world.file.path)
  await untilReady(child)
  const [phone = '', other = ''] = magic('08', 2)
  const id = await sendRcs(account, [phone, other])
  await eventually(() => assert.equal(rbm.stats.messages, 2))
  await service.pool.begin(async (settler) => {
    // As a process that has an answer holds the recipient, and waits for the message.
    await settler`
      select position from recipients where account_id = ${account.id} and message_id = ${id} and position = 1 for update
    `
    await account.expect(200).put(`/messages/${id}/cancel`)
    await child.kill()
  })
  rbm.apply('release answers')
  await endLeases(service)
  await service.startPeer(t, { settings: { CHAPPE_ROLES: 'delivery', CHAPPE_CARRIERS: world.file.path } })
  await untilRcsSummary(account, id, { cancelled: 2 })
  assert.equal(rbm.stats.revoked, 2)
  assert.deepEqual(await readBalances(account), { sms: 20, rcs: 20 })
  await assertInvariants(service, { smscs: [world.smsc], accounts: [account] })
})

test('reports come while the SMS of their RCS leave, and a process is killed with -9 meanwhile: each is paid once, by the way it went', async (t) => {
  const world = await startRcsWorld(t, {
    faults: 'hold events',
    smscFaults: 'delay answers 20ms',
    smpp: { window: 2 }
  })
  const { rbm, smsc } = world
  const service = await startService(t, { settings: { CHAPPE_CARRIERS: world.file.path } })
  await tellEvents(rbm, service)
  const account = await service.newAccount({ credits: 200 })
  const settings = { CHAPPE_ROLES: 'delivery', CHAPPE_CARRIERS: world.file.path }
  const child = await startChild(t, service, world.file.path)
  await untilReady(child)
  const phones = mobiles(100)
  const id = await sendRcs(account, phones)
  await untilRcsSummary(account, id, { sent: 100 })
  await giveUp(service)
  await eventually(() => assert.ok(smsc.stats.accepted >= 10), { everyMs: 1 })
  rbm.apply('release events')
  await eventually(() => assert.ok(rbm.stats.eventsAcknowledged >= 20), { everyMs: 1 })
  await child.kill()
  await endLeases(service)
  await service.startPeer(t, { settings })
  await eventually(
    async () => {
      await decideDoubts(service)
      await service.pool`update rcs_waits set due_at = now()`
      await service.pool`update rbm_events set next_try_at = now() where next_try_at > now()`
      assert.equal((await readMessage(account, id)).summary.delivered, 100)
    },
    { withinMs: 30_000 }
  )
  await untilEventsDone(service)
  const recipients = await readRcsRecipients(account, id)
  const byRcs = recipients.filter(({ channel }) => channel === 'rcs')
  t.diagnostic(`${byRcs.length} SMS were stopped, ${smsc.stats.accepted} left`)
  const doubted = await service.pool<
    { position: number }[]
  >`select position from timeline_steps where step = 'in_doubt'`
  const inDoubt = new Set(doubted.map(({ position }) => position))
  const wrong = recipients.filter(({ channel, recipient }, index) => {
    const count = smsc.accepted.get(recipient.slice(1))?.count ?? 0
    return !inDoubt.has(index + 1) && count !== (channel === 'sms' ? 1 : 0)
  })
  assert.deepEqual(wrong, [], 'an SMS that was stopped never left, and one that left was not stopped')
  assert.deepEqual(await readBalances(account), { sms: 100 + byRcs.length, rcs: 200 - byRcs.length })
  await assertInvariants(service, { accounts: [account] })
})

test('two services are restarted one after the other under an RCS campaign: nothing is lost, nothing comes twice', async (t) => {
  const service = await startRcs(t, { faults: 'delay answers 20ms', smscFaults: 'delay answers 5ms' })
  const { rbm, smsc, pool } = service
  const account = await service.newAccount({ credits: 2_000 })
  const [reached, fallen] = [mobiles(600), magic('07', 60)]
  const id = await sendRcs(account, [...reached.slice(0, 300), ...fallen, ...reached.slice(300)])
  let peer = await service.startPeer(t)
  await untilReady(peer)
  for (const taken of [150, 350]) {
    await eventually(() => assert.ok(rbm.stats.messages >= taken))
    const next = await service.startPeer(t)
    await untilReady(next)
    await peer.stop()
    peer = next
  }
  await untilRcsSummary(account, id, { delivered: 660 }, { withinMs: 30_000 })
  assert.deepEqual([rbm.stats.messages, rbm.stats.repeats, smsc.stats.accepted], [600, 0, 60])
  assert.deepEqual((await pool`select from timeline_steps where step in ('in_doubt', 'resent')`).length, 0)
  const wrong = [...reached, ...fallen].filter((phone) => channelsOf(service, phone).length !== 1)
  assert.deepEqual(wrong, [])
  assert.deepEqual(await readSteps(account, id), ['accepted', 'sent', 'delivered'])
  assert.deepEqual(await readBalances(account), { sms: 1_940, rcs: 1_400 })
  await assertInvariants(service, { smscs: [smsc], accounts: [account] })
})

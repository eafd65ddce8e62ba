import { strict as assert } from 'node:assert'
import { setTimeout as sleep } from 'node:timers/promises'
import { eventually } from '../checks/eventually.ts'
import { assertInvariants } from '../checks/invariants.ts'
import { channelsOf, hurryWaits, magic, sendRcs, startRcs, untilRcsSummary } from '../messages/rcs.ts'
import { decideDoubts, mobiles, send, startDelivering, untilReady, untilSummary } from '../messages/sending.ts'
import { carriersFile, carrierTo, startSmsc } from '../peers/smsc.ts'
import { endLeases, startChild } from '../processes/children.ts'
import { startService, type TestAccount, type TestService, test } from '../service/service.ts'

const WINDOW = 10
/** Long enough for every poll of delivery to come round. */
const SOME_POLLS_MS = 1_500

const suspend = ({ operator }: TestService, { id }: TestAccount) =>
  operator.expect(200).put(`/accounts/${id}/standing`, { standing: 'suspended', reason: 'Unpaid.' })
const resume = ({ operator }: TestService, { id }: TestAccount) =>
  operator.expect(200).put(`/accounts/${id}/standing`, { standing: 'open' })

async function readState({ pool }: TestService, id: number): Promise<string | undefined> {
  const [message] = await pool<{ state: string }[]>`select state from messages where id = ${id}`
  return message?.state
}

test('a campaign stops within its window when its account is suspended, goes on when it is resumed, and each phone gets it once', async (t) => {
  const smsc = await startSmsc(t, { faults: 'delay answers 20ms' })
  const service = await startDelivering(t, [carrierTo(smsc, { window: WINDOW })])
  const [account, other] = [await service.newAccount({ credits: 2_000 }), await service.newAccount({ credits: 10 })]
  const id = await send(account, { recipients: mobiles(1_200) })
  await eventually(() => assert.ok(smsc.stats.submits >= 30))
  smsc.apply('hold answers')
  let answered = 0
  await eventually(
    () => {
      const before = answered
      answered = smsc.stats.answered
      assert.equal(answered, before, 'the answers are not held yet')
      assert.equal(smsc.stats.submits - answered, WINDOW, 'the window is not full yet')
    },
    { everyMs: 200 }
  )
  const left = smsc.stats.submits
  await suspend(service, account)
  await sleep(SOME_POLLS_MS)
  smsc.apply('release answers')
  await sleep(SOME_POLLS_MS)
  assert.equal(smsc.stats.submits, left, 'only what was in the window had left')
  assert.ok(left < 1_200)

  const others = await send(other, { recipients: mobiles(1, '+336130') })
  await untilSummary(other, others, { delivered: 1 })
  assert.equal(smsc.stats.submits, left + 1, 'nobody else waits for it')

  await resume(service, account)
  await untilSummary(account, id, { delivered: 1_200 }, { withinMs: 30_000 })
  assert.deepEqual(smsc.repeated(), [])
  await assertInvariants(service, { smscs: [smsc], accounts: [account, other] })
})

test('a message that is scheduled waits for the account to be resumed, and one whose time is over expires', async (t) => {
  const smsc = await startSmsc(t)
  const service = await startDelivering(t, [carrierTo(smsc)])
  const account = await service.newAccount({ credits: 10 })
  const scheduleAt = new Date(Date.now() + 3_600_000).toISOString()
  const id = await send(account, { recipients: mobiles(2), scheduleAt })
  const late = await send(account, { recipients: mobiles(3, '+336130'), scheduleAt })
  await suspend(service, account)
  const { pool } = service
  await pool`update batches set due_at = now() - interval '1 second' where account_id = ${account.id}`
  await pool`update batches set expires_at = now() where message_id = ${late}`
  await pool`update scheduled_messages set due_at = now() where account_id = ${account.id}`
  await sleep(SOME_POLLS_MS)
  assert.deepEqual([await readState(service, id), smsc.stats.submits], ['scheduled', 0])
  await resume(service, account)
  await untilSummary(account, id, { delivered: 2 })
  await untilSummary(account, late, { failed: 3 })
  assert.equal((await account.expect(200).get('/users/credits')).body[0].credits, 8)
  await assertInvariants(service, { smscs: [smsc], accounts: [account] })
})

test('retries wait too', async (t) => {
  const smsc = await startSmsc(t, { faults: 'throttle 100% at random' })
  const service = await startDelivering(t, [carrierTo(smsc, { window: WINDOW })])
  const account = await service.newAccount({ credits: 100 })
  const id = await send(account, { recipients: mobiles(30) })
  await eventually(() => assert.ok(smsc.stats.submits > 0))
  await suspend(service, account)
  await sleep(SOME_POLLS_MS)
  smsc.apply('throttle never')
  await service.pool`update batches set due_at = now()`
  await sleep(SOME_POLLS_MS)
  assert.equal(smsc.stats.accepted, 0)
  await resume(service, account)
  await untilSummary(account, id, { delivered: 30 }, { withinMs: 30_000 })
  assert.deepEqual(smsc.repeated(), [])
  await assertInvariants(service, { smscs: [smsc], accounts: [account] })
})

test('an SMS that takes the place of an RCS waits too', async (t) => {
  const [offline = ''] = magic('08')
  const service = await startRcs(t)
  const account = await service.newAccount({ credits: 10 })
  const id = await sendRcs(account, [offline])
  await untilRcsSummary(account, id, { sent: 1 })
  await suspend(service, account)
  await hurryWaits(service, 'report')
  await eventually(() => assert.equal(service.rbm.stats.revoked, 1))
  await hurryWaits(service, 'revoked')
  await eventually(async () => assert.equal((await service.pool`select from batches`).length, 1))
  await sleep(SOME_POLLS_MS)
  assert.deepEqual(channelsOf(service, offline), [])
  await resume(service, account)
  await untilRcsSummary(account, id, { delivered: 1 })
  assert.deepEqual(channelsOf(service, offline), ['sms'])
  await assertInvariants(service, { smscs: [service.smsc], accounts: [account] })
})

test('killed with -9 while an account is suspended: nothing more leaves, and nothing is lost', async (t) => {
  const smsc = await startSmsc(t, { faults: 'delay answers 20ms' })
  const file = await carriersFile(t, [carrierTo(smsc, { window: WINDOW })])
  const service = await startService(t, { settings: { CHAPPE_CARRIERS: file.path } })
  const account = await service.newAccount({ credits: 500 })
  const first = await startChild(t, service, file.path)
  await untilReady(first)
  const id = await send(account, { recipients: mobiles(300) })
  await eventually(() => assert.ok(smsc.stats.submits >= 30), { everyMs: 1 })
  const suspending = suspend(service, account)
  first.child.kill('SIGKILL')
  await Promise.all([suspending, first.exit])
  const left = smsc.stats.submits
  await endLeases(service)
  const second = await startChild(t, service, file.path)
  await untilReady(second)
  await sleep(SOME_POLLS_MS)
  assert.equal(smsc.stats.submits, left)
  await resume(service, account)
  await eventually(async () => {
    assert.equal((await service.pool`select from recipients where state = 0`).length, 0)
    assert.equal(smsc.waitingCount, 0)
    assert.ok(smsc.stats.receiptsAcknowledged >= smsc.stats.accepted)
  })
  await decideDoubts(service)
  await untilSummary(account, id, { delivered: 300 }, { withinMs: 30_000 })
  assert.deepEqual(smsc.repeated(), [])
  await assertInvariants(service, { smscs: [smsc], accounts: [account] })
  second.child.kill('SIGTERM')
  await second.exit
})

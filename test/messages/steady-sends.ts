import { strict as assert } from 'node:assert'
import type { TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { eventually } from '../checks/eventually.ts'
import { assertInvariants } from '../checks/invariants.ts'
import { type Receiver, startReceiver } from '../peers/receiver.ts'
import { carriersFile, carrierTo, type Smsc, startSmsc } from '../peers/smsc.ts'
import { atEnd } from '../service/cleanup.ts'
import { startService, type TestAccount, type TestService } from '../service/service.ts'
import { countDoubts, decideDoubts, mobiles, send, untilReady } from './sending.ts'

/*
 * Somebody who sends to one phone after the other and writes down what was answered. Half of them repeat what was not
 * answered 200, with the same Idempotency-Key, until it is; the others go on with the next phone.
 */

const LANES = 6
/** As a client does that is told to come back. */
const PAUSE_MS = 100
/** After each message, so that all lanes leave the carrier some room: an account's single messages go before its campaigns. */
const BETWEEN_MS = 40
/** So much is told of the last answers of a lane that does not end. */
const LAST_SIZE = 400

export interface SteadySends {
  /** Message ids by phone, of all that was answered 200. */
  acknowledged: ReadonlyMap<string, number>
  /** How often the answer was 503. */
  readonly refusedCount: number
  /** How long the slowest answer took. */
  readonly slowestMs: number
  /** Waits until so many more were answered 200. */
  untilMore(count: number, options?: { withinMs?: number }): Promise<void>
  /** Waits until so many more were answered 503. */
  untilRefused(count: number, options?: { withinMs?: number }): Promise<void>
  /** Ends it, when all that has begun is answered. */
  stop(): Promise<void>
}

export function startSends(t: TestContext, account: Pick<TestAccount, 'post'>, prefix = '+3361'): SteadySends {
  const acknowledged = new Map<string, number>()
  let [isOver, isGivenUp] = [false, false]
  let [begun, refusedCount, slowestMs] = [0, 0, 0]
  /** By lane: the last answer, while it has not ended. */
  const open = new Map<number, string>()

  async function work(lane: number): Promise<void> {
    open.set(lane, 'no answer')
    while (!isOver) {
      const phone = `${prefix}${String(begun++).padStart(12 - prefix.length, '0')}`
      const headers: Record<string, string> = lane % 2 === 0 ? { 'idempotency-key': `steady ${phone}` } : {}
      do {
        const since = performance.now()
        open.set(lane, `${open.get(lane)}; asked for ${phone}`.slice(-LAST_SIZE))
        const answer = await account.post('/messages/sms', { recipients: [phone], content: 'Bonjour' }, headers)
        open.set(lane, `${open.get(lane)}: ${answer.status} ${answer.text}`.slice(-LAST_SIZE))
        slowestMs = Math.max(slowestMs, performance.now() - since)
        if (answer.status === 200) {
          acknowledged.set(phone, answer.body.message_id)
          break
        }
        // Of a key, the first request may still be under way when the second comes: 409.
        const isInProgress = headers['idempotency-key'] !== undefined && answer.status === 409
        assert.ok(answer.status === 503 || isInProgress, `${answer.status}: ${answer.text}`)
        if (answer.status === 503) refusedCount++
        await sleep(PAUSE_MS)
      } while (headers['idempotency-key'] !== undefined && !isGivenUp)
      await sleep(BETWEEN_MS)
    }
    open.delete(lane)
  }

  // A test that failed leaves a service that answers nothing but 503: repeating would never end.
  atEnd(t, () => {
    isOver = true
    isGivenUp = true
  })
  const lanes = Promise.all(Array.from({ length: LANES }, (_, lane) => work(lane)))
  // An answer that nobody expects ends its lane: then it is told at once, and not when the wait is over.
  const failed = Promise.withResolvers<never>()
  failed.promise.catch(() => undefined)
  lanes.catch(failed.reject)
  async function until(reached: () => number, count: number, withinMs: number): Promise<void> {
    const target = reached() + count
    const isReached = () => assert.ok(reached() >= target, `${reached()} of ${target}`)
    await Promise.race([eventually(isReached, { withinMs }), failed.promise])
  }
  return {
    acknowledged,
    get refusedCount() {
      return refusedCount
    },
    get slowestMs() {
      return slowestMs
    },
    untilMore: (count, { withinMs = 60_000 } = {}) => until(() => acknowledged.size, count, withinMs),
    untilRefused: (count, { withinMs = 60_000 } = {}) => until(() => refusedCount, count, withinMs),
    async stop() {
      isOver = true
      await eventually(() => assert.deepEqual([...open], [], 'all sends are answered'), { withinMs: 60_000 })
      await lanes
    }
  }
}

export interface Load {
  service: TestService
  account: TestAccount
  sends: SteadySends
  smsc: Smsc
  receiver: Receiver
}

const CAMPAIGN = 300

/** The whole service on this database, with single sends and a campaign under way, and somebody who is told of them. */
export async function startUnderLoad(t: TestContext, databaseUrl: string | TestService['databaseUrl']): Promise<Load> {
  // At most 200 a second, so that the campaign is under way for a while.
  const smsc = await startSmsc(t, { faults: 'delay answers 100ms' })
  const receiver = await startReceiver(t)
  const file = await carriersFile(t, [carrierTo(smsc, { window: 20 })])
  const settings = { CHAPPE_ROLES: 'all', CHAPPE_CARRIERS: file.path, CHAPPE_WEBHOOK_ALLOW_PRIVATE: 'true' }
  const service = await startService(t, { databaseUrl, settings })
  await untilReady(service)
  const account = await service.newAccount({ credits: 100_000 })
  await account.expect(200).put('/webhooks', { webhooks: [{ type: 'sms_status', url: receiver.url, batch_size: 50 }] })
  const sends = startSends(t, account, '+33613')
  await sends.untilMore(20)
  const phones = mobiles(CAMPAIGN, '+336120')
  await send(account, { recipients: phones, content: 'Campagne' })
  const left = () => phones.filter((phone) => smsc.accepted.has(phone.slice(1))).length
  await eventually(() => assert.ok(left() > 0, 'the campaign leaves'), { withinMs: 60_000 })
  t.diagnostic(`${CAMPAIGN - left()} of ${CAMPAIGN} recipients of the campaign had not left`)
  return { service, account, sends, smsc, receiver }
}

/** Ends the load. Nothing that was acknowledged is lost, nothing came twice without a reason, everybody was told. */
export async function assertAllArrived(t: TestContext, load: Load): Promise<void> {
  const { service, account, sends, smsc } = load
  await sends.stop()
  await eventually(
    async () => {
      assert.equal((await service.pool`select from recipients where state = 0`).length, 0)
      assert.equal(smsc.waitingCount, 0)
    },
    { withinMs: 60_000 }
  )
  const doubts = await countDoubts(service)
  await decideDoubts(service)
  await eventually(() => assertArrived(load), { withinMs: 60_000, everyMs: 200 })
  for (const phone of sends.acknowledged.keys()) assert.ok(smsc.accepted.has(phone.slice(1)), `${phone} left`)
  await assertInvariants(service, { smscs: [smsc], accounts: [account] })
  t.diagnostic(
    `${sends.acknowledged.size} acknowledged, ${sends.refusedCount} answered 503, ${doubts} in doubt, ` +
      `${smsc.repeated().length} came twice, slowest answer ${(sends.slowestMs / 1000).toFixed(1)} s`
  )
}

async function assertArrived({ service, sends: { acknowledged }, receiver }: Load): Promise<void> {
  const rows = await service.pool<{ phone: string; ids: number[]; state: number }[]>`
    select phone, array_agg(message_id) as ids, min(state) as state
    from recipients
    group by phone
  `
  const stored = new Map(rows.map(({ phone, ...rest }) => [phone, rest]))
  const lost = [...acknowledged].filter(([phone, id]) => stored.get(phone)?.ids[0] !== id)
  assert.deepEqual(lost, [], 'what was acknowledged is stored')
  assert.deepEqual(
    rows.filter(({ ids }) => ids.length > 1),
    [],
    'nothing is stored twice'
  )
  const open = rows.filter(({ state }) => state !== DELIVERED).map(({ phone }) => phone)
  assert.deepEqual(open, [], 'all of it is delivered')
  const records = receiver.records().filter(({ deliver }) => deliver === DELIVERED)
  const told = new Set(records.map(({ recipient }) => recipient))
  const untold = rows.filter(({ phone }) => !told.has(phone)).map(({ phone }) => phone)
  assert.deepEqual(untold, [], 'and its owner was told')
}

const DELIVERED = 1

import { strict as assert } from 'node:assert'
import fc from 'fast-check'
import {
  type EventService,
  insertRcs,
  insertWaits,
  PHONE,
  reportOf,
  startEventService
} from '../../test/messages/rbm-events.ts'
import { test } from '../../test/service/service.ts'
import { configure } from '../carriers/kind.ts'
import { rbm } from '../carriers/rbm/rbm-kind.ts'
import { revokeDue } from '../fallback/follow-waits.ts'
import { moveRecipients } from '../recipients/move-recipients.ts'
import { RECIPIENT_STATES } from '../recipients/recipient.ts'
import { processReports } from './process-reports.ts'
import { insertEvents } from './rbm-events.store.ts'
import { RETRY_SECONDS } from './retries.ts'

type ReportType = Parameters<typeof reportOf>[0]

interface Row {
  state: number
  channel: string | null
  sentAt: Date | null
  deliveredAt: Date | null
  readAt: Date | null
}

const rowsOf = ({ pool }: EventService, messageId: number) =>
  pool<Row[]>`
    select state, channel, sent_at, delivered_at, read_at
    from recipients
    where message_id = ${messageId}
    order by position
  `

async function rowOf(service: EventService, messageId: number): Promise<Row> {
  const [row] = await rowsOf(service, messageId)
  assert(row)
  return row
}

const countsOf = async ({ pool }: EventService, messageId: number) => {
  const [row] = await pool<[Record<string, number>]>`
    select waiting_count as waiting, sent_count as sent, delivered_count as delivered, read_count as read,
      failed_count as failed
    from messages
    where id = ${messageId}
  `
  return Object.fromEntries(Object.entries(row).filter(([, count]) => count > 0))
}

const stepsOf = async ({ pool }: EventService, messageId: number) =>
  (await pool<{ step: string }[]>`select step from timeline_steps where message_id = ${messageId} order by id`).map(
    ({ step }) => step
  )

test('a report that can’t be applied holds up no other, and is tried again', async (t) => {
  const service = await startEventService(t)
  const { pool, parts, operator } = service
  const bad = await insertRcs(service, { accountId: operator.id })
  const good = await insertRcs(service, { accountId: operator.id, phones: ['+33612000001', '+33612000002'] })
  await pool`update messages set cancelled_count = 1, sent_count = 0 where id = ${bad}`
  const toEvent = (messageId: number, position: number, phone: string) => {
    const eventId = `${messageId} ${position}`
    const body = JSON.stringify(reportOf('DELIVERED', { messageId, position, phone }, { eventId }))
    return { carrier: 'rcs', eventId, isReport: true, dueInSeconds: 0, body }
  }
  await insertEvents(pool, [toEvent(bad, 1, PHONE), toEvent(good, 1, '+33612000001'), toEvent(good, 2, '+33612000002')])
  await pool`update rbm_events set next_try_at = now() - interval '1 minute' where event_id = ${`${bad} 1`}`
  await assert.rejects(processReports(parts), /messages_counts_not_negative/)
  assert.deepEqual(await countsOf(service, good), { delivered: 2 })
  const [left] = await pool<{ tries: number; isDue: boolean }[]>`
    select tries, next_try_at <= now() as is_due from rbm_events where next_try_at is not null
  `
  assert.deepEqual(left, { tries: 1, isDue: false })
  await pool`update messages set cancelled_count = 0, sent_count = 1 where id = ${bad}`
  await pool`update rbm_events set next_try_at = now() where next_try_at is not null`
  await processReports(parts)
  assert.deepEqual(await countsOf(service, bad), { delivered: 1 })
})

const waitsOf = async ({ pool }: EventService, messageId: number) =>
  (await pool<{ step: string }[]>`select step from rcs_waits where message_id = ${messageId} order by position`).map(
    ({ step }) => step
  )

const openEvents = ({ pool }: EventService) =>
  pool<{ tries: number }[]>`select tries from rbm_events where next_try_at is not null`

/** What is to be looked at again later is, now. */
async function retryNow(service: EventService): Promise<void> {
  await service.pool`update rbm_events set next_try_at = now() where next_try_at is not null`
  await service.process()
}

const minutes = (count: number) => new Date(Date.now() + count * 60_000).toISOString()

test('DELIVERED and READ move a recipient, count it, and end the wait for its fallback', async (t) => {
  const service = await startEventService(t)
  const account = await service.newAccount()
  await account.expect(200).put('/webhooks', { webhooks: [{ type: 'rcs_status', url: 'https://shop.example/in' }] })
  const messageId = await insertRcs(service, { accountId: account.id })
  assert.deepEqual(await waitsOf(service, messageId), ['report'])

  assert.equal(await service.post(reportOf('DELIVERED', { messageId })), 200)
  await service.process()
  const delivered = await rowOf(service, messageId)
  assert.deepEqual([delivered.state, delivered.readAt], [1, null])
  assert.ok(delivered.deliveredAt)
  assert.deepEqual(await countsOf(service, messageId), { delivered: 1 })
  assert.deepEqual(await waitsOf(service, messageId), [])

  await service.post(reportOf('READ', { messageId }))
  await service.process()
  const read = await rowOf(service, messageId)
  assert.equal(read.state, 8)
  assert.ok(read.readAt)
  assert.deepEqual(read.deliveredAt, delivered.deliveredAt)
  assert.deepEqual(await countsOf(service, messageId), { read: 1 })
  assert.deepEqual(await stepsOf(service, messageId), [])
  const events = await service.pool<{ record: Record<string, unknown> }[]>`select record from events order by id`
  assert.deepEqual(
    events.map(({ record }) => [record.message_id, record.recipient, record.deliver, record.channel]),
    [
      [messageId, PHONE, 1, 'rcs'],
      [messageId, PHONE, 8, 'rcs']
    ]
  )
  const path = `/messages/${messageId}/recipients/${messageId * 2 ** 20 + 1}/timeline`
  const { body } = await account.expect(200).get(path)
  assert.deepEqual(
    body.map(({ step, detail, carrier }: Record<string, unknown>) => [step, detail, carrier]).slice(-3),
    [
      ['sent', 'id ', 'rcs'],
      ['delivered', 'DELIVERED', 'rcs'],
      ['read', '', 'rcs']
    ]
  )
})

test('READ alone is also a delivery', async (t) => {
  const service = await startEventService(t)
  const messageId = await insertRcs(service, { accountId: service.operator.id })
  await service.post(reportOf('READ', { messageId }))
  await service.process()
  const { state, deliveredAt, readAt } = await rowOf(service, messageId)
  assert.equal(state, 8)
  assert.deepEqual(deliveredAt, readAt)
  assert.deepEqual(await waitsOf(service, messageId), [])
})

test('it arrived after it left and before now, whatever the clock of the platform says', async (t) => {
  const service = await startEventService(t)
  for (const [sendTime, isEarly] of [
    [minutes(-600), true],
    [minutes(600), false]
  ] as const) {
    const messageId = await insertRcs(service, { accountId: service.operator.id })
    await service.post(reportOf('DELIVERED', { messageId }, { sendTime }))
    await service.process()
    const { sentAt, deliveredAt } = await rowOf(service, messageId)
    assert(sentAt && deliveredAt)
    if (isEarly) assert.deepEqual(deliveredAt, sentAt)
    else assert.ok(deliveredAt > sentAt && deliveredAt.getTime() <= Date.now() + 1_000)
  }
})

/** What is sent, and all reports on it, ends here whatever their order. */
function expectedOf(reports: readonly ReportType[]): { state: number; waits: string[] } {
  if (reports.includes('READ')) return { state: 8, waits: [] }
  if (reports.includes('DELIVERED')) return { state: 1, waits: [] }
  return { state: 2, waits: reports.length > 0 ? ['revoked'] : ['report'] }
}

test('reports in every order, again and again, together or one by one, end right', async (t) => {
  const service = await startEventService(t)
  const words: ReportType[] = ['DELIVERED', 'READ', 'TTL_EXPIRATION_REVOKED', 'TTL_EXPIRATION_REVOKE_FAILED']
  const sequence = fc.array(
    fc.record({ word: fc.constantFrom(...words), isRepeat: fc.boolean(), isAlone: fc.boolean() }),
    { minLength: 1, maxLength: 7 }
  )
  await fc.assert(
    fc.asyncProperty(fc.array(sequence, { minLength: 20, maxLength: 20 }), async (sequences) => {
      const phones = sequences.map((_, index) => `+3361200${String(index).padStart(4, '0')}`)
      const messageId = await insertRcs(service, { accountId: service.operator.id, phones })
      for (let turn = 0; turn < 7; turn++) {
        for (const [index, steps] of sequences.entries()) {
          const step = steps[turn]
          if (!step) continue
          const reported = { messageId, position: index + 1, phone: phones[index] ?? '' }
          const eventId = step.isRepeat ? `${messageId} ${index} ${step.word}` : `${messageId} ${index} ${turn}`
          const body = JSON.stringify(reportOf(step.word, reported, { eventId }))
          await insertEvents(service.pool, [{ carrier: 'rcs', eventId, isReport: true, dueInSeconds: 0, body }])
        }
        if (sequences.some((steps) => steps[turn]?.isAlone)) await service.process()
      }
      await service.process()
      const expected = sequences.map((steps) => expectedOf(steps.map(({ word }) => word)))
      const rows = await rowsOf(service, messageId)
      assert.deepEqual(
        rows.map(({ state }) => state),
        expected.map(({ state }) => state)
      )
      for (const { state, deliveredAt, readAt, sentAt } of rows) {
        assert.equal(deliveredAt !== null, state !== 2)
        assert.equal(readAt !== null, state === 8)
        assert.ok(!deliveredAt || (sentAt && deliveredAt >= sentAt))
        assert.ok(!readAt || (deliveredAt && readAt >= deliveredAt))
      }
      assert.deepEqual(
        await waitsOf(service, messageId),
        expected.flatMap(({ waits }) => waits)
      )
      const count = (state: number) => expected.filter((one) => one.state === state).length
      const counts = Object.entries({ sent: count(2), delivered: count(1), read: count(8) }).filter(([, n]) => n > 0)
      assert.deepEqual(await countsOf(service, messageId), Object.fromEntries(counts))
    }),
    { numRuns: 15 }
  )
  assert.equal((await openEvents(service)).length, 0)
})

test('every order of all four reports leaves a recipient read', async (t) => {
  const service = await startEventService(t)
  const orders = [...permutations(['DELIVERED', 'READ', 'TTL_EXPIRATION_REVOKED', 'TTL_EXPIRATION_REVOKE_FAILED'])]
  assert.equal(orders.length, 24)
  const phones = orders.map((_, index) => `+336120000${10 + index}`)
  const messageId = await insertRcs(service, { accountId: service.operator.id, phones })
  for (let turn = 0; turn < 4; turn++) {
    for (const [index, order] of orders.entries()) {
      const reported = { messageId, position: index + 1, phone: phones[index] ?? '' }
      await service.post(reportOf(order[turn] as ReportType, reported))
    }
    await service.process()
  }
  assert.deepEqual(new Set((await rowsOf(service, messageId)).map(({ state }) => state)), new Set([8]))
  assert.deepEqual(await countsOf(service, messageId), { read: 24 })
  assert.deepEqual(await waitsOf(service, messageId), [])
})

function* permutations<T>(items: readonly T[]): Iterable<T[]> {
  if (items.length === 0) yield []
  for (const [index, item] of items.entries()) {
    for (const rest of permutations(items.toSpliced(index, 1))) yield [item, ...rest]
  }
}

test('what the platform took back waits a moment for a report, and says so; it may also not know', async (t) => {
  const service = await startEventService(t)
  for (const [word, step] of [
    ['TTL_EXPIRATION_REVOKED', 'revoked'],
    ['TTL_EXPIRATION_REVOKE_FAILED', 'revoke_failed']
  ] as const) {
    const messageId = await insertRcs(service, { accountId: service.operator.id })
    await service.post(reportOf(word, { messageId }))
    await service.process()
    const [wait] = await service.pool<[{ step: string; seconds: number }]>`
      select step, extract(epoch from due_at - now())::double precision as seconds
      from rcs_waits
      where message_id = ${messageId}
    `
    assert.equal(wait.step, 'revoked')
    assert.ok(wait.seconds > 0 && wait.seconds < 60, `${wait.seconds} s`)
    assert.deepEqual(await stepsOf(service, messageId), [step])
    assert.equal((await rowOf(service, messageId)).state, 2)

    await service.post(reportOf('DELIVERED', { messageId }))
    await service.process()
    assert.equal((await rowOf(service, messageId)).state, 1, 'a report in time wins')
    assert.deepEqual(await waitsOf(service, messageId), [])
  }
})

test('an expiry that is reported after a revocation came too late ends the long wait for a delivery report', async (t) => {
  const service = await startEventService(t)
  const messageId = await insertRcs(service, { accountId: service.operator.id })
  const secondsLeft = async () => {
    const [wait] = await service.pool<[{ seconds: number }]>`
      select extract(epoch from due_at - now())::double precision as seconds
      from rcs_waits
      where message_id = ${messageId}
    `
    return wait.seconds
  }
  await service.pool`update rcs_waits set due_at = now()`
  await revokeDue(service.pool, () => ({ revoke: async () => ({ kind: 'too-late' }) }))
  assert.ok((await secondsLeft()) > 300, 'the platform said that it was delivered')

  await service.post(reportOf('TTL_EXPIRATION_REVOKED', { messageId }))
  await service.process()
  assert.ok((await secondsLeft()) < 60)
  assert.deepEqual(await stepsOf(service, messageId), ['revoke_failed', 'revoked'])
})

test('an RCS that arrives after its SMS has left is told, and neither moved nor charged', async (t) => {
  const service = await startEventService(t)
  for (const state of [2, 1, 3]) {
    const messageId = await insertRcs(service, { accountId: service.operator.id, state, channel: 'sms' })
    const before = [await rowOf(service, messageId), await countsOf(service, messageId)]
    for (const word of ['DELIVERED', 'READ', 'TTL_EXPIRATION_REVOKED'] as const) {
      await service.post(reportOf(word, { messageId }))
    }
    await service.process()
    assert.deepEqual([await rowOf(service, messageId), await countsOf(service, messageId)], before)
    assert.deepEqual((await stepsOf(service, messageId)).sort(), ['delivered_after_all', 'late_report'])
    // As decided right before the fallback was committed.
    const key = { accountId: service.operator.id, messageId, position: 1 }
    const [from, to, at] = [RECIPIENT_STATES.sent, RECIPIENT_STATES.delivered, new Date()]
    const late = { ...key, kind: 'rcs-reported', from, to, deliveredAt: at, readAt: at, receipt: 'DELIVERED' } as const
    assert.deepEqual(await service.pool.begin((database) => moveRecipients(database, [late])), [])
  }
  assert.equal((await service.pool`select from credit_entries where reason in ('reserve', 'refund')`).length, 0)
  assert.equal((await openEvents(service)).length, 0)

  // The SMS of this one is on its way at this moment.
  const { operator, pool } = service
  const leaving = await insertRcs(service, { accountId: operator.id, state: 0, channel: 'sms' })
  await pool`
    insert into batches (id, account_id, message_id, lane, route, due_at, is_ready, expires_at, positions, submitting)
    values (nextval('batch_ids'), ${operator.id}, ${leaving}, 0, '', now(), false, now() + interval '1 day', '{1}', '{1}')
  `
  await service.post(reportOf('DELIVERED', { messageId: leaving }))
  await service.process()
  assert.deepEqual([(await rowOf(service, leaving)).state, (await openEvents(service)).length], [0, 1])
})

test('what has ended stays; a report that contradicts is in the timeline', async (t) => {
  const service = await startEventService(t)
  for (const state of [3, 6, 7]) {
    const messageId = await insertRcs(service, { accountId: service.operator.id, state })
    // However often it comes: as another event each time, some of them together.
    for (let repeats = 0; repeats < 3; repeats++) {
      for (const word of ['DELIVERED', 'TTL_EXPIRATION_REVOKED', 'DELIVERED'] as const) {
        await service.post(reportOf(word, { messageId }))
      }
      await service.process()
    }
    assert.equal((await rowOf(service, messageId)).state, state)
    assert.deepEqual(await stepsOf(service, messageId), ['late_report'])
    const [row] = await service.pool<[{ times: number }]>`
      select times from timeline_steps where message_id = ${messageId}
    `
    assert.equal(row.times, 6)
  }
  const messageId = await insertRcs(service, { accountId: service.operator.id, state: 1 })
  await service.post(reportOf('TTL_EXPIRATION_REVOKED', { messageId }))
  await service.process()
  assert.deepEqual([(await rowOf(service, messageId)).state, await stepsOf(service, messageId)], [1, ['late_report']])
})

test('a report that comes before the answer to its message is stored waits for that', async (t) => {
  const service = await startEventService(t)
  for (const state of [0, 9]) {
    const messageId = await insertRcs(service, { accountId: service.operator.id, state })
    await service.post(reportOf('DELIVERED', { messageId }))
    await service.post(reportOf('READ', { messageId }))
    await service.process()
    assert.equal((await rowOf(service, messageId)).state, state)
    assert.deepEqual(
      (await openEvents(service)).map(({ tries }) => tries),
      [1, 1]
    )
    // What settling does.
    await service.pool`update recipients set state = 2, sent_at = now(), carrier = 'rcs' where message_id = ${messageId}`
    await service.pool`update messages set waiting_count = 0, sent_count = 1 where id = ${messageId}`
    await insertWaits(service.pool, messageId)
    await retryNow(service)
    assert.equal((await rowOf(service, messageId)).state, 8)
    assert.equal((await openEvents(service)).length, 0)
  }
})

test('what matches nothing is looked at again for an hour, and then no more', async (t) => {
  const service = await startEventService(t)
  const accountId = service.operator.id
  const sent = await insertRcs(service, { accountId })
  const odd = [
    reportOf('DELIVERED', { messageId: 999_999 }),
    reportOf('DELIVERED', { messageId: sent, phone: '+33612999999' }),
    reportOf('DELIVERED', { messageId: sent, position: 2 }),
    reportOf('DELIVERED', { messageId: sent }, { messageId: '5f0c1c1e-6f4a-4b7c-9d1f-2b9f6c1f0a11' }),
    reportOf('READ', { messageId: sent }, { messageId: 'msg-of-somebody-else' })
  ]
  for (const event of odd) assert.equal(await service.post(event), 200)
  await service.process()
  for (let tries = 1; tries <= RETRY_SECONDS.length; tries++) {
    assert.deepEqual(
      (await openEvents(service)).map((event) => event.tries),
      Array(odd.length).fill(tries)
    )
    await retryNow(service)
  }
  assert.equal((await openEvents(service)).length, 0)
  assert.equal(
    RETRY_SECONDS.reduce((sum, seconds) => sum + seconds, 0),
    3_524.3
  )
  assert.equal((await rowOf(service, sent)).state, 2)
  assert.equal(service.logLines.filter((line) => line.includes('matches no message of ours')).length, odd.length)
})

test('what is too early is looked at every few seconds for an hour, so that it is there before the fallback; then no more', async (t) => {
  const service = await startEventService(t)
  const early = await insertRcs(service, { accountId: service.operator.id, state: 0 })
  await service.post(reportOf('DELIVERED', { messageId: early }))
  await service.process()
  for (let tries = 1; tries <= 2 * RETRY_SECONDS.length; tries++) {
    const [open] = await service.pool<{ tries: number; isSoon: boolean }[]>`
      select tries, next_try_at < now() + interval '4 seconds' as is_soon
      from rbm_events
      where next_try_at is not null
    `
    assert.deepEqual({ ...open }, { tries, isSoon: true })
    await retryNow(service)
  }
  await service.pool`update rbm_events set received_at = now() - interval '61 minutes'`
  await retryNow(service)
  assert.equal((await openEvents(service)).length, 0)
  assert.deepEqual(await stepsOf(service, early), ['late_report'])

  // It fell back, its SMS waits all the time, and its account has no credits to pay the RCS with.
  const poor = await service.newAccount()
  const unpaid = await insertRcs(service, { accountId: poor.id, state: 0, channel: 'sms' })
  await service.post(reportOf('DELIVERED', { messageId: unpaid }))
  await service.process()
  assert.deepEqual([(await openEvents(service)).length, await stepsOf(service, unpaid)], [1, []])
  await service.pool`update rbm_events set received_at = now() - interval '61 minutes'`
  await retryNow(service)
  assert.deepEqual([(await openEvents(service)).length, await stepsOf(service, unpaid)], [0, ['late_report']])
})

test('a report about another agent is left alone, unless that has the same token', async (t) => {
  const service = await startEventService(t)
  const messageId = await insertRcs(service, { accountId: service.operator.id })
  await service.post(reportOf('DELIVERED', { messageId }, { agentId: 'other@rbm.goog' }))
  await service.process()
  assert.equal((await rowOf(service, messageId)).state, 2)
  assert.equal((await openEvents(service)).length, 0)
  assert.ok(service.logLines.some((line) => line.includes('about an agent')))
  // The platform writes its domain, or does not.
  await service.post(reportOf('DELIVERED', { messageId }, { agentId: 'BRAND' }))
  await service.process()
  assert.equal((await rowOf(service, messageId)).state, 1)

  const { routing } = service.parts
  const [settings] = routing.settingsOf(rbm)
  assert(settings)
  const second = configure(rbm, { ...settings, name: 'second', agentId: 'second@rbm.goog' })
  routing.replace({ ...routing.file, carriers: [...routing.file.carriers, second] })
  const ofSecond = await insertRcs(service, { accountId: service.operator.id })
  await service.post(reportOf('DELIVERED', { messageId: ofSecond }, { agentId: 'second@rbm.goog' }))
  await service.process()
  assert.equal((await rowOf(service, ofSecond)).state, 1)
})

test('several at work on a thousand reports apply each once', async (t) => {
  const service = await startEventService(t)
  const phones = Array.from({ length: 500 }, (_, index) => `+336120${String(index).padStart(5, '0')}`)
  const messageId = await insertRcs(service, { accountId: service.operator.id, phones })
  const events = phones.flatMap((phone, index) =>
    (['DELIVERED', 'READ'] as const).map((word) => {
      const eventId = `${word} ${index}`
      const body = JSON.stringify(reportOf(word, { messageId, position: index + 1, phone }, { eventId }))
      return { carrier: 'rcs', eventId, isReport: true, dueInSeconds: 0, body }
    })
  )
  // In some order.
  await insertEvents(
    service.pool,
    events.toSorted((a, b) => (a.eventId.at(-1) ?? '').localeCompare(b.eventId.at(-1) ?? ''))
  )
  while ((await openEvents(service)).length > 0) {
    await Promise.all(Array.from({ length: 4 }, () => processReports(service.parts)))
    await service.pool`update rbm_events set next_try_at = now() where next_try_at is not null`
  }
  assert.deepEqual(await countsOf(service, messageId), { read: 500 })
  assert.deepEqual(await waitsOf(service, messageId), [])
  assert.equal((await service.pool`select from timeline_steps`).length, 0)
})

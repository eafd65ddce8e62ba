import { strict as assert } from 'node:assert'
import { eventually } from '../../test/checks/eventually.ts'
import {
  type EventService,
  insertRcs,
  insertWaits,
  reportOf,
  startEventService
} from '../../test/messages/rbm-events.ts'
import { test } from '../../test/service/service.ts'
import type { PostedReport } from '../carriers/carrier.ts'
import { readRbmEvent } from '../carriers/rbm/read-event.ts'
import { processReports } from './process-reports.ts'
import { insertEvents } from './rbm-events.store.ts'
import { STORED_SECONDS, startStoredReports } from './stored-reports.ts'

const phonesOf = (count: number) => Array.from({ length: count }, (_, index) => `+336120${10_000 + index}`)

/** Stores a DELIVERED for each phone of a message, as a process does that applies them itself. */
async function storeReports(
  { pool }: EventService,
  messageId: number,
  { phones, dueInSeconds = STORED_SECONDS }: { phones: readonly string[]; dueInSeconds?: number }
): Promise<PostedReport[]> {
  const reports = phones.map((phone, index) => {
    const event = reportOf('DELIVERED', { messageId, position: index + 1, phone })
    const read = readRbmEvent(event) as PostedReport
    return { ...read, carrier: 'rcs', kept: { id: read.eventId, body: JSON.stringify(event) } }
  })
  await insertEvents(
    pool,
    reports.map(({ carrier, kept }) => ({ carrier, eventId: kept.id, body: kept.body, isReport: true, dueInSeconds }))
  )
  return reports
}

const statesOf = async ({ pool }: EventService, messageId: number) => {
  const rows = await pool<{ state: number }[]>`select state from recipients where message_id = ${messageId}`
  return new Set(rows.map(({ state }) => state))
}

const openEvents = ({ pool }: EventService) =>
  pool<{ tries: number; body: string }[]>`select tries, body from rbm_events where next_try_at is not null`

const settle = async ({ pool }: EventService, messageId: number) => {
  await pool`update recipients set state = 2, sent_at = now(), carrier = 'rcs' where message_id = ${messageId}`
  await pool`update messages set waiting_count = 0, sent_count = recipients_count where id = ${messageId}`
  await insertWaits(pool, messageId)
}

test('stored reports move their recipients at once, and other workers leave them alone meanwhile', async (t) => {
  const service = await startEventService(t)
  const phones = phonesOf(50)
  const messageId = await insertRcs(service, { accountId: service.operator.id, phones })
  const reports = await storeReports(service, messageId, { phones, dueInSeconds: 3_600 })
  await processReports(service.parts)
  assert.deepEqual(await statesOf(service, messageId), new Set([2]))
  const stored = startStoredReports({ ...service.parts, untilSettled: () => undefined })
  for (const report of reports) stored.take(report)
  await eventually(async () => assert.deepEqual(await statesOf(service, messageId), new Set([1])))
  await stored.stop()
  assert.deepEqual([...(await openEvents(service))], [])
  assert.equal((await service.pool`select from rcs_waits where message_id = ${messageId}`).length, 0)
})

test('a report waits in memory for the commit of its message', async (t) => {
  const service = await startEventService(t)
  const phones = phonesOf(1)
  const messageId = await insertRcs(service, { accountId: service.operator.id, phones, state: 0 })
  const [report] = await storeReports(service, messageId, { phones })
  assert(report)
  const { promise: settled, resolve } = Promise.withResolvers<void>()
  const asked: string[] = []
  const stored = startStoredReports({
    ...service.parts,
    untilSettled(carrier, id) {
      asked.push(`${carrier} ${id}`)
      return settled
    }
  })
  stored.take(report)
  assert.deepEqual(asked, [`rcs ${report.messageId}`])
  await settle(service, messageId)
  resolve()
  await eventually(async () => assert.deepEqual(await statesOf(service, messageId), new Set([1])))
  await stored.stop()
  const [event] = await service.pool<{ tries: number }[]>`select tries from rbm_events`
  assert.equal(event?.tries, 0)
})

test('a report that is too early is tried again by the workers, with all that it said', async (t) => {
  const service = await startEventService(t)
  const phones = phonesOf(2)
  const messageId = await insertRcs(service, { accountId: service.operator.id, phones, state: 0 })
  const reports = await storeReports(service, messageId, { phones })
  const stored = startStoredReports({ ...service.parts, untilSettled: () => undefined })
  for (const report of reports) stored.take(report)
  await eventually(async () => {
    const open = await openEvents(service)
    assert.deepEqual(new Set(open.map(({ body }) => body)), new Set(reports.map(({ kept }) => kept.body)))
    assert.deepEqual(
      open.map(({ tries }) => tries),
      [1, 1]
    )
  })
  await stored.stop()
  await settle(service, messageId)
  await service.pool`update rbm_events set next_try_at = now()`
  await service.process()
  assert.deepEqual(await statesOf(service, messageId), new Set([1]))
})

test('a report in the memory of two processes, and due for a third, is applied once', async (t) => {
  const service = await startEventService(t)
  const phones = phonesOf(300)
  const messageId = await insertRcs(service, { accountId: service.operator.id, phones })
  const reports = await storeReports(service, messageId, { phones, dueInSeconds: 0 })
  const processes = [1, 2].map(() => startStoredReports({ ...service.parts, untilSettled: () => undefined }))
  for (const report of reports) for (const stored of processes) stored.take(report)
  for (const report of reports.toReversed()) processes[1]?.take(report)
  await Promise.all([1, 2].map(() => processReports(service.parts)))
  await eventually(async () => {
    await service.pool`update rbm_events set next_try_at = now() where next_try_at is not null`
    await service.process()
    assert.deepEqual(await statesOf(service, messageId), new Set([1]))
    assert.deepEqual([...(await openEvents(service))], [])
  })
  await Promise.all(processes.map((stored) => stored.stop()))
  const [message] = await service.pool<{ sent: number; delivered: number }[]>`
    select sent_count as sent, delivered_count as delivered
    from messages
    where id = ${messageId}
  `
  assert.deepEqual({ ...message }, { sent: 0, delivered: 300 })
})

test('a stop leaves the reports that wait to other processes', async (t) => {
  const service = await startEventService(t)
  const phones = phonesOf(1)
  const messageId = await insertRcs(service, { accountId: service.operator.id, phones })
  const [report] = await storeReports(service, messageId, { phones })
  assert(report)
  const { promise: settled, resolve } = Promise.withResolvers<void>()
  const stored = startStoredReports({ ...service.parts, untilSettled: () => settled })
  stored.take(report)
  const stopped = stored.stop()
  resolve()
  await stopped
  assert.equal(stored.hasRoom, false)
  assert.deepEqual(await statesOf(service, messageId), new Set([2]))
  await eventually(async () => {
    await service.process()
    assert.deepEqual(await statesOf(service, messageId), new Set([1]))
  })
})

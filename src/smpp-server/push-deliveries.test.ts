import { strict as assert } from 'node:assert'
import { test } from 'node:test'
import { bindForeign, waitForReceipts } from '../../simulator/smpp/foreign-client.ts'
import { eventually } from '../../test/checks/eventually.ts'
import { holdTable } from '../../test/database/hold-table.ts'
import { untilWaiting } from '../../test/database/waiting.ts'
import { type Customer, DELIVERED, NO_SENDER, startCustomer } from '../../test/service/smpp-customer.ts'

/* Receipts on their way to a bind, while the database is slow or fails. */

const RECEIPTS = 3

/** Submits messages whose receipts wait for a bind that receives. Returns their ids. */
async function submitAll(t: Parameters<typeof bindForeign>[0], customer: Customer): Promise<string[]> {
  const { service, address, credentials } = customer
  const client = await bindForeign(t, address, { ...credentials, mode: 'transmitter' })
  const ids: string[] = []
  for (let at = 0; at < RECEIPTS; at++) {
    const { message_id } = await client.submit(DELIVERED, `Text ${at}`, NO_SENDER)
    ids.push(String(message_id))
  }
  await eventually(async () => {
    assert.equal((await service.pool`select from smpp_deliveries`).length, RECEIPTS)
  })
  return ids
}

test('a receipt that was answered does not come again to another bind, however long it takes to remove it', async (t) => {
  const customer = await startCustomer(t, { binds: 5 })
  const { service, address, credentials } = customer
  const ids = await submitAll(t, customer)
  const first = await bindForeign(t, address, { ...credentials, mode: 'receiver', answerStatus: undefined })
  await waitForReceipts(first, RECEIPTS)
  const second = await bindForeign(t, address, { ...credentials, mode: 'receiver' })

  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const { promise: isHeld, resolve: held } = Promise.withResolvers<void>()
  const holding = service.pool.begin(async (database) => {
    await database`select from smpp_deliveries order by id limit 1 for update`
    held()
    await released
  })
  await isHeld
  // The first one waits for the row, those behind it for the first one.
  for (const pdu of first.delivered) first.answer('deliver_sm_resp', pdu)
  assert.equal((await first.ask('unbind')).command_status, 0)
  await first.closed
  await untilWaiting(service.pool, 1)
  // Time in which the bind could be given back.
  await new Promise((resolve) => setTimeout(resolve, 500))
  release()
  await holding

  await eventually(async () => assert.equal((await service.pool`select from smpp_deliveries`).length, 0))
  assert.deepEqual(
    first
      .receipts()
      .map(({ id }) => id)
      .sort(),
    ids.sort()
  )
  assert.deepEqual(second.receipts(), [])
})

test('receipts come although the database failed after they were claimed', async (t) => {
  const customer = await startCustomer(t, { binds: 5 })
  const { service, address, credentials } = customer
  const ids = await submitAll(t, customer)
  const messages = await holdTable(service.pool, 'messages')
  const client = await bindForeign(t, address, { ...credentials, mode: 'receiver' })
  // They are claimed by now, and the bind asks for what they tell.
  await eventually(async () => {
    const ended = await service.pool`
      select pg_terminate_backend(pid)
      from pg_stat_activity
      where wait_event_type = 'Lock'
        and datname = current_database()
        and query like '%messages.state as message_state%'
    `
    assert.equal(ended.length, 1)
  })
  await messages.release()
  const receipts = await waitForReceipts(client, RECEIPTS)
  assert.deepEqual(receipts.map(({ id }) => id).sort(), ids.sort())
})

import { strict as assert } from 'node:assert'
import { eventually } from '../../test/checks/eventually.ts'
import { assertLedgerHolds } from '../../test/checks/ledger.ts'
import { mobiles, readMessage } from '../../test/messages/sending.ts'
import { startService, test } from '../../test/service/service.ts'
import { createSlots } from './spread.ts'

const LATER = new Date(Date.now() + 3_600_000)

/** How many recipients are due in which minute after the first. */
function countMinutes(times: readonly Date[], beginsAt: Date): Map<number, number> {
  const minutes = new Map<number, number>()
  for (const time of times) {
    const minute = Math.floor((time.getTime() - beginsAt.getTime()) / 60_000)
    minutes.set(minute, (minutes.get(minute) ?? 0) + 1)
  }
  return minutes
}

test('recipients leave evenly: never more an hour than asked for, and over the minutes asked for', () => {
  const begin = new Date('2026-11-17T09:00:00Z')
  for (const [perHour, count] of [
    [60, 120],
    [90, 200],
    [7, 20],
    [600, 900],
    [1, 5]
  ] as const) {
    const toSlot = createSlots(begin, { perHour })
    const times = Array.from({ length: count }, () => toSlot('', (from) => from).getTime())
    assert.deepEqual(
      times,
      times.toSorted((a, b) => a - b)
    )
    for (const from of new Set(times)) {
      const within = times.filter((time) => time >= from && time < from + 3_600_000).length
      assert.ok(within <= perHour, `${within} within an hour, of ${perHour}`)
    }
    const hours = ((times.at(-1) ?? 0) - begin.getTime()) / 3_600_000
    assert.ok(hours <= count / perHour && hours > count / perHour - 1.1, `${count} at ${perHour} took ${hours} hours`)
  }
})

test('places share the pace, and one whose hours are over goes on the next morning at the same pace', () => {
  // Slots begin at the half minute, hours at the full one.
  const begin = new Date('2026-11-17T18:50:30Z')
  const toSlot = createSlots(begin, { perHour: 60 })
  const morning = new Date('2026-11-18T07:00:00Z')
  const closing = new Date('2026-11-17T19:00:00Z')
  const untilSeven = (from: Date) => (from < closing || from >= morning ? from : morning)
  const times = Array.from({ length: 40 }, (_, index) =>
    index % 2 === 0 ? toSlot('fr', untilSeven) : toSlot('be', (from) => from)
  )
  assert.ok([...countMinutes(times, begin).values()].every((count) => count === 1))
  const french = times.filter((_, index) => index % 2 === 0)
  assert.ok(french.every((time) => time < closing || time >= morning))
  assert.throws(() => {
    const slow = createSlots(begin, { perHour: 1 })
    for (let at = 0; at < 200; at++) slow('', (from) => from)
  })
})

test('a send that is spread has batches by the minute, and a resume keeps their distances', async (t) => {
  const { newAccount, pool } = await startService(t)
  const account = await newAccount({ credits: 1_000 })
  const given = { recipients: mobiles(60), content: 'Hi', scheduleAt: LATER.toISOString() }
  const spread = async (spread: unknown) =>
    (await account.expect(200).post('/messages/sms', { ...given, spread })).body.message_id
  const dues = async (id: number) =>
    await pool<{ dueAt: Date; count: number }[]>`
      select due_at, cardinality(positions) as count
      from batches
      where message_id = ${id}
      order by due_at
    `
  const id = await spread({ minutes: 30 })
  const before = await dues(id)
  assert.deepEqual([before.length, new Set(before.map(({ count }) => count)).size, before[0]?.count], [30, 1, 2])
  assert.equal(before[0]?.dueAt.getTime(), LATER.getTime())
  assert.deepEqual((await readMessage(account, id)).spread, { per_hour: 120 })

  await account.expect(200).put(`/messages/${id}/pause`)
  await pool`update batches set due_at = due_at - interval '100 minutes' where message_id = ${id}`
  await account.expect(200).put(`/messages/${id}/resume`)
  const after = await dues(id)
  assert.ok(Math.abs((after[0]?.dueAt.getTime() ?? 0) - Date.now()) < 60_000)
  const steps = after.map(({ dueAt }, index) => dueAt.getTime() - (after[index - 1] ?? { dueAt }).dueAt.getTime())
  assert.deepEqual(new Set(steps), new Set([0, 60_000]))

  assert.equal((await dues(await spread({ per_hour: 20 }))).length, 60)
  const bad = [{}, { per_hour: 5, minutes: 5 }, { per_hour: 0 }, { minutes: 10_081 }]
  for (const spread of bad) await account.expect(400).post('/messages/sms', { ...given, spread })
  await account.expect(400).post('/messages/sms', { ...given, spread: { minutes: 5 }, validity: 60 })
  await assertLedgerHolds(pool)
})

test('a message to segments is spread over the people it departs to', async (t) => {
  const { newAccount, pool } = await startService(t)
  const account = await newAccount({ credits: 100 })
  const { id: list } = (await account.expect(200).post('/contactlists', { name: 'Clients' })).body
  const add = (numbers: readonly string[]) =>
    account.expect(200).post('/contacts', { contactlist_id: list, contacts: numbers.map((tel) => ({ tel })) })
  const [first = '', ...others] = mobiles(20)
  await add([first])
  const rules = [{ type: 'list', op: 'in', list_id: list }]
  const { id: segment } = (await account.expect(200).post('/segments', { name: 'All', match: 'all', rules })).body
  const send = { segments: [segment], content: 'Hi', scheduleAt: LATER.toISOString(), spread: { minutes: 10 } }
  const { message_id: id } = (await account.expect(200).post('/messages/sms/contactlist', send)).body
  assert.deepEqual((await readMessage(account, id)).spread, { per_hour: 6 })
  await add(others)
  await pool`update departures set due_at = now()`
  await eventually(async () => assert.deepEqual((await readMessage(account, id)).spread, { per_hour: 120 }))
  const [row] = await pool<{ count: number }[]>`
    select count(distinct due_at) as count from batches where message_id = ${id}
  `
  assert.ok((row?.count ?? 0) >= 9, `${row?.count} moments`)
})

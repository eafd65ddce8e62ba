import { strict as assert } from 'node:assert'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { createDatabase } from '../../test/database/databases.ts'
import { plansOf } from '../../test/database/plans.ts'
import { untilWaiting } from '../../test/database/waiting.ts'
import { atEnd } from '../../test/service/cleanup.ts'
import { connect, lookUpOnly, type Sql } from '../database/database.ts'
import { insertBatches, unmarkFallenBack } from './batches.store.ts'
import { claimBatches } from './claims.store.ts'
import { claimExpired } from './expiries.store.ts'
import { deleteClaimed, extendLeases, giveBack, handOver, lockHeld } from './leases.store.ts'
import { markSubmitting, removePositions, unmarkSubmitting } from './marks.store.ts'
import { rerouteBatches } from './queued-routes.store.ts'
import { readyBatches } from './ready-batches.store.ts'

const ACCOUNTS = 3
const BATCHES_AT_ONCE = 100

/** Seated batches of some accounts, from their sends until their outcomes are stored. */
async function runSeats(sql: Sql, { from, count }: { from: number; count: number }): Promise<void> {
  for (let first = from; first < from + count; first += BATCHES_AT_ONCE) {
    const batches = Array.from({ length: BATCHES_AT_ONCE }, (_, index) => {
      const lease = { leasedBy: randomUUID(), leaseSeconds: 10, carrier: 'main' }
      return {
        accountId: 1 + (index % ACCOUNTS),
        messageId: first + index,
        lane: 0,
        route: 'main',
        dueAt: null,
        expiresAt: new Date(Date.now() + 3_600_000),
        positions: [1],
        seat: { lease }
      }
    })
    const ids = await insertBatches(sql, batches)
    await deleteClaimed(
      sql,
      batches.map(({ accountId, messageId, seat }, index) => {
        return { accountId, messageId, id: ids[index] as number, leasedBy: seat.lease.leasedBy }
      })
    )
  }
}

test('many seated sends leave nothing that claims read, and their dead rows give their room to the next ones', async (t) => {
  const database = await createDatabase()
  atEnd(t, () => database.drop())
  const pool = connect({ url: database.url, applicationName: 'batches test', connectionsMax: 1 })
  atEnd(t, () => pool.close(1))
  const pagesOf = async (name: string) => {
    const [row] = await pool<[{ pages: number }]>`select pg_relation_size(${name}::regclass) / 8192 as pages`
    return row.pages
  }
  await runSeats(pool, { from: 1, count: 3_000 })
  const pages = await pagesOf('batches')
  assert.equal((await pool`select from batches`).length, 0)
  assert.equal(await pagesOf('batches_ready'), 1, 'the index holds no more than its first page')
  await pool`vacuum batches`
  await runSeats(pool, { from: 3_001, count: 3_000 })
  // A few pages may not be known as free yet; without their room it would be twice as many.
  const pagesAfter = await pagesOf('batches')
  assert.ok(pagesAfter <= 1.2 * pages, `${pagesAfter} pages after ${pages}`)
  // By their number, whatever the size of the table; in a queue of a million batches a share would be too many.
  const [row] = await pool<[{ settings: string[] }]>`
    select reloptions as settings
    from pg_class
    where relname = 'batches'
  `
  for (const setting of ['autovacuum_vacuum_threshold=2000', 'autovacuum_vacuum_scale_factor=0']) {
    assert.ok(row.settings.includes(setting), setting)
  }
})

test('a batch whose seat was lost to another claim is not deleted together with one that this claim holds', async (t) => {
  const database = await createDatabase()
  atEnd(t, () => database.drop())
  const pool = connect({ url: database.url, applicationName: 'batches test', connectionsMax: 1 })
  atEnd(t, () => pool.close(1))
  const [before, now] = [randomUUID(), randomUUID()]
  const seated = (accountId: number, messageId: number) => ({
    accountId,
    messageId,
    lane: 0,
    route: 'main',
    dueAt: null,
    expiresAt: new Date(Date.now() + 3_600_000),
    positions: [1],
    seat: { lease: { leasedBy: now, leaseSeconds: 10, carrier: 'main' } }
  })
  const [lost = 0, held = 0, other = 0] = await insertBatches(pool, [seated(1, 1), seated(1, 2), seated(2, 3)])
  await deleteClaimed(pool, [
    { accountId: 1, messageId: 1, id: lost, leasedBy: before },
    { accountId: 1, messageId: 2, id: held, leasedBy: now }
  ])
  assert.deepEqual(
    (await pool<{ id: number }[]>`select id from batches order by id`).map(({ id }) => id),
    [lost, other]
  )
  await deleteClaimed(pool, [
    { accountId: 1, messageId: 1, id: lost, leasedBy: before },
    { accountId: 2, messageId: 3, id: other, leasedBy: now }
  ])
  assert.deepEqual(
    (await pool<{ id: number }[]>`select id from batches`).map(({ id }) => id),
    [lost]
  )
})

test('batches that are alike are stored like batches that are not', async (t) => {
  const database = await createDatabase()
  atEnd(t, () => database.drop())
  const pool = connect({ url: database.url, applicationName: 'batches test', connectionsMax: 1 })
  atEnd(t, () => pool.close(1))
  const lease = { leasedBy: randomUUID(), leaseSeconds: 10, carrier: 'main' }
  const expiresAt = new Date(Date.now() + 3_600_000)
  const seated = (accountId: number, messageId: number) => {
    return { accountId, messageId, lane: 2, route: 'main', dueAt: null, expiresAt, positions: [1], seat: { lease } }
  }
  const rowsOf = (sql: Sql, ids: readonly number[]) => sql`
    select
      account_id, message_id, lane, route, due_at = now() + interval '10 s' as is_due_later, is_ready, expires_at,
      positions, leased_by, leased_until = due_at as is_leased_until_due, carrier, submitting
    from batches
    where id = any(${ids as number[]})
    order by array_position(${ids as number[]}::bigint[], id)
  `
  const [alike, mixed] = await pool.begin(async (database) => {
    const alikeIds = await insertBatches(database, [seated(1, 1), seated(2, 2), seated(1, 3)])
    const mixedIds = await insertBatches(database, [seated(1, 4), { ...seated(2, 5), positions: [2] }, seated(1, 6)])
    assert.deepEqual(alikeIds, [...alikeIds].sort())
    return Promise.all([alikeIds, mixedIds].map(async (ids) => [...(await rowsOf(database, ids))]))
  })
  const [first, , third] = mixed ?? []
  assert.deepEqual(alike, [
    { ...first, messageId: 1 },
    { ...first, accountId: 2, messageId: 2 },
    { ...third, messageId: 3 }
  ])
})

test('batches are looked up by their keys, also by a plan that was made while the queue was empty', async (t) => {
  const database = await createDatabase()
  atEnd(t, () => database.drop())
  const pool = connect({ url: database.url, applicationName: 'batches test', connectionsMax: 1, isLookupOnly: true })
  atEnd(t, () => pool.close(1))
  await pool`analyze batches`
  const key = { accountId: 1, messageId: 2, id: 3, leasedBy: randomUUID() }
  const marks = [{ batch: key, positions: [1] }]
  const claim = { token: randomUUID(), leaseSeconds: 10 }
  const statements: Record<string, (sql: Sql) => Promise<unknown>> = {
    claimBatches: (sql) =>
      claimBatches(sql, { ...claim, route: 'main', lane: 0, afterAccountId: 0, exceptAccountIds: [] }),
    claimExpired: (sql) => claimExpired(sql, { ...claim, limit: 10 }),
    deleteClaimed: (sql) => deleteClaimed(sql, [key]),
    extendLeases: (sql) => extendLeases(sql, { batches: [key], leaseSeconds: 10 }),
    giveBack: (sql) => giveBack(sql, { batch: key, positions: [1], attempts: 1, delaySeconds: 1 }),
    handOver: (sql) => handOver(sql, { batch: key, route: 'other' }),
    lockHeld: (sql) => lockHeld(sql, [key]),
    markSubmitting: (sql) => markSubmitting(sql, { carrier: 'main', marks, leaseSeconds: 10 }),
    readyBatches: (sql) => readyBatches(sql, 10),
    removePositions: (sql) => removePositions(sql, marks),
    rerouteBatches: (sql) => rerouteBatches(sql, { from: 'main', to: 'other', messages: [key] }),
    unmarkFallenBack: (sql) => unmarkFallenBack(sql, [{ ...key, position: 1 }]),
    unmarkSubmitting: (sql) => unmarkSubmitting(sql, marks)
  }
  for (const [name, run] of Object.entries(statements)) {
    const plans = await plansOf(pool, run, [{ accountId: 1, messageId: 2, isQueued: true }])
    const scans = plans.join('\n').match(/[A-Z][\w ]* Scan (using \w+ )?on batches\b.*\n.*/g) ?? []
    assert.ok(scans.length > 0, `${name} reads no batch`)
    for (const scan of scans)
      assert.match(scan, /^Index (Only )?Scan .*\n +Index Cond: /, `${name}:\n${plans.join('\n')}`)
  }
})

test('a fallback locks batches of several messages in the order of their ids, as those who mark them do', async (t) => {
  const database = await createDatabase()
  atEnd(t, () => database.drop())
  const pool = connect({ url: database.url, applicationName: 'batches test', connectionsMax: 3 })
  atEnd(t, () => pool.close(1))
  // A later account, message or try may have the earlier batch.
  const keys = [
    { accountId: 2, messageId: 20 },
    { accountId: 1, messageId: 10 }
  ]
  const expiresAt = new Date(Date.now() + 3_600_000)
  const [first, second] = await insertBatches(
    pool,
    keys.map((key) => ({ ...key, lane: 0, route: 'rcs:', dueAt: null, expiresAt, positions: [1, 2] }))
  )
  await pool`update batches set submitting = positions`
  const recipients = keys.toReversed().map((key) => ({ ...key, position: 1 }))
  const falling = await pool.begin(async (database) => {
    await database`select from batches where id = ${first as number} for update`
    const falling = pool.begin(async (database) => {
      // As the table is read when it is not almost empty.
      await lookUpOnly(database)
      await unmarkFallenBack(database, recipients)
    })
    await untilWaiting(pool, 1)
    await database`select from batches where id = ${second as number} for update nowait`
    return [falling]
  })
  await Promise.all(falling)
  const rows = await pool<{ submitting: number[] }[]>`select submitting from batches`
  assert.deepEqual(
    rows.map(({ submitting }) => submitting),
    [[2], [2]]
  )
})

import { strict as assert } from 'node:assert'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { eventually } from '../../test/checks/eventually.ts'
import { assertLedgerHolds } from '../../test/checks/ledger.ts'
import { createBareDatabase, createDatabase, type TestDatabase } from '../../test/database/databases.ts'
import { holdTable } from '../../test/database/hold-table.ts'
import { mobiles, send } from '../../test/messages/sending.ts'
import { atEnd } from '../../test/service/cleanup.ts'
import { startService, test } from '../../test/service/service.ts'
import { connect, type Pool } from './database.ts'
import { changeRanges, closeFirstRange, readRanges } from './id-ranges.store.ts'
import { createKeepIdRanges } from './keep-id-ranges.ts'
import { migrate, readMigrations } from './migrate.ts'
import { skipIds } from './skip-ids.ts'

const KEEP_RANGES = join(import.meta.dirname, '../../test/processes/keep-ranges.ts')

function open(t: TestContext, database: TestDatabase): Pool {
  const pool = connect({ url: database.url, applicationName: 'ranges test', connectionsMax: 4 })
  atEnd(t, () => pool.close(1))
  return pool
}

/** A process of its own: its turns, and what it said. */
function keeper(pool: Pool) {
  const failed: string[] = []
  const lines: string[] = []
  const say = (_: object, text: string) => lines.push(text)
  const log = { info: say, warn: say, error: say, debug: say } as unknown as Parameters<
    typeof createKeepIdRanges
  >[1]['log']
  const keep = createKeepIdRanges(pool, { retentionDays: 400, log, onFailed: (kind) => failed.push(kind) })
  return { keep, failed, lines }
}

const boundsOf = async (pool: Pool, kind: 'messages' | 'events' = 'messages') =>
  (await readRanges(pool, kind)).ranges.map(({ firstId, endId }) => [firstId, endId])

const partitionsOf = async (pool: Pool, table: string) =>
  (
    await pool<{ name: string; count: number }[]>`
      select tableoid::regclass::text as name, count(*)::integer as count from ${pool(table)} group by 1 order by 1
    `
  ).map(({ name, count }) => [name, count])

/** A recipient of a message that is of no interest. */
const insertRecipient = (pool: Pool, messageId: number) =>
  pool`insert into recipients (account_id, message_id, position, segments, credits, country, phone) values (1, ${messageId}, 1, 1, 1, 'FR', '')`

test('two processes keep a range ahead of the last id, and add it once; its partitions are made like the others', async (t) => {
  const database = await createDatabase()
  atEnd(t, () => database.drop())
  const pools = [open(t, database), open(t, database)]
  const [pool] = pools as [Pool, Pool]
  const failures: string[][] = []
  // Each time new processes: the old ones would take the jump of the ids for their pace.
  const keepAll = () =>
    Promise.all(
      pools.map((pool) => {
        const { keep, failed } = keeper(pool)
        failures.push(failed)
        return keep()
      })
    )
  await keepAll()
  assert.deepEqual(await boundsOf(pool), [
    [0, 20_000],
    [20_000, 40_000]
  ])
  await pool`select setval('message_ids', 20_000)`
  await keepAll()
  const bounds = await boundsOf(pool)
  assert.equal(bounds.length, 3)
  assert.equal(bounds[2]?.[0], 40_000)
  for (const id of [1, 20_001, 40_001]) await insertRecipient(pool, id)
  assert.deepEqual(await partitionsOf(pool, 'recipients'), [
    ['recipients_0', 1],
    ['recipients_20000', 1],
    ['recipients_40000', 1]
  ])
  const shapes = await pool<{ table: string; shape: string }[]>`
    select inhparent::regclass::text as table,
      concat_ws(' ', reloptions, (select count(*) from pg_index where indrelid = inhrelid), (select count(*) from pg_constraint where conrelid = inhrelid)) as shape
    from pg_inherits
    join pg_class on pg_class.oid = inhrelid
    where inhparent in ('recipients'::regclass, 'timeline_steps'::regclass)
    group by 1, 2
  `
  assert.equal(shapes.length, 2, 'all partitions of a table have one shape')
  const { ranges } = await readRanges(pool, 'messages')
  assert.deepEqual(
    ranges.map(({ openedAt, closedAt }) => [openedAt !== null, closedAt !== null]),
    [
      [true, true],
      [true, false],
      [false, false]
    ]
  )
  assert.deepEqual(failures.flat(), [])
})

test('without a range rows go to the default partition; failures are counted, and a busy table is tried again', async (t) => {
  const database = await createDatabase()
  atEnd(t, () => database.drop())
  const pool = open(t, database)
  const { keep, failed, lines } = keeper(pool)
  await pool`select setval('message_ids', 39_999)`
  await pool`create table recipients_40000 ()`
  await keep()
  assert.deepEqual(failed, ['messages'])
  assert.match(lines.join(), /rows go to the default partition meanwhile/)
  await pool`select setval('message_ids', 40_001)`
  await insertRecipient(pool, 40_001)
  assert.deepEqual(await partitionsOf(pool, 'recipients'), [['recipients_default', 1]])
  const held = await holdTable(pool, 'recipients_default')
  await keep()
  assert.match(lines.at(-1) ?? '', /its tables are busy/)
  await held.release()
  await keep()
  assert.deepEqual(failed, ['messages'])
  const next = (await boundsOf(pool)).at(-1) as number[]
  assert.ok((next[0] as number) > 40_001)
  await insertRecipient(pool, next[0] as number)
  assert.equal((await partitionsOf(pool, 'recipients')).length, 2)
})

/** A database as the release before ranges left it, with rows in the tables that get ranges. */
async function releaseBefore(t: TestContext): Promise<TestDatabase> {
  const database = await createBareDatabase()
  atEnd(t, () => database.drop())
  const pool = open(t, database)
  await migrate(
    pool,
    (await readMigrations()).filter(({ name }) => name < '0040')
  )
  await pool`
    insert into recipients (account_id, message_id, position, segments, credits, country, phone)
    select 1, nextval('message_ids'), 1, 1, 1, 'FR', '+336000' || n from generate_series(10000, 10299) as n
  `
  await pool`
    insert into timeline_steps (account_id, message_id, position, id, step, detail)
    select account_id, message_id, position, nextval('timeline_ids'), 'in_doubt', '' from recipients
  `
  await pool`
    insert into events (account_id, id, type, record)
    select 1, nextval('event_ids'), 'replies', '{}' from generate_series(1, 50)
  `
  return database
}

/** The first step of a move: all rows are known to be below its end. */
async function readOldRows(pool: Pool): Promise<void> {
  await pool`alter table recipients_default validate constraint recipients_below`
  await pool`alter table timeline_steps_default validate constraint timeline_steps_below`
}

test('a database of the release before is moved while the service writes, and nothing is lost', async (t) => {
  const database = await releaseBefore(t)
  const service = await startService(t, { databaseUrl: database.url })
  const { pool } = service
  const account = await service.newAccount({ credits: 1_000 })
  const before: number[] = []
  const after: number[] = []
  await eventually(async () => {
    const id = await send(account, { recipients: mobiles(2) })
    ;(id > 100_000_000 ? after : before).push(id)
    assert.ok(after.length > 2, 'the service moves them by itself')
  })
  const counts = Object.fromEntries(await partitionsOf(pool, 'recipients'))
  const begins = (await boundsOf(pool))[1]?.[0]
  assert.deepEqual(counts, {
    recipients_before: 300 + 2 * before.length,
    [`recipients_${begins}`]: 2 * after.length
  })
  assert.deepEqual(await partitionsOf(pool, 'timeline_steps'), [['timeline_steps_before', 300]])
  await eventually(async () => assert.deepEqual(await partitionsOf(pool, 'events'), [['events_before', 50]]))
  for (const id of [...before, ...after]) {
    assert.equal((await account.expect(200).get(`/messages/${id}/recipients/sms`)).body.meta.totalItems, 2)
  }
  assert.ok(!service.logLines.some((line) => /"level":50/.test(line)))
  await assertLedgerHolds(pool)
})

test('a move that is cut off at any step is finished by another process', async (t) => {
  const database = await releaseBefore(t)
  const pool = open(t, database)
  await migrate(pool)
  const first = keeper(pool)
  // Cut off while the old rows are read.
  const held = await holdTable(pool, 'recipients_default')
  const cutOff = first.keep()
  await eventually(async () => {
    const ended =
      await pool`select pg_terminate_backend(pid) from pg_locks where not granted and relation = 'recipients_default'::regclass`
    assert.equal(ended.length, 1)
  })
  await cutOff
  await held.release()
  assert.deepEqual(first.failed, ['messages'])
  assert.deepEqual(await partitionsOf(pool, 'recipients'), [['recipients_default', 300]])
  // Cut off after the rows of one table were read, and after the tables became the first range.
  await readOldRows(pool)
  const [range] = (await readRanges(pool, 'messages')).ranges
  assert.ok(range)
  await changeRanges(pool, (sql) => closeFirstRange(sql, range))
  await insertRecipient(pool, 301)
  const second = keeper(pool)
  await second.keep()
  await second.keep()
  assert.deepEqual(second.failed, [])
  const [next] = await pool<[{ id: number }]>`select nextval('message_ids') as id`
  assert.equal(next.id, range.endId)
  assert.deepEqual(await partitionsOf(pool, 'recipients'), [['recipients_before', 301]])
  assert.deepEqual(await partitionsOf(pool, 'events'), [['events_before', 50]])
  assert.equal((await readRanges(pool, 'messages')).ranges[0]?.closedAt !== null, true)
})

test('a process that is killed while tables become the first range leaves them as they were, and another one goes on', async (t) => {
  const database = await releaseBefore(t)
  const pool = open(t, database)
  await migrate(pool)
  await readOldRows(pool)
  // The transaction has moved recipients, and waits for the table after it.
  const held = await holdTable(pool, 'timeline_steps')
  const child = spawn(process.execPath, [KEEP_RANGES, JSON.stringify(database.url)], { stdio: 'inherit' })
  const exit = once(child, 'exit')
  atEnd(t, () => child.kill('SIGKILL'))
  await eventually(async () => {
    const waiting = await pool`
      select from pg_locks as waiting
      join pg_locks as had using (pid)
      where waiting.relation = 'timeline_steps'::regclass
        and not waiting.granted
        and had.relation = 'recipients'::regclass
        and had.mode = 'AccessExclusiveLock'
        and had.granted
    `
    assert.equal(waiting.length, 1)
  })
  child.kill('SIGKILL')
  await exit
  await held.release()
  await eventually(async () =>
    assert.equal((await pool`select from pg_stat_activity where application_name = 'keep ranges'`).length, 0)
  )
  assert.deepEqual(await partitionsOf(pool, 'recipients'), [['recipients_default', 300]])
  const [range] = (await readRanges(pool, 'messages')).ranges
  assert.equal(range?.isMade, false)
  await insertRecipient(pool, 301)
  const { keep, failed } = keeper(pool)
  await keep()
  await keep()
  assert.deepEqual(failed, [])
  assert.deepEqual(await partitionsOf(pool, 'recipients'), [['recipients_before', 301]])
  assert.deepEqual(await partitionsOf(pool, 'timeline_steps'), [['timeline_steps_before', 300]])
  const [next] = await pool<[{ id: number }]>`select nextval('message_ids') as id`
  assert.equal(next.id, range?.endId)
})

test('ids that are skipped after a restore go on in a range, also before the rows of the time before ranges are moved', async (t) => {
  const database = await createDatabase()
  atEnd(t, () => database.drop())
  const fresh = open(t, database)
  await fresh`select setval('message_ids', 5)`
  await skipIds(fresh)
  const draw = async (pool: Pool) => (await pool<[{ id: number }]>`select nextval('message_ids') as id`)[0].id
  const id = await draw(fresh)
  assert.equal(id, 1_000_006)
  await insertRecipient(fresh, id)
  assert.deepEqual(await partitionsOf(fresh, 'recipients'), [['recipients_1000005', 1]])
  const [other] = await fresh<[{ id: number }]>`select nextval('template_ids') as id`
  assert.equal(other.id, 1_000_001, 'one that was never drawn is skipped too')

  const old = open(t, await releaseBefore(t))
  await migrate(old)
  const [range] = (await readRanges(old, 'messages')).ranges
  assert.ok(range)
  await old`select setval('message_ids', ${range.endId - 11_000_000})`
  await skipIds(old)
  const beyond = await draw(old)
  assert.ok(beyond > range.endId)
  await insertRecipient(old, beyond)
  for (const pool of [fresh, old]) {
    const { keep, failed } = keeper(pool)
    await keep()
    await keep()
    assert.deepEqual(failed, [])
  }
  assert.deepEqual(await partitionsOf(old, 'recipients'), [['recipients_before', 301]])
  await insertRecipient(old, await draw(old))
  assert.equal((await partitionsOf(old, 'recipients')).length, 2)
})

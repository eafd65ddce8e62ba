import { strict as assert } from 'node:assert'
import type { TestContext } from 'node:test'
import { pino } from 'pino'
import { connect, type Pool, type Sql } from '../../src/database/database.ts'
import { createKeepIdRanges } from '../../src/database/keep-id-ranges.ts'
import { readShape } from '../../src/database/shape.ts'
import { updateByReceipt, updateToSent } from '../../src/recipients/moves.store.ts'
import { listRecipientsAt } from '../../src/recipients/positions.store.ts'
import { RECIPIENT_STATES } from '../../src/recipients/recipient.ts'
import { copyRecipients, insertRecipients } from '../../src/recipients/recipients.store.ts'
import { eventually } from '../checks/eventually.ts'
import { asSuperuserOf } from '../database/cluster.ts'
import { createDatabase } from '../database/databases.ts'
import { plansOf } from '../database/plans.ts'
import { mobiles } from '../messages/sending.ts'
import { atEnd } from '../service/cleanup.ts'
import { test } from '../service/service.ts'

const ACCOUNTS = 50
const OTHERS = 2_000
const RECIPIENTS = 5_000
const LOOKED_UP = 50
const KEEPING = { retentionDays: 400, log: pino({ level: 'silent' }), onFailed: () => undefined }
const PRICE = { country: 'FR', content: null, segments: 1, credits: 1 }

/** A database that pools are opened for, which close before it is dropped. */
async function openDatabase(t: TestContext) {
  const { url, drop } = await createDatabase('begun')
  const pools: Pool[] = []
  atEnd(t, async () => {
    for (const pool of pools) await pool.close(1)
    await drop()
  })
  const open = () => {
    const pool = connect({ url, applicationName: 'plans', connectionsMax: 2 })
    pools.push(pool)
    return pool
  }
  await readShape(open())
  return { open, name: url.database }
}

test('a worker reads only the recipients that it is given, also of a message that is newer than its statistics', async (t) => {
  const { open, name } = await openDatabase(t)
  const pool = open()
  assert.deepEqual(await listAnalyzed(pool, name), [])
  await createKeepIdRanges(pool, KEEPING)()
  assert.deepEqual(await listAnalyzed(pool, name), [], 'nor is a range that is new')
  await insertRecipients(
    pool,
    mobiles(OTHERS, '+33611').map((phone, index) => {
      return { accountId: 2 + index, messageId: 1 + index, position: 1, phone, ...PRICE }
    })
  )
  const message = { accountId: 1, id: OTHERS + 1 }
  await pool.begin((sql) => storeRecipients(sql, message, mobiles(RECIPIENTS, '+33612')))
  const step = RECIPIENTS / LOOKED_UP
  const keys = Array.from({ length: LOOKED_UP }, (_, index) => {
    return { accountId: message.accountId, messageId: message.id, position: 1 + index * step }
  })
  const before = await readTuples(pool, name)

  const looking = open()
  assert.equal((await listRecipientsAt(looking, keys)).length, LOOKED_UP)
  const sent = keys.map((key) => {
    return { ...key, kind: 'sent' as const, channel: 'sms' as const, carrier: 'smsc', carrierMessageIds: ['1'] }
  })
  assert.equal((await updateToSent(looking, sent)).length, LOOKED_UP)
  const report = { to: RECIPIENT_STATES.delivered, at: new Date(), receipt: 'DELIVRD', errorCode: '000' }
  const reported = keys.map((key) => ({ ...key, ...report, kind: 'reported' as const }))
  assert.equal((await updateByReceipt(looking, reported)).length, LOOKED_UP)
  // A server counts what a connection has read when it ends.
  await looking.close(1)

  let read = 0
  await eventually(async () => {
    read = (await readTuples(pool, name)) - before
    assert.ok(read >= 3 * LOOKED_UP)
  })
  assert.ok(read < 10 * LOOKED_UP, `the worker read ${read} rows to find ${LOOKED_UP} three times`)
})

test('a worker looks a recipient up by its own account, and by no other of the statement, in one range of ids', async (t) => {
  const { open } = await openDatabase(t)
  const pool = open()
  const keep = createKeepIdRanges(pool, KEEPING)
  // The first turn makes the ranges that the second one finds.
  await keep()
  await keep()
  const keys = Array.from({ length: ACCOUNTS }, (_, index) => ({
    accountId: 1 + index,
    messageId: 1 + index,
    position: 1
  }))
  // The shards of the accounts are known then.
  await listRecipientsAt(pool, keys)
  const plans = await plansOf(pool, (sql) => listRecipientsAt(sql, keys))
  assert.equal(plans.length, 2, 'a statement for each shard')
  for (const plan of plans) {
    assert.match(plan, /Task Count: 1$/m)
    assert.equal(plan.match(/ on recipients_\w+ recipients$/gm)?.length, 1, plan)
    const lookUps = plan.match(/Index Cond: .*$/gm) ?? []
    assert.ok(lookUps.length > 0, plan)
    for (const lookUp of lookUps) {
      assert.match(lookUp, /account_id = \w+\.account_id/)
      assert.doesNotMatch(lookUp, /account_id = ANY/)
    }
  }
})

test('of the phones of a large message none is compared with all that its account wrote to', async (t) => {
  const { open } = await openDatabase(t)
  const pool = open()
  await pool.begin(async (sql) => {
    for (const id of [1, 2, 3, 4]) await storeRecipients(sql, { accountId: 1, id }, mobiles(RECIPIENTS, `+3361${id}`))
    const [prepared] = await sql<{ name: string }[]>`
      select name
      from pg_prepared_statements
      where statement ~ '^\\s*insert into phone_accounts'
    `
    assert.ok(prepared)
    const phones = mobiles(RECIPIENTS, '+33615')
    const rows = await sql.unsafe(
      `explain execute "${prepared.name}"('{${phones.map(() => 1).join()}}', '{${phones.join()}}')`
    )
    const plan = rows.flatMap((row) => Object.values(row)).join('\n')
    assert.match(plan, /Anti Join/)
    assert.doesNotMatch(plan, /Join Filter/)
  })
})

/** In a transaction, as all that is stored. */
async function storeRecipients(sql: Sql, message: { accountId: number; id: number }, phones: readonly string[]) {
  await copyRecipients(
    sql,
    message,
    phones.map((phone, index) => ({ position: index + 1, phone, ...PRICE }))
  )
}

/** How many rows of recipients the workers have read. */
async function readTuples(pool: Pool, database: string): Promise<number> {
  let tuples = 0
  await onWorkers(pool, database, async (sql) => {
    const [row] = await sql<[{ tuples: number }]>`
      select coalesce(sum(coalesce(idx_tup_fetch, 0) + seq_tup_read), 0)::bigint as tuples
      from pg_stat_user_tables
      where relname like 'recipients%'
    `
    tuples += row.tuples
  })
  return tuples
}

/** The partitions that autovacuum analyses on the workers. */
async function listAnalyzed(pool: Pool, database: string): Promise<string[]> {
  const analyzed: string[] = []
  let shards = 0
  await onWorkers(pool, database, async (sql) => {
    const rows = await sql<{ name: string; isAnalyzed: boolean }[]>`
      select relname as name, not coalesce(reloptions, '{}') @> '{autovacuum_analyze_threshold=2147483647}' as is_analyzed
      from pg_class
      where relkind = 'r'
        and relname ~ '^(recipients|timeline_steps)_.*_[0-9]{6}$'
    `
    shards += rows.length
    analyzed.push(...rows.filter(({ isAnalyzed }) => isAnalyzed).map(({ name }) => name))
  })
  assert.ok(shards > 0)
  return analyzed
}

async function onWorkers(pool: Pool, database: string, work: (sql: Sql) => Promise<void>): Promise<void> {
  const nodes = await pool<{ nodename: string }[]>`select nodename from pg_dist_node where groupid > 0`
  for (const { nodename } of nodes) {
    await asSuperuserOf(nodename, database, async (sql) => {
      await sql`set citus.override_table_visibility to off`
      await work(sql)
    })
  }
}

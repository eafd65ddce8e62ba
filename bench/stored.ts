import { checkLedger } from '../src/credits/check-ledger.ts'
import { openConnection } from '../src/database/connection.ts'
import { type Pool, type Sql, socketServer } from '../src/database/database.ts'
import { findEmbeddedServer } from '../src/database/embedded-server.ts'
import { createSql } from '../src/database/sql.ts'
import { foldWhole } from '../src/statements/fold-credits.ts'
import { ask, phoneNumber, type RunningChappe, say, timed } from './child.ts'
import { CONTENT, takeNumbers } from './harness.ts'
import type { Smsc } from './smsc.ts'
import { connectAsSuperuser } from './statements.ts'

/*
 * Fills the database of a running Chappe with old messages. A few messages of ten recipients go through Chappe until their
 * receipts are stored; then their rows are copied under other ids. So the rows have the shape that Chappe itself leaves,
 * whatever that is, and the ledger stays true.
 */

const RECIPIENTS_EACH = 10
const TEMPLATE_MESSAGES = 100
const TEMPLATE_RECIPIENTS = TEMPLATE_MESSAGES * RECIPIENTS_EACH
/** Above the ids that a running process may have drawn in advance. */
const IDS_APART = 1_000_000
const RANGES = 50
/** 200,000 recipients a transaction: one of ten million would hold back the removal of its WAL. */
const COPIES_AT_ONCE = 200

interface Balance {
  accountId: number
  available: number
  reserved: number
  spent: number
  entryCount: number
}

/**
 * Stores at least so many recipients, a tenth as many messages, all of the first account. They get their share of the ranges
 * that hold everything in the end.
 */
export async function storeRecipients(
  chappe: RunningChappe,
  smsc: Smsc,
  { recipients, share }: { recipients: number; share: number }
): Promise<void> {
  const server = await findEmbeddedServer(chappe.folder)
  if (!server) throw new Error('the embedded server does not answer')
  // Not of a pool, which cuts connections whose server takes too long to say that it works: each statement takes seconds.
  const connection = await openConnection(socketServer({ ...server, user: 'postgres' }))
  const sql = createSql(connection)
  await sql`set statement_timeout = 0`
  await sql`set maintenance_work_mem = '512MB'`
  const before = await readBalance(sql)
  const ids = await sendTemplate(chappe.url, smsc)
  const after = await readBalance(sql)
  const copies = Math.ceil(recipients / TEMPLATE_RECIPIENTS)
  const { seconds } = await timed(async () => {
    await addRanges(sql, { ids, copies, ranges: Math.ceil(RANGES * share) })
    await copyRows(sql, { ids, copies, before, after })
    await copyBalance(sql, { copies, before, after })
    await skipIds(sql, { ids, copies })
    await sql`vacuum (analyze)`
    await sql`checkpoint`
  })
  await connection.close(5_000)
  const pool = await connectAsSuperuser(chappe.folder)
  // Old entries are in the figures already. Otherwise Chappe would add them beside the work that is measured.
  await foldWhole(pool, { accountId: before.accountId, messageType: 1 })
  await refuseBrokenLedger(pool)
  await pool.close(5)
  say(
    `stored ${copies * TEMPLATE_RECIPIENTS} recipients of ${copies * TEMPLATE_MESSAGES} messages in ${seconds.toFixed(0)} s`
  )
}

/** Sends messages through Chappe until their receipts are answered, and returns their ids. */
async function sendTemplate(url: string, smsc: Smsc): Promise<number[]> {
  const answered = smsc.answered
  const ids: number[] = []
  for (let message = 0; message < TEMPLATE_MESSAGES; message++) {
    const first = takeNumbers(RECIPIENTS_EACH)
    const recipients = Array.from({ length: RECIPIENTS_EACH }, (_, index) => phoneNumber(first + index))
    const { message_id: id } = await ask<{ message_id: number }>(url, '/messages/sms', { recipients, content: CONTENT })
    ids.push(id)
  }
  await smsc.untilAnswered(answered + TEMPLATE_RECIPIENTS)
  return ids
}

async function readBalance(sql: Sql): Promise<Balance> {
  const [balance] = await sql<Balance[]>`
    select account_id, available, reserved, spent, entry_count
    from credit_balances
    where message_type = 1
    order by account_id
    limit 1
  `
  if (!balance) throw new Error('the first account has no balance')
  return balance
}

/** The ranges that the copies would have got over the time of their retention. */
async function addRanges(
  sql: Sql,
  { ids, copies, ranges }: Pick<Copying, 'ids' | 'copies'> & { ranges: number }
): Promise<void> {
  const [made] = await sql<[{ endId: number }]>`select max(end_id) as end_id from id_ranges where kind = 'messages'`
  const first = Math.max(made.endId, Math.min(...ids) + IDS_APART)
  const end = Math.max(...ids) + IDS_APART + copies * spanOf(ids) + 1
  if (end <= first) return
  const size = Math.ceil((end - first) / ranges)
  // As the owner of the tables, who drops them later.
  await sql`set role chappe`
  for (let firstId = first; firstId < end; firstId += size) {
    await sql`select add_id_range('messages', ${firstId}, ${firstId + size})`
  }
  await sql`reset role`
}

/** New messages get ids above those of the copies. */
async function skipIds(sql: Sql, { ids, copies }: Pick<Copying, 'ids' | 'copies'>): Promise<void> {
  await sql`select setval('message_ids', nextval('message_ids') + ${IDS_APART + (copies + 1) * spanOf(ids)}::bigint)`
}

/** The copies follow the ledger of today; after a change of it they may not. */
async function refuseBrokenLedger(pool: Pool): Promise<void> {
  const broken = (await checkLedger(pool)).find(({ violations }) => violations.length > 0)
  if (broken) throw new Error(`the copied ledger is wrong, "${broken.promise}": ${JSON.stringify(broken.violations)}`)
}

function spanOf(ids: readonly number[]): number {
  return Math.max(...ids) - Math.min(...ids) + 1
}

interface Copying {
  ids: readonly number[]
  copies: number
  before: Balance
  after: Balance
}

async function copyRows(sql: Sql, copying: Copying): Promise<void> {
  for (const { table, where, shifts } of tablesOf(copying)) {
    const columns = await listColumns(sql, table)
    const values = columns.map((column) => shifts[column] ?? column)
    await withoutIndexes(sql, table, async () => {
      for (let copy = 0; copy < copying.copies; copy += COPIES_AT_ONCE) {
        const last = Math.min(copy + COPIES_AT_ONCE, copying.copies) - 1
        await sql.unsafe(`
          insert into ${table} (${columns.join(', ')})
          select ${values.join(', ')}
          from ${table}, generate_series(${copy}::bigint, ${last}) as copy
          where ${where}
        `)
      }
    })
  }
}

/** Indexes that are no keys are made at the end: phones in no order take much longer one by one. */
async function withoutIndexes(sql: Sql, table: string, work: () => Promise<void>): Promise<void> {
  const indexes = await sql<{ name: string; definition: string }[]>`
    select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition
    from pg_index
    where indrelid = ${table}::regclass
      and not indisunique
  `
  for (const { name } of indexes) await sql.unsafe(`drop index ${name}`)
  await work()
  for (const { definition } of indexes) {
    // Chappe makes some indexes by itself when they are missing. Of a partitioned table PostgreSQL writes ONLY, which would
    // leave out its partitions.
    await sql.unsafe(definition.replace('CREATE INDEX ', 'CREATE INDEX IF NOT EXISTS ').replace(' ON ONLY ', ' ON '))
  }
}

/** Which rows of which tables are copied, and the columns that differ between copies. */
function tablesOf({ ids, before, after }: Copying) {
  const shift = (id: string) => `${id} + ${IDS_APART} + copy * ${spanOf(ids)}`
  const reference = `regexp_replace(reference, '[0-9]+', (${shift("substring(reference, '[0-9]+')::bigint")})::text)`
  const ofMessages = (column: string) =>
    `account_id = ${before.accountId} and ${column} between ${Math.min(...ids)} and ${Math.max(...ids)}`
  const entries = after.entryCount - before.entryCount
  const ofEntries = `account_id = ${before.accountId} and message_type = 1 and position > ${before.entryCount} and position <= ${after.entryCount}`
  const spent = before.available - after.available
  return [
    {
      table: 'messages',
      where: ofMessages('id'),
      // Old messages are in the figures already.
      shifts: { id: shift('id'), is_folded: 'true' } as Record<string, string>
    },
    {
      table: 'recipients',
      where: ofMessages('message_id'),
      shifts: {
        message_id: shift('message_id'),
        phone: `'+336' || 10000000 + (message_id * 7919 + position * 104729 + copy * 15485863) % 19999999`
      }
    },
    {
      table: 'submissions',
      where: ofMessages('message_id'),
      shifts: { message_id: shift('message_id'), carrier_message_id: `carrier_message_id || '-' || copy` }
    },
    {
      table: 'credit_reservations',
      where: `account_id = ${before.accountId} and reference in (select reference from credit_entries where ${ofEntries})`,
      shifts: { reference }
    },
    {
      table: 'credit_entries',
      where: ofEntries,
      shifts: {
        reference,
        position: `position + (copy + 1) * ${entries}`,
        available_after: `available_after - (copy + 1) * ${spent}`
      }
    }
  ]
}

async function listColumns(sql: Sql, table: string): Promise<string[]> {
  const columns = await sql<{ name: string }[]>`
    select attname as name
    from pg_attribute
    where attrelid = ${table}::regclass
      and attnum > 0
      and not attisdropped
      and attgenerated = ''
  `
  return columns.map(({ name }) => name)
}

async function copyBalance(
  sql: Sql,
  { copies, before, after }: { copies: number; before: Balance; after: Balance }
): Promise<void> {
  const change = (name: 'available' | 'reserved' | 'spent' | 'entryCount') => copies * (after[name] - before[name])
  await sql`
    update credit_balances
    set available = available + ${change('available')},
      reserved = reserved + ${change('reserved')},
      spent = spent + ${change('spent')},
      entry_count = entry_count + ${change('entryCount')}
    where account_id = ${before.accountId}
      and message_type = 1
  `
  await sql`
    update message_counts
    set messages_count = messages_count + ${copies * TEMPLATE_MESSAGES}
    where account_id = ${before.accountId}
  `
}

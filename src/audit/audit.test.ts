import { strict as assert } from 'node:assert'
import { glob, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { eventually } from '../../test/checks/eventually.ts'
import { createForeignDatabase } from '../../test/database/databases.ts'
import { holdTable } from '../../test/database/hold-table.ts'
import { atEnd } from '../../test/service/cleanup.ts'
import { startService, test } from '../../test/service/service.ts'
import { readDatabaseClock } from '../database/clock.ts'
import { connect, type Pool, type Sql } from '../database/database.ts'
import { migrate } from '../database/migrate.ts'
import { keepMonths } from './keep-months.ts'

interface Row {
  operation: string
  accountId: number
  onAccountId: number
  objectKind: string | null
  objectId: string | null
  isRefused: boolean
}

function listRows(pool: Pool): Promise<Row[]> {
  return pool<Row[]>`
    select operation, account_id, on_account_id, object_kind, object_id, is_refused
    from audit_entries
    order by id
  `
}

test('a log-in, a failed one and a log-out are entries with person, address and operation', async (t) => {
  const { operator, anonymous, pool } = await startService(t)
  const { email, password } = operator
  const { body } = await anonymous.expect(200).post('/auth/login', { email, password })
  await anonymous.expect(401).post('/auth/login', { email, password: 'not the one' })
  await anonymous.expect(401).post('/auth/login', { email: 'nobody@test.example', password: 'not the one' })
  await eventually(async () => assert.equal((await listRows(pool)).length, 2))
  await anonymous
    .as({ authorization: `Bearer ${body.token}` })
    .expect(200)
    .post('/auth/logout')
  const entries = await pool`
    select operation, is_refused, account_id, on_account_id, address,
      person_id = (select holder_id from accounts) as is_holder
    from audit_entries
    order by id
  `
  const entry = { accountId: operator.id, onAccountId: operator.id, isHolder: true, address: '127.0.0.1' }
  assert.deepEqual(
    [...entries],
    [
      { operation: 'login', isRefused: false, ...entry },
      { operation: 'login', isRefused: true, ...entry },
      { operation: 'logout', isRefused: false, ...entry }
    ]
  )
})

test('entries can’t be updated, deleted or truncated by the service’s own role', async (t) => {
  const { operator, pool } = await startService(t)
  await operator.expect(200).post('/contactlists', { name: 'Clients' })
  const partitions = await pool<{ name: string }[]>`
    select relid::text as name
    from pg_partition_tree('audit_entries')
  `
  assert.equal(partitions.length, 5, 'the table, three months and the default')
  for (const { name } of partitions) {
    await assert.rejects(pool.unsafe(`update ${name} set address = ''`), /permission denied/)
    await assert.rejects(pool.unsafe(`delete from ${name}`), /permission denied/)
    await assert.rejects(pool.unsafe(`truncate ${name}`), /permission denied/)
    // An owner can give the right back to itself, and a superuser needs none: the triggers refuse them too.
    await pool.unsafe(`grant update, delete, truncate on ${name} to current_user`)
    await assert.rejects(pool.unsafe(`truncate ${name}`), /never changed/)
  }
  await assert.rejects(pool`update audit_entries set address = ''`, /never changed/)
  await assert.rejects(pool`delete from audit_entries`, /never changed/)
  assert.equal((await listRows(pool)).length, 1)
})

test('on a server of the operator’s own, neither the owner of the tables, nor the service, nor a reader edits entries', async (t) => {
  const foreign = await createForeignDatabase()
  atEnd(t, foreign.drop)
  const open = (user: string) => {
    const pool = connect({ url: foreign.urlOf(user), applicationName: 'foreign', connectionsMax: 2 })
    atEnd(t, () => pool.close(1))
    return pool
  }
  const service = open(foreign.login)
  await migrate(service)
  await service`
    insert into audit_entries (account_id, on_account_id, address, operation)
    values (1, 1, '127.0.0.1', 'changeMe')
  `
  const [who] = await service<
    [{ name: string }]
  >`select tableowner as name from pg_tables where tablename = 'audit_entries'`
  assert.equal(who.name, foreign.owner, 'the role that the service acts as')
  const reader = open(foreign.reader)
  await assert.rejects(reader`select from audit_entries`, /permission denied/)
  await service.unsafe(`grant usage on schema public to ${foreign.reader}`)
  await service.unsafe(`grant select on audit_entries to ${foreign.reader}`)
  assert.equal((await reader`select from audit_entries`).length, 1)
  for (const pool of [service, reader]) {
    await assert.rejects(pool`update audit_entries set address = ''`, /permission denied/)
    await assert.rejects(pool`delete from audit_entries`, /permission denied/)
    await assert.rejects(pool`truncate audit_entries`, /permission denied/)
  }
  // The login role itself, when it leaves the role of the owner, has what that role has: nothing more.
  await assert.rejects(service.unsafe(`set role ${foreign.login}; delete from audit_entries`), /permission denied/)
  const partitions = await service<{ name: string; canChange: boolean }[]>`
    select relid::text as name,
      has_table_privilege(current_user, relid, 'update, delete, truncate') as can_change
    from pg_partition_tree('audit_entries')
  `
  assert.ok(partitions.length > 3)
  assert.deepEqual(
    partitions.filter(({ canChange }) => canChange),
    []
  )
})

/** The connections that wait to write an entry. */
function listWaiting(pool: Pool): Promise<{ pid: number }[]> {
  return pool<{ pid: number }[]>`
    select pid
    from pg_stat_activity
    where wait_event_type = 'Lock'
      and datname = current_database()
      and query like '%insert into audit_entries%'
  `
}

test('an act whose entry can’t be written has not happened, and a refused act leaves no entry', async (t) => {
  const { newAccount, pool } = await startService(t)
  const account = await newAccount({ credits: 10 })
  const before = await listRows(pool)
  const held = await holdTable(pool, 'audit_entries')
  const acts = [
    account.post('/contactlists', { name: 'Clients' }),
    account.post('/messages/sms', { recipients: ['0639980001'], content: 'Bonjour' })
  ]
  await eventually(async () => assert.equal((await listWaiting(pool)).length, 2))
  for (const { pid } of await listWaiting(pool)) await pool`select pg_terminate_backend(${pid})`
  for (const { status } of await Promise.all(acts)) assert.equal(status, 503)
  await held.release()
  assert.deepEqual((await account.expect(200).get('/contactlists')).body, [])
  assert.deepEqual((await account.expect(200).get('/messages')).body.items, [])
  assert.equal((await account.expect(200).get('/users/credits')).body[0].credits, 10)
  await account
    .expect(402)
    .post('/messages/sms', { recipients: ['0639980001', '0639980002'], content: 'a'.repeat(1_200) })
  await account.expect(404).delete('/contactlists/999')
  assert.deepEqual(await listRows(pool), before)
})

/** They change nothing of an account, or only begin what another operation ends. */
const NO_ENTRY = [
  'src/carriers/rbm/receive-event.ts',
  'src/contacts/list-contact-names.ts',
  'src/contacts/preview-contacts.ts',
  'src/invitations/look-at-invitation.ts',
  'src/notices/mark-notices-read.ts',
  'src/people/forgot-password.ts',
  'src/sandbox/reply-from-phone.ts',
  'src/second-factors/begin-passkey.ts',
  'src/second-factors/begin-passkey-login.ts',
  'src/second-factors/begin-totp.ts',
  'src/segments/count-rules.ts',
  'src/sends/update-draft.ts'
]

test('every operation that is no GET records, or hands its author on', async () => {
  const root = join(import.meta.dirname, '../..')
  let found = 0
  for await (const file of glob('src/**/*.ts', { cwd: root })) {
    const text = await readFile(join(root, file), 'utf8')
    if (file.endsWith('.test.ts') || !/^ *route(: '(POST|PUT|DELETE) |,$)/m.test(text)) continue
    if (!/\b(operation|upload|callback)\(\{/.test(text) || NO_ENTRY.includes(file)) continue
    assert.match(text, /\bhandle\b.*\b(record|author)\b/, file)
    found++
  }
  assert.ok(found > 40, `${found} operations`)
})

test('acts at once leave an entry each, a repeated request leaves one, and a dry run none', async (t) => {
  const { newAccount, pool } = await startService(t)
  const account = await newAccount({ credits: 100 })
  const [{ last }] = await pool<[{ last: number }]>`select coalesce(max(id), 0) as last from audit_entries`
  const send = { recipients: ['0639980001'], content: 'Bonjour' }
  const sent = await Promise.all(Array.from({ length: 20 }, () => account.expect(200).post('/messages/sms', send)))
  await Promise.all(Array.from({ length: 20 }, (_, at) => account.expect(200).post('/contactlists', { name: `${at}` })))
  for (let time = 0; time < 2; time++) {
    await account.expect(200).post('/messages/sms', send, { 'idempotency-key': 'once' })
    await account.expect(200).post('/contactlists', { name: 'once' }, { 'idempotency-key': 'once more' })
  }
  await account.expect(200).post('/messages/sms?resumeBefore=true', send)
  const rows = await pool<{ operation: string; objectId: string; isSend: boolean; keyId: number | null }[]>`
    select operation, object_id, is_send, key_id
    from audit_entries
    where id > ${last}
  `
  const sends = rows.filter(({ operation }) => operation === 'sendSms')
  assert.equal(sends.length, 21)
  assert.ok(sends.every(({ isSend, keyId }) => isSend && keyId !== null))
  const ids = new Set(sends.map(({ objectId }) => Number(objectId)))
  for (const { body } of sent) assert.ok(ids.has(body.message_id))
  assert.equal(rows.filter(({ operation }) => operation === 'createContactList').length, 21)
  assert.equal(rows.length, 42)
})

/** An entry of another day than today. */
function insertAt(sql: Sql, accountId: number, createdAt: string) {
  return sql`
    insert into audit_entries (created_at, account_id, on_account_id, address, operation)
    values (${createdAt}::timestamptz, ${accountId}, ${accountId}, '127.0.0.1', 'changeMe')
  `
}

test('months are made ahead and dropped whole when they are old, and an entry finds a place without its month', async (t) => {
  const { operator, pool } = await startService(t, { settings: { CHAPPE_ROLES: 'delivery' } })
  await readDatabaseClock(pool)
  const months = () => pool<{ name: string }[]>`
    select relid::text as name
    from pg_partition_tree('audit_entries')
    where isleaf
    order by 1
  `
  const insert = (createdAt: string) => insertAt(pool, operator.id, createdAt)
  const first = await months()
  await pool`select add_audit_month('2020-01-01')`
  await pool`select add_audit_month('2020-01-01')`
  await insert('2020-01-31T23:59:59Z')
  await insert('2020-02-01T00:00:00Z')
  const [strays] = await pool<[{ count: number }]>`select count(*) from audit_entries_default`
  assert.equal(strays.count, 1, 'February 2020 has no partition')
  await pool`select add_audit_month('2020-02-01')`
  assert.equal((await months()).length, first.length + 1, 'a month whose entries are in the default stays there')

  await keepMonths(pool, { days: 36_500 })
  assert.equal((await pool`select from audit_entries`).length, 2, 'none is old')
  const [last] = (await months()).slice(-2)
  assert.ok(last)
  await pool.unsafe(`drop table ${last.name}`)
  await Promise.all([keepMonths(pool, { days: 365 }), keepMonths(pool, { days: 365 })])
  await keepMonths(pool, { days: 365 })
  assert.deepEqual(await months(), first, 'the missing month is back, the old one is gone')
  assert.equal((await pool`select from audit_entries`).length, 0)
  await insert('9999-01-01T00:00:00Z')
  await assert.rejects(pool`delete from audit_entries_default`, /permission denied/, 'the new default refuses too')
  await keepMonths(pool, { days: 365 })
  assert.equal((await pool`select from audit_entries`).length, 1)
})

test('months are dropped by several at once, and an entry that comes while old strays go is kept', async (t) => {
  const { operator, pool } = await startService(t, { settings: { CHAPPE_ROLES: 'delivery' } })
  await readDatabaseClock(pool)
  const months = Array.from({ length: 12 }, (_, index) => `2019-${String(index + 1).padStart(2, '0')}-01`)
  for (const month of months) await pool`select add_audit_month(${month}::date)`
  const turn = () => keepMonths(pool, { days: 365 })
  await Promise.all([turn(), turn(), turn(), turn()])
  await turn()
  const left = await pool`select to_regclass('audit_entries_2019_01')::text as name`
  assert.deepEqual(left, [{ name: null }])

  await insertAt(pool, operator.id, '2019-06-01T00:00:00Z')
  let dropping: Promise<void> | undefined
  await pool.begin(async (sql) => {
    await insertAt(sql, operator.id, '9999-01-01T00:00:00Z')
    dropping = turn()
    await eventually(async () => {
      const waiting = await pool`select from pg_locks where relation = 'audit_entries'::regclass and not granted`
      assert.equal(waiting.length, 1)
    })
  })
  await dropping
  assert.equal((await pool`select from audit_entries where created_at >= '9999-01-01'`).length, 1)
})

import { strict as assert } from 'node:assert'
import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { eventually } from '../../test/checks/eventually.ts'
import { assertLedgerHolds } from '../../test/checks/ledger.ts'
import { createDatabase, type TestDatabase } from '../../test/database/databases.ts'
import { atEnd } from '../../test/service/cleanup.ts'
import { connect, type Pool } from '../database/database.ts'
import { checkLedger } from './check-ledger.ts'
import { listOwnCredits } from './credits.store.ts'
import { insertEntries, type NewEntry } from './entries.store.ts'
import { issueCredits, transferCredits } from './ledger.ts'
import { BALANCE_TOO_SMALL, openPurse } from './purse.ts'
import { refundCredits, reserveCredits, settleCredits } from './reservations.ts'

const SMS = 1

async function openLedger(t: TestContext, connectionsMax = 10): Promise<{ pool: Pool; database: TestDatabase }> {
  const database = await createDatabase()
  atEnd(t, () => database.drop())
  const pool = connect({ url: database.url, applicationName: 'ledger test', connectionsMax })
  atEnd(t, () => pool.close(1))
  return { pool, database }
}

/** Accounts 1 (with credits) and 2, its sub-account in the mode given. */
async function openTree(pool: Pool, { credits, mode = 'self' }: { credits: number; mode?: 'self' | 'parent' }) {
  await insertAccounts(pool, [
    { id: 1, parentId: null, mode: 'self' },
    { id: 2, parentId: 1, mode }
  ])
  await pool.begin((pool) => issueCredits(pool, { accountId: 1, messageType: SMS, amount: credits, reason: 'issue' }))
}

async function insertAccounts(pool: Pool, accounts: { id: number; parentId: number | null; mode: string }[]) {
  for (const { id, parentId, mode } of accounts) {
    await pool`
      with holder as (
        insert into people (id, email)
        values (${id}, ${`a${id}@x.example`})
      )
      insert into accounts (id, parent_id, holder_id, app_id, credits_mode)
      values (${id}, ${parentId}, ${id}, ${`app${id}`}, ${mode})
    `
  }
}

async function balances(pool: Pool, accountId: number) {
  const [row] = await pool`
    select available, reserved, spent from credit_balances where account_id = ${accountId} and message_type = ${SMS}
  `
  return row && { ...row }
}

const reserve = (pool: Pool, accountId: number, reference: string, amount: number) =>
  pool.begin((pool) => reserveCredits(pool, [{ accountId, messageType: SMS, reference, amount }]))
const refund = (pool: Pool, accountId: number, reference: string, part: string, amount: number) =>
  pool.begin((pool) => refundCredits(pool, { accountId, messageType: SMS, reference, part, amount }))
const settle = (pool: Pool, accountId: number, reference: string) =>
  pool.begin((pool) => settleCredits(pool, { accountId, messageType: SMS, reference }))

test('a message’s credits are reserved, refunded in part and settled, each once however often it is asked', async (t) => {
  const { pool } = await openLedger(t)
  await openTree(pool, { credits: 100 })
  for (let time = 0; time < 3; time++) {
    assert.deepEqual(await reserve(pool, 1, 'message:1', 30), [{ kind: 'done', remaining: 70, payerId: 1 }])
  }
  assert.deepEqual(await balances(pool, 1), { available: 70, reserved: 30, spent: 0 })
  for (let time = 0; time < 3; time++) await refund(pool, 1, 'message:1', 'message:1/batch:1', 4)
  await refund(pool, 1, 'message:1', 'message:1/batch:2', 6)
  assert.deepEqual(await balances(pool, 1), { available: 80, reserved: 20, spent: 0 })
  for (let time = 0; time < 3; time++) await settle(pool, 1, 'message:1')
  assert.deepEqual(await balances(pool, 1), { available: 80, reserved: 0, spent: 20 })
  await assertLedgerHolds(pool)
})

test('more than was reserved can’t be given back, before it is settled or after', async (t) => {
  const { pool } = await openLedger(t)
  await openTree(pool, { credits: 100 })
  await reserve(pool, 1, 'message:1', 30)
  await assert.rejects(refund(pool, 1, 'message:1', 'part:1', 31), /more than is left/)
  await refund(pool, 1, 'message:1', 'part:1', 30)
  await assert.rejects(refund(pool, 1, 'message:1', 'part:2', 1), /more than is left/)
  await settle(pool, 1, 'message:1')
  assert.deepEqual(await balances(pool, 1), { available: 100, reserved: 0, spent: 0 })
  await reserve(pool, 1, 'message:2', 5)
  await settle(pool, 1, 'message:2')
  await assert.rejects(refund(pool, 1, 'message:2', 'part:3', 6), /more than is left/)
  await refund(pool, 1, 'message:2', 'part:3', 1)
  assert.deepEqual(await balances(pool, 1), { available: 96, reserved: 0, spent: 4 })
  await assert.rejects(refund(pool, 1, 'message:9', 'part:4', 1), /has no reservation/)
  await assertLedgerHolds(pool)
})

test('of requests that share a transaction, one with too few credits touches none of the others', async (t) => {
  const { pool } = await openLedger(t)
  await openTree(pool, { credits: 10, mode: 'parent' })
  const requests = [
    { accountId: 1, messageType: SMS, reference: 'a', amount: 4 },
    { accountId: 2, messageType: SMS, reference: 'b', amount: 7 },
    { accountId: 2, messageType: SMS, reference: 'c', amount: 6 },
    { accountId: 1, messageType: SMS, reference: 'a', amount: 4 },
    { accountId: 1, messageType: SMS, reference: 'd', amount: 1 }
  ] as const
  assert.deepEqual(await pool.begin((pool) => reserveCredits(pool, requests)), [
    { kind: 'done', remaining: 6, payerId: 1 },
    { kind: 'insufficient', required: 7, remaining: 6, payerId: 1 },
    { kind: 'done', remaining: 0, payerId: 1 },
    { kind: 'done', remaining: 0, payerId: 1 },
    { kind: 'insufficient', required: 1, remaining: 0, payerId: 1 }
  ])
  assert.deepEqual(await balances(pool, 1), { available: 0, reserved: 10, spent: 0 })
  await assertLedgerHolds(pool)
})

test('a sub-account in parent mode spends its parent’s credits, and the refund goes back to the payer', async (t) => {
  const { pool } = await openLedger(t)
  await openTree(pool, { credits: 100, mode: 'parent' })
  await reserve(pool, 2, 'message:1', 30)
  assert.deepEqual(await balances(pool, 1), { available: 70, reserved: 30, spent: 0 })
  const purse = await openPurse(pool, { spenderIds: [1, 2], messageType: SMS, isLocked: false })
  const kinds = [2, 2, 1].map((accountId, index) => {
    return purse.reserve({ accountId, reference: `together:${index}`, amount: 40 }).kind
  })
  assert.deepEqual(kinds, ['done', 'insufficient', 'insufficient'], 'what one takes, the other has no more')
  await pool`update accounts set credits_mode = 'self' where id = 2`
  await refund(pool, 2, 'message:1', 'part:1', 10)
  await settle(pool, 2, 'message:1')
  assert.deepEqual(await balances(pool, 1), { available: 80, reserved: 0, spent: 20 })
  assert.deepEqual(await reserve(pool, 2, 'message:2', 1), [
    { kind: 'insufficient', required: 1, remaining: 0, payerId: 2 }
  ])
  const spenders =
    await pool`select distinct spender_id from credit_entries where reason in ('reserve', 'refund', 'settle')`
  assert.deepEqual([...spenders], [{ spenderId: 2 }])
  await assertLedgerHolds(pool)
})

test('the same message reserved, refunded or settled from many sides at once is so once', async (t) => {
  const { pool } = await openLedger(t, 20)
  await openTree(pool, { credits: 100 })
  const times = Array.from({ length: 20 })
  await Promise.all(times.map(() => reserve(pool, 1, 'message:1', 30)))
  await Promise.all(times.map(() => refund(pool, 1, 'message:1', 'part:1', 10)))
  await Promise.all(times.map(() => settle(pool, 1, 'message:1')))
  assert.deepEqual(await balances(pool, 1), { available: 80, reserved: 0, spent: 20 })
  await assertLedgerHolds(pool)
})

test('two reservations that one account pays for may have parts of the same name; a part can’t change its amount', async (t) => {
  const { pool } = await openLedger(t)
  await openTree(pool, { credits: 100, mode: 'parent' })
  for (const accountId of [1, 2]) {
    await reserve(pool, accountId, 'message:1', 5)
    await reserve(pool, accountId, 'message:2', 5)
  }
  for (const accountId of [1, 2]) {
    await refund(pool, accountId, 'message:1', 'batch:1', 3)
    await refund(pool, accountId, 'message:2', 'batch:1', 2)
  }
  assert.deepEqual(await balances(pool, 1), { available: 90, reserved: 10, spent: 0 })
  await assert.rejects(refund(pool, 2, 'message:1', 'batch:1', 2), /was refunded with 3, not 2/)
  await assertLedgerHolds(pool)
})

test('credits that are spent at once: of one account or of several, the entries follow each other', async (t) => {
  const { pool } = await openLedger(t)
  await openTree(pool, { credits: 100 })
  await pool.begin((pool) => issueCredits(pool, { accountId: 2, messageType: SMS, amount: 50, reason: 'issue' }))
  const spend = (spends: readonly (readonly [accountId: number, amount: number])[], name: string) =>
    pool.begin(async (database) => {
      const spenderIds = spends.map(([accountId]) => accountId)
      const purse = await openPurse(database, { spenderIds, messageType: SMS, isLocked: false })
      for (const [index, [accountId, amount]] of spends.entries()) {
        purse.reserve({ accountId, reference: `${name} ${index}`, amount })
      }
      await purse.write(database, () => true)
    })
  const ofOne = [
    [1, 3],
    [1, 1],
    [1, 5]
  ] as const
  const ofSeveral = [
    [1, 2],
    [2, 4],
    [1, 6]
  ] as const
  await spend(ofOne, 'one')
  await spend(ofSeveral, 'several')
  const entries = await pool`
    select account_id, position, reference, available, spent, available_after, spender_id
    from credit_entries
    where reason = 'spend'
    order by account_id, position
  `
  const entry = (accountId: number, position: number, reference: string, amount: number, availableAfter: number) => {
    return { accountId, position, reference, available: -amount, spent: amount, availableAfter, spenderId: accountId }
  }
  assert.deepEqual(
    [...entries],
    [
      entry(1, 2, 'one 0', 3, 97),
      entry(1, 3, 'one 1', 1, 96),
      entry(1, 4, 'one 2', 5, 91),
      entry(1, 5, 'several 0', 2, 89),
      entry(1, 6, 'several 2', 6, 83),
      entry(2, 2, 'several 1', 4, 46)
    ]
  )
  const settled =
    await pool`select amount, payer_id = account_id as is_own from credit_reservations where settled_at = created_at`
  assert.equal(settled.length, 6)
  // Credits that somebody else spends after the purse was opened: the database refuses.
  const late = pool.begin(async (database) => {
    const purse = await openPurse(database, { spenderIds: [2], messageType: SMS, isLocked: false })
    await spend([[2, 40]], 'meanwhile')
    purse.reserve({ accountId: 2, reference: 'late', amount: 40 })
    await purse.write(database, () => true)
  })
  await assert.rejects(late, { constraint: BALANCE_TOO_SMALL })
  await assertLedgerHolds(pool)
})

test('amounts that are not positive whole numbers are refused as bugs', async (t) => {
  const { pool } = await openLedger(t)
  await openTree(pool, { credits: 100 })
  for (const amount of [0, -1, 1.5, Number.NaN, 2 ** 53]) {
    await assert.rejects(reserve(pool, 1, 'x', amount), /not a positive whole number/)
    await assert.rejects(
      pool.begin((pool) => transferCredits(pool, { fromId: 1, toId: 2, messageType: SMS, amount })),
      /not a positive whole number/
    )
  }
})

test('the database itself refuses an edited entry, a negative balance and an entry that does not sum to zero', async (t) => {
  const { pool } = await openLedger(t)
  await openTree(pool, { credits: 100 })
  await assert.rejects(pool`update credit_entries set reference = 'x'`, /permission denied/)
  await assert.rejects(pool`delete from credit_entries`, /permission denied/)
  await assert.rejects(pool`truncate credit_entries`, /permission denied/)
  await assert.rejects(pool`update credit_balances set available = -1`, /not_negative/)
  await assert.rejects(
    pool`
      insert into credit_entries (account_id, message_type, position, reason, available, elsewhere, available_after)
      values (1, 1, 2, 'issue', 5, -4, 105)
    `,
    /violates check constraint/
  )
})

test('the check of the ledger finds a balance, a missing entry and a half transfer that someone has tampered with', async (t) => {
  const { pool, database } = await openLedger(t)
  await openTree(pool, { credits: 100 })
  await pool.begin((pool) => transferCredits(pool, { fromId: 1, toId: 2, messageType: SMS, amount: 10 }))
  const broken = async () =>
    (await checkLedger(pool)).filter(({ violations }) => violations.length > 0).map(({ promise }) => promise)
  assert.deepEqual(await broken(), [])

  await pool`update credit_balances set available = available + 1 where account_id = 1`
  assert.deepEqual(await broken(), ['every balance is the sum of its entries', 'all credits came from outside'])
  await pool`update credit_balances set available = available - 1 where account_id = 1`

  await pool`
    insert into credit_reservations (account_id, message_type, reference, payer_id, amount)
    values (99, 1, 'stray', 99, 5)
  `
  assert.deepEqual(await broken(), [
    'every reservation is what its own entries took, gave back and settled',
    'every entry and every reservation belongs to an existing balance'
  ])
  await pool`delete from credit_reservations where reference = 'stray'`

  const owner = connect({ url: { ...database.url, user: 'postgres' }, applicationName: 'tamper', connectionsMax: 1 })
  atEnd(t, () => owner.close(1))
  await owner`delete from credit_entries where account_id = 2`
  assert.deepEqual(await broken(), [
    'every balance is the sum of its entries',
    'every transfer has two entries that name each other and sum to zero'
  ])
})

test('the check of the ledger finds a refund and a settlement that went to another message of the same payer', async (t) => {
  const { pool } = await openLedger(t)
  await openTree(pool, { credits: 100 })
  const [one, two] = ['message 1', 'message 2'].map(
    (reference) => ({ accountId: 1, messageType: SMS, reference }) as const
  )
  assert.ok(one && two)
  await pool.begin((sql) =>
    reserveCredits(
      sql,
      [one, two].map((key) => ({ ...key, amount: 5 }))
    )
  )
  await pool.begin((sql) => refundCredits(sql, { ...one, part: 'recipient 1', amount: 2 }))
  await pool.begin((sql) => settleCredits(sql, one))
  await pool.begin((sql) => settleCredits(sql, two))
  const broken = async () =>
    (await checkLedger(pool)).filter(({ violations }) => violations.length > 0).map(({ promise }) => promise)
  const promise = 'every reservation is what its own entries took, gave back and settled'
  assert.deepEqual(await broken(), [])
  await pool`update credit_reservations set refunded = 2 - refunded`
  assert.deepEqual(await broken(), [promise])
  await pool`update credit_reservations set refunded = 2 - refunded`
  await pool`update credit_reservations set amount = amount + case reference when 'message 1' then 1 else -1 end`
  assert.deepEqual(await broken(), [promise])
})

test('hundreds of random movements at once over a tree of accounts, killed and restarted in between, leave the ledger exact', async (t) => {
  const { pool, database } = await openLedger(t)
  const parents = [1, 2, 3]
  const children = parents.flatMap((parentId) => [10, 20, 30].map((offset) => ({ id: offset + parentId, parentId })))
  await insertAccounts(pool, [
    ...parents.map((id) => ({ id, parentId: null, mode: 'self' })),
    ...children.map((child, index) => ({ ...child, mode: index % 3 === 0 ? 'parent' : 'self' }))
  ])
  for (const accountId of parents) {
    await pool.begin((pool) => issueCredits(pool, { accountId, messageType: SMS, amount: 2_000, reason: 'issue' }))
  }

  let movements = 0
  for (let round = 0; round < 6; round++) {
    const workers = [1, 2].map((worker) => startMover({ database, seed: round * 10 + worker }))
    await Promise.all(workers.map(({ ready }) => ready))
    const goal = movements + 50 + round * 5
    await eventually(
      async () => {
        const [row] = await pool<[{ count: number }]>`select count(*) from credit_entries`
        assert.ok(row.count >= goal)
      },
      { everyMs: 10, withinMs: 30_000 }
    )
    for (const { child } of workers) {
      assert.equal(child.exitCode, null, 'the mover was moving until it was killed')
      child.kill('SIGKILL')
    }
    await Promise.all(workers.map(({ ended }) => ended))
    await assertLedgerHolds(pool)
    const [row] = await pool<[{ count: number; negative: number }]>`
      select count(*), count(*) filter (where available_after < 0) as negative from credit_entries
    `
    assert.equal(row.negative, 0)
    assert.ok(row.count > movements, `round ${round} moved nothing`)
    movements = row.count
  }
  t.diagnostic(`${movements} entries by 12 processes, each killed`)
  assert.ok(movements > 300)

  let total = 0
  for (const { id } of [...parents.map((id) => ({ id })), ...children]) {
    const [sms] = await listOwnCredits(pool, id)
    const balance = await balances(pool, id)
    assert.ok(sms && sms.available >= 0)
    total += (balance?.available ?? 0) + (balance?.reserved ?? 0) + (balance?.spent ?? 0)
  }
  assert.equal(total, 6_000, 'not a credit was made or lost')
})

/** A process of its own that moves credits at random until it is killed. */
function startMover({ database, seed }: { database: TestDatabase; seed: number }): {
  child: ChildProcess
  ready: Promise<void>
  ended: Promise<void>
} {
  const child = spawn(
    process.execPath,
    [join(import.meta.dirname, '../../test/checks/move-credits.ts'), JSON.stringify(database.url), String(seed)],
    { stdio: ['ignore', 'pipe', 'inherit'] }
  )
  const { promise: ready, resolve: isReady, reject } = Promise.withResolvers<void>()
  const { promise: ended, resolve: isEnded } = Promise.withResolvers<void>()
  child.stdout.once('data', () => isReady())
  child.once('exit', () => {
    reject(new Error('the mover ended by itself'))
    isEnded()
  })
  return { child, ready, ended }
}

test('entries of several balances are written with what is left of each, and none if one balance is missing', async (t) => {
  const { pool } = await openLedger(t)
  await openTree(pool, { credits: 100 })
  await pool.begin((pool) => issueCredits(pool, { accountId: 2, messageType: SMS, amount: 10, reason: 'issue' }))
  const entry = (accountId: number, reference: string, credits: number): NewEntry => ({
    ...{ accountId, messageType: SMS, reason: 'spend', reference, part: null, transferId: null, counterpartyId: null },
    ...{ available: -credits, reserved: 0, spent: credits, elsewhere: 0, spenderId: accountId }
  })
  const given = [entry(2, 'a', 1), entry(1, 'b', 20), entry(2, 'c', 3), entry(1, 'd', 5)]
  assert.deepEqual(
    (await insertEntries(pool, given)).map(({ accountId, availableBefore }) => [accountId, availableBefore]).toSorted(),
    [
      [1, 100],
      [2, 10]
    ]
  )
  const listWritten = () => pool<{ accountId: number; reference: string; availableAfter: number; place: number }[]>`
    select account_id, reference, available_after, position - min(position) over (partition by account_id) as place
    from credit_entries
    where reason = 'spend'
    order by account_id, position
  `
  const written = await listWritten()
  assert.deepEqual(
    written.map(({ accountId, reference, availableAfter, place }) => [accountId, reference, availableAfter, place]),
    [
      [1, 'b', 80, 0],
      [1, 'd', 75, 1],
      [2, 'a', 9, 0],
      [2, 'c', 6, 1]
    ]
  )
  await assert.rejects(insertEntries(pool, [entry(2, 'e', 1), entry(3, 'f', 1), entry(1, 'g', 1)]), /null value/)
  assert.equal((await listWritten()).length, 4)
  assert.deepEqual(
    (await pool`select available from credit_balances where message_type = ${SMS} order by account_id`).map(
      ({ available }) => available
    ),
    [75, 6]
  )
})

import { strict as assert } from 'node:assert'
import type { TestContext } from 'node:test'
import fc from 'fast-check'
import { eventually } from '../../test/checks/eventually.ts'
import { assertLedgerHolds } from '../../test/checks/ledger.ts'
import { readPdfTexts } from '../../test/checks/pdf-text.ts'
import { createDatabase } from '../../test/database/databases.ts'
import { untilSummary } from '../../test/messages/sending.ts'
import { atEnd } from '../../test/service/cleanup.ts'
import { OPERATOR, startService, test } from '../../test/service/service.ts'
import type { CreditsByCountry } from '../credits/credit-use.ts'
import { issueCredits, transferCredits, withdrawCredits } from '../credits/ledger.ts'
import { refundCredits, reserveCredits, settleCredits } from '../credits/reservations.ts'
import { connect, type Database, type Pool } from '../database/database.ts'
import { checkCredits } from './check-statements.ts'
import { closeMonths } from './close-months.ts'
import { foldBalance, foldCredits } from './fold-credits.ts'
import { listBalances, listUses } from './statements.store.ts'

const SMS = 1
const ISSUER = { name: 'Example Messaging SAS', address: '1 rue de la Paix\n75002 Paris' }
/** The operator, an account, one below with credits of its own, and one below that spends those of the account. */
const [OWNER, PARENT, CHILD, SHARING] = [9, 1, 2, 3]

async function openBooks(t: TestContext) {
  const database = await createDatabase()
  atEnd(t, () => database.drop())
  const open = (user: string) => {
    const pool = connect({ url: { ...database.url, user }, applicationName: 'statements test', connectionsMax: 4 })
    atEnd(t, () => pool.close(1))
    return pool
  }
  const pool = open('chappe')
  for (const { id, parentId, mode } of [
    { id: OWNER, parentId: null, mode: 'self' },
    { id: PARENT, parentId: null, mode: 'self' },
    { id: CHILD, parentId: PARENT, mode: 'self' },
    { id: SHARING, parentId: PARENT, mode: 'parent' }
  ]) {
    await pool`insert into people (id, email) values (${id}, ${`a${id}@x.example`})`
    await pool`
      insert into accounts (id, parent_id, holder_id, app_id, credits_mode, is_operator, social_reason)
      values (${id}, ${parentId}, ${id}, ${`app${id}`}, ${mode}, ${id === OWNER}, ${`Company ${id}`})
    `
  }
  const owner = open('postgres')
  return { pool, owner, another: () => open('chappe') }
}

/** Does something, as if it had happened then. */
async function at<T>(
  { pool, owner }: { pool: Pool; owner: Pool },
  moment: string,
  work: (database: Database) => Promise<T>
): Promise<T> {
  const done = await pool.begin(work)
  await owner`update credit_entries set created_at = ${moment} where created_at > now() - interval '1 hour'`
  return done
}

const issue = (accountId: number, amount: number) => (sql: Database) =>
  issueCredits(sql, { accountId, messageType: SMS, amount, reason: 'issue' })

const reserve = (accountId: number, reference: string, countries: CreditsByCountry, sender = 'MYSHOP') => {
  const amount = Object.values(countries).reduce((sum, credits) => sum + credits, 0)
  return (sql: Database) =>
    reserveCredits(sql, [{ accountId, messageType: SMS, reference, amount, use: { sender, countries } }])
}

const refund = (accountId: number, reference: string, part: string, countries: CreditsByCountry) => {
  const amount = Object.values(countries).reduce((sum, credits) => sum + credits, 0)
  return (sql: Database) => refundCredits(sql, { accountId, messageType: SMS, reference, part, amount, countries })
}

/** Closes all months before a moment. */
async function closeUntil(pool: Pool, moment: string): Promise<void> {
  while ((await closeMonths(pool, { issuer: ISSUER, now: () => new Date(moment) })).isMoreDue);
}

test('figures are added by keys: of all reservations, only those of new entries are read', async (t) => {
  const { pool, owner } = await openBooks(t)
  await pool.begin(issue(PARENT, 2_000))
  const use = { sender: 'MYSHOP', countries: { FR: 1 } }
  const uses = Array.from({ length: 2_000 }, (_, index) => ({ reference: `message ${index}`, amount: 1, use }))
  await pool.begin((database) =>
    reserveCredits(
      database,
      uses.map((each) => ({ accountId: PARENT, messageType: SMS, ...each }))
    )
  )
  await owner`analyze`
  await pool.begin(async (database) => {
    assert.ok(await foldBalance(database, { accountId: PARENT, messageType: SMS }, { isWaiting: true }))
    const reads = await database`
      select relname as table, seq_scan > 0 as is_read_whole, idx_scan > 0 as is_read_by_key
      from pg_stat_xact_user_tables
      where relname in ('credit_reservations', 'credit_entries')
      order by relname
    `
    const byKey = { isReadWhole: false, isReadByKey: true }
    assert.deepEqual(
      [...reads],
      ['credit_entries', 'credit_reservations'].map((table) => ({ table, ...byKey }))
    )
  })
})

test('a message that is accepted in one month and refunded in the next is used in the one and refunded in the other, by country', async (t) => {
  const books = await openBooks(t)
  const { pool } = books
  await at(books, '2025-01-15T10:00Z', issue(PARENT, 1_000))
  await at(books, '2025-01-31T23:59:59Z', reserve(PARENT, 'message 7', { FR: 60, BE: 40 }))
  await at(books, '2025-01-31T23:59:59Z', reserve(SHARING, 'message 8', { FR: 5 }, 'LYON'))
  await at(books, '2025-02-01T00:00Z', refund(PARENT, 'message 7', 'from recipient 1', { BE: 3, FR: 1 }))
  await at(books, '2025-02-02T00:00Z', (sql) =>
    settleCredits(sql, { accountId: PARENT, messageType: SMS, reference: 'message 7' })
  )
  await at(books, '2025-02-03T00:00Z', refund(SHARING, 'message 8', 'cancelled', { FR: 5 }))
  await foldCredits(pool)
  await at(books, '2025-02-04T00:00Z', (sql) =>
    transferCredits(sql, { fromId: PARENT, toId: CHILD, messageType: SMS, amount: 10 })
  )
  await closeUntil(pool, '2025-04-01T12:00Z')

  const balance = { messageType: SMS, added: 0, removed: 0, used: 0, refunded: 0 }
  assert.deepEqual(
    [...(await listBalances(pool, PARENT, ['2025-01', '2025-02', '2025-03']))],
    [
      { ...balance, month: '2025-03', opening: 894, closing: 894 },
      { ...balance, month: '2025-02', opening: 895, removed: 10, refunded: 9, closing: 894 },
      { ...balance, month: '2025-01', opening: 0, added: 1_000, used: 105, closing: 895 }
    ]
  )
  const uses = (await listUses(pool, PARENT, '2025-02')).map(
    ({ otherId, otherName, country, sender, removed, refunded }) => {
      return [otherId, otherName, country, sender, removed, refunded]
    }
  )
  assert.deepEqual(uses, [
    [PARENT, '', 'BE', 'MYSHOP', 0, 3],
    [PARENT, '', 'FR', 'MYSHOP', 0, 1],
    [CHILD, 'Company 2', '', '', 10, 0],
    [SHARING, 'Company 3', 'FR', 'LYON', 0, 5]
  ])
  assert.equal(
    (await listBalances(pool, SHARING, ['2025-01'])).length,
    0,
    'an account without credits has no statement'
  )
  const rows = await pool`select number, account_id, to_char(month, 'YYYY-MM') as month from statements order by number`
  assert.deepEqual(
    rows.map(({ number, accountId, month }) => [number, accountId, month]),
    [
      [1, PARENT, '2025-01'],
      [2, PARENT, '2025-02'],
      [3, CHILD, '2025-02'],
      [4, PARENT, '2025-03'],
      [5, CHILD, '2025-03']
    ]
  )
  await assertLedgerHolds(pool)
})

test('statements, figures and ledger agree for random histories, whenever figures are folded and months are closed', async (t) => {
  const account = fc.constantFrom(PARENT, CHILD, SHARING)
  const amount = fc.integer({ min: 1, max: 60 })
  const step = fc.record({
    kind: fc.constantFrom(
      'issue',
      'withdraw',
      'give',
      'take',
      'reserve',
      'reserve',
      'refund',
      'refund',
      'settle',
      'fold'
    ),
    account,
    amount,
    other: amount,
    country: fc.constantFrom('FR', 'BE'),
    sender: fc.constantFrom('MYSHOP', 'LYON'),
    days: fc.integer({ min: 0, max: 12 })
  })
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 35 }), async (steps) => {
      const books = await openBooks(t)
      const { pool } = books
      const sums = new Map<string, number>()
      const open: { account: number; reference: string; left: Record<string, number>; sender: string }[] = []
      let moment = new Date('2025-01-05T12:00Z')
      const count = (payer: number, kind: string, credits: number, use = '') => {
        const key = `${payer} ${moment.toISOString().slice(0, 7)} ${kind} ${use}`
        sums.set(key, (sums.get(key) ?? 0) + credits)
      }
      const then = <T>(work: (database: Database) => Promise<T>) => at(books, moment.toISOString(), work)
      await then(issue(PARENT, 500))
      count(PARENT, 'added', 500)
      for (const [index, { kind, account, amount, other, country, sender, days }] of steps.entries()) {
        moment = new Date(moment.getTime() + days * 86_400_000)
        const payer = account === SHARING ? PARENT : account
        if (kind === 'fold') await foldCredits(pool)
        else if (kind === 'issue') {
          await then(issue(account, amount))
          count(account, 'added', amount)
        } else if (kind === 'withdraw') {
          const done = await then((sql) => withdrawCredits(sql, { accountId: account, messageType: SMS, amount }))
          if (done.kind === 'done') count(account, 'removed', amount)
        } else if (kind === 'give' || kind === 'take') {
          const [fromId, toId] = kind === 'give' ? [PARENT, CHILD] : [CHILD, PARENT]
          const done = await then((sql) => transferCredits(sql, { fromId, toId, messageType: SMS, amount }))
          if (done.kind !== 'done') continue
          count(fromId, 'removed', amount)
          count(toId, 'added', amount)
        } else if (kind === 'reserve') {
          // Half of them are for two countries.
          const left = other % 2 === 0 ? { FR: amount, BE: other } : { [country]: amount }
          const reference = `message ${index}`
          const [done] = await then(reserve(account, reference, left, sender))
          if (done?.kind !== 'done') continue
          for (const [code, credits] of Object.entries(left))
            count(payer, 'used', credits, `${account} ${code} ${sender}`)
          open.push({ account, reference, left: { ...left }, sender })
        } else {
          const one = open[amount % Math.max(open.length, 1)]
          if (!one) continue
          const key = { accountId: one.account, messageType: SMS, reference: one.reference } as const
          if (kind === 'settle') await then((sql) => settleCredits(sql, key))
          const code = Object.keys(one.left).find((name) => (one.left[name] ?? 0) > 0)
          if (kind === 'settle' || code === undefined) continue
          const credits = Math.min(other, one.left[code] ?? 0)
          one.left[code] = (one.left[code] ?? 0) - credits
          await then(refund(one.account, one.reference, `part ${index}`, { [code]: credits }))
          const ofPayer = one.account === SHARING ? PARENT : one.account
          count(ofPayer, 'refunded', credits, `${one.account} ${code} ${one.sender}`)
        }
      }
      await closeUntil(pool, '2027-01-01T12:00Z')
      await assertLedgerHolds(pool)
      const stated = await pool<
        Record<'accountId' | 'otherId' | 'added' | 'removed' | 'used' | 'refunded', number>[] &
          { month: string; country: string; sender: string }[]
      >`
        select account_id, to_char(month, 'YYYY-MM') as month, other_id, country, sender, added, removed, used, refunded
        from statement_uses
      `
      const found = new Map<string, number>()
      for (const row of stated) {
        for (const kind of ['added', 'removed', 'used', 'refunded'] as const) {
          if (row[kind] === 0) continue
          const use = kind === 'used' || kind === 'refunded' ? `${row.otherId} ${row.country} ${row.sender}` : ''
          const key = `${row.accountId} ${row.month} ${kind} ${use}`
          found.set(key, (found.get(key) ?? 0) + row[kind])
        }
      }
      assert.deepEqual(new Map([...found].sort()), new Map([...sums].sort()))
    }),
    { numRuns: 4, seed: 20261117, endOnFailure: true }
  )
})

test('a month is closed once by several processes, without gaps in the numbers when one fails, and never changes', async (t) => {
  const books = await openBooks(t)
  const { pool, owner, another } = books
  await at(books, '2025-01-15T10:00Z', issue(PARENT, 1_000))
  await at(books, '2025-01-16T10:00Z', (sql) =>
    transferCredits(sql, { fromId: PARENT, toId: CHILD, messageType: SMS, amount: 10 })
  )
  await owner.unsafe(`
    create function fail() returns trigger language plpgsql as $$ begin raise exception 'no room'; end $$;
    create trigger fail before insert on statements for each row when (new.account_id = ${CHILD}) execute function fail();
  `)
  await assert.rejects(closeUntil(pool, '2025-04-01T12:00Z'), /no room/)
  await owner`drop trigger fail on statements`
  const pools = [pool, another(), another()]
  await eventually(async () => {
    await Promise.all(pools.map((one) => closeUntil(one, '2025-04-01T12:00Z')))
    assert.equal((await pool`select from statement_months`).length, 3)
  })
  const numbers = await pool<{ number: number }[]>`select number from statements order by number`
  assert.deepEqual(
    numbers.map(({ number }) => number),
    [1, 2, 3, 4, 5, 6]
  )
  await assertLedgerHolds(pool)

  for (const table of ['statements', 'statement_balances', 'statement_uses']) {
    await assert.rejects(pool.unsafe(`update ${table} set account_id = 7`), /permission denied/)
    await assert.rejects(pool.unsafe(`delete from ${table}`), /permission denied/)
    for (const statement of [`update ${table} set account_id = 7`, `delete from ${table}`, `truncate ${table}`]) {
      await assert.rejects(owner.unsafe(statement), /never changed/)
    }
  }
  const broken = async () =>
    (await checkCredits(pool)).filter(({ violations }) => violations.length > 0).map(({ promise }) => promise)
  assert.deepEqual(await broken(), [])
  // Past the triggers, as somebody who owns the server can. In its third month, the account has credits and no entry.
  await owner.begin(async (owner) => {
    await owner`set local session_replication_role = replica`
    await owner`delete from statements where account_id = ${CHILD} and month = '2025-03-01'`
    await owner`delete from statement_balances where account_id = ${CHILD} and month = '2025-03-01'`
  })
  assert.deepEqual(await broken(), [
    'every closed month has a statement of each account with credits or entries',
    'the numbers of statements have no gaps'
  ])
  await owner.begin(async (owner) => {
    await owner`set local session_replication_role = replica`
    await owner`update statement_uses set sender = 'OTHER' where account_id = ${PARENT} and month = '2025-01-01'`
    await owner`update statement_balances set added = added + 5, closing = closing + 5 where account_id = ${CHILD}`
    await owner`delete from statements where number = 2`
  })
  assert.deepEqual(await broken(), [
    'every statement has the entries of its month, from its opening to its closing balance',
    'every closed month has a statement of each account with credits or entries',
    'the uses of a statement add up to its balances',
    'the numbers of statements have no gaps',
    'the uses of a statement are the figures of its days'
  ])
})

test('a statement that fails holds up no other, and its month is closed once it is written', async (t) => {
  const books = await openBooks(t)
  const { pool, owner } = books
  for (const accountId of [PARENT, OWNER]) await at(books, '2026-08-10T12:00:00Z', issue(accountId, 100))
  await owner`create function stumble() returns trigger language plpgsql as 'begin raise exception ''stumbled''; end'`
  await owner.unsafe(`create trigger stumble before insert on statements for each row
    when (new.account_id = ${PARENT}) execute function stumble()`)
  const close = () => closeMonths(pool, { issuer: ISSUER, now: () => new Date('2026-09-02T00:00:00Z') })
  const list = async () => [...(await pool`select account_id, number from statements order by number`)]
  await assert.rejects(close(), /stumbled/)
  assert.deepEqual(await list(), [{ accountId: OWNER, number: 1 }])
  await owner`drop trigger stumble on statements`
  assert.deepEqual(await close(), { isMoreDue: true })
  assert.deepEqual(await list(), [
    { accountId: OWNER, number: 1 },
    { accountId: PARENT, number: 2 }
  ])
  await assertLedgerHolds(pool)
})

test('a month waits for transactions that began in it: their entries are of that month', async (t) => {
  const { pool, another } = await openBooks(t)
  await pool.begin(issue(PARENT, 100))
  const month = new Date().toISOString().slice(0, 7)
  const later = new Date(Date.now() + 40 * 86_400_000)
  const close = () => closeMonths(pool, { issuer: ISSUER, now: () => later })
  const held = Promise.withResolvers<void>()
  const begun = Promise.withResolvers<void>()
  const long = another().begin(async (database) => {
    await issue(PARENT, 11)(database)
    begun.resolve()
    await held.promise
  })
  await begun.promise
  assert.deepEqual(await close(), { isMoreDue: false })
  assert.equal((await pool`select from statements`).length, 0)
  held.resolve()
  await long
  await eventually(async () => {
    await close()
    const [balance] = await listBalances(pool, PARENT, [month])
    assert.deepEqual([balance?.added, balance?.closing], [111, 111])
  })
  await assertLedgerHolds(pool)
})

test('a statement is read as JSON, CSV and PDF in both languages, by the account and those above it; the month that goes on is provisional', async (t) => {
  const logo = new URL('../../test/checks/logo.png', import.meta.url).pathname
  const service = await startService(t, {
    settings: {
      CHAPPE_ROLES: 'api,delivery',
      CHAPPE_OPERATOR_NAME: ISSUER.name,
      CHAPPE_OPERATOR_ADDRESS: '1 rue de la Paix | 75002 Paris',
      CHAPPE_OPERATOR_LOGO: logo
    }
  })
  const { newAccount, operator, pool } = service
  const [parent, stranger] = [await newAccount({ credits: 100 }), await newAccount()]
  const child = await parent.newSubAccount({ credits: 20 })
  await parent.expect(200).put('/users/me', { social_reason: 'Maison Dupont' })
  await child.expect(200).put('/users/me', { social_reason: 'Boutique Lyon' })
  // One of each country is refused by the carrier, and its credit comes back.
  const recipients = ['+33639980000', '+33639980002', '+32470123456']
  const { body: sent } = await parent
    .expect(200)
    .post('/messages/sms', { recipients, content: 'Bonjour', sender: 'MAISON' })
  await untilSummary(parent, sent.message_id, { delivered: 2, failed: 1 })
  const scheduleAt = new Date(Date.now() + 86_400_000).toISOString()
  const { body: later } = await parent
    .expect(200)
    .post('/messages/sms', { recipients, content: 'À demain', scheduleAt })
  await parent.expect(200).put(`/messages/${later.message_id}/cancel`)

  const month = new Date().toISOString().slice(0, 7)
  const { body: list } = await parent.expect(200).get('/statements')
  assert.deepEqual([list.items, list.provisional], [[], [month]])
  const { body: provisional } = await parent.expect(200).get(`/statements/${month}`)
  const { msgType, opening, added, removed, used, refunded, closing } = provisional.balances[0]
  const belgian = provisional.countries.find(({ country }: { country: string }) => country === 'BE')
  assert.deepEqual([msgType, opening, added, removed], [1, 0, 100, 20])
  assert.equal(closing, (await parent.expect(200).get('/users/credits')).body[0].credits)
  assert.equal(closing, added - removed - used + refunded)
  assert.equal(belgian.refunded, belgian.used / 2, 'the cancelled message comes back for Belgium too')
  const codes = provisional.countries.map(({ country }: { country: string }) => country)
  assert.deepEqual(codes.toSorted(), ['BE', 'FR'], 'each credit has its country')
  assert.ok(provisional.senders.some(({ sender }: { sender: string }) => sender === 'MAISON'))
  assert.deepEqual(provisional.sub_accounts, [
    { msgType: 1, subaccount_id: child.id, name: 'Boutique Lyon', added: 0, removed: 20, used: 0, refunded: 0 }
  ])

  await pool`update accounts set created_at = created_at - interval '60 days'`
  await eventually(async () => {
    const { isMoreDue } = await closeMonths(pool, {
      issuer: ISSUER,
      now: () => new Date(Date.now() + 40 * 86_400_000)
    })
    assert.ok(isMoreDue)
  })
  await assertLedgerHolds(pool)
  const { body: closed } = await parent.expect(200).get(`/statements/${month}`)
  assert.deepEqual(
    [closed.is_provisional, closed.balances, closed.countries],
    [false, provisional.balances, provisional.countries]
  )
  assert.deepEqual(closed.issuer, ISSUER)
  const { body: head } = await parent.expect(200).get('/statements')
  assert.deepEqual([head.items[0].number, head.items[0].month, head.provisional], [closed.number, month, []])
  for (const client of [parent, operator]) {
    const { body } = await client.expect(200).get(`/statements/${month}?account=${child.id}`)
    assert.deepEqual([body.account.name, body.balances[0].closing, body.sub_accounts], ['Boutique Lyon', 20, []])
  }
  for (const path of [`/statements/${month}`, '/statements', `/statements/${month}/extract`]) {
    await stranger.expect(404).get(`${path}?account=${child.id}`)
    await child.expect(404).get(`${path}?account=${parent.id}`)
  }
  await parent.expect(404).get('/statements/1999-01')
  for (const wrong of ['2026-13', 'soon', '0000-00']) await parent.expect(400).get(`/statements/${wrong}`)

  const { text: csv } = await parent
    .as({ 'x-api-key': parent.apiKey, accept: 'text/csv' })
    .get(`/statements/${month}/extract`)
  for (const accept of ['image/png', 'text/html, image/*;q=0.5']) {
    const { body } = await parent.expect(406).get(`/statements/${month}/extract`, { accept })
    assert.deepEqual(
      [body.code, body.error],
      [
        'not_acceptable',
        'This answer comes as application/json or text/csv or application/pdf; Accept names none of them.'
      ]
    )
  }
  // As clients of the field ask, and as some ask without meaning anything by it.
  for (const accept of [
    'application/json, text/plain, */*',
    'text/html,application/xhtml+xml,*/*;q=0.8',
    'application/*',
    'application/vnd.example+json',
    'json',
    ''
  ]) {
    const answer = await parent.expect(200).get(`/statements/${month}/extract`, { accept })
    assert.match(answer.headers.get('content-type') ?? '', /^application\/json/, accept)
  }
  await parent.expect(200).get(`/statements/${month}`, { accept: 'image/png' })
  const lines = csv.trim().split('\r\n')
  assert.equal(lines[0], 'month,number,msgType,kind,subaccount_id,country,sender,credits')
  const amounts = lines
    .slice(1)
    .filter((line) => line.split(',')[2] === '1')
    .map((line) => Number(line.split(',').at(-1)))
  assert.equal(
    amounts.slice(0, -1).reduce((sum, credits) => sum + credits, 0),
    amounts.at(-1),
    csv
  )
  const day = new Date().toISOString().slice(0, 10)
  const { body: figures } = await parent.expect(200).get(`/stats/credits/extract?from=${day}&to=${day}`)
  const total = (name: 'used' | 'refunded') =>
    figures.reduce((sum: number, row: Record<typeof name, number>) => sum + row[name], 0)
  assert.deepEqual([total('used'), total('refunded')], [used, refunded])
  assert.ok(
    figures.every((row: { message_id: number }) => [sent.message_id, later.message_id].includes(row.message_id))
  )
  await stranger.expect(404).get(`/stats/credits/extract?account=${child.id}`)
  for (const [language, words] of [
    ['en', ['Credits used by country', 'France', 'Belgium', `Account: Maison Dupont, number ${parent.id}`]],
    ['fr', ['Crédits utilisés par pays', 'Belgique', 'Clôture', `Relevé numéro ${closed.number}`, 'Du 1er ']]
  ] as const) {
    const headers = { 'x-api-key': parent.apiKey, accept: 'application/pdf' }
    const pdf = await fetch(`${service.url}/statements/${month}/extract?language=${language}`, { headers })
    assert.equal(pdf.headers.get('content-type'), 'application/pdf')
    const bytes = Buffer.from(await pdf.arrayBuffer())
    const texts = readPdfTexts(bytes)
    for (const word of [ISSUER.name, '75002 Paris', ...words]) {
      assert.ok(
        texts.some((text) => text.includes(word)),
        `${word}: ${texts}`
      )
    }
    assert.match(bytes.toString('latin1'), /\/Subtype \/Image/)
  }
  assert.equal(operator.email, OPERATOR.email)
})

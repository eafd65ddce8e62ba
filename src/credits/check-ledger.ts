import type { Database, Sql } from '../database/database.ts'

/** A promise of the ledger, and a query for rows that break it. */
export interface Invariant {
  promise: string
  violations(sql: Sql): Promise<readonly unknown[]>
}

export interface Finding {
  promise: string
  /** The first few rows that break it; none when it holds. */
  violations: readonly unknown[]
}

/** Checks every promise of the ledger on one snapshot of a live database; writes nothing and blocks nobody. */
export async function checkLedger(database: Database): Promise<Finding[]> {
  return lookForFindings(database, INVARIANTS)
}

export async function lookForFindings(database: Database, invariants: readonly Invariant[]): Promise<Finding[]> {
  return database.begin(async (database) => {
    await database`set transaction isolation level repeatable read, read only`
    await database`set local statement_timeout = 0`
    const findings: Finding[] = []
    for (const { promise, violations } of invariants) findings.push({ promise, violations: await violations(database) })
    return findings
  })
}

const INVARIANTS: Invariant[] = [
  {
    promise: 'no balance is negative',
    violations: (sql) => sql`
      select account_id, message_type, available, reserved, spent
      from credit_balances
      where available < 0 or reserved < 0 or spent < 0
      limit 10
    `
  },
  {
    promise: 'every balance is the sum of its entries',
    violations: (sql) => sql`
      select account_id, message_type, balance.available, balance.reserved, balance.spent, balance.entry_count,
        entries.available as available_sum, entries.reserved as reserved_sum, entries.spent as spent_sum
      from credit_balances as balance
      left join (
        select account_id, message_type, sum(available) as available, sum(reserved) as reserved, sum(spent) as spent,
          count(*) as entry_count
        from credit_entries
        group by account_id, message_type
      ) as entries using (account_id, message_type)
      where (balance.available, balance.reserved, balance.spent, balance.entry_count)
        <> (coalesce(entries.available, 0), coalesce(entries.reserved, 0), coalesce(entries.spent, 0),
            coalesce(entries.entry_count, 0))
      limit 10
    `
  },
  {
    promise: 'every entry sums to zero',
    violations: (sql) => sql`
      select account_id, message_type, position
      from credit_entries
      where available + reserved + spent + elsewhere <> 0
      limit 10
    `
  },
  {
    promise: 'entries are numbered without gaps, and each continues the balance of the one before',
    violations: (sql) => sql`
      select account_id, message_type, position, available_after
      from (
        select account_id, message_type, position, available, available_after,
          lag(position, 1, 0) over one_balance as previous_position,
          lag(available_after, 1, 0) over one_balance as previous_available
        from credit_entries
        window one_balance as (partition by account_id, message_type order by position)
      ) as entries
      where position <> previous_position + 1
        or available_after <> previous_available + available
      limit 10
    `
  },
  {
    promise: 'every transfer has two entries that name each other and sum to zero',
    violations: (sql) => sql`
      select transfer_id
      from credit_entries
      where transfer_id is not null
      group by transfer_id
      having count(*) <> 2
        or sum(available) <> 0
        or min(message_type) <> max(message_type)
        or array_agg(account_id order by account_id) <> array_agg(counterparty_id order by counterparty_id)
      limit 10
    `
  },
  {
    promise: 'reserved credits are those of open reservations, and spent credits those of settled ones',
    violations: (sql) => sql`
      select account_id, message_type, reserved, open, spent, settled
      from credit_balances
      left join (
        select payer_id as account_id, message_type,
          sum(amount - refunded) filter (where settled_at is null) as open,
          sum(amount - refunded) filter (where settled_at is not null) as settled
        from credit_reservations
        group by payer_id, message_type
      ) as reservations using (account_id, message_type)
      where reserved <> coalesce(open, 0)
        or spent <> coalesce(settled, 0)
      limit 10
    `
  },
  {
    // The sums of a balance hide two mistakes that cancel out, such as a refund that went to another message.
    promise: 'every reservation is what its own entries took, gave back and settled',
    violations: (sql) => sql`
      select account_id, message_type, spender_id, reference, amount, taken, reservation.refunded,
        entries.refunded as refunded_sum, is_settled, reserved
      from (
        select payer_id as account_id, message_type, account_id as spender_id, reference, amount, refunded,
          settled_at is not null as is_settled
        from credit_reservations
      ) as reservation
      full join (
        select account_id, message_type, spender_id, reference, -sum(available) filter (where available < 0) as taken,
          coalesce(sum(available) filter (where available > 0), 0) as refunded, sum(reserved) as reserved
        from credit_entries
        where spender_id is not null
        group by account_id, message_type, spender_id, reference
      ) as entries using (account_id, message_type, spender_id, reference)
      where (amount, reservation.refunded, case when is_settled then 0 else amount - reservation.refunded end)
        is distinct from (taken, entries.refunded, reserved)
      limit 10
    `
  },
  {
    // Stands in for foreign keys, which would cost more than the entries themselves.
    promise: 'every entry and every reservation belongs to an existing balance',
    violations: (sql) => sql`
      select account_id, message_type, 'entry' as kind
      from credit_entries
      where not exists (
        select
        from credit_balances
        where credit_balances.account_id = credit_entries.account_id
          and credit_balances.message_type = credit_entries.message_type
      )
      union all
      select payer_id, message_type, 'reservation'
      from credit_reservations
      where not exists (
        select
        from credit_balances
        where credit_balances.account_id = payer_id
          and credit_balances.message_type = credit_reservations.message_type
      )
      limit 10
    `
  },
  {
    promise: 'all credits came from outside',
    violations: (sql) => sql`
      select message_type, sum(available + reserved + spent) as held, -outside.amount as issued
      from credit_balances
      join (
        select message_type, sum(elsewhere) as amount
        from credit_entries
        where transfer_id is null
        group by message_type
      ) as outside using (message_type)
      group by message_type, outside.amount
      having sum(available + reserved + spent) <> -outside.amount
    `
  }
]

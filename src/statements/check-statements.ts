import { checkLedger, type Finding, type Invariant, lookForFindings } from '../credits/check-ledger.ts'
import type { Database } from '../database/database.ts'
import { CONVERSATION_PROMISES } from '../rcs-conversations/check-conversations.ts'
import { sharesOf } from './figures.store.ts'

/** Checks every promise of the ledger, and of the statements and figures that are made of it. */
export async function checkCredits(database: Database): Promise<Finding[]> {
  return [
    ...(await checkLedger(database)),
    ...(await lookForFindings(database, [...INVARIANTS, ...CONVERSATION_PROMISES]))
  ]
}

const INVARIANTS: Invariant[] = [
  {
    promise: 'every statement has the entries of its month, from its opening to its closing balance',
    violations: (sql) => sql`
      with months as (
        select account_id, message_type, date_trunc('month', created_at at time zone 'UTC')::date as month,
          sum(available) filter (where spender_id is null and available > 0) as added,
          -sum(available) filter (where spender_id is null and available < 0) as removed,
          -sum(available) filter (where spender_id is not null and available < 0) as used,
          sum(available) filter (where spender_id is not null and available > 0) as refunded,
          sum(available) as change
        from credit_entries
        group by account_id, message_type, month
      ),
      running as (
        select *, sum(change) over (partition by account_id, message_type order by month) as closing
        from months
      )
      select stated.account_id, stated.month, stated.message_type, opening, stated.closing, before.closing as closing_before
      from statement_balances as stated
      left join months using (account_id, message_type, month)
      left join lateral (
        select closing
        from running
        where running.account_id = stated.account_id
          and running.message_type = stated.message_type
          and running.month < stated.month
        order by running.month desc
        limit 1
      ) as before on true
      where (opening, stated.added, stated.removed, stated.used, stated.refunded, stated.closing) <> (
        coalesce(before.closing, 0), coalesce(months.added, 0), coalesce(months.removed, 0), coalesce(months.used, 0),
        coalesce(months.refunded, 0), coalesce(before.closing, 0) + coalesce(months.change, 0)
      )
      limit 10
    `
  },
  {
    promise: 'every closed month has a statement of each account with credits or entries',
    violations: (sql) => sql`
      with entries as (
        select account_id, message_type, date_trunc('month', created_at at time zone 'UTC')::date as month,
          sum(available) as change, bool_or(available <> 0) as is_moved
        from credit_entries
        group by account_id, message_type, month
      ),
      -- Until the entries of a later month, the credits stay as they are.
      spans as (
        select account_id, message_type, month, is_moved,
          sum(change) over running as closing,
          lead(month) over running as next_month
        from entries
        window running as (partition by account_id, message_type order by month)
      )
      select distinct account_id, statement_months.month
      from spans
      join statement_months
        on statement_months.month >= spans.month
        and (next_month is null or statement_months.month < next_month)
      where ((statement_months.month = spans.month and is_moved) or closing <> 0)
        and not exists (
          select
          from statements
          join statement_balances using (account_id, month)
          where statements.account_id = spans.account_id
            and statements.month = statement_months.month
            and statement_balances.message_type = spans.message_type
        )
      limit 10
    `
  },
  {
    promise: 'the uses of a statement add up to its balances',
    violations: (sql) => sql`
      select account_id, month, message_type
      from statement_balances as stated
      full join (
        select account_id, month, message_type, sum(added) as added, sum(removed) as removed, sum(used) as used,
          sum(refunded) as refunded
        from statement_uses
        group by account_id, month, message_type
      ) as uses using (account_id, month, message_type)
      where stated.opening is null
        or (stated.added, stated.removed, stated.used, stated.refunded) <> (
          coalesce(uses.added, 0), coalesce(uses.removed, 0), coalesce(uses.used, 0), coalesce(uses.refunded, 0)
        )
      limit 10
    `
  },
  {
    promise: 'the numbers of statements have no gaps',
    violations: (sql) => sql`
      select issuer_id, last_number, statements_count, first_number
      from statement_series
      left join (
        select issuer_id, count(*) as statements_count, min(number) as first_number, max(number) as highest
        from statements
        group by issuer_id
      ) as numbers using (issuer_id)
      where (last_number, last_number) <> (coalesce(statements_count, 0), coalesce(highest, 0))
      limit 10
    `
  },
  {
    promise: 'figures of credits have each entry once, by day, account, country and sender',
    violations: (sql) => {
      const entries = sql`
        select credit_entries.*
        from credit_figure_progress as progress
        join credit_entries using (account_id, message_type)
        where credit_entries.position <= progress.position
      `
      return sql`
        select account_id, message_type, day, other_id, country, sender
        from credit_figures as kept
        full join (
          select account_id, message_type, day, other_id, country, sender, sum(added) as added, sum(removed) as removed,
            sum(used) as used, sum(refunded) as refunded
          from (${sharesOf(sql, entries)}) as shares
          group by account_id, message_type, day, other_id, country, sender
        ) as summed using (account_id, message_type, day, other_id, country, sender)
        where (kept.added, kept.removed, kept.used, kept.refunded)
          is distinct from (summed.added, summed.removed, summed.used, summed.refunded)
        limit 10
      `
    }
  },
  {
    promise: 'the uses of a statement are the figures of its days',
    violations: (sql) => sql`
      select account_id, message_type, month, other_id, country, sender
      from statement_uses as stated
      full join (
        select account_id, message_type, date_trunc('month', day)::date as month, other_id, country, sender,
          sum(added) as added, sum(removed) as removed, sum(used) as used, sum(refunded) as refunded
        from credit_figures
        join statements using (account_id)
        where statements.month = date_trunc('month', day)::date
        group by account_id, message_type, date_trunc('month', day), other_id, country, sender
        having (sum(added), sum(removed), sum(used), sum(refunded)) <> (0, 0, 0, 0)
      ) as summed using (account_id, message_type, month, other_id, country, sender)
      where (stated.added, stated.removed, stated.used, stated.refunded)
        is distinct from (summed.added, summed.removed, summed.used, summed.refunded)
      limit 10
    `
  }
]

import type { Sql } from '../database/database.ts'
import type { Retention } from '../database/delete-old.ts'
import { byShard, isDistributed } from '../database/shape.ts'

/*
 * Which accounts wrote to a phone. A plain database finds them among its recipients. In a distributed one each node has the
 * recipients of some accounts, so a table on the coordinator says which accounts to ask for.
 */

interface WrittenTo {
  accountId: number
  phone: string
}

/** Notes which accounts wrote to which phones, before recipients are distributed, and has the look-up read that. */
export async function fillPhoneAccounts(sql: Sql): Promise<void> {
  await sql`truncate phone_accounts`
  await sql`
    insert into phone_accounts (phone, account_id, month)
    select distinct phone, account_id, date_trunc('month', now())::date
    from recipients
    where phone <> ''
  `
  await sql`create or replace view accounts_of_phones as select phone, account_id from phone_accounts`
}

/** The look-up reads recipients again, which are no longer distributed. */
export async function truncatePhoneAccounts(sql: Sql): Promise<void> {
  await sql`create or replace view accounts_of_phones as select distinct phone, account_id from recipients`
  await sql`truncate phone_accounts`
}

/**
 * Notes, in a distributed database, that accounts write to phones. Once a month for each pair. Both parts of a pair are
 * compared by equality: if only the account were, each phone would be compared with all phones of its account. The sum
 * keeps PostgreSQL from beginning with all rows of the month, which at the begin of one seem to be few.
 */
export async function notePhones(sql: Sql, written: readonly WrittenTo[]): Promise<void> {
  if (!isDistributed() || written.length === 0) return
  await sql`
    insert into phone_accounts (phone, account_id, month)
    select phone, account_id, date_trunc('month', now())::date
    from (
      select distinct *
      from ${unnestPhones(sql, written)}
    ) as given
    where not exists (
      select
      from phone_accounts
      where phone_accounts.phone = given.phone
        and phone_accounts.account_id = given.account_id
        and month + 0 >= date_trunc('month', now())::date
    )
  `
}

/** The accounts that wrote to a phone and may still have messages to it. */
export async function listAccountsOfPhone(sql: Sql, phone: string): Promise<{ accountId: number }[]> {
  return sql`
    select distinct account_id
    from accounts_of_phones
    where phone = ${phone}
  `
}

/** Forgets that an account wrote to a phone. */
export async function deletePhoneAccount(sql: Sql, { accountId, phone }: WrittenTo): Promise<void> {
  await sql`
    delete from phone_accounts
    where phone = ${phone}
      and account_id = ${accountId}
  `
}

/**
 * Looks at phones that no message was stored for since their retention, some at a time. A pair whose messages are all removed is
 * forgotten. The others, such as those of a message that was scheduled for much later, count as new. Returns how many rows
 * there were.
 */
export async function deleteOldPhoneAccounts(sql: Sql, { days, limit }: Retention): Promise<number> {
  // A month is over once its last day is.
  const oldest = sql`date_trunc('month', now() - make_interval(days => ${days}))`
  const old = await sql<WrittenTo[]>`
    select phone, account_id
    from phone_accounts
    where month < ${oldest}
    order by month
    limit ${limit}
  `
  const kept = await byShard(
    sql,
    old,
    (old, ofAccounts) => sql<WrittenTo[]>`
      select distinct recipients.account_id, recipients.phone
      from ${unnestPhones(sql, old)}
      join recipients on ${ofAccounts(sql`recipients.account_id`)} and recipients.phone = given.phone
    `
  )
  await notePhones(sql, kept)
  if (old.length === 0) return 0
  await sql`
    delete from phone_accounts
    using ${unnestPhones(sql, old)}
    where phone_accounts.phone = any(array[given.phone])
      and phone_accounts.account_id = given.account_id
      and month < ${oldest}
  `
  return old.length
}

function unnestPhones(sql: Sql, written: readonly WrittenTo[]) {
  return sql`
    unnest(
      ${written.map(({ accountId }) => accountId)}::bigint[],
      ${written.map(({ phone }) => phone)}::text[]
    ) as given (account_id, phone)
  `
}

import { copyRows } from '../database/copy-rows.ts'
import type { Sql } from '../database/database.ts'

/** The violated constraint when somebody else wrote to a person since it was read how often that was done. */
export const CAPPED_MEANWHILE = 'marketing_uses_within'

/** One person that an account is about to write to. */
export interface CappedPerson {
  accountId: number
  phone: string
  /** The day of departure, `YYYY-MM-DD`. */
  day: string
  /** So many in so many days. */
  messages: number
  days: number
  /** The scheduled message whose place the new one takes, which does not count. */
  replaces?: number | undefined
}

/** A marketing message to a person, to be counted. */
export interface MarketingUse extends CappedPerson {
  messageId: number
}

/** The people that had marketing near their day, and how often. With locks, other sends to them wait for the transaction. */
export async function listMarketingUses(
  sql: Sql,
  people: readonly CappedPerson[],
  isLocked: boolean
): Promise<{ accountId: number; phone: string; used: number }[]> {
  if (people.length === 0) return []
  if (isLocked) await lockMarketingUses(sql, people)
  return sql<{ accountId: number; phone: string; used: number }[]>`
    select given.account_id, given.phone, (
      select count(*)
      from unnest(marketing_uses.days, message_ids) as sent (day, message_id)
      where abs(sent.day - given.day) < given.days
        and sent.message_id is distinct from given.replaces
        and ${isCounted(sql)}
    ) as used
    from unnest(
      ${people.map(({ accountId }) => accountId)}::bigint[],
      ${people.map(({ phone }) => phone)}::text[],
      ${people.map(({ day }) => day)}::date[],
      ${people.map(({ days }) => days)}::integer[],
      ${people.map(({ replaces }) => replaces ?? null)}::bigint[]
    ) as given (account_id, phone, day, days, replaces)
    join marketing_uses on marketing_uses.account_id = any(array[given.account_id])
      and number_hash = hashtextextended(given.phone, 0)
  `
}

/** In one order, so that two that lock the same people cannot deadlock. */
async function lockMarketingUses(sql: Sql, people: readonly CappedPerson[]): Promise<void> {
  await sql`
    insert into marketing_uses (account_id, number_hash, days, message_ids, used, allowed, last_day)
    select distinct on (account_id, number_hash) account_id, number_hash, '{}'::date[], '{}'::bigint[], 0, 0, day
    from (
      select account_id, hashtextextended(phone, 0) as number_hash, day
      from unnest(
        ${people.map(({ accountId }) => accountId)}::bigint[],
        ${people.map(({ phone }) => phone)}::text[],
        ${people.map(({ day }) => day)}::date[]
      ) as given (account_id, phone, day)
    ) as given
    order by account_id, number_hash
    on conflict (account_id, number_hash) do update
    set last_day = marketing_uses.last_day
  `
}

/** Counts messages to people. All messages to one person, in one call, have the same day. */
export async function addMarketingUses(sql: Sql, uses: readonly MarketingUse[]): Promise<void> {
  if (uses.length === 0) return
  await addSelected(
    sql,
    sql`
      select account_id, hashtextextended(phone, 0) as number_hash, day, message_id, messages, days
      from unnest(
        ${uses.map(({ accountId }) => accountId)}::bigint[],
        ${uses.map(({ phone }) => phone)}::text[],
        ${uses.map(({ day }) => day)}::date[],
        ${uses.map(({ messageId }) => messageId)}::bigint[],
        ${uses.map(({ messages }) => messages)}::integer[],
        ${uses.map(({ days }) => days)}::integer[]
      ) as given (account_id, phone, day, message_id, messages, days)
    `
  )
}

/** Campaigns of one account that are capped take turns: each reads what the last one counted. */
export async function lockCampaigns(sql: Sql, accountId: number): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended('marketing cap', ${accountId}))`
}

/** Where a campaign notes its people; all of them are counted at its end. */
export async function createCampaignNotes(sql: Sql): Promise<void> {
  await sql`create temporary table if not exists campaign_people (phone text not null, day date) on commit drop`
  // Of another campaign in the same transaction.
  await deleteCampaignNotes(sql)
}

/** The day of departure of each is null where there is no cap. */
export async function noteCampaignPeople(
  sql: Sql,
  people: readonly { phone: string; day: string | null }[]
): Promise<void> {
  if (people.length === 0) return
  await copyRows(
    sql,
    { table: 'campaign_people', columns: ['phone', 'day'] },
    (async function* () {
      yield people.map(({ phone, day }) => [phone, day])
    })()
  )
}

/** Locks the people that a campaign noted, in the order that all keep to: what is read afterwards stays true. */
export async function lockNotedPeople(sql: Sql, { accountId }: Pick<MarketingUse, 'accountId'>): Promise<void> {
  await sql`
    insert into marketing_uses (account_id, number_hash, days, message_ids, used, allowed, last_day)
    select ${accountId}::bigint, hashtextextended(phone, 0) as number_hash, '{}'::date[], '{}'::bigint[], 0, 0, min(day)
    from campaign_people
    group by number_hash
    order by number_hash
    on conflict (account_id, number_hash) do update
    set last_day = marketing_uses.last_day
  `
}

export async function deleteCampaignNotes(sql: Sql): Promise<void> {
  await sql`truncate campaign_people`
}

/** Counts the people that a campaign noted, in one statement and one order. */
export async function addCampaignUses(sql: Sql, use: Omit<MarketingUse, 'phone' | 'day'>): Promise<void> {
  const { accountId, messageId, messages, days } = use
  await addSelected(
    sql,
    sql`
      select ${accountId}::bigint as account_id, hashtextextended(phone, 0) as number_hash, day,
        ${messageId}::bigint as message_id, ${messages}::integer as messages, ${days}::integer as days
      from campaign_people
    `
  )
}

/** No cap looks further back. */
const KEPT_DAYS = 366

async function addSelected(sql: Sql, selected: ReturnType<Sql>): Promise<void> {
  await sql`
    with given as (
      select account_id, number_hash, min(day) as day, array_agg(day) as sent_days, array_agg(message_id) as sent_ids,
        count(*) as sent, min(messages) as messages, min(days) as days
      from (${selected}) as given
      group by account_id, number_hash
    )
    insert into marketing_uses (account_id, number_hash, days, message_ids, used, allowed, last_day)
    select account_id, number_hash, sent_days, sent_ids, sent, messages, day
    from given
    order by account_id, number_hash
    on conflict (account_id, number_hash) do update
    set days = array(
          select sent.day
          from unnest(marketing_uses.days, marketing_uses.message_ids) with ordinality as sent (day, message_id, place)
          where sent.day > current_date - ${KEPT_DAYS}::integer and ${isCounted(sql)}
          order by place
        ) || excluded.days,
        message_ids = array(
          select sent.message_id
          from unnest(marketing_uses.days, marketing_uses.message_ids) with ordinality as sent (day, message_id, place)
          where sent.day > current_date - ${KEPT_DAYS}::integer and ${isCounted(sql)}
          order by place
        ) || excluded.message_ids,
        used = excluded.used + (
          select count(*)
          from unnest(marketing_uses.days, marketing_uses.message_ids) as sent (day, message_id)
          where abs(sent.day - excluded.last_day) < (
              select given.days
              from given
              where given.account_id = marketing_uses.account_id and given.number_hash = marketing_uses.number_hash
            )
            and ${isCounted(sql)}
        ),
        allowed = excluded.allowed,
        last_day = greatest(marketing_uses.last_day, excluded.last_day)
  `
}

function isCounted(sql: Sql) {
  return sql`not exists (
    select
    from uncounted_messages
    where uncounted_messages.account_id = marketing_uses.account_id
      and uncounted_messages.message_id = sent.message_id
  )`
}

/** A message that was cancelled before any of it left counts for nobody. */
export async function insertUncounted(
  sql: Sql,
  { accountId, messageId }: { accountId: number; messageId: number }
): Promise<void> {
  await sql`
    insert into uncounted_messages (account_id, message_id)
    values (${accountId}, ${messageId})
    on conflict do nothing
  `
}

/** Forgets a person who is erased. */
export async function deleteMarketingUses(
  sql: Sql,
  { accountId, phone }: { accountId: number; phone: string }
): Promise<void> {
  await sql`
    delete from marketing_uses
    where account_id = ${accountId}
      and number_hash = hashtextextended(${phone}::text, 0)
  `
}

/** Removes what no cap looks at any more. */
export async function deleteOldMarketingUses(sql: Sql): Promise<void> {
  await sql`
    delete from marketing_uses
    where last_day < current_date - ${KEPT_DAYS}::integer
  `
  await sql`
    delete from uncounted_messages
    where created_at < now() - make_interval(days => ${2 * KEPT_DAYS})
  `
}

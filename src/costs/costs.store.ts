import type { MessageTypeId } from '../credits/credit.ts'
import type { Sql } from '../database/database.ts'
import { numberArray } from '../database/number-array.ts'
import type { Channel } from '../messages/message.ts'

export interface CarrierCost {
  carrier: string
  channel: Channel
  /** Digits without `+`; empty for any number. */
  prefix: string
  currency: string
  /** In millionths. */
  amount: number
}

/** The newest costs. */
export async function listCosts(sql: Sql): Promise<(CarrierCost & { validFrom: Date })[]> {
  return sql<(CarrierCost & { validFrom: Date })[]>`
    select valid_from, carrier, channel, prefix, currency, amount
    from carrier_costs
    where valid_from = (select max(valid_from) from carrier_costs)
    order by carrier, channel, prefix
  `
}

export async function insertCosts(sql: Sql, costs: readonly CarrierCost[]): Promise<void> {
  await sql`
    insert into carrier_costs (valid_from, carrier, channel, prefix, currency, amount)
    select clock_timestamp_once, carrier, channel, prefix, currency, amount
    from (select clock_timestamp() as clock_timestamp_once) as times
    cross join unnest(
      ${costs.map(({ carrier }) => carrier)}::text[],
      ${costs.map(({ channel }) => channel)}::text[],
      ${costs.map(({ prefix }) => prefix)}::text[],
      ${costs.map(({ currency }) => currency)}::text[],
      ${numberArray(costs.map(({ amount }) => amount))}::bigint[]
    ) as given (carrier, channel, prefix, currency, amount)
  `
}

export interface FoldedMessage {
  accountId: number
  id: number
  day: string
}

/** Of some messages those that are not folded yet. The caller has locked them. */
export async function listStillUnfolded(
  sql: Sql,
  messages: readonly { accountId: number; id: number }[]
): Promise<FoldedMessage[]> {
  return sql<FoldedMessage[]>`
    select messages.account_id, messages.id, (scheduled_at at time zone 'UTC')::date::text as day
    from messages
    join unnest(
      ${numberArray(messages.map(({ accountId }) => accountId))}::bigint[],
      ${numberArray(messages.map(({ id }) => id))}::bigint[]
    ) as given (account_id, id) on given.account_id = messages.account_id and given.id = messages.id
    where not is_folded
  `
}

/** Recipients of one message that a carrier took, and that have the beginning of their numbers in common. */
export interface TakenGroup {
  messageId: number
  country: string
  carrier: string
  channel: Channel
  /** With `+`; empty for erased numbers. */
  beginning: string
  units: number
}

export async function listTaken(
  sql: Sql,
  { accountId, ids, digits }: { accountId: number; ids: readonly number[]; digits: number }
): Promise<TakenGroup[]> {
  return sql<TakenGroup[]>`
    select message_id, country, carrier, channel, beginning, sum(units)::integer as units
    from (
      select message_id, country, carrier, case when segments = 0 then 'rcs' else 'sms' end as channel,
        left(phone, ${digits + 1}) as beginning, greatest(segments, 1) as units
      from recipients
      where account_id = ${accountId}
        and message_id = any(${numberArray(ids)}::bigint[])
        and sent_at is not null
        and carrier is not null
    ) as taken
    group by message_id, country, carrier, channel, beginning
  `
}

export interface CostFigure {
  accountId: number
  day: string
  messageType: MessageTypeId
  country: string
  currency: string
  units: number
  amount: bigint
}

/** In the order of the key: two processes may do so. */
export async function addCostFigures(sql: Sql, figures: readonly CostFigure[]): Promise<void> {
  await sql`
    insert into cost_figures (account_id, day, message_type, country, currency, units, amount)
    select account_id, day::date, message_type, country, currency, units, amount::numeric
    from unnest(
      ${numberArray(figures.map(({ accountId }) => accountId))}::bigint[],
      ${figures.map(({ day }) => day)}::text[],
      ${numberArray(figures.map(({ messageType }) => messageType))}::smallint[],
      ${figures.map(({ country }) => country)}::text[],
      ${figures.map(({ currency }) => currency)}::text[],
      ${numberArray(figures.map(({ units }) => units))}::bigint[],
      ${figures.map(({ amount }) => String(amount))}::text[]
    ) as given (account_id, day, message_type, country, currency, units, amount)
    order by account_id, day, message_type, country, currency
    on conflict (account_id, day, message_type, country, currency) do update
    set units = cost_figures.units + excluded.units, amount = cost_figures.amount + excluded.amount
  `
}

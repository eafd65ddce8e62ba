import type { Sql } from '../database/database.ts'
import { numberArray } from '../database/number-array.ts'
import type { PriceVersions } from '../prices/price.ts'
import type { RcsContent } from '../rcs/rcs-content.ts'
import { type MessageKey, unnestMessageKeys } from './messages.store.ts'

/** A row of `rcs_messages`: the content of an RCS message and its fallback, before variables are filled in. */
export type RcsMessage = RcsContent & {
  /** Null when the message has no fallback. */
  fallbackContent: string | null
  /** Null: the carrier's default sender. */
  fallbackSender: string | null
  /** Whether typographic characters in variable values are replaced in the fallback. */
  hasPlainTypography: boolean
  /** The country for reading a national phone number that a variable gives to a call button. */
  country: string
  /** The names of its variables, in the order of the values that recipients store. */
  variables: string[]
}

/** With the prices that it was accepted at. */
interface PricedRcs extends PriceVersions {
  accountId: number
  messageId: number
}

export type NewRcsMessage = RcsMessage & PricedRcs

export async function insertRcsMessages(sql: Sql, messages: readonly NewRcsMessage[]): Promise<void> {
  if (messages.length === 0) return
  await sql`
    insert into rcs_messages (
      account_id, message_id, type, data, fallback_content, fallback_sender, has_plain_typography, country, variables,
      price_version, price_floor
    )
    select account_id, message_id, type, data::jsonb, fallback_content, fallback_sender, has_plain_typography::boolean,
      country, string_to_array(variables, ' '), price_version, price_floor
    from unnest(
      ${messages.map(({ accountId }) => accountId)}::bigint[],
      ${messages.map(({ messageId }) => messageId)}::bigint[],
      ${messages.map(({ type }) => type)}::text[],
      ${messages.map(({ data }) => JSON.stringify(data))}::text[],
      ${messages.map(({ fallbackContent }) => fallbackContent)}::text[],
      ${messages.map(({ fallbackSender }) => fallbackSender)}::text[],
      ${messages.map(({ hasPlainTypography }) => String(hasPlainTypography))}::text[],
      ${messages.map(({ country }) => country)}::text[],
      ${messages.map(({ variables }) => variables.join(' '))}::text[],
      ${messages.map(({ priceVersion }) => priceVersion)}::bigint[],
      ${messages.map(({ priceFloor }) => priceFloor)}::bigint[]
    ) as given (
      account_id, message_id, type, data, fallback_content, fallback_sender, has_plain_typography, country, variables,
      price_version, price_floor
    )
  `
}

export async function findRcsMessage(sql: Sql, { accountId, id }: MessageKey): Promise<RcsMessage | undefined> {
  const [row] = await sql<RcsMessage[]>`
    select type, data, fallback_content, fallback_sender, has_plain_typography, country, variables
    from rcs_messages
    where account_id = ${accountId}
      and message_id = ${id}
  `
  return row
}

/** For a message that gets its recipients when it departs. */
export async function updatePriceVersions(
  sql: Sql,
  { accountId, id, priceVersion, priceFloor }: MessageKey & PriceVersions
): Promise<void> {
  await sql`
    update rcs_messages
    set price_version = ${priceVersion}, price_floor = ${priceFloor}
    where account_id = ${accountId}
      and message_id = ${id}
  `
}

/** RCS messages of any accounts: for submitting and for events. */
export async function listRcsMessages(
  sql: Sql,
  keys: readonly { accountId: number; messageId: number }[]
): Promise<NewRcsMessage[]> {
  if (keys.length === 0) return []
  return sql<NewRcsMessage[]>`
    select rcs_messages.account_id, rcs_messages.message_id, type, data, fallback_content, fallback_sender,
      has_plain_typography, country, variables, price_version, price_floor
    from rcs_messages
    join ${unnestMessageKeys(sql, keys)}
      on given.account_id = rcs_messages.account_id
      and given.message_id = rcs_messages.message_id
  `
}

/** Whether any account has an RCS message in the history. */
export async function isAnyRcsMessage(sql: Sql): Promise<boolean> {
  const [row] = await sql<[{ isAny: boolean }]>`
    select exists (select from rcs_messages) as is_any
  `
  return row.isAny
}

/** The accounts of RCS messages. Of any account: for what a platform reports. */
export async function findAccountsOfRcs(sql: Sql, messageIds: readonly number[]): Promise<Map<number, number>> {
  if (messageIds.length === 0) return new Map()
  const rows = await sql<{ messageId: number; accountId: number }[]>`
    select message_id, account_id
    from rcs_messages
    where message_id = any(${numberArray(messageIds)}::bigint[])
  `
  return new Map(rows.map(({ messageId, accountId }) => [messageId, accountId]))
}

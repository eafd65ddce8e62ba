import type { Sql } from '../database/database.ts'
import { byShard, eachShard } from '../database/shape.ts'
import type { MessageKey } from '../messages/messages.store.ts'
import { isAtPositions, isGiven, unnestRecipientKeys } from './conditions.store.ts'
import type { RecipientKey } from './move.ts'
import type { RecipientState } from './recipient.ts'
import { splitByWalk } from './walks.ts'

/** A range of positions of a message: above `after`, up to `to`. */
export interface PositionRange extends MessageKey {
  after: number
  to: number
}

/** Some positions of a message. */
export interface Positions {
  accountId: number
  messageId: number
  positions: readonly number[]
}

/** The fields of a recipient for submitting it, or for matching a receipt with it. */
export interface RecipientAtPosition {
  accountId: number
  messageId: number
  position: number
  state: RecipientState
  phone: string
  country: string
  /** Null: the text of the message. Of an RCS message, the values of its variables. */
  content: string | null
  /** Null: the channel of the message. `sms` once an RCS fell back. */
  channel: 'sms' | null
  /** The carrier that accepted it. Of a waiting RCS, the carrier that may have it although no answer came. */
  carrier: string | null
}

/**
 * Recipients of any accounts by their positions. A walk along the index for each message takes a tenth of the time of
 * looking each recipient up. Many messages have few positions each: one statement reads them all.
 */
export async function listAtPositions(sql: Sql, groups: readonly Positions[]): Promise<RecipientAtPosition[]> {
  return eachShard(sql, groups, (some) => listSomeAtPositions(sql, some))
}

/** The same by the key of each, with the time of sending. */
export async function listRecipientsAt(
  sql: Sql,
  keys: readonly RecipientKey[]
): Promise<(RecipientAtPosition & { sentAt: Date | null })[]> {
  return byShard(
    sql,
    keys,
    (keys, ofAccounts) => sql<(RecipientAtPosition & { sentAt: Date | null })[]>`
      select recipients.account_id, recipients.message_id, recipients.position, state, phone, country, content, channel,
        carrier, sent_at
      from recipients
      join ${unnestRecipientKeys(sql, keys)} on ${isGiven(sql, ofAccounts, keys)}
    `
  )
}

/** The phone of one recipient; undefined once its message is removed, empty once it is erased. */
export async function findPhoneAt(
  sql: Sql,
  { accountId, messageId, position }: RecipientKey
): Promise<string | undefined> {
  const [row] = await sql<{ phone: string }[]>`
    select phone
    from recipients
    where account_id = ${accountId}
      and message_id = ${messageId}
      and position = ${position}
  `
  return row?.phone
}

async function listSomeAtPositions(sql: Sql, groups: readonly Positions[]): Promise<RecipientAtPosition[]> {
  const { walks, others } = splitByWalk(groups, ({ positions }) => positions)
  const keys = others.flatMap(({ accountId, messageId, positions }) =>
    positions.map((position) => ({ accountId, messageId, position }))
  )
  const found = await Promise.all([...walks.map((group) => listAtPositionsOf(sql, group)), listRecipientsAt(sql, keys)])
  return found.flat()
}

async function listAtPositionsOf(
  sql: Sql,
  { accountId, messageId, positions }: Positions
): Promise<RecipientAtPosition[]> {
  const rows = await sql<RecipientAtPosition[]>`
    select position, state, phone, country, content, channel, carrier
    from recipients
    where account_id = ${accountId}
      and message_id = ${messageId}
      and ${isAtPositions(sql, positions)}
  `
  for (const row of rows) {
    row.accountId = accountId
    row.messageId = messageId
  }
  return rows
}

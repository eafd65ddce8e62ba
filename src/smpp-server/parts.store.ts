import type { Sql } from '../database/database.ts'
import type { SubmitFields, TextPart } from './read-submit.ts'

/** The parts of one message have all of this in common. */
export interface PartSet {
  accountId: number
  credentialId: number
  source: string
  destination: string
  reference: number
}

export interface StoredPart {
  smppId: number
  total: number
  position: number
  body: Buffer
  fields: SubmitFields
  state: 'waiting' | 'joined'
  /** It came again. */
  isRepeated: boolean
}

/** Locks a set until the end of the transaction: its parts are stored one after the other, over all processes. */
export async function lockPartSet(sql: Sql, { accountId, source, destination, reference }: PartSet): Promise<void> {
  const name = `smpp part ${accountId} ${source} ${destination} ${reference}`
  await sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0) | (1::bigint << 63))`
}

/** The parts of a set that came lately. Joined ones are kept only to recognise repeats. */
export async function listParts(sql: Sql, set: PartSet): Promise<StoredPart[]> {
  return sql<StoredPart[]>`
    select smpp_id, total, position, body, fields, state, is_repeated
    from smpp_parts
    where ${isOfSet(sql, set)}
      and state <> 'lost'
    order by smpp_id
  `
}

function isOfSet(sql: Sql, { accountId, credentialId, source, destination, reference }: PartSet): ReturnType<Sql> {
  return sql`
    account_id = ${accountId}
      and credential_id = ${credentialId}
      and source = ${source}
      and destination = ${destination}
      and reference = ${reference}
  `
}

/** Its fields are those that came last, such as how long it is valid. */
export async function updateToRepeated(
  sql: Sql,
  { accountId, smppId, fields }: { accountId: number; smppId: number; fields: SubmitFields }
): Promise<void> {
  await sql`
    update smpp_parts
    set is_repeated = true, fields = ${sql.json(fields)}
    where account_id = ${accountId}
      and smpp_id = ${smppId}
  `
}

/** The repeats of a set belong to a message now. */
export async function forgetRepeats(sql: Sql, set: PartSet): Promise<void> {
  await sql`
    update smpp_parts
    set is_repeated = false
    where ${isOfSet(sql, set)}
      and is_repeated
  `
}

export async function insertPart(
  sql: Sql,
  set: PartSet,
  part: TextPart & { smppId: number; body: Buffer; fields: SubmitFields; state: StoredPart['state'] }
): Promise<void> {
  await sql`
    insert into smpp_parts (
      account_id, smpp_id, credential_id, source, destination, reference, total, position, body, fields, state
    )
    values (
      ${set.accountId}, ${part.smppId}, ${set.credentialId}, ${set.source}, ${set.destination}, ${set.reference},
      ${part.total}, ${part.position}, ${part.body}, ${sql.json(part.fields)}, ${part.state}
    )
  `
}

/** How many parts of an account are no message (yet): those that wait, and those whose receipt of failure waits. */
export async function countOpenParts(
  sql: Sql,
  { accountId, max }: { accountId: number; max: number }
): Promise<number> {
  const [row] = await sql<[{ count: number }]>`
    select count(*) as count
    from (
      select
      from smpp_parts
      where account_id = ${accountId}
        and state <> 'joined'
      limit ${max}
    ) as open
  `
  return row.count
}

/** Marks waiting parts as joined. Returns how many still waited. */
export async function updateToJoined(
  sql: Sql,
  { accountId, smppIds }: { accountId: number; smppIds: readonly number[] }
): Promise<number> {
  const { count } = await sql`
    update smpp_parts
    set state = 'joined', is_repeated = false
    where account_id = ${accountId}
      and smpp_id = any(${smppIds as number[]}::bigint[])
      and state = 'waiting'
  `
  return count
}

/** A part whose message will not become complete. */
export interface LostPart {
  accountId: number
  smppId: number
  wants: number
}

/** Marks these waiting parts as lost. Their texts are removed. */
export async function updateToLost(
  sql: Sql,
  { accountId, smppIds }: { accountId: number; smppIds: readonly number[] }
): Promise<LostPart[]> {
  return sql<LostPart[]>`
    update smpp_parts
    set state = 'lost', body = ''
    where account_id = ${accountId}
      and smpp_id = any(${smppIds as number[]}::bigint[])
      and state = 'waiting'
    returning account_id, smpp_id, (fields ->> 'wants')::int as wants
  `
}

/** The same for parts that have waited so long, of any account. */
export async function updateOverdueToLost(
  sql: Sql,
  { seconds, limit }: { seconds: number; limit: number }
): Promise<LostPart[]> {
  return sql<LostPart[]>`
    with overdue as (
      select account_id, smpp_id
      from smpp_parts
      where state = 'waiting'
        and created_at < now() - make_interval(secs => ${seconds})
      order by account_id, smpp_id
      limit ${limit}
      for update skip locked
    )
    update smpp_parts
    set state = 'lost', body = ''
    from overdue
    where smpp_parts.account_id = any(array[overdue.account_id])
      and smpp_parts.smpp_id = overdue.smpp_id
    returning smpp_parts.account_id, smpp_parts.smpp_id, (fields ->> 'wants')::int as wants
  `
}

/** Removes all parts that wait for others, of any account, without a word to their customers. Returns how many. */
export async function deleteWaitingParts(sql: Sql): Promise<number> {
  const { count } = await sql`
    delete from smpp_parts
    where state = 'waiting'
  `
  return count
}

/** Removes parts that nobody needs any more: joined ones soon, lost ones when their receipt is too old. */
export async function deleteOldParts(
  sql: Sql,
  { joinedSeconds, lostHours }: { joinedSeconds: number; lostHours: number }
) {
  await sql`
    delete from smpp_parts
    where (state = 'joined' and created_at < now() - make_interval(secs => ${joinedSeconds}))
      or (state = 'lost' and created_at < now() - make_interval(hours => ${lostHours + 1}))
  `
}

/** Removes parts that were given up: their receipts are answered, or nobody wants them. */
export async function deleteLostParts(
  sql: Sql,
  parts: readonly { accountId: number; smppId: number }[]
): Promise<void> {
  if (parts.length === 0) return
  await sql`
    delete from smpp_parts
    using unnest(
      ${parts.map(({ accountId }) => accountId)}::bigint[],
      ${parts.map(({ smppId }) => smppId)}::bigint[]
    ) as given (account_id, smpp_id)
    where smpp_parts.account_id = any(array[given.account_id])
      and smpp_parts.smpp_id = given.smpp_id
      and state = 'lost'
  `
}

/** Removes the parts of messages to a number. Parts that come later wait in vain, and are given up. Returns how many. */
export async function erasePartsByPhone(
  sql: Sql,
  { accountId, phone }: { accountId: number; phone: string }
): Promise<number> {
  const { count } = await sql`
    delete from smpp_parts
    where account_id = ${accountId}
      and destination = ${phone}
  `
  return count
}

/** The parts to a number that are no message, oldest first. */
export async function listOpenPartsByPhone(
  sql: Sql,
  { accountId, phone }: { accountId: number; phone: string }
): Promise<(Omit<StoredPart, 'state'> & { source: string; createdAt: Date })[]> {
  return sql`
    select smpp_id, source, total, position, body, fields, created_at
    from smpp_parts
    where account_id = ${accountId}
      and destination = ${phone}
      and state <> 'joined'
    order by smpp_id
  `
}

/** Whether a part with this id waits for others. */
export async function isPartWaiting(
  sql: Sql,
  { accountId, smppId }: { accountId: number; smppId: number }
): Promise<boolean> {
  const [row] = await sql`
    select
    from smpp_parts
    where account_id = ${accountId}
      and smpp_id = ${smppId}
      and state = 'waiting'
  `
  return row !== undefined
}

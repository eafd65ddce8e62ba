import type { Sql } from '../database/database.ts'
import type { Sender, SenderPurpose, SenderState } from './sender.ts'
import { senderKey } from './sender-key.ts'

export interface NewSender {
  accountId: number
  name: string
  countries: readonly string[]
  use: SenderPurpose
  proof: string
  proofLink: string
}

/** Undefined if the account has declared it already. */
export async function insertSender(sql: Sql, sender: NewSender): Promise<Sender | undefined> {
  const [row] = await sql<Sender[]>`
    insert into senders (account_id, name, name_key, countries, use, proof, proof_link)
    values (
      ${sender.accountId}, ${sender.name}, ${senderKey(sender.name)}, ${sender.countries as string[]}::text[],
      ${sender.use}, ${sender.proof}, ${sender.proofLink}
    )
    on conflict (account_id, name_key) do nothing
    returning ${columns(sql)}
  `
  return row
}

export interface SenderRef {
  accountId: number
  id: number
}

export async function countSenders(sql: Sql, accountId: number): Promise<number> {
  const [row] = await sql<[{ count: number }]>`
    select count(*) as count
    from senders
    where account_id = ${accountId}
  `
  return row.count
}

export async function listSenders(sql: Sql, accountId: number): Promise<Sender[]> {
  return sql<Sender[]>`
    select ${columns(sql)}
    from senders
    where account_id = ${accountId}
    order by name_key
  `
}

export async function findSender(sql: Sql, { accountId, id }: SenderRef): Promise<Sender | undefined> {
  const [row] = await sql<Sender[]>`
    select ${columns(sql)}
    from senders
    where account_id = ${accountId}
      and id = ${id}
  `
  return row
}

/** The same, for a change: two people who decide at once take turns. */
export async function lockSender(sql: Sql, { accountId, id }: SenderRef): Promise<Sender | undefined> {
  const [row] = await sql<Sender[]>`
    select ${columns(sql)}
    from senders
    where account_id = ${accountId}
      and id = ${id}
    for update
  `
  return row
}

export async function updateSenderState(
  sql: Sql,
  { accountId, id, state, reason, isByOperator }: SenderRef & Pick<Sender, 'state' | 'reason' | 'isByOperator'>
): Promise<Sender> {
  const [row] = await sql<[Sender]>`
    update senders
    set state = ${state}, reason = ${reason}, is_by_operator = ${isByOperator}, decided_at = now()
    where account_id = ${accountId}
      and id = ${id}
    returning ${columns(sql)}
  `
  return row
}

/** Returns how many were not disabled before. */
export async function disableSendersOf(
  sql: Sql,
  { accountId, reason }: { accountId: number; reason: string }
): Promise<number> {
  const { count } = await sql`
    update senders
    set state = 'disabled', reason = ${reason}, is_by_operator = true, decided_at = now()
    where account_id = ${accountId}
      and state <> 'disabled'
  `
  return count
}

/** Deletes senders with their proofs. */
export async function deleteSendersOf(sql: Sql, accountIds: readonly number[]): Promise<void> {
  await sql`
    delete from senders
    where account_id = any(${accountIds as number[]}::bigint[])
  `
}

export async function deleteSender(sql: Sql, { accountId, id }: SenderRef): Promise<void> {
  await sql`
    delete from senders
    where account_id = ${accountId}
      and id = ${id}
  `
}

export interface Proof {
  fileName: string
  mediaType: string
  content: Buffer
}

export async function upsertProof(sql: Sql, { id }: SenderRef, { fileName, mediaType, content }: Proof): Promise<void> {
  await sql`
    insert into sender_proofs (sender_id, file_name, media_type, content)
    values (${id}, ${fileName}, ${mediaType}, ${content})
    on conflict (sender_id) do update
    set file_name = excluded.file_name, media_type = excluded.media_type, content = excluded.content
  `
}

export async function findProof(sql: Sql, { accountId, id }: SenderRef): Promise<Proof | undefined> {
  const [row] = await sql<Proof[]>`
    select file_name, media_type, content
    from sender_proofs
    join senders on senders.id = sender_id
    where account_id = ${accountId}
      and senders.id = ${id}
  `
  return row
}

/** Which senders a decider sees. */
export interface RequestFilter {
  /** Only those of sub-accounts of this account. */
  parentId?: number | undefined
  state?: SenderState | undefined
  search?: string | undefined
}

export async function countRequests(sql: Sql, filter: RequestFilter): Promise<number> {
  const [row] = await sql<[{ count: number }]>`
    select count(*) as count
    from senders
    join accounts on accounts.id = senders.account_id
    where ${isWanted(sql, filter)}
  `
  return row.count
}

/** Waiting senders come first, the oldest of them at the top; then the others, the newest first. */
export async function listRequests(
  sql: Sql,
  filter: RequestFilter,
  { offset, limit }: { offset: number; limit: number }
): Promise<(Sender & { parentId: number | null })[]> {
  return sql<(Sender & { parentId: number | null })[]>`
    select ${columns(sql)}, parent_id
    from senders
    join accounts on accounts.id = senders.account_id
    where ${isWanted(sql, filter)}
    order by (state = 'waiting') desc, case when state = 'waiting' then senders.id else - senders.id end
    offset ${offset}
    limit ${limit}
  `
}

function isWanted(sql: Sql, { parentId, state, search }: RequestFilter) {
  const pattern = search === undefined ? '' : `%${search.replaceAll(/[\\%_]/g, '\\$&')}%`
  return sql`
    true
    ${parentId === undefined ? sql`` : sql`and parent_id = ${parentId}`}
    ${state === undefined ? sql`` : sql`and state = ${state}`}
    ${pattern === '' ? sql`` : sql`and (name ilike ${pattern} or social_reason ilike ${pattern})`}
  `
}

/** A name in the register, with the family of accounts that has it. */
export interface ComparedName {
  name: string
  accountId: number
  topLevelId: number
}

/** Names that others may be taken for. Covers all accounts: for findings. */
export async function listComparedNames(sql: Sql): Promise<ComparedName[]> {
  return sql<ComparedName[]>`
    select name, account_id, coalesce(parent_id, accounts.id) as top_level_id
    from senders
    join accounts on accounts.id = senders.account_id
    where state <> 'refused'
      and name_key ~ '[^0-9]'
    order by senders.id
  `
}

function columns(sql: Sql) {
  return sql`
    senders.id, senders.account_id, senders.name, senders.countries, senders.use, senders.proof, senders.proof_link,
    (select file_name from sender_proofs where sender_id = senders.id) as proof_file, senders.state, senders.reason,
    senders.is_by_operator, senders.created_at, senders.decided_at
  `
}

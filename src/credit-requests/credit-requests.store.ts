import type { Sql } from '../database/database.ts'
import { deleteOld, type Retention } from '../database/delete-old.ts'
import { newestFirst, type PageWindow } from '../http/paging.ts'
import type { CreditRequest, ReceivedRequest, RequestState } from './credit-request.ts'

const columns = (sql: Sql) => sql`
  credit_requests.account_id, credit_requests.id, asked_id, message_type, amount, credit_requests.note, state, answer, asked_by,
  credit_requests.created_at, answered_at
`

export async function insertRequest(
  sql: Sql,
  {
    accountId,
    askedId,
    messageType,
    amount,
    note,
    askedBy
  }: Pick<CreditRequest, 'accountId' | 'askedId' | 'messageType' | 'amount' | 'note'> & { askedBy: string | undefined }
): Promise<CreditRequest> {
  const [row] = await sql<[CreditRequest]>`
    insert into credit_requests (account_id, id, asked_id, message_type, amount, note, asked_by)
    values (
      ${accountId}, nextval('credit_request_ids'), ${askedId}, ${messageType}, ${amount}, ${note}, ${askedBy ?? null}
    )
    returning ${columns(sql)}
  `
  return row
}

/** How many requests of an account wait, and how many it made within a day. The caller has locked the account. */
export async function countOpenRequests(sql: Sql, accountId: number): Promise<{ waiting: number; today: number }> {
  const [row] = await sql<[{ waiting: number; today: number }]>`
    select count(*) filter (where state = 'waiting') as waiting,
      count(*) filter (where created_at > now() - interval '1 day') as today
    from credit_requests
    where account_id = ${accountId}
  `
  return row
}

/** The account that made a request, or the one that answers it. */
type Side = { accountId: number } | { askedId: number }

export type RequestFilter = Side & { state: RequestState | undefined }

export async function countRequests(sql: Sql, filter: RequestFilter): Promise<number> {
  const [row] = await sql<[{ count: number }]>`
    select count(*) as count
    from credit_requests
    where ${isOf(sql, filter)}
      ${ofState(sql, filter)}
  `
  return row.count
}

/** Newest first. */
export async function listRequests(sql: Sql, filter: RequestFilter, window: PageWindow): Promise<CreditRequest[]> {
  const rows = await sql<CreditRequest[]>`
    select ${columns(sql)}
    from credit_requests
    where ${isOf(sql, filter)}
      ${ofState(sql, filter)}
    ${ofPage(sql, window)}
  `
  return newestFirst(rows, window)
}

/** The same with the accounts that ask. */
export async function listReceived(sql: Sql, filter: RequestFilter, window: PageWindow): Promise<ReceivedRequest[]> {
  const rows = await sql<ReceivedRequest[]>`
    select ${receivedColumns(sql)}
    from ${receivedRows(sql)}
    where ${isOf(sql, filter)}
      ${ofState(sql, filter)}
    ${ofPage(sql, window)}
  `
  return newestFirst(rows, window)
}

function isOf(sql: Sql, side: Side) {
  return 'askedId' in side ? sql`asked_id = ${side.askedId}` : sql`credit_requests.account_id = ${side.accountId}`
}

function ofState(sql: Sql, { state }: RequestFilter) {
  return state === undefined ? sql`` : sql`and state = ${state}`
}

function ofPage(sql: Sql, { isFromEnd, offset, limit }: PageWindow) {
  return sql`
    order by credit_requests.id ${isFromEnd ? sql`asc` : sql`desc`}
    offset ${offset}
    limit ${limit}
  `
}

/** With the balance of the account that asks. */
export async function findReceived(
  sql: Sql,
  { askedId, id }: { askedId: number; id: number }
): Promise<ReceivedRequest | undefined> {
  const [row] = await sql<ReceivedRequest[]>`
    select ${receivedColumns(sql)}
    from ${receivedRows(sql)}
    where asked_id = ${askedId}
      and credit_requests.id = ${id}
  `
  return row
}

const receivedColumns = (sql: Sql) => sql`
  ${columns(sql)}, parent_id, coalesce(nullif(social_reason, ''), holders.email) as name, coalesce(available, 0) as available
`

const receivedRows = (sql: Sql) => sql`
  credit_requests
  join accounts on accounts.id = credit_requests.account_id
  join people as holders on holders.id = accounts.holder_id
  left join credit_balances using (account_id, message_type)
`

/** Locks a request until the transaction ends: it is answered or withdrawn once. By the account that asked, or the one asked. */
export async function lockRequest(sql: Sql, by: Side & { id: number }): Promise<CreditRequest | undefined> {
  const [row] = await sql<CreditRequest[]>`
    select ${columns(sql)}
    from credit_requests
    where ${isOf(sql, by)}
      and credit_requests.id = ${by.id}
    for update
  `
  return row
}

/** The caller has locked it. */
export async function updateRequest(
  sql: Sql,
  { accountId, id }: Pick<CreditRequest, 'accountId' | 'id'>,
  { state, answer }: { state: Exclude<RequestState, 'waiting'>; answer: string }
): Promise<CreditRequest> {
  const [row] = await sql<[CreditRequest]>`
    update credit_requests
    set state = ${state}, answer = ${answer}, answered_at = now()
    where account_id = ${accountId}
      and id = ${id}
    returning ${columns(sql)}
  `
  return row
}

/** Withdraws all that wait, and returns them. Of an account that is closed: nobody can give it credits any more. */
export async function withdrawRequestsOf(sql: Sql, accountId: number): Promise<CreditRequest[]> {
  return sql<CreditRequest[]>`
    update credit_requests
    set state = 'withdrawn', answered_at = now()
    where account_id = ${accountId}
      and state = 'waiting'
    returning ${columns(sql)}
  `
}

export async function deleteRequestsOf(sql: Sql, accountIds: readonly number[]): Promise<void> {
  await sql`
    delete from credit_requests
    where account_id = any(${accountIds as number[]}::bigint[])
  `
}

/** Requests that were answered or withdrawn so long ago. */
export async function deleteOldRequests(sql: Sql, retention: Retention): Promise<number> {
  return deleteOld(sql, { table: 'credit_requests', column: 'answered_at', isIndexed: true }, retention)
}

import type { Sql } from '../database/database.ts'

/** A list that is being checked. */
export interface ClaimedList {
  accountId: number
  listId: number
  /** The last contact that was checked. */
  checkedTo: number
  tries: number
  /** The token of this claim: it is lost when contacts are added to the list, and when the lease runs out. */
  token: string
}

/** Claims the list that has waited longest. Of any account: for workers. A list that is being changed is passed over. */
export async function claimList(
  sql: Sql,
  { token, leaseSeconds }: { token: string; leaseSeconds: number }
): Promise<ClaimedList | undefined> {
  const [row] = await sql<ClaimedList[]>`
    with due as (
      select account_id, id
      from contact_lists
      where rcs_capability <> 'ready'
        and deleted_at is null
        and rcs_due_at <= now()
      order by rcs_due_at
      limit 1
      for no key update skip locked
    )
    update contact_lists
    set rcs_capability = 'checking',
        rcs_leased_by = ${token},
        rcs_due_at = now() + make_interval(secs => ${leaseSeconds})
    from due
    where contact_lists.account_id = due.account_id
      and contact_lists.id = due.id
    returning contact_lists.account_id, contact_lists.id as list_id, rcs_checked_to as checked_to, rcs_tries as tries,
      rcs_leased_by as token
  `
  return row
}

/** Extends the lease of a list. */
export async function extendClaim(
  sql: Sql,
  { accountId, listId, token }: ClaimedList,
  leaseSeconds: number
): Promise<void> {
  await sql`
    update contact_lists
    set rcs_due_at = now() + make_interval(secs => ${leaseSeconds})
    where account_id = ${accountId}
      and id = ${listId}
      and rcs_leased_by = ${token}
  `
}

/** The next contacts of a list, oldest first. */
export async function listPhonesAfter(
  sql: Sql,
  { accountId, listId, checkedTo }: ClaimedList,
  limit: number
): Promise<{ id: number; phone: string }[]> {
  return sql<{ id: number; phone: string }[]>`
    select id, phone
    from contacts
    where account_id = ${accountId}
      and list_id = ${listId}
      and id > ${checkedTo}
    order by id
    limit ${limit}
  `
}

/** Releases a list. If its check is not complete, it goes on after the turns of others. */
export async function updateChecked(
  sql: Sql,
  { accountId, listId, token }: ClaimedList,
  { checkedTo, isWhole }: { checkedTo: number; isWhole: boolean }
): Promise<void> {
  await sql`
    update contact_lists
    set rcs_capability = ${isWhole ? 'ready' : 'checking'},
        rcs_checked_to = ${checkedTo},
        rcs_due_at = now(),
        rcs_leased_by = null,
        rcs_tries = 0
    where account_id = ${accountId}
      and id = ${listId}
      and rcs_leased_by = ${token}
  `
}

/** Releases a list that could not be checked: it goes on later. */
export async function updateToRetry(
  sql: Sql,
  { accountId, listId, token }: ClaimedList,
  { delaySeconds }: { delaySeconds: number }
): Promise<void> {
  await sql`
    update contact_lists
    set rcs_due_at = now() + make_interval(secs => ${delaySeconds}),
        rcs_leased_by = null,
        rcs_tries = least(rcs_tries + 1, 1000)
    where account_id = ${accountId}
      and id = ${listId}
      and rcs_leased_by = ${token}
  `
}

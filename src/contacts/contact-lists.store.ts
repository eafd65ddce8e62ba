import { databaseNow } from '../database/clock.ts'
import type { Sql } from '../database/database.ts'
import type { ContactList } from './contact-list.ts'

/*
 * The order of locks: every writer writes contacts in the order of their lists and numbers, and then the lists, in their order.
 * So writers cannot deadlock. Only a change of a number cannot keep to that order, and gives way. Adding contacts does not lock
 * the list, so a list can be deleted meanwhile: the writer finds that out when it updates the count, before it commits.
 */

interface ListKey {
  accountId: number
  id: number
}

export async function insertList(
  sql: Sql,
  { accountId, name }: { accountId: number; name: string }
): Promise<ContactList> {
  const [row] = await sql<[ContactList]>`
    insert into contact_lists (account_id, id, name)
    values (${accountId}, nextval('contact_list_ids'), ${name})
    returning id, name, contacts_count, rcs_capability, created_at
  `
  return row
}

/** Newest first. `search` is looked for anywhere in the name, in any case. */
export async function listLists(
  sql: Sql,
  { accountId, search }: { accountId: number; search: string | undefined }
): Promise<ContactList[]> {
  return sql<ContactList[]>`
    select id, name, contacts_count, rcs_capability, created_at
    from contact_lists
    where account_id = ${accountId}
      and deleted_at is null
      ${search === undefined ? sql`` : sql`and strpos(lower(name), lower(${search})) > 0`}
    order by id desc
  `
}

export async function findList(sql: Sql, { accountId, id }: ListKey): Promise<ContactList | undefined> {
  const [row] = await sql<ContactList[]>`
    select id, name, contacts_count, rcs_capability, created_at
    from contact_lists
    where account_id = ${accountId}
      and id = ${id}
      and deleted_at is null
  `
  return row
}

export async function updateList(
  sql: Sql,
  { accountId, id, name }: ListKey & { name: string }
): Promise<ContactList | undefined> {
  const [row] = await sql<ContactList[]>`
    update contact_lists
    set name = ${name}
    where account_id = ${accountId}
      and id = ${id}
      and deleted_at is null
    returning id, name, contacts_count, rcs_capability, created_at
  `
  return row
}

/** Takes removed contacts off the count. */
export async function updateAfterRemoving(sql: Sql, { accountId, id }: ListKey, count: number): Promise<void> {
  await sql`
    update contact_lists
    set contacts_count = contacts_count - ${count}
    where account_id = ${accountId}
      and id = ${id}
  `
}

/** The contacts that a writer added to a list: their number, and their smallest id; null when there are none. */
export interface Added {
  count: number
  firstId: number | null
}

/** One check asks about contacts that are added shortly after each other. */
const CHECK_DELAY_MS = 2_000

/**
 * Counts added contacts, and contacts with a new number, and has their RCS capability checked. False if the list was deleted
 * meanwhile: then the caller undoes what it added.
 */
export async function updateAfterAdding(
  sql: Sql,
  { accountId, id }: ListKey,
  { count, firstId }: Added
): Promise<boolean> {
  if (firstId === null) return true
  const updated = await sql`
    update contact_lists
    set contacts_count = contacts_count + ${count},
        rcs_capability = 'unknown',
        rcs_checked_to = least(rcs_checked_to, ${firstId}::bigint - 1),
        rcs_leased_by = null,
        rcs_due_at = case
          when rcs_capability = 'ready' or rcs_leased_by is not null
          then ${new Date(databaseNow().getTime() + CHECK_DELAY_MS)}::timestamptz
          else rcs_due_at
        end
    where account_id = ${accountId}
      and id = ${id}
      and deleted_at is null
  `
  return updated.count > 0
}

/** Hides a list at once, and returns its size. A worker removes its contacts later. */
export async function hideList(sql: Sql, { accountId, id }: ListKey): Promise<number | undefined> {
  const [row] = await sql<{ contactsCount: number }[]>`
    update contact_lists
    set deleted_at = now()
    where account_id = ${accountId}
      and id = ${id}
      and deleted_at is null
    returning contacts_count
  `
  return row?.contactsCount
}

/** Hides all lists of closed accounts; a worker empties them. */
export async function hideListsOf(sql: Sql, accountIds: readonly number[]): Promise<void> {
  await sql`
    update contact_lists
    set deleted_at = ${databaseNow()}
    where account_id = any(${accountIds as number[]}::bigint[])
      and deleted_at is null
  `
}

/** A list that is hidden and still has to be emptied, of any account. */
export async function findHiddenList(sql: Sql): Promise<ListKey | undefined> {
  const [row] = await sql<ListKey[]>`
    select account_id, id
    from contact_lists
    where deleted_at is not null
    order by deleted_at
    limit 1
    for update skip locked
  `
  return row
}

/** All other hidden lists come before it. */
export async function putLast(sql: Sql, { accountId, id }: ListKey): Promise<void> {
  await sql`
    update contact_lists
    set deleted_at = now()
    where account_id = ${accountId}
      and id = ${id}
  `
}

/**
 * Removes up to `limit` contacts of a hidden list, and the list itself with the last of them. Returns whether there was anything
 * to remove. Locked contacts are left for later: the transaction that changes them may be waiting for the list, which we hold.
 * An array, and not `in`, because a plan for few rows would read the contacts again for each one.
 */
export async function deleteHiddenContacts(sql: Sql, { accountId, id }: ListKey, limit: number): Promise<boolean> {
  const contacts = await sql`
    delete from contacts
    where account_id = ${accountId}
      and id = any(array(
        select id
        from contacts
        where account_id = ${accountId}
          and list_id = ${id}
        order by id
        limit ${limit}
        for update skip locked
      ))
  `
  if (contacts.count === limit) return true
  const left = await sql`
    select id
    from contacts
    where account_id = ${accountId}
      and list_id = ${id}
    limit 1
  `
  if (left.length > 0) return contacts.count > 0
  const lists = await sql`
    delete from contact_lists
    where account_id = ${accountId}
      and id = ${id}
      and deleted_at is not null
  `
  return contacts.count + lists.count > 0
}

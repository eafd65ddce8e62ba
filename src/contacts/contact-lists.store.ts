import type { Sql } from '../database/database.ts'
import type { ContactList } from './contact-list.ts'

/*
 * Whoever writes contacts writes them in the order of their lists and numbers, and the lists, in their order, after all of
 * them: so nobody waits in a circle. Only who changes a number can't keep to it, and gives way. Nobody keeps a list from being
 * deleted either: who adds to one finds out at the end, when it is counted; until then nobody else can see what was added.
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

/** Counts what a writer removed. */
export async function updateAfterRemoving(sql: Sql, { accountId, id }: ListKey, count: number): Promise<void> {
  await sql`
    update contact_lists
    set contacts_count = contacts_count - ${count}
    where account_id = ${accountId}
      and id = ${id}
  `
}

/** What a writer added to a list: how many, and the smallest id of them; null when there were none. */
export interface Added {
  count: number
  firstId: number | null
}

/** Those that are added in a row are asked about together. */
const CHECK_DELAY_SECONDS = 2

/**
 * Counts what a writer added, or changed the number of, of which it is not known yet whether they can do RCS. False if the
 * list was deleted meanwhile: nothing may stay of what was added.
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
          then now() + make_interval(secs => ${CHECK_DELAY_SECONDS})
          else rcs_due_at
        end
    where account_id = ${accountId}
      and id = ${id}
      and deleted_at is null
  `
  return updated.count > 0
}

/** Takes a list away from everybody at once; tells how large it was. */
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
 * Removes up to `limit` contacts of a hidden list, and the list itself with the last of them; tells whether anything was there
 * to remove. Those that somebody is changing are left for later: who changes them may be waiting for the list, which is held.
 */
export async function deleteHiddenContacts(sql: Sql, { accountId, id }: ListKey, limit: number): Promise<boolean> {
  const contacts = await sql`
    delete from contacts
    where account_id = ${accountId}
      and id in (
        select id
        from contacts
        where account_id = ${accountId}
          and list_id = ${id}
        order by id
        limit ${limit}
        for update skip locked
      )
  `
  if (contacts.count === limit) return true
  const lists = await sql`
    delete from contact_lists
    where account_id = ${accountId}
      and id = ${id}
      and deleted_at is not null
      and not exists (
        select
        from contacts
        where contacts.account_id = ${accountId}
          and list_id = ${id}
      )
  `
  return contacts.count + lists.count > 0
}

import type { Sql } from '../database/database.ts'
import { newestFirst, type PageWindow } from '../http/paging.ts'
import { toSearchedDigits } from '../phone-numbers/search.ts'
import { CONTACT_FIELDS, type Contact, type ContactFields, columnOf } from './contact.ts'
import type { NamedPhone } from './contact-name.ts'

export interface NewContact extends ContactFields {
  phone: string
}

/**
 * Adds contacts to a list, and updates the given fields of numbers that it already has. The numbers must be different from
 * each other. They are written in the order of their numbers, so that two writers on one list cannot deadlock.
 */
export async function upsertContacts(
  sql: Sql,
  { accountId, listId, contacts }: { accountId: number; listId: number; contacts: readonly NewContact[] }
): Promise<{ added: number; updated: number; firstId: number | null }> {
  const fields = CONTACT_FIELDS.map(([, field]) => field).filter((field) =>
    contacts.some((contact) => contact[field] != null)
  )
  const columns = fields.map(columnOf)
  const [row] = await sql.unsafe<[{ added: number; updated: number; firstId: number | null }]>(
    `
      with written as (
        insert into contacts (account_id, id, list_id, phone${columns.map((column) => `, ${column}`).join('')})
        select $1::bigint, nextval('contact_ids'), $2::bigint, given.*
        from unnest($3::text[]${fields.map((_, index) => `, $${index + 4}::text[]`).join('')}) as given
        order by 4
        on conflict (account_id, list_id, phone) do update
        set phone = excluded.phone${columns.map((column) => `, ${column} = coalesce(excluded.${column}, contacts.${column})`).join('')}
        returning id, xmax = 0 as is_added
      )
      select count(*) filter (where is_added) as added, count(*) filter (where not is_added) as updated,
        min(id) filter (where is_added) as first_id
      from written
    `,
    [
      accountId,
      listId,
      contacts.map(({ phone }) => phone),
      ...fields.map((field) => contacts.map((contact) => contact[field] ?? null))
    ] as never[],
    { prepare: true }
  )
  return row
}

interface ContactKey {
  accountId: number
  id: number
}

export async function findContact(sql: Sql, { accountId, id }: ContactKey): Promise<Contact | undefined> {
  const [row] = await sql<Contact[]>`
    select ${contactColumns(sql)}
    from contacts
    where account_id = ${accountId}
      and id = ${id}
      and ${isVisible(sql, accountId)}
  `
  return row
}

export async function updateContact(
  sql: Sql,
  { accountId, id, changes }: ContactKey & { changes: ContactFields & { phone?: string } }
): Promise<Contact | undefined> {
  const [row] = await sql<Contact[]>`
    update contacts
    set ${sql(changes as Record<string, string>)}
    where account_id = ${accountId}
      and id = ${id}
      and ${isVisible(sql, accountId)}
    returning ${contactColumns(sql)}
  `
  return row
}

export async function deleteContact(sql: Sql, { accountId, id }: ContactKey): Promise<{ listId: number } | undefined> {
  const [row] = await sql<{ listId: number }[]>`
    delete from contacts
    where account_id = ${accountId}
      and id = ${id}
      and ${isVisible(sql, accountId)}
    returning list_id
  `
  return row
}

interface PhoneKey {
  accountId: number
  phone: string
}

/** Removes a number from all lists of an account, also from hidden ones; returns how many had it. */
export async function eraseContacts(sql: Sql, { accountId, phone }: PhoneKey): Promise<number> {
  // By list, because that is how they are indexed.
  const contacts = await sql<{ id: number }[]>`
    select id
    from contacts
    where account_id = ${accountId}
      and list_id in (
        select contact_lists.id
        from contact_lists
        where contact_lists.account_id = ${accountId}
      )
      and phone = ${phone}
    order by list_id
    for update of contacts
  `
  const gone = await sql<{ listId: number }[]>`
    delete from contacts
    where account_id = ${accountId}
      and id = any(${contacts.map(({ id }) => id)}::bigint[])
    returning list_id
  `
  await sql`
    select
    from contact_lists
    where account_id = ${accountId}
      and id = any(${gone.map(({ listId }) => listId)}::bigint[])
    order by id
    for no key update
  `
  await sql`
    update contact_lists
    set contacts_count = contacts_count - 1
    where account_id = ${accountId}
      and id = any(${gone.map(({ listId }) => listId)}::bigint[])
  `
  return gone.length
}

/** Every contact of an account with this number. By list, because that is how they are indexed. */
export async function listContactsByPhone(sql: Sql, { accountId, phone }: PhoneKey): Promise<Contact[]> {
  return sql<Contact[]>`
    select ${contactColumns(sql)}
    from contacts
    where account_id = ${accountId}
      and ${isVisible(sql, accountId)}
      and phone = ${phone}
    order by id
  `
}

/** The names of numbers that have one, each as its newest contact has it. By list, because that is how they are indexed. */
export async function listNamesOfPhones(
  sql: Sql,
  { accountId, phones }: { accountId: number; phones: readonly string[] }
): Promise<NamedPhone[]> {
  return sql<NamedPhone[]>`
    select distinct on (phone) phone, last_name, first_name
    from contacts
    where account_id = ${accountId}
      and ${isInList(sql, accountId)}
      and phone = any(${phones as string[]}::text[])
      and concat(first_name, last_name) <> ''
    order by phone, id desc
  `
}

/** In a list that was not deleted. */
function isInList(sql: Sql, accountId: number) {
  return sql`
    list_id in (
      select contact_lists.id
      from contact_lists
      where contact_lists.account_id = ${accountId}
        and deleted_at is null
    )
  `
}

/** Whether a contact has a text in its name, mail or number. */
function hasText(sql: Sql, search: string) {
  const digits = toSearchedDigits(search)
  return sql`(
    strpos(lower(concat_ws(' ', first_name, last_name, first_name, email)), lower(${search})) > 0
    ${digits === undefined ? sql`` : sql`or strpos(phone, ${digits}) > 0`}
  )`
}

/** Names have no index that finds a part of them: more contacts would take longer than somebody who types waits. */
const SEARCHED_MAX = 100_000
/** A person may be in several lists, so more contacts than people are read. */
const LISTS_OF_ONE = 5

/** People whose name, mail or number contains a text, all of them if it is empty, those of the newest contacts first. */
export async function findNamedPhones(
  sql: Sql,
  { accountId, search, limit }: { accountId: number; search: string; limit: number }
): Promise<NamedPhone[]> {
  const found = await sql<NamedPhone[]>`
    select phone, last_name, first_name
    from (
      select id, phone, last_name, first_name, email
      from contacts
      where account_id = ${accountId}
        and ${isInList(sql, accountId)}
      order by id desc
      limit ${SEARCHED_MAX}
    ) as newest
    where ${search === '' ? sql`true` : hasText(sql, search)}
    order by id desc
    limit ${limit * LISTS_OF_ONE}
  `
  const byPhone = new Map<string, NamedPhone>()
  for (const person of found) if (!byPhone.has(person.phone)) byPhone.set(person.phone, person)
  return [...byPhone.values()].slice(0, limit)
}

interface ListScope {
  accountId: number
  listId: number
}

/** Newest first. A page nearer to the end is read from the end and reversed. */
export async function listContactsOfPage(
  sql: Sql,
  { accountId, listId }: ListScope,
  window: PageWindow
): Promise<Contact[]> {
  const rows = await sql<Contact[]>`
    select ${contactColumns(sql)}
    from contacts
    where account_id = ${accountId}
      and list_id = ${listId}
    order by id ${window.isFromEnd ? sql`asc` : sql`desc`}
    offset ${window.offset}
    limit ${window.limit}
  `
  return newestFirst(rows, window)
}

/** Contacts whose name, number or mail contains the words, newest first, and their number. */
export async function searchContacts(
  sql: Sql,
  { accountId, listId }: ListScope,
  { search, offset, limit }: { search: string; offset: number; limit: number }
): Promise<{ contacts: Contact[]; total: number }> {
  const found = sql`
    account_id = ${accountId}
    and list_id = ${listId}
    and ${hasText(sql, search)}
  `
  const [row] = await sql<[{ total: number }]>`
    select count(*) as total
    from contacts
    where ${found}
  `
  const contacts = await sql<Contact[]>`
    select ${contactColumns(sql)}
    from contacts
    where ${found}
    order by id desc
    offset ${offset}
    limit ${limit}
  `
  return { contacts, total: row.total }
}

/** The next contacts of a full extract, newest first, after the one whose id is given. */
export async function listContactsBefore(
  sql: Sql,
  { accountId, listId }: ListScope,
  { beforeId, limit }: { beforeId: number; limit: number }
): Promise<Contact[]> {
  return sql<Contact[]>`
    select ${contactColumns(sql)}
    from contacts
    where account_id = ${accountId}
      and list_id = ${listId}
      and id < ${beforeId}
    order by id desc
    limit ${limit}
  `
}

/** Contacts of a hidden list do not show. */
function isVisible(sql: Sql, accountId: number) {
  return sql`list_id in (
    select contact_lists.id
    from contact_lists
    where contact_lists.account_id = ${accountId}
      and deleted_at is null
  )`
}

function contactColumns(sql: Sql) {
  return sql`
    id, list_id, phone, last_name, first_name, email, address, postal_code, date, city,
    custom1, custom2, custom3, custom4, custom5, custom6, custom7, custom8, custom9, custom10
  `
}

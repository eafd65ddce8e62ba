import type { Sql } from '../database/database.ts'
import type { MailLanguage } from '../mail/mail.ts'
import { notifyPersonChanged } from './notices.store.ts'
import { deleteResetsOf } from './password-resets.store.ts'
import type { Person } from './person.ts'

export interface NewPerson {
  email: string
  passwordHash: string | null
  firstName: string
  lastName: string
  phoneNumber: string
  /** Null until the person has chosen one. */
  language?: MailLanguage | null
}

export async function insertPerson(sql: Sql, person: NewPerson): Promise<Person> {
  const [row] = await sql<[Person]>`
    insert into people (id, email, password_hash, first_name, last_name, phone_number, language)
    values (
      nextval('person_ids'), ${person.email}, ${person.passwordHash}, ${person.firstName}, ${person.lastName},
      ${person.phoneNumber}, ${person.language ?? null}
    )
    returning ${personColumns(sql)}
  `
  return row
}

export async function findPerson(sql: Sql, personId: number): Promise<Person | undefined> {
  const [row] = await sql<Person[]>`
    select ${personColumns(sql)}
    from people
    where id = ${personId}
  `
  return row
}

export async function findPersonByEmail(sql: Sql, email: string): Promise<Person | undefined> {
  const [row] = await sql<Person[]>`
    select ${personColumns(sql)}
    from people
    where lower(email) = lower(${email})
  `
  return row
}

/** Changes of a person's secrets take turns by this lock, until the transaction ends. */
export async function lockPerson(sql: Sql, personId: number): Promise<void> {
  await sql`
    select
    from people
    where id = ${personId}
    for no key update
  `
}

/** What a password is checked against. */
export interface LoginPerson {
  id: number
  email: string
  passwordHash: string | null
  tokenVersion: number
}

export async function findLoginPerson(
  sql: Sql,
  by: { email: string } | { id: number }
): Promise<LoginPerson | undefined> {
  const [row] = await sql<LoginPerson[]>`
    select id, email, password_hash, token_version
    from people
    where ${'email' in by ? sql`lower(email) = lower(${by.email})` : sql`id = ${by.id}`}
  `
  return row
}

export interface PersonChanges {
  language?: MailLanguage
  email?: string
  firstName?: string
  lastName?: string
  phoneNumber?: string
}

export async function updatePerson(sql: Sql, personId: number, changes: PersonChanges): Promise<void> {
  if (Object.keys(changes).length === 0) return
  await sql`
    update people
    set ${sql(changes as Record<string, string>)}
    where id = ${personId}
  `
  // They were mailed to the address that the person has left.
  if (changes.email !== undefined) await deleteResetsOf(sql, personId)
}

/** A new password ends every session that the old one gave, and every link to choose another. */
export async function updatePassword(
  sql: Sql,
  { personId, passwordHash }: { personId: number; passwordHash: string }
): Promise<void> {
  await sql`
    update people
    set password_hash = ${passwordHash}, token_version = token_version + 1
    where id = ${personId}
  `
  await sql`
    delete from sessions
    where person_id = ${personId}
  `
  await deleteResetsOf(sql, personId)
  await notifyPersonChanged(sql, personId)
}

function personColumns(sql: Sql) {
  return sql`id, email, first_name, last_name, phone_number, language, created_at, last_login_at`
}

import type { Sql } from '../database/database.ts'
import type { SignedOn } from './provider.ts'

interface StoredAttempt {
  stateHash: Buffer
  browserHash: Buffer
  nonce: string
  codeVerifier: string
  expiresAt: Date
}

export async function insertAttempt(sql: Sql, attempt: StoredAttempt): Promise<void> {
  await sql`
    insert into sign_on_attempts (state_hash, browser_hash, nonce, code_verifier, expires_at)
    values (
      ${attempt.stateHash}, ${attempt.browserHash}, ${attempt.nonce}, ${attempt.codeVerifier}, ${attempt.expiresAt}
    )
  `
}

/** Uses an attempt up: of a browser that comes back twice, the first one has it. */
export async function deleteAttempt(
  sql: Sql,
  { stateHash, browserHash }: { stateHash: Buffer; browserHash: Buffer }
): Promise<{ nonce: string; codeVerifier: string } | undefined> {
  const [row] = await sql<{ nonce: string; codeVerifier: string }[]>`
    delete from sign_on_attempts
    where state_hash = ${stateHash}
      and browser_hash = ${browserHash}
      and expires_at > now()
    returning nonce, code_verifier
  `
  return row
}

interface TicketKey {
  ticketHash: Buffer
  browserHash: Buffer
}

export async function insertTicket(sql: Sql, ticket: TicketKey & SignedOn & { expiresAt: Date }): Promise<void> {
  await sql`
    insert into sign_on_tickets (
      ticket_hash, browser_hash, issuer, subject, email, is_email_verified, first_name, last_name, groups, expires_at
    )
    values (
      ${ticket.ticketHash}, ${ticket.browserHash}, ${ticket.issuer}, ${ticket.subject}, ${ticket.email},
      ${ticket.isEmailVerified}, ${ticket.firstName}, ${ticket.lastName}, ${ticket.groups}, ${ticket.expiresAt}
    )
  `
}

export async function findTicket(sql: Sql, { ticketHash, browserHash }: TicketKey): Promise<SignedOn | undefined> {
  const [row] = await sql<SignedOn[]>`
    select issuer, subject, email, is_email_verified, first_name, last_name, groups
    from sign_on_tickets
    where ticket_hash = ${ticketHash}
      and browser_hash = ${browserHash}
      and expires_at > now()
  `
  return row
}

/** Uses a ticket up; false if another request has. */
export async function deleteTicket(sql: Sql, ticketHash: Buffer): Promise<boolean> {
  const { count } = await sql`
    delete from sign_on_tickets
    where ticket_hash = ${ticketHash}
  `
  return count > 0
}

/** The person of an identity at the provider. */
export async function findPersonOf(
  sql: Sql,
  { issuer, subject }: Pick<SignedOn, 'issuer' | 'subject'>
): Promise<number | undefined> {
  const [row] = await sql<{ personId: number }[]>`
    select person_id
    from identities
    where issuer = ${issuer}
      and subject = ${subject}
  `
  return row?.personId
}

export async function insertIdentity(
  sql: Sql,
  { issuer, subject, personId }: Pick<SignedOn, 'issuer' | 'subject'> & { personId: number }
): Promise<void> {
  await sql`
    insert into identities (issuer, subject, person_id)
    values (${issuer}, ${subject}, ${personId})
  `
}

/** Forgets who these people are at the provider. */
export async function deleteIdentitiesOf(sql: Sql, personIds: readonly number[]): Promise<void> {
  await sql`
    delete from identities
    where person_id = any(${personIds as number[]}::bigint[])
  `
}

/** Removes what browsers never came back for. */
export async function deleteExpiredSignOns(sql: Sql): Promise<void> {
  await sql`
    delete from sign_on_attempts
    where expires_at < now()
  `
  await sql`
    delete from sign_on_tickets
    where expires_at < now()
  `
}

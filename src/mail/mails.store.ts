import { randomUUID } from 'node:crypto'
import type { Sql } from '../database/database.ts'
import type { LeasedMail, Mail } from './mail.ts'

/** Stores a mail in the transaction of its cause: a crash leaves both or neither. A worker sends it. */
export async function queueMail(
  sql: Sql,
  { to, kind, language, facts, accountId, opens, expiresAt }: Mail
): Promise<void> {
  await sql`
    insert into mails (id, recipient, kind, language, facts, account_id, opens, expires_at)
    values (
      ${randomUUID()}, ${to}, ${kind}, ${language}, ${JSON.stringify(facts)}::text::jsonb, ${accountId},
      ${opens ?? null}, ${expiresAt}
    )
  `
}

/** Leases due mails to one process. A process that dies loses its lease, and another sends the mail. */
export async function leaseDueMails(
  sql: Sql,
  { limit, leaseSeconds }: { limit: number; leaseSeconds: number }
): Promise<LeasedMail[]> {
  return sql<LeasedMail[]>`
    with due as (
      select id
      from mails
      where due_at <= now()
        and (leased_until is null or leased_until < now())
      order by due_at
      limit ${limit}
      for update skip locked
    )
    update mails
    set attempts = attempts + 1, leased_until = now() + make_interval(secs => ${leaseSeconds})
    from due
    where mails.id = any(array[due.id])
    returning mails.id, recipient, kind, language, facts, account_id, opens, attempts, expires_at < now() as is_expired
  `
}

/** The number of attempts names the lease: once another process has leased the mail, it is a higher one. */
type Lease = Pick<LeasedMail, 'id' | 'attempts'>

export async function extendMailLease(
  sql: Sql,
  { id, attempts }: Lease,
  { leaseSeconds }: { leaseSeconds: number }
): Promise<void> {
  await sql`
    update mails
    set leased_until = now() + make_interval(secs => ${leaseSeconds})
    where id = ${id}
      and attempts = ${attempts}
  `
}

/** The row goes with its content. */
export async function deleteMail(sql: Sql, { id, attempts }: Lease): Promise<void> {
  await sql`
    delete from mails
    where id = ${id}
      and attempts = ${attempts}
  `
}

export async function postponeMail(
  sql: Sql,
  { id, attempts }: Lease,
  { delaySeconds }: { delaySeconds: number }
): Promise<void> {
  await sql`
    update mails
    set due_at = now() + make_interval(secs => ${delaySeconds}), leased_until = null
    where id = ${id}
      and attempts = ${attempts}
  `
}

/** Removes all mails that wait to be sent. Returns how many. */
export async function deleteWaitingMails(sql: Sql): Promise<number> {
  const { count } = await sql`delete from mails`
  return count
}

/** Removes mails that are of no use any more, also where no process sends mails. */
export async function deleteExpiredMails(sql: Sql): Promise<void> {
  await sql`
    delete from mails
    where expires_at < now() - interval '10 minutes'
  `
}

import type { Sql } from '../database/database.ts'

/* The binds of customers, over all processes. The process that holds a bind extends its lease. */

export type BindMode = 'transmitter' | 'receiver' | 'transceiver'

export interface NewBind {
  id: string
  credentialId: number
  accountId: number
  mode: BindMode
  address: string
  isEncrypted: boolean
  interfaceVersion: number
}

export interface Bind extends NewBind {
  boundAt: Date
}

/** How many live binds a credential has. The caller has locked the credential. */
export async function countBinds(sql: Sql, credentialId: number): Promise<number> {
  const [row] = await sql<[{ count: number }]>`
    select count(*) as count
    from smpp_binds
    where credential_id = ${credentialId}
      and leased_until > now()
  `
  return row.count
}

export async function insertBind(sql: Sql, bind: NewBind, { leaseSeconds }: { leaseSeconds: number }): Promise<void> {
  await sql`
    insert into smpp_binds (
      id, credential_id, account_id, mode, address, is_encrypted, interface_version, leased_until
    )
    values (
      ${bind.id}, ${bind.credentialId}, ${bind.accountId}, ${bind.mode}, ${bind.address}, ${bind.isEncrypted},
      ${bind.interfaceVersion}, now() + make_interval(secs => ${leaseSeconds})
    )
  `
}

/** Extends the leases of binds, and returns the binds that are still there. */
export async function extendBinds(
  sql: Sql,
  ids: readonly string[],
  { leaseSeconds }: { leaseSeconds: number }
): Promise<Set<string>> {
  const rows = await sql<{ id: string }[]>`
    update smpp_binds
    set leased_until = now() + make_interval(secs => ${leaseSeconds})
    where id = any(${ids as string[]}::uuid[])
    returning id
  `
  return new Set(rows.map(({ id }) => id))
}

export async function deleteBind(sql: Sql, id: string): Promise<void> {
  await sql`
    delete from smpp_binds
    where id = ${id}
  `
}

/** Removes binds of processes that are gone. */
export async function deleteLostBinds(sql: Sql): Promise<void> {
  await sql`
    delete from smpp_binds
    where leased_until < now() - interval '1 hour'
  `
}

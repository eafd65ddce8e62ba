import type { Sql } from '../database/database.ts'
import type { Logo, LogoType, Look, LookHosts } from './look.ts'

/** A look, as processes keep it. */
export interface StoredLook extends Look {
  accountId: number
  isOperator: boolean
}

export interface StoredHost {
  host: string
  accountId: number
  kind: keyof LookHosts
}

interface LookRow {
  accountId: number
  isOperator: boolean
  name: string
  colour: string | null
  mediaType: LogoType | null
  sha256: string | null
}

const columns = (sql: Sql) => sql`
  account_id, is_operator, name, colour, logo_type as media_type, encode(logo_sha256, 'hex') as sha256
`

/** Covers all accounts: for processes. */
export async function listLooks(sql: Sql): Promise<StoredLook[]> {
  const rows = await sql<LookRow[]>`
    select ${columns(sql)}
    from looks
    join accounts on accounts.id = looks.account_id
  `
  return rows.map(toLook)
}

export async function findLook(sql: Sql, accountId: number): Promise<StoredLook | undefined> {
  const [row] = await sql<LookRow[]>`
    select ${columns(sql)}
    from looks
    join accounts on accounts.id = looks.account_id
    where account_id = ${accountId}
  `
  return row && toLook(row)
}

function toLook({ mediaType, sha256, ...row }: LookRow): StoredLook {
  const logo: Logo | null = mediaType === null || sha256 === null ? null : { mediaType, sha256 }
  return { ...row, logo }
}

/** The logo stays. */
export async function upsertLook(
  sql: Sql,
  { accountId, name, colour }: Pick<StoredLook, 'accountId' | 'name' | 'colour'>
): Promise<void> {
  await sql`
    insert into looks (account_id, name, colour)
    values (${accountId}, ${name}, ${colour})
    on conflict (account_id) do update
    set name = excluded.name, colour = excluded.colour
  `
}

export async function updateLogo(
  sql: Sql,
  { accountId, logo }: { accountId: number; logo: { content: Buffer; mediaType: LogoType; sha256: Buffer } | null }
): Promise<void> {
  await sql`
    update looks
    set logo = ${logo?.content ?? null}, logo_type = ${logo?.mediaType ?? null}, logo_sha256 = ${logo?.sha256 ?? null}
    where account_id = ${accountId}
  `
}

/** The content of a logo, if it is still this one. */
export async function findLogo(
  sql: Sql,
  { accountId, sha256 }: { accountId: number; sha256: string }
): Promise<Buffer | undefined> {
  const [row] = await sql<{ logo: Buffer }[]>`
    select logo
    from looks
    where account_id = ${accountId}
      and logo_sha256 = decode(${sha256}, 'hex')
  `
  return row?.logo
}

export async function deleteLook(sql: Sql, accountId: number): Promise<boolean> {
  const { count } = await sql`
    delete from looks
    where account_id = ${accountId}
  `
  return count > 0
}

/** Covers all accounts: for processes. */
export async function listHosts(sql: Sql): Promise<StoredHost[]> {
  return sql<StoredHost[]>`
    select host, account_id, kind
    from look_hosts
  `
}

export async function findHosts(sql: Sql, accountId: number): Promise<LookHosts> {
  const rows = await sql<Pick<StoredHost, 'host' | 'kind'>[]>`
    select host, kind
    from look_hosts
    where account_id = ${accountId}
  `
  const hostOf = (kind: keyof LookHosts) => rows.find((row) => row.kind === kind)?.host ?? null
  return { console: hostOf('console'), links: hostOf('links') }
}

/** False if the host belongs to an account already. */
export async function insertHost(sql: Sql, { host, accountId, kind }: StoredHost): Promise<boolean> {
  const { count } = await sql`
    insert into look_hosts (host, account_id, kind)
    values (${host}, ${accountId}, ${kind})
    on conflict (host) do nothing
  `
  return count > 0
}

export async function deleteHosts(sql: Sql, accountId: number): Promise<boolean> {
  const { count } = await sql`
    delete from look_hosts
    where account_id = ${accountId}
  `
  return count > 0
}

/** For an account that is closed: its host names are free again. */
export async function deleteLooksOf(sql: Sql, accountId: number): Promise<void> {
  const hadLook = await deleteLook(sql, accountId)
  const hadHosts = await deleteHosts(sql, accountId)
  if (hadLook || hadHosts) await notifyLooksChanged(sql)
}

/** The top-level account above all open accounts of a person; undefined if there are several, or none. */
export async function findFamilyOfPerson(sql: Sql, personId: number): Promise<number | undefined> {
  const rows = await sql<{ topLevelId: number }[]>`
    select distinct coalesce(parent_id, accounts.id) as top_level_id
    from memberships
    join accounts on accounts.id = memberships.account_id
    where person_id = ${personId}
    limit 2
  `
  return rows.length === 1 ? rows[0]?.topLevelId : undefined
}

/** Every process reads the looks again. The notice comes with the commit. */
export const LOOKS_CHANGED = 'looks_changed'

export async function notifyLooksChanged(sql: Sql): Promise<void> {
  await sql`select pg_notify(${LOOKS_CHANGED}, '')`
}

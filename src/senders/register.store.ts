import type { SenderMode } from '../compliance/sender-register.ts'
import type { Sql } from '../database/database.ts'
import type { SenderPurpose } from './sender.ts'

/** Tells processes that the register has changed. */
export const SENDERS_CHANGED = 'chappe_senders'

export async function findRegisterVersion(sql: Sql): Promise<number> {
  const [row] = await sql<[{ version: number }]>`select version from sender_register`
  return row.version
}

/** Part of every change that the checks of senders must know. Changes wait here for each other, so versions are in order. */
export async function raiseRegisterVersion(sql: Sql): Promise<void> {
  await sql`update sender_register set version = version + 1`
  await sql`select pg_notify(${SENDERS_CHANGED}, '')`
}

export interface RegisteredSender {
  accountId: number
  nameKey: string
  countries: string[]
  use: SenderPurpose
  state: 'approved' | 'disabled'
  reason: string
}

/** Covers all accounts: for processes. */
export async function listRegisteredSenders(sql: Sql): Promise<RegisteredSender[]> {
  return sql<RegisteredSender[]>`
    select account_id, name_key, countries, use, state, reason
    from senders
    where state in ('approved', 'disabled')
  `
}

export interface NumberGrant {
  number: string
  accountId: number
}

/** Covers all accounts: for processes, and for the operator. */
export async function listNumberGrants(sql: Sql): Promise<NumberGrant[]> {
  return sql<NumberGrant[]>`
    select number, account_id
    from number_grants
    order by number, account_id
  `
}

export interface AccountModes {
  accountId: number
  byOperator: SenderMode | null
  byParent: SenderMode | null
}

/** Covers all accounts: for processes. */
export async function listSenderModes(sql: Sql): Promise<AccountModes[]> {
  return sql<AccountModes[]>`
    select account_id, by_operator, by_parent
    from sender_modes
  `
}

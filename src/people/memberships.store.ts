import type { Sql } from '../database/database.ts'
import { notifyPersonChanged } from './notices.store.ts'
import type { Role } from './role.ts'

export interface Membership {
  accountId: number
  personId: number
  role: Role
}

export async function insertMembership(sql: Sql, { accountId, personId, role }: Membership): Promise<void> {
  await sql`
    insert into memberships (account_id, person_id, role)
    values (${accountId}, ${personId}, ${role})
  `
  await notifyPersonChanged(sql, personId)
}

import Type, { type Static } from 'typebox'
import type { ActChanges, ActValue } from '../http/act.ts'
import type { Caller } from '../http/caller.ts'
import { Nullable } from '../schemas/nullable.ts'

/** An entry of the audit trail, with the names that people know. */
export interface Entry {
  id: number
  createdAt: Date
  accountId: number
  onAccountId: number
  personId: number | null
  personName: string | null
  keyId: number | null
  keyName: string | null
  viewedFrom: number | null
  address: string
  operation: string
  objectKind: string | null
  objectId: string | null
  changes: ActChanges | null
  isRefused: boolean
}

const Value = Type.Unsafe<ActValue>({
  description: 'Text, a number, true or false, a list of them, or null.'
})

export const AuditEntryView = Type.Object(
  {
    id: Type.Integer(),
    created_at: Type.String({ format: 'date-time' }),
    account_id: Type.Integer({ description: 'The account of whoever acted.' }),
    on_account_id: Type.Integer({ description: 'The account that was acted on; mostly the same.' }),
    person_id: Nullable(Type.Integer({ description: 'Null for a request with a key.' })),
    person_name: Nullable(Type.String()),
    key_id: Nullable(Type.Integer({ description: 'Null for a person who is logged in.' })),
    key_name: Nullable(Type.String()),
    viewed_from: Nullable(Type.Integer({ description: 'The account above from which the person only looked.' })),
    address: Nullable(Type.String({ description: 'Null for the address of somebody of another account.' })),
    operation: Type.String({ description: 'The `operationId` of the reference.' }),
    object_kind: Nullable(Type.String({ description: 'Such as `message`, `template` or `account`.' })),
    object_id: Nullable(Type.String()),
    changes: Type.Array(
      Type.Object({
        field: Type.String(),
        hidden: Type.Boolean({ description: 'Whether the values are not kept: secrets, contents, personal data.' }),
        before: Value,
        after: Value
      })
    ),
    refused: Type.Boolean({ description: 'Such as a log-in with a wrong password.' })
  },
  { $id: 'AuditEntry' }
)

export const auditEntryExample: Static<typeof AuditEntryView> = {
  id: 4711,
  created_at: '2026-11-15T09:30:00.000Z',
  account_id: 1,
  on_account_id: 1,
  person_id: 3,
  person_name: 'Léa Martin',
  key_id: null,
  key_name: null,
  viewed_from: null,
  address: '192.0.2.7',
  operation: 'updateContactList',
  object_kind: 'contact_list',
  object_id: '12',
  changes: [{ field: 'name', hidden: false, before: 'Clients', after: 'Clients 2026' }],
  refused: false
}

/**
 * The entry for a reader of this account's trail. The reader does not learn who works for an account above: only that
 * the account acted.
 */
export function toEntryView(
  entry: Entry,
  { caller, readAccountId }: { caller: Caller; readAccountId: number | undefined }
): Static<typeof AuditEntryView> {
  const staffOf = entry.viewedFrom ?? entry.accountId
  const isKnown = caller.isOperator || staffOf === caller.accountId || staffOf === readAccountId
  return {
    id: entry.id,
    created_at: entry.createdAt.toISOString(),
    account_id: entry.accountId,
    on_account_id: entry.onAccountId,
    person_id: isKnown ? entry.personId : null,
    person_name: isKnown ? entry.personName : null,
    key_id: isKnown ? entry.keyId : null,
    key_name: isKnown ? entry.keyName : null,
    viewed_from: entry.viewedFrom,
    address: isKnown ? entry.address : null,
    operation: entry.operation,
    object_kind: entry.objectKind,
    object_id: entry.objectId,
    changes: Object.entries(entry.changes ?? {}).map(([field, change]) =>
      change === 'hidden'
        ? { field, hidden: true, before: null, after: null }
        : { field, hidden: false, before: change[0], after: change[1] }
    ),
    refused: entry.isRefused
  }
}

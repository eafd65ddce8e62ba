import Type, { type Static } from 'typebox'
import { findSubAccount } from '../accounts/accounts.store.ts'
import type { Sql } from '../database/database.ts'
import { invalidInput, notFound, Refusal } from '../errors.ts'
import type { Caller } from '../http/caller.ts'
import { ID_MAX } from '../schemas/ids.ts'
import type { EntryFilter } from './trail.store.ts'

const Moment = (description: string) =>
  Type.Optional(
    Type.String({ format: 'date-time', maxLength: 64, description: `${description} ISO 8601, with its time zone.` })
  )
const Id = (description: string) => Type.Optional(Type.Integer({ minimum: 1, maximum: ID_MAX, description }))
const Word = (description: string) => Type.Optional(Type.String({ minLength: 1, maxLength: 64, description }))

/** The filters of the trail. */
export const auditFilters = {
  from: Moment('Entries since this moment.'),
  to: Moment('Entries before this moment.'),
  person: Id('Only the acts of this person.'),
  key: Id('Only the acts with this key.'),
  operation: Word('Only this operation, by its `operationId`, such as `changeMe`.'),
  object_kind: Word('Only acts on things of this kind, such as `template`.'),
  object_id: Word('Only acts on the thing with this id.'),
  sends: Type.Boolean({ default: true, description: 'Whether accepted messages are listed too.' }),
  account: Id('The trail of this account: a sub-account of yours, or for the operator any account.'),
  all: Type.Boolean({ default: false, description: 'The trails of all accounts, without sends. Operator only.' })
}

const AuditFilters = Type.Object(auditFilters)

/** The filter of a request, once it is clear that the caller may read that trail. */
export async function readFilter(sql: Sql, caller: Caller, query: Static<typeof AuditFilters>): Promise<EntryFilter> {
  if (query.all && !caller.isOperator) {
    throw new Refusal(403, 'forbidden', 'Only the operator, the first account, may read the trails of all accounts.')
  }
  return {
    accountId: query.all && query.account === undefined ? undefined : await readAccount(sql, caller, query.account),
    from: readMoment('from', query.from),
    to: readMoment('to', query.to),
    personId: query.person,
    keyId: query.key,
    operation: query.operation,
    objectKind: query.object_kind,
    objectId: query.object_id,
    hasSends: query.sends
  }
}

async function readAccount(sql: Sql, caller: Caller, wanted: number | undefined): Promise<number> {
  if (wanted === undefined || wanted === caller.accountId || caller.isOperator) return wanted ?? caller.accountId
  const account = await findSubAccount(sql, { parentId: caller.accountId, id: wanted })
  if (!account) throw notFound('sub-account')
  return account.id
}

function readMoment(path: string, text: string | undefined): Date | undefined {
  if (text === undefined) return undefined
  const moment = new Date(text)
  // The format allows a leap second, which a Date cannot hold.
  if (!Number.isNaN(moment.getTime())) return moment
  throw invalidInput([{ path, message: 'must be a date and time in ISO 8601, such as 2026-12-24T10:00:00Z' }])
}

import Type, { type Static } from 'typebox'
import type { Database, Sql } from '../database/database.ts'
import { type InputProblem, notFound, Refusal } from '../errors.ts'
import type { Act } from '../http/act.ts'
import type { Caller } from '../http/caller.ts'
import { operation } from '../http/operation.ts'
import { refuseWithout } from '../http/permission.ts'
import { Nullable } from '../schemas/nullable.ts'
import type { Callers } from './callers.ts'
import { OPERATOR_ONLY, refuseUnlessOperator } from './operator.ts'
import { StandingSchema } from './standing.ts'
import { lockStanding, updateStanding, updateToClosed } from './standings.store.ts'

const StandingChange = Type.Object(
  {
    standing: StandingSchema,
    reason: Type.Optional(
      Type.String({
        maxLength: 255,
        description: 'Required unless `open`. People who can no longer log in, and programs, read it in the refusal.'
      })
    )
  },
  { $id: 'StandingChange' }
)

const StandingView = Type.Object(
  {
    id: Type.Integer(),
    standing: StandingSchema,
    reason: Type.String(),
    since: Nullable(Type.String({ format: 'date-time' }))
  },
  { $id: 'AccountStanding' }
)

const example = {
  body: { standing: 'suspended' as const, reason: 'The invoice of October is unpaid.' },
  answer: {
    id: 12,
    standing: 'suspended' as const,
    reason: 'The invoice of October is unpaid.',
    since: '2026-11-15T09:30:00.000Z'
  }
}

const DESCRIPTION =
  'From the moment of a suspension nobody logs in, keys and tokens are refused with `account_suspended` and the reason, and nothing leaves: a campaign stops, and scheduled messages wait. What a carrier already has can’t be called back. With `open` everything goes on. `closed` is final: sessions and keys end, messages that have not left are cancelled and refunded, webhooks are removed, and the credits of a sub-account return to the account above. Sub-accounts follow the account above. Closing needs the permission people.'

const CONFLICT =
  'The account is closed, it is the operator’s own, or the operator has set its standing; or the Idempotency-Key is in use.'

export const changeAccountStanding = (callers: Callers) =>
  operation({
    route: 'PUT /accounts/{id}/standing',
    id: 'changeAccountStanding',
    tag: 'Beyond',
    permission: 'account',
    summary: 'Suspend, resume or close an account (operator)',
    description: DESCRIPTION,
    body: StandingChange,
    answer: StandingView,
    example,
    missing: findMissingReason,
    refusals: { ...OPERATOR_ONLY, state_conflict: CONFLICT },
    async handle({ caller, params, body, database, afterCommit, record }) {
      refuseUnlessOperator(caller)
      const standing = await changeStanding(database, caller, { ...body, accountId: params.id, record })
      afterCommit(() => callers.forget(params.id))
      return standing
    }
  })

export const changeSubAccountStanding = (callers: Callers) =>
  operation({
    route: 'PUT /subaccount/{id}/standing',
    id: 'changeSubAccountStanding',
    tag: 'Beyond',
    permission: 'account',
    summary: 'Suspend, resume or close a sub-account',
    description: DESCRIPTION,
    body: StandingChange,
    answer: StandingView,
    example,
    missing: findMissingReason,
    refusals: { state_conflict: CONFLICT },
    async handle({ caller, params, body, database, afterCommit, record }) {
      const change = { ...body, accountId: params.id, parentId: caller.accountId, record }
      const standing = await changeStanding(database, caller, change)
      afterCommit(() => callers.forget(params.id))
      return standing
    }
  })

function findMissingReason({ standing, reason }: Partial<Static<typeof StandingChange>>): InputProblem[] {
  if (standing === 'open' || standing === undefined) return []
  const isGiven = typeof reason !== 'string' ? reason !== undefined : reason.trim() !== ''
  return isGiven ? [] : [{ path: 'reason', message: 'is missing: say why, such as “The invoice of October is unpaid”' }]
}

interface Change extends Static<typeof StandingChange> {
  accountId: number
  /** Only a sub-account of this account. */
  parentId?: number
  record(sql: Sql, act: Act): Promise<void>
}

async function changeStanding(
  database: Database,
  caller: Caller,
  { accountId, parentId, standing, reason = '', record }: Change
): Promise<Static<typeof StandingView>> {
  if (standing === 'closed') refuseWithout('people', caller)
  return database.begin(async (database) => {
    const account = await lockStanding(database, accountId)
    if (!account || (parentId !== undefined && account.parentId !== parentId)) {
      throw notFound(parentId === undefined ? 'account' : 'sub-account')
    }
    if (account.isOperator && standing !== 'open')
      throw conflict('The operator’s own account can’t be suspended or closed.')
    if (account.standing === 'closed') throw conflict('The account is closed, which is final.')
    const isOfOperator = account.standing !== 'open' && account.standingBy !== caller.accountId
    if (isOfOperator && !caller.isOperator) {
      throw conflict('The operator has suspended this sub-account, and only the operator can change that.')
    }
    const change = { accountId, reason: standing === 'open' ? '' : reason.trim(), by: caller.accountId }
    const { standingSince } =
      standing === 'closed'
        ? await updateToClosed(database, change)
        : await updateStanding(database, { ...change, standing })
    await record(database, {
      accountId,
      object: { kind: 'account', id: accountId },
      changes: { standing: [account.standing, standing], reason: [null, change.reason || null] }
    })
    return { id: accountId, standing, reason: change.reason, since: standingSince.toISOString() }
  })
}

function conflict(sentence: string): Refusal {
  return new Refusal(409, 'state_conflict', sentence)
}

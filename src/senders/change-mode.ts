import Type from 'typebox'
import { lockAccount } from '../accounts/accounts.store.ts'
import { type FindManaged, findForOperator, findForParent } from '../accounts/managed-account.ts'
import { OPERATOR_ONLY } from '../accounts/operator.ts'
import { operation } from '../http/operation.ts'
import { ModeView, OwnModeSchema } from './mode.ts'
import { raiseRegisterVersion } from './register.store.ts'
import type { SenderRegisterReader } from './register.ts'
import { deleteEmptyModes, findSenderModes, upsertModeByOperator, upsertModeByParent } from './sender-modes.store.ts'

const ModeChange = Type.Object({ mode: OwnModeSchema }, { $id: 'SenderModeChange' })

const DESCRIPTION =
  'How strictly the sender register binds the account. The operator’s word counts alone. A parent can make its sub-accounts stricter than it is itself, not looser.'

export const changeAccountSenderMode = (register: SenderRegisterReader) =>
  changeMode(
    {
      route: 'PUT /accounts/{id}/sender-mode',
      id: 'changeAccountSenderMode',
      summary: 'Set how strictly senders are checked (operator)',
      refusals: OPERATOR_ONLY
    },
    { register, find: findForOperator, isOperator: true }
  )

export const changeSubAccountSenderMode = (register: SenderRegisterReader) =>
  changeMode(
    {
      route: 'PUT /subaccount/{id}/sender-mode',
      id: 'changeSubAccountSenderMode',
      summary: 'Set how strictly a sub-account’s senders are checked',
      refusals: {}
    },
    { register, find: findForParent, isOperator: false }
  )

function changeMode<Route extends 'PUT /accounts/{id}/sender-mode' | 'PUT /subaccount/{id}/sender-mode'>(
  described: { route: Route; id: string; summary: string; refusals: Partial<typeof OPERATOR_ONLY> },
  { register, find, isOperator }: { register: SenderRegisterReader; find: FindManaged; isOperator: boolean }
) {
  return operation({
    ...described,
    tag: 'Beyond',
    permission: 'account',
    description: DESCRIPTION,
    body: ModeChange,
    answer: ModeView,
    example: { body: { mode: 'enforce' as const }, answer: { id: 12, mode: 'enforce' as const, effective: 'enforce' } },
    async handle({ caller, params, body: { mode }, database, afterCommit, record }) {
      const { id } = params as { id: number }
      const account = await database.begin(async (database) => {
        const account = await find(database, caller, id)
        await lockAccount(database, account.id)
        const before = await findSenderModes(database, account.id)
        await (isOperator ? upsertModeByOperator : upsertModeByParent)(database, account.id, mode)
        await deleteEmptyModes(database, account.id)
        await record(database, {
          accountId: account.id,
          object: { kind: 'account', id: account.id },
          changes: { sender_mode: [isOperator ? before.byOperator : before.byParent, mode] }
        })
        await raiseRegisterVersion(database)
        const after = isOperator ? { ...before, byOperator: mode } : { ...before, byParent: mode }
        return { ...account, effective: register.modeWith(account, after) }
      })
      afterCommit(() => register.wake())
      return { id: account.id, mode, effective: account.effective }
    }
  })
}

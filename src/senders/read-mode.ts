import { type FindManaged, findForOperator, findForParent } from '../accounts/managed-account.ts'
import { OPERATOR_ONLY } from '../accounts/operator.ts'
import { operation } from '../http/operation.ts'
import { ModeView } from './mode.ts'
import type { SenderRegisterReader } from './register.ts'
import { findSenderModes } from './sender-modes.store.ts'

export const readAccountSenderMode = (register: SenderRegisterReader) =>
  readMode(
    {
      route: 'GET /accounts/{id}/sender-mode',
      id: 'readAccountSenderMode',
      summary: 'How strictly senders are checked (operator)',
      refusals: OPERATOR_ONLY
    },
    { register, find: findForOperator, isOperator: true }
  )

export const readSubAccountSenderMode = (register: SenderRegisterReader) =>
  readMode(
    {
      route: 'GET /subaccount/{id}/sender-mode',
      id: 'readSubAccountSenderMode',
      summary: 'How strictly a sub-account’s senders are checked',
      refusals: {}
    },
    { register, find: findForParent, isOperator: false }
  )

function readMode<Route extends 'GET /accounts/{id}/sender-mode' | 'GET /subaccount/{id}/sender-mode'>(
  described: { route: Route; id: string; summary: string; refusals: Partial<typeof OPERATOR_ONLY> },
  { register, find, isOperator }: { register: SenderRegisterReader; find: FindManaged; isOperator: boolean }
) {
  return operation({
    ...described,
    tag: 'Beyond',
    permission: 'read',
    description: 'The mode that you have set for the account, and the one that binds it.',
    answer: ModeView,
    example: { answer: { id: 12, mode: null, effective: 'open' } },
    async handle({ caller, params, database }) {
      const { id } = params as { id: number }
      const account = await find(database, caller, id)
      const modes = await findSenderModes(database, account.id)
      const mode = isOperator ? modes.byOperator : modes.byParent
      return { id: account.id, mode, effective: register.modeWith(account, modes) }
    }
  })
}

import Type from 'typebox'
import { notFound } from '../errors.ts'
import { operation } from '../http/operation.ts'
import { CreditsModeSchema, SubAccountView, toSubAccountView } from './account.ts'
import { findSubAccount, updateCreditsMode } from './accounts.store.ts'
import { subAccountExample } from './examples.ts'

export const changeCreditsMode = operation({
  route: 'PUT /subaccount/{id}/credits/mode',
  id: 'changeCreditsMode',
  tag: 'Sous-Comptes',
  permission: 'account',
  summary: 'Change credits consumption mode',
  description:
    'Sets the credits that a sub-account spends from now on: its own (`self`) or those of this account (`parent`). A refund goes to the account that paid.',
  body: Type.Object({ credits_mode: CreditsModeSchema }, { $id: 'SubAccountChangeModeCredits' }),
  answer: SubAccountView,
  example: { body: { credits_mode: 'parent' }, answer: { ...subAccountExample, credits_mode: 'parent' } },
  async handle({ caller, params, body, database, record }) {
    const key = { parentId: caller.accountId, id: params.id }
    return database.begin(async (database) => {
      const before = await findSubAccount(database, key)
      if (!before) throw notFound('sub-account')
      await updateCreditsMode(database, { ...key, creditsMode: body.credits_mode })
      await record(database, {
        accountId: before.id,
        object: { kind: 'account', id: before.id },
        changes: { credits_mode: [before.creditsMode, body.credits_mode] }
      })
      return toSubAccountView({ ...before, creditsMode: body.credits_mode })
    })
  }
})

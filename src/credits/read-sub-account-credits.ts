import Type from 'typebox'
import { findSubAccount } from '../accounts/accounts.store.ts'
import { notFound } from '../errors.ts'
import { operation } from '../http/operation.ts'
import { CreditsView, creditsExample, toCreditsView } from './credit.ts'
import { listOwnCredits } from './credits.store.ts'

export const readSubAccountCredits = operation({
  route: 'GET /subaccount/{id}/credits',
  id: 'readSubAccountCredits',
  tag: 'Sous-Comptes',
  permission: 'read',
  summary: 'List a sub-account’s credits',
  description: 'The sub-account’s own credits, one record per message type, whatever its mode.',
  answer: Type.Array(CreditsView),
  example: { answer: creditsExample },
  async handle({ caller, params, database }) {
    const account = await findSubAccount(database, { parentId: caller.accountId, id: params.id })
    if (!account) throw notFound('sub-account')
    return (await listOwnCredits(database, account.id)).map(toCreditsView)
  }
})

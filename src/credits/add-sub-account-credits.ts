import Type from 'typebox'
import { operation } from '../http/operation.ts'
import { CreditsView, creditsExample, SubAccountCredits } from './credit.ts'
import { moveBetween } from './move-credits.ts'

export const addSubAccountCredits = operation({
  route: 'PUT /subaccount/{id}/credits/add',
  id: 'addSubAccountCredits',
  tag: 'Sous-Comptes',
  permission: 'account',
  summary: 'Add credits to a sub-account',
  description: 'Moves credits from this account to a sub-account, and answers the credits of the sub-account.',
  body: SubAccountCredits,
  answer: Type.Array(CreditsView),
  example: { body: { credits: 150, msgType: 1 }, answer: creditsExample },
  refusals: {
    insufficient_credits: 'This account has too few.',
    state_conflict: 'The sub-account is closed, or the Idempotency-Key is in use.'
  },
  handle: ({ caller, params, body, database, record }) =>
    moveBetween(database, { ...body, caller, subAccountId: params.id, direction: 'add', record })
})

import Type from 'typebox'
import { operation } from '../http/operation.ts'
import { CreditsView, creditsExample, SubAccountCredits } from './credit.ts'
import { moveBetween } from './move-credits.ts'

export const removeSubAccountCredits = operation({
  route: 'PUT /subaccount/{id}/credits/remove',
  id: 'removeSubAccountCredits',
  tag: 'Sous-Comptes',
  permission: 'account',
  summary: 'Remove credits from a sub-account',
  description: 'Moves credits from a sub-account back to this account, and answers the credits of the sub-account.',
  body: SubAccountCredits,
  answer: Type.Array(CreditsView),
  example: { body: { credits: 150, msgType: 1 }, answer: creditsExample },
  refusals: { insufficient_credits: 'The sub-account has too few.' },
  handle: ({ caller, params, body, database, record }) =>
    moveBetween(database, { ...body, caller, subAccountId: params.id, direction: 'remove', record })
})

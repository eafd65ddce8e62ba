import Type from 'typebox'
import { findAccount } from '../accounts/accounts.store.ts'
import { findActorName } from '../accounts/actors.store.ts'
import { refuseClosed } from '../accounts/managed-account.ts'
import { OPERATOR_ONLY, refuseUnlessOperator } from '../accounts/operator.ts'
import { insufficientCredits, invalidInput, notFound } from '../errors.ts'
import { operation } from '../http/operation.ts'
import {
  CREDITS_MAX,
  CreditsView,
  creditsExample,
  MESSAGE_TYPE_NAMES,
  MESSAGE_TYPES,
  SubAccountCredits,
  toCreditsView
} from './credit.ts'
import { listOwnCredits } from './credits.store.ts'
import { issueCredits, withdrawCredits } from './ledger.ts'
import { creditChanges } from './move-credits.ts'

export const adjustAccountCredits = operation({
  route: 'PUT /accounts/{id}/credits',
  id: 'adjustAccountCredits',
  tag: 'Beyond',
  permission: 'account',
  summary: 'Add or remove credits from outside (operator)',
  description:
    'Brings credits into an account from outside the service or, with a negative number, takes them out, and answers the credits of the account.',
  body: Type.Object(
    {
      credits: Type.Integer({
        minimum: -CREDITS_MAX,
        maximum: CREDITS_MAX,
        description: 'How many; negative takes away. Not 0.'
      }),
      msgType: SubAccountCredits.properties.msgType,
      note: SubAccountCredits.properties.note
    },
    { $id: 'AccountCredits' }
  ),
  answer: Type.Array(CreditsView),
  example: { body: { credits: 5_000, msgType: 1 }, answer: creditsExample },
  refusals: {
    ...OPERATOR_ONLY,
    insufficient_credits: 'The account has fewer than should be taken out.',
    state_conflict: 'A closed account gets no more credits. Or the Idempotency-Key is in use.'
  },
  async handle({ caller, params, body, database, record }) {
    refuseUnlessOperator(caller)
    if (body.credits === 0) throw invalidInput([{ path: 'credits', message: 'must not be 0' }])
    return database.begin(async (database) => {
      const account = await findAccount(database, params.id)
      if (!account) throw notFound('account')
      if (body.credits > 0) refuseClosed(account)
      const noted = { note: body.note, madeBy: await findActorName(database, caller) }
      const key = { accountId: account.id, messageType: body.msgType ?? MESSAGE_TYPES.sms }
      if (body.credits > 0) await issueCredits(database, { ...key, ...noted, amount: body.credits, reason: 'issue' })
      else {
        const movement = await withdrawCredits(database, { ...key, ...noted, amount: -body.credits })
        if (movement.kind === 'insufficient') throw insufficientCredits(movement, MESSAGE_TYPE_NAMES[key.messageType])
      }
      const after = (await listOwnCredits(database, account.id)).map(toCreditsView)
      await record(database, {
        accountId: account.id,
        object: { kind: 'account', id: account.id },
        changes: creditChanges(after, key.messageType, body.credits)
      })
      return after
    })
  }
})

import Type from 'typebox'
import { findAccount } from '../accounts/accounts.store.ts'
import { findActorName } from '../accounts/actors.store.ts'
import { refuseClosed } from '../accounts/managed-account.ts'
import { MESSAGE_TYPE_NAMES, toCreditsView } from '../credits/credit.ts'
import { listOwnCredits } from '../credits/credits.store.ts'
import { issueCredits, transferCredits } from '../credits/ledger.ts'
import { creditChanges } from '../credits/move-credits.ts'
import type { Database } from '../database/database.ts'
import { insufficientCredits, notFound } from '../errors.ts'
import type { Caller } from '../http/caller.ts'
import { operation } from '../http/operation.ts'
import {
  type CreditRequest,
  ReceivedRequestView,
  receivedExample,
  refuseAnswered,
  toReceivedView
} from './credit-request.ts'
import { findReceived, lockRequest, updateRequest } from './credit-requests.store.ts'
import { type MailSwitch, mailAnswer, recordRequestEvent } from './tell-request.ts'

const Answer = Type.Object(
  {
    state: Type.Enum(['given', 'declined']),
    note: Type.Optional(
      Type.String({
        maxLength: 255,
        description: 'The account that asked reads it. Given credits have it in the history of both accounts.'
      })
    )
  },
  { $id: 'CreditRequestAnswer' }
)

export const answerCreditRequest = (links: MailSwitch) =>
  operation({
    route: 'PUT /credit-requests/received/{id}',
    id: 'answerCreditRequest',
    tag: 'Beyond',
    permission: 'account',
    summary: 'Give or decline credits',
    description:
      'Gives the credits of a request, or declines it. Credits for a sub-account come from this account; what the operator gives to an account without one above comes from outside. A request is answered once. The account that asked gets the event `credit_requests`, and its owners a mail if mails are set up.',
    body: Answer,
    answer: ReceivedRequestView,
    example: {
      body: { state: 'given', note: 'For November' },
      answer: {
        ...receivedExample,
        state: 'given',
        answer: 'For November',
        answered_at: '2026-11-15T10:00:00.000Z',
        account: { ...receivedExample.account, credits: 5_040 }
      }
    },
    refusals: {
      insufficient_credits: 'This account has too few.',
      state_conflict:
        'It was answered or withdrawn before, or the account that asked is closed; or the Idempotency-Key is in use.'
    },
    async handle({ caller, params, body, database, record }) {
      const askedId = caller.accountId
      return database.begin(async (database) => {
        const request = await lockRequest(database, { askedId, id: params.id })
        if (!request) throw notFound('request')
        refuseAnswered(request)
        const note = body.note?.trim() ?? ''
        if (body.state === 'given') await give(database, caller, { ...request, note })
        const answered = await updateRequest(database, request, { state: body.state, answer: note })
        await recordRequestEvent(database, answered)
        if (links.isOn) await mailAnswer(database, answered)
        const { accountId, messageType, amount } = request
        const credits = (await listOwnCredits(database, accountId)).map(toCreditsView)
        await record(database, {
          accountId,
          object: { kind: 'credit request', id: request.id },
          changes: {
            state: [request.state, answered.state],
            note: [null, note || null],
            ...(body.state === 'given' && creditChanges(credits, messageType, amount))
          }
        })
        const shown = await findReceived(database, { askedId, id: params.id })
        if (!shown) throw notFound('request')
        return toReceivedView(shown)
      })
    }
  })

/** Moves the credits as `PUT /subaccount/{id}/credits/add` does, or from outside as the operator does. */
async function give(
  database: Database,
  caller: Caller,
  { accountId, askedId, messageType, amount, note }: CreditRequest
): Promise<void> {
  const account = await findAccount(database, accountId)
  if (!account) throw notFound('account')
  refuseClosed(account)
  const noted = { note, madeBy: await findActorName(database, caller) }
  if (account.parentId === null) {
    await issueCredits(database, { accountId, messageType, amount, reason: 'issue', ...noted })
    return
  }
  const movement = await transferCredits(database, { fromId: askedId, toId: accountId, messageType, amount, ...noted })
  if (movement.kind === 'insufficient') throw insufficientCredits(movement, MESSAGE_TYPE_NAMES[messageType])
}

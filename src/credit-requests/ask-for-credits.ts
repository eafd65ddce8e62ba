import { findOperatorId, lockAccount } from '../accounts/accounts.store.ts'
import { findActorName } from '../accounts/actors.store.ts'
import { listPayers } from '../credits/balances.store.ts'
import { MESSAGE_TYPES } from '../credits/credit.ts'
import type { Sql } from '../database/database.ts'
import { Refusal } from '../errors.ts'
import type { Caller } from '../http/caller.ts'
import { operation } from '../http/operation.ts'
import {
  CreditRequestView,
  NewCreditRequest,
  REQUESTS_PER_DAY_MAX,
  REQUESTS_WAITING_MAX,
  requestExample,
  toRequestView
} from './credit-request.ts'
import { countOpenRequests, insertRequest } from './credit-requests.store.ts'
import { type MailSwitch, mailRequest, recordRequestEvent } from './tell-request.ts'

const DAY_SECONDS = 86_400

export const askForCredits = (links: MailSwitch) =>
  operation({
    route: 'POST /credit-requests',
    id: 'askForCredits',
    tag: 'Beyond',
    permission: 'account',
    summary: 'Ask for credits',
    description:
      'Asks the account above for credits; an account without one above asks the operator. The other account gets the event `credit_requests`, and its owners a mail if mails are set up. Nothing moves until it gives the credits.',
    body: NewCreditRequest,
    answer: CreditRequestView,
    example: { body: { credits: 5_000, msgType: 1, note: 'Winter sale' }, answer: requestExample },
    refusals: {
      forbidden: 'The operator asks nobody: it adds credits to its own account.',
      state_conflict:
        'The account spends the credits of the account above, or has as many waiting requests as it may; or the Idempotency-Key is in use.',
      rate_limited: 'The account has asked too often today.'
    },
    async handle({ caller, body, database, record }) {
      const { accountId } = caller
      const messageType = body.msgType ?? MESSAGE_TYPES.sms
      return database.begin(async (database) => {
        const askedId = await findAsked(database, caller)
        // Requests of one account take turns: they are counted.
        await lockAccount(database, accountId)
        await refuseTooMany(database, accountId)
        const request = await insertRequest(database, {
          accountId,
          askedId,
          messageType,
          amount: body.credits,
          note: body.note?.trim() ?? '',
          askedBy: await findActorName(database, caller)
        })
        await recordRequestEvent(database, request)
        if (links.isOn) await mailRequest(database, request)
        await record(database, {
          object: { kind: 'credit request', id: request.id },
          changes: { credits: [null, request.amount], msgType: [null, messageType], note: [null, request.note || null] }
        })
        return toRequestView(request)
      })
    }
  })

/** The account that answers: the one above, or the operator. */
async function findAsked(sql: Sql, { accountId, parentId, isOperator }: Caller): Promise<number> {
  if (isOperator) {
    throw new Refusal(403, 'forbidden', 'The operator asks nobody for credits: it adds them to its own account.')
  }
  const [payer] = await listPayers(sql, [accountId])
  if (payer && payer.payerId !== accountId) {
    throw conflict('This account spends the credits of its parent account, and needs none of its own.')
  }
  const askedId = parentId ?? (await findOperatorId(sql))
  if (askedId === undefined) throw conflict('There is no operator to ask.')
  return askedId
}

async function refuseTooMany(sql: Sql, accountId: number): Promise<void> {
  const { waiting, today } = await countOpenRequests(sql, accountId)
  if (waiting >= REQUESTS_WAITING_MAX) {
    throw conflict(`An account can have ${REQUESTS_WAITING_MAX} requests that wait for an answer: withdraw one first.`)
  }
  if (today < REQUESTS_PER_DAY_MAX) return
  const sentence = `An account can ask for credits ${REQUESTS_PER_DAY_MAX} times a day: ask again tomorrow.`
  throw new Refusal(429, 'rate_limited', sentence, { retryAfterSeconds: DAY_SECONDS })
}

function conflict(sentence: string): Refusal {
  return new Refusal(409, 'state_conflict', sentence)
}

import Type, { type Static } from 'typebox'
import { type FindManaged, findForOperator, findForParent, refuseClosed } from '../accounts/managed-account.ts'
import { OPERATOR_ONLY } from '../accounts/operator.ts'
import { MESSAGE_TYPES, MessageTypeSchema } from '../credits/credit.ts'
import { type CreditMoney, insertCreditMoney, listCreditMoney } from '../credits/credit-money.store.ts'
import { invalidInput } from '../errors.ts'
import { operation } from '../http/operation.ts'
import { Currency, formatMoney, isCurrency, MONEY_PROBLEM, MoneyText, parseMoney } from '../prices/money.ts'

const CreditMoneyView = Type.Object(
  {
    account_id: Type.Integer(),
    account_name: Type.String(),
    msgType: MessageTypeSchema,
    price: Type.String({ description: 'Of one credit.' }),
    currency: Type.String(),
    valid_from: Type.String({ format: 'date-time' })
  },
  { $id: 'CreditMoney' }
)

const example: Static<typeof CreditMoneyView> = {
  account_id: 7,
  account_name: 'Boutique Lumière',
  msgType: 1,
  price: '0.0475',
  currency: 'EUR',
  valid_from: '2026-11-15T09:30:00.000Z'
}

function toView(money: CreditMoney & { name: string }): Static<typeof CreditMoneyView> {
  return {
    account_id: money.accountId,
    account_name: money.name,
    msgType: money.messageType,
    price: formatMoney(BigInt(money.amount), money.currency),
    currency: money.currency,
    valid_from: money.validFrom.toISOString()
  }
}

export const listCreditPrices = operation({
  route: 'GET /credit-prices',
  id: 'listCreditPrices',
  tag: 'Beyond',
  permission: 'account',
  summary: 'Prices of credits in money',
  description:
    'What a credit costs in money now: to the operator of all top-level accounts and its own sub-accounts, to a parent of its sub-accounts. They are for margins; nothing is charged by them.',
  answer: Type.Array(CreditMoneyView),
  example: { answer: [example] },
  async handle({ caller, database }) {
    const of = caller.isOperator ? ('buyers' as const) : { parentId: caller.accountId }
    return (await listCreditMoney(database, of)).map(toView)
  }
})

export const setAccountCreditPrice = setCreditPrice(
  {
    route: 'PUT /accounts/{id}/credit-price',
    id: 'setAccountCreditPrice',
    summary: 'Set the price of a credit of an account (operator)',
    refusals: OPERATOR_ONLY
  },
  findForOperator
)

export const setSubAccountCreditPrice = setCreditPrice(
  {
    route: 'PUT /subaccount/{id}/credit-price',
    id: 'setSubAccountCreditPrice',
    summary: 'Set the price of a credit of a sub-account',
    refusals: {}
  },
  findForParent
)

function setCreditPrice<Route extends 'PUT /accounts/{id}/credit-price' | 'PUT /subaccount/{id}/credit-price'>(
  described: { route: Route; id: string; summary: string; refusals: Partial<typeof OPERATOR_ONLY> },
  find: FindManaged
) {
  return operation({
    ...described,
    tag: 'Beyond',
    permission: 'account',
    description:
      'Says what a credit of the account costs in money from now on, for margins. Nothing is charged by it. Days before keep the price that they had.',
    body: Type.Object(
      { msgType: Type.Optional(MessageTypeSchema), price: MoneyText, currency: Currency },
      { $id: 'CreditMoneyChange' }
    ),
    answer: CreditMoneyView,
    example: { body: { msgType: 1, price: '0.0475', currency: 'EUR' }, answer: example },
    refusals: {
      ...described.refusals,
      not_found: 'There is no such account.',
      state_conflict: 'The account is closed.'
    },
    async handle({ caller, params, body, database, record }) {
      const { id } = params as { id: number }
      const messageType = body.msgType ?? MESSAGE_TYPES.sms
      const amount = parseMoney(body.price)
      if (amount === undefined) throw invalidInput([{ path: 'price', message: MONEY_PROBLEM }])
      if (!isCurrency(body.currency)) {
        throw invalidInput([{ path: 'currency', message: 'must be a code of ISO 4217, such as EUR' }])
      }
      return database.begin(async (database) => {
        const account = await find(database, caller, id)
        refuseClosed(account)
        const isMeant = (one: CreditMoney) => one.messageType === messageType
        const before = (await listCreditMoney(database, { accountId: id })).find(isMeant)
        await insertCreditMoney(database, {
          accountId: id,
          messageType,
          currency: body.currency,
          amount: Number(amount)
        })
        const after = (await listCreditMoney(database, { accountId: id })).filter(isMeant).map(toView)
        const [view] = after as [Static<typeof CreditMoneyView>]
        const shown = (one: Static<typeof CreditMoneyView> | undefined) => one && `${one.price} ${one.currency}`
        await record(database, {
          accountId: id,
          object: { kind: 'account', id },
          changes: { credit_price: [shown(before && toView(before)) ?? null, shown(view) ?? null] }
        })
        return view
      })
    }
  })
}

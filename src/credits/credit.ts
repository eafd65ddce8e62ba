import Type, { type Static } from 'typebox'
import type { Caller } from '../http/caller.ts'
import { Paginated } from '../http/paging.ts'
import { Nullable } from '../schemas/nullable.ts'
import type { CreditsRow } from './credits.store.ts'
import type { EntryRow } from './history.store.ts'

/** The types of credits: 1 SMS, 2 RCS. */
export const MESSAGE_TYPES = { sms: 1, rcs: 2 } as const
export const MESSAGE_TYPE_NAMES = { 1: 'SMS', 2: 'RCS' } as const
export type MessageTypeId = (typeof MESSAGE_TYPES)[keyof typeof MESSAGE_TYPES]

export const MessageTypeSchema = Type.Unsafe<MessageTypeId>({
  type: 'integer',
  enum: [MESSAGE_TYPES.sms, MESSAGE_TYPES.rcs],
  description: '1 SMS, 2 RCS.'
})

/** The largest movement; sums of movements stay far below the largest exact JSON number. */
export const CREDITS_MAX = 1_000_000_000

export const CreditsView = Type.Object(
  {
    msgType: MessageTypeSchema,
    label: Type.String(),
    credits: Type.Integer(),
    price: Type.Number({ description: 'Unit price in euros: of this account where one is set, else the usual one.' }),
    unit_price: Nullable(
      Type.String({ description: 'The price of a credit that is set for this account, exactly, such as `0.0475`.' })
    ),
    currency: Nullable(Type.String({ description: 'Of `unit_price`: ISO 4217, such as `EUR`.' }))
  },
  { $id: 'CreditsRo' }
)

export const SubAccountCredits = Type.Object(
  {
    credits: Type.Integer({ minimum: 1, maximum: CREDITS_MAX, description: 'The number of credits, from 1.' }),
    msgType: Type.Optional(Type.Unsafe<MessageTypeId>({ ...MessageTypeSchema, default: MESSAGE_TYPES.sms })),
    note: Type.Optional(
      Type.String({ maxLength: 255, description: 'Stands in the history of credits of both accounts.' })
    )
  },
  { $id: 'SubAccountCredits' }
)

export const EntryView = Type.Object(
  {
    id: Type.Integer({ description: 'Counts from 1 for each account and message type, without gaps.' }),
    msgType: MessageTypeSchema,
    reason: Type.Enum(['opening', 'issue', 'withdrawal', 'transfer', 'reserve', 'spend', 'refund', 'settle']),
    amount: Type.Integer({ description: 'By how much the credits changed.' }),
    balance: Type.Integer({ description: 'The credits after it.' }),
    reserved: Type.Integer({ description: 'The change of the credits that are reserved for messages.' }),
    spent: Type.Integer({ description: 'The change of the spent credits.' }),
    reference: Nullable(Type.String({ description: 'The message or transfer behind the entry.' })),
    subaccount_id: Nullable(Type.Integer({ description: 'The sub-account that got, gave or spent the credits.' })),
    note: Nullable(Type.String({ description: 'What was written about the movement.' })),
    made_by: Nullable(
      Type.String({
        description: 'The name of the person or key that moved the credits; null for those of an account above.'
      })
    ),
    created_at: Type.String({ format: 'date-time' })
  },
  { $id: 'CreditEntry' }
)

export const EntryPage = Paginated(EntryView, 'CreditEntryList')

export const creditsExample: Static<typeof CreditsView>[] = [
  { msgType: 1, label: 'SMS', credits: 9_850, price: 0.0475, unit_price: '0.0475', currency: 'EUR' },
  { msgType: 2, label: 'RCS', credits: 10_000, price: 0.08, unit_price: null, currency: null }
]

export const entryPageExample: Static<typeof EntryPage> = {
  items: [
    {
      id: 2,
      msgType: 1,
      reason: 'transfer',
      amount: -150,
      balance: 9_850,
      reserved: 0,
      spent: 0,
      reference: null,
      subaccount_id: 12,
      note: 'Order 2026-118',
      made_by: 'Léa Martin',
      created_at: '2026-11-15T09:30:00.000Z'
    }
  ],
  meta: { itemCount: 1, totalItems: 2, itemsPerPage: 1, totalPages: 2, currentPage: 1 }
}

export function toCreditsView(row: CreditsRow): Static<typeof CreditsView> {
  const { messageType, label, available, price, unitPrice, currency } = row
  return { msgType: messageType, label, credits: available, price: Number(price), unit_price: unitPrice, currency }
}

/**
 * A sub-account sees nothing of the account above: `isParent` says whether the other side may be named. Nobody learns who
 * works for an account above. Credits are transferred by the account above, and issued or withdrawn by the operator.
 */
export function toEntryView(
  entry: EntryRow,
  { accountId, isParent, caller }: { accountId: number; isParent: boolean; caller: Caller }
): Static<typeof EntryView> {
  const isByCaller = entry.reason === 'transfer' ? caller.parentId === null : caller.isOperator
  return {
    id: entry.position,
    msgType: entry.messageType,
    reason: entry.reason,
    amount: entry.available,
    balance: entry.availableAfter,
    reserved: entry.reserved,
    spent: entry.spent,
    reference: entry.reference,
    subaccount_id: isParent ? (entry.counterpartyId ?? otherSpender(entry, accountId)) : null,
    note: entry.note,
    made_by: isByCaller ? entry.madeBy : null,
    created_at: entry.createdAt.toISOString()
  }
}

function otherSpender({ spenderId }: EntryRow, accountId: number): number | null {
  return spenderId === accountId ? null : spenderId
}

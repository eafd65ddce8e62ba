import Type, { type Static } from 'typebox'
import type { Account } from '../accounts/account.ts'
import { MESSAGE_TYPES, type MessageTypeId, MessageTypeSchema } from '../credits/credit.ts'
import { Paginated } from '../http/paging.ts'
import { Nullable } from '../schemas/nullable.ts'
import { daysOf } from './month.ts'
import type { MonthBalance, MonthUse, Statement } from './statements.store.ts'

/* A statement of credits: what an account had, got, used and has left, over a month of UTC. */

const Amounts = {
  added: Type.Integer({ description: 'Credits that came: from outside, or from another account.' }),
  removed: Type.Integer({ description: 'Credits that were taken out, or given to another account.' }),
  used: Type.Integer({ description: 'Credits that were taken for messages accepted in this month.' }),
  refunded: Type.Integer({ description: 'Credits of messages that came back in this month, whenever they were taken.' })
}

const Month = Type.String({ description: 'As YYYY-MM; months are those of UTC.' })

const BalanceView = Type.Object(
  {
    msgType: MessageTypeSchema,
    opening: Type.Integer({ description: 'The credits at the beginning of the month.' }),
    ...Amounts,
    closing: Type.Integer({ description: 'opening + added - removed - used + refunded.' })
  },
  { $id: 'StatementBalance' }
)

const head = {
  month: Month,
  number: Nullable(Type.Integer({ description: 'Counts from 1 without gaps; null for a provisional statement.' })),
  is_provisional: Type.Boolean({
    description: 'Whether the month goes on, or is not closed yet: the sums may change.'
  }),
  closed_at: Nullable(Type.String({ format: 'date-time' })),
  balances: Type.Array(BalanceView)
}

export const StatementHead = Type.Object(head, { $id: 'StatementHead' })

const Used = { used: Amounts.used, refunded: Amounts.refunded }

export const StatementView = Type.Object(
  {
    ...head,
    from: Type.String({ format: 'date', description: 'The first day.' }),
    to: Type.String({ format: 'date', description: 'The last day.' }),
    account: Type.Object({ id: Type.Integer(), name: Type.String({ description: 'As it was at the closing.' }) }),
    issuer: Type.Object({ name: Type.String(), address: Type.String({ description: 'Its lines.' }) }),
    countries: Type.Array(
      Type.Object({
        msgType: MessageTypeSchema,
        country: Nullable(Type.String({ description: 'ISO code; null where it is unknown.' })),
        ...Used
      })
    ),
    senders: Type.Array(
      Type.Object({
        msgType: MessageTypeSchema,
        sender: Nullable(Type.String({ description: 'Null where it is unknown.' })),
        ...Used
      })
    ),
    sub_accounts: Type.Array(
      Type.Object({
        msgType: MessageTypeSchema,
        subaccount_id: Type.Integer(),
        name: Type.String(),
        added: Type.Integer({ description: 'Credits that came from it.' }),
        removed: Type.Integer({ description: 'Credits that were given to it.' }),
        ...Used
      }),
      {
        description:
          'What sub-accounts used of these credits, and the credits that moved between them and this account.'
      }
    )
  },
  { $id: 'Statement' }
)

const page = Paginated(StatementHead, 'StatementPage')

export const StatementList = Type.Object(
  {
    ...page.properties,
    provisional: Type.Array(Type.String(), {
      description: 'The months that are not closed yet, newest first: each can be read as a provisional statement.'
    })
  },
  { $id: 'StatementList' }
)

/** The lines of a statement, as CSV has them: they sum up to the closing balance. */
export const StatementLine = Type.Object(
  {
    month: Month,
    number: Nullable(Type.Integer()),
    msgType: MessageTypeSchema,
    kind: Type.Enum(['opening', 'added', 'removed', 'used', 'refunded', 'closing']),
    subaccount_id: Nullable(Type.Integer()),
    country: Nullable(Type.String()),
    sender: Nullable(Type.String()),
    credits: Type.Integer({
      description: 'Negative for `removed` and `used`. The lines before `closing` add up to it, by msgType.'
    })
  },
  { $id: 'StatementLine' }
)

/** A statement with all of its sums, closed or not. */
export interface WholeStatement {
  account: Pick<Account, 'id' | 'parentId'>
  month: string
  /** Undefined for a provisional one. */
  closed: Pick<Statement, 'number' | 'closedAt'> | undefined
  accountName: string
  issuerName: string
  issuerAddress: string
  balances: readonly MonthBalance[]
  uses: readonly MonthUse[]
}

export function toStatementHead({
  month,
  closed,
  balances
}: Pick<WholeStatement, 'month' | 'closed' | 'balances'>): Static<typeof StatementHead> {
  return {
    month,
    number: closed?.number ?? null,
    is_provisional: closed === undefined,
    closed_at: closed?.closedAt.toISOString() ?? null,
    balances: balances.map(({ messageType, opening, added, removed, used, refunded, closing }) => {
      return { msgType: messageType, opening, added, removed, used, refunded, closing }
    })
  }
}

export function toStatementView(statement: WholeStatement): Static<typeof StatementView> {
  const { account, month, uses } = statement
  const { from, before } = daysOf(month)
  const ofMessages = uses.filter(isOfMessages)
  return {
    ...toStatementHead(statement),
    from,
    to: Temporal.PlainDate.from(before).subtract({ days: 1 }).toString(),
    account: { id: account.id, name: statement.accountName },
    issuer: { name: statement.issuerName, address: statement.issuerAddress },
    countries: sumBy(ofMessages, ({ country }) => country).map(({ key, messageType, used, refunded }) => {
      return { msgType: messageType, country: key || null, used, refunded }
    }),
    senders: sumBy(ofMessages, ({ sender }) => sender).map(({ key, messageType, used, refunded }) => {
      return { msgType: messageType, sender: key || null, used, refunded }
    }),
    sub_accounts: sumBy(uses.filter(isBelow(account)), ({ otherId }) => otherId).map(({ key, otherName, ...sums }) => {
      const { messageType, added, removed, used, refunded } = sums
      return { msgType: messageType, subaccount_id: key, name: otherName, added, removed, used, refunded }
    })
  }
}

export function toStatementLines(statement: WholeStatement): Static<typeof StatementLine>[] {
  const { account, month, closed, balances, uses } = statement
  const isOther = isBelow(account)
  return balances.flatMap(({ messageType, opening, closing }): Static<typeof StatementLine>[] => {
    const line = { month, number: closed?.number ?? null, msgType: messageType }
    const edge = { ...line, subaccount_id: null, country: null, sender: null }
    const moved = uses
      .filter((use) => use.messageType === messageType)
      .flatMap((use) => {
        const { otherId, country, sender } = use
        const of = {
          ...line,
          subaccount_id: isOther(use) ? otherId : null,
          country: country || null,
          sender: sender || null
        }
        const kinds = [
          { ...of, kind: 'added' as const, credits: use.added },
          { ...of, kind: 'removed' as const, credits: -use.removed },
          { ...of, kind: 'used' as const, credits: -use.used },
          { ...of, kind: 'refunded' as const, credits: use.refunded }
        ]
        return kinds.filter(({ credits }) => credits !== 0)
      })
    return [{ ...edge, kind: 'opening', credits: opening }, ...moved, { ...edge, kind: 'closing', credits: closing }]
  })
}

function isOfMessages({ used, refunded }: MonthUse): boolean {
  return used !== 0 || refunded !== 0
}

/** A sub-account sees nothing of the account above: its transfers name nobody. */
function isBelow({ id, parentId }: WholeStatement['account']): (use: MonthUse) => boolean {
  return ({ otherId }) => parentId === null && otherId !== 0 && otherId !== id
}

interface Group<Key> {
  key: Key
  messageType: MessageTypeId
  otherName: string
  added: number
  removed: number
  used: number
  refunded: number
}

/** By message type and key, the largest first. */
function sumBy<Key extends string | number>(uses: readonly MonthUse[], keyOf: (use: MonthUse) => Key): Group<Key>[] {
  const groups = new Map<string, Group<Key>>()
  for (const use of uses) {
    const { messageType, otherName } = use
    const key = keyOf(use)
    const name = `${messageType} ${key}`
    const group = groups.get(name) ?? { key, messageType, otherName, added: 0, removed: 0, used: 0, refunded: 0 }
    for (const amount of ['added', 'removed', 'used', 'refunded'] as const) group[amount] += use[amount]
    groups.set(name, group)
  }
  return [...groups.values()].sort(
    (a, b) => a.messageType - b.messageType || b.used - a.used || (a.key < b.key ? -1 : 1)
  )
}

export const headExample: Static<typeof StatementHead> = {
  month: '2026-10',
  number: 118,
  is_provisional: false,
  closed_at: '2026-11-01T01:00:30.000Z',
  balances: [
    {
      msgType: MESSAGE_TYPES.sms,
      opening: 1_200,
      added: 5_000,
      removed: 150,
      used: 4_010,
      refunded: 12,
      closing: 2_052
    }
  ]
}

export const statementExample: Static<typeof StatementView> = {
  ...headExample,
  from: '2026-10-01',
  to: '2026-10-31',
  account: { id: 3, name: 'My Shop' },
  issuer: { name: 'Example Messaging SAS', address: '1 rue de la Paix\n75002 Paris' },
  countries: [
    { msgType: 1, country: 'FR', used: 3_900, refunded: 12 },
    { msgType: 1, country: 'BE', used: 110, refunded: 0 }
  ],
  senders: [{ msgType: 1, sender: 'MYSHOP', used: 4_010, refunded: 12 }],
  sub_accounts: [{ msgType: 1, subaccount_id: 12, name: 'My Shop Lyon', added: 0, removed: 150, used: 0, refunded: 0 }]
}

import Type from 'typebox'
import { listAccountRows } from '../account-lists/account-rows.store.ts'
import { operation } from '../http/operation.ts'
import { PageQuery, Paginated, toPage } from '../http/paging.ts'
import { openFindings } from './findings.ts'
import { ModeSchema } from './mode.ts'
import type { SenderRegisterReader } from './register.ts'
import { SenderView, StateSchema, senderExample, toSenderView } from './sender.ts'
import { countRequests, listRequests } from './senders.store.ts'

const RequestView = Type.Object(
  {
    ...SenderView.properties,
    is_by_operator: Type.Boolean({ description: 'Whether the operator decided: then only the operator changes it.' }),
    account: Type.Object({
      id: Type.Integer(),
      parent_id: Type.Unsafe<number | null>({ type: ['integer', 'null'] }),
      name: Type.String(),
      email: Type.String(),
      created_at: Type.String({ format: 'date-time' }),
      sent_30_days: Type.Integer({ description: 'What the account sent within 30 days.' }),
      mode: ModeSchema
    })
  },
  { $id: 'SenderRequest' }
)

export const pageSenderRequests = (register: SenderRegisterReader) =>
  operation({
    route: 'GET /sender-requests',
    id: 'pageSenderRequests',
    tag: 'Beyond',
    permission: 'read',
    summary: 'Senders to decide on',
    description:
      'Senders that accounts have declared, those that wait first: of all accounts for the operator, of its sub-accounts for any other account. Each comes with what is needed to decide.',
    query: Type.Object({
      ...PageQuery.properties,
      state: Type.Optional(StateSchema),
      search: Type.Optional(
        Type.String({ maxLength: 255, description: 'A part of the sender, or of the name of the account.' })
      )
    }),
    answer: Paginated(RequestView, 'SenderRequestList'),
    example: {
      answer: toPage(
        [
          {
            ...senderExample,
            is_by_operator: false,
            account: {
              id: 12,
              parent_id: null,
              name: 'My Shop',
              email: 'lea@shop.example',
              created_at: '2026-11-01T09:30:00.000Z',
              sent_30_days: 1_250,
              mode: 'enforce' as const
            }
          }
        ],
        { page: 1, limit: 10, totalItems: 1 }
      )
    },
    async handle({ caller, query: { page, limit, state, search }, database }) {
      const filter = { parentId: caller.isOperator ? undefined : caller.accountId, state, search: search || undefined }
      const [totalItems, rows, findingsOf] = await Promise.all([
        countRequests(database, filter),
        listRequests(database, filter, { offset: (page - 1) * limit, limit }),
        openFindings(database)
      ])
      const ids = [...new Set(rows.map(({ accountId }) => accountId))]
      const order = { sort: 'created', direction: 'asc', offset: 0, limit: ids.length } as const
      const accounts = new Map((await listAccountRows(database, { ids }, order)).map((row) => [row.id, row]))
      const items = rows.map((row) => {
        const account = accounts.get(row.accountId)
        const wanted = { ...row, topLevelId: row.parentId ?? row.accountId }
        return {
          ...toSenderView(row, findingsOf(wanted), { isForDecider: caller.isOperator }),
          is_by_operator: row.isByOperator,
          account: {
            id: row.accountId,
            parent_id: row.parentId,
            name: account?.socialReason ?? '',
            email: account?.email ?? '',
            created_at: (account?.createdAt ?? row.createdAt).toISOString(),
            sent_30_days: account?.sent30Days ?? 0,
            mode: register.modeOf({ id: row.accountId, parentId: row.parentId })
          }
        }
      })
      return toPage(items, { page, limit, totalItems })
    }
  })

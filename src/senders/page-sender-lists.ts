import Type, { type Static } from 'typebox'
import { OPERATOR_ONLY, refuseUnlessOperator } from '../accounts/operator.ts'
import { operation } from '../http/operation.ts'
import { PageQuery, Paginated, toPage } from '../http/paging.ts'
import { Nullable } from '../schemas/nullable.ts'
import { countEntries, LIST_KINDS, type ListEntry, pageEntries } from './sender-lists.store.ts'

export const EntryView = Type.Object(
  {
    id: Type.Integer(),
    name: Type.String(),
    kind: Type.Enum([...LIST_KINDS], {
      description:
        '`forbidden`: the name and its look-alikes. `word`: no name may hold it. `reserved`: for one account.'
    }),
    account_id: Nullable(Type.Integer({ description: 'The account that a name is reserved for.' })),
    note: Type.String(),
    created_at: Type.String({ format: 'date-time' })
  },
  { $id: 'SenderListEntry' }
)

export function toEntryView({ accountId, createdAt, ...entry }: ListEntry): Static<typeof EntryView> {
  const { id, name, kind, note } = entry
  return { id, name, kind, account_id: accountId, note, created_at: createdAt.toISOString() }
}

const entryExample: Static<typeof EntryView> = {
  id: 3,
  name: 'MYBANK',
  kind: 'reserved',
  account_id: 12,
  note: 'Letter of 3 November 2026.',
  created_at: '2026-11-15T09:30:00.000Z'
}

export const pageSenderLists = operation({
  route: 'GET /sender-lists',
  id: 'pageSenderLists',
  tag: 'Beyond',
  permission: 'read',
  summary: 'Forbidden and reserved names (operator)',
  description: 'The lists that declarations of senders are checked against, by name.',
  query: Type.Object({
    ...PageQuery.properties,
    kind: Type.Optional(Type.Enum([...LIST_KINDS])),
    search: Type.Optional(Type.String({ maxLength: 255, description: 'A part of the name, or of the note.' }))
  }),
  answer: Paginated(EntryView, 'SenderListEntries'),
  example: { answer: toPage([entryExample], { page: 1, limit: 10, totalItems: 1 }) },
  refusals: OPERATOR_ONLY,
  async handle({ caller, query: { page, limit, kind, search }, database }) {
    refuseUnlessOperator(caller)
    const filter = { kind, search: search || undefined }
    const [totalItems, entries] = await Promise.all([
      countEntries(database, filter),
      pageEntries(database, filter, { offset: (page - 1) * limit, limit })
    ])
    return toPage(entries.map(toEntryView), { page, limit, totalItems })
  }
})

import Type from 'typebox'
import { operation } from '../http/operation.ts'
import { ID_MAX } from '../schemas/ids.ts'
import { Nullable } from '../schemas/nullable.ts'
import { auditFilters, readFilter } from './audit-query.ts'
import { AuditEntryView, auditEntryExample, toEntryView } from './entry.ts'
import { listEntriesBefore } from './trail.store.ts'

export const pageAudit = operation({
  route: 'GET /audit',
  id: 'pageAudit',
  tag: 'Beyond',
  permission: 'people',
  summary: 'Audit trail',
  description:
    'Who did what, when and from where, newest first. An act of an account on another account, such as a parent on its sub-account, is in the trails of both. Secrets, contents of messages and personal data of contacts are never kept: only that they changed. Ask again with `next` as `before` for older entries.',
  query: Type.Object({
    ...auditFilters,
    before: Type.Optional(
      Type.Integer({ minimum: 1, maximum: ID_MAX, description: 'The `next` of an answer: entries older than it.' })
    ),
    limit: Type.Integer({ minimum: 1, maximum: 1000, default: 50, description: 'How many entries an answer has.' })
  }),
  answer: Type.Object(
    {
      items: Type.Array(AuditEntryView),
      next: Nullable(Type.Integer({ description: 'The `before` of older entries; null when there are none.' }))
    },
    { $id: 'AuditPage' }
  ),
  example: { answer: { items: [auditEntryExample], next: null } },
  refusals: {
    forbidden: 'The trails of all accounts are for the operator.',
    not_found: 'There is no such sub-account.'
  },
  mayLag: true,
  async handle({ caller, query, database }) {
    const { before = ID_MAX, limit } = query
    const filter = await readFilter(database, caller, query)
    const entries = await listEntriesBefore(database, filter, { beforeId: before, limit: limit + 1 })
    const shown = entries.slice(0, limit)
    return {
      items: shown.map((entry) => toEntryView(entry, { caller, readAccountId: filter.accountId })),
      next: entries.length > limit ? (shown.at(-1)?.id ?? null) : null
    }
  }
})

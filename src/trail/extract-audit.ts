import Type, { type Static } from 'typebox'
import type { Sql } from '../database/database.ts'
import type { Caller } from '../http/caller.ts'
import { EXTRACT_CHUNK, extract } from '../http/extract.ts'
import { ID_MAX } from '../schemas/ids.ts'
import { auditFilters, readFilter } from './audit-query.ts'
import { AuditEntryView, auditEntryExample, toEntryView } from './entry.ts'
import { listEntriesBefore } from './trail.store.ts'

const Query = Type.Object(auditFilters)

export const extractAudit = extract({
  route: 'GET /audit/extract',
  id: 'extractAudit',
  tag: 'Beyond',
  permission: 'people',
  summary: 'Audit trail, full extract',
  description: 'The audit trail, newest first, streamed: as JSON or, with `Accept: text/csv`, as CSV.',
  query: Query,
  row: AuditEntryView,
  example: { answer: [auditEntryExample] },
  refusals: {
    forbidden: 'The trails of all accounts are for the operator.',
    not_found: 'There is no such sub-account.'
  },
  mayLag: true,
  handle: ({ caller, query, database }) => readTrail(database, caller, query)
})

async function* readTrail(sql: Sql, caller: Caller, query: Static<typeof Query>) {
  const filter = await readFilter(sql, caller, query)
  let beforeId = ID_MAX
  while (true) {
    const entries = await listEntriesBefore(sql, filter, { beforeId, limit: EXTRACT_CHUNK })
    yield entries.map((entry) => toEntryView(entry, { caller, readAccountId: filter.accountId }))
    const last = entries.at(-1)
    if (!last || entries.length < EXTRACT_CHUNK) return
    beforeId = last.id
  }
}

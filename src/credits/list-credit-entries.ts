import Type, { type Static } from 'typebox'
import { findSubAccount } from '../accounts/accounts.store.ts'
import type { Sql } from '../database/database.ts'
import { notFound } from '../errors.ts'
import type { Caller } from '../http/caller.ts'
import { operation } from '../http/operation.ts'
import { PageQuery, pageWindow, toPage } from '../http/paging.ts'
import { EntryPage, entryPageExample, MessageTypeSchema, toEntryView } from './credit.ts'
import { listEntriesOfPage, listEntryCounts } from './history.store.ts'

const EntryQuery = Type.Object({
  ...PageQuery.properties,
  msgType: Type.Optional(
    Type.Unsafe<Static<typeof MessageTypeSchema>>({
      ...MessageTypeSchema,
      description: '1 SMS, 2 RCS; both unless given.'
    })
  )
})

export const listCreditEntries = operation({
  route: 'GET /users/credits/history',
  id: 'listCreditEntries',
  tag: 'Beyond',
  permission: 'read',
  summary: 'History of my credits',
  description:
    'Every change of this account’s own credits, newest first, with its reason and reference: of all message types, or of the one that `msgType` names. Ids count by message type.',
  query: EntryQuery,
  answer: EntryPage,
  example: { answer: entryPageExample },
  mayLag: true,
  handle: ({ caller, query, database }) =>
    readPage(database, { ...query, accountId: caller.accountId, isParent: caller.parentId === null, caller })
})

export const listSubAccountCreditEntries = operation({
  route: 'GET /subaccount/{id}/credits/history',
  id: 'listSubAccountCreditEntries',
  tag: 'Beyond',
  permission: 'read',
  summary: 'History of a sub-account’s credits',
  description:
    'Every change of a sub-account’s own credits, newest first: of all message types, or of the one that `msgType` names.',
  query: EntryQuery,
  answer: EntryPage,
  example: { answer: entryPageExample },
  mayLag: true,
  async handle({ caller, params, query, database }) {
    const account = await findSubAccount(database, { parentId: caller.accountId, id: params.id })
    if (!account) throw notFound('sub-account')
    return readPage(database, { ...query, accountId: account.id, isParent: false, caller })
  }
})

async function readPage(
  sql: Sql,
  {
    accountId,
    msgType,
    isParent,
    caller,
    ...page
  }: Static<typeof EntryQuery> & { accountId: number; isParent: boolean; caller: Caller }
): Promise<Static<typeof EntryPage>> {
  const counts = await listEntryCounts(sql, { accountId, messageType: msgType })
  const totalItems = counts.reduce((sum, { entryCount }) => sum + entryCount, 0)
  const entries = await listEntriesOfPage(sql, { accountId, counts, window: pageWindow({ ...page, totalItems }) })
  return toPage(
    entries.map((entry) => toEntryView(entry, { accountId, isParent, caller })),
    { ...page, totalItems }
  )
}

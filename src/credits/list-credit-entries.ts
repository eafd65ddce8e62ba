import Type, { type Static } from 'typebox'
import { findSubAccount } from '../accounts/accounts.store.ts'
import type { Sql } from '../database/database.ts'
import { notFound } from '../errors.ts'
import { operation } from '../http/operation.ts'
import { PageQuery, toPage } from '../http/paging.ts'
import { EntryPage, entryPageExample, MESSAGE_TYPES, MessageTypeSchema, toEntryView } from './credit.ts'
import { countEntries, listEntriesOfPage } from './credits.store.ts'

const EntryQuery = Type.Object({
  ...PageQuery.properties,
  msgType: Type.Unsafe<Static<typeof MessageTypeSchema>>({ ...MessageTypeSchema, default: MESSAGE_TYPES.sms })
})

export const listCreditEntries = operation({
  route: 'GET /users/credits/history',
  id: 'listCreditEntries',
  tag: 'Beyond',
  summary: 'History of my credits',
  description:
    'Every change of this account’s own credits of one message type, newest first, with its reason and reference.',
  query: EntryQuery,
  answer: EntryPage,
  example: { answer: entryPageExample },
  handle: ({ caller, query, database }) =>
    readPage(database, { ...query, accountId: caller.accountId, isParent: caller.parentId === null })
})

export const listSubAccountCreditEntries = operation({
  route: 'GET /subaccount/{id}/credits/history',
  id: 'listSubAccountCreditEntries',
  tag: 'Beyond',
  summary: 'History of a sub-account’s credits',
  description: 'Every change of a sub-account’s own credits of one message type, newest first.',
  query: EntryQuery,
  answer: EntryPage,
  example: { answer: entryPageExample },
  async handle({ caller, params, query, database }) {
    const account = await findSubAccount(database, { parentId: caller.accountId, id: params.id })
    if (!account) throw notFound('sub-account')
    return readPage(database, { ...query, accountId: account.id, isParent: false })
  }
})

async function readPage(
  sql: Sql,
  { accountId, msgType, isParent, ...page }: Static<typeof EntryQuery> & { accountId: number; isParent: boolean }
): Promise<Static<typeof EntryPage>> {
  const key = { accountId, messageType: msgType }
  const totalItems = await countEntries(sql, key)
  const entries = await listEntriesOfPage(sql, { ...key, ...page, totalItems })
  return toPage(
    entries.map((entry) => toEntryView(entry, { ...key, isParent })),
    { ...page, totalItems }
  )
}

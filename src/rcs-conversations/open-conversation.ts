import { listParents } from '../accounts/accounts.store.ts'
import { databaseNow } from '../database/clock.ts'
import type { Sql } from '../database/database.ts'
import type { PriceBook } from '../prices/price.ts'
import { insertConversation, isAnyOpen, lockPerson } from './rcs-conversations.store.ts'

/**
 * A reply by RCS opens a conversation, if the price list of the account sells it and none is open. Runs in the transaction that
 * stores the reply. Two replies at once take turns by a lock, so that one of them opens it.
 */
export async function openConversation(
  sql: Sql,
  { accountId, phone }: { accountId: number; phone: string },
  prices: PriceBook
): Promise<void> {
  if (!prices.sellsConversations) return
  const parents = await listParents(sql, [accountId])
  const account = { accountId, parentId: parents.get(accountId) ?? null }
  const price = prices.forAccount(account, databaseNow()).conversation(phone)
  if (price === undefined) return
  await lockPerson(sql, { accountId, phone })
  if (await isAnyOpen(sql, { accountId, phone })) return
  await insertConversation(sql, { accountId, phone, price })
}

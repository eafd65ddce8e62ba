import type { Database } from '../database/database.ts'
import { deleteConversationsOf, lockConversationsOf } from '../rcs-conversations/rcs-conversations.store.ts'
import { settleConversationsOf } from '../rcs-conversations/settle-conversations.ts'
import { eraseRecipients, lockRecipientsByPhone } from '../recipients/erasures.store.ts'

/**
 * Erases a number from messages that were accepted before a time. Conversations by RCS find their messages by the number, so
 * they are settled first. They stay as long as a message to the number is under way.
 */
export async function eraseMessages(
  database: Database,
  erasure: { accountId: number; phone: string; before: Date }
): ReturnType<typeof eraseRecipients> {
  if ((await lockConversationsOf(database, erasure)).length > 0) {
    // No RCS is delivered between its settlement and its erasure.
    await lockRecipientsByPhone(database, erasure)
    await settleConversationsOf(database, erasure)
  }
  const erased = await eraseRecipients(database, erasure)
  if (erased.underWayCount === 0) await deleteConversationsOf(database, erasure)
  return erased
}

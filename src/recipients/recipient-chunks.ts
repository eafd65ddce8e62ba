import { strict as assert } from 'node:assert'
import type { Sql } from '../database/database.ts'
import { EXTRACT_CHUNK } from '../http/extract.ts'
import type { Message } from '../messages/message.ts'
import type { MessageKey } from '../messages/messages.store.ts'
import type { Recipient } from './recipient.ts'
import { listRecipientsAfter } from './recipients.store.ts'

/** All recipients of a message, in the order of the request. */
export async function* readRecipientChunks(
  sql: Sql,
  key: MessageKey,
  { recipientsCount }: Message
): AsyncGenerator<Recipient[]> {
  for (let afterPosition = 0; afterPosition < recipientsCount; afterPosition += EXTRACT_CHUNK) {
    const recipients = await listRecipientsAfter(sql, key, { afterPosition, limit: EXTRACT_CHUNK })
    // Retention may overtake a slow reader: an answer that breaks off is better than an answer that only looks
    // complete.
    assert.equal(recipients.length, Math.min(EXTRACT_CHUNK, recipientsCount - afterPosition))
    yield recipients
  }
}

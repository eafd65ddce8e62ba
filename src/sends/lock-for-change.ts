import type { Database } from '../database/database.ts'
import { notFound } from '../errors.ts'
import type { Message } from '../messages/message.ts'
import { findMessage, lockMessage, type MessageKey } from '../messages/messages.store.ts'
import { deleteScheduled, deleteScheduledUnlessBegun } from '../messages/scheduled-messages.store.ts'
import { lockAgainstSubmitting } from '../queue/submit-locks.store.ts'
import { lockDeparture } from './departures.store.ts'

/**
 * Until the transaction ends, no recipient of the message is submitted. The message is no longer among those that begin at
 * their time.
 */
export async function lockForChange(database: Database, key: MessageKey): Promise<Message> {
  // First: a request must not lock a message of another account.
  if (!(await findMessage(database, key))) throw notFound('message')
  // Before the message, in the order of the workers that begin scheduled messages: opposite orders would deadlock.
  await lockDeparture(database, key)
  await deleteScheduled(database, key)
  await lockAgainstSubmitting(database, [key.id])
  const message = await lockMessage(database, key)
  if (!message) throw notFound('message')
  // Again: a resume that had these locks before may have put it back.
  await deleteScheduledUnlessBegun(database, key)
  return message
}

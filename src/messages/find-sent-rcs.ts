import { strict as assert } from 'node:assert'
import type { Sql } from '../database/database.ts'
import { notFound } from '../errors.ts'
import type { Message } from './message.ts'
import { findMessage, type MessageKey } from './messages.store.ts'
import { findRcsMessage, type RcsMessage } from './rcs-messages.store.ts'

export interface SentRcs {
  message: Message
  /** The content, before variables are filled in. */
  shown: RcsMessage
}

/** Finds an RCS message of an account; refuses other messages as not found. */
export async function findSentRcs(sql: Sql, key: MessageKey): Promise<SentRcs> {
  const message = await findMessage(sql, key)
  if (message?.channel !== 'rcs') throw notFound('RCS message')
  const shown = await findRcsMessage(sql, key)
  assert(shown, `RCS message ${key.id} has no content`)
  return { message, shown }
}

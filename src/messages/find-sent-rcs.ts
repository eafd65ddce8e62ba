import { strict as assert } from 'node:assert'
import type { Sql } from '../database/database.ts'
import { notFound } from '../errors.ts'
import type { ParsedRcs } from '../rcs/rcs-form.ts'
import type { Message } from './message.ts'
import { findMessage, type MessageKey } from './messages.store.ts'
import { findRcsMessage } from './rcs-messages.store.ts'
import { toParsedRcs } from './rcs-recipient.ts'

/** An RCS message of an account, with what its recipients' words are made of. */
export async function findSentRcs(sql: Sql, key: MessageKey): Promise<{ message: Message; rcs: ParsedRcs }> {
  const message = await findMessage(sql, key)
  if (message?.channel !== 'rcs') throw notFound('RCS message')
  const stored = await findRcsMessage(sql, key)
  assert(stored, `RCS message ${key.id} has no content`)
  return { message, rcs: toParsedRcs(stored) }
}

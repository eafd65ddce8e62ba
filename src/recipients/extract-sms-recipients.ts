import type { Sql } from '../database/database.ts'
import { notFound } from '../errors.ts'
import { extract } from '../http/extract.ts'
import { findMessage, type MessageKey } from '../messages/messages.store.ts'
import { toSmsRecipientView } from './recipient.ts'
import { readRecipientChunks } from './recipient-chunks.ts'
import { recipientExample, SmsRecipientView } from './recipient-view.ts'

export const extractSmsRecipients = extract({
  route: 'GET /messages/{id}/recipients/sms/extract',
  id: 'extractSmsRecipients',
  tag: 'Messages',
  permission: 'read',
  summary: 'SMS recipients of a message, full extract',
  description:
    'Everybody an SMS message went to, in the order they were given, streamed: as JSON or, with `Accept: text/csv`, as CSV.',
  row: SmsRecipientView,
  example: { answer: [recipientExample] },
  mayLag: true,
  handle: ({ caller, params, database }) => readRecipients(database, { accountId: caller.accountId, id: params.id })
})

async function* readRecipients(sql: Sql, key: MessageKey) {
  const message = await findMessage(sql, key)
  if (message?.channel !== 'sms') throw notFound('SMS message')
  for await (const recipients of readRecipientChunks(sql, key, message)) {
    yield recipients.map((recipient) => toSmsRecipientView(recipient, message))
  }
}

import type { Sql } from '../database/database.ts'
import { extract } from '../http/extract.ts'
import { findSentRcs } from '../messages/find-sent-rcs.ts'
import type { MessageKey } from '../messages/messages.store.ts'
import { toParsedRcs, toRcsRecipientView } from './rcs-recipient.ts'
import { readRecipientChunks } from './recipient-chunks.ts'
import { RcsRecipientView, rcsRecipientExample } from './recipient-view.ts'

export const extractRcsRecipients = extract({
  route: 'GET /messages/{id}/recipients/rcs/extract',
  id: 'extractRcsRecipients',
  tag: 'Beyond',
  permission: 'read',
  summary: 'RCS recipients of a message, full extract',
  description:
    'Everybody an RCS message went to, in the order they were given, streamed: as JSON or, with `Accept: text/csv`, as CSV. `channel` is `sms` for those who got the fallback.',
  row: RcsRecipientView,
  example: { answer: [rcsRecipientExample] },
  mayLag: true,
  handle: ({ caller, params, database }) => readRecipients(database, { accountId: caller.accountId, id: params.id })
})

async function* readRecipients(sql: Sql, key: MessageKey) {
  const { message, shown } = await findSentRcs(sql, key)
  const rcs = toParsedRcs(shown)
  for await (const recipients of readRecipientChunks(sql, key, message)) {
    yield recipients.map((recipient) => toRcsRecipientView(recipient, message, rcs))
  }
}

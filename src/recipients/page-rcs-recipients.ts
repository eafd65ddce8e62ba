import { operation } from '../http/operation.ts'
import { toPage } from '../http/paging.ts'
import { findSentRcs } from '../messages/find-sent-rcs.ts'
import { toParsedRcs, toRcsRecipientView } from './rcs-recipient.ts'
import { RecipientPageQuery, readRecipientPage } from './recipient-page.ts'
import { RcsRecipientPage, rcsRecipientExample } from './recipient-view.ts'

export const pageRcsRecipients = operation({
  route: 'GET /messages/{id}/recipients/rcs',
  id: 'pageRcsRecipients',
  tag: 'Messages',
  permission: 'read',
  summary: 'RCS recipients of a message',
  description:
    'The people an RCS message went to, in the order they were given, each with the words they got. `channel` is `sms` for those who got the fallback.',
  query: RecipientPageQuery,
  answer: RcsRecipientPage,
  example: {
    answer: {
      items: [rcsRecipientExample],
      meta: { itemCount: 1, totalItems: 1, itemsPerPage: 10, totalPages: 1, currentPage: 1 }
    }
  },
  mayLag: true,
  async handle({ caller, params, query, database }) {
    const key = { accountId: caller.accountId, id: params.id }
    const { message, shown } = await findSentRcs(database, key)
    const rcs = toParsedRcs(shown)
    const { recipients, totalItems } = await readRecipientPage(database, { ...key, message }, query)
    return toPage(
      recipients.map((recipient) => toRcsRecipientView(recipient, message, rcs)),
      { ...query, totalItems }
    )
  }
})

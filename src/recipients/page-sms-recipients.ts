import { notFound } from '../errors.ts'
import { operation } from '../http/operation.ts'
import { toPage } from '../http/paging.ts'
import { findMessage } from '../messages/messages.store.ts'
import { toSmsRecipientView } from './recipient.ts'
import { RecipientPageQuery, readRecipientPage } from './recipient-page.ts'
import { recipientExample, SmsRecipientPage } from './recipient-view.ts'

export const pageSmsRecipients = operation({
  route: 'GET /messages/{id}/recipients/sms',
  id: 'pageSmsRecipients',
  tag: 'Messages',
  permission: 'read',
  summary: 'SMS recipients of a message, paginated',
  description: 'The people an SMS message went to, in the order they were given, each with the text they got.',
  query: RecipientPageQuery,
  answer: SmsRecipientPage,
  example: {
    answer: {
      items: [recipientExample],
      meta: { itemCount: 1, totalItems: 1, itemsPerPage: 10, totalPages: 1, currentPage: 1 }
    }
  },
  mayLag: true,
  async handle({ caller, params, query, database }) {
    const key = { accountId: caller.accountId, id: params.id }
    const message = await findMessage(database, key)
    if (message?.channel !== 'sms') throw notFound('SMS message')
    const { recipients, totalItems } = await readRecipientPage(database, { ...key, message }, query)
    return toPage(
      recipients.map((recipient) => toSmsRecipientView(recipient, message)),
      { ...query, totalItems }
    )
  }
})

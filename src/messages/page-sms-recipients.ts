import Type from 'typebox'
import { notFound } from '../errors.ts'
import { operation } from '../http/operation.ts'
import { PageQuery, toPage } from '../http/paging.ts'
import { recipientExample, SmsRecipientPage } from './message.ts'
import { findMessage } from './messages.store.ts'
import { statesShownAs, toSmsRecipientView } from './recipient.ts'
import { countRecipients, listRecipientsOfPage } from './recipients.store.ts'

export const pageSmsRecipients = operation({
  route: 'GET /messages/{id}/recipients/sms',
  id: 'pageSmsRecipients',
  tag: 'Messages',
  summary: 'SMS recipients of a message, paginated',
  description: 'The people an SMS message went to, in the order they were given, each with the text they got.',
  query: Type.Object({
    ...PageQuery.properties,
    deliver: Type.Optional(Type.Integer({ minimum: 0, maximum: 8, description: 'Only those in this state.' }))
  }),
  answer: SmsRecipientPage,
  example: {
    answer: {
      items: [recipientExample],
      meta: { itemCount: 1, totalItems: 1, itemsPerPage: 10, totalPages: 1, currentPage: 1 }
    }
  },
  async handle({ caller, params, query, database }) {
    const { page, limit, deliver } = query
    const key = { accountId: caller.accountId, id: params.id }
    const message = await findMessage(database, key)
    if (message?.channel !== 'sms') throw notFound('SMS message')
    const states = deliver === undefined ? undefined : statesShownAs(deliver, message)
    const totalItems = states ? await countRecipients(database, { ...key, states }) : message.recipientsCount
    const recipients = await listRecipientsOfPage(database, { ...key, states }, { offset: (page - 1) * limit, limit })
    return toPage(
      recipients.map((recipient) => toSmsRecipientView(recipient, message)),
      { page, limit, totalItems }
    )
  }
})

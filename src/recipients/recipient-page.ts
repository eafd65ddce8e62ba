import Type, { type Static } from 'typebox'
import type { Database } from '../database/database.ts'
import { PageQuery } from '../http/paging.ts'
import type { Message } from '../messages/message.ts'
import { type Recipient, statesShownAs } from './recipient.ts'
import { countRecipients, listRecipientsOfPage } from './recipients.store.ts'

export const RecipientPageQuery = Type.Object({
  ...PageQuery.properties,
  deliver: Type.Optional(Type.Integer({ minimum: 0, maximum: 8, description: 'Only those in this state.' }))
})

/** A page of the recipients of a message, optionally of one state, and their total number. */
export async function readRecipientPage(
  database: Database,
  { accountId, message }: { accountId: number; message: Message },
  { page, limit, deliver }: Static<typeof RecipientPageQuery>
): Promise<{ recipients: Recipient[]; totalItems: number }> {
  const key = { accountId, id: message.id }
  const states = deliver === undefined ? undefined : statesShownAs(deliver, message)
  return {
    totalItems: states ? await countRecipients(database, { ...key, states }) : message.recipientsCount,
    recipients: await listRecipientsOfPage(database, { ...key, states }, { offset: (page - 1) * limit, limit })
  }
}

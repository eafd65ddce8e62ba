import Type from 'typebox'
import { deleteAnswersByPhone } from '../auto-replies/answers.store.ts'
import { deleteReached } from '../automations/automation-people.store.ts'
import { eraseCallbacks } from '../callbacks/callbacks.store.ts'
import { eraseConsents } from '../consents/consents.store.ts'
import { eraseContacts } from '../contacts/contacts.store.ts'
import { readTransactionTime } from '../database/clock.ts'
import type { Database } from '../database/database.ts'
import { retryBusy } from '../database/retry-busy.ts'
import { operation } from '../http/operation.ts'
import { deleteMarketingUses } from '../limits/caps.store.ts'
import { readNumber } from '../phone-numbers/path-number.ts'
import { deleteRequestsByPhone } from '../replies/consent-requests.store.ts'
import { deleteConversation } from '../replies/conversation-states.store.ts'
import { deleteRepliesByPhone } from '../replies/replies.store.ts'
import { erasePartsByPhone } from '../smpp-server/parts.store.ts'
import { eraseStop } from '../stops/erased-stops.store.ts'
import { deleteFromTrials } from '../trials/trial-people.store.ts'
import { eraseEvents } from '../webhooks/erasures.store.ts'
import { eraseFromDrafts } from './erase-drafts.ts'
import { eraseMessages } from './erase-messages.ts'
import { eraseShared } from './erase-shared.ts'
import { insertPendingErasure, lockErasure } from './pending-erasures.store.ts'

/** By the next try, the transactions that were in the way have usually ended. */
const TRIES_MAX = 3

export const eraseNumber = operation({
  route: 'DELETE /contacts/by-number/{number}',
  id: 'eraseNumber',
  tag: 'Beyond',
  permission: 'account',
  summary: 'Erase a number',
  description:
    'Removes a number from lists, drafts, replies, messages and events of the account, and from the answers of webhooks to those events. Data of carriers about it goes too: whether it can receive RCS, and delivery reports that matched no message. A message or a report that is still under way is finished first; the number and the text go then. Parts of a long message over SMPP that is not complete go at once. Webhook deliveries that are still to be made, or are replayed, name no number either. An opt-out goes on being honoured: a keyed hash stays, which does not tell the number. Consents are withdrawn and stay as proof, with the hash, the dates and the wording; their own proof goes. To lift it, add the STOP again and delete it.',
  answer: Type.Object({
    success: Type.Boolean(),
    message: Type.String(),
    contacts: Type.Integer({ description: 'Contacts removed, over all lists.' }),
    replies: Type.Integer({ description: 'Replies removed.' }),
    messages: Type.Integer({ description: 'Messages that no longer hold the number.' }),
    messages_under_way: Type.Integer({
      description: 'Messages under way, which lose the number once they have arrived.'
    }),
    stops: Type.Integer({ description: 'Opt-outs replaced by a hash: 0 or 1.' }),
    consents: Type.Integer({ description: 'Consents that no longer hold the number.' }),
    events: Type.Integer({ description: 'Events that no longer hold the number.' }),
    drafts: Type.Integer({ description: 'Drafts that no longer hold the number among their recipients.' })
  }),
  example: {
    answer: {
      success: true,
      message: 'The number was erased.',
      contacts: 2,
      replies: 1,
      messages: 3,
      messages_under_way: 0,
      stops: 1,
      consents: 1,
      events: 6,
      drafts: 0
    }
  },
  refusals: { invalid_input: 'That is not a phone number.' },
  async handle({ caller, params, database, record }) {
    const key = { accountId: caller.accountId, phone: readNumber(params.number, caller.country) }
    const erase = async (database: Database) => {
      await lockErasure(database, key)
      // Before the rest, as in a send: that locks its draft before all else.
      const drafts = await eraseFromDrafts(database, { ...key, country: caller.country })
      const contacts = await eraseContacts(database, key)
      const replies = await deleteRepliesByPhone(database, key)
      await deleteConversation(database, key)
      const before = await readTransactionTime(database)
      const { messageIds, aloneIds, underWayCount } = await eraseMessages(database, { ...key, before })
      const stops = await eraseStop(database, key)
      const consents = await eraseConsents(database, key)
      await deleteMarketingUses(database, key)
      await deleteReached(database, key)
      await deleteFromTrials(database, key)
      await deleteAnswersByPhone(database, key)
      await deleteRequestsByPhone(database, key)
      const events = await eraseEvents(database, { ...key, before, messageIds, aloneIds })
      await eraseCallbacks(database, { ...key, messageIds, aloneIds })
      const parts = await erasePartsByPhone(database, key)
      const erased = drafts + contacts + replies + messageIds.length + stops + consents + events + parts
      // Only for an account that holds data about the number: the rest may belong to other accounts.
      if (erased + underWayCount > 0) {
        await eraseShared(database, key.phone)
        // Not the number: it is erased.
        await record(database, { changes: { erased: [0, erased] } })
        await insertPendingErasure(database, key)
      }
      return {
        success: true,
        message: describe(erased, underWayCount),
        contacts,
        replies,
        messages: messageIds.length,
        messages_under_way: underWayCount,
        stops,
        consents,
        events,
        drafts
      }
    }
    // It touches everything that the account holds about a number, and much of that may be changing.
    return retryBusy(TRIES_MAX, () => database.begin(erase))
  }
})

function describe(erased: number, underWayCount: number): string {
  if (underWayCount > 0)
    return 'The number was erased, but for messages that are under way to it; they follow when they have arrived.'
  return erased === 0 ? 'Nothing was held about this number.' : 'The number was erased.'
}

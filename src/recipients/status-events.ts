import type { Database } from '../database/database.ts'
import type { Channel } from '../messages/message.ts'
import type { MessageKey } from '../messages/messages.store.ts'
import { listRcsMessages } from '../messages/rcs-messages.store.ts'
import type { ParsedRcs } from '../rcs/rcs-form.ts'
import { listSubscribersByType, recordEvents, type Subscribers } from '../webhooks/events.store.ts'
import type { RecipientKey } from './move.ts'
import type { PositionRange } from './positions.store.ts'
import { toParsedRcs, toRcsRecipientView } from './rcs-recipient.ts'
import {
  insertSmsCancelledEvents,
  insertSmsStatusEvents,
  listRcsRecipientsNow,
  queueCancelledReports
} from './status-events.store.ts'
import { listWaitingBetween } from './waiting-recipients.store.ts'

/*
 * `sms_status` and `rcs_status` events: the current states of recipients. Only for accounts that subscribe; other
 * accounts cost one read of a small table. The texts of RCS are rendered from values, so its events are made here and
 * not by the database.
 */

/** Records the current states of recipients, in the transaction that moved them. */
export async function recordStatuses(
  database: Database,
  moved: readonly RecipientKey[],
  subscribers: Subscribers
): Promise<void> {
  if (moved.length === 0 || subscribers.size === 0) return
  const movedFor = (type: 'sms_status' | 'rcs_status') =>
    moved.filter(({ accountId }) => subscribers.get(type)?.has(accountId))
  const [sms, rcs] = [movedFor('sms_status'), movedFor('rcs_status')]
  if (sms.length > 0) await insertSmsStatusEvents(database, sms)
  if (rcs.length > 0) await recordRcsStatuses(database, rcs)
}

/** The ways in which an account is told of the statuses of its recipients. */
export interface StatusReceivers {
  byEvents: boolean
  byCallbacks: boolean
}

/** Undefined when the account wants neither events nor callbacks. */
export async function findStatusReceivers(
  database: Database,
  { accountId, channel }: { accountId: number; channel: Channel }
): Promise<StatusReceivers | undefined> {
  const type = channel === 'sms' ? 'sms_status' : 'rcs_status'
  const subscribers = await listSubscribersByType(database, { types: [type, 'callbacks'], accountIds: [accountId] })
  const receivers = { byEvents: subscribers.has(type), byCallbacks: subscribers.has('callbacks') }
  return receivers.byEvents || receivers.byCallbacks ? receivers : undefined
}

/**
 * Records the cancelled recipients of a message in a range: all waiting recipients, except positions on their way to a
 * carrier.
 */
export async function recordCancelled(
  database: Database,
  key: MessageKey,
  {
    channel,
    receivers,
    except,
    range
  }: {
    channel: Channel
    receivers: StatusReceivers
    except: readonly number[]
    range: Pick<PositionRange, 'after' | 'to'>
  }
): Promise<void> {
  if (receivers.byCallbacks) await queueCancelledReports(database, key, { except, range })
  if (!receivers.byEvents) return
  if (channel === 'sms') return insertSmsCancelledEvents(database, key, { except, range })
  const waiting = await listWaitingBetween(database, key, range)
  const isExcepted = new Set(except)
  const { accountId, id: messageId } = key
  await recordRcsStatuses(
    database,
    waiting.filter((position) => !isExcepted.has(position)).map((position) => ({ accountId, messageId, position }))
  )
}

async function recordRcsStatuses(database: Database, keys: readonly RecipientKey[]): Promise<void> {
  const recipients = await listRcsRecipientsNow(database, keys)
  if (recipients.length === 0) return
  const messageKeys = [...new Map(recipients.map((recipient) => [recipient.messageId, recipient])).values()]
  const messages = new Map<number, ParsedRcs>()
  for (const message of await listRcsMessages(database, messageKeys)) {
    messages.set(message.messageId, toParsedRcs(message))
  }
  await recordEvents(
    database,
    recipients.flatMap(({ accountId, messageState, externalId, trace, ...recipient }) => {
      const parsed = messages.get(recipient.messageId)
      if (!parsed) return []
      const view = toRcsRecipientView(recipient, { state: messageState }, parsed)
      const record = {
        message_id: recipient.messageId,
        ...view,
        ...(externalId !== null && { external_id: externalId })
      }
      return [{ accountId, type: 'rcs_status' as const, record, trace }]
    })
  )
}

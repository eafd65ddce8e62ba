import type { Sql } from '../../src/database/database.ts'
import { listReportedRecipients } from '../../src/doors/reports.store.ts'
import { lockForFallback } from '../../src/fallback/fallback.store.ts'
import { lockQueuedSms } from '../../src/fallback/queued-sms.store.ts'
import { listUnclicked, updateClicked } from '../../src/recipients/clicks.store.ts'
import {
  updateByReceipt,
  updateDecided,
  updateToInDoubt,
  updateToSent,
  updateToSubmitting
} from '../../src/recipients/moves.store.ts'
import { listAtPositions } from '../../src/recipients/positions.store.ts'
import {
  updateByRcsReport,
  updateDeliveredAt,
  updatePossibleCarrier,
  updateToArrived,
  updateToFallback,
  updateToWithdrawn
} from '../../src/recipients/rcs-moves.store.ts'
import { lockRecipients } from '../../src/recipients/recipient-locks.store.ts'
import { deletePositions, deleteSteps } from '../../src/recipients/removal.store.ts'
import { insertSmsStatusEvents, listRcsRecipientsNow } from '../../src/recipients/status-events.store.ts'
import { findTimelineFacts, listDoubted, listSteps } from '../../src/recipients/timeline.store.ts'
import { listRecipientDetails } from '../../src/smpp-server/details.store.ts'
import { listSegmentStates } from '../../src/submissions/submissions.store.ts'
import { listRecords } from '../../src/webhooks/dispatch.store.ts'

/*
 * Every statement that is given the ids of messages or events, as the workers run it: for tests that look at how the database
 * takes them.
 */

/** The first of the ids that they are given. */
export const FIRST_ID = 100_000

/** On a cluster, the first two of these accounts share a shard. */
export const ACCOUNT_IDS = [1, 15, 2] as const

/** Ten recipients of as many messages: more than are looked up one by one. */
export const keys = Array.from({ length: 10 }, (_, index) => {
  return { accountId: ACCOUNT_IDS[index % ACCOUNT_IDS.length] as number, messageId: FIRST_ID + index, position: 1 }
})
const at = new Date('2026-11-17T12:00:00Z')

export const STATEMENTS: Record<string, (sql: Sql) => Promise<unknown>> = {
  listAtPositions: (sql) =>
    listAtPositions(
      sql,
      keys.map((key) => ({ ...key, positions: [1] }))
    ),
  lockRecipients: (sql) => lockRecipients(sql, keys),
  findTimelineFacts: (sql) => findTimelineFacts(sql, keys[0] as (typeof keys)[0]),
  updateDecided: (sql) =>
    updateDecided(
      sql,
      keys.map((key) => ({ ...key, kind: 'decided', from: 'open', to: 4, errorCode: null, refund: 'none' }))
    ),
  updateToInDoubt: (sql) => updateToInDoubt(sql, keys),
  updateToSubmitting: (sql) => updateToSubmitting(sql, { accountId: 1, messageId: FIRST_ID, positions: [1] }),
  updateToSent: (sql) =>
    updateToSent(
      sql,
      keys.map((key) => ({ ...key, kind: 'sent', channel: 'sms', carrier: 'main', carrierMessageIds: ['1'] }))
    ),
  updateByReceipt: (sql) =>
    updateByReceipt(
      sql,
      keys.map((key) => ({ ...key, kind: 'reported', to: 3, at, receipt: 'DELIVRD', errorCode: '' }))
    ),
  updateByRcsReport: (sql) =>
    updateByRcsReport(
      sql,
      keys.map((key) => ({ ...key, kind: 'rcs-reported', from: 1, to: 3, deliveredAt: at, readAt: at, receipt: '' }))
    ),
  updateDeliveredAt: (sql) =>
    updateDeliveredAt(
      sql,
      keys.map((key) => ({ ...key, deliveredAt: at }))
    ),
  updatePossibleCarrier: (sql) =>
    updatePossibleCarrier(
      sql,
      keys.map((key) => ({ ...key, carrier: 'main' }))
    ),
  updateToWithdrawn: (sql) =>
    updateToWithdrawn(
      sql,
      keys.map((key) => ({ ...key, ending: null }))
    ),
  updateToFallback: (sql) =>
    updateToFallback(
      sql,
      keys.map((key) => ({
        ...key,
        kind: 'fell-back',
        from: 1,
        rcsCredits: 1,
        country: 'FR',
        sms: { segments: 1, credits: 1 }
      }))
    ),
  updateToArrived: (sql) =>
    updateToArrived(
      sql,
      keys.map((key) => {
        const rcs = {
          sms: { segments: 1, credits: 1 },
          rcsCredits: 1,
          carrier: 'main',
          carrierMessageId: '1',
          receipt: ''
        }
        return { ...key, ...rcs, kind: 'arrived', to: 3, deliveredAt: at, readAt: at }
      })
    ),
  updateClicked: (sql) =>
    updateClicked(
      sql,
      keys.map((key) => ({ ...key, at: 1, countsSoon: true })),
      { soonMs: 1 }
    ),
  listUnclicked: (sql) =>
    listUnclicked(
      sql,
      keys.map((key) => ({ ...key, at: 1, countsSoon: true }))
    ),
  insertSmsStatusEvents: (sql) => insertSmsStatusEvents(sql, keys),
  listRcsRecipientsNow: (sql) => listRcsRecipientsNow(sql, keys),
  listDoubted: (sql) => listDoubted(sql, keys),
  listSteps: (sql) => listSteps(sql, keys[0] as (typeof keys)[0]),
  deletePositions: (sql) =>
    deletePositions(
      sql,
      keys.map((key) => ({ ...key, id: key.messageId, after: 0, to: 9 }))
    ),
  deleteSteps: (sql) =>
    deleteSteps(
      sql,
      keys.map((key) => ({ ...key, id: key.messageId }))
    ),
  listSegmentStates: (sql) => listSegmentStates(sql, keys, (_, id) => id),
  lockQueuedSms: (sql) => lockQueuedSms(sql, keys),
  lockForFallback: (sql) => lockForFallback(sql, keys),
  listReportedRecipients: (sql) => listReportedRecipients(sql, keys),
  listRecipientDetails: (sql) => listRecipientDetails(sql, 1, keys),
  listRecords: (sql) => listRecords(sql, { accountId: 1, eventIds: keys.map(({ messageId }) => messageId) })
}

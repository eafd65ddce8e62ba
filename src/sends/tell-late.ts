import { type CallerDefaults, findOwnCaller } from '../accounts/callers.ts'
import { databaseNow } from '../database/clock.ts'
import type { Database, Pool } from '../database/database.ts'
import type { Log } from '../http/log.ts'
import { isCampaign, noticeCampaigns } from '../messages/campaign-notices.ts'
import { isLive } from '../messages/message.ts'
import { recordMessageStates } from '../messages/message-events.ts'
import { findMessage, findTrace, updateLate } from '../messages/messages.store.ts'
import { logFieldsOf } from '../traces/tracer.ts'
import { createTakeDue } from '../workers/take-due.ts'
import { type Deadline, deleteDeadline, lockDueDeadline, putOffDeadline } from './deadlines.store.ts'
import { forecastFinish, type ReadPaces } from './forecast.ts'

/** A forecast reads what waits in the queue: often enough for people to do something about it. */
const LOOK_SECONDS = 60

/**
 * Tells that a message will not have left by its deadline, or has not: once, in its log line, in `late_at` of the message and
 * by a `message_state` event. One transaction tells it and forgets the deadline, so two processes do not tell it twice.
 */
export function createTellLate({
  pool,
  readPaces,
  defaults,
  log
}: {
  pool: Pool
  readPaces: ReadPaces
  defaults: CallerDefaults
  log: Log
}): () => Promise<{ isMoreDue: boolean }> {
  async function look(database: Database, due: Deadline): Promise<void> {
    const { accountId, messageId, deadline } = due
    const key = { accountId, id: messageId }
    const message = await findMessage(database, key)
    if (!message || !isLive(message)) return deleteDeadline(database, due)
    const caller = await findOwnCaller(database, accountId, defaults)
    // Without a caller the account is suspended: nothing of it leaves, and nobody knows until when.
    const finish = caller ? await forecastFinish(database, { ...message, accountId }, { caller, readPaces }) : null
    const isLate = databaseNow() >= deadline || (finish !== null && finish > deadline)
    if (!isLate) return putOffDeadline(database, due, LOOK_SECONDS)
    await updateLate(database, key)
    await recordMessageStates(database, [{ accountId, messageId }])
    if (isCampaign(message)) {
      await noticeCampaigns(database, [{ ...message, accountId, messageId, kind: 'campaign_late' }])
    }
    await deleteDeadline(database, due)
    const times = { deadline: deadline.toISOString(), finishes_at: finish?.toISOString() ?? null }
    const fields = { account_id: accountId, message_id: messageId, ...logFieldsOf(await findTrace(database, due)) }
    log.warn({ ...fields, ...times }, 'a message is late for its deadline')
  }

  const putOff = (database: Database, due: Deadline) => putOffDeadline(database, due, LOOK_SECONDS)
  return createTakeDue({ pool, lock: lockDueDeadline, work: look, putOff })
}

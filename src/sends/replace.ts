import { MESSAGE_TYPES } from '../credits/credit.ts'
import { postQueued } from '../credits/ledger.ts'
import { isPaidByPayer } from '../credits/reservations.ts'
import type { Database, Sql } from '../database/database.ts'
import { retryBusy } from '../database/retry-busy.ts'
import { Refusal } from '../errors.ts'
import { findMessageByExternalId } from '../messages/external-ids.store.ts'
import type { Message } from '../messages/message.ts'
import { referenceOf } from '../messages/reservation.ts'
import { listSubmitting } from '../queue/batches.store.ts'
import { type Accepted, alreadyProcessed } from './accepted.ts'
import { CANCEL_TRIES_MAX, cancel } from './cancel.ts'
import { lockForChange } from './lock-for-change.ts'
import type { Send } from './send.ts'

/**
 * Accepts a send in the place of a scheduled message, which is cancelled. One transaction does both: the credits of the one
 * pay for the other, and either both happen or neither does.
 */
export async function acceptInstead(
  database: Database,
  send: Send & { replaces: number },
  store: (database: Database, send: Send) => Promise<Accepted>
): Promise<Accepted> {
  const key = { accountId: send.accountId, id: send.replaces }
  return retryBusy(CANCEL_TRIES_MAX, () =>
    database.begin(async (database) => {
      const before = await lockForChange(database, key)
      if (!isUntouched(before) || (await listSubmitting(database, key)).length > 0) {
        if (await isRepeat(database, send)) throw alreadyProcessed()
        const sentence = `Only a scheduled message can be replaced; this one ${stateOf(before)}.`
        throw new Refusal(409, 'state_conflict', sentence)
      }
      const { creditsRefunded } = await cancel(database, key)
      const replacing = {
        id: key.id,
        externalId: before.externalId,
        refunded: (await canPay(database, before, send)) ? creditsRefunded - before.creditsRefunded : 0,
        postRefund: () => postQueued(database)
      }
      return store(database, { ...send, replacing })
    })
  )
}

/** Whether what comes back of a message can pay for the send in its place: credits of the same type, to the account that pays now. */
export async function canPay(sql: Sql, { id, channel }: Message, send: Send): Promise<boolean> {
  if (channel !== send.channel) return false
  const { accountId } = send
  return isPaidByPayer(sql, { accountId, messageType: MESSAGE_TYPES[channel], reference: referenceOf(id) })
}

/** Whether another message than the one to replace has its external id: a request that is repeated is told so. */
async function isRepeat(database: Database, { accountId, externalId, replaces }: Send & { replaces: number }) {
  if (externalId === undefined) return false
  const found = await findMessageByExternalId(database, { accountId, externalId })
  return found !== undefined && found !== replaces
}

/** Whether nothing of it has left. People who opted out are not in its way. */
function isUntouched({ state, waitingCount, stoppedCount, recipientsCount }: Message): boolean {
  return state === 'scheduled' && waitingCount + stoppedCount === recipientsCount
}

function stateOf({ state }: Message): string {
  return state === 'scheduled' ? 'is leaving' : `is ${state}`
}

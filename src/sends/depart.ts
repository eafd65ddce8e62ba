import { type CallerDefaults, findOwnCaller } from '../accounts/callers.ts'
import type { Database, Pool } from '../database/database.ts'
import { isFinalRefusal } from '../errors.ts'
import type { Caller } from '../http/caller.ts'
import type { Log } from '../http/log.ts'
import { noticeCampaigns } from '../messages/campaign-notices.ts'
import { recordMessageStates } from '../messages/message-events.ts'
import { findMessage, findTrace, lockMessage, updateToFailed } from '../messages/messages.store.ts'
import { logFieldsOf } from '../traces/tracer.ts'
import { createTakeDue } from '../workers/take-due.ts'
import type { Accept } from './accept.ts'
import { toAudience } from './accept-later.ts'
import {
  type Departure,
  deleteDeparture,
  lockDueDeparture,
  putOffDeparture,
  updateDepartureProblem
} from './departures.store.ts'
import { readRcsSend } from './rcs-send.ts'
import { readSend, type Send, type SendContext } from './send.ts'
import type { Sending } from './send-sms.ts'
import { withPace } from './spread.ts'
import { storeMany } from './store-many.ts'

/** What a send needs that leaves without a request. */
export type LaterSending = Pick<Sending, 'routing' | 'linkUrl' | 'fromSegments'>

/** The dependencies of a worker that sends without a request. */
export interface LaterParts {
  pool: Pool
  sending: LaterSending
  defaults: CallerDefaults
  onQueued(): void
  log: Log
}

/** What a worker needs that answers people. */
export interface AnswerParts extends Pick<LaterParts, 'pool' | 'defaults' | 'log'> {
  sending: Pick<SendContext, 'routing' | 'linkUrl'> & { accept: Accept }
}

const PUT_OFF_SECONDS = 60

/**
 * Gives scheduled messages to segments their recipients, when they are due. One transaction finds the people, stores them, takes
 * the credits and removes the departure: a crash leaves the message waiting, and two processes never depart it twice. A departure
 * that is refused, for lack of credits or since a rule names a list that is gone, makes the message failed, and says why.
 */
export function createDepart({
  pool,
  sending,
  defaults,
  onQueued,
  log
}: LaterParts): () => Promise<{ isMoreDue: boolean }> {
  async function store(database: Database, departure: Departure, caller: Caller): Promise<void> {
    const { contactlist: _lists, segments: _segments, ...fields } = departure.request
    const send = await readStoredSend(database, fields, { caller, author: undefined, ...sending })
    const lists = departure.request.contactlist as number[] | undefined
    const source = toAudience(sending, { contactlist: lists, segments: departure.segmentIds }, send)
    const paced = await withPace(database, send, source)
    await storeMany(database, paced, source, sending.routing, { isExact: true, departing: departure.messageId })
  }

  async function depart(database: Database, departure: Departure): Promise<void> {
    const { accountId, messageId } = departure
    const caller = await findOwnCaller(database, accountId, defaults)
    // Of a suspended account it waits; the closing of an account cancels it.
    if (!caller) return putOffDeparture(database, departure, PUT_OFF_SECONDS)
    const message = await lockMessage(database, { accountId, id: messageId })
    if (message?.state !== 'scheduled') return deleteDeparture(database, departure)
    try {
      // In a part of its own: a refusal must not undo that the departure is over.
      await database.begin((database) => store(database, departure, caller))
      await deleteDeparture(database, departure)
    } catch (error) {
      if (!isFinalRefusal(error)) throw error
      const fields = {
        account_id: accountId,
        message_id: messageId,
        ...logFieldsOf(await findTrace(database, departure))
      }
      log.warn({ ...fields, reason: error.message }, 'a departure was refused')
      await failDeparture(database, departure, error.message)
    }
  }

  const putOff = (database: Database, departure: Departure) => putOffDeparture(database, departure, PUT_OFF_SECONDS)
  return createTakeDue({ pool, lock: lockDueDeparture, work: depart, putOff, onDone: onQueued })
}

/** The message failed before it had recipients, and took no credits. */
export async function failDeparture(database: Database, departure: Departure, problem: string): Promise<void> {
  const { accountId, messageId } = departure
  await updateToFailed(database, { accountId, id: messageId })
  await updateDepartureProblem(database, departure, problem)
  await recordMessageStates(database, [{ accountId, messageId }])
  const message = await findMessage(database, { accountId, id: messageId })
  if (message) await noticeCampaigns(database, [{ ...message, accountId, messageId, kind: 'campaign_failed' }])
}

/** The permissions were checked when the message was accepted. */
const CHECKED: Caller['permissions'] = new Set(['send', 'binary'])

/** Whether a stored request is one of RCS: only an RCS has a type. */
export function isRcsRequest(request: object): boolean {
  return 'type' in request
}

/** Reads a send that was stored to leave later. */
export async function readStoredSend(
  database: Database,
  fields: Record<string, unknown>,
  context: SendContext
): Promise<Send> {
  const checked = { ...context, caller: { ...context.caller, permissions: CHECKED } }
  return isRcsRequest(fields) ? readRcsSend(database, fields, checked) : readSend(database, fields, checked)
}

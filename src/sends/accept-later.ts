import { MESSAGE_TYPES } from '../credits/credit.ts'
import { findSpendable } from '../credits/credits.store.ts'
import type { Database, Sql } from '../database/database.ts'
import type { Caller } from '../http/caller.ts'
import { updateMessageCounts } from '../messages/new-messages.store.ts'
import type { RcsTemplate } from '../templates/rcs-template.ts'
import { findRcsTemplate, findSmsTemplate } from '../templates/templates.store.ts'
import { type Accepted, refuseOtherPrice, toAccepted, tooFewCredits } from './accepted.ts'
import { refusePastDeadline } from './deadline.ts'
import { insertDeparture } from './departures.store.ts'
import { toMessage } from './message-rows.ts'
import type { RcsSendFields } from './rcs-send.ts'
import type { RecipientSource } from './recipient-source.ts'
import { fromLists, inTurn } from './recipient-sources.ts'
import { acceptInstead } from './replace.ts'
import type { Routing } from './routing.ts'
import type { Send, SendFields } from './send.ts'
import type { Sending } from './send-sms.ts'
import { withPace } from './spread.ts'
import { drawMessage, insertMessage, planAlone } from './store-many.ts'
import { takingDraft } from './take-draft.ts'
import { traceAcceptance } from './trace-acceptance.ts'

/* A scheduled message to segments: stored without recipients, which are found when it departs (depart.ts). */

export interface LaterSend {
  send: Send
  source: RecipientSource
  segmentIds: readonly number[]
  request: Record<string, unknown>
}

/** Whether a send to segments waits for its time. */
export function isLater({ departsAt, now }: Send): boolean {
  return departsAt.getTime() > now.getTime()
}

/**
 * Stores the message and its request. The plan as it would be now is checked, and answered: it is refused for everything
 * that a send of now would be refused for, except that nobody may fit yet. No credits are taken.
 */
async function acceptLater(
  database: Database,
  { send: given, source, segmentIds, request }: LaterSend,
  routing: Routing
): Promise<Accepted> {
  return database.begin(async (database) => {
    const send = await withPace(database, given, source)
    const { accountId } = send
    const id = await drawMessage(database, send)
    const { plan, isAnybody } = await planAlone(database, send, source, routing)
    if (isAnybody) plan.refuseIfEmpty()
    refuseOtherPrice(send, plan)
    const balance = await findSpendable(database, { accountId, messageType: MESSAGE_TYPES[send.channel] })
    const spendable = balance + (send.replacing?.refunded ?? 0)
    if (plan.totals.credits > spendable)
      throw tooFewCredits({ required: plan.totals.credits, remaining: spendable }, send)
    const planned = toMessage(send, plan, id)
    const dueAt = isAnybody ? planned.scheduledAt : send.departsAt
    const none = { recipientsCount: 0, segmentsCount: 0, creditsRequired: 0 }
    await insertMessage(database, { send, plan }, { ...planned, ...none, state: 'scheduled', scheduledAt: dueAt })
    await insertDeparture(database, { accountId, messageId: id, segmentIds: [...segmentIds], request, dueAt })
    await updateMessageCounts(database, [accountId])
    const accepted = toAccepted(send, plan, id, spendable)
    const note = 'Its people are found when it departs, and its credits are taken then: these figures are those of now.'
    return { ...accepted, credits_used: 0, message: `${accepted.message} ${note}` }
  })
}

/** The same, also in the place of another scheduled message, which is cancelled. Its request keeps its deadline. */
export function acceptLaterOrInstead(database: Database, given: LaterSend, routing: Routing): Promise<Accepted> {
  const { send, request } = given
  refusePastDeadline(send)
  const deadline = send.options?.deadline
  const later = { ...given, request: { ...request, ...(deadline !== undefined && { deadline }) } }
  return takingDraft(database, send, (database) =>
    traceAcceptance(send, (send) => {
      if (send.replaces === undefined) return acceptLater(database, { ...later, send }, routing)
      return acceptInstead(database, { ...send, replaces: send.replaces }, (database, send) =>
        acceptLater(database, { ...later, send }, routing)
      )
    })
  )
}

/** The lists and segments of a request. */
export interface AudienceFields {
  contactlist: number[] | undefined
  segments: number[] | undefined
}

/** Everybody whom a request names, after those that it gives itself. */
export function toAudience(
  { fromSegments }: Pick<Sending, 'fromSegments'>,
  { contactlist, segments }: AudienceFields,
  send: Send,
  given: readonly RecipientSource[] = []
): RecipientSource {
  return inTurn([
    ...given,
    ...(contactlist ? [fromLists(contactlist, send)] : []),
    ...(segments ? [fromSegments(segments, send)] : [])
  ])
}

export const SEGMENT_CONFLICT =
  'A rule of a segment names a field, a contact list or a message that is gone, the message to replace has begun to leave, or the Idempotency-Key is in use.'

/** The fields without the schedule, and with what the template has now: a change of it must not change the message. */
export async function freezeSms(sql: Sql, fields: SendFields, { accountId }: Caller): Promise<Record<string, unknown>> {
  const { model_id: id, ...own } = repeatableFields(fields)
  const template = id === undefined ? undefined : await findSmsTemplate(sql, { accountId, id })
  if (!template) return own
  return { ...own, content: template.content, ...(!own.sender && template.sender && { sender: template.sender }) }
}

export async function freezeRcs(
  sql: Sql,
  fields: RcsSendFields,
  { accountId }: Caller
): Promise<Record<string, unknown>> {
  const { model_id: id, ...own } = repeatableFields(fields)
  const template = id === undefined ? undefined : await findRcsTemplate(sql, { accountId, id })
  if (!template) return own
  const { type, data, shorturl } = template
  const fallback = freezeFallback(own.fallback, template)
  return { ...own, type, data, fallback, shorturl: own.shorturl ?? shorturl ?? undefined }
}

/** As `readRcsSend` takes it: each of its fields may be the template's. */
function freezeFallback(
  own: RcsSendFields['fallback'],
  { fallbackContent, fallbackSender }: Pick<RcsTemplate, 'fallbackContent' | 'fallbackSender'>
): RcsSendFields['fallback'] {
  const content = own?.content ?? fallbackContent
  const sender = own?.sender || fallbackSender
  return content === null ? undefined : { content, ...(sender && { sender }) }
}

/** The fields of a send that another message may have too. */
export function repeatableFields<Fields extends { [Name in keyof (RcsSendFields | SendFields)]?: unknown }>(
  fields: Fields
) {
  const {
    scheduleAt: _at,
    scheduledate: _date,
    scheduletime: _time,
    external_id: _external,
    replaces: _replaces,
    draft: _draft,
    deadline: _deadline,
    expected_credits: _expected,
    ...rest
  } = fields
  return rest
}

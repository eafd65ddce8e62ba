import Type, { type Static } from 'typebox'
import { type MarketingHours, nextMarketingMoment, placeOf } from '../compliance/allowed-hours.ts'
import { databaseNow } from '../database/clock.ts'
import type { Sql } from '../database/database.ts'
import type { Caller } from '../http/caller.ts'
import { type Category, LANES, type Message } from '../messages/message.ts'
import type { MessageKey } from '../messages/messages.store.ts'
import { parsePhoneNumber } from '../phone-numbers/phone-number.ts'
import { listReadyOfAll, listSubmitting, listWaitingBatches } from '../queue/batches.store.ts'
import { findPhoneAt } from '../recipients/positions.store.ts'
import { listWaitingUntil, type WaitingUntil } from '../recipients/waiting-recipients.store.ts'
import { countAhead, finishOf, type WaitingBatch } from './finish.ts'
import type { Plan } from './plan.ts'
import type { Send } from './send.ts'

/* What is left of a message: who waits, until when, and who is on their way. */

const EXPIRIES_MAX = 100

export const forecastFields = {
  waiting: Type.Integer({ description: 'Recipients that have not left and are not on their way.' }),
  under_way: Type.Integer({ description: 'Recipients that a carrier is being given now. A pause does not hold them.' }),
  expiries: Type.Array(Type.Object({ expires_at: Type.String({ format: 'date-time' }), recipients: Type.Integer() }), {
    maxItems: EXPIRIES_MAX,
    description:
      'How many of the waiting recipients expire at which moment if they have not left by then, the soonest first; up to 100 moments. Their credits come back.'
  })
}

export interface Forecast {
  waiting: number
  underWay: number
  expiries: WaitingUntil[]
}

/** How many batches of others are looked at: as much as leaves in some hours. */
const LOOKED_AT_MAX = 10_000

/** Reads how many segments or RCS a second a way takes; undefined when no limit is known. */
export type ReadPaces = (sql: Sql) => Promise<(way: string) => number | undefined>

/** What the time of a finish depends on besides the batches: of a message, or of a send that is planned. */
export interface FinishFacts extends MarketingHours {
  accountId: number
  /** The id of a message, which is not ahead of itself; undefined of one that is only planned. */
  id?: number
  category: Category
  calendar: Caller['calendar']
  /** Segments or RCS of each recipient. */
  perRecipient: number
  /** The first recipient: its place decides on the hours of marketing. */
  firstPhone: string
  country: string
}

/** About when the last of these batches has left. */
async function forecastBatches(
  sql: Sql,
  batches: readonly WaitingBatch[],
  facts: FinishFacts,
  readPaces: ReadPaces
): Promise<Date> {
  const { accountId, id = 0, category, perRecipient, firstPhone } = facts
  const country = parsePhoneNumber(firstPhone, facts.country)?.country ?? facts.country
  const place = placeOf(country, firstPhone)
  const paceOf = await readPaces(sql)
  const lane = LANES[category]
  const finishes: number[] = []
  for (const [route, ofRoute] of Map.groupBy(batches, ({ route }) => route)) {
    const queued = await listReadyOfAll(sql, { route, laneMax: lane, exceptMessageId: id, limit: LOOKED_AT_MAX })
    const recipients = ofRoute.reduce((sum, each) => sum + each.recipients, 0)
    const finish = finishOf(ofRoute, {
      now: databaseNow(),
      perSecond: paceOf(route),
      perRecipient,
      ahead: countAhead(queued, { accountId, lane, recipients }),
      nextAllowed: (from) => (category === 'marketing' ? nextMarketingMoment(from, place, facts) : from)
    })
    finishes.push(finish.getTime())
  }
  return new Date(Math.max(...finishes))
}

/** About when the last recipient of a send that is planned has left. */
export function forecastPlan(sql: Sql, send: Send, plan: Plan, readPaces: ReadPaces): Promise<Date> {
  const batches = plan.batches().map(({ route, dueAt, positions }) => ({ route, dueAt, recipients: positions.length }))
  const { recipients, segments } = plan.totals
  const perRecipient = send.channel === 'sms' ? segments / recipients : 1
  return forecastBatches(sql, batches, { ...send, perRecipient, firstPhone: plan.firstPhone }, readPaces)
}

/** About when the last recipient of a message has left; null when none waits, and while it is paused. */
export async function forecastFinish(
  sql: Sql,
  message: Pick<Message, 'category' | 'channel' | 'recipientsCount' | 'segmentsCount' | 'pausedAt'> & MessageKey,
  {
    caller,
    readPaces
  }: { caller: Pick<Caller, 'country' | 'calendar' | 'hoursEnd' | 'sundaysAndHolidays'>; readPaces: ReadPaces }
): Promise<Date | null> {
  const { accountId, id, category, channel, recipientsCount, segmentsCount } = message
  const batches = await listWaitingBatches(sql, { accountId, id })
  const [first] = batches
  if (!first || message.pausedAt !== null) return null
  const isMarketing = category === 'marketing'
  const phone = isMarketing ? await findPhoneAt(sql, { accountId, messageId: id, position: first.firstPosition }) : ''
  const { country, calendar, hoursEnd, sundaysAndHolidays } = caller
  const hours = { country, calendar, hoursEnd, sundaysAndHolidays }
  const perRecipient = channel === 'sms' ? segmentsCount / recipientsCount : 1
  const facts = { accountId, id, category, ...hours, perRecipient, firstPhone: phone ?? '' }
  return forecastBatches(sql, batches, facts, readPaces)
}

export async function forecast(sql: Sql, key: MessageKey): Promise<Forecast> {
  const [expiries, submitting] = [await listWaitingUntil(sql, key), await listSubmitting(sql, key)]
  return {
    waiting: expiries.reduce((sum, { recipients }) => sum + recipients, 0),
    underWay: submitting.length,
    expiries
  }
}

const ForecastFields = Type.Object(forecastFields)

export function toForecastFields({ waiting, underWay, expiries }: Forecast): Static<typeof ForecastFields> {
  return {
    waiting,
    under_way: underWay,
    expiries: expiries
      .slice(0, EXPIRIES_MAX)
      .map(({ expiresAt, recipients }) => ({ expires_at: expiresAt.toISOString(), recipients }))
  }
}

export const forecastExample: Static<typeof ForecastFields> = {
  waiting: 1_200,
  under_way: 80,
  expiries: [{ expires_at: '2026-11-18T09:30:00.000Z', recipients: 1_200 }]
}

import { nextMarketingMoment, placeOf } from '../compliance/allowed-hours.ts'
import { type ConsentChannel, MARKETING } from '../consents/consent.ts'
import { listConsented } from '../consents/consents.store.ts'
import type { Sql } from '../database/database.ts'
import type { CappedSend } from '../limits/caps.ts'
import type { Send } from './send.ts'

/* Whom marketing may reach: people who agreed, and not too often. Other sends pay nothing for it. */

/** The people of a send without a consent. Undefined where nobody asks for one. */
export async function unconsentedAmong(
  sql: Sql,
  send: Send,
  phones: readonly string[]
): Promise<ReadonlySet<string> | undefined> {
  if (send.consent === 'off') return undefined
  const { accountId } = send
  const consented = await listConsented(sql, { accountId, phones, purpose: MARKETING, channels: channelsOf(send) })
  return new Set(phones.filter((phone) => !consented.has(phone)))
}

/** An RCS that may fall back needs a consent for both. */
function channelsOf(send: Send): ConsentChannel[] {
  if (send.channel === 'sms') return ['sms']
  return send.message.fallbackContent === null ? ['rcs'] : ['rcs', 'sms']
}

/** A person that a send goes to. */
interface Reached {
  phone: string
  country: string
}

/** The send as the cap sees it; undefined without a cap. */
export function toCapped(send: Send, people: readonly Reached[]): CappedSend | undefined {
  const { accountId, cap, replaces } = send
  if (!cap) return undefined
  const dayTo = createDays(send)
  return { accountId, cap, replaces, people: people.map((one) => ({ phone: one.phone, day: dayTo(one) })) }
}

/**
 * The day on which a send leaves for somebody, in the account's time zone. Marketing that waits for the allowed hours counts on
 * the day on which they begin: several messages may wait for the same morning.
 */
export function createDays(send: Send): (reached: Reached) => string {
  const days = new Map<string, string>()
  return ({ country, phone }) => {
    const place = placeOf(country, phone)
    let day = days.get(place)
    if (day === undefined) {
      const leavesAt = nextMarketingMoment(send.departsAt, place, send)
      const instant = Temporal.Instant.fromEpochMilliseconds(leavesAt.getTime())
      day = instant.toZonedDateTimeISO(send.timeZone).toPlainDate().toString()
      days.set(place, day)
    }
    return day
  }
}

/** The people who are left after some were dropped. Who is only counted for want of a consent stays. */
export function withoutDropped<One extends { phone: string }>(
  people: readonly One[],
  { consent }: Send,
  { stopped, unconsented }: { stopped: ReadonlySet<string>; unconsented: ReadonlySet<string> | undefined }
): One[] {
  const isEnforced = consent === 'enforce'
  return people.filter(({ phone }) => !(stopped.has(phone) || (isEnforced && unconsented?.has(phone))))
}

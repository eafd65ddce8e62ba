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

/** The send as the cap sees it; undefined without a cap. */
export function toCapped(send: Send, phones: readonly string[]): CappedSend | undefined {
  const { accountId, cap, departsAt } = send
  return cap && { accountId, cap, departsAt, phones }
}

/** The phones that are left after some were dropped. Who is only counted for want of a consent stays. */
export function withoutDropped(
  phones: readonly string[],
  { consent }: Send,
  { stopped, unconsented }: { stopped: ReadonlySet<string>; unconsented: ReadonlySet<string> | undefined }
): string[] {
  const isEnforced = consent === 'enforce'
  return phones.filter((phone) => !(stopped.has(phone) || (isEnforced && unconsented?.has(phone))))
}

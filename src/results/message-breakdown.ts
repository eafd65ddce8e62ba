import type { Static } from 'typebox'
import type { Sql } from '../database/database.ts'
import { notFound } from '../errors.ts'
import { findGroups, type Group } from '../stats/groups.store.ts'
import { type HourCounts, type MessageResults, toMessageResult } from './message-result.ts'
import {
  type HourCount,
  listMessageCounts,
  listOptedOutHours,
  listRecipientGroups,
  listRepliedHours,
  listVisitedHours
} from './message-results.store.ts'

const ERRORS_MAX = 100
/** The recipients of larger messages are counted by a request only until they have been counted once. */
const RECIPIENTS_MAX = 20_000

/** The results of a message, in all and in parts. One after the other: the caller may have a single connection. */
export async function readBreakdown(
  sql: Sql,
  { accountId, id }: { accountId: number; id: number }
): Promise<Static<typeof MessageResults>> {
  const [message] = await listMessageCounts(sql, { accountId, ids: [id] })
  if (!message) throw notFound('message')
  const { scheduledAt, clicked, recipients } = message
  const scope = { accountId, messageId: id, scheduledAt }
  const found = await findGroups(sql, scope)
  const isEnough = found !== undefined && (found.isCurrent || recipients > RECIPIENTS_MAX)
  const countedAt = isEnough ? found.countedAt : new Date()
  const groups = isEnough ? found.groups : await listRecipientGroups(sql, scope)
  const replied = await listRepliedHours(sql, scope)
  const optedOut = await listOptedOutHours(sql, scope)
  const visited = await listVisitedHours(sql, { ...scope, clicked })
  const of = (by: Group['by']) => groups.filter((group) => group.by === by)
  return {
    ...toMessageResult(message),
    counted_at: countedAt.toISOString(),
    hours: toHours({
      delivered: toHourCounts(of('delivered')),
      clicked: [...toHourCounts(of('clicked')), ...visited],
      replied,
      opted_out: optedOut
    }),
    countries: toSorted(of('country')).map(({ value, ...counts }) => ({ country: value, ...counts })),
    carriers: toSorted(of('carrier')).map(({ value, ...counts }) => ({ carrier: value, ...counts })),
    errors: toSorted(of('error'))
      .slice(0, ERRORS_MAX)
      .map(({ value, ...counts }) => ({ error: value, ...counts }))
  }
}

function toHourCounts(groups: readonly Group[]): HourCount[] {
  return groups.map(({ value, recipients }) => ({ hour: Number(value), count: recipients }))
}

type Happening = Exclude<keyof HourCounts, 'hour'>

function toHours(counts: Record<Happening, readonly HourCount[]>): HourCounts[] {
  const hours = new Map<number, HourCounts>()
  for (const [name, counted] of Object.entries(counts) as [Happening, readonly HourCount[]][]) {
    for (const { hour, count } of counted) {
      const row = hours.get(hour) ?? { hour, delivered: 0, clicked: 0, replied: 0, opted_out: 0 }
      row[name] += count
      hours.set(hour, row)
    }
  }
  return [...hours.values()].toSorted((a, b) => a.hour - b.hour)
}

/** The largest first. */
function toSorted(groups: readonly Group[]): Omit<Group, 'by'>[] {
  return groups
    .toSorted((a, b) => b.recipients - a.recipients || (a.value < b.value ? -1 : 1))
    .map(({ by: _, ...group }) => group)
}

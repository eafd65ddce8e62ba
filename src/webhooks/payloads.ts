import type { Sql } from '../database/database.ts'
import { listRecords } from './dispatch.store.ts'
import { toBody } from './post-round.ts'
import type { Payload, WebhookDelivery } from './webhook.ts'

/** A page of 1000 deliveries may name 500,000 events; an answer with this many is some megabytes. */
const EVENTS_MAX = 10_000

/** The bodies of deliveries, in their order, as they are sent; null where there is none to show. */
export async function readPayloads(
  sql: Sql,
  accountId: number,
  deliveries: readonly WebhookDelivery[]
): Promise<(Payload | null)[]> {
  let events = 0
  const shown = deliveries.filter(({ eventIds }) => {
    events += eventIds.length
    return events <= EVENTS_MAX
  })
  const records = await listRecords(sql, { accountId, eventIds: shown.flatMap(({ eventIds }) => eventIds) })
  const isShown = new Set(shown)
  return deliveries.map((delivery) => {
    if (!isShown.has(delivery)) return null
    const { eventId, type, createdAt, eventIds, isTest } = delivery
    const data = eventIds.flatMap((id) => records.get(id) ?? [])
    return data.length === 0 ? null : JSON.parse(toBody({ id: eventId, type, createdAt, isTest, data }))
  })
}

import type { Sql } from '../database/database.ts'
import { listBinds } from './carriers.store.ts'
import { STATUS_SECONDS } from './publish-statuses.ts'
import { firstServing, readCarriersNow } from './route-view.ts'
import type { RoutingTable } from './routing-table.ts'
import { listStatuses } from './statuses.store.ts'

/** How many segments or RCS a second the way of a batch takes; undefined when no limit is known. */
export type PaceOf = (way: string) => number | undefined

/**
 * Reads how fast carriers take messages: by the throughput of the carriers file and, while a carrier throttles, by the pace that was
 * learned from its answers. The first carrier of a way that is up and not draining counts; without one, the first.
 */
export async function readPaces(sql: Sql, routing: RoutingTable): Promise<PaceOf> {
  const now = await readCarriersNow(sql, routing)
  const binds = (await listBinds(sql)).flatMap(({ carrier, status }) =>
    status?.state === 'bound' ? [{ carrier, pace: status.pacePerSecond }] : []
  )
  const processes = (await listStatuses(sql, { seconds: STATUS_SECONDS })).flatMap(({ carrier, status }) =>
    status.isUp ? [{ carrier, pace: status.pacePerSecond }] : []
  )
  const learned = Map.groupBy([...binds, ...processes], ({ carrier }) => carrier)

  return (way) => {
    const carriers = routing.carriersOf(way)
    const carrier = firstServing(carriers, now) ?? carriers[0]
    if (carrier === undefined) return undefined
    const throughput = routing.find(carrier)?.traits.throughput || Number.POSITIVE_INFINITY
    // One that is not held back takes what the others leave.
    const paces = learned.get(carrier)?.map(({ pace }) => pace ?? Number.POSITIVE_INFINITY) ?? []
    const pace = paces.length > 0 ? paces.reduce((sum, each) => sum + each, 0) : Number.POSITIVE_INFINITY
    const perSecond = Math.min(throughput, pace)
    return Number.isFinite(perSecond) ? perSecond : undefined
  }
}

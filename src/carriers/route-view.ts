import Type, { type Static } from 'typebox'
import type { Sql } from '../database/database.ts'
import { Nullable } from '../schemas/nullable.ts'
import { listBinds } from './carriers.store.ts'
import { Pauses, sendingFields } from './pause.ts'
import { listPauses } from './pauses.store.ts'
import { STATUS_SECONDS } from './publish-statuses.ts'
import type { Route, RouteKey } from './routes.ts'
import type { RoutingTable } from './routing-table.ts'
import { listStatuses } from './statuses.store.ts'

/** What a route matches; null where it does not ask. */
export const routeKeyFields = {
  channel: Type.Enum(['sms', 'rcs']),
  prefix: Type.String({ description: 'The beginning of the numbers, without `+`; empty for all numbers.' }),
  account: Nullable(
    Type.Integer({ description: 'The account whose messages take it, and those of its sub-accounts.' })
  ),
  sender: Nullable(Type.String({ description: 'The sender of the SMS that take it.' })),
  category: Nullable(Type.Enum(['transactional', 'marketing']))
}

/** A carrier on a route. */
export const RouteCarrier = Type.Object(
  {
    name: Type.String(),
    is_up: Type.Boolean({ description: 'Whether anything can be sent through it now, by any process.' }),
    sending: sendingFields.sending,
    cost: Nullable(
      Type.Number({
        description:
          'What it costs per SMS segment or RCS message, as the carriers file says: for people, it decides nothing. Null where the file does not say it, and for everybody but the operator.'
      })
    ),
    agent: Nullable(Type.String({ description: 'The agent that it writes as, for RCS.' }))
  },
  { $id: 'RouteCarrier' }
)

export const RouteView = Type.Object(
  {
    ...routeKeyFields,
    carriers: Type.Array(RouteCarrier, { description: 'The first that is up and not draining sends.' }),
    try_next_on: Type.Optional(
      Type.Array(Type.String(), {
        description:
          'Statuses with which a carrier refuses an SMS that the next carrier is then asked to send. For the operator, where the carriers file names some.'
      })
    ),
    tries_max: Type.Optional(
      Type.Integer({ description: 'How many carriers are asked for one recipient, where `try_next_on` is.' })
    )
  },
  { $id: 'Route' }
)

export type RouteView = Static<typeof RouteView>
export type RouteCarrier = Static<typeof RouteCarrier>

export function toRouteKeyView({ channel, prefix, account, sender, category }: RouteKey) {
  return { channel, prefix, account: account ?? null, sender: sender ?? null, category: category ?? null }
}

/** `isPriced` is false for accounts: what a carrier costs is the operator's own affair. */
export function toRouteView(
  route: Route,
  { routing, now, isPriced }: { routing: RoutingTable; now: CarriersNow; isPriced: boolean }
): RouteView {
  const carriers = route.carriers.flatMap((name): RouteCarrier[] => {
    const carrier = routing.find(name)
    if (!carrier) return []
    const { traits } = carrier
    const cost = isPriced ? traits.cost : null
    return [
      { name, is_up: now.up.has(name), sending: now.pauses.of(name)?.mode ?? 'on', cost, agent: traits.agentId || null }
    ]
  })
  const { tryNextOn, triesMax = carriers.length } = route
  const tries = isPriced && tryNextOn && { try_next_on: tryNextOn, tries_max: Math.min(triesMax, carriers.length) }
  return { ...toRouteKeyView(route), carriers, ...tries }
}

/** How the carriers are doing, some seconds ago at most. */
export interface CarriersNow {
  /** The names of those that are up. */
  up: ReadonlySet<string>
  pauses: Pauses
}

export async function readCarriersNow(sql: Sql, routing: RoutingTable): Promise<CarriersNow> {
  return { up: await findUp(sql, routing), pauses: new Pauses(await listPauses(sql)) }
}

/** The first of these carriers that its route leads to: it is up, and gives way to no other. */
export function firstServing(carriers: readonly string[], { up, pauses }: CarriersNow): string | undefined {
  return carriers.find((name) => up.has(name) && !pauses.givesWay(name))
}

/** The names of the carriers that are up, by any process, some seconds ago at most. */
export async function findUp(sql: Sql, { file }: RoutingTable): Promise<Set<string>> {
  const binds = await listBinds(sql)
  const statuses = await listStatuses(sql, { seconds: STATUS_SECONDS })
  const bound = new Set(binds.filter(({ status }) => status?.state === 'bound').map(({ carrier }) => carrier))
  const sending = new Set(statuses.filter(({ status }) => status.isUp).map(({ carrier }) => carrier))
  const isUp = ({ name, kind }: (typeof file.carriers)[number]) => (kind.abilities.binds ? bound : sending).has(name)
  return new Set(file.carriers.filter(isUp).map(({ name }) => name))
}

export const routeExample: RouteView = {
  channel: 'sms',
  prefix: '33',
  account: 7,
  sender: null,
  category: 'marketing',
  carriers: [{ name: 'main', is_up: true, sending: 'on', cost: 0.032, agent: null }]
}

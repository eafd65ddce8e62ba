import type { CarrierKind, EventNames, PostedEvents } from '../carriers/kind.ts'
import type { PostedEvent } from '../carriers/posted-event.ts'
import type { RoutingTable } from '../carriers/routing-table.ts'
import type { Database } from '../database/database.ts'
import type { DueEvent } from './rbm-events.store.ts'

type Posting = CarrierKind & { events: PostedEvents<never> }

function postingKinds({ kinds }: Pick<RoutingTable, 'kinds'>): Posting[] {
  return kinds.filter((kind) => kind.events !== undefined) as Posting[]
}

/** Reads a kept event as the kind of its carrier does. */
export function readKeptEvent(routing: RoutingTable, { carrier, body, receivedAt }: DueEvent): PostedEvent {
  const known = routing.find(carrier)?.kind.events
  if (known) return known.read(body, receivedAt)
  // A carrier that has left the file no longer says its kind: the first kind that understands the event reads it.
  const readings = postingKinds(routing).map(({ events }) => events.read(body, receivedAt))
  const reading = readings.find(({ kind }) => kind !== 'other') ?? readings[0]
  if (!reading) throw new Error('No kind of carrier posts events.')
  return reading
}

/** Under load, groups of reports share the names that the first of them has read. */
const NAMES_MS = 1_000
const lastNames = new WeakMap<RoutingTable, { file: object; untilMs: number; names: EventNames }>()

/** Reads recipients and agents out of kept events, by the carriers that are in use. */
export async function createNames(database: Database, routing: RoutingTable): Promise<EventNames> {
  const last = lastNames.get(routing)
  if (last && last.file === routing.file && performance.now() < last.untilMs) return last.names
  const names = await readNames(database, routing)
  lastNames.set(routing, { file: routing.file, untilMs: performance.now() + NAMES_MS, names })
  return names
}

async function readNames(database: Database, routing: RoutingTable): Promise<EventNames> {
  const names = new Map<string, EventNames>()
  for (const kind of postingKinds(routing)) {
    const carriers = routing.settingsOf(kind)
    const ofKind = await kind.events.createNames(database, carriers as never)
    for (const { name } of carriers) names.set(name, ofKind)
  }
  return {
    recipientOf: (carrier, report) => names.get(carrier)?.recipientOf(carrier, report) ?? 'unknown',
    agentOf: (carrier, event) => names.get(carrier)?.agentOf(carrier, event) ?? event.agentId
  }
}

import Type from 'typebox'
import { OPERATOR_ONLY, refuseUnlessOperator } from '../accounts/operator.ts'
import { operation } from '../http/operation.ts'
import { type BindView, type CarrierView, createCarrierView, type ProcessView } from './carrier-view.ts'
import { type HeldBind, listBinds, listIdForms } from './carriers.store.ts'
import { toSendingView } from './pause.ts'
import { STATUS_SECONDS } from './publish-statuses.ts'
import { readCarriersNow } from './route-view.ts'
import type { RoutingTable } from './routing-table.ts'
import { listStatuses, type StoredStatus } from './statuses.store.ts'

export function listCarriers(routing: RoutingTable) {
  return operation({
    route: 'GET /carriers',
    id: 'listCarriers',
    tag: 'Beyond',
    permission: 'read',
    summary: 'Carriers and their binds (operator)',
    description:
      'Every carrier of the carriers file, with the binds that any process of the cluster holds, or for RCS with every process that sends: their state, window, rate and last error, some seconds old at most.',
    answer: Type.Array(createCarrierView(routing.kinds.map(({ name }) => name))),
    example: { answer: routing.kinds.map(({ example }) => example) },
    refusals: OPERATOR_ONLY,
    async handle({ caller, database }) {
      refuseUnlessOperator(caller)
      const { up, pauses } = await readCarriersNow(database, routing)
      const [binds, idForms] = [await listBinds(database), await listIdForms(database)]
      const statuses = await listStatuses(database, { seconds: STATUS_SECONDS })
      return routing.file.carriers.map(({ name, kind, traits }) => {
        const ownBinds = binds.filter(({ carrier }) => carrier === name)
        const ownStatuses = statuses.filter(({ carrier }) => carrier === name)
        return {
          ...toSendingView(name, pauses.of(name)),
          type: kind.name,
          channels: [...kind.channels],
          is_up: up.has(name),
          cost: traits.cost,
          sessions: traits.sessions,
          message_id_format: traits.idFormat,
          learned_id_form: traits.idFormat && (idForms.find(({ carrier }) => carrier === name)?.idForm ?? null),
          routes: routesOf(routing, name),
          binds: ownBinds.flatMap(toBindView),
          processes: ownStatuses.map(toProcessView)
        }
      })
    }
  })
}

function routesOf({ file }: RoutingTable, name: string): CarrierView['routes'] {
  return file.routes.flatMap(({ carriers, ...key }) =>
    carriers.includes(name) ? { ...key, rank: carriers.indexOf(name) + 1 } : []
  )
}

/** A bind that was claimed a moment ago has no status yet. */
function toBindView({ slot, owner, status }: HeldBind): BindView[] {
  if (!status) return []
  return [
    {
      slot,
      state: status.state,
      mode: status.mode,
      process: owner,
      window: status.window,
      window_used: status.windowUsed,
      submits_per_second: status.submitsPerSecond,
      pace_per_second: status.pacePerSecond,
      bound_at: status.boundAt,
      stalled_since: status.stalledSince ?? null, // A process of an older version does not say it.
      last_error: status.lastError
    }
  ]
}

function toProcessView({ owner, status }: StoredStatus): ProcessView {
  return {
    process: owner,
    is_up: status.isUp,
    in_flight: status.inFlight,
    capacity: status.capacity,
    submits_per_second: status.submitsPerSecond,
    pace_per_second: status.pacePerSecond,
    last_error: status.lastError
  }
}

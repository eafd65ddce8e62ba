import Type, { type Static } from 'typebox'
import { OPERATOR_ONLY, refuseUnlessOperator } from '../accounts/operator.ts'
import { operation } from '../http/operation.ts'
import { Nullable } from '../schemas/nullable.ts'
import { type HeldBind, listBinds, listIdForms } from './carriers.store.ts'
import type { CarriersInUse } from './carriers-in-use.ts'
import { STATUS_SECONDS } from './publish-statuses.ts'
import { listStatuses, type ToldStatus } from './statuses.store.ts'

const BindView = Type.Object(
  {
    slot: Type.Integer({ description: 'Which of the carrier’s sessions, from 1.' }),
    state: Type.Enum(['connecting', 'binding', 'bound', 'waiting', 'unbinding']),
    mode: Type.Enum(['transceiver', 'transmitter+receiver']),
    process: Type.String({ description: 'The process that holds it.' }),
    window: Type.Integer(),
    window_used: Type.Integer(),
    submits_per_second: Type.Number({ description: 'In the last ten seconds.' }),
    pace_per_second: Nullable(
      Type.Number({ description: 'What it is held to now: its throughput, or less while the carrier throttles.' })
    ),
    bound_at: Nullable(Type.String({ format: 'date-time' })),
    stalled_since: Nullable(
      Type.String({
        format: 'date-time',
        description: 'Since when its window has been full and the carrier has answered nothing.'
      })
    ),
    last_error: Nullable(Type.Object({ at: Type.String({ format: 'date-time' }), message: Type.String() }))
  },
  { $id: 'CarrierBind' }
)

const ProcessView = Type.Object(
  {
    process: Type.String({ description: 'The process that sends through it.' }),
    is_up: Type.Boolean(),
    in_flight: Type.Integer({ description: 'Messages that were handed over and have no outcome yet.' }),
    capacity: Type.Integer({ description: 'How many it takes at once now; 0 while the platform is not to be asked.' }),
    submits_per_second: Type.Number({ description: 'In the last ten seconds.' }),
    pace_per_second: Nullable(Type.Number({ description: 'What it is held to while the platform throttles.' })),
    last_error: Nullable(Type.Object({ at: Type.String({ format: 'date-time' }), message: Type.String() }))
  },
  { $id: 'CarrierProcess' }
)

const CarrierView = Type.Object(
  {
    name: Type.String(),
    type: Type.Enum(['smpp', 'rbm']),
    is_up: Type.Boolean({ description: 'Whether anything can be sent through it now, by any process.' }),
    sessions: Type.Integer({ description: 'How many binds it may have in the whole cluster; 0 for RCS.' }),
    message_id_format: Nullable(
      Type.String({ description: 'How its receipts write message ids, as the carriers file says: `auto` is learned.' })
    ),
    learned_id_form: Nullable(Type.String({ description: '`as-is`, `hex` or `dec`, once it was seen.' })),
    routes: Type.Array(
      Type.Object({
        channel: Type.Enum(['sms', 'rcs']),
        prefix: Type.String(),
        rank: Type.Integer({ description: '1 is the first that is tried.' })
      })
    ),
    binds: Type.Array(BindView),
    processes: Type.Array(ProcessView, {
      description: 'Of an RCS carrier, which has no binds: how each process that delivers is doing with it.'
    })
  },
  { $id: 'Carrier' }
)

export function listCarriers(inUse: CarriersInUse) {
  return operation({
    route: 'GET /carriers',
    id: 'listCarriers',
    tag: 'Beyond',
    summary: 'Carriers and their binds (operator)',
    description:
      'Every carrier of the carriers file, with the binds that any process of the cluster holds, or for RCS with every process that sends: their state, window, rate and last error, some seconds old at most.',
    answer: Type.Array(CarrierView),
    example: { answer: [carrierExample, rcsCarrierExample] },
    refusals: OPERATOR_ONLY,
    async handle({ caller, database }) {
      refuseUnlessOperator(caller)
      const [binds, idForms] = [await listBinds(database), await listIdForms(database)]
      const statuses = await listStatuses(database, { seconds: STATUS_SECONDS })
      const ofSmpp = inUse.file.smpp.map((settings): Static<typeof CarrierView> => {
        const own = binds.filter(({ carrier }) => carrier === settings.name)
        return {
          name: settings.name,
          type: 'smpp',
          is_up: own.some(({ status }) => status?.state === 'bound'),
          sessions: settings.sessions,
          message_id_format: settings.messageIdFormat,
          learned_id_form: idForms.find(({ carrier }) => carrier === settings.name)?.idForm ?? null,
          routes: routesOf(inUse, settings.name),
          binds: own.flatMap(toBindView),
          processes: []
        }
      })
      const ofRbm = inUse.file.rbm.map(({ name }): Static<typeof CarrierView> => {
        const own = statuses.filter(({ carrier }) => carrier === name)
        return {
          name,
          type: 'rbm',
          is_up: own.some(({ status }) => status.isUp),
          sessions: 0,
          message_id_format: null,
          learned_id_form: null,
          routes: routesOf(inUse, name),
          binds: [],
          processes: own.map(toProcessView)
        }
      })
      return [...ofSmpp, ...ofRbm]
    }
  })
}

function routesOf({ file }: CarriersInUse, name: string): Static<typeof CarrierView>['routes'] {
  return file.routes.flatMap(({ channel, prefix, carriers }) =>
    carriers.includes(name) ? { channel, prefix, rank: carriers.indexOf(name) + 1 } : []
  )
}

/** One that was claimed a moment ago has not told yet how it is doing. */
function toBindView({ slot, owner, status }: HeldBind): Static<typeof BindView>[] {
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
      stalled_since: status.stalledSince ?? null, // One of an older version does not tell.
      last_error: status.lastError
    }
  ]
}

function toProcessView({ owner, status }: ToldStatus): Static<typeof ProcessView> {
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

const carrierExample: Static<typeof CarrierView> = {
  name: 'main',
  type: 'smpp',
  is_up: true,
  sessions: 1,
  message_id_format: 'auto',
  learned_id_form: 'dec',
  routes: [{ channel: 'sms', prefix: '', rank: 1 }],
  binds: [
    {
      slot: 1,
      state: 'bound',
      mode: 'transceiver',
      process: '6c9bd1c4-6a4e-4f0e-9a53-0d6f6f1d7a55',
      window: 100,
      window_used: 12,
      submits_per_second: 640.5,
      pace_per_second: null,
      bound_at: '2026-11-15T09:30:00.000Z',
      stalled_since: null,
      last_error: null
    }
  ],
  processes: []
}

const rcsCarrierExample: Static<typeof CarrierView> = {
  name: 'rcs',
  type: 'rbm',
  is_up: true,
  sessions: 0,
  message_id_format: null,
  learned_id_form: null,
  routes: [{ channel: 'rcs', prefix: '', rank: 1 }],
  binds: [],
  processes: [
    {
      process: '6c9bd1c4-6a4e-4f0e-9a53-0d6f6f1d7a55',
      is_up: true,
      in_flight: 12,
      capacity: 100,
      submits_per_second: 180.2,
      pace_per_second: null,
      last_error: null
    }
  ]
}

import Type, { type Static } from 'typebox'
import { Nullable } from '../schemas/nullable.ts'
import { sendingFields } from './pause.ts'

export const BindView = Type.Object(
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

export const ProcessView = Type.Object(
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

/** One carrier of GET /carriers. */
export function createCarrierView(kinds: readonly string[]) {
  return Type.Object(
    {
      name: Type.String(),
      type: Type.Enum(kinds as string[]),
      channels: Type.Array(Type.Enum(['sms', 'rcs']), { description: 'What its type can send.' }),
      is_up: Type.Boolean({ description: 'Whether anything can be sent through it now, by any process.' }),
      ...sendingFields,
      cost: Nullable(
        Type.Number({
          description: 'What an SMS segment or an RCS message costs, as the carriers file says. It decides nothing.'
        })
      ),
      sessions: Type.Integer({
        description: 'How many binds it may have in the whole cluster; 0 for a carrier without binds, such as RCS.'
      }),
      message_id_format: Nullable(
        Type.String({
          description: 'How its receipts write message ids, as the carriers file says: `auto` is learned.'
        })
      ),
      learned_id_form: Nullable(Type.String({ description: '`as-is`, `hex` or `dec`, once it was seen.' })),
      routes: Type.Array(
        Type.Object({
          channel: Type.Enum(['sms', 'rcs']),
          prefix: Type.String(),
          account: Type.Optional(Type.Integer({ description: 'Only messages of this account and its sub-accounts.' })),
          sender: Type.Optional(Type.String({ description: 'Only SMS with this sender.' })),
          category: Type.Optional(Type.Enum(['transactional', 'marketing'])),
          rank: Type.Integer({ description: '1 is the first that is tried.' })
        })
      ),
      binds: Type.Array(BindView),
      processes: Type.Array(ProcessView, {
        description: 'Of a carrier without binds, as RCS has them: how each process that delivers is doing with it.'
      })
    },
    { $id: 'Carrier' }
  )
}

export type BindView = Static<typeof BindView>
export type ProcessView = Static<typeof ProcessView>
export type CarrierView = Static<ReturnType<typeof createCarrierView>>

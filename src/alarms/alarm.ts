import Type, { type Static } from 'typebox'
import { Paginated } from '../http/paging.ts'
import { Nullable } from '../schemas/nullable.ts'

export const ALARM_KINDS = [
  'carrier_down',
  'delivery_rate_low',
  'queue_old',
  'webhook_disabled',
  'key_expires',
  'certificate_expires',
  'disk_low',
  'database_large'
] as const

export type AlarmKind = (typeof ALARM_KINDS)[number]

/** Something that is wrong at this moment. */
export interface Trouble {
  /** The account that is told. */
  accountId: number
  kind: AlarmKind
  /** Tells troubles of a kind apart. */
  subject: string
  /** What it is about, for people. */
  name: string
  value: number | null
  bound: number | null
}

export interface Alarm extends Trouble {
  id: number
  raisedAt: Date
  overAt: Date | null
}

/** How long a trouble must last before it is told: a carrier that binds again at once wakes nobody. */
export const HOLD_SECONDS: Readonly<Record<AlarmKind, number>> = {
  carrier_down: 60,
  delivery_rate_low: 0,
  queue_old: 30,
  webhook_disabled: 0,
  key_expires: 0,
  certificate_expires: 0,
  disk_low: 60,
  database_large: 60
}

const fields = {
  kind: Type.Enum([...ALARM_KINDS], {
    description:
      '`webhook_disabled` and `key_expires` are told to the account that they belong to, all others to the operator.'
  }),
  name: Type.String({
    description:
      'What it is about: a carrier, with a country for `delivery_rate_low`; `transactional` or `marketing` for `queue_old`; the address of a webhook, the name of a key, a file (with the carrier that trusts it) or a folder.'
  }),
  value: Nullable(
    Type.Number({
      description:
        'Percent for `delivery_rate_low` and for `disk_low` (free), seconds for `queue_old`, days left for what expires (below zero after its end), gigabytes for `database_large`.'
    })
  ),
  bound: Nullable(
    Type.Number({ description: 'What `value` is held against: for `delivery_rate_low` the percent of the past week.' })
  )
}

const AlarmView = Type.Object(
  {
    id: Type.Integer(),
    ...fields,
    raised_at: Type.String({ format: 'date-time' }),
    over_at: Nullable(Type.String({ format: 'date-time', description: 'Null while it lasts.' }))
  },
  { $id: 'Alarm' }
)

export const AlarmPage = Paginated(AlarmView, 'AlarmPage')

export const AlarmEvent = Type.Object(
  {
    alarm_id: Type.Integer(),
    state: Type.Enum(['raised', 'over']),
    ...fields,
    timestamp: Type.String({ format: 'date-time' })
  },
  { $id: 'AlarmEvent' }
)

export function toAlarmView({ id, kind, name, value, bound, raisedAt, overAt }: Alarm): Static<typeof AlarmView> {
  return { id, kind, name, value, bound, raised_at: raisedAt.toISOString(), over_at: overAt?.toISOString() ?? null }
}

export function toAlarmEvent(alarm: Alarm): Static<typeof AlarmEvent> {
  const { id, kind, name, value, bound, raisedAt, overAt } = alarm
  const state = overAt ? 'over' : 'raised'
  return { alarm_id: id, state, kind, name, value, bound, timestamp: (overAt ?? raisedAt).toISOString() }
}

export const alarmExample: Static<typeof AlarmView> = {
  id: 3,
  kind: 'carrier_down',
  name: 'main',
  value: null,
  bound: null,
  raised_at: '2026-11-15T09:30:00.000Z',
  over_at: null
}

export const alarmEventExample: Static<typeof AlarmEvent> = {
  alarm_id: 3,
  state: 'raised',
  kind: 'queue_old',
  name: 'transactional',
  value: 75,
  bound: 60,
  timestamp: '2026-11-15T09:30:00.000Z'
}

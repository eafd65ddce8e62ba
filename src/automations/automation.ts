import Type, { type Static } from 'typebox'
import { Paginated } from '../http/paging.ts'
import { ID_MAX } from '../schemas/ids.ts'
import { Nullable } from '../schemas/nullable.ts'
import { isRcsRequest } from '../sends/depart.ts'
import { laterMessageFields } from '../sends/later-message.ts'
import { SCHEDULE_LENGTH_MAX } from './schedule.ts'

export interface Automation {
  accountId: number
  id: number
  name: string
  schedule: string
  isOnce: boolean
  contactlist: number[]
  segmentIds: number[]
  request: Record<string, unknown>
  nextAt: Date | null
  lastRunAt: Date | null
  /** Why the last run sent nothing; null if it was not refused. */
  lastProblem: string | null
  createdAt: Date
  updatedAt: Date
}

export interface AutomationRun {
  id: number
  dueAt: Date
  ranAt: Date
  messageId: number | null
  problem: string | null
}

const ids = (description: string) =>
  Type.Optional(Type.Array(Type.Integer({ minimum: 1, maximum: ID_MAX }), { minItems: 1, maxItems: 100, description }))

const given = {
  name: Type.String({ minLength: 1, maxLength: 255 }),
  schedule: Type.String({
    maxLength: SCHEDULE_LENGTH_MAX,
    description:
      'Minute, hour, day of the month, month and day of the week, as in a crontab, in the account’s time zone: `0 10 * * *` is every day at ten. Two times are at least 5 minutes apart.'
  }),
  contactlist: ids('Ids of contact lists. Everybody on them gets the message.'),
  segments: ids('Ids of segments. Who fits is found at each run.')
}

export const AutomationInput = Type.Object(
  {
    ...given,
    is_on: Type.Optional(Type.Boolean({ description: 'Whether it runs. Default: true.' })),
    once: Type.Optional(
      Type.Boolean({
        description: 'Whether each person gets it at most once, over all runs: such as a welcome. Default: false.'
      })
    ),
    ...laterMessageFields
  },
  { $id: 'AutomationDto' }
)
export type AutomationInput = Static<typeof AutomationInput>

export const AutomationView = Type.Object(
  {
    id: Type.Integer(),
    ...given,
    is_on: Type.Boolean(),
    once: Type.Boolean(),
    channel: Type.Enum(['sms', 'rcs']),
    message: Type.Unsafe<Record<string, unknown>>({
      type: 'object',
      additionalProperties: true,
      description: 'The fields of the send, with the content of the template that was named.'
    }),
    next_at: Nullable(Type.String({ format: 'date-time', description: 'The next run; null while it is off.' })),
    last_run_at: Nullable(Type.String({ format: 'date-time' })),
    last_problem: Nullable(
      Type.String({ description: 'Why the last run was refused; null if it was not, and before the first one.' })
    ),
    created_at: Type.String({ format: 'date-time' }),
    updated_at: Type.String({ format: 'date-time' })
  },
  { $id: 'Automation' }
)
export const AutomationPage = Paginated(AutomationView, 'AutomationPage')

const AutomationRunView = Type.Object(
  {
    id: Type.Integer(),
    due_at: Type.String({ format: 'date-time' }),
    ran_at: Type.String({ format: 'date-time' }),
    message_id: Nullable(Type.Integer({ description: 'The message that it sent.' })),
    problem: Nullable(Type.String({ description: 'Why it sent none.' }))
  },
  { $id: 'AutomationRun' }
)
export const AutomationRunPage = Paginated(AutomationRunView, 'AutomationRunPage')

export function toAutomationView(automation: Automation): Static<typeof AutomationView> {
  const { id, name, schedule, contactlist, segmentIds, request, nextAt } = automation
  return {
    id,
    name,
    schedule,
    ...(contactlist.length > 0 && { contactlist }),
    ...(segmentIds.length > 0 && { segments: segmentIds }),
    is_on: nextAt !== null,
    once: automation.isOnce,
    channel: isRcsRequest(request) ? 'rcs' : 'sms',
    message: request,
    next_at: nextAt?.toISOString() ?? null,
    last_run_at: automation.lastRunAt?.toISOString() ?? null,
    last_problem: automation.lastProblem,
    created_at: automation.createdAt.toISOString(),
    updated_at: automation.updatedAt.toISOString()
  }
}

export function toRunView({ id, dueAt, ranAt, messageId, problem }: AutomationRun): Static<typeof AutomationRunView> {
  return { id, due_at: dueAt.toISOString(), ran_at: ranAt.toISOString(), message_id: messageId, problem }
}

export const inputExample: AutomationInput = {
  name: 'Anniversaires',
  schedule: '0 10 * * *',
  segments: [5],
  sms: { content: 'Joyeux anniversaire #prenom# !', category: 'marketing' }
}

export const automationExample: Static<typeof AutomationView> = {
  id: 2,
  name: inputExample.name,
  schedule: inputExample.schedule,
  segments: [5],
  is_on: true,
  once: false,
  channel: 'sms',
  message: { content: 'Joyeux anniversaire #prenom# !', category: 'marketing' },
  next_at: '2026-11-16T09:00:00.000Z',
  last_run_at: null,
  last_problem: null,
  created_at: '2026-11-15T09:30:00.000Z',
  updated_at: '2026-11-15T09:30:00.000Z'
}

export const runExample: Static<typeof AutomationRunView> = {
  id: 12,
  due_at: '2026-11-16T09:00:00.000Z',
  ran_at: '2026-11-16T09:00:01.120Z',
  message_id: 7,
  problem: null
}

import Type, { type Static } from 'typebox'
import { Paginated } from '../http/paging.ts'
import { Nullable } from '../schemas/nullable.ts'
import { ContactListIds, SegmentIds } from '../sends/audience-fields.ts'
import { isRcsRequest } from '../sends/depart.ts'
import { laterMessageFields } from '../sends/later-message.ts'
import {
  CERTAINTIES,
  certaintyOf,
  type DecideBy,
  describeChoice,
  type Figures,
  judge,
  MEASURES,
  NO_FIGURES
} from './verdict.ts'

const TRIAL_STATES = ['scheduled', 'testing', 'chosen', 'cancelled', 'failed'] as const
export type TrialState = (typeof TRIAL_STATES)[number]

export interface Variant {
  label: string
  /** The fields of the send, with the content of the template that was named. */
  request: Record<string, unknown>
}

/** A choice with the figures that it was made by. */
export interface Choice {
  winner: number
  isByHand: boolean
  chosenAt: string
  figures: Figures[]
}

export interface Trial {
  accountId: number
  id: number
  name: string
  state: TrialState
  contactlist: number[]
  segmentIds: number[]
  share: number
  decideBy: DecideBy
  decideAfterMinutes: number | null
  variants: Variant[]
  /** The variables whose values the people of the trial have. */
  variables: string[]
  messageIds: number[]
  restCount: number
  dueAt: Date | null
  begunAt: Date | null
  choice: Choice | null
  restMessageId: number | null
  problem: string | null
  createdAt: Date
}

/** The most that a message's name holds has room for both, and a dash. */
const NAME_LENGTH_MAX = 100
const LABEL_LENGTH_MAX = 15
const MINUTES_MIN = 5
const MINUTES_MAX = 7 * 24 * 60

const SHARE_WORDS =
  'How much of the audience is tested, in percent, over all variants. With 100 there is no rest: the variants are only compared.'
const share = (description: string) => Type.Integer({ minimum: 1, maximum: 100, description })

const given = {
  name: Type.String({ minLength: 1, maxLength: NAME_LENGTH_MAX }),
  share: share(SHARE_WORDS),
  decide_by: Type.Enum(MEASURES, {
    description:
      'What decides: the people who clicked the tracked link, who replied, or whose message was delivered, each of all who were written to; or a person, by `hand`.'
  })
}

const minutes = Type.Integer({
  minimum: MINUTES_MIN,
  maximum: MINUTES_MAX,
  description:
    'How long after the variants leave the service chooses, up to a week. While more than half of the people of a variant wait to be sent to, it waits. Not with `hand`.'
})

export const TrialInput = Type.Object(
  {
    ...given,
    share: Type.Optional(share(`${SHARE_WORDS} Default: 20.`)),
    contactlist: Type.Optional(ContactListIds),
    segments: Type.Optional(SegmentIds),
    scheduleAt: Type.Optional(
      Type.String({
        maxLength: 64,
        description:
          'When it begins, in ISO 8601; at most a year from now. Its people are found then. Absent or past: now.'
      })
    ),
    decide_after_minutes: Type.Optional(minutes),
    variants: Type.Array(
      Type.Object({
        label: Type.Optional(
          Type.String({
            minLength: 1,
            maxLength: LABEL_LENGTH_MAX,
            description: 'What people call the variant. Default: A, B, C or D, by its place.'
          })
        ),
        ...laterMessageFields
      }),
      { minItems: 2, maxItems: 4, description: 'Two to four messages of one channel and one category.' }
    )
  },
  { $id: 'TrialDto' }
)
export type TrialInput = Static<typeof TrialInput>

const moment = (description?: string) =>
  Nullable(Type.String({ format: 'date-time', ...(description && { description }) }))

const summaryFields = {
  id: Type.Integer(),
  ...given,
  state: Type.Enum(TRIAL_STATES, {
    description:
      '`scheduled`: it begins later. `testing`: the variants have been sent, and the rest waits. `chosen`: a variant won. `cancelled`. `failed`: it could not begin; `problem` says why.'
  }),
  channel: Type.Enum(['sms', 'rcs']),
  contactlist: Type.Optional(Type.Array(Type.Integer())),
  segments: Type.Optional(Type.Array(Type.Integer())),
  decide_after_minutes: Nullable(minutes),
  begins_at: moment('When a scheduled trial begins.'),
  begun_at: moment(),
  decides_at: moment('When the service chooses; null when a person must.'),
  labels: Type.Array(Type.String(), { description: 'The variants, in their order.' }),
  winner: Nullable(Type.String({ description: 'The label of the variant that was chosen.' })),
  rest: Type.Object({
    recipients: Type.Integer({ description: 'People who were not tested.' }),
    message_id: Nullable(Type.Integer({ description: 'The message to them, once a variant was chosen.' }))
  }),
  problem: Nullable(
    Type.String({
      description: 'Why it could not begin, or why the rest was not sent. In the second case, choose again.'
    })
  ),
  created_at: Type.String({ format: 'date-time' })
}

export const TrialSummary = Type.Object(summaryFields, { $id: 'TrialSummary' })
export const TrialPage = Paginated(TrialSummary, 'TrialPage')

const figureFields = {
  label: Type.String(),
  recipients: Type.Integer(),
  counted: Type.Integer({
    description: 'Recipients but for those who were cancelled, or opted out before it left. `rate` is of these.'
  }),
  sent: Type.Integer({ description: 'Recipients that a carrier accepted.' }),
  delivered: Type.Integer(),
  clicked: Type.Integer(),
  replied: Type.Integer(),
  opted_out: Type.Integer(),
  rate: Nullable(
    Type.Number({ minimum: 0, maximum: 1, description: 'By what decides; null for `hand`, and with nobody counted.' })
  ),
  chance: Nullable(
    Type.Number({
      minimum: 0,
      maximum: 1,
      description:
        'The chance that this variant really is the best, by these figures: each true rate is taken as unknown, and all rates as equally likely before. Null for `hand`.'
    })
  )
}

const ChoiceView = Type.Object({
  winner: Type.String({ description: 'The label of the variant.' }),
  by_hand: Type.Boolean({ description: 'Whether a person chose, and not the figures.' }),
  chosen_at: Type.String({ format: 'date-time' }),
  certainty: Nullable(
    Type.Enum(CERTAINTIES, {
      description:
        'How sure it is that the winner is the best: `sure` from a chance of 95 %, `likely` from 80 %, else `open`; `too_few` when a variant has fewer than 30 people counted, or fewer than 5 people of all did what decides. Null for `hand`.'
    })
  ),
  summary: Type.String({ description: 'The choice in words.' }),
  figures: Type.Array(Type.Object(figureFields), { description: 'As they were at the choice.' })
})

export const TrialView = Type.Object(
  {
    ...summaryFields,
    variants: Type.Array(
      Type.Object({
        ...figureFields,
        message: Type.Unsafe<Record<string, unknown>>({
          type: 'object',
          additionalProperties: true,
          description: 'The fields of the send, with the content of the template that was named.'
        }),
        message_id: Nullable(Type.Integer({ description: 'The message to those who were tested.' }))
      }),
      { description: 'With the figures as they are now.' }
    ),
    choice: Nullable(ChoiceView)
  },
  { $id: 'Trial' }
)

export function toTrialSummary(trial: Trial): Static<typeof TrialSummary> {
  const { id, name, state, share, decideBy, contactlist, segmentIds, variants, choice, dueAt } = trial
  return {
    id,
    name,
    share,
    decide_by: decideBy,
    state,
    channel: isRcsRequest(variants[0]?.request ?? {}) ? 'rcs' : 'sms',
    ...(contactlist.length > 0 && { contactlist }),
    ...(segmentIds.length > 0 && { segments: segmentIds }),
    decide_after_minutes: trial.decideAfterMinutes,
    begins_at: state === 'scheduled' ? (dueAt?.toISOString() ?? null) : null,
    begun_at: trial.begunAt?.toISOString() ?? null,
    decides_at: state === 'testing' ? (dueAt?.toISOString() ?? null) : null,
    labels: labelsOf(trial),
    winner: choice ? (labelsOf(trial)[choice.winner] ?? null) : null,
    rest: { recipients: trial.restCount, message_id: trial.restMessageId },
    problem: trial.problem,
    created_at: trial.createdAt.toISOString()
  }
}

export function labelsOf({ variants }: Pick<Trial, 'variants'>): string[] {
  return variants.map(({ label }) => label)
}

/** `figures` are those of now, by variant. */
export function toTrialView(trial: Trial, figures: readonly Figures[]): Static<typeof TrialView> {
  const shown = toFigureViews(trial, figures)
  return {
    ...toTrialSummary(trial),
    variants: trial.variants.map(({ request }, index) => ({
      ...(shown[index] as (typeof shown)[number]),
      message: request,
      message_id: trial.messageIds[index] ?? null
    })),
    choice: trial.choice ? toChoiceView(trial, trial.choice) : null
  }
}

function toFigureViews({ variants, decideBy }: Trial, figures: readonly Figures[]) {
  const all = variants.map((_, index) => figures[index] ?? NO_FIGURES)
  const { rates, chances } = judge(all, decideBy)
  return variants.map(({ label }, index) => {
    const { optedOut, ...counts } = all[index] ?? NO_FIGURES
    return { label, ...counts, opted_out: optedOut, rate: rates[index] ?? null, chance: chances?.[index] ?? null }
  })
}

function toChoiceView(trial: Trial, choice: Choice): Static<typeof ChoiceView> {
  const { decideBy } = trial
  const { winner, isByHand, figures } = choice
  const labels = labelsOf(trial)
  const certainty = certaintyOf(figures, decideBy, judge(figures, decideBy).chances?.[winner])
  return {
    winner: labels[winner] ?? '',
    by_hand: isByHand,
    chosen_at: choice.chosenAt,
    certainty,
    summary: describeChoice({ winner, isByHand }, { labels, figures, decideBy, certainty }),
    figures: toFigureViews(trial, figures)
  }
}

/** Why the messages of a trial may be refused. */
export const TRIAL_REFUSALS = {
  insufficient_credits: 'There are not enough credits; `details` tells required, remaining, missing.',
  sender_not_allowed: 'The sender register does not let the account use this sender; the sentence says why.'
}

export const inputExample: TrialInput = {
  name: 'Soldes',
  segments: [5],
  share: 20,
  decide_by: 'clicks',
  decide_after_minutes: 120,
  variants: ['Soldes : -20 % #SHORTURL#', 'Tout doit partir ! #SHORTURL#'].map((content) => ({
    sms: {
      content,
      category: 'marketing' as const,
      shorturl: { mode: 'unique' as const, url: 'https://boutique.example/soldes' }
    }
  }))
}

const exampleTrial: Trial = {
  accountId: 1,
  id: 3,
  name: inputExample.name,
  state: 'chosen',
  contactlist: [],
  segmentIds: [5],
  share: 20,
  decideBy: 'clicks',
  decideAfterMinutes: 120,
  variants: inputExample.variants.map(({ sms }, index) => ({ label: 'AB'[index] ?? '', request: { ...sms } })),
  variables: [],
  messageIds: [7, 8],
  restCount: 1_600,
  dueAt: null,
  begunAt: new Date('2026-11-16T09:00:00Z'),
  choice: {
    winner: 1,
    isByHand: false,
    chosenAt: '2026-11-16T11:00:00.000Z',
    figures: [
      { recipients: 200, counted: 200, sent: 200, delivered: 196, clicked: 18, replied: 1, optedOut: 2 },
      { recipients: 200, counted: 200, sent: 200, delivered: 197, clicked: 34, replied: 0, optedOut: 1 }
    ]
  },
  restMessageId: 9,
  problem: null,
  createdAt: new Date('2026-11-16T09:00:00Z')
}

export const trialExample = toTrialView(exampleTrial, exampleTrial.choice?.figures ?? [])
export const summaryExample = toTrialSummary(exampleTrial)

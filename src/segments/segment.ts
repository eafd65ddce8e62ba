import Type, { type Static } from 'typebox'
import { Paginated } from '../http/paging.ts'
import { type Rules, ruleInput, ruleView } from './rules.ts'

export interface Segment {
  id: number
  name: string
  rules: Rules
  createdAt: Date
  updatedAt: Date
}

const name = Type.String({ minLength: 1, maxLength: 255 })

export const SegmentRules = Type.Object(ruleInput, { $id: 'SegmentRules' })
export const SegmentInput = Type.Object({ name, ...ruleInput }, { $id: 'SegmentDto' })

export const SegmentView = Type.Object(
  {
    id: Type.Integer(),
    name,
    ...ruleView,
    problems: Type.Array(Type.Object({ path: Type.String(), message: Type.String() }), {
      description:
        'Rules that name a field, a list or a message that is gone. With any of them, the segment can’t be counted or sent to.'
    }),
    created_at: Type.String({ format: 'date-time' }),
    updated_at: Type.String({ format: 'date-time' })
  },
  { $id: 'Segment' }
)
export const SegmentPage = Paginated(SegmentView, 'SegmentPage')

export const SegmentCount = Type.Object(
  { count: Type.Integer({ description: 'How many people fit the rules; a number in several lists counts once.' }) },
  { $id: 'SegmentCount' }
)

export type Problems = Static<typeof SegmentView>['problems']

export function toSegmentView(segment: Segment, problems: Problems): Static<typeof SegmentView> {
  return {
    id: segment.id,
    name: segment.name,
    ...segment.rules,
    problems,
    created_at: segment.createdAt.toISOString(),
    updated_at: segment.updatedAt.toISOString()
  }
}

/** People of list 3 who are not in list 4, live in Lyon, and either clicked lately or were not written to. */
export const rulesExample: Static<typeof SegmentRules> = {
  match: 'all',
  rules: [
    { type: 'list', op: 'in', list_id: 3 },
    { type: 'list', op: 'not_in', list_id: 4 },
    { type: 'field', field: 'champ_ville', op: 'is', value: 'Lyon' },
    {
      type: 'group',
      match: 'any',
      rules: [
        { type: 'event', event: 'clicked', op: 'happened', days: 90 },
        { type: 'event', event: 'written', op: 'not_happened', days: 30 }
      ]
    }
  ]
}

export const segmentExample: Static<typeof SegmentView> = {
  id: 5,
  name: 'Lyon, à relancer',
  ...rulesExample,
  problems: [],
  created_at: '2026-11-15T09:30:00.000Z',
  updated_at: '2026-11-15T09:30:00.000Z'
}

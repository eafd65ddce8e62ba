import type { Schemas } from '../../lib/api.ts'

/* The rules of a segment while they are edited. */

export type Rules = Schemas['SegmentRules']
export type Match = Rules['match']
type Any = Rules['rules'][number]
export type FieldRule = Extract<Any, { type: 'field' }>
export type ListRule = Extract<Any, { type: 'list' }>
export type EventRule = Extract<Any, { type: 'event' }>
export type Rule = FieldRule | ListRule | EventRule | Group
export interface Group {
  type: 'group'
  match: Match
  rules: Rule[]
}

/** Groups nest twice. */
export const DEPTH_MAX = 2

export const newField = (): FieldRule => ({ type: 'field', field: 'champ_ville', op: 'is', value: '' })
export const newList = (id: number): ListRule => ({ type: 'list', op: 'in', list_id: id })
export const newEvent = (): EventRule => ({ type: 'event', event: 'written', op: 'not_happened', days: DAYS_AT_FIRST })
export const newGroup = (): Group => ({ type: 'group', match: 'any', rules: [newField()] })

export const takesValue = (op: FieldRule['op']) => op !== 'empty' && op !== 'not_empty' && op !== 'anniversary'
export const takesDay = (op: FieldRule['op']) => op === 'before' || op === 'after'

/** How far back an event counts. */
export type Period = 'ever' | 'days' | 'since'
const DAYS_AT_FIRST = 30

export const periodOf = ({ days, since }: EventRule): Period =>
  days !== undefined ? 'days' : since !== undefined ? 'since' : 'ever'

export function withPeriod({ days: _days, since: _since, ...rest }: EventRule, period: Period): EventRule {
  if (period === 'ever') return rest
  return { ...rest, ...(period === 'days' ? { days: DAYS_AT_FIRST } : { since: '' }) }
}

/** Whether every rule says all that it needs. */
export function isComplete({ rules }: { rules: readonly Rule[] }): boolean {
  return (
    rules.length > 0 &&
    rules.every((rule) => {
      if (rule.type === 'group') return isComplete(rule)
      if (rule.type === 'list') return rule.list_id > 0
      if (rule.type === 'event') return rule.days !== 0 && rule.since !== ''
      return !takesValue(rule.op) || (rule.value ?? '').trim() !== ''
    })
  )
}

import Type, { type Static, type TSchema } from 'typebox'
import { CONTACT_FIELDS, FIELD_LENGTH_MAX, type WireField } from '../contacts/contact.ts'
import { type InputProblem, invalidInput } from '../errors.ts'
import { named } from '../http/described-schemas.ts'
import { ID_MAX } from '../schemas/ids.ts'

/*
 * The rules of a segment, as customers write them. A rule about a field looks at the contact itself. A rule about a list
 * or an event looks at the number of the contact, so it counts for the same person in every list.
 */

const RULES_MAX = 50
/** Each of these reads a list, or what happened to people: their number decides what a count costs. */
const LOOKUPS_MAX = 10
const DAYS_MAX = 3_650
/** How many days an anniversary may be ahead. */
const DAYS_BEFORE_MAX = 365

const WITH_TEXT = ['is', 'is_not', 'contains', 'not_contains'] as const
const WITH_DAY = ['before', 'after'] as const
const WITHOUT_VALUE = ['empty', 'not_empty', 'anniversary'] as const
export const EVENTS = ['written', 'delivered', 'clicked', 'replied', 'opted_in'] as const

/** `field` is the schema of the names of fields: all that exist for input, any text for what is stored. */
const fieldRule = <Field extends TSchema>(field: Field) =>
  Type.Object({
    type: Type.Literal('field'),
    field,
    op: Type.Enum([...WITH_TEXT, ...WITH_DAY, ...WITHOUT_VALUE], {
      description:
        '`is` and `contains` ignore case. `before` and `after` read the field as a day, `2026-12-24` or `24/12/2026`; a field that holds no day is neither. `anniversary` is true once a year, on the day and the month of the day in the field; 29 February falls on 28 February in other years.'
    }),
    value: Type.Optional(
      Type.String({
        maxLength: FIELD_LENGTH_MAX,
        description:
          'The text, or for `before` and `after` the day, as YYYY-MM-DD. Not for `empty`, `not_empty` and `anniversary`.'
      })
    ),
    days_before: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: DAYS_BEFORE_MAX,
        description: 'Only for `anniversary`: true so many days before it. Without it: on the day itself.'
      })
    )
  })

const listRule = Type.Object({
  type: Type.Literal('list'),
  op: Type.Enum(['in', 'not_in']),
  list_id: Type.Integer({ minimum: 1, maximum: ID_MAX, description: 'The id of a contact list.' })
})

const eventRule = Type.Object({
  type: Type.Literal('event'),
  event: Type.Enum([...EVENTS], {
    description:
      '`written`: a message left for the person. `delivered`, `clicked` (a link of their own), `replied` (anything but a STOP). `opted_in`: they have a consent.'
  }),
  op: Type.Enum(['happened', 'not_happened']),
  days: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: DAYS_MAX,
      description: 'Only within so many days before now. Without `days` and `since`: as long as messages are kept.'
    })
  ),
  since: Type.Optional(
    Type.String({ maxLength: 10, description: 'Only since this day, YYYY-MM-DD in the account’s time zone.' })
  ),
  message_id: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: ID_MAX,
      description: 'Only for this message. Not for `opted_in`.'
    })
  )
})

const match = Type.Enum(['all', 'any'], {
  description: '`all`: every rule must hold. `any`: one of them is enough.'
})

const group = <Rules extends TSchema>(rule: Rules) =>
  Type.Object({
    type: Type.Literal('group'),
    match,
    rules: Type.Array(rule, { minItems: 1, maxItems: RULES_MAX })
  })

/** The rules, with groups nested twice. `name` begins the names of those that the field makes different. */
function rulesOf<Field extends TSchema>(field: Field, name: string) {
  const one = named(fieldRule(field), `${name}FieldRule`)
  const list = named(listRule, 'SegmentListRule')
  const event = named(eventRule, 'SegmentEventRule')
  const inner = named(group(Type.Union([one, list, event])), `${name}InnerGroup`)
  const outer = named(group(Type.Union([one, list, event, inner])), `${name}Group`)
  return {
    match,
    rules: Type.Array(Type.Union([one, list, event, outer]), {
      minItems: 1,
      maxItems: RULES_MAX,
      description:
        'Rules about `field`s, `list`s and `event`s, and `group`s of them, nested at most twice. Up to 50 rules in all, of which 10 about lists and events.'
    })
  }
}

const fieldNames = CONTACT_FIELDS.map(([wire]) => wire)
/** As they come in. */
export const ruleInput = rulesOf(Type.Enum(fieldNames, { description: 'A field of contacts.' }), 'Segment')
/** As they are shown: a field may be gone by now. */
export const ruleView = rulesOf(Type.String({ description: 'A field of contacts.' }), 'StoredSegment')

const RuleView = Type.Object(ruleView)
/** The rules of a segment, as they are stored. */
export type Rules = Static<typeof RuleView>
export type FieldRule = Static<ReturnType<typeof fieldRule<Type.TString>>>
export type ListRule = Static<typeof listRule>
export type EventRule = Static<typeof eventRule>
/** A rule that is no group. */
export type Rule = FieldRule | ListRule | EventRule
export interface Group {
  match: 'all' | 'any'
  rules: readonly (Rule | (Group & { type: 'group' }))[]
}

/** Every rule of a group and of the groups in it, with its path in the request. */
export function* eachRule(group: Group, path = 'rules'): Generator<{ rule: Rule; path: string }> {
  for (const [index, rule] of group.rules.entries()) {
    const here = `${path}[${index}]`
    if (rule.type === 'group') yield* eachRule(rule, `${here}.rules`)
    else yield { rule, path: here }
  }
}

const COLUMNS = new Map<string, (typeof CONTACT_FIELDS)[number][1]>(CONTACT_FIELDS)

/** The field of contacts that a rule names; undefined if there is none. */
export function fieldOf({ field }: FieldRule) {
  return COLUMNS.get(field as WireField)
}

/** The rules without what a request holds besides, which must not be stored. */
export function pickRules({ match, rules }: Group): Rules {
  return { match, rules: rules.map(pickRule) as Rules['rules'] }
}

function pickRule(rule: Group['rules'][number]): object {
  if (rule.type === 'group') return { type: rule.type, ...pickRules(rule) }
  const names = rule.type === 'field' ? FIELD_KEYS : rule.type === 'list' ? LIST_KEYS : EVENT_KEYS
  return Object.fromEntries(Object.entries(rule).filter(([name]) => names.has(name)))
}

const FIELD_KEYS = new Set(Object.keys(fieldRule(Type.String()).properties))
const LIST_KEYS = new Set(Object.keys(listRule.properties))
const EVENT_KEYS = new Set(Object.keys(eventRule.properties))

/** Refuses what the schema can't express. */
export function refuseBadRules(group: Group): void {
  const found = [...eachRule(group)]
  const problems = found.flatMap(({ rule, path }) =>
    problemsOf(rule).map((problem) => ({ ...problem, path: `${path}.${problem.path}` }))
  )
  if (found.length > RULES_MAX) problems.push({ path: 'rules', message: `must have at most ${RULES_MAX} rules in all` })
  const lookups = found.filter(({ rule }) => rule.type !== 'field').length
  if (lookups > LOOKUPS_MAX) {
    problems.push({ path: 'rules', message: `must have at most ${LOOKUPS_MAX} rules about lists and events in all` })
  }
  if (problems.length > 0) throw invalidInput(problems)
}

function problemsOf(rule: Rule): InputProblem[] {
  if (rule.type === 'field') return valueProblems(rule)
  if (rule.type !== 'event') return []
  const problems: InputProblem[] = []
  if (rule.days !== undefined && rule.since !== undefined) {
    problems.push({ path: 'since', message: 'must not be given together with days' })
  }
  if (rule.since !== undefined && !isDay(rule.since)) problems.push({ path: 'since', message: NOT_A_DAY })
  if (rule.event === 'opted_in' && rule.message_id !== undefined) {
    problems.push({ path: 'message_id', message: 'must not be given for opted_in: a consent belongs to no message' })
  }
  return problems
}

const NOT_A_DAY = 'must be a day, such as 2026-12-24'

function valueProblems({ op, value, days_before }: FieldRule): InputProblem[] {
  if (days_before !== undefined && op !== 'anniversary') {
    return [{ path: 'days_before', message: `must not be given for ${op}, only for anniversary` }]
  }
  if (includes(WITHOUT_VALUE, op)) {
    return value === undefined ? [] : [{ path: 'value', message: `must not be given for ${op}` }]
  }
  if (value === undefined) return [{ path: 'value', message: 'is missing' }]
  if (includes(WITH_DAY, op)) return isDay(value) ? [] : [{ path: 'value', message: NOT_A_DAY }]
  const message = `must not be empty; for fields without a text there is ${op.includes('not') ? 'not_empty' : 'empty'}`
  return value.trim() === '' ? [{ path: 'value', message }] : []
}

function includes(ops: readonly string[], op: string): boolean {
  return ops.includes(op)
}

function isDay(text: string): boolean {
  // A day of the year 9999 may begin in the year 10000 of UTC, which the database cannot read.
  if (!/^(?:19|[2-9]\d)\d{2}-\d{2}-\d{2}$/.test(text) || text.startsWith('9999')) return false
  try {
    Temporal.PlainDate.from(text, { overflow: 'reject' })
    return true
  } catch {
    return false
  }
}

import { columnOf } from '../contacts/contact.ts'
import { anniversariesOn } from './anniversaries.ts'
import { type EventRule, type FieldRule, fieldOf, type Group } from './rules.ts'

/*
 * What rules ask, in SQL. A question about a field is asked of a contact. A question about a list or an event is asked of its
 * number, of which some table knows the answer.
 */

export interface Audience {
  accountId: number
  rules: Group
  /** The time zone of the account, for days. */
  timeZone: string
  now: Date
}

type Value = string | number | Date

/** The parameters of a statement. The same value has one place. */
export class Parameters {
  readonly values: Value[] = []

  add(value: Value): string {
    const index = this.values.indexOf(value)
    return `$${index === -1 ? this.values.push(value) : index + 1}`
  }
}

/** The numbers of the rows of a table that meet a condition. */
export interface Numbers {
  from: 'contacts' | 'recipients' | 'replies' | 'consents'
  condition: string
}

export interface ContactQuestion {
  type: 'contact'
  condition: string
}

export interface NumberQuestion {
  type: 'number'
  numbers: Numbers
  isWanted: boolean
}

export type Leaf = ContactQuestion | NumberQuestion
/** What rules ask. In each group, the questions about the contact are one, the first. */
export type Question = Leaf | { type: 'group'; match: Group['match']; questions: readonly Question[] }

/**
 * The lists that everybody in the audience must be in: a question about a field is then about a contact in them. Without
 * such lists it is about any contact of the account.
 */
function askedLists({ match, rules }: Group): number[] {
  if (match === 'any') return []
  return rules.flatMap((rule) => {
    if (rule.type === 'group') return askedLists(rule)
    return rule.type === 'list' && rule.op === 'in' ? [rule.list_id] : []
  })
}

export function toQuestion(parameters: Parameters, audience: Audience): Question {
  const asked = new Set(askedLists(audience.rules))
  const [only] = asked
  const inAsked = [...asked].map((id) => parameters.add(id)).join(', ')
  const question = groupQuestion(audience.rules)
  if (only === undefined) return question
  return merged('all', [{ type: 'contact', condition: `contacts.list_id in (${inAsked})` }, question])

  function groupQuestion({ match, rules }: Group): Question {
    return merged(
      match,
      rules.map((rule): Question => {
        if (rule.type === 'group') return groupQuestion(rule)
        if (rule.type === 'field') return { type: 'contact', condition: fieldCondition(parameters, audience, rule) }
        if (rule.type === 'event') {
          return { type: 'number', numbers: eventNumbers(parameters, audience, rule), isWanted: rule.op === 'happened' }
        }
        const condition = `contacts.list_id = ${parameters.add(rule.list_id)}`
        // The contact that is looked at is in this list, so its number needs no second look.
        if (rule.op === 'in' && asked.size === 1 && rule.list_id === only) return { type: 'contact', condition }
        return { type: 'number', numbers: { from: 'contacts', condition }, isWanted: rule.op === 'in' }
      })
    )
  }
}

/** One question of all that are about the contact, beside the others. */
function merged(match: Group['match'], questions: readonly Question[]): Question {
  const conditions = new Set(questions.flatMap((question) => (question.type === 'contact' ? [question.condition] : [])))
  const others = questions.filter(({ type }) => type !== 'contact')
  if (conditions.size === 0) return { type: 'group', match, questions: others }
  const contact = { type: 'contact', condition: joined(match, [...conditions]) } as const
  return others.length === 0 ? contact : { type: 'group', match, questions: [contact, ...others] }
}

/** A condition in SQL, or its value where that is known. */
export type Condition = string | boolean

/** The condition of a question, from those of the questions in it. */
export function toCondition(question: Question, ask: (leaf: Leaf) => Condition): Condition {
  if (question.type !== 'group') return ask(question)
  return combined(
    question.match,
    question.questions.map((inner) => toCondition(inner, ask))
  )
}

export function combined(match: Group['match'], conditions: readonly Condition[]): Condition {
  const decisive = match === 'any'
  if (conditions.includes(decisive)) return decisive
  const open = conditions.filter((condition) => typeof condition === 'string')
  return open.length === 0 ? !decisive : joined(match, open)
}

export function joined(match: Group['match'], conditions: readonly string[]): string {
  return `(${conditions.join(match === 'all' ? ' and ' : ' or ')})`
}

/** The questions in a question that are no groups. */
export function leavesOf(question: Question): Leaf[] {
  return question.type === 'group' ? question.questions.flatMap(leavesOf) : [question]
}

/** What `trim()` removes from the value of a rule: the database alone would remove plain spaces. */
const SPACES =
  '\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff'

/** A field that was never given is empty. */
function fieldCondition(parameters: Parameters, audience: Audience, rule: FieldRule): string {
  const field = fieldOf(rule)
  // Whoever calls this has looked for problems before.
  if (field === undefined) throw new Error(`A segment names the field ${rule.field}, which contacts do not have.`)
  const text = `btrim(coalesce(contacts.${columnOf(field)}, ''), '${SPACES}')`
  const value = () => `lower(${parameters.add(rule.value?.trim() ?? '')})`
  switch (rule.op) {
    case 'is':
      return closed(`lower(${text}) = ${value()}`)
    case 'is_not':
      return `lower(${text}) <> ${value()}`
    case 'contains':
      return `strpos(lower(${text}), ${value()}) > 0`
    case 'not_contains':
      return `strpos(lower(${text}), ${value()}) = 0`
    case 'empty':
      return closed(`${text} = ''`)
    case 'not_empty':
      return `${text} <> ''`
    case 'before':
      return `coalesce(${dayIn(text)} < ${parameters.add(rule.value ?? '')}, false)`
    case 'after':
      return `coalesce(${dayIn(text)} > ${parameters.add(rule.value ?? '')}, false)`
    case 'anniversary': {
      const days = anniversariesOn(audience, rule.days_before ?? 0).map((day) => parameters.add(day))
      return `coalesce(substr(${existingDayIn(text)}, 6) in (${days.join(', ')}), false)`
    }
  }
}

/**
 * An equality that the planner takes as it is. From two that exclude each other it would conclude that nobody fits, and Citus refuses
 * such a condition beside an outer join before PostgreSQL 17.
 */
function closed(equality: string): string {
  return `(${equality}) is true`
}

/** Without 29 February of a year that has none. Other days that no month has are never compared with. */
function existingDayIn(text: string): string {
  const day = dayIn(text)
  const leapYear = '(\\d\\d(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)'
  return `(case when ${day} !~ '-02-29$' or ${day} ~ '^${leapYear}-' then ${day} end)`
}

/** Days compare as texts, so a text such as 2026-99-99 is no error. */
function dayIn(text: string): string {
  return `(case
    when ${text} ~ '^\\d{4}-\\d{2}-\\d{2}(\\D|$)' then left(${text}, 10)
    when ${text} ~ '^\\d{2}[/.-]\\d{2}[/.-]\\d{4}(\\D|$)'
    then concat_ws('-', substr(${text}, 7, 4), substr(${text}, 4, 2), left(${text}, 2))
  end collate "C")`
}

/** The column of each event that happens to a recipient. */
const RECIPIENT_COLUMNS = { written: 'sent_at', delivered: 'delivered_at', clicked: 'clicked_at' } as const

function eventNumbers(parameters: Parameters, audience: Audience, { event, message_id, ...rule }: EventRule): Numbers {
  const since = beginOf(rule, audience)
  const happened = (table: Numbers['from'], column: string, ...others: string[]): Numbers => {
    const time = since === undefined ? 'is not null' : `>= ${parameters.add(since.toISOString())}::timestamptz`
    const ofMessage = message_id === undefined ? [] : [`${table}.message_id = ${parameters.add(message_id)}`]
    return { from: table, condition: joined('all', [...ofMessage, `${table}.${column} ${time}`, ...others]) }
  }
  if (event === 'replied') return happened('replies', 'created_at', 'not replies.is_stop')
  if (event === 'opted_in') {
    return happened('consents', 'given_at', 'consents.phone is not null', 'consents.withdrawn_at is null')
  }
  return happened('recipients', RECIPIENT_COLUMNS[event])
}

function beginOf({ days, since }: Pick<EventRule, 'days' | 'since'>, { now, timeZone }: Audience): Date | undefined {
  if (days !== undefined) return new Date(now.getTime() - days * 86_400_000)
  if (since === undefined) return undefined
  return new Date(Temporal.PlainDate.from(since).toZonedDateTime(timeZone).epochMilliseconds)
}

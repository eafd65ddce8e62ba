import {
  type Audience,
  type Condition,
  combined,
  joined,
  leavesOf,
  type Numbers,
  type Parameters,
  type Question,
  toCondition
} from './questions.ts'

/*
 * The numbers that fit rules, without a join. Every row of a contact and of an event becomes a number with the flags of what it
 * answers, and the flags of a number are gathered. One hash over all rows takes half as long as a hash for each list and event.
 */

/**
 * A contact has one flag, for the combination of its answers. So beside what is asked of all contacts, there can be so many
 * questions about a contact: 32 flags, and at most ten for lists and events.
 */
const CONTACT_QUESTIONS_MAX = 5

/** A query for the numbers; undefined if the question needs too many flags. */
export function flaggedPeople(parameters: Parameters, { accountId }: Audience, question: Question): string | undefined {
  const { always, rest } = split(question)
  const leaves = leavesOf(rest)
  const contactConditions = leaves.flatMap((leaf) => (leaf.type === 'contact' ? [leaf.condition] : []))
  if (contactConditions.length > CONTACT_QUESTIONS_MAX) return undefined
  const combinations = Array.from({ length: 2 ** contactConditions.length }, (_, combination) => combination)

  const account = parameters.add(accountId)
  const contacts = `
    select contacts.phone, 1::bigint << (${answersOf(contactConditions)}) as flags
    from contacts
    where contacts.account_id = ${account}
      and contacts.list_id in (select id from contact_lists where account_id = ${account} and deleted_at is null)
      and ${always}
  `
  const flags = new NumberFlags(combinations.length)
  const fitting = combinations.map((combination) => {
    const condition = toCondition(rest, (leaf) => {
      if (leaf.type === 'number') return `known.flags & ${flags.of(leaf.numbers)} ${leaf.isWanted ? '<>' : '='} 0`
      return (combination & (1 << contactConditions.indexOf(leaf.condition))) !== 0
    })
    return combined('all', [`known.flags & ${flagAt(combination)} <> 0`, condition])
  })
  return `
    select known.phone
    from (
      select phone, bit_or(flags) as flags
      from (${[contacts, ...flags.queries(account)].join(' union all ')}) as seen
      group by phone
    ) as known
    where ${combined('any', fitting)}
  `
}

/** What is asked of every contact, and the rest. */
function split(question: Question): { always: Condition; rest: Question } {
  const nothing = { type: 'group', match: 'all', questions: [] } as const
  if (question.type === 'contact') return { always: question.condition, rest: nothing }
  if (question.type === 'number' || question.match === 'any') return { always: true, rest: question }
  const [first, ...others] = question.questions
  if (first?.type !== 'contact') return { always: true, rest: question }
  return { always: first.condition, rest: { ...question, questions: others } }
}

/** The combination of answers as a number: each condition has one bit. */
function answersOf(conditions: readonly string[]): string {
  return ['0', ...conditions.map((condition, index) => whenTrue(condition, `${1 << index}`))].join(' | ')
}

function whenTrue(condition: string, value: string): string {
  return `case when ${condition} then ${value} else 0 end`
}

function flagAt(place: number): string {
  return `${1n << BigInt(place)}::bigint`
}

/** The flags of lists and events, from a place on. The same numbers have one flag. */
class NumberFlags {
  readonly #tables = new Map<Numbers['from'], Map<string, string>>()
  #place: number

  constructor(place: number) {
    this.#place = place
  }

  of({ from: table, condition }: Numbers): string {
    const flags = this.#tables.get(table) ?? new Map<string, string>()
    const flag = flags.get(condition) ?? flagAt(this.#place++)
    this.#tables.set(table, flags.set(condition, flag))
    return flag
  }

  /** A query for each table: its numbers with their flags. */
  queries(account: string): string[] {
    return [...this.#tables].map(([table, flags]) => {
      const values = [...flags].map(([condition, flag]) => whenTrue(condition, flag))
      return `
        select ${table}.phone, ${values.join(' | ')}
        from ${table}
        where ${table}.account_id = ${account}
          and ${joined('any', [...flags.keys()])}
      `
    })
  }
}

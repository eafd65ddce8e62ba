import { type ContactField, columnOf } from '../contacts/contact.ts'
import type { Sql } from '../database/database.ts'
import { anniversariesOn } from './anniversaries.ts'
import { type EventRule, eachRule, type FieldRule, fieldOf, type Group, type ListRule, type Rule } from './rules.ts'

/*
 * The people who fit rules. Every list and event that the rules name becomes a set of numbers, which is read once and
 * joined by a hash to all contacts of the account. So the time grows with the contacts and the messages, and not with
 * their product, whichever way the rules are combined. Nothing but the answer leaves the database.
 */

export interface Audience {
  accountId: number
  rules: Group
  /** The time zone of the account, for days. */
  timeZone: string
  now: Date
}

type Value = string | number | Date

/** A statement on its way: the parameters of its text, and the sets of numbers that it joins. */
class Draft {
  readonly values: Value[] = []
  readonly #sets = new Map<string, string>()

  /** The place of a parameter. The same value has one place. */
  add(value: Value): string {
    const index = this.values.indexOf(value)
    return `$${index === -1 ? this.values.push(value) : index + 1}`
  }

  /** The name of a set of numbers. The same query has one name. */
  set(query: string): string {
    const name = this.#sets.get(query) ?? `set${this.#sets.size + 1}`
    this.#sets.set(query, name)
    return name
  }

  /** Not by `with … as materialized`: PostgreSQL reads such a set in one process, and writes it down before it is joined. */
  get joins(): string {
    const sets = [...this.#sets]
    return sets.map(([query, name]) => `left join (${query}) as ${name} on ${name}.phone = contacts.phone`).join('\n')
  }
}

/** Counts people: a number in several lists counts once. Must run in a transaction. */
export async function countAudience(sql: Sql, audience: Audience): Promise<number> {
  const draft = new Draft()
  const contacts = contactsOf(draft, audience)
  const text = `
    select count(*) as count
    from (
      select contacts.phone
      ${contacts}
      group by contacts.phone
    ) as people
  `
  const [row] = await joinedByHash(sql, () => sql.unsafe<[{ count: number }]>(text, draft.values))
  return row.count
}

/** How many people a fetch brings. */
const FETCH = 2_000

/**
 * Opens a cursor on the people as they are at this moment: each number once, with the given fields. Of a number in several lists,
 * a contact in a list that the rules ask for comes first, then the oldest. Must run in a transaction.
 */
export async function openAudience(
  sql: Sql,
  cursor: string,
  audience: Audience,
  fields: readonly (ContactField | 'phone')[]
): Promise<void> {
  const draft = new Draft()
  const contacts = contactsOf(draft, audience)
  const columns = ['phone', ...fields.map((field) => (field === 'phone' ? 'phone' : columnOf(field)))]
  const asked = [...eachRule(audience.rules)].flatMap(({ rule }) =>
    rule.type === 'list' && rule.op === 'in' ? [draft.add(rule.list_id)] : []
  )
  const text = `
    declare ${cursor} no scroll cursor for
    select distinct on (contacts.phone)
      array[${columns.map((column) => `coalesce(contacts.${column}, '')`).join(', ')}] as fields
    ${contacts}
    order by contacts.phone, ${asked.length > 0 ? `contacts.list_id in (${asked.join(', ')}) desc, ` : ''}contacts.id
  `
  await joinedByHash(sql, () => sql.unsafe(text, draft.values))
}

/** Reads the people of an open cursor, in the order of their numbers. Each row is the number and then the fields. */
export async function* readAudience(sql: Sql, cursor: string): AsyncGenerator<string[][]> {
  while (true) {
    const rows = await sql.unsafe<{ fields: string[] }[]>(`fetch ${FETCH} from ${cursor}`)
    if (rows.length > 0) yield rows.map(({ fields }) => fields)
    if (rows.length < FETCH) break
  }
  await sql.unsafe(`close ${cursor}`)
}

/**
 * Plans a statement with hash joins only, and then sets the transaction's settings back. A new database has no statistics, and a
 * nested loop over a million contacts would not end. The memory is for a set of a million numbers; a larger one is written to
 * disk in pieces.
 */
async function joinedByHash<T>(sql: Sql, plan: () => Promise<T>): Promise<T> {
  const before = await sql<{ name: string; value: string }[]>`
    select name, current_setting(name) as value
    from unnest(array['enable_nestloop', 'enable_mergejoin', 'work_mem', 'cursor_tuple_fraction']) as setting (name)
  `
  await setLocally(sql, [
    { name: 'enable_nestloop', value: 'off' },
    { name: 'enable_mergejoin', value: 'off' },
    { name: 'work_mem', value: '40MB' },
    // The whole audience is read, not only its beginning.
    { name: 'cursor_tuple_fraction', value: '1' }
  ])
  const result = await plan()
  await setLocally(sql, before)
  return result
}

async function setLocally(sql: Sql, settings: readonly { name: string; value: string }[]): Promise<void> {
  await sql`
    select set_config(name, value, true)
    from unnest(
      ${settings.map(({ name }) => name)}::text[],
      ${settings.map(({ value }) => value)}::text[]
    ) as setting (name, value)
  `
}

/** The contacts that fit, from `from` on. The parameters stand in the draft. */
function contactsOf(draft: Draft, audience: Audience): string {
  const condition = toCondition(draft, audience, audience.rules)
  return `
    from contacts
    join contact_lists on contact_lists.account_id = contacts.account_id and contact_lists.id = contacts.list_id
    ${draft.joins}
    where contacts.account_id = ${draft.add(audience.accountId)}
      and contact_lists.account_id = ${draft.add(audience.accountId)}
      and contact_lists.deleted_at is null
      and ${condition}
  `
}

function toCondition(draft: Draft, audience: Audience, { match, rules }: Group): string {
  const conditions = rules.map((rule) =>
    rule.type === 'group' ? toCondition(draft, audience, rule) : ruleCondition(draft, audience, rule)
  )
  return `(${conditions.join(match === 'all' ? ' and ' : ' or ')})`
}

function ruleCondition(draft: Draft, audience: Audience, rule: Rule): string {
  if (rule.type === 'field') return fieldCondition(draft, audience, rule)
  const isWanted = rule.op === 'in' || rule.op === 'happened'
  const query = rule.type === 'list' ? numbersInList(draft, audience, rule) : numbersWithEvent(draft, audience, rule)
  return `${draft.set(query)}.phone is ${isWanted ? 'not ' : ''}null`
}

/** A field that was never given is empty. */
function fieldCondition(draft: Draft, audience: Audience, rule: FieldRule): string {
  const field = fieldOf(rule)
  // Whoever calls this has looked for problems before.
  if (field === undefined) throw new Error(`A segment names the field ${rule.field}, which contacts do not have.`)
  const text = `btrim(coalesce(contacts.${columnOf(field)}, ''))`
  const value = () => `lower(${draft.add(rule.value?.trim() ?? '')})`
  switch (rule.op) {
    case 'is':
      return `lower(${text}) = ${value()}`
    case 'is_not':
      return `lower(${text}) <> ${value()}`
    case 'contains':
      return `strpos(lower(${text}), ${value()}) > 0`
    case 'not_contains':
      return `strpos(lower(${text}), ${value()}) = 0`
    case 'empty':
      return `${text} = ''`
    case 'not_empty':
      return `${text} <> ''`
    case 'before':
      return `coalesce(${dayIn(text)} < ${draft.add(rule.value ?? '')}, false)`
    case 'after':
      return `coalesce(${dayIn(text)} > ${draft.add(rule.value ?? '')}, false)`
    case 'anniversary': {
      const days = anniversariesOn(audience, rule.days_before ?? 0).map((day) => draft.add(day))
      return `coalesce(substr(${existingDayIn(text)}, 6) in (${days.join(', ')}), false)`
    }
  }
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

function numbersInList(draft: Draft, { accountId }: Audience, { list_id }: ListRule): string {
  return `
    select phone
    from contacts
    where account_id = ${draft.add(accountId)}
      and list_id = ${draft.add(list_id)}
  `
}

/** The column of each event that happens to a recipient. */
const RECIPIENT_COLUMNS = { written: 'sent_at', delivered: 'delivered_at', clicked: 'clicked_at' } as const

function numbersWithEvent(draft: Draft, audience: Audience, { event, message_id, ...rule }: EventRule): string {
  const since = beginOf(rule, audience)
  const account = `account_id = ${draft.add(audience.accountId)}`
  const ofMessage = message_id === undefined ? '' : `and message_id = ${draft.add(message_id)}`
  const happened = (column: string) =>
    `and ${column} ${since === undefined ? 'is not null' : `>= ${draft.add(since.toISOString())}::timestamptz`}`
  if (event === 'replied') {
    return `select distinct phone from replies where ${account} and not is_stop ${ofMessage} ${happened('created_at')}`
  }
  if (event === 'opted_in') {
    return `
      select distinct phone
      from consents
      where ${account}
        and phone is not null
        and withdrawn_at is null
        ${happened('given_at')}
    `
  }
  return `select distinct phone from recipients where ${account} ${ofMessage} ${happened(RECIPIENT_COLUMNS[event])}`
}

function beginOf({ days, since }: Pick<EventRule, 'days' | 'since'>, { now, timeZone }: Audience): Date | undefined {
  if (days !== undefined) return new Date(now.getTime() - days * 86_400_000)
  if (since === undefined) return undefined
  return new Date(Temporal.PlainDate.from(since).toZonedDateTime(timeZone).epochMilliseconds)
}

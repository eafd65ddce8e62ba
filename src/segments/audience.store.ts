import { type ContactField, columnOf } from '../contacts/contact.ts'
import { openCursor } from '../database/cursors.ts'
import type { Sql } from '../database/database.ts'
import { flaggedPeople } from './flags.store.ts'
import { type Audience, Parameters, type Question, toCondition, toQuestion } from './questions.ts'
import { eachRule } from './rules.ts'

/*
 * The people who fit rules. Every list and event that the rules name is read once, and found again by hashes of its numbers. So
 * the time grows with the contacts and the messages, and not with their product, whichever way the rules are combined. Nothing
 * but the answer leaves the database.
 */

/** Counts people: a number in several lists counts once. Must run in a transaction. */
export async function countAudience(sql: Sql, audience: Audience): Promise<number> {
  const parameters = new Parameters()
  const question = toQuestion(parameters, audience)
  const people =
    flaggedPeople(parameters, audience, question) ??
    `select contacts.phone ${joinedContacts(parameters, audience, question)} group by contacts.phone`
  const text = `select count(*) as count from (${people}) as people`
  const [row] = await joinedByHash(sql, () => sql.unsafe<[{ count: number }]>(text, parameters.values))
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
  const parameters = new Parameters()
  const contacts = joinedContacts(parameters, audience, toQuestion(parameters, audience))
  const columns = ['phone', ...fields.map((field) => (field === 'phone' ? 'phone' : columnOf(field)))]
  const asked = [...eachRule(audience.rules)].flatMap(({ rule }) =>
    rule.type === 'list' && rule.op === 'in' ? [parameters.add(rule.list_id)] : []
  )
  const query = `
    select distinct on (contacts.phone)
      array[${columns.map((column) => `coalesce(contacts.${column}, '')`).join(', ')}] as fields
    ${contacts}
    order by contacts.phone, ${asked.length > 0 ? `contacts.list_id in (${asked.join(', ')}) desc, ` : ''}contacts.id
  `
  await joinedByHash(sql, () => openCursor(sql, cursor, query, parameters.values))
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
    from unnest(array['enable_nestloop', 'enable_mergejoin', 'max_parallel_workers_per_gather', 'work_mem',
      'cursor_tuple_fraction']) as setting (name)
  `
  await setLocally(sql, [
    { name: 'enable_nestloop', value: 'off' },
    { name: 'enable_mergejoin', value: 'off' },
    // Each helper process would gather all numbers again for itself.
    { name: 'max_parallel_workers_per_gather', value: '0' },
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

/** The contacts that fit, from `from` on: each set of numbers that the question names is joined to them. */
function joinedContacts(parameters: Parameters, { accountId }: Audience, question: Question): string {
  const account = parameters.add(accountId)
  const sets = new Map<string, string>()
  const condition = toCondition(question, (leaf) => {
    if (leaf.type === 'contact') return leaf.condition
    const { from: table, condition } = leaf.numbers
    // Not by `with … as materialized`: such a set is written down before it is joined.
    const query = `select distinct phone from ${table} where ${table}.account_id = ${account} and ${condition}`
    const name = sets.get(query) ?? `set${sets.size + 1}`
    sets.set(query, name)
    return `${name}.phone is ${leaf.isWanted ? 'not ' : ''}null`
  })
  const joins = [...sets].map(([query, name]) => `left join (${query}) as ${name} on ${name}.phone = contacts.phone`)
  return `
    from contacts
    join contact_lists on contact_lists.account_id = contacts.account_id and contact_lists.id = contacts.list_id
    ${joins.join(' ')}
    where contacts.account_id = ${account}
      and contact_lists.account_id = ${account}
      and contact_lists.deleted_at is null
      and ${condition}
  `
}

import type { Sql } from '../database/database.ts'

/**
 * The number of contacts of a list, and how many of them these carriers have checked, at any time. A join for each carrier: for a
 * million contacts that is ten times as fast as a subquery for each contact.
 */
export async function countReach(
  sql: Sql,
  { accountId, listId, carriers }: { accountId: number; listId: number; carriers: readonly string[] }
): Promise<{ contacts: number; known: number; reachable: number }> {
  const said = carriers.map((_, index) => `said_${index}.is_capable`)
  const joins = said.map(
    (_, index) => `
    left join rcs_capabilities as said_${index}
      on said_${index}.carrier = $${index + 3} and said_${index}.phone = contacts.phone`
  )
  const [row] = await sql.unsafe<[{ contacts: number; known: number; reachable: number }]>(
    `
      select count(*) as contacts,
        count(coalesce(${[...said, 'null::boolean'].join(', ')})) as known,
        count(*) filter (where ${[...said, 'false'].join(' or ')}) as reachable
      from contacts
      ${joins.join('')}
      where contacts.account_id = $1
        and contacts.list_id = $2
    `,
    [accountId, listId, ...carriers]
  )
  return row
}

import { isDistributed } from './shape.ts'
import type { Sql } from './sql.ts'

/**
 * Opens a cursor on the rows of a query as they are at this moment: later changes do not show. Must run in a transaction. In a
 * distributed database, Citus asks the workers only when the first row is fetched. So that row is fetched at once, and the cursor
 * goes back to the beginning.
 */
export async function openCursor(sql: Sql, name: string, query: string, parameters: unknown[] = []): Promise<void> {
  await sql.unsafe(
    `declare ${name} ${isDistributed() ? 'scroll' : 'no scroll'} cursor for ${query}`,
    parameters as never[]
  )
  if (isDistributed()) await sql.unsafe(`move next from ${name}; move absolute 0 from ${name}`)
}

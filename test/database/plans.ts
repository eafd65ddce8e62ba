import type { Sql } from '../../src/database/database.ts'
import { createSql, type Row, type Statement } from '../../src/database/sql.ts'

/**
 * The plans that a worker would keep for the statements of a store function, which are not run. Each of them answers the given
 * rows, for functions that read first.
 */
export async function plansOf(
  pool: Sql,
  run: (sql: Sql) => Promise<unknown>,
  rows: readonly Row[] = []
): Promise<string[]> {
  const plans: string[] = []
  const explain = async (statement: Statement) => {
    plans.push(await explainPrepared(pool, statement))
    return Object.assign([...rows], { count: rows.length })
  }
  await run(createSql({ run: explain, copyFrom: () => Promise.reject(new Error('a statement copies')) }))
  return plans
}

let preparedCount = 0

async function explainPrepared(sql: Sql, { text, values }: Pick<Statement, 'text' | 'values'>): Promise<string> {
  const name = `explained_${preparedCount++}`
  await sql.unsafe(`prepare ${name} as ${text}`)
  const given = values.map((value) => (value === null ? 'null' : `'${String(value).replaceAll("'", "''")}'`))
  const rows = await sql.unsafe<{ 'QUERY PLAN': string }[]>(
    `explain (costs off) execute ${name}${given.length > 0 ? `(${given.join(', ')})` : ''}`
  )
  return rows.flatMap((row) => Object.values(row)).join('\n')
}

import type { Sql } from './database.ts'

/*
 * The schema as SQL, for people to read. Written from the catalog because pg_dump is not among the embedded binaries.
 */

const HEADER = `-- The schema that the migrations add up to. Written by \`npm run schema\`; a test checks that it is current.
-- Read this first; why things are as they are stands in the migrations.
`

export async function dumpSchema(sql: Sql): Promise<string> {
  const [sequences, functions, tables] = [await dumpSequences(sql), await dumpFunctions(sql), await dumpTables(sql)]
  return [HEADER, ...sequences, ...functions, ...tables, ...(await dumpViews(sql))].join('\n')
}

async function dumpViews(sql: Sql): Promise<string[]> {
  const rows = await sql<{ name: string; definition: string }[]>`
    select relname as name, pg_get_viewdef(oid, true) as definition
    from pg_class
    where relkind = 'v'
      and relnamespace = 'public'::regnamespace
    order by relname
  `
  return rows.map(({ name, definition }) => `create view ${name} as\n${definition}\n`)
}

async function dumpFunctions(sql: Sql): Promise<string[]> {
  const rows = await sql<{ definition: string }[]>`
    select pg_get_functiondef(oid) as definition
    from pg_proc
    where pronamespace = 'public'::regnamespace
    order by proname
  `
  return rows.map(
    ({ definition }) => `${definition.replace('CREATE OR REPLACE FUNCTION public.', 'create function ').trim()};\n`
  )
}

async function dumpSequences(sql: Sql): Promise<string[]> {
  const rows = await sql<{ name: string }[]>`
    select relname as name
    from pg_class
    where relkind = 'S'
      and relnamespace = 'public'::regnamespace
    order by relname
  `
  return rows.map(({ name }) => `create sequence ${name};\n`)
}

async function dumpTables(sql: Sql): Promise<string[]> {
  const tables = await sql<
    { oid: number; name: string; isUnlogged: boolean; options: string[] | null; partitionKey: string | null }[]
  >`
    select oid, relname as name, relpersistence = 'u' as is_unlogged, reloptions as options,
      pg_get_partkeydef(oid) as partition_key
    from pg_class
    where relkind in ('r', 'p')
      and relnamespace = 'public'::regnamespace
      and not relispartition
    order by relname
  `
  return Promise.all(
    tables.map(async ({ oid, name, isUnlogged, options, partitionKey }) => {
      const parts = [...(await dumpColumns(sql, oid)), ...(await dumpConstraints(sql, oid))]
      const head = `create ${isUnlogged ? 'unlogged ' : ''}table ${name} (`
      const clauses = [partitionKey && `partition by ${partitionKey}`, options && `with (${options.join(', ')})`]
      const tail = `${[')', ...clauses.filter(Boolean)].join('\n')};`
      const rest = [...(await dumpIndexes(sql, oid)), ...(await dumpTriggers(sql, oid))]
      return `${[head, parts.map((part) => `  ${part}`).join(',\n'), tail, ...rest].join('\n')}\n`
    })
  )
}

async function dumpColumns(sql: Sql, table: number): Promise<string[]> {
  const rows = await sql<{ name: string; type: string; isRequired: boolean; fallback: string | null }[]>`
    select attname as name, format_type(atttypid, atttypmod) as type, attnotnull as is_required,
      pg_get_expr(adbin, adrelid) as fallback
    from pg_attribute
    left join pg_attrdef on adrelid = attrelid and adnum = attnum
    where attrelid = ${table}
      and attnum > 0
      and not attisdropped
    order by attnum
  `
  return rows.map(({ name, type, isRequired, fallback }) =>
    [name, type, isRequired ? 'not null' : '', fallback === null ? '' : `default ${fallback}`].filter(Boolean).join(' ')
  )
}

async function dumpConstraints(sql: Sql, table: number): Promise<string[]> {
  // PostgreSQL 18 lists "not null" among the constraints; it stands with the columns already.
  const rows = await sql<{ name: string; definition: string }[]>`
    select conname as name, pg_get_constraintdef(oid, true) as definition
    from pg_constraint
    where conrelid = ${table}
      and contype <> 'n'
    order by contype desc, conname
  `
  return rows.map(({ name, definition }) => `constraint ${name} ${definition.replaceAll(/\s+/g, ' ')}`)
}

async function dumpIndexes(sql: Sql, table: number): Promise<string[]> {
  const rows = await sql<{ definition: string }[]>`
    select pg_get_indexdef(indexrelid) as definition
    from pg_index
    where indrelid = ${table}
      and not exists (select from pg_constraint where conindid = indexrelid and conrelid = ${table})
    order by indexrelid::regclass::text
  `
  return rows.map(({ definition }) => `${definition.replace('CREATE', 'create').replaceAll(' public.', ' ')};`)
}

async function dumpTriggers(sql: Sql, table: number): Promise<string[]> {
  const rows = await sql<{ definition: string }[]>`
    select pg_get_triggerdef(oid, true) as definition
    from pg_trigger
    where tgrelid = ${table}
      and not tgisinternal
    order by tgname
  `
  return rows.map(({ definition }) => `${definition.replace('CREATE', 'create').replaceAll(/\s+/g, ' ')};`)
}

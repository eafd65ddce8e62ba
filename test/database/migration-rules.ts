import { INDEXES } from '../../src/database/build-indexes.ts'
import { LAST_BEFORE_RULE, type Migration } from '../../src/database/migrate.ts'

/*
 * Whether a migration leaves the release before it working, while both run on one database: docs/upgrades.md. Every
 * statement must be of a form that is known to be safe. Any other one is refused, unless a comment above it allows it:
 *
 *     -- allow drop (works with 0125_prices_elsewhere.sql): the release of 0125 neither reads nor writes it.
 */

const ADVICE = {
  drop: 'The release before still uses it. Stop using it in one release, and drop it in the next.',
  rename: 'The release before knows the old name. Add a new column or table, write both, and drop the old one later.',
  type: 'The release before writes the old type, and the table is rewritten. Add a column of the new type instead.',
  required: 'The release before does not fill it. Give the column a constant default, or let it be null.',
  check: 'The release before may write rows that it refuses, and every row is read under a lock.',
  unique: 'The release before may write rows that it refuses. Keep to it in one release, and add it in the next.',
  reference: 'The release before removes rows and knows nothing of it. Use `on delete cascade`, or no reference.',
  index: 'Nobody can write the table meanwhile. Name the index in src/database/build-indexes.ts, as 0076 does.',
  rewrite: 'Every row is written anew under a lock. Add a column with a constant default, and fill it by a worker.',
  rows: 'Rows are locked until the end of all migrations. Let a worker change them in slices.',
  replace: 'The release before uses the one that is there. Make another one under a new name.',
  trigger: 'The writes of the release before would start it too.',
  tables: 'Several tables that are in use would be locked at once, and others need them. Make a migration for each.',
  rights: 'The release before needs the rights that it has.',
  unknown: 'Nobody knows whether the release before works with it.'
} as const

type Rule = keyof typeof ADVICE

/** Tables that grow with traffic: to read all of their rows takes minutes. */
const LARGE = new Set(
  `audit_entries batches contacts credit_entries credit_reservations events external_ids idempotent_answers link_visitors
  mails message_callbacks messages phone_accounts rcs_messages recipients replies scheduled_messages short_links
  smpp_deliveries smpp_submits submissions timeline_steps webhook_deliveries`.split(/\s+/)
)

const REASON_MIN = 20

/** What is wrong with a migration, a sentence each. `released` are the names of the migrations of the release before. */
export function findFaults({ name, text }: Pick<Migration, 'name' | 'text'>, released: readonly string[]): string[] {
  if (name <= LAST_BEFORE_RULE) return []
  const faults: string[] = []
  const made = new Set<string>()
  let firstAltered: string | undefined
  for (const { sql, comment } of splitStatements(text)) {
    const broken = new Set(checkStatement(sql, made))
    const [, altered = ''] = ALTERED.exec(sql) ?? []
    if (LARGE.has(altered)) {
      if (firstAltered && firstAltered !== altered) broken.add('tables')
      firstAltered ??= altered
    }
    const start = sql.length > 80 ? `${sql.slice(0, 80)}…` : sql
    for (const { rule, other, reason } of readAllowances(comment)) {
      if (!broken.delete(rule as Rule))
        faults.push(`${name}: "allow ${rule}" stands above a statement without need: ${start}`)
      if (other !== 'all' && !released.includes(other))
        faults.push(`${name}: the release before has no migration ${other}`)
      if (reason.length < REASON_MIN) faults.push(`${name}: "allow ${rule}" needs a reason`)
    }
    for (const rule of broken) faults.push(`${name}: ${rule}: ${ADVICE[rule]} ${start}`)
  }
  return faults
}

function readAllowances(comment: string): { rule: string; other: string; reason: string }[] {
  // A reason may go on over further lines.
  const lines = comment.replaceAll(/\n--(?! allow )/g, '').split('\n')
  return lines.flatMap((line) => {
    const [, rule, other, reason] = /^-- allow ([a-z-]+) \(works with (\S+)\): *(.*)$/.exec(line) ?? []
    return rule && other ? [{ rule, other, reason: reason ?? '' }] : []
  })
}

const NAME = '(?:if (?:not )?exists )?(?:only )?"?(\\w+)"?'
const ALTERED = new RegExp(`^alter table ${NAME} (.*)$`)

/** The rules that a statement breaks. `made` holds what the migration has made so far: to that, anything may be done. */
function checkStatement(sql: string, made: Set<string>): Rule[] {
  const created = new RegExp(`^create (?:unlogged )?(table|sequence|view|type|function) ${NAME}`).exec(sql)
  if (created) return checkCreated(sql, created[1] ?? '', { name: created[2] ?? '', made })
  if (/^create or replace/.test(sql)) return ['replace']
  const index = /^create (unique )?index (?:concurrently )?(?:if not exists )?\w+ on (?:only )?(\w+)/.exec(sql)
  if (index) return made.has(index[2] ?? '') ? [] : index[1] ? ['unique', 'index'] : ['index']
  const trigger = /^create (?:constraint )?trigger \w+ .*? on (\w+)/.exec(sql)
  if (trigger) return made.has(trigger[1] ?? '') ? [] : ['trigger']
  const altered = ALTERED.exec(sql)
  if (altered)
    return made.has(altered[1] ?? '')
      ? []
      : splitActions(altered[2] ?? '').flatMap((a) => checkAction(a, altered[1] ?? ''))
  const dropped = new RegExp(`^drop \\w+ ${NAME}`).exec(sql)
  if (dropped) return made.has(dropped[1] ?? '') ? [] : ['drop']
  const changed = /^(?:insert into|update|delete from|truncate(?: table)?) (?:only )?(\w+)/.exec(sql)
  if (changed) return made.has(changed[1] ?? '') ? [] : ['rows']
  const rights = /^(?:grant|revoke) .*? on (?:table )?([\w, ]+?) (?:from|to) /.exec(sql)
  if (rights) return (rights[1] ?? '').split(', ').every((name) => made.has(name)) ? [] : ['rights']
  if (/^comment on /.test(sql) || isIndexOfEmptyTable(sql)) return []
  return [/^alter \w+ \w+ rename /.test(sql) ? 'rename' : 'unknown']
}

function checkCreated(sql: string, kind: string, { name, made }: { name: string; made: Set<string> }): Rule[] {
  made.add(name)
  if (kind !== 'table') return []
  const [, parent] = /\bpartition of (\w+)/.exec(sql) ?? []
  if (parent && !made.has(parent)) return ['unknown']
  const references = splitActions(sql.slice(sql.indexOf('(') + 1)).filter((part) => {
    const [, target = ''] = /\breferences (\w+)/.exec(part) ?? []
    // Accounts are never removed.
    return target && target !== 'accounts' && !made.has(target) && !/on delete (cascade|set null)/.test(part)
  })
  return references.length > 0 ? ['reference'] : []
}

/** One action of `alter table`, of a table that was there before. */
function checkAction(action: string, table: string): Rule[] {
  if (/^rename /.test(action)) return ['rename']
  if (/^drop /.test(action)) return ['drop']
  if (/^alter (column )?\w+ (set data )?type /.test(action)) return ['type']
  if (/^alter (column )?\w+ set not null/.test(action)) return ['required']
  if (/^set (un)?logged/.test(action)) return ['rewrite']
  if (/^(set \(|reset \(|validate constraint |alter (column )?\w+ set (statistics|\())/.test(action)) return []
  if (/^add (constraint \w+ )?check/.test(action)) return ['check']
  if (/^add (constraint \w+ )?(unique|primary key|exclude)/.test(action)) return ['unique']
  if (/^add (constraint \w+ )?foreign key/.test(action)) return ['reference']
  return /^add (column )?/.test(action) ? checkColumn(action, table) : ['unknown']
}

function checkColumn(action: string, table: string): Rule[] {
  const broken: Rule[] = []
  const hasDefault = /\bdefault (?!null)/.test(action)
  if (/\bnot null\b/.test(action) && !hasDefault) broken.push('required')
  if (/\b(unique|primary key)\b/.test(action)) broken.push('unique')
  if (/\breferences\b/.test(action)) broken.push('reference')
  if (/\bcheck\b/.test(action) && LARGE.has(table)) broken.push('check')
  const [, called] = /\bdefault (?:\w+\.)?(\w+) ?\(/.exec(action) ?? []
  const isVolatile = called !== undefined && called !== 'now'
  if (isVolatile || /\bgenerated\b|\b(small|big)?serial\b/.test(action)) broken.push('rewrite')
  return broken
}

/** An index of a large table, made here only while the table is empty. A worker makes it elsewhere. */
function isIndexOfEmptyTable(sql: string): boolean {
  const shape =
    /^do \$\$ begin if not exists \(select from (\w+)\) then create index (\w+) on \1 [^;]+; end if; end \$\$$/
  return (shape.exec(sql)?.[2] ?? '') in INDEXES
}

interface Statement {
  /** In lower case, on one line, without comments. */
  sql: string
  /** The comment lines right above it. */
  comment: string
}

// A comment, a text in quotes or in dollars, the end of a statement, or any other character.
const TOKEN = /--[^\n]*|\/\*[\s\S]*?\*\/|'(?:[^']|'')*'|(\$\w*\$)[\s\S]*?\1|;|[\s\S]/g

function splitStatements(text: string): Statement[] {
  const statements: Statement[] = []
  let [sql, comment] = ['', '']
  const end = () => {
    const line = sql.replaceAll(/\s+/g, ' ').trim().toLowerCase()
    if (line) statements.push({ sql: line, comment: comment.trim() })
    sql = ''
    comment = ''
  }
  for (const [token] of text.matchAll(TOKEN)) {
    if (token === ';') end()
    else if (!token.startsWith('--') && !token.startsWith('/*')) sql += token
    else if (!sql.trim()) comment += `\n${token}`
  }
  end()
  return statements
}

/** Splits at commas that are in no parentheses and no quotes. */
function splitActions(sql: string): string[] {
  const actions = ['']
  let depth = 0
  for (const [token] of sql.matchAll(/'(?:[^']|'')*'|[\s\S]/g)) {
    if (token === '(') depth++
    if (token === ')') depth--
    if (token === ',' && depth === 0) actions.push('')
    else actions[actions.length - 1] += token
  }
  return actions.map((action) => action.trim())
}

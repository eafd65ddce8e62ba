import { strict as assert } from 'node:assert'
import { glob, readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { basename, dirname, join, relative } from 'node:path'
import { test } from 'node:test'
import { metricsTable } from '../scripts/metrics-table.ts'
import { rolesTable } from '../scripts/roles-table.ts'
import { settingsTable } from '../scripts/settings-table.ts'
import { AccountSettings } from '../src/accounts/account.ts'
import { DISTRIBUTION_COLUMN, PLACES, tablesAt } from '../src/database/places.ts'
import { REFUSAL_CODES } from '../src/errors.ts'
import { canMove, RECIPIENT_STATES } from '../src/recipients/recipient.ts'

const root = join(import.meta.dirname, '..')

/** Lower lines know nothing of higher ones, and on one line nobody knows another. */
const LAYERS = [
  [
    'main',
    'routes',
    'service',
    'process',
    'delivery-role',
    'webhooks-role',
    'smpp-role',
    'cleaning',
    'distribute',
    'config'
  ],
  ['closing', 'backup'],
  ['senders', 'doors', 'imports', 'margins'],
  ['personal-data', 'retention', 'account-lists', 'results', 'support', 'statements', 'alarms'],
  [
    'sandbox',
    'rbm-events',
    'stats',
    'clicks',
    'opt-outs',
    'smpp-server',
    'segments',
    'automations',
    'trials',
    'credit-requests'
  ],
  ['delivery', 'receipts', 'replies', 'rcs-lists', 'agents', 'looks'],
  ['submissions', 'auto-replies', 'costs'],
  ['fallback', 'rcs-conversations'],
  ['sends', 'carriers'],
  ['recipients'],
  ['queue'],
  ['messages'],
  ['templates', 'pictures', 'limits', 'prices'],
  ['credits', 'contacts', 'stops', 'short-links', 'trail', 'callbacks'],
  ['consents', 'smpp-outbox'],
  ['webhooks', 'invitations', 'numbers', 'notices'],
  ['single-sign-on'],
  ['accounts'],
  ['second-factors'],
  ['people'],
  ['audit', 'mail', 'erased-numbers'],
  ['spreadsheets', 'reports'],
  ['rcs', 'smpp'],
  ['compliance'],
  ['phone-numbers', 'gsm', 'variables', 'web-addresses'],
  ['http', 'workers', 'database', 'metrics', 'traces', 'errors', 'schemas']
]
/** The folder that writes each table. Others change it only through that folder's functions. */
const OWNERS: Record<string, string> = ownersOf({
  accounts: 'account_limits accounts api_keys',
  agents: 'agent_grants agents',
  alarms: 'alarms',
  audit: 'audit_entries',
  'auto-replies': 'auto_replies auto_reply_answers',
  automations: 'automation_people automation_runs automations',
  callbacks: 'callback_queue message_callbacks',
  carriers:
    'captured_pdus carrier_binds carrier_captures carrier_errors carrier_figures carrier_pauses carrier_polls carrier_states carrier_statuses rcs_capabilities',
  clicks: 'link_visitors',
  consents: 'consents',
  contacts: 'contact_lists contacts',
  'credit-requests': 'credit_requests',
  costs: 'carrier_costs cost_figures',
  credits: 'credit_balances credit_entries credit_money credit_reservations message_types',
  database: 'id_ranges schema_migrations',
  delivery: 'doubts',
  'erased-numbers': 'erasure_keys',
  http: 'idempotent_answers',
  invitations: 'invitations',
  limits: 'alert_turns alerts credit_days marketing_uses number_hours uncounted_messages',
  looks: 'look_hosts looks',
  mail: 'mails',
  messages: 'external_ids message_counts message_forms messages rcs_messages scheduled_messages',
  notices: 'notices',
  numbers: 'number_grants',
  people: 'attempts memberships password_resets people sessions token_keys',
  'personal-data': 'pending_erasures',
  pictures: 'pictures',
  prices: 'account_price_lists price_lists price_register price_versions prices',
  queue: 'batches expiries',
  'rbm-events': 'rbm_events',
  'rcs-conversations': 'conversation_charges rcs_conversations',
  recipients: 'phone_accounts rcs_waits recipients timeline_steps untold_cancels',
  replies: 'canned_replies consent_keywords consent_requests conversation_states inbound_ids replies reply_segments',
  retention: 'removals',
  'second-factors': 'passkey_challenges passkeys recovery_codes totp_secrets',
  segments: 'contact_segments',
  sends: 'confirmations deadlines departures drafts',
  senders: 'sender_list_entries sender_modes sender_proofs sender_register senders',
  'short-links': 'short_links',
  'smpp-outbox': 'smpp_binds smpp_deliveries smpp_submits',
  'smpp-server': 'smpp_credentials smpp_parts',
  'single-sign-on': 'identities sign_on_attempts sign_on_tickets',
  stats: 'figure_changes figure_progress figures group_figures message_figures message_groups',
  statements:
    'credit_figure_days credit_figure_progress credit_figures statement_balances statement_months statement_series statement_uses statements',
  stops: 'erased_stops operator_stops opt_outs stops',
  submissions: 'parked_receipts submissions',
  templates: 'templates',
  trials: 'trial_people trials',
  webhooks: 'event_subscriptions events webhook_deliveries webhook_queue webhook_secrets webhook_turns webhooks'
})

function ownersOf(tables: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(tables).flatMap(([folder, names]) => names.split(' ').map((name) => [name, folder]))
  )
}

/** Within these two lines, neighbours may know each other. */
const OPEN_LAYERS = new Set([0, LAYERS.length - 1])

async function sources(): Promise<{ file: string; text: string; imports: string[] }[]> {
  const files: { file: string; text: string; imports: string[] }[] = []
  for await (const file of glob('src/**/*.ts', { cwd: root })) {
    const text = await readFile(join(root, file), 'utf8')
    const imports = [...text.matchAll(/(?:from|import\()\s*'(\.[^']+)'/g)].map(([, target = '']) =>
      relative(root, join(root, dirname(file), target))
    )
    files.push({ file, text, imports })
  }
  return files.filter(({ file }) => !file.endsWith('.test.ts'))
}

function isOperation({ file, text }: { file: string; text: string }): boolean {
  return /\b(operation|extract|upload|eventStream|callback)\(\{/.test(text) && !file.startsWith('src/http/')
}

/**
 * True if a field of a schedule has a literal day, or a constant with one. Years up to 2020 are past for good, and the year
 * 9999 is out of reach.
 */
function schedulesOnLiteralDay(text: string): boolean {
  const field = /\b(?:scheduleAt|schedule_at|scheduledate|deadline)\b/
  const day = String.raw`['"\`](?!9999)(?:202[1-9]|20[3-9]\d|2[1-9]\d\d|[3-9]\d{3})-?\d\d`
  if (new RegExp(`${field.source}.*${day}`).test(text)) return true
  return [...text.matchAll(new RegExp(`${field.source}: (\\w+)`, 'g'))].some(([, name]) =>
    new RegExp(`\\b${name} = ${day}`).test(text)
  )
}

/** `src/credits/ledger.ts` → credits; `src/main.ts` → main. */
function wordOf(file: string): string {
  return (file.split('/')[1] ?? '').replace(/\.ts$/, '')
}

function layerOf(file: string): number {
  return LAYERS.findIndex((words) => words.includes(wordOf(file)))
}

test('imports point only downwards, as ARCHITECTURE.md draws it', async () => {
  const files = await sources()
  assert.ok(files.length > 40)
  for (const { file, imports } of files) {
    const layer = layerOf(file)
    assert.notEqual(layer, -1, `${file} belongs to no layer`)
    for (const target of imports) {
      // The sandbox carriers, which start with the service when it has no others.
      if (file === 'src/delivery-role.ts' && target === 'simulator/sandbox.ts') continue
      assert.ok(target.startsWith('src/'), `${file} reaches outside of src for ${target}`)
      if (wordOf(target) === wordOf(file)) continue
      const isBelow = layerOf(target) > layer
      const isNeighbour = layerOf(target) === layer && OPEN_LAYERS.has(layer)
      assert.ok(isBelow || isNeighbour, `${file} may not import ${target}`)
    }
  }
})

test('ARCHITECTURE.md draws the layers as they are', async () => {
  const text = await readFile(join(root, 'ARCHITECTURE.md'), 'utf8')
  const drawn = [...text.matchAll(/^ {4}layer\d+\["(.+)"\]$/gm)].map(([, words = '']) => words.split(' · '))
  assert.deepEqual(drawn, LAYERS)
})

test('the client needs nothing but itself, and Node only for its command line', async () => {
  const files = await Array.fromAsync(glob('packages/client/{src,bin}/**/*.ts', { cwd: root }))
  assert.ok(files.length > 15)
  for (const file of files) {
    const text = await readFile(join(root, file), 'utf8')
    for (const [, target = ''] of text.matchAll(/^(?:import|export|\}).* from '([^']+)'$/gm)) {
      const isOfCommandLine = /^packages\/client\/(?:bin|src\/cli)\//.test(file)
      const resolved = join(dirname(file), target)
      if (target.startsWith('node:')) assert.ok(isOfCommandLine, `${file} imports ${target}`)
      else assert.ok(target.startsWith('.') && resolved.startsWith('packages/client/'), `${file} imports ${target}`)
      if (!isOfCommandLine) assert.ok(!resolved.includes('/cli/'), `${file} imports ${target}`)
    }
  }
  const described = JSON.parse(await readFile(join(root, 'packages/client/package.json'), 'utf8'))
  assert.deepEqual([described.dependencies, described.sideEffects], [undefined, false])
})

test('the server for assistants uses the client and the protocol, and nothing of the service', async () => {
  const known = /^(?:\.\/|node:|@chappe\/client$|@modelcontextprotocol\/sdk\/|zod$)/
  for await (const file of glob('packages/mcp/src/*.ts', { cwd: root })) {
    const text = await readFile(join(root, file), 'utf8')
    for (const [, target = ''] of text.matchAll(/ from '([^']+)'$/gm)) assert.match(target, known, file)
  }
})

test('an operation of another domain is never imported', async () => {
  const files = await sources()
  const operations = new Set(files.filter(isOperation).map(({ file }) => file))
  assert.ok(operations.size > 10)
  for (const { file, imports } of files) {
    if (file === 'src/routes.ts' || file.startsWith('src/http/')) continue
    for (const target of imports) {
      assert.ok(!operations.has(target) || wordOf(target) === wordOf(file), `${file} imports the operation ${target}`)
    }
  }
})

test('a kind of carrier is known by name in its own folder only', async () => {
  for (const { file, text, imports } of await sources()) {
    if (/^src\/carriers\/\w+\//.test(file) || file === 'src/carriers/kinds.ts') continue
    const isOfKind = imports.filter((target) => /^src\/carriers\/\w+\//.test(target))
    assert.deepEqual(isOfKind, [], `${file} reaches into the folder of a kind`)
    // A role has the name of a kind, and an import writes a carriers file.
    const isRoles = file === 'src/config.ts' || file === 'src/smpp-role.ts' || file.startsWith('src/imports/')
    if (!isRoles) assert.doesNotMatch(text, /'(smpp|rbm)'/, file)
  }
})

test('every operation is listed in routes.ts', async () => {
  const files = await sources()
  // What peers of a kind of carrier call is listed by the kind, and routes.ts goes over the kinds.
  const lists = files.filter(
    ({ file }) => file === 'src/routes.ts' || /^src\/carriers\/\w+\/[\w-]+-kind\.ts$/.test(file)
  )
  const listed = new Set(lists.flatMap(({ imports }) => imports))
  for (const { file } of files.filter(isOperation)) assert.ok(listed.has(file), `${file} is not listed`)
})

test('SQL stands in stores only', async () => {
  const allowed = /\.store\.ts$|^src\/database\/|check-(conversations|ledger|statements)\.ts$/
  for (const { file, text } of await sources()) {
    const hasQuery = /\b(sql|database|pool)(<[^`]*>)?`/.test(text)
    assert.ok(!hasQuery || allowed.test(file), `${file} holds SQL`)
  }
})

test('each table is written by one folder, and read only by folders above it', async () => {
  const schema = await readFile(join(root, 'src/database/schema.sql'), 'utf8')
  const tables = [...schema.matchAll(/^create (?:unlogged )?table (\w+)/gm)].map(([, name = '']) => name)
  assert.deepEqual(tables.toSorted(), Object.keys(OWNERS).toSorted(), 'every table has one owner')
  const isTable = new Set(tables)
  const named = (text: string, pattern: RegExp) =>
    [...text.matchAll(pattern)].map(([, table = '']) => table).filter((table) => isTable.has(table))
  let writes = 0
  for (const { file, text } of await sources()) {
    const folder = wordOf(file)
    for (const table of named(text, /\b(?:insert into|update|delete from|truncate|table: ')\s*(\w+)/g)) {
      assert.equal(folder, OWNERS[table], `${file} writes ${table}`)
      writes++
    }
    for (const table of named(text, /\b(?:from|join|using)\s+(\w+)/g)) {
      const owner = `src/${OWNERS[table]}/`
      const isBelow = folder === OWNERS[table] || layerOf(owner) > layerOf(file)
      assert.ok(isBelow, `${file} reads ${table}, which belongs to ${OWNERS[table]}`)
    }
  }
  assert.ok(writes > 100)
})

test('nobody relies on a share of a row', async () => {
  // PostgreSQL (seen with 18.4) loses a FOR KEY SHARE that is taken while an update of the row looks for room on another page.
  for (const { file, text } of await sources()) {
    if (file.endsWith('.store.ts')) assert.doesNotMatch(text, /\n +for (key )?share\b/, file)
  }
})

/** The first columns of the keys of tables that are empty at times: a plan that is made then must do when they are full. */
const QUEUE_KEYS = [
  '(batches|callback_queue|doubts|expiries|external_ids|idempotent_answers|pending_erasures|rcs_waits)\\.account_id',
  '(removals|scheduled_messages|smpp_deliveries|smpp_parts|smpp_submits)\\.account_id',
  '(rbm_events|submissions)\\.carrier',
  '(mails|parked_receipts)\\.id'
]

test('rows of a queue are looked up by the keys of a list, as docs/design/database.md tells', async () => {
  // A part that runs for each row of `recipients` or `waiting` has no such choice.
  const joined = new RegExp(`.*\\b(${QUEUE_KEYS.join('|')}) = (?!recipients|waiting)[a-z]+\\..*`, 'g')
  for (const { file, text } of await sources()) {
    if (file.endsWith('.store.ts')) assert.deepEqual(text.match(joined), null, file)
  }
})

test('only config.ts reads the environment', async () => {
  for (const { file, text } of await sources()) {
    if (file !== 'src/config.ts' && file !== 'src/main.ts') assert.ok(!text.includes('process.env'), file)
  }
})

test('no test schedules on a literal day, from which on it would fail', async () => {
  assert.ok(schedulesOnLiteralDay("const body = { scheduleAt: '2036-12-24T10:00:00Z' }"))
  assert.ok(schedulesOnLiteralDay("const late = '2036-12-24'\nconst body = {\n  scheduledate: late\n}"))
  assert.ok(!schedulesOnLiteralDay("const past = { deadline: '2020-01-01T00:00:00Z' }"))
  const exclude = ['**/node_modules', 'test/layout.test.ts']
  for await (const file of glob('{{src,packages,simulator}/**/*.test.ts,test/**/*.ts}', { cwd: root, exclude })) {
    const text = await readFile(join(root, file), 'utf8')
    assert.ok(!schedulesOnLiteralDay(text), `${file}: use test/checks/days-ahead.ts`)
  }
})

test('only tests lower the cost of hashing a password', async () => {
  for await (const file of glob('{src,scripts}/**/*.ts', { cwd: root, exclude: ['src/people/passwords.ts'] })) {
    assert.ok(!(await readFile(join(root, file), 'utf8')).includes('hashAtLeastCost'), file)
  }
})

test('docs/settings.md is written from the settings', async () => {
  assert.equal(await readFile(join(root, 'docs/settings.md'), 'utf8'), settingsTable(), 'run `npm run docs:settings`')
})

test('docs/metrics.md is written from the metrics', async () => {
  assert.equal(await readFile(join(root, 'docs/metrics.md'), 'utf8'), metricsTable(), 'run `npm run docs:metrics`')
})

test('docs/roles.md is written from the list of operations', async () => {
  assert.equal(await readFile(join(root, 'docs/roles.md'), 'utf8'), rolesTable(), 'run `npm run docs:roles`')
})

async function documents(): Promise<{ name: string; text: string }[]> {
  const names = ['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'CHANGELOG.md']
  for await (const name of glob('docs/**/*.md', { cwd: root })) names.push(name)
  return Promise.all(names.map(async (name) => ({ name, text: await readFile(join(root, name), 'utf8') })))
}

/** The anchors of a page, as GitHub makes them from its headings. */
function anchorsOf(text: string): Set<string> {
  const headings = [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => heading)
  return new Set(
    headings.map((heading) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\w\- ]/g, '')
        .replaceAll(' ', '-')
    )
  )
}

test('the documents link only to files and headings that exist', async () => {
  for (const { name, text } of await documents()) {
    for (const [, target = '', anchor] of text.matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]+))?\)/g)) {
      const file = target === '' ? name : join(dirname(name), target)
      const linked = await readFile(join(root, file), 'utf8').catch(() => assert.fail(`${name} links to ${target}`))
      if (anchor) assert.ok(anchorsOf(linked).has(anchor), `${name} links to ${target}#${anchor}`)
    }
  }
})

test('prose in the documents wraps at 120 characters', async () => {
  for (const { name, text } of await documents()) {
    const prose = text
      .replaceAll(/```.*?```/gs, '')
      .split('\n')
      .filter((line) => !/^\s*\|/.test(line))
    for (const line of prose) assert.ok(line.length <= 120 || !line.trim().includes(' '), `${name}: ${line}`)
  }
})

test('the way of a message, as CONTRIBUTING.md tells it, is at most 15 files long', async () => {
  const text = await readFile(join(root, 'CONTRIBUTING.md'), 'utf8')
  const [, way = ''] = /\n## The way of a message\n(.*?)\n## /s.exec(text) ?? []
  const files = [...way.matchAll(/^\| \[.+\]\((src\/.+)\)/gm)].map(([, file]) => file)
  assert.ok(files.length >= 10 && files.length <= 15, `${files.length} files`)
})

test('docs/design/states.md draws every move of a recipient', async () => {
  const text = await readFile(join(root, 'docs/design/states.md'), 'utf8')
  const drawn = [...text.matchAll(/^ {2}(\w+) --> (\w+)/gm)].map(([, from, to]) => `${from} to ${to}`)
  const states = Object.entries(RECIPIENT_STATES)
  const moves = states.flatMap(([from, begin]) =>
    states.flatMap(([to, end]) => (from !== to && canMove(begin, end) ? [`${from} to ${to}`] : []))
  )
  assert.deepEqual(drawn.sort(), moves.sort())
})

test('the glossary lists each word once, in order, with the file where it lives', async () => {
  const rows = (await readFile(join(root, 'docs/glossary.md'), 'utf8'))
    .split('\n')
    .filter((line) => line.startsWith('| '))
  const entries = rows.slice(1).map((row) => row.split('|').map((cell) => cell.trim()))
  const words = entries.map(([, word = '']) => word)
  assert.ok(words.length >= 40)
  assert.deepEqual(words, [...new Set(words)].sort())
  for (const [, word, meaning, file] of entries) {
    assert.ok(meaning, `${word} has no meaning`)
    assert.match(file ?? '', /^\[.+\]\(\.\..+\)$/, `${word} names no file`)
  }
})

test('the index of the decisions lists each of them under a number of its own', async () => {
  const index = await readFile(join(root, 'docs/decisions/README.md'), 'utf8')
  const files: string[] = []
  for await (const file of glob('docs/decisions/[0-9]*.md', { cwd: root })) files.push(basename(file))
  const numbers = files.map((file) => file.slice(0, 4))
  assert.equal(new Set(numbers).size, files.length, 'two decisions have one number')
  for (const file of files) assert.ok(index.includes(`(${file})`), `the index does not list ${file}`)
})

test('the lock file holds every package that one in it asks for, other platforms’ too: else npm ci stops', async () => {
  const lock = JSON.parse(await readFile(join(root, 'package-lock.json'), 'utf8')) as Lock
  const missing: string[] = []
  for (const [path, { dependencies, optionalDependencies }] of Object.entries(lock.packages)) {
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
      const folders = [...path.matchAll(/(?:^|\/)node_modules\//g)].map(({ index }) => path.slice(0, index))
      const places = [path, ...folders, ''].map((folder) => `${folder === '' ? '' : `${folder}/`}node_modules/${name}`)
      if (!places.some((place) => lock.packages[place])) missing.push(`${name}, asked for by ${path}`)
    }
  }
  assert.deepEqual(missing, [])
})

interface Lock {
  packages: Record<string, { dependencies?: object; optionalDependencies?: object }>
}

test('docs/api explains every setting of an account, every error code and every credit mode', async () => {
  const pages = ['account.md', 'errors.md'].map((name) => readFile(join(root, 'docs/api', name), 'utf8'))
  const text = (await Promise.all(pages)).join('\n')
  const words = [...Object.keys(AccountSettings.properties), ...Object.keys(REFUSAL_CODES), 'self', 'parent']
  assert.deepEqual(
    words.filter((word) => !text.includes(`\n| \`${word}\``)),
    []
  )
})

test('a clean install is quiet: every package accepts Node 20, 22 and 24, and none is deprecated', async () => {
  const { satisfies } = createRequire(import.meta.url)('semver') as {
    satisfies(version: string, range: string): boolean
  }
  const lock = JSON.parse(await readFile(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { engines?: { node?: string }; optional?: boolean; deprecated?: string }>
  }
  const noise: string[] = []
  for (const [path, { engines, optional, deprecated }] of Object.entries(lock.packages)) {
    // npm installs an optional package or leaves it out, and says nothing either way.
    if (optional) continue
    // The first of 20 and 22 that load ES modules with require(), which build tools ask for.
    const refused = ['20.19.0', '22.12.0', '24.0.0'].filter((version) => !satisfies(version, engines?.node ?? '*'))
    if (refused.length > 0) noise.push(`${path} wants Node ${engines?.node}`)
    if (deprecated !== undefined) noise.push(`${path} is deprecated: ${deprecated}`)
  }
  assert.deepEqual(noise, [])
})

test('every table of the schema has a place, and no place is of a table that is not there', async () => {
  const schema = await readSchema()
  const tables = [...schema.matchAll(/^create (?:unlogged )?table (\w+) \($/gm)].map(([, name]) => name)
  assert.ok(tables.length > 80)
  assert.deepEqual(Object.keys(PLACES).toSorted(), tables.toSorted())
})

test('the keys of distributed tables begin with the account, and no foreign key leads to or from what Citus knows', async () => {
  const schema = await readSchema()
  for (const table of [...tablesAt('distributed'), ...tablesAt('known')]) {
    const definition = schema.slice(schema.indexOf(`create table ${table} (`)).split('\n\n')[0] ?? ''
    assert.match(definition, new RegExp(`PRIMARY KEY \\(${DISTRIBUTION_COLUMN}, `), table)
    assert.doesNotMatch(definition, /FOREIGN KEY/, table)
    assert.ok(!schema.includes(`REFERENCES ${table}(`), table)
  }
  for (const table of tablesAt('distributed')) assert.ok(!schema.includes(` ON ${table} FOR EACH ROW`), table)
})

function readSchema(): Promise<string> {
  return readFile(join(root, 'src/database/schema.sql'), 'utf8')
}

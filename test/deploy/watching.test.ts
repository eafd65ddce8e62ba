import { strict as assert } from 'node:assert'
import { spawnSync } from 'node:child_process'
import { glob, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { type KnownMetric, listMetrics } from '../../scripts/metrics-table.ts'
import { ALARM_KINDS } from '../../src/alarms/alarm.ts'
import type { ReceiptState, SubmitOutcome } from '../../src/carriers/carrier.ts'
import type { RefusalClass } from '../../src/carriers/refusal-class.ts'
import { LANES } from '../../src/messages/message.ts'
import type { Backlog } from '../../src/webhooks/backlog.store.ts'
import type { PostOutcome } from '../../src/webhooks/metrics.ts'

const root = join(import.meta.dirname, '../..')
const RULES = 'deploy/prometheus/chappe.rules.yaml'
const KNOWN = new Map(listMetrics().flatMap(({ metrics }) => metrics.map((metric) => [metric.name, metric])))

/** Words of PromQL that the expressions use. */
const WORDS = new Set(
  'sum max by and unless rate increase histogram_quantile label_values __rate_interval carrier country'.split(' ')
)
/** Labels that Prometheus itself gives. */
const GIVEN_LABELS = ['le', 'job', 'instance']

/** The values of a type of the code, all of them: a value more or less does not compile. */
const every = <Value extends string>(values: Record<Value, true>) => Object.keys(values)

const OUTCOMES = every<SubmitOutcome['kind']>({
  accepted: true,
  retry: true,
  rejected: true,
  unreachable: true,
  expired: true,
  'in-doubt': true
})
const POST_OUTCOMES = every<PostOutcome>({
  succeeded: true,
  redirect: true,
  refused: true,
  gone: true,
  'server-error': true,
  timeout: true,
  connection: true,
  dns: true,
  tls: true,
  blocked: true,
  other: true
})
const CLASSES = every<RefusalClass>({
  throttled: true,
  number: true,
  sender: true,
  content: true,
  access: true,
  unreachable: true,
  carrier: true,
  other: true
})
const RECEIPT_STATES = every<Exclude<ReceiptState, 'unknown'>>({
  delivered: true,
  failed: true,
  expired: true,
  rejected: true
})
const WEBHOOK_STATES = every<Exclude<keyof Backlog, 'events' | 'ageSeconds'>>({
  well: true,
  failing: true,
  disabled: true
})

/** Whether a label of a metric can have a value. Carriers and countries can have any. */
function mayHave(metric: KnownMetric, label: string, value: string): boolean {
  if (label === 'lane') return Object.keys(LANES).includes(value)
  if (label === 'le') return value === '+Inf' || (metric.buckets ?? []).includes(Number(value))
  const values: Record<string, readonly string[]> = {
    'chappe_outcomes_total outcome': OUTCOMES,
    'chappe_refusals_total outcome': OUTCOMES,
    'chappe_refusals_total class': CLASSES,
    'chappe_webhook_posts_total outcome': POST_OUTCOMES,
    'chappe_webhooks state': WEBHOOK_STATES,
    'chappe_recipients_reported_total state': RECEIPT_STATES
  }
  const known = values[`${metric.name} ${label}`]
  if (known) return known.includes(value)
  if (label === 'pool') return POOLS.has(value)
  if (metric.name === 'chappe_http_request_seconds' && label === 'status') return /^[1-5]\d\d$/.test(value)
  return ['carrier', 'country'].includes(label)
}

/** The pools that the code opens, by their names. */
const POOLS = new Set(['requests'])
for await (const file of glob('src/**/*.ts', { cwd: root })) {
  const text = await readFile(join(root, file), 'utf8')
  for (const [, name = ''] of text.matchAll(/applicationName(?:: | = )`[^`]*\} ([a-z ]+)`/g)) POOLS.add(name)
}

interface Rule {
  alert: string
  expr: string
  runbook: string
}

/** The rules of our own file: each field of a rule is one line. */
async function readRules(): Promise<Rule[]> {
  const text = await readFile(join(root, RULES), 'utf8')
  return text
    .split(/^ {6}- alert: /m)
    .slice(1)
    .map((rule) => {
      const field = (name: string) => new RegExp(`^ +${name}: (.+)$`, 'm').exec(rule)?.[1] ?? ''
      return { alert: rule.split('\n')[0] ?? '', expr: field('expr').slice(1, -1), runbook: field('runbook') }
    })
}

function metricOf(name: string): KnownMetric | undefined {
  const histogram = KNOWN.get(name.replace(/_(bucket|sum|count)$/, ''))
  return KNOWN.get(name) ?? (histogram?.type === 'histogram' && !KNOWN.has(name) ? histogram : undefined)
}

/** Checks the values of the labels that an expression selects by. Those of a variable of a dashboard can be any. */
function assertValues(expr: string, where: string): void {
  for (const [, name = '', selector = ''] of expr.matchAll(/(\w+)\{([^}]*)\}/g)) {
    const metric = metricOf(name)
    for (const [, label = '', operator = '', text = ''] of selector.matchAll(/(\w+)\s*(=~?)\s*"([^"]*)"/g)) {
      if (text.startsWith('$') || !metric || GIVEN_LABELS.slice(1).includes(label)) continue
      const values = operator === '=' ? [text] : text.split('|')
      for (const value of values) assert.ok(mayHave(metric, label, value), `${where}: ${name} has no ${label} ${value}`)
    }
  }
}

/** Checks that each metric of an expression exists, and that each label belongs to one of its metrics. */
function assertKnown(expr: string, where: string): void {
  // Values and durations are no names.
  const bare = expr.replaceAll(/"[^"]*"/g, '""').replaceAll(/\[[^\]]*\]/g, '')
  const selected = [...bare.matchAll(/(\w+)\s*=~?\s*""/g)].map(([, label = '']) => label)
  const grouped = [...bare.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, list = '']) => list.split(/,\s*/))
  const names = bare
    .replaceAll(/\{[^}]*\}/g, '')
    .replaceAll(/\bby \([^)]*\)/g, '')
    .match(/[a-zA-Z_]\w*/g)
  const metrics = (names ?? []).filter((name) => !WORDS.has(name) && name !== 'up')
  assert.ok(metrics.length > 0 || bare.includes('up{'), `${where} names a metric`)
  const labels = new Set(GIVEN_LABELS)
  for (const name of metrics) {
    const metric = metricOf(name)
    assert.ok(metric, `${where}: there is no metric ${name}`)
    for (const label of metric.labels) labels.add(label)
    if (name.endsWith('_bucket')) assert.ok(bare.includes('le'), `${where}: buckets are summed by le`)
  }
  for (const label of [...selected, ...grouped]) assert.ok(labels.has(label), `${where}: no metric has ${label}`)
  assertValues(expr, where)
}

test('each alert asks for metrics and labels that exist, and has a runbook that shows its expression', async () => {
  const rules = await readRules()
  assert.ok(rules.length >= 20)
  assert.equal(new Set(rules.map(({ alert }) => alert)).size, rules.length)
  const index = await readFile(join(root, 'docs/runbooks/README.md'), 'utf8')
  for (const { alert, expr, runbook } of rules) {
    assertKnown(expr, alert)
    const page = await readFile(join(root, runbook), 'utf8').catch(() => assert.fail(`${alert} has no ${runbook}`))
    assert.ok(page.startsWith(`# ${alert}\n`), runbook)
    assert.ok(page.includes(`\n${expr}\n`), `${runbook} shows the expression of the rule`)
    assert.match(page, /\n## Look at\n.+\n## Do\n/s)
    assert.ok(index.includes(`[${alert}](${runbook.split('/').at(-1)})`), `the index of runbooks has ${alert}`)
  }
  const alarms = await readFile(join(root, 'docs/alarms.md'), 'utf8')
  for (const kind of ALARM_KINDS) assert.ok(alarms.includes(`| \`${kind}\` |`), `docs/alarms.md has ${kind}`)
  for await (const file of glob('docs/runbooks/*.md', { cwd: root })) {
    const isKnown = file.endsWith('README.md') || rules.some(({ runbook }) => runbook === file)
    assert.ok(isKnown || alarms.includes(`(${file.slice('docs/'.length)})`), `${file} belongs to an alert or an alarm`)
  }
})

test('each panel of the dashboards asks for metrics and labels that exist', async () => {
  const titles = new Set<string>()
  for await (const file of glob('deploy/grafana/*.json', { cwd: root })) {
    const dashboard = JSON.parse(await readFile(join(root, file), 'utf8')) as Dashboard
    titles.add(dashboard.title)
    const ids = dashboard.panels.map(({ id }) => id)
    assert.equal(new Set(ids).size, ids.length, `${file}: two panels have one id`)
    for (const { title, targets } of dashboard.panels) {
      assert.ok(targets.length > 0, `${file}: ${title}`)
      for (const { expr } of targets) assertKnown(expr, `${file}: ${title}`)
    }
    for (const { type, query } of dashboard.templating.list) {
      const [, metric = '', label = ''] = /^label_values\((\w+), (\w+)\)$/.exec(query) ?? []
      if (type === 'query') assert.ok(metricOf(metric)?.labels.includes(label), `${file}: ${query}`)
    }
  }
  assert.equal(titles.size, 4)
})

interface Dashboard {
  title: string
  panels: { id: number; title: string; targets: { expr: string }[] }[]
  templating: { list: { type: string; query: string }[] }
}

test('the check of expressions notices a metric and a label that do not exist', () => {
  assert.throws(() => assertKnown('max(chappe_nothing) > 1', 'x'), /there is no metric chappe_nothing/)
  assert.throws(() => assertKnown('max by (account) (chappe_in_doubt) > 1', 'x'), /no metric has account/)
  assert.throws(() => assertKnown('max(chappe_queue_batches{road="a"}) > 1', 'x'), /no metric has road/)
})

test('the check of expressions notices a value that a label never has', () => {
  const wrong: Record<string, RegExp> = {
    'max(chappe_queue_batches{lane="otp"}) > 1': /has no lane otp/,
    'rate(chappe_outcomes_total{outcome="refused"}[5m])': /has no outcome refused/,
    'rate(chappe_webhook_posts_total{outcome=~"dns|time-out"}[5m])': /has no outcome time-out/,
    'rate(chappe_refusals_total{class="throttle"}[5m])': /has no class throttle/,
    'rate(chappe_recipients_reported_total{state="unknown"}[5m])': /has no state unknown/,
    'chappe_webhooks{state="broken"}': /has no state broken/,
    'chappe_database_pool_waiting{pool="deliveries"}': /has no pool deliveries/,
    'rate(chappe_message_to_carrier_seconds_bucket{le="11"}[5m])': /has no le 11/,
    'rate(chappe_http_request_seconds_count{status="5xx"}[5m])': /has no status 5xx/,
    'rate(chappe_clicks_total{by="people"}[5m])': /has no by people/
  }
  for (const [expr, problem] of Object.entries(wrong)) assert.throws(() => assertKnown(expr, 'x'), problem)
  assertKnown('chappe_database_pool_waiting{pool="telling webhooks"}', 'x')
  assertKnown('rate(chappe_outcomes_total{carrier="main", outcome=~"in-doubt|retry"}[5m])', 'x')
})

test('promtool accepts the rules, where it is installed', () => {
  const { error, status, stdout, stderr } = spawnSync('promtool', ['check', 'rules', join(root, RULES)], {
    encoding: 'utf8'
  })
  if ((error as NodeJS.ErrnoException | undefined)?.code !== 'ENOENT') assert.equal(status, 0, stdout + stderr)
})

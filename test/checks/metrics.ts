import { strict as assert } from 'node:assert'
import { spawnSync } from 'node:child_process'
import { listMetrics } from '../../scripts/metrics-table.ts'

/** The value of a series, or the sum of the series that match; undefined without any. */
export async function readMetrics({ url }: { url: string }): Promise<(name: string | RegExp) => number | undefined> {
  const lines = (await (await fetch(`${url}/metrics`)).text()).split('\n').map((line) => line.split(/ (?=\S+$)/))
  return (name) => {
    const found = lines.filter(([series = '']) => (typeof name === 'string' ? series === name : name.test(series)))
    return found.length === 0 ? undefined : found.reduce((sum, [, value]) => sum + Number(value), 0)
  }
}

/**
 * Checks the text of /metrics of a process with all that there is: it has every metric of docs/metrics.md and no other. Each
 * obeys the conventions of Prometheus, and names no account. `promtool` checks it too, where it is installed.
 */
export function assertConventional(text: string): void {
  const known = new Map(listMetrics().flatMap(({ metrics }) => metrics.map((metric) => [metric.name, metric])))
  const types = [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)]
  assert(types.length > 50, 'the text has metrics')
  for (const [, name = '', type = ''] of types) {
    const metric = known.get(name)
    assert(metric, `${name} is in docs/metrics.md`)
    assert.equal(type, metric.type, name)
    assert.match(name, /^[a-z][a-z0-9_]*$/)
    assert.equal(name.endsWith('_total'), type === 'counter', `${name} ends as a ${type} does`)
    assert.doesNotMatch(name, /_(count|sum|bucket|milliseconds|minutes|kilobytes|megabytes)$/)
    assert.match(metric.help, /\S/)
    if (type === 'histogram' && /time|seconds/i.test(metric.help)) assert.match(name, /_seconds$/)
    for (const label of metric.labels) assert.doesNotMatch(label, /account|person|phone|message/, `a label of ${name}`)
  }
  const shown = new Set(types.map(([, name]) => name))
  assert.deepEqual(
    [...known.keys()].filter((name) => !shown.has(name)),
    [],
    'docs/metrics.md has metrics that no process has'
  )
  assert.equal(problemsByPromtool(text), '')
}

/** Empty where promtool is not installed. */
function problemsByPromtool(text: string): string {
  const { error, stdout, stderr } = spawnSync('promtool', ['check', 'metrics'], { input: text, encoding: 'utf8' })
  if ((error as NodeJS.ErrnoException | undefined)?.code === 'ENOENT') return ''
  assert.ifError(error)
  return (stdout + stderr).trim()
}

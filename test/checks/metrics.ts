import { strict as assert } from 'node:assert'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { listMetrics } from '../../scripts/metrics-table.ts'

/**
 * Checks the text of /metrics: every metric is known to docs/metrics.md, obeys the conventions of Prometheus, and names no
 * account. `promtool` checks it too, where it is installed.
 */
export async function assertConventional(text: string): Promise<void> {
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
  const problems = await problemsByPromtool(text)
  assert.equal(problems, '')
}

/** Empty where promtool is not installed. */
async function problemsByPromtool(text: string): Promise<string> {
  const child = spawn('promtool', ['check', 'metrics'], { stdio: ['pipe', 'pipe', 'pipe'] })
  child.stdin.on('error', () => undefined)
  let output = ''
  child.stdout.on('data', (chunk) => {
    output += chunk
  })
  child.stderr.on('data', (chunk) => {
    output += chunk
  })
  const ended = Promise.race([once(child, 'close').then(() => output), once(child, 'error').then(() => '')])
  child.stdin.end(text)
  return (await ended).trim()
}

import { strict as assert } from 'node:assert'
import { spawnSync } from 'node:child_process'
import { glob, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { Settings } from '../../src/config.ts'
import { atEnd } from '../service/cleanup.ts'

const root = join(import.meta.dirname, '../..')
const CHART = join(root, 'deploy/helm/chappe')
const read = (file: string) => readFile(join(root, file), 'utf8')

/** Undefined where the tool is not installed. */
function run(tool: string, args: string[]): { status: number | null; output: string } | undefined {
  const { error, status, stdout, stderr } = spawnSync(tool, args, { encoding: 'utf8' })
  const isMissing = (error as NodeJS.ErrnoException | undefined)?.code === 'ENOENT'
  return isMissing ? undefined : { status, output: stdout + stderr }
}

test('every setting that a unit, a chart or a container names is a setting of Chappe', async () => {
  const files = ['Dockerfile', 'compose.yaml', 'compose.external.yaml']
  for await (const file of glob('deploy/{systemd,helm}/**/*.*', { cwd: root })) files.push(file)
  assert.ok(files.length > 8)
  for (const file of files) {
    for (const [name] of (await read(file)).matchAll(/\bCHAPPE_[A-Z_]+\b/g)) {
      // The compose file hands this one to PostgreSQL.
      const isKnown = name in Settings.properties || name === 'CHAPPE_DATABASE_PASSWORD'
      assert.ok(isKnown, `${file} names ${name}`)
    }
  }
})

test('containers run as an ordinary user, on a root file system that they do not write, with probes', async () => {
  const docker = await read('Dockerfile')
  assert.match(docker, /^USER chappe$/m)
  assert.match(docker, /^HEALTHCHECK .*\n.*\/health\/ready/m)
  for (const file of ['compose.yaml', 'compose.external.yaml']) {
    assert.match(await read(file), / read_only: true\n {4}tmpfs: \[\/tmp\]\n {4}cap_drop: \[ALL\]/)
  }
  const pods = await read('deploy/helm/chappe/templates/deployments.yaml')
  const uid = /--uid (\d+) chappe/.exec(docker)?.[1]
  for (const line of [
    'runAsNonRoot: true',
    `runAsUser: ${uid}`,
    'readOnlyRootFilesystem: true',
    'capabilities: { drop: [ALL] }',
    'path: /health/live',
    'path: /health/ready'
  ]) {
    assert.ok(pods.includes(line), line)
  }
})

test('a stop is waited for as long as Chappe may take', async () => {
  const [, stopMs = ''] = /const STOP_TIMEOUT_MS = (\S+)/.exec(await read('src/main.ts')) ?? []
  const [, databaseMs = ''] = /const DATABASE_STOP_TIMEOUT_MS = (\S+)/.exec(await read('src/main.ts')) ?? []
  const seconds = (Number(stopMs.replace('_', '')) + Number(databaseMs.replace('_', ''))) / 1000
  const patience = {
    unit: /TimeoutStopSec=(\d+)/.exec(await read('deploy/systemd/chappe.service')),
    compose: /stop_grace_period: (\d+)s/.exec(await read('compose.yaml')),
    chart: /terminationGracePeriodSeconds: (\d+)/.exec(await read('deploy/helm/chappe/values.yaml'))
  }
  for (const [name, found] of Object.entries(patience))
    assert.ok(Number(found?.[1]) >= seconds, `${name}: ${seconds} s`)
})

/** The paths of the keys of our own YAML, which indents by two spaces. */
function pathsOf(yaml: string): Set<string> {
  const path: string[] = []
  const paths = new Set<string>()
  for (const [, indent = '', key = ''] of yaml.matchAll(/^( *)(\w+):/gm)) {
    path.splice(indent.length / 2, path.length, key)
    paths.add(path.join('.'))
  }
  return paths
}

test('the chart reads only values that it has, and helm accepts it where it is installed', async () => {
  const values = pathsOf(await read('deploy/helm/chappe/values.yaml'))
  let readCount = 0
  for await (const file of glob('deploy/helm/chappe/templates/*', { cwd: root })) {
    const text = await read(file)
    assert.equal(
      text.match(/\{\{-? (if|range|with|define)\b/g)?.length ?? 0,
      text.match(/\{\{-? end\b/g)?.length ?? 0,
      file
    )
    for (const [, path = ''] of text.matchAll(/\.Values\.([\w.]+)/g)) {
      readCount++
      const isSetting = path.startsWith('settings.') && (path.split('.')[1] ?? '') in Settings.properties
      assert.ok(isSetting || values.has(path), `${file} reads ${path}`)
    }
  }
  assert.ok(readCount > 20)
  const linted = run('helm', ['lint', '--strict', CHART])
  if (linted) assert.equal(linted.status, 0, linted.output)
  const all = ['--set', 'ingress.enabled=true,ingress.host=sms.example.com,roles.smpp.replicas=1,carriers.secretName=c']
  const rendered = run('helm', ['template', 'chappe', CHART, ...all])
  if (rendered) assert.equal(rendered.status, 0, rendered.output)
})

test('systemd accepts the unit, where it is installed', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'chappe-unit-'))
  atEnd(t, () => rm(folder, { recursive: true, force: true }))
  const unit = join(folder, 'chappe.service')
  // The program need not be installed here.
  const text = await read('deploy/systemd/chappe.service')
  await writeFile(unit, text.replace(/^ExecStart=\S+/m, `ExecStart=${process.execPath}`))
  const verified = run('systemd-analyze', ['verify', unit])
  // It may warn about other units of the machine.
  if (verified) assert.doesNotMatch(verified.output, /chappe\.service/)
})

import { strict as assert } from 'node:assert'
import { spawnSync } from 'node:child_process'
import { cp, glob, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { Settings } from '../../src/config.ts'
import { atEnd } from '../service/cleanup.ts'

const root = join(import.meta.dirname, '../..')
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

test('containers run as an ordinary user, on a root file system that they do not write, with a health check', async () => {
  const docker = await read('Dockerfile')
  assert.match(docker, /^USER chappe$/m)
  assert.match(docker, /^HEALTHCHECK .*\n.*\/health\/ready/m)
  for (const file of ['compose.yaml', 'compose.external.yaml']) {
    assert.match(await read(file), / read_only: true\n {4}tmpfs: \[\/tmp\]\n {4}cap_drop: \[ALL\]/)
  }
})

test('a stop is waited for as long as Chappe may take', async () => {
  const [, stopMs = ''] = /const STOP_TIMEOUT_MS = (\S+)/.exec(await read('src/main.ts')) ?? []
  const [, databaseMs = ''] = /const DATABASE_STOP_TIMEOUT_MS = (\S+)/.exec(await read('src/main.ts')) ?? []
  const seconds = (Number(stopMs.replace('_', '')) + Number(databaseMs.replace('_', ''))) / 1000
  const patience = {
    unit: /TimeoutStopSec=(\d+)/.exec(await read('deploy/systemd/chappe.service')),
    compose: /stop_grace_period: (\d+)s/.exec(await read('compose.yaml')),
    external: /stop_grace_period: (\d+)s/.exec(await read('compose.external.yaml'))
  }
  for (const [name, found] of Object.entries(patience))
    assert.ok(Number(found?.[1]) >= seconds, `${name}: ${seconds} s`)
})

test('systemd accepts the unit, where it is installed', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'chappe-unit-'))
  atEnd(t, () => rm(folder, { recursive: true, force: true }))
  const unit = join(folder, 'chappe.service')
  const text = await read('deploy/systemd/chappe.service')
  assert.match(text, /^StartLimitIntervalSec=0$/m, 'a database that is away for long does not end the restarts')
  // The program need not be installed here.
  await writeFile(unit, text.replace(/^ExecStart=\S+/m, `ExecStart=${process.execPath}`))
  const verified = run('systemd-analyze', ['verify', unit])
  // It may warn about other units of the machine.
  if (verified) assert.doesNotMatch(verified.output, /chappe\.service/)
})

test('a start without the tools of the console says how to get them', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'chappe-tools-'))
  atEnd(t, () => rm(folder, { recursive: true, force: true }))
  await mkdir(join(folder, 'console'))
  await writeFile(join(folder, 'package-lock.json'), '{}')
  const script = join(folder, 'scripts/build-console.ts')
  await cp(join(root, 'scripts/build-console.ts'), script)
  const built = run(process.execPath, [script])
  assert.deepEqual([built?.status, /`npm ci --include=dev`/.test(built?.output ?? '')], [0, true], `${built?.output}`)
})

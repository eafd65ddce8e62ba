import { spawn } from 'node:child_process'
import { glob, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'
import { pathToFileURL } from 'node:url'
import { buildConsole } from '../scripts/build-console.ts'
import { startEmbeddedServer } from '../src/database/embedded-server.ts'
import { findBrowser } from './console/browser.ts'
import { createTemplates } from './database/databases.ts'

/*
 * `npm test`: the compiler, the linter, then every test, against one PostgreSQL that this run starts and stops itself.
 * Words after it choose test files: `npm test -- credits` runs those whose path contains "credits".
 */

/** Long forms of some tests take more. */
const TEST_TIMEOUT_MS = Number(process.env.CHAPPE_TEST_TIMEOUT_MS ?? 120_000)
/** Two cores: of three files, one mostly waits for a database, a lease or a process. */
const FILES_AT_ONCE = 3

/** Of `src`. To load all of the service in a process and warm it up takes longer than the tests of most files. */
const FILES_IN_PROCESS = 8

/** These take minutes, one test after the other; begun last, they would run alone at the end. */
const LONG = /journeys\/start|chaos|bench\.test|journeys\/nodes|journeys\/database|console\/contacts/

const SLOWEST_SHOWN = 15

const root = join(import.meta.dirname, '..')
const wanted = process.argv.slice(2)
let passed = 0
let failed = 0

const checks =
  wanted.length > 0
    ? []
    : [
        check('the types hold', 'tsc', ['--noEmit']),
        check('the types of the console hold', 'tsc', ['-p', 'console']),
        check('the code is formatted and lints clean', 'biome', ['check', '--error-on-warnings'])
      ]
await Promise.all([...checks, buildConsole()])
// Every file and every service is a process of its own; what one has compiled, the others need not.
process.env.NODE_COMPILE_CACHE = join(root, 'node_modules', '.cache', 'compiled')
const folder = await mkdtemp(join(tmpdir(), 'chappe-test-'))
const server = await startEmbeddedServer(folder, {
  // Thrown away at the end, so it need not survive a power cut; tests that prove durability start their own.
  serverSettings: { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', max_connections: '300' }
})
try {
  process.env.CHAPPE_TEST_SOCKET_FOLDER = server.url.socketFolder
  process.env.CHAPPE_TEST_BROWSER = await findBrowser()
  await createTemplates()
  const files = await findTests()
  if (files.length === 0) throw new Error(`No test file matches ${wanted.join(', ')}.`)
  const events = run({ files, concurrency: FILES_AT_ONCE, timeout: TEST_TIMEOUT_MS })
  events.on('test:pass', (event) => {
    if (isTest(event)) passed++
  })
  events.on('test:fail', (event) => {
    if (isTest(event)) failed++
  })
  const durations: { file: string; seconds: number }[] = []
  events.on('test:summary', ({ file, duration_ms: ms }) => {
    if (file !== undefined) durations.push({ file: relative(root, file), seconds: ms / 1000 })
  })
  for await (const text of events.compose(new spec())) process.stdout.write(text)
  printSlowest(durations)
} finally {
  await server.stop()
  // What a failed test left in its database is worth a look, unless nobody can look.
  if (failed > 0 && !process.env.CI) process.stdout.write(`\nThe databases of failed tests are kept in ${folder}\n`)
  else await rm(folder, { recursive: true, force: true })
}

process.stdout.write(`\n${passed} passed, ${failed} failed\n`)
process.exit(failed === 0 && passed > 0 ? 0 : 1)

function isTest(event: { name: string; details: { type?: string | undefined } }): boolean {
  // A file is reported as a test of its own around its tests; it counts only when it could not even be loaded.
  return event.details.type !== 'suite' && !(/\.test\.m?[jt]s$/.test(event.name) && event.details.type === undefined)
}

/** The suite's time is these files' time: whoever adds tests sees what they cost. */
function printSlowest(durations: readonly { file: string; seconds: number }[]): void {
  const slowest = durations.toSorted((a, b) => b.seconds - a.seconds).slice(0, SLOWEST_SHOWN)
  process.stdout.write('\nSlowest files, in seconds:\n')
  for (const { file, seconds } of slowest) process.stdout.write(`${seconds.toFixed(1).padStart(7)}  ${file}\n`)
}

async function check(promise: string, command: string, parameters: string[]): Promise<void> {
  const child = spawn(join(root, 'node_modules', '.bin', command), parameters, { cwd: root, stdio: 'inherit' })
  const { promise: exit, resolve } = Promise.withResolvers<number | null>()
  child.once('exit', resolve)
  child.once('error', () => resolve(null))
  const isGood = (await exit) === 0
  process.stdout.write(`${isGood ? '✔' : '✖'} ${promise}\n`)
  if (isGood) passed++
  else failed++
}

async function findTests(): Promise<string[]> {
  const files: string[] = []
  for await (const file of glob('{src,test,bench,simulator}/**/*.test.ts', { cwd: root })) files.push(file)
  const chosen = files
    .filter((file) => wanted.length === 0 || wanted.some((word) => file.includes(word)))
    .sort((a, b) => Number(LONG.test(b)) - Number(LONG.test(a)) || a.localeCompare(b))
    .map((file) => join(root, file))
  if (wanted.length > 0) return chosen
  const sharing = chosen.filter((file) => file.startsWith(join(root, 'src')))
  return [...chosen.filter((file) => !sharing.includes(file)), ...(await bundle(sharing))]
}

/** Files that load some others, which then share a process and run one after the other. */
async function bundle(files: readonly string[]): Promise<string[]> {
  const count = Math.ceil(files.length / FILES_IN_PROCESS)
  return Promise.all(
    Array.from({ length: count }, async (_, index) => {
      const path = join(folder, `${index + 1}.test.mjs`)
      const own = files.filter((_, place) => place % count === index)
      await writeFile(path, own.map((file) => `import ${JSON.stringify(pathToFileURL(file).href)}\n`).join(''))
      return path
    })
  )
}

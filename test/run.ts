import { spawn } from 'node:child_process'
import { join, relative } from 'node:path'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'
import { chooseFiles, ROOT } from './runner/choose-files.ts'
import { readOptions } from './runner/options.ts'
import { toProcesses } from './runner/processes.ts'
import { Report } from './runner/report.ts'
import { prepare, type Surroundings } from './runner/surroundings.ts'
import { watchFiles } from './runner/watch.ts'

/*
 * `npm test`: the compiler, the linter and every test, against one PostgreSQL that this run starts and stops, and real browsers.
 * Words after it choose test files: `npm test -- credits` runs those whose path contains "credits". `--name pattern` chooses
 * tests by their name, and `--watch` runs the chosen ones again when a file that they load is changed.
 */

/** For a test that never ends. The longest takes over 2 minutes on one core, and 5 on a busy one; long forms take more. */
const TEST_TIMEOUT_MS = Number(process.env.CHAPPE_TEST_TIMEOUT_MS ?? 600_000)
/** Two cores: of four processes two mostly wait for a database, a browser, a lease or another process. */
const PROCESSES_AT_ONCE = 4
/** More files than these do not fail by chance. */
const RUN_AGAIN_MAX = 6

const options = readOptions(process.argv.slice(2))
const report = new Report()
const stopped = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stopped.abort())

const files = await chooseFiles(options)
if (files.length === 0) throw new Error(`No test file matches ${process.argv.slice(2).join(' ')}.`)
const isWhole = options.words.length === 0 && options.name === undefined
const checks = isWhole && !options.isWatching ? checkCode() : undefined
const surroundings = await prepare(files, isWhole && !options.isWatching)
try {
  if (options.isWatching) await runAgainAndAgain()
  else {
    await runTests(isWhole ? await toProcesses(files, surroundings.folder) : files)
    await checks
    process.stdout.write(report.slowest())
    if (isWhole) await runFailedAgain()
  }
} finally {
  await end(surroundings)
}

process.stdout.write(`\n${report.passed} passed, ${report.failed} failed\n`)
if (report.passed === 0 && options.name) process.stdout.write(`No test has a name that matches ${options.name}.\n`)
const isCutShort = stopped.signal.aborted && !options.isWatching
if (isCutShort) process.stdout.write('Stopped before the end.\n')
process.exit(options.isWatching || (report.failed === 0 && report.passed > 0 && !isCutShort) ? 0 : 1)

/**
 * A machine that others use too may stand still for longer than any test can wait. What failed then has a second run, one file
 * after the other with nothing beside it, and that run counts. The line of what needed it is there to be looked into.
 */
async function runFailedAgain(): Promise<void> {
  const failed = report.failedFiles.filter((file) => files.includes(join(ROOT, file)))
  if (failed.length === 0 || failed.length > RUN_AGAIN_MAX || stopped.signal.aborted) return
  process.stdout.write(`\nRun again, alone: ${failed.join(', ')}\n`)
  for (const file of failed) report.forget(file)
  await runTests(
    failed.map((file) => join(ROOT, file)),
    1
  )
  const passed = failed.filter((file) => !report.failedFiles.includes(file))
  if (passed.length > 0) process.stdout.write(`\nFailed at first, and passed alone: ${passed.join(', ')}\n`)
}

async function runTests(started: readonly string[], processes = PROCESSES_AT_ONCE): Promise<void> {
  if (stopped.signal.aborted) return
  const events = run({
    files: [...started],
    concurrency: processes,
    timeout: TEST_TIMEOUT_MS,
    execArgv: ['--import', join(ROOT, 'test/runner/untracked-promises.ts')],
    signal: stopped.signal,
    ...(options.name && { testNamePatterns: options.name })
  })
  report.listen(events)
  for await (const text of events.compose(new spec())) process.stdout.write(text)
}

async function runAgainAndAgain(): Promise<void> {
  const changes = watchFiles(files, stopped.signal)
  await runTests(files)
  for await (const concerned of changes) {
    process.stdout.write(`\n${concerned.map((file) => relative(ROOT, file)).join(', ')}\n`)
    await runTests(concerned)
  }
}

async function end({ folder, end }: Surroundings): Promise<void> {
  const isKept = report.failed > 0 && !process.env.CI && !stopped.signal.aborted && !options.isWatching
  const leftovers = await end({ isKept })
  // What a failed test left in its database is worth a look, unless nobody can look.
  if (isKept) process.stdout.write(`\nThe databases of failed tests are kept in ${folder}\n`)
  if (!stopped.signal.aborted) for (const each of leftovers) process.stdout.write(`\nThis outlived its test: ${each}\n`)
}

/** One after the other and in one thread: several threads infer the same types again, and the tests need both cores. */
async function checkCode(): Promise<void> {
  await check('the types hold', 'tsc', ['--noEmit', '--singleThreaded'])
  await check('the types of the console hold', 'tsc', ['-p', 'console', '--singleThreaded'])
  await check('the code is formatted and lints clean', 'biome', ['check', '--error-on-warnings'])
}

async function check(promise: string, command: string, parameters: string[]): Promise<void> {
  const child = spawn(join(ROOT, 'node_modules', '.bin', command), parameters, {
    cwd: ROOT,
    stdio: 'inherit',
    signal: stopped.signal
  })
  const { promise: exit, resolve } = Promise.withResolvers<number | null>()
  child.once('exit', resolve)
  child.once('error', () => resolve(null))
  const isGood = (await exit) === 0
  process.stdout.write(`${isGood ? '✔' : '✖'} ${promise}\n`)
  report.count(isGood)
}

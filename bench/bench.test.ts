import { strict as assert } from 'node:assert'
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'
import { SURROUNDINGS, usedDataFolder } from '../test/processes/process.ts'
import { API_KEY } from './child.ts'

/** CI measures nothing, but every benchmark must start, finish and report. */
const BENCHES: [file: string, parameters: string[], report: RegExp][] = [
  [
    'http.ts',
    ['--seconds', '0.2', '--rounds', '1', '--connections', '4'],
    /ratio to a bare Fastify route: median \d+\.\d+/
  ],
  [
    'contacts.ts',
    ['--contacts', '3000', '--pages', '2'],
    /ratio to a bare COPY \d+\.\d+[\s\S]+extract as text\/csv: \d+/
  ],
  [
    'segments.ts',
    ['--contacts', '3000', '--messages', '2', '--rounds', '1', '--campaign', '100'],
    /all of them: 3000[\s\S]+list A without list B: \d+ people[\s\S]+memory[\s\S]+ratio of a segment to a list: CPU \d/
  ],
  [
    'results.ts',
    ['--campaigns', '50', '--recipients', '100', '--rounds', '1'],
    /the year, its hours and groups: median \d+ ms[\s\S]+sorted by opt_out_rate[\s\S]+the worker counted it[\s\S]+counted before: median/
  ],
  [
    'accept.ts',
    ['--seconds', '0.2', '--rounds', '1', '--connections', '4', '--recipients', '2000', '--contacts', '3000'],
    /ratio to bare HTTP: median \d+\.\d+[\s\S]+a text for each: 3000 recipients/
  ],
  ['claims.ts', ['--accounts', '50', '--batches', '2', '--claims', '3'], /ratio to nothing scheduled: median \d+\.\d+/],
  [
    'delivery.ts',
    ['--recipients', '1000', '--rounds', '1', '--singles', '3'],
    /single sends, idle: 3[\s\S]+ratio to the bare database: median \d+\.\d+/
  ],
  [
    'rcs.ts',
    ['--recipients', '100', '--rounds', '1'],
    /100 RCS, 30 of them by SMS[\s\S]+ratio to bare POSTs: median \d+\.\d+/
  ],
  [
    'links.ts',
    ['--links', '300', '--rounds', '1', '--connections', '4'],
    /each, ratio to a bare Fastify redirect: median \d+\.\d+[\s\S]+all 600 clicks[\s\S]+all 300 clicks/
  ],
  [
    'pace.ts',
    ['--per-second', '100', '--seconds', '1', '--only', 'throughput'],
    /throughput 100: \d+ % of what the carrier would take[\s\S]+CPU a message: Chappe \d+ µs/
  ],
  // Where Kannel is not installed, as on most machines, the bench says so.
  ['kannel.ts', ['--messages', '40', '--connections', '4'], /Kannel is not installed|ratio of Chappe, warm to Kannel/],
  [
    'singles.ts',
    [
      ...['--messages', '60', '--connections', '4', '--accounts', '2', '--latencies', '2'],
      ...['--in-turn', '4', '--campaign', '100', '--stored', '1000', '--rounds', '1']
    ],
    /load generator alone[\s\S]+SMPP server alone[\s\S]+cold: [\s\S]+warm: [\s\S]+ratio of keyed to warm: \d[\s\S]+one after the other[\s\S]+ratio of receipts one at a time[\s\S]+ratio of 2 accounts to one account: \d[\s\S]+beside a campaign[\s\S]+stored 1000 recipients[\s\S]+ratio of the stored to the empty database: \d/
  ],
  [
    'windows.ts',
    ['--windows', '5', '--seconds', '0.2', '--connections', '4'],
    /a window of 5, answers after 20 ms: a bare client sends \d+\/s[\s\S]+one recipient: \d+\/s, ratio to the bare client \d[\s\S]+a campaign: \d+\/s/
  ],
  [
    'access.ts',
    ['--messages', '60', '--connections', '4', '--rounds', '1'],
    /with permission and audit trail: \d+\/s[\s\S]+cost of permission and audit trail: -?\d+\.\d % more CPU[\s\S]+cost of permission, limits and audit trail/
  ],
  [
    'smpp.ts',
    ['--messages', '40', '--rounds', '1', '--connections', '4', '--binds', '2', '--window', '10', '--receipts', '60'],
    /SMPP server alone[\s\S]+HTTP, 4 connections: \d+\/s[\s\S]+ratio of SMPP, 1 bind, a window of 10 to HTTP: \d+\.\d+[\s\S]+ratio of SMPP, 2 binds, a window of 10 to HTTP: \d+\.\d+[\s\S]+with receipts, one bind: \d+\/s/
  ],
  // A cluster needs Citus, which most machines do not have.
  [
    'scale.ts',
    ['--rounds', '2', '--bulk', '200', '--singles', '40', '--accounts', '1,2', '--connections', '4'],
    /postgres, bulk, 1 account: CPU a message \d+ µs: Chappe \d+ \+ PostgreSQL \d+[\s\S]+singles, 2 accounts[\s\S]+one has 90 %/
  ],
  ['webhooks.ts', ['--events', '300'], /batch_size 1: 300 events[\s\S]+batch_size 100: 300 events/]
]

/** As benches start Chappe for the first time, which is done once for all of them. */
const FIRST_START = { CHAPPE_ADMIN_API_KEY: API_KEY, CHAPPE_ADMIN_CREDITS: '100000000' }

for (const [file, parameters, report] of BENCHES) {
  test(`bench/${file} starts, finishes and reports on a tiny size`, async (t) => {
    // The folder was made by the PostgreSQL of npm.
    const settings = { CHAPPE_BENCH_DATA: await usedDataFolder(t, FIRST_START), CHAPPE_CITUS_BIN: '' }
    const { code, output } = await run(file, parameters, settings)
    assert.equal(code, 0, output)
    assert.match(output, report)
  })
}

test('bench/kannel.ts says when Kannel is not installed, and how to install it', async () => {
  const { code, output } = await run('kannel.ts', ['--kannel', '/nowhere'])
  assert.equal(code, 0)
  assert.match(output, /^Kannel is not installed.+apt-get install kannel\n$/)
})

async function run(file: string, parameters: readonly string[], settings: Record<string, string> = {}) {
  const child = spawn(process.execPath, [join(import.meta.dirname, file), ...parameters], {
    env: { ...process.env, ...SURROUNDINGS, ...settings },
    stdio: ['ignore', 'pipe', 'pipe']
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      output += chunk
    })
  }
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve))
  return { code, output }
}

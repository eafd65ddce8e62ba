import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import autocannon from 'autocannon'

/*
 * `npm run bench:http`: an authenticated GET /users/credits, database and all, as a ratio to a bare Fastify route that
 * answers a constant of the same size. Both run in processes of their own, under the same load, in turns.
 */

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '5' },
    rounds: { type: 'string', default: '5' },
    connections: { type: 'string', default: '64' }
  }
})
const seconds = Number(values.seconds)
const rounds = Number(values.rounds)
const connections = Number(values.connections)
const KEY = 'bench-admin-key'
const WARM_UP_SECONDS = 3

const folder = await mkdtemp(join(tmpdir(), 'chappe-bench-'))
const bare = startChild('bare.ts', {})
const chappe = startChild('../src/main.ts', { CHAPPE_DATA: folder, CHAPPE_ADMIN_API_KEY: KEY, PORT: '0' })
try {
  const [bareUrl, chappeUrl] = [await bare.url, await chappe.url]
  for (const url of [bareUrl, chappeUrl]) await measure(url, Math.min(seconds, WARM_UP_SECONDS))

  const ratios: number[] = []
  for (let round = 1; round <= rounds; round++) {
    const reference = await measure(bareUrl, seconds)
    const ours = await measure(chappeUrl, seconds)
    const ratio = ours.perSecond / reference.perSecond
    ratios.push(ratio)
    process.stdout.write(
      `round ${round}: bare ${reference.perSecond.toFixed(0)}/s, GET /users/credits ${ours.perSecond.toFixed(0)}/s ` +
        `(99 % within ${ours.p99Ms} ms), ratio ${ratio.toFixed(2)}\n`
    )
  }
  ratios.sort((a, b) => a - b)
  const median = ratios[Math.floor(ratios.length / 2)] ?? 0
  process.stdout.write(
    `\nratio to a bare Fastify route: median ${median.toFixed(2)}, from ${ratios[0]?.toFixed(2)} to ${ratios.at(-1)?.toFixed(2)} ` +
      `(aim: at least 0.6)\n${connections} connections, ${cpus().length} cores (${cpus()[0]?.model}), Node ${process.version}\n`
  )
} finally {
  for (const { child, ended } of [chappe, bare]) {
    child.kill('SIGTERM')
    await ended
  }
  await rm(folder, { recursive: true, force: true })
}

async function measure(url: string, seconds: number): Promise<{ perSecond: number; p99Ms: number }> {
  const result = await autocannon({
    url: `${url}/users/credits`,
    connections,
    duration: seconds,
    headers: { 'x-api-key': KEY }
  })
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`${result.non2xx} answers were no success, ${result.errors} failed`)
  return { perSecond: result['2xx'] / result.duration, p99Ms: result.latency.p99 }
}

function startChild(
  file: string,
  settings: Record<string, string>
): { child: ChildProcess; url: Promise<string>; ended: Promise<void> } {
  const child = spawn(process.execPath, [join(import.meta.dirname, file)], {
    env: { PATH: process.env.PATH, ...settings },
    stdio: ['ignore', 'pipe', 'inherit']
  })
  const { promise: url, resolve, reject } = Promise.withResolvers<string>()
  let output = ''
  child.stdout.on('data', (chunk) => {
    if (output.length < 10_000) output += chunk
    const address = /running at (http:\S+)/.exec(output)?.[1]
    if (address) resolve(address)
  })
  const ended = new Promise<void>((done) => {
    child.once('close', () => {
      reject(new Error(`${file} ended before it was ready:\n${output}`))
      done()
    })
  })
  return { child, url, ended }
}

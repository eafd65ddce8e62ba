import { readFile, writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { applyFaults, splitFaults } from './faults/both-carriers.ts'
import { MAGIC_NUMBERS } from './phones/magic-numbers.ts'
import { Phones } from './phones/phones.ts'
import { RBM_MARK, RBM_RULE_PATTERNS } from './rbm/faults.ts'
import { type Rbm, startRbm } from './rbm/rbm.ts'
import { writeKeyFile } from './sandbox.ts'
import { RULE_PATTERNS } from './smpp/faults.ts'
import { type Smsc, startSmsc } from './smpp/smsc.ts'

/*
 * `npm run simulator -- --port 2775 --faults faults.txt`: the sandbox carriers alone, to try any client with. Rules typed on
 * its input apply at once.
 */

const STATS_INTERVAL_MS = 10_000
const WEBHOOK_PAUSE_MS = 1_000
const RBM_PORT = '2780'

interface Simulator {
  smsc: Smsc
  rbm: Rbm
  keyFile: { path: string; remove(): Promise<void> }
  webhook: string | undefined
}

try {
  run(await start())
} catch (error) {
  say(`The simulator can't start: ${reasonOf(error)}`)
  process.exitCode = 1
}

async function start(): Promise<Simulator> {
  const { values } = parseArgs({
    options: {
      port: { type: 'string', default: '2775' },
      host: { type: 'string', default: '127.0.0.1' },
      faults: { type: 'string' },
      'rbm-port': { type: 'string' },
      'rbm-key': { type: 'string' },
      'rbm-token': { type: 'string' },
      webhook: { type: 'string' }
    }
  })
  const { host, webhook, 'rbm-token': webhookToken } = values
  const faults = splitFaults(values.faults === undefined ? '' : await readFile(values.faults, 'utf8'))
  const phones = new Phones()
  const smsc = await startSmsc({ port: Number(values.port), host, faults: faults.smpp, phones, log: say })
  try {
    // With a free port for SMPP, RBM gets a free port too.
    const rbmPort = values['rbm-port'] ?? (values.port === '0' ? '0' : RBM_PORT)
    const rbm = await startRbm({
      port: Number(rbmPort),
      host,
      faults: faults.rcs,
      phones,
      ...(webhookToken !== undefined && { webhookToken }),
      log: (line) => say(`${RBM_MARK} ${line}`)
    })
    return { smsc, rbm, keyFile: await putKey(rbm, values['rbm-key']), webhook }
  } catch (error) {
    await smsc.stop()
    throw error
  }
}

/** Writes the key to the given path, where it stays. Without a path, the file lives as long as the simulator. */
async function putKey({ serviceAccount }: Rbm, path: string | undefined): Promise<Simulator['keyFile']> {
  if (path === undefined) return writeKeyFile(serviceAccount)
  await writeFile(path, `${JSON.stringify(serviceAccount, null, 2)}\n`, { mode: 0o600 })
  return { path: resolve(path), remove: async () => undefined }
}

function run(simulator: Simulator): void {
  const { smsc, rbm, keyFile, webhook } = simulator
  introduce(simulator)
  const timers = [printStats('', smsc.stats), printStats(`${RBM_MARK} `, rbm.stats)]
  const stopping = new AbortController()
  if (webhook !== undefined) void setWebhook(rbm, webhook, stopping.signal)
  const input = createInterface({ input: process.stdin })
  input.on('line', (line) => obey(simulator, line))
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, async () => {
      for (const timer of timers) clearInterval(timer)
      stopping.abort()
      input.close()
      process.stdin.destroy() // A terminal that is still read keeps the process alive.
      await Promise.all([smsc.stop(), rbm.stop(), keyFile.remove()])
      say('stopped')
    })
  }
}

function introduce({ smsc, rbm, keyFile }: Simulator): void {
  say('Bind with any system_id and password; every number receives. Those that do more are +33 6 39 98 xx and then:')
  for (const [digits, { description }] of Object.entries(MAGIC_NUMBERS)) say(`  ${digits}  ${description}`)
  say('Type a fault rule and press Enter: `behave` ends them all, `help` lists them.')
  const { agentId, url: baseUrl, webhookToken } = rbm
  const { path: serviceAccount } = keyFile
  // Other programs wait for these lines and parse them.
  say(`rcs carrier ${JSON.stringify({ name: 'rcs', type: 'rbm', agentId, serviceAccount, baseUrl, webhookToken })}`)
  say(`running at smpp://${smsc.host}:${smsc.port}`)
}

/** Retries: the receiver of events may start after the simulator. */
async function setWebhook(rbm: Rbm, url: string, signal: AbortSignal): Promise<void> {
  let tries = 0
  while (!signal.aborted && !(await rbm.setWebhook(url))) {
    if (tries++ === 0) say(`${RBM_MARK} events wait until ${url} answers the challenge with its secret`)
    await sleep(WEBHOOK_PAUSE_MS, undefined, { signal }).catch(() => undefined) // Ends early when the simulator stops.
  }
  if (!signal.aborted) say(`${RBM_MARK} events go to ${url}`)
}

function printStats(name: string, stats: object): NodeJS.Timeout {
  let printed = JSON.stringify(stats)
  return setInterval(() => {
    const current = JSON.stringify(stats)
    if (current === printed) return
    printed = current
    const counts = Object.entries(stats).filter(([, count]) => count > 0)
    say(name + counts.map(([what, count]) => `${what} ${count}`).join(' · '))
  }, STATS_INTERVAL_MS)
}

function obey(simulator: Simulator, line: string): void {
  if (line.trim() === 'help') {
    say([...RULE_PATTERNS, ...RBM_RULE_PATTERNS.map((pattern) => `${RBM_MARK} ${pattern}`)].join('\n'))
    return
  }
  try {
    applyFaults(line, simulator)
    if (line.trim() !== '') say('done')
  } catch (error) {
    say(reasonOf(error))
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}

import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { ask, MACHINE, phoneNumber, say, startChild, timed, withChappe } from './child.ts'
import { cpuSecondsOf, cpuSecondsOfDatabase } from './cpu-seconds.ts'
import { freePort } from './free-port.ts'
import { postBare } from './post-bare.ts'

/*
 * `npm run bench:rcs`: one RCS message to 20,000 phones through the sandbox platform in a process of its own, of which 30 %
 * cannot do RCS and get an SMS, from the call until every recipient has its final state; with the CPU seconds of each process, and
 * as a ratio to as many bare keep-alive POSTs of such a message, over as many connections, in the same run.
 */

const { values } = parseArgs({
  options: { recipients: { type: 'string', default: '20000' }, rounds: { type: 'string', default: '3' } }
})
const recipients = Number(values.recipients)
const rounds = Number(values.rounds)
/** The window of the carrier. */
const CONNECTIONS = 100
const TOKEN = 'token of the bench'
const POLL_MS = 50
/** Of ten phones, those without RCS. */
const WITHOUT = 3
const CARD = {
  title: 'Bonjour #prenom#',
  description: 'Votre commande est prête.',
  choices: [{ type: 'text', text: 'Merci' }]
}

const folder = await mkdtemp(join(tmpdir(), 'chappe-bench-'))
const port = await freePort()
const [keyFile, faultsFile, carriersFile] = ['key.json', 'faults.txt', 'carriers.json'].map((name) =>
  join(folder, name)
) as [string, string, string]
const rbmPort = await freePort()
await writeFile(faultsFile, withoutRcs().join('\n'))
const simulator = startChild('../simulator/main.ts', {}, [
  ...['--port', '0', '--rbm-port', String(rbmPort), '--rbm-key', keyFile, '--rbm-token', TOKEN],
  ...['--faults', faultsFile, '--webhook', `http://127.0.0.1:${port}/carriers/rbm/rcs/events`]
])
const bare = startChild('receiver.ts', {})
try {
  await writeFile(carriersFile, JSON.stringify(carriersAt(new URL(await simulator.url))))
  const target = await bare.url
  const settings = { CHAPPE_ADMIN_CREDITS: '100000000', CHAPPE_CARRIERS: carriersFile, PORT: String(port) }
  await withChappe(settings, (chappe) => run(chappe, target))
  say(MACHINE)
} finally {
  await Promise.all([simulator.stop(), bare.stop()])
  await rm(folder, { recursive: true, force: true })
}

async function run({ url, folder, pid }: { url: string; folder: string; pid: number }, target: string): Promise<void> {
  await send(url, 0, Math.min(recipients, 500)) // To warm up, and until the platform knows the address for events.
  const ratios: number[] = []
  for (let round = 1; round <= rounds; round++) {
    const body = JSON.stringify({ data: [], contentMessage: CARD })
    const bareSeconds = await postBare(target, body, { count: recipients, connections: CONNECTIONS })
    const before = await cpuSeconds(pid, folder)
    const { result: summary, seconds } = await timed(() => send(url, round, recipients))
    const after = await cpuSeconds(pid, folder)
    const cpu = Object.entries(after).map(([name, used]) => `${name} ${(used - (before[name] ?? 0)).toFixed(1)} s`)
    ratios.push(bareSeconds / seconds)
    say(
      `round ${round}: ${recipients} RCS, ${summary.fallbacks} of them by SMS in the end, in ${seconds.toFixed(1)} s, ` +
        `${(recipients / seconds).toFixed(0)}/s; bare POSTs ${(recipients / bareSeconds).toFixed(0)}/s; ` +
        `ratio ${(bareSeconds / seconds).toFixed(2)}; CPU ${cpu.join(', ')}`
    )
  }
  ratios.sort((a, b) => a - b)
  say(`RCS, ratio to bare POSTs: median ${(ratios[Math.floor(ratios.length / 2)] ?? 0).toFixed(2)}`)
}

/** To new phones, so that the capability of each is checked. */
async function send(url: string, round: number, count: number): Promise<{ fallbacks: number }> {
  const contacts = phonesOf(round, count).map((recipient, index) => ({ recipient, prenom: `Ada${index}` }))
  const { message_id: id } = await ask<{ message_id: number }>(url, '/messages/rcs', {
    contacts,
    type: 'card',
    data: CARD,
    fallback: { content: 'Bonjour #prenom#, votre commande est prête.' }
  })
  for (;;) {
    const { summary, sms_count: fallbacks } = await ask<{ summary: { delivered: number }; sms_count: number }>(
      url,
      `/messages/${id}`
    )
    if (summary.delivered === count) return { fallbacks }
    await sleep(POLL_MS)
  }
}

function phonesOf(round: number, count: number): string[] {
  return Array.from({ length: count }, (_, index) => phoneNumber(round * recipients + index))
}

function withoutRcs(): string[] {
  return Array.from({ length: rounds + 1 }, (_, round) => phonesOf(round, recipients))
    .flat()
    .filter((_, index) => index % 10 < WITHOUT)
    .map((phone) => `rcs phone ${phone} has no rcs`)
}

function carriersAt({ hostname, port }: URL) {
  const sms = { type: 'smpp', host: hostname, port: Number(port), systemId: 'bench', password: 'bench', window: 1_000 }
  const rcs = {
    type: 'rbm',
    agentId: 'sandbox@rbm.goog',
    serviceAccount: keyFile,
    baseUrl: `http://127.0.0.1:${rbmPort}`,
    webhookToken: TOKEN
  }
  return {
    carriers: [
      { name: 'sms', ...sms },
      { name: 'rcs', ...rcs }
    ],
    routes: ['sms', 'rcs'].map((channel) => ({ channel, prefix: '', carriers: [channel] }))
  }
}

/** A port that was free a moment ago: each of the two processes needs the address of the other before it starts. */
async function cpuSeconds(pid: number, folder: string): Promise<Record<string, number>> {
  return {
    Chappe: await cpuSecondsOf(pid),
    platform: await cpuSecondsOf(simulator.child.pid ?? 0),
    PostgreSQL: await cpuSecondsOfDatabase(folder)
  }
}

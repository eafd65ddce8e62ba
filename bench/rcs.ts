import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { ask, MACHINE, phoneNumber, say, startChild, timed, withChappe } from './child.ts'
import { cpuSecondsOf, cpuSecondsOfDatabase } from './cpu-seconds.ts'
import { freePort } from './free-port.ts'
import { load } from './load.ts'
import { postBare } from './post-bare.ts'
import { AGENT_ID, type RbmPlatform, startRbmPlatform } from './rbm-platform.ts'
import { startSmsc } from './smsc.ts'

/*
 * `npm run bench:rcs`: one RCS message to 20,000 phones, of which 30 % cannot do RCS and get an SMS, from the call until every
 * recipient has its final state. The RCS platform and the SMPP server run in this process, and cost little. With the CPU
 * seconds of each process, and as a ratio to as many bare keep-alive POSTs of such a message in the same run.
 */

const { values } = parseArgs({
  options: { recipients: { type: 'string', default: '20000' }, rounds: { type: 'string', default: '3' } }
})
const recipients = Number(values.recipients)
const rounds = Number(values.rounds)
const CONNECTIONS = 100
const TOKEN = 'token of the bench'
const POLL_MS = 50
const CARD = {
  title: 'Bonjour #prenom#',
  description: 'Votre commande est prête.',
  choices: [{ type: 'text', text: 'Merci' }]
}

const folder = await mkdtemp(join(tmpdir(), 'chappe-bench-'))
const [keyFile, carriersFile] = ['key.json', 'carriers.json'].map((name) => join(folder, name)) as [string, string]
const port = await freePort()
const webhook = `http://127.0.0.1:${port}/carriers/rbm/rcs/events`
const platform = await startRbmPlatform({ webhook, token: TOKEN, hasRcs })
const smsc = await startSmsc()
const bare = startChild('receiver.ts', {})
try {
  await sayPlatformAlone()
  await writeFile(keyFile, JSON.stringify(platform.serviceAccount))
  await writeFile(carriersFile, JSON.stringify(carriersAt(platform)))
  const target = await bare.url
  const settings = { CHAPPE_ADMIN_CREDITS: '100000000', CHAPPE_CARRIERS: carriersFile, PORT: String(port) }
  await withChappe(settings, (chappe) => run(chappe, target))
  say(MACHINE)
} finally {
  await Promise.all([platform.close(), smsc.close(), bare.stop()])
  await rm(folder, { recursive: true, force: true })
}

async function run({ url, folder, pid }: { url: string; folder: string; pid: number }, target: string): Promise<void> {
  await send(url, 0, Math.min(recipients, 500)) // To warm up.
  const ratios: number[] = []
  for (let round = 1; round <= rounds; round++) {
    const body = JSON.stringify({ data: [], contentMessage: CARD })
    const bareSeconds = await postBare(target, body, { count: recipients, connections: CONNECTIONS })
    const before = await cpuSeconds(pid, folder)
    const { result: summary, seconds } = await timed(() => send(url, round, recipients))
    const after = await cpuSeconds(pid, folder)
    const used = (name: keyof typeof after) => after[name] - before[name]
    const cpu = (Object.keys(after) as (keyof typeof after)[]).map((name) => `${name} ${used(name).toFixed(1)} s`)
    const cpuMicros = ((used('Chappe') + used('PostgreSQL')) * 1e6) / recipients
    ratios.push(bareSeconds / seconds)
    say(
      `round ${round}: ${recipients} RCS, ${summary.fallbacks} of them by SMS in the end, in ${seconds.toFixed(1)} s, ` +
        `${(recipients / seconds).toFixed(0)}/s; bare POSTs ${(recipients / bareSeconds).toFixed(0)}/s; ` +
        `ratio ${(bareSeconds / seconds).toFixed(2)}; CPU ${cpu.join(', ')}; ` +
        `${cpuMicros.toFixed(0)} µs a message of Chappe and PostgreSQL`
    )
  }
  ratios.sort((a, b) => a - b)
  say(`RCS, ratio to bare POSTs: median ${(ratios[Math.floor(ratios.length / 2)] ?? 0).toFixed(2)}`)
}

/** To new phones, so that the capability of each is checked. */
async function send(url: string, round: number, count: number): Promise<{ fallbacks: number }> {
  const contacts = Array.from({ length: count }, (_, index) => ({
    recipient: phoneNumber(round * recipients + index),
    prenom: `Ada${index}`
  }))
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

/** 30 % of phones have no RCS. The last digits of `phoneNumber` take turns. */
function hasRcs(phone: string): boolean {
  return phone.charCodeAt(phone.length - 1) > '2'.charCodeAt(0)
}

/** What the platform can do beside its load, both on one core: Chappe must stay far below it. */
async function sayPlatformAlone(): Promise<void> {
  const sink = await startRbmPlatform({ webhook, token: TOKEN, hasRcs })
  const alone = await startRbmPlatform({ webhook: `${sink.url}/token`, token: TOKEN, hasRcs: () => true })
  const body = JSON.stringify({ contentMessage: CARD, ttl: '300s' })
  const headers = { 'content-type': 'application/json', authorization: 'Bearer bench' }
  const { seconds } = await timed(async () => {
    await load({
      url: alone.url,
      connections: CONNECTIONS,
      count: recipients,
      request: (index) => ({
        path: `/v1/phones/${phoneNumber(index)}/agentMessages?messageId=${crypto.randomUUID()}&agentId=${AGENT_ID}`,
        headers,
        body
      })
    })
    while (alone.acknowledged < recipients) await sleep(1)
  })
  say(`the platform and its load alone, on one core: ${(recipients / seconds).toFixed(0)} messages/s with their events`)
  await Promise.all([alone.close(), sink.close()])
}

function carriersAt({ url }: RbmPlatform) {
  const sms = { type: 'smpp', host: '127.0.0.1', port: smsc.port, systemId: 'bench', password: 'bench', window: 1_000 }
  const rcs = { type: 'rbm', agentId: AGENT_ID, serviceAccount: keyFile, baseUrl: url, webhookToken: TOKEN }
  return {
    carriers: [
      { name: 'sms', ...sms },
      { name: 'rcs', ...rcs }
    ],
    routes: ['sms', 'rcs'].map((channel) => ({ channel, prefix: '', carriers: [channel] }))
  }
}

async function cpuSeconds(pid: number, folder: string) {
  const { user, system } = process.cpuUsage()
  return {
    Chappe: await cpuSecondsOf(pid),
    platform: (user + system) / 1e6,
    PostgreSQL: await cpuSecondsOfDatabase(folder)
  }
}

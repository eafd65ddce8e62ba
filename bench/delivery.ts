import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { copyRows } from '../src/database/copy-rows.ts'
import { connect, type Pool } from '../src/database/database.ts'
import { findEmbeddedServer } from '../src/database/embedded-server.ts'
import { ask, MACHINE, phoneNumber, say, startChild, timed, withChappe } from './child.ts'
import { cpuSecondsOf, cpuSecondsOfDatabase } from './cpu-seconds.ts'

/*
 * `npm run bench:delivery`: one send to 100,000 recipients through the sandbox carrier in a process of its own, from the
 * call until the last receipt is stored, on full durability; as a ratio to the bare database doing the same writes (COPY of
 * the recipients, two batched updates of each) in the same run. With the CPU seconds of each process, and how long single
 * sends of another account take from their acceptance until they have left, idle and during the campaign.
 */

const { values } = parseArgs({
  options: {
    recipients: { type: 'string', default: '100000' },
    rounds: { type: 'string', default: '3' },
    window: { type: 'string', default: '1000' },
    singles: { type: 'string', default: '100' }
  }
})
const recipients = Number(values.recipients)
const rounds = Number(values.rounds)
const singles = Number(values.singles)
const CONTENT = 'Bonjour, votre commande est prête.'
const POLL_MS = 50
const SINGLE_EVERY_MS = 20
const UPDATE_BATCH = 1_000
const COLUMNS = ['account_id', 'message_id', 'position', 'segments', 'credits', 'country', 'phone', 'content']

const folder = await mkdtemp(join(tmpdir(), 'chappe-bench-'))
const simulator = startChild('../simulator/main.ts', {}, ['--port', '0'])
try {
  const carriersFile = join(folder, 'carriers.json')
  await writeFile(carriersFile, JSON.stringify(carriersAt(new URL(await simulator.url))))
  await withChappe({ CHAPPE_ADMIN_CREDITS: '100000000', CHAPPE_CARRIERS: carriersFile }, run)
  say(MACHINE)
} finally {
  await simulator.stop()
  await rm(folder, { recursive: true, force: true })
}

function carriersAt({ hostname, port }: URL) {
  const carrier = {
    name: 'main',
    type: 'smpp',
    host: hostname,
    port: Number(port),
    systemId: 'bench',
    password: 'bench'
  }
  return {
    carriers: [{ ...carrier, window: Number(values.window) }],
    routes: [{ channel: 'sms', prefix: '', carriers: ['main'] }]
  }
}

async function run({ url, folder, pid }: { url: string; folder: string; pid: number }): Promise<void> {
  const { apikey } = await ask<{ apikey: string }>(url, '/subaccount', {
    email: 'codes@bench.example',
    password: 'password of the bench',
    credits_mode: 'parent'
  })
  await deliver(url, Math.min(recipients, 2_000)) // To warm up.
  const idle = await sendSingles(url, apikey, { count: singles })
  say(`single sends, idle: ${describe(idle)}`)

  const ratios: number[] = []
  for (let round = 1; round <= rounds; round++) {
    const bareSeconds = await writeBare(folder)
    const before = await cpuSeconds(pid, folder)
    let isOver = false
    const singlesDuring = sendSingles(url, apikey, { until: () => isOver })
    const { seconds } = await timed(() => deliver(url, recipients))
    isOver = true
    const during = await singlesDuring
    const after = await cpuSeconds(pid, folder)
    ratios.push(bareSeconds / seconds)
    const cpu = Object.entries(after).map(([name, used]) => `${name} ${(used - (before[name] ?? 0)).toFixed(1)} s`)
    say(
      `round ${round}: ${recipients} recipients until the last receipt in ${seconds.toFixed(1)} s, ` +
        `${(recipients / seconds).toFixed(0)}/s; bare database ${(recipients / bareSeconds).toFixed(0)}/s; ` +
        `ratio ${(bareSeconds / seconds).toFixed(2)}; CPU ${cpu.join(', ')}`
    )
    say(`  single sends meanwhile: ${describe(during)}; the aim is ${(2 * percentile(idle, 0.99) + 50).toFixed(0)} ms`)
  }
  ratios.sort((a, b) => a - b)
  const median = ratios[Math.floor(ratios.length / 2)] ?? 0
  say(`delivery, ratio to the bare database: median ${median.toFixed(2)} (aim: at least 0.5, and 10,000/s)`)
}

async function deliver(url: string, count: number): Promise<void> {
  const numbers = Array.from({ length: count }, (_, index) => phoneNumber(index))
  const { message_id: id } = await ask<{ message_id: number }>(url, '/messages/sms', {
    recipients: numbers,
    content: CONTENT
  })
  for (;;) {
    const { summary } = await ask<{ summary: { delivered: number } }>(url, `/messages/${id}`)
    if (summary.delivered === count) return
    await sleep(POLL_MS)
  }
}

/** One after the other; returns the time of each from its acceptance until it had left, in ms. */
async function sendSingles(
  url: string,
  apikey: string,
  { count = Number.POSITIVE_INFINITY, until = () => false }: { count?: number; until?: () => boolean }
): Promise<number[]> {
  const headers = { 'x-api-key': apikey, 'content-type': 'application/json' }
  const get = async <T>(path: string) => (await (await fetch(url + path, { headers })).json()) as T
  const ids: number[] = []
  for (let sent = 0; sent < count && !until(); sent++) {
    const body = JSON.stringify({ recipients: [phoneNumber(1_000_000 + sent)], content: 'Code 1234' })
    const answer = await fetch(`${url}/messages/sms`, { method: 'POST', headers, body })
    if (answer.status === 200) ids.push(((await answer.json()) as { message_id: number }).message_id)
    await sleep(SINGLE_EVERY_MS)
  }
  const tookMs: number[] = []
  for (const id of ids) {
    const { created_at: createdAt } = await get<{ created_at: string }>(`/messages/${id}`)
    let sentAt: string | null = null
    for (; !sentAt; await sleep(5)) {
      const { items } = await get<{ items: { sent_at: string | null }[] }>(`/messages/${id}/recipients/sms`)
      sentAt = items[0]?.sent_at ?? null
    }
    tookMs.push(Date.parse(sentAt) - Date.parse(createdAt))
  }
  return tookMs.sort((a, b) => a - b)
}

function describe(tookMs: readonly number[]): string {
  const [half, most] = [percentile(tookMs, 0.5), percentile(tookMs, 0.99)]
  return `${tookMs.length}, from acceptance to departure 50 % within ${half} ms, 99 % within ${most} ms`
}

function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
}

/** The same rows into the same table, under an account id that does not exist, and two updates of each; removed again. */
async function writeBare(folder: string): Promise<number> {
  const server = await findEmbeddedServer(folder)
  if (!server) throw new Error('the embedded server does not answer')
  const pool = connect({ url: server, applicationName: 'bench', connectionsMax: 1 })
  await pool`set statement_timeout = 0`
  const { seconds } = await timed(async () => {
    await copyRows(pool, { table: 'recipients', columns: COLUMNS }, bareRows())
    await updateBare(pool, 2)
    await updateBare(pool, 1)
  })
  await pool`delete from recipients where account_id = -1`
  await pool`vacuum recipients`
  await pool.close(5)
  return seconds
}

async function* bareRows() {
  for (let start = 0; start < recipients; start += 2_000) {
    yield Array.from({ length: Math.min(2_000, recipients - start) }, (_, index) => {
      const position = start + index
      return [-1, -1, position + 1, 1, 1, 'FR', phoneNumber(position), null]
    })
  }
}

async function updateBare(pool: Pool, state: number): Promise<void> {
  for (let start = 0; start < recipients; start += UPDATE_BATCH) {
    const positions = Array.from(
      { length: Math.min(UPDATE_BATCH, recipients - start) },
      (_, index) => start + index + 1
    )
    await pool`
      update recipients
      set state = ${state}, sent_at = now()
      from unnest(${positions}::integer[]) as given (position)
      where account_id = -1
        and message_id = -1
        and recipients.position = given.position
    `
  }
}

async function cpuSeconds(pid: number, folder: string): Promise<Record<string, number>> {
  return {
    Chappe: await cpuSecondsOf(pid),
    carrier: await cpuSecondsOf(simulator.child.pid ?? 0),
    PostgreSQL: await cpuSecondsOfDatabase(folder)
  }
}

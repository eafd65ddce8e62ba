import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { API_KEY, phoneNumber, type RunningChappe, say, startChild, timed, withChappe } from './child.ts'
import { cpuSecondsOf } from './cpu-seconds.ts'
import { type Loaded, load } from './load.ts'
import type { Smsc } from './smsc.ts'
import { COUNTING } from './statements.ts'

/*
 * What `bench:singles` and `bench:kannel` share: the SMPP server, the Chappe that is connected to it, and the sends.
 */

export const SESSIONS = 2
export const WINDOW = 1_000
/** The SMPP server is fast: with as few messages as the rest, its time would be too short to measure. */
const SMSC_TIMES = 5
export const CONTENT = 'Bonjour, votre commande est prête.'

export interface Binds {
  sessions: number
  window: number
}

/**
 * A Chappe with one SMPP carrier, on full durability. `postgres` are settings of its server, `more` further variables of
 * its environment.
 */
export async function withChappeAt(
  smsc: Smsc,
  postgres: Record<string, string>,
  work: (chappe: RunningChappe) => Promise<void>,
  { binds, more = {} }: { binds?: Binds; more?: Record<string, string> } = {}
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'chappe-bench-'))
  try {
    const settings = { ...(await settingsAt(smsc, folder, binds)), ...more }
    await withChappe(settings, work, { ...COUNTING, ...postgres })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Settings of a Chappe with this carrier. */
export async function settingsAt(
  smsc: Smsc,
  folder: string,
  binds: Binds = { sessions: SESSIONS, window: WINDOW }
): Promise<Record<string, string>> {
  const carriersFile = join(folder, 'carriers.json')
  await writeFile(carriersFile, JSON.stringify(carriersAt(smsc.port, binds)))
  return { CHAPPE_ADMIN_CREDITS: '100000000', CHAPPE_CARRIERS: carriersFile }
}

function carriersAt(port: number, binds: Binds) {
  const address = { host: '127.0.0.1', port, systemId: 'bench', password: 'bench' }
  return {
    carriers: [{ name: 'main', type: 'smpp', ...address, ...binds }],
    routes: [{ channel: 'sms', prefix: '', carriers: ['main'] }]
  }
}

let used = 0

/** The index of the first of so many numbers that no other send of this run uses. */
export function takeNumbers(count: number): number {
  const first = used
  used += count
  return first
}

/** A request for one message to one number. */
export function toSend(numberIndex: number, key = API_KEY) {
  const body = JSON.stringify({ recipients: [phoneNumber(numberIndex)], content: CONTENT })
  return { path: '/messages/sms', headers: { 'x-api-key': key, 'content-type': 'application/json' }, body }
}

/** The same with an `Idempotency-Key` that no other request of this run has. */
function toKeyedSend(numberIndex: number, key?: string) {
  const { headers, ...request } = toSend(numberIndex, key)
  return { ...request, headers: { ...headers, 'idempotency-key': `bench ${numberIndex}` } }
}

export interface Singles {
  count: number
  connections: number
  /** The API keys of the accounts. */
  keys?: readonly string[]
  /** Whether each request has an `Idempotency-Key`. */
  isKeyed?: boolean
}

/** Sends single messages of several accounts in turn, until the last receipt is answered. */
export async function sendSingles(
  smsc: Smsc,
  url: string,
  { count, connections, keys = [API_KEY], isKeyed = false }: Singles
): Promise<Loaded> {
  const first = takeNumbers(count)
  const [submittedBefore, answeredBefore] = [smsc.submitted, smsc.answered]
  const request = (index: number) => (isKeyed ? toKeyedSend : toSend)(first + index, keys[index % keys.length])
  const loaded = await load({ url, connections, count, request })
  await smsc.untilAnswered(answeredBefore + count)
  const submitted = smsc.submitted - submittedBefore
  if (submitted !== count) throw new Error(`${submitted} messages were submitted, ${count} were sent`)
  return loaded
}

/** What the load generator and the SMPP server can do alone: neither may be the limit of what is measured. */
export async function measureAlone(smsc: Smsc, count: number, connections: number): Promise<{ barePerSecond: number }> {
  const barePerSecond = await measureGenerator(count, connections)
  await measureSmsc(smsc, count * SMSC_TIMES)
  return { barePerSecond }
}

async function measureGenerator(count: number, connections: number): Promise<number> {
  const bare = startChild('bare.ts', {})
  try {
    const url = await bare.url
    await load({ url, connections, count, request: toSend }) // To warm up.
    const before = process.cpuUsage()
    const { seconds } = await load({ url, connections, count, request: toSend })
    const { user, system } = process.cpuUsage(before)
    const micros = (user + system) / count
    say(
      `load generator alone, to a bare Fastify route: ${(count / seconds).toFixed(0)}/s with ${connections} connections; ` +
        `it uses ${micros.toFixed(0)} µs a request, so it can send ${(1e6 / micros).toFixed(0)}/s`
    )
    return count / seconds
  } finally {
    await bare.stop()
  }
}

async function measureSmsc(smsc: Smsc, count: number): Promise<void> {
  const answered = smsc.answered
  const parameters = ['--port', String(smsc.port), '--messages', String(count)]
  const before = process.cpuUsage()
  const client = startChild('submit-raw.ts', {}, [...parameters, '--sessions', `${SESSIONS}`, '--window', `${WINDOW}`])
  await smsc.untilAnswered(answered + 1)
  const left = answered + count - smsc.answered
  const { seconds } = await timed(() => smsc.untilAnswered(answered + count))
  const { user, system } = process.cpuUsage(before)
  const clientMicros = ((await cpuSecondsOf(client.child.pid ?? 0)) * 1e6) / count
  await client.stop()
  const micros = (user + system) / count
  say(
    `SMPP server alone, from a bare client with ${SESSIONS} binds and a window of ${WINDOW}: ` +
      `${(left / seconds).toFixed(0)}/s until the last receipt is answered; it uses ${micros.toFixed(0)} µs a message ` +
      `(the client ${clientMicros.toFixed(0)} µs), so it can take ${(1e6 / micros).toFixed(0)}/s`
  )
}

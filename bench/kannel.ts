import { parseArgs } from 'node:util'
import { answerAll } from './answer-all.ts'
import { MACHINE, phoneNumber, say, timed } from './child.ts'
import { measureCost } from './cost.ts'
import { cpuSecondsOf } from './cpu-seconds.ts'
import { measureAlone, SESSIONS, sendSingles, takeNumbers, WINDOW, withChappeAt } from './harness.ts'
import { findKannel, type Kannel, type KannelPrograms, type KannelStore, withKannel } from './kannel-process.ts'
import { load } from './load.ts'
import { type Smsc, startSmsc } from './smsc.ts'
import { countStatements } from './statements.ts'

/*
 * `npm run bench:kannel`: messages to one recipient, a request each, through Kannel and through Chappe in the same run, on
 * the same load generator and SMPP server. The rate counts until the last receipt is answered. Kannel keeps messages in
 * memory, or in a spool without fsync; receipts are asked for, and posted to a `dlr-url` or to nobody.
 */

const { values } = parseArgs({
  options: {
    messages: { type: 'string', default: '20000' },
    connections: { type: 'string', default: '50' },
    /** The folder of bearerbox and smsbox, if it is an unusual one. */
    kannel: { type: 'string' }
  }
})
const count = Number(values.messages)
const connections = Number(values.connections)
const WARM_UP = 200
const TRIES_MAX = 4

interface Rate {
  what: string
  perSecond: number
}

const programs = await findKannel(values.kannel)
if (programs) await compare(programs)
else say('Kannel is not installed, so there is nothing to compare with. Install it with: apt-get install kannel')

async function compare(programs: KannelPrograms): Promise<void> {
  const smsc = await startSmsc()
  const receiver = await answerAll()
  try {
    await measureAlone(smsc, count, connections)
    const kannels: Rate[] = []
    for (const store of ['memory', 'spool'] as const) {
      for (const dlrUrl of [undefined, receiver.url]) {
        kannels.push(await tryAgain(() => measureKannel(programs, smsc, { store, dlrUrl })))
      }
    }
    const chappes = await measureChappe(smsc)
    for (const chappe of chappes) sayRatios(chappe, kannels)
    say(MACHINE)
  } finally {
    await receiver.close()
    await smsc.close()
  }
}

/** On a busy machine smsbox sometimes ends right after its start, without a word. */
async function tryAgain<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await work()
    } catch (error) {
      if (tries === TRIES_MAX) throw error
      say(`Kannel is started once more, since: ${(error as Error).message}`)
    }
  }
}

function sayRatios({ what, perSecond }: Rate, kannels: readonly Rate[]): void {
  const ratios = kannels.map((kannel) => `${kannel.what} ${(perSecond / kannel.perSecond).toFixed(2)}`)
  say(`ratio of ${what} to ${ratios.join(', to ')}`)
}

async function measureKannel(
  programs: KannelPrograms,
  smsc: Smsc,
  { store, dlrUrl }: { store: KannelStore; dlrUrl: string | undefined }
): Promise<Rate> {
  const what = `Kannel, ${store}, ${dlrUrl ? 'receipts posted' : 'receipts to nobody'}`
  let perSecond = 0
  await withKannel(programs, { smscPort: smsc.port, sessions: SESSIONS, window: WINDOW, store }, async (kannel) => {
    await sendToKannel(smsc, kannel, dlrUrl, Math.min(WARM_UP, count))
    const before = await cpuOf(kannel)
    const { seconds } = await timed(() => sendToKannel(smsc, kannel, dlrUrl, count))
    const after = await cpuOf(kannel)
    perSecond = count / seconds
    const micros = (name: keyof typeof before) => (((after[name] - before[name]) * 1e6) / count).toFixed(0)
    say(
      `${what}: ${perSecond.toFixed(0)}/s until the last receipt is answered (${count} in ${seconds.toFixed(1)} s); ` +
        `CPU a message: Kannel ${micros('kannel')} µs; the bench itself ${micros('bench')} µs`
    )
  })
  return { what, perSecond }
}

async function sendToKannel(smsc: Smsc, { url }: Kannel, dlrUrl: string | undefined, count: number): Promise<void> {
  const answered = smsc.answered
  const first = takeNumbers(count)
  const always = {
    username: 'bench',
    password: 'bench',
    from: 'BENCH',
    text: 'Bonjour, votre commande est prete.',
    'dlr-mask': '1',
    ...(dlrUrl && { 'dlr-url': `${dlrUrl}/receipt?status=%d` })
  }
  const path = `/cgi-bin/sendsms?${new URLSearchParams(always)}&to=`
  const request = (index: number) => ({ path: path + phoneNumber(first + index).slice(1), headers: {}, body: '' })
  await load({ url, connections, count, status: 202, request })
  await smsc.untilAnswered(answered + count)
}

async function cpuOf({ pids }: Kannel) {
  const used = await Promise.all(pids.map(cpuSecondsOf))
  const { user, system } = process.cpuUsage()
  return { kannel: used.reduce((sum, seconds) => sum + seconds, 0), bench: (user + system) / 1e6 }
}

/** From the first second of a new database, and again. */
async function measureChappe(smsc: Smsc): Promise<Rate[]> {
  const rates: Rate[] = []
  await withChappeAt(smsc, {}, async (chappe) => {
    const counter = await countStatements(chappe.folder)
    for (const what of ['Chappe, cold', 'Chappe, warm']) {
      const { seconds, cpu } = await measureCost(chappe, counter, count, async () => {
        await sendSingles(smsc, chappe.url, { count, connections })
      })
      const micros = (cpuSeconds: number) => ((cpuSeconds * 1e6) / count).toFixed(0)
      say(
        `${what}: ${(count / seconds).toFixed(0)}/s until the last receipt is answered (${count} in ${seconds.toFixed(1)} s); ` +
          `CPU a message: Chappe and PostgreSQL ${micros(cpu.chappe + cpu.postgres)} µs; the bench itself ${micros(cpu.bench)} µs`
      )
      rates.push({ what, perSecond: count / seconds })
    }
    await counter.close()
  })
  return rates
}

import { parseArgs } from 'node:util'
import { MACHINE, type RunningChappe, say, timed } from './child.ts'
import { cpuSecondsOf, cpuSecondsOfDatabase } from './cpu-seconds.ts'
import { type Binds, sendSingles, withChappeAt } from './harness.ts'
import { sendCampaign } from './latency.ts'
import { openClient } from './smpp-client.ts'
import { type Smsc, startSmsc } from './smsc.ts'

/*
 * `npm run bench:windows`: carriers that are far away and take few messages at once, as most do. Their window over the time
 * of an answer is the most that any client can send. A campaign, and messages to one recipient each, as shares of what a bare
 * SMPP client with the same window sends in the same run.
 */

const { values } = parseArgs({
  options: {
    windows: { type: 'string', default: '1,10,50' },
    /** How long the carrier takes for each answer. */
    'answer-ms': { type: 'string', default: '20' },
    /** How long each measurement takes at the rate of the bare client. */
    seconds: { type: 'string', default: '4' },
    connections: { type: 'string', default: '50' }
  }
})
const answerMs = Number(values['answer-ms'])

for (const window of values.windows.split(',').map(Number)) await measure({ sessions: 1, window })
say(MACHINE)

async function measure(binds: Binds): Promise<void> {
  const smsc = await startSmsc({ answerMs })
  try {
    const count = Math.max(1, Math.round(Number(values.seconds) * binds.window * (1000 / Math.max(1, answerMs))))
    const barePerSecond = await measureBare(smsc, binds, count)
    say(`a window of ${binds.window}, answers after ${answerMs} ms: a bare client sends ${barePerSecond.toFixed(0)}/s`)
    await withChappeAt(
      smsc,
      {},
      async (chappe) => {
        const send = () => sendSingles(smsc, chappe.url, { count, connections: Number(values.connections) })
        await send() // To warm up.
        await sayShare('messages to one recipient', chappe, { count, barePerSecond, work: send })
        await sayShare('a campaign', chappe, {
          count,
          barePerSecond,
          async work() {
            const answered = smsc.answered
            await sendCampaign(chappe.url, count)
            await smsc.untilAnswered(answered + count)
          }
        })
      },
      { binds }
    )
  } finally {
    await smsc.close()
  }
}

async function measureBare({ port }: Smsc, { sessions, window }: Binds, count: number): Promise<number> {
  const client = await openClient({ port, systemId: 'bench', password: 'bench', binds: sessions, window })
  try {
    const toNumber = (index: number) => `336${10_000_000 + index}`
    const { seconds } = await client.submit({ count, toNumber, text: 'Bonjour', withReceipts: true })
    await client.untilReceipts(count)
    return count / seconds
  } finally {
    client.close()
  }
}

async function sayShare(
  what: string,
  { pid, folder }: RunningChappe,
  { count, barePerSecond, work }: { count: number; barePerSecond: number; work(): Promise<unknown> }
): Promise<void> {
  const cpuSeconds = async () => (await cpuSecondsOf(pid)) + (await cpuSecondsOfDatabase(folder))
  const before = await cpuSeconds()
  const { seconds } = await timed(async () => void (await work()))
  const micros = (((await cpuSeconds()) - before) * 1e6) / count
  say(
    `  ${what}: ${(count / seconds).toFixed(0)}/s, ratio to the bare client ${(count / seconds / barePerSecond).toFixed(2)}; ` +
      `CPU a message ${micros.toFixed(0)} µs`
  )
}

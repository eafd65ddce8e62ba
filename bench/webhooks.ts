import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { API_KEY, ask, MACHINE, phoneNumber, say, startChild, timed, withChappe } from './child.ts'
import { postBare } from './post-bare.ts'

/*
 * `npm run bench:webhooks`: events delivered to one receiver in a process of its own, with one event in a request and with a
 * hundred, from their storage until the last has arrived; as a ratio to as many bare keep-alive POSTs of the
 * same size, over as many connections, in the same run.
 */

const { values } = parseArgs({
  options: { events: { type: 'string', default: '20000' }, connections: { type: 'string', default: '16' } }
})
const events = Number(values.events)
const connections = Number(values.connections)
const POLL_MS = 10

const receiver = startChild('receiver.ts', {})
try {
  const target = await receiver.url
  await withChappe({ CHAPPE_WEBHOOK_ALLOW_PRIVATE: 'true' }, async ({ url }) => {
    let told = 0
    for (const batchSize of [1, 100]) {
      const bareSeconds = await postAlike(target, Math.ceil(events / batchSize), batchSize)
      await configure(url, `${target}/hook`, batchSize)
      const before = (await countsOf(target)).events
      // In one transaction: no event can leave before all are stored.
      await addStops(url, told)
      const { seconds } = await timed(async () => {
        while ((await countsOf(target)).events - before < events) await sleep(POLL_MS)
      })
      told += events
      say(
        `batch_size ${batchSize}: ${events} events in ${seconds.toFixed(1)} s, ${(events / seconds).toFixed(0)}/s; bare POSTs ${(events / bareSeconds).toFixed(0)} events/s; ` +
          `ratio ${(bareSeconds / seconds).toFixed(2)} (aims: 0.5 at 1; 20,000/s at 100)`
      )
    }
  })
  say(MACHINE)
} finally {
  await receiver.stop()
}

async function configure(url: string, target: string, batchSize: number): Promise<void> {
  const answer = await fetch(`${url}/webhooks`, {
    method: 'PUT',
    headers: { 'x-api-key': API_KEY, 'content-type': 'application/json' },
    body: JSON.stringify({ webhooks: [{ type: 'stops', url: target, batch_size: batchSize }] })
  })
  if (answer.status !== 200) throw new Error(await answer.text())
}

/** Each opt-out is an event. */
async function addStops(url: string, from: number): Promise<void> {
  const form = new FormData()
  const lines = Array.from({ length: events }, (_, index) => phoneNumber(from + index))
  form.append('file', new Blob([`tel\n${lines.join('\n')}`]), 'stops.csv')
  await ask(url, '/stops/file', form)
}

async function countsOf(target: string): Promise<{ posts: number; events: number }> {
  return (await fetch(target)).json() as Promise<{ posts: number; events: number }>
}

async function postAlike(target: string, count: number, batchSize: number): Promise<number> {
  const record = {
    message_id: null,
    id: 1,
    recipient: phoneNumber(1),
    source: 'file',
    timestamp: new Date(),
    sequence: 1
  }
  const data = Array.from({ length: batchSize }, () => record)
  const body = JSON.stringify({ id: 'evt_1', type: 'stops', timestamp: new Date(), data })
  return postBare(`${target}/bare`, body, { count, connections })
}

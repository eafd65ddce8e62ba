import { parseArgs } from 'node:util'
import autocannon from 'autocannon'
import { API_KEY, countSuccesses, MACHINE, say, startChild, withChappe } from './child.ts'

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
const WARM_UP_SECONDS = 3

const bare = startChild('bare.ts', {})
try {
  await withChappe({ CHAPPE_LOG: 'info' }, async ({ url: chappeUrl }) => {
    const bareUrl = await bare.url
    for (const url of [bareUrl, chappeUrl]) await measure(url, Math.min(seconds, WARM_UP_SECONDS))

    const ratios: number[] = []
    for (let round = 1; round <= rounds; round++) {
      const reference = await measure(bareUrl, seconds)
      const ours = await measure(chappeUrl, seconds)
      const ratio = ours.perSecond / reference.perSecond
      ratios.push(ratio)
      say(
        `round ${round}: bare ${reference.perSecond.toFixed(0)}/s, GET /users/credits ${ours.perSecond.toFixed(0)}/s ` +
          `(99 % within ${ours.p99Ms} ms), ratio ${ratio.toFixed(2)}`
      )
    }
    ratios.sort((a, b) => a - b)
    const median = ratios[Math.floor(ratios.length / 2)] ?? 0
    say(
      `\nratio to a bare Fastify route: median ${median.toFixed(2)}, from ${ratios[0]?.toFixed(2)} to ${ratios.at(-1)?.toFixed(2)} ` +
        `(aim: at least 0.6)\n${connections} connections, ${MACHINE}`
    )
  })
} finally {
  await bare.stop()
}

async function measure(url: string, seconds: number): Promise<{ perSecond: number; p99Ms: number }> {
  const result = await autocannon({
    url: `${url}/users/credits`,
    connections,
    duration: seconds,
    // It looks whether the time is over only this often.
    sampleInt: Math.min(1_000, seconds * 1_000),
    headers: { 'x-api-key': API_KEY }
  })
  return { perSecond: countSuccesses(result) / result.duration, p99Ms: result.latency.p99 }
}

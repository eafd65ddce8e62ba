import { setTimeout as sleep } from 'node:timers/promises'
import { ask, phoneNumber, say } from './child.ts'
import { CONTENT, takeNumbers, toSend } from './harness.ts'
import { load, percentile } from './load.ts'
import type { Smsc } from './smsc.ts'

/*
 * How long a single send takes from its request, and from its answer, to the moment at which the SMPP server reads its
 * submit_sm. Both clocks are in this process. The sends are paced: a send must not queue behind the one before.
 */

const EVERY_MS = 20
/** Numbers for sends beside a campaign, whose length is not known before. */
const BESIDE_MAX = 100_000

export interface Latencies {
  /** Sorted, in ms. */
  fromRequest: Float64Array
  fromAnswer: Float64Array
}

/** Sends one at a time, with a pause after each, `count` of them or `until` it is enough. */
export async function measureLatencies(
  smsc: Smsc,
  url: string,
  key: string,
  { count, until }: { count?: number; until?: () => boolean }
): Promise<Latencies> {
  const submittedAt = smsc.watch()
  const first = takeNumbers(count ?? BESIDE_MAX)
  const sends: { number: string; sentAt: number; answeredAt: number }[] = []
  await load({
    url,
    connections: 1,
    ...(count !== undefined && { count }),
    ...(until && { until }),
    request: (index) => toSend(first + index, key),
    async onAnswer({ index, sentAt, answeredAt }) {
      sends.push({ number: phoneNumber(first + index).slice(1), sentAt, answeredAt })
      await sleep(EVERY_MS)
    }
  })
  await untilSubmitted(submittedAt, sends)
  const sorted = (from: 'sentAt' | 'answeredAt') =>
    Float64Array.from(sends, (send) => (submittedAt.get(send.number) ?? 0) - send[from]).sort()
  return { fromRequest: sorted('sentAt'), fromAnswer: sorted('answeredAt') }
}

async function untilSubmitted(submittedAt: Map<string, number>, sends: readonly { number: string }[]): Promise<void> {
  while (!sends.every(({ number }) => submittedAt.has(number))) await sleep(EVERY_MS)
}

/** One request for many numbers. */
export async function sendCampaign(url: string, count: number): Promise<void> {
  const first = takeNumbers(count)
  const recipients = Array.from({ length: count }, (_, index) => phoneNumber(first + index))
  await ask(url, '/messages/sms', { recipients, content: CONTENT })
}

export function sayLatencies(what: string, { fromRequest, fromAnswer }: Latencies, aimMs: number): void {
  const describe = (sorted: Float64Array) =>
    `50 % within ${percentile(sorted, 0.5).toFixed(1)} ms, 99 % within ${percentile(sorted, 0.99).toFixed(1)} ms`
  say(
    `latency ${what}, ${fromAnswer.length} sends, to the socket: from the answer ${describe(fromAnswer)} ` +
      `(aim: 99 % within ${aimMs.toFixed(0)} ms); from the request ${describe(fromRequest)}`
  )
}

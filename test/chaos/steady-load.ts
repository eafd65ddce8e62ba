import { setTimeout as sleep } from 'node:timers/promises'
import { openLink } from '../messages/links.ts'
import type { Cluster } from './cluster.ts'
import type { Customer } from './customers.ts'
import { answerFromPhones, type Load, phoneNumber } from './load.ts'

/*
 * The same all the time: every few seconds a part of a campaign, some of it with short links, and some RCS; single sends; and
 * people who answer and who open their links.
 */

const CHUNK_EVERY_MS = 5_000
const SINGLE_EVERY_MS = 250
const RCS_SIZE = 10
const CLICK_AFTER_MS = 1_500
const UNDER_WAY_MAX = 100
const LINK = /https?:\/\/\S+(\/s\/\w+)/

const CHUNKS_WAITING_MAX = 5

export interface SteadyLoad {
  counts: { recipients: number; rcs: number; clicks: number }
  stop(): Promise<void>
  countAnswering(): number
}

export function startSteadyLoad(
  cluster: Cluster,
  customers: readonly Customer[],
  { chunk }: { chunk: number }
): SteadyLoad {
  const counts = { recipients: 0, rcs: 0, clicks: 0 }
  const replies: Load['replies'] = new Map()
  const phones = answerFromPhones(cluster, customers, replies, CLICK_AFTER_MS)
  const underWay = new Set<Promise<unknown>>()
  const next = customers.map(() => ({ campaign: 0, single: 0 }))
  let failure: unknown
  let isOver = false
  function track(work: Promise<unknown>): void {
    const tracked = work
      .catch((error) => {
        failure ??= error
      })
      .finally(() => {
        underWay.delete(tracked)
      })
    underWay.add(tracked)
  }
  /** Numbers that were not used before, for as long as there are any. */
  function take(number: number, kind: 'campaign' | 'single', count: number): string[] {
    const used = next[number] as { campaign: number; single: number }
    counts.recipients += count
    return Array.from({ length: count }, () => phoneNumber(number, kind, used[kind]++ % 1_000_000))
  }

  cluster.smsc.phones.onMessage((_number, { content }) => {
    const path = LINK.exec(content)?.[1]
    if (path === undefined || isOver) return
    track(sleep(CLICK_AFTER_MS).then(() => click(path)))
  })
  async function click(path: string): Promise<void> {
    const { url } = cluster.nodes[0] ?? {}
    // What the service can't do now, a person tries again or not: it is only load.
    const answer = url === undefined ? undefined : await openLink(url, path).catch(() => undefined)
    if (answer?.status === 302) counts.clicks++
  }

  async function sendChunks(): Promise<void> {
    for (let round = 0; !isOver && !cluster.ending.aborted; round++) {
      const number = round % customers.length
      const customer = customers[number] as Customer
      // Steady is what the machine can do: a queue that grows would be the load's own.
      if (underWay.size < UNDER_WAY_MAX && (await countWaiting(cluster)) < CHUNKS_WAITING_MAX * chunk) {
        const isLinked = round % 3 === 0
        track(
          customer.send({
            external_id: `chunk ${round}`,
            recipients: take(number, 'campaign', chunk),
            content: isLinked ? 'Votre offre : #SHORTURL#' : 'Bonjour à tous',
            ...(isLinked && { shorturl: { mode: 'unique', url: 'https://shop.example/offre' } })
          })
        )
        track(sendRcs(customer, round, take(number, 'campaign', RCS_SIZE)))
      }
      await sleep(CHUNK_EVERY_MS)
    }
  }
  async function sendRcs(customer: Customer, round: number, numbers: readonly string[]): Promise<void> {
    await customer.ask('POST', '/messages/rcs', {
      external_id: `rcs ${round}`,
      contacts: numbers.map((recipient) => ({ recipient })),
      type: 'text',
      data: { text: 'Bonjour par RCS' },
      fallback: { content: 'Bonjour par SMS' }
    })
    counts.rcs += numbers.length
  }
  async function sendSingles(): Promise<void> {
    for (let index = 0; !isOver && !cluster.ending.aborted; index++) {
      const number = index % customers.length
      const recipients = take(number, 'single', 1)
      if (underWay.size < UNDER_WAY_MAX) {
        track(customers[number]?.send({ external_id: `single ${index}`, recipients, content: 'Code 1234' }) ?? sleep(0))
      }
      await sleep(SINGLE_EVERY_MS)
    }
  }
  const sending = Promise.all([sendChunks(), sendSingles()])
  return {
    counts,
    countAnswering: () => phones.countAnswering(),
    async stop() {
      isOver = true
      await sending
      while (underWay.size > 0) await Promise.all(underWay)
      if (failure !== undefined) throw failure
    }
  }
}

/** Recipients that have not left; more than any limit while the database can't tell. */
async function countWaiting({ pool }: Cluster): Promise<number> {
  try {
    const [row] = await pool<[{ waiting: number }]>`
      select coalesce(sum(waiting_count), 0) as waiting
      from messages
      where state = 'sending'
    `
    return Number(row.waiting)
  } catch {
    return Number.POSITIVE_INFINITY // It is away just now.
  }
}

import { setTimeout as sleep } from 'node:timers/promises'
import type { Cluster } from './cluster.ts'
import type { Customer } from './customers.ts'

/*
 * What customers and phones do meanwhile. Each number gets one message, so that whatever comes twice shows; some of them
 * answer, some with STOP.
 */

const SINGLES_AT_ONCE_MAX = 60
/** Every so many-th single has several segments. */
const LONG_EVERY = 10
const LONG = 'Ceci est un message assez long pour partir en plusieurs segments. '.repeat(6)
const REPLY_EVERY = 37
const STOP_EVERY = 41
/** One in so many answers long after: when what was in doubt has been decided. */
const LATE_REPLY_EVERY = 5
const REPLY_AGAIN_MS = 500

export interface Load {
  /** Sends of one recipient that were begun. */
  singles: number
  /** What phones answered, by number as digits. */
  replies: Map<string, { content: string; customer: string }>
  /** Ends the stream of singles and waits until all of them are acknowledged. */
  stopSending(): Promise<void>
  /** Phones that have got a message and are still to answer it. */
  countAnswering(): number
}

export interface LoadOptions {
  recipients: number
  singlesPerSecond: number
  /** How long after its message a phone may answer late. */
  lateReplyMs: number
}

/** A number for each: the first digits say whose it is and how it was sent, the others count. */
export function phoneNumber(customer: number, kind: 'campaign' | 'single', index: number): string {
  const block = customer * 2 + (kind === 'campaign' ? 0 : 1)
  return `+336${1 + Math.floor(block / 10)}${block % 10}${String(index).padStart(6, '0')}`
}

export function startLoad(cluster: Cluster, customers: readonly Customer[], options: LoadOptions): Load {
  const underWay = new Set<Promise<void>>()
  const failures: unknown[] = []
  let isOver = false
  const load: Load = {
    singles: 0,
    replies: new Map(),
    async stopSending() {
      isOver = true
      await streaming
      await Promise.all(underWay)
      if (failures.length > 0) throw failures[0]
    },
    countAnswering: () => phones.countAnswering()
  }
  function track(work: Promise<void>): void {
    const tracked = work
      .catch((error) => void failures.push(error))
      .finally(() => {
        underWay.delete(tracked)
      })
    underWay.add(tracked)
  }
  const phones = answerFromPhones(cluster, customers, load.replies, options.lateReplyMs)
  for (const [number, customer] of customers.entries()) {
    const count = Math.round(options.recipients / customers.length)
    const recipients = Array.from({ length: count }, (_, index) => phoneNumber(number, 'campaign', index))
    track(customer.send({ external_id: `campaign ${customer.name}`, recipients, content: 'Bonjour à tous' }))
  }

  async function stream(): Promise<void> {
    while (!isOver && !cluster.ending.aborted) {
      if (underWay.size < SINGLES_AT_ONCE_MAX) {
        const index = load.singles++
        const number = index % customers.length
        const customer = customers[number] as Customer
        const content = index % LONG_EVERY === 0 ? LONG : `Votre code est ${1000 + (index % 9000)}`
        const recipients = [phoneNumber(number, 'single', index)]
        track(customer.send({ external_id: `single ${index}`, recipients, content }))
      }
      await sleep(1000 / options.singlesPerSecond)
    }
  }
  const streaming = stream()
  return load
}

/** Some phones answer, each once. */
export function answerFromPhones(
  { smsc, ending }: Pick<Cluster, 'smsc' | 'ending'>,
  customers: readonly Customer[],
  replies: Load['replies'],
  lateReplyMs: number
): { countAnswering(): number } {
  const answering = new Set<Promise<void>>()
  smsc.phones.onMessage((number, { from }) => {
    const index = Number(number.slice(-6))
    const isStop = index % STOP_EVERY === 0
    if (replies.has(number) || (!isStop && index % REPLY_EVERY !== 0)) return
    const block = (Number(number.charAt(3)) - 1) * 10 + Number(number.charAt(4))
    const customer = customers[Math.floor(block / 2)]?.name ?? ''
    const content = isStop ? 'STOP' : `Oui, ${index}`
    replies.set(number, { content, customer })
    const isLate = (isStop ? index / STOP_EVERY : index / REPLY_EVERY) % LATE_REPLY_EVERY === 1
    const answer = reply({ from: number, to: from, content }, isLate ? lateReplyMs : 300 + (index % 20) * 100)
    answering.add(answer)
    answer.finally(() => answering.delete(answer))
  })
  async function reply(words: { from: string; to: string; content: string }, afterMs: number): Promise<void> {
    await sleep(afterMs)
    while (!ending.aborted) {
      try {
        return smsc.phones.reply(words)
      } catch {
        await sleep(REPLY_AGAIN_MS) // Nobody is bound now: a carrier keeps it until somebody is.
      }
    }
  }
  return { countAnswering: () => answering.size }
}

import { createHmac, randomUUID } from 'node:crypto'
import { Pool } from 'undici'
import { exchange } from '../../src/carriers/exchange.ts'
import { Fifo } from '../../src/carriers/fifo.ts'
import type { Delays } from '../delays.ts'
import type { RbmFaults } from './fault-state.ts'
import type { RbmStats } from './stats.ts'

/*
 * Posts the events of phones to the client's webhook, as Google Pub/Sub pushes them. Events are signed, repeated until a 2xx
 * acknowledges them, and come in no guaranteed order.
 */

/** Concurrent posts. */
const CONCURRENCY = 32
const ANSWER_MS = 10_000
const ANSWER_BYTES_MAX = 10_000
/** The first delay after a failure of the webhook. It doubles with each failure. */
const BACKOFF_MS = 100
const BACKOFF_MAX_MS = 30_000
/** A group that is not full goes out after this time, so that no event waits for ever. */
const REORDER_WAIT_MS = 100
const SUBSCRIPTION = 'projects/rbm-sandbox/subscriptions/rbm-sandbox'
const PROJECT_NUMBER = '3338881441851'

export type EventAttributes = { type: 'event'; event_type: string } | { type: 'message'; message_type: string }

/** The `data` field of an event, and its attributes. */
export interface OutgoingEvent {
  data: object
  attributes: EventAttributes
  /** Called when the event is acknowledged, or dropped. */
  onSettled?: (() => void) | undefined
}

interface Push {
  body: string
  signature: string
  onSettled: (() => void) | undefined
}

interface EventParts {
  faults: RbmFaults
  delays: Delays
  stats: RbmStats
  agentId: string
  webhookToken: string
}

/** Posts events as the faults allow. */
export class RbmEvents {
  readonly #parts: EventParts
  readonly #queue = new Fifo<Push>()
  #held: OutgoingEvent[] = []
  #group: Push[] = []
  #webhook: Webhook | undefined
  #underWay = 0
  #backoffMs = 0
  #pause: NodeJS.Timeout | undefined
  #nextId = Date.now() * 1_000
  #isStopped = false

  constructor(parts: EventParts) {
    this.#parts = parts
  }

  get hasWebhook(): boolean {
    return this.#webhook !== undefined
  }

  /** The number of events that are held, queued or under way. */
  get waitingCount(): number {
    return this.#queue.size + this.#held.length + this.#group.length + this.#underWay
  }

  /** Posts events to this URL from now on, if it passes the challenge. Without a URL, events wait. */
  async setWebhook(url: string | undefined): Promise<boolean> {
    const { stats, webhookToken } = this.#parts
    const webhook = url === undefined ? undefined : new Webhook(url)
    if (webhook) {
      const secret = randomUUID()
      stats.challenges++
      const answer = await webhook.post(JSON.stringify({ clientToken: webhookToken, secret }))
      if (answer.status !== 200 || answer.text !== secret || this.#isStopped) {
        webhook.close()
        return false
      }
      stats.challengesPassed++
    }
    this.#webhook?.close()
    this.#webhook = webhook
    this.#backoffMs = 0
    this.#pump()
    return true
  }

  send(event: OutgoingEvent): void {
    const { faults, delays } = this.#parts
    const { areEventsHeld, eventDelayMs } = faults.conduct
    if (areEventsHeld) this.#held.push(event)
    else if (eventDelayMs > 0) delays.run(eventDelayMs, () => this.#sendInOrder(event))
    else this.#sendInOrder(event)
  }

  release(): void {
    const held = this.#held
    this.#held = []
    for (const event of held) this.send(event)
  }

  stop(): void {
    this.#isStopped = true
    clearTimeout(this.#pause)
    this.#webhook?.close()
  }

  #sendInOrder(event: OutgoingEvent): void {
    const { faults, delays, stats } = this.#parts
    if (faults.picks('droppedEvents')) {
      stats.eventsDropped++
      event.onSettled?.()
      return
    }
    const push = this.#write(event)
    const { eventsReordered, eventCopies } = faults.conduct
    for (let copy = 1; copy < eventCopies; copy++) this.#queue.push({ ...push, onSettled: undefined })
    if (eventsReordered <= 1 && this.#group.length === 0) {
      this.#queue.push(push)
      this.#pump()
      return
    }
    const group = this.#group
    group.push(push)
    if (group.length >= eventsReordered) this.#sendGroup(group)
    else if (group.length === 1) delays.run(REORDER_WAIT_MS, () => this.#sendGroup(group))
  }

  #sendGroup(group: Push[]): void {
    if (group !== this.#group) return
    this.#group = []
    for (const push of group.reverse()) this.#queue.push(push)
    this.#pump()
  }

  #write({ data, attributes, onSettled }: OutgoingEvent): Push {
    const { agentId, webhookToken, faults } = this.#parts
    const token = faults.conduct.areEventsForged ? `not ${webhookToken}` : webhookToken
    const text = JSON.stringify(data)
    const rest = { ...attributes, business_id: agentId, product: 'RBM', project_number: PROJECT_NUMBER }
    const id = String(this.#nextId++)
    const time = new Date().toISOString()
    // Built by hand: the longest part needs no escaping, and JSON.stringify would search all of it.
    const message =
      `{"attributes":${JSON.stringify(rest)},"data":"${Buffer.from(text).toString('base64')}",` +
      `"messageId":"${id}","message_id":"${id}","publishTime":"${time}","publish_time":"${time}"}`
    return {
      body: `{"message":${message},"subscription":"${SUBSCRIPTION}"}`,
      signature: createHmac('sha512', token).update(text).digest('base64'),
      onSettled
    }
  }

  #pump(): void {
    while (this.#webhook && !this.#pause && this.#underWay < CONCURRENCY) {
      const push = this.#queue.shift()
      if (!push) return
      this.#underWay++
      this.#parts.stats.eventsSent++
      void this.#deliver(this.#webhook, push)
    }
  }

  async #deliver(webhook: Webhook, push: Push): Promise<void> {
    const { status } = await webhook.post(push.body, push.signature)
    this.#underWay--
    if (this.#isStopped) return
    const { stats } = this.#parts
    if (status >= 200 && status < 300) {
      stats.eventsAcknowledged++
      this.#backoffMs = 0
      push.onSettled?.()
    } else {
      stats.eventsFailed++
      this.#queue.push(push)
      this.#slowDown()
    }
    this.#pump()
  }

  /** All posts under way may fail together: they count as one failure of the webhook. */
  #slowDown(): void {
    if (this.#pause) return
    this.#backoffMs = Math.min(BACKOFF_MAX_MS, this.#backoffMs === 0 ? BACKOFF_MS : this.#backoffMs * 2)
    this.#pause = setTimeout(() => {
      this.#pause = undefined
      this.#pump()
    }, this.#backoffMs)
  }
}

/** The client's webhook, with its connections. */
class Webhook {
  readonly #path: string
  readonly #pool: Pool

  constructor(url: string) {
    const { origin, pathname, search } = new URL(url)
    this.#path = `${pathname}${search}`
    this.#pool = new Pool(origin, { connections: CONCURRENCY, pipelining: 1 })
  }

  /** The status is 0 without an answer, whatever the reason. */
  async post(body: string, signature?: string): Promise<{ status: number; text: string }> {
    const answer = await exchange(this.#pool, {
      method: 'POST',
      path: this.#path,
      headers: {
        'content-type': 'application/json',
        ...(signature !== undefined && { 'x-goog-signature': signature })
      },
      body,
      timeoutMs: ANSWER_MS,
      answerBytesMax: ANSWER_BYTES_MAX
    })
    return answer.kind === 'answered' ? answer : { status: 0, text: '' }
  }

  /** Aborts the posts under way. */
  close(): void {
    this.#pool.destroy().catch(() => undefined) // Errors of an unused pool do not matter.
  }
}

import { Pool } from 'undici'
import type { Database } from '../../database/database.ts'
import type { Log } from '../../http/log.ts'
import { type RunningWorker, startWorker } from '../../workers/loop.ts'
import { exchange } from '../exchange.ts'
import type { InboundMetrics } from '../inbound-metrics.ts'
import { RequestTemplate } from './http-request.ts'
import type { NewsKind, Poll } from './http-settings.ts'
import { HTTP_TIMINGS } from './http-timings.ts'
import { fixedPlaces } from './message-places.ts'
import { cursorOf, handInNews, type Inbound, itemsOf } from './news.ts'
import { claimPoll, finishPoll } from './polls.store.ts'
import type { HttpCarrierSettings } from './read-http.ts'
import { parseExactJson } from './value-paths.ts'

/*
 * Asks the provider for receipts and replies. Of all processes, one asks at a time. The cursor moves once everything
 * before it is stored: a process that dies in between leaves it, and the next one reads the same again.
 */

interface PollsParts {
  settings: HttpCarrierSettings
  database: Database
  inbound: Inbound
  metrics: InboundMetrics
  onFailure(reason: string): void
  log: Log
}

const ANSWER_BYTES_MAX = 8 * 1024 * 1024
/** Storing what came takes a part of it. */
const LEASE_MORE_SECONDS = 30
/** Another process may have polled: the turn is looked at this often, at least. */
const LOOK_MS_MAX = 5_000

/** Undefined when the carrier polls nothing. */
export function startPolls(parts: PollsParts): { stop(): Promise<void> } | undefined {
  const { receipts, replies } = parts.settings
  const polls = [
    ...(receipts?.poll ? [new NewsPoll('receipts', receipts.poll, parts)] : []),
    ...(replies?.poll ? [new NewsPoll('replies', replies.poll, parts)] : [])
  ]
  if (polls.length === 0) return undefined
  return {
    async stop() {
      await Promise.all(polls.map((poll) => poll.stop()))
    }
  }
}

class NewsPoll {
  readonly #news: NewsKind
  readonly #poll: Poll
  readonly #parts: PollsParts
  readonly #request: RequestTemplate
  readonly #pool: Pool
  readonly #worker: RunningWorker

  constructor(news: NewsKind, poll: Poll, parts: PollsParts) {
    this.#news = news
    this.#poll = poll
    this.#parts = parts
    this.#request = new RequestTemplate(poll.request)
    const { connectMs: connectTimeout, idleMs: keepAliveTimeout } = HTTP_TIMINGS
    this.#pool = new Pool(this.#request.origin, { connections: 1, keepAliveTimeout, connectTimeout })
    this.#worker = startWorker({
      name: `polling ${news} of ${parts.settings.name}`,
      work: () => this.#work(),
      pauseMs: Math.min(LOOK_MS_MAX, poll.every * 1000),
      log: parts.log
    })
  }

  async stop(): Promise<void> {
    await this.#worker.stop()
    await this.#pool.destroy()
  }

  async #work(): Promise<{ isMoreDue: boolean }> {
    const { settings, database, onFailure, log } = this.#parts
    const key = { carrier: settings.name, news: this.#news }
    const { every, first } = this.#poll
    const leaseSeconds = settings.answerTimeout + LEASE_MORE_SECONDS
    const claimed = await claimPoll(database, { ...key, first, leaseSeconds })
    if (!claimed) return { isMoreDue: false }
    const asked = await this.#ask(claimed.cursor)
    if ('problem' in asked) {
      onFailure(`The poll for ${this.#news} failed: ${asked.problem}`)
      log.warn({ carrier: settings.name, news: this.#news, reason: asked.problem }, 'a poll failed')
      await finishPoll(database, { ...key, ...claimed, seconds: every })
      return { isMoreDue: false }
    }
    const cursor = cursorOf(asked.body, this.#poll.cursor) ?? claimed.cursor
    const hasItems = await this.#store(asked.body).catch(async (error) => {
      // The cursor stays, and the same is read again soon, not only when the lease ends.
      await finishPoll(database, { ...key, ...claimed, seconds: every })
      throw error
    })
    // There may be more where the cursor moved on.
    const isMoreDue = hasItems && cursor !== claimed.cursor
    const isKept = await finishPoll(database, { ...key, ...claimed, cursor, seconds: isMoreDue ? 0 : every })
    return { isMoreDue: isMoreDue && isKept }
  }

  async #ask(cursor: string): Promise<{ body: unknown } | { problem: string }> {
    const { settings } = this.#parts
    const fixed = fixedPlaces(settings)
    const request = this.#request.fill((place) => (place.name === 'cursor' ? cursor : fixed(place)))
    const answer = await exchange(this.#pool, {
      method: this.#request.method,
      ...request,
      timeoutMs: settings.answerTimeout * 1000,
      answerBytesMax: ANSWER_BYTES_MAX
    })
    if (answer.kind === 'failed') return { problem: `the provider ${answer.reason}` }
    if (answer.status < 200 || answer.status > 299) return { problem: `the provider answered ${answer.status}` }
    if (answer.status === 204) return { body: undefined }
    try {
      return { body: parseExactJson(answer.text) }
    } catch {
      return { problem: 'the answer is no JSON, or larger than 8 MiB' }
    }
  }

  /** Whether there was anything. Settles once it is stored. */
  async #store(body: unknown): Promise<boolean> {
    const { settings, inbound, metrics, log } = this.#parts
    if (body === undefined) return false
    const { taken, unreadable } = await handInNews(this.#news, settings, body, inbound)
    if (taken > 0) metrics[this.#news](settings.name, taken)
    if (unreadable > 0)
      log.warn({ carrier: settings.name, news: this.#news, unreadable }, 'polled items could not be read')
    return itemsOf(body, settings[this.#news]?.items).length > 0
  }
}

import { randomUUID } from 'node:crypto'
import { databaseNow } from '../database/clock.ts'
import type { Pool } from '../database/database.ts'
import { addTo } from '../http/counts.ts'
import type { Log } from '../http/log.ts'
import { type RunningWorker, startWorker } from '../workers/loop.ts'
import {
  type Attempt,
  claimWebhooks,
  type DueDelivery,
  disableWebhook,
  extendTurn,
  findServed,
  listDueDeliveries,
  releaseTurn,
  type ServedWebhook,
  takeFromQueue,
  updateDeliveries,
  updateHealth,
  updateToGone
} from './dispatch.store.ts'
import type { WebhookMetrics } from './metrics.ts'
import { type PostParts, postAll } from './post-round.ts'
import { type Posted, PostsUnderWay } from './posts-under-way.ts'
import { delayAfter, isGivenUp, meaningOf } from './schedule.ts'
import { lockWebhooksOf } from './webhooks.store.ts'

/*
 * Posts events to receivers. One worker leases a webhook with work and serves it apart from all others, so that a slow or dead
 * receiver delays no other webhook. A slow post does not delay the others of its webhook: the next rounds begin beside it. A
 * receiver fails when more of a round fails than arrives. Then one delivery at a time is tried, when it is due; all other
 * events wait in the queue until one arrives. The slots of a process are shared evenly between top-level accounts. The webhooks
 * of an account with more work than its share take turns.
 */

const POLL_MS = 200
/** After a process died, another one takes over when its leases end. */
const LEASE_SECONDS = 10
const EXTEND_MS = 3_000
/** Receivers that one process serves at once: the slots that accounts share. */
const SLOTS = 200
/** After this time a webhook gives its slot back if others wait for one, and goes to the end of the line. */
const TURN_MS = 5_000
/** Requests to one receiver at once, and deliveries that are made, sent and settled together. */
export const CONNECTIONS_PER_RECEIVER = 16
const ROUND_DELIVERIES = 200
const ROUND_EVENTS_MAX = 5_000
/** While only slow posts are under way: how often new events are looked for. */
const SLOW_LOOK_MS = 1_000
/** The longest pause before another look at a receiver that failed. */
const FAILING_LOOK_SECONDS = 60

export interface DispatchParts extends PostParts {
  log: Log
  /** Receivers that are served at once, and how long a turn is while others wait. */
  slots?: number
  turnMs?: number
}

export interface Dispatch {
  wake(): void
  stop(): Promise<void>
}

export function startDispatch(parts: DispatchParts): Dispatch {
  const { slots = SLOTS } = parts
  const serving = new Set<Promise<void>>()
  /** Slots that each top-level account holds. */
  const held = new Map<number, number>()
  /** Slots that an account may hold, as of the last claim. */
  let share = slots
  let isStopping = false
  const worker: RunningWorker = startWorker({ name: 'telling webhooks', work: claim, pauseMs: POLL_MS, log: parts.log })

  async function claim(): Promise<{ isMoreDue: boolean }> {
    if (serving.size >= slots) return { isMoreDue: false }
    // New for every claim: it tells a former holder from the present one, also within one process.
    const workerId = randomUUID()
    const askedAtMs = performance.now()
    const found = await claimWebhooks(parts.pool, { workerId, leaseSeconds: LEASE_SECONDS, slots, held })
    share = found.share
    for (const key of found.claimed) {
      addTo(held, key.topLevelId, 1)
      const turn = { ...key, workerId, askedAtMs, isStopping: () => isStopping, isWanted: () => isWanted(key) }
      const served = serve(parts, turn)
        .catch((error) => parts.log.error({ webhook: key.webhookId, err: error }, 'a webhook could not be served'))
        .finally(() => {
          serving.delete(served)
          addTo(held, key.topLevelId, -1)
          worker.wake()
        })
      serving.add(served)
    }
    return { isMoreDue: found.claimed.length > 0 }
  }

  function isWanted({ topLevelId }: { topLevelId: number }): boolean {
    return serving.size >= slots || (held.get(topLevelId) ?? 0) >= share
  }

  return {
    wake: () => worker.wake(),
    async stop() {
      isStopping = true
      await worker.stop()
      await Promise.all(serving)
    }
  }
}

interface Turn {
  accountId: number
  webhookId: number
  workerId: string
  /** By the monotonic clock, from before the claim: our lease ends before the one that others see. */
  askedAtMs: number
  isStopping(): boolean
  /** Whether others may be waiting for its slot. */
  isWanted(): boolean
}

/** Serves a webhook until it has nothing to do, its receiver fails, or its lease is lost. */
async function serve(parts: DispatchParts, turn: Turn): Promise<void> {
  const { pool, log, metrics, turnMs = TURN_MS } = parts
  const { webhookId, workerId } = turn
  const lease = { workerId, leaseSeconds: LEASE_SECONDS, webhookId }
  let heldUntilMs = turn.askedAtMs + LEASE_SECONDS * 1000
  // By the clock, and not by a notice: a process that was paused has received none.
  const isHeld = () => performance.now() < heldUntilMs
  // From its first post: however slow the database is, each turn posts something.
  let begunAtMs = Number.POSITIVE_INFINITY
  // After an error, a round that is being read must begin no post.
  let isLeaving = false
  const isOver = () => turn.isStopping() || (performance.now() - begunAtMs > turnMs && turn.isWanted())
  function mayPost(): boolean {
    begunAtMs = Math.min(begunAtMs, performance.now())
    return isHeld() && !isOver() && !isLeaving
  }
  async function extending<T>(extend: () => Promise<T>): Promise<T> {
    const askedAtMs = performance.now()
    const extended = await extend()
    if (extended !== undefined) heldUntilMs = askedAtMs + LEASE_SECONDS * 1000
    return extended
  }
  // Slow receivers take longer than the lease.
  const timer = setInterval(() => {
    extending(() => extendTurn(pool, lease)).catch((error) =>
      log.warn({ webhook: webhookId, err: error }, 'a lease was not extended')
    )
  }, EXTEND_MS)
  const posts = new PostsUnderWay({ connectionsMax: CONNECTIONS_PER_RECEIVER })
  const settleRound = (webhook: ServedWebhook, round: Round) =>
    extending(() => settle(pool, { ...round, webhook, lease, metrics }))
  let delaySeconds = 0
  let webhook: ServedWebhook | undefined
  try {
    while (!isOver()) {
      webhook = await findServed(pool, turn)
      if (!webhook?.isActive) {
        delaySeconds = FAILING_LOOK_SECONDS
        break
      }
      const isWell = webhook.failingSince === null
      const round = await beginRound(pool, webhook, posts)
      if (round.length === 0 && posts.count + posts.ended.length === 0) {
        delaySeconds = isWell ? 0 : FAILING_LOOK_SECONDS
        break
      }
      // Only slow posts are left.
      if (round.length === 0 && posts.ended.length === 0) await posts.oneEnds({ withinMs: SLOW_LOOK_MS })
      const [gone] = await Promise.all([
        postAll(parts, webhook, { deliveries: round, posts, mayPost }),
        // Makes the deliveries of the next round meanwhile; that round finds them due.
        isWell && round.length > 0 && takeFromQueue(pool, webhook, { deliveriesMax: roundOf(webhook) })
      ])
      await posts.quickOnesEnd()
      // Slow posts may still arrive, so they are heard before a receiver counts as failing. A receiver that fails gets one
      // post at a time, and after a 410 no delivery may be open.
      if (!isWell || hasMostlyFailed(webhook, posts.ended) || posts.ended.some(isGone)) await posts.allEnd()
      const posted = posts.takeEnded()
      if (posted.length + gone.length === 0 && isHeld()) continue
      const waitSeconds = await settleRound(webhook, { posted, gone })
      if (waitSeconds === undefined) return
      if (waitSeconds > 0) {
        delaySeconds = Math.min(waitSeconds, FAILING_LOOK_SECONDS)
        break
      }
    }
    // The turn is over, or the webhook was made inactive, while slow posts are under way.
    await posts.allEnd()
    const posted = posts.takeEnded()
    if (webhook && posted.length > 0) {
      const waitSeconds = await settleRound(webhook, { posted, gone: [] })
      delaySeconds = Math.max(delaySeconds, waitSeconds ?? 0)
    }
  } finally {
    isLeaving = true
    // The lease is kept meanwhile: its next holder posts whatever has no outcome.
    await posts.allEnd()
    clearInterval(timer)
    await releaseTurn(pool, { workerId, webhookId, delaySeconds })
  }
}

/**
 * The due deliveries, and new ones beside them; while the receiver fails, one delivery in all. When none is due, a new one is
 * tried: an event that the receiver refuses each time must not hold up the others.
 */
async function beginRound(pool: Pool, webhook: ServedWebhook, posts: PostsUnderWay): Promise<DueDelivery[]> {
  const isFailing = webhook.failingSince !== null
  const limit = isFailing ? 1 : roundOf(webhook)
  const found = await listDueDeliveries(pool, {
    webhookId: webhook.id,
    limit: limit + posts.count + posts.ended.length
  })
  const due = found.filter((delivery) => !posts.has(delivery)).slice(0, limit)
  if (due.length === limit) return due
  return [...due, ...(await takeFromQueue(pool, webhook, { deliveriesMax: limit - due.length }))]
}

function roundOf({ batchSize }: ServedWebhook): number {
  return Math.max(1, Math.min(ROUND_DELIVERIES, Math.floor(ROUND_EVENTS_MAX / batchSize)))
}

interface Round {
  posted: readonly Posted[]
  /** Deliveries whose events were all removed: they are not posted, since they would be empty. */
  gone: readonly DueDelivery[]
}

interface Settlement extends Round {
  webhook: ServedWebhook
  lease: { workerId: string; leaseSeconds: number; webhookId: number }
  metrics: WebhookMetrics | undefined
}

/**
 * Stores the outcomes of a round; returns the seconds to wait before the next, 0 when all is well. Undefined when the lease is
 * lost: the next holder posts the same again.
 */
async function settle(pool: Pool, { webhook, posted, gone, lease, metrics }: Settlement): Promise<number | undefined> {
  const attempts = posted.map(toAttempt)
  const failed = attempts.filter(({ status }) => status !== 'succeeded')
  const last = posted.at(-1)?.result
  const isFailing = hasMostlyFailed(webhook, posted)
  const now = databaseNow()
  const hasGone = posted.some(isGone)
  const isTooLong = isFailing && isGivenUp({ firstFailureAt: webhook.failingSince ?? now, now })
  const isSettled = await pool.begin(async (database) => {
    // Disabling changes the subscriptions of the account, so it takes the same lock as a new configuration.
    if (hasGone || isTooLong) await lockWebhooksOf(database, webhook.accountId)
    if (!(await extendTurn(database, lease))) return false
    await updateToGone(
      database,
      webhook,
      gone.map(({ id }) => id)
    )
    if (posted.length === 0) return true // There was nothing to post, or the lease ran out and no other worker took it.
    await updateDeliveries(database, webhook, attempts)
    const lastStatus = last?.kind === 'answered' ? last.status : null
    await updateHealth(database, { ...webhook, lastStatus, isFailing })
    if (hasGone) await disableWebhook(database, { ...webhook, reason: 'The receiver answered 410 Gone.' })
    else if (isTooLong) await disableWebhook(database, { ...webhook, reason: 'Nothing arrived for five days.' })
    return true
  })
  if (!isSettled) return undefined
  if (hasGone || isTooLong) metrics?.onDisabled(hasGone ? 'gone' : 'failing')
  const delays = failed.flatMap(({ delaySeconds }) => delaySeconds ?? [])
  return isFailing ? Math.min(FAILING_LOOK_SECONDS, ...delays) : 0
}

/**
 * One refused event among others is its own problem: it is tried again when it is due, and the others go on. While most events
 * arrive, a retry that fails says nothing new: the receiver has refused that event before.
 */
function hasMostlyFailed({ failingSince }: ServedWebhook, posted: readonly Posted[]): boolean {
  const arrived = posted.filter(({ result }) => meaningOf(result) === 'succeeded').length
  const failed = posted.filter(
    ({ delivery, result }) => meaningOf(result) !== 'succeeded' && (delivery.attempts === 0 || failingSince !== null)
  ).length
  return failed > arrived
}

function isGone({ result }: Posted): boolean {
  return meaningOf(result) === 'gone'
}

function toAttempt({ delivery, result }: Posted): Attempt {
  const attempt = {
    id: delivery.id,
    responseStatus: result.kind === 'answered' ? result.status : null,
    responseMs: Math.round(result.ms),
    response: result.kind === 'answered' ? storable(result.body) : ''
  }
  if (meaningOf(result) === 'succeeded') return { ...attempt, status: 'succeeded', error: null, delaySeconds: null }
  const error = result.kind === 'failed' ? result.error : `The receiver answered ${result.status}.`
  const retryAfterSeconds = result.kind === 'answered' ? result.retryAfterSeconds : undefined
  const delaySeconds = delayAfter(delivery.attempts + 1, { retryAfterSeconds }) ?? null
  return { ...attempt, status: delaySeconds === null ? 'failed' : 'retrying', error, delaySeconds }
}

/** A receiver may answer any bytes; PostgreSQL stores no NUL in a text. */
function storable(text: string): string {
  return text.replaceAll('\0', '').toWellFormed()
}

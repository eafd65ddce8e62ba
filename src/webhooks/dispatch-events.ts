import { randomUUID } from 'node:crypto'
import { databaseNow } from '../database/clock.ts'
import type { Pool } from '../database/database.ts'
import { addTo } from '../http/counts.ts'
import type { Log } from '../http/log.ts'
import { isTracing } from '../traces/tracer.ts'
import { type RunningWorker, startWorker } from '../workers/loop.ts'
import {
  type Attempt,
  claimWebhooks,
  type DueDelivery,
  disableWebhook,
  extendTurn,
  findServed,
  listDueDeliveries,
  listRecords,
  listSigningSecrets,
  listTraces,
  releaseTurn,
  type ServedWebhook,
  takeFromQueue,
  updateDeliveries,
  updateHealth,
  updateToGone
} from './dispatch.store.ts'
import type { WebhookMetrics } from './metrics.ts'
import type { Poster, PostResult } from './post.ts'
import { delayAfter, isGivenUp, meaningOf } from './schedule.ts'
import { signedHeaders } from './signature.ts'
import { readTarget } from './target.ts'
import { tracePost } from './trace-post.ts'
import { lockWebhooksOf } from './webhooks.store.ts'

/*
 * Posts events to receivers. One worker leases a webhook with work and serves it apart from all others, so that a slow or dead
 * receiver delays no other webhook. A receiver fails when more of a round fails than arrives. Then one delivery at a time is
 * tried, when it is due; all other events wait in the queue until one arrives. The slots of a process are shared evenly between top-level accounts. The webhooks of an
 * account with more work than its share take turns.
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
/** The longest pause before another look at a receiver that failed. */
const FAILING_LOOK_SECONDS = 60

export interface DispatchParts {
  pool: Pool
  poster: Poster
  allowPrivate: boolean
  log: Log
  metrics?: WebhookMetrics
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
  const { pool, poster, allowPrivate, log, metrics, turnMs = TURN_MS } = parts
  const { webhookId, workerId } = turn
  const lease = { workerId, leaseSeconds: LEASE_SECONDS, webhookId }
  let heldUntilMs = turn.askedAtMs + LEASE_SECONDS * 1000
  // By the clock, and not by a notice: a process that was paused has received none.
  const isHeld = () => performance.now() < heldUntilMs
  // From its first post: however slow the database is, each turn posts something.
  let begunAtMs = Number.POSITIVE_INFINITY
  const isOver = () => turn.isStopping() || (performance.now() - begunAtMs > turnMs && turn.isWanted())
  function mayPost(): boolean {
    begunAtMs = Math.min(begunAtMs, performance.now())
    return isHeld() && !isOver()
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
  let delaySeconds = 0
  try {
    while (!isOver()) {
      const webhook = await findServed(pool, turn)
      if (!webhook?.isActive) {
        delaySeconds = FAILING_LOOK_SECONDS
        break
      }
      const round = await beginRound(pool, webhook)
      if (round.length === 0) {
        delaySeconds = webhook.failingSince ? FAILING_LOOK_SECONDS : 0
        break
      }
      const isWell = webhook.failingSince === null
      const [{ posted, gone }] = await Promise.all([
        postAll({ pool, poster, allowPrivate }, webhook, { deliveries: round, mayPost }),
        // Makes the deliveries of the next round meanwhile; that round finds them due.
        isWell && takeFromQueue(pool, webhook, { deliveriesMax: roundOf(webhook) })
      ])
      const waitSeconds = await extending(() => settle(pool, { webhook, posted, gone, lease, metrics }))
      if (waitSeconds === undefined) return
      if (waitSeconds > 0) {
        delaySeconds = Math.min(waitSeconds, FAILING_LOOK_SECONDS)
        break
      }
    }
  } finally {
    clearInterval(timer)
    await releaseTurn(pool, { workerId, webhookId, delaySeconds })
  }
}

/**
 * The due deliveries, and new ones beside them; while the receiver fails, one delivery in all. When none is due, a new one is
 * tried: an event that the receiver refuses each time must not hold up the others.
 */
async function beginRound(pool: Pool, webhook: ServedWebhook): Promise<DueDelivery[]> {
  const isFailing = webhook.failingSince !== null
  const limit = isFailing ? 1 : roundOf(webhook)
  const due = await listDueDeliveries(pool, { webhookId: webhook.id, limit })
  if (due.length === limit) return due
  return [...due, ...(await takeFromQueue(pool, webhook, { deliveriesMax: limit - due.length }))]
}

function roundOf({ batchSize }: ServedWebhook): number {
  return Math.max(1, Math.min(ROUND_DELIVERIES, Math.floor(ROUND_EVENTS_MAX / batchSize)))
}

interface Posted {
  delivery: DueDelivery
  result: PostResult
}

interface Round {
  posted: Posted[]
  /** Deliveries whose events were all removed: they are not posted, since they would be empty. */
  gone: DueDelivery[]
}

async function postAll(
  { pool, poster, allowPrivate }: Pick<DispatchParts, 'pool' | 'poster' | 'allowPrivate'>,
  webhook: ServedWebhook,
  { deliveries, mayPost }: { deliveries: readonly DueDelivery[]; mayPost(): boolean }
): Promise<Round> {
  const { accountId, type, url } = webhook
  const eventIds = deliveries.flatMap(({ eventIds }) => eventIds)
  const [records, secrets, traces] = await Promise.all([
    listRecords(pool, { accountId, eventIds }),
    listSigningSecrets(pool, accountId),
    isTracing() ? listTraces(pool, { accountId, eventIds }) : undefined
  ])
  const isGone = ({ eventIds }: DueDelivery) => !eventIds.some((id) => records.has(id))
  const read = readTarget(url, { allowPrivate })
  async function post(delivery: DueDelivery): Promise<PostResult> {
    if ('problem' in read) return { kind: 'failed', failure: 'blocked', error: `The URL ${read.problem}.`, ms: 0 }
    const data = delivery.eventIds.flatMap((id) => records.get(id) ?? [])
    const body = toBody({ id: delivery.eventId, type, createdAt: delivery.createdAt, isTest: delivery.isTest, data })
    // The time of this attempt: a receiver refuses an old signature.
    const signed = signedHeaders({ id: delivery.eventId, timestamp: new Date(), body, secrets })
    const headers = { 'content-type': 'application/json', 'user-agent': 'Chappe', ...signed }
    const { target } = read
    if (!traces) return poster.post(target, { headers, body })
    return tracePost({ webhook, delivery, traces }, (passedOn) =>
      poster.post(target, { headers: { ...headers, ...passedOn }, body })
    )
  }

  // As many at once as there are connections: the time limit of a request must not run while it waits for one.
  const posted: Posted[] = []
  const left = deliveries.filter((delivery) => !isGone(delivery)).values()
  await Promise.all(
    Array.from({ length: CONNECTIONS_PER_RECEIVER }, async () => {
      for (const delivery of left) {
        // Without the lease another worker may post it by now. The rest of the round is due in the next turn.
        if (!mayPost()) break
        posted.push({ delivery, result: await post(delivery) })
      }
    })
  )
  return { posted, gone: deliveries.filter(isGone) }
}

/** The records are JSON already. */
export function toBody({
  id,
  type,
  createdAt,
  isTest,
  data
}: {
  id: string
  type: string
  createdAt: Date
  isTest: boolean
  data: readonly string[]
}): string {
  const head = JSON.stringify({ id, type, timestamp: createdAt.toISOString(), ...(isTest && { test: true }) })
  return `${head.slice(0, -1)},"data":[${data.join(',')}]}`
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
  const isGone = posted.some(({ result }) => meaningOf(result) === 'gone')
  const isTooLong = isFailing && isGivenUp({ firstFailureAt: webhook.failingSince ?? now, now })
  const isSettled = await pool.begin(async (database) => {
    // Disabling changes the subscriptions of the account, so it takes the same lock as a new configuration.
    if (isGone || isTooLong) await lockWebhooksOf(database, webhook.accountId)
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
    if (isGone) await disableWebhook(database, { ...webhook, reason: 'The receiver answered 410 Gone.' })
    else if (isTooLong) await disableWebhook(database, { ...webhook, reason: 'Nothing arrived for five days.' })
    return true
  })
  // Posts count also when the lease was lost: they were made.
  for (const { delivery, result } of posted) {
    metrics?.onPost(result, { ageSeconds: (now.getTime() - delivery.createdAt.getTime()) / 1000 })
  }
  if (!isSettled) return undefined
  if (isGone || isTooLong) metrics?.onDisabled(isGone ? 'gone' : 'failing')
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

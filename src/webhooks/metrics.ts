import { Counter, Histogram, type Registry } from 'prom-client'
import type { Pool } from '../database/database.ts'
import { keptLook } from '../database/kept-look.ts'
import { beginAtZero } from '../metrics/begin-at-zero.ts'
import { addGauge } from '../metrics/gauge.ts'
import { readBacklog } from './backlog.store.ts'
import type { PostResult } from './post.ts'
import type { FailureClass } from './post-failure.ts'
import { meaningOf } from './schedule.ts'

export type PostOutcome = 'succeeded' | 'redirect' | 'refused' | 'gone' | 'server-error' | FailureClass

export interface WebhookMetrics {
  /** An event was posted; `ageSeconds` since its delivery was made. */
  onPost(result: PostResult, options: { ageSeconds: number }): void
  onDisabled(reason: 'gone' | 'failing'): void
}

/** It looks at the queue of each webhook. */
const KEPT_MS = 10_000

export function createWebhookMetrics(registry: Registry, { pool }: { pool: Pool }): WebhookMetrics {
  const registers = [registry]
  const posts = new Counter({
    name: 'chappe_webhook_posts_total',
    help: 'Posts to webhooks, by outcome: succeeded, redirect, refused, gone, server-error, timeout, connection, dns, tls, blocked, other.',
    labelNames: ['outcome'],
    registers
  })
  const seconds = new Histogram({
    name: 'chappe_webhook_post_seconds',
    help: 'Time of a post to a webhook, up to the head of the answer.',
    buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15],
    registers
  })
  const delays = new Histogram({
    name: 'chappe_webhook_delay_seconds',
    help: 'Time from the making of a delivery to its success, its failed attempts included.',
    buckets: [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1_800, 7_200, 43_200, 86_400],
    registers
  })
  const disabled = new Counter({
    name: 'chappe_webhooks_disabled_total',
    help: 'Webhooks that were disabled, by reason: gone, or failing for five days.',
    labelNames: ['reason'],
    registers
  })
  beginAtZero(disabled, () => [{ reason: 'gone' }, { reason: 'failing' }])
  addBacklogGauges(registry, pool)
  return {
    onPost(result, { ageSeconds }) {
      const outcome = outcomeOf(result)
      posts.inc({ outcome })
      seconds.observe(result.ms / 1000)
      if (outcome === 'succeeded') delays.observe(Math.max(0, ageSeconds))
    },
    onDisabled: (reason) => disabled.inc({ reason })
  }
}

function outcomeOf(result: PostResult): PostOutcome {
  if (result.kind === 'failed') return result.failure
  const meaning = meaningOf(result)
  if (meaning !== 'retry') return meaning
  if (result.status < 400) return 'redirect'
  return result.status < 500 ? 'refused' : 'server-error'
}

function addBacklogGauges(registry: Registry, pool: Pool): void {
  const look = keptLook(KEPT_MS, () => readBacklog(pool))
  addGauge(registry, {
    name: 'chappe_webhook_queue_events',
    help: 'Events that wait to be posted, counted up to 100,000; of all processes.',
    read: async () => [['', (await look()).events]]
  })
  addGauge(registry, {
    name: 'chappe_webhook_queue_age_seconds',
    help: 'Age of the oldest event that waits for an active webhook; of all processes.',
    read: async () => [['', (await look()).ageSeconds]]
  })
  addGauge(registry, {
    name: 'chappe_webhooks',
    help: 'Webhooks, by state: well, failing, disabled; of all processes.',
    label: 'state',
    async read() {
      const { well, failing, disabled } = await look()
      return [
        ['well', well],
        ['failing', failing],
        ['disabled', disabled]
      ]
    }
  })
}

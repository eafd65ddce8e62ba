import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '../../src/database/database.ts'

/*
 * Retention keeps things for days; a soak takes minutes. So what is a few minutes old is made to look two days old, a part at
 * a time, and what waits for its grace is due. What retention then does is its own.
 */

const EVERY_MS = 20_000
const OLD_AFTER = '3 minutes'

/** Until it is stopped. The database may be away at any time: then it is done the next time. */
export function startAgeing(pool: Database): { stop(): Promise<void> } {
  const ending = new AbortController()
  const ageing = (async () => {
    while (!ending.signal.aborted) {
      await age(pool).catch(() => undefined)
      await sleep(EVERY_MS, undefined, { signal: ending.signal }).catch(() => undefined)
    }
  })()
  return {
    async stop() {
      ending.abort()
      await ageing
    }
  }
}

async function age(pool: Database): Promise<void> {
  const old = pool`created_at < now() - ${OLD_AFTER}::interval and created_at > now() - interval '1 day'`
  await pool`
    update messages
    set scheduled_at = scheduled_at - interval '2 days', created_at = created_at - interval '2 days'
    where ${old}
      and state in ('sent', 'failed', 'cancelled')
      and waiting_count = 0
      and sent_count = 0
  `
  for (const table of ['events', 'webhook_deliveries', 'replies', 'short_links', 'link_visitors']) {
    await pool`update ${pool(table)} set created_at = created_at - interval '2 days' where ${old}`
  }
  // Receipts are awaited for three days, and those that match nothing are kept for thirty.
  await pool`
    update submissions
    set submitted_at = submitted_at - interval '4 days'
    where submitted_at < now() - ${OLD_AFTER}::interval
      and submitted_at > now() - interval '1 day'
  `
  await pool`
    update parked_receipts
    set received_at = received_at - interval '40 days'
    where received_at < now() - ${OLD_AFTER}::interval
      and received_at > now() - interval '1 day'
  `
  await pool`update removals set due_at = now() where due_at > now()`
}

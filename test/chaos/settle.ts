import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '../../src/database/database.ts'
import type { Cluster } from './cluster.ts'
import type { Load } from './load.ts'

/** What is still to be done, by where it waits. All zero: it is over. */
async function countOpen({ pool, smsc }: Cluster): Promise<Record<string, number>> {
  const [row] = await pool<[Record<string, number>]>`
    select
      (select count(*) from recipients where state in (0, 9)) as waiting,
      (select count(*) from recipients where state = 2) as awaiting_receipts,
      (select count(*) from batches) as batches,
      (select count(*) from doubts) as doubts,
      (select count(*) from untold_cancels) as untold_cancels,
      (select count(*) from webhook_queue) as events_queued,
      (select count(*) from webhook_deliveries where status in ('pending', 'retrying')) as deliveries_open
  `
  return { ...row, atCarrier: smsc.waitingCount + countUnanswered(smsc) }
}

/** Receipts and replies that were sent to us and not answered: each sending ends as one of these. */
function countUnanswered({ stats }: Cluster['smsc']): number {
  const sent = stats.receiptsSent + stats.repliesSent
  return sent - stats.receiptsAcknowledged - stats.repliesAcknowledged - stats.resent - stats.givenUp
}

const SAY_EVERY_MS = 15_000

/** Lets everything come to its end, within a limit; tells how long it took, and what was left. */
export async function settle(
  cluster: Cluster,
  load: Pick<Load, 'countAnswering'>,
  { withinMs, say }: { withinMs: number; say(line: string): void }
): Promise<{ ms: number; open: Record<string, number> }> {
  const start = Date.now()
  const deadline = start + withinMs
  let told = start
  for (;;) {
    // First: what a phone has answered is with the carrier, and counted there.
    const phonesAnswering = load.countAnswering()
    const open = { ...(await countOpen(cluster)), phonesAnswering }
    const isDone = Object.values(open).every((count) => count === 0)
    if (isDone || Date.now() > deadline) return { ms: Date.now() - start, open }
    if (Date.now() - told > SAY_EVERY_MS) {
      told = Date.now()
      say(`still open: ${JSON.stringify(open)}`)
    }
    await sleep(500)
  }
}

/** Where waiting is all that happens: what a process that is dead held is free now, and not when its leases end. */
export async function endLeasesOfTheDead(pool: Database): Promise<void> {
  await pool`update batches set leased_until = now() where leased_until > now()`
  await pool`update carrier_binds set leased_until = '-infinity'`
  await pool`update webhook_turns set leased_until = now() where leased_until > now()`
}

const HURRY_MS = 1_000

/** Hurries all the time, until it is told to end; the database may be away meanwhile. */
export function keepHurrying({ pool, ending }: Pick<Cluster, 'pool' | 'ending'>): () => Promise<void> {
  let isOver = false
  const hurrying = (async () => {
    while (!isOver && !ending.aborted) {
      await hurryDoubtsAndRetries(pool).catch(() => undefined)
      await sleep(HURRY_MS)
    }
  })()
  return async () => {
    isOver = true
    await hurrying
  }
}

/** Doubts are decided a few seconds after they arose, and receivers are tried again at once. */
async function hurryDoubtsAndRetries(pool: Database): Promise<void> {
  await pool`update doubts set due_at = now() where due_at > now() and due_at < now() + interval '57 seconds'`
  await pool`
    update webhook_deliveries
    set next_attempt_at = now()
    where status = 'retrying'
      and next_attempt_at > now()
  `
  await pool`update webhook_turns set due_at = now() where due_at > now()`
  await pool`update parked_receipts set next_try_at = now() where next_try_at > now()`
}

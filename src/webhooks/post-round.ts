import { databaseNow } from '../database/clock.ts'
import type { Pool } from '../database/database.ts'
import { isTracing } from '../traces/tracer.ts'
import { type DueDelivery, listRecords, listSigningSecrets, listTraces, type ServedWebhook } from './dispatch.store.ts'
import type { WebhookMetrics } from './metrics.ts'
import type { Poster, PostResult } from './post.ts'
import type { PostsUnderWay } from './posts-under-way.ts'
import { signedHeaders } from './signature.ts'
import { readTarget } from './target.ts'
import { tracePost } from './trace-post.ts'

export interface PostParts {
  pool: Pool
  poster: Poster
  allowPrivate: boolean
  metrics?: WebhookMetrics
}

/** Begins the posts of a round. Returns the deliveries whose events are gone. */
export async function postAll(
  { pool, poster, allowPrivate, metrics }: PostParts,
  webhook: ServedWebhook,
  { deliveries, posts, mayPost }: { deliveries: readonly DueDelivery[]; posts: PostsUnderWay; mayPost(): boolean }
): Promise<DueDelivery[]> {
  if (deliveries.length === 0) return []
  const { accountId, type, url } = webhook
  const eventIds = deliveries.flatMap(({ eventIds }) => eventIds)
  const [records, secrets, traces] = await Promise.all([
    listRecords(pool, { accountId, eventIds }),
    listSigningSecrets(pool, accountId),
    isTracing() ? listTraces(pool, { accountId, eventIds }) : undefined
  ])
  const isEmpty = ({ eventIds }: DueDelivery) => !eventIds.some((id) => records.has(id))
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

  async function counted(delivery: DueDelivery): Promise<PostResult> {
    const result = await post(delivery)
    metrics?.onPost(result, { ageSeconds: (databaseNow().getTime() - delivery.createdAt.getTime()) / 1000 })
    return result
  }

  for (const delivery of deliveries) {
    if (isEmpty(delivery)) continue
    // The time limit of a request must not run while it waits for a connection.
    await posts.connectionIsFree()
    // Without the lease another worker may post it by now. The rest of the round is due in the next turn.
    if (!mayPost()) break
    posts.begin(delivery, counted)
  }
  return deliveries.filter(isEmpty)
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

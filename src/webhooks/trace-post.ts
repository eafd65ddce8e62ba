import { type TraceContext, toTraceParts, traceHeaders } from '../traces/trace-context.ts'
import { startSpan } from '../traces/tracer.ts'
import type { DueDelivery, ServedWebhook } from './dispatch.store.ts'
import type { PostResult } from './post.ts'
import { meaningOf } from './schedule.ts'

/** A span names no more traces than this. */
const LINKS_MAX = 128

export interface TracedPost {
  webhook: Pick<ServedWebhook, 'id' | 'accountId' | 'type'>
  delivery: Pick<DueDelivery, 'eventIds' | 'attempts'>
  /** By event. */
  traces: ReadonlyMap<number, TraceContext>
}

/**
 * The span of one attempt to post events. Events of one trace are posted as a part of it. A post that has events of several
 * traces begins a trace of its own, with links to those. The receiver gets the context of the span. A post without any traced
 * event has no span.
 */
export async function tracePost(
  { webhook, delivery, traces }: TracedPost,
  post: (headers: Record<string, string>) => Promise<PostResult>
): Promise<PostResult> {
  const found = delivery.eventIds.flatMap((id) => traces.get(id) ?? [])
  const [first] = found
  if (first === undefined) return post({})
  const { traceId } = toTraceParts(first)
  const isOfOne =
    found.length === delivery.eventIds.length && found.every((trace) => toTraceParts(trace).traceId === traceId)
  const span = startSpan('webhook', {
    kind: 'client',
    ...(isOfOne ? { parent: first } : { links: [...new Set(found)].slice(0, LINKS_MAX) }),
    attributes: {
      'http.request.method': 'POST',
      'chappe.account.id': webhook.accountId,
      'chappe.webhook.id': webhook.id,
      'chappe.event.type': webhook.type,
      'chappe.events': delivery.eventIds.length,
      'chappe.attempt': delivery.attempts + 1
    }
  })
  const result = await post(span ? traceHeaders(span.context) : {})
  const status = result.kind === 'answered' ? result.status : undefined
  const attributes = { 'http.response.status_code': status }
  if (meaningOf(result) === 'succeeded') span?.end(attributes)
  else span?.fail(result.kind === 'failed' ? result.failure : `Answered ${result.status}.`, attributes)
  return result
}

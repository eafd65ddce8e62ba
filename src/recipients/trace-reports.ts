import { databaseNowMs } from '../database/clock.ts'
import type { Changed } from '../messages/totals.store.ts'
import { SMALL_MAX } from '../queue/batch.ts'
import { startSpan } from '../traces/tracer.ts'
import type { Move, Moved } from './move.ts'
import { LABELS, toRecipientId } from './recipient.ts'

/**
 * Spans of delivery reports that have moved recipients, below the acceptance of their message. Only for messages of few
 * recipients: those of a campaign would be as many as its people.
 */
export function traceReports(
  moves: readonly Move[],
  { moved, messages, startedAt }: { moved: readonly Moved[]; messages: readonly Changed[]; startedAt: Date }
): void {
  const traced = new Map(
    messages
      .filter(({ trace, recipientsCount }) => trace && recipientsCount <= SMALL_MAX)
      .map((of) => [of.messageId, of])
  )
  if (traced.size === 0) return
  const ends = new Map(moved.map((move) => [toRecipientId(move), move.to]))
  for (const move of moves) {
    const message = traced.get(move.messageId)
    const to = ends.get(toRecipientId(move))
    if (!message?.trace || to === undefined || !isReport(move)) continue
    const origin = move.kind === 'reported' ? move.origin : undefined
    const span = startSpan('receipt', {
      kind: 'consumer',
      parent: message.trace,
      startedAt,
      attributes: {
        'chappe.message.id': move.messageId,
        'chappe.channel': move.kind === 'reported' ? 'sms' : 'rcs',
        'chappe.state': LABELS[to],
        'chappe.carrier': move.kind === 'arrived' ? move.carrier : origin?.carrier,
        'chappe.receipt.delay_seconds': origin && Math.max(0, databaseNowMs() - origin.submittedAtMs) / 1000
      }
    })
    span?.end()
  }
}

function isReport({ kind }: Move): boolean {
  return kind === 'reported' || kind === 'rcs-reported' || kind === 'arrived'
}

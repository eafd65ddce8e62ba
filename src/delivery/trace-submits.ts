import type { SubmitOutcome } from '../carriers/carrier.ts'
import type { Channel } from '../messages/message.ts'
import type { TraceContext } from '../traces/trace-context.ts'
import { type Attributes, type Span, startSpan } from '../traces/tracer.ts'
import type { PreparedSubmit } from './prepare-slices.ts'

/*
 * Spans of submits, below the acceptance of their message. A message of few recipients has one for each submit. A larger one
 * has one for the submits of a batch that are handed over together: the spans of a campaign are few.
 */

interface Way {
  /** Null where no carrier serves the number. */
  carrier: string | null
  channel: Channel
}

/** Gives submits their spans. */
export function traceSubmits(submits: readonly PreparedSubmit[], way: Way): void {
  for (const ofBatch of Map.groupBy(submits, ({ held }) => held).values()) {
    const [first] = ofBatch
    if (!first?.trace) continue
    const { trace, isOfFew, messageId } = first
    const shared = isOfFew ? undefined : new SubmitSpan(trace, messageId, way, ofBatch.length)
    for (const submit of ofBatch) submit.span = shared ?? new SubmitSpan(trace, messageId, way, 1)
  }
}

/** The span of one submit, or of several; it ends with the last answer. */
export class SubmitSpan {
  readonly #span: Span | undefined
  readonly #count: number
  readonly #outcomes = new Map<SubmitOutcome['kind'], number>()
  #answered = 0
  #segments = 0

  constructor(parent: TraceContext, messageId: number, { carrier, channel }: Way, count: number) {
    this.#count = count
    this.#span = startSpan(count === 1 ? 'submit' : 'submit batch', {
      kind: 'client',
      parent,
      attributes: {
        'chappe.message.id': messageId,
        'chappe.carrier': carrier ?? 'none',
        'chappe.channel': channel,
        'chappe.recipients': count
      }
    })
  }

  onAnswer(outcome: SubmitOutcome): void {
    this.#outcomes.set(outcome.kind, (this.#outcomes.get(outcome.kind) ?? 0) + 1)
    if ('carrierMessageIds' in outcome) this.#segments += outcome.carrierMessageIds.length
    if (++this.#answered < this.#count) return
    const attributes = { ...this.#outcomeAttributes(outcome), 'chappe.segments': this.#segments }
    // Of several, some failures are no failure of all.
    if (this.#count === 1 && FAILURES.has(outcome.kind)) this.#span?.fail(outcome.kind, attributes)
    else this.#span?.end(attributes)
  }

  #outcomeAttributes(outcome: SubmitOutcome): Attributes {
    if (this.#count === 1) return { 'chappe.outcome': outcome.kind }
    return Object.fromEntries([...this.#outcomes].map(([kind, count]) => [`chappe.outcome.${kind}`, count]))
  }
}

/** A retry and a fallback go on; in doubt, nobody knows. */
const FAILURES: ReadonlySet<SubmitOutcome['kind']> = new Set(['rejected', 'expired'])

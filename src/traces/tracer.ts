import { AsyncLocalStorage } from 'node:async_hooks'
import { type TraceContext, toTraceParts } from './trace-context.ts'

/*
 * The tracer of the process. Without the settings of OpenTelemetry there is none: then nothing of OpenTelemetry is loaded, no
 * span is made and nothing is stored. A process with several services, as tests have it, has the tracer of the last.
 */

export type Attributes = Record<string, string | number | boolean | undefined>

export interface SpanOptions {
  kind: 'server' | 'client' | 'producer' | 'consumer'
  /** The span above, of this process or of another. Without one, the span begins a trace. */
  parent?: TraceContext | undefined
  /** Spans of other traces that this one belongs to as well. */
  links?: readonly TraceContext[]
  /** Never a phone number, a text or a key. */
  attributes?: Attributes
  startedAt?: Date
}

export interface Span {
  /** For spans below this one, in any process. */
  readonly context: TraceContext
  /** Whether it goes to the collector. */
  readonly isSampled: boolean
  end(attributes?: Attributes): void
  /** Ends it as one that failed. */
  fail(reason: string, attributes?: Attributes): void
}

export interface Tracer {
  start(name: string, options: SpanOptions): Span
  /** Gives the collector the last spans, within a time. */
  stop(): Promise<void>
}

let tracer: Tracer | undefined
const requests = new AsyncLocalStorage<RequestTrace>()

/** The span of a request. */
export interface RequestTrace {
  span: Span
  /** Whether its caller gave a context: it is passed on even if it is not sampled. */
  isContinued: boolean
}

/** From now on, spans go to this tracer. Returns how to end that. */
export function setTracer(used: Tracer): () => void {
  tracer = used
  return () => {
    if (tracer === used) tracer = undefined
  }
}

export function isTracing(): boolean {
  return tracer !== undefined
}

/** Undefined without a tracer. */
export function startSpan(name: string, options: SpanOptions): Span | undefined {
  return tracer?.start(name, options)
}

/** Does the work of a request, whose trace `currentRequest` then finds. */
export function runInRequest(trace: RequestTrace, work: () => void): void {
  requests.run(trace, work)
}

export function currentRequest(): RequestTrace | undefined {
  return tracer && requests.getStore()
}

/** The fields of a log line that belongs to a span, such as the acceptance of a message. None without a trace. */
export function logFieldsOf(context: TraceContext | null | undefined): Record<string, string> {
  if (!context) return {}
  const { traceId, spanId } = toTraceParts(context)
  return { trace_id: traceId, span_id: spanId }
}

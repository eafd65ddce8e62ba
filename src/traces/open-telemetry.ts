import {
  type Span as ApiSpan,
  type Context,
  createTraceState,
  ROOT_CONTEXT,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  trace
} from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { resourceFromAttributes } from '@opentelemetry/resources'
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
  TracerProvider
} from '@opentelemetry/sdk-trace'
import type { Log } from '../http/log.ts'
import type { TraceSettings } from './settings.ts'
import { SpanQueue } from './span-queue.ts'
import { type TraceContext, toTraceContext, toTraceParts } from './trace-context.ts'
import type { Attributes, Span, SpanOptions, Tracer } from './tracer.ts'

/* The one file that loads OpenTelemetry. It is imported only where the settings ask for traces. */

const LIMITS = { attributeValueLengthLimit: 256, attributeCountLimit: 32, linkCountLimit: 128 }

const KINDS: Record<SpanOptions['kind'], SpanKind> = {
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER
}

export function createTracer(settings: TraceSettings, { version, log }: { version: string; log: Log }): Tracer {
  const { url, headers, timeoutMs, resource, sampler, ratio } = settings
  const exporter = new OTLPTraceExporter({ url, headers: { ...headers }, timeoutMillis: timeoutMs })
  const queue = new SpanQueue({
    exporter,
    onFailing: (error) => log.warn({ err: error }, 'collector does not take spans; they are dropped')
  })
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ 'service.version': version, ...resource }),
    sampler: samplerOf(sampler, ratio),
    spanLimits: LIMITS,
    spanProcessors: [queue]
  })
  const tracer = provider.getTracer('chappe', version)
  return {
    start(name, { kind, parent, links = [], attributes = {}, startedAt }) {
      const options = {
        kind: KINDS[kind],
        attributes,
        links: links.map((link) => ({ context: toSpanContext(link) })),
        ...(startedAt && { startTime: startedAt })
      }
      return new RunningSpan(tracer.startSpan(name, options, parent ? below(parent) : ROOT_CONTEXT))
    },
    stop: () => queue.shutdown()
  }
}

class RunningSpan implements Span {
  readonly #span: ApiSpan
  readonly context: TraceContext
  readonly isSampled: boolean

  constructor(span: ApiSpan) {
    const { traceId, spanId, traceFlags, traceState } = span.spanContext()
    this.#span = span
    this.isSampled = (traceFlags & TraceFlags.SAMPLED) !== 0
    this.context = toTraceContext({ traceId, spanId, isSampled: this.isSampled, state: traceState?.serialize() ?? '' })
  }

  end(attributes?: Attributes): void {
    if (attributes) this.#span.setAttributes(attributes)
    this.#span.end()
  }

  fail(reason: string, attributes?: Attributes): void {
    this.#span.setStatus({ code: SpanStatusCode.ERROR, message: reason })
    this.end(attributes)
  }
}

function below(parent: TraceContext): Context {
  return trace.setSpanContext(ROOT_CONTEXT, toSpanContext(parent))
}

function toSpanContext(context: TraceContext): SpanContext {
  const { traceId, spanId, isSampled, state } = toTraceParts(context)
  return {
    traceId,
    spanId,
    traceFlags: isSampled ? TraceFlags.SAMPLED : TraceFlags.NONE,
    isRemote: true,
    ...(state !== '' && { traceState: createTraceState(state) })
  }
}

function samplerOf(name: TraceSettings['sampler'], ratio: number): Sampler {
  const root = rootSamplerOf(name.replace('parentbased_', ''), ratio)
  return name.startsWith('parentbased_') ? new ParentBasedSampler({ root }) : root
}

function rootSamplerOf(name: string, ratio: number): Sampler {
  if (name === 'always_off') return new AlwaysOffSampler()
  return name === 'traceidratio' ? new TraceIdRatioBasedSampler(ratio) : new AlwaysOnSampler()
}

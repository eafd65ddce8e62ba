import type { ReadableSpan, SpanExporter, SpanProcessor } from '@opentelemetry/sdk-trace'
import type { Registry } from 'prom-client'
import { CounterTally } from '../metrics/tally.ts'

/*
 * Ended spans wait here for the collector. The queue is bounded and nobody waits for it: spans that find it full, and spans
 * that the collector does not take, are dropped and counted. The processor of the library drops them without telling.
 */

const QUEUE_MAX = 4_096
const EXPORT_MAX = 512
const EXPORT_PAUSE_MS = 1_000
/** How long a stop waits for the collector. */
const STOP_TIMEOUT_MS = 3_000

const spans = new CounterTally({
  name: 'chappe_trace_spans_total',
  help: 'Spans of traces, by outcome: exported, failed (the collector did not take them), queue_full (dropped before).',
  labelNames: ['outcome']
})

export function addTraceMetrics(registry: Registry): void {
  spans.register(registry)
}

export interface SpanQueueOptions {
  exporter: SpanExporter
  /** The collector did not take spans. Not called again until it has taken some. */
  onFailing(error: Error | undefined): void
  queueMax?: number
}

export class SpanQueue implements SpanProcessor {
  readonly #options: SpanQueueOptions
  #waiting: ReadableSpan[] = []
  #exporting: Promise<void> | undefined
  #timer: NodeJS.Timeout | undefined
  #isFailing = false
  #isStopped = false

  constructor(options: SpanQueueOptions) {
    this.#options = options
  }

  onStart(): void {
    // A span is of no use to the collector before its end.
  }

  onEnd(span: ReadableSpan): void {
    const { queueMax = QUEUE_MAX } = this.#options
    if (this.#isStopped || this.#waiting.length >= queueMax) {
      spans.of('queue_full').add()
      return
    }
    this.#waiting.push(span)
    if (this.#waiting.length >= EXPORT_MAX) this.#export()
    else this.#timer ??= setTimeout(() => this.#export(), EXPORT_PAUSE_MS).unref()
  }

  #export(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#exporting ??= this.#exportAll().finally(() => {
      this.#exporting = undefined
    })
  }

  /** One request at a time: a slow collector makes the queue fill, not the sockets. */
  async #exportAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.slice(0, EXPORT_MAX)
      this.#waiting = this.#waiting.slice(EXPORT_MAX)
      const error = await this.#exportBatch(batch)
      spans.of(error ? 'failed' : 'exported').add(batch.length)
      if (error && !this.#isFailing) this.#options.onFailing(error)
      this.#isFailing = error !== undefined
    }
  }

  #exportBatch(batch: ReadableSpan[]): Promise<Error | undefined> {
    return new Promise((resolve) => {
      this.#options.exporter.export(batch, ({ code, error }) => {
        // 0 is success (ExportResultCode).
        resolve(code === 0 ? undefined : (error ?? new Error('The collector refused the spans.')))
      })
    })
  }

  async forceFlush(): Promise<void> {
    this.#export()
    const { promise, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, STOP_TIMEOUT_MS)
    await Promise.race([this.#exporting, promise])
    clearTimeout(timer)
  }

  /** Not longer than a moment, whatever the collector does. Spans that are left are dropped, and counted. */
  async shutdown(): Promise<void> {
    await this.forceFlush()
    this.#isStopped = true
    if (this.#waiting.length > 0) spans.of('failed').add(this.#waiting.length)
    this.#waiting = []
    void this.#options.exporter.shutdown()
  }
}

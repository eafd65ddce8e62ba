import type { Log } from '../http/log.ts'
import type { TraceSettings } from './settings.ts'
import { setTracer } from './tracer.ts'

/** Loads OpenTelemetry, and sends the spans of this process to the collector of the settings. */
export async function startTracing(
  settings: TraceSettings,
  parts: { version: string; log: Log }
): Promise<{ name: string; stop(): Promise<void> }> {
  const { createTracer } = await import('./open-telemetry.ts')
  const tracer = createTracer(settings, parts)
  const end = setTracer(tracer)
  return {
    name: 'traces',
    stop() {
      end()
      return tracer.stop()
    }
  }
}

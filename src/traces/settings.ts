/** The samplers of OpenTelemetry that need nothing else. */
export const SAMPLERS = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio'
] as const

export interface TraceSettings {
  /** Where spans are posted, as OTLP in JSON. */
  url: string
  headers: Readonly<Record<string, string>>
  /** Of one request to the collector, its repeats included. */
  timeoutMs: number
  /** The attributes of this service, its name among them. */
  resource: Readonly<Record<string, string>>
  sampler: (typeof SAMPLERS)[number]
  /** The share of traces, for the samplers `traceidratio`. */
  ratio: number
}

/** Reads `name=value,other=value`, whose values are percent-encoded. Undefined for anything else. */
export function readPairs(text: string): Record<string, string> | undefined {
  const pairs: Record<string, string> = {}
  for (const part of text.split(',')) {
    if (part.trim() === '') continue
    const end = part.indexOf('=')
    const name = part.slice(0, Math.max(0, end)).trim()
    if (!/^[\w.-]+$/.test(name)) return undefined
    try {
      pairs[name] = decodeURIComponent(part.slice(end + 1).trim())
    } catch {
      return undefined
    }
  }
  return pairs
}

import { OUTCOMES, type Outcome } from './generator.ts'

/** How often each thing became of a request: `{200: 5, 503: 3, late: 1}`. */
export type Tally = Record<string, number>

const NAMES = new Map<number, string>(Object.entries(OUTCOMES).map(([name, code]) => [code, name]))

export function tally(outcomes: readonly Outcome[]): Tally {
  const counts = new Map<number, number>()
  for (const { statuses } of outcomes) {
    for (const status of statuses) counts.set(status, (counts.get(status) ?? 0) + 1)
  }
  return Object.fromEntries([...counts].map(([status, count]) => [NAMES.get(status) ?? String(status), count]))
}

export interface Latency {
  count: number
  p50: number
  p99: number
  max: number
}

export function latencyOf(outcomes: readonly Outcome[], isWanted: (status: number) => boolean): Latency {
  const tookMs: number[] = []
  for (const { statuses, latenciesMs } of outcomes) {
    for (const [number, status] of statuses.entries()) if (isWanted(status)) tookMs.push(latenciesMs[number] ?? 0)
  }
  return toLatency(tookMs)
}

export function toLatency(tookMs: readonly number[]): Latency {
  const sorted = Float64Array.from(tookMs).sort()
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
  return { count: sorted.length, p50: at(0.5), p99: at(0.99), max: at(1) }
}

export function describeLatency({ count, p50, p99, max }: Latency): string {
  if (count === 0) return 'none'
  return `p50 ${p50.toFixed(0)} ms, p99 ${p99.toFixed(0)} ms, max ${max.toFixed(0)} ms`
}

import type { Counter } from 'prom-client'

/**
 * Shows 0 for these labels before the first event: an alert on an increase does not see a series that begins at 1.
 * They are asked at every scrape.
 */
export function beginAtZero(counter: Counter, labels: () => Record<string, string>[]): void {
  Object.assign(counter, {
    collect() {
      for (const each of labels()) counter.inc(each, 0)
    }
  })
}

import { Counter, Gauge, type Registry } from 'prom-client'

export type RedirectResult = 'found' | 'missing' | 'limited' | 'unavailable'

export type LinkMetrics = ReturnType<typeof createLinkMetrics>

/** The metrics of short links. Counted as plain numbers, and copied to the registry when they are read. */
export function createLinkMetrics(registry: Registry) {
  const registers = [registry]
  const results: Record<RedirectResult, number> = { found: 0, missing: 0, limited: 0, unavailable: 0 }
  const clicks = { person: 0, again: 0, robot: 0 }
  let lost = 0
  let waiting = () => 0
  new Counter({
    name: 'chappe_redirects_total',
    help: 'Short links that were opened, by what became of it: found, missing, limited, unavailable.',
    labelNames: ['result'],
    registers,
    collect() {
      this.reset()
      for (const [result, count] of Object.entries(results)) this.inc({ result }, count)
    }
  })
  new Counter({
    name: 'chappe_clicks_total',
    help: 'Links that were opened, by whom: person (counted), again (somebody who was counted before), robot.',
    labelNames: ['by'],
    registers,
    collect() {
      this.reset()
      for (const [by, count] of Object.entries(clicks)) this.inc({ by }, count)
    }
  })
  new Counter({
    name: 'chappe_clicks_lost_total',
    help: 'Clicks that could not be counted: the database was away for too long.',
    registers,
    collect() {
      this.reset()
      this.inc(lost)
    }
  })
  new Gauge({
    name: 'chappe_clicks_waiting',
    help: 'Clicks that are still to be counted.',
    registers,
    collect() {
      this.set(waiting())
    }
  })
  return {
    onRedirect(result: RedirectResult) {
      results[result]++
    },
    onRobot() {
      clicks.robot++
    },
    onClicks({ people, again, robots }: { people: number; again: number; robots: number }) {
      clicks.person += people
      clicks.again += again
      clicks.robot += robots
    },
    onLost(count: number) {
      lost += count
    },
    /** Gives the number of waiting clicks when the metrics are read. */
    watchWaiting(count: () => number) {
      waiting = count
    }
  }
}

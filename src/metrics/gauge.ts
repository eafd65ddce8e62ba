import { setTimeout as sleep } from 'node:timers/promises'
import { Gauge, type Registry } from 'prom-client'

/** Whoever reads metrics does not wait longer for one of them: a table may be locked, and the database busy. */
const READ_MS = 2_000

export type Figures = readonly (readonly [label: string, figure: number])[]

export interface GaugeOptions {
  name: string
  help: string
  /** Without a label there is one figure, whose label is ignored. */
  label?: string
  read(): Promise<Figures> | Figures
}

/** A gauge whose figures are read when it is. Those that the database does not tell, or not in time, show nothing. */
export function addGauge(registry: Registry, { name, help, label, read }: GaugeOptions): void {
  new Gauge({
    name,
    help,
    labelNames: label ? [label] : [],
    registers: [registry],
    async collect() {
      this.reset()
      const figures = await inTime(read)
      // A gauge without labels shows 0 after a reset.
      if (!label && figures.length === 0) this.remove()
      for (const [value, figure] of figures) this.set(label ? { [label]: value } : {}, figure)
    }
  })
}

async function inTime(read: () => Promise<Figures> | Figures): Promise<Figures> {
  const over = new AbortController()
  const nothing: Figures = []
  const tooLate = sleep(READ_MS, nothing, { signal: over.signal })
  const figures = Promise.resolve().then(read)
  try {
    return await Promise.race([figures, tooLate]).catch(() => nothing)
  } finally {
    over.abort()
    // Whichever comes after the other is of no interest.
    for (const late of [figures, tooLate]) late.catch(() => undefined)
  }
}

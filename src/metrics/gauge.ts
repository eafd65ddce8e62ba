import { Gauge, type Registry } from 'prom-client'

export type Figures = readonly (readonly [label: string, figure: number])[]

export interface GaugeOptions {
  name: string
  help: string
  /** Without a label there is one figure, whose label is ignored. */
  label?: string
  read(): Promise<Figures> | Figures
}

/** A gauge whose figures are read when it is. Without a database, those that need it show nothing; the others still work. */
export function addGauge(registry: Registry, { name, help, label, read }: GaugeOptions): void {
  new Gauge({
    name,
    help,
    labelNames: label ? [label] : [],
    registers: [registry],
    async collect() {
      this.reset()
      const figures = await Promise.resolve()
        .then(read)
        .catch((): Figures => [])
      // A gauge without labels shows 0 after a reset.
      if (!label && figures.length === 0) this.remove()
      for (const [value, figure] of figures) this.set(label ? { [label]: value } : {}, figure)
    }
  })
}

import { Counter, Gauge, type Registry } from 'prom-client'
import { statusName } from '../smpp/commands.ts'
import type { BindMode } from '../smpp-outbox/binds.store.ts'

export type ServerMetrics = ReturnType<typeof createServerMetrics>

export function createServerMetrics(registry: Registry, countBinds: () => Record<BindMode, number>) {
  new Gauge({
    name: 'chappe_smpp_server_binds',
    help: 'Binds of customers over SMPP that this process holds, by mode.',
    labelNames: ['mode'],
    registers: [registry],
    collect() {
      for (const [mode, count] of Object.entries(countBinds())) this.set({ mode }, count)
    }
  })
  const binds = counter(registry, 'binds', 'Answers to binds of customers, by status.', ['status'])
  const submits = counter(registry, 'submits', 'Answers to submits of customers, by status.', ['status'])
  const deliveries = counter(
    registry,
    'deliveries',
    'Receipts and replies that were pushed to customers, by kind and outcome.',
    ['kind', 'outcome']
  )
  return {
    bind: (status: number) => binds.inc({ status: statusName(status) }),
    submit: (status: number) => submits.inc({ status: statusName(status) }),
    delivery: (kind: 'receipt' | 'reply', outcome: 'taken' | 'refused' | 'unanswered') =>
      deliveries.inc({ kind, outcome })
  }
}

function counter(registry: Registry, name: string, help: string, labelNames: string[]): Counter {
  return new Counter({ name: `chappe_smpp_server_${name}_total`, help, labelNames, registers: [registry] })
}

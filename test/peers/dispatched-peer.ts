import { randomUUID } from 'node:crypto'
import type { TestContext } from 'node:test'
import { pino } from 'pino'
import type { Carrier, OutboundMessage, SubmitOutcome } from '../../src/carriers/carrier.ts'
import type { Pool } from '../../src/database/database.ts'
import { Dispatcher } from '../../src/delivery/dispatch-batches.ts'
import { PendingIds } from '../../src/delivery/pending-ids.ts'
import type { SettledOutcome } from '../../src/delivery/settle-outcomes.ts'
import { readyBatches } from '../../src/queue/ready-batches.store.ts'
import { startWorker } from '../../src/workers/loop.ts'
import { atEnd } from '../service/cleanup.ts'
import type { TestService } from '../service/service.ts'

export type Answer = (message: OutboundMessage) => SubmitOutcome | Promise<SubmitOutcome>

/** The other end of a carrier: remembers what it was handed and answers as it is told to. */
export function startPeer(answer: Answer = accept, { capacity = 100 } = {}) {
  const submitted: OutboundMessage[] = []
  const carrier: Carrier = {
    name: 'peer',
    capacity,
    pacePerSecond: null,
    async submit(message) {
      submitted.push(message)
      return answer(message)
    },
    status: () => ({ isUp: true, binds: [] }),
    stop: async () => undefined
  }
  return { submitted, carrier }
}

export const accept = (): SettledOutcome => ({ kind: 'accepted', carrierMessageIds: [randomUUID()] })
export function startDispatcher(
  t: TestContext,
  { pool }: Pick<TestService, 'pool'>,
  { carrier } = startPeer()
): Dispatcher {
  const dispatcher = new Dispatcher({
    pool,
    carrier,
    routes: () => [''],
    pendingIds: new PendingIds(),
    log: pino({ level: 'error' }, pino.destination({ dest: 2, sync: true }))
  })
  atEnd(t, () => dispatcher.stop())
  readyOften(t, pool)
  return dispatcher
}

/** As the role does: what was queued for later may be claimed when its time has come. */
export function readyOften(t: TestContext, pool: Pool): void {
  const worker = startWorker({
    name: 'readying batches',
    work: async () => {
      await readyBatches(pool, 100)
      return { isMoreDue: false }
    },
    pauseMs: 100,
    log: pino({ level: 'silent' })
  })
  atEnd(t, () => worker.stop())
}

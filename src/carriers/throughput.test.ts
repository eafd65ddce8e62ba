import { strict as assert } from 'node:assert'
import { test } from 'node:test'
import pino from 'pino'
import { eventually } from '../../test/checks/eventually.ts'
import { Throughput } from './throughput.ts'

test('a grant that was not used in its time is dropped: it would come on top of later ones', async (t) => {
  const limits = { takeThroughput: async (_: string, __: number, wanted: number) => ({ granted: wanted, waitMs: 0 }) }
  const throughput = new Throughput({
    carrier: 'main',
    perSecond: 50,
    limits,
    onGranted: () => undefined,
    log: pino({ level: 'silent' })
  })
  t.after(() => throughput.stop())
  await eventually(() => assert.equal(throughput.take(10, performance.now()), true))
  assert.equal(throughput.take(1, performance.now() + 5_000), false)
})

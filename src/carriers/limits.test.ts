import { strict as assert } from 'node:assert'
import { startService, test } from '../../test/service/service.ts'
import { createLimits } from './limits.ts'

test('a throughput that was lowered holds at once, without a wait for what the higher one took ahead', async (t) => {
  const { pool } = await startService(t)
  const { takeThroughput } = createLimits(pool, { owner: '11111111-1111-4111-8111-111111111111' })
  const ahead = await takeThroughput('sms', 100_000, 40_000, 400)
  assert.ok(ahead.granted > 30_000, `${ahead.granted} were granted`)
  const { waitMs } = await takeThroughput('sms', 10, 2, 400)
  assert.ok(waitMs <= 1_000, `${waitMs} ms to wait`)
})

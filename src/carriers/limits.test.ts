import { strict as assert } from 'node:assert'
import { startService, test } from '../../test/service/service.ts'
import type { BindStatus } from './carrier.ts'
import { createLimits } from './limits.ts'

test('a throughput that was lowered holds at once, without a wait for what the higher one took ahead', async (t) => {
  const { pool } = await startService(t)
  const { takeThroughput } = createLimits(pool, { owner: '11111111-1111-4111-8111-111111111111' })
  const ahead = await takeThroughput('sms', 100_000, 40_000, 400)
  assert.ok(ahead.granted > 30_000, `${ahead.granted} were granted`)
  const { waitMs } = await takeThroughput('sms', 10, 2, 400)
  assert.ok(waitMs <= 1_000, `${waitMs} ms to wait`)
})

const OWNERS = [
  '11111111-1111-4111-8111-111111111111',
  '22222222-2222-4222-8222-222222222222',
  '33333333-3333-4333-8333-333333333333'
]

test('processes that come later ask for binds until all have as many, and what is asked for is kept for them', async (t) => {
  const { pool } = await startService(t)
  const processes = OWNERS.map((owner) => createLimits(pool, { owner }).leases)
  const [first, second, third] = processes as [(typeof processes)[0], (typeof processes)[0], (typeof processes)[0]]
  const claim = (leases: typeof first, isShareWanted = true) =>
    leases.claim('sms', 5, { isOfferedWanted: true, isShareWanted })
  const held = [await claim(first), await claim(first), await claim(first), await claim(first), await claim(first)]
  const renew = async () => {
    const renewed = await Promise.all(
      held.map((lease) => lease && first.renew('sms', lease, { state: 'bound' } as BindStatus))
    )
    return renewed.flatMap((answer, index) => (answer?.isAskedFor ? [index + 1] : []))
  }
  assert.deepEqual(await renew(), [])
  assert.equal(await claim(second, false), undefined)
  assert.deepEqual(await renew(), [], 'a process that can’t reach the carrier asks for none')
  assert.equal(await claim(second), undefined)
  assert.deepEqual(await renew(), [5])
  assert.equal(await claim(second), undefined)
  assert.deepEqual(await renew(), [4, 5])
  assert.equal(await claim(second), undefined)
  assert.deepEqual(await renew(), [4, 5], 'three and two are even')
  assert.equal(await claim(third), undefined)
  assert.deepEqual(await renew(), [3, 4, 5])
  assert.equal(await claim(third), undefined)
  assert.deepEqual(await renew(), [3, 4, 5], 'two, two and one are even')

  for (const slot of [4, 5]) await first.release('sms', held[slot - 1] as NonNullable<(typeof held)[0]>)
  assert.equal(await claim(first), undefined, 'the process that gave them up does not take them back')
  assert.equal(await claim(third), undefined, 'nor does another')
  assert.deepEqual([(await claim(second))?.slot, (await claim(second))?.slot], [4, 5])
  await first.release('sms', held[2] as NonNullable<(typeof held)[0]>)
  await pool`update carrier_binds set leased_until = now() - interval '11 seconds' where slot = 3`
  assert.equal((await claim(first))?.slot, 3, 'the process that asked has died: its bind is anybody’s')
  assert.equal(await claim(second), undefined)
  const [row] = await pool`select count(*)::integer as asked from carrier_binds where asked_by is not null`
  assert.deepEqual({ ...row }, { asked: 0 })
})

import { strict as assert } from 'node:assert'
import { test } from 'node:test'
import { Refusal } from '../errors.ts'
import { hashPassword, verifyPassword } from './passwords.ts'

test('a flood of passwords delays only its own asker', async () => {
  const hash = await hashPassword('right', 'account 1')
  let floodDone = 0
  const flood = Array.from({ length: 60 }, () => hashPassword('any', 'account 2').then(() => floodDone++))
  // Two run, 50 wait, and the rest is refused at once.
  const results = Promise.allSettled(flood)
  const isRight = await verifyPassword('right', hash, '192.0.2.7')
  assert.equal(isRight, true)
  // The stranger's turn came behind the two that ran, not behind the 50 that waited.
  assert.ok(floodDone <= 5, `${floodDone} of the flood went before`)
  const refused = (await results).filter((result) => result.status === 'rejected')
  assert.equal(refused.length, 8)
  for (const { reason } of refused) assert.ok(reason instanceof Refusal && reason.status === 503)
  assert.equal(await verifyPassword('wrong', hash, '192.0.2.7'), false)
})

import { strict as assert } from 'node:assert'
import { eventually } from '../checks/eventually.ts'
import { assertInvariants } from '../checks/invariants.ts'
import { type RcsWorld, sendRcs, startRcs, untilRcsSummary } from '../messages/rcs.ts'
import { mobiles, send, untilSummary } from '../messages/sending.ts'
import { test } from '../service/service.ts'

/** In the order in which phones received them. */
function recordOrder({ phones }: RcsWorld): string[] {
  const order: string[] = []
  phones.onMessage((_number, { content }) => order.push(content))
  return order
}

const text = (content: string) => ({ data: { text: content } })

test('neither an RCS campaign nor one by SMS holds up a code of either kind', async (t) => {
  const slow = 'delay answers 200ms'
  const service = await startRcs(t, { faults: slow, smscFaults: slow, smpp: { window: 100 } })
  const order = recordOrder(service)
  const [large, small] = [await service.newAccount({ credits: 20_000 }), await service.newAccount({ credits: 10 })]
  const rcs = await sendRcs(large, mobiles(700), text('Campaign'))
  const sms = await send(large, { recipients: mobiles(700, '+336130'), content: 'Campaign' })
  for (const [index, wait] of [100, 500].entries()) {
    await eventually(() => assert.ok(order.length >= wait))
    const before = order.length
    const codes = [
      await send(small, { recipients: mobiles(1, '+336140'), content: `Code ${index} by SMS` }),
      await sendRcs(small, mobiles(1, '+336150'), text(`Code ${index} by RCS`))
    ]
    for (const id of codes) await untilRcsSummary(small, id, { delivered: 1 })
    for (const content of [`Code ${index} by SMS`, `Code ${index} by RCS`]) {
      const place = order.indexOf(content) - before
      // Both windows, of 100 each, have left; as much may have been made ready while it was accepted.
      assert.ok(place <= 5 * 200, `"${content}" came after ${place} of the campaigns`)
    }
  }
  assert.ok(order.length < 1_400, 'the campaigns were still running')
  await untilRcsSummary(large, rcs, { delivered: 700 }, { withinMs: 30_000 })
  await untilSummary(large, sms, { delivered: 700 }, { withinMs: 30_000 })
  await assertInvariants(service, { smscs: [service.smsc], accounts: [large, small] })
})

test('transactional RCS overtakes an RCS campaign of marketing of the same account', async (t) => {
  const service = await startRcs(t, { faults: 'delay answers 200ms' })
  const order = recordOrder(service)
  const account = await service.newAccount({ credits: 20_000 })
  // To the United Kingdom: the hours of marketing are those of France.
  const abroad = Array.from({ length: 700 }, (_, index) => `+4479111${String(index).padStart(5, '0')}`)
  const campaign = await sendRcs(account, abroad, { ...text('Sale'), category: 'marketing' })
  await eventually(() => assert.ok(order.length >= 100))
  const before = order.length
  const id = await sendRcs(account, mobiles(20), text('Code'))
  await untilRcsSummary(account, id, { delivered: 20 })
  const place = order.lastIndexOf('Code') - before
  assert.ok(place <= 5 * 100, `the last of them came after ${place} of the campaign`)
  assert.ok(order.length < 720, 'which was still running')
  await untilRcsSummary(account, campaign, { delivered: 700 }, { withinMs: 30_000 })
  await assertInvariants(service, { smscs: [service.smsc], accounts: [account] })
})

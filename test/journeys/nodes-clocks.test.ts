import { strict as assert } from 'node:assert'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { eventually } from '../checks/eventually.ts'
import { assertInvariants } from '../checks/invariants.ts'
import { countDoubts, decideDoubts, mobiles, send, untilReady, untilSummary } from '../messages/sending.ts'
import { carriersFile, carrierTo, startSmsc } from '../peers/smsc.ts'
import { startNode } from '../processes/nodes.ts'
import { createApiClient } from '../service/api-client.ts'
import { startService, type TestService, test } from '../service/service.ts'

const SHIFT = join(import.meta.dirname, '../processes/shift-clock.ts')

async function startShifted(
  t: TestContext,
  service: TestService,
  { carriersPath, seconds, roles }: { carriersPath: string; seconds: number; roles: string }
) {
  return startNode(t, service, {
    carriersPath,
    settings: { CHAPPE_ROLES: roles, NODE_OPTIONS: `--import=${SHIFT}`, CLOCK_SHIFT_MS: String(seconds * 1000) }
  })
}

test('hosts whose clocks are 30 s off: codes leave at once, scheduled messages at their time, and receipts match', async (t) => {
  const smsc = await startSmsc(t)
  const file = await carriersFile(t, [carrierTo(smsc, { answerTimeout: 2 })])
  const carriersPath = file.path
  const service = await startService(t, { settings: { CHAPPE_CARRIERS: carriersPath } })
  const account = await service.newAccount({ credits: 100 })
  const ahead = await startShifted(t, service, { carriersPath, seconds: 30, roles: 'all' })
  const behind = await startShifted(t, service, { carriersPath, seconds: -30, roles: 'api' })
  await untilReady(ahead)

  const sent: { id: number; scheduleAt?: Date }[] = []
  for (const node of [ahead, behind]) {
    const client = (await createApiClient(node.url, {})).as({ 'x-api-key': account.apiKey })
    const scheduleAt = new Date(Date.now() + 10_000)
    const number = sent.length
    const recipients = mobiles(1)
    const code = await client.expect(200).post('/messages/sms', { content: `Code ${number}`, recipients })
    assert.equal(code.body.message, 'Accepted.')
    const reminder = { content: `Reminder ${number}`, recipients, scheduleAt: scheduleAt.toISOString() }
    const later = await client.expect(200).post('/messages/sms', reminder)
    assert.match(later.body.message, /^Scheduled for /)
    sent.push({ id: code.body.message_id }, { id: later.body.message_id, scheduleAt })
  }
  for (const { id, scheduleAt } of sent) {
    await untilSummary(account, id, { delivered: 1 }, { withinMs: 40_000 })
    const [row] = await service.pool<{ sentAt: Date; createdAt: Date; isScheduled: boolean }[]>`
      select sent_at, created_at, scheduled_at > created_at as is_scheduled
      from recipients
      join messages on messages.id = message_id
      where message_id = ${id}
    `
    assert.ok(row)
    assert.equal(row.isScheduled, scheduleAt !== undefined)
    const lateMs = row.sentAt.getTime() - (scheduleAt ?? row.createdAt).getTime()
    // With a clock 30 s off, it would be that early or late.
    assert.ok(lateMs >= 0 && lateMs < 25_000, `${id} left ${lateMs} ms late`)
  }

  smsc.apply('drop answers')
  const doubtful = await send(account, { recipients: mobiles(3), content: 'Doubtful' })
  await eventually(async () => assert.equal(await countDoubts(service), 3), { withinMs: 20_000 })
  await eventually(() => assert.equal(smsc.stats.receiptsAcknowledged, sent.length + 3))
  smsc.apply('behave')
  await decideDoubts(service)
  await untilSummary(account, doubtful, { delivered: 3 })
  assert.deepEqual(smsc.repeated(), [], 'the receipts came after the submits, by one clock')
  await assertInvariants(service, { smscs: [smsc] })
})

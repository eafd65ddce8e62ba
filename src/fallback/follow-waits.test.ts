import { strict as assert } from 'node:assert'
import { insertRcs, startEventService } from '../../test/messages/rbm-events.ts'
import { test } from '../../test/service/service.ts'
import { MESSAGE_TYPES } from '../credits/credit.ts'
import { reserveCredits } from '../credits/reservations.ts'
import { databaseNowMs } from '../database/clock.ts'
import { referenceOf } from '../messages/reservation.ts'
import { endWaits } from './follow-waits.ts'

test('after a start, a wait that was over gets its grace again, and no SMS leaves before stored reports are read', async (t) => {
  const { operator, pool, parts } = await startEventService(t)
  const messageId = await insertRcs({ pool }, { accountId: operator.id })
  const paid = { accountId: operator.id, messageType: MESSAGE_TYPES.rcs, reference: referenceOf(messageId), amount: 1 }
  await pool.begin((database) => reserveCredits(database, [paid]))
  await pool`update rcs_waits set step = 'revoked', due_at = now() - interval '1 minute'`
  const channelAfter = async ({ startedSecondsAgo, isUnread }: { startedSecondsAgo: number; isUnread: boolean }) => {
    await endWaits(pool, {
      routing: parts.routing,
      startedAt: new Date(databaseNowMs() - startedSecondsAgo * 1000),
      hasUnreadReports: async () => isUnread,
      onFellBack: () => undefined
    })
    const [row] = await pool<[{ channel: string | null }]>`select channel from recipients`
    return row.channel
  }
  assert.equal(await channelAfter({ startedSecondsAgo: 0, isUnread: false }), null)
  assert.equal(await channelAfter({ startedSecondsAgo: 20, isUnread: true }), null)
  assert.equal(await channelAfter({ startedSecondsAgo: 20, isUnread: false }), 'sms')
})

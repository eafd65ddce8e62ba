import { strict as assert } from 'node:assert'
import { insertRcs, startEventService } from '../../test/messages/rbm-events.ts'
import { test } from '../../test/service/service.ts'
import { MESSAGE_TYPES } from '../credits/credit.ts'
import { reserveCredits } from '../credits/reservations.ts'
import { databaseNowMs } from '../database/clock.ts'
import type { Pool } from '../database/database.ts'
import { referenceOf } from '../messages/reservation.ts'
import { updateToWithdrawn } from '../recipients/rcs-moves.store.ts'
import { RECIPIENT_STATES, toRecipientId } from '../recipients/recipient.ts'
import { insertWaits } from '../recipients/waits.store.ts'
import { endWaits, revokeDue } from './follow-waits.ts'

/** As its acceptance did. */
async function pay(pool: Pool, { accountId, messageId }: { accountId: number; messageId: number }): Promise<void> {
  const paid = { accountId, messageType: MESSAGE_TYPES.rcs, reference: referenceOf(messageId), amount: 1 }
  await pool.begin((database) => reserveCredits(database, [paid]))
}

test('after a start, a wait that was over gets its grace again, and no SMS leaves before stored reports are read', async (t) => {
  const { operator, pool, parts } = await startEventService(t)
  const messageId = await insertRcs({ pool }, { accountId: operator.id })
  await pay(pool, { accountId: operator.id, messageId })
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

test('an RCS that can’t fall back holds up no other', async (t) => {
  const { operator, pool, parts } = await startEventService(t)
  const insert = (phone: string) => insertRcs({ pool }, { accountId: operator.id, phones: [phone] })
  const [bad, good] = [await insert('+33612000001'), await insert('+33612000002')]
  for (const messageId of [bad, good]) await pay(pool, { accountId: operator.id, messageId })
  await pool`update messages set cancelled_count = sent_count, sent_count = 0 where id = ${bad}`
  await pool`update rcs_waits set step = 'revoked', due_at = now() - interval '1 second'`
  const options = {
    routing: parts.routing,
    startedAt: new Date(databaseNowMs() - 3_600_000),
    hasUnreadReports: async () => false,
    onFellBack: () => undefined
  }
  await assert.rejects(endWaits(pool, options), /messages_counts_not_negative/)
  const fallen = async (id: number) =>
    (await pool`select from recipients where message_id = ${id} and channel = 'sms'`).length
  assert.deepEqual([await fallen(bad), await fallen(good)], [0, 1])
  await pool`update messages set sent_count = cancelled_count, cancelled_count = 0 where id = ${bad}`
  await pool`update rcs_waits set due_at = now()`
  await endWaits(pool, options)
  assert.equal(await fallen(bad), 1)
})

test('what the platform took after its message was cancelled, or may have, is revoked at once, and ends with that', async (t) => {
  const { operator, pool } = await startEventService(t)
  const [cancelled, other] = [
    await insertRcs({ pool }, { accountId: operator.id }),
    await insertRcs({ pool }, { accountId: operator.id })
  ]
  await pay(pool, { accountId: operator.id, messageId: cancelled })
  await pool`delete from rcs_waits`
  await pool`update messages set cancelled_at = now() where id = ${cancelled}`
  const wait = { accountId: operator.id, position: 1, carrier: 'rcs', reportSeconds: 300, graceSeconds: 5 }
  await insertWaits(
    pool,
    [cancelled, other].map((messageId) => ({ ...wait, messageId }))
  )
  // No answer to its submit has come: the platform may have it.
  const unanswered = await insertRcs({ pool }, { accountId: operator.id, state: 0 })
  await pay(pool, { accountId: operator.id, messageId: unanswered })
  await pool`update recipients set carrier = 'rcs' where message_id = ${unanswered}`
  await operator.expect(200).put(`/messages/${unanswered}/cancel`)
  const asked: number[] = []
  await revokeDue(pool, () => ({
    async revoke({ reference }) {
      asked.push(reference)
      return { kind: 'revoked' }
    }
  }))
  const revoked = [cancelled, unanswered].map((messageId) => toRecipientId({ messageId, position: 1 }))
  assert.deepEqual(asked.sort(), revoked.sort())
  const rows = await pool<{ state: number }[]>`select state from recipients order by message_id`
  assert.deepEqual(
    rows.map(({ state }) => state),
    [RECIPIENT_STATES.cancelled, RECIPIENT_STATES.sent, RECIPIENT_STATES.cancelled]
  )
})

test('an RCS that expired without an answer, and that the platform has not, ends after the grace of a late report', async (t) => {
  const { operator, pool } = await startEventService(t)
  const messageId = await insertRcs({ pool }, { accountId: operator.id, state: 0 })
  await pay(pool, { accountId: operator.id, messageId })
  await pool`delete from rcs_waits`
  await pool`update recipients set carrier = 'rcs' where message_id = ${messageId}`
  await updateToWithdrawn(pool, [{ accountId: operator.id, messageId, position: 1, ending: 'expired' }])
  await revokeDue(pool, () => ({ revoke: async () => ({ kind: 'too-late' }) }))
  const [wait] = await pool<{ step: string; seconds: number }[]>`
    select step, extract(epoch from due_at - now())::float8 as seconds from rcs_waits
  `
  assert.equal(wait?.step, 'report')
  assert.ok((wait?.seconds ?? 3_600) <= 5, `it waits for ${wait?.seconds} s`)
})

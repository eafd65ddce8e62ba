import { strict as assert } from 'node:assert'
import { eventually } from '../../test/checks/eventually.ts'
import { mobiles, readMessage, send, startDelivering } from '../../test/messages/sending.ts'
import { carrierTo, startSmsc } from '../../test/peers/smsc.ts'
import { test } from '../../test/service/service.ts'
import { countAhead, finishOf } from './finish.ts'

const NOW = new Date('2026-12-01T10:00:00Z')
const at = (seconds: number) => new Date(NOW.getTime() + seconds * 1000)
const batch = (seconds: number, recipients: number) => ({ route: '', dueAt: at(seconds), recipients })
const options = { now: NOW, perSecond: 10, perRecipient: 1, ahead: 0, nextAllowed: (from: Date) => from }

test('a message has left by its due times, the pace of the carrier, what waits before it and the allowed hours', () => {
  assert.deepEqual(finishOf([batch(0, 500), batch(0, 100)], options), at(60))
  assert.deepEqual(finishOf([batch(-60, 500)], { ...options, perRecipient: 3, ahead: 200 }), at(170))
  // The second batch waits for its time, and the third for the second.
  assert.deepEqual(finishOf([batch(110, 100), batch(100, 100), batch(0, 10)], options), at(120))
  assert.deepEqual(finishOf([batch(0, 500), batch(30, 5)], { ...options, perSecond: undefined }), at(30))
  const nextAllowed = (from: Date) => (from < at(20) ? from : new Date(Math.max(from.getTime(), at(3_600).getTime())))
  assert.deepEqual(finishOf([batch(0, 150), batch(0, 150), batch(0, 150)], { ...options, nextAllowed }), at(3_615))
})

test('the lane before and the account itself go first; other accounts take turns', () => {
  const queued = [
    { accountId: 1, lane: 0, recipients: 5 },
    { accountId: 2, lane: 0, recipients: 7 },
    { accountId: 1, lane: 1, recipients: 100 },
    { accountId: 2, lane: 1, recipients: 1_000 },
    { accountId: 3, lane: 1, recipients: 20 }
  ]
  assert.equal(countAhead(queued, { accountId: 1, lane: 1, recipients: 50 }), 5 + 7 + 100 + 50 + 20)
  assert.equal(countAhead(queued, { accountId: 1, lane: 0, recipients: 50 }), 5 + 7)
})

test('the forecast of a message says when it has left, by the throughput of its carrier', async (t) => {
  const smsc = await startSmsc(t)
  const { newAccount } = await startDelivering(t, [carrierTo(smsc, { throughput: 10 })])
  const account = await newAccount({ credits: 1_000 })
  const forecast = async (id: number) => (await account.expect(200).get(`/messages/${id}/forecast`)).body
  const scheduleAt = '2027-01-15T10:00:00.000Z'
  const later = await send(account, { recipients: mobiles(100), scheduleAt })
  assert.equal((await forecast(later)).finishes_at, '2027-01-15T10:00:10.000Z')
  const long = await send(account, { recipients: mobiles(100), scheduleAt, content: 'x'.repeat(200) })
  assert.equal((await forecast(long)).finishes_at, '2027-01-15T10:00:20.000Z')
  const spread = await send(account, { recipients: mobiles(10), scheduleAt, spread: { minutes: 10 } })
  assert.equal((await forecast(spread)).finishes_at, '2027-01-15T10:09:00.100Z')
  // Marketing that is due at the end of the allowed hours goes on the next morning.
  const late = { category: 'marketing', scheduleAt: '2027-01-15T18:59:58Z', recipients: mobiles(600) }
  assert.equal((await forecast(await send(account, late))).finishes_at, '2027-01-16T07:00:10.000Z')
  await account.expect(200).put(`/messages/${later}/pause`)
  assert.equal((await forecast(later)).finishes_at, null)

  const now = await send(account, { recipients: mobiles(30) })
  await eventually(async () => assert.equal((await readMessage(account, now)).state, 'sent'))
  assert.deepEqual([(await forecast(now)).waiting, (await forecast(now)).finishes_at], [0, null])
})

import { strict as assert } from 'node:assert'
import { dayAhead, instantOf, workingDayAhead } from '../../test/checks/days-ahead.ts'
import { eventually } from '../../test/checks/eventually.ts'
import { mobiles, readMessage, send, startDelivering } from '../../test/messages/sending.ts'
import { carrierTo, startSmsc } from '../../test/peers/smsc.ts'
import { startService, test } from '../../test/service/service.ts'
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

test('the forecast of a message says when it has left, by the throughput of its carrier, and warns before a deadline', async (t) => {
  const smsc = await startSmsc(t)
  const { newAccount } = await startDelivering(t, [carrierTo(smsc, { throughput: 10 })])
  const account = await newAccount({ credits: 5_000 })
  const forecast = async (id: number) => (await account.expect(200).get(`/messages/${id}/forecast`)).body
  const day = workingDayAhead()
  const scheduleAt = instantOf(day, '10:00')
  const after = (time: string) => instantOf(day, time)
  const later = await send(account, { recipients: mobiles(100), scheduleAt })
  assert.equal((await forecast(later)).finishes_at, after('10:00:10'))
  const long = await send(account, { recipients: mobiles(100), scheduleAt, content: 'x'.repeat(200) })
  assert.equal((await forecast(long)).finishes_at, after('10:00:20'))
  const spread = await send(account, { recipients: mobiles(10), scheduleAt, spread: { minutes: 10 } })
  assert.equal((await forecast(spread)).finishes_at, after('10:09:00.1'))
  // Marketing that is due at the end of the allowed hours goes on the next morning.
  const closing = instantOf(day, '19:59:58', 'Europe/Paris')
  const late = { category: 'marketing', scheduleAt: closing, recipients: mobiles(600) }
  const morning = instantOf(day.add({ days: 1 }), '08:00:10', 'Europe/Paris')
  assert.equal((await forecast(await send(account, late))).finishes_at, morning)
  await account.expect(200).put(`/messages/${later}/pause`)
  assert.equal((await forecast(later)).finishes_at, null)

  // A deadline is compared with the forecast, in a dry run and when it is accepted.
  const ask = (deadline: string, query = '?resumeBefore=true') =>
    account.post(`/messages/sms${query}`, { recipients: mobiles(100), content: 'Bonjour', scheduleAt, deadline })
  const { body: inTime } = await ask(after('10:00:10'))
  assert.deepEqual([inTime.finishes_at, inTime.warnings], [after('10:00:10'), undefined])
  const tooEarly = after('10:00:09')
  assert.match((await ask(tooEarly)).body.warnings[0], new RegExp(`deadline, ${tooEarly}: .*10:00:10`))
  const { body: tooLate } = await ask(tooEarly, '')
  assert.match(tooLate.warnings[0], /deadline/)
  assert.equal((await readMessage(account, tooLate.message_id)).deadline, tooEarly)
  const { deadline, is_late: isLate } = await forecast(tooLate.message_id)
  assert.deepEqual([deadline, isLate], [tooEarly, true])
  assert.equal((await forecast((await ask(`${day}T12:00:00+01:00`, '')).body.message_id)).is_late, false)
  for (const wrong of [scheduleAt, '2020-01-01T00:00:00Z', 'tomorrow', '']) {
    const { status, body } = await ask(wrong, '')
    assert.deepEqual([status, body.details?.[0].path], [400, 'deadline'], wrong)
  }

  const now = await send(account, { recipients: mobiles(30) })
  await eventually(async () => assert.equal((await readMessage(account, now)).state, 'sent'))
  assert.deepEqual([(await forecast(now)).waiting, (await forecast(now)).finishes_at], [0, null])
})

test('a message to segments keeps its deadline when it departs, also one that is over', async (t) => {
  const { newAccount, pool } = await startService(t)
  const account = await newAccount({ credits: 10 })
  const { id: list } = (await account.expect(200).post('/contactlists', { name: 'Clients' })).body
  await account.expect(200).post('/contacts', { contactlist_id: list, contacts: [{ tel: '+33639980001' }] })
  const rules = [{ type: 'list', op: 'in', list_id: list }]
  const { id: segment } = (await account.expect(200).post('/segments', { name: 'All', match: 'all', rules })).body
  const day = dayAhead()
  const [scheduleAt, deadline] = [instantOf(day, '10:00'), instantOf(day, '11:00')]
  const given = { segments: [segment], content: 'Bonjour', scheduleAt, deadline }
  const { message_id: id } = (await account.expect(200).post('/messages/sms/contactlist', given)).body
  await account.expect(400).post('/messages/sms/contactlist', { ...given, deadline: scheduleAt })
  assert.equal((await readMessage(account, id)).deadline, deadline)
  await pool`
    update departures
    set due_at = now(), request = jsonb_set(request, '{deadline}', '"2020-01-01T00:00:00.000Z"')
  `
  await eventually(async () => {
    const { recipients_count, deadline } = await readMessage(account, id)
    assert.deepEqual([recipients_count, deadline !== undefined], [1, true])
  })
})

test('a message that is late for its deadline tells it once, by its forecast or by the clock, beside another process', async (t) => {
  const service = await startService(t)
  await service.startPeer(t)
  const account = await service.newAccount({ credits: 100 })
  await account.expect(200).get('/events')
  const day = dayAhead()
  const scheduleAt = instantOf(day, '10:00')
  const post = async (deadline: string, fields = {}): Promise<number> => {
    const body = { recipients: mobiles(10), content: 'Bonjour', scheduleAt, deadline, ...fields }
    return (await account.expect(200).post('/messages/sms', body)).body.message_id
  }
  const late = await post(instantOf(day, '10:05'), { spread: { minutes: 10 } })
  const [inTime, over, cancelled] = [
    await post(instantOf(day, '11:00')),
    await post(instantOf(day, '11:00')),
    await post(instantOf(day, '11:00'))
  ]
  await account.expect(200).put(`/messages/${cancelled}/cancel`)
  const untilLate = (id: number) =>
    eventually(async () => assert.equal(typeof (await readMessage(account, id)).late_at, 'string'))
  await untilLate(late)
  const { pool } = service
  await pool`update deadlines set deadline = now() - interval '1 second' where message_id = ${over}`
  await pool`update deadlines set next_at = now()`
  await untilLate(over)
  await eventually(async () => {
    const left = await pool`select message_id from deadlines where next_at > now()`
    assert.deepEqual([...left], [{ messageId: inTime }])
  })
  // The feed shows an event when all transactions before it have ended, those of other databases of the server too.
  await eventually(async () => {
    const { items } = (await account.expect(200).get('/events?types=message_state')).body
    const told = items.filter(({ data }: { data: { late_at?: string } }) => data.late_at !== undefined)
    assert.deepEqual(
      told.map(({ data }: { data: { id: number } }) => data.id),
      [late, over]
    )
  })
  for (const id of [inTime, cancelled]) assert.equal((await readMessage(account, id)).late_at, undefined)
})

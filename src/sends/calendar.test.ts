import { strict as assert } from 'node:assert'
import { dayAhead, instantOf } from '../../test/checks/days-ahead.ts'
import { mobiles } from '../../test/messages/sending.ts'
import { startService, test } from '../../test/service/service.ts'

test('the calendar has what is scheduled and what was sent, on the days of a time zone, and leaves codes out', async (t) => {
  const { newAccount, pool } = await startService(t)
  const [account, stranger] = [await newAccount({ credits: 1_000 }), await newAccount({ credits: 100 })]
  const [one = ''] = mobiles(1)
  const send = async (fields: object): Promise<number> =>
    (await account.expect(200).post('/messages/sms', { recipients: [one], content: 'Bonjour', ...fields })).body
      .message_id
  await send({})
  const named = await send({ name: 'Soldes' })
  const large = await send({ recipients: mobiles(51) })
  // 23:30 in Paris is the next day in Réunion.
  const day = dayAhead()
  const next = day.add({ days: 1 })
  const late = await send({ scheduleAt: instantOf(day, '23:30', 'Europe/Paris') })
  const { id: list } = (await account.expect(200).post('/contactlists', { name: 'Clients' })).body
  await account.expect(200).post('/contacts', { contactlist_id: list, contacts: [{ tel: one }] })
  const rules = [{ type: 'list', op: 'in', list_id: list }]
  const { id: segment } = (await account.expect(200).post('/segments', { name: 'All', match: 'all', rules })).body
  const later = { segments: [segment], content: 'Plus tard', scheduleAt: instantOf(next, '09:00') }
  const { message_id: departing } = (await account.expect(200).post('/messages/sms/contactlist', later)).body
  await stranger.expect(200).post('/messages/sms', { recipients: [one], content: 'Hi', name: 'Secret' })

  const today = Temporal.Now.plainDateISO('Europe/Paris')
  // Yesterday too: midnight may pass during this test.
  const near = `/calendar?from=${today.subtract({ days: 1 })}&to=${today.add({ days: 1 })}`
  const { body: sent } = await account.expect(200).get(near)
  assert.equal(sent.time_zone, 'Europe/Paris')
  assert.deepEqual(
    sent.days.flatMap(({ campaigns }: { campaigns: { id: number }[] }) => campaigns.map(({ id }) => id)),
    [named, large]
  )
  const read = async (zone: string) => {
    const { body } = await account.expect(200).get(`/calendar?from=${day}&to=${next}&time_zone=${zone}`)
    return body.days.map((each: { day: string; campaigns_count: number; campaigns: Record<string, unknown>[] }) => [
      each.day,
      each.campaigns_count,
      ...each.campaigns.map(({ id, state, recipients_count, is_departing }) => [
        id,
        state,
        recipients_count,
        is_departing
      ])
    ])
  }
  const [isLate, isDeparting] = [
    [late, 'scheduled', 1, false],
    [departing, 'scheduled', 0, true]
  ]
  assert.deepEqual(await read('Europe/Paris'), [
    [day.toString(), 1, isLate],
    [next.toString(), 1, isDeparting]
  ])
  assert.deepEqual(await read('Indian/Reunion'), [
    [day.toString(), 0],
    [next.toString(), 2, isLate, isDeparting]
  ])

  const full = day.add({ days: 7 })
  await pool`
    insert into messages (account_id, id, channel, category, state, content, sender, scheduled_at, recipients_count,
      segments_count, credits_required, name)
    select ${account.id}, 1000000 + n, 'sms', 'transactional', 'sent', 'x', '', ${instantOf(full, '10:00')}, 0, 0, 0, 'Many'
    from generate_series(1, 1001) as n
  `
  const { body: many } = await account.expect(200).get(`/calendar?from=${full}&to=${full}`)
  assert.deepEqual([many.days[0].campaigns.length, many.days[0].campaigns_count], [20, 1_000])
  for (const query of ['from=2027-01-01&to=2027-02-12', 'from=2027-01-02&to=2027-01-01', 'time_zone=Mars', 'from=x']) {
    await account.expect(400).get(`/calendar?${query}`)
  }
})

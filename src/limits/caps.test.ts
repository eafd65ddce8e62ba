import { strict as assert } from 'node:assert'
import { assertLedgerHolds } from '../../test/checks/ledger.ts'
import { startService, type TestAccount, test } from '../../test/service/service.ts'

const phone = (last: number) => `+3363998${2200 + last}`
const marketing = { content: 'Soldes', category: 'marketing' }
const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString()
const many = Array.from({ length: 80 }, (_, index) => phone(index))

const cap = (account: TestAccount, marketing_cap: number, marketing_cap_days = 7) =>
  account.expect(200).put('/users/me', { settings: { marketing_cap, marketing_cap_days } })
const sendTo = (account: TestAccount, recipients: string[], body: object = {}) =>
  account.post('/messages/sms', { recipients, ...marketing, ...body })

test('a person gets so many in so many days over all campaigns; who had as many is dropped and counted', async (t) => {
  const { newAccount } = await startService(t)
  const [account, other] = [await newAccount({ credits: 1_000 }), await newAccount({ credits: 100 })]
  for (const settings of [{ marketing_cap: -1 }, { marketing_cap: 1.5 }, { marketing_cap_days: 0 }])
    await account.expect(400).put('/users/me', { settings })
  await cap(account, 2)
  const counts = ({ body }: { body: { recipients_count: number; capped: number } }) => [
    body.recipients_count,
    body.capped
  ]
  assert.deepEqual(counts(await sendTo(account, [phone(1), phone(2)])), [2, 0])
  assert.deepEqual(counts(await sendTo(account, many)), [80, 0])
  const dry = await account.expect(200).post('/messages/sms?resumeBefore=true', { recipients: many, ...marketing })
  assert.deepEqual(counts(dry), [78, 2])
  assert.deepEqual(counts(await sendTo(account, many)), [78, 2])
  const refused = await account.expect(400).post('/messages/sms', { recipients: [phone(1)], ...marketing })
  assert.match(refused.body.details[0].message, /1 that had as much marketing as the account allows/)
  // Not for what is no marketing, nor for another account.
  assert.equal((await sendTo(account, [phone(1)], { category: 'transactional' })).body.recipients_count, 1)
  assert.equal((await sendTo(other, [phone(1)])).body.recipients_count, 1)
  // A message that leaves after the days is a new one; one in between is not.
  assert.deepEqual(counts(await sendTo(account, [phone(1)], { scheduleAt: inDays(20) })), [1, 0])
  assert.equal((await sendTo(account, [phone(1)], { scheduleAt: inDays(5) })).status, 400)
  const rcs = { type: 'text', data: { text: 'Soldes' }, contacts: [{ recipient: phone(1) }], category: 'marketing' }
  await account.expect(400).post('/messages/rcs', rcs)
  await cap(account, 0)
  assert.equal((await sendTo(account, [phone(1)])).status, 200)
})

test('what is refused, or cancelled before it left, does not count; a resend counts once', async (t) => {
  const { newAccount, pool } = await startService(t)
  const account = await newAccount({ credits: 5 })
  await cap(account, 1)
  assert.equal((await sendTo(account, many)).status, 402)
  assert.equal((await sendTo(account, many.slice(0, 10))).status, 402)
  const { body } = await sendTo(account, [phone(1)], { scheduleAt: inDays(1) })
  assert.equal((await sendTo(account, [phone(1)])).status, 400)
  await account.expect(200).put(`/messages/${body.message_id}/cancel`)
  const { body: again } = await sendTo(account, [phone(1)])
  assert.equal(again.recipients_count, 1)
  await pool`update recipients set state = 3 where message_id = ${again.message_id}`
  await pool`
    update messages set state = 'failed', waiting_count = 0, failed_count = 1 where id = ${again.message_id}
  `
  await pool`delete from batches where message_id = ${again.message_id}`
  const { body: resent } = await account.expect(200).post(`/messages/${again.message_id}/resend`)
  assert.deepEqual([resent.recipients_count, resent.capped], [1, 0])
  assert.equal((await sendTo(account, [phone(1)])).status, 400)
  // Whoever is erased leaves nothing here.
  await account.expect(200).delete(`/contacts/by-number/${phone(1)}`)
  assert.equal((await pool`select from marketing_uses`).length, 0)
})

test('campaigns and single sends at once never exceed the cap, and nobody loses a credit', async (t) => {
  const service = await startService(t)
  const account = await service.newAccount({ credits: 10_000 })
  await cap(account, 3)
  const sends = Array.from({ length: 24 }, (_, turn) => {
    if (turn % 4 === 0) return sendTo(account, turn % 8 ? many : many.toReversed())
    return sendTo(account, turn % 2 ? many.slice(0, 20) : many.slice(10, 30).toReversed(), {
      ...(turn % 3 === 0 && { scheduleAt: inDays(2) })
    })
  })
  const answers = await Promise.all(sends)
  for (const { status, text } of answers) assert.ok([200, 400, 503].includes(status), text)
  const rows = await service.pool<{ phone: string; count: number }[]>`
    select phone, count(*) as count from recipients where account_id = ${account.id} group by phone
  `
  assert.equal(rows.length, 80)
  for (const { phone, count } of rows) assert.ok(count <= 3, `${phone} got ${count}`)
  // The first twenty were wanted by more than three: they got all that they may.
  for (const { phone, count } of rows.filter(({ phone }) => many.slice(0, 20).includes(phone))) {
    assert.equal(count, 3, phone)
  }
  await assertLedgerHolds(service.pool)
})

test('campaigns to the same 200 people at once, also with a key and beside small sends: each person gets exactly one', async (t) => {
  const { newAccount, pool } = await startService(t)
  const account = await newAccount({ credits: 5_000 })
  await cap(account, 1)
  const people = Array.from({ length: 200 }, (_, index) => phone(index))
  const keyed = account.as({ 'x-api-key': account.apiKey, 'idempotency-key': 'campaign' })
  const small = Array.from({ length: 10 }, (_, index) => people.slice(index * 20, index * 20 + 20))
  const answers = await Promise.all([
    sendTo(account, people),
    keyed.post('/messages/sms', { recipients: people.toReversed(), ...marketing }),
    ...small.map((some) => sendTo(account, some.toReversed()))
  ])
  // A send whose people all had one is a 400.
  for (const { status, text } of answers) assert.ok([200, 400].includes(status), text)
  const rows = await pool`select phone, count(*) as count from recipients group by phone`
  assert.equal(rows.length, 200)
  assert.ok(rows.every(({ count }) => count === 1))
  await assertLedgerHolds(pool)
})

test('marketing that waits for the same morning counts on that day, also in the account’s own time zone', async (t) => {
  const { newAccount } = await startService(t)
  const people = many.slice(0, 60)
  const sunday = nextSunday()
  const evening = sunday.subtract({ days: 1 }).toPlainDateTime('21:00').toString()
  const noon = sunday.toPlainDateTime('12:00').toString()
  for (const recipients of [[phone(1)], people]) {
    const account = await newAccount({ credits: 1_000 })
    await cap(account, 1, 1)
    const sendAt = (scheduleAt: string) => sendTo(account, recipients, { scheduleAt })
    assert.equal((await sendAt(evening)).status, 200)
    const dry = await account.post('/messages/sms?resumeBefore=true', { recipients, ...marketing, scheduleAt: noon })
    assert.equal(dry.status, 400)
    assert.match((await sendAt(noon)).body.details[0].message, /had as much marketing as the account allows/)
    // The same hours of a later day are free.
    assert.equal((await sendAt(sunday.add({ days: 7 }).toPlainDateTime('12:00').toString())).status, 200)
  }
  // In Belgium marketing has no hours. Half past midnight in Paris is still the day before in UTC.
  const account = await newAccount({ credits: 1_000 })
  await cap(account, 1, 1)
  const belgian = (time: string) =>
    sendTo(account, ['+32470123456'], { scheduleAt: sunday.toPlainDateTime(time).toString() })
  assert.equal((await belgian('00:30')).status, 200)
  assert.equal((await belgian('22:00')).status, 400)
})

function nextSunday(): Temporal.PlainDate {
  const inTwoDays = Temporal.Now.plainDateISO('Europe/Paris').add({ days: 2 })
  return inTwoDays.add({ days: 7 - (inTwoDays.dayOfWeek % 7) })
}

test('a send that is refused does not count for another one at the same moment', async (t) => {
  const { newAccount, operator } = await startService(t)
  const account = await newAccount({ credits: 1_000 })
  await cap(account, 1)
  await operator.expect(200).put(`/accounts/${account.id}/limits`, { messages_per_number: 1 })
  for (const category of ['marketing', 'transactional']) {
    for (let last = 1; last <= 5; last++) {
      const recipients = [phone(category === 'marketing' ? last : 10 + last)]
      const refused = Array.from({ length: 3 }, () => sendTo(account, recipients, { category, expected_credits: 7 }))
      const good = Array.from({ length: 2 }, () => sendTo(account, recipients, { category }))
      const statuses = (await Promise.all(good)).map(({ status }) => status).sort()
      await Promise.all(refused)
      assert.deepEqual(statuses, [200, category === 'marketing' ? 400 : 429])
    }
  }
})

import { strict as assert } from 'node:assert'
import { eventually } from '../../test/checks/eventually.ts'
import { assertLedgerHolds } from '../../test/checks/ledger.ts'
import { holdTable } from '../../test/database/hold-table.ts'
import { startService, type TestAccount, type TestService, test } from '../../test/service/service.ts'
import { NO_LIMITS } from '../http/limit.ts'
import { writeMail } from '../mail/kinds.ts'
import { lockLook } from './alerts.store.ts'
import { mailAlerts } from './mail-alerts.ts'
import { raiseAlerts, raiseOfLook } from './raise-alerts.ts'
import { ReachedLimits } from './reached-limits.ts'

const PHONE = '+33639980001'
const sms = (recipients: string[], more: object = {}) => ({ recipients, content: 'Bonjour', ...more })

async function limit(service: TestService, account: TestAccount, limits: object): Promise<void> {
  await service.operator.expect(200).put(`/accounts/${account.id}/limits`, limits)
}

test('requests a second: more are a 429 that says when, and every answer tells how many are left', async (t) => {
  const service = await startService(t)
  const account = await service.newAccount()
  const free = await account.expect(200).get('/users/me')
  assert.equal(free.headers.get('ratelimit'), null)
  await limit(service, account, { requests_per_second: 2 })
  const answers = await Promise.all(Array.from({ length: 20 }, () => account.get('/users/me')))
  const refused = answers.filter(({ status }) => status === 429)
  assert.ok(refused.length >= 10, `${refused.length} of 20 were refused`)
  const [one] = refused
  assert.equal(one?.body.code, 'rate_limited')
  assert.equal(one?.headers.get('retry-after'), '1')
  for (const { headers } of answers) {
    assert.equal(headers.get('ratelimit-policy'), '"requests";q=2;w=1')
    assert.match(headers.get('ratelimit') ?? '', /^"requests";r=[012];t=1$/)
  }
  // Nobody else is limited by it.
  await service.operator.expect(200).get('/users/me')
})

test('a sub-account is bound by its parent’s requests, which all of the family share', async (t) => {
  const service = await startService(t)
  const parent = await service.newAccount()
  const subs = [await parent.newSubAccount(), await parent.newSubAccount()]
  await limit(service, parent, { requests_per_second: 3 })
  const answers = await Promise.all(subs.flatMap((sub) => Array.from({ length: 10 }, () => sub.get('/users/me'))))
  assert.ok(answers.filter(({ status }) => status === 200).length <= 12)
  assert.ok(answers.some(({ status }) => status === 429))
})

test('credits a day: what goes beyond is a 429 that says how much is spent, whichever way it comes', async (t) => {
  const service = await startService(t)
  const account = await service.newAccount({ credits: 1_000 })
  await limit(service, account, { credits_per_day: 3 })
  const first = await account.expect(429).post('/messages/sms', sms(tenPhones(4)))
  assert.match(first.body.error, /may spend 3 credits a day; 0 are spent, and this takes 4/)
  await account.expect(200).post('/messages/sms', sms([PHONE]))
  const refused = await account.expect(429).post('/messages/sms', sms(['+33639980002', '+33639980003', '+33639980004']))
  assert.equal(refused.body.code, 'limit_reached')
  assert.match(refused.body.error, /may spend 3 credits a day; 1 are spent, and this takes 3/)
  assert.ok(Number(refused.headers.get('retry-after')) > 0)
  const many = Array.from({ length: 60 }, (_, index) => `+336399801${String(index).padStart(2, '0')}`)
  await account.expect(429).post('/messages/sms', sms(many))
  await account.expect(429).post('/messages/sms?resumeBefore=true', sms(many))
  await account.expect(429).post('/messages/sms', sms(many), { 'idempotency-key': 'once' })
  const { body: credits } = await account.expect(200).get('/users/credits')
  assert.equal(credits[0].credits ?? credits[0].remaining ?? 999, 999)
  await account.expect(200).post('/messages/sms', sms(['+33639980002', '+33639980003']))
  await account.expect(429).post('/messages/sms', sms([PHONE]))
  // At any moment it is another day in one of them.
  for (const zone of ['Pacific/Kiritimati', 'Pacific/Pago_Pago', 'Europe/Paris']) {
    await account.expect(200).put('/users/me', { time_zone: zone })
    const { body } = await account.expect(429).post('/messages/sms', sms([PHONE]))
    assert.match(body.error, /3 are spent/, `${zone} begins no other day`)
  }
})

test('credits a day, and messages to a number, hold against many sends at once, in two processes, for parent and sub-accounts together', async (t) => {
  const service = await startService(t)
  const peer = await service.startPeer(t)
  const parent = await service.newAccount({ credits: 1_000 })
  const sub = await parent.newSubAccount({ mode: 'parent' })
  await limit(service, parent, { credits_per_day: 20 })
  const clients = [parent, sub].flatMap(({ apiKey }) =>
    [service, peer].map(({ anonymous }) => anonymous.as({ 'x-api-key': apiKey }))
  )
  const answers = await Promise.all(
    Array.from({ length: 60 }, (_, index) =>
      (clients[index % 4] as TestAccount).post('/messages/sms', sms([`+336399802${String(index).padStart(2, '0')}`]))
    )
  )
  const statuses = answers.map(({ status }) => status)
  assert.equal(statuses.filter((status) => status === 200).length, 20, statuses.join(' '))
  assert.equal(statuses.filter((status) => status === 429).length, 40)
  await limit(service, parent, { messages_per_number: 5 })
  const again = await Promise.all(
    Array.from({ length: 24 }, (_, index) => (clients[index % 4] as TestAccount).post('/messages/sms', sms([PHONE])))
  )
  assert.equal(again.filter(({ status }) => status === 200).length, 5)
  assert.equal(again.filter(({ status }) => status === 429).length, 19)
})

test('messages to one number an hour: who had enough is dropped and counted, also of sends at once and of many', async (t) => {
  const service = await startService(t)
  const account = await service.newAccount({ credits: 10_000 })
  await limit(service, account, { messages_per_number: 2 })
  const answers = await Promise.all(Array.from({ length: 10 }, () => account.post('/messages/sms', sms([PHONE]))))
  assert.equal(answers.filter(({ status }) => status === 200).length, 2)
  const refused = answers.find(({ status }) => status === 429)
  assert.equal(refused?.body.code, 'limit_reached')
  const many = [PHONE, ...Array.from({ length: 60 }, (_, index) => `+336399803${String(index).padStart(2, '0')}`)]
  const { body: estimate } = await account.expect(200).post('/messages/sms?resumeBefore=true', sms(many))
  assert.deepEqual([estimate.recipients_count, estimate.limited], [60, 1])
  const { body } = await account.expect(200).post('/messages/sms', sms(many))
  assert.deepEqual([body.recipients_count, body.limited], [60, 1])
  await account.expect(200).post('/messages/sms', sms(many))
  const { body: last } = await account.expect(429).post('/messages/sms', sms(many))
  assert.match(last.error, /61 that had enough messages within the hour/)
})

test('countries: numbers of others are dropped, counted, and named by the dry run', async (t) => {
  const service = await startService(t)
  const account = await service.newAccount({ credits: 100 })
  await limit(service, account, { countries: ['FR'] })
  const both = [PHONE, '+32470123456']
  const { body: estimate } = await account.expect(200).post('/messages/sms?resumeBefore=true', sms(both))
  assert.deepEqual([estimate.recipients_count, estimate.barred, estimate.barred_countries], [1, 1, ['BE']])
  const { body } = await account.expect(200).post('/messages/sms', sms(both))
  assert.deepEqual([body.recipients_count, body.barred], [1, 1])
  const refused = await account.expect(400).post('/messages/sms', sms(['+32470123456']))
  assert.match(refused.body.error, /1 in countries that this account may not write to/)
})

test('a limit below what is used, or that makes no sense, is refused and changes nothing', async (t) => {
  const service = await startService(t)
  const account = await service.newAccount({ credits: 100 })
  const path = `/accounts/${account.id}/limits`
  await account.newSubAccount()
  await account.newSubAccount()
  await limit(service, account, { credits_per_day: 50, sub_accounts: 3 })
  await account.expect(200).post('/messages/sms', sms([PHONE, '+33639980002']))
  const before = (await service.operator.expect(200).get(path)).body
  assert.deepEqual(before.used, { credits_today: 2, sub_accounts: 2, people: 1, keys: 1, webhooks: 0 })
  for (const [limits, status] of [
    [{ sub_accounts: 1 }, 409],
    [{ credits_per_day: 1 }, 409],
    [{ countries: ['XX'] }, 400],
    [{ countries: [] }, 400],
    [{ countries: 'FR' }, 400],
    [{ requests_per_second: 0 }, 400],
    [{ requests_per_second: -1 }, 400],
    [{ people: 0 }, 400],
    [{ peopel: 5 }, 400],
    [{ keys: 1.5 }, 400],
    [{ messages_per_number: '5' }, 400]
  ] as const) {
    await service.operator.expect(status).put(path, limits)
    assert.deepEqual((await service.operator.expect(200).get(path)).body, before)
  }
  await account.expect(403).put(path, {})
  await account.expect(403).get(path)
  await account.newSubAccount()
  const refused = await account.expect(409).post('/subaccount', { email: 'd@x.example', password: 'long enough one' })
  assert.match(refused.body.error, /at most 3 sub-accounts/)
  await service.operator.expect(200).put(path, {})
  assert.equal((await account.expect(200).get('/limits')).body.limits.sub_accounts, 200)
})

test('a parent limits its own sub-accounts, and nobody else’s', async (t) => {
  const service = await startService(t)
  const parent = await service.newAccount({ credits: 100 })
  const sub = await parent.newSubAccount({ credits: 50 })
  const other = await service.newAccount()
  await parent.expect(200).put(`/subaccount/${sub.id}/limits`, { credits_per_day: 1 })
  await other.expect(404).put(`/subaccount/${sub.id}/limits`, { credits_per_day: 9 })
  await other.expect(404).get(`/subaccount/${sub.id}/limits`)
  assert.equal((await parent.expect(200).get(`/subaccount/${sub.id}/limits`)).body.own.credits_per_day, 1)
  await sub.expect(200).post('/messages/sms', sms([PHONE]))
  await sub.expect(429).post('/messages/sms', sms([PHONE]))
  await parent.expect(200).post('/messages/sms', sms([PHONE]))

  // Its own limit and that of its parent count what it sends.
  await parent.expect(200).put(`/subaccount/${sub.id}/limits`, { messages_per_number: 2 })
  await limit(service, parent, { messages_per_number: 3 })
  const another = sms(['+33639980299'])
  for (const status of [200, 200, 429]) await sub.expect(status).post('/messages/sms', another)
  for (const status of [200, 429]) await parent.expect(status).post('/messages/sms', another)
  for (const [own, ofParent] of [
    [100, 0],
    [1, 100]
  ]) {
    await parent.expect(200).put(`/subaccount/${sub.id}/limits`, { credits_per_day: own })
    await limit(service, parent, { credits_per_day: ofParent })
    await sub.expect(429).post('/messages/sms', sms(['+33639980298']))
  }
})

test('a closed account is not told that its balance is low', async (t) => {
  const service = await startService(t)
  const parent = await service.newAccount({ credits: 20 })
  const [open, closed] = [await parent.newSubAccount({ credits: 9 }), await parent.newSubAccount({ credits: 9 })]
  for (const one of [open, closed]) await one.expect(200).put('/users/me', { settings: { balance_alert_sms: 5 } })
  await parent.expect(200).put(`/subaccount/${open.id}/credits/remove`, { credits: 9 })
  await parent.expect(200).put(`/subaccount/${closed.id}/standing`, { standing: 'closed', reason: 'It has ended.' })
  await eventually(async () => {
    assert.equal((await parent.expect(200).get(`/subaccount/${closed.id}/credits`)).body[0].credits, 0)
  })
  const told: unknown[] = []
  const tell = async (_: unknown, alerts: readonly { accountId: number; subject: string }[]) => {
    told.push(...alerts.map(({ accountId, subject }) => [accountId, subject]))
  }
  await service.pool.begin(async (database) => {
    // The service itself looks too, and waits meanwhile.
    await lockLook(database, 'uses')
    await database`delete from alerts`
    await raiseOfLook(database, 'uses', { defaults: NO_LIMITS, tell })
  })
  assert.deepEqual(told, [[open.id, 'balance_sms']])
})

test('80 and 100 percent of a limit, and a low balance, are told once, and again after they were over', async (t) => {
  const service = await startService(t)
  const account = await service.newAccount({ credits: 100 })
  await account.expect(200).get('/events')
  await limit(service, account, { credits_per_day: 10 })
  await account.expect(200).put('/users/me', { settings: { balance_alert_sms: 95 } })
  const raise = () =>
    service.pool.begin((sql) => raiseOfLook(sql, 'uses', { defaults: NO_LIMITS, tell: async () => undefined }))
  const told = async () => {
    const { body } = await account.expect(200).get('/events?types=limits,balances&limit=100')
    return body.items.map(({ type, record, data }: { type: string; record?: object; data?: object }) => {
      const { level, credits } = (record ?? data) as { level?: number; credits?: number }
      return `${type} ${level ?? credits}`
    })
  }
  await account.expect(200).post('/messages/sms', sms(tenPhones(8)))
  await eventually(async () => {
    await Promise.all([raise(), raise(), raise()])
    assert.deepEqual((await told()).sort(), ['balances 92', 'limits 80'])
  })
  await account.expect(200).post('/messages/sms', sms(tenPhones(2)))
  await eventually(async () => {
    await raise()
    assert.equal((await told()).length, 3)
  })
  assert.deepEqual((await told()).sort(), ['balances 92', 'limits 100', 'limits 80'])
  await service.operator.expect(200).put(`/accounts/${account.id}/credits`, { credits: 50, msgType: 1 })
  await eventually(async () => {
    await raise()
    assert.deepEqual([...(await service.pool`select from alerts where subject = 'balance_sms'`)], [])
  })
  await account.expect(200).put('/users/me', { settings: { balance_alert_sms: 1_000 } })
  await eventually(async () => {
    await raise()
    assert.deepEqual((await told()).sort(), ['balances 140', 'balances 92', 'limits 100', 'limits 80'])
  })
})

test('of several processes one looks at a time, and what is counted is looked at once a minute', async (t) => {
  const service = await startService(t)
  const account = await service.newAccount()
  await account.expect(200).get('/events')
  await limit(service, account, { keys: 2 })
  await account.expect(200).post('/keys', { name: 'Shop', scopes: ['read'] })
  const told: number[] = []
  const raise = () =>
    raiseAlerts({
      pool: service.pool,
      defaults: NO_LIMITS,
      reachedRates: () => [],
      tell: async (_, alerts) => void told.push(...alerts.map(({ level }) => level))
    })
  const later = (minutes: number) => service.pool`
    update alert_turns set next_at = now() + make_interval(mins => ${minutes})
  `
  await service.pool`delete from alerts`
  await later(5)
  await Promise.all([raise(), raise()])
  assert.deepEqual(told, [], 'it is nobody’s turn')
  await later(-1)
  await Promise.all([raise(), raise(), raise()])
  const levels = (await service.pool`select level from alerts where subject = 'keys' order by level`).map(
    (row) => row.level
  )
  assert.deepEqual(levels, [80, 100])
  const [turn] =
    await service.pool`select from alert_turns where name = 'counts' and next_at > now() + interval '50 seconds'`
  assert.ok(turn)
})

test('webhooks: more than the account may have are refused, and the configuration stays', async (t) => {
  const service = await startService(t)
  const account = await service.newAccount()
  await limit(service, account, { webhooks: 1 })
  const webhook = (path: string) => ({ type: 'replies', url: `https://shop.example/${path}` })
  await account.expect(200).put('/webhooks', { webhooks: [webhook('a')] })
  const { body } = await account.expect(409).put('/webhooks', { webhooks: [webhook('a'), webhook('b')] })
  assert.match(body.error, /at most 1 webhooks/)
  assert.equal((await account.expect(200).get('/webhooks')).body.webhooks.length, 1)
  await service.operator.expect(409).put(`/accounts/${account.id}/limits`, { webhooks: 0 })
})

test('people: invitations stop at the limit, and open ones count', async (t) => {
  const service = await startService(t)
  const account = await service.newAccount()
  await limit(service, account, { people: 2 })
  await account.expect(200).post('/people/invitations', { email: 'one@people.example', role: 'sender' })
  const { body } = await account
    .expect(409)
    .post('/people/invitations', { email: 'two@people.example', role: 'sender' })
  assert.match(body.error, /at most 2 people, open invitations included/)
})

test('alerts are mailed to the owners, in words, when there is a mail server', async (t) => {
  const { pool, operator, newAccount } = await startService(t)
  // The service itself, which has no mail server here, does not look before this test does.
  await pool`update alert_turns set next_at = now() + interval '5 minutes'`
  const account = await newAccount({ credits: 100 })
  await operator.expect(200).put(`/accounts/${account.id}/limits`, { credits_per_day: 1 })
  await account.expect(200).put('/users/me', { social_reason: 'Boutique', settings: { balance_alert_sms: 1_000 } })
  await account.expect(200).post('/messages/sms', sms([PHONE]))
  await eventually(async () => {
    await pool.begin((sql) => raiseOfLook(sql, 'uses', { defaults: NO_LIMITS, tell: mailAlerts }))
    const kinds = await pool`select kind, facts from mails where recipient = ${account.email} order by kind, facts`
    assert.ok(kinds.length > 0)
  })
  const mails = await pool<{ kind: string; facts: Record<string, string> }[]>`
    select kind, facts from mails where recipient = ${account.email} order by kind, facts ->> 'level'
  `
  const subjects = mails.map(({ kind, facts }) => writeMail(kind, 'en', facts)?.subject)
  assert.deepEqual(subjects, [
    'Boutique: 100 % of a limit is used on Chappe',
    'Boutique: 80 % of a limit is used on Chappe',
    'Boutique: 99 SMS credits are left on Chappe'
  ])
})

test('an old secret that works beside its key counts as no key: neither in the limits nor for alerts', async (t) => {
  const { pool, operator, newAccount } = await startService(t)
  await pool`update alert_turns set next_at = now() + interval '5 minutes'`
  const account = await newAccount()
  await operator.expect(200).put(`/accounts/${account.id}/limits`, { keys: 3 })
  const { body: made } = await account.expect(200).post('/keys', { name: 'Shop', scopes: ['read'] })
  await account.expect(200).post(`/keys/${made.id}/rotate`, { overlap_seconds: 3_600 })
  const { body: limits } = await account.expect(200).get('/limits')
  assert.equal(limits.used.keys, 2)
  await pool.begin((sql) => raiseOfLook(sql, 'counts', { defaults: NO_LIMITS, tell: mailAlerts }))
  assert.deepEqual(await pool`select subject, level from alerts where account_id = ${account.id}`, [])
  await operator.expect(200).put(`/accounts/${account.id}/limits`, { keys: 2 })
})

test('a closed account gets no alert of its people', async (t) => {
  const { pool, operator, newAccount } = await startService(t)
  await pool`update alert_turns set next_at = now() + interval '5 minutes'`
  const [closed, open] = [await newAccount(), await newAccount()]
  await operator.expect(200).put(`/accounts/${closed.id}/standing`, { standing: 'closed', reason: 'They left.' })
  for (const { id } of [closed, open]) await operator.expect(200).put(`/accounts/${id}/limits`, { people: 1 })
  await pool.begin((sql) => raiseOfLook(sql, 'counts', { defaults: NO_LIMITS, tell: mailAlerts }))
  const mails = await pool<{ recipient: string }[]>`select distinct recipient from mails`
  assert.deepEqual([...mails], [{ recipient: open.email }])
})

test('a name that is cut between the halves of an emoji keeps back nobody’s alerts', async (t) => {
  const { pool, newAccount } = await startService(t)
  await pool`update alert_turns set next_at = now() + interval '5 minutes'`
  const [emoji, other] = [await newAccount({ credits: 100 }), await newAccount({ credits: 100 })]
  const settings = { balance_alert_sms: 1_000 }
  const name = 'a'.repeat(58)
  await emoji.expect(200).put('/users/me', { social_reason: `${name}🎁 for you`, settings })
  await other.expect(200).put('/users/me', { social_reason: 'Boutique', settings })
  await pool.begin((sql) => raiseOfLook(sql, 'uses', { defaults: NO_LIMITS, tell: mailAlerts }))
  const mails = await pool<{ facts: { company: string } }[]>`
    select facts from mails where recipient in (${emoji.email}, ${other.email}) order by facts ->> 'company'
  `
  assert.deepEqual(
    mails.map(({ facts }) => facts.company),
    ['Boutique', `${name}…`]
  )
})

function tenPhones(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `+3363998050${index}`)
}

test('two sends to the same 5,000 people at once, in opposite order, wait for each other and never deadlock', async (t) => {
  const { operator, newAccount, pool } = await startService(t)
  const account = await newAccount({ credits: 20_000 })
  await operator.expect(200).put(`/accounts/${account.id}/limits`, { messages_per_number: 2 })
  const people = Array.from({ length: 5_000 }, (_, index) => `+336120${String(10_000 + index)}`)
  const [one, other] = await Promise.all(
    [people, people.toReversed()].map((recipients) =>
      account.expect(200).post('/messages/sms', { recipients, content: 'Bonjour' })
    )
  )
  assert.deepEqual([one?.body.recipients_count, other?.body.recipients_count], [5_000, 5_000])
  const [row] = await pool`select count(*) as count, min(used) as least, max(used) as most from number_hours`
  assert.deepEqual({ ...row }, { count: 5_000, least: 2, most: 2 })
})

test('while a campaign is stored, single sends of its account go on, and both keep to the credits of the day', async (t) => {
  const service = await startService(t)
  const { pool } = service
  const account = await service.newAccount({ credits: 1_000 })
  await limit(service, account, { credits_per_day: 100, messages_per_number: 5 })
  const people = Array.from({ length: 60 }, (_, index) => `+336399810${String(index).padStart(2, '0')}`)
  const scheduleAt = new Date(Date.now() + 86_400_000).toISOString()
  // Stands for a million recipients: the campaign is stored, except that it is scheduled.
  const beginCampaign = async () => {
    const held = await holdTable(pool, 'scheduled_messages')
    const answer = account.post('/messages/sms', sms(people, { scheduleAt }))
    await eventually(async () => {
      const waiting = await pool`
        select from pg_locks
        where relation = 'scheduled_messages'::regclass and mode = 'RowExclusiveLock' and not granted
      `
      assert.ok(waiting.length > 0)
    })
    return async () => {
      await held.release()
      return answer
    }
  }
  const usedToday = async () => (await account.expect(200).get('/limits')).body.used.credits_today
  const drawnIds = async () => (await pool<[{ last: number }]>`select last_value as last from message_ids`)[0].last

  const endFirst = await beginCampaign()
  await account.expect(200).post('/messages/sms', sms([PHONE]))
  assert.equal((await endFirst()).status, 200)
  assert.equal(await usedToday(), 61)

  // Single sends fill the day of a campaign that had room when it began.
  await limit(service, account, { credits_per_day: 125, messages_per_number: 5 })
  const endSecond = await beginCampaign()
  await account.expect(200).post('/messages/sms', sms(tenPhones(5)))
  const drawn = await drawnIds()
  const refused = await endSecond()
  assert.equal(refused.status, 429, refused.text)
  assert.match(refused.body.error, /may spend 125 credits a day; 66 are spent, and this takes 60/)
  assert.equal(await drawnIds(), drawn, 'the campaign was stored a second time')
  assert.equal(await usedToday(), 66)
  const [stored] = await pool`select count(*) as messages, sum(recipients_count) as recipients from messages`
  assert.deepEqual({ ...stored }, { messages: 3, recipients: 66 })
  const [most] = await pool`select max(used) as used from number_hours`
  assert.equal(most?.used, 1, 'a refused campaign counts for no number')
  await assertLedgerHolds(pool)
})

test('an account that reached a limit is read before its sends for an hour, so that it undoes no more transactions', async (t) => {
  let nowMs = 0
  const reached = new ReachedLimits(() => nowMs)
  assert.equal(reached.has(1), false)
  reached.add(1)
  nowMs += 3_599_000
  assert.deepEqual([reached.has(1), reached.has(2)], [true, false])
  nowMs += 2_000
  assert.equal(reached.has(1), false)

  const service = await startService(t)
  const account = await service.newAccount({ credits: 100 })
  await limit(service, account, { messages_per_number: 1, credits_per_day: 50 })
  await account.expect(200).post('/messages/sms', sms([PHONE]))
  await account.expect(429).post('/messages/sms', sms([PHONE]))
  const drawn = async () => {
    const [row] = await service.pool<[{ last: number }]>`select last_value as last from message_ids`
    return row.last
  }
  // Each try to store a send draws an id: a refused send was not stored and undone.
  const before = await drawn()
  await account.expect(429).post('/messages/sms', sms([PHONE]))
  assert.equal(await drawn(), before + 1)
})

import { strict as assert } from 'node:assert'
import { eventually } from '../../test/checks/eventually.ts'
import { assertLedgerHolds } from '../../test/checks/ledger.ts'
import { overtake } from '../../test/database/overtake.ts'
import { startService, type TestAccount, type TestService, test } from '../../test/service/service.ts'
import { readDatabaseClock } from '../database/clock.ts'
import type { Sql } from '../database/database.ts'

const [ANNA, BEN, CLEO] = ['+33639980001', '+33639980002', '+33639980003'] as const
const DAY_MS = 86_400_000
const DAILY = { name: 'Daily', schedule: '0 10 * * *' }

async function newList(account: TestAccount, contacts: Record<string, string>[]): Promise<number> {
  const { id } = (await account.expect(200).post('/contactlists', { name: 'Clients' })).body
  await addContacts(account, id, contacts)
  return id
}

const addContacts = (account: TestAccount, contactlist_id: number, contacts: Record<string, string>[]) =>
  account.expect(200).post('/contacts', { contactlist_id, contacts })

const isDue = ({ pool }: TestService) => pool`update automations set next_at = now() - interval '1 second'`

const runsOf = async (account: TestAccount, id: number) =>
  (await account.expect(200).get(`/automations/${id}/runs`)).body.items as {
    message_id: number | null
    problem: string | null
  }[]

const phonesOf = async ({ pool }: TestService, messageId: number | null | undefined) =>
  (await pool`select phone from recipients where message_id = ${messageId ?? 0} order by phone`).map(
    ({ phone }) => phone
  )

const untilRuns = (account: TestAccount, id: number, count: number) =>
  eventually(async () => {
    const runs = await runsOf(account, id)
    assert.equal(runs.length, count)
    return runs
  })

test('an automation is made, read, changed and deleted, by its own account only, and keeps to its time zone', async (t) => {
  const service = await startService(t)
  const [account, other] = [await service.newAccount({ credits: 10 }), await service.newAccount()]
  const list = await newList(account, [{ tel: ANNA, champ_prenom: 'Anna' }])
  const template = { name: 'T', content: 'Bonjour #prenom#', sender: 'CHAPPE' }
  const { id: model_id } = (await account.expect(200).post('/models', template)).body
  const input = { ...DAILY, contactlist: [list], sms: { model_id, name: 'Every day', tags: ['daily'] } }
  const { body: made } = await account.expect(200).post('/automations', input)
  assert.deepEqual([made.is_on, made.once, made.channel, made.contactlist], [true, false, 'sms', [list]])
  assert.deepEqual(made.message, {
    content: 'Bonjour #prenom#',
    sender: 'CHAPPE',
    name: 'Every day',
    tags: ['daily']
  })
  assert.ok(Date.parse(made.next_at) > Date.now())
  const path = `/automations/${made.id}`
  assert.deepEqual((await account.expect(200).get(path)).body, made)
  await account.expect(200).put('/users/me', { time_zone: 'America/Martinique' })
  const { next_at: moved } = (await account.expect(200).get(path)).body
  assert.equal(Temporal.Instant.from(moved).toZonedDateTimeISO('America/Martinique').hour, 10)
  assert.equal((await account.expect(200).get('/automations')).body.items.length, 1)
  for (const ask of [
    () => other.expect(404).get(path),
    () => other.expect(404).get(`${path}/runs`),
    () => other.expect(404).put(path, { ...input, contactlist: undefined, segments: [1] }),
    () => other.expect(404).delete(path)
  ]) {
    await ask()
  }
  const changed = { ...input, name: 'Off', is_on: false, sms: { content: 'Bonsoir' } }
  const { body: off } = await account.expect(200).put(path, changed)
  assert.deepEqual([off.name, off.is_on, off.next_at, off.message], ['Off', false, null, { content: 'Bonsoir' }])
  await account.expect(200).delete(path)
  await account.expect(404).get(path)
  assert.equal((await service.pool`select from audit_entries where object_kind = 'automation'`).length, 3)
})

test('slow automations of an account and its sub-account do not hold up those of others', async (t) => {
  const service = await startService(t)
  const account = await service.newAccount({ credits: 100 })
  const [subAccount, other] = [await account.newSubAccount({ credits: 10 }), await service.newAccount({ credits: 10 })]
  const ids: number[] = []
  for (const owner of [account, account, subAccount, other]) {
    const contactlist = [await newList(owner, [{ tel: ANNA }])]
    const input = { ...DAILY, contactlist, sms: { content: 'Bonjour' } }
    ids.push((await owner.expect(200).post('/automations', input)).body.id)
  }
  const [first, second, ofSubAccount, ofOther] = ids
  // As slow as a large segment.
  await service.pool.begin(async (sql) => {
    await sql`create function wait() returns trigger language plpgsql as 'begin perform pg_sleep(0.4); return new; end'`
    await sql`create trigger wait before insert on messages for each row execute function wait()`
    await sql`
      update automations
      set next_at = now() - make_interval(secs => ${ofOther as number} + 1 - id)
    `
  })
  const runs = await eventually(async () => {
    const runs = await service.pool<{ automationId: number }[]>`select automation_id from automation_runs order by id`
    assert.equal(runs.length, 4)
    return runs
  })
  assert.deepEqual(
    runs.map(({ automationId }) => automationId),
    [first, ofOther, second, ofSubAccount]
  )
})

test('a run that fails does not bring back an automation that another process has run meanwhile', async (t) => {
  const service = await startService(t)
  const account = await service.newAccount({ credits: 10 })
  const list = await newList(account, [{ tel: ANNA }])
  const { id } = (
    await account.expect(200).post('/automations', { ...DAILY, contactlist: [list], sms: { content: 'Bonjour' } })
  ).body
  const tomorrow = new Date(Date.now() + DAY_MS)
  await overtake(service, {
    begin: () => isDue(service),
    statement: () => service.pool`update automations set next_at = ${tomorrow}`.execute()
  })
  assert.equal((await account.expect(200).get(`/automations/${id}`)).body.next_at, tomorrow.toISOString())
})

test('an automation that could not be sent is refused with its path, and changes nothing', async (t) => {
  const service = await startService(t)
  const account = await service.newAccount({ credits: 10 })
  const list = await newList(account, [{ tel: ANNA }])
  const good = { ...DAILY, contactlist: [list], sms: { content: 'Bonjour' } }
  const cases: [body: object, path: string][] = [
    [{ ...good, schedule: 'daily' }, 'schedule'],
    [{ ...good, schedule: '* * * * *' }, 'schedule'],
    [{ ...good, contactlist: undefined }, 'segments'],
    [{ ...good, sms: undefined }, 'sms'],
    [{ ...good, sms: {} }, 'sms.content'],
    [{ ...good, rcs: { type: 'text', data: { text: 'Bonjour' } } }, 'rcs'],
    [{ ...good, sms: undefined, rcs: { type: 'text' } }, 'rcs.data'],
    [{ ...good, sms: { content: 'x'.repeat(5_000) } }, 'sms.content'],
    [{ ...good, sms: { content: 'Bonjour', sender: '!!!' } }, 'sms.sender'],
    [{ ...good, name: '' }, 'name']
  ]
  for (const [body, path] of cases) {
    const { body: refused } = await account.expect(400).post('/automations', body)
    assert.ok(
      refused.details.some((detail: { path: string }) => detail.path === path),
      JSON.stringify(refused.details)
    )
  }
  await account.expect(404).post('/automations', { ...good, contactlist: [list, 999_999] })
  await account.expect(404).post('/automations', { ...good, segments: [999_999] })
  await account.expect(404).post('/automations', { ...good, sms: { model_id: 999_999 } })
  assert.equal((await service.pool`select from automations`).length, 0)
})

test('an automation by RCS keeps what its template had: a fallback of its own has the template’s sender', async (t) => {
  const service = await startService(t)
  const account = await service.newAccount({ credits: 10 })
  const list = await newList(account, [{ tel: ANNA }])
  const content = { type: 'text', data: { text: 'Bonjour' } }
  const template = { name: 'T', ...content, fallback: { content: 'Bonjour par SMS', sender: 'Modele' } }
  const { id: model_id } = (await account.expect(200).post('/models/rcs', template)).body
  const cases: [given: object | null | undefined, kept: object][] = [
    [undefined, template.fallback],
    [null, template.fallback],
    [{ content: 'Autre' }, { content: 'Autre', sender: 'Modele' }],
    [
      { content: 'Autre', sender: '' },
      { content: 'Autre', sender: 'Modele' }
    ],
    [
      { content: 'Autre', sender: 'Moi' },
      { content: 'Autre', sender: 'Moi' }
    ]
  ]
  for (const [fallback, kept] of cases) {
    const rcs = { model_id, ...(fallback !== undefined && { fallback }) }
    const { body } = await account.expect(200).post('/automations', { ...DAILY, contactlist: [list], rcs })
    assert.deepEqual(body.message, { ...content, fallback: kept })
    await isDue(service)
    const [run] = await untilRuns(account, body.id, 1)
    await account.expect(200).delete(`/automations/${body.id}`)
    const [stored] = await service.pool`
      select fallback_content as content, fallback_sender as sender
      from rcs_messages
      where message_id = ${run?.message_id ?? 0}
    `
    assert.deepEqual({ ...stored }, kept)
  }
})

test('each run finds its people anew, is a message of its own, and one that is refused says why', async (t) => {
  const service = await startService(t)
  const account = await service.newAccount({ credits: 3 })
  const list = await newList(account, [{ tel: ANNA, champ_prenom: 'Anna' }])
  const input = { ...DAILY, contactlist: [list], sms: { content: 'Bonjour #prenom#', name: 'Daily' } }
  const { id } = (await account.expect(200).post('/automations', input)).body
  await isDue(service)
  const [first] = await untilRuns(account, id, 1)
  assert.deepEqual(await phonesOf(service, first?.message_id), [ANNA])
  const { body: message } = await account.expect(200).get(`/messages/${first?.message_id}`)
  assert.deepEqual([message.name, message.recipients_count, message.credits_required], ['Daily', 1, 1])
  const { body: after } = await account.expect(200).get(`/automations/${id}`)
  assert.ok(Date.parse(after.next_at) > Date.now() && after.last_run_at !== null)

  await addContacts(account, list, [{ tel: BEN, champ_prenom: 'Ben' }])
  await isDue(service)
  const [second] = await untilRuns(account, id, 2)
  assert.deepEqual(await phonesOf(service, second?.message_id), [ANNA, BEN])
  await isDue(service)
  const [third] = await untilRuns(account, id, 3)
  assert.match(third?.problem ?? '', /credits/i)
  await account.expect(200).delete(`/contactlists/${list}`)
  await isDue(service)
  const [fourth] = await untilRuns(account, id, 4)
  assert.match(fourth?.problem ?? '', /list/)
  const { body: broken } = await account.expect(200).get(`/automations/${id}`)
  assert.equal(broken.last_problem, fourth?.problem)
  // With its list gone it can be turned off, and nothing else.
  for (const changes of [{}, { is_on: false, name: 'Other' }, { is_on: false, sms: { content: 'Bonsoir' } }]) {
    await account.expect(404).put(`/automations/${id}`, { ...input, ...changes })
  }
  const { body: off } = await account.expect(200).put(`/automations/${id}`, { ...input, is_on: false })
  assert.deepEqual(off, { ...broken, is_on: false, next_at: null, updated_at: off.updated_at })
  assert.equal((await account.expect(200).get('/users/credits')).body[0].credits, 0)
  await assertLedgerHolds(service.pool)
})

test('a birthday is greeted by the daily run of its day, with the fields of the person', async (t) => {
  const service = await startService(t)
  const account = await service.newAccount({ credits: 10 })
  const today = Temporal.Now.zonedDateTimeISO('Europe/Paris').toPlainDate()
  // Around today: the run may be for yesterday, if no time of the schedule has come today, and the day may change meanwhile.
  const birthdays = [-2, -1, 0, 1, 2].map((days) => today.add({ days }))
  await newList(
    account,
    birthdays.map((day, index) => ({
      tel: `+3363998000${index + 1}`,
      champ_prenom: `P${day.day}`,
      champ_date: `1972${day.toString().slice(4)}`
    }))
  )
  const rules = [{ type: 'field', field: 'champ_date', op: 'anniversary' }]
  const { id: segment } = (await account.expect(200).post('/segments', { name: 'Birthday', match: 'all', rules })).body
  const input = { ...DAILY, segments: [segment], sms: { content: 'Joyeux anniversaire #prenom# !' } }
  const { id } = (await account.expect(200).post('/automations', input)).body
  await isDue(service)
  const [run] = await untilRuns(account, id, 1)
  const [{ ranAt }] = await service.pool<[{ ranAt: Date }]>`select ran_at from automation_runs`
  const moment = Temporal.Instant.fromEpochMilliseconds(ranAt.getTime()).toZonedDateTimeISO('Europe/Paris')
  const day = moment.toPlainDate().subtract({ days: moment.hour < 10 ? 1 : 0 })
  const { items } = (await account.expect(200).get(`/messages/${run?.message_id}/recipients/sms`)).body
  assert.deepEqual(
    items.map(({ content }: { content: string }) => content),
    [`Joyeux anniversaire P${day.day} !`]
  )
  await assertLedgerHolds(service.pool)
})

test('a run that is spread leaves a little at a time', async (t) => {
  const service = await startService(t)
  const account = await service.newAccount({ credits: 10 })
  const list = await newList(account, [{ tel: ANNA }, { tel: BEN }, { tel: CLEO }])
  const given = { ...DAILY, contactlist: [list] }
  const both = { content: 'Bonjour', spread: { minutes: 60, per_hour: 2 } }
  const { body: refused } = await account.expect(400).post('/automations', { ...given, sms: both })
  assert.equal(refused.details[0].path, 'sms.spread')
  const sms = { content: 'Bonjour', spread: { minutes: 60 } }
  const { id } = (await account.expect(200).post('/automations', { ...given, once: true, sms })).body
  await isDue(service)
  const [run] = await untilRuns(account, id, 1)
  const minutes = await service.pool`
    select (extract(epoch from due_at - min(due_at) over ()) / 60)::integer as minute from batches
    where message_id = ${run?.message_id ?? 0} order by due_at`
  assert.deepEqual(
    minutes.map(({ minute }) => minute),
    [0, 20, 40]
  )
})

test('an RCS is kept and sent whole', async (t) => {
  const service = await startService(t)
  const account = await service.newAccount({ credits: 20 })
  const list = await newList(account, [{ tel: ANNA, champ_prenom: 'Anna' }])
  const cards = [{ title: 'Bonjour #prenom#' }, { title: 'Deux', choices: [{ type: 'text', text: 'Oui' }] }]
  const rcs = { type: 'carousel', data: { cards }, fallback: { content: 'Bonjour #prenom#' } }
  const { body } = await account.expect(200).post('/automations', { ...DAILY, contactlist: [list], rcs })
  assert.deepEqual([body.channel, body.message], ['rcs', rcs])
  await isDue(service)
  const [run] = await untilRuns(account, body.id, 1)
  const { items } = (await account.expect(200).get(`/messages/${run?.message_id}/recipients/rcs`)).body
  assert.match(JSON.stringify(items[0].content), /Bonjour Anna.*Deux/)
})

test('with `once` nobody gets it twice, also not after an erasure of somebody else, and a run for nobody leaves no trace', async (t) => {
  const service = await startService(t)
  const account = await service.newAccount({ credits: 10 })
  const list = await newList(account, [{ tel: ANNA }, { tel: BEN }])
  const { id: stop } = (await account.expect(200).post('/stops', { recipient: BEN })).body
  const input = { ...DAILY, once: true, contactlist: [list], sms: { content: 'Bienvenue' } }
  const { id } = (await account.expect(200).post('/automations', input)).body
  await isDue(service)
  const [first] = await untilRuns(account, id, 1)
  assert.deepEqual(await phonesOf(service, first?.message_id), [ANNA])
  const lastRun = async () => (await account.expect(200).get(`/automations/${id}`)).body.last_run_at
  const before = await lastRun()
  await addContacts(account, list, [{ tel: CLEO }])
  await isDue(service)
  const [second] = await untilRuns(account, id, 2)
  assert.deepEqual(await phonesOf(service, second?.message_id), [CLEO])
  // Only who is opted out is left, who was never written to.
  await account.expect(200).delete(`/stops/${stop}`)
  await account.expect(200).delete(`/contacts/by-number/${encodeURIComponent(CLEO)}`)
  assert.deepEqual(
    (await service.pool`select phone from automation_people`).map(({ phone }) => phone),
    [ANNA]
  )
  await isDue(service)
  const [third] = await untilRuns(account, id, 3)
  assert.deepEqual(await phonesOf(service, third?.message_id), [BEN])
  const then = await lastRun()
  await isDue(service)
  await eventually(async () => assert.ok(![before, then].includes(await lastRun())))
  assert.equal((await account.expect(200).get(`/automations/${id}`)).body.last_problem, null)
  assert.equal((await runsOf(account, id)).length, 3)
  await assertLedgerHolds(service.pool)
})

test('two processes run what is due once each; one that is off, or of a suspended account, waits', async (t) => {
  const service = await startService(t)
  const account = await service.newAccount({ credits: 100 })
  const suspended = await service.newAccount({ credits: 100 })
  await service.startPeer(t)
  const list = await newList(account, [{ tel: ANNA }])
  const input = { ...DAILY, contactlist: [list], sms: { content: 'Bonjour' } }
  const ids: number[] = []
  for (let count = 0; count < 12; count++) {
    ids.push((await account.expect(200).post('/automations', input)).body.id)
  }
  const { id: off } = (await account.expect(200).post('/automations', { ...input, is_on: false })).body
  const waitingList = await newList(suspended, [{ tel: BEN }])
  const waiting = (await suspended.expect(200).post('/automations', { ...input, contactlist: [waitingList] })).body.id
  await service.operator
    .expect(200)
    .put(`/accounts/${suspended.id}/standing`, { standing: 'suspended', reason: 'Unpaid.' })
  await service.pool`update automations set next_at = now() - interval '1 second' where next_at is not null`
  for (const id of ids) await untilRuns(account, id, 1)
  await eventually(async () => {
    const [row] = await service.pool`select next_at > now() as is_put_off from automations where id = ${waiting}`
    assert.equal(row?.isPutOff, true)
  })
  assert.equal((await service.pool`select from automation_runs`).length, 12)
  assert.equal((await service.pool`select from messages`).length, 12)
  assert.equal((await account.expect(200).get(`/automations/${off}`)).body.last_run_at, null)
  assert.equal((await account.expect(200).get('/users/credits')).body[0].credits, 88)
  await assertLedgerHolds(service.pool)
})

test('a change while a run is due does not lose the run, and the run has the new text', async (t) => {
  const service = await startService(t)
  const account = await service.newAccount({ credits: 10 })
  const list = await newList(account, [{ tel: ANNA }])
  const input = { ...DAILY, contactlist: [list], sms: { content: 'Bonjour' } }
  const { id } = (await account.expect(200).post('/automations', input)).body
  const path = `/automations/${id}`
  const { changing } = await service.pool.begin(async (database) => {
    await database`update automations set next_at = now() - interval '1 second'`
    const changing = account.expect(200).put(path, { ...input, sms: { content: 'Bonsoir' } })
    await eventually(async () => {
      const waiting =
        await service.pool`select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`
      assert.equal(waiting.length, 1)
    })
    return { changing }
  })
  await changing
  const [run] = await untilRuns(account, id, 1)
  const { body: after } = await account.expect(200).get(path)
  assert.ok(Date.parse(after.next_at) > Date.now())
  assert.deepEqual(after.message, { content: 'Bonsoir' })
  assert.deepEqual(await phonesOf(service, run?.message_id), [ANNA])

  // Another schedule counts from the change, and one that is turned off does not run.
  const { body: moved } = await account.expect(200).put(path, { ...input, schedule: '0 11 * * *' })
  assert.ok(Date.parse(moved.next_at) > Date.now())
  await account.expect(200).put(path, { ...input, is_on: false })
  assert.equal((await runsOf(account, id)).length, 1)
})

test('a run by a clock that is behind the database sets its next time after the one that it is for', async (t) => {
  const service = await startService(t)
  const account = await service.newAccount({ credits: 10 })
  const list = await newList(account, [{ tel: ANNA }])
  const input = { ...DAILY, contactlist: [list], sms: { content: 'Bonjour' } }
  const { id, next_at: nextAt } = (await account.expect(200).post('/automations', input)).body
  const behind = () => Promise.resolve([{ ms: Date.now() - 2 * DAY_MS }])
  // Again and again: the service reads the right time now and then.
  const timer = setInterval(() => readDatabaseClock(behind as unknown as Sql), 5)
  try {
    const dayBefore = Temporal.Instant.from(nextAt).toZonedDateTimeISO('Europe/Paris').subtract({ days: 1 })
    await service.pool`update automations set next_at = ${new Date(dayBefore.epochMilliseconds)}`
    await untilRuns(account, id, 1)
    const { body: after } = await account.expect(200).get(`/automations/${id}`)
    assert.ok(Date.parse(after.next_at) > Date.now(), after.next_at)
    assert.equal((await runsOf(account, id)).length, 1)
  } finally {
    clearInterval(timer)
    await readDatabaseClock(service.pool)
  }
})

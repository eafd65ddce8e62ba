import { strict as assert } from 'node:assert'
import { age, end, take } from '../../test/messages/old-messages.ts'
import { mobiles, send } from '../../test/messages/sending.ts'
import { startService, type TestAccount, type TestService, test } from '../../test/service/service.ts'
import { createRemoveMessages } from '../retention/remove-messages.ts'
import { foldFigures } from './fold-figures.ts'

interface DaySeen {
  day: string
  [figure: string]: number | string
}

const read = async (account: TestAccount, query = ''): Promise<DaySeen[]> =>
  (await account.expect(200).get(`/stats/daily${query}`)).body

/** Only days and figures on which there is something. */
const seen = async (account: TestAccount, query = ''): Promise<Record<string, Record<string, number>>> =>
  Object.fromEntries(
    (await read(account, query)).flatMap(({ day, ...figures }) => {
      const some = Object.entries(figures).filter(([, count]) => count !== 0)
      return some.length === 0 ? [] : [[day, Object.fromEntries(some) as Record<string, number>]]
    })
  )

const today = (timeZone = 'Europe/Paris') => Temporal.Now.plainDateISO(timeZone)

/** A message as if it had been due at this moment. */
async function sendAt({ pool }: TestService, account: TestAccount, moment: string, count = 1): Promise<number> {
  const id = await send(account, { recipients: mobiles(count) })
  await take(pool, id)
  await pool`update messages set scheduled_at = ${moment}::text::timestamptz where id = ${id}`
  return id
}

const fold = async ({ pool }: TestService) => {
  while ((await foldFigures(pool)).isMoreDue);
}

test('by default the last 30 days with today, empty days too', async (t) => {
  const { newAccount } = await startService(t)
  const account = await newAccount()
  const days = await read(account)
  assert.deepEqual(
    days.map(({ day }) => day),
    Array.from({ length: 30 }, (_, index) =>
      today()
        .subtract({ days: 29 - index })
        .toString()
    )
  )
  const results = { sent: 0, delivered: 0, read: 0, failed: 0, stopped: 0, clicked: 0, replied: 0 }
  const nothing = { ...results, credits: 0, opted_out: 0, delivered_with_link: 0 }
  for (const { day, ...figures } of days) assert.deepEqual(figures, nothing, day)
  assert.deepEqual(
    (await read(account, '?from=2026-02-27&to=2026-03-01')).map(({ day }) => day),
    ['2026-02-27', '2026-02-28', '2026-03-01']
  )
  assert.equal((await read(account, '?to=2026-03-01')).length, 30)
  assert.equal((await read(account, '?from=2025-01-01&to=2026-02-04')).length, 400)
  for (const query of [
    'from=2025-01-01&to=2026-02-05',
    'from=2026-03-02&to=2026-03-01',
    `from=${today().add({ days: 2 })}`,
    'from=2026-02-29',
    'from=2026-2-1',
    'from=20260201',
    'to=today',
    'to=',
    'to=2026-03-01T00:00:00Z',
    'from=0001-01-01&to=0001-01-02',
    'channel=fax'
  ]) {
    const { body } = await account.expect(400).get(`/stats/daily?${query}`)
    assert.equal(body.code, 'invalid_input', query)
  }
})

test('every figure is that of the account’s messages of the day, before they are folded and after', async (t) => {
  const service = await startService(t)
  const { pool } = service
  const [account, stranger] = [await service.newAccount({ credits: 100 }), await service.newAccount({ credits: 100 })]
  const day = today().subtract({ days: 2 }).toString()
  const moment = `${day}T12:00:00Z`
  for (const state of [1, 3, 5] as const) await end(pool, await sendAt(service, account, moment, state), state)
  const counts = { clicked_count: 2, replied_count: 1 }
  const touched = await sendAt(service, account, moment, 4)
  await pool`update messages set ${pool(counts)} where id = ${touched}`
  await end(pool, await sendAt(service, stranger, moment, 7))
  const rcs = await sendAt(service, account, moment, 2)
  await end(pool, rcs)
  await pool`
    update messages set channel = 'rcs', delivered_count = 1, read_count = 1, stopped_count = 0 where id = ${rcs}
  `
  const sms = { sent: 13, delivered: 1, failed: 8, clicked: 2, replied: 1, credits: 8 }
  const ofRcs = { sent: 2, delivered: 2, read: 1, credits: 2 }
  const both = { sent: 15, delivered: 3, read: 1, failed: 8, clicked: 2, replied: 1, credits: 10 }
  const check = async () => {
    assert.deepEqual(await seen(account), { [day]: both })
    assert.deepEqual(await seen(account, '?channel=sms'), { [day]: sms })
    assert.deepEqual(await seen(account, '?channel=rcs'), { [day]: ofRcs })
    assert.deepEqual(await seen(stranger), { [day]: { sent: 7, delivered: 7, credits: 7 } })
  }
  await check()
  await fold(service)
  assert.equal((await pool`select from messages where not is_folded`).length, 0)
  await check()

  // Late results are added to the day of the message: first as a change, then merged.
  await end(pool, touched)
  await pool`update messages set replied_count = replied_count + 1 where id = ${touched}`
  const later = { ...both, delivered: 7, replied: 2 }
  assert.deepEqual(await seen(account), { [day]: later })
  await fold(service)
  assert.equal((await pool`select from figure_changes`).length, 0)
  assert.deepEqual(await seen(account), { [day]: later })
})

test('figures stay when their messages have had their time', async (t) => {
  const service = await startService(t, { settings: { CHAPPE_RETENTION_DAYS: '3650' } })
  const { pool } = service
  const account = await service.newAccount({ credits: 100 })
  const id = await send(account, { recipients: mobiles(3) })
  await take(pool, id)
  await end(pool, id)
  await age(pool, [id], { days: 10 })
  const before = await seen(account)
  assert.deepEqual(Object.values(before), [{ sent: 3, delivered: 3, credits: 3 }])
  const { hideOld, removeSlice } = createRemoveMessages(pool, { days: 9, graceSeconds: 0 })
  await hideOld()
  while ((await removeSlice()).isMoreDue);
  await account.expect(404).get(`/messages/${id}`)
  assert.deepEqual(await seen(account), before)
})

test('days are those of the account’s time zone, also when it is changed, and when clocks are', async (t) => {
  const service = await startService(t)
  const account = await service.newAccount({ credits: 100 })
  // In Paris, 29 March 2026 has 23 hours, from 23:00Z to 22:00Z, and 25 October has 25, from 22:00Z to 23:00Z.
  const moments = [
    '2026-03-28T22:59:59.999Z',
    '2026-03-28T23:00:00Z',
    '2026-03-29T21:59:59.999Z',
    '2026-03-29T22:00:00Z',
    '2026-10-24T21:59:59.999Z',
    '2026-10-24T22:00:00Z',
    '2026-10-25T22:59:59.999Z',
    '2026-10-25T23:00:00Z'
  ]
  for (const moment of moments) await sendAt(service, account, moment)
  const range = '?from=2026-03-01&to=2026-11-30'
  const days = async () => Object.entries(await seen(account, range)).map(([day, { sent }]) => [day.slice(5), sent])
  const paris = [
    ['03-28', 1],
    ['03-29', 2],
    ['03-30', 1],
    ['10-24', 1],
    ['10-25', 2],
    ['10-26', 1]
  ]
  assert.deepEqual(await days(), paris)
  await fold(service)
  assert.deepEqual(await days(), paris)
  assert.deepEqual(Object.keys(await seen(account, '?from=2026-03-29&to=2026-03-29')), ['2026-03-29'])
  // Behind by five hours and three quarters.
  await account.expect(200).put('/users/me', { settings: { time_zone: 'Asia/Kathmandu' } })
  assert.deepEqual(await days(), [
    ['03-29', 2],
    ['03-30', 2],
    ['10-25', 2],
    ['10-26', 2]
  ])
})

test('figures add up while messages move, are folded and merged at once', async (t) => {
  const service = await startService(t)
  const { pool } = service
  const account = await service.newAccount({ credits: 1_000 })
  const day = today().subtract({ days: 1 }).toString()
  const ids: number[] = []
  for (let count = 0; count < 20; count++) ids.push(await sendAt(service, account, `${day}T12:00:00Z`, 10))
  let isDone = false
  const folding = [0, 1].map(async () => {
    while (!isDone) await foldFigures(pool)
  })
  const looks: number[] = []
  const looking = (async () => {
    while (!isDone) looks.push((await seen(account))[day]?.sent ?? 0)
  })()
  await Promise.all(ids.map((id) => end(pool, id)))
  isDone = true
  await Promise.all([...folding, looking])
  assert.ok(
    looks.every((sent) => sent === 200),
    'no look sees a message twice, or not at all'
  )
  await fold(service)
  assert.deepEqual(await seen(account), { [day]: { sent: 200, delivered: 200, credits: 200 } })
})

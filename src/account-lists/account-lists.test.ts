import { strict as assert } from 'node:assert'
import { eventually } from '../../test/checks/eventually.ts'
import { startService, type TestService, test } from '../../test/service/service.ts'

interface Row {
  id: number
  subaccount_id: number
  social_reason: string
  standing: string
  sms_credits: number
  sent_30_days: number
  last_activity_at: string | null
}

const logIn = async ({ anonymous }: TestService, who: { email: string; password: string }) => {
  const { token } = (await anonymous.expect(200).post('/auth/login', who)).body
  return anonymous.as({ authorization: `Bearer ${token}` })
}

test('lists show credits, volume, activity and standing; they are searched, filtered and sorted', async (t) => {
  const { operator, newAccount, pool } = await startService(t)
  const parent = await newAccount({ credits: 100 })
  const [a, b, c] = [
    await parent.newSubAccount({ credits: 10 }),
    await parent.newSubAccount({ credits: 30 }),
    await parent.newSubAccount()
  ]
  for (const [account, name] of [
    [a, 'Boulangerie 100%'],
    [b, 'Atelier'],
    [c, 'Cave']
  ] as const) {
    await account.expect(200).put('/users/me', { social_reason: name })
  }
  await pool`
    insert into figures (account_id, quarter_at, channel, sent, delivered, read, failed, stopped, clicked, replied, credits)
    select ${a.id}, now() - age, 'sms', 7, 0, 0, 0, 0, 0, 0, 0
    from unnest(array[interval '1 day', interval '29 days', interval '31 days']) as given (age)
  `
  await parent.expect(200).put(`/subaccount/${c.id}/standing`, { standing: 'suspended', reason: 'Unpaid.' })
  const page = async (query: string): Promise<Row[]> =>
    (await parent.expect(200).get(`/subaccount/paginate${query}`)).body.items
  const ids = async (query: string) => (await page(query)).map(({ subaccount_id }) => subaccount_id)

  const [newest, , oldest] = await page('')
  assert.deepEqual([newest?.subaccount_id, newest?.standing, newest?.sms_credits], [c.id, 'suspended', 0])
  assert.deepEqual(
    [oldest?.subaccount_id, oldest?.sms_credits, oldest?.sent_30_days, oldest?.standing],
    [a.id, 10, 14, 'open']
  )
  assert.deepEqual(await ids('?sort=name&direction=asc'), [b.id, a.id, c.id])
  assert.deepEqual(await ids('?sort=sms_credits'), [b.id, a.id, c.id])
  assert.deepEqual(await ids('?sort=sent&limit=1'), [a.id])
  assert.deepEqual(await ids('?sort=sent&limit=1&page=3'), [b.id])
  assert.equal((await ids('?sort=activity')).length, 3)
  assert.deepEqual(await ids('?search=atel'), [b.id])
  assert.deepEqual(await ids('?search=100%25'), [a.id])
  assert.deepEqual(await ids(`?search=${encodeURIComponent(c.email)}`), [c.id])
  assert.deepEqual(await ids('?search=_'), [])
  assert.deepEqual(await ids('?standing=suspended'), [c.id])
  const extracted = async (query: string) =>
    (await parent.expect(200).get(`/subaccount/extract${query}`)).body.map((row: Row) => row.subaccount_id)
  assert.deepEqual(await extracted(''), [a.id, b.id, c.id])
  assert.deepEqual(await extracted('?search=atel'), [b.id])
  assert.deepEqual(await extracted('?standing=suspended&search=cave'), [c.id])
  assert.deepEqual(await extracted('?standing=closed'), [])
  const { body: waiting } = await operator.expect(200).get('/accounts/extract?standing=suspended')
  assert.deepEqual(
    waiting.map(({ id }: Row) => id),
    [c.id]
  )
  assert.deepEqual(await ids('?standing=closed'), [])
  await parent.expect(400).get('/subaccount/paginate?sort=password')

  const all: Row[] = (await operator.expect(200).get('/accounts?standing=open&sort=sms_credits&limit=100')).body.items
  assert.ok(all.every(({ standing }) => standing === 'open'))
  assert.deepEqual(
    all.map(({ sms_credits }) => sms_credits),
    all.map(({ sms_credits }) => sms_credits).toSorted((x, y) => y - x)
  )
  // Sub-accounts follow the account above.
  await operator.expect(200).put(`/accounts/${parent.id}/standing`, { standing: 'suspended', reason: 'Unpaid.' })
  const suspended: Row[] = (await operator.expect(200).get('/accounts?standing=suspended')).body.items
  assert.deepEqual(new Set(suspended.map(({ id }) => id)), new Set([parent.id, a.id, b.id, c.id]))
})

test('both lists are extracted as CSV, and nobody gets another’s', async (t) => {
  const { operator, url, newAccount } = await startService(t)
  const [parent, stranger] = [await newAccount(), await newAccount()]
  const below = await parent.newSubAccount()
  const csv = async (apiKey: string, path: string) =>
    (await fetch(`${url}${path}`, { headers: { accept: 'text/csv', 'x-api-key': apiKey } })).text()
  const ours = await csv(parent.apiKey, '/subaccount/extract')
  assert.match(ours, /^subaccount_id,email,social_reason,.*sms_credits.*\r\n/)
  assert.ok(ours.includes(below.email))
  assert.equal((await csv(stranger.apiKey, '/subaccount/extract')).trim().split('\r\n').length, 1)
  const all = await csv(operator.apiKey, '/accounts/extract')
  for (const { email } of [parent, stranger, below]) assert.ok(all.includes(email))
  await parent.expect(403).get('/accounts/extract')
})

test('a note is seen from above only; an account gets a new first key from above', async (t) => {
  const { operator, anonymous, newAccount } = await startService(t)
  const [parent, stranger] = [await newAccount(), await newAccount()]
  const below = await parent.newSubAccount()
  await parent.expect(200).put(`/subaccount/${below.id}/note`, { note: 'Pays late.' })
  await stranger.expect(404).put(`/subaccount/${below.id}/note`, { note: 'x' })
  assert.equal((await operator.expect(200).get(`/accounts/${below.id}`)).body.note, 'Pays late.')
  assert.equal((await parent.expect(200).get(`/subaccount/${below.id}/overview`)).body.note, 'Pays late.')
  assert.ok(!(await below.expect(200).get('/users/me')).text.includes('Pays late.'))

  const { body } = await parent.expect(200).post(`/subaccount/${below.id}/key`)
  await below.expect(401).get('/users/me')
  const renewed = anonymous.as({ 'x-api-key': body.apikey, 'x-app-id': body.appId })
  assert.equal((await renewed.expect(200).get('/users/me')).body.id, below.id)
  await stranger.expect(404).post(`/subaccount/${below.id}/key`)
})

test('a person from above looks at an account, a suspended one too, and changes nothing', async (t) => {
  const service = await startService(t)
  const { operator, anonymous, newAccount, pool } = service
  const parent = await newAccount({ credits: 10 })
  const below = await parent.newSubAccount()
  await parent.expect(403).post(`/subaccount/${below.id}/view`)
  const person = await logIn(service, parent)
  await person.expect(404).post(`/subaccount/${parent.id}/view`)
  const { body } = await person.expect(200).post(`/subaccount/${below.id}/view`)
  assert.ok(body.expiresIn <= 3_600)
  const viewer = anonymous.as({ authorization: `Bearer ${body.token}` })
  const { body: me } = await viewer.expect(200).get('/users/me')
  assert.deepEqual([me.id, me.is_viewing], [below.id, true])
  await viewer.expect(200).get('/messages')
  await viewer.expect(403).post('/contactlists', { name: 'Clients' })
  await viewer.expect(403).post('/messages/sms', { recipients: ['0639980001'], content: 'Bonjour' })
  await viewer.expect(403).put('/users/me', { first_name: 'X' })
  await viewer.expect(403).post(`/subaccount/${below.id}/view`)
  await viewer.expect(403).get('/keys')

  await parent.expect(200).put(`/subaccount/${below.id}/standing`, { standing: 'suspended', reason: 'Unpaid.' })
  assert.equal((await viewer.expect(200).get('/users/me')).body.standing, 'suspended')
  const boss = await logIn(service, operator)
  const { body: fromTop } = await boss.expect(200).post(`/accounts/${parent.id}/view`)
  await anonymous
    .as({ authorization: `Bearer ${fromTop.token}` })
    .expect(200)
    .get('/users/credits')
  // The account from which it looks is suspended itself.
  await operator.expect(200).put(`/accounts/${parent.id}/standing`, { standing: 'suspended', reason: 'Unpaid.' })
  await eventually(async () => assert.equal((await viewer.get('/users/me')).status, 403))
  assert.equal((await pool`select from sessions where viewed_from is not null`).length, 2)
})

test('a transfer carries a note and the name of the person or key, who is not told to the account below', async (t) => {
  const service = await startService(t)
  const { operator, newAccount } = service
  const parent = await newAccount({ credits: 10 })
  const below = await parent.newSubAccount()
  const person = await logIn(service, parent)
  await person.expect(200).put('/users/me', { first_name: 'Léa', last_name: 'Martin' })
  await person.expect(200).put(`/subaccount/${below.id}/credits/add`, { credits: 4, note: 'Order 118' })
  await parent.expect(200).put(`/subaccount/${below.id}/credits/remove`, { credits: 1 })
  await operator.expect(200).put(`/accounts/${parent.id}/credits`, { credits: -1, note: 'Correction' })
  const history = async (path: string, reader = parent) => {
    const items = (await reader.expect(200).get(path)).body.items as Record<string, unknown>[]
    return items.filter(({ msgType }) => msgType === 1).map(({ amount, note, made_by }) => [amount, note, made_by])
  }
  assert.deepEqual((await history('/users/credits/history')).slice(0, 3), [
    [-1, 'Correction', null],
    [1, null, 'First key'],
    [-4, 'Order 118', 'Léa Martin']
  ])
  assert.deepEqual(await history(`/subaccount/${below.id}/credits/history`), [
    [-1, null, 'First key'],
    [4, 'Order 118', 'Léa Martin']
  ])
  assert.deepEqual(await history('/users/credits/history', below), [
    [-1, null, null],
    [4, 'Order 118', null]
  ])
  await parent.expect(400).put(`/subaccount/${below.id}/credits/add`, { credits: 1, note: 'x'.repeat(256) })
})

import { strict as assert } from 'node:assert'
import fc from 'fast-check'
import { untilSummary } from '../../test/messages/sending.ts'
import { fileForm } from '../../test/service/file-form.ts'
import { startService, test } from '../../test/service/service.ts'
import { formatMoney, parseMoney } from '../prices/money.ts'
import { foldCredits } from '../statements/fold-credits.ts'
import { foldFigures } from '../stats/fold-figures.ts'

const TITLES = 'carrier,channel,prefix,cost,currency'

test('margins by account and destination: credits by their price, less what carriers or the parent’s credits cost', async (t) => {
  const { operator, newAccount, pool } = await startService(t, { settings: { CHAPPE_ROLES: 'api,delivery' } })
  const parent = await newAccount({ credits: 1_000 })
  const child = await parent.newSubAccount({ credits: 100 })
  const rows = ['sandbox,sms,33,0.0325,EUR', 'sandbox,sms,33639980,0.01,EUR']
  await operator.expect(200).post('/carrier-costs', fileForm(`${TITLES}\n${rows.join('\n')}\n`))
  await operator.expect(200).put(`/accounts/${parent.id}/credit-price`, { price: '0.05', currency: 'EUR' })
  await parent.expect(200).put(`/subaccount/${child.id}/credit-price`, { price: '0.0725', currency: 'EUR' })
  const send = { recipients: ['+33639980013', '+33639981113', '+33639981213'], content: 'Bonjour' }
  const { body: own } = await parent.expect(200).post('/messages/sms', send)
  const { body: childs } = await child.expect(200).post('/messages/sms', { ...send, recipients: ['+33639980013'] })
  await untilSummary(parent, own.message_id, { delivered: 3 })
  await untilSummary(child, childs.message_id, { delivered: 1 })
  await foldCredits(pool)
  for (let turn = 0; turn < 2; turn++) await foldFigures(pool, { hours: 0 })

  const sold = { msgType: 1, country: 'FR', currency: 'EUR', cost_currency: 'EUR', units_without_cost: 0 }
  const { body: ofOperator } = await operator.expect(200).get('/margins')
  assert.deepEqual(
    ofOperator.filter((row: { account_id: number }) => row.account_id === parent.id),
    [
      {
        ...sold,
        account_id: parent.id,
        account_name: ofOperator[0].account_name,
        credits: 4,
        revenue: '0.20',
        // Two by the longer prefix, and each message once.
        cost: '0.085',
        margin: '0.115'
      }
    ]
  )
  const { body: ofParent } = await parent.expect(200).get('/margins')
  assert.deepEqual(ofParent, [
    {
      ...sold,
      account_id: child.id,
      account_name: ofParent[0].account_name,
      credits: 1,
      revenue: '0.0725',
      cost: '0.05',
      margin: '0.0225'
    }
  ])
  assert.deepEqual((await child.expect(200).get('/margins')).body, [])
  const csv = await operator.expect(200).get('/margins', { accept: 'text/csv' })
  assert.match(csv.text, /^account_id,account_name,msgType,country,credits,revenue,currency,cost,cost_currency,margin,/)

  await parent.expect(200).put(`/subaccount/${child.id}/credit-price`, { price: '7', currency: 'JPY' })
  const [changed] = (await parent.expect(200).get('/margins')).body
  assert.deepEqual(
    [changed.revenue, changed.currency, changed.margin],
    ['7', 'JPY', null],
    'currencies have no difference'
  )
  const [sms, rcs] = (await parent.expect(200).get('/users/credits')).body
  assert.deepEqual([sms.price, rcs.price], [0.05, 0.08])
  assert.equal(
    (await child.expect(200).get('/users/credits')).body[0].price,
    0.05,
    'the usual one, without a price in euros'
  )
  await operator.expect(200).put(`/accounts/${parent.id}/credit-price`, { price: '0.0475', currency: 'EUR' })
  const [parents] = (await parent.expect(200).get('/users/credits')).body
  assert.deepEqual([parents.price, parents.unit_price, parents.currency], [0.0475, '0.0475', 'EUR'])
  const [ofChild] = (await child.expect(200).get('/users/credits')).body
  assert.deepEqual([ofChild.unit_price, ofChild.currency], ['7', 'JPY'])
  const { body: prices } = await parent.expect(200).get('/credit-prices')
  assert.deepEqual(
    prices.map((one: Record<string, unknown>) => [one.account_id, one.price, one.currency]),
    [[child.id, '7', 'JPY']]
  )
})

test('what a sub-account of the operator spends of the operator’s credits stands beside its cost', async (t) => {
  const { operator, pool } = await startService(t, { settings: { CHAPPE_ROLES: 'api,delivery' } })
  const own = await operator.newSubAccount({ mode: 'parent' })
  await operator.expect(200).post('/carrier-costs', fileForm(`${TITLES}\nsandbox,sms,*,0.03,EUR\n`))
  await operator.expect(200).put(`/subaccount/${own.id}/credit-price`, { price: '0.05', currency: 'EUR' })
  const { body: sent } = await own
    .expect(200)
    .post('/messages/sms', { recipients: ['+33639980013'], content: 'Bonjour' })
  await untilSummary(own, sent.message_id, { delivered: 1 })
  await foldCredits(pool)
  await foldFigures(pool, { hours: 0 })
  const rows = (await operator.expect(200).get('/margins')).body
  assert.deepEqual(
    rows.map((row: Record<string, unknown>) => [row.account_id, row.credits, row.revenue, row.cost, row.margin]),
    [[own.id, 1, '0.05', '0.03', '0.02']]
  )
})

test('messages from before the first import are units without a cost, so that no margin leaves them out', async (t) => {
  const { operator, newAccount, pool } = await startService(t, { settings: { CHAPPE_ROLES: 'api,delivery' } })
  const account = await newAccount({ credits: 10 })
  await operator.expect(200).put(`/accounts/${account.id}/credit-price`, { price: '0.05', currency: 'EUR' })
  for (const content of ['Avant', 'Après']) {
    if (content === 'Après') {
      await operator.expect(200).post('/carrier-costs', fileForm(`${TITLES}\nsandbox,sms,*,0.03,EUR\n`))
    }
    const { body: sent } = await account.expect(200).post('/messages/sms', { recipients: ['+33639980013'], content })
    await untilSummary(account, sent.message_id, { delivered: 1 })
    await foldCredits(pool)
    await foldFigures(pool, { hours: 0 })
  }
  const [row] = (await operator.expect(200).get('/margins')).body
  assert.deepEqual(
    [row.account_id, row.credits, row.revenue, row.cost, row.margin, row.units_without_cost],
    [account.id, 2, '0.10', '0.03', null, 1]
  )
})

test('a number that is erased before its cost is counted has the cost of its country', async (t) => {
  const { operator, newAccount, pool } = await startService(t, { settings: { CHAPPE_ROLES: 'api,delivery' } })
  const account = await newAccount({ credits: 10 })
  const rows = ['sandbox,sms,33,0.03,EUR', 'sandbox,sms,*,0.09,EUR']
  await operator.expect(200).post('/carrier-costs', fileForm(`${TITLES}\n${rows.join('\n')}\n`))
  const { body: sent } = await account
    .expect(200)
    .post('/messages/sms', { recipients: ['+33639980013'], content: 'Bonjour' })
  await untilSummary(account, sent.message_id, { delivered: 1 })
  await account.expect(200).delete(`/contacts/by-number/${encodeURIComponent('+33639980013')}`)
  assert.deepEqual([...(await pool`select phone from recipients`)], [{ phone: '' }])
  await foldCredits(pool)
  await foldFigures(pool, { hours: 0 })
  const [row] = (await operator.expect(200).get('/margins')).body
  assert.deepEqual([row.account_id, row.country, row.cost], [account.id, 'FR', '0.03'])
})

test('a change of currency, a second currency of costs and costs without sales are rows of their own', async (t) => {
  const { operator, newAccount, pool } = await startService(t)
  const { id } = await newAccount()
  const account = { account_id: id, message_type: 1 }
  for (const [valid_from, currency, amount] of [
    ['2026-01-01', 'EUR', 50_000],
    ['2026-03-05', 'USD', 60_000]
  ] as const) {
    await pool`insert into credit_money ${pool({ ...account, valid_from, currency, amount })}`
  }
  const sold = { ...account, other_id: id, country: 'FR', sender: 'A', added: 0, removed: 0, used: 100, refunded: 10 }
  for (const day of ['2026-03-04', '2026-03-05']) await pool`insert into credit_figures ${pool({ ...sold, day })}`
  const cost = { ...account, country: 'FR', units: 90 }
  for (const [day, country, currency, amount] of [
    ['2026-03-04', 'FR', 'EUR', 900_000],
    ['2026-03-05', 'FR', 'GBP', 700_000],
    ['2026-03-05', 'FR', 'USD', 800_000],
    ['2026-03-05', 'BE', 'USD', 600_000]
  ] as const) {
    await pool`insert into cost_figures ${pool({ ...cost, day, country, currency, amount })}`
  }
  const { body } = await operator.expect(200).get('/margins?from=2026-03-01&to=2026-03-31')
  assert.deepEqual(
    body.map((row: Record<string, unknown>) =>
      ['country', 'credits', 'revenue', 'currency', 'cost', 'cost_currency', 'margin'].map((field) => row[field])
    ),
    [
      ['BE', 0, '0.00', 'USD', '0.60', 'USD', '-0.60'],
      ['FR', 90, '4.50', 'EUR', '0.90', 'EUR', '3.60'],
      ['FR', 90, '5.40', 'USD', '0.80', 'USD', null],
      ['FR', 0, null, null, '0.70', 'GBP', null]
    ]
  )

  // Sub-accounts of the operator buy from it; and sums may be larger than 64 bits.
  const own = await operator.newSubAccount()
  const [most, day] = [1_000_000_000, '2026-04-04']
  await operator.expect(200).put(`/subaccount/${own.id}/credit-price`, { price: '1000000', currency: 'EUR' })
  await pool`update credit_money set valid_from = ${day} where account_id = ${own.id}`
  await pool`insert into credit_figures ${pool({ ...sold, account_id: own.id, other_id: own.id, day, used: 11 * most, refunded: most })}`
  const [large] = (await operator.expect(200).get('/margins?from=2026-04-01&to=2026-04-30')).body
  assert.deepEqual([large.account_id, large.revenue], [own.id, '10000000000000000.00'])
  assert.deepEqual(
    (await operator.expect(200).get('/credit-prices')).body.map((one: Record<string, unknown>) => one.account_id),
    [id, own.id]
  )
})

test('wrong costs and prices are refused with their place, and change nothing', async (t) => {
  const { operator, newAccount, pool } = await startService(t)
  const account = await newAccount()
  const cases: [string, RegExp][] = [
    ['main,sms,33,-1,EUR', /line 2: cost must be a number/],
    ['main,sms,33,0.1234567,EUR', /line 2: cost must be/],
    ['main,sms,33,1e3,EUR', /line 2: cost must be/],
    ['main,sms,33,0.1,XYZ', /line 2: currency must be a code of ISO 4217/],
    ['main,fax,33,0.1,EUR', /line 2: channel must be sms or rcs/],
    [',sms,33,0.1,EUR', /line 2: carrier must be/],
    ['main,sms,0,0.1,EUR', /line 2: prefix must be/],
    ['main,sms,33,0.1,EUR\nmain,sms,+33,0.2,EUR', /line 3: main has two costs for 33/],
    ['main,sms,33,0.1,EUR\nmain,sms,32,0.2,USD', /line 3: main has costs in EUR and in USD/],
    ['', /has no costs/]
  ]
  for (const [rows, problem] of cases) {
    const { body } = await operator.expect(400).post('/carrier-costs', fileForm(`${TITLES}\n${rows}\n`))
    assert.match(body.error, problem, rows)
  }
  const wrong = await operator.expect(400).post('/carrier-costs?check=true', fileForm(`${TITLES}\nmain,sms,0,1,EUR\n`))
  assert.match(wrong.body.error, /line 2: prefix must be/)
  const checked = await operator
    .expect(200)
    .post('/carrier-costs?check=true', fileForm(`${TITLES}\nmain,sms,33,0.1,EUR\n`))
  assert.deepEqual([checked.body.costs, checked.body.message], [1, '1 cost, no mistakes. Nothing was stored.'])
  await account.expect(403).post('/carrier-costs', fileForm(`${TITLES}\nmain,sms,33,0.1,EUR\n`))
  await account.expect(403).get('/carrier-costs')
  for (const body of [
    { price: '0,05', currency: 'EUR' },
    { price: '-1', currency: 'EUR' },
    { price: '0.05', currency: 'eur' },
    { price: '99999999', currency: 'EUR' }
  ]) {
    await operator.expect(400).put(`/accounts/${account.id}/credit-price`, body)
  }
  assert.equal((await pool`select from carrier_costs`).length + (await pool`select from credit_money`).length, 0)
  const file = `${TITLES}\nmain,sms,*,0.03,EUR\n`
  await operator.expect(200).post('/carrier-costs', fileForm(file))
  const exported = await operator.expect(200).get('/carrier-costs', { accept: 'text/csv' })
  assert.equal(exported.text.replaceAll('\r', ''), file)
})

test('money is exact: what is written is read again, with the decimals of its currency', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 999_999_999_999n }), (amount) => {
      for (const currency of ['EUR', 'JPY', 'KWD']) assert.equal(parseMoney(formatMoney(amount, currency)), amount)
    })
  )
  assert.deepEqual(
    [formatMoney(1_000_000n, 'EUR'), formatMoney(1_000_000n, 'JPY'), formatMoney(1_500_000n, 'KWD')],
    ['1.00', '1', '1.500']
  )
  assert.deepEqual([formatMoney(-47_500n, 'EUR'), formatMoney(0n, 'EUR')], ['-0.0475', '0.00'])
})

import { strict as assert } from 'node:assert'
import fc from 'fast-check'
import { pino } from 'pino'
import { eventually } from '../../test/checks/eventually.ts'
import { assertLedgerHolds } from '../../test/checks/ledger.ts'
import { holdTable } from '../../test/database/hold-table.ts'
import { untilWaiting } from '../../test/database/waiting.ts'
import { fileForm } from '../../test/service/file-form.ts'
import { makePriceList, priceFile } from '../../test/service/price-lists.ts'
import { startService, type TestAccount, test } from '../../test/service/service.ts'
import { Prefixes } from './prefixes.ts'
import { type Price, type PriceVersions, rcsShapeOf } from './price.ts'
import { readPriceBook } from './price-book.ts'
import { BUILT_IN_PRICES } from './price-table.ts'
import { listVersionDates } from './prices.store.ts'

const FRANCE = '+33639980001'
const BELGIUM = '+32470000001'

const follow = (account: TestAccount, id: number, rows: string[], fields: Record<string, string> = {}) =>
  account.expect(200).post(`/price-lists/${id}/versions`, fileForm(priceFile(...rows), fields))

const setList = (parent: TestAccount, account: TestAccount, id: number | null) =>
  parent.expect(200).put(`/subaccount/${account.id}/price-list`, { price_list: id })

const send = (account: TestAccount, fields: object = {}) =>
  account.expect(200).post('/messages/sms', { recipients: [FRANCE], content: 'Bonjour', ...fields })

const balance = async (account: TestAccount, type = 0): Promise<number> =>
  (await account.expect(200).get('/users/credits')).body[type].credits

const later = () => new Date(Date.now() + 86_400_000).toISOString()

test('without a list nothing changes: the built-in prices count, and can be read as the list that they are', async (t) => {
  const { operator, newAccount } = await startService(t)
  const account = await newAccount({ credits: 100 })
  const { body } = await send(account, { recipients: [FRANCE, BELGIUM, '+919876543210'] })
  assert.equal(body.credits_used, 1 + 2 + 3)
  assert.deepEqual([body.unpriced], [0])
  const own = (await account.expect(200).get('/users/prices')).body
  assert.deepEqual(own[0], { kind: 'sms', prefix: '33', credits: 1, text_credits: null })
  assert.deepEqual(own.slice(-3), [
    { kind: 'sms', prefix: '*', credits: 3, text_credits: null },
    { kind: 'rcs_basic', prefix: '*', credits: 1, text_credits: null },
    { kind: 'rcs_single', prefix: '*', credits: 2, text_credits: 1 }
  ])
  const buttons = { type: 'text', data: { text: 'Oui ?', choices: [{ type: 'text', text: 'Oui' }] } }
  const rcs = await account.expect(200).post('/messages/rcs', { contacts: [{ recipient: FRANCE }], ...buttons })
  assert.equal(rcs.body.credits_used, 1)
  const { text } = await account.expect(200).get('/users/prices', { accept: 'text/csv' })
  const made = await operator.expect(200).post('/price-lists', fileForm(text, { name: 'As built in' }))
  assert.equal(made.body.prices, own.length)
  assert.deepEqual(
    (await operator.expect(200).get(`/price-lists/${made.body.list.id}/versions/1`)).body.length,
    own.length
  )
})

test('a list counts from its date on; a message keeps the price at which it was accepted', async (t) => {
  const { operator, newAccount, pool } = await startService(t)
  const account = await newAccount({ credits: 100 })
  const id = await makePriceList(operator, 'Default', 'sms,33,4', 'sms,*,9')
  await operator.expect(200).put(`/price-lists/${id}`, { is_default: true })
  assert.equal((await send(account)).body.credits_used, 4)
  const scheduled = (await send(account, { scheduleAt: later(), recipients: [FRANCE, BELGIUM] })).body
  assert.deepEqual([scheduled.credits_used, await balance(account)], [13, 83])

  await follow(operator, id, ['sms,33,5'])
  await follow(operator, id, ['sms,33,6'], { valid_from: later() })
  const [list] = (await operator.expect(200).get('/price-lists')).body
  assert.deepEqual([list.in_force, list.versions.length, list.is_default], [2, 3, true])
  const dryRun = await account
    .expect(200)
    .post('/messages/sms?resumeBefore=true', { recipients: [FRANCE], content: 'x' })
  assert.deepEqual([dryRun.body.credits_required, (await send(account)).body.credits_used], [5, 5])

  // Whoever says what it takes sends at that price, or not at all.
  const many = Array.from({ length: 60 }, (_, index) => `+336399800${10 + index}`)
  for (const [recipients, taken] of [
    [[FRANCE], 5],
    [many, 300]
  ] as const) {
    const sent = { recipients, content: 'Bonjour', expected_credits: (taken * 4) / 5 }
    const { body } = await account.expect(409).post('/messages/sms', sent)
    assert.deepEqual(
      [body.code, body.error, body.details],
      [
        'state_conflict',
        `This takes ${taken} SMS credits now, and not ${sent.expected_credits}; nothing was sent.`,
        [
          {
            path: 'expected_credits',
            message: `is ${sent.expected_credits}, and the message takes ${taken} SMS credits`
          }
        ]
      ]
    )
    await account.expect(200).post('/messages/sms?resumeBefore=true', sent)
  }
  assert.equal(await balance(account), 83 - 5)
  const expected = await send(account, { expected_credits: 5, scheduleAt: later() })
  assert.equal(expected.body.credits_used, 5)
  await account.expect(200).put(`/messages/${expected.body.message_id}/cancel`)

  await account.expect(200).put(`/messages/${scheduled.message_id}/cancel`)
  assert.equal(await balance(account), 100 - 4 - 5, 'what was paid comes back, not what it would take now')
  const again = (await send(account, { scheduleAt: later() })).body
  const replaced = await send(account, { scheduleAt: later(), content: 'Autre', replaces: again.message_id })
  assert.deepEqual([replaced.body.credits_used, await balance(account)], [5, 86])

  // A change with an Idempotency-Key is committed together with its answer.
  for (const credits of [7, 3, 6, 2, 5, 4]) {
    const file = fileForm(priceFile(`sms,33,${credits}`), {})
    await operator.expect(200).post(`/price-lists/${id}/versions`, file, { 'idempotency-key': `${credits}` })
    assert.equal((await send(account)).body.credits_used, credits)
  }
  await assertLedgerHolds(pool)
})

test('a country without a price can’t be written to: the dry run and the send say so, and the rest is sent', async (t) => {
  const { operator, newAccount } = await startService(t)
  const account = await newAccount({ credits: 100 })
  const id = await makePriceList(operator, 'France', 'sms,33,1')
  await operator.expect(200).put(`/accounts/${account.id}/price-list`, { price_list: id })
  const both = { recipients: [FRANCE, BELGIUM], content: 'Bonjour' }
  const { body: dryRun } = await account.expect(200).post('/messages/sms?resumeBefore=true', both)
  assert.deepEqual([dryRun.recipients_count, dryRun.unpriced, dryRun.unpriced_countries], [1, 1, ['BE']])
  const sent = (await account.expect(200).post('/messages/sms', both)).body
  assert.deepEqual([sent.recipients_count, sent.unpriced, sent.credits_used], [1, 1, 1])
  for (const path of ['/messages/sms', '/messages/sms?resumeBefore=true']) {
    const { body } = await account.expect(400).post(path, { ...both, recipients: [BELGIUM] })
    assert.equal(body.code, 'no_price')
    assert.match(body.error, /1 without a price \(BE\)/)
  }
  const rcs = { contacts: [{ recipient: FRANCE }], type: 'text', data: { text: 'Bonjour' } }
  assert.equal((await account.expect(400).post('/messages/rcs', rcs)).body.code, 'no_price')
})

test('a sub-account has the prices of its own list, else its parent’s, else the default; who spends the parent’s credits has the parent’s', async (t) => {
  const { operator, newAccount } = await startService(t)
  const parent = await newAccount({ credits: 1_000 })
  const child = await parent.newSubAccount({ credits: 200 })
  const price = async (account: TestAccount) => (await send(account)).body.credits_used
  const defaults = await makePriceList(operator, 'Default', 'sms,*,2')
  await operator.expect(200).put(`/price-lists/${defaults}`, { is_default: true })
  assert.deepEqual([await price(parent), await price(child)], [2, 2])
  const parents = await makePriceList(operator, 'Parent', 'sms,*,3')
  await operator.expect(200).put(`/accounts/${parent.id}/price-list`, { price_list: parents })
  assert.deepEqual([await price(parent), await price(child)], [3, 3])

  const cheap = await makePriceList(parent, 'Cheap', 'sms,*,4')
  const dear = await makePriceList(parent, 'Dear', 'sms,*,5')
  await setList(parent, child, cheap)
  const scheduled = (await send(child, { scheduleAt: later() })).body
  const before = await balance(child)
  await setList(parent, child, dear)
  assert.deepEqual([await price(parent), await price(child)], [3, 5])
  await child.expect(200).put(`/messages/${scheduled.message_id}/cancel`)
  assert.equal(await balance(child), before - 5 + 4, 'moved between lists: what was accepted comes back at its price')
  const { body: accounts } = await parent.expect(200).get('/price-lists/accounts')
  assert.deepEqual(
    accounts.map((one: Record<string, unknown>) => [one.account_id, one.list_id, one.list_name]),
    [[child.id, dear, 'Dear']]
  )

  await parent.expect(200).put(`/subaccount/${child.id}/credits/mode`, { credits_mode: 'parent' })
  await eventually(async () => assert.equal(await price(child), 3, 'the parent pays what the parent pays'))
  await parent.expect(200).put(`/subaccount/${child.id}/credits/mode`, { credits_mode: 'self' })
  await eventually(async () => assert.equal(await price(child), 5))
  await setList(parent, child, null)
  assert.equal(await price(child), 3)
})

test('a campaign keeps the prices that it began with; if another account pays by its end, that account’s prices count', async (t) => {
  const { operator, newAccount, pool } = await startService(t)
  const parent = await newAccount({ credits: 2_000 })
  const child = await parent.newSubAccount({ credits: 700 })
  const parents = await makePriceList(operator, 'Parent', 'sms,*,3')
  await operator.expect(200).put(`/accounts/${parent.id}/price-list`, { price_list: parents })
  const own = await makePriceList(parent, 'Child', 'sms,*,5')
  await setList(parent, child, own)
  // More than share a transaction.
  const recipients = Array.from({ length: 60 }, (_, index) => `+336399800${10 + index}`)
  const sendDuring = async (change: () => Promise<unknown>) => {
    const held = await holdTable(pool, 'recipients')
    const sending = send(child, { recipients })
    await untilWaiting(pool, 1)
    await change()
    await held.release()
    return (await sending).body.credits_used
  }
  const setMode = (credits_mode: string) =>
    parent.expect(200).put(`/subaccount/${child.id}/credits/mode`, { credits_mode })
  assert.equal(await sendDuring(() => follow(parent, own, ['sms,*,6'])), 60 * 5)
  assert.equal(await sendDuring(() => setMode('parent')), 60 * 3)
  assert.equal(await balance(parent), 2_000 - 700 - 180)
  // A send of few recipients, and a notice that is lost.
  await pool`update accounts set credits_mode = 'self' where id = ${child.id}`
  assert.deepEqual([(await send(child)).body.credits_used, await balance(child)], [6, 700 - 300 - 6])
  assert.equal(await balance(parent), 2_000 - 700 - 180)
  await assertLedgerHolds(pool)
})

test('lists are their maker’s: nobody else sees, follows or sets them, and a change leaves its trace', async (t) => {
  const { operator, newAccount } = await startService(t)
  const [parent, stranger] = [await newAccount({ credits: 10 }), await newAccount()]
  const child = await parent.newSubAccount()
  const id = await makePriceList(parent, 'Mine', 'sms,33,1')
  await parent.expect(409).post('/price-lists', fileForm(priceFile('sms,33,1'), { name: ' MINE ' }))
  for (const client of [stranger, child, operator]) {
    await client.expect(404).post(`/price-lists/${id}/versions`, fileForm(priceFile('sms,33,1')))
    await client.expect(404).get(`/price-lists/${id}/versions/1`)
    await client.expect(404).put(`/price-lists/${id}`, { name: 'Yours' })
    assert.deepEqual((await client.expect(200).get('/price-lists')).body, [])
  }
  await stranger.expect(404).put(`/subaccount/${child.id}/price-list`, { price_list: id })
  await parent.expect(404).put(`/subaccount/${child.id}/price-list`, { price_list: 999 })
  await parent.expect(403).put(`/accounts/${child.id}/price-list`, { price_list: id })
  await parent.expect(403).put(`/price-lists/${id}`, { is_default: true })
  assert.equal((await parent.expect(200).put(`/price-lists/${id}`, { name: 'Ours' })).body.name, 'Ours')
  await setList(parent, child, id)
  const { items } = (await parent.expect(200).get('/audit?limit=10')).body
  assert.deepEqual(
    items.slice(0, 3).map(({ operation }: { operation: string }) => operation),
    ['setSubAccountPriceList', 'changePriceList', 'createPriceList']
  )
})

test('a file with a fault is refused as a whole, with each line at fault; a check stores nothing', async (t) => {
  const { operator, pool } = await startService(t)
  const cases: [file: string | Uint8Array, problem: RegExp][] = [
    ['', /is empty/],
    ['kind,prefix,credits\n', /has no prices/],
    ['kind,prefix,credits,Crédits\nsms,33,1,2\n', /has two columns for credits: credits and Crédits/],
    ['a,b,c\nsms,33,1\n', /must begin with a line of titles: kind,prefix,credits/],
    [priceFile('sms,33,1', 'sms,33,2'), /line 3: sms has two prices for 33: the other is on line 2/],
    [priceFile('sms,+33,1', 'sms,33,1'), /line 3: sms has two prices/],
    [priceFile('sms,33,-1'), /line 2: credits must be a whole number from 1 to 1000/],
    [priceFile('sms,33,1', 'sms,32,1.5'), /line 3: credits must be/],
    [priceFile('sms,33,"1,5"'), /line 2: credits must be/],
    [priceFile('sms,33,0'), /line 2: credits must be/],
    [priceFile('sms,33,1001'), /line 2: credits must be/],
    [priceFile('sms,33,99999999999999999999'), /line 2: credits must be/],
    [priceFile('sms,33,'), /line 2: credits must be/],
    [priceFile('fax,33,1'), /line 2: kind must be sms, rcs_basic, rcs_single, rcs_conversation/],
    [priceFile('sms,,1'), /line 2: prefix must be 1 to 12 digits, such as 33, or \*/],
    [priceFile('sms,0033,1'), /line 2: prefix must be/],
    [priceFile('sms,210,1'), /line 2: prefix 210 begins with no calling code/],
    [priceFile('sms,336,1'), /line 2: sms has a price for 336 and none for the rest of 33; add a line for 33/],
    [priceFile('sms,1246123,1'), /line 2: sms has a price for 1246123 and none for the rest of 1246/],
    [priceFile('sms,12,1'), /line 2: sms has a price for 12 and none for the rest of 1;/],
    [priceFile('sms,7701,1'), /line 2: sms has a price for 7701 and none for the rest of 77/],
    [priceFile('sms,1212,1'), /line 2: sms has a price for 1212 and none for the rest of 1;/],
    [priceFile('sms,1416,1', 'sms,1246,1'), /line 2: sms has a price for 1416 and none for the rest of 1;/],
    [priceFile('sms,1809,1'), /line 2: sms has a price for 1809 and none for the rest of 1829, 1849; add a line for/],
    [priceFile('sms,79,1'), /line 2: sms has a price for 79 and none for the rest of 73, 74, 78; add a line for/],
    [priceFile('sms,447781,1'), /line 2: sms has a price for 447781 and none for the rest of 44;/],
    [priceFile('sms,33,1', 'rcs_basic,33,1'), /line 3: 33 has a price for rcs_basic and none for rcs_single/],
    [priceFile('rcs_basic,33,1', 'rcs_single,33,1'), /line 2: 33 has a price for rcs_basic and none for sms/],
    [
      priceFile('sms,33,1', 'rcs_conversation,33,1'),
      /line 3: 33 has a price for rcs_conversation and none for rcs_single/
    ],
    [new Uint8Array([0x6b, 0, 0, 0xff, 0x0a]), /NUL|titles/]
  ]
  for (const [file, problem] of cases) {
    const { body } = await operator.expect(400).post('/price-lists', fileForm(file, { name: 'Wrong' }))
    assert.match(body.error, problem)
  }
  const many = priceFile(...Array.from({ length: 3 }, (_, index) => `sms,33,${-index - 1}`))
  const { details } = (await operator.expect(400).post('/price-lists', fileForm(many, { name: 'Wrong' }))).body
  assert.deepEqual(
    details.map(({ message }: { message: string }) => message.split(':')[0]),
    ['line 2', 'line 3', 'line 4']
  )
  const dates: [validFrom: string, problem: RegExp][] = [
    ['2020-01-01T00:00:00Z', /in the past/],
    ['2099-01-01T00:00:00Z', /at most two years ahead/],
    ['2026-12-31T23:59:60Z', /is no moment/]
  ]
  for (const [validFrom, problem] of dates) {
    const form = fileForm(priceFile('sms,33,1'), { name: 'Wrong', valid_from: validFrom })
    assert.match((await operator.expect(400).post('/price-lists', form)).body.error, problem)
  }
  const alone = priceFile('sms,77,1', 'sms,1658,2', 'sms,1876,2', 'sms,1246,3')
  await operator.expect(200).post('/price-lists?check=true', fileForm(alone, { name: 'Whole countries' }))
  const good = priceFile('sms,33,1', 'sms,336,2', 'sms,1246,3', 'SMS;7;1'.replaceAll(';', ','), 'sms,77,4')
  const { body } = await operator.expect(200).post('/price-lists?check=true', fileForm(good, { name: 'Good' }))
  assert.deepEqual([body.prices, body.list], [5, null])
  assert.equal((await pool`select from price_lists`).length, 0)
  const utf16 = Buffer.from(`\ufeff${good.replaceAll(',', ';')}`, 'utf16le')
  const { list: stored, message } = (await operator.expect(200).post('/price-lists', fileForm(utf16, { name: 'Good' })))
    .body
  assert.equal(message, '5 prices stored.')
  const exported = await operator.expect(200).get(`/price-lists/${stored.id}/versions/1`, { accept: 'text/csv' })
  assert.equal(exported.text.split('\r\n')[0], 'kind,prefix,credits')
  await assert.rejects(pool`update prices set credits = 1`, /permission denied/)
})

test('a list of a parent never goes below what the parent pays, for a send, a list of prices and a fallback', async (t) => {
  const service = await startService(t)
  const { operator, pool } = service
  const parent = await service.newAccount({ credits: 1_000 })
  const child = await parent.newSubAccount({ credits: 500 })
  const dear = await makePriceList(operator, 'Dear', 'sms,33,4', 'rcs_basic,33,5', 'rcs_single,33,5')
  await operator.expect(200).put(`/accounts/${parent.id}/price-list`, { price_list: dear })
  const own = await makePriceList(
    parent,
    'Own',
    'sms,33,1',
    'sms,336,6',
    'rcs_basic,33,1',
    'rcs_single,33,7',
    'sms,32,2'
  )
  await parent.expect(200).put(`/subaccount/${child.id}/price-list`, { price_list: own })
  const cost = async (recipient: string) =>
    (await child.expect(200).post('/messages/sms', { recipients: [recipient], content: 'Bonjour' })).body.credits_used
  assert.deepEqual([await cost('+33740000001'), await cost(FRANCE)], [4, 6])
  const belgium = { recipients: ['+32470123456'], content: 'Bonjour' }
  assert.equal((await child.expect(400).post('/messages/sms', belgium)).body.code, 'no_price')
  const told = (await child.expect(200).get('/users/prices')).body.map(
    ({ kind, prefix, credits }: Price) => `${kind} ${prefix} ${credits}`
  )
  assert.deepEqual(told.sort(), ['rcs_basic 33 5', 'rcs_single 33 7', 'sms 33 4', 'sms 336 6'])

  // An RCS keeps both versions.
  await parent.expect(200).put(`/subaccount/${child.id}/credits/add`, { credits: 50, msgType: 2 })
  const rcs = { contacts: [{ recipient: FRANCE }], type: 'text', data: { text: 'Bonjour' } }
  assert.equal((await child.expect(200).post('/messages/rcs', rcs)).body.credits_used, 5)
  const [stored] = await pool`select price_version is not null and price_floor > 0 as is_kept from rcs_messages`
  assert.equal(stored?.isKept, true)
  const book = await readPriceBook(pool, pino({ level: 'silent' }))
  t.after(() => book.stop())
  const [versions] = await pool<[PriceVersions]>`select price_version, price_floor from rcs_messages`
  await book.load([versions])
  assert.deepEqual(
    [book.byVersions(versions).segment('+33740000001'), book.byVersions(versions).segment(FRANCE)],
    [4, 6]
  )

  // What the operator gives counts as it is.
  const cheap = await makePriceList(operator, 'Cheap', 'sms,33,2')
  await operator.expect(200).put(`/accounts/${child.id}/price-list`, { price_list: cheap })
  assert.equal(await cost(FRANCE), 2)
  const operators = await operator.newSubAccount({ credits: 10 })
  await setList(operator, operators, cheap)
  await operator.expect(200).put(`/price-lists/${dear}`, { is_default: true })
  assert.equal((await send(operators)).body.credits_used, 2, 'also to a sub-account of its own')
})

test('lists that nobody has, and versions far ahead, stay out of memory, and an account stores a bounded number of prices', async (t) => {
  const { operator, newAccount, pool } = await startService(t)
  const account = await newAccount()
  const rows = ['sms,*,1', 'rcs_basic,*,1', 'rcs_single,*,1', 'rcs_conversation,*,2']
  const id = await makePriceList(operator, 'Unused', ...rows)
  const book = await readPriceBook(pool, pino({ level: 'silent' }))
  t.after(() => book.stop())
  assert.equal(book.sellsConversations, false, 'its prices are not loaded')
  await operator.expect(200).put(`/accounts/${account.id}/price-list`, { price_list: id })
  await book.reread()
  assert.equal(book.sellsConversations, true)

  const parent = await newAccount()
  const child = await parent.newSubAccount()
  const ahead = await makePriceList(parent, 'Ahead', ...rows.slice(0, 3))
  await follow(parent, ahead, rows, { valid_from: later() })
  await setList(parent, child, ahead)
  await operator.expect(200).put(`/accounts/${account.id}/price-list`, { price_list: null })
  const second = await readPriceBook(pool, pino({ level: 'silent' }))
  t.after(() => second.stop())
  assert.equal(second.sellsConversations, false)
  const [, old] = await pool<{ id: number }[]>`
    insert into price_versions (list_id, number, id, valid_from, made_by, prices_count)
    values (${ahead}, 3, nextval('price_version_ids'), now() - interval '2 hours', '', 99990),
      (${ahead}, 4, nextval('price_version_ids'), now() - interval '3 hours', '', 0)
    returning id
  `
  await second.refresh()
  const past = new Date(Date.now() - 2.5 * 3_600_000)
  const priced = { accountId: child.id, parentId: parent.id }
  assert.throws(() => second.forAccount(priced, past), /being read/, 'and not the price of another list')
  await second.load([{ priceVersion: old?.id ?? null, priceFloor: null }])
  second.forAccount(priced, past)
  const tooMuch = await parent.expect(409).post(`/price-lists/${ahead}/versions`, fileForm(priceFile(...rows)))
  assert.match(tooMuch.body.error, /An account stores at most 100000 prices/)

  await pool`
    insert into price_versions (list_id, number, id, valid_from, made_by, prices_count)
    values (${id}, 2, nextval('price_version_ids'), now(), '', 499993)
  `
  const more = (rows: string[]) => fileForm(priceFile(...rows))
  const { body } = await operator.expect(409).post(`/price-lists/${id}/versions`, more(rows))
  assert.match(body.error, /An account stores at most 500000 prices/)
  await operator.expect(200).post(`/price-lists/${id}/versions`, more(rows.slice(0, 3)))
})

test('of lists that nobody has no process reads the versions, and an account that is not the operator has a bounded number of them', async (t) => {
  const { operator, newAccount, pool } = await startService(t)
  const [parent, rows] = [await newAccount(), ['sms,*,1']]
  const child = await parent.newSubAccount()
  const ids = [await makePriceList(parent, 'One', ...rows), await makePriceList(parent, 'Two', ...rows)]
  await setList(parent, child, ids[0] as number)
  await pool`
    insert into price_versions (list_id, number, id, valid_from, made_by, prices_count)
    select list_id, number, nextval('price_version_ids'), now() - interval '1 day', '', 1
    from unnest(${ids}::bigint[]) as list_id
    cross join generate_series(2, 900) as number
  `
  const [assigned = 0, unused] = ids
  const dates = await listVersionDates(pool, [assigned])
  assert.deepEqual([dates.length, dates.some(({ listId }) => listId === unused)], [900, false])
  const book = await readPriceBook(pool, pino({ level: 'silent' }))
  t.after(() => book.stop())
  assert.equal(book.forAccount({ accountId: child.id, parentId: parent.id }, new Date()).segment('+33639980001'), 1)

  await pool`
    insert into price_lists (account_id, id, name)
    select ${parent.id}, nextval('price_list_ids'), 'more ' || number
    from generate_series(1, 4) as number
  `
  await pool`
    insert into price_versions (list_id, number, id, valid_from, made_by, prices_count)
    select price_lists.id, number, nextval('price_version_ids'), now(), '', 1
    from price_lists
    cross join generate_series(1, 800) as number
    where name like 'more %'
  `
  const { body } = await parent.expect(409).post(`/price-lists/${unused}/versions`, fileForm(priceFile(...rows)))
  assert.equal(body.error, 'An account stores at most 5000 versions, over all of its lists.')
  await makePriceList(operator, 'Of the operator', ...rows)
})

test('another process prices by a new list as soon as it is told', async (t) => {
  const service = await startService(t)
  const peer = await service.startPeer(t)
  const account = await service.newAccount({ credits: 1_000 })
  const id = await makePriceList(service.operator, 'Default', 'sms,*,7')
  await service.operator.expect(200).put(`/price-lists/${id}`, { is_default: true })
  const there = peer.anonymous.as({ 'x-api-key': account.apiKey })
  await eventually(async () => {
    const sent = await there.expect(200).post('/messages/sms', { recipients: [FRANCE], content: 'Bonjour' })
    assert.equal(sent.body.credits_used, 7)
  })
})

test('RCS is basic up to 160 bytes without buttons, by the text that each person gets', async (t) => {
  const { operator, newAccount } = await startService(t)
  const account = await newAccount({ credits: 1_000 })
  const id = await makePriceList(operator, 'RCS', 'sms,*,1', 'rcs_basic,*,3', 'rcs_single,*,8')
  await operator.expect(200).put(`/accounts/${account.id}/price-list`, { price_list: id })
  const price = async (fields: object) => {
    const body = { contacts: [{ recipient: FRANCE }], type: 'text', ...fields }
    return (await account.expect(200).post('/messages/rcs', body)).body.credits_used
  }
  assert.equal(await price({ data: { text: 'é'.repeat(80) } }), 3)
  assert.equal(await price({ data: { text: `${'é'.repeat(80)}x` } }), 8)
  assert.equal(await price({ data: { text: 'Oui ?', choices: [{ type: 'text', text: 'Oui' }] } }), 8)
  assert.equal(await price({ type: 'card', data: { title: 'Bonjour' } }), 8)
  const contacts = [
    { recipient: FRANCE, nom: 'x'.repeat(10) },
    { recipient: '+33639980002', nom: 'x'.repeat(200) }
  ]
  assert.equal(await price({ contacts, data: { text: 'Bonjour #nom#' } }), 3 + 8)
})

test('the longest prefix counts, for every number and list', () => {
  const prefix = fc.stringMatching(/^([1-9][0-9]{0,5})?$/)
  fc.assert(
    fc.property(fc.uniqueArray(prefix), fc.stringMatching(/^[1-9][0-9]{5,12}$/), (prefixes, digits) => {
      const found = new Prefixes(prefixes.map((one, index) => [one, index + 1] as const))
      assert.deepEqual(
        new Map(found.entries()),
        new Map(prefixes.map((one, index) => [one, index + 1])),
        'nothing is lost'
      )
      const longest = prefixes.filter((one) => digits.startsWith(one)).sort((a, b) => b.length - a.length)[0]
      assert.equal(found.find(`+${digits}`), longest === undefined ? undefined : prefixes.indexOf(longest) + 1)
    })
  )
  assert.deepEqual(rcsShapeOf({ type: 'text', data: { text: 'x' } }), { type: 'text', isBasic: true })
  assert.equal(BUILT_IN_PRICES.segment('+33639980001'), 1)
})

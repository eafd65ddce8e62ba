import { strict as assert } from 'node:assert'
import { eventually } from '../../test/checks/eventually.ts'
import { assertInvariants } from '../../test/checks/invariants.ts'
import { mobiles, readRecipients, send, startDelivering, untilSummary } from '../../test/messages/sending.ts'
import { carrierTo, startSmsc } from '../../test/peers/smsc.ts'
import { fileForm } from '../../test/service/file-form.ts'
import { startService, type TestAccount, type TestService, test } from '../../test/service/service.ts'
import { writeMail } from '../mail/kinds.ts'
import { GENERIC_WORDS } from './generic-words.ts'
import { isLookAlike } from './look-alikes.ts'
import { RegisterContents } from './register.ts'
import type { Finding } from './sender.ts'

const PHONE = '+33639980001'
const PDF = '%PDF-1.4\nThe trade mark of a shop.'
const sms = (sender: string, more: object = {}) => ({ recipients: [PHONE], content: 'Bonjour', sender, ...more })

async function declare(account: TestAccount, name: string, more: object = {}): Promise<number> {
  return (await account.expect(200).post('/senders', { name, ...more })).body.id
}

const decide = ({ operator }: TestService, account: TestAccount, id: number, decision: object) =>
  operator.expect(200).put(`/accounts/${account.id}/senders/${id}`, decision)

async function approve(service: TestService, account: TestAccount, name: string, more: object = {}): Promise<number> {
  const id = await declare(account, name, more)
  await decide(service, account, id, { state: 'approved' })
  return id
}

const setMode = async ({ operator }: TestService, { id }: TestAccount, mode: string | null) =>
  (await operator.expect(200).put(`/accounts/${id}/sender-mode`, { mode })).body

/** The register is read within a second. */
async function untilStatus(account: TestAccount, body: object, status: number) {
  await eventually(async () => {
    const { status: found, text } = await account.post('/messages/sms?resumeBefore=true', body)
    assert.equal(found, status, text)
  })
}

const kindsOf = (findings: Finding[]) => findings.map(({ kind }) => kind)

test('names that look alike on a phone, or differ by one character, are told from others', () => {
  const alike = ['MYBANK MYB4NK', 'PAYPAL PAYPA1', 'Bank0 BankO', 'MODERN MODEM', 'LIDLI l1dl1', '5HOP SHOP']
  alike.push('MYSHOP MY-SHOP', 'MYSHOP MYSHOPS', 'MYSHOP MYSHP', 'MYSHOP MYSHAP', 'VVEB WEB')
  for (const pair of alike) {
    const [one = '', other = ''] = pair.split(' ')
    assert.ok(isLookAlike(one, other) && isLookAlike(other, one), pair)
  }
  for (const pair of ['MYSHOP YOURSHOP', 'SHOP SHIP', 'ABC ABD', 'MYSHOP MYSOHP', 'MYSHOP MYSHOPPE', 'MYSHOP SHOPMY']) {
    const [one = '', other = ''] = pair.split(' ')
    assert.ok(!isLookAlike(one, other), pair)
  }
  for (const word of ['alert', 'info', 'bank']) assert.ok(GENERIC_WORDS.includes(word))
})

test('the mode of an account is the operator’s word, or the stricter of those above it', () => {
  const modeOf = (mode: 'open' | 'warn' | 'enforce', modes: [number, string | null, string | null][]) => {
    const rows = modes.map(([accountId, byOperator, byParent]) => ({ accountId, byOperator, byParent })) as never
    return new RegisterContents({ mode, senders: [], grants: [], modes: rows }).modeOf(2, 1)
  }
  assert.equal(modeOf('open', []), 'open')
  assert.equal(modeOf('warn', []), 'warn')
  assert.equal(modeOf('enforce', [[1, 'open', null]]), 'open')
  assert.equal(modeOf('open', [[1, 'warn', null]]), 'warn')
  assert.equal(modeOf('open', [[2, null, 'enforce']]), 'enforce')
  assert.equal(modeOf('enforce', [[2, null, 'open']]), 'enforce')
  assert.equal(modeOf('enforce', [[2, 'warn', 'enforce']]), 'warn')
})

test('a declared sender waits, and is approved, disabled, enabled, refused and withdrawn; each in the trail', async (t) => {
  const service = await startService(t)
  const { operator, pool } = service
  const [account, other] = [await service.newAccount(), await service.newAccount()]
  const { body: made } = await account.expect(200).post('/senders', {
    name: 'MyShop',
    countries: ['BE', 'FR', 'FR'],
    use: 'marketing',
    proof: 'Our trade mark.',
    link: 'https://shop.example/legal'
  })
  assert.deepEqual(
    [made.state, made.countries, made.use, made.link, made.findings],
    ['waiting', ['BE', 'FR'], 'marketing', 'https://shop.example/legal', []]
  )
  assert.equal((await account.expect(409).post('/senders', { name: 'MYSHOP' })).body.code, 'state_conflict')
  const twice = await Promise.all([1, 2, 3].map(() => account.post('/senders', { name: 'ATONCE' })))
  assert.deepEqual(twice.map(({ status }) => status).sort(), [200, 409, 409])

  const path = `/accounts/${account.id}/senders/${made.id}`
  await operator.expect(400).put(path, { state: 'refused' })
  await operator.expect(400).put(path, { state: 'refused', reason: '  ' })
  await operator.expect(409).put(path, { state: 'disabled', reason: 'Spam.' })
  await operator.expect(404).put(`/accounts/${other.id}/senders/${made.id}`, { state: 'approved' })
  await account.expect(403).put(path, { state: 'approved' })
  const both = await Promise.all([
    operator.put(path, { state: 'approved', from: 'waiting' }),
    operator.put(path, { state: 'refused', reason: 'No proof.', from: 'waiting' })
  ])
  assert.deepEqual(both.map(({ status }) => status).sort(), [200, 409])
  await operator.put(path, { state: 'approved' })
  await decide(service, account, made.id, { state: 'disabled', reason: 'Spam was sent.' })
  const { body: own } = await account.expect(200).get(`/senders/${made.id}`)
  assert.deepEqual([own.state, own.reason], ['disabled', 'Spam was sent.'])
  assert.match((await account.expect(409).delete(`/senders/${made.id}`)).body.error, /is disabled/)
  await decide(service, account, made.id, { state: 'approved' })
  await other.expect(404).get(`/senders/${made.id}`)
  await other.expect(404).delete(`/senders/${made.id}`)
  await account.expect(200).delete(`/senders/${made.id}`)
  await account.expect(404).get(`/senders/${made.id}`)
  const { body: trail } = await account.expect(200).get('/audit?object_kind=sender&limit=100')
  const acts = trail.items.map(({ operation }: { operation: string }) => operation)
  for (const act of ['declareSender', 'decideAccountSender', 'withdrawSender']) assert.ok(acts.includes(act), act)

  const bad: [body: object, path: string][] = [
    [{ name: '06 12 34 56 78' }, 'name'],
    [{ name: '12345' }, 'name'],
    [{ name: 'A B', countries: ['FR'] }, 'name'],
    [{ name: 'MYSHOP', countries: ['XX'] }, 'countries'],
    [{ name: 'MYSHOP', link: 'javascript:alert(1)' }, 'link'],
    [{ name: 'MYSHOP', use: 'all' }, 'use'],
    [{}, 'name']
  ]
  const before = await pool`select count(*) from senders`
  for (const [body, field] of bad) {
    const { body: refused } = await account.expect(400).post('/senders', body)
    assert.equal(refused.details[0].path, field, JSON.stringify(refused))
  }
  assert.deepEqual(await pool`select count(*) from senders`, before)
})

test('a proof is a small PDF, PNG or JPEG by its content, for its account and whoever decides', async (t) => {
  const service = await startService(t)
  const parent = await service.newAccount()
  const [account, stranger] = [await parent.newSubAccount(), await service.newAccount()]
  const id = await declare(account, 'MYSHOP')
  const { body } = await account.expect(200).post(`/senders/${id}/proof`, fileForm(PDF, {}, { name: '../mark.pdf' }))
  assert.equal(body.file, 'mark.pdf')
  const expected = { file: 'mark.pdf', type: 'application/pdf', content: Buffer.from(PDF).toString('base64') }
  for (const [reader, path] of [
    [account, `/senders/${id}/proof`],
    [parent, `/subaccount/${account.id}/senders/${id}/proof`],
    [service.operator, `/accounts/${account.id}/senders/${id}/proof`]
  ] as const) {
    assert.deepEqual((await reader.expect(200).get(path)).body, expected)
  }
  await stranger.expect(404).get(`/senders/${id}/proof`)
  await stranger.expect(404).get(`/subaccount/${account.id}/senders/${id}/proof`)
  await stranger.expect(403).get(`/accounts/${account.id}/senders/${id}/proof`)
  await stranger.expect(404).post(`/senders/${id}/proof`, fileForm(PDF))
  await account.expect(400).post(`/senders/${id}/proof`, fileForm('<html>', {}, { name: 'mark.pdf' }))
  const large = Buffer.alloc(2 * 1024 * 1024 + 1, '%PDF-')
  const { body: tooLarge } = await account.expect(400).post(`/senders/${id}/proof`, fileForm(large))
  assert.match(tooLarge.error, /2097152 is the most/)
  assert.deepEqual((await account.expect(200).get(`/senders/${id}/proof`)).body, expected)
})

test('generic words, look-alikes of others and the operator’s lists are told before anybody is asked', async (t) => {
  const service = await startService(t)
  const { operator } = service
  const [bank, account] = [await service.newAccount(), await service.newAccount()]
  const sub = await bank.newSubAccount()
  await approve(service, bank, 'GOODBANK')
  const check = async (asker: TestAccount, name: string, country = 'FR') =>
    (await asker.expect(200).get(`/senders/check?name=${encodeURIComponent(name)}&country=${country}`)).body
  const none = await check(account, 'MYSHOP')
  assert.deepEqual(none, { is_refused: false, problem: '', findings: [] })
  assert.deepEqual(kindsOf((await check(account, 'ALERT')).findings), ['generic'])
  assert.deepEqual(kindsOf((await check(account, '1NF0')).findings), ['generic'])
  const likes = await check(account, 'G00DBANK')
  assert.deepEqual([kindsOf(likes.findings), likes.findings[0].name], [['looks-like'], 'GOODBANK'])
  assert.equal(likes.findings[0].account_id, null, 'whose it is, is for whoever decides')
  assert.deepEqual(kindsOf((await check(account, 'GOODBANKS')).findings), ['looks-like'])
  assert.deepEqual(kindsOf((await check(account, 'goodbank')).findings), ['taken'])
  assert.deepEqual((await check(sub, 'G00DBANK')).findings, [], 'a family shares its names')
  assert.deepEqual(kindsOf((await check(account, 'MYSHOP', 'US')).findings), ['country'])
  assert.deepEqual(kindsOf((await check(account, 'MYSHOP', 'SG')).findings), ['country'])
  assert.match((await check(account, 'MY SHOP')).problem, /3 to 11 letters and digits/)

  const list = `name;kind;account;note\nBADNAME;;;blocked\ncasino;word\nPOSTBOX;reserved;${bank.id};letter\nx;forbidden\nNOBODY;reserved;999999\nODD;other\nLONELY;reserved`
  const { body: imported } = await operator
    .expect(200)
    .post('/sender-lists/file', fileForm(list, {}, { name: 'l.csv' }))
  assert.deepEqual([imported.added, imported.updated, imported.invalid, imported.errors.length], [3, 0, 4, 4])
  await operator.expect(400).post('/sender-lists/file', fileForm('one;two\n1;2'))
  await account.expect(403).post('/sender-lists/file', fileForm(list))
  await account.expect(403).get('/sender-lists')
  for (const name of ['BADNAME', 'B4DNAME', 'MYCASINO', 'POSTBOX', 'P0STBOX']) {
    assert.equal((await check(account, name)).is_refused, true, name)
    const { body: refused } = await account.expect(400).post('/senders', { name })
    assert.equal(refused.details[0].path, 'name')
  }
  assert.deepEqual(kindsOf((await check(account, 'POSTBOXX')).findings), ['looks-like'])
  await declare(bank, 'POSTBOX')
  await declare(sub, 'POSTBOX')

  // A name that is forbidden after its declaration can’t be approved.
  const id = await declare(account, 'LATEST1')
  await operator.expect(200).post('/sender-lists/file', fileForm('name\nLATEST1'))
  const path = `/accounts/${account.id}/senders/${id}`
  assert.match((await operator.expect(409).put(path, { state: 'approved' })).body.error, /the operator forbids/)
  const { body: found } = await operator.expect(200).get('/sender-lists?search=latest')
  assert.deepEqual([found.meta.totalItems, found.items[0].kind], [1, 'forbidden'])
  await account.expect(403).delete(`/sender-lists/${found.items[0].id}`)
  await operator.expect(200).delete(`/sender-lists/${found.items[0].id}`)
  await operator.expect(404).delete(`/sender-lists/${found.items[0].id}`)
  await operator.expect(200).put(path, { state: 'approved' })
})

test('a parent decides on its sub-accounts, the operator on all, and the operator’s word stays', async (t) => {
  const service = await startService(t)
  const { operator } = service
  const parent = await service.newAccount()
  const sub = await parent.newSubAccount()
  const stranger = await service.newAccount()
  const id = await declare(sub, 'MYSHOP', { proof: 'Trade mark 1.' })
  const like = await declare(stranger, 'MYSH0P')
  const queue = async (asker: TestAccount, query = '') =>
    (await asker.expect(200).get(`/sender-requests${query}`)).body.items.map(({ id }: { id: number }) => id)
  assert.deepEqual(await queue(operator), [id, like])
  assert.deepEqual(await queue(parent), [id])
  assert.deepEqual(await queue(stranger), [])
  assert.deepEqual(await queue(operator, '?state=waiting&limit=1&page=2'), [like])
  assert.deepEqual(await queue(operator, '?search=SH0'), [like])
  await operator.expect(400).get('/sender-requests?limit=1001')
  const [seen] = (await operator.expect(200).get('/sender-requests')).body.items
  assert.deepEqual(
    [seen.account.id, seen.account.parent_id, seen.account.mode, seen.proof],
    [sub.id, parent.id, 'open', 'Trade mark 1.']
  )
  assert.deepEqual([seen.findings[0].kind, seen.findings[0].account_id], ['looks-like', stranger.id])

  const path = `/subaccount/${sub.id}/senders/${id}`
  await stranger.expect(404).put(path, { state: 'approved' })
  await parent.expect(200).put(path, { state: 'approved' })
  await operator.expect(200).put(`/accounts/${sub.id}/senders/${id}`, { state: 'disabled', reason: 'Complaints.' })
  assert.match((await parent.expect(409).put(path, { state: 'approved' })).body.error, /only the operator changes that/)
  assert.deepEqual(await queue(operator), [like, id])

  // Nobody loosens their own mode, and a parent not below its own.
  await stranger.expect(403).put(`/accounts/${stranger.id}/sender-mode`, { mode: 'open' })
  await stranger.expect(404).put(`/subaccount/${sub.id}/sender-mode`, { mode: 'open' })
  await operator.expect(400).put(`/accounts/${sub.id}/sender-mode`, { mode: 'strict' })
  assert.deepEqual(await setMode(service, parent, 'warn'), { id: parent.id, mode: 'warn', effective: 'warn' })
  await eventually(async () => {
    const { body } = await parent.expect(200).put(`/subaccount/${sub.id}/sender-mode`, { mode: 'open' })
    assert.deepEqual(body, { id: sub.id, mode: 'open', effective: 'warn' })
  })
  const { body: stricter } = await parent.expect(200).put(`/subaccount/${sub.id}/sender-mode`, { mode: 'enforce' })
  assert.equal(stricter.effective, 'enforce')
  assert.deepEqual((await parent.expect(200).get(`/subaccount/${sub.id}/sender-mode`)).body, stricter)
  await eventually(async () => assert.equal((await sub.expect(200).get('/senders')).body.mode, 'enforce'))
})

test('open lets everything pass, warn tells, and enforce refuses, wherever a sender is written', async (t) => {
  const service = await startService(t)
  const account = await service.newAccount({ credits: 100 })
  await approve(service, account, 'MYSHOP', { countries: ['FR'], use: 'marketing' })
  const free = await account.expect(200).post('/messages/sms', sms('UNKNOWN'))
  assert.equal('warnings' in free.body, false)

  await setMode(service, account, 'warn')
  await eventually(async () => {
    const { body } = await account.expect(200).post('/messages/sms?resumeBefore=true', sms('UNKNOWN'))
    assert.match(body.warnings?.[0] ?? '', /^The sender UNKNOWN is not approved for this account/)
  })
  const told = await account.expect(200).post('/messages/sms', sms('myshop'))
  assert.match(told.body.warnings[0], /approved for marketing messages only/)
  const template = { name: 'T', content: 'Bonjour', sender: 'UNKNOWN' }
  assert.equal((await account.expect(200).post('/models', template)).body.warnings.length, 1)
  assert.equal(
    (await account.expect(200).put('/users/me', { settings: { sender: 'UNKNOWN' } })).body.warnings.length,
    1
  )

  await setMode(service, account, 'enforce')
  await untilStatus(account, sms('UNKNOWN'), 403)
  const fallback = { contacts: [{ recipient: PHONE }], type: 'text', data: { text: 'Hi' } }
  const model = { name: 'R', type: 'text', data: { text: 'Hi' }, fallback: { content: 'Hi', sender: 'UNKNOWN' } }
  for (const [method, path, body] of [
    ['post', '/messages/sms', sms('UNKNOWN')],
    // The account’s own, which was set before.
    ['post', '/messages/sms', { recipients: [PHONE], content: 'Bonjour' }],
    ['post', '/messages/rcs', { ...fallback, fallback: { content: 'Hi', sender: 'UNKNOWN' } }],
    ['post', '/models', template],
    ['post', '/models/rcs', model],
    ['put', '/users/me', { settings: { sender: 'UNKNOWN' } }],
    ['post', '/messages/sms', sms('MYSHOP')],
    ['post', '/messages/sms', sms('36111')],
    ['post', '/messages/sms', sms('38111', { category: 'marketing' })],
    ['post', '/messages/sms', sms('MYSHOP', { recipients: ['+32470123456'], category: 'marketing' })],
    ['post', '/messages/sms', sms('MYSHOP', { recipients: ['+12025550123'], category: 'marketing' })]
  ] as const) {
    const refused = await account.expect(403)[method](path, body)
    assert.equal(refused.body.code, 'sender_not_allowed', JSON.stringify(body))
  }
  for (const body of [
    sms('MYSHOP', { category: 'marketing' }),
    sms('36111', { category: 'marketing' }),
    sms('38111'),
    sms('')
  ]) {
    const sent = { ...body, sender: body.sender || 'MYSHOP', ...(body.sender ? {} : { category: 'marketing' }) }
    assert.equal('warnings' in (await account.expect(200).post('/messages/sms', sent)).body, false)
  }
  await setMode(service, account, null)
  await untilStatus(account, sms('UNKNOWN'), 200)
})

test('the installation’s mode holds for accounts without one', async (t) => {
  const service = await startService(t, { settings: { CHAPPE_SENDERS: 'enforce' } })
  const account = await service.newAccount({ credits: 10 })
  await account.expect(403).post('/messages/sms', sms('UNKNOWN'))
  const { body } = await account.expect(200).get('/senders')
  assert.deepEqual(body, { mode: 'enforce', senders: [] })
  await approve(service, account, 'UNKNOWN')
  await untilStatus(account, sms('UNKNOWN'), 200)
})

test('a number is free to every account, until the operator grants it to some', async (t) => {
  const service = await startService(t)
  const { operator } = service
  const [one, two, other] = [
    await service.newAccount({ credits: 10 }),
    await service.newAccount({ credits: 10 }),
    await service.newAccount({ credits: 10 })
  ]
  const sub = await one.newSubAccount({ credits: 5 })
  const { body: free } = await other.expect(200).get('/numbers')
  assert.deepEqual(free[0], { number: '36111', is_free: true, is_shared: true, is_listed: true, accounts: [] })
  for (const [body, field] of [
    [{ number: '12345', accounts: [one.id] }, 'number'],
    [{ number: '36111', accounts: [999_999] }, 'accounts'],
    [{ number: '36111' }, 'accounts']
  ] as const) {
    assert.equal((await operator.expect(400).put('/number-grants', body)).body.details[0].path, field)
  }
  await other.expect(403).put('/number-grants', { number: '36111', accounts: [other.id] })
  const { body: granted } = await operator.expect(200).put('/number-grants', { number: '36111', accounts: [one.id] })
  assert.deepEqual([granted.is_free, granted.is_shared, granted.accounts[0].id], [false, false, one.id])
  await untilStatus(other, sms('36111'), 403)
  const refused = await other.expect(403).post('/messages/sms', sms('36111'))
  assert.match(refused.body.error, /36111 is granted to other accounts/)
  for (const account of [one, sub]) await account.expect(200).post('/messages/sms', sms('+36111'.slice(1)))
  await other.expect(200).post('/messages/sms', sms('38111'))
  const { body: left } = await other.expect(200).get('/numbers')
  assert.deepEqual(left.map(({ number }: { number: string }) => number).includes('36111'), false)
  assert.deepEqual(kindsOf((await other.expect(200).get('/senders/check?name=36111')).body.findings), ['granted'])

  const { body: shared } = await operator
    .expect(200)
    .put('/number-grants', { number: '36111', accounts: [one.id, two.id] })
  assert.equal(shared.is_shared, true)
  await untilStatus(two, sms('36111'), 200)
  await operator.expect(200).put('/number-grants', { number: '36111', accounts: [] })
  await untilStatus(other, sms('36111'), 200)
})

test('no message leaves under a sender that was disabled while it waited; its credits come back', async (t) => {
  const smsc = await startSmsc(t, { faults: 'delay answers 20ms' })
  const service = await startDelivering(t, [carrierTo(smsc, { window: 10 })])
  const account = await service.newAccount({ credits: 2_000 })
  const id = await approve(service, account, 'MYSHOP')
  const scheduleAt = new Date(Date.now() + 3_600_000).toISOString()
  const scheduled = await send(account, { recipients: mobiles(3, '+336130'), sender: 'MyShop', scheduleAt })
  const other = await send(account, { recipients: mobiles(2, '+336131'), sender: 'OTHER', scheduleAt })
  const campaign = await send(account, { recipients: mobiles(1_200), sender: 'MYSHOP' })
  await eventually(() => assert.ok(smsc.stats.submits >= 30))
  smsc.apply('hold answers')
  let left = 0
  await eventually(
    () => {
      const before = left
      left = smsc.stats.submits
      assert.equal(left, before, 'the window is not full yet')
    },
    { everyMs: 200 }
  )
  assert.ok(left < 1_200)
  await decide(service, account, id, { state: 'disabled', reason: 'Complaints.' })
  await untilStatus(account, sms('MYSHOP'), 403)
  smsc.apply('release answers')
  await service.pool`update batches set due_at = now() where account_id = ${account.id}`
  await service.pool`update scheduled_messages set due_at = now() where account_id = ${account.id}`
  await untilSummary(account, campaign, { delivered: left, cancelled: 1_200 - left }, { withinMs: 30_000 })
  await untilSummary(account, scheduled, { cancelled: 3 })
  await untilSummary(account, other, { delivered: 2 })
  assert.equal(smsc.stats.submits, left + 2)
  const [recipient] = await readRecipients(account, scheduled)
  assert.deepEqual([recipient?.deliver, recipient?.errorcode], [6, 'sender_disabled'])
  assert.equal((await account.expect(200).get('/users/credits')).body[0].credits, 2_000 - left - 2)
  await assertInvariants(service, { smscs: [smsc], accounts: [account] })
})

test('the mail of a decision names the sender, the state and the reason, in both languages', () => {
  const facts = { company: 'My Shop', sender: 'MYSHOP', state: 'refused', reason: 'No proof.' }
  assert.match(writeMail('sender-decided', 'en', facts)?.text ?? '', /MYSHOP .* is refused\.\n\nThe reason: No proof\./)
  assert.match(writeMail('sender-decided', 'fr', facts)?.subject ?? '', /MYSHOP est refusé/)
  assert.doesNotMatch(
    writeMail('sender-decided', 'en', { ...facts, state: 'approved', reason: '' })?.text ?? '',
    /reason/
  )
})

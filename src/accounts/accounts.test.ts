import { strict as assert } from 'node:assert'
import { createHmac } from 'node:crypto'
import { eventually } from '../../test/checks/eventually.ts'
import { startService, type TestAccount, type TestService, test } from '../../test/service/service.ts'
import type { Refusal } from '../errors.ts'
import { subjectOf } from '../people/attempts.ts'
import { createSlowLanes } from '../people/slow-lanes.ts'
import { canonicalTimeZone, nameAmong } from './time-zone.ts'

test('all three credentials open every operation, and each alone is enough', async (t) => {
  const { anonymous, operator } = await startService(t)
  const { email, password, appId, apiKey } = operator
  const login = await anonymous.expect(200).post('/auth/login', { email, password })
  assert.equal(login.body.expiresIn, 3600)
  const good: Record<string, string>[] = [
    { 'x-app-id': appId, 'x-api-key': apiKey },
    { 'x-api-key': apiKey },
    { 'x-app-id': apiKey, 'x-api-key': apiKey },
    { authorization: `Bearer ${login.body.token}` },
    { authorization: `bearer ${login.body.token}` },
    { authorization: login.body.token }
  ]
  for (const headers of good) await anonymous.as(headers).expect(200).get('/users/credits')
})

test('wrong, partial and forged credentials are all the same 401', async (t) => {
  const { anonymous, operator, newAccount } = await startService(t)
  const other = await newAccount()
  const { body } = await anonymous
    .expect(200)
    .post('/auth/login', { email: operator.email, password: operator.password })
  const [header = '', claims = '', signature = ''] = (body.token as string).split('.')
  const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const decode = (text: string) => JSON.parse(Buffer.from(text, 'base64url').toString())
  const hmac = (input: string, key: string) => createHmac('sha256', key).update(input).digest('base64url')
  const hmacHeader = encode({ ...decode(header), alg: 'HS256' })
  const bad: Record<string, string>[] = [
    {},
    { 'x-api-key': 'nonsense' },
    { 'x-api-key': '' },
    { 'x-app-id': operator.appId },
    { 'x-app-id': other.appId, 'x-api-key': operator.apiKey },
    { authorization: 'Bearer' },
    { authorization: 'Bearer nonsense' },
    { authorization: `Basic ${Buffer.from('a:b').toString('base64')}` },
    { authorization: `Bearer ${header}.${claims}.` },
    { authorization: `Bearer ${encode({ alg: 'none', typ: 'JWT' })}.${claims}.` },
    { authorization: `Bearer ${header}.${encode({ ...decode(claims), sub: String(other.id) })}.${signature}` },
    { authorization: `Bearer ${encode({ ...decode(header), kid: 'unknown' })}.${claims}.${signature}` },
    { authorization: `Bearer ${hmacHeader}.${claims}.${hmac(`${hmacHeader}.${claims}`, 'secret')}` }
  ]
  for (const headers of bad) {
    const { body } = await anonymous.as(headers).expect(401).get('/users/credits')
    assert.equal(body.code, 'unauthorized')
    assert.equal(body.error, 'The credentials are missing or wrong.')
  }
})

test('a token ends with its time', async (t) => {
  const { anonymous, operator } = await startService(t, { settings: { CHAPPE_JWT_TTL: '60' } })
  const { body } = await anonymous
    .expect(200)
    .post('/auth/login', { email: operator.email, password: operator.password })
  assert.equal(body.expiresIn, 60)
  await anonymous
    .as({ authorization: `Bearer ${body.token}` })
    .expect(200)
    .get('/users/me')
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() + 61_000 })
  await anonymous
    .as({ authorization: `Bearer ${body.token}` })
    .expect(401)
    .get('/users/me')
})

test('an unknown email and a wrong password get the same answer', async (t) => {
  const { anonymous, operator } = await startService(t)
  const unknown = await anonymous.expect(401).post('/auth/login', { email: 'nobody@test.example', password: 'x' })
  const wrong = await anonymous.expect(401).post('/auth/login', { email: operator.email, password: 'x' })
  assert.equal(unknown.body.error, wrong.body.error)
  assert.equal(unknown.body.code, wrong.body.code)
})

test('an email is the same in any case', async (t) => {
  const { anonymous, operator } = await startService(t)
  await anonymous.expect(200).post('/auth/login', { email: operator.email.toUpperCase(), password: operator.password })
})

test('after ten failures for an email the next is 429 until the minute is over, with the right password too', async (t) => {
  const { anonymous, operator, pool, newAccount } = await startService(t, {
    settings: { CHAPPE_TRUSTED_PROXIES: '127.0.0.1' }
  })
  const other = await newAccount()
  const from = (address: string) => ({ 'x-forwarded-for': address })
  for (let attempt = 0; attempt < 10; attempt++) {
    await anonymous.expect(401).post('/auth/login', { email: operator.email, password: 'x' }, from(`10.0.0.${attempt}`))
  }
  const right = { email: operator.email, password: operator.password }
  const { headers } = await anonymous.expect(429).post('/auth/login', right, from('10.0.1.1'))
  const seconds = Number(headers.get('retry-after'))
  assert.ok(seconds > 0 && seconds <= 60, `retry-after ${seconds}`)
  await anonymous.expect(200).post('/auth/login', { email: other.email, password: other.password }, from('10.0.1.1'))
  await pool`update attempts set ends_at = ends_at - interval '61 seconds'`
  await anonymous.expect(200).post('/auth/login', right, from('10.0.1.1'))
})

test('after ten failures from an address with other emails, a right password is slowed down, and not refused', async (t) => {
  const { anonymous, operator } = await startService(t, { settings: { CHAPPE_TRUSTED_PROXIES: '127.0.0.1' } })
  const from = (address: string) => ({ 'x-forwarded-for': address })
  for (let attempt = 0; attempt < 10; attempt++) {
    await anonymous
      .expect(401)
      .post('/auth/login', { email: `guess${attempt}@x.example`, password: 'x' }, from('10.9.9.9'))
  }
  const right = { email: operator.email, password: operator.password }
  const startedAt = performance.now()
  await anonymous.expect(200).post('/auth/login', right, from('10.9.9.9'))
  assert.ok(performance.now() - startedAt >= 490, 'it waited for its turn')
  await anonymous.expect(200).post('/auth/login', right, from('10.9.9.8'))
})

test('from an address that fails, a limited number of log-ins wait for their turn; the next gets 429 with the time to wait', async () => {
  const lanes = createSlowLanes({ gapMs: 40, waitingMax: 3, waitingInAllMax: 5 })
  const startedAt = performance.now()
  const waits = ['a', 'a', 'a', 'a', 'b', 'b', 'c'].map((lane) =>
    lanes.wait(lane).then(
      () => performance.now() - startedAt,
      (error: Refusal) => [error.status, error.retryAfterSeconds]
    )
  )
  const [first, second, third, ...others] = await Promise.all(waits)
  for (const [index, waited] of [first, second, third].entries()) assert.ok(Number(waited) >= 39 * (index + 1))
  assert.deepEqual(others[0], [429, 1], 'three wait there already')
  assert.ok(Number(others[1]) >= 39 && Number(others[2]) >= 78, 'another lane has its own turns')
  assert.deepEqual(others[3], [429, 1], 'five wait in all')
  await lanes.wait('a')
})

test('an X-Forwarded-For is believed only from a proxy that is ours', async (t) => {
  const { anonymous, pool } = await startService(t)
  for (let attempt = 0; attempt < 10; attempt++) {
    const spoofed = { 'x-forwarded-for': `10.0.0.${attempt}` }
    await anonymous.expect(401).post('/auth/login', { email: `guess${attempt}@x.example`, password: 'x' }, spoofed)
  }
  const [row] = await pool`select count from attempts where subject = ${addressSubject('127.0.0.1')}`
  assert.equal(row?.count, 10)
})

test('another way to write an email gives no further guesses', async (t) => {
  const { anonymous, operator, pool } = await startService(t, {
    settings: { CHAPPE_ADMIN_EMAIL: 'admin@test.example' }
  })
  for (let attempt = 0; attempt < 10; attempt++) {
    await anonymous.expect(401).post('/auth/login', { email: 'admin@test.example', password: 'x' })
  }
  // As if from another address: only the count for the account is left.
  const subject = addressSubject('127.0.0.1')
  const [address] = await pool<[{ subject: string }]>`
    delete from attempts where subject = ${subject} returning subject
  `
  assert.ok(address)
  for (const email of ['ADMIN@test.example', 'adm\u0130n@test.example', 'Admin@TEST.example']) {
    const { status } = await anonymous.post('/auth/login', { email, password: operator.password })
    assert.ok(status === 429 || status === 401, `${email} answered ${status}`)
  }
})

function addressSubject(network: string): string {
  return subjectOf('log-in from', network)
}

test('guesses made all at once learn no more than ten guesses', async (t) => {
  const { anonymous, operator } = await startService(t)
  const guesses = Array.from({ length: 40 }, () =>
    anonymous.post('/auth/login', { email: operator.email, password: 'x' })
  )
  const statuses = (await Promise.all(guesses)).map(({ status }) => status)
  assert.equal(statuses.filter((status) => status === 401).length, 10)
  assert.equal(statuses.filter((status) => status === 429).length, 30)
})

test('many right log-ins at once are no failures', async (t) => {
  const { anonymous, operator } = await startService(t)
  const { email, password } = operator
  const logins = Array.from({ length: 30 }, () => anonymous.post('/auth/login', { email, password }))
  for (const { status } of await Promise.all(logins)) assert.equal(status, 200)
})

test('a rotated key ends at once, here and on every other process', async (t) => {
  const service = await startService(t)
  const peer = await service.startPeer(t)
  const account = await service.newAccount()
  const onPeer = peer.anonymous.as({ 'x-api-key': account.apiKey })
  await account.expect(200).get('/users/me')
  await onPeer.expect(200).get('/users/me')

  const { body } = await account.expect(200).post('/users/apikey/rotate')
  assert.equal(body.appId, account.appId)
  await account.expect(401).get('/users/me')
  await eventually(() => onPeer.expect(401).get('/users/me'), { withinMs: 6_000 })
  await service.anonymous.as({ 'x-app-id': body.appId, 'x-api-key': body.apikey }).expect(200).get('/users/me')
  await peer.anonymous.as({ 'x-api-key': body.apikey }).expect(200).get('/users/me')
})

async function logIn({ anonymous }: TestService, { email, password }: TestAccount) {
  const { body } = await anonymous.expect(200).post('/auth/login', { email, password })
  return { authorization: `Bearer ${body.token}` }
}

test('with a token, a key is rotated only with the password', async (t) => {
  const service = await startService(t)
  const account = await service.newAccount()
  const session = service.anonymous.as(await logIn(service, account))
  const missing = await session.expect(400).post('/users/apikey/rotate')
  assert.deepEqual(missing.body.details, [{ path: 'current_password', message: 'is missing' }])
  const wrong = await session.expect(400).post('/users/apikey/rotate', { current_password: 'x' })
  assert.deepEqual(wrong.body.details, [{ path: 'current_password', message: 'is wrong' }])
  await account.expect(200).get('/users/me')
  const { body } = await session.expect(200).post('/users/apikey/rotate', { current_password: account.password })
  await account.expect(401).get('/users/me')
  await service.anonymous.as({ 'x-api-key': body.apikey }).expect(200).get('/users/me')
})

test('a log-out ends that token, here and on every other process, and nothing else', async (t) => {
  const service = await startService(t)
  const peer = await service.startPeer(t)
  const account = await service.newAccount()
  const [leaving, staying] = [await logIn(service, account), await logIn(service, account)]
  const onPeer = peer.anonymous.as(leaving)
  await onPeer.expect(200).get('/users/me')
  const { body } = await service.anonymous.as(leaving).expect(200).post('/auth/logout')
  assert.deepEqual(body, { success: true, message: 'The token is ended.' })
  await service.anonymous.as(leaving).expect(401).get('/users/me')
  await service.anonymous.as(leaving).expect(401).post('/auth/logout')
  await eventually(() => onPeer.expect(401).get('/users/me'), { withinMs: 6_000 })
  for (const { anonymous } of [service, peer]) await anonymous.as(staying).expect(200).get('/users/me')
  await account.expect(200).get('/users/me')
  await account.expect(409).post('/auth/logout')
})

test('a time zone has one name, however it is written', () => {
  const names: [string, string | undefined][] = [
    ['Europe/Paris', 'Europe/Paris'],
    ['eUROPE/pARIS', 'Europe/Paris'],
    ['asia/kolkata', 'Asia/Kolkata'],
    ['america/port-au-prince', 'America/Port-au-Prince'],
    ['us/eastern', 'America/New_York'],
    ['GB', 'Europe/London'],
    ['zulu', 'UTC'],
    ['Etc/UTC', 'UTC'],
    ['etc/gmt+5', 'Etc/GMT+5'],
    ['SystemV/EST5', undefined],
    ['+02:00', undefined],
    ['Mars/Olympus', undefined],
    ['', undefined]
  ]
  assert.deepEqual(
    names.map(([name]) => [name, canonicalTimeZone(name)]),
    names
  )
})

test('a time zone has a name that the database knows', () => {
  const known = [
    'America/Argentina/Buenos_Aires',
    'Asia/Kolkata',
    'Etc/UTC',
    'Europe/Kyiv',
    'Factory',
    'posix/Asia/Tokyo'
  ]
  const names: [string, string | undefined][] = [
    ['Asia/Calcutta', 'Asia/Kolkata'],
    ['Asia/Kolkata', 'Asia/Kolkata'],
    ['America/Buenos_Aires', 'America/Argentina/Buenos_Aires'],
    ['Europe/Kiev', 'Europe/Kyiv'],
    ['UTC', 'Etc/UTC'],
    ['Asia/Tokyo', undefined]
  ]
  assert.deepEqual(
    names.map(([name]) => [name, nameAmong(known, name)]),
    names
  )
})

test('a key that is known is checked without a query', async (t) => {
  const { operator, pool } = await startService(t)
  await operator.expect(200).get('/users/credits')
  await pool.begin(async (database) => {
    await database`lock table accounts in access exclusive mode`
    // A body that is not valid is refused after the credentials are checked and before anything is read.
    await operator.expect(400).post('/subaccount', {})
  })
})

test('a token issued by one process is good on another, though they share no secret', async (t) => {
  const service = await startService(t)
  const peer = await service.startPeer(t)
  assert.notEqual(service.dataFolder, peer.dataFolder)
  const { email, password } = service.operator
  const { body } = await service.anonymous.expect(200).post('/auth/login', { email, password })
  await peer.anonymous
    .as({ authorization: `Bearer ${body.token}` })
    .expect(200)
    .get('/users/me')
})

test('passwords and keys are stored only as hashes', async (t) => {
  const { operator, pool } = await startService(t)
  const account = await operator.newSubAccount()
  const [row] = await pool<[{ all: string; passwordHash: string }]>`
    select concat(accounts, people, api_keys) as all, password_hash
    from accounts
    join people on people.id = holder_id
    join api_keys on api_keys.account_id = accounts.id
    where accounts.id = ${account.id}
  `
  assert.match(row.passwordHash, /^\$argon2id\$v=19\$m=\d+,t=\d,p=1\$/)
  assert.ok(!row.all.includes(account.password) && !row.all.includes(account.apiKey))
})

test('an account reads and changes itself, any part at a time', async (t) => {
  const { operator } = await startService(t)
  const account = await operator.newSubAccount()
  const before = (await account.expect(200).get('/users/me')).body
  assert.deepEqual(before, {
    id: account.id,
    email: account.email,
    first_name: '',
    last_name: '',
    phone_number: '',
    social_reason: '',
    time_zone: 'Europe/Paris',
    country: 'FR',
    created_at: before.created_at,
    last_login_at: null,
    credits_mode: 'self',
    role: 'sub-account',
    is_sandbox: false,
    has_smpp: false,
    is_viewing: false,
    standing: 'open',
    standing_reason: '',
    stop_mention: 'STOP 36111',
    settings: {
      time_zone: 'Europe/Paris',
      country: 'FR',
      in_doubt: 'resend',
      hours_end: '20:00',
      sundays_and_holidays: false,
      typography: true,
      sender: '',
      calendar: 'national',
      balance_alert_sms: 0,
      balance_alert_rcs: 0,
      consent: 'off',
      marketing_cap: 0,
      marketing_cap_days: 7
    },
    person_id: null,
    role_on_account: null,
    permissions: ['read', 'send', 'contacts', 'webhooks', 'account', 'people', 'binary', 'send_confirmed'],
    language: null
  })
  const changes = {
    first_name: 'Zoé',
    phone_number: '06 39 98 12 34',
    settings: {
      time_zone: 'indian/REUNION',
      in_doubt: 'fail',
      hours_end: '21:30',
      sundays_and_holidays: true,
      typography: false,
      sender: 'Boutique',
      calendar: 'alsace-moselle',
      balance_alert_sms: 100,
      balance_alert_rcs: 7,
      consent: 'warn',
      marketing_cap: 3,
      marketing_cap_days: 30
    }
  }
  const after = (await account.expect(200).put('/users/me', changes)).body
  assert.deepEqual(after, {
    ...before,
    first_name: 'Zoé',
    phone_number: '+33639981234',
    time_zone: 'Indian/Reunion',
    settings: {
      time_zone: 'Indian/Reunion',
      country: 'FR',
      in_doubt: 'fail',
      hours_end: '21:30',
      sundays_and_holidays: true,
      typography: false,
      sender: 'Boutique',
      calendar: 'alsace-moselle',
      balance_alert_sms: 100,
      balance_alert_rcs: 7,
      consent: 'warn',
      marketing_cap: 3,
      marketing_cap_days: 30
    }
  })
  assert.deepEqual((await account.expect(200).get('/users/me')).body, after)
  assert.deepEqual((await account.expect(200).put('/users/me', {})).body, after)
  const belgian = { country: 'BE', phone_number: '0470 12 34 56' }
  assert.equal((await account.expect(200).put('/users/me', belgian)).body.phone_number, '+32470123456')
})

test('settings that make no sense are refused and change nothing', async (t) => {
  const { operator } = await startService(t)
  const before = (await operator.expect(200).get('/users/me')).body
  const bad: unknown[] = [
    { settings: { time_zone: 'Mars/Olympus' } },
    { time_zone: '+02:00' },
    { time_zone: 'SystemV/EST5' },
    { country: 'XX' },
    { country: 'fr' },
    { settings: { hours_end: '21:31' } },
    { settings: { hours_end: '22:00' } },
    { settings: { sundays_and_holidays: 'yes' } },
    { settings: { hours_end: '08:00' } },
    { settings: { hours_end: '24:00' } },
    { settings: { in_doubt: 'maybe' } },
    { settings: { typography: 'yes' } },
    { settings: { sender: 'é' } },
    { settings: { calendar: 'bavaria' } },
    { country: 'BE', settings: { country: 'FR' } },
    { phone_number: '12' },
    { first_name: 'x'.repeat(256) }
  ]
  for (const body of bad) {
    const answer = await operator.put('/users/me', body)
    assert.equal(answer.status, 400, JSON.stringify(body))
    assert.ok(answer.body.details.length > 0)
  }
  assert.deepEqual((await operator.expect(200).get('/users/me')).body, before)
})

test('a new password needs the current one, and ends the tokens that came before it', async (t) => {
  const { anonymous, operator } = await startService(t)
  const account = await operator.newSubAccount()
  const { email, password } = account
  const { body } = await anonymous.expect(200).post('/auth/login', { email, password })
  const session = anonymous.as({ authorization: `Bearer ${body.token}` })

  const missing = await session.expect(400).put('/users/me', { password: 'a new password' })
  assert.deepEqual(missing.body.details, [{ path: 'current_password', message: 'is missing' }])
  const wrong = await session.expect(400).put('/users/me', { password: 'a new password', current_password: 'x' })
  assert.deepEqual(wrong.body.details, [{ path: 'current_password', message: 'is wrong' }])
  await session.expect(200).get('/users/me')

  await session.expect(200).put('/users/me', { password: 'a new password', current_password: password })
  await session.expect(401).get('/users/me')
  await anonymous.expect(401).post('/auth/login', { email, password })
  await anonymous.expect(200).post('/auth/login', { email, password: 'a new password' })
  await account.expect(200).get('/users/me')
})

test('an email can be changed with the password, unless it is taken', async (t) => {
  const { anonymous, operator } = await startService(t)
  const account = await operator.newSubAccount()
  await account.expect(400).put('/users/me', { email: 'new@test.example' })
  const taken = { email: operator.email.toUpperCase(), current_password: account.password }
  const { body } = await account.expect(409).put('/users/me', taken)
  assert.equal(body.code, 'state_conflict')
  await account.expect(200).put('/users/me', { email: 'new@test.example', current_password: account.password })
  await anonymous.expect(200).post('/auth/login', { email: 'new@test.example', password: account.password })
})

test('the operator makes top-level accounts and sees all; nobody else does', async (t) => {
  const { operator, newAccount } = await startService(t)
  const { body: made } = await operator.expect(200).post('/accounts', {
    email: 'agency@test.example',
    password: 'long enough',
    social_reason: 'Agence Durand'
  })
  assert.match(made.apikey, /^key_[\w-]{43}$/)
  assert.match(made.appId, /^app_[0-9a-f]{24}$/)
  const account = await newAccount()
  const child = await account.newSubAccount()
  const { body: page } = await operator.expect(200).get('/accounts?limit=2')
  assert.deepEqual(
    page.items.map(({ id, parent_id: parent }: { id: number; parent_id: number | null }) => [id, parent]),
    [
      [child.id, account.id],
      [account.id, null]
    ]
  )
  assert.equal(page.meta.totalItems, 4)
  for (const stranger of [account, child]) {
    assert.equal((await stranger.expect(403).get('/accounts')).body.code, 'forbidden')
    await stranger.expect(403).post('/accounts', { email: 'x@test.example', password: 'long enough' })
    await stranger.expect(403).put(`/accounts/${stranger.id}/credits`, { credits: 10 })
  }
})

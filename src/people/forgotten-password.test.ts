import { strict as assert } from 'node:assert'
import { eventually } from '../../test/checks/eventually.ts'
import { type Mailbox, startMailbox } from '../../test/peers/mailbox.ts'
import { logIn } from '../../test/service/people.ts'
import { startService, type TestService, test } from '../../test/service/service.ts'

const FRESH = 'a fresh password'

async function startMailing(t: Parameters<typeof startService>[0]): Promise<TestService & { mailbox: Mailbox }> {
  const mailbox = await startMailbox(t)
  return { ...(await startService(t, { settings: mailbox.settings })), mailbox }
}

async function nextMail(mailbox: Mailbox, count = 1) {
  await eventually(() => assert.equal(mailbox.mails.length, count))
  const mail = mailbox.mails[count - 1]
  assert.ok(mail)
  return mail
}

test('a forgotten password is chosen anew by a mailed link, once, and all sessions end', async (t) => {
  const service = await startMailing(t)
  const { anonymous, newAccount, mailbox, url } = service
  const account = await newAccount()
  const { email, password } = account
  const before = await logIn(service, { email, password })
  const peer = await service.startPeer(t)
  const elsewhere = peer.anonymous.as({
    authorization: `Bearer ${(await anonymous.post('/auth/login', { email, password })).body.token}`
  })
  await elsewhere.expect(200).get('/users/me')

  const asked = await anonymous
    .expect(200)
    .post('/auth/password/forgot', { email: email.toUpperCase(), language: 'fr' })
  assert.deepEqual(asked.body, { success: true, message: 'If this email is known here, a link is on its way.' })
  const mail = await nextMail(mailbox)
  assert.deepEqual(mail.to, [email])
  assert.match(mail.subject, /nouveau mot de passe/)
  assert.ok(mail.link.startsWith(`${url}/app/reset-password#`))
  assert.match(mail.token, /^[\w-]{43}$/)

  await anonymous.expect(200).post('/auth/password/reset', { token: mail.token, password: FRESH })
  await before.expect(401).get('/users/me')
  await eventually(() => elsewhere.expect(401).get('/users/me'))
  await anonymous.expect(401).post('/auth/login', { email, password })
  await logIn(service, { email, password: FRESH })
  // A key belongs to the account, and stays.
  await account.expect(200).get('/users/me')

  const again = await anonymous.expect(409).post('/auth/password/reset', { token: mail.token, password: 'another one' })
  assert.match(again.body.error, /used already or is too old/)
  await logIn(service, { email, password: FRESH })
  const notice = await nextMail(mailbox, 2)
  assert.match(notice.subject, /was changed/)
  assert.equal(notice.link, '')
})

test('only a hash of the token is stored, and the mail with it goes when it has left', async (t) => {
  const { anonymous, newAccount, mailbox, pool } = await startMailing(t)
  const { email } = await newAccount()
  await anonymous.expect(200).post('/auth/password/forgot', { email })
  const { token } = await nextMail(mailbox)
  await eventually(async () => assert.equal((await pool`select from mails`).length, 0))
  const [row] =
    await pool`select token_hashes[1] as token_hash, to_jsonb(password_resets)::text as row from password_resets`
  assert.equal(row?.tokenHash.length, 32)
  assert.ok(!row?.row.includes(token))
})

test('a mail that waits holds no token; each of two copies has a link that works, until one is used', async (t) => {
  const { anonymous, newAccount, mailbox, pool } = await startMailing(t)
  const { email } = await newAccount()
  mailbox.answers.push({ at: 'data', code: 451 }, { at: 'after-data' })
  await anonymous.expect(200).post('/auth/password/forgot', { email })
  const sendNow = () => pool`update mails set due_at = now()`
  await eventually(async () => {
    const [row] = await pool<{ attempts: number; isLeased: boolean; facts: { link: string } }[]>`
      select attempts, leased_until is not null as is_leased, facts from mails
    `
    assert.deepEqual([row?.attempts, row?.isLeased], [1, false])
    assert.ok(row?.facts.link.endsWith('/app/reset-password'), 'the page, without a token')
  })
  await sendNow()
  await eventually(async () => {
    await sendNow()
    assert.equal(mailbox.mails.length, 2)
  })
  await eventually(async () => assert.equal((await pool`select from mails`).length, 0))
  const [first, second] = mailbox.mails
  assert.equal(first?.messageId, second?.messageId)
  assert.notEqual(first?.token, second?.token)
  await anonymous.expect(200).post('/auth/password/reset', { token: first?.token, password: FRESH })
  await anonymous.expect(409).post('/auth/password/reset', { token: second?.token, password: 'another one' })
})

test('an unknown email gets the same answer as a known one, and no mail', async (t) => {
  const { anonymous, newAccount, mailbox, pool } = await startMailing(t)
  const { email } = await newAccount()
  const answers = []
  for (const given of [email, 'nobody@test.example', 'no email at all']) {
    const startedAt = performance.now()
    const { status, text } = await anonymous.post('/auth/password/forgot', { email: given })
    assert.ok(performance.now() - startedAt >= 250, 'no answer is faster than the slowest work')
    answers.push(`${status} ${text}`)
  }
  assert.equal(new Set(answers).size, 1, answers.join('\n'))
  await nextMail(mailbox)
  assert.equal((await pool`select from password_resets`).length, 1)
})

test('links are limited per email, known or not, and per network', async (t) => {
  const { anonymous, newAccount } = await startMailing(t)
  const { email } = await newAccount()
  for (const given of [email, 'nobody@test.example']) {
    for (let each = 0; each < 5; each++) await anonymous.expect(200).post('/auth/password/forgot', { email: given })
    const { headers, body } = await anonymous.expect(429).post('/auth/password/forgot', { email: given.toUpperCase() })
    assert.ok(Number(headers.get('retry-after')) > 3_000)
    assert.match(body.error, /Too many links/)
  }
  // Twelve so far, counted from one network.
  const others = await Promise.all(
    Array.from({ length: 18 }, (_, each) => anonymous.post('/auth/password/forgot', { email: `p${each}@test.example` }))
  )
  assert.ok(others.every(({ status }) => status === 200))
  await anonymous.expect(429).post('/auth/password/forgot', { email: 'one-more@test.example' })
})

test('without a mail server the answer says so, for any email', async (t) => {
  const { anonymous, newAccount, pool } = await startService(t)
  const { email } = await newAccount()
  for (const given of [email, 'nobody@test.example']) {
    const { body } = await anonymous.expect(409).post('/auth/password/forgot', { email: given })
    assert.equal(body.error, 'This service sends no mail; its operator can reset the password.')
  }
  assert.equal((await pool`select from password_resets`).length, 0)
})

test('a link is refused when it is late, forged, or older than a newer password or email', async (t) => {
  const service = await startMailing(t)
  const { anonymous, newAccount, mailbox, pool } = service
  const account = await newAccount()
  const { email, password } = account
  const refused = async (token: string) => {
    const { body } = await anonymous.expect(409).post('/auth/password/reset', { token, password: FRESH })
    assert.equal(body.error, 'This link was used already or is too old; ask for another.')
  }
  const ask = async (count: number) => {
    await anonymous.expect(200).post('/auth/password/forgot', { email })
    return (await nextMail(mailbox, count)).token
  }
  const late = await ask(1)
  await pool`update password_resets set expires_at = now() - interval '1 second'`
  for (const token of [late, 'x', late.toLowerCase(), `${late}x`, late.slice(1)]) await refused(token)

  const ofOldPassword = await ask(2)
  const person = await logIn(service, { email, password })
  await person.expect(200).put('/users/me', { password: 'a newer password', current_password: password })
  await refused(ofOldPassword)

  const ofOldEmail = await ask(3)
  const again = await logIn(service, { email, password: 'a newer password' })
  await again.expect(200).put('/users/me', { email: 'moved@test.example', current_password: 'a newer password' })
  await refused(ofOldEmail)
  await anonymous.expect(400).post('/auth/password/reset', { token: ofOldEmail, password: 'short' })
  await logIn(service, { email: 'moved@test.example', password: 'a newer password' })
})

test('of links that are used at once, one is used', async (t) => {
  const service = await startMailing(t)
  const { anonymous, newAccount, mailbox } = service
  const { email } = await newAccount()
  for (let each = 0; each < 3; each++) await anonymous.expect(200).post('/auth/password/forgot', { email })
  await nextMail(mailbox, 3)
  const tokens = mailbox.mails.map(({ token }) => token)
  const uses = [...tokens, ...tokens].map((token, index) => ({ token, password: `password number ${index}` }))
  const answers = await Promise.all(uses.map((use) => anonymous.post('/auth/password/reset', use)))
  assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 409, 409, 409, 409, 409])
  const used = uses[answers.findIndex(({ status }) => status === 200)]
  await logIn(service, { email, password: used?.password ?? '' })
})

test('a person without a password, who logs in elsewhere, gets no link', async (t) => {
  const { anonymous, newAccount, pool } = await startMailing(t)
  const { email } = await newAccount()
  await pool`update people set password_hash = null where email = ${email}`
  await anonymous.expect(200).post('/auth/password/forgot', { email })
  assert.equal((await pool`select from password_resets`).length, 0)
  assert.equal((await pool`select from mails`).length, 0)
})

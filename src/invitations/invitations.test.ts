import { strict as assert } from 'node:assert'
import { eventually } from '../../test/checks/eventually.ts'
import { startMailbox } from '../../test/peers/mailbox.ts'
import { addPerson, logIn, PASSWORD } from '../../test/service/people.ts'
import { startService, type TestAccount, type TestService, test } from '../../test/service/service.ts'

const HUGO = 'hugo@boutique.example'
const CHOSEN = 'the chosen password'

/** Invites without a mail server, and answers the token of the link. */
async function invite(account: Pick<TestAccount, 'expect'>, email = HUGO, role = 'sender'): Promise<string> {
  const { body } = await account.expect(200).post('/people/invitations', { email, role })
  return body.link.split('#')[1]
}

/** Everything that an invitation could change. */
const stored = ({ pool }: TestService) => pool`
  select (select jsonb_agg(memberships order by account_id, person_id) from memberships) as memberships,
    (select jsonb_agg(invitations order by id) from invitations) as invitations, (select count(*) from people) as people,
    (select count(*) from mails) as mails
`

test('an invitation is mailed, shown to nobody else, and makes a person with the role', async (t) => {
  const mailbox = await startMailbox(t)
  const service = await startService(t, { settings: mailbox.settings })
  const account = await service.newAccount()
  await account
    .expect(200)
    .put('/users/me', { social_reason: 'Boutique Martin', first_name: 'Léa', last_name: 'Martin' })
  const owner = await logIn(service, account)
  const made = await owner.expect(200).post('/people/invitations', { email: HUGO, role: 'sender', language: 'fr' })
  assert.deepEqual([made.body.is_mailed, made.body.link, made.body.invited_by], [true, null, 'Léa Martin'])
  await eventually(() => assert.equal(mailbox.mails.length, 1))
  const [mail] = mailbox.mails
  assert.deepEqual(mail?.to, [HUGO])
  assert.equal(mail?.subject, 'Invitation à rejoindre Boutique Martin sur Chappe')
  assert.ok(mail?.link.startsWith(`${service.url}/app/invitation#`))
  const token = mail?.token ?? ''
  assert.match(token, /^[\w-]{43}$/)

  const { body: listed } = await account.expect(200).get('/people/invitations')
  assert.deepEqual(
    listed.map(({ email, role }: { email: string; role: string }) => [email, role]),
    [[HUGO, 'sender']]
  )
  assert.ok(!JSON.stringify(listed).includes(token))
  const looked = (await service.anonymous.expect(200).post('/invitations/look', { token })).body
  assert.deepEqual(
    [looked.email, looked.social_reason, looked.role, looked.is_known],
    [HUGO, 'Boutique Martin', 'sender', false]
  )

  const names = { firstName: 'Hugo', lastName: 'Bernard' }
  const joined = await service.anonymous.expect(200).post('/invitations/accept', { token, password: CHOSEN, ...names })
  assert.deepEqual(joined.body, {
    account_id: account.id,
    social_reason: 'Boutique Martin',
    email: HUGO,
    role: 'sender'
  })
  const hugo = await logIn(service, { email: HUGO, password: CHOSEN })
  const { body: me } = await hugo.expect(200).get('/users/me')
  assert.deepEqual([me.id, me.first_name, me.role_on_account], [account.id, 'Hugo', 'sender'])
  assert.deepEqual(me.permissions, ['read', 'send', 'send_confirmed', 'contacts'])
  assert.deepEqual((await account.expect(200).get('/people/invitations')).body, [])
  await eventually(async () => assert.equal((await service.pool`select from mails`).length, 0))
  const { items } = (await account.expect(200).get('/audit')).body
  const [acts, trail] = [items.map(({ operation }: { operation: string }) => operation), JSON.stringify(items)]
  for (const act of ['invitePerson', 'acceptInvitation']) assert.ok(acts.includes(act), trail)
  assert.ok(!trail.includes(token))
})

test('without a mail server the link is in the answer, once, and only its hash is stored', async (t) => {
  const service = await startService(t, { settings: { CHAPPE_PUBLIC_URL: 'https://sms.example/base/' } })
  const account = await service.newAccount()
  const { body } = await account.expect(200).post('/people/invitations', { email: HUGO, role: 'reader' })
  assert.equal(body.is_mailed, false)
  assert.equal(body.invited_by, null)
  assert.match(body.link, /^https:\/\/sms\.example\/base\/app\/invitation#[\w-]{43}$/)
  const token = body.link.split('#')[1]
  const rows = await service.pool`select to_jsonb(invitations)::text as row from invitations`
  assert.ok(!rows[0]?.row.includes(token))
  assert.ok(!(await account.expect(200).get('/people/invitations')).text.includes(token))
  assert.equal((await service.pool`select from mails`).length, 0)
})

test('a person of another account joins by their password or their session, and nobody else does', async (t) => {
  const service = await startService(t)
  const { anonymous } = service
  const [account, other] = [await service.newAccount(), await service.newAccount()]
  const hugo = await addPerson(service, { accountId: other.id, role: 'manager', email: HUGO })
  const stranger = await addPerson(service, { accountId: other.id, role: 'owner' })
  const token = await invite(account, HUGO.toUpperCase())
  assert.equal((await anonymous.expect(200).post('/invitations/look', { token })).body.is_known, true)

  const before = JSON.stringify(await stored(service))
  for (const password of [undefined, 'a wrong password']) {
    const { body } = await anonymous.expect(400).post('/invitations/accept', { token, password })
    assert.equal(body.details[0].path, 'password')
  }
  const { body: refused } = await stranger.expect(403).post('/invitations/join', { token })
  assert.match(refused.error, /for another person/)
  await other.expect(403).post('/invitations/join', { token })
  await anonymous.expect(401).post('/invitations/join', { token })
  assert.equal(JSON.stringify(await stored(service)), before)

  await hugo.expect(200).post('/invitations/join', { token })
  const [entry] = (await account.expect(200).get('/audit?operation=joinAccount')).body.items
  assert.deepEqual([entry.account_id, entry.person_id], [account.id, hugo.id])
  const { body: accounts } = await hugo.expect(200).get('/users/me/accounts')
  assert.deepEqual(
    accounts.map(({ id, role }: { id: number; role: string }) => [id, role]),
    [
      [account.id, 'sender'],
      [other.id, 'manager']
    ]
  )
  const third = await service.newAccount()
  const again = await invite(third)
  // Names are those of the person already, whatever the invitation says.
  await anonymous.expect(200).post('/invitations/accept', { token: again, password: PASSWORD, firstName: 'Zoé' })
  const people = (await third.expect(200).get('/people')).body
  assert.deepEqual([people[1].email, people[1].first_name], [HUGO, ''])
})

test('an invitation that is used, late, withdrawn or made up is refused, each with its reason', async (t) => {
  const service = await startService(t)
  const { anonymous, pool } = service
  const account = await service.newAccount()
  const refused = async (status: number, token: string, reason: RegExp) => {
    const before = JSON.stringify(await stored(service))
    for (const [path, body] of [
      ['/invitations/look', { token }],
      ['/invitations/accept', { token, password: CHOSEN }]
    ] as const) {
      assert.match((await anonymous.expect(status).post(path, body)).body.error, reason)
    }
    assert.equal(JSON.stringify(await stored(service)), before)
  }
  const used = await invite(account, 'used@boutique.example')
  await anonymous.expect(200).post('/invitations/accept', { token: used, password: CHOSEN })
  await refused(409, used, /accepted already/)

  const late = await invite(account, 'late@boutique.example')
  const [{ days } = {}] = await pool`
    select extract(epoch from expires_at - created_at)::float / 86400 as days from invitations order by id desc limit 1
  `
  assert.ok(Math.abs((days as number) - 7) < 0.01)
  await pool`update invitations set expires_at = now() - interval '1 second' where accepted_at is null`
  await refused(409, late, /was valid until \d{4}-\d\d-\d\d: ask for another/)
  // A late one is in nobody's way.
  const again = await invite(account, 'late@boutique.example')
  await anonymous.expect(200).post('/invitations/accept', { token: again, password: CHOSEN })

  const { body } = await account
    .expect(200)
    .post('/people/invitations', { email: 'gone@boutique.example', role: 'owner' })
  await account.expect(200).delete(`/people/invitations/${body.id}`)
  await account.expect(404).delete(`/people/invitations/${body.id}`)
  await refused(404, body.link.split('#')[1], /no such invitation/)
  await invite(account, 'gone@boutique.example')
  for (const token of ['x', used.toLowerCase(), `${used}=`]) await refused(404, token, /no such invitation/)
})

test('bad invitations are refused, and change nothing', async (t) => {
  const service = await startService(t)
  const account = await service.newAccount()
  const [member, invited] = ['member@boutique.example', 'invited@boutique.example']
  await addPerson(service, { accountId: account.id, role: 'reader', email: member })
  await invite(account, invited)
  const before = JSON.stringify(await stored(service))
  const cases: [status: number, email: string, role: string | undefined, reason: RegExp][] = [
    [400, HUGO, 'admin', /role/],
    [400, HUGO, undefined, /role/],
    [400, 'no email', 'reader', /email/],
    [400, `${HUGO}, ${invited}`, 'reader', /email/],
    [400, `${HUGO}\r\nBcc: all@example.com`, 'reader', /email/],
    [409, member, 'owner', /on the account already/],
    [409, member.toUpperCase(), 'owner', /on the account already/],
    [409, account.email, 'reader', /on the account already/],
    [409, invited, 'reader', /open invitation already/],
    [409, invited.toUpperCase(), 'reader', /open invitation already/]
  ]
  for (const [status, email, role, reason] of cases) {
    const { body } = await account.expect(status).post('/people/invitations', { email, role })
    assert.match(body.error, reason)
  }
  assert.equal(JSON.stringify(await stored(service)), before)
})

test('at most 50 invitations of an account are open, and 100 are made within a day', async (t) => {
  const service = await startService(t)
  const account = await service.newAccount()
  const insert = (count: number, from: number) => service.pool`
    insert into invitations (id, account_id, email, role, expires_at)
    select nextval('invitation_ids'), ${account.id}, 'p' || n || '@test.example', 'reader', now() + interval '1 day'
    from generate_series(${from}::int, ${from + count - 1}::int) as n
  `
  await insert(49, 1)
  // At once: the lock of the account lets one of them in.
  const emails = ['a@test.example', 'b@test.example', 'c@test.example']
  const answers = await Promise.all(
    emails.map((email) => account.post('/people/invitations', { email, role: 'reader' }))
  )
  assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 409, 409])
  const { body } = await account.expect(409).post('/people/invitations', { email: HUGO, role: 'reader' })
  assert.match(body.error, /At most 50 invitations/)
  await service.pool`update invitations set withdrawn_at = now()`
  await invite(account)
  await insert(49, 100)
  await service.pool`update invitations set withdrawn_at = now()`
  const tooMany = await account.expect(429).post('/people/invitations', { email: 'd@test.example', role: 'reader' })
  assert.match(tooMany.body.error, /100 invitations within a day/)
})

test('sub-accounts do not multiply the invitations of a day, nor does anybody invite one stranger all day', async (t) => {
  const { newAccount, pool } = await startService(t)
  const [parent, other] = [await newAccount(), await newAccount()]
  const subs = [await parent.newSubAccount(), await parent.newSubAccount()]
  const insert = (accountId: number, { count, email }: { count: number; email: string }) => pool`
    insert into invitations (id, account_id, email, role, expires_at, withdrawn_at)
    select nextval('invitation_ids'), ${accountId}, replace(${email}, '#', n::text), 'reader', now() + interval '7 days', now()
    from generate_series(1, ${count}::int) as n
  `
  const ask = (account: TestAccount, email: string) => account.post('/people/invitations', { email, role: 'reader' })
  await insert(parent.id, { count: 5, email: 'stranger@test.example' })
  await insert(subs[0]?.id ?? 0, { count: 5, email: 'Stranger@test.example' })
  for (const account of [parent, ...subs]) {
    const { status, body } = await ask(account, 'STRANGER@test.example')
    assert.deepEqual([status, body.error], [429, 'This email was invited 10 times within a day: wait until tomorrow.'])
  }
  assert.equal((await ask(other, 'stranger@test.example')).status, 200)
  assert.equal((await ask(parent, 'somebody@test.example')).status, 200)

  await pool`update invitations set created_at = now() - interval '25 hours'`
  assert.equal((await ask(parent, 'stranger@test.example')).status, 200)
  for (let number = 0; number < 11; number++) {
    const { id } = await parent.newSubAccount()
    await insert(id, { count: 90, email: `p#@${number}.example` })
  }
  for (const account of [parent, ...subs]) assert.equal((await ask(account, 'one@test.example')).status, 200)
  await insert(parent.id, { count: 6, email: 'q#@test.example' })
  for (const account of [parent, ...subs]) {
    const { status, body } = await ask(account, 'two@test.example')
    assert.equal(status, 429)
    assert.match(body.error, /made 1000 invitations within a day/)
  }
  assert.equal((await ask(other, 'two@test.example')).status, 200)
})

test('the same person invited twice at once gets one invitation', async (t) => {
  const service = await startService(t)
  const account = await service.newAccount()
  const twice = await Promise.all(
    [HUGO, HUGO.toUpperCase()].map((email) => account.post('/people/invitations', { email, role: 'reader' }))
  )
  assert.deepEqual(twice.map(({ status }) => status).toSorted(), [200, 409])
})

test('of several who accept one invitation at once, one does', async (t) => {
  const service = await startService(t)
  const account = await service.newAccount()
  const token = await invite(account)
  const answers = await Promise.all(
    Array.from({ length: 5 }, (_, each) =>
      service.anonymous.post('/invitations/accept', { token, password: `password ${each} of them` })
    )
  )
  assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 409, 409, 409, 409])
  const people = (await account.expect(200).get('/people')).body
  assert.equal(people.length, 2)
  const winner = answers.findIndex(({ status }) => status === 200)
  await logIn(service, { email: HUGO, password: `password ${winner} of them` })
})

test('a new person who accepts the invitations of two accounts at once is made once', async (t) => {
  const service = await startService(t)
  const accounts = [await service.newAccount(), await service.newAccount()]
  const tokens = await Promise.all(accounts.map((account) => invite(account)))
  const accept = (token: string) => service.anonymous.post('/invitations/accept', { token, password: CHOSEN })
  const answers = await Promise.all(tokens.map(accept))
  for (const { status } of answers) assert.ok(status === 200 || status === 409, String(status))
  for (const [index, { status }] of answers.entries()) {
    if (status === 409) assert.equal((await accept(tokens[index] ?? '')).status, 200)
  }
  const hugo = await logIn(service, { email: HUGO, password: CHOSEN })
  assert.equal((await hugo.expect(200).get('/users/me/accounts')).body.length, 2)
  assert.equal((await service.pool`select from people where lower(email) = ${HUGO}`).length, 1)
})

test('an invitation that is withdrawn while it is accepted is either accepted or withdrawn', async (t) => {
  const service = await startService(t)
  const account = await service.newAccount()
  for (let round = 0; round < 5; round++) {
    const email = `round${round}@boutique.example`
    const { body } = await account.expect(200).post('/people/invitations', { email, role: 'reader' })
    const [accepted, withdrawn] = await Promise.all([
      service.anonymous.post('/invitations/accept', { token: body.link.split('#')[1], password: CHOSEN }),
      account.delete(`/people/invitations/${body.id}`)
    ])
    assert.deepEqual([accepted.status, withdrawn.status].toSorted(), [200, 404])
    const isOn = (await account.expect(200).get('/people')).text.includes(email)
    assert.equal(isOn, accepted.status === 200)
  }
})

test('another account neither sees nor withdraws an invitation', async (t) => {
  const service = await startService(t)
  const [account, other] = [await service.newAccount(), await service.newAccount()]
  const { body } = await account.expect(200).post('/people/invitations', { email: HUGO, role: 'reader' })
  await other.expect(404).delete(`/people/invitations/${body.id}`)
  assert.deepEqual((await other.expect(200).get('/people/invitations')).body, [])
  assert.equal((await account.expect(200).get('/people/invitations')).body.length, 1)
})

test('nobody joins a suspended account, or one whose parent is suspended', async (t) => {
  const service = await startService(t)
  const parent = await service.newAccount()
  const child = await parent.newSubAccount()
  const token = await invite(child)
  await service.pool`update accounts set standing = 'suspended', standing_reason = 'unpaid' where id = ${parent.id}`
  const { body } = await service.anonymous.expect(403).post('/invitations/accept', { token, password: CHOSEN })
  assert.deepEqual([body.code, body.error], ['account_suspended', 'The account is suspended: unpaid.'])
  await service.pool`update accounts set standing = 'open' where id = ${parent.id}`
  await service.anonymous.expect(200).post('/invitations/accept', { token, password: CHOSEN })
})

test('an invitation does not help to search for emails that are known here', async (t) => {
  const service = await startService(t)
  const [account, other] = [await service.newAccount(), await service.newAccount()]
  for (let each = 0; each < 20; each++) {
    const { email } = await addPerson(service, { accountId: other.id, role: 'reader' })
    await invite(account, email)
  }
  for (const email of [other.email, 'nobody@test.example']) {
    await account.expect(429).post('/people/invitations', { email, role: 'reader' })
  }
})

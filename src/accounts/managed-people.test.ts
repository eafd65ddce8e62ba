import { strict as assert } from 'node:assert'
import { eventually } from '../../test/checks/eventually.ts'
import { startMailbox } from '../../test/peers/mailbox.ts'
import { codeOf } from '../../test/service/authenticator.ts'
import { addPerson, logIn, PASSWORD, type TestPerson } from '../../test/service/people.ts'
import { startService, type TestAccount, type TestService, test } from '../../test/service/service.ts'

const PROOF = { current_password: PASSWORD }
const FRESH = 'a fresh password'

const resetPath = (accountId: number, personId: number) => `/subaccount/${accountId}/people/${personId}/password/reset`
const removePath = (accountId: number, personId: number) =>
  `/subaccount/${accountId}/people/${personId}/second-factor/remove`
const asOperator = (path: string) => path.replace('/subaccount/', '/accounts/')
const tokenOf = (link: string) => link.split('#')[1] ?? ''

/** A parent with an owner, a sub-account with a person who has an app, and the operator as a person. */
async function startManaged(t: Parameters<typeof startService>[0], settings: Record<string, string> = {}) {
  const service = await startService(t, { settings })
  const parent = await service.newAccount()
  const below = await parent.newSubAccount()
  const owner = await addPerson(service, { accountId: parent.id, role: 'owner' })
  const operator = await addPerson(service, { accountId: service.operator.id, role: 'owner' })
  const person = await addPerson(service, { accountId: below.id, role: 'sender' })
  await setUpApp(person)
  return { service, parent, below, owner, operator, person }
}

async function setUpApp(person: TestPerson): Promise<void> {
  const { body } = await person.expect(200).post('/users/me/second-factor/totp', PROOF)
  await person.expect(200).post('/users/me/second-factor/totp/confirm', { code: codeOf(body.secret) })
}

async function countSecrets({ pool }: TestService, personId: number): Promise<number[]> {
  const [row] = await pool<[{ resets: number; factors: number }]>`
    select (select count(*) from password_resets where person_id = ${personId}) as resets,
      (select count(*) from totp_secrets where person_id = ${personId}) as factors
  `
  return [row.resets, row.factors]
}

test('without a mail server a parent sees the link once; the new password ends all sessions, and the factor is removed apart', async (t) => {
  const { service, below, owner, person } = await startManaged(t)
  const { body: people } = await owner.expect(200).get(`/subaccount/${below.id}/people`)
  assert.deepEqual(
    people.map(({ id, role, second_factor }: Record<string, unknown>) => [id === person.id, role, second_factor]),
    [
      [false, 'owner', false],
      [true, 'sender', true]
    ]
  )
  const { body: own } = await below.expect(200).get('/people')
  assert.deepEqual(own, people)

  const { body } = await owner.expect(200).post(resetPath(below.id, person.id), PROOF)
  assert.equal(body.is_mailed, false)
  assert.ok(body.link.startsWith(`${service.url}/app/reset-password#`))
  await person.expect(200).get('/users/me')
  await service.anonymous.expect(200).post('/auth/password/reset', { token: tokenOf(body.link), password: FRESH })
  await eventually(() => person.expect(401).get('/users/me'))
  await service.anonymous
    .expect(409)
    .post('/auth/password/reset', { token: tokenOf(body.link), password: 'another one' })

  const login = { email: person.email, password: FRESH }
  assert.equal(
    (await service.anonymous.expect(401).post('/auth/login', login)).body.code,
    'second_factor_required',
    'a new password alone does not replace the factor'
  )
  await owner.expect(200).post(removePath(below.id, person.id), PROOF)
  await logIn(service, login)
  await owner.expect(404).post(removePath(below.id, person.id), PROOF)

  const { body: trail } = await owner.expect(200).get(`/audit?account=${below.id}`)
  const acts = trail.items.filter(({ operation }: { operation: string }) =>
    /SubAccount(Password|Factor)/.test(operation)
  )
  assert.deepEqual(
    acts.map((act: Record<string, unknown>) => [act.operation, act.object_kind, act.object_id]),
    [
      ['removeSubAccountFactor', 'person', String(person.id)],
      ['resetSubAccountPassword', 'person', String(person.id)]
    ]
  )
  assert.ok(!JSON.stringify(trail).includes(tokenOf(body.link)))
})

test('with a mail server the person gets the link and the notice, in their language; nobody else sees the link', async (t) => {
  const mailbox = await startMailbox(t)
  const { service, below, operator, owner, person } = await startManaged(t, mailbox.settings)
  await person.expect(200).put('/users/me', { language: 'fr' })
  const { text, body } = await owner.expect(200).post(resetPath(below.id, person.id), PROOF)
  assert.deepEqual([body.is_mailed, body.link], [true, null])
  await eventually(() => assert.equal(mailbox.mails.length, 1))
  const [mail] = mailbox.mails
  assert.deepEqual([mail?.to, /nouveau mot de passe/.test(mail?.subject ?? '')], [[person.email], true])
  assert.ok(!text.includes(mail?.token ?? ''))
  await service.anonymous.expect(200).post('/auth/password/reset', { token: mail?.token, password: FRESH })

  await operator.expect(200).post(asOperator(removePath(below.id, person.id)), PROOF)
  await eventually(() => assert.equal(mailbox.mails.length, 3))
  const notice = mailbox.mails.find(({ subject }) => /second facteur/.test(subject))
  assert.deepEqual([notice?.to, notice?.link], [[person.email], ''])

  for (let more = 0; more < 4; more++) await owner.expect(200).post(resetPath(below.id, person.id), PROOF)
  const { headers } = await owner.expect(429).post(resetPath(below.id, person.id), PROOF)
  assert.ok(Number(headers.get('retry-after')) > 3_000)
})

test('a person who is also elsewhere is out of a parent’s reach, and within the operator’s', async (t) => {
  const { service, parent, below, owner, operator, person } = await startManaged(t)
  const stranger = await service.newAccount()
  const { body: shown } = await owner.expect(200).post(resetPath(below.id, person.id), PROOF)
  await addPerson(service, { accountId: stranger.id, role: 'owner', email: person.email })
  // The link was shown while all of the person’s accounts were the parent’s.
  await service.anonymous.expect(409).post('/auth/password/reset', { token: tokenOf(shown.link), password: FRESH })
  for (const path of [resetPath(below.id, person.id), removePath(below.id, person.id)]) {
    const { body } = await owner.expect(403).post(path, PROOF)
    assert.match(body.error, /only the operator can do this/)
  }
  assert.deepEqual(await countSecrets(service, person.id), [0, 1])
  await operator.expect(200).post(asOperator(resetPath(below.id, person.id)), PROOF)
  await operator.expect(200).post(asOperator(removePath(below.id, person.id)), PROOF)
  assert.deepEqual(await countSecrets(service, person.id), [1, 0])
  // Both accounts of the person see what the operator did.
  for (const account of [below, stranger]) {
    const { body } = await account.expect(200).get('/audit?operation=removeAccountFactor')
    assert.equal(body.items.length, 1)
  }

  const both = await addPerson(service, { accountId: parent.id, role: 'reader' })
  await addPerson(service, { accountId: below.id, role: 'reader', email: both.email })
  await owner.expect(403).post(resetPath(below.id, both.id), PROOF)
})

test('a person joining elsewhere at the very moment never leaves a parent with a link that works', async (t) => {
  const { service, below, owner } = await startManaged(t)
  const stranger = await service.newAccount()
  for (let turn = 0; turn < 5; turn++) {
    const person = await addPerson(service, { accountId: below.id, role: 'sender' })
    const [asked] = await Promise.all([
      owner.post(resetPath(below.id, person.id), PROOF),
      addPerson(service, { accountId: stranger.id, role: 'owner', email: person.email })
    ])
    assert.ok([200, 403].includes(asked.status), asked.text)
    assert.deepEqual((await countSecrets(service, person.id))[0], 0, asked.text)
  }
})

test('only a logged-in person with the permission and the password resets, only below, and not on a closed account', async (t) => {
  const { service, parent, below, owner, operator, person } = await startManaged(t)
  const { body: send } = await parent.expect(200).post('/keys', { name: 'Shop', scopes: ['send'] })
  const askers: [client: Pick<TestAccount, 'expect'>, status: number][] = [
    [parent, 403],
    [service.anonymous.as({ 'x-api-key': send.apikey }), 403],
    [person, 403],
    [await addPerson(service, { accountId: (await service.newAccount()).id, role: 'owner' }), 404]
  ]
  for (const role of ['reader', 'sender', 'manager'] as const) {
    askers.push([await addPerson(service, { accountId: parent.id, role }), 403])
  }
  const view = (await operator.expect(200).post(`/accounts/${parent.id}/view`)).body.token
  askers.push([service.anonymous.as({ authorization: `Bearer ${view}` }), 403])
  for (const path of [resetPath(below.id, person.id), removePath(below.id, person.id)]) {
    for (const [client, status] of askers) await client.expect(status).post(path, PROOF)
    await owner.expect(403).post(asOperator(path), PROOF)
    await owner.expect(400).post(path, {})
    await owner.expect(400).post(path, { current_password: 'not the one' })
    await owner.expect(404).post(path.replace(`/people/${person.id}/`, `/people/${owner.id}/`), PROOF)
    await owner.expect(404).post(path.replace(`/subaccount/${below.id}/`, `/subaccount/${parent.id}/`), PROOF)
  }
  await owner.expect(404).get(`/subaccount/${parent.id}/people`)
  await owner.expect(403).get(`/accounts/${below.id}/people`)
  assert.deepEqual(await countSecrets(service, person.id), [0, 1])

  const twice = await Promise.all([1, 2].map(() => owner.post(removePath(below.id, person.id), PROOF)))
  assert.deepEqual(twice.map(({ status }) => status).sort(), [200, 404])
  await parent.expect(200).put(`/subaccount/${below.id}/standing`, { standing: 'closed', reason: 'Left.' })
  for (const path of [resetPath(below.id, person.id), asOperator(resetPath(below.id, person.id))]) {
    await (path.startsWith('/accounts') ? operator : owner).expect(409).post(path, PROOF)
  }
  await service.pool`update people set password_hash = null where id = ${person.id}`
  const other = await parent.newSubAccount()
  await addPerson(service, { accountId: other.id, role: 'reader', email: person.email })
  const { body } = await owner.expect(409).post(resetPath(other.id, person.id), PROOF)
  assert.match(body.error, /single sign-on/)
})

test('a token alone makes no key that lasts and no owner; a key does what it may', async (t) => {
  const { service, parent, below, owner } = await startManaged(t)
  const { body: made } = await parent.expect(200).post('/keys', { name: 'Shop', scopes: ['read'] })
  const acts: [path: string, body: Record<string, unknown>][] = [
    ['/keys', { name: 'Thief', scopes: ['read', 'send'] }],
    [`/keys/${made.id}/rotate`, {}],
    [`/subaccount/${below.id}/key`, {}],
    ['/people/invitations', { email: 'thief@test.example', role: 'owner' }]
  ]
  for (const [path, body] of acts) {
    assert.match((await owner.expect(400).post(path, body)).text, /current_password/)
    await owner.expect(400).post(path, { ...body, current_password: 'not the one' })
    await owner.expect(400).post(path, { ...body, code: '000000' })
  }
  assert.equal((await parent.expect(200).get('/keys')).body.length, 2)
  await setUpApp(owner)
  await service.pool`update totp_secrets set last_step = 0`
  const [secret] = await service.pool<
    { secret: string }[]
  >`select secret from totp_secrets where person_id = ${owner.id}`
  await owner.expect(200).post('/keys', { name: 'By code', scopes: ['read'], code: codeOf(secret?.secret ?? '') })
  for (const [path, body] of acts) await owner.expect(200).post(path, { ...body, ...PROOF })
  const reader = await addPerson(service, { accountId: parent.id, role: 'reader' })
  await owner.expect(400).put(`/people/${reader.id}`, { role: 'owner' })
  await owner.expect(200).put(`/people/${reader.id}`, { role: 'owner', ...PROOF })
  // Others than owners are as before.
  await owner.expect(200).put(`/people/${reader.id}`, { role: 'sender' })
  await owner.expect(200).post('/people/invitations', { email: 'reader@test.example', role: 'reader' })
})

import { strict as assert } from 'node:assert'
import { eventually } from '../../test/checks/eventually.ts'
import { addPerson, logIn, PASSWORD } from '../../test/service/people.ts'
import { startService, type TestService, test } from '../../test/service/service.ts'
import { openSession } from '../people/sessions.ts'
import { createTokens } from '../people/tokens.ts'

const stored = ({ pool }: TestService) => pool`
  select jsonb_agg(to_jsonb(memberships) - 'last_seen_at' order by account_id, person_id) as memberships,
    (select jsonb_agg(jsonb_build_array(id, holder_id) order by id) from accounts) as holders
  from memberships
`
const holderOf = async ({ pool }: TestService, accountId: number) =>
  (await pool`select holder_id from accounts where id = ${accountId}`)[0]?.holderId

test('the people of an account are listed with their roles, and with nothing of others', async (t) => {
  const service = await startService(t)
  const [account, other] = [await service.newAccount(), await service.newAccount()]
  const hugo = await addPerson(service, { accountId: account.id, role: 'sender' })
  await addPerson(service, { accountId: other.id, role: 'owner' })
  const { body } = await hugo.expect(200).get('/people')
  assert.deepEqual(
    body.map((each: { email: string; role: string; is_holder: boolean; is_you: boolean }) => [
      each.email,
      each.role,
      each.is_holder,
      each.is_you
    ]),
    [
      [account.email, 'owner', true, false],
      [hugo.email, 'sender', false, true]
    ]
  )
  assert.equal(body[0].last_seen_at, null)
  assert.notEqual(body[1].last_seen_at, null)
})

test('a new role holds at once, in every process, and for open sessions', async (t) => {
  const service = await startService(t)
  const peer = await service.startPeer(t)
  const account = await service.newAccount()
  const owner = await logIn(service, account)
  const hugo = await addPerson(service, { accountId: account.id, role: 'reader' })
  const [{ token }] = await Promise.all([
    (await service.anonymous.post('/auth/login', { email: hugo.email, password: PASSWORD })).body
  ])
  const there = peer.anonymous.as({ authorization: `Bearer ${token}` })
  await there.expect(403).post('/contactlists', { name: 'mine' })
  const { body } = await owner.expect(200).put(`/people/${hugo.id}`, { role: 'sender' })
  assert.deepEqual([body.id, body.role], [hugo.id, 'sender'])
  await eventually(() => there.expect(200).post('/contactlists', { name: 'mine' }))
  await hugo.expect(200).post('/contactlists', { name: 'mine too' })
  await owner.expect(200).put(`/people/${hugo.id}`, { role: 'reader' })
  await hugo.expect(403).post('/contactlists', { name: 'mine' })
})

test('somebody who is removed is out at once, in every process, and keeps their other accounts', async (t) => {
  const service = await startService(t)
  const peer = await service.startPeer(t)
  const [account, other] = [await service.newAccount(), await service.newAccount()]
  const child = await account.newSubAccount()
  const hugo = await addPerson(service, { accountId: account.id, role: 'manager' })
  await addPerson(service, { accountId: other.id, role: 'reader', email: hugo.email })
  const elsewhere = await hugo.onAccount(other.id)
  const { token } = (await service.anonymous.post('/auth/login', { email: hugo.email, password: PASSWORD })).body
  const there = peer.anonymous.as({ authorization: `Bearer ${token}` })
  // Looks at the sub-account, from the account.
  const tokens = await createTokens(service.pool, { dataFolder: service.dataFolder, ttlSeconds: 600 })
  const viewing = await openSession(service.pool, tokens, {
    person: { id: hugo.id, tokenVersion: 1 },
    accountId: child.id,
    viewedFrom: account.id,
    origin: { address: '127.0.0.1', agent: 'test' }
  })
  const viewer = peer.anonymous.as({ authorization: `Bearer ${viewing.token}` })
  for (const client of [hugo, there, viewer, elsewhere]) await client.expect(200).get('/users/me')

  // The view lasts as long as the role allows it.
  await account.expect(200).put(`/people/${hugo.id}`, { role: 'sender' })
  await eventually(() => viewer.expect(401).get('/users/me'))
  await account.expect(200).put(`/people/${hugo.id}`, { role: 'manager' })
  await eventually(() => viewer.expect(200).get('/users/me'))

  await account.expect(200).delete(`/people/${hugo.id}`)
  await hugo.expect(401).get('/users/me')
  await eventually(() => there.expect(401).get('/users/me'))
  await eventually(() => viewer.expect(401).get('/users/me'))
  await elsewhere.expect(200).get('/users/me')
  const left = await service.pool`select account_id from sessions where person_id = ${hugo.id}`
  assert.ok(left.length > 0 && left.every(({ accountId }) => accountId === other.id))
  const again = await logIn(service, { email: hugo.email, password: PASSWORD })
  assert.equal((await again.expect(200).get('/users/me')).body.id, other.id)
  await account.expect(404).delete(`/people/${hugo.id}`)
})

test('bad changes of people are refused, and change nothing', async (t) => {
  const service = await startService(t)
  const [account, other] = [await service.newAccount(), await service.newAccount()]
  const hugo = await addPerson(service, { accountId: account.id, role: 'manager' })
  const stranger = await addPerson(service, { accountId: other.id, role: 'owner' })
  const owner = await logIn(service, account)
  const ownerId = await holderOf(service, account.id)
  const before = JSON.stringify(await stored(service))
  await owner.expect(400).put(`/people/${hugo.id}`, { role: 'admin' })
  await owner.expect(400).put(`/people/${hugo.id}`, {})
  for (const role of ['manager', 'sender', 'reader']) {
    const { body } = await owner.expect(409).put(`/people/${ownerId}`, { role })
    assert.match(body.error, /only owner of the account/)
  }
  await owner.expect(409).delete(`/people/${ownerId}`)
  await owner.expect(409).post('/users/me/leave')
  await account.expect(409).delete(`/people/${ownerId}`)
  await account.expect(403).post('/users/me/leave')
  for (const client of [owner, account]) {
    await client.expect(404).put(`/people/${stranger.id}`, { role: 'reader' })
    await client.expect(404).delete(`/people/${stranger.id}`)
  }
  await hugo.expect(403).put(`/people/${hugo.id}`, { role: 'owner' })
  await hugo.expect(403).delete(`/people/${ownerId}`)
  await stranger.expect(404).delete(`/people/${ownerId}`)
  assert.equal(JSON.stringify(await stored(service)), before)
})

test('a holder who leaves or is no longer an owner hands the account to the owner who joined first', async (t) => {
  const service = await startService(t)
  const account = await service.newAccount()
  const holder = await logIn(service, account)
  const first = await addPerson(service, { accountId: account.id, role: 'owner' })
  const second = await addPerson(service, { accountId: account.id, role: 'owner' })
  await holder.expect(200).post('/users/me/leave')
  await holder.expect(401).get('/users/me')
  assert.equal(await holderOf(service, account.id), first.id)
  // The key is the account's, which shows its new holder.
  assert.equal((await account.expect(200).get('/users/me')).body.email, first.email)
  await second.expect(200).put(`/people/${first.id}`, { role: 'reader' })
  assert.equal(await holderOf(service, account.id), second.id)
  await second.expect(409).post('/users/me/leave')
  await first.expect(200).post('/users/me/leave')
  await service.anonymous.expect(401).post('/auth/login', { email: first.email, password: PASSWORD })
})

test('two owners who remove each other at once leave one owner', async (t) => {
  const service = await startService(t)
  for (let round = 0; round < 5; round++) {
    const account = await service.newAccount()
    const [ownerId] = [await holderOf(service, account.id)]
    const one = await addPerson(service, { accountId: account.id, role: 'owner' })
    const two = await addPerson(service, { accountId: account.id, role: 'owner' })
    await account.expect(200).delete(`/people/${ownerId}`)
    const answers = await Promise.all([one.delete(`/people/${two.id}`), two.delete(`/people/${one.id}`)])
    assert.equal(answers.filter(({ status }) => status === 200).length, 1, answers.map(({ text }) => text).join())
    const people = (await account.expect(200).get('/people')).body
    assert.deepEqual([people.length, people[0].role, people[0].is_holder], [1, 'owner', true])
  }
})

test('an owner who was removed while they asked to remove somebody else is refused', async (t) => {
  const service = await startService(t)
  const account = await service.newAccount()
  const one = await addPerson(service, { accountId: account.id, role: 'owner' })
  const two = await addPerson(service, { accountId: account.id, role: 'owner' })
  const third = await addPerson(service, { accountId: account.id, role: 'reader' })
  await two.expect(200).get('/users/me')
  let late: Promise<{ status: number }> | undefined
  await service.pool.begin(async (sql) => {
    await sql`select from accounts where id = ${account.id} for no key update`
    // It has passed the check of its credentials by now, and waits for the lock.
    late = two.delete(`/people/${third.id}`)
    await eventually(async () => {
      const waiting =
        await service.pool`select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`
      assert.equal(waiting.length, 1)
    })
    await sql`delete from memberships where person_id = ${two.id}`
  })
  assert.equal((await late)?.status, 403)
  assert.equal((await one.expect(200).get('/people')).body.length, 3)
})

test('a person on several accounts logs in to the one they name, and switches', async (t) => {
  const service = await startService(t)
  // One after the other: the list of accounts is in the order of their ids.
  const mine = await service.newAccount()
  const theirs = await service.newAccount()
  const suspended = await service.newAccount()
  const foreign = await service.newAccount()
  const { email, password } = mine
  await addPerson(service, { accountId: theirs.id, role: 'reader', email })
  await addPerson(service, { accountId: suspended.id, role: 'owner', email })
  await service.pool`update accounts set standing = 'suspended', standing_reason = 'unpaid' where id = ${suspended.id}`
  const accountOf = async (client: { get(path: string): Promise<{ body: { id: number } }> }) =>
    (await client.get('/users/me')).body.id

  const first = await logIn(service, { email, password })
  assert.equal(await accountOf(first), mine.id, 'the account that the person holds')
  assert.equal(await accountOf(await logIn(service, { email, password, account_id: theirs.id })), theirs.id)
  await service.anonymous.expect(401).post('/auth/login', { email, password, account_id: foreign.id })
  await service.anonymous.expect(403).post('/auth/login', { email, password, account_id: suspended.id })

  const { body } = await first.expect(200).get('/users/me/accounts')
  assert.deepEqual(
    body.map((each: { id: number; role: string; standing: string; is_current: boolean }) => [
      each.id,
      each.role,
      each.standing,
      each.is_current
    ]),
    [
      [mine.id, 'owner', 'open', true],
      [theirs.id, 'reader', 'open', false],
      [suspended.id, 'owner', 'suspended', false]
    ]
  )
  const { token, expiresIn } = (await first.expect(200).post('/auth/switch', { account_id: theirs.id })).body
  assert.ok(expiresIn > 3_000 && expiresIn <= 3_600, 'it ends with the first session at the latest')
  const switched = service.anonymous.as({ authorization: `Bearer ${token}` })
  const me = (await switched.expect(200).get('/users/me')).body
  assert.deepEqual([me.id, me.email, me.role_on_account, me.permissions], [theirs.id, email, 'reader', ['read']])
  await switched.expect(403).post('/contactlists', { name: 'x' })
  assert.equal(await accountOf(first), mine.id, 'the session before goes on')
  // The owner of the account sees a person of the account, and nothing of the account that the person came from.
  const [entry] = (await theirs.expect(200).get('/audit?operation=switchAccount')).body.items
  assert.deepEqual([entry.account_id, entry.person_id === null], [theirs.id, false])

  await first.expect(404).post('/auth/switch', { account_id: foreign.id })
  await first.expect(403).post('/auth/switch', { account_id: suspended.id })
  await mine.expect(403).post('/auth/switch', { account_id: mine.id })
  await mine.expect(403).get('/users/me/accounts')
})

test('of a person who logs in again and again, the newest thousand sessions are listed', async (t) => {
  const service = await startService(t)
  const account = await service.newAccount()
  const me = await addPerson(service, { accountId: account.id, role: 'owner' })
  await service.pool`
    insert into sessions (id, person_id, account_id, address, agent, created_at, expires_at)
    select 'number ' || i, ${me.id}, ${account.id}, '127.0.0.1', 'program', now() + make_interval(secs => i),
      now() + interval '1 hour'
    from generate_series(1, 1500) as i
  `
  const { body: sessions } = await me.expect(200).get('/users/me/sessions')
  assert.deepEqual([sessions.length, sessions[0].id, sessions.at(-1).id], [1_000, 'number 1500', 'number 501'])
  assert.equal((await me.expect(200).delete('/users/me/sessions')).body.ended, 1_500)
})

test('sessions are listed and ended, one by one and all the others, in every process', async (t) => {
  const service = await startService(t)
  const peer = await service.startPeer(t)
  const [account, other] = [await service.newAccount(), await service.newAccount()]
  const { email, password } = account
  const logInFrom = async (agent: string) => {
    const { token } = (
      await service.anonymous.expect(200).post('/auth/login', { email, password }, { 'user-agent': agent })
    ).body
    const headers = { authorization: `Bearer ${token}` }
    return { here: service.anonymous.as(headers), there: peer.anonymous.as(headers) }
  }
  const [laptop, phone, tablet] = [await logInFrom('laptop'), await logInFrom('phone'), await logInFrom('tablet')]
  const stranger = await logIn(service, other)
  const listed = async () => (await laptop.here.expect(200).get('/users/me/sessions')).body
  const sessions = await listed()
  assert.deepEqual(
    sessions.map((each: { agent: string; is_current: boolean; account_id: number; address: string }) => [
      each.agent,
      each.is_current,
      each.account_id,
      each.address
    ]),
    ['tablet', 'phone', 'laptop'].map((agent) => [agent, agent === 'laptop', account.id, '127.0.0.1'])
  )
  await phone.there.expect(200).get('/users/me')
  const phoneId = sessions[1].id
  await stranger.expect(404).delete(`/users/me/sessions/${phoneId}`)
  await account.expect(403).delete(`/users/me/sessions/${phoneId}`)
  await laptop.here.expect(404).delete('/users/me/sessions/nothing')
  await laptop.here.expect(200).delete(`/users/me/sessions/${phoneId}`)
  await phone.here.expect(401).get('/users/me')
  await eventually(() => phone.there.expect(401).get('/users/me'))
  await laptop.here.expect(404).delete(`/users/me/sessions/${phoneId}`)

  await tablet.there.expect(200).get('/users/me')
  assert.deepEqual((await laptop.here.expect(200).delete('/users/me/sessions')).body, { ended: 1 })
  await eventually(() => tablet.there.expect(401).get('/users/me'))
  assert.equal((await listed()).length, 1)
  await stranger.expect(200).get('/users/me')
  await account.expect(403).get('/users/me/sessions')
})

test('a person’s language is kept, and mails are written in it', async (t) => {
  const service = await startService(t)
  const account = await service.newAccount()
  const owner = await logIn(service, account)
  assert.equal((await owner.expect(200).get('/users/me')).body.language, null)
  assert.equal((await owner.expect(200).put('/users/me', { language: 'fr' })).body.language, 'fr')
  await owner.expect(400).put('/users/me', { language: 'de' })
  assert.equal((await account.expect(200).get('/users/me')).body.language, null, 'a key has no person')
})

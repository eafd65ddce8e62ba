import { strict as assert } from 'node:assert'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fastify from 'fastify'
import { eventually } from '../../test/checks/eventually.ts'
import { startMailbox } from '../../test/peers/mailbox.ts'
import { atEnd } from '../../test/service/cleanup.ts'
import { addPerson, logIn, PASSWORD } from '../../test/service/people.ts'
import { startService, type TestService, test } from '../../test/service/service.ts'
import { type Dress, registerConsole } from '../http/console.ts'
import { gif, jpeg, png } from '../pictures/pictures.samples.ts'
import { readHostName } from './host-name.ts'

const SIZE = { width: 280, height: 56 }
const LOOK = { name: 'Agence Durand', colour: '#A61E4D' }
const HOSTS = { console_host: 'sms.agence.example', link_host: 'go.agence.example' }
/** As a reverse proxy in front of the service sets it. */
const at = (host: string) => ({ 'x-forwarded-host': host })
const PROXIED = { CHAPPE_PUBLIC_URL: 'https://sms.operator.example', CHAPPE_TRUSTED_PROXIES: '127.0.0.1' }

const logo = (content: Buffer) => content.toString('base64')

/** The rows that a request about looks could change. */
const stored = ({ pool }: TestService) => pool`
  select (select jsonb_agg(looks order by account_id) from looks) as looks,
    (select jsonb_agg(look_hosts order by host) from look_hosts) as hosts
`

test('a top-level account chooses its look, and its sub-accounts share it', async (t) => {
  const service = await startService(t, { settings: PROXIED })
  const reseller = await service.newAccount()
  const below = await reseller.newSubAccount()
  const chappe = {
    is_own: false,
    name: 'Chappe',
    colour: null,
    logo_path: null,
    console_url: 'https://sms.operator.example/app',
    link_url: 'https://sms.operator.example/s'
  }
  assert.deepEqual((await reseller.expect(200).get('/look')).body, chappe)

  const own = { ...chappe, is_own: true, name: 'Agence Durand', colour: '#a61e4d' }
  assert.deepEqual((await reseller.expect(200).put('/look', LOOK)).body, own)
  const { body: drawn } = await reseller.expect(200).put('/look', { ...LOOK, logo: logo(jpeg(SIZE)) })
  assert.match(drawn.logo_path, /^\/look\/logo\/[0-9a-f]{32}\.jpg$/)
  assert.deepEqual((await below.expect(200).get('/look')).body, drawn)
  const answer = await fetch(service.url + drawn.logo_path)
  assert.deepEqual([answer.status, answer.headers.get('content-type')], [200, 'image/jpeg'])
  assert.ok(Buffer.from(await answer.arrayBuffer()).equals(jpeg(SIZE)))
  assert.equal(answer.headers.get('x-content-type-options'), 'nosniff')
  assert.equal(answer.headers.get('content-security-policy'), "default-src 'none'; sandbox")
  assert.equal((await fetch(`${service.url}/look/logo/${'0'.repeat(32)}.jpg`)).status, 404)

  // Another process shows it too, and the name changes without the logo.
  const peer = await service.startPeer(t, { settings: PROXIED })
  assert.equal((await fetch(peer.url + drawn.logo_path)).status, 200)
  const { body: renamed } = await reseller.expect(200).put('/look', { name: ' Agence\n Dupont ', colour: null })
  assert.deepEqual(renamed, { ...drawn, name: 'Agence Dupont', colour: null })
  assert.equal((await reseller.expect(200).put('/look', { ...LOOK, logo: null })).body.logo_path, null)
  assert.equal((await fetch(service.url + drawn.logo_path)).status, 404)
  await eventually(async () => assert.equal((await fetch(peer.url + drawn.logo_path)).status, 404))
  assert.deepEqual((await reseller.expect(200).delete('/look')).body, chappe)

  // The operator's look is that of everybody who has chosen none.
  await service.operator.expect(200).put('/look', { name: 'Telco', colour: '#0b7285' })
  const { name, is_own } = (await below.expect(200).get('/look')).body
  assert.deepEqual([name, is_own], ['Telco', false])
})

test('a look that can’t be shown is refused and changes nothing', async (t) => {
  const service = await startService(t)
  const reseller = await service.newAccount()
  const below = await reseller.newSubAccount()
  await reseller.expect(200).put('/look', { ...LOOK, logo: logo(png(SIZE)) })
  const before = await stored(service)
  for (const body of [
    { name: '', colour: null },
    { name: ' \u200b ', colour: null },
    { ...LOOK, colour: 'red' }
  ]) {
    await reseller.expect(400).put('/look', body)
  }
  const { body: refused } = await reseller.expect(400).put('/look', { ...LOOK, colour: '#abc' })
  assert.equal(refused.details[0].message, 'must be a colour such as #a61e4d')
  const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>')
  const large = Buffer.concat([png(SIZE), Buffer.alloc(128 * 1024)])
  for (const content of [svg, gif(SIZE), png(SIZE).subarray(0, -4), png({ width: 1_025, height: 9 }), large]) {
    await reseller.expect(400).put('/look', { ...LOOK, logo: logo(content) })
  }
  await below.expect(403).put('/look', LOOK)
  await below.expect(403).delete('/look')
  assert.deepEqual(await stored(service), before)
})

test('a host name belongs to one account, also when two are given it at once', async (t) => {
  const service = await startService(t, { settings: PROXIED })
  const { operator, newAccount } = service
  const [one, other] = [await newAccount(), await newAccount()]
  const below = await one.newSubAccount()
  const answers = await Promise.all([
    operator.put(`/accounts/${one.id}/hosts`, HOSTS),
    operator.put(`/accounts/${other.id}/hosts`, { console_host: HOSTS.link_host, link_host: HOSTS.console_host })
  ])
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409])
  const [owner, loser] = answers[0]?.status === 200 ? [one, other] : [other, one]
  await operator.expect(200).put(`/accounts/${owner.id}/hosts`, { ...HOSTS, console_host: ' SMS.Agence.Example ' })
  assert.deepEqual((await operator.expect(200).get(`/accounts/${owner.id}/hosts`)).body, { id: owner.id, ...HOSTS })
  const before = await stored(service)
  const { body: taken } = await operator
    .expect(409)
    .put(`/accounts/${loser.id}/hosts`, { console_host: 'sms.other.example', link_host: HOSTS.console_host })
  assert.equal(taken.error, 'Another account has the host name sms.agence.example.')
  for (const host of ['https://sms.agence.example', 'sms.agence.example/app', 'localhost', '10.0.0.7', 'a_b.example']) {
    await operator.expect(400).put(`/accounts/${loser.id}/hosts`, { console_host: host, link_host: null })
  }
  for (const body of [
    { console_host: 'sms.operator.example', link_host: null },
    { console_host: 'a.example', link_host: 'a.example' }
  ]) {
    await operator.expect(400).put(`/accounts/${loser.id}/hosts`, body)
  }
  await operator.expect(409).put(`/accounts/${below.id}/hosts`, { console_host: 'b.example', link_host: null })
  await operator.expect(409).put(`/accounts/${operator.id}/hosts`, { console_host: 'b.example', link_host: null })
  await operator.expect(404).put('/accounts/999999/hosts', { console_host: 'b.example', link_host: null })
  await owner.expect(403).put(`/accounts/${owner.id}/hosts`, { console_host: 'b.example', link_host: null })
  assert.deepEqual(await stored(service), before)

  // Those of a closed account are free again.
  const closed = { standing: 'closed', reason: 'The contract has ended.' }
  await operator.expect(200).put(`/accounts/${owner.id}/standing`, closed)
  await eventually(() => operator.expect(200).put(`/accounts/${loser.id}/hosts`, HOSTS))
  await operator.expect(409).put(`/accounts/${owner.id}/hosts`, { console_host: 'b.example', link_host: null })
})

test('a host name is read as DNS writes it', () => {
  for (const [text, host] of [
    ['sms.agence.example', 'sms.agence.example'],
    ['SMS.Café.example', 'sms.xn--caf-dma.example'],
    ['agence.localhost', 'agence.localhost'],
    ['agence', undefined],
    ['-a.example', undefined],
    ['a..example', undefined],
    ['a.example.', undefined],
    ['0x7f.1', undefined],
    ['[::1]', undefined],
    ['a.example:8080', undefined],
    [`${'a'.repeat(64)}.example`, undefined],
    [`${'a.'.repeat(130)}example`, undefined]
  ] as const) {
    assert.equal(readHostName(text), host, text)
  }
})

test('links of an account and its sub-accounts are at its host, and open at every host', async (t) => {
  const service = await startService(t, { settings: PROXIED })
  const { operator, newAccount, pool } = service
  const [reseller, stranger] = [await newAccount({ credits: 10 }), await newAccount({ credits: 10 })]
  const below = await reseller.newSubAccount({ mode: 'parent' })
  await operator.expect(200).put(`/accounts/${reseller.id}/hosts`, HOSTS)
  assert.equal((await below.expect(200).get('/look')).body.link_url, 'https://go.agence.example/s')
  const send = {
    recipients: ['0639980001'],
    content: 'Offre #SHORTURL#',
    shorturl: { mode: 'unique', url: 'https://shop.example/' }
  }
  async function linkOf(account: typeof reseller): Promise<string> {
    const { body } = await account.expect(200).post('/messages/sms', send)
    const [row] = await pool`select content from recipients where message_id = ${body.message_id}`
    return row?.content.replace('Offre ', '')
  }
  for (const account of [reseller, below])
    assert.match(await linkOf(account), /^https:\/\/go\.agence\.example\/s\/\w{10}$/)
  assert.match(await linkOf(stranger), /^https:\/\/sms\.operator\.example\/s\/\w{10}$/)
  const { pathname } = new URL(await linkOf(below))
  await operator.expect(200).put(`/accounts/${reseller.id}/hosts`, { console_host: null, link_host: null })
  assert.match(await linkOf(below), /^https:\/\/sms\.operator\.example\/s\/\w{10}$/)
  const opened = await fetch(service.url + pathname, { redirect: 'manual', headers: at(HOSTS.link_host) })
  assert.deepEqual([opened.status, opened.headers.get('location')], [302, 'https://shop.example/'])
})

test('mails of an account and its sub-accounts carry its name, and lead to its console', async (t) => {
  const mailbox = await startMailbox(t)
  const service = await startService(t, { settings: { ...PROXIED, ...mailbox.settings } })
  const { operator, anonymous, newAccount } = service
  const [reseller, stranger] = [await newAccount(), await newAccount()]
  const below = await reseller.newSubAccount()
  await operator.expect(200).put(`/accounts/${reseller.id}/hosts`, HOSTS)
  await reseller.expect(200).put('/look', LOOK)
  await below.expect(200).post('/people/invitations', { email: 'hugo@boutique.example', role: 'sender' })
  await eventually(() => assert.equal(mailbox.mails.length, 1))
  const [invitation] = mailbox.mails
  assert.match(invitation?.subject ?? '', / on Agence Durand$/)
  assert.equal(invitation?.sender, 'Agence Durand <no-reply@chappe.example>')
  assert.match(invitation?.link ?? '', /^https:\/\/sms\.agence\.example\/app\/invitation#/)
  assert.doesNotMatch(invitation?.text ?? '', /Chappe|operator/)

  // The host of the request decides nothing: a stranger could choose it.
  for (const [email, host, link] of [
    [below.email, 'sms.operator.example', 'https://sms.agence.example/'],
    [stranger.email, HOSTS.console_host, 'https://sms.operator.example/']
  ] as const) {
    mailbox.mails.length = 0
    await anonymous.expect(200).post('/auth/password/forgot', { email }, at(host))
    await eventually(() => assert.equal(mailbox.mails.length, 1))
    assert.ok(mailbox.mails[0]?.link.startsWith(link), `${mailbox.mails[0]?.link}`)
  }
  // A person of two families has a link to the operator's host: neither family may get its token.
  await addPerson(service, { accountId: stranger.id, role: 'reader', email: below.email })
  mailbox.mails.length = 0
  await anonymous.expect(200).post('/auth/password/forgot', { email: below.email })
  await eventually(() => assert.equal(mailbox.mails.length, 1))
  assert.ok(mailbox.mails[0]?.link.startsWith('https://sms.operator.example/'))
  assert.equal(mailbox.mails[0]?.subject, 'Choose a new password for Chappe')
})

test('at the host of an account, only its own people log in, and passkeys are made for that host', async (t) => {
  const service = await startService(t, { settings: PROXIED })
  const { operator, anonymous, newAccount } = service
  const [reseller, stranger] = [await newAccount(), await newAccount()]
  const below = await reseller.newSubAccount()
  await operator.expect(200).put(`/accounts/${reseller.id}/hosts`, HOSTS)
  await reseller.expect(200).put('/look', LOOK)
  const here = at('SMS.agence.example')
  for (const account of [operator, stranger]) {
    const { body } = await anonymous.expect(403).post('/auth/login', account, here)
    assert.match(body.error, /^This address is for the people of Agence Durand: log in at/)
  }
  await anonymous.expect(401).post('/auth/login', { ...stranger, password: 'wrong' }, here)
  await anonymous.expect(200).post('/auth/login', below, here)
  await anonymous.expect(200).post('/auth/login', below)
  await anonymous.expect(200).post('/auth/login', stranger, at('unknown.example'))

  // A person of both works with one at its host, and with either at the operator's.
  const both = await addPerson(service, { accountId: stranger.id, role: 'reader' })
  await addPerson(service, { accountId: below.id, role: 'reader', email: both.email })
  const { token } = (await anonymous.expect(200).post('/auth/login', { email: both.email, password: PASSWORD }, here))
    .body
  const person = anonymous.as({ authorization: `Bearer ${token}`, ...here })
  const ids = async (client: typeof person) =>
    (await client.expect(200).get('/users/me/accounts')).body.map(({ id }: { id: number }) => id)
  assert.deepEqual(await ids(person), [below.id])
  await person.expect(404).post('/auth/switch', { account_id: stranger.id })
  const elsewhere = anonymous.as({ authorization: `Bearer ${token}` })
  assert.deepEqual(await ids(elsewhere), [stranger.id, below.id])
  await elsewhere.expect(200).post('/auth/switch', { account_id: stranger.id })

  const owner = await logIn(service, below)
  const proof = { current_password: below.password }
  const begin = async (headers: Record<string, string>) =>
    (await owner.expect(200).post('/users/me/second-factor/passkeys/begin', proof, headers)).body.options.rp
  assert.deepEqual(await begin(here), { id: 'sms.agence.example', name: 'Agence Durand' })
  assert.deepEqual(await begin(at('unknown.example')), { id: 'sms.operator.example', name: 'Chappe' })
  const { uri } = (await owner.expect(200).post('/users/me/second-factor/totp', proof, here)).body
  assert.match(uri, /^otpauth:\/\/totp\/Agence%20Durand:/)
})

test('the page of the console is dressed before it leaves, and a name stays text', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'chappe-console-'))
  atEnd(t, () => rm(folder, { recursive: true }))
  const page =
    '<html lang="en"><title>Chappe</title><link rel="icon" href="/app/icon.svg" /><p class="starting">Chappe</p></html>'
  await writeFile(join(folder, 'index.html'), page)
  let dress: Dress | undefined
  const app = fastify()
  atEnd(t, () => app.close())
  await registerConsole(app, folder, () => dress)
  const ask = async () => (await app.inject({ url: '/app/login', headers: { accept: 'text/html' } })).body
  assert.equal(await ask(), page)
  dress = { name: '"><script>$&', colour: '#a61e4d', logo: '/look/logo/1.png' }
  const name = '&#34;&#62;&#60;script&#62;$&#38;'
  assert.equal(
    await ask(),
    `<html data-name="${name}" data-colour="#a61e4d" data-logo="/look/logo/1.png" lang="en"><title>${name}</title><link rel="icon" href="/look/logo/1.png" /><p class="starting">${name}</p></html>`
  )
})

import { strict as assert } from 'node:assert'
import { eventually } from '../../test/checks/eventually.ts'
import { openLink, PHONE } from '../../test/messages/links.ts'
import { startEventService } from '../../test/messages/rbm-events.ts'
import { readMessage, untilSummary } from '../../test/messages/sending.ts'
import { fileForm } from '../../test/service/file-form.ts'
import { startService, type TestAccount, test } from '../../test/service/service.ts'
import { recordReply } from '../replies/record-reply.ts'
import { listStoppedPairs } from '../stops/stops.store.ts'

const phone = (last: number) => `+336399821${String(last).padStart(2, '0')}`
const LATER = new Date(Date.now() + 10 * 86_400_000).toISOString()

async function linksOf(account: TestAccount, id: number): Promise<string[]> {
  const { items } = (await account.expect(200).get(`/messages/${id}/recipients/sms?limit=100`)).body
  return items.map(({ content }: { content: string }) => /\/s\/[0-9A-Za-z]{10}/.exec(content)?.[0] ?? '')
}

const stopOf = async (account: TestAccount, number: string) =>
  (await account.expect(200).get(`/stops/all?search=${encodeURIComponent(number)}`)).body.items[0]

test('#STOP_URL# is a link for each recipient; a look at it changes nothing, one click opts out, twice is fine', async (t) => {
  const { newAccount, url } = await startService(t)
  const account = await newAccount({ credits: 100 })
  const send = { content: 'Soldes ! #STOP_URL#', category: 'marketing', sender: 'CHAPPE' }
  const recipients = [1, 2, 3].map(phone)
  const dry = (await account.expect(200).post('/messages/sms?resumeBefore=true', { ...send, recipients })).body
  assert.deepEqual([dry.recipients_count, dry.sms_count], [3, 3])
  const { body } = await account.expect(200).post('/messages/sms', { ...send, recipients, scheduleAt: LATER })
  const message = await readMessage(account, body.message_id)
  // It counts as the mention: no other one is added.
  assert.equal(message.content, 'Soldes ! #STOP_URL#')
  const links = await linksOf(account, body.message_id)
  assert.equal(new Set(links).size, 3)
  const [link = '', second = ''] = links

  for (const method of ['GET', 'HEAD', 'GET']) {
    const page = await openLink(url, link, { method })
    assert.equal(page.status, 200)
    if (method === 'GET') {
      assert.match(page.text, /<html lang="fr">.*<form method="post" action=""><button>Me désinscrire<\/button>/s)
      assert.match(page.text, /<h1>Ne plus recevoir de messages de <bdi>CHAPPE<\/bdi> \?/)
      assert.doesNotMatch(page.text, /<script|6399821/)
    }
    assert.match(String(page.headers['content-security-policy']), /default-src 'none'.*form-action 'self'/)
    assert.equal(page.headers['x-robots-tag'], 'noindex, nofollow')
  }
  const english = await openLink(url, link, { headers: { ...PHONE, 'accept-language': 'de, en' } })
  assert.match(english.text, /<html lang="en"><head>.*<title>Stop receiving messages from CHAPPE\?<.*Opt out/s)
  // A number names nobody: the company does, whatever it calls itself.
  await account.expect(200).put('/users/me', { social_reason: '<b>L’Été</b> & "Co"' })
  const numbered = { ...send, sender: '36111', recipients: [phone(4)], scheduleAt: LATER }
  const { message_id } = (await account.expect(200).post('/messages/sms', numbered)).body
  const [numberedLink = ''] = await linksOf(account, message_id)
  const ofCompany = (await openLink(url, numberedLink)).text
  assert.match(ofCompany, /de <bdi>&#60;b&#62;L’Été&#60;\/b&#62; &#38; &#34;Co&#34;<\/bdi> \?<\/h1>/)
  await account.expect(200).put(`/messages/${message_id}/cancel`)
  assert.equal((await account.expect(200).get('/stops/all')).body.meta.totalItems, 0)

  const form = { ...PHONE, 'content-type': 'application/x-www-form-urlencoded' }
  for (let turn = 0; turn < 2; turn++) {
    const done = await openLink(url, link, { method: 'POST', headers: form })
    assert.equal(done.status, 200)
    assert.match(done.text, /C’est fait.*CHAPPE<\/bdi> ne vous enverra plus/)
  }
  const stop = await stopOf(account, phone(1))
  assert.deepEqual([stop.source, stop.way, stop.message_id, stop.sender], ['reply', 'link', body.message_id, 'CHAPPE'])
  const after = await readMessage(account, body.message_id)
  assert.deepEqual([after.summary.waiting, after.summary.stopped, after.credits_refunded], [2, 1, 1])
  // Two clicks at once.
  const both = await Promise.all([1, 2].map(() => openLink(url, second, { method: 'POST', headers: form })))
  assert.deepEqual(
    both.map(({ status }) => status),
    [200, 200]
  )
  assert.equal((await readMessage(account, body.message_id)).credits_refunded, 2)

  // Codes of nobody, and links that are for something else, are plain pages.
  for (const path of ['/s/AAAAAAAAAA', '/s/short', '/s/<script>']) {
    for (const method of ['GET', 'POST']) {
      const answer = await openLink(url, path, { method, headers: form })
      assert.equal(answer.status, 404, `${method} ${path}`)
      assert.match(answer.text, /Ce lien ne mène nulle part/)
    }
  }
  const tracked = await account.expect(200).post('/messages/sms', {
    recipients: [phone(4)],
    content: 'Voir #SHORTURL# ou #STOP_URL#',
    shorturl: { mode: 'unique', url: 'https://shop.example/' },
    scheduleAt: LATER
  })
  const [target = ''] = await linksOf(account, tracked.body.message_id)
  assert.equal((await openLink(url, target)).status, 302)
  assert.equal((await openLink(url, target, { method: 'POST', headers: form })).status, 404)
  assert.equal(await stopOf(account, phone(4)), undefined)

  // An erased number has no link any more.
  await account.expect(200).put(`/messages/${body.message_id}/cancel`)
  await account.expect(200).delete(`/contacts/by-number/${phone(3)}`)
  assert.equal((await openLink(url, links[2] ?? '', { method: 'POST', headers: form })).status, 404)
})

test('the link in many recipients, in variables and in an RCS with its fallback; no variable may take its name', async (t) => {
  const { newAccount, pool } = await startService(t)
  const account = await newAccount({ credits: 1_000 })
  const many = Array.from({ length: 60 }, (_, index) => ({ recipient: `+33639983${100 + index}`, prenom: `P${index}` }))
  const { body } = await account.expect(200).post('/messages/sms/dynamic', {
    recipients: many.map((each) => ({ ...each, stop_url: 'https://evil.example' })),
    content: 'Bonjour #prenom# #STOP_URL#'
  })
  assert.equal(new Set(await linksOf(account, body.message_id)).size, 60)
  const [count] = await pool`select count(*) as count from short_links where url = 'chappe:stop'`
  assert.equal(count?.count, 60)
  const rcs = await account.expect(200).post('/messages/rcs', {
    type: 'text',
    data: { text: 'Soldes', choices: [{ type: 'url', title: 'Se désinscrire', url: '#STOP_URL#' }] },
    fallback: { content: 'Soldes #STOP_URL#' },
    contacts: [{ recipient: phone(1) }],
    category: 'marketing',
    scheduleAt: LATER
  })
  const { data } = (await account.expect(200).get(`/messages/${rcs.body.message_id}/rcs`)).body
  // It tells how to opt out: no button is added.
  assert.equal(data.choices.length, 1)
})

test('marketing by RCS gets a button to opt out, last, where there is room and nothing else tells how', async (t) => {
  const { newAccount } = await startService(t)
  const account = await newAccount({ credits: 100 })
  const shown = async (content: object, category = 'marketing') => {
    const send = { ...content, contacts: [{ recipient: phone(1) }], category, scheduleAt: LATER }
    const { body } = await account.expect(200).post('/messages/rcs', send)
    return (await account.expect(200).get(`/messages/${body.message_id}/rcs`)).body.data
  }
  const choices = (count: number) => Array.from({ length: count }, (_, index) => ({ type: 'text', text: `C${index}` }))
  const STOP = { type: 'text', text: 'STOP' }
  const text = { type: 'text', data: { text: 'Soldes', choices: choices(2) } }
  assert.deepEqual((await shown(text)).choices, [...choices(2), STOP])
  assert.deepEqual((await shown(text, 'transactional')).choices, choices(2))
  assert.equal((await shown({ type: 'text', data: { text: 'Soldes', choices: choices(11) } })).choices.length, 11)
  assert.deepEqual((await shown({ type: 'card', data: { title: 'Soldes' } })).choices, [STOP])
  assert.equal((await shown({ type: 'card', data: { title: 'Soldes', choices: choices(4) } })).choices.length, 4)
  const cards = [{ title: 'A' }, { title: 'B' }]
  const carousel = await shown({ type: 'carousel', data: { cards } })
  assert.deepEqual(carousel.cards, [{ title: 'A' }, { title: 'B', choices: [STOP] }])
  for (const told of ['Soldes, STOP 36111', 'Soldes #STOP_XXX#'])
    assert.equal((await shown({ type: 'text', data: { text: told } })).choices, undefined)
})

test('a tap on STOP is an opt-out by button, and takes the person out of what waits', async (t) => {
  const service = await startEventService(t)
  const account = await service.newAccount({ credits: 100 })
  const number = '+33612000000'
  const rcs = { type: 'text', data: { text: 'Soldes' }, contacts: [{ recipient: number }], category: 'marketing' }
  const { body: answered } = await account.expect(200).post('/messages/rcs', rcs)
  await service.pool`update recipients set sent_at = now(), state = 2 where message_id = ${answered.message_id}`
  const { body: waiting } = await account.expect(200).post('/messages/rcs', { ...rcs, scheduleAt: LATER })
  await service.post({
    senderPhoneNumber: number,
    messageId: 'tap1',
    sendTime: new Date().toISOString(),
    agentId: 'brand@rbm.goog',
    suggestionResponse: { postbackData: 'STOP', text: 'STOP', type: 'REPLY' }
  })
  await service.process()
  const stop = await stopOf(account, number)
  assert.deepEqual([stop?.source, stop?.way, stop?.message_id], ['reply', 'button', answered.message_id])
  const seen = await readMessage(account, waiting.message_id)
  assert.deepEqual([seen.summary.stopped, seen.credits_refunded], [1, waiting.credits_used])
})

test('START undoes the STOP that a person made, and no other; the consent that it withdrew holds again', async (t) => {
  const service = await startService(t, { settings: { CHAPPE_ROLES: 'api,delivery' } })
  const account = await service.newAccount({ credits: 100 })
  await account.expect(200).get('/events?types=starts,stops')
  await account.expect(200).post('/consents', { consents: [{ recipient: phone(13), wording: 'J’accepte' }] })
  const { body } = await account
    .expect(200)
    .post('/messages/sms', { recipients: [phone(13), phone(14)], content: 'Bonjour' })
  await untilSummary(account, body.message_id, { delivered: 2 })
  const reply = (number: string, content: string) =>
    account.expect(200).post(`/sandbox/phones/${number}/replies`, { content })
  const isStopped = async (number: string) => (await stopOf(account, number)) !== undefined
  await reply(phone(13), 'STOP')
  await eventually(async () => assert.ok(await isStopped(phone(13))))
  assert.equal((await stopOf(account, phone(13))).way, 'reply')
  await account.expect(200).post('/stops', { recipient: phone(14) })
  await reply(phone(14), 'START')
  await reply(phone(13), 'Start merci')
  await eventually(async () => assert.ok(!(await isStopped(phone(13)))))
  await eventually(async () =>
    assert.equal((await account.expect(200).get('/messages/replies')).body.meta.totalItems, 3)
  )
  assert.ok(await isStopped(phone(14)))
  const [renewed, withdrawn] = (await account.expect(200).get(`/consents/by-number/${phone(13)}`)).body
  assert.deepEqual(
    [renewed.withdrawn_at, renewed.source, renewed.wording, withdrawn.withdrawal],
    [null, 'keyword', 'J’accepte', 'stop']
  )
  assert.match(renewed.proof, /^reply \d+: Start merci$/)
  // The feed waits for transactions of other tests that began earlier.
  await eventually(async () => {
    const { items } = (await account.expect(200).get('/events?types=starts,stops')).body
    assert.deepEqual(
      items.map(({ type }: { type: string }) => type),
      ['stops', 'stops', 'starts']
    )
  })

  // The figures keep the opt-out, although the person came back.
  const rate = (await account.expect(200).get(`/messages/${body.message_id}/opt-outs`)).body
  assert.deepEqual([rate.sent, rate.opt_outs, rate.rate, rate.ways.reply], [2, 1, 0.5, 1])
  const [bySender] = (await account.expect(200).get('/stops/rates')).body
  assert.deepEqual([bySender.message_id, bySender.messages, bySender.opt_outs, bySender.sent], [null, 1, 1, 2])
  assert.equal(bySender.sender, rate.sender)
  const [byMessage] = (await account.expect(200).get('/stops/rates?by=message')).body
  assert.equal(byMessage.message_id, body.message_id)
  assert.deepEqual((await account.expect(200).get('/stops/rates?from=2020-01-01&to=2020-01-31')).body, [])
  for (const query of ['from=x', 'from=2026-02-30', 'from=2026-03-01&to=2026-02-01', 'from=2020-01-01', 'by=day'])
    await account.expect(400).get(`/stops/rates?${query}`)
  const other = await service.newAccount()
  await other.expect(404).get(`/messages/${body.message_id}/opt-outs`)
  assert.deepEqual((await other.expect(200).get('/stops/rates')).body, [])
})

test('nobody writes to a number on the operator’s list, and no START lifts it', async (t) => {
  const { operator, newAccount, pool } = await startService(t)
  const account = await newAccount({ credits: 100 })
  const sub = await account.newSubAccount({ credits: 10 })
  const { body: made } = await operator.expect(200).post('/stops/operator', { recipient: phone(1), reason: 'Plainte' })
  assert.deepEqual((await operator.expect(200).post('/stops/operator', { recipient: '06 39 98 21 01' })).body, made)
  const file = fileForm(`tel\n${phone(2)}\n${phone(1)}\nx1\n`, { reason: 'Liste' })
  const { body: imported } = await operator.expect(200).post('/stops/operator/file', file)
  assert.deepEqual([imported.added, imported.existing, imported.invalid], [1, 1, 1])
  assert.equal((await operator.expect(200).get('/stops/operator?search=0639982102')).body.items[0].reason, 'Liste')
  await recordReply(pool, { carrier: 'main', from: phone(1), to: '36111', text: 'START' })
  const pairs = [account, sub].map(({ id }) => ({ accountId: id, phone: phone(1) }))
  const stopped = await listStoppedPairs(pool, pairs)
  const listed = pairs.map(({ accountId, phone }): [number, Set<string>] => [accountId, new Set([phone])])
  assert.deepEqual(stopped, new Map(listed), 'as sends of several accounts ask together')
  for (const caller of [account, sub, operator]) {
    const { body } = await caller.expect(200).post('/messages/sms', {
      recipients: [1, 2, 3].map(phone),
      content: 'Bonjour'
    })
    assert.deepEqual([body.recipients_count, body.stops], [1, 2])
  }
  const many = [1, 2, ...Array.from({ length: 60 }, (_, index) => index + 10)].map(phone)
  assert.equal(
    (await account.expect(200).post('/messages/sms?resumeBefore=true', { recipients: many, content: 'A' })).body.stops,
    2
  )
  assert.equal((await account.expect(200).get('/stops/all')).body.meta.totalItems, 0)
  for (const recipient of ['', 'x', null]) await operator.expect(400).post('/stops/operator', { recipient })
  await account.expect(403).post('/stops/operator', { recipient: phone(5) })
  await account.expect(403).delete(`/stops/operator/${made.id}`)
  await operator.expect(200).delete(`/stops/operator/${made.id}`)
  await operator.expect(404).delete(`/stops/operator/${made.id}`)
  assert.equal(
    (await account.expect(200).post('/messages/sms', { recipients: [phone(1)], content: 'A' })).body.stops,
    0
  )
})

test('a number that the operator lists is dropped from what waits when its turn comes, with credits back', async (t) => {
  const service = await startService(t, { settings: { CHAPPE_ROLES: 'api,delivery' } })
  const account = await service.newAccount({ credits: 100 })
  const { body } = await account
    .expect(200)
    .post('/messages/sms', { recipients: [phone(1), phone(13)], content: 'Bonjour', scheduleAt: LATER })
  await service.operator.expect(200).post('/stops/operator', { recipient: phone(1) })
  await service.pool`update scheduled_messages set due_at = now()`
  await service.pool`update batches set due_at = now() where message_id = ${body.message_id}`
  await untilSummary(account, body.message_id, { delivered: 1, stopped: 1 })
  assert.equal((await readMessage(account, body.message_id)).credits_refunded, 1)
})

import { strict as assert } from 'node:assert'
import { eventually } from '../../test/checks/eventually.ts'
import { readMessage, readTimeline } from '../../test/messages/sending.ts'
import { fileForm } from '../../test/service/file-form.ts'
import { startService, type TestAccount, test } from '../../test/service/service.ts'
import { recordReply } from '../replies/record-reply.ts'
import { readGivenAt } from './given-at.ts'

const phone = (last: number) => `+336399820${String(last).padStart(2, '0')}`
const dry = (account: TestAccount, body: object) =>
  account.expect(200).post('/messages/sms?resumeBefore=true', { content: 'Soldes', category: 'marketing', ...body })

test('consents are added, listed, searched, extracted and withdrawn; each keeps its history', async (t) => {
  const { newAccount } = await startService(t)
  const [account, other] = [await newAccount(), await newAccount()]
  const given = {
    recipient: '06 39 98 20 01',
    source: 'form',
    given_at: '2026-10-01T08:00:00Z',
    wording: 'J’accepte',
    proof: 'https://shop.example/8812'
  }
  const { body: added } = await account.expect(200).post('/consents', { consents: [given, given, { recipient: 'x' }] })
  assert.deepEqual([added.added, added.existing, added.invalid, added.errors[0].line], [1, 1, 1, 3])
  assert.equal((await account.expect(200).post('/consents', { consents: [given] })).body.existing, 1)
  const { items } = (await account.expect(200).get('/consents?search=0639982001')).body
  assert.deepEqual(items, [
    {
      id: items[0].id,
      recipient: phone(1),
      purpose: 'marketing',
      channel: 'all',
      source: 'form',
      given_at: '2026-10-01T08:00:00.000Z',
      wording: 'J’accepte',
      proof: 'https://shop.example/8812',
      withdrawn_at: null,
      withdrawal: null,
      created_at: items[0].created_at
    }
  ])
  for (const consent of [
    { recipient: phone(1), given_at: '2099-01-01T00:00:00Z' },
    { recipient: phone(1), given_at: 'yesterday' },
    { recipient: phone(1), source: 'rumour' },
    { recipient: phone(1), channel: 'fax' },
    { recipient: phone(1), purpose: '' }
  ]) {
    await account.expect(400).post('/consents', { consents: [{ recipient: phone(2) }, consent] })
  }
  await account.expect(400).post('/consents', { consents: [] })
  assert.equal((await account.expect(200).get('/consents')).body.meta.totalItems, 1)

  // Another account neither sees nor ends it.
  assert.deepEqual((await other.expect(200).get(`/consents/by-number/${phone(1)}`)).body, [])
  await other.expect(404).put(`/consents/by-number/${phone(1)}/withdraw`, {})
  await account.expect(400).put('/consents/by-number/abc/withdraw', {})
  await account.expect(404).put(`/consents/by-number/${phone(1)}/withdraw`, { purpose: 'surveys' })
  await account.expect(200).put(`/consents/by-number/${phone(1)}/withdraw`, { reason: 'asked at the counter' })
  await account.expect(404).put(`/consents/by-number/${phone(1)}/withdraw`, {})
  assert.equal((await account.expect(200).post('/consents', { consents: [given] })).body.added, 1)
  const history = (await account.expect(200).get(`/consents/by-number/${phone(1)}`)).body
  assert.deepEqual(
    history.map(({ withdrawal }: { withdrawal: string | null }) => withdrawal),
    [null, 'asked at the counter']
  )
  assert.equal((await account.expect(200).get('/consents?state=withdrawn')).body.meta.totalItems, 1)
  const csv = await account.expect(200).get('/consents/extract', { accept: 'text/csv' })
  assert.match(csv.text, /^id,recipient,purpose,channel,source,given_at,wording,proof,withdrawn_at/)
  assert.equal(csv.text.trim().split('\n').length, 3)

  // A STOP of any kind withdraws; a consent does not lift it.
  await account.expect(200).post('/stops', { recipient: phone(1) })
  assert.equal((await account.expect(200).get(`/consents/by-number/${phone(1)}`)).body[0].withdrawal, 'stop')
  await account.expect(200).post('/consents', { consents: [given, { recipient: phone(3) }] })
  await account.expect(200).post('/stops/file', fileForm(`tel\n${phone(3)}\n`))
  assert.equal((await account.expect(200).get(`/consents/by-number/${phone(3)}`)).body[0].withdrawal, 'stop')
  await account.expect(400).post('/messages/sms', { recipients: [phone(1)], content: 'Soldes', category: 'marketing' })
})

test('twenty at once make one consent, and one of two withdrawals finds it', async (t) => {
  const { newAccount } = await startService(t)
  const account = await newAccount()
  const consents = [1, 2, 3].map((last) => ({ recipient: phone(last) }))
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, turn) =>
      account.expect(200).post('/consents', { consents: turn % 2 ? consents : consents.toReversed() })
    )
  )
  assert.equal(
    answers.reduce((sum, { body }) => sum + body.added, 0),
    3
  )
  const path = `/consents/by-number/${phone(1)}/withdraw`
  const withdrawn = await Promise.all([account.put(path, {}), account.put(path, {})])
  assert.deepEqual(withdrawn.map(({ status }) => status).sort(), [200, 404])
})

test('a file of consents: columns in both languages, faults by line, and fields of the form for empty cells', async (t) => {
  const { newAccount } = await startService(t)
  const account = await newAccount()
  const file = [
    'Téléphone;Date;Origine;Texte;Preuve',
    `${phone(1)};14/11/2025 10:02;Boutique;J’accepte;ticket 12`,
    `${phone(2)};2025-11-14;;;`,
    `${phone(3)};31/02/2025;;;`,
    `${phone(4)};;;;`,
    `${phone(5)};2025-11-14;rumeur;;`,
    'pas un numéro;2025-11-14;;;',
    `${phone(6)};2999-01-01;;;`,
    `${phone(1)};2025-11-15;;;`,
    `${phone(7)};0000-01-01;;;`,
    `${phone(7)};0001-01-01T00:00:00+14:00;;;`
  ].join('\n')
  const { body } = await account.expect(200).post('/consents/file', fileForm(file, { wording: 'Offres par SMS' }))
  assert.deepEqual([body.added, body.existing, body.invalid], [2, 1, 7])
  assert.deepEqual(
    body.errors.map(({ line, reason }: { line: number; reason: string }) => `${line} ${reason}`),
    [
      '4 not a date',
      '5 no date',
      '6 not one of form, shop, import, keyword, api',
      '7 not a phone number',
      '8 a date in the future',
      '10 not a date',
      '11 not a date'
    ]
  )
  const [second] = (await account.expect(200).get(`/consents/by-number/${phone(2)}`)).body
  assert.deepEqual([second.source, second.wording], ['import', 'Offres par SMS'])
  const [first] = (await account.expect(200).get(`/consents/by-number/${phone(1)}`)).body
  assert.deepEqual(
    [first.source, first.wording, first.proof, first.given_at],
    ['shop', 'J’accepte', 'ticket 12', '2025-11-14T10:02:00.000Z']
  )
  await account.expect(400).post('/consents/file', fileForm(file, { given_at: '2999-01-01T00:00:00Z' }))
})

test('the extract of an account is a file for another one, which gets no consent that was withdrawn', async (t) => {
  const { newAccount, url } = await startService(t)
  const [account, other] = [await newAccount(), await newAccount()]
  const consents = [1, 2].map((last) => ({
    recipient: phone(last),
    given_at: '2026-10-01T08:00:00Z',
    wording: 'Offres'
  }))
  await account.expect(200).post('/consents', { consents })
  await account.expect(200).put(`/consents/by-number/${phone(2)}/withdraw`, {})
  const answer = await fetch(`${url}/consents/extract`, {
    headers: { 'x-api-key': account.apiKey, accept: 'text/csv' }
  })
  const { body } = await other.expect(200).post('/consents/file', fileForm(await answer.text()))
  assert.deepEqual([body.added, body.existing, body.invalid], [1, 0, 1])
  assert.equal(body.errors[0].reason, 'was withdrawn')
  const [copy] = (await other.expect(200).get('/consents')).body.items
  assert.deepEqual([copy.recipient, copy.given_at, copy.wording], [phone(1), '2026-10-01T08:00:00.000Z', 'Offres'])
})

test('dates of files are read as people write them', () => {
  const cases: [string, string | undefined][] = [
    ['2026-11-14', '2026-11-14T00:00:00.000Z'],
    ['2026-11-14 10:02', '2026-11-14T10:02:00.000Z'],
    ['2026-11-14T10:02:03+01:00', '2026-11-14T09:02:03.000Z'],
    ['14/11/2026', '2026-11-14T00:00:00.000Z'],
    ['1.2.2026 9:05', '2026-02-01T09:05:00.000Z'],
    ['31/02/2026', undefined],
    ['2026-13-01', undefined],
    ['14/11/26', undefined],
    ['01/01/0000', undefined],
    ['0001-01-01', '0001-01-01T00:00:00.000Z'],
    ['0001-01-01T00:00:00+14:00', undefined],
    ['9999-12-31T23:59:59-14:00', undefined],
    ['soon', undefined],
    ['', undefined]
  ]
  for (const [text, expected] of cases) assert.equal(readGivenAt(text)?.toISOString(), expected, text)
})

test('off, warn, enforce: who has no consent is sent to, counted, or dropped, in the dry run too', async (t) => {
  const { newAccount } = await startService(t)
  const account = await newAccount({ credits: 100 })
  await account.expect(200).post('/consents', {
    consents: [
      { recipient: phone(1) },
      { recipient: phone(2), channel: 'sms' },
      { recipient: phone(3), channel: 'rcs' },
      { recipient: phone(4), purpose: 'surveys' }
    ]
  })
  const recipients = [1, 2, 3, 4, 5].map(phone)
  const many = [...recipients, ...Array.from({ length: 60 }, (_, index) => phone(index + 30))]
  const counts = async (body: object) => {
    const { recipients_count, no_consent, stops } = (await dry(account, body)).body
    return [recipients_count, no_consent, stops]
  }
  assert.deepEqual(await counts({ recipients }), [5, 0, 0])
  await account.expect(200).put('/users/me', { settings: { consent: 'warn' } })
  assert.deepEqual(await counts({ recipients }), [5, 3, 0])
  assert.deepEqual(await counts({ recipients, category: 'transactional' }), [5, 0, 0])
  await account.expect(200).put('/users/me', { settings: { consent: 'enforce' } })
  assert.deepEqual(await counts({ recipients }), [2, 3, 0])
  assert.deepEqual(await counts({ recipients: many }), [2, 63, 0])
  assert.deepEqual(await counts({ recipients, category: 'transactional' }), [5, 0, 0])

  const marketing = { content: 'Soldes', category: 'marketing' }
  const { body: few } = await account.expect(200).post('/messages/sms', { recipients, ...marketing })
  assert.deepEqual([few.recipients_count, few.no_consent, few.credits_used], [2, 3, 2])
  const { body: sent } = await account.expect(200).post('/messages/sms', { recipients: many, ...marketing })
  assert.deepEqual([sent.recipients_count, sent.no_consent], [2, 63])
  const refused = await account.expect(400).post('/messages/sms', { recipients: [phone(5)], ...marketing })
  assert.match(refused.body.details[0].message, /1 without a consent/)

  const rcs = { type: 'text', data: { text: 'Soldes' }, contacts: recipients.map((recipient) => ({ recipient })) }
  const byRcs = await account.expect(200).post('/messages/rcs?resumeBefore=true', { ...rcs, category: 'marketing' })
  assert.deepEqual([byRcs.body.recipients_count, byRcs.body.no_consent], [2, 3])
  const fallback = { ...rcs, category: 'marketing', fallback: { content: 'Soldes' } }
  const both = await account.expect(200).post('/messages/rcs?resumeBefore=true', fallback)
  assert.deepEqual([both.body.recipients_count, both.body.no_consent], [1, 4])

  // The proof of the campaign.
  const proofs = (await account.expect(200).get(`/messages/${few.message_id}/consents`)).body
  assert.deepEqual(
    proofs.map((each: { recipient: string; consent_id: number | null }) => [each.recipient, each.consent_id !== null]),
    [
      [phone(1), true],
      [phone(2), true]
    ]
  )
  await account.expect(404).get('/messages/999999/consents')
})

test('the installation and the account above set the least; an account may be stricter, not looser', async (t) => {
  const { newAccount } = await startService(t, { settings: { CHAPPE_CONSENT: 'warn' } })
  const parent = await newAccount({ credits: 100 })
  const sub = await parent.newSubAccount({ credits: 10 })
  const modeOf = async (account: TestAccount) => (await account.expect(200).get('/users/me')).body.settings.consent
  assert.equal(await modeOf(parent), 'warn')
  const refused = await parent.expect(400).put('/users/me', { settings: { consent: 'off' } })
  assert.match(refused.body.details[0].message, /must not be looser than warn/)
  await parent.expect(200).put('/users/me', { settings: { consent: 'enforce' } })
  assert.equal(await modeOf(sub), 'enforce')
  await sub.expect(400).put('/users/me', { settings: { consent: 'warn' } })
  await sub.expect(400).post('/messages/sms', { recipients: [phone(1)], content: 'Soldes', category: 'marketing' })
})

test('a consent that is withdrawn while its message waits keeps the message from leaving, with credits back', async (t) => {
  const service = await startService(t, { settings: { CHAPPE_ROLES: 'api,delivery', CHAPPE_CONSENT: 'enforce' } })
  const account = await service.newAccount({ credits: 100 })
  await account.expect(200).post('/consents', { consents: [1, 13].map((last) => ({ recipient: phone(last) })) })
  const { body } = await account.expect(200).post('/messages/sms', {
    recipients: [phone(1), phone(13)],
    content: 'Soldes STOP 36111',
    category: 'marketing',
    scheduleAt: new Date(Date.now() + 10 * 86_400_000).toISOString()
  })
  await account.expect(200).put(`/consents/by-number/${phone(1)}/withdraw`, {})
  // This phone has no RCS. The message falls back to an SMS, and a consent to RCS alone does not serve it.
  const channels = ['sms', 'rcs'].map((channel) => ({ recipient: phone(7), channel }))
  await account.expect(200).post('/consents', { consents: channels })
  const { body: rcs } = await account.expect(200).post('/messages/rcs', {
    contacts: [{ recipient: phone(7) }],
    type: 'text',
    data: { text: 'Soldes STOP 36111' },
    fallback: { content: 'Soldes STOP 36111' },
    category: 'marketing',
    scheduleAt: new Date(Date.now() + 10 * 86_400_000).toISOString()
  })
  await service.pool`
    update consents set withdrawn_at = now(), withdrawal = 'asked' where phone = ${phone(7)} and channel = 'sms'
  `
  // Abroad there are no hours of marketing.
  await service.pool`update recipients set country = 'GB' where message_id = ${rcs.message_id}`
  await service.pool`update batches set due_at = now() where message_id = ${rcs.message_id}`
  await service.pool`update scheduled_messages set due_at = now()`
  await service.pool`update batches set due_at = now() where message_id = ${body.message_id}`
  // The other one leaves, or waits for the hours of marketing: that depends on when the test runs.
  await eventually(async () => {
    const seen = await readMessage(account, body.message_id)
    assert.deepEqual([seen.summary.stopped, seen.credits_refunded], [1, 1])
  })
  const { items } = (await account.expect(200).get(`/messages/${body.message_id}/recipients/sms`)).body
  assert.deepEqual([items[0].recipient, items[0].deliver], [phone(1), 7])
  const steps = await readTimeline(account, body.message_id)
  assert.match(steps.at(-1)?.detail ?? '', /no consent any more/)
  await eventually(async () => {
    const [row] = await service.pool`select state from recipients where message_id = ${rcs.message_id}`
    assert.equal(row?.state, 7)
  })
})

test('erasing a number withdraws its consents; their dates and wording stay under a hash', async (t) => {
  const { newAccount, pool } = await startService(t)
  const account = await newAccount()
  await account.expect(200).post('/consents', {
    consents: [{ recipient: phone(1), wording: 'J’accepte', proof: 'Léa Martin, 12 rue Haute' }]
  })
  assert.equal((await account.expect(200).get(`/contacts/by-number/${phone(1)}`)).body.consents.length, 1)
  assert.equal((await account.expect(200).delete(`/contacts/by-number/${phone(1)}`)).body.consents, 1)
  const [row] = await pool`select phone, proof, wording, withdrawal from consents`
  assert.deepEqual({ ...row }, { phone: null, proof: '', wording: 'J’accepte', withdrawal: 'erased' })
  const [held] = (await account.expect(200).get(`/consents/by-number/${phone(1)}`)).body
  assert.deepEqual([held.recipient, held.wording], [null, 'J’accepte'])
  assert.deepEqual((await account.expect(200).get('/consents?search=0639982001')).body.items, [])
})

test('a person writes a keyword, is asked, confirms, and has consented; a repeat asks nobody twice', async (t) => {
  const service = await startService(t, {
    settings: { CHAPPE_ROLES: 'api,delivery', CHAPPE_WEBHOOK_ALLOW_PRIVATE: 'true' }
  })
  const [account, other] = [await service.newAccount({ credits: 100 }), await service.newAccount({ credits: 100 })]
  const keyword = {
    number: '36111',
    keyword: 'Join',
    question: 'La Boutique : répondez OUI pour recevoir nos offres.',
    confirmation: 'Merci !'
  }
  for (const [wrong, path] of [
    [{ number: '0612345678' }, 'number'],
    [{ number: '99999' }, 'number'],
    [{ keyword: 'STOP' }, 'keyword'],
    [{ keyword: 'oui' }, 'keyword'],
    [{ keyword: 'Abmelden' }, 'keyword'],
    [{ keyword: 'стоп' }, 'keyword'],
    [{ keyword: 'إيقاف' }, 'keyword'],
    [{ keyword: 'two words' }, 'keyword'],
    [{ question: ' ' }, 'question']
  ] as const) {
    const { body } = await account.expect(400).post('/consents/keywords', { ...keyword, ...wrong })
    assert.equal(body.details[0].path, path)
  }
  const { body: made } = await account.expect(200).post('/consents/keywords', keyword)
  assert.equal(made.keyword, 'JOIN')
  await other.expect(409).post('/consents/keywords', { ...keyword, keyword: 'JOIN' })
  assert.deepEqual((await other.expect(200).get('/consents/keywords')).body, [])
  await other.expect(404).delete(`/consents/keywords/${made.id}`)

  const received = async (count: number) => {
    const { items } = (await account.expect(200).get(`/sandbox/phones/${phone(13)}`)).body
    assert.equal(items.length, count)
    return items[0]
  }
  const reply = (content: string) => account.expect(200).post(`/sandbox/phones/${phone(13)}/replies`, { content })
  // The phone must have got something, so that it has somebody to answer.
  await account.expect(200).post('/messages/sms', { recipients: [phone(13)], content: 'Bonjour', sender: '36111' })
  await eventually(() => received(1))
  await reply('join')
  await reply('JOIN !')
  const question = await eventually(() => received(2))
  assert.deepEqual([question.from, question.content], ['36111', keyword.question])
  assert.deepEqual((await account.expect(200).get(`/consents/by-number/${phone(13)}`)).body, [])
  await eventually(async () => {
    const [row] = await service.pool`select step from consent_requests`
    assert.equal(row?.step, 'asked')
  })
  await reply('Oui')
  await eventually(() => received(3))
  const [consent, ...more] = (await account.expect(200).get(`/consents/by-number/${phone(13)}`)).body
  assert.deepEqual([consent.source, consent.wording, more], ['keyword', keyword.question, []])
  assert.match(consent.proof, /reply \d+ \(JOIN\) to 36111, message \d+, reply \d+ \(Oui\)/)
  // A later yes means nothing.
  await account.expect(200).put(`/consents/by-number/${phone(13)}/withdraw`, {})
  await reply('Oui')
  await eventually(async () =>
    assert.equal((await account.expect(200).get('/messages/replies')).body.meta.totalItems, 4)
  )
  assert.equal((await account.expect(200).get('/consents?state=held')).body.meta.totalItems, 0)

  // The number is granted to another account: the word neither asks nor confirms, and is free to whoever has the number.
  await reply('join')
  await eventually(() => received(4))
  await eventually(async () => {
    const [row] = await service.pool`select step from consent_requests order by id desc limit 1`
    assert.equal(row?.step, 'asked')
  })
  await service.operator.expect(200).put('/number-grants', { number: '36111', accounts: [other.id] })
  await reply('Oui')
  await reply('join')
  await eventually(async () =>
    assert.equal((await account.expect(200).get('/messages/replies')).body.meta.totalItems, 7)
  )
  assert.equal((await account.expect(200).get('/consents?state=held')).body.meta.totalItems, 0)
  assert.equal((await service.pool`select from consent_requests where step = 'ask'`).length, 0)
  const { body: refused } = await account.expect(403).post('/consents/keywords', { ...keyword, keyword: 'CLUB' })
  assert.equal(refused.code, 'sender_not_allowed')
  const { body: taken } = await other.expect(200).post('/consents/keywords', keyword)
  assert.deepEqual((await account.expect(200).get('/consents/keywords')).body, [])
  const child = await other.newSubAccount()
  await child.expect(200).post('/consents/keywords', { ...keyword, keyword: 'CLUB' })

  // The operator sees every word, and frees any.
  await other.expect(403).get('/consent-keywords')
  await other.expect(403).delete(`/consent-keywords/${taken.id}`)
  const { items } = (await service.operator.expect(200).get('/consent-keywords')).body
  assert.deepEqual(
    items.map((item: typeof made) => [item.account_id, item.number, item.keyword]),
    [
      [child.id, '36111', 'CLUB'],
      [other.id, '36111', 'JOIN']
    ]
  )
  const found = (await service.operator.expect(200).get('/consent-keywords?search=joi')).body
  assert.equal(found.meta.totalItems, 1)
  await service.operator.expect(200).delete(`/consent-keywords/${taken.id}`)
  await service.operator.expect(404).delete(`/consent-keywords/${taken.id}`)
  assert.deepEqual((await other.expect(200).get('/consents/keywords')).body, [])
})

test('a keyword that is deleted before its question leaves, and made again, asks whoever writes it', async (t) => {
  const service = await startService(t)
  const account = await service.newAccount({ credits: 100 })
  const keyword = { number: '36111', keyword: 'JOIN', question: 'Répondez OUI.' }
  const { body: made } = await account.expect(200).post('/consents/keywords', keyword)
  await service.pool`
    insert into consent_requests (account_id, id, keyword_id, phone, number, step, reply_id)
    values (${account.id}, nextval('consent_request_ids'), ${made.id + 1_000}, ${phone(13)}, '36111', 'ask', 1)
  `
  await recordReply(service.pool, { carrier: 'sandbox', from: phone(13), to: '36111', text: 'JOIN' })
  await eventually(async () => {
    const [row] = await service.pool`select step from consent_requests where keyword_id = ${made.id}`
    assert.equal(row?.step, 'asked')
  })
})

test('a question that cannot be sent does not hold up those of other accounts', async (t) => {
  const service = await startService(t)
  const accounts = [await service.newAccount({ credits: 100 }), await service.newAccount({ credits: 100 })]
  const [broken] = accounts
  await service.pool.begin(async (sql) => {
    await sql`create function stumble() returns trigger language plpgsql as 'begin raise exception ''stumbled''; end'`
    await sql.unsafe(`create trigger stumble before insert on messages for each row
      when (new.account_id = ${broken?.id}) execute function stumble()`)
  })
  for (const [index, account] of accounts.entries()) {
    const keyword = { number: '36111', keyword: `JOIN${index}`, question: 'Répondez OUI.' }
    await account.expect(200).post('/consents/keywords', keyword)
    await recordReply(service.pool, { carrier: 'sandbox', from: phone(13), to: '36111', text: `JOIN${index}` })
  }
  await eventually(async () => {
    const steps = await service.pool`select step from consent_requests order by created_at`
    assert.deepEqual(
      steps.map(({ step }) => step),
      ['ask', 'asked']
    )
  })
})

test('a robot that answers each question with the keyword is asked ten times a day, and a person on another day again', async (t) => {
  const service = await startService(t)
  const account = await service.newAccount({ credits: 100 })
  const keyword = { number: '36111', keyword: 'JOIN', question: 'Répondez OUI.' }
  await account.expect(200).post('/consents/keywords', keyword)
  const reply = () =>
    recordReply(service.pool, { carrier: 'sandbox', from: phone(13), to: '36111', text: 'JOIN is a word' })
  const untilAsked = (count: number) =>
    eventually(async () => {
      const steps = await service.pool`select step from consent_requests`
      assert.deepEqual(
        steps.map(({ step }) => step),
        Array(count).fill('asked')
      )
    })
  const age = (by: string) => service.pool`update consent_requests set created_at = created_at - ${by}::interval`
  for (let count = 1; count <= 10; count++) {
    await reply()
    await untilAsked(count)
    await age('2 minutes')
  }
  await reply()
  await untilAsked(10)
  assert.equal((await account.expect(200).get('/messages')).body.meta.totalItems, 10)
  await age('1 day')
  await reply()
  await untilAsked(11)
})

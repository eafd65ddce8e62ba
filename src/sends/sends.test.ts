import { strict as assert } from 'node:assert'
import fc from 'fast-check'
import { dayAhead, instantOf, sundayAhead, workingDayAfter, workingDayAhead } from '../../test/checks/days-ahead.ts'
import { eventually } from '../../test/checks/eventually.ts'
import { assertLedgerHolds } from '../../test/checks/ledger.ts'
import { holdTable } from '../../test/database/hold-table.ts'
import { fileForm } from '../../test/service/file-form.ts'
import { startService, type TestAccount, test } from '../../test/service/service.ts'
import { isHoliday } from '../compliance/holidays.ts'
import { readScheduleAt, toLocalDateAndTime } from '../messages/schedule.ts'
import { BUILT_IN_PRICES } from '../prices/price-table.ts'
import { NumberSet } from './number-set.ts'

const phone = (index: number) => `+3363998${String(index).padStart(4, '0')}`
const phones = (count: number, from = 0) => Array.from({ length: count }, (_, index) => phone(from + index))

async function credits(account: TestAccount): Promise<number> {
  return (await account.expect(200).get('/users/credits')).body[0].credits
}

const read = async (account: TestAccount, id: number) => (await account.expect(200).get(`/messages/${id}`)).body

async function recipients(account: TestAccount, id: number) {
  return (await account.expect(200).get(`/messages/${id}/recipients/sms?limit=1000`)).body.items
}

async function newList(account: TestAccount, contacts: object[]): Promise<number> {
  const { body } = await account.expect(200).post('/contactlists', { name: 'List' })
  await account.expect(200).post('/contacts', { contactlist_id: body.id, contacts })
  return body.id
}

test('a send is accepted, charged and readable at once', async (t) => {
  const { newAccount } = await startService(t)
  const account = await newAccount({ credits: 10 })
  const { body } = await account.expect(200).post('/messages/sms', {
    recipients: ['06 39 98 00 01', '+33639980001', 'abc', '01 45 67 89 01', '+33639980002'],
    content: 'Bonjour l’été',
    sender: 'Boutique',
    external_id: 'order 7'
  })
  assert.deepEqual(body, {
    success: true,
    message: 'Accepted.',
    message_id: body.message_id,
    credits_used: 2,
    credits_remaining: 8,
    recipients_count: 2,
    sms_count: 2,
    doublons: 1,
    stops: 0,
    invalid: 2,
    barred: 0,
    unpriced: 0,
    limited: 0,
    no_consent: 0,
    capped: 0
  })
  const message = await read(account, body.message_id)
  const { scheduledate, scheduletime, scheduletimestamp, created_at, ...rest } = message
  assert.deepEqual(rest, {
    id: body.message_id,
    content: "Bonjour l'été",
    sender: 'Boutique',
    state: 'sending',
    message_type: { id: 1, label: 'SMS' },
    channel: 'sms',
    category: 'transactional',
    recipients_count: 2,
    sms_count: 2,
    credits_required: 2,
    credits_refunded: 0,
    shorturl_mode: null,
    shorturl_url: null,
    external_id: 'order 7',
    resend_of: null,
    cancelled_at: null,
    summary: { waiting: 2, sent: 0, delivered: 0, read: 0, failed: 0, stopped: 0, cancelled: 0 },
    sent_count: 0,
    clicked: 0,
    replied: 0
  })
  assert.ok(Math.abs(Date.parse(scheduletimestamp) - Date.now()) < 10_000 && created_at && scheduledate && scheduletime)
  const [first, second] = await recipients(account, body.message_id)
  assert.deepEqual(first, {
    id: body.message_id * 2 ** 20 + 1,
    recipient: '+33639980001',
    credits_required: 1,
    country_code: 'FR',
    deliver: 0,
    deliver_label: 'waiting',
    errorcode: '',
    content: "Bonjour l'été",
    sent_at: null,
    delivered_at: null
  })
  assert.equal(second.recipient, '+33639980002')
  assert.equal(await credits(account), 8)
})

test('the four ways to send, and their dry runs, agree on every figure', async (t) => {
  const { newAccount, pool } = await startService(t)
  const account = await newAccount({ credits: 1_000 })
  await account.expect(200).post('/stops', { recipient: phone(3) })
  const people = [
    { number: phone(1), prenom: 'Léa' },
    { number: '06 39 98 00 02', prenom: 'x'.repeat(160) },
    { number: phone(3), prenom: 'Stopped' },
    { number: phone(1), prenom: 'Again' },
    { number: 'nobody', prenom: 'None' },
    { number: phone(4), prenom: '😀' }
  ]
  const content = 'Salut #prenom# !'
  const list = await newList(
    account,
    people
      .filter(({ number }) => number !== 'nobody')
      .map(({ number, prenom }) => ({ tel: number, champ_prenom: prenom }))
  )
  const objects = people.map(({ number, prenom }) => ({ recipient: number, prenom }))
  const csv = `prenom;tel\n${people.map(({ number, prenom }) => `${prenom};${number}`).join('\n')}`
  const ways: [path: string, body: () => unknown, isList: boolean][] = [
    ['/messages/sms/dynamic', () => ({ recipients: objects, content }), false],
    ['/messages/sms/contactlist', () => ({ contactlist: [list, String(list)], content }), true],
    ['/messages/contactlist', () => ({ contactlist: [list], content }), true],
    ['/messages/sms/file', () => fileForm(csv, { content }), false]
  ]
  for (const [path, body, isList] of ways) {
    const before = await credits(account)
    const { body: resume } = await account.expect(200).post(`${path}?resumeBefore=true`, body())
    assert.equal(await credits(account), before, 'a dry run costs nothing')
    const { body: status } = await account.expect(200).post(path, body())
    const expected = { recipients_count: 3, sms_count: 4, doublons: isList ? 0 : 1, stops: 1, invalid: isList ? 0 : 1 }
    for (const answer of [resume, status]) {
      const { recipients_count, sms_count, doublons, stops, invalid } = answer
      assert.deepEqual({ recipients_count, sms_count, doublons, stops, invalid }, expected, path)
    }
    assert.deepEqual([resume.credits_required, resume.credits_remaining, resume.credits_missing], [4, before, 0])
    assert.deepEqual([resume.encoding, resume.forced_by], ['ucs2', ['😀']])
    assert.deepEqual([status.credits_used, status.credits_remaining], [4, before - 4])
    const texts = (await recipients(account, status.message_id)).map(({ content }: { content: string }) => content)
    assert.deepEqual(texts, ['Salut Léa !', `Salut ${'x'.repeat(160)} !`, 'Salut 😀 !'])
  }
  assert.equal((await pool`select from messages`).length, 4)
  await assertLedgerHolds(pool)
})

test('the plain ways agree too, for few and for many', async (t) => {
  const { newAccount, pool } = await startService(t)
  const account = await newAccount({ credits: 30_000 })
  await account.expect(200).post('/stops', { recipient: phone(5) })
  for (const count of [10, 49, 50, 51, 3_000]) {
    const numbers = [...phones(count), ...phones(count), 'x', '0145678901']
    const { body: resume } = await account
      .expect(200)
      .post('/messages/sms?resumeBefore=true', { recipients: numbers, content: 'Hi' })
    for (const path of ['/messages/sms', '/messages']) {
      const { body } = await account.expect(200).post(path, { recipients: numbers, content: 'Hi' })
      assert.deepEqual(
        [body.recipients_count, body.doublons, body.stops, body.invalid, body.credits_used],
        [count - 1, count, 1, 2, resume.credits_required]
      )
      const message = await read(account, body.message_id)
      assert.equal(message.summary.waiting, count - 1)
      const { body: page } = await account.expect(200).get(`/messages/${body.message_id}/recipients/sms?limit=5&page=1`)
      assert.deepEqual(
        page.items.map(({ recipient }: { recipient: string }) => recipient),
        [phone(0), phone(1), phone(2), phone(3), phone(4)]
      )
      const queued = await pool<
        { positions: number[] }[]
      >`select positions from batches where message_id = ${body.message_id}`
      const all = queued.flatMap(({ positions }) => positions).sort((a, b) => a - b)
      assert.deepEqual(
        all,
        Array.from({ length: count - 1 }, (_, index) => index + 1),
        'every recipient is in one batch'
      )
      assert.ok(queued.every(({ positions }) => positions.length <= 500))
    }
  }
})

test('nothing valid left, a content that is wrong, or a field that is: 400 and nothing happens', async (t) => {
  const { newAccount, pool } = await startService(t)
  const account = await newAccount({ credits: 10 })
  await account.expect(200).post('/stops', { recipient: phone(1) })
  const good = { recipients: [phone(2)], content: 'Hi' }
  const cases: [body: object, path: string, message?: RegExp][] = [
    [{ ...good, recipients: [] }, 'recipients'],
    [{ ...good, recipients: ['abc'] }, 'recipients', /1 invalid, 0 opted out/],
    [{ ...good, recipients: [phone(1)] }, 'recipients', /0 invalid, 1 opted out/],
    [{ ...good, recipients: Array.from({ length: 60 }, () => phone(1)) }, 'recipients', /1 opted out/],
    [{ ...good, recipients: [336] }, 'recipients[0]'],
    [{ recipients: good.recipients }, 'content'],
    [{ ...good, content: '' }, 'content'],
    [{ ...good, content: '   ' }, 'content'],
    [{ ...good, content: '\u200b\u00ad' }, 'content'],
    [{ ...good, content: 'x'.repeat(1_531) }, 'content', /11 segments/],
    [{ ...good, content: 'Salut #nom#' }, 'content', /#nom#, which no recipient defines/],
    [{ ...good, content: 'Salut #Né_2#' }, 'content', /uses #Né_2#, which/],
    [{ ...good, content: 'Salut #Pre\u0301nom#' }, 'content', /uses #Pre\u0301nom#, which/],
    [{ ...good, model_id: 1 }, 'model_id'],
    [{ ...good, sender: 'Aé' }, 'sender'],
    [{ ...good, sender: '12345678' }, 'sender'],
    [{ ...good, sender: '0612345678' }, 'sender', /mobile/],
    [{ ...good, sender: '+33612345678' }, 'sender', /mobile/],
    [{ ...good, scheduleAt: 'tomorrow' }, 'scheduleAt'],
    [{ ...good, scheduleAt: '9999-12-31T00:00:00Z' }, 'scheduleAt', /a year/],
    [{ ...good, category: 'spam' }, 'category'],
    [{ ...good, external_id: '' }, 'external_id'],
    [{ ...good, external_id: 'x'.repeat(129) }, 'external_id'],
    [{ ...good, shorturl: { mode: 'often', url: 'https://a.example' } }, 'shorturl.mode']
  ]
  for (const [body, path, message] of cases) {
    for (const query of ['', '?resumeBefore=true']) {
      const answer = await account.expect(400).post(`/messages/sms${query}`, body)
      assert.equal(answer.body.details[0].path, path, JSON.stringify(body).slice(0, 80))
      if (message) assert.match(answer.body.details[0].message, message)
    }
  }
  const both = await account.expect(400).post('/messages/sms', {})
  assert.deepEqual(both.body.details.map(({ path }: { path: string }) => path).sort(), ['content', 'recipients'])
  await account.expect(404).post('/messages/sms', { recipients: [phone(2)], model_id: 999 })
  for (const id of [1e20, 1e300]) {
    await account.expect(400).post('/messages/sms', { recipients: [phone(2)], model_id: id })
    await account.expect(400).post('/messages/sms/contactlist', { contactlist: [id], content: 'Hi' })
    await account.expect(400).post('/contacts', { contactlist_id: id, contacts: [{ tel: phone(1) }] })
  }
  for (const text of ['\\ud800', '\\uDBFF', 'a\\ude00']) {
    const half = `{"recipients": ["${phone(2)}"], "content": "Hi", "external_id": "${text}"}`
    assert.match(
      (await account.expect(400).post('/messages/sms', half)).body.error,
      /external_id must not contain half a character/
    )
  }
  await account
    .expect(200)
    .post('/messages/sms?resumeBefore=true', `{"recipients": ["${phone(2)}"], "content": "\\ud83d\\ude00"}`)
  const variables = Array.from({ length: 51 }, (_, index) => `#v${index}#`).join('')
  await account
    .expect(400)
    .post('/messages/sms/dynamic', { recipients: [{ recipient: phone(2), v0: 'x' }], content: variables })
  await account.expect(404).post('/messages/sms/contactlist', { contactlist: [999], content: 'Hi' })
  await account.expect(400).post('/messages/sms/contactlist', { contactlist: ['x'], content: 'Hi' })
  await account.expect(400).post('/messages/sms/dynamic', { recipients: [{ prenom: 'x' }], content: 'Hi' })
  await account
    .expect(400)
    .post('/messages/sms/dynamic', { recipients: [{ recipient: phone(2), a: [7] }], content: 'Hi #a#' })
  await account.expect(400).post('/messages/sms/file', fileForm('tel\n', { content: 'Hi' }))
  await account.expect(400).post('/messages', { ...good, message_type: 2 })
  const day = dayAhead().toString()
  for (const path of ['/messages', '/messages/sms']) {
    for (const [schedule, named] of [
      [{ scheduletime: '10:00' }, 'scheduledate'],
      [{ scheduledate: 'Monday', scheduletime: '10:00' }, 'scheduledate'],
      [{ scheduledate: `${day}T10:00` }, 'scheduledate'],
      [{ scheduledate: day, scheduletime: 'noon' }, 'scheduletime'],
      [{ scheduledate: '9999-12-24', scheduletime: '10:00' }, 'scheduledate']
    ] as const) {
      const refused = await account.expect(400).post(path, { ...good, ...schedule })
      assert.deepEqual(
        refused.body.details.map((problem: { path: string }) => problem.path),
        [named]
      )
    }
  }
  assert.equal((await pool`select from messages`).length, 0)
  assert.equal((await pool`select from recipients`).length, 0)
  assert.equal(await credits(account), 10)
})

test('variables are found by name in any case, are empty where some lack them, and count segments for each', async (t) => {
  const { newAccount } = await startService(t)
  const account = await newAccount({ credits: 100 })
  const { body } = await account.expect(200).post('/messages/sms/dynamic', {
    recipients: [
      { recipient: phone(1), Prénom: 'Léa', n: 7 },
      { recipient: phone(2), prenom: 'Max' },
      { recipient: phone(3) }
    ],
    content: '#PRENOM# #n# #12 ## #Prenom#'
  })
  const texts = (await recipients(account, body.message_id)).map(({ content }: { content: string }) => content)
  assert.deepEqual(texts, ['Léa 7 #12 ## Léa', 'Max  #12 ## Max', '  #12 ## '])
  assert.equal((await read(account, body.message_id)).content, '#PRENOM# #n# #12 ## #Prenom#')
})

test('who would get an empty text gets none and pays nothing; typography is decided by the whole text of each', async (t) => {
  const { newAccount } = await startService(t)
  const account = await newAccount({ credits: 10 })
  const values = ['Léa', '', ' ', 'Zoë', '\u200b']
  const send = async (content: string, fields: object = {}) => {
    const recipients = values.map((nom, index) => ({ recipient: phone(index), nom }))
    const { body } = await account.expect(200).post('/messages/sms/dynamic', { recipients, content, ...fields })
    return body
  }
  const { body: resume } = await account.expect(200).post('/messages/sms/dynamic?resumeBefore=true', {
    recipients: values.map((nom, index) => ({ recipient: phone(index), nom })),
    content: '#nom#'
  })
  const status = await send('#nom#')
  for (const answer of [resume, status]) assert.deepEqual([answer.recipients_count, answer.invalid], [2, 3])
  assert.deepEqual([status.credits_used, status.sms_count], [2, 2])
  const texts = async (id: number) => (await recipients(account, id)).map(({ content }: { content: string }) => content)
  assert.deepEqual(await texts(status.message_id), ['Léa', 'Zoë'])

  const mixed = await send('L’œuf… #nom#')
  assert.deepEqual(
    await texts(mixed.message_id),
    ["L'oeuf... Léa", "L'oeuf... ", "L'oeuf...  ", 'L’œuf… Zoë', "L'oeuf... "],
    'one text that stays in UCS-2 stays as written'
  )
  const nobody = [
    { recipient: phone(1), nom: '' },
    { recipient: phone(2), nom: ' ' }
  ]
  const none = await account.expect(400).post('/messages/sms/dynamic', { recipients: nobody, content: '#nom#' })
  assert.deepEqual(none.body.details, [
    { path: 'content', message: 'is empty for every recipient once its variables are filled in' }
  ])
  const asWritten = { recipients: [phone(1)], content: 'Cœur… ê' }
  const { body } = await account.expect(200).post('/messages/sms', asWritten)
  assert.equal((await read(account, body.message_id)).content, 'Cœur… ê')
  const { body: forced } = await account.expect(200).post('/messages/sms?resumeBefore=true', asWritten)
  assert.deepEqual(forced.forced_by, ['ê'], 'what could have been replaced is not to blame')
})

test('a list is taken as it is at that moment, with the fields of its contacts', async (t) => {
  const { newAccount } = await startService(t)
  const account = await newAccount({ credits: 10_000 })
  const list = await newList(account, [
    { tel: phone(1), champ_nom: 'Martin', champ_ville: 'Lyon', champ_perso3: 'three' },
    { tel: '0145678901', champ_nom: 'Fixed line' },
    { tel: phone(2) }
  ])
  const other = await newList(account, [{ tel: phone(2), champ_nom: 'Other' }, { tel: phone(3) }])
  const { body } = await account.expect(200).post('/messages/sms/contactlist', {
    contactlist: [list, other],
    content: '#champ_nom#/#NOM#/#ville#/#champ_perso3#/#tel#'
  })
  assert.deepEqual([body.recipients_count, body.doublons, body.invalid], [3, 1, 1])
  await account.expect(200).delete(`/contactlists/${list}`)
  const texts = (await recipients(account, body.message_id)).map(({ content }: { content: string }) => content)
  assert.deepEqual(texts, [`Martin/Martin/Lyon/three/${phone(1)}`, `////${phone(2)}`, `////${phone(3)}`])

  const large = await newList(
    account,
    phones(5_000).map((tel) => ({ tel }))
  )
  const [sent] = await Promise.all([
    account.expect(200).post('/messages/sms/contactlist', { contactlist: [large], content: 'Hi' }),
    ...[1, 2, 3].map((round) =>
      account.expect(200).post('/contacts', {
        contactlist_id: large,
        contacts: phones(300, 5_000 + round * 300).map((tel) => ({ tel }))
      })
    )
  ])
  const queued = (await read(account, sent.body.message_id)).recipients_count
  assert.ok(queued >= 5_000 && (queued - 5_000) % 300 === 0, `${queued}: an addition is seen whole or not at all`)
})

test('a repeat with an external_id is told so, also when nobody is left to send to by now', async (t) => {
  const { newAccount } = await startService(t)
  const account = await newAccount({ credits: 10 })
  await account.expect(200).put('/users/me', { settings: { marketing_cap: 1 } })
  const codeOf = async (body: object, status: number) =>
    (await account.expect(status).post('/messages/sms', body)).body.code
  const capped = { recipients: [phone(1)], content: 'Soldes', category: 'marketing', external_id: 'sale' }
  const stopped = { recipients: [phone(2)], content: 'Hi', external_id: 'order' }
  for (const body of [capped, stopped]) await account.expect(200).post('/messages/sms', body)
  await account.expect(200).post('/stops', { recipient: phone(2) })
  for (const body of [capped, stopped]) {
    assert.equal(await codeOf(body, 409), 'external_id_already_processed')
    assert.equal(await codeOf({ ...body, external_id: 'new' }, 400), 'invalid_input')
  }
  assert.equal(
    await codeOf({ ...stopped, recipients: [phone(3)], expected_credits: 5 }, 409),
    'external_id_already_processed'
  )
  // What was refused did not use up its id.
  await account.expect(200).post('/messages/sms', { ...stopped, recipients: [phone(3)], external_id: 'new' })
})

test('of two sends with one external_id, at the same instant too, one is accepted', async (t) => {
  const { newAccount, startPeer } = await startService(t)
  const account = await newAccount({ credits: 1_000 })
  const peer = await startPeer(t)
  const there = peer.anonymous.as({ 'x-api-key': account.apiKey })
  for (const count of [1, 200]) {
    const body = { recipients: phones(count), content: 'Hi', external_id: `once ${count}` }
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) => (index % 2 ? account : there).post('/messages/sms', body))
    )
    const accepted = answers.filter(({ status }) => status === 200)
    const refused = answers.filter(({ status }) => status === 409)
    assert.deepEqual([accepted.length, refused.length], [1, 19])
    for (const { body } of refused) {
      assert.deepEqual([body.error, body.code], ['External ID already processed', 'external_id_already_processed'])
    }
    await account.expect(200).post('/messages/sms?resumeBefore=true', body)
  }
  assert.equal(await credits(account), 1_000 - 201)
})

test('a long send holds up neither its repeats nor strangers, however many connections its account asks for', async (t) => {
  const { newAccount, pool } = await startService(t)
  const account = await newAccount({ credits: 1_000 })
  const stranger = await newAccount({ credits: 1_000 })
  const { body: list } = await account.expect(200).post('/contactlists', { name: 'List' })
  await account.expect(200).post('/contacts', { contactlist_id: list.id, contacts: [{ tel: phone(1) }] })
  // Stands for a million recipients: the send has taken its id, and has not read its list yet.
  const held = await holdTable(pool, 'contacts')
  const toList = { contactlist: [list.id], content: 'Hi', external_id: 'long' }
  const key = { 'idempotency-key': 'long' }
  const long = account.post('/messages/sms/contactlist', toList, key)
  await eventually(async () => {
    const waiting = await pool`select from pg_locks where relation = 'contacts'::regclass and not granted`
    assert.equal(waiting.length, 1)
  })

  const small = { recipients: [phone(2)], content: 'Hi', external_id: 'long' }
  const repeats = await Promise.all([
    account.post('/messages/sms/contactlist', toList),
    ...Array.from({ length: 4 }, () => account.post('/messages/sms', small)),
    ...Array.from({ length: 24 }, (_, n) => account.post('/messages/sms', small, { 'idempotency-key': `small ${n}` }))
  ])
  for (const { status, body } of repeats) {
    assert.deepEqual([status, body.code], [409, 'external_id_already_processed'])
  }
  const sameKey = await account.expect(409).post('/messages/sms/contactlist', toList, key)
  assert.equal(sameKey.body.code, 'state_conflict')

  const waiting = Array.from({ length: 40 }, () => account.get(`/contactlists/${list.id}/contacts`))
  await eventually(async () => {
    const waiting = await pool`select from pg_locks where relation = 'contacts'::regclass and not granted`
    assert.ok(waiting.length >= 8)
  })
  await stranger.expect(200).post('/messages/sms', { recipients: [phone(3)], content: 'Hi' })
  await stranger.expect(200).get('/users/me')
  await stranger.expect(200).get('/contactlists')
  await held.release()
  assert.equal((await long).status, 200)
  await Promise.all(waiting)
})

test('few and many with the same external_ids at once never wait for each other in a circle', async (t) => {
  const { newAccount, logLines } = await startService(t)
  const account = await newAccount({ credits: 100_000 })
  for (let round = 0; round < 8; round++) {
    const answers = await Promise.all(
      Array.from({ length: 24 }, (_, index) => {
        const external_id = `round ${round} ${index % 4}`
        return account.post('/messages/sms', {
          recipients: phones(index % 3 === 0 ? 400 : 1),
          content: 'Hi',
          external_id
        })
      })
    )
    assert.deepEqual(answers.map(({ status }) => status).sort(), [
      200,
      200,
      200,
      200,
      ...Array.from({ length: 20 }, () => 409)
    ])
  }
  assert.ok(!logLines.some((line) => line.includes('40P01')))
})

test('a dry run or a refused send does not use an external_id up', async (t) => {
  const { newAccount } = await startService(t)
  const account = await newAccount({ credits: 60 })
  for (const count of [1, 60]) {
    const external_id = `free ${count}`
    await account
      .expect(200)
      .post('/messages/sms?resumeBefore=true', { recipients: phones(count), content: 'Hi', external_id })
    await account.expect(400).post('/messages/sms', { recipients: ['x'], content: 'Hi', external_id })
    const { body } = await account.expect(402).post('/messages/sms', {
      recipients: phones(count),
      content: 'x'.repeat(900 + 153 * 3 + 1),
      external_id: external_id.repeat(1),
      ...(count === 1 && { recipients: phones(20) })
    })
    assert.ok(body.details[0].missing > 0)
    const { recipients_count } = (
      await account.expect(200).post('/messages/sms', { recipients: phones(1), content: 'Hi', external_id })
    ).body
    assert.equal(recipients_count, 1)
  }
})

test('an external_id whose first taker is refused is left to the next, and never called processed', async (t) => {
  const { newAccount, pool } = await startService(t)
  const account = await newAccount({ credits: 1 })
  for (let round = 0; round < 10; round++) {
    const costs = (segments: number) => ({
      recipients: [phone(1)],
      content: 'x'.repeat(segments * 153),
      external_id: `r${round}`
    })
    const answers = await Promise.all(Array.from({ length: 6 }, () => account.post('/messages/sms', costs(2))))
    assert.deepEqual(
      answers.map(({ status }) => status),
      [402, 402, 402, 402, 402, 402]
    )
  }
  assert.equal((await pool`select from external_ids`).length, 0)
  const mixed = await Promise.all(
    [2, 2, 1, 1].map((segments) =>
      account.post('/messages/sms', {
        recipients: [phone(1)],
        content: 'x'.repeat(segments * 150),
        external_id: 'mixed'
      })
    )
  )
  const accepted = mixed.filter(({ status }) => status === 200)
  assert.equal(accepted.length, 1)
  const [row] = await pool<{ messageId: number }[]>`select message_id from external_ids`
  assert.equal(row?.messageId, accepted[0]?.body.message_id)
})

test('without enough credits nothing happens, and a dry run tells how many are missing', async (t) => {
  const { newAccount, pool } = await startService(t)
  const account = await newAccount({ credits: 5 })
  for (const count of [6, 100]) {
    const body = { recipients: phones(count), content: 'Hi' }
    const { body: refusal } = await account.expect(402).post('/messages/sms', body)
    assert.deepEqual(refusal.details, [{ required: count, remaining: 5, missing: count - 5 }])
    const { body: resume } = await account.expect(200).post('/messages/sms?resumeBefore=true', body)
    assert.deepEqual([resume.credits_required, resume.credits_remaining, resume.credits_missing], [count, 5, count - 5])
  }
  for (const table of ['messages', 'recipients', 'batches', 'credit_reservations']) {
    assert.equal((await pool.unsafe(`select from ${table}`)).length, 0, table)
  }
  assert.equal(await credits(account), 5)
})

test('200 sends at once on credit for 100: exactly 100 are accepted, and those that share their commit are not touched', async (t) => {
  const { newAccount, pool } = await startService(t)
  const [poor, rich] = [await newAccount({ credits: 100 }), await newAccount({ credits: 1_000 })]
  const child = await rich.newSubAccount({ mode: 'parent' })
  const answers = await Promise.all(
    Array.from({ length: 200 }, (_, index) =>
      Promise.all([
        poor.post('/messages/sms', { recipients: [phone(index)], content: 'Hi' }),
        rich.post('/messages/sms', { recipients: [index % 10 === 0 ? 'bad' : phone(index)], content: 'Hi' }),
        child.post('/messages/sms', { recipients: [phone(index)], content: 'Hi' })
      ])
    )
  )
  const statuses = (account: number) =>
    Object.groupBy(
      answers.map((row) => row[account]?.status ?? 0),
      String
    )
  assert.deepEqual([statuses(0)[200]?.length, statuses(0)[402]?.length], [100, 100])
  assert.deepEqual([statuses(1)[200]?.length, statuses(1)[400]?.length], [180, 20])
  assert.deepEqual(statuses(2)[200]?.length, 200)
  assert.deepEqual([await credits(poor), await credits(rich)], [0, 1_000 - 180 - 200])
  await assertLedgerHolds(pool)
})

test('the same Idempotency-Key sends once, few and many', async (t) => {
  const { newAccount } = await startService(t)
  const account = await newAccount({ credits: 1_000 })
  for (const count of [1, 300]) {
    const key = { 'idempotency-key': `send ${count}` }
    const body = { recipients: phones(count), content: 'Hi' }
    const first = await account.expect(200).post('/messages/sms', body, key)
    const second = await account.expect(200).post('/messages/sms', body, key)
    assert.deepEqual([second.body, second.headers.get('idempotent-replayed')], [first.body, 'true'])
  }
  assert.equal(await credits(account), 1_000 - 301)
})

test('a form of a shop plug-in is accepted', async (t) => {
  const { newAccount } = await startService(t)
  const account = await newAccount({ credits: 10 })
  const form =
    'recipients[0]=0639980001&recipients[1]=0639980002&content=Commande+pr%C3%AAte&sender=Boutique&message_type=1'
  const { body } = await account
    .expect(200)
    .post('/messages', form, { 'content-type': 'application/x-www-form-urlencoded' })
  assert.equal(body.recipients_count, 2)
  assert.equal((await read(account, body.message_id)).content, 'Commande prête')
})

test('a scheduled message waits, shows its local time, begins when it is due, or is cancelled with its credits back', async (t) => {
  const { newAccount, pool } = await startService(t)
  const account = await newAccount({ credits: 100 })
  const day = dayAhead()
  const at = instantOf(day, '10:30', 'Europe/Paris')
  const date = { scheduledate: day.toString(), scheduletime: '10:30:00' }
  const later = { recipients: phones(2), content: 'Hi', scheduleAt: '', ...date, scheduletime: '10:30' }
  const { body } = await account.expect(200).post('/messages', later)
  assert.equal(body.message, `Scheduled for ${at}.`)
  const message = await read(account, body.message_id)
  assert.deepEqual(
    [message.state, message.scheduledate, message.scheduletime, message.scheduletimestamp],
    ['scheduled', date.scheduledate, date.scheduletime, at]
  )
  const cancelled = (await account.expect(200).put(`/messages/${body.message_id}/cancel`)).body
  assert.deepEqual([cancelled.state, cancelled.summary.cancelled, cancelled.credits_refunded], ['cancelled', 2, 2])
  assert.equal(await credits(account), 100)
  await account.expect(409).put(`/messages/${body.message_id}/cancel`)
  assert.deepEqual(
    (await recipients(account, body.message_id)).map(({ deliver, deliver_label }: Record<string, unknown>) => [
      deliver,
      deliver_label
    ]),
    [
      [6, 'cancelled'],
      [6, 'cancelled']
    ]
  )
  assert.equal((await pool`select from batches`).length + (await pool`select from scheduled_messages`).length, 0)

  const soon = new Date(Date.now() + 1_500).toISOString()
  const due = (
    await account.expect(200).post('/messages/sms', { recipients: phones(1), content: 'Hi', scheduleAt: soon })
  ).body.message_id
  assert.equal((await read(account, due)).state, 'scheduled')
  await eventually(async () => assert.equal((await read(account, due)).state, 'sending'))

  const { body: list } = await account.expect(200).post('/contactlists', { name: 'Later' })
  await account.expect(200).post('/contacts', { contactlist_id: list.id, contacts: [{ tel: phone(1) }] })
  const dated: [string, unknown][] = [
    ['/messages/sms', { recipients: phones(1), content: 'Hi', ...date }],
    ['/messages/sms/dynamic', { recipients: [{ recipient: phone(1) }], content: 'Hi', ...date }],
    ['/messages/sms/contactlist', { contactlist: [list.id], content: 'Hi', ...date }],
    ['/messages/contactlist', { contactlist: [list.id], content: 'Hi', ...date }],
    ['/messages/sms/file', fileForm(`tel\n${phone(1)}\n`, { content: 'Hi', ...date })],
    ['/messages/rcs', { type: 'text', data: { text: 'Hi' }, contacts: [{ recipient: phone(1) }], ...date }]
  ]
  for (const [path, given] of dated) {
    const { body } = await account.expect(200).post(path, given)
    const { state, scheduletimestamp } = await read(account, body.message_id)
    assert.deepEqual([path, state, scheduletimestamp], [path, 'scheduled', at])
  }
  const past = { recipients: phones(1), content: 'Hi', scheduleAt: '2020-01-01T00:00:00Z' }
  assert.equal(
    (await read(account, (await account.expect(200).post('/messages/sms', past)).body.message_id)).state,
    'sending'
  )
  await assertLedgerHolds(pool)
})

test('when a message is to leave is read in any ISO form, in the zone of the account', () => {
  const now = new Date('2026-03-01T12:00:00Z')
  const cases: [string, string | undefined][] = [
    ['2026-03-28T10:00:00Z', '2026-03-28T10:00:00.000Z'],
    ['2026-03-28T10:00:00+01:00', '2026-03-28T09:00:00.000Z'],
    ['2026-03-28t10:00:00z', '2026-03-28T10:00:00.000Z'],
    ['2026-03-28t10:00:00-04:00', '2026-03-28T14:00:00.000Z'],
    ['2026-03-28T10:00:00-04:00:00', '2026-03-28T14:00:00.000Z'],
    ['2026-03-28T10:00', '2026-03-28T09:00:00.000Z'],
    ['2026-03-28T10:00:00-04:00[America/New_York]', '2026-03-28T14:00:00.000Z'],
    ['2026-03-30 10:00:00', '2026-03-30T08:00:00.000Z'],
    ['2026-03-30', '2026-03-29T22:00:00.000Z'],
    ['2026-03-29T02:30:00', '2026-03-29T01:30:00.000Z'], // A time that this day does not have.
    ['2026-03-01T12:00:00Z', undefined],
    ['2025-01-01', undefined],
    ['', undefined],
    ['2027-03-01T12:00:00Z', '2027-03-01T12:00:00.000Z']
  ]
  for (const [text, expected] of cases) {
    assert.equal(readScheduleAt(text, { timeZone: 'Europe/Paris', now })?.toISOString(), expected, text)
  }
  for (const text of [
    '2027-03-01T12:00:01Z',
    'soon',
    '2026-13-01',
    '28/03/2026',
    '2026-03-28T10:00-04:00[Europe/Paris]'
  ]) {
    assert.throws(() => readScheduleAt(text, { timeZone: 'Europe/Paris', now }), { status: 400 }, text)
  }
  assert.deepEqual(toLocalDateAndTime(new Date('2026-12-31T23:30:00Z'), 'Europe/Paris'), {
    date: '2027-01-01',
    time: '00:30:00'
  })
})

test('marketing gets its opt-out mention, and is held until the law allows it, zone by zone', async (t) => {
  const { newAccount, pool } = await startService(t)
  const account = await newAccount({ credits: 100 })
  // Marketing to France waits until Monday, at 8 in each territory.
  const sunday = sundayAhead()
  const scheduleAt = instantOf(sunday, '10:00')
  const openingIn = (timeZone: string) => instantOf(sunday.add({ days: 1 }), '08:00', timeZone)
  const [inReunion, inParis] = [openingIn('Indian/Reunion'), openingIn('Europe/Paris')]
  const body = {
    recipients: [phone(1), '+262692123456', '+590690123456', '+447911123456'],
    content: 'Soldes !',
    category: 'marketing',
    scheduleAt
  }
  const { body: resume } = await account.expect(200).post('/messages/sms?resumeBefore=true', body)
  assert.deepEqual([resume.starts_at, resume.held_count, resume.held_until], [scheduleAt, 3, inReunion])
  const { body: status } = await account.expect(200).post('/messages/sms', body)
  assert.ok(
    status.message.startsWith(`Scheduled for ${scheduleAt}. 3 held until ${inReunion} or later`),
    status.message
  )
  const message = await read(account, status.message_id)
  assert.deepEqual(
    [message.content, message.category, message.state, message.scheduletimestamp],
    ['Soldes ! STOP 36111', 'marketing', 'scheduled', scheduleAt]
  )
  assert.equal((await recipients(account, status.message_id))[0].content, 'Soldes ! STOP 36111')
  const queued = await pool<
    { positions: number[]; dueAt: Date; lane: number }[]
  >`select positions, due_at, lane from batches order by due_at`
  assert.deepEqual(
    queued.map(({ positions, dueAt, lane }) => [positions, dueAt.toISOString(), lane]),
    [
      [[4], scheduleAt, 1],
      [[2], inReunion, 1],
      [[1], inParis, 1],
      [[3], openingIn('America/Guadeloupe'), 1]
    ]
  )
  const dynamic = { ...body, recipients: [{ recipient: phone(1), a: '1' }], content: 'Hi #a#STOP_XXX#' }
  const odd = (await account.expect(200).post('/messages/sms/dynamic', dynamic)).body.message_id
  assert.equal((await recipients(account, odd))[0].content, 'Hi 1STOP_XXX# STOP 36111')
  const own = { ...body, content: 'Soldes ! #STOP_XXX#', recipients: [phone(1)] }
  const { message_id } = (await account.expect(200).post('/messages/sms', own)).body
  assert.equal((await read(account, message_id)).content, 'Soldes ! STOP 36111')
  assert.equal((await read(account, message_id)).scheduletimestamp, inParis)
})

test('the settings of the account apply: sender, typography, hours, days, calendar', async (t) => {
  const { newAccount } = await startService(t)
  const account = await newAccount({ credits: 100 })
  const settings = { sender: 'MaBoutique', typography: false, hours_end: '21:30', calendar: 'alsace-moselle' }
  await account.expect(200).put('/users/me', { settings })
  const send = async (fields: object) =>
    read(
      account,
      (await account.expect(200).post('/messages/sms', { recipients: [phone(1)], content: 'l’été', ...fields })).body
        .message_id
    )
  const message = await send({})
  assert.deepEqual([message.sender, message.content], ['MaBoutique', 'l’été'])
  const marketing = { category: 'marketing', content: 'Sale STOP' }
  const scheduledFor = async (day: Temporal.PlainDate, time: string) => {
    const scheduleAt = instantOf(day, time, 'Europe/Paris')
    return (await send({ ...marketing, scheduleAt })).scheduletimestamp
  }
  const openingOf = (day: Temporal.PlainDate) => instantOf(day, '08:00', 'Europe/Paris')
  const workingDay = workingDayAhead()
  assert.equal(await scheduledFor(workingDay, '21:29:59'), instantOf(workingDay, '21:29:59', 'Europe/Paris'))
  assert.equal(await scheduledFor(workingDay, '21:30'), openingOf(workingDay.add({ days: 1 })))
  // Good Friday or 26 December.
  const holiday = dayAhead((day) => isHoliday(day, 'alsace-moselle') && !isHoliday(day, 'national'))
  assert.equal(await scheduledFor(holiday, '10:00'), openingOf(workingDayAfter(holiday)))
  await account.expect(200).put('/users/me', { settings: { sundays_and_holidays: true } })
  const sunday = sundayAhead()
  assert.equal(await scheduledFor(sunday, '10:00'), instantOf(sunday, '10:00', 'Europe/Paris'))
})

test('the same sender is refused with the same sentence wherever one can be written', async (t) => {
  const { newAccount, pool } = await startService(t)
  const account = await newAccount({ credits: 100 })
  const list = await newList(account, [{ tel: phone(1) }])
  const sms = { name: 'SMS', content: 'Hi', sender: 'MYSHOP' }
  const smsModel = (await account.expect(200).post('/models', sms)).body.id
  const rcs = { type: 'text', data: { text: 'Hi' }, fallback: { content: 'Hi', sender: 'MYSHOP' } }
  const rcsModel = (await account.expect(200).post('/models/rcs', { name: 'RCS', ...rcs })).body.id
  const content = 'Hi'
  const fallbackFrom = (sender: string) => ({ fallback: { content, sender } })
  const places: [path: string, ask: (sender: string) => Promise<{ body: { details: unknown } }>][] = [
    ['sender', (sender) => account.expect(400).post('/messages/sms', { recipients: [phone(1)], content, sender })],
    ['sender', (sender) => account.expect(400).post('/messages', { recipients: [phone(1)], content, sender })],
    [
      'sender',
      (sender) =>
        account.expect(400).post('/messages/sms/dynamic', { recipients: [{ recipient: phone(1) }], content, sender })
    ],
    [
      'sender',
      (sender) => account.expect(400).post('/messages/sms/contactlist', { contactlist: [list], content, sender })
    ],
    ['sender', (sender) => account.expect(400).post('/messages/sms/file', fileForm(phone(1), { content, sender }))],
    [
      'fallback.sender',
      (sender) =>
        account
          .expect(400)
          .post('/messages/rcs', { ...rcs, contacts: [{ recipient: phone(1) }], ...fallbackFrom(sender) })
    ],
    ['sender', (sender) => account.expect(400).post('/models', { ...sms, sender })],
    ['sender', (sender) => account.expect(400).put(`/models/${smsModel}`, { sender })],
    [
      'fallback.sender',
      (sender) => account.expect(400).post('/models/rcs', { name: 'RCS', ...rcs, ...fallbackFrom(sender) })
    ],
    ['fallback.sender', (sender) => account.expect(400).put(`/models/rcs/${rcsModel}`, fallbackFrom(sender))],
    ['settings.sender', (sender) => account.expect(400).put('/users/me', { settings: { sender } })]
  ]
  const sentences = {
    'My Shop': 'must be 3 to 11 letters and digits, such as MYSHOP',
    ['x'.repeat(12)]: 'must be 3 to 11 letters and digits, such as MYSHOP',
    36222: 'must be a number of this service, or 3 to 11 letters and digits with a letter, such as MYSHOP',
    '06 12 34 56 78':
      'must not be a French mobile number: operators block 06 and 07 numbers as senders; take a name such as MYSHOP'
  }
  for (const [sender, message] of Object.entries(sentences)) {
    for (const [path, ask] of places) assert.deepEqual((await ask(sender)).body.details, [{ path, message }])
  }
  const told = await account.expect(400).put('/users/me', { settings: { sender: 'My Shop' } })
  assert.equal(
    told.body.error,
    'The request is not valid: settings.sender must be 3 to 11 letters and digits, such as MYSHOP.'
  )
  assert.equal((await account.expect(200).get('/messages')).body.meta.totalItems, 0)

  // The sandbox lists two short codes; the countries of the recipients decide about names.
  const send = (recipients: string[], fields: object) =>
    account.post('/messages/sms', { recipients, content, ...fields })
  for (const sender of ['36111', '38111']) assert.equal((await send([phone(1)], { sender })).status, 200)
  assert.equal((await send(['+32470123456'], { sender: 'My Shop' })).status, 200)
  assert.equal((await send(['+32470123456', phone(1)], { sender: 'My Shop' })).body.details[0].path, 'sender')
  await account.expect(200).put('/users/me', { country: 'BE', settings: { sender: 'My Shop' } })

  // What was stored while it was allowed is refused where it is used, and says where it stands.
  const stale = await send([phone(1)], {})
  assert.deepEqual(stale.body.details, [
    { path: 'settings.sender', message: 'of the account must be 3 to 11 letters and digits, such as MYSHOP' }
  ])
  await pool`update templates set sender = '36222' where id = ${smsModel}`
  const ofTemplate = await account.expect(400).post('/messages/sms', { recipients: [phone(1)], model_id: smsModel })
  assert.equal(ofTemplate.body.details[0].path, 'model_id')
  assert.match(ofTemplate.body.details[0].message, /^names a template whose sender must be a number of this service/)
})

test('a template gives content and sender, and the message keeps the text it used', async (t) => {
  const { newAccount } = await startService(t)
  const [account, stranger] = [await newAccount({ credits: 10 }), await newAccount({ credits: 10 })]
  const template = (
    await account.expect(200).post('/models', { name: 'Hello', content: 'Salut #nom#', sender: 'Modele' })
  ).body
  const body = { recipients: [{ recipient: phone(1), nom: 'Martin' }], model_id: template.id }
  const id = (await account.expect(200).post('/messages/sms/dynamic', body)).body.message_id
  await account.expect(200).put(`/models/${template.id}`, { content: 'Changed' })
  await account.expect(200).delete(`/models/${template.id}`)
  const message = await read(account, id)
  assert.deepEqual([message.content, message.sender], ['Salut #nom#', 'Modele'])
  assert.equal((await recipients(account, id))[0].content, 'Salut Martin')
  await stranger.expect(404).post('/messages/sms/dynamic', body)
})

test('the history is paged, filtered and searched, newest first', async (t) => {
  const { newAccount } = await startService(t)
  const account = await newAccount({ credits: 100 })
  const ids: number[] = []
  const day = dayAhead()
  for (const [index, content] of ['Alpha', 'Beta', 'Gamma', 'Delta'].entries()) {
    const scheduleAt = index === 3 ? instantOf(day, '10:00') : undefined
    const body = { recipients: [phone(1)], content, external_id: `order-${index}`, ...(scheduleAt && { scheduleAt }) }
    ids.push((await account.expect(200).post('/messages/sms', body)).body.message_id)
  }
  const list = async (query: string) => {
    const { body } = await account.expect(200).get(`/messages?${query}`)
    return [body.meta.totalItems, ...body.items.map(({ id }: { id: number }) => ids.indexOf(id))]
  }
  assert.deepEqual(await list('limit=3'), [4, 3, 2, 1])
  assert.deepEqual(await list('limit=3&page=2'), [4, 0])
  assert.deepEqual(await list('limit=3&page=3'), [4])
  assert.deepEqual(await list('state=scheduled'), [1, 3])
  assert.deepEqual(await list('state=sending&channel=sms'), [3, 2, 1, 0])
  assert.deepEqual(await list('channel=rcs'), [0])
  assert.deepEqual(await list('search=beta'), [1, 1])
  assert.deepEqual(await list('search=ORDER-2'), [1, 2])
  assert.deepEqual(await list(`from=${day}&to=${day}`), [1, 3])
  assert.deepEqual(await list(`to=${day}T09:59:00Z`), [3, 2, 1, 0])
  for (const query of ['state=lost', 'channel=fax', 'from=x', 'to=2026-99-99'])
    await account.expect(400).get(`/messages?${query}`)
})

test('messages of another account are not there', async (t) => {
  const { newAccount } = await startService(t)
  const [account, stranger] = [await newAccount({ credits: 10 }), await newAccount({ credits: 10 })]
  const id = (await account.expect(200).post('/messages/sms', { recipients: [phone(1)], content: 'Hi' })).body
    .message_id
  const list = await newList(account, [{ tel: phone(1) }])
  await stranger.expect(404).get(`/messages/${id}`)
  await stranger.expect(404).put(`/messages/${id}/cancel`)
  await stranger.expect(404).get(`/messages/${id}/recipients/sms`)
  await stranger.expect(404).get(`/messages/${id}/recipients/sms/extract`)
  await stranger.expect(404).post('/messages/sms/contactlist', { contactlist: [list], content: 'Hi' })
  assert.equal((await stranger.expect(200).get('/messages')).body.meta.totalItems, 0)
  assert.equal((await read(account, id)).state, 'sending')
})

test('recipients are extracted as a stream of JSON or CSV', async (t) => {
  const { newAccount } = await startService(t)
  const account = await newAccount({ credits: 5_000 })
  const id = (await account.expect(200).post('/messages/sms', { recipients: phones(3_000), content: '=Hi' })).body
    .message_id
  const { body } = await account.expect(200).get(`/messages/${id}/recipients/sms/extract`)
  assert.deepEqual(
    body.map(({ recipient }: { recipient: string }) => recipient),
    phones(3_000)
  )
  const csv = (
    await account.expect(200).get(`/messages/${id}/recipients/sms/extract`, { accept: 'text/csv' })
  ).text.split('\r\n')
  assert.equal(csv.length, 3_002)
  const far = await account.expect(200).get(`/messages/${id}/recipients/sms?page=3000000&limit=1000`)
  assert.deepEqual([far.body.items, far.body.meta.itemCount], [[], 0])
  assert.match(csv[1] ?? '', /,\+33639980000,1,FR,0,waiting,,'=Hi,,$/)
})

test('cancels at the same instant give the credits back once', async (t) => {
  const { newAccount, pool } = await startService(t)
  const account = await newAccount({ credits: 100 })
  const id = (await account.expect(200).post('/messages/sms', { recipients: phones(60), content: 'Hi' })).body
    .message_id
  const answers = await Promise.all(Array.from({ length: 10 }, () => account.put(`/messages/${id}/cancel`)))
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, ...Array.from({ length: 9 }, () => 409)])
  assert.equal(await credits(account), 100)
  await assertLedgerHolds(pool)
})

test('100,000 numbers in one call are accepted', async (t) => {
  const { newAccount } = await startService(t)
  const account = await newAccount({ credits: 200_000 })
  const numbers = Array.from({ length: 100_000 }, (_, index) => `+336${10_000_000 + index}`)
  const { body } = await account.expect(200).post('/messages/sms', { recipients: numbers, content: 'Hi' })
  assert.deepEqual([body.recipients_count, body.credits_used], [100_000, 100_000])
  await account.expect(400).post('/messages/sms', { recipients: [...numbers, phone(1)], content: 'Hi' })
})

test('a set of numbers is a set', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 400 }), { maxLength: 2_000 }), (indexes) => {
      const [ours, reference] = [new NumberSet(), new Set<string>()]
      for (const index of indexes) {
        const number = `+${33_600_000_000 + index * 1_048_576}`
        assert.equal(ours.add(number), !reference.has(number))
        reference.add(number)
      }
    })
  )
})

test('a segment costs one credit to France and more elsewhere, by the longest prefix', () => {
  const cases: [string, number][] = [
    ['+33612345678', 1],
    ['+14155550100', 1],
    ['+447911123456', 2],
    ['+262692123456', 2],
    ['+819012345678', 3]
  ]
  for (const [number, price] of cases) assert.equal(BUILT_IN_PRICES.segment(number), price, number)
})

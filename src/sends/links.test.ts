import { strict as assert } from 'node:assert'
import { assertLedgerHolds } from '../../test/checks/ledger.ts'
import { fileForm } from '../../test/service/file-form.ts'
import { startService, type TestAccount, type TestService, test } from '../../test/service/service.ts'

const LINK_URL = 'https://lnk.example/s'
const LINK = String.raw`https://lnk\.example/s/[0-9A-Za-z]{10}`
const phone = (index: number) => `+3363998${String(index).padStart(4, '0')}`

const startLinking = (t: Parameters<typeof startService>[0]) =>
  startService(t, { settings: { CHAPPE_LINK_URL: LINK_URL } })

async function texts(account: TestAccount, id: number, channel = 'sms'): Promise<string[]> {
  const { body } = await account.expect(200).get(`/messages/${id}/recipients/${channel}?limit=1000`)
  return body.items.map(({ content }: { content: string }) => content)
}

/** The links of a message, by what they begin with. */
async function links({ pool }: Pick<TestService, 'pool'>, id: number) {
  const rows = await pool<{ link: string; position: number | null; url: string; accountId: number }[]>`
    select ${LINK_URL} || '/' || code as link, position, url, account_id
    from short_links
    where message_id = ${id}
    order by position
  `
  return rows.map((row) => ({ ...row }))
}

async function refusal(account: TestAccount, path: string, body: object): Promise<[path: string, message: string]> {
  const { body: refused } = await account.expect(400).post(path, body)
  return [refused.details[0].path, refused.details[0].message]
}

test('each of the four ways to send an SMS gives everybody a link of their own, or all the same', async (t) => {
  const service = await startLinking(t)
  const account = await service.newAccount({ credits: 1_000 })
  const { body: list } = await account.expect(200).post('/contactlists', { name: 'List' })
  const contacts = [{ tel: phone(1) }, { tel: phone(2) }]
  await account.expect(200).post('/contacts', { contactlist_id: list.id, contacts })
  const numbers = [phone(1), phone(2)]
  const content = 'Voir #SHORTURL# vite'
  const ways: [path: string, body: (mode: string) => unknown][] = [
    ['/messages/sms', (mode) => ({ recipients: numbers, ...fields(mode) })],
    ['/messages', (mode) => ({ recipients: numbers, ...fields(mode) })],
    ['/messages/sms/dynamic', (mode) => ({ recipients: numbers.map((recipient) => ({ recipient })), ...fields(mode) })],
    ['/messages/sms/contactlist', (mode) => ({ contactlist: [list.id], ...fields(mode) })],
    [
      '/messages/sms/file',
      (mode) =>
        fileForm(numbers.join('\n'), { content, 'shorturl[mode]': mode, 'shorturl[url]': 'https://shop.example/' })
    ],
    [
      '/messages/sms/file',
      (mode) => fileForm(numbers.join('\n'), { content, shorturl: JSON.stringify(fields(mode).shorturl) })
    ]
  ]
  function fields(mode: string) {
    return { content, shorturl: { mode, url: 'https://shop.example/' } }
  }
  for (const [path, body] of ways) {
    const { body: own } = await account.expect(200).post(path, body('unique'))
    const made = await links(service, own.message_id)
    assert.deepEqual(
      made.map(({ position, url, accountId }) => [position, url, accountId]),
      [1, 2].map((position) => [position, 'https://shop.example/', account.id]),
      path
    )
    assert.deepEqual(
      await texts(account, own.message_id),
      made.map(({ link }) => `Voir ${link} vite`)
    )
    const message = (await account.expect(200).get(`/messages/${own.message_id}`)).body
    assert.deepEqual(
      [message.content, message.shorturl_mode, message.shorturl_url],
      [content, { id: 1, label: 'unique' }, 'https://shop.example/']
    )

    const { body: shared } = await account.expect(200).post(path, body('common'))
    const [one, ...others] = await links(service, shared.message_id)
    assert.deepEqual([one?.position, one?.url, others], [null, 'https://shop.example/', []], path)
    const text = `Voir ${one?.link} vite`
    assert.match(text, new RegExp(`^Voir ${LINK} vite$`))
    assert.deepEqual(await texts(account, shared.message_id), [text, text])
    const sharing = (await account.expect(200).get(`/messages/${shared.message_id}`)).body
    assert.deepEqual([sharing.content, sharing.shorturl_mode], [text, { id: 2, label: 'common' }])
  }
  const stored = await service.pool`
    select count(*) filter (where recipients.content is null) as same
    from recipients join messages on messages.id = message_id where shorturl_mode = 'common'
  `
  assert.equal(stored[0]?.same, 2 * ways.length, 'a text that all share is not stored for each')
  await assertLedgerHolds(service.pool)
})

test('without a place the link comes at the end, before the opt-out mention, and counts in segments and price', async (t) => {
  const service = await startLinking(t)
  const account = await service.newAccount({ credits: 100 })
  const shorturl = { mode: 'unique', url: 'https://shop.example/' }
  const { body: end } = await account
    .expect(200)
    .post('/messages/sms', { recipients: [phone(1)], content: 'Soldes', category: 'marketing', shorturl })
  assert.match((await texts(account, end.message_id))[0] ?? '', new RegExp(`^Soldes ${LINK} STOP 36111$`))

  // A link has 32 characters here: 127 and a space make 160.
  const asked = (length: number) => ({ recipients: [phone(1)], content: 'x'.repeat(length), shorturl })
  for (const [length, segments] of [
    [127, 1],
    [128, 2]
  ] as const) {
    const { body: resume } = await account.expect(200).post('/messages/sms?resumeBefore=true', asked(length))
    assert.deepEqual([resume.sms_count, resume.credits_required], [segments, segments])
    const { body } = await account.expect(200).post('/messages/sms', asked(length))
    assert.deepEqual([body.sms_count, body.credits_used], [segments, segments])
  }
  const [path, message] = await refusal(account, '/messages/sms', asked(1530 - 32))
  assert.deepEqual([path, message], ['content', 'has 11 segments, and 10 is the most'])
  assert.equal((await service.pool`select from short_links`).length, 3, 'a dry run or a refusal makes no link')
})

test('the address may name variables when each has a link of their own, and their values are only parts of it', async (t) => {
  const service = await startLinking(t)
  const account = await service.newAccount({ credits: 100 })
  const send = (url: string, more: object = {}) => ({
    recipients: [
      { recipient: phone(1), Prénom: 'Léa & Max', id: 7 },
      { recipient: phone(2), prenom: '../x?y=1#z' }
    ],
    content: 'Voir #SHORTURL#',
    shorturl: { mode: 'unique', url, ...more }
  })
  const { body } = await account
    .expect(200)
    .post('/messages/sms/dynamic', send('https://shop.example/é/#prénom#?id=#ID#&n=1'))
  const made = await links(service, body.message_id)
  assert.deepEqual(
    made.map(({ url }) => url),
    [
      'https://shop.example/%C3%A9/L%C3%A9a%20%26%20Max?id=7&n=1',
      'https://shop.example/%C3%A9/..%2Fx%3Fy%3D1%23z?id=&n=1'
    ]
  )
  const message = (await account.expect(200).get(`/messages/${body.message_id}`)).body
  assert.equal(message.shorturl_url, 'https://shop.example/é/#prénom#?id=#ID#&n=1')
  const cases: [body: object, path: string, message: RegExp][] = [
    [send('https://shop.example/#nom#'), 'shorturl.url', /uses #nom#, which no recipient defines/],
    [send('https://shop.example/#prenom#', { mode: 'common' }), 'shorturl.url', /must not name variables/],
    [send('https://shop.example/#SHORTURL#'), 'shorturl.url', /must not hold #SHORTURL#/],
    [send('#prenom#'), 'shorturl.url', /web address/],
    [send('javascript:alert(1)'), 'shorturl.url', /https/],
    [send('https://user:pass@shop.example/'), 'shorturl.url', /password/],
    [send('https://shop.example/', { mode: 'other' }), 'shorturl.mode', /one of/],
    [{ ...send('x'), shorturl: undefined }, 'content', /has #SHORTURL#, and no shorturl is given/],
    [
      {
        ...send(`https://shop.example/?${'#prenom#&'.repeat(4)}`),
        recipients: [{ recipient: '06 39 98 00 01', prenom: 'x'.repeat(600) }]
      },
      'shorturl.url',
      /at most 2048 characters for 06 39 98 00 01/
    ]
  ]
  for (const [body, path, message] of cases) {
    const [atPath, said] = await refusal(account, '/messages/sms/dynamic', body)
    assert.equal(atPath, path, said)
    assert.match(said, message)
  }
  assert.equal((await service.pool`select from short_links`).length, 2)
})

test('card and fallback of an RCS have the same link, each at its end if it has no place for it', async (t) => {
  const service = await startLinking(t)
  const account = await service.newAccount({ credits: 100 })
  const contacts = [{ recipient: phone(1) }, { recipient: phone(2) }]
  const shorturl = { mode: 'unique', url: 'https://shop.example/' }
  const data = {
    text: 'Voir #SHORTURL#',
    choices: [
      { type: 'url', title: 'Voir', url: '#SHORTURL#' },
      { type: 'url', title: 'Dire', url: 'https://say.example/?link=#SHORTURL#' }
    ]
  }
  const send = { type: 'text', data, contacts, fallback: { content: 'Par ici #SHORTURL#' }, shorturl }
  const { body } = await account.expect(200).post('/messages/rcs', send)
  const made = await links(service, body.message_id)
  assert.deepEqual(
    await texts(account, body.message_id, 'rcs'),
    made.map(({ link }) => `Voir ${link}`)
  )
  await service.pool`update recipients set channel = 'sms'`
  assert.deepEqual(
    await texts(account, body.message_id, 'rcs'),
    made.map(({ link }) => `Par ici ${link}`)
  )

  const plain = { ...send, data: { text: 'Bonjour' } }
  const button = { text: 'Bonjour', choices: [data.choices[0]] }
  const picture = { media_message_url: 'https://shop.example/a.jpg' }
  const cards = [
    { title: 'Un', description: 'Une' },
    { title: 'Deux', description: 'Deuxième' }
  ]
  const without = { content: 'Sans' }
  const completed: [body: object, data: object, fallback: string | null][] = [
    [{ ...send, fallback: without }, data, 'Sans #SHORTURL#'],
    [{ ...send, fallback: undefined }, data, null],
    [{ ...send, data: button, fallback: without }, button, 'Sans #SHORTURL#'],
    [{ ...plain, fallback: without }, { text: 'Bonjour #SHORTURL#' }, 'Sans #SHORTURL#'],
    [plain, { text: 'Bonjour #SHORTURL#' }, 'Par ici #SHORTURL#'],
    [{ ...plain, fallback: undefined }, { text: 'Bonjour #SHORTURL#' }, null],
    [
      { ...plain, fallback: without, category: 'marketing' },
      { text: 'Bonjour #SHORTURL#', choices: [{ type: 'text', text: 'STOP' }] },
      'Sans #SHORTURL# #STOP_XXX#'
    ],
    [
      { ...send, type: 'card', data: cards[0], fallback: without },
      { title: 'Un', description: 'Une #SHORTURL#' },
      'Sans #SHORTURL#'
    ],
    [{ ...send, type: 'card', data: picture }, { ...picture, description: '#SHORTURL#' }, 'Par ici #SHORTURL#'],
    [
      { ...send, type: 'carousel', data: { cards } },
      { cards: [cards[0], { title: 'Deux', description: 'Deuxième #SHORTURL#' }] },
      'Par ici #SHORTURL#'
    ],
    [
      { ...send, type: 'carousel', data: { cards: [picture, picture] } },
      { cards: [picture, { ...picture, description: '#SHORTURL#' }] },
      'Par ici #SHORTURL#'
    ],
    [
      { ...send, type: 'carousel', data: { cards: [{ title: '#SHORTURL#' }, cards[1]] } },
      { cards: [{ title: '#SHORTURL#' }, cards[1]] },
      'Par ici #SHORTURL#'
    ]
  ]
  for (const [body, shown, fallback] of completed) {
    const { body: sent } = await account.expect(200).post('/messages/rcs', body)
    const [stored] = await service.pool`
      select data, fallback_content from rcs_messages where message_id = ${sent.message_id}
    `
    assert.deepEqual([stored?.data, stored?.fallbackContent], [shown, fallback])
    assert.equal((await links(service, sent.message_id)).length, 2)
  }
  const { body: ended } = await account.expect(200).post('/messages/rcs', { ...plain, fallback: without })
  const own = await links(service, ended.message_id)
  assert.deepEqual(
    await texts(account, ended.message_id, 'rcs'),
    own.map(({ link }) => `Bonjour ${link}`)
  )

  // A link has 32 characters here: with a space before it, 3,039 and 33 make 3,072.
  const long = (length: number) => ({ ...plain, data: { text: 'x'.repeat(length) }, fallback: undefined })
  await account.expect(200).post('/messages/rcs', long(3_039))
  assert.deepEqual(await refusal(account, '/messages/rcs', long(3_040)), [
    'data.text',
    `must have at most 3072 characters for ${phone(1)}`
  ])
  const common = { ...send, shorturl: { ...shorturl, mode: 'common' } }
  const { body: shared } = await account.expect(200).post('/messages/rcs', common)
  const [one, ...others] = await links(service, shared.message_id)
  assert.deepEqual([one?.position, others], [null, []])
  assert.equal((await account.expect(200).get(`/messages/${shared.message_id}`)).body.content, `Voir ${one?.link}`)
  assert.deepEqual(await texts(account, shared.message_id, 'rcs'), [`Voir ${one?.link}`, `Voir ${one?.link}`])

  const cases: [body: object, path: string, message: RegExp][] = [
    [{ ...send, shorturl: undefined }, 'data', /no shorturl is given/],
    [{ ...plain, shorturl: undefined }, 'fallback.content', /no shorturl is given/]
  ]
  for (const [body, path, message] of cases) {
    const [atPath, said] = await refusal(account, '/messages/rcs', body)
    assert.equal(atPath, path)
    assert.match(said, message)
  }
  await assertLedgerHolds(service.pool)
})

test('the address of an RCS link may not hold the places that Chappe fills in, also where its texts have them', async (t) => {
  const service = await startLinking(t)
  const account = await service.newAccount({ credits: 100 })
  const contacts = [{ recipient: phone(1), shorturl: 'x' }]
  const fallback = { content: 'Par ici #STOP_XXX# #STOP_URL#' }
  for (const place of ['#SHORTURL#', '#STOP_XXX#', '#STOP_URL#']) {
    const shorturl = { mode: 'unique', url: `https://shop.example/?from=${place}` }
    const send = { type: 'text', data: { text: 'Voir #SHORTURL#' }, contacts, fallback, shorturl }
    assert.deepEqual(await refusal(account, '/messages/rcs', send), [
      'shorturl.url',
      'must not hold #SHORTURL#, #STOP_XXX# or #STOP_URL#'
    ])
  }
  assert.equal((await service.pool`select from short_links`).length, 0)
})

test('links begin with the public address, or that of the service itself, where they lead on', async (t) => {
  const { newAccount, url, startPeer } = await startService(t)
  const account = await newAccount({ credits: 100 })
  const shorturl = { mode: 'unique', url: 'https://shop.example/' }
  const send = { recipients: [phone(1)], content: 'Voir', shorturl }
  const own = await account.expect(200).post('/messages/sms', send)
  const [text = ''] = await texts(account, own.body.message_id)
  assert.match(text, new RegExp(`^Voir ${url}/s/\\w{10}$`))
  const opened = await fetch(text.replace('Voir ', ''), { redirect: 'manual' })
  assert.deepEqual([opened.status, opened.headers.get('location')], [302, 'https://shop.example/'])
  const peer = await startPeer(t, { settings: { CHAPPE_PUBLIC_URL: 'https://sms.example/' } })
  const { body } = await peer.operator.expect(200).post('/messages/sms', send)
  assert.match((await texts(peer.operator, body.message_id))[0] ?? '', /^Voir https:\/\/sms\.example\/s\/\w{10}$/)
})

test('a code that is taken already fails nobody: the send is made again with others, few and many', async (t) => {
  const service = await startLinking(t)
  const { pool } = service
  const account = await service.newAccount({ credits: 1_000 })
  // The first link of each send meets one of the same code; a sequence goes on when a transaction is undone.
  await pool`insert into short_links (code, account_id, message_id, position, url) values ('taken', 0, 0, 1, '')`
  await pool.unsafe(`
    create sequence met;
    create function meet() returns trigger language plpgsql as $$
    begin
      if nextval('met') in (1, 4, 65) then new.code = 'taken'; end if;
      return new;
    end $$;
    create trigger meet before insert on short_links for each row execute function meet();
  `)
  const numbers = Array.from({ length: 60 }, (_, index) => phone(index))
  const shorturl = { mode: 'unique', url: 'https://shop.example/' }
  const key = { 'idempotency-key': 'once' }
  const few = await account
    .expect(200)
    .post('/messages/sms', { recipients: numbers.slice(0, 2), content: 'x', shorturl })
  const bulk = await account
    .expect(200)
    .post('/messages/sms', { recipients: numbers, content: 'x', shorturl, external_id: 'many' })
  const once = await account
    .expect(200)
    .post('/messages/sms', { recipients: numbers.slice(0, 3), content: 'x', shorturl }, key)
  const counts = await pool`
    select message_id, count(*) from short_links where message_id > 0 group by message_id order by message_id
  `
  assert.deepEqual(
    counts.map(({ messageId, count }) => [messageId, count]),
    [
      [few.body.message_id, 2],
      [bulk.body.message_id, 60],
      [once.body.message_id, 3]
    ]
  )
  assert.equal((await pool`select last_value from met`)[0]?.lastValue, 68)
  assert.equal((await pool`select from messages`).length, 3)
  await assertLedgerHolds(pool)
})

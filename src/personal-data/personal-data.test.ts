import { strict as assert } from 'node:assert'
import { setTimeout as sleep } from 'node:timers/promises'
import { dayAhead, instantOf } from '../../test/checks/days-ahead.ts'
import { holdTable } from '../../test/database/hold-table.ts'
import { untilWaiting } from '../../test/database/waiting.ts'
import { end, take } from '../../test/messages/old-messages.ts'
import { readMessage, send } from '../../test/messages/sending.ts'
import { startService, type TestAccount, type TestService, test } from '../../test/service/service.ts'
import { upsertCapabilities } from '../carriers/rcs-capabilities.store.ts'
import { recordReply } from '../replies/record-reply.ts'
import { insertReply } from '../replies/replies.store.ts'
import { listStopped, listStoppedPairs } from '../stops/stops.store.ts'
import { recordEvents } from '../webhooks/events.store.ts'
import { finishErasures } from './finish-erasures.ts'

/** More than a look takes on a busy machine, and less than the database lets it wait. */
const LOOK_MS = 20_000

test('everything held about a number is exported, and erased from every list', async (t) => {
  const { operator, newAccount } = await startService(t)
  const stranger = await newAccount()
  const lists: number[] = []
  for (const account of [operator, operator, stranger]) {
    const { body } = await account.expect(200).post('/contactlists', { name: 'List' })
    lists.push(body.id)
    const contacts = [{ tel: '0639980001', champ_nom: 'Martin' }, { tel: '0639980002' }]
    await account.expect(200).post('/contacts', { contactlist_id: body.id, contacts })
  }
  await operator.expect(200).post('/stops', { recipient: '0639980001' })

  const { body: held } = await operator.expect(200).get('/contacts/by-number/06%2039%2098%2000%2001')
  assert.deepEqual([held.recipient, held.is_stopped, held.stop.source], ['+33639980001', true, 'manual'])
  assert.deepEqual(
    held.contacts.map((contact: { contactlist_id: number; champ_nom: string }) => [
      contact.contactlist_id,
      contact.champ_nom
    ]),
    [
      [lists[0], 'Martin'],
      [lists[1], 'Martin']
    ]
  )

  const { body: erased } = await operator.expect(200).delete('/contacts/by-number/+33639980001')
  assert.deepEqual(erased, {
    success: true,
    message: 'The number was erased.',
    contacts: 2,
    replies: 0,
    messages: 0,
    messages_under_way: 0,
    stops: 1,
    consents: 0,
    events: 0,
    drafts: 0
  })
  for (const id of lists.slice(0, 2)) {
    assert.equal((await operator.expect(200).get(`/contactlists/${id}`)).body.contacts_count, 1)
  }
  assert.equal((await stranger.expect(200).get(`/contactlists/${lists[2]}`)).body.contacts_count, 2)
  const { body: left } = await operator.expect(200).get('/contacts/by-number/0639980001')
  const nothing = {
    contacts: [],
    is_stopped: true,
    stop: null,
    consents: [],
    replies: [],
    messages: [],
    parts: [],
    drafts: [],
    events: [],
    rcs: []
  }
  assert.deepEqual(left, { recipient: '+33639980001', ...nothing })
  const again = await operator.expect(200).delete('/contacts/by-number/0639980001')
  assert.deepEqual([again.body.contacts, again.body.stops], [0, 0])
  for (const number of ['abc', '12', '%00', '0612']) await operator.get(`/contacts/by-number/${number}`)
  await operator.expect(400).get('/contacts/by-number/abc')
})

test('an erased opt-out goes on being honoured, tells no number, and can be lifted', async (t) => {
  const { operator, pool, newAccount } = await startService(t)
  const stranger = await newAccount()
  const phones = ['+33639980001', '+33639980002', '+33639980003']
  for (const recipient of phones.slice(0, 2)) await operator.expect(200).post('/stops', { recipient })
  await stranger.expect(200).post('/stops', { recipient: phones[0] })
  for (const account of [operator, stranger]) await account.expect(200).delete(`/contacts/by-number/${phones[0]}`)

  assert.equal((await operator.expect(200).get('/stops/all')).body.meta.totalItems, 1)
  const stopped = await listStopped(pool, { accountId: operator.id, phones })
  assert.deepEqual([...stopped].sort(), phones.slice(0, 2))
  const accountIds = [operator.id, stranger.id]
  const pairs = accountIds.flatMap((accountId) => phones.map((phone) => ({ accountId, phone })))
  const ofBoth = new Map([
    [operator.id, new Set(phones.slice(0, 2))],
    [stranger.id, new Set(phones.slice(0, 1))]
  ])
  assert.deepEqual(await listStoppedPairs(pool, pairs), ofBoth, 'as sends of several accounts ask together')
  const hashes = await pool<{ phoneHash: Buffer }[]>`select phone_hash from erased_stops`
  assert.equal(hashes.length, 2)
  assert.ok(hashes[0] && hashes[1] && !hashes[0].phoneHash.equals(hashes[1].phoneHash), 'each account has its own key')

  const { body: stop } = await operator.expect(200).post('/stops', { recipient: phones[0] })
  await operator.expect(200).delete(`/stops/${stop.id}`)
  assert.deepEqual([...(await listStopped(pool, { accountId: operator.id, phones }))], [phones[1]])
  assert.deepEqual([...(await listStopped(pool, { accountId: stranger.id, phones }))], [phones[0]])
})

test('erasing, deleting and adding at once never leaves a wrong count, nor anybody waiting in a circle', async (t) => {
  const { operator, pool, logLines } = await startService(t)
  const lists = await Promise.all(
    Array.from(
      { length: 5 },
      async () => (await operator.expect(200).post('/contactlists', { name: 'L' })).body.id as number
    )
  )
  for (let round = 0; round < 10; round++) {
    await Promise.all([
      ...lists.map((contactlist_id) =>
        operator
          .expect(200)
          .post('/contacts', { contactlist_id, contacts: [{ tel: '0639980001' }, { tel: '0639980002' }] })
      ),
      ...lists.map(async (id) => {
        const { body } = await operator.expect(200).get(`/contactlists/${id}/contacts`)
        for (const { id } of body.items) {
          const { status } = await operator.delete(`/contacts/${id}`)
          assert.ok(status === 200 || status === 404, `it answered ${status}`)
        }
      }),
      ...['0639980001', '0639980002', '0639980001'].map((number) =>
        operator.expect(200).delete(`/contacts/by-number/${number}`)
      )
    ])
  }
  const wrong = await pool`
    select id
    from contact_lists
    left join (select list_id, count(*) as count from contacts group by list_id) as counted on list_id = id
    where contacts_count <> coalesce(count, 0)
  `
  assert.equal(wrong.length, 0)
  assert.ok(!logLines.some((line) => line.includes('40P01')))
})

test('messages and replies are exported, and erased once messages under way have arrived', async (t) => {
  const { newAccount, pool } = await startService(t)
  const [account, stranger] = [await newAccount({ credits: 100 }), await newAccount({ credits: 100 })]
  const number = '+33639980001'
  const people = [
    { recipient: number, nom: 'Martin' },
    { recipient: '+33639980002', nom: 'Durand' }
  ]
  const send = async (from: typeof account, body: object, path = '/messages/sms/dynamic') =>
    (await from.expect(200).post(path, body)).body.message_id as number
  const both = await send(account, { recipients: people, content: 'Salut #nom#' })
  const single = await send(account, { recipients: [number], content: 'Cher Martin' }, '/messages/sms')
  const later = { recipients: [number], content: 'Later', scheduleAt: instantOf(dayAhead(), '10:00') }
  const cancelled = await send(account, later, '/messages/sms')
  const foreign = await send(stranger, { recipients: people, content: 'Salut #nom#' })
  await account.expect(200).put(`/messages/${cancelled}/cancel`)
  for (const { id } of [account, stranger]) {
    const reply = {
      accountId: id,
      messageId: both,
      phone: number,
      writtenTo: '36111',
      channel: 'sms',
      content: 'OK',
      isStop: false
    } as const
    await insertReply(pool, reply)
  }

  const { body: held } = await account.expect(200).get(`/contacts/by-number/${number}`)
  assert.deepEqual(
    held.messages.map(({ message_id, content, deliver }: Record<string, unknown>) => [message_id, content, deliver]),
    [
      [both, 'Salut Martin', 0],
      [single, 'Cher Martin', 0],
      [cancelled, 'Later', 6]
    ]
  )
  assert.deepEqual(held.replies.length, 1)

  const { body: erased } = await account.expect(200).delete(`/contacts/by-number/${number}`)
  assert.deepEqual([erased.replies, erased.messages, erased.messages_under_way], [1, 1, 2])
  await finishErasures(pool)
  assert.equal(
    (await account.expect(200).get(`/contacts/by-number/${number}`)).body.messages.length,
    2,
    'they are under way'
  )

  await pool`update recipients set state = 1 where account_id = ${account.id} and message_id in (${both}, ${single})`
  // As if the minute until the next look were over.
  await pool`update pending_erasures set next_look_at = now()`
  await finishErasures(pool)
  assert.deepEqual((await account.expect(200).get(`/contacts/by-number/${number}`)).body.messages, [])
  const { body: page } = await account.expect(200).get(`/messages/${both}/recipients/sms`)
  assert.deepEqual(
    page.items.map(({ recipient, content }: Record<string, unknown>) => [recipient, content]),
    [
      ['', ''],
      ['+33639980002', 'Salut Durand']
    ]
  )
  assert.equal((await account.expect(200).get(`/messages/${single}`)).body.content, '')
  assert.equal((await pool`select from pending_erasures`).length, 0)
  const kept = (await stranger.expect(200).get(`/contacts/by-number/${number}`)).body
  assert.deepEqual(
    [kept.messages[0].message_id, kept.messages[0].content, kept.replies.length],
    [foreign, 'Salut Martin', 1]
  )
})

test('of an RCS message its values, its texts if it is to one alone, and links are exported and erased too', async (t) => {
  const { newAccount, pool } = await startService(t)
  const account = await newAccount({ credits: 100 })
  const [number, other] = ['+33639980001', '+33639980002']
  const send = async (path: string, body: object) =>
    (await account.expect(200).post(path, body)).body.message_id as number
  const unique = { mode: 'unique', url: 'https://shop.example/?n=#nom#' }
  const both = await send('/messages/rcs', {
    type: 'card',
    data: { title: 'Salut #nom#', choices: [{ type: 'url', title: 'Voir', url: '#SHORTURL#' }] },
    contacts: [
      { recipient: number, nom: 'Martin' },
      { recipient: other, nom: 'Durand' }
    ],
    fallback: { content: 'Par SMS, #nom#' },
    shorturl: unique
  })
  const single = await send('/messages/rcs', {
    type: 'carousel',
    data: { cards: [{ title: 'Cher Martin' }, { title: 'Fin' }] },
    contacts: [{ recipient: number }],
    fallback: { content: 'Cher Martin' },
    shorturl: { mode: 'common', url: 'https://shop.example/?n=Martin' }
  })
  const people = [
    { recipient: number, nom: 'Martin' },
    { recipient: other, nom: 'Durand' }
  ]
  const sms = await send('/messages/sms/dynamic', { recipients: people, content: 'Voir', shorturl: unique })
  await pool`update recipients set state = 8, read_at = now(), clicked_at = now() where message_id = ${both}`
  await pool`update recipients set state = 1, channel = 'sms' where message_id = ${single}`
  await pool`update recipients set state = 1 where message_id = ${sms}`

  const { body: held } = await account.expect(200).get(`/contacts/by-number/${number}`)
  const [first, second, third] = held.messages
  assert.deepEqual([first.message_id, first.channel, first.content], [both, 'rcs', 'Salut Martin'])
  assert.ok(first.read_at && first.clicked_at)
  assert.equal(second.channel, 'sms')
  assert.match(second.content, /^Cher Martin http/)
  assert.deepEqual([third.channel, third.read_at, third.clicked_at], ['sms', null, null])

  const { body: erased } = await account.expect(200).delete(`/contacts/by-number/${number}`)
  assert.deepEqual([erased.messages, erased.messages_under_way], [3, 0])
  const shown = async (id: number) =>
    (await account.expect(200).get(`/messages/${id}/recipients/rcs`)).body.items.map(
      ({ recipient, content }: Record<string, unknown>) => [recipient, content]
    )
  assert.deepEqual(await shown(both), [
    ['', ''],
    [other, 'Salut Durand']
  ])
  assert.deepEqual(await shown(single), [['', '']])
  const message = (await account.expect(200).get(`/messages/${single}`)).body
  assert.deepEqual([message.content, message.shorturl_url], ['', ''])
  const links = await pool`select message_id, url from short_links order by message_id`
  assert.deepEqual(
    links.map(({ messageId, url }) => [messageId, url]),
    [
      [both, 'https://shop.example/?n=Durand'],
      [sms, 'https://shop.example/?n=Durand']
    ]
  )
  const tables = await pool<{ text: string }[]>`
    select to_jsonb(recipients)::text as text from recipients
    union all select to_jsonb(messages)::text from messages
    union all select to_jsonb(rcs_messages)::text from rcs_messages
    union all select to_jsonb(short_links)::text from short_links
  `
  assert.ok(!tables.some(({ text }) => text.includes('Martin')))
})

test('a link is erased whatever stands around it in the text', async (t) => {
  const { newAccount, pool } = await startService(t)
  const account = await newAccount({ credits: 100 })
  const [number, other] = ['+33639980001', '+33639980002']
  const recipients = [
    { recipient: number, nom: 'Martin' },
    { recipient: other, nom: 'Durand' }
  ]
  const shorturl = { mode: 'unique', url: 'https://shop.example/?n=#nom#' }
  const contents = [
    'Voir#SHORTURL#STOP au 36111',
    '(#SHORTURL#)',
    '#SHORTURL#/fr',
    'x/#SHORTURL#2026 #SHORTURL#',
    '#SHORTURL##nom#'
  ]
  for (const content of contents)
    await account.expect(200).post('/messages/sms/dynamic', { recipients, content, shorturl })
  await pool`update recipients set state = 1`
  await account.expect(200).delete(`/contacts/by-number/${number}`)
  assert.deepEqual(
    (await pool<{ url: string }[]>`select url from short_links`).map(({ url }) => url),
    contents.map(() => 'https://shop.example/?n=Durand')
  )
})

interface EventSeen {
  type: string
  data: Record<string, unknown>
}

/** All recorded events: the feed shows them when no transaction, in any database of the server, is still writing. */
const recorded = async ({ pool }: TestService, { id }: TestAccount): Promise<EventSeen[]> =>
  pool`select type, record as data from events where account_id = ${id} order by id`

test('events of a number are exported and erased, events of messages under way once these have arrived', async (t) => {
  const service = await startService(t)
  const { newAccount, pool } = service
  const [account, stranger] = [await newAccount({ credits: 100 }), await newAccount({ credits: 100 })]
  const [number, other] = ['+33612000001', '+33612000002']
  for (const each of [account, stranger]) await each.expect(200).get('/events')
  const webhook = { type: 'sms_status', url: 'https://shop.example/hook' }
  await account.expect(200).put('/webhooks', { webhooks: [webhook] })
  const write = (text: string) => recordReply(pool, { carrier: 'main', from: number, to: 'Boutique', text })
  const over = await send(account, { recipients: [number], content: 'Cher Martin', sender: 'Boutique' })
  await take(pool, over)
  await end(pool, over)
  await write('Ici Martin')
  const underWay = await send(account, { recipients: [number], content: 'Bonjour Martin', sender: 'Boutique' })
  await take(pool, underWay)
  const both = await send(account, { recipients: [number, other], content: 'Pour tous', sender: 'Boutique' })
  await take(pool, both)
  await end(pool, both)
  const click = { recipient: '', url: 'https://shop.example/?n=Martin', timestamp: '2026-11-15T09:30:00.000Z' }
  for (const messageId of [over, both]) {
    await recordEvents(pool, [
      { accountId: account.id, type: 'clicks', record: { message_id: messageId, ...click } },
      { accountId: account.id, type: 'clicks', record: { message_id: messageId, ...click, recipient: number } }
    ])
  }
  await stranger.expect(200).post('/stops', { recipient: number })

  const { body: held } = await account.expect(200).get(`/contacts/by-number/${number}`)
  const kinds = held.events.map(({ type, data }: EventSeen) => [type, data.message_id])
  assert.deepEqual(kinds, [
    ['sms_status', over],
    ['sms_status', over],
    ['replies', over],
    ['sms_status', underWay],
    ['sms_status', both],
    ['sms_status', both],
    ['clicks', over],
    ['clicks', both]
  ])
  assert.equal(held.events[2].data.content, 'Ici Martin')

  const count = (await recorded(service, account)).length
  const { body: erased } = await account.expect(200).delete(`/contacts/by-number/${number}`)
  assert.deepEqual([erased.events, erased.messages, erased.messages_under_way], [8, 2, 1])
  const feed = await recorded(service, account)
  assert.equal(feed.length, count, 'that something happened stays')
  const isUnderWay = ({ data }: EventSeen) => data.message_id === underWay
  assert.ok(!JSON.stringify(feed.filter((event) => !isUnderWay(event))).includes(number))
  const ofOther = feed.filter(({ data }) => data.recipient === other)
  assert.deepEqual(
    ofOther.map(({ data }) => data.content),
    ['Pour tous', 'Pour tous']
  )
  const ofBoth = feed.filter(({ type, data }) => type === 'clicks' && data.message_id === both)
  assert.deepEqual(ofBoth.map(({ data }) => data.url).sort(), ['', click.url], 'the link of all is not theirs alone')

  await end(pool, underWay)
  assert.equal((await account.expect(200).get(`/contacts/by-number/${number}`)).body.events.length, 1)
  // The worker of the service may have looked already.
  await pool`update pending_erasures set next_look_at = now()`
  await finishErasures(pool)
  assert.deepEqual((await account.expect(200).get(`/contacts/by-number/${number}`)).body.events, [])
  const left = await pool<{ text: string }[]>`
    select record::text as text from events where account_id = ${account.id} and record ->> 'message_id' <> ${String(both)}
  `
  assert.ok(left.length > 5)
  assert.ok(!left.some(({ text }) => text.includes('Martin') || text.includes(number)))
  assert.equal((await readMessage(account, underWay)).content, '')
  const { body: foreign } = await stranger.expect(200).get(`/contacts/by-number/${number}`)
  assert.deepEqual(
    foreign.events.map(({ type }: EventSeen) => type),
    ['stops']
  )
})

test('the RCS capability of a number is exported and erased, but not by an account without data about it', async (t) => {
  const { newAccount, pool } = await startService(t)
  const [account, stranger] = [await newAccount(), await newAccount()]
  const [number, other] = ['+33612000001', '+33612000002']
  const { body: list } = await account.expect(200).post('/contactlists', { name: 'List' })
  await account.expect(200).post('/contacts', { contactlist_id: list.id, contacts: [{ tel: number }] })
  for (const carrier of ['rcs', 'agent', 'third']) {
    await upsertCapabilities(pool, { carrier, known: new Map([number, other].map((phone) => [phone, true])) })
  }
  const rcsOf = async (from: TestAccount) => (await from.expect(200).get(`/contacts/by-number/${number}`)).body.rcs
  assert.deepEqual(
    (await rcsOf(account)).map(({ carrier, is_capable }: Record<string, unknown>) => [carrier, is_capable]),
    [
      ['agent', true],
      ['rcs', true],
      ['third', true]
    ]
  )
  assert.deepEqual(await rcsOf(stranger), [])
  await stranger.expect(200).delete(`/contacts/by-number/${number}`)
  assert.equal((await pool`select from rcs_capabilities`).length, 6)
  await account.expect(200).delete(`/contacts/by-number/${number}`)
  const left = await pool<{ phone: string }[]>`select phone from rcs_capabilities`
  assert.deepEqual(
    left.map(({ phone }) => phone),
    [other, other, other]
  )
})

test('a number leaves a message that was being accepted while it was erased', async (t) => {
  const { newAccount, pool } = await startService(t)
  const account = await newAccount({ credits: 10 })
  const [number, other] = ['+33639980001', '+33639980002']
  const { id: list } = (await account.expect(200).post('/contactlists', { name: 'Clients' })).body
  const contacts = [{ tel: number, champ_nom: 'Martin' }, { tel: other }]
  await account.expect(200).post('/contacts', { contactlist_id: list, contacts })

  // The send has read the list and stored its people; it waits for its end.
  const batches = await holdTable(pool, 'batches')
  const fields = { contactlist: [list], content: 'Bonjour #nom#' }
  const sending = account.expect(200).post('/messages/sms/contactlist', fields)
  await untilWaiting(pool, 1)
  const { body: erased } = await account.expect(200).delete(`/contacts/by-number/${number}`)
  assert.deepEqual([erased.contacts, erased.messages, erased.messages_under_way], [1, 0, 0])
  await finishErasures(pool)
  await batches.release()
  const { message_id: id } = (await sending).body

  const look = async () => {
    await pool`update pending_erasures set next_look_at = now()`
    await finishErasures(pool)
  }
  await look()
  await take(pool, id)
  await end(pool, id)
  await look()
  assert.deepEqual((await account.expect(200).get(`/contacts/by-number/${number}`)).body.messages, [])
  const { items } = (await account.expect(200).get(`/messages/${id}/recipients/sms`)).body
  assert.deepEqual(
    items.map(({ recipient, content }: Record<string, unknown>) => [recipient, content]),
    [
      ['', ''],
      [other, 'Bonjour ']
    ]
  )
  assert.equal((await pool`select from pending_erasures`).length, 0)
})

test('a number that is erased anew is not looked at meanwhile, so nobody waits in a circle', async (t) => {
  const { operator, pool } = await startService(t)
  const number = '+33639980001'
  const { body: list } = await operator.expect(200).post('/contactlists', { name: 'List' })
  const addNumber = async () => {
    await operator.expect(200).post('/contacts', { contactlist_id: list.id, contacts: [{ tel: number }] })
    await upsertCapabilities(pool, { carrier: 'rcs', known: new Map([[number, true]]) })
  }
  const erase = () => operator.expect(200).delete(`/contacts/by-number/${number}`)
  await addNumber()
  await erase()
  await pool`update pending_erasures set next_look_at = now()`
  await addNumber()
  // The second erasure has locked what is known of the number. The number to look at comes last.
  const parked = await holdTable(pool, 'parked_receipts')
  const erasing = erase()
  await untilWaiting(pool, 1)
  const looking = finishErasures(pool).then(() => true)
  assert.ok(await Promise.race([looking, sleep(LOOK_MS, false, { ref: false })]), 'the look waits for the erasure')
  await parked.release()
  assert.equal((await erasing).body.contacts, 1)
  assert.equal((await pool`select from pending_erasures`).length, 1, 'the second one is looked at later')
})

test('numbers that can’t be erased yet take turns with numbers that can', async (t) => {
  const { operator, pool } = await startService(t)
  const waiting = Array.from({ length: 100 }, (_, index) => `+336120000${String(index).padStart(2, '0')}`)
  await send(operator, { recipients: waiting })
  const number = '+33613000000'
  const over = await send(operator, { recipients: [number] })
  await take(pool, over)
  await end(pool, over)
  await pool`
    insert into pending_erasures (account_id, phone, next_look_at)
    select ${operator.id}, phone, now() - interval '1 minute'
    from unnest(${waiting}::text[]) as given (phone)
  `
  await pool`insert into pending_erasures (account_id, phone) values (${operator.id}, ${number})`
  for (let look = 0; look < 2; look++) await finishErasures(pool)
  const pending = await pool<{ phone: string }[]>`select phone from pending_erasures order by phone`
  assert.deepEqual(
    pending.map(({ phone }) => phone),
    waiting
  )
  assert.equal((await pool`select from recipients where phone = ${number}`).length, 0)
  const [due] = await pool<[{ count: number }]>`
    select count(*) as count from pending_erasures where next_look_at <= now()
  `
  assert.equal(due.count, 0, 'each look puts off the next')
})

test('an erasure reaches answers of webhooks, and old reports of carriers', async (t) => {
  const { newAccount, pool } = await startService(t)
  const [account, stranger] = [await newAccount({ credits: 5 }), await newAccount()]
  const [number, other] = ['+33612000001', '+33612000002']
  const message = await send(account, { recipients: [number, other] })
  await take(pool, message)
  await end(pool, message)
  const record = (phone: string) => JSON.stringify({ message_id: message, recipient: phone, content: 'Bonjour' })
  for (const [id, phone] of [number, other].entries()) {
    await pool`
      insert into events (account_id, id, type, record)
      values (${account.id}, ${-1 - id}, 'sms_status', ${record(phone)}::text::jsonb)
    `
    await pool`
      insert into webhook_deliveries (account_id, id, webhook_id, event_id, type, url, event_ids, status, response)
      values (${account.id}, ${-1 - id}, 1, 'evt', 'sms_status', 'http://a', ${[-1 - id]}::bigint[], 'succeeded', ${`got ${phone}`})
    `
  }
  const receipt = { carrier: 'main', carrier_message_id: 'x', state: 'delivered', word: 'DELIVRD', error_code: '' }
  const parked = [
    { ...receipt, id: 1, source: '33612000001', destination: 'CHAPPE', next_try_at: null },
    { ...receipt, id: 2, source: '36111', destination: '0612000001', next_try_at: null },
    { ...receipt, id: 3, source: '33612000001', destination: '36111', next_try_at: new Date() },
    { ...receipt, id: 4, source: '33612000002', destination: '36111', next_try_at: null }
  ]
  for (const row of parked) await pool`insert into parked_receipts ${pool({ ...row, happened_at: new Date() })}`
  const body = JSON.stringify({ senderPhoneNumber: number, text: 'Hello' })
  await pool`insert into rbm_events ${pool({ carrier: 'rcs', event_id: 'e', is_report: false, body })}`
  const numbersOf = async () =>
    (await pool<{ source: string; destination: string }[]>`select * from parked_receipts order by id`).map(
      ({ source, destination }) => [source, destination]
    )
  const pendingCount = async () => (await pool`select from pending_erasures`).length

  await stranger.expect(200).delete(`/contacts/by-number/${number}`)
  assert.deepEqual((await numbersOf())[0], ['33612000001', 'CHAPPE'], 'a stranger erases nothing')
  await account.expect(200).delete(`/contacts/by-number/${number}`)
  assert.deepEqual(await numbersOf(), [
    ['', 'CHAPPE'],
    ['36111', ''],
    ['33612000001', '36111'],
    ['33612000002', '36111']
  ])
  const answers = await pool<{ response: string }[]>`select response from webhook_deliveries order by id desc`
  assert.deepEqual(
    answers.map(({ response }) => response),
    ['', `got ${other}`]
  )

  for (const done of [
    () => pool`update parked_receipts set next_try_at = null`,
    () => pool`update rbm_events set next_try_at = null, body = ''`
  ]) {
    assert.equal(await pendingCount(), 1, 'it is looked at again')
    await done()
    await pool`update pending_erasures set next_look_at = now()`
    await finishErasures(pool)
  }
  assert.equal(await pendingCount(), 0)
  assert.deepEqual((await numbersOf())[2], ['', '36111'])
})

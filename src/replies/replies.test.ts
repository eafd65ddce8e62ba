import { strict as assert } from 'node:assert'
import { startService, type TestService, test } from '../../test/service/service.ts'
import { deleteRepliesByPhone, insertReply, listRepliesByPhone } from './replies.store.ts'
import type { Reply } from './reply.ts'

const contents = (answer: { body: { items: { content: string }[] } }) => answer.body.items.map(({ content }) => content)

test('a reply is read as it came in', async (t) => {
  const { operator, pool } = await startService(t)
  const first = await reply(pool, operator.id, { messageId: 7, content: 'OK' })
  const second = await reply(pool, operator.id, {
    messageId: null,
    writtenTo: 'brand@rbm.goog',
    channel: 'rcs',
    content: 'STOP',
    isStop: true
  })
  const { body } = await operator.expect(200).get('/messages/replies')
  assert.deepEqual(body.items, [
    {
      id: second.id,
      message_id: null,
      recipient: '+33639980005',
      to: 'brand@rbm.goog',
      channel: 'rcs',
      content: 'STOP',
      is_stop: true,
      timestamp: second.createdAt.toISOString()
    },
    {
      id: first.id,
      message_id: 7,
      recipient: '+33639980005',
      to: '36111',
      channel: 'sms',
      content: 'OK',
      is_stop: false,
      timestamp: first.createdAt.toISOString()
    }
  ])
})

test('a conversation has the last reply of each phone, the last writer first, of the own account only', async (t) => {
  const { operator, newAccount, pool } = await startService(t)
  const account = await newAccount({ credits: 10 })
  const [lea, max, zoe] = ['+33639980001', '+33639980002', '+33639980003'] as const
  await account.expect(200).post('/stops', { recipient: max })
  const { body: sent } = await account.expect(200).post('/messages/sms', { recipients: [lea], content: 'Bonjour' })
  await account.expect(200).post('/messages/sms', { recipients: [lea, zoe], content: 'Later' })
  await pool`update recipients set sent_at = now() where message_id = ${sent.message_id}`
  await reply(pool, account.id, { messageId: null, phone: zoe, content: 'z1' })
  await reply(pool, account.id, { messageId: null, phone: lea, content: 'l1' })
  await reply(pool, account.id, { messageId: null, phone: max, content: 'm1' })
  const last = await reply(pool, account.id, { messageId: null, phone: lea, content: 'l2' })
  await reply(pool, operator.id, { messageId: null, phone: lea, content: 'to the operator' })
  const { body } = await account.expect(200).get('/conversations')
  assert.equal(body.meta.totalItems, 3)
  const [first, ...others] = body.items
  assert.deepEqual(
    [first.recipient, first.replies_count, first.last_reply.id, first.last_message_id, first.is_stopped],
    [lea, 2, last.id, sent.message_id, false]
  )
  assert.ok(first.last_message_at)
  assert.deepEqual(
    others.map((other: Record<string, unknown> & { last_reply: { content: string } }) => [
      other.recipient,
      other.replies_count,
      other.last_reply.content,
      other.last_message_id,
      other.is_stopped
    ]),
    [
      [max, 1, 'm1', null, true],
      [zoe, 1, 'z1', null, false]
    ]
  )
  const phonesOf = async (query: string) =>
    (await account.expect(200).get(`/conversations?${query}`)).body.items.map(
      ({ recipient }: { recipient: string }) => recipient
    )
  assert.deepEqual(await phonesOf('limit=2'), [lea, max])
  assert.deepEqual(await phonesOf('limit=2&page=2'), [zoe])
  assert.deepEqual(await phonesOf('limit=2&page=3'), [])
  assert.deepEqual((await operator.expect(200).get('/conversations')).body.meta.totalItems, 1)
})

test('replies are paged newest first, all of them or those to one message', async (t) => {
  const { operator, pool } = await startService(t)
  const empty = await operator.expect(200).get('/messages/replies')
  assert.deepEqual(empty.body, {
    items: [],
    meta: { itemCount: 0, totalItems: 0, itemsPerPage: 10, totalPages: 0, currentPage: 1 }
  })
  for (const [content, messageId] of [
    ['a', 7],
    ['b', null],
    ['c', 8],
    ['d', 7],
    ['e', 7]
  ] as const) {
    await reply(pool, operator.id, { messageId, content })
  }
  const last = await operator.expect(200).get('/messages/replies?limit=2&page=3')
  assert.deepEqual(contents(last), ['a'])
  assert.deepEqual(last.body.meta, { itemCount: 1, totalItems: 5, itemsPerPage: 2, totalPages: 3, currentPage: 3 })
  assert.deepEqual(contents(await operator.expect(200).get('/messages/replies?limit=2')), ['e', 'd'])
  assert.deepEqual(contents(await operator.expect(200).get('/messages/replies?limit=2&page=2')), ['c', 'b'])
  assert.deepEqual(contents(await operator.expect(200).get('/messages/replies?limit=2&page=4')), [])

  const toOne = await operator.expect(200).get('/messages/replies?message_id=7&limit=2&page=2')
  assert.deepEqual(contents(toOne), ['a'])
  assert.deepEqual(toOne.body.meta, { itemCount: 1, totalItems: 3, itemsPerPage: 2, totalPages: 2, currentPage: 2 })
  assert.deepEqual(contents(await operator.expect(200).get('/messages/replies?message_id=7')), ['e', 'd', 'a'])
  assert.deepEqual(contents(await operator.expect(200).get('/messages/replies?message_id=9007199254740991')), [])
})

test('a page or a message that can’t be is refused by the name of the field', async (t) => {
  const { operator, anonymous } = await startService(t)
  for (const [field, value] of [
    ['page', '0'],
    ['limit', '1001'],
    ['limit', 'x'],
    ['message_id', '0'],
    ['message_id', '-1'],
    ['message_id', '1.5'],
    ['message_id', 'abc'],
    ['message_id', '99999999999999999999'],
    ['message_id', '']
  ]) {
    const { body } = await operator.expect(400).get(`/messages/replies?${field}=${value}`)
    assert.equal(body.details[0].path, field, `${field}=${value}`)
  }
  await anonymous.expect(401).get('/messages/replies')
  await anonymous.expect(401).get('/messages/replies/extract')
})

test('a full extract streams every reply, as JSON and as CSV that no spreadsheet runs', async (t) => {
  const { operator, pool, url } = await startService(t)
  assert.deepEqual((await operator.expect(200).get('/messages/replies/extract')).body, [])
  await pool`
    insert into replies (account_id, id, message_id, phone, written_to, channel, content, is_stop)
    select ${operator.id}, nextval('reply_ids'), 7, '+336' || 10000000 + number, '36111', 'sms', 'OK', false
    from generate_series(1, 1499) as number
  `
  const newest = await reply(pool, operator.id, { messageId: null, content: '=cmd|calc, "now"\nplease' })
  const { body } = await operator.expect(200).get('/messages/replies/extract')
  const ids: number[] = body.map(({ id }: { id: number }) => id)
  assert.equal(new Set(ids).size, 1_500)
  assert.deepEqual(
    ids,
    ids.toSorted((a, b) => b - a)
  )
  assert.deepEqual(body[0], (await operator.expect(200).get('/messages/replies?limit=1')).body.items[0])

  const csv = await fetch(`${url}/messages/replies/extract`, {
    headers: { 'x-api-key': operator.apiKey, accept: 'text/csv' }
  })
  assert.equal(csv.headers.get('content-type'), 'text/csv; charset=utf-8')
  const lines = (await csv.text()).split('\r\n')
  assert.equal(lines[0], 'id,message_id,recipient,to,channel,content,is_stop,timestamp')
  const timestamp = newest.createdAt.toISOString()
  assert.equal(lines[1], `${newest.id},,+33639980005,36111,sms,"'=cmd|calc, ""now""\nplease",false,${timestamp}`)
  assert.equal(lines.length, 1_502)
})

test('another account’s replies can’t be read', async (t) => {
  const { newAccount, pool } = await startService(t)
  const [owner, stranger] = [await newAccount(), await newAccount()]
  const child = await owner.newSubAccount()
  await reply(pool, owner.id, { messageId: 7, content: 'OK' })
  for (const other of [stranger, child]) {
    assert.deepEqual((await other.expect(200).get('/messages/replies')).body.items, [])
    assert.deepEqual((await other.expect(200).get('/messages/replies?message_id=7')).body.items, [])
    assert.deepEqual((await other.expect(200).get('/messages/replies/extract')).body, [])
    assert.equal((await listRepliesByPhone(pool, { accountId: other.id, phone: '+33639980005' })).length, 0)
    assert.equal(await deleteRepliesByPhone(pool, { accountId: other.id, phone: '+33639980005' }), 0)
  }
  assert.deepEqual(contents(await owner.expect(200).get('/messages/replies')), ['OK'])
})

test('the replies of one person are found and erased by their number', async (t) => {
  const { operator, pool } = await startService(t)
  const key = { accountId: operator.id, phone: '+33639980001' }
  const first = await reply(pool, operator.id, { phone: key.phone, content: 'a' })
  await reply(pool, operator.id, { phone: '+33639980002', content: 'b' })
  const second = await reply(pool, operator.id, { phone: key.phone, content: 'c' })
  assert.deepEqual([...(await listRepliesByPhone(pool, key))], [first, second])
  assert.equal(await deleteRepliesByPhone(pool, key), 2)
  assert.equal(await deleteRepliesByPhone(pool, key), 0)
  assert.deepEqual(contents(await operator.expect(200).get('/messages/replies')), ['b'])
})

function reply(
  pool: TestService['pool'],
  accountId: number,
  given: Partial<Omit<Reply, 'id' | 'createdAt'>>
): Promise<Reply> {
  return insertReply(pool, {
    accountId,
    messageId: 7,
    phone: '+33639980005',
    writtenTo: '36111',
    channel: 'sms',
    content: 'OK',
    isStop: false,
    ...given
  })
}

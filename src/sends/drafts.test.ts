import { strict as assert } from 'node:assert'
import { assertLedgerHolds } from '../../test/checks/ledger.ts'
import { startService, type TestAccount, test } from '../../test/service/service.ts'
import { withoutNumber } from './draft.ts'
import { deleteOldDrafts } from './drafts.store.ts'

const LATER = new Date(Date.now() + 3_600_000).toISOString()
const [ANNA, BEN] = ['+33639980001', '+33639980002'] as const
const FIELDS = { content: 'Soldes', recipients: [ANNA, BEN], category: '', shorturl: { mode: 'unique', url: '' } }

const newDraft = async (account: TestAccount, fields: object = FIELDS): Promise<number> =>
  (await account.expect(200).post('/drafts', { name: ' Winter ', channel: 'sms', fields })).body.id

const totalOf = async (account: TestAccount, path: string): Promise<number> =>
  (await account.expect(200).get(path)).body.meta.totalItems

test('a draft is kept as it stands, listed by its last change, and changed only from the version that was read', async (t) => {
  const { newAccount, pool } = await startService(t)
  const [account, stranger] = [await newAccount(), await newAccount()]
  const [first, second] = [await newDraft(account), await newDraft(account, {})]
  const { body } = await account.expect(200).get(`/drafts/${first}`)
  assert.deepEqual([body.name, body.channel, body.version, body.fields], ['Winter', 'sms', 1, FIELDS])

  const change = { name: '', channel: 'rcs', fields: { data: { title: 'Bonjour' }, planted: 1 }, version: 1 }
  const { body: changed } = await account.expect(200).put(`/drafts/${first}`, change)
  assert.deepEqual([changed.version, changed.fields], [2, { data: { title: 'Bonjour' } }])
  const { body: conflict } = await account.expect(409).put(`/drafts/${first}`, change)
  assert.match(conflict.error, /version 2, and not 1/)
  const both = await Promise.all([1, 2].map(() => account.put(`/drafts/${first}`, { ...change, version: 2 })))
  assert.deepEqual(both.map(({ status }) => status).toSorted(), [200, 409])

  const { body: list } = await account.expect(200).get('/drafts?limit=1')
  assert.deepEqual([list.items[0].id, list.items[0].preview, list.meta.totalItems], [first, 'Bonjour', 2])
  assert.equal((await account.expect(200).get('/drafts?limit=1&page=2')).body.items[0].id, second)

  for (const fields of [{ content: 7 }, { recipients: 'x' }, { spread: [] }, { content: '\0' }, { tags: ['\ud800'] }]) {
    await account.expect(400).post('/drafts', { name: '', channel: 'sms', fields })
  }
  const { body: large } = await account
    .expect(400)
    .post('/drafts', { name: '', channel: 'sms', fields: { content: 'x'.repeat(2 * 1024 * 1024) } })
  assert.match(large.error, /2097152 is the most/)

  await stranger.expect(404).get(`/drafts/${first}`)
  await stranger.expect(404).put(`/drafts/${first}`, { ...change, version: 3 })
  await stranger.expect(404).delete(`/drafts/${first}`)
  await account.expect(200).delete(`/drafts/${first}`)
  await account.expect(404).delete(`/drafts/${first}`)

  await pool`
    insert into drafts (account_id, id, name, channel, fields)
    select ${account.id}, nextval('draft_ids'), '', 'sms', '{}' from generate_series(1, 98)
  `
  const together = await Promise.all(
    [1, 2].map(() => account.post('/drafts', { name: '', channel: 'sms', fields: {} }))
  )
  assert.deepEqual(together.map(({ status }) => status).toSorted(), [200, 409])
  await pool`update drafts set updated_at = now() - interval '31 days' where id = ${second}`
  assert.equal(await deleteOldDrafts(pool, { days: 30, limit: 10 }), 1)
})

test('a draft is sent once, however many send it, and stays when the send is refused', async (t) => {
  const { newAccount, pool } = await startService(t)
  const [account, stranger] = [await newAccount({ credits: 10 }), await newAccount({ credits: 10 })]
  const id = await newDraft(account)
  const send = { recipients: [ANNA], content: 'Soldes', scheduleAt: LATER, draft: id }
  await stranger.expect(404).post('/messages/sms', send)
  await account.expect(400).post('/messages/sms', { ...send, content: 'Soldes #nom#' })
  await account.expect(200).post('/messages/sms?resumeBefore=true', send)
  assert.equal(await totalOf(account, '/drafts'), 1)

  const sent = await Promise.all([1, 2, 3].map(() => account.post('/messages/sms', send)))
  assert.deepEqual(sent.map(({ status }) => status).toSorted(), [200, 404, 404])
  const refused = sent.find(({ status }) => status === 404)
  assert.match(refused?.body.error, /it was sent or deleted/)
  assert.deepEqual([await totalOf(account, '/drafts'), await totalOf(account, '/messages')], [0, 1])

  // Each way to send takes its draft: again with its key, in the place of another message, to a list, to a segment, as RCS.
  const keyed = { ...send, draft: await newDraft(account) }
  const first = await account.expect(200).post('/messages/sms', keyed, { 'idempotency-key': 'once' })
  assert.deepEqual(
    (await account.expect(200).post('/messages/sms', keyed, { 'idempotency-key': 'once' })).body,
    first.body
  )
  const replaces = first.body.message_id
  await account.expect(200).post('/messages/sms', { ...send, draft: await newDraft(account), replaces })
  const { id: list } = (await account.expect(200).post('/contactlists', { name: 'Clients' })).body
  await account.expect(200).post('/contacts', { contactlist_id: list, contacts: [{ tel: BEN }] })
  const rules = [{ type: 'list', op: 'in', list_id: list }]
  const { id: segment } = (await account.expect(200).post('/segments', { name: 'All', match: 'all', rules })).body
  const { recipients: _, ...words } = send
  const toList = { ...words, contactlist: [list], draft: await newDraft(account) }
  await account.expect(200).post('/messages/sms/contactlist', toList)
  const toSegment = { ...words, segments: [segment], draft: await newDraft(account) }
  await account.expect(200).post('/messages/sms/contactlist', toSegment)
  await account.expect(404).post('/messages/sms/contactlist', toSegment)
  assert.equal(await totalOf(account, '/drafts'), 0)
  const [departure] = await pool<{ request: object }[]>`select request from departures`
  assert.deepEqual(Object.keys(departure?.request ?? {}).toSorted(), ['content', 'segments'])
  const { body: form } = await account.expect(200).get(`/messages/${replaces}/form`)
  assert.equal(form.fields.draft, undefined)
  await assertLedgerHolds(pool)
})

test('an erased number leaves the drafts, however it was typed, and an open window does not bring it back', async (t) => {
  const { newAccount } = await startService(t)
  const account = await newAccount()
  const typed = { recipients: ['06 39 98 00 01', BEN], contacts: [{ recipient: `00${ANNA.slice(1)}`, nom: 'A' }] }
  const [id, other] = [await newDraft(account, typed), await newDraft(account, { recipients: [BEN] })]
  const { body: exported } = await account.expect(200).get(`/contacts/by-number/${ANNA}`)
  assert.deepEqual(exported.drafts, [{ draft_id: id, name: 'Winter' }])
  const { body: erased } = await account.expect(200).delete(`/contacts/by-number/${ANNA}`)
  assert.deepEqual([erased.drafts, erased.message], [1, 'The number was erased.'])
  assert.deepEqual((await account.expect(200).get(`/drafts/${id}`)).body.fields, { recipients: [BEN], contacts: [] })
  await account.expect(409).put(`/drafts/${id}`, { name: '', channel: 'sms', fields: typed, version: 1 })
  assert.equal((await account.expect(200).get(`/drafts/${other}`)).body.version, 1)
})

test('what stands in a draft in place of numbers neither breaks the erasure of one nor holds up others', async () => {
  const anna = { phone: ANNA, country: 'FR' }
  const odd = ['x', null, 7, {}, [], { recipient: { toString: 1, valueOf: 1 } }, [{ toString: 1 }], { recipient: null }]
  assert.equal(await withoutNumber({ recipients: odd, contacts: odd }, anna), undefined)

  // Each takes the library 50 µs or more: 2 MiB of them kept the process busy for eight seconds.
  const slow = Array.from({ length: 4_000 }, () => `0692 98 ${ANNA.slice(-4)}`)
  let turns = 0
  const timer = setInterval(() => turns++, 1)
  assert.equal(await withoutNumber({ recipients: slow }, anna), undefined)
  clearInterval(timer)
  assert.ok(turns > 1, `${turns} turns for others`)
})

import { strict as assert } from 'node:assert'
import { send } from '../../test/messages/sending.ts'
import { startService, test } from '../../test/service/service.ts'
import { insertReply } from '../replies/replies.store.ts'

const PHONE = '+33612345678'

interface Item {
  kind: string
  account_id: number
  account_name: string
  content: string
  way: string | null
  is_stop: boolean
  timeline: { step: string }[]
}

test('the operator sees every message, reply and STOP of a number over all accounts, newest first, page by page', async (t) => {
  const { operator, newAccount, pool } = await startService(t)
  const [one, other] = [await newAccount({ credits: 50 }), await newAccount({ credits: 50 })]
  const below = await one.newSubAccount({ credits: 5 })
  await other.expect(200).put('/users/me', { social_reason: 'Atelier' })
  const first = await send(one, { recipients: [PHONE, '+33612345679'], content: 'un' })
  await send(other, { recipients: [PHONE], content: 'deux' })
  await send(below, { recipients: [PHONE], content: 'trois' })
  await send(other, { recipients: ['+33612345679'], content: 'ailleurs' })
  const reply = { phone: PHONE, writtenTo: '36111', channel: 'sms', isStop: false } as const
  await insertReply(pool, { ...reply, accountId: one.id, messageId: first, content: 'merci' })
  await other.expect(200).post('/stops', { recipient: PHONE })
  await send(operator, { recipients: [PHONE], content: 'quatre' })

  const lookUp = async (fields: object) =>
    (await operator.expect(200).post('/accounts/by-number', { recipient: '06 12 34 56 78', ...fields })).body
  const all = await lookUp({})
  const told = (items: Item[]) => items.map(({ kind, account_id: id, content, way }) => [kind, id, content || way])
  const expected = [
    ['message', operator.id, 'quatre'],
    ['stop', other.id, 'manual'],
    ['reply', one.id, 'merci'],
    ['message', below.id, 'trois'],
    ['message', other.id, 'deux'],
    ['message', one.id, 'un']
  ]
  assert.deepEqual([all.recipient, all.is_stopped_for_all, all.next], [PHONE, false, null])
  assert.deepEqual(told(all.items), expected)
  assert.deepEqual(
    all.items[0].timeline.map(({ step }: { step: string }) => step),
    ['accepted']
  )
  assert.equal(all.items[1].account_name, 'Atelier')

  const paged: Item[] = []
  for (let before: string | undefined; ; ) {
    const { items, next } = await lookUp({ limit: 2, ...(before !== undefined && { before }) })
    assert.equal(items.length, 2)
    paged.push(...items)
    if (next === null) break
    before = next
  }
  assert.deepEqual(told(paged), expected, 'pages miss nothing and repeat nothing')

  await operator.expect(200).post('/stops/operator', { recipient: PHONE, reason: 'Court order' })
  assert.equal((await lookUp({ limit: 1 })).is_stopped_for_all, true)
  const unknown = (await operator.expect(200).post('/accounts/by-number', { recipient: '+33699999999' })).body
  assert.deepEqual([unknown.items, unknown.next], [[], null])
})

test('a look-up is in the trail of each account that it shows, without the number; nobody else may look', async (t) => {
  const { operator, newAccount, pool } = await startService(t)
  const [shown, hidden] = [await newAccount({ credits: 5 }), await newAccount({ credits: 5 })]
  await send(shown, { recipients: [PHONE] })
  await send(hidden, { recipients: ['+33612345679'] })
  const look = { recipient: PHONE }
  await shown.expect(403).post('/accounts/by-number', look)
  await operator.expect(400).post('/accounts/by-number', { recipient: 'nobody' })
  await operator.expect(400).post('/accounts/by-number', { ...look, before: 'x' })
  await operator.expect(400).post('/accounts/by-number', { ...look, before: '9999999999999999-1-1' })
  assert.equal((await pool`select from audit_entries where operation = 'lookUpNumber'`).length, 0)
  await operator.expect(200).post('/accounts/by-number', look)
  const entries = async (account: typeof shown) =>
    (await account.expect(200).get('/audit?operation=lookUpNumber')).body.items
  const [entry, ...others] = await entries(shown)
  assert.deepEqual([entry.account_id, entry.on_account_id, others], [operator.id, shown.id, []])
  assert.ok(!JSON.stringify(entry).includes('612345678'), 'a trail keeps no personal data')
  assert.equal((await entries(operator)).length, 1)
  assert.deepEqual(await entries(hidden), [])
})

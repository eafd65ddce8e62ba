import { strict as assert } from 'node:assert'
import { startService, test } from '../../test/service.ts'
import { listStopped } from '../stops/stops.store.ts'

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
  assert.deepEqual(erased, { success: true, message: 'The number was erased.', contacts: 2, stops: 1 })
  for (const id of lists.slice(0, 2)) {
    assert.equal((await operator.expect(200).get(`/contactlists/${id}`)).body.contacts_count, 1)
  }
  assert.equal((await stranger.expect(200).get(`/contactlists/${lists[2]}`)).body.contacts_count, 2)
  const { body: left } = await operator.expect(200).get('/contacts/by-number/0639980001')
  assert.deepEqual(left, { recipient: '+33639980001', contacts: [], is_stopped: true, stop: null })
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
  const hashes = await pool<{ phoneHash: Buffer }[]>`select phone_hash from erased_stops`
  assert.equal(hashes.length, 2)
  assert.ok(hashes[0] && hashes[1] && !hashes[0].phoneHash.equals(hashes[1].phoneHash), 'each account has its own key')

  const { body: stop } = await operator.expect(200).post('/stops', { recipient: phones[0] })
  await operator.expect(200).delete(`/stops/${stop.id}`)
  assert.deepEqual([...(await listStopped(pool, { accountId: operator.id, phones }))], [phones[1]])
  assert.deepEqual([...(await listStopped(pool, { accountId: stranger.id, phones }))], [phones[0]])
})

test('erasing and adding at once never leaves a list with a wrong count', async (t) => {
  const { operator, pool } = await startService(t)
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
      ...['0639980001', '0639980002', '0639980001'].map((number) =>
        operator.expect(200).delete(`/contacts/by-number/${number}`)
      )
    ])
  }
  const wrong = await pool`
    select id
    from contact_lists
    where contacts_count <> (select count(*) from contacts where list_id = contact_lists.id)
  `
  assert.equal(wrong.length, 0)
})

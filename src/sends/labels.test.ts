import { strict as assert } from 'node:assert'
import { eventually } from '../../test/checks/eventually.ts'
import { mobiles, readMessage } from '../../test/messages/sending.ts'
import { fileForm } from '../../test/service/file-form.ts'
import { startService, test } from '../../test/service/service.ts'

test('a message has a name and tags whichever way it is sent, and is found by them', async (t) => {
  const { newAccount } = await startService(t)
  const account = await newAccount({ credits: 1_000 })
  const { body: list } = await account.expect(200).post('/contactlists', { name: 'Clients' })
  const [phone] = mobiles(1)
  await account.expect(200).post('/contacts', { contactlist_id: list.id, contacts: [{ tel: phone }] })
  const labels = { name: ' Soldes d’hiver ', tags: ['soldes', ' hiver', 'soldes'] }
  const ways: [string, unknown][] = [
    ['/messages/sms', { recipients: [phone], content: 'Hi', ...labels }],
    ['/messages/sms', { recipients: mobiles(60), content: 'Hi', ...labels }],
    ['/messages/sms/dynamic', { recipients: [{ recipient: phone }], content: 'Hi', ...labels }],
    ['/messages/sms/contactlist', { contactlist: [list.id], content: 'Hi', ...labels }],
    ['/messages/rcs', { type: 'text', data: { text: 'Hi' }, contacts: [{ recipient: phone }], ...labels }],
    [
      '/messages/sms/file',
      fileForm(`tel\n${phone}\n`, { content: 'Hi', name: 'Soldes d’hiver', tags: '["soldes","hiver"]' })
    ]
  ]
  for (const [path, body] of ways) {
    const { message_id: id } = (await account.expect(200).post(path, body)).body
    const { name, tags } = await readMessage(account, id)
    assert.deepEqual([path, name, tags], [path, 'Soldes d’hiver', ['soldes', 'hiver']])
  }
  const plain = (await account.expect(200).post('/messages/sms', { recipients: [phone], content: 'Code' })).body
  const count = async (query: string) => (await account.expect(200).get(`/messages?${query}`)).body.meta.totalItems
  assert.deepEqual(
    [await count('tag=hiver'), await count('tag=hive'), await count('search=d%E2%80%99HIVER'), await count('')],
    [ways.length, 0, ways.length, ways.length + 1]
  )

  const path = `/messages/${plain.message_id}/labels`
  const named = (await account.expect(200).put(path, { name: 'Codes', tags: ['a'] })).body
  assert.deepEqual([named.name, named.tags, await count('tag=a')], ['Codes', ['a'], 1])
  const unnamed = (await account.expect(200).put(path, { name: null })).body
  assert.deepEqual([unnamed.name, unnamed.tags], [undefined, undefined])
  await eventually(async () => {
    const { body } = await account.expect(200).get('/audit?operation=labelMessage')
    assert.equal(body.items.length, 2)
  })
})

test('a bad name or tag is refused, and nothing is sent', async (t) => {
  const { newAccount } = await startService(t)
  const account = await newAccount({ credits: 10 })
  const bad: [unknown, string][] = [
    [{ name: '  ' }, 'name'],
    [{ name: 'x'.repeat(121) }, 'name'],
    [{ tags: ['ok', ' '] }, 'tags[1]'],
    [{ tags: ['x'.repeat(51)] }, 'tags[0]'],
    [{ tags: Array.from({ length: 21 }, (_, index) => `t${index}`) }, 'tags']
  ]
  for (const [labels, path] of bad) {
    const given = { recipients: mobiles(1), content: 'Hi', ...(labels as object) }
    const { body } = await account.expect(400).post('/messages/sms', given)
    assert.equal(body.errors?.[0]?.path ?? body.details?.[0]?.path, path, JSON.stringify(body))
  }
  assert.equal((await account.expect(200).get('/messages')).body.meta.totalItems, 0)
})

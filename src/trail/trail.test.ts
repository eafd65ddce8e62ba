import { strict as assert } from 'node:assert'
import type { TestAccount } from '../../test/service/service.ts'
import { startService, test } from '../../test/service/service.ts'

interface Item {
  id: number
  operation: string
  account_id: number
  on_account_id: number
  person_id: number | null
  person_name: string | null
  key_id: number | null
  key_name: string | null
  address: string | null
  object_kind: string | null
  object_id: string | null
  changes: { field: string; hidden: boolean; before: unknown; after: unknown }[]
}

async function read(account: TestAccount, query = ''): Promise<Item[]> {
  return (await account.expect(200).get(`/audit${query}`)).body.items
}

test('the trail tells who changed what, newest first, and never a secret or a content', async (t) => {
  const { newAccount, anonymous } = await startService(t)
  const account = await newAccount({ credits: 10 })
  const list = (await account.expect(200).post('/contactlists', { name: 'Clients' })).body
  await account.expect(200).put(`/contactlists/${list.id}`, { name: 'Clients 2026' })
  const { email, password } = account
  const { token } = (await anonymous.expect(200).post('/auth/login', { email, password })).body
  const person = anonymous.as({ authorization: `Bearer ${token}` }).expect(200)
  await person.put('/users/me', { first_name: 'Léa', settings: { hours_end: '19:00' } })
  const template = (await person.post('/models', { name: 'Rappel', content: 'Bonjour', sender: 'CHAPPE' })).body
  await person.put(`/models/${template.id}`, { name: 'Rappel', content: 'Un autre texte', sender: 'AUTRE' })
  await person.put('/users/me', { password: 'the next password', current_password: password })

  const items = await read(account)
  const done = 'changeMe updateSmsTemplate createSmsTemplate changeMe login updateContactList createContactList'
  assert.deepEqual(
    items.slice(0, 7).map(({ operation }) => operation),
    done.split(' ')
  )
  const [secret, updated, , settings, login, renamed] = items
  assert.deepEqual(secret?.changes, [{ field: 'password', hidden: true, before: null, after: null }])
  assert.deepEqual(updated?.changes, [
    { field: 'sender', hidden: false, before: 'CHAPPE', after: 'AUTRE' },
    { field: 'content', hidden: true, before: null, after: null }
  ])
  assert.deepEqual(
    settings?.changes.map(({ field }) => field),
    ['first_name', 'hours_end']
  )
  assert.equal(login?.person_name, 'Léa')
  assert.equal(login?.address, '127.0.0.1')
  assert.equal(login?.key_id, null)
  assert.deepEqual(renamed?.changes, [{ field: 'name', hidden: false, before: 'Clients', after: 'Clients 2026' }])
  assert.equal(renamed?.key_name, 'First key')
  assert.equal(renamed?.person_id, null)
  assert.deepEqual([renamed?.object_kind, renamed?.object_id], ['contact_list', String(list.id)])
})

test('the trail is read by pages and by filters, with or without sends', async (t) => {
  const { newAccount } = await startService(t)
  const account = await newAccount({ credits: 10 })
  for (let number = 0; number < 5; number++) await account.expect(200).post('/contactlists', { name: `List ${number}` })
  const send = { recipients: ['0639980001'], content: 'Bonjour' }
  const { message_id: sent } = (await account.expect(200).post('/messages/sms', send)).body
  const all = await read(account)
  const paged: Item[] = []
  for (let before: number | null = Number.MAX_SAFE_INTEGER; before !== null; ) {
    const { body } = await account.expect(200).get(`/audit?limit=2&before=${before}`)
    paged.push(...body.items)
    before = body.next
  }
  assert.deepEqual(paged, all)
  const [newest] = all
  assert.deepEqual([newest?.operation, newest?.object_id], ['sendSms', String(sent)])
  assert.deepEqual(await read(account, '?sends=false'), all.slice(1))
  assert.deepEqual(await read(account, `?object_kind=message&object_id=${sent}`), all.slice(0, 1))
  assert.equal((await read(account, '?operation=createContactList')).length, 5)
  assert.deepEqual(
    await read(account, `?key=${newest?.key_id}`),
    all.filter(({ key_id }) => key_id === newest?.key_id)
  )
  assert.deepEqual(await read(account, '?person=999999'), [])
  assert.deepEqual(await read(account, '?from=9999-01-01T00:00:00Z'), [])
  assert.deepEqual(await read(account, '?from=2021-01-01T00:00:00Z&to=2131-01-01T00:00:00Z'), all)
  await account.expect(400).get('/audit?from=yesterday')
  await account.expect(400).get('/audit?from=2026-12-31T23:59:60Z')

  const { body: rows } = await account.expect(200).get('/audit/extract')
  assert.deepEqual(rows, all)
  const csv = await account.expect(200).get('/audit/extract?operation=createContactList', { accept: 'text/csv' })
  assert.equal(csv.text.trim().split('\r\n').length, 6)
})

test('an act on a sub-account is in both trails, and the account below does not learn who works above', async (t) => {
  const { newAccount, operator } = await startService(t)
  const parent = await newAccount({ credits: 10 })
  const child = await parent.newSubAccount({ credits: 5 })
  const stranger = await newAccount()
  await child.expect(200).post('/contactlists', { name: 'Of the child' })
  await operator.expect(200).put(`/accounts/${child.id}/credits`, { credits: 3 })

  const [adjusted, , added, made] = await read(child)
  assert.equal(adjusted?.operation, 'adjustAccountCredits')
  assert.deepEqual([adjusted?.account_id, adjusted?.on_account_id], [operator.id, child.id])
  assert.deepEqual(adjusted?.changes, [{ field: 'credits_sms', hidden: false, before: 5, after: 8 }])
  assert.equal(added?.operation, 'addSubAccountCredits')
  assert.equal(made?.operation, 'createSubAccount')
  for (const entry of [adjusted, added, made]) {
    assert.deepEqual([entry?.key_id, entry?.key_name, entry?.address], [null, null, null])
  }
  const ofParent = await read(parent)
  const same = ofParent.find(({ id }) => id === added?.id)
  assert.equal(same?.address, '127.0.0.1')
  assert.ok(same?.key_id)
  assert.ok(!ofParent.some(({ operation }) => operation === 'createContactList'))

  const below = await read(parent, `?account=${child.id}`)
  assert.equal(below.length, 4)
  assert.equal(below[0]?.address, null, 'the operator is above the parent')
  assert.equal(below[1]?.address, '127.0.0.1')
  assert.deepEqual(
    (await read(operator, `?account=${child.id}`)).map(({ id }) => id),
    below.map(({ id }) => id)
  )
  const everywhere = await read(operator, '?all=true&limit=1000')
  for (const { id } of [...below, ...ofParent]) assert.ok(everywhere.some((entry) => entry.id === id))

  for (const asker of [child, stranger, parent]) {
    for (const path of ['/audit', '/audit/extract']) {
      await asker.expect(403).get(`${path}?all=true`)
      await asker.expect(404).get(`${path}?account=${operator.id}`)
    }
  }
  for (const path of ['/audit', '/audit/extract']) {
    await stranger.expect(404).get(`${path}?account=${child.id}`)
    await child.expect(404).get(`${path}?account=${parent.id}`)
  }
})

import { strict as assert } from 'node:assert'
import { eventually } from '../../test/checks/eventually.ts'
import { untilWaiting } from '../../test/database/waiting.ts'
import { fileForm } from '../../test/service/file-form.ts'
import { startService, type TestAccount, test } from '../../test/service/service.ts'
import { openContactsOfLists, readOpenedContacts } from './contact-cursors.store.ts'
import { upsertContacts } from './contacts.store.ts'

const EMPTY = {
  champ_nom: '',
  champ_prenom: '',
  champ_mail: '',
  champ_adresse: '',
  champ_cp: '',
  champ_date: '',
  champ_ville: '',
  ...Object.fromEntries(Array.from({ length: 10 }, (_, index) => [`champ_perso${index + 1}`, '']))
}

async function newList(account: TestAccount, name = 'Clients'): Promise<number> {
  return (await account.expect(200).post('/contactlists', { name })).body.id
}

const add = (account: TestAccount, contactlist_id: number, contacts: unknown[]) =>
  account.expect(200).post('/contacts', { contactlist_id, contacts })

async function countOf(account: TestAccount, list: number): Promise<number> {
  return (await account.expect(200).get(`/contactlists/${list}`)).body.contacts_count
}

const [ANNA, BEN] = ['+33639980001', '+33639980002']

test('lists are made, renamed, searched and read', async (t) => {
  const { operator } = await startService(t)
  const { body: lyon } = await operator.expect(200).post('/contactlists', { name: 'Clients de Lyon' })
  assert.deepEqual(lyon, {
    id: lyon.id,
    name: 'Clients de Lyon',
    contacts_count: 0,
    rcsCapabilityStatus: 'unknown',
    created_at: lyon.created_at
  })
  const { body: paris } = await operator.expect(200).post('/contactlists', { name: 'Été à Paris' })
  assert.deepEqual((await operator.expect(200).get('/contactlists')).body, [paris, lyon])
  assert.deepEqual((await operator.expect(200).get('/contactlists?search=LYON')).body, [lyon])
  assert.deepEqual((await operator.expect(200).get('/contactlists?search=%C3%A9T%C3%A9')).body, [paris])
  assert.deepEqual((await operator.expect(200).get('/contactlists?search=100%25')).body, [])
  const renamed = await operator.expect(200).put(`/contactlists/${lyon.id}`, { name: 'Lyon' })
  assert.deepEqual(renamed.body, { ...lyon, name: 'Lyon' })
  assert.deepEqual((await operator.expect(200).get(`/contactlists/${lyon.id}`)).body, renamed.body)
  for (const name of ['', 'x'.repeat(256)]) await operator.expect(400).post('/contactlists', { name })
})

test('contacts are added with all their fields, as JSON and as a form', async (t) => {
  const { operator } = await startService(t)
  const list = await newList(operator)
  const fields = Object.fromEntries(Object.keys(EMPTY).map((name) => [name, `${name} é`]))
  const { body } = await add(operator, list, [{ tel: '06 39 98 00 01', ...fields }, { tel: '+33639980002' }])
  assert.deepEqual(body, {
    success: true,
    message: '2 contacts added, 0 updated, 0 repeated, 0 invalid.',
    added: 2,
    updated: 0,
    duplicates: 0,
    invalid: 0,
    not_mobile: 0,
    errors: []
  })
  const form = `contactlist_id=${list}&contacts[0][tel]=0639980003&contacts[0][champ_nom]=L%C3%A9a&contacts[1][tel]=0639980004`
  const posted = await operator
    .expect(200)
    .post('/contacts', form, { 'content-type': 'application/x-www-form-urlencoded' })
  assert.equal(posted.body.added, 2)

  const { body: page } = await operator.expect(200).get(`/contactlists/${list}/contacts`)
  const byTel = new Map(page.items.map((item: { tel: string }) => [item.tel, item]))
  const first = byTel.get('+33639980001') as { id: number }
  assert.deepEqual(first, { id: first.id, tel: '+33639980001', ...fields })
  const bare = byTel.get('+33639980002') as { id: number }
  assert.deepEqual(bare, { id: bare.id, tel: '+33639980002', ...EMPTY })
  assert.deepEqual((await operator.expect(200).get(`/contacts/${first.id}`)).body, { ...first, contactlist_id: list })
  assert.equal(await countOf(operator, list), 4)
})

test('a number that the list has is updated and keeps fields that are not given; repeats and bad numbers are counted', async (t) => {
  const { operator } = await startService(t)
  const list = await newList(operator)
  await add(operator, list, [{ tel: '0639980001', champ_nom: 'Martin', champ_ville: 'Lyon' }])
  const { body } = await add(operator, list, [
    { tel: '+33 6 39 98 00 01', champ_nom: 'Durand' },
    { tel: '06.39.98.00.01', champ_nom: 'ignored' },
    { tel: '0639980002' },
    { tel: 'nonsense' },
    { tel: '' },
    { champ_nom: 'no number' },
    { tel: '0142681234', champ_nom: 'a fixed line may be a contact' },
    { tel: 612345678 },
    { tel: null },
    { tel: ['0639980003'] },
    { tel: '6'.repeat(300) }
  ])
  assert.deepEqual(
    { ...body, message: undefined },
    {
      success: true,
      message: undefined,
      added: 2,
      updated: 1,
      duplicates: 1,
      invalid: 7,
      not_mobile: 1,
      errors: [
        { line: 2, value: '06.39.98.00.01', reason: 'repeated' },
        { line: 4, value: 'nonsense', reason: 'not a phone number' },
        { line: 5, value: '', reason: 'no number' },
        { line: 6, value: '', reason: 'no number' },
        { line: 8, value: '612345678', reason: 'not a phone number' },
        { line: 9, value: '', reason: 'no number' },
        { line: 10, value: '["0639980003"]', reason: 'not a phone number' },
        { line: 11, value: '6'.repeat(255), reason: 'not a phone number' }
      ]
    }
  )
  const { body: page } = await operator.expect(200).get(`/contactlists/${list}/contacts?search=durand`)
  assert.equal(page.items[0].champ_ville, 'Lyon')
  assert.equal(page.items[0].champ_nom, 'Durand')
  await add(operator, list, [{ tel: '0639980001', champ_ville: '' }])
  const { body: emptied } = await operator.expect(200).get(`/contacts/${page.items[0].id}`)
  assert.equal(emptied.champ_ville, '', 'an empty field that is given is given')
  assert.equal(await countOf(operator, list), 3)
})

test('people are found by a part of their name, number or mail, each once, in all lists of the account', async (t) => {
  const { operator, newAccount } = await startService(t)
  const [first, second, gone] = [await newList(operator), await newList(operator), await newList(operator)]
  await add(operator, first, [
    { tel: '0639980001', champ_nom: 'Martin', champ_prenom: 'Léa', champ_mail: 'lea@shop.example' },
    { tel: '0639980002', champ_nom: 'Durand' },
    { tel: '0639980003' }
  ])
  await add(operator, second, [{ tel: '0639980001', champ_nom: 'Martin-Petit', champ_prenom: 'Léa' }])
  await add(operator, gone, [{ tel: '0639980004', champ_nom: 'Martin' }])
  await operator.expect(200).delete(`/contactlists/${gone}`)
  const find = async (search: string, more = ''): Promise<Record<string, string>[]> =>
    (await operator.expect(200).get(`/contacts?search=${encodeURIComponent(search)}${more}`)).body
  const lea = { recipient: '+33639980001', champ_nom: 'Martin-Petit', champ_prenom: 'Léa' }
  assert.deepEqual(await find('léa mART'), [lea])
  assert.deepEqual((await find('shop.ex'))[0]?.recipient, '+33639980001')
  const phones = async (search: string, more?: string) => (await find(search, more)).map(({ recipient }) => recipient)
  assert.deepEqual(await phones('06 39 98 00'), ['+33639980001', '+33639980003', '+33639980002'])
  assert.deepEqual(await phones('+3363998', '&limit=2'), ['+33639980001', '+33639980003'])
  assert.deepEqual(await find('%%'), [])
  assert.deepEqual((await find('')).length, 3)
  for (const limit of [0, 1001]) await operator.expect(400).get(`/contacts?search=martin&limit=${limit}`)
  const stranger = await newAccount()
  assert.deepEqual((await stranger.expect(200).get('/contacts?search=martin')).body, [])
})

test('a call where nothing is valid is still a 200 that says so, and only the first 100 errors are named', async (t) => {
  const { operator } = await startService(t)
  const list = await newList(operator)
  const { body } = await add(
    operator,
    list,
    Array.from({ length: 150 }, () => ({ tel: 'x' }))
  )
  assert.deepEqual([body.added, body.invalid, body.errors.length], [0, 150, 100])
  await operator.expect(400).post('/contacts', { contactlist_id: list, contacts: [] })
  await operator.expect(404).post('/contacts', { contactlist_id: 999999, contacts: [{ tel: '0639980001' }] })
})

test('100,000 contacts fit in one call', async (t) => {
  const { operator } = await startService(t)
  const list = await newList(operator)
  const contacts = Array.from({ length: 100_000 }, (_, index) => ({
    tel: `+336${10_000_000 + index}`,
    champ_nom: `N${index}`
  }))
  assert.equal((await add(operator, list, contacts)).body.added, 100_000)
  assert.equal((await add(operator, list, contacts.slice(0, 5_000))).body.updated, 5_000)
  assert.equal(await countOf(operator, list), 100_000)
  await operator.expect(400).post('/contacts', { contactlist_id: list, contacts: [...contacts, { tel: '0639980001' }] })

  const first = (await operator.expect(200).get(`/contactlists/${list}/contacts?limit=1000`)).body
  const last = (await operator.expect(200).get(`/contactlists/${list}/contacts?limit=1000&page=100`)).body
  assert.deepEqual([first.items.length, last.items.length, last.meta.totalPages], [1000, 1000, 100])
  assert.ok(last.items.at(-1).id < last.items[0].id && last.items[0].id < first.items.at(-1).id, 'newest first')
  const middle = (await operator.expect(200).get(`/contactlists/${list}/contacts?limit=1000&page=50`)).body
  assert.equal(middle.items.length, 1000)
})

test('writers on one list at once neither lose nor double a contact, nor the count', async (t) => {
  const { operator } = await startService(t)
  const list = await newList(operator)
  const batch = (from: number) =>
    Array.from({ length: 300 }, (_, index) => ({ tel: `+336${20_000_000 + from + index}` }))
  const answers = await Promise.all([0, 100, 200, 100, 0, 50].map((from) => add(operator, list, batch(from).reverse())))
  const added = answers.reduce((sum, { body }) => sum + body.added, 0)
  assert.equal(added, 500)
  assert.equal(await countOf(operator, list), 500)
})

test('search finds names, mails and numbers in any notation', async (t) => {
  const { operator } = await startService(t)
  const list = await newList(operator)
  await add(operator, list, [
    { tel: '0639980001', champ_nom: 'MARTIN', champ_prenom: 'Léa', champ_mail: 'lea@boutique.example' },
    { tel: '0639980002', champ_nom: 'Durand', champ_prenom: 'Zoé' },
    { tel: '0745678901', champ_nom: '50%_off' }
  ])
  const find = async (search: string) => {
    const { body } = await operator
      .expect(200)
      .get(`/contactlists/${list}/contacts?search=${encodeURIComponent(search)}`)
    assert.equal(body.meta.totalItems, body.items.length)
    return body.items.map((item: { tel: string }) => item.tel)
  }
  assert.deepEqual(await find('martin'), ['+33639980001'])
  assert.deepEqual(await find('LÉA mar'), ['+33639980001'])
  assert.deepEqual(await find('Martin Léa'), ['+33639980001'])
  assert.deepEqual(await find('@BOUTIQUE'), ['+33639980001'])
  assert.deepEqual(await find('06 39 98'), ['+33639980002', '+33639980001'])
  for (const text of ['+33745678901', '+33 (0)7 45 67', '07/45/67', '\u202a+33 7 45\u202c', '07\u201145\u201167']) {
    assert.deepEqual(await find(text), ['+33745678901'], text)
  }
  assert.deepEqual(await find('50%_'), ['+33745678901'])
  assert.deepEqual(await find('%'), ['+33745678901'])
  assert.deepEqual(await find('nobody'), [])
})

test('a contact is changed in part, and not to a number that the list has', async (t) => {
  const { operator } = await startService(t)
  const list = await newList(operator)
  await add(operator, list, [{ tel: '0639980001', champ_nom: 'Martin' }, { tel: '0639980002' }])
  const { body: page } = await operator.expect(200).get(`/contactlists/${list}/contacts?search=martin`)
  const { id } = page.items[0]
  const { body } = await operator.expect(200).put(`/contacts/${id}`, { champ_prenom: 'Léa', tel: '06 39 98 00 09' })
  assert.deepEqual([body.tel, body.champ_nom, body.champ_prenom], ['+33639980009', 'Martin', 'Léa'])
  assert.deepEqual((await operator.expect(200).put(`/contacts/${id}`, {})).body, body)
  const conflict = await operator.expect(409).put(`/contacts/${id}`, { tel: '0639980002' })
  assert.equal(conflict.body.code, 'state_conflict')
  await operator.expect(400).put(`/contacts/${id}`, { tel: 'x' })
  await operator.expect(400).put(`/contacts/${id}`, { champ_nom: 'x'.repeat(1001) })
  assert.deepEqual((await operator.expect(200).get(`/contacts/${id}`)).body, body)
})

test('a contact is deleted once, and its list counts it out', async (t) => {
  const { operator } = await startService(t)
  const list = await newList(operator)
  await add(operator, list, [{ tel: '0639980001' }, { tel: '0639980002' }])
  const { body: page } = await operator.expect(200).get(`/contactlists/${list}/contacts`)
  const path = `/contacts/${page.items[0].id}`
  const answers = await Promise.all(Array.from({ length: 5 }, () => operator.delete(path)))
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 404, 404, 404, 404])
  await operator.expect(404).get(path)
  assert.equal(await countOf(operator, list), 1)
})

test('a list goes with its contacts, at once if small and out of sight at once if large', async (t) => {
  const { operator, pool } = await startService(t)
  const small = await newList(operator)
  await add(operator, small, [{ tel: '0639980001' }])
  const { body: page } = await operator.expect(200).get(`/contactlists/${small}/contacts`)
  const { body } = await operator.expect(200).delete(`/contactlists/${small}`)
  assert.equal(body.success, true)
  await operator.expect(404).get(`/contacts/${page.items[0].id}`)

  const large = await newList(operator)
  const contacts = Array.from({ length: 12_000 }, (_, index) => ({ tel: `+336${10_000_000 + index}` }))
  await add(operator, large, contacts)
  const { body: before } = await operator.expect(200).get(`/contactlists/${large}/contacts`)
  await operator.expect(200).delete(`/contactlists/${large}`)
  await operator.expect(404).delete(`/contactlists/${large}`)
  await operator.expect(404).get(`/contactlists/${large}`)
  await operator.expect(404).get(`/contactlists/${large}/contacts`)
  await operator.expect(404).get(`/contactlists/${large}/contacts-extract`)
  await operator.expect(404).get(`/contacts/${before.items[0].id}`)
  await operator.expect(404).put(`/contacts/${before.items[0].id}`, { champ_nom: 'x' })
  await operator.expect(404).delete(`/contacts/${before.items[0].id}`)
  await operator.expect(404).post('/contacts', { contactlist_id: large, contacts: [{ tel: '0639980001' }] })
  assert.deepEqual((await operator.expect(200).get('/contactlists')).body, [])
  await eventually(
    async () => {
      const [row] =
        await pool`select (select count(*) from contacts) as contacts, (select count(*) from contact_lists) as lists`
      assert.deepEqual({ ...row }, { contacts: 0, lists: 0 })
    },
    { withinMs: 20_000 }
  )
})

test('a list that is deleted during an addition is gone at once, and none of the added contacts stay', async (t) => {
  const { operator, pool } = await startService(t)
  const list = await newList(operator)
  await add(operator, list, [{ tel: '0639980002' }])
  const answers = await pool.begin(async (holder) => {
    // Two transactions that add are held in the middle; deletes do not wait for them.
    await holder`select id from contacts where account_id = ${operator.id} for update`
    const body = { contactlist_id: list, contacts: [{ tel: '0639980001' }, { tel: '0639980002' }] }
    const adding = [1, 2].map(() => operator.post('/contacts', body))
    await untilWaiting(pool, 2)
    await operator.expect(200).delete(`/contactlists/${list}`)
    await operator.expect(404).get(`/contactlists/${list}`)
    return adding
  })
  for (const answer of answers) assert.equal((await answer).status, 404)
  await eventually(async () => {
    const [row] =
      await pool`select (select count(*) from contacts) as contacts, (select count(*) from contact_lists) as lists`
    assert.deepEqual({ ...row }, { contacts: 0, lists: 0 })
  })
})

test('a change of a number gives way to an addition of it, and nothing deadlocks', async (t) => {
  const { operator, pool, logLines } = await startService(t)
  const list = await newList(operator)
  await add(operator, list, [{ tel: '0639980002' }, { tel: '0639980003' }])
  const [second, third] = await pool<[{ id: number }, { id: number }]>`select id from contacts order by phone`
  const key = { accountId: operator.id, listId: list }
  const changing = await pool.begin(async (adder) => {
    await upsertContacts(adder, { ...key, contacts: [{ phone: '+33639980001' }] })
    const changing = operator.put(`/contacts/${second.id}`, { tel: '0639980001' })
    await untilWaiting(pool, 1)
    await upsertContacts(adder, { ...key, contacts: [{ phone: '+33639980002' }] })
    return [changing]
  })
  // The number is in the list by now.
  for (const { status } of await Promise.all(changing)) assert.equal(status, 409)

  const swapped = await Promise.all([
    operator.put(`/contacts/${second.id}`, { tel: '0639980003' }),
    operator.put(`/contacts/${third.id}`, { tel: '0639980002' })
  ])
  assert.ok(swapped.every(({ status }) => status === 409))
  assert.ok(!logLines.some((line) => line.includes('40P01')))
})

test('an addition or an import that is chosen to give up in a deadlock is repeated', async (t) => {
  const { operator, pool } = await startService(t)
  for (const toRequest of [
    (list: number) => ['/contacts', { contactlist_id: list, contacts: [{ tel: ANNA }, { tel: BEN }] }],
    (list: number) => ['/contacts/file', fileForm(`${ANNA}\n${BEN}\n`, { contactlist_id: String(list) })]
  ] as const) {
    const list = await newList(operator)
    await add(operator, list, [{ tel: ANNA }])
    const [adding] = await pool.begin(async (holder) => {
      await holder`select id from contacts where account_id = ${operator.id} for update`
      const adding = operator.post(...(toRequest(list) as [string, object]))
      await untilWaiting(pool, 1)
      // On a cluster, the one that gives up is chosen by its age.
      const cancelled = await pool`
        select pg_cancel_backend(pid)
        from pg_stat_activity
        where datname = current_database()
          and state = 'active'
          and query like '%insert into contacts%'
          and pid <> pg_backend_pid()
      `
      assert.equal(cancelled.length, 1)
      return [adding]
    })
    const { status, body } = await adding
    assert.equal(status, 200)
    assert.deepEqual([body.added, body.updated, await countOf(operator, list)], [1, 1, 2])
  }
})

test('contacts that a send reads from a list stay, although the list is deleted meanwhile', async (t) => {
  const { operator, pool } = await startService(t)
  const list = await newList(operator)
  await add(operator, list, [{ tel: '0639980001' }, { tel: '0639980002', champ_nom: 'Martin' }])
  const wanted = { accountId: operator.id, listIds: [list], fields: ['lastName'] as const }
  const rows = await pool.begin(async (database) => {
    await openContactsOfLists(database, wanted)
    await operator.expect(200).delete(`/contactlists/${list}`)
    return (await Array.fromAsync(readOpenedContacts(database, wanted))).flat()
  })
  assert.deepEqual(rows, [
    ['+33639980001', ''],
    ['+33639980002', 'Martin']
  ])
})

test('a full extract streams every contact, as JSON and as CSV that no spreadsheet runs', async (t) => {
  const { operator, url } = await startService(t)
  const list = await newList(operator)
  assert.deepEqual((await operator.expect(200).get(`/contactlists/${list}/contacts-extract`)).body, [])
  const many = Array.from({ length: 4_500 }, (_, index) => ({ tel: `+336${10_000_000 + index}` }))
  await add(operator, list, many)
  await add(operator, list, [
    { tel: '0639980001', champ_nom: '=cmd|calc', champ_prenom: 'a "b", c\nd', champ_ville: '-1', champ_cp: '69001' }
  ])
  const { body } = await operator.expect(200).get(`/contactlists/${list}/contacts-extract`)
  assert.equal(body.length, 4_501)
  assert.equal(body[0].champ_nom, '=cmd|calc')
  assert.equal(new Set(body.map(({ tel }: { tel: string }) => tel)).size, 4_501)

  const csv = await fetch(`${url}/contactlists/${list}/contacts-extract`, {
    headers: { 'x-api-key': operator.apiKey, accept: 'text/csv' }
  })
  assert.equal(csv.headers.get('content-type'), 'text/csv; charset=utf-8')
  const lines = (await csv.text()).split('\r\n')
  assert.equal(lines[0], ['id', 'contactlist_id', 'tel', ...Object.keys(EMPTY)].join(','))
  assert.match(lines[1] ?? '', new RegExp(`^\\d+,${list},\\+33639980001,'=cmd\\|calc,"a ""b"", c\nd",,,69001,,'-1,`))
  assert.equal(lines.length, 4_503)
})

test('an extract is CSV if Accept names CSV, in any case, and does not prefer JSON; else it is JSON', async (t) => {
  const { operator } = await startService(t)
  const list = await newList(operator)
  for (const [accept, form] of [
    ['text/csv', 'text/csv'],
    ['TEXT/CSV', 'text/csv'],
    ['text/csv; charset=utf-8', 'text/csv'],
    ['text/csv;Q=0.5, */*;q=0.1', 'text/csv'],
    ['application/json, text/csv', 'text/csv'],
    ['application/json, text/csv;q=0.5', 'application/json'],
    ['*/*, text/csv;q=0', 'application/json'],
    ['application/json, text/plain, */*', 'application/json'],
    ['text/html', 'application/json'],
    ['application/xml, text/plain', 'application/json'],
    ['', 'application/json']
  ] as const) {
    const { headers } = await operator.expect(200).get(`/contactlists/${list}/contacts-extract`, { accept })
    assert.equal(headers.get('content-type'), `${form}; charset=utf-8`, accept)
  }
})

test('another account’s lists and contacts can’t be seen or changed', async (t) => {
  const { newAccount } = await startService(t)
  const [owner, stranger] = [await newAccount(), await newAccount()]
  const child = await owner.newSubAccount()
  const list = await newList(owner)
  await add(owner, list, [{ tel: '0639980001' }])
  const { body: page } = await owner.expect(200).get(`/contactlists/${list}/contacts`)
  const { id } = page.items[0]
  for (const other of [stranger, child]) {
    assert.deepEqual((await other.expect(200).get('/contactlists')).body, [])
    await other.expect(404).get(`/contactlists/${list}`)
    await other.expect(404).put(`/contactlists/${list}`, { name: 'mine' })
    await other.expect(404).delete(`/contactlists/${list}`)
    await other.expect(404).get(`/contactlists/${list}/contacts`)
    await other.expect(404).get(`/contactlists/${list}/contacts-extract`)
    await other.expect(404).post('/contacts', { contactlist_id: list, contacts: [{ tel: '0639980002' }] })
    await other.expect(404).get(`/contacts/${id}`)
    await other.expect(404).put(`/contacts/${id}`, { champ_nom: 'x' })
    await other.expect(404).delete(`/contacts/${id}`)
  }
  assert.equal(await countOf(owner, list), 1)
})

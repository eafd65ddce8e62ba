import { strict as assert } from 'node:assert'
import { connect } from 'node:net'
import { type ApiDocument, operationsOf, readDocument, type Schema } from '../fuzz/document.ts'
import { startService, type TestAccount, test } from '../service/service.ts'

/*
 * How clients in the field call us. None of them was written for us, and none of them can be changed: a shop's plug-in, an
 * automation tool's node, a bridge for notifications.
 */

test('clients that were written for others work unchanged', async (t) => {
  const service = await startService(t)
  const account = await service.newAccount({ credits: 1_000 })

  await t.test('a shop’s plug-in posts a form with brackets and empty fields, over HTTP/1.0', async () => {
    const form = [
      ['recipients[0]', '06 39 98 00 13'],
      ['recipients[1]', '+33639980014'],
      ['content', 'Commande n°12 expédiée'],
      ['sender', ''],
      ['external_id', ''],
      ['scheduleAt', ''],
      ['category', ''],
      ['model_id', ''],
      ['shorturl[mode]', ''],
      ['shorturl[url]', ''],
      ['resumeBefore', 'false']
    ]
    const misplaced = form.map(([name = '', value = '']) => [name, name === 'resumeBefore' ? 'true' : value])
    const refused = await askOldStyle(service.url, account, 'POST /messages/sms', misplaced)
    assert.deepEqual(refused.body.details, [
      { path: 'resumeBefore', message: 'belongs in the query: /messages/sms?resumeBefore=true' }
    ])
    for (const query of ['resume_before=true', 'resumeBefore[]=true', 'resumeBefore[0]=true', 'RESUMEBEFORE=1']) {
      const looked = await askOldStyle(service.url, account, `POST /messages/sms?${query}`, form)
      assert.deepEqual([looked.status, looked.body.credits_required], [200, 2], query)
    }
    const sent = await askOldStyle(service.url, account, 'POST /messages/sms', form)
    assert.deepEqual([sent.status, sent.body.recipients_count], [200, 2], sent.text)
    assert.match(sent.head, /^HTTP\/1\.\d 200 .*\r\nconnection: close\r\n/is)
    const { body: message } = await account.expect(200).get(`/messages/${sent.body.message_id}`)
    assert.deepEqual([message.external_id, message.shorturl_mode, message.category], [null, null, 'transactional'])

    const list = await askOldStyle(service.url, account, 'POST /contactlists', [['name', 'Clients']])
    const contact = [
      ['contactlist_id', String(list.body.id)],
      ['contacts[0][tel]', '0639980015'],
      ['contacts[0][champ_nom]', 'Roy'],
      ['contacts[0][champ_ville]', 'Lyon']
    ]
    assert.equal((await askOldStyle(service.url, account, 'POST /contacts', contact)).body.added, 1)
    // The customer's city is not known this time: what is stored stays.
    const again = contact.map(([name = '', value = '']) => [name, name.includes('ville') ? '' : value])
    assert.equal((await askOldStyle(service.url, account, 'POST /contacts', again)).body.updated, 1)
    const { body: page } = await account.expect(200).get(`/contactlists/${list.body.id}/contacts`)
    assert.deepEqual([page.items[0].champ_nom, page.items[0].champ_ville], ['Roy', 'Lyon'])
    // A change is another matter: an empty field clears it, and an empty number is absent.
    const cleared = await askOldStyle(service.url, account, `PUT /contacts/${page.items[0].id}`, [
      ['tel', ''],
      ['champ_ville', '']
    ])
    assert.deepEqual([cleared.body.tel, cleared.body.champ_nom, cleared.body.champ_ville], ['+33639980015', 'Roy', ''])
  })

  await t.test('an automation node posts null for all that is optional', async () => {
    const document = await readDocument(service.url)
    const { body: list } = await account.expect(200).post('/contactlists', { name: 'null' })
    await account.expect(200).post('/contacts', { contactlist_id: list.id, contacts: [{ tel: '0639980016' }] })
    for (const [route, body] of Object.entries(bodiesOf(list.id))) {
      const [method, path = ''] = route.split(' ')
      const complete = withNulls(schemaOf(document, route), body)
      const ask = method === 'PUT' ? account.put : account.post
      const { status, text } = await ask(path, complete)
      assert.equal(status, 200, `${route} ${JSON.stringify(complete)}: ${text}`)
    }
    const refused = await account.expect(400).post('/messages/sms', { recipients: ['0639980013'], content: null })
    assert.deepEqual(refused.body.details, [{ path: 'content', message: 'is missing' }])
  })

  await t.test('what the content does not use of a recipient is never a reason to refuse', async () => {
    const odd = `{"content": "Bonjour #prenom#", "recipients": [
      {"recipient": "+33639980017", "prenom": "Ana", "tags": ["a"], "address": {"city": {"zip": [1]}}, "vip": true,
        "note": "${'x'.repeat(5_000)}", "nul": "a\\u0000b", "half": "\\ud800", "a\\u0000": 1, "": 1, "__proto__": {"x": 1},
        "constructor": {"prototype": {"x": 1}}, "big": 1e400, "nothing": null},
      {"recipient": "+33639980018", "prenom": null}]}`
    const { body } = await account.expect(200).post('/messages/sms/dynamic', odd)
    assert.equal(body.recipients_count, 2)
    const { body: page } = await account.expect(200).get(`/messages/${body.message_id}/recipients/sms`)
    assert.deepEqual(
      page.items.map(({ content }: { content: string }) => content),
      ['Bonjour Ana', 'Bonjour ']
    )
    for (const [value, message] of [
      [{ a: 1 }, /^must be text or a number, such as /],
      [true, /^must be text or a number, such as /],
      ['x'.repeat(2_001), /^must have at most 2000 characters$/],
      ['a\0b', /U\+0000/]
    ] as const) {
      const recipients = [{ recipient: '+33639980017' }, { recipient: '+33639980018', Prénom: value }]
      const wrong = { content: 'Bonjour #prenom#', recipients }
      const { body: refused } = await account.expect(400).post('/messages/sms/dynamic', wrong)
      assert.equal(refused.details[0].path, 'recipients[1].Prénom')
      assert.match(refused.details[0].message, message)
    }
  })

  await t.test('a bridge for notifications posts to the older address, with a date and a time', async () => {
    const send = { message_type: 1, recipients: ['0639980013'], content: 'Disk full', sender: null, external_id: null }
    const day = new Date(Date.now() + 3 * 86_400_000).toISOString().slice(0, 10)
    const later = { ...send, scheduledate: day, scheduletime: '09:30:00', scheduleAt: null }
    const { body } = await account.expect(200).post('/messages', later)
    const { body: message } = await account.expect(200).get(`/messages/${body.message_id}`)
    assert.deepEqual([message.scheduledate, message.scheduletime, message.state], [day, '09:30:00', 'scheduled'])
    for (const nothing of [
      { scheduledate: null, scheduletime: null },
      { scheduledate: '', scheduletime: '' }
    ]) {
      const { body } = await account.expect(200).post('/messages', { ...send, ...nothing })
      const { body: message } = await account.expect(200).get(`/messages/${body.message_id}`)
      assert.equal(message.state, 'sending')
    }
    const form = { 'content-type': 'application/x-www-form-urlencoded' }
    const text = `message_type=1&recipients[]=0639980013&content=Disk+full&scheduledate=${day}&scheduletime=09%3A30&sender=`
    const posted = await account.expect(200).post('/messages', text, form)
    const { body: fromForm } = await account.expect(200).get(`/messages/${posted.body.message_id}`)
    assert.deepEqual([fromForm.scheduledate, fromForm.scheduletime], [day, '09:30:00'])
  })
})

/** What an automation node asks for most, as short as it can be. */
function bodiesOf(listId: number): Record<string, object> {
  const recipients = ['0639980013']
  const contacts = [{ recipient: '0639980013' }]
  return {
    'POST /messages/sms': { recipients, content: 'Bonjour' },
    'POST /messages': { recipients, content: 'Bonjour' },
    'POST /messages/sms/dynamic': { recipients: contacts, content: 'Bonjour' },
    'POST /messages/sms/contactlist': { contactlist: [listId], content: 'Bonjour' },
    'POST /messages/contactlist': { contactlist: [listId], content: 'Bonjour' },
    'POST /messages/rcs': { contacts, type: 'card', data: { title: 'Bonjour' }, fallback: { content: 'Bonjour' } },
    'POST /models': { name: 'Nuls', content: 'Bonjour', sender: '' },
    'POST /models/rcs': { name: 'Nuls', type: 'text', data: { text: 'Bonjour' } },
    'POST /contacts': { contactlist_id: listId, contacts: [{ tel: '0639980016' }] },
    'POST /subaccount': { email: 'nulls@test.example', password: 'long enough' },
    'PUT /users/me': { first_name: 'Ana', settings: {} },
    'PUT /webhooks': { webhooks: [{ type: 'replies', url: 'https://93.184.216.34/' }] }
  }
}

function schemaOf(document: ApiDocument, route: string): Schema {
  const found = operationsOf(document).find(({ method, path }) => `${method} ${path}` === route)
  assert.ok(found?.body, route)
  return found.body
}

/** A body with null for each optional property that it lacks, at any depth. */
function withNulls(schema: Schema, value: unknown): unknown {
  const branches = [schema, ...(schema.anyOf ?? [])]
  if (Array.isArray(value))
    return value.map((item) => withNulls(branches.find(({ items }) => items)?.items ?? {}, item))
  if (typeof value !== 'object' || value === null) return value
  const properties = Object.assign({}, ...branches.map(({ properties }) => properties)) as Record<string, Schema>
  const nulls = Object.fromEntries(Object.keys(properties).map((name) => [name, null]))
  const given = Object.entries(value).map(([name, item]) => [name, withNulls(properties[name] ?? {}, item)])
  return { ...nulls, ...Object.fromEntries(given) }
}

/** A form as an HTTP/1.0 client posts it: one request, and the connection ends with the answer. */
async function askOldStyle(url: string, { appId, apiKey }: TestAccount, route: string, fields: string[][]) {
  const { hostname, port } = new URL(url)
  const [method, path] = route.split(' ')
  const body = new URLSearchParams(fields).toString()
  const socket = connect(Number(port), hostname)
  socket.write(
    `${method} ${path} HTTP/1.0\r\nHost: ${hostname}\r\nX-APP-ID: ${appId}\r\nX-API-KEY: ${apiKey}\r\nConnection: close\r\n` +
      `Content-Type: application/x-www-form-urlencoded\r\nContent-Length: ${body.length}\r\n\r\n${body}`
  )
  const chunks: Buffer[] = []
  for await (const chunk of socket) chunks.push(chunk)
  const text = Buffer.concat(chunks).toString()
  const end = text.indexOf('\r\n\r\n')
  const [, status] = /^HTTP\/1\.\d (\d+)/.exec(text) ?? []
  return { status: Number(status), head: text.slice(0, end + 2), text, body: JSON.parse(text.slice(end + 4)) }
}

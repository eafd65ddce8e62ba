import { strict as assert } from 'node:assert'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { parseRows } from '../../packages/client/src/extracts.ts'
import {
  ChappeError,
  ConnectionError,
  createClient,
  dryRun,
  eventPages,
  events,
  extract,
  extractCsv,
  login,
  pages,
  send,
  sendSms,
  signWebhook,
  TimeoutError,
  verifyWebhook,
  WebhookError
} from '../../packages/client/src/index.ts'
import { writeClientTypes } from '../../scripts/api-types.ts'
import { newSecret, signedHeaders } from '../../src/webhooks/signature.ts'
import { eventually } from '../checks/eventually.ts'
import { startService } from '../service/service.ts'
import { startUnreliableProxy } from './unreliable-proxy.ts'

test('a send that a 503, a 429, a cut connection and half an answer get in the way of is done once', async (t) => {
  const { url, operator } = await startService(t)
  const proxy = await startUnreliableProxy(t, url)
  const chappe = createClient({ url: proxy.url, apiKey: operator.apiKey })
  const [before] = await chappe.call('GET /users/credits')

  const ids: number[] = []
  for (const fates of [
    ['busy', 'cut'],
    ['limited', 'half']
  ] as const) {
    proxy.keys.length = 0
    proxy.plan(...fates)
    const sent = await sendSms(chappe, { recipients: ['+33639980013'], content: 'Bonjour !' })
    assert.deepEqual([sent.success, sent.credits_used], [true, 1])
    assert.equal(proxy.keys.length, 3)
    assert.equal(new Set(proxy.keys).size, 1)
    assert.ok(proxy.keys[0])
    ids.unshift(sent.message_id)
  }

  const [after] = await chappe.call('GET /users/credits')
  assert.equal((before?.credits ?? 0) - (after?.credits ?? 0), 2)
  const history = await chappe.call('GET /messages')
  assert.deepEqual(
    history.items.map(({ id }) => id),
    ids
  )

  // Without retries both are errors, and one in time.
  proxy.plan('busy', 'cut', 'silent')
  const busy = await chappe.call('GET /users/me', {}, { retries: 0 }).catch((error) => error)
  assert.ok(busy instanceof ChappeError)
  assert.deepEqual([busy.status, busy.retryAfterSeconds], [503, 0])
  await assert.rejects(chappe.call('GET /users/me', {}, { retries: 0 }), ConnectionError)
  await assert.rejects(chappe.call('GET /users/me', {}, { retries: 0, timeoutMs: 20 }), TimeoutError)

  // Half of a page is asked for again; half of an extract is an error, since its first rows are told already.
  proxy.plan('half')
  assert.equal((await Array.fromAsync(pages(chappe, 'GET /messages', {}))).length, 2)
  proxy.plan('half')
  const path = { id: ids[0] ?? 0 }
  const cut = Array.fromAsync(extract(chappe, 'GET /messages/{id}/recipients/sms/extract', { path }))
  await assert.rejects(cut, ConnectionError)

  // A caller that gives up ends the call and its retries.
  proxy.plan('silent')
  const controller = new AbortController()
  const given = chappe.call('GET /users/me', {}, { signal: controller.signal })
  controller.abort(new Error('enough'))
  await assert.rejects(given, /enough/)
})

test('errors say what is wrong, pages, uploads, extracts and events are iterators', async (t) => {
  const { url, operator } = await startService(t)
  const { token } = await login({ url, email: operator.email, password: operator.password })
  const chappe = createClient({ url: `${url}/`, token })

  const refused = await sendSms(chappe, { recipients: ['+33639980013'], content: '' }).catch((error) => error)
  assert.ok(refused instanceof ChappeError)
  assert.deepEqual([refused.status, refused.code], [400, 'invalid_input'])
  assert.deepEqual(refused.details, [{ path: 'content', message: 'must not be empty' }])
  assert.match(refused.requestId, /^[0-9a-f-]{36}$/)
  const unknown = await createClient({ url, apiKey: 'nobody' })
    .call('GET /users/me')
    .catch((error) => error)
  assert.equal(unknown.code, 'unauthorized')

  const estimate = await dryRun(chappe, 'POST /messages/sms', { recipients: ['+33639980013'], content: 'Bonjour !' })
  assert.deepEqual([estimate.credits_required, estimate.credits_missing], [1, 0])

  const list = await chappe.call('POST /contactlists', { body: { name: 'Clients' } })
  const rows = ['tel;champ_prenom', '0639980021;Léa', '0639980022;"Max; ""]"', '0639980023;Zoé']
  const file = new File([rows.join('\n')], 'people.csv')
  const imported = await chappe.call('POST /contacts/file', { body: { contactlist_id: list.id, file } })
  assert.equal(imported.added, 3)

  const path = { id: list.id }
  const paged = await Array.fromAsync(pages(chappe, 'GET /contactlists/{id}/contacts', { path, query: { limit: 2 } }))
  const extracted = await Array.fromAsync(extract(chappe, 'GET /contactlists/{id}/contacts-extract', { path }))
  assert.deepEqual(paged.map(({ tel }) => tel).sort(), ['+33639980021', '+33639980022', '+33639980023'])
  assert.deepEqual(extracted.map(({ champ_prenom }) => champ_prenom).sort(), ['Léa', 'Max; "]', 'Zoé'].sort())
  const csv = await new Response(await extractCsv(chappe, 'GET /contactlists/{id}/contacts-extract', { path })).text()
  assert.match(csv, /^id,/)
  assert.equal(csv.trim().split('\n').length, 4)

  const sent = await send(chappe, 'POST /messages/sms/contactlist', { contactlist: [list.id], content: '#prenom#' })
  assert.equal(sent.recipients_count, 3)

  // The first call turns the recording of events on. What happened before the iterator waits is left out.
  await chappe.call('GET /events', { query: {} })
  await chappe.call('POST /stops', { body: { recipient: '+33639980021' } })
  await eventually(async () => {
    const { items } = await chappe.call('GET /events', { query: { types: 'stops' } })
    assert.equal(items.length, 1)
  })
  const waiting = Promise.withResolvers<void>()
  const watched = createClient({
    url,
    token,
    fetch(input, init) {
      if (String(input).includes('wait=20')) waiting.resolve()
      return fetch(input, init)
    }
  })
  const next = events(watched, { types: ['stops'], fromNow: true, waitSeconds: 20 }).next()
  await waiting.promise
  await chappe.call('POST /stops', { body: { recipient: '+33639980022' } })
  const { value: stop } = await next
  assert.ok(stop?.type === 'stops')
  assert.equal(stop.data.recipient, '+33639980022')
  for await (const page of eventPages(chappe, { types: ['stops'], waitSeconds: 0 })) {
    assert.deepEqual(page.items[1], stop)
    const following = eventPages(chappe, { after: page.next, waitSeconds: 20 }).next()
    await chappe.call('POST /stops', { body: { recipient: '+33639980023' } })
    const { value } = await following
    assert.deepEqual([page.items.length, value?.items.length], [2, 1])
    break
  }
})

test('rows are split wherever the chunks of an extract end', async () => {
  const rows = [{ a: 'x"]}\\' }, { a: [1, { b: '[' }] }, { a: 'é' }]
  const text = JSON.stringify(rows)
  for (let size = 1; size <= text.length; size++) {
    const chunks = (async function* () {
      for (let at = 0; at < text.length; at += size) yield text.slice(at, at + size)
    })()
    assert.deepEqual(
      (await Array.fromAsync(parseRows(chunks))).map((row) => JSON.parse(row)),
      rows
    )
  }
  const cut = (async function* () {
    yield '[{"a":1},{"a"'
  })()
  await assert.rejects(Array.fromAsync(parseRows(cut)), ConnectionError)
})

test('webhooks of the service are verified, forged and old ones are refused', async () => {
  const [secret, older] = [newSecret(), newSecret()]
  const body = JSON.stringify({ id: 'evt_1', type: 'stops', timestamp: '2026-11-15T09:30:00.000Z', data: [] })
  const headers = signedHeaders({ id: 'evt_1', timestamp: new Date(), body, secrets: [older, secret] })
  assert.equal((await verifyWebhook({ secret, headers, body })).type, 'stops')
  assert.equal((await verifyWebhook({ secret: [newSecret(), older], headers: new Headers(headers), body })).id, 'evt_1')
  // Our own signature satisfies a foreign implementation.
  new Webhook(secret).verify(body, await signWebhook({ secret, id: 'evt_1', body }))

  await assert.rejects(verifyWebhook({ secret: newSecret(), headers, body }), WebhookError)
  await assert.rejects(verifyWebhook({ secret, headers, body: `${body} ` }), WebhookError)
  await assert.rejects(verifyWebhook({ secret, headers: {}, body }), /not signed/)
  const old = signedHeaders({ id: 'evt_1', timestamp: new Date(Date.now() - 600_000), body, secrets: [secret] })
  await assert.rejects(verifyWebhook({ secret, headers: old, body }), /too old/)
})

test('the types of the client are those of the API', async () => {
  const written = await readFile(join(import.meta.dirname, '../../packages/client/src/api-types.ts'), 'utf8')
  // The formatter has been over the file: only what it says counts.
  const words = (text: string) => text.replaceAll(/[\s|()]+/g, '').replaceAll(/[;,]/g, '')
  assert.equal(words(written), words(writeClientTypes()), 'run `npm run client:types`')
})

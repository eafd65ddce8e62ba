import { strict as assert } from 'node:assert'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { createClient } from '@chappe/client'
import { serveHttp } from '@chappe/mcp'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { main } from '../../packages/client/src/cli/main.ts'
import { atEnd } from '../service/cleanup.ts'
import { startService, type TestAccount, test } from '../service/service.ts'

/* `chappe mcp`, asked by the SDK's own client over both transports. */

const TOKEN = 'a-token-of-the-tests-that-is-long-enough'
const SEND = { recipients: ['+33639980021'], content: 'Bonjour' }

async function keyOf(account: TestAccount, fields: object): Promise<string> {
  return (await account.expect(200).post('/keys', { name: 'Assistant', ...fields })).body.apikey
}

async function connect(t: TestContext, transport: object) {
  const client = new Client({ name: 'test', version: '1' })
  await client.connect(transport as Transport)
  atEnd(t, () => client.close())
  const use = async (name: string, parameters: object = {}) => {
    const { content, isError = false } = await client.callTool({ name, arguments: { ...parameters } })
    const [{ text } = { text: '' }] = content as { text: string }[]
    return { isError, text, body: text.startsWith('{') ? JSON.parse(text) : {} }
  }
  return { client, use }
}

async function overHttp(t: TestContext, serviceUrl: string, apiKey: string) {
  const server = await serveHttp(createClient({ url: serviceUrl, apiKey, retries: 0 }), {
    host: '127.0.0.1',
    port: 0,
    token: TOKEN
  })
  atEnd(t, () => server.close())
  const requestInit = { headers: { authorization: `Bearer ${TOKEN}` } }
  const transport = new StreamableHTTPClientTransport(new URL(server.url), { requestInit })
  return { server, ...(await connect(t, transport)) }
}

test('an assistant reads, drafts and dry-runs over stdio, and sends only what a dry run has shown', async (t) => {
  const { url, newAccount } = await startService(t)
  const account = await newAccount({ credits: 100 })
  const { body: list } = await account.expect(200).post('/contactlists', { name: 'Clients' })
  const contacts = [
    { tel: '+33639980021', champ_prenom: 'Léa' },
    { tel: '+33639980022', champ_prenom: 'Max' }
  ]
  await account.expect(200).post('/contacts', { contactlist_id: list.id, contacts })
  const apiKey = await keyOf(account, { scopes: ['read', 'send_confirmed'], credits_per_day: 2 })
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [join(import.meta.dirname, '../../packages/client/bin/chappe.ts'), 'mcp'],
    env: { CHAPPE_URL: url, CHAPPE_API_KEY: apiKey },
    stderr: 'ignore'
  })
  const { client, use } = await connect(t, transport)
  const { tools } = await client.listTools()
  assert.deepEqual(
    tools.map(({ name, annotations }) => [name, annotations?.readOnlyHint]),
    [
      ['read_figures', true],
      ['find_messages', true],
      ['read_message', true],
      ['find_people', true],
      ['list_contactlists', true],
      ['draft_message', false],
      ['dry_run', true],
      ['send', false]
    ]
  )

  const { body: people } = await use('find_people', { search: 'Léa' })
  assert.deepEqual(
    people.found.map(({ contacts }: { contacts: { tel: string }[] }) => contacts.map(({ tel }) => tel)),
    [['+33639980021']]
  )
  const { body: draft } = await use('draft_message', { name: 'Winter', ...SEND })
  assert.equal((await account.expect(200).get(`/drafts/${draft.id}`)).body.fields.content, 'Bonjour')

  // A send without, with a wrong, and with the confirmation of another send.
  assert.equal((await use('send', SEND)).isError, true)
  const { body: shown } = await use('dry_run', SEND)
  assert.deepEqual([shown.credits_required, shown.confirmation.credits_left_today], [1, 2])
  const confirmation = shown.confirmation.token
  const changed = await use('send', { ...SEND, content: 'Bonsoir', confirmation })
  assert.deepEqual([changed.isError, changed.body.code], [true, 'state_conflict'])
  assert.equal((await use('send', { ...SEND, confirmation: 'cnf_made-up' })).isError, true)
  assert.equal((await account.expect(200).get('/messages')).body.meta.totalItems, 0)

  const sent = await use('send', { ...SEND, confirmation })
  assert.deepEqual([sent.isError, sent.body.credits_used], [false, 1])
  const again = await use('send', { ...SEND, confirmation })
  assert.match(again.body.error, /was used/)
  const { body: found } = await use('find_messages', { search: 'Bonjour' })
  assert.deepEqual(
    found.items.map(({ id }: { id: number }) => id),
    [sent.body.message_id]
  )
  const { body: message } = await use('read_message', { id: sent.body.message_id })
  assert.equal(message.recipients.items[0].recipient, '+33639980021')
  assert.equal((await use('read_figures')).body.credits[0].credits, 99)
  const { body: wrong } = await use('dry_run', { recipients: ['nobody'], content: 'x' })
  assert.deepEqual([wrong.code, wrong.details[0].path], ['invalid_input', 'recipients'])

  // Another server with the same key, over HTTP: the limit of the day is one for both.
  const other = await overHttp(t, url, apiKey)
  const { body: wide } = await other.use('dry_run', { contactlist: [list.id], content: 'Bonjour' })
  assert.deepEqual([wide.credits_required, wide.confirmation.credits_left_today], [2, 1])
  const full = await other.use('send', {
    contactlist: [list.id],
    content: 'Bonjour',
    confirmation: wide.confirmation.token
  })
  assert.deepEqual([full.isError, full.body.code], [true, 'limit_reached'])
  const rcs = { channel: 'rcs', recipients: ['+33639980021'], type: 'text', data: { text: 'Bonjour' } }
  const { body: shownRcs } = await other.use('dry_run', rcs)
  assert.equal((await use('send', { ...rcs, confirmation: shownRcs.confirmation.token })).isError, false)
  assert.equal((await account.expect(200).get('/messages')).body.meta.totalItems, 2)
})

test('over HTTP pages, other names, strangers and large bodies are refused; keys without the scope can’t send', async (t) => {
  const { url, newAccount, pool } = await startService(t)
  const account = await newAccount({ credits: 100 })
  const reader = await overHttp(t, url, await keyOf(account, { scopes: ['read'] }))
  for (const name of ['dry_run', 'draft_message']) {
    assert.equal((await reader.use(name, SEND)).body.code, 'forbidden', name)
  }
  assert.equal((await reader.use('send', { ...SEND, confirmation: 'cnf_x' })).body.code, 'forbidden')
  assert.equal((await reader.use('find_messages')).isError, false)
  // With the whole permission no limit would hold, so this server does not send either.
  const whole = await overHttp(t, url, await keyOf(account, { scopes: ['read', 'send'] }))
  assert.match((await whole.use('send', { ...SEND, confirmation: 'cnf_x' })).body.error, /send_confirmed, and not send/)

  const assistant = await overHttp(t, url, await keyOf(account, { scopes: ['read', 'send_confirmed'] }))
  const { body: shown } = await assistant.use('dry_run', SEND)
  await pool`update confirmations set expires_at = now()`
  const expired = await assistant.use('send', { ...SEND, confirmation: shown.confirmation.token })
  assert.match(expired.body.error, /too old/)
  assert.equal((await account.expect(200).get('/messages')).body.meta.totalItems, 0)

  const ask = (headers: Record<string, string>, body = '{}', method = 'POST', path = '') =>
    new Promise<number | undefined>((resolve, reject) => {
      const asked = request(reader.server.url + path, { method, headers }, (response) => {
        response.resume()
        resolve(response.statusCode)
      })
      asked.once('error', reject)
      asked.end(body)
    })
  const authorization = `Bearer ${TOKEN}`
  assert.equal(await ask({}), 401)
  assert.equal(await ask({ authorization: 'Bearer wrong' }), 401)
  assert.equal(await ask({ authorization, host: 'evil.example' }), 403)
  assert.equal(await ask({ authorization, origin: 'https://evil.example' }), 403)
  assert.equal(await ask({ authorization }, '', 'GET'), 405)
  assert.equal(await ask({ authorization }, '{}', 'POST', '/other'), 404)
  const port = Number(new URL(reader.server.url).port)
  const bare = request({ port, path: '//', method: 'POST', headers: { authorization } }).end()
  const [noAddress] = (await once(bare, 'response')) as [IncomingMessage]
  assert.equal(noAddress.resume().statusCode, 404)
  const json = { authorization, 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
  assert.equal(await ask({ ...json, 'content-length': String(2 * 1024 * 1024) }, ' '.repeat(2 * 1024 * 1024)), 413)
})

test('a server for assistants is asked by its own address and by the names it was given, in any letters', async (t) => {
  const token = TOKEN
  const server = await serveHttp(createClient({ url: 'http://127.0.0.1:1', apiKey: 'none' }), {
    host: '::ffff:127.0.0.1',
    port: 0,
    token,
    hosts: ['MCP.Example']
  })
  atEnd(t, () => server.close())
  const authorization = `Bearer ${token}`
  for (const headers of [{}, { host: 'mcp.example' }, { host: 'MCP.EXAMPLE:443' }]) {
    const asked = request(server.url, { headers: { authorization, ...headers } }).end()
    const [response] = (await once(asked, 'response')) as [IncomingMessage]
    assert.equal(response.resume().statusCode, 405, JSON.stringify(headers))
  }
})

test('chappe mcp --http prints its address and token, and beyond this machine wants a token of one’s own', async (t) => {
  const { url, operator } = await startService(t)
  const controller = new AbortController()
  const run = async (argv: string[], env: Record<string, string> = {}) => {
    const printed = { out: '', err: '' }
    const code = await main(['mcp', ...argv], {
      env: { CHAPPE_URL: url, CHAPPE_API_KEY: operator.apiKey, ...env },
      out(text) {
        printed.out += text
        controller.abort()
      },
      err(text) {
        printed.err += text
      },
      ask: undefined,
      readInput: async () => '',
      isTerminal: false,
      signal: controller.signal
    })
    return { code, ...printed }
  }
  assert.equal((await run(['--http', '--host', '0.0.0.0'])).code, 2)
  assert.equal((await run(['--http'], { CHAPPE_MCP_TOKEN: 'short' })).code, 2)
  assert.equal((await run(['--http', '--port', 'x'])).code, 2)
  const { code, out, err } = await run(['--http', '--port', '0', '--json'])
  const shown = JSON.parse(out)
  assert.deepEqual([code, /^http:\/\/127\.0\.0\.1:\d+\/mcp$/.test(shown.url), shown.token.length], [0, true, 43])
  assert.match(err, /has the scope send/)
})

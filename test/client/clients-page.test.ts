import { strict as assert } from 'node:assert'
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { writeCollection } from '../../scripts/collection.ts'
import { atEnd } from '../service/cleanup.ts'
import { startService, test } from '../service/service.ts'

const root = join(import.meta.dirname, '../..')

/** The first block of a language after a heading. */
function blockOf(page: string, heading: string, language: string): string {
  const [, code] =
    new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, 's').exec(page.slice(page.indexOf(`\n## ${heading}\n`))) ?? []
  assert.ok(code, heading)
  return code
}

interface Ran {
  code: number | string
  output: string
}

function run(command: string, args: string[], env: Record<string, string>): Promise<Ran> {
  return new Promise((resolve) => {
    execFile(command, args, { env: { PATH: process.env.PATH, ...env }, timeout: 60_000 }, (error, stdout, stderr) =>
      resolve({ code: error ? ((error.code as number | string | undefined) ?? 'killed') : 0, output: stdout + stderr })
    )
  })
}

test('the first message of docs/clients.md leaves in each language that is installed, from n8n and from the collection', async (t) => {
  const { url, newAccount } = await startService(t)
  const account = await newAccount({ credits: 100 })
  const page = await readFile(join(root, 'docs/clients.md'), 'utf8')
  // Inside of the checkout, where programs find the client by its name.
  const folder = await mkdtemp(join(import.meta.dirname, '.made-'))
  atEnd(t, () => rm(folder, { recursive: true, force: true }))
  const env = { CHAPPE_URL: url, CHAPPE_API_KEY: account.apiKey }
  let sent = 0
  const isOneMore = async () => {
    const { body } = await account.expect(200).get('/messages')
    sent++
    assert.deepEqual([body.meta.totalItems, body.items[0].content], [sent, 'Bonjour !'])
  }

  const readme = await readFile(join(root, 'packages/client/README.md'), 'utf8')
  assert.ok(readme.includes(blockOf(page, 'TypeScript and JavaScript', 'ts')), 'both begin with the same lines')
  const languages = [
    { heading: 'curl', language: 'sh', file: 'first.sh', command: 'sh' },
    { heading: 'TypeScript and JavaScript', language: 'ts', file: 'first.mts', command: process.execPath },
    { heading: 'PHP', language: 'php', file: 'first.php', command: 'php' },
    { heading: 'Python', language: 'python', file: 'first.py', command: 'python3' }
  ]
  for (const { heading, language, file, command } of languages) {
    const program = join(folder, file)
    await writeFile(program, blockOf(page, heading, language).replace('http://127.0.0.1:3000', url))
    const { code, output } = await run(command, [program], env)
    // 127: the shell has no curl.
    if (code === 'ENOENT' || (command === 'sh' && code === 127)) {
      t.diagnostic(`${heading} is not installed here`)
      continue
    }
    assert.equal(code, 0, `${heading}: ${output}`)
    assert.match(output, /Message \d+ is accepted|"message_id":\d+/, heading)
    await isOneMore()
    const refused = await run(command, [program], { ...env, CHAPPE_API_KEY: 'wrong' })
    assert.match(refused.output, /credentials are missing or wrong/, heading)
  }

  const { nodes } = JSON.parse(blockOf(page, 'n8n', 'json'))
  const { method, url: address, authentication, genericAuthType, jsonBody, specifyBody } = nodes[0].parameters
  assert.deepEqual([authentication, genericAuthType, specifyBody], ['genericCredentialType', 'httpHeaderAuth', 'json'])
  // An expression of n8n begins with a sign and has values in braces.
  assert.ok(jsonBody.startsWith('='))
  const ask = () =>
    fetch(address.replace('http://127.0.0.1:3000', url), {
      method,
      headers: { 'X-API-KEY': account.apiKey, 'content-type': 'application/json' },
      body: jsonBody.slice(1).replace('{{ $execution.id }}', '231')
    })
  assert.equal((await ask()).status, 200)
  await isOneMore()
  assert.equal((await ask()).status, 409)

  const collection = JSON.parse(writeCollection()) as Collection
  const requests = collection.item.flatMap(({ item }) => item)
  const [send] = requests.filter(({ name }) => name === 'Send SMS, manual')
  assert.ok(send?.request.body?.raw)
  assert.ok(send.request.url.query?.every(({ disabled }) => disabled))
  const answer = await fetch(send.request.url.raw.replace('{{url}}', url), {
    method: send.request.method,
    headers: {
      ...Object.fromEntries((send.request.header ?? []).map(({ key, value }) => [key, value])),
      [collection.auth.apikey[0]?.value ?? '']: account.apiKey
    },
    body: send.request.body.raw
  })
  assert.equal(answer.status, 200, await answer.text())
  await isOneMore()
})

interface Collection {
  auth: { apikey: { value: string }[] }
  item: {
    name: string
    item: {
      name: string
      request: {
        method: string
        url: { raw: string; query?: { disabled?: boolean }[] }
        header?: { key: string; value: string }[]
        body?: { raw?: string }
      }
    }[]
  }[]
}

test('the collection of requests is that of the API', async () => {
  const written = await readFile(join(root, 'docs/examples/chappe.postman_collection.json'), 'utf8')
  assert.ok(written === writeCollection(), 'run `npm run docs:collection`')
})

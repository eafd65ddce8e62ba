import { strict as assert } from 'node:assert'
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { atEnd } from '../service/cleanup.ts'
import { startService } from '../service/service.ts'

/*
 * Foreign generators and a foreign linter read /openapi.json of a running service. What they make type-checks, and talks
 * to that service. They are packages of a workspace (`package.json` beside this file): they need the compiler API of
 * TypeScript 5, which the TypeScript of everything else does not have.
 */

const folder = import.meta.dirname
const ROOT = join(folder, '../..')
const here = createRequire(join(folder, 'package.json'))

/** By a text that the compiler does not see through: the types of these packages are for TypeScript 5. */
function load<Exports>(name: string): Promise<Exports> {
  return import(name) as Promise<Exports>
}

test('foreign generators make clients that type-check and send, and a linter finds nothing', async (t) => {
  const { url, operator } = await startService(t)
  const text = await (await fetch(`${url}/openapi.json`)).text()
  // Inside this folder, so that what is made finds the packages it imports.
  const made = await mkdtemp(join(folder, '.made-'))
  atEnd(t, () => rm(made, { recursive: true, force: true }))

  assert.deepEqual(await lint(text), [])
  await generateTypes(text, made)
  await generateSdk(text, made)
  await writeFile(join(made, 'use-types.ts'), USE_OF_TYPES)
  await writeFile(join(made, 'use-sdk.ts'), USE_OF_SDK)
  await typeCheck(made)

  for (const program of ['use-types.ts', 'use-sdk.ts']) {
    const { run } = (await import(pathToFileURL(join(made, program)).href)) as {
      run(url: string, apiKey: string): Promise<unknown>
    }
    assert.deepEqual(await run(url, operator.apiKey), {
      estimated: 1,
      recipients: ['+33639980013'],
      refused: ['invalid_input', 'recipients'],
      imported: 1
    })
  }
})

async function lint(source: string): Promise<string[]> {
  const core = here('@redocly/openapi-core') as {
    createConfig(config: object): Promise<object>
    lintFromString(parts: object): Promise<{ ruleId: string; message: string; location: { pointer?: string }[] }[]>
  }
  const config = await core.createConfig({ extends: ['recommended'] })
  const problems = await core.lintFromString({ source, absoluteRef: 'openapi.json', config })
  return problems.map(({ ruleId, message, location: [place] }) => `${ruleId}: ${message} at ${place?.pointer}`)
}

async function generateTypes(source: string, made: string): Promise<void> {
  const { default: openapiTypes, astToString } = await load<{
    default(document: unknown, options: object): Promise<unknown>
    astToString(tree: unknown): string
  }>('openapi-typescript')
  await writeFile(join(made, 'schema.ts'), astToString(await openapiTypes(JSON.parse(source), { silent: true })))
}

async function generateSdk(source: string, made: string): Promise<void> {
  const { createClient } = await load<{ createClient(options: object): Promise<unknown> }>('@hey-api/openapi-ts')
  await mkdir(join(made, 'sdk'))
  await createClient({
    input: JSON.parse(source),
    output: { path: join(made, 'sdk'), importFileExtension: '.ts' },
    logs: { level: 'silent', file: false },
    plugins: ['@hey-api/typescript', '@hey-api/sdk', '@hey-api/client-fetch']
  })
}

async function typeCheck(made: string): Promise<void> {
  const compilerOptions = {
    strict: true,
    noEmit: true,
    target: 'esnext',
    module: 'nodenext',
    lib: ['esnext', 'dom', 'dom.iterable'],
    types: [],
    skipLibCheck: true,
    allowImportingTsExtensions: true
  }
  await writeFile(join(made, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts', 'sdk'] }))
  const compiler = join(ROOT, 'node_modules/typescript/bin/tsc')
  await promisify(execFile)(process.execPath, [compiler, '-p', made]).catch(({ stdout }: { stdout: string }) => {
    assert.fail(stdout.slice(0, 5_000))
  })
}

/** With openapi-typescript and openapi-fetch. A line that must not type-check says so. */
const USE_OF_TYPES = `
import createClient from 'openapi-fetch'
import type { components, paths } from './schema.ts'

type Sms = components['schemas']['MessagesSimpleDto']
type Rcs = components['schemas']['MessagesRcsDto']
// @ts-expect-error neither content nor model_id
export const empty: Sms = { recipients: ['+33639980013'] }
// @ts-expect-error data of another type
export const mixed: Rcs = { contacts: [{ recipient: '1' }], type: 'text', data: { cards: [] } }
export const card: Rcs = { contacts: [{ recipient: '1', prenom: 'Max' }], type: 'card', data: { title: 'A' } }

export async function run(baseUrl: string, apiKey: string) {
  const client = createClient<paths>({ baseUrl, headers: { 'X-API-KEY': apiKey } })
  const body: Sms = { recipients: ['+33639980013'], content: 'Bonjour' }
  const estimate = await client.POST('/messages/sms', { body, params: { query: { resumeBefore: true } } })
  const sent = await client.POST('/messages/sms', { body, params: { header: { 'Idempotency-Key': 'types' } } })
  if (!sent.data || !('message_id' in sent.data) || !estimate.data || 'message_id' in estimate.data) return sent.error
  const { data } = await client.GET('/messages/{id}/recipients/sms', { params: { path: { id: sent.data.message_id } } })
  const { error } = await client.POST('/messages/sms', { body: { recipients: [], content: 'x' } })
  const [detail] = error?.details ?? []
  const list = await client.POST('/contactlists', { body: { name: 'types' } })
  const file = new File(['tel\\n0639980021'], 'people.csv')
  const imported = await client.POST('/contacts/file', {
    body: { contactlist_id: list.data?.id ?? 0, file: file as unknown as string },
    bodySerializer(body) {
      const form = new FormData()
      form.append('contactlist_id', String(body.contactlist_id))
      form.append('file', file)
      return form
    }
  })
  return {
    estimated: estimate.data.credits_required,
    recipients: data?.items.map(({ recipient }) => recipient),
    refused: [error?.code, detail && 'path' in detail ? detail.path : ''],
    imported: imported.data?.added
  }
}
`

/** With the client of @hey-api/openapi-ts. */
const USE_OF_SDK = `
import { createClient } from './sdk/client/index.ts'
import { createContactList, importContacts, pageSmsRecipients, sendSms } from './sdk/sdk.gen.ts'
import type { MessagesRcsDto, MessagesSimpleDto } from './sdk/types.gen.ts'

// @ts-expect-error neither content nor model_id
export const empty: MessagesSimpleDto = { recipients: ['+33639980013'] }
// @ts-expect-error data of another type
export const mixed: MessagesRcsDto = { contacts: [{ recipient: '1' }], type: 'text', data: { cards: [] } }

export async function run(baseUrl: string, apiKey: string) {
  const client = createClient({ baseUrl, headers: { 'X-API-KEY': apiKey } })
  const body: MessagesSimpleDto = { recipients: ['+33639980013'], content: 'Bonjour' }
  const estimate = await sendSms({ client, body, query: { resumeBefore: true } })
  const sent = await sendSms({ client, body, headers: { 'Idempotency-Key': 'sdk' } })
  if (!sent.data || !('message_id' in sent.data) || !estimate.data || 'message_id' in estimate.data) return sent.error
  const { data } = await pageSmsRecipients({ client, path: { id: sent.data.message_id } })
  const { error } = await sendSms({ client, body: { recipients: [], content: 'x' } })
  const [detail] = error?.details ?? []
  const list = await createContactList({ client, body: { name: 'sdk' } })
  const file = new File(['tel\\n0639980021'], 'people.csv')
  const imported = await importContacts({ client, body: { contactlist_id: list.data?.id ?? 0, file } })
  return {
    estimated: estimate.data.credits_required,
    recipients: data?.items.map(({ recipient }) => recipient),
    refused: [error?.code, detail && 'path' in detail ? detail.path : ''],
    imported: imported.data?.added
  }
}
`

import { describeApi } from '../src/http/openapi.ts'
import { EVENTS } from '../src/routes.ts'
import { listAllOperations } from './all-operations.ts'

/*
 * The operations as a collection of requests, written from the OpenAPI document. The form is that of Postman 2.1, which
 * Bruno, Insomnia and others import too.
 */

interface Described {
  operationId: string
  tags: string[]
  summary: string
  deprecated?: boolean
  security?: unknown[]
  parameters: { name: string; in: string; required?: boolean }[]
  requestBody?: { content: Record<string, { example?: unknown }> }
}

interface Item {
  name: string
  request: object
}

const SCHEMA = 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json'

/** One request a line, so that a change is a line of a diff. Aliases and what carriers call are left out. */
export function writeCollection(): string {
  const document = describeApi({
    operations: listAllOperations(),
    events: EVENTS,
    version: '',
    url: ''
  }) as unknown as {
    tags: { name: string }[]
    paths: Record<string, Record<string, Described>>
  }
  const folders = new Map<string, Item[]>(document.tags.map(({ name }) => [name, []]))
  for (const [path, methods] of Object.entries(document.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      const isOfCarriers = operation.security?.length === 0 && path.startsWith('/carriers/')
      if (operation.deprecated || isOfCarriers) continue
      folders.get(operation.tags[0] ?? '')?.push(toItem(path, method, operation))
    }
  }
  const lines = [...folders].map(
    ([name, items]) =>
      `    { "name": ${JSON.stringify(name)}, "item": [\n${items.map((item) => `      ${JSON.stringify(item)}`).join(',\n')}\n    ] }`
  )
  return `{
  "info": ${JSON.stringify({ name: 'Chappe', schema: SCHEMA })},
  "auth": ${JSON.stringify(AUTH)},
  "variable": ${JSON.stringify(VARIABLES)},
  "item": [
${lines.join(',\n')}
  ]
}
`
}

const AUTH = {
  type: 'apikey',
  apikey: [
    { key: 'key', value: 'X-API-KEY' },
    { key: 'value', value: '{{apiKey}}' },
    { key: 'in', value: 'header' }
  ]
}

const VARIABLES = [
  { key: 'url', value: 'http://127.0.0.1:3000' },
  { key: 'apiKey', value: '' }
]

function toItem(path: string, method: string, { summary, parameters, requestBody, security }: Described): Item {
  const content = requestBody?.content ?? {}
  const json = content['application/json']
  const form = content['multipart/form-data']
  return {
    name: summary,
    request: {
      method: method.toUpperCase(),
      url: toUrl(path, parameters),
      ...(json && {
        header: [{ key: 'Content-Type', value: 'application/json' }],
        body: { mode: 'raw', raw: JSON.stringify(json.example ?? {}) }
      }),
      ...(form && { body: { mode: 'formdata', formdata: toParts(form.example) } }),
      ...(security?.length === 0 && { auth: { type: 'noauth' } })
    }
  }
}

/** What an operation does not need is there, turned off. */
function toUrl(path: string, parameters: Described['parameters']): object {
  const named = (place: string) => parameters.filter((parameter) => parameter.in === place)
  const filled = path.replaceAll(/\{(\w+)\}/g, ':$1')
  const query = named('query').map(({ name, required }) => ({
    key: name,
    value: '',
    ...(!required && { disabled: true })
  }))
  return {
    raw: `{{url}}${filled}`,
    host: ['{{url}}'],
    path: filled.slice(1).split('/'),
    ...(query.length > 0 && { query }),
    ...(path.includes('{') && { variable: named('path').map(({ name }) => ({ key: name, value: '' })) })
  }
}

function toParts(example: unknown): object[] {
  return Object.entries((example ?? {}) as Record<string, unknown>).map(([key, value]) =>
    key === 'file'
      ? { key, type: 'file', src: [] }
      : { key, type: 'text', value: typeof value === 'object' ? JSON.stringify(value) : String(value) }
  )
}

import { describeApi } from '../src/http/openapi.ts'
import { EVENTS } from '../src/routes.ts'
import { listAllOperations } from './all-operations.ts'

/*
 * The API as types for the client and the console: one interface per schema of the OpenAPI document, and the operations.
 * Written by us: openapi-typescript needs the compiler API of TypeScript 5, which TypeScript 7 does not have.
 */

type Json = Record<string, unknown>

interface Parameter {
  name: string
  in: 'path' | 'query'
  required?: boolean
  schema: Json
}

interface Described {
  operationId: string
  parameters: Parameter[]
  requestBody?: { required?: boolean; content: Record<string, { schema: Json }> }
  responses: Record<string, { content: Record<string, { schema: Json }> }>
}

interface Document {
  paths: Record<string, Record<string, Described>>
  webhooks: Record<string, { post: { requestBody: { content: Record<string, { schema: Json }> } } }>
  components: { schemas: Record<string, Json> }
}

/** The console calls operations by their names. Their types are those of the client. */
export function writeConsoleTypes(): string {
  const { operations } = readApi()
  return [
    '// Written by `npm run console:types` from the operations; a test checks that it is current.',
    "import type { Routes } from '../../../packages/client/src/api-types.ts'",
    '',
    "export type { Schemas } from '../../../packages/client/src/api-types.ts'",
    '',
    'export const ROUTES = {',
    operations.map(({ route, operation }) => `  ${operation.operationId}: '${route}'`).join(',\n'),
    '} as const satisfies Record<string, keyof Routes>',
    '',
    'export type Operations = { [Name in keyof typeof ROUTES]: Routes[(typeof ROUTES)[Name]] }',
    ''
  ].join('\n')
}

/** Types for the client: it calls operations by method and path, so it needs no table of them. */
export function writeClientTypes(): string {
  const { schemas, operations, events } = readApi()
  return [
    '// Written by `npm run client:types` from the operations; a test checks that it is current.',
    '',
    ...schemas,
    '',
    'export interface Routes {',
    ...operations.map(({ route, operation }) => `  '${route}': ${operationType(operation)}`),
    '}',
    '',
    '/** The records of events, by their type. */',
    'export interface EventRecords {',
    ...events.map(([type, record]) => `  ${type}: ${typeOf(record)}`),
    '}',
    ''
  ].join('\n')
}

function readApi() {
  const document = describeApi({ operations: listAllOperations(), events: EVENTS, version: '', url: '' }) as unknown
  const { paths, webhooks, components } = document as Document
  return {
    schemas: [
      'export interface Schemas {',
      ...Object.entries(components.schemas).map(([name, schema]) => `  ${name}: ${typeOf(schema)}`),
      '}'
    ],
    operations: Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({ route: `${method.toUpperCase()} ${path}`, operation }))
    ),
    events: Object.keys(webhooks).map((type) => [type, recordOf(webhooks[type], components.schemas)] as const)
  }
}

function recordOf(webhook: Document['webhooks'][string] | undefined, schemas: Record<string, Json>): Json {
  const { $ref } = webhook?.post.requestBody.content['application/json']?.schema ?? {}
  const payload = schemas[String($ref).split('/').at(-1) ?? ''] as { properties: { data: { items: Json } } } | undefined
  return payload?.properties.data.items ?? {}
}

function operationType({ parameters, requestBody, responses }: Described): string {
  const named = (place: string) => parameters.filter((parameter) => parameter.in === place)
  const content = requestBody?.content ?? {}
  const body = content['application/json']?.schema ?? content['multipart/form-data']?.schema
  const answer = responses[200]?.content['application/json']?.schema ?? {}
  return `{ path: ${parametersType(named('path'))}; query: ${parametersType(named('query'))}; body: ${
    body ? typeOf(body) : 'undefined'
  }; answer: ${typeOf(answer)} }`
}

function parametersType(parameters: Parameter[]): string {
  if (parameters.length === 0) return 'unknown'
  const fields = parameters.map(
    ({ name, required, schema }) => `${name}${required ? '' : '?'}: ${typeOf(schema)}${required ? '' : ' | undefined'}`
  )
  return `{ ${fields.join('; ')} }`
}

function typeOf(schema: Json): string {
  if (typeof schema.$ref === 'string') return `Schemas['${schema.$ref.split('/').at(-1)}']`
  if (schema.const !== undefined) return literal(schema.const)
  if (Array.isArray(schema.enum)) return schema.enum.map(literal).join(' | ')
  const combined = combinedType(schema)
  if (combined) return schema.properties ? `(${objectType(schema)} & ${combined})` : combined
  if (Array.isArray(schema.type)) return schema.type.map((type) => typeOf({ ...schema, type })).join(' | ')
  switch (schema.type) {
    case 'string':
      return schema.contentMediaType === undefined ? 'string' : 'Blob'
    case 'integer':
    case 'number':
      return 'number'
    case 'boolean':
      return 'boolean'
    case 'null':
      return 'null'
    case 'array':
      return arrayOf(typeOf((schema.items ?? {}) as Json))
    case 'object':
      return objectType(schema)
    default:
      return 'unknown'
  }
}

function combinedType(schema: Json): string | undefined {
  for (const [keyword, sign] of [
    ['anyOf', ' | '],
    ['oneOf', ' | '],
    ['allOf', ' & ']
  ] as const) {
    if (Array.isArray(schema[keyword])) return `(${schema[keyword].map((each) => typeOf(each as Json)).join(sign)})`
  }
  return undefined
}

function objectType(schema: Json): string {
  const properties = Object.entries((schema.properties ?? {}) as Record<string, Json>)
  const required = new Set((schema.required ?? []) as string[])
  const fields = properties.map(([name, property]) => {
    const key = /^\w+$/.test(name) ? name : `'${name}'`
    return `${key}${required.has(name) ? '' : '?'}: ${typeOf(property)}${required.has(name) ? '' : ' | undefined'}`
  })
  const patterns = Object.values((schema.patternProperties ?? {}) as Record<string, Json>)
  const { additionalProperties } = schema
  const rest = patterns[0] ?? (additionalProperties === true ? {} : additionalProperties || undefined)
  if (properties.length === 0) return rest ? `Record<string, ${typeOf(rest as Json)}>` : 'Record<string, unknown>'
  return `{ ${fields.join('; ')} }${rest ? ' & Record<string, unknown>' : ''}`
}

const literal = (value: unknown): string => (typeof value === 'string' ? `'${value}'` : JSON.stringify(value))

const arrayOf = (item: string): string => (/[|&]/.test(item) ? `(${item})[]` : `${item}[]`)

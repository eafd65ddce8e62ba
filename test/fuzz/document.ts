import { inline } from '../service/api-client.ts'

/** What the fuzz reads of a schema; there is more in it, which it does not need. */
export interface Schema {
  type?: string | string[]
  enum?: unknown[]
  const?: unknown
  anyOf?: Schema[]
  oneOf?: Schema[]
  items?: Schema
  properties?: Record<string, Schema>
  required?: string[]
  additionalProperties?: Schema | boolean
  patternProperties?: Record<string, Schema>
  minLength?: number
  maxLength?: number
  minimum?: number
  maximum?: number
  minItems?: number
  maxItems?: number
  format?: string
  pattern?: string
}

export interface Described {
  id: string
  method: string
  path: string
  /** Names in the path. */
  places: string[]
  query: Record<string, Schema>
  /** Undefined when it takes no body. */
  body: Schema | undefined
  takesFile: boolean
  takesKey: boolean
  isOpen: boolean
}

export interface ApiDocument {
  paths: Record<string, Record<string, DocumentedOperation>>
  components: { schemas: Record<string, object> }
}

interface DocumentedOperation {
  operationId: string
  security?: unknown[]
  parameters: { name: string; in: string; schema: Schema }[]
  requestBody?: { content: Record<string, { schema: object }> }
  responses: Record<string, { content?: Record<string, { schema: object }> }>
}

export async function readDocument(url: string): Promise<ApiDocument> {
  return (await (await fetch(`${url}/openapi.json`)).json()) as ApiDocument
}

export function operationsOf(document: ApiDocument): Described[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => describe(document, path, method, operation))
  )
}

function describe(document: ApiDocument, path: string, method: string, operation: DocumentedOperation): Described {
  const content = operation.requestBody?.content ?? {}
  const body = (content['application/json'] ?? content['multipart/form-data'])?.schema
  const inQuery = operation.parameters.filter((parameter) => parameter.in === 'query')
  return {
    id: operation.operationId,
    method: method.toUpperCase(),
    path,
    places: [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name),
    query: Object.fromEntries(inQuery.map(({ name, schema }) => [name, schema])),
    body: body && (inline(body, document) as Schema),
    takesFile: 'multipart/form-data' in content,
    takesKey: operation.parameters.some(({ name }) => name === 'Idempotency-Key'),
    isOpen: operation.security?.length === 0
  }
}

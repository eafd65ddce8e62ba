/*
 * What /openapi.json says about every operation: its place, and every name by which a request can tell it something. Tests
 * are made from it, so that an operation or a field that nobody thought about fails them.
 */

export interface Described {
  id: string
  method: 'get' | 'post' | 'put' | 'delete'
  path: string
  /** `path id`, `query page`, `header Last-Event-ID`, `body contactlist`; what stands deeper in a body by its own name. */
  inputs: Set<string>
  isMultipart: boolean
  isOpen: boolean
  /** What the reference shows as a body. */
  example: Record<string, unknown> | undefined
}

interface Schema {
  $ref?: string
  properties?: Record<string, Schema>
  items?: Schema
  anyOf?: Schema[]
  oneOf?: Schema[]
  allOf?: Schema[]
}

interface OpenApi {
  paths: Record<
    string,
    Record<
      string,
      {
        operationId: string
        security?: object[]
        parameters?: { in: string; name: string }[]
        requestBody?: { content: Record<string, { schema: Schema; example?: Record<string, unknown> }> }
      }
    >
  >
  components: { schemas: Record<string, Schema> }
}

export async function readOperations(url: string): Promise<Described[]> {
  const document = (await (await fetch(`${url}/openapi.json`)).json()) as OpenApi
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId, parameters = [], requestBody, security }]) => {
      const inputs = new Set(parameters.map(({ in: place, name }) => `${place} ${name}`))
      const contents = Object.entries(requestBody?.content ?? {})
      for (const [, { schema }] of contents) for (const name of namesIn(schema, document)) inputs.add(`body ${name}`)
      return {
        id: operationId,
        method: method as Described['method'],
        path,
        inputs,
        isMultipart: contents.some(([type]) => type === 'multipart/form-data'),
        isOpen: security?.length === 0,
        example: contents.find(([, { example }]) => example)?.[1].example
      }
    })
  )
}

function* namesIn(schema: Schema | undefined, document: OpenApi): Generator<string> {
  if (!schema) return
  if (schema.$ref) return yield* namesIn(document.components.schemas[schema.$ref.split('/').at(-1) ?? ''], document)
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    yield name
    yield* namesIn(property, document)
  }
  yield* namesIn(schema.items, document)
  for (const one of [...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])]) {
    yield* namesIn(one, document)
  }
}

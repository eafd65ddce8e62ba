import { strict as assert } from 'node:assert'
import { Compile } from 'typebox/compile'

/*
 * An HTTP client that holds every answer of an operation against /openapi.json: its status must be declared there and its
 * body must match. So each test that calls an operation is also a test of what the reference says about it.
 */

export interface ApiAnswer {
  status: number
  headers: Headers
  // Tests say what they expect of it; the reference has checked its shape already.
  // biome-ignore lint/suspicious/noExplicitAny: see above
  body: any
  text: string
}

export interface ApiClient {
  get(path: string, headers?: Record<string, string>): Promise<ApiAnswer>
  delete(path: string, headers?: Record<string, string>): Promise<ApiAnswer>
  post(path: string, body?: unknown, headers?: Record<string, string>): Promise<ApiAnswer>
  put(path: string, body?: unknown, headers?: Record<string, string>): Promise<ApiAnswer>
  /** The same client, failing unless the status is this one. */
  expect(status: number): ApiClient
  /** The same client with these headers, and only these. */
  as(headers: Record<string, string>): ApiClient
}

interface Document {
  paths: Record<
    string,
    Record<string, { operationId: string; responses: Record<string, { content?: Record<string, { schema: object }> }> }>
  >
  components: { schemas: Record<string, object> }
}

/** `likeness` is the same for services with the same operations, whose document is read once in a process. */
export async function createApiClient(
  url: string,
  headers: Record<string, string>,
  likeness?: string
): Promise<ApiClient> {
  const known = likeness === undefined ? undefined : likenesses.get(likeness)
  const document = known ?? read(await (await fetch(`${url}/openapi.json`)).text())
  if (likeness !== undefined) likenesses.set(likeness, document)
  return clientFor({ url, document, headers, status: undefined })
}

const likenesses = new Map<string, Document>()
const documents = new Map<string, Document>()

/** Once for all services of a process, and with it what is compiled of it: most have the same. */
function read(text: string): Document {
  const document = documents.get(text) ?? (JSON.parse(text) as Document)
  documents.set(text, document)
  return document
}

interface Parts {
  url: string
  document: Document
  headers: Record<string, string>
  status: number | undefined
}

function clientFor(parts: Parts): ApiClient {
  async function ask(method: string, path: string, body: unknown, headers: Record<string, string>): Promise<ApiAnswer> {
    const isRaw = typeof body === 'string' || body instanceof Uint8Array || body instanceof FormData
    // A multipart body names its own boundary, so its type is left to fetch.
    const isJson = body !== undefined && !(body instanceof FormData)
    const response = await fetch(parts.url + path, {
      method,
      redirect: 'manual',
      headers: { ...(isJson && { 'content-type': 'application/json' }), ...parts.headers, ...headers },
      ...(body !== undefined && { body: isRaw ? (body as string) : JSON.stringify(body) })
    })
    const text = await response.text()
    const isJsonAnswer = response.headers.get('content-type')?.startsWith('application/json')
    const answer = {
      status: response.status,
      headers: response.headers,
      body: isJsonAnswer ? JSON.parse(text) : undefined,
      text
    }
    checkAgainst(parts.document, method, path, answer)
    if (parts.status !== undefined) assert.equal(answer.status, parts.status, `${method} ${path} answered ${text}`)
    return answer
  }
  return {
    get: (path, headers = {}) => ask('GET', path, undefined, headers),
    delete: (path, headers = {}) => ask('DELETE', path, undefined, headers),
    post: (path, body, headers = {}) => ask('POST', path, body, headers),
    put: (path, body, headers = {}) => ask('PUT', path, body, headers),
    expect: (status) => clientFor({ ...parts, status }),
    as: (headers) => clientFor({ ...parts, headers })
  }
}

export function checkAgainst(document: Document, method: string, path: string, answer: ApiAnswer): void {
  assert.ok(answer.headers.get('x-request-id'), 'every answer has a request id')
  if (answer.status >= 400) checkError(answer)
  const declared = findOperation(document, method, path.split('?', 1)[0] ?? '')
  if (!declared) return
  const response = declared.responses[answer.status]
  assert.ok(
    response,
    `${declared.operationId} answered ${answer.status}, which the reference does not declare: ${answer.text}`
  )
  const type = answer.headers.get('content-type')?.split(';')[0] ?? ''
  assert.ok(response.content?.[type], `${declared.operationId} answered ${type}, which the reference does not declare`)
  const schema = response.content?.['application/json']?.schema
  if (schema && type === 'application/json')
    checkSchema(document, schema, answer.body, `${declared.operationId} ${answer.status}`)
}

/** The shape of every error (docs/api.md), written out here and not taken from the code. */
function checkError({ status, headers, body }: ApiAnswer): void {
  assert.equal(typeof body, 'object', 'an error is JSON')
  assert.equal(body.status, status)
  assert.match(body.error, /^[A-Z].*\.$|^External ID already processed$/s, 'the error is a sentence')
  assert.match(body.code, /^[a-z_]+$/)
  assert.equal(body.request_id, headers.get('x-request-id'))
  const known = ['status', 'error', 'code', 'details', 'request_id']
  assert.deepEqual(
    Object.keys(body).filter((name) => !known.includes(name)),
    []
  )
  if (status === 401) assert.match(headers.get('www-authenticate') ?? '', /realm="chappe"/)
  if (status === 429 || status === 503) assert.match(headers.get('retry-after') ?? '', /^\d+$/)
}

function findOperation(document: Document, method: string, path: string) {
  const methods = document.paths[path] ?? templatesOf(document).find(({ pattern }) => pattern.test(path))?.methods
  return methods?.[method.toLowerCase()]
}

const templates = new WeakMap<Document, { pattern: RegExp; methods: Document['paths'][string] }[]>()

/** The paths with parameters. */
function templatesOf(document: Document) {
  const known = templates.get(document)
  if (known) return known
  const made = Object.entries(document.paths)
    .filter(([template]) => template.includes('{'))
    .map(([template, methods]) => ({
      pattern: new RegExp(`^${template.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
      methods
    }))
  templates.set(document, made)
  return made
}

const compiled = new WeakMap<object, ReturnType<typeof Compile>>()

function checkSchema(document: Document, schema: object, value: unknown, what: string): void {
  // Many operations name the same shape, such as that of an error.
  const shape = targetOf(schema, document) ?? schema
  let check = compiled.get(shape)
  if (!check) {
    check = Compile(inline(shape, document))
    compiled.set(shape, check)
  }
  if (!check.Check(value)) {
    assert.fail(
      `${what} does not match the reference: ${JSON.stringify(check.Errors(value))} in ${JSON.stringify(value)}`
    )
  }
}

/** The schema with what it refers to in place. */
export function inline(schema: object, document: Schemas): object {
  return JSON.parse(JSON.stringify(schema), (_key, value) => {
    const target = targetOf(value, document)
    return target ? inline(target, document) : value
  })
}

/** The schema that a reference names. */
function targetOf(value: unknown, document: Schemas): object | undefined {
  const { $ref } = (value ?? {}) as { $ref?: unknown }
  return typeof $ref === 'string' ? document.components.schemas[$ref.split('/').at(-1) as string] : undefined
}

interface Schemas {
  components: { schemas: Record<string, object> }
}

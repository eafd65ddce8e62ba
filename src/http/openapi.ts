import type { TSchema } from 'typebox'
import { REFUSAL_CODES, type RefusalCode } from '../errors.ts'
import { CHALLENGE, ErrorAnswer } from './error-answers.ts'
import { type Operation, TAGS, TEXT_PARAMETERS } from './operation.ts'

/** An event for webhooks: its type, when it happens, and the record it carries. */
export interface EventDescription {
  type: string
  summary: string
  description: string
  record: TSchema
  example: unknown
}

type Json = Record<string, unknown>

/**
 * The OpenAPI 3.1 document of the operations. Written here rather than derived by a plug-in from the routes: the
 * operations are data already, and clients are generated from the schema names.
 */
export function describeApi(parts: {
  operations: readonly Operation[]
  events: readonly EventDescription[]
  version: string
}): Json {
  const schemas = new Map<string, Json>()
  const reference = (schema: TSchema): unknown => toReference(schema, schemas)

  const paths: Record<string, Json> = {}
  for (const operation of parts.operations) {
    paths[operation.path] = {
      ...paths[operation.path],
      [operation.method.toLowerCase()]: describe(operation, reference)
    }
  }
  const webhooks: Record<string, Json> = {}
  for (const event of parts.events) webhooks[event.type] = { post: describeEvent(event, reference) }
  reference(ErrorAnswer)

  return {
    openapi: '3.1.0',
    info: {
      title: 'Chappe',
      version: parts.version,
      description: INTRODUCTION,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' }
    },
    tags: TAGS.map((name) => ({ name, description: TAG_DESCRIPTIONS[name] })),
    security: SECURITY,
    paths,
    webhooks,
    components: { schemas: Object.fromEntries([...schemas].sort(byName)), securitySchemes: SECURITY_SCHEMES }
  }
}

function describe(operation: Operation, reference: (schema: TSchema) => unknown): Json {
  const refusals = refusalsOf(operation)
  const statuses = new Map<number, [RefusalCode, string][]>()
  for (const [code, when] of Object.entries(refusals) as [RefusalCode, string][]) {
    const status = REFUSAL_CODES[code]
    statuses.set(status, [...(statuses.get(status) ?? []), [code, when]])
  }
  return {
    operationId: operation.id,
    tags: [operation.tag],
    summary: operation.summary,
    description: operation.description,
    ...(operation.isOpen ? { security: [] } : { 'x-permission': operation.permission }),
    ...(operation.mayLag && { 'x-may-lag': true }),
    parameters: parametersOf(operation),
    ...(operation.body && { requestBody: requestBodyOf(operation, operation.body, reference) }),
    responses: {
      200: {
        description: 'Done.',
        headers: ANSWER_HEADERS,
        content: {
          [operation.isEventStream ? 'text/event-stream' : 'application/json']: {
            schema: reference(operation.answer),
            example: operation.example.answer
          },
          ...(operation.row && {
            'text/csv': { schema: { type: 'string', description: 'The same, its header the field names.' } }
          }),
          ...(operation.pdf && {
            'application/pdf': {
              schema: { type: 'string', format: 'binary', description: operation.pdf.description }
            }
          }),
          ...(operation.callback && {
            'text/plain': { schema: { type: 'string', description: operation.callback.plainText } }
          })
        }
      },
      ...Object.fromEntries(
        [...statuses].sort().map(([status, reasons]) => [status, describeRefusal(status, reasons, operation)])
      )
    }
  }
}

/** The refusals of an operation: most follow from its form, the others it lists itself. */
function refusalsOf(operation: Operation): Partial<Record<RefusalCode, string>> {
  const isWrite = operation.method !== 'GET'
  return {
    ...((operation.body || operation.query || isWrite) && {
      invalid_input: 'The input is not valid; `details` names each field.'
    }),
    ...(!operation.isOpen && {
      unauthorized: 'The credentials are missing or wrong.',
      account_suspended: 'The account is suspended or closed; the sentence says why.'
    }),
    ...(!operation.isOpen && { rate_limited: 'The account has a limit of requests a second, and asked more often.' }),
    ...(operation.permission !== 'any' && {
      forbidden: `The role or the key does not have the permission \`${operation.permission}\`.`
    }),
    ...(operation.path.includes('{') && { not_found: 'It is not there, or not this account’s.' }),
    ...(takesKey(operation) && {
      state_conflict: 'The Idempotency-Key was used for another request, or that request still runs.'
    }),
    ...(isWrite && { payload_too_large: `The body is larger than ${operation.bodyBytesMax / 1024} KiB.` }),
    ...(isWrite && {
      unsupported_media_type: operation.file
        ? 'The body is not multipart/form-data, or is compressed.'
        : 'The body is neither JSON nor a form, or is compressed.'
    }),
    internal: 'Something went wrong on our side.',
    unavailable: 'Overloaded, stopping, or without its database; `retry-after` says when to ask again.',
    ...operation.refusals
  }
}

function describeRefusal(status: number, reasons: [RefusalCode, string][], { callback }: Operation): Json {
  const [[code] = ['internal']] = reasons
  const isTemporary = status === 429 || status === 503
  return {
    description: reasons.map(([code, when]) => `\`${code}\`: ${when}`).join('\n\n'),
    headers: {
      ...ANSWER_HEADERS,
      ...(isTemporary && { 'retry-after': RETRY_AFTER_HEADER }),
      ...(status === 401 && { 'www-authenticate': challengeHeader(callback?.challenge ?? CHALLENGE) })
    },
    content: {
      'application/json': {
        schema: { $ref: '#/components/schemas/Error' },
        example: { status, error: reasons[0]?.[1], code, request_id: 'b3b0f6a2-5c9e-4f0e-9a3f-0d6d3c1b2a10' }
      }
    }
  }
}

const REQUEST_ID_HEADER = { description: 'Names this request in our log.', schema: { type: 'string' } }
const RETRY_AFTER_HEADER = { description: 'Seconds to wait before asking again.', schema: { type: 'integer' } }
const challengeHeader = (challenge: string) => ({
  description: 'The credentials that are taken (RFC 9110, 11.6.1).',
  schema: { type: 'string', const: challenge }
})
const ANSWER_HEADERS = { 'x-request-id': REQUEST_ID_HEADER }

function parametersOf(operation: Operation): Json[] {
  const parameters: Json[] = [...operation.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    schema: TEXT_PARAMETERS.has(name) ? { type: 'string' } : { type: 'integer', minimum: 1 }
  }))
  const { properties = {}, required = [] } = (operation.query ?? {}) as {
    properties?: Record<string, Json>
    required?: string[]
  }
  for (const [name, schema] of Object.entries(properties)) {
    const { description, ...rest } = schema
    parameters.push({
      name,
      in: 'query',
      required: required.includes(name) && !('default' in rest),
      description,
      schema: rest
    })
  }
  if (takesKey(operation)) parameters.push(IDEMPOTENCY_KEY_PARAMETER)
  for (const [name, description] of Object.entries(operation.callback?.headers ?? {})) {
    parameters.push({ name, in: 'header', required: false, description, schema: { type: 'string' } })
  }
  if (operation.isEventStream) parameters.push(LAST_EVENT_ID_PARAMETER)
  return parameters
}

function takesKey({ method, callback }: Operation): boolean {
  return method !== 'GET' && !callback
}

const IDEMPOTENCY_KEY_PARAMETER: Json = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'A value of your own. Within 24 hours, the same request with the same key gets the first answer again, with the header `idempotent-replayed: true`, and does nothing twice.',
  schema: { type: 'string', minLength: 1, maxLength: 255 }
}

const LAST_EVENT_ID_PARAMETER: Json = {
  name: 'Last-Event-ID',
  in: 'header',
  required: false,
  description: 'The id of the last event that arrived: how a client that comes back says where to go on.',
  schema: { type: 'string' }
}

function requestBodyOf(operation: Operation, body: TSchema, reference: (schema: TSchema) => unknown): Json {
  if (operation.file !== undefined) return multipartBodyOf(operation, reference(withFile(operation.file, body)))
  const { required = [] } = body as { required?: string[] }
  const content = {
    schema: reference(body),
    ...(operation.example.body !== undefined && { example: operation.example.body })
  }
  return {
    required: required.length > 0,
    content: { 'application/json': content, 'application/x-www-form-urlencoded': content }
  }
}

function withFile(file: string, body: TSchema): TSchema {
  const { properties = {}, required = [], ...rest } = body as { properties?: Json; required?: string[] }
  return {
    ...rest,
    required: ['file', ...required],
    properties: { file: { type: 'string', contentEncoding: 'binary', description: file }, ...properties }
  } as TSchema
}

/** In OpenAPI 3.1 a part that is an object is JSON, and one that is binary has no type of its own. */
function multipartBodyOf(operation: Operation, schema: unknown): Json {
  return {
    required: true,
    content: {
      'multipart/form-data': { schema, example: { file: '(the file)', ...(operation.example.body as object) } }
    }
  }
}

function describeEvent(event: EventDescription, reference: (schema: TSchema) => unknown): Json {
  return {
    operationId: `on_${event.type}`,
    tags: ['Webhooks'],
    summary: event.summary,
    description: event.description,
    parameters: WEBHOOK_HEADERS,
    requestBody: {
      required: true,
      content: {
        'application/json': {
          schema: {
            type: 'object',
            required: ['id', 'type', 'timestamp', 'data'],
            properties: {
              id: { type: 'string', description: 'The same as the webhook-id header, on every attempt.' },
              type: { const: event.type },
              timestamp: { type: 'string', format: 'date-time' },
              test: { const: true, description: 'Only in an example that POST /webhooks/test sends.' },
              data: { type: 'array', minItems: 1, maxItems: 500, items: withEventFields(reference(event.record)) }
            }
          },
          example: {
            id: 'evt_1042',
            type: event.type,
            timestamp: '2026-11-15T09:30:00.000Z',
            data: [{ ...(event.example as Json), message_id: 7, sequence: 3 }]
          }
        }
      }
    },
    responses: { '2XX': { description: 'Received. Anything else, or no answer within 15 s, is tried again later.' } },
    security: []
  }
}

function withEventFields(record: unknown): Json {
  const fields = {
    type: 'object',
    required: ['message_id', 'sequence'],
    properties: {
      message_id: { type: ['integer', 'null'] },
      sequence: { type: 'integer', description: 'Rises with each event of the same recipient.' }
    }
  }
  return { allOf: [record, fields] }
}

const WEBHOOK_HEADERS: Json[] = [
  ['webhook-id', 'Names the event, the same on every attempt.'],
  ['webhook-timestamp', 'When this attempt left, in seconds since 1970.'],
  [
    'webhook-signature',
    '`v1,<base64>`, as Standard Webhooks prescribes; several, separated by spaces, after a rotation.'
  ]
].map(([name, description]) => ({ name, in: 'header', required: true, description, schema: { type: 'string' } }))

/** Named schemas move to the components and leave a reference behind. */
function toReference(schema: TSchema, schemas: Map<string, Json>): unknown {
  return JSON.parse(JSON.stringify(schema), (_key, value) => {
    if (typeof value !== 'object' || value === null || typeof value.$id !== 'string') return value
    const { $id, ...rest } = value
    schemas.set($id, rest)
    return { $ref: `#/components/schemas/${$id}` }
  })
}

function byName([a]: [string, Json], [b]: [string, Json]): number {
  return a < b ? -1 : 1
}

const SECURITY_SCHEMES = {
  appId: {
    type: 'apiKey',
    in: 'header',
    name: 'X-APP-ID',
    description: 'The application id of the account, sent along with its key.'
  },
  apiKey: { type: 'apiKey', in: 'header', name: 'X-API-KEY', description: 'The key of the account. Enough by itself.' },
  bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT', description: 'The token from `POST /auth/login`.' }
}

/** Any of the three credentials. */
const SECURITY = [{ appId: [], apiKey: [] }, { apiKey: [] }, { bearer: [] }]

const TAG_DESCRIPTIONS: Record<(typeof TAGS)[number], string> = {
  auth: 'Exchange an email and a password for a token.',
  Utilisateur: 'The account and its credits.',
  Messages: 'Send SMS and RCS, follow and cancel what was sent, read replies.',
  Modèle: 'Templates of SMS and RCS messages.',
  Webhooks: 'Where events are sent, and how that went.',
  Stops: 'Opt-outs: numbers that must not be written to.',
  'Listes de contacts': 'Lists of contacts.',
  Contacts: 'The people on the lists.',
  'Sous-Comptes': 'Accounts below this one, and their credits.',
  Beyond: 'What goes beyond the usual interface.'
}

const INTRODUCTION = `A messaging service for SMS and RCS.

**Credentials.** Every operation but login takes any of three: the headers \`X-APP-ID\` and \`X-API-KEY\` together,
\`X-API-KEY\` alone, or \`Authorization: Bearer <token>\` with a token from login.

**Bodies** are JSON, or forms with nested brackets (\`recipients[0]=…\`). A property that is null counts as absent, unless the
operation says what null means; so does an empty field of a form, which only a PUT takes as a text to clear. Success is always 200. **Errors** have one shape,
\`Error\`, with a stable \`code\`. **Repeats:** a request that writes takes an \`Idempotency-Key\`.
**Pages:** \`page\` from 1 and \`limit\` up to 1000. **Dates** are ISO 8601 in UTC.`

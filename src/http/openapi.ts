import type { TSchema } from 'typebox'
import { ANSWER_HEADERS, describeRefusals, takesKey } from './described-refusals.ts'
import { toReference, withType } from './described-schemas.ts'
import { TAGS } from './description.ts'
import { ErrorAnswer } from './error-answers.ts'
import type { Operation } from './operation.ts'
import { TEXT_PARAMETERS } from './path-parameters.ts'

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
  /** Where the service is asked: `https://sms.example.com`, or `/` for the address that the document came from. */
  url: string
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
    servers: [{ url: parts.url }],
    tags: TAGS.map((name) => ({ name, description: TAG_DESCRIPTIONS[name] })),
    security: SECURITY,
    paths,
    webhooks,
    components: { schemas: Object.fromEntries([...schemas].sort(byName)), securitySchemes: SECURITY_SCHEMES }
  }
}

function describe(operation: Operation, reference: (schema: TSchema) => unknown): Json {
  return {
    operationId: operation.id,
    tags: [operation.tag],
    summary: operation.summary,
    description: operation.description,
    ...(operation.isDeprecated && { deprecated: true }),
    ...(operation.isOpen ? { security: [] } : { 'x-permission': operation.permission }),
    ...(operation.mayLag && { 'x-may-lag': true }),
    parameters: parametersOf(operation),
    ...(operation.body && { requestBody: requestBodyOf(operation, operation.body, reference) }),
    responses: {
      200: {
        description: 'Done.',
        headers: { ...ANSWER_HEADERS, ...(takesKey(operation) && { 'idempotent-replayed': REPLAYED_HEADER }) },
        content: answersOf(operation, reference)
      },
      ...describeRefusals(operation)
    }
  }
}

function answersOf(
  { isEventStream, answer, example, row, pdf, callback }: Operation,
  reference: (schema: TSchema) => unknown
) {
  const { others } = example
  const shown = others
    ? { examples: { usual: { value: example.answer }, ...mapValues(others, (value) => ({ value })) } }
    : { example: example.answer }
  return {
    [isEventStream ? 'text/event-stream' : 'application/json']: { schema: reference(answer), ...shown },
    ...(row && { 'text/csv': { schema: { type: 'string', description: 'The same, its header the field names.' } } }),
    ...(pdf && {
      'application/pdf': { schema: { ...BINARY, contentMediaType: 'application/pdf', description: pdf.description } }
    }),
    ...(callback && { 'text/plain': { schema: { type: 'string', description: callback.plainText } } })
  }
}

function mapValues<Value, To>(record: Readonly<Record<string, Value>>, map: (value: Value) => To): Record<string, To> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value)]))
}

const REPLAYED_HEADER = {
  description: 'Only on the answer of an earlier request with the same Idempotency-Key, which is given again.',
  schema: { type: 'string', const: 'true' }
}

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
      schema: withType(rest)
    })
  }
  if (takesKey(operation)) parameters.push(IDEMPOTENCY_KEY_PARAMETER)
  for (const [name, description] of Object.entries(operation.callback?.headers ?? {})) {
    parameters.push({ name, in: 'header', required: false, description, schema: { type: 'string' } })
  }
  if (operation.isEventStream) parameters.push(LAST_EVENT_ID_PARAMETER)
  return parameters
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
    properties: { file: { ...BINARY, description: file }, ...properties }
  } as TSchema
}

/** Octets as they are, the way OpenAPI 3.1 writes them: a media type, and no encoding. */
const BINARY = { type: 'string', contentMediaType: 'application/octet-stream' }

/** In OpenAPI 3.1 a part that is an object is JSON. */
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
          schema: reference(payloadOf(event)),
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

/** The body that webhooks get for a type of event: `sms_status` has the schema `SmsStatusEvent`. */
function payloadOf({ type, record }: EventDescription): TSchema {
  const name = type.replaceAll(/(?:^|_)([a-z])/g, (_match, letter: string) => letter.toUpperCase())
  return {
    $id: `${name}Event`,
    type: 'object',
    required: ['id', 'type', 'timestamp', 'data'],
    properties: {
      id: { type: 'string', description: 'The same as the webhook-id header, on every attempt.' },
      type: { const: type },
      timestamp: { type: 'string', format: 'date-time' },
      test: { const: true, description: 'Only in an example that POST /webhooks/test sends.' },
      data: {
        type: 'array',
        minItems: 1,
        maxItems: 500,
        items: { $id: `${name}EventRecord`, allOf: [record, EVENT_FIELDS] }
      }
    }
  } as TSchema
}

const EVENT_FIELDS = {
  $id: 'EventFields',
  type: 'object',
  required: ['message_id', 'sequence'],
  properties: {
    message_id: { type: ['integer', 'null'] },
    sequence: { type: 'integer', description: 'Rises with each event of the same recipient.' }
  }
}

const WEBHOOK_HEADERS: Json[] = [
  ['webhook-id', 'Names the event, the same on every attempt.'],
  ['webhook-timestamp', 'When this attempt left, in seconds since 1970.'],
  [
    'webhook-signature',
    '`v1,<base64>`, as Standard Webhooks prescribes; several, separated by spaces, after a rotation.'
  ]
].map(([name, description]) => ({ name, in: 'header', required: true, description, schema: { type: 'string' } }))

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

**Credentials.** Operations take any of three: the headers \`X-APP-ID\` and \`X-API-KEY\` together, \`X-API-KEY\` alone,
or \`Authorization: Bearer <token>\` with a token from login. Those whose \`security\` is empty need none, such as login
itself. Some are for people alone and refuse keys: their 403 says so.

**Bodies** are JSON, or forms with nested brackets (\`recipients[0]=…\`). A property that is null counts as absent, unless the
operation says what null means; so does an empty field of a form, which only a PUT takes as a text to clear. Success is always 200. **Errors** have one shape,
\`Error\`, with a stable \`code\`. **Repeats:** a request that writes takes an \`Idempotency-Key\`.
**Pages:** \`page\` from 1 and \`limit\` up to 1000. **Dates** are ISO 8601 in UTC.`

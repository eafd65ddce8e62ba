import { strict as assert } from 'node:assert'
import { Compile } from 'typebox/compile'
import { listAllOperations } from '../../scripts/all-operations.ts'
import { startService, test } from '../../test/service/service.ts'
import { EVENTS } from '../routes.ts'
import { EVENT_TYPES } from '../webhooks/event-type.ts'
import { ErrorAnswer } from './error-answers.ts'
import { describeApi } from './openapi.ts'

const operations = listAllOperations()

interface Described {
  operationId: string
  tags: string[]
  summary: string
  description: string
  security?: unknown[]
  deprecated?: boolean
  requestBody?: { content: Record<string, { schema: { $ref: string } }> }
  responses: Record<
    string,
    {
      description: string
      headers: Record<string, unknown>
      content?: Record<
        string,
        { schema: { $ref?: string; oneOf?: unknown }; examples?: Record<string, { value: { error: string } }> }
      >
    }
  >
}
const document = describeApi({
  operations,
  events: EVENTS,
  version: '0',
  url: 'https://sms.example.com'
}) as unknown as {
  openapi: string
  servers: { url: string }[]
  tags: { name: string }[]
  security: Record<string, string[]>[]
  paths: Record<string, Record<string, Described>>
  webhooks: Record<string, unknown>
  components: {
    schemas: Record<string, unknown>
    securitySchemes: Record<string, { type: string; name?: string; scheme?: string }>
  }
}
const described = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, ...operation }))
)

test('the document is OpenAPI 3.1 with the tags in their order', () => {
  assert.equal(document.openapi, '3.1.0')
  assert.deepEqual(
    document.tags.map(({ name }) => name),
    [
      'auth',
      'Utilisateur',
      'Messages',
      'Modèle',
      'Webhooks',
      'Stops',
      'Listes de contacts',
      'Contacts',
      'Sous-Comptes',
      'Beyond'
    ]
  )
})

test('the schemas have the names that clients of the field know', () => {
  const wanted = [
    'LoginUserDto',
    'LoginResponseDto',
    'SubAccountCreateDto',
    'subAccountWithCredentials',
    'subAccount',
    'SubAccountListRo',
    'SubAccountCredits',
    'SubAccountChangeModeCredits',
    'CreditsRo',
    'paginationMeta',
    'Reponses',
    'Stops',
    'Messages',
    'Messages_sms',
    'Messages_rcs',
    'Messages_type',
    'RcsDto',
    'shortUrlDto',
    'FallBack',
    'Models',
    'RcsTextDto',
    'RcsCarouselDto',
    'CallChoiceDto',
    'UrlChoiceDto',
    // Shapes that programs pass on.
    'RecipientWithVariables',
    'ContactDto',
    'MessagesSummary',
    'ApiKeyPair',
    'WebhookPayload',
    'SmsStatusEvent',
    'SmsStatusEventRecord'
  ]
  for (const name of wanted) assert.ok(document.components.schemas[name], name)
})

/** What is proven by a mailed link. */
const BY_LINK = new Set(['forgotPassword', 'resetPassword', 'lookAtInvitation', 'acceptInvitation'])
/** What is proven by a password, a signature or a link. */
const BY_CARRIER = new Set(['receiveRbmEvent', 'receiveHttpReceipts', 'receiveHttpReplies'])
const OPEN = new Set(['login', 'beginPasskeyLogin', 'readSignOn', 'openSignOnSession', ...BY_CARRIER, ...BY_LINK])

test('the three credentials are declared, together and alone, on everything but login, links and events of carriers', () => {
  assert.deepEqual(document.security, [{ appId: [], apiKey: [] }, { apiKey: [] }, { bearer: [] }])
  const { appId, apiKey, bearer } = document.components.securitySchemes
  assert.deepEqual([appId?.name, apiKey?.name, bearer?.scheme], ['X-APP-ID', 'X-API-KEY', 'bearer'])
  for (const { operationId, security } of described) {
    assert.deepEqual(security, OPEN.has(operationId) ? [] : undefined, operationId)
  }
})

test('every operation declares all the errors it can answer, in the one shape', () => {
  for (const { path, method, operationId, responses } of described) {
    const always = ['200', '500', '503']
    const fromForm = [
      ...(operationId === 'login'
        ? ['401', '429']
        : operationId === 'readSignOn' || BY_LINK.has(operationId)
          ? []
          : ['401']),
      ...(path.includes('{') ? ['404'] : []),
      ...(method === 'get' ? [] : ['400', '413', '415']),
      ...(method === 'get' || BY_CARRIER.has(operationId) ? [] : ['409'])
    ]
    for (const status of [...always, ...fromForm]) assert.ok(responses[status], `${operationId} declares ${status}`)
    for (const [status, { description, content }] of Object.entries(responses)) {
      if (status === '200') continue
      assert.equal(content?.['application/json']?.schema.$ref, '#/components/schemas/Error', `${operationId} ${status}`)
      assert.match(description, /^`[a-z_]+`: [A-Z]/)
    }
  }
})

test('every operation has a name, a summary, a description for the customer and one tag', () => {
  const names = new Set<string>()
  for (const { operationId, summary, description, tags } of described) {
    assert.ok(!names.has(operationId), `${operationId} is there twice`)
    names.add(operationId)
    assert.ok(summary && description.endsWith('.') && tags.length === 1, operationId)
  }
  assert.ok(names.has('SubaccountController_getUserInfo'))
})

test('a generator finds the address, a type on every value, and which property tells a union apart', () => {
  assert.deepEqual(document.servers, [{ url: 'https://sms.example.com' }])
  const schemas = document.components.schemas as Record<string, Schema>
  let unions = 0
  for (const schema of schemasIn({ schemas, paths: document.paths, webhooks: document.webhooks })) {
    const isValue = Array.isArray(schema.enum) || ('const' in schema && typeof schema.const !== 'object')
    if (isValue) assert.ok(schema.type, JSON.stringify(schema))
    if (!schema.discriminator) continue
    unions++
    const { propertyName, mapping } = schema.discriminator
    for (const [text, target] of Object.entries(mapping)) {
      const branch = schemas[target.split('/').at(-1) ?? '']
      assert.equal(branch?.properties?.[propertyName]?.const, text, target)
    }
    assert.equal(schema.oneOf?.length, Object.keys(mapping).length)
  }
  assert.ok(unions >= 8, `${unions} unions`)
  const choices = schemas.RcsCardDto?.properties?.choices?.items?.discriminator
  assert.deepEqual(Object.keys(choices?.mapping ?? {}), ['text', 'url', 'call', 'location'])
})

test('the document says what a send needs, and tells its dry run apart', () => {
  const schemas = document.components.schemas as Record<string, Schema>
  const needed = (schema: Schema | undefined) =>
    schema?.allOf?.map(({ anyOf }) => anyOf?.map(({ $ref, required }) => $ref?.split('/').at(-1) ?? required?.join()))
  const contents = ['RcsTextContent', 'RcsCardContent', 'RcsCarouselContent']
  assert.deepEqual(needed(schemas.MessagesSimpleDto), [['content', 'model_id', 'binary']])
  assert.deepEqual(needed(schemas.MessagesContactListDto), [
    ['content', 'model_id', 'binary'],
    ['contactlist', 'segments']
  ])
  assert.deepEqual(needed(schemas.MessagesRcsDto), [
    [...contents, 'model_id'],
    ['contacts', 'contactlist', 'segments']
  ])
  assert.deepEqual(needed(schemas.RcsDto), [contents])
  for (const id of ['sendSms', 'sendSmsDynamic', 'sendSmsToLists', 'sendSmsFile', 'sendSmsOldWay']) {
    const answer = byId(id).responses[200]?.content?.['application/json']
    assert.deepEqual(answer?.schema.oneOf, [
      { $ref: '#/components/schemas/SmsStatus' },
      { $ref: '#/components/schemas/SmsResume' }
    ])
    assert.deepEqual(Object.keys(answer?.examples ?? {}), ['usual', 'dry_run'], id)
  }
})

test('aliases are deprecated, files are octets, and writes may be replayed', () => {
  const deprecated = described.filter(({ deprecated }) => deprecated).map(({ operationId }) => operationId)
  assert.deepEqual(deprecated.sort(), ['sendSmsOldWay', 'sendSmsToListsOldWay'])
  const schemas = document.components.schemas as Record<string, Schema>
  for (const { requestBody, responses, method, operationId } of described) {
    const multipart = requestBody?.content['multipart/form-data']?.schema.$ref.split('/').at(-1)
    if (multipart !== undefined) {
      const { type, contentMediaType } = schemas[multipart]?.properties?.file ?? {}
      assert.deepEqual([type, contentMediaType], ['string', 'application/octet-stream'], multipart)
    }
    const mayReplay = method !== 'get' && !BY_CARRIER.has(operationId)
    assert.equal('idempotent-replayed' in (responses[200]?.headers ?? {}), mayReplay, operationId)
  }
})

test('errors are shown as they are worded, with their details', () => {
  const check = Compile(ErrorAnswer)
  for (const { operationId, responses } of described) {
    for (const [status, { content }] of Object.entries(responses)) {
      for (const [code, { value }] of Object.entries(content?.['application/json']?.examples ?? {})) {
        if (status !== '200') assert.ok(check.Check(value), `${operationId} ${status} ${code}`)
      }
    }
  }
  const shown = (status: number, code: string) =>
    byId('sendSms').responses[status]?.content?.['application/json']?.examples?.[code]?.value
  const request_id = 'b3b0f6a2-5c9e-4f0e-9a3f-0d6d3c1b2a10'
  assert.deepEqual(shown(409, 'external_id_already_processed'), {
    status: 409,
    error: 'External ID already processed',
    code: 'external_id_already_processed',
    request_id
  })
  assert.deepEqual(shown(402, 'insufficient_credits'), {
    status: 402,
    error: 'This takes 11 SMS credits; the balance is 4.',
    code: 'insufficient_credits',
    details: [{ required: 11, remaining: 4, missing: 7 }],
    request_id
  })
  assert.deepEqual(shown(400, 'invalid_input'), {
    status: 400,
    error: 'The request is not valid: recipients is missing.',
    code: 'invalid_input',
    details: [{ path: 'recipients', message: 'is missing' }],
    request_id
  })
})

interface Schema {
  $ref?: string
  type?: unknown
  enum?: unknown
  const?: unknown
  required?: string[]
  properties?: Record<string, Schema>
  items?: Schema
  anyOf?: Schema[]
  oneOf?: Schema[]
  allOf?: Schema[]
  contentMediaType?: string
  discriminator?: { propertyName: string; mapping: Record<string, string> }
}

/** Every object in a value, examples aside. */
function* schemasIn(value: unknown): Generator<Schema> {
  if (typeof value !== 'object' || value === null) return
  if (!Array.isArray(value)) yield value as Schema
  for (const [name, each] of Object.entries(value)) {
    if (name !== 'example' && name !== 'examples') yield* schemasIn(each)
  }
}

function byId(id: string) {
  const found = described.find(({ operationId }) => operationId === id)
  assert.ok(found, id)
  return found
}

test('the examples are valid', () => {
  for (const { id, body, answer, example } of operations) {
    assert.ok(Compile(answer).Check(example.answer), `${id}: ${JSON.stringify(Compile(answer).Errors(example.answer))}`)
    for (const other of Object.values(example.others ?? {})) assert.ok(Compile(answer).Check(other), `${id}: another`)
    if (body && example.body !== undefined) assert.ok(Compile(body).Check(example.body), `${id}: the body`)
    assert.ok(!body || example.body !== undefined, `${id} shows no body`)
  }
  for (const { type, record, example } of EVENTS) assert.ok(Compile(record).Check(example), type)
})

test('every event is described under webhooks', () => {
  assert.deepEqual(Object.keys(document.webhooks).sort(), [...EVENT_TYPES].sort())
})

test('settings beside roles and carriers change the address in the document, and nothing else', async (t) => {
  const ask = async (settings: Record<string, string>) => {
    const { url } = await startService(t, { settings })
    const { servers, ...rest } = (await (await fetch(`${url}/openapi.json`)).json()) as { servers: unknown }
    return { servers, rest }
  }
  const plain = await ask({})
  const set = await ask({
    CHAPPE_PUBLIC_URL: 'https://sms.example.com',
    CHAPPE_DOORS: 'kannel,jasmin',
    CHAPPE_WEBHOOK_ALLOW_PRIVATE: 'true',
    CHAPPE_CONSENT: 'enforce',
    CHAPPE_ALARMS: 'true',
    CHAPPE_METRICS: 'closed',
    CHAPPE_RETENTION_DAYS: '30',
    CHAPPE_SMPP_PORT: '2775'
  })
  assert.deepEqual(set.servers, [{ url: 'https://sms.example.com' }])
  assert.deepEqual(set.rest, plain.rest)
})

test('every reference in the document leads somewhere', () => {
  const text = JSON.stringify(document)
  for (const [, name = ''] of text.matchAll(/"#\/components\/schemas\/([^"]+)"/g)) {
    assert.ok(document.components.schemas[name], name)
  }
  assert.ok(!text.includes('"$id"'))
})

import { strict as assert } from 'node:assert'
import { test } from 'node:test'
import { Compile } from 'typebox/compile'
import { listAllOperations } from '../../scripts/all-operations.ts'
import { EVENTS } from '../routes.ts'
import { EVENT_TYPES } from '../webhooks/event-type.ts'
import { describeApi } from './openapi.ts'

const operations = listAllOperations()

interface Described {
  operationId: string
  tags: string[]
  summary: string
  description: string
  security?: unknown[]
  responses: Record<string, { description: string; content?: Record<string, { schema: { $ref?: string } }> }>
}
const document = describeApi({ operations, events: EVENTS, version: '0' }) as unknown as {
  openapi: string
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
    'UrlChoiceDto'
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

test('the examples are valid', () => {
  for (const { id, body, answer, example } of operations) {
    assert.ok(Compile(answer).Check(example.answer), `${id}: ${JSON.stringify(Compile(answer).Errors(example.answer))}`)
    if (body && example.body !== undefined) assert.ok(Compile(body).Check(example.body), `${id}: the body`)
    assert.ok(!body || example.body !== undefined, `${id} shows no body`)
  }
  for (const { type, record, example } of EVENTS) assert.ok(Compile(record).Check(example), type)
})

test('every event is described under webhooks', () => {
  assert.deepEqual(Object.keys(document.webhooks).sort(), [...EVENT_TYPES].sort())
})

test('every reference in the document leads somewhere', () => {
  const text = JSON.stringify(document)
  for (const [, name = ''] of text.matchAll(/"#\/components\/schemas\/([^"]+)"/g)) {
    assert.ok(document.components.schemas[name], name)
  }
  assert.ok(!text.includes('"$id"'))
})

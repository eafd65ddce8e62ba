import { strict as assert } from 'node:assert'
import { Compile } from 'typebox/compile'
import { inline } from './service/api-client.ts'
import { fileForm } from './service/file-form.ts'
import { startService, test } from './service/service.ts'

/*
 * Every operation against everything a confused or hostile client sends. The client checks each answer's shape and that
 * its status is declared; here, that it is a refusal and that nothing in the database changed.
 */

const LONG = 'x'.repeat(100_000)

const BODIES: [name: string, body: unknown][] = [
  ['no body', undefined],
  ['an empty object', {}],
  ['null', null],
  ['an array', []],
  ['a number', 7],
  ['text', '"text"'],
  ['malformed JSON', '{"credits": '],
  ['malformed JSON with a secret', '{"password": "x"'],
  ['deep nesting', `${'['.repeat(5_000)}${']'.repeat(5_000)}`],
  ['deep nesting with U+0000', `${'['.repeat(5_000)}"\\u0000"${']'.repeat(5_000)}`],
  ['a prototype', '{"__proto__": {"admin": true}}'],
  ['invalid UTF-8', new Uint8Array([0x7b, 0xff, 0xfe, 0x7d])]
]

const WRONG_VALUES: unknown[] = [
  null,
  true,
  -1,
  0,
  1.5,
  1e300,
  '',
  'x',
  LONG,
  [],
  {},
  [1],
  { a: 1 },
  '\0',
  '😀'.repeat(500)
]

/** The operations of a log-in. */
const LOG_IN = new Set(['login', 'beginPasskeyLogin', 'readSignOn', 'openSignOnSession'])
const PERSONS = new Set(
  `beginTotp confirmTotp removeTotp renewRecoveryCodes beginPasskey addPasskey removePasskey resetAccountPassword
  resetSubAccountPassword removeAccountFactor removeSubAccountFactor`.split(/\s+/)
)

/** An RCS needs contacts, lists or segments, an SMS to lists needs lists or segments: none of these is required by itself. */
const ONE_OF_SEVERAL = new Set(['sendRcs', 'sendSmsToLists', 'sendSmsToListsOldWay'])

test('every operation refuses every kind of bad body and changes nothing', async (t) => {
  const { operator, anonymous, pool, url } = await startService(t)
  const child = await operator.newSubAccount({ credits: 10 })
  const { email, password } = operator
  const { body: login } = await anonymous.expect(200).post('/auth/login', { email, password })
  const withToken = anonymous.as({ authorization: `Bearer ${login.token}` })
  const document = (await (await fetch(`${url}/openapi.json`)).json()) as OpenApi
  const snapshot = () => pool`
    select (select jsonb_agg(to_jsonb(accounts) - 'last_login_at' order by id) from accounts) as accounts,
      (select count(*) from credit_entries) as entries, (select count(*) from contact_lists) as lists,
      (select count(*) from contacts) as contacts, (select count(*) from stops) as stops,
      (select count(*) from messages) as messages, (select count(*) from recipients) as recipients,
      (select count(*) from batches) as batches, (select count(*) from external_ids) as external_ids,
      (select count(*) from templates) as templates
  `
  const before = JSON.stringify(await snapshot())
  let asked = 0

  for (const { method, path, operation } of operationsOf(document)) {
    const schema = bodySchema(document, operation)
    // Events of an unknown carrier are refused by their path, whatever their body is.
    if (!schema || BY_CARRIER.has(operation.operationId)) continue
    // With a key, the rotation of the key needs no body, and would end that key.
    const isRotation = operation.operationId === 'rotateApiKey'
    // A second factor belongs to a person, who shows the password or a code.
    const isPersons = PERSONS.has(operation.operationId)
    const isLogIn = LOG_IN.has(operation.operationId)
    const client = isLogIn ? anonymous : isRotation || isPersons ? withToken : operator
    const send = (body: unknown, headers?: Record<string, string>) => {
      asked++
      // Nobody has agreed to anything with this number.
      const address = path.replace('{number}', '0639980001').replaceAll(/\{\w+\}/g, String(child.id))
      return method === 'post' ? client.post(address, body, headers) : client.put(address, body, headers)
    }
    const isOneOfSeveral = ONE_OF_SEVERAL.has(operation.operationId)
    const isEmptyFine = (schema.required ?? []).length === 0 && !isOneOfSeveral && !isRotation && !isPersons
    for (const [name, body] of BODIES) {
      const { status } = await send(body)
      const isFine = isEmptyFine && (name === 'no body' || name === 'an empty object' || name === 'a prototype')
      assert.ok(
        (isFine ? [200, 404] : [400]).includes(status),
        `${operation.operationId} with ${name} answered ${status}`
      )
    }
    assert.equal((await send('a=1', { 'content-type': 'text/plain' })).status, 415)
    assert.equal((await send('<a/>', { 'content-type': 'application/xml' })).status, 415)
    const kibibytes = Number(/larger than (\d+) KiB/.exec(operation.responses[413]?.description ?? '')?.[1])
    assert.equal((await send(`{"x": "${'y'.repeat(kibibytes * 1024)}"}`)).status, 413)

    const example = operation.requestBody?.content['application/json']?.example ?? {}
    for (const [property, declared] of Object.entries(schema.properties ?? {})) {
      const isRight = Compile(inline(declared as object, document))
      for (const value of WRONG_VALUES) {
        // Null is absent, so it is wrong only for what is required.
        if (value === null && !schema.required?.includes(property)) continue
        const isNul = typeof value === 'string' && value.includes('\0')
        if (isRight.Check(value) && !isNul) continue
        const { status, text } = await send({ ...example, [property]: value })
        const isSmall = BY_LINK.has(operation.operationId) // Strangers may send only small bodies.
        const expected = isLogIn ? [400, 401, 413, 429] : isSmall ? [400, 413] : [400]
        const shown = JSON.stringify(value).slice(0, 40)
        assert.ok(expected.includes(status), `${operation.operationId}: ${property} = ${shown} answered ${text}`)
      }
    }
  }
  assert.ok(asked > 300, `only ${asked} requests`)
  assert.equal(JSON.stringify(await snapshot()), before)
})

test('an id that is 0, negative, huge or text is a 404 on every operation that takes one', async (t) => {
  const { operator, url } = await startService(t)
  const document = (await (await fetch(`${url}/openapi.json`)).json()) as OpenApi
  let asked = 0
  for (const { method, path, operation } of operationsOf(document)) {
    if (!path.includes('{id}')) continue
    const example = operation.requestBody?.content['application/json']?.example
    for (const id of [
      '0',
      '-1',
      '1.5',
      'abc',
      '99999999999999999999',
      '9007199254740993',
      '%00',
      '%F0%9F%98%80',
      '1%20',
      '0x1',
      '999999'
    ]) {
      const address = path.replace('{id}', id)
      const answer = await (method === 'get' || method === 'delete'
        ? operator[method](address)
        : operator.put(address, example))
      assert.deepEqual([answer.status, answer.body.code], [404, 'not_found'], `${method} ${address}`)
      asked++
    }
  }
  assert.ok(asked > 50)
})

/** Peers of carriers call these, and prove themselves in their own ways. */
const BY_CARRIER = new Set(['receiveRbmEvent', 'receiveHttpReceipts', 'receiveHttpReplies'])
/** Proven by a mailed link. */
const BY_LINK = new Set(['forgotPassword', 'resetPassword', 'lookAtInvitation', 'acceptInvitation'])

test('no operation but login answers without credentials, unless it is proven by a signature or a link', async (t) => {
  const { anonymous, url } = await startService(t)
  const document = (await (await fetch(`${url}/openapi.json`)).json()) as OpenApi
  for (const { method, path, operation } of operationsOf(document)) {
    const { operationId: id } = operation
    if (LOG_IN.has(id) || BY_LINK.has(id) || BY_CARRIER.has(id)) continue
    const address = path.replaceAll(/\{\w+\}/g, '1')
    const answer =
      method === 'get'
        ? await anonymous.get(address)
        : method === 'delete'
          ? await anonymous.delete(address)
          : await anonymous[method as 'post' | 'put'](address, {})
    assert.equal(answer.status, 401, operation.operationId)
  }
})

test('a time of a year that the database cannot hold is refused wherever a request names one', async (t) => {
  const { operator } = await startService(t)
  const early = ['0000-01-01T00:00:00Z', '0001-01-01T00:00:00+14:00']
  const late = '9999-12-31T23:59:59-14:00'
  const phone = '+33639980001'
  const send = { recipients: [phone], content: 'Bonjour' }
  const answers = [
    ...[...early, late].flatMap((time) => [
      operator.expect(400).post('/consents', { consents: [{ recipient: phone, given_at: time }] }),
      operator.expect(400).post('/consents/file', fileForm(`numero\n${phone}\n`, { given_at: time })),
      operator.expect(400).post('/webhooks/replay', { since: time }),
      operator.expect(400).post('/keys', { name: 'Shop', scopes: ['read'], expires_at: time }),
      operator.expect(400).post('/messages/sms', { ...send, deadline: time }),
      ...['/messages', '/audit', '/audit/extract'].flatMap((path) =>
        ['from', 'to'].map((name) => operator.expect(400).get(`${path}?${name}=${encodeURIComponent(time)}`))
      )
    ]),
    operator.expect(400).get('/messages?from=-000001-01-01T00:00:00Z'),
    operator.expect(400).get('/messages?to=%2B010000-01-01T00:00:00Z')
  ]
  for (const { body } of await Promise.all(answers)) {
    assert.deepEqual(
      body.details.map(({ message }: { message: string }) => message),
      ['must be in a year from 1 to 9999, in UTC']
    )
  }
  for (const path of ['/audit', '/audit/extract']) await operator.expect(400).get(`${path}?to=-000001-01-01T00:00:00Z`)
  await operator.expect(200).get('/messages?from=0001-01-01T00:00:00Z&to=9999-12-31T23:59:59Z')
  await operator.expect(200).get('/audit?from=0001-01-01T00:00:00Z&to=9999-12-31T23:59:59Z')
  const rule = { type: 'event', event: 'replied', op: 'happened' }
  for (const [since, status] of [
    ['9999-12-31', 400],
    ['9998-12-31', 200]
  ] as const) {
    await operator.expect(status).post('/segments/count', { match: 'all', rules: [{ ...rule, since }] })
  }
})

interface OpenApi {
  paths: Record<string, Record<string, DescribedOperation>>
  components: { schemas: Record<string, BodySchema> }
}
interface DescribedOperation {
  operationId: string
  responses: Record<string, { description: string }>
  requestBody?: {
    content: Record<string, { schema: BodySchema & { $ref?: string }; example?: Record<string, unknown> }>
  }
}
interface BodySchema {
  required?: string[]
  properties?: Record<string, unknown>
}

function operationsOf(document: OpenApi) {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation }))
  )
}

function bodySchema(document: OpenApi, operation: DescribedOperation): BodySchema | undefined {
  const schema = operation.requestBody?.content['application/json']?.schema
  const name = schema?.$ref?.split('/').at(-1)
  return name ? document.components.schemas[name] : schema
}

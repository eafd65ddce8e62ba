import { strict as assert } from 'node:assert'
import { createRequire } from 'node:module'
import type { TestContext } from 'node:test'
import { RECIPIENT_STATES } from '../../src/recipients/recipient.ts'
import { tracePost } from '../../src/webhooks/trace-post.ts'
import { dayAhead, instantOf } from '../checks/days-ahead.ts'
import { eventually } from '../checks/eventually.ts'
import { sendRcs, startRcs, untilRcsSummary } from '../messages/rcs.ts'
import { mobiles, send, untilReady, untilSummary } from '../messages/sending.ts'
import { type CollectedSpan, type Collector, startCollector } from '../peers/collector.ts'
import { startReceiver } from '../peers/receiver.ts'
import { carriersFile, carrierTo, startSmsc } from '../peers/smsc.ts'
import { startNode } from '../processes/nodes.ts'
import { startService, type TestAccount, type TestService, test } from '../service/service.ts'

const SPAN = 'b7ad6b7169203331'
/** The clock of the database decides when a message leaves. */
const CLOCKS_MS = 200
const traceOf = (digit: string) => digit.repeat(32)
/** All but the small package of interfaces, which prom-client loads in any case. */
const loaded = () =>
  Object.keys(createRequire(import.meta.url).cache).filter((path) => /@opentelemetry\/(?!api\/)/.test(path))

/** The first test of this file: a later one loads the libraries for the whole process. */
test('without its settings nothing of OpenTelemetry is loaded, and no trace is kept', async (t) => {
  const service = await startService(t, { settings: { CHAPPE_ROLES: 'all' } })
  const disabled = await service.startPeer(t, {
    settings: { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9', OTEL_SDK_DISABLED: 'true' }
  })
  for (const { operator } of [service, disabled]) {
    const traced = { 'x-api-key': operator.apiKey, traceparent: `00-${traceOf('a')}-${SPAN}-01` }
    await operator
      .as(traced)
      .expect(200)
      .post('/messages/sms', { recipients: ['+33612000000'], content: 'Bonjour' })
  }
  assert.deepEqual(await service.pool`select trace from messages`, [{ trace: null }, { trace: null }])
  assert.deepEqual(loaded(), [])
  assert.doesNotMatch(service.logLines.join(''), /trace_id/)
})

interface Traced extends TestService {
  collector: Collector
  account: TestAccount
  hook: Awaited<ReturnType<typeof startReceiver>>
  /** Sends with a traceparent, and returns the id of the message. */
  sendTraced(traceparent: string, fields: object): Promise<number>
}

async function startTraced(
  t: TestContext,
  settings: Record<string, string>,
  answer?: Parameters<typeof startReceiver>[1]
): Promise<Traced> {
  const collector = await startCollector(t)
  const hook = await startReceiver(t, answer)
  const service = await startService(t, {
    settings: {
      CHAPPE_WEBHOOK_ALLOW_PRIVATE: 'true',
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_HEADERS: 'api-key=a%20key',
      OTEL_SERVICE_NAME: 'sms',
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
      ...settings
    }
  })
  const account = await service.newAccount({ credits: 1_000 })
  await account.expect(200).put('/webhooks', { webhooks: [{ type: 'sms_status', url: hook.url }] })
  return {
    ...service,
    collector,
    account,
    hook,
    async sendTraced(traceparent, fields) {
      const client = account.as({ 'x-api-key': account.apiKey, traceparent, tracestate: 'shop=basket7' })
      const body = { content: 'Votre code est bleu clair', ...fields }
      return (await client.expect(200).post('/messages/sms', body)).body.message_id
    }
  }
}

/** The spans of a trace by name, once there are as many as said of each. */
async function untilSpans(
  collector: Collector,
  traceId: string,
  counts: Record<string, number>
): Promise<Record<string, CollectedSpan[]>> {
  return eventually(() => {
    const byName = Object.groupBy(collector.ofTrace(traceId), ({ name }) => name)
    const found = Object.fromEntries(Object.entries(byName).map(([name, spans]) => [name, spans?.length]))
    assert.deepEqual(found, counts)
    return byName as Record<string, CollectedSpan[]>
  })
}

const deliveredPosts = ({ hook }: Traced, messageId: number) =>
  hook.posts.filter(({ body }) =>
    body.data.some(
      (record: { message_id: number; deliver: number }) =>
        record.message_id === messageId && record.deliver === RECIPIENT_STATES.delivered
    )
  )

test('a message is one trace from its request to its webhooks, without personal data', async (t) => {
  const smsc = await startSmsc(t)
  const file = await carriersFile(t, [carrierTo(smsc)])
  const service = await startTraced(t, { CHAPPE_ROLES: 'all', CHAPPE_CARRIERS: file.path })
  const { collector, account, hook } = service
  await untilReady(service)
  assert.notDeepEqual(loaded(), [], 'the first test looks for these')

  const id = await service.sendTraced(`00-${traceOf('b')}-${SPAN}-01`, { recipients: ['+33612000001'] })
  await eventually(() => assert.equal(hook.posts.length, 2))
  const spans = await untilSpans(collector, traceOf('b'), {
    'POST /messages/sms': 1,
    'accept message': 1,
    submit: 1,
    receipt: 1,
    webhook: 2
  })
  const [request, accept] = [spans['POST /messages/sms']?.[0], spans['accept message']?.[0]]
  assert.ok(request && accept)
  assert.deepEqual([request.parentId, accept.parentId], [SPAN, request.spanId])
  for (const name of ['submit', 'receipt', 'webhook'])
    for (const span of spans[name] ?? []) assert.equal(span.parentId, accept.spanId, name)
  assert.deepEqual(request.resource, {
    'service.name': 'sms',
    'service.version': request.resource['service.version'],
    'deployment.environment.name': 'test'
  })
  assert.deepEqual(
    [request.kind, request.attributes['http.route'], request.attributes['http.response.status_code']],
    [2, '/messages/sms', 200]
  )
  assert.deepEqual(spans.submit?.[0]?.attributes, {
    'chappe.message.id': id,
    'chappe.carrier': 'main',
    'chappe.channel': 'sms',
    'chappe.recipients': 1,
    'chappe.outcome': 'accepted',
    'chappe.segments': 1
  })
  const received = spans.receipt?.[0]?.attributes ?? {}
  assert.deepEqual([received['chappe.state'], received['chappe.carrier']], ['delivered', 'main'])
  assert.ok(Number(received['chappe.receipt.delay_seconds']) >= 0)
  for (const { attributes } of spans.webhook ?? []) {
    assert.deepEqual(
      [attributes['chappe.event.type'], attributes['chappe.attempt'], attributes['http.response.status_code']],
      ['sms_status', 1, 200]
    )
  }
  // Each post has its own span, which the receiver goes on from.
  assert.deepEqual(
    hook.posts.map(({ headers }) => [headers.traceparent, headers.tracestate]).toSorted(),
    spans.webhook?.map(({ spanId }) => [`00-${traceOf('b')}-${spanId}-01`, 'shop=basket7']).toSorted()
  )
  const line = service.logLines.map((text) => JSON.parse(text)).find(({ trace_id: found }) => found === traceOf('b'))
  assert.deepEqual([line?.msg, line?.span_id], ['request', request.spanId])
  assert.equal(line.request_id, request.attributes['chappe.request.id'])
  assert.equal(collector.headers['api-key'], 'a key')

  // A caller that does not sample: nothing goes to the collector, and its webhooks get its trace as one that is not sampled.
  const quiet = await service.sendTraced(`00-${traceOf('c')}-${SPAN}-00`, { recipients: ['+33612000002'] })
  const [post] = await eventually(() => {
    const posts = deliveredPosts(service, quiet)
    assert.equal(posts.length, 1)
    return posts
  })
  assert.match(String(post?.headers.traceparent), new RegExp(`^00-${traceOf('c')}-[0-9a-f]{16}-00$`))

  // A traceparent that is not valid is ignored: the request begins a trace.
  const own = await service.sendTraced(`00-${traceOf('D')}-${SPAN}-01`, { recipients: ['+33612000003'] })
  const root = await eventually(() => {
    const found = collector.spans.find(
      ({ name, attributes }) => name === 'accept message' && attributes['chappe.message.id'] === own
    )
    assert.ok(found)
    return found
  })
  await untilSpans(collector, root.traceId, {
    'POST /messages/sms': 1,
    'accept message': 1,
    submit: 1,
    receipt: 1,
    webhook: 2
  })
  const first = collector.ofTrace(root.traceId).find(({ name }) => name === 'POST /messages/sms')
  assert.equal(first?.parentId, '')

  // A campaign has a span for what is handed over together, and none for each of its people.
  const campaign = await service.sendTraced(`00-${traceOf('e')}-${SPAN}-01`, { recipients: mobiles(30) })
  await untilSummary(account, campaign, { delivered: 30 })
  const ofCampaign = await eventually(() => {
    const found = collector.ofTrace(traceOf('e'))
    const handedOver = found.filter(({ name }) => name === 'submit batch')
    const total = handedOver.reduce((sum, { attributes }) => sum + Number(attributes['chappe.outcome.accepted']), 0)
    assert.equal(total, 30)
    return found
  })
  await eventually(() => assert.equal(hook.records().filter(({ message_id: of }) => of === campaign).length, 60))
  assert.deepEqual(
    new Set(ofCampaign.map(({ name }) => name)),
    new Set(['POST /messages/sms', 'accept message', 'submit batch'])
  )
  assert.ok(ofCampaign.length < 30)
  for (const { headers } of deliveredPosts(service, campaign)) assert.equal(headers.traceparent, undefined)

  assert.deepEqual(collector.ofTrace(traceOf('c')), [])
  for (const text of collector.texts) assert.doesNotMatch(text, /3361200000|bleu|Votre|basket7.{0,9}code/)
  assert.ok(!collector.texts.join('').includes(account.apiKey))
})

test('a post with events of several traces begins a trace of its own, with links to them', async (t) => {
  const { collector } = await startTraced(t, {})
  const traces = new Map([
    [1, `00-${traceOf('1')}-${SPAN}-01`],
    [2, `00-${traceOf('2')}-${SPAN}-01 shop=basket7`]
  ])
  const webhook = { id: 5, accountId: 1, type: 'sms_status' }
  const failed = { kind: 'failed', failure: 'timeout', error: 'It took too long.', ms: 1 } as const
  const headersFor = async (eventIds: number[]) => {
    let given: Record<string, string> = {}
    await tracePost({ webhook, delivery: { eventIds, attempts: 2 }, traces }, async (headers) => {
      given = headers
      return failed
    })
    return given
  }
  assert.deepEqual(await headersFor([8, 9]), {})
  assert.match((await headersFor([2])).traceparent ?? '', new RegExp(`^00-${traceOf('2')}-`))
  for (const eventIds of [
    [1, 2],
    [1, 9]
  ]) {
    const { traceparent = '' } = await headersFor(eventIds)
    const [, traceId = '', spanId] = traceparent.split('-')
    const { webhook: found = [] } = await untilSpans(collector, traceId, { webhook: 1 })
    const [span] = found
    assert.ok(span)
    assert.deepEqual([span.spanId, span.parentId, span.isFailed], [spanId, '', true])
    assert.deepEqual([span.attributes['chappe.attempt'], span.attributes['chappe.events']], [3, 2])
    const linked = eventIds.filter((id) => traces.has(id)).map((id) => `${traceOf(String(id))} ${SPAN}`)
    assert.deepEqual(span.links, linked)
  }
})

test('a scheduled message, a retried webhook and a post with several messages stay in their traces', async (t) => {
  const smsc = await startSmsc(t)
  const file = await carriersFile(t, [carrierTo(smsc)])
  let refused = 0
  const service = await startTraced(t, { CHAPPE_ROLES: 'api,delivery', CHAPPE_CARRIERS: file.path }, () =>
    refused++ === 0 ? 503 : 200
  )
  const { collector, account, hook } = service
  const single = await startReceiver(t, () => (single.posts.length === 1 ? 503 : 200))
  const webhooks = [
    { type: 'sms_status', url: hook.url, batch_size: 50 },
    { type: 'sms_status', url: single.url }
  ]
  await account.expect(200).put('/webhooks', { webhooks })
  await untilReady(service)
  const digits = ['1', '2', '3']
  const scheduledMs = Date.now() + 1_500
  for (const digit of digits) {
    const scheduled = digit === '3' ? { scheduleAt: new Date(scheduledMs).toISOString() } : {}
    const fields = { recipients: [`+3361200001${digit}`], ...scheduled }
    const id = await service.sendTraced(`00-${traceOf(digit)}-${SPAN}-01`, fields)
    await untilSummary(account, id, { delivered: 1 })
  }
  // All six events wait: the post of the first webhook has those of three traces.
  await service.startPeer(t, {
    settings: {
      CHAPPE_ROLES: 'webhooks',
      CHAPPE_WEBHOOK_ALLOW_PRIVATE: 'true',
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url
    }
  })
  await eventually(async () => {
    await service.pool`update webhook_deliveries set next_attempt_at = now() where next_attempt_at is not null`
    await service.pool`update webhook_turns set due_at = now()`
    assert.deepEqual([hook.posts.length, single.posts.length], [2, 7])
  })
  const traceIdOf = ({ headers }: { headers: object }) => /^00-(\w{32})-/.exec(String(Object(headers).traceparent))?.[1]
  const retried = traceIdOf(single.posts[0] ?? { headers: {} })
  const links: string[] = []
  for (const digit of digits) {
    const traceId = traceOf(digit)
    const attempts = traceId === retried ? [1, 1, 2] : [1, 1]
    const { 'accept message': [accept] = [], ...below } = await untilSpans(collector, traceId, {
      'POST /messages/sms': 1,
      'accept message': 1,
      submit: 1,
      receipt: 1,
      webhook: attempts.length
    })
    assert.ok(accept)
    links.push(`${traceId} ${accept.spanId}`)
    for (const name of ['submit', 'receipt', 'webhook']) {
      for (const { parentId } of below[name] ?? []) assert.equal(parentId, accept.spanId, name)
    }
    assert.deepEqual(below.webhook?.map(({ attributes }) => attributes['chappe.attempt']).toSorted(), attempts)
    if (digit === '3') assert.ok((below.submit?.[0]?.startedAtMs ?? 0) >= scheduledMs - CLOCKS_MS, 'it waited')
  }
  assert.ok(digits.map(traceOf).includes(retried ?? ''))
  for (const [index, post] of hook.posts.entries()) {
    const { webhook: [span] = [] } = await untilSpans(collector, traceIdOf(post) ?? '', { webhook: 1 })
    assert.ok(span)
    assert.deepEqual([span.parentId, span.links.toSorted(), span.isFailed], ['', links, index === 0])
    assert.deepEqual([span.attributes['chappe.attempt'], span.attributes['chappe.events']], [index + 1, 6])
  }
})

test('log lines about a request or a message have its trace, wherever they are written', async (t) => {
  const service = await startTraced(t, { CHAPPE_ROLES: 'api,webhooks', CHAPPE_DOORS: 'kannel' })
  const { collector, account, operator, pool } = service
  /** The line with these words has the trace, and the span of the acceptance if there is one. */
  const assertTraced = async (words: string, digit: string, name = 'accept message') => {
    await eventually(() => {
      const lines = service.logLines.filter((line) => line.includes(`"${words}"`)).map((line) => JSON.parse(line))
      const span = collector.ofTrace(traceOf(digit)).find((each) => each.name === name)
      assert.ok(span)
      const found = lines.filter((line) => line.trace_id === span.traceId && line.span_id === span.spanId)
      assert.ok(found.length === 1, `${words}: ${JSON.stringify(lines)}`)
    })
  }
  const day = dayAhead()
  const later = { scheduleAt: instantOf(day, '10:00') }
  const late = { recipients: ['+33612000021'], ...later, deadline: instantOf(day, '11:00') }
  await service.sendTraced(`00-${traceOf('6')}-${SPAN}-01`, late)
  await pool`update deadlines set deadline = now() - interval '1 second', next_at = now()`
  await assertTraced('a message is late for its deadline', '6')

  const { id: list } = (await account.expect(200).post('/contactlists', { name: 'Clients' })).body
  await account.expect(200).post('/contacts', { contactlist_id: list, contacts: [{ tel: '+33612000022' }] })
  const rules = [{ type: 'list', op: 'in', list_id: list }]
  const { id: segment } = (await account.expect(200).post('/segments', { name: 'All', match: 'all', rules })).body
  const client = account.as({ 'x-api-key': account.apiKey, traceparent: `00-${traceOf('7')}-${SPAN}-01` })
  const toSegment = { segments: [segment], content: 'Bonjour', ...later }
  await client.expect(200).post('/messages/sms/contactlist', toSegment)
  // One credit is reserved for the message before.
  await operator.expect(200).put(`/accounts/${account.id}/credits`, { credits: -999, msgType: 1 })
  await pool`update departures set due_at = now()`
  await assertTraced('a departure was refused', '7')

  await operator.expect(200).put(`/accounts/${account.id}/credits`, { credits: 10, msgType: 1 })
  const through = async (digit: string) => {
    const url = `http://127.0.0.1:9/${'%A'.repeat(900)}`
    const fields = { to: '33639980013', text: 'Bonjour', deferred: '60', 'dlr-mask': '31', 'dlr-url': url }
    const query = new URLSearchParams({ username: account.appId, password: account.apiKey, ...fields })
    const headers = { traceparent: `00-${traceOf(digit)}-${SPAN}-01` }
    return (await fetch(`${service.url}/cgi-bin/sendsms?${query}`, { headers })).status
  }
  assert.equal(await through('8'), 202)
  const { body } = await account.expect(200).get('/messages?limit=1')
  await account.expect(200).put(`/messages/${body.items[0].id}/cancel`)
  await assertTraced('callback given up', '8')

  // A door whose table is gone.
  await pool`alter table message_callbacks rename to gone`
  assert.equal(await through('9'), 503)
  await assertTraced('request failed', '9', 'GET /cgi-bin/sendsms')
  await pool`alter table gone rename to message_callbacks`
})

test('an RCS and what its platform tells are one trace, too', async (t) => {
  const collector = await startCollector(t)
  const hook = await startReceiver(t)
  const service = await startRcs(t, {
    settings: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, CHAPPE_WEBHOOK_ALLOW_PRIVATE: 'true' }
  })
  const { operator } = service
  await operator.expect(200).put('/webhooks', { webhooks: [{ type: 'rcs_status', url: hook.url }] })
  const id = await sendRcs(operator, ['+33639980001'])
  await untilRcsSummary(operator, id, { delivered: 1 })
  await eventually(() => {
    const accept = collector.spans.find(({ attributes }) => attributes['chappe.message.id'] === id)
    assert.ok(accept)
    const below = collector.ofTrace(accept.traceId).filter(({ attributes }) => attributes['chappe.channel'] === 'rcs')
    const told = below.map(({ name, attributes }) => [name, attributes['chappe.outcome'] ?? attributes['chappe.state']])
    assert.deepEqual(told.toSorted(), [
      ['accept message', undefined],
      ['receipt', 'delivered'],
      ['submit', 'accepted']
    ])
    assert.ok(hook.posts.length >= 2)
    for (const { headers } of hook.posts) assert.ok(headers.traceparent?.includes(accept.traceId))
  })
})

test('a message that another process delivers is the same trace', async (t) => {
  const smsc = await startSmsc(t)
  const file = await carriersFile(t, [carrierTo(smsc)])
  const service = await startTraced(t, { CHAPPE_CARRIERS: file.path })
  const { collector } = service
  const id = await service.sendTraced(`00-${traceOf('f')}-${SPAN}-01`, { recipients: ['+33612000004'] })
  await untilSpans(collector, traceOf('f'), { 'POST /messages/sms': 1, 'accept message': 1 })
  const node = await startNode(t, service, {
    carriersPath: file.path,
    settings: {
      CHAPPE_ROLES: 'delivery,webhooks',
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${collector.url}/v1/traces`,
      OTEL_SERVICE_NAME: 'sms-delivery'
    }
  })
  await untilSummary(service.account, id, { delivered: 1 })
  await eventually(() => assert.equal(service.hook.posts.length, 2))
  // Its stop gives the collector the last spans.
  assert.deepEqual(await node.stop(), { code: 0, signal: null })
  const spans = await untilSpans(collector, traceOf('f'), {
    'POST /messages/sms': 1,
    'accept message': 1,
    submit: 1,
    receipt: 1,
    webhook: 2
  })
  const acceptId = spans['accept message']?.[0]?.spanId
  for (const name of ['submit', 'receipt', 'webhook']) {
    for (const span of spans[name] ?? []) {
      assert.deepEqual([span.parentId, span.resource['service.name']], [acceptId, 'sms-delivery'], name)
    }
  }
})

test('without its collector the service works on, and what is dropped is counted and told once', async (t) => {
  const service = await startService(t, {
    settings: { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9', OTEL_EXPORTER_OTLP_TIMEOUT: '100' }
  })
  const failedSpans = async () => {
    const text = await (await fetch(`${service.url}/metrics`)).text()
    return Number(/chappe_trace_spans_total\{outcome="failed"\} (\d+)/.exec(text)?.[1] ?? 0)
  }
  const before = await failedSpans()
  for (const count of [2, 4]) {
    await send(service.operator, { recipients: ['+33612000005'] })
    await eventually(async () => assert.ok((await failedSpans()) >= before + count))
  }
  const told = service.logLines.filter((line) => line.includes('collector does not take spans'))
  assert.equal(told.length, 1)
  await service.stop()
})

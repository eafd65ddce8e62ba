import { strict as assert } from 'node:assert'
import { test } from 'node:test'
import { eventually } from '../../../test/checks/eventually.ts'
import type { OutboundMessage, SubmitOutcome } from '../carrier.ts'
import { answerJson, type OnRequest, PHONE, startProvider, startTestCarrier, toCarrier } from './http.samples.ts'

let reference = 1

function toMessage(fields: Partial<OutboundMessage> = {}): OutboundMessage {
  const expiresAt = new Date(Date.now() + 3_600_000)
  return { reference: reference++, from: 'CHAPPE', to: PHONE, text: 'Bonjour', expiresAt, ...fields }
}

const accept: OnRequest = (_, response) => answerJson(response, 200, { id: 'm-1' })

/** What can break out of a place: quotes, line breaks, braces, percent signs, NUL, half a surrogate pair, an emoji. */
const HOSTILE = 'a"b\\c\r\nX-Evil: 1\r\n\r\n{"to":"+1"}&to=+1%0d%0a{{secret:key}}\u0000\ud83d 👋é<>#?;='

test('a hostile text stays in its place: in JSON, in a form, in an address and in a header', async (t) => {
  const provider = await startProvider(t, accept)
  const message = toMessage({ text: HOSTILE, from: 'A\r\nX-Evil: 1' })
  const places = { 'X-From': '{{from}}', 'X-Key': '{{secret:key}}' }

  const json = toCarrier(provider.url, {
    request: {
      url: `${provider.url}/send/{{from}}?q={{text}}`,
      headers: places,
      query: { text: '{{text}}' },
      json: { text: '{{text}}', both: 'x {{text}} y', list: ['{{to_digits}}'], isUnicode: '{{unicode}}', same: 7 }
    }
  })
  assert.equal((await (await startTestCarrier(t, json)).carrier.submit(message)).kind, 'accepted')
  const [asJson] = provider.got.splice(0)
  const wellFormed = HOSTILE.toWellFormed()
  assert.deepEqual(JSON.parse(asJson?.text ?? ''), {
    text: HOSTILE,
    both: `x ${HOSTILE} y`,
    list: ['33639980001'],
    isUnicode: true,
    same: 7
  })
  assert.equal(asJson?.url.pathname, `/send/${encodeURIComponent('A\r\nX-Evil: 1')}`)
  assert.deepEqual(asJson?.url.searchParams.getAll('q'), [wellFormed])
  assert.deepEqual(asJson?.url.searchParams.getAll('text'), [wellFormed])
  assert.deepEqual([asJson?.headers['x-from'], asJson?.headers['x-evil']], ['AX-Evil: 1', undefined])
  assert.equal(asJson?.headers['x-key'], 'k-1')

  const form = toCarrier(provider.url, {
    request: { url: `${provider.url}/send`, form: { to: '{{to}}', text: '{{text}}', type: '{{unicode:uni|text}}' } }
  })
  const { carrier } = await startTestCarrier(t, form)
  await carrier.submit(message)
  await carrier.submit(toMessage({ text: 'GSM' }))
  const [asForm, plain] = provider.got
  assert.equal(asForm?.headers['content-type'], 'application/x-www-form-urlencoded')
  assert.deepEqual(
    [...new URLSearchParams(asForm?.text)],
    [
      ['to', PHONE],
      ['text', wellFormed],
      ['type', 'uni']
    ]
  )
  assert.equal(new URLSearchParams(plain?.text).get('type'), 'text')
})

test('a value that a message does not have leaves its member out', async (t) => {
  const provider = await startProvider(t, accept)
  const request = { url: `${provider.url}/send`, json: { to: '{{to}}', mode: '{{unicode:ucs2}}' } }
  const { carrier } = await startTestCarrier(t, toCarrier(provider.url, { request }))
  await carrier.submit(toMessage())
  await carrier.submit(toMessage({ text: '👋' }))
  assert.deepEqual(
    provider.got.map(({ text }) => JSON.parse(text)),
    [{ to: PHONE }, { to: PHONE, mode: 'ucs2' }]
  )
})

test('a binary message needs a place for its bytes, and flash, priority and validity have places', async (t) => {
  const provider = await startProvider(t, accept)
  const binary = { udh: Buffer.from('050003010201', 'hex'), data: Buffer.from([0, 255]) }
  const { carrier: plain } = await startTestCarrier(t, toCarrier(provider.url))
  const refused = { kind: 'rejected', reason: 'binary_unsupported', carrierMessageIds: [] }
  assert.deepEqual(await plain.submit(toMessage({ binary, text: '' })), refused)
  assert.equal(provider.got.length, 0)
  const json = { text: '{{text}}', data: '{{data}}', udh: '{{udh}}', class: '{{flash:0}}', ttl: '{{validity}}' }
  const { carrier } = await startTestCarrier(t, toCarrier(provider.url, { request: { url: provider.url, json } }))
  assert.equal((await carrier.submit(toMessage({ binary, text: '' }))).kind, 'accepted')
  await carrier.submit(toMessage({ flash: true, expiresAt: new Date(Date.now() + 90_500) }))
  const [bytes, flash] = provider.got.map(({ text }) => JSON.parse(text))
  assert.deepEqual([bytes.data, bytes.udh, 'text' in bytes, 'class' in bytes], ['00ff', '050003010201', false, false])
  assert.deepEqual([flash.text, flash.class, 'data' in flash], ['Bonjour', '0', false])
  assert.ok(flash.ttl >= 80 && flash.ttl <= 90, String(flash.ttl))
})

test('the id of a number that JavaScript would round is the number', async (t) => {
  const provider = await startProvider(t, (_, response) => {
    response.writeHead(200).end('{"id": 12345678901234567891}')
  })
  const { carrier } = await startTestCarrier(t, toCarrier(provider.url))
  assert.deepEqual(await carrier.submit(toMessage()), { kind: 'accepted', carrierMessageIds: ['12345678901234567891'] })
})

test('a provider without ids of its own names messages by ours', async (t) => {
  const provider = await startProvider(t, (_, response) => response.writeHead(204).end())
  const { carrier } = await startTestCarrier(t, toCarrier(provider.url, { answer: {} }))
  const message = toMessage()
  const ids = [String(message.reference)]
  assert.deepEqual(await carrier.submit(message), { kind: 'accepted', carrierMessageIds: ids })
})

/** What a misbehaving provider does, and how the message ends. */
const MISBEHAVIOURS: [what: string, onRequest: OnRequest, kind: SubmitOutcome['kind'], reason: RegExp][] = [
  ['fails after it took it', (_, response) => answerJson(response, 500, {}), 'in-doubt', /^HTTP 500$/],
  [
    'cuts its answer off',
    (_, response) => {
      response.writeHead(200, { 'content-length': '100' })
      response.write('{"id":')
      setTimeout(() => response.socket?.resetAndDestroy(), 20)
    },
    'in-doubt',
    /closed the connection/
  ],
  [
    'answers with something huge',
    (_, response) => {
      response.writeHead(200)
      response.end(Buffer.alloc(1024 * 1024, 'x'))
    },
    'in-doubt',
    /without an id/
  ],
  ['accepts without an id', (_, response) => answerJson(response, 200, { ok: 1 }), 'in-doubt', /without an id/],
  ['redirects', (_, response) => response.writeHead(302, { location: '/elsewhere' }).end(), 'retry', /^HTTP 302$/],
  [
    'does not know the key',
    (_, response) => answerJson(response, 401, { error: { code: 20003, message: 'Authenticate\r\nplease\u0000' } }),
    'retry',
    /^20003 Authenticate please$/
  ],
  [
    'refuses with a code',
    (_, response) => answerJson(response, 422, { error: { code: 21211, message: 'bad\r\nnumber\u0000' } }),
    'rejected',
    /^21211$/
  ]
]

for (const [what, onRequest, kind, reason] of MISBEHAVIOURS) {
  test(`a provider that ${what}: ${kind}`, async (t) => {
    const provider = await startProvider(t, onRequest)
    const { carrier } = await startTestCarrier(t, toCarrier(provider.url, { answerTimeout: 1 }))
    const outcome = await carrier.submit(toMessage())
    assert.equal(outcome.kind, kind)
    assert.match('reason' in outcome ? outcome.reason : '', reason)
    assert.equal(provider.got.length, 1)
  })
}

test('a provider that was never reached leaves no doubt', async (t) => {
  const { carrier } = await startTestCarrier(t, toCarrier('http://127.0.0.1:1'))
  const outcome = await carrier.submit(toMessage())
  assert.ok(outcome.kind === 'retry' && outcome.isUntried)
  assert.match(outcome.reason, /refused the connection/)
})

test('with an idempotency key a request is repeated, and what stays unanswered is in doubt', async (t) => {
  const provider = await startProvider(t, (_, response) => {
    if (provider.got.length === 1) response.socket?.resetAndDestroy()
    else if (provider.got.length === 2) answerJson(response, 500, {})
    else answerJson(response, 200, { id: 'm-1' })
  })
  const { carrier } = await startTestCarrier(t, toCarrier(provider.url, { idempotent: true }))
  const message = toMessage()
  assert.equal((await carrier.submit(message)).kind, 'accepted')
  const keys = provider.got.map(({ headers }) => headers['idempotency-key'])
  assert.equal(keys.length, 3)
  assert.equal(new Set(keys).size, 1)
  assert.match(String(keys[0]), /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-a[0-9a-f]{3}-[0-9a-f]{12}$/)

  provider.onRequest = (_, response) => answerJson(response, 503, {})
  assert.equal((await carrier.submit(toMessage())).kind, 'in-doubt')
  assert.equal(provider.got.length, 6)
  assert.notEqual(provider.got[3]?.headers['idempotency-key'], keys[0])
})

test('a repeat that is told to come later leaves its request in doubt', async (t) => {
  for (const [status, headers] of [
    [429, {}],
    [401, {}],
    [503, { 'retry-after': '1' }]
  ] as const) {
    const provider = await startProvider(t, (_, response) => {
      if (provider.got.length === 1) response.socket?.resetAndDestroy()
      else response.writeHead(status, headers).end()
    })
    const rules = [{ status: '503', means: 'temporary' }]
    const { carrier } = await startTestCarrier(t, toCarrier(provider.url, { idempotent: true, answer: { rules } }))
    const outcome = await carrier.submit(toMessage())
    assert.ok(outcome.kind === 'in-doubt', `${status}: ${outcome.kind}`)
    assert.match(outcome.reason, /closed the connection/)
    assert.equal(provider.got.length, 2)
  }
})

test('a repeat that finds nobody is repeated again, and leaves its request in doubt', async (t) => {
  const provider = await startProvider(t, () => provider.stop())
  const { carrier } = await startTestCarrier(t, toCarrier(provider.url, { idempotent: true }))
  const outcome = await carrier.submit(toMessage())
  assert.ok(outcome.kind === 'in-doubt', outcome.kind)
  assert.equal(provider.got.length, 1)
})

test('rules decide in their order, by status and by field, before the status alone does', async (t) => {
  const provider = await startProvider(t, accept)
  const answer = {
    id: 'messages[*].id',
    code: 'messages[0].status',
    rules: [
      { status: '503', means: 'temporary', delay: 7 },
      { status: '2xx', field: 'messages[0].status', is: ['1'], means: 'throttled' },
      { field: 'messages[*].status', is: ['9', '8'], means: 'temporary' },
      { field: 'messages[0].status', is: ['0'], means: 'accepted' },
      { status: '2xx', means: 'refused' }
    ]
  }
  const { carrier } = await startTestCarrier(t, toCarrier(provider.url, { answer }))
  const outcomeOf = async (status: number, messages: object[]) => {
    provider.onRequest = (_, response) => answerJson(response, status, { messages })
    return carrier.submit(toMessage())
  }
  const parts = [
    { status: 0, id: 'a' },
    { status: 0, id: 'b' }
  ]
  assert.deepEqual(await outcomeOf(200, parts), { kind: 'accepted', carrierMessageIds: ['a', 'b'] })
  assert.deepEqual(await outcomeOf(503, []), { kind: 'retry', reason: 'HTTP 503', delaySeconds: 7 })
  const busy = await outcomeOf(200, [{ status: '8' }])
  assert.deepEqual(busy, { kind: 'retry', reason: '8', delaySeconds: 10 })
  assert.equal((await outcomeOf(200, [{ status: '33' }])).kind, 'rejected')
  assert.equal((await outcomeOf(200, [{ status: '1' }])).kind, 'retry')
})

test('a provider that asks to wait is not asked meanwhile', async (t) => {
  const provider = await startProvider(t, (_, response) => answerJson(response, 429, {}, { 'retry-after': '60' }))
  const { carrier } = await startTestCarrier(t, toCarrier(provider.url))
  const first = await carrier.submit(toMessage())
  assert.ok(first.kind === 'retry' && first.delaySeconds === 60)
  const second = await carrier.submit(toMessage())
  assert.ok(second.kind === 'retry' && second.isUntried && second.delaySeconds > 50)
  assert.equal(provider.got.length, 1)
  assert.deepEqual([carrier.capacity, carrier.status().isUp], [0, false])
})

test('a provider that keeps failing is down, is tried with one message, and is up again', async (t) => {
  const provider = await startProvider(t, (_, response) => answerJson(response, 403, {}))
  const { carrier } = await startTestCarrier(t, toCarrier(provider.url))
  for (let failures = 0; failures < 10; failures++) assert.equal((await carrier.submit(toMessage())).kind, 'retry')
  assert.deepEqual([carrier.status().isUp, carrier.capacity], [false, 0])
  assert.equal(carrier.status().traffic?.lastError?.message, 'HTTP 403')
  provider.onRequest = accept
  await eventually(() => assert.equal(carrier.capacity, 1))
  assert.equal((await carrier.submit(toMessage())).kind, 'accepted')
  assert.deepEqual([carrier.status().isUp, carrier.capacity], [true, 20])
})

test('no more requests are under way than it has connections, and a stop waits for them', async (t) => {
  const held: (() => void)[] = []
  const provider = await startProvider(t, (_, response) => held.push(() => answerJson(response, 200, { id: 'm' })))
  const { carrier } = await startTestCarrier(t, toCarrier(provider.url, { connections: 2 }))
  const outcomes = Array.from({ length: 4 }, () => carrier.submit(toMessage()))
  await eventually(() => assert.equal(held.length, 2))
  assert.equal(carrier.status().traffic?.inFlight, 4)
  const stopped = carrier.stop()
  for (const release of held) release()
  await stopped
  const kinds = (await Promise.all(outcomes)).map(({ kind }) => kind)
  assert.deepEqual(kinds.sort(), ['accepted', 'accepted', 'retry', 'retry'])
  assert.equal(provider.got.length, 2)
})

import { strict as assert } from 'node:assert'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import fc from 'fast-check'
import { parseCarriersFile } from '../carriers-file.ts'
import { mistakesOf, readOne, toCarrier, toFile } from './http.samples.ts'
import { parsePath, valuesAt } from './value-paths.ts'

const URL = 'https://api.example.com'
const request = (fields: object) => ({ request: { url: `${URL}/send`, json: { to: '{{to}}' }, ...fields } })
const receipts = (fields: object) => ({
  ...request({}),
  receipts: { id: 'id', state: 'state', states: {}, proof: { by: 'address', secret: 's' }, ...fields }
})

const MISTAKES: [fields: object, ...mistakes: string[]][] = [
  [{ request: undefined }, 'request: is missing.'],
  [
    request({ url: 'https://{{secret:key}}.example.com/' }),
    'request.url: must be an http or https address whose host holds no places and no credentials, such as https://api.example.com/sms.'
  ],
  [
    request({ url: 'ftp://example.com' }),
    'request.url: must be an http or https address whose host holds no places and no credentials, such as https://api.example.com/sms.'
  ],
  [request({ metod: 'POST' }), 'request.metod: is not a known key; perhaps "method" is meant.'],
  [request({ method: 'DELETE' }), 'request.method: must be one of "GET", "POST", "PUT"; it is "DELETE".'],
  [request({ form: { to: '{{to}}' } }), 'request.form: must not be given beside json: a request has one body.'],
  [request({ method: 'GET' }), 'request.method: must be POST or PUT for a request with a body; it is "GET".'],
  [request({ json: { to: '{{to' } }), 'request.json.to: must close each place, and name it, as in {{to}}.'],
  [
    request({ json: { list: [{ to: '{{tto}}' }] } }),
    'request.json.list[0].to: holds {{tto}}, which is no known place; perhaps "to" is meant.'
  ],
  [
    request({ headers: { Authorization: 'App {{secret:kez}}' } }),
    'request.headers.Authorization: holds {{secret:kez}}, and secrets has no such name; perhaps "key" is meant.'
  ],
  [
    request({ headers: { 'X-Text': '{{text}}' } }),
    'request.headers["X-Text"]: must not hold {{text}}: a header takes no line breaks and no accents.'
  ],
  [
    { ...request({ json: { hook: '{{callback:receipts}}' } }), callbackUrl: undefined },
    'request.json.hook: holds {{callback:receipts}}, which needs callbackUrl and a proof in receipts or replies.'
  ],
  [request({ json: { to: '{{to:x}}' } }), 'request.json.to: holds {{to:x}}, and {{to}} takes nothing after a colon.'],
  [
    { ...request({}), idempotent: true },
    'idempotent: needs {{idempotency_key}} or {{id}} in the request, by which a repeat is known.'
  ],
  [
    { callbackUrl: 'sms.example.com' },
    'callbackUrl: must be the http or https address of this service, without credentials and query, such as https://sms.example.com.'
  ],
  [{ answer: { id: 'a..b' } }, 'answer.id: must be a path such as "messages[0].id"; it is "a..b".'],
  [
    { answer: { rules: [{ status: '2', means: 'accepted' }] } },
    'answer.rules[0].status: must be a status such as "429", or "5xx"; it is "2".'
  ],
  [{ answer: { rules: [{ means: 'accepted' }] } }, 'answer.rules[0]: needs a status or a field to look at.'],
  [
    { answer: { rules: [{ status: '200', is: ['1'], means: 'fine' }] } },
    'answer.rules[0].means: must be one of "accepted", "throttled", "temporary", "refused", "in-doubt"; it is "fine".',
    'answer.rules[0].is: needs a field to compare with.'
  ],
  [receipts({ proof: undefined }), 'receipts: needs a proof, for what the provider posts, or a poll.'],
  [
    receipts({ proof: { by: 'hmac', secret: '{{secret:hook}}' } }),
    'receipts.proof.header: is missing: a proof by hmac stands in a header.'
  ],
  [
    receipts({ states: { OK: 'arrived' } }),
    'receipts.states.OK: must be one of "delivered", "failed", "expired", "rejected", "unknown", "pending"; it is "arrived".'
  ],
  [
    receipts({ proof: undefined, poll: { request: { url: `${URL}/x?after={{to}}` } } }),
    'receipts.poll.request.url: holds {{to}}, which is no known place.'
  ],
  [
    { replies: { from: 'f', to: 't', text: 'x', poll: { request: { url: URL }, every: 0 } } },
    'replies.poll.every: must be at least 0.05; it is 0.',
    'replies.id: is missing: a polled reply that is read again is known by its id.'
  ],
  [{ connections: 0 }, 'connections: must be at least 1; it is 0.']
]

test('each mistake has its place and a sentence, and no secret is repeated', () => {
  assert.deepEqual(mistakesOf(toCarrier(URL)), [])
  for (const [fields, ...mistakes] of MISTAKES) {
    const carrier = JSON.parse(JSON.stringify(toCarrier(URL, fields)))
    assert.deepEqual(mistakesOf(carrier).sort(), mistakes.sort(), JSON.stringify(fields))
  }
  const secret = 'do-not-repeat'
  const leaky = toCarrier(URL, {
    secrets: { key: secret, hook: 7 },
    request: { url: `nonsense ${secret}`, headers: { A: `${secret}{{` }, json: `${secret}{{nothing}}` }
  })
  const told = mistakesOf(leaky)
  assert.ok(told.length >= 4, told.join('\n'))
  assert.ok(!told.join('\n').includes(secret), told.join('\n'))
})

test('a secret is read from its file, which must hold one', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'chappe-http-'))
  t.after(() => rmSync(folder, { recursive: true }))
  writeFileSync(join(folder, 'token'), '  from-a-file\n')
  writeFileSync(join(folder, 'empty'), '\n')
  const withFile = (file: string) => toFile(toCarrier(URL, { secrets: { key: { file }, hook: 'h' } }))
  const { carriers } = parseCarriersFile(withFile('token'), { path: 'f', folder })
  const { secretTexts } = { secretTexts: {}, ...carriers[0]?.settings }
  assert.deepEqual(secretTexts, { key: 'from-a-file', hook: 'h' })
  for (const [file, problem] of [
    ['empty', 'names a file that is empty'],
    ['missing', "names a file that can't be read: there is no such file"]
  ] as const) {
    assert.throws(() => parseCarriersFile(withFile(file), { path: 'f', folder }), {
      message: `f, line 1, carriers[0].secrets.key.file: ${problem}; it is "${file}".`
    })
  }
})

test('what is absent has its default', () => {
  const { connections, throughput, answerTimeout, idempotent, idsPer, receipts } = readOne(
    toCarrier(URL, { answerTimeout: undefined })
  )
  assert.deepEqual([connections, throughput, answerTimeout, idempotent, idsPer], [20, 0, 10, false, 'message'])
  assert.deepEqual(receipts?.proof, {
    by: 'hmac',
    header: 'X-Signature',
    secret: '{{secret:hook}}',
    prefix: '',
    algorithm: 'sha256',
    encoding: 'hex',
    of: 'body'
  })
})

test('a path finds what stands there, and nothing in what is made otherwise', () => {
  const root = { a: [{ 'b-c': 1 }, { 'b-c': 2 }], d: { e: null } }
  const at = (path: string) => valuesAt(root, parsePath(path) ?? [])
  assert.deepEqual(
    [at('a[0].b-c'), at('a[-1].b-c'), at('a[*].b-c'), at('d.e'), at('toString'), at('a[7].b-c')],
    [[1], [2], [1, 2], [], [], []]
  )
  for (const wrong of ['', '.', 'a.', '.a', 'a[', 'a[x]', 'a]', 'a.[0]', 'a[0]b'])
    assert.equal(parsePath(wrong), undefined)
  fc.assert(
    fc.property(fc.string(), fc.jsonValue(), (path, value) => {
      const steps = parsePath(path)
      if (steps) assert.ok(Array.isArray(valuesAt(value, steps)))
    })
  )
})

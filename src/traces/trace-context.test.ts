import { strict as assert } from 'node:assert'
import { test } from 'node:test'
import { readPairs } from './settings.ts'
import { readTraceContext, toTraceParts, traceHeaders } from './trace-context.ts'

const TRACE = '0af7651916cd43dd8448eb211c80319c'
const SPAN = 'b7ad6b7169203331'

test('a valid traceparent is read, and passed on as version 00 with the sampled flag alone', () => {
  const cases: Record<string, string> = {
    [`00-${TRACE}-${SPAN}-01`]: `00-${TRACE}-${SPAN}-01`,
    [`00-${TRACE}-${SPAN}-00`]: `00-${TRACE}-${SPAN}-00`,
    [`00-${TRACE}-${SPAN}-03`]: `00-${TRACE}-${SPAN}-01`,
    [`00-${TRACE}-${SPAN}-fe`]: `00-${TRACE}-${SPAN}-00`,
    [`cc-${TRACE}-${SPAN}-01`]: `00-${TRACE}-${SPAN}-01`,
    [`cc-${TRACE}-${SPAN}-01-what-the-future-holds`]: `00-${TRACE}-${SPAN}-01`
  }
  for (const [traceparent, passedOn] of Object.entries(cases)) {
    const context = readTraceContext({ traceparent })
    assert.ok(context, traceparent)
    assert.deepEqual(traceHeaders(context), { traceparent: passedOn })
    assert.deepEqual(toTraceParts(context), {
      traceId: TRACE,
      spanId: SPAN,
      isSampled: passedOn.endsWith('01'),
      state: ''
    })
  }
})

test('a traceparent that is not valid is as none', () => {
  const wrong = [
    '',
    'nonsense',
    `00-${TRACE}-${SPAN}`,
    `00-${TRACE}-${SPAN}-1`,
    `00-${TRACE}-${SPAN}-01-more`,
    `00-${TRACE}-${SPAN}-01 `,
    `cc-${TRACE}-${SPAN}-01.more`,
    `ff-${TRACE}-${SPAN}-01`,
    `00-${'0'.repeat(32)}-${SPAN}-01`,
    `00-${TRACE}-${'0'.repeat(16)}-01`,
    `00-${TRACE.toUpperCase()}-${SPAN}-01`,
    `00-${TRACE.slice(1)}-${SPAN}-01`,
    `00-${TRACE}-${SPAN}-01, 00-${TRACE}-${SPAN}-01`
  ]
  for (const traceparent of wrong) assert.equal(readTraceContext({ traceparent }), undefined, traceparent)
  assert.equal(readTraceContext({}), undefined)
})

test('a tracestate is passed on as long as it is valid and short, and left out otherwise', () => {
  const traceparent = `00-${TRACE}-${SPAN}-01`
  const stateOf = (tracestate: string) => {
    const context = readTraceContext({ traceparent, tracestate })
    assert.ok(context)
    return traceHeaders(context)
  }
  assert.deepEqual(stateOf('rojo=00f067aa0ba902b7, congo=t61rcWkgMzE'), {
    traceparent,
    tracestate: 'rojo=00f067aa0ba902b7,congo=t61rcWkgMzE'
  })
  const left = ['', ' , ', 'novalue', 'UPPER=1', 'a=b=c', 'a=\u00e9', `a=${'x'.repeat(257)}`]
  const tooMany = Array.from({ length: 33 }, (_, index) => `k${index}=1`).join(',')
  const tooLong = Array.from({ length: 4 }, (_, index) => `k${index}=${'x'.repeat(150)}`).join(',')
  for (const state of [...left, tooMany, tooLong]) assert.deepEqual(stateOf(state), { traceparent }, state)
})

test('headers and attributes are read as OpenTelemetry writes them', () => {
  assert.deepEqual(readPairs(''), {})
  assert.deepEqual(readPairs('api-key=a%20b%2Cc, x=1=2,'), { 'api-key': 'a b,c', x: '1=2' })
  for (const wrong of ['alone', '=value', 'a b=c', 'a=%zz']) assert.equal(readPairs(wrong), undefined, wrong)
})

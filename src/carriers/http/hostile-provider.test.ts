import { strict as assert } from 'node:assert'
import { test } from 'node:test'
import fc from 'fast-check'
import { ANY_CHARACTER } from '../../../test/checks/any-character.ts'
import type { InboundMessage, Receipt } from '../carrier.ts'
import { readOne, toCarrier } from './http.samples.ts'
import { handInNews } from './news.ts'
import { AnswerReader } from './submit-outcomes.ts'

/* Whatever a provider answers or posts, what is made of it can be stored: in a text, in JSON, and within its length. */

const odd = fc.oneof(
  fc.constantFrom(
    'a\0b',
    '\ud800',
    `${'x'.repeat(63)}😀`,
    `${'x'.repeat(254)}😀`,
    `${'x'.repeat(199)}😀`,
    '\r\n\u0007'
  ),
  fc.string({ unit: ANY_CHARACTER, maxLength: 400 }),
  fc.jsonValue(),
  fc.constant(1e308)
)
const field = (...names: string[]) =>
  fc.record(Object.fromEntries(names.map((name) => [name, odd])), { requiredKeys: [] })

function assertStorable(value: unknown, lengthMax: number): void {
  assert.equal(typeof value, 'string')
  const text = String(value)
  assert.ok(!text.includes('\0') && text.isWellFormed() && text.length <= lengthMax, JSON.stringify(text))
}

test('no answer of a provider makes an outcome that can’t be stored', () => {
  const reader = new AnswerReader({ rules: [], id: 'id', code: 'error.code', reason: 'error.message' })
  const bodies = fc.oneof(
    fc.record({ id: odd, error: field('code', 'message') }, { requiredKeys: [] }).map((body) => JSON.stringify(body)),
    fc.string(),
    fc.constantFrom('['.repeat(100_000), `${'['.repeat(50_000)}12345678901234567${']'.repeat(50_000)}`)
  )
  fc.assert(
    fc.property(fc.constantFrom(200, 202, 302, 400, 404, 429, 500), bodies, (status, text) => {
      const { outcome } = reader.read({ kind: 'answered', status, retryAfterSeconds: undefined, text }, '7')
      if ('reason' in outcome) assertStorable(outcome.reason, 200)
      if (outcome.kind === 'accepted') for (const id of outcome.carrierMessageIds) assertStorable(id, 255)
    })
  )
})

test('no post of a provider makes a receipt or a reply that can’t be stored', async () => {
  const settings = readOne(toCarrier('http://127.0.0.1:1'))
  const inbound = {
    async onReport(report: unknown) {
      const { carrierMessageId, word, errorCode, source, at } = report as Receipt
      assertStorable(carrierMessageId, 255)
      for (const text of [word, errorCode, source]) assertStorable(text, 64)
      assert.ok(Number.isFinite(at.getTime()))
    },
    async onReply(reply: unknown) {
      const { from, to, text, id } = reply as InboundMessage
      for (const number of [from, to]) assertStorable(number, 64)
      assertStorable(text, 10_000)
      if (id !== undefined) assertStorable(id, 1_000_000)
    }
  }
  const receipts = fc.record({ reports: fc.oneof(fc.array(field('id', 'state', 'to', 'at', 'error')), odd) })
  const replies = fc.oneof(field('id', 'from', 'to', 'text'), odd)
  await fc.assert(
    fc.asyncProperty(receipts, replies, async (posted, reply) => {
      await handInNews('receipts', settings, posted, inbound)
      await handInNews('replies', settings, reply, inbound)
    })
  )
})

import { strict as assert } from 'node:assert'
import fc from 'fast-check'
import { ANY_CHARACTER } from '../../test/checks/any-character.ts'
import { untilWaiting } from '../../test/database/waiting.ts'
import { readMessage, send } from '../../test/messages/sending.ts'
import { startService, type TestService, test } from '../../test/service/service.ts'
import type { InboundMessage } from '../carriers/carrier.ts'
import { RECIPIENT_STATES } from '../recipients/recipient.ts'
import { insertSteps } from '../recipients/timeline.store.ts'
import { listConversations } from './conversations.store.ts'
import { NO_CARRIERS } from './conversations.ts'
import { createRecordReply, finishReplies, recordReply, storeReply } from './record-reply.ts'

const FROM = '33612000000'
const inbound = (text: string, fields: Partial<InboundMessage> = {}): InboundMessage => ({
  carrier: 'main',
  from: FROM,
  to: '36111',
  text,
  ...fields
})

/** Oldest first. */
const contents = async ({ pool }: TestService): Promise<string[]> =>
  (await pool<{ content: string }[]>`select content from replies order by id`).map(({ content }) => content)

function* orders<T>(items: readonly T[]): Iterable<T[]> {
  if (items.length === 0) yield []
  for (const [index, item] of items.entries()) {
    for (const rest of orders(items.toSpliced(index, 1))) yield [item, ...rest]
  }
}

test('a message counts somebody who answers twice at the same time once', async (t) => {
  const { operator, pool } = await startService(t)
  const id = await send(operator, { recipients: [`+${FROM}`] })
  await pool`update recipients set state = ${RECIPIENT_STATES.sent}, sent_at = now(), carrier = 'main'`
  let second: Promise<void> | undefined
  await pool.begin(async (database) => {
    await storeReply(database, inbound('One'), NO_CARRIERS)
    second = recordReply(pool, inbound('Two'))
    await untilWaiting(pool, 1)
  })
  await second
  assert.equal((await readMessage(operator, id)).replied, 1)
})

test('a message may be answered before its submit is, and after a doubt; not before it leaves', async (t) => {
  const { operator, pool } = await startService(t)
  const id = await send(operator, { recipients: [`+${FROM}`], sender: 'MYSHOP' })
  const written = { phone: `+${FROM}`, to: 'MYSHOP', carrier: 'main', byAgent: [], bySender: [] }
  const writers = () => listConversations(pool, written, { isStop: false })
  const own = { accountId: operator.id, messageId: id }
  assert.deepEqual(await writers(), [])
  await pool`update batches set submitting = positions`
  assert.deepEqual(await writers(), [own])
  await pool`update batches set submitting = '{}'`
  assert.deepEqual(await writers(), [])
  await insertSteps(pool, [{ ...own, position: 1, step: 'in_doubt', detail: 'No answer.', carrier: 'main' }])
  assert.deepEqual(await writers(), [own])
})

test('the parts of a reply in every order, and a copy among them, make it once', async (t) => {
  const service = await startService(t)
  const parts = ['One ', 'two ', 'three ', 'four']
  let reference = 0
  for (const order of orders([1, 2, 3, 4])) {
    reference++
    // A copy of the first comes before the last.
    for (const position of [...order.slice(0, 3), order[0] ?? 0, ...order.slice(3)]) {
      const segment = { reference, position, total: 4 }
      await recordReply(service.pool, inbound(parts[position - 1] ?? '', { segment }))
    }
  }
  assert.deepEqual(await contents(service), Array(24).fill('One two three four'))
  assert.equal((await service.pool`select from reply_segments where not is_joined`).length, 0)
})

test('parts that come at once over several links make the reply once', async (t) => {
  const service = await startService(t)
  const references = Array.from({ length: 20 }, (_, index) => index)
  await Promise.all(
    references.flatMap((reference) =>
      [1, 2, 3].map((position) =>
        recordReply(service.pool, inbound(`${position}`, { segment: { reference, position, total: 3 } }))
      )
    )
  )
  assert.deepEqual(await contents(service), Array(20).fill('123'))
})

test('parts of others with the same reference are not mixed: by phone, by address, by carrier, by count', async (t) => {
  const service = await startService(t)
  const ways: Partial<InboundMessage>[] = [{}, { from: '33612000001' }, { to: '36222' }, { carrier: 'other' }]
  const first = (text: string, fields: Partial<InboundMessage>, total = 2) =>
    recordReply(service.pool, inbound(text, { ...fields, segment: { reference: 7, position: 1, total } }))
  for (const [index, fields] of ways.entries()) await first(`${index}a`, fields)
  await first('longer', {}, 3)
  assert.deepEqual(await contents(service), [])
  for (const [index, fields] of ways.entries()) {
    const segment = { reference: 7, position: 2, total: 2 }
    await recordReply(service.pool, inbound(`${index}b`, { ...fields, segment }))
  }
  assert.deepEqual(await contents(service), ['0a0b', '1a1b', '2a2b', '3a3b'])
})

test('a copy of a part that comes after the reply was whole makes no reply of its own', async (t) => {
  const service = await startService(t)
  for (const position of [1, 2, 2, 1]) {
    await recordReply(service.pool, inbound(`p${position}`, { segment: { reference: 9, position, total: 3 } }))
  }
  await recordReply(service.pool, inbound('p3', { segment: { reference: 9, position: 3, total: 3 } }))
  await recordReply(service.pool, inbound('p3', { segment: { reference: 9, position: 3, total: 3 } }))
  await service.pool`update reply_segments set received_at = received_at - interval '10 minutes'`
  while ((await finishReplies(service.pool)).isMoreDue);
  assert.deepEqual(await contents(service), ['p1p2p3'])
})

test('missing segments are marked at their places, once their time is over; a reply that fails holds up no other', async (t) => {
  const service = await startService(t)
  await service.pool`create function stumble() returns trigger language plpgsql as 'begin raise exception ''stumbled''; end'`
  await service.pool`create trigger stumble before insert on replies for each row
    when (new.content like 'broken%') execute function stumble()`
  await recordReply(service.pool, inbound('broken', { segment: { reference: 4, position: 1, total: 2 } }))
  for (const [reference, positions] of [
    [2, 3],
    [1, 3],
    [1, 2]
  ].entries()) {
    for (const position of positions) {
      await recordReply(service.pool, inbound(`p${position}`, { segment: { reference, position, total: 3 } }))
    }
  }
  assert.deepEqual(await finishReplies(service.pool), { isMoreDue: false })
  await service.pool`update reply_segments set received_at = received_at - interval '6 minutes'`
  await assert.rejects(finishReplies(service.pool), /stumbled/)
  while ((await finishReplies(service.pool)).isMoreDue);
  assert.deepEqual((await contents(service)).sort(), ['[…]p2p3', 'p1[…]p3', 'p1p2[…]'])
})

test('a character that a phone cut in two between parts is whole again', async (t) => {
  const service = await startService(t)
  const text = 'Bonne fête 🎉🎉'
  const cut = text.length - 1
  const halves = [text.slice(0, cut), text.slice(cut)]
  for (const [index, half] of halves.entries()) {
    await recordReply(service.pool, inbound(half, { segment: { reference: 3, position: index + 1, total: 2 } }))
  }
  assert.deepEqual(await contents(service), [text])
})

test('whatever a phone writes is stored', async (t) => {
  const service = await startService(t)
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: ANY_CHARACTER, minLength: 1 }), fc.boolean(), async (text, isSegment) => {
      const segment = { reference: 5, position: 1, total: 2 }
      await recordReply(service.pool, inbound(`${text}\0\ud83d`, isSegment ? { segment } : {}))
    }),
    { numRuns: 100 }
  )
  assert.ok((await contents(service)).every((content) => !content.includes('\0') && content.isWellFormed()))
})

test('a writer is one person, however the carrier writes the number; a text that is no number stays as it is', async (t) => {
  const service = await startService(t)
  const written = ['33612000000', '+33612000000', '0033612000000', '0612000000', 'INFO', '36180']
  for (const from of written) await recordReply(service.pool, inbound('Bonjour', { from }))
  const rows = await service.pool<{ phone: string }[]>`select phone from replies order by id`
  assert.deepEqual(
    rows.map(({ phone }) => phone),
    [...Array(4).fill('+33612000000'), 'INFO', '36180']
  )
})

test('of a START and a STOP that arrive together, the last one counts; other people do not wait', async (t) => {
  const service = await startService(t)
  const record = createRecordReply(service.pool, NO_CARRIERS)
  const phones = Array.from({ length: 10 }, (_, index) => `+336120000${10 + index}`)
  const stopped = async () => (await service.pool`select phone from stops order by phone`).map(({ phone }) => phone)
  for (const texts of [
    ['STOP', 'START'],
    ['START', 'STOP'],
    ['START', 'STOP', 'START', 'STOP']
  ]) {
    await Promise.all(
      phones.flatMap((from) => texts.map((text) => record({ carrier: 'main', from, to: '36111', text })))
    )
    assert.deepEqual(await stopped(), texts.at(-1) === 'STOP' ? phones : [], texts.join(' '))
  }
  const [first = ''] = phones
  const [, reached] = await Promise.allSettled([
    record({ carrier: 'main', from: first, to: '36111', text: 1 as unknown as string }),
    record({ carrier: 'main', from: first, to: '36111', text: 'START' })
  ])
  assert.deepEqual(
    [reached.status, (await stopped()).includes(first)],
    ['fulfilled', false],
    'a bug ends with its reply'
  )
})

test('a reply is recorded once by its id at the carrier, whatever characters the id has', async (t) => {
  const service = await startService(t)
  const ids = ['42', 'a\\b', '\\x41', '\\', 'é', 'a\0b', '\ud800', '😀']
  for (const id of [...ids, ...ids]) await recordReply(service.pool, inbound(`reply ${ids.indexOf(id)}`, { id }))
  assert.deepEqual(
    await contents(service),
    ids.map((_, index) => `reply ${index}`)
  )
})

test('a reply whose addresses PostgreSQL would not store is recorded without those characters', async (t) => {
  const service = await startService(t)
  await recordReply(service.pool, inbound('whole', { from: `${FROM}\0`, to: '36\x00111' }))
  for (const position of [1, 2]) {
    const segment = { reference: 3, position, total: 2 }
    await recordReply(service.pool, inbound(`p${position}`, { from: `\0${FROM}`, to: '36111\0', segment }))
  }
  assert.deepEqual(await contents(service), ['whole', 'p1p2'])
  const rows = await service.pool`select distinct phone, written_to from replies`
  assert.deepEqual([...rows], [{ phone: `+${FROM}`, writtenTo: '36111' }])
})

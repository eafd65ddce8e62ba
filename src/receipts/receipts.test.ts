import { strict as assert } from 'node:assert'
import fc from 'fast-check'
import { ANY_CHARACTER } from '../../test/checks/any-character.ts'
import { assertInvariants } from '../../test/checks/invariants.ts'
import { untilWaiting } from '../../test/database/waiting.ts'
import { mobiles, readMessage, send } from '../../test/messages/sending.ts'
import { startService, type TestAccount, type TestService, test } from '../../test/service/service.ts'
import type { Receipt, ReceiptState } from '../carriers/carrier.ts'
import { readInbound } from '../carriers/smpp/read-inbound.ts'
import { settleOutcomes } from '../delivery/settle-outcomes.ts'
import { MESSAGE } from '../smpp/pdu.samples.ts'
import type { MessagePdu } from '../smpp/pdu.ts'
import { expireRecipients } from './expire-recipients.ts'
import { IdForms } from './id-forms.ts'
import { matchParkedReceipts } from './match-parked-receipts.ts'
import { applyReceipts, createRecordReceipt } from './record-receipts.ts'

const STATES: Record<string, ReceiptState> = {
  DELIVRD: 'delivered',
  UNDELIV: 'failed',
  EXPIRED: 'expired',
  REJECTD: 'rejected',
  ENROUTE: 'unknown',
  XYZZY: 'unknown'
}
const DELIVER: Record<string, number> = { DELIVRD: 1, UNDELIV: 3, EXPIRED: 4, REJECTD: 5 }
const SENT = 2

const idOf = (messageId: number, position: number, part = 1) => `m${messageId}-${position}-${part}`

/** As if a carrier had taken all of a message; with one id for all parts of a recipient, if it is so. */
async function take(
  { pool }: TestService,
  messageId: number,
  { isOneId = false } = {}
): Promise<{ position: number; phone: string }[]> {
  const recipients = await pool<{ accountId: number; position: number; phone: string; segments: number }[]>`
    select account_id, position, phone, segments from recipients where message_id = ${messageId} order by position
  `
  const batch = { route: '', lane: 0, expiresAt: new Date() }
  await pool.begin((database) =>
    settleOutcomes(
      database,
      recipients.map(({ accountId, position, segments }) => ({
        accountId,
        messageId,
        position,
        carrier: 'main',
        outcome: {
          kind: 'accepted',
          carrierMessageIds: Array.from({ length: segments }, (_, index) =>
            idOf(messageId, position, isOneId ? 1 : index + 1)
          )
        },
        batch,
        lease: null,
        submittedAt: new Date(),
        channel: 'sms'
      })),
      { finished: [] }
    )
  )
  await pool`delete from batches where message_id = ${messageId}`
  return recipients
}

const toReceipt = (carrierMessageId: string, word: string, source = ''): Receipt => ({
  carrier: 'main',
  carrierMessageId,
  state: STATES[word] ?? 'unknown',
  word,
  errorCode: '000',
  source,
  destination: 'CHAPPE',
  at: new Date()
})

const newForms = () => new IdForms(() => 'auto')

/** Every sequence that can be made of these, whole or of fewer. */
function* arrangements(words: readonly string[]): Iterable<string[]> {
  for (const [index, word] of words.entries()) {
    yield [word]
    for (const rest of arrangements(words.toSpliced(index, 1))) yield [word, ...rest]
  }
}

const statesOf = ({ pool }: TestService, messageId: number) =>
  pool<{ state: number }[]>`select state from recipients where message_id = ${messageId} order by position`

for (const way of ['one by one', 'all at once']) {
  test(`in every order of up to five receipts the first final word stays: ${way}`, async (t) => {
    const service = await startService(t)
    const sequences = [...arrangements(['DELIVRD', 'DELIVRD', 'UNDELIV', 'ENROUTE', 'REJECTD'])]
    assert.equal(sequences.length, 325)
    const account = await service.newAccount({ credits: 325 })
    const id = await send(account, { recipients: mobiles(325) })
    await take(service, id)
    const rounds = [0, 1, 2, 3, 4].map((round) =>
      sequences.flatMap((words, index) => {
        const word = words[round]
        return word === undefined ? [] : toReceipt(idOf(id, index + 1), word)
      })
    )
    for (const receipts of way === 'one by one' ? rounds : [rounds.flat()]) {
      const { unmatched } = await service.pool.begin((database) => applyReceipts(database, receipts, newForms()))
      assert.deepEqual(unmatched, [])
    }
    const finals = sequences.map((words) => words.find((word) => DELIVER[word] !== undefined))
    const expected = finals.map((word) => (word === undefined ? SENT : (DELIVER[word] ?? SENT)))
    assert.deepEqual(
      (await statesOf(service, id)).map(({ state }) => state),
      expected
    )
    assert.equal(
      (await readMessage(account, id)).credits_refunded,
      finals.filter((word) => word === 'REJECTD').length,
      'what was rejected first comes back, once'
    )
    const contradicted = sequences.findIndex((words) => words.join(' ') === 'UNDELIV DELIVRD')
    const told = await service.pool<{ detail: string }[]>`
      select detail from timeline_steps where message_id = ${id} and position = ${contradicted + 1} order by id
    `
    assert.deepEqual(
      told.map(({ detail }) => detail),
      ['UNDELIV err:000', 'DELIVRD err:000'],
      'what contradicts is kept'
    )
    await assertInvariants(service, { awaited: expected.filter((state) => state === SENT).length })
  })
}

const WORDS = ['DELIVRD', 'UNDELIV', 'REJECTD']
const TRIPLES = WORDS.flatMap((a) => WORDS.flatMap((b) => WORDS.map((c) => [a, b, c])))
const ORDERS = [
  [1, 2, 3],
  [1, 3, 2],
  [2, 1, 3],
  [2, 3, 1],
  [3, 1, 2],
  [3, 2, 1]
]

test('of three parts: delivered when all are, failed as soon as one is, in whatever order their receipts come', async (t) => {
  const service = await startService(t)
  const cases = TRIPLES.flatMap((words) => ORDERS.map((order) => ({ words, order })))
  const account = await service.newAccount({ credits: 1_000 })
  const id = await send(account, { recipients: mobiles(cases.length), content: 'x'.repeat(400) })
  await take(service, id)
  const wordOf = (words: string[], part = 0) => words[part - 1] ?? ''
  for (const round of [0, 1, 2]) {
    const receipts = cases.map(({ words, order }, index) =>
      toReceipt(idOf(id, index + 1, order[round]), wordOf(words, order[round]))
    )
    // Each of them twice; and what contradicts the first word of a part changes nothing.
    await service.pool.begin((database) => applyReceipts(database, [...receipts, ...receipts], newForms()))
    const contradicting = receipts.map(({ carrierMessageId }) => toReceipt(carrierMessageId, 'UNDELIV'))
    await service.pool.begin((database) => applyReceipts(database, contradicting, newForms()))
  }
  const expected = cases.map(({ words, order }) => {
    const failure = order.map((part) => wordOf(words, part)).find((word) => word !== 'DELIVRD')
    return DELIVER[failure ?? 'DELIVRD']
  })
  assert.deepEqual(
    (await statesOf(service, id)).map(({ state }) => state),
    expected
  )
  await assertInvariants(service)
})

test('what comes back of a long message that the carrier rejects does not depend on how its receipts come', async (t) => {
  const service = await startService(t)
  const account = await service.newAccount({ credits: 100 })
  const refunds: number[] = []
  for (const groups of [[[1, 2, 3]], [[1], [2], [3]], [[3, 1], [2]]]) {
    const id = await send(account, { recipients: mobiles(1), content: 'x'.repeat(400) })
    await take(service, id)
    for (const parts of groups) {
      const receipts = parts.map((part) => toReceipt(idOf(id, 1, part), 'REJECTD'))
      await service.pool.begin((database) => applyReceipts(database, receipts, newForms()))
    }
    refunds.push((await readMessage(account, id)).credits_refunded)
  }
  assert.deepEqual(refunds, [3, 3, 3], 'it rejected all three parts')
  await assertInvariants(service)
})

test('a carrier that gives all parts one id finishes a recipient, with one receipt for all or with one for each', async (t) => {
  const service = await startService(t)
  const account = await service.newAccount({ credits: 100 })
  const cases: [groups: string[][], state: number][] = [
    [[['DELIVRD']], 1],
    [[['DELIVRD'], ['DELIVRD'], ['DELIVRD']], 1],
    [[['DELIVRD', 'DELIVRD', 'DELIVRD']], 1],
    [[['ENROUTE'], ['DELIVRD']], 1],
    [[['UNDELIV']], 3],
    [[['UNDELIV', 'DELIVRD']], 3],
    [[['DELIVRD'], ['UNDELIV']], 1]
  ]
  const id = await send(account, { recipients: mobiles(cases.length), content: 'x'.repeat(400) })
  await take(service, id, { isOneId: true })
  for (const round of [0, 1, 2]) {
    const receipts = cases.flatMap(([groups], index) =>
      (groups[round] ?? []).map((word) => toReceipt(idOf(id, index + 1), word))
    )
    await service.pool.begin((database) => applyReceipts(database, receipts, newForms()))
  }
  assert.deepEqual(
    (await statesOf(service, id)).map(({ state }) => state),
    cases.map(([, state]) => state)
  )
  const steps = await service.pool<{ step: string; detail: string; times: number }[]>`
    select step, detail, times from timeline_steps where message_id = ${id} and position in (3, 7) order by position, id
  `
  assert.deepEqual(
    steps.map(({ step, detail, times }) => [step, detail, times]),
    [
      ['receipt', 'DELIVRD err:000', 3],
      ['receipt', 'DELIVRD err:000', 1],
      ['late_receipt', 'UNDELIV err:000', 1]
    ]
  )
  await assertInvariants(service)
})

test('receipts that come at once over many links move each recipient once, also those far apart', async (t) => {
  const service = await startService(t)
  const account = await service.newAccount({ credits: 1_000 })
  const id = await send(account, { recipients: mobiles(50), content: 'x'.repeat(200) })
  await take(service, id)
  const record = createRecordReceipt({ pool: service.pool, idForms: newForms(), untilSettled: () => undefined })
  const others = [1, 2].map(() =>
    createRecordReceipt({ pool: service.pool, idForms: newForms(), untilSettled: () => undefined })
  )
  const receiptsOf = (positions: readonly number[]) =>
    positions.flatMap((position) => [1, 2].map((part) => toReceipt(idOf(id, position, part), 'DELIVRD')))
  await service.pool.begin((database) => applyReceipts(database, receiptsOf([1, 50]), newForms()))
  assert.equal((await readMessage(account, id)).summary.delivered, 2)
  const receipts = receiptsOf(Array.from({ length: 50 }, (_, index) => index + 1))
  await Promise.all([record, ...others].flatMap((way) => receipts.toSorted(() => Math.random() - 0.5).map(way)))
  assert.equal((await readMessage(account, id)).summary.delivered, 50)

  // The part that comes second waits for the first: else neither would see that both are there.
  const two = await send(account, { recipients: mobiles(1), content: 'x'.repeat(200) })
  await take(service, two)
  let second: Promise<void> | undefined
  await service.pool.begin(async (database) => {
    await applyReceipts(database, [toReceipt(idOf(two, 1, 1), 'DELIVRD')], newForms())
    second = record(toReceipt(idOf(two, 1, 2), 'DELIVRD'))
    await untilWaiting(service.pool, 1)
  })
  await second
  assert.equal((await readMessage(account, two)).summary.delivered, 1)
  await assertInvariants(service)
})

test('a receipt for a recent submission needs no look-up, and has the same effect', async (t) => {
  const service = await startService(t)
  const words = ['DELIVRD', 'UNDELIV', 'REJECTD', 'EXPIRED', 'ENROUTE']
  const account = await service.newAccount({ credits: 10 })
  const ways = ['looked up', 'recent'].map(async (way) => {
    const id = await send(account, { recipients: mobiles(5) })
    const recipients = await take(service, id)
    const [row] = await service.pool<[{ accountId: number }]>`select account_id from messages where id = ${id}`
    const recent = new Map(
      recipients.map(({ position, phone }) => [
        idOf(id, position),
        { accountId: row.accountId, messageId: id, position, phone, country: 'FR', submittedAtMs: 0 }
      ])
    )
    const takeRecent = (_carrier: string, id: string) => (way === 'recent' ? recent.get(id) : undefined)
    const record = createRecordReceipt({
      pool: service.pool,
      idForms: newForms(),
      untilSettled: () => undefined,
      takeRecent
    })
    const receipts = recipients.map(({ position, phone }, index) =>
      toReceipt(idOf(id, position), words[index] ?? '', phone.slice(1))
    )
    await Promise.all(receipts.map(record))
    // A second receipt finds each recipient in a final state, and is looked up.
    await Promise.all(receipts.map((receipt) => record({ ...receipt, state: 'delivered', word: 'DELIVRD' })))
    return {
      states: (await statesOf(service, id)).map(({ state }) => state),
      steps: await service.pool`
        select position, step, detail, times from timeline_steps where message_id = ${id} order by position, id
      `
    }
  })
  const [lookedUp, recent] = await Promise.all(ways)
  assert.deepEqual(lookedUp?.states, [1, 3, 5, 4, 1])
  assert.deepEqual(recent, lookedUp)
  await assertInvariants(service)
})

test('a recent submission to another phone than the receipt names is looked up', async (t) => {
  const service = await startService(t)
  const id = await send(service.operator, { recipients: mobiles(2) })
  const [first, second] = await take(service, id)
  assert(first && second)
  const [row] = await service.pool<[{ accountId: number }]>`select account_id from messages where id = ${id}`
  const record = createRecordReceipt({
    pool: service.pool,
    idForms: newForms(),
    untilSettled: () => undefined,
    takeRecent: () => {
      const key = { accountId: row.accountId, messageId: id, position: 1 }
      return { ...key, phone: first.phone, country: 'FR', submittedAtMs: 0 }
    }
  })
  await record(toReceipt(idOf(id, 2), 'DELIVRD', second.phone.slice(1)))
  assert.deepEqual(
    (await statesOf(service, id)).map(({ state }) => state),
    [SENT, 1]
  )
  await record(toReceipt(idOf(id, 1), 'DELIVRD', first.phone.slice(1)))
  await assertInvariants(service)
})

test('whatever a receipt says, it is stored, and only the words of failure are one', async (t) => {
  const service = await startService(t)
  const id = await send(service.operator, { recipients: mobiles(1) })
  const [recipient] = await take(service, id)
  const record = createRecordReceipt({ pool: service.pool, idForms: newForms(), untilSettled: () => undefined })
  const failures = /deliv|expired|deleted|reject|failed/i
  const word = fc.string({ unit: ANY_CHARACTER, maxLength: 12 }).filter((text) => !failures.test(text))
  const bytes = fc.uint8Array({ maxLength: 120 }).map((array) => Buffer.from(array))
  const text = fc.oneof(
    fc
      .record({ word, id: fc.constantFrom(idOf(id, 1), 'other', ''), error: fc.string({ maxLength: 5 }) })
      .map(({ word, id, error }) => Buffer.from(`id:${id} stat:${word} err:${error} text:hi`, 'latin1')),
    bytes.filter((buffer) => !failures.test(buffer.toString('latin1')))
  )
  const tlvs = fc.array(
    fc.tuple(
      fc.constantFrom(0x001e, 0x0427, 0x0423, 0x1400),
      bytes.filter((buffer) => ![2, 3, 4, 5, 8].includes(buffer[0] ?? 0))
    ),
    { maxLength: 3 }
  )
  const address = fc.string({ unit: 'binary-ascii', maxLength: 20 }).map((text) => text.replaceAll('\0', ''))
  await fc.assert(
    fc.asyncProperty(
      text,
      tlvs,
      address,
      fc.constantFrom(0, 8),
      async (shortMessage, entries, sourceAddr, dataCoding) => {
        const pdu: MessagePdu = {
          ...MESSAGE,
          command: 'deliver_sm',
          esmClass: 0x04,
          shortMessage,
          tlvs: new Map(entries),
          sourceAddr,
          dataCoding
        }
        const inbound = readInbound(pdu, { name: 'main', encoding: 'gsm' })
        assert(inbound.kind === 'receipt')
        await record(inbound.receipt)
      }
    ),
    { numRuns: 300 }
  )
  assert.deepEqual([(await statesOf(service, id))[0]?.state, recipient?.phone], [SENT, mobiles(1)[0]])
  await record(toReceipt(idOf(id, 1), 'DELIVRD'))
  assert.equal((await readMessage(service.operator, id)).summary.delivered, 1)
  await assertInvariants(service)
})

test('a receipt that matches nothing is tried again when it is due, and kept when it never matches', async (t) => {
  const service = await startService(t)
  const { pool, operator } = service
  const id = await send(operator, { recipients: mobiles(1) })
  const record = createRecordReceipt({ pool, idForms: newForms(), untilSettled: () => undefined })
  await record(toReceipt(idOf(id, 1), 'DELIVRD', mobiles(1)[0]?.slice(1)))
  await record(toReceipt('nobody', 'UNDELIV'))
  await matchParkedReceipts(pool, newForms())
  const tries = async () =>
    (await pool<{ tries: number }[]>`select tries from parked_receipts order by id`).map((row) => row.tries)
  assert.deepEqual(await tries(), [0, 0], 'not due yet')
  await take(service, id)
  for (let times = 0; times < 12; times++) {
    await pool`update parked_receipts set next_try_at = now() where next_try_at is not null`
    await matchParkedReceipts(pool, newForms())
  }
  assert.deepEqual(await tries(), [10], 'the one that is nobody’s')
  assert.equal((await readMessage(operator, id)).summary.delivered, 1)
  const { body } = await operator.expect(200).get('/carriers/unmatched')
  assert.deepEqual(
    body.items.map((item: Record<string, unknown>) => [item.carrier_message_id, item.tries, item.next_try_at]),
    [['nobody', 10, null]]
  )
  await assertInvariants(service)
})

async function sendTwo(account: TestAccount): Promise<{ bad: number; good: number }> {
  return {
    bad: await send(account, { recipients: mobiles(1) }),
    good: await send(account, { recipients: mobiles(3) })
  }
}

/** No recipient of such a message can move: a constraint forbids it. */
async function spoil({ pool }: TestService, messageId: number): Promise<void> {
  await pool`update messages set cancelled_count = sent_count, sent_count = 0 where id = ${messageId}`
}

async function mend({ pool }: TestService, messageId: number): Promise<void> {
  await pool`update messages set sent_count = cancelled_count, cancelled_count = 0 where id = ${messageId}`
}

test('a parked receipt that can’t be stored holds up no other, and is tried again', async (t) => {
  const service = await startService(t)
  const { pool, operator } = service
  const { bad, good } = await sendTwo(operator)
  const record = createRecordReceipt({ pool, idForms: newForms(), untilSettled: () => undefined })
  for (const [id, position] of [
    [bad, 1],
    [good, 1],
    [good, 2],
    [good, 3]
  ] as const) {
    await record(toReceipt(idOf(id, position), 'DELIVRD'))
  }
  for (const id of [bad, good]) await take(service, id)
  await spoil(service, bad)
  await pool`update parked_receipts set next_try_at = now() - interval '1 minute'`
  await assert.rejects(matchParkedReceipts(pool, newForms()), /messages_counts_not_negative/)
  assert.equal((await readMessage(operator, good)).summary.delivered, 3)
  const parked = await pool<{ tries: number; isDue: boolean }[]>`
    select tries, next_try_at <= now() as is_due from parked_receipts
  `
  assert.deepEqual([...parked], [{ tries: 1, isDue: false }])
  await mend(service, bad)
  await pool`update parked_receipts set next_try_at = now()`
  await matchParkedReceipts(pool, newForms())
  assert.equal((await readMessage(operator, bad)).summary.delivered, 1)
  await assertInvariants(service)
})

test('a receipt that can’t be applied is parked, and holds up no other of its carrier', async (t) => {
  const service = await startService(t)
  const { pool, operator } = service
  const { bad, good } = await sendTwo(operator)
  for (const id of [bad, good]) await take(service, id)
  await spoil(service, bad)
  const record = createRecordReceipt({ pool, idForms: newForms(), untilSettled: () => undefined })
  const ids = [idOf(good, 1), idOf(bad, 1), idOf(good, 2), idOf(good, 3)]
  await Promise.all(ids.map((id) => record(toReceipt(id, 'DELIVRD'))))
  assert.equal((await readMessage(operator, good)).summary.delivered, 3)
  await mend(service, bad)
  await pool`update parked_receipts set next_try_at = now()`
  await matchParkedReceipts(pool, newForms())
  assert.equal((await readMessage(operator, bad)).summary.delivered, 1)
  await assertInvariants(service)
})

test('a recipient that can’t expire holds up no other', async (t) => {
  const service = await startService(t)
  const { pool, operator } = service
  const { bad, good } = await sendTwo(operator)
  for (const id of [bad, good]) await take(service, id)
  await spoil(service, bad)
  await pool`update submissions set submitted_at = submitted_at - interval '4 days'`
  await assert.rejects(expireRecipients(pool), /messages_counts_not_negative/)
  assert.equal((await readMessage(operator, good)).summary.failed, 3)
  await mend(service, bad)
  await expireRecipients(pool)
  assert.equal((await readMessage(operator, bad)).summary.failed, 1)
  await assertInvariants(service)
})

test('a receipt that names another phone than the id’s is not that message’s, however the phone is written', async (t) => {
  const service = await startService(t)
  const id = await send(service.operator, { recipients: mobiles(5) })
  await take(service, id)
  const phones = mobiles(5)
  const written = [phones[0], phones[1]?.slice(1), `0${phones[2]?.slice(3)}`, `00${phones[3]?.slice(1)}`, '33699999999']
  const receipts = written.map((source, index) => toReceipt(idOf(id, index + 1), 'DELIVRD', source ?? ''))
  const { unmatched } = await service.pool.begin((database) => applyReceipts(database, receipts, newForms()))
  assert.deepEqual(
    unmatched.map(({ source }) => source),
    ['33699999999']
  )
  assert.equal((await readMessage(service.operator, id)).summary.delivered, 4)
  await assertInvariants(service, { awaited: 1 })
})

test('few and many messages: each arrived after it left and before now, its rejection is paid back, its carrier alone tells', async (t) => {
  const service = await startService(t)
  const { pool } = service
  const account = await service.newAccount({ credits: 100 })
  const ids = await Promise.all(Array.from({ length: 7 }, () => send(account, { recipients: mobiles(3) })))
  for (const id of ids) await take(service, id)
  const apply = (receipts: readonly Receipt[]) =>
    pool.begin((database) => applyReceipts(database, receipts, newForms()))
  const [longAgo, tomorrow] = [new Date(0), new Date(Date.now() + 86_400_000)]
  const receiptsOf = (id: number) => [
    { ...toReceipt(idOf(id, 1), 'DELIVRD'), at: longAgo },
    { ...toReceipt(idOf(id, 2), 'DELIVRD'), at: tomorrow },
    toReceipt(idOf(id, 3), 'REJECTD')
  ]
  const foreign = ids.flatMap(receiptsOf).map((receipt) => ({ ...receipt, carrier: 'other' }))
  assert.equal((await apply(foreign)).unmatched.length, foreign.length)
  for (const some of [ids.slice(0, 1), ids.slice(1)]) await apply(some.flatMap(receiptsOf))
  const arrived = await pool`
    select
    from recipients
    where state = 1 and delivered_at between sent_at and now() + interval '1 second'
  `
  assert.equal(arrived.length, 14)
  for (const id of ids) assert.equal((await readMessage(account, id)).credits_refunded, 1)
  await assertInvariants(service)
})

test('only a receipt that names the phone teaches the form of ids', async (t) => {
  const service = await startService(t)
  const id = await send(service.operator, { recipients: mobiles(2) })
  const [, second] = await take(service, id)
  // In hexadecimal what the receipts write in decimal.
  await service.pool`update submissions set carrier_message_id = '1' || position`
  const forms = newForms()
  const apply = (...receipts: Receipt[]) => service.pool.begin((database) => applyReceipts(database, receipts, forms))
  await apply(toReceipt('17', 'DELIVRD'))
  assert.equal(forms.submissionIdOf('main', '19'), '19')
  await apply(toReceipt('18', 'DELIVRD', second?.phone))
  assert.equal(forms.submissionIdOf('main', '19'), '13')
  assert.deepEqual(
    (await statesOf(service, id)).map(({ state }) => state),
    [1, 1]
  )
})

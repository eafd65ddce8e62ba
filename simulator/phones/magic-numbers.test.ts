import { strict as assert } from 'node:assert'
import { type TestContext, test } from 'node:test'
import { eventually } from '../../test/checks/eventually.ts'
import { atEnd } from '../../test/service/cleanup.ts'
import {
  bindForeign,
  ERRORS,
  type ForeignClient,
  textOf,
  waitForReceipts,
  waitForReplies
} from '../smpp/foreign-client.ts'
import { type Smsc, startSmsc } from '../smpp/smsc.ts'
import { Phones } from './phones.ts'

async function start(t: TestContext): Promise<{ smsc: Smsc; phones: Phones; client: ForeignClient }> {
  const phones = new Phones()
  const smsc = await startSmsc({ phones })
  atEnd(t, () => smsc.stop())
  return { smsc, phones, client: await bindForeign(t, smsc) }
}

for (const [number, word] of [
  ['33639980001', 'UNDELIV'],
  ['+33639981203', 'EXPIRED']
] as const) {
  test(`a message to ${number} is taken, does not arrive, and its receipt says ${word}`, async (t) => {
    const { phones, client } = await start(t)
    const { message_id: id, command_status } = await client.submit(number, 'Bonjour')
    assert.equal(command_status, 0)
    assert.deepEqual(await waitForReceipts(client, 1), [{ id, word }])
    assert.deepEqual(phones.inboxOf(number), [])
  })
}

test('a message to …02 is refused at once', async (t) => {
  const { smsc, phones, client } = await start(t)
  const answer = await client.submit('33639980002', 'Bonjour')
  assert.deepEqual([answer.command_status, answer.message_id], [ERRORS.ESME_RINVDSTADR, undefined])
  assert.deepEqual(phones.inboxOf('33639980002'), [])
  assert.deepEqual([smsc.stats.accepted, smsc.stats.refused], [0, 1])
})

test('a message to …04 arrives, with its receipt, after 30 s', async (t) => {
  const { phones, client } = await start(t)
  t.mock.timers.enable({ apis: ['setTimeout', 'Date'], now: Date.now() })
  const { message_id: id } = await client.submit('33639980004', 'Bonjour')
  t.mock.timers.tick(29_999)
  await client.ask('enquire_link')
  assert.deepEqual([client.delivered.length, phones.inboxOf('33639980004').length], [0, 0])
  t.mock.timers.tick(1)
  await client.ask('enquire_link')
  assert.deepEqual(client.receipts(), [{ id, word: 'DELIVRD' }])
  assert.equal(phones.inboxOf('33639980004').length, 1)
})

for (const [number, reply] of [
  ['33639980005', 'OK'],
  ['33639980006', 'STOP']
] as const) {
  test(`${number} answers "${reply}", once for each message, to where it came from`, async (t) => {
    const { client } = await start(t)
    const part = (position: number) => ({
      esm_class: 0x40,
      short_message: { udh: Buffer.from([5, 0, 3, 1, 2, position]), message: 'Bonjour' }
    })
    await client.submit(number, '', { source_addr: 'CHAPPE', ...part(1) })
    await client.submit(number, '', { source_addr: 'CHAPPE', ...part(2) })
    await waitForReceipts(client, 2)
    await client.submit(number, 'Bonjour', { source_addr: '36111' })
    const replies = await waitForReplies(client, 2)
    assert.deepEqual(
      replies.map((pdu) => [pdu.source_addr, pdu.destination_addr, textOf(pdu)]),
      [
        [number, 'CHAPPE', reply],
        [number, '36111', reply]
      ]
    )
  })
}

test('a message to …09 is throttled the first time it is tried, and taken the second', async (t) => {
  const { smsc, client } = await start(t)
  const statuses: unknown[] = []
  for (let attempt = 0; attempt < 4; attempt++) {
    statuses.push((await client.submit('33639980009', 'Bonjour')).command_status)
  }
  const { ESME_RTHROTTLED } = ERRORS
  assert.deepEqual(statuses, [ESME_RTHROTTLED, 0, ESME_RTHROTTLED, 0])
  assert.deepEqual([smsc.stats.accepted, smsc.stats.throttled], [2, 2])
})

test('the receipt of a message to …10 comes before the answer to it', async (t) => {
  const { client } = await start(t)
  const { message_id: id } = await client.submit('33639980010', 'Bonjour')
  assert.deepEqual(client.receipts(), [{ id, word: 'DELIVRD' }])
  assert.deepEqual(client.received.map(({ command }) => command).slice(1), ['deliver_sm', 'submit_sm_resp'])
})

test('a message to …11 arrives, and no receipt ever says so', async (t) => {
  const { phones, client } = await start(t)
  await client.submit('33639980011', 'Bonjour')
  const { message_id: id } = await client.submit('33639980000', 'Bonjour')
  assert.deepEqual(await waitForReceipts(client, 1), [{ id, word: 'DELIVRD' }])
  assert.equal(phones.inboxOf('33639980011').length, 1)
})

test('every other number is delivered at once, those that matter to RCS only among them', async (t) => {
  const { client, phones } = await start(t)
  for (const number of ['33639980007', '33639980008', '33639980012', '33639970001', '33612345601', '441']) {
    const { message_id: id } = await client.submit(number, 'Bonjour')
    await eventually(() => assert.deepEqual(client.receipts().at(-1), { id, word: 'DELIVRD' }))
    assert.equal(phones.inboxOf(number).length, 1)
  }
})

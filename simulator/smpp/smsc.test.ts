import { strict as assert } from 'node:assert'
import { connect } from 'node:net'
import { type TestContext, test } from 'node:test'
import { eventually } from '../../test/checks/eventually.ts'
import { atEnd } from '../../test/service/cleanup.ts'
import { Phones } from '../phones/phones.ts'
import { bindForeign, ERRORS, ForeignClient, textOf, tryBind, waitForReceipts } from './foreign-client.ts'
import { type Smsc, type SmscOptions, startSmsc } from './smsc.ts'

const PHONE = '33612345678'

async function start(t: TestContext, options: Partial<SmscOptions> = {}): Promise<Smsc> {
  const smsc = await startSmsc({ phones: new Phones(), ...options })
  atEnd(t, () => smsc.stop())
  return smsc
}

test('a client binds in each of the three ways, and unbinds', async (t) => {
  const smsc = await start(t)
  for (const mode of ['transceiver', 'transmitter', 'receiver'] as const) {
    const { client, answer } = await tryBind(t, smsc, { mode })
    assert.deepEqual([answer.command, answer.command_status], [`bind_${mode}_resp`, 0])
    assert.equal(answer.system_id, 'sandbox')
    assert.equal(answer.sc_interface_version, 0x34)
    assert.equal(smsc.sessionCount, 1)
    assert.equal((await client.ask('unbind')).command, 'unbind_resp')
    await client.closed
    assert.equal(smsc.sessionCount, 0)
  }
  assert.equal(smsc.stats.binds, 3)
})

test('a client that is not on the list, or has another password, is refused', async (t) => {
  const smsc = await start(t, { systemIds: { client: 'secret' } })
  for (const options of [{ password: 'wrong' }, { systemId: 'other' }, { systemId: 'toString', password: '' }]) {
    const { answer } = await tryBind(t, smsc, options)
    assert.equal(answer.command_status, ERRORS.ESME_RINVPASWD)
  }
  await bindForeign(t, smsc)
  assert.deepEqual([smsc.stats.binds, smsc.stats.bindsRefused], [1, 3])
})

test('a link answers whether it is there, a second bind and a command it does not know', async (t) => {
  const smsc = await start(t)
  const client = await bindForeign(t, smsc)
  assert.equal((await client.ask('enquire_link')).command, 'enquire_link_resp')
  assert.equal((await client.ask('bind_receiver', { system_id: 'client' })).command_status, ERRORS.ESME_RALYBND)
  const answer = await client.ask('query_sm', { message_id: '1' })
  assert.deepEqual([answer.command, answer.command_status], ['generic_nack', ERRORS.ESME_RINVCMDID])
})

test('whoever is not bound to submit may not', async (t) => {
  const smsc = await start(t)
  const stranger = new ForeignClient(smsc, {})
  atEnd(t, () => stranger.destroy())
  const receiver = await bindForeign(t, smsc, { mode: 'receiver' })
  for (const client of [stranger, receiver]) {
    assert.equal((await client.submit(PHONE, 'Bonjour')).command_status, ERRORS.ESME_RINVBNDSTS)
  }
  assert.equal(smsc.stats.accepted, 0)
})

test('a message is answered with its id, then its receipt says the same id twice and what became of it', async (t) => {
  const smsc = await start(t, { firstId: 4711 })
  const client = await bindForeign(t, smsc)
  const answer = await client.submit(`+${PHONE}`, 'Bonjour, cher client, à bientôt')
  assert.deepEqual([answer.command_status, answer.message_id], [0, '4711'])
  await waitForReceipts(client, 1)
  const [receipt] = client.delivered
  assert.ok(receipt)
  assert.match(
    textOf(receipt),
    /^id:4711 sub:001 dlvrd:001 submit date:\d{10} done date:\d{10} stat:DELIVRD err:000 text:Bonjour, cher client$/
  )
  assert.deepEqual([receipt.receipted_message_id, receipt.message_state], ['4711', 2])
  assert.deepEqual([receipt.source_addr, receipt.destination_addr], [`+${PHONE}`, '36111'])
  assert.ok(client.received.findIndex(isAnswer) < client.received.indexOf(receipt))
  await eventually(() => assert.equal(smsc.stats.receiptsAcknowledged, 1))
})

function isAnswer({ command }: { command: string }): boolean {
  return command === 'submit_sm_resp'
}

test('a receipt comes only when it was asked for', async (t) => {
  const smsc = await start(t)
  const client = await bindForeign(t, smsc)
  await client.submit(PHONE, 'never', { registered_delivery: 0 })
  await client.submit(PHONE, 'of failure', { registered_delivery: 2 })
  const failed = await client.submit('33639980001', 'of failure', { registered_delivery: 2 })
  const asked = await client.submit(PHONE, 'always')
  assert.deepEqual(await waitForReceipts(client, 2), [
    { id: failed.message_id, word: 'UNDELIV' },
    { id: asked.message_id, word: 'DELIVRD' }
  ])
})

test('receipts go to the receivers of the client that sent the message, and to no other', async (t) => {
  const smsc = await start(t)
  const stranger = await bindForeign(t, smsc, { systemId: 'stranger' })
  const transmitter = await bindForeign(t, smsc, { mode: 'transmitter' })
  const receivers = [await bindForeign(t, smsc, { mode: 'receiver' }), await bindForeign(t, smsc, { mode: 'receiver' })]
  await Promise.all(Array.from({ length: 10 }, () => transmitter.submit(PHONE, 'Bonjour')))
  await eventually(() => assert.equal(smsc.stats.receiptsAcknowledged, 10))
  assert.deepEqual(
    receivers.map((receiver) => receiver.delivered.length),
    [5, 5]
  )
  assert.equal(stranger.delivered.length + transmitter.delivered.length, 0)
})

test('a receipt is kept until somebody binds, and sent again until it is answered', async (t) => {
  const smsc = await start(t)
  const transmitter = await bindForeign(t, smsc, { mode: 'transmitter' })
  const { message_id: id } = await transmitter.submit(PHONE, 'Bonjour')
  assert.equal(smsc.waitingCount, 1)
  const silent = await bindForeign(t, smsc, { mode: 'receiver', answerStatus: undefined })
  assert.deepEqual(await waitForReceipts(silent, 1), [{ id, word: 'DELIVRD' }])
  silent.destroy()
  const refusing = await bindForeign(t, smsc, { mode: 'receiver', answerStatus: ERRORS.ESME_RX_T_APPN })
  assert.equal((await waitForReceipts(refusing, 2)).length, 2)
  refusing.destroy()
  const good = await bindForeign(t, smsc, { mode: 'receiver' })
  assert.deepEqual(await waitForReceipts(good, 1), [{ id, word: 'DELIVRD' }])
  await eventually(() => assert.equal(smsc.stats.receiptsAcknowledged, 1))
  assert.equal(smsc.waitingCount, 0)
})

test('a receipt that the client refuses for good is not sent again', async (t) => {
  const smsc = await start(t)
  const client = await bindForeign(t, smsc, { answerStatus: ERRORS.ESME_RX_P_APPN })
  await client.submit(PHONE, 'Bonjour')
  await eventually(() => assert.equal(smsc.stats.givenUp, 1))
  assert.equal(smsc.waitingCount, 0)
})

test('a client that answers no receipts gets 500 and then no more', async (t) => {
  const smsc = await start(t)
  const client = await bindForeign(t, smsc, { answerStatus: undefined })
  await Promise.all(Array.from({ length: 600 }, (_, index) => client.submit(`336${10_000_000 + index}`, 'Bonjour')))
  await waitForReceipts(client, 500)
  assert.equal((await client.ask('enquire_link')).command_status, 0)
  assert.deepEqual([client.delivered.length, smsc.waitingCount], [500, 100])
})

test('a client that takes no receipts is told that the queue is full', async (t) => {
  const smsc = await start(t, { waitingMax: 3 })
  const transmitter = await bindForeign(t, smsc, { mode: 'transmitter' })
  const statuses: unknown[] = []
  for (let index = 0; index < 5; index++) statuses.push((await transmitter.submit(PHONE, 'Bonjour')).command_status)
  assert.deepEqual(statuses, [0, 0, 0, ERRORS.ESME_RMSGQFUL, ERRORS.ESME_RMSGQFUL])
  await waitForReceipts(await bindForeign(t, smsc, { mode: 'receiver' }), 3)
  assert.equal((await transmitter.submit(PHONE, 'Bonjour')).command_status, 0)
})

test('ids go on from the clock, so that none is given again after a restart', async (t) => {
  const ids: number[] = []
  for (let run = 0; run < 2; run++) {
    const smsc = await start(t)
    const client = await bindForeign(t, smsc)
    for (let message = 0; message < 3; message++) ids.push(Number((await client.submit(PHONE, 'Bonjour')).message_id))
    await smsc.stop()
    await client.closed
  }
  assert.deepEqual([...new Set(ids)].sort(), ids)
})

test('what was taken is recorded by number, so that one can see what came twice', async (t) => {
  const smsc = await start(t, { record: true })
  const client = await bindForeign(t, smsc)
  for (const text of ['one', 'two', 'two']) await client.submit(`+${PHONE}`, text)
  await client.submit('33639980002', 'refused')
  assert.deepEqual(
    smsc.accepted,
    new Map([
      [
        PHONE,
        {
          count: 3,
          segments: new Map([
            ['one', 1],
            ['two', 2]
          ])
        }
      ]
    ])
  )
  assert.deepEqual(smsc.repeated(), [{ number: PHONE, segment: 'two', count: 2 }])
})

test('a port that is taken is a reason not to start', async (t) => {
  const { port } = await start(t)
  await assert.rejects(start(t, { port, faults: 'every 10s reset' }), { code: 'EADDRINUSE' })
})

test('nonsense on the link is answered and ends it', async (t) => {
  const smsc = await start(t)
  const client = await bindForeign(t, smsc)
  const socket = connect(smsc.port, smsc.host)
  const chunks: Buffer[] = []
  for await (const chunk of socket.on('connect', () => socket.write('GET / HTTP/1.1\r\n\r\n'))) chunks.push(chunk)
  const answer = Buffer.concat(chunks)
  assert.deepEqual([answer.readUInt32BE(4), answer.readUInt32BE(8)], [0x80000000, ERRORS.ESME_RINVCMDLEN])
  assert.equal((await client.submit(PHONE, 'Bonjour')).command_status, 0)
})

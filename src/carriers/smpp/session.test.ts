import { strict as assert } from 'node:assert'
import { test } from 'node:test'
import { eventually } from '../../../test/checks/eventually.ts'
import { COMMAND_IDS, STATUSES } from '../../smpp/commands.ts'
import { MESSAGE } from '../../smpp/pdu.samples.ts'
import type { BarePdu, Pdu } from '../../smpp/pdu.ts'
import { type RawLink, startPair, toMessage } from './carrier.samples.ts'
import { InboundPending } from './inbound-pending.ts'

/** A PDU with nothing but a header, whatever its command. */
function header(commandId: number, sequence: number, length = 16): Buffer {
  const bytes = Buffer.alloc(16)
  for (const [index, value] of [length, commandId, 0, sequence].entries()) bytes.writeUInt32BE(value, 4 * index)
  return bytes
}

function linkOf({ links }: { links: RawLink[] }): RawLink {
  return links[0] ?? assert.fail('nobody connected')
}

function reply(text: string) {
  return { sourceAddr: '33612345678', destinationAddr: '36111', shortMessage: Buffer.from(text) }
}

/** What the peer got after the bind. */
async function answersOf(link: RawLink, count: number): Promise<Pdu[]> {
  return await eventually(() => {
    const answers = link.pdus.slice(1)
    assert.ok(answers.length >= count)
    return answers
  })
}

test('enquire_link is answered at once', async (t) => {
  const { smsc } = await startPair(t)
  const link = linkOf(smsc)
  link.send({ command: 'enquire_link', status: 0, sequence: 42 })
  const answer: BarePdu = { command: 'enquire_link_resp', status: 0, sequence: 42 }
  assert.deepEqual(await answersOf(link, 1), [answer])
})

test('a command that nobody knows is refused by name; those that have no answer get none', async (t) => {
  const { smsc } = await startPair(t)
  const link = linkOf(smsc)
  link.socket.write(header(COMMAND_IDS.alert_notification, 1))
  link.socket.write(header(0x8000_0999, 2))
  link.socket.write(header(0x0000_0999, 3))
  link.socket.write(Buffer.concat([header(COMMAND_IDS.query_sm, 4, 21), Buffer.from('1\0\0\0\0')]))
  link.send({ command: 'bind_transmitter_resp', status: 0, sequence: 5, systemId: '', tlvs: new Map() })
  link.send({ command: 'enquire_link', status: 0, sequence: 6 })
  const nack = (sequence: number): BarePdu => ({ command: 'generic_nack', status: STATUSES.ESME_RINVCMDID, sequence })
  const last: BarePdu = { command: 'enquire_link_resp', status: 0, sequence: 6 }
  assert.deepEqual(await answersOf(link, 3), [nack(3), nack(4), last])
})

test('what can’t be read is refused alone; a length that can’t be true ends the connection, with a word', async (t) => {
  const { carrier, smsc, events } = await startPair(t)
  const link = linkOf(smsc)
  link.socket.write(header(COMMAND_IDS.deliver_sm, 8))
  const sequence = link.deliver(reply('Oui'))
  await eventually(() => assert.equal(link.answers.length, 2))
  assert.deepEqual(link.answers, [
    [8, STATUSES.ESME_RINVCMDLEN],
    [sequence, STATUSES.ESME_ROK]
  ])
  link.socket.write(header(COMMAND_IDS.deliver_sm, 9, 900_000))
  await eventually(() => assert.equal(events.changes, 3))
  await eventually(() => assert.equal(link.pdus.at(-1)?.command, 'generic_nack'))
  assert.ok(carrier.status().isUp)
})

test('an answer that can’t be read leaves the message in doubt at once', async (t) => {
  const { carrier, smsc } = await startPair(t)
  smsc.onSubmit = ({ sequence }, link) => {
    link.socket.write(Buffer.concat([header(COMMAND_IDS.submit_sm_resp, sequence, 20), Buffer.from('abcd')]))
  }
  const reason = 'The answer of the carrier can’t be read.'
  assert.deepEqual(await carrier.submit(toMessage()), { kind: 'in-doubt', reason })
})

test('inbound messages are answered once stored, in the order they are stored in', async (t) => {
  const { smsc, events } = await startPair(t)
  const link = linkOf(smsc)
  const stores: PromiseWithResolvers<void>[] = []
  events.store = () => {
    const store = Promise.withResolvers<void>()
    stores.push(store)
    return store.promise
  }
  const [first, second, third] = ['a', 'b', 'c'].map((text) => link.deliver(reply(text)))
  await eventually(() => assert.equal(stores.length, 3))
  link.send({ command: 'enquire_link', status: 0, sequence: 1 })
  await answersOf(link, 1)
  assert.deepEqual(link.answers, [])
  stores[2]?.resolve()
  await eventually(() => assert.equal(link.answers.length, 1))
  stores[0]?.reject(new Error('no database'))
  await eventually(() => assert.equal(link.answers.length, 2))
  stores[1]?.resolve()
  await eventually(() => assert.equal(link.answers.length, 3))
  assert.deepEqual(link.answers, [
    [third, STATUSES.ESME_ROK],
    [first, STATUSES.ESME_RX_T_APPN],
    [second, STATUSES.ESME_ROK]
  ])
})

test('what is not stored in time is answered as temporary, once', async () => {
  const answers: [sequence: number, status: number][] = []
  const store = Promise.withResolvers<void>()
  const pending = new InboundPending({
    handle: () => store.promise,
    answer: ({ sequence, status }) => answers.push([sequence, status]),
    onFailure: () => undefined
  })
  pending.add({ ...MESSAGE, command: 'deliver_sm', sequence: 7 })
  pending.sweep(performance.now() + 25_000)
  assert.deepEqual(answers, [])
  pending.sweep(performance.now() + 31_000)
  store.resolve()
  await store.promise
  assert.deepEqual(answers, [[7, STATUSES.ESME_RX_T_APPN]], 'the carrier keeps it')
})

test('a store that throws at once is answered as temporary, and the link stays', async (t) => {
  const { carrier, smsc, events } = await startPair(t)
  const link = linkOf(smsc)
  events.onReply = () => {
    throw new Error('a bug of ours')
  }
  const sequence = link.deliver(reply('Oui'))
  await eventually(() => assert.deepEqual(link.answers, [[sequence, STATUSES.ESME_RX_T_APPN]]))
  assert.equal((await carrier.submit(toMessage())).kind, 'accepted')
})

test('more than we can store is not read: memory stays bounded, and nothing is lost', async (t) => {
  const { carrier, smsc, events } = await startPair(t, { answerTimeout: 1, enquireLink: 0.2 })
  const link = linkOf(smsc)
  const gate = Promise.withResolvers<void>()
  events.store = () => gate.promise
  const text = 'x'.repeat(200)
  const total = 6_000
  const outcome = carrier.submit(toMessage())
  smsc.onSubmit = (submit) => {
    for (let index = 0; index < total; index++) link.deliver(reply(text))
    link.answer(submit, 'ESME_ROK', 'behind them all')
  }
  await eventually(() => assert.ok(events.replies.length > 1_000))
  const read = events.replies.length
  // Longer than any deadline: what we do not read says nothing about the peer.
  await new Promise((resolve) => setTimeout(resolve, 1_500))
  assert.equal(events.replies.length, read)
  assert.ok(read < 2_000, `${read} were read`)
  gate.resolve()
  assert.deepEqual(await outcome, { kind: 'accepted', carrierMessageIds: ['behind them all'] })
  await eventually(() => assert.equal(link.answers.length, total))
  assert.equal(smsc.links.length, 1)
})

test('a peer that does not read gets no more than its socket takes; what waits expires in time', async (t) => {
  const { carrier, smsc } = await startPair(t, { window: 10_000, longMessages: 'payload' })
  linkOf(smsc).socket.pause()
  const expiresAt = new Date(Date.now() + 400)
  const text = 'x'.repeat(10_000)
  const messages = Array.from({ length: 2_000 }, (_, reference) => toMessage({ reference, text, expiresAt }))
  const outcomes: Promise<{ kind: string }>[] = []
  for (const message of messages) {
    outcomes.push(carrier.submit(message))
    if (outcomes.length % 10 === 0) await new Promise((resolve) => setImmediate(resolve))
  }
  await new Promise((resolve) => setTimeout(resolve, 500))
  linkOf(smsc).socket.resume()
  const kinds = (await Promise.all(outcomes)).map(({ kind }) => kind)
  const accepted = kinds.filter((kind) => kind === 'accepted').length
  const expired = kinds.filter((kind) => kind === 'expired').length
  assert.ok(expired > 0)
  assert.equal(accepted + expired, messages.length)
  assert.equal(smsc.submits.length, accepted)
})

test('when we stop, what is being stored is answered before the unbind', async (t) => {
  const { carrier, smsc, events } = await startPair(t)
  const link = linkOf(smsc)
  const gate = Promise.withResolvers<void>()
  events.store = () => gate.promise
  const sequence = link.deliver(reply('Oui'))
  await eventually(() => assert.equal(events.replies.length, 1))
  const stopped = carrier.stop()
  gate.resolve()
  await stopped
  assert.deepEqual(
    link.pdus.slice(1).map(({ command, sequence }) => [command, sequence]),
    [
      ['deliver_sm_resp', sequence],
      ['unbind', 2]
    ]
  )
})

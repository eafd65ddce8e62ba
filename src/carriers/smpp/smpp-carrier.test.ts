import { strict as assert } from 'node:assert'
import { test } from 'node:test'
import { eventually } from '../../../test/checks/eventually.ts'
import { databaseNow } from '../../database/clock.ts'
import type { StatusName } from '../../smpp/commands.ts'
import type { MessagePdu } from '../../smpp/pdu.ts'
import { SEQUENCE_MAX } from '../../smpp/sequence.ts'
import type { SubmitOutcome } from '../carrier.ts'
import {
  MemoryLeases,
  type RawLink,
  type RawSmsc,
  startPair,
  startTestCarrier,
  submitAnswer,
  toMessage
} from './carrier.samples.ts'
import { ConcatenationReferences } from './concatenation.ts'

const LONG = 'a'.repeat(153 + 153 + 10)

const references = (count: number) => Array.from({ length: count }, (_, index) => index + 1)
const kinds = (outcomes: SubmitOutcome[]) => outcomes.map(({ kind }) => kind)

/** Answers in turn, then accepts. */
function answerInTurn(smsc: RawSmsc, statuses: StatusName[]): void {
  smsc.onSubmit = (submit, link) => {
    link.answer(submit, statuses[smsc.submits.length - 1] ?? 'ESME_ROK', `m${smsc.submits.length}`)
  }
}

/** Keeps what comes; `held` is answered by the test. */
function hold(smsc: RawSmsc): { submit: MessagePdu; link: RawLink }[] {
  const held: { submit: MessagePdu; link: RawLink }[] = []
  smsc.onSubmit = (submit, link) => held.push({ submit, link })
  return held
}

test('a message the carrier takes is accepted with the id it gave', async (t) => {
  const { carrier, smsc } = await startPair(t)
  const expiresAt = new Date(Date.now() + 90_061_500)
  assert.deepEqual(await carrier.submit(toMessage({ expiresAt })), { kind: 'accepted', carrierMessageIds: ['m1'] })
  const [submit] = smsc.submits
  assert.ok(submit)
  assert.match(submit.validityPeriod, /^00000101010[01]000R$/)
  assert.deepEqual(
    [submit.sourceAddrTon, submit.sourceAddrNpi, submit.sourceAddr, submit.destAddrTon, submit.destAddrNpi],
    [5, 0, 'CHAPPE', 1, 1]
  )
  assert.deepEqual([submit.destinationAddr, submit.registeredDelivery], ['33612345678', 1])
  assert.equal(submit.shortMessage.toString(), 'Bonjour')
})

test('what the carrier says decides between another try, with its delay, and a refusal', async (t) => {
  const { carrier, smsc } = await startPair(t)
  const cases: [StatusName, SubmitOutcome][] = [
    ['ESME_RTHROTTLED', { kind: 'retry', reason: 'ESME_RTHROTTLED', delaySeconds: 1 }],
    ['ESME_RMSGQFUL', { kind: 'retry', reason: 'ESME_RMSGQFUL', delaySeconds: 2 }],
    ['ESME_RSYSERR', { kind: 'retry', reason: 'ESME_RSYSERR', delaySeconds: 5 }],
    ['ESME_RX_T_APPN', { kind: 'retry', reason: 'ESME_RX_T_APPN', delaySeconds: 10 }],
    ['ESME_RINVDSTADR', { kind: 'rejected', reason: 'ESME_RINVDSTADR', carrierMessageIds: [] }],
    ['ESME_RSUBMITFAIL', { kind: 'rejected', reason: 'ESME_RSUBMITFAIL', carrierMessageIds: [] }],
    ['ESME_RUNKNOWNERR', { kind: 'rejected', reason: 'ESME_RUNKNOWNERR', carrierMessageIds: [] }]
  ]
  answerInTurn(
    smsc,
    cases.map(([status]) => status)
  )
  for (const [status, outcome] of cases) assert.deepEqual(await carrier.submit(toMessage()), outcome, status)
  smsc.onSubmit = (submit, link) => link.send(submitAnswer(submit.sequence, 0x411, ''))
  const own: SubmitOutcome = { kind: 'rejected', reason: '0x00000411', carrierMessageIds: [] }
  assert.deepEqual(await carrier.submit(toMessage()), own)
  smsc.onSubmit = ({ sequence }, link) => link.send({ command: 'generic_nack', status: 0x02, sequence })
  const nack: SubmitOutcome = { kind: 'rejected', reason: 'ESME_RINVCMDLEN', carrierMessageIds: [] }
  assert.deepEqual(await carrier.submit(toMessage()), nack)
})

test('without an answer in time it is in doubt, sent once, and the late answer tells after all', async (t) => {
  const { carrier, smsc, events, metrics } = await startPair(t, { answerTimeout: 0.1 })
  const held = hold(smsc)
  const outcomes = await Promise.all(references(4).map((reference) => carrier.submit(toMessage({ reference }))))
  assert.deepEqual(kinds(outcomes), ['in-doubt', 'in-doubt', 'in-doubt', 'in-doubt'])
  assert.equal(carrier.status().binds[0]?.windowUsed, 0)
  const statuses: StatusName[] = ['ESME_ROK', 'ESME_RINVDSTADR', 'ESME_RTHROTTLED']
  for (const [index, status] of statuses.entries()) {
    const { submit, link } = held[index] ?? assert.fail()
    link.answer(submit, status, `late${index}`)
    link.answer(submit, status, 'twice')
  }
  await eventually(() => assert.equal(events.late.length, 3))
  assert.deepEqual(events.late, [
    [1, { kind: 'accepted', carrierMessageIds: ['late0'] }],
    [2, { kind: 'rejected', reason: 'ESME_RINVDSTADR', carrierMessageIds: [] }],
    [3, { kind: 'retry', reason: 'ESME_RTHROTTLED', delaySeconds: 1 }]
  ])
  assert.equal(smsc.submits.length, 4)
  await eventually(() => assert.deepEqual([metrics.counts.silences, metrics.counts.lateAnswers], [4, 3]))
})

test('a listener that fails ends nothing', async (t) => {
  const { carrier, smsc, events } = await startPair(t, { answerTimeout: 0.1 })
  const held = hold(smsc)
  let told = 0
  events.onLateOutcome = () => {
    told++
    throw new Error('a bug of ours')
  }
  await carrier.submit(toMessage())
  held[0]?.link.answer(held[0].submit)
  await eventually(() => assert.equal(told, 1))
  smsc.onSubmit = (submit, link) => link.answer(submit)
  assert.equal((await carrier.submit(toMessage())).kind, 'accepted')
  assert.equal(smsc.links.length, 1)
})

test('a late answer to a part tells only what it decides', async (t) => {
  const { carrier, smsc, events } = await startPair(t, { answerTimeout: 0.1 })
  const held = hold(smsc)
  // Of the first message part 1 is late, of the others part 3.
  const outcomes = [carrier.submit(toMessage({ reference: 1, text: LONG }))]
  await eventually(() => assert.equal(held.length, 1))
  await outcomes[0]
  smsc.onSubmit = (submit, link) => {
    if (submit.shortMessage[5] === 3) held.push({ submit, link })
    else link.answer(submit, 'ESME_ROK', `part${submit.shortMessage[5]}`)
  }
  for (const reference of [2, 3]) outcomes.push(carrier.submit(toMessage({ reference, text: LONG })))
  assert.deepEqual(kinds(await Promise.all(outcomes)), ['in-doubt', 'in-doubt', 'in-doubt'])
  const statuses: StatusName[] = ['ESME_ROK', 'ESME_ROK', 'ESME_RINVDSTADR']
  for (const [index, { submit, link }] of held.entries()) link.answer(submit, statuses[index], 'part3')
  await eventually(() => assert.equal(events.late.length, 2))
  assert.deepEqual(events.late, [
    [2, { kind: 'accepted', carrierMessageIds: ['part1', 'part2', 'part3'] }],
    [3, { kind: 'rejected', reason: 'ESME_RINVDSTADR', carrierMessageIds: ['part1', 'part2'] }]
  ])
})

test('a link that is reset after k of n answers leaves k accepted, the others in doubt, and none sent twice', async (t) => {
  const total = 6
  for (let answered = 0; answered <= total; answered++) {
    await t.test(`k = ${answered}`, async (t) => {
      const { carrier, smsc } = await startPair(t)
      smsc.onSubmit = (submit, link) => {
        const count = smsc.submits.length
        if (count <= answered) link.answer(submit, 'ESME_ROK', `m${count}`)
        if (count === Math.max(1, answered)) setImmediate(() => link.socket.resetAndDestroy())
      }
      const outcomes = await Promise.all(
        references(total).map((reference) => carrier.submit(toMessage({ reference, to: `+3361234567${reference}` })))
      )
      const wanted = references(total).map((reference) => (reference <= answered ? 'accepted' : 'in-doubt'))
      assert.deepEqual(kinds(outcomes), wanted)
      const phones = smsc.submits.map(({ destinationAddr }) => destinationAddr)
      assert.equal(new Set(phones).size, phones.length)
    })
  }
})

test('the window is never exceeded, and answers that never come do not narrow it', async (t) => {
  const { carrier, smsc } = await startPair(t, { window: 5, answerTimeout: 0.2 })
  let unanswered = 0
  let most = 0
  smsc.onSubmit = (submit, link) => {
    most = Math.max(most, ++unanswered)
    const isDropped = smsc.submits.length % 10 === 0
    if (!isDropped) setImmediate(() => link.answer(submit))
    // A slot that is given up is free as well.
    if (isDropped) setTimeout(() => unanswered--, 150)
    else setImmediate(() => unanswered--)
  }
  const outcomes = await Promise.all(references(100).map((reference) => carrier.submit(toMessage({ reference }))))
  assert.equal(most, 5)
  assert.equal(outcomes.filter(({ kind }) => kind === 'accepted').length, 90)
  assert.equal(outcomes.filter(({ kind }) => kind === 'in-doubt').length, 10)
})

test('a message that expired does not leave, not even after waiting for the window', async (t) => {
  const { carrier, smsc } = await startPair(t, { window: 1 })
  assert.deepEqual(await carrier.submit(toMessage({ expiresAt: databaseNow() })), { kind: 'expired' })
  assert.equal(smsc.submits.length, 0)
  const held = hold(smsc)
  const first = carrier.submit(toMessage())
  const second = carrier.submit(toMessage({ expiresAt: new Date(databaseNow().getTime() + 50), text: 'too late' }))
  await eventually(() => assert.equal(held.length, 1))
  setTimeout(() => held[0]?.link.answer(held[0].submit, 'ESME_ROK', 'm1'), 80)
  assert.deepEqual(kinds(await Promise.all([first, second])), ['accepted', 'expired'])
  assert.equal(smsc.submits.length, 1)
})

test('a message that waits too long for its turn goes back to the caller', async (t) => {
  const { carrier, smsc } = await startPair(t, { window: 1 }, { timings: { queueWaitMs: 50 } })
  const held = hold(smsc)
  const first = carrier.submit(toMessage())
  assert.deepEqual(kinds([await carrier.submit(toMessage())]), ['retry'])
  held[0]?.link.answer(held[0].submit)
  assert.deepEqual(kinds([await first]), ['accepted'])
})

test('the parts of a long message leave one after the other', async (t) => {
  const { carrier, smsc } = await startPair(t)
  const held = hold(smsc)
  const outcome = carrier.submit(toMessage({ text: LONG }))
  for (const part of [1, 2, 3]) {
    await eventually(() => assert.equal(held.length, part))
    const { submit, link } = held[part - 1] ?? assert.fail()
    assert.deepEqual([submit.esmClass, submit.shortMessage[4], submit.shortMessage[5]], [0x40, 3, part])
    link.answer(submit, 'ESME_ROK', `m${part}`)
  }
  assert.deepEqual(await outcome, { kind: 'accepted', carrierMessageIds: ['m1', 'm2', 'm3'] })
})

test('when one part is refused the others stay, and those taken are told', async (t) => {
  const { carrier, smsc } = await startPair(t)
  answerInTurn(smsc, ['ESME_ROK', 'ESME_RINVDSTADR'])
  const outcome = await carrier.submit(toMessage({ text: LONG }))
  assert.deepEqual(outcome, { kind: 'rejected', reason: 'ESME_RINVDSTADR', carrierMessageIds: ['m1'] })
  assert.equal(smsc.submits.length, 2)
})

test('a later part that is throttled is sent again alone; a first one is a retry of the whole', async (t) => {
  const { carrier, smsc } = await startPair(t)
  answerInTurn(smsc, ['ESME_ROK', 'ESME_RTHROTTLED', 'ESME_RMSGQFUL', 'ESME_ROK', 'ESME_ROK', 'ESME_RTHROTTLED'])
  const outcome = await carrier.submit(toMessage({ text: LONG }))
  assert.deepEqual(outcome, { kind: 'accepted', carrierMessageIds: ['m1', 'm4', 'm5'] })
  const parts = smsc.submits.map(({ shortMessage }) => shortMessage[5])
  assert.deepEqual(parts, [1, 2, 2, 2, 3])
  assert.deepEqual(kinds([await carrier.submit(toMessage({ text: LONG }))]), ['retry'])
  assert.equal(smsc.submits.length, 6)
})

test('a later part that is throttled for too long leaves the message in doubt, one that expires meanwhile rejected', async (t) => {
  const { carrier, smsc } = await startPair(t, {}, { timings: { partWaitMs: 300 } })
  answerInTurn(smsc, ['ESME_ROK', ...Array<StatusName>(200).fill('ESME_RTHROTTLED')])
  const expiresAt = new Date(Date.now() + 100)
  const expired = await carrier.submit(toMessage({ text: LONG, expiresAt }))
  assert.ok(expired.kind === 'rejected')
  assert.deepEqual(expired.carrierMessageIds, ['m1'])
  const before = smsc.submits.length
  smsc.onSubmit = (submit, link) => link.answer(submit, submit.shortMessage[5] === 1 ? 'ESME_ROK' : 'ESME_RTHROTTLED')
  assert.deepEqual(kinds([await carrier.submit(toMessage({ text: LONG }))]), ['in-doubt'])
  assert.equal(smsc.submits.slice(before).filter(({ shortMessage }) => shortMessage[5] === 1).length, 1)
  smsc.onSubmit = (submit, link) => {
    const isFirst = submit.shortMessage[5] === 1
    link.answer(submit, isFirst ? 'ESME_ROK' : 'ESME_RTHROTTLED')
    if (!isFirst) link.socket.end()
  }
  assert.deepEqual(kinds([await carrier.submit(toMessage({ text: LONG }))]), ['in-doubt'], 'also when its link is gone')
})

test('all parts of a message go over one bind, also when that one is lost: then the rest stays', async (t) => {
  const { carrier, smsc } = await startPair(t, { sessions: 2 })
  await eventually(() => assert.equal(carrier.capacity, 20))
  const linkOf = new Map<number, Set<RawLink>>()
  smsc.onSubmit = (submit, link) => {
    const reference = submit.shortMessage[3] ?? 0
    linkOf.set(reference, (linkOf.get(reference) ?? new Set()).add(link))
    link.answer(submit)
  }
  await Promise.all(references(20).map((reference) => carrier.submit(toMessage({ reference, text: LONG }))))
  assert.deepEqual(new Set([...linkOf.values()].map((links) => links.size)), new Set([1]))
  assert.equal(new Set([...linkOf.values()].flatMap((links) => [...links])).size, 2)

  const before = smsc.submits.length
  smsc.onSubmit = (submit, link) => {
    link.answer(submit)
    setImmediate(() => link.socket.resetAndDestroy())
  }
  assert.deepEqual(kinds([await carrier.submit(toMessage({ text: LONG }))]), ['in-doubt'])
  await eventually(() => assert.equal(carrier.capacity, 20))
  const parts = smsc.submits.slice(before).map(({ shortMessage }) => shortMessage[5])
  assert.ok(parts.length <= 2, 'the third part stays')
})

test('long messages to one phone never share a reference within 256, whatever else is sent', async (t) => {
  const { carrier, smsc } = await startPair(t, { window: 50 })
  const text = 'a'.repeat(200)
  const phones = references(256).flatMap((index) => ['+33612345678', `+336${String(index).padStart(8, '0')}`])
  await Promise.all(phones.map((to) => carrier.submit(toMessage({ to, text }))))
  const used = smsc.submits
    .filter(({ destinationAddr, shortMessage }) => destinationAddr === '33612345678' && shortMessage[5] === 1)
    .map(({ shortMessage }) => shortMessage[3])
  assert.equal(used.length, 256)
  assert.equal(new Set(used).size, 256)
  const firstOf = (counts: ConcatenationReferences) => phones.map((phone) => counts.next('CHAPPE', phone))
  assert.notDeepEqual(firstOf(new ConcatenationReferences()), firstOf(new ConcatenationReferences()), 'nor processes')
})

test('sequence numbers pass their end, with enquire_links in between, and each answer finds its message', async (t) => {
  const { carrier, smsc } = await startPair(t, { enquireLink: 0.05 }, { firstSequence: SEQUENCE_MAX - 5 })
  smsc.onSubmit = (submit, link) => link.answer(submit, 'ESME_ROK', submit.shortMessage.toString())
  const text = (round: number, reference: number) => `text ${round} ${reference}`
  for (let round = 0; round < 3; round++) {
    const outcomes = await Promise.all(
      references(5).map((reference) => carrier.submit(toMessage({ reference, text: text(round, reference) })))
    )
    const ids = references(5).map((reference) => text(round, reference))
    assert.deepEqual(
      outcomes,
      ids.map((id) => ({ kind: 'accepted', carrierMessageIds: [id] }))
    )
    const asked = () => smsc.links[0]?.pdus.filter(({ command }) => command === 'enquire_link').length ?? 0
    const before = asked()
    await eventually(() => assert.ok(asked() > before))
  }
  const sequences = smsc.links[0]?.pdus.map(({ sequence }) => sequence) ?? []
  assert.equal(new Set(sequences).size, sequences.length)
  assert.deepEqual(sequences.slice(0, 8), [...[5, 4, 3, 2, 1, 0].map((left) => SEQUENCE_MAX - left), 1, 2])
})

test('a carrier that is not bound takes nothing and says so', async () => {
  const { carrier } = startTestCarrier({ port: 1 })
  try {
    assert.equal(carrier.capacity, 0)
    assert.deepEqual(kinds([await carrier.submit(toMessage())]), ['retry'])
    await eventually(() => assert.match(carrier.status().binds[0]?.lastError?.message ?? '', /ECONNREFUSED/))
    assert.equal(carrier.status().isUp, false)
  } finally {
    await carrier.stop()
  }
})

test('those that wait go back to the caller when the last bind is lost', async (t) => {
  const { carrier, smsc } = await startPair(t, { window: 2 })
  const held = hold(smsc)
  const outcomes = references(5).map((reference) => carrier.submit(toMessage({ reference })))
  await eventually(() => assert.equal(held.length, 2))
  smsc.onBind = () => undefined
  held[0]?.link.socket.destroy()
  assert.deepEqual(kinds(await Promise.all(outcomes)), ['in-doubt', 'in-doubt', 'retry', 'retry', 'retry'])
  assert.equal(smsc.submits.length, 2)
})

test('a sender that no PDU can hold is rejected, and nothing else is hurt', async (t) => {
  const { carrier } = await startPair(t)
  assert.deepEqual(kinds([await carrier.submit(toMessage({ from: 'Ω'.repeat(11) }))]), ['rejected'])
  assert.deepEqual(kinds([await carrier.submit(toMessage({ text: 'a'.repeat(153 * 256) }))]), ['rejected'])
  assert.deepEqual(kinds([await carrier.submit(toMessage())]), ['accepted'])
})

test('the throughput of the cluster is asked for in submit_sm PDUs, and waited for', async (t) => {
  const leases = new MemoryLeases()
  let free = 0
  let asked = 0
  const takeThroughput = async (carrier: string, perSecond: number, wanted: number) => {
    assert.deepEqual([carrier, perSecond], ['main', 100])
    assert.ok(wanted >= 1 && wanted <= 10)
    asked++
    const granted = Math.min(wanted, free)
    free -= granted
    return { granted, waitMs: 5 }
  }
  const { carrier, smsc } = await startPair(t, { throughput: 100 }, { limits: { takeThroughput, leases } })
  const outcomes = Promise.all(references(4).map((reference) => carrier.submit(toMessage({ reference, text: LONG }))))
  for (const [granted, seen] of [
    [0, 0],
    [5, 5],
    [7, 12]
  ] as const) {
    free += granted
    const before = asked
    await eventually(() => assert.ok(asked > before + 2 || smsc.submits.length === 12))
    assert.equal(smsc.submits.length, seen)
  }
  assert.deepEqual(new Set(kinds(await outcomes)), new Set(['accepted']))
  assert.equal(carrier.status().binds[0]?.pacePerSecond, 100)
})

test('a throttled carrier gets everything in the end, each message once', async (t) => {
  const { carrier, smsc } = await startPair(t, { window: 50 })
  const perSecond = 300
  let tokens = 20
  let filledAtMs = performance.now()
  smsc.onSubmit = (submit, link) => {
    const nowMs = performance.now()
    tokens = Math.min(20, tokens + ((nowMs - filledAtMs) / 1000) * perSecond)
    filledAtMs = nowMs
    const isTaken = tokens >= 1
    if (isTaken) tokens--
    link.answer(submit, isTaken ? 'ESME_ROK' : 'ESME_RTHROTTLED', submit.shortMessage.toString())
  }
  const taken: string[] = []
  let throttled = 0
  async function send(reference: number): Promise<void> {
    for (;;) {
      const outcome = await carrier.submit(toMessage({ reference, text: `message ${reference}` }))
      if (outcome.kind === 'accepted') return void taken.push(...outcome.carrierMessageIds)
      assert.ok(outcome.kind === 'retry')
      throttled++
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  }
  await Promise.all(references(900).map(send))
  assert.deepEqual(
    taken.toSorted(),
    references(900)
      .map((reference) => `message ${reference}`)
      .toSorted()
  )
  assert.ok(throttled > 0)
  const pace = carrier.status().binds[0]?.pacePerSecond
  assert.ok(pace && pace < 2 * perSecond)
})

test('stopping gives back what waits, waits for what left, unbinds and gives the bind back', async (t) => {
  const { carrier, smsc, leases, metrics } = await startPair(t, { window: 2 })
  const held = hold(smsc)
  const outcomes = references(4).map((reference) => carrier.submit(toMessage({ reference })))
  await eventually(() => assert.equal(held.length, 2))
  const stopped = carrier.stop()
  assert.equal(carrier.capacity, 0)
  assert.deepEqual(kinds([await carrier.submit(toMessage())]), ['retry'])
  assert.deepEqual(kinds(await Promise.all(outcomes.slice(2))), ['retry', 'retry'])
  assert.equal(leases.released.length, 0)
  for (const { submit, link } of held) link.answer(submit, 'ESME_ROK', 'm')
  await stopped
  assert.deepEqual(kinds(await Promise.all(outcomes.slice(0, 2))), ['accepted', 'accepted'])
  assert.equal(smsc.links[0]?.pdus.at(-1)?.command, 'unbind')
  assert.deepEqual(
    leases.released.map(({ slot }) => slot),
    [1]
  )
  assert.deepEqual([metrics.counts.submits, metrics.counts.ESME_ROK], [2, 2])
})

test('stopping does not wait longer for answers than a submit would', async (t) => {
  const { carrier, smsc } = await startPair(t, { answerTimeout: 0.2 })
  hold(smsc)
  const outcome = carrier.submit(toMessage({ text: LONG }))
  await eventually(() => assert.equal(smsc.submits.length, 1))
  await carrier.stop()
  assert.deepEqual(kinds([await outcome]), ['in-doubt'])
})

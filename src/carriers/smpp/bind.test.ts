import { strict as assert } from 'node:assert'
import { test } from 'node:test'
import pino from 'pino'
import { eventually } from '../../../test/checks/eventually.ts'
import { atEnd } from '../../../test/service/cleanup.ts'
import { backoffMs } from '../backoff.ts'
import { MemoryLeases, RawSmsc, startPair, startTestCarrier, toMessage } from './carrier.samples.ts'

/** A log that keeps what it is told. */
function recordLog() {
  const lines: { level: number; msg: string; reason?: string }[] = []
  const log = pino({ level: 'debug' }, { write: (line: string) => void lines.push(JSON.parse(line)) })
  return { log, lines }
}

/** Nothing else runs meanwhile: the process as if it had been stopped. */
function stall(forMs: number): void {
  const untilMs = performance.now() + forMs
  while (performance.now() < untilMs);
}

test('waits after failures grow from the least to the most, and never two processes’ alike', () => {
  const bounds = { minMs: 1_000, maxMs: 60_000 }
  const longest = [1, 2, 3, 4, 5, 6, 7, 100].map((failures) => backoffMs(failures, bounds, () => 1))
  assert.deepEqual(longest, [2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000, 60_000])
  assert.equal(
    backoffMs(9, bounds, () => 0),
    1_000
  )
  assert.notEqual(backoffMs(5, bounds), backoffMs(5, bounds))
})

test('a wrong password is tried seldom, said once in the log as an error, and shown', async (t) => {
  const smsc = await new RawSmsc().start()
  atEnd(t, () => smsc.stop())
  smsc.onBind = () => 'ESME_RINVPASWD'
  const { log, lines } = recordLog()
  const { carrier } = startTestCarrier({ port: smsc.port }, { log })
  atEnd(t, () => carrier.stop())
  const startedAtMs = performance.now()
  await eventually(() => assert.equal(smsc.links.length, 3))
  assert.ok(performance.now() - startedAtMs >= 2 * 300, 'not sooner than the long wait allows')
  assert.match(carrier.status().binds[0]?.lastError?.message ?? '', /ESME_RINVPASWD.*password/)
  const errors = lines.filter(({ level }) => level >= 50)
  assert.deepEqual(
    errors.map(({ reason }) => reason),
    ['The carrier refused the bind: ESME_RINVPASWD.']
  )
  assert.ok(!JSON.stringify(lines).includes('secret'))
  smsc.onBind = () => 'ESME_ROK'
  await eventually(() => assert.ok(carrier.status().isUp))
})

test('a ghost of ours that is still bound only delays the bind, and everybody else’s binds stay', async (t) => {
  const smsc = await new RawSmsc().start()
  atEnd(t, () => smsc.stop())
  let refusals = 0
  smsc.onBind = () => (++refusals <= 5 ? 'ESME_RALYBND' : 'ESME_ROK')
  const { log, lines } = recordLog()
  const { carrier } = startTestCarrier({ port: smsc.port }, { log })
  atEnd(t, () => carrier.stop())
  await eventually(() => assert.ok(carrier.status().isUp))
  assert.equal(refusals, 6)
  assert.equal(lines.filter(({ level }) => level >= 50).length, 0)
})

test('a carrier that is away when we start, or goes away, is bound as soon as it is back', async (t) => {
  const { carrier, smsc, events } = await startPair(t)
  for (let round = 1; round <= 3; round++) {
    smsc.links.at(-1)?.socket.resetAndDestroy()
    await eventually(() => assert.equal(events.changes, 1 + 2 * round))
    assert.equal((await carrier.submit(toMessage())).kind, 'accepted')
  }
  assert.match(carrier.status().binds[0]?.lastError?.message ?? '', /ECONNRESET|closed/)
})

test('an unbind of the carrier is answered, what it owes is waited for, and we bind again', async (t) => {
  // Deadlines are kept every 5 ms: some pass before the answer.
  const { carrier, smsc } = await startPair(t, { enquireLink: 0.1 }, { timings: { unbindTimeoutMs: 10_000 } })
  const [first] = smsc.links
  assert.ok(first)
  smsc.onSubmit = (submit, link) => {
    link.send({ command: 'unbind', status: 0, sequence: 77 })
    setTimeout(() => link.answer(submit, 'ESME_ROK', 'after the unbind'), 50)
  }
  assert.deepEqual(await carrier.submit(toMessage()), { kind: 'accepted', carrierMessageIds: ['after the unbind'] })
  await eventually(() =>
    assert.ok(first.pdus.some(({ command, sequence }) => command === 'unbind_resp' && sequence === 77))
  )
  await eventually(() => assert.deepEqual([smsc.links.length, carrier.status().isUp], [2, true]))
})

test('a pair is up only when both are bound, submits over the one and receives over the other', async (t) => {
  const smsc = await new RawSmsc().start()
  atEnd(t, () => smsc.stop())
  let isReceiverAllowed = false
  smsc.onBind = ({ command }) => (command === 'bind_transmitter' || isReceiverAllowed ? 'ESME_ROK' : 'ESME_RSYSERR')
  const { carrier, events } = startTestCarrier({ port: smsc.port, bind: 'transmitter+receiver' })
  atEnd(t, () => carrier.stop())
  // A transmitter whose receiver is refused is unbound before the next attempt.
  await eventually(() => assert.ok(smsc.links.filter(({ bind }) => bind).length > 2))
  assert.equal(carrier.status().isUp, false)
  const commands = smsc.links.find(({ bind }) => bind)?.pdus.map(({ command }) => command)
  assert.deepEqual(commands, ['bind_transmitter', 'unbind'])

  isReceiverAllowed = true
  await eventually(() => assert.ok(carrier.status().isUp))
  const receiver = smsc.links.at(-1)?.bind?.command === 'bind_receiver' ? smsc.links.at(-1) : smsc.links.at(-2)
  assert.equal((await carrier.submit(toMessage())).kind, 'accepted')
  receiver?.deliver({ sourceAddr: '33612345678', shortMessage: Buffer.from('Oui') })
  await eventually(() => assert.equal(events.replies[0]?.text, 'Oui'))
  assert.equal(
    receiver?.pdus.some(({ command }) => command === 'submit_sm'),
    false
  )

  const before = smsc.links.length
  receiver?.socket.resetAndDestroy()
  await eventually(() => assert.equal(smsc.links.length, before + 2))
  await eventually(() => assert.ok(carrier.status().isUp))
})

test('a pair that loses its receiver still waits for what its transmitter is owed', async (t) => {
  const { carrier, smsc } = await startPair(t, { bind: 'transmitter+receiver' })
  const [transmitter, receiver] = smsc.links.toSorted((link) => (link.bind?.command === 'bind_transmitter' ? -1 : 1))
  smsc.onSubmit = (submit, link) => {
    receiver?.socket.once('close', () => setTimeout(() => link.answer(submit, 'ESME_ROK', 'm1'), 50))
    receiver?.socket.resetAndDestroy()
  }
  assert.deepEqual(await carrier.submit(toMessage()), { kind: 'accepted', carrierMessageIds: ['m1'] })
  await eventually(() => assert.equal(transmitter?.pdus.at(-1)?.command, 'unbind'))
  await eventually(() => assert.deepEqual([smsc.links.length, carrier.status().isUp], [4, true]))
})

test('a link that is dead without a word is found within two intervals', async (t) => {
  const { carrier, smsc, events } = await startPair(t, { enquireLink: 0.2 })
  assert.equal(events.changes, 1)
  smsc.isTalking = false
  const [link] = smsc.links
  const outcome = carrier.submit(toMessage())
  await eventually(() => assert.equal(events.changes, 2), { everyMs: 5 })
  // One after the first interval; that it is unanswered after the second ends the link. The clock of a busy machine proves nothing.
  assert.equal(link?.pdus.filter(({ command }) => command === 'enquire_link').length, 1)
  assert.equal((await outcome).kind, 'in-doubt')
  assert.match(carrier.status().binds[0]?.lastError?.message ?? '', /enquire_link/)
})

test('time in which the process stood still does not count against the carrier', async (t) => {
  const { carrier, smsc } = await startPair(t, { answerTimeout: 0.3, enquireLink: 0.3 })
  smsc.onSubmit = (submit, link) => {
    link.answer(submit, 'ESME_ROK', 'before the stall')
    stall(500)
  }
  assert.deepEqual(await carrier.submit(toMessage()), { kind: 'accepted', carrierMessageIds: ['before the stall'] })
  assert.equal(smsc.links.length, 1)
})

test('a carrier that never answers the bind, or never reads, is given up and tried again', async (t) => {
  const smsc = await new RawSmsc().start()
  atEnd(t, () => smsc.stop())
  smsc.onBind = () => undefined
  const { carrier } = startTestCarrier({ port: smsc.port, answerTimeout: 1 }, { timings: { openTimeoutMs: 100 } })
  atEnd(t, () => carrier.stop())
  await eventually(() => assert.ok(smsc.links.length > 2))
  assert.match(carrier.status().binds[0]?.lastError?.message ?? '', /did not answer bind/)
})

test('settings that can’t work are shown, and hurt nobody else', async (t) => {
  const smsc = await new RawSmsc().start()
  atEnd(t, () => smsc.stop())
  const cases: [Parameters<typeof startTestCarrier>, RegExp][] = [
    [[{ systemId: 'Ω' }], /system_id/],
    [[{ password: '秘密' }], /password/],
    [[{ tls: true }, { ca: '-----BEGIN CERTIFICATE-----\nnonsense\n-----END CERTIFICATE-----' }], /./]
  ]
  for (const [[settings, options], reason] of cases) {
    const { carrier } = startTestCarrier({ port: smsc.port, ...settings }, options)
    atEnd(t, () => carrier.stop())
    await eventually(() => assert.match(carrier.status().binds[0]?.lastError?.message ?? '', reason))
    assert.doesNotMatch(carrier.status().binds[0]?.lastError?.message ?? '', /秘密/)
  }
})

test('stopping while it connects, binds or waits ends it at once', async (t) => {
  const smsc = await new RawSmsc().start()
  atEnd(t, () => smsc.stop())
  smsc.onBind = () => undefined
  const { carrier, leases } = startTestCarrier({ port: smsc.port })
  await eventually(() => assert.equal(smsc.links[0]?.pdus.length, 1))
  assert.equal(carrier.status().binds[0]?.state, 'binding')
  await carrier.stop()
  smsc.onBind = () => 'ESME_RINVPASWD'
  const { carrier: refused } = startTestCarrier({ port: smsc.port }, { leases })
  await eventually(() => assert.match(refused.status().binds[0]?.lastError?.message ?? '', /PASWD/))
  await refused.stop()
  assert.equal(leases.released.length, 2)
})

test('a bind that another process took over is dropped at once, and nothing is written any more', async (t) => {
  const leases = new MemoryLeases()
  leases.leaseMs = 150
  const { carrier, smsc } = await startPair(t, {}, { leases })
  smsc.onSubmit = () => undefined
  const unanswered = carrier.submit(toMessage())
  await eventually(() => assert.equal(smsc.submits.length, 1))
  leases.takeOver('main', 1)
  assert.equal((await unanswered).kind, 'in-doubt')
  assert.equal(carrier.capacity, 0)
  assert.equal((await carrier.submit(toMessage())).kind, 'retry')
  await eventually(() => assert.ok(smsc.links[0]?.socket.destroyed || smsc.links[0]?.socket.readableEnded))
  assert.deepEqual(
    smsc.links[0]?.pdus.map(({ command }) => command),
    ['bind_transceiver', 'submit_sm']
  )
  assert.deepEqual([smsc.links.length, carrier.status().binds, leases.released], [1, [], []])
})

test('a bind whose lease can’t be renewed is dropped when it ends', async (t) => {
  const leases = new MemoryLeases()
  leases.leaseMs = 200
  const { carrier } = await startPair(t, {}, { leases })
  await eventually(() => assert.ok(leases.statuses.length > 3, 'renewed as long as that works'))
  assert.equal(leases.statuses.at(-1)?.state, 'bound')
  leases.isSilent = true
  await eventually(() => assert.equal(carrier.capacity, 0))
  leases.isSilent = false
  await eventually(() => assert.equal(carrier.capacity, 10))
})

test('a process that was stopped past its lease writes nothing when it wakes', async (t) => {
  const leases = new MemoryLeases()
  leases.leaseMs = 100
  const { carrier, smsc } = await startPair(t, {}, { leases })
  stall(150)
  // Nothing has told it yet: only the clock knows.
  assert.equal(carrier.status().isUp, true)
  const outcome = await carrier.submit(toMessage())
  assert.equal(outcome.kind, 'retry')
  assert.equal(smsc.submits.length, 0)
  await eventually(() => assert.equal(smsc.links.length, 2))
  assert.equal((await carrier.submit(toMessage())).kind, 'accepted')
})

test('two processes share the binds there are: the second waits, and takes over when the first stops', async (t) => {
  const leases = new MemoryLeases()
  const { carrier: first, smsc } = await startPair(t, { sessions: 2 }, { leases })
  await eventually(() => assert.equal(first.capacity, 20))
  const { carrier: second } = startTestCarrier({ port: smsc.port, sessions: 2 }, { leases })
  atEnd(t, () => second.stop())
  await first.submit(toMessage())
  assert.deepEqual([second.capacity, second.status()], [0, { isUp: false, binds: [] }])
  assert.equal(smsc.boundLinks.length, 2)
  assert.deepEqual(
    first.status().binds.map(({ slot }) => slot),
    [1, 2]
  )
  await first.stop()
  await eventually(() => assert.equal(second.capacity, 20))
})

test('a bind that another process asks for is given up once its messages are answered, and none is lost', async (t) => {
  const leases = new MemoryLeases()
  leases.leaseMs = 300
  const { carrier, smsc } = await startPair(t, { sessions: 2, longMessages: 'udh' }, { leases })
  await eventually(() => assert.equal(carrier.capacity, 20))
  smsc.onSubmit = () => undefined
  // Of two parts: the second leaves by the same bind, after the answer to the first.
  const long = carrier.submit(toMessage({ reference: 1, text: 'x'.repeat(200) }))
  await eventually(() => assert.equal(smsc.submits.length, 1))
  const asked = carrier.status().binds.find(({ windowUsed }) => windowUsed === 1)
  assert.ok(asked)
  leases.askedFor.add(asked.slot)
  await eventually(() => assert.equal(carrier.capacity, 10))
  assert.equal(smsc.boundLinks.length, 2)
  smsc.onSubmit = (submit, link) => link.answer(submit)
  assert.equal((await carrier.submit(toMessage({ reference: 2 }))).kind, 'accepted')
  // Both binds renew ten times a second. Once a second, the bind looks whether its messages are answered.
  const renewals = leases.statuses.length
  await eventually(() => assert.ok(leases.statuses.length > renewals + 24))
  const [first] = smsc.submits
  const link = smsc.links.find(({ pdus }) => pdus.some((pdu) => pdu === first))
  assert.ok(first && link)
  link.answer(first)
  assert.equal((await long).kind, 'accepted')
  await eventually(() =>
    assert.deepEqual(
      leases.released.map(({ slot }) => slot),
      [asked.slot]
    )
  )
  assert.equal(link.pdus.at(-1)?.command, 'unbind')
  assert.equal(smsc.boundLinks.length, 1)
  assert.deepEqual([carrier.status().isUp, carrier.capacity], [true, 10])
})

test('a bind tells how it is doing', async (t) => {
  const { carrier, smsc } = await startPair(t)
  smsc.onSubmit = () => undefined
  for (let reference = 1; reference <= 3; reference++) carrier.submit(toMessage({ reference }))
  const [status] = carrier.status().binds
  assert.ok(status?.boundAt && Date.now() - status.boundAt.getTime() < 5_000)
  assert.deepEqual(
    { ...status, boundAt: null },
    {
      slot: 1,
      state: 'bound',
      mode: 'transceiver',
      window: 10,
      windowUsed: 3,
      submitsPerSecond: 0.3,
      pacePerSecond: null,
      boundAt: null,
      stalledSince: null,
      lastError: null,
      isOffered: false
    }
  )
  for (const submit of smsc.submits) smsc.links[0]?.answer(submit)
  await eventually(() => {
    for (const submit of smsc.submits) smsc.links[0]?.answer(submit)
    assert.equal(carrier.status().binds[0]?.windowUsed, 0)
  })
})

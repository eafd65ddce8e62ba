import { strict as assert } from 'node:assert'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import fc from 'fast-check'
import { pino } from 'pino'
import { ANY_CHARACTER } from '../../test/checks/any-character.ts'
import { eventually } from '../../test/checks/eventually.ts'
import { atEnd } from '../../test/service/cleanup.ts'
import { isAnswer, STATUSES } from '../smpp/commands.ts'
import { PduReader } from '../smpp/decode.ts'
import { encodePdu } from '../smpp/encode.ts'
import { ARBITRARY_PDUS } from '../smpp/pdu.samples.ts'
import type { BindPdu, KnownPdu } from '../smpp/pdu.ts'
import { CustomerSession, type GrantedBind, refusalOf, type SessionHost } from './customer-session.ts'
import { toReceiptPdu, toReplyPdu } from './delivery-pdus.ts'
import { readSubmit } from './read-submit.ts'
import { StatusRefusal } from './statuses.ts'
import { SERVER_TIMINGS, type ServerTimings } from './timings.ts'

/* One session over a real socket. Its host is the test, so that no database is needed. */

const WINDOW_MAX = 5
const BIND: BindPdu = {
  command: 'bind_transceiver',
  status: 0,
  sequence: 1,
  systemId: 'client',
  password: 'secret',
  systemType: '',
  interfaceVersion: 0x34,
  addrTon: 0,
  addrNpi: 0,
  addressRange: '',
  tlvs: new Map()
}
const GRANTED: GrantedBind = {
  id: randomUUID(),
  mode: 'transceiver',
  interfaceVersion: 0x34,
  credential: {
    id: 1,
    accountId: 1,
    systemId: 'client',
    name: 'Client',
    passwordHash: '',
    addresses: [],
    bindsMax: 1,
    windowMax: WINDOW_MAX,
    throughput: null,
    category: 'transactional',
    isBinaryAllowed: false,
    isActive: true
  }
}
const RECEIPT = toReceiptPdu({
  smppId: 7,
  state: 1,
  phone: '+33639980013',
  sender: 'CHAPPE',
  errorCode: null,
  text: 'Bonjour',
  submittedAt: new Date(),
  doneAt: new Date(),
  reference: null
})

interface Opened {
  session: CustomerSession
  socket: Socket
  /** The server's end. */
  served: Socket
  /** The ids and sequence numbers of all that came. */
  heard: { commandId: number; status: number; sequence: number }[]
  /** Why the session ended. */
  ended: Promise<string>
  runningMax(): number
}

/** A session, and the client's end of its socket, over a socket of the system, which holds little. */
async function openSession(t: TestContext, given: Partial<ServerTimings> = {}): Promise<Opened> {
  const timings = { ...SERVER_TIMINGS, ...given }
  const path = join(tmpdir(), `chappe-${randomUUID()}.sock`)
  const server = createServer().listen(path)
  await once(server, 'listening')
  const socket = connect(path)
  socket.on('error', () => undefined)
  const [served] = (await once(server, 'connection')) as [Socket]
  const { promise: ended, resolve: end } = Promise.withResolvers<string>()
  let [running, runningMax] = [0, 0]
  const answerLater = async (pdu: { command: string; sequence: number }): Promise<KnownPdu> => {
    runningMax = Math.max(runningMax, ++running)
    await new Promise((resolve) => setImmediate(resolve))
    running--
    return refusalOf(pdu, STATUSES.ESME_RSUBMITFAIL)
  }
  const host: SessionHost = {
    bind: async () => GRANTED,
    submit: (_session, _bind, pdu) => answerLater(pdu),
    ask: (_session, _bind, pdu) => answerLater(pdu),
    onRoom: () => undefined,
    onClose: (_session, reason) => end(reason)
  }
  const log = pino({ level: 'silent' })
  const session = new CustomerSession({ socket: served, address: '127.0.0.1', isEncrypted: false, host, timings, log })
  const ticks = setInterval(() => session.tick(), 5)
  atEnd(t, async () => {
    clearInterval(ticks)
    socket.destroy()
    session.destroy('the test is over')
    await new Promise((resolve) => server.close(resolve))
  })
  return { session, socket, served, heard: [], ended, runningMax: () => runningMax }
}

/** Reads what comes. The test looks at headers: bodies are the codec's. */
function listen({ socket, heard }: Opened, onRequest: (commandId: number, sequence: number) => void = () => undefined) {
  let rest = Buffer.alloc(0)
  socket.on('data', (chunk) => {
    rest = Buffer.concat([rest, chunk as Buffer])
    while (rest.length >= 16 && rest.length >= rest.readUInt32BE(0)) {
      const [commandId, status, sequence] = [4, 8, 12].map((at) => rest.readUInt32BE(at)) as [number, number, number]
      heard.push({ commandId, status, sequence })
      if (!isAnswer(commandId)) onRequest(commandId, sequence)
      rest = rest.subarray(rest.readUInt32BE(0))
    }
  })
}

async function bind(opened: Opened): Promise<void> {
  opened.socket.write(encodePdu(BIND))
  await eventually(() => assert.ok(opened.session.bind))
}

const answerEnquiries = (socket: Socket) => (commandId: number, sequence: number) => {
  if (commandId === 0x15) socket.write(encodePdu({ command: 'enquire_link_resp', status: 0, sequence }))
}

test('a client that connects and never binds is let go', async (t) => {
  const { ended } = await openSession(t, { bindTimeoutMs: 30 })
  assert.equal(await ended, 'no bind in time')
})

test('a client that vanished without a word is asked, and then let go; one that answers stays', async (t) => {
  const timings = { enquireLinkMs: 50 }
  const gone = await openSession(t, timings)
  listen(gone)
  await bind(gone)
  const there = await openSession(t, { enquireLinkMs: 1_000 })
  listen(there, answerEnquiries(there.socket))
  await bind(there)
  assert.equal(await gone.ended, 'the client is silent')
  assert.equal(gone.heard.at(-1)?.commandId, 0x15)
  await eventually(() => assert.ok(there.heard.filter(({ commandId }) => commandId === 0x15).length >= 2))
  assert.ok(!there.session.isClosed)
})

test('a client that never answers a deliver_sm is let go, and its deliveries count as unanswered', async (t) => {
  const opened = await openSession(t, { answerTimeoutMs: 100 })
  listen(opened)
  await bind(opened)
  const answers: (number | undefined)[] = []
  for (let count = 0; count < WINDOW_MAX; count++) opened.session.deliver(RECEIPT, (status) => answers.push(status))
  assert.equal(opened.session.room, 0, 'no more are sent than the window holds')
  assert.equal(await opened.ended, 'the client does not answer')
  assert.deepEqual(answers, Array(WINDOW_MAX).fill(undefined))
})

test('a client that sends and does not read is read no further, holds little memory, and is let go', async (t) => {
  const opened = await openSession(t, { unreadTimeoutMs: 100 })
  const { socket, served, ended } = opened
  await bind(opened)
  const enquiries = Buffer.concat(
    Array.from({ length: 4_096 }, () => encodePdu({ command: 'enquire_link', status: 0, sequence: 9 }))
  )
  for (let count = 0; count < 100; count++) socket.write(enquiries)
  assert.equal(await ended, 'the client does not read')
  assert.ok(served.bytesRead < 3_000_000, `${served.bytesRead} bytes were read of ${100 * enquiries.length}`)
})

/** Commands of requests, and of answers, that are or are not in the specification. The unbind is the end of a session. */
const commandId = fc
  .tuple(fc.constantFrom(0, 1, 2, 3, 4, 5, 7, 8, 9, 0x15, 0x21, 0x102, 0x103, 0x111, 0x5ac), fc.boolean())
  .map(([id, isOne]) => (id | (isOne ? 0x80000000 : 0)) >>> 0)
// Mostly zeros, which end strings: otherwise no body gets past its first.
const body = fc.array(fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 9 }), fc.nat({ max: 255 })), { maxLength: 60 })

test('any requests are answered once each, whatever they say, and never more than the window at once', async (t) => {
  const opened = await openSession(t)
  const { socket, heard } = opened
  listen(opened)
  await bind(opened)
  // The answer to the bind may come a moment later, and would count as one too many.
  await eventually(() => assert.equal(heard.length, 1))
  let sequence = 1
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(commandId, body), { minLength: 1, maxLength: 12 }), async (frames) => {
      heard.length = 0
      const asked: number[] = []
      for (const [id, content] of frames) {
        const header = Buffer.alloc(16)
        for (const [place, value] of [16 + content.length, id, 0, ++sequence].entries()) {
          header.writeUInt32BE(value, 4 * place)
        }
        if (!isAnswer(id)) asked.push(sequence)
        socket.write(Buffer.concat([header, Buffer.from(content)]))
      }
      await eventually(() => assert.ok(heard.length >= asked.length), { everyMs: 1 })
      assert.deepEqual(
        heard.map((pdu) => pdu.sequence).sort((a, b) => a - b),
        asked
      )
      assert.ok(heard.every(({ commandId: id }) => isAnswer(id)))
    }),
    { numRuns: 150 }
  )
  assert.ok(!opened.session.isClosed)
  assert.ok(opened.runningMax() <= WINDOW_MAX)
})

test('bytes that are no PDU end the session, and nothing else', async (t) => {
  const noise = fc.uint8Array({ minLength: 20, maxLength: 300 }).map((array) => Buffer.from([0xff, ...array]))
  await fc.assert(
    fc.asyncProperty(noise, fc.boolean(), async (bytes, isBound) => {
      const opened = await openSession(t)
      if (isBound) await bind(opened)
      opened.socket.resume()
      opened.socket.write(bytes)
      assert.match(await opened.ended, /^command_length/)
    }),
    { numRuns: 20 }
  )
})

test('any submit is read, or refused with a status', () => {
  const now = new Date()
  const codings = fc.constantFrom(0, 3, 4, 8, 0x10, 0xf0, 0xff)
  const times = fc.constantFrom(
    '',
    '',
    '',
    '000000010000000R',
    '991231235959948+',
    '240230000000000+',
    '999999999999999R'
  )
  const tags = fc.constantFrom(0x0005, 0x0204, 0x020c, 0x020e, 0x020f, 0x0424, 0x1501)
  const parameters = fc
    .array(fc.tuple(tags, fc.uint8Array({ maxLength: 4 })), { maxLength: 4 })
    .map((entries) => new Map(entries.map(([tag, value]) => [tag, Buffer.from(value)])))
  // Numbers that pass, so that the fields after them are read.
  const sane = fc.record({
    esmClass: fc.constantFrom(0, 0x40, 0x40, 0x80, 0x04),
    sourceAddrTon: fc.integer({ min: 0, max: 7 }),
    sourceAddrNpi: fc.constant(1),
    sourceAddr: fc.constantFrom('', 'CHAPPE', '36111', 'é'),
    destAddrTon: fc.integer({ min: 0, max: 7 }),
    destAddrNpi: fc.constant(1),
    destinationAddr: fc.constantFrom('33639980013', '0639980013', '+1', 'abc', ''),
    registeredDelivery: fc.constantFrom(0, 1, 2, 3, 0x11, 0xff),
    priorityFlag: fc.integer({ min: 0, max: 5 }),
    replaceIfPresentFlag: fc.constantFrom(0, 0, 0, 1),
    smDefaultMsgId: fc.constantFrom(0, 0, 0, 1),
    dataCoding: codings,
    scheduleDeliveryTime: times,
    validityPeriod: times,
    tlvs: fc.oneof(
      { weight: 3, arbitrary: fc.constant(new Map<number, Buffer>()) },
      { weight: 1, arbitrary: parameters }
    )
  })
  const headers = fc.constantFrom('', '0500034d0201', '06080412340301', '050003', 'ff', '0605040b8423f0')
  const texts = fc.tuple(headers, fc.uint8Array({ maxLength: 200 })).map(([header, text]) => {
    return Buffer.concat([Buffer.from(header, 'hex'), Buffer.from(text)])
  })
  let readCount = 0
  fc.assert(
    fc.property(ARBITRARY_PDUS.message, fc.option(sane, { nil: {} }), texts, (pdu, fields, shortMessage) => {
      try {
        const submit = readSubmit({ ...pdu, ...fields, shortMessage, command: 'submit_sm' }, now)
        readCount++
        assert.ok(submit.to.length === 1 && submit.body.length <= shortMessage.length + 4)
      } catch (error) {
        if (!(error instanceof StatusRefusal)) throw error
        assert.ok(error.status > 0)
      }
    }),
    { numRuns: 3_000, seed: 7 }
  )
  assert.ok(readCount > 20, `${readCount} were read`)
})

test('any receipt and any reply can be sent', () => {
  const word = fc.string({ unit: 'grapheme', maxLength: 60 })
  fc.assert(
    fc.property(
      word,
      word,
      fc.string({ unit: ANY_CHARACTER, maxLength: 2_000 }),
      fc.nat({ max: 12 }),
      (sender, code, text, state) => {
        const phone = '+33639980013'
        const at = new Date()
        const receipt = toReceiptPdu({
          smppId: Number.MAX_SAFE_INTEGER,
          state,
          phone,
          sender,
          errorCode: code,
          text,
          submittedAt: at,
          doneAt: at,
          reference: 0xffff
        })
        const reply = toReplyPdu({ phone, writtenTo: sender, content: text.toWellFormed() })
        for (const pdu of [receipt, reply]) {
          const [read] = new PduReader({ pduBytesMax: 70_000 }).push(encodePdu({ ...pdu, sequence: 1 }))
          assert.ok(read && 'command' in read && read.command === 'deliver_sm')
        }
      }
    )
  )
})

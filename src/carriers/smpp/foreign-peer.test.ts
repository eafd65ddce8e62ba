import { strict as assert } from 'node:assert'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import smpp, { type ForeignPdu, type ForeignSession } from 'smpp'
import { eventually } from '../../../test/checks/eventually.ts'
import { GSM_CODES, GSM_EXTENSION_CODES } from '../../gsm/gsm-alphabet.ts'
import type { OutboundMessage } from '../carrier.ts'
import { startTestCarrier, toMessage } from './carrier.samples.ts'
import { TEST_CERTIFICATE, TEST_KEY } from './certificate.samples.ts'
import type { SmppSettings } from './smpp-settings.ts'

/*
 * Our session against the npm package `smpp` as the carrier's side: what we say, and understand, is what others say too.
 * Of version 0.5.1, sessions are destroyed at the end and never closed with a callback, which would not be called.
 */

interface ForeignSmsc {
  port: number
  sessions: ForeignSession[]
  /** By command, all that came. */
  came(command: string): ForeignPdu[]
}

async function startForeignSmsc(t: TestContext, options: { key?: string; cert?: string } = {}): Promise<ForeignSmsc> {
  const sessions: ForeignSession[] = []
  const pdus: ForeignPdu[] = []
  const server = smpp.createServer(options, (session) => {
    sessions.push(session)
    session.on('error', () => session.destroy())
    session.on('pdu', (pdu: ForeignPdu) => {
      pdus.push(pdu)
      if (pdu.command.startsWith('bind') || pdu.command === 'enquire_link') session.send(pdu.response())
      if (pdu.command === 'submit_sm') session.send(pdu.response({ message_id: `foreign-${pdus.length}` }))
      if (pdu.command === 'unbind') {
        session.send(pdu.response())
        session.close()
      }
    })
  })
  // A client that does not trust us goes away in the middle of the handshake.
  server.on('tlsClientError', () => undefined)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    for (const session of sessions) session.destroy()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return { port, sessions, came: (command) => pdus.filter((pdu) => pdu.command === command) }
}

async function startPair(t: TestContext, settings: Partial<SmppSettings> = {}) {
  const smsc = await startForeignSmsc(t)
  const started = startTestCarrier({ port: smsc.port, window: 50, ...settings })
  t.after(() => started.carrier.stop())
  await started.events.firstChange
  return { ...started, smsc, session: smsc.sessions[0] ?? assert.fail('nobody connected') }
}

/** Without \r, which their table does not have. */
const GSM = [...GSM_CODES.keys(), ...GSM_EXTENSION_CODES.keys()].filter((character) => character !== '\r').join('')
const BOTH = [...GSM].filter((character) => character <= 'ÿ').join('')
const TEXTS: Record<string, string> = {
  'the whole GSM alphabet': GSM,
  'what is in GSM and in Latin-1': BOTH,
  French: 'Ça commence à 8 h : prêt ? 5 € é è à ç',
  'a long text in GSM': GSM.repeat(4),
  'escapes where the parts end': `${'a'.repeat(152)}€${'a'.repeat(151)}€${'b'.repeat(30)}`,
  'a long text in UCS-2': 'Où ça ? Là-bas, près du château. '.repeat(9),
  'pairs where the parts end': `${'ç'.repeat(66)}😀${'ç'.repeat(65)}😀${'ç'.repeat(20)}`
}

interface ForeignText {
  message: string
  udh?: Buffer[]
}

/** What a phone would show: the parts of a message in the order of their numbers, wherever those stand. */
function rejoin(submits: ForeignPdu[]): string {
  const parts = submits.map((pdu) => {
    const text = (pdu.message_payload ?? pdu.short_message) as ForeignText
    const [element] = text.udh ?? []
    const [number, total, reference] = element
      ? [element.at(-1), element.at(-2), element.subarray(2, -2).toString('hex')]
      : [pdu.sar_segment_seqnum ?? 1, pdu.sar_total_segments ?? 1, pdu.sar_msg_ref_num]
    return { number: Number(number), total, reference, message: text.message }
  })
  assert.deepEqual(new Set(parts.map(({ total }) => total)), new Set([parts.length]))
  assert.equal(new Set(parts.map(({ reference }) => reference)).size, 1)
  return parts
    .toSorted((one, other) => one.number - other.number)
    .map(({ message }) => message)
    .join('')
}

for (const longMessages of ['udh', 'udh16', 'sar', 'payload'] as const) {
  for (const encoding of ['gsm', 'latin1'] as const) {
    test(`texts arrive as they were written: ${longMessages}, ${encoding}`, async (t) => {
      const { carrier, smsc } = await startPair(t, { longMessages, encoding })
      for (const [kind, text] of Object.entries(TEXTS)) {
        const before = smsc.came('submit_sm').length
        const outcome = await carrier.submit(toMessage({ text }))
        const submits = smsc.came('submit_sm').slice(before)
        assert.equal(outcome.kind === 'accepted' && outcome.carrierMessageIds.length, submits.length, kind)
        assert.equal(rejoin(submits), text, kind)
      }
    })
  }
}

test('each encoding has the data_coding that carriers know it by', async (t) => {
  const cases: [encoding: 'gsm' | 'latin1', text: string, dataCoding: number][] = [
    ['gsm', 'é è à €', 0],
    ['gsm', 'ç', 8],
    ['latin1', 'é è à', 3],
    ['latin1', '€', 8],
    ['latin1', 'ç', 8]
  ]
  for (const encoding of ['gsm', 'latin1'] as const) {
    const { carrier, smsc } = await startPair(t, { encoding })
    const own = cases.filter(([of]) => of === encoding)
    for (const [, text] of own) await carrier.submit(toMessage({ text }))
    assert.deepEqual(
      smsc.came('submit_sm').map(({ data_coding }) => data_coding),
      own.map(([, , dataCoding]) => dataCoding)
    )
  }
})

test('flash messages, octets with a header and a priority are what others mean by them', async (t) => {
  const { carrier, smsc } = await startPair(t, { encoding: 'latin1', longMessages: 'udh' })
  const udh = Buffer.from('0605040b8423f0', 'hex')
  const messages: Partial<OutboundMessage>[] = [
    { text: 'é €', flash: true },
    { text: 'ç', flash: true },
    { text: 'ç' },
    { text: 'a'.repeat(161), flash: true },
    { text: '', binary: { udh, data: Buffer.of(0, 0xff, 0x1b) } },
    { text: '', binary: { udh: Buffer.alloc(0), data: Buffer.of(1, 2) } },
    { priority: 'high' },
    { priority: 'low' }
  ]
  for (const fields of messages) await carrier.submit(toMessage(fields))
  const submits = smsc.came('submit_sm')
  assert.deepEqual(
    submits.map(({ data_coding, esm_class, priority_flag }) => [data_coding, esm_class, priority_flag]),
    [
      [0x10, 0, 0],
      [0x18, 0, 0],
      [0x08, 0, 0],
      [0x10, 0x40, 0],
      [0x10, 0x40, 0],
      [0x04, 0x40, 0],
      [0x04, 0, 0],
      [0x03, 0, 1],
      [0x03, 0, 0]
    ]
  )
  const octets = submits
    .slice(5, 7)
    .map(({ short_message }) => short_message as unknown as { udh?: Buffer[]; message: Buffer })
  assert.deepEqual(
    octets.map(({ udh, message }) => [udh?.map((element) => element.toString('hex')), message.toString('hex')]),
    [
      [['05040b8423f0'], '00ff1b'],
      [undefined, '0102']
    ]
  )
})

test('addresses, and what else a submit says, are read as they are meant', async (t) => {
  const { carrier, smsc } = await startPair(t)
  for (const from of ['CHAPPE', '36111', '+33700000001', '33700000001']) await carrier.submit(toMessage({ from }))
  const sources = smsc
    .came('submit_sm')
    .map(({ source_addr_ton, source_addr_npi, source_addr }) => [source_addr_ton, source_addr_npi, source_addr])
  assert.deepEqual(sources, [
    [5, 0, 'CHAPPE'],
    [3, 0, '36111'],
    [1, 1, '33700000001'],
    [1, 1, '33700000001']
  ])
  const [submit] = smsc.came('submit_sm')
  assert.ok(submit)
  const { dest_addr_ton, dest_addr_npi, destination_addr, registered_delivery, esm_class, validity_period } = submit
  assert.deepEqual([dest_addr_ton, dest_addr_npi, destination_addr], [1, 1, '33612345678'])
  assert.deepEqual([registered_delivery, esm_class], [1, 0])
  const leftMs = (validity_period as Date).getTime() - Date.now()
  assert.ok(Math.abs(leftMs - 3_600_000) < 10_000, `${leftMs} ms`)
})

test('all three kinds of bind are made and unmade', async (t) => {
  for (const bind of ['transceiver', 'transmitter+receiver'] as const) {
    const { carrier, smsc } = await startPair(t, { bind, systemType: 'VMA', password: 'longer than eight' })
    const commands = bind === 'transceiver' ? ['bind_transceiver'] : ['bind_receiver', 'bind_transmitter']
    for (const command of commands) {
      const [pdu] = smsc.came(command)
      assert.deepEqual(
        [pdu?.system_id, pdu?.password, pdu?.system_type, pdu?.interface_version],
        ['user', 'longer than eight', 'VMA', 0x34]
      )
    }
    await carrier.stop()
    await eventually(() => assert.equal(smsc.came('unbind').length, commands.length))
  }
})

const ADDRESSES = { source_addr: '33612345678', destination_addr: '36111' }

test('receipts are understood and answered, with their TLVs or their text alone', async (t) => {
  const { events, session } = await startPair(t)
  const text = 'id:00af sub:001 dlvrd:001 submit date:2607281159 done date:2607281201 stat:UNDELIV err:011 text:Bonjour'
  const answers: ForeignPdu[] = []
  const keep = (answer: ForeignPdu) => answers.push(answer)
  session.deliver_sm({ ...ADDRESSES, esm_class: 4, short_message: text }, keep)
  const tlvs = { receipted_message_id: '00AF', message_state: 2, network_error_code: Buffer.from([3, 0, 7]) }
  session.deliver_sm({ ...ADDRESSES, esm_class: 4, short_message: text, ...tlvs }, keep)
  await eventually(() => assert.equal(answers.length, 2))
  const common = { carrier: 'main', source: '33612345678', destination: '36111', at: new Date('2026-07-28T12:01:00Z') }
  assert.deepEqual(events.receipts, [
    { ...common, carrierMessageId: '00af', state: 'failed', word: 'UNDELIV', errorCode: '011' },
    { ...common, carrierMessageId: '00AF', state: 'delivered', word: 'DELIVRD', errorCode: '7' }
  ])
  assert.deepEqual(
    answers.map(({ command, command_status }) => [command, command_status]),
    [
      ['deliver_sm_resp', 0],
      ['deliver_sm_resp', 0]
    ]
  )
})

test('replies are understood and answered: every alphabet, whole and in parts', async (t) => {
  const { events, session } = await startPair(t)
  const answers: ForeignPdu[] = []
  const deliver = (fields: Record<string, unknown>) =>
    session.deliver_sm({ ...ADDRESSES, ...fields }, (answer) => answers.push(answer))
  deliver({ data_coding: 0, short_message: 'STOP €[é]' })
  deliver({ data_coding: 3, short_message: 'ça va' })
  deliver({ data_coding: 8, short_message: 'Où ? 😀' })
  deliver({ esm_class: 0x40, short_message: { udh: Buffer.from('050003cc0201', 'hex'), message: 'un ' } })
  deliver({ esm_class: 0x40, short_message: { udh: Buffer.from('06080401cc0202', 'hex'), message: 'deux' } })
  deliver({ short_message: 'trois', sar_msg_ref_num: 258, sar_total_segments: 3, sar_segment_seqnum: 3 })
  deliver({ short_message: '', message_payload: { message: 'x'.repeat(400) } })
  deliver({ short_message: '' })
  await eventually(() => assert.equal(answers.length, 8))
  const common = { carrier: 'main', from: '33612345678', to: '36111' }
  assert.deepEqual(events.replies, [
    { ...common, text: 'STOP €[é]' },
    { ...common, text: 'ça va' },
    { ...common, text: 'Où ? 😀' },
    { ...common, text: 'un ', segment: { reference: 0xcc, position: 1, total: 2 } },
    { ...common, text: 'deux', segment: { reference: 0x1cc, position: 2, total: 2 } },
    { ...common, text: 'trois', segment: { reference: 258, position: 3, total: 3 } },
    { ...common, text: 'x'.repeat(400) }
  ])
  assert.deepEqual(new Set(answers.map(({ command_status }) => command_status)), new Set([0]))
})

test('enquire_link goes both ways, and an unbind of theirs is answered', async (t) => {
  const { carrier, smsc, session } = await startPair(t, { enquireLink: 0.05 })
  await eventually(() => assert.ok(smsc.came('enquire_link').length > 2))
  const answered: string[] = []
  session.enquire_link((answer) => answered.push(answer.command))
  session.unbind((answer) => answered.push(answer.command))
  await eventually(() => assert.deepEqual(answered, ['enquire_link_resp', 'unbind_resp']))
  await eventually(() => assert.ok(smsc.sessions.length > 1 && carrier.status().isUp))
})

test('over TLS the certificate must be trusted and have the right name, unless that is switched off', async (t) => {
  const smsc = await startForeignSmsc(t, { key: TEST_KEY, cert: TEST_CERTIFICATE })
  const cases: [tls: SmppSettings['tls'], ca: string | undefined, refusal: RegExp | undefined][] = [
    [{ serverName: 'smsc.test' }, TEST_CERTIFICATE, undefined],
    [true, TEST_CERTIFICATE, /not in the cert|altnames/],
    [{ serverName: 'other.test' }, TEST_CERTIFICATE, /not in the cert|altnames/],
    [{ serverName: 'smsc.test' }, undefined, /self-signed/],
    [{ verify: false }, undefined, undefined]
  ]
  for (const [tls, ca, refusal] of cases) {
    const { carrier } = startTestCarrier({ port: smsc.port, tls }, { ca })
    try {
      if (refusal) {
        await eventually(() => assert.match(carrier.status().binds[0]?.lastError?.message ?? '', refusal))
        assert.equal(carrier.status().isUp, false)
      } else {
        await eventually(() => assert.ok(carrier.status().isUp))
        assert.equal((await carrier.submit(toMessage())).kind, 'accepted')
      }
    } finally {
      await carrier.stop()
    }
  }
  assert.equal(smsc.came('submit_sm').length, 2)
})

import { strict as assert } from 'node:assert'
import { test } from 'node:test'
import fc from 'fast-check'
import { COMMAND_IDS, commandName, isAnswer, statusName } from './commands.ts'
import { PduReader } from './decode.ts'
import { encodePdu, PduWriter } from './encode.ts'
import { ARBITRARY_PDUS, anyPdu, MESSAGE } from './pdu.samples.ts'
import { type KnownPdu, messageBytes, NO_TLVS, type Pdu } from './pdu.ts'
import { ProtocolError } from './protocol-error.ts'

const PDU_BYTES_MAX = 16_384

function hex(text: string): Buffer {
  return Buffer.from(text.replaceAll(/\s/g, ''), 'hex')
}

function decodeAll(...chunks: Buffer[]): (Pdu | ProtocolError)[] {
  const reader = new PduReader({ pduBytesMax: PDU_BYTES_MAX })
  return chunks.flatMap((chunk) => reader.push(chunk))
}

/** The only thing in these bytes. */
function decodeOne(bytes: Buffer): Pdu | ProtocolError {
  const [pdu, ...others] = decodeAll(bytes)
  assert.ok(pdu)
  assert.deepEqual(others, [])
  return pdu
}

/** The body after a header that is right for it. */
function frame(commandId: number, body: string, { status = 0, sequence = 7 } = {}): Buffer {
  const bytes = hex(body)
  const header = Buffer.alloc(16)
  header.writeUInt32BE(16 + bytes.length, 0)
  header.writeUInt32BE(commandId, 4)
  header.writeUInt32BE(status, 8)
  header.writeUInt32BE(sequence, 12)
  return Buffer.concat([header, bytes])
}

function cut(bytes: Buffer, sizes: number[]): Buffer[] {
  const chunks: Buffer[] = []
  let at = 0
  for (const size of sizes) {
    // A copy each, as sockets give them: a view into what has already gone would hide a mistake.
    chunks.push(Buffer.from(bytes.subarray(at, at + size)))
    at += size
  }
  chunks.push(Buffer.from(bytes.subarray(at)))
  return chunks
}

const chunkSizes = fc.array(fc.oneof(fc.integer({ min: 0, max: 20 }), fc.nat({ max: 700 })), { maxLength: 60 })

// Laid out by hand from the tables of the specification; the first is the example of its chapter 3.
const GOLDEN: [name: string, bytes: string, pdu: KnownPdu][] = [
  [
    'bind_transmitter',
    `0000002f 00000002 00000000 00000001
     534d50503354455354 00 7365637265743038 00 5355424d495431 00 00 01 01 00`,
    {
      command: 'bind_transmitter',
      status: 0,
      sequence: 1,
      systemId: 'SMPP3TEST',
      password: 'secret08',
      systemType: 'SUBMIT1',
      interfaceVersion: 0,
      addrTon: 1,
      addrNpi: 1,
      addressRange: '',
      tlvs: NO_TLVS
    }
  ],
  [
    'bind_transceiver_resp with sc_interface_version',
    '0000001a 80000009 00000000 00000001 534d534300 0210 0001 34',
    {
      command: 'bind_transceiver_resp',
      status: 0,
      sequence: 1,
      systemId: 'SMSC',
      tlvs: new Map([[0x0210, hex('34')]])
    }
  ],
  [
    'submit_sm of a segment in UCS-2',
    `00000045 00000004 00000000 0000002a
     00 05 00 41636d6500 01 01 333336313233343536373800
     40 00 00 00 00 01 00 08 00 0a 050003cc0201 00e920ac
     020c 0002 00cc 0426 0001 01`,
    {
      ...MESSAGE,
      command: 'submit_sm',
      sequence: 42,
      sourceAddrTon: 5,
      sourceAddr: 'Acme',
      destAddrTon: 1,
      destAddrNpi: 1,
      destinationAddr: '33612345678',
      esmClass: 0x40,
      registeredDelivery: 1,
      dataCoding: 8,
      shortMessage: hex('050003cc020100e920ac'),
      tlvs: new Map([
        [0x020c, hex('00cc')],
        [0x0426, hex('01')]
      ])
    }
  ],
  [
    'submit_sm_resp',
    '00000015 80000004 00000000 0000002a 3161326200',
    { command: 'submit_sm_resp', status: 0, sequence: 42, messageId: '1a2b', tlvs: NO_TLVS }
  ],
  [
    'submit_sm_resp of a throttled submit',
    '00000010 80000004 00000058 0000002a',
    { command: 'submit_sm_resp', status: 0x58, sequence: 42, messageId: '', tlvs: NO_TLVS }
  ],
  [
    'deliver_sm_resp, whose unused field stays also in an error',
    '00000011 80000005 00000064 7fffffff 00',
    { command: 'deliver_sm_resp', status: 0x64, sequence: 0x7fffffff, messageId: '', tlvs: NO_TLVS }
  ],
  [
    'data_sm',
    '00000023 00000103 00000000 00000003 00 00 00 00 01 01 333300 00 01 00 0424 0003 616263',
    {
      command: 'data_sm',
      status: 0,
      sequence: 3,
      serviceType: '',
      sourceAddrTon: 0,
      sourceAddrNpi: 0,
      sourceAddr: '',
      destAddrTon: 1,
      destAddrNpi: 1,
      destinationAddr: '33',
      esmClass: 0,
      registeredDelivery: 1,
      dataCoding: 0,
      tlvs: new Map([[0x0424, Buffer.from('abc')]])
    }
  ],
  ['enquire_link', '00000010 00000015 00000000 00000005', { command: 'enquire_link', status: 0, sequence: 5 }],
  ['generic_nack', '00000010 80000000 00000003 ffffffff', { command: 'generic_nack', status: 3, sequence: 0xffffffff }]
]

test('PDUs have the bytes that the specification says, in both directions', () => {
  for (const [name, bytes, pdu] of GOLDEN) {
    assert.equal(encodePdu(pdu).toString('hex'), hex(bytes).toString('hex'), name)
    assert.deepEqual(decodeOne(hex(bytes)), pdu, name)
  }
})

for (const [kind, pdus] of Object.entries(ARBITRARY_PDUS)) {
  test(`what is encoded is decoded, wherever the stream is cut: ${kind}`, () => {
    fc.assert(
      fc.property(fc.array<KnownPdu>(pdus as fc.Arbitrary<KnownPdu>, { maxLength: 6 }), chunkSizes, (sent, sizes) => {
        const writer = new PduWriter()
        for (const pdu of sent) writer.write(pdu)
        assert.deepEqual(decodeAll(...cut(writer.take(), sizes)), sent)
      })
    )
  })
}

test('one byte at a time gives the same PDUs', () => {
  const bytes = Buffer.concat(GOLDEN.map(([, text]) => hex(text)))
  const chunks = Array.from(bytes, (_, at) => bytes.subarray(at, at + 1))
  assert.deepEqual(
    decodeAll(...chunks),
    GOLDEN.map(([, , pdu]) => pdu)
  )
})

test('what was taken from a writer stays as it was, however much is written after', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(anyPdu, fc.boolean()), { maxLength: 40 }), (steps) => {
      const writer = new PduWriter({ blockBytes: 2_000 })
      const taken: Buffer[] = []
      for (const [pdu, isLast] of steps) {
        writer.write(pdu)
        if (isLast) taken.push(writer.take())
      }
      taken.push(writer.take())
      assert.equal(writer.bytes, 0)
      assert.equal(writer.take().length, 0)
      assert.ok(Buffer.concat(taken).equals(Buffer.concat(steps.map(([pdu]) => encodePdu(pdu)))))
    })
  )
})

test('a field that does not fit throws with its name and limit, and leaves nothing in the writer', () => {
  const bind = {
    command: 'bind_transceiver',
    status: 0,
    sequence: 1,
    systemId: 'chappe',
    password: 'secret',
    systemType: '',
    interfaceVersion: 0x34,
    addrTon: 0,
    addrNpi: 0,
    addressRange: '',
    tlvs: NO_TLVS
  } as const
  const answer = { command: 'submit_sm_resp', status: 0, sequence: 1, messageId: '', tlvs: NO_TLVS } as const
  const submit = { ...MESSAGE, command: 'submit_sm' } as const
  const cases: [pdu: KnownPdu, message: RegExp][] = [
    [{ ...bind, systemId: 'a'.repeat(16) }, /^system_id takes at most 15 octets, not 16\.$/],
    [{ ...bind, password: 'a'.repeat(65) }, /^password takes at most 64 octets, not 65\.$/],
    [{ ...bind, systemType: 'a'.repeat(13) }, /^system_type takes at most 12 /],
    [{ ...bind, addressRange: 'a'.repeat(41) }, /^address_range takes at most 40 /],
    [{ ...submit, serviceType: 'a'.repeat(6) }, /^service_type takes at most 5 /],
    [{ ...submit, sourceAddr: '3'.repeat(21) }, /^source_addr takes at most 20 /],
    [{ ...submit, destinationAddr: '3'.repeat(21) }, /^destination_addr takes at most 20 /],
    [{ ...submit, scheduleDeliveryTime: '3'.repeat(17) }, /^schedule_delivery_time takes at most 16 /],
    [{ ...submit, validityPeriod: '3'.repeat(17) }, /^validity_period takes at most 16 /],
    [{ ...submit, shortMessage: Buffer.alloc(255) }, /^short_message takes at most 254 octets, not 255\.$/],
    [{ ...submit, tlvs: new Map([[0x0424, Buffer.alloc(65_536)]]) }, /^TLV 0x424 takes at most 65535 /],
    [{ ...submit, sourceAddr: 'a\0b' }, /^source_addr has a character/],
    [{ ...submit, sourceAddr: '€' }, /^source_addr has a character/],
    [{ ...submit, dataCoding: 256 }, /^data_coding takes 0 to 255, not 256\.$/],
    [{ ...submit, esmClass: 0.5 }, /^esm_class takes 0 to 255/],
    [{ ...submit, sequence: -1 }, /^sequence_number takes 32 bits/],
    [{ ...answer, messageId: 'a'.repeat(65) }, /^message_id takes at most 64 /]
  ]
  const writer = new PduWriter()
  writer.write(answer)
  for (const [pdu, message] of cases) assert.throws(() => writer.write(pdu), { message })
  writer.write(answer)
  assert.deepEqual(decodeAll(writer.take()), [answer, answer])
})

test('the bytes of a message are found in short_message or in message_payload', () => {
  const payload = new Map([[0x0424, Buffer.from('long')]])
  const short = Buffer.from('short')
  assert.equal(messageBytes({ ...MESSAGE, command: 'deliver_sm', shortMessage: short }).toString(), 'short')
  assert.equal(messageBytes({ ...MESSAGE, command: 'deliver_sm', tlvs: payload }).toString(), 'long')
  assert.equal(
    messageBytes({ ...MESSAGE, command: 'deliver_sm', shortMessage: short, tlvs: payload }).toString(),
    'short'
  )
  assert.equal(messageBytes({ ...MESSAGE, command: 'deliver_sm' }).length, 0)
})

test('commands and statuses have their names, and a number without a name is shown as it is', () => {
  assert.equal(commandName(0x80000009), 'bind_transceiver_resp')
  assert.equal(commandName(0x0bad), undefined)
  assert.equal(statusName(0x58), 'ESME_RTHROTTLED')
  assert.equal(statusName(0x0410), '0x00000410')
  assert.deepEqual([isAnswer(COMMAND_IDS.submit_sm), isAnswer(COMMAND_IDS.generic_nack)], [false, true])
})

test('a command without a meaning to us can still be answered', () => {
  assert.deepEqual(decodeOne(frame(0x0bad, '010203')), {
    command: 'unknown',
    commandId: 0x0bad,
    status: 0,
    sequence: 7
  })
  assert.deepEqual(decodeOne(frame(COMMAND_IDS.alert_notification, '')), {
    command: 'unknown',
    commandId: 0x102,
    status: 0,
    sequence: 7
  })
})

test('what carriers send against the specification is read where nothing can be misread', () => {
  const ok = { command: 'submit_sm_resp', status: 0, sequence: 7, messageId: 'A', tlvs: NO_TLVS }
  const failed = { ...ok, status: 0x45, messageId: '' }
  const bound = { command: 'bind_transceiver_resp', status: 0, sequence: 7, systemId: '', tlvs: NO_TLVS }
  const cases: [name: string, bytes: Buffer, pdu: unknown][] = [
    ['no message_id', frame(COMMAND_IDS.submit_sm_resp, ''), { ...ok, messageId: '' }],
    ['no system_id', frame(COMMAND_IDS.bind_transceiver_resp, ''), bound],
    ['65 characters', frame(COMMAND_IDS.submit_sm_resp, `${'61'.repeat(65)}00`), { ...ok, messageId: 'a'.repeat(65) }],
    [
      'a failure with a body',
      frame(COMMAND_IDS.submit_sm_resp, '4100', { status: 0x45 }),
      { ...failed, messageId: 'A' }
    ],
    ['a failure with half a body', frame(COMMAND_IDS.submit_sm_resp, '4141', { status: 0x45 }), failed],
    ['bytes after the end', frame(COMMAND_IDS.submit_sm_resp, '4100 000000'), ok],
    ['half a TLV in an answer', frame(COMMAND_IDS.submit_sm_resp, '4100 0424 0009 61'), { ...ok, tlvs: new Map() }],
    [
      'a body where there is none',
      frame(COMMAND_IDS.enquire_link, 'ffff'),
      { command: 'enquire_link', status: 0, sequence: 7 }
    ],
    [
      'odd bits, 255 octets, a long address, bytes after the end, a TLV twice',
      frame(
        COMMAND_IDS.deliver_sm,
        `00 0000 ${'33'.repeat(30)}00 000000 ff0000 0000 0000ff00 ff ${'61'.repeat(255)} fff0 0000 fff0 0001 02 ff`
      ),
      {
        ...MESSAGE,
        command: 'deliver_sm',
        sequence: 7,
        sourceAddr: '3'.repeat(30),
        esmClass: 0xff,
        dataCoding: 0xff,
        shortMessage: Buffer.alloc(255, 'a'),
        tlvs: new Map([[0xfff0, hex('02')]])
      }
    ]
  ]
  for (const [name, bytes, pdu] of cases) assert.deepEqual(decodeOne(bytes), pdu, name)
})

const TEXT_BODY = '00 0000 00 0000 00 000000 00 00 00000000'

test('a PDU that can not be read is told with its answer, and those around it are not lost', () => {
  const nack = { sequence: 7, messageId: '', tlvs: NO_TLVS }
  const cases: [bytes: Buffer, reason: RegExp, answer: unknown][] = [
    [
      frame(COMMAND_IDS.deliver_sm, `${TEXT_BODY} 05 61626364`),
      /sm_length/,
      { command: 'deliver_sm_resp', status: 0x01, ...nack }
    ],
    [frame(COMMAND_IDS.submit_sm, TEXT_BODY), /cut short/, { command: 'submit_sm_resp', status: 0x02, ...nack }],
    [
      frame(COMMAND_IDS.deliver_sm, `${TEXT_BODY} 00 0424 0005 61626364`),
      /TLV 0x424 is cut short/,
      { command: 'deliver_sm_resp', status: 0xc0, ...nack }
    ],
    [frame(COMMAND_IDS.data_sm, ''), /service_type has no end/, { command: 'data_sm_resp', status: 0x02, ...nack }],
    [
      frame(COMMAND_IDS.deliver_sm, `00 0000 ${'33'.repeat(66)}00 ${'00'.repeat(40)}`),
      /source_addr has no end/,
      { command: 'deliver_sm_resp', status: 0x02, ...nack }
    ],
    [
      frame(COMMAND_IDS.bind_receiver, '61'),
      /system_id has no end/,
      { command: 'bind_receiver_resp', status: 0x02, sequence: 7, systemId: '', tlvs: NO_TLVS }
    ],
    // An answer is not answered, but its request must learn that it can't be read.
    [frame(COMMAND_IDS.submit_sm_resp, '616263'), /message_id has no end/, undefined],
    [frame(COMMAND_IDS.submit_sm_resp, `${'61'.repeat(66)}00`), /message_id has no end/, undefined]
  ]
  const link: KnownPdu = { command: 'enquire_link', status: 0, sequence: 1 }
  for (const [bytes, reason, answer] of cases) {
    const [before, error, after, ...others] = decodeAll(Buffer.concat([encodePdu(link), bytes, encodePdu(link)]))
    assert.deepEqual([before, after, others], [link, link, []])
    assert.ok(error instanceof ProtocolError, String(reason))
    assert.match(error.message, reason)
    assert.equal(error.sequence, 7)
    assert.equal(error.commandId, bytes.readUInt32BE(4))
    assert.equal(error.isFatal, false)
    assert.deepEqual(error.answer, answer)
    if (error.answer) assert.deepEqual(decodeOne(encodePdu(error.answer)), answer)
  }
})

test('a length that can not be true ends the stream, after the PDUs before it', () => {
  const link: KnownPdu = { command: 'enquire_link', status: 0, sequence: 1 }
  const cases: [bytes: string, sequence: number][] = [
    ['0000000f 00000015 00000000 00000007', 0],
    ['00000000 00000015 00000000 00000007', 0],
    ['00004001 00000004 00000000 00000007', 7],
    ['ffffffff 00000004 00000000 00000007', 7],
    [Buffer.from('GET / HTTP/1.1\r\n').toString('hex'), 0x2e310d0a]
  ]
  for (const [bytes, sequence] of cases) {
    for (const size of [16, 17, 20, 31]) {
      const reader = new PduReader({ pduBytesMax: PDU_BYTES_MAX })
      const chunks = cut(Buffer.concat([encodePdu(link), hex(bytes)]), [size])
      const [first, error, ...others]: (Pdu | ProtocolError)[] = chunks.flatMap((chunk) => reader.push(chunk))
      assert.deepEqual(first, link)
      assert.deepEqual(others, [])
      assert.ok(error instanceof ProtocolError)
      assert.equal(error.isFatal, true)
      assert.deepEqual(error.answer, { command: 'generic_nack', status: 0x02, sequence })
      assert.deepEqual(reader.push(encodePdu(link)), [error])
    }
  }
  const largest = frame(0x0bad, '00'.repeat(PDU_BYTES_MAX - 16))
  assert.deepEqual(decodeOne(largest), { command: 'unknown', commandId: 0x0bad, status: 0, sequence: 7 })
})

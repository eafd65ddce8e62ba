import { strict as assert } from 'node:assert'
import { test } from 'node:test'
import fc from 'fast-check'
import { TLV_TAGS } from './commands.ts'
import { ARBITRARY_PDUS, MESSAGE } from './pdu.samples.ts'
import { type KnownPdu, NO_TLVS } from './pdu.ts'
import { ProtocolError } from './protocol-error.ts'
import { redactAddress, redactPdu } from './redact-pdu.ts'

const AT = new Date('2026-11-15T09:30:00.000Z')

test('an address shows at most half of the digits of a number; names and short codes stay', () => {
  const shown = {
    '33612345678': '336••••••78',
    '+33612345678': '+336••••••78',
    '0612345678': '061•••••78',
    '1234567': '1••••67',
    'tel 06 12 34 56 78': 'tel 06 1• •• •• 78',
    CHAPPE: 'CHAPPE',
    '38000': '38000',
    '': ''
  }
  for (const [address, redacted] of Object.entries(shown)) assert.equal(redactAddress(address), redacted)
  assert.equal(redactAddress('a number far behind 33612345678'), 'a number far behind 3')
})

test('a redacted PDU has what a fault of the link shows by, and nothing of what it says', () => {
  const pdu: KnownPdu = {
    ...MESSAGE,
    command: 'deliver_sm',
    status: 0x58,
    sequence: 7,
    sourceAddr: '33612345678',
    destinationAddr: 'CHAPPE',
    esmClass: 4,
    dataCoding: 8,
    shortMessage: Buffer.from('secret text'),
    tlvs: new Map([
      [TLV_TAGS.receipted_message_id, Buffer.from('33612345678')],
      [0x1401, Buffer.from('secret')]
    ])
  }
  assert.deepEqual(redactPdu('in', pdu, AT), {
    at: '2026-11-15T09:30:00.000Z',
    direction: 'in',
    command: 'deliver_sm',
    isReadable: true,
    status: 'ESME_RTHROTTLED',
    sequence: 7,
    source: '336••••••78',
    destination: 'CHAPPE',
    esmClass: 4,
    dataCoding: 8,
    smLength: 11,
    tlvs: [
      { name: 'receipted_message_id', bytes: 11 },
      { name: '0x1401', bytes: 6 }
    ]
  })
  const wrong = new ProtocolError('secret', { sequence: 9, commandId: 0x105, answer: undefined, isFatal: true })
  const unread = redactPdu('in', wrong, AT)
  assert.deepEqual([unread.command, unread.isReadable, unread.status], ['0x00000105', false, null])
  assert.doesNotMatch(JSON.stringify(unread), /secret/)
})

test('whatever a PDU holds, no text, password, id or whole number of it is shown', () => {
  const secret = 'xSECRETx'
  const number = '33612345678'
  for (const arbitrary of Object.values(ARBITRARY_PDUS)) {
    fc.assert(
      fc.property(arbitrary as fc.Arbitrary<KnownPdu>, (pdu) => {
        const fields = Object.keys(pdu).filter((name) => typeof pdu[name as keyof KnownPdu] === 'string')
        const filled: Record<string, unknown> = { ...pdu }
        for (const name of fields) if (name !== 'command') filled[name] = /Addr$/.test(name) ? number : secret
        if ('shortMessage' in pdu) filled.shortMessage = Buffer.from(`${secret} ${number}`)
        if ('tlvs' in pdu) filled.tlvs = new Map([[TLV_TAGS.message_payload, Buffer.from(`${secret} ${number}`)]])
        const shown = JSON.stringify(redactPdu('out', filled as unknown as KnownPdu, AT))
        assert.ok(!shown.includes(secret) && !shown.includes(number), shown)
      }),
      { numRuns: 20 }
    )
  }
})

test('a PDU with thousands of optional parameters shows the first 20', () => {
  const tlvs = new Map(Array.from({ length: 5_000 }, (_, tag) => [tag, Buffer.alloc(1)]))
  const answer: KnownPdu = { command: 'submit_sm_resp', status: 0, sequence: 1, messageId: '', tlvs }
  assert.equal(redactPdu('in', answer, AT).tlvs.length, 20)
  assert.deepEqual(redactPdu('in', { ...answer, tlvs: NO_TLVS }, AT).tlvs, [])
})

import { strict as assert } from 'node:assert'
import { test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import fc from 'fast-check'
import { PduReader } from './decode.ts'
import { encodePdu } from './encode.ts'
import { anyPdu } from './pdu.samples.ts'
import type { Pdu } from './pdu.ts'
import { ProtocolError } from './protocol-error.ts'

/* Whatever a peer sends is a PDU or a ProtocolError, never another exception, and what can be decoded can be encoded. */

const PDU_BYTES_MAX = 2_000

function pushAll(chunks: Buffer[]): (Pdu | ProtocolError)[] {
  const reader = new PduReader({ pduBytesMax: PDU_BYTES_MAX })
  const found: (Pdu | ProtocolError)[] = []
  for (const chunk of chunks) {
    const pdus = reader.push(chunk)
    // A PDU takes 16 bytes, so a chunk holds no more than this, with one that began before it.
    assert.ok(pdus.length <= chunk.length / 16 + 2)
    found.push(...pdus)
    if (pdus.some((pdu) => pdu instanceof ProtocolError && pdu.isFatal)) break
  }
  for (const pdu of found) if (pdu instanceof ProtocolError && pdu.answer) encodePdu(pdu.answer)
  return found
}

const bytes = (maxLength: number) => fc.uint8Array({ maxLength, size: 'max' }).map((array) => Buffer.from(array))

test('random bytes are read as PDUs or refused', () => {
  fc.assert(
    fc.property(fc.array(bytes(3_000), { maxLength: 5 }), (chunks) => {
      pushAll(chunks)
    }),
    { numRuns: 500 }
  )
})

test('random bodies of every command are read or refused, each for itself', () => {
  const commandId = fc
    .tuple(fc.constantFrom(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0x15, 0x21, 0x103), fc.constantFrom(0, 0x80000000))
    .map(([id, bit]) => (id | bit) >>> 0)
  // Mostly zeros, which end strings: otherwise no body gets past its first.
  const body = fc.array(fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 9 }), fc.nat({ max: 255 })), {
    maxLength: 90
  })
  const frames = fc.array(fc.tuple(commandId, fc.constantFrom(0, 8), body), { minLength: 1, maxLength: 8 })
  fc.assert(
    fc.property(frames, (list) => {
      const stream = list.map(([id, status, content]) => {
        const header = Buffer.alloc(16)
        header.writeUInt32BE(16 + content.length, 0)
        header.writeUInt32BE(id, 4)
        header.writeUInt32BE(status, 8)
        return Buffer.concat([header, Buffer.from(content)])
      })
      const found = pushAll([Buffer.concat(stream)])
      assert.equal(found.length, list.length)
      assert.ok(!found.some((pdu) => pdu instanceof ProtocolError && pdu.isFatal))
    }),
    { numRuns: 1_000 }
  )
})

test('good PDUs with some bytes changed are read or refused', () => {
  const changes = fc.array(fc.tuple(fc.nat({ max: 800 }), fc.nat({ max: 255 })), { minLength: 1, maxLength: 6 })
  fc.assert(
    fc.property(
      fc.array(anyPdu, { minLength: 1, maxLength: 5 }),
      changes,
      fc.nat({ max: 1_500 }),
      (pdus, list, cut) => {
        const stream = Buffer.concat(pdus.map(encodePdu))
        for (const [at, value] of list) stream[at % stream.length] = value
        pushAll([stream.subarray(0, cut), stream.subarray(cut)])
      }
    ),
    { numRuns: 1_000 }
  )
})

test('a good PDU that says to be shorter than it is, is read or refused, and never beyond its end', () => {
  fc.assert(
    fc.property(anyPdu, fc.nat(), (pdu, less) => {
      const whole = encodePdu(pdu)
      const length = 16 + (less % (whole.length - 15))
      const cut = Buffer.from(whole.subarray(0, length))
      cut.writeUInt32BE(length, 0)
      const alone = pushAll([cut])
      assert.equal(alone.length, 1)
      // What stands behind it in memory makes no difference.
      cut.copy(whole)
      const [first] = pushAll([Buffer.concat([whole.subarray(0, length), Buffer.alloc(16, 0xff)])])
      assert.deepEqual(first, alone[0])
    }),
    { numRuns: 500 }
  )
})

test('a peer that never finishes its PDU holds no more memory than one PDU', () => {
  const reader = new PduReader({ pduBytesMax: 65_536 })
  const header = Buffer.from('00010000000000040000000000000001', 'hex')
  const drop = Buffer.alloc(1)
  assert.deepEqual(reader.push(header), [])
  const before = process.memoryUsage().arrayBuffers
  for (let count = 16; count < 65_535; count++) assert.deepEqual(reader.push(drop).length, 0)
  assert.ok(process.memoryUsage().arrayBuffers - before < 1_000_000)
  assert.equal(reader.push(drop).length, 1)
})

test('a peer whose every PDU is cut in two leaves nothing behind', () => {
  const reader = new PduReader({ pduBytesMax: 65_536 })
  const link = encodePdu({ command: 'enquire_link', status: 0, sequence: 1 })
  const chunk = Buffer.concat([link.subarray(9), link.subarray(0, 9)])
  reader.push(link.subarray(0, 9))
  const before = heldBytes()
  let found = 0
  for (let count = 0; count < 100_000; count++) found += reader.push(chunk).length
  assert.equal(found, 100_000)
  assert.ok(heldBytes() - before < 1_000_000)
  assert.equal(reader.push(link.subarray(9)).length, 1)
})

/** The bytes of buffers that something still holds: garbage is collected first. */
function heldBytes(): number {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
  return process.memoryUsage().arrayBuffers
}

import { strict as assert } from 'node:assert'
import { mock, test } from 'node:test'
import { PDUS_MAX, PduCapture } from './pdu-capture.ts'

test('a bind keeps its last PDUs only, in their order, and forgets them when their time is over', () => {
  const capture = new PduCapture()
  assert.deepEqual([capture.isOn, capture.list()], [false, []])
  const clock = mock.method(performance, 'now', () => 1_000)
  try {
    capture.keepFor(60_000)
    const see = (count: number) => {
      for (let sequence = capture.seen; sequence < count; sequence++) {
        capture.see('out', { command: 'enquire_link', status: 0, sequence })
      }
    }
    const sequences = () => capture.list().map(({ sequence }) => sequence)
    see(3)
    assert.deepEqual(sequences(), [0, 1, 2])
    see(PDUS_MAX)
    assert.deepEqual([sequences()[0], sequences().at(-1)], [0, PDUS_MAX - 1])
    see(PDUS_MAX + 7)
    assert.deepEqual([sequences()[0], sequences().at(-1), sequences().length], [7, PDUS_MAX + 6, PDUS_MAX])
    clock.mock.mockImplementation(() => 60_999)
    capture.tick()
    assert.ok(capture.isOn)
    clock.mock.mockImplementation(() => 61_000)
    capture.tick()
    assert.deepEqual([capture.isOn, capture.list(), capture.seen], [false, [], 0])
  } finally {
    clock.mock.restore()
  }
})

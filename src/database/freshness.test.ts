import { strict as assert } from 'node:assert'
import { test } from 'node:test'
import { judge, PrimaryLooks, type ReplicaLook } from './freshness.ts'

const PRIMARY = { systemId: 'a', timeline: 3 }
const STANDBY: ReplicaLook = { ...PRIMARY, isInRecovery: true, lsn: 100n }

function looksOf(...looks: [atMs: number, lsn: bigint][]): PrimaryLooks {
  const all = new PrimaryLooks(20_000)
  for (const [atMs, lsn] of looks) all.add({ ...PRIMARY, atMs, lsn })
  return all
}

test('the data of a replica is of the last time at which the primary had no more than the replica has now', () => {
  const looks = looksOf([1_000, 100n], [2_000, 150n], [3_000, 200n])
  assert.deepEqual(judge({ ...STANDBY, lsn: 99n }, looks), { freshAtMs: undefined })
  assert.deepEqual(judge({ ...STANDBY, lsn: 100n }, looks), { freshAtMs: 1_000 })
  assert.deepEqual(judge({ ...STANDBY, lsn: 199n }, looks), { freshAtMs: 2_000 })
  assert.deepEqual(judge({ ...STANDBY, lsn: 250n }, looks), { freshAtMs: 3_000 })
  assert.deepEqual(judge({ ...STANDBY, lsn: null }, looks), { freshAtMs: undefined })
})

test('a replica of a primary that is idle for long does not grow old', () => {
  const looks = looksOf([1_000, 100n], [30_000, 100n], [60_000, 100n])
  assert.deepEqual(judge(STANDBY, looks), { freshAtMs: 60_000 })
  assert.deepEqual(judge({ ...STANDBY, lsn: 99n }, looks), { freshAtMs: undefined })
})

test('a server that is no replica of this primary is told from one that is', () => {
  const looks = looksOf([1_000, 100n])
  const kindOf = (look: Partial<ReplicaLook>, known = looks) => {
    const judgement = judge({ ...STANDBY, ...look }, known)
    return 'problem' in judgement ? judgement.problem.kind : undefined
  }
  assert.equal(kindOf({}), undefined)
  assert.equal(kindOf({}, new PrimaryLooks(1_000)), 'unknown')
  assert.equal(kindOf({ systemId: 'b' }), 'other-database')
  assert.equal(kindOf({ isInRecovery: false }), 'primary')
  assert.equal(kindOf({ isInRecovery: false, timeline: 4 }), 'promoted')
  assert.equal(kindOf({ timeline: 2 }), 'other-timeline')
  assert.equal(kindOf({ timeline: 4 }), 'other-timeline')
})

test('positions of the log before a promotion are not compared with those after it', () => {
  const looks = looksOf([1_000, 100n])
  looks.add({ ...PRIMARY, timeline: 4, atMs: 2_000, lsn: 120n })
  assert.equal(looks.timeOf(110n), undefined)
  assert.equal(looks.timeOf(120n), 2_000)
})

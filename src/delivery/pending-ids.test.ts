import { strict as assert } from 'node:assert'
import { test } from 'node:test'
import { PendingIds } from './pending-ids.ts'

const submission = (position: number) => ({
  accountId: 1,
  messageId: 2,
  position,
  phone: `+3361234567${position}`,
  country: 'FR',
  submittedAtMs: 0
})

test('a receipt waits for the commit of its id, and not for other ids', async () => {
  const ids = new PendingIds()
  ids.begin('main', ['a', 'b'])
  const settled = ids.untilSettled('main', 'a')
  assert.equal(ids.untilSettled('main', 'c'), undefined)
  assert.equal(ids.untilSettled('other', 'a'), undefined)
  ids.end('main', ['a'])
  await settled
  assert.equal(ids.untilSettled('main', 'a'), undefined)
  assert.notEqual(ids.untilSettled('main', 'b'), undefined)
})

test('an id that a carrier gives twice is settled by the last commit', async () => {
  const ids = new PendingIds()
  ids.begin('main', ['a'], submission(1))
  ids.begin('main', ['a'], submission(2))
  ids.end('main', ['a'])
  const settled = ids.untilSettled('main', 'a')
  ids.end('main', ['a'])
  await settled
  assert.equal(ids.takeRecent('main', 'a'), undefined, 'whose id it is, only a look-up can say')
})

test('the recipient of a committed id is known once', () => {
  const ids = new PendingIds()
  ids.begin('main', ['a'], submission(1))
  assert.equal(ids.takeRecent('main', 'a'), undefined, 'before the commit')
  ids.end('main', ['a'])
  assert.equal(ids.takeRecent('other', 'a'), undefined)
  assert.deepEqual(ids.takeRecent('main', 'a'), submission(1))
  assert.equal(ids.takeRecent('main', 'a'), undefined)
})

test('a carrier that uses an id again replaces its recipient', () => {
  const ids = new PendingIds()
  for (const position of [1, 2]) {
    ids.begin('main', ['a'], submission(position))
    ids.end('main', ['a'])
  }
  assert.deepEqual(ids.takeRecent('main', 'a'), submission(2))
  assert.equal(ids.takeRecent('main', 'a'), undefined)
})

test('ids that get no receipt are forgotten, oldest first', () => {
  const ids = new PendingIds()
  const last = 100_000
  for (let id = 1; id <= last; id++) {
    ids.begin('main', [String(id)], submission(1))
    ids.end('main', [String(id)])
  }
  assert.equal(ids.takeRecent('main', '1'), undefined)
  assert.deepEqual(ids.takeRecent('main', String(last)), submission(1))
  assert.deepEqual(ids.takeRecent('main', String(last - 25_000)), submission(1))
})

import { strict as assert } from 'node:assert'
import { test } from 'node:test'
import fc from 'fast-check'
import { pageWindow, toPage } from './paging.ts'

test('a page read from the nearer end holds the same rows as one read from the start', () => {
  const page = fc.record({
    page: fc.integer({ min: 1, max: 60 }),
    limit: fc.integer({ min: 1, max: 20 }),
    totalItems: fc.integer({ min: 0, max: 200 })
  })
  fc.assert(
    fc.property(page, ({ page, limit, totalItems }) => {
      const rows = Array.from({ length: totalItems }, (_, index) => index)
      const expected = rows.slice((page - 1) * limit, page * limit)
      const window = pageWindow({ page, limit, totalItems })
      const source = window.isFromEnd ? [...rows].reverse() : rows
      const read = source.slice(window.offset, window.offset + window.limit)
      assert.deepEqual(window.isFromEnd ? read.reverse() : read, expected)
      assert.ok(expected.length === 0 || window.offset <= totalItems / 2, 'never skips more than half of the rows')
    })
  )
})

test('the figures of a page are those that docs/api.md tells', () => {
  assert.deepEqual(toPage(['a'], { page: 3, limit: 10, totalItems: 21 }).meta, {
    itemCount: 1,
    totalItems: 21,
    itemsPerPage: 10,
    totalPages: 3,
    currentPage: 3
  })
  assert.deepEqual(toPage([], { page: 1, limit: 10, totalItems: 0 }).meta, {
    itemCount: 0,
    totalItems: 0,
    itemsPerPage: 10,
    totalPages: 0,
    currentPage: 1
  })
})

import { strict as assert } from 'node:assert'
import { test } from 'node:test'
import { anniversariesOn } from './anniversaries.ts'

test('every day of the year, 29 February too, has one anniversary in each year', () => {
  for (const daysBefore of [0, 7, 365]) {
    const counts = new Map<string, number>()
    const first = Date.parse('2027-01-01T09:00:00Z') - daysBefore * 86_400_000
    // Four years, of which 2028 has 366 days.
    for (let day = 0; day < 4 * 365 + 1; day++) {
      const now = new Date(first + day * 86_400_000)
      for (const name of anniversariesOn({ now, timeZone: 'Europe/Paris' }, daysBefore)) {
        counts.set(name, (counts.get(name) ?? 0) + 1)
      }
    }
    assert.equal(counts.size, 366)
    assert.deepEqual([...new Set(counts.values())], [4])
  }
})

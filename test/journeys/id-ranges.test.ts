import { strict as assert } from 'node:assert'
import { connect } from '../../src/database/database.ts'
import { RANGE_KINDS } from '../../src/database/id-ranges.ts'
import { createDatabase } from '../database/databases.ts'
import { plansOf } from '../database/plans.ts'
import { FIRST_ID, STATEMENTS } from '../database/statements.ts'
import { atEnd } from '../service/cleanup.ts'
import { test } from '../service/service.ts'

const RANGES = 8
/** The ids of the statements are in the sixth range, whose partitions begin at the first of them. */
const SIZE = FIRST_ID / 5

test('a statement that is given ids opens only their range, and finds rows by their keys, also in empty tables', async (t) => {
  const database = await createDatabase()
  atEnd(t, () => database.drop())
  const pool = connect({ url: database.url, applicationName: 'ranges', connectionsMax: 1, isLookupOnly: true })
  atEnd(t, () => pool.close(1))
  for (let range = 2; range < RANGES; range++) {
    for (const kind of RANGE_KINDS) await pool`select add_id_range(${kind}, ${range * SIZE}, ${(range + 1) * SIZE})`
  }
  for (const [name, run] of Object.entries(STATEMENTS)) {
    const plans = await plansOf(pool, run)
    const scans = plans.flatMap(scansOf)
    assert.ok(scans.length > 0, `${name} reads nothing`)
    for (const { partition, condition } of scans) {
      assert.match(partition, new RegExp(`_${FIRST_ID}$`), `${name} opens ${partition}:\n${plans.join('\n')}`)
      assert.match(condition, /\b(message_)?id = /, `${name} reads a whole span:\n${plans.join('\n')}`)
    }
  }
})

/** The partitions that a plan reads, each with the condition on its index. */
function scansOf(plan: string): { partition: string; condition: string }[] {
  const scans = plan.matchAll(/Scan (?:using \S+ )?on ((?:recipients|timeline_steps|events)_\w+)[^\n]*\n([^\n]*)/g)
  return [...scans]
    .map(([, partition = '', condition = '']) => ({ partition, condition }))
    .filter(({ partition }) => !/_(idx|pkey)\d*$/.test(partition))
}

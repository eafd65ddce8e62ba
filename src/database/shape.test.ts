import { strict as assert } from 'node:assert'
import { test } from 'node:test'
import { createDatabase } from '../../test/database/databases.ts'
import { atEnd } from '../../test/service/cleanup.ts'
import { connect } from './database.ts'
import { byShard, isDistributed, readShape } from './shape.ts'

test('a database without Citus is plain, and one that is half distributed is refused', async (t) => {
  const { url, drop } = await createDatabase()
  const database = connect({ url, applicationName: 'places', connectionsMax: 1 })
  atEnd(t, async () => {
    await database.close(1)
    await drop()
  })
  await readShape(database)
  assert.equal(isDistributed(), false)

  const rows = [2, 1, 2].map((accountId) => ({ accountId }))
  const accounts = await byShard(
    database,
    rows,
    (rows, ofAccounts) => database<{ accountId: number; count: number }[]>`
      select account_id, count(*) over () as count
      from unnest(${rows.map(({ accountId }) => accountId)}::bigint[]) as given (account_id)
      where ${ofAccounts(database`account_id`)}
    `
  )
  assert.deepEqual(
    accounts.map((row) => ({ ...row })),
    [2, 1, 2].map((accountId) => ({ accountId, count: 3 })),
    'a plain database gets one statement'
  )

  // What Citus has in its catalog, in a table of the same name.
  await database`create table pg_dist_partition as select 'recipients'::regclass as logicalrelid, 'h' as partmethod`
  await assert.rejects(readShape(database), {
    message:
      'The database is half distributed: contacts, timeline_steps, contact_lists, messages are not in place. Run `npm run distribute` or `npm run undistribute` to its end.'
  })
})

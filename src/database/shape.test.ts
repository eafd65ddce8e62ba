import { strict as assert } from 'node:assert'
import { test } from 'node:test'
import { createDatabase } from '../../test/database/databases.ts'
import { atEnd } from '../../test/service/cleanup.ts'
import { connect } from './database.ts'
import { refuseDistributed } from './shape.ts'

test('a start on a database that Citus has distributed, wholly or by half, is refused', async (t) => {
  const { url, drop } = await createDatabase()
  const database = connect({ url, applicationName: 'shape', connectionsMax: 1 })
  atEnd(t, async () => {
    await database.close(1)
    await drop()
  })
  await refuseDistributed(database)

  // The catalog of Citus, as a table of the same name.
  await database`create table pg_dist_partition (logicalrelid regclass not null)`
  await refuseDistributed(database)
  await database`insert into pg_dist_partition values ('recipients'), ('recipients_default'), ('messages')`
  await assert.rejects(refuseDistributed(database), {
    message:
      'Citus has distributed tables of this database, and this version of Chappe needs all of them in one place. Run `select undistribute_table(…)` for each of: messages, recipients.'
  })
})

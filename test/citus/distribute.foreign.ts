import { strict as assert } from 'node:assert'
import { connect, type Sql } from '../../src/database/database.ts'
import { CannotMove } from '../../src/database/distribute.ts'
import { dumpSchema } from '../../src/database/dump-schema.ts'
import { isDistributed, listPlaces, readShape } from '../../src/database/shape.ts'
import { distribute, undistribute } from '../../src/distribute.ts'
import { countShards } from '../database/cluster.ts'
import { createDatabase } from '../database/databases.ts'
import { atEnd } from '../service/cleanup.ts'
import { test } from '../service/service.ts'

/** So many tables are distributed or known to Citus. */
const TABLES = 5

test('a database comes back from a cluster as it was, and goes there again with all rows, however often that is cut off', async (t) => {
  const { url, drop } = await createDatabase()
  const database = connect({ url, applicationName: 'moving', connectionsMax: 2 })
  atEnd(t, async () => {
    await database.close(1)
    await drop()
  })
  const said: string[] = []
  const onProgress = (sentence: string) => void said.push(sentence)
  await readShape(database)
  assert.equal(isDistributed(), true)

  await undistribute(database, { onProgress })
  assert.equal((await listPlaces(database)).size, 0)
  const plain = await dumpSchema(database)
  assert.deepEqual(await listUnanalyzed(database), [])
  await database`
    insert into recipients (account_id, message_id, position, segments, credits, country, phone)
    select account_id, 1, position, 1, 1, 'FR', '+336' || lpad((account_id * 1000 + position)::text, 8, '0')
    from generate_series(1, 20) as accounts (account_id), generate_series(1, 50) as positions (position)
  `

  const atHalf: number[] = []
  for (let isDone = false; !isDone; ) {
    const cut = cutOffAfter(3)
    isDone = await distribute(database, { onProgress: cut.onProgress }).then(
      () => true,
      (error) => {
        assert.equal(error, cut.error)
        return false
      }
    )
    const moved = (await listPlaces(database)).size
    if (moved === TABLES) continue
    atHalf.push(moved)
    await assert.rejects(readShape(database), /The database is half distributed: .* not in place/)
  }
  assert.deepEqual(atHalf, [2, 3, 4], 'each run went on where the one before was cut off')
  await readShape(database)
  assert.equal(isDistributed(), true)
  for (const [table, rows] of Object.entries({ recipients: 1_000, phone_accounts: 1_000, removals: 20 })) {
    const [counted] = await database`select count(*) from ${database(table)}`
    assert.equal(counted?.count, rows, table)
  }

  await distribute(database, { onProgress })
  assert.equal(said.at(-1), 'The database is distributed.')
  assert.equal(await countShards(database), 2, 'one for each worker')
  const cut = cutOffAfter(2)
  await assert.rejects(undistribute(database, { onProgress: cut.onProgress }), cut.error)
  await assert.rejects(readShape(database), /half distributed/)
  await undistribute(database, { onProgress })
  assert.equal(await dumpSchema(database), plain)
  assert.deepEqual(await listUnanalyzed(database), [])
  const [back] = await database`select count(*) as recipients from recipients`
  assert.equal(back?.recipients, 1_000)

  await assert.rejects(
    distribute(database, { shards: 1, onProgress }),
    new CannotMove('The cluster has 2 workers, and with --shards 1 some would hold nothing.')
  )
  assert.equal((await listPlaces(database)).size, 0)
  await distribute(database, { shards: 3, onProgress })
  assert.equal(await countShards(database), 3)
})

/** The tables that autovacuum never analyses. */
async function listUnanalyzed(sql: Sql): Promise<string[]> {
  const rows = await sql<{ name: string }[]>`
    select relname as name
    from pg_class
    where reloptions::text like '%autovacuum_analyze_threshold%'
  `
  return rows.map(({ name }) => name)
}

/** Cuts a move off when it tells of so many steps. */
function cutOffAfter(steps: number) {
  const error = new Error('cut off')
  let told = 0
  return {
    error,
    onProgress: () => {
      told++
      if (told === steps) throw error
    }
  }
}

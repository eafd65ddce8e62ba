import { strict as assert } from 'node:assert'
import { pino } from 'pino'
import { connect } from '../../src/database/database.ts'
import { createKeepIdRanges } from '../../src/database/keep-id-ranges.ts'
import { readShape } from '../../src/database/shape.ts'
import { copyRecipients } from '../../src/recipients/recipients.store.ts'
import { asSuperuserOf } from '../database/cluster.ts'
import { createDatabase } from '../database/databases.ts'
import { mobiles } from '../messages/sending.ts'
import { atEnd } from '../service/cleanup.ts'
import { test } from '../service/service.ts'

test('a range that a large insert begins does not count as empty on its worker', async (t) => {
  const { url, drop } = await createDatabase('begun')
  const pool = connect({ url, applicationName: 'ranges', connectionsMax: 4 })
  await readShape(pool)
  atEnd(t, async () => {
    await pool.close(1)
    await drop()
  })
  const keepRanges = createKeepIdRanges(pool, {
    retentionDays: 400,
    log: pino({ level: 'silent' }),
    onFailed: () => undefined
  })
  await keepRanges()
  const [{ firstId }] = await pool<[{ firstId: number }]>`
    select max(first_id) as first_id
    from id_ranges
    where kind = 'messages'
  `
  const recipients = mobiles(2_000).map((phone, index) => {
    return { position: index + 1, phone, country: 'FR', content: null, segments: 1, credits: 1 }
  })
  await pool.begin(async (sql) => {
    await copyRecipients(sql, { accountId: 1, id: firstId }, recipients)
    await pool`select setval('message_ids', ${firstId})`
    await keepRanges()
  })
  const [reached] = await pool`select opened_at from id_ranges where kind = 'messages' and first_id = ${firstId}`
  assert.ok(reached?.openedAt)

  const [shard] = await pool<[{ name: string; nodename: string }]>`
    select ${`recipients_${firstId}_`} || get_shard_id_for_distribution_column(${`recipients_${firstId}`}, 1::bigint) as name, nodename
    from citus_shards
    where shardid = get_shard_id_for_distribution_column(${`recipients_${firstId}`}, 1::bigint)
  `
  await asSuperuserOf(shard.nodename, url.database, async (sql) => {
    await sql`set citus.override_table_visibility to off`
    const [known] = await sql`select reltuples::integer as rows from pg_class where relname = ${shard.name}`
    assert.ok([-1, 2_000].includes(known?.rows), `the worker believes in ${known?.rows} rows`)
  })
})

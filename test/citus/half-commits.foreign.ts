import { strict as assert } from 'node:assert'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Sql } from '../../src/database/database.ts'
import { asSuperuserOf } from '../database/cluster.ts'
import { startService, test } from '../service/service.ts'

/** Older than any commit whose nodes all answer. */
const LEFT_BEHIND_MS = 1_100

test('a send to a list waits for the half of a commit that a worker has prepared and lost', async (t) => {
  const { operator, pool, databaseUrl } = await startService(t)
  const { body: list } = await operator.expect(200).post('/contactlists', { name: 'Clients' })
  const contacts = ['+33639980014', '+33639980015'].map((tel) => ({ tel }))
  await operator.expect(200).post('/contacts', { contactlist_id: list.id, contacts })
  const send = () => operator.post('/messages/sms/contactlist', { contactlist: [list.id], content: 'Bonjour' })

  const [shard] = await pool<[{ id: number; nodename: string }]>`
    select shardid as id, nodename
    from citus_shards
    where table_name = 'contacts'::regclass
      and shardid = get_shard_id_for_distribution_column('contacts', ${operator.id}::bigint)
  `
  const atWorker = (work: (sql: Sql) => Promise<unknown>) => asSuperuserOf(shard.nodename, databaseUrl.database, work)
  // The coordinator has committed that a contact is gone. The worker has not.
  await atWorker(async (sql) => {
    await sql`begin`
    await sql.unsafe(`delete from contacts_${shard.id} where phone = '+33639980015'`)
    await sql`prepare transaction 'half'`
  })
  await pool`update contact_lists set contacts_count = 1 where account_id = ${operator.id}`
  await sleep(LEFT_BEHIND_MS)
  const { status, body } = await send()
  assert.equal(status, 503, JSON.stringify(body))

  await atWorker((sql) => sql`commit prepared 'half'`)
  assert.equal((await send()).body.recipients_count, 1)

  await pool`update contact_lists set contacts_count = 7 where account_id = ${operator.id}`
  assert.equal((await send()).status, 200, 'a count that is wrong holds nobody back')
})

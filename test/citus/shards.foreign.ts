import { strict as assert } from 'node:assert'
import { SOCKET_PORT as PORT } from '../../src/database/database.ts'
import { isDistributed } from '../../src/database/shape.ts'
import { assertInvariants } from '../checks/invariants.ts'
import { countShards } from '../database/cluster.ts'
import { mobiles, startDelivering } from '../messages/sending.ts'
import { carrierTo, startSmsc } from '../peers/smsc.ts'
import { type TestAccount, type TestService, test } from '../service/service.ts'

/** With 2 shards, some of so many accounts share one, and each half of a shard has some of them. */
const ACCOUNTS = 16
/** More than are looked up by key. */
const MANY = 120
const SEND_TRIES_MAX = 10

test('accounts that share shards send at once, also while half of one is split off, one moves, and an account gets its own', async (t) => {
  const smsc = await startSmsc(t)
  const service = await startDelivering(t, [carrierTo(smsc, { window: 50 })])
  assert.ok(isDistributed())
  const accounts = await Promise.all(Array.from({ length: ACCOUNTS }, () => service.newAccount({ credits: 1_000 })))
  const [first, second] = await findNeighbours(service, accounts)
  await sendAtOnce(accounts, 0)
  await assertInvariants(service, { smscs: [smsc], accounts, withinMs: 60_000 })

  await Promise.all([sendAtOnce(accounts, 1), splitOffHalf(service)])
  await assertInvariants(service, { smscs: [smsc], accounts, withinMs: 60_000 })

  await Promise.all([sendAtOnce(accounts, 2), moveWhole(service)])
  await assertInvariants(service, { smscs: [smsc], accounts, withinMs: 60_000 })

  await service.pool`
    select isolate_tenant_to_new_shard('recipients', ${first}::bigint, 'CASCADE', shard_transfer_mode => 'block_writes')
  `
  const shards = await readShards(service)
  assert.notEqual(shards.get(first), shards.get(second))
  await sendAtOnce(accounts, 3)
  await assertInvariants(service, { smscs: [smsc], accounts, withinMs: 60_000 })
})

/** As docs/scale.md says for a worker that is new: half of a shard goes to another node, while writes to the shard wait. */
async function splitOffHalf({ pool }: TestService): Promise<void> {
  const before = await countShards(pool)
  const { id, middle, here, other } = await findShard(pool)
  await pool`
    select citus_split_shard_by_split_points(
      ${id}::bigint,
      array[${middle}::text],
      array[${here.id}::integer, ${other.id}::integer],
      'block_writes'
    )
  `
  assert.equal(await countShards(pool), before + 1)
}

/** A whole shard goes to another node, and is written to meanwhile. */
async function moveWhole({ pool }: TestService): Promise<void> {
  const { id, here, other } = await findShard(pool)
  await pool`select citus_move_shard_placement(${id}::bigint, ${here.name}::text, ${PORT}, ${other.name}::text, ${PORT})`
  const [now] = await pool`select nodename from citus_shards where shardid = ${id}`
  assert.equal(now?.nodename, other.name)
}

/** A shard of recipients, the middle of its hashes, its node and another one. */
async function findShard(pool: TestService['pool']) {
  const [row] = await pool<
    [{ id: number; middle: string; hereId: number; hereName: string; otherId: number; otherName: string }]
  >`
    select shardid as id, ((shardminvalue::bigint + shardmaxvalue::bigint) / 2)::text as middle,
      here.nodeid as here_id, here.nodename as here_name, other.nodeid as other_id, other.nodename as other_name
    from pg_dist_shard
    join pg_dist_placement using (shardid)
    join pg_dist_node as here using (groupid)
    join pg_dist_node as other on other.groupid not in (0, here.groupid)
    where logicalrelid = 'recipients'::regclass
    order by shardid
    limit 1
  `
  const { id, middle, hereId, hereName, otherId, otherName } = row
  return { id, middle, here: { id: hereId, name: hereName }, other: { id: otherId, name: otherName } }
}

/** Each sends a message to many and some to one person each: recipients are found in both ways, by a walk and by key. */
async function sendAtOnce(accounts: readonly TestAccount[], round: number): Promise<void> {
  const sends = accounts.flatMap((account, index) => {
    const place = String(ACCOUNTS * round + index).padStart(2, '0')
    return [MANY, 1, 1, 1].map((count, at) => sendUntilTaken(account, mobiles(count, `+3361${place}${at}`)))
  })
  await Promise.all(sends)
}

/** A send whose shard was split since it was planned gets 503, and may be repeated. */
async function sendUntilTaken(account: TestAccount, recipients: readonly string[]): Promise<void> {
  for (let triesLeft = SEND_TRIES_MAX; ; triesLeft--) {
    const { status, text } = await account.post('/messages/sms', { content: 'Bonjour', recipients })
    if (status === 503 && triesLeft > 1) continue
    assert.equal(status, 200, text)
    return
  }
}

async function readShards({ pool }: TestService): Promise<Map<number, number>> {
  const rows = await pool<{ id: number; shard: number }[]>`
    select id, get_shard_id_for_distribution_column('recipients', id) as shard from accounts
  `
  return new Map(rows.map(({ id, shard }) => [id, shard]))
}

/** Two of the accounts that share a shard. */
async function findNeighbours(service: TestService, accounts: readonly TestAccount[]): Promise<[number, number]> {
  const shards = await readShards(service)
  const byShard = Map.groupBy(accounts, ({ id }) => shards.get(id))
  const [first, second] = [...byShard.values()].find(({ length }) => length > 1) ?? []
  assert.ok(first && second, 'two of the accounts share a shard')
  return [first.id, second.id]
}

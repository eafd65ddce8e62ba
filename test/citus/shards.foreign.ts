import { strict as assert } from 'node:assert'
import { isDistributed } from '../../src/database/shape.ts'
import { assertInvariants } from '../checks/invariants.ts'
import { mobiles, send, startDelivering } from '../messages/sending.ts'
import { carrierTo, startSmsc } from '../peers/smsc.ts'
import { type TestAccount, type TestService, test } from '../service/service.ts'

/** With 4 shards, some of so many accounts share one. */
const ACCOUNTS = 8

test('accounts that share shards send at once, and go on when one of them gets a shard of its own', async (t) => {
  const smsc = await startSmsc(t)
  const service = await startDelivering(t, [carrierTo(smsc, { window: 50 })])
  assert.ok(isDistributed())
  const accounts = await Promise.all(Array.from({ length: ACCOUNTS }, () => service.newAccount({ credits: 1_000 })))
  const [first, second] = await findNeighbours(service, accounts)
  await sendAtOnce(accounts, 0)
  await assertInvariants(service, { smscs: [smsc], accounts, withinMs: 60_000 })

  await service.pool`
    select isolate_tenant_to_new_shard('recipients', ${first}::bigint, 'CASCADE', shard_transfer_mode => 'block_writes')
  `
  const shards = await readShards(service)
  assert.notEqual(shards.get(first), shards.get(second))
  await sendAtOnce(accounts, 1)
  await assertInvariants(service, { smscs: [smsc], accounts, withinMs: 60_000 })
})

/** Each sends a message to many and some to one person each: recipients are found in both ways, by a walk and by key. */
async function sendAtOnce(accounts: readonly TestAccount[], round: number): Promise<void> {
  const sends = accounts.flatMap((account, index) =>
    [30, 1, 1, 1].map((count, at) => send(account, { recipients: mobiles(count, `+3361${round}${index}${at}`) }))
  )
  await Promise.all(sends)
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

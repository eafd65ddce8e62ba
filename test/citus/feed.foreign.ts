import { strict as assert } from 'node:assert'
import { isDistributed } from '../../src/database/shape.ts'
import { eventually } from '../checks/eventually.ts'
import { assertInvariants } from '../checks/invariants.ts'
import { mobiles, send, startDelivering } from '../messages/sending.ts'
import { carrierTo, startSmsc } from '../peers/smsc.ts'
import { type TestAccount, test } from '../service/service.ts'

const ACCOUNTS = 4
const CAMPAIGNS = 3
const RECIPIENTS = 20

test('accounts on both workers send at once: each reads every event of its own from the feed, once, and the ledger holds', async (t) => {
  const smsc = await startSmsc(t)
  const service = await startDelivering(t, [carrierTo(smsc, { window: 50 })])
  assert.ok(isDistributed())
  const accounts = await Promise.all(Array.from({ length: ACCOUNTS }, () => service.newAccount({ credits: 1_000 })))
  const expected = CAMPAIGNS * RECIPIENTS
  const readers = await Promise.all(accounts.map(startReading))
  const untilAllRead = readers.map((reader) =>
    eventually(
      async () => {
        await reader.readOn()
        assert.equal(reader.delivered.size, expected)
      },
      { withinMs: 120_000, everyMs: 20 }
    )
  )
  const sendCampaigns = accounts.map(async (account, index) => {
    for (let campaign = 0; campaign < CAMPAIGNS; campaign++) {
      await send(account, { recipients: mobiles(RECIPIENTS, `+33612${index}${campaign}`) })
    }
  })
  await Promise.all([...sendCampaigns, ...untilAllRead])
  await assertInvariants(service, { smscs: [smsc], accounts, withinMs: 60_000 })
  for (const [index, reader] of readers.entries()) {
    await reader.readOn()
    const stored = await service.pool<{ id: number }[]>`
      select id
      from events
      where account_id = ${accounts[index]?.id ?? 0}
      order by id
    `
    assert.deepEqual(
      reader.ids.toSorted((a, b) => a - b),
      stored.map(({ id }) => id),
      'every event that is stored was shown once'
    )
  }
  const [row] = await service.pool<[{ nodes: number }]>`
    select count(distinct nodename)::integer as nodes
    from citus_shards
    where table_name = 'recipients'::regclass
      and shardid in (select get_shard_id_for_distribution_column('recipients', id) from accounts)
  `
  assert.ok(row.nodes > 1, 'the accounts are on both workers')
})

/** Somebody who reads the feed of an account from its beginning on. */
async function startReading(account: TestAccount) {
  let { next } = (await account.expect(200).get('/events')).body
  const ids: number[] = []
  const delivered = new Set<string>()
  return {
    ids,
    delivered,
    async readOn(): Promise<void> {
      for (;;) {
        const { body } = await account.expect(200).get(`/events?after=${encodeURIComponent(next)}&limit=100`)
        if (body.items.length === 0) return
        next = body.next
        for (const event of body.items) {
          ids.push(Number(event.id))
          if (event.data.deliver === 1) delivered.add(event.data.recipient)
        }
      }
    }
  }
}

import { strict as assert } from 'node:assert'
import type { TestContext } from 'node:test'
import { pino } from 'pino'
import { eventually } from '../../test/checks/eventually.ts'
import { carrierToRbm, type Rbm, startRbm } from '../../test/peers/rbm.ts'
import { carriersFile, type RouteEntry } from '../../test/peers/smsc.ts'
import { atEnd } from '../../test/service/cleanup.ts'
import { startService, type TestAccount, type TestService, test } from '../../test/service/service.ts'
import { createCapabilityCache } from '../carriers/capability-cache.ts'
import { readCarriersFile } from '../carriers/carriers-file.ts'
import { createLimits } from '../carriers/limits.ts'
import { startRbmCarrier } from '../carriers/rbm/rbm-carrier.ts'
import { rbm as rbmKind } from '../carriers/rbm/rbm-kind.ts'
import { RoutingTable } from '../carriers/routing-table.ts'
import { updateAfterAdding } from '../contacts/contact-lists.store.ts'
import { upsertContacts } from '../contacts/contacts.store.ts'
import { claimList, extendClaim } from '../contacts/list-claims.store.ts'
import { checkLists, type ListChecking } from './check-lists.ts'

interface Checking {
  service: TestService
  rbm: Rbm
  parts: ListChecking
  /** Checks all that is due. */
  check(): Promise<void>
}

async function startChecking(t: TestContext, { routes }: { routes?: RouteEntry[] } = {}): Promise<Checking> {
  const rbm = await startRbm(t)
  const { path } = await carriersFile(t, [await carrierToRbm(t, rbm)], routes)
  const service = await startService(t, { settings: { CHAPPE_CARRIERS: path } })
  const { pool } = service
  const routing = new RoutingTable(readCarriersFile(path))
  const [settings] = routing.settingsOf(rbmKind)
  assert(settings)
  const log = pino({ level: 'info' }, { write: (line) => void service.logLines.push(line) })
  const carrier = startRbmCarrier({
    settings,
    fallbackSeconds: 300,
    messageIdKey: 'key',
    cache: createCapabilityCache(pool),
    limits: createLimits(pool, { owner: '6c9bd1c4-6a4e-4f0e-9a53-0d6f6f1d7a55' }),
    events: { onChange: () => undefined },
    log
  })
  atEnd(t, () => carrier.stop())
  await eventually(() => assert.ok(carrier.status().isUp))
  const findCarrier = (name: string) => (name === carrier.name && carrier.status().isUp ? carrier : undefined)
  const parts = { pool, routing, findCarrier, log }
  return {
    service,
    rbm,
    parts,
    async check() {
      // Contacts that were added a moment ago wait for more.
      await pool`update contact_lists set rcs_due_at = now() where rcs_leased_by is null`
      while ((await checkLists(parts)).isMoreDue);
    }
  }
}

async function newList(account: TestAccount, phones: readonly string[] = []): Promise<number> {
  const { body } = await account.expect(200).post('/contactlists', { name: 'List' })
  if (phones.length > 0) await add(account, body.id, phones)
  return body.id
}

const add = (account: TestAccount, id: number, phones: readonly string[]) =>
  account.expect(200).post('/contacts', { contactlist_id: id, contacts: phones.map((tel) => ({ tel })) })

const statusOf = async (account: TestAccount, id: number): Promise<string> =>
  (await account.expect(200).get(`/contactlists/${id}`)).body.rcsCapabilityStatus

const known = async ({ pool }: TestService) =>
  new Map(
    (await pool<{ phone: string; isCapable: boolean }[]>`select phone, is_capable from rcs_capabilities`).map(
      ({ phone, isCapable }) => [phone, isCapable]
    )
  )

const phonesFrom = (start: number, count: number) =>
  Array.from({ length: count }, (_, index) => `+336120${String(start + index).padStart(5, '0')}`)

test('a list is unknown until its phones were checked, and again when contacts are added', async (t) => {
  const { service, check } = await startChecking(t)
  const { operator } = service
  const empty = await newList(operator)
  const id = await newList(operator, ['+33639980001', '+33639980007'])
  assert.deepEqual([await statusOf(operator, empty), await statusOf(operator, id)], ['unknown', 'unknown'])
  await check()
  assert.deepEqual([await statusOf(operator, empty), await statusOf(operator, id)], ['ready', 'ready'])
  assert.deepEqual(
    await known(service),
    new Map([
      ['+33639980001', true],
      ['+33639980007', false]
    ])
  )

  await add(operator, id, ['+33639980001'])
  assert.equal(await statusOf(operator, id), 'ready', 'it had that one')
  await add(operator, id, ['+33639980002'])
  assert.equal(await statusOf(operator, id), 'unknown')
  await check()
  assert.equal(await statusOf(operator, id), 'ready')
  assert.equal((await known(service)).get('+33639980002'), true)
})

test('the reach of a list counts its own contacts only', async (t) => {
  const { service, check } = await startChecking(t)
  const { operator } = service
  const reachOf = async (id: number) => (await operator.expect(200).get(`/contactlists/${id}/rcs`)).body
  const id = await newList(operator, ['+33639980001', '+33639980002', '+33639980007'])
  assert.deepEqual(await reachOf(id), { contacts_count: 3, known: 0, reachable: 0 })
  await newList(operator, ['+33639980003'])
  await check()
  assert.deepEqual(await reachOf(id), { contacts_count: 3, known: 3, reachable: 2 })
  // The answer of a second carrier is about the same phone, and not one more phone.
  await service.pool`insert into rcs_capabilities (carrier, phone, is_capable) values ('other', '+33639980007', true)`
  assert.deepEqual(await reachOf(id), { contacts_count: 3, known: 3, reachable: 3 })
  await add(operator, id, ['+33639980004'])
  assert.deepEqual(await reachOf(id), { contacts_count: 4, known: 3, reachable: 3 })
  assert.deepEqual(await reachOf(await newList(operator)), { contacts_count: 0, known: 0, reachable: 0 })
  await (await service.newAccount()).expect(404).get(`/contactlists/${id}/rcs`)
  await operator.expect(404).get('/contactlists/999999/rcs')
})

test('a changed number is checked, a removed or unchanged number is not', async (t) => {
  const { service, check } = await startChecking(t)
  const { operator } = service
  const id = await newList(operator, ['+33639980001', '+33639980002'])
  await check()
  const { body } = await operator.expect(200).get(`/contactlists/${id}/contacts`)
  const [newest, oldest] = body.items
  await operator.expect(200).delete(`/contacts/${newest.id}`)
  await operator.expect(200).put(`/contacts/${oldest.id}`, { tel: oldest.tel, champ_ville: 'Lyon' })
  assert.equal(await statusOf(operator, id), 'ready')
  await operator.expect(200).put(`/contacts/${oldest.id}`, { tel: '+33639980003' })
  assert.equal(await statusOf(operator, id), 'unknown')
  await check()
  assert.equal(await statusOf(operator, id), 'ready')
  assert.ok((await known(service)).has('+33639980003'))
})

test('a long list is asked about some at a time, and others have their turn in between', async (t) => {
  const { service, rbm, parts, check } = await startChecking(t)
  const { operator } = service
  const long = await newList(operator, phonesFrom(0, 25_000))
  const short = await newList(operator, ['+33639980001'])
  await service.pool`update contact_lists set rcs_due_at = now() - interval '1 minute' where id = ${long}`
  await service.pool`update contact_lists set rcs_due_at = now() where id = ${short}`
  await checkLists(parts)
  assert.deepEqual([await statusOf(operator, long), await statusOf(operator, short)], ['checking', 'unknown'])
  await checkLists(parts)
  assert.deepEqual([await statusOf(operator, long), await statusOf(operator, short)], ['checking', 'ready'])
  await check()
  assert.equal(await statusOf(operator, long), 'ready')
  assert.equal((await known(service)).size, 25_001)
  const { batchChecks } = rbm.stats
  assert.ok(batchChecks <= 4, `${batchChecks} questions`)

  await add(operator, long, ['+33639980002'])
  await check()
  assert.equal(rbm.stats.batchChecks, batchChecks, 'only the new one is asked about')
})

test('a contact that is added during the check of a list is not missed, and the list is not ready before', async (t) => {
  const { service, parts, check } = await startChecking(t)
  const { operator, pool } = service
  const id = await newList(operator, ['+33639980001'])
  await pool`update contact_lists set rcs_due_at = now()`
  // A contact is added in the middle of the check.
  const slow: ListChecking = {
    ...parts,
    findCarrier(name) {
      const carrier = parts.findCarrier(name)
      assert(carrier?.findCapable)
      const { findCapable } = carrier
      return {
        async findCapable(phones) {
          const found = await findCapable.call(carrier, phones)
          await add(operator, id, ['+33639980002'])
          return found
        }
      }
    }
  }
  await checkLists(slow)
  assert.equal(await statusOf(operator, id), 'unknown')
  await check()
  assert.equal(await statusOf(operator, id), 'ready')
  assert.ok((await known(service)).has('+33639980002'))
})

test('a contact of a transaction that began before the check and ends after it is not missed', async (t) => {
  const { service, check } = await startChecking(t)
  const { operator, pool } = service
  const id = await newList(operator, ['+33639980001'])
  const list = { accountId: operator.id, id }
  await pool.begin(async (database) => {
    const contacts = [{ phone: '+33639980002' }]
    const { added, firstId } = await upsertContacts(database, { accountId: operator.id, listId: id, contacts })
    // Meanwhile others are added, whose ids are larger, and all that can be seen is checked.
    await add(operator, id, ['+33639980003'])
    await check()
    assert.equal(await statusOf(operator, id), 'ready')
    await updateAfterAdding(database, list, { count: added, firstId })
  })
  assert.equal(await statusOf(operator, id), 'unknown')
  await check()
  assert.equal(await statusOf(operator, id), 'ready')
  assert.deepEqual([...(await known(service)).keys()].sort(), ['+33639980001', '+33639980002', '+33639980003'])
})

test('a check that its process did not end is taken up by another when its lease is over, not before', async (t) => {
  const { service, parts } = await startChecking(t)
  const { operator, pool } = service
  const id = await newList(operator, phonesFrom(0, 10))
  await pool`update contact_lists set rcs_due_at = now()`
  const token = '11111111-1111-4111-8111-111111111111'
  const claimed = await claimList(pool, { token, leaseSeconds: 0 })
  assert.ok(claimed)
  await extendClaim(pool, claimed, 60)
  assert.equal(await statusOf(operator, id), 'checking')
  assert.deepEqual(await checkLists(parts), { isMoreDue: false })
  await pool`update contact_lists set rcs_due_at = now()`
  await Promise.all([checkLists(parts), checkLists(parts)])
  assert.equal(await statusOf(operator, id), 'ready')
  // A worker whose lease ran out keeps nothing.
  await extendClaim(pool, claimed, 60)
  const [row] = await pool<[{ isLater: boolean }]>`select rcs_due_at > now() as is_later from contact_lists`
  assert.equal(row.isLater, false)
})

test('when the platform can’t be asked a list goes on being checked, later and later', async (t) => {
  const { service, rbm, parts, check } = await startChecking(t)
  const { operator, pool } = service
  const id = await newList(operator, ['+33639980001'])
  const delays: number[] = []
  rbm.apply('refuse checks with 503')
  for (let times = 0; times < 3; times++) {
    await check()
    assert.equal(await statusOf(operator, id), 'checking')
    const [row] = await pool<[{ seconds: number }]>`
      select extract(epoch from rcs_due_at - now())::double precision as seconds
      from contact_lists
      where id = ${id}
    `
    delays.push(Math.round(row.seconds / 10) * 10)
  }
  assert.deepEqual(delays, [30, 60, 120])
  // Also when no carrier is up at all.
  await pool`update contact_lists set rcs_due_at = now(), rcs_tries = 1000`
  assert.deepEqual(await checkLists({ ...parts, findCarrier: () => undefined }), { isMoreDue: true })
  assert.equal(await statusOf(operator, id), 'checking')
})

test('without a route for RCS lists stay unknown; numbers that no route leads to are not asked about', async (t) => {
  const routes = [{ channel: 'rcs' as const, prefix: '33', carriers: ['rcs'] }]
  const { service, check, parts } = await startChecking(t, { routes })
  const { operator } = service
  const id = await newList(operator, ['+33639980001', '+32470123456'])
  const none = { ...parts, routing: new RoutingTable({ carriers: [], routes: [] }) }
  await service.pool`update contact_lists set rcs_due_at = now()`
  assert.deepEqual(await checkLists(none), { isMoreDue: false })
  assert.equal(await statusOf(operator, id), 'unknown')
  await check()
  assert.equal(await statusOf(operator, id), 'ready')
  assert.deepEqual([...(await known(service)).keys()], ['+33639980001'])
})

test('adding, changing, erasing and checking at once never deadlock, and the list ends ready', async (t) => {
  const { service, parts, check } = await startChecking(t)
  const { operator, logLines } = service
  const id = await newList(operator, ['+33639980001', '+33639980002'])
  for (let round = 0; round < 10; round++) {
    const { body } = await operator.expect(200).get(`/contactlists/${id}/contacts`)
    await service.pool`update contact_lists set rcs_due_at = now() where rcs_leased_by is null`
    const number = (last: number) => `+336399800${20 + ((round + last) % 9)}`
    await Promise.all([
      checkLists(parts),
      checkLists(parts),
      add(operator, id, ['+33639980001', '+33639980002', number(0)]),
      ...body.items.map((contact: { id: number }, index: number) =>
        operator.put(`/contacts/${contact.id}`, { tel: number(index + 1) })
      ),
      operator.expect(200).delete('/contacts/by-number/0639980001'),
      operator.expect(200).delete('/contacts/by-number/0639980002')
    ])
  }
  await check()
  assert.equal(await statusOf(operator, id), 'ready')
  assert.ok(!logLines.some((line) => line.includes('40P01')))
  const unknown = await service.pool`
    select phone
    from contacts
    where phone not in (select phone from rcs_capabilities)
  `
  assert.deepEqual([...unknown], [])
})

test('a list that is deleted is not asked about', async (t) => {
  const { service, parts } = await startChecking(t)
  const id = await newList(service.operator, ['+33639980001'])
  await service.operator.expect(200).delete(`/contactlists/${id}`)
  await service.pool`update contact_lists set rcs_due_at = now()`
  assert.deepEqual(await checkLists(parts), { isMoreDue: false })
})

import { strict as assert } from 'node:assert'
import { eventually } from '../checks/eventually.ts'
import { assertInvariants } from '../checks/invariants.ts'
import { mobiles, send, untilReady, untilSummary } from '../messages/sending.ts'
import { carriersFile, carrierTo, startSmsc } from '../peers/smsc.ts'
import { Lookout, startNode, startWay } from '../processes/nodes.ts'
import { startService, type TestService, test } from '../service/service.ts'

const PER_SECOND = 50
/** What may leave in one go after a pause, and what each of three nodes may have been granted and not used: limits.ts, throughput.ts. */
const BURST = Math.floor(PER_SECOND * 0.05) + 3 * Math.floor(PER_SECOND / 5)

test('three nodes hold each bind once, also when one is killed and one stopped, and together keep to the throughput', async (t) => {
  const smsc = await startSmsc(t)
  const capped = await startSmsc(t)
  const lookout = new Lookout(t, smsc)
  const cappedLookout = new Lookout(t, capped)
  const routes = [
    { prefix: '337', carriers: ['capped'] },
    { prefix: '', carriers: ['main'] }
  ]
  // Each file allows one bind of the second carrier more than the last: so each node gets one.
  const files = await Promise.all(
    [1, 2, 3].map((sessions) =>
      carriersFile(
        t,
        [
          carrierTo(smsc, { sessions: 2 }),
          carrierTo(capped, { name: 'capped', sessions, throughput: PER_SECOND, window: 20 })
        ],
        routes
      )
    )
  )
  const service = await startService(t, { settings: { CHAPPE_CARRIERS: files[0]?.path ?? '' } })
  const account = await service.newAccount({ credits: 2_000 })
  const nodes = []
  for (const [index, { path }] of files.entries()) {
    nodes.push(await startNode(t, service, { carriersPath: path }))
    await eventually(() => assert.equal(capped.sessionCount, index + 1), { withinMs: 20_000 })
  }
  await eventually(() => assert.equal(smsc.sessionCount, 2))
  const id = await send(account, { recipients: mobiles(300, '+337600') })
  await untilSummary(account, id, { delivered: 300 }, { withinMs: 30_000 })
  const beyond = cappedLookout.mostBeyond(PER_SECOND)
  t.diagnostic(`at most ${beyond.toFixed(1)} more than ${PER_SECOND} a second allow, ${BURST} may be`)
  assert.ok(beyond <= BURST)

  assert.deepEqual(await heldSlots(service, 'main'), [1, 2])
  const [first, second] = nodes
  first?.signal('SIGKILL')
  assert.deepEqual(await second?.stop(), { code: 0, signal: null })
  await eventually(
    async () => {
      // What is not renewed any more ends now, and not in some seconds.
      await service.pool`
        update carrier_binds set leased_until = '-infinity' where leased_until < now() + interval '5 seconds'
      `
      assert.equal(smsc.sessionCount, 2)
      assert.deepEqual(await heldSlots(service, 'main'), [1, 2])
    },
    { withinMs: 20_000, everyMs: 100 }
  )
  const later = await send(account, { recipients: mobiles(50) })
  await untilSummary(account, later, { delivered: 50 })
  assert.deepEqual([lookout.sessionsMax, cappedLookout.sessionsMax], [2, 3])
  await assertInvariants(service, { smscs: [smsc, capped], accounts: [account] })
})

async function heldSlots({ pool }: TestService, carrier: string): Promise<number[]> {
  const rows = await pool<{ slot: number }[]>`
    select slot
    from carrier_binds
    where carrier = ${carrier} and leased_until >= now() and status ->> 'state' = 'bound'
    order by slot
  `
  return rows.map(({ slot }) => slot)
}

test('a node that can’t reach the carrier leaves the bind to one that can, and takes it up when that one is gone', async (t) => {
  const smsc = await startSmsc(t)
  const lookout = new Lookout(t, smsc)
  const [broken, whole] = [await startWay(t, smsc), await startWay(t, smsc)]
  const fileTo = ({ port }: { port: number }) => carriersFile(t, [carrierTo({ host: '127.0.0.1', port })])
  const [brokenFile, wholeFile] = [await fileTo(broken), await fileTo(whole)]
  broken.cut()
  const settings = (path: string) => ({ settings: { CHAPPE_ROLES: 'all', CHAPPE_CARRIERS: path } })
  const service = await startService(t, settings(brokenFile.path))
  const seen = async () => (await service.operator.expect(200).get('/carriers')).body[0].binds[0]
  // It holds the bind, and everybody can see why it does not work.
  await eventually(async () => assert.match((await seen())?.last_error?.message ?? '', /ECONNRESET|closed/))
  const other = await service.startPeer(t, settings(wholeFile.path))
  await untilReady(other)
  await eventually(async () => assert.equal((await seen())?.state, 'bound'))
  const id = await send(service.operator, { recipients: mobiles(20) })
  await untilSummary(service.operator, id, { delivered: 20 })

  // The other way round: the first is well again, and the second loses its way.
  broken.mend()
  whole.cut()
  await eventually(() => assert.equal(smsc.stats.binds, 2), { withinMs: 20_000 })
  const later = await send(service.operator, { recipients: mobiles(20, '+336130') })
  await untilSummary(service.operator, later, { delivered: 20 })
  assert.equal(lookout.sessionsMax, 1)
  await assertInvariants(service, { smscs: [smsc] })
})

test('a process that comes later gets its share of the binds while messages leave, and none is lost or in doubt', async (t) => {
  const smsc = await startSmsc(t)
  const lookout = new Lookout(t, smsc)
  const { path } = await carriersFile(t, [carrierTo(smsc, { sessions: 4, throughput: 100 })])
  const settings = { settings: { CHAPPE_ROLES: 'all', CHAPPE_CARRIERS: path } }
  const service = await startService(t, settings)
  const account = await service.newAccount({ credits: 2_000 })
  await eventually(() => assert.equal(smsc.sessionCount, 4))
  const id = await send(account, { recipients: mobiles(1_000) })
  await service.startPeer(t, settings)
  await eventually(async () => assert.deepEqual(await heldByEach(service), [2, 2]), { withinMs: 30_000 })
  await untilSummary(account, id, { delivered: 1_000 }, { withinMs: 60_000 })
  assert.equal(lookout.sessionsMax, 4)
  const doubts = await service.pool`select from timeline_steps where step = 'in_doubt'`
  assert.equal(doubts.count, 0)
  await assertInvariants(service, { smscs: [smsc], accounts: [account] })
})

/** The number of binds that each process holds, the fewest first. */
async function heldByEach({ pool }: TestService): Promise<number[]> {
  const rows = await pool<{ binds: number }[]>`
    select count(*)::integer as binds
    from carrier_binds
    where leased_until >= now() and status ->> 'state' = 'bound'
    group by owner
    order by binds
  `
  return rows.map(({ binds }) => binds)
}

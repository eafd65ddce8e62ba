import { strict as assert } from 'node:assert'
import { setTimeout as sleep } from 'node:timers/promises'
import { isDistributed } from '../../src/database/shape.ts'
import { eventually } from '../checks/eventually.ts'
import { asSuperuserOf, type Cluster, type ClusterNode, distributeFresh, startCluster } from '../database/cluster.ts'
import { killServer, signalServer } from '../database/server-processes.ts'
import { assertAllArrived, startUnderLoad } from '../messages/steady-sends.ts'
import { newDataFolder } from '../processes/process.ts'
import { atEnd } from '../service/cleanup.ts'
import { test } from '../service/service.ts'

test('the coordinator and a worker are killed between the two phases of commits: nothing is lost, and nothing is half', async (t) => {
  const binFolder = process.env.CHAPPE_TEST_CITUS_BIN
  assert.ok(binFolder, 'run by npm run test:citus')
  const cluster = await startCluster(await newDataFolder(t), { binFolder })
  const { coordinator, workers } = cluster
  const nodes = [coordinator, ...workers]
  atEnd(t, () => Promise.all(nodes.map(({ folder }) => killServer(folder))))
  await distributeFresh(cluster)
  const load = await startUnderLoad(t, coordinator.url)
  assert.ok(isDistributed())

  // Twice each: of what is prepared, the coordinator has committed some and not the rest.
  for (const role of ['coordinator', 'worker', 'coordinator', 'worker']) {
    const preparing = await freezeBetweenPhases(cluster)
    const killed = role === 'coordinator' ? coordinator : preparing
    await killServer(killed.folder)
    await signalServer(coordinator.folder, 'SIGCONT')
    await killed.ensureRunning()
    await load.sends.untilMore(10)
  }
  await eventually(async () => assert.equal(await countPrepared(nodes), 0), { withinMs: 60_000 })
  await assertAllArrived(t, load)
})

/** Stops the coordinator in a moment in which a worker has a transaction that is prepared and not decided. Returns the worker. */
async function freezeBetweenPhases({ coordinator, workers }: Cluster): Promise<ClusterNode> {
  const deadline = Date.now() + 60_000
  while (Date.now() < deadline) {
    await signalServer(coordinator.folder, 'SIGSTOP')
    for (const worker of workers) if ((await countPrepared([worker])) > 0) return worker
    await signalServer(coordinator.folder, 'SIGCONT')
    await sleep(Math.random() * 20)
  }
  assert.fail('no transaction was prepared')
}

async function countPrepared(nodes: readonly ClusterNode[]): Promise<number> {
  let count = 0
  for (const { url } of nodes) {
    await asSuperuserOf(url.socketFolder, 'postgres', async (sql) => {
      const rows = await sql`select gid from pg_prepared_xacts`
      count += rows.length
    })
  }
  return count
}

import { chmod, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { openConnection } from '../../src/database/connection.ts'
import { connect, SOCKET_PORT, type Sql, socketServer } from '../../src/database/database.ts'
import { type EmbeddedServer, type OtherPostgres, startEmbeddedServer } from '../../src/database/embedded-server.ts'
import { migrate } from '../../src/database/migrate.ts'
import { createSql } from '../../src/database/sql.ts'
import { distribute } from '../../src/distribute.ts'

/*
 * A Citus cluster: a coordinator and workers, which reach each other by their sockets. Its binaries are those of a PostgreSQL that
 * has Citus, and come from outside of the project.
 */

export interface ClusterNode extends EmbeddedServer {
  folder: string
}

export interface Cluster {
  coordinator: ClusterNode
  workers: ClusterNode[]
  stop(): Promise<void>
}

/** What Citus needs. */
const NODE_SETTINGS = {
  shared_preload_libraries: 'citus',
  max_connections: '300',
  max_prepared_transactions: '300',
  wal_level: 'logical',
  'citus.enable_statistics_collection': 'off',
  // A transaction whose coordinator died is decided after this time.
  'citus.recover_2pc_interval': '1s'
}

/** What a node needs to survive a kill is in the memory of the system; only a power cut would need the disk. */
const THROWAWAY_SETTINGS = { fsync: 'off', full_page_writes: 'off', shared_buffers: '64MB', max_wal_size: '256MB' }

export async function startCluster(
  folder: string,
  {
    binFolder,
    workers: count = 2,
    settings = THROWAWAY_SETTINGS
  }: { binFolder: string; workers?: number; settings?: Record<string, string> }
): Promise<Cluster> {
  await mkdir(folder, { recursive: true })
  // PostgreSQL's own user passes through it.
  await chmod(folder, 0o711)
  const start = async (name: string): Promise<ClusterNode> => {
    const server = await startEmbeddedServer(join(folder, name), {
      serverSettings: { ...NODE_SETTINGS, ...settings },
      other: postgresIn(binFolder)
    })
    const { socketFolder } = server.url
    await asSuperuserOf(socketFolder, 'postgres', async (sql) => {
      // To split or move a shard, a node connects to itself.
      await sql.unsafe(`alter system set citus.local_hostname = '${socketFolder}'`)
      await sql`select pg_reload_conf()`
    })
    return { ...server, folder: join(folder, name) }
  }
  const [coordinator, ...workers] = await Promise.all([
    start('coordinator'),
    ...Array.from({ length: count }, (_, index) => start(`worker-${index + 1}`))
  ])
  return {
    coordinator,
    workers,
    async stop() {
      await Promise.all([coordinator, ...workers].map((node) => node.stop()))
    }
  }
}

/** Another PostgreSQL than the one of npm. Since version 15 all have this locale, and letters beyond ASCII are letters in it. */
export function postgresIn(binFolder: string): OtherPostgres {
  return { binFolder, locale: ['--locale=C.UTF-8'] }
}

/** Makes the database of a new cluster, and distributes its tables. */
export async function distributeFresh(
  { coordinator, workers }: Cluster,
  { shards }: { shards?: number } = {}
): Promise<void> {
  await joinNodes(
    [coordinator, ...workers].map(({ url }) => url.socketFolder),
    coordinator.url.database
  )
  const database = connect({ url: coordinator.url, applicationName: 'moving', connectionsMax: 2 })
  await migrate(database)
  await distribute(database, { ...(shards !== undefined && { shards }), onProgress: () => undefined })
  await database.close(1)
}

/** Makes the databases of one name, one on each node, one database. The first folder is the coordinator's. */
export async function joinNodes(socketFolders: readonly string[], database: string): Promise<void> {
  const [coordinator = '', ...workers] = socketFolders
  for (const folder of socketFolders) await asSuperuserOf(folder, database, (sql) => sql`create extension citus`)
  await asSuperuserOf(coordinator, database, async (sql) => {
    await sql`select citus_set_coordinator_host(${coordinator}, ${SOCKET_PORT})`
    for (const folder of workers) await sql`select citus_add_node(${folder}, ${SOCKET_PORT})`
  })
}

/** How many parts the rows of recipients are split into. */
export async function countShards(sql: Sql): Promise<number> {
  const [row] = await sql<[{ shards: number }]>`
    select count(*) as shards from pg_dist_shard where logicalrelid = 'recipients'::regclass
  `
  return row.shards
}

/** Ends all connections to a database, and lets nobody open another. */
export async function closeDatabase(sql: Sql, database: string): Promise<void> {
  await sql.unsafe(`alter database ${database} allow_connections false`)
  await sql`select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = ${database}`
}

/** A busy machine may let a server wait for longer than the service would. */
const BUSY_CONNECT_MS = 60_000

export async function asSuperuserOf(
  socketFolder: string,
  database: string,
  work: (sql: Sql) => Promise<unknown>
): Promise<void> {
  const server = socketServer({ socketFolder, user: 'postgres', database })
  const connection = await openConnection(server, { connectTimeoutMs: BUSY_CONNECT_MS })
  try {
    await work(createSql(connection))
  } finally {
    await connection.close(1_000)
  }
}

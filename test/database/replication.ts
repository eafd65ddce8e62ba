import { strict as assert } from 'node:assert'
import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { promisify } from 'node:util'
import { openConnection } from '../../src/database/connection.ts'
import { SOCKET_PORT, type Sql, socketServer } from '../../src/database/database.ts'
import { type EmbeddedServer, startEmbeddedServer } from '../../src/database/embedded-server.ts'
import { createSql } from '../../src/database/sql.ts'
import { eventually } from '../checks/eventually.ts'
import { type Address, startAddress } from '../peers/address.ts'
import { newDataFolder } from '../processes/process.ts'
import { atEnd } from '../service/cleanup.ts'
import { killServer } from './server-processes.ts'

/*
 * A primary and a standby with streaming replication. Unless a test says otherwise it is synchronous: what the primary
 * calls committed, the standby has.
 */

/** One of the two. */
export interface Node {
  /** Where the service reaches it. */
  address: Address
  socketPath: string
  /** As the superuser, past the address. */
  sql: Sql
  /** SIGKILL, to the server and to every process of it. */
  kill(): Promise<void>
  /** Starts it again, as what it was, unless other settings are given. */
  restart(settings?: Record<string, string>): Promise<void>
}

export interface Replication {
  primary: Node
  standby: Node
  /** Makes the standby a primary. */
  promote(): Promise<void>
  /** A URL that names both. */
  url: string
}

const NAME = 'second'
const SETTINGS = {
  wal_level: 'replica',
  hot_standby: 'on',
  shared_buffers: '32MB',
  // What SIGKILL leaves is in the memory of the system; only a power cut would need the disk.
  fsync: 'off',
  max_connections: '150'
}

interface Options {
  isSynchronous?: boolean
  /** Settings of the standby. */
  standbySettings?: Record<string, string>
}

export async function startReplication(
  t: TestContext,
  { isSynchronous = true, standbySettings = {} }: Options = {}
): Promise<Replication> {
  const [first, second] = [await newDataFolder(t), await newDataFolder(t)]
  // A base backup of the simplest kind: the files of a server that was stopped cleanly.
  const empty = await startEmbeddedServer(first, { serverSettings: SETTINGS })
  await empty.stop()
  const from = join(first, 'postgres')
  await promisify(execFile)('cp', ['-a', from, join(second, 'postgres')])
  await writeFile(join(second, 'postgres', 'standby.signal'), '')

  // Whatever becomes a primary acknowledges nothing alone. The standby, once promoted, has nobody to wait for.
  const waitFor = isSynchronous ? NAME : ''
  const primary = await startNode(t, first, { ...SETTINGS, synchronous_standby_names: waitFor })
  const standby = await startNode(t, second, {
    ...SETTINGS,
    ...standbySettings,
    primary_conninfo: `host=${join(primary.socketPath, '..')} port=${SOCKET_PORT} user=postgres application_name=${NAME}`
  })
  const replication = {
    primary,
    standby,
    url: `postgres://chappe@127.0.0.1:${primary.address.port},127.0.0.1:${standby.address.port}/chappe`,
    async promote() {
      await standby.sql`select pg_promote()`
    }
  }
  if (isSynchronous) await untilSynchronous(replication)
  return replication
}

/** Waits until the standby has everything, and the primary waits for it. */
export async function untilSynchronous({ primary }: Replication): Promise<void> {
  await eventually(
    async () => {
      const [row] = await primary.sql`select sync_state from pg_stat_replication where state = 'streaming'`
      assert.equal(row?.syncState, 'sync')
    },
    { withinMs: 30_000 }
  )
}

async function startNode(t: TestContext, folder: string, serverSettings: Record<string, string>): Promise<Node> {
  const server = await startEmbeddedServer(folder, { serverSettings })
  const socketPath = join(server.url.socketFolder, `.s.PGSQL.${SOCKET_PORT}`)
  // Before its folder is removed, which was asked for earlier and so comes later.
  atEnd(t, () => killServer(folder))
  return {
    address: await startAddress(t, { path: socketPath }),
    socketPath,
    sql: superuser(server),
    kill: () => killServer(folder),
    async restart(settings = {}) {
      await startEmbeddedServer(folder, { serverSettings: { ...serverSettings, ...settings } })
    }
  }
}

/** A connection for each statement: the server may have been killed since the last, or made a primary. */
function superuser({ url }: EmbeddedServer): Sql {
  return createSql({
    async run(statement) {
      const connection = await openConnection(socketServer({ ...url, user: 'postgres' }))
      return connection.run(statement).finally(() => connection.close(0))
    },
    copyFrom: () => assert.fail('nothing is copied here')
  })
}

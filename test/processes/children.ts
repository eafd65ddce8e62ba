import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { SOCKET_PORT } from '../../src/database/database.ts'
import { startProxy } from '../peers/proxy.ts'
import { OPERATOR, type TestService } from '../service/service.ts'
import { newDataFolder, startProcess } from './process.ts'

/** The whole service as a process of its own, on the database of the one that runs here: one that can be killed. */
export async function startChild(t: TestContext, service: TestService, carriersPath: string) {
  const child = startProcess(t, {
    DATABASE_URL: await tcpUrlOf(t, service),
    CHAPPE_DATA: await newDataFolder(t),
    CHAPPE_CARRIERS: carriersPath,
    CHAPPE_ADMIN_EMAIL: OPERATOR.email,
    CHAPPE_ADMIN_PASSWORD: OPERATOR.password
  })
  return {
    ...child,
    url: await child.url,
    async kill() {
      child.child.kill('SIGKILL')
      await child.exit
    }
  }
}

/** The database of a service, as a DATABASE_URL names it. */
export async function tcpUrlOf(t: TestContext, { databaseUrl }: TestService): Promise<string> {
  const { socketFolder, user, database } = databaseUrl
  const port = await startProxy(t, join(socketFolder, `.s.PGSQL.${SOCKET_PORT}`))
  return `postgres://${user}@127.0.0.1:${port}/${database}`
}

/** Those who died lose what they held now, and not in a minute. */
export async function endLeases({ pool }: TestService): Promise<void> {
  await pool`update batches set leased_until = now() where leased_until > now()`
  await pool`update carrier_binds set leased_until = '-infinity'`
  await pool`update rcs_waits set due_at = now() where due_at > now() + interval '10 seconds'`
}

/** A small generator, so that a seed says everything. */
export function randomFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

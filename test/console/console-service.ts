import { createServer } from 'node:net'
import type { TestContext } from 'node:test'
import { atEnd } from '../service/cleanup.ts'
import { startService as start, type TestService, test } from '../service/service.ts'

/*
 * The service, for tests of the console. All tests of a process find it at the same address, one after the other: the browser
 * keeps the files of the console by their address (tabs.ts).
 */

/** Below the ports that the system hands out by itself, on Linux and elsewhere. */
const FIRST_PORT = 20_000
const PORTS = 10_000

let port: number | undefined
let isTaken = false

export async function startService(
  t: TestContext,
  { settings, ...others }: Parameters<typeof start>[1] = {}
): Promise<TestService> {
  return start(t, { ...others, settings: { PORT: String(await takePort(t)), ...settings } })
}

async function takePort(t: TestContext): Promise<number> {
  // A second service of a test.
  if (isTaken) return 0
  port ??= await findPort()
  isTaken = true
  // Called before the service starts, so it is free when that has stopped.
  atEnd(t, () => {
    isTaken = false
  })
  return port
}

/** Processes that run at the same time have different numbers, and so begin to look at different ports. */
async function findPort(): Promise<number> {
  for (let place = process.pid; place < process.pid + PORTS; place++) {
    const candidate = FIRST_PORT + (place % PORTS)
    if (await isFree(candidate)) return candidate
  }
  throw new Error('No port is free.')
}

async function isFree(candidate: number): Promise<boolean> {
  const server = createServer()
  const { promise, resolve } = Promise.withResolvers<boolean>()
  server.once('error', () => resolve(false))
  server.listen(candidate, '127.0.0.1', () => server.close(() => resolve(true)))
  return promise
}

export { test }

import { strict as assert } from 'node:assert'
import { readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect, SOCKET_PORT } from '../../src/database/database.ts'
import { eventually } from '../checks/eventually.ts'
import {
  ADMIN,
  isAlive,
  postmasterPid,
  type ServiceProcess,
  startProcess,
  usedDataFolder
} from '../processes/process.ts'
import { startStranger, startZombie } from '../processes/strangers.ts'
import { atEnd } from '../service/cleanup.ts'

const CTRL_C = '\x03'
const IN_TERMINAL = [
  process.execPath,
  '--experimental-ffi',
  '--disable-warning=ExperimentalWarning',
  join(import.meta.dirname, '../processes/terminal.ts')
]

test('npm start stops whole, its database too, when the signal comes to the group and npm passes it on', async (t) => {
  const folder = await usedDataFolder(t)
  const npm = startProcess(t, { CHAPPE_DATA: folder }, ['npm', 'start'], { ownGroup: true })
  await npm.url
  process.kill(-(npm.child.pid ?? 0), 'SIGTERM')
  await assertStoppedWhole(npm, folder)
  await t.test('and so it does on Ctrl-C in a terminal, which sends SIGINT to the group', async (t) => {
    const terminal = startProcess(t, { CHAPPE_DATA: folder }, [...IN_TERMINAL, 'npm', 'start'], { stdin: 'pipe' })
    await terminal.url
    terminal.child.stdin?.write(CTRL_C)
    await assertStoppedWhole(terminal, folder)
  })
})

test('a signal that comes again after some seconds cuts running work off, and ends the database all the same', async (t) => {
  const folder = await usedDataFolder(t)
  const service = startProcess(t, { CHAPPE_DATA: folder })
  const url = await service.url
  await holdCredits(t, folder)
  // A request that can't end, so that the stop waits for it.
  const headers = { 'x-api-key': ADMIN.CHAPPE_ADMIN_API_KEY }
  const request = fetch(`${url}/users/credits`, { headers }).catch((error: unknown) => error)
  await eventually(async () => {
    const metrics = await (await fetch(`${url}/metrics`)).text()
    assert.match(metrics, /chappe_http_requests_in_progress [1-9]/)
  })

  const startedAt = performance.now()
  while (service.child.exitCode === null && service.child.signalCode === null) {
    service.child.kill('SIGTERM')
    await Promise.race([service.exit, sleep(500)])
  }
  assert.deepEqual(await service.exit, { code: 1, signal: null })
  assert.ok(performance.now() - startedAt >= 5_000, 'a repeat within seconds is the same signal')
  assert.match(service.output(), /second stop signal: running work is cut off/)
  assert.doesNotMatch(service.output(), /stopping took longer/)
  assert.equal(await postmasterPid(folder), undefined)
  await request
})

test('after everything was killed, lock files whose number another process or a zombie has do not stand in the way', async (t) => {
  const folder = await usedDataFolder(t)
  let service = startProcess(t, { CHAPPE_DATA: folder })
  await service.url
  // PostgreSQL minds only the processes of its own user.
  const { uid, gid } = await stat(join(folder, 'postgres'))
  const user = process.getuid?.() === 0 ? { uid, gid } : {}
  for (const makeStranger of [startStranger, startZombie]) {
    const pid = await postmasterPid(folder)
    assert.ok(pid)
    service.child.kill('SIGKILL')
    await service.exit
    process.kill(pid, 'SIGKILL')
    await eventually(() => assert.ok(!isAlive(pid)))

    const stranger = await makeStranger(t, user)
    for (const path of ['postgres/postmaster.pid', `socket/.s.PGSQL.${SOCKET_PORT}.lock`]) {
      const lines = (await readFile(join(folder, path), 'utf8')).split('\n')
      assert.equal(Number(lines[0]), pid)
      await writeFile(join(folder, path), [String(stranger), ...lines.slice(1)].join('\n'))
    }
    service = startProcess(t, { CHAPPE_DATA: folder })
    await service.url
    assert.ok(isAlive(stranger), 'the other process is left alone')
  }
  service.child.kill('SIGTERM')
  assert.equal((await service.exit).code, 0)
})

async function assertStoppedWhole(service: ServiceProcess, folder: string): Promise<void> {
  // The code is npm's own, and differs between its versions. The service says by itself how it ended.
  await service.exit
  assert.match(service.output(), /"msg":"stopped"/)
  assert.equal(await postmasterPid(folder), undefined)
}

/** Keeps whoever reads balances waiting. */
async function holdCredits(t: TestContext, folder: string): Promise<void> {
  const pool = connect({
    url: { socketFolder: join(folder, 'socket'), user: 'chappe', database: 'chappe' },
    applicationName: 'holding credits',
    connectionsMax: 1
  })
  const { promise: isHeld, resolve } = Promise.withResolvers<void>()
  // It ends with the server.
  const held = pool
    .begin(async (pool) => {
      await pool`lock table credit_balances in access exclusive mode`
      resolve()
      await pool`select pg_sleep(60)`
    })
    .catch(() => undefined)
  atEnd(t, async () => {
    await pool.close(1)
    await held
  })
  await isHeld
}

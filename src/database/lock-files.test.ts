import { strict as assert } from 'node:assert'
import { mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { eventually } from '../../test/checks/eventually.ts'
import { startStranger, startZombie } from '../../test/processes/strangers.ts'
import { atEnd } from '../../test/service/cleanup.ts'
import { askPs, isPostmasterAlive, postmasterPid, readPs, removeStaleLocks } from './lock-files.ts'

/** The server that all tests share. */
const socketFolder = process.env.CHAPPE_TEST_SOCKET_FOLDER ?? ''
const dataFolder = join(dirname(socketFolder), 'postgres')

test('the lock files of a running server stay, also when its folder is named by another path', async (t) => {
  const folder = await newFolder(t)
  await symlink(dataFolder, join(folder, 'other-path'))
  const before = await readFile(join(dataFolder, 'postmaster.pid'), 'utf8')
  for (const path of [dataFolder, join(folder, 'other-path')]) {
    await removeStaleLocks({ dataFolder: path, socketFolder })
    assert.equal(await isPostmasterAlive(path), true)
  }
  assert.equal(await readFile(join(dataFolder, 'postmaster.pid'), 'utf8'), before)
  assert.ok((await readdir(socketFolder)).includes('.s.PGSQL.5432.lock'))
})

test('lock files that name a stranger, a zombie or the server of another folder are removed', async (t) => {
  const server = await postmasterPid(dataFolder)
  assert.ok(server)
  for (const pid of [await startStranger(t), await startZombie(t), server]) {
    const folder = await newFolder(t)
    await writeLocks(folder, pid)
    assert.equal(await isPostmasterAlive(folder), false)
    await removeStaleLocks({ dataFolder: folder, socketFolder: folder })
    assert.deepEqual(await readdir(folder), [])
  }
})

test('lock files whose number nobody has are left to PostgreSQL, which looks for backends that are left', async (t) => {
  const folder = await newFolder(t)
  await writeLocks(folder, 2 ** 30) // Above every pid_max.
  assert.equal(await isPostmasterAlive(folder), false)
  await removeStaleLocks({ dataFolder: folder, socketFolder: folder })
  assert.equal((await readdir(folder)).length, 2)
})

test('without /proc, ps tells a server and its folder from a stranger and a zombie', async (t) => {
  const server = { isRunning: true, isPostgres: true }
  const stranger = { isRunning: true, isPostgres: false, folders: [] }
  assert.deepEqual(readPs('Ss   /opt/native/bin/postgres -D /data/postgres -c port=5432\n'), {
    ...server,
    folders: ['/data/postgres']
  })
  assert.deepEqual(readPs('S    /Users/a b/bin/postgres -D /Users/a b/data -c port=5432\n'), {
    ...server,
    folders: ['/Users/a b/data']
  })
  assert.deepEqual(readPs('S+   cat\n'), stranger)
  for (const zombie of ['Z    [postgres] <defunct>\n', 'Z    (postgres)\n', 'Z+   <defunct>\n'])
    assert.equal(readPs(zombie)?.isRunning, false)
  assert.equal(readPs(''), undefined)

  const isThere = (await askPs(process.pid)) !== undefined
  t.diagnostic(isThere ? 'this machine’s own ps tells them too' : 'this machine has no ps: nothing is told of anybody')
  const own = await askPs((await postmasterPid(dataFolder)) ?? 0)
  assert.deepEqual(own, isThere ? { ...server, folders: [dataFolder] } : undefined)
  assert.deepEqual(await askPs(await startStranger(t)), isThere ? stranger : undefined)
  const zombie = await startZombie(t)
  if (isThere) await eventually(async () => assert.equal((await askPs(zombie))?.isRunning, false))
  assert.equal(await askPs(2 ** 30), undefined)
})

async function newFolder(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'chappe-locks-'))
  atEnd(t, () => rm(folder, { recursive: true, force: true }))
  return folder
}

async function writeLocks(folder: string, pid: number): Promise<void> {
  for (const name of ['postmaster.pid', '.s.PGSQL.5432.lock'])
    await writeFile(join(folder, name), `${pid}\n${folder}\n`)
}

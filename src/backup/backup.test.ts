import { strict as assert } from 'node:assert'
import { chmod, cp, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { eventually } from '../../test/checks/eventually.ts'
import { newDataFolder, usedDataFolder } from '../../test/processes/process.ts'
import { runScript, startScript } from '../../test/processes/scripts.ts'
import { test } from '../../test/service/service.ts'
import { connect, type Pool } from '../database/database.ts'
import { startEmbeddedServer } from '../database/embedded-server.ts'
import { backUp, restore } from './backup.ts'

const HOLD = { isHoldingScheduled: false }

/** A folder that PostgreSQL may pass, which runs as another user under root. */
async function newFolder(t: TestContext): Promise<string> {
  const folder = await newDataFolder(t)
  await chmod(folder, 0o711)
  return folder
}

/** Changes the database of a folder whose server is stopped. */
async function change(folder: string, work: (pool: Pool) => Promise<unknown>): Promise<void> {
  const server = await startEmbeddedServer(folder)
  const pool = connect({ url: server.url, applicationName: 'test', connectionsMax: 1 })
  await work(pool)
  await pool.close(1)
  await server.stop()
}

test('npm run backup and restore: a stopped service and its key come back, and mistakes are named by the exit code', async (t) => {
  const data = await usedDataFolder(t)
  const folder = await newFolder(t)
  const [backup, later] = [join(folder, 'backup'), join(folder, 'later')]
  // Something waits to leave.
  await change(data, async (pool) => {
    const [account] = await pool<[{ id: number }]>`select id from accounts`
    await pool`
      insert into mails (id, recipient, kind, language, facts, expires_at)
      values ('1', 'a@test.example', 'password-changed', 'en', '{"at": ""}', now() + interval '1 day')
    `
    await pool`insert into automations (account_id, id, name, schedule, is_once, contactlist, segment_ids, request, next_at)
      values (${account.id}, 1, 'Daily', '0 10 * * *', false, '{1}', '{}', '{}', now() - interval '1 hour')`
  })
  const elsewhere = { CHAPPE_DATA: data, DATABASE_URL: 'postgres://127.0.0.1:1/none' }
  for (const script of ['backup.ts', 'restore.ts']) {
    const refused = await runScript(script, elsewhere, backup)
    assert.deepEqual([refused.code, /for the embedded database/.test(refused.output)], [2, true])
  }
  assert.equal((await runScript('backup.ts', { CHAPPE_DATA: data })).code, 2, 'no folder is named')
  const taken = await runScript('backup.ts', { CHAPPE_DATA: data }, backup)
  assert.equal(taken.code, 0, taken.output)
  assert.match(taken.output, /\d+ rows, all read, and the ledger is right/)
  assert.deepEqual((await readdir(backup)).sort(), ['backup.json', 'postgres', 'token-key.json'])
  const again = await runScript('backup.ts', { CHAPPE_DATA: data }, backup)
  assert.deepEqual([again.code, /is there already/.test(again.output)], [1, true])

  for (const args of [[], [backup, '--all'], [backup, '--send', '--hold-scheduled']]) {
    const refused = await runScript('restore.ts', { CHAPPE_DATA: later }, ...args)
    assert.equal(refused.code, 2, refused.output)
  }
  const restored = await runScript('restore.ts', { CHAPPE_DATA: later }, backup)
  assert.equal(restored.code, 0, restored.output)
  assert.match(restored.output, /Later changes are lost\.\n.*\n {2}1 automations wait.*\n {2}1 mails are not sent\n/)
  assert.equal(
    await readFile(join(later, 'token-key.json'), 'utf8'),
    await readFile(join(data, 'token-key.json'), 'utf8')
  )
  assert.deepEqual((await readdir(later)).sort(), ['postgres', 'token-key.json'])
  const second = await runScript('restore.ts', { CHAPPE_DATA: later }, backup)
  assert.deepEqual([second.code, /has a database already/.test(second.output)], [1, true])

  const sending = join(folder, 'sending')
  assert.equal((await restore({ from: backup, dataFolder: sending, hold: false })).held, undefined)
  await change(sending, async (pool) => {
    const [row] = await pool`select (select count(*) from mails) as mails, (select last_value from message_ids) as last`
    assert.deepEqual(row, { mails: 1, last: 1 }, 'with --send all is as it was')
    assert.equal((await pool`select from automations where next_at < now()`).length, 1)
  })
})

test('Ctrl-C ends a backup and a restore, and leaves neither a copy nor a server behind', async (t) => {
  const data = await usedDataFolder(t)
  const folder = await newFolder(t)
  const backup = join(folder, 'backup')
  await backUp({ dataFolder: data, to: backup })
  const ends: [script: string, settings: Record<string, string>, args: string[], place: string, left: string[]][] = [
    ['backup.ts', { CHAPPE_DATA: data }, [join(folder, 'second')], folder, ['backup']],
    ['restore.ts', { CHAPPE_DATA: join(folder, 'later') }, [backup], join(folder, 'later'), []]
  ]
  for (const [script, settings, args, place, left] of ends) {
    const { child, ended } = startScript(script, settings, ...args)
    // A server runs on the copy.
    const pid = await eventually(async () => {
      const draft = (await readdir(place)).find((name) => /draft-|restore-/.test(name))
      const file = join(place, draft ?? '', 'postgres/postmaster.pid')
      const written = /^(\d+)\n/.exec(await readFile(file, 'utf8'))
      assert.ok(written)
      return Number(written[1])
    })
    child.kill('SIGINT')
    child.kill('SIGINT') // Through npm it comes twice.
    const { code, output } = await ended
    assert.deepEqual([code, output], [1, 'Ended by SIGINT: nothing is kept.\n'])
    assert.throws(() => process.kill(pid, 0), { code: 'ESRCH' })
    assert.deepEqual(await readdir(place), left)
  }
})

test('a backup that is damaged, has a wrong ledger or is of another version is refused, and no database is made', async (t) => {
  const data = await usedDataFolder(t)
  const folder = await newFolder(t)
  const [backup, later] = [join(folder, 'backup'), join(folder, 'later')]
  const refuse = async (from: string, reason: RegExp) => {
    await assert.rejects(restore({ from, dataFolder: later, hold: HOLD }), reason)
    assert.deepEqual(await readdir(later).catch(() => []), [])
  }
  await refuse(data, /is no backup/)
  const { rows } = await backUp({ dataFolder: data, to: backup })
  await change(backup, (pool) => pool`delete from id_ranges where kind = 'events'`)
  await refuse(backup, new RegExp(`damaged: id_ranges has \\d+ rows, and had ${rows.id_ranges}`))

  await change(data, (pool) => pool`update credit_balances set available = available + 1`)
  const wrong = join(folder, 'wrong')
  await assert.rejects(backUp({ dataFolder: data, to: wrong }), /The ledger of the copy is wrong/)
  assert.deepEqual((await readdir(folder)).sort(), ['backup', 'later'], 'no draft is left behind')
  await cp(join(backup, 'backup.json'), join(data, 'backup.json'))
  await refuse(data, /The ledger of the copy is wrong/)

  await writeFile(join(backup, 'backup.json'), JSON.stringify({ format: 2, takenAt: '', rows: {} }))
  await refuse(backup, /of another version/)
})

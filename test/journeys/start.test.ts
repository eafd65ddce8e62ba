import { strict as assert } from 'node:assert'
import { once } from 'node:events'
import { chmod, mkdir, readdir, stat, writeFile } from 'node:fs/promises'
import { type AddressInfo, connect as connectSocket, createServer } from 'node:net'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { pino } from 'pino'
import { connect } from '../../src/database/database.ts'
import { MIGRATION_LOCK } from '../../src/database/migrate.ts'
import { prepareDatabase } from '../../src/database/prepare-database.ts'
import { CannotStart } from '../../src/errors.ts'
import { eventually } from '../checks/eventually.ts'
import { assertLedgerHolds } from '../checks/ledger.ts'
import { createPasswordDatabase } from '../database/databases.ts'
import { startProxy } from '../peers/proxy.ts'
import { ADMIN, isAlive, newDataFolder, postmasterPid, startProcess, usedDataFolder } from '../processes/process.ts'
import { runScript } from '../processes/scripts.ts'
import { atEnd } from '../service/cleanup.ts'

/** A busy machine may answer 503, which says: ask again. */
async function credits(url: string, key = ADMIN.CHAPPE_ADMIN_API_KEY): Promise<number | undefined> {
  const answer = await eventually(async () => {
    const answer = await fetch(`${url}/users/credits`, { headers: { 'x-api-key': key } })
    assert.equal(answer.status, 200, await answer.clone().text())
    return answer
  })
  const [sms] = (await answer.json()) as { credits: number }[]
  return sms?.credits
}

test('the first start makes everything and prints how to log in; the next one, by npm, keeps it and prints no secret', async (t) => {
  const folder = await newDataFolder(t)
  const first = startProcess(t, { CHAPPE_DATA: folder })
  const url = await first.url
  const shown = (name: string) => new RegExp(`${name} +(\\S+)`).exec(first.output())?.[1] ?? ''
  assert.match(first.output(), new RegExp(`${url}/docs`))
  assert.match(first.output(), new RegExp(`${url}/app`))
  const [email, password, appId, apiKey] = ['Email', 'Password', 'X-APP-ID', 'X-API-KEY'].map(shown)
  assert.equal(email, 'admin@chappe.local')
  const login = await fetch(`${url}/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email, password })
  })
  assert.equal(login.status, 200)
  const pair = { 'x-app-id': appId ?? '', 'x-api-key': apiKey ?? '' }
  assert.equal((await fetch(`${url}/users/me`, { headers: pair })).status, 200)
  assert.equal(await credits(url, apiKey), 10_000)
  assert.equal((await fetch(`${url}/health/ready`)).status, 200)
  const modes = { 'token-key.json': 0o600, socket: 0o700, postgres: 0o700 }
  for (const [name, mode] of Object.entries(modes)) {
    assert.equal((await stat(join(folder, name))).mode & 0o777, mode, `${name} is readable by its owner alone`)
  }

  const pid = await postmasterPid(folder)
  first.child.kill('SIGINT')
  assert.deepEqual(await first.exit, { code: 0, signal: null })
  assert.ok(pid)
  // Its process may be seen for a moment more, until whoever adopted it takes note.
  await eventually(() => assert.ok(!isAlive(pid), 'the embedded server stops with it'))

  const second = startProcess(t, { CHAPPE_DATA: folder }, ['npm', 'start'])
  assert.equal(await credits(await second.url, apiKey), 10_000)
  assert.match(second.output(), /Log in +with the email and password that the first start showed/)
  assert.doesNotMatch(second.output(), /key_|Password/)
  second.child.kill('SIGTERM')
  assert.deepEqual(await second.exit, { code: 0, signal: null }, 'the signal reaches the service through npm')
  assert.equal(await postmasterPid(folder), undefined)
})

test('one process has a data folder: another says so, waits while it stops, or takes over what kill -9 left running', async (t) => {
  const folder = await usedDataFolder(t)
  const first = startProcess(t, { CHAPPE_DATA: folder })
  const url = await first.url
  const refused = startProcess(t, { CHAPPE_DATA: folder, CHAPPE_ADMIN_EMAIL: 'other@chappe.local' })
  assert.equal((await refused.exit).code, 1)
  assert.match(refused.output(), new RegExp(`Another Chappe \\(process ${first.child.pid}\\) is running on the folder`))
  assert.equal(await credits(url), 10_000)
  assert.equal(first.child.exitCode, null)

  const pid = await postmasterPid(folder)
  first.child.kill('SIGKILL')
  await first.exit
  assert.ok(pid && isAlive(pid))
  const second = startProcess(t, { CHAPPE_DATA: folder })
  assert.equal(await credits(await second.url), 10_000)
  assert.equal(await postmasterPid(folder), pid)

  const third = startProcess(t, { CHAPPE_DATA: folder })
  await sleep(500)
  second.child.kill('SIGTERM')
  assert.deepEqual(await second.exit, { code: 0, signal: null })
  assert.equal(await credits(await third.url), 10_000)
  await eventually(() => assert.ok(!isAlive(pid)))
})

test('two first starts on one folder at once: one runs, the other says so', async (t) => {
  const folder = await newDataFolder(t)
  const both = [1, 2].map(() => startProcess(t, { CHAPPE_DATA: folder, ...ADMIN }))
  const results = await Promise.allSettled(both.map(({ url }) => url))
  const urls = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []))
  assert.equal(urls.length, 1, both.map(({ output }) => output()).join('\n---\n'))
  assert.equal(await credits(urls[0] ?? ''), 10_000)
  const loser = both[results.findIndex(({ status }) => status === 'rejected')]
  assert.match(loser?.output() ?? '', /Another Chappe/)
})

test('its database dies under writes, nobody reads its output, a client never finishes: it goes on, loses no credit and stops', async (t) => {
  const folder = await usedDataFolder(t)
  const idle = await runScript('check-ledger.ts', { CHAPPE_DATA: folder })
  assert.deepEqual([idle.code, /No database is running/.test(idle.output)], [2, true])
  const service = startProcess(t, { CHAPPE_DATA: folder })
  const url = await service.url
  const headers = { 'x-api-key': ADMIN.CHAPPE_ADMIN_API_KEY, 'content-type': 'application/json' }
  const body = JSON.stringify({ email: 'child@x.example', password: 'long enough' })
  const made = (await (await fetch(`${url}/subaccount`, { method: 'POST', headers, body })).json()) as {
    subaccount_id: number
  }
  let isOver = false
  let moved = 0
  const movers = Array.from({ length: 10 }, async (_, index) => {
    const path = `${url}/subaccount/${made.subaccount_id}/credits/${index % 2 ? 'add' : 'remove'}`
    while (!isOver) {
      const answer = await fetch(path, { method: 'PUT', headers, body: JSON.stringify({ credits: 1 }) })
      assert.ok([200, 402, 503].includes(answer.status), `answered ${answer.status}`)
      await answer.arrayBuffer()
      if (answer.status === 200) moved++
    }
  })
  for (let time = 0; time < 2; time++) {
    const before = moved
    await eventually(() => assert.ok(moved > before + 20), { withinMs: 60_000 })
    const pid = await postmasterPid(folder)
    assert.ok(pid)
    process.kill(pid, 'SIGQUIT')
    await eventually(async () => assert.notEqual(await postmasterPid(folder), pid), { withinMs: 60_000 })
  }
  const before = moved
  await eventually(() => assert.ok(moved > before + 20), { withinMs: 60_000 })
  isOver = true
  await Promise.all(movers)
  assert.equal(service.child.exitCode, null, service.output())
  assert.equal((await fetch(`${url}/health/ready`)).status, 200)
  const check = await runScript('check-ledger.ts', { CHAPPE_DATA: folder })
  assert.equal(check.code, 0, check.output)
  assert.ok((check.output.match(/✔/g) ?? []).length >= 16, check.output)

  service.child.stdout?.destroy()
  service.child.stderr?.destroy()
  for (let time = 0; time < 20; time++) assert.ok(await credits(url))
  const socket = connectSocket(Number(new URL(url).port), '127.0.0.1')
  socket.on('error', () => socket.destroy())
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n')
  await sleep(200)
  service.child.kill('SIGTERM')
  assert.deepEqual(await service.exit, { code: 0, signal: null })
  assert.equal(await postmasterPid(folder), undefined)
})

test('with DATABASE_URL it runs on a PostgreSQL over TCP with a password; two that start at once migrate and make the first account once', async (t) => {
  const { url: databaseUrl, pool } = await startPasswordServer(t)
  const settings = { DATABASE_URL: databaseUrl, ...ADMIN }
  await pool`select pg_advisory_lock(${MIGRATION_LOCK})`
  const cut = startProcess(t, { ...settings, CHAPPE_DATA: await newDataFolder(t) })
  await eventually(async () => {
    const waiting = await pool`
      select pg_terminate_backend(pid) from pg_stat_activity
      where wait_event = 'advisory' and usename = current_user
    `
    assert.equal(waiting.length, 1)
  })
  assert.equal((await cut.exit).code, 1)
  assert.match(cut.output(), /can't start\.\s+The database went away .+: terminating connection .+\. Start again/)
  await pool`select pg_advisory_unlock(${MIGRATION_LOCK})`

  const both = await Promise.all(
    [1, 2].map(async () => startProcess(t, { ...settings, CHAPPE_DATA: await newDataFolder(t) }))
  )
  for (const { url } of both) assert.equal(await credits(await url), 10_000)
  const made = both.filter(({ output }) => output().includes('Your first account is ready'))
  assert.equal(made.length, 1)
  assert.ok(
    !both.some(({ output }) => output().includes('server-password')),
    'the password of the database is not shown'
  )
  const [row] = await pool<[{ accounts: number; entries: number }]>`
    select (select count(*) from accounts) as accounts, (select count(*) from credit_entries) as entries
  `
  assert.deepEqual({ ...row }, { accounts: 1, entries: 2 })
  const [{ hash }] = await pool<[{ hash: string }]>`select password_hash as hash from people`
  assert.match(hash, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/, 'the cost that tests lower for themselves')
  await assertLedgerHolds(pool)
  for (const { child, exit } of both) {
    child.kill('SIGTERM')
    assert.equal((await exit).code, 0)
  }
  await pool`select 1`
})

test('a database that can’t be reached is said in a sentence', async (t) => {
  const settings = { DATABASE_URL: 'postgres://nobody:hush@127.0.0.1:1/none', CHAPPE_DATA: await newDataFolder(t) }
  const service = startProcess(t, settings)
  assert.equal((await service.exit).code, 1)
  assert.match(
    service.output(),
    /Chappe can't start\.\s+The database at 127\.0\.0\.1:1 can't be used: .+\. Start PostgreSQL there/
  )
  assert.ok(!service.output().includes('hush'))
})

test('a database that refuses the log-in, or that another role owns, is said with what to do', async (t) => {
  const { url } = await startPasswordServer(t)
  const { url: foreignUrl } = await startPasswordServer(t)
  const { username, password, pathname } = new URL(url)
  const databaseUrl = (change: { password?: string; pathname?: string }) =>
    Object.assign(new URL(url), { username, password, pathname, ...change }).href
  const mistakes: [url: string, sentence: RegExp][] = [
    [
      databaseUrl({ password: 'other' }),
      /password authentication failed.+\. Correct the user or the password in DATABASE_URL\.$/
    ],
    [databaseUrl({ password: '' }), /it asks for a password, and DATABASE_URL has none\.$/],
    [databaseUrl({ pathname: '/nothing' }), /database "nothing" does not exist\. Make this database/],
    [
      databaseUrl({ pathname: new URL(foreignUrl).pathname }),
      /must own the database.+permission denied for schema public\. Try `alter database/
    ]
  ]
  for (const [url, message] of mistakes) {
    const prepared = prepareDatabase({ url, applicationName: 'test', connectionsMax: 1 }, pino({ level: 'silent' }))
    await assert.rejects(prepared, (error) => error instanceof CannotStart && message.test(error.message), `${message}`)
  }
})

test('wrong settings are told all together and nothing is made', async (t) => {
  const folder = await newDataFolder(t)
  const service = startProcess(t, { PORT: 'x', CHAPPE_ROLES: 'cook', CHAPPE_DATA: join(folder, 'inside') })
  assert.equal((await service.exit).code, 1)
  assert.match(service.output(), /PORT must be a whole number[\s\S]*CHAPPE_ROLES must be/)
  await assert.rejects(stat(join(folder, 'inside')))
})

test('a mistake that ends a first start is said in a sentence, and the credentials wait for the start that succeeds', async (t) => {
  const holder = createServer().listen(0, '127.0.0.1')
  atEnd(t, () => holder.close())
  await once(holder, 'listening')
  const port = String((holder.address() as AddressInfo).port)
  // A path longer than the address of a socket may be.
  const outer = await newDataFolder(t)
  await chmod(outer, 0o755)
  const folder = join(outer, 'a-long-name-'.repeat(9), 'data')
  await mkdir(folder, { recursive: true })
  const carriers = join(outer, 'carriers.json')
  await writeFile(carriers, '{"carriers": []}')
  const mistakes: [settings: Record<string, string>, sentence: RegExp][] = [
    [{ PORT: port }, /Another program listens on 127\.0\.0\.1:\d+ already/],
    [{ CHAPPE_SMPP_PORT: port }, /SMPP can't listen on .*:\d+ \(EADDRINUSE\)\. Check CHAPPE_SMPP_PORT/],
    [{ CHAPPE_CARRIERS: carriers }, /can't start\.[\s\S]*carriers\.json/]
  ]
  for (const [settings, sentence] of mistakes) {
    const failed = startProcess(t, { CHAPPE_DATA: folder, ...settings })
    assert.equal((await failed.exit).code, 1)
    assert.match(failed.output(), sentence)
    assert.doesNotMatch(failed.output(), /X-API-KEY/)
    assert.equal(await postmasterPid(folder), undefined)
  }
  const good = startProcess(t, { CHAPPE_DATA: folder })
  const url = await good.url
  assert.equal(await credits(url, /X-API-KEY +(\S+)/.exec(good.output())?.[1]), 10_000)
  good.child.kill('SIGTERM')
  assert.equal((await good.exit).code, 0)
})

test('a data folder that can’t be made and a host that is not found are said in a sentence', async (t) => {
  const file = join(await newDataFolder(t), 'file')
  await writeFile(file, '')
  const noFolder = startProcess(t, { CHAPPE_DATA: join(file, 'data') })
  assert.equal((await noFolder.exit).code, 1)
  assert.match(noFolder.output(), /can't start\.\s+The folder \S+ can't be made \(ENOTDIR.*Choose another CHAPPE_DATA/)
  if (process.platform === 'linux') {
    const proc = startProcess(t, { CHAPPE_DATA: '/proc/no-folder/data' })
    assert.equal((await proc.exit).code, 1)
    assert.match(proc.output(), /can't start\.\s+The folder \/proc\/no-folder\/data can't be made \(ENOENT/)
    const system = startProcess(t, { CHAPPE_DATA: '/sys/kernel' })
    assert.equal((await system.exit).code, 1)
    assert.match(
      system.output(),
      /can't start\.\s+The data folder can't be used \((EPERM|EACCES|EROFS): .+\)\. .*CHAPPE_DATA/
    )
  }
  const folder = await usedDataFolder(t)
  await writeFile(join(folder, 'token-key.json'), '{"id"')
  const noKey = startProcess(t, { CHAPPE_DATA: folder })
  assert.equal((await noKey.exit).code, 1)
  assert.match(noKey.output(), /can't start\.\s+\S+token-key\.json holds no key\. Remove it/)
  const noHost = startProcess(t, { CHAPPE_DATA: await newDataFolder(t), HOST: 'not-a-host.invalid' })
  assert.equal((await noHost.exit).code, 1)
  assert.match(noHost.output(), /HTTP can't listen on not-a-host\.invalid:0 \(\w+\)\. Check HOST and PORT\./)
})

test('a SIGTERM during the start leaves nothing running', async (t) => {
  const folder = await newDataFolder(t)
  for (const delayMs of [0, 500, 1_100]) {
    const service = startProcess(t, { CHAPPE_DATA: folder, ...ADMIN })
    await sleep(400 + delayMs)
    service.child.kill('SIGTERM')
    const { code, signal } = await service.exit
    // Before our own code runs there is nobody to catch the signal, and nothing to stop.
    assert.ok(code === 0 || signal === 'SIGTERM', `${delayMs}: ended with ${code ?? signal}: ${service.output()}`)
    assert.equal(await postmasterPid(folder), undefined)
  }
  // A terminal signals all processes of the group, also the one that makes the cluster.
  const empty = await newDataFolder(t)
  const terminal = startProcess(t, { CHAPPE_DATA: empty, ...ADMIN }, undefined, { ownGroup: true })
  const isBeingMade = async () =>
    assert.ok((await readdir(empty, { recursive: true })).some((path) => path.endsWith('/base/1')))
  await eventually(isBeingMade, { withinMs: 60_000 })
  process.kill(-(terminal.child.pid ?? 0), 'SIGTERM')
  assert.deepEqual(await terminal.exit, { code: 0, signal: null })
  assert.doesNotMatch(terminal.output(), /can't start/)
  assert.deepEqual(
    (await readdir(folder)).filter((name) => name.includes('draft')),
    []
  )
})

test('as root, a folder that PostgreSQL’s user can’t enter is explained with what to do', async (t) => {
  const folder = await newDataFolder(t)
  await chmod(folder, 0o700)
  const service = startProcess(t, { CHAPPE_DATA: join(folder, 'inside'), ...ADMIN })
  if (process.getuid?.() !== 0) {
    assert.equal(await credits(await service.url), 10_000, 'not root: the folder is our own')
    return
  }
  assert.equal((await service.exit).code, 1)
  assert.match(service.output(), /that user can't reach .*inside\. Set CHAPPE_DATA to a folder it can reach/)
})

/** A database such as an operator has: over TCP, with a password, for a role that is no superuser. */
async function startPasswordServer(t: TestContext) {
  const database = await createPasswordDatabase()
  atEnd(t, () => database.drop())
  const port = await startProxy(t, database.socketPath)
  const url = `postgres://${database.user}:${database.password}@127.0.0.1:${port}/${database.name}`
  const pool = connect({ url, applicationName: 'test', connectionsMax: 1 })
  atEnd(t, () => pool.close(1))
  return { url, pool }
}

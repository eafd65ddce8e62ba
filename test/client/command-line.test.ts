import { strict as assert } from 'node:assert'
import { execFile } from 'node:child_process'
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { type AddressInfo, connect as connectSocket, createServer as createRelay, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { promisify } from 'node:util'
import type { Io } from '../../packages/client/src/cli/io.ts'
import { COMMANDS, main } from '../../packages/client/src/cli/main.ts'
import { verifyWebhook } from '../../packages/client/src/index.ts'
import { newSecret } from '../../src/webhooks/signature.ts'
import { eventually } from '../checks/eventually.ts'
import { tcpUrlOf } from '../processes/children.ts'
import { atEnd } from '../service/cleanup.ts'
import { startService } from '../service/service.ts'

interface Run {
  code: number
  out: string
  err: string
}

/** Runs commands in this process, each with a fresh output, without a terminal. */
async function shell(t: TestContext, env: Record<string, string> = {}) {
  const home = await mkdtemp(join(tmpdir(), 'chappe-cli-'))
  atEnd(t, () => rm(home, { recursive: true, force: true }))
  const controller = new AbortController()
  async function run(argv: string[], more: Partial<Io> & { input?: string } = {}): Promise<Run> {
    let [out, err] = ['', '']
    const code = await main(argv, {
      env: { HOME: home, ...env },
      out(text) {
        out += text
      },
      err(text) {
        err += text
      },
      ask: undefined,
      readInput: async () => more.input ?? '',
      isTerminal: false,
      signal: controller.signal,
      ...more
    })
    return { code, out, err }
  }
  return { home, run, stop: () => controller.abort() }
}

test('people and programs log in, send, look and cancel at the command line', async (t) => {
  const { url, operator } = await startService(t)
  const { home, run } = await shell(t, { CHAPPE_URL: url })

  // Nothing is asked without a terminal, and nothing is sent without credentials.
  assert.deepEqual(
    (await Promise.all([run(['login']), run(['login', '--email', operator.email]), run(['whoami'])])).map(
      ({ code }) => code
    ),
    [2, 2, 3]
  )
  const login = ['login', '--email', operator.email, '--password-stdin']
  assert.equal((await run(login, { input: 'wrong-password' })).code, 3)
  const loggedIn = await run(login, { input: `${operator.password}\n` })
  assert.deepEqual([loggedIn.code, loggedIn.err], [0, ''])
  const file = join(home, '.config/chappe/credentials.json')
  assert.equal((await stat(file)).mode & 0o777, 0o600)

  const asked: string[] = []
  const ask = async (question: string) => {
    asked.push(question)
    return question === 'Email: ' ? operator.email : operator.password
  }
  assert.equal((await run(['login'], { ask })).code, 0)
  assert.deepEqual(asked, ['Email: ', 'Password: '])

  const message = ['--to', '0639980013,0639980014', '--text', 'Bonjour !']
  const estimate = JSON.parse((await run(['dry-run', ...message, '--json'])).out)
  assert.equal(estimate.credits_required, 2)
  const sent = JSON.parse((await run(['send', ...message, '--json'])).out)
  assert.equal(sent.recipients_count, 2)

  const refused = await run(['send', '--to', '0639980013', '--text', '-', '--json'], { input: '\n' })
  assert.equal(refused.code, 1)
  const told = JSON.parse(refused.err)
  assert.deepEqual([told.code, told.details], ['invalid_input', [{ path: 'content', message: 'must not be empty' }]])
  assert.equal((await run(['send', '--text', 'x'])).code, 2)
  assert.equal((await run(['sned'])).code, 2)
  const unreachable = { CHAPPE_URL: 'http://127.0.0.1:1', CHAPPE_API_KEY: 'x', CHAPPE_RETRIES: '0' }
  assert.equal((await run(['messages'], { env: unreachable })).code, 4)

  const table = await run(['messages'])
  assert.match(table.out, /^ID +STATE +CHANNEL/)
  assert.match(table.out, new RegExp(`\\n${sent.message_id} +sending +sms +2`))
  const csv = await run(['recipients', String(sent.message_id), '--output', 'csv'])
  assert.match(csv.out, /^id,recipient,deliver,.*\r\n\d+,\+33639980013,0,/)
  const json = JSON.parse((await run(['recipients', String(sent.message_id), '--json', '--limit', '1'])).out)
  assert.equal(json.length, 1)
  const cancelled = await run(['cancel', String(sent.message_id)])
  assert.match(cancelled.out, /state +cancelled/)

  const people = join(home, 'people.csv')
  await writeFile(people, 'tel;champ_prenom\n0639980021;Léa\nnobody;Max\n')
  const imported = await run(['import', people, '--new-list', 'Clients'], { isTerminal: true })
  assert.match(imported.out, /added +1/)
  assert.match(imported.err, /\[#{30}\] 100 %\n/)
  assert.match(imported.err, /line 3: nobody/)

  assert.ok(Array.isArray(JSON.parse((await run(['carriers', '--json'])).out)))
  assert.match((await run(['queue'])).err, /no role delivery/)
  assert.equal((await run(['logout'])).code, 0)
  await assert.rejects(stat(file), { code: 'ENOENT' })
})

test('lists, files and templates are sent to, events come as they happen, and the ledger is checked', async (t) => {
  const settings = { CHAPPE_ROLES: 'api,delivery' }
  const service = await startService(t, { settings })
  const { url, newAccount, operator } = service
  const account = await newAccount({ credits: 100 })
  const { home, run, stop } = await shell(t, { CHAPPE_URL: url, CHAPPE_API_KEY: account.apiKey })
  const sent = async (...argv: string[]) => {
    const { code, out, err } = await run(['send', ...argv, '--json'], { isTerminal: true })
    assert.equal(code, 0, err)
    return { ...JSON.parse(out), err }
  }
  const people = join(home, 'people.csv')
  await writeFile(people, 'tel;champ_prenom\n0639980021;Léa\n0639980022;Max\n')
  const { contactlist_id } = JSON.parse((await run(['import', people, '--new-list', 'Clients', '--json'])).out)
  assert.equal((await run(['import', people])).code, 2)
  assert.equal((await run(['import', join(home, 'none.csv'), '--list', '1'])).code, 1)
  const { body: template } = await account
    .expect(200)
    .post('/models', { name: 'Hello', content: 'Bonjour #prenom# !', sender: 'Boutique' })
  const toList = await sent('--list', String(contactlist_id), '--template', String(template.id), '--marketing')
  assert.equal(toList.recipients_count, 2)
  const toFile = await sent('--file', people, '--text', 'Bonjour', '--external-id', 'one', '--sender', 'Boutique')
  assert.equal(toFile.recipients_count, 2)
  assert.match(toFile.err, /100 %/)
  const repeated = await run(['send', '--file', people, '--text', 'Bonjour', '--external-id', 'one', '--json'])
  assert.deepEqual([repeated.code, JSON.parse(repeated.err).code], [1, 'external_id_already_processed'])
  const csv = await run(['messages', '--output', 'csv', '--limit', '0', '--search', 'Bonjour'])
  assert.equal(csv.out.trimEnd().split('\r\n').length, 3)
  assert.equal((await run(['messages', '--output', 'xml'])).code, 2)
  assert.match((await run(['dry-run', '--to', 'nobody', '--text', 'x'])).err, /^chappe: .*\n {2}recipients /)

  // What happened before is left out, and what comes is printed, until the command is stopped.
  const lines: string[] = []
  let stops = 0
  const tail = run(['tail', '--types', 'stops'], {
    out(text) {
      lines.push(text)
    }
  })
  await eventually(async () => {
    // The command may not wait yet for the first ones.
    await account.expect(200).post('/stops', { recipient: `+3363998${1000 + stops++}` })
    assert.ok(lines.length > 0)
  })
  stop()
  assert.equal((await tail).code, 0)
  assert.match(lines[0] ?? '', / {2}stops {2}\{/)

  const operated = { CHAPPE_URL: url, CHAPPE_API_KEY: operator.apiKey, HOME: home }
  const signal = new AbortController().signal
  const queue = JSON.parse((await run(['queue', '--json'], { env: operated, signal })).out)
  assert.ok(queue.some(({ what }: { what: string }) => what === 'queue_batches'))
  assert.equal((await run(['carriers'], { env: { ...operated, CHAPPE_API_KEY: account.apiKey }, signal })).code, 1)
  const env = { PATH: process.env.PATH, HOME: home, DATABASE_URL: await tcpUrlOf(t, service) }
  const ledger = await run(['ledger', 'check', '--json'], { env, signal })
  assert.deepEqual([ledger.code, JSON.parse(ledger.out).ok], [0, true])
})

test('events are printed as they come, and posted to a local address, signed', async (t) => {
  const { url, operator } = await startService(t)
  const { run } = await shell(t, { CHAPPE_URL: url, CHAPPE_API_KEY: operator.apiKey })
  await operator.expect(200).get('/events')
  for (const last of [21, 22]) await operator.expect(200).post('/stops', { recipient: `+336399800${last}` })

  const chosen = ['--all', '--count', '2', '--types', 'stops', '--json']
  const printed = await run(['tail', ...chosen])
  const lines = printed.out
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  assert.deepEqual(
    lines.map(({ type, data }) => [type, data.recipient]),
    [
      ['stops', '+33639980021'],
      ['stops', '+33639980022']
    ]
  )

  const secret = newSecret()
  const received: string[] = []
  const receiver = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString()
    const event = await verifyWebhook({ secret, headers: request.headers, body })
    received.push(event.id)
    response.writeHead(received.length === 1 ? 200 : 500).end()
  })
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
  atEnd(t, () => new Promise<void>((resolve) => receiver.close(() => resolve())))
  const address = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`
  const posted = await run(['webhooks', 'listen', address, '--secret', secret, ...chosen])
  receiver.closeAllConnections()
  assert.deepEqual(
    posted.out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).status),
    [200, 500]
  )
  assert.deepEqual(
    received,
    lines.map(({ id }) => `evt_${id}`)
  )
})

test('a tail waits for a service that went away, and misses nothing', async (t) => {
  const { url, operator } = await startService(t)
  let isAway = false
  let refused = 0
  const sockets = new Set<Socket>()
  const relay = createRelay((socket) => {
    if (isAway) refused++
    const service = isAway ? socket.destroy() : connectSocket(Number(new URL(url).port), '127.0.0.1')
    for (const each of [socket, service]) sockets.add(each.on('error', () => each.destroy()))
    if (!isAway) socket.pipe(service).pipe(socket)
  })
  await new Promise<void>((resolve) => relay.listen(0, '127.0.0.1', resolve))
  atEnd(t, () => relay.close())
  const near = `http://127.0.0.1:${(relay.address() as AddressInfo).port}`
  const { run, stop } = await shell(t, { CHAPPE_URL: near, CHAPPE_API_KEY: operator.apiKey })
  const lines: string[] = []
  const tail = run(['tail', '--types', 'stops', '--all'], {
    out(text) {
      lines.push(text)
    }
  })
  const tell = (recipient: string) => operator.expect(200).post('/stops', { recipient })
  await operator.expect(200).get('/events')
  await tell('+33639980021')
  await eventually(() => assert.equal(lines.length, 1))
  isAway = true
  for (const socket of sockets) socket.destroy()
  await tell('+33639980022')
  // More often than a request is tried again.
  await eventually(() => assert.ok(refused > 5), { withinMs: 60_000 })
  isAway = false
  await eventually(() => assert.equal(lines.length, 2), { withinMs: 60_000 })
  stop()
  assert.equal((await tail).code, 0)
  for (const socket of sockets) socket.destroy()
})

test('a file may be a pipe and not a folder, and a result that can’t be written is an error', async (t) => {
  const { url, operator } = await startService(t)
  const home = await mkdtemp(join(tmpdir(), 'chappe-cli-'))
  atEnd(t, () => rm(home, { recursive: true, force: true }))
  const env = { PATH: process.env.PATH, HOME: home, CHAPPE_URL: url, CHAPPE_API_KEY: operator.apiKey }
  const chappe = `'${process.execPath}' '${join(import.meta.dirname, '../../packages/client/bin/chappe.ts')}'`
  const run = async (line: string): Promise<Run> => {
    const options = { env, cwd: home, timeout: 60_000 }
    return promisify(execFile)('bash', ['-c', line.replaceAll('chappe', () => chappe)], options).then(
      ({ stdout, stderr }) => ({ code: 0, out: stdout, err: stderr }),
      ({ code, stdout, stderr }) => ({ code, out: stdout, err: stderr })
    )
  }
  const piped = await run(`chappe dry-run --text Hello --file <(printf 'tel\\n0639980021\\n') --json`)
  assert.equal(JSON.parse(piped.out).recipients_count, 1, piped.err)
  for (const line of ['chappe dry-run --text Hello --file . --json', 'chappe import . --new-list Clients --json']) {
    const refused = await run(line)
    assert.deepEqual([refused.code, JSON.parse(refused.err).error], [2, '. is a folder; name a file'])
  }
  assert.deepEqual((await operator.expect(200).get('/contactlists')).body, [], 'no list was made for it')
  // It grows while it is uploaded. On a busy machine it may stand still just then.
  const growing = 'echo tel > a.csv; (while echo 0639980021 >> a.csv; do :; done) &'
  const upload =
    'for i in 1 2 3 4 5; do chappe dry-run --text Hello --file a.csv --json > /dev/null && continue; break; done'
  const grown = await run(`${growing} ${upload}; kill $!`)
  assert.equal(JSON.parse(grown.err).code, 'NotReadableError')

  const full = await run('chappe messages > /dev/full')
  assert.deepEqual([full.code, /^chappe: .* no space left/.test(full.err)], [1, true])
  const left = await run('chappe completion bash | true; test $PIPESTATUS = 0')
  assert.deepEqual([left.code, left.err], [0, ''], 'a reader that has left is no error')
  assert.equal((await run('chappe tail --count 1.5')).code, 2)
})

test('the program starts, helps, and completes its commands in a shell', async (t) => {
  const program = join(import.meta.dirname, '../../packages/client/bin/chappe.ts')
  const { stdout } = await promisify(execFile)(process.execPath, [program, 'help'])
  for (const name of Object.keys(COMMANDS)) assert.ok(stdout.includes(`  ${name} `), name)

  const { run } = await shell(t)
  const script = (await run(['completion', 'bash'])).out
  const typed = `COMP_WORDS=(chappe webhooks li); COMP_CWORD=2; _chappe; echo "\${COMPREPLY[@]}"`
  const completed = await promisify(execFile)('bash', ['-c', `${script}\n${typed}`])
  assert.equal(completed.stdout, 'listen\n')
  assert.match((await run(['completion', 'fish'])).out, /-a listen/)
  assert.equal(JSON.parse((await run(['completion', 'bash', '--json'])).out).script, script)
  assert.equal((await run(['completion', 'tcsh'])).code, 2)
  assert.match((await run(['send', '--help'])).out, /^chappe send /)
})

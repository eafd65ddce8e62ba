import { strict as assert } from 'node:assert'
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { promisify } from 'node:util'
import { ask } from '../../test/peers/callback-receiver.ts'
import { tcpUrlOf } from '../../test/processes/children.ts'
import { atEnd } from '../../test/service/cleanup.ts'
import { startService, test } from '../../test/service/service.ts'
import { readCarriersFile } from '../carriers/carriers-file.ts'
import { applyAccount, type Credentials, readPlan } from './apply-accounts.ts'
import type { Imported } from './imported.ts'
import { readJasmin } from './read-jasmin.ts'
import { readKannel } from './read-kannel.ts'
import { writeImported } from './write-imported.ts'

async function newFolder(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'chappe-import-'))
  atEnd(t, () => rm(folder, { recursive: true, force: true }))
  return folder
}

async function fileWith(folder: string, text: string | Buffer, name = 'given.conf'): Promise<string> {
  const path = join(folder, name)
  await writeFile(path, text)
  return path
}

/** The notes as `line what`. */
function notesOf({ notes }: Imported): string[] {
  return notes.map(({ line, what }) => `${line} ${what}`)
}

/** As Debian installs it, without its comments. */
const DEBIAN_EXAMPLE = `group = core
admin-port = 13000
admin-password = bar

group = smsbox
bearerbox-host = localhost
sendsms-port = 13013

group = sendsms-user
username = tester
password = foobar

group = sendsms-user
username = kannel
password = rL4y
user-deny-ip = "*.*.*.*"
user-allow-ip = "127.0.0.1;10.1.*.*"

# The default service
group = sms-service
keyword = default
text = "No service specified"
`

const KANNEL = `group = core
admin-port = 13000
admin-password = "very secret"
dlr-storage = internal
black-list = "http://lists.example/black"

include = more.conf

group = smsc
smsc = smpp
smsc-id = main
host = smsc.example
port = 2775
receive-port = 2775
smsc-username = "user one"
smsc-password = "pass\\"word"
system-type = VMA
interface-version = 34
source-addr-ton = 5
source-addr-npi = 0
max-pending-submits = 40
throughput = 12.5
enquire-link-interval = 45
alt-charset = "ISO-8859-1"
allowed-prefix = "33;0033;+44"
denied-smsc-id = "backup"

group = smsc
smsc = smpp
smsc-id = "back up"
host = 192.0.2.7
port = 2776
transceiver-mode = true
use-ssl = true
instances = 3
smsc-username = two
smsc-password = secret-two
denied-prefix = 337
preferred-prefix = 44

group = smsc
smsc = http
smsc-id = web
system-type = clickatell

group = smsc
smsc = at
modemtype = auto

group = smsc
smsc = smpp
smsc-id = broken
host = smsc.example
port = 99999
smsc-username = x
smsc-password = y

group = smsbox
bearerbox-host = localhost
global-sender = BOUTIQUE

group = sendsms-user
username = shop
password = 1234
name = "The shop"
default-sender = SHOP
forced-smsc = main
user-allow-ip = "192.0.2.*"

group = sms-service
keyword = info
get-url = "http://app.example/?t=%a"
`

test('a configuration of Kannel becomes carriers, routes and accounts, with a note for each other line', async (t) => {
  const folder = await newFolder(t)
  await fileWith(folder, 'group = sendsms-user\nusername = included\npassword = p\n', 'more.conf')
  const imported = readKannel(await fileWith(folder, KANNEL))
  assert.deepEqual(imported.carriers, [
    {
      name: 'main',
      type: 'smpp',
      host: 'smsc.example',
      port: 2775,
      systemId: 'user one',
      password: 'pass"word',
      systemType: 'VMA',
      window: 40,
      throughput: 13,
      enquireLink: 45,
      encoding: 'latin1',
      bind: 'transmitter+receiver',
      sender: 'BOUTIQUE'
    },
    {
      name: 'back_up',
      type: 'smpp',
      host: '192.0.2.7',
      port: 2776,
      tls: true,
      sessions: 3,
      systemId: 'two',
      password: 'secret-two',
      sender: 'BOUTIQUE'
    }
  ])
  assert.deepEqual(imported.routes, [
    { channel: 'sms', prefix: '33', carriers: ['main', 'back_up'] },
    { channel: 'sms', prefix: '337', carriers: ['main'] },
    { channel: 'sms', prefix: '44', carriers: ['back_up', 'main'] },
    { channel: 'sms', prefix: '', carriers: ['back_up'] }
  ])
  assert.deepEqual(
    imported.accounts.map(({ username, social_reason, addresses }) => [username, social_reason, addresses]),
    [
      ['included', 'included', []],
      ['shop', 'The shop', ['192.0.2.0/24']]
    ]
  )
  const notes = notesOf(imported)
  for (const note of [
    '1 group core',
    '4 dlr-storage',
    '5 black-list',
    '18 interface-version',
    '19 source-addr-ton',
    '20 source-addr-npi',
    '22 throughput',
    '26 denied-smsc-id',
    '30 smsc-id back up',
    '42 smsc of kind http',
    '47 smsc of kind at',
    '54 port',
    '50 smsc broken',
    '64 password of shop',
    '66 default-sender of shop',
    '67 forced-smsc of shop',
    '70 group sms-service with the keyword info',
    '3 password of included'
  ]) {
    assert.ok(notes.includes(note), `${note}\n${notes.join('\n')}`)
  }
  const { report, hasMistakes } = writeImported(imported, join(folder, 'out'))
  assert.equal(hasMistakes, false)
  for (const secret of ['very secret', 'pass"word', 'secret-two', '1234']) assert.ok(!report.includes(secret), secret)
  const { carriers, routes } = readCarriersFile(join(folder, 'out', 'carriers.json'))
  assert.deepEqual([carriers.length, routes.length], [2, 4], 'Chappe takes the written file')
  assert.throws(() => writeImported(imported, join(folder, 'out')), /exists already/)
})

test('a connection of Kannel with both lists takes what one list allows or the other does not deny', async (t) => {
  const folder = await newFolder(t)
  const smsc = (id: string, prefixes: string) => `group = smsc
smsc = smpp
smsc-id = ${id}
host = smsc.example
port = 2775
smsc-username = user
smsc-password = secret
${prefixes}
`
  // As smscconn_usable() of Kannel 1.4.5 decides.
  const routesOf = async (...smscs: string[]) => {
    const { routes } = readKannel(await fileWith(folder, smscs.join('\n')))
    return Object.fromEntries(routes.map(({ prefix, carriers }) => [prefix, carriers]))
  }
  const mobiles = smsc('mobiles', 'allowed-prefix = "336;337"\ndenied-prefix = 33')
  assert.deepEqual(await routesOf(mobiles), { 336: ['mobiles'], 337: ['mobiles'], '': ['mobiles'] })
  const france = smsc('france', 'allowed-prefix = 33\ndenied-prefix = "3370;44"')
  assert.deepEqual(await routesOf(mobiles, france), {
    33: ['france'],
    336: ['mobiles', 'france'],
    337: ['mobiles', 'france'],
    3370: ['mobiles', 'france'],
    44: ['mobiles'],
    '': ['mobiles', 'france']
  })
})

test('the configuration that Debian installs is read, and broken ones are refused with their line', async (t) => {
  const folder = await newFolder(t)
  const imported = readKannel(await fileWith(folder, DEBIAN_EXAMPLE))
  assert.deepEqual([imported.carriers, imported.routes], [[], []])
  assert.deepEqual(
    imported.accounts.map(({ username, email, addresses }) => [username, email, addresses]),
    [
      ['tester', 'tester@kannel.invalid', []],
      ['kannel', 'kannel@kannel.invalid', ['127.0.0.1/32', '10.1.0.0/16']]
    ]
  )
  assert.match(writeImported(imported, join(folder, 'debian')).report, /0 carriers, 0 routes, 2 accounts/)

  await mkdir(join(folder, 'loop'))
  await fileWith(folder, 'include = loop/a.conf\n', 'loop.conf')
  await fileWith(join(folder, 'loop'), 'include = "../loop.conf"\n', 'a.conf')
  const broken: [text: string | Buffer, sentence: RegExp][] = [
    ['group = core\nadmin-port 13000\n', /given\.conf, line 2: must be name = value/],
    ['group = core\nname = "open\n', /line 2: a quote is missing/],
    ['host = x\nport = 1\n', /line 1: this group has no line group/],
    ['group = core\nport = 1\n\nport = 2\n', /line 4: this group has no line group/],
    ['group = core\nport = 1\nport = 2\n', /line 3: port is written twice, first on line 2/],
    ['group = core\n\ninclude = nowhere.conf\n', /line 3: includes .*nowhere\.conf, which can't be read \(ENOENT\)/],
    ['include = loop.conf\n', /a\.conf, line 1: includes .*loop\.conf, which includes this file/],
    [Buffer.from([0, 1, 2]), /line 1: this is no text file/],
    ['\u0000', /no text file/],
    ['secret-password-line\n', /^Error: (?!.*secret)|line 1: must be name = value/]
  ]
  for (const [text, sentence] of broken) {
    const path = await fileWith(folder, text)
    assert.throws(() => readKannel(path), sentence)
  }
  assert.throws(() => readKannel(join(folder, 'nothing')), /can't be read \(ENOENT\)/)
})

const JCLI = `Authentication required.\r
\r
Username: jcliadmin\r
Welcome to Jasmin 0.11.0 console\r
jcli : smppccm -l\r
#Connector id                        Service Session          Starts Stops\r
#Demo                                started BOUND_TRX        1      0   \r
#forgotten                           stopped None             0      0   \r
Total connectors: 2\r
jcli : smppccm -s Demo\r
ripf 0\r
coding 0\r
submit_throughput 50\r
elink_interval 10\r
port 2775\r
password p4ss\r
src_addr None\r
res_to 60\r
username smppclient\r
host 192.0.2.9\r
systype \r
cid Demo\r
bind transmitter\r
dlr_msgid 1\r
\r
jcli : smppccm -s backup.1\r
cid backup.1\r
host 192.0.2.10\r
port 2775\r
username two\r
password two\r
bind transceiver\r
src_addr 36111\r
submit_throughput 0\r
jcli : user -l\r
#User id          Group id         Username         Balance MT SMS Throughput\r
#foo              1                foo              ND      ND     ND/ND\r
#!old             1                old              ND      ND     ND/ND\r
jcli : user -s foo\r
username foo\r
mt_messaging_cred defaultvalue src_addr SHOP\r
mt_messaging_cred quota balance 44.2\r
mt_messaging_cred quota sms_count 500\r
mt_messaging_cred quota http_throughput 8\r
mt_messaging_cred valuefilter dst_addr ^33\\d+\r
mt_messaging_cred authorization http_send True\r
mt_messaging_cred authorization http_balance False\r
mt_messaging_cred authorization http_rate False\r
uid foo\r
smpps_cred authorization ip 10.0.0.0/8\r
gid 1\r
jcli : mtrouter -l\r
#Order Type                    Rate    Connector ID(s)                     Filter(s)\r
#30    StaticMTRoute           1.20000 smppc(Demo)                         <DA (dst_addr=^33)>\r
#25    FailoverMTRoute         0 (!)   smppc(Demo), smppc(backup.1)        <DA (dst_addr=^\\+?44\\d+$)>\r
#20    StaticMTRoute           0 (!)   smppc(Demo)                         <U (uid=foo)>, <DA (dst_addr=^1)>\r
#10    RandomRoundrobinMTRoute 0 (!)   smppc(backup.1), smppc(gone)        <T>\r
#0     DefaultRoute            0 (!)   smppc(Demo)\r
jcli : morouter -l\r
#Order Type                    Connector ID(s)                                  Filter(s)\r
#0     DefaultRoute            http(app)\r
jcli : quit\r
`

test('a recorded session of jcli becomes carriers, routes and accounts', async (t) => {
  const folder = await newFolder(t)
  const imported = readJasmin(await fileWith(folder, JCLI, 'jcli.txt'))
  assert.deepEqual(imported.carriers, [
    {
      name: 'Demo',
      type: 'smpp',
      throughput: 50,
      enquireLink: 10,
      port: 2775,
      password: 'p4ss',
      answerTimeout: 60,
      systemId: 'smppclient',
      host: '192.0.2.9',
      systemType: '',
      bind: 'transceiver'
    },
    {
      name: 'backup_1',
      type: 'smpp',
      host: '192.0.2.10',
      port: 2775,
      systemId: 'two',
      password: 'two',
      bind: 'transceiver',
      sender: '36111',
      numbers: ['36111'],
      throughput: 0
    }
  ])
  assert.deepEqual(imported.routes, [
    { channel: 'sms', prefix: '33', carriers: ['Demo'] },
    { channel: 'sms', prefix: '44', carriers: ['Demo', 'backup_1'] },
    { channel: 'sms', prefix: '', carriers: ['backup_1'] }
  ])
  assert.deepEqual(imported.accounts, [
    {
      username: 'foo',
      email: 'foo@jasmin.invalid',
      social_reason: 'foo',
      scopes: ['send'],
      addresses: [],
      credits: 500
    }
  ])
  const notes = notesOf(imported)
  for (const note of [
    '8 smppccm forgotten',
    '23 bind of Demo',
    '24 dlr_msgid of Demo',
    '26 connector backup.1',
    '38 user old',
    '39 password of foo',
    '41 defaultvalue src_addr SHOP of foo',
    '42 quota balance 44.2 of foo',
    '44 quota http_throughput 8 of foo',
    '45 valuefilter dst_addr ^33\\d+ of foo',
    '50 authorization ip 10.0.0.0/8 of foo',
    '54 route 30 (StaticMTRoute)',
    '56 route 20 (StaticMTRoute)',
    '57 route 10 (RandomRoundrobinMTRoute)',
    '58 route 0 (DefaultRoute)',
    '59 morouter -l'
  ]) {
    assert.ok(notes.includes(note), `${note}\n${notes.join('\n')}`)
  }
  const { report, hasMistakes } = writeImported(imported, join(folder, 'out'))
  assert.deepEqual([hasMistakes, report.includes('p4ss')], [false, false], report)
  assert.equal(readCarriersFile(join(folder, 'out', 'carriers.json')).carriers.length, 2)

  for (const text of ['', 'hello\nworld\n', '\u0080\u0003cjasmin.routing']) {
    const path = await fileWith(folder, text, 'none.txt')
    assert.throws(() => readJasmin(path), /none\.txt, line 1: this is no recorded session of jcli/)
  }
  assert.throws(() => readJasmin(join(folder, 'nothing')), /line 1: this file can't be read \(ENOENT\)/)
})

test('the accounts of a plan are opened once, and their clients send through the door', async (t) => {
  const service = await startService(t, { settings: { CHAPPE_DOORS: 'kannel,jasmin' } })
  const plan = {
    username: 'foo',
    email: 'foo@kannel.invalid',
    social_reason: 'Foo',
    scopes: ['send', 'read'],
    addresses: ['127.0.0.0/8'],
    credits: 2
  }
  for (const [wrong, problem] of [
    ['{', 'is not valid JSON'],
    ['{"accounts": []}', 'accounts must'],
    [JSON.stringify({ accounts: [{ ...plan, email: 'none' }] }), 'accounts[0].email must'],
    [JSON.stringify({ accounts: [{ ...plan, addresses: ['home'] }] }), 'accounts[0].addresses[0] must be a network']
  ] as const) {
    const read = readPlan(wrong)
    assert.ok('problems' in read && read.problems[0]?.startsWith(problem), `${problem}: ${JSON.stringify(read)}`)
  }
  const read = readPlan(JSON.stringify({ accounts: [plan] }))
  assert.ok('accounts' in read && read.accounts[0])
  const kept: Credentials[] = []
  const apply = () =>
    applyAccount(service.pool, read.accounts[0] ?? assert.fail(), (credentials) => kept.push(credentials))
  const failing = applyAccount(service.pool, read.accounts[0], () => {
    throw new Error('the disk is full')
  })
  await assert.rejects(failing, /disk is full/)
  assert.equal((await apply()).kind, 'opened', 'what could not be kept was not opened')
  assert.deepEqual(await apply(), { kind: 'skipped', reason: 'An account with this email exists already.' })
  const [{ username, password } = assert.fail()] = kept
  const user = `username=${username}&password=${password}`
  const sendsms = await ask(`${service.url}/cgi-bin/sendsms?${user}&to=33639980013&text=a`)
  assert.deepEqual(sendsms, [202, '0: Accepted for delivery'])
  assert.deepEqual(await ask(`${service.url}/balance?${user}`), [200, '{"balance":1,"sms_count":"ND"}'])
  const [entry] = await service.pool`
    select operation from audit_entries where on_account_id = ${kept[0]?.account_id ?? 0} and operation = 'createAccount'
  `
  assert.ok(entry, 'the audit trail knows it')
})

test('the commands write files that only their owner reads, and say what is wrong', async (t) => {
  const folder = await newFolder(t)
  const path = await fileWith(folder, KANNEL.replace('include = more.conf\n', ''))
  const service = await startService(t, { settings: { CHAPPE_DOORS: 'kannel' } })
  const env = { ...process.env, DATABASE_URL: await tcpUrlOf(t, service) }
  const run = async (...given: string[]) => {
    const script = join(import.meta.dirname, '../../scripts/import.ts')
    return promisify(execFile)(process.execPath, [script, ...given], { cwd: folder, env }).catch(
      (error: { code: number; stderr: string; stdout: string }) => error
    )
  }
  const done = await run('kannel', path, '--out', 'out')
  assert.match(done.stdout, /Taken over: 2 carriers, 4 routes, 1 accounts/)
  assert.match(done.stdout, /line 18: source-addr-ton: Chappe chooses type and plan/)
  for (const name of ['carriers.json', 'accounts.json']) {
    assert.equal((await stat(join(folder, 'out', name))).mode & 0o777, 0o600)
  }
  const plan = await readFile(join(folder, 'out', 'accounts.json'), 'utf8')
  assert.ok(!plan.includes('1234'), 'no old password')
  assert.match((await run('jasmin')).stderr, /^Name one file, such as: npm run import:jasmin -- jcli.txt$/m)
  const refused = await run('jasmin', 'nothing.txt')
  assert.deepEqual(['code' in refused && refused.code, /ENOENT/.test(refused.stderr)], [2, true])

  // Its clients ask from this machine now.
  await writeFile(join(folder, 'out', 'accounts.json'), plan.replaceAll(/"addresses": \[[^\]]*\]/g, '"addresses": []'))
  const applied = join('out', 'accounts.json')
  const opened = await run('apply', applied)
  assert.match(opened.stdout, /^Opened: \S+, as account \d+\. It has no credits/)
  const file = join(folder, 'out', 'credentials.json')
  assert.equal((await stat(file)).mode & 0o777, 0o600)
  const credentials = await readFile(file, 'utf8')
  const again = await run('apply', applied)
  assert.deepEqual(['code' in again && again.code, /^Not opened: .+exists already/.test(again.stdout)], [1, true])
  assert.equal(await readFile(file, 'utf8'), credentials, 'the credentials of the first time stay')
  const [{ account_id: id, username, password }] = JSON.parse(credentials)
  await service.operator.expect(200).put(`/accounts/${id}/credits`, { credits: 1 })
  const sent = await ask(
    `${service.url}/cgi-bin/sendsms?username=${username}&password=${password}&to=33639980013&text=a`
  )
  assert.deepEqual(sent, [202, '0: Accepted for delivery'])
})

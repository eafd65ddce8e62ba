import { strict as assert } from 'node:assert'
import { generateKeyPairSync } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { listAllOperations } from '../scripts/all-operations.ts'
import { CARRIER_KINDS } from './carriers/kinds.ts'
import { Route } from './carriers/routes.ts'
import { TEST_CERTIFICATE, TEST_KEY } from './carriers/smpp/certificate.samples.ts'
import { ConfigMistakes, doubtsOf, OWN_PATHS, readConfig, Settings, unknownSettings } from './config.ts'
import { PICTURES_PATH } from './pictures/picture.ts'
import { listPatterns } from './schemas/pattern-words.ts'

test('without any setting the documented defaults apply', () => {
  const config = readConfig({})
  assert.equal(config.port, 3000)
  assert.equal(config.host, '127.0.0.1')
  assert.equal(config.databaseUrl, undefined)
  assert.match(config.dataFolder, /\/data$/)
  assert.deepEqual(config.firstAccount, {
    email: 'admin@chappe.local',
    password: undefined,
    appId: undefined,
    apiKey: undefined,
    openingCredits: 10000
  })
  assert.deepEqual([...config.roles], ['api', 'delivery', 'webhooks', 'smpp'])
  assert.equal(config.tokenTtlSeconds, 3600)
  assert.equal(config.webhookAllowPrivate, false)
  assert.equal(config.rcsFallbackSeconds, 300)
  assert.equal(config.retentionDays, 400)
  assert.equal(config.logLevel, 'info')
})

test('all mistakes are told together, a sentence each, and no secret is repeated', () => {
  const environment = {
    PORT: '70000',
    DATABASE_URL: 'mysql://user:hunter2@host/db',
    CHAPPE_ADMIN_PASSWORD: 'short',
    CHAPPE_ADMIN_API_KEY: 'clé-secrète',
    CHAPPE_ADMIN_EMAIL: 'nobody',
    CHAPPE_ROLES: 'api,cook',
    CHAPPE_CARRIERS: '/no/such/file.json',
    CHAPPE_CORS_ORIGINS: 'https://good.example, bad',
    CHAPPE_TRUSTED_PROXIES: '10.0.0.0/99',
    CHAPPE_PUBLIC_URL: 'ftp://x',
    CHAPPE_JWT_TTL: 'soon',
    CHAPPE_WEBHOOK_ALLOW_PRIVATE: 'maybe',
    CHAPPE_METRICS: 'shut',
    CHAPPE_LOG: 'loud'
  }
  try {
    readConfig(environment)
    assert.fail('these settings are wrong')
  } catch (error) {
    assert.ok(error instanceof ConfigMistakes)
    assert.deepEqual(error.mistakes.map((sentence) => sentence.split(' ')[0]).sort(), Object.keys(environment).sort())
    for (const sentence of error.mistakes) assert.match(sentence, /^[A-Z_]+ .*\.$/)
    assert.ok(!error.message.includes('hunter2') && !error.message.includes('"short"'))
    assert.match(error.message, /PORT must be at most 65535; it is 70000\./)
    assert.match(error.message, /CHAPPE_JWT_TTL must be a whole number; it is "soon"\./)
  }
})

test('a mistake names the thing in words, not in those of the system or of the schema', () => {
  const environment = { CHAPPE_CARRIERS: '/no/such/file.json', CHAPPE_OPERATOR_LOGO: '/', CHAPPE_DATABASE_GB: '-1' }
  assert.throws(
    () => readConfig(environment),
    (error) => {
      assert.ok(error instanceof ConfigMistakes)
      assert.deepEqual(error.mistakes.sort(), [
        `CHAPPE_CARRIERS names a file that can't be read: there is no such file; it is "/no/such/file.json".`,
        'CHAPPE_DATABASE_GB must be more than 0; it is -1.',
        `CHAPPE_OPERATOR_LOGO names a file that can't be read: it is no file; it is "/".`
      ])
      return true
    }
  )
})

test('short links may not live where something else is answered', () => {
  for (const path of ['messages', 'app/x', 'docs', 'a:b/*', 's p']) {
    assert.throws(
      () => readConfig({ CHAPPE_LINK_URL: `https://go.example/${path}` }),
      (error: Error) => error instanceof ConfigMistakes && /CHAPPE_LINK_URL must/.test(error.message)
    )
  }
  assert.equal(readConfig({ CHAPPE_LINK_URL: 'https://go.example/l' }).linkUrl, 'https://go.example/l')
  assert.equal(readConfig({ CHAPPE_LINK_URL: 'https://go.example' }).linkUrl, 'https://go.example')
})

test('the first part of every path that is served is closed to short links', () => {
  const parts = listAllOperations().map(({ path }) => path.split('/')[1] ?? '')
  assert.deepEqual(
    [...new Set([...parts, PICTURES_PATH.slice(1)])].filter((part) => !OWN_PATHS.has(part)),
    []
  )
})

test('an address of a database that the driver could not read is refused, without being shown', () => {
  for (const url of [
    'postgres://u:s3cret@127.0.0.1:99999/db',
    'postgres://u:s3%zzcret@h/db',
    'http://u:s3cret@h/db',
    'postgres://u:s3cret@one:5432,/db',
    'postgres://u:s3cret@one:5432,two:99999/db'
  ]) {
    assert.throws(
      () => readConfig({ DATABASE_URL: url }),
      (error: Error) =>
        error instanceof ConfigMistakes && !error.message.includes('s3') && /DATABASE_URL must be/.test(error.message)
    )
  }
})

test('CHAPPE_READ_URL names replicas, separated by spaces, and a wrong one is refused without being shown', () => {
  const urls = ['postgres://u:secret@one:5432,two:5433/db', 'postgres://u@three/db?sslmode=require']
  assert.deepEqual(readConfig({ CHAPPE_READ_URL: `  ${urls.join('   ')} ` }).readUrls, urls)
  const { readUrls, readLagSeconds } = readConfig({})
  assert.deepEqual([readUrls, readLagSeconds], [[], 10])
  for (const url of [`${urls[0]} three`, 'postgres://u:s3cret@one,,two/db', `postgres://${'@'.repeat(100_000)}`]) {
    assert.throws(
      () => readConfig({ CHAPPE_READ_URL: url }),
      (error: Error) => /^CHAPPE_READ_URL must be addresses/.test(error.message) && !error.message.includes('cret@')
    )
  }
  assert.throws(() => readConfig({ CHAPPE_READ_LAG_SECONDS: '1' }), /CHAPPE_READ_LAG_SECONDS/)
})

test('DATABASE_URL may name several hosts', () => {
  for (const url of [
    'postgres://u:secret@one:5432,two:5433/db',
    'postgresql://one,two/db?sslmode=require',
    'postgres://u@one/db'
  ]) {
    assert.equal(readConfig({ DATABASE_URL: url }).databaseUrl, url)
  }
})

test('an empty variable counts as not set', () => {
  assert.equal(readConfig({ PORT: '', DATABASE_URL: ' ', CHAPPE_ROLES: '' }).port, 3000)
})

test('lists, addresses and numbers are read as what they are', () => {
  const config = readConfig({
    PORT: '0',
    CHAPPE_ROLES: 'api, webhooks',
    CHAPPE_PUBLIC_URL: 'https://sms.example/',
    CHAPPE_CORS_ORIGINS: 'https://a.example,https://b.example',
    CHAPPE_TRUSTED_PROXIES: '10.0.0.0/8,::1',
    CHAPPE_WEBHOOK_ALLOW_PRIVATE: 'true'
  })
  assert.equal(config.port, 0)
  assert.deepEqual([...config.roles], ['api', 'webhooks'])
  assert.equal(config.publicUrl, 'https://sms.example')
  assert.deepEqual(config.corsOrigins, ['https://a.example', 'https://b.example'])
  assert.deepEqual(config.trustedProxies, ['10.0.0.0/8', '::1'])
  assert.equal(config.webhookAllowPrivate, true)
  assert.ok(Object.isFrozen(config))
})

test('a variable that only looks like a setting is pointed out', () => {
  assert.deepEqual(unknownSettings({ CHAPPE_DAAT: 'x', CHAPPE_DATA: 'y', HOME: 'z' }), ['CHAPPE_DAAT'])
})

test('settings that lead nowhere are pointed out: links without an address, an SMPP server without a port', () => {
  const doubtsAbout = (environment: NodeJS.ProcessEnv) =>
    doubtsOf(readConfig(environment)).map((text) => text.split(' ')[0])
  const carriers = { CHAPPE_CARRIERS: import.meta.filename }
  const mails = { CHAPPE_SMTP_URL: 'smtp://mail.example', CHAPPE_MAIL_FROM: 'no-reply@sms.example' }
  const ofLinks = { CHAPPE_LINK_URL: 'https://go.example' }
  const ofAll = { CHAPPE_PUBLIC_URL: 'https://sms.example' }
  assert.deepEqual(doubtsAbout({}), [])
  assert.deepEqual(doubtsAbout(carriers), ['CHAPPE_PUBLIC_URL'])
  assert.deepEqual(doubtsAbout({ ...carriers, ...ofLinks }), [])
  assert.deepEqual(doubtsAbout({ ...mails, ...ofLinks }), ['CHAPPE_PUBLIC_URL'])
  assert.deepEqual(doubtsAbout({ ...carriers, ...mails, ...ofAll }), [])
  assert.deepEqual(doubtsAbout({ ...carriers, HOST: '0.0.0.0' }), ['CHAPPE_PUBLIC_URL'])
  assert.deepEqual(doubtsAbout({ ...carriers, HOST: '192.0.2.7' }), [])
  assert.deepEqual(doubtsAbout({ CHAPPE_ROLES: 'smpp' }), ['CHAPPE_ROLES'])
  assert.deepEqual(doubtsAbout({ CHAPPE_ROLES: 'smpp', CHAPPE_SMPP_PORT: '2775' }), [])
  assert.deepEqual(doubtsAbout({ CHAPPE_ROLES: 'api,smpp' }), [])
})

test('every pattern of the settings and of the carriers file has words for a person, with an example', () => {
  const patterns = [Settings, ...CARRIER_KINDS.map(({ settings }) => settings), Route].flatMap(listPatterns)
  assert.ok(patterns.length >= 4)
  for (const { pattern, words } of patterns) assert.match(words ?? '', / such as \S/, pattern)
})

test('the settings of single sign-on go together, and groups are read with any name', () => {
  assert.equal(readConfig({}).signOn, undefined)
  const provider = {
    CHAPPE_OIDC_ISSUER: 'https://login.example.com/realms/corp',
    CHAPPE_OIDC_CLIENT_ID: 'chappe',
    CHAPPE_OIDC_CLIENT_SECRET: 'a secret of the client'
  }
  const groups = 'https://example.com/groups; sales=7:sender; cn=All Staff,dc=example=8:reader'
  assert.deepEqual(readConfig({ ...provider, CHAPPE_OIDC_GROUPS: groups }).signOn, {
    issuer: 'https://login.example.com/realms/corp',
    clientId: 'chappe',
    clientSecret: 'a secret of the client',
    groupsClaim: 'https://example.com/groups',
    groups: [
      { group: 'sales', accountId: 7, role: 'sender' },
      { group: 'cn=All Staff,dc=example', accountId: 8, role: 'reader' }
    ],
    sessionHours: 12,
    name: 'single sign-on'
  })
  assert.equal(readConfig({ ...provider, CHAPPE_OIDC_GROUPS: 'sales=7:sender' }).signOn?.groupsClaim, 'groups')
  const wrong: [environment: Record<string, string>, named: RegExp][] = [
    [{ CHAPPE_OIDC_ISSUER: provider.CHAPPE_OIDC_ISSUER }, /CHAPPE_OIDC_CLIENT_ID must be set along/],
    [{ CHAPPE_OIDC_CLIENT_SECRET: 'a secret of the client' }, /CHAPPE_OIDC_ISSUER must be set along/],
    [{ ...provider, CHAPPE_OIDC_ISSUER: 'http://login.example.com' }, /CHAPPE_OIDC_ISSUER must be an https address/],
    [{ ...provider, CHAPPE_OIDC_GROUPS: 'groups; sales=7:king' }, /CHAPPE_OIDC_GROUPS must list groups/],
    [{ ...provider, CHAPPE_OIDC_GROUPS: 'groups; sales' }, /CHAPPE_OIDC_GROUPS must list groups/]
  ]
  for (const [environment, named] of wrong) {
    assert.throws(
      () => readConfig(environment),
      (error: Error) => named.test(error.message) && !error.message.includes('a secret of')
    )
  }
})

test('only a process that serves SMPP needs the key of its TLS; others know the port and watch the certificate', () => {
  const certificate = join(import.meta.dirname, 'config.ts')
  const settings = { CHAPPE_SMPP_TLS_PORT: '3550', CHAPPE_SMPP_TLS_CERT: certificate }
  const { smpp, alarms } = readConfig({ ...settings, CHAPPE_ROLES: 'api,delivery' })
  assert.deepEqual([smpp?.tlsPort, smpp?.tls, alarms?.certificateFiles], [3550, undefined, [certificate]])
  for (const CHAPPE_ROLES of ['smpp', 'all']) {
    assert.throws(
      () => readConfig({ ...settings, CHAPPE_ROLES }),
      /CHAPPE_SMPP_TLS_KEY is needed with CHAPPE_SMPP_TLS_PORT/
    )
  }
  assert.throws(
    () => readConfig({ CHAPPE_ROLES: 'api', CHAPPE_SMPP_TLS_CERT: '/no/such/file.pem' }),
    /CHAPPE_SMPP_TLS_CERT names a file that can't be read/
  )
})

test('files that TLS can’t use, and a key of another certificate, are told by their settings', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'chappe-config-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  const otherKey = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey
  const contents = {
    key: TEST_KEY,
    cert: TEST_CERTIFICATE,
    other: otherKey.export({ type: 'pkcs8', format: 'pem' }),
    locked: otherKey.export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'secret' }),
    nothing: 'nothing'
  }
  for (const [name, content] of Object.entries(contents)) await writeFile(join(folder, name), content)
  const read = (key: string, cert: string, roles = 'smpp') =>
    readConfig({
      CHAPPE_ROLES: roles,
      CHAPPE_SMPP_TLS_PORT: '3550',
      CHAPPE_SMPP_TLS_KEY: join(folder, key),
      CHAPPE_SMPP_TLS_CERT: join(folder, cert)
    })
  assert.ok(read('key', 'cert').smpp?.tls)
  assert.throws(() => read('other', 'cert'), /CHAPPE_SMPP_TLS_KEY is not the key of CHAPPE_SMPP_TLS_CERT/)
  for (const key of ['locked', 'nothing']) {
    assert.throws(() => read(key, 'cert'), /CHAPPE_SMPP_TLS_KEY names a file that TLS can't use \(.+without a password/)
  }
  assert.throws(() => read('key', 'nothing'), /CHAPPE_SMPP_TLS_CERT names a file that TLS can't use/)
  assert.ok(read('nothing', 'nothing', 'api').smpp, 'a process that serves no SMPP only names the port')
})

test('the logo of statements is a PNG or JPEG by its content, and the address has lines', () => {
  const logo = join(import.meta.dirname, '../test/checks/logo.png')
  const { issuer } = readConfig({
    CHAPPE_OPERATOR_NAME: ' Example SAS ',
    CHAPPE_OPERATOR_ADDRESS: '1 rue de la Paix | 75002 Paris',
    CHAPPE_OPERATOR_LOGO: logo
  })
  assert.deepEqual([issuer.name, issuer.address], ['Example SAS', '1 rue de la Paix\n75002 Paris'])
  assert.equal(issuer.logo?.subarray(1, 4).toString(), 'PNG')
  for (const [file, mistake] of [
    [import.meta.filename, /must be a whole PNG or JPEG/],
    ['/nowhere/logo.png', /can't be read/]
  ] as const) {
    assert.throws(() => readConfig({ CHAPPE_OPERATOR_LOGO: file }), mistake)
  }
})

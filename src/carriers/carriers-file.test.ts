import { strict as assert } from 'node:assert'
import { generateKeyPairSync } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import fc from 'fast-check'
import { type CarriersFile, parseCarriersFile, readCarriersFile } from './carriers-file.ts'
import { settingsOf } from './kind.ts'
import { CARRIER_KINDS } from './kinds.ts'
import { CarriersFileMistakes } from './mistakes.ts'
import { rbm as rbmKind } from './rbm/rbm-kind.ts'
import { Route } from './routes.ts'
import { smpp as smppKind } from './smpp/smpp-kind.ts'

const folder = mkdtempSync(join(tmpdir(), 'chappe-carriers-'))
after(() => rmSync(folder, { recursive: true }))

const privateKey = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({
  type: 'pkcs8',
  format: 'pem'
})
const key = { client_email: 'a@b.example', private_key: privateKey, token_uri: 'https://oauth2.example/token' }
const CERTIFICATE = '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n'
write('rbm.json', JSON.stringify({ type: 'service_account', ...key }))
write('ca.pem', CERTIFICATE)
write('key.pem', privateKey)
write('no-email.json', JSON.stringify({ ...key, client_email: undefined }))
write('no-key.json', JSON.stringify({ ...key, private_key: 's3cret' }))
write('no-token-uri.json', JSON.stringify({ ...key, token_uri: 'ftp://x' }))
write('broken.json', '{"private_key": "s3cret')
write('latin1.pem', Buffer.from([0xe9, 0x20]))

function write(name: string, content: string | Buffer): string {
  const path = join(folder, name)
  writeFileSync(path, content)
  return path
}

const smpp = { name: 'main', type: 'smpp', host: '127.0.0.1', port: 2775, systemId: 'user', password: 's3cret' }
const rbm = {
  name: 'rcs',
  type: 'rbm',
  agentId: 'brand@rbm.goog',
  serviceAccount: 'rbm.json',
  baseUrl: 'https://europe-rcsbusinessmessaging.googleapis.com/',
  webhookToken: 's3cret'
}
const route = { channel: 'sms', prefix: '', carriers: ['main'] }

function parse(content: unknown) {
  const text = typeof content === 'string' ? content : JSON.stringify(content)
  return parseCarriersFile(text, { path: 'carriers.json', folder })
}

function mistakesOf(content: unknown): string[] {
  try {
    parse(content)
  } catch (error) {
    assert.ok(error instanceof CarriersFileMistakes, String(error))
    assert.equal(error.message, error.mistakes.join('\n'))
    assert.ok(!error.message.includes('s3cret'), error.message)
    return error.mistakes
  }
  return []
}

function settingsByKind({ carriers, routes }: CarriersFile) {
  return { smpp: settingsOf(carriers, smppKind), rbm: settingsOf(carriers, rbmKind), routes }
}

test('what the file leaves out has its default', () => {
  assert.deepEqual(
    settingsByKind(
      parse({ carriers: [rbm, smpp], routes: [route, { channel: 'rcs', prefix: '33', carriers: ['rcs'] }] })
    ),
    {
      smpp: [
        {
          ...smpp,
          type: 'smpp',
          tls: false,
          systemType: '',
          bind: 'transceiver',
          sessions: 1,
          window: 100,
          throughput: 0,
          longMessages: 'udh',
          encoding: 'gsm',
          sender: 'CHAPPE',
          numbers: [],
          stopMention: 'STOP 36111',
          messageIdFormat: 'auto',
          answerTimeout: 10,
          enquireLink: 30
        }
      ],
      rbm: [
        {
          ...rbm,
          type: 'rbm',
          baseUrl: 'https://europe-rcsbusinessmessaging.googleapis.com',
          key: { clientEmail: 'a@b.example', privateKey, tokenUri: 'https://oauth2.example/token' }
        }
      ],
      routes: [
        { channel: 'sms', prefix: '', carriers: ['main'] },
        { channel: 'rcs', prefix: '33', carriers: ['rcs'] }
      ]
    }
  )
})

test('numbers become E.164, short codes stay, and a sender may be one of them', () => {
  const numbers = ['0937123456', '36111', '+44 7786 205094', '447786', '0033937123456', '+88212345678901']
  const { smpp: carriers } = settingsByKind(
    parse({
      carriers: [
        { ...smpp, numbers, sender: '0937123456' },
        { ...smpp, name: 'second', numbers, sender: '447786' },
        { ...smpp, name: 'third', sender: 'MYSHOP' }
      ],
      routes: [route]
    })
  )
  const [first, second, third] = carriers
  assert.deepEqual(first?.numbers, ['+33937123456', '36111', '+447786205094', '447786', '+88212345678901'])
  assert.deepEqual([first?.sender, second?.sender, third?.sender], ['+33937123456', '447786', 'MYSHOP'])
})

test('the certificates to trust are read, from the folder of the file', () => {
  const tls = { ca: 'ca.pem', serverName: 'smsc.example', verify: true }
  const path = write('carriers.json', `\ufeff${JSON.stringify({ carriers: [{ ...smpp, tls }], routes: [route] })}`)
  const { smpp: carriers } = settingsByKind(readCarriersFile(path))
  assert.deepEqual([carriers[0]?.tls, carriers[0]?.caText], [tls, CERTIFICATE])
})

test('the name of a carrier may have capitals, and is taken as it is written', () => {
  const { carriers, routes } = parse({
    carriers: [{ ...smpp, name: 'Orange-FR_2' }],
    routes: [{ ...route, carriers: ['Orange-FR_2'] }]
  })
  assert.deepEqual([carriers[0]?.name, routes[0]?.carriers], ['Orange-FR_2', ['Orange-FR_2']])
})

test('a carrier that no route uses is allowed', () => {
  assert.deepEqual(mistakesOf({ carriers: [smpp, { ...smpp, name: 'spare' }], routes: [route] }), [])
})

/** What is wrong when one thing is changed in a good file; sentences without their beginning `carriers.json, line 1, `. */
const CHANGES: [change: { smpp?: object; rbm?: object; route?: object; file?: object }, ...sentences: string[]][] = [
  [{ smpp: { port: 70000 } }, 'carriers[0].port: must be at most 65535; it is 70000.'],
  [{ smpp: { port: '2775' } }, 'carriers[0].port: must be a whole number; it is "2775".'],
  [{ smpp: { port: undefined } }, 'carriers[0].port: is missing.'],
  [{ smpp: { prot: 2775 } }, 'carriers[0].prot: is not a known key; perhaps "port" is meant.'],
  [{ smpp: { system_id: 'x' } }, 'carriers[0].system_id: is not a known key; perhaps "systemId" is meant.'],
  [{ smpp: { 'pass word': 's3cret' } }, 'carriers[0]["pass word"]: is not a known key; perhaps "password" is meant.'],
  [{ smpp: { colour: 'blue' } }, 'carriers[0].colour: is not a known key.'],
  [{ smpp: { agentId: 'x' } }, 'carriers[0].agentId: is not a known key.'],
  [{ smpp: { password: ['s3cret'] } }, 'carriers[0].password: must be a string.'],
  [{ smpp: { password: 's3cret'.repeat(20) } }, 'carriers[0].password: must have at most 64 characters.'],
  [{ smpp: { host: '' } }, 'carriers[0].host: must not be empty; it is "".'],
  [{ smpp: { bind: 'both' } }, 'carriers[0].bind: must be one of "transceiver", "transmitter+receiver"; it is "both".'],
  [{ smpp: { encoding: null } }, 'carriers[0].encoding: must be one of "gsm", "latin1"; it is null.'],
  [
    { smpp: { sessions: 0, window: 1.5 } },
    'carriers[0].sessions: must be at least 1; it is 0.',
    'carriers[0].window: must be a whole number; it is 1.5.'
  ],
  [{ smpp: { tls: 'yes' } }, 'carriers[0].tls: must be true, false or an object; it is "yes".'],
  [
    { smpp: { tls: { verify: 1, caFile: 'x' } } },
    'carriers[0].tls.caFile: is not a known key.',
    'carriers[0].tls.verify: must be true or false; it is 1.'
  ],
  [
    { smpp: { tls: { ca: 'no.pem' } } },
    `carriers[0].tls.ca: names a file that can't be read: there is no such file; it is "no.pem".`
  ],
  [{ smpp: { tls: { ca: '.' } } }, `carriers[0].tls.ca: names a file that can't be read: it is no file; it is ".".`],
  [
    { smpp: { tls: { ca: 'a\0b' } } },
    `carriers[0].tls.ca: names a file that can't be read: that is no name of a file; it is "a\\u0000b".`
  ],
  [
    { smpp: { tls: { ca: 'key.pem' } } },
    'carriers[0].tls.ca: names a file that holds no certificate in PEM; it is "key.pem".'
  ],
  [
    { smpp: { tls: { ca: 'latin1.pem' } } },
    'carriers[0].tls.ca: names a file that is not UTF-8 text; it is "latin1.pem".'
  ],
  [
    { smpp: { name: 'Main 1' } },
    'carriers[0].name: must be 1 to 32 letters without accents, digits, - and _, beginning with a letter or a digit, such as main; it is "Main 1".',
    'routes[0].carriers[0]: names no carrier of this file; perhaps "Main 1" is meant; it is "main".'
  ],
  [
    { smpp: { name: 'rcs' } },
    'carriers[1].name: must be unique; carriers[0] on line 1 is called "rcs" too.',
    'routes[0].carriers[0]: names no carrier of this file; it is "main".'
  ],
  [
    { smpp: { name: 'RCS' } },
    'carriers[1].name: must be unique; carriers[0] on line 1 is called "RCS" and only capitals differ.',
    'routes[0].carriers[0]: names no carrier of this file; it is "main".'
  ],
  [
    { smpp: { name: 'Main' } },
    'routes[0].carriers[0]: names no carrier of this file; perhaps "Main" is meant; it is "main".'
  ],
  [{ smpp: { type: 'smtp' } }, 'carriers[0].type: must be "smpp" or "rbm" or "http"; it is "smtp".'],
  [{ smpp: { type: undefined } }, 'carriers[0].type: is missing: write "smpp" or "rbm" or "http".'],
  [
    { smpp: { numbers: ['36111', '12', '1234', 'hello', 7] } },
    'carriers[0].numbers[1]: must have at least 3 characters; it is "12".',
    'carriers[0].numbers[4]: must be a string; it is 7.',
    'carriers[0].numbers[2]: must be a phone number or a short code of 5 or 6 digits; it is "1234".',
    'carriers[0].numbers[3]: must be a phone number or a short code of 5 or 6 digits; it is "hello".'
  ],
  [
    { smpp: { sender: 'Chez Léa' } },
    'carriers[0].sender: must be 3 to 11 letters and digits, such as MYSHOP; it is "Chez Léa".'
  ],
  [
    { smpp: { sender: '0937123456' } },
    'carriers[0].sender: must be a number of this service, or 3 to 11 letters and digits with a letter, such as MYSHOP; it is "0937123456".'
  ],
  ...['ab', 'My Shop', 'x'.repeat(12)].map((sender): [object, string] => [
    { smpp: { sender } },
    `carriers[0].sender: must be 3 to 11 letters and digits, such as MYSHOP; it is "${sender}".`
  ]),
  [
    { smpp: { sender: '36111' } },
    'carriers[0].sender: must be a number of this service, or 3 to 11 letters and digits with a letter, such as MYSHOP; it is "36111".'
  ],
  [
    { smpp: { numbers: ['+33612345678'], sender: '+33612345678' } },
    'carriers[0].sender: must not be a French mobile number: operators block 06 and 07 numbers as senders; take a name such as MYSHOP; it is "+33612345678".'
  ],
  [
    { smpp: { stopMention: 'x'.repeat(100) } },
    `carriers[0].stopMention: must have at most 40 characters; it is "${'x'.repeat(59)}….`
  ],
  [{ rbm: { webhookToken: '' } }, 'carriers[1].webhookToken: must not be empty.'],
  [
    { rbm: { baseUrl: 'ftp://user:s3cret@x' } },
    'carriers[1].baseUrl: must be an http or https address without credentials, query and fragment, such as https://rcs.example.com.'
  ],
  [
    { rbm: { baseUrl: 'https://user:s3cret@x' } },
    'carriers[1].baseUrl: must be an http or https address without credentials, query and fragment, such as https://rcs.example.com.'
  ],
  [{ rbm: { fallbackDelay: 0 } }, 'carriers[1].fallbackDelay: must be at least 1; it is 0.'],
  [
    { rbm: { serviceAccount: 'no.json' } },
    `carriers[1].serviceAccount: names a file that can't be read: there is no such file; it is "no.json".`
  ],
  [
    { rbm: { serviceAccount: 'broken.json' } },
    'carriers[1].serviceAccount: names a file that is not the JSON of a Google key; it is "broken.json".'
  ],
  [
    { rbm: { serviceAccount: 'no-email.json' } },
    'carriers[1].serviceAccount: names a file that has no client_email; it is "no-email.json".'
  ],
  [
    { rbm: { serviceAccount: 'no-key.json' } },
    'carriers[1].serviceAccount: names a file that has a private_key that is no key in PEM; it is "no-key.json".'
  ],
  [
    { rbm: { serviceAccount: 'no-token-uri.json' } },
    'carriers[1].serviceAccount: names a file that has a token_uri that is no http or https address; it is "no-token-uri.json".'
  ],
  [
    { rbm: { agentId: undefined, baseUrl: undefined } },
    'carriers[1].agentId: is missing.',
    'carriers[1].baseUrl: is missing.'
  ],
  [{ route: { channel: 'mms' } }, 'routes[0].channel: must be one of "sms", "rcs"; it is "mms".'],
  [{ route: { prefix: 33 } }, 'routes[0].prefix: must be a string; it is 33.'],
  [
    { route: { prefix: '+33' } },
    'routes[0].prefix: must be empty, or 1 to 15 digits that begin with a country code, without + or 0, such as 33; it is "+33".'
  ],
  [
    { route: { prefix: '06' } },
    'routes[0].prefix: must be empty, or 1 to 15 digits that begin with a country code, without + or 0, such as 33; it is "06".'
  ],
  [
    { route: { prefix: '33'.repeat(8) } },
    'routes[0].prefix: must be empty, or 1 to 15 digits that begin with a country code, without + or 0, such as 33; it is "3333333333333333".'
  ],
  [
    { route: { prefix: '33' } },
    'routes[1].prefix: must be unique for its channel; routes[0] on line 1 has "33" for sms too.'
  ],
  [{ route: { account: '7' } }, 'routes[0].account: must be a whole number; it is "7".'],
  [{ route: { account: 0 } }, 'routes[0].account: must be at least 1; it is 0.'],
  [{ route: { category: 'spam' } }, 'routes[0].category: must be one of "transactional", "marketing"; it is "spam".'],
  [{ route: { sender: 'été;' } }, 'routes[0].sender: must be a sender, such as MYSHOP or 36111; it is "été;".'],
  [
    { route: { channel: 'rcs', sender: 'MYSHOP', carriers: ['rcs'], prefix: '44' } },
    'routes[0].sender: must not be given for rcs: the sender of an RCS is the agent of its carrier.'
  ],
  [{ route: { tryNextOn: ['ESME_RINVDSTADR'] } }, 'routes[0].tryNextOn: needs a second carrier on the route.'],
  [
    { route: { channel: 'rcs', carriers: ['rcs'], prefix: '44', tryNextOn: ['404'] } },
    'routes[0].tryNextOn: must not be given for rcs: an RCS that is refused falls back to SMS.'
  ],
  [{ route: { triesMax: 2 } }, 'routes[0].triesMax: needs tryNextOn beside it: the statuses after which to try again.'],
  [{ route: { tryNextOn: [] } }, 'routes[0].tryNextOn: must not be empty.'],
  [{ smpp: { cost: '0.03' } }, 'carriers[0].cost: must be a number; it is "0.03".'],
  [{ rbm: { cost: -1 } }, 'carriers[1].cost: must be at least 0; it is -1.'],
  [{ route: { carriers: [] } }, 'routes[0].carriers: must not be empty.'],
  [{ route: { carriers: 'main' } }, 'routes[0].carriers: must be an array; it is "main".'],
  [{ route: { carriers: ['main', 'main'] } }, 'routes[0].carriers[1]: repeats "main".'],
  [
    { route: { carriers: ['mian'] } },
    'routes[0].carriers[0]: names no carrier of this file; perhaps "main" is meant; it is "mian".'
  ],
  [
    { route: { carriers: ['rcs'] } },
    'routes[0].carriers[0]: must name a carrier of type smpp or http, for sms; "rcs" is of type rbm.'
  ],
  [
    { route: { channel: 'rcs' } },
    'routes[0].carriers[0]: must name a carrier of type rbm, for rcs; "main" is of type smpp.'
  ],
  [{ route: { weight: 1 } }, 'routes[0].weight: is not a known key.'],
  [{ file: { route: [] } }, 'route: is not a known key; perhaps "routes" is meant.'],
  [{ file: { carriers: undefined } }, 'carriers: is missing.'],
  [{ file: { carriers: [], routes: [] } }, 'carriers: must not be empty.', 'routes: must not be empty.'],
  [
    { file: { carriers: ['s3cret', null], routes: [7] } },
    'carriers[0]: must be an object.',
    'carriers[1]: must be an object.',
    'routes[0]: must be an object.'
  ],
  [{ file: { carriers: {}, routes: 'x' } }, 'carriers: must be an array.', 'routes: must be an array; it is "x".']
]

test('every mistake has its sentence, and no secret is repeated', () => {
  for (const [change, ...sentences] of CHANGES) {
    const content = {
      carriers: [
        { ...smpp, ...change.smpp },
        { ...rbm, ...change.rbm }
      ],
      routes: [
        { ...route, ...change.route },
        { ...route, prefix: '33' }
      ].slice(0, change.route ? 2 : 1),
      ...change.file
    }
    const expected = sentences.map((sentence) => `carriers.json, line 1, ${sentence}`)
    assert.deepEqual(mistakesOf(content), expected, JSON.stringify(change))
  }
})

test('the statuses of tryNextOn are those that a carrier of the route answers with', () => {
  const carriers = [smpp, { ...smpp, name: 'backup' }]
  const parsed = (tryNextOn: unknown[]) => ({
    carriers,
    routes: [{ ...route, carriers: ['main', 'backup'], tryNextOn }]
  })
  const given = ['ESME_RINVDSTADR', 11, '0x58', '1034', '0x40A', 'ESME_RTHROTTLED']
  const [read] = parse(parsed(given)).routes
  assert.deepEqual(read?.tryNextOn, ['ESME_RINVDSTADR', 'ESME_RTHROTTLED', '0x0000040a'])
  for (const status of ['ESME_ROK', 'ESME_RINVDSTADDR', '0x0', '', 0, '99999999999', '0x1ffffffff', true, 1.5]) {
    const mistakes = mistakesOf(parsed(['ESME_RINVDSTADR', status]))
    assert.deepEqual(
      [mistakes.length, /routes\[0\]\.tryNextOn\[1\]: /.test(mistakes[0] ?? '')],
      [1, true],
      `${status}: ${mistakes}`
    )
  }
})

test('all mistakes are told together, in the order of their lines', () => {
  const text = `{
  "carriers": [
    {
      "name": "main", "type": "smpp",
      "host": "smsc.example",
      "password": "s3cret", "password": "s3cret2",
      "port": 70000,
      "windw": 10
    },
    { "name": "main", "type": "rbm" }
  ],
  "routes": [
    { "channel": "sms", "prefix": "",
      "carriers": ["main", "other"] }
  ],
  "version": 2
}`
  assert.deepEqual(mistakesOf(text), [
    'carriers.json, line 3, carriers[0].systemId: is missing.',
    'carriers.json, line 6, carriers[0].password: is written twice, first on line 6.',
    'carriers.json, line 7, carriers[0].port: must be at most 65535; it is 70000.',
    'carriers.json, line 8, carriers[0].windw: is not a known key; perhaps "window" is meant.',
    'carriers.json, line 10, carriers[1].agentId: is missing.',
    'carriers.json, line 10, carriers[1].serviceAccount: is missing.',
    'carriers.json, line 10, carriers[1].baseUrl: is missing.',
    'carriers.json, line 10, carriers[1].webhookToken: is missing.',
    'carriers.json, line 10, carriers[1].name: must be unique; carriers[0] on line 4 is called "main" too.',
    'carriers.json, line 14, routes[0].carriers[1]: names no carrier of this file; it is "other".',
    'carriers.json, line 16, version: is not a known key.'
  ])
})

test('what is no JSON, or no object, is told by its place alone', () => {
  assert.deepEqual(mistakesOf('{ "carriers": [\n { "password": s3cret } ] }'), [
    'carriers.json, line 2, column 16: a value must stand here.'
  ])
  assert.deepEqual(mistakesOf('["s3cret"]'), ['carriers.json, line 1: must be an object.'])
  assert.deepEqual(mistakesOf(''), [
    'carriers.json, line 1, column 1: the text ends too early: a value must stand here.'
  ])
})

test('a file that is not there, too large or no text is told by its name', () => {
  const missing = join(folder, 'missing.json')
  assert.throws(() => readCarriersFile(missing), { message: `${missing} can't be read: there is no such file.` })
  assert.throws(() => readCarriersFile(folder), { message: `${folder} can't be read: it is no file.` })
  const large = write('large.json', Buffer.alloc(2 * 1024 * 1024 + 1, ' '))
  assert.throws(() => readCarriersFile(large), { message: `${large} is larger than 2 MiB.` })
  const latin1 = join(folder, 'latin1.pem')
  assert.throws(() => readCarriersFile(latin1), { message: `${latin1} is not UTF-8 text.` })
})

// One look at each of them for each of the others would take hours.
test('a file full of mistakes ends, with the first hundred', { timeout: 60_000 }, () => {
  const many = (count: number, of: (index: number) => string) =>
    Array.from({ length: count }, (_, index) => of(index)).join(',')
  const unknown = `{"carriers":[{"type":"smpp",${many(100_000, (index) => `"prot${index}":1`)}}],"routes":[]}`
  const mistakes = mistakesOf(unknown)
  assert.equal(mistakes.length, 101)
  assert.equal(mistakes.at(-1), 'carriers.json: there are 99906 more mistakes.')
  assert.deepEqual(mistakesOf(`{"carriers":[${many(300_000, () => '{}')}],"routes":[{}]}`), [
    'carriers.json, line 1, carriers: must have at most 1000 items.',
    'carriers.json, line 1, routes[0].channel: is missing.',
    'carriers.json, line 1, routes[0].prefix: is missing.',
    'carriers.json, line 1, routes[0].carriers: is missing.'
  ])
  const carriers = many(1000, (index) => `{"type":"smpp","name":"c${index}","numbers":[${many(100, () => '"0123"')}]}`)
  const routes = many(10_000, (index) => `{"channel":"sms","prefix":"${index + 1}","carriers":["d${index}"]}`)
  assert.equal(mistakesOf(`{"carriers":[${carriers}],"routes":[${routes}]}`).length, 101)
  assert.match(
    mistakesOf('['.repeat(1_000_000))[0] ?? '',
    /^carriers.json, line 1, column 33: brackets must not be nested/
  )
})

test('whatever JSON stands in the file, it is read or refused in sentences', () => {
  const value = fc.jsonValue({ maxDepth: 2 })
  const some = (of: object) => fc.dictionary(fc.oneof(fc.constantFrom(...Object.keys(of)), fc.string()), value)
  const file = fc.record({
    carriers: fc.oneof(
      value,
      fc.array(
        fc.oneof(
          value,
          some(smpp).map((odd) => ({ ...smpp, ...odd })),
          some(rbm).map((odd) => ({ ...rbm, ...odd }))
        )
      )
    ),
    routes: fc.oneof(
      value,
      fc.array(
        fc.oneof(
          value,
          some(route).map((odd) => ({ ...route, ...odd }))
        )
      )
    )
  })
  fc.assert(
    fc.property(fc.oneof(value, file), (content) => {
      for (const sentence of mistakesOf(content))
        assert.match(sentence, /^carriers\.json(, line 1)?(, [^ ].*)?: .+\.$/s)
    }),
    { numRuns: 1000 }
  )
})

test('routes may differ in anything that they match, and not in less', () => {
  const matched = [
    {},
    { account: 7 },
    { account: 7, category: 'marketing' },
    { account: 7, sender: '+33937123456' },
    { sender: '36111' },
    { category: 'marketing' },
    { category: 'transactional' }
  ].map((match) => ({ ...route, ...match }))
  assert.deepEqual(parse({ carriers: [smpp], routes: matched }).routes, matched)
  const repeated = { ...route, category: 'marketing', account: 7, sender: '33937123456' }
  assert.deepEqual(mistakesOf({ carriers: [smpp], routes: [{ ...repeated, sender: '+33937123456' }, repeated] }), [
    'carriers.json, line 1, routes[1].prefix: must be unique for its channel, account, sender and category; routes[0] on line 1 has "" for sms and account 7 and sender "33937123456" and category "marketing" too.'
  ])
})

test('docs/carriers.md explains every key with its default, and its example is a good file', () => {
  const document = readFileSync(join(import.meta.dirname, '../../docs/carriers.md'), 'utf8')
  const example = /```json\n(.*?)```/s.exec(document)?.[1] ?? ''
  assert.deepEqual(mistakesOf(example), [])
  for (const { properties } of [...CARRIER_KINDS.map(({ settings }) => settings), Route]) {
    for (const [name, schema] of Object.entries(properties)) {
      const row = document
        .split('\n')
        .find((line) => line.startsWith('| `') && line.split('|')[1]?.includes(`\`${name}\``))
      assert.ok(row, `${name} is not explained`)
      const byDefault = 'default' in schema ? schema.default : undefined
      if (byDefault === undefined) continue
      const shown = typeof byDefault === 'string' && byDefault !== '' ? byDefault : JSON.stringify(byDefault)
      assert.equal(row.split('|')[2]?.replaceAll('`', '').trim(), shown, name)
    }
  }
})

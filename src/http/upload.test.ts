import { strict as assert } from 'node:assert'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fileForm } from '../../test/service/file-form.ts'
import { startService, type TestAccount, test } from '../../test/service/service.ts'
import { createTurns } from './turns.ts'

/** An operation that takes a file, the fields that it needs beside it, and a file that it takes. */
type WithFile = [path: string, fields: Record<string, string>, file: string]

const NUMBER = '0639980001'

async function operationsWithFile(account: TestAccount): Promise<WithFile[]> {
  const { body: list } = await account.expect(200).post('/contactlists', { name: 'Uploads' })
  const prices = 'kind,prefix,credits\nsms,33,1\n'
  const { body: made } = await account.expect(200).post('/price-lists', fileForm(prices, { name: 'Before' }))
  const { body: sender } = await account.expect(200).post('/senders', { name: 'UPLOADS' })
  return [
    ['/contacts/file', { contactlist_id: String(list.id) }, NUMBER],
    ['/contacts/file/preview', {}, NUMBER],
    ['/consents/file', { wording: 'Oui', given_at: '2026-01-02T03:04:05Z' }, NUMBER],
    ['/messages/sms/file', { content: 'Bonjour' }, NUMBER],
    ['/messages/rcs/file', { type: 'text', data: '{"text":"Bonjour"}' }, NUMBER],
    ['/price-lists', { name: 'Uploads' }, prices],
    [`/price-lists/${made.list.id}/versions`, {}, prices],
    ['/carrier-costs', {}, 'carrier,channel,prefix,cost,currency\nsandbox,sms,33,0.04,EUR\n'],
    ['/pictures', {}, 'GIF89a\x01\0\x01\0\0\0\0;'],
    ['/stops/file', {}, NUMBER],
    // Last: nobody may write to the number from then on.
    ['/stops/operator/file', {}, NUMBER],
    ['/sender-lists/file', {}, 'name;kind\nFORBIDDEN;forbidden\n'],
    [`/senders/${sender.id}/proof`, {}, '%PDF-1.4']
  ]
}

const multipart = { 'content-type': 'multipart/form-data; boundary=b' }
const part = (name: string, text: string, fileName?: string) =>
  `--b\r\ncontent-disposition: form-data; name="${name}"${fileName === undefined ? '' : `; filename="${fileName}"`}\r\n\r\n${text}\r\n`

test('every operation that takes a file is in this test', async (t) => {
  const { operator, url } = await startService(t)
  const document = (await (await fetch(`${url}/openapi.json`)).json()) as { paths: Record<string, object> }
  const described = Object.keys(document.paths).filter((path) =>
    JSON.stringify(document.paths[path]).includes('multipart')
  )
  const tested = (await operationsWithFile(operator)).map(([path]) => path.replace(/\/\d+\//, '/{id}/'))
  assert.deepEqual(described.sort(), tested.sort())
})

test('a body that is no proper upload is refused and changes nothing', async (t) => {
  const { operator, pool, dataFolder } = await startService(t)
  for (const [path, fields, content] of await operationsWithFile(operator)) {
    const text = Object.entries(fields)
      .map(([name, value]) => part(name, value))
      .join('')
    const file = part('file', content, 'a.csv')
    const cases: [name: string, status: number, body: unknown, headers?: Record<string, string>][] = [
      ['nothing', 400, undefined],
      ['JSON', 415, { file: '0639980001' }],
      ['a form', 415, 'file=0639980001', { 'content-type': 'application/x-www-form-urlencoded' }],
      ['plain text', 415, '0639980001', { 'content-type': 'text/plain' }],
      ['no boundary', 400, `${text}${file}--b--`, { 'content-type': 'multipart/form-data' }],
      ['no parts', 400, '--b--', multipart],
      ['garbage', 400, 'garbage', multipart],
      [
        'a file that is not whole',
        400,
        `${text}--b\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n\r\n0639980001`,
        multipart
      ],
      ['no file', 400, `${text}--b--`, multipart],
      ['a file without a name', 400, `${text}${part('file', '0639980001')}--b--`, multipart],
      ['two files', 400, `${text}${file}${file}--b--`, multipart],
      ['another part is the file', 400, `${text}${part('attachment', '0639980001', 'a.csv')}--b--`, multipart],
      ['a text part that is huge', 400, `${text}${part('note', 'x'.repeat(1_100_000))}${file}--b--`, multipart],
      ['a text part in Latin-1', 400, Buffer.from(`${text}${part('note', 'Fête')}${file}--b--`, 'latin1'), multipart],
      ['too many parts', 400, `${text}${part('note', 'x').repeat(300)}${file}--b--`, multipart],
      ['an empty file', 400, fileForm('', fields)]
    ]
    for (const [name, status, body, headers] of cases) {
      const answer = await operator.post(path, body, headers)
      assert.equal(answer.status, status, `${path} with ${name} answered ${answer.text}`)
    }
    // Unknown parts are ignored, as unknown properties are.
    await operator.expect(200).post(path, `${text}${part('other', 'x', 'b.csv')}${file}--b--`, multipart)
  }
  assert.equal((await pool`select from contacts`).length, 1)
  assert.equal((await pool`select from stops`).length, 1)
  assert.equal((await pool`select from messages`).length, 2)
  assert.equal((await pool`select from pictures`).length, 1)
  assert.equal((await pool`select from sender_proofs`).length, 1)
  assert.deepEqual(await readdir(join(dataFolder, 'uploads')), [], 'no file is left')
})

test('an upload that is cut off anywhere is refused', async (t) => {
  const { operator, pool } = await startService(t)
  const whole = `${part('note', 'x')}${part('other', 'y', 'b.csv')}${part('file', '0639980001\r\n0639980002', 'a.csv')}--b--`
  for (let length = 1; length < whole.length - 2; length += 3) {
    const { status } = await operator.post('/stops/file', whole.slice(0, length), multipart)
    assert.equal(status, 400, `after ${length} bytes`)
  }
  assert.equal((await pool`select from stops`).length, 0)
  await operator.expect(200).post('/stops/file', whole, multipart)
})

test('a file over 100 MiB is a 413, announced or not', async (t) => {
  const { operator, url, pool } = await startService(t)
  const headers = { ...multipart, 'x-api-key': operator.apiKey }
  const announced = await operator.post('/stops/file', new Uint8Array(106 * 1024 * 1024), multipart)
  assert.deepEqual([announced.status, announced.body.code], [413, 'payload_too_large'])
  const line = Buffer.from('0639980001\n'.repeat(100_000))
  async function* endless() {
    yield Buffer.from('--b\r\ncontent-disposition: form-data; name="file"; filename="a.csv"\r\n\r\n')
    for (let sent = 0; sent < 101 * 1024 * 1024; sent += line.length) yield line
    yield Buffer.from('\r\n--b--\r\n')
  }
  const request = { method: 'POST', headers, body: endless(), duplex: 'half' } as unknown as RequestInit
  const answer = await fetch(`${url}/stops/file`, request)
  assert.equal(answer.status, 413)
  assert.equal((await pool`select from stops`).length, 0)
})

test('operations that take no file refuse one', async (t) => {
  const { operator } = await startService(t)
  const { body } = await operator.expect(415).post('/contactlists', fileForm('x', { name: 'List' }))
  assert.equal(body.code, 'unsupported_media_type')
})

const account = (accountId: number) => ({ accountId, topLevelId: accountId })

test('turns are given to so many at once, in the order they were asked for, also after a failure', async () => {
  const turns = createTurns({ atOnceMax: 2, eachMax: 2, topLevelMax: 2 })
  const order: number[] = []
  let [busy, most] = [0, 0]
  const work = (name: number) => async () => {
    order.push(name)
    busy++
    most = Math.max(most, busy)
    await new Promise((resolve) => setImmediate(resolve))
    busy--
    if (name % 3 === 0) throw new Error('failed')
    return name
  }
  const results = await Promise.allSettled([0, 1, 2, 3, 4, 5, 6].map((name) => turns(account(1), work(name))))
  assert.deepEqual(order, [0, 1, 2, 3, 4, 5, 6])
  assert.equal(most, 2)
  assert.deepEqual(
    results.map(({ status }) => status),
    ['rejected', 'fulfilled', 'fulfilled', 'rejected', 'fulfilled', 'fulfilled', 'rejected']
  )
})

test('who asks for much waits for themselves, and not others for them', async () => {
  const turns = createTurns({ atOnceMax: 3, eachMax: 2, topLevelMax: 2 })
  const order: string[] = []
  const work = (name: string) => async () => {
    order.push(name)
    await new Promise((resolve) => setImmediate(resolve))
  }
  await Promise.all([
    ...['a1', 'a2', 'a3', 'a4'].map((name) => turns(account(1), work(name))),
    ...['b1', 'b2'].map((name) => turns(account(2), work(name)))
  ])
  assert.deepEqual(order, ['a1', 'a2', 'b1', 'a3', 'a4', 'b2'])
})

test('20 sub-accounts that ask for much work get a share for all of them, and another account its turn', async () => {
  const turns = createTurns({ atOnceMax: 8, eachMax: 2, topLevelMax: 4 })
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const started: number[] = []
  const work = (accountId: number) => async () => {
    started.push(accountId)
    await released
  }
  const asked = Array.from({ length: 20 }, (_, index) => [101 + index, 101 + index]).flat()
  const all = [
    ...asked.map((accountId) => turns({ accountId, topLevelId: 1 }, work(accountId))),
    turns(account(2), work(2))
  ]
  await new Promise((resolve) => setImmediate(resolve))
  assert.deepEqual(started, [101, 101, 102, 102, 2])
  release()
  await Promise.all(all)
  assert.equal(started.length, 41)
})

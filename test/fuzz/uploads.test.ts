import { strict as assert } from 'node:assert'
import { readdir, readlink } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import fc from 'fast-check'
import { eventually } from '../checks/eventually.ts'
import { assertLedgerHolds } from '../checks/ledger.ts'
import { fileForm } from '../service/file-form.ts'
import { startService, type TestAccount, type TestService, test } from '../service/service.ts'
import { FUZZ_RUNS, runOptions, tellSeed } from './runs.ts'
import { anyText, anyWorkbook, ENCODED_FILES, TEXT_FILES, WORKBOOKS } from './upload-files.ts'

/*
 * Files and multipart bodies of all kinds against the operations that take a file: they are read or refused, never a 500, with
 * bounded memory, and nothing of them is left.
 */

const MEMORY_MAX = 600 * 2 ** 20

const MAPPINGS = [
  '{}',
  '{"1":"tel"}',
  '{"tel":"tel","nom":"champ_nom"}',
  '{"nom":"nothing"}',
  '[]',
  'x',
  '{"__proto__":"tel"}'
]

test('a hostile file is read or refused, whatever it is', async (t) => {
  tellSeed(t)
  const service = await startService(t)
  const { operator, newAccount } = service
  const account = await newAccount({ credits: 1_000_000 })
  const before = process.memoryUsage.rss()
  const statuses = new Map<number, number>()
  const post = async (what: string, content: Uint8Array, pick: number) => {
    const all = await operationsWithFile(account, pick)
    // What reads the file is the same for all.
    for (const [path, fields] of FUZZ_RUNS > 1 ? all : all.slice(pick % 3, (pick % 3) + 1)) {
      const form = fileForm(content, fields, { isFileFirst: pick % 2 === 0 })
      const { status, text } = await account.post(path, form)
      assert.ok(status === 200 || status === 400, `${path} with ${what} answered ${status}: ${text}`)
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
    }
  }
  for (const [index, [name, content]] of [...TEXT_FILES, ...ENCODED_FILES, ...WORKBOOKS].entries()) {
    await post(name, content, index)
  }
  await fc.assert(
    fc.asyncProperty(fc.oneof(anyText, anyWorkbook), fc.nat(50), (content, pick) => post('a made one', content, pick)),
    runOptions(40)
  )
  assert.ok((statuses.get(200) ?? 0) > 10 && (statuses.get(400) ?? 0) > 10, 'some are read and some are refused')
  assert.ok(process.memoryUsage.rss() - before < MEMORY_MAX, 'memory is bounded')
  await operator.expect(200).get('/users/me')
  await assertNothingIsLeft(service)
})

test('a multipart body that is odd, cut off or endless is refused, and nothing of it is left', async (t) => {
  tellSeed(t)
  const service = await startService(t)
  const account = await service.newAccount({ credits: 1_000_000 })
  const post = (parts: RawPost) => rawPost(service, account, parts)
  for (const [name, parts] of oddBodies()) {
    const { status } = await post(parts)
    assert.ok(status === 200 || (status >= 400 && status < 500) || status === 0, `${name} answered ${status}`)
    // Nothing is answered to who went away.
    if (status === 0) assert.ok(parts.isCutOff, `${name} was not answered`)
  }
  await fc.assert(
    fc.asyncProperty(anyBody, async ({ body, length, isCutOff }) => {
      const { status } = await post({ body, announced: length, isCutOff })
      assert.ok(status === 200 || (status >= 400 && status < 500) || (status === 0 && isCutOff), `answered ${status}`)
    }),
    runOptions(40)
  )
  assert.equal((await post({ body: `${part('file', '0639980001', 'a.csv')}--b--` })).status, 200)
  await assertNothingIsLeft(service)
})

async function operationsWithFile(account: TestAccount, pick: number): Promise<[string, Record<string, string>][]> {
  const { body: lists } = await account.expect(200).get('/contactlists')
  const listId = lists[0]?.id ?? (await account.expect(200).post('/contactlists', { name: 'Fuzz' })).body.id
  const mapping = MAPPINGS[pick % MAPPINGS.length] ?? ''
  return [
    ['/contacts/file', { contactlist_id: String(listId), ...(pick % 3 === 0 && { mapping }) }],
    ['/messages/sms/file', { content: pick % 4 === 0 ? 'Bonjour #nom#' : 'Bonjour' }],
    ['/stops/file', {}]
  ]
}

async function assertNothingIsLeft({ dataFolder, logLines, pool }: TestService): Promise<void> {
  assert.deepEqual(logLines.filter((line) => JSON.parse(line).level >= 50).slice(0, 3), [], 'nothing went wrong inside')
  await assertLedgerHolds(pool)
  const folder = join(dataFolder, 'uploads')
  await eventually(async () => {
    assert.deepEqual(await readdir(folder), [], 'no file is left')
    assert.deepEqual(await openFilesIn(folder), [], 'no file is left open, which would keep its room on the disk')
  })
}

/** Files of ours that are open, by the names they had. Only Linux tells. */
async function openFilesIn(folder: string): Promise<string[]> {
  const handles = await readdir('/proc/self/fd').catch(() => [])
  const names = await Promise.all(handles.map((handle) => readlink(`/proc/self/fd/${handle}`).catch(() => '')))
  return names.filter((name) => name.startsWith(folder))
}

const part = (name: string, text: string, fileName?: string, headers = '') =>
  `--b\r\ncontent-disposition: form-data; name="${name}"${fileName === undefined ? '' : `; filename="${fileName}"`}\r\n${headers}\r\n${text}\r\n`

interface RawPost {
  path?: string
  type?: string
  body: string
  /** What content-length says, if that is not the length of the body; undefined leaves it right. */
  announced?: number | undefined
  /** Whether the client goes away once it has sent what it has. */
  isCutOff?: boolean
  headers?: string
}

function oddBodies(): [name: string, parts: RawPost][] {
  const file = part('file', '0639980001', 'a.csv')
  const whole = `${file}--b--\r\n`
  return [
    ['no boundary', { body: whole, type: 'multipart/form-data' }],
    ['an empty boundary', { body: whole, type: 'multipart/form-data; boundary=""' }],
    ['a boundary of 10 kB', { body: whole, type: `multipart/form-data; boundary=${'b'.repeat(10_000)}` }],
    ['a boundary that is an expression', { body: whole, type: 'multipart/form-data; boundary=(b+)+$' }],
    ['two boundaries', { body: whole, type: 'multipart/form-data; boundary=b; boundary=c' }],
    ['another kind of multipart', { body: whole, type: 'multipart/mixed; boundary=b' }],
    ['text before the first part', { body: `garbage\r\n${whole}` }],
    ['text after the last part', { body: `${whole}garbage` }],
    ['line ends of one character', { body: whole.replaceAll('\r\n', '\n') }],
    ['a part without headers', { body: `--b\r\n\r\nx\r\n${whole}` }],
    ['a part without a name', { body: `--b\r\ncontent-disposition: form-data\r\n\r\nx\r\n${whole}` }],
    ['a part that is another disposition', { body: `--b\r\ncontent-disposition: attachment\r\n\r\nx\r\n${whole}` }],
    ['a header of a megabyte', { body: part('x', 'y', undefined, `x-long: ${'h'.repeat(1_000_000)}\r\n`) + whole }],
    ['five thousand headers', { body: part('x', 'y', undefined, 'x: y\r\n'.repeat(5_000)) + whole }],
    ['a name of 100 kB', { body: part('n'.repeat(100_000), 'y') + whole }],
    ['a name with brackets', { body: part(`a${'[b]'.repeat(1_000)}`, 'y') + whole }],
    ['a name of the language', { body: part('__proto__[x]', 'y') + part('constructor', 'y') + whole }],
    ['a name in another encoding', { body: part('\u00ff\u00fe', 'y') + whole }],
    ['a file name that leads elsewhere', { body: `${part('file', '0639980001', '../../../../etc/passwd')}--b--` }],
    ['a file name with a NUL', { body: `${part('file', '0639980001', 'a\0.csv')}--b--` }],
    ['an empty file name', { body: `${part('file', '0639980001', '')}--b--` }],
    [
      'nested multipart',
      { body: `${part('file', whole, 'a.csv', 'content-type: multipart/mixed; boundary=b\r\n')}--b--` }
    ],
    [
      'an encoding of its own',
      { body: `${part('file', 'MDYzOTk4MDAwMQ==', 'a.csv', 'content-transfer-encoding: base64\r\n')}--b--` }
    ],
    [
      'an encoding that nobody knows',
      { body: `${part('file', '0639980001', 'a.csv', 'content-type: text/csv; charset=x-nothing\r\n')}--b--` }
    ],
    [
      'an unknown encoding of a field',
      { body: part('x', 'y', undefined, 'content-type: text/plain; charset=x-nothing\r\n') + whole }
    ],
    ['the file twice', { body: file + whole }],
    ['a field called file and a file', { body: part('file', 'x') + whole }],
    ['three hundred files', { body: part('other', 'x', 'b.csv').repeat(300) + whole }],
    ['less than announced', { body: whole, announced: whole.length + 100, isCutOff: true }],
    ['more than announced', { body: whole, announced: whole.length - 20 }],
    ['cut off in the file', { body: whole.slice(0, 90), announced: whole.length, isCutOff: true }],
    ['cut off in a header', { body: whole.slice(0, 30), announced: whole.length, isCutOff: true }],
    ['a length that is negative', { body: whole, announced: -1 }],
    ['a length that is huge', { body: whole, announced: 1e15, isCutOff: true }],
    ['compressed, it says', { body: whole, headers: 'content-encoding: gzip\r\n' }]
  ]
}

const piece = fc.oneof(
  fc.constantFrom('--b\r\n', '--b--', '--b', '\r\n', '\r\n\r\n', '--', 'content-disposition: form-data; name="file"'),
  fc.constantFrom(
    part('file', '0639980001', 'a.csv'),
    part('x', 'y'),
    '--b\r\ncontent-disposition: form-data; name="x',
    '; filename="a'
  ),
  fc.string({ unit: 'binary-ascii', maxLength: 30 })
)

const anyBody = fc
  .record({
    pieces: fc.array(piece, { maxLength: 8 }),
    missing: fc.option(fc.integer({ min: 1, max: 50 }), { nil: 0, freq: 2 })
  })
  .map(({ pieces, missing }) => {
    const body = pieces.join('')
    return { body, length: Buffer.byteLength(body) + missing, isCutOff: missing > 0 }
  })

/** Posts bytes as they are. The status is 0 when nothing was answered. */
async function rawPost({ url }: TestService, account: TestAccount, parts: RawPost): Promise<{ status: number }> {
  const { path = '/stops/file', type = 'multipart/form-data; boundary=b', body, isCutOff = false, headers = '' } = parts
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  const head =
    `POST ${path} HTTP/1.1\r\nhost: x\r\nx-api-key: ${account.apiKey}\r\ncontent-type: ${type}\r\n${headers}` +
    `content-length: ${parts.announced ?? Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n`
  const { promise, resolve } = Promise.withResolvers<string>()
  let answer = ''
  socket.setTimeout(20_000, () => socket.destroy())
  socket.on('data', (chunk) => {
    answer += chunk
  })
  socket.on('error', () => undefined)
  socket.on('close', () => resolve(answer))
  socket.write(head + body)
  if (isCutOff) socket.end()
  const text = await promise
  const status = Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1] ?? 0)
  const json = text.slice(text.indexOf('\r\n\r\n') + 4)
  if (status >= 400) assert.equal(JSON.parse(json).status, status, 'a refusal is in the one shape')
  return { status }
}

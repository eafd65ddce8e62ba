import { strict as assert } from 'node:assert'
import { readFile, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { strToU8, zipSync } from 'fflate'
import { eventually } from '../checks/eventually.ts'
import { fileForm } from '../service/file-form.ts'
import { startService, test } from '../service/service.ts'

// Bombs, entities and lies about sizes, one by one: src/spreadsheets/spreadsheets.test.ts. Here they come over HTTP.

const SHEET = '<worksheet><sheetData><row><c><v>33639980001</v></c></row></sheetData></worksheet>'
const book = (parts: Record<string, string>) =>
  zipSync(
    Object.fromEntries(Object.entries({ 'xl/worksheets/sheet1.xml': SHEET, ...parts }).map(([k, v]) => [k, strToU8(v)]))
  )

/** Every part of a workbook that is read. */
const PARTS = [
  'xl/workbook.xml',
  'xl/_rels/workbook.xml.rels',
  'xl/sharedStrings.xml',
  'xl/styles.xml',
  'xl/worksheets/sheet1.xml'
]

const MIB = 1024 * 1024

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

test('workbooks that unpack to hundreds of times their size, nest without end, or name entities, are refused within a bounded memory', async (t) => {
  const { newAccount } = await startService(t)
  const account = await newAccount({ credits: 10 })
  const list = (await account.expect(200).post('/contactlists', { name: 'x' })).body.id
  const laughs = Array.from({ length: 20 }, (_, n) => `<!ENTITY l${n + 1} "&l${n};&l${n};&l${n};&l${n};">`).join('')
  const bombs: [why: string, file: Uint8Array][] = [
    ...PARTS.map((part): [string, Uint8Array] => [`open tags in ${part}`, book({ [part]: '<a>'.repeat(2_000_000) })]),
    ...PARTS.map((part): [string, Uint8Array] => [
      `tags without end in ${part}`,
      book({ [part]: `<a>${'<row/>'.repeat(1_300_000)}</a>` })
    ]),
    ['styles', book({ 'xl/styles.xml': `<styleSheet>${'<numFmts/>'.repeat(1_000_000)}</styleSheet>` })],
    ['spaces', book({ 'xl/worksheets/sheet1.xml': `<worksheet>${' '.repeat(20 * MIB)}</worksheet>` })],
    ['one attribute', book({ 'xl/worksheets/sheet1.xml': `<worksheet a="${'x'.repeat(20 * MIB)}"/>` })],
    ['one name', book({ 'xl/worksheets/sheet1.xml': `<${'x'.repeat(20 * MIB)}/>` })],
    ['one comment', book({ 'xl/worksheets/sheet1.xml': `<worksheet><!--${'x'.repeat(20 * MIB)}--></worksheet>` })],
    [
      'a billion laughs',
      book({
        'xl/worksheets/sheet1.xml': `<!DOCTYPE a [<!ENTITY l0 "ha">${laughs}]><worksheet><sheetData><row><c t="str"><v>&l20;</v></c></row></sheetData></worksheet>`
      })
    ],
    [
      'a file of the machine',
      book({
        'xl/worksheets/sheet1.xml':
          '<!DOCTYPE a [<!ENTITY f SYSTEM "file:///etc/passwd">]><worksheet><sheetData><row><c t="str"><v>&f;</v></c></row></sheetData></worksheet>'
      })
    ]
  ]
  for (const [why, file] of bombs) {
    assert.ok(file.length < MIB, `${why}: it is small as it comes, ${file.length} bytes`)
    collect()
    const before = process.memoryUsage()
    let peak = 0
    const watch = setInterval(() => {
      const { heapUsed, external } = process.memoryUsage()
      peak = Math.max(peak, heapUsed + external - before.heapUsed - before.external)
    }, 5)
    // On a busy machine a connection to the database may come too late, which is no answer to the file: ask again.
    const answer = await eventually(async () => {
      const form = fileForm(file, { contactlist_id: String(list) }, { name: 'a.xlsx' })
      const answer = await account.post('/contacts/file', form)
      assert.notEqual(answer.status, 503, `${why}: ${answer.text}`)
      return answer
    })
    clearInterval(watch)
    assert.equal(answer.status, 400, `${why}: ${answer.text}`)
    assert.doesNotMatch(answer.text, /root:/)
    // The largest allowed part is 64 MiB, of texts that are kept, and there is garbage that is not yet collected.
    assert.ok(peak < 200 * MIB, `${why}: ${Math.round(peak / MIB)} MiB`)
    t.diagnostic(`${why}: ${Math.round(peak / MIB)} MiB at most`)
  }
  assert.equal((await account.expect(200).get(`/contactlists/${list}`)).body.contacts_count, 0)
})

test('what a format of a workbook says takes no longer than reading it', async (t) => {
  const { newAccount } = await startService(t)
  const account = await newAccount({ credits: 10 })
  const list = (await account.expect(200).post('/contactlists', { name: 'x' })).body.id
  // Brackets that never close: to look for the end of each took the square of their number, more than an hour for these.
  const format = `<numFmts><numFmt numFmtId="200" formatCode="${'['.repeat(900_000)}"/></numFmts>`
  const styles = `<styleSheet>${format}<cellXfs>${'<xf numFmtId="200"/>'.repeat(100)}</cellXfs></styleSheet>`
  const form = fileForm(book({ 'xl/styles.xml': styles }), { contactlist_id: String(list) }, { name: 'a.xlsx' })
  const { body } = await account.expect(200).post('/contacts/file', form)
  assert.equal(body.added, 1)
})

test('a long cell that a content uses again and again is refused before it is filled in', async (t) => {
  const { newAccount } = await startService(t)
  const account = await newAccount({ credits: 10 })
  const content = '#nom#'.repeat(1_000)
  // A thousand times a million characters is more than a string can have: that was a 500.
  const row = (cells: string) => `<row>${cells}</row>`
  const shared = (index: number) => `<c t="s"><v>${index}</v></c>`
  const sheet = row(shared(0) + shared(1)) + row(`<c><v>33639980001</v></c>${shared(2)}`)
  const texts = ['tel', 'nom', 'x'.repeat(1_000_000)].map((text) => `<si><t>${text}</t></si>`)
  const workbook = book({
    'xl/worksheets/sheet1.xml': `<worksheet><sheetData>${sheet}</sheetData></worksheet>`,
    'xl/sharedStrings.xml': `<sst>${texts.join('')}</sst>`
  })
  const ofWorkbook = fileForm(workbook, { content }, { name: 'a.xlsx' })
  const { body: tooLong } = await account.expect(400).post('/messages/sms/file', ofWorkbook)
  assert.match(tooLong.error, /a cell is too long/)
  const ofText = fileForm(`tel;nom;autre\n0639980001;${'x'.repeat(100_000)};a\n`, { content })
  const { body } = await account.expect(400).post('/messages/sms/file', ofText)
  assert.match(body.error, /line 2: a cell that the content uses has more than 4000 characters/)
  // A long cell that the content does not use is no matter.
  const unused = fileForm(`tel;nom;autre\n0639980001;Ana;${'x'.repeat(100_000)}\n`, { content: 'Bonjour #nom#' })
  await account.expect(200).post('/messages/sms/file', unused)
})

test('what lies in the data folder is readable by its owner alone', async (t) => {
  const { dataFolder, newAccount } = await startService(t)
  const account = await newAccount({ credits: 10 })
  const list = (await account.expect(200).post('/contactlists', { name: 'x' })).body.id
  await account.expect(200).post('/contacts/file', fileForm('tel\n0639980001\n', { contactlist_id: String(list) }))
  const modeOf = async (path: string) => ((await stat(path)).mode & 0o777).toString(8)
  assert.equal(await modeOf(join(dataFolder, 'token-key.json')), '600')
  assert.equal(await modeOf(join(dataFolder, 'uploads')), '700')
  // The embedded server of this test run was started the way that the service starts its own.
  const embedded = dirname(process.env.CHAPPE_TEST_SOCKET_FOLDER ?? '')
  assert.equal(await modeOf(join(embedded, 'postgres')), '700')
  assert.equal(await modeOf(join(embedded, 'socket')), '700')
  assert.equal(await modeOf(join(embedded, 'postgres.log')), '600')

  const fresh = join(dataFolder, 'new', 'folder')
  await startService(t, { settings: { CHAPPE_DATA: fresh } })
  assert.equal(await modeOf(fresh), '700')
})

test('the compose files have no password by default, and Chappe is no superuser of its database', async () => {
  const root = join(import.meta.dirname, '..', '..')
  const texts = await Promise.all(
    ['compose.yaml', 'compose.external.yaml'].map((name) => readFile(join(root, name), 'utf8'))
  )
  for (const text of texts) {
    const given = [...text.matchAll(/^ *\w*PASSWORD: *(.*)$/gm), ...text.matchAll(/postgres:\/\/\w+:(\$\{.*\})@/g)]
    for (const [line, value = ''] of given) assert.match(value, /^\$\{\w+:\?.+\}$/, line)
    assert.doesNotMatch(text, /POSTGRES_USER|superuser;|trust/)
  }
  assert.match(texts[1] ?? '', /create role chappe login password :'password';\n/)
})

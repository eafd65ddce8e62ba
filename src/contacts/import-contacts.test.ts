import { strict as assert } from 'node:assert'
import { setTimeout as sleep } from 'node:timers/promises'
import writeXlsxFile from 'write-excel-file/node'
import { eventually } from '../../test/checks/eventually.ts'
import { holdTable } from '../../test/database/hold-table.ts'
import { fileForm } from '../../test/service/file-form.ts'
import { startService, type TestAccount, test } from '../../test/service/service.ts'

async function newList(account: TestAccount): Promise<string> {
  return String((await account.expect(200).post('/contactlists', { name: 'Import' })).body.id)
}

async function read(account: TestAccount, list: string) {
  const { body } = await account.expect(200).get(`/contactlists/${list}/contacts?limit=1000`)
  return { ...body, byNumber: Object.fromEntries(body.items.map((item: { tel: string }) => [item.tel, item])) }
}

test('a file with titles in French or English becomes contacts', async (t) => {
  const { operator } = await startService(t)
  const list = await newList(operator)
  const french = `Mobile;Nom;Prénom;E-mail;Adresse;Code postal;Ville;Date de naissance;Perso 1;Couleur
06 39 98 00 01;Martin;Léa;lea@exemple.fr;"1, rue du Lac";69001;Lyon;01/02/1990;or;bleu
`
  const { body } = await operator.expect(200).post('/contacts/file', fileForm(french, { contactlist_id: list }))
  assert.deepEqual(body, {
    success: true,
    message: '1 contacts added, 0 updated, 0 repeated, 0 invalid. Columns left out: Couleur.',
    added: 1,
    updated: 0,
    duplicates: 0,
    invalid: 0,
    not_mobile: 0,
    errors: []
  })
  const { byNumber } = await read(operator, list)
  const lea = byNumber['+33639980001']
  assert.deepEqual(
    [
      lea.champ_nom,
      lea.champ_prenom,
      lea.champ_mail,
      lea.champ_adresse,
      lea.champ_cp,
      lea.champ_ville,
      lea.champ_date,
      lea.champ_perso1
    ],
    ['Martin', 'Léa', 'lea@exemple.fr', '1, rue du Lac', '69001', 'Lyon', '01/02/1990', 'or']
  )

  // An empty cell leaves the stored value; a filled one replaces it. The fields may come before the file.
  const english = 'Phone number,Last name,City,champ_perso2\n+33 6 39 98 00 01,,Paris,two\n0639980002,Doe,,\n'
  const form = fileForm(english, { contactlist_id: list }, { isFileFirst: false })
  const again = await operator.expect(200).post('/contacts/file', form)
  assert.deepEqual([again.body.added, again.body.updated], [1, 1])
  const after = await read(operator, list)
  const changed = after.byNumber['+33639980001']
  assert.deepEqual([changed.champ_nom, changed.champ_ville, changed.champ_perso2], ['Martin', 'Paris', 'two'])
  assert.equal(after.meta.totalItems, 2)
})

test('an extract of contacts is a file that brings the same contacts', async (t) => {
  const { operator, url } = await startService(t)
  const [first, second] = [await newList(operator), await newList(operator)]
  const contact = {
    tel: '0639980001',
    champ_nom: '@lea',
    champ_ville: '-20 %',
    champ_perso1: 'a;=b\n+c',
    champ_cp: "'t"
  }
  await operator.expect(200).post('/contacts', { contactlist_id: Number(first), contacts: [contact] })
  const extract = await fetch(`${url}/contactlists/${first}/contacts-extract`, {
    headers: { 'x-api-key': operator.apiKey, accept: 'text/csv' }
  })
  const csv = await extract.text()
  assert.match(csv, /,'@lea,/)
  await operator.expect(200).post('/contacts/file', fileForm(csv, { contactlist_id: second }))
  const fields = async (list: string) => {
    const { id: _, ...rest } = (await read(operator, list)).items[0]
    return rest
  }
  assert.deepEqual(await fields(second), await fields(first))
})

test('rows that are left out are counted and named by their line, in the order of the file', async (t) => {
  const { operator } = await startService(t)
  const list = await newList(operator)
  const file = `tel;nom
0639980001;first
abc;x
;y
0639980002;z
+33639980001;second
0639980003;${'n'.repeat(1001)}
`
  const { body } = await operator.expect(200).post('/contacts/file', fileForm(file, { contactlist_id: list }))
  assert.deepEqual([body.added, body.updated, body.duplicates, body.invalid], [2, 0, 1, 3])
  assert.deepEqual(body.errors, [
    { line: 3, value: 'abc', reason: 'not a phone number' },
    { line: 4, value: '', reason: 'no number' },
    { line: 6, value: '+33639980001', reason: 'repeated' },
    { line: 7, value: '0639980003', reason: 'champ_nom is longer than 1000 characters' }
  ])
  assert.equal((await read(operator, list)).byNumber['+33639980001'].champ_nom, 'first')

  const many = `tel\n${'nobody\n'.repeat(500)}${'0639980009\n'.repeat(500)}`
  const left = await operator.expect(200).post('/contacts/file', fileForm(many, { contactlist_id: list }))
  assert.deepEqual(
    [left.body.added, left.body.duplicates, left.body.invalid, left.body.errors.length],
    [1, 499, 500, 100]
  )
})

test('a request may ask for more or fewer rows that were left out', async (t) => {
  const { operator } = await startService(t)
  const list = await newList(operator)
  const file = `tel\n${'nobody\n'.repeat(500)}${'0639980009\n'.repeat(500)}`
  const importWith = (errors: string, status = 200) =>
    operator.expect(status).post('/contacts/file', fileForm(file, { contactlist_id: list, errors }))
  const { body } = await importWith('100000')
  assert.deepEqual([body.duplicates, body.invalid, body.errors.length], [499, 500, 999])
  assert.deepEqual(body.errors[499], { line: 501, value: 'nobody', reason: 'not a phone number' })
  assert.deepEqual(body.errors[998], { line: 1001, value: '+33639980009', reason: 'repeated' })
  assert.equal((await importWith('0')).body.errors.length, 0)
  for (const errors of ['100001', '-1', 'all']) {
    assert.equal((await importWith(errors, 400)).body.details[0].path, 'errors')
  }
})

test('a mapping names columns by title or position', async (t) => {
  const { operator } = await startService(t)
  const list = await newList(operator)
  const importAs = (file: string, mapping: unknown, status = 200) =>
    operator
      .expect(status)
      .post('/contacts/file', fileForm(file, { contactlist_id: list, mapping: JSON.stringify(mapping) }))

  await importAs('A;B;nom\nLéa;0639980001;ignored\n', { b: 'tel', A: 'champ_prenom' })
  await importAs('0639980002;0639980003;Max\n', { 2: 'tel', 3: 'champ_prenom' })
  const { byNumber } = await read(operator, list)
  assert.deepEqual(Object.keys(byNumber).sort(), ['+33639980001', '+33639980003'])
  assert.deepEqual([byNumber['+33639980001'].champ_prenom, byNumber['+33639980001'].champ_nom], ['Léa', ''])
  assert.equal(byNumber['+33639980003'].champ_prenom, 'Max')

  const file = 'A;B\nLéa;0639980001\n'
  const wrong: [unknown, string][] = [
    [{ C: 'champ_nom' }, 'mapping.C'],
    [{ 9: 'champ_nom' }, 'mapping.9'],
    [{ A: 'shoe_size' }, 'mapping.A'],
    [{ A: 'champ_nom', 1: 'champ_nom' }, 'mapping.A'],
    [{ A: 7 }, 'mapping.A'],
    [['A'], 'mapping'],
    ['tel', 'mapping'],
    [{ Z: 'tel' }, 'file']
  ]
  for (const [mapping, path] of wrong) {
    const { body } = await importAs(file, mapping, 400)
    assert.equal(body.details[0].path, path, JSON.stringify(mapping))
  }
  const broken = fileForm(file, { contactlist_id: list, mapping: '{"A": ' })
  assert.match((await operator.expect(400).post('/contacts/file', broken)).body.error, /mapping is not valid JSON/)
  assert.equal((await read(operator, list)).meta.totalItems, 2)
})

test('a workbook and a plain list of numbers are imported too', async (t) => {
  const { operator } = await startService(t)
  const list = await newList(operator)
  const rows = [
    [{ value: 'Nom' }, { value: 'Portable' }],
    [{ value: 'Martin' }, { value: 33639980001 }]
  ]
  const book = await writeXlsxFile(rows, {}).toBuffer()
  await operator.expect(200).post('/contacts/file', fileForm(book, { contactlist_id: list }, { name: 'book.xlsx' }))
  const text = fileForm('0639980002\n0639980003\n', { contactlist_id: list }, { name: 'numbers.txt' })
  await operator.expect(200).post('/contacts/file', text)
  const { byNumber } = await read(operator, list)
  assert.equal(byNumber['+33639980001'].champ_nom, 'Martin')
  assert.equal(Object.keys(byNumber).length, 3)
})

test('a file that is broken in the middle changes nothing', async (t) => {
  const { operator, pool } = await startService(t)
  const list = await newList(operator)
  const lines = Array.from({ length: 30_000 }, (_, index) => `+3363998${String(index % 10_000).padStart(4, '0')};x`)
  const file = `tel;nom\n${lines.join('\n')}\n0639980001;"never closed\n0639980002;x\n`
  const { body } = await operator.expect(400).post('/contacts/file', fileForm(file, { contactlist_id: list }))
  assert.match(body.error, /line 30002: a quote is opened here and never closed/)
  assert.equal((await read(operator, list)).meta.totalItems, 0)
  assert.equal((await pool`select from contacts`).length, 0)
})

test('an import whose client has gone before the end stores nothing; a text that calls itself .xlsx is refused', async (t) => {
  const { operator, pool, url, logLines } = await startService(t)
  const list = await newList(operator)
  const text = fileForm('tel\n0639980001\n', { contactlist_id: list }, { name: 'Clients.XLSX' })
  const { body } = await operator.expect(400).post('/contacts/file', text)
  assert.match(body.error, /file is no workbook, though its name ends in \.xlsx/)

  const held = await holdTable(pool, 'contacts')
  const leaving = new AbortController()
  const answer = fetch(`${url}/contacts/file`, {
    method: 'POST',
    headers: { 'x-api-key': operator.apiKey },
    body: fileForm('tel\n0639980001\n0142681234\n', { contactlist_id: list }),
    signal: leaving.signal
  })
  await eventually(async () => {
    const waiting = await pool`
      select from pg_locks
      where not granted
        and relation = 'contacts'::regclass
        and database = (select oid from pg_database where datname = current_database())
    `
    assert.equal(waiting.length, 1)
  })
  leaving.abort()
  await assert.rejects(answer)
  await eventually(() => assert.ok(logLines.some((line) => line.includes('request aborted by the client'))))
  await held.release()
  // Waits for the transaction of the import.
  await (await holdTable(pool, 'contacts')).release()
  assert.equal((await read(operator, list)).meta.totalItems, 0)
})

test('a list that is not there, or not ours, is a 404; a list that is deleted meanwhile loses nothing of it', async (t) => {
  const { operator, newAccount } = await startService(t)
  const stranger = await newAccount()
  const list = await newList(stranger)
  for (const contactlist_id of [list, '999999']) {
    await operator.expect(404).post('/contacts/file', fileForm('0639980001\n', { contactlist_id }))
  }
  assert.equal((await read(stranger, list)).meta.totalItems, 0)
})

test('the same file with the same Idempotency-Key is imported once, another file is a conflict', async (t) => {
  const { operator } = await startService(t)
  const list = await newList(operator)
  const key = { 'idempotency-key': 'import 1' }
  const send = (file: string, status: number) =>
    operator.expect(status).post('/contacts/file', fileForm(file, { contactlist_id: list }), key)
  const first = await send('0639980001\n', 200)
  const second = await send('0639980001\n', 200)
  assert.deepEqual([second.body, second.headers.get('idempotent-replayed')], [first.body, 'true'])
  await send('0639980002\n', 409)
  assert.equal((await read(operator, list)).meta.totalItems, 1)
})

test('imports and additions to one list at once neither fail nor miscount', async (t) => {
  const { operator } = await startService(t)
  const list = await newList(operator)
  const numbers = Array.from({ length: 2_000 }, (_, index) => `+3363998${String(index).padStart(4, '0')}`)
  const file = numbers.toReversed().join('\n')
  const answers = await Promise.all([
    ...Array.from({ length: 8 }, () =>
      operator.expect(200).post('/contacts/file', fileForm(file, { contactlist_id: list }))
    ),
    ...Array.from({ length: 8 }, () =>
      operator
        .expect(200)
        .post('/contacts', { contactlist_id: Number(list), contacts: numbers.map((tel) => ({ tel })) })
    )
  ])
  assert.equal(
    answers.reduce((sum, { body }) => sum + body.added, 0),
    2_000
  )
  assert.equal(
    answers.reduce((sum, { body }) => sum + body.updated, 0),
    30_000
  )
  assert.equal((await read(operator, list)).meta.totalItems, 2_000)
})

test('a client that goes away in the middle of a file leaves nothing behind', async (t) => {
  const { operator, url, pool, logLines } = await startService(t)
  const list = await newList(operator)
  const controller = new AbortController()
  async function* body() {
    yield Buffer.from(
      `--x\r\ncontent-disposition: form-data; name="contactlist_id"\r\n\r\n${list}\r\n--x\r\ncontent-disposition: form-data; name="file"; filename="a.csv"\r\n\r\ntel\r\n0639980001\r\n`
    )
    await sleep(300)
    controller.abort()
    yield Buffer.from('0639980002\r\n')
  }
  const request = { method: 'POST', body: body(), duplex: 'half', signal: controller.signal } as unknown as RequestInit
  const headers = { 'x-api-key': operator.apiKey, 'content-type': 'multipart/form-data; boundary=x' }
  await assert.rejects(fetch(`${url}/contacts/file`, { ...request, headers }))
  await eventually(() => assert.ok(logLines.some((line) => line.includes('request aborted by the client'))))
  assert.equal((await pool`select from contacts`).length, 0)
  await operator.expect(200).post('/contacts/file', fileForm('0639980003\n', { contactlist_id: list }))
})

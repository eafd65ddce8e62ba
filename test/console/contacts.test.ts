import { strict as assert } from 'node:assert'
import { strToU8, zipSync } from 'fflate'
import type { Page } from 'playwright-core'
import writeXlsxFile from 'write-excel-file/node'
import { countWorkbookRows } from '../../console/src/features/contacts/api/workbook-rows.ts'
import { eventually } from '../checks/eventually.ts'
import { holdTable } from '../database/hold-table.ts'
import { fileForm } from '../service/file-form.ts'
import type { TestAccount } from '../service/service.ts'
import { assertAccessible, assertFits, goTo, openConsole, readDownload } from './console-page.ts'
import { startService, test } from './console-service.ts'

async function newList(account: TestAccount, name: string, file?: string): Promise<number> {
  const { id } = (await account.expect(200).post('/contactlists', { name })).body
  if (file) await account.expect(200).post('/contacts/file', fileForm(file, { contactlist_id: String(id) }))
  return id
}

async function contactsOf(account: TestAccount, list: number): Promise<Record<string, Record<string, string>>> {
  const { body } = await account.expect(200).get(`/contactlists/${list}/contacts?limit=100`)
  return Object.fromEntries(body.items.map((item: { tel: string }) => [item.tel, item]))
}

const chooseFile = (page: Page, content: string | Buffer, name = 'Clients de Lyon.csv') =>
  page
    .getByRole('dialog')
    .locator('input[type=file]')
    .setInputFiles({ name, mimeType: 'text/csv', buffer: Buffer.from(content) })

/** Files let go over the zone, as a mouse does it. */
async function dropFiles(page: Page, names: string[]): Promise<void> {
  const dataTransfer = await page.evaluateHandle(`
    const data = new DataTransfer()
    for (const name of ${JSON.stringify(names)}) data.items.add(new File(['tel'], name))
    data
  `)
  const zone = page.getByRole('dialog').locator('input[type=file]')
  for (const event of ['dragover', 'drop']) await zone.dispatchEvent(event, { dataTransfer })
}

/** The number over a word, in the result of an import. */
const countOf = (page: Page, word: string) =>
  page.getByRole('dialog').getByText(word, { exact: true }).locator('xpath=preceding-sibling::*').textContent()

const FILE = `Portable;Nom;Surnom;Couleur
06 39 98 00 01;Martin;Lélé;bleu
06 39 98 00 02;Durand;Dudu;=rouge
;Sans;Numéro;vert
+33639980001;Encore;Elle;gris
12;Court;Numéro;noir
01 42 68 12 34;Fixe;Ligne;blanc
`

test('a file is imported as its mapping says, and the rows left out are told and saved', async (t) => {
  const { url, operator } = await startService(t)
  const page = await openConsole(t, { url, as: operator, path: '/contacts' })
  await page.getByRole('heading', { name: 'No list yet' }).waitFor()

  await page.getByRole('button', { name: 'Import a file' }).first().click()
  await page.getByText('Drop a file here').waitFor()
  await assertAccessible(page)
  await chooseFile(page, FILE)

  const dialog = page.getByRole('dialog')
  const fieldOf = (column: string) => dialog.getByLabel(`Field for the column ${column}`)
  await fieldOf('Portable').waitFor()
  assert.deepEqual(
    await Promise.all(['Portable', 'Nom', 'Surnom', 'Couleur'].map((column) => fieldOf(column).inputValue())),
    ['tel', 'champ_nom', '', '']
  )
  await dialog.getByRole('cell', { name: '06 39 98 00 02' }).waitFor()
  const name = dialog.getByLabel('Name of the new list')
  await eventually(async () => assert.equal(await name.inputValue(), 'Clients de Lyon'))

  // Taken from its column, a field leaves it without one; without numbers, nothing can be imported.
  await fieldOf('Couleur').selectOption({ label: 'Phone number' })
  await eventually(async () => assert.equal(await fieldOf('Portable').inputValue(), ''))
  await fieldOf('Couleur').selectOption({ label: 'Custom 1' })
  await dialog.getByRole('alert').getByText('Choose the column with the phone numbers.').waitFor()
  assert.ok(await dialog.getByRole('button', { name: 'Import', exact: true }).isDisabled())
  await assertAccessible(page)
  await fieldOf('Portable').selectOption({ label: 'Phone number' })
  await fieldOf('Surnom').selectOption({ label: 'First name' })
  await dialog.getByRole('button', { name: 'Import', exact: true }).click()

  await dialog.getByText('The file was imported.').waitFor()
  assert.deepEqual(
    await Promise.all(['Added', 'Updated', 'Duplicates in the file', 'Invalid'].map((word) => countOf(page, word))),
    ['3', '0', '1', '2']
  )
  await dialog.getByText('1 number can’t receive SMS: not a mobile number.').waitFor()
  const rows = dialog.getByRole('table', { name: 'Rows left out' })
  await rows.getByRole('cell', { name: 'duplicate' }).waitFor()
  const saved = await readDownload(page, () => dialog.getByRole('button', { name: 'Download as CSV' }).click())
  assert.equal(saved.name, 'rows-left-out.csv')
  assert.equal(
    saved.text,
    '\uFEFFLine,Value,Reason\r\n4,,no number\r\n5,+33639980001,duplicate\r\n6,12,not a phone number\r\n'
  )

  await dialog.getByRole('button', { name: 'Open the list' }).click()
  await page.getByRole('heading', { name: 'Clients de Lyon', level: 1 }).waitFor()
  await page.getByRole('cell', { name: 'Lélé Martin', exact: true }).waitFor()
  const [list] = (await operator.expect(200).get('/contactlists')).body
  const stored = await contactsOf(operator, list.id)
  assert.deepEqual(Object.keys(stored).sort(), ['+33142681234', '+33639980001', '+33639980002'])
  assert.equal(stored['+33639980002']?.champ_perso1, '=rouge')

  // The same once more, into the list that is there.
  await page.getByRole('button', { name: 'Import', exact: true }).click()
  await chooseFile(page, FILE)
  await dialog.getByRole('button', { name: 'Import', exact: true }).click()
  await dialog.getByText('The file was imported.').waitFor()
  assert.deepEqual([await countOf(page, 'Added'), await countOf(page, 'Updated')], ['0', '3'])
})

test('a file that is refused says why and leaves nothing behind, not even the list made for it', async (t) => {
  const { url, operator, pool } = await startService(t)
  const page = await openConsole(t, { url, as: operator, path: '/contacts', refusals: [400] })
  await page.getByRole('button', { name: 'Import a file' }).first().click()
  const dialog = page.getByRole('dialog')
  await chooseFile(page, '%PDF-1.7', 'clients.csv')
  await dialog.getByRole('alert').getByText('is a PDF').waitFor()
  await chooseFile(page, 'tel\n0639980001\n', 'clients.xlsx')
  await dialog.getByRole('alert').getByText('is no workbook').waitFor()
  await dialog
    .locator('input[type=file]')
    .setInputFiles({ name: 'photo.png', mimeType: 'image/png', buffer: Buffer.from('x') })
  await dialog.getByText('This is not a CSV, TXT or XLSX file.').waitFor()
  await dropFiles(page, ['a.csv', 'b.csv'])
  await dialog.getByText('One file at a time, please.').waitFor()
  await dropFiles(page, ['photo.png'])
  await dialog.getByText('This is not a CSV, TXT or XLSX file.').waitFor()

  const filler = Array.from({ length: 5_000 }, (_, index) => `+3363998${String(index).padStart(4, '0')};nom`)
  await chooseFile(page, `tel;nom\n${filler.join('\n')}\n0639980001;"never closed\n`)
  await dialog.getByRole('button', { name: 'Import', exact: true }).click()
  await dialog.getByRole('alert').getByText('a quote is opened here and never closed').waitFor()
  assert.deepEqual((await operator.expect(200).get('/contactlists')).body, [])

  // While its rows are stored, an import says how many they are, and is cancelled.
  const held = await holdTable(pool, 'contacts')
  await dialog.getByRole('button', { name: 'Another file' }).click()
  const rows = filler.map((line) => line.split(';').map((value) => ({ value })))
  const book = await writeXlsxFile([[{ value: 'tel' }, { value: 'nom' }], ...rows], {}).toBuffer()
  await chooseFile(page, book, 'clients.xlsx')
  await dialog.getByRole('button', { name: 'Import', exact: true }).click()
  await dialog.getByText('5,000 rows are being stored').waitFor()
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await held.release()
  await dialog.getByRole('button', { name: 'Import', exact: true }).waitFor()
  assert.deepEqual((await operator.expect(200).get('/contactlists')).body, [])

  await dialog.getByRole('button', { name: 'Another file' }).click()
  await chooseFile(page, 'tel;nom\nabc;Dupont\n12;Martin\n')
  await dialog.getByRole('button', { name: 'Import', exact: true }).click()
  await dialog.getByText('No row of this file could be imported.').waitFor()
  assert.deepEqual((await operator.expect(200).get('/contactlists')).body, [])
})

test('the rows of a workbook are counted as the service reads them: on its first sheet, whatever wrote it', async () => {
  const row = '<x:row r="1"><x:c><x:v>1</x:v></x:c></x:row>'
  const sheet = `<x:worksheet><x:rowBreaks/><x:sheetData>${row.repeat(3_000)}<x:row/></x:sheetData></x:worksheet>`
  const parts = {
    'xl/workbook.xml':
      '<workbook><sheets><sheet name="b" r:id="rId7"/><sheet name="a" r:id="rId1"/></sheets></workbook>',
    'xl/_rels/workbook.xml.rels': `<Relationships><Relationship Id="rId1" Target="worksheets/sheet1.xml"/>
      <Relationship Target="/xl/worksheets/sheet9.xml" Id="rId7"/></Relationships>`,
    'xl/worksheets/sheet1.xml': '<worksheet><sheetData><row/></sheetData></worksheet>',
    'xl/worksheets/sheet9.xml': sheet
  }
  const zip = (files: Record<string, string>, level: 0 | 6) =>
    zipSync(Object.fromEntries(Object.entries(files).map(([name, text]) => [name, strToU8(text)])), { level })
  const count = (bytes: Uint8Array<ArrayBuffer>) => countWorkbookRows(new Blob([bytes]))
  assert.deepEqual([await count(zip(parts, 6)), await count(zip(parts, 0))], [3_000, 3_000])
  const { 'xl/workbook.xml': _, ...unnamed } = parts
  assert.equal(await count(zip(unnamed, 6)), 0)
  assert.equal(await count(zip({ 'a.txt': 'a' }, 6)), null)
  assert.equal(await count(zip(parts, 6).slice(0, 500)), null)
  const damaged = zip(parts, 6)
  damaged.fill(0xff, 300, 900)
  assert.equal(await count(damaged), null)
  assert.equal(await count(new Uint8Array()), null)
})

test('a list is made, renamed, found and deleted, and one that is not there is said to be missing', async (t) => {
  const { url, operator } = await startService(t)
  const other = await newList(operator, 'Prospects', 'tel\n0639980003\n0639980004\n')
  const page = await openConsole(t, { url, as: operator, path: '/contacts', refusals: [404] })
  await page.getByRole('row', { name: /Prospects 2/ }).waitFor()

  await page.getByRole('button', { name: 'New list' }).click()
  await page.getByRole('button', { name: 'Create' }).click()
  await page.getByText('Give it a name.').waitFor()
  await assertAccessible(page)
  await page.getByRole('textbox', { name: 'Name' }).fill('Clients')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Clients', level: 1 }).waitFor()
  await page.getByRole('heading', { name: 'This list is empty' }).waitFor()
  await assertAccessible(page)

  await page.getByRole('button', { name: 'More actions' }).click()
  await page.getByRole('menuitem', { name: 'Rename' }).click()
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Clients fidèles')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Clients fidèles', level: 1 }).waitFor()

  await page.getByRole('link', { name: 'All lists' }).click()
  const table = page.getByRole('table', { name: 'Contact lists' })
  await table.getByRole('row', { name: /Clients fidèles/ }).waitFor()
  await page.getByLabel('Search lists').fill('PROSP')
  await table.getByRole('row', { name: /Clients fidèles/ }).waitFor({ state: 'detached' })
  await page.getByLabel('Search lists').fill('nothing')
  await page.getByRole('heading', { name: 'No list has this name' }).waitFor()
  await page.getByRole('button', { name: 'Clear the search' }).click()

  await page.getByRole('button', { name: 'Actions for Prospects' }).click()
  await page.getByRole('menuitem', { name: 'Delete' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('2 contacts will be deleted with it.').waitFor()
  await assertAccessible(page)
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await operator.expect(200).get(`/contactlists/${other}`)
  await page.getByRole('button', { name: 'Actions for Prospects' }).click()
  await page.getByRole('menuitem', { name: 'Delete' }).click()
  await dialog.getByRole('button', { name: 'Delete the list' }).click()
  await page.getByText('“Prospects” was deleted.').waitFor()
  await table.getByRole('row', { name: /Prospects/ }).waitFor({ state: 'detached' })
  await operator.expect(404).get(`/contactlists/${other}`)

  // By keyboard: the row is reached and opened, and from there the list is sent to.
  await table.getByRole('link', { name: 'Clients fidèles' }).focus()
  await page.keyboard.press('Enter')
  const send = page.getByRole('link', { name: 'Send to this list' })
  assert.match((await send.getAttribute('href')) ?? '', /\/app\/send\?list=\d+$/)

  await goTo(page, '/contacts/999')
  await page.getByRole('heading', { name: 'There is no such contact list' }).waitFor()
  await assertAccessible(page)
})

test('a contact is added, changed, found, exported and deleted', async (t) => {
  const { url, operator, pool } = await startService(t)
  const list = await newList(operator, 'Clients', 'tel;nom;prénom\n0639980001;Martin;Léa\n0639980002;Durand;Max\n')
  await pool`
    insert into rcs_capabilities (carrier, phone, is_capable)
    values ('rcs', '+33639980001', true), ('rcs', '+33639980002', false)
  `
  const page = await openConsole(t, { url, as: operator, path: `/contacts/${list}`, refusals: [400, 409] })
  const dialog = page.getByRole('dialog')
  await page.getByText('1 of 2 (50%)').waitFor()
  await page.getByRole('button', { name: 'Edit Léa Martin' }).click()
  await dialog.getByLabel('City').fill('Lyon')
  await dialog.getByRole('button', { name: 'Custom fields' }).click()
  await dialog.getByLabel('Custom 10').fill('or')
  await assertAccessible(page)
  await dialog.getByLabel('Phone number').fill('12')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.getByText('This is not a phone number.').waitFor()
  await dialog.getByLabel('Phone number').fill('0639980002')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.getByText('The list already has a contact with this number.').waitFor()
  await dialog.getByLabel('Phone number').fill('06 39 98 00 03')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('row', { name: /Léa Martin \+33 6 39 98 00 03/ }).waitFor()
  await dialog.waitFor({ state: 'detached' })
  const changed = (await contactsOf(operator, list))['+33639980003']
  assert.deepEqual([changed?.champ_ville, changed?.champ_perso10, changed?.champ_nom], ['Lyon', 'or', 'Martin'])

  await page.getByRole('button', { name: 'Add a contact' }).click()
  await dialog.getByLabel('Phone number').fill('06 39 98 00 04')
  await dialog.getByLabel('First name').fill('Zoé')
  await dialog.getByRole('button', { name: 'Add', exact: true }).click()
  await page.getByRole('row', { name: /Zoé/ }).waitFor()
  await dialog.waitFor({ state: 'detached' })
  await page.getByText('3 contacts').waitFor()

  await page.getByLabel('Search by name, number or email').fill('39 98 00 04')
  await page.getByRole('row', { name: /Léa/ }).waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Delete Zoé' }).click()
  await assertAccessible(page)
  await dialog.getByRole('button', { name: 'Delete the contact' }).click()
  await page.getByRole('heading', { name: 'No contacts found' }).waitFor()
  assert.deepEqual(Object.keys(await contactsOf(operator, list)).sort(), ['+33639980002', '+33639980003'])

  await page.getByRole('button', { name: 'More actions' }).click()
  const saved = await readDownload(page, () => page.getByRole('menuitem', { name: 'Export as CSV' }).click())
  assert.equal(saved.name, 'Clients.csv')
  assert.match(saved.text, /\+33639980003.*Martin/)
})

test('a STOP is added, imported, found and, with a warning, deleted', async (t) => {
  const { url, operator } = await startService(t)
  const page = await openConsole(t, { url, as: operator, path: '/stops', refusals: [400] })
  const dialog = page.getByRole('dialog')
  await page.getByRole('heading', { name: 'No STOP yet' }).waitFor()
  await page.getByRole('button', { name: 'Add a STOP' }).click()
  await dialog.getByLabel('Phone number').fill('hello')
  await page.keyboard.press('Enter')
  await dialog.getByText('This is not a phone number.').waitFor()
  await assertAccessible(page)
  await dialog.getByLabel('Phone number').fill('06 39 98 00 06')
  await page.keyboard.press('Enter')
  await page.getByRole('row', { name: /\+33 6 39 98 00 06.*By hand/ }).waitFor()
  await dialog.waitFor({ state: 'detached' })

  await page.getByRole('button', { name: 'Import a file' }).click()
  await assertAccessible(page)
  await chooseFile(page, '0639980006\n0639980007\n0639980008\nnobody\n', 'stops.txt')
  await dialog.getByText('The file was imported.').waitFor()
  assert.deepEqual(await Promise.all(['Added', 'Already listed', 'Invalid'].map((word) => countOf(page, word))), [
    '2',
    '1',
    '1'
  ])
  await dialog.getByRole('cell', { name: 'nobody' }).waitFor()
  await assertAccessible(page)
  await dialog.getByRole('button', { name: 'Close' }).last().click()
  await page.getByRole('row', { name: /\+33 6 39 98 00 08.*By file/ }).waitFor()
  await assertAccessible(page)

  await page.getByLabel('Search by number').fill('00 06')
  await page.getByRole('row', { name: /00 08/ }).waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Delete the STOP of +33 6 39 98 00 06' }).click()
  await dialog.getByText('This person will get messages again. Only do this with their consent').waitFor()
  await dialog.getByRole('button', { name: 'Delete the STOP' }).click()
  await page.getByRole('heading', { name: 'No STOP found for this number' }).waitFor()
  const { body } = await operator.expect(200).get('/stops/all')
  assert.deepEqual(
    body.items.map(({ recipient }: { recipient: string }) => recipient),
    ['+33639980008', '+33639980007']
  )
})

// States that are checked here are not held against WCAG once more in English; pages.test.ts has the empty pages.
test('in French, in the dark, on a phone: an import, a list and its contacts, STOPs', async (t) => {
  const { url, operator } = await startService(t)
  await operator.expect(200).post('/stops', { recipient: '0639980006' })
  const page = await openConsole(t, {
    url,
    as: operator,
    path: '/contacts',
    language: 'fr',
    width: 390,
    height: 844,
    colorScheme: 'dark'
  })
  const dialog = page.getByRole('dialog')
  await page.getByRole('heading', { name: 'Aucune liste pour l’instant' }).waitFor()
  await assertFits(page)
  await page.getByRole('button', { name: 'Importer un fichier' }).first().click()
  await chooseFile(page, FILE)
  await dialog.getByLabel('Champ pour la colonne Surnom').selectOption({ label: 'Prénom' })
  await assertFits(page)
  await assertAccessible(page)
  await dialog.getByRole('button', { name: 'Importer', exact: true }).click()
  await dialog.getByRole('cell', { name: 'numéro invalide' }).waitFor()
  await assertFits(page)
  await assertAccessible(page)
  const saved = await readDownload(page, () => dialog.getByRole('button', { name: 'Télécharger en CSV' }).click())
  assert.match(saved.text, /^\uFEFFLigne,Valeur,Motif\r\n4,,pas de numéro\r\n/)
  await dialog.getByRole('button', { name: 'Ouvrir la liste' }).click()
  await page.getByRole('row', { name: /Lélé Martin \+33 6 39 98 00 01/ }).waitFor()
  await assertFits(page)
  await assertAccessible(page)
  // The number leads to its person; the rest of the row opens the contact.
  await page.getByRole('cell', { name: 'Lélé Martin', exact: true }).click()
  await dialog.getByLabel('Ville').waitFor()
  await assertFits(page)
  await assertAccessible(page)
  await dialog.getByRole('button', { name: 'Annuler' }).click()
  await page.getByRole('link', { name: 'Toutes les listes' }).click()
  await page.getByRole('row', { name: /Clients de Lyon 3/ }).waitFor()
  await assertFits(page)
  await assertAccessible(page)

  await goTo(page, '/stops')
  await page.getByRole('row', { name: /\+33 6 39 98 00 06.*À la main/ }).waitFor()
  await assertFits(page)
  await page.getByRole('button', { name: 'Supprimer le STOP de +33 6 39 98 00 06' }).click()
  await page.getByText('Ne le faites qu’avec son accord').waitFor()
  await assertAccessible(page)
})

test('what is held of a number is downloaded and erased on its page, and its opt-out stays', async (t) => {
  const { url, operator } = await startService(t)
  const list = await newList(operator, 'Clients', FILE)
  await operator.expect(200).post('/drafts', { name: 'Soldes', channel: 'sms', fields: { recipients: ['0639980001'] } })
  await operator.expect(200).post('/stops', { recipient: '0639980001' })
  const page = await openConsole(t, { url, as: operator, path: '/numbers/+33639980001' })
  await page.getByRole('link', { name: 'Clients' }).waitFor()
  const saved = await readDownload(page, () => page.getByRole('button', { name: 'Download everything' }).click())
  assert.equal(saved.name, '33639980001.json')
  const { contacts, drafts } = JSON.parse(saved.text)
  assert.deepEqual([contacts[0].tel, contacts[0].contactlist_id, drafts[0].name], ['+33639980001', list, 'Soldes'])
  await assertAccessible(page)

  const dialog = page.getByRole('dialog')
  await page.getByRole('button', { name: 'Erase the number' }).click()
  await dialog.getByText('Erasing cannot be undone.').waitFor()
  await assertAccessible(page)
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await dialog.waitFor({ state: 'detached' })
  assert.ok((await contactsOf(operator, list))['+33639980001'])

  await page.getByRole('button', { name: 'Erase the number' }).click()
  await dialog.getByRole('button', { name: 'Erase for good' }).click()
  await page.getByText('+33 6 39 98 00 01 was erased.').waitFor()
  await page.getByText('This number is in no list.').waitFor()
  await page.getByText('Opted out', { exact: true }).waitFor()
  assert.equal((await contactsOf(operator, list))['+33639980001'], undefined)
  const { body } = await operator.expect(200).get('/contacts/by-number/+33639980001')
  assert.deepEqual([body.contacts, body.drafts, body.stop, body.is_stopped], [[], [], null, true])
})

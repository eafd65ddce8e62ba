import { strict as assert } from 'node:assert'
import { formatPhone } from '../../console/src/lib/format-phone.ts'
import { fromWallTime } from '../../console/src/lib/wall-time.ts'
import { eventually } from '../checks/eventually.ts'
import { assertAccessible, assertFits, goTo, logIn, openConsole, readDownload } from './console-page.ts'
import { startService, test } from './console-service.ts'

test('a departure is when the clock of the account shows it, also where the clock changes', () => {
  for (const [timeZone, wall, moment] of [
    ['Europe/Paris', '2027-07-14 09:30:00', '2027-07-14T07:30:00.000Z'],
    ['Indian/Reunion', '2027-01-01 00:00:00', '2026-12-31T20:00:00.000Z'],
    // Left out in spring: the one after the gap.
    ['Europe/Paris', '2027-03-28 02:30:00', '2027-03-28T01:30:00.000Z'],
    ['America/New_York', '2027-03-14 02:30:00', '2027-03-14T07:30:00.000Z'],
    ['Europe/Paris', '2027-03-28 03:00:00', '2027-03-28T01:00:00.000Z'],
    // Shown twice in autumn: the first.
    ['Europe/Paris', '2027-10-31 02:30:00', '2027-10-31T00:30:00.000Z'],
    ['America/New_York', '2026-11-01 01:30:00', '2026-11-01T05:30:00.000Z'],
    ['Europe/Paris', '2027-10-31 03:00:00', '2027-10-31T02:00:00.000Z']
  ] as const) {
    assert.equal(fromWallTime(wall, timeZone), moment, `${wall} in ${timeZone}`)
  }
})

test('a date is chosen by whoever hears the page: all of its calendar has names', async (t) => {
  const { url, newAccount } = await startService(t)
  const account = await newAccount({ credits: 10 })
  const page = await openConsole(t, { url, as: account, path: '/send' })
  await page.getByText('Later', { exact: true }).click()
  const time = page.getByLabel('Date and time', { exact: true })
  await time.click()
  await page.getByRole('button', { name: 'Next month' }).click()
  await page.getByRole('button', { name: /^15 / }).click()
  await assertAccessible(page)
  const calendar = page.getByRole('dialog', { name: 'Date and time' })
  await calendar.getByLabel('Hours').fill('14')
  await calendar.getByLabel('Minutes').fill('30')
  await calendar.getByRole('button', { name: 'Done' }).click()
  assert.match((await time.textContent()) ?? '', /^15\/\d\d\/\d{4} 14:30$/)
  await eventually(async () => {
    assert.equal(await time.evaluate((field) => field === field.ownerDocument.activeElement), true)
  })

  const french = await openConsole(t, { url, as: account, path: '/messages', language: 'fr', width: 390 })
  await french.getByLabel('Jours', { exact: true }).click()
  await french.getByRole('button', { name: 'Mois précédent' }).click()
  await french.getByRole('button', { name: /^15 / }).click()
  await french.getByRole('button', { name: /^16 / }).click()
  await assertAccessible(french)
})

test('a number is written with its country code apart', () => {
  for (const number of [
    '+33 6 39 98 00 01',
    '+1 202 555 012 3',
    '+7 912 345 678 9',
    '+44 770 090 012 3',
    '+352 621 123 456'
  ]) {
    assert.equal(formatPhone(number.replaceAll(' ', '')), number)
  }
})

const SANDBOX = { settings: { CHAPPE_ROLES: 'all' } }

test('a newcomer sends a first message, sees it arrive on the virtual phone, answers STOP there, and finds the STOP', async (t) => {
  const { url, operator } = await startService(t, SANDBOX)
  const page = await openConsole(t, { url, as: operator })
  await page.getByText('Send your first message').waitFor()
  await assertAccessible(page)
  await page.getByRole('link', { name: 'Send', exact: true }).first().click()
  await page.getByLabel('Phone numbers').fill('06 39 98 00 00')
  await page.getByLabel('Text', { exact: true }).fill('Bonjour, votre code est 1234')
  const figures = page.getByRole('region', { name: 'Cost' })
  await figures.getByRole('row', { name: 'Credits 1' }).waitFor()
  await assertAccessible(page)
  await page.getByRole('button', { name: 'Send', exact: true }).click()
  const dialog = page.getByRole('dialog', { name: 'Send now?' })
  for (const row of [/^Recipients 1$/, /^Sender /, /^Cost 1 credit$/, /^Send time Now$/]) {
    await dialog.getByRole('row', { name: row }).waitFor()
  }
  await dialog.getByRole('region', { name: 'Message text' }).getByText('Bonjour, votre code est 1234').waitFor()
  await assertAccessible(page)
  await dialog.getByRole('button', { name: 'Send' }).click()

  await page.getByRole('heading', { name: 'Message 1' }).waitFor()
  // The draft is gone: Back leads to where the writing began.
  await page.goBack()
  await page.getByRole('heading', { name: 'Home' }).waitFor()
  await page.goForward()
  await page.getByRole('heading', { name: 'Message 1' }).waitFor()
  const phone = page.getByRole('complementary', { name: 'Virtual phone' })
  await phone.getByText('Bonjour, votre code est 1234').waitFor()
  await page.getByRole('img', { name: 'Delivered 1' }).waitFor()
  await phone.getByRole('textbox', { name: 'Reply' }).fill('STOP')
  await page.keyboard.press('Enter')
  await assertAccessible(page)
  await eventually(async () => {
    const { body } = await operator.get('/stops/all')
    assert.deepEqual(
      body.items.map((stop: { recipient: string; source: string }) => [stop.recipient, stop.source]),
      [['+33639980000', 'reply']]
    )
  })
  await phone.getByRole('button', { name: 'Close the phone' }).click()
  await page.getByRole('link', { name: 'Inbox' }).click()
  await page.getByRole('button', { name: /\+33 6 39 98 00 00/ }).click()
  await page.getByText('This person is opted out').waitFor()
  await assertAccessible(page)
})

/** The smallest picture that a browser shows. */
const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64'
)

test('an RCS card is built with a live preview, and its choice is clicked on the virtual phone', async (t) => {
  const { url, operator } = await startService(t, SANDBOX)
  // A card that is looked at while its choice is still empty is rightly refused by the dry run.
  const page = await openConsole(t, { url, as: operator, path: '/send', height: 1400, refusals: [400] })
  await page.getByText('RCS', { exact: true }).click()
  await page.getByLabel('Phone numbers').fill('+33639980000')
  await page.getByLabel('Title').fill('Soldes d’été')
  await page.getByLabel('Description').fill('Jusqu’à 50 %')
  const picture = { name: 'summer.png', mimeType: 'image/png', buffer: PIXEL }
  await page.locator('input[type=file][accept^="image/"]').setInputFiles(picture)
  const address = page.getByLabel('Image URL')
  await eventually(async () => assert.match(await address.inputValue(), /\/p\/\w{20}\.png$/))
  const uploaded = await address.inputValue()
  await address.fill('')
  await page.getByRole('button', { name: 'My pictures' }).click()
  await page.getByRole('button', { name: 'Use the picture of 1 × 1 pixels' }).click()
  assert.equal(await address.inputValue(), uploaded)
  await page.getByRole('button', { name: 'Add a button' }).click()
  await page.getByRole('menuitem', { name: 'Open a link' }).click()
  await page.getByLabel('Label').fill('Voir')
  await page.getByLabel('Address', { exact: true }).fill('#SHORTURL#')
  await page.getByText('One per recipient').click()
  await page.getByLabel('Destination URL').fill(`${url}/health/live`)
  const preview = page.getByRole('region', { name: 'Preview' })
  await preview.getByText('Soldes d’été').waitFor()
  await preview.getByText('Voir').waitFor()
  await preview.locator(`img[src="${uploaded}"]`).waitFor()
  await page.getByRole('row', { name: 'Credits 2' }).waitFor()
  await page.getByLabel('SMS for phones without RCS').fill('Promotions en magasin')
  await assertAccessible(page)
  await page.getByRole('button', { name: 'Send', exact: true }).click()
  const dialog = page.getByRole('dialog', { name: 'Send now?' })
  await dialog.getByRole('row', { name: 'RCS agent Chosen by the route' }).waitFor()
  await dialog.getByRole('region', { name: 'SMS for phones without RCS' }).getByText('Promotions en magasin').waitFor()
  await assertAccessible(page)
  await dialog.getByRole('button', { name: 'Send' }).click()

  const phone = page.getByRole('complementary', { name: 'Virtual phone' })
  const [opened] = await Promise.all([
    page.context().waitForEvent('page'),
    phone.getByRole('button', { name: 'Voir' }).click()
  ])
  await opened.waitForURL(`${url}/health/live`)
  await opened.close()
  await eventually(async () => assert.equal((await operator.get('/messages/1')).body.clicked, 1), { withinMs: 20_000 })
  const saved = await readDownload(page, () => page.getByRole('button', { name: 'Export as CSV' }).click())
  assert.match(saved.text, /\+33639980000.*Soldes d’été/)
  await goTo(page, '/credits')
  await page.getByRole('table', { name: 'History of credits' }).getByRole('cell', { name: 'RCS' }).first().waitFor()
  await page.goBack()
  const shown = page.getByRole('region', { name: 'Content' })
  for (const text of ['Soldes d’été', 'Jusqu’à 50 %', 'Voir']) await shown.getByText(text).waitFor()
  await assertAccessible(page)
})

test('the operator tests a carrier, and the phone shows every letter of it', async (t) => {
  const { url, operator } = await startService(t, SANDBOX)
  const page = await openConsole(t, { url, as: operator, path: '/operator' })
  await page.getByRole('button', { name: 'Send a test' }).click()
  const dialog = page.getByRole('dialog')
  await assertAccessible(page)
  await dialog.getByLabel('Your test phone').fill('06 39 98 00 13')
  await dialog.getByRole('button', { name: 'Send the test' }).click()
  await dialog.getByText('The phone must show exactly this').waitFor()
  const texts = await Promise.all(
    ['GSM @£', 'Latin @£', 'Unicode é'].map((start) => dialog.getByText(start).textContent())
  )
  await assertAccessible(page)
  await dialog.getByRole('button', { name: 'Close' }).last().click()
  const phone = page.getByRole('complementary', { name: 'Virtual phone' })
  for (const text of texts) await phone.getByText(text ?? '', { exact: true }).waitFor()
})

test('what is scheduled waits, and is cancelled with its credits back', async (t) => {
  const { url, operator } = await startService(t, SANDBOX)
  const page = await openConsole(t, { url, as: operator, path: '/send', language: 'fr', width: 390 })
  await page.getByLabel('Numéros de téléphone').fill('+33639980000')
  await page.getByLabel('Texte', { exact: true }).fill('À demain')
  await page.getByText('Plus tard').click()
  await page.getByRole('button', { name: 'Options avancées' }).click()
  await page.getByRole('combobox', { name: 'Validité' }).click()
  await page.getByRole('option', { name: '15 minutes' }).click()
  await page.getByRole('combobox', { name: 'Priorité' }).click()
  await page.getByRole('option', { name: 'Haute' }).click()
  await page.getByLabel('Message flash').check()
  await assertFits(page)
  await assertAccessible(page)
  await page.getByRole('button', { name: 'Programmer', exact: true }).click()
  const dialog = page.getByRole('dialog', { name: 'Programmer l’envoi ?' })
  await dialog.getByText(/^Fin estimée\s: /).waitFor()
  await dialog.getByRole('button', { name: 'Programmer' }).click()
  await page
    .getByText(/^Envoi prévu le /)
    .first()
    .waitFor()
  await page
    .getByRole('region', { name: 'Avancement' })
    .getByText(/^Fin estimée\s: /)
    .waitFor()
  // On a phone a fact is no row of a table: its value stands below its name.
  const fact = (text: RegExp) => page.locator('dl > div').filter({ hasText: text })
  for (const text of [/^Validité15 minutes, jusqu’au /, /^PrioritéHaute$/, /^Message flashOui$/])
    await fact(text).waitFor()
  await assertFits(page)
  assert.equal((await operator.get('/users/credits')).body[0].credits, 9_999)
  // On a narrow screen the phone stands before the page.
  await page.getByRole('button', { name: 'Fermer le téléphone' }).click()
  await page.getByRole('button', { name: 'Annuler', exact: true }).click()
  await page
    .getByRole('dialog', { name: 'Annuler ce message ?' })
    .getByRole('button', { name: 'Annuler', exact: true })
    .click()
  await page.getByText('Annulé', { exact: true }).first().waitFor()
  assert.equal((await operator.get('/users/credits')).body[0].credits, 10_000)
  // The service tells the timeline in English.
  await page.getByRole('row', { name: /\+33 6 39 98 00 00/ }).click()
  await page.getByText('1 segment, 1 crédit').waitFor()
  await page.getByText('Par une annulation.').waitFor()
  await page.keyboard.press('Escape')
  await page.getByText('Par une annulation.').waitFor({ state: 'detached' })

  // Marketing for a Sunday: the confirmation names the Monday on which it leaves, and it is undone before.
  const fields = { recipients: ['+33639980000'], content: 'Soldes', category: 'marketing', scheduleAt: nextSunday() }
  const draft = (await operator.expect(200).post('/drafts', { name: '', channel: 'sms', fields })).body
  await goTo(page, `/send?draft=${draft.id}`)
  await page.getByRole('button', { name: 'Programmer', exact: true }).click()
  await fact(/^Date d’envoilundi .* 08:00 ou plus tard/).waitFor()
  await assertFits(page)
  await dialog.getByRole('button', { name: 'Programmer' }).click()
  await page.getByRole('button', { name: 'Annuler l’envoi' }).click()
  await page.getByText('ses crédits sont remboursés').waitFor()
  await eventually(async () => assert.equal(await page.getByLabel('Texte', { exact: true }).inputValue(), 'Soldes'))
  assert.equal((await operator.get('/messages/2')).body.state, 'cancelled')
  await goTo(page, '/messages')
  await page
    .getByText(/ · 1 dest\.$/)
    .first()
    .waitFor()
  await assertFits(page)
})

/** At noon in France, some days from now: no public holiday follows that would hold it longer. */
function nextSunday(): string {
  const day = new Date(Date.now() + 2 * 86_400_000)
  while (day.getUTCDay() !== 0) day.setUTCDate(day.getUTCDate() + 1)
  day.setUTCHours(11, 0, 0, 0)
  return day.toISOString()
}

test('what is wrong with a message is said before it is sent: too few credits, characters that force Unicode, a bad link', async (t) => {
  const { url, newAccount } = await startService(t, SANDBOX)
  const account = await newAccount({ credits: 1 })
  const page = await openConsole(t, { url, as: account, path: '/send', refusals: [400] })
  await page.getByLabel('Phone numbers').fill('+33639980000\n+33639980000\n+33612345678\nabc')
  await page.getByLabel('Text', { exact: true }).fill('Bonjour ☀')
  const figures = page.getByRole('region', { name: 'Cost' })
  await figures.getByText('1 credit is missing.').waitFor()
  await figures.getByRole('link', { name: 'Ask for credits' }).waitFor()
  await figures.getByText('☀').waitFor()
  await figures.getByText('Left out: duplicate 1, not a mobile number 1').waitFor()
  await assertAccessible(page)
  assert.equal(await figures.getByText('Balance after sending').count(), 0, 'no balance beside missing credits')
  await page.getByLabel('Text', { exact: true }).fill('Bonjour ')
  await page.getByRole('button', { name: 'Insert', exact: true }).click()
  await page.getByRole('menuitem', { name: /^Custom 10/ }).click()
  await eventually(async () =>
    assert.equal(await page.getByLabel('Text', { exact: true }).inputValue(), 'Bonjour #champ_perso10#')
  )
  await page.getByLabel('Text', { exact: true }).fill('Bonjour #inconnu#')
  await figures.getByRole('status').waitFor()
  await page.getByLabel('Text', { exact: true }).fill('Bonjour')
  await figures.getByRole('row', { name: 'Credits 2' }).waitFor()
})

test('what is confirmed is what leaves, once; a refusal is said in French, and nothing loses what was written', async (t) => {
  const { url, operator } = await startService(t, SANDBOX)
  const page = await openConsole(t, { url, as: operator, path: '/send', language: 'fr', refusals: [400, 401] })
  const numbers = page.getByLabel('Numéros de téléphone')
  const text = page.getByLabel('Texte', { exact: true })
  const dialog = page.getByRole('dialog', { name: 'Envoyer maintenant ?' })
  const send = page.getByRole('button', { name: 'Envoyer', exact: true })
  await numbers.fill('06 39 98 00 00')
  await text.fill('Bonjour #inconnu#')
  const figures = page.getByRole('region', { name: 'Coût de l’envoi' })
  await figures.getByText('le texte utilise #inconnu#, qu’aucun destinataire ne définit').waitFor()
  await assertAccessible(page)
  await text.fill('Bonjour')
  await figures.getByRole('row', { name: 'Crédits 1' }).waitFor()
  // The figures beside the text are still those of one number.
  await numbers.fill('06 39 98 00 00\n06 39 98 00 04\n06 39 98 00 05')
  await send.click()
  await dialog.getByRole('row', { name: 'Destinataires 3' }).waitFor()
  const cancel = dialog.getByRole('button', { name: 'Annuler' })
  assert.equal(await cancel.evaluate((element) => element === element.ownerDocument.activeElement), true)
  // Without a network nothing is sent, nothing waits to be, and the page says so.
  await page.context().setOffline(true)
  await dialog.getByRole('button', { name: 'Envoyer' }).click()
  await page.getByRole('alert').getByText('Vérifiez votre connexion').first().waitFor()
  await text.fill('Bonjour !')
  await page.getByText('Le brouillon n’est pas enregistré.').waitFor()
  await page.context().setOffline(false)
  await page.getByText('tout reprendra seul dès son retour').waitFor({ state: 'detached' })
  await page.getByText('Brouillon enregistré.').waitFor()
  assert.equal((await operator.get('/messages')).body.meta.totalItems, 0)

  await page.getByRole('link', { name: 'Contacts' }).click()
  await page.getByRole('heading', { name: 'Contacts' }).waitFor()
  await page.goBack()
  await eventually(async () => assert.equal(await text.inputValue(), 'Bonjour !'))
  // The session ends under the dialog, and not before.
  await page.route('**/messages/sms?*', async (route) => {
    await dialog.waitFor()
    await route.fulfill({ status: 401, json: { status: 401, code: 'unauthorized', error: 'No.', request_id: '1' } })
  })
  await text.fill('Bonsoir ☀')
  await send.click()
  await page.getByText('Votre session est terminée').waitFor()
  await dialog.waitFor({ state: 'detached' })
  await page.unroute('**/messages/sms?*')
  await logIn(page, operator)
  await eventually(async () => assert.equal(await text.inputValue(), 'Bonsoir ☀'))

  // With its fading, which gives a second click the time to hit.
  await page.emulateMedia({ reducedMotion: 'no-preference' })
  await send.click()
  await dialog.getByRole('row', { name: 'Destinataires 3' }).waitFor()
  await dialog.getByText('Ces caractères ramènent chaque segment de 160 à 70 lettres : ☀').waitFor()
  await dialog.getByRole('button', { name: 'Envoyer' }).dblclick()
  await page.getByRole('heading', { name: 'Message 1' }).waitFor()
  await page.getByText('Envoi lancé.').waitFor()
  assert.equal((await operator.get('/messages')).body.meta.totalItems, 1)
  await page.getByRole('link', { name: 'Envoyer', exact: true }).first().click()
  await eventually(async () => assert.equal(await text.inputValue(), ''))

  // By the thousand they are pasted at once, and looked at instead of typed.
  await numbers.focus()
  await page.evaluate(`{
    const clipboardData = new DataTransfer()
    const numbers = Array.from({ length: 50000 }, (_, index) => '+336399' + String(80000 + index).slice(-5))
    clipboardData.setData('text/plain', numbers.join('\\n'))
    document.activeElement.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }))
  }`)
  await page.getByText('50 000 numéros').waitFor()
  await assertAccessible(page)
  await page.getByRole('button', { name: 'Tout retirer' }).click()
  await eventually(async () => assert.equal(await numbers.inputValue(), ''))
})

test('a message that is being written outlives a reload, goes on in another browser, and is sent from one of them', async (t) => {
  const { url, operator } = await startService(t, SANDBOX)
  const page = await openConsole(t, { url, as: operator, path: '/send', refusals: [409] })
  await page.getByLabel('Phone numbers').fill('06 39 98 00 00')
  await page.getByLabel('Text', { exact: true }).fill('Soldes dès demain')
  await page.getByText('Saved as a draft.').waitFor()
  await page.waitForURL(/draft=\d+$/)
  await assertAccessible(page)
  await page.reload()
  await eventually(async () =>
    assert.equal(await page.getByLabel('Text', { exact: true }).inputValue(), 'Soldes dès demain')
  )
  assert.equal(await page.getByLabel('Phone numbers').inputValue(), '06 39 98 00 00')

  const other = await openConsole(t, { url, as: operator, path: '/drafts', width: 390 })
  await other.getByText('Soldes dès demain').waitFor()
  await assertFits(other)
  await assertAccessible(other)
  await other.getByRole('button', { name: 'Continue' }).click()
  await other.getByLabel('Text', { exact: true }).fill('Soldes dès lundi')
  await other.getByText('Saved as a draft.').waitFor()
  await page.getByLabel('Text', { exact: true }).fill('Soldes dès mardi')
  const warning = page.getByRole('alert').filter({ hasText: 'changed in another window' })
  await warning.getByRole('button', { name: 'Show the other version' }).click()
  await eventually(async () =>
    assert.equal(await page.getByLabel('Text', { exact: true }).inputValue(), 'Soldes dès lundi')
  )
  await page.getByRole('button', { name: 'Send', exact: true }).click()
  await page.getByRole('dialog', { name: 'Send now?' }).getByRole('button', { name: 'Send' }).click()
  await page.getByRole('heading', { name: 'Message 1' }).waitFor()
  assert.equal((await operator.get('/drafts')).body.meta.totalItems, 0)
  assert.equal((await operator.get('/messages')).body.meta.totalItems, 1)
})

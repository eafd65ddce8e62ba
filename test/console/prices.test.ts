import { strict as assert } from 'node:assert'
import { eventually } from '../checks/eventually.ts'
import { fileForm } from '../service/file-form.ts'
import { makePriceList, priceFile } from '../service/price-lists.ts'
import { assertAccessible, assertFits, goTo, openConsole } from './console-page.ts'
import { startService, test } from './console-service.ts'

const file = (...rows: string[]) => ({
  name: 'prices.csv',
  mimeType: 'text/csv',
  buffer: Buffer.from(`kind,prefix,credits\n${rows.join('\n')}\n`)
})

test('a parent makes a price list from a file after its mistakes are shown, follows it, and gives it to a sub-account', async (t) => {
  const { url, newAccount } = await startService(t)
  const account = await newAccount({ credits: 100 })
  const subAccount = await account.newSubAccount({ credits: 50 })
  const page = await openConsole(t, { url, as: account, path: '/prices', refusals: [400] })
  await page.getByRole('table', { name: 'My prices' }).getByText('+33', { exact: true }).waitFor()
  await page.getByText('No price list').waitFor()
  await page.getByRole('button', { name: 'New price list' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name').fill('Shops')
  const choose = (chosen: ReturnType<typeof file>) => dialog.locator('input[type="file"]').setInputFiles(chosen)
  await choose(file('sms,33,2', 'sms,33,3', 'sms,32,-1'))
  await dialog.getByText('line 3: sms has two prices for 33: the other is on line 2').waitFor()
  await dialog.getByText(/line 4: credits must be a whole number/).waitFor()
  assert.equal(await dialog.getByRole('button', { name: 'Store' }).isDisabled(), true)
  await choose(file('sms,33,2', 'sms,*,5'))
  await dialog.getByText('The file is correct: 2 prices.').waitFor()
  await assertAccessible(page)
  await dialog.getByRole('button', { name: 'Store' }).click()
  const list = page.getByRole('region', { name: 'Shops', exact: true })
  await list.getByText('In force').waitFor()

  await list.getByRole('button', { name: 'New version' }).click()
  await choose(file('sms,33,4'))
  await dialog.getByText('The file is correct: 1 price.').waitFor()
  await dialog.getByRole('button', { name: 'Store' }).click()
  await list.getByRole('button', { name: 'Version 2: 1 price' }).click()
  await list.getByRole('table', { name: 'Shops, Version 2' }).getByText('+33').waitFor()
  await assertAccessible(page)

  await goTo(page, `/sub-accounts/${subAccount.id}`)
  const card = page.getByRole('region', { name: 'Price list' })
  await card.getByRole('combobox').click()
  await page.getByRole('option', { name: 'Shops' }).click()
  await page.getByText('The price list is saved.').waitFor()
  await eventually(async () => {
    const send = { recipients: ['+33639980013', '+32470000001'], content: 'Bonjour' }
    const { body } = await subAccount.expect(200).post('/messages/sms?resumeBefore=true', send)
    assert.deepEqual([body.credits_required, body.unpriced], [4, 1])
  })
  const money = page.getByRole('region', { name: 'Price of a credit' })
  await money.getByRole('textbox', { name: 'Price' }).fill('0.0725')
  await money.getByRole('button', { name: 'Save' }).click()
  await money.getByText(/^€0\.0725 since/).waitFor()
  await goTo(page, '/prices')
  await page.getByRole('table', { name: 'Price list of each account' }).getByText('Shops').waitFor()
  await page.getByRole('link', { name: 'Margins' }).click()
  await page.getByText('No credits used in this period').waitFor()
  assert.equal(await page.getByRole('button', { name: 'Import costs' }).count(), 0)
})

test('a price list counts from the moment that its page shows, whatever the time zone of the browser', async (t) => {
  const { url, newAccount } = await startService(t)
  const account = await newAccount()
  await account.expect(200).put('/users/me', { time_zone: 'Pacific/Auckland' })
  const page = await openConsole(t, { url, as: account, path: '/prices' })
  await page.getByRole('button', { name: 'New price list' }).click()
  const dialog = page.getByRole('dialog', { name: 'New price list' })
  await dialog.getByLabel('Name').fill('Shops')
  await dialog.getByText('In the time zone of the account, Pacific/Auckland.').waitFor()
  const validFrom = dialog.getByLabel('Valid from', { exact: true })
  await validFrom.click()
  await page.locator('button[data-direction=next]').click()
  await page.getByRole('button', { name: /^15 / }).click()
  const chosen = (await validFrom.textContent()) ?? ''
  assert.match(chosen, /^15\/\d\d\/\d{4} \d\d:\d\d$/)
  await dialog.locator('input[type="file"]').setInputFiles(file('sms,33,2'))
  await dialog.getByText('The file is correct: 1 price.').waitFor()
  await dialog.getByRole('button', { name: 'Store' }).click()
  await page.getByRole('region', { name: 'Shops', exact: true }).getByText('Later').waitFor()
  const [list] = (await account.get('/price-lists')).body
  const inAuckland = new Intl.DateTimeFormat('en-GB', {
    dateStyle: 'short',
    timeStyle: 'short',
    timeZone: 'Pacific/Auckland'
  })
  assert.equal(inAuckland.format(new Date(list.versions[0].valid_from)), chosen.replace(' ', ', '))
})

test('what is sent takes what was shown: if the price changes meanwhile, it is asked anew, with exact money and the countries without a price', async (t) => {
  const { url, operator, newAccount } = await startService(t)
  const account = await newAccount({ credits: 100 })
  const id = await makePriceList(operator, 'France', 'sms,33,3')
  await operator.expect(200).put(`/accounts/${account.id}/price-list`, { price_list: id })
  await operator.expect(200).put(`/accounts/${account.id}/credit-price`, { price: '0.1', currency: 'CHF' })
  const page = await openConsole(t, { url, as: account, path: '/send', language: 'fr', refusals: [409] })
  await page.getByLabel('Numéros de téléphone').fill('06 39 98 00 00\n+32470000001')
  await page.getByLabel('Texte', { exact: true }).fill('Bonjour')
  const figures = page.getByRole('region', { name: 'Coût de l’envoi' })
  await figures.getByText('Sans prix : Belgique').waitFor()
  // In floating point, three times 0.1 is 0.30000000000000004.
  await figures.getByRole('row', { name: /^Prix 0,30\sCHF$/ }).waitFor()
  const dialog = page.getByRole('dialog', { name: 'Envoyer maintenant ?' })
  await page.getByRole('button', { name: 'Envoyer', exact: true }).click()
  await dialog.getByRole('row', { name: /^Coût 3 crédits \(0,30\sCHF\)$/ }).waitFor()

  const dearer = fileForm(priceFile('sms,33,7'))
  await operator.expect(200).post(`/price-lists/${id}/versions`, dearer)
  // The dialog that asks anew comes while the first one fades out: here that takes a minute.
  await page.emulateMedia({ reducedMotion: 'no-preference' })
  await page.evaluate(() => {
    const later = globalThis.setTimeout
    const slowly = (work: () => void, ms?: number) => later(work, ms === 200 ? 60_000 : ms)
    globalThis.setTimeout = slowly as typeof globalThis.setTimeout
  })
  await dialog.getByRole('button', { name: 'Envoyer' }).click()
  await dialog.getByText('Le prix a changé : c’était 3 crédits.').waitFor()
  await dialog.getByRole('row', { name: /^Coût 7 crédits \(0,70\sCHF\)$/ }).waitFor()
  await assertAccessible(page)
  assert.equal((await account.expect(200).get('/messages')).body.meta.totalItems, 0)
  await dialog.getByRole('button', { name: 'Envoyer' }).click()
  await page.getByText('Envoi lancé.').waitFor()
  assert.equal((await account.expect(200).get('/users/credits')).body[0].credits, 93)

  // The history of credits on a phone: day and time are whole.
  await page.setViewportSize({ width: 390, height: 844 })
  await goTo(page, '/credits')
  const history = page.getByRole('table', { name: 'Historique des crédits' })
  await history.getByText('Débité').or(history.getByText('Réservé')).first().waitFor()
  const cut = await history
    .getByRole('cell')
    .evaluateAll((cells) => cells.filter((cell) => cell.scrollWidth > cell.clientWidth).map((cell) => cell.textContent))
  assert.deepEqual(cut, [])
  await assertFits(page)
})

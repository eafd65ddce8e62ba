import { strict as assert } from 'node:assert'
import { hasFrench } from '../../console/src/features/senders/french-rules.ts'
import { COUNTRIES, ELSEWHERE, NAME_FORMS } from '../../src/compliance/countries.ts'
import { eventually } from '../checks/eventually.ts'
import { assertAccessible, goTo, logIn, openConsole } from './console-page.ts'
import { startService, test } from './console-service.ts'

test('an account declares a sender with a proof, the operator decides with what is needed, and both see what became of it', async (t) => {
  const { url, operator, newAccount } = await startService(t)
  const [account, other] = [await newAccount(), await newAccount()]
  await other.expect(200).post('/senders', { name: 'G00DSHOP' })
  const page = await openConsole(t, { url, as: account, path: '/senders', refusals: [400] })
  await page.getByText('No sender declared').waitFor()
  await page.getByRole('button', { name: 'Declare a sender' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name or number').fill('GOODSHOP')
  await dialog.getByText('Looks like G00DSHOP of another account.').waitFor()
  await dialog.getByLabel('Why you may use it').fill('Trade mark 4567890.')
  await dialog.getByLabel('A page that shows it').fill('nowhere')
  await dialog.getByRole('button', { name: 'Declare' }).click()
  await dialog.getByRole('alert').waitFor()
  await dialog.getByLabel('A page that shows it').fill('https://shop.example/legal')
  await dialog.getByRole('button', { name: 'Declare' }).click()
  const card = page.getByRole('region', { name: 'GOODSHOP' })
  await card.getByText('Waiting').waitFor()
  const proof = { name: 'mark.pdf', mimeType: 'application/pdf', buffer: Buffer.from('%PDF-1.4 A trade mark.') }
  await card.locator('xpath=.//input[@type="file"] | ..//input[@type="file"]').first().setInputFiles(proof)
  await card.getByText('Download the file (mark.pdf)').waitFor()
  await assertAccessible(page)
  await page.getByRole('tab', { name: 'Country rules' }).click()
  await page.getByRole('region', { name: 'France' }).getByText('from 08:00 to 20:00').waitFor()
  await assertAccessible(page)

  await page.getByRole('button', { name: 'Log out' }).click()
  await logIn(page, operator)
  await page.getByRole('heading', { name: 'Home' }).waitFor()
  await goTo(page, '/senders')
  await page.getByRole('tab', { name: 'Requests' }).click()
  const request = page.getByRole('region', { name: 'GOODSHOP' })
  await request.getByText(`Looks like G00DSHOP of another account (account ${other.id}).`).waitFor()
  await request.getByText('Trade mark 4567890.').waitFor()
  const saved = page.waitForEvent('download')
  await request.getByText('Download the file (mark.pdf)').click()
  assert.equal((await saved).suggestedFilename(), 'mark.pdf')
  await assertAccessible(page)
  await request.getByRole('button', { name: 'Approve' }).click()
  await request.waitFor({ state: 'detached' })
  await page.getByRole('region', { name: 'G00DSHOP' }).getByRole('button', { name: 'Refuse' }).click()
  await page.getByLabel('Reason, which the account reads').fill('It looks like another shop.')
  await page.getByRole('dialog').getByRole('button', { name: 'Refuse' }).click()
  await page.getByText('Nothing to decide').waitFor()
  const { body } = await other.expect(200).get('/senders')
  assert.deepEqual([body.senders[0].state, body.senders[0].reason], ['refused', 'It looks like another shop.'])
  assert.equal((await account.expect(200).get('/senders')).body.senders[0].state, 'approved')

  await page.getByRole('tab', { name: 'Numbers' }).click()
  await page.getByRole('region', { name: '36111' }).getByRole('button', { name: 'Grant' }).click()
  await page.getByRole('combobox', { name: 'Ids of accounts' }).fill(String(account.id))
  await page.keyboard.press('Enter')
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
  await page.getByRole('region', { name: '36111' }).getByText(`(${account.id})`).waitFor()
  await page.getByRole('tab', { name: 'Lists' }).click()
  const list = { name: 'list.csv', mimeType: 'text/csv', buffer: Buffer.from('name;kind\nBADNAME;forbidden\n') }
  await page.locator('input[type="file"]').setInputFiles(list)
  await page.getByText('BADNAME').waitFor()
  await assertAccessible(page)

  await account.expect(200).post('/senders', { name: 'SHOPPING', countries: ['ES', 'IN', 'US'] })
  const french = await openConsole(t, { url, as: account, path: '/senders', language: 'fr' })
  const findings = french.getByRole('region', { name: 'SHOPPING' })
  await findings.getByText(/^Espagne\s: doit figurer au registre du pays \(Registro de Alias de la CNMC/).waitFor()
  await findings.getByText('Inde : doit avoir 6 lettres pour IN, comme MYSHOP.').waitFor()
  await findings.getByText(/^États-Unis\s: doit être un numéro/).waitFor()

  await goTo(page, `/operator/accounts/${account.id}`)
  const mode = page.getByRole('region', { name: 'Sender register' })
  await mode.getByText('Enforce', { exact: true }).click()
  await mode.getByText('Now: Enforce').waitFor()
  // Processes learn of a new mode within a second.
  await eventually(() => account.expect(403).put('/users/me', { settings: { sender: 'UNKNOWN' } }))
})

test('every sentence of the country rules has its French one', () => {
  const missing = [...COUNTRIES, ELSEWHERE]
    .flatMap(({ names, numbers, tolerated, forbidden, note }) => [
      NAME_FORMS[names.form].words,
      names.register,
      numbers,
      ...tolerated,
      ...forbidden,
      note
    ])
    .filter((text) => !hasFrench(text))
  assert.deepEqual(missing, [])
})

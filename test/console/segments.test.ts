import { assertAccessible, goTo, openConsole } from './console-page.ts'
import { startService, test } from './console-service.ts'

test('a segment is built with its count and sent to; a number leads to the page of its person', async (t) => {
  const { url, operator } = await startService(t)
  const [list, other] = [
    (await operator.expect(200).post('/contactlists', { name: 'Clients' })).body.id,
    (await operator.expect(200).post('/contactlists', { name: 'Partis' })).body.id
  ]
  const contacts = [
    { tel: '0639980001', champ_prenom: 'Léa', champ_nom: 'Martin', champ_ville: 'Lyon' },
    { tel: '0639980002', champ_ville: 'Lyon' },
    { tel: '0639980003', champ_ville: 'Paris' }
  ]
  await operator.expect(200).post('/contacts', { contactlist_id: list, contacts })
  await operator.expect(200).post('/contacts', { contactlist_id: other, contacts: contacts.slice(0, 1) })
  await operator.expect(200).post('/stops', { recipient: '0639980001' })
  await operator.expect(200).post('/consents', { consents: [{ recipient: '0639980001', wording: 'J’accepte tout' }] })

  const page = await openConsole(t, { url, as: operator, path: '/segments' })
  await page.getByRole('button', { name: 'New segment' }).first().click()
  await page.getByLabel('Name').fill('Lyon')
  await page.getByText('Complete the rules to see how many people match.').waitFor()
  await page.getByLabel('Value').fill('lyon')
  await page.getByText('2 people').waitFor()
  await page.getByRole('button', { name: 'Event' }).click()
  await page.getByRole('combobox', { name: 'Period' }).click()
  await page.getByRole('option', { name: 'since a date' }).click()
  await page.getByText('Complete the rules to see how many people match.').waitFor()
  await page.getByLabel('Day').fill('2026-01-01')
  await page.getByText('2 people').waitFor()
  await page.getByRole('button', { name: 'List' }).click()
  await page.getByRole('combobox', { name: 'Condition' }).last().click()
  await page.getByRole('option', { name: 'is not in the list' }).click()
  await page.getByRole('combobox', { name: 'List' }).click()
  await page.getByRole('option', { name: 'Partis' }).click()
  await page.getByText('1 person', { exact: true }).waitFor()
  await assertAccessible(page)
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('heading', { name: 'Lyon' }).waitFor()
  await page.getByRole('button', { name: 'Send to this segment' }).click()
  await page.getByLabel('Text').first().fill('Bonjour')
  await page.getByRole('region', { name: 'Recipients' }).getByText('Lyon').waitFor()
  await page.getByRole('row', { name: 'Recipients 1' }).waitFor()

  await goTo(page, '/stops')
  await page.getByRole('link', { name: /98 00 01.*Léa Martin/ }).click()
  await page.getByRole('heading', { name: 'Léa Martin' }).waitFor()
  await page.getByText('J’accepte tout').waitFor()
  await page.getByText(/^Opted out since/).waitFor()
  await page.getByRole('link', { name: 'Clients' }).waitFor()
  await assertAccessible(page)
})

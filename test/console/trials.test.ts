import { strict as assert } from 'node:assert'
import { assertAccessible, goTo, openConsole } from './console-page.ts'
import { startService, test } from './console-service.ts'

test('a trial is priced, begun, compared side by side and decided by hand; a written message becomes a scheduled one', async (t) => {
  const { url, operator } = await startService(t)
  const list = (await operator.expect(200).post('/contactlists', { name: 'Clients' })).body.id
  const contacts = ['0612000001', '0612000002', '0612000003', '0612000004', '0612000005'].map((tel) => ({ tel }))
  await operator.expect(200).post('/contacts', { contactlist_id: list, contacts })
  const page = await openConsole(t, { url, as: operator, path: '/trials' })
  await page.getByRole('button', { name: 'New trial' }).first().click()
  await page.getByLabel('Name').fill('Soldes')
  await page.getByRole('combobox', { name: 'The winner is chosen by' }).click()
  await page.getByRole('option', { name: 'My choice' }).click()
  await page.getByRole('combobox', { name: 'Contact lists' }).click()
  await page.getByRole('option', { name: /Clients/ }).click()
  await page.getByLabel('Text of A').fill('Bonjour')
  await page.getByLabel('Text of B').fill('Salut')
  await page.getByRole('row', { name: 'In all, at most 5' }).waitFor()
  await assertAccessible(page)
  // It would be sent at once, to many people: its price is confirmed first.
  await page.getByRole('button', { name: 'Begin the trial' }).click()
  const dialog = page.getByRole('dialog', { name: 'Begin the trial now?' })
  await dialog.getByRole('row', { name: 'In all, at most 5' }).waitFor()
  await assertAccessible(page)
  await dialog.getByRole('button', { name: 'Begin the trial' }).click()
  await page.getByText('3 people wait for the winner.').waitFor()
  await page.getByRole('region', { name: 'Variant A' }).getByText('Bonjour').waitFor()
  await assertAccessible(page)
  await page.getByRole('button', { name: 'Choose B' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Choose B' }).click()
  await page.getByText('B was chosen by hand.').waitFor()
  await page.getByRole('region', { name: 'Variant B' }).getByText('Winner').waitFor()
  await page.getByRole('link', { name: 'Message to the rest' }).click()
  await page.getByRole('heading', { name: 'Soldes' }).waitFor()

  // A message that is being written becomes the first variant; here of RCS, and later.
  await goTo(page, '/send')
  await page.getByLabel('Text', { exact: true }).fill('Bonsoir')
  await page.getByRole('link', { name: 'Compare variants (A/B)' }).click()
  await page.getByRole('heading', { name: 'New trial' }).waitFor()
  assert.equal(await page.getByLabel('Text of A').inputValue(), 'Bonsoir')
  await page.getByLabel('Name').fill('Cartes')
  await page.getByRole('combobox', { name: 'The winner is chosen by' }).click()
  await page.getByRole('option', { name: 'My choice' }).click()
  await page.getByText('Later', { exact: true }).click()
  await page.getByRole('combobox', { name: 'Contact lists' }).click()
  await page.getByRole('option', { name: /Clients/ }).click()
  await page.keyboard.press('Escape')
  await page.getByText('RCS', { exact: true }).click()
  for (const label of ['A', 'B']) {
    await page
      .getByRole('group', { name: `Variant ${label}` })
      .getByLabel('Title')
      .fill(`Card ${label}`)
  }
  await page.getByRole('row', { name: 'In all, at most 10' }).waitFor()
  await assertAccessible(page)
  await page.getByRole('button', { name: 'Schedule the trial' }).click()
  await page.getByRole('dialog', { name: 'Schedule the trial?' }).getByRole('button', { name: 'Schedule' }).click()
  await page.getByText(/^Begins on/).waitFor()
  const { items } = (await operator.expect(200).get('/trials')).body
  const trial = (await operator.expect(200).get(`/trials/${items[0].id}`)).body
  assert.deepEqual([trial.state, trial.channel, trial.variants[1].message.data.title], ['scheduled', 'rcs', 'Card B'])
})

import { strict as assert } from 'node:assert'
import { eventually } from '../checks/eventually.ts'
import { assertAccessible, assertFits, openConsole, readDownload } from './console-page.ts'
import { startService, test } from './console-service.ts'

const SANDBOX = { settings: { CHAPPE_ROLES: 'all' } }

test('a message is found again, followed to each recipient and their phone, exported, and cancelled once', async (t) => {
  const { url, operator } = await startService(t, SANDBOX)
  const recipients = ['+33639980000', '+33639980001', '+33639980002']
  await operator.expect(200).post('/messages/sms', { recipients, content: 'Bonjour à tous' })
  const scheduleAt = new Date(Date.now() + 3_600_000).toISOString()
  await operator.expect(200).post('/messages/sms', { recipients, content: 'À plus tard', scheduleAt })
  const page = await openConsole(t, { url, as: operator, path: '/messages', refusals: [503] })
  await page.getByLabel('Search in names and texts').fill('Bonjour')
  await page.getByRole('row', { name: /À plus tard/ }).waitFor({ state: 'detached' })
  await page.getByRole('row', { name: /Bonjour à tous/ }).click()

  await page.getByRole('heading', { name: 'Message 1' }).waitFor()
  const funnel = page.getByRole('region', { name: 'How far it got' })
  await funnel.getByText('Rejected by the operator').waitFor()
  // Whom it did not reach was handed over too.
  await funnel.getByText('Handed to the carrier').locator('..').getByText('100%').waitFor()
  await page.getByRole('row', { name: /Rejected by the operator/ }).waitFor()
  await page.getByRole('row', { name: /98 00 00/ }).click()
  const drawer = page.getByRole('dialog', { name: '+33 6 39 98 00 00' })
  await drawer.getByText('Bonjour à tous').waitFor()
  await assertAccessible(page)
  await drawer.getByRole('button', { name: 'Open on a virtual phone' }).click()
  await page.getByRole('complementary', { name: 'Virtual phone' }).getByText('Bonjour à tous').waitFor()

  const saving = page.getByRole('button', { name: 'Export as CSV' })
  const { text } = await readDownload(page, () => saving.click())
  assert.equal(text.trim().split('\n').length, 4)
  await page.route('**/recipients/sms/extract', (route) =>
    route.fulfill({ status: 503, json: { status: 503, code: 'unavailable', error: 'Not now.', request_id: '1' } })
  )
  await saving.click()
  await page.getByRole('alert').getByText('Not now.').waitFor()

  await page.goBack()
  await eventually(async () => assert.equal(await page.getByLabel('Search in names and texts').inputValue(), 'Bonjour'))
  await page.getByLabel('Search in names and texts').fill('tard')
  await page.getByRole('row', { name: /À plus tard/ }).click()
  await page.getByRole('button', { name: 'Pause' }).click()
  await page.getByRole('dialog', { name: 'Pause this message?' }).getByRole('button', { name: 'Pause' }).click()
  await page.getByText(/^Paused since/).waitFor()
  await page.getByText(/^3 on /).waitFor()
  await page.getByRole('button', { name: 'Name and tags' }).click()
  const labels = page.getByRole('dialog', { name: 'Name and tags' })
  await labels.getByLabel('Name').fill('Soldes')
  await labels.getByLabel('Tags').fill('hiver')
  await labels.getByLabel('Tags').press('Enter')
  await labels.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('heading', { name: 'Soldes' }).waitFor()
  await page.getByRole('button', { name: 'Resume' }).click()
  await page.getByText(/^Paused since/).waitFor({ state: 'detached' })
  await page.getByRole('link', { name: 'Change' }).click()
  await page.getByText(/takes the place of message 2/).waitFor()
  await eventually(async () => assert.equal(await page.getByLabel('Text', { exact: true }).inputValue(), 'À plus tard'))
  await page.getByLabel('Text', { exact: true }).fill('À demain')
  await page.getByRole('button', { name: 'Replace' }).click()
  const confirmed = page.getByRole('dialog')
  await confirmed.getByRole('button', { name: 'Schedule' }).click()
  await page.getByText('Replaces message').waitFor()
  await page.emulateMedia({ reducedMotion: 'no-preference' })
  await page.getByRole('button', { name: 'Cancel', exact: true }).click()
  const asked = page.getByRole('dialog', { name: 'Cancel this message?' })
  // A second cancel would be refused, and that fails the test.
  await asked.getByRole('button', { name: 'Cancel', exact: true }).dblclick()
  await asked.waitFor({ state: 'detached' })
  await page.getByRole('img', { name: 'Cancelled 3' }).waitFor()
})

test('an answer whose receipt was lost on the way is sent once, and the way back leads to the conversations', async (t) => {
  const { url, operator } = await startService(t, SANDBOX)
  await operator.expect(200).post('/messages/sms', { recipients: ['+33639980005'], content: 'Bonjour' })
  await eventually(async () => assert.equal((await operator.get('/messages/replies')).body.meta.totalItems, 1))
  const page = await openConsole(t, { url, as: operator, path: '/inbox', language: 'fr', width: 390 })
  const line = page.getByRole('button', { name: /\+33 6 39 98 00 05/ })
  await line.click()
  await assertFits(page)
  // The service takes the first try; what it answers does not arrive.
  await page.route('**/messages/sms', async (route) => {
    await route.fetch()
    await route.abort()
  })
  await page.getByRole('textbox', { name: 'Répondre' }).fill('Entendu')
  await page.getByRole('button', { name: 'Envoyer la réponse' }).click()
  await page.getByText('Vérifiez votre connexion').waitFor()
  await page.unroute('**/messages/sms')
  await page.getByRole('button', { name: 'Envoyer la réponse' }).click()
  await page.getByRole('log').getByText('Entendu').waitFor()
  assert.equal((await operator.get('/messages')).body.meta.totalItems, 2)
  // The same words again are another answer.
  await page.getByRole('textbox', { name: 'Répondre' }).fill('Entendu')
  await page.getByRole('button', { name: 'Envoyer la réponse' }).click()
  await page.getByRole('log').getByText('Entendu').nth(1).waitFor()
  await page.goBack()
  await line.waitFor()
})

import { strict as assert } from 'node:assert'
import { startService, test } from '../service/service.ts'
import { assertAccessible, goTo, openConsole } from './console-page.ts'

test('consents, rules of marketing and the operator’s list are kept in the console; a link opts out without JavaScript', async (t) => {
  const { url, operator } = await startService(t)
  const page = await openConsole(t, { url, as: operator, path: '/consents', refusals: [404] })
  await page.getByRole('button', { name: 'Add a consent' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Phone number').fill('06 39 98 00 13')
  await dialog.getByLabel('The words that the person was shown').fill('J’accepte')
  await dialog.getByRole('button', { name: 'Add' }).click()
  await page.getByText('The consent is stored.').waitFor()
  const keywords = page.getByRole('region', { name: 'Keywords' })
  await keywords.getByLabel('Word').fill('join')
  await keywords.getByLabel('Question').fill('Reply YES to get our offers.')
  await keywords.getByRole('button', { name: 'Add the keyword' }).click()
  await keywords.getByText('JOIN on 36111').waitFor()
  await assertAccessible(page)
  await page.getByRole('button', { name: /^Withdraw the consent of/ }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Withdraw' }).click()
  await page.getByText('The consent is withdrawn.').waitFor()
  const [consent] = (await operator.expect(200).get('/consents/by-number/0639980013')).body
  assert.deepEqual([consent.wording, consent.withdrawal], ['J’accepte', 'console'])

  await goTo(page, '/settings')
  const rules = page.getByRole('region', { name: 'Consent and caps' })
  await rules.getByLabel('Messages to one person (0: no cap)').fill('2')
  await rules.getByRole('button', { name: 'Save the rules' }).click()
  await page.getByText('The rules are saved.').waitFor()
  assert.equal((await operator.expect(200).get('/users/me')).body.settings.marketing_cap, 2)

  await goTo(page, '/operator')
  await page.getByRole('tab', { name: 'STOPs for all' }).click()
  await page.getByLabel('Phone number').fill('06 39 98 00 06')
  await page.getByLabel('Reason').fill('Complaint')
  await page.getByRole('button', { name: 'Add the number' }).click()
  await page.getByText('is on the list.').waitFor()
  await assertAccessible(page)

  const send = { recipients: ['+33639980014'], content: 'Sale #STOP_URL#' }
  const scheduleAt = new Date(Date.now() + 20 * 86_400_000).toISOString()
  const { body } = await operator.expect(200).post('/messages/sms', { ...send, scheduleAt })
  const { items } = (await operator.expect(200).get(`/messages/${body.message_id}/recipients/sms`)).body
  const browser = page.context().browser()
  assert.ok(browser)
  const plain = await (await browser.newContext({ javaScriptEnabled: false, locale: 'fr-FR' })).newPage()
  await plain.goto(/http\S+/.exec(items[0].content)?.[0] ?? '')
  await plain.getByRole('button', { name: 'Me désinscrire' }).click()
  await plain.getByRole('heading', { name: 'C’est fait' }).waitFor()
  await plain.context().close()
  await goTo(page, '/stops')
  await page.getByText(`By a link, message ${body.message_id}`).waitFor()
  await assertAccessible(page)
})

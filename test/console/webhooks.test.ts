import { strict as assert } from 'node:assert'
import { eventually } from '../checks/eventually.ts'
import { startReceiver } from '../peers/receiver.ts'
import { assertAccessible, openConsole } from './console-page.ts'
import { startService, test } from './console-service.ts'

test('a webhook is set up, tested, looked at and replayed; its secret is shown once and rotated', async (t) => {
  const receiver = await startReceiver(t)
  const { url, operator } = await startService(t, {
    settings: { CHAPPE_ROLES: 'all', CHAPPE_WEBHOOK_ALLOW_PRIVATE: 'true' }
  })
  const page = await openConsole(t, { url, as: operator, path: '/webhooks', refusals: [400] })
  await page.getByRole('button', { name: 'Add a webhook' }).click()
  const dialog = page.getByRole('dialog', { name: 'New webhook' })
  await dialog.getByLabel('URL').fill('ftp://example.com')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.getByRole('alert').waitFor()
  await assertAccessible(page)
  await dialog.getByLabel('URL').fill(receiver.url)
  await dialog.getByRole('button', { name: 'Save' }).click()
  const secret = page.getByRole('dialog', { name: 'Signing secret' })
  const first = await secret.getByRole('textbox', { name: 'Signing secret' }).inputValue()
  assert.match(first, /^whsec_/)
  await assertAccessible(page)
  await secret.getByRole('button', { name: 'I’ve saved it' }).click()

  await page.getByRole('button', { name: `Actions for ${receiver.url}` }).click()
  await page.getByRole('menuitem', { name: 'Send a test' }).click()
  const rows = page.getByRole('table', { name: 'Deliveries' }).getByRole('row')
  await rows.filter({ hasText: 'Delivered' }).first().click()
  const details = page.getByRole('dialog', { name: /^Delivery \d+$/ })
  await details.getByText('thank you').waitFor()
  await assertAccessible(page)
  const before = receiver.posts.length
  await details.getByRole('button', { name: 'Redeliver' }).click()
  await page.getByText('The event is delivered again.').waitFor()
  await eventually(() => assert.equal(receiver.posts.length, before + 1))
  assert.equal(receiver.posts[before]?.headers['webhook-id'], receiver.posts[before - 1]?.headers['webhook-id'])

  await page.getByRole('button', { name: 'Rotate the secret' }).click()
  await page
    .getByRole('dialog', { name: /^Rotate/ })
    .getByRole('button', { name: 'Rotate the secret' })
    .click()
  const next = await page
    .getByRole('dialog', { name: 'Signing secret' })
    .getByRole('textbox', { name: 'Signing secret' })
    .inputValue()
  assert.notEqual(next, first)
  await page.getByRole('button', { name: 'I’ve saved it' }).click()
  await page.getByRole('button', { name: `Actions for ${receiver.url}` }).click()
  await page.getByRole('menuitem', { name: 'Delete' }).click()
  await page.getByRole('dialog', { name: 'Delete this webhook?' }).getByRole('button', { name: 'Delete' }).click()
  await page.getByText('No webhook yet').waitFor()
})

test('a webhook that nothing reaches says so, on its page and at home', async (t) => {
  const receiver = await startReceiver(t, () => 503)
  const { url, operator } = await startService(t, {
    settings: { CHAPPE_ROLES: 'all', CHAPPE_WEBHOOK_ALLOW_PRIVATE: 'true' }
  })
  await operator.expect(200).put('/webhooks', { webhooks: [{ type: 'replies', url: receiver.url }] })
  await operator.expect(200).post('/webhooks/test', { type: 'replies' })
  await eventually(async () => {
    const { body } = await operator.expect(200).get('/webhooks')
    assert.equal(typeof body.webhooks[0].failing_since, 'string')
  })
  const page = await openConsole(t, { url, as: operator, path: '/webhooks' })
  const line = page.getByRole('article', { name: receiver.url })
  await line.getByText('Failing', { exact: true }).waitFor()
  await line.getByText(/^Nothing has arrived since .+\. After five days/).waitFor()
  await assertAccessible(page)
  await page.goto(`${url}/`)
  await page.getByText(/The webhook .+ fails: nothing has arrived since/).waitFor()
})

test('a webhook is changed as it is now: what was added elsewhere meanwhile stays', async (t) => {
  const { url, operator } = await startService(t, { settings: { CHAPPE_WEBHOOK_ALLOW_PRIVATE: 'true' } })
  const first = { type: 'replies', url: 'https://127.0.0.1/one' }
  const second = { type: 'replies', url: 'https://127.0.0.1/two' }
  const third = { type: 'clicks', url: 'https://127.0.0.1/three' }
  await operator.expect(200).put('/webhooks', { webhooks: [first, second] })
  const page = await openConsole(t, { url, as: operator, path: '/webhooks' })
  await page.getByRole('button', { name: `Actions for ${second.url}` }).click()
  await page.getByRole('menuitem', { name: 'Edit' }).click()
  const dialog = page.getByRole('dialog', { name: 'Webhook' })
  await operator.expect(200).put('/webhooks', { webhooks: [second, third] })
  await dialog.getByLabel('Events per request').fill('7')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.waitFor({ state: 'detached' })
  const { body } = await operator.get('/webhooks')
  assert.deepEqual(
    body.webhooks.map((webhook: { url: string; batch_size: number }) => [webhook.url, webhook.batch_size]),
    [
      [second.url, 7],
      [third.url, 1]
    ]
  )
})

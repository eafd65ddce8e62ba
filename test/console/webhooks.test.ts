import { strict as assert } from 'node:assert'
import { SENTENCES } from '../../console/src/lib/french-sentences.ts'
import { privateFailure, sentenceOf, timeOutFailure } from '../../src/webhooks/post-failure.ts'
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
  await dialog.getByLabel('Address').fill('ftp://example.com')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.getByRole('alert').waitFor()
  await assertAccessible(page)
  await dialog.getByLabel('Address').fill(receiver.url)
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
  await dialog.getByLabel('Records in one request').fill('7')
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

test('sentences of the service about files and webhooks have a French form', () => {
  const codes = ['ENOTFOUND', 'ENODATA', 'ESERVFAIL', 'ECONNREFUSED', 'ECONNRESET', 'ETIMEDOUT', 'EHOSTUNREACH']
  const tls = ['ERR_TLS_CERT_ALTNAME_INVALID', 'CERT_HAS_EXPIRED', 'SELF_SIGNED_CERT_IN_CHAIN', 'EPROTO']
  const failures = [...codes, ...tls, 'HPE_INVALID_CONSTANT', 'HPE_HEADER_OVERFLOW', 'EOTHER'].map((code) =>
    sentenceOf(Object.assign(new Error(), { code }), 'example.com')
  )
  const waited = [undefined, { connecting: true }, { connecting: false }].map(
    (socket) => timeOutFailure({ socket } as never, 10_000).message
  )
  const files = ['a quote is opened here and never closed', 'a closing quote is followed by more text', 'is empty']
  for (const sentence of [...failures, ...waited, privateFailure('example.com').message, ...files]) {
    const found = SENTENCES.find(([pattern]) => pattern.test(sentence))
    assert.ok(found, sentence)
    assert.doesNotMatch(sentence.replace(found[0], found[1]), /\$\d|receiver/)
  }
})

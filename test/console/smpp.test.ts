import { strict as assert } from 'node:assert'
import { bindForeign, ERRORS, tryBind } from '../../simulator/smpp/foreign-client.ts'
import { addressOf, NO_SENDER } from '../service/smpp-customer.ts'
import { assertAccessible, assertFits, openConsole } from './console-page.ts'
import { startService, test } from './console-service.ts'

/** Kept for a look, where the environment names a folder. */
const PICTURES = process.env.CHAPPE_TEST_PICTURES

test('SMPP credentials to try are made, bound with, changed, rotated and deleted', async (t) => {
  const service = await startService(t, { settings: { CHAPPE_ROLES: 'all', CHAPPE_SMPP_PORT: '0' } })
  const account = await service.newAccount({ credits: 10 })
  const page = await openConsole(t, { url: service.url, as: account })
  const look = async (name: string) => {
    await assertAccessible(page)
    if (PICTURES) await page.screenshot({ path: `${PICTURES}/${name}.png`, fullPage: true })
  }
  await page.getByRole('link', { name: 'SMPP' }).click()
  await page.getByText('No credentials yet').waitFor()
  await look('smpp-none')
  await page.getByRole('button', { name: 'New credentials' }).click()
  const creation = page.getByRole('dialog', { name: 'New credentials' })
  await creation.getByRole('textbox', { name: 'Current password' }).fill(account.password)
  await look('smpp-new')
  await creation.getByRole('button', { name: 'New credentials' }).click()
  const read = (name: string) => creation.getByRole('textbox', { name, exact: true }).inputValue()
  const password = await read('Password')
  const systemId = await read('system_id')
  const address = { host: await read('Host'), port: Number(await read('Port')) }
  assert.deepEqual(address, addressOf(service))
  const phone = await read('To try')
  await look('smpp-password')
  await creation.getByRole('button', { name: 'I’ve saved it' }).click()

  const client = await bindForeign(t, address, { systemId, password })
  assert.equal((await client.submit(phone, 'Bonjour', NO_SENDER)).command_status, 0)
  const card = page.getByRole('region', { name: systemId })
  await card.getByText('1 of 4 binds').waitFor()
  await card.getByText('transceiver · 127.0.0.1 · SMPP 3.4').waitFor()
  await look('smpp')
  await page.setViewportSize({ width: 390, height: 900 })
  await assertFits(page)
  await look('smpp-phone')
  await page.setViewportSize({ width: 1280, height: 900 })

  await card.getByRole('button', { name: 'Change' }).click()
  const change = page.getByRole('dialog', { name: systemId })
  await change.getByLabel('Submits/s').fill('20')
  await change.getByLabel('Binds at once').fill('2')
  await change.getByRole('button', { name: 'Save' }).click()
  await card.getByText('1 of 2 binds').waitFor()
  await card.getByText('20 submits/s').waitFor()

  await card.getByRole('button', { name: 'Rotate' }).click()
  const rotation = page.getByRole('dialog', { name: 'Rotate this password?' })
  await rotation.getByRole('textbox', { name: 'Current password' }).fill(account.password)
  await rotation.getByRole('button', { name: 'Rotate' }).click()
  const fresh = await page.getByRole('dialog').getByRole('textbox', { name: 'Password', exact: true }).inputValue()
  await page.getByRole('button', { name: 'I’ve saved it' }).click()
  await client.closed
  assert.equal((await tryBind(t, address, { systemId, password })).answer.command_status, ERRORS.ESME_RINVPASWD)
  const next = await bindForeign(t, address, { systemId, password: fresh })

  await card.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('dialog', { name: 'Delete these credentials?' }).getByRole('button', { name: 'Delete' }).click()
  await page.getByText('No credentials yet').waitFor()
  await next.closed
})

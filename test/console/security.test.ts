import { strict as assert } from 'node:assert'
import { codeOf } from '../service/authenticator.ts'
import type { TestAccount } from '../service/service.ts'
import { assertAccessible, assertFits, goTo, logIn, openConsole } from './console-page.ts'
import { startService, test } from './console-service.ts'
import { addAuthenticator } from './tabs.ts'

/** Kept for a look, where the environment names a folder. */
const PICTURES = process.env.CHAPPE_TEST_PICTURES

test('a person sets up an app and a passkey, keeps the codes, and logs in with each', async (t) => {
  const service = await startService(t)
  const url = service.url.replace('127.0.0.1', 'localhost')
  const account = await service.newAccount()
  const page = await openConsole(t, { url, as: account, path: '/security', refusals: [400, 401] })
  const look = async (name: string) => {
    await assertAccessible(page)
    if (PICTURES) await page.screenshot({ path: `${PICTURES}/${name}.png` })
  }
  const dialog = page.getByRole('dialog')
  await addAuthenticator(page)

  await page.getByRole('button', { name: 'Set up an app' }).click()
  await dialog.getByRole('textbox', { name: 'Current password' }).fill('wrong')
  await dialog.getByRole('button', { name: 'Continue' }).click()
  await dialog.getByRole('alert').getByText('current_password is wrong').waitFor()
  await dialog.getByRole('textbox', { name: 'Current password' }).fill(account.password)
  await dialog.getByRole('button', { name: 'Continue' }).click()
  await dialog.getByRole('img', { name: 'QR code' }).waitFor()
  await look('security-app')
  const secret = await dialog.getByRole('textbox', { name: 'Or type this secret' }).inputValue()
  await dialog.getByLabel('Code of the app').fill(codeOf(secret))
  await dialog.getByRole('button', { name: 'Confirm' }).click()
  await dialog.getByText('Your recovery codes').waitFor()
  await look('security-codes')
  const download = page.waitForEvent('download')
  await dialog.getByRole('button', { name: 'Download' }).click()
  assert.equal((await download).suggestedFilename(), 'chappe-recovery-codes.txt')
  await dialog.getByRole('button', { name: 'I’ve saved them' }).click()
  await page.getByText('10 codes are left.').waitFor()

  await page.getByRole('button', { name: 'Add a passkey' }).click()
  await dialog.getByLabel('Name').fill('Laptop')
  await dialog.getByRole('textbox', { name: 'Current password' }).fill(account.password)
  await dialog.getByRole('button', { name: 'Add a passkey' }).click()
  await page.getByText('Laptop').waitFor()
  await page.getByText('added').waitFor()
  await look('security')
  await page.setViewportSize({ width: 390, height: 900 })
  await assertFits(page)
  await page.setViewportSize({ width: 1280, height: 900 })

  await logOutAndType(account)
  await look('log-in-factor')
  await page.getByRole('button', { name: 'Use a passkey' }).click()
  await page.locator('#page h1').waitFor()
  await logOutAndType(account)
  await page.getByLabel('Code').fill('000000')
  await page.getByRole('button', { name: 'Log in' }).click()
  await page.getByRole('alert').getByText('The code is wrong').waitFor()
  await service.pool`update totp_secrets set last_step = 0`
  await page.getByLabel('Code').fill(codeOf(secret))
  await page.getByRole('button', { name: 'Log in' }).click()
  await page.locator('#page h1').waitFor()

  async function logOutAndType({ email, password }: TestAccount): Promise<void> {
    await page.getByRole('button', { name: 'Log out' }).click()
    await page.getByLabel('Email').fill(email)
    await page.getByRole('textbox', { name: 'Password' }).fill(password)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Second factor' }).waitFor()
  }
})

test('where a second factor is required, every page leads to its set-up until there is one', async (t) => {
  const service = await startService(t)
  const account = await service.newAccount()
  await account.expect(200).put('/users/me/second-factor/requirement', { is_required: true })
  const page = await openConsole(t, { url: service.url, path: '/messages', language: 'fr', refusals: [403] })
  await logIn(page, account)
  await page.getByText('Ce compte exige un second facteur.').waitFor()
  await assertAccessible(page)
  if (PICTURES) await page.screenshot({ path: `${PICTURES}/security-required.png` })
  // Loaded anew: the page before it says the same.
  await page.goto(`${service.url}/app/contacts`)
  await page.getByText('Ce compte exige un second facteur.').waitFor()
  await page.getByRole('button', { name: 'Configurer une application' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox', { name: 'Mot de passe actuel' }).fill(account.password)
  await dialog.getByRole('button', { name: 'Continuer' }).click()
  const secret = await dialog.getByRole('textbox', { name: 'Ou saisissez ce secret' }).inputValue()
  await dialog.getByLabel('Code de l’application').fill(codeOf(secret))
  await dialog.getByRole('button', { name: 'Confirmer' }).click()
  await dialog.getByRole('button', { name: 'C’est noté' }).click()
  // The owner may change it now.
  await page.getByLabel('Exiger un second facteur de tous').click()
  await page.locator('input[role=switch]:not(:checked):not(:disabled)').waitFor()
  await goTo(page, '/contacts')
  await page.getByRole('heading', { name: 'Contacts' }).waitFor()
})

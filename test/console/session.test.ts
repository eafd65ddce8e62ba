import { startService, test } from '../service.ts'
import { goTo, logIn, openConsole } from './console-page.ts'

test('a link to the log-in leads to a page of ours or home, never elsewhere', async (t) => {
  const { url, operator } = await startService(t)
  const elsewhere = encodeURIComponent('https://elsewhere.example/app')
  const page = await openConsole(t, { url, as: operator, path: `/login?next=${elsewhere}` })
  await page.getByRole('heading', { name: 'Home' }).waitFor()
  await page.goto(`${url}/app/login?next=${elsewhere}`)
  await page.getByRole('heading', { name: 'Home' }).waitFor()
  await page.goto(`${url}/app/login?next=%2Fsettings`)
  await page.getByRole('heading', { name: 'Settings' }).waitFor()
})

test('a new password throws nobody out who changed it, though what is asked meanwhile is refused', async (t) => {
  const { url, newAccount } = await startService(t)
  const account = await newAccount()
  const page = await openConsole(t, { url, as: account, path: '/settings', refusals: [401] })
  const held = Promise.withResolvers<void>()
  await page.route('**/auth/login', async (route) => {
    await held.promise
    await route.continue()
  })
  await page.getByLabel('Current password').fill(account.password)
  await page.getByLabel('New password').fill('a better password')
  const refused = page.waitForResponse((response) => response.status() === 401)
  await page.getByRole('button', { name: 'Change the password' }).click()
  await page.getByText('Saved.').waitFor()
  await goTo(page, '/templates')
  await refused
  held.resolve()
  await page.getByText('No template yet').waitFor()
})

test('who logs out does so in all their tabs, and what was open goes too', async (t) => {
  const { url, operator, newAccount } = await startService(t)
  const page = await openConsole(t, { url, as: operator, path: '/api' })
  await page.getByRole('button', { name: 'Make a new key' }).click()
  await page.getByRole('dialog', { name: 'Make a new key?' }).waitFor()
  const [same, other] = [await page.context().newPage(), await page.context().newPage()]
  for (const tab of [same, other]) await tab.goto(`${url}/app/settings`)
  await logIn(same, operator)
  await logIn(other, await newAccount())
  await same.getByRole('button', { name: 'Log out' }).click()
  for (const tab of [same, page]) await tab.getByRole('heading', { name: 'Log in' }).waitFor()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await other.getByRole('heading', { name: 'Settings' }).waitFor()
})

import { strict as assert } from 'node:assert'
import { eventually } from '../checks/eventually.ts'
import { assertAccessible, goTo, logIn, openConsole } from './console-page.ts'
import { startService, test } from './console-service.ts'

test('a link to the log-in leads to a page of ours or home, never elsewhere', async (t) => {
  const { url, operator } = await startService(t)
  const elsewhere = encodeURIComponent('https://elsewhere.example/app')
  const page = await openConsole(t, { url, path: `/login?next=${elsewhere}` })
  await logIn(page, operator)
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

  // What another window has changed meanwhile stays as it is.
  await goTo(page, '/settings')
  const sending = page.getByRole('region', { name: 'Sending' })
  await sending.getByLabel('Sender').fill('VITRINE')
  await account.expect(200).put('/users/me', { settings: { hours_end: '18:00' } })
  const saved = page.waitForResponse((response) => response.request().method() === 'PUT')
  await sending.getByRole('button', { name: 'Save' }).click()
  await saved
  const { settings } = (await account.expect(200).get('/users/me')).body
  assert.deepEqual([settings.sender, settings.hours_end], ['VITRINE', '18:00'])
})

test('a new tab is logged in; who logs out does so in all their tabs, and what was open goes too', async (t) => {
  const { url, operator, newAccount, anonymous } = await startService(t)
  const page = await openConsole(t, { url, path: '/api' })
  await logIn(page, operator)
  await page.getByRole('button', { name: 'Rotate key' }).click()
  await page.getByRole('dialog', { name: 'Rotate the key?' }).waitFor()
  const [same, other] = [await page.context().newPage(), await page.context().newPage()]
  // A new tab is logged in; this one gets a session of its own, of somebody else.
  await same.goto(`${url}/app/settings`)
  await same.getByRole('heading', { name: 'Settings' }).waitFor()
  const { email, password } = await newAccount()
  const { token } = (await anonymous.post('/auth/login', { email, password })).body
  await other.goto(`${url}/app/settings`)
  await other.getByRole('heading', { name: 'Settings' }).waitFor()
  await other.evaluate((token) => {
    sessionStorage.setItem('chappe.session', JSON.stringify({ token, expiresAt: Date.now() + 600_000 }))
  }, token)
  await other.reload()
  await other.getByText(email).waitFor()
  const readToken = (tab: typeof page) =>
    tab.evaluate(() => JSON.parse(sessionStorage.getItem('chappe.session') ?? '').token as string)
  const tokens = [await readToken(same), await readToken(page)]
  await same.getByRole('button', { name: 'Log out' }).click()
  for (const tab of [same, page]) await tab.getByRole('heading', { name: 'Log in' }).waitFor()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await other.getByRole('heading', { name: 'Settings' }).waitFor()
  for (const token of tokens) {
    const headers = { authorization: `Bearer ${token}` }
    await eventually(async () => assert.equal((await fetch(`${url}/users/me`, { headers })).status, 401))
  }
})

test('when the last tab is closed, or nobody is logged in, a new tab shows the log-in', async (t) => {
  const { url, operator } = await startService(t)
  const page = await openConsole(t, { url })
  await logIn(page, operator)
  const context = page.context()
  const second = await context.newPage()
  await second.goto(`${url}/app/`)
  await second.getByRole('heading', { name: 'Home' }).waitFor()
  await page.close()
  await second.close()
  const third = await context.newPage()
  await third.goto(`${url}/app/`)
  await third.getByRole('heading', { name: 'Log in' }).waitFor()
  assert.equal(await third.evaluate(() => JSON.stringify({ ...localStorage }).includes('eyJ')), false)
})

test('a new key is made with the password, and shown once', async (t) => {
  const { url, newAccount } = await startService(t)
  const account = await newAccount()
  const page = await openConsole(t, { url, as: account, path: '/api', refusals: [400] })
  await page.getByRole('button', { name: 'Rotate key' }).click()
  const dialog = page.getByRole('dialog', { name: 'Rotate the key?' })
  await dialog.getByLabel('Current password').fill('a wrong one')
  await dialog.getByRole('button', { name: 'Rotate key' }).click()
  await dialog.getByText('wrong').waitFor()
  await assertAccessible(page)
  await dialog.getByLabel('Current password').fill(account.password)
  await dialog.getByRole('button', { name: 'Rotate key' }).click()
  await page.getByRole('dialog', { name: 'Your new key' }).waitFor()
  await account.expect(401).get('/users/me')
})

test('a service that is away is said to be, and waited for; a page not loaded yet comes when it is back', async (t) => {
  const { url, operator, stop, startPeer } = await startService(t)
  const page = await openConsole(t, { url, as: operator, path: '/operator', complaints: /could not be loaded/ })
  await page.getByRole('region', { name: 'sandbox', exact: true }).waitFor()
  await stop()
  await page.getByText('The service can’t be reached.').waitFor()
  await assertAccessible(page)
  await page.getByRole('link', { name: 'STOPs' }).click()
  await page.getByRole('status', { name: 'Loading' }).waitFor()
  await startPeer(t, { settings: { PORT: new URL(url).port } })
  await page.getByRole('heading', { name: 'STOPs' }).waitFor()
  await page.getByText('The service can’t be reached.').waitFor({ state: 'detached' })
})

test('a tab of an old build loads itself anew when a part of it is gone', async (t) => {
  const { url, operator } = await startService(t)
  const page = await openConsole(t, {
    url,
    as: operator,
    path: '/settings',
    refusals: [404],
    complaints: /could not be loaded/
  })
  let loads = 0
  page.on('framenavigated', () => loads++)
  // As after a new build: its page names another script, and what the old one names is not there. The first it asks for is a style.
  await page.route('**/app/', async (route) => {
    if (route.request().resourceType() === 'document') return route.continue()
    await route.fulfill({ contentType: 'text/html', body: '<script type="module" src="/app/assets/index-new.js">' })
  })
  await page.route(/assets\/home-/, (route) => (loads > 1 ? route.continue() : route.fulfill({ status: 404 })))
  await page.getByRole('link', { name: 'Home' }).hover()
  await page.getByRole('link', { name: 'Home' }).click()
  await page.getByRole('heading', { name: 'Home' }).waitFor()
})

test('over plain http, keys are copied and credits moved as over https', async (t) => {
  const { url, operator } = await startService(t)
  const { id } = await operator.newSubAccount()
  // An address that browsers do not trust as they do this machine's; what it is asked for is asked of the service.
  const plain = 'http://chappe.test'
  const page = await openConsole(t, { url, pictures: [plain], complaints: /untrustworthy|origin-keyed/ })
  await page.route(`${plain}/**`, async (route) => {
    const response = await route.fetch({ url: route.request().url().replace(plain, url) })
    await route.fulfill({ response })
  })
  await page.goto(`${plain}/app/sub-accounts/${id}`)
  assert.equal(await page.evaluate('isSecureContext'), false)
  await logIn(page, operator)
  await page.getByLabel('Number of credits').fill('5')
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  await page.getByText('The credits are moved.').waitFor()
  await goTo(page, '/api')
  await page.getByRole('button', { name: 'Copy' }).click()
  await page.getByRole('button', { name: 'Copied' }).waitFor()
})

test('the focus goes back to what opened a dialog, and into the page that one goes to', async (t) => {
  const { url, operator } = await startService(t)
  const page = await openConsole(t, { url, as: operator })
  const focused = () => page.evaluate<string>('document.activeElement.id || document.activeElement.textContent')
  await page.getByRole('link', { name: 'Webhooks' }).press('Enter')
  await page.getByRole('heading', { name: 'Webhooks' }).waitFor()
  await eventually(async () => assert.equal(await focused(), 'page'))
  await page.getByRole('button', { name: 'Add a webhook' }).press('Enter')
  await page.getByRole('dialog').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await eventually(async () => assert.equal(await focused(), 'Add a webhook'))
})

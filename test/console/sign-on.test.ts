import { strict as assert } from 'node:assert'
import { freePort } from '../../bench/free-port.ts'
import { eventually } from '../checks/eventually.ts'
import { CLIENT, startOpenIdProvider, Visitor } from '../peers/openid-provider.ts'
import { assertAccessible, openConsole } from './console-page.ts'
import { startService, test } from './console-service.ts'

test('single sign-on leads into the console, and connects a person by their password', async (t) => {
  const port = await freePort()
  const callback = `http://127.0.0.1:${port}/auth/oidc/callback`
  const provider = await startOpenIdProvider(t, { redirectUris: [callback] })
  const service = await startService(t, {
    settings: {
      PORT: String(port),
      CHAPPE_OIDC_ISSUER: provider.issuer,
      CHAPPE_OIDC_CLIENT_ID: CLIENT.id,
      CHAPPE_OIDC_CLIENT_SECRET: CLIENT.secret,
      CHAPPE_OIDC_GROUPS: 'groups; sales=2:sender',
      CHAPPE_OIDC_NAME: 'Example Corp'
    }
  })
  const account = await service.newAccount()
  const page = await openConsole(t, { url: service.url, path: '/login', refusals: [400, 401] })
  const button = page.getByRole('link', { name: 'Log in with Example Corp' })
  assert.equal(await button.getAttribute('href'), '/auth/oidc/start')
  await assertAccessible(page)
  if (process.env.CHAPPE_TEST_PICTURES) {
    await page.screenshot({ path: `${process.env.CHAPPE_TEST_PICTURES}/log-in-sign-on.png` })
  }

  // The way to the provider and back is gone by another browser, whose cookie this one then has: tests leave the host never.
  const comeBack = async (subject: string) => {
    const visitor = new Visitor()
    provider.logIn(subject)
    const address = await visitor.follow(`${service.url}/auth/oidc/start`)
    await page.context().addCookies(visitor.cookiesOf(service.url).map((cookie) => ({ ...cookie, url: callback })))
    await page.goto('about:blank')
    await page.goto(address)
  }
  provider.people.set('lea', { email: 'lea@corp.example', email_verified: true, groups: ['sales'] })
  await comeBack('lea')
  await page.getByRole('heading', { name: 'Home' }).waitFor()
  await eventually(() => assert.ok(!page.url().includes('sign_on')))
  await page.getByRole('button', { name: 'Log out' }).click()
  await page.getByRole('heading', { name: 'Log in' }).waitFor()

  provider.people.set('holder', { email: account.email, email_verified: true, groups: [] })
  await comeBack('holder')
  await page.getByRole('heading', { name: 'Connect your log-in' }).waitFor()
  await page.getByRole('textbox', { name: 'Password' }).fill(account.password)
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Home' }).waitFor()
})

import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import { openTab, withShop } from './shop.ts'

/* `npm run docs:images`: the pictures of the console in docs/images, taken anew. Look at what comes out. */

const images = join(import.meta.dirname, '../../docs/images')
await mkdir(images, { recursive: true })
await withShop(async ({ url, browser }) => {
  const desktop = { url, viewport: { width: 1280, height: 860 }, locale: 'en-GB' }
  await takeAll(await openTab(browser, desktop), url)
  const phone = { url, viewport: { width: 390, height: 844 }, locale: 'fr-FR', colorScheme: 'dark' } as const
  await take(await openTab(browser, phone), url, '/', 'phone-home')
})

async function takeAll(page: Page, url: string): Promise<void> {
  await take(page, url, '/', 'home')
  await take(page, url, '/send', 'send', async () => {
    await page.getByText('RCS', { exact: true }).click()
    await page.getByLabel('Phone numbers').fill('06 39 98 00 00\n06 39 98 00 12')
    await page.getByLabel('Title').fill('Soldes d’hiver')
    await page.getByLabel('Description').fill('Jusqu’à −50 % sur toute la collection, en magasin et en ligne.')
    await page.getByRole('button', { name: 'Add a button' }).click()
    await page.getByRole('menuitem', { name: 'Reply' }).click()
    await page.getByLabel('Label').fill('Me rappeler')
  })
  await take(page, url, '/messages', 'messages')
  await take(page, url, '/messages?', 'message', () =>
    page
      .getByRole('link', { name: /vente privée/ })
      .first()
      .click()
  )
  await take(page, url, '/inbox', 'inbox', () =>
    page.getByRole('navigation', { name: 'Conversations' }).getByRole('button').first().click()
  )
  await take(page, url, '/contacts', 'contacts')
  await take(page, url, '/templates', 'templates')
  await take(page, url, '/webhooks', 'webhooks')
  await take(page, url, '/operator', 'operator')
  await take(page, url, '/phone?number=33639980005', 'virtual-phone')
}

async function take(page: Page, url: string, path: string, name: string, act?: () => Promise<void>): Promise<void> {
  await page.goto(`${url}/app${path}`)
  await page.locator('#page h1').waitFor()
  await act?.()
  await sleep(1_500) // Figures, charts and pictures come after the page.
  await page.screenshot({ path: join(images, `${name}.png`) })
}

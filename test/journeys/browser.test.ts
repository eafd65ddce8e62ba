import { strict as assert } from 'node:assert'
import { type TestContext, test } from 'node:test'
import type { Page } from 'playwright-core'
import { launchBrowser } from '../console/browser.ts'
import { atEnd } from '../service/cleanup.ts'
import { startService } from '../service/service.ts'

/** On a busy machine the reference takes half a minute to be drawn. */
const PATIENCE_MS = 120_000

/** A page that notes what it asked for elsewhere and what went wrong in it. */
async function openPage(t: TestContext, url: string): Promise<{ page: Page; foreign: string[]; problems: string[] }> {
  const browser = await launchBrowser()
  atEnd(t, () => browser.close())
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 } })
  page.setDefaultTimeout(PATIENCE_MS)
  const foreign: string[] = []
  const problems: string[] = []
  page.on('request', (request) => {
    if (!request.url().startsWith(url) && !/^(data|blob):/.test(request.url())) foreign.push(request.url())
  })
  page.on('console', (message) => {
    if (message.type() === 'error') problems.push(message.text())
  })
  page.on('pageerror', (error) => problems.push(error.message))
  return { page, foreign, problems }
}

test('the reference at /docs can be read and tried without the internet', async (t) => {
  const { url, operator } = await startService(t)
  const { page, foreign, problems } = await openPage(t, url)
  await page.goto(`${url}/docs`)
  await page.getByRole('heading', { name: 'Chappe' }).first().waitFor()
  for (const tag of ['auth', 'Utilisateur', 'Sous-Comptes']) {
    await page
      .getByRole('link', { name: tag })
      .or(page.getByRole('button', { name: tag }))
      .first()
      .waitFor()
  }
  await page.getByPlaceholder(/^QUxM/).first().fill(operator.apiKey)
  await page.goto(`${url}/docs/#tag/utilisateur/GET/users/credits`)
  await page.getByRole('button', { name: /Test Request.*get \/users\/credits/ }).click()
  const [answer] = await Promise.all([
    page.waitForResponse((response) => response.url() === `${url}/users/credits`),
    page.getByRole('button', { name: /^Send/i }).first().click()
  ])
  assert.equal(answer.status(), 200)
  assert.deepEqual(foreign, [])
  assert.deepEqual(problems, [])
})

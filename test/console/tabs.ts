import { after, type TestContext } from 'node:test'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { atEnd } from '../service/cleanup.ts'
import { launchBrowser } from './browser.ts'

/*
 * The tabs that the tests of a process use, one test after the other, each tab in a profile of its own. A tab that has shown the
 * console has its scripts, compiled, as long as they come from the same address: to load the console in a new profile takes
 * twice the CPU time. A test finds nothing of the tests before it: no session, no stored choice, no route.
 */

export type Language = 'en' | 'fr'

const idle: Record<Language, Page[]> = { en: [], fr: [] }

/** A tab that no other test uses meanwhile. `url` is where the service of this test is. */
export async function takeTab(t: TestContext, { language, url }: { language: Language; url: string }): Promise<Page> {
  const page = idle[language].pop() ?? (await (await newContext(language)).newPage())
  atEnd(t, async () => {
    const isClean = t.passed && (await clean(page, url).catch((error) => void t.diagnostic(`No tab to keep: ${error}`)))
    if (isClean) idle[language].push(page)
    else await page.context().close()
  })
  return page
}

/** False for a tab that must not be used again. */
async function clean(page: Page, url: string): Promise<boolean> {
  if (page.isClosed() || hasAuthenticator.has(page)) return false
  for (const other of page.context().pages()) if (other !== page) await other.close()
  await page.unrouteAll({ behavior: 'ignoreErrors' })
  // A file of the same address keeps the process of the tab, and asks the service for nothing.
  await page.goto(`${url}/app/icon.svg`)
  await page.evaluate('sessionStorage.clear(); localStorage.clear()')
  await page.context().clearCookies()
  return true
}

const hasAuthenticator = new WeakSet<Page>()

/** Gives the tab an authenticator that makes and uses passkeys at once, as a finger on its sensor would. */
export async function addAuthenticator(page: Page): Promise<void> {
  hasAuthenticator.add(page)
  const cdp = await page.context().newCDPSession(page)
  await cdp.send('WebAuthn.enable')
  await cdp.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true
    }
  })
}

async function newContext(language: Language): Promise<BrowserContext> {
  browser ??= launchBrowser()
  return (await browser).newContext({
    viewport: { width: 1280, height: 900 },
    reducedMotion: 'reduce',
    locale: language === 'fr' ? 'fr-FR' : 'en-GB',
    timezoneId: 'Europe/Paris',
    // As people have it: the name of a headless browser is that of a program, whose clicks do not count.
    userAgent: 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36',
    acceptDownloads: true
  })
}

/** One for all tests of a process. */
let browser: Promise<Browser> | undefined

after(async () => (await browser)?.close())

import { mkdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { chooseTheme } from './browser.ts'
import { fillPages } from './paths.ts'
import { openTab, withShop } from './shop.ts'

/*
 * `npm run console:pictures [folder]`: a picture of every page in both languages and themes, on a desktop and on a phone, for people to
 * look at. Without a folder they go to the temporary files.
 */

const folder = process.argv[2] ?? join(tmpdir(), 'chappe-every-page')
const SIZES = { desktop: { width: 1280, height: 860 }, phone: { width: 390, height: 844 } }
/** Figures, charts and pictures come after the page. */
const REST_MS = 700
/** A theme is drawn over several frames. */
const THEME_MS = 200

await mkdir(folder, { recursive: true })
await withShop(async ({ url, browser, ask }) => {
  const { inside, outside } = await fillPages(ask)
  for (const [size, viewport] of Object.entries(SIZES)) {
    for (const locale of ['en-GB', 'fr-FR']) {
      const tab = await openTab(browser, { url, viewport, locale, reducedMotion: 'reduce' })
      const stranger = await browser.newContext({ viewport, locale, reducedMotion: 'reduce' })
      const open = await stranger.newPage()
      for (const path of [...inside, ...outside]) {
        const page = outside.includes(path) ? open : tab
        // A new document, also where only the part after # differs.
        await page.goto('about:blank')
        await page.goto(`${url}/app${path}`)
        await page.locator(outside.includes(path) ? 'main h1' : '#page h1').waitFor()
        await sleep(REST_MS)
        for (const colorScheme of ['light', 'dark'] as const) {
          await chooseTheme(page, colorScheme)
          await sleep(THEME_MS)
          const name =
            path === '/'
              ? 'home'
              : path
                  .slice(1)
                  .replace(/#.*/, '')
                  .replaceAll(/[^a-z0-9-]+/gi, '-')
          const file = `${name}.${size}.${locale.slice(0, 2)}.${colorScheme}.png`
          await page.screenshot({ path: join(folder, file), fullPage: true })
        }
      }
      await tab.context().close()
      await stranger.close()
    }
  }
})
process.stdout.write(`Look at the pictures in ${folder}\n`)

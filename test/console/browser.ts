import { spawn } from 'node:child_process'
import { constants } from 'node:fs'
import { access } from 'node:fs/promises'
import { join } from 'node:path'
import { type Browser, chromium, type Page } from 'playwright-core'

/*
 * A real browser for the tests: one that is installed, else Debian's package where we may install it, else the one that
 * Playwright brings.
 */

const INSTALLED = [
  process.env.CHROME_PATH,
  // Without windows, each profile costs it a third of the CPU time.
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
  '/opt/google/chrome/chrome',
  '/snap/bin/chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium'
]

/** The path of a browser, installing one if there is none. */
export async function findBrowser(): Promise<string> {
  const installed = await firstExecutable(INSTALLED)
  if (installed) return installed
  if (process.getuid?.() === 0 && (await firstExecutable(['/usr/bin/apt-get']))) {
    process.stdout.write('No browser here: installing Debian’s chromium for the browser tests …\n')
    await command('apt-get', ['update', '-qq'])
    for (const name of ['chromium-headless-shell', 'chromium']) {
      await command('apt-get', ['install', '-y', '-qq', name])
      const fresh = await firstExecutable(INSTALLED)
      if (fresh) return fresh
    }
  }
  const own = chromium.executablePath()
  if (!(await firstExecutable([own]))) {
    process.stdout.write('No browser here: downloading Playwright’s for the browser tests …\n')
    await command(process.execPath, [
      join(import.meta.dirname, '../../node_modules/playwright-core/cli.js'),
      'install',
      'chromium'
    ])
  }
  return own
}

/**
 * A browser of the process that calls. One browser for all processes would be steered through the runner, which takes a fifth
 * of a core for passing everything on.
 */
export function launchBrowser(executablePath = process.env.CHAPPE_TEST_BROWSER): Promise<Browser> {
  if (!executablePath) throw new Error('Browser tests run under `npm test`, which finds the browser.')
  return chromium.launch({
    executablePath,
    // Whoever launched it closes it.
    handleSIGINT: false,
    handleSIGTERM: false,
    handleSIGHUP: false,
    // Root can't have the sandbox; the rest keeps the browser from calling home.
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync'
    ]
  })
}

async function firstExecutable(paths: (string | undefined)[]): Promise<string | undefined> {
  for (const path of paths) {
    if (!path) continue
    const isExecutable = await access(path, constants.X_OK).then(
      () => true,
      () => false
    )
    if (isExecutable) return path
  }
  return undefined
}

async function command(name: string, parameters: string[]): Promise<void> {
  const child = spawn(name, parameters, {
    stdio: 'inherit',
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  })
  const { promise, resolve } = Promise.withResolvers<number | null>()
  child.once('exit', resolve)
  child.once('error', () => resolve(null))
  const code = await promise
  if (code !== 0) process.stdout.write(`${name} ${parameters.join(' ')} ended with ${code}\n`)
}

/** The page hears of the theme a moment after the browser has changed it. */
export async function chooseTheme(page: Page, colorScheme: 'light' | 'dark'): Promise<void> {
  await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
  await page.locator(`html[data-mantine-color-scheme=${colorScheme}]`).waitFor({ state: 'attached' })
  await page.evaluate('new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))')
}

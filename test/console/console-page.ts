import { strict as assert } from 'node:assert'
import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { buffer } from 'node:stream/consumers'
import type { TestContext } from 'node:test'
import type { ConsoleMessage, Page, Request, Response } from 'playwright-core'
import { atEnd } from '../service/cleanup.ts'
import { type Language, takeTab } from './tabs.ts'

/*
 * The console in a real browser, with somebody logged in. A test fails if anything went wrong in its page that nobody looked
 * at: an error in the browser's console, an exception, a request to another host, an answer of the service that refuses.
 */

interface Options {
  url: string
  /** Who is logged in; without, the page stays at the log-in. */
  as?: { email: string; password: string }
  /** Where to, below /app. */
  path?: string
  language?: Language
  width?: number
  height?: number
  colorScheme?: 'light' | 'dark'
  /** Statuses that this test makes the service refuse with. */
  refusals?: number[]
  /** What this test makes the browser's console complain of. */
  complaints?: RegExp
  /** Beginnings of addresses elsewhere that RCS cards show pictures from; they are answered here. */
  pictures?: string[]
}

/** Opens the console in a tab and profile that nobody else uses, and comes back when the page that was asked for is there. */
export async function openConsole(t: TestContext, options: Options): Promise<Page> {
  const { url, as, path = '/', language = 'en', width = 1280, height = 900, colorScheme = 'light' } = options
  const page = await takeTab(t, { url, language })
  await page.setViewportSize({ width, height })
  await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
  page.setDefaultTimeout(60_000)
  watch(t, page, options)
  const session = as && (await beginSession(page, { url, as }))
  await page.goto(`${url}/app${path}`)
  if (session) await page.locator('#page h1').waitFor()
  await session?.dispose()
  return page
}

/** Leaves a session as the log-in does. To show its form first takes a quarter of the CPU time of an opened console. */
async function beginSession(page: Page, { url, as }: { url: string; as: { email: string; password: string } }) {
  const answer = await fetch(`${url}/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: as.email, password: as.password })
  })
  const { token, expiresIn } = (await answer.json()) as { token: string; expiresIn: number }
  assert.equal(answer.status, 200, `${as.email} can log in`)
  const session = { token, expiresAt: Date.now() + expiresIn * 1000, family: randomUUID() }
  return page.addInitScript((text) => sessionStorage.setItem('chappe.session', text), JSON.stringify(session))
}

/** By the form, as people do, where the log-in is the point. */
export async function logIn(page: Page, { email, password }: { email: string; password: string }): Promise<void> {
  await page.locator('input[type=email]').fill(email)
  await page.locator('input[type=password]').fill(password)
  await page.keyboard.press('Enter')
  await page.locator('#page h1').waitFor()
}

/** Goes to another page without loading the console anew, as a link does. */
export async function goTo(page: Page, path: string): Promise<void> {
  await page.evaluate(
    `history.pushState({}, '', ${JSON.stringify(`/app${path}`)}); dispatchEvent(new PopStateEvent('popstate'))`
  )
}

function watch(t: TestContext, page: Page, { url, refusals = [], pictures = [], complaints }: Options): void {
  const problems: string[] = []
  const onError = (error: Error) => problems.push(`exception: ${error.message}`)
  const onConsole = (message: ConsoleMessage) => {
    const text = message.text()
    if (complaints?.test(text)) return
    // Chromium's own line for an answer that refuses; it is told below, with its address.
    if (message.type() === 'error' && !text.startsWith('Failed to load resource')) problems.push(`console: ${text}`)
    if (message.type() === 'warning') problems.push(`console: ${text}`)
  }
  const onResponse = (response: Response) => {
    const status = response.status()
    if (status < 400 || refusals.includes(status)) return
    problems.push(`${response.request().method()} ${response.url()} answered ${status}`)
  }
  const onRequest = (request: Request) => {
    const address = request.url()
    const isOwn = address.startsWith(url) || /^(data|blob):/.test(address)
    if (!isOwn && !pictures.some((start) => address.startsWith(start))) problems.push(`foreign request: ${address}`)
  }
  page.on('pageerror', onError).on('console', onConsole).on('response', onResponse).on('request', onRequest)
  // The next test watches the same tab for itself.
  atEnd(t, () => {
    page.off('pageerror', onError).off('console', onConsole).off('response', onResponse).off('request', onRequest)
  })
  for (const start of pictures) {
    void page.route(`${start}**`, (route) => route.fulfill({ contentType: 'image/svg+xml', body: PICTURE }))
  }
  // After all is closed: what fails in between would keep the rest from being closed.
  t.after(() => {
    if (t.passed) assert.deepEqual(problems, [], 'nothing went wrong in the page')
    else for (const problem of problems) t.diagnostic(problem)
  })
}

const PICTURE =
  '<svg xmlns="http://www.w3.org/2000/svg" width="600" height="400"><rect width="600" height="400"/></svg>'

interface Violation {
  id: string
  help: string
  nodes: string[]
}

/** Holds the page as it stands, with an open dialog if there is one, against WCAG 2.2 AA. */
export async function assertAccessible(page: Page, unless: Unless = {}): Promise<void> {
  const rules = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']
  await assertWithoutViolations(page, rules, unless)
}

/** Only colours, which is quick: for the second theme of a page. */
export async function assertContrast(page: Page, unless: Unless = {}): Promise<void> {
  await assertWithoutViolations(page, ['color-contrast'], unless)
}

interface Unless {
  /** Whether the header and the menu were looked at already: they are the same on all pages, and half of the work. */
  isFrameKnown?: boolean
}

const FRAME = [['.mantine-AppShell-header'], ['.mantine-AppShell-navbar']]

async function assertWithoutViolations(page: Page, rules: readonly string[], unless: Unless): Promise<void> {
  const isThere = await page.evaluate(`typeof axe !== 'undefined'`)
  // Not as a script tag, which the page's policy forbids.
  if (!isThere) await page.evaluate(await axeSource())
  // What is found is looked at once more: a notice that was fading away has gone by then.
  if ((await findViolations(page, rules, unless)).length === 0) return
  assert.deepEqual(await findViolations(page, rules, unless), [], `${page.url()} is not accessible`)
}

async function findViolations(
  page: Page,
  rules: readonly string[],
  { isFrameKnown = false }: Unless
): Promise<Violation[]> {
  await settle(page)
  return page.evaluate(`
    axe.run(${JSON.stringify({ include: [['html']], exclude: isFrameKnown ? FRAME : [] })}, {
      runOnly: ${JSON.stringify(rules)},
      // A dialog's title stands in a header of its own, which these take for a second one of the page.
      rules: { 'landmark-no-duplicate-banner': { enabled: false }, 'landmark-unique': { enabled: false } },
      resultTypes: ['violations']
    }).then(({ violations }) => violations.map(({ id, help, nodes }) => ({
      id,
      help,
      nodes: nodes.map(({ html, failureSummary }) => html.slice(0, 300) + ' ' + failureSummary)
    })))
  `)
}

/** Nothing is wider than the screen: the page does not scroll sideways. */
export async function assertFits(page: Page): Promise<void> {
  await settle(page)
  const [width, room] = (await page.evaluate('[document.documentElement.scrollWidth, innerWidth]')) as [number, number]
  assert.ok(width <= room, `${page.url()} is ${width} wide, and the screen ${room}`)
}

/** What the page hands out to be saved. */
export async function readDownload(
  page: Page,
  act: () => Promise<unknown>
): Promise<{ name: string; content: Buffer; text: string }> {
  const [download] = await Promise.all([page.waitForEvent('download'), act()])
  const content = await buffer(await download.createReadStream())
  return { name: download.suggestedFilename(), content, text: content.toString('utf8') }
}

/** Waits for what moves to stand still; what moves for ever, a loader, is not waited for. */
async function settle(page: Page): Promise<void> {
  await page.evaluate(`
    Promise.all(
      document
        .getAnimations()
        .filter((animation) => Number.isFinite(animation.effect?.getComputedTiming().endTime))
        .map((animation) => animation.finished.catch(() => undefined))
    ).then(() => undefined)
  `)
}

let source: Promise<string> | undefined

function axeSource(): Promise<string> {
  source ??= readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
  return source
}

import { strict as assert } from 'node:assert'
import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { PAGE_NAMES, PAGE_PATHS, type PageName } from '../../console/src/routes/page-names.ts'
import { writeConsoleTypes } from '../../scripts/api-types.ts'
import { eventually } from '../checks/eventually.ts'
import { chooseTheme } from './browser.ts'
import { assertAccessible, assertContrast, assertFits, goTo, logIn, openConsole } from './console-page.ts'
import { startService, test } from './console-service.ts'
import { fillPages } from './paths.ts'

const LOOKS = {
  'on a phone, dark, in French': { language: 'fr', width: 390, colorScheme: 'dark' },
  'on a wide screen, light, in English': { language: 'en', width: 1280, colorScheme: 'light' }
} as const

/** The pages whose tables and actions need the most room. */
const CROWDED = ['/messages/1', '/messages', '/results', '/stops', '/phone', '/credits', '/people']

for (const [name, look] of Object.entries(LOOKS)) {
  test(`every page is accessible in both themes and fits ${name}`, async (t) => {
    const { url, operator, pool } = await startService(t, { settings: { CHAPPE_ROLES: 'all' } })
    const recipients = ['+33639980005', '+33639980001']
    // A name that is longer than a line of the calendar.
    const long = 'Ouverture de la boutique de Villeurbanne, réservée aux clients fidèles de Lyon et de ses environs'
    await operator.expect(200).post('/messages/sms', { recipients, content: 'Bonjour', name: long })
    await pool`update messages set late_at = now()`
    const scheduleAt = new Date(Date.now() + 86_400_000).toISOString()
    await operator.expect(200).post('/messages/sms', { recipients, content: 'À demain', scheduleAt })
    const { inside, outside } = await fillPages(
      async (method, path, body) => (await operator.expect(200)[method === 'PUT' ? 'put' : 'post'](path, body)).body
    )
    // Nobody has made the links of the pages outside.
    const page = await openConsole(t, { url, as: operator, refusals: [404], ...look })
    let scheme: 'dark' | 'light' = look.colorScheme
    // Told together: a run takes a while.
    const problems: string[] = []
    const note = (error: Error) => void problems.push(error.message)
    let isFrameKnown = false
    const check = async () => {
      await assertFits(page).catch(note)
      if (look.width === 390 && CROWDED.some((path) => page.url().endsWith(path))) {
        // As a window of 1280 pixels at 400 %, and as the narrowest with the menu beside the page.
        for (const width of [320, 768]) {
          await page.setViewportSize({ width, height: 900 })
          await assertFits(page).catch(note)
          const logOut = await page.getByRole('button', { name: /^(Log out|Se déconnecter)$/ }).boundingBox()
          if (!logOut || logOut.x + logOut.width > width) note(new Error(`no log-out at ${width}`))
        }
        await page.setViewportSize({ width: look.width, height: 900 })
      }
      await assertBadges(page).catch(note)
      await assertNumbers(page).catch(note)
      await assertMenu(page).catch(note)
      await assertAccessible(page, { isFrameKnown }).catch(note)
      // The other theme differs in its colours alone, and needs no new page. The next page begins with it: a change takes long.
      scheme = scheme === 'dark' ? 'light' : 'dark'
      await chooseTheme(page, scheme)
      await assertContrast(page, { isFrameKnown }).catch(note)
      isFrameKnown = true
    }
    let before = await readPlace(page)
    for (const path of inside) {
      await goTo(page, path)
      before = await untilThere(page, path, before)
      // The heading is drawn by this name before the page is there.
      const name = (Object.keys(PAGE_PATHS) as PageName[]).find((each) => PAGE_PATHS[each] === path)
      if (name) assert.equal(await page.locator('#page h1').textContent(), PAGE_NAMES[look.language][name])
      if (path === '/messages/1') await page.getByText(/^(Late since|En retard depuis)$/).waitFor()
      if (path === '/messages')
        await page
          .getByText(/^(Scheduled|Programmé)$/)
          .first()
          .waitFor()
      if (path === '/calendar') await page.getByRole('link', { name: long }).waitFor()
      if (path === '/stops') await page.getByRole('link', { name: /^\+33 6 39 98 12 30 .*Vandenbroucke/ }).waitFor()
      if (path === '/messages' && look.width === 390) await assertWhole(page, / · .+ · .*[%–]/).catch(note)
      await check()
      if (look.language === 'fr' && (await page.locator('main .mantine-Badge-label').count()) > 0) {
        await page.setViewportSize({ width: 1280, height: 900 })
        await assertBadges(page).catch(note)
        await page.setViewportSize({ width: look.width, height: 900 })
      }
    }
    await page.getByRole('button', { name: /^(Log out|Se déconnecter)$/ }).click()
    await page.locator('input[type=password]').waitFor()
    for (const path of outside) {
      await goTo(page, path)
      before = await untilThere(page, path, before)
      await check()
    }
    assert.equal(problems.join('\n'), '')
  })
}

/** The heading, and the tab that is chosen. */
const readPlace = (page: Page): Promise<string> =>
  page.evaluate(`
    [...document.querySelectorAll('main h1, main [role=tab][aria-selected=true]')]
      .map(({ textContent }) => textContent)
      .join(', ')
  `)

const LOADING = 'main :is([aria-busy=true], .mantine-Skeleton-root[data-visible], .mantine-Loader-root)'

/** Until the page before has gone, and this one shows what it has loaded. */
async function untilThere(page: Page, path: string, before: string): Promise<string> {
  let place = before
  await eventually(async () => {
    place = await readPlace(page)
    // Nothing at all is there between two pages.
    assert.ok(place !== '' && place !== before, `${path} is there after ${before}: ${place}`)
    const loading = await page.evaluate(
      `[...document.querySelectorAll(${JSON.stringify(LOADING)})].map(({ outerHTML }) => outerHTML.slice(0, 200))`
    )
    assert.deepEqual(loading, [], `${path} has loaded`)
  })
  return place
}

/** The words of a badge are never cut. */
async function assertBadges(page: Page): Promise<void> {
  const cut = await page.evaluate(`
    [...document.querySelectorAll('.mantine-Badge-label')]
      .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
      .map(({ textContent }) => textContent)
  `)
  assert.deepEqual(cut, [], `badges of ${page.url()} at ${page.viewportSize()?.width}`)
}

/** A phone number is whole, whatever the name beside it. */
async function assertNumbers(page: Page): Promise<void> {
  const cut = await page.evaluate(`
    [...document.querySelectorAll('[role=cell] a[href*="/app/numbers/"]')]
      .filter((link) => {
        const [number, cell] = [link.firstElementChild, link.closest('[role=cell]')].map((each) => each.getBoundingClientRect())
        return number.width === 0 || number.right > cell.right + 0.5 || number.bottom > cell.bottom + 0.5
      })
      .map(({ textContent }) => textContent)
  `)
  assert.deepEqual(cut, [], `numbers of ${page.url()} at ${page.viewportSize()?.width}`)
}

/** The menu is longer than most screens: it shows the entry of the page that is open. */
async function assertMenu(page: Page): Promise<void> {
  const outOfSight = await page.evaluate(`
    [...document.querySelectorAll('.pages [aria-current=page]')]
      .filter((link) => {
        const { top, bottom } = link.getBoundingClientRect()
        const shown = link.closest('.mantine-ScrollArea-viewport').getBoundingClientRect()
        return top < shown.top - 1 || bottom > shown.bottom + 1
      })
      .map(({ textContent }) => textContent)
  `)
  assert.deepEqual(outOfSight, [], `the menu at ${page.url()} at ${page.viewportSize()?.width}`)
}

/** The end of a line is in sight too. */
async function assertWhole(page: Page, text: RegExp): Promise<void> {
  const lines = await page
    .getByText(text)
    .evaluateAll((found) =>
      found.map(({ textContent, scrollWidth, clientWidth }) => [textContent, scrollWidth <= clientWidth])
    )
  assert.ok(lines.length > 0, `${text} on ${page.url()}`)
  assert.deepEqual(
    lines.filter(([, isWhole]) => !isWhole),
    [],
    page.url()
  )
}

test('the pages that are looked at are all pages of the console', async () => {
  const router = await readFile(join(import.meta.dirname, '../../console/src/router.tsx'), 'utf8')
  const routes = [...router.matchAll(/(?:(?<!base)path: |[pP]age\()'([^']+)'/g)].map(([, path = '']) => path)
  assert.ok(routes.length > 45, `${routes.length} routes`)
  let id = 0
  const ask = async () => ({ id: ++id, subaccount_id: ++id, link: 'http://chappe.example/app/invitation#token' })
  const { inside, outside } = await fillPages(ask)
  const paths = [...inside, ...outside].map((path) => path.replace(/[?#].*/, ''))
  for (const route of routes) {
    const form = new RegExp(`^${route.replaceAll(/\$\w*/g, '[^/]+')}$`)
    // A form is also that of a new object, which is another page.
    const found = paths.filter((path) => form.test(path) && (route.endsWith('/new') || !path.endsWith('/new')))
    assert.ok(found.length > 0, `paths.ts has no page of ${route}`)
  }
  // The first tab is that of the page itself.
  for (const name of ['operator', 'senders']) {
    const code = await readFile(join(import.meta.dirname, `../../console/src/routes/${name}.tsx`), 'utf8')
    const [, ...tabs] = [...code.matchAll(/<Tabs\.Panel value="(\w+)"/g)].map(([, tab = '']) => tab)
    assert.ok(tabs.length > 0, name)
    for (const tab of tabs) assert.ok(inside.includes(`/${name}?tab=${tab}`), `paths.ts has no tab ${tab} of ${name}`)
  }
})

test('a wrong password is said; a log-out ends the session, and leaves nothing behind; too many say how long to wait', async (t) => {
  const { url, operator, anonymous } = await startService(t)
  const page = await openConsole(t, { url, path: '/settings', language: 'fr', refusals: [401, 429] })
  await assertAccessible(page)
  const tryWrong = async () => {
    await page.getByLabel('E-mail').fill(operator.email)
    await page.getByRole('textbox', { name: 'Mot de passe' }).fill('wrong')
    await page.keyboard.press('Enter')
  }
  await tryWrong()
  await page.getByRole('alert').getByText('E-mail ou mot de passe incorrect.').waitFor()
  await logIn(page, operator)
  await page.getByRole('heading', { name: 'Réglages' }).waitFor()
  await page.getByRole('button', { name: 'Se déconnecter' }).click()
  await page.getByRole('heading', { name: 'Connexion' }).waitFor()
  await eventually(async () => assert.equal(await page.evaluate('sessionStorage.length'), 0))
  await page.goBack()
  await page.getByRole('heading', { name: 'Connexion' }).waitFor()
  const wrong = { email: operator.email, password: 'wrong' }
  for (let time = 0; time < 10; time++) await anonymous.post('/auth/login', wrong)
  await tryWrong()
  await page
    .getByRole('alert')
    .getByText(/réessayez dans \d+ (s|minutes)\.$/)
    .waitFor()
})

test('a session that ends by itself comes back to where it was', async (t) => {
  const { url, operator } = await startService(t, { settings: { CHAPPE_JWT_TTL: '60' } })
  const page = await openConsole(t, { url, as: operator, path: '/templates' })
  await page.getByText('No template yet').waitFor()
  // Longer than the console takes to load on a busy machine: a session that has ended before is none.
  await page.evaluate(`
    const session = JSON.parse(sessionStorage.getItem('chappe.session'))
    sessionStorage.setItem('chappe.session', JSON.stringify({ ...session, expiresAt: Date.now() + 8000 }))
  `)
  await page.reload()
  await page.getByText('Your session has ended.').waitFor()
  await logIn(page, operator)
  await page.getByText('No template yet').waitFor()
})

test('the language is the browser’s at first, and stays what one chooses', async (t) => {
  const { url, operator } = await startService(t)
  const page = await openConsole(t, { url, as: operator, language: 'fr' })
  await page.getByRole('heading', { name: 'Accueil' }).waitFor()
  await page.locator('html[lang=fr]').waitFor()
  await page.getByRole('button', { name: 'Langue et apparence' }).click()
  await page.getByRole('menuitem', { name: 'English' }).click()
  await page.getByRole('heading', { name: 'Home' }).waitFor()
  await page.reload()
  await page.getByRole('heading', { name: 'Home' }).waitFor()
})

test('the page allows no script but ours, and an address that is no file is the console’s', async (t) => {
  const { url } = await startService(t)
  const response = await fetch(`${url}/app/messages/12`)
  assert.deepEqual([response.status, response.headers.get('content-type')], [200, 'text/html; charset=utf-8'])
  const policy = response.headers.get('content-security-policy') ?? ''
  assert.match(policy, /default-src 'self'/)
  assert.doesNotMatch(policy, /script-src|unsafe-eval/)
  assert.doesNotMatch(await response.text(), /<script(?![^>]*\ssrc=)/, 'no script stands in the page itself')
  const missing = await fetch(`${url}/app/assets/missing.js`)
  assert.equal(missing.status, 404)
  assert.doesNotMatch(missing.headers.get('cache-control') ?? '', /max-age/, 'what is missing is asked for again')
  const [script = ''] = /\/app\/assets\/[\w-]+\.js/.exec(await (await fetch(`${url}/app/`)).text()) ?? []
  assert.equal(
    (await fetch(url + script)).headers.get('cache-control'),
    'public, max-age=31536000, immutable',
    'what is there is kept'
  )
  assert.equal((await fetch(`${url}/app/no-picture.svg`)).status, 200)
  const typed = await fetch(`${url}/app/n%C3%A9ant.html`, { headers: { accept: 'text/html' } })
  assert.equal(
    typed.headers.get('content-type'),
    'text/html; charset=utf-8',
    'a person gets a page, whatever they typed'
  )
  assert.equal((await fetch(`${url}/app/built-from.txt`)).status, 404)
})

test('the first load is one script and one style sheet of at most 250 kB, and another page takes few more', async () => {
  const dist = join(import.meta.dirname, '../../console/dist')
  const page = await readFile(join(dist, 'index.html'), 'utf8')
  const files = [...page.matchAll(/(?:src|href)="\/app\/(assets\/[^"]+)"/g)].map(([, file = '']) => file)
  let bytes = 0
  for (const file of files) bytes += (await stat(join(dist, `${file}.br`))).size
  assert.ok(files.length >= 2 && files.length <= 4 && bytes <= 240_000, `${files.join(', ')}: ${bytes} bytes`)
  const chunks = (await readdir(join(dist, 'assets'))).filter((name) => name.endsWith('.js'))
  assert.ok(chunks.length > 15, `${chunks.length} scripts`)
  for (const name of ['send', 'messages', 'operator']) {
    const start = chunks.find((chunk) => chunk.startsWith(`${name}-`))
    assert.ok(start, `${name} is a chunk of its own`)
    const needed = new Set([start])
    for (const chunk of needed) {
      const text = await readFile(join(dist, 'assets', chunk), 'utf8')
      for (const [, imported = ''] of text.matchAll(/(?:from|import)\s*"\.\/([\w.-]+\.js)"/g)) needed.add(imported)
    }
    assert.ok(needed.size <= 8, `${name} needs ${[...needed].join(', ')}`)
  }
})

test('Home takes at most 20 requests and 250 kB with nothing cached, and Send 25 requests', async (t) => {
  const { url, operator } = await startService(t, { settings: { CHAPPE_ROLES: 'all' } })
  await operator.expect(200).post('/messages/sms', { recipients: ['+33639980001'], content: 'Bonjour' })
  const page = await openConsole(t, { url, as: operator, path: '/templates' })
  const cdp = await page.context().newCDPSession(page)
  await cdp.send('Network.enable')
  await cdp.send('Network.setCacheDisabled', { cacheDisabled: true })
  const open = new Set<string>()
  let asked: string[] = []
  let bytes = 0
  cdp.on('Network.requestWillBeSent', ({ requestId, request }) => {
    asked.push(request.url.slice(url.length))
    open.add(requestId)
  })
  cdp.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    bytes += encodedDataLength
    open.delete(requestId)
  })
  cdp.on('Network.loadingFailed', ({ requestId }) => open.delete(requestId))
  for (const [path, heading, requestsMax, bytesMax] of [
    ['/', 'Home', 20, 250_000],
    ['/send', 'Send', 25, 400_000]
  ] as const) {
    await page.goto('about:blank')
    asked = []
    bytes = 0
    await page.goto(`${url}/app${path}`)
    await page.locator('#page').getByRole('heading', { level: 1, name: heading }).waitFor()
    await untilThere(page, path, '')
    await eventually(() => assert.deepEqual([...open], []))
    const told = `${path}: ${asked.length} requests, ${bytes} bytes\n${asked.join('\n')}`
    assert.ok(asked.includes('/users/me') && bytes > 100_000, told)
    assert.ok(asked.length <= requestsMax && bytes <= bytesMax, told)
  }
  await cdp.detach()
})

test('the heading is there in the language and theme of the person while the script is on its way', async (t) => {
  const { url, operator } = await startService(t)
  const page = await openConsole(t, { url, as: operator, path: '/templates', language: 'fr', colorScheme: 'dark' })
  const cdp = await page.context().newCDPSession(page)
  await cdp.send('Network.setCacheDisabled', { cacheDisabled: true })
  const held = Promise.withResolvers<void>()
  await page.route('**/assets/first-*.js', async (route) => {
    await held.promise
    await route.continue()
  })
  await page.goto(`${url}/app/settings`, { waitUntil: 'commit' })
  await page.locator('.starting-frame').getByRole('heading', { level: 1, name: 'Réglages' }).waitFor()
  await page.locator('html[lang=fr][data-mantine-color-scheme=dark]').waitFor()
  await assertAccessible(page)
  held.resolve()
  await page.locator('#page').getByRole('heading', { level: 1, name: 'Réglages' }).waitFor()
  assert.equal(await page.locator('.starting-frame').count(), 0)
  // Nobody is logged in: no page is promised.
  await page.getByRole('button', { name: 'Se déconnecter' }).click()
  await page.getByRole('heading', { name: 'Connexion' }).waitFor()
  await page.goto(`${url}/app/settings`)
  await page.getByRole('heading', { name: 'Connexion' }).waitFor()
  await cdp.detach()
})

test('every Mantine component that the console uses has its style sheet', async () => {
  const dist = join(import.meta.dirname, '../../console/dist/assets')
  const names = await readdir(dist)
  const read = async (ending: string) =>
    (
      await Promise.all(names.filter((name) => name.endsWith(ending)).map((name) => readFile(join(dist, name), 'utf8')))
    ).join('\n')
  const [scripts, sheets] = [await read('.js'), await read('.css')]
  const all = await readFile(join(import.meta.dirname, '../../node_modules/@mantine/core/styles.css'), 'utf8')
  const classes = new Set([...all.matchAll(/\.(m_[0-9a-f]+)/g)].map(([, name = '']) => name))
  const used = [...classes].filter((name) => scripts.includes(name))
  assert.ok(used.length > 100, `${used.length} classes`)
  assert.deepEqual(
    used.filter((name) => !sheets.includes(`.${name}`)),
    [],
    'a style sheet is missing in console/src/mantine.css'
  )
})

test('the types of the console are those of the API', async () => {
  const written = await readFile(join(import.meta.dirname, '../../console/src/lib/api-types.ts'), 'utf8')
  // The formatter has been over the file: only what it says counts.
  const words = (text: string) => text.replaceAll(/[\s|()]+/g, '').replaceAll(/[;,]/g, '')
  assert.equal(words(written), words(writeConsoleTypes()), 'run `npm run console:types`')
})

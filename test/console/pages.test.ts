import { strict as assert } from 'node:assert'
import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { writeConsoleTypes } from '../../scripts/api-types.ts'
import { eventually } from '../checks/eventually.ts'
import { assertAccessible, assertContrast, assertFits, goTo, logIn, openConsole } from './console-page.ts'
import { startService, test } from './console-service.ts'
import { PATHS } from './paths.ts'

const LOOKS = {
  'on a phone, dark, in French': { language: 'fr', width: 390, colorScheme: 'dark' },
  'on a wide screen, light, in English': { language: 'en', width: 1280, colorScheme: 'light' }
} as const

/** The page hears of the theme a moment after the browser has changed it. */
async function choose(page: Page, colorScheme: 'light' | 'dark'): Promise<void> {
  await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
  await page.locator(`html[data-mantine-color-scheme=${colorScheme}]`).waitFor({ state: 'attached' })
  await page.evaluate('new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))')
}

for (const [name, look] of Object.entries(LOOKS)) {
  test(`every page is accessible in both themes and fits ${name}`, async (t) => {
    const { url, operator, pool } = await startService(t, { settings: { CHAPPE_ROLES: 'all' } })
    const recipients = ['+33639980005', '+33639980001']
    await operator.expect(200).post('/messages/sms', { recipients, content: 'Bonjour' })
    await pool`update messages set late_at = now()`
    const scheduleAt = new Date(Date.now() + 86_400_000).toISOString()
    await operator.expect(200).post('/messages/sms', { recipients, content: 'À demain', scheduleAt })
    const page = await openConsole(t, { url, as: operator, ...look })
    let title = (await page.locator('#page h1').textContent()) ?? ''
    for (const path of ['/messages/1', ...PATHS]) {
      await goTo(page, path)
      // Until the page before it has gone.
      await page.locator(`#page h1:not(:text-is(${JSON.stringify(title)}))`).waitFor()
      title = (await page.locator('#page h1').textContent()) ?? ''
      if (path === '/messages/1') await page.getByText(/^(Late since|En retard depuis)$/).waitFor()
      await assertFits(page)
      await assertAccessible(page)
      // The other theme differs in its colours alone, and needs no new page.
      await choose(page, look.colorScheme === 'dark' ? 'light' : 'dark')
      await assertContrast(page)
      await choose(page, look.colorScheme)
    }
  })
}

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

test('the types of the console are those of the API', async () => {
  const written = await readFile(join(import.meta.dirname, '../../console/src/lib/api-types.ts'), 'utf8')
  // The formatter has been over the file: only what it says counts.
  const words = (text: string) => text.replaceAll(/[\s|()]+/g, '').replaceAll(/[;,]/g, '')
  assert.equal(words(written), words(writeConsoleTypes()), 'run `npm run console:types` and format it')
})

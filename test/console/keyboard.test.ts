import { strict as assert } from 'node:assert'
import type { Page } from 'playwright-core'
import { eventually } from '../checks/eventually.ts'
import { openConsole } from './console-page.ts'
import { startService, test } from './console-service.ts'

/* Somebody who has no mouse: everything here is done by keys, and by looking at where the focus is. */

const TABS_MAX = 120

interface Focused {
  role: string
  name: string
}

/** What has the focus, as a screen reader tells it. */
const readFocus = (page: Page): Promise<Focused> =>
  page.evaluate(`(() => {
    const { activeElement: element } = document
    const label = element.labels?.[0]?.textContent ?? ''
    return {
      role: element.getAttribute('role') ?? (element.type === 'file' ? 'file' : element.tagName.toLowerCase()),
      name: (element.getAttribute('aria-label') ?? (label || element.textContent || '')).trim()
    }
  })()`)

/** Presses Tab until this has the focus, and never more often than somebody would. */
async function tabTo(page: Page, name: RegExp, role?: string): Promise<void> {
  const passed: string[] = []
  for (let times = 0; times < TABS_MAX; times++) {
    const focused = await readFocus(page)
    if (name.test(focused.name) && (role === undefined || focused.role === role)) return
    passed.push(`${focused.role} ${focused.name.slice(0, 40)}`)
    await page.keyboard.press('Tab')
  }
  assert.fail(`Tab leads to no ${role ?? ''} ${name}: ${passed.join(' | ')}`)
}

test('somebody without a mouse logs in, writes and sends a message, and imports contacts', async (t) => {
  const { url, operator } = await startService(t, { settings: { CHAPPE_ROLES: 'all' } })
  const page = await openConsole(t, { url })
  const keys = page.keyboard
  await page.getByRole('heading', { name: 'Log in' }).waitFor()
  await tabTo(page, /^Email/)
  await keys.type(operator.email)
  await tabTo(page, /^Password/)
  await keys.type(operator.password)
  await keys.press('Enter')
  await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor()

  // The link that leads past the menu is the first of a page.
  await page.reload()
  await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor()
  await page.getByRole('navigation').getByRole('link', { name: 'Operator' }).waitFor()
  await keys.press('Tab')
  assert.equal((await readFocus(page)).name, 'Skip to content')
  await keys.press('Enter')
  await tabTo(page, /^Send$/, 'a')
  await keys.press('Enter')
  await page.getByRole('heading', { level: 1, name: 'Send' }).waitFor()
  await tabTo(page, /^Phone numbers/, 'textarea')
  await keys.type('06 39 98 00 00')
  await tabTo(page, /^Text/, 'textarea')
  await keys.type('Bonjour, votre code est 1234')
  await page.getByRole('region', { name: 'Cost' }).getByRole('row', { name: 'Credits 1' }).waitFor()
  await tabTo(page, /^Send$/, 'button')
  await keys.press('Enter')
  const dialog = page.getByRole('dialog', { name: 'Send now?' })
  await dialog.getByRole('row', { name: /^Cost 1 credit/ }).waitFor()
  // The dialog keeps the focus, which begins on Cancel.
  assert.equal((await readFocus(page)).name, 'Cancel')
  await tabTo(page, /^Send$/, 'button')
  await keys.press('Enter')
  await page.getByRole('heading', { level: 1, name: 'Message 1' }).waitFor()
  await eventually(async () => assert.equal((await operator.get('/messages/1')).body.summary.delivered, 1))

  await keys.press('Control+k')
  const find = page.getByRole('dialog', { name: 'Find anything' })
  await find.waitFor()
  await keys.type('contacts')
  await page.getByRole('option', { name: 'Contacts Page' }).waitFor()
  await keys.press('Enter')
  await page.getByRole('heading', { level: 1, name: 'Contacts' }).waitFor()
  await find.waitFor({ state: 'hidden' })
  // Before the key that opens it: the browser hears a moment later that the test takes its choosers over.
  const chosen = page.waitForEvent('filechooser')
  await tabTo(page, /^Import a file$/, 'button')
  await keys.press('Enter')
  const importing = page.getByRole('dialog')
  await importing.waitFor()
  await tabTo(page, /^Drop a file here, or choose one$/, 'file')
  // The dialog of the system takes over from here, and gives the file back.
  await keys.press('Enter')
  const chooser = await chosen
  const content = 'tel;nom;prenom\n0639980001;Martin;Léa\n0639980002;Petit;Hugo\n'
  await chooser.setFiles({ name: 'clients.csv', mimeType: 'text/csv', buffer: Buffer.from(content) })
  await importing.getByRole('button', { name: 'Import', exact: true }).waitFor()
  await tabTo(page, /^Import$/, 'button')
  await keys.press('Enter')
  await eventually(async () => {
    const { body } = await operator.get('/contactlists')
    assert.deepEqual(
      body.map(({ name, contacts_count: count }: { name: string; contacts_count: number }) => [name, count]),
      [['clients', 2]]
    )
  })
  await importing.getByText('The file was imported.').waitFor()
  await tabTo(page, /^Open the list$/)
  await keys.press('Enter')
  await page.getByRole('heading', { level: 1, name: 'clients' }).waitFor()
})

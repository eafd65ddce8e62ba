import { spawn } from 'node:child_process'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { chromium, type Page } from 'playwright-core'
import { buildConsole } from '../../scripts/build-console.ts'
import { findBrowser } from './browser.ts'

/*
 * `npm run docs:images`: the pictures of the console in docs/images, taken anew. A service of its own with a little traffic, in the
 * sandbox; whoever changes a page looks at what comes out.
 */

const PASSWORD = 'a password for pictures'
const KEY = 'key-for-pictures'
const root = join(import.meta.dirname, '../..')
const images = join(root, 'docs/images')

await buildConsole()
await mkdir(images, { recursive: true })
const folder = await mkdtemp(join(tmpdir(), 'chappe-pictures-'))
const child = spawn(process.execPath, [join(root, 'src/main.ts')], {
  env: {
    PATH: process.env.PATH,
    PORT: '0',
    CHAPPE_DATA: folder,
    CHAPPE_ADMIN_EMAIL: 'lea@boutique.example',
    CHAPPE_ADMIN_PASSWORD: PASSWORD,
    CHAPPE_ADMIN_API_KEY: KEY,
    CHAPPE_WEBHOOK_ALLOW_PRIVATE: 'true',
    CHAPPE_LOG: 'error'
  },
  stdio: ['ignore', 'pipe', 'inherit']
})
const ended = new Promise((resolve) => child.once('exit', resolve))
try {
  const url = await untilRunning()
  await fill(url)
  const browser = await chromium.launch({ executablePath: await findBrowser(), args: ['--no-sandbox'] })
  try {
    const page = await (await browser.newContext({ viewport: { width: 1280, height: 860 }, locale: 'en-GB' })).newPage()
    await logIn(page, url)
    await takeAll(page, url)
    const phone = await (
      await browser.newContext({ viewport: { width: 390, height: 844 }, locale: 'fr-FR', colorScheme: 'dark' })
    ).newPage()
    await logIn(phone, url)
    await take(phone, url, '/', 'phone-home')
  } finally {
    await browser.close()
  }
} finally {
  child.kill('SIGTERM')
  await ended
  await rm(folder, { recursive: true, force: true })
}

function untilRunning(): Promise<string> {
  let output = ''
  return new Promise((resolve, reject) => {
    child.stdout.on('data', (chunk) => {
      output += chunk
      const address = /Chappe is running at (http:\S+)/.exec(output)?.[1]
      if (address) resolve(address)
    })
    child.once('exit', () => reject(new Error(output)))
  })
}

/** A shop that has been sending for a while. */
async function fill(url: string): Promise<void> {
  const ask = async (method: string, path: string, body?: unknown) => {
    const response = await fetch(url + path, {
      method,
      headers: { 'x-api-key': KEY, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) })
    })
    // biome-ignore lint/suspicious/noExplicitAny: whatever the operation answers.
    return (await response.json()) as any
  }
  await ask('PUT', '/users/me', { first_name: 'Léa', last_name: 'Martin', social_reason: 'Boutique Martin' })
  await ask('PUT', '/users/me', { settings: { sender: 'BOUTIQUE' } })
  const receiver = createServer((_request, response) => response.end('thank you'))
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
  const hook = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/chappe`
  await ask('PUT', '/webhooks', {
    webhooks: [
      { type: 'replies', url: hook },
      { type: 'message_state', url: hook }
    ]
  })
  const list = await ask('POST', '/contactlists', { name: 'Clients fidèles' })
  const names = ['Inès', 'Hugo', 'Chloé', 'Louis', 'Manon', 'Jules', 'Camille', 'Adam', 'Zoé', 'Paul', 'Lina', 'Noé']
  const contacts = Array.from({ length: 240 }, (_, index) => ({
    tel: `+3363998${String(1000 + index)}`,
    champ_prenom: names[index % names.length],
    champ_nom: ['Moreau', 'Petit', 'Garcia', 'Leroy', 'Faure'][index % 5],
    champ_ville: ['Lyon', 'Nantes', 'Lille'][index % 3]
  }))
  await ask('POST', '/contacts', { contactlist_id: list.id, contacts })
  await ask('POST', '/models', {
    name: 'Colis prêt',
    content: 'Bonjour #champ_prenom#, votre colis vous attend.',
    sender: 'BOUTIQUE'
  })
  await ask('POST', '/models/rcs', {
    name: 'Soldes d’hiver',
    type: 'card',
    data: {
      title: 'Soldes d’hiver',
      description: 'Jusqu’à −50 % sur toute la collection.',
      choices: [
        { type: 'url', title: 'Voir', url: 'https://boutique.example/soldes' },
        { type: 'text', text: 'Me rappeler' }
      ]
    },
    fallback: { content: 'Soldes : jusqu’à −50 %. boutique.example/soldes', sender: 'BOUTIQUE' }
  })
  await ask('POST', '/messages/sms/contactlist', {
    contactlist: [list.id],
    content: 'Bonjour #champ_prenom#, vente privée ce soir dès 18 h.'
  })
  await ask('POST', '/messages/rcs', {
    contacts: contacts.slice(0, 80).map(({ tel }) => ({ recipient: tel })),
    type: 'card',
    data: { title: 'Soldes d’hiver', description: 'Jusqu’à −50 %', choices: [{ type: 'text', text: 'Me rappeler' }] },
    fallback: { content: 'Soldes : jusqu’à −50 %' }
  })
  await ask('POST', '/messages/sms', { recipients: ['+33639980005'], content: 'Votre code est 4821.' })
  await ask('POST', '/messages/sms', {
    recipients: ['+33639980000'],
    content: 'À demain 9 h !',
    scheduleAt: new Date(Date.now() + 72e6).toISOString()
  })
  await sleep(6_000) // Until replies and receipts are in.
  await new Promise((resolve) => receiver.close(resolve))
}

async function logIn(page: Page, url: string): Promise<void> {
  await page.goto(`${url}/app/login`)
  await page.locator('input[type=email]').fill('lea@boutique.example')
  await page.locator('input[type=password]').fill(PASSWORD)
  await page.keyboard.press('Enter')
  await page.locator('#page h1').waitFor()
}

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
  await take(page, url, '/messages/1', 'message')
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

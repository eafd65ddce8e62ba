import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Browser, Page } from 'playwright-core'
import { buildConsole } from '../../scripts/build-console.ts'
import { connect, type Pool } from '../../src/database/database.ts'
import { findEmbeddedServer } from '../../src/database/embedded-server.ts'
import { findBrowser, launchBrowser } from './browser.ts'
import type { Ask } from './paths.ts'

/* A service of its own, in the sandbox, of a shop that has been sending for a month: for scripts that look at the console. */

const EMAIL = 'lea@boutique.example'
const PASSWORD = 'a password for pictures'
const KEY = 'key-for-pictures'
const DAYS = 30
const root = join(import.meta.dirname, '../..')

/** Runs some work with the shop and a browser, and ends both. */
export async function withShop(
  work: (parts: { url: string; browser: Browser; ask: Ask }) => Promise<void>
): Promise<void> {
  await buildConsole()
  const folder = await mkdtemp(join(tmpdir(), 'chappe-pictures-'))
  const child = spawn(process.execPath, [join(root, 'src/main.ts')], {
    env: {
      PATH: process.env.PATH,
      PORT: '0',
      CHAPPE_DATA: folder,
      CHAPPE_ADMIN_EMAIL: EMAIL,
      CHAPPE_ADMIN_PASSWORD: PASSWORD,
      CHAPPE_ADMIN_API_KEY: KEY,
      CHAPPE_WEBHOOK_ALLOW_PRIVATE: 'true',
      CHAPPE_LOG: 'error'
    },
    stdio: ['ignore', 'pipe', 'inherit']
  })
  const ended = new Promise((resolve) => child.once('exit', resolve))
  // Without its service the work fails, and everything is cleaned up as after any failure.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => child.kill('SIGTERM'))
  try {
    const url = await new Promise<string>((resolve, reject) => {
      let output = ''
      child.stdout.on('data', (chunk) => {
        output += chunk
        const address = /Chappe is running at (http:\S+)/.exec(output)?.[1]
        if (address) resolve(address)
      })
      child.once('exit', () => reject(new Error(output)))
    })
    const ask = asOperator(url)
    await fill(ask, folder)
    const browser = await launchBrowser(await findBrowser())
    try {
      await work({ url, browser, ask })
    } finally {
      await browser.close()
    }
  } finally {
    child.kill('SIGTERM')
    await ended
    await rm(folder, { recursive: true, force: true })
  }
}

function asOperator(url: string): Ask {
  return async (method, path, body) => {
    const response = await fetch(url + path, {
      method,
      headers: { 'x-api-key': KEY, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) })
    })
    const answer = await response.json()
    if (!response.ok) throw new Error(`${method} ${path}: ${JSON.stringify(answer)}`)
    // biome-ignore lint/suspicious/noExplicitAny: whatever the operation answers.
    return answer as any
  }
}

/** A shop that has been sending for a while. */
async function fill(ask: Ask, folder: string): Promise<void> {
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
  const database = await findEmbeddedServer(folder)
  if (!database) throw new Error('the database of the shop is not running')
  const pool = connect({ url: database, applicationName: 'chappe pictures', connectionsMax: 2 })
  await sendForAMonth(ask, { list: list.id, contacts }, pool)
  await pool.close(1)
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

const CAMPAIGNS = ['Vente privée', 'Nouveautés', 'Prêt à retirer', 'Rappel de rendez-vous', 'Anniversaires', 'Soldes']

/** One or two messages a day, oldest first, as if each had been sent on its day. */
async function sendForAMonth(ask: Ask, { list, contacts }: { list: number; contacts: { tel: string }[] }, pool: Pool) {
  const ages = new Map<number, number>()
  for (let days = DAYS; days > 0; days--) {
    // Fewer on Sundays, more before the end of the month, always the same.
    const size = 20 + ((days * 37) % 140)
    const { message_id: id } = await ask('POST', '/messages/sms', {
      recipients: contacts.slice(0, size).map(({ tel }) => tel),
      content: 'Bonjour, vos avantages vous attendent en magasin.',
      name: CAMPAIGNS[days % CAMPAIGNS.length],
      tags: [days % 2 === 0 ? 'magasin' : 'web']
    })
    ages.set(id, days)
    if (days % 6 === 0) {
      const { message_id: campaign } = await ask('POST', '/messages/sms/contactlist', {
        contactlist: [list],
        content: 'Bonjour #champ_prenom#, une surprise vous attend.',
        name: 'Club fidélité'
      })
      ages.set(campaign, days)
    }
  }
  await untilSent(pool, [...ages.keys()])
  for (const [id, days] of ages) {
    const earlier = pool`make_interval(days => ${days}, hours => ${(id % 8) - 4})`
    await pool`
      update messages
      set created_at = created_at - ${earlier}, scheduled_at = scheduled_at - ${earlier}
      where id = ${id}
    `
    await pool`
      update recipients
      set sent_at = sent_at - ${earlier}, delivered_at = delivered_at - ${earlier}
      where message_id = ${id}
    `
    await pool`update replies set created_at = created_at - ${earlier} where message_id = ${id}`
  }
  await pool`
    insert into carrier_figures (
      span, begins_at, carrier, country, accepted, rejected, answer_seconds, delivered, undelivered, receipt_seconds
    )
    select 'hour', date_trunc('hour', now()) - hours * interval '1 hour', 'sandbox', country, share * (30 + hours * 7 % 40),
      hours % 3, share * (30 + hours * 7 % 40) * 0.04, share * (28 + hours * 7 % 40), share, share * 120
    from generate_series(0, 23) as hours, (values ('FR', 5), ('BE', 1)) as given (country, share)
    on conflict do nothing
  `
}

async function untilSent(pool: Pool, ids: readonly number[]): Promise<void> {
  for (let tries = 0; tries < 60; tries++) {
    const [row] = await pool<[{ count: number }]>`
      select count(*) as count
      from messages
      where id = any(${ids as number[]}::bigint[])
        and waiting_count + sent_count > 0
    `
    if (row.count === 0) return
    await sleep(500)
  }
}

/** A tab in which Léa is logged in, without having seen the log-in: its cache is empty. */
export async function openTab(
  browser: Browser,
  { url, ...look }: { url: string } & Parameters<Browser['newContext']>[0]
): Promise<Page> {
  const page = await (await browser.newContext(look)).newPage()
  const answer = await fetch(`${url}/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: EMAIL, password: PASSWORD })
  })
  const { token, expiresIn } = (await answer.json()) as { token: string; expiresIn: number }
  const session = { token, expiresAt: Date.now() + expiresIn * 1000, family: crypto.randomUUID() }
  await page.addInitScript((text) => sessionStorage.setItem('chappe.session', text), JSON.stringify(session))
  return page
}

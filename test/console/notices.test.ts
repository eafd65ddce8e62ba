import { strict as assert } from 'node:assert'
import { endUnseen, keepTroubles, raiseLasting } from '../../src/alarms/alarms.store.ts'
import { noticeCampaigns } from '../../src/messages/campaign-notices.ts'
import { eventually } from '../checks/eventually.ts'
import { holdTable } from '../database/hold-table.ts'
import { send } from '../messages/sending.ts'
import { logIn } from '../service/people.ts'
import { assertAccessible, goTo, openConsole } from './console-page.ts'
import { startService, test } from './console-service.ts'

test('pages, campaigns, lists, sub-accounts and people are found by name, notices are counted until they are read, and an import goes on when its page is left', async (t) => {
  const service = await startService(t)
  const { url, pool } = service
  const account = await service.newAccount({ credits: 100 })
  const { id: list } = (await account.expect(200).post('/contactlists', { name: 'Clients' })).body
  const contacts = [{ tel: '0639980001', champ_nom: 'Martin', champ_prenom: 'Léa' }]
  await account.expect(200).post('/contacts', { contactlist_id: list, contacts })
  const message = await send(account, { recipients: ['+33639980001', '+33639980002'], name: 'Soldes' })
  const campaign = { accountId: account.id, messageId: message, name: 'Soldes', recipientsCount: 2 }
  await noticeCampaigns(pool, [{ ...campaign, kind: 'campaign_finished' }])
  const child = await account.newSubAccount()
  await child.expect(200).post('/credit-requests', { credits: 1_500 })

  const page = await openConsole(t, { url, as: account, path: '/templates' })
  await page.getByRole('link', { name: 'Notices, 2 unread' }).waitFor()
  // Pages that are not in the menu too.
  for (const [text, option, heading] of [
    ['audit', 'Audit trail Page', 'Audit trail'],
    ['marg', 'Margins Page', 'Margins'],
    ['statem', 'Statements Page', 'Statements'],
    ['draft', 'Drafts Page', 'Drafts'],
    ['soldes', `Soldes #${message} · Message`, 'Soldes'],
    ['client', 'Clients Contact list', 'Clients'],
    [child.email, /· Sub-account$/, /./],
    ['léa mar', 'Léa Martin +33 6 39 98 00 01 · Person', 'Léa Martin']
  ] as const) {
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: /^Search pages/ }).fill(text)
    await page.getByRole('option', { name: option }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.getByRole('heading', { level: 1, name: heading }).waitFor()
    if (text === child.email) await page.waitForURL(`**/sub-accounts/${child.id}`)
  }

  // By its address: the page asks for its notices before it knows who asks.
  await page.getByRole('link', { name: 'Notices, 2 unread' }).waitFor()
  await page.goto(`${url}/app/notices`)
  await page.getByRole('heading', { level: 1, name: 'Notices' }).waitFor()
  await page.getByText('An account asks for 1,500 SMS credits').waitFor()
  await page.getByRole('link', { name: 'Notices', exact: true }).waitFor()
  await assertAccessible(page)
  const elsewhere = await logIn(service, account)
  await eventually(async () => {
    const { meta } = (await elsewhere.expect(200).get('/notices?unread=true')).body
    assert.equal(meta.totalItems, 0, 'read in every browser')
  })
  await page.getByRole('link', { name: 'The campaign “Soldes” is finished (2 recipients)' }).click()
  await page.waitForURL(`**/messages/${message}`)

  // One alarm lasts, one is over.
  const trouble = { accountId: account.id, value: null, bound: null }
  const url410 = 'https://hooks.example/gone'
  const webhook = { ...trouble, kind: 'webhook_disabled', subject: '1', name: url410 } as const
  const key = { ...trouble, kind: 'key_expires', subject: '2', name: 'Shop', value: -1, bound: 14 } as const
  await keepTroubles(pool, [webhook, key])
  await raiseLasting(pool)
  await endUnseen(pool, { kinds: [webhook.kind], scope: { subject: webhook.subject }, troubles: [], isWhole: true })
  await goTo(page, '/alarms')
  await page.getByRole('row', { name: /The API key “Shop” has ended.*Ongoing/ }).waitFor()
  const past = page.getByRole('row', { name: `The webhook ${url410} was disabled: its receiver does not answer` })
  assert.doesNotMatch((await past.textContent()) ?? '', /Ongoing/)
  assert.equal(await page.getByRole('row').count(), 3, 'with the head')
  await assertAccessible(page)

  await goTo(page, '/contacts')
  await page.getByRole('button', { name: 'Import a file' }).first().click()
  const dialog = page.getByRole('dialog')
  const file = { name: 'clients.csv', mimeType: 'text/csv', buffer: Buffer.from('tel;nom\n0639980005;Petit\n') }
  await dialog.locator('input[type=file]').setInputFiles(file)
  const held = await holdTable(pool, 'contacts')
  await dialog.getByRole('button', { name: 'Import', exact: true }).click()
  await dialog.getByRole('button', { name: 'Continue in the background' }).click()
  await dialog.waitFor({ state: 'detached' })
  await goTo(page, '/webhooks')
  const works = page.getByRole('region', { name: 'Running work' })
  await works.getByText('Import clients.csv: running').waitFor()
  await assertAccessible(page)
  await held.release()
  await works.getByText('Import clients.csv: finished').waitFor()
  await works.getByRole('link', { name: 'Open' }).click()
  await page.getByRole('heading', { level: 1, name: 'clients' }).waitFor()
  await page.getByRole('cell', { name: /Petit/ }).first().waitFor()
  // On the page of its result it is not told again.
  await works.waitFor({ state: 'detached' })

  // A large send is followed from any page but its own, until it is over.
  await goTo(page, '/send')
  const numbers = Array.from({ length: 51 }, (_, index) => `+336399810${index + 10}`)
  await page.getByLabel('Phone numbers').fill(numbers.join('\n'))
  await page.getByLabel('Text', { exact: true }).fill('Bonjour')
  await page.getByRole('region', { name: 'Cost' }).getByRole('row', { name: 'Credits 51' }).waitFor()
  await page.getByRole('button', { name: 'Send', exact: true }).click()
  await page.getByRole('dialog', { name: 'Send now?' }).getByRole('button', { name: 'Send' }).click()
  await page.getByRole('heading', { level: 1, name: /^Message \d+$/ }).waitFor()
  const large = Number(page.url().split('/').at(-1))
  assert.equal(await works.count(), 0)
  await goTo(page, '/templates')
  await works.getByText(`Send #${large}: running`).waitFor()
  await account.expect(200).put(`/messages/${large}/cancel`)
  await works.waitFor({ state: 'detached' })
})

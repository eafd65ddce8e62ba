import { strict as assert } from 'node:assert'
import { text } from 'node:stream/consumers'
import { ACTS } from '../../console/src/features/audit/acts.ts'
import { readOperations } from '../security/document.ts'
import { assertAccessible, openConsole } from './console-page.ts'
import { startService, test } from './console-service.ts'

/** Operations that leave no entry: they change nothing of an account, or only begin what another one ends. */
const NO_ENTRY = [
  ...[
    'countRules',
    'previewContacts',
    'replyFromPhone',
    'receiveRbmEvent',
    'receiveHttpReceipts',
    'receiveHttpReplies'
  ],
  'listContactNames',
  'markNoticesRead',
  'updateDraft',
  ...['beginTotp', 'beginPasskey', 'beginPasskeyLogin', 'forgotPassword', 'lookAtInvitation']
]

test('every operation that leaves an entry has a sentence in both languages', async (t) => {
  const { url } = await startService(t, { settings: { CHAPPE_ROLES: 'api,delivery' } })
  const acts = (await readOperations(url)).filter(({ id, method }) => method !== 'get' && !NO_ENTRY.includes(id))
  for (const { id } of acts) assert.ok(ACTS[id]?.en && ACTS[id]?.fr, `${id} has no sentence`)
  assert.ok(acts.length > 50)
})

test('an owner reads the audit trail as sentences, narrows it down and exports it', async (t) => {
  const { url, newAccount, anonymous } = await startService(t)
  const account = await newAccount({ credits: 10 })
  const list = (await account.expect(200).post('/contactlists', { name: 'Clients' })).body.id
  await account.expect(200).put(`/contactlists/${list}`, { name: 'Clients 2026' })
  await account.expect(200).post('/senders', { name: 'BOUTIQUE' })
  await account.expect(200).put('/users/me', { first_name: 'Léa', last_name: 'Martin' })
  const { message_id: sent } = (
    await account.expect(200).post('/messages/sms', { recipients: ['0639980001'], content: 'Bonjour' })
  ).body
  await anonymous.expect(401).post('/auth/login', { email: account.email, password: 'not the one' })

  const page = await openConsole(t, { url, as: account, path: '/settings' })
  await page.getByRole('link', { name: 'Audit trail' }).click()
  const rows = page.getByRole('table', { name: 'Audit trail' }).getByRole('row')
  await rows.filter({ hasText: 'Léa Martin logged in' }).first().waitFor()
  await rows.filter({ hasText: 'Léa Martin failed to log in: wrong password or code' }).waitFor()
  await rows.filter({ hasText: `Key “First key” renamed contact list ${list}` }).waitFor()
  await page.getByText('name: Clients → Clients 2026').waitFor()
  await page.getByText('use: All messages').waitFor()
  await page.getByText('countries: Every country').waitFor()
  await assertAccessible(page)
  assert.equal(await rows.filter({ hasText: 'sent SMS message' }).count(), 0)
  await page.getByRole('switch', { name: 'Show sent messages' }).click({ force: true })
  await rows.filter({ hasText: `sent SMS message ${sent}` }).waitFor()

  const downloading = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Export as CSV' }).click()
  const csv = await text(await (await downloading).createReadStream())
  assert.match(csv, /^id,created_at,[\s\S]+sendSms/)

  await page.getByRole('button', { name: 'Léa Martin' }).first().click()
  await rows.filter({ hasText: 'Key' }).first().waitFor({ state: 'detached' })
  await rows.filter({ hasText: 'Léa Martin logged in' }).first().waitFor()

  const french = await openConsole(t, { url, as: account, path: '/audit', language: 'fr', width: 390 })
  await french.getByText(`a renommé la liste de contacts ${list}`).waitFor()
  await assertAccessible(french)
})

test('the days of the trail are those of the times it shows, whatever the time zone of the browser', async (t) => {
  const { url, newAccount } = await startService(t)
  const account = await newAccount()
  await account.expect(200).put('/users/me', { time_zone: 'Pacific/Auckland' })
  const page = await openConsole(t, { url, as: account, path: '/audit' })
  await page.getByLabel('Days', { exact: true }).click()
  await page.locator('button[data-direction=previous]').click()
  const day = page.getByRole('button', { name: /^15 / })
  await day.click()
  const asked = page.waitForRequest((request) => request.url().includes('from='))
  await day.click()
  const query = new URL((await asked).url()).searchParams
  const inAuckland = new Intl.DateTimeFormat('en-GB', {
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    timeZone: 'Pacific/Auckland'
  })
  const bounds = ['from', 'to'].map((name) => inAuckland.format(new Date(query.get(name) ?? '')))
  assert.deepEqual(bounds, ['15, 00:00', '16, 00:00'])
})

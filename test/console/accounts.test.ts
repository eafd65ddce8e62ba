import { strict as assert } from 'node:assert'
import { eventually } from '../checks/eventually.ts'
import { addPerson, PASSWORD } from '../service/people.ts'
import { assertAccessible, goTo, openConsole, readDownload } from './console-page.ts'
import { startService, test } from './console-service.ts'

test('the operator finds an account, suspends it, looks at it and resumes it; a log-out from the view leaves nothing', async (t) => {
  const { url, operator, pool } = await startService(t)
  for (const company of ['Boutique Martin', 'Agence Roy']) {
    const email = `${company.split(' ')[1]?.toLowerCase()}@test.example`
    await operator.expect(200).post('/accounts', { email, password: PASSWORD, social_reason: company })
  }
  const page = await openConsole(t, { url, as: operator, path: '/operator' })
  await page.getByRole('tab', { name: 'Accounts' }).click()
  await page.getByRole('combobox', { name: 'Sort by' }).click()
  await page.getByRole('option', { name: 'Company' }).click()
  await page.getByRole('row', { name: /Agence Roy/ }).waitFor()
  const file = await readDownload(page, () => page.getByRole('button', { name: 'Export as CSV' }).click())
  assert.match(file.text, /Boutique Martin/)
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: /^Search pages/ }).fill('roy')
  await page.getByRole('option', { name: 'Agence Roy roy@test.example · Account' }).click()
  await page.getByRole('heading', { level: 1, name: 'Agence Roy' }).waitFor()
  await page.getByRole('link', { name: 'All accounts' }).click()
  await page.getByRole('searchbox', { name: 'Search by company, name, email or number' }).fill('martin@')
  await page.getByRole('row', { name: /Agence Roy/ }).waitFor({ state: 'detached' })
  await page.getByRole('row', { name: /Boutique Martin/ }).click()

  const status = page.getByRole('region', { name: 'Account status' })
  await status.getByRole('button', { name: 'Suspend' }).click()
  const dialog = page.getByRole('dialog', { name: 'Suspend this account?' })
  await dialog.getByLabel('Reason, which the account sees').fill('The invoice is unpaid.')
  await assertAccessible(page)
  await dialog.getByRole('button', { name: 'Suspend' }).click()
  await status.getByText('The invoice is unpaid.').waitFor()
  await status.getByText('Suspended').waitFor()

  const view = status.getByRole('button', { name: 'View as this account' })
  await view.click()
  const banner = page.getByText('You are viewing Boutique Martin. You can’t change anything.')
  await banner.waitFor()
  await page.getByText('This account is suspended: The invoice is unpaid.').waitFor()
  const menu = page.getByRole('navigation', { name: 'Main menu' })
  for (const name of ['Send', 'Keys', 'Security'])
    assert.equal(await menu.getByRole('link', { name, exact: true }).count(), 0, name)
  await goTo(page, '/settings')
  await page.getByRole('region', { name: 'Sending' }).waitFor()
  assert.equal(await page.getByRole('region', { name: 'Password' }).count(), 0)
  assert.equal(await page.getByRole('button', { name: 'Save' }).count(), 0)
  await page.getByRole('button', { name: 'Stop viewing' }).click()
  // Where the view began.
  await status.getByRole('button', { name: 'Resume' }).click()
  await status.getByText('Open').waitFor()
  await page.getByRole('link', { name: 'All accounts' }).click()
  await page.getByRole('row', { name: /Agence Roy/ }).waitFor()
  await page.goBack()

  await view.click()
  await banner.waitFor()
  await page.getByRole('button', { name: 'Log out' }).click()
  await page.getByRole('heading', { name: 'Log in' }).waitFor()
  const kept = () => page.evaluate(`Object.keys(sessionStorage).filter((key) => key.startsWith('chappe'))`)
  await eventually(async () => assert.deepEqual(await kept(), []))
  // Both sessions end: the one of the view, and the person's own.
  const browsers = () => pool`select id from sessions where agent like 'Mozilla%'`
  await eventually(async () => assert.equal((await browsers()).length, 0))
})

test('a key is made, rotated and deleted', async (t) => {
  const { url, operator, anonymous } = await startService(t)
  const page = await openConsole(t, { url, as: operator, path: '/keys' })
  await page.getByRole('button', { name: 'New key' }).click()
  const dialog = page.getByRole('dialog', { name: 'New key' })
  await dialog.getByLabel('Name').fill('Shop')
  await dialog.getByRole('textbox', { name: 'Current password' }).fill(operator.password)
  await assertAccessible(page)
  await dialog.getByRole('button', { name: 'Create the key' }).click()
  const secret = await dialog.getByRole('textbox', { name: 'X-API-KEY' }).inputValue()
  await dialog.getByRole('button', { name: 'I’ve saved it' }).click()
  const shop = anonymous.as({ 'x-api-key': secret })
  await shop.expect(200).get('/messages')
  await shop.expect(403).get('/keys')

  const card = page.getByRole('region', { name: 'Shop' })
  await card.getByRole('button', { name: 'Rotate' }).click()
  const rotation = page.getByRole('dialog', { name: 'Rotate this key?' })
  await rotation.getByRole('textbox', { name: 'Current password' }).fill(operator.password)
  await rotation.getByRole('button', { name: 'Rotate' }).click()
  await page.getByRole('button', { name: 'I’ve saved it' }).click()
  await card.getByText('Being replaced').waitFor()
  await assertAccessible(page)
  await card.filter({ hasText: 'Being replaced' }).getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('dialog', { name: 'Delete this key?' }).getByRole('button', { name: 'Delete' }).click()
  await eventually(() => shop.expect(401).get('/messages'))
  await eventually(async () => assert.equal(await card.count(), 1))

  // One for an assistant has its own limit.
  await page.getByRole('button', { name: 'New key' }).click()
  await dialog.getByLabel('Name').fill('Assistant')
  assert.equal(await dialog.getByLabel('Credits that it may spend within 24 hours').count(), 0)
  await dialog.getByRole('checkbox', { name: 'Send and cancel messages, write templates' }).uncheck()
  await dialog.getByRole('checkbox', { name: /^For assistants/ }).check()
  await dialog.getByLabel('Credits that it may spend within 24 hours').fill('2500')
  await dialog.getByRole('textbox', { name: 'Current password' }).fill(operator.password)
  await dialog.getByRole('button', { name: 'Create the key' }).click()
  await dialog.getByRole('button', { name: 'I’ve saved it' }).click()
  await page.getByRole('region', { name: 'Assistant' }).getByText('2,500 credits within 24 hours').waitFor()
})

test('a reader sees every page, and is offered nothing that would be refused', async (t) => {
  const service = await startService(t, { settings: { CHAPPE_ROLES: 'all' } })
  const { url, operator } = service
  const sub = await operator.newSubAccount({ credits: 5 })
  const phone = '+33639980005'
  const list = (await operator.expect(200).post('/contactlists', { name: 'Clients' })).body
  await operator.expect(200).post('/contacts', { contactlist_id: list.id, contacts: [{ tel: phone }] })
  await operator.expect(200).post('/stops', { recipient: '+33639980099' })
  const rules = { match: 'all', rules: [{ type: 'field', field: 'champ_ville', op: 'is', value: 'Lyon' }] }
  const segment = (await operator.expect(200).post('/segments', { name: 'Lyon', ...rules })).body
  const model = (await operator.expect(200).post('/models', { name: 'Colis', content: 'Bonjour', sender: 'SHOP' })).body
  const { message_id: messageId } = (
    await operator.expect(200).post('/messages/sms', { recipients: [phone], content: 'Bonjour' })
  ).body
  await eventually(async () => assert.equal((await operator.get('/conversations')).body.items.length, 1))
  const reader = await addPerson(service, { accountId: 1, role: 'reader' })
  const page = await openConsole(t, { url, as: { email: reader.email, password: PASSWORD } })
  const offered = async (path: string, title: string, ready: string) => {
    await goTo(page, path)
    await page.locator('#page').getByRole('heading', { level: 1, name: title, exact: true }).waitFor()
    await page.locator('#page').getByText(ready).first().waitFor()
    const acts = page.locator('#page').getByRole('button')
    const names = await acts.evaluateAll((found) =>
      found
        .filter((each) => !each.matches(':disabled'))
        .map((each) => each.getAttribute('aria-label') ?? each.textContent?.trim() ?? '')
    )
    return [...new Set(names)]
  }
  const company = (await operator.get(`/subaccount/${sub.id}`)).body
  const subName = company.social_reason || company.email
  const walk: [path: string, title: string, ready: string, acts: string[]][] = [
    ['/messages', 'Messages', 'Bonjour', ['All']],
    [`/messages/${messageId}`, `Message ${messageId}`, '+33 6 39 98 00 05', ['Export as CSV']],
    ['/contacts', 'Contacts', 'Clients', []],
    [`/contacts/${list.id}`, 'Clients', '+33 6 39 98 00 05', ['More actions']],
    ['/segments', 'Segments', 'Lyon', []],
    [`/segments/${segment.id}`, 'Lyon', '0 people', []],
    ['/stops', 'STOPs', '+33 6 39 98 00 99', []],
    ['/templates', 'Templates', 'Colis', []],
    [`/templates/sms/${model.id}`, 'Colis', 'Name of the template', []],
    ['/webhooks', 'Webhooks', 'No webhook yet', []],
    ['/api', 'API', 'YOUR_KEY', ['Copy']],
    ['/people', 'People', reader.email, ['Leave this account']],
    ['/sub-accounts', 'Sub-accounts', 'Open', ['Export as CSV']],
    [`/sub-accounts/${sub.id}`, subName, 'Allowed countries', []],
    ['/operator', 'Operator', 'Window', []],
    [`/operator/accounts/${sub.id}`, subName, 'Allowed countries', []]
  ]
  for (const [path, title, ready, acts] of walk) assert.deepEqual(await offered(path, title, ready), acts, path)
  await goTo(page, `/inbox?with=${encodeURIComponent(phone)}`)
  await page.getByRole('log').getByText('OK', { exact: true }).waitFor()
  assert.equal(await page.getByRole('textbox', { name: 'Reply' }).count(), 0)
  for (const path of ['/send', '/keys', '/audit', '/templates/sms/new']) {
    await goTo(page, path)
    await page.getByRole('heading', { name: 'There is no such page' }).waitFor()
    await goTo(page, '/')
    await page.getByRole('heading', { name: 'Home' }).waitFor()
  }
})

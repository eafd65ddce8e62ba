import { strict as assert } from 'node:assert'
import { eventually } from '../checks/eventually.ts'
import { assertAccessible, assertFits, goTo, logIn, openConsole, readDownload } from './console-page.ts'
import { startService, test } from './console-service.ts'

test('a sub-account is made and credited; it logs in, and sees nothing that is not its own', async (t) => {
  const { url, operator } = await startService(t)
  const page = await openConsole(t, { url, as: operator, path: '/sub-accounts', refusals: [402] })
  await page.getByRole('button', { name: 'New sub-account' }).click()
  const dialog = page.getByRole('dialog', { name: 'New sub-account' })
  await dialog.getByLabel('Company').fill('Boutique Martin')
  await dialog.getByLabel('Email').fill('lea@boutique.example')
  await dialog.getByRole('textbox', { name: 'Password' }).fill('a good password')
  await assertAccessible(page)
  // Twice, as some do everywhere: the second must not take the place of the first, whose answer alone has the key.
  await dialog.getByRole('button', { name: 'Create' }).dblclick()
  const made = page.getByRole('dialog', { name: 'The sub-account was created' })
  assert.notEqual(await made.getByRole('textbox', { name: 'X-API-KEY' }).inputValue(), '')
  await page.keyboard.press('Escape')
  await made.getByRole('button', { name: 'Done' }).click()

  await page.getByRole('row', { name: /Boutique Martin/ }).click()
  await page.getByLabel('Number of credits').fill('20000')
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  await page.getByRole('alert').waitFor()
  await page.getByLabel('Number of credits').fill('250')
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  await page.getByText('The credits are moved.').waitFor()
  await page.getByRole('table', { name: 'History of credits' }).getByText('+250').waitFor()
  await assertAccessible(page)
  await page.getByRole('radio', { name: 'Yours' }).click()
  const asked = page.getByRole('dialog', { name: 'Use your credits?' })
  await asked.getByText('SMS balance: 9,750.').waitFor()
  await asked.getByRole('button', { name: 'Change' }).click()
  await eventually(async () => assert.equal((await operator.get('/subaccount')).body[0].credits_mode, 'parent'))
  const { body } = await operator.get('/subaccount')
  assert.equal(body[0].social_reason, 'Boutique Martin')
  assert.equal((await operator.get('/users/credits')).body[0].credits, 9_750)

  // Its figures, on its page and in the list of all, which is exported.
  const details = page.getByRole('region', { name: 'Details' })
  await details.getByRole('row', { name: 'Messages, 30 days 0' }).waitFor()
  await details.getByRole('row', { name: 'Last activity never' }).waitFor()
  await page.getByRole('link', { name: 'All sub-accounts' }).click()
  for (const name of ['Company', 'Credits used', 'SMS', 'RCS', 'Sent, 30 d', 'Last activity', 'Status'])
    await page.getByRole('columnheader', { name, exact: true }).waitFor()
  await page.getByRole('row', { name: /^Boutique Martin.* Yours 250 0 0 Never Open$/ }).waitFor()
  const file = await readDownload(page, () => page.getByRole('button', { name: 'Export as CSV' }).click())
  assert.equal(file.name, 'sub-accounts.csv')
  assert.match(file.text, /lea@boutique\.example/)
  await page.getByRole('row', { name: /Boutique Martin/ }).click()

  // Without a mail server the link to a new password is shown, once, to whoever gives their own password.
  await page.getByRole('button', { name: 'Reset password: lea@boutique.example' }).click()
  const reset = page.getByRole('dialog', { name: 'Reset password' })
  await reset.getByRole('textbox', { name: 'Current password' }).fill(operator.password)
  await reset.getByRole('button', { name: 'Reset password' }).click()
  const shown = await page.getByRole('textbox', { name: 'Link' }).inputValue()
  assert.ok(shown.startsWith(`${url}/app/reset-password#`), shown)
  await assertAccessible(page)
  await page.getByRole('button', { name: 'Done' }).click()

  await page.getByRole('button', { name: 'Log out' }).click()
  await logIn(page, { email: 'lea@boutique.example', password: 'a good password' })
  await page.getByRole('heading', { name: 'Home' }).waitFor()
  assert.equal(await page.getByRole('link', { name: 'Sub-accounts' }).count(), 0)
  assert.equal(await page.getByRole('link', { name: 'Operator' }).count(), 0)
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: /^Search pages/ }).fill('margins')
  await page.getByText('Nothing found.').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  for (const path of ['/operator', '/sub-accounts']) {
    await goTo(page, path)
    await page.getByRole('heading', { name: 'There is no such page' }).waitFor()
    await goTo(page, '/')
    await page.getByRole('heading', { name: 'Home' }).waitFor()
  }
})

test('credits are moved once, by a double click as after a lost answer, and never others than were typed', async (t) => {
  const { url, operator } = await startService(t)
  const { id } = await operator.newSubAccount()
  const page = await openConsole(t, { url, as: operator, path: `/sub-accounts/${id}` })
  const credits = async () => (await operator.get(`/subaccount/${id}/credits`)).body[0].credits
  const add = page.getByRole('button', { name: 'Add', exact: true })
  for (const wrong of ['0', '-5', '99999999999']) {
    await page.getByLabel('Number of credits').fill(wrong)
    await page.getByLabel('Number of credits').blur()
    await eventually(async () => {
      assert.deepEqual([await page.getByLabel('Number of credits').inputValue(), await add.isDisabled()], [wrong, true])
    })
  }
  await page.getByLabel('Number of credits').fill('3')
  await add.dblclick()
  await page.getByText('The credits are moved.').waitFor()
  assert.equal(await credits(), 3)
  await page.route(
    '**/credits/add',
    async (route) => {
      await route.fetch()
      await route.abort()
    },
    { times: 1 }
  )
  await page.getByLabel('Number of credits').fill('11')
  await add.click()
  await page.getByRole('alert').getByText('can’t be reached').waitFor()
  await add.click()
  await page.getByRole('table', { name: 'History of credits' }).getByText('+11').waitFor()
  assert.equal(await credits(), 14)
})

test('settings are changed in French on a phone, and a new password is the one that counts', async (t) => {
  const { url, newAccount, anonymous } = await startService(t)
  const account = await newAccount()
  // Neither is among the choices that we or the browser would offer.
  await account.expect(200).put('/users/me', { settings: { time_zone: 'Europe/Kyiv', hours_end: '19:10' } })
  const page = await openConsole(t, {
    url,
    as: account,
    path: '/settings',
    language: 'fr',
    width: 390,
    refusals: [400, 401]
  })
  for (const [label, value] of [
    ['Fuseau horaire', 'Europe/Kyiv'],
    ['Heure limite marketing', '19:10']
  ] as const) {
    await eventually(async () => assert.equal(await page.getByLabel(label).first().inputValue(), value))
  }
  await page.getByLabel('Pays').fill('ua')
  await page.getByLabel('Expéditeur').fill('BOUTIQUE')
  await page.getByRole('radio', { name: 'Le marquer en échec' }).click()
  await page.getByRole('region', { name: 'Envois' }).getByRole('button', { name: 'Enregistrer' }).click()
  await page.getByText('Enregistré.').first().waitFor()
  const { body } = await account.get('/users/me')
  const { sender, in_doubt, country, hours_end } = body.settings
  assert.deepEqual([sender, in_doubt, country, hours_end], ['BOUTIQUE', 'fail', 'UA', '19:10'])
  assert.equal(await page.getByRole('link', { name: 'Contacts' }).count(), 0, 'what is put away is out of the way')
  await page.getByRole('button', { name: 'Ouvrir ou fermer le menu' }).click()
  await page.getByRole('link', { name: 'Contacts' }).waitFor()
  await page.getByRole('button', { name: 'Ouvrir ou fermer le menu' }).click()
  await page.getByLabel('Mot de passe actuel').fill('wrong password')
  await page.getByLabel('Nouveau mot de passe').fill('a better password')
  await page.getByRole('button', { name: 'Changer le mot de passe' }).click()
  await page.getByRole('alert').waitFor()
  await assertFits(page)
  await assertAccessible(page)
  await page.getByLabel('Mot de passe actuel').fill(account.password)
  await page.getByRole('button', { name: 'Changer le mot de passe' }).click()
  await eventually(async () => {
    const login = await anonymous.post('/auth/login', { email: account.email, password: 'a better password' })
    assert.equal(login.status, 200)
  })
  await page.getByRole('link', { name: 'Chappe' }).click()
  await page.getByRole('heading', { name: 'Accueil' }).waitFor()
  // A new account has its first steps there, and finds any page by its name.
  const steps = page.getByRole('region', { name: 'Premiers pas' })
  await steps.getByText('1 sur 5 faits').waitFor()
  assert.equal(await steps.getByRole('link', { name: 'Obtenir des crédits' }).getAttribute('href'), '/app/credits')
  const low = page.getByRole('status').filter({ hasText: 'Il reste' }).getByRole('link')
  assert.equal(await low.first().getAttribute('href'), '/app/credits')
  await assertFits(page)
  await page.keyboard.press('Control+/')
  await page.getByRole('dialog', { name: 'Raccourcis clavier' }).waitFor()
  await assertAccessible(page)
  await page.keyboard.press('Escape')
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: /^Rechercher pages/ }).fill('securite')
  await page.getByRole('option', { name: /^Sécurité/ }).waitFor()
  await assertAccessible(page)
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { level: 1, name: 'Sécurité' }).waitFor()
})

test('a closed sub-account is offered no credits and no other way to pay, which it could only be refused', async (t) => {
  const { url, newAccount } = await startService(t)
  const account = await newAccount({ credits: 100 })
  const { id } = await account.newSubAccount({ credits: 40 })
  const page = await openConsole(t, { url, as: account, path: `/sub-accounts/${id}` })
  const credits = page.getByRole('region', { name: 'Credits', exact: true })
  await credits.getByRole('button', { name: 'Add' }).waitFor()
  await account.expect(200).put(`/subaccount/${id}/standing`, { standing: 'closed', reason: 'The contract has ended.' })
  await page.reload()
  await credits.getByText('SMS', { exact: true }).waitFor()
  await page.getByRole('radio', { name: 'Yours' }).and(page.locator(':disabled')).waitFor()
  assert.equal(await credits.getByRole('button').count(), 0)
  await assertAccessible(page)
})

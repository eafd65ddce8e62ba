import { strict as assert } from 'node:assert'
import { eventually } from '../eventually.ts'
import { startService, test } from '../service.ts'
import { assertAccessible, assertFits, logIn, openConsole } from './console-page.ts'

test('a sub-account is made and credited; it logs in, and sees nothing that is not its own', async (t) => {
  const { url, operator } = await startService(t)
  const page = await openConsole(t, { url, as: operator, path: '/sub-accounts', refusals: [402] })
  await page.getByRole('button', { name: 'New sub-account' }).click()
  const dialog = page.getByRole('dialog', { name: 'New sub-account' })
  await dialog.getByLabel('Company').fill('Boutique Martin')
  await dialog.getByLabel('Email').fill('lea@boutique.example')
  await dialog.getByRole('textbox', { name: 'Password' }).fill('a good password')
  await assertAccessible(page)
  await dialog.getByRole('button', { name: 'Create' }).click()
  const made = page.getByRole('dialog', { name: 'The sub-account is there' })
  assert.notEqual(await made.getByRole('textbox', { name: 'X-API-KEY' }).inputValue(), '')
  await made.getByRole('button', { name: 'Done' }).click()

  await page.getByRole('row', { name: /Boutique Martin/ }).click()
  await page.getByLabel('How many').fill('20000')
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  await page.getByRole('alert').waitFor()
  await page.getByLabel('How many').fill('250')
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  await page.getByText('The credits are moved.').waitFor()
  await page.getByRole('table', { name: 'History of credits' }).getByText('+250').waitFor()
  await assertAccessible(page)
  await page.getByRole('radio', { name: 'Yours' }).click()
  const { body } = await operator.get('/subaccount')
  assert.equal(body[0].social_reason, 'Boutique Martin')
  assert.equal((await operator.get('/users/credits')).body[0].credits, 9_750)

  await page.getByRole('button', { name: 'Log out' }).click()
  await logIn(page, { email: 'lea@boutique.example', password: 'a good password' })
  await page.getByRole('heading', { name: 'Home' }).waitFor()
  assert.equal(await page.getByRole('link', { name: 'Sub-accounts' }).count(), 0)
  assert.equal(await page.getByRole('link', { name: 'Operator' }).count(), 0)
})

test('settings are changed in French on a phone, and a new password is the one that counts', async (t) => {
  const { url, newAccount, anonymous } = await startService(t)
  const account = await newAccount()
  const page = await openConsole(t, {
    url,
    as: account,
    path: '/settings',
    language: 'fr',
    width: 390,
    refusals: [400, 401]
  })
  await page.getByLabel('Expéditeur').fill('BOUTIQUE')
  await page.getByRole('radio', { name: 'Le laisser échouer' }).click()
  await page.getByRole('region', { name: 'Envois' }).getByRole('button', { name: 'Enregistrer' }).click()
  await page.getByText('Enregistré.').first().waitFor()
  const { body } = await account.get('/users/me')
  assert.deepEqual([body.settings.sender, body.settings.in_doubt], ['BOUTIQUE', 'fail'])
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
})

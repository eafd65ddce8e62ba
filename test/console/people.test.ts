import { strict as assert } from 'node:assert'
import { eventually } from '../checks/eventually.ts'
import { startMailbox } from '../peers/mailbox.ts'
import { addPerson, PASSWORD } from '../service/people.ts'
import { assertAccessible, assertFits, goTo, logIn, openConsole } from './console-page.ts'
import { startService, test } from './console-service.ts'

const HUGO = 'hugo@boutique.example'

test('a person is invited by a link, joins with a new password, gets another role, and is removed', async (t) => {
  const { url, newAccount, anonymous } = await startService(t)
  const account = await newAccount()
  await account.expect(200).put('/users/me', { social_reason: 'Boutique Martin' })
  const page = await openConsole(t, { url, as: account, path: '/people', refusals: [409] })
  await page.getByRole('button', { name: 'Invite a person' }).click()
  const dialog = page.getByRole('dialog', { name: 'Invite a person' })
  await dialog.getByLabel('Email').fill(account.email)
  await dialog.getByRole('button', { name: 'Invite' }).click()
  await dialog.getByText('on the account already').waitFor()
  await dialog.getByLabel('Email').fill(HUGO)
  await assertAccessible(page)
  await dialog.getByRole('button', { name: 'Invite' }).click()
  const made = page.getByRole('dialog', { name: 'The invitation is ready' })
  const link = await made.getByRole('textbox', { name: 'Link' }).inputValue()
  await made.getByRole('button', { name: 'Done' }).click()
  await page.getByRole('table', { name: 'Open invitations' }).getByText(HUGO).waitFor()

  const hugo = await openConsole(t, { url, path: link.slice(link.indexOf('/app') + 4), refusals: [409] })
  await hugo.getByText('You are invited to join Boutique Martin with the role Sender.').waitFor()
  // The token is in the address bar no longer.
  await eventually(async () => assert.equal(new URL(hugo.url()).hash, ''))
  await assertAccessible(hugo)
  await hugo.getByLabel('First name').fill('Hugo')
  await hugo.getByRole('textbox', { name: 'Password' }).fill('a fresh password')
  await hugo.getByRole('button', { name: 'Join' }).click()
  await hugo.getByRole('heading', { name: 'Home' }).waitFor()
  // A sender may send, and is not offered to invite.
  await hugo.getByRole('navigation').getByRole('link', { name: 'Send', exact: true }).waitFor()
  await goTo(hugo, '/people')
  await hugo.getByRole('table', { name: 'People' }).getByText('Hugo', { exact: true }).waitFor()
  assert.equal(await hugo.getByRole('button', { name: 'Invite a person' }).count(), 0)
  assert.equal(await hugo.getByRole('button', { name: `Remove ${account.email}` }).count(), 0)
  // What is held of a number may be looked at, not erased.
  await goTo(hugo, '/numbers/+33639980001')
  await hugo.getByRole('button', { name: 'Download everything' }).waitFor()
  assert.equal(await hugo.getByRole('button', { name: 'Erase the number' }).count(), 0)
  await goTo(hugo, '/people')
  await anonymous.expect(409).post('/invitations/look', { token: link.split('#')[1] })

  await page.reload()
  await page.getByRole('combobox', { name: `Role of ${HUGO}` }).click()
  await page.getByRole('option', { name: 'Reader' }).click()
  await eventually(async () => {
    const { body } = await account.get('/people')
    assert.equal(body[1].role, 'reader')
  })
  await assertAccessible(page)
  await hugo.reload()
  await hugo.getByRole('table', { name: 'People' }).waitFor()
  assert.equal(await hugo.getByRole('navigation').getByRole('link', { name: 'Send', exact: true }).count(), 0)
  await page.getByRole('button', { name: `Remove ${HUGO}` }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
  await eventually(async () => assert.equal((await account.get('/people')).body.length, 1))
})

test('a forgotten password is chosen anew by the mailed link, in French on a phone', async (t) => {
  const mailbox = await startMailbox(t)
  const { url, newAccount } = await startService(t, { settings: mailbox.settings })
  const { email } = await newAccount()
  const page = await openConsole(t, { url, path: '/login', language: 'fr', width: 390, height: 844, refusals: [409] })
  await page.getByRole('link', { name: 'Mot de passe oublié ?' }).click()
  await page.getByRole('heading', { name: 'Mot de passe oublié' }).waitFor()
  await page.getByLabel('E-mail').fill(email)
  await assertAccessible(page)
  await page.getByRole('button', { name: 'Envoyer le lien' }).click()
  await page.getByText('un lien est en route').waitFor()
  await eventually(() => assert.equal(mailbox.mails.length, 1))
  const link = mailbox.mails[0]?.link ?? ''
  await page.goto(link)
  await page.getByRole('textbox', { name: 'Nouveau mot de passe' }).fill('un nouveau mot de passe')
  await assertAccessible(page)
  await assertFits(page)
  await page.getByRole('button', { name: 'Changer le mot de passe' }).click()
  await page.getByText('Votre mot de passe est modifié').waitFor()
  await page.goto(`${url}/app/login`)
  await page.goto(link)
  await page.getByRole('textbox', { name: 'Nouveau mot de passe' }).fill('encore un autre')
  await page.getByRole('button', { name: 'Changer le mot de passe' }).click()
  await page.getByText('Ce lien a déjà servi').waitFor()
  await page.goto(`${url}/app/login`)
  await logIn(page, { email, password: 'un nouveau mot de passe' })
})

test('a person on two accounts switches, and ends other sessions in the settings', async (t) => {
  const service = await startService(t)
  const { url, newAccount, anonymous } = service
  const [mine, theirs] = [await newAccount(), await newAccount()]
  await mine.expect(200).put('/users/me', { social_reason: 'Boutique Martin' })
  await theirs.expect(200).put('/users/me', { social_reason: 'Agence Roy' })
  const lea = await addPerson(service, { accountId: mine.id, role: 'owner' })
  await addPerson(service, { accountId: theirs.id, role: 'reader', email: lea.email })
  const page = await openConsole(t, { url, as: { email: lea.email, password: PASSWORD } })
  const menu = page.getByRole('button', { name: 'Switch account' })
  await menu.waitFor()
  await menu.click()
  await page.getByRole('menuitem', { name: 'Agence Roy' }).waitFor()
  await assertAccessible(page)
  await page.getByRole('menuitem', { name: 'Agence Roy' }).click()
  await page.getByRole('button', { name: 'Switch account' }).getByText('Agence Roy').waitFor()
  assert.equal(await page.getByRole('navigation').getByRole('link', { name: 'Send', exact: true }).count(), 0)

  await goTo(page, '/settings')
  const sessions = page.getByRole('region', { name: 'Sessions' })
  await sessions.getByText('This session').waitFor()
  await assertAccessible(page)
  await sessions.getByRole('button', { name: 'End all others' }).click()
  await eventually(async () =>
    assert.equal(await sessions.getByRole('button', { name: /^End the session/ }).count(), 0)
  )
  await lea.expect(401).get('/users/me')
  const { token } = (await anonymous.post('/auth/login', { email: lea.email, password: PASSWORD })).body
  assert.ok(token)
})

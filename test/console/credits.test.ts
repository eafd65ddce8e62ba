import { strict as assert } from 'node:assert'
import { assertAccessible, openConsole, readDownload } from './console-page.ts'
import { startService, test } from './console-service.ts'

test('a sub-account asks for credits, and its parent gives them after it has seen its own balance afterwards', async (t) => {
  const { url, newAccount } = await startService(t)
  const parent = await newAccount({ credits: 100 })
  const child = await parent.newSubAccount()
  await child.expect(200).put('/users/me', { social_reason: 'Boutique' })
  const asking = await openConsole(t, { url, as: child, path: '/credits' })
  await asking.getByLabel('Number of credits').fill('40')
  await asking.getByLabel('What they are for').fill('Winter sale')
  await asking.getByRole('button', { name: 'Ask', exact: true }).click()
  const mine = asking.getByRole('region', { name: 'My requests' })
  await mine.getByText('40 SMS credits').waitFor()
  await assertAccessible(asking)

  const page = await openConsole(t, { url, as: parent, path: '/credits' })
  await page.getByRole('link', { name: /Credits 1 request to answer/ }).waitFor()
  const received = page.getByRole('region', { name: 'Requests to answer' })
  await received.getByText('Winter sale').waitFor()
  await received.getByRole('button', { name: 'Give' }).click()
  const dialog = page.getByRole('dialog', { name: 'Give 40 SMS credits to Boutique?' })
  await dialog.getByText('Your balance afterwards: 60 SMS credits.').waitFor()
  await assertAccessible(page)
  await dialog.getByLabel('Note, which the account reads').fill('For November')
  await dialog.getByRole('button', { name: 'Give' }).click()
  await received.getByText('No requests').waitFor()
  await page.getByRole('table', { name: 'History of credits' }).getByText('−40').waitFor()

  const month = new Date().toISOString().slice(0, 7)
  await page.getByRole('link', { name: 'Statements' }).click()
  await page
    .getByRole('row', { name: /Provisional/ })
    .getByRole('link')
    .click()
  await page.getByText('This month is not closed').waitFor()
  await page
    .getByRole('table', { name: 'By sub-account' })
    .getByRole('row', { name: /Boutique 0 40/ })
    .waitFor()
  await assertAccessible(page)
  const csv = await readDownload(page, () => page.getByRole('button', { name: 'Export as CSV' }).click())
  assert.match(csv.text, new RegExp(`${month},,1,removed,${child.id},,,-40`))
  const pdf = await readDownload(page, () => page.getByRole('button', { name: 'Download PDF' }).click())
  assert.match(pdf.text, /^%PDF-/)

  await asking.reload()
  await mine.getByText('For November').waitFor()
  assert.equal((await child.expect(200).get('/users/credits')).body[0].credits, 40)
})

import { strict as assert } from 'node:assert'
import { eventually } from '../checks/eventually.ts'
import { assertAccessible, goTo, openConsole } from './console-page.ts'
import { startService, test } from './console-service.ts'

test('an automation is written with its next times, runs, tells its problem, is turned off and deleted', async (t) => {
  const { url, operator, pool } = await startService(t)
  const list = (await operator.expect(200).post('/contactlists', { name: 'Clients' })).body.id
  await operator.expect(200).post('/contacts', { contactlist_id: list, contacts: [{ tel: '0639980001' }] })
  // The page of an automation whose list is gone asks for that list.
  const page = await openConsole(t, { url, as: operator, path: '/automations', refusals: [404] })
  await page.getByText('No automation yet').waitFor()
  for (const [schedule, words] of [
    ['0 10 1 1 *', /^Every year on (1 January|January 1) at 10:00$/],
    ['0 10 * 6-8 1', 'Custom schedule: 0 10 * 6-8 1']
  ] as const) {
    const sms = { content: 'Bonjour' }
    const { body } = await operator
      .expect(200)
      .post('/automations', { name: 'Wishes', schedule, contactlist: [list], sms })
    await page.reload()
    await page.getByText(words).waitFor()
    await operator.expect(200).delete(`/automations/${body.id}`)
  }
  await page.reload()
  await page.getByRole('button', { name: 'New automation' }).click()
  await page.getByLabel('Name of the automation').fill('News')
  await page.getByRole('combobox', { name: 'It runs' }).click()
  await page.getByRole('option', { name: 'On days of the week' }).click()
  await page.getByRole('checkbox', { name: 'Thursday' }).check()
  await page.getByLabel('Time', { exact: true }).fill('09:30')
  const times = page.getByRole('status').getByRole('listitem')
  await times
    .filter({ hasText: /^Monday.*09:30$/ })
    .first()
    .waitFor()
  assert.equal(await times.count(), 3)
  await page.getByRole('combobox', { name: 'Contact lists' }).click()
  await page.getByRole('option', { name: 'Clients (1 contact)' }).click()
  await page.keyboard.press('Escape')
  await page.getByLabel('Text').first().fill('Bonjour')
  await page.getByRole('row', { name: 'Recipients 1' }).waitFor()
  await assertAccessible(page)
  await page.getByRole('button', { name: 'Save and turn on' }).click()
  await page.getByRole('heading', { level: 1, name: 'News' }).waitFor()
  await page.getByText(/^Next run: (Monday|Thursday)/).waitFor()
  const [made] = (await operator.expect(200).get('/automations')).body.items
  assert.deepEqual(
    [made.schedule, made.contactlist, made.once, made.message],
    ['30 9 * * 1,4', [list], false, { category: 'transactional', content: 'Bonjour', name: 'News' }]
  )

  const untilRuns = async (count: number) => {
    await pool`update automations set next_at = now() - interval '1 second'`
    return eventually(async () => {
      const { items } = (await operator.expect(200).get(`/automations/${made.id}/runs`)).body
      assert.equal(items.length, count)
      return items
    })
  }
  const [{ message_id: messageId }] = await untilRuns(1)
  await page.getByLabel('Text').first().fill('Bonsoir')
  await page.getByRole('checkbox', { name: 'Only once to each person' }).check()
  // What is not saved is not lost by a link, nor by the browser's way back.
  const leaving = page.getByRole('dialog', { name: 'Leave without saving?' })
  await page.getByRole('link', { name: 'Inbox' }).click()
  await leaving.waitFor()
  await assertAccessible(page)
  await page.keyboard.press('Escape')
  await leaving.waitFor({ state: 'detached' })
  await page.goBack()
  await leaving.getByRole('button', { name: 'Stay' }).click()
  await leaving.waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByText('The automation was saved.').last().waitFor()
  await page
    .getByRole('table', { name: 'Runs' })
    .getByRole('link', { name: `Message ${messageId}` })
    .waitFor()
  const { body: changed } = await operator.expect(200).get(`/automations/${made.id}`)
  assert.deepEqual([changed.message.content, changed.once, changed.is_on], ['Bonsoir', true, true])

  await operator.expect(200).delete(`/contactlists/${list}`)
  await untilRuns(2)
  await goTo(page, '/automations')
  const row = page.getByRole('row', { name: /^News/ })
  await row.getByText('Problem').waitFor()
  await assertAccessible(page)
  await row.getByRole('button', { name: 'Actions for News' }).click()
  await page.getByRole('menuitem', { name: 'Turn off' }).click()
  await row.getByText('Off', { exact: true }).waitFor()
  await row.click()
  await page.getByRole('heading', { level: 1, name: 'News' }).waitFor()
  await page.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('button', { name: 'Delete the automation' }).click()
  await page.getByText('No automation yet').waitFor()
})

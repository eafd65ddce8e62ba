import { strict as assert } from 'node:assert'
import { recordReply } from '../../src/replies/record-reply.ts'
import { eventually } from '../checks/eventually.ts'
import { goTo, openConsole } from './console-page.ts'
import { startService, test } from './console-service.ts'

test('an auto-reply is written, answers, tells its history, is changed, turned off and deleted', async (t) => {
  const { url, operator, pool } = await startService(t)
  const page = await openConsole(t, { url, as: operator, path: '/auto-replies', refusals: [400] })
  await page.getByText('No auto-reply yet').waitFor()
  await page.getByRole('button', { name: 'New auto-reply' }).click()
  await page.getByLabel('Name of the auto-reply').fill('Opening hours')
  const keywords = page.getByRole('combobox', { name: 'Keywords' }).or(page.getByRole('textbox', { name: 'Keywords' }))
  await keywords.fill('hours')
  await keywords.press('Enter')
  await keywords.fill('stop')
  await keywords.press('Enter')
  await page.getByLabel('Reply', { exact: true }).fill('From 9 to 7')
  await page.getByRole('button', { name: 'Save and turn on' }).click()
  await page.getByText('must not be STOP, which has a meaning of its own').first().waitFor()
  await keywords.press('Backspace')
  await page.getByRole('button', { name: 'Save and turn on' }).click()
  await page.getByRole('heading', { level: 1, name: 'Opening hours' }).waitFor()
  const [made] = (await operator.expect(200).get('/auto-replies')).body
  assert.deepEqual([made.keywords, made.content, made.is_on], [['HOURS'], 'From 9 to 7', true])

  // Nobody wrote to this phone, so its reply belongs to the operator. The second comes within the pause.
  for (const text of ['hours', 'Hours?']) {
    await recordReply(pool, { carrier: 'main', from: '33639980013', to: '36111', text })
  }
  const sent = await eventually(async () => {
    const { items } = (await operator.expect(200).get(`/auto-replies/${made.id}/answers`)).body
    assert.deepEqual(
      items.map(({ state }: { state: string }) => state),
      ['not_sent', 'sent']
    )
    return items[1].message_id
  })
  await page.getByLabel('Reply', { exact: true }).fill('From 9 to 8')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByText('The auto-reply was saved.').last().waitFor()
  const history = page.getByRole('table', { name: 'Answers' })
  await history.getByRole('link', { name: `Message ${sent}` }).waitFor()
  await history.getByText('The number got this answer less than 60 s before.').waitFor()
  assert.equal((await operator.expect(200).get(`/auto-replies/${made.id}`)).body.content, 'From 9 to 8')

  await goTo(page, '/auto-replies')
  const row = page.getByRole('row', { name: /^Opening hours/ })
  await row.getByRole('button', { name: 'Actions for Opening hours' }).click()
  await page.getByRole('menuitem', { name: 'Turn off' }).click()
  await row.getByText('Off', { exact: true }).waitFor()
  await row.getByRole('button', { name: 'Actions for Opening hours' }).click()
  await page.getByRole('menuitem', { name: 'Delete' }).click()
  await page.getByRole('button', { name: 'Delete the auto-reply' }).click()
  await page.getByText('No auto-reply yet').waitFor()
})

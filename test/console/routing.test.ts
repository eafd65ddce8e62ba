import { strict as assert } from 'node:assert'
import { eventually } from '../checks/eventually.ts'
import { carrierToRbm, startRbm } from '../peers/rbm.ts'
import { carriersFile, carrierTo, startSmsc } from '../peers/smsc.ts'
import { assertAccessible, assertFits, goTo, openConsole } from './console-page.ts'
import { startService, test } from './console-service.ts'

test('the operator asks which route a message takes, and grants an agent', async (t) => {
  const smsc = await startSmsc(t)
  const [red, blue] = [await startRbm(t, { agentId: 'red@rbm.goog' }), await startRbm(t, { agentId: 'blue@rbm.goog' })]
  const file = await carriersFile(
    t,
    [
      carrierTo(smsc, { name: 'main', cost: 0.035 }),
      carrierTo({ host: '127.0.0.1', port: 1 }, { name: 'bulk', cost: 0.021 }),
      await carrierToRbm(t, red, { name: 'red', brand: 'colours', managementUrl: red.url }),
      await carrierToRbm(t, blue, { name: 'blue' })
    ],
    [
      { prefix: '', carriers: ['main'] },
      { prefix: '33', carriers: ['main', 'bulk'], tryNextOn: ['ESME_RINVDSTADR'] },
      { prefix: '33', category: 'marketing', carriers: ['bulk', 'main'] },
      { prefix: '', sender: 'ACME', account: 1, carriers: ['main'] },
      { channel: 'rcs', prefix: '', carriers: ['red', 'blue'] }
    ]
  )
  const { url, operator, newAccount, pool } = await startService(t, {
    settings: { CHAPPE_ROLES: 'all', CHAPPE_CARRIERS: file.path }
  })
  const account = await newAccount({ credits: 1_000 })
  const pictures = ['https://red.example/']
  const page = await openConsole(t, { url, as: operator, path: '/operator', refusals: [400, 404], pictures })
  await page.getByRole('tab', { name: 'Routes' }).click()
  await page.getByRole('cell', { name: 'Account 1' }).waitFor()
  await page.getByText('Refused with ESME_RINVDSTADR: the next carrier is tried, 2 carriers at most.').waitFor()
  await assertAccessible(page)
  await page.getByLabel('Phone number').fill('nobody')
  await page.getByRole('button', { name: 'Explain' }).click()
  await page.getByRole('alert').waitFor()
  await page.getByLabel('Phone number').fill('06 39 98 00 13')
  await page.getByRole('combobox', { name: 'Message type' }).click()
  await page.getByRole('option', { name: 'Marketing' }).click()
  await page.getByRole('button', { name: 'Explain' }).click()
  // The first carrier of the route is down.
  await page
    .getByRole('status')
    .getByText(/takes main\.$/)
    .waitFor()
  await page.getByRole('row', { name: /Marketing \+33 Taken/ }).waitFor()
  const others = page.getByText('Matches; a more specific route comes first')
  await eventually(async () => assert.equal(await others.count(), 2))
  await assertAccessible(page)
  await assertFits(page)

  await page.getByRole('tab', { name: 'Carriers' }).click()
  const main = page.getByRole('region', { name: 'main' })
  await main.getByRole('button', { name: 'Pause' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Pause' }).click()
  await main.getByText(/^Paused since/).waitFor()
  const queue = page.getByRole('region', { name: 'Queue by age' })
  await queue.getByText('The queue is empty.').waitFor()
  // A process follows within about a second: until then, messages leave.
  await eventually(
    async () => {
      await account.expect(200).post('/messages/sms', { recipients: ['+33612345679'], content: 'Attends' })
      assert.notDeepEqual((await operator.expect(200).get('/carriers/queue')).body, [])
    },
    { everyMs: 500 }
  )
  await queue.getByRole('row', { name: / main, bulk Transactional \d+ / }).waitFor()
  await assertAccessible(page)
  await main.getByRole('button', { name: 'Resume' }).click()
  await queue.getByText('The queue is empty.').waitFor()
  await main.getByRole('button', { name: 'Drain' }).click()
  await page.getByRole('dialog', { name: 'Drain main?' }).getByRole('button', { name: 'Drain' }).click()
  await main.getByText(/^Drained, since/).waitFor()
  await main.getByRole('button', { name: 'Resume' }).click()
  await main.getByRole('button', { name: 'Drain' }).waitFor()
  await main.getByRole('button', { name: 'Last PDUs' }).click()
  await page.getByRole('button', { name: 'Capture for 15 minutes' }).click()
  await page.getByText('No PDU has passed yet.').waitFor()
  await eventually(async () => {
    smsc.apply('enquire')
    assert.ok((await page.getByRole('cell', { name: 'Received enquire_link' }).count()) > 0)
  })
  await assertAccessible(page)
  await assertFits(page)
  await page.getByLabel('Errors only').click()
  await page.getByText('No PDU with an error.').waitFor()
  await page.getByRole('button', { name: 'End the capture' }).click()
  await page.getByRole('button', { name: 'Capture for 15 minutes' }).waitFor()
  await page.keyboard.press('Escape')
  await pool`
    insert into carrier_figures (span, begins_at, carrier, country, accepted, answer_seconds, delivered, undelivered)
    values ('hour', date_trunc('hour', now()), 'main', 'BE', 100, 25, 90, 10),
      ('day', date_trunc('day', now(), 'UTC'), 'main', 'BE', 700, 25, 630, 70)
  `
  await pool`
    insert into carrier_errors (span, begins_at, carrier, country, error, recipients)
    values ('hour', date_trunc('hour', now()), 'main', 'FR', '021', 10),
           ('hour', date_trunc('hour', now()), 'main', 'FR', 'ESME_RINVDSTADR', 5)
  `
  await page.getByText('Hour', { exact: true }).click()
  await page.getByText('Day', { exact: true }).click()
  await page.getByRole('row', { name: /main Belgium 100 .* 90%/ }).waitFor()
  await page.getByRole('row', { name: 'main France Code 021 10' }).waitFor()
  await page.getByRole('row', { name: 'main France Invalid number (ESME_RINVDSTADR) 5' }).waitFor()
  await assertAccessible(page)
  await page.getByText('Month', { exact: true }).click()
  await page.getByRole('row', { name: /main Belgium 700 .* 90%/ }).waitFor()

  await account.expect(200).post('/messages/sms', { recipients: ['+33612345678'], content: 'Bonjour' })
  await page.getByRole('tab', { name: 'Find a number' }).click()
  await page.getByLabel('Phone number').fill('06 12 34 56 78')
  await page.getByRole('button', { name: 'Find', exact: true }).click()
  const found = page.getByRole('article')
  await found.getByText('Bonjour').waitFor()
  await found.getByRole('button', { name: 'What happened' }).click()
  await found.getByText('Accepted', { exact: true }).waitFor()
  await assertAccessible(page)
  await assertFits(page)

  await page.getByRole('tab', { name: 'RCS agents' }).click()
  const card = page.getByRole('region', { name: 'red@rbm.goog' })
  await card.getByLabel('Account number').fill('999999')
  await card.getByRole('button', { name: 'Grant' }).click()
  await card.getByRole('alert').waitFor()
  await card.getByLabel('Account number').fill(String(account.id))
  await card.getByRole('button', { name: 'Grant' }).click()
  await card.getByText('Only for the accounts below').waitFor()
  await assertAccessible(page)
  const agents = async () => (await account.expect(200).get('/agents')).body.length
  assert.equal(await agents(), 2)
  await card.getByRole('button', { name: /^Revoke from/ }).click()
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /^Revoke from/ })
    .click()
  await card.getByText('No account may use it.').waitFor()
  await eventually(async () => assert.equal(await agents(), 1))
  await operator.expect(200).put(`/agents/red/accounts/${account.id}`)

  // In French, on the page where an account writes.
  const french = await openConsole(t, { url, as: account, path: '/send', language: 'fr', pictures })
  await french.getByText('RCS', { exact: true }).first().click()
  await french.getByRole('combobox', { name: 'Agent RCS' }).click()
  await french.getByRole('option', { name: /blue@rbm\.goog/ }).click()
  const agent = french.getByRole('combobox', { name: 'Agent RCS' })
  await eventually(async () => assert.match(await agent.inputValue(), /blue@rbm\.goog/))

  // A parent passes its agent on, and takes it back.
  const subAccount = await account.newSubAccount()
  const subAgents = async () => (await subAccount.expect(200).get('/agents')).body.length
  await goTo(french, `/sub-accounts/${subAccount.id}`)
  const passed = french.getByRole('region', { name: 'Agents RCS' })
  await passed.getByRole('switch').check()
  await eventually(async () => assert.equal(await subAgents(), 2))
  await assertAccessible(french)
  await passed.getByRole('switch').click()
  await french.getByRole('dialog').getByRole('button', { name: 'Retirer' }).click()
  await eventually(async () => assert.equal(await subAgents(), 1))
})

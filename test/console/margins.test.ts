import { strict as assert } from 'node:assert'
import type { Locator } from 'playwright-core'
import { type MarginRow, sumMargins } from '../../console/src/features/margins/sum-margins.ts'
import { eventually } from '../checks/eventually.ts'
import { assertAccessible, assertContrast, assertFits, goTo, openConsole, readDownload } from './console-page.ts'
import { startService, test } from './console-service.ts'

const TITLES = 'carrier,channel,prefix,cost,currency'

const file = (...rows: string[]) => ({
  name: 'costs.csv',
  mimeType: 'text/csv',
  buffer: Buffer.from(`${TITLES}\n${rows.join('\n')}\n`)
})

/** The rows of a table, with plain spaces. */
async function assertRows(table: Locator, rows: string[]): Promise<void> {
  await eventually(async () => {
    const texts = await table.locator('tbody tr').allInnerTexts()
    assert.deepEqual(
      texts.map((text) => text.replaceAll(/\s+/g, ' ').trim()),
      rows
    )
  })
}

test('the operator sets the price of a credit, sees margins of the days it chooses, and imports the costs of carriers', async (t) => {
  const { url, operator, newAccount, pool } = await startService(t)
  const account = await newAccount()
  await pool`update accounts set social_reason = 'Boutique' where id = ${account.id}`
  const today = pool`(now() at time zone 'UTC')::date`
  // The browser is in Paris, and its calendar opens at the month there.
  const before = pool`(date_trunc('month', now() at time zone 'Europe/Paris') - interval '2 months' + interval '9 days')::date`
  await pool`
    insert into credit_figures (account_id, message_type, day, other_id, country, sender, added, removed, used, refunded)
    values (${account.id}, 1, ${today}, ${account.id}, 'FR', '', 0, 0, 1001, 1),
      (${account.id}, 1, ${today}, ${account.id}, 'BE', '', 0, 0, 10, 0),
      (${account.id}, 1, ${before}, ${account.id}, 'FR', '', 0, 0, 3, 0)
  `
  await pool`
    insert into cost_figures (account_id, day, message_type, country, currency, units, amount)
    values (${account.id}, ${today}, 1, 'FR', 'EUR', 1000, 32500000), (${account.id}, ${today}, 1, 'BE', '', 10, 0)
  `
  const path = `/operator/accounts/${account.id}`
  const page = await openConsole(t, { url, as: operator, path, language: 'fr', refusals: [400] })
  const form = page.getByRole('region', { name: 'Prix d’un crédit' })
  await form.getByText('Aucun prix').waitFor()
  const setPrice = async (price: string) => {
    await form.getByRole('textbox', { name: 'Prix' }).fill(price)
    await form.getByRole('button', { name: 'Enregistrer' }).click()
  }
  await setPrice('0,1234567')
  await form.getByText(/le prix doit être un nombre de 0 à 1000000 avec au plus 6 décimales/).waitFor()
  await setPrice('0,0475')
  await form.getByText(/^0,0475\s€ depuis le/).waitFor()
  // The price counts for all of its day. With an earlier one the test may run around midnight.
  await pool`update credit_money set valid_from = now() - interval '5 days'`

  await goTo(page, '/margins')
  const byAccount = page.getByRole('table', { name: 'Par compte' })
  await assertRows(byAccount, ['Boutique – 10 unités sans coût – 47,975 € 32,50 € 1 010'])
  await assertRows(page.getByRole('table', { name: 'Par destination' }), [
    'Belgique – 10 unités sans coût – 0,475 € – 10',
    'France 15,00 € 31,6 % 47,50 € 32,50 € 1 000'
  ])
  await page.getByRole('region', { name: 'Marge, EUR' }).getByText('Revenu 47,975 €, coût 32,50 €').waitFor()
  const { text } = await readDownload(page, () => page.getByRole('button', { name: 'Exporter en CSV' }).first().click())
  assert.match(text, /,FR,1000,47\.50,EUR,32\.50,EUR,15\.00,0/)

  await page.getByRole('button', { name: 'Importer des coûts' }).click()
  const dialog = page.getByRole('dialog')
  const choose = (chosen: ReturnType<typeof file>) => dialog.locator('input[type="file"]').setInputFiles(chosen)
  await choose(file('main,sms,33,0.1,EUR', 'main,sms,0,0.1,EUR', 'main,sms,32,-1,EUR'))
  await dialog.getByText('ligne 3 : prefix doit avoir de 1 à 12 chiffres, comme 33, ou être *').first().waitFor()
  await dialog.getByText(/ligne 4\s: cost doit être un nombre de 0 à 1000000/).waitFor()
  assert.equal(await dialog.getByRole('button', { name: 'Enregistrer' }).isDisabled(), true)
  await choose(file('main,sms,33,0.0325,EUR', 'main,sms,*,0.06,EUR'))
  await dialog.getByText('Le fichier est correct : 2 coûts.').waitFor()
  assert.deepEqual((await operator.expect(200).get('/carrier-costs')).body, [])
  await assertAccessible(page)
  await dialog.getByRole('button', { name: 'Enregistrer' }).click()
  const costs = page.getByRole('region', { name: 'Coûts des opérateurs' })
  await assertRows(costs.getByRole('table'), ['main SMS Tous les autres numéros 0,06 €', 'main SMS +33 0,0325 €'])
  const saved = await readDownload(page, () => costs.getByRole('button', { name: 'Exporter en CSV' }).click())
  assert.equal(saved.text.replaceAll('\r', ''), `${TITLES}\nmain,sms,*,0.06,EUR\nmain,sms,33,0.0325,EUR\n`)

  await page.setViewportSize({ width: 390, height: 844 })
  await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' })
  await page.locator('html[data-mantine-color-scheme=dark]').waitFor({ state: 'attached' })
  await assertFits(page)
  await assertAccessible(page)

  await page.getByRole('button', { name: 'Jours (UTC)' }).click()
  const calendar = page.locator('[data-dates-dropdown]')
  for (let month = 0; month < 2; month++) await calendar.locator('button[data-direction=previous]').click()
  const days = calendar.locator('td button:not([data-outside])')
  await days.first().click()
  await days.last().click()
  await assertRows(byAccount, ['Boutique – Prix du crédit non défini – – – 3'])
  await page.getByRole('combobox', { name: 'Canal' }).click()
  await page.getByRole('option', { name: 'RCS' }).click()
  await page.getByText('Aucun crédit utilisé sur cette période').waitFor()
  await assertContrast(page)
})

test('sums of margins are exact, one for each currency, and unknown as soon as a part is', () => {
  const row = (given: Partial<MarginRow>): MarginRow => ({
    credits: 1,
    revenue: '0.10',
    currency: 'EUR',
    cost: '0.20',
    cost_currency: 'EUR',
    margin: '-0.10',
    units_without_cost: 0,
    ...given
  })
  const sumOf = (...rows: MarginRow[]) =>
    sumMargins(rows, () => 'all').map(({ currency, revenue, costs, margin, rate, unknown }) => [
      currency,
      revenue,
      costs.map((one) => `${one.cost} ${one.currency}`).join(),
      margin,
      rate,
      unknown
    ])
  assert.deepEqual(sumOf(row({}), row({ revenue: '9007199254740993.2', margin: '9007199254740993.0' })), [
    ['EUR', '9007199254740993.300000', '0.400000 EUR', '9007199254740992.900000', 0.999999, undefined]
  ])
  assert.deepEqual(sumOf(row({}), row({ currency: 'JPY', revenue: '7', margin: null })), [
    ['EUR', '0.100000', '0.200000 EUR', '-0.100000', -1, undefined],
    ['JPY', '7.000000', '0.200000 EUR', null, null, 'currency']
  ])
  assert.deepEqual(sumOf(row({}), row({ margin: null, units_without_cost: 2 })), [
    ['EUR', '0.200000', '0.400000 EUR', null, null, 'cost']
  ])
  assert.deepEqual(sumOf(row({ cost: null, cost_currency: null, margin: null })), [
    ['EUR', '0.100000', '', null, null, 'cost']
  ])
  assert.deepEqual(sumOf(row({ revenue: null, currency: null, margin: null })), [
    [null, null, '0.200000 EUR', null, null, 'price']
  ])
  assert.deepEqual(sumOf(row({ revenue: '0', cost: '0', margin: '0' })), [
    ['EUR', '0.000000', '0.000000 EUR', '0.000000', null, undefined]
  ])
})

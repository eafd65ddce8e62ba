import { strict as assert } from 'node:assert'
import type { Page } from 'playwright-core'
import { contrastOf, type Shades, shadesOf } from '../../console/src/lib/shades.ts'
import { assertAccessible, assertContrast, assertFits, goTo, logIn, openConsole } from './console-page.ts'
import { startService, test } from './console-service.ts'

const BLUE: Shades = [
  '#ecf4fb',
  '#d9e6f3',
  '#b0cce7',
  '#84b0db',
  '#5f98d0',
  '#4889ca',
  '#3377bb',
  '#1c5d99',
  '#195489',
  '#0f3f69'
]

test('the shades of any colour can be read as well as those of the console’s own', () => {
  const steps = ['00', '33', '80', 'cc', 'ff']
  const colours = steps.flatMap((red) => steps.flatMap((green) => steps.map((blue) => `#${red}${green}${blue}`)))
  assert.equal(colours.length, 125)
  for (const colour of colours) {
    const shades = shadesOf(colour, BLUE)
    for (const [index, shade] of shades.entries()) assert.match(shade, /^#[0-9a-f]{6}$/, `${colour} ${index}`)
    // White on the filled shades of both themes; links on the page and on cards; links in the dark.
    for (const [one, other] of [
      ['#ffffff', shades[7]],
      ['#ffffff', shades[6]],
      ['#f4f6f9', shades[7]],
      ['#14181d', shades[4]]
    ] as const) {
      assert.ok(contrastOf(one, other) >= 4.5, `${colour}: ${other} on ${one} is ${contrastOf(one, other)}`)
    }
  }
  assert.equal(shadesOf('#A61E4D', BLUE)[7], '#a61e4d', 'a colour that can be read is kept')
  assert.notEqual(shadesOf('#ffcc00', BLUE)[7], '#ffcc00')
})

test('a reseller sets its look in the console, and its people find it at their host name', async (t) => {
  const { url, operator, newAccount } = await startService(t)
  const reseller = await newAccount()
  const below = await reseller.newSubAccount()
  // A browser finds every name below localhost on its own machine.
  const host = 'agence.localhost'
  const atHost = url.replace('127.0.0.1', host)

  const page = await openConsole(t, {
    url,
    as: operator,
    path: `/operator/accounts/${reseller.id}`,
    refusals: [400]
  })
  const hosts = page.getByRole('region', { name: 'Host names' })
  await hosts.getByLabel('Console host').fill(`https://${host}`)
  await hosts.getByRole('button', { name: 'Save the host names' }).click()
  await hosts
    .getByText(/must be a host name such as/)
    .first()
    .waitFor()
  await hosts.getByLabel('Console host').fill(host)
  await hosts.getByLabel('Host of links in messages').fill('go.agence.localhost')
  await hosts.getByRole('button', { name: 'Save the host names' }).click()
  await page.getByText('The host names are saved.').waitFor()
  await assertAccessible(page)
  assert.deepEqual((await operator.get(`/accounts/${reseller.id}/hosts`)).body, {
    id: reseller.id,
    console_host: host,
    link_host: 'go.agence.localhost'
  })
  // A sub-account shares the hosts of its parent.
  await goTo(page, `/operator/accounts/${below.id}`)
  await page.getByRole('region', { name: 'Limits' }).waitFor()
  assert.equal(await page.getByRole('region', { name: 'Host names' }).count(), 0)

  const owner = await openConsole(t, { url, as: reseller, path: '/settings' })
  const card = owner.getByRole('region', { name: 'Look of the console' })
  await card.getByText(`${atHost}/app`).waitFor()
  await card.getByLabel('Name').fill('Agence Durand')
  await card.getByLabel('Colour', { exact: true }).fill('#ffcc00')
  await card.getByText('This colour is too light for white text').waitFor()
  await card.getByLabel('Pick a colour').fill('#a61e4d')
  await card.getByText('Contrast of buttons: 7.2 to 1').waitFor()
  const field = card.locator('input[type=file]')
  await field.setInputFiles({ name: 'logo.png', mimeType: 'image/png', buffer: Buffer.alloc(200_000) })
  await card.getByText('This file has 200 kB; a logo has at most 128 KiB.').waitFor()
  // A picture that browsers can show.
  const buffer = await owner.screenshot({ clip: { x: 0, y: 0, width: 280, height: 56 } })
  await field.setInputFiles({ name: 'logo.png', mimeType: 'image/png', buffer })
  await card.getByRole('region', { name: 'Preview, dark theme' }).locator('img[src^="data:image/png"]').waitFor()
  await assertAccessible(owner)
  await assertFits(owner)
  await card.getByRole('button', { name: 'Save the look' }).click()
  await owner.getByText('The look is saved.').waitFor()
  const { body } = await reseller.get('/look')
  assert.deepEqual([body.is_own, body.name, body.colour], [true, 'Agence Durand', '#a61e4d'])

  const visitor = await openConsole(t, { url: atHost, width: 390 })
  await visitor.getByRole('heading', { name: 'Log in' }).waitFor()
  assert.equal(await visitor.title(), 'Log in · Agence Durand')
  await visitor.locator(`img[src="${body.logo_path}"]`).waitFor()
  await assertAccessible(visitor)
  await logIn(visitor, below)
  assert.equal(await readFilled(visitor), '#a61e4d')
  await assertAccessible(visitor)
  await visitor.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' })
  await assertContrast(visitor)
  await goTo(visitor, '/settings')
  await visitor.getByRole('region', { name: 'Sending' }).waitFor()
  assert.equal(await visitor.getByRole('region', { name: 'Look of the console' }).count(), 0)

  await card.getByRole('button', { name: 'Remove the look' }).click()
  await owner.getByRole('dialog').getByRole('button', { name: 'Remove the look' }).click()
  await owner.getByText('The look is removed.').waitFor()
  await visitor.reload()
  await visitor.getByRole('heading', { name: 'Settings' }).waitFor()
  assert.match(await visitor.title(), /Chappe/)
})

const readFilled = (page: Page) =>
  page.evaluate(`getComputedStyle(document.documentElement).getPropertyValue('--mantine-color-brand-7').trim()`)

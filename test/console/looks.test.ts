import { strict as assert } from 'node:assert'
import { luminanceOf, type Shades, shadesOf, toLinear } from '../../console/src/lib/shades.ts'
import { test } from './console-service.ts'

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
  const contrast = (one: string, other: string) => {
    const [light = 0, dark = 0] = [one, other].map((hex) => luminanceOf(toLinear(hex))).sort((a, b) => b - a)
    return (light + 0.05) / (dark + 0.05)
  }
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
      assert.ok(contrast(one, other) >= 4.5, `${colour}: ${other} on ${one} is ${contrast(one, other)}`)
    }
  }
  assert.equal(shadesOf('#A61E4D', BLUE)[7], '#a61e4d', 'a colour that can be read is kept')
  assert.notEqual(shadesOf('#ffcc00', BLUE)[7], '#ffcc00')
})

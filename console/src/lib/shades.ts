/*
 * Ten shades of any colour. What can be read on what depends on luminance alone (WCAG 2.2, 1.4.3). So each shade has the
 * luminance of the same shade in a model whose contrasts are known, and only the hue is new: whatever colour is chosen, the
 * console can be read in both themes.
 */

export type Shades = readonly [string, string, string, string, string, string, string, string, string, string]

/** The shade that is filled in the light theme, and the colour of links there. */
const FILLED = 7
/**
 * Up to here, links in this colour can be read on a tint of itself: 4.5 to 1 on a tenth of it over the grey of the page. A
 * colour that is no lighter is kept as it is chosen.
 */
const KEPT_LUMINANCE_MAX = 0.13
/** The shades after the filled one are its hover and its deepest: never lighter than it. */
const DARKER = 0.8

export function shadesOf(colour: string, model: Shades): Shades {
  const chosen = toLinear(colour)
  const filled = Math.min(luminanceOf(chosen), KEPT_LUMINANCE_MAX)
  const isKept = filled === luminanceOf(chosen)
  return model.map((shade, index) => {
    if (index === FILLED && isKept) return colour.toLowerCase()
    const wanted = luminanceOf(toLinear(shade))
    const most = isKept && index > FILLED ? filled * DARKER ** (index - FILLED) : 1
    return toHex(withLuminance(chosen, Math.min(wanted, most)))
  }) as unknown as Shades
}

/** How well one colour can be read on the other: 1 to 21 (WCAG 2.2, 1.4.3). */
export function contrastOf(one: string, other: string): number {
  const [light = 0, dark = 0] = [one, other].map((hex) => luminanceOf(toLinear(hex))).sort((a, b) => b - a)
  return (light + 0.05) / (dark + 0.05)
}

type Linear = [red: number, green: number, blue: number]

/** Mixed with white or with black. In linear light, luminance grows with the share. */
function withLuminance(colour: Linear, wanted: number): Linear {
  const own = luminanceOf(colour)
  if (wanted <= own) return colour.map((part) => part * (own === 0 ? 0 : wanted / own)) as Linear
  const share = (wanted - own) / (1 - own)
  return colour.map((part) => part + (1 - part) * share) as Linear
}

function luminanceOf([red, green, blue]: Linear): number {
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

function toLinear(hex: string): Linear {
  return [1, 3, 5].map((at) => {
    const part = Number.parseInt(hex.slice(at, at + 2), 16) / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  }) as Linear
}

function toHex(colour: Linear): string {
  const parts = colour.map((part) => {
    const gamma = part <= 0.0031308 ? part * 12.92 : 1.055 * part ** (1 / 2.4) - 0.055
    return Math.round(gamma * 255)
      .toString(16)
      .padStart(2, '0')
  })
  return `#${parts.join('')}`
}

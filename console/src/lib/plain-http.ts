/*
 * Browsers offer some functions over https and on localhost only. A Chappe inside a company's network is often reached by plain
 * http: these functions take their place there.
 */

export function standInForHttps(): void {
  if (window.isSecureContext) return
  crypto.randomUUID = randomUuid
  Object.defineProperty(navigator, 'clipboard', { value: { writeText } })
}

/** RFC 9562, version 4. */
function randomUuid(): ReturnType<typeof crypto.randomUUID> {
  const hex = [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('')
  const variant = '89ab'[Number.parseInt(hex.charAt(16), 16) % 4]
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20)}`
}

async function writeText(text: string): Promise<void> {
  const focused = document.activeElement
  const area = document.createElement('textarea')
  area.value = text
  // Beside the focused element: a dialog takes the focus back from elements outside of it.
  const place = focused?.parentElement ?? document.body
  place.append(area)
  area.select()
  const isCopied = document.execCommand('copy')
  if (focused instanceof HTMLElement) focused.focus()
  area.remove()
  if (!isCopied) throw new Error('The browser does not let us copy.')
}

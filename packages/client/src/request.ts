/* How an input becomes a request. */

/** The address of a request: `{id}` of the path filled in, and the query. */
export function toUrl(url: string, path: string, input: { path?: object; query?: object }): string {
  const places = (input.path ?? {}) as Record<string, unknown>
  const filled = path.replaceAll(/\{(\w+)\}/g, (_place, name: string) => encodeURIComponent(String(places[name])))
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(input.query ?? {})) {
    if (value !== undefined && value !== null) query.set(name, String(value))
  }
  const text = query.toString()
  return `${url.replace(/\/+$/, '')}${filled}${text === '' ? '' : `?${text}`}`
}

/** A body with a file is a form; any other is JSON. */
export function toBody(given: unknown): { body?: string | FormData; type?: string } {
  if (given === undefined) return {}
  if (!hasFile(given)) return { body: JSON.stringify(given), type: 'application/json' }
  const form = new FormData()
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined || value === null) continue
    // The service recognises a file by its name.
    if (value instanceof Blob) form.append(name, value, value instanceof File ? value.name : 'file')
    else form.append(name, typeof value === 'object' ? JSON.stringify(value) : String(value))
  }
  // Its type names its boundary, so fetch writes it.
  return { body: form }
}

function hasFile(given: unknown): given is object {
  return typeof given === 'object' && given !== null && Object.values(given).some((value) => value instanceof Blob)
}

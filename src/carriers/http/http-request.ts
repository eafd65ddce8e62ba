import type { HttpRequest } from './http-settings.ts'
import { escapeForHeader, escapeForUrl, fill, fillValue, type LookUp, parseTemplate, type Template } from './places.ts'

/** A request as it leaves. */
export interface FilledRequest {
  path: string
  headers: Record<string, string>
  body: string | undefined
}

/** JSON in which texts are templates. */
type JsonTemplate =
  | { kind: 'text'; template: Template }
  | { kind: 'object'; members: [key: string, value: JsonTemplate][] }
  | { kind: 'array'; items: JsonTemplate[] }
  | { kind: 'other'; value: unknown }

/** A request whose texts are taken apart, to be filled for each message. */
export class RequestTemplate {
  readonly origin: string
  readonly method: HttpRequest['method']
  readonly #path: Template
  readonly #query: [name: string, value: Template][]
  readonly #headers: [name: string, value: Template][]
  readonly #basic: { username: Template; password: Template } | undefined
  readonly #json: JsonTemplate | undefined
  readonly #form: [name: string, value: Template][] | undefined

  constructor({ method, url, headers = {}, basicAuth, query = {}, json, form }: HttpRequest) {
    const origin = ORIGIN.exec(url)?.[0] ?? ''
    this.origin = origin
    this.method = method
    this.#path = toTemplate(url.slice(origin.length).replace(/^(?!\/)/, '/'))
    this.#query = toTemplates(query)
    this.#headers = toTemplates(headers)
    this.#basic = basicAuth && {
      username: toTemplate(basicAuth.username),
      password: toTemplate(basicAuth.password)
    }
    this.#json = json === undefined ? undefined : toJsonTemplate(json)
    this.#form = form && toTemplates(form)
  }

  fill(lookUp: LookUp): FilledRequest {
    const headers: Record<string, string> = { accept: 'application/json', 'user-agent': 'chappe' }
    for (const [name, value] of this.#headers) headers[name.toLowerCase()] = fill(value, lookUp, escapeForHeader)
    if (this.#basic) {
      const { username, password } = this.#basic
      const credentials = `${fill(username, lookUp)}:${fill(password, lookUp)}`
      headers.authorization = `Basic ${Buffer.from(credentials).toString('base64')}`
    }
    const body = this.#body(lookUp)
    if (body) headers['content-type'] ??= body.type
    return { path: this.#fillPath(lookUp), headers, body: body?.text }
  }

  #fillPath(lookUp: LookUp): string {
    const path = fill(this.#path, lookUp, escapeForUrl)
    const query = toPairs(this.#query, lookUp)
    if (query.size === 0) return path
    return `${path}${path.includes('?') ? '&' : '?'}${query.toString()}`
  }

  #body(lookUp: LookUp): { type: string; text: string } | undefined {
    if (this.#form) return { type: FORM, text: toPairs(this.#form, lookUp).toString() }
    if (this.#json === undefined) return undefined
    return { type: 'application/json', text: JSON.stringify(fillJson(this.#json, lookUp)) }
  }
}

/** Whether a place of this name stands anywhere in a request. */
export function hasPlace(request: HttpRequest, name: string): boolean {
  return new RegExp(`\\{\\{\\s*${name}\\s*[:}]`).test(JSON.stringify(request))
}

/** Scheme, host and port. They hold no places: one set of connections serves all messages. */
export const ORIGIN = /^https?:\/\/[^/?#{}@\s]+/i
const FORM = 'application/x-www-form-urlencoded'

function toTemplate(text: string): Template {
  // The carriers file was checked: a text that is no template does not get here.
  return parseTemplate(text) ?? [text]
}

function toTemplates(texts: Record<string, string>): [string, Template][] {
  return Object.entries(texts).map(([name, text]) => [name, toTemplate(text)])
}

/** A pair without a value is left out. */
function toPairs(pairs: readonly [string, Template][], lookUp: LookUp): URLSearchParams {
  const filled = new URLSearchParams()
  for (const [name, template] of pairs) {
    const value = fillValue(template, lookUp)
    if (value !== undefined) filled.append(name, String(value))
  }
  return filled
}

function toJsonTemplate(value: unknown): JsonTemplate {
  if (typeof value === 'string') return { kind: 'text', template: toTemplate(value) }
  if (Array.isArray(value)) return { kind: 'array', items: value.map(toJsonTemplate) }
  if (typeof value !== 'object' || value === null) return { kind: 'other', value }
  return { kind: 'object', members: Object.entries(value).map(([key, member]) => [key, toJsonTemplate(member)]) }
}

/** A member without a value is left out; so is an item of a list. */
function fillJson(json: JsonTemplate, lookUp: LookUp): unknown {
  switch (json.kind) {
    case 'text':
      return fillValue(json.template, lookUp)
    case 'array':
      return json.items.map((item) => fillJson(item, lookUp)).filter((item) => item !== undefined)
    case 'object':
      return Object.fromEntries(json.members.map(([key, member]) => [key, fillJson(member, lookUp)]))
    case 'other':
      return json.value
    default:
      return json satisfies never
  }
}

import { resolve } from 'node:path'
import { type Reading, readSettings } from '../check-settings.ts'
import { type JsonNode, memberOf, pathTo, textAt, toValue } from '../json-places.ts'
import { shown, suggestion } from '../mistakes.ts'
import { isWebAddress, readText } from '../named-files.ts'
import { readSenders } from '../sms-settings.ts'
import { ORIGIN } from './http-request.ts'
import { HttpSettings, type NewsKind } from './http-settings.ts'
import { CHOICE_PLACES, MESSAGE_PLACES } from './message-places.ts'
import { type Place, parseTemplate, placesOf } from './places.ts'
import { parsePath } from './value-paths.ts'

/** The settings, with the texts of the secrets. */
export type HttpCarrierSettings = HttpSettings & { secretTexts: Record<string, string> }

/** Reads one carrier, with the checks that no schema can express: places, paths, and what needs each other. */
export function readHttp(reading: Reading, { folder }: { folder: string }): HttpCarrierSettings {
  const settings = readSettings(HttpSettings, reading) as HttpSettings
  const secretTexts = readSecrets(reading, folder)
  checkCallbackUrl(reading)
  const scope: Scope = { secrets: Object.keys(secretTexts), addresses: postedNews(reading) }
  const request = inside(reading, 'request')
  const places = request ? checkRequest(request, { ...scope, plain: MESSAGE_PLACES, choices: CHOICE_PLACES }) : []
  checkIdempotency(reading, settings, places)
  checkPaths(inside(reading, 'answer'), ['id', 'code', 'reason'])
  checkRules(inside(reading, 'answer'))
  for (const news of NEWS) checkNews(reading, news, scope)
  return { ...settings, ...readSenders(reading, settings), secretTexts }
}

const NEWS: readonly NewsKind[] = ['receipts', 'replies']

/** Which places may stand in a text. */
interface Scope {
  secrets: readonly string[]
  /** News whose address can be named. */
  addresses: readonly NewsKind[]
}

type RequestScope = Scope & { plain: readonly string[]; choices: readonly string[] }

/** The reading of a member, if it is there. */
function inside({ node, path, mistakes }: Reading, key: string): Reading | undefined {
  const member = memberOf(node, key)
  return member && { node: member, path: pathTo(path, key), mistakes }
}

/** Every member of an object, and the object's own reading of it. */
function* membersOf({ node, path, mistakes }: Reading): Iterable<[key: string, Reading]> {
  if (node.kind !== 'object') return
  for (const [key, member] of node.members) yield [key, { node: member.node, path: pathTo(path, key), mistakes }]
}

function readSecrets(reading: Reading, folder: string): Record<string, string> {
  const texts: Record<string, string> = {}
  const secrets = inside(reading, 'secrets')
  for (const [name, secret] of secrets ? membersOf(secrets) : []) {
    const value = toValue(secret.node)
    if (typeof value === 'string') texts[name] = value
    const file = textAt(secret.node, 'file')
    if (!file) continue
    const read = readText(resolve(folder, file.value))
    const problem = 'problem' in read ? read.problem : read.text.trim() === '' ? 'is empty' : undefined
    texts[name] = 'text' in read ? read.text.trim() : ''
    if (problem === undefined) continue
    secret.mistakes.add(file, `${secret.path}.file`, `names a file that ${problem}; it is ${shown(file.value)}`)
  }
  return texts
}

function checkCallbackUrl({ node, path, mistakes }: Reading): void {
  const written = textAt(node, 'callbackUrl')
  if (!written || (isWebAddress(written.value) && /^[^?#@]+$/.test(written.value))) return
  mistakes.add(
    written,
    `${path}.callbackUrl`,
    'must be the http or https address of this service, without credentials and query, such as https://sms.example.com'
  )
}

function postedNews(reading: Reading): NewsKind[] {
  if (memberOf(reading.node, 'callbackUrl') === undefined) return []
  return NEWS.filter((news) => memberOf(memberOf(reading.node, news), 'proof') !== undefined)
}

/** Checks the places of a request, and returns them. */
function checkRequest(request: Reading, scope: RequestScope): Place[] {
  const { node, path, mistakes } = request
  const url = textAt(node, 'url')
  if (url && (!ORIGIN.test(url.value) || !isWebAddress(url.value))) {
    mistakes.add(
      url,
      `${path}.url`,
      'must be an http or https address whose host holds no places and no credentials, such as https://api.example.com/sms'
    )
  }
  if (memberOf(node, 'json') && memberOf(node, 'form')) {
    mistakes.add(node, `${path}.form`, 'must not be given beside json: a request has one body')
  }
  const method = textAt(node, 'method')?.value
  if (method === 'GET' && (memberOf(node, 'json') || memberOf(node, 'form'))) {
    mistakes.add(node, `${path}.method`, 'must be POST or PUT for a request with a body; it is "GET"')
  }
  const found: Place[] = []
  for (const [key, member] of membersOf(request)) {
    if (key !== 'method') found.push(...checkTexts(member, scope, { isHeader: key === 'headers' }))
  }
  return found
}

/** The places of all texts below a node. */
function checkTexts(reading: Reading, scope: RequestScope, options: { isHeader: boolean }): Place[] {
  const { node, path, mistakes } = reading
  if (node.kind === 'object') return [...membersOf(reading)].flatMap(([, member]) => checkTexts(member, scope, options))
  if (node.kind === 'array') {
    return node.items.flatMap((item, index) =>
      checkTexts({ node: item, path: `${path}[${index}]`, mistakes }, scope, options)
    )
  }
  return typeof node.value === 'string' ? checkText(node.value, reading, scope, options) : []
}

function checkText(
  text: string,
  { node, path, mistakes }: Reading,
  scope: RequestScope,
  { isHeader }: { isHeader: boolean }
): Place[] {
  const template = parseTemplate(text)
  if (!template) {
    mistakes.add(node, path, 'must close each place, and name it, as in {{to}}')
    return []
  }
  const places = placesOf(template)
  for (const place of places) {
    const problem = problemOf(place, scope)
    if (problem !== undefined) mistakes.add(node, path, problem)
    else if (isHeader && place.name === 'text') {
      mistakes.add(node, path, 'must not hold {{text}}: a header takes no line breaks and no accents')
    }
  }
  return places
}

/** In words that follow the place in the file. */
function problemOf(
  { name, argument }: Place,
  { secrets, addresses, plain, choices }: RequestScope
): string | undefined {
  const written = `{{${name}${argument === undefined ? '' : `:${argument}`}}}`
  if (name === 'secret') {
    if (argument !== undefined && secrets.includes(argument)) return undefined
    return `holds ${written}, and secrets has no such name${suggestion(argument ?? '', secrets)}`
  }
  if (name === 'callback') {
    if (addresses.some((news) => news === argument)) return undefined
    return `holds ${written}, which needs callbackUrl and a proof in receipts or replies`
  }
  if (choices.includes(name)) {
    const words = argument?.split('|').length ?? 1
    return words <= 2 ? undefined : `holds ${written}; it takes one word or two, as in {{unicode:unicode|text}}`
  }
  if (!plain.includes(name)) {
    const known = [...plain, ...choices, 'secret', 'callback']
    return `holds ${written}, which is no known place${suggestion(name, known)}`
  }
  return argument === undefined ? undefined : `holds ${written}, and {{${name}}} takes nothing after a colon`
}

function checkIdempotency(
  { node, path, mistakes }: Reading,
  { idempotent }: HttpSettings,
  places: readonly Place[]
): void {
  if (!idempotent || places.some(({ name }) => name === 'idempotency_key' || name === 'id')) return
  const place = memberOf(node, 'idempotent') ?? node
  mistakes.add(
    place,
    `${path}.idempotent`,
    'needs {{idempotency_key}} or {{id}} in the request, by which a repeat is known'
  )
}

function checkPaths(reading: Reading | undefined, keys: readonly string[]): void {
  if (!reading) return
  for (const key of keys) {
    const written = textAt(reading.node, key)
    if (!written || written.value === '' || parsePath(written.value)) continue
    const problem = `must be a path such as "messages[0].id"; it is ${shown(written.value)}`
    reading.mistakes.add(written, pathTo(reading.path, key), problem)
  }
}

function checkRules(answer: Reading | undefined): void {
  const rules = answer && memberOf(answer.node, 'rules')
  if (!answer || rules?.kind !== 'array') return
  for (const [index, node] of rules.items.entries()) {
    const reading = { node, path: `${answer.path}.rules[${index}]`, mistakes: answer.mistakes }
    checkPaths(reading, ['field'])
    const has = (key: string) => memberOf(node, key) !== undefined
    if (!has('status') && !has('field')) answer.mistakes.add(node, reading.path, 'needs a status or a field to look at')
    if (has('is') && !has('field')) answer.mistakes.add(node, `${reading.path}.is`, 'needs a field to compare with')
  }
}

const NEWS_PATHS: Record<NewsKind, readonly string[]> = {
  receipts: ['items', 'id', 'state', 'phone', 'at', 'errorCode'],
  replies: ['items', 'id', 'from', 'to', 'text']
}

function checkNews(carrier: Reading, news: NewsKind, scope: Scope): void {
  const reading = inside(carrier, news)
  if (reading?.node.kind !== 'object') return
  const { node, path, mistakes } = reading
  checkPaths(reading, NEWS_PATHS[news])
  checkPaths(inside(reading, 'segment'), ['reference', 'position', 'total'])
  const proof = inside(reading, 'proof')
  const poll = inside(reading, 'poll')
  if (!proof && !poll) {
    mistakes.add(node, path, 'needs a proof, for what the provider posts, or a poll')
  }
  if (proof) checkProof(proof, scope, { hasAddress: memberOf(carrier.node, 'callbackUrl') !== undefined })
  if (!poll) return
  checkPaths(poll, ['cursor'])
  const request = inside(poll, 'request')
  if (request) checkRequest(request, { ...scope, addresses: [], plain: ['cursor'], choices: [] })
  if (news === 'replies' && !memberOf(node, 'id')) {
    mistakes.add(node, `${path}.id`, 'is missing: a polled reply that is read again is known by its id')
  }
}

function checkProof(
  { node, path, mistakes }: Reading,
  { secrets }: Scope,
  { hasAddress }: { hasAddress: boolean }
): void {
  const by = textAt(node, 'by')?.value
  const needs = (key: string, why: string) => {
    if (memberOf(node, key) === undefined) mistakes.add(node, `${path}.${key}`, `is missing: ${why}`)
  }
  if (by === 'hmac' || by === 'header') needs('header', `a proof by ${by} stands in a header`)
  if (by === 'basic') needs('username', 'a proof by basic has a user name and a secret')
  if (textAt(node, 'of')?.value === 'url+form' && !hasAddress) {
    mistakes.add(node, `${path}.of`, 'needs callbackUrl, the address that the provider signs')
  }
  const secret = textAt(node, 'secret')
  if (!secret) return
  const scope: RequestScope = { secrets, addresses: [], plain: [], choices: [] }
  checkText(secret.value, { node: scalarAt(node, 'secret'), path: `${path}.secret`, mistakes }, scope, {
    isHeader: false
  })
}

function scalarAt(node: JsonNode, key: string): JsonNode {
  return memberOf(node, key) ?? node
}

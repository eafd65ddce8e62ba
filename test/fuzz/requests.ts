import fc from 'fast-check'
import type { Described, Schema } from './document.ts'
import { goodBody } from './good-bodies.ts'
import { AGENT, AGREED, edgeValue, foreign, goodValue, type Kind, own, Personal, personal } from './good-values.ts'
import { oddText, oddValue, withOwn } from './odd-values.ts'
import { POSTING } from './world.ts'

/** One request, before it is known who asks and what there is. */
export interface Wanted {
  operation: Described
  places: Record<string, unknown>
  query: [name: string, value: unknown][]
  /** Undefined for none. */
  body: unknown
  encoding: 'json' | 'form' | 'multipart'
  /** What the file holds, for an operation that takes one. */
  file: string
  headers: Record<string, string | string[]>
  /** Whether all of it is as it should be, so that a 200 may be hoped for. */
  isGood: boolean
}

export function wantedOf(operation: Described): fc.Arbitrary<Wanted> {
  return fc
    .record({
      isGood: fc.boolean(),
      good: good(operation),
      odd: odd(operation)
    })
    .map(({ isGood, good, odd }) => ({ operation, ...(isGood ? good : odd), isGood }))
}

type Parts = Omit<Wanted, 'operation' | 'isGood'>

const GOOD_FILES = [
  'tel;nom\n0639980001;Roy\n+33639980002;Léa\n',
  '0639980003\n0639980004\n',
  'nom,phone\n"A,B",0639980005'
]

const PROOFS = ['%PDF-1.4 proof', '%PDF-']
const PRICES = [
  'kind,prefix,credits\nsms,*,1\nrcs_basic,*,1\nrcs_single,*,2\n',
  'kind;prefix;credits\nsms;*;2\nsms;33;1\nrcs_basic;*;2\nrcs_single;*;2\n'
]
const COSTS = [
  'carrier,channel,prefix,cost,currency\nmain,sms,*,0.03,EUR\n',
  'carrier;channel;prefix;cost;currency\nrcs;rcs;33;0.01;USD\n'
]
const NAMES = ['name;kind;account;note\nMYBANK;forbidden;;\nVIRUS;word;;seen\n', 'TAXOFFICE\nPOSTOFFICE\n']

/** A picture of so many pixels, without any colour. */
const PICTURES = ['GIF89a\x01\0\x01\0\0\0\0;', 'GIF89a\x02\0\x01\0\0\0\0;']

function goodFiles(id: string): string[] {
  if (id === 'addPicture') return PICTURES
  if (id === 'addSenderProof') return PROOFS
  if (id === 'importCarrierCosts') return COSTS
  if (id === 'createPriceList' || id === 'followPriceList') return PRICES
  return id === 'importSenderList' ? NAMES : GOOD_FILES
}

function good(operation: Described): fc.Arbitrary<Parts> {
  const { takesFile, takesKey, body } = operation
  return fc.record({
    places: placesOf(operation, own),
    query: goodQuery(operation),
    body: body ? goodBody(operation) : fc.constant(undefined),
    encoding: takesFile ? fc.constant('multipart' as const) : fc.constantFrom('json' as const, 'json', 'form'),
    file: fc.constantFrom(...goodFiles(operation.id)),
    headers: fc.oneof(
      { weight: 4, arbitrary: fc.constant({}) },
      { weight: 1, arbitrary: fc.constantFrom<Parts['headers']>({ accept: 'text/csv' }, { accept: '*/*' }) },
      ...(takesKey
        ? [
            {
              weight: 1,
              arbitrary: fc.integer({ min: 0, max: 1e9 }).map((key) => ({ 'idempotency-key': `key ${key}` }))
            }
          ]
        : [])
    )
  })
}

function odd(operation: Described): fc.Arbitrary<Parts> {
  const { takesFile } = operation
  const usual = takesFile ? 'multipart' : 'json'
  return fc.record({
    places: fc.oneof(
      { weight: 4, arbitrary: placesOf(operation, own) },
      { weight: 3, arbitrary: placesOf(operation, foreign) },
      { weight: 1, arbitrary: placesOf(operation, nowhere) }
    ),
    query: oddQuery(operation),
    body: oddBody(operation),
    encoding: fc.constantFrom<Parts['encoding']>(usual, usual, usual, 'form', 'json', 'multipart'),
    file: fc.oneof(fc.constantFrom(...goodFiles(operation.id)), oddText),
    headers: fc.oneof(
      { weight: 2, arbitrary: fc.constant({}) },
      { weight: 1, arbitrary: fc.constantFrom(...ODD_HEADERS) }
    )
  })
}

/** What the id in a path is an id of. */
function kindOf({ id, path }: Described): Kind {
  if (['cancelMessage', 'pauseMessage', 'readMessageForm'].includes(id)) return 'openMessage'
  if (id === 'resumeMessage') return 'pausedMessage'
  if (id === 'readMessageDeparture') return 'departingMessage'
  if (id === 'resendMessage') return 'failedMessage'
  if (['pageRcsRecipients', 'extractRcsRecipients', 'readRcsMessage'].includes(id)) return 'rcsMessage'
  if (id === 'deleteTemplate') return 'template'
  if (id === 'chooseVariant') return 'testingTrial'
  if (id === 'readSenderProof') return 'provenSender'
  if (path.includes('{sender_id}')) return path.startsWith('/subaccount/') ? 'declaringSubAccount' : 'declaringAccount'
  // An account that asks later must not be closed, lose its key, or be limited.
  if (/^(change|renew)(Account|SubAccount)(Standing|Key|SenderMode|Limits)$/.test(id)) {
    return id.includes('SubAccount') ? 'spareSubAccount' : 'spareAccount'
  }
  const [kind] = Object.entries(KINDS).find(([prefix]) => path.startsWith(prefix)) ?? []
  return KINDS[kind ?? ''] ?? 'message'
}

const KINDS: Record<string, Kind> = {
  '/messages/': 'message',
  '/contactlists/': 'list',
  '/contacts/': 'contact',
  '/segments/': 'segment',
  '/drafts/': 'draft',
  '/stops/operator/': 'operatorStop',
  '/stops/': 'stop',
  '/pictures/': 'picture',
  '/automations/': 'automation',
  '/trials/': 'trial',
  '/credit-requests/received/': 'receivedRequest',
  '/credit-requests/': 'creditRequest',
  '/canned-replies/': 'cannedReply',
  '/auto-replies/': 'autoReply',
  '/models/rcs/': 'rcsTemplate',
  '/models/': 'smsTemplate',
  '/webhooks/deliveries/': 'delivery',
  '/keys/': 'key',
  '/smpp/credentials/': 'smppCredential',
  '/people/invitations/': 'invitation',
  '/people/': 'person',
  '/subaccount/': 'subAccount',
  '/accounts/': 'account',
  '/agents/': 'account',
  '/senders/': 'sender',
  '/sender-lists/': 'listEntry',
  '/price-lists/': 'priceList',
  '/consents/keywords/': 'keyword',
  '/consent-keywords/': 'keyword'
}

const nonsense = fc.constantFrom<unknown>(
  ...['0', '-1', '1.5', 'abc', '99999999999999999999', '9007199254740993', '%00', '%F0%9F%98%80', '1%20', '0x1', '1e3'],
  ...['999999', '%ff', '%', '..', '%2e%2e%2f', '1%0d%0aX:y', '__proto__', '+1', '%C3%A9', 'x'.repeat(120)]
)

const nowhere = () => nonsense
const toPhone = (digits: number) => new Personal('phone', digits)
const WRITTEN_TO = [101, 105, 113].map(toPhone)
/** It answers every message. */
const WROTE = toPhone(105)

function placesOf(operation: Described, choose: (kind: Kind) => fc.Arbitrary<unknown>): fc.Arbitrary<Parts['places']> {
  const places: Record<string, fc.Arbitrary<unknown>> = {}
  for (const place of operation.places) {
    // A reply from a phone that nobody wrote to would be the operator's.
    if (operation.id === 'replyFromPhone')
      places[place] = choose === nowhere ? nonsense : fc.constantFrom(...WRITTEN_TO)
    else if (operation.id === 'withdrawConsent')
      places[place] = choose === nowhere ? nonsense : fc.constantFrom(...AGREED.map(toPhone))
    else if (operation.id === 'updateConversation') places[place] = choose === nowhere ? nonsense : fc.constant(WROTE)
    else if (place === 'number') places[place] = fc.oneof(personal('phone'), ...(choose === own ? [] : [nonsense]))
    else if (place === 'month')
      places[place] = choose === own ? fc.constant(new Date().toISOString().slice(0, 7)) : nonsense
    else if (place === 'session') places[place] = nonsense
    else if (place === 'version') places[place] = choose === own ? fc.constant('1') : nonsense
    else if (place === 'agent') places[place] = fc.oneof(fc.constant(AGENT), ...(choose === own ? [] : [nonsense]))
    else if (place === 'name')
      places[place] = fc.oneof(fc.constant(carrierOf(operation)), ...(choose === own ? [] : [nonsense]))
    // Of the message or account that the place before it names: told when it is known which.
    else if (place === 'recipient_id' || place === 'sender_id')
      places[place] = choose === own ? fc.constant(undefined) : nonsense
    else places[place] = choose(kindOf(operation))
  }
  return fc.record(places)
}

function carrierOf({ id }: Described): string {
  if (/^receiveHttp/.test(id)) return POSTING.name
  return /^(testCarrier|changeCarrier|readCarrier)/.test(id) ? 'main' : 'rcs'
}

function goodQuery({ id, query }: Described): fc.Arbitrary<Parts['query']> {
  const needed = NEEDED_QUERY[id] ?? {}
  const field = (name: string, value: fc.Arbitrary<unknown>) => fc.tuple(fc.constant(name), value)
  const always = Object.entries(needed).map(([name, value]) => field(name, value))
  const some = Object.entries(query)
    .filter(([name]) => !(name in needed))
    .map(([name, schema]) => field(name, pageValue(name) ?? goodValue(schema, name)))
  return fc.tuple(fc.tuple(...always), subset(some)).map(([given, chosen]) => [...given, ...chosen])
}

/** What an operation can't do without, where a name means something else than elsewhere. */
const NEEDED_QUERY: Record<string, Record<string, fc.Arbitrary<unknown>>> = {
  explainRoute: { to: personal('phone'), account: own('account') },
  checkSenderName: { name: personal('word') },
  compareMessages: { messages: own('message') }
}

function pageValue(name: string): fc.Arbitrary<unknown> | undefined {
  if (name === 'page') return fc.constantFrom(1, 1, 2, 1_000)
  return name === 'limit' ? fc.constantFrom(1, 10, 1_000) : undefined
}

function oddQuery({ query }: Described): fc.Arbitrary<Parts['query']> {
  const known = Object.entries(query).map(([name, schema]) => {
    // Waiting is all that a long wait does.
    const values = name === 'wait' ? [edgeValue(schema, name)] : [edgeValue(schema, name), oddText]
    return fc.tuple(fc.constant(name), fc.oneof(...values))
  })
  const names = fc.constantFrom('page', 'limit', 'page[]', 'limit[a]', '__proto__', 'x', 'search[$ne]', '', 'a.b')
  const more = fc.array(fc.tuple(names, oddText), { maxLength: 2 })
  return fc.tuple(subset(known), more).map(([some, extra]) => [...some, ...extra])
}

function subset<T>(fields: fc.Arbitrary<T>[]): fc.Arbitrary<T[]> {
  return fc
    .tuple(...fields.map((field) => fc.option(field, { nil: undefined, freq: 1 })))
    .map((some) => (some as (T | undefined)[]).filter((field) => field !== undefined))
}

/** A good body with something changed, one at the edges of its schema, or none of both. */
function oddBody(operation: Described): fc.Arbitrary<unknown> {
  if (!operation.body)
    return fc.oneof({ weight: 3, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: oddValue })
  const changed = fc
    .tuple(goodBody(operation), fc.array(change, { minLength: 1, maxLength: 2 }))
    .map(([body, changes]) => changes.reduce(applyChange, body))
  return fc.oneof(
    { weight: 5, arbitrary: changed },
    { weight: 4, arbitrary: edgeValue(operation.body as Schema) },
    { weight: 1, arbitrary: oddValue }
  )
}

interface Change {
  what: 'replace' | 'remove' | 'add' | 'swap'
  where: number
  name: string
  value: unknown
}

const change: fc.Arbitrary<Change> = fc.record({
  what: fc.constantFrom('replace' as const, 'replace', 'replace', 'remove', 'add', 'swap'),
  where: fc.nat(1_000),
  name: fc.constantFrom('__proto__', 'constructor', 'id', 'account_id', 'is_operator', 'credits', 'toString', 'x'),
  value: oddValue
})

/** Changes one of all the places in a value. */
function applyChange(value: unknown, change: Change): unknown {
  const count = countPlaces(value)
  let left = change.where % count
  return walk(value)

  function walk(value: unknown): unknown {
    if (left-- === 0) return changed(value)
    if (Array.isArray(value)) return value.map(walk).filter((item) => item !== REMOVED)
    if (!isPlain(value)) return value
    return Object.fromEntries(
      Object.entries(value)
        .map(([name, item]) => [name, walk(item)] as const)
        .filter(([, item]) => item !== REMOVED)
    )
  }

  function changed(value: unknown): unknown {
    if (change.what === 'remove') return value === undefined ? value : REMOVED
    if (change.what === 'add' && isPlain(value)) return withOwn(value, change.name, change.value)
    if (change.what === 'add' && Array.isArray(value)) return [...value, change.value]
    if (change.what === 'swap') return Array.isArray(value) ? value[0] : [value]
    return change.value
  }
}

const REMOVED = Symbol('removed')

function countPlaces(value: unknown): number {
  if (Array.isArray(value)) return value.reduce((sum: number, item) => sum + countPlaces(item), 1)
  if (isPlain(value)) return Object.values(value).reduce((sum: number, item) => sum + countPlaces(item), 1)
  return 1
}

export function isPlain(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  const prototype = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

const ODD_HEADERS: Parts['headers'][] = [
  { 'idempotency-key': '' },
  { 'idempotency-key': 'k'.repeat(255) },
  { 'idempotency-key': 'k'.repeat(256) },
  { 'idempotency-key': '\u00e9\u00ff\t' },
  { 'idempotency-key': ['a', 'b'] },
  { 'idempotency-key': 'always the same' },
  { accept: 'text/csv' },
  { accept: 'text/csv;q=0, image/*' },
  { accept: '\u00ff' },
  { accept: 'x'.repeat(4_000) },
  { 'content-type': 'application/json; charset=utf-8' },
  { 'content-type': 'APPLICATION/JSON' },
  { 'content-type': 'application/json;charset=iso-8859-1' },
  { 'content-type': 'application/json; charset="' },
  { 'content-type': 'application/problem+json' },
  { 'content-type': 'application/x-www-form-urlencoded; charset=utf-16' },
  { 'content-type': 'text/plain' },
  { 'content-type': 'multipart/form-data' },
  { 'content-type': 'multipart/form-data; boundary=' },
  { 'content-type': ';' },
  { 'content-type': '' },
  { 'content-encoding': 'gzip' },
  { 'content-encoding': 'br, x' },
  { 'x-request-id': 'a b\u00e9' },
  { 'x-request-id': 'r'.repeat(65) },
  { 'x-http-method-override': 'DELETE' },
  { 'x-forwarded-for': '127.0.0.1, \u00ff' },
  { 'last-event-id': '99999999999999999999' },
  { 'last-event-id': 'x' },
  { 'x-goog-signature': '\u00ff' },
  { 'x-app-id': 'app-nobody' },
  { authorization: 'Bearer x.y.z' },
  { cookie: 'a=b' },
  { expect: '200-ok' },
  { origin: 'null' },
  { range: 'bytes=0-1' },
  { 'if-none-match': '*' }
]

import fc from 'fast-check'
import type { Schema } from './document.ts'
import { oddMoment, oddNumber, oddPhone, oddText } from './odd-values.ts'

/*
 * Values that a schema allows. What they must mean besides (a list that is there, a number that is one) is known by the name
 * of the property; and what is only known when the request leaves stands for itself until then, so that a seed says everything.
 */

export type Kind =
  | 'list'
  | 'contact'
  | 'segment'
  | 'draft'
  | 'stop'
  | 'picture'
  | 'automation'
  | 'trial'
  | 'testingTrial'
  | 'creditRequest'
  | 'receivedRequest'
  | 'cannedReply'
  | 'autoReply'
  | 'smsTemplate'
  | 'rcsTemplate'
  | 'template'
  | 'message'
  | 'openMessage'
  | 'pausedMessage'
  | 'departingMessage'
  | 'failedMessage'
  | 'rcsMessage'
  | 'delivery'
  | 'subAccount'
  | 'account'
  | 'person'
  | 'invitation'
  | 'key'
  | 'smppCredential'
  | 'spareAccount'
  | 'spareSubAccount'
  | 'sender'
  | 'provenSender'
  | 'declaringAccount'
  | 'declaringSubAccount'
  | 'listEntry'
  | 'keyword'
  | 'operatorStop'
  | 'priceList'

/** Something of the caller's, or of somebody else's; which, is found out when it is asked for. */
export class Reference {
  readonly kind: Kind
  readonly isOwn: boolean
  readonly pick: number
  constructor(kind: Kind, isOwn: boolean, pick: number) {
    this.kind = kind
    this.isOwn = isOwn
    this.pick = pick
  }
}

/** What depends on who asks: a text with their mark in it, a number of theirs, their password, a value or a word never used before. */
export class Personal {
  readonly what: 'text' | 'profile' | 'phone' | 'email' | 'password' | 'login' | 'unique' | 'word'
  readonly pick: number
  constructor(what: Personal['what'], pick = 0) {
    this.what = what
    this.pick = pick
  }
}

export const own = (kind: Kind): fc.Arbitrary<Reference> => fc.nat(30).map((pick) => new Reference(kind, true, pick))
export const foreign = (kind: Kind): fc.Arbitrary<Reference> =>
  fc.nat(30).map((pick) => new Reference(kind, false, pick))
export const personal = (what: Personal['what']): fc.Arbitrary<Personal> =>
  fc.nat(999).map((pick) => new Personal(what, pick))

/** Hours to months ahead: nothing becomes due while the fuzz runs. */
export const laterMoment: fc.Arbitrary<string> = fc
  .tuple(fc.integer({ min: 2, max: 300 }), fc.constantFrom('Z', '+02:00', ''))
  .map(([days, zone]) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 19) + zone)

const address = fc.constantFrom('https://shop.example/a', 'http://shop.example/b?c=d#e', 'HTTPS://Shop.Example')

/** The numbers of the world: senders and keywords have the first, grants the second. */
export const OUR_NUMBERS = ['36111', '36222'] as const

/** The last digits of the phones that have agreed to marketing. */
export const AGREED = [40, 41, 42, 43, 44, 45]

/** The only agent of the world. */
export const AGENT = 'fuzz'

const BY_NAME: Record<string, fc.Arbitrary<unknown>> = {
  // Of both sides of a transfer, or of the account and the one above it.
  note: fc.constantFrom('Order 118', 'Pays late.'),
  reason: fc.constantFrom('Unpaid.', 'The contract has ended.'),
  expires_at: laterMoment,
  valid_from: laterMoment.map((moment) => (moment.length === 19 ? `${moment}Z` : moment)),
  price_list: own('priceList'),
  price: fc.constantFrom('0.0475', '1', '0'),
  currency: fc.constantFrom('EUR', 'JPY', 'KWD'),
  tel: personal('phone'),
  recipient: personal('phone'),
  // Of an account itself: its parent sees it too.
  phoneNumber: fc.constantFrom('01 23 45 67 89', '+33 1 23 45 67 89'),
  phone_number: fc.constantFrom('01 23 45 67 89', '+33 1 23 45 67 89'),
  first_name: personal('profile'),
  last_name: personal('profile'),
  firstName: personal('profile'),
  lastName: personal('profile'),
  email: personal('email'),
  content: personal('text'),
  name: personal('text'),
  social_reason: personal('profile'),
  password: fc.constantFrom('long enough', 'eight ch', 'p'.repeat(128), 'mot de passe é😀'),
  contactlist_id: own('list'),
  list_id: own('list'),
  segment_id: own('segment'),
  model_id: own('smsTemplate'),
  message_id: own('message'),
  agent: fc.constant(AGENT),
  sender: fc.constantFrom('CHAPPE', 'MyShop', 'a1b', '36111'),
  external_id: personal('unique'),
  scheduleAt: laterMoment,
  given_at: fc.constantFrom('2026-01-01T00:00:00Z', '2020-02-29T12:00:00+05:30'),
  since: fc.constantFrom('2026-01-01T00:00:00Z', '2020-02-29T12:00:00+05:30'),
  from: fc.constantFrom('2026-01-01', '2026-01-01T00:00:00Z', '2026-11-15T10:00'),
  to: fc.constantFrom('2030-01-01', '2026-11-15T10:00:00+01:00'),
  url: address,
  media_message_url: fc.constant('https://shop.example/a.jpg'),
  time_zone: fc.constantFrom('Europe/Paris', 'Indian/Reunion', 'America/New_York', 'UTC'),
  country: fc.constantFrom('FR', 'BE', 'RE'),
  hours_end: fc.constantFrom('20:00', '08:01', '21:30'),
  search: personal('text'),
  after: fc.constantFrom('0'),
  types: fc.constantFrom('replies', 'stops,clicks', 'message_state'),
  // A longer wait is only waiting.
  wait: fc.constantFrom(0, 1),
  secret: personal('unique'),
  message_type: fc.constant(1),
  scheduledate: laterMoment.map((text) => text.slice(0, 10)),
  scheduletime: fc.constantFrom('10:00', '10:00:00')
}

const ODD_BY_NAME: Record<string, fc.Arbitrary<unknown>> = {
  tel: oddPhone,
  recipient: oddPhone,
  scheduleAt: oddMoment,
  scheduledate: oddMoment,
  scheduletime: oddMoment,
  given_at: oddMoment,
  since: oddMoment,
  from: oddMoment,
  to: oddMoment,
  contactlist_id: foreign('list'),
  list_id: foreign('list'),
  segment_id: foreign('segment'),
  model_id: foreign('smsTemplate'),
  message_id: foreign('message'),
  wait: fc.constantFrom(0, 1, 31, -1)
}

/** What is meant by the schema, and gets a 200 unless it clashes with what is there. */
export function goodValue(schema: Schema, name = ''): fc.Arbitrary<unknown> {
  const known = Object.hasOwn(BY_NAME, name) ? BY_NAME[name] : undefined
  if (known && !schema.items && !schema.properties) return known
  return fromSchema(schema, name, goodValue, {
    text: personal('text'),
    number: (low, high) => fc.integer({ min: low, max: Math.min(high, 1_000) }),
    itemsMax: 4
  })
}

/** What the schema allows, at the ends of what it allows. */
export function edgeValue(schema: Schema, name = ''): fc.Arbitrary<unknown> {
  const odd = Object.hasOwn(ODD_BY_NAME, name) ? ODD_BY_NAME[name] : undefined
  const usual = fromSchema(schema, name, edgeValue, {
    text: edgeText(schema),
    number: (low, high) => fc.oneof(fc.constantFrom(low, high, low + 1, high - 1), oddNumber),
    itemsMax: 12
  })
  const isLeaf = !schema.items && !schema.properties && !branchesOf(schema)
  if (!isLeaf) return usual
  return fc.oneof(usual, ...(odd ? [odd] : []), goodValue(schema, name))
}

function edgeText({ minLength = 0, maxLength = 200 }: Schema): fc.Arbitrary<unknown> {
  const lengths = [minLength, Math.max(minLength - 1, 0), maxLength, maxLength + 1]
  const exact = fc
    .tuple(fc.constantFrom('x', 'é', '😀', ' ', '€', '\u0301'), fc.constantFrom(...lengths))
    .map(([unit, length]) => unit.repeat(length))
  return fc.oneof(exact, oddText)
}

interface Leaves {
  text: fc.Arbitrary<unknown>
  number(low: number, high: number): fc.Arbitrary<unknown>
  itemsMax: number
}

function fromSchema(
  schema: Schema,
  name: string,
  again: (schema: Schema, name?: string) => fc.Arbitrary<unknown>,
  leaves: Leaves
): fc.Arbitrary<unknown> {
  if (schema.const !== undefined) return fc.constant(schema.const)
  if (schema.enum) return fc.constantFrom(...schema.enum)
  const branches = branchesOf(schema)
  if (branches) return fc.oneof(...branches.map((branch) => again(branch, name)))
  const [type] = [schema.type].flat()
  if (type === 'object') return objectOf(schema, again)
  if (type === 'array') return arrayOf(schema, name, again, leaves.itemsMax)
  if (type === 'integer' || type === 'number') {
    const { minimum = -(2 ** 31), maximum = 2 ** 31 } = schema
    return leaves.number(minimum, maximum)
  }
  if (type === 'boolean') return fc.boolean()
  if (type === 'null') return fc.constant(null)
  return leaves.text
}

/** The branches of a union. An object that only says which of its properties it needs is none. */
function branchesOf({ anyOf, oneOf, properties }: Schema): Schema[] | undefined {
  return properties ? undefined : (anyOf ?? oneOf)
}

function objectOf(schema: Schema, again: (schema: Schema, name?: string) => fc.Arbitrary<unknown>) {
  const { properties = {}, required = [], additionalProperties, patternProperties } = schema
  const fields = Object.fromEntries(Object.entries(properties).map(([name, field]) => [name, again(field, name)]))
  const record = fc.record(fields, { requiredKeys: required.filter((name) => name in fields) })
  const more = typeof additionalProperties === 'object' ? additionalProperties : patternProperties?.['^.*$']
  if (!more) return record
  const names = fc.constantFrom('prenom', 'nom', 'Ville', 'a1', '__proto__', 'constructor', 'tel', 'é', '')
  return fc.tuple(record, fc.array(fc.tuple(names, again(more)), { maxLength: 3 })).map(([object, extra]) => {
    // Spread defines what it copies, so that __proto__ stays a name.
    return { ...object, ...Object.fromEntries(extra) }
  })
}

const ITEM_NAMES: Record<string, string> = {
  contactlist: 'contactlist_id',
  segments: 'segment_id',
  recipients: 'recipient',
  numbers: 'recipient'
}

function arrayOf(
  { items = {}, minItems = 0, maxItems = 100 }: Schema,
  name: string,
  again: (schema: Schema, name?: string) => fc.Arbitrary<unknown>,
  itemsMax: number
) {
  const itemName = ITEM_NAMES[name] ?? ''
  const item = again(items, itemName)
  return fc.array(item, { minLength: minItems, maxLength: Math.max(minItems, Math.min(maxItems, itemsMax)) })
}

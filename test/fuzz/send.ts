import { createHmac } from 'node:crypto'
import type { Database } from '../../src/database/database.ts'
import { type Kind, Personal, Reference } from './good-values.ts'
import type { RawRequest } from './http.ts'
import { RawJson } from './odd-values.ts'
import { isPlain, type Wanted } from './requests.ts'
import { type Actor, POSTING, RBM_TOKEN, resolvePersonal, resolveReference } from './world.ts'

/** A request as it leaves, and what is known of it. */
export interface Concrete extends RawRequest {
  path: string
  /** Whether it names something of somebody else's. */
  isForeign: boolean
  /** The body's fields, once resolved. */
  fields: unknown
}

/** Makes of what is wanted what is sent, by this account, now. */
export async function toRequest(database: Database, url: string, actor: Actor, wanted: Wanted): Promise<Concrete> {
  let isForeign = false
  const { operation } = wanted
  // A reply from a phone that no account wrote to is the operator's to see, so it carries no account's mark.
  const isNobodys = operation.id === 'replyFromPhone' && !(wanted.places.number instanceof Personal)

  async function resolve(value: unknown): Promise<unknown> {
    if (value instanceof Personal) return isNobodys ? 'a reply to nobody' : resolvePersonal(actor, value)
    if (value instanceof Reference) {
      const id = await resolveReference(database, actor, value)
      if (id !== undefined && !value.isOwn && !OF_THE_OPERATOR.has(value.kind)) isForeign = true
      return id ?? 999_999_999
    }
    if (Array.isArray(value)) return Promise.all(value.map(resolve))
    if (!isPlain(value)) return value
    const entries = Object.entries(value).filter(([, item]) => item !== undefined)
    return Object.fromEntries(await Promise.all(entries.map(async ([name, item]) => [name, await resolve(item)])))
  }

  let path = operation.path
  for (const place of operation.places) {
    let value = await resolve(wanted.places[place])
    if (place === 'recipient_id' && value === undefined) value = await recipientOf(database, path)
    if (place === 'sender_id' && value === undefined) value = await senderOf(database, path)
    const text = String(value)
    // Nonsense is sent as it stands: some of it is no proper encoding.
    path = path.replace(`{${place}}`, () =>
      wanted.places[place] instanceof Personal ? encodeURIComponent(text) : text
    )
  }
  const query = await Promise.all(
    wanted.query.map(async ([name, value]) => [name, toText(await resolve(value))] as const)
  )
  const search = query.map(([name, value]) => `${encode(name)}=${encode(value)}`).join('&')
  const given = typeof wanted.body === 'symbol' ? undefined : wanted.body
  const fields = await resolve(given)
  const { body, type } = encodeBody(wanted, fields)
  const credentials: Record<string, string> = operation.isOpen ? {} : { 'x-api-key': actor.account.apiKey }
  const headers: RawRequest['headers'] = {
    ...credentials,
    ...(type !== undefined && { 'content-type': type }),
    ...(/^receiveHttp/.test(operation.id) && { [POSTING.header]: POSTING.secret }),
    ...(operation.id === 'receiveRbmEvent' && { 'x-goog-signature': signatureOf(fields) }),
    ...(body !== undefined && { 'content-length': String(Buffer.byteLength(body)) }),
    ...wanted.headers
  }
  const whole = search === '' ? path : `${path}?${search}`
  return { method: operation.method, path: whole, url: url + whole, headers, body, isForeign, fields }
}

/** Whoever may ask for one of these may ask for all. */
const OF_THE_OPERATOR: ReadonlySet<Kind> = new Set(['account', 'declaringAccount', 'operatorStop', 'listEntry'])

async function recipientOf(database: Database, path: string): Promise<number> {
  const messageId = Number(/^\/messages\/(\d+)\//.exec(path)?.[1] ?? 0)
  const [row] = await database<{ position: number }[]>`
    select position from recipients where message_id = ${messageId} order by position limit 1
  `
  return messageId * 2 ** 20 + (row?.position ?? 1)
}

/** A sender with a proof; of those, one that waits. */
async function senderOf(database: Database, path: string): Promise<number> {
  const accountId = Number(/^\/(?:accounts|subaccount)\/(\d{1,15})\//.exec(path)?.[1] ?? 0)
  const [row] = await database<{ id: number }[]>`
    select id from senders join sender_proofs on sender_id = id
    where account_id = ${accountId} order by state = 'waiting' desc, id limit 1
  `
  return row?.id ?? 999_999_999
}

function encodeBody({ encoding, operation, file }: Wanted, fields: unknown): { body?: string | Buffer; type?: string } {
  if (fields === undefined && encoding !== 'multipart') return {}
  if (encoding === 'json') return { body: toJson(fields), type: 'application/json' }
  if (encoding === 'form') return { body: toForm(fields), type: 'application/x-www-form-urlencoded' }
  const parts = formPairs(isPlain(fields) ? fields : {}, 1).map(([name, value]) => toPart(name, value))
  const whole = operation.takesFile ? [...parts, toPart('file', file, 'people.csv')] : parts
  return { body: Buffer.from(`${whole.join('')}--fuzz--\r\n`), type: 'multipart/form-data; boundary=fuzz' }
}

function toPart(name: string, value: string, fileName?: string): string {
  const quoted = name.replaceAll(/["\r\n]/g, '_')
  const suffix = fileName === undefined ? '' : `; filename="${fileName}"`
  return `--fuzz\r\ncontent-disposition: form-data; name="${quoted}"${suffix}\r\n\r\n${value}\r\n`
}

/** JSON with the raw parts as they are written. */
export function toJson(value: unknown): string {
  const raw: string[] = []
  const text = JSON.stringify(value, (_key, item) =>
    item instanceof RawJson ? `@raw${raw.push(item.text) - 1}@` : item
  )
  return (text ?? 'null').replaceAll(/"@raw(\d+)@"/g, (_match, index) => raw[Number(index)] ?? '')
}

export function toForm(value: unknown): string {
  if (!isPlain(value)) return encode(toText(value))
  return formPairs(value, 50)
    .map(([name, item]) => `${encode(name)}=${encode(item)}`)
    .join('&')
}

/** `contacts[0][tel]`; below the depth given, JSON. */
function formPairs(fields: object, depth: number): [string, string][] {
  const pairs: [string, string][] = []
  const add = (name: string, value: unknown, left: number) => {
    const isBranch = Array.isArray(value) || isPlain(value)
    if (!isBranch || left === 0) pairs.push([name, toText(value)])
    else for (const [key, item] of Object.entries(value as object)) add(`${name}[${key}]`, item, left - 1)
  }
  for (const [name, value] of Object.entries(fields)) add(name, value, depth - 1)
  return pairs
}

function toText(value: unknown): string {
  if (typeof value === 'string') return value
  return value instanceof RawJson ? value.text : toJson(value)
}

/** encodeURIComponent refuses halves of characters; what is sent for them is what a careless client sends. */
function encode(text: string): string {
  return encodeURIComponent(text.toWellFormed())
}

function signatureOf(fields: unknown): string {
  const data = isPlain(fields) && isPlain(fields.message) ? fields.message.data : ''
  return createHmac('sha512', RBM_TOKEN)
    .update(Buffer.from(String(data), 'base64'))
    .digest('base64')
}

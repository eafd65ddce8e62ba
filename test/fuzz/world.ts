import { strict as assert } from 'node:assert'
import type { TestContext } from 'node:test'
import { newServiceAccount } from '../../simulator/rbm/tokens.ts'
import type { Database } from '../../src/database/database.ts'
import { eventually } from '../checks/eventually.ts'
import { carrierToRbm } from '../peers/rbm.ts'
import { type CarrierEntry, carriersFile, carrierTo } from '../peers/smsc.ts'
import type { ApiClient } from '../service/api-client.ts'
import { fileForm } from '../service/file-form.ts'
import { startService, type TestAccount, type TestService } from '../service/service.ts'
import { AGENT, AGREED, OUR_NUMBERS, type Personal, type Reference } from './good-values.ts'

/*
 * Four accounts that have one of everything, each marked as its own: a parent and its child, a stranger, and the operator.
 * Whatever one of them is answered must hold no other's mark.
 */

export const RBM_TOKEN = 'token-of-the-fuzz'

/** An HTTP carrier whose provider posts receipts and replies. No message leaves through it. */
export const POSTING = { name: 'posting', header: 'x-proof', secret: 'secret-of-the-fuzz' }

export interface Actor {
  name: string
  account: TestAccount
  /** In every text that belongs to the account. */
  mark: string
  /** In what describes the account itself, which its parent and the operator see too. */
  profileMark: string
  /** A word of the account's texts that others know, and look for. */
  probe: string
  /** The digit that all its phone numbers have behind +3363998. */
  block: number
  parent: Actor | undefined
  isOperator: boolean
  /** Asks the quiet service, with whatever key the account has by now. */
  client(): ApiClient
}

export interface World {
  /** Takes everything and sends nothing, so that only requests change anything. */
  quiet: TestService
  /** Sends to virtual phones; stopped before the quiet one is asked. */
  busy: TestService
  actors: Actor[]
}

export async function startWorld(t: TestContext): Promise<World> {
  const nobody = { host: '127.0.0.1', port: 1 }
  const { account: serviceAccount } = await newServiceAccount('http://127.0.0.1:1')
  const rbm = { url: 'http://127.0.0.1:1', agentId: AGENT, webhookToken: RBM_TOKEN, serviceAccount }
  const carriers = [carrierTo(nobody, { numbers: OUR_NUMBERS }), await carrierToRbm(t, rbm), carrierThatPosts()]
  const file = await carriersFile(t, carriers)
  const quiet = await startService(t, { settings: { CHAPPE_CARRIERS: file.path } })
  const busy = await quiet.startPeer(t, { settings: { CHAPPE_ROLES: 'api,delivery' } })
  const stranger = await quiet.newAccount({ credits: 1_000_000 })
  const parent = await quiet.newAccount({ credits: 1_000_000 })
  const child = await parent.newSubAccount({ credits: 100_000 })
  await quiet.operator.expect(200).put(`/accounts/${quiet.operator.id}/credits`, { credits: 1_000_000, msgType: 2 })
  await parent.expect(200).put(`/subaccount/${child.id}/credits/add`, { credits: 100_000, msgType: 2 })
  const top = { parent: undefined, isOperator: false }
  const actors: Actor[] = []
  const add = (name: string, account: TestAccount, rest: Pick<Actor, 'parent' | 'isOperator'>) => {
    const block = actors.length + 1
    const mark = `Zk${name}${block}qX`
    const actor = {
      name,
      account,
      mark,
      profileMark: `Pf${name}${block}qX`,
      probe: `probe${name}`,
      block,
      ...rest,
      client: () => quiet.anonymous.as({ 'x-api-key': account.apiKey })
    }
    actors.push(actor)
    return actor
  }
  add('operator', quiet.operator, { ...top, isOperator: true })
  add('child', child, { ...top, parent: add('parent', parent, top) })
  add('stranger', stranger, top)
  await Promise.all(actors.map((actor) => fill(busy, actor)))
  await untilSettled(busy, actors)
  return { quiet, busy, actors }
}

function carrierThatPosts(): CarrierEntry {
  const { name, header, secret } = POSTING
  const proof = { by: 'header', header, secret }
  return {
    name,
    type: 'http',
    request: { url: 'http://127.0.0.1:1/', json: { to: '{{to}}', text: '{{text}}' } },
    answer: { id: 'id' },
    receipts: { proof, items: 'items', id: 'id', state: 'state', phone: 'to', at: 'at', states: { OK: 'delivered' } },
    replies: { proof, id: 'id', from: 'from', to: 'to', text: 'text' }
  }
}

/** Whose marks an actor must never see. */
export function forbiddenTo(actor: Actor, actors: readonly Actor[]): string[] {
  return actors
    .filter((other) => other !== actor)
    .flatMap((other) => [
      other.mark,
      ...(actor.isOperator || other.parent === actor ? [] : [other.profileMark]),
      // A phone number is a mark too.
      `+3363998${other.block}`
    ])
}

async function fill(busy: TestService, actor: Actor): Promise<void> {
  const text = textOf(actor, 0)
  const client = busy.anonymous.as({ 'x-api-key': actor.account.apiKey }).expect(200)
  await client.put('/users/me', { first_name: actor.profileMark, social_reason: `Maison ${actor.profileMark}` })
  await client.put('/webhooks', {
    webhooks: ['replies', 'stops', 'clicks'].map((type) => ({ type, url: `https://93.184.216.34/${actor.mark}` }))
  })
  await client.get('/events')
  await client.post('/webhooks/test', { type: 'replies' })
  for (const name of ['un', 'deux']) {
    const { body: list } = await client.post('/contactlists', { name: `${name} ${text}` })
    const contacts = [20, 21, 22].map((digits) => ({
      tel: phoneOf(actor, digits),
      champ_nom: text,
      champ_perso1: text
    }))
    await client.post('/contacts', { contactlist_id: list.id, contacts })
    await client.post('/models', { name, content: text, sender: 'CHAPPE' })
    await client.post('/canned-replies', { name, content: text })
    await client.post('/models/rcs', { name: text, type: 'text', data: { text } })
    await client.post('/stops', { recipient: phoneOf(actor, name === 'un' ? 30 : 31) })
  }
  await client.post('/consents', {
    consents: AGREED.map((digits) => ({ recipient: phoneOf(actor, digits), wording: text, proof: text }))
  })
  await addSender(client, actor)
  await client.post('/price-lists', fileForm(PRICES, { name: text.slice(0, 100) }))
  // Failed, rejected, expired, answers, and delivered.
  const recipients = [101, 102, 103, 105, 113].map((digits) => phoneOf(actor, digits))
  await client.post('/messages/sms', { content: text, recipients, sender: 'CHAPPE' })
  const contacts = [107, 113].map((digits) => ({ recipient: phoneOf(actor, digits) }))
  await client.post('/messages/rcs', { type: 'text', data: { text }, contacts, fallback: { content: text } })
  const scheduleAt = new Date(Date.now() + 40 * 86_400_000).toISOString()
  for (let count = 0; count < 3; count++) {
    await client.post('/messages/sms', { content: text, recipients: recipients.slice(0, 2), scheduleAt })
  }
  if (!actor.parent) await client.post('/subaccount', { email: emailOf(actor, 'sub'), password: 'long enough' })
}

async function untilSettled({ pool }: TestService, actors: readonly Actor[]): Promise<void> {
  await eventually(
    async () => {
      const [open] = await pool`
        select
          (select count(*) from recipients join messages using (account_id) where messages.id = message_id
            and messages.state <> 'scheduled' and recipients.state in (0, 2, 9)) as waiting,
          (select count(*) from replies where content = 'OK') as replies
      `
      assert.deepEqual(open, { waiting: 0, replies: actors.length })
    },
    { withinMs: 60_000 }
  )
}

export function textOf({ mark, probe }: Actor, pick: number): string {
  return `${probe} ${mark} ${pick}`
}

/** Of the account's own block of the range for fiction, in some notation. */
export function phoneOf({ block }: Actor, pick: number): string {
  const digits = String(pick % 1_000).padStart(3, '0')
  const notations = [`+3363998${block}${digits}`, `06 39 98 ${block}${digits}`, `0033-6.39.98.${block}${digits}`]
  // Not all notations in all accounts: one may have moved to another country.
  return (pick < 900 ? notations[0] : notations[pick % 3]) ?? ''
}

let unique = 0

function emailOf({ profileMark }: Actor, word: string): string {
  return `${word}${++unique}-${profileMark.toLowerCase()}@shop.example`
}

export function resolvePersonal(actor: Actor, { what, pick }: Personal): string {
  switch (what) {
    case 'text':
      return textOf(actor, pick)
    case 'profile':
      return `${actor.profileMark} ${pick}`
    case 'phone':
      return phoneOf(actor, pick)
    case 'email':
      return emailOf(actor, 'u')
    case 'login':
      return actor.account.email
    case 'password':
      return actor.account.password
    case 'unique':
      return `unique ${++unique}`
    case 'word':
      return `Word${++unique}`
  }
}

/** The id that a reference stands for, now; undefined if there is none. */
export async function resolveReference(
  database: Database,
  actor: Actor,
  { kind, isOwn, pick }: Reference
): Promise<number | undefined> {
  const { account } = actor
  const owner =
    TABLES[kind] === 'accounts'
      ? database`parent_id`
      : kind === 'receivedRequest'
        ? database`asked_id`
        : database`account_id`
  const whose = ['operatorStop', 'listEntry'].includes(kind)
    ? database`true`
    : ['account', 'spareAccount', 'declaringAccount'].includes(kind)
      ? database`${owner} is null`
      : isOwn
        ? database`${owner} = ${account.id}`
        : database`${owner} is distinct from ${account.id}`
  const rows = await database<{ id: number }[]>`
    select ${kind === 'person' ? database`person_id as id` : database`id`}
    from ${database(TABLES[kind])}
    where ${whose} ${restOf(database, kind)}
    order by id desc
    limit 31
  `
  if (rows.length === 0 && isOwn) return make(actor, kind)
  return rows[pick % Math.max(rows.length, 1)]?.id
}

/** Something of a kind of which the account has nothing left. */
async function make(actor: Actor, kind: Reference['kind']): Promise<number | undefined> {
  const text = textOf(actor, 0)
  const client = actor.client().expect(200)
  const listId = async () => (await client.post('/contactlists', { name: text })).body.id
  switch (kind) {
    case 'list':
    case 'contact': {
      const id = await listId()
      await client.post('/contacts', { contactlist_id: id, contacts: [{ tel: phoneOf(actor, 20), champ_nom: text }] })
      return kind === 'list' ? id : (await client.get(`/contactlists/${id}/contacts`)).body.items[0].id
    }
    case 'segment': {
      const rules = [{ type: 'field', field: 'champ_nom', op: 'is', value: text }]
      return (await client.post('/segments', { name: text, match: 'all', rules })).body.id
    }
    case 'draft':
      return (await client.post('/drafts', { name: text, channel: 'sms', fields: { content: text } })).body.id
    case 'stop':
      return (await client.post('/stops', { recipient: phoneOf(actor, 30) })).body.id
    case 'automation': {
      const daily = { name: text, schedule: '0 10 * * *', contactlist: [await listId()], sms: { content: text } }
      return (await client.post('/automations', daily)).body.id
    }
    case 'trial':
    case 'testingTrial': {
      const variants = ['A', 'B'].map((letter) => ({ sms: { content: `${letter} ${text}` } }))
      const list = await listId()
      const contacts = [70, 71, 72].map((index) => ({ tel: phoneOf(actor, index) }))
      await client.post('/contacts', { contactlist_id: list, contacts })
      const scheduleAt = kind === 'trial' ? new Date(Date.now() + 40 * 86_400_000).toISOString() : undefined
      const trial = { name: text.slice(0, 100), decide_by: 'hand', contactlist: [list], variants, scheduleAt }
      return (await client.post('/trials', trial)).body.id
    }
    case 'creditRequest':
      // The operator asks nobody, and an account that spends its parent’s credits needs none.
      return (await actor.client().post('/credit-requests', { credits: 1 })).body.id
    case 'receivedRequest': {
      if (actor.parent) return undefined
      const { apikey } = (await client.post('/subaccount', { email: emailOf(actor, 'asks'), password: 'long enough' }))
        .body
      const below = actor.client().as({ 'x-api-key': apikey }).expect(200)
      return (await below.post('/credit-requests', { credits: 1 })).body.id
    }
    case 'picture':
      return (await client.post('/pictures', fileForm('GIF89a\x03\0\x01\0\0\0\0;'))).body.id
    case 'autoReply':
      return (await client.post('/auto-replies', { name: text, keywords: ['HOURS'], content: text })).body.id
    case 'cannedReply':
      return (await client.post('/canned-replies', { name: text, content: text })).body.id
    case 'template':
    case 'smsTemplate':
      return (await client.post('/models', { name: text, content: text, sender: 'CHAPPE' })).body.id
    case 'rcsTemplate':
      return (await client.post('/models/rcs', { name: text, type: 'text', data: { text } })).body.id
    case 'message':
    case 'openMessage':
    case 'pausedMessage': {
      const scheduleAt = new Date(Date.now() + 40 * 86_400_000).toISOString()
      const send = { content: text, recipients: [phoneOf(actor, 120)], scheduleAt }
      const id = (await client.post('/messages/sms', send)).body.message_id
      if (kind === 'pausedMessage') await client.put(`/messages/${id}/pause`)
      return id
    }
    case 'departingMessage': {
      const rules = [{ type: 'field', field: 'champ_nom', op: 'is', value: text }]
      const { body } = await client.post('/segments', { name: text, match: 'all', rules })
      const scheduleAt = new Date(Date.now() + 40 * 86_400_000).toISOString()
      const send = { content: text, segments: [body.id], scheduleAt }
      return (await client.post('/messages/sms/contactlist', send)).body.message_id
    }
    case 'key':
      return (await client.post('/keys', { name: text, scopes: ['read'] })).body.id
    case 'smppCredential':
      return (await client.post('/smpp/credentials', { system_id: `id${++unique}`, name: text })).body.id
    case 'spareAccount':
    case 'spareSubAccount': {
      const body = { email: emailOf(actor, 'spare'), password: 'long enough' }
      if (kind === 'spareAccount') return (await client.post('/accounts', body)).body.id
      return (await client.post('/subaccount', body)).body.subaccount_id
    }
    case 'sender':
    case 'provenSender':
      return addSender(client, actor)
    case 'listEntry':
      if (!actor.isOperator) return undefined
      await client.post('/sender-lists/file', fileForm('FORBIDDEN\n'))
      return (await client.get('/sender-lists')).body.items[0].id
    case 'priceList': {
      const form = fileForm(PRICES, { name: `${++unique} ${text}`.slice(0, 100) })
      return (await client.post('/price-lists', form)).body.list.id
    }
    case 'keyword': {
      const keyword = { number: OUR_NUMBERS[0], keyword: `Word${++unique}`, question: text }
      return (await client.post('/consents/keywords', keyword)).body.id
    }
    case 'operatorStop':
      if (!actor.isOperator) return undefined
      return (await client.post('/stops/operator', { recipient: phoneOf(actor, 50) })).body.id
    case 'invitation':
      return (await client.post('/people/invitations', { email: emailOf(actor, 'i'), role: 'reader' })).body.id
    case 'delivery':
      await client.put('/webhooks', { webhooks: [{ type: 'replies', url: 'https://93.184.216.34/' }] })
      return (await client.post('/webhooks/test', { type: 'replies' })).body.id
    default:
      return undefined
  }
}

async function addSender(client: ApiClient, { profileMark }: Actor): Promise<number> {
  // Whoever decides on it sees its proof.
  const { id } = (await client.post('/senders', { name: `Word${++unique}`, proof: profileMark })).body
  await client.post(`/senders/${id}/proof`, fileForm('%PDF-1.4', {}, { name: `${profileMark}.pdf` }))
  return id
}

const PRICES = 'kind,prefix,credits\nsms,*,1\nrcs_basic,*,1\nrcs_single,*,2\n'

const TABLES: Record<Reference['kind'], string> = {
  priceList: 'price_lists',
  list: 'contact_lists',
  contact: 'contacts',
  segment: 'contact_segments',
  draft: 'drafts',
  stop: 'stops',
  picture: 'pictures',
  automation: 'automations',
  trial: 'trials',
  testingTrial: 'trials',
  creditRequest: 'credit_requests',
  receivedRequest: 'credit_requests',
  cannedReply: 'canned_replies',
  autoReply: 'auto_replies',
  smsTemplate: 'templates',
  rcsTemplate: 'templates',
  template: 'templates',
  message: 'messages',
  openMessage: 'messages',
  pausedMessage: 'messages',
  departingMessage: 'messages',
  failedMessage: 'messages',
  rcsMessage: 'messages',
  delivery: 'webhook_deliveries',
  subAccount: 'accounts',
  account: 'accounts',
  person: 'memberships',
  invitation: 'invitations',
  key: 'api_keys',
  smppCredential: 'smpp_credentials',
  spareAccount: 'accounts',
  spareSubAccount: 'accounts',
  sender: 'senders',
  provenSender: 'senders',
  declaringAccount: 'accounts',
  declaringSubAccount: 'accounts',
  listEntry: 'sender_list_entries',
  keyword: 'consent_keywords',
  operatorStop: 'operator_stops'
}

function restOf(database: Database, kind: Reference['kind']) {
  if (kind === 'list') return database`and deleted_at is null`
  if (kind === 'smsTemplate') return database`and kind = 'sms'`
  if (kind === 'rcsTemplate') return database`and kind = 'rcs'`
  if (kind === 'openMessage') return database`and state = 'scheduled' and paused_at is null`
  if (kind === 'pausedMessage') return database`and state = 'scheduled' and paused_at is not null`
  if (kind === 'departingMessage') return database`and id in (select message_id from departures)`
  if (kind === 'failedMessage') return database`and failed_count > 0`
  if (kind === 'rcsMessage') return database`and channel = 'rcs'`
  if (kind === 'trial') return database`and state = 'scheduled'`
  if (kind === 'testingTrial') return database`and state = 'testing'`
  if (kind === 'creditRequest' || kind === 'receivedRequest') return database`and state = 'waiting'`
  if (kind === 'invitation') return database`and withdrawn_at is null`
  if (kind === 'key') return database`and not is_first and replaced_by is null and expires_at is null`
  if (kind === 'sender') return database`and state <> 'disabled'`
  if (kind === 'provenSender') return database`and id in (select sender_id from sender_proofs)`
  if (kind === 'declaringAccount' || kind === 'declaringSubAccount') {
    return database`and id in (select senders.account_id from senders join sender_proofs on sender_id = senders.id)`
  }
  // The accounts that ask have sent messages.
  if (kind === 'spareAccount' || kind === 'spareSubAccount') {
    return database`and not exists (select from messages where account_id = accounts.id) and not is_operator and standing = 'open'`
  }
  if (kind === 'delivery') return database`and webhook_id in (select id from webhooks where is_active)`
  return database``
}

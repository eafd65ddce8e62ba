import { strict as assert } from 'node:assert'
import type { Database } from '../../src/database/database.ts'
import { type ApiAnswer, checkAgainst } from '../service/api-client.ts'
import type { ApiDocument, Described } from './document.ts'
import type { Concrete } from './send.ts'
import { type Actor, forbiddenTo } from './world.ts'

const HEADERS_BYTES = 15_000

/** What holds for every answer, whatever was asked. */
export function checkAnswer(
  document: ApiDocument,
  { operation, request, answer }: { operation: Described; request: Concrete; answer: ApiAnswer },
  { actor, actors }: { actor: Actor; actors: readonly Actor[] }
): void {
  const what = () =>
    `${operation.id} as ${actor.name}: ${describe(request)} answered ${answer.status} ${answer.text.slice(0, 500)}`
  // Node refuses these before there is a request.
  if (answer.status === 431 && request.path.length + JSON.stringify(request.headers).length > HEADERS_BYTES) return
  assert.ok(answer.status === 200 || (answer.status >= 400 && answer.status < 500), what())
  checkAgainst(document as never, request.method, request.path, answer)
  assert.equal(request.isForeign && answer.status === 200, false, `what is somebody else’s is not there: ${what()}`)
  const asked = describe(request)
  for (const mark of SHOWN_BELOW.has(operation.id) ? [] : forbiddenTo(actor, actors)) {
    // What the request says itself may be repeated.
    assert.ok(!answer.text.includes(mark) || asked.includes(mark), `${mark} is not ${actor.name}’s to see: ${what()}`)
  }
}

/** A look is shown to everybody below its account. */
const SHOWN_BELOW = new Set(['readLook', 'changeLook', 'removeLook'])

export function describe({ method, path, headers, body }: Concrete): string {
  const { 'x-api-key': _key, ...shown } = headers
  return `${method} ${path} ${JSON.stringify(shown)} ${String(body ?? '').slice(0, 1_500)}`
}

/** All that requests may change, in one number. What workers do by themselves is left out. */
export async function fingerprint(database: Database): Promise<string> {
  const tables = TABLES.map((table) => sumOf(database, table))
  const sums = tables.reduce((all, sum) => database`${all} || ' ' || ${sum}`)
  const [row] = await database<{ sums: string }[]>`
    select ${sums}
      || ' ' || (
        select coalesce(sum(hashtextextended((to_jsonb(accounts) - 'last_login_at')::text, 0)), 0)::text from accounts
      )
      || ' ' || (
        select coalesce(sum(hashtextextended(contact_lists::text, 0)), 0)::text from contact_lists where deleted_at is null
      )
      || ' ' || (
        select coalesce(sum(hashtextextended(contacts::text, 0)), 0)::text
        from contacts
        join contact_lists on contact_lists.account_id = contacts.account_id and contact_lists.id = list_id
        where deleted_at is null
      ) as sums
  `
  return row?.sums ?? ''
}

function sumOf(database: Database, table: string) {
  const name = database(table)
  return database`(select coalesce(sum(hashtextextended(${name}::text, 0)), 0)::text from ${name})`
}

const TABLES = [
  'agent_grants',
  'agents',
  'batches',
  'consent_keywords',
  'consents',
  'confirmations',
  'credit_balances',
  'credit_entries',
  'credit_requests',
  'credit_reservations',
  'departures',
  'drafts',
  'erased_stops',
  'event_subscriptions',
  'events',
  'expiries',
  'external_ids',
  'idempotent_answers',
  'look_hosts',
  'looks',
  'message_forms',
  'messages',
  'number_grants',
  'operator_stops',
  'automation_people',
  'automation_runs',
  'automations',
  'auto_replies',
  'auto_reply_answers',
  'pictures',
  'account_price_lists',
  'carrier_costs',
  'credit_money',
  'price_lists',
  'price_versions',
  'prices',
  'rbm_events',
  'rcs_messages',
  'recipients',
  'replies',
  'scheduled_messages',
  'contact_segments',
  'sender_list_entries',
  'sender_modes',
  'sender_proofs',
  'senders',
  'short_links',
  'stops',
  'canned_replies',
  'templates',
  'timeline_steps',
  'trial_people',
  'trials',
  'webhook_deliveries',
  'webhook_secrets',
  'webhooks'
]

/** Where answers hold ids, and of which table they are. */
const RECORDS: Record<string, [table: string, pick: (body: Record<string, never>) => unknown]> = {
  listMessages: ['messages', idsOfItems],
  readMessage: ['messages', ({ id }) => id],
  cancelMessage: ['messages', ({ id }) => id],
  pauseMessage: ['messages', ({ id }) => id],
  resumeMessage: ['messages', ({ id }) => id],
  labelMessage: ['messages', ({ id }) => id],
  pageReplies: ['replies', idsOfItems],
  extractReplies: ['replies', idsOf],
  listStops: ['stops', idsOfItems],
  addStop: ['stops', ({ id }) => id],
  listConsents: ['consents', idsOfItems],
  extractConsents: ['consents', idsOf],
  listKeywords: ['consent_keywords', idsOf],
  addKeyword: ['consent_keywords', ({ id }) => id],
  listSenders: ['senders', ({ senders }) => idsOf(senders)],
  readSender: ['senders', ({ id }) => id],
  listContactLists: ['contact_lists', idsOf],
  readContactList: ['contact_lists', ({ id }) => id],
  updateContactList: ['contact_lists', ({ id }) => id],
  pageContacts: ['contacts', idsOfItems],
  extractContacts: ['contacts', idsOf],
  readContact: ['contacts', ({ id }) => id],
  updateContact: ['contacts', ({ id }) => id],
  createDraft: ['drafts', ({ id }) => id],
  listDrafts: ['drafts', idsOfItems],
  readDraft: ['drafts', ({ id }) => id],
  updateDraft: ['drafts', ({ id }) => id],
  createSegment: ['contact_segments', ({ id }) => id],
  listSegments: ['contact_segments', idsOfItems],
  readSegment: ['contact_segments', ({ id }) => id],
  updateSegment: ['contact_segments', ({ id }) => id],
  createAutomation: ['automations', ({ id }) => id],
  listAutomations: ['automations', idsOfItems],
  readAutomation: ['automations', ({ id }) => id],
  updateAutomation: ['automations', ({ id }) => id],
  createTrial: ['trials', ({ id }) => id ?? []],
  listTrials: ['trials', idsOfItems],
  readTrial: ['trials', ({ id }) => id],
  chooseVariant: ['trials', ({ id }) => id],
  cancelTrial: ['trials', ({ id }) => id],
  askForCredits: ['credit_requests', ({ id }) => id],
  listAlarms: ['alarms', idsOfItems],
  listNotices: ['notices', idsOfItems],
  listCreditRequests: ['credit_requests', idsOfItems],
  withdrawCreditRequest: ['credit_requests', ({ id }) => id],
  addPicture: ['pictures', ({ id }) => id],
  listPictures: ['pictures', idsOfItems],
  createAutoReply: ['auto_replies', ({ id }) => id],
  listAutoReplies: ['auto_replies', idsOf],
  readAutoReply: ['auto_replies', ({ id }) => id],
  updateAutoReply: ['auto_replies', ({ id }) => id],
  createCannedReply: ['canned_replies', ({ id }) => id],
  listCannedReplies: ['canned_replies', idsOf],
  readCannedReply: ['canned_replies', ({ id }) => id],
  updateCannedReply: ['canned_replies', ({ id }) => id],
  listSmsTemplates: ['templates', idsOf],
  readSmsTemplate: ['templates', ({ id }) => id],
  listRcsTemplates: ['templates', idsOf],
  readRcsTemplate: ['templates', ({ id }) => id],
  readWebhooks: ['webhooks', ({ webhooks }) => idsOf(webhooks)],
  pageDeliveries: ['webhook_deliveries', idsOfItems]
}

function idsOf(records: unknown): number[] {
  return Array.isArray(records) ? records.map(({ id }) => id) : []
}

function idsOfItems({ items }: { items?: unknown }): number[] {
  return idsOf(items)
}

/** Sees to it that what an account was answered is its own, by the ids. */
export class Ownership {
  readonly #seen = new Map<string, Set<number>>()

  note(operation: Described, actor: Actor, { status, body }: ApiAnswer): void {
    const [table, pick] = RECORDS[operation.id] ?? []
    if (!table || !pick || status !== 200 || !body) return
    const key = `${actor.account.id} ${table}`
    const ids = this.#seen.get(key) ?? new Set()
    for (const id of [pick(body)].flat() as number[]) ids.add(id)
    this.#seen.set(key, ids)
  }

  /** How many records were looked at. Those that are gone by now belong to nobody. */
  async check(database: Database): Promise<number> {
    let count = 0
    for (const [key, ids] of this.#seen) {
      const [accountId = '', table = ''] = key.split(' ')
      const others = await database`
        select id from ${database(table)} where id in ${database([...ids])} and account_id <> ${accountId}
      `
      assert.deepEqual([...others], [], `account ${accountId} saw ${table} of others`)
      count += ids.size
    }
    return count
  }
}

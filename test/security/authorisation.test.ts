import { strict as assert } from 'node:assert'
import type { Pool } from '../../src/database/database.ts'
import type { ApiAnswer, ApiClient } from '../service/api-client.ts'
import { OPERATOR_ONLY } from '../service/operator-only.ts'
import { startService, test } from '../service/service.ts'
import { type Described, readOperations } from './document.ts'
import { findRows, fingerprint } from './fingerprint.ts'
import {
  ask,
  type Body,
  type Kind,
  makeOwners,
  type Owner,
  PATH_IDS,
  REFERENCES,
  SPECIAL,
  type Things
} from './owners.ts'

/*
 * Every operation of /openapi.json, asked by every kind of account for what belongs to every other. What an operation takes
 * is read from the document; here stands only what each name means. A name or a path that is not here fails the test.
 */

/**
 * These refer to nothing that is stored for an account, or (`external_id`, `Idempotency-Key`) only to one's own. For
 * `replaces`, `draft` and `confirmation`, replace.test.ts, drafts.test.ts and confirmations.test.ts of src/sends ask for what
 * is a stranger's: one's own can be taken only once.
 */
const PLAIN = new Set(
  `path month name agent passkey_id version; header Idempotency-Key X-Goog-Signature;
  query check open by period kind name country before person key operation object_kind object_id sends all page limit search state channel from to deliver type status types wait subscribe standing sort direction resumeBefore confirmation msgType category sender agent tag closed unread assigned_to time_zone language;
  header Authorization;
  body read closed system_id binds window throughput email password current_password first_name last_name phone_number social_reason time_zone country settings in_doubt
  hours_end sundays_and_holidays typography sender calendar balance_alert_sms balance_alert_rcs requests_per_second
  credits_per_day messages_per_number countries sub_accounts people keys firstName lastName phoneNumber credits_mode credits msgType name contacts tel champ_nom
  champ_prenom champ_mail champ_adresse champ_cp champ_date champ_ville champ_perso1 champ_perso2 champ_perso3 champ_perso4
  champ_perso5 champ_perso6 champ_perso7 champ_perso8 champ_perso9 champ_perso10 file mapping errors recipient recipients content type
  data text choices title url label latitude longitude cards description media_message_url fallback shorturl mode external_id
  scheduleAt deadline validity priority flash binary encoding udh category message_type scheduledate scheduletime message clientToken secret webhooks method active batch_size since standing reason note scopes addresses expires_at overlap_seconds code passkey ticket id rawId
  authenticatorAttachment clientExtensionResults response clientDataJSON authenticatorData signature userHandle
  attestationObject transports is_required role token language access agent consent marketing_cap
  match rules field op value event days days_before keywords pause_seconds marketing_cap_days consents purpose source given_at wording proof number keyword question confirmation use link state from accounts channel tags replaces expected_credits spread per_hour minutes draft fields version schedule is_on once sms rcs sending before limit
  share decide_by decide_after_minutes variants variant is_default valid_from price currency colour logo console_host link_host`
    .split(';')
    .flatMap((group) => {
      const [place, ...names] = group.trim().split(/\s+/)
      return names.map((name) => `${place} ${name}`)
    })
)

/** Only for accounts of their own. */
const NOT_FOR_SUB_ACCOUNTS = ['createSubAccount', 'changeLook', 'removeLook']
/** The operator has nobody to ask. */
const NOT_FOR_OPERATOR = ['askForCredits']
/** They tell who an account is, to whoever is above it. */
const TELLS_ACCOUNTS = [
  'listSubAccounts',
  'pageSubAccounts',
  'extractSubAccounts',
  'listAccounts',
  'extractAccounts',
  'pageSenderRequests',
  'extractMargins',
  'listCreditPrices',
  'listPricedAccounts',
  'listReceivedRequests',
  'answerCreditRequest',
  'readStatement'
]
/** It would take the first key from an account that asks later. */
const ENDS_KEY_BELOW = 'renewSubAccountKey'
/** Only for people, who have a token. */
const NEEDS_PERSON = ['viewAccount', 'viewSubAccount']
/** Not asked: log-in, links and carriers prove themselves otherwise, a stream does not end, and log-out takes nothing but a token. */
const LEFT_OUT = [
  'login',
  'logout',
  'receiveHttpReceipts',
  'receiveHttpReplies',
  'receiveRbmEvent',
  'streamEvents',
  // A person’s own, with a token and a password: src/second-factors has their tests, with another person’s passkey.
  'beginPasskeyLogin',
  'readSignOn',
  'openSignOnSession',
  'readSecondFactor',
  'beginTotp',
  'confirmTotp',
  'removeTotp',
  'renewRecoveryCodes',
  'beginPasskey',
  'addPasskey',
  'removePasskey',
  'requireSecondFactor',
  // By a mailed link: src/invitations and src/people have their tests. The only owner can’t leave.
  'forgotPassword',
  'resetPassword',
  'lookAtInvitation',
  'acceptInvitation',
  'joinAccount',
  'leaveAccount',
  // For a person of an account below, with a token and a password: src/accounts/managed-people.test.ts.
  'resetAccountPassword',
  'resetSubAccountPassword',
  'removeAccountFactor',
  'removeSubAccountFactor',
  // It is there to show the operator what all accounts have: src/support/support.test.ts.
  'lookUpNumber',
  // They take the sandbox’s agent from all others. test/journeys/rcs-agents asks for what is another account’s.
  'changeAgent',
  'grantAgent',
  'revokeAgent'
]
/** Only for a person who is logged in. */
const FOR_PEOPLE = [
  'switchAccount',
  'listMyAccounts',
  'listMySessions',
  'endSession',
  'endOtherSessions',
  'markNoticesRead'
]
/** What somebody else's narrows down to nothing, instead of being refused. */
const NARROWS: Kind[] = ['cursor', 'number']
/** They refuse a number without a consent or a reply, whoever else has one. */
const REFUSE_NUMBERS = ['withdrawConsent', 'updateConversation']
/** A virtual phone is nobody's, as the phone of a customer's customer is: whoever has it writes to whom they like. */
const WRITES_FROM_ANY_PHONE = 'replyFromPhone'

/** A trail, and the routes of an account, are also the parent's to read. */
const OF_THE_PARENT = [
  'listStatements',
  'readStatement',
  'extractStatement',
  'extractCreditUses',
  'pageAudit',
  'extractAudit',
  'explainRoute'
]

/** What would take from the others what they need comes last, in this order. */
const LAST = [
  'deleteKey',
  'deleteSmppCredential',
  'replaceWebhooks',
  'cancelMessage',
  'deleteContact',
  'deleteSegment',
  'deleteDraft',
  'deleteStop',
  'deleteOperatorStop',
  'withdrawConsent',
  'deleteKeyword',
  'deleteAnyKeyword',
  'deleteTemplate',
  'deletePicture',
  'deleteAutomation',
  'cancelTrial',
  'answerCreditRequest',
  'withdrawCreditRequest',
  'deleteCannedReply',
  'deleteAutoReply',
  'eraseNumber',
  'withdrawInvitation',
  'removePerson',
  'withdrawSender',
  'deleteSenderListEntry',
  'endSession',
  'endOtherSessions'
]
const VERY_LAST = ['deleteContactList', 'changeMe', 'rotateApiKey', 'renewAccountKey', 'renewSubAccountKey']

/** To read all tables takes longer than the requests of an operation. */
const CHECKED_TOGETHER = 10

test('every operation, asked for what is another account’s, answers 404, tells nothing of it and changes nothing', async (t) => {
  const service = await startService(t, {
    settings: { CHAPPE_ROLES: 'api,delivery', CHAPPE_WEBHOOK_ALLOW_PRIVATE: 'true' }
  })
  const operations = await readOperations(service.url)
  const owners = await makeOwners(service)
  const FORMS = ['a token', 'a key', 'a pair']
  const callers = owners.filter(({ name }) => ['operator', 'parent', 'child', 'stranger'].includes(name))
  let asked = 0
  const refused = new Set<string>()
  const before = await fingerprint(service.pool)
  let unchecked: string[] = []
  const checkUnchanged = async () => {
    assert.deepEqual(await fingerprint(service.pool), before, `something was changed by ${unchecked.join(' or ')}`)
    unchecked = []
  }

  for (const operation of operations) {
    const references = referencesOf(operation)
    if (LEFT_OUT.includes(operation.id) || operation.id === WRITES_FROM_ANY_PHONE) continue
    // Of several references also all at once: a pair that fits together is another thing than one that does not.
    const combinations = [...references.map((kind) => [kind]), ...(references.length > 1 ? [references] : [])]
    await Promise.all(
      callers.map(async (caller) => {
        const isForbidden = isForbiddenTo(operation, caller)
        // Every account is the operator's to change and to read, and so are its lists.
        const isOfOperator = (['account', 'operatorStop', 'operatorKeyword', 'listEntry'] as const).some((kind) =>
          references.includes(kind)
        )
        if (isOfOperator && caller.name === 'operator') return
        let turn = 0
        for (const kinds of combinations) {
          for (const other of othersOf(kinds, caller, owners)) {
            if (OF_THE_PARENT.includes(operation.id) && isBelow(other.name, caller, owners)) continue
            const taken = Object.fromEntries(kinds.map((kind) => [kind, other.things[kind]]))
            // Turn about: each form is used by each caller on each operation.
            const [form = '', client] = Object.entries(caller.forms)[turn++ % 3] ?? []
            const answer = await ask(client as ApiClient, operation, {
              things: { ...caller.things, ...taken },
              own: caller.things
            })
            const whose = `${kinds.join(', ')} of the ${other.name}`
            const what = `${operation.id} by the ${caller.name} with ${form}, ${whose}: ${answer.status} ${answer.text}`
            const isNarrowed =
              !REFUSE_NUMBERS.includes(operation.id) &&
              kinds.some((kind) => NARROWS.includes(kind) || operation.inputs.has(`query ${kind}_id`))
            const isForPeople = FOR_PEOPLE.includes(operation.id) && form !== 'a token'
            assert.equal(answer.status, isForbidden || isForPeople ? 403 : isNarrowed ? 200 : 404, what)
            tellsNothingOf(answer, owners, caller, operation, what)
            refused.add(`${operation.id} with ${form}`)
            asked++
          }
        }
      })
    )
    if (references.length > 0) unchecked.push(operation.id)
    if (unchecked.length === CHECKED_TOGETHER) await checkUnchanged()
  }
  await checkUnchanged()
  const takers = operations.filter(
    (operation) => referencesOf(operation).length > 0 && !LEFT_OUT.includes(operation.id)
  )
  for (const { id } of takers.filter(({ id }) => id !== WRITES_FROM_ANY_PHONE)) {
    for (const form of FORMS) assert.ok(refused.has(`${id} with ${form}`), `${id} was never asked with ${form}`)
  }
  t.diagnostic(`${operations.length} operations, ${takers.length} of them with references, ${asked} requests`)
  assert.ok(asked > 1_000)

  await t.test(
    'and for one’s own answers 200, with nothing of anybody else in it, and ignores what it does not take',
    async () => {
      const accounts = await service.pool`select max(id)::int as newest from accounts`

      const place = ({ id }: Described) => (VERY_LAST.indexOf(id) + 1) * 1_000 + (LAST.indexOf(id) + 1) * 10
      const order = operations
        .filter(({ id }) => !LEFT_OUT.includes(id))
        .toSorted((a, b) => place(a) - place(b) || Number(a.method !== 'get') - Number(b.method !== 'get'))
      for (const [index, caller] of callers.entries()) {
        for (const [turn, operation] of order.entries()) {
          if (operation.id === ENDS_KEY_BELOW && caller.parent === undefined) continue
          const names = Object.keys(caller.forms)
          // Turn about: each form opens each operation for some caller. The key ends with its rotation, which is last; a token would ask for the password.
          const only =
            operation.id === 'rotateApiKey'
              ? 'a key'
              : [...FOR_PEOPLE, ...NEEDS_PERSON, 'renewAccountKey', 'renewSubAccountKey'].includes(operation.id)
                ? 'a token'
                : undefined
          const form = only ?? names[(turn + index) % names.length]
          const client = caller.forms[form ?? ''] as ApiClient
          const isSub = caller.parent !== undefined
          const isForbidden = isForbiddenTo(operation, caller)
          const references = referencesOf(operation)
          const isNobody = isSub && (references.includes('subAccount') || references.includes('receivedRequest'))
          const entriesBefore = await countEntries(service.pool)
          const asking = { things: caller.things, own: caller.things }
          const planted = await ask(client, operation, {
            ...asking,
            change: (body) => plant(body, operation) as Body
          })
          const isStrict = REFUSES_UNKNOWN.includes(operation.id)
          if (isStrict) assert.equal(planted.status, 400, `${operation.id} by the ${caller.name}: ${planted.text}`)
          const answer = isStrict ? await ask(client, operation, asking) : planted
          const what = `${operation.id} by the ${caller.name}: ${answer.status} ${answer.text.slice(0, 500)}`
          assert.equal(answer.status, isForbidden ? 403 : isNobody ? 404 : 200, what)
          tellsNothingOf(answer, owners, caller, operation, what)
          assert.doesNotMatch(answer.text, PLANTED_TRACE, what)
          const isAct = operation.method !== 'get' && answer.status === 200 && !(operation.id in LEAVES_NO_ENTRY)
          const entries = (await countEntries(service.pool)) - entriesBefore
          assert.equal(entries, isAct ? 1 : 0, `${entries} entries of the audit trail for ${what}`)
        }
      }
      for (const { name, rows } of await findRows(service.pool, ['planted', String(PLANTED_NUMBER), '2001-02-03'])) {
        assert.equal(rows.length, 0, `something planted is stored in ${name}: ${rows[0]?.slice(0, 300)}`)
      }
      const [{ newest = 0 } = {}] = accounts
      const made = await service.pool`
      select is_operator, credits_mode, token_version,
        (select coalesce(sum(available), 0)::int from credit_balances where account_id = accounts.id) as credits
      from accounts join people on people.id = holder_id where accounts.id > ${newest}
    `
      assert.equal(made.length, 4, 'three sub-accounts, and an account by the operator')
      for (const account of made) {
        assert.deepEqual({ ...account }, { isOperator: false, creditsMode: 'self', tokenVersion: 1, credits: 0 })
      }
      assert.equal((await service.pool`select from accounts where is_operator`).length, 1)
    }
  )
})

/** They refuse what they do not take, instead of ignoring it: a misspelt limit would be removed. */
const REFUSES_UNKNOWN = ['changeAccountLimits', 'changeSubAccountLimits']

/** What changes nothing that is an account's, and so leaves no entry in its audit trail. */
const LEAVES_NO_ENTRY: Record<string, string> = {
  countRules: 'It counts, and stores nothing.',
  listContactNames: 'It reads names, and stores nothing.',
  markNoticesRead: 'It is a person’s own mark.',
  previewContacts: 'It reads a file and stores nothing.',
  replyFromPhone: 'A virtual phone writes, not the account.',
  updateDraft: 'A draft saves itself while it is written. Its send leaves an entry.'
}

async function countEntries(pool: Pool): Promise<number> {
  const [row] = await pool<[{ count: number }]>`select count(*) from audit_entries`
  return row.count
}

const PLANTED_NUMBER = 987_654_321
const PLANTED_TRACE = /planted|987654321|2001-02-03/

/** What somebody would like to set and may not: columns of ours, and fields that other operations have. */
const PLANTED: Record<string, unknown> = {
  id: PLANTED_NUMBER,
  account_id: PLANTED_NUMBER,
  accountId: PLANTED_NUMBER,
  subaccount_id: PLANTED_NUMBER,
  parent_id: PLANTED_NUMBER,
  parentId: PLANTED_NUMBER,
  is_operator: true,
  isOperator: true,
  role: 'planted',
  credits: PLANTED_NUMBER,
  credits_mode: 'parent',
  credits_used: PLANTED_NUMBER,
  price: 0,
  token_version: PLANTED_NUMBER,
  password_hash: 'planted',
  api_key_hash: 'planted',
  appId: 'planted',
  apikey: 'planted',
  secret: 'planted',
  state: 'planted',
  deliver: 1,
  isModel: 'planted',
  contacts_count: PLANTED_NUMBER,
  is_stop: true,
  disabled_reason: 'planted',
  last_status: PLANTED_NUMBER,
  created_at: '2001-02-03T04:05:06.000Z',
  constructor: 'planted'
}

/** The body with all of that besides, at every depth. What it may hold by any name, variables and a mapping, stays as it is. */
function plant(value: unknown, operation: Described, name = ''): unknown {
  if (name === 'mapping' || name === 'recipients') return value
  if (Array.isArray(value)) return value.map((one) => plant(one, operation, name))
  if (typeof value !== 'object' || value === null) return value
  const extras = Object.entries(PLANTED).filter(([name]) => !operation.inputs.has(`body ${name}`))
  const kept = Object.entries(value).map(([name, inner]) => [name, plant(inner, operation, name)])
  return Object.fromEntries([...extras, ...kept])
}

test('an event stream that goes on after another account’s position tells only one’s own', async (t) => {
  const { newAccount, url } = await startService(t)
  const [mine, other] = [await newAccount(), await newAccount()]
  for (const account of [mine, other]) await account.expect(200).get('/events')
  await other.expect(200).post('/stops', { recipient: '0639980001' })
  const { next } = (await other.expect(200).get('/events')).body
  await other.expect(200).post('/stops', { recipient: '0639980002' })
  await mine.expect(200).post('/stops', { recipient: '0639980003' })
  for (const from of [{}, { 'last-event-id': next as string }]) {
    const gone = new AbortController()
    const { body } = await fetch(`${url}/events/stream`, {
      headers: { 'x-api-key': mine.apiKey, ...from },
      signal: gone.signal
    })
    let seen = ''
    for await (const piece of body as ReadableStream<Uint8Array>) {
      seen += Buffer.from(piece).toString()
      if (seen.includes('+33639980003')) break
    }
    gone.abort()
    assert.doesNotMatch(seen, /\+3363998000[12]/)
  }
})

/** What a request of this operation refers to; a name that nobody has thought about is a failure. */
function referencesOf(operation: Described): Kind[] {
  const kinds: Kind[] = []
  for (const input of operation.inputs) {
    if (PLAIN.has(input)) continue
    const kind = input === 'path id' ? PATH_IDS[operation.path.split('{')[0] ?? ''] : REFERENCES[input]
    assert.ok(
      kind,
      `${operation.id} takes "${input}", and this test does not know whether that is another’s to ask for`
    )
    kinds.push(SPECIAL[operation.id]?.[kind] ?? kind)
  }
  return [...new Set(kinds)]
}

function isForbiddenTo({ id }: Described, { account, parent }: Owner): boolean {
  if (OPERATOR_ONLY.has(id)) return account.appId !== 'app-op'
  if (NOT_FOR_OPERATOR.includes(id)) return account.appId === 'app-op'
  return NOT_FOR_SUB_ACCOUNTS.includes(id) && parent !== undefined
}

/** Whose things a caller must not reach: everybody else's. An account is reached by the one above it, and by nobody else. */
function othersOf(kinds: Kind[], caller: Owner, owners: Owner[]): { name: string; things: Things }[] {
  if (kinds.includes('receivedRequest')) {
    // The operator answers accounts that have none above.
    return owners
      .filter(({ parent }) => parent !== caller && (parent !== undefined || caller.account.appId !== 'app-op'))
      .map(({ name, things }) => ({ name, things: { ...things, receivedRequest: things.creditRequest } }))
  }
  if (!kinds.includes('subAccount') && !kinds.includes('subSender')) return owners.filter((owner) => owner !== caller)
  return owners
    .filter(({ parent }) => parent !== caller)
    .map(({ name, things }) => ({ name, things: { ...things, subAccount: things.account, subSender: things.sender } }))
}

function isBelow(name: string, caller: Owner, owners: Owner[]): boolean {
  return owners.some((owner) => owner.name === name && owner.parent === caller)
}

function tellsNothingOf(answer: ApiAnswer, owners: Owner[], caller: Owner, operation: Described, what: string): void {
  const isAboutAccounts = TELLS_ACCOUNTS.includes(operation.id) || operation.path.startsWith('/subaccount/')
  for (const owner of owners) {
    if (owner === caller) continue
    assert.ok(!answer.text.includes(owner.mark), `something of the ${owner.name} in ${what}`)
    const isAbove = owner.parent === caller || caller.account.appId === 'app-op'
    if (isAboutAccounts && isAbove) continue
    assert.ok(!answer.text.includes(owner.accountMark), `the ${owner.name} in ${what}`)
    assert.ok(!answer.text.includes(owner.account.email), `the email of the ${owner.name} in ${what}`)
  }
}

import { strict as assert } from 'node:assert'
import { eventually } from '../checks/eventually.ts'
import { untilSummary } from '../messages/sending.ts'
import type { ApiAnswer, ApiClient } from '../service/api-client.ts'
import { fileForm } from '../service/file-form.ts'
import { addPerson, logIn } from '../service/people.ts'
import type { TestAccount, TestService } from '../service/service.ts'
import type { Described } from './document.ts'

/*
 * Accounts that have one of everything, and requests of every operation for what they have. What an operation takes is read
 * from the reference; here stands what each name means.
 */

/** What an account owns, as one asks for it. */
export interface Things {
  list: number
  contact: number
  segment: number
  /** One that no message waits for: only such a one is deleted. */
  spareSegment: number
  draft: number
  stop: number
  keyword: number
  operatorStop: number
  /** Another keyword of the account, for the operator to delete. */
  operatorKeyword: number
  picture: number
  automation: number
  trial: number
  /** A request for credits of the account. */
  creditRequest: number
  /** One of the account below; of one that has none below, its own. */
  receivedRequest: number
  /** One that waits for a choice. */
  testingTrial: number
  cannedReply: number
  autoReply: number
  smsTemplate: number
  rcsTemplate: number
  /** An SMS that has left, and failed for one recipient. */
  message: number
  recipient: number
  scheduled: number
  /** A scheduled message to a segment. */
  departing: number
  /** A scheduled message that is paused. */
  paused: number
  rcsMessage: number
  delivery: number
  cursor: string
  number: string
  /** An account below this one; of one that can have none, itself. */
  subAccount: number
  account: number
  key: number
  smppCredential: number
  person: number
  invitation: number
  session: string
  /** Of the person who holds the account. */
  password: string
  sender: number
  /** A sender of the account below; of one that has none below, its own. */
  subSender: number
  /** The operator’s lists are nobody else’s: the same for all. */
  listEntry: number
  priceList: number
}
export type Kind = keyof Things

/** What `{id}` is, by what stands before it. */
export const PATH_IDS: Record<string, Kind> = {
  '/subaccount/': 'subAccount',
  '/accounts/': 'account',
  '/agents/': 'subAccount',
  '/keys/': 'key',
  '/smpp/credentials/': 'smppCredential',
  '/contactlists/': 'list',
  '/contacts/': 'contact',
  '/segments/': 'segment',
  '/drafts/': 'draft',
  '/stops/': 'stop',
  '/stops/operator/': 'operatorStop',
  '/consents/keywords/': 'keyword',
  '/consent-keywords/': 'operatorKeyword',
  '/pictures/': 'picture',
  '/automations/': 'automation',
  '/trials/': 'trial',
  '/credit-requests/': 'creditRequest',
  '/credit-requests/received/': 'receivedRequest',
  '/canned-replies/': 'cannedReply',
  '/auto-replies/': 'autoReply',
  '/models/': 'smsTemplate',
  '/models/rcs/': 'rcsTemplate',
  '/messages/': 'message',
  '/webhooks/deliveries/': 'delivery',
  '/people/': 'person',
  '/people/invitations/': 'invitation',
  '/senders/': 'sender',
  '/sender-lists/': 'listEntry',
  '/price-lists/': 'priceList'
}

/** Where an operation wants another of its kind, or it would be refused for its state. */
export const SPECIAL: Record<string, Partial<Record<Kind, Kind>>> = {
  cancelMessage: { message: 'scheduled' },
  pauseMessage: { message: 'scheduled' },
  resumeMessage: { message: 'paused' },
  readMessageForm: { message: 'scheduled' },
  readMessageDeparture: { message: 'departing' },
  deleteSegment: { segment: 'spareSegment' },
  chooseVariant: { trial: 'testingTrial' },
  extractRcsRecipients: { message: 'rcsMessage' },
  pageRcsRecipients: { message: 'rcsMessage' },
  readRcsMessage: { message: 'rcsMessage' },
  sendRcs: { smsTemplate: 'rcsTemplate' },
  sendRcsFile: { smsTemplate: 'rcsTemplate' },
  decideSubAccountSender: { sender: 'subSender' },
  readSubAccountSenderProof: { sender: 'subSender' }
}

/** The other names that refer to something of an account. */
export const REFERENCES: Record<string, Kind> = {
  'path recipient_id': 'recipient',
  'path number': 'number',
  'path session': 'session',
  'path person_id': 'person',
  'path sender_id': 'sender',
  'query message_id': 'message',
  'query messages': 'message',
  'query recipient': 'number',
  'query after': 'cursor',
  'query account': 'account',
  'header Last-Event-ID': 'cursor',
  'body contactlist_id': 'list',
  'body contactlist': 'list',
  'body list_id': 'list',
  'body numbers': 'number',
  'body segments': 'segment',
  'body message_id': 'message',
  'body model_id': 'smsTemplate',
  'body account_id': 'account',
  'body assigned_to': 'person',
  'body price_list': 'priceList'
}

const LATER = new Date(Date.now() + 30 * 86_400_000).toISOString()

/** Bodies that are accepted, with the things of whoever asks. Those not here are the reference's examples. */
export type Body = Record<string, unknown>

let systemIds = 0

export const BODIES: Record<string, (things: Things, own: Things) => Body> = {
  changeMe: () => ({ first_name: 'Léa' }),
  invitePerson: () => ({ email: newEmail(), role: 'reader' }),
  switchAccount: ({ account }) => ({ account_id: account }),
  createSubAccount: () => ({ email: newEmail(), password: 'long enough' }),
  createAccount: () => ({ email: newEmail(), password: 'long enough' }),
  adjustAccountCredits: () => ({ credits: 1 }),
  createKey: (_, own) => ({ name: 'Another', scopes: ['read'], current_password: own.password }),
  changeKey: () => ({ name: 'Another' }),
  rotateKey: (_, own) => ({ current_password: own.password }),
  createSmppCredential: (_, own) => ({ system_id: `x${++systemIds}`, name: 'Another', current_password: own.password }),
  changeSmppCredential: () => ({ name: 'Another' }),
  rotateSmppCredential: (_, own) => ({ current_password: own.password }),
  renewAccountKey: (_, own) => ({ current_password: own.password }),
  renewSubAccountKey: (_, own) => ({ current_password: own.password }),
  // Whoever is limited goes on asking, fast.
  changeAccountLimits: () => ({ requests_per_second: 1_000, countries: ['FR', 'BE'] }),
  changeSubAccountLimits: () => ({ requests_per_second: 1_000, countries: ['FR', 'BE'] }),
  changeAccountStanding: () => ({ standing: 'open' }),
  changeSubAccountStanding: () => ({ standing: 'open' }),
  addSubAccountCredits: () => ({ credits: 1 }),
  removeSubAccountCredits: () => ({ credits: 1 }),
  // With the credits of the account above, it would have none to ask for.
  changeCreditsMode: () => ({ credits_mode: 'self' }),
  askForCredits: () => ({ credits: 1 }),
  answerCreditRequest: () => ({ state: 'given' }),
  addContacts: ({ list }) => ({ contactlist_id: list, contacts: [{ tel: '0639985001' }] }),
  importContacts: ({ list }) => ({ contactlist_id: list }),
  createAutomation: ({ list, segment, smsTemplate }, own) => automationOf({ list, segment, smsTemplate }, own),
  updateAutomation: ({ list, segment, smsTemplate }, own) => automationOf({ list, segment, smsTemplate }, own),
  createTrial: ({ list, segment, smsTemplate }, own) => trialOf({ list, segment, smsTemplate }, own),
  chooseVariant: () => ({ variant: 'B' }),
  createSegment: ({ list, message }) => ({ name: 'Another', ...rulesAbout(list, message) }),
  updateSegment: ({ list, message }) => ({ name: 'Another', ...rulesAbout(list, message) }),
  createDraft: () => ({ name: 'Another', channel: 'sms', fields: { content: 'Bonjour' } }),
  updateDraft: () => ({ name: 'Another', channel: 'sms', fields: { content: 'Bonjour' }, version: 1 }),
  listContactNames: ({ number }) => ({ numbers: [number] }),
  countRules: ({ list, message }) => rulesAbout(list, message),
  updateConversation: ({ person }) => ({ closed: true, assigned_to: person }),
  addKeyword: () => ({ number: '36111', keyword: `N${++words}`, question: 'Oui ?' }),
  withdrawConsent: () => ({}),
  updateContact: () => ({ champ_ville: 'Lyon' }),
  sendSms: ({ smsTemplate }) => ({ recipients: ['0639985002'], model_id: smsTemplate, scheduleAt: LATER }),
  sendSmsOldWay: ({ smsTemplate }) => ({ recipients: ['0639985002'], model_id: smsTemplate, scheduleAt: LATER }),
  sendSmsDynamic: ({ smsTemplate }) => ({
    recipients: [{ recipient: '0639985002' }],
    model_id: smsTemplate,
    scheduleAt: LATER
  }),
  sendSmsFile: ({ smsTemplate }) => ({ model_id: smsTemplate, scheduleAt: LATER }),
  // One's own list besides: the other's must not slip in behind it.
  sendSmsToLists: ({ list, segment, smsTemplate }, own) => ({
    contactlist: [own.list, list],
    segments: [own.segment, segment],
    model_id: smsTemplate,
    scheduleAt: LATER
  }),
  sendSmsToListsOldWay: ({ list, segment, smsTemplate }, own) => ({
    contactlist: [own.list, String(list)],
    segments: [segment],
    model_id: smsTemplate,
    scheduleAt: LATER
  }),
  sendRcsFile: ({ rcsTemplate }) => ({ model_id: rcsTemplate, scheduleAt: LATER }),
  sendRcs: ({ list, segment, rcsTemplate }, own) => ({
    contactlist: [own.list, list],
    segments: [own.segment, segment],
    model_id: rcsTemplate,
    scheduleAt: LATER
  }),
  changeAccountSenderMode: () => ({ mode: null }),
  changeSubAccountSenderMode: () => ({ mode: null }),
  changeLook: () => ({ name: 'Agence', colour: null }),
  changeAccountHosts: () => ({ console_host: null, link_host: null }),
  declareSender: () => ({ name: newSender() }),
  createPriceList: () => ({ name: `List ${++lists}` }),
  followPriceList: () => ({}),
  changePriceList: () => ({ name: `List ${++lists}` }),
  setAccountPriceList: (_, own) => ({ price_list: own.priceList }),
  setSubAccountPriceList: ({ priceList }) => ({ price_list: priceList }),
  grantNumber: () => ({ number: '36111', accounts: [] }),
  replaceWebhooks: () => ({ webhooks: [{ type: 'stops', url: 'http://127.0.0.1:9/own' }] }),
  testWebhook: () => ({ type: 'stops' }),
  replayDeliveries: () => ({ since: new Date(0).toISOString() }),
  replyFromPhone: () => ({ content: 'Merci' })
}

const rulesAbout = (list_id: number, message_id: number) => ({
  match: 'any',
  rules: [
    { type: 'list', op: 'in', list_id },
    { type: 'event', event: 'written', op: 'happened', message_id }
  ]
})

let words = 0
let lists = 0
let emails = 0
function newEmail(): string {
  emails++
  return `matrix${emails}@test.example`
}

let senders = 0
/** Names that no two of look alike. */
function newSender(): string {
  senders++
  return `M${String.fromCharCode(64 + senders).repeat(6)}`
}

/** One that is off: it must not send while others are asked. */
function automationOf({ list, segment, smsTemplate }: Pick<Things, 'list' | 'segment' | 'smsTemplate'>, own: Things) {
  const to = { contactlist: [own.list, list], segments: [own.segment, segment] }
  return { name: 'Another', schedule: '0 10 * * *', is_on: false, ...to, sms: { model_id: smsTemplate } }
}

/** One that begins later: it must not send while others are asked. */
function trialOf({ list, segment, smsTemplate }: Pick<Things, 'list' | 'segment' | 'smsTemplate'>, own: Things) {
  const to = { contactlist: [own.list, list], segments: [own.segment, segment], scheduleAt: LATER }
  const variants = [{ sms: { model_id: smsTemplate } }, { sms: { content: 'Bonjour' } }]
  return { name: 'Another', decide_by: 'hand', ...to, variants }
}

const PRICES = 'kind,prefix,credits\nsms,*,1\nrcs_basic,*,1\nrcs_single,*,1\n'

/** The files that an operation takes, where a list of numbers is none. */
const FILES: Record<string, string> = {
  addSenderProof: '%PDF-1.4',
  addPicture: 'GIF89a\x01\0\x01\0\0\0\0;',
  importSenderList: 'name;kind\nPOSTBOX;forbidden\n',
  createPriceList: PRICES,
  importCarrierCosts: 'carrier,channel,prefix,cost,currency\nsandbox,sms,*,0.03,EUR\n',
  followPriceList: PRICES
}

export interface Owner {
  name: string
  account: TestAccount
  parent: Owner | undefined
  things: Things
  /** The same account by each of the three forms of credentials. */
  forms: Record<string, ApiClient>
  /** Stands in everything that it has stored. */
  mark: string
  /** Stands in what is told about the account itself. */
  accountMark: string
}

/** Asks for these things. `change` makes another body of the one that is right. */
export function ask(
  client: ApiClient,
  operation: Described,
  { things, own, change = (body) => body }: { things: Things; own: Things; change?(body: Body): Body }
): Promise<ApiAnswer> {
  const kindOf = (kind: Kind) => things[SPECIAL[operation.id]?.[kind] ?? kind]
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    if (name === 'month') return new Date().toISOString().slice(0, 7)
    if (name === 'agent') return 'sandbox-rcs'
    if (name === 'version') return '1'
    if (name === 'name') return 'sandbox' // Of a carrier: the one there is.
    const kind = name === 'id' ? PATH_IDS[operation.path.split('{')[0] ?? ''] : REFERENCES[`path ${name}`]
    return encodeURIComponent(String(kindOf(kind as Kind)))
  })
  const query = new URLSearchParams(operation.inputs.has('query limit') ? { limit: '1000' } : {})
  if (operation.inputs.has('query message_id')) query.set('message_id', String(things.message))
  if (operation.inputs.has('query messages')) query.set('messages', String(things.message))
  if (operation.inputs.has('query after')) query.set('after', things.cursor)
  if (operation.inputs.has('query name')) query.set('name', 'MYSHOP')
  if (operation.inputs.has('query account')) query.set('account', String(things.account))
  if (operation.id === 'explainRoute') query.set('to', '+33639985002')
  const address = query.size > 0 ? `${path}?${query}` : path
  if (operation.method === 'get' || operation.method === 'delete') return client[operation.method](address)
  const hasBody = [...operation.inputs].some((input) => input.startsWith('body '))
  const body = hasBody ? change(BODIES[operation.id]?.(things, own) ?? operation.example ?? {}) : undefined
  if (!operation.isMultipart) return client[operation.method](address, body)
  const parts = Object.fromEntries(Object.entries(body ?? {}).map(([name, value]) => [name, String(value)]))
  const number = /^import\w*Stops$/.test(operation.id) ? '0639985004' : '0639985003'
  return client.post(address, fileForm(FILES[operation.id] ?? `recipient\n${number}\n`, parts))
}

/** Six accounts: the operator, an account with two below it, a stranger with one. */
export async function makeOwners(service: TestService): Promise<Owner[]> {
  const [operator, parent, stranger] = await Promise.all([
    makeOwner(service, 'operator', service.operator),
    service.newAccount({ credits: 1_000 }).then((account) => makeOwner(service, 'parent', account)),
    service.newAccount({ credits: 1_000 }).then((account) => makeOwner(service, 'stranger', account))
  ])
  const below = async (above: Owner, name: string) => {
    const account = await above.account.newSubAccount({ credits: 100 })
    await above.account.expect(200).put(`/subaccount/${account.id}/credits/add`, { credits: 100, msgType: 2 })
    const owner = await makeOwner(service, name, account, above)
    // Together: two accounts are made below the parent at once.
    const { id: receivedRequest } = (await account.expect(200).post('/credit-requests', { credits: 1 })).body
    Object.assign(above.things, { subAccount: account.id, subSender: owner.things.sender, receivedRequest })
    return owner
  }
  const accountsBelow = await Promise.all([
    below(parent, 'child'),
    below(parent, 'sibling'),
    below(stranger, 'stranger’s child'),
    below(operator, 'operator’s child')
  ])
  return [operator, parent, stranger, ...accountsBelow]
}

/** A second person and an invitation, and a second session of the first person. */
async function makePeople(
  service: TestService,
  account: TestAccount
): Promise<Pick<Things, 'person' | 'invitation' | 'session'>> {
  const { email, password } = account
  const { id: person } = await addPerson(service, { accountId: account.id, role: 'reader' })
  const invited = { email: newEmail(), role: 'reader' }
  const { body: invitation } = await account.expect(200).post('/people/invitations', invited)
  const other = await logIn(service, { email, password })
  const { body: sessions } = await other.expect(200).get('/users/me/sessions')
  const { id: session } = sessions.find((each: { is_current: boolean }) => each.is_current)
  return { person, invitation: invitation.id, session }
}

let hundreds = 60

/** The one entry of the operator’s lists. */
async function makeListEntry({ operator }: TestService): Promise<number> {
  await operator.expect(200).post('/sender-lists/file', fileForm('name;kind\nFORBIDDEN;forbidden\n'))
  return (await operator.expect(200).get('/sender-lists')).body.items[0].id
}

/** The operator asks nobody: its own is put into the table. */
async function makeCreditRequest({ operator, pool }: TestService, account: TestAccount): Promise<number> {
  if (account.id !== operator.id) return (await account.expect(200).post('/credit-requests', { credits: 1 })).body.id
  const [row] = await pool<[{ id: number }]>`
    insert into credit_requests (account_id, id, asked_id, message_type, amount, note)
    values (${account.id}, nextval('credit_request_ids'), ${account.id}, 1, 1, '')
    returning id
  `
  return row.id
}

async function makeOwner(service: TestService, name: string, account: TestAccount, parent?: Owner): Promise<Owner> {
  const word = name.replaceAll(/\W/g, '')
  const mark = `only-${word}.`
  const accountMark = `account-${word}.`
  const client = account.expect(200)
  // A hundred virtual phones of its own.
  hundreds++
  const prefix = `+3363998${hundreds}`
  const number = `${prefix}13`
  await client.put('/users/me', { social_reason: accountMark })
  await client.get('/events')
  const list = (await client.post('/contactlists', { name: mark })).body.id
  await client.post('/contacts', { contactlist_id: list, contacts: [{ tel: number, champ_nom: mark }] })
  const contact = (await client.get(`/contactlists/${list}/contacts`)).body.items[0].id
  const rules = [{ type: 'list', op: 'in', list_id: list }]
  const newSegment = async () => (await client.post('/segments', { name: mark, match: 'all', rules })).body.id
  const [segment, spareSegment] = [await newSegment(), await newSegment()]
  const written = { name: mark, channel: 'sms', fields: { content: mark, recipients: [number] } }
  const draft = (await client.post('/drafts', written)).body.id
  const stop = (await client.post('/stops', { recipient: `${prefix}99` })).body.id
  await client.post('/consents', { consents: [{ recipient: number, wording: mark }] })
  const text = { number: '36111', keyword: `W${prefix.slice(-2)}`, question: mark }
  const keyword = (await client.post('/consents/keywords', text)).body.id
  const operatorKeyword = (await client.post('/consents/keywords', { ...text, keyword: `V${prefix.slice(-2)}` })).body
    .id
  const listed = { recipient: `${prefix}98`, reason: 'listed' }
  const operatorStop = (await service.operator.expect(200).post('/stops/operator', listed)).body.id
  const sms = { name: mark, content: mark, sender: 'CHAPPE' }
  const smsTemplate = (await client.post('/models', sms)).body.id
  const picture = (await client.post('/pictures', fileForm(`GIF89a\x01\0\x01\0\0\0\0${mark};`))).body.id
  const daily = { name: mark, schedule: '0 10 * * *', is_on: false, segments: [segment], sms: { content: mark } }
  const automation = (await client.post('/automations', daily)).body.id
  const compared = { name: mark, decide_by: 'hand', variants: [{ sms: { content: mark } }, { sms: { content: mark } }] }
  const trial = (await client.post('/trials', { ...compared, segments: [segment], scheduleAt: LATER })).body.id
  const testers = (await client.post('/contactlists', { name: mark })).body.id
  const contacts = [71, 72, 73].map((end) => ({ tel: `${prefix}${end}` }))
  await client.post('/contacts', { contactlist_id: testers, contacts })
  const testingTrial = (await client.post('/trials', { ...compared, contactlist: [testers] })).body.id
  const creditRequest = await makeCreditRequest(service, account)
  const cannedReply = (await client.post('/canned-replies', { name: mark, content: mark })).body.id
  const hours = { name: mark, keywords: ['HOURS'], content: mark, is_on: false }
  const autoReply = (await client.post('/auto-replies', hours)).body.id
  const rcs = { name: mark, type: 'text', data: { text: mark } }
  const rcsTemplate = (await client.post('/models/rcs', rcs)).body.id
  const webhooks = [{ type: 'stops', url: `http://127.0.0.1:9/${mark}` }]
  await client.put('/webhooks', { webhooks })
  const delivery = (await client.post('/webhooks/test', { type: 'stops' })).body.id

  const priceList = (await client.post('/price-lists', fileForm(PRICES, { name: mark }))).body.list.id
  const sender = (await client.post('/senders', { name: newSender() })).body.id
  await client.post(`/senders/${sender}/proof`, fileForm('%PDF-1.4'))

  const key = (await client.post('/keys', { name: mark, scopes: ['read'] })).body.id
  const credential = { system_id: `x${++systemIds}`, name: mark }
  const smppCredential = (await client.post('/smpp/credentials', credential)).body.id

  const send = { recipients: [number, `${prefix}01`], content: mark }
  const message = (await client.post('/messages/sms', send)).body.message_id
  const scheduled = (await client.post('/messages/sms', { ...send, scheduleAt: LATER })).body.message_id
  const paused = (await client.post('/messages/sms', { ...send, scheduleAt: LATER })).body.message_id
  await client.put(`/messages/${paused}/pause`)
  const later = { segments: [segment], content: mark, scheduleAt: LATER }
  const departing = (await client.post('/messages/sms/contactlist', later)).body.message_id
  const card = { contacts: [{ recipient: number }], type: 'text', data: { text: mark }, scheduleAt: LATER }
  const rcsMessage = (await client.post('/messages/rcs', card)).body.message_id
  await untilSummary(account, message, { delivered: 1, failed: 1 })
  await client.post(`/sandbox/phones/${number}/replies`, { content: mark })
  await eventually(async () => assert.equal((await client.get('/messages/replies')).body.items.length, 1))
  // What goes on by itself must be over, since tests compare what tables hold.
  for (const each of [list, testers]) {
    await eventually(async () =>
      assert.equal((await client.get(`/contactlists/${each}`)).body.rcsCapabilityStatus, 'ready')
    )
  }
  for (const { message_id } of (await client.get(`/trials/${testingTrial}`)).body.variants) {
    await untilSummary(account, message_id, { delivered: 1 })
  }
  const recipient = (await client.get(`/messages/${message}/recipients/sms`)).body.items[0].id
  const cursor = (await client.get('/events?limit=1')).body.next

  const listEntry = await makeListEntry(service)
  const { email, password, appId, apiKey } = account
  const { token } = (await service.anonymous.expect(200).post('/auth/login', { email, password })).body
  return {
    name,
    account,
    parent,
    mark,
    accountMark,
    things: {
      list,
      contact,
      segment,
      spareSegment,
      draft,
      stop,
      keyword,
      operatorStop,
      operatorKeyword,
      picture,
      automation,
      trial,
      testingTrial,
      creditRequest,
      receivedRequest: creditRequest,
      cannedReply,
      autoReply,
      smsTemplate,
      rcsTemplate,
      message,
      recipient,
      scheduled,
      paused,
      departing,
      rcsMessage,
      delivery,
      cursor,
      number,
      subAccount: account.id,
      account: account.id,
      key,
      smppCredential,
      password,
      sender,
      priceList,
      subSender: sender,
      listEntry,
      ...(await makePeople(service, account))
    },
    forms: {
      'a token': service.anonymous.as({ authorization: `Bearer ${token}` }),
      'a key': service.anonymous.as({ 'x-api-key': apiKey }),
      'a pair': service.anonymous.as({ 'x-app-id': appId, 'x-api-key': apiKey })
    }
  }
}

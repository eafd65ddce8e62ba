import fc from 'fast-check'
import { ANY_CHARACTER } from '../checks/any-character.ts'
import type { Described, Schema } from './document.ts'
import { goodValue, laterMoment, OUR_NUMBERS, own, Personal, personal } from './good-values.ts'

/*
 * Bodies of which the schema alone does not say enough: parts that only go together, and parts that exclude each other.
 * All others are made from their schema.
 */

export function goodBody({ id, body }: Described): fc.Arbitrary<unknown> {
  return BODIES[id] ?? goodValue(body as Schema)
}

const shorturl = fc.option(
  fc.record({ mode: fc.constantFrom('unique', 'common'), url: fc.constant('https://shop.example/long') }),
  { nil: undefined }
)

const envelope: Record<string, fc.Arbitrary<unknown>> = {
  sender: fc.constantFrom('CHAPPE', 'MyShop', '36111'),
  external_id: personal('unique'),
  scheduleAt: laterMoment,
  category: fc.constantFrom('transactional', 'marketing'),
  validity: fc.constantFrom(1, 3_600, 604_800)
}

const smsEnvelope: Record<string, fc.Arbitrary<unknown>> = { ...envelope, flash: fc.boolean() }

const binary = fc.record(
  { data: fc.constantFrom('00', 'beef'.repeat(33)), udh: fc.constantFrom('0605040b8423f0', '') },
  { requiredKeys: ['data'] }
)

/** A send, by its content or by a template of one's own. */
function send(to: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<unknown> {
  const record = (fields: Record<string, fc.Arbitrary<unknown>>, needed: string) =>
    fc.record({ ...to, ...smsEnvelope, ...fields }, { requiredKeys: [...Object.keys(to), needed] })
  return fc.oneof(
    { weight: 3, arbitrary: record({ content: personal('text'), shorturl }, 'content') },
    { weight: 1, arbitrary: record({ model_id: own('smsTemplate') }, 'model_id') },
    { weight: 1, arbitrary: fc.record({ ...to, binary }) }
  )
}

const numbers = fc.array(personal('phone'), { minLength: 1, maxLength: 5 })
const people = fc.array(fc.record({ recipient: personal('phone'), prenom: fc.oneof(personal('text'), fc.integer()) }), {
  minLength: 1,
  maxLength: 4
})

const choice = fc.oneof(
  fc.record({ type: fc.constant('text'), text: fc.constantFrom('Oui', 'Non merci') }),
  fc.record({ type: fc.constant('url'), title: fc.constant('Voir'), url: fc.constant('https://shop.example/v') }),
  fc.record({ type: fc.constant('call'), title: fc.constant('Appeler'), phoneNumber: fc.constant('01 23 45 67 89') }),
  fc.record({
    type: fc.constant('location'),
    title: fc.constant('Venir'),
    label: fc.constant('Boutique'),
    latitude: fc.constantFrom(-90, 0, 48.85, 90),
    longitude: fc.constantFrom(-180, 0, 2.35, 180)
  })
)
const choices = fc.array(choice, { maxLength: 4 })
const card = fc.record(
  {
    title: personal('text'),
    description: personal('text'),
    media_message_url: fc.constant('https://shop.example/a.jpg'),
    choices
  },
  { requiredKeys: ['title'] }
)
const shown = fc.oneof(
  fc.record({
    type: fc.constant('text'),
    data: fc.record({ text: personal('text'), choices }, { requiredKeys: ['text'] })
  }),
  fc.record({ type: fc.constant('card'), data: card }),
  fc.record({
    type: fc.constant('carousel'),
    data: fc.record({ cards: fc.array(card, { minLength: 2, maxLength: 3 }) })
  })
)
const fallback = fc.option(fc.record({ content: personal('text'), sender: fc.constant('CHAPPE') }), { nil: undefined })

const rcsTemplate = fc
  .tuple(shown, fc.record({ name: personal('text'), fallback }))
  .map(([content, rest]) => ({ ...content, ...rest }))

const rcsEnvelope = fc.record({ fallback, ...envelope }, { requiredKeys: [] })
const rcsTo = fc.oneof(
  fc.record({ contacts: people }),
  fc.record({ contactlist: fc.array(own('list'), { minLength: 1, maxLength: 2 }) })
)
const rcsSend = fc
  .tuple(fc.oneof(shown, fc.record({ model_id: own('rcsTemplate') })), rcsTo, rcsEnvelope)
  .map(([content, to, rest]) => ({ ...rest, ...to, ...content }))

const decision = fc.constantFrom(
  { state: 'approved' },
  { state: 'refused', reason: 'The name is that of a bank.' },
  { state: 'disabled', reason: 'Complaints.' }
)

const { external_id: _external, ...fileEnvelope } = envelope
const rcsFile = fc
  .tuple(
    fc.oneof(shown, fc.record({ model_id: own('rcsTemplate') })),
    fc.record({ fallback, ...fileEnvelope }, { requiredKeys: [] })
  )
  .map(([content, rest]) => ({ ...rest, ...content }))

const audience = fc.oneof(
  fc.record({ contactlist: fc.array(own('list'), { minLength: 1, maxLength: 2 }) }),
  fc.record({ segments: fc.array(own('segment'), { minLength: 1, maxLength: 2 }) })
)
const laterMessage = fc.oneof(
  fc.record({ sms: fc.record({ content: personal('text') }) }),
  fc.record({ sms: fc.record({ model_id: own('smsTemplate') }) }),
  fc.record({ rcs: shown })
)

/** Begins later: its lists may be empty. */
const trial = fc
  .tuple(
    audience,
    laterMessage,
    fc.oneof(
      fc.record({
        decide_by: fc.constantFrom('replies', 'deliveries'),
        decide_after_minutes: fc.integer({ min: 5, max: 10_080 })
      }),
      fc.record({ decide_by: fc.constant('hand') })
    ),
    fc.record({ share: fc.integer({ min: 1, max: 100 }) }, { requiredKeys: [] })
  )
  .map(([to, variant, decision, rest]) => {
    const scheduleAt = new Date(Date.now() + 40 * 86_400_000).toISOString()
    return { name: 'Soldes', scheduleAt, ...rest, ...to, ...decision, variants: [variant, variant] }
  })

const autoReply = fc.record(
  {
    name: personal('text'),
    keywords: fc.constantFrom(['HOURS'], ['Été', 'horaires'], ['a1']),
    number: fc.constantFrom(null, ...OUR_NUMBERS, 'agent@rbm.goog'),
    content: personal('text'),
    sender: fc.constantFrom(null, 'CHAPPE'),
    pause_seconds: fc.constantFrom(10, 86_400),
    is_on: fc.boolean()
  },
  { requiredKeys: ['name', 'keywords', 'content'] }
)

const automation = fc
  .tuple(
    audience,
    laterMessage,
    fc.record(
      {
        name: personal('text'),
        schedule: fc.constantFrom('0 10 * * *', '*/5 * * * *', '30 9 1 1 MON'),
        is_on: fc.boolean(),
        once: fc.boolean()
      },
      { requiredKeys: ['name', 'schedule'] }
    )
  )
  .map(([to, message, rest]) => ({ ...rest, ...to, ...message }))

const postedText = fc.oneof(fc.constantFrom('Oui', 'é😀', '', 'a\u0000b', 'x'.repeat(20_000)), fc.jsonValue())
const postedReceipt = fc.record(
  {
    id: fc.oneof(fc.constantFrom('1-1', 7, 'x'.repeat(5_000)), postedText),
    state: fc.oneof(fc.constantFrom('OK', 'OK', '__proto__', 'LATER'), postedText),
    to: fc.constantFrom('+33639980013', '33639980013', 'x', null),
    at: fc.constantFrom('2026-11-15T10:00:00Z', 1_794_880_000, '1794880000123', 'never', -1)
  },
  { requiredKeys: ['id', 'state'] }
)
// Of nobody’s phones: the operator sees these replies, and no account’s mark may be in them.
const postedReply = fc.record(
  {
    id: fc.oneof(fc.uuid(), postedText),
    from: fc.constantFrom('+33639999901', '33639999902', 'x', ''),
    to: fc.constantFrom(...OUR_NUMBERS, 'CHAPPE', ''),
    text: postedText
  },
  { requiredKeys: ['from', 'to'] }
)

const smppFields = {
  name: personal('text'),
  addresses: fc.constantFrom([], ['192.0.2.0/24'], ['2001:db8::/32', '192.0.2.1']),
  binds: fc.constantFrom(1, 50),
  window: fc.constantFrom(1, 1_000),
  throughput: fc.constantFrom(null, 1, 100_000),
  category: fc.constantFrom('transactional', 'marketing'),
  binary: fc.boolean(),
  active: fc.boolean()
}

const ruleFields = fc.constantFrom('champ_nom', 'champ_ville', 'champ_date', 'champ_perso1')
const rule = fc.oneof(
  fc.record({
    type: fc.constant('field'),
    field: ruleFields,
    op: fc.constantFrom('is', 'is_not', 'contains', 'not_contains'),
    value: personal('text')
  }),
  fc.record({ type: fc.constant('field'), field: ruleFields, op: fc.constantFrom('empty', 'not_empty') }),
  fc.record(
    {
      type: fc.constant('field'),
      field: ruleFields,
      op: fc.constant('anniversary'),
      days_before: fc.constantFrom(0, 365)
    },
    { requiredKeys: ['type', 'field', 'op'] }
  ),
  fc.record({
    type: fc.constant('field'),
    field: ruleFields,
    op: fc.constantFrom('before', 'after'),
    value: fc.constantFrom('2026-02-28', '1970-01-01')
  }),
  fc.record({ type: fc.constant('list'), op: fc.constantFrom('in', 'not_in'), list_id: own('list') }),
  fc.record(
    {
      type: fc.constant('event'),
      event: fc.constantFrom('written', 'delivered', 'clicked', 'replied'),
      op: fc.constantFrom('happened', 'not_happened'),
      days: fc.constantFrom(1, 3_650),
      message_id: own('message')
    },
    { requiredKeys: ['type', 'event', 'op'] }
  )
)
const match = fc.constantFrom('all', 'any')
const someRules = (one: fc.Arbitrary<unknown>) => fc.array(one, { minLength: 1, maxLength: 2 })
const group = (one: fc.Arbitrary<unknown>) => fc.record({ type: fc.constant('group'), match, rules: someRules(one) })
const rules = { match, rules: someRules(fc.oneof(rule, group(fc.oneof(rule, group(rule))))) }
const segment = fc.record({ name: personal('text'), ...rules })

const draft = {
  name: personal('text'),
  channel: fc.constantFrom('sms', 'rcs'),
  fields: fc.record({ content: personal('text'), recipients: numbers, category: fc.constant('') }, { requiredKeys: [] })
}

const BODIES: Record<string, fc.Arbitrary<unknown>> = {
  // A name without a mark: a look is shown to sub-accounts, and the operator's to everybody.
  changeLook: fc.record({ name: fc.constant('Agence Durand'), colour: fc.constantFrom(null, '#a61e4d') }),
  changeAccountHosts: fc.constantFrom(
    { console_host: null, link_host: null },
    { console_host: 'sms.agence.example', link_host: 'go.agence.example' }
  ),
  // A limit of credits goes with one scope, and without another.
  changeKey: fc.oneof(
    fc.record({ name: personal('text'), scopes: fc.subarray(['read', 'send', 'contacts'], { minLength: 1 }) }),
    fc.record({ scopes: fc.constant(['read', 'send_confirmed']), credits_per_day: fc.constantFrom(1, 500) })
  ),
  createDraft: fc.record(draft),
  updateDraft: fc.record({ ...draft, version: fc.constant(1) }),
  createAutoReply: autoReply,
  updateAutoReply: autoReply,
  createAutomation: automation,
  createTrial: trial,
  chooseVariant: fc.record({ variant: fc.constantFrom('A', 'B') }),
  updateAutomation: automation,
  createSegment: segment,
  updateSegment: segment,
  countRules: fc.record(rules),
  login: fc.constant({ email: new Personal('login'), password: new Personal('password') }),
  changeMe: fc.record(
    {
      first_name: personal('profile'),
      last_name: personal('profile'),
      phone_number: fc.constant('01 23 45 67 89'),
      social_reason: personal('profile'),
      time_zone: fc.constantFrom('Europe/Paris', 'Indian/Reunion'),
      country: fc.constantFrom('FR', 'RE'),
      settings: fc.record(
        {
          in_doubt: fc.constantFrom('resend', 'fail'),
          hours_end: fc.constantFrom('20:00', '08:01', '21:30'),
          typography: fc.boolean(),
          sender: fc.constantFrom('', 'CHAPPE', 'MyShop'),
          calendar: fc.constantFrom('national', 'alsace-moselle')
        },
        { requiredKeys: [] }
      )
    },
    { requiredKeys: [] }
  ),
  createSmppCredential: fc.record(
    { system_id: personal('word'), ...smppFields },
    { requiredKeys: ['system_id', 'name'] }
  ),
  changeSmppCredential: fc.record(smppFields, { requiredKeys: [] }),
  rotateSmppCredential: fc.constant({}),
  replyFromPhone: fc.record({ content: personal('text') }),
  updateConversation: fc.record(
    { read: fc.boolean(), closed: fc.boolean(), assigned_to: fc.oneof(own('person'), fc.constant(null)) },
    { requiredKeys: [] }
  ),
  sendSms: send({ recipients: numbers }),
  sendSmsOldWay: send({ recipients: numbers }),
  sendSmsDynamic: send({ recipients: people }),
  listContactNames: fc.record({ numbers }),
  markNoticesRead: fc.record({ id: fc.integer({ min: 1, max: 100 }) }),
  sendSmsToLists: send({ contactlist: fc.array(own('list'), { minLength: 1, maxLength: 3 }) }),
  sendSmsToListsOldWay: send({ contactlist: fc.array(own('list'), { minLength: 1, maxLength: 3 }) }),
  sendSmsFile: fc.record({ ...fileEnvelope, content: personal('text') }, { requiredKeys: ['content'] }),
  sendRcs: rcsSend,
  sendRcsFile: rcsFile,
  createRcsTemplate: rcsTemplate,
  updateRcsTemplate: fc.oneof(rcsTemplate, fc.record({ name: personal('text') })),
  importContacts: fc.record(
    {
      contactlist_id: own('list'),
      mapping: fc.constantFrom({}, { nom: 'champ_nom' }, { tel: 'tel', nom: 'champ_ville' })
    },
    { requiredKeys: ['contactlist_id'] }
  ),
  replaceWebhooks: fc.record({
    webhooks: fc.uniqueArray(
      fc.record(
        {
          type: fc.constantFrom(
            'replies',
            'stops',
            'sms_status',
            'rcs_status',
            'clicks',
            'message_state',
            'limits',
            'balances',
            'credit_requests',
            'alarms'
          ),
          // Addresses of nobody's that count as public: no name is looked up.
          url: fc.nat(20).map((path) => `https://93.184.216.34/${path}`),
          method: fc.constant('POST'),
          active: fc.boolean(),
          batch_size: fc.integer({ min: 1, max: 500 })
        },
        { requiredKeys: ['type', 'url'] }
      ),
      { minLength: 1, maxLength: 6, selector: ({ type, url }) => `${type} ${url}` }
    )
  }),
  // Whoever decides on a sender reads all of it.
  declareSender: fc.record(
    {
      name: personal('word'),
      countries: fc.constantFrom([], ['FR'], ['BE', 'FR', 'FR']),
      use: fc.constantFrom('any', 'marketing', 'transactional'),
      proof: personal('profile'),
      link: fc.constantFrom('', 'https://shop.example/legal')
    },
    { requiredKeys: ['name'] }
  ),
  decideAccountSender: decision,
  decideSubAccountSender: decision,
  grantNumber: fc.record({
    number: fc.constantFrom(OUR_NUMBERS[1], `+${OUR_NUMBERS[1]}`),
    accounts: fc.array(own('account'), { maxLength: 3 })
  }),
  addKeyword: fc.record(
    {
      number: fc.constant(OUR_NUMBERS[0]),
      keyword: personal('word'),
      question: personal('text'),
      confirmation: personal('text')
    },
    { requiredKeys: ['number', 'keyword', 'question'] }
  ),
  testWebhook: fc.record({ type: fc.constantFrom('replies', 'stops', 'clicks') }),
  receiveHttpReceipts: fc.oneof(
    fc.record({ items: fc.array(postedReceipt, { maxLength: 4 }) }),
    fc.record({ items: postedReceipt }),
    fc.jsonValue()
  ),
  receiveHttpReplies: fc.oneof(postedReply, fc.array(postedReply, { maxLength: 4 }), fc.jsonValue()),
  receiveRbmEvent: fc.oneof(
    fc.record({ message: fc.record({ data: fc.jsonValue().map((value) => base64(JSON.stringify(value))) }) }),
    fc.record({ message: fc.record({ data: fc.string({ unit: ANY_CHARACTER }).map(base64) }) }),
    fc.record({
      message: fc.record({
        data: fc
          .record({
            senderPhoneNumber: fc.constantFrom('+33639980013', 'x', ''),
            eventType: fc.constantFrom('DELIVERED', 'READ', 'TTL_EXPIRATION_REVOKED', 'IS_TYPING', 'X'),
            eventId: fc.oneof(fc.uuid(), fc.constantFrom('', 'a\u0000b', 'x'.repeat(5_000))),
            messageId: fc.constantFrom('1-1-1', 'x', ''),
            sendTime: fc.constantFrom('2026-11-15T10:00:00Z', 'never')
          })
          .map((event) => base64(JSON.stringify(event)))
      })
    }),
    fc.record({ clientToken: fc.constant('token-of-the-fuzz'), secret: fc.constantFrom('abc', 'é😀', '') })
  )
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64')
}

import Type, { type Static } from 'typebox'
import type { Callback } from '../callbacks/callback.ts'
import { senderField } from '../compliance/sender.ts'
import { databaseNow } from '../database/clock.ts'
import type { Sql } from '../database/database.ts'
import { type InputProblem, invalidInput, notFound } from '../errors.ts'
import type { Author } from '../http/act.ts'
import type { Caller } from '../http/caller.ts'
import type { ConsentMode, MarketingCap } from '../http/consent-mode.ts'
import { anyOfThese } from '../http/described-schemas.ts'
import type { Category } from '../messages/message.ts'
import type { MessageForm } from '../messages/message-forms.store.ts'
import type { MessageOptions } from '../messages/options.ts'
import type { RcsMessage } from '../messages/rcs-messages.store.ts'
import { readDeparture } from '../messages/schedule.ts'
import type { ParsedRcs } from '../rcs/rcs-form.ts'
import { ID_MAX } from '../schemas/ids.ts'
import { Nullable } from '../schemas/nullable.ts'
import { ShortUrl } from '../short-links/short-url.ts'
import type { SubmitWishes } from '../smpp-outbox/outbox.store.ts'
import { findSmsTemplate } from '../templates/templates.store.ts'
import type { TraceContext } from '../traces/trace-context.ts'
import { writtenName } from '../variables/variables.ts'
import {
  type Content,
  hasShortLink,
  hasStopLink,
  isEmpty,
  literalContent,
  OPT_OUT_PLACE,
  parseContent,
  refuseTooManyVariables,
  SHORT_LINK_PLACE,
  tellsOptOut
} from './content.ts'
import { DeadlineField, withDeadline } from './deadline.ts'
import { labelFields, readLabels } from './labels.ts'
import { type LinkForm, readLinkForm } from './links.ts'
import type { Routing } from './routing.ts'
import { readOptions, refuseBinaryBeside, smsOptionFields } from './send-options.ts'
import { SpreadField } from './spread.ts'
import type { Witness } from './witness.ts'

const CONTENT_LENGTH_MAX = 5_000

/** The fields of every send, SMS or RCS. */
export const commonFields = {
  external_id: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 128,
      description: 'Your own id. A second message with the same one is refused with a 409.'
    })
  ),
  scheduleAt: Type.Optional(
    Type.String({
      maxLength: 64,
      description: 'When to send, in ISO 8601; at most a year from now. Absent or past: now.'
    })
  ),
  scheduledate: Type.Optional(
    Type.String({
      maxLength: 32,
      description:
        'Instead of `scheduleAt`: YYYY-MM-DD in the account’s time zone. Without `scheduletime`, its midnight.'
    })
  ),
  scheduletime: Type.Optional(
    Type.String({
      maxLength: 32,
      description: 'The time of day of `scheduledate`: HH:MM or HH:MM:SS in the account’s time zone.'
    })
  ),
  shorturl: Type.Optional(
    Type.Unsafe<ShortUrl | null>({
      ...Nullable(ShortUrl),
      description:
        'A tracked link. It stands where the texts have `#SHORTURL#`; in one that does not have it, at the end: of the text, of the fallback, of the description of the card, or of the last card of a carousel. The address of a `unique` link may hold `#name#`, which is replaced by that variable of the recipient, percent-encoded.'
    })
  ),
  category: Type.Optional(
    Type.Enum(['transactional', 'marketing'], {
      description:
        '`marketing` adds the opt-out mention and keeps to the hours that the law allows. Default: `transactional`.'
    })
  ),
  replaces: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: ID_MAX,
      description:
        'The id of a scheduled message, whose place this one takes: that one is cancelled in the same instant, and its credits pay for this one. The difference is taken or given back. A 409 when any of it has left. Default: none.'
    })
  ),
  spread: Type.Optional(SpreadField),
  deadline: Type.Optional(DeadlineField),
  expected_credits: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: ID_MAX,
      description:
        'The credits that the message takes, as a dry run said. A 409 `state_conflict` that names the credits of now, and nothing is sent, if they differ: prices, lists or opt-outs have changed since. A dry run does not look at it. Default: not compared.'
    })
  ),
  draft: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: ID_MAX,
      description:
        'The id of the draft that is sent. It only names the draft, which is removed in the same instant: a draft is sent once. A 404 when it was sent or deleted. Default: none.'
    })
  ),
  ...labelFields
}

export const SMS_TEXT = Type.String({
  minLength: 1,
  maxLength: CONTENT_LENGTH_MAX,
  description:
    'The text. `#name#` is replaced by that variable of the recipient, `#STOP_XXX#` by the opt-out mention, `#STOP_URL#` by a link to opt out, `#SHORTURL#` by the tracked link. Up to 10 segments.'
})

export const SMS_SENDER = senderField('Without it, the account’s own.')

/** The fields of every SMS send, except its recipients. */
export const sendFields = {
  content: Type.Optional(SMS_TEXT),
  model_id: Type.Optional(
    Type.Integer({ minimum: 1, maximum: ID_MAX, description: 'A template to take content and sender from, instead.' })
  ),
  sender: Type.Optional(SMS_SENDER),
  ...commonFields,
  ...smsOptionFields
}

/** For the reference: a send needs one of these. `missingContent` checks it. */
export const SMS_CONTENTS = anyOfThese({
  content: SMS_TEXT,
  model_id: sendFields.model_id,
  binary: sendFields.binary
})

const CommonFields = Type.Object({ ...commonFields, ...smsOptionFields })
type CommonFields = Static<typeof CommonFields>
const SendFields = Type.Object(sendFields)
export type SendFields = Static<typeof SendFields>

/** Checks a rule that the schema can't express: a send needs content, a template or binary data. */
export function missingContent({
  content,
  model_id,
  binary
}: {
  content?: unknown
  model_id?: unknown
  binary?: unknown
}): InputProblem[] {
  const isMissing = content === undefined && model_id === undefined && binary === undefined
  return isMissing ? [{ path: 'content', message: 'is missing' }] : []
}

/** A send as read from the request, before its recipients are read. */
export type Send = SmsSend | RcsSend

/** A scheduled message that is cancelled in the same transaction, and whose credits come back for this send. */
export interface Replacing {
  id: number
  externalId: string | null
  /** In credits of this send's type. */
  refunded: number
  /** Makes the credits available, just before they are needed. */
  postRefund(): Promise<void>
}

interface CommonSend {
  /** The author, for the audit trail; undefined if the operation writes an entry of its own. */
  author: Author | undefined
  accountId: number
  parentId: number | null
  country: string
  timeZone: string
  calendar: Caller['calendar']
  hoursEnd: string
  sundaysAndHolidays: boolean
  limits: Caller['limits']
  /** `off` for all but marketing. */
  consent: ConsentMode
  /** Undefined for all but marketing, and without a cap. */
  cap: MarketingCap | undefined
  category: Category
  externalId: string | undefined
  now: Date
  /** The earliest departure. */
  departsAt: Date
  /** What people call it. */
  name?: string | undefined
  tags?: readonly string[] | undefined
  /** The fields as they were written. Made when they are stored: most messages keep none. */
  form?: (() => MessageForm) | undefined
  /** The scheduled message whose place it takes. */
  replaces?: number | undefined
  /** How it asks to leave a little at a time; `options.spread` has the pace, once its recipients are counted. */
  spread?: Static<typeof SpreadField> | undefined
  replacing?: Replacing
  /** The draft that is sent. */
  draft?: number | undefined
  /** What it must take; undefined: whatever it takes. */
  expectedCredits?: number | undefined
  /** Validity, priority and the like; undefined without any. */
  options: MessageOptions | undefined
  /** The sender of the SMS or, for an RCS, of its fallback. Undefined: the carrier's default sender. */
  sender: GivenSender | undefined
  /** The names of all variables of the send, in the order in which recipients give their values. */
  variables: readonly string[]
  /** The field that uses this variable. */
  pathOf(variable: string): string
  /** The name of this variable as the request or the template writes it. */
  writtenAs(variable: string): string
  /** The fields that the template gives instead of the request. */
  fromTemplate?: ReadonlySet<string>
  /** The form of the tracked links. */
  link: LinkForm | undefined
  /** The beginning of the opt-out links, if the texts have a place for them. */
  stopLinkUrl: string | undefined
  /** The address that the message asks to be called with its delivery reports. */
  callback?: Callback | undefined
  /** What the bind that submitted it wants to hear; undefined if none did. */
  wishes?: SubmitWishes
  /** Remembers what it comes to, for a confirmed send. */
  witness?: Witness | undefined
  /** The context of its acceptance, which is stored with the message; undefined without traces. */
  trace?: TraceContext
}

/**
 * The problem of a field. If the template gives the field, the problem names the template: the request does not have
 * the field.
 */
export function problemIn(
  { fromTemplate }: Pick<CommonSend, 'fromTemplate'>,
  path: string,
  message: string
): InputProblem {
  return fromTemplate?.has(path) ? { path: 'model_id', message: `names a template that ${message}` } : { path, message }
}

export interface SmsSend extends CommonSend {
  channel: 'sms'
  content: Content
  /** The route of all recipients, instead of the route of each number. */
  route?: string
  /** The message whose failed recipients this send goes to again. */
  resendOf?: number
}

export interface RcsSend extends CommonSend {
  channel: 'rcs'
  message: RcsMessage
  /** The agent that the request names, which the account may use. */
  agentId: string | undefined
  /** The same message, ready to be filled in. Its variables are the first ones of `variables`. */
  parsed: ParsedRcs
  /** The variables of the card or text; the fallback may use further variables. */
  shownVariables: readonly string[]
}

/** A sender, and its field in the request, for errors. */
export interface GivenSender {
  name: string
  path: string
  /** The beginning of an error about this sender. */
  problemPrefix: string
}

/** The context of reading a send. */
export interface SendContext {
  caller: Caller
  author: Author | undefined
  routing: Routing
  /** The beginning of every short link. */
  linkUrl(caller: Pick<Caller, 'topLevelId'>): string
  /** Whether a `#name#` in the text is text like any other. */
  isLiteral?: boolean
  callback?: Callback | undefined
  form?: CommonSend['form']
  witness?: Witness | undefined
}

/** The fields of a send that come from the account. */
export function ofCaller(
  {
    accountId,
    parentId,
    country,
    timeZone,
    calendar,
    hoursEnd,
    sundaysAndHolidays,
    limits,
    consent,
    marketingCap
  }: Caller,
  category: Category
) {
  const isMarketing = category === 'marketing'
  return {
    accountId,
    parentId,
    country,
    timeZone,
    calendar,
    hoursEnd,
    sundaysAndHolidays,
    limits,
    consent: isMarketing ? consent : ('off' as const),
    cap: (isMarketing && marketingCap) || undefined,
    category
  }
}

/** Reads the fields that all sends share. */
export function readCommon(fields: CommonFields, { caller, author, form, witness }: SendContext) {
  const now = databaseNow()
  const category = fields.category ?? 'transactional'
  const departsAt = readDeparture(fields, { timeZone: caller.timeZone, now }) ?? now
  return {
    author,
    ...ofCaller(caller, category),
    externalId: fields.external_id,
    now,
    departsAt,
    ...readLabels(fields),
    form,
    witness,
    replaces: fields.replaces,
    spread: readSpreadField(fields),
    draft: fields.draft,
    expectedCredits: fields.expected_credits,
    options: withDeadline(readOptions(fields, { category, departsAt }), fields.deadline, caller)
  }
}

function readSpreadField({ spread, validity }: CommonFields): CommonFields['spread'] {
  if (spread && validity !== undefined) {
    throw invalidInput([{ path: 'validity', message: 'must not be given together with spread' }])
  }
  return spread
}

/** The first sender that is named. The countries of the recipients decide whether it is allowed. */
export function readSender({
  given,
  path,
  ofTemplate,
  ofAccount
}: {
  given: string | null | undefined
  /** The field of `given`. */
  path: string
  ofTemplate: string | null | undefined
  ofAccount: string | null
}): GivenSender | undefined {
  if (given) return { name: given, path, problemPrefix: '' }
  if (ofTemplate) return { name: ofTemplate, path: 'model_id', problemPrefix: 'names a template whose sender ' }
  return ofAccount ? { name: ofAccount, path: 'settings.sender', problemPrefix: 'of the account ' } : undefined
}

/**
 * Completes an SMS text. The link comes before the opt-out mention: Chappe adds the mention last, and customers want
 * the link at the end of their text.
 */
export function completeText(
  given: Content,
  { caller, lacksLink, category }: { caller: Caller; lacksLink: boolean; category: Category }
): Content {
  const content = lacksLink ? parseContent(`${given.text} ${SHORT_LINK_PLACE}`, caller) : given
  const lacksOptOut = category === 'marketing' && !tellsOptOut(content)
  return lacksOptOut ? parseContent(`${content.text} ${OPT_OUT_PLACE}`, caller) : content
}

/**
 * Checks the fields, and loads the template if the request names one. Nothing is written, and credits are not checked.
 */
export async function readSend(sql: Sql, fields: SendFields, context: SendContext): Promise<SmsSend> {
  const { caller } = context
  refuseBinaryBeside(fields, caller)
  if (fields.content !== undefined && fields.model_id !== undefined) {
    throw invalidInput([{ path: 'model_id', message: 'must not be given together with content' }])
  }
  const template =
    fields.model_id === undefined
      ? undefined
      : await findSmsTemplate(sql, { accountId: caller.accountId, id: fields.model_id })
  if (fields.model_id !== undefined && !template) throw notFound('template')

  const sender = readSender({
    given: fields.sender,
    path: 'sender',
    ofTemplate: template?.sender,
    ofAccount: caller.defaultSender
  })
  const common = readCommon(fields, context)
  const parse = context.isLiteral ? literalContent : parseContent
  const given = parse(fields.content ?? template?.content ?? '', caller)
  if (!fields.binary && isEmpty(given)) throw invalidInput([{ path: 'content', message: 'must not be empty' }])
  const hasPlace = hasShortLink(given)
  const fromTemplate = new Set(template ? ['content'] : [])
  if (hasPlace && !fields.shorturl) throw invalidInput([problemIn({ fromTemplate }, 'content', LINK_MISSING)])
  const lacksLink = Boolean(fields.shorturl) && !hasPlace
  const content = completeText(given, { caller, lacksLink, category: common.category })
  const { variables } = content
  const ofText = variables.length
  const link = fields.shorturl
    ? readLinkForm(fields.shorturl, { linkUrl: context.linkUrl(context.caller), variables })
    : undefined
  refuseTooManyVariables(variables, template ? 'model_id' : 'content')
  return {
    channel: 'sms',
    ...common,
    content,
    sender,
    variables,
    pathOf: (name) => (variables.indexOf(name) < ofText ? 'content' : 'shorturl.url'),
    writtenAs: (name) => writtenName(name, [content.text, link?.url ?? '']),
    fromTemplate,
    link,
    stopLinkUrl: hasStopLink(content) ? context.linkUrl(context.caller) : undefined,
    callback: context.callback
  }
}

export const LINK_MISSING = `has ${SHORT_LINK_PLACE}, and no shorturl is given`

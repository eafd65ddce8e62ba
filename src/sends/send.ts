import Type, { type Static } from 'typebox'
import { senderField } from '../compliance/sender.ts'
import { databaseNow } from '../database/clock.ts'
import type { Sql } from '../database/database.ts'
import { type InputProblem, invalidInput, notFound } from '../errors.ts'
import type { Caller } from '../http/caller.ts'
import { ID_MAX } from '../http/operation.ts'
import type { Category } from '../messages/message.ts'
import type { RcsMessage } from '../messages/rcs-messages.store.ts'
import { readDeparture } from '../messages/schedule.ts'
import type { ParsedRcs } from '../rcs/rcs-form.ts'
import { Nullable } from '../schemas/nullable.ts'
import { ShortUrl } from '../short-links/short-url.ts'
import { findSmsTemplate } from '../templates/templates.store.ts'
import {
  type Content,
  hasShortLink,
  isEmpty,
  OPT_OUT_PLACE,
  parseContent,
  refuseTooManyVariables,
  SHORT_LINK_PLACE,
  tellsOptOut
} from './content.ts'
import { type LinkForm, readLinkForm } from './links.ts'
import type { Routing } from './routing.ts'

const CONTENT_LENGTH_MAX = 5_000

/** What every way to send takes, SMS or RCS. */
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
  )
}

export const SMS_TEXT = Type.String({
  minLength: 1,
  maxLength: CONTENT_LENGTH_MAX,
  description:
    'The text. `#name#` is replaced by that variable of the recipient, `#STOP_XXX#` by the opt-out mention, `#SHORTURL#` by the tracked link. Up to 10 segments.'
})

export const SMS_SENDER = senderField('Without it, the account’s own.')

/** What every way to send an SMS takes, its recipients aside. */
export const sendFields = {
  content: Type.Optional(SMS_TEXT),
  model_id: Type.Optional(
    Type.Integer({ minimum: 1, maximum: ID_MAX, description: 'A template to take content and sender from, instead.' })
  ),
  sender: Type.Optional(SMS_SENDER),
  ...commonFields
}

const CommonFields = Type.Object(commonFields)
type CommonFields = Static<typeof CommonFields>
const SendFields = Type.Object(sendFields)
export type SendFields = Static<typeof SendFields>

/** What the schema can't say: one of the two must be there. */
export function missingContent({ content, model_id }: { content?: unknown; model_id?: unknown }): InputProblem[] {
  return content === undefined && model_id === undefined ? [{ path: 'content', message: 'is missing' }] : []
}

/** All that is decided about a message before its recipients are looked at. */
export type Send = SmsSend | RcsSend

interface CommonSend {
  accountId: number
  country: string
  calendar: Caller['calendar']
  hoursEnd: string
  sundaysAndHolidays: boolean
  category: Category
  externalId: string | undefined
  now: Date
  /** When it may leave at the earliest. */
  departsAt: Date
  /** The sender of the SMS or, of an RCS, of its fallback. Undefined leaves it to the carrier. */
  sender: GivenSender | undefined
  /** The names of all variables that are asked of the recipients, in the order in which they are to be given. */
  variables: readonly string[]
  /** The field that names this variable. */
  pathOf(variable: string): string
  /** The fields that a template gives, in place of the request. */
  fromTemplate?: ReadonlySet<string>
  /** The tracked links to make. */
  link: LinkForm | undefined
}

/** What is wrong with a field; if a template gives the field, with the template: the request does not have the field. */
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
  /** The route that all of it takes, instead of that of each number. */
  route?: string
  /** The message whose failed recipients it is sent to again. */
  resendOf?: number
}

export interface RcsSend extends CommonSend {
  channel: 'rcs'
  message: RcsMessage
  /** The same, ready to be filled. Its variables are the first of those above. */
  parsed: ParsedRcs
  /** Those of its variables that are in what is shown, and not only in the fallback. */
  shownVariables: readonly string[]
}

/** A sender, and the place that it was written in, for an error that names it. */
export interface GivenSender {
  name: string
  path: string
  /** Comes before what is wrong with it. */
  problemPrefix: string
}

/** What reading a send needs beyond its fields. */
export interface SendContext {
  caller: Caller
  routing: Routing
  /** What all short links begin with. */
  linkUrl(): string
}

/** What a message owes to whoever sends it. */
export function ofCaller({ accountId, country, calendar, hoursEnd, sundaysAndHolidays }: Caller) {
  return { accountId, country, calendar, hoursEnd, sundaysAndHolidays }
}

/** What all sends have that is read the same way. */
export function readCommon(fields: CommonFields, { caller }: SendContext) {
  const now = databaseNow()
  return {
    ...ofCaller(caller),
    category: fields.category ?? ('transactional' as const),
    externalId: fields.external_id,
    now,
    departsAt: readDeparture(fields, { timeZone: caller.timeZone, now }) ?? now
  }
}

/** The first sender that was named. The countries of the recipients decide whether it may be used. */
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
 * An SMS text with all that belongs into it. The link comes before the mention: what we add last is ours, and the end of the
 * text is where they want the link.
 */
export function completeText(
  given: Content,
  { caller, lacksLink, category }: { caller: Caller; lacksLink: boolean; category: Category }
): Content {
  const content = lacksLink ? parseContent(`${given.text} ${SHORT_LINK_PLACE}`, caller) : given
  const lacksOptOut = category === 'marketing' && !tellsOptOut(content)
  return lacksOptOut ? parseContent(`${content.text} ${OPT_OUT_PLACE}`, caller) : content
}

/** Checks the fields and takes the template if one is named. Nothing is written, and no credits are looked at. */
export async function readSend(sql: Sql, fields: SendFields, context: SendContext): Promise<SmsSend> {
  const { caller } = context
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
  const given = parseContent(fields.content ?? template?.content ?? '', caller)
  if (isEmpty(given)) throw invalidInput([{ path: 'content', message: 'must not be empty' }])
  const hasPlace = hasShortLink(given)
  const fromTemplate = new Set(template ? ['content'] : [])
  if (hasPlace && !fields.shorturl) throw invalidInput([problemIn({ fromTemplate }, 'content', LINK_MISSING)])
  const lacksLink = Boolean(fields.shorturl) && !hasPlace
  const content = completeText(given, { caller, lacksLink, category: common.category })
  const { variables } = content
  const ofText = variables.length
  const link = fields.shorturl ? readLinkForm(fields.shorturl, { linkUrl: context.linkUrl(), variables }) : undefined
  refuseTooManyVariables(variables, template ? 'model_id' : 'content')
  return {
    channel: 'sms',
    ...common,
    content,
    sender,
    variables,
    pathOf: (name) => (variables.indexOf(name) < ofText ? 'content' : 'shorturl.url'),
    fromTemplate,
    link
  }
}

export const LINK_MISSING = `has ${SHORT_LINK_PLACE}, and no shorturl is given`

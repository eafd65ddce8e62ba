import Type, { type Static } from 'typebox'
import { hasOptOut } from '../compliance/opt-out-mention.ts'
import type { Sql } from '../database/database.ts'
import { type InputProblem, invalidInput, notFound } from '../errors.ts'
import { anyOfThese } from '../http/described-schemas.ts'
import { addChoice, textsOf } from '../rcs/add-choice.ts'
import { appendToRcs } from '../rcs/append-to-rcs.ts'
import { checkRcsContent } from '../rcs/check-rcs-content.ts'
import { RCS_CONTENT_VIEWS, RCS_TYPES, RcsCard, RcsCarousel, type RcsContent, RcsText } from '../rcs/rcs-content.ts'
import { parseRcs } from '../rcs/rcs-form.ts'
import { withPlainFallback } from '../recipients/rcs-recipient.ts'
import { ID_MAX } from '../schemas/ids.ts'
import { Nullable } from '../schemas/nullable.ts'
import type { RcsTemplate } from '../templates/rcs-template.ts'
import { findRcsTemplate } from '../templates/templates.store.ts'
import { writtenName } from '../variables/variables.ts'
import {
  type Content,
  hasShortLink,
  isEmpty,
  parseContent,
  refuseTooManyVariables,
  SHORT_LINK,
  SHORT_LINK_PLACE,
  STOP_LINK,
  STOP_MENTION
} from './content.ts'
import { readLinkForm } from './links.ts'
import {
  commonFields,
  completeText,
  LINK_MISSING,
  problemIn,
  type RcsSend,
  readCommon,
  readSender,
  type SendContext,
  SMS_SENDER,
  SMS_TEXT
} from './send.ts'
import { commonOptionFields } from './send-options.ts'

/** The fields of an RCS send, except its recipients. */
export const rcsSendFields = {
  type: Type.Optional(Type.Enum(RCS_TYPES, { description: 'What `data` is.' })),
  data: Type.Optional(
    Type.Union([RcsText, RcsCard, RcsCarousel], {
      description:
        'What is shown. `#name#` in its texts and addresses is replaced by that variable of the recipient, `#SHORTURL#` by the tracked link.'
    })
  ),
  model_id: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: ID_MAX,
      description: 'An RCS template to take type, data, fallback and shorturl from, instead.'
    })
  ),
  fallback: Type.Optional(
    Nullable(
      Type.Object(
        { content: SMS_TEXT, sender: Type.Optional(Nullable(SMS_SENDER)) },
        {
          description: 'The SMS for phones that RCS does not reach. Charged only when it is sent, in place of the RCS.'
        }
      )
    )
  ),
  agent: Type.Optional(
    Nullable(
      Type.String({
        minLength: 1,
        maxLength: 255,
        description:
          'The agent that writes: its id, or the name of its carrier; one of `GET /agents`. Without it, one on the route of each number that the account may use.'
      })
    )
  ),
  ...commonFields,
  ...commonOptionFields
}

/** For the reference: a send needs one of these. `missingRcsContent` checks it. */
export const RCS_CONTENTS = [...RCS_CONTENT_VIEWS, ...anyOfThese({ model_id: rcsSendFields.model_id })]

const RcsSendFields = Type.Object(rcsSendFields)
export type RcsSendFields = Static<typeof RcsSendFields>

/** Checks a rule that the schema can't express: a send needs type and data, or a template. */
export function missingRcsContent({
  type,
  data,
  model_id
}: Partial<Record<keyof RcsSendFields, unknown>>): InputProblem[] {
  if (model_id !== undefined) return []
  return Object.entries({ type, data }).flatMap(([path, value]) =>
    value === undefined ? [{ path, message: 'is missing' }] : []
  )
}

/** Fields of an SMS that an RCS can't have, and whose absence a customer would notice only on the phone. */
export function smsOnlyProblems(fields: object): InputProblem[] {
  const { flash, binary } = fields as { flash?: unknown; binary?: unknown }
  const given = { flash: flash === false ? undefined : flash, binary }
  return Object.entries(given).flatMap(([path, value]) =>
    value === undefined || value === null
      ? []
      : [{ path, message: 'must not be given for RCS: only an SMS can have it' }]
  )
}

/**
 * Checks the fields, and loads the template if the request names one. Nothing is written, and credits are not checked.
 */
export async function readRcsSend(sql: Sql, fields: RcsSendFields, context: SendContext): Promise<RcsSend> {
  const { caller } = context
  const template = await findTemplate(sql, fields, caller)
  const common = readCommon(fields, context)
  const shorturl = fields.shorturl ?? template?.shorturl ?? undefined
  const hasLink = shorturl !== undefined

  const fromTemplate = fieldsFromTemplate(fields, template)
  const shown = completeContent(readContent(fields, template, caller), { hasLink, fromTemplate, ...common })
  const ofShown = variablesOf(shown)
  const fallback = completeFallback(readFallback(fields, template, caller), {
    hasLink,
    fromTemplate,
    caller,
    ...common
  })
  const sender = fallback
    ? readSender({
        given: fields.fallback?.sender,
        path: 'fallback.sender',
        ofTemplate: template?.fallbackSender,
        ofAccount: caller.defaultSender
      })
    : undefined

  const { country, typography: hasPlainTypography } = caller
  const fallbackContent = fallback?.text ?? null
  const parsed = parseRcs({ content: shown, fallback: fallbackContent, country })
  const variables = [...parsed.variables]
  const link = shorturl && readLinkForm(shorturl, { linkUrl: context.linkUrl(context.caller), variables })
  refuseTooManyVariables(variables, template ? 'model_id' : 'data')
  return {
    channel: 'rcs',
    ...common,
    sender,
    agentId: readAgent(fields, context),
    message: {
      ...shown,
      fallbackContent,
      fallbackSender: sender?.name ?? null,
      hasPlainTypography,
      country,
      variables: parsed.variables
    },
    parsed: hasPlainTypography ? withPlainFallback(parsed) : parsed,
    shownVariables: ofShown,
    variables,
    pathOf(name) {
      if (ofShown.includes(name)) return 'data'
      return parsed.variables.includes(name) ? 'fallback.content' : 'shorturl.url'
    },
    writtenAs: (name) => writtenName(name, [JSON.stringify(shown), fallbackContent ?? '', link?.url ?? '']),
    fromTemplate,
    link,
    stopLinkUrl: parsed.variables.includes(STOP_LINK) ? context.linkUrl(context.caller) : undefined
  }
}

type Caller = SendContext['caller']

/** Another account's agent is not told from one that does not exist. */
function readAgent({ agent }: RcsSendFields, { caller, routing }: SendContext): string | undefined {
  if (agent === undefined || agent === null) return undefined
  const agentId = routing.agentFor(agent, caller.accountId)
  if (agentId === undefined) throw notFound('agent of this account')
  return agentId
}

async function findTemplate(sql: Sql, fields: RcsSendFields, { accountId }: Caller): Promise<RcsTemplate | undefined> {
  const { type, data, model_id: id } = fields
  if (id === undefined) return undefined
  if (type !== undefined || data !== undefined) {
    throw invalidInput([{ path: 'model_id', message: 'must not be given together with type and data' }])
  }
  const template = await findRcsTemplate(sql, { accountId, id })
  if (!template) throw notFound('RCS template')
  return template
}

/** The content, before variables are filled in. */
function readContent(fields: RcsSendFields, template: RcsTemplate | undefined, { country }: Caller): RcsContent {
  const type = template?.type ?? fields.type
  if (type === undefined) throw invalidInput([{ path: 'type', message: 'is missing' }])
  const given = { type, data: template?.data ?? fields.data }
  const checked = checkRcsContent(given, { country, isFilled: false })
  if ('problems' in checked) throw invalidInput(checked.problems)
  return checked.content
}

function readFallback(
  { fallback }: RcsSendFields,
  template: RcsTemplate | undefined,
  caller: Caller
): Content | undefined {
  const text = fallback?.content ?? template?.fallbackContent ?? undefined
  if (text === undefined) return undefined
  const content = parseContent(text, caller)
  if (isEmpty(content)) throw invalidInput([{ path: 'fallback.content', message: 'must not be empty' }])
  return content
}

/** The fields that the template gives: an error in them is an error of the template. */
function fieldsFromTemplate(fields: RcsSendFields, template: RcsTemplate | undefined): ReadonlySet<string> {
  if (!template) return new Set()
  return new Set([
    'data',
    ...(fields.fallback ? [] : ['fallback.content']),
    ...(fields.shorturl ? [] : ['shorturl.url'])
  ])
}

function variablesOf(shown: RcsContent): string[] {
  return parseRcs({ content: shown, fallback: null }).variables
}

/**
 * Adds the link at the end if the content has no place for it: every recipient must see the link, by RCS or by SMS.
 * Marketing that does not tell how to opt out gets a button for it.
 */
function completeContent(
  shown: RcsContent,
  {
    hasLink,
    fromTemplate,
    category
  }: { hasLink: boolean; fromTemplate: ReadonlySet<string>; category: RcsSend['category'] }
): RcsContent {
  const variables = variablesOf(shown)
  const hasPlace = variables.includes(SHORT_LINK)
  if (hasPlace && !hasLink) throw invalidInput([problemIn({ fromTemplate }, 'data', LINK_MISSING)])
  const completed = hasLink && !hasPlace ? appendToRcs(shown, SHORT_LINK_PLACE) : shown
  const tellsOptOut =
    variables.some((name) => name === STOP_MENTION || name === STOP_LINK) || textsOf(completed).some(hasOptOut)
  // Last, so that it is no answer to the message. Without room for it, the platform's own menu stays.
  return category === 'marketing' && !tellsOptOut ? (addChoice(completed, STOP_BUTTON) ?? completed) : completed
}

/** A tap on it comes back as the word STOP. */
const STOP_BUTTON = { type: 'text', text: 'STOP' } as const

/** Adds the link likewise, and the opt-out mention. */
function completeFallback(
  given: Content | undefined,
  {
    hasLink,
    fromTemplate,
    caller,
    category
  }: { hasLink: boolean; fromTemplate: ReadonlySet<string>; caller: Caller; category: RcsSend['category'] }
): Content | undefined {
  if (!given) return undefined
  const hasPlace = hasShortLink(given)
  if (hasPlace && !hasLink) throw invalidInput([problemIn({ fromTemplate }, 'fallback.content', LINK_MISSING)])
  return completeText(given, { caller, lacksLink: hasLink && !hasPlace, category })
}

import Type, { type Static } from 'typebox'
import { checkSender } from '../compliance/sender.ts'
import type { Sql } from '../database/database.ts'
import { type InputProblem, invalidInput, notFound } from '../errors.ts'
import type { Caller } from '../http/caller.ts'
import { ID_MAX } from '../http/operation.ts'
import { findSmsTemplate } from '../templates/templates.store.ts'
import { type Content, OPT_OUT_PLACE, parseContent, tellsOptOut } from './content.ts'
import type { Category } from './message.ts'
import type { Routing } from './routing.ts'
import { readScheduleAt } from './schedule.ts'

const CONTENT_LENGTH_MAX = 5_000

const ShortUrl = Type.Object(
  {
    mode: Type.Enum(['unique', 'common'], {
      description: '`unique`: a link for each recipient; `common`: one for all.'
    }),
    url: Type.String({ maxLength: 2048 })
  },
  { $id: 'shortUrlDto' }
)

/** What every way to send an SMS takes, its recipients aside. */
export const sendFields = {
  content: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: CONTENT_LENGTH_MAX,
      description:
        'The text. `#name#` is replaced by that variable of the recipient, `#STOP_XXX#` by the opt-out mention. Up to 10 segments.'
    })
  ),
  model_id: Type.Optional(
    Type.Integer({ minimum: 1, maximum: ID_MAX, description: 'A template to take content and sender from, instead.' })
  ),
  sender: Type.Optional(
    Type.String({
      maxLength: 20,
      description: 'Who it is from: 3 to 11 letters and digits, or a short code. Without it, the account’s own.'
    })
  ),
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
  shorturl: Type.Optional(ShortUrl),
  category: Type.Optional(
    Type.Enum(['transactional', 'marketing'], {
      description:
        '`marketing` adds the opt-out mention and keeps to the hours that the law allows. Default: `transactional`.'
    })
  )
}

const SendFields = Type.Object(sendFields)
export type SendFields = Static<typeof SendFields>

/** What the schema can't say: one of the two must be there. */
export function missingContent({ content, model_id }: { content?: unknown; model_id?: unknown }): InputProblem[] {
  return content === undefined && model_id === undefined ? [{ path: 'content', message: 'is required' }] : []
}

/** All that is decided about a message before its recipients are looked at. */
export interface Send {
  accountId: number
  country: string
  calendar: Caller['calendar']
  hoursEnd: string
  category: Category
  content: Content
  /** Undefined leaves it to the carrier. */
  sender: string | undefined
  externalId: string | undefined
  now: Date
  /** When it may leave at the earliest. */
  departsAt: Date
}

/** What a message owes to whoever sends it. */
export function ofCaller({ accountId, country, calendar, hoursEnd }: Caller) {
  return { accountId, country, calendar, hoursEnd }
}

/** Checks the fields and takes the template if one is named. Nothing is written, and no credits are looked at. */
export async function readSend(
  sql: Sql,
  fields: SendFields,
  { caller, routing, schedulePath }: { caller: Caller; routing: Routing; schedulePath?: string }
): Promise<Send> {
  const problems: InputProblem[] = []
  if (fields.content !== undefined && fields.model_id !== undefined) {
    problems.push({ path: 'model_id', message: 'must not be given together with content' })
  }
  if (fields.shorturl)
    problems.push({ path: 'shorturl', message: 'can’t be used: this version makes no tracked links' })
  if (problems.length > 0) throw invalidInput(problems)

  const template =
    fields.model_id === undefined
      ? undefined
      : await findSmsTemplate(sql, { accountId: caller.accountId, id: fields.model_id })
  if (fields.model_id !== undefined && !template) throw notFound('template')

  const sender = [fields.sender, template?.sender, caller.defaultSender].find(
    (name) => name !== undefined && name !== null && name !== ''
  )
  const senderProblem = sender === undefined || sender === null ? undefined : checkSender(sender, routing)
  if (senderProblem !== undefined) throw invalidInput([{ path: 'sender', message: senderProblem }])

  const now = new Date()
  const category = fields.category ?? 'transactional'
  const given = parseContent(fields.content ?? template?.content ?? '', caller)
  if (given.text.trim() === '') throw invalidInput([{ path: 'content', message: 'must not be empty' }])
  const lacksOptOut = category === 'marketing' && !tellsOptOut(given)
  return {
    ...ofCaller(caller),
    category,
    content: lacksOptOut ? parseContent(`${given.text} ${OPT_OUT_PLACE}`, caller) : given,
    sender: sender ?? undefined,
    externalId: fields.external_id,
    now,
    departsAt:
      readScheduleAt(fields.scheduleAt, {
        timeZone: caller.timeZone,
        now,
        ...(schedulePath && { path: schedulePath })
      }) ?? now
  }
}

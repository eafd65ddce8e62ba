import Type, { type Static } from 'typebox'
import { checkSender, type OurNumbers, senderField } from '../compliance/sender.ts'
import { judgeSender } from '../compliance/sender-register.ts'
import { type InputProblem, invalidInput } from '../errors.ts'
import type { Caller } from '../http/caller.ts'

/** A text that is kept to be sent again. Its sender is checked when it is written, and again when it is sent. */
export interface SmsTemplate {
  id: number
  name: string
  content: string
  sender: string
}

export const SENDER_REFUSAL = {
  sender_not_allowed: 'The sender register does not let the account use this sender; the sentence says why.'
}

export const WARNINGS = Type.Optional(
  Type.Array(Type.String(), {
    description: 'Only when it was just written: what is wrong with its sender, in the mode `warn`.'
  })
)

export const SmsTemplateInput = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 255 }),
    content: Type.String({
      minLength: 1,
      maxLength: 5000,
      description: 'The text, with its variables: `#champ_nom#`.'
    }),
    sender: senderField('Empty for the default.')
  },
  { $id: 'ModelsDto' }
)

export const SmsTemplateChanges = Type.Object(Type.Partial(SmsTemplateInput).properties, { $id: 'ModelsUpdate' })

export const SmsTemplateView = Type.Object(
  {
    id: Type.Integer(),
    name: Type.String(),
    content: Type.String(),
    sender: Type.String(),
    isModel: Type.Boolean({ description: 'Always true.' }),
    warnings: WARNINGS
  },
  { $id: 'SmsTemplate' }
)

export function toSmsTemplateView({ id, name, content, sender }: SmsTemplate): Static<typeof SmsTemplateView> {
  return { id, name, content, sender, isModel: true }
}

const CONTROL_CHARACTER = /(?![\r\n])\p{Cc}/u

/** Refuses a bad name, and a sender that operators do not accept. */
export function checkLabels({ name, sender }: Static<typeof SmsTemplateChanges>, sending: SenderPlace): void {
  const problems = [...checkName(name), ...checkTemplateSender(sender, { path: 'sender', ...sending })]
  if (problems.length > 0) throw invalidInput(problems)
}

export function checkName(name: string | undefined): InputProblem[] {
  if (name !== undefined && name.trim() === '') return [{ path: 'name', message: 'must not be empty' }]
  // In code and not in the schema: the error of a schema would show a pattern.
  if (!name || !CONTROL_CHARACTER.test(name)) return []
  return [{ path: 'name', message: 'must not contain control characters' }]
}

/** The country of the account, since a template has no recipients yet, and the numbers of the service. */
export interface SenderPlace extends Pick<OurNumbers, 'ourNumbers'> {
  country: string
}

/** The problem of a sender of a template, if any. An empty or absent sender means the default. */
export function checkTemplateSender(
  sender: string | null | undefined,
  { path, country, ourNumbers }: SenderPlace & { path: string }
): InputProblem[] {
  const message = sender ? checkSender(sender, { country, ourNumbers }) : undefined
  return message === undefined ? [] : [{ path, message }]
}

/** Refuses a sender that the register does not let the account use. Returns the warnings of one that it should not use. */
export function judgeTemplateSender(
  sender: string | null | undefined,
  { accountId, parentId, country }: Caller,
  { senders }: OurNumbers
): string[] {
  return sender ? judgeSender(senders, { accountId, parentId, name: sender, country, category: undefined }) : []
}

/** The warnings as a part of the answer; nothing if there are none. */
export function withWarnings(warnings: string[]): { warnings?: string[] } {
  return warnings.length > 0 ? { warnings } : {}
}

export const smsTemplateExample: Static<typeof SmsTemplateView> = {
  id: 12,
  name: 'Rappel de rendez-vous',
  content: 'Bonjour #champ_prenom#, nous vous attendons demain à 10 h.',
  sender: 'CHAPPE',
  isModel: true
}

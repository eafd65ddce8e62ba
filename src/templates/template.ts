import Type, { type Static } from 'typebox'
import { type InputProblem, invalidInput } from '../errors.ts'

/** A text that is kept to be sent again. Whether its sender may be used is decided when it is. */
export interface SmsTemplate {
  id: number
  name: string
  content: string
  sender: string
}

export const SmsTemplateInput = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 255 }),
    content: Type.String({
      minLength: 1,
      maxLength: 5000,
      description: 'The text, with its variables: `#champ_nom#`.'
    }),
    sender: Type.String({ maxLength: 20, description: 'What the phone shows. Empty for the default.' })
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
    isModel: Type.Boolean({ description: 'Always true.' })
  },
  { $id: 'SmsTemplate' }
)

export function toSmsTemplateView({ id, name, content, sender }: SmsTemplate): Static<typeof SmsTemplateView> {
  return { id, name, content, sender, isModel: true }
}

const CONTROL_CHARACTER = /(?![\r\n])\p{Cc}/u

/** Refuses what a name and a sender can't hold. */
export function checkLabels({ name, sender }: Static<typeof SmsTemplateChanges>): void {
  const problems = [...checkName(name), ...checkLabel(sender, 'sender')]
  if (problems.length > 0) throw invalidInput(problems)
}

export function checkName(name: string | undefined): InputProblem[] {
  if (name !== undefined && name.trim() === '') return [{ path: 'name', message: 'must not be empty' }]
  return checkLabel(name, 'name')
}

/** In code and not in the schema: its pattern would be no message for a person. */
export function checkLabel(text: string | null | undefined, path: string): InputProblem[] {
  if (!text || !CONTROL_CHARACTER.test(text)) return []
  return [{ path, message: 'must not contain control characters' }]
}

export const smsTemplateExample: Static<typeof SmsTemplateView> = {
  id: 12,
  name: 'Rappel de rendez-vous',
  content: 'Bonjour #champ_prenom#, nous vous attendons demain à 10 h.',
  sender: 'CHAPPE',
  isModel: true
}

import Type, { type Static } from 'typebox'
import { CONTACT_FIELDS } from '../contacts/contact.ts'
import { type InputProblem, invalidInput } from '../errors.ts'
import { checkName } from '../templates/template.ts'
import { parsePieces, writtenName } from '../variables/variables.ts'

/** A text to answer with, chosen by its name. Its variables are filled with the fields of the contact who wrote. */
export interface CannedReply {
  id: number
  name: string
  content: string
}

export const CannedReplyInput = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 255 }),
    content: Type.String({
      minLength: 1,
      maxLength: 1000,
      description: 'The text. It may hold the fields of contacts as variables: `#champ_prenom#`.'
    })
  },
  { $id: 'CannedReplyDto' }
)

export const CannedReplyChanges = Type.Object(Type.Partial(CannedReplyInput).properties, { $id: 'CannedReplyUpdate' })

export const CannedReplyView = Type.Object(
  { id: Type.Integer(), name: Type.String(), content: Type.String() },
  { $id: 'CannedReply' }
)

export const cannedReplyExample: Static<typeof CannedReplyView> = {
  id: 3,
  name: 'Horaires',
  content: 'Bonjour #champ_prenom#, nous sommes ouverts du lundi au samedi, de 9 h à 19 h.'
}

const VARIABLES = new Set<string>(CONTACT_FIELDS.map(([wire]) => wire))

/** Refuses a bad name, an empty text, and a variable that no contact could fill. */
export function checkCannedReply({ name, content }: Static<typeof CannedReplyChanges>): void {
  const problems = [...checkName(name), ...(content === undefined ? [] : checkContent(content))]
  if (problems.length > 0) throw invalidInput(problems)
}

function checkContent(content: string): InputProblem[] {
  if (content.trim() === '') return [{ path: 'content', message: 'must not be empty' }]
  const variables: string[] = []
  parsePieces(content, variables)
  const unknown = variables.find((name) => !VARIABLES.has(name))
  if (unknown === undefined) return []
  const written = writtenName(unknown, [content])
  return [{ path: 'content', message: `must name fields of contacts, such as #champ_prenom#, and not #${written}#` }]
}

import Type, { type Static } from 'typebox'
import { type InputProblem, invalidInput } from '../errors.ts'

/* A name and tags: what people call a message, and how they group messages. */

const NAME_LENGTH_MAX = 120
const TAG_LENGTH_MAX = 50
const TAGS_MAX = 20

export const MessageName = Type.String({
  minLength: 1,
  maxLength: NAME_LENGTH_MAX,
  description: 'What people call the message, such as `Winter sale`. Recipients never see it.'
})

export const MessageTags = Type.Array(Type.String({ minLength: 1, maxLength: TAG_LENGTH_MAX }), {
  maxItems: TAGS_MAX,
  description: 'Words to find messages by, up to 20. Recipients never see them.'
})

export const labelFields = { name: Type.Optional(MessageName), tags: Type.Optional(MessageTags) }

const LabelFields = Type.Object(labelFields)

export interface Labels {
  name?: string
  tags?: string[]
}

/** Without spaces around them, and each tag once. */
export function readLabels({ name, tags }: Static<typeof LabelFields>): Labels {
  const problems: InputProblem[] = []
  const trimmed = name?.trim()
  if (trimmed === '') problems.push({ path: 'name', message: 'must not be empty' })
  const all = tags?.map((tag) => tag.trim()) ?? []
  for (const [index, tag] of all.entries()) {
    if (tag === '') problems.push({ path: `tags[${index}]`, message: 'must not be empty' })
  }
  if (problems.length > 0) throw invalidInput(problems)
  const once = [...new Set(all)]
  return { ...(trimmed !== undefined && { name: trimmed }), ...(once.length > 0 && { tags: once }) }
}

import Type, { type Static, type TSchema } from 'typebox'
import { type InputProblem, invalidInput, Refusal } from '../errors.ts'
import { Paginated } from '../http/paging.ts'
import { parsePhoneNumber } from '../phone-numbers/phone-number.ts'
import { problemOfText } from '../schemas/unstorable.ts'
import { createBreath } from '../workers/breath.ts'
import { rcsSendFields } from './rcs-send.ts'
import { sendFields } from './send.ts'

/*
 * A draft is a send that is not sent yet. Its fields are those of the body of a send as they stand: they are checked for their
 * size and type, and for nothing else. The send checks the rest.
 */

export const DRAFTS_MAX = 100
/** Room for the 100,000 numbers that the body of a send may have. */
const FIELDS_BYTES_MAX = 2 * 1024 * 1024
/** With the name, and JSON that is written with spaces. */
export const DRAFT_BODY_BYTES_MAX = 2 * FIELDS_BYTES_MAX

export type DraftFields = Record<string, unknown>

export interface Draft {
  id: number
  name: string
  channel: 'sms' | 'rcs'
  version: number
  createdAt: Date
  updatedAt: Date
  fields: DraftFields
}

/** A draft in a list. */
export type DraftLine = Omit<Draft, 'fields'> & { preview: string | null }

const described = {
  name: Type.String({ maxLength: 120, description: 'What people call it; may be empty.' }),
  channel: Type.Enum(['sms', 'rcs'], { description: 'Which send it is to become.' })
}
const fields = Type.Object(
  {},
  {
    additionalProperties: true,
    description:
      'The body of a send as it stands, complete or not: `content`, `recipients`, `contactlist`, `data`, `scheduleAt` and so on. Each field has the type that it has in a send; all together at most 2 MiB as JSON. Others are left out.'
  }
)

export const DraftInput = Type.Object({ ...described, fields }, { $id: 'DraftDto' })
const version = Type.Integer({ minimum: 1, maximum: 2_147_483_647 })
export const DraftChange = Type.Object(
  {
    ...described,
    fields,
    version: Type.Integer({ ...version, description: 'The version that was changed, as it was read.' })
  },
  { $id: 'DraftChangeDto' }
)

const common = {
  id: Type.Integer(),
  ...described,
  version: Type.Integer({ description: 'Grows with each change.' }),
  created_at: Type.String({ format: 'date-time' }),
  updated_at: Type.String({ format: 'date-time' })
}
export const DraftView = Type.Object({ ...common, fields }, { $id: 'Draft' })
const DraftLineView = Type.Object(
  {
    ...common,
    preview: Type.Union([Type.String(), Type.Null()], {
      description: 'The beginning of its text, up to 160 characters; null without a text.'
    })
  },
  { $id: 'DraftLine' }
)
export const DraftPage = Paginated(DraftLineView, 'DraftPage')

const toCommon = ({ id, name, channel, version, createdAt, updatedAt }: Omit<Draft, 'fields'>) => ({
  id,
  name,
  channel,
  version,
  created_at: createdAt.toISOString(),
  updated_at: updatedAt.toISOString()
})

export function toDraftView(draft: Draft): Static<typeof DraftView> {
  return { ...toCommon(draft), fields: draft.fields }
}

export function toDraftLine(draft: DraftLine): Static<typeof DraftLineView> {
  return { ...toCommon(draft), preview: draft.preview }
}

/** The type that each field has in a send. `name` is the draft's own, `draft` names it, and a file is not kept. */
const FIELD_TYPES = new Map<string, ReadonlySet<string>>(
  Object.entries<TSchema>({ ...sendFields, ...rcsSendFields })
    .filter(([name]) => name !== 'name' && name !== 'draft')
    .map(([name, schema]): [string, ReadonlySet<string>] => [name, typesOf(schema)])
    .concat(
      ['recipients', 'contacts', 'contactlist', 'segments'].map((name): [string, ReadonlySet<string>] => [
        name,
        new Set(['array'])
      ])
    )
)

const TYPE_WORDS: Record<string, string> = {
  string: 'text',
  number: 'a number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  null: 'null'
}

/** The types of JSON that a schema admits. */
function typesOf(schema: TSchema): Set<string> {
  const { type, anyOf, enum: values } = schema as { type?: string | string[]; anyOf?: TSchema[]; enum?: unknown[] }
  if (anyOf) return new Set(anyOf.flatMap((branch) => [...typesOf(branch)]))
  const types = type === undefined ? (values ?? []).map(typeOf) : [type].flat()
  return new Set(types.map((name) => (name === 'integer' ? 'number' : name)))
}

function typeOf(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : typeof value
}

/** The fields of a send among the given ones. Refuses a field of another type, and fields that are too large. */
export function readDraftFields(given: object): DraftFields {
  const problems: InputProblem[] = []
  const kept: [string, unknown][] = []
  for (const [name, value] of Object.entries(given) as [string, unknown][]) {
    const types = FIELD_TYPES.get(name)
    if (!types) continue
    const path = `fields.${name}`
    const problem = types.has(typeOf(value))
      ? findUnstorableIn(value, path)
      : { path, message: `must be ${[...types].map((type) => TYPE_WORDS[type]).join(' or ')}` }
    if (problem) problems.push(problem)
    kept.push([name, value])
  }
  if (problems.length > 0) throw invalidInput(problems)
  const fields = Object.fromEntries(kept)
  const bytes = Buffer.byteLength(JSON.stringify(fields))
  if (bytes > FIELDS_BYTES_MAX) {
    throw invalidInput([{ path: 'fields', message: `has ${bytes} bytes as JSON, and ${FIELDS_BYTES_MAX} is the most` }])
  }
  return fields
}

function findUnstorableIn(value: unknown, path: string): InputProblem | undefined {
  if (typeof value === 'string') return problemOfText(value, path)
  if (typeof value !== 'object' || value === null) return undefined
  // Without the names of places in a list: a draft may have a list of two million values.
  for (const text of Array.isArray(value) ? [] : Object.keys(value)) {
    const problem = problemOfText(text, path)
    if (problem) return problem
  }
  for (const item of Array.isArray(value) ? value : Object.values(value)) {
    const problem = findUnstorableIn(item, path)
    if (problem) return problem
  }
  return undefined
}

/** The fields without a number, or undefined if they do not have it. Numbers are as people typed them. */
export async function withoutNumber(
  fields: DraftFields,
  { phone, country }: { phone: string; country: string }
): Promise<DraftFields | undefined> {
  // Parsing is slow, and few numbers end like this one; but all may.
  const end = phone.slice(-END_DIGITS)
  const breathe = createBreath()
  const changed: [string, unknown[]][] = []
  for (const name of ['recipients', 'contacts']) {
    const entries = fields[name]
    if (!Array.isArray(entries)) continue
    const others: unknown[] = []
    for (const entry of entries) {
      await breathe()
      const number = textOf(entry)
      const isIt = number.replaceAll(/\D/g, '').endsWith(end) && parsePhoneNumber(number, country)?.e164 === phone
      if (!isIt) others.push(entry)
    }
    if (others.length < entries.length) changed.push([name, others])
  }
  return changed.length === 0 ? undefined : { ...fields, ...Object.fromEntries(changed) }
}

/** The number of an entry as it was typed; empty for an entry without one. */
function textOf(entry: unknown): string {
  const number = typeOf(entry) === 'object' ? (entry as { recipient?: unknown }).recipient : entry
  return typeof number === 'string' || typeof number === 'number' ? String(number) : ''
}

const END_DIGITS = 4

/** For a draft that a send names, and that is another account's, was deleted, or was sent. */
export function draftGone(id: number): Refusal {
  return new Refusal(404, 'not_found', `There is no draft ${id}: it was sent or deleted.`)
}

export const draftInputExample: Static<typeof DraftInput> = {
  name: 'Winter sale',
  channel: 'sms',
  fields: { content: 'Soldes dès demain', contactlist: [3] }
}

export const draftExample: Static<typeof DraftView> = {
  id: 4,
  ...draftInputExample,
  version: 1,
  created_at: '2026-11-15T09:30:00.000Z',
  updated_at: '2026-11-15T09:30:00.000Z'
}

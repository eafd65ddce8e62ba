import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { TSchema } from 'typebox'
import { invalidInput } from '../errors.ts'
import { withoutEmptyFields, withoutNulls } from '../schemas/absent.ts'
import { coerceText } from '../schemas/coerce.ts'
import { findUnstorable } from '../schemas/unstorable.ts'
import { parseForm } from './form.ts'
import { findJsonExcess } from './json-limits.ts'
import { Upload } from './upload.ts'

/** A body that came as a form: all its values are text. */
class Form {
  readonly fields: unknown
  /** Whether a value may hold U+0000: looking at all of a large form takes long. */
  readonly mayHoldNul: boolean

  constructor(text: string) {
    this.fields = parseForm(text)
    this.mayHoldNul = text.includes('%00') || text.includes('\0')
  }
}

/** JSON that may hold nulls, or characters that can't be stored: the schema of the operation tells where they matter. */
class OddJson {
  readonly value: unknown
  constructor(value: unknown) {
    this.value = value
  }
}

/** Teaches the server the two kinds of body that every operation takes. */
export function acceptBodies(app: FastifyInstance): void {
  // A property named __proto__ is nobody's: like any other unknown property it is ignored, and never reaches a prototype.
  const parseJson = app.getDefaultJsonParser('remove', 'remove')
  app.removeAllContentTypeParsers()
  app.addContentTypeParser<string>('application/json', { parseAs: 'string' }, (request, text, done) => {
    // Clients in the field announce JSON on a PUT or DELETE and send none.
    if (text === '') return done(null, undefined)
    const excess = findJsonExcess(text)
    if (excess !== undefined) return done(invalidInput([{ path: '', message: excess }]))
    parseJson(request, text, (error, body) => {
      done(error, !error && ODD.test(text) ? new OddJson(body) : body)
    })
  })
  app.addContentTypeParser<string>(
    'application/x-www-form-urlencoded',
    { parseAs: 'string' },
    (_request, text, done) => {
      try {
        done(null, new Form(text))
      } catch (error) {
        done(error as Error)
      }
    }
  )
}

/** How JSON writes null, U+0000 and halves of characters; whole ones too, which is then found out. */
const ODD = /null|\\u(?:0000|[dD][89a-fA-F])/

/**
 * The body as the schema wants it read; one that is missing counts as empty, so that its fields are named. An operation that
 * changes something clears what an empty field of a form names; to others such a field is absent.
 */
export function readBody(request: FastifyRequest, schema: TSchema, { isChange }: { isChange: boolean }): unknown {
  const { body } = request
  if (body instanceof OddJson) return storable(schema, withoutNulls(schema, body.value))
  if (body instanceof Form) {
    const fields = withoutEmptyFields(schema, body.fields, { isChange })
    return coerceText(schema, body.mayHoldNul ? storable(schema, fields) : fields)
  }
  if (body instanceof Upload) {
    const fields = storable(schema, withoutEmptyFields(schema, body.fields, { isChange }))
    return coerceText(schema, storable(schema, withoutNulls(schema, readJsonParts(schema, fields))))
  }
  return body === undefined ? {} : body
}

/** A text part can't nest, so what the schema wants as an object may come as JSON. What is none is left for validation to name. */
function readJsonParts(schema: TSchema, fields: unknown): unknown {
  const { properties = {} } = schema as { properties?: Record<string, PartSchema> }
  const read: Record<string, unknown> = { ...(fields as Record<string, unknown>) }
  for (const [name, property] of Object.entries(properties)) {
    const text = read[name]
    if (typeof text !== 'string' || !wantsJson(property)) continue
    const excess = findJsonExcess(text)
    if (excess !== undefined) throw invalidInput([{ path: name, message: excess }])
    try {
      read[name] = JSON.parse(text)
    } catch {
      throw invalidInput([{ path: name, message: 'is not valid JSON' }])
    }
  }
  return read
}

interface PartSchema {
  type?: string | string[]
  anyOf?: PartSchema[]
}

/** Also when null may stand for the object: then the object is one of several types. */
function wantsJson({ type, anyOf = [] }: PartSchema): boolean {
  const types = [type].flat()
  return types.includes('object') || types.includes('array') || anyOf.some(wantsJson)
}

function storable(schema: TSchema, value: unknown): unknown {
  const problem = findUnstorable(schema, value)
  if (problem) throw invalidInput([problem])
  return value
}

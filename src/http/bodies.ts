import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { TSchema } from 'typebox'
import { invalidInput } from '../errors.ts'
import { withoutEmptyFields, withoutNulls } from '../schemas/absent.ts'
import { coerceText } from '../schemas/coerce.ts'
import { findUnstorable } from '../schemas/unstorable.ts'
import { announcedBytes } from './announced-bytes.ts'
import { RawBody } from './callback.ts'
import { JSON_AS_FORM, OTHER_TYPE } from './error-answers.ts'
import { parseForm } from './form.ts'
import { findJsonExcess } from './json-limits.ts'
import { Upload } from './multipart.ts'

/** A body that came as a form: all its values are text. */
class Form {
  readonly fields: unknown
  /** Whether a value may hold U+0000. Found out once: to search all of a large form takes long. */
  readonly mayHoldNul: boolean

  constructor(text: string) {
    this.fields = parseForm(text)
    this.mayHoldNul = text.includes('%00') || text.includes('\0')
  }
}

/** JSON that may hold nulls, or characters that can't be stored. The operation's schema tells where they matter. */
class OddJson {
  readonly value: unknown
  constructor(value: unknown) {
    this.value = value
  }
}

/** Teaches the server the two kinds of body that every operation takes. */
export function acceptBodies(app: FastifyInstance): void {
  // A property named __proto__ is ignored like any other unknown property, and never reaches a prototype.
  const parseJson = app.getDefaultJsonParser('remove', 'remove')
  app.removeAllContentTypeParsers()
  app.addContentTypeParser<string>('application/json', { parseAs: 'string' }, (request, text, done) => {
    // Clients in the field announce JSON on a PUT or DELETE and send none.
    if (text === '') return done(null, undefined)
    if (!cameAsUtf8(request, text)) return done(NOT_UTF8)
    const excess = findJsonExcess(text)
    if (excess !== undefined) return done(invalidInput([{ path: '', message: excess }]))
    if (isRaw(request)) return done(null, new RawBody(text, 'json'))
    const next = text.length > LARGE_TEXT ? setImmediate : atOnce
    next(() =>
      parseJson(request, text, (error, body) => {
        const parsed = !error && ODD.test(text) ? new OddJson(body) : body
        next(() => done(error, parsed))
      })
    )
  })
  app.addContentTypeParser<string>(
    'application/x-www-form-urlencoded',
    { parseAs: 'string' },
    (request, text, done) => {
      if (!cameAsUtf8(request, text) || !isFormUtf8(text)) return done(NOT_UTF8)
      if (isJsonObject(text) && !isRaw(request)) return done(JSON_AS_FORM)
      try {
        done(null, isRaw(request) ? new RawBody(text, 'form') : new Form(text))
      } catch (error) {
        done(error as Error)
      }
    }
  )
  // `fetch` calls an empty text `text/plain`.
  app.addContentTypeParser('*', (request, _payload, done) => {
    if (announcedBytes(request) === 0) done(null, undefined)
    else done(OTHER_TYPE)
  })
}

/** A text takes up to 20 ms a megabyte to look through, as long again to parse, and to check. Requests run in between. */
const LARGE_TEXT = 1024 * 1024

function atOnce(step: () => void): void {
  step()
}

const NOT_UTF8 = invalidInput([{ path: '', message: 'is not in UTF-8' }])

/**
 * Octets that are no UTF-8 were read as U+FFFD, which takes other octets. Programs that write Latin-1 send them: people would get
 * their texts without the accents, at a higher price.
 */
function cameAsUtf8({ headers }: FastifyRequest, text: string): boolean {
  const announced = headers['content-length']
  if (announced === undefined || !text.includes('\uFFFD')) return true
  return Buffer.byteLength(text) === Number(announced)
}

/** A form escapes all octets but those of ASCII: these are checked in the same way. */
function isFormUtf8(text: string): boolean {
  try {
    for (const [escaped] of text.matchAll(ESCAPED)) decodeURIComponent(escaped)
    return true
  } catch {
    return false
  }
}

const ESCAPED = /(?:%[89a-fA-F][\da-fA-F])+/g

/** A form would need a field whose name begins with a brace, which no operation has. */
function isJsonObject(text: string): boolean {
  return text.trimStart().startsWith('{') && text.trimEnd().endsWith('}')
}

function isRaw(request: FastifyRequest): boolean {
  return request.routeOptions.config.isRaw === true
}

/** How JSON writes null, U+0000 and surrogates. Pairs of surrogates match too, and are told apart later. */
const ODD = /null|\\u(?:0000|[dD][89a-fA-F])/

/**
 * Reads the body by its schema. A missing body counts as an empty object, so that the answer names the missing fields.
 * In a form, an empty field clears the value in an operation that changes something; to other operations it is absent.
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

/**
 * A text part can't nest, so an object may come as JSON. Text that is no JSON is left as it is: validation names the
 * problem.
 */
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

/** Whether the schema wants an object, or an object or null. */
function wantsJson({ type, anyOf = [] }: PartSchema): boolean {
  const types = [type].flat()
  return types.includes('object') || types.includes('array') || anyOf.some(wantsJson)
}

function storable(schema: TSchema, value: unknown): unknown {
  const problem = findUnstorable(schema, value)
  if (problem) throw invalidInput([problem])
  return value
}

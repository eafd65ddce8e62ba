import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { TSchema } from 'typebox'
import { type InputProblem, invalidInput } from '../errors.ts'
import { coerceText } from '../schemas/coerce.ts'
import { parseForm } from './form.ts'
import { findJsonExcess } from './json-limits.ts'
import { Upload } from './upload.ts'

/** A body that came as a form: all its values are text. */
class Form {
  readonly fields: unknown
  constructor(fields: unknown) {
    this.fields = fields
  }
}

/** Teaches the server the two kinds of body that every operation takes. */
export function acceptBodies(app: FastifyInstance): void {
  const parseJson = app.getDefaultJsonParser('error', 'error')
  app.removeAllContentTypeParsers()
  app.addContentTypeParser<string>('application/json', { parseAs: 'string' }, (request, text, done) => {
    // Clients in the field announce JSON on a PUT or DELETE and send none.
    if (text === '') return done(null, undefined)
    const excess = findJsonExcess(text)
    if (excess !== undefined) return done(invalidInput([{ path: '', message: excess }]))
    parseJson(request, text, (error, body) => {
      const unstorable = !error && UNSTORABLE.test(text) ? findUnstorable(body) : undefined
      done(unstorable ? invalidInput([unstorable]) : error, body)
    })
  })
  app.addContentTypeParser<string>(
    'application/x-www-form-urlencoded',
    { parseAs: 'string' },
    (_request, text, done) => {
      try {
        const fields = parseForm(text)
        const unstorable = text.includes('%00') ? findUnstorable(fields) : undefined
        done(unstorable ? invalidInput([unstorable]) : null, new Form(fields))
      } catch (error) {
        done(error as Error)
      }
    }
  )
}

/** The body as the schema wants it read; one that is missing counts as empty, so that its fields are named. */
export function readBody(request: FastifyRequest, schema: TSchema): unknown {
  const { body } = request
  if (body instanceof Form) return coerceText(schema, body.fields)
  if (body instanceof Upload) return coerceText(schema, readJsonParts(schema, body.fields))
  return body === undefined ? {} : body
}

/** A text part can't nest, so what the schema wants as an object may come as JSON. What is none is left for validation to name. */
function readJsonParts(schema: TSchema, fields: unknown): unknown {
  const { properties = {} } = schema as { properties?: Record<string, PartSchema> }
  const given = findUnstorable(fields)
  if (given) throw invalidInput([given])
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
    const unstorable = findUnstorable(read[name], name)
    if (unstorable) throw invalidInput([unstorable])
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

const DEPTH_MAX = 50

/** How JSON writes U+0000, and halves of characters; whole ones too, which is then found out. */
const UNSTORABLE = /\\u(?:0000|[dD][89a-fA-F])/

/** PostgreSQL's text can't hold U+0000 nor half a character, and nobody means them. */
export function findUnstorable(value: unknown, path = '', depth = 0): InputProblem | undefined {
  if (typeof value === 'string') {
    if (value.includes('\0')) return { path, message: 'must not contain the character U+0000' }
    return value.isWellFormed() ? undefined : { path, message: 'must not contain half a character (a lone surrogate)' }
  }
  if (typeof value !== 'object' || value === null) return undefined
  if (depth > DEPTH_MAX) return { path: '', message: `is nested deeper than ${DEPTH_MAX}` }
  for (const [name, item] of Object.entries(value)) {
    const itemPath = Array.isArray(value) ? `${path}[${name}]` : path === '' ? name : `${path}.${name}`
    const problem = findUnstorable(name, path) ?? findUnstorable(item, itemPath, depth + 1)
    if (problem) return problem
  }
  return undefined
}

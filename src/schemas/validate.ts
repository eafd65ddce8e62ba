import type { Static, TSchema } from 'typebox'
import type { TLocalizedValidationError } from 'typebox/error'
import { Format } from 'typebox/format'
import { Settings } from 'typebox/system'
import { Pointer } from 'typebox/value'
import type { InputProblem } from '../errors.ts'
import { compiledOf } from './compiled.ts'
import { findErrors } from './find-errors.ts'
import { patternWordsOf } from './pattern-words.ts'
import { isOfOtherYear, OTHER_YEAR } from './years.ts'

/** More problems than a person fixes at once; a body of 100,000 wrong entries must not make an answer as large. */
const PROBLEMS_MAX = 50
Settings.Set({ maxErrors: PROBLEMS_MAX })

Format.Set('date-time', (text) => Format.IsDateTime(text) && !isOfOtherYear(new Date(text)))

export type Validation<T> = { value: T } | { problems: InputProblem[] }

export type Validator<T> = (value: unknown) => Validation<T>

/**
 * A check that reports every problem in words. Types are strict: nothing is converted here. The schema is compiled at the first
 * value: all of them take a tenth of a second at a start, and most processes never need most of them.
 */
export function validator<S extends TSchema>(schema: S): Validator<Static<S>> {
  let compiled: ReturnType<typeof compiledOf> | undefined
  return (value) => {
    compiled ??= compiledOf(schema)
    if (compiled.Check(value)) return { value: value as Static<S> }
    const found = findErrors(schema, value, PROBLEMS_MAX)
    const errors = withoutEchoes(found.length > 0 ? found : compiled.Errors(value))
    const problems = errors.flatMap((error) => toProblems(schema, value, error))
    return { problems: firstOfEachField(problems).slice(0, PROBLEMS_MAX) }
  }
}

function toProblems(schema: TSchema, value: unknown, error: TLocalizedValidationError): InputProblem[] {
  const path = toPath(error.instancePath)
  if (error.keyword === 'required') {
    return error.params.requiredProperties.map((property) => ({
      path: path === '' ? property : `${path}.${property}`,
      message: 'is missing'
    }))
  }
  return [{ path, message: isYearProblem(value, error) ? OTHER_YEAR : toMessage(schema, error) }]
}

/** A program that shows a message beside its field has room for one. The first is the nearest: a wrong type comes first. */
function firstOfEachField(problems: InputProblem[]): InputProblem[] {
  const seen = new Set<string>()
  return problems.filter(({ path }) => !seen.has(path) && seen.add(path))
}

function isYearProblem(value: unknown, error: TLocalizedValidationError): boolean {
  if (error.keyword !== 'format' || error.params.format !== 'date-time') return false
  const text = String(Pointer.Get(value, error.instancePath))
  return Format.IsDateTime(text) && isOfOtherYear(new Date(text))
}

/** A JSON pointer, `/contacts/0/tel`, as a person would write it: `contacts[0].tel`. */
function toPath(pointer: string): string {
  let path = ''
  for (const step of pointer.split('/').slice(1)) {
    const name = step.replaceAll('~1', '/').replaceAll('~0', '~')
    if (/^\d+$/.test(name)) path += `[${name}]`
    else path += path === '' ? name : `.${name}`
  }
  return path
}

const TYPE_NAMES: Record<string, string> = {
  string: 'a string',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'true or false',
  object: 'an object',
  array: 'an array',
  null: 'null'
}

function toMessage(schema: TSchema, error: TLocalizedValidationError): string {
  switch (error.keyword) {
    case 'type': {
      const types = [error.params.type].flat()
      return `must be ${types.map((type) => TYPE_NAMES[type] ?? type).join(' or ')}`
    }
    case 'enum': {
      const values = error.params.allowedValues.map((value) => JSON.stringify(value))
      return values.length === 1 ? `must be ${values[0]}` : `must be one of ${values.join(', ')}`
    }
    case 'const':
      return `must be ${JSON.stringify(error.params.allowedValue)}`
    case 'minLength':
      return error.params.limit === 1 ? 'must not be empty' : `must have at least ${error.params.limit} characters`
    case 'maxLength':
      return `must have at most ${error.params.limit} characters`
    case 'minimum':
      return `must be at least ${error.params.limit}`
    case 'maximum':
      return `must be at most ${error.params.limit}`
    case 'exclusiveMinimum':
      return `must be more than ${error.params.limit}`
    case 'minItems':
      return error.params.limit === 1 ? 'must not be empty' : `must have at least ${error.params.limit} items`
    case 'maxItems':
      return `must have at most ${error.params.limit} items`
    case 'format':
      return `must be ${FORMAT_WORDS[error.params.format] ?? `in the format ${error.params.format}`}`
    case 'pattern':
      return `must be ${patternWordsOf(schema, String(error.params.pattern)) ?? 'in another form'}`
    default:
      return error.message
  }
}

/** The rule of a format, after "must be". */
export const FORMAT_WORDS: Readonly<Record<string, string>> = {
  email: 'an email address, such as ana@example.com',
  'date-time': 'a date and time in ISO 8601, such as 2026-12-24T10:00:00Z'
}

/**
 * Removes repeats: a union reports the types of its branches one by one, which is one problem, and then that none of them fits. An
 * object repeats for its additional properties the problem of the property itself.
 */
function withoutEchoes(errors: TLocalizedValidationError[]): TLocalizedValidationError[] {
  const types = new Map<string, Extract<TLocalizedValidationError, { keyword: 'type' }>>()
  const told: TLocalizedValidationError[] = []
  for (const error of errors) {
    const { keyword, instancePath } = error
    if (keyword === 'anyOf' && told.some((other) => isWithin(other, instancePath))) continue
    if (keyword === 'additionalProperties' && told.some((other) => isWithin(other, `${instancePath}/`))) continue
    const before = keyword === 'type' ? types.get(instancePath) : undefined
    if (keyword === 'type' && before) {
      before.params.type = [...new Set([before.params.type, error.params.type].flat())]
      continue
    }
    const copy = structuredClone(error)
    if (copy.keyword === 'type') types.set(instancePath, copy)
    told.push(copy)
  }
  return told
}

function isWithin({ instancePath }: TLocalizedValidationError, path: string): boolean {
  return instancePath.startsWith(path)
}

import type { FastifyRequest } from 'fastify'
import type { TSchema } from 'typebox'
import { type InputProblem, invalidInput } from '../errors.ts'
import { onlyDeclared } from '../schemas/declared.ts'
import { type Validator, validator } from '../schemas/validate.ts'
import { readBody } from './bodies.ts'
import { withExampleValues } from './example-values.ts'
import { Upload } from './multipart.ts'
import type { Operation } from './operation.ts'
import { readParams } from './path-parameters.ts'
import { plain, queryReader } from './query.ts'
import type { UploadedFile } from './uploaded-file.ts'

/** What a request asks for, read and checked. */
export interface Input {
  params: Record<string, string | number>
  query: unknown
  body: unknown
  /** The body as it came, with properties that the operation does not take. */
  given: unknown
  file: UploadedFile | undefined
}

/** Reads and checks path, query and body. All problems of one of them are answered together. */
export function inputReader(operation: Operation): (request: FastifyRequest) => Input {
  const query = operation.query && { read: queryReader(operation.query), validate: validator(operation.query) }
  const body = operation.body && { schema: operation.body, validate: validator(operation.body) }
  return (request) => {
    const file = request.body instanceof Upload ? request.body.file : undefined
    const noFile = operation.file !== undefined && !file ? [NO_FILE] : NONE
    const given = body && readBody(request, body.schema, { isChange: operation.method === 'PUT' })
    const missing = isObject(given) ? together(operation.missing?.(given) ?? NONE, misplaced(given, operation)) : NONE
    return {
      params: readParams(request.params as Record<string, string>),
      query: query && check(query.validate, query.read(request)),
      body:
        body &&
        onlyDeclared(
          check(body.validate, given, { found: together(missing, noFile), example: operation.example.body }),
          body.schema
        ),
      given,
      file
    }
  }
}

const NO_FILE: InputProblem = {
  path: 'file',
  message: 'is missing: add a part named file that has a file name, such as people.csv'
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

const NONE: readonly InputProblem[] = []

/** Nearly always there are none. */
function together(some: readonly InputProblem[], others: readonly InputProblem[]): readonly InputProblem[] {
  return some.length + others.length === 0 ? NONE : [...some, ...others]
}

function check<T>(
  validate: Validator<T>,
  value: unknown,
  { found = NONE, example }: { found?: readonly InputProblem[]; example?: unknown } = {}
): T {
  const validation = validate(value)
  if ('problems' in validation) throw invalidInput([...withExampleValues(validation.problems, example), ...found])
  if (found.length > 0) throw invalidInput([...found])
  return validation.value
}

/** Parameters of the query that stand in the body: ignored, they would send a message that was only to be previewed. */
function misplaced(given: object, operation: Operation): readonly InputProblem[] {
  const inBody = propertiesOf(operation.body)
  if (Array.isArray(given) || hasOnly(given, inBody)) return NONE
  // By their plain form: a body may have a hundred thousand names.
  const inQuery = new Map(Object.keys(propertiesOf(operation.query)).map((name) => [plain(name), name]))
  if (inQuery.size === 0) return NONE
  return Object.entries(given).flatMap(([spelling, value]) => {
    if (Object.hasOwn(inBody, spelling) || NOT_ASKED.has(value)) return []
    const name = inQuery.get(plain(spelling))
    return name === undefined
      ? []
      : [{ path: spelling, message: `belongs in the query: ${operation.path}?${name}=true` }]
  })
}

const NOT_ASKED: ReadonlySet<unknown> = new Set([null, false, 0, '', 'false', '0'])

/** Whether an object has no other properties than these. Nearly all bodies: the rest of the checks is then spared. */
function hasOnly(given: object, properties: object): boolean {
  for (const name of Object.keys(given)) if (!Object.hasOwn(properties, name)) return false
  return true
}

function propertiesOf(schema: TSchema | undefined): object {
  return (schema as { properties?: object } | undefined)?.properties ?? {}
}

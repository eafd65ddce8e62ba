import type { TSchema } from 'typebox'
import { Compile, type Validator } from 'typebox/compile'

const compiled = new WeakMap<TSchema, Validator>()

/** The check that a schema is compiled to, once for as long as it lives. */
export function compiledOf(schema: TSchema): Validator {
  let check = compiled.get(schema)
  if (!check) {
    check = Compile(withoutNeeds(schema))
    compiled.set(schema, check)
  }
  return check
}

/**
 * Without the part that only the document needs. That part speaks of unevaluated properties, so the library would note each
 * property of each item, which took half a second for 100,000 recipients with 30 variables.
 */
function withoutNeeds(schema: TSchema): TSchema {
  const { 'x-needs': _, ...itself } = schema as TSchema & { 'x-needs'?: unknown }
  return itself
}

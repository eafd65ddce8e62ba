import Type, { type Static, type TSchema } from 'typebox'

/**
 * `T` or null, if it can be in the form `type: ["string", "null"]`, which serialises without trying the branches of a
 * union.
 */
export function Nullable<S extends TSchema>(schema: S) {
  const { type, $id, enum: values } = schema as { type?: string; $id?: string; enum?: string[] }
  // A schema with a name is referred to by it, and the name does not include null.
  if ($id !== undefined) return Type.Unsafe<Static<S> | null>({ anyOf: [schema, { type: 'null' }] })
  // An enum lists its values and has no type.
  if (type === undefined && values)
    return Type.Unsafe<Static<S> | null>({ ...schema, type: ['string', 'null'], enum: [...values, null] })
  return Type.Unsafe<Static<S> | null>({ ...schema, type: [type, 'null'] })
}

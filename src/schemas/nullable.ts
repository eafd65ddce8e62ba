import Type, { type Static, type TSchema } from 'typebox'

/** `T` or null, in the form `type: ["string", "null"]`, which serialises without trying the branches of a union. */
export function Nullable<S extends TSchema>(schema: S) {
  const { type } = schema as { type?: string }
  return Type.Unsafe<Static<S> | null>({ ...schema, type: [type, 'null'] })
}

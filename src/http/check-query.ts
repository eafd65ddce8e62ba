import Type from 'typebox'

/** `check` of an upload that is stored as a whole or not at all. */
export const CheckQuery = Type.Object({
  check: Type.Optional(Type.Boolean({ description: 'Only check the file: nothing is stored.' }))
})

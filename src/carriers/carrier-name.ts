import Type from 'typebox'

export const CarrierName = Type.String({
  pattern: '^[A-Za-z0-9][A-Za-z0-9_-]{0,31}$',
  'x-words': '1 to 32 letters without accents, digits, - and _, beginning with a letter or a digit, such as main'
})

/** What an SMS segment or an RCS message costs through a carrier, in whatever currency its reader thinks in. */
export const CarrierCost = Type.Optional(Type.Number({ minimum: 0, maximum: 1_000_000 }))

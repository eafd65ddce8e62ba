import Type from 'typebox'

export const CarrierName = Type.String({
  pattern: '^[A-Za-z0-9][A-Za-z0-9_-]{0,31}$',
  'x-words': '1 to 32 letters without accents, digits, - and _, beginning with a letter or a digit, such as main'
})

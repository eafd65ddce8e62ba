/*
 * The message ids of the carrier. Each is a number, in one of the forms that real carriers use. A receipt may write the same
 * number in another form.
 */

export const ID_FORMS = ['dec', 'hex', 'upper-hex', 'padded-dec', 'padded-hex', 'uuid'] as const

export type IdForm = (typeof ID_FORMS)[number]

const PADDED_DEC_CHARACTERS = 20
const PADDED_HEX_CHARACTERS = 16

export function writeId(id: number, form: IdForm): string {
  switch (form) {
    case 'dec':
      return String(id)
    case 'hex':
      return id.toString(16)
    case 'upper-hex':
      return id.toString(16).toUpperCase()
    case 'padded-dec':
      return String(id).padStart(PADDED_DEC_CHARACTERS, '0')
    case 'padded-hex':
      return id.toString(16).padStart(PADDED_HEX_CHARACTERS, '0')
    case 'uuid':
      return writeUuid(id)
  }
}

/** UUID version 8 of RFC 9562, with free bits: the number is in the last 14 free digits. */
function writeUuid(id: number): string {
  const digits = id.toString(16).padStart(14, '0')
  return `5a4db0c5-0000-8000-80${digits.slice(0, 2)}-${digits.slice(2)}`
}

/** Higher than all ids before a restart, as long as fewer than 1,000 ids are given in a millisecond. */
export function firstIdNow(): number {
  return Date.now() * 1_000
}

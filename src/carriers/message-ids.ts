/*
 * A carrier names a message in its answer to a submit, and again in the receipt. Many write the same number in
 * hexadecimal at one of the two and in decimal at the other, padded with zeros or not, in upper or lower case (SMPP 3.4
 * says only that it is a string). An id is stored in one canonical form; a receipt is looked up under every form that
 * it may have.
 */

/** How the receipt writes an id, against the answer. */
export type IdForm =
  /** The same. */
  | 'as-is'
  /** In hexadecimal what the answer gave in decimal. */
  | 'hex'
  /** In decimal what the answer gave in hexadecimal. */
  | 'dec'

export interface CandidateId {
  form: IdForm
  /** Canonical, to be looked up among the ids of the answers. */
  id: string
}

/** message_id is a C-octet string of 65 octets, its final zero included (SMPP 3.4, paragraph 5.2.23). */
const LENGTH_MAX = 64

/** The form in which ids are stored and compared. `0x` is kept: it says that the carrier writes hexadecimal. */
export function canonicalId(raw: string): string {
  const id = raw.trim().toLowerCase()
  const [, sign = '', digits] = HEXADECIMAL.exec(id) ?? []
  return (digits === undefined ? id : sign + withoutZeros(digits)).slice(0, LENGTH_MAX)
}

/** Ids of answers that the id of a receipt may stand for, the likeliest first. None for an empty id. */
export function candidateIds(receiptId: string, format: 'auto' | IdForm, learned?: IdForm): CandidateId[] {
  const id = canonicalId(receiptId)
  const candidates: CandidateId[] = []
  for (const form of formsInOrder(format, learned)) {
    const converted = convert(id, form)
    if (converted === undefined || candidates.some((candidate) => candidate.id === converted)) continue
    candidates.push({ form, id: converted })
  }
  return candidates
}

/** Whether finding the receipt's id under this form proves that the carrier uses it: "7" is the same in all of them. */
export function isDecisive(receiptId: string, form: IdForm): boolean {
  const id = canonicalId(receiptId)
  const found = convert(id, form)
  return found !== undefined && FORMS.every((other) => other === form || convert(id, other) !== found)
}

const FORMS: readonly IdForm[] = ['as-is', 'hex', 'dec']

function formsInOrder(format: 'auto' | IdForm, learned: IdForm | undefined): readonly IdForm[] {
  if (format !== 'auto') return [format]
  return learned === undefined ? FORMS : [learned, ...FORMS.filter((form) => form !== learned)]
}

const HEXADECIMAL = /^(0x)?([0-9a-f]+)$/
const DECIMAL = /^[0-9]+$/

/** What the answer said if the receipt writes in this form; undefined if it can't be written so. */
function convert(id: string, form: IdForm): string | undefined {
  if (id === '') return undefined
  if (form === 'as-is') return id
  // In BigInt: ids have 64 bits and more, and a number of JavaScript holds 53.
  const converted = form === 'hex' ? toDecimal(id) : toHexadecimal(id)
  return converted !== undefined && converted.length <= LENGTH_MAX ? converted : undefined
}

function toDecimal(id: string): string | undefined {
  const digits = HEXADECIMAL.exec(id)?.[2]
  return digits === undefined ? undefined : BigInt(`0x${digits}`).toString()
}

function toHexadecimal(id: string): string | undefined {
  return DECIMAL.test(id) ? BigInt(id).toString(16) : undefined
}

function withoutZeros(digits: string): string {
  return digits.replace(/^0+(?=.)/, '')
}

/** National numbers of eight digits are complete in many countries; fewer could be anybody's. */
const DIGITS_ALIKE = 8

/**
 * Whether a number as a carrier writes it may be this phone: international or national, with any prefix. Lenient on
 * purpose: it only distinguishes messages that have the same id. Replies are matched by another rule.
 */
export function isSamePhone(written: string, e164: string): boolean {
  if (written.length === e164.length - 1 && e164.endsWith(written)) return true // Most carriers leave out the plus alone.
  if (!NUMBER.test(written)) return false
  const digits = written.replaceAll(NO_DIGITS, '').replace(/^0+/, '')
  const expected = e164.slice(1)
  if (digits === expected) return true
  return (
    digits.length >= DIGITS_ALIKE && expected.length >= DIGITS_ALIKE && digits.endsWith(expected.slice(-DIGITS_ALIKE))
  )
}

/** A sender made of letters is no phone, even if digits follow. */
const NUMBER = /^[+\d\s.\-()/]+$/
const NO_DIGITS = /\D/g

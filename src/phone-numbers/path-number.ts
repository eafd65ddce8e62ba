import { invalidInput } from '../errors.ts'
import { parsePhoneNumber } from './phone-number.ts'

/** The number that a path names. */
export function readNumber(text: string, country: string): string {
  const number = parsePhoneNumber(text, country)
  if (!number) throw invalidInput([{ path: 'number', message: 'is not a phone number' }])
  return number.e164
}
